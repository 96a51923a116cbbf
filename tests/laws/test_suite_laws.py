"""Laws for every suite."""

from __future__ import annotations

import pytest

from askew.metrics.run_table import SLICES
from askew.registry import BUILT_IN, make, names
from askew.suites.basic import BasicSuite
from word_ranker import Words

BENCHMARKS = sorted(
    name for name in names("suite") if BUILT_IN["suite"][name].partition(":")[0].endswith(".benchmarks")
)
"""Suites of published benchmarks, whose groups are ready-made."""
SPECS = (
    *BENCHMARKS,
    *("accuracy", "attack", "avqa-gap", "backtranslate", "choices", "corruption", "visual", "rad", "rad:originals=all"),
    *("p2", "p2:synonymous", "p2:originals=all"),
    *("overlay", "unanswerable", "corruption:all", "shift", "hint", "prompts", "prompts:short,marked"),
    *("carets", "carets:order", "carets:visual,antonym", "carets:rephrase,order"),
)
BASIC = (BasicSuite(Words()), BasicSuite(Words(), kind="yesno"), BasicSuite(Words(), top=9))
SUITES = [*(make("suite", spec) for spec in SPECS), *BASIC]


def test_every_suite_is_covered():
    assert {suite.name for suite in SUITES} == set(names("suite"))


@pytest.mark.parametrize("suite", SUITES, ids=repr)
def test_tables_fit_their_columns_and_metrics(suite):
    assert len({table.id for table in suite.tables}) == len(suite.tables)
    parts = {"", *getattr(suite, "slices", SLICES)}
    for table in suite.tables:
        assert {column.metric for column in table.columns} <= set(suite.metrics)
        assert {column.part.partition("=")[0] for column in table.columns} <= parts
        assert {len(values) for values in table.published.values()} <= {len(table.columns)}


@pytest.mark.parametrize("suite", SUITES, ids=repr)
def test_the_headline_shows_the_value_of_a_metric(suite):
    metric, sentence = suite.headline
    assert metric in suite.metrics
    assert "{value}" in sentence
