"""A sample of labels for people to judge, and an estimate of the label noise from their judgements.

``sample.csv`` has a row for each question, with an empty cell for the judgement. ``sample.jsonl`` has the same
questions in the format that the collection service imports: ``askew collect gold STUDY --add sample.jsonl``.
"""

from __future__ import annotations

import csv
import io
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from askew.answers.krippendorff import krippendorff_alpha
from askew.answers.normalise import modal_answer, normalise
from askew.audit.labelled_texts import TextSample, content_hash, labelled
from askew.audit.text_audit import NOT_LEARNED, image_share
from askew.errors import DataError
from askew.files.limits import bounded_read
from askew.files.read_write import csv_line, safe_cell
from askew.significance import wilson
from askew.types import Expect, Group, Id, Question, Score

COLUMNS = ("number", "suite", "test", "id", "image", "question", "answer", "judgement")
JUDGEMENTS = {"right": "right", "wrong": "wrong", "unclear": "unclear", "r": "right", "w": "wrong", "u": "unclear"}
"""What a person may write in the judgement cell, and the verdict it stands for."""


@dataclass(frozen=True)
class SampledLabel:
    """A question whose label people will judge."""

    question: Question
    suite: str = ""
    test: str = ""
    original: Question | None = None
    expect: Expect | None = None
    """What the change should do to the answer; None for a question that was not changed."""

    @property
    def answer(self) -> str:
        """The label: the answer that most people gave."""
        return modal_answer(self.question.answers, normalise)


def sampled_labels(items: Iterable[Group | Question], size: int, seed: int) -> list[SampledLabel]:
    """A random sample of at most ``size`` questions, the same in any order of the data; of groups only variants are
    drawn, because their labels were generated.
    """
    chosen = TextSample(seed, size)
    kept: dict[Id, SampledLabel] = {}
    for item in items:
        for one in _members(item):
            if one.question.answers and chosen.add(one.question.id, labelled, one.question):
                kept[one.question.id] = one
                if len(kept) > 4 * size:
                    left = {text.id for text in chosen}
                    kept = {key: value for key, value in kept.items() if key in left}
    return [kept[text.id] for text in chosen]


def _members(item: Group | Question) -> list[SampledLabel]:
    if isinstance(item, Question):
        return [SampledLabel(item)]
    if not item.variants:
        return [SampledLabel(item.original, item.suite)]
    return [
        SampledLabel(
            replace(variant.question, image=variant.question.image or item.original.image),
            item.suite,
            variant.test,
            item.original,
            variant.expect,
        )
        for variant in item.variants
    ]


def csv_lines(sample: Sequence[SampledLabel], images: Sequence[str]) -> list[bytes]:
    """The lines of ``sample.csv``; text that a spreadsheet would run as a formula is preceded by an apostrophe."""
    rows = [
        (number, one.suite, one.test, str(one.question.id), image, one.question.text, one.answer, "")
        for number, (one, image) in enumerate(zip(sample, images, strict=True), 1)
    ]
    return [csv_line(COLUMNS), *map(csv_line, rows)]


def service_record(one: SampledLabel, image: str) -> dict[str, Any]:
    """A record for ``askew collect gold --add``; equally frequent answers all count as correct."""
    counts = Counter(map(normalise, one.question.answers))
    answers = [answer for answer, count in counts.items() if count == counts[one.answer]]
    return {"image": image, "question": one.question.text, "answers": answers, "id": one.question.id, "test": one.test}


@dataclass(frozen=True)
class LabelNoise:
    """The estimated share of wrong labels."""

    test: str
    right: int
    wrong: int
    unclear: int
    share: Score
    """The share of wrong labels among those judged right or wrong, with a 95 % interval."""
    alpha: float | None = None
    """Krippendorff's alpha of the judgements, if several people judged the same questions."""

    def record(self) -> dict[str, Any]:
        """For reports."""
        share = {"value": self.share.value, "low": self.share.low, "high": self.share.high}
        counts = {"judged": self.right + self.wrong, "unclear": self.unclear}
        return {"test": self.test, **counts, "share": share, "alpha": self.alpha}


def label_noise(items: Iterable[Group | Question], paths: Sequence[str | Path]) -> list[LabelNoise]:
    """The label noise according to the judgement files of people: over all tests, and per test if there are several.

    A label is wrong if more people judged it wrong than right; a tie, or no such judgement, is unclear.
    """
    votes = _votes(paths)
    places = _places(items, votes)
    missing = sorted(votes.keys() - places.keys())
    if missing:
        raise DataError(
            f"{paths[0]}: {len(missing)} judged questions are not in the data, e.g. {missing[0]!r}. Give the data that "
            "the sample was drawn from."
        )
    return _noise_of(votes, places)


def noise_by_suite(groups: Iterable[Group], paths: Sequence[str | Path]) -> dict[str, list[LabelNoise]]:
    """The label noise of each suite of a run, from the judged questions that the run asked."""
    votes, suites = _votes(paths), defaultdict[str, list[Group]](list)
    for group in groups:
        suites[group.suite].append(group)
    found = {suite: _places(own, votes) for suite, own in suites.items()}
    if not any(found.values()):
        raise DataError(f"{paths[0]}: none of the judged questions was asked in this run. Give the run's own sample.")
    return {suite: _noise_of(votes, places) for suite, places in found.items() if places}


def _votes(paths: Sequence[str | Path]) -> dict[str, Counter[str]]:
    """What people said, by question id, in all files together."""
    votes: dict[str, Counter[str]] = {}
    for path in paths:
        for key, judged in read_judged(path).items():
            votes.setdefault(key, Counter()).update(judged)
    return votes


def _noise_of(votes: Mapping[str, Counter[str]], places: Mapping[str, tuple[str, int]]) -> list[LabelNoise]:
    tests = sorted({test for test, _ in places.values()})
    parts = ["", *tests] if len(tests) > 1 else [""]
    judged = {part: [key for key in sorted(places) if part in ("", places[key][0])] for part in parts}
    return [_noise(part, [(places[key][1], votes[key]) for key in keys]) for part, keys in judged.items()]


def _places(items: Iterable[Group | Question], wanted: Mapping[str, object]) -> dict[str, tuple[str, int]]:
    """The test of each wanted question, and the image of its original."""
    found: dict[str, tuple[str, int]] = {}
    for item in items:
        for one in _members(item):
            key = safe_cell(str(one.question.id))
            if key in wanted:
                source = one.original or one.question
                found[key] = one.test, content_hash(0, source.image.id if source.image else source.id)
    return found


def _verdict(votes: Counter[str]) -> str:
    if votes["wrong"] == votes["right"]:
        return "unclear"
    return "wrong" if votes["wrong"] > votes["right"] else "right"


def _noise(test: str, judged: Sequence[tuple[int, Counter[str]]]) -> LabelNoise:
    """The estimate from the image and the votes of each question."""
    verdicts = [(image, _verdict(votes)) for image, votes in judged]
    counts = Counter(said for _, said in verdicts)
    clear = [(image, float(said == "wrong")) for image, said in verdicts if said != "unclear"]
    share = NOT_LEARNED
    if clear:
        images, wrong = np.array([image for image, _ in clear]), np.array([said for _, said in clear])
        share = image_share(wrong, images)
        if not share.has_interval:
            low, high = wilson(counts["wrong"], len(clear))
            share = replace(share, low=round(low, 3), high=round(high, 3))
    alpha = krippendorff_alpha([list(votes.elements()) for _, votes in judged])
    return LabelNoise(test, counts["right"], counts["wrong"], counts["unclear"], share, alpha)


def read_judged(path: str | Path) -> dict[str, Counter[str]]:
    """The judgements of a file by question id; rows without a judgement are skipped.

    The file is either one that a person filled in, with a column ``judgement``, or one that counts the people who said
    that the label is ``right`` and ``wrong``: of ``askew collect audit --results``, which also counts those who could
    not say (``unclear``), or of ``askew collect gold --results``.
    """
    try:
        text = bounded_read(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8. Save it as CSV UTF-8.") from None
    opening = text.partition("\n")[0]
    rows = csv.DictReader(
        io.StringIO(text, newline=""), delimiter=";" if opening.count(";") > opening.count(",") else ","
    )
    columns = rows.fieldnames or ()
    counted = {"right", "wrong"} <= set(columns)
    missing = [name for name in ("id", "judgement") if name not in columns and not (counted and name != "id")]
    if missing:
        raise DataError(
            f"{path}: no column {missing[0]!r}. Judge the file that askew audit --sample wrote. "
            "A file of askew collect gold --results is read too."
        )
    found: dict[str, Counter[str]] = {}
    for number, row in enumerate(rows, 2):
        if not counted and (said := (row["judgement"] or "").strip().lower()) and said not in JUDGEMENTS:
            raise DataError(f"{path}: row {number}: the judgement is {said[:40]!r}. Write right, wrong or unclear.")
        judged = _people(path, number, row) if counted else Counter([JUDGEMENTS[said]] if said else ())
        if not judged:
            continue
        key = row["id"] or ""
        if key in found:
            raise DataError(f"{path}: row {number}: question {key!r} occurs twice. Delete one of the rows.")
        found[key] = judged
    if not found:
        remedy = "Wait for people to answer." if counted else "Write right, wrong or unclear in the column 'judgement'."
        raise DataError(f"{path}: no row has a judgement. {remedy}")
    return found


def _people(path: str | Path, number: int, row: Mapping[str, str | None]) -> Counter[str]:
    """How many people gave the label and how many did not; empty if nobody answered."""
    try:
        people = Counter({name: int(row[name] or "") for name in ("right", "wrong", "unclear") if name in row})
    except ValueError:
        people = Counter(wrong=-1)
    if min(people.values()) < 0:
        raise DataError(
            f"{path}: row {number}: right and wrong must be numbers of people. Write the file again with askew collect "
            "gold --results."
        )
    return people if people.total() else Counter()


def noise_lines(noise: Sequence[LabelNoise]) -> list[str]:
    """One sentence for each estimate.

    >>> noise_lines([LabelNoise("", 190, 6, 4, Score("wrong labels", 0.031, 0.014, 0.065))])
    ['Label noise: 3.1 % (1.4–6.5) of 196 judged labels are wrong; 4 unclear.']
    """
    return [
        f"Label noise{f' of {one.test}' if one.test else ''}: {one.share.short} % "
        f"({one.share.interval}) of {one.right + one.wrong:,} judged labels are wrong; "
        f"{one.unclear:,} unclear{'' if one.alpha is None else f'; alpha {one.alpha:.2f}'}."
        if one.right + one.wrong
        else f"Label noise{f' of {one.test}' if one.test else ''}: no label was judged right or wrong."
        for one in noise
    ]
