"""Runs side by side: which of them are compared, by what."""

from __future__ import annotations

import askew
from askew.api import Questions
from askew.compare import compare_runs
from askew.models.baselines import Constant
from askew.report.load import Run, load_run


def test_runs_that_share_a_suite_are_compared_whichever_run_comes_first(tmp_path):
    """Of three questions two are answered yes and one no: yes has 2/3, no 1/3. A run without the suite is first."""
    data = Questions(
        tuple(
            askew.Question(n, askew.ImageRef(n), f"Is it {n}?", (said,) * 10)
            for n, said in enumerate(("yes", "yes", "no"))
        )
    )
    for say in ("yes", "no"):
        askew.evaluate(Constant(say), data, "accuracy", output=tmp_path / say, name=say, resamples=20)
    yes, no = (load_run(tmp_path / say) for say in ("yes", "no"))
    other = Run(yes.folder, {**yes.results, "model": {"name": "other"}, "suites": []})
    (one,) = compare_runs([other, yes, no], resamples=20)
    assert (one["suite"], one["metric"], one["a"], one["b"]) == ("accuracy", "accuracy.all", "yes", "no")
    assert (one["of_a"], one["of_b"], one["difference"]) == (0.6666666667, 0.3333333333, 0.3333333333)
