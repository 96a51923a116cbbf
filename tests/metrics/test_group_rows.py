from __future__ import annotations

import tracemalloc
from dataclasses import replace

import pytest
from outcomes_by_hand import outcome, variant

from askew.errors import BadOption
from askew.metrics import group_rows, scorer
from askew.metrics.accuracy import Accuracy
from askew.metrics.group_rows import GroupRows, Numbering, image_number, keep
from askew.metrics.paired_difference import compare
from askew.metrics.scorer import Scorer, score
from askew.types import Kind, Prediction
from askew.verbs import Metric

METRICS = {"original": Accuracy("original"), "variant": Accuracy("variant")}
NUMBER = Kind("number", "how many")


def rows_of(*outcomes, slices=("test", "made_by", "answer_type", "question_type")):
    rows = GroupRows(METRICS, slices)
    for one in outcomes:
        rows.add(one)
    return rows


def select(rows, part):
    """The rows of a part, all in memory."""
    (found,) = rows.select(part)
    return found


def test_an_object_that_is_not_a_metric_is_refused_before_anything_is_measured():
    class Half:
        def measure(self, outcome, failed=None):
            return 1.0, 2.0

        def combine(self, sums):
            return 0.5

    with pytest.raises(BadOption, match=r"half: Half is not a metric. Make it a subclass of askew.verbs.Metric"):
        GroupRows({"half": Half()})
    assert GroupRows({"half": type("Half", (Half, Metric), {})()}).metrics["half"].better == 1


def test_parts_of_the_original_and_of_its_variants():
    rows = rows_of(
        outcome("red", "red", variant("red", "red", test="C", made_by="c/1"), id=1, kind=NUMBER),
        outcome("red", "red", variant("x", "red", test="H", made_by="h/1"), id=2),
    )
    assert list(rows.parts()) == [
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
    assert select(rows, ("test", "H"))["variant"].rows.tolist() == [[0.0, 1.0]]
    assert select(rows, ("answer_type", "number"))["variant"].rows.tolist() == [[1.0, 1.0]]
    assert select(rows, ("", ""))["variant"].rows.tolist() == [[1.0, 1.0], [0.0, 1.0]]


def test_a_group_with_variants_of_several_parts_is_measured_apart_in_each():
    mixed = outcome(
        "red",
        "red",
        variant("red", "red", test="C", made_by="c/1"),
        variant("x", "red", test="C", made_by="c/2"),
        variant("x", "red", test="H", made_by="h/1"),
    )
    rows = rows_of(mixed)
    found = {part: select(rows, part)["variant"].rows.tolist() for part in rows.parts()}
    assert found["", ""] == [[1.0, 3.0]]
    assert found["test", "C"] == [[1.0, 2.0]]
    assert found["test", "H"] == [[0.0, 1.0]]
    assert found["made_by", "c/1"] == [[1.0, 1.0]]
    assert found["made_by", "c/2"] == [[0.0, 1.0]]
    assert found["made_by", "h/1"] == [[0.0, 1.0]]
    assert found["answer_type", "other"] == [[1.0, 3.0]]
    assert [len(select(rows, part)["original"].rows) for part in rows.parts()] == [1] * len(found)


def test_a_part_scores_like_a_run_of_that_part_alone():
    mixed = outcome("red", "red", variant("red", "red", test="C"), variant("x", "red", test="H"))
    for test in "CH":
        assert keep(mixed, [test == "H"]) == mixed.only({"test": test})
        row = METRICS["variant"].measure(mixed.only({"test": test}))
        assert select(rows_of(mixed), ("test", test))["variant"].rows.tolist() == [list(row)]


def test_slices_by_notes():
    rows = rows_of(
        outcome("red", "red", variant("red", "red", choices=2), id=1),
        outcome("red", "red", variant("x", "red", choices=3), variant("x", "red"), id=2),
        slices=("note.choices",),
    )
    assert list(rows.parts()) == [("", ""), ("note.choices", "2"), ("note.choices", "3")]
    assert select(rows, ("note.choices", "3"))["variant"].rows.tolist() == [[0.0, 1.0]]


def test_missing_answers_are_counted_and_bounded():
    rows = rows_of(
        outcome("red", "red", variant("red", "red"), id=1),
        outcome("red", "red", variant(None, "red"), id=2),  # left out
        outcome("red", "red", variant(None, "red"), variant("red", "red"), id=3),  # counts with one of two
        outcome("red", "red", variant(None, ()), id=4),  # nothing to say: nobody knows
    )
    found = select(rows, ("", ""))["variant"]
    assert found.rows.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert found.failed == 1
    low, high = found.fillable.columns()
    assert low.tolist() == [2.0, 4.0]
    assert high.tolist() == [4.0, 4.0]


def test_no_outcomes():
    rows = rows_of()
    assert list(rows.select(("", ""))) == []
    assert len(rows.images()) == 0


def test_images_of_different_kinds_of_ids_stay_apart():
    assert image_number(outcome("a", "a", image=1)) != image_number(outcome("a", "a", image="1"))
    assert image_number(outcome("a", "a", image=2**63)) != image_number(outcome("a", "a", image=str(2**63)))
    assert image_number(outcome("a", "a", image=1, id=1)) == image_number(outcome("a", "a", image=1, id=2))
    assert image_number(outcome("a", "a", image=None, id=1)) != image_number(outcome("a", "a", image=None, id=2))
    assert image_number(outcome("a", "a", image=None, id=1)) != image_number(outcome("a", "a", image=1, id=1))


def test_rows_in_the_file_are_scored_like_rows_in_memory(monkeypatch):
    outcomes = [
        outcome(None if n % 7 == 3 else "red" if n % 3 else "x", "red", variant("red", "red"), id=n, image=n * 7 % 15)
        for n in range(50)
    ]
    runs = {"a": outcomes, "b": [replace(one, original=Prediction(1, "x")) for one in outcomes[::-1]]}
    expected, differences = score(outcomes, METRICS), compare(runs, METRICS)
    assert expected[0].images == 15
    assert expected[0].failed
    monkeypatch.setattr(scorer, "_TOGETHER", 1)
    assert score(outcomes, METRICS) == expected, "one metric at a time"
    monkeypatch.setattr(group_rows, "_TOGETHER", 4)
    assert len(list(rows_of(*outcomes).select(("", "")))) == 13
    assert score(outcomes, METRICS) == expected
    assert repr(compare(runs, METRICS)) == repr(differences)


def test_small_parts_are_read_together_and_large_ones_alone(monkeypatch):
    """Parts of 3, 3, 3 and 41 rows, in blocks of 8."""
    monkeypatch.setattr(group_rows, "_TOGETHER", 8)
    made_by = [f"rule {n // 3}" if n < 9 else "usual" for n in range(50)]
    rows = rows_of(
        *(outcome("red", "red", variant("red", "red", made_by=name), id=n) for n, name in enumerate(made_by)),
        slices=("made_by",),
    )
    passes = []
    blocks = rows._blocks
    monkeypatch.setattr(rows, "_blocks", lambda: passes.append(1) or blocks())
    found = dict(rows.select_each(rows.parts()))
    assert list(found) == list(rows.parts())
    assert len(passes) == 2, "two small parts have at most 8 rows together"
    large = {("", ""), ("made_by", "usual")}
    assert {part for part, held in found.items() if held is None} == large
    for part in found.keys() - large:
        assert [len(block["variant"].rows) for block in found[part]] == [
            len(block["variant"].rows) for block in rows.select(part)
        ]
        assert sum(len(block["variant"].rows) for block in found[part]) == 3


def test_memory_is_that_of_one_metric_at_a_time(monkeypatch):
    """With an image for each of 20,000 questions and ten metrics; rows are in the file."""
    monkeypatch.setattr(group_rows, "_TOGETHER", 1 << 10)
    monkeypatch.setattr(scorer, "_TOGETHER", 1 << 14)
    first = outcome("red", "red", variant("red", "red"))
    counted = Scorer({str(number): Accuracy("original") for number in range(10)}, parts=())
    tracemalloc.start()
    try:
        for n in range(20_000):
            image = replace(first.group.original.image, id=n)
            counted.add(replace(first, group=replace(first.group, original=replace(first.group.original, image=image))))
        held, _ = tracemalloc.get_traced_memory()
        tracemalloc.reset_peak()
        scores = counted.scores()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert [one.images for one in scores] == [20_000] * 10
    assert held < 500_000
    assert peak - held < 20_000 * 150


def test_index_numbers_start_at_zero():
    index = Numbering()
    assert [index[name] for name in "bab"] == [0, 1, 0]
    assert index.get("c") is None


def test_outcomes_can_be_added_after_reading_scores():
    rows = rows_of(outcome("red", "red", variant("red", "red"), id=1))
    first = select(rows, ("", ""))
    rows.add(outcome("red", "red", variant("red", "red"), id=2))
    assert len(first["variant"].rows) == 1
    assert len(select(rows, ("", ""))["variant"].rows) == 2


@pytest.mark.parametrize("name", ["original", "variant"])
def test_rows_know_their_group_and_image(name):
    rows = rows_of(*(outcome("red", "red", variant("red", "red"), id=n, image=n // 2) for n in range(4)))
    found = select(rows, ("", ""))[name]
    assert found.groups.tolist() == [0, 1, 2, 3]
    assert found.images.tolist() == [0, 0, 1, 1]
    assert rows.images().tolist() == [0, 1]
