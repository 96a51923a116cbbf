"""The ranking: one definition for each number, whatever the order of the options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from fake_runs import make_run

import askew
from askew.engine.result import compare_runs, headlines
from askew.metrics.break_rates import broken
from askew.report.breaks import find_breaks
from askew.report.first_screen import ranking_table, weakest_suite
from askew.report.load import Run, load_run
from askew.report.report_data import Standings
from askew.report.verdict import decision
from askew.types import Score


@pytest.fixture(scope="module")
def studies(tmp_path_factory) -> dict[str, list[Run]]:
    """Two models, and a blind one, on two suites of which one covers fewer questions, in both orders."""
    found = {}
    for order in (["rad", "p2"], ["p2", "rad"]):
        folder = tmp_path_factory.mktemp("-".join(order))
        models = ["bundled:xnm", "bundled:cnn-lstm", "bundled:language"]
        results = askew.evaluate(models, "world:val,scenes=100", order, output=folder, no_audit=True)
        found[order[0]] = [result.run for result in results]
    return found


def test_the_order_of_suites_changes_no_number(studies):
    first, second = studies.values()
    keys = ("suite", "metric", "part", "a", "b")
    compared = [
        {tuple(one[key] for key in keys): one | {"same_as": ""} for one in compare_runs(runs)}
        for runs in (first, second)
    ]
    assert str(sorted(compared[0].items())) == str(sorted(compared[1].items()))
    tables = [Standings(runs, compare_runs(runs)) for runs in (first, second)]
    assert decision(tables[0]) == decision(tables[1])
    places = [[one.labels[number] + one.place(number) for number in one.ranked] for one in tables]
    assert places[0] == places[1]
    assert {column.key for column in tables[0].columns} == {column.key for column in tables[1].columns}
    assert [weakest_suite(tables[0], number) for number in range(3)] == [weakest_suite(tables[1], n) for n in range(3)]
    assert set(headlines(first)) == set(headlines(second))


def test_accuracy_is_that_of_the_suite_that_asks_most_questions(studies):
    """It was that of the suite that was named first: 68 questions of 180."""
    for runs in studies.values():
        groups = {suite["name"]: suite["groups"] for suite in runs[0].suites}
        accuracy = Standings(runs).columns[0]
        assert accuracy.is_accuracy
        assert accuracy.key[0] == max(groups, key=groups.get) == "p2"


def test_what_breaks_is_the_rest_of_what_the_ranking_shows(studies):
    standings = Standings(studies["rad"], compare_runs(studies["rad"]))
    html = ranking_table(standings)
    for found in find_breaks(studies["rad"]):
        column = next(one for one in standings.columns if one.key[0] == found.suite and not one.is_accuracy)
        kept = standings.still_correct(found.run, column)
        assert repr(found.broken) == repr(broken(kept))
        shown = f"{round(100 * kept.value)} % ({100 * kept.low:.0f}–{100 * kept.high:.0f})"
        assert (shown in html) == (found.run in standings.ranked)


def fake(folder: Path, names: list[str], blind: tuple[str, ...] = ()) -> list[Run]:
    runs = [load_run(make_run(folder / name, name, ("rad", "carets"), groups=40, images=False)) for name in names]
    for run in runs:
        run.results["model"]["blind"] = run.model in blind
    return runs


def differing(*found: tuple[str, str, str, float], metric: str = "rad.forward", suite: str = "rad") -> list[dict]:
    """Comparisons of two runs: their names, the family, and p."""
    return [
        {"suite": suite, "metric": metric, "part": "", "a": a, "b": b, "difference": 0.1, "p_holm": p}
        | {"family": family, "family_size": 3}
        for a, b, family, p in found
    ]


def test_models_that_do_not_differ_share_their_places(tmp_path):
    """The first was placed before the second because it beat the third in more columns."""
    runs = fake(tmp_path, ["a", "b", "c"])
    wins = differing(("a", "b", "headline", 0.5), ("a", "c", "headline", 0.01), ("b", "c", "headline", 0.01))
    more = differing(("a", "c", "headline", 0.01), ("b", "c", "headline", 0.9), metric="carets.cacc", suite="carets")
    standings = Standings(runs, [*wins, *more])
    assert [standings.place(number) for number in range(3)] == ["1–2", "1–2", "3"]
    assert "1–2" in ranking_table(standings)
    chain = Standings(runs, differing(("a", "c", "headline", 0.01)))
    assert [chain.place(number) for number in range(3)] == ["1–2", "1–3", "2–3"]


def test_a_model_that_is_better_in_one_column_and_worse_in_another_is_not_placed_before(tmp_path):
    runs = fake(tmp_path, ["a", "b"])
    better = differing(("a", "b", "headline", 0.01))
    worse = differing(("b", "a", "headline", 0.01), metric="carets.cacc", suite="carets")
    standings = Standings(runs, [*better, *worse])
    assert [standings.place(number) for number in range(2)] == ["1–2", "1–2"]


def test_cells_that_are_not_better_than_the_best_blind_model_say_so_and_blind_ones_have_no_colour(tmp_path):
    runs = fake(tmp_path, ["sees", "squints", "guesses", "constant"], blind=("guesses", "constant"))
    best = max(runs[2:], key=lambda run: run.score("rad", "rad.forward").value).model
    other = ({"guesses", "constant"} - {best}).pop()
    family = "headline against references"
    standings = Standings(
        runs,
        differing(
            ("sees", best, family, 0.01), ("squints", best, family, 0.2), ("squints", other, family, 0.01),
            ("sees", "squints", "headline", 0.9),
        ),
    )  # fmt: skip
    rad, carets = (next(one for one in standings.columns if one.key[0] == name) for name in ("rad", "carets"))
    assert [standings.is_like_blind(number, rad) for number in range(4)] == [False, True, False, False]
    assert not standings.is_like_blind(1, carets), "nothing was compared there"
    assert ranking_table(standings).count("not better than blind") == 1
    assert [standings.band(number, rad) for number in (2, 3)] == [None, None]


def test_blind_models_do_not_change_the_p_values_of_others(studies):
    """With a constant model, p went from .030 to .058."""
    runs = studies["rad"]

    def of_the_two(compared):
        return [one for one in compared if {one["a"], one["b"]} == {runs[0].model, runs[1].model}]

    assert str(of_the_two(compare_runs(runs))) == str(compare_runs(runs[:2]))
    families = {one["family"] for one in compare_runs(runs) if runs[2].model in (one["a"], one["b"])}
    assert all(family.endswith("against references") for family in families)


@pytest.mark.parametrize(
    ("value", "low", "high", "word"),
    [(0.95, 0.92, 0.97, "holds"), (0.95, 0.89, 0.97, None), (0.81, 0.77, 0.84, "mostly holds"), (0.6, 0.4, 0.8, None)],
)
def test_a_share_has_a_word_only_if_its_whole_interval_has_it(tmp_path, value, low, high, word):
    (run,) = fake(tmp_path, ["m"])
    run._still_correct["rad"] = Score("still-correct", value, low, high, 90, images=40)
    standings = Standings([run])
    column = next(one for one in standings.columns if one.key[0] == "rad")
    band = standings.band(0, column)
    assert (band and band[1]) == word
    assert f"{100 * value:.0f} % ({100 * low:.0f}–{100 * high:.0f})" in ranking_table(standings)


def test_chance_is_shown_where_every_question_has_known_answers(tmp_path):
    groups = tmp_path / "q.jsonl"
    record = '{{"id": {0}, "image": "{0}.jpg", "question": "Is it {0}?", "answers": ["{1}"]}}\n'
    groups.write_text("".join(record.format(number, ("yes", "no")[number % 2]) for number in range(12)))
    result = askew.evaluate("constant:yes", str(groups), "accuracy", output=tmp_path / "o")
    assert result.run.suites[0]["chance"] == {"accuracy.all": 0.5}
    assert re.search(r"Chance</th><td[^>]*>50\.0<", ranking_table(Standings([result.run])))
    groups.write_text(groups.read_text() + record.format(99, "red"))
    result = askew.evaluate("constant:yes", str(groups), "accuracy", output=tmp_path / "p")
    assert result.run.suites[0]["chance"] == {}
    assert "Chance" not in ranking_table(Standings([result.run]))
