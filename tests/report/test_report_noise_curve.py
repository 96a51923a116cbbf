"""The noise curve: one chart for all models, a panel for each ranker, or all rankers of a single model in one chart."""

import re
from pathlib import Path

from askew.report.curves import noise_curve
from askew.report.load import Run
from askew.report.report_data import ReportData


def run(name, parts, levels=8, start=0.8):
    """A run whose accuracy falls by 5 points a level; for each part it starts a little lower."""
    scores = [
        {
            "suite": "basic",
            "metric": f"accuracy.noise.{level}",
            "part": part,
            "value": value,
            "low": value - 0.02,
            "high": value + 0.02,
            "n": 40,
        }
        for place, part in enumerate(parts)
        for level in range(levels)
        for value in (start - 0.05 * level - 0.01 * place,)
    ]
    tests = [f"{ranker} {level}" for ranker in ("lasso", "bleu4") for level in range(1, levels)]
    suite = {"name": "basic", "title": "Basic <questions>", "tests": tests}
    return Run(Path(name), {"model": {"name": name}, "suites": [suite], "scores": scores})


def drawn(*runs):
    content = ReportData(runs, (), None)
    made = noise_curve(content, content.suites[0])
    return "" if made is None else str(made)


BOTH = ("", "made_by=basic/bleu4", "made_by=basic/lasso")


def test_one_ranker_is_one_chart_with_a_line_for_each_model():
    page = drawn(run("a", ["", "made_by=basic/lasso"]), run("b", ["", "made_by=basic/lasso"]))
    assert page.count('class="curve"') == 1
    assert page.count("<polyline") == 2
    assert "panels" not in page
    assert re.findall(r'class="name tone\d">.*?</svg>(\w)</span>', page) == ["a", "b"]


def test_several_rankers_have_a_panel_each_in_the_order_of_the_suite():
    page = drawn(run("a", BOTH), run("b", BOTH))
    assert page.count('class="curve"') == 2
    assert page.count("<polyline") == 4
    assert re.findall(r"<h4>(\w+)</h4>", page) == ["lasso", "bleu4"]
    assert "Accuracy over noise levels, bleu4" in page
    rows = re.findall(
        r"<tr><td>(\w+)</td><td>(\w+)</td><td>([\d.]+)", page.replace(' scope="row"', "").replace("th>", "td>")
    )
    assert rows == [("lasso", "a", "78.0"), ("lasso", "b", "78.0"), ("bleu4", "a", "79.0"), ("bleu4", "b", "79.0")]


def test_a_single_model_has_its_rankers_in_one_chart():
    page = drawn(run("a", BOTH))
    assert page.count('class="curve"') == 1
    assert page.count("<polyline") == 2
    assert re.findall(r'class="name tone\d">.*?</svg>(\w+)</span>', page) == ["lasso", "bleu4"]


def test_a_model_without_the_suite_keeps_the_others_colours():
    without = Run(Path("x"), {"model": {"name": "x"}, "suites": [], "scores": []})
    page = drawn(without, run("b", [""]))
    assert "tone1" in page
    assert "tone0" not in page


def test_the_chart_has_every_level():
    page = drawn(run("a", [""], levels=12, start=0.9))
    assert "noise 11" in page
    assert drawn(run("a", [""], levels=1)) == ""


def test_model_names_are_escaped():
    assert "Basic &lt;questions&gt;" in drawn(run("a", [""]))
