"""The answers that a model with a closed vocabulary can give: what upper bounds and OOV of Table 9 are told by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from askew.answers.normalise import normalise
from askew.collect.typed_text import same_answer
from askew.errors import DataError
from askew.files.limits import bounded_read, load_json


class Vocabulary:
    """Answers, found by their normalised form."""

    def __init__(self, answers: Iterable[str]) -> None:
        self._written: dict[str, list[str]] = {}
        self._same: set[str] = set()
        for answer in dict.fromkeys(answers):
            self._written.setdefault(normalise(answer), []).append(answer)
            self._same.add(same_answer(answer))

    def __len__(self) -> int:
        return sum(map(len, self._written.values()))

    def has_any(self, given: Iterable[str]) -> bool:
        """Whether any of these normalised answers is in it."""
        return not self._same.isdisjoint(given)

    def written(self, normalised: str) -> Sequence[str]:
        """The answers of the vocabulary with this normalised form, as the vocabulary writes them."""
        return self._written.get(normalised, ())


def read_vocabulary(path: str | Path) -> Vocabulary:
    """A file with one answer per line, or a JSON list of answers, or a JSON object with answers as keys."""
    text = bounded_read(path)
    if str(path).endswith(".json"):
        found = load_json(text)
        answers = list(found) if isinstance(found, dict | list) else []
    else:
        try:
            answers = [line.strip() for line in text.decode("utf-8").splitlines() if line.strip()]
        except UnicodeDecodeError:
            raise DataError(f"{path}: not a text file. Give one answer per line, or a JSON list of answers.") from None
    if not answers or not all(isinstance(answer, str) for answer in answers):
        raise DataError(f"{path}: no list of answers. Give one answer per line, or a JSON list of answers.")
    return Vocabulary(answers)
