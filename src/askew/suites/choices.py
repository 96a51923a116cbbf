"""Options that several suites have."""

from __future__ import annotations

from typing import Literal, TypeAlias, get_args

from askew.errors import BadOption

Originals: TypeAlias = Literal["covered", "all"]
"""Which questions are asked: those that have a variant, or all of the data."""


def check_originals(suite: str, originals: str) -> None:
    """Refuse what is neither, where a suite is made rather than where it is first used.

    >>> check_originals("rad", "some")
    Traceback (most recent call last):
    askew.errors.BadOption: rad: originals is 'some'. Give covered or all.
    """
    if originals not in get_args(Originals):
        raise BadOption(f"{suite}: originals is {originals!r}. Give covered or all.")


def listed(text: str) -> tuple[str, ...]:
    """What is typed with commas between, each once.

    >>> listed("mask, crop,,mask")
    ('mask', 'crop')
    """
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
