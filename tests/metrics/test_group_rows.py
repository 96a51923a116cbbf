from __future__ import annotations

import pytest
from outcomes_by_hand import outcome, variant

from askew.errors import BadOption
from askew.metrics.accuracy import Accuracy
from askew.metrics.group_rows import GroupRows, Numbering, cluster_key, keep
from askew.types import Kind
from askew.verbs import Metric

METRICS = {"original": Accuracy("original"), "variant": Accuracy("variant")}
NUMBER = Kind("number", "how many")


def rows_of(*outcomes, slices=("test", "made_by", "answer_type", "question_type")):
    rows = GroupRows(METRICS, slices)
    for one in outcomes:
        rows.add(one)
    return rows


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
    assert rows.select(("test", "H"))["variant"].rows.tolist() == [[0.0, 1.0]]
    assert rows.select(("answer_type", "number"))["variant"].rows.tolist() == [[1.0, 1.0]]
    assert rows.select(("", ""))["variant"].rows.tolist() == [[1.0, 1.0], [0.0, 1.0]]


def test_a_group_with_variants_of_several_parts_is_measured_apart_in_each():
    mixed = outcome(
        "red",
        "red",
        variant("red", "red", test="C", made_by="c/1"),
        variant("x", "red", test="C", made_by="c/2"),
        variant("x", "red", test="H", made_by="h/1"),
    )
    rows = rows_of(mixed)
    found = {part: rows.select(part)["variant"].rows.tolist() for part in rows.parts()}
    assert found["", ""] == [[1.0, 3.0]]
    assert found["test", "C"] == [[1.0, 2.0]]
    assert found["test", "H"] == [[0.0, 1.0]]
    assert found["made_by", "c/1"] == [[1.0, 1.0]]
    assert found["made_by", "c/2"] == [[0.0, 1.0]]
    assert found["made_by", "h/1"] == [[0.0, 1.0]]
    assert found["answer_type", "other"] == [[1.0, 3.0]]
    assert [len(rows.select(part)["original"].rows) for part in rows.parts()] == [1] * len(found)


def test_a_part_scores_like_a_run_of_that_part_alone():
    mixed = outcome("red", "red", variant("red", "red", test="C"), variant("x", "red", test="H"))
    for test in "CH":
        assert keep(mixed, [test == "H"]) == mixed.only({"test": test})
        row = METRICS["variant"].measure(mixed.only({"test": test}))
        assert rows_of(mixed).select(("test", test))["variant"].rows.tolist() == [list(row)]


def test_slices_by_notes():
    rows = rows_of(
        outcome("red", "red", variant("red", "red", choices=2), id=1),
        outcome("red", "red", variant("x", "red", choices=3), variant("x", "red"), id=2),
        slices=("note.choices",),
    )
    assert list(rows.parts()) == [("", ""), ("note.choices", "2"), ("note.choices", "3")]
    assert rows.select(("note.choices", "3"))["variant"].rows.tolist() == [[0.0, 1.0]]


def test_missing_answers_are_counted_and_bounded():
    rows = rows_of(
        outcome("red", "red", variant("red", "red"), id=1),
        outcome("red", "red", variant(None, "red"), id=2),  # left out
        outcome("red", "red", variant(None, "red"), variant("red", "red"), id=3),  # counts with one of two
        outcome("red", "red", variant(None, ()), id=4),  # nothing to say: nobody knows
    )
    found = rows.select(("", ""))["variant"]
    assert found.rows.tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert found.failed == 1
    low, high = found.fillable.columns()
    assert low.tolist() == [2.0, 4.0]
    assert high.tolist() == [4.0, 4.0]


def test_no_outcomes():
    found = rows_of().select(("", ""))["variant"]
    assert len(found.rows) == found.failed == 0


def test_clusters_are_images_and_ids_of_different_kinds_stay_apart():
    assert cluster_key(outcome("a", "a", image=1)) != cluster_key(outcome("a", "a", image="1"))
    assert cluster_key(outcome("a", "a", image=1, id=1)) == cluster_key(outcome("a", "a", image=1, id=2))
    assert cluster_key(outcome("a", "a", image=None, id=1)) != cluster_key(outcome("a", "a", image=None, id=2))


def test_index_numbers_start_at_zero():
    index = Numbering()
    assert [index[name] for name in "bab"] == [0, 1, 0]
    assert index.get("c") is None


def test_outcomes_can_be_added_after_reading_scores():
    rows = rows_of(outcome("red", "red", variant("red", "red"), id=1))
    first = rows.select(("", ""))
    rows.add(outcome("red", "red", variant("red", "red"), id=2))
    assert len(first["variant"].rows) == 1
    assert len(rows.select(("", ""))["variant"].rows) == 2


@pytest.mark.parametrize("name", ["original", "variant"])
def test_rows_know_their_group_and_cluster(name):
    rows = rows_of(*(outcome("red", "red", variant("red", "red"), id=n, image=n // 2) for n in range(4)))
    found = rows.select(("", ""))[name]
    assert found.groups.tolist() == [0, 1, 2, 3]
    assert found.clusters.tolist() == [0, 0, 1, 1]
