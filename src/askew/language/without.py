"""Imports that must not bring what they only look for: spaCy looks for torch, lemminflect for spaCy."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from threading import get_ident
from types import ModuleType


class _Hidden(MetaPathFinder):
    """Says that a package is not there, to the thread that made it."""

    def __init__(self, package: str) -> None:
        self.package, self.thread = package, get_ident()

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == self.package and get_ident() == self.thread:
            raise ModuleNotFoundError(f"{name} is not wanted here", name=name)
        return None


@contextmanager
def without(package: str) -> Iterator[None]:
    """While this lasts, a package that was not imported before seems not to be installed.

    >>> with without("zipapp"):
    ...     import zipapp
    Traceback (most recent call last):
    ModuleNotFoundError: zipapp is not wanted here
    >>> import zipapp
    """
    hidden = _Hidden(package)
    sys.meta_path.insert(0, hidden)
    try:
        yield
    finally:
        sys.meta_path.remove(hidden)
