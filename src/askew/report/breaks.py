"""What breaks a model: the tests, rules, question and answer types, answers and words with the highest break rates.

Of the questions answered correctly before the change, those not *still correct* after it break. The rate of a trait is
compared with the rest of its suite (``metrics.break_rates``), with Holm's correction over all traits of the report. The
section of the page lists the worst traits of each suite first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from askew.errors import plural
from askew.metrics.break_rates import LEAST_QUESTIONS, TraitRate, broken, interval_of, trait_rates
from askew.metrics.pairs import BROKE
from askew.metrics.run_table import RunTable
from askew.report.charts import flip_section
from askew.report.glossary import suite_name, template_name, term, test_meaning, test_name
from askew.report.load import Run
from askew.report.markup import Html, details, el, figure, join, scrolled_table
from askew.report.overview import to_pairs
from askew.report.pair_table import PairTable, Trait
from askew.report.report_data import SIGNIFICANT, ReportData
from askew.report.svg import mark, meter
from askew.report.table_formats import count, probability
from askew.significance import holm
from askew.types import LEAST_IMAGES, Score

NAMED_FIRST = ("question_type", "test", "made_by", "answer_type", "answer", "changed", "word")
"""If exactly the same pairs have several traits, the first of these dimensions, the most informative, is named."""

_TEMPLATE = re.compile(r"[A-Z]\d+")
"""The question types of data that names its templates by a letter and a number."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How often questions with this trait broke, compared with the rest of the suite."""

    trait: Trait
    also: tuple[Trait, ...]
    """Other traits of exactly the same pairs."""
    broken: Score
    """Of the questions answered correctly that have a variant with it, those not still correct."""
    rest: float
    """The rate of the suite's other pairs."""
    p: float
    """Holm-corrected over all traits of all suites and models of the report."""

    @property
    def hurts(self) -> bool:
        """Whether it breaks significantly more often than the rest."""
        return self.p < SIGNIFICANT and self.broken.value > self.rest


@dataclass(frozen=True, slots=True)
class Breaks:
    """One run's breaks in one suite: the total, and the traits that were tested, the clearest first."""

    run: int
    suite: str
    broken: Score
    """Of the questions answered correctly, those not still correct."""
    findings: tuple[Finding, ...]
    tested: int
    """How many traits were tested; not all are findings."""

    @property
    def worst(self) -> Finding | None:
        """The finding named in a sentence: the question type, test, answer type or rule that breaks most, if any."""
        hurting = [f for f in self.findings if f.hurts and f.trait.dimension in NAMED_FIRST[:4]]
        return min(hurting, key=lambda f: (-f.broken.low, NAMED_FIRST.index(f.trait.dimension)), default=None)


def find_breaks(runs: Sequence[Run], least: int = LEAST_QUESTIONS, least_images: int = LEAST_IMAGES) -> list[Breaks]:
    """The breaks of every run in every suite it has."""
    places = [(number, name, table) for number, run in enumerate(runs) for name, table in run.tables.items()]
    rates = [trait_rates(table, least, least_images) for _, _, table in places]
    corrected = iter(holm([rate.p for of_suite in rates for rate in of_suite]))
    found = []
    for (number, suite, table), of_suite in zip(places, rates, strict=True):
        tested = sorted(zip(of_suite, islice(corrected, len(of_suite)), strict=True), key=_clearest_first)
        findings = tuple(_finding_of(suite, table, rate, p) for rate, p in tested[:LISTED])
        found.append(Breaks(number, suite, broken(runs[number].still_correct(suite)), findings, len(tested)))
    return found


def _clearest_first(tested: tuple[TraitRate, float]) -> tuple[bool, float, int, list[tuple[str, str]]]:
    rate, p = tested
    return not (p < SIGNIFICANT and rate.rate > rate.rest), -rate.rate, -rate.n, sorted(rate.traits)


def _finding_of(suite: str, table: RunTable, rate: TraitRate, p: float) -> Finding:
    named = sorted(rate.traits, key=lambda trait: (NAMED_FIRST.index(trait[0]), trait[1]))
    first, *also = (Trait(suite, *trait) for trait in named)
    return Finding(first, tuple(also), broken(interval_of(table, rate)), rate.rest, p)


def worst_by_suite(breaks: Sequence[Breaks], run: int) -> dict[str, str]:
    """What breaks this run most in each suite, if anything does."""
    named = ((found.suite, found.worst) for found in breaks if found.run == run)
    return {suite: readable(finding.trait) for suite, finding in named if finding}


def readable(trait: Trait) -> str:
    """A trait in a sentence: tests by their readable names, templates and rules with the word for what they are.

    >>> readable(Trait("rad", "test", "Y/N←C")), readable(Trait("visual", "made_by", "visual/crop"))
    ('yes/no from color', 'the rule crop')
    """
    if trait.dimension == "test":
        return test_name(trait.value)
    if trait.dimension == "made_by":
        return f"the rule {trait.value.removeprefix(f'{trait.suite}/')}"
    return template_name(trait.value) if _TEMPLATE.fullmatch(trait.value) else trait.value


def examples(table: PairTable, wanted: Sequence[tuple[int, Trait]], most: int) -> list[list[int]]:
    """For each run and trait, at most so many pairs with the trait on which the run broke; deterministic."""
    found = []
    for run, trait in wanted:
        owners = table.owners[table.trait_ids == table.number_of[trait]]
        broken = owners[table.codes[run][owners] == BROKE]
        order = np.argsort(table.priority[broken], kind="stable")[:most]
        found.append([int(pair) for pair in broken[order]])
    return found


SHOWN = 12
"""Findings that are shown directly."""

FIRST = 2
"""Findings of each model and suite that the overview may show."""

LISTED = 60
"""Traits in the collapsible list; only these get intervals."""

NAMES = {
    "test": "test",
    "made_by": "rule",
    "question_type": "question type",
    "answer_type": "answer type",
    "answer": "people's answer",
    "changed": "new word",
    "word": "word",
}
"""What the page calls each dimension."""


def breaks_section(content: ReportData, breaks: Sequence[Breaks]) -> Html:
    """The traits with high break rates and the flip matrix, for each model and suite."""
    if not content.pair_table.pairs:
        return el("p", "There are no pairs: no suite made a variant of these questions.")
    explained = el(
        "p",
        "The worst suite of each model comes first. Of the questions answered correctly before the change, the share "
        "that is not still correct after it, as in the ranking: each question counts once, and if variants have "
        "levels, those of the worst level count. The lists show tests, rules, types, answers and words with at least "
        f"{LEAST_QUESTIONS} such questions on {LEAST_IMAGES} images that break significantly more often than the rest "
        "of their suite. Intervals and tests count images, not pairs; p is Holm-corrected over all traits of this "
        "report. Each links to its pairs in the viewer.",
        class_="quiet",
    )
    changed = {suite["name"] for run in content.runs for suite in run.suites if suite.get("variants", 1)}
    listed = [found for found in breaks if found.suite in changed]
    blocks: list[Html | None] = []
    for number in content.standings.order:
        own = sorted((found for found in listed if found.run == number), key=worst_first)
        if own:
            blocks.append(el("h3", mark(number), " ", content.labels[number]) if len(content.runs) > 1 else None)
            blocks += [_panel(content, found, opened=len(blocks) == 1 and not place) for place, found in enumerate(own)]
    return join(_overview(content, listed), explained, *blocks)


def _overview(content: ReportData, breaks: Sequence[Breaks]) -> Html | None:
    """The worst findings of all models that see the image, at most so many of each model and suite."""
    shown = [
        (found.run, finding)
        for found in breaks
        if found.run not in content.standings.blind
        for finding in findings_shown(found)[:FIRST]
    ]
    if not shown:
        return None
    shown = sorted(shown, key=lambda one: -one[1].broken.low)[:SHOWN]
    note = (
        "The findings whose interval begins highest: of the questions answered correctly before the change, the share "
        "that breaks, with its 95 % interval. Dashed: the rest of the suite. Each links to its pairs."
    )
    return figure("What breaks most?", note, _findings(shown, "Worst findings", content), class_="overview")


def worst_first(found: Breaks) -> float:
    """A sort key: the least that breaks, as far as that is known."""
    score = found.broken
    return -score.low if score.has_interval else -score.value if score.known else 1.0


def findings_shown(found: Breaks) -> list[Finding]:
    """The findings at the top of a panel."""
    return [finding for finding in found.findings if finding.hurts][:SHOWN]


def _panel(content: ReportData, found: Breaks, opened: bool) -> Html:
    label, score = content.labels[found.run], found.broken
    limits = f" ({score.interval})" if score.has_interval else ""
    rate = f"{score.short} %{limits} of {plural(score.n, 'question')}" if score.known else "— of 0 questions"
    level = f", at {score.part.replace('=', ' ')}" if score.part else ""
    worst = found.worst
    most = join(", most on ", el("em", readable(worst.trait))) if worst else None
    suite = next(suite for suite in content.suites if suite["name"] == found.suite)
    summary = join(
        el("strong", suite_name(suite)),
        f": {label} breaks on {rate} that it answered correctly{level}",
        most,
    )
    shown = findings_shown(found)
    nothing = el(
        "p",
        f"Nothing stands out: none of {plural(found.tested, 'trait')} breaks significantly more often than the rest."
        if score.known
        else "No pair could break: no original with a variant was answered correctly.",
    )
    listed = found.findings
    part = "All" if len(listed) == found.tested else f"The first {len(listed)} of"
    more = f"{part} {plural(found.tested, 'trait')}, findings and highest rates first"
    return details(
        summary,
        _findings([(found.run, one) for one in shown], "Highest break rates") if shown else nothing,
        details(more, _findings([(found.run, one) for one in listed], "All traits"), folded=True)
        if len(listed) > len(shown)
        else None,
        flip_section(content.pair_table.flips(found.run, found.suite)),
        opened=opened,
        folded=True,
        class_="panel",
    )


def _findings(findings: Sequence[tuple[int, Finding]], caption: str, content: ReportData | None = None) -> Html:
    """A table of findings; with ``content``, those of several models and suites, which it then names."""
    bar = el("span", "As a bar", class_="hidden")
    head = ["Trait", *(["Model"] if content else []), "Breaks, %", bar, "Questions", "Rest, %", "p"]
    columns = [el("th", name, scope="col") for name in head]
    rows = [_finding(run, finding, content) for run, finding in findings]
    return scrolled_table(columns, [el("tbody", *rows)], caption, class_="findings")


def _finding(run: int, finding: Finding, content: ReportData | None) -> Html:
    kind, score = NAMES[finding.trait.dimension], finding.broken
    suites = content.suites if content else ()
    where = next((f" in “{suite_name(suite)}”" for suite in suites if suite["name"] == finding.trait.suite), "")
    also = ", ".join(f"{NAMES[trait.dimension]} {trait.value}" for trait in finding.also[:3])
    return el(
        "tr",
        el(
            "th",
            el(
                "a",
                test_name(finding.trait.value) if kind == "test" else finding.trait.value,
                href=_link(run, finding.trait),
            ),
            el(
                "small",
                term(kind, test_meaning(finding.trait.value) if kind == "test" else ""),
                where,
                f"; the same pairs: {also}" if also else "",
            ),
            scope="row",
        ),
        el("td", mark(run), " ", content.labels[run], class_="text") if content else None,
        el("td", score.short, el("small", score.interval)),
        el("td", meter(run, score.value, score.low, score.high, finding.rest), class_="wide"),
        el("td", count(score.n)),
        el("td", f"{100 * finding.rest:.1f}"),
        el("td", probability(finding.p)),
    )


def _link(run: int, trait: Trait) -> str:
    return to_pairs(suite=trait.suite, by=trait.dimension, value=trait.value, outcome="broke", model=run)
