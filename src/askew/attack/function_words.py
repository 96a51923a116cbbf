"""Function words, and other words whose meaning an attack must leave alone (``function_words.yaml``)."""

from __future__ import annotations

from functools import lru_cache

from askew.files.resources import resource

_FUNCTIONS = (
    *("articles", "pronouns", "demonstratives", "question words", "auxiliaries", "negations", "prepositions"),
    *("conjunctions", "quantifiers", "endings"),
)


@lru_cache(maxsize=1)
def word_lists() -> dict[str, frozenset[str]]:
    """The word lists by name, in lower case.

    >>> "never" in word_lists()["negation"]
    True
    """
    data: dict[str, list[str]] = resource("attack/function_words.yaml")
    return {name: frozenset(words) for name, words in data.items()}


@lru_cache(maxsize=1)
def function_words() -> frozenset[str]:
    """Articles, pronouns, prepositions, auxiliaries, question words and the like.

    >>> [word in function_words() for word in ("what", "is", "many", "does", "dog", "side")]
    [True, True, True, True, False, False]
    """
    lists = word_lists()
    return frozenset().union(*(lists[name] for name in _FUNCTIONS))
