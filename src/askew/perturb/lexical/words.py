"""The words that decide whether a question can be changed (``words.yaml``)."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files

import yaml


@lru_cache(maxsize=1)
def words() -> dict[str, frozenset[str]]:
    """The lists by name.

    >>> "very" in words()["joined"]
    True
    """
    data: dict[str, list[str]] = yaml.safe_load(
        files("askew.perturb.lexical").joinpath("words.yaml").read_text("utf-8")
    )
    return {name: frozenset(listed) for name, listed in data.items()}
