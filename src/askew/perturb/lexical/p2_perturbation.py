"""The three perturbations of VQA P2 together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache, partial
from random import Random
from typing import Any, NamedTuple

from askew.errors import BadOption
from askew.language.paraphrase_tables import Ppdb
from askew.language.paraphrases import Paraphrases, reviewed
from askew.language.senses import WordCounts, everyday_words, words_of
from askew.language.tagger import Tagger
from askew.perturb.lexical.antonymous import Antonymous, Proposal
from askew.perturb.lexical.substitutions import Case, Edit, RuleShares, edited, limited, sampled
from askew.perturb.lexical.synonymous import Paraphrastic, Synonymous
from askew.perturb.vary_dataset import CHUNK, chunks_of, opening
from askew.types import Expect, Question, Refusal, Variant
from askew.verbs import Executor

TYPES = {"synonymous": "syn", "paraphrastic": "para", "antonymous": "ant"}
"""The perturbations and their names in the release."""

_OPPOSITE = {"yes": "no", "no": "yes"}
_ANSWER_WORD = 3
"""The minimum length of a word that counts as an answer: shorter ones are mostly articles and prepositions."""
_REMEMBERED = 50_000
"""How many texts are cached."""


class _Proposed(NamedTuple):
    """The substitutions of one type that rules propose for a text, and the reasons against others."""

    edits: tuple[Edit, ...] = ()
    reasons: tuple[str, ...] = ()

    @classmethod
    def of(cls, found: Iterable[Edit | str]) -> _Proposed:
        listed = list(found)
        edits = (item for item in listed if not isinstance(item, str))
        return cls(tuple(edits), tuple(item for item in listed if isinstance(item, str)))


@dataclass(frozen=True)
class P2Perturbation:
    """Replaces words of a question by synonyms, paraphrases or antonyms (Whitehead et al. 2020).

    Synonymous and paraphrastic variants keep the answers. In an antonymous one each person's yes becomes no and no
    becomes yes; other answers are dropped. If there is something between the two (hot and cold), "no" does not imply
    the opposite: with ``contraries="sure"`` such questions are changed only if most people said yes.
    """

    types: tuple[str, ...] = field(default=tuple(TYPES), repr=False)
    """Which perturbations; not part of the ``repr``, so each gives the same variants alone and with the others."""
    substitutions: int = 2
    """The maximum number of substitutions of one type in a question."""
    confidence: float = 0.9
    """The lowest confidence of a synonymous rule; below 0.9 also synonyms that only WordNet lists."""
    contraries: str = "sure"
    """``sure`` or, as in the paper, ``all``."""
    variants: int = 1
    """The maximum number of variants of one type of a question."""
    balance: str = field(default="text", repr=False)
    """``text``: both words of a pair of opposites are true about equally often; ``paper``: as often as in the data.
    Not part of the ``repr``, so it does not change the other types."""
    shares: Mapping[str, RuleShares] = field(default_factory=dict, repr=False, hash=False)
    """For each type, how often its rules match and which are limited; ``fit`` counts it."""
    vocabulary: WordCounts = field(default_factory=WordCounts, repr=False, hash=False)
    ppdb: Ppdb | None = field(default=None, repr=False, hash=False)
    tagger: Tagger = field(default_factory=Tagger, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.types, str):
            raise BadOption(f"p2: types is {self.types!r}. Give a tuple, such as ({self.types!r},).")
        for name in self.types:
            if name not in TYPES:
                raise BadOption(f"p2: there is no perturbation {name!r}. Perturbations are {', '.join(TYPES)}.")
        if not self.types:
            raise BadOption(f"p2: no perturbation is given. Perturbations are {', '.join(TYPES)}.")
        for name in ("substitutions", "variants"):
            if getattr(self, name) < 1:
                raise BadOption(f"p2: {name} is {getattr(self, name)}; at least 1 is needed.")
        if not 0.0 <= self.confidence <= 1.0:
            raise BadOption(f"p2: confidence is {self.confidence}. Give a share between 0 and 1.")
        if self.contraries not in ("sure", "all"):
            raise BadOption(f"p2: contraries is {self.contraries!r}. Give sure or all.")
        if self.balance not in ("text", "paper"):
            raise BadOption(f"p2: balance is {self.balance!r}. Give text or paper.")

    @cached_property
    def synonymous(self) -> Synonymous:
        """Proposes synonyms."""
        return Synonymous(self.confidence, self.vocabulary, self.ppdb)

    @cached_property
    def paraphrastic(self) -> Paraphrastic:
        """Proposes paraphrases."""
        mined = self.ppdb.paraphrases if self.ppdb else ()
        return Paraphrastic(Paraphrases((*reviewed(), *mined) if mined else ()), self.vocabulary)

    @cached_property
    def antonymous(self) -> Antonymous:
        """Proposes opposites."""
        return Antonymous(self.vocabulary)

    def prepare(self, questions: Sequence[Question]) -> None:
        """Read all questions at once: tag those that a rule could match, and cache what the rules propose."""
        self._read([question.text for question in questions])

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """Variants of each type; a refusal when rules of a type matched and none could be used."""
        seed, texts = str(rng.random()), {question.text}
        for name, proposed in self._usable(question):
            shares = self.shares.get(name, RuleShares())
            chosen = shares.chosen(question.text, proposed.edits, f"{seed}:{name}", self.most(name), self.variants)
            if not chosen:
                reasons = proposed.reasons or ("its rules have reached their share",)
                yield Refusal(question.id, TYPES[name], max(reasons, key=reasons.count))
            for number, edits in enumerate(chosen, 1):
                variant = _variant(question, name, edits, number)
                if variant.question.text not in texts:
                    texts.add(variant.question.text)
                    yield variant

    def cases(self, question: Question, rng: Random) -> Iterator[tuple[str, Case]]:
        """The substitutions of each type that are possible in a question, for ``limited``."""
        seed = str(rng.random())
        for name, proposed in self._usable(question):
            if proposed.edits:
                yield name, (question.text, proposed.edits, f"{seed}:{name}")

    def most(self, name: str) -> int:
        """The maximum number of substitutions in a variant of this type: only one word is asked about."""
        return 1 if name == "antonymous" else self.substitutions

    def limit(self, shares: Mapping[str, RuleShares]) -> P2Perturbation:
        """The same perturbation with these shares; what rules propose for texts is not computed again."""
        perturbation = replace(self, shares=shares)
        perturbation._known.update(self._known)
        return perturbation

    def _usable(self, question: Question) -> Iterator[tuple[str, _Proposed]]:
        """What is proposed for a question with these answers, for each type whose rules matched."""
        if question.text not in self._known:
            self._read([question.text])
        for name, found in self._known[question.text].items():
            same = name != "antonymous"
            proposed = _without_answer_words(found, question) if same else self._opposites(question, found)
            if proposed.edits or proposed.reasons:
                yield name, proposed

    def _read(self, texts: Sequence[str]) -> None:
        """Find and cache what the rules propose for texts: many questions are asked about many images."""
        known = self._known
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if len(known) + len(new) > _REMEMBERED:
            known.clear()
            new = list(dict.fromkeys(texts))
        known.update((text, {}) for text in new)
        possible = {text: types for text in new if (types := self._possible(text))}
        for text, tokens in self.tagger.read(list(possible)):
            known[text] = {name: tuple(getattr(self, name).propose(text, tokens)) for name in possible[text]}

    @cached_property
    def _known(self) -> dict[str, dict[str, tuple[Any, ...]]]:
        """What the rules of each type propose for each text: edits (opposites with more about them), and reasons."""
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def _opposites(self, question: Question, found: Sequence[Proposal | str]) -> _Proposed:
        """The opposites whose answers are known: those of this question, exchanged."""
        if not found or not question.answers:
            return _Proposed()
        yes, no = (sum(_plain(answer) == word for answer in question.answers) for word in ("yes", "no"))
        people = len(question.answers)
        if 2 * (yes + no) <= people:
            return _Proposed.of(["most answers are neither yes nor no"])
        usable: list[Edit | str] = []
        for proposal in found:
            if isinstance(proposal, str):
                usable.append(proposal)
                continue
            edit, rule, asked = proposal
            if asked.attributive and yes <= no:
                usable.append("a no may refer to the noun")
            elif self.contraries == "sure" and not rule.complementary and 2 * yes <= people:
                usable.append("a no does not imply the opposite")
            elif self.balance == "text":
                true, false = (rule.source, rule.target) if yes > no else (rule.target, rule.source)
                usable.append(replace(edit, truth=f"{true}|{false}"))
            else:
                usable.append(edit)
        return _Proposed.of(usable)

    def _possible(self, text: str) -> list[str]:
        """The types with a rule that could match: a cheap test before tagging."""
        words = frozenset(words_of(text))
        could = {
            "synonymous": lambda: self.synonymous.could(words),
            "paraphrastic": lambda: self.paraphrastic.paraphrases.could(words),
            "antonymous": lambda: self.antonymous.could(text),
        }
        return [name for name in self.types if could[name]()]


def _without_answer_words(found: Iterable[Edit | str], question: Question) -> _Proposed:
    """The proposals, except those that replace a word that is also an answer."""
    proposed = _Proposed.of(found)
    if not proposed.edits or not question.answers:
        return proposed
    answered = _answer_words(question.answers)
    if answered.isdisjoint(words_of(question.text)):
        return proposed
    kept = tuple(
        edit
        for edit in proposed.edits
        if answered.isdisjoint(set(words_of(question.text[edit.start : edit.end])).difference(words_of(edit.text)))
    )
    gone = len(proposed.edits) - len(kept)
    return _Proposed(kept, (*proposed.reasons, *("the word is also an answer",) * gone)) if gone else proposed


@lru_cache(maxsize=1 << 14)
def _answer_words(answers: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for answer in set(answers) for word in words_of(answer) if len(word) >= _ANSWER_WORD)


def _plain(answer: str) -> str:
    return answer.strip().lower().rstrip(".")


def _flipped(question: Question) -> Question:
    """The question with yes and no exchanged; other answers and their confidences are dropped."""
    plain = map(_plain, question.answers)
    all_confidences = question.confidences or ("",) * len(question.answers)
    kept = [
        (_OPPOSITE[answer], sure) for answer, sure in zip(plain, all_confidences, strict=True) if answer in _OPPOSITE
    ]
    confidences = tuple(sure for _, sure in kept) if question.confidences else ()
    return replace(question, answers=tuple(answer for answer, _ in kept), confidences=confidences)


def _variant(question: Question, name: str, edits: Sequence[Edit], number: int) -> Variant:
    test = TYPES[name]
    text = edited(question.text, edits)
    asked, expect = (_flipped(question), Expect.DIFFERENT) if test == "ant" else (question, Expect.SAME)
    changed = replace(asked, id=f"{question.id}/{test}" + (f"/{number}" if number > 1 else ""), text=text)
    note = {
        "from": " + ".join(question.text[edit.start : edit.end] for edit in edits),
        "to": " + ".join(edit.text for edit in edits),
        **edits[0].note,
    }
    return Variant(changed, expect, test, "+".join(f"{test}/{edit.rule}" for edit in edits), note)


def fit(
    questions: Iterable[Question],
    perturbation: P2Perturbation | None = None,
    least: int = 1,
    share: float = 0.05,
    everyday: bool = True,
    seed: int = 0,
    executor: Executor | None = None,
) -> P2Perturbation:
    """The perturbation with the vocabulary of this data and the shares of its rules, from one pass over the questions.

    A word may be inserted if it occurs at least ``least`` times in the data (0: any word) or, with ``everyday``, if
    everybody knows it. No rule makes more than ``share`` of the variants of its type (1: no limit), and opposites are
    balanced as set in the perturbation. Pass the ``seed`` that the questions will be varied with. An ``executor``
    shares the work between workers.
    """
    if not 0.0 < share <= 1.0:
        raise BadOption(f"p2: share is {share}. Give a share above 0, up to 1 for no limit.")
    draft = perturbation or P2Perturbation()
    counts_rules = share < 1.0 or (draft.balance == "text" and "antonymous" in draft.types)
    known: Counter[str] = Counter()

    def read() -> Iterator[Question]:
        for question in questions:
            known.update(words_of(question.text))
            yield question

    counted, whole = sampled(read() if least > 0 or counts_rules else ())
    if least > 0:
        allowed = everyday_words() if everyday else frozenset[str]()
        draft = replace(draft, vocabulary=WordCounts(known, least, allowed))
    if not counts_rules:
        return draft
    find = partial(find_cases, draft, opening(draft, seed))
    cases: dict[str, list[Case]] = {name: [] for name in draft.types}
    for found in map(find, [counted]) if executor is None else executor.map(find, chunks_of(counted, CHUNK)):
        for name, case in found:
            cases[name].append(case)
    return draft.limit(
        {name: limited(own, share, draft.most(name), draft.variants, whole) for name, own in cases.items()}
    )


def find_cases(perturbation: P2Perturbation, start: str, questions: Sequence[Question]) -> list[tuple[str, Case]]:
    """The substitutions that are possible in each of a chunk of questions; ``start`` begins the seeds of all."""
    perturbation.prepare(questions)
    return [
        case for question in questions for case in perturbation.cases(question, Random(f"{start}:{question.content}"))
    ]
