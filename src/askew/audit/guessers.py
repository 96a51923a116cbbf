"""Guesses of yes/no answers by someone who does not learn: from the nearest text, and from the usual answer.

``nearest_text``: the answer to the most similar other text, about another image.
``usual_answers``: whether an answer is usual for such a thing. *Is the color of the vase red?* is guessed from the
answers to *What color is the vase?* about other images: no label of the generated questions is needed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from askew.answers.extract_rules import rules
from askew.answers.normalise import normalise, tokens
from askew.audit.labelled_texts import YES_NO, LabelledText
from askew.audit.text_classifier import Floats, Whole

MOST_NEAREST = 5_000
"""The most texts whose nearest text is looked for."""
_LEAST_LIKE = 3
"""With fewer questions about the same thing, all that share its rarest word are asked."""
_NEAR = 1e-9


def nearest_text(texts: Sequence[LabelledText], labels: Whole, images: Whole) -> Floats:
    """1 for each of the first texts whose label is that of the most similar text, else 0; labels are 0 and 1.

    Similar texts share rare words (the cosine of their words, weighted by inverse document frequency). Equal texts and
    texts about the same image do not count. Among equally similar ones the most frequent label is taken, on a tie that
    of all texts.
    """
    words = [tuple(dict.fromkeys(tokens(text.text))) for text in texts]
    counts = Counter(word for each in words for word in each)
    weights = {word: np.log(len(texts) / count) for word, count in counts.items()}
    norms = np.array([sum(weights[word] ** 2 for word in each) for each in words]) ** 0.5
    numbers = {each: number for number, each in enumerate(dict.fromkeys(words))}
    same = np.array([numbers[each] for each in words])
    having: dict[str, list[int]] = {word: [] for word in counts}
    for row, each in enumerate(words):
        for word in each:
            having[word].append(row)
    rows = {word: np.array(found) for word, found in having.items()}
    usual = float(labels.mean() > 0.5)
    hits = np.zeros(min(len(texts), MOST_NEAREST))
    for row in range(len(hits)):
        likeness = np.zeros(len(texts))
        for word in words[row]:
            likeness[rows[word]] += weights[word] ** 2
        likeness /= np.maximum(norms, _NEAR)
        likeness[(same == same[row]) | (images == images[row])] = 0.0
        nearest = labels[likeness >= likeness.max() - _NEAR] if likeness.any() else np.zeros(0)
        share = float(nearest.mean()) if len(nearest) else 0.5
        hits[row] = (usual if share == 0.5 else float(share > 0.5)) == labels[row]
    return hits


def usual_answers(texts: Sequence[LabelledText]) -> tuple[list[LabelledText], Floats]:
    """The yes/no variants of open questions that name an answer, and 1 for each that is guessed correctly, else 0.

    The half whose answers are most usual is guessed "yes": the share of the named answer among the original questions
    with the same words of content, about other images.
    """
    open_questions = [text for text in texts if text.before is None and text.answer_type != YES_NO]
    answers = _Answers(open_questions)
    found: list[tuple[LabelledText, float]] = []
    for text in texts:
        if text.before is not None and text.answer_type == YES_NO:
            usual = answers.share(text, text.before)
            if usual is not None:
                found.append((text, usual))
    order = sorted(range(len(found)), key=lambda place: (-found[place][1], place))
    hits = np.zeros(len(found))
    for rank, place in enumerate(order):
        hits[place] = ("yes" if rank < len(found) / 2 else "no") == found[place][0].label
    return [text for text, _ in found], hits


class _Answers:
    """The answers to open questions, by what they are about."""

    def __init__(self, texts: Sequence[LabelledText]) -> None:
        self._all = Counter(text.label for text in texts)
        self._like: dict[frozenset[str], list[LabelledText]] = {}
        self._with_word: dict[str, list[LabelledText]] = {}
        for text in texts:
            about = _content(text.text)
            self._like.setdefault(about, []).append(text)
            for word in about:
                self._with_word.setdefault(word, []).append(text)

    def share(self, text: LabelledText, before: str) -> float | None:
        """How usual the answer that a variant names is, smoothed by all answers; None if it names none."""
        named = (_phrases(text.text) - _phrases(before)) & self._all.keys()
        if not named:
            return None
        answer, about = max(named, key=lambda phrase: (len(phrase), phrase)), _content(before)
        like = [one for one in self._like.get(about, ()) if one.image != text.image]
        if len(like) < _LEAST_LIKE:
            rarest = min(
                about & self._with_word.keys(), key=lambda word: (len(self._with_word[word]), word), default=""
            )
            like = [one for one in self._with_word.get(rarest, ()) if one.image != text.image]
        overall = self._all[answer] / self._all.total()
        return (sum(one.label == answer for one in like) + overall) / (len(like) + 1)


def _phrases(text: str) -> set[str]:
    """The normalised phrases of up to three words in a text."""
    words = tokens(text)
    return {normalise(" ".join(words[start : start + size])) for size in (1, 2, 3) for start in range(len(words))}


def _content(text: str) -> frozenset[str]:
    """The words of a question that say what it is about.

    >>> sorted(_content("What color is the vase?")), sorted(_content("How many dogs are there?"))
    (['color', 'vase'], ['dogs', 'many'])
    """
    known = rules()
    return frozenset(tokens(text)) - known.little - known.auxiliaries - {"what", "which", "how"}
