"""How many questions find a difference: the formula by hand, and the lines of a dry run."""

from __future__ import annotations

import math

import pytest

from askew.cli import main
from askew.engine.power import groups_needed
from askew.types import MetricFacts


def test_one_question_about_each_image_by_hand():
    """z = 1.96 + 0.84; variance .7 × .3; two models correlate by .5: n = 2 (1 - .5) .21 (z / δ)²."""
    needed, found = groups_needed(500, 500, MetricFacts(), 0.05)
    assert needed == math.ceil(0.21 * (2.801585 / 0.05) ** 2)
    assert found == pytest.approx(2.801585 * math.sqrt(0.21 / 500), rel=1e-6)


def test_groups_about_one_image_count_less():
    """Five a image: 1 + 0.1 (5 - 1) times as many are needed."""
    alone, _ = groups_needed(500, 500, MetricFacts(), 0.05)
    together, _ = groups_needed(500, 100, MetricFacts(), 0.05)
    assert together == pytest.approx(1.4 * alone, rel=1e-3)


def test_what_is_needed_for_what_is_found_is_what_there_is():
    for facts in (MetricFacts(), MetricFacts(conditional=True), MetricFacts(signed=True)):
        _, found = groups_needed(300, 60, facts, 0.03)
        assert groups_needed(300, 60, facts, found)[0] in (300, 301)


def test_only_groups_that_count_are_counted():
    """RAD is over the originals that are answered correctly, assumed to be seven of ten."""
    whole, _ = groups_needed(500, 500, MetricFacts(), 0.05)
    conditional, _ = groups_needed(500, 500, MetricFacts(conditional=True), 0.05)
    assert conditional == pytest.approx(whole / 0.7, rel=1e-3)


def test_a_dry_run_says_how_many_questions_are_needed(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    command = ["run", "--model", "constant:no", "--data", "world:val,scenes=80", "--suite", "rad"]
    assert main([*command, "--dry-run", "--power", "3", "--quiet"]) == 0
    said = capsys.readouterr().out
    lines = {line.partition("  ")[0]: line.split() for line in said.splitlines() if ": " in line[:20]}
    assert "To find a difference of 3 points" in said
    assert lines["rad: RAD"][2:5] != lines["rad: Accuracy"][2:5]
    questions, images = (int(text.replace(",", "")) for text in lines["rad: RAD"][3:5])
    assert questions > 2000 > images > 500
    assert "Assumed: 70 % of answers are correct" in " ".join(said.split())
    assert not list(tmp_path.iterdir())
    for more, message in (
        (["--power", "3"], "Give --dry-run too"),
        (["--dry-run", "--power", "0"], "above 0 and at most 100"),
    ):
        assert main([*command, "--output", "o", *more]) == 2
        assert message in capsys.readouterr().err
