"""Substitutions in a text, and the word lists that rule some of them out (``trigger_words.yaml``).

:class:`RuleShares` chooses among what rules propose: rare rules first, and no rule more often than its share. The two
words of a pair of opposites are also true about equally often, so that the word does not give the answer away: most
things that people call clean or dirty are clean.

Ten rules would make most of the variants of VQA questions (*person → individual* alone a quarter). So each rule has
a limit: a question draws a number for each of its substitutions, from its own content, and a rule with a limit is used
only for numbers below it. Numbers and limits do not depend on the order of the questions, on the other questions of a
chunk or on the number of processes.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from heapq import nsmallest
from itertools import combinations
from typing import Any

from askew.files.read_write import word_sets
from askew.language.inflect import article
from askew.types import Question

_ARTICLE = re.compile(r"\b(an?) $", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Edit:
    """One substitution: a part of the text, its replacement, and the rule."""

    start: int
    end: int
    text: str
    rule: str
    """e.g. ``car→automobile`` or the id of a paraphrase."""
    note: Mapping[str, Any] = field(default_factory=dict)
    """More about it: its confidence and the origin of the rule."""
    truth: str = ""
    """For a pair of opposites: the word that is true in the image, ``|`` and the other one; otherwise empty."""

    def overlaps(self, other: Edit) -> bool:
        """True when the two change the same part."""
        return self.start < other.end and other.start < self.end


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with its substitutions, in the case of the words they replace, and with the correct *a* or *an*.

    >>> edited("Is it a car or a bus?", [Edit(8, 11, "automobile", "car→automobile")])
    'Is it an automobile or a bus?'
    >>> edited("People are here?", [Edit(0, 6, "individuals", "person→individual")])
    'Individuals are here?'
    """
    for edit in sorted(edits, key=lambda edit: -edit.start):
        before, old, after = text[: edit.start], text[edit.start : edit.end], text[edit.end :]
        capital = old[:1].isupper() and (edit.start == 0 or not (old[1:2].isupper() or " " in old))
        new = edit.text[:1].upper() + edit.text[1:] if capital else edit.text
        text = fix_article(before, new) + new + after
    return text


def fix_article(before: str, new: str) -> str:
    """The text before a new word; if it ends in *a* or *an*, with the article that the word needs.

    >>> fix_article("A ", "auto"), fix_article("Is it an ", "car"), fix_article("Is the ", "auto")
    ('An ', 'Is it a ', 'Is the ')
    """
    match = _ARTICLE.search(before)
    if match is None:
        return before
    needed = article(new)
    return before[: match.start()] + (needed.capitalize() if match[1][0] == "A" else needed) + " "


def trigger_words() -> Mapping[str, frozenset[str]]:
    """The word lists by name.

    >>> "very" in trigger_words()["joined"]
    True
    """
    return word_sets("perturb/lexical/trigger_words.yaml")


COUNTED = 20_000
"""The maximum number of questions counted: of more, a sample of this size chosen by hash."""
FREE = 10
"""A rule that is used at most this often has no limit."""
FREE_TRUTHS = 5
"""A word may be true this often, however rarely its opposite is."""
_SAFE = 0.9
"""The fraction of a share to aim for when only a sample is counted, so that it is not exceeded by chance."""
_ALL = 1 << 64
_ROUNDS = 200

Case = tuple[str, Sequence[Edit], str]
"""A text, the substitutions of one type that rules allow in it, and the seed of its numbers."""


@dataclass(frozen=True)
class RuleShares:
    """How often the rules of one type match, and the limits of those that match too often.

    >>> two = [Edit(0, 1, "x", "often"), Edit(0, 1, "y", "seldom")]
    >>> chosen = [RuleShares({"often": 900, "seldom": 9}).chosen("a b", two, str(n), 1, 1) for n in range(100)]
    >>> sum(edits[0].rule == "seldom" for (edits,) in chosen) > 95
    True
    """

    uses: Mapping[str, int] = field(default_factory=dict)
    """How often each rule could be used in the questions that were counted."""
    limits: Mapping[str, int] = field(default_factory=dict)
    """For each limited rule or truth, the number below which a use is kept."""

    def chosen(
        self, text: str, edits: Sequence[Edit], seed: str, substitutions: int, variants: int
    ) -> list[tuple[Edit, ...]]:
        """The substitutions of each variant: at most ``substitutions`` in one, and at most ``variants`` variants.

        The first variant has as many substitutions as are allowed, rare rules first; further ones have another
        substitution each, then other combinations.
        """
        kept = [edit for number, edit in self._ranked(edits, seed) if number < _limit(edit, self.limits)]
        return _combined(text, kept, substitutions, variants)

    def _ranked(self, edits: Iterable[Edit], seed: str) -> list[tuple[int, Edit]]:
        """The substitutions in the order of preference, each with its number."""
        drawn = []
        for edit in edits:
            digest = blake2b(f"{seed}:{edit.rule}:{edit.start}".encode(), digest_size=16).digest()
            order = int.from_bytes(digest[:8], "big") * self.uses.get(edit.rule, 1)
            drawn.append((order, edit.start, edit.rule, int.from_bytes(digest[8:], "big"), edit))
        return [item[3:] for item in sorted(drawn, key=lambda item: item[:3])]


def _limit(edit: Edit, limits: Mapping[str, int]) -> int:
    return min(limits.get(edit.rule, _ALL), limits.get(edit.truth, _ALL))


def _combined(text: str, ranked: Sequence[Edit], substitutions: int, variants: int) -> list[tuple[Edit, ...]]:
    """The first combinations that do not overlap and give different texts."""
    if not ranked:
        return []
    first: list[Edit] = []
    for edit in ranked:
        if len(first) < substitutions and not any(edit.overlaps(other) for other in first):
            first.append(edit)
    first.sort(key=lambda edit: edit.start)
    if variants == 1:
        return [tuple(first)]
    by_text = {edited(text, first): tuple(first)}
    for subset in (subset for size in range(1, substitutions + 1) for subset in combinations(ranked, size)):
        if len(by_text) == variants:
            break
        if not any(edit.overlaps(other) for edit, other in combinations(subset, 2)):
            by_text.setdefault(edited(text, subset), tuple(sorted(subset, key=lambda edit: edit.start)))
    return list(by_text.values())


def limited(cases: Sequence[Case], share: float, substitutions: int, variants: int, whole: bool = True) -> RuleShares:
    """Limits such that no rule makes more than its share of the variants of these questions.

    With fewer than 2 / ``share`` rules each may make twice an equal share, and every rule may be used ``FREE`` times.
    Of substitutions with a truth, those whose truth is more frequent than its opposite are limited. ``whole`` means
    that these are all questions of the data, not a sample.
    """
    shares = RuleShares(Counter(edit.rule for _, edits, _ in cases for edit in edits))
    if not shares.uses:
        return shares
    part = 1.0 if share >= 1.0 else max(share, 2 / len(shares.uses)) * (1.0 if whole else _SAFE)
    ranked = [(text, shares._ranked(edits, seed)) for text, edits, seed in cases]
    limits: dict[str, int] = {}
    for _ in range(_ROUNDS):
        total, numbers, truths = 0, dict[str, list[int]](), dict[str, list[int]]()
        for text, draws in ranked:
            kept = {id(edit): number for number, edit in draws if number < _limit(edit, limits)}
            edits = [edit for _, edit in draws if id(edit) in kept]
            for chosen in _combined(text, edits, substitutions, variants):
                total += 1
                for edit in chosen:
                    numbers.setdefault(edit.rule, []).append(kept[id(edit)])
                    if edit.truth:
                        truths.setdefault(edit.truth, []).append(kept[id(edit)])
        most = int(max(part * total, FREE if whole else 1))
        above = {rule: sorted(drawn)[most] for rule, drawn in numbers.items() if len(drawn) > most}
        above |= _unbalanced(truths, FREE_TRUTHS if whole else 1)
        if not above:
            break
        limits |= above
    return RuleShares(shares.uses, limits)


def _unbalanced(truths: Mapping[str, list[int]], free: int) -> dict[str, int]:
    """The limits of truths that are more frequent than their opposites.

    >>> _unbalanced({"open|closed": [8, 3, 5], "closed|open": [1]}, free=1)
    {'open|closed': 5}
    """
    limits = {}
    for truth, numbers in truths.items():
        opposite = "|".join(reversed(truth.split("|")))
        most = max(free, len(truths.get(opposite, ())))
        if len(numbers) > most:
            limits[truth] = sorted(numbers)[most]
    return limits


def sampled(questions: Iterable[Question]) -> tuple[list[Question], bool]:
    """The questions with the smallest hashes, at most ``COUNTED``, and whether these are all: a sample that does not
    depend on the order.
    """

    def hashed(question: Question) -> bytes:
        return blake2b(question.content.encode("utf-8", "replace"), digest_size=8).digest()

    found = nsmallest(COUNTED + 1, questions, key=hashed)
    return found[:COUNTED], len(found) <= COUNTED
