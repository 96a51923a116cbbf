"""Yes/no questions of val and test whose words do not give the answer away.

Scenes have priors: people mostly stand, cups are mostly full, so a question about them is mostly answered yes. Train
keeps these priors, for models to learn. In val and test a question with the more probable answer is asked less often,
so that what is asked is answered yes as often as no, whatever its words are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import exp
from typing import ClassVar

from askew.world.phrasing import Draft, Pick
from askew.world.world_data import read


@dataclass(frozen=True)
class YesNoBalance:
    """Asks a yes/no question with the probability (1 - p) / p if p, the probability of its answer, is above a half.

    p is that of a logistic regression on the parts of a question (``parts``), learned by ``tools/make_yes_no_odds.py``
    from scenes that are in no split.
    """

    tries: ClassVar[int] = 6

    def keeps(self, kind: str, draft: Draft, chance: float) -> bool:
        """Whether this draft is asked."""
        if draft.answer not in ("yes", "no"):
            return True
        odds = yes_odds()
        toward_yes = sum(odds.get(part, 0.0) for part in parts(draft))
        return chance < exp(-toward_yes if draft.answer == "yes" else toward_yes)


def parts(draft: Draft) -> list[str]:
    """What a draft says, part by part and in pairs: its form, the things, their attributes and relations.

    >>> from askew.world.phrasing import Meaning
    >>> parts(Draft("attribute/state", Meaning("is", Pick("door"), "open/closed", ("open",)), "yes"))
    ['attribute/state', 'attribute/state open/closed', 'attribute/state door', 'attribute/state open/closed door', \
'door open', 'attribute/state open']
    """
    return list(dict.fromkeys(_parts(draft)))


def _parts(draft: Draft) -> Iterator[str]:
    key, meaning = draft.key, draft.meaning
    about = f"{key} {meaning.about}"
    yield key
    if meaning.about:
        yield about
    for role, pick in (("", meaning.subject), ("other ", meaning.other)):
        if pick:
            yield from _named(key, meaning.about, role, pick)
    for value in meaning.values:
        if meaning.subject:
            yield f"{meaning.subject.noun} {value}"
        yield f"{key} {value}"
    if meaning.subject and meaning.other:
        yield f"{meaning.subject.noun} {meaning.about} {meaning.other.noun}"


def _named(key: str, about: str, role: str, pick: Pick) -> Iterator[str]:
    """The noun of a phrase, and what tells the thing from others."""
    yield f"{key} {role}{pick.noun}"
    if about:
        yield f"{key} {about} {role}{pick.noun}"
    for word in pick.words:
        yield f"{key} {role}that is {word}"
        yield f"{pick.noun} that is {word}"
    if pick.side:
        yield f"{key} {role}on a side"
    if pick.tie and pick.to:
        yield f"{key} {role}{pick.tie}"
        yield f"{key} {role}{pick.tie} {pick.to.noun}"


@cache
def yes_odds() -> Mapping[str, float]:
    """How much each part of a question speaks for yes, as log odds."""
    return {part: float(odds) for part, odds in read("yes_no_odds").items()}
