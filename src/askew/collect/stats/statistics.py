"""All statistics of a study or a release, in one pass."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from askew.collect.examples import Example
from askew.collect.release import MANIFEST
from askew.collect.schema import SPLITS
from askew.collect.stats import figures, tables, work_tables
from askew.collect.stats.facts import TYPES, Facts
from askew.collect.stats.human_coding import Coded, check_coded, kappa_table, table7
from askew.collect.stats.sources import About, FromRelease, FromStudy, Source
from askew.collect.stats.vocabulary import Vocabulary
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


@contextmanager
def gc_paused() -> Iterator[None]:
    """Pause the garbage collector: millions of tuples come and go, and none is in a cycle."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


@gc_paused()
def statistics(source: Source, vocabulary: Vocabulary | None = None, coders: Sequence[Coded] = ()) -> Statistics:
    """Count everything."""
    about = source.about()
    if coders:
        with closing(source.examples()) as examples:
            check_coded(coders, examples)
    with closing(source.examples()) as examples:
        attacks: list[Example] = []
        facts = Facts(by_people(examples, attacks), about.settings, vocabulary)
    check_counts(facts, attacks, about)
    if not len(facts.type) and not attacks:
        raise UsageError(f"{about.name or 'The study'}: no question has been judged yet, so there is nothing to count.")
    counted = tables.Counted(facts, about, source.drawn(), source.ended())
    found = [
        tables.table1(counted),
        tables.sessions_table(counted),
        *([table7(coders)] if coders else []),
        *([kappa_table(coders)] if len(coders) == 2 else []),
        tables.table8(counted, attacks),
        tables.table9(counted),
        tables.table10(counted),
        work_tables.agreement_table(counted),
        work_tables.models_table(counted),
        work_tables.leases_table(counted),
    ]
    drawn = []
    if len(facts.type):  # no figure counts automatic attacks
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


def by_people(examples: Iterable[Example], attacks: list[Example]) -> Iterator[Example]:
    """The questions of people; those of automatic attacks are counted apart, and added to ``attacks``."""
    for one in examples:
        if one.attack:
            attacks.append(one)
        else:
            yield one


def check_counts(facts: Facts, attacks: Sequence[Example], about: About) -> None:
    """Raise if a release states other counts than its history has."""
    for number, claimed in about.claimed.items():
        mine = facts.round == number
        counted = {kind: int((mine & facts.is_type(kind)).sum()) for kind in TYPES} | {"U": facts.left_out[number]}
        counted |= {name: int((mine & (facts.columns["split"] == at)).sum()) for at, name in enumerate(SPLITS)}
        for one in attacks:
            if one.round == number:
                counted[one.type if one.text else "U"] += 1
                if one.split is not None:
                    counted[one.split] += 1
        for name, value in claimed.items():
            if counted[name] != value:
                raise DataError(
                    f"The statistics do not add up: round {number} has {counted[name]} counted as {name}, but {value} "
                    "are stated. The release has been changed or damaged: write it again."
                )
