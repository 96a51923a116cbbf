"""The pairs of a run: a question, one of its variants, and the model's answers to both."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from askew.answers.normalise import modal_answer
from askew.engine.settings import check_whole
from askew.errors import BadOption, UsageError, did_you_mean
from askew.metrics.pairs import FAILED, RIGHT, WRONG, became
from askew.report.load import Run
from askew.report.markup import Html, Thumbnails, el, join
from askew.report.pair_viewer import shown_images, word_diff
from askew.types import Id

OUTCOMES = {"broke": (RIGHT, WRONG), "fixed": (WRONG, RIGHT), "held": (RIGHT, RIGHT), "stayed": (WRONG, WRONG)}
"""How the two questions of a pair were answered. Any other pair, with a missing answer, has ``failed``."""

SHOWN = 5
"""How many pairs a notebook shows."""

_MARKS = {RIGHT: "✓ correct", WRONG: "✗ wrong", FAILED: "– no answer"}
_BOX = "border:1px solid rgba(128,128,128,.4);border-radius:6px;padding:.6em .8em;margin:.5em 0;display:flex;gap:1em"


@dataclass(frozen=True)
class RunPair:
    """A question and one of its variants, with the answers of the model. In a notebook it is shown with its image."""

    suite: str
    group: Id
    """The id of the group, as in samples.jsonl."""
    test: str
    rule: str
    """What made the variant."""
    expect: str
    """What the change should do to the answer: same, different, given or noise."""
    outcome: str
    """``broke``, ``fixed``, ``held``, ``stayed`` or ``failed``."""
    question: str
    changed: str
    """The variant's text."""
    expected: tuple[str, str]
    """People's most frequent answer to each of the two; empty where none is known."""
    answers: tuple[str | None, str | None]
    """What the model answered to each; None where it failed."""
    errors: tuple[str | None, str | None] = (None, None)
    images: tuple[Path | None, ...] = ()
    """The image files of the question, then those that the variant changes; None for one that is not known."""
    record: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The whole line of samples.jsonl."""
    place: int = 0
    """The index of the variant in its group."""

    def __str__(self) -> str:
        codes = self._codes()
        lines = (
            f"  {text}\n    {self._said(at)}   {_MARKS[codes[at]]}"
            for at, text in enumerate((self.question, self.changed))
        )
        return "\n".join([f"{self.suite} · {self.test} · {self.rule} · group {self.group}", *lines])

    def _repr_html_(self) -> str:
        album = Thumbnails()
        places = [album.add({"path": str(file)}, Path) for file in self.images if file is not None]
        shown = (album.images[at] for at in places if at is not None)
        images = [
            el("img", src=f"data:image/jpeg;base64,{data}", alt="", style="align-self:flex-start") for data in shown
        ]
        codes, texts = self._codes(), word_diff(self.question, self.changed)
        rows = [
            el(
                "div",
                el("strong", *(el("u", text) if new else join(text) for text, new in pieces)),
                el("br"),
                f"{self._said(at)} — {_MARKS[codes[at]]}",
                style="margin-bottom:.5em",
            )
            for at, pieces in enumerate(texts)
        ]
        about = f"{self.suite} · {self.test} · {self.rule} · group {self.group}"
        return join(*images, el("div", *rows, el("small", about, style="opacity:.75")))

    def _codes(self) -> tuple[int, int]:
        return _became(self.record["original"]), _became(self.record["variants"][self.place])

    def _said(self, at: int) -> str:
        answer, expected = self.answers[at], self.expected[at]
        said = f"no answer ({self.errors[at]})" if answer is None else f"“{answer}”"
        return f"{said}, expected “{expected}”" if expected else said


@dataclass(frozen=True)
class RunPairs:
    """Pairs of a run, filtered, read from its files as they are iterated. In a notebook the first few are shown."""

    run: Run
    outcome: str = ""
    suite: str | None = None
    test: str | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        if self.outcome and self.outcome not in (*OUTCOMES, "failed"):
            known = [*OUTCOMES, "failed"]
            hint = did_you_mean(self.outcome, known)
            raise BadOption(f"There is no outcome {self.outcome!r}.{hint} Outcomes: {', '.join(known)}.")
        if self.limit is not None:
            check_whole("limit", self.limit)
        suites = [suite["name"] for suite in self.run.suites]
        if self.suite is not None and self.suite not in suites:
            hint = did_you_mean(self.suite, suites)
            raise UsageError(f"There is no suite {self.suite!r} in this run.{hint} Suites: {', '.join(suites)}.")
        tests = [test for suite in self.run.suites for test in suite.get("tests") or ()]
        if self.test is not None and self.test not in tests:
            hint = did_you_mean(self.test, tests)
            raise UsageError(f"There is no test {self.test!r} in this run.{hint} Tests: {', '.join(tests)}.")

    def __iter__(self) -> Iterator[RunPair]:
        return islice(self._all(), self.limit)

    def _all(self) -> Iterator[RunPair]:
        for _, record in self.run.outcomes():
            if self.suite in (None, record.get("suite", "")):
                for at, variant in enumerate(record.get("variants") or ()):
                    pair = self._pair(record, variant, at) if self.test in (None, variant.get("test", "")) else None
                    if pair is not None and self.outcome in ("", pair.outcome):
                        yield pair

    def _pair(self, record: Mapping[str, Any], variant: Mapping[str, Any], at: int) -> RunPair:
        original = record["original"]
        codes = _became(original), _became(variant)
        said = [part.get("prediction") or {} for part in (original, variant)]
        return RunPair(
            suite=str(record.get("suite", "")),
            group=record["group"],
            test=str(variant.get("test", "")),
            rule=str(variant.get("made_by", "")),
            expect=str(variant.get("expect", "")),
            outcome=next((name for name, pair in OUTCOMES.items() if pair == codes), "failed"),
            question=str(original.get("question", "")),
            changed=str(variant.get("question", "")),
            expected=(_most_common(original), _most_common(variant)),
            answers=(said[0].get("answer"), said[1].get("answer")),
            errors=(said[0].get("error"), said[1].get("error")),
            images=tuple(self._image(part) for _, part in shown_images(original, variant)),
            record=record,
            place=at,
        )

    def _image(self, part: Mapping[str, Any]) -> Path | None:
        path = part.get("path")
        return self.run.image(path) if isinstance(path, str) and path else None

    def _repr_html_(self) -> str:
        shown = list(islice(self, SHOWN + 1))
        if not shown:
            return el("p", "There are no such pairs.")
        boxes = [el("div", Html(pair._repr_html_()), style=_BOX) for pair in shown[:SHOWN]]
        more = "There are more: iterate over them, or filter them." if len(shown) > SHOWN else None
        return join(*boxes, more and el("p", more))


def _became(part: Mapping[str, Any]) -> int:
    return became(part.get("right"), part.get("accuracy"))


def _most_common(part: Mapping[str, Any]) -> str:
    return modal_answer(part.get("answers") or (), str)
