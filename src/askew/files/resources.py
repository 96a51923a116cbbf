"""Word lists, rules and figures that come with the package, as YAML files beside the code that uses them."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C is ten times as fast, where PyYAML was built with it."""


def resource(name: str) -> Any:
    """The content of a YAML file in the package.

    >>> resource("suites/rad.yaml")["rad"]["BUTD (VQA)"][0]
    67.15
    """
    return yaml.load(files("askew").joinpath(name).read_text(encoding="utf-8"), _LOADER)


@lru_cache
def package_digest() -> str:
    """All files of the package in 16 digits: equal for equal copies of askew, wherever they are installed."""
    root, digest = Path(str(files("askew"))), hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.is_file() and path.suffix not in (".pyc", ".part"):
            digest.update(str(path.relative_to(root).as_posix()).encode() + hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:16]
