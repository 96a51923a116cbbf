"""Who has right what the others have right: CARETS' model-coverage matrices (Jimenez et al. 2022, A.5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.report.census import ABSENT, FAILED, RIGHT, Census, Trait
from askew.report.content import Content
from askew.report.markup import Html, details, el, join, scroll
from askew.report.plots import mark

Bools = npt.NDArray[np.bool_]

BOTH_RIGHT = 3 * RIGHT + RIGHT
"""The census's code of a pair answered both rightly."""


def covered_section(content: Content) -> Html | None:
    """A matrix for each suite with several models, and on demand for each of its tests; None when there is none."""
    blocks = [block for suite in content.suites for block in _suite(content, suite)]
    if not blocks:
        return None
    return el(
        "figure",
        el("figcaption", el("h3", "Who covers whom")),
        el(
            "p",
            "Of the pairs that the model of the column answers both rightly, how many per cent the model of the row "
            "has both right too; n counts the former. Only pairs that both models answered.",
            class_="quiet",
        ),
        *blocks,
    )


def coverage(census: Census, chosen: Bools) -> list[list[tuple[float | None, int]]]:
    """``coverage[i][j]``: share of run j's right pairs that run i has right too, and how many those of j are."""
    right = [(codes == BOTH_RIGHT) & chosen for codes in census.codes]
    known = [_answered(codes) for codes in census.codes]
    found = []
    for ours, answered in zip(right, known, strict=True):
        base = [theirs & answered for theirs in right]
        counts = [int(pairs.sum()) for pairs in base]
        shared = [int((ours & pairs).sum()) for pairs in base]
        found.append([(both / n if n else None, n) for both, n in zip(shared, counts, strict=True)])
    return found


def _answered(codes: npt.NDArray[np.uint8]) -> Bools:
    """Which pairs have an answer to judge on both sides."""
    return np.asarray((codes != ABSENT) & (codes // 3 != FAILED) & (codes % 3 != FAILED))


def _suite(content: Content, suite: Mapping[str, Any]) -> Iterator[Html]:
    numbers = [number for number, _ in content.with_suite(suite["name"])]
    if len(numbers) < 2 or not suite.get("tests"):
        return
    heads = content.census.heads()
    name, title = suite["name"], suite.get("title") or suite["name"]
    yield _matrix(content, numbers, heads[:, 0] == _number(content, name, "suite", name), title)
    each = [
        _matrix(content, numbers, heads[:, 1] == _number(content, name, "test", test), test)
        for test in suite["tests"]
        if len(suite["tests"]) > 1
    ]
    if each:
        yield details(f"Test by test ({name})", *each)


def _number(content: Content, suite: str, dimension: str, value: str) -> int:
    """Where this trait stands in the census; -1 when no pair has it."""
    return content.census.number_of.get(Trait(suite, dimension, value), -1)


def _matrix(content: Content, numbers: list[int], chosen: Any, caption: str) -> Html:
    found = coverage(content.census, np.asarray(chosen))
    head = [el("th", "How much ↓ covers of →", scope="col")]
    head += [el("th", *_named(content, n), scope="col") for n in numbers]
    lines = [
        el(
            "tr",
            el("th", *_named(content, i), scope="row"),
            *(_cell(*found[i][j], same=i == j) for j in numbers),
        )
        for i in numbers
    ]
    inner = el(
        "table",
        el("caption", caption, class_="hidden"),
        el("thead", el("tr", *head)),
        el("tbody", *lines),
        class_="heat",
    )
    return join(el("h4", caption), scroll(inner, f"Who covers whom: {caption}"))


def _named(content: Content, number: int) -> tuple[Html, str]:
    return mark(number), f" {content.labels[number]}"


def _cell(share: float | None, n: int, same: bool) -> Html:
    if same:
        return el("td", "–", el("small", f"n {n:,}"))
    if share is None:
        return el("td", "—")
    return el("td", f"{100 * share:.1f}", el("small", f"n {n:,}"), class_=f"heat{min(9, int(10 * share))}")
