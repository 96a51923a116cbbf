"""Swaps of single words without a model: synonyms and words of the same kind from WordNet, and typing errors.

Synonyms are the swaps of PWWS (Ren et al. 2019), and of TextFooler without a file of word vectors. By default askew
chooses the sense, keeps compounds and inflects, as for VQA P2; ``senses="all"`` gives every synonym of every sense, as
in PWWS.

Words of the same kind take the place of HowNet's sememes (Zang et al. 2020). In the paper a word may replace another
one if some sense of each has exactly the same sememes. HowNet's licence does not allow shipping it; words that share a
direct hypernym in WordNet are the closest substitute. There are more of these, and more of them change the meaning
(*dog*, *cat*), so validity is reported next to success. A user's own sememe table is read from JSON: ``{word: {pos:
[candidates]}}``.

Typing errors are those of DeepWordBug (Gao et al. 2018) and TextBugger (Li et al. 2019), but as people make them. Two
adjacent letters are transposed, a letter is missing, or a neighbouring key is hit instead or in addition. The first and
the last letter stay, since readers rely on them, and the result is never another word.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Literal

from askew.attack.similarity import same_number
from askew.attack.validity import GrammarRules
from askew.attack.word_places import free_words, open_class_words, word_places
from askew.errors import BadOption, DataError
from askew.files.limits import read_object
from askew.files.read_write import fingerprint
from askew.language.inflect import base, inflected
from askew.language.tagger import Tagger, Token
from askew.language.thesaurus import POS_OF_TAG
from askew.language.wordnet import Pos, Synset, WordNet
from askew.perturb.lexical.substitutions import Edit
from askew.perturb.lexical.synonymous import Synonymous
from askew.types import Place, Question, Swap


@dataclass(frozen=True)
class SynonymSwaps:
    """Words of the same WordNet synset, in the same number, tense or comparison.

    >>> places = SynonymSwaps().places([Question(1, None, "Is there a car by the phone booth?")])[0]
    >>> [(place.text, [swap.text for swap in place.swaps]) for place in places if place.swaps]
    [('car', ['automobile'])]
    """

    senses: Literal["likely", "all"] = "likely"
    """``likely``: of the sense that the word has in the question; ``all``: of any sense, also within compounds."""
    confidence: float = 0.15
    """The least confidence of a synonym that was not reviewed: the share of the sense among the uses of both words."""

    def __post_init__(self) -> None:
        if self.senses not in ("likely", "all"):
            raise BadOption(f"senses is {self.senses!r}. Give likely or all.")
        if not 0.0 <= self.confidence <= 1.0:
            raise BadOption(f"confidence is {self.confidence}. Give a share between 0 and 1.")

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """Every word of each question, with its synonyms."""
        texts = [question.text for question in questions]
        return [self._places(text, tokens) for text, tokens in zip(texts, Tagger().tags(texts), strict=True)]

    def _places(self, text: str, tokens: Sequence[Token]) -> tuple[Place, ...]:
        found: dict[int, list[Swap]] = {}
        for start, new in self._all(tokens) if self.senses == "all" else self._likely(text, tokens):
            found.setdefault(start, []).append(Swap(new, "synonym"))
        return word_places(tokens, {n: found[token.start] for n, token in enumerate(tokens) if token.start in found})

    def _likely(self, text: str, tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
        """The synonyms that are reviewed, or attested as this part of speech."""
        tags = {token.start: token.tag for token in tokens}
        for edit in self._synonymous.propose(text, tokens):
            if isinstance(edit, Edit):
                lemma = edit.rule.rpartition("→")[2]
                if edit.note["origin"] == "reviewed" or attested(WordNet(), lemma, POS_OF_TAG[tags[edit.start]]):
                    yield edit.start, edit.text

    def _all(self, tokens: Sequence[Token]) -> Iterator[tuple[int, str]]:
        for token in (tokens[number] for number in open_class_words(tokens)):
            for new in synonyms(WordNet(), base(token.text, token.tag), POS_OF_TAG[token.tag]):
                form = inflected(new, token.tag)
                if form is not None and form != token.lower:
                    yield token.start, form

    @cached_property
    def _synonymous(self) -> Synonymous:
        return Synonymous(self.confidence)


@lru_cache(maxsize=1 << 14)
def synonyms(wordnet: WordNet, lemma: str, pos: Pos) -> tuple[str, ...]:
    """The single words that share a synset with a base form, in WordNet's order.

    >>> synonyms(WordNet(), "car", "n")
    ('auto', 'automobile', 'machine', 'motorcar', 'railcar', 'gondola')
    """
    return tuple(dict.fromkeys(word for sense in wordnet.senses(lemma, pos) for word in sense.synonyms(lemma)))


@lru_cache(maxsize=1 << 14)
def attested(wordnet: WordNet, lemma: str, pos: Pos) -> bool:
    """True when WordNet's sense-tagged texts contain this word; false for rare words such as *ikon*.

    >>> attested(WordNet(), "automobile", "n"), attested(WordNet(), "ikon", "n")
    (True, False)
    """
    return any(wordnet.count(lemma, sense) for sense in wordnet.senses(lemma, pos))


_SENSES = 2
"""How many senses of a word are used; later ones are too rare."""
_LARGEST = 512 << 20
"""The largest sememe table, in bytes."""
_KINDS: Mapping[str, Pos] = {"noun": "n", "verb": "v", "adj": "a", "adv": "r", "n": "n", "v": "v", "a": "a", "r": "r"}
"""The names of parts of speech in such tables."""


@dataclass(frozen=True, repr=False)
class SememeSwaps:
    """Words of the same kind, in the same number, tense or comparison.

    >>> places = SememeSwaps(most=4).places([Question(1, None, "Is the boy near the kite?")])[0]
    >>> [(place.text, [swap.text for swap in place.swaps]) for place in places if place.swaps]
    [('boy', ['man', 'fellow', 'guy', 'sir'])]
    """

    file: str = ""
    """A JSON table ``{word: {pos: [candidates]}}``, e.g. made from HowNet; empty for WordNet."""
    most: int = 50
    """The maximum number of swaps of a word."""
    compounds: bool = True
    """False to also replace words within compounds and fixed phrases."""

    def __post_init__(self) -> None:
        if self.most < 1:
            raise BadOption(f"most is {self.most}; it must be at least 1.")

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """All words of each question, with other words of the same kind."""
        texts = [question.text for question in questions]
        found = []
        for text, tokens in zip(texts, Tagger().tags(texts), strict=True):
            free = free_words(text, tokens) if self.compounds else open_class_words(tokens)
            found.append(word_places(tokens, {number: self._swaps(tokens[number]) for number in free}))
        return found

    def _swaps(self, token: Token) -> tuple[Swap, ...]:
        words = _forms(WordNet(), self._table, token.lower, token.tag)[: self.most]
        return tuple(Swap(word, "sememe") for word in words)

    @cached_property
    def _table(self) -> SememeTable | None:
        return read_sememes(self.file, fingerprint(self.file)) if self.file else None

    def __repr__(self) -> str:
        content = f", content={fingerprint(self.file)!r}" if self.file else ""
        name = Path(self.file).name
        return f"SememeSwaps(file={name!r}{content}, most={self.most}, compounds={self.compounds})"


@dataclass(frozen=True, eq=False)
class SememeTable:
    """Candidates by word and part of speech, from a user's file."""

    words: Mapping[tuple[str, Pos], tuple[str, ...]] = field(repr=False)


@lru_cache(maxsize=1 << 14)
def _forms(wordnet: WordNet, table: SememeTable | None, word: str, tag: str) -> tuple[str, ...]:
    """The words that may replace a word with this tag, with the same inflection."""
    lemma, pos = base(word, tag), POS_OF_TAG[tag]
    if table is None:
        known = same_kind(wordnet, lemma, pos)
    else:
        known = table.words.get((lemma, pos)) or table.words.get((word, pos), ())
    if tag in ("NN", "NNS"):
        known = tuple(new for new in known if same_number(lemma, new))
    forms = (inflected(new, tag) for new in known)
    return tuple(dict.fromkeys(form for form in forms if form is not None and form not in (word, lemma)))


@lru_cache(maxsize=1 << 14)
def same_kind(wordnet: WordNet, lemma: str, pos: Pos) -> tuple[str, ...]:
    """The single words that share a direct hypernym with this word, by the first two senses of both.

    Adjectives have no hypernyms; those of the same cluster are used. The lexicographer file must be the same too. Words
    that share a synset come first, then the most frequent. Words that never occur in WordNet's sense-tagged texts are
    left out.

    >>> same_kind(WordNet(), "zebra", "n")
    ('horse', 'mule')
    """
    found: dict[str, int] = {}
    for rank, sense in enumerate(wordnet.senses(lemma, pos)[:_SENSES]):
        for other in (sense, *_siblings(wordnet, sense)):
            for word in other.synonyms(lemma):
                if other in wordnet.senses(word, pos)[:_SENSES]:
                    near = 1_000_000 if other is sense else 0
                    count = wordnet.count(word, other)
                    found[word] = max(found.get(word, 0), near + count - rank)
    kept = (word for word in found if attested(wordnet, word, pos))
    return tuple(sorted(kept, key=lambda word: (-found[word], word)))


def _siblings(wordnet: WordNet, sense: Synset) -> list[Synset]:
    """The other synsets below the same hypernyms (adjectives: in the same cluster), of the same lexicographer file."""
    up, down = ("&", "&") if sense.pos == "a" else ("@", "~")
    if sense.pos == "a" and not sense.satellite:
        near = [wordnet.to(pointer) for pointer in sense.related("&")]
    else:
        above = [wordnet.to(pointer) for pointer in sense.related(up)]
        near = [wordnet.to(pointer) for parent in above for pointer in parent.related(down)]
    return [other for other in near if other.lexfile == sense.lexfile and other != sense]


@lru_cache(maxsize=2)
def read_sememes(path: str, content: str) -> SememeTable:
    """A user's table of candidates with this fingerprint; DataError if the file is not of this form."""
    remedy = "It must be {word: {pos: [candidates]}}, with noun, verb, adj or adv as pos."
    words: dict[tuple[str, Pos], tuple[str, ...]] = {}
    for word, kinds in read_object(path, remedy, _LARGEST).items():
        if not isinstance(kinds, dict):
            raise DataError(f"{path}: the entry of {word!r} is not an object. {remedy}")
        for kind, candidates in kinds.items():
            if kind.lower() not in _KINDS:
                raise DataError(f"{path}: {word!r} has a part of speech {kind!r}. {remedy}")
            if not isinstance(candidates, list) or not all(isinstance(each, str) and each for each in candidates):
                raise DataError(f"{path}: the candidates of {word!r} as {kind} are not a list of words. {remedy}")
            words[word.lower(), _KINDS[kind.lower()]] = tuple(candidates)
    if not words:
        raise DataError(f"{path}: the file contains no words. {remedy}")
    return SememeTable(words)


_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_BESIDE = {
    letter: row[max(0, place - 1) : place] + row[place + 1 : place + 2]
    for row in _ROWS
    for place, letter in enumerate(row)
}
"""The keys on the left and on the right of each letter."""


@dataclass(frozen=True)
class TypoSwaps:
    """All single typing errors of each word, named by their kind.

    >>> places = TypoSwaps(least=5).places([Question(1, None, "Is it green?")])[0]
    >>> [swap.text for swap in places[2].swaps if swap.rule != "substitute"]
    ['geren', 'geen', 'gren', 'gereen', 'gtreen', 'grween', 'grreen', 'grewen', 'greren']
    """

    least: int = 4
    """The least length of a word."""

    def __post_init__(self) -> None:
        if self.least < 3:
            raise BadOption(f"least is {self.least}. A typing error needs a word of at least 3 letters.")

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """Every word of each question, with its typing errors."""
        tagged = Tagger().tags([question.text for question in questions])
        return [
            word_places(tokens, {number: typos(token.text, self.least) for number, token in enumerate(tokens)})
            for tokens in tagged
        ]


@lru_cache(maxsize=1 << 14)
def typos(word: str, least: int = 4) -> tuple[Swap, ...]:
    """The typing errors of one word that do not result in another word; none for short and non-alphabetic words.

    >>> [swap.text for swap in typos("bats")]
    ['btas', 'bts', 'bsats', 'bayts', 'bsts']
    """
    if len(word) < least or not word.isascii() or not word.isalpha():
        return ()
    rules = GrammarRules()
    found: dict[str, Swap] = {}
    for kind, new in _errors(word):
        if new.lower() != word.lower() and not rules.knows(new.lower()):
            found.setdefault(new, Swap(new, kind))
    return tuple(found.values())


def _errors(word: str) -> Iterator[tuple[str, str]]:
    """The kind and the result of each error between the first and the last letter."""
    inner = range(1, len(word) - 1)
    for i in inner[:-1]:
        yield "swap", word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    for i in inner:
        yield "delete", word[:i] + word[i + 1 :]
    for i in inner:
        for key in _BESIDE.get(word[i].lower(), ""):
            yield "insert", word[:i] + key + word[i:]
    for i in inner:
        for key in _BESIDE.get(word[i].lower(), ""):
            yield "substitute", word[:i] + key + word[i + 1 :]
