"""A closed vocabulary: the answers that a model can give, for Table 9."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from askew.answers.normalise import normalise
from askew.collect.protocol import same_answer
from askew.errors import DataError
from askew.files.limits import load_lines


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
    wanted = "Give one answer per line, or a JSON list of answers."
    try:
        found = load_lines(path)
    except ValueError as trouble:  # not UTF-8, or broken JSON
        raise DataError(f"{path}: cannot be read as text ({trouble}). {wanted}") from None
    listed = list(found) if isinstance(found, dict | list) else []
    answers = [answer.strip() for answer in listed if isinstance(answer, str) and answer.strip()]
    if not answers or not all(isinstance(answer, str) for answer in listed):
        raise DataError(f"{path}: not a list of answers. {wanted}")
    return Vocabulary(answers)
