"""The section on automatic attacks: accuracy against the budget, what breaks a model, and how attacks transfer."""

from __future__ import annotations

from collections.abc import Sequence

from askew.report.load import Run
from askew.report.markup import Html, details, el, join, table
from askew.report.noise_curve import Curve, panel, steps_for
from askew.report.plots import legend
from askew.report.report_data import ReportData
from askew.report.score_display import Figure, count

SUITE, SUCCESS, BY_BUDGET = "attack", "attack.success", "attack.accuracy."
AGAINST = "note.against="
"""The slice by the model that was attacked."""
PARTS = (("note.part_of_speech=", "part of speech"), ("note.rule=", "rule"), ("note.word=", "word"))
MOST = 20
"""The rows of each table of what breaks a model."""


def attack_section(content: ReportData) -> Html | None:
    """The section; None when no run has an attack."""
    runs = list(content.with_suite(SUITE))
    if not runs:
        return None
    made = (_curve(content, runs), _transfer(content, runs), *(_breaks(content, number, run) for number, run in runs))
    return join(*(part for part in made if part is not None))


def _curve(content: ReportData, runs: Sequence[tuple[int, Run]]) -> Html | None:
    """Accuracy over all questions, by the texts that an attack may ask about each."""
    budgets = sorted({budget for _, run in runs for budget in _budgets(run)})
    if len(budgets) < 2:
        return None
    lines = [
        Curve(content.labels[n], n, tuple(run.figure(SUITE, f"{BY_BUDGET}{budget}", "") for budget in budgets))
        for n, run in runs
    ]
    rows = [[line.label, *(figure.full for figure in line.figures)] for line in lines]
    return el(
        "figure",
        el("figcaption", el("h3", "How many tries does it take?")),
        el(
            "p",
            "Accuracy over all questions in per cent, when an attack may ask so many distinct texts about each; bands "
            "are 95 % intervals. The budgets are not evenly spaced.",
            class_="quiet",
        ),
        legend(dict.fromkeys((line.number, line.label) for line in lines)) if len(lines) > 1 else None,
        panel("", lines, budgets, steps_for(lines), "Accuracy over the budget of an attack"),
        details("As a table", table(["Model", *map(str, budgets)], rows, "Accuracy over the budget of an attack")),
    )


def _budgets(run: Run) -> list[int]:
    named = {metric for suite, metric, part, _ in run.figures() if suite == SUITE and not part}
    ends = (metric.removeprefix(BY_BUDGET) for metric in named if metric.startswith(BY_BUDGET))
    return [int(end) for end in ends if end.isdecimal()]


def _transfer(content: ReportData, runs: Sequence[tuple[int, Run]]) -> Html | None:
    """Of each attacked model the success of its rewordings against every model of the page."""
    by_model = {n: _parts(run, AGAINST) for n, run in runs}
    attacked = list(dict.fromkeys(name for found in by_model.values() for name in found))
    if len(runs) < 2 or not attacked:
        return None
    rows = [[name, *(_cell(by_model[n].get(name)) for n, _ in runs)] for name in attacked]
    return el(
        "div",
        el("h3", "Do attacks transfer?"),
        el(
            "p",
            "Rewordings that were found against the model of a row, asked of the model of a column: of the questions "
            "that it answers correctly, the share that it answers incorrectly after the rewording, with its 95 % "
            "interval and the number of questions.",
            class_="quiet",
        ),
        table(["Attacked", *(content.labels[n] for n, _ in runs)], rows, "Transfer of attacks between models"),
    )


def _breaks(content: ReportData, number: int, run: Run) -> Html | None:
    """Success by part of speech, by rule and by word of one model."""
    tables = []
    for prefix, name in PARTS:
        found = sorted(_parts(run, prefix).items(), key=lambda item: (-_hits(item[1]), item[0]))
        rows = [[value, figure.full, count(figure.n)] for value, figure in found[:MOST] if figure.n]
        if rows:
            caption = f"Success by {name}" + (f", the first {MOST} of {len(found)}" if len(found) > MOST else "")
            tables.append(details(caption, table([name.capitalize(), "Success", "Questions"], rows, caption)))
    if not tables:
        return None
    return el("div", el("h3", f"What the attack changed: {content.labels[number]}"), *tables)


def _parts(run: Run, prefix: str) -> dict[str, Figure]:
    """The success in each part of a slice."""
    return {
        part.removeprefix(prefix): figure
        for suite, metric, part, figure in run.figures()
        if suite == SUITE and metric == SUCCESS and part.startswith(prefix)
    }


def _hits(figure: Figure) -> float:
    return (figure.value or 0.0) * figure.n


def _cell(figure: Figure | None) -> str:
    return "—" if figure is None else figure.full
