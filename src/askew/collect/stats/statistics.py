"""All statistics of a study or a release, in one pass; counts that do not add up are an error."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from askew.collect.release import MANIFEST
from askew.collect.schema_parts import SPLITS
from askew.collect.stats import figures, tables, work_tables
from askew.collect.stats.answer_groups import Vocabulary
from askew.collect.stats.example_columns import NONE, TYPES, Facts, facts_of, gc_paused
from askew.collect.stats.example_records import About, Source
from askew.collect.stats.example_sources import FromRelease, FromStudy
from askew.collect.stats.human_coding import Coded, check_coded, kappa_table, table7
from askew.collect.stats.sheets import Ints
from askew.collect.study import open_study
from askew.errors import DataError, UsageError
from askew.types import Table


@dataclass(frozen=True)
class Statistics:
    """What was counted: tables, and figures as tables."""

    about: About
    tables: list[Table]
    figures: list[Table]
    vocabulary: int | None
    """How many answers the vocabulary has, if one was given."""

    @property
    def sheets(self) -> list[Table]:
        """All tables."""
        return [*self.tables, *self.figures]

    def sheet(self, name: str) -> Table:
        """A table by its name."""
        return next(sheet for sheet in self.sheets if sheet.id == name)


@gc_paused()
def statistics(source: Source, vocabulary: Vocabulary | None = None, coders: Sequence[Coded] = ()) -> Statistics:
    """Count everything; counts that do not add up are an error."""
    about = source.about()
    if coders:
        with closing(source.examples()) as examples:
            check_coded(coders, examples)
    with closing(source.examples()) as examples:
        facts = facts_of(examples, about.settings, vocabulary)
    check_identities(facts, about)
    if not len(facts.type):
        raise UsageError(f"{about.name or 'The study'}: no question has been judged yet, so there is nothing to count.")
    counted = tables.Counted(facts, about, source.drawn(), source.ended())
    coded = [table7(coders), kappa_table(coders)] if coders else []
    found = [
        tables.table1(counted),
        tables.sessions_table(counted),
        *(sheet for sheet in coded if sheet is not None),
        tables.table8(counted),
        tables.table9(counted),
        tables.table10(counted),
        work_tables.agreement_table(counted),
        work_tables.models_table(counted),
        work_tables.leases_table(counted),
    ]
    drawn = [
        figures.figure4(counted),
        *figures.histograms(counted),
        figures.figure9(counted),
        figures.figure10(counted),
    ]
    return Statistics(about, found, drawn, None if vocabulary is None else len(vocabulary))


@contextmanager
def opened_source(folder: Path) -> Iterator[Source]:
    """The source in a folder: a release if there is a manifest, otherwise a study, read in one snapshot."""
    if (folder / MANIFEST).is_file():
        yield FromRelease(folder)
        return
    with closing(open_study(folder)) as study, study.database.read() as tx:
        yield FromStudy(tx)


def check_identities(facts: Facts, about: About) -> None:
    """Raise if counts contradict each other or what the source states elsewhere."""
    wrong = [*_sessions(facts), *_splits(facts), *_shares(facts, about), *_claims(facts, about)]
    if wrong:
        more = f" (and {len(wrong) - 1} more)" if len(wrong) > 1 else ""
        raise DataError(
            f"The statistics do not add up: {wrong[0]}{more}. "
            "The data has been changed or damaged: check it with askew collect check STUDY, or restore a backup."
        )


def _sessions(facts: Facts) -> Iterator[str]:
    """Every session is on one image, tries are numbered within the limit, and nothing follows a success."""
    session, tries = facts.column("session"), facts.column("tries")
    if not len(session):
        return
    most = facts.settings.max_tries
    if (tries < 1).any() or (tries > most).any():
        yield f"{int(((tries < 1) | (tries > most)).sum())} tries are not between 1 and {most}"
    keys, place = np.unique(session, return_inverse=True)
    pairs = _pairs(session, facts.image_of)
    if pairs != len(keys):
        yield f"{pairs} pairs of session and image, but {len(keys)} sessions"
    successes = np.bincount(place, weights=facts.is_type("CDE"))
    if facts.settings.stop_at_first_success and (successes > 1).any():
        yield f"{int((successes > 1).sum())} sessions have more than one success"


def _splits(facts: Facts) -> Iterator[str]:
    """Every image is in one split; dev and test have type E only, train A, C and E."""
    split = facts.column("split")
    chosen = split != NONE
    pairs = _pairs(facts.image_of[chosen], split[chosen])
    images = len(np.unique(facts.image_of[chosen]))
    if pairs != images:
        yield f"{pairs - images} images are in more than one split"
    in_train = int((split == SPLITS.index("train")).sum())
    parts = sum(int(((split == SPLITS.index("train")) & facts.is_type(kind)).sum()) for kind in "ACE")
    if in_train != parts:
        yield f"train has {in_train} questions, but {parts} of types A, C and E"
    tested = np.isin(split, [SPLITS.index("dev"), SPLITS.index("test")])
    if (tested & ~facts.is_type("E")).any():
        yield f"{int((tested & ~facts.is_type('E')).sum())} questions in dev and test are not of type E"


def _shares(facts: Facts, about: About) -> Iterator[str]:
    """Of a frozen round's verified examples (E), train has its share, to within two images or half a per cent.

    Examples in no split may belong to train: the cap on an author's share of it leaves some out.
    """
    split, good = facts.column("split"), facts.is_type("E")
    for number, stated in about.rounds.items():
        mine = good & (facts.round == number)
        if stated.get("snapshot") and mine.any() and not facts.deleted[number]:
            verified, most = int(mine.sum()), int(np.bincount(facts.image_of[mine]).max())
            share = facts.settings.train_share
            trained = int((mine & (split == SPLITS.index("train"))).sum())
            unsplit = int((mine & (split == NONE)).sum())
            apart = max(100 * trained - share * verified, share * verified - 100 * (trained + unsplit))
            if apart > max(200 * most, verified / 2):
                yield f"train of round {number} does not have {share} % of its {verified} verified examples"


def _claims(facts: Facts, about: About) -> Iterator[str]:
    """Total = A + B + C + D + E, Verified = C + D + E, and all counts equal those that the source states elsewhere."""
    split = facts.column("split")
    for number, claimed in about.claimed.items():
        mine = facts.round == number
        counted = {kind: int((mine & facts.is_type(kind)).sum()) for kind in TYPES}
        counted["U"] = facts.left_out[number]
        counted["total"] = int(mine.sum())
        counted["verified"] = sum(counted[kind] for kind in "CDE")
        counted["questions"] = counted["total"] + counted["U"]
        counted |= {name: int((mine & (split == place)).sum()) for place, name in enumerate(SPLITS)}
        for name, value in claimed.items():
            if counted[name] != value:
                yield f"round {number} has {counted[name]} counted as {name}, but {value} are stated"


def _pairs(first: Ints, second: Ints) -> int:
    """The number of different pairs; the second numbers are not negative."""
    return len(np.unique(first * (1 + int(second.max(initial=0))) + second))
