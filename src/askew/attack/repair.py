"""Articles and agreement after a swap: *a* car, *an* automobile."""

from __future__ import annotations

import re
from collections.abc import Sequence

from askew.language.inflect import article
from askew.types import Change

_ARTICLE = re.compile(r"\b(an?) $", re.IGNORECASE)


def repaired(original: str, text: str, changes: Sequence[Change]) -> str:
    """The changed text with the articles that its new words need.

    >>> repaired("Is it a car?", "Is it a auto?", [Change(8, "car", "auto")])
    'Is it an auto?'
    """
    shift = 0
    for change in changes:
        start = change.start + shift
        before, after = text[:start], text[start:]
        match = _ARTICLE.search(before)
        if match and change.new:
            needed = article(change.new)
            before = before[: match.start()] + (needed.capitalize() if match[1][0] == "A" else needed) + " "
            text = before + after
        shift += len(before) - start + len(change.new) - len(change.old)
    return text
