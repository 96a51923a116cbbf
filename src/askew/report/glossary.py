"""Readable names and explanations of abbreviations, shown on hover and on focus, and as a list at the end of a page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from askew.files.read_write import resource
from askew.report.markup import Html, el, join
from askew.types import MetricFacts


def suite_name(suite: Mapping[str, Any]) -> str:
    """The short readable name of a suite; its title, or its name, if it is not in ``glossary.yaml``.

    >>> suite_name({"name": "rad", "title": "Counterfactual yes/no questions (RAD)"}), suite_name({"name": "mine"})
    ('Asked as yes/no', 'mine')
    """
    known = _glossary()["suites"].get(suite["name"])
    return str(known["name"] if known else suite.get("title") or suite["name"])


def suite_meaning(suite: Mapping[str, Any]) -> str:
    """What a suite changes: from ``glossary.yaml``, or else its title."""
    known = _glossary()["suites"].get(suite["name"])
    return str(known["says"] if known else suite.get("title") or "")


def test_name(test: str) -> str:
    """The readable name of a test; the test itself if it is not in ``glossary.yaml``.

    >>> test_name("Y/N←C"), test_name("partition 2"), test_name("mine")
    ('yes/no from color', 'noise level 2', 'mine')
    """
    return _filled(test, "name") or test


def template_name(template: str) -> str:
    """A template of questions in readable words.

    >>> template_name("Q4"), template_name("Z9")
    ('questions “does an object have an attribute”', 'template Z9')
    """
    known = _glossary()["templates"].get(template)
    return f"questions “{known}”" if known else f"template {template}"


def test_meaning(test: str) -> str:
    """What a test does; empty if it is not in ``glossary.yaml``."""
    return _filled(test, "says")


def metric_term(facts: MetricFacts) -> Html:
    """The title of a metric, with what it stands for and what it counts as its explanation."""
    return term(facts.title, facts.explanation())


def test_term(test: str) -> Html:
    """The readable name of a test, with the paper's name and its explanation."""
    name, says = test_name(test), test_meaning(test)
    return term(name, f"{test}: {says}" if name != test else says)


def term(text: str, says: str, left: bool = False) -> Html:
    """A text with an explanation that appears on hover, on focus and on touch; the plain text if there is none.

    ``left``: the explanation opens to the left, for texts near the right edge.

    >>> term("RAD", "of them")
    '<span class="term" tabindex="0" role="note" aria-description="of them" data-says="of them">RAD</span>'
    """
    if not says:
        return join(text)
    kind = "term left" if left else "term"
    return el("span", text, class_=kind, tabindex=0, role="note", aria_description=says, data_says=says)


def glossary(metrics: Iterable[MetricFacts], tests: Iterable[str], suites: Iterable[Mapping[str, Any]]) -> Html:
    """The list of all names on the page with their explanations."""
    entries = {metric.title: says for metric in metrics if (says := metric.explanation())}
    entries |= {test: f"{test_name(test)}: {says}" for test in tests if (says := test_meaning(test))}
    for suite in suites:
        name, says = suite_name(suite), suite_meaning(suite)
        if says and name != says:
            entries[name] = f"{suite['name']}: {says}"
    ordered = sorted(entries.items(), key=lambda entry: entry[0].lower())
    return el("dl", *(join(el("dt", name), el("dd", says)) for name, says in ordered), class_="glossary")


def _filled(test: str, field: str) -> str:
    tests = _glossary()["tests"]
    head, _, last = test.rpartition(" ")
    known = tests.get(test) or tests.get(f"{head} *") or {}
    return str(known.get(field, "")).replace("{last}", last)


@cache
def _glossary() -> dict[str, dict[str, Any]]:
    named: dict[str, dict[str, Any]] = resource("report/glossary.yaml")
    return named
