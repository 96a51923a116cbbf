"""Words that everybody knows (``everyday_words.yaml``): a rule may use them whatever the data's own vocabulary is."""

from __future__ import annotations

from functools import lru_cache

from askew.files.resources import resource


@lru_cache(maxsize=1)
def everyday_words() -> frozenset[str]:
    """The base forms.

    >>> [word in everyday_words() for word in ("automobile", "fridge", "repast")]
    [True, True, False]
    """
    lists: dict[str, str] = resource("language/everyday_words.yaml")
    return frozenset(word for words in lists.values() for word in words.split())
