"""How well text alone predicts labels: one result for each task, test and answer type."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from math import inf, isnan, nan
from typing import Any

import numpy as np

from askew.answers.normalise import normalise, tokens
from askew.audit.guessers import nearest_text, usual_answers
from askew.audit.labelled_texts import CHOICE, YES_NO, LabelledText, Tests, TestTexts, TextSample, content_hash
from askew.audit.text_classifier import (
    Floats,
    Revealing,
    Whole,
    best_rule,
    features,
    log_odds,
    pair_features,
    predicted,
    revealing,
    rule_hits,
    sparse,
)
from askew.metrics.interval import Estimate
from askew.types import Score

FOLDS = 5
METHOD = "logistic regression on words and pairs of neighbouring words, cross-validated with folds by image"
LEAST_TEXTS = 100
"""Fewer texts than this are too few to learn from."""
ANSWERS = 10
"""Of open answers only this many, the most frequent ones, can be predicted; all others count as errors."""
FAR = 0.05
"""Text alone is "far above" a guess without text when the whole interval of the difference lies above this."""
MOST_OPEN = 10_000
"""The most texts with open answers that are learned from; the many classes make training slow."""


NOT_LEARNED = Score("text alone", nan)
"""The score of text alone where there is too little to learn from."""


@dataclass(frozen=True)
class TextScore:
    """What text alone predicts in one task, test and answer type."""

    task: str
    """What is predicted. ``question``: a question's answer from its text, or from the texts of its options; ``letter``:
    the letter of the correct option from the question; ``pair``: a variant's answer from its text and its original's;
    ``original``: which of the two texts is the original; ``prior``: a variant's answer from what is usually answered to
    such original questions about other images."""
    suite: str
    test: str
    answer_type: str
    n: int
    images: int
    accuracy: Score
    majority: float
    """The share of the most frequent label: what a guess without text reaches, except for the texts of options."""
    chance: float | None
    """The mean of 1 / (number of options) for multiple choice, 0.5 for which of two texts is the original."""
    above: Score = NOT_LEARNED
    """``accuracy`` less the share that a guess without text reaches."""
    new_texts: Score | None = None
    """The same with folds by text: equal texts are never in both folds, whatever their images are."""
    nearest: Score | None = None
    """The share that the answer to the most similar other text about another image predicts."""
    seen: int = 0
    """How many texts the data has: more than ``n`` if only a sample was used."""
    rule: str = ""
    """The best rule with one feature."""
    rule_accuracy: Score | None = None
    revealing: Sequence[Revealing] = ()

    @property
    def too_few(self) -> bool:
        """True when there were too few texts to learn from."""
        return not self.accuracy.known

    @property
    def far_above(self) -> bool:
        """True when text is more than five points better than a guess without text, with its whole interval."""
        return self.above.low > FAR

    @property
    def far_below(self) -> bool:
        """True when text is more than five points worse than a guess without text, with its whole interval."""
        return self.above.high < -FAR

    def record(self) -> dict[str, Any]:
        """The score as plain JSON values."""
        names = ("accuracy", "above", "new_texts", "nearest", "rule_accuracy")
        scores: dict[str, Score | None] = {name: getattr(self, name) for name in names}
        shares = {
            name: score and {"value": score.value, "low": score.low, "high": score.high}
            for name, score in scores.items()
        }
        found: dict[str, Any] = _plain({**asdict(self), **shares})
        return {**found, "far_above": self.far_above, "far_below": self.far_below}


@dataclass(frozen=True)
class TextAudit:
    """How well the text of questions alone predicts their answers, per task, test and answer type."""

    scores: Sequence[TextScore]
    seed: int = 0
    """The seed of the sample that is drawn when there are too many texts."""

    def record(self) -> dict[str, Any]:
        """The audit as plain JSON values."""
        scores = [score.record() for score in self.scores]
        return {"method": METHOD, "folds": FOLDS, "seed": self.seed, "scores": scores}


@dataclass(frozen=True)
class _Judged:
    """A score with its evidence: whether each text was predicted correctly, by a guess without text, and its image."""

    score: TextScore
    right: Floats
    guessed: Floats
    images: Whole


def _judged_as(score: TextScore, right: Floats, guessed: Floats, images: Whole) -> _Judged:
    """The score, with its accuracy and how far it is above a guess without text."""
    above = image_share(right - guessed, images, least=-1.0)
    return _Judged(replace(score, accuracy=image_share(right, images), above=above), right, guessed, images)


def _not_learned(score: TextScore, images: Whole) -> _Judged:
    return _Judged(score, np.zeros(0), np.zeros(0), images)


def _unscored(
    task: str, suite: str, test: str, kind: str, images: Whole, most: float, chance: float | None
) -> TextScore:
    """The score of texts about these images before anything is learned from them."""
    found = len(np.unique(images))
    return TextScore(task, suite, test, kind, len(images), found, NOT_LEARNED, round(most, 3), chance, seen=len(images))


def audited(
    tests: Tests, seed: int = 0, done: Callable[[], object] = lambda: None, open_answers: bool = True
) -> TextAudit:
    """Audit the texts of all tests; ``done`` is called after each score but those of the task ``prior``.

    Without ``open_answers`` only yes and no are predicted, which takes a tenth of the time.
    """
    judged = []
    for (suite, test), texts in tests.items():
        for one in _judged(suite, test, texts, open_answers):
            judged.append(one)
            if one.score.task != "prior":
                done()
    return TextAudit([*_together(judged), *(one.score for one in judged)], seed)


def tasks_of(tests: Tests) -> int:
    """How many scores there will be, without those of the task ``prior``."""
    return sum(
        len(_by_type(texts.questions))
        + (CHOICE in _by_type(texts.questions))
        + len(_by_type(texts.pairs).keys() - {CHOICE})
        + bool(len(texts.pairs))
        for texts in tests.values()
    )


def yes_no_alone(tests: Tests) -> list[TextScore]:
    """How well text alone predicts yes/no answers, per suite and test, where there are enough texts."""
    judged = []
    for (suite, test), texts in tests.items():
        members = _by_type(texts.questions).get(YES_NO, [])
        if len(members) >= LEAST_TEXTS:
            judged.append(_label_score("question", suite, test, YES_NO, members, explain=False))
    return [score for score in (*_together(judged), *(one.score for one in judged)) if not score.too_few]


def _together(judged: Iterable[_Judged]) -> Iterator[TextScore]:
    """For each suite with several tests, one score over all of them: yes/no answers predicted from the question."""
    suites: dict[str, list[_Judged]] = {}
    for one in judged:
        score = one.score
        if (score.task, score.answer_type) == ("question", YES_NO) and not score.too_few:
            suites.setdefault(score.suite, []).append(one)
    for suite, members in suites.items():
        if len(members) > 1:
            right, guessed, images = (
                np.concatenate(parts) for parts in zip(*((m.right, m.guessed, m.images) for m in members), strict=True)
            )
            known = _unscored("question", suite, "(all tests)", YES_NO, images, float(guessed.mean()), None)
            seen = sum(member.score.seen for member in members)
            yield _judged_as(replace(known, seen=seen), right, guessed, images).score


def _judged(suite: str, test: str, texts: TestTexts, open_answers: bool) -> Iterator[_Judged]:
    for task, sample in (("question", texts.questions), ("pair", texts.pairs)):
        for answer_type, members in _by_type(sample).items():
            if answer_type == CHOICE:
                yield from _option_scores(suite, test, members) if task == "question" and open_answers else ()
                continue
            if not open_answers and answer_type != YES_NO:
                continue
            seen = round(len(members) / max(1, len(sample)) * sample.seen)
            members = members if answer_type == YES_NO else members[:MOST_OPEN]
            one = _label_score(task, suite, test, answer_type, members)
            yield replace(one, score=replace(one.score, seen=max(one.score.n, seen)))
    if open_answers and (prior := _prior_score(suite, test, list(texts.questions))) is not None:
        yield prior
    if len(texts.pairs):
        one = _original_score(suite, test, list(texts.pairs))
        yield replace(one, score=replace(one.score, seen=texts.pairs.seen))


def _by_type(sample: TextSample) -> dict[str, list[LabelledText]]:
    """The texts of each answer type, yes/no first."""
    found: dict[str, list[LabelledText]] = {}
    for text in sample:
        found.setdefault(text.answer_type, []).append(text)
    return dict(sorted(found.items(), key=lambda item: (item[0] != YES_NO, item[0])))


def _label_score(
    task: str, suite: str, test: str, answer_type: str, texts: Sequence[LabelledText], explain: bool = True
) -> _Judged:
    counts = Counter(text.label for text in texts)
    ranked = sorted(counts, key=lambda label: (-counts[label], label))[:ANSWERS]
    names = ["no", "yes"] if answer_type == YES_NO else ranked
    place = {name: number for number, name in enumerate(names)}
    labels = np.array([place.get(text.label, -1) for text in texts], dtype=np.int64)
    images = _images(texts)
    known = _unscored(task, suite, test, answer_type, images, counts[ranked[0]] / len(texts), None)
    if len(texts) < LEAST_TEXTS or len(counts) < 2:
        return _not_learned(known, images)
    matrix, guessed = sparse(_features(task, text) for text in texts), (labels == place[ranked[0]]).astype(float)
    folds = _folds(images)
    one = _judged_as(known, (predicted(matrix, labels, folds) == labels).astype(float), guessed, images)
    if not explain:
        return one
    by_text = np.array([content_hash(3, " ".join(tokens(text.text))) % FOLDS for text in texts], dtype=np.int64)
    new_texts = (predicted(matrix, labels, by_text) == labels).astype(float)
    score = replace(one.score, new_texts=image_share(new_texts, images))
    if answer_type != YES_NO:
        return replace(one, score=score)
    feature, label = best_rule(matrix, labels)
    other = names[1 - label]
    nearest = nearest_text(texts, labels, images)
    score = replace(
        score,
        nearest=image_share(nearest, images[: len(nearest)]),
        rule=f'contains "{feature}" → {names[label]}, else {other}' if feature else f"always {other}",
        rule_accuracy=image_share(rule_hits(matrix, labels, folds), images),
        revealing=revealing(matrix, labels, names, [_shown(task, text) for text in texts]),
    )
    return replace(one, score=score)


def _prior_score(suite: str, test: str, texts: Sequence[LabelledText]) -> _Judged | None:
    """The answers of yes/no variants of open questions, guessed from the usual answers; None if there are too few."""
    named, right = usual_answers(texts)
    if len(named) < LEAST_TEXTS:
        return None
    images, yes = _images(named), np.array([text.label == "yes" for text in named], dtype=float)
    guessed = yes if yes.mean() >= 0.5 else 1 - yes
    known = _unscored("prior", suite, test, YES_NO, images, float(guessed.mean()), None)
    return _judged_as(known, right, guessed, images)


def _option_scores(suite: str, test: str, texts: Sequence[LabelledText]) -> Iterator[_Judged]:
    """The correct option of multiple-choice questions, by the options' texts and by its letter."""
    texts = [text for text in texts if _correct_place(text) >= 0][:MOST_OPEN]
    images, places = _images(texts), Counter(map(_correct_place, texts))
    chance = round(sum(1 / len(text.choices) for text in texts) / max(1, len(texts)), 3)
    for task, hits, counts in (
        ("question", _hits_by_text, Counter(text.label for text in texts)),
        ("letter", _hits_by_letter, places),
    ):
        majority = max(counts.values(), default=0) / max(1, len(texts))
        known = _unscored(task, suite, test, CHOICE, images, majority, chance)
        if len(texts) < LEAST_TEXTS:
            yield _not_learned(known, images)
            continue
        usual = max(places, key=lambda letter: places[letter])
        guessed = [
            float(_correct_place(text) == usual) if task == "letter" else 1 / len(text.choices) for text in texts
        ]
        yield _judged_as(known, hits(texts, _folds(images)), np.array(guessed), images)


def _original_score(suite: str, test: str, texts: Sequence[LabelledText]) -> _Judged:
    """Which of two texts is the original, from their difference; a hash of the content decides which comes first."""
    images = _images(texts)
    known = _unscored("original", suite, test, "", images, 0.5, 0.5)
    if len(texts) < LEAST_TEXTS:
        return _not_learned(known, images)
    first = np.array([content_hash(2, text.id) % 2 for text in texts])  # 1: the original comes first
    both = [(text.before or "", text.text) for text in texts]
    ordered = [(old, new) if one else (new, old) for (old, new), one in zip(both, first.tolist(), strict=True)]
    matrix = sparse((features(a) for a, _ in ordered), (features(b) for _, b in ordered))
    right = (predicted(matrix, first, _folds(images), intercept=False) == first).astype(float)
    shown = [text for pair in both for text in pair]
    labels = np.array([1, 0] * len(both), dtype=np.int64)
    found = revealing(sparse(map(features, shown)), labels, ("variant", "original"), shown)
    return _judged_as(replace(known, revealing=found), right, np.full(len(right), 0.5), images)


def _folds(images: Whole) -> Whole:
    return np.array([content_hash(1, image) % FOLDS for image in images.tolist()], dtype=np.int64)


def _features(task: str, text: LabelledText) -> list[str]:
    return features(text.text) if task == "question" else pair_features(text.before or "", text.text)


def _shown(task: str, text: LabelledText) -> str:
    return text.text if task == "question" else f"{text.before} → {text.text}"


def _images(texts: Iterable[LabelledText]) -> Whole:
    return np.array([text.image for text in texts], dtype=np.int64)


def image_share(right: Floats, images: Whole, least: float = 0.0) -> Score:
    """The mean of values from ``least`` to 1, with an interval clustered by image (rounded: last digits differ)."""
    _, which = np.unique(images, return_inverse=True)
    hits, counts = np.bincount(which, right), np.bincount(which).astype(float)
    value, draws = float(right.mean()), float(len(right)) if least == 0 else inf
    low, high = Estimate(value, (hits - value * counts) / len(right), least, 1.0, draws).interval()
    return Score("text alone", round(value, 3), round(low, 3), round(high, 3))


def _plain(value: Any) -> Any:
    """The value, with None for nan, which JSON does not have."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and isnan(value) else value


def _correct_place(text: LabelledText) -> int:
    """The index of the correct option among the choices, or -1 if no option has the label's text.

    >>> _correct_place(LabelledText(1, "What is it?", "dog", 0, choices=("A cat", "A dog")))
    1
    """
    places = [place for place, option in enumerate(text.choices) if normalise(option) == text.label]
    return places[0] if len(places) == 1 else -1


def _hits_by_text(texts: Sequence[LabelledText], folds: Whole) -> Floats:
    """For each question, whether the option that most resembles correct options of the other folds is the correct one.

    Options are scored by their words and by whether they are the longest or the shortest; ties are broken by a hash.
    """
    row = [number for number, text in enumerate(texts) for _ in text.choices]
    options = [(text, place) for text in texts for place in range(len(text.choices))]
    labels = np.array([int(place == _correct_place(text)) for text, place in options], dtype=np.int64)
    odds = log_odds(sparse(_option_features(text, place) for text, place in options), labels, folds[np.array(row)])
    best: dict[int, tuple[float, int, int]] = {}
    for number, (text, place), value in zip(row, options, odds.tolist(), strict=True):
        found = (value, content_hash(3, f"{text.id!r}:{text.choices[place]}"), place)
        best[number] = max(best.get(number, found), found)
    return np.array([float(best[number][2] == _correct_place(text)) for number, text in enumerate(texts)])


def _hits_by_letter(texts: Sequence[LabelledText], folds: Whole) -> Floats:
    """For each question, whether the letter predicted from the question's words is that of the correct option."""
    labels = np.array([_correct_place(text) for text in texts], dtype=np.int64)
    found = predicted(sparse(features(text.text) for text in texts), labels, folds)
    hits: Floats = (found == labels).astype(float)
    return hits


def _option_features(text: LabelledText, place: int) -> list[str]:
    lengths = [len(option) for option in text.choices]
    ends = [name for name, end in (("longest", max(lengths)), ("shortest", min(lengths))) if lengths[place] == end]
    return [*features(text.choices[place]), *(f"the {name}" for name in ends if lengths.count(lengths[place]) == 1)]
