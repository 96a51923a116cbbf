"""What a masked language model expects in the place of a word, as swaps: BERT-Attack (Li et al. 2020).

The model is a folder that transformers saved; no code of it is run. As in the authors' code the question itself, not a
masked one, is read where the word is one piece of the model's vocabulary. A word of several pieces is replaced by one
mask (the authors try products of pieces, which take hours).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from askew.attack.word_places import free_words, function_words, word_places
from askew.errors import BadOption, DataError, need
from askew.files.read_write import fingerprint
from askew.language.fixed_phrases import FixedPhrases
from askew.language.tagger import Tagger, Token
from askew.types import Place, Question, Swap

_OFFLINE = {"local_files_only": True, "trust_remote_code": False}


@dataclass(frozen=True, repr=False)
class MaskedSwaps:
    """The words that a masked language model finds most likely in the place of each content word."""

    folder: str
    """A folder with config.json, model.safetensors and the tokenizer's files."""
    most: int = 48
    """How many of the model's predictions are taken for each place, before fragments of words are dropped."""
    tagger: Tagger = field(default_factory=Tagger)

    def __post_init__(self) -> None:
        if self.most < 1:
            raise BadOption(f"most is {self.most}; at least 1 is needed.")

    def places(self, questions: Sequence[Question]) -> list[tuple[Place, ...]]:
        """Every word of each question, with what the model expects there."""
        texts = [question.text for question in questions]
        found = []
        for text, tokens in zip(texts, self.tagger.tags(texts), strict=True):
            free = free_words(text, tokens, self._phrases)
            expected = self._model.expected(text, [tokens[number] for number in free], self.most)
            swaps = {n: [Swap(word, "masked") for word in words] for n, words in zip(free, expected, strict=True)}
            found.append(word_places(tokens, swaps))
        return found

    @cached_property
    def _phrases(self) -> FixedPhrases:
        return FixedPhrases()

    @cached_property
    def _digest(self) -> str:
        path = Path(self.folder)
        if not (path / "config.json").is_file():
            raise DataError(f"{self.folder}: there is no config.json. Give a folder with a masked language model.")
        return fingerprint(*(str(file) for file in sorted(path.rglob("*")) if file.is_file()))

    @property
    def _model(self) -> _MaskedModel:
        return _load(self.folder, self._digest)

    def __repr__(self) -> str:
        return f"MaskedSwaps({Path(self.folder).resolve().name!r}, content={self._digest!r}, most={self.most})"


class _MaskedModel:
    """A loaded model and tokenizer. Each text is read alone, so that what it gives does not depend on other texts."""

    def __init__(self, torch: Any, tokenizer: Any, model: Any) -> None:
        self._torch, self._tokenizer, self._model = torch, tokenizer, model

    def expected(self, text: str, tokens: Sequence[Token], most: int) -> list[list[str]]:
        """The words expected in the place of each token, the likeliest first."""
        if not tokens:
            return []
        whole = self._scores(text)
        found = []
        for token in tokens:
            pieces = whole[2].get((token.start, token.end))
            scores, offset = whole[0], pieces
            if pieces is None:  # several pieces: one mask in their place
                mask = self._tokenizer.mask_token
                masked = text[: token.start] + mask + text[token.end :]
                scores, ids, _ = self._scores(masked)
                offset = next((n for n, i in enumerate(ids) if i == self._tokenizer.mask_token_id), None)
            found.append(list(self._words(scores[offset], token.lower, most)) if offset is not None else [])
        return found

    def _scores(self, text: str) -> tuple[Any, list[int], dict[tuple[int, int], int]]:
        """The scores of each piece of the text, the pieces, and the piece of each span of characters."""
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
    except Exception as trouble:  # whatever a wrong or half-copied folder leads transformers to
        raise DataError(
            f"{folder}: cannot be loaded as a masked language model ({type(trouble).__name__}: "
            f"{str(trouble).partition(chr(10))[0]}). Check that the folder is complete and has model.safetensors."
        ) from trouble
    if tokenizer.mask_token is None or not tokenizer.is_fast:
        raise DataError(
            f"{folder}: its tokenizer has no mask or is not a fast one. Save tokenizer.json with the model."
        )
    return _MaskedModel(torch, tokenizer, model)
