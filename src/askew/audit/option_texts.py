"""Multiple choice without the image: which option is correct, by its text and by its letter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askew.answers.normalise import normalise
from askew.audit.labelled_texts import LabelledText, content_hash
from askew.audit.text_classifier import Floats, Whole, features, log_odds, predicted, sparse


def correct_place(text: LabelledText) -> int:
    """The place of the correct option among the choices, or -1 if none has the label's text.

    >>> correct_place(LabelledText(1, "What is it?", "dog", 0, choices=("A cat", "A dog")))
    1
    """
    places = [place for place, option in enumerate(text.choices) if normalise(option) == text.label]
    return places[0] if len(places) == 1 else -1


def hits_by_text(texts: Sequence[LabelledText], folds: Whole) -> Floats:
    """Whether the option that looks most like correct ones in other folds is the correct one, for each question.

    It is judged by its own words, and by whether it is the longest or the shortest. Equal ones are ordered by a hash.
    """
    row = [number for number, text in enumerate(texts) for _ in text.choices]
    options = [(text, place) for text in texts for place in range(len(text.choices))]
    labels = np.array([int(place == correct_place(text)) for text, place in options], dtype=np.int64)
    odds = log_odds(sparse(_option_features(text, place) for text, place in options), labels, folds[np.array(row)])
    best: dict[int, tuple[float, int, int]] = {}
    for number, (text, place), value in zip(row, options, odds.tolist(), strict=True):
        found = (value, content_hash(3, f"{text.id!r}:{text.choices[place]}"), place)
        best[number] = max(best.get(number, found), found)
    return np.array([float(best[number][2] == correct_place(text)) for number, text in enumerate(texts)])


def hits_by_letter(texts: Sequence[LabelledText], folds: Whole) -> Floats:
    """Whether the letter that a classifier expects from the question's words is that of the correct option."""
    labels = np.array([correct_place(text) for text in texts], dtype=np.int64)
    found = predicted(sparse(features(text.text) for text in texts), labels, folds)
    hits: Floats = (found == labels).astype(float)
    return hits


def _option_features(text: LabelledText, place: int) -> list[str]:
    lengths = [len(option) for option in text.choices]
    ends = [name for name, end in (("longest", max(lengths)), ("shortest", min(lengths))) if lengths[place] == end]
    return [*features(text.choices[place]), *(f"the {name}" for name in ends if lengths.count(lengths[place]) == 1)]
