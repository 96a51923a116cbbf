"""All statistics of a study or a release, in one pass."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from askew.collect.stats import figures, tables, work_tables
from askew.collect.stats.coding import Coded, check_coded, kappa_table, table7
from askew.collect.stats.facts import facts_of, no_cycles
from askew.collect.stats.from_release import MANIFEST, FromRelease
from askew.collect.stats.identities import check_identities
from askew.collect.stats.sheets import Sheet
from askew.collect.stats.told_examples import About, Source
from askew.collect.stats.vocabulary import Vocabulary
from askew.errors import UsageError


@dataclass(frozen=True)
class Statistics:
    """What was counted: tables, and figures as tables."""

    about: About
    tables: list[Sheet]
    figures: list[Sheet]
    vocabulary: int | None
    """How many answers the vocabulary has, if one was given."""

    @property
    def sheets(self) -> list[Sheet]:
        """All tables."""
        return [*self.tables, *self.figures]

    def sheet(self, name: str) -> Sheet:
        """A table by its name."""
        return next(sheet for sheet in self.sheets if sheet.name == name)


@no_cycles()
def statistics(source: Source, vocabulary: Vocabulary | None = None, coders: Sequence[Coded] = ()) -> Statistics:
    """Count everything; what does not add up is an error."""
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
        figures.figure5(counted),
        figures.figure6(counted),
        figures.figure7(counted),
        figures.figure8(counted),
        figures.figure9(counted),
        figures.figure10(counted),
    ]
    return Statistics(about, found, drawn, None if vocabulary is None else len(vocabulary))


@contextmanager
def opened_source(folder: Path) -> Iterator[Source]:
    """The source in a folder: a release where there is a manifest, else a study, read in one snapshot."""
    if (folder / MANIFEST).is_file():
        yield FromRelease(folder)
        return
    from askew.collect.stats.from_study import FromStudy
    from askew.collect.study import open_study

    study = open_study(folder)
    try:
        with study.database.read() as tx:
            yield FromStudy(tx)
    finally:
        study.close()
