"""Paraphrase rules mined from text, from files of PPDB 2.0 that the user provides.

Pavlick et al., "PPDB 2.0: Better paraphrase ranking, fine-grained entailment relations, word embeddings, and style
classification", ACL 2015. A line is ``LHS ||| source ||| target ||| features ||| alignment ||| entailment``, as in::

    [NN] ||| car ||| automobile ||| PPDB2.0Score=5.3 ... ||| 0-0 ||| Equivalence
    [VP] ||| participating in [NP,1] ||| taking part in [NP,1] ||| PPDB2.0Score=4.1 ... ||| ... ||| Equivalence

Rules are kept if the target is equivalent to the source or entailed by it, as in VQA P2, and the score is high enough.
A lexical rule, one word for one word, applies to exactly that form of the word. A rule with two or more words in its
source becomes a pattern of ``paraphrases``, which has no phrase labels: rules that need one are left out, and so are
rules with anything but lower-case words (``us $``, ``the horse 's tail``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from math import isfinite

from askew.errors import BadOption, BadRecord
from askew.files.read_write import opened
from askew.language.paraphrases import Paraphrase
from askew.language.thesaurus import POS_OF_TAG, Synonym

_KEPT = frozenset((b"Equivalence", b"ForwardEntailment"))
"""The relations that preserve the meaning of a question."""
_BEST = 6.0
"""About the highest score; confidences are scores divided by it."""
_SCORE = re.compile(rb"\bPPDB2\.0Score=(\S*)")
_WORD = re.compile(r"[a-z]+(?:-[a-z]+)*")
_NONTERMINAL = re.compile(r"\[([^][,\s]+),[0-9]+\]")
_SLOTS = {"NP": "[NP]", "NN": "[N]", "NNS": "[NNS]", "VB": "[VB]", "VBG": "[VBG]", "JJ": "[JJ]", "CD": "[CD]"}
_OF_ONE_WORD = frozenset(POS_OF_TAG).union(
    ("CC", "CD", "DT", "EX", "FW", "MD", "NNP", "NNPS", "PDT", "PRP", "PRP$", "RBR", "RBS", "RP", "TO", "UH"),
    ("WDT", "WP", "WP$", "WRB"),
)
"""Tags of single words only; several words can be an ``IN``: *in front of*."""
_COMPLETE_PHRASES = frozenset(("ADJP", "ADVP", "NP", "PP", "QP", "S", "SBAR", "VP"))
_OPEN_ENDED = frozenset(("a", "an", "the", "and", "or"))
"""Words that cannot end a complete phrase."""


@dataclass(frozen=True)
class Ppdb:
    """The rules kept from one or more PPDB files, and the number left out by reason."""

    lexical: Mapping[tuple[str, str], tuple[Synonym, ...]] = field(default_factory=dict, repr=False, hash=False)
    """The lexical rules by word and tag, highest confidence first."""
    paraphrases: tuple[Paraphrase, ...] = field(default=(), repr=False)
    """The rules with several words, ordered by id."""
    left_out: Mapping[str, int] = field(default_factory=dict, hash=False)

    def of(self, word: str, tag: str) -> tuple[Synonym, ...]:
        """The rules for a word with this tag, highest confidence first."""
        return self.lexical.get((word, tag), ())

    @property
    def count(self) -> int:
        """The number of rules kept."""
        return len(self.paraphrases) + sum(map(len, self.lexical.values()))

    def rules(self) -> Iterator[tuple[str, Synonym | Paraphrase]]:
        """Every rule with its tag, which is empty for a rule with several words."""
        yield from (("", rule) for rule in self.paraphrases)
        yield from ((tag, rule) for (_, tag), found in self.lexical.items() for rule in found)

    def sources(self) -> frozenset[str]:
        """The words that lexical rules replace."""
        return frozenset(word for word, _ in self.lexical)

    @property
    def signature(self) -> str:
        """Twelve hex digits that identify the set of rules, independent of the files they came from.

        >>> Ppdb(left_out={"score too low": 2}).signature == Ppdb().signature
        True
        """
        content = [repr((tag, rule.source, rule.target, rule.confidence)) for tag, rule in self.rules()]
        return sha256("\n".join(sorted(content)).encode()).hexdigest()[:12]


def read_ppdb(paths: Iterable[str], score: float = 3.5) -> Ppdb:
    """Read PPDB files (gzip or not); rules below the score are left out, and duplicate rules count once.

    Raises:
        BadOption: when the score is below 0 or not a number.
        BadRecord: when a line does not have six fields, or its score is not a number.
    """
    if not (isfinite(score) and score >= 0):
        raise BadOption(f"ppdb: the lowest score is {score}. Give a number from 0 (PPDB's scores go up to about 6).")
    kept: dict[tuple[str, str, str], Synonym | Paraphrase] = {}
    left_out: Counter[str] = Counter()
    for path in paths:
        for line in _read(path, score):
            rule = line if isinstance(line, str) else _rule(*line)
            if isinstance(rule, str):
                left_out[rule] += 1
                continue
            key = line[0] if isinstance(rule, Synonym) else "", rule.source, rule.target
            if key in kept:
                left_out["the same rule again"] += 1
            if key not in kept or kept[key].confidence < rule.confidence:
                kept[key] = rule
    lexical: dict[tuple[str, str], list[Synonym]] = {}
    for (tag, source, _), rule in kept.items():
        if isinstance(rule, Synonym):
            lexical.setdefault((source, tag), []).append(rule)
    ordered = {key: tuple(sorted(found, key=lambda r: (-r.confidence, r.target))) for key, found in lexical.items()}
    phrases = (rule for rule in kept.values() if isinstance(rule, Paraphrase))
    return Ppdb(ordered, tuple(sorted(phrases, key=lambda rule: rule.id)), dict(left_out))


def _read(path: str, least: float) -> Iterator[tuple[str, str, str, float] | str]:
    """Label, source, target and confidence of each line, or the reason why it is left out."""
    with opened(path) as lines:
        for number, raw in enumerate(lines, 1):
            fields = raw.split(b"|||")
            if len(fields) != 6:
                if not raw.strip():
                    continue
                raise BadRecord(
                    f"{path}, line {number}: {len(fields)} fields, not the six of PPDB 2.0 "
                    "(LHS ||| source ||| target ||| features ||| alignment ||| entailment). Give a PPDB 2.0 file."
                )
            if fields[5].strip() not in _KEPT:
                yield "neither equivalent nor entailed"
                continue
            value = _score(fields[3], path, number)
            if value < least:
                yield "score too low"
                continue
            label, source, target = (part.decode("utf-8", "replace").strip() for part in fields[:3])
            yield label.strip("[]"), source, target, round(min(1.0, value / _BEST), 3)


def _score(features: bytes, path: str, number: int) -> float:
    """The PPDB 2.0 score among the features; 0 if there is none."""
    match = _SCORE.search(features)
    if match is None:
        return 0.0
    try:
        value = float(match[1])
    except ValueError:
        value = float("nan")
    if not isfinite(value):
        raise BadRecord(
            f"{path}, line {number}: PPDB2.0Score is {match[1].decode('utf-8', 'replace')!r}, not a number. "
            "Fix or delete the line, or download the file again."
        )
    return value


def _rule(label: str, source: str, target: str, confidence: float) -> Synonym | Paraphrase | str:
    """The rule in a line, or the reason why it is left out."""
    before, after = source.split(), target.split()
    slots = [part for part in before if _NONTERMINAL.fullmatch(part)]
    filled = [part for part in after if _NONTERMINAL.fullmatch(part)]
    words = len(before) - len(slots)
    letters = sum(_WORD.fullmatch(part) is not None for part in before + after)
    if not after or letters < words + len(after) - len(filled):
        return "characters other than letters"
    if before == after:
        return "both sides are the same"
    if not slots and not filled and len(before) == len(after) == 1:
        if label not in POS_OF_TAG:
            return "no content word"
        return Synonym(source, target, POS_OF_TAG[label], confidence, "ppdb", bare=True)
    if not words or sorted(slots) != sorted(filled) or any(_name(slot) not in _SLOTS for slot in slots):
        return "unsupported grammar"
    if words == 1:
        return "a single word of unknown part of speech"
    is_cut_off = label in _COMPLETE_PHRASES and not _OPEN_ENDED.isdisjoint((before[-1], after[-1]))
    if label in _OF_ONE_WORD or is_cut_off:
        return "a label that does not fit the words"
    source = " ".join(_SLOTS[_name(part)] if part in slots else part for part in before)
    target = " ".join(f"[{slots.index(part) + 1}]" if part in slots else part for part in after)
    return Paraphrase(f"ppdb:{source}→{target}", source, target, confidence=confidence, origin="ppdb")


def _name(slot: str) -> str:
    return slot[1:].partition(",")[0]
