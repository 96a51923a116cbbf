"""Swaps from trained models that the user provides: word vectors, and masked language models.

Nearest neighbours of word vectors are TextFooler's swaps (Jin et al. 2020). The paper uses counter-fitted vectors
(Mrkšić et al. 2016), in which synonyms are near and opposites far. The authors publish them as a text file, ``word v1 …
v300`` per line; it is not shipped with askew. Plain GloVe vectors are no substitute: there *red* and *yellow* are
neighbours.

The predictions of a masked language model for each position are BERT-Attack's swaps (Li et al. 2020). The model is a
folder saved by transformers; none of its code is run. As in the authors' code, a word that is one piece of the
vocabulary is left unmasked in the model's input. A word of several pieces is replaced by one mask (the authors try all
combinations of pieces, which takes hours).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from askew.attack.similarity import same_number
from askew.attack.word_places import free_words, function_words, is_word, word_places
from askew.errors import BadOption, DataError, need
from askew.files.limits import bounded_lines
from askew.files.read_write import fingerprint, opened
from askew.language.inflect import base, inflected
from askew.language.tagger import Tagger, Token
from askew.language.thesaurus import POS_OF_TAG
from askew.types import Place, Question, Swap

_MOST_NUMBERS = 400_000_000
"""The most numbers in a table: 1.6 GB as float32."""
_AT_ONCE = 64
"""How many words are compared with all others in one batch."""
_NEAREST = 200
"""How many neighbours of a word are cached, and the most that may be used."""
_REMEDY = "Each line must be a word and its numbers, separated by spaces, and all lines must have equally many."


@dataclass(frozen=True, repr=False)
class VectorSwaps:
    """The nearest words by cosine, from a file of word vectors."""

    file: str
    """A text file with ``word v1 … vn`` per line; may be compressed."""
    least: float = 0.5
    """The lowest cosine: 0.7 in the paper, 0.5 in its code."""
    most: int = 50
    """The maximum number of neighbours."""
    compounds: bool = True
    """False to also replace words within compounds and fixed phrases, and to allow changes of number and tense."""

    def __post_init__(self) -> None:
        if not -1.0 <= self.least <= 1.0:
            raise BadOption(f"least is {self.least}. Give a cosine between -1 and 1.")
        if not 1 <= self.most <= _NEAREST:
            raise BadOption(f"most is {self.most}; it must be from 1 to {_NEAREST}.")

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """All words of each question, with their nearest neighbours."""
        texts = [question.text for question in questions]
        tagged = Tagger().tags(texts)
        pairs = [(tokens, self._open(text, tokens)) for text, tokens in zip(texts, tagged, strict=True)]
        near = self._table.neighbours({tokens[n].lower for tokens, places in pairs for n in places})
        return [word_places(tokens, {n: self._swaps(tokens[n], near) for n in places}) for tokens, places in pairs]

    def _open(self, text: str, tokens: Sequence[Token]) -> list[int]:
        if self.compounds:
            return free_words(text, tokens)
        return [number for number, token in enumerate(tokens) if is_word(token)]

    def _swaps(self, token: Token, near: dict[str, tuple[tuple[str, float], ...]]) -> tuple[Swap, ...]:
        found = [word for word, cosine in near.get(token.lower, ())[: self.most] if cosine >= self.least]
        if self.compounds:
            found = [word for word in found if _fits(token.lower, word, token.tag)]
        return tuple(Swap(word, "neighbour") for word in found)

    @cached_property
    def _table(self) -> WordVectors:
        return read_vectors(self.file, fingerprint(self.file))

    def __repr__(self) -> str:
        name, content = Path(self.file).name, fingerprint(self.file)
        compounds = "" if self.compounds else ", compounds=False"
        return f"VectorSwaps({name!r}, content={content!r}, least={self.least}, most={self.most}{compounds})"


def _fits(old: str, new: str, tag: str) -> bool:
    """True when a word has the inflection that this tag requires, if any (*dogs* for NNS), and nouns count alike."""
    return _has_form(new, tag) and (tag not in ("NN", "NNS") or same_number(base(old, tag), base(new, tag)))


@lru_cache(maxsize=1 << 15)
def _has_form(word: str, tag: str) -> bool:
    return tag not in POS_OF_TAG or inflected(base(word, tag), tag) == word


class WordVectors:
    """Word vectors of unit length, with a cache of neighbours."""

    def __init__(self, words: Sequence[str], rows: Any) -> None:
        self.words, self._rows = words, rows
        self._number = {word: number for number, word in reversed(list(enumerate(words)))}
        self._known: dict[str, tuple[tuple[str, float], ...]] = {}

    def neighbours(self, words: Iterable[str]) -> dict[str, tuple[tuple[str, float], ...]]:
        """For each word its nearest words with their cosines, nearest first; empty for words without a vector."""
        new = sorted({word for word in words if word in self._number and word not in self._known})
        for start in range(0, len(new), _AT_ONCE):
            part = new[start : start + _AT_ONCE]
            cosines = np.round(self._rows[[self._number[word] for word in part]] @ self._rows.T, 5)
            for word, row in zip(part, cosines, strict=True):
                row[self._number[word]] = -2.0
                self._known[word] = tuple(self._nearest(row))
        return self._known

    def _nearest(self, row: Any) -> Iterator[tuple[str, float]]:
        best = np.argpartition(-row, _NEAREST)[:_NEAREST] if len(row) > _NEAREST else np.arange(len(row))
        for number in best[np.lexsort((best, -row[best]))]:
            if row[number] > -2.0:
                yield self.words[number], float(row[number])


@lru_cache(maxsize=1)
def read_vectors(path: str, content: str) -> WordVectors:
    """The vectors of a text file with this fingerprint; DataError if a line does not have this form."""
    words: dict[str, None] = {}
    rows: list[Any] = []
    with opened(path) as file:
        for number, line in enumerate(bounded_lines(file, path), 1):
            fields = line.split()
            if not fields or (number == 1 and len(fields) == 2):  # the header of word2vec files: the size of the table
                continue
            word, row = _row(path, number, fields, len(rows[0]) if rows else 0)
            if word not in words:
                words[word] = None
                rows.append(row)
            if len(rows) * len(row) > _MOST_NUMBERS:
                raise DataError(
                    f"{path}: more than {_MOST_NUMBERS:,} numbers. Keep the lines of the most frequent words."
                )
    if not rows:
        raise DataError(f"{path}: the file contains no words. {_REMEDY}")
    table = np.array(rows, np.float32)
    table /= np.maximum(np.linalg.norm(table, axis=1, keepdims=True), 1e-12)
    return WordVectors(list(words), table)


def _row(path: str, number: int, fields: Sequence[bytes], width: int) -> tuple[str, Any]:
    if len(fields) < 3 or (width and len(fields) != width + 1):
        wanted = f"{width} numbers" if width else "at least two numbers"
        raise DataError(f"{path}: line {number} has {len(fields) - 1} numbers, not {wanted}. {_REMEDY}")
    try:
        word, row = fields[0].decode("utf-8"), np.array(fields[1:]).astype(np.float32)
    except ValueError:
        raise DataError(f"{path}: line {number} is not a word and {width or 'some'} numbers. {_REMEDY}") from None
    if not np.isfinite(row).all():
        raise DataError(f"{path}: line {number} has a number that is not finite. {_REMEDY}")
    return word, row


_OFFLINE = {"local_files_only": True, "trust_remote_code": False}


@dataclass(frozen=True, repr=False)
class MaskedSwaps:
    """The words that a masked language model predicts for the position of each content word."""

    folder: str
    """A folder with config.json, model.safetensors and the tokenizer's files."""
    most: int = 48
    """How many of the model's predictions are used for each word, before fragments of words are dropped."""

    def __post_init__(self) -> None:
        if self.most < 1:
            raise BadOption(f"most is {self.most}; it must be at least 1.")

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """All words of each question, with the model's predictions for them."""
        texts = [question.text for question in questions]
        found = []
        for text, tokens in zip(texts, Tagger().tags(texts), strict=True):
            free = free_words(text, tokens)
            expected = self._model.expected(text, [tokens[number] for number in free], self.most)
            swaps = {n: [Swap(word, "masked") for word in words] for n, words in zip(free, expected, strict=True)}
            found.append(word_places(tokens, swaps))
        return found

    @cached_property
    def _digest(self) -> str:
        path = Path(self.folder)
        if not (path / "config.json").is_file():
            raise DataError(f"{self.folder}: it has no config.json. Give a folder with a masked language model.")
        return fingerprint(*(str(file) for file in sorted(path.rglob("*")) if file.is_file()))

    @property
    def _model(self) -> _MaskedModel:
        return _load(self.folder, self._digest)

    def __repr__(self) -> str:
        return f"MaskedSwaps({Path(self.folder).resolve().name!r}, content={self._digest!r}, most={self.most})"


class _MaskedModel:
    """A loaded model and tokenizer. Each text is run alone, so that predictions do not depend on a batch."""

    def __init__(self, torch: Any, tokenizer: Any, model: Any) -> None:
        self._torch, self._tokenizer, self._model = torch, tokenizer, model

    def expected(self, text: str, tokens: Sequence[Token], most: int) -> list[list[str]]:
        """The words predicted for each token, the most likely first."""
        if not tokens:
            return []
        whole, _, pieces = self._scores(text)
        found = []
        for token in tokens:
            scores, piece = whole, pieces.get((token.start, token.end))
            if piece is None:  # one mask replaces all pieces of the word
                scores, ids, _ = self._scores(text[: token.start] + self._tokenizer.mask_token + text[token.end :])
                piece = next((n for n, number in enumerate(ids) if number == self._tokenizer.mask_token_id), None)
            found.append(list(self._words(scores[piece], token.lower, most)) if piece is not None else [])
        return found

    def _scores(self, text: str) -> tuple[Any, list[int], dict[tuple[int, int], int]]:
        """The vocabulary scores at each piece of the text, the pieces, and the piece that covers each span."""
        read = self._tokenizer(text, return_tensors="pt", truncation=True, return_offsets_mapping=True)
        spans = [tuple(span) for span in read.pop("offset_mapping")[0].tolist()]
        with self._torch.inference_mode():
            scores = self._model(**read).logits[0]
        return scores, read["input_ids"][0].tolist(), {span: n for n, span in enumerate(spans) if span[0] < span[1]}

    def _words(self, scores: Any, old: str, most: int) -> Iterator[str]:
        best = self._torch.topk(scores, min(most, scores.shape[-1])).indices.tolist()
        for piece in self._tokenizer.convert_ids_to_tokens(best):
            word = piece.removeprefix("Ġ").removeprefix("▁")
            if word.isalpha() and word.islower() and word != old and word not in function_words():
                yield word


@lru_cache(maxsize=1)
def _load(folder: str, content: str) -> _MaskedModel:
    torch, transformers = need("torch", "hf"), need("transformers", "hf")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(folder, use_fast=True, **_OFFLINE)
        model = transformers.AutoModelForMaskedLM.from_pretrained(folder, use_safetensors=True, **_OFFLINE).eval()
    except Exception as trouble:  # transformers raises various errors for wrong or incomplete folders
        raise DataError(
            f"{folder}: cannot be loaded as a masked language model ({type(trouble).__name__}: "
            f"{str(trouble).partition(chr(10))[0]}). Check that the folder is complete and has model.safetensors."
        ) from trouble
    if tokenizer.mask_token is None or not tokenizer.is_fast:
        raise DataError(
            f"{folder}: its tokenizer has no mask token or is not a fast tokenizer. Save tokenizer.json with the model."
        )
    return _MaskedModel(torch, tokenizer, model)
