"""Rules that rewrite a question: SEARs, "semantically equivalent adversarial rules" (Ribeiro, Singh, Guestrin 2018).

A rule is a pattern of tokens and its replacement: ``WP is`` becomes ``WP 's``. Each part of a pattern is one of

* a word in lower case, or a choice of words: ``color``, ``the|this``;
* a coarse part of speech or a Penn Treebank tag in capitals: ``NOUN``, ``VBZ``;
* ``^`` or ``$``, the virtual tokens before the first word and after the last one (before the question mark).

A part of the replacement that is a tag or a choice stands for the token that matched it, in order. Only the first match
in a question is rewritten, and apostrophes are attached again: ``What 's`` is written ``What's``.

Rules are also induced from pairs of questions (§3 of the paper): from a question and its paraphrase the smallest span
of tokens is taken that covers all differences, alone and with one token of context on the left, on the right and on
both sides. Each token of the pattern is its text, its coarse part of speech or its tag, in all combinations; a token
of the replacement is its text, or refers to a token of the pattern.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any

from askew.attack.word_places import coarse
from askew.files.read_write import resource
from askew.language.tagger import Tagger, Token
from askew.types import Place, Question, Swap

POS = frozenset(("NOUN", "VERB", "ADJ", "ADV", "ADP", "DET", "PRON", "NUM", "CONJ", "PRT", "PUNCT"))
"""The coarse parts of speech; other words in capitals are Penn Treebank tags."""
START, END = "^", "$"
_APOSTROPHE = re.compile(r" (?='|n't\b)")


@dataclass(frozen=True, slots=True)
class RewriteRule:
    """A rule that rewrites ``source`` as ``target``.

    >>> from askew.language.tagger import Tagger
    >>> question = "What is on the table?"
    >>> RewriteRule("whats", ("WP", "is"), ("WP", "'s")).apply(question, Tagger().tags([question])[0])
    (0, 7, "What's")
    """

    id: str
    source: tuple[str, ...]
    target: tuple[str, ...]
    unless: tuple[tuple[str, ...], ...] = ()
    """Patterns that must not match where the rule matches."""
    without: frozenset[str] = frozenset()
    """Words that the question must not contain."""

    def apply(self, text: str, tokens: Sequence[Token]) -> tuple[int, int, str] | None:
        """Start and end of the first match in the text, and its replacement; None without a match."""
        if self.without and not self.without.isdisjoint(token.lower for token in tokens):
            return None
        first = self.find(tokens)
        if first is None:
            return None
        covered = [tokens[first + n] for n in range(len(self._plain(self.source)))]
        new = self._filled(covered)
        start, end = covered[0].start, covered[-1].end
        return None if new == text[start:end] else (start, end, new)

    def find(self, tokens: Sequence[Token]) -> int | None:
        """The index of the first token of the first match; None without a match."""
        for first in range(len(tokens)):
            if matches(self.source, tokens, first) and not any(matches(p, tokens, first) for p in self.unless):
                return first
        return None

    def _filled(self, covered: Sequence[Token]) -> str:
        taken: dict[str, list[Token]] = {}
        for part, token in zip(self._plain(self.source), covered, strict=True):
            taken.setdefault(part, []).append(token)
        words = []
        for part in self._plain(self.target):
            stored = taken.get(part)
            refers = _is_tag(part) or "|" in part  # to what it matched: it may match more than one word
            words.append(stored.pop(0).text if stored and refers else part)
        return _APOSTROPHE.sub("", " ".join(words))

    @staticmethod
    def _plain(parts: Sequence[str]) -> list[str]:
        return [part for part in parts if part not in (START, END)]

    def __str__(self) -> str:
        return f"{' '.join(self.source)} → {' '.join(self.target)}"


def matches(pattern: Sequence[str], tokens: Sequence[Token], first: int) -> bool:
    """Whether a pattern matches the tokens starting at index ``first``."""
    place = first
    for number, part in enumerate(pattern):
        if part == START:
            if place != 0 or number:
                return False
        elif part == END:
            if any(token.tag != "." for token in tokens[place:]):
                return False
        elif place >= len(tokens) or not _fits(part, tokens[place]):
            return False
        else:
            place += 1
    return place > first


def _fits(part: str, token: Token) -> bool:
    if part in POS:
        return coarse(token.tag) == part
    if _is_tag(part):
        return token.tag == part
    return token.lower in part.split("|")


def _is_tag(part: str) -> bool:
    return part[:1].isupper()


@lru_cache(maxsize=2)
def reviewed_rules(published: bool = False) -> tuple[RewriteRule, ...]:
    """The reviewed rules (``rewrite_rules.yaml``), or the four for VQA as printed in the paper.

    >>> [str(rule) for rule in reviewed_rules(published=True)]
    ["WP VBZ → WP 's", 'what NOUN → which NOUN', 'color → colour', "ADV is → ADV 's"]
    """
    data: dict[str, list[dict[str, Any]]] = resource("attack/rewrite_rules.yaml")
    return tuple(rule_of(entry) for entry in data["published" if published else "reviewed"])


def rule_of(entry: dict[str, Any]) -> RewriteRule:
    """A rule from its entry in YAML."""
    source, target = tuple(str(entry["from"]).split()), tuple(str(entry["to"]).split())
    unless = tuple(tuple(pattern.split()) for pattern in entry.get("unless", ()))
    return RewriteRule(str(entry["id"]), source, target, unless, frozenset(entry.get("without", ())))


@dataclass(frozen=True, repr=False)
class RuleSwaps:
    """Swaps by rewrite rules. Each rule rewrites only its first match.

    >>> places = RuleSwaps().places([Question(1, None, "What is next to the bed?")])[0]
    >>> [(place.text, [swap.text for swap in place.swaps]) for place in places]
    [('What is', ["What's", 'so what is']), ('next to the', ['beside the'])]
    """

    rules: tuple[RewriteRule, ...] = ()
    """The rules; empty for the reviewed ones."""

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """The parts of each question that a rule rewrites."""
        texts = [question.text for question in questions]
        return [self._places(text, tokens) for text, tokens in zip(texts, Tagger().tags(texts), strict=True)]

    def _places(self, text: str, tokens: Sequence[Token]) -> tuple[Place, ...]:
        found: dict[tuple[int, int], dict[str, Swap]] = {}
        words = {token.lower for token in tokens}
        for rule in self.rules or reviewed_rules():
            needed = (part.split("|") for part in rule.source if part[0].isalpha() and part[0].islower())
            if any(words.isdisjoint(choice) for choice in needed):  # cheaper than matching
                continue
            applied = rule.apply(text, tokens)
            if applied is not None:
                start, end, new = applied
                found.setdefault((start, end), {}).setdefault(new, Swap(new, rule.id))
        return tuple(
            Place(start, end, text[start:end], "", tuple(swaps.values()))
            for (start, end), swaps in sorted(found.items())
        )

    def __repr__(self) -> str:
        return f"RuleSwaps({'; '.join(map(str, self.rules)) or f'{len(reviewed_rules())} reviewed'})"


LONGEST = 4
"""The most tokens of a pattern."""


def span_of_change(old: Sequence[Token], new: Sequence[Token]) -> tuple[int, int, int, int] | None:
    """The smallest spans that cover all differences: start and end in the old tokens, start and end in the new ones.

    >>> from askew.language.tagger import Tagger
    >>> span_of_change(*Tagger().tags(["What is on the bed?", "What's on the bed?"]))
    (1, 2, 1, 2)
    """
    ones, others = [token.lower for token in old], [token.lower for token in new]
    if ones == others:
        return None
    most = min(len(ones), len(others))
    first = next((n for n in range(most) if ones[n] != others[n]), most)
    last = next((n for n in range(most - first) if ones[-1 - n] != others[-1 - n]), most - first)
    return first, len(ones) - last, first, len(others) - last


def induced(text: str, old: Sequence[Token], changed: str, new: Sequence[Token]) -> list[RewriteRule]:
    """The rules that rewrite this text as the changed one, most specific first within each context.

    >>> from askew.language.tagger import Tagger
    >>> pair = ("What color is it?", "What colour is it?")
    >>> rules = induced(pair[0], Tagger().tags(pair)[0], pair[1], Tagger().tags(pair)[1])
    >>> [str(rule) for rule in rules[:4]]
    ['color → colour', 'NOUN → colour', 'NN → colour', 'color is → colour is']
    """
    span = span_of_change(old, new)
    if span is None:
        return []
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], RewriteRule] = {}
    for left, right in product((0, 1), repeat=2):
        for source, target in _generalised(old, new, span, left, right):
            rule = RewriteRule(" ".join(source) + " → " + " ".join(target), source, target)
            if (source, target) not in found and (applied := rule.apply(text, old)) is not None:
                start, end, made = applied
                if (text[:start] + made + text[end:]).lower() == changed.lower():
                    found[source, target] = rule
    return list(found.values())


def _generalised(
    old: Sequence[Token], new: Sequence[Token], span: tuple[int, int, int, int], left: int, right: int
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Patterns and replacements for a span with this much context; empty if it is too long or covers no token."""
    first, end, start, stop = span
    words = next((n for n in range(len(old), 0, -1) if old[n - 1].tag != "."), 0)  # without the question mark
    at_start, at_end = bool(left) and first == 0, bool(right) and end == words
    before, after = (first - left if not at_start else first), (end + right if not at_end else end)
    covered = old[before:after]
    replaced = [*old[before:first], *new[start:stop], *old[end:after]]
    if not covered or not replaced or len(covered) + at_start + at_end > LONGEST:
        return
    if not all(token.text[0].isalnum() or token.text[0] in "'n" for token in covered):
        return
    for parts in product(*(_choices(token) for token in covered)):
        source = ((START,) if at_start else ()) + parts + ((END,) if at_end else ())
        yield source, tuple(_referring(replaced, covered, parts))


def _choices(token: Token) -> tuple[str, ...]:
    """The text, the coarse part of speech and the tag of a token."""
    return tuple(dict.fromkeys((token.lower, coarse(token.tag), token.tag)))


def _referring(replaced: Sequence[Token], covered: Sequence[Token], parts: Sequence[str]) -> Iterator[str]:
    """The replacement: a reference to the matched token where the word is the same, else its text."""
    free = [(token.lower, part) for token, part in zip(covered, parts, strict=True) if _is_tag(part)]
    for token in replaced:
        match = next((number for number, (word, _) in enumerate(free) if word == token.lower), None)
        if match is None:
            yield token.lower
        else:
            yield free[match][1]
            free = free[match + 1 :]


def pattern_counts(patterns: Iterable[tuple[str, ...]], tagged: Sequence[Sequence[Token]]) -> Counter[tuple[str, ...]]:
    """For each pattern, in how many of the texts it occurs; counts all patterns in one pass."""
    wanted = frozenset(patterns)
    lengths = sorted({len(pattern) for pattern in wanted})
    counts: Counter[tuple[str, ...]] = Counter()
    for tokens in tagged:
        words = [token for token in tokens if token.tag != "."]
        choices = [(START,), *(_choices(token) for token in words), (END,)]
        seen = {
            pattern
            for length in lengths
            for first in range(len(choices) - length + 1)
            for pattern in product(*choices[first : first + length])
            if pattern in wanted
        }
        counts.update(seen)
    return counts
