"""The words that decide whether a question can be changed (``words.yaml``)."""

from __future__ import annotations

from functools import lru_cache

from askew.files.resources import resource


@lru_cache(maxsize=1)
def words() -> dict[str, frozenset[str]]:
    """The lists by name.

    >>> "very" in words()["joined"]
    True
    """
    data: dict[str, list[str]] = resource("perturb/lexical/words.yaml")
    return {name: frozenset(listed) for name, listed in data.items()}
