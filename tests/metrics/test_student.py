"""Student's t against tables (Abramowitz & Stegun, table 26.10) and closed forms."""

from __future__ import annotations

import math

import pytest

from askew.metrics.student import t_quantile, t_tails


def test_quantiles_as_tables_print_them():
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


def test_a_quantile_is_what_its_tails_say():
    for df in (1.0, 1.7, 4.4, 12.0, 57.3, 1e4, 1e6):
        for tails in (0.05, 0.5, 0.001, 0.05 / 7):
            assert t_tails(t_quantile(tails, df), df) == pytest.approx(tails, rel=1e-9)
