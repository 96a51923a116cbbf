"""Ten simulated annotators: mostly correct, in their own words, with miscounts, confused colors, typos and inattention.

VQA asked ten people about each question (Antol et al. 2015). About a third of the questions there have ten equal
answers, and one person's VQA accuracy against the other nine is about 83%; both hold here. How people answer is
configured in ``phrasings/people.yaml``. The most frequent answer is always the true one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import accumulate
from random import Random

from askew.answers.normalise import normalise
from askew.language.inflect import number_word
from askew.world.phrasing import Asked, data
from askew.world.world_data import classes

PEOPLE = 10
_TRIES = 20
_ENOUGH = 4
"""At least this many people give the true answer verbatim, so that its VQA accuracy is 1."""
Odds = tuple[tuple[str, ...], tuple[float, ...]]


def answered(asked: Asked, rng: Random) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """What ten people answer, and how sure they say they are (yes, maybe or no)."""
    answers = _answers(asked, rng)
    true = normalise(asked.answer)
    sure = (_draw(rng, _habit("confidence", "right" if normalise(word) == true else "wrong")) for word in answers)
    return answers, tuple(sure)


def holds(true: str, answers: tuple[str, ...]) -> bool:
    """Whether the true answer is strictly the most frequent one, both as written and after normalisation.

    >>> holds("2", ("2", "2", "two", "3")), holds("2", ("2", "3")), holds("2", ("2", "two", "two"))
    (True, False, False)
    """
    for mine, counts in ((true, Counter(answers)), (normalise(true), Counter(map(normalise, answers)))):
        if any(number >= counts[mine] for word, number in counts.items() if word != mine):
            return False
    return True


def _answers(asked: Asked, rng: Random) -> tuple[str, ...]:
    habits = data("people")[asked.answer_type]
    if rng.random() < habits["everybody"]:
        return (asked.answer,) * PEOPLE
    low, high = habits["right"]
    for attempt in range(_TRIES):
        right = rng.uniform(low, high)
        if asked.answer_type == "number":  # the more there is to count, the less often people are correct
            right -= data("people")["miscount"] * int(asked.answer)
        right += (1 - right) * attempt / _TRIES
        answers = tuple(_answer(asked, right, rng) for _ in range(PEOPLE))
        if answers.count(asked.answer) >= _ENOUGH and holds(asked.answer, answers):
            return answers
    return (asked.answer,) * PEOPLE


def _answer(asked: Asked, right: float, rng: Random) -> str:
    habits = data("people")
    if rng.random() < right:
        in_words = asked.answer_type == "number" and rng.random() < habits["number_word"]
        return number_word(int(asked.answer)) if in_words else asked.answer
    how = _draw(rng, _habit("instead"))
    if how == "slip" and asked.answer_type == "other":
        return _slip(asked.answer, rng)
    if how == "inattention":
        return str(rng.choice(habits["inattention"][asked.answer_type]))
    return _draw(rng, _instead(asked.answer, asked.meaning.op, asked.answer_type))


@cache
def _instead(answer: str, op: str, answer_type: str) -> Odds:
    """What people say instead of the true answer: synonyms, and similar but wrong answers.

    >>> _instead("3", "count", "number")[0]
    ('2', '4', '5')
    """
    if answer_type == "number":
        number = int(answer)
        near = {str(number - 1): 4.0, str(number + 1): 5.0, str(number + 2): 1.0 + 0.4 * number}
        return _odds({word: odds for word, odds in near.items() if int(word) >= 0})
    return _odds(_words(answer, op) or {"unknown": 1.0})


def _words(answer: str, op: str) -> dict[str, float]:
    known = data("people")["near"]
    if answer == "orange" and op in ("name", "what"):
        return dict(known["orange fruit"])
    if answer in known:
        return dict(known[answer])
    if op == "where":
        return _spots(answer)
    for name, entry in classes().items():
        if entry.plural == answer:
            others = {word if word.endswith("s") else f"{word}s": odds for word, odds in known.get(name, {}).items()}
            return {name: 5.0, **others}
    return {}


def _spots(answer: str) -> dict[str, float]:
    """Other ways to name a location: for *on table* also *on the table*, *table*, *on desk*."""
    preposition, _, noun = answer.partition(" ")
    spots = {f"{preposition} the {noun}": 7.0, noun: 6.0}
    for word, odds in data("people")["near"].get(noun, {}).items():
        spots[f"{preposition} {word}"] = odds / 2
        spots[word] = odds / 4
    return spots


def _slip(answer: str, rng: Random) -> str:
    """The answer with a typo: two letters swapped, one missing or one doubled."""
    if len(answer) < 4:
        return answer
    at = rng.choice([place for place in range(1, len(answer) - 1) if answer[place].isalpha()])
    way = rng.randrange(3)
    if way == 0:
        return answer[:at] + answer[at + 1] + answer[at] + answer[at + 2 :]
    return answer[:at] + answer[at + 1 :] if way == 1 else answer[:at] + answer[at] + answer[at:]


@cache
def _habit(*path: str) -> Odds:
    """The probabilities in the data file."""
    found = data("people")
    for name in path:
        found = found[name]
    return _odds(found)


def _odds(weights: Mapping[str, float]) -> Odds:
    return tuple(weights), tuple(accumulate(weights.values()))


def _draw(rng: Random, odds: Odds) -> str:
    return rng.choices(odds[0], cum_weights=odds[1])[0]
