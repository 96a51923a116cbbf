"""Build groups from data, for ``askew build`` and ``askew run``, with the coverage of every generator.

Ready-made groups are taken as they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol

from askew.answers.normalise import modal_answer
from askew.audit.labelled_texts import Tests, add_group
from askew.audit.text_audit import TextScore, yes_no_alone
from askew.data.groups import checked_groups, read_written, unique_by_id, written_groups
from askew.engine.build_remarks import QuestionLanguage, disk_use, measured
from askew.engine.components import NO_SUITE, ready_made_signature, refuse_build_options
from askew.engine.events import EVERY, Advanced, Note, Stage, Started
from askew.engine.settings import Named, Settings, Shard
from askew.errors import DataError, UsageError, plural
from askew.files.output_folders import clear_unnamed
from askew.files.paths import FOLDER, ImageFolders, remember, root_of
from askew.files.read_write import clear_parts, replaced
from askew.files.records import Record
from askew.metrics.accuracy import ACCURACY
from askew.metrics.chance import ChanceLevel
from askew.types import Group, Id, Question, Refusal
from askew.verbs import BuildsByExecutor, Dataset, DatasetFacts, Executor, Fingerprints, HoldsGroups, Suite, SuiteFacts

DRAWN_SHOWN = 20
"""The number of drawn words that a coverage report lists for each test."""
AUDITED = 5_000
"""The number of questions of each test that are audited while groups are built; ``askew audit`` uses more."""


@dataclass
class Coverage:
    """What one suite built from the data: per test, how many variants were built or refused, and why."""

    suite: Suite
    ready: bool = False
    """True for ready-made groups, when nothing was built here."""
    groups: int = 0
    variants: int = 0
    changed: int = 0
    """Groups with at least one variant."""
    images: set[Id] = field(default_factory=set, repr=False)
    """The images of the original questions, over which intervals are computed."""
    shown: set[Id] = field(default_factory=set, repr=False)
    """The images of variants, which may be about another one."""
    made: dict[str, Counter[str]] = field(default_factory=dict)
    """Per test, variants by the rule that made them."""
    refused: dict[str, Counter[str]] = field(default_factory=dict)
    """Per test, refusals by reason."""
    examples: dict[str, dict[str, Id]] = field(default_factory=dict)
    """Per test, the first question that was refused for each reason."""
    answers: dict[str, Counter[str]] = field(default_factory=dict)
    """Per test, the correct answers to the variants."""
    drawn: dict[str, Counter[str]] = field(default_factory=dict)
    """Per test, the words that a rule drew at random (``note["drawn"]``)."""
    cut: Counter[str] = field(default_factory=Counter)
    """Per test, variants that were cut to a model's word limit (``note["truncated"]``)."""
    doubts: dict[str, Counter[bool]] = field(default_factory=dict)
    """Per test, variants whose answer does or does not depend on an incomplete scene graph (``note["doubtful"]``)."""
    balanced: dict[str, Counter[str]] = field(default_factory=dict)
    """Per test, the feature (text or word) that occurs equally often with each answer (``balanced``)."""
    keep_texts: bool = True
    """Whether questions are collected for an audit."""
    texts: Tests = field(default_factory=dict, repr=False)
    """Questions with their labels, for an audit of what the text alone gives away; a sample if there are many."""
    text_alone: Sequence[TextScore] = ()
    """What the text of yes/no questions alone predicts, over all tests and in each."""
    chance: dict[str, ChanceLevel] = field(default_factory=dict, repr=False)
    """The expected scores of guesses, by accuracy on the originals and by the headline."""

    @property
    def signature(self) -> str:
        """The suite's signature; for ready-made groups without the options they were built with, which are unknown."""
        return ready_made_signature(self.suite) if self.ready else repr(self.suite)

    @property
    def notes(self) -> Sequence[str]:
        """The suite's notes on how it built the groups (versions it depends on); none for ready-made groups.

        The notes of a published benchmark are about its figures, and hold for its ready-made groups.
        """
        facts = SuiteFacts(self.suite)
        return facts.notes if facts.readers or not self.ready else ()

    def count(self, item: Group | Refusal) -> None:
        """Add one item of the stream."""
        if isinstance(item, Refusal):
            self.refused.setdefault(item.test, Counter())[item.reason] += 1
            self.examples.setdefault(item.test, {}).setdefault(item.reason, item.question_id)
            return
        if self.keep_texts:
            add_group(self.texts, item, most=AUDITED)
        if not self.groups:
            metrics, counted = self.suite.metrics, (ACCURACY, self.suite.headline[0])
            self.chance = {name: ChanceLevel(metrics[name], name == ACCURACY) for name in counted if name in metrics}
        for level in self.chance.values():
            level.add(item)
        self.groups += 1
        self.variants += len(item.variants)
        self.changed += bool(item.variants)
        for image in item.original.images:
            self.images.add(image.id)
        for variant in item.variants:
            self.shown.update(image.id for image in variant.question.images)
            self.made.setdefault(variant.test, Counter())[variant.made_by] += 1
            if variant.question.answers:
                self.answers.setdefault(variant.test, Counter())[modal_answer(variant.question.answers, str)] += 1
            if variant.note.get("truncated"):
                self.cut[variant.test] += 1
            if "balanced" in variant.note:
                self.balanced.setdefault(variant.test, Counter())[str(variant.note["balanced"])] += 1
            if "doubtful" in variant.note:
                self.doubts.setdefault(variant.test, Counter())[bool(variant.note["doubtful"])] += 1
            if "drawn" in variant.note:
                self.drawn.setdefault(variant.test, Counter())[str(variant.note["drawn"])] += 1

    def records(self) -> list[dict[str, Any]]:
        """One record per test, in the suite's order."""
        return [self._record(test) for test in self.suite.tests]

    def _record(self, test: str) -> dict[str, Any]:
        made, refused = self.made.get(test, Counter()), self.refused.get(test, Counter())
        return {
            "test": test,
            "matched": made.total() + refused.total(),
            "made": made.total(),
            "made_by": dict(made.most_common()),
            "refused": dict(refused.most_common()),
            "examples": self.examples.get(test, {}),
            "answers": dict(self.answers.get(test, Counter()).most_common(DRAWN_SHOWN)),
            "drawn": dict(self.drawn.get(test, Counter()).most_common(DRAWN_SHOWN)),
            "cut": self.cut[test],
            "balanced": dict(self.balanced.get(test, Counter()).most_common()),
            "doubtful": [self.doubts.get(test, Counter())[each] for each in (True, False)],
        }


def counted(
    items: Iterable[Group | Refusal], coverage: Coverage, limit: int | None = None, shard: Shard | None = None
) -> Iterator[Group]:
    """The groups of a stream up to the limit, of these only those of the shard; refusals are counted and dropped."""
    groups = 0
    for item in items:
        is_group = isinstance(item, Group)
        if shard is None or shard.has(item.id if isinstance(item, Group) else item.question_id):
            coverage.count(item)
            if isinstance(item, Group):
                yield item
        groups += is_group
        if groups == limit:
            return


class CountedData:
    """Wraps a data set and counts its items while a suite reads it."""

    def __init__(self, data: Dataset) -> None:
        self.source, self.name = data, data.name
        self.is_ready = isinstance(data, HoldsGroups)
        """Whether the data has ready-made groups."""
        self.count = 0
        self.images: set[Id] = set()
        self.has_one_image = True
        """False once a question without an image, or about several, was read."""
        self.language = QuestionLanguage()

    def __repr__(self) -> str:
        return repr(self.source)

    @property
    def skipped(self) -> Sequence[str]:
        """What the data set skipped."""
        return self.source.skipped

    def groups(self) -> Iterator[Group]:
        """The ready-made groups."""
        ready = self.source.groups() if isinstance(self.source, HoldsGroups) else ()
        for count, group in enumerate(ready, 1):
            self._add(count, group.original)
            yield group

    def questions(self) -> Iterator[Question]:
        """The questions."""
        for count, question in enumerate(self.source.questions(), 1):
            self._add(count, question)
            yield question

    def _add(self, count: int, question: Question) -> None:
        self.count = max(self.count, count)  # if the data is read several times, the highest count is kept
        self.language.add(question.text)
        if len(question.images) != 1:
            self.has_one_image = False
        for image in question.images:
            self.images.add(image.id)

    def remarks(self, covers: Sequence[Coverage]) -> list[str]:
        """What the user should know of the questions that these suites change."""
        suites = [] if self.is_ready else [cover.suite.name for cover in covers if SuiteFacts(cover.suite).english]
        return self.language.remarks(suites)


@dataclass(frozen=True)
class Prepared:
    """Groups on disk, ready for models, with a record of their data and suites."""

    groups: Path
    suites: Sequence[Named]
    data: Mapping[str, Any]
    covers: Sequence[Coverage]
    has_one_image: bool
    """True when every question has just one image."""
    folders: ImageFolders
    """The folders that image names in the groups refer to."""
    answers: Path | None = None
    """If the data are the result of an attack: the store of its answers, which need not be requested again."""
    rule: str = "none"
    """How the evaluator of the data reads replies."""

    def read(self) -> Iterator[Group]:
        """The groups, streamed, with their images."""
        return (group for group, _ in self.read_records())

    def read_records(self) -> Iterator[tuple[Group, Record]]:
        """The groups, each with its record in the file."""
        return read_written(str(self.groups), self.folders.folders)


class WatchesGroups(Protocol):
    """Something that must see every group before a model is asked, and may refuse them."""

    def add(self, group: Group) -> None:
        """Look at one group, as it will be read."""
        ...

    def check(self) -> None:
        """Raise an AskewError if the groups added cannot be used."""
        ...


def build_groups(
    data: Named,
    suites: Sequence[Named],
    folder: Path,
    settings: Settings,
    watchers: Sequence[WatchesGroups] = (),
    by_id: bool = False,
    executor: Executor | None = None,
) -> Stage[Prepared]:
    """Build the groups of all suites and write them to ``groups.jsonl``, once for all models of a run.

    ``by_id``: answers will be matched by id, so one id for two different questions is refused. ``executor``: builds the
    groups of suites that can share the work; by default this process does.
    """
    names = [suite.what.name for suite in suites]
    if len(set(names)) < len(names):
        raise UsageError(
            f"The suite {max(names, key=names.count)!r} is named twice; give each of the two a run of its own."
        )
    source = CountedData(data.what)
    covers = [Coverage(suite.what, source.is_ready, keep_texts=not settings.no_audit) for suite in suites]
    for suite in suites if source.is_ready else ():
        refuse_build_options(suite.what, data.spec)
    path, folders = folder / "groups.jsonl", ImageFolders(str(folder), root_of(data.what))
    clear_parts(folder)
    made = _nonempty(_groups(source, covers, settings, executor), source, data.spec, covers, settings.shard)
    made = unique_by_id(made, data.spec) if by_id else made
    made = made if source.is_ready else checked_groups(made, data.spec)
    done, sizes = 0, list[int]()
    yield Started("Making groups", "groups")
    with replaced(path) as file:
        for done, group in enumerate(written_groups(measured(made, sizes), file, str(path), folders), start=1):
            if len(sizes) == 1:
                yield Note(disk_use(sizes[0], path.parent / FOLDER, settings.limit))
                sizes.append(0)
            for watcher in watchers:
                watcher.add(group)
            if done % EVERY == 0:
                yield Advanced(done)
    yield Advanced(done)
    remember(str(path), folders)
    clear_unnamed(folder)
    for watcher in watchers:
        watcher.check()
    record = {
        "name": (data.name or source.name) + (f", shard {settings.shard}" if settings.shard else ""),
        "spec": data.spec,
        "signature": repr(source),
        "fingerprint": fingerprint_of(data.what),
        "questions": source.count,
        "counted": "ready-made group" if source.is_ready else DatasetFacts(data.what).counted,
        "images": len(source.images),
        "skipped": list(source.skipped),
        "remarks": [*DatasetFacts(data.what).remarks, *source.remarks(covers)],
        "ready": source.is_ready,
    }
    answers, origin = None, DatasetFacts(data.what).path
    if source.is_ready and "attack" in names and origin and Path(origin).with_name("answers.sqlite").is_file():
        answers = Path(origin).with_name("answers.sqlite")
    rule = DatasetFacts(data.what).extract
    return Prepared(path, suites, record, covers, source.has_one_image, folders, answers, rule)


def audit_texts(prepared: Prepared) -> Stage[None]:
    """Find out what the text of yes/no questions alone predicts, suite by suite."""
    yield Started("Auditing texts", "suites", len(prepared.covers))
    for done, cover in enumerate(prepared.covers, start=1):
        cover.text_alone = yes_no_alone(cover.texts)
        yield Advanced(done)


def fingerprint_of(data: object) -> str | None:
    """The fingerprint of the data's content; None for data without one."""
    return str(data.fingerprint()) if isinstance(data, Fingerprints) else None


def _groups(
    data: CountedData, covers: Sequence[Coverage], settings: Settings, executor: Executor | None
) -> Iterator[Group]:
    """The groups of all suites, built from questions or read from a file of groups.

    Suites are fitted to all of the data, so that a limited run has the same variants as a full run.
    """
    for cover in covers:
        made: Iterable[Group | Refusal]
        if data.is_ready:
            made = _groups_of(data.groups(), cover.suite)
        elif isinstance(cover.suite, BuildsByExecutor):
            made = cover.suite.groups_by(data, settings.seed, executor)
        else:
            made = cover.suite.groups(data, settings.seed)
        yield from counted(made, cover, settings.limit, Shard.parse(settings.shard) if settings.shard else None)


def _groups_of(groups: Iterable[Group], suite: Suite) -> Iterator[Group]:
    """The ready-made groups of a suite, with the variants of its tests."""
    tests = frozenset(suite.tests)
    for group in groups:
        if group.suite == suite.name:
            variants = tuple(variant for variant in group.variants if variant.test in tests)
            if variants or not group.variants:
                yield group if len(variants) == len(group.variants) else replace(group, variants=variants)


def _nonempty(
    groups: Iterable[Group], data: CountedData, spec: str, covers: Sequence[Coverage], shard: str
) -> Iterator[Group]:
    """The same groups; raises DataError when there are none, before an earlier file is replaced.

    Each suite must have ready-made groups if there are any: a user who names a suite expects its groups in the file.
    """
    yield from groups
    without = [cover for cover in covers if not cover.groups]
    if len(without) == len(covers) and shard:
        raise DataError(f"{spec}: shard {shard} has no group. Use fewer shards, and give all of them the same number.")
    if len(without) == len(covers) or (without and data.is_ready and not shard):
        raise DataError(_nothing_made(data, spec, without))


def _nothing_made(data: CountedData, spec: str, covers: Sequence[Coverage]) -> str:
    names = ", ".join(cover.suite.name for cover in covers)
    if not data.count:
        left_out = (
            f"; {plural(len(data.skipped), 'bad record')} left out, e.g. {data.skipped[0]}" if data.skipped else ""
        )
        return f"{spec}: there is {'no group' if data.is_ready else 'no question'} in it{left_out}."
    if data.is_ready:
        there = list(dict.fromkeys(group.suite for group in data.groups()))
        if "" in there:
            return f"{spec}: {NO_SUITE}"
        tests = ", ".join(test for cover in covers for test in cover.suite.tests if cover.suite.name in there)
        return (
            f"{spec}: its groups are ready-made, of {', '.join(there)}; there is none of {names}"
            f"{f' with a test of these: {tests}' if tests else ''}. Name a suite whose groups are there (accuracy on "
            "their originals is one of its scores), or give the questions they were made from."
        )
    refused = sum((count for cover in covers for count in cover.refused.values()), Counter())
    why = f" Refused: {'; '.join(f'{n:,} {reason}' for reason, n in refused.most_common(3))}." if refused else ""
    hint = " ".join(["", *data.remarks(covers)])
    return f"{spec}: not one group could be made for {names}; is it the right data for it, and enough of it?{why}{hint}"
