"""A model's most telling failures: pairs that it breaks on, of the suites that break it most, on different images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any
from urllib.parse import quote

from askew.report.breaks import HELD, Breaks, examples
from askew.report.glossary import suite_name, test_term
from askew.report.markup import Html, el, join
from askew.report.pair_table import PairTable, Trait
from askew.report.pair_viewer import Record, draw_pairs
from askew.report.thumbnails import Thumbnails
from askew.significance import wilson

MOST_FAILURES = 3
"""The number of failures for each model."""

CANDIDATES = 6
"""The number of pairs of a suite to choose from, so that no image is shown twice."""

LONGEST_TEXT = 160
"""The number of characters of an answer, or of a question's context, that are shown."""


def telling_failures(table: PairTable, breaks: Sequence[Breaks], album: Thumbnails) -> list[list[Record]]:
    """Up to three failures of each run, as records of the pair viewer; their images are added to ``album``."""
    wanted = [list(_candidates(table, breaks, run)) for run in range(len(table.runs))]
    numbers = list(dict.fromkeys(number for suites in wanted for pairs in suites for number in pairs))
    drawn = dict(zip(numbers, draw_pairs(table, numbers, album), strict=True)) if numbers else {}
    return [_different([[drawn[number] for number in pairs] for pairs in suites]) for suites in wanted]


def _candidates(table: PairTable, breaks: Sequence[Breaks], run: int) -> Iterator[list[int]]:
    """Some broken pairs of each suite that has any; the suites with the highest break rates first."""
    broken = [found for found in breaks if found.run == run and found.broken]
    for found in sorted(broken, key=lambda suite: (-wilson(suite.broken, suite.n)[0], suite.suite)):
        trait = found.worst.trait if found.worst else Trait(found.suite, "suite", found.suite)
        (pairs,) = examples(table, [(run, trait)], 20 * CANDIDATES)
        yield sorted(pairs, key=lambda pair: -_held_by_others(table, run, pair))[:CANDIDATES]


def _held_by_others(table: PairTable, run: int, pair: int) -> int:
    """How many other runs answer both sides correctly: a failure that others avoid says more."""
    return sum(bool(codes[pair] == HELD) for number, codes in enumerate(table.codes) if number != run)


def _different(suites: list[list[Record]]) -> list[Record]:
    """One pair of each suite in turn, with no image twice if possible."""
    chosen: list[Record] = []
    for repeated in (False, True):
        for place in range(CANDIDATES):
            for pairs in suites:
                seen = {pair["image"] for pair in chosen}
                fresh = [pair for pair in pairs if pair not in chosen and (repeated or pair["image"] not in seen)]
                if len(chosen) < MOST_FAILURES and fresh and sum(pair in chosen for pair in pairs) <= place:
                    chosen.append(fresh[0])
    return chosen


def failure_cards(failures: Sequence[Record], run: int, album: Thumbnails, suites: Sequence[Any], linked: bool) -> Html:
    """The failures of one run beside each other; ``linked`` if the page has a viewer with these pairs."""
    if not failures:
        return el("p", "No pair broke: no correct answer became wrong after a change.", class_="quiet")
    named = {suite["name"]: suite_name(suite) for suite in suites}
    cards = [el("li", _card(pair, run, album, named, linked)) for pair in failures]
    return el("ul", *cards, class_="failures", aria_label="Telling failures")


def _card(pair: Record, run: int, album: Thumbnails, named: dict[str, str], linked: bool) -> Html:
    answers = pair["models"][run]
    images = [_image(number, album, place) for place, number in enumerate(pair["images"][:2])]
    link = (
        el("a", "Open this pair", href=f"#pair={quote(pair['key'], safe='')}", class_="needs-script")
        if linked
        else None
    )
    return el(
        "article",
        el("div", *images, class_="failure-images"),
        el(
            "div",
            el("p", named.get(pair["suite"], pair["suite"]), ": ", test_term(pair["test"]), class_="failure-where"),
            _side("Asked", pair["old"], "del", "✓", "right", answers["old"]),
            _side("Changed", pair["new"], "ins", "✗", "wrong", answers["new"], _expected(pair)),
            link,
        ),
        class_="failure",
    )


def _image(number: int | None, album: Thumbnails, place: int) -> Html:
    if number is None:
        return el("span", "no image", class_="nothing")
    alt = "The image after the change" if place else "The image that the question is about"
    return el("img", alt=alt, src=f"data:image/jpeg;base64,{album.images[number]}")


def _side(label: str, side: Record, tag: str, sign: str, kind: str, reply: Record, expected: str = "") -> Html:
    pieces = [_marked(tag, text) if changed else join(text) for text, changed in side["text"]]
    context = el("span", f"(context: {_short(side['context'])}) ", class_="quiet") if side["context"] else None
    answer = reply.get("answer") or reply.get("error") or "(empty)"
    return el(
        "p",
        el("span", label, class_="failure-label"),
        el("span", context, *pieces, class_="failure-question"),
        el(
            "span",
            el("b", f"{sign} “{_short(str(answer))}”", class_=kind),
            el("span", expected, class_="quiet") if expected else None,
            class_="failure-answer",
        ),
        class_="failure-side",
    )


def _marked(tag: str, text: str) -> Html:
    """A changed piece, marked without the space before it."""
    bare = text.lstrip()
    return join(text[: len(text) - len(bare)], el(tag, bare))


def _expected(pair: Record) -> str:
    people = pair["new"]["people"]
    if people:
        return f" expected “{_short(people[0][0])}”"
    return {"same": " should stay the same", "different": " should change"}.get(pair["expect"], "")


def _short(text: str) -> str:
    return text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + "…"
