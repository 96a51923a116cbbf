from __future__ import annotations

from math import comb

import pytest

from askew.report.proportions import difference_p, holm, wilson


def test_wilson_against_published_values() -> None:
    # Newcombe 1998, Table I, method 3: 81/263, 15/148, 0/20, 1/29.
    for (hits, n), (low, high) in {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }.items():
        assert wilson(hits, n) == pytest.approx((low, high), abs=5e-5)


def test_nothing_counted_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert difference_p(0, 0, 3, 4) == 1.0


def exact(hits: int, n: int, other_hits: int, other_n: int) -> float:
    all_hits, total = hits + other_hits, n + other_n
    table = [comb(all_hits, k) * comb(total - all_hits, n - k) for k in range(min(n, all_hits) + 1) if n - k >= 0]
    observed = comb(all_hits, hits) * comb(total - all_hits, n - hits)
    return sum(ways for ways in table if ways <= observed) / comb(total, n)


@pytest.mark.parametrize("case", [(3, 4, 1, 4), (0, 10, 9, 12), (8, 9, 1, 30), (2, 20, 3, 400), (5, 5, 5, 5)])
def test_small_counts_are_tested_exactly(case: tuple[int, int, int, int]) -> None:
    assert difference_p(*case) == pytest.approx(exact(*case), rel=1e-9)


def test_large_counts_by_hand() -> None:
    # 60 of 100 against 40 of 100: pooled .5, standard error sqrt(.25 * .02) = .0707, z = 2.828, p = .00468.
    assert difference_p(60, 100, 40, 100) == pytest.approx(0.00468, abs=1e-5)


def test_both_tests_agree_where_they_meet() -> None:
    assert difference_p(3000, 6000, 2850, 6000) == pytest.approx(exact(3000, 6000, 2850, 6000), rel=0.1)


def test_holm_by_hand() -> None:
    assert holm([0.04, 0.001, 0.5]) == [0.08, 0.003, 0.5]
    assert holm([0.5, 0.5]) == [1.0, 1.0]
    assert holm([]) == []
