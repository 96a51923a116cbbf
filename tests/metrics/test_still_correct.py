from __future__ import annotations

from random import Random

import pytest
from outcomes_by_hand import outcome, variant

from askew.metrics.break_rates import counted_pairs, still_correct
from askew.metrics.pairs import Judgement
from askew.metrics.run_table import RunTable, load_tables, save_tables


def table_of(*groups):
    """For each group its image, whether its original is correct, and whether each variant is, or that and its level."""
    table = RunTable({})
    for number, (image, before, *after) in enumerate(groups):
        pairs = [one if isinstance(one, tuple) else (one, 0) for one in after]
        variants = [variant("red" if is_right else "x", "red", level=level) for is_right, level in pairs]
        judged = [Judgement(float(is_right), is_right) for is_right in (before, *(one for one, _ in pairs))]
        table.add(outcome("red" if before else "x", "red", *variants, id=number, image=image), judged)
    return table


def test_wrong_answers_that_become_correct_do_not_make_up_for_correct_ones_that_break():
    """Accuracy is 60 % before and after, so their ratio is 100 %; but of six correct answers three are lost."""
    kept = [(image, True, image < 3) for image in range(6)]
    gained = [(image, False, image < 9) for image in range(6, 10)]
    assert still_correct(table_of(*kept, *gained)).value == 0.5


def test_a_question_counts_once_however_many_variants_it_has():
    """1/4 and 1 have the mean 5/8; over the five pairs it would be 2/5."""
    found = still_correct(table_of((1, True, True, False, False, False), (2, True, True)))
    assert (found.value, found.n, found.images) == (0.625, 2, 2)


def test_missing_variants_and_questions_without_variants_do_not_count():
    table = table_of((1, True, True), (2, True))
    table.add(outcome("red", "red", variant(None, "red"), id=9, image=3), [Judgement(1.0, True), Judgement(None, None)])
    assert (still_correct(table).value, still_correct(table).n) == (1.0, 1)
    assert not still_correct(table_of((1, False, True))).known
    assert not still_correct(RunTable({})).known


def test_the_worst_level_counts_with_an_interval_of_the_lowest_share(tmp_path):
    """At level 1 nothing breaks, at level 3 half, at level 2 a quarter."""
    groups = [(image, True, (True, 1), (image % 4 > 0, 2), (image % 2 > 0, 3)) for image in range(40)]
    found = still_correct(table_of(*groups))
    alone = still_correct(table_of(*[(image, True, (image % 2 > 0, 3)) for image in range(40)]))
    assert (found.value, found.part, found.n) == (0.5, "level=3", 40)
    assert found.low == alone.low < alone.value < alone.high < found.high
    save_tables(tmp_path / "rows.npz", {"s": table_of(*groups)})
    assert still_correct(load_tables(tmp_path / "rows.npz")["s"]) == found


def test_the_interval_is_over_images():
    """Three questions about each image with equal answers are no more than one."""
    answers = [Random(image).random() < 0.8 for image in range(30)]
    one = still_correct(table_of(*[(image, True, kept) for image, kept in enumerate(answers)]))
    three = still_correct(table_of(*[(image, True, kept) for image, kept in enumerate(answers) for _ in range(3)]))
    assert (three.low, three.high) == pytest.approx((one.low, one.high), abs=1e-9)


def test_controls_do_not_count_beside_levels():
    """Wrong claims have level 1 and keep three of four; true ones have none, and breaking on them is no finding."""
    table = table_of(*[(image, True, (image % 4 > 0, 1), (False, 0)) for image in range(40)])
    found = still_correct(table)
    assert (found.value, found.part) == (0.75, "")
    assert found == still_correct(table_of(*[(image, True, image % 4 > 0) for image in range(40)]))
    assert counted_pairs(table).tolist() == list(range(0, 80, 2))


@pytest.mark.parametrize("level", ["3", True, -1, 1 << 40, 2.0, None])
def test_levels_that_are_not_small_numbers_are_none(level):
    assert still_correct(table_of((1, True, (True, 1)), (2, True, (False, level)))).value == 1.0
    assert still_correct(table_of((1, True, (True, level)), (2, True, (False, level)))).part == ""
