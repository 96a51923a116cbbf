"""The three perturbations of VQA P2 joined: fit to the data's vocabulary, then vary any question."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from random import Random
from typing import Any

from askew.errors import BadOption
from askew.language.antonyms import Antonyms
from askew.language.inflect import inflected
from askew.language.paraphrases import Paraphrases, reviewed
from askew.language.phrases import Phrases
from askew.language.ppdb import Ppdb, read_ppdb
from askew.language.senses import Senses
from askew.language.synonyms import UNREVIEWED, Synonyms
from askew.language.tagger import Tagger
from askew.language.vocabulary import Vocabulary, words_of
from askew.language.wordnet import WordNet
from askew.perturb.lexical.antonymous import PATTERN, Antonymous, Proposal
from askew.perturb.lexical.edit import Edit, drawn, edited
from askew.perturb.lexical.paraphrastic import Paraphrastic
from askew.perturb.lexical.synonymous import Synonymous
from askew.types import Expect, Question, Refusal, Variant

TYPES = {"synonymous": "syn", "paraphrastic": "para", "antonymous": "ant"}
"""The perturbations, and what the release calls them."""

_FORMS = ("NN", "NNS", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "JJR", "JJS")
_OPPOSITE = {"yes": "no", "no": "yes"}
_REMEMBERED = 50_000
"""How many texts are remembered."""


@dataclass(frozen=True, slots=True)
class _Found:
    """What the rules propose for one text, or why they do not."""

    synonyms: tuple[Edit | str, ...]
    paraphrases: tuple[Edit | str, ...]
    opposite: Proposal | str | None


@dataclass(frozen=True)
class P2Perturbation:
    """Exchanges words of a question for synonyms, paraphrases or antonyms (Whitehead et al. 2020).

    Synonymous and paraphrastic variants keep the answers. In an antonymous one each person's yes becomes no and no
    becomes yes; other answers drop out. Where there is something between the two (hot and cold), a "no" does not say
    that the opposite is true: with ``contraries="sure"`` such questions are changed only when most people said yes.
    """

    types: tuple[str, ...] = field(default=tuple(TYPES), repr=False)
    """Which perturbations; not part of the ``repr``, so that each gives the same alone and with the others."""
    substitutions: int = 2
    """At most so many substitutions of one type in a question."""
    confidence: float = 0.9
    """The least confidence of a synonymous rule; below 0.9 also what only WordNet says."""
    contraries: str = "sure"
    """``sure`` or, as in the paper, ``all``."""
    vocabulary: Vocabulary = field(default_factory=Vocabulary, repr=False, hash=False)
    ppdb: Ppdb | None = field(default=None, repr=False, hash=False)
    tagger: Tagger = field(default_factory=Tagger, repr=False)
    wordnet: WordNet = field(default_factory=WordNet, repr=False)

    def __post_init__(self) -> None:
        for name in self.types:
            if name not in TYPES:
                raise BadOption(f"p2: there is no perturbation {name!r}. Perturbations are {', '.join(TYPES)}.")
        if not self.types:
            raise BadOption(f"p2: no perturbation is given. Perturbations are {', '.join(TYPES)}.")
        if self.substitutions < 1:
            raise BadOption(f"p2: substitutions is {self.substitutions}; at least 1 is needed.")
        if not 0.0 <= self.confidence <= 1.0:
            raise BadOption(f"p2: confidence is {self.confidence}. Give a share between 0 and 1.")
        if self.contraries not in ("sure", "all"):
            raise BadOption(f"p2: contraries is {self.contraries!r}. Give sure or all.")

    @property
    def signature(self) -> str:
        """All that decides the variants: the options, the vocabulary, the tagger and WordNet with their versions."""
        return (
            f"{self!r}, vocabulary {self.vocabulary.signature}, tagger {self.tagger.signature}, "
            f"WordNet {self.wordnet.version}"
        )

    @cached_property
    def synonymous(self) -> Synonymous:
        """What proposes synonyms."""
        own = self.wordnet
        return Synonymous(
            Synonyms(own, self.confidence), Senses(own), Phrases(own), vocabulary=self.vocabulary, ppdb=self.ppdb
        )

    @cached_property
    def paraphrastic(self) -> Paraphrastic:
        """What proposes paraphrases."""
        mined = self.ppdb.paraphrases if self.ppdb else ()
        return Paraphrastic(Paraphrases((*reviewed(), *mined) if mined else ()), self.vocabulary)

    @cached_property
    def antonymous(self) -> Antonymous:
        """What proposes opposites."""
        own = self.wordnet
        return Antonymous(Antonyms(own), Senses(own), Phrases(own), vocabulary=self.vocabulary)

    def prepare(self, questions: Sequence[Question]) -> None:
        """Tag the questions that a rule could match, all at once."""
        self.tagger.tags([question.text for question in questions if self._could(question.text)])

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """At most one variant of each type; a refusal when rules of a type matched and none could be used."""
        if not self._could(question.text):
            return
        found, chance = self._read(question.text), rng.random()
        for name in self.types:
            if name == "antonymous":
                made = self._opposite(question, found.opposite)
            else:
                proposed = found.synonyms if name == "synonymous" else found.paraphrases
                made = self._same(question, TYPES[name], proposed, chance)
            if made is not None:
                yield made

    def _read(self, text: str) -> _Found:
        """What the rules find in a text, remembered: many questions are asked of many pictures."""
        known = self._known
        if text not in known:
            if len(known) >= _REMEMBERED:
                known.clear()
            tokens = self.tagger.tags([text])[0]
            known[text] = _Found(
                tuple(self.synonymous.propose(text, tokens)) if "synonymous" in self.types else (),
                tuple(self.paraphrastic.propose(text, tokens)) if "paraphrastic" in self.types else (),
                self.antonymous.propose(text, tokens) if "antonymous" in self.types else None,
            )
        return known[text]

    @cached_property
    def _known(self) -> dict[str, _Found]:
        return {}

    def __getstate__(self) -> dict[str, Any]:
        return {part.name: getattr(self, part.name) for part in fields(self)}

    def _same(
        self, question: Question, test: str, proposed: Sequence[Edit | str], chance: float
    ) -> Variant | Refusal | None:
        edits = [item for item in proposed if isinstance(item, Edit)]
        reasons = Counter(item for item in proposed if isinstance(item, str))
        if test == TYPES["synonymous"]:
            answered = {word for answer in set(question.answers) for word in words_of(answer)}
            kept = [edit for edit in edits if question.text[edit.start : edit.end].lower() not in answered]
            reasons["the word is also an answer"] += len(edits) - len(kept)
            edits = kept
        if not edits:
            return Refusal(question.id, test, reasons.most_common(1)[0][0]) if reasons.total() else None
        # Seeded anew, so that a type gives the same whichever others are made beside it.
        rng = Random(f"{chance}:{test}")
        return _variant(question, test, Expect.SAME, drawn(edits, self.substitutions, rng))

    def _opposite(self, question: Question, found: Proposal | str | None) -> Variant | Refusal | None:
        if found is None:
            return None
        test = TYPES["antonymous"]
        if isinstance(found, str):
            return Refusal(question.id, test, found)
        edit, rule, asked = found
        yes, no = (sum(_plain(answer) == word for answer in question.answers) for word in ("yes", "no"))
        if not yes + no:
            return Refusal(question.id, test, "nobody answered yes or no") if question.answers else None
        if asked.attributive and yes <= no:
            return Refusal(question.id, test, "a no may be about the noun")
        if self.contraries == "sure" and not rule.complementary and yes <= no:
            return Refusal(question.id, test, "a no leaves what is in between")
        return _variant(_flipped(question), test, Expect.DIFFERENT, [edit])

    def _could(self, text: str) -> bool:
        """True when some rule could match: cheap, before the tagger."""
        if "antonymous" in self.types and PATTERN.match(text):
            return True
        if "synonymous" in self.types and self.confidence < UNREVIEWED:
            return True
        words = frozenset(words_of(text))
        return not self._triggers.isdisjoint(words) or (
            "paraphrastic" in self.types and self.paraphrastic.paraphrases.could(words)
        )

    @cached_property
    def _triggers(self) -> frozenset[str]:
        words: set[str] = set()
        if "synonymous" in self.types:
            for lemma in self.synonymous.synonyms.sources():
                words.update(form for tag in _FORMS if (form := inflected(lemma, tag)) is not None)
            words.update(self.ppdb.sources() if self.ppdb else ())
        return frozenset(words)


def fit(
    questions: Iterable[Question],
    types: tuple[str, ...] = tuple(TYPES),
    substitutions: int = 2,
    confidence: float = 0.9,
    contraries: str = "sure",
    least: int = 1,
    ppdb: Sequence[str] = (),
    score: float = 3.5,
) -> P2Perturbation:
    """The perturbation with the vocabulary of this data: words that occur at least ``least`` times (0: every word)."""
    vocabulary = Vocabulary.of((question.text for question in questions), least) if least > 0 else Vocabulary()
    mined = read_ppdb(ppdb, score) if ppdb else None
    return P2Perturbation(types, substitutions, confidence, contraries, vocabulary, mined)


def _plain(answer: str) -> str:
    return answer.strip().lower().rstrip(".")


def _flipped(question: Question) -> Question:
    """The question with each person's yes and no exchanged; other answers, and how sure those people were, drop out."""
    sure = question.confidences or ("",) * len(question.answers)
    kept = [
        (_OPPOSITE[_plain(a)], how) for a, how in zip(question.answers, sure, strict=True) if _plain(a) in _OPPOSITE
    ]
    confidences = tuple(how for _, how in kept) if question.confidences else ()
    return replace(question, answers=tuple(answer for answer, _ in kept), confidences=confidences)


def _variant(question: Question, test: str, expect: Expect, edits: Sequence[Edit]) -> Variant:
    text = edited(question.text, edits)
    changed = replace(question, id=f"{question.id}/{test}", text=text)
    note = {
        "from": " + ".join(question.text[edit.start : edit.end] for edit in edits),
        "to": " + ".join(edit.text for edit in edits),
        **edits[0].note,
    }
    return Variant(changed, expect, test, "+".join(f"{test}/{edit.rule}" for edit in edits), note)
