"""Comparing runs: which of them are compared, and by which metrics."""

from __future__ import annotations

import pytest

import askew
from askew.engine.components import Questions
from askew.engine.result import compare_runs
from askew.models.baselines import Constant
from askew.report.load import Run, load_run
from askew.significance import holm


def test_runs_that_share_a_suite_are_compared_whichever_run_comes_first(tmp_path):
    """Two of three answers are yes, one is no, so yes scores 2/3 and no 1/3. The first run lacks the suite."""
    data = Questions(
        tuple(
            askew.Question(n, askew.ImageRef(n), f"Is it {n}?", (said,) * 10)
            for n, said in enumerate(("yes", "yes", "no"))
        )
    )
    for say in ("yes", "no"):
        askew.evaluate(Constant(say), data, "accuracy", output=tmp_path / say, name=say)
    yes, no = (load_run(tmp_path / say) for say in ("yes", "no"))
    other = Run(yes.folder, {**yes.results, "model": {"name": "other"}, "suites": []})
    (one,) = compare_runs([other, yes, no])
    assert (one["suite"], one["metric"], one["a"], one["b"]) == ("accuracy", "accuracy.all", "yes", "no")
    assert (one["of_a"], one["of_b"], one["difference"]) == (0.6666666667, 0.3333333333, 0.3333333333)


def test_parts_do_not_make_the_correction_for_headlines_stricter(tmp_path):
    """Headlines of all suites are one family, the other metrics of a suite another, its parts a third."""
    for say in ("yes", "no"):
        askew.evaluate(
            Constant(say), "world:val,scenes=60", ["rad", "carets"], output=tmp_path / say, name=say, max_failures=1.0
        )
    found = compare_runs([load_run(tmp_path / say) for say in ("yes", "no")])
    families = {}
    for one in found:
        families.setdefault(one["family"], []).append(one)
    headlines = {(one["suite"], one["metric"]) for one in families["headline"]}
    assert headlines == {("rad", "accuracy.all"), ("rad", "rad.forward"), ("carets", "carets.cacc")}
    assert {"other metrics of rad", "parts of rad", "other metrics of carets", "parts of carets"} < families.keys()
    for name, several in families.items():
        assert all(bool(one["part"]) == name.startswith("parts") for one in several)
        tested = [one["p"] for one in several if one["p"] == one["p"]]
        assert {one["family_size"] for one in several} == {len(tested)}
        assert [one["p_holm"] for one in several if one["p"] == one["p"]] == pytest.approx(holm(tested))
