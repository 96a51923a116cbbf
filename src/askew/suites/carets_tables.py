"""The tables of CARETS, with the paper's figures beside ours (Jimenez et al. 2022)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from askew.perturb.visual.hide_background import change_title
from askew.suites.shared import published
from askew.types import Column, Group, Table, Variant

REPHRASE, ORDER, ONTOLOGICAL = "REPHRASE-INV", "ORDER-INV", "ONTOLOGICAL-INV"
VISUAL, NEGATION, ANTONYM = "VISUAL-INV", "NEGATION-DIR", "ANTONYM-DIR"

TESTS = (REPHRASE, ORDER, ONTOLOGICAL, VISUAL, NEGATION, ANTONYM)
"""The order of the paper's Figure 2."""

PARTS = ("note.direction", "note.order", "note.form", "note.choices")
"""What Tables 2, 3 and 4 are broken down by; ``labelled`` writes the last three."""

_SCORES = (("ACC", "carets.acc"), ("CONS", "carets.cons"), ("C-ACC", "carets.cacc"))
_SIDES = (("Original ACC", "accuracy.original"), ("Perturbed ACC", "accuracy.variant"))
_RATES = (("yes", "says.yes"), ("no", "says.no"), ("other", "says.other"))


def labelled(group: Group) -> Group:
    """The group with notes that say in which column of Tables 3 and 4 its variants count."""
    return replace(group, variants=tuple(replace(v, note={**v.note, **_labels(v)}) for v in group.variants))


def tables(tests: Sequence[str], changes: Sequence[str]) -> Iterator[Table]:
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
        yield Table("carets-2", "Ontological invariance (Table 2)", _ontology(), published=figures["ontology"])
    if ORDER in tests:
        yield Table("carets-3", "Con- and disjunctions in ORDER-INV (Table 3)", _logic(), published=figures["logic"])
    if {REPHRASE, ORDER} <= set(tests):
        title = "Binary and multi-choice questions in REPHRASE-INV and ORDER-INV (Table 4)"
        yield Table("carets-4", title, _choices(), published=figures["choices"])
    if VISUAL in tests:
        shown = _shown(changes)
        rows = figures["visual"] if len(shown) == len(_PAPERS) == len(changes) else {}
        yield Table("carets-7", "Accuracy on changed images (Table 7)", _changed_images(shown), published=rows)
    for number, (test, part) in enumerate(each):
        columns = (_SCORES[0], *_SIDES, *_SCORES[1:])
        name = f"{test} in full" + (f" ({_FULL[test]})" if test in _FULL else "")
        filled = tuple(Column(label, metric, part) for label, metric in columns)
        yield Table(f"carets-full-{number}", name, filled, published=figures.get(test, {}))


_FULL = {
    REPHRASE: "Table 8",
    ORDER: "Table 9",
    ONTOLOGICAL: "Table 10",
    ANTONYM: "Table 11",
    NEGATION: "Table 12",
}

_PAPERS = ("mask", "crop", "blur-3", "blur-6", "blur-9")
"""Table 7's order."""


def _labels(variant: Variant) -> dict[str, str]:
    note, labels = variant.note, {}
    if variant.test == ORDER and "logic" in note:
        labels["order"] = str(note["logic"])
    if variant.test in (REPHRASE, ORDER) and "format" in note:
        labels["form"] = "binary" if note["format"] == "binary" else "multi-choice"
        if note["format"] != "binary":
            labels["choices"] = str(note["format"])
    return labels


def _ontology() -> tuple[Column, ...]:
    sides = (Column(label, metric, f"test={ONTOLOGICAL}") for label, metric in _SIDES)
    ways = (Column(f"CONS to {way}", "carets.cons", f"note.direction={way}") for way in ("hypernym", "hyponym"))
    return (*sides, *ways)


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


def _shown(changes: Sequence[str]) -> list[str]:
    """The paper's changes in its order, then others."""
    return [*(change for change in _PAPERS if change in changes), *(c for c in changes if c not in _PAPERS)]


def _changed_images(changes: Sequence[str]) -> tuple[Column, ...]:
    before = Column("Original", "accuracy.original", f"test={VISUAL}")
    after = (
        Column(change_title(change).capitalize(), "accuracy.variant", f"made_by=visual/{change}") for change in changes
    )
    return (before, *after)
