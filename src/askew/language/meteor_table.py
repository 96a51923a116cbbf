"""METEOR's table of paraphrases as a further source of rules, from a file that the user provides.

Denkowski and Lavie, "METEOR Universal: Language Specific Translation Evaluation for Any Target Language", WMT 2014. The
table of English (``paraphrase-en.gz``, for example inside the package ``pycocoevalcap``) has three lines for each
pair: a probability, a phrase, and its paraphrase. Most pairs come from proceedings of parliaments and are not
paraphrases in a question about an image (*the bench*, *the judiciary*), so nothing of it is used unless the user names
the file.

The table has no parts of speech, so only phrases of at least two words become rules. A phrase that begins or ends
with a word that belongs to what is around it (*of the*, *is on*) is left out.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from math import isfinite

from askew.errors import BadOption, BadRecord
from askew.files.read_write import opened
from askew.language.paraphrases import Paraphrase
from askew.language.ppdb import Ppdb

_WORDS = re.compile(r"[a-z]+(?: [a-z]+)+")
_TARGET = re.compile(r"[a-z]+(?: [a-z]+)*")
_LOOSE = frozenset(
    ("a", "an", "the", "and", "or", "of", "to", "is", "are", "was", "were", "be", "that", "which", "it", "has", "have")
)
"""Words that belong to what comes before or after a phrase."""


def read_meteor(path: str, probability: float = 0.3) -> Ppdb:
    """Read a table (gzip or not); pairs below the probability are left out.

    Raises:
        BadOption: when the probability is not between 0 and 1.
        BadRecord: when an entry does not have three lines, or its first line is not a number.
    """
    if not 0.0 <= probability <= 1.0:
        raise BadOption(f"meteor: the lowest probability is {probability}. Give a number between 0 and 1.")
    kept: dict[tuple[str, str], Paraphrase] = {}
    left_out: Counter[str] = Counter()
    for value, source, target in _entries(path):
        reason = "probability too low" if value < probability else _fault(source, target)
        if reason:
            left_out[reason] += 1
            continue
        rule = Paraphrase(f"meteor:{source}→{target}", source, target, confidence=min(1.0, value), origin="meteor")
        known = kept.setdefault((source, target), rule)
        if known is not rule:
            left_out["the same rule again"] += 1
            if known.confidence < rule.confidence:
                kept[source, target] = rule
    return Ppdb({}, tuple(sorted(kept.values(), key=lambda rule: rule.id)), dict(left_out))


def _fault(source: str, target: str) -> str:
    """Why a pair is not a rule; empty if it is one."""
    if not _WORDS.fullmatch(source) or not _TARGET.fullmatch(target):
        return "not phrases of lower-case words"
    if source == target:
        return "both sides are the same"
    before, after = source.split(), target.split()
    if not _LOOSE.isdisjoint((before[0], before[-1], after[0], after[-1])):
        return "a loose word at an end"
    return ""


def _entries(path: str) -> Iterator[tuple[float, str, str]]:
    with opened(path) as lines:
        number = 1
        while entry := [line.decode("utf-8", "replace").strip() for line in islice(lines, 3)]:
            try:
                value = float(entry[0])
            except ValueError:
                value = float("nan")
            if len(entry) < 3 or not isfinite(value):
                raise BadRecord(
                    f"{path}, line {number}: {entry[0][:80]!r} does not begin an entry of METEOR's table (three lines: "
                    "a probability, a phrase, its paraphrase). Give paraphrase-en.gz as it is."
                )
            yield value, entry[1], entry[2]
            number += 3
