"""SEARs learned for one model: rules that fool it often and keep the meaning (Ribeiro, Singh, Guestrin 2018, §3–4).

Paraphrases come from P2's rules and from back-translation. The paper's semantic score is a translation model's
likelihood; here it is the similarity of a sentence encoder, with a threshold that 90 % of P2's reviewed paraphrases
reach. An encoder notices neither bad grammar nor a missing article, so words, articles and word order are checked too.
Rules are induced from the paraphrases; rare rules and rules that often change the meaning are dropped; the model is
queried with the rewrites of the others; and the few rules that together fool it most are chosen.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from random import Random
from typing import NamedTuple

from askew.attack.rewrite_rules import RewriteRule, RuleSwaps, induced, pattern_counts
from askew.attack.similarity import SentenceSimilarity
from askew.attack.validity import StrictChecks
from askew.errors import BadOption, DataError, UsageError
from askew.language.paraphrases import reviewed
from askew.language.senses import words_of
from askew.language.tagger import Tagger, Token
from askew.perturb.back_translation import BackTranslation
from askew.perturb.lexical import P2Perturbation
from askew.perturb.lexical.substitutions import Edit, edited
from askew.types import Candidate, Id, Place, Question, Variant
from askew.verbs import Encoder

Fooled = Callable[[Sequence[tuple[Question, str]]], Sequence[bool]]
"""Queries a model with rewordings; returns for each whether it reaches the attack's goal."""

_REVIEWED_PASS = 0.9
"""The similarity threshold is set so that this share of P2's reviewed paraphrases passes."""
_EDITS = 4
"""The most words that may be inserted, deleted or replaced in a paraphrase."""


class Rewrite(NamedTuple):
    """A training question as rewritten by a rule."""

    number: int
    """The index of the question."""
    text: str


class LearnedRule(NamedTuple):
    """A rule, its rewrites of the training questions, and how many of these fool the model."""

    rule: RewriteRule
    rewrites: int
    fooled: int


@dataclass(frozen=True)
class RuleLearner:
    """Learns rewrite rules from questions and a model."""

    most: int = 10
    """The number of rules chosen."""
    least_share: float = 0.005
    """The least share of the questions in which a pattern must occur: 0.5 % in the authors' notebook."""
    least_fooled: int = 6
    """The least number of questions with which a rule must fool the model."""
    worst_share: float = 0.1
    """A rule is dropped when more than this share of its rewrites is not similar enough."""
    considered: int = 500
    """The most rules whose rewrites are checked and sent to the model, the most frequent first."""
    back_translation: bool = True
    """False to take paraphrases from P2's rules alone, without the extra ``translate``."""
    encoder: str | Encoder = "use"

    def __post_init__(self) -> None:
        for name in ("most", "least_fooled", "considered"):
            if getattr(self, name) < 1:
                raise BadOption(f"{name} is {getattr(self, name)}; it must be at least 1.")
        for name in ("least_share", "worst_share"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise BadOption(f"{name} is {getattr(self, name)}. Give a share between 0 and 1.")

    def learn(self, questions: Sequence[Question], fooled: Fooled) -> list[LearnedRule]:
        """The rules that fool the model most, the best first; DataError if no rule fools it."""
        rewrites = self._alike(questions, self._frequent(questions))
        asked: dict[tuple[Id, str], tuple[Question, str]] = {}
        for one in chain.from_iterable(rewrites.values()):
            question = questions[one.number]
            asked.setdefault((question.id, one.text), (question, one.text))
        said = dict(zip(asked, fooled(list(asked.values())), strict=True))
        hits = {
            rule: [one for one in ones if said[questions[one.number].id, one.text]] for rule, ones in rewrites.items()
        }
        kept = {rule: ones for rule, ones in hits.items() if len(ones) >= self.least_fooled}
        if not kept:
            best = max(map(len, hits.values()), default=0)
            raise DataError(
                f"No rule fools the model with {self.least_fooled} of the {len(questions)} training questions; the "
                f"best of {len(hits)} does with {best}. Use more questions, or a smaller least_fooled."
            )
        made = {rule: len(rewrites[rule]) for rule in kept}
        return [LearnedRule(rule, made[rule], len(kept[rule])) for rule in self._chosen(questions, kept, made)]

    def paraphrases(self, questions: Sequence[Question]) -> Iterator[tuple[str, str]]:
        """Pairs of a question and a paraphrase that is similar enough and differs in only a few words."""
        pairs = []
        for old, new in dict.fromkeys(self._proposed(questions)):
            one, other = Counter(words_of(old)), Counter(words_of(new))
            if max((one - other).total(), (other - one).total()) <= _EDITS:
                pairs.append((old, new))
        self._similarity.read([text for pair in pairs for text in pair])
        return (pair for pair in pairs if self._is_similar(*pair))

    @cached_property
    def threshold(self) -> float:
        """The similarity that 90 % of P2's reviewed paraphrases reach with this encoder."""
        pairs = [rule.good for rule in reviewed() if rule.good[0]]
        self._similarity.read([text for pair in pairs for text in pair])
        found = sorted((self._similarity.between(*pair) for pair in pairs), reverse=True)
        return found[int(_REVIEWED_PASS * len(found)) - 1]

    def _proposed(self, questions: Sequence[Question]) -> Iterator[tuple[str, str]]:
        p2 = P2Perturbation(("synonymous", "paraphrastic"))
        texts = list(dict.fromkeys(question.text for question in questions))
        for text, tokens in zip(texts, Tagger().tags(texts), strict=True):
            for found in (*p2.synonymous.propose(text, tokens), *p2.paraphrastic.propose(text, tokens)):
                if isinstance(found, Edit):
                    yield text, edited(text, [found])
        if self.back_translation:
            translation = replace(self._translation, filtered=False)
            translation.prepare(questions)
            for question in questions:
                for made in translation.vary(question, Random(0)):
                    if isinstance(made, Variant):
                        yield question.text, made.question.text

    def _frequent(self, questions: Sequence[Question]) -> list[RewriteRule]:
        """Those rules induced from the paraphrases whose patterns are frequent, the most frequent first."""
        pairs = list(self.paraphrases(questions))
        texts = [text for pair in pairs for text in pair]
        tags = dict(zip(texts, Tagger().tags(texts), strict=True))
        support: Counter[RewriteRule] = Counter()
        for old, new in pairs:
            support.update(induced(old, tags[old], new, tags[new]))
        tagged = Tagger().tags([question.text for question in questions])
        counts = pattern_counts((rule.source for rule in support), tagged)
        least = self.least_share * len(questions)
        frequent = [rule for rule in support if counts[rule.source] >= least]
        return sorted(frequent, key=lambda rule: (-support[rule], -counts[rule.source], rule.id))[: self.considered]

    def _alike(self, questions: Sequence[Question], rules: Sequence[RewriteRule]) -> dict[RewriteRule, list[Rewrite]]:
        """The rewrites of each rule, without duplicates and without rules that often change the meaning."""
        tagged = Tagger().tags([question.text for question in questions])
        made = {rule: _rewrites(rule, questions, tagged) for rule in rules}
        distinct = {tuple(texts): rule for rule, texts in reversed(made.items()) if texts}
        kept = [rule for rule in rules if distinct.get(tuple(made[rule])) is rule]
        Tagger().tags([one.text for rule in kept for one in made[rule]])
        kept = [rule for rule in kept if self._mostly(made[rule], lambda one: self._same_words(questions, one))]
        self._similarity.read([one.text for rule in kept for one in made[rule]])
        return {
            rule: made[rule]
            for rule in kept
            if self._mostly(made[rule], lambda one: self._is_similar(questions[one.number].text, one.text))
        }

    def _mostly(self, rewrites: Sequence[Rewrite], good: Callable[[Rewrite], bool]) -> bool:
        """Whether few enough rewrites are bad; stops counting as soon as there are too many."""
        allowed = self.worst_share * len(rewrites)
        bad = 0
        for one in rewrites:
            bad += not good(one)
            if bad > allowed:
                return False
        return True

    def _same_words(self, questions: Sequence[Question], one: Rewrite) -> bool:
        """Whether content words and articles are neither added nor removed, words keep their order, and verbs agree."""
        question = questions[one.number]
        faults = self._checks.words(question, Candidate(one.text))[0]
        return not faults and self._translation.fault(question.text, one.text) in ("", "unchanged")

    def _is_similar(self, old: str, new: str) -> bool:
        return self._similarity.between(old, new) >= self.threshold

    def _chosen(
        self, questions: Sequence[Question], hits: dict[RewriteRule, list[Rewrite]], rewrites: dict[RewriteRule, int]
    ) -> list[RewriteRule]:
        """Choose rules greedily: each adds most to the sum of the best similarities of fooling rewrites.

        On ties the most specific rule wins, which is the one that rewrites the fewest questions.
        """
        best = [0.0] * len(questions)
        scores = {
            rule: [(one.number, self._similarity.between(questions[one.number].text, one.text)) for one in made]
            for rule, made in hits.items()
        }
        chosen: list[RewriteRule] = []
        while scores and len(chosen) < self.most:
            gains = {rule: round(sum(max(0.0, s - best[n]) for n, s in found), 6) for rule, found in scores.items()}
            top = max(gains, key=lambda rule: (gains[rule], -rewrites[rule]))
            if gains[top] <= 0:
                break
            for number, score in scores.pop(top):
                best[number] = max(best[number], score)
            chosen.append(top)
        return chosen

    @cached_property
    def _similarity(self) -> SentenceSimilarity:
        return SentenceSimilarity(self.encoder)

    @cached_property
    def _translation(self) -> BackTranslation:
        return BackTranslation()

    @cached_property
    def _checks(self) -> StrictChecks:
        return StrictChecks(encoder=self.encoder)


def _rewrites(rule: RewriteRule, questions: Sequence[Question], tagged: Sequence[Sequence[Token]]) -> list[Rewrite]:
    found = []
    for number, (question, tokens) in enumerate(zip(questions, tagged, strict=True)):
        applied = rule.apply(question.text, tokens)
        if applied is not None:
            start, end, new = applied
            new = new[:1].upper() + new[1:] if start == 0 and question.text[:1].isupper() else new
            found.append(Rewrite(number, question.text[:start] + new + question.text[end:]))
    return found


@dataclass(frozen=True)
class LearnedRuleSwaps:
    """Swaps by rules that are first learned on half of the images."""

    learner: RuleLearner = field(default_factory=RuleLearner)

    def trains_on(self, question: Question) -> bool:
        """Whether rules are learned from this question rather than tested on it, by a hash of its image, so that no
        image is in both halves.

        >>> halves = {LearnedRuleSwaps().trains_on(Question(n, None, "")) for n in range(20)}
        >>> halves == {True, False}
        True
        """
        name = question.image.id if question.image is not None else question.id
        return hashlib.sha256(f"sears:{name!r}".encode()).digest()[0] % 2 == 0

    def learn(self, questions: Sequence[Question], fooled: Fooled) -> RuleSwaps:
        """Learn the rules and return swaps that apply them."""
        return RuleSwaps(tuple(found.rule for found in self.learner.learn(questions, fooled)))

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """Raises UsageError: nothing can be proposed before the rules are learned."""
        raise UsageError(
            "sears:mode=learn learns its rules from the model's answers, so its queries cannot be listed in advance. "
            "Run it with --max-calls instead of --dry-run."
        )
