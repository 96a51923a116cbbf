"""Basic questions as noise: how accuracy falls when similar questions are appended (Huang et al. 2019).

The tables are the paper's, one row per model, and the steps of the noise curve.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from pathlib import Path
from typing import ClassVar, Literal

from askew.engine.settings import Settings, progress_bar
from askew.errors import BadOption, DataError, MissingExtra
from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import Consensus
from askew.metrics.correct import Correct, check_correct
from askew.metrics.noise import NoiseAccuracy, NoiseFalls, NoiseLoss, RScore
from askew.perturb.basic_questions import SIZE, BasicQuestions, partition_name
from askew.perturb.vary_dataset import vary_all
from askew.rank.basic_question_data import BqdFile, write_bqd, write_parquet
from askew.rank.ranking import BATCH, Ranking, RankingStore, pool_of, ranking_path
from askew.registry import make
from askew.suites.suite_parts import PaperRows, before_after, published
from askew.types import Column, Group, Mode, Question, Refusal, Table
from askew.verbs import BuildsByExecutor, Dataset, Executor, Metric, Ranker, WrapsDataset
from askew.world.dataset import World


@dataclass(frozen=True)
class OwnQuestions:
    """The default pool: the training questions for the embedded world, else the data's own questions."""

    name: ClassVar[str] = "own"
    skipped: ClassVar[Sequence[str]] = ()

    def __repr__(self) -> str:
        return "own"

    def questions(self) -> Iterator[Question]:
        """Empty: the suite uses the questions of the data instead."""
        return iter(())


OWN = OwnQuestions()
PAPER_RANKERS = ("lasso", "bleu1", "bleu2", "bleu3", "bleu4", "rouge", "cider", "meteor")
"""The rankers that the paper compares."""

_AT_ONCE = 64 * BATCH
"""Questions whose rankings are in memory at a time when all are ranked."""


@dataclass(frozen=True)
class BasicSuite(BuildsByExecutor):
    """Similar questions appended to each question, three at a time, as noise of increasing strength."""

    ranker: str | Ranker = "lasso"
    """The ranker that orders the pool; several are joined with +, the options of each with ;. ``paper``: all eight."""
    pool: Dataset = OWN
    """The source of basic questions: any data, or a text file with one question per line."""
    kind: Literal["general", "yesno"] = "general"
    """All questions of the pool (GBQD), or only its yes/no questions (YNBQD)."""
    top: int = 21
    """The number of basic questions, in partitions of three."""
    bqd: str = ""
    """A file of basic questions that ``askew build basic`` wrote, used instead of a ranker and a pool."""
    words: int | None = None
    """The maximal number of words of a question; the noise is truncated."""
    t: float = 5e-4
    """R_score is 1 up to this loss of accuracy."""
    m: float = 0.2
    """R_score is 0 from this loss of accuracy on."""

    accuracy: Mode = "official"
    """How answers are compared with people's; the paper's own formula is ``simple``."""
    correct: Correct = "modal"
    """When an answer counts as correct."""
    progress: bool = field(default=False, repr=False, compare=False)
    """Show the progress of the ranking."""

    name: ClassVar[str] = "basic"
    title: ClassVar[str] = "Basic questions as noise"
    paper: ClassVar[str] = (
        "Huang, Dao, Alfadly, Ghanem: A Novel Framework for Robustness Analysis of Visual QA Models. AAAI 2019"
    )
    headline: ClassVar[tuple[str, str]] = (
        "noise.loss.1",
        "it loses {value} of accuracy when the three most similar questions are appended",
    )
    """The accuracy lost on partition 1: R_score, the paper's figure, tells models apart less often."""

    def __post_init__(self) -> None:
        if self.kind not in ("general", "yesno"):
            raise BadOption(f"basic: kind is {self.kind!r}. Give general or yesno.")
        if self.top < SIZE or self.top % SIZE:
            raise BadOption(f"basic: top is {self.top}. Give a multiple of {SIZE}; the paper's is 21.")
        if self.words is not None and self.words < 1:
            raise BadOption(f"basic: words is {self.words}. Give at least 1, or leave it out.")
        check_correct(self.correct, self.accuracy)
        RScore(1, self.t, self.m, self.accuracy)
        if self.bqd:
            BqdFile(self.bqd).header  # noqa: B018 - other files are refused here
            return
        with suppress(MissingExtra):  # only building groups needs a ranker; scoring and reporting do not
            self._rankers()

    @property
    def tests(self) -> Sequence[str]:
        """The partitions, for each ranker."""
        names = self.rankers if len(self.rankers) > 1 else ("",)
        return tuple(partition_name(name, level) for name in names for level in range(1, self.partitions + 1))

    @property
    def partitions(self) -> int:
        """The number of partitions besides the empty one."""
        return self.top // SIZE

    @property
    def rankers(self) -> tuple[str, ...]:
        """The names of the rankers in tables."""
        return (BqdFile(self.bqd).name,) if self.bqd else tuple(self._specs())

    @property
    def titles(self) -> Mapping[str, tuple[str, str]]:
        """The steps of the noise curve."""
        lost = "accuracy lost from the previous noise level to noise {}, in points"
        return {f"noise.step.{n}": (f"Lost at step {n}", lost.format(n)) for n in range(1, self.partitions + 1)}

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The noise curve, the loss from the start and at each step, and R_score."""
        mode, levels = self.accuracy, range(1, self.partitions + 1)
        return {
            "accuracy.all": Accuracy("all", mode),
            **before_after(mode),
            "cs.2": Consensus(2, mode=mode, anchored=True),
            **{f"accuracy.noise.{level}": NoiseAccuracy(level, mode) for level in (0, *levels)},
            **{f"rscore.{level}": RScore(level, self.t, self.m, mode) for level in levels},
            **{f"noise.loss.{level}": NoiseLoss(level, 0, mode) for level in levels},
            **{f"noise.step.{level}": NoiseLoss(level, level - 1, mode) for level in levels},
            "noise.falls": NoiseFalls(self.partitions, mode),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Tables 2 and 3 of the paper, Figure 3 as a table, and the steps of the noise curve."""
        kind = str(BqdFile(self.bqd).header.get("pool", {}).get("kind", self.kind)) if self.bqd else self.kind
        return (
            *_of_the_paper(self.partitions, kind if kind in _TABLE_OF_KIND else "general"),
            *_of_our_own(self.partitions),
            *(_by_ranker(self.rankers) if len(self.rankers) > 1 else ()),
        )

    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """One pass over the pool, one over the data; questions are ranked chunk by chunk as they come."""
        with ExitStack() as stack:
            if self.bqd:
                rankings: tuple[Ranking | BqdFile, ...] = (BqdFile(self.bqd),)
            else:
                rankings = tuple(stack.enter_context(ranking) for ranking in self._rankings(data, stack, executor))
            perturbation = BasicQuestions(rankings, self.partitions, self.words)
            yield from vary_all(
                perturbation, data.questions(), seed, self.name, chunk=4 * BATCH * (executor.width if executor else 1)
            )

    def release(self, groups: Iterable[Group], folder: Path) -> list[Path]:
        """Write the data set of basic questions too, as JSONL and Parquet; ``askew build`` calls it."""
        return write_release(groups, folder, BqdFile(self.bqd) if self.bqd else None)

    def write_rankings(
        self, data: Dataset, folder: Path, limit: int | None = None, executor: Executor | None = None
    ) -> tuple[int, list[Path]]:
        """Rank the pool for all questions, one ranker after another, and write only the basic question data sets."""
        if self.bqd:
            raise BadOption("basic: bqd is a file of rankings already. Give a ranker and a pool instead.")
        counts = Counter(question.text for question in islice(data.questions(), limit))
        if not counts:
            raise DataError(f"{data.name}: there is no question in it. Give data with questions.")
        texts = list(counts)
        names: dict[str, str] = {}
        with ExitStack() as stack:
            for ranking in self._rankings(data, stack, executor, texts):
                with ranking:
                    for start in range(0, len(texts), _AT_ONCE):
                        ranking.nearest(texts[start : start + _AT_ONCE])
                names[ranking.signature] = ranking.name
        return counts.total(), write_files(islice(data.questions(), limit), names, folder)

    def _rankers(self) -> dict[str, Ranker]:
        """The rankers by name."""
        return {name: make("ranker", spec) if isinstance(spec, str) else spec for name, spec in self._specs().items()}

    def _specs(self) -> dict[str, str | Ranker]:
        """The specs of the rankers by their names in tables: the name, or the whole spec if the name is ambiguous."""
        if not isinstance(self.ranker, str):
            return {type(self.ranker).__name__.lower(): self.ranker}
        given = [spec.strip().replace(";", ",") for spec in self.ranker.split("+")]
        specs = [spec for each in given for spec in (PAPER_RANKERS if each == "paper" else (each,))]
        short = [spec.partition(":")[0] for spec in specs]
        names = [name if short.count(name) == 1 else spec for name, spec in zip(short, specs, strict=True)]
        if len(set(names)) < len(names):
            raise BadOption(f"basic: the ranker {max(names, key=names.count)!r} is named twice. Name each once.")
        return dict(zip(names, specs, strict=True))

    def _rankings(
        self, data: Dataset, stack: ExitStack, executor: Executor | None, texts: Sequence[str] = ()
    ) -> Iterator[Ranking]:
        source = training(data) if self.pool is OWN else self.pool
        pool = pool_of(source.questions(), self.kind == "yesno")
        if len(pool) <= SIZE:
            what = "yes/no questions" if self.kind == "yesno" else "questions"
            raise DataError(
                f"{source.name}: a pool of {len(pool)} {what} is too small: a partition takes "
                f"{SIZE}, besides the main question. Give a larger one as pool=..."
            )
        for name, ranker in self._rankers().items():
            ranking = Ranking(name, ranker, pool, source.name, self.kind, self.top, executor)
            yield self._shown(ranking, data, stack, texts) if self.progress else ranking

    def _shown(self, ranking: Ranking, data: Dataset, stack: ExitStack, texts: Sequence[str]) -> Ranking:
        """The ranking with a progress bar."""
        texts = texts or list(dict.fromkeys(question.text for question in data.questions()))
        with ranking:
            missing = ranking.missing(texts)
        bar = progress_bar(Settings(progress=True), total=missing, desc=f"Ranking ({ranking.name})", unit=" texts")
        return replace(ranking, on_ranked=stack.enter_context(bar).update)


def training(data: Dataset) -> Dataset:
    """The default source of basic questions: the training split of the same world, else the data itself."""
    source = data.source if isinstance(data, WrapsDataset) else data
    return replace(source, split="train") if isinstance(source, World) else data


def write_release(groups: Iterable[Group], folder: Path, file: BqdFile | None = None) -> list[Path]:
    """Write ``bqd.jsonl`` and ``bqd.parquet``, or with several rankers ``bqd-NAME`` for each; returns their paths.

    The rankings are those of ``file``, or those stored in the cache folder.
    """
    rest = iter(groups)
    first = next((group for group in rest if group.variants), None)
    if first is None:
        return []
    names = {variant.note["ranking"]: variant.made_by.partition("/")[2] for variant in first.variants}
    questions = (group.original for group in chain([first], rest) if group.variants)
    return write_files(questions, names, folder, file)


def write_files(
    questions: Iterable[Question], names: Mapping[str, str], folder: Path, file: BqdFile | None = None
) -> list[Path]:
    """Write the rankings of these questions; ``names`` maps the signature of each ranking to its name."""
    targets: dict[str, RankingStore | BqdFile] = {}
    with ExitStack() as stack:
        for key, name in names.items():
            path = folder / ("bqd.jsonl" if len(names) == 1 else f"bqd-{_plain(name)}.jsonl")
            targets[str(path)] = file or stack.enter_context(closing(RankingStore(ranking_path(key))))
        write_bqd(questions, targets)
    files = [Path(path) for path in targets]
    with suppress(MissingExtra):
        for path in tuple(files):
            write_parquet(str(path), str(path.with_suffix(".parquet")))
            files.append(path.with_suffix(".parquet"))
    return files


def _plain(name: str) -> str:
    """A ranker's name as part of a file name.

    >>> _plain("lasso:sign=free")
    'lasso-sign-free'
    """
    return "".join(sign if sign.isalnum() else "-" for sign in name)


KINDS = (("Other", "other", "other"), ("Number", "number", "number"), ("Yes/No", "yesno", "yes/no"))
"""Title, name in the published figures, and answer type."""

_STD = "(test-std)"
_HEADLINE = Column("R_score", "rscore.1")
_TABLE_OF_KIND = {"general": "Table 2", "yesno": "Table 3"}


def _of_the_paper(partitions: int, kind: str) -> tuple[Table, ...]:
    where = _TABLE_OF_KIND[kind]
    curve = _over(range(partitions + 1), "accuracy.noise")
    return (
        Table(
            "basic-1",
            f"Partition 1: accuracy, its loss, and R_score ({where})",
            (
                *(Column(title, "accuracy.noise.1", f"answer_type={part}") for title, _, part in KINDS),
                Column("All", "accuracy.noise.1"),
                Column("Diff", "noise.loss.1"),
                _HEADLINE,
            ),
            published=_first_partition(kind),
        ),
        Table(
            "basic-all",
            f"Accuracy on partitions 0 to {partitions}, and R_score ({where}, All)",
            (*curve, _HEADLINE),
            published=_paper_figures(kind, "all", partitions + 1, 1),
        ),
        Table(
            "basic-loss",
            f"Accuracy lost on each partition, in points ({where}, Diff)",
            _over(range(1, partitions + 1), "noise.loss"),
            published=_paper_figures(kind, "diff", partitions),
        ),
        *(
            Table(
                f"basic-{name}",
                f"Accuracy on partitions 0 to {partitions}: {title} ({where})",
                tuple(Column(column.label, column.metric, f"answer_type={part}") for column in curve),
                published=_paper_figures(kind, name, partitions + 1),
            )
            for title, name, part in KINDS
        ),
    )


def _of_our_own(partitions: int) -> tuple[Table, ...]:
    levels = range(1, partitions + 1)
    steps = (Column(f"{level - 1}→{level}", f"noise.step.{level}") for level in levels)
    return (
        Table("basic-rscore", "R_score on each partition", _over(levels, "rscore")),
        Table(
            "basic-kinds",
            "R_score on partition 1 by answer type",
            (_HEADLINE, *(Column(title, "rscore.1", f"answer_type={part}") for title, _, part in KINDS)),
        ),
        Table(
            "basic-steps",
            "Does accuracy fall at every step? Points lost from one partition to the next, and the share of falls",
            (*steps, Column("Falls", "noise.falls")),
        ),
    )


def _over(levels: Iterable[int], metric: str) -> tuple[Column, ...]:
    return tuple(Column(str(level), f"{metric}.{level}") for level in levels)


def _by_ranker(rankers: Sequence[str]) -> tuple[Table, ...]:
    """Figure 3 as numbers: how strong the noise of each ranker is, and whether it increases."""
    return tuple(
        Table(
            f"basic-by-ranker-{metric}",
            title,
            tuple(Column(name, metric, f"made_by=basic/{name}") for name in rankers),
        )
        for metric, title in (
            ("rscore.1", "R_score on partition 1 for each ranker (Figure 3)"),
            ("noise.falls", "Share of steps at which accuracy falls, for each ranker (Figure 3)"),
        )
    )


def _paper_figures(kind: str, name: str, columns: int, more: int = 0) -> PaperRows:
    """The paper's figures on test-dev, for this many partitions and the columns after them."""
    whole = 8 if name != "diff" else 7
    rows = published("basic").get(f"{kind}_{name}", {})
    return {
        label: (*row[:columns], *row[whole : whole + more]) for label, row in rows.items() if not label.endswith(_STD)
    }


def _first_partition(kind: str) -> PaperRows:
    """A row of the paper's tables for each model, on test-dev and on test-std."""
    figures = published("basic")
    accuracies = [figures[f"{kind}_{name}"] for name in ("other", "number", "yesno", "all")]
    return {
        label: (*(rows[label][1] for rows in accuracies), lost[0], whole[8] if len(whole) > 8 else None)
        for label, whole in accuracies[-1].items()
        for lost in (figures[f"{kind}_diff"][label],)
    }
