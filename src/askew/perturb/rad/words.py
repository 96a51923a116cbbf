"""The short word lists that the templates' grammar rests on, from ``words.yaml``."""

from __future__ import annotations

from functools import lru_cache

from askew.files.resources import resource


def word_list(name: str) -> frozenset[str]:
    """One list of words by its name.

    >>> "wearing" in word_list("transitive")
    True
    """
    return _lists()[name]


@lru_cache(maxsize=1)
def _lists() -> dict[str, frozenset[str]]:
    data = resource("perturb/rad/words.yaml")
    return {name: frozenset(str(word) for word in words) for name, words in data.items()}
