"""The rewrites of rules as swaps: SEARs (Ribeiro, Singh, Guestrin 2018)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from askew.attack.rewrite_rules import RewriteRule, reviewed_rules
from askew.language.tagger import Tagger, Token
from askew.types import Place, Question, Swap


@dataclass(frozen=True, repr=False)
class RuleSwaps:
    """What rules make of each question. Each rule rewrites its first match only.

    >>> places = RuleSwaps().places([Question(1, None, "What is next to the bed?")])[0]
    >>> [(place.text, [swap.text for swap in place.swaps]) for place in places]
    [('What is', ["What's", 'so what is']), ('next to the', ['beside the'])]
    """

    rules: tuple[RewriteRule, ...] = ()
    """The rules; empty for the reviewed ones."""
    tagger: Tagger = field(default_factory=Tagger)

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """The parts of each question that a rule rewrites."""
        texts = [question.text for question in questions]
        return [self._places(text, tokens) for text, tokens in zip(texts, self.tagger.tags(texts), strict=True)]

    def _places(self, text: str, tokens: Sequence[Token]) -> tuple[Place, ...]:
        found: dict[tuple[int, int], dict[str, Swap]] = {}
        words = {token.lower for token in tokens}
        for rule, needed in _with_words(self.rules or reviewed_rules()):
            if any(words.isdisjoint(choice) for choice in needed):
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


def _with_words(rules: Sequence[RewriteRule]) -> list[tuple[RewriteRule, list[frozenset[str]]]]:
    """Each rule with the sets of words of which a question must have one each: a cheap test before matching."""
    return [
        (rule, [frozenset(part.split("|")) for part in rule.source if part[0].isalpha() and part[0].islower()])
        for rule in rules
    ]
