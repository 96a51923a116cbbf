"""Controls of robust training: the same training without what is said to help.

A robustness that rises after training on groups may come from longer training, or from the questions of the suite
rather than from its variants. Each control leaves one more of these out, with everything else as it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from askew.errors import BadOption, did_you_mean
from askew.train.losses import Q3R, Consistency, TakesGroups
from askew.types import Expect, Group
from askew.verbs import Loss

CONTROLS = {
    "no-consistency": "the variants are learnt, but no distance to their originals",
    "originals": "the same number of the groups' original questions in place of the variants",
    "plain": "no groups at all, only the data",
}
"""What each control leaves out."""


def controlled(losses: Sequence[Loss], control: str) -> list[Any]:
    """The losses of a control; without one, all of them.

    >>> controlled([Consistency(rate=0.5)], "originals")
    [Consistency(weight=0.0, rate=0.5, distance='kl', types='', ce=True, groups='')]
    >>> controlled([Consistency()], "plain")
    []
    """
    if not control:
        return list(losses)
    if control not in CONTROLS:
        raise BadOption(f"There is no control {control!r}.{did_you_mean(control, CONTROLS)} Known: {listing()}.")
    if not any(isinstance(loss, TakesGroups) for loss in losses):
        raise BadOption("--control is compared with a training on groups: also name its loss, such as consistency.")
    if control == "plain":
        return [loss for loss in losses if not isinstance(loss, TakesGroups)]
    return [
        replace(loss, weight=0.0, ce=True) if isinstance(loss, (Consistency, Q3R)) else loss  # learns the answers only
        for loss in losses
    ]


def controlled_groups(groups: Sequence[Group], control: str) -> list[Group]:
    """The groups of a control: with ``originals`` each variant is replaced by its original."""
    if control != "originals":
        return list(groups)
    return [
        replace(
            group, variants=tuple(replace(one, question=group.original, expect=Expect.SAME) for one in group.variants)
        )
        for group in groups
    ]


def listing() -> str:
    """All controls with what they leave out, for help texts."""
    return "; ".join(f"{name} ({what})" for name, what in CONTROLS.items())
