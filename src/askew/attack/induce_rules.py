"""Rules from pairs of questions: what changed, in its context, generalised (Ribeiro, Singh, Guestrin 2018, §3).

From a question and its paraphrase the smallest span of tokens is taken that covers all differences, alone and with one
token of context on the left, on the right and on both sides. Each token of the pattern is its text, its coarse part of
speech or its tag, in all combinations; a token of the replacement is its text, or refers to a token of the pattern.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from askew.attack.rewrite_rules import END, START, RewriteRule
from askew.attack.word_places import coarse
from askew.language.tagger import Token

LONGEST = 4
"""Tokens of a pattern at most."""


def span_of_change(old: Sequence[Token], new: Sequence[Token]) -> tuple[int, int, int, int] | None:
    """The smallest spans that cover all differences: first and end in the old, first and end in the new tokens.

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
    """The rules that make the changed text of this one, most specific first within each context.

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
            if (source, target) not in found and _makes(rule, text, old, changed):
                found[source, target] = rule
    return list(found.values())


def _generalised(
    old: Sequence[Token], new: Sequence[Token], span: tuple[int, int, int, int], left: int, right: int
) -> Iterator[tuple[tuple[str, ...], tuple[str, ...]]]:
    """Patterns and replacements of a span with this much context; none if it is too long or covers no token."""
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
    free = [(token.lower, part) for token, part in zip(covered, parts, strict=True) if part[:1].isupper()]
    for token in replaced:
        match = next((number for number, (word, _) in enumerate(free) if word == token.lower), None)
        if match is None:
            yield token.lower
        else:
            yield free[match][1]
            free = free[match + 1 :]


def _makes(rule: RewriteRule, text: str, old: Sequence[Token], changed: str) -> bool:
    """Whether a rule makes exactly the changed text, apart from capitals."""
    applied = rule.apply(text, old)
    if applied is None:
        return False
    start, end, new = applied
    return (text[:start] + new + text[end:]).lower() == changed.lower()


def pattern_counts(patterns: Iterable[tuple[str, ...]], tagged: Sequence[Sequence[Token]]) -> Counter[tuple[str, ...]]:
    """In how many of the texts each pattern occurs, for all patterns at once."""
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
