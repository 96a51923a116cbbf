"""Figures 4 to 10 of the paper as tables of numbers; ``drawings`` draws them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askew.collect.stats.facts import NONE, TYPES, WORDS, Facts
from askew.collect.stats.sheets import Ints, count, described, percent, share
from askew.collect.stats.tables import Counted
from askew.types import Table

LEAST_SHARE = 0.005
"""First words with a smaller share are not listed: the paper leaves them white."""
MOST_ANSWERS = 100
MOST_WORDS = 20
"""Questions with this many words or more share one bar."""
SECONDS = 20
"""Width of a bar in Fig. 7."""
MOST_SECONDS = 300
BANDS = ("7 or more", "3 to 6", "2 or fewer")
"""Of ten answers, how many are the same."""
TENTHS = (*(f"{at / 10:.1f}–{(at + 1) / 10:.1f}" for at in range(10)), "1.0")
"""Of a mean confidence; exactly 1 is apart."""
_QUESTIONS = count("questions", "Questions")


def figure4(counted: Counted) -> Table:
    """The first four words of questions, as a tree; the share is of all questions of the part."""
    columns = (count("depth", "Words"), count("words", "First words"), _QUESTIONS, percent("share", "Share (%)", 2))
    table = described("figure4", columns, least=f"{100 * LEAST_SHARE:g}")
    facts = counted.facts
    prefixes = _prefixes(facts)
    for part in counted.parts:
        least = max(1, LEAST_SHARE * int(part.mask.sum()))
        found = []
        for depth, (column, names) in enumerate(prefixes, 1):
            counts = np.bincount(column[part.mask & (column != NONE)], minlength=len(names))
            found += [(names[place], depth, place) for place in np.flatnonzero(counts >= least).tolist()]
        for words, depth, place in sorted(found):
            mine = prefixes[depth - 1][0] == place
            rate = share(mine, part.mask, facts.image_of)
            table.add(part.label, depth, " ".join(words), int((mine & part.mask).sum()), rate)
    return table


def _prefixes(facts: Facts) -> list[tuple[Ints, Sequence[tuple[str, ...]]]]:
    """For one to four words: the code of each question's first words, and the words of each code."""
    words = list(facts.words)
    codes: Ints = np.zeros(len(facts.type), dtype=np.int64)
    prefixes: Sequence[tuple[str, ...]] = [()]
    levels: list[tuple[Ints, Sequence[tuple[str, ...]]]] = []
    for depth in range(1, WORDS + 1):
        word = facts.columns[f"word{depth}"]
        known = (word != NONE) & (codes != NONE)
        keys, place = np.unique(codes[known] * len(words) + word[known], return_inverse=True)
        prefixes = [(*prefixes[key // len(words)], words[key % len(words)]) for key in keys.tolist()]
        codes = np.full(len(word), NONE, dtype=np.int64)
        codes[known] = place
        levels.append((codes, prefixes))
    return levels


def histograms(counted: Counted) -> list[Table]:
    """Figures 5 to 8: the words of questions, the tries and the seconds of verified examples, and the types."""
    facts = counted.facts
    good = facts.is_type("E")
    every = np.ones(len(good), dtype=bool)
    seconds = np.nan_to_num(np.where(good, facts.floats["seconds"], 0.0))
    bars = [f"{at}–{at + SECONDS}" for at in range(0, MOST_SECONDS, SECONDS)] + [f"{MOST_SECONDS}+"]
    words = [str(n) for n in range(1, MOST_WORDS)] + [f"{MOST_WORDS}+"]
    tries = [str(n) for n in range(1, facts.settings.max_tries + 1)]
    parts = (
        ("words", np.minimum(facts.columns["length"], MOST_WORDS) - 1, words, every),
        ("tries", facts.columns["tries"] - 1, tries, good),
        ("seconds", np.minimum(seconds // SECONDS, MOST_SECONDS // SECONDS), bars, good),
        ("type", facts.type, list(TYPES), every),
    )
    found = []
    for number, (name, values, labels, among) in enumerate(parts, 5):
        columns = (count(name, name.capitalize()), _QUESTIONS, percent("share", "Share (%)"))
        table = described(f"figure{number}", columns)
        for part in counted.parts:
            mine = part.mask & among
            for place, label in enumerate(labels):
                here = values == place
                table.add(part.label, label, int((mine & here).sum()), share(here, mine, facts.image_of))
        found.append(table)
    return found


def figure9(counted: Counted) -> Table:
    """How agreement depends on confidence."""
    facts = counted.facts
    images, verified = facts.image_of, facts.is_type("CDE")
    people = facts.settings.verifiers_per_question + 1
    sure = share(10 * facts.confident >= 9 * people, verified, images)
    most = f"{100 * sure.value:.1f} %" if sure.n else "none"
    columns = (
        count("confidence", "Confidence"),
        _QUESTIONS,
        percent("share", "Share of the questions (%)"),
        *(percent(f"agree{place}", f"{band} agree (%)") for place, band in enumerate(BANDS)),
    )
    note = f"At least nine in ten people are confident on {most} of the verified questions."
    table = described("figure9", columns, notes=(note,))
    bins, bands = confidence_bins(facts), agreement_bands(facts)
    for part in counted.parts:
        mine = part.mask & verified
        for place, label in enumerate(TENTHS):
            here = mine & (bins == place)
            if here.any():
                agree = [share(bands == band, here, images) for band in range(len(BANDS))]
                table.add(part.label, label, int(here.sum()), share(bins == place, mine, images), *agree)
    return table


def figure10(counted: Counted) -> Table:
    """The most frequent answers to each type of question."""
    columns = (count("answer", "Answer"), _QUESTIONS, percent("share", "Share of the type (%)"))
    table = described("figure10", columns, "question type", most=MOST_ANSWERS)
    facts = counted.facts
    good, kind, answer = facts.is_type("E"), facts.columns["kind"], facts.most
    names, words = list(facts.kinds), list(facts.answers)
    counts = np.bincount(kind[good], minlength=len(names))
    for place in sorted(np.flatnonzero(counts).tolist(), key=lambda one: (-counts[one], names[one])):
        chosen = np.flatnonzero(good & (kind == place))
        images, given = np.unique(facts.image_of[chosen], return_inverse=True)[1], answer[chosen]
        every = np.ones(len(chosen), dtype=bool)
        found = np.bincount(given)
        order = sorted(np.flatnonzero(found).tolist(), key=lambda one: (-found[one], words[one]))
        for one in order[:MOST_ANSWERS]:
            table.add(names[place], words[one], int(found[one]), share(given == one, every, images))
    return table


def confidence_bins(facts: Facts) -> Ints:
    """The tenth of the scale in which a question's mean confidence lies; 10 for exactly 1."""
    return np.asarray(10 * facts.sure // (2 * np.maximum(facts.asked, 1)))


def agreement_bands(facts: Facts) -> Ints:
    """0 if at least 7 of 10 answers are the same, 1 for 3 to 6, 2 for fewer; the same shares of v + 1 answers."""
    people = facts.settings.verifiers_per_question + 1
    group = 10 * facts.largest
    return np.where(group >= 7 * people, 0, np.where(group >= 3 * people, 1, 2))
