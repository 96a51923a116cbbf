"""Grammar laws for CARETS' questions, and the vocabulary they are held over; used by the tests and the long runs."""

from __future__ import annotations

import re
from functools import lru_cache

from askew.language.inflect import article
from askew.perturb.carets.attributes import Value, categories, words
from askew.perturb.carets.ontology import members, plural

SINGULAR = sorted(members())
NAMES = sorted({*SINGULAR, *(plural(name) for name in SINGULAR)})
VALUES = [Value(category, word) for category in ["", *categories()] for word in words(category)]
BEFORE = [value for value in VALUES if value.before]

_SHAPE = re.compile(r"[A-Z][^?{}]*\?")
_DOUBLED = re.compile(r"\b([a-z'-]+) \1\b")
_ARTICLE = re.compile(r"\b([Aa]n?) ([^ ?,]+)")


def faults(text):
    """The faults of a question, by rules that do not know how it was made."""
    if not _SHAPE.fullmatch(text):
        yield "no capital, no question mark, or an unfilled slot"
    if "  " in text or _DOUBLED.search(text.lower()):
        yield "a doubled word or space"
    for determiner, following in _ARTICLE.findall(text):
        if determiner.lower() != _article(following):
            yield f"{determiner} before {following}"


def number_faults(text, noun):
    """A verb or determiner that does not go with the first noun."""
    wrong = "is" if noun.number == "many" else "are"
    padded = f" {re.sub('[,?]', ' ', text.lower())} "
    for after in ("there", f"the {noun.bare}", noun.a, f"no {noun.bare}"):
        if f" {wrong} {after} " in padded:
            yield wrong
    full = f"{noun.bare} {noun.relation} the {noun.to.bare}" if noun.to else noun.bare
    if f" {full} {wrong} " in padded:
        yield wrong
    if noun.number != "one" and (f" a {noun.bare} " in padded or f" an {noun.bare} " in padded):
        yield "a"


@lru_cache(maxsize=1 << 14)
def _article(word):
    return article(word)
