"""PPDB 2.0: paraphrase rules mined from texts, from the files that the user has.

Pavlick et al., "PPDB 2.0: Better paraphrase ranking, fine-grained entailment relations, word embeddings, and style
classification", ACL 2015. A line is ``LHS ||| source ||| target ||| features ||| alignment ||| entailment``, as in::

    [NN] ||| car ||| automobile ||| PPDB2.0Score=5.3 ... ||| 0-0 ||| Equivalence
    [VP] ||| participating in [NP,1] ||| taking part in [NP,1] ||| PPDB2.0Score=4.1 ... ||| ... ||| Equivalence

Kept are the rules whose target is equivalent to the source or entailed by it, as VQA P2 has it, with a score that is
high enough. A lexical rule applies to the form of the word that it has; a syntactic one becomes a pattern of ours.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from askew.errors import BadOption, BadRecord
from askew.files import opened
from askew.language.paraphrases import Paraphrase
from askew.language.synonyms import Synonym
from askew.language.wordnet import Pos

KEPT = ("Equivalence", "ForwardEntailment")
"""The relations of a rule that keep what a question asks."""
_BEST = 6.0
"""About the highest score there is; confidences are scores divided by it."""
_SCORE = re.compile(r"PPDB2\.0Score=(-?[0-9.]+)")
_NONTERMINAL = re.compile(r"\[([A-Z$]+),[0-9]+\]")
_SLOTS = {"NP": "[NP]", "NN": "[N]", "NNS": "[NNS]", "VB": "[VB]", "VBG": "[VBG]", "JJ": "[JJ]", "CD": "[CD]"}
_POS: Mapping[str, Pos] = {
    **dict.fromkeys(("NN", "NNS"), "n"),
    **dict.fromkeys(("VB", "VBD", "VBG", "VBN", "VBP", "VBZ"), "v"),
    **dict.fromkeys(("JJ", "JJR", "JJS"), "a"),
    "RB": "r",
}


@dataclass(frozen=True)
class Ppdb:
    """The rules of one or more PPDB files that were kept, and how many were not, by reason."""

    lexical: Mapping[tuple[str, str], tuple[Synonym, ...]] = field(default_factory=dict, repr=False, hash=False)
    paraphrases: tuple[Paraphrase, ...] = field(default=(), repr=False)
    left_out: Mapping[str, int] = field(default_factory=dict, hash=False)

    def of(self, word: str, tag: str) -> tuple[Synonym, ...]:
        """The rules for a word with this tag, the surest first."""
        return self.lexical.get((word, tag), ())

    def sources(self) -> frozenset[str]:
        """The words that lexical rules replace."""
        return frozenset(word for word, _ in self.lexical)


def read_ppdb(paths: Iterable[str], score: float = 3.5) -> Ppdb:
    """Read PPDB files (gzip or not); rules below the score are left out.

    Raises:
        BadRecord: when a line has not the six fields.
    """
    if score < 0:
        raise BadOption(f"ppdb: the least score is {score}; give 0 or more (PPDB's scores go up to about 6).")
    lexical: dict[tuple[str, str], list[Synonym]] = {}
    phrases: list[Paraphrase] = []
    left_out: Counter[str] = Counter()
    for path in paths:
        for rule in _read(path, score):
            if isinstance(rule, str):
                left_out[rule] += 1
            elif isinstance(rule, Paraphrase):
                phrases.append(rule)
            else:
                lexical.setdefault((rule.source, rule.next[0]), []).append(_free(rule))
    ordered = {key: tuple(sorted(found, key=lambda r: (-r.confidence, r.target))) for key, found in lexical.items()}
    return Ppdb(ordered, tuple(phrases), dict(left_out))


def _read(path: str, score: float) -> Iterator[Synonym | Paraphrase | str]:
    """Each rule of a file, or why it is left out. Lexical rules come with their tag in ``next``."""
    with opened(path) as lines:
        for number, raw in enumerate(lines, 1):
            fields = [part.strip() for part in raw.decode("utf-8", "replace").split("|||")]
            if len(fields) != 6:
                raise BadRecord(
                    f"{path}, line {number}: {len(fields)} fields, not the six of PPDB 2.0 "
                    "(LHS ||| source ||| target ||| features ||| alignment ||| entailment). Give a PPDB 2.0 file."
                )
            yield _rule(fields, f"{number}", score)


def _rule(fields: list[str], number: str, least: float) -> Synonym | Paraphrase | str:
    left, source, target, features, _, relation = fields
    if relation not in KEPT:
        return "neither equivalent nor entailed"
    match = _SCORE.search(features)
    value = float(match.group(1)) if match else 0.0
    if value < least:
        return "score too low"
    confidence = round(min(1.0, value / _BEST), 3)
    tag = left.strip("[]")
    if " " not in source and " " not in target and source.isalpha() and target.isalpha():
        if tag not in _POS:
            return "no content word"
        return Synonym(source, target, _POS[tag], confidence, "ppdb", None, (tag,), True)
    pattern, filled = _pattern(source, target)
    if pattern is None or filled is None:
        return "a grammar that is not used here"
    return Paraphrase(f"ppdb-{number}", pattern, filled, confidence=confidence, origin="ppdb")


def _pattern(source: str, target: str) -> tuple[str | None, str | None]:
    """The two sides in our notation; None for a grammar that we do not have, or no word to go by."""
    order = [match.group() for match in _NONTERMINAL.finditer(source)]
    if any(match.group(1) not in _SLOTS for match in _NONTERMINAL.finditer(source)):
        return None, None
    if "[" in _NONTERMINAL.sub("", source + target) or "/" in source + target:
        return None, None
    if sorted(order) != sorted(match.group() for match in _NONTERMINAL.finditer(target)):
        return None, None
    if not any(part.isalpha() for part in source.split()):
        return None, None
    filled = _NONTERMINAL.sub(lambda match: f"[{order.index(match.group()) + 1}]", target)
    return _NONTERMINAL.sub(lambda match: _SLOTS[match.group(1)], source), filled


def _free(rule: Synonym) -> Synonym:
    return Synonym(rule.source, rule.target, rule.pos, rule.confidence, rule.origin, None, (), True)
