"""What breaks a model: the tests, rules, question and answer types, answers and words with the highest break rates.

A break is a pair whose original was answered correctly and whose variant was not. The rate of a trait is compared with
the rest of its suite (pairs treated as independent), with Holm's correction over all traits that were tested. The
section of the page lists the worst traits of each suite first.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

import numpy as np
from numpy.typing import NDArray

from askew.errors import plural
from askew.metrics.pairs import BROKE, DIMENSIONS, HELD
from askew.report.answer_flips import flip_section
from askew.report.glossary import suite_name, template_name, term, test_meaning, test_name
from askew.report.markup import Html, details, el, join, scrolled_table
from askew.report.pair_table import PairTable, Trait
from askew.report.report_data import ReportData
from askew.report.score_display import count, probability
from askew.report.svg import mark, meter
from askew.significance import difference_p, holm, wilson

SUPPORT = 20
"""The least number of pairs for which the rate of a trait is shown."""

NAMED_FIRST = ("question_type", "test", "made_by", "answer_type", "answer", "changed", "word")
"""If exactly the same pairs have several traits, the first of these dimensions, the most informative, is named."""

_TEMPLATE = re.compile(r"[A-Z]\d+")
"""The question types of data that names its templates by a letter and a number."""


@dataclass(frozen=True, slots=True)
class Finding:
    """How often pairs with this trait broke, compared with the rest of the suite."""

    trait: Trait
    also: tuple[Trait, ...]
    """Other traits of exactly the same pairs."""
    broken: int
    n: int
    """Pairs whose original was answered correctly and whose variant was answered."""
    low: float
    high: float
    rest: float
    """The rate of the suite's other pairs; nan if there are none."""
    p: float
    """Holm-corrected."""

    @property
    def rate(self) -> float:
        """Broken pairs among those that could break."""
        return self.broken / self.n

    @property
    def hurts(self) -> bool:
        """Whether it breaks significantly more often than the rest."""
        return self.p < 0.05 and self.rate > self.rest


@dataclass(frozen=True, slots=True)
class Breaks:
    """One run's breaks in one suite: the total, and every trait with enough support, the highest rates first."""

    run: int
    suite: str
    broken: int
    n: int
    findings: tuple[Finding, ...]

    @property
    def worst(self) -> Finding | None:
        """The finding named in a sentence: the question type, test, answer type or rule that breaks most, if any."""
        hurting = [f for f in self.findings if f.hurts and f.trait.dimension in NAMED_FIRST[:4]]
        return min(hurting, key=lambda f: (-f.low, NAMED_FIRST.index(f.trait.dimension)), default=None)


def find_breaks(table: PairTable, support: int = SUPPORT) -> list[Breaks]:
    """The breaks of every run in every suite it has."""
    found = []
    for number, run in enumerate(table.runs):
        tally = _tally(table, number)
        found += [_breaks(table, number, suite["name"], tally, support) for suite in run.suites]
    return found


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


@dataclass(frozen=True, slots=True)
class _Tally:
    """For each trait, how many pairs broke and held, and a fingerprint of these pairs."""

    broken: NDArray[np.int64]
    held: NDArray[np.int64]
    prints: NDArray[np.float64]


def _tally(table: PairTable, run: int) -> _Tally:
    size, codes = len(table.traits), table.codes[run]
    broke, held = codes == BROKE, codes == HELD
    weights = np.where(broke | held, (table.priority >> np.uint64(11)).astype(np.float64) / 2.0**53, 0.0)
    return _Tally(
        np.bincount(table.trait_ids[np.repeat(broke, table.trait_counts)], minlength=size),
        np.bincount(table.trait_ids[np.repeat(held, table.trait_counts)], minlength=size),
        np.asarray(
            np.bincount(table.trait_ids, weights=np.repeat(weights, table.trait_counts), minlength=size), np.float64
        ),
    )


def _breaks(table: PairTable, run: int, suite: str, tally: _Tally, support: int) -> Breaks:
    whole = table.number_of.get(Trait(suite, "suite", suite))
    if whole is None:
        return Breaks(run, suite, 0, 0, ())
    all_broken, all_n = int(tally.broken[whole]), int(tally.broken[whole] + tally.held[whole])
    alike = _alike(table, suite, tally, support, all_n)
    tests = [difference_p(hits, n, all_broken - hits, all_n - n) for hits, n, _ in alike]
    findings = [
        Finding(same[0], tuple(same[1:]), hits, n, *wilson(hits, n), (all_broken - hits) / (all_n - n), p)
        for ((hits, n, _), same), p in zip(alike.items(), holm(tests), strict=True)
    ]
    findings.sort(key=lambda f: (not f.hurts, -f.low, -f.n, f.trait.dimension, f.trait.value))
    return Breaks(run, suite, all_broken, all_n, tuple(findings))


def _alike(
    table: PairTable, suite: str, tally: _Tally, support: int, all_n: int
) -> dict[tuple[int, int, float], list[Trait]]:
    """The traits that enough pairs of a suite have, but not all of them; traits of the same pairs are one finding."""
    alike: dict[tuple[int, int, float], list[Trait]] = {}
    enough = tally.broken + tally.held
    for index in np.flatnonzero((enough >= support) & (enough < all_n)):
        trait = table.traits[index]
        if trait.suite == suite and trait.dimension in DIMENSIONS and trait.value:
            key = int(tally.broken[index]), int(enough[index]), float(tally.prints[index])
            alike.setdefault(key, []).append(trait)
    for same in alike.values():
        same.sort(key=lambda trait: (NAMED_FIRST.index(trait.dimension), trait.value))
    return alike


SHOWN = 12
"""Findings that are shown directly."""

LISTED = 60
"""Findings in the collapsible list."""

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
        "The worst suite of each model comes first. A pair breaks if the original was answered correctly and the "
        "variant was not; rates are among pairs whose original was answered correctly. The lists show tests, rules, "
        f"types, answers and words that have at least {SUPPORT} such pairs and break significantly more often than the "
        "rest of their suite (pairs treated as independent, Wilson intervals, Holm-corrected). Each links to its "
        "pairs in the viewer.",
        class_="quiet",
    )
    uncounted = content.pair_table.uncounted
    left = (
        el("p", f"{plural(uncounted, 'rare value')} beyond the first 200,000 not counted.", class_="quiet")
        if uncounted
        else None
    )
    changed = {suite["name"] for run in content.runs for suite in run.suites if suite.get("variants", 1)}
    listed = [found for found in breaks if found.suite in changed]
    blocks = []
    for number in content.standings.order:
        own = [found for found in listed if found.run == number]
        if own:
            heading = el("h3", mark(number), " ", content.labels[number]) if len(content.runs) > 1 else None
            blocks += [heading, *(_panel(content, found) for found in sorted(own, key=_worst_first))]
    return join(explained, left, *blocks)


def _worst_first(found: Breaks) -> float:
    return -wilson(found.broken, found.n)[0] if found.n else 1.0


def findings_shown(found: Breaks) -> list[Finding]:
    """The findings at the top of a panel."""
    return [finding for finding in found.findings if finding.hurts][:SHOWN]


def _panel(content: ReportData, found: Breaks) -> Html:
    label = content.labels[found.run]
    low, high = wilson(found.broken, found.n)
    rate = (
        f"{100 * found.broken / found.n:.1f} % ({100 * low:.1f}–{100 * high:.1f}) of {count(found.n)}"
        if found.n
        else "— of 0"
    )
    worst = found.worst
    most = join(", most on ", el("em", readable(worst.trait))) if worst else None
    suite = next(suite for suite in content.suites if suite["name"] == found.suite)
    summary = join(
        el("strong", suite_name(suite)),
        f": {label} breaks on {rate} pairs whose original it answered correctly",
        most,
    )
    shown = findings_shown(found)
    nothing = el(
        "p",
        f"Nothing stands out: none of {count(len(found.findings))} traits breaks significantly more often than others."
        if found.n
        else "No pair could break: no original with a variant was answered correctly.",
    )
    listed = found.findings[:LISTED]
    part = "All" if len(listed) == len(found.findings) else f"The first {len(listed)} of"
    more = f"{part} {plural(len(found.findings), 'trait')}, highest rates first"
    return details(
        summary,
        _findings(found, shown, "Highest break rates") if shown else nothing,
        details(more, _findings(found, listed, "All traits")) if len(listed) > len(shown) else None,
        flip_section(content.pair_table.flips(found.run, found.suite)),
        class_="panel",
    )


def _findings(found: Breaks, findings: list[Finding] | tuple[Finding, ...], caption: str) -> Html:
    head = ["Trait", "Breaks, %", "", "Broken", "Rest, %", "p"]
    columns = [el("th", name, scope="col") for name in head]
    rows = [_finding(found.run, finding) for finding in findings]
    return scrolled_table(columns, [el("tbody", *rows)], caption, class_="findings")


def _finding(run: int, finding: Finding) -> Html:
    kind = NAMES[finding.trait.dimension]
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
                f"; the same pairs: {also}" if also else "",
            ),
            scope="row",
        ),
        el("td", f"{100 * finding.rate:.1f}", el("small", f"{100 * finding.low:.1f}–{100 * finding.high:.1f}")),
        el("td", meter(run, finding.rate, finding.low, finding.high, finding.rest), class_="wide"),
        el("td", f"{count(finding.broken)} of {count(finding.n)}"),
        el("td", f"{100 * finding.rest:.1f}"),
        el("td", probability(finding.p)),
    )


def _link(run: int, trait: Trait) -> str:
    query = {"suite": trait.suite, "by": trait.dimension, "value": trait.value, "outcome": "broke", "model": run}
    return "#" + urlencode(query)
