"""What is in a world, counted while it is written: the datasheet (after Gebru et al. 2021)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from askew.answers.normalise import normalise
from askew.types import Scene
from askew.world.scene_cache import CachedQuestion
from askew.world.splits import SPLITS

_TOP = 12


@dataclass
class Tally:
    """Counts that grow as scenes come by."""

    scenes: int
    seed: int
    size: int
    shifted: bool
    generator: str
    splits: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    answers: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    unanimous: int = 0
    agreed: float = 0.0
    questions: int = 0

    def add(self, split: str, scene: Scene, kept: Sequence[CachedQuestion]) -> None:
        """One scene with its questions."""
        self.splits[split].update(scenes=1, questions=len(kept))
        self.counts["places"][scene.facts["place"]] += 1
        for thing in scene.things:
            self.counts["classes"][thing.name] += 1
        for one in kept:
            kind = one.question.kind
            self.counts["answer types"][kind.answer_type] += 1
            self.counts["question types"][kind.question_type] += 1
            self.counts["kinds of question"][one.kind] += 1
            self.answers[kind.answer_type][one.answer] += 1
            if one.kind in ("color", "colors"):
                self.answers["color"][one.answer] += 1
            self.questions += 1
            self.unanimous += len(set(map(normalise, one.question.answers))) == 1
            self.agreed += agreement_of(one.question.answers)

    def sheet(self) -> dict[str, Any]:
        """The datasheet as plain values; shares are parts of one."""
        return {
            "world": {
                "scenes": self.scenes,
                "questions": self.questions,
                "seed": self.seed,
                "size": self.size,
                "shifted": self.shifted,
                "generator": self.generator,
            },
            "splits": {split: {key: self.splits[split][key] for key in ("scenes", "questions")} for split in SPLITS},
            "people": {
                "answers per question": 10,
                "unanimous": round(self.unanimous / max(1, self.questions), 4),
                "human accuracy": round(self.agreed / max(1, self.questions), 4),
            },
            **{name: dict(_sorted(counts)) for name, counts in sorted(self.counts.items())},
            "answers": {name: dict(_sorted(counts)[:_TOP]) for name, counts in sorted(self.answers.items())},
        }


@lru_cache(maxsize=1 << 14)
def agreement_of(answers: tuple[str, ...]) -> float:
    """How well one person agrees with the others, by VQA accuracy: the mean of min(1, others who say the same / 3).

    >>> agreement_of(("yes",) * 9 + ("no",)), agreement_of(("2", "two", "3"))
    (0.9, 0.2222222222222222)
    """
    counts = Counter(map(normalise, answers))
    return sum(number * min(1.0, (number - 1) / 3) for number in counts.values()) / len(answers)


def markdown(sheet: Mapping[str, Any]) -> str:
    """The datasheet for people."""
    world, people = sheet["world"], sheet["people"]
    lines = [
        "# Datasheet of an embedded world",
        "",
        f"{world['scenes']} scenes with {world['questions']} questions, made by askew (generator {world['generator']}, "
        f"seed {world['seed']}{', answers shifted in test' if world['shifted'] else ''}). Pictures have "
        f"{world['size']}×{world['size']} pixels. Everything is synthetic: drawn and asked by a program, and the "
        "people who answer are simulated. It stands in for real data and replaces no evaluation on it.",
        "",
        "Pictures are in `images/`; each split is there as VQA v2 (`vqa/`), as GQA with scene graphs (`gqa/`) and as "
        "JSONL. No scene is in two splits.",
        "",
        f"Ten answers per question. All ten agree on {people['unanimous']:.1%} of the questions; one person agrees "
        f"with the other nine to {people['human accuracy']:.1%} (VQA accuracy). The most frequent answer is the "
        "true one.",
        "",
        "| split | scenes | questions |",
        "| --- | ---: | ---: |",
        *(f"| {split} | {part['scenes']} | {part['questions']} |" for split, part in sheet["splits"].items()),
    ]
    for name in ("answer types", "question types", "kinds of question", "places", "classes"):
        lines += ["", f"## {name.capitalize()}", "", *_table(name, sheet[name])]
    for name, counts in sheet["answers"].items():
        lines += ["", f"## Answers: {name}", "", *_table("answer", counts)]
    return "\n".join(lines) + "\n"


def _table(name: str, counts: Mapping[str, int]) -> list[str]:
    return [f"| {name} | number |", "| --- | ---: |", *(f"| {key} | {value} |" for key, value in counts.items())]


def _sorted(counts: Counter[str]) -> list[tuple[str, int]]:
    return sorted(counts.items(), key=lambda item: (-item[1], item[0]))
