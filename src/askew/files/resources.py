"""Word lists, rules and published figures in the package, as YAML files next to the code that uses them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The C loader is ten times as fast, if PyYAML was built with it."""


@cache
def resource(name: str) -> Any:
    """Load a YAML file of the package, once: what is returned must not be changed.

    >>> resource("suites/rad.yaml")["rad"]["BUTD (VQA)"][0]
    67.15
    """
    return yaml.load(files("askew").joinpath(name).read_text(encoding="utf-8"), _LOADER)


@cache
def word_sets(name: str) -> Mapping[str, frozenset[str]]:
    """The lists of words in a YAML file, by name.

    >>> "wearing" in word_sets("perturb/rad/grammar_words.yaml")["transitive"]
    True
    """
    return {key: frozenset(map(str, words)) for key, words in resource(name).items() if isinstance(words, list)}


@cache
def package_digest() -> str:
    """A hash of all files of the package, 16 digits: equal for equal copies of askew, wherever they are installed.

    ``__pycache__`` does not count: compiled code, Python's and Numba's, depends on what has run on a host.
    """
    root, digest = Path(str(files("askew"))), hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts and path.suffix != ".part":
            digest.update(str(path.relative_to(root).as_posix()).encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
