"""AMBER, generative part (Wang et al. 2023): which objects does a description name that are not in the image?

A folder with ``query/query_generative.json`` (a list of ``{id, image, query}``), ``annotations.json`` (``{id, type
"generative", truth, hallu}``: the objects that are there, and those that people would expect), ``relation.json`` (for
each object other words for it) and ``safe_words.txt`` (words that never count as wrong).

What each word of ``relation.json`` means in a description of an image is decided here, by the rules of the authors'
``inference.py``, and written to the tag ``objects``; the metric ``description`` only looks nouns up in it.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from askew.data.bad_records import Sieve, distinct, id_in, text, texts
from askew.data.benchmarks.benchmark_reader import QuestionBenchmark, Sizes, bad_label, missing_files
from askew.data.benchmarks.sniff import PathContents
from askew.data.json_stream import decoded, lines, pairs
from askew.errors import BadOption, DataError, need
from askew.types import Id, Kind, Question

_WANTED = (r"query_generative\.json", r"annotations\.json", r"relation\.json", r"safe_words\.txt")
_ALIKE = 0.8
"""Words with a higher similarity of their vectors count as the same object."""


@dataclass(frozen=True, repr=False)
class AmberGenerative(QuestionBenchmark):
    """AMBER: descriptions of images, and the objects that are named in them (Wang et al. 2023)."""

    title: ClassVar[str] = "AMBER, generative"
    suites: ClassVar[Sequence[str]] = ("amber-generative",)
    sizes: ClassVar[Sizes] = {"query_generative.json": {"questions": 1004}}

    vectors: str = ""
    """A spaCy model with word vectors (the authors' is en_core_web_lg), by which similar words are the same object."""

    def files(self) -> Sequence[str]:
        """The queries, the annotations, and the two lists of words."""
        contents = PathContents(self.path)
        found = [contents.named(pattern)[:1] for pattern in _WANTED]
        if not all(found) or not os.path.isdir(self.path):
            wanted = "query/query_generative.json, annotations.json, relation.json and safe_words.txt (its folder data)"
            raise missing_files(self.path, self.title, wanted)
        return [path for paths in found for path in paths]

    def read_questions(self, counts: Counter[str]) -> Iterator[Question]:
        """The questions in the order of the queries."""
        queries, annotations, *_ = self.files()
        sieve = self.sieve(annotations)
        objects = {
            key: record
            for _, key, record in distinct(sieve, self.records(sieve), id_in("id"))
            if record.get("type") == "generative"
        }
        if not self.vectors:
            self.remarks.append(
                f"{self.title}: similar words are not the same object, so figures differ from published ones. With a "
                "spaCy model with vectors they are: amber-generative:FOLDER,vectors=en_core_web_lg."
            )
        sieve = self.sieve(queries)
        make = lambda key, record: self._question(key, record, objects)  # noqa: E731
        yield from self.sifted(sieve, self.records(sieve), id_in("id"), make, counts)

    def _question(self, key: Id, record: Mapping[str, Any], objects: Mapping[Id, Mapping[str, Any]]) -> Question:
        if key not in objects:
            raise bad_label("missing", "generative, in annotations.json")
        truth, hallu = (texts(objects[key], name) for name in ("truth", "hallu"))
        unknown = [word for word in (*truth, *hallu) if word not in self._relations]
        if unknown:
            raise bad_label(unknown[0], "an object in relation.json")
        tags = (
            ("hallu", "|".join(hallu)),
            ("objects", "|".join(f"{word}={self._meaning(word, truth, hallu)}" for word in self._words)),
            ("truth", "|".join(truth)),
        )
        return Question(
            key, self.image(text(record, "image")), text(record, "query"), truth, Kind("description"), tags=tags
        )

    def _meaning(self, word: str, truth: Sequence[str], hallu: Sequence[str]) -> str:
        """What a word in a description says: ``t0`` names the first true object, ``h1`` the second expected one, and
        ``x`` is an object that is not there.

        An object is named by the first of all words for the objects, and by its own name only after them (*sic*).
        """
        if word in self._safe:
            return ""
        true, expected = self._named(truth), self._named(hallu)
        if word in true:
            return f"t{true[word]}"
        meant = [f"h{expected[word]}"] if word in expected else []
        meant += [f"h{expected[other]}" for other in expected if self._are_alike(word, other)][:1]
        covered = [f"t{true[other]}" for other in true if self._are_alike(word, other)][:1]
        return ",".join(dict.fromkeys([*meant, *(covered or ["x"])]))

    def _named(self, objects: Sequence[str]) -> Mapping[str, int]:
        """The place of the object that each word names."""
        found: dict[str, int] = {}
        for place, name in enumerate(objects):
            for word in self._relations[name]:
                found.setdefault(word, place)
        for place, name in enumerate(objects):
            found.setdefault(name, place)
        return found

    @cached_property
    def _relations(self) -> Mapping[str, Sequence[str]]:
        sieve = Sieve(self.files()[2], False)
        found = {
            name: sieve.sift(number, name, texts, {name: words}, name) or ()
            for number, (name, words) in pairs(sieve.path)
        }
        if not found:
            raise DataError(f"{sieve.path}: there are no words. Copy the file again.")
        return found

    @cached_property
    def _words(self) -> Sequence[str]:
        return list(dict.fromkeys(word for name, words in self._relations.items() for word in (name, *words)))

    @cached_property
    def _safe(self) -> frozenset[str]:
        return frozenset(decoded(line).strip() for _, line in lines(self.files()[3]))

    def _are_alike(self, word: str, other: str) -> bool:
        return word == other or (bool(self.vectors) and other in self._similar[word])

    @cached_property
    def _similar(self) -> Mapping[str, frozenset[str]]:
        """For each word those with similar vectors."""
        spacy = need("spacy", "language")
        try:
            model = spacy.load(self.vectors)
        except OSError:
            raise BadOption(
                f"spaCy has no model {self.vectors!r}. Install it: python -m spacy download {self.vectors}"
            ) from None
        found = np.stack([model(word).vector for word in self._words])
        if not found.any():
            raise BadOption(f"The spaCy model {self.vectors!r} has no word vectors. Use en_core_web_lg.")
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        units = found / np.where(lengths > 0, lengths, 1)
        alike = units @ units.T > _ALIKE
        return {
            word: frozenset(other for other, close in zip(self._words, row, strict=True) if close)
            for word, row in zip(self._words, alike, strict=True)
        }
