from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from outcomes_by_hand import outcome, table_of, variant

from askew.errors import BadOption, DataError
from askew.metrics import pairs
from askew.metrics.accuracy import Accuracy
from askew.metrics.pairs import AnswerFlips, Judgement
from askew.metrics.rad_metrics import Rad
from askew.metrics.run_table import EVERYTHING, RunTable, image_number, keep, load_tables, save_tables
from askew.metrics.scorer import score, scores
from askew.types import Kind
from askew.verbs import Metric

METRICS = {"original": Accuracy("original"), "variant": Accuracy("variant")}
NUMBER = Kind("number", "how many")


def rows_of(*outcomes, slices=("test", "made_by", "answer_type", "question_type")):
    return table_of(outcomes, METRICS, slices)


def select(table, part, name):
    """The rows of a metric in a part."""
    codes = table.rows[name].codes[table.records_of(part)]
    return table.rows[name].rows[codes[codes >= 0]].tolist()


def test_an_object_that_is_not_a_metric_is_refused_before_anything_is_measured():
    class Half:
        def measure(self, outcome, failed=None):
            return 1.0, 2.0

        def combine(self, sums):
            return 0.5

    with pytest.raises(BadOption, match=r"half: Half is not a metric. Make it a subclass of askew.verbs.Metric"):
        RunTable({"half": Half()})
    assert RunTable({"half": type("Half", (Half, Metric), {})()}).metrics["half"].better == 1


def test_parts_of_the_original_and_of_its_variants():
    rows = rows_of(
        outcome("red", "red", variant("red", "red", test="C", made_by="c/1"), id=1, kind=NUMBER),
        outcome("red", "red", variant("x", "red", test="H", made_by="h/1"), id=2),
    )
    assert rows.parts() == [
        ("", ""),
        ("test", "C"),
        ("test", "H"),
        ("made_by", "c/1"),
        ("made_by", "h/1"),
        ("answer_type", "number"),
        ("answer_type", "other"),
        ("question_type", "how many"),
        ("question_type", "what"),
    ]
    assert select(rows, ("test", "H"), "variant") == [[0.0, 1.0]]
    assert select(rows, ("answer_type", "number"), "variant") == [[1.0, 1.0]]
    assert select(rows, ("", ""), "variant") == [[1.0, 1.0], [0.0, 1.0]]


def test_a_group_with_variants_of_several_parts_is_measured_apart_in_each():
    mixed = outcome(
        "red",
        "red",
        variant("red", "red", test="C", made_by="c/1"),
        variant("x", "red", test="C", made_by="c/2"),
        variant("x", "red", test="H", made_by="h/1"),
    )
    rows = rows_of(mixed)
    found = {part: select(rows, part, "variant") for part in rows.parts()}
    assert found["", ""] == [[1.0, 3.0]]
    assert found["test", "C"] == [[1.0, 2.0]]
    assert found["test", "H"] == [[0.0, 1.0]]
    assert found["made_by", "c/1"] == [[1.0, 1.0]]
    assert found["made_by", "c/2"] == [[0.0, 1.0]]
    assert found["made_by", "h/1"] == [[0.0, 1.0]]
    assert found["answer_type", "other"] == [[1.0, 3.0]]
    assert [len(select(rows, part, "original")) for part in rows.parts()] == [1] * len(found)


def test_a_part_scores_like_a_run_of_that_part_alone():
    mixed = outcome("red", "red", variant("red", "red", test="C"), variant("x", "red", test="H"))
    for test in "CH":
        assert keep(mixed, [test == "H"]) == mixed.only({"test": test})
        row = METRICS["variant"].measure(mixed.only({"test": test}))
        assert select(rows_of(mixed), ("test", test), "variant") == [list(row)]


def test_slices_by_notes():
    rows = rows_of(
        outcome("red", "red", variant("red", "red", choices=2), id=1),
        outcome("red", "red", variant("x", "red", choices=3), variant("x", "red"), id=2),
        slices=("note.choices",),
    )
    assert rows.parts() == [("", ""), ("note.choices", "2"), ("note.choices", "3")]
    assert select(rows, ("note.choices", "3"), "variant") == [[0.0, 1.0]]


def test_missing_answers_are_counted_and_bounded():
    rows = rows_of(
        outcome("red", "red", variant("red", "red"), id=1),
        outcome("red", "red", variant(None, "red"), id=2),  # left out
        outcome("red", "red", variant(None, "red"), variant("red", "red"), id=3),  # counts with one of two
        outcome("red", "red", variant(None, ()), id=4),  # nothing to say: nobody knows
    )
    assert select(rows, EVERYTHING, "variant") == [[1.0, 1.0], [1.0, 1.0]]
    fillable, failed = rows.fillable("variant", rows.records_of(EVERYTHING))
    assert failed == 1
    low, high = fillable.columns()
    assert low.tolist() == [2.0, 4.0]
    assert high.tolist() == [4.0, 4.0]


def test_no_outcomes():
    rows = rows_of()
    assert rows.parts() == [EVERYTHING]
    assert len(rows.records_of(EVERYTHING)) == 0


def group_of(*args, **kwargs):
    return outcome(*args, **kwargs).group


def test_images_of_different_kinds_of_ids_stay_apart():
    assert image_number(group_of("a", "a", image=1)) != image_number(group_of("a", "a", image="1"))
    assert image_number(group_of("a", "a", image=2**63)) != image_number(group_of("a", "a", image=str(2**63)))
    assert image_number(group_of("a", "a", image=1, id=1)) == image_number(group_of("a", "a", image=1, id=2))
    assert image_number(group_of("a", "a", image=None, id=1)) != image_number(group_of("a", "a", image=None, id=2))
    assert image_number(group_of("a", "a", image=None, id=1)) != image_number(group_of("a", "a", image=1, id=1))


def test_outcomes_can_be_added_after_reading_scores():
    rows = rows_of(outcome("red", "red", variant("red", "red"), id=1))
    assert len(select(rows, EVERYTHING, "variant")) == 1
    rows.add(outcome("red", "red", variant("red", "red"), id=2))
    assert len(select(rows, EVERYTHING, "variant")) == 2


def test_a_saved_table_gives_the_same_scores(tmp_path):
    outcomes = [
        outcome(
            None if n % 7 == 3 else "red" if n % 3 else "x", "red", variant("red", "red", test="CH"[n % 2]),
            variant(None if n % 5 == 1 else "red", "red"), id=n, image=n * 7 % 15,
        )
        for n in range(50)
    ]  # fmt: skip
    metrics = {**METRICS, "rad": Rad()}
    table = table_of(outcomes, metrics)
    save_tables(tmp_path / "rows.npz", {"s": table})
    loaded = load_tables(tmp_path / "rows.npz")["s"]
    found = [replace(one, signature="") for one in scores(loaded, "s")]
    assert repr(found) == repr([replace(one, signature="") for one in score(outcomes, metrics, "s")])
    save_tables(tmp_path / "again.npz", {"s": loaded})
    with np.load(tmp_path / "rows.npz") as one, np.load(tmp_path / "again.npz") as two:
        assert list(one) == list(two)
        assert all(np.array_equal(one[name], two[name]) for name in one)


def test_rows_in_both_modes_of_accuracy():
    """The answer "Red." is wrong officially, as all ten said "red", and right after normalisation."""
    robust = {name: replace(metric, mode="robust") for name, metric in METRICS.items()}
    table = RunTable(METRICS, robust=robust)
    table.add(outcome("Red.", "red", variant("red", "red")))
    assert table.rows["original"].rows.tolist() == [[0.0, 1.0]]
    assert table.robust_rows["original"].rows.tolist() == [[1.0, 1.0]]
    same = RunTable(METRICS, robust=METRICS)
    assert same.robust_rows["original"] is same.rows["original"], "measured once"


def test_pairs_and_their_traits(tmp_path):
    table = RunTable(METRICS)
    good, bad = Judgement(1.0, True), Judgement(0.0, False)
    table.add(outcome("red", "red", variant("red", "red", test="C"), variant(None, "red"), id="a"), [good, good, bad])
    table.add(outcome("red", "red", id="b"), [good], offset=90)
    save_tables(tmp_path / "rows.npz", {"s": table})
    loaded = load_tables(tmp_path / "rows.npz")["s"]
    for one in (table, loaded):
        assert one.column("pair").tolist() == [4, 3]
        assert one.column("variants").tolist() == [2, 0]
        assert one.column("offset").tolist() == [-1, 90]
        names = list(one.traits.number_of)
        first = [names[n] for n in one.column("trait_ids")[: one.column("trait_counts")[0]]]
        assert first == [
            ("suite", "s"),
            ("test", "C"),
            ("made_by", "rule"),
            ("question_type", "what"),
            ("answer_type", "other"),
            ("answer", "red"),
            ("changed", "which"),
            ("word", "what"),
        ]
        assert one.flips.counts == {("red", "red"): [1, 0]}
        assert one.answered == one.unscored == 3


def test_only_rare_flips_are_dropped(monkeypatch):
    monkeypatch.setattr(pairs, "MOST_FLIPS", 10)
    flips = AnswerFlips()
    for number in range(50):
        flips.add("yes", "no", True)
        flips.add(f"rare {number}", "no", False)
    assert flips.counts["yes", "no"] == [50, 50]
    assert sum(n for n, _ in flips.counts.values()) + flips.dropped == 100
    assert len(flips.counts) <= 11


@pytest.mark.parametrize("content", [b"", b"no zip", b"PK\x03\x04" + b"x" * 40])
def test_a_damaged_file_is_refused(tmp_path, content):
    (tmp_path / "rows.npz").write_bytes(content)
    with pytest.raises(DataError, match=r"rows\.npz: missing or damaged\. Run .askew run. with this --output again"):
        load_tables(tmp_path / "rows.npz")


def test_a_group_takes_a_few_bytes():
    """Twenty metrics of 20,000 groups: a number of four bytes for each row, and what identifies the group."""
    table = RunTable({str(number): Accuracy("original") for number in range(20)}, ())
    first = outcome("red", "red", variant("red", "red"))
    for number in range(20_000):
        table.add(replace(first, group=replace(first.group, id=number)))
    held = sum(array.nbytes for array in table.arrays().values())
    assert held < 20_000 * 80
