"""Table 7: people label a random sample of successful questions; the sample is written and read as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from askew.collect.examples import Example
from askew.collect.stats.sheets import count, decimal, described, percent, share
from askew.errors import DataError
from askew.files.limits import bounded_read
from askew.files.read_write import csv_line, resource
from askew.metrics.interval import interval
from askew.significance import by_image, ratio, settled
from askew.types import Outcome, Row, Score, Table
from askew.verbs import Metric

LABELS: Mapping[str, str] = resource("collect/stats/tables.yaml")["table7"]["labels"]
"""The paper's eleven labels; a question may have several."""
NO_LABEL = "none"
_GIVEN = ("id", "round", "image", "question", "robot_answer", "correct_answer", "answers")
_YES, _NO = {"1", "x", "yes", "true"}, {"", "0", "no", "false"}


def draw_sample(examples: Iterable[Example], seed: int, size: int = 300) -> list[Example]:
    """Random successful questions (judged wrong: C, D, E), ``size`` per round; the same seed gives the same sample."""
    rounds: dict[int, list[tuple[float, int, Example]]] = {}
    for one in examples:
        if one.type in "CDE" and not one.attack:
            drawn = rounds.setdefault(one.round, [])
            drawn.append((Random(f"{seed}:coding:{one.id}").random(), one.id, one))
            if len(drawn) >= 4 * size:
                drawn[:] = sorted(drawn)[:size]
    return [one for number in sorted(rounds) for *_, one in sorted(rounds[number])[:size]]


def sample_lines(sample: Iterable[Example]) -> Iterator[bytes]:
    """The CSV to code: what coders need to see, and an empty column for each label."""
    yield csv_line([*_GIVEN, *LABELS, NO_LABEL])
    for one in sample:
        assert one.author is not None
        others = "; ".join(given.text for given in one.verifiers)
        given = (one.id, one.round, one.image, one.text, one.robot, one.author.text, others)
        yield csv_line([*given, *[""] * (len(LABELS) + 1)])


@dataclass(frozen=True)
class Coded:
    """The labels of one coder."""

    path: str
    about: dict[int, tuple[int, str]]
    """Question to its round and image."""
    labels: dict[int, frozenset[str]]
    uncoded: int


def read_coded(path: str | Path, *, allow_uncoded: bool = False) -> Coded:
    """Read a coder's file. A row without any mark is uncoded: an error, unless ``allow_uncoded`` leaves it out."""
    try:
        text = bounded_read(path).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8. Save it as CSV UTF-8.") from None
    heading = text.partition("\n")[0]
    delimiter = max(",;\t", key=heading.count)  # in many countries spreadsheets write semicolons
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter)
    missing = [name for name in ("id", "round", "image", *LABELS, NO_LABEL) if name not in (rows.fieldnames or ())]
    if missing:
        raise DataError(f"{path}: no column {missing[0]!r}. Code the file that askew collect coding --write wrote.")
    about: dict[int, tuple[int, str]] = {}
    labels: dict[int, frozenset[str]] = {}
    uncoded = []
    for number, row in enumerate(rows, 2):
        key = _whole(path, number, row, "id")
        if key in labels:
            raise DataError(f"{path}: row {number}: question {key} appears a second time. Delete one of the rows.")
        about[key] = _whole(path, number, row, "round"), row["image"] or ""
        chosen = {name for name in (*LABELS, NO_LABEL) if _is_marked(path, number, name, row[name])}
        if NO_LABEL in chosen and len(chosen) > 1:
            raise DataError(f"{path}: row {number}: {NO_LABEL} is marked with other labels. Unmark one of them.")
        if chosen:
            labels[key] = frozenset(chosen - {NO_LABEL})
        else:
            uncoded.append(number)
    if uncoded and not allow_uncoded:
        raise DataError(
            f"{path}: {len(uncoded)} rows have no mark, e.g. row {uncoded[0]}. Mark a label with x, or {NO_LABEL!r} "
            "if no label fits; leave such rows out with --allow-uncoded."
        )
    if not labels:
        raise DataError(f"{path}: no row is coded. Mark labels with x.")
    return Coded(str(path), about, labels, len(uncoded))


def check_coded(coders: Sequence[Coded], examples: Iterable[Example]) -> None:
    """Refuse coded questions that are not successful questions of this study, e.g. those of another study."""
    known = {one.id: (one.round, str(one.image)) for one in examples if one.type in "CDE"}
    for coder in coders:
        wrong = [key for key in coder.labels if known.get(key) != coder.about[key]]
        if wrong:
            raise DataError(
                f"{coder.path}: {len(wrong)} of {len(coder.labels)} coded questions are not successful questions of "
                f"this study, e.g. {wrong[0]}. Give the study that the sample was written from."
            )


def table7(coders: Sequence[Coded]) -> Table:
    """The share of coded questions with each label; for two coders the mean of both, and Cohen's kappa."""
    if len(coders) not in (1, 2):
        raise DataError(f"{len(coders)} coders' files; Table 7 takes one or two.")
    together = _same_questions(coders)
    notes = [
        f"{coder.path}: {coder.uncoded} rows were not coded and are left out." for coder in coders if coder.uncoded
    ]
    if len(coders) == 2:
        known = [one.value for label in LABELS if (one := _kappa(coders, together, label)).known]
        mean = f", mean of {len(known)} labels: {sum(known) / len(known):.2f}." if known else None
        undefined = " is undefined: both coders marked each label always or never."
        notes.append(f"Cohen's kappa of the two coders{mean or undefined}")
    people = "1 person" if len(coders) == 1 else "2 people"
    table = described("table7", (percent(name, label) for name, label in LABELS.items()), notes=notes, coders=people)
    round_of = {key: coders[0].about[key][0] for key in together}
    rounds = sorted(set(round_of.values()))
    for name, numbers in [*((f"R{number}", [number]) for number in rounds), ("all", rounds)]:
        if name == "all" and len(rounds) == 1:
            continue
        keys = [key for key in together if round_of[key] in numbers]
        images, every = np.tile(_image_numbers(coders[0], keys), len(coders)), np.ones(len(keys) * len(coders), bool)
        marks = [coder.labels[key] for coder in coders for key in keys]
        shares = (share(np.array([label in one for one in marks]), every, images) for label in LABELS)
        table.add(f"{name} ({len(keys)})", *shares)
    return table


def kappa_table(coders: Sequence[Coded]) -> Table:
    """How well two coders agree on each label, by Cohen's kappa (1960)."""
    together = _same_questions(coders)
    heads = ("first", "First coder"), ("second", "Second coder"), ("both", "Both")
    table = described("kappa", (*(count(*head) for head in heads), decimal("kappa", "Kappa", 2)), "label")
    for name, label in LABELS.items():
        marks = [[name in coder.labels[key] for key in together] for coder in coders]
        both = sum(a and b for a, b in zip(*marks, strict=True))
        table.add(label, sum(marks[0]), sum(marks[1]), both, _kappa(coders, together, name))
    return table


@dataclass(frozen=True)
class Kappa(Metric):
    """Cohen's kappa from how often both, only the first, only the second, and neither said yes.

    >>> round(float(Kappa().combine(np.array([20.0, 5.0, 10.0, 15.0]))), 3)
    0.4
    """

    least: ClassVar[float] = -1.0

    def measure(self, outcome: Outcome, failed: float | None = None) -> Row | None:
        """Not used: rows are built in this module, not from outcomes."""
        raise NotImplementedError

    def combine(self, sums: Any) -> Any:
        """(observed - chance) / (1 - chance); nan if both always say yes, or both always no."""
        both, first, second, neither = sums
        n = both + first + second + neither
        observed = both + neither
        chance = ratio((both + first) * (both + second) + (second + neither) * (first + neither), n)
        return ratio(observed - chance, n - chance)


def _kappa(coders: Sequence[Coded], keys: Sequence[int], label: str) -> Score:
    rows = np.zeros((len(keys), 4))
    for place, key in enumerate(keys):
        first, second = (label in coder.labels[key] for coder in coders)
        rows[place, 2 * (not first) + (not second)] = 1.0
    rows = by_image(_image_numbers(coders[0], keys), rows)
    total = rows.sum(axis=0)
    low, high = interval(Kappa(), rows)
    value = settled(Kappa().combine(total))
    return Score("", value, settled(low), settled(high), len(keys), images=len(rows))


def _image_numbers(coder: Coded, keys: Sequence[int]) -> npt.NDArray[np.int64]:
    """The images of these questions, numbered by their names."""
    return np.unique([coder.about[key][1] for key in keys], return_inverse=True)[1].astype(np.int64)


def _same_questions(coders: Sequence[Coded]) -> list[int]:
    first, last = coders[0], coders[-1]
    if len(coders) == 2 and first.path == last.path:
        raise DataError(f"{first.path}: the same file twice. Give the files of two coders.")
    apart = sorted(first.labels.keys() ^ last.labels.keys())
    if apart:
        raise DataError(
            f"{len(apart)} questions are coded in only one of {first.path} and {last.path}, e.g. {apart[0]}. "
            "Both coders must code the same sample."
        )
    return sorted(first.labels)


def _whole(path: str | Path, number: int, row: dict[str, Any], name: str) -> int:
    text = (row[name] or "").strip()
    if not (text.isascii() and text.isdigit()):
        raise DataError(f"{path}: row {number}: {name} is {text[:40]!r}, not a number. Keep this column as it was.")
    return int(text)


def _is_marked(path: str | Path, number: int, name: str, cell: str | None) -> bool:
    text = (cell or "").strip().lower()
    if text not in _YES | _NO:
        raise DataError(f"{path}: row {number}: {name} is {text[:40]!r}. Mark it with x or 1, or leave it empty.")
    return text in _YES
