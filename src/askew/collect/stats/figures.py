"""Figures 4 to 10 of the paper as tables of numbers; ``drawings`` draws them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askew.collect.stats.example_columns import NONE, TYPES, WORDS, Facts
from askew.collect.stats.published import FIGURE_NOTES
from askew.collect.stats.sheets import Ints, Mask, Sheet, SheetColumn, share
from askew.collect.stats.tables import Counted

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


def figure4(counted: Counted) -> Sheet:
    """The first four words of questions, as a tree; the share is of all questions of the part."""
    sheet = Sheet(
        "figure4",
        "Figure 4: first four words",
        "Questions (A to E) by the words they begin with, each path down to four words; paths with less than "
        f"{100 * LEAST_SHARE:g} % are not listed.",
        [
            SheetColumn("depth", "Words"),
            SheetColumn("words", "First words", "text"),
            SheetColumn("questions", "Questions"),
            SheetColumn("share", "Share (%)", "percent", 2),
        ],
    )
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
            sheet.add(part.label, depth, " ".join(words), int((mine & part.mask).sum()), rate)
    return sheet


def _prefixes(facts: Facts) -> list[tuple[Ints, Sequence[tuple[str, ...]]]]:
    """For one to four words: the code of each question's first words, and the words of each code."""
    words = facts.words.names
    codes: Ints = np.zeros(len(facts.type), dtype=np.int64)
    prefixes: Sequence[tuple[str, ...]] = [()]
    levels: list[tuple[Ints, Sequence[tuple[str, ...]]]] = []
    for depth in range(1, WORDS + 1):
        word = facts.column(f"word{depth}")
        known = (word != NONE) & (codes != NONE)
        keys, place = np.unique(codes[known] * len(words) + word[known], return_inverse=True)
        prefixes = [(*prefixes[key // len(words)], words[key % len(words)]) for key in keys.tolist()]
        codes = np.full(len(word), NONE, dtype=np.int64)
        codes[known] = place
        levels.append((codes, prefixes))
    return levels


def figure5(counted: Counted) -> Sheet:
    """How many words questions have."""
    sheet = _histogram(
        "figure5",
        "Figure 5: length of questions",
        "Questions (A to E) by their number of words.",
        SheetColumn("words", "Words", "text"),
    )
    facts = counted.facts
    lengths = np.minimum(facts.column("length"), MOST_WORDS)
    _fill(sheet, counted, lengths, [str(n) for n in range(1, MOST_WORDS)] + [f"{MOST_WORDS}+"], 1, None)
    return sheet


def figure6(counted: Counted) -> Sheet:
    """How many tries verified examples took."""
    sheet = _histogram(
        "figure6",
        "Figure 6: tries per verified example",
        "Verified examples (E) by the number of the try that succeeded.",
        SheetColumn("tries", "Tries", "text"),
    )
    facts = counted.facts
    labels = [str(n) for n in range(1, facts.settings.max_tries + 1)]
    _fill(sheet, counted, facts.column("tries"), labels, 1, facts.is_type("E"))
    return sheet


def figure7(counted: Counted) -> Sheet:
    """How long verified examples took."""
    sheet = _histogram(
        "figure7",
        "Figure 7: seconds per verified example",
        "Verified examples (E) by the seconds from showing the image to the correct answer, by the server's clock.",
        SheetColumn("seconds", "Seconds", "text"),
    )
    facts = counted.facts
    good = facts.is_type("E")
    seconds = np.where(good, facts.floats("seconds"), 0.0)
    place = np.minimum(np.nan_to_num(seconds) // SECONDS, MOST_SECONDS // SECONDS).astype(np.int64)
    labels = [f"{at}–{at + SECONDS}" for at in range(0, MOST_SECONDS, SECONDS)] + [f"{MOST_SECONDS}+"]
    _fill(sheet, counted, place, labels, 0, good)
    return sheet


def figure8(counted: Counted) -> Sheet:
    """How many questions are of each type."""
    sheet = _histogram(
        "figure8",
        "Figure 8: types of examples",
        "A: the model was correct; B: the author was not sure; C: verifiers overruled the author; D: no two verifiers "
        "agree; E: verified. Questions left out (U) are not counted.",
        SheetColumn("type", "Type", "text"),
    )
    _fill(sheet, counted, counted.facts.type, list(TYPES), 0, None)
    return sheet


def figure9(counted: Counted) -> Sheet:
    """How agreement depends on confidence."""
    sheet = Sheet(
        "figure9",
        "Figure 9: confidence and agreement",
        "Verified questions by the mean confidence of their answers (yes 1, maybe 0.5, no 0), and by how many of ten "
        "answers are the same; with another number of answers, by the same share of them.",
        [
            SheetColumn("confidence", "Confidence", "text"),
            SheetColumn("questions", "Questions"),
            SheetColumn("share", "Share of the questions (%)", "percent"),
            *(SheetColumn(f"agree{place}", f"{band} agree (%)", "percent") for place, band in enumerate(BANDS)),
        ],
    )
    facts = counted.facts
    verified = facts.is_type("CDE")
    bins, bands = confidence_bins(facts), agreement_bands(facts)
    labels = [f"{at / 10:.1f}–{(at + 1) / 10:.1f}" for at in range(10)] + ["1.0"]
    for part in counted.parts:
        mine = part.mask & verified
        for place, label in enumerate(labels):
            here = mine & (bins == place)
            if not here.any():
                continue
            agree = [share(bands == band, here, facts.image_of) for band in range(len(BANDS))]
            sheet.add(part.label, label, int(here.sum()), share(bins == place, mine, facts.image_of), *agree)
    sheet.notes = (_sure_note(counted), FIGURE_NOTES["figure9"])
    return sheet


def figure10(counted: Counted) -> Sheet:
    """The most frequent answers to each type of question."""
    sheet = Sheet(
        "figure10",
        "Figure 10: answers per question type",
        "Verified examples (E) of all rounds: for each question type (its first words, as VQA names them) the "
        f"{MOST_ANSWERS} answers that are most often the most frequent one.",
        [
            SheetColumn("answer", "Answer", "text"),
            SheetColumn("questions", "Questions"),
            SheetColumn("share", "Share of the type (%)", "percent"),
        ],
        first="question type",
    )
    facts = counted.facts
    good, kind, answer = facts.is_type("E"), facts.column("kind"), facts.column("answer")
    names, words = facts.kinds.names, facts.answers.names
    counts = np.bincount(kind[good], minlength=len(names))
    for place in sorted(np.flatnonzero(counts).tolist(), key=lambda one: (-counts[one], names[one])):
        chosen = np.flatnonzero(good & (kind == place))
        images, given = np.unique(facts.image_of[chosen], return_inverse=True)[1], answer[chosen]
        every = np.ones(len(chosen), dtype=bool)
        found = np.bincount(given)
        order = sorted(np.flatnonzero(found).tolist(), key=lambda one: (-found[one], words[one]))
        for one in order[:MOST_ANSWERS]:
            sheet.add(names[place], words[one], int(found[one]), share(given == one, every, images))
    return sheet


def confidence_bins(facts: Facts) -> Ints:
    """The tenth of the scale in which a question's mean confidence lies; 10 for exactly 1."""
    asked = np.maximum(facts.column("asked"), 1)
    return np.asarray(10 * facts.column("sure") // (2 * asked))


def agreement_bands(facts: Facts) -> Ints:
    """0 if at least 7 of 10 answers are the same, 1 for 3 to 6, 2 for fewer; the same shares of v + 1 answers."""
    people = facts.settings.verifiers_per_question + 1
    group = 10 * facts.column("group")
    return np.where(group >= 7 * people, 0, np.where(group >= 3 * people, 1, 2))


def _sure_note(counted: Counted) -> str:
    facts = counted.facts
    verified = facts.is_type("CDE")
    people = facts.settings.verifiers_per_question + 1
    most = 10 * facts.column("confident") >= 9 * people
    found = share(most, verified, facts.image_of)
    percent = f"{100 * found.value:.1f} %" if found.n else "none"
    return f"At least nine in ten people are confident on {percent} of the verified questions."


def _histogram(name: str, title: str, about: str, column: SheetColumn) -> Sheet:
    columns = [column, SheetColumn("questions", "Questions"), SheetColumn("share", "Share (%)", "percent")]
    note = FIGURE_NOTES.get(name)
    return Sheet(name, title, about, columns, notes=(note,) if note else ())


def _fill(sheet: Sheet, counted: Counted, values: Ints, labels: Sequence[str], first: int, among: Mask | None) -> None:
    """A row for each part and label; ``first`` is the value of the first label."""
    facts = counted.facts
    for part in counted.parts:
        mine = part.mask if among is None else part.mask & among
        for place, label in enumerate(labels, first):
            here = values == place
            sheet.add(part.label, label, int((mine & here).sum()), share(here, mine, facts.image_of))
