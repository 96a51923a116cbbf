"""Extracting a remedy from a message, so that a wrong message fails the test that follows the remedy."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import pytest

from askew.cli import main
from askew.errors import AskewError


def refused(call: Callable[[], object], pattern: str) -> str:
    """The part of an error's message that the group of the pattern matches."""
    with pytest.raises(AskewError) as error:
        call()
    return taken(pattern, str(error.value))


def said(capsys: pytest.CaptureFixture[str], words: Sequence[str], pattern: str) -> str:
    """The same for a command, which must end with code 2."""
    capsys.readouterr()
    assert main(words) == 2
    return taken(pattern, capsys.readouterr().err)


def taken(pattern: str, message: str) -> str:
    """The part of a message that the group of the pattern matches."""
    found = re.search(pattern, message)
    assert found, f"{pattern!r} is not in: {message}"
    return found[1]
