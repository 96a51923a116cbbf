"""Statistics against published tables, closed forms and exact fractions."""

from __future__ import annotations

import math
from fractions import Fraction
from math import comb

import pytest

from askew.significance import difference_p, holm, mcnemar, t_quantile, t_tails, wilson


def test_quantiles_agree_with_printed_tables():
    """Abramowitz & Stegun, table 26.10."""
    for df, expected in ((1, 12.706), (2, 4.303), (5, 2.571), (9, 2.262), (29, 2.045), (120, 1.980)):
        assert t_quantile(0.05, df) == pytest.approx(expected, abs=6e-4)
    assert t_quantile(0.01, 9) == pytest.approx(3.250, abs=6e-4)
    assert t_quantile(0.05, math.inf) == pytest.approx(1.959963984540054)


def test_tails_in_closed_form():
    """One degree of freedom is Cauchy's distribution, two have an algebraic one."""
    for x in (0.0, 0.1, 1.0, 3.0, 50.0, 1e6):
        assert t_tails(x, 1) == pytest.approx(1 - 2 * math.atan(x) / math.pi, abs=1e-12)
        assert t_tails(-x, 2) == pytest.approx(1 - x / math.sqrt(2 + x * x), abs=1e-12)
    assert t_tails(40.0, 1e9) == pytest.approx(0.0, abs=1e-300)
    assert 0 < t_tails(30.0, 200) < 1e-60


def test_quantiles_and_tails_are_inverse():
    for df in (1.0, 1.7, 4.4, 12.0, 57.3, 1e4, 1e6):
        for tails in (0.05, 0.5, 0.001, 0.05 / 7):
            assert t_tails(t_quantile(tails, df), df) == pytest.approx(tails, rel=1e-9)


def test_wilson_against_published_values():
    # Newcombe 1998, Table I, method 3: 81/263, 15/148, 0/20, 1/29.
    for (hits, n), (low, high) in {
        (81, 263): (0.2553, 0.3662),
        (15, 148): (0.0624, 0.1605),
        (0, 20): (0.0, 0.1611),
        (1, 29): (0.0061, 0.1718),
    }.items():
        assert wilson(hits, n) == pytest.approx((low, high), abs=5e-5)


def test_zero_counts_give_no_interval():
    assert wilson(0, 0) == (0.0, 1.0)
    assert difference_p(0, 0, 3, 4) == 1.0


def exact(hits: int, n: int, other_hits: int, other_n: int) -> float:
    all_hits, total = hits + other_hits, n + other_n
    table = [comb(all_hits, k) * comb(total - all_hits, n - k) for k in range(min(n, all_hits) + 1) if n - k >= 0]
    observed = comb(all_hits, hits) * comb(total - all_hits, n - hits)
    return sum(ways for ways in table if ways <= observed) / comb(total, n)


@pytest.mark.parametrize("case", [(3, 4, 1, 4), (0, 10, 9, 12), (8, 9, 1, 30), (2, 20, 3, 400), (5, 5, 5, 5)])
def test_small_counts_are_tested_exactly(case: tuple[int, int, int, int]):
    assert difference_p(*case) == pytest.approx(exact(*case), rel=1e-9)


def test_large_counts_by_hand():
    # 60 of 100 against 40 of 100: pooled .5, standard error sqrt(.25 * .02) = .0707, z = 2.828, p = .00468.
    assert difference_p(60, 100, 40, 100) == pytest.approx(0.00468, abs=1e-5)


def test_both_tests_agree_where_they_meet():
    assert difference_p(3000, 6000, 2850, 6000) == pytest.approx(exact(3000, 6000, 2850, 6000), rel=0.1)


def test_holm_with_few_values():
    assert holm([0.04, 0.001, 0.5]) == [0.08, 0.003, 0.5]
    assert holm([0.5, 0.5]) == [1.0, 1.0]
    assert holm([]) == []


def test_mcnemar_by_hand():
    assert mcnemar(0, 5) == 0.0625  # 2 / 2⁵
    assert mcnemar(2, 8) == 0.109375  # 2 (1 + 10 + 45) / 2¹⁰
    assert mcnemar(4, 4) == 1.0
    exact = Fraction(2 * sum(math.comb(2200, i) for i in range(1001)), 2**2200)
    assert mcnemar(1000, 1200) == mcnemar(1200, 1000) == pytest.approx(float(exact))


def test_holm_by_hand():
    assert holm([0.01, 0.02, 0.03, 0.04]) == [0.04, 0.06, 0.06, 0.06]
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    corrected = holm([0.01, math.nan, 0.02])
    assert corrected[0] == 0.02
    assert math.isnan(corrected[1])
    assert corrected[2] == 0.02
