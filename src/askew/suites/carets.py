"""CARETS: six capability tests generated from scene graphs (Jimenez et al. 2022), and their release format.

The generator is imported only to build groups; scoring existing groups does not need it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, ClassVar, Literal, TypeAlias, get_args

import orjson

from askew.errors import BadOption
from askew.files.images import Encoding
from askew.files.read_write import replaced
from askew.metrics.consistency import AnswerRate
from askew.metrics.correct import Correct, check_correct
from askew.metrics.run_table import SLICES
from askew.perturb.visual import CHANGES, Visual, channel_mean
from askew.perturb.visual.hide_background import PHOTOS, change_title
from askew.suites.suite_parts import before_after, carets_scores, check_seen, listed, published
from askew.types import Column, Group, Mode, Question, Refusal, Table, Variant
from askew.verbs import BuildsByExecutor, Dataset, Executor, Metric

REPHRASE, ORDER, ONTOLOGICAL = "REPHRASE-INV", "ORDER-INV", "ONTOLOGICAL-INV"
VISUAL, NEGATION, ANTONYM = "VISUAL-INV", "NEGATION-DIR", "ANTONYM-DIR"

TESTS = (REPHRASE, ORDER, ONTOLOGICAL, VISUAL, NEGATION, ANTONYM)
"""The order of the paper's Figure 2."""

Balance: TypeAlias = Literal["text", "paper"]
Noes: TypeAlias = Literal["auto", "sure", "all"]

PARTS = ("note.direction", "note.order", "note.form", "note.choices")
"""The breakdown of Tables 2, 3 and 4; ``labelled`` writes the last three."""

_SCORES = (("ACC", "carets.acc"), ("CONS", "carets.cons"), ("C-ACC", "carets.cacc"))
_SIDES = (("Original ACC", "accuracy.original"), ("Perturbed ACC", "accuracy.variant"))
_RATES = (("yes", "says.yes"), ("no", "says.no"), ("other", "says.other"))
_FULL = {
    REPHRASE: "Table 8",
    ORDER: "Table 9",
    ONTOLOGICAL: "Table 10",
    ANTONYM: "Table 11",
    NEGATION: "Table 12",
}
_PAPERS = ("mask", "crop", "blur-3", "blur-6", "blur-9")
"""Table 7's order; other changes follow."""

SUFFIXES = {
    REPHRASE: "t",
    ORDER: "s",
    ONTOLOGICAL: "h",
    NEGATION: "n",
    ANTONYM: "a",
    VISUAL: "v",
}
"""The suffix of the id of a changed question. The release has none for changed images; ``v1``, ... is an addition."""


@dataclass(frozen=True)
class CaretsSuite(BuildsByExecutor):
    """Six tests from scene graphs: rephrasing, order, ontology, hidden background, negation and antonyms."""

    tests: str | tuple[str, ...] = "all"
    """Which ones, separated by commas: ``carets:rephrase,negation``."""
    size: str | int = 0
    """Pairs of each test; 0 means as many as the scenes allow, ``paper`` the sizes of Table 6."""
    balance: Balance = "text"
    """``text``: every text has each answer equally often, in different images; ``paper``: as in the paper."""
    noes: Noes = "auto"
    """``sure``: absent only if a usual companion is annotated; ``all``: as in the paper; ``auto``: by ``balance``."""
    visual: str = ",".join(CHANGES)
    """How images are changed, separated by commas: ``blur-σ``, ``mask``, ``crop``."""
    encoding: Encoding = "jpeg"
    """How changed images are written; ``png`` is lossless and four times as large."""

    accuracy: Mode = "exact"
    """How answers are compared; ``robust`` for models that say "Yes."."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str] = "carets"
    title: ClassVar[str] = "Consistency and robustness from scene graphs (CARETS)"
    paper: ClassVar[str] = (
        "Jimenez, Russakovsky, Narasimhan: CARETS: A Consistency And Robustness Evaluative Test Suite for VQA. ACL 2022"
    )
    slices: ClassVar[Sequence[str]] = (*SLICES, *PARTS)
    """The parts for which scores are computed besides the whole."""
    headline: ClassVar[tuple[str, str]] = (
        "carets.cacc",
        "it answers only {value} of the pairs correctly on both sides",
    )

    def __post_init__(self) -> None:
        object.__setattr__(self, "tests", _named(self.tests))
        object.__setattr__(self, "size", _size(self.size))
        for name, value, known in (("balance", self.balance, Balance), ("noes", self.noes, Noes)):
            if value not in get_args(known):
                raise BadOption(f"carets: {name} is {value!r}. Give one of {', '.join(get_args(known))}.")
        check_correct(self.correct, self.accuracy)
        Visual(self._changes, PHOTOS, self.encoding)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """ACC, CONS and C-ACC, accuracy on both sides, and how often the answer is yes, no or other."""
        return {
            **before_after(self.accuracy),
            **carets_scores(self.correct, self.accuracy),
            "says.yes": AnswerRate("yes"),
            "says.no": AnswerRate("no"),
            "says.other": AnswerRate("other"),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Tables 1 to 4 and 7 to 12 of the paper, and the numbers of its Figure 2."""
        return tuple(paper_tables(tuple(self.tests), self._changes))

    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """Three passes over the scenes: for what is plausible, the pool and the questions (a fourth for masks)."""
        from askew.perturb.carets import PairSettings, generate

        if VISUAL in self.tests:
            check_seen(executor, data, self.name)
        changed = Visual(self._changes, self._fill(data), self.encoding).image_variants
        settings = PairSettings(self.balance, self.noes, self.size)
        generated = generate(
            data,
            seed,
            tuple(self.tests),
            settings,
            change_image=changed if VISUAL in self.tests else None,
            executor=executor,
        )
        for item in generated:
            yield labelled(item) if isinstance(item, Group) else item

    def release(self, groups: Iterable[Group], folder: Path) -> list[str]:
        """Write the pairs also in the released JSON format, one file for each test; ``askew build`` calls it."""
        return write_release(groups, folder)

    def training(self, data: Dataset, seed: int) -> Iterator[Question]:
        """Training questions, generated from training scenes in the same way (§6, R7)."""
        from askew.perturb.carets import training

        if not isinstance(self.size, int):
            raise BadOption(f"carets: size is {self.size!r}. Give a number for questions to train on.")
        return training(data, seed, self.size or None)

    @property
    def _changes(self) -> tuple[str, ...]:
        return listed(self.visual)

    def _fill(self, data: Dataset) -> tuple[int, int, int]:
        if VISUAL not in self.tests or "mask" not in self._changes:
            return PHOTOS
        return channel_mean(question.image for question in data.questions() if question.image)


def _named(tests: str | tuple[str, ...]) -> tuple[str, ...]:
    """The named tests, in the paper's order.

    >>> _named("negation, order-inv"), len(_named("all"))
    (('ORDER-INV', 'NEGATION-DIR'), 6)
    """
    given = tests.split(",") if isinstance(tests, str) else tests
    wanted = [part.strip().upper() for part in given if part.strip()]
    if wanted == ["ALL"]:
        return TESTS
    short = {test.partition("-")[0]: test for test in TESTS}
    named = [short.get(part, part) for part in wanted]
    wrong = [part for part in named if part not in TESTS]
    if wrong or not named:
        raise BadOption(
            f"carets: no test is called {(wrong or [''])[0].lower()!r}. "
            f"Give all, or some of {', '.join(short).lower()}."
        )
    return tuple(test for test in TESTS if test in named)


def _size(size: str | int) -> str | int:
    """A size as it is recorded: a number or ``paper``.

    >>> _size("50"), _size("paper")
    (50, 'paper')
    """
    text = str(size).strip().lower()
    if text != "paper" and not text.isdecimal():
        raise BadOption(f"carets: size is {size!r}; give 0 (as many as the scenes allow) or more, or paper (Table 6).")
    return text if text == "paper" else int(text)


def write_release(groups: Iterable[Group], folder: str | Path) -> list[str]:
    """Write ``rephrase_inv.json``, ``order_inv.json``, ... into a folder; returns their paths.

    A file lists ``{"img_id", "label": {answer: 1.0}, "question_id", "sent", "question_type", "assignment"}``, an
    original before its variants. An id is ``IMAGE-CANDIDATE-TEMPLATE``; a changed question has the id of its
    original and a suffix (``-t`` rephrased, ``-s`` swapped, ``-h`` ontology, ``-n`` negated, ``-a`` antonym), and
    ``new_template_number``. Changed images (``-v1``, ...) have an ``img_id`` of their own, and ``image_change``.
    """
    paths: list[str] = []
    candidates: Counter[tuple[str, object]] = Counter()
    with ExitStack() as stack:
        files: dict[str, IO[bytes]] = {}
        for group in groups:
            test = group.variants[0].test
            if test not in files:
                path = Path(folder) / f"{test.lower().replace('-', '_')}.json"
                paths.append(str(path))
                files[test] = stack.enter_context(replaced(path))
            image = _image(group.original)
            candidates[test, image] += 1
            for record in _records(group, f"{image}-{candidates[test, image]}"):
                files[test].write((b",\n" if files[test].tell() else b"[\n") + orjson.dumps(record))
        for file in files.values():
            file.write(b"\n]\n")
    return paths


def _records(group: Group, candidate: str) -> Iterator[dict[str, Any]]:
    """The original, then its variants."""
    first = group.variants[0].note.get("template", [0])[0]
    key = f"{candidate}-{first}"
    yield _record(group.original, key, group.variants[0])
    for place, variant in enumerate(group.variants, 1):
        letter = SUFFIXES[variant.test]
        suffix = f"{letter}{place}" if variant.test == VISUAL else letter
        record = _record(variant.question, f"{key}-{suffix}", variant)
        if variant.test == VISUAL:
            record["image_change"] = variant.made_by.partition("/")[2]
        yield record | {"new_template_number": variant.note.get("template", [first, first])[-1]}


def _record(question: Question, key: str, variant: Variant) -> dict[str, Any]:
    return {
        "img_id": _image(question),
        "label": dict.fromkeys(question.answers, 1.0),
        "question_id": key,
        "sent": question.text,
        "question_type": question.kind.question_type,
        "assignment": variant.note.get("arguments", {}),
    }


def _image(question: Question) -> object:
    return question.image.id if question.image else question.id


def labelled(group: Group) -> Group:
    """The group with notes that assign its variants to the columns of Tables 3 and 4."""
    return replace(group, variants=tuple(replace(v, note={**v.note, **_labels(v)}) for v in group.variants))


def paper_tables(tests: Sequence[str], changes: Sequence[str]) -> Iterator[Table]:
    """The tables that these tests and changes of images can fill, in the paper's order."""
    figures = published("carets")
    whole = list(tests) == list(TESTS)
    each = [(test, f"test={test}") for test in tests]
    yield Table(
        "carets-1",
        "Self-consistency (Table 1)",
        tuple(Column(test, "carets.cons", part) for test, part in each),
        published=figures["cons"] if whole else {},
    )
    yield Table(
        "carets-f2",
        "ACC and C-ACC (Figure 2)",
        tuple(Column(f"{test} {label}", metric, part) for test, part in each for label, metric in _SCORES[::2]),
        published=figures["main"] if whole else {},
    )
    if ONTOLOGICAL in tests:
        sides = (Column(label, metric, f"test={ONTOLOGICAL}") for label, metric in _SIDES)
        ways = (Column(f"CONS to {way}", "carets.cons", f"note.direction={way}") for way in ("hypernym", "hyponym"))
        yield Table("carets-2", "Ontological invariance (Table 2)", (*sides, *ways), published=figures["ontology"])
    if ORDER in tests:
        yield Table("carets-3", "Con- and disjunctions in ORDER-INV (Table 3)", _logic(), published=figures["logic"])
    if {REPHRASE, ORDER} <= set(tests):
        title = "Binary and multi-choice questions in REPHRASE-INV and ORDER-INV (Table 4)"
        yield Table("carets-4", title, _choices(), published=figures["choices"])
    if VISUAL in tests:
        shown = [*(change for change in _PAPERS if change in changes), *(c for c in changes if c not in _PAPERS)]
        rows = figures["visual"] if len(shown) == len(_PAPERS) == len(changes) else {}
        before = Column("Original", "accuracy.original", f"test={VISUAL}")
        after = (Column(change_title(c).capitalize(), "accuracy.variant", f"made_by=visual/{c}") for c in shown)
        yield Table("carets-7", "Accuracy on changed images (Table 7)", (before, *after), published=rows)
    for number, (test, part) in enumerate(each):
        columns = (_SCORES[0], *_SIDES, *_SCORES[1:])
        name = f"{test} in full" + (f" ({_FULL[test]})" if test in _FULL else "")
        filled = tuple(Column(label, metric, part) for label, metric in columns)
        yield Table(f"carets-full-{number}", name, filled, published=figures.get(test, {}))


def _labels(variant: Variant) -> dict[str, str]:
    note, labels = variant.note, {}
    if variant.test == ORDER and "logic" in note:
        labels["order"] = str(note["logic"])
    if variant.test in (REPHRASE, ORDER) and "format" in note:
        labels["form"] = "binary" if note["format"] == "binary" else "multi-choice"
        if note["format"] != "binary":
            labels["choices"] = str(note["format"])
    return labels


def _logic() -> tuple[Column, ...]:
    return tuple(
        Column(f"{logic.capitalize()} {label}", metric, f"note.order={logic}")
        for logic in ("conjunction", "disjunction")
        for label, metric in (_SCORES[2], *_RATES)
    )


def _choices() -> tuple[Column, ...]:
    parts = ("note.form=binary", "note.form=multi-choice", "note.choices=2-choice", "note.choices=3-choice")
    return tuple(
        Column(f"{part.partition('=')[2].capitalize()} {label}", metric, part)
        for part in parts
        for label, metric in _SCORES
    )
