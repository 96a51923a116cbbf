"""Write a world to a folder: images, a datasheet, and each split as VQA v2, GQA (with scene graphs) and our JSONL."""

from __future__ import annotations

import os
import shutil
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from askew.answers.normalise import normalise
from askew.data.scene_graphs import write_scenes
from askew.data.write_questions import write_gqa, write_jsonl, write_vqa
from askew.files.output_folders import check_output, note_output
from askew.files.read_write import alone_in, write_joined
from askew.types import Kind, Question, Scene
from askew.verbs import Executor
from askew.world.dataset import VERSION, CachedQuestion, Priors, SceneCache, World
from askew.world.splits import SPLITS, indices


def write_world(
    output: Path,
    scenes: int = 200,
    seed: int = 0,
    size: int = 224,
    *,
    shifted: bool = False,
    priors: Priors = "train",
    executor: Executor | None = None,
    overwrite: bool = False,
    progress: Callable[[int], object] = lambda count: None,
) -> dict[str, Any]:
    """Write a world and return its datasheet, which is also written to ``datasheet.md`` and ``datasheet.json``.

    An interrupted run continues where it stopped: images that exist are not drawn again. ``progress`` is called with
    the number of scenes that are done. With an ``executor``, workers make the scenes; the files are the same for any
    number of workers. A folder that contains another world or other files is refused unless ``overwrite`` is set.
    """
    world = World("all", scenes, seed, size, shifted, priors)
    with alone_in(output):
        options = {"scenes": scenes, "seed": seed, "size": size, "shifted": shifted, "priors": priors}
        check_output(output, "a world", options, overwrite)
        note_output(output, "a world", options)
        cache = SceneCache(str(output), seed, size, shifted, priors, f".records-{VERSION}-{seed}-{size}")
        _delete_other_images(output, cache, scenes)
        missing = [(index, cache.image_hash(index)) for index in range(scenes) if not cache.holds(index)]
        progress(scenes - len(missing))
        for made in executor.map(cache.made, missing, chunk=8) if executor else map(cache.made, missing):
            cache.put(made)
            progress(1)
        counted = WorldCounts(world)
        for split in SPLITS:
            _write_split(output, cache, split, list(indices(seed, scenes, split)), counted)
        sheet = counted.sheet()
        write_joined(output / "datasheet.json", [orjson.dumps(sheet, option=orjson.OPT_INDENT_2)], end=b"\n")
        write_joined(output / "datasheet.md", [markdown(sheet).encode()])
        for folder in output.glob(".records-*"):
            shutil.rmtree(folder)
    return sheet


def _delete_other_images(output: Path, cache: SceneCache, scenes: int) -> None:
    """Delete images in the folder that are not of this world."""
    stamp = output / "images" / ".drawn"
    drawn = f"generator {VERSION}, seed {cache.seed}, size {cache.size}\n"
    same = stamp.is_file() and stamp.read_text(encoding="utf-8") == drawn
    wanted = {os.path.basename(cache.image_path(index)) for index in range(scenes)} if same else set()
    for image in (output / "images").glob("COCO_world_*.jpg"):
        if image.name not in wanted:
            image.unlink()
    if not same:
        write_joined(stamp, [drawn.encode()])


def _write_split(output: Path, cache: SceneCache, split: str, wanted: list[int], counted: WorldCounts) -> None:
    def cached() -> Iterator[tuple[int, int, CachedQuestion]]:
        for index in wanted:
            for number, question in enumerate(cache.entry(index)[1]):
                yield index, number, question

    def scenes() -> Iterator[Scene]:
        for index in wanted:
            scene, questions = cache.entry(index)
            counted.add(split, scene, questions)
            yield _gqa_scene(scene, cache.image_path(index))

    write_scenes(scenes(), str(output / "gqa" / f"{split}_sceneGraphs.json"))
    write_gqa(
        (_gqa(question, cache.image_path(index)) for index, _, question in cached()),
        str(output / "gqa" / f"{split}_questions.json"),
    )
    write_vqa((_vqa(*question) for question in cached()), str(output / "vqa"), f"world_{split}")
    write_jsonl((entry.question for _, _, entry in cached()), str(output / f"{split}.jsonl"))


def _vqa(index: int, number: int, cached: CachedQuestion) -> Question:
    """The question with integer ids, as in VQA."""
    question = cached.question
    assert question.image is not None
    return replace(question, id=100 * index + number, image=replace(question.image, id=index), scene=None)


def _gqa(cached: CachedQuestion, path: str) -> Question:
    """The question as in GQA: one answer, GQA's types, and the file name as image id."""
    question = cached.question
    assert question.image is not None
    image = replace(question.image, id=Path(path).stem)
    return replace(question, image=image, answers=(cached.answer,), kind=Kind("", cached.gqa), confidences=())


def _gqa_scene(scene: Scene, path: str) -> Scene:
    facts = {"location" if name == "place" else name: value for name, value in scene.facts.items()}
    return replace(scene, id=Path(path).stem, facts=facts)


_PRIORS = {
    "train": "The words of a yes/no question often predict its answer in train, as in VQA; not in val and test.",
    "all": "The words of a yes/no question often predict its answer, as in VQA, in train, val and test.",
    "shifted": "Frequent answers differ between test and the other splits.",
}


@dataclass
class WorldCounts:
    """Counts for the datasheet, updated scene by scene (after Gebru et al. 2021)."""

    world: World
    splits: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    counts: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    answers: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))
    unanimous: int = 0
    agreed: float = 0.0
    questions: int = 0

    def add(self, split: str, scene: Scene, questions: Sequence[CachedQuestion]) -> None:
        """Count a scene with its questions."""
        self.splits[split].update(scenes=1, questions=len(questions))
        self.counts["places"][scene.facts["place"]] += 1
        for thing in scene.things:
            self.counts["classes"][thing.name] += 1
        for cached in questions:
            kind = cached.question.kind
            self.counts["answer types"][kind.answer_type] += 1
            self.counts["question types"][kind.question_type] += 1
            self.counts["kinds of question"][cached.kind] += 1
            self.answers[kind.answer_type][cached.answer] += 1
            if cached.kind in ("color", "colors"):
                self.answers["color"][cached.answer] += 1
            self.questions += 1
            self.unanimous += len(set(map(normalise, cached.question.answers))) == 1
            self.agreed += agreement_of(cached.question.answers)

    def sheet(self) -> dict[str, Any]:
        """The datasheet as plain values; shares are fractions of one."""
        return {
            "world": {
                "scenes": self.world.scenes,
                "questions": self.questions,
                "seed": self.world.seed,
                "size": self.world.size,
                "shifted": self.world.shifted,
                "priors": self.world.priors,
                "generator": VERSION,
            },
            "splits": {split: {key: self.splits[split][key] for key in ("scenes", "questions")} for split in SPLITS},
            "people": {
                "answers per question": 10,
                "unanimous": round(self.unanimous / max(1, self.questions), 4),
                "human accuracy": round(self.agreed / max(1, self.questions), 4),
            },
            **{name: dict(_sorted(counts)) for name, counts in sorted(self.counts.items())},
            "answers": {name: dict(_sorted(counts)[:12]) for name, counts in sorted(self.answers.items())},
        }


@lru_cache(maxsize=1 << 14)
def agreement_of(answers: tuple[str, ...]) -> float:
    """How well one person agrees with the others, as VQA accuracy: the mean of min(1, others with the same answer / 3).

    >>> agreement_of(("yes",) * 9 + ("no",)), agreement_of(("2", "two", "3"))
    (0.9, 0.2222222222222222)
    """
    counts = Counter(map(normalise, answers))
    return sum(number * min(1.0, (number - 1) / 3) for number in counts.values()) / len(answers)


def markdown(sheet: Mapping[str, Any]) -> str:
    """The datasheet as Markdown."""
    world, people = sheet["world"], sheet["people"]
    lines = [
        "# Datasheet of an embedded world",
        "",
        f"{world['scenes']} scenes with {world['questions']} questions, generated by askew "
        f"(version {world['generator']}, seed {world['seed']}{', shifted answers in test' * world['shifted']}). "
        f"Images have {world['size']}×{world['size']} pixels. Everything is synthetic: images and questions are "
        "generated, and the people who answer are simulated. It does not replace an evaluation on real data.",
        "",
        "The images are in `images/`; each split is available as VQA v2 (`vqa/`), as GQA with scene graphs (`gqa/`) "
        "and as JSONL. No scene is in two splits.",
        "",
        f"Ten answers per question. All ten agree on {people['unanimous']:.1%} of the questions; the VQA accuracy of "
        f"one person against the other nine is {people['human accuracy']:.1%}. The most frequent answer is true.",
        "",
        _PRIORS["shifted" if world["shifted"] else world["priors"]],
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
