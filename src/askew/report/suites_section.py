"""The section on the suites: one panel for each, with its verdicts, charts, attacks and the papers' tables to copy.

Below the panels are the differences between the models, with p values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from askew.metrics.break_rates import breaks_more
from askew.report.breaks import Breaks, worst_by_suite
from askew.report.caveats import coverage_lines, made_nothing, modes_sentence
from askew.report.charts import charts_section
from askew.report.curves import Curve, calibration_note, curves_figure, numbered
from askew.report.glossary import suite_meaning, suite_name
from askew.report.load import Run, labels, measured_apart
from askew.report.markup import Html, details, el, join, table
from askew.report.overview import suites_overview, to_pairs
from askew.report.report_data import ReportData, is_significant
from askew.report.svg import mark
from askew.report.table_formats import DASH, count, csv_text, filled_tables, html, latex, markdown, probability
from askew.report.verdict import as_html, sentences_by_suite
from askew.types import LEAST_IMAGES, NAN, MetricFacts, Score

ATTACK, SUCCESS, BY_BUDGET = "attack", "attack.success", "attack.accuracy."
PROMPTS = "prompts"
REWORDED = {
    "p2": ("syn", "para"),
    "backtranslate": ("BT",),
    "carets": ("REPHRASE-INV",),
    "vqa-rephrasings": ("rephrasing",),
}
"""The tests in which a question is asked in other words and the answer stays, by suite."""
AGAINST = "note.against="
"""The slice by the model that was attacked."""
PARTS = (("note.part_of_speech=", "part of speech"), ("note.rule=", "rule"), ("note.word=", "word"))
MOST = 20
"""The most rows of each table of what attacks changed."""
LISTED = 200
"""The number of comparisons in a collapsible list."""


def suites_section(content: ReportData, breaks: Sequence[Breaks]) -> Html:
    """Every suite in a panel of its own, then how the models differ."""
    panels = [_panel(content, suite, breaks, opened=place == 0) for place, suite in enumerate(content.suites)]
    differences = differences_section(content)
    apart = measured_apart(content.runs)
    text = "These runs measured some scores in different ways (see their signatures), which makes them incomparable: "
    modes = modes_sentence({name: run.results for name, run in zip(content.labels, content.runs, strict=True)})
    return join(
        el("p", text + ", ".join(apart) + ". " + modes) if apart else None,
        suites_overview(content),
        published_switch(content),
        *panels,
        calibration_note(content),
        details("Differences between models, with p values", differences, folded=True, class_="panel")
        if differences
        else None,
    )


def _panel(content: ReportData, suite: Mapping[str, Any], breaks: Sequence[Breaks], opened: bool) -> Html:
    name, several, about = suite["name"], len(content.runs) > 1, content.about(suite["name"])
    told = " · ".join(filter(None, (str(suite.get("title") or ""), _range(content, suite))))
    says = suite_meaning(suite)
    coverage, verdicts = [], []
    for number, run in about.with_suite(name):
        label = content.labels[number]
        sentence = sentences_by_suite(run, label, worst_by_suite(breaks, number)).get(name)
        if sentence:
            verdicts.append(el("li", mark(number) if several else None, el("p", *as_html(sentence, label))))
    for run in content.runs:
        for own in (own for own in run.suites if own["name"] == name):
            coverage += coverage_lines(own, run.results.get("data") or {})
    return details(
        join(el("strong", suite_name(suite)), " ", el("span", told, class_="quiet")),
        el("p", f"{says[:1].upper()}{says[1:]}.") if says else None,
        *(el("p", line, class_="quiet") for line in dict.fromkeys(coverage)),
        el("ul", *verdicts, class_="verdicts") if verdicts else None,
        charts_section(about),
        attack_section(about) if suite["name"] == ATTACK else None,
        *(
            el("p", line)
            for number, run in (about.with_suite(name) if name == PROMPTS else ())
            for line in wording_sentences(run, content.labels[number])
        ),
        tables_section(about),
        opened=opened,
        folded=True,
        class_="panel",
        id=f"suite-{name}",
    )


def wording_sentences(run: Run, label: str) -> Iterator[str]:
    """A sentence for each suite of the run that rewords questions, if it also has the suite ``prompts``."""
    suites = {suite["name"]: suite for suite in run.suites}
    for name, tests in REWORDED.items():
        if PROMPTS in run.tables and name in run.tables:
            prompt, question, apart = breaks_more(run.tables[PROMPTS], run.tables[name], tests)
            if not prompt.known or not question.known:
                continue
            matters = "cannot be said to matter more or less than"
            if apart.low > 0:
                matters = "matters more than"
            elif apart.high < 0:
                matters = "matters less than"
            limits = f" ({100 * apart.low:.1f} to {100 * apart.high:.1f})" if apart.has_interval else ""
            yield (
                f"{label}: the wording of the prompt {matters} that of the question. Of its correct answers, "
                f"{prompt.short} % break under another prompt and {question.short} % when the question is reworded "
                f"(“{suite_name(suites[name])}”): a difference of {100 * apart.value:.1f} points{limits}."
            )


def _range(content: ReportData, suite: Mapping[str, Any]) -> str:
    """The headline of the models from the lowest to the highest."""
    metric = str((suite.get("headline") or {}).get("metric", ""))
    scores = [run.score(suite["name"], metric) for run in content.runs]
    known = sorted((score for score in scores if score.known), key=lambda score: score.value)
    if not known:
        return "no group" if made_nothing(suite) else ""
    low, high = known[0], known[-1]
    return f"{low.facts.title} {low.short if len(known) == 1 else f'{low.short} to {high.short}'}"


def tables_section(content: ReportData) -> Html:
    """The tables of the suites that the section is about, each with its sources to copy."""
    ordered = [content.runs[number] for number in content.standings.order]
    names = dict(zip(content.labels, labels(ordered), strict=True)) if len(content.runs) > 1 else {}
    runs = ordered if set(names) == set(names.values()) else content.runs
    sources = [("CSV", csv_text), ("LaTeX", latex), ("Markdown", markdown)]
    sections = []
    for found in filled_tables(runs, content.only):
        copies = []
        for name, written in sources:
            button = el("button", f"Copy {name}", type="button", class_="copy needs-script")
            copies.append(el("div", button, details(name, el("pre", written(found))), class_="source"))
        heading, paper = el("h3", found.title), el("p", found.about, class_="quiet")
        copied = el("div", *copies, class_="sources")
        shown = html(found, sortable=True, address=lambda row, column: _pairs_of(content, row.label, column.part))
        sections.append(el("section", heading, paper, shown, copied, class_="sheet"))
    return join(*sections)


def _pairs_of(content: ReportData, label: str, part: str) -> str:
    """The address of the pairs of a model in this part of the suite; empty if the viewer has no filter for it."""
    kind, _, value = part.partition("=")
    if label not in content.labels or kind not in ("", "test", "made_by"):
        return ""
    within = {kind: value} if kind else {}
    return to_pairs(suite=content.only, **within, model=content.labels.index(label))


def published_switch(content: ReportData) -> Html | None:
    """The switch between our rows and the papers', if any table has rows of a paper."""
    if not any(found.published for found in filled_tables(content.runs)):
        return None
    options = [("both", "Both"), ("ours", "Ours"), ("published", "The paper's")]
    radios = [
        el("label", el("input", type="radio", name="show", value=value, checked=value == "both"), text)
        for value, text in options
    ]
    return el("fieldset", el("legend", "Rows to show"), *radios, class_="switch needs-script")


def attack_section(content: ReportData) -> Html | None:
    """The section; None if no run has an attack."""
    runs = list(content.with_suite(ATTACK))
    if not runs:
        return None
    made = (_curve(content, runs), _transfer(content, runs), *(_breaks(content, number, run) for number, run in runs))
    return join(*(part for part in made if part is not None))


def _curve(content: ReportData, runs: Sequence[tuple[int, Run]]) -> Html | None:
    """Accuracy over all questions, by the number of texts that an attack may ask about each."""
    budgets = numbered([run for _, run in runs], ATTACK, BY_BUDGET)
    if len(budgets) < 2:
        return None
    lines = [
        Curve(content.labels[n], n, tuple(run.score(ATTACK, f"{BY_BUDGET}{budget}") for budget in budgets))
        for n, run in runs
    ]
    return curves_figure(
        "How many tries does it take?",
        "Accuracy over all questions in per cent, by the number of distinct texts that an attack may ask about each; "
        "bands are 95 % intervals. The budgets are not evenly spaced.",
        "Accuracy over the budget of an attack",
        [("", lines)],
        budgets,
        ["Model", *map(str, budgets)],
    )


def _transfer(content: ReportData, runs: Sequence[tuple[int, Run]]) -> Html | None:
    """The success of the rewordings found against each attacked model, for every model of the page."""
    by_model = {n: _parts(run, AGAINST) for n, run in runs}
    attacked = list(dict.fromkeys(name for found in by_model.values() for name in found))
    if len(runs) < 2 or not attacked:
        return None
    rows = [[name, *(by_model[n][name].full if name in by_model[n] else DASH for n, _ in runs)] for name in attacked]
    return el(
        "div",
        el("h3", "Do attacks transfer?"),
        el(
            "p",
            "Rewordings found against the model in the row, asked of the model in the column: of the questions that "
            "the latter answers correctly, the share that it answers incorrectly after the rewording, with its 95 % "
            "interval and the number of questions.",
            class_="quiet",
        ),
        table(["Attacked", *(content.labels[n] for n, _ in runs)], rows, "Transfer of attacks between models"),
    )


def _breaks(content: ReportData, number: int, run: Run) -> Html | None:
    """The success against one model by part of speech, by rule and by word."""
    tables = []
    for prefix, name in PARTS:
        found = sorted(
            _parts(run, prefix).items(), key=lambda item: (-item[1].value * item[1].n if item[1].n else 0.0, item[0])
        )
        rows = [[value, score.full, count(score.n)] for value, score in found[:MOST] if score.n]
        if rows:
            caption = f"Success by {name}" + (f", the first {MOST} of {len(found)}" if len(found) > MOST else "")
            tables.append(details(caption, table([name.capitalize(), "Success", "Questions"], rows, caption)))
    if not tables:
        return None
    return el("div", el("h3", f"What the attack changed: {content.labels[number]}"), *tables)


def _parts(run: Run, prefix: str) -> dict[str, Score]:
    """The success of attacks in each part of a slice."""
    return {
        score.part.removeprefix(prefix): score
        for score in run.scores()
        if (score.suite, score.metric) == (ATTACK, SUCCESS) and score.part.startswith(prefix)
    }


def differences_section(content: ReportData) -> Html | None:
    """The differences in the headlines, and each other family in a collapsible table; None without differences."""
    if not content.differences:
        return None
    families: dict[str, list[Mapping[str, Any]]] = {}
    for item in content.differences:
        families.setdefault(str(item.get("family") or "other"), []).append(item)
    first = sorted(families.pop("headline", []), key=lambda item: (item["suite"], item["metric"]))
    text = (
        "Paired on the same questions. p values are Holm-corrected within each family of comparisons: the headlines "
        f"({_tested(first)}), and separately each suite's other metrics and its parts. ▲ ▼: p is below 0.05. —: p is "
        f"unknown, as there are fewer than {LEAST_IMAGES} images. Detectable: the smallest true difference that 80 % "
        "of such comparisons would find, before the correction; no significance says little about smaller ones."
    )
    return el(
        "section",
        el("h3", "Differences between models"),
        el("p", text, class_="quiet"),
        _difference_table(content, first, "Differences in the headlines") if first else None,
        *(_family_table(content, name, items) for name, items in families.items()),
        class_="sheet",
    )


def _family_table(content: ReportData, name: str, items: Sequence[Mapping[str, Any]]) -> Html:
    listed = sorted(items, key=_by_p)[:LISTED]
    shown = f"the {count(len(listed))} clearest of {count(len(items))}, " if len(listed) < len(items) else ""
    heading = f"{name[:1].upper()}{name[1:]}: {shown}p corrected for {_tested(items)}"
    return details(heading, _difference_table(content, listed, f"Differences: {name}"))


def _tested(items: Sequence[Mapping[str, Any]]) -> str:
    """How many comparisons of a family were tested, those with the same numbers counted once."""
    number = max((item.get("family_size") or 0 for item in items), default=0)
    return f"{count(number)} comparison{'' if number == 1 else 's'}"


def _difference_table(content: ReportData, items: Sequence[Mapping[str, Any]], caption: str) -> Html:
    rows = [
        [
            " · ".join(filter(None, (str(item["suite"]), facts.title, str(item.get("part", ""))))),
            f"{item['a']} − {item['b']}",
            difference_text(facts, item),
            probability(item.get("p_holm")),
            replace(facts, signed=False).show(NAN if item.get("detectable") is None else item["detectable"]),
            f"{item.get('n') or 0:,}",
        ]
        for item in items
        for facts in [content.facts(item["suite"], item["metric"])]
    ]
    return table(["Number", "Models", "Difference (95 %)", "p", "Detectable", "n"], rows, caption, class_="differences")


def difference_text(facts: MetricFacts, item: Mapping[str, Any]) -> str:
    """A difference with its sign and interval, and an arrow if it is significant.

    >>> difference_text(MetricFacts(), {"difference": 0.123, "low": 0.1, "high": 0.15, "p_holm": 0.01})
    '+12.3 (10.0 to 15.0) ▲'
    """
    score = Score.from_record({**item, "value": item.get("difference")}, replace(facts, signed=bool(facts.unit)))
    text = ("+" if score.value > 0 and not facts.unit else "") + score.short
    if score.has_interval:
        text += f" ({facts.show(score.low)} to {facts.show(score.high)})"
    return text + (" ▲" if score.value > 0 else " ▼") * is_significant(item)


def _by_p(item: Mapping[str, Any]) -> float:
    """Sorted by p value; differences that could not be tested are last."""
    p = item.get("p_holm")
    return 2.0 if p is None or p != p else float(p)
