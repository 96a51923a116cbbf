"""The suites of published benchmarks: the metrics and tables of their papers, as listed in ``benchmarks.yaml``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, make_dataclass
from functools import cache
from typing import Any, ClassVar

from askew.errors import DataError
from askew.files.read_write import resource
from askew.metrics.correct import Correct, check_correct
from askew.registry import make
from askew.suites.suite_parts import PaperRows
from askew.types import Column, Group, Mode, Table
from askew.verbs import Dataset, Metric


@dataclass(frozen=True)
class BenchmarkSuite:
    """A published benchmark: the metrics and tables of its paper, over the groups from its reader."""

    accuracy: Mode = "robust"
    """How answers are compared. Benchmarks have one reference answer, so ``official`` would call "Yes." wrong."""
    correct: Correct = "modal"
    """When an answer counts as correct."""

    name: ClassVar[str]
    readers: ClassVar[Sequence[str]]
    """The readers of its groups."""
    tests: ClassVar[Sequence[str]] = ()
    parts: ClassVar[Sequence[str]] = ()
    """If questions are groups of their own: the values of their tag ``part``."""
    plain: ClassVar[bool] = False
    """Whether any question is a group of its own."""

    def __post_init__(self) -> None:
        check_correct(self.correct, self.accuracy)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The measures of the paper."""
        return _metrics(self.name, self.accuracy, self.correct)

    @property
    def tables(self) -> Sequence[Table]:
        """The tables of the paper, with its figures."""
        return _tables(self.name)

    def groups(self, data: Dataset, seed: int) -> Iterator[Group]:
        """Plain questions, each as a group of its own; other groups are made by the authors, not from any questions."""
        other = DataError(
            f"{data.name}: this is not the data of {self.name}. Give its published files: --data "
            f"{self.readers[0]}:FOLDER. For other questions name another suite; askew ls suite lists them."
        )
        if not self.plain and not self.parts:
            raise other
        for question in data.questions():
            if not self.plain and dict(question.tags).get("part") not in self.parts:
                raise other
            yield Group(question.id, self.name, question)


@cache
def _all_facts() -> dict[str, dict[str, Any]]:
    facts: dict[str, dict[str, Any]] = resource("suites/benchmarks.yaml")
    return facts


@cache
def _metrics(name: str, accuracy: Mode, correct: Correct) -> Mapping[str, Metric]:
    specs: dict[str, str] = _all_facts()[name]["metrics"]
    return {metric: make("metric", spec, mode=accuracy, correct=correct) for metric, spec in specs.items()}


@cache
def _tables(name: str) -> tuple[Table, ...]:
    return tuple(
        Table(
            table,
            facts["title"],
            tuple(_column(label, shown, facts.get("part", "")) for label, shown in facts["columns"].items()),
            published=_published(facts.get("published", [])),
        )
        for table, facts in _all_facts()[name]["tables"].items()
    )


def _column(label: str, shown: str, part: str) -> Column:
    """A column by its metric and the part of the data.

    >>> _column("Random", "f1 test=random", "").part
    'test=random'
    """
    metric, _, own = shown.partition(" ")
    return Column(label, metric, own or part)


def _published(sources: dict[str, Any] | list[dict[str, Any]]) -> PaperRows:
    """Row label to values, as printed; the label names the source, and figures that nobody has checked are marked.

    >>> _published({"source": "A 2020", "checked": False, "rows": {"LSTM": [50.1, None]}})
    {'LSTM (A 2020; unchecked)': (50.1, None)}
    """
    found: PaperRows = {}
    for figures in sources if isinstance(sources, list) else [sources]:
        source = figures["source"] + ("" if figures["checked"] else "; unchecked")
        found.update({f"{row} ({source})": tuple(values) for row, values in figures["rows"].items()})
    return found


def _suite(name: str) -> type[BenchmarkSuite]:
    """The class of a suite, with its own defaults of the options."""
    facts = _all_facts()[name]
    texts = {"name": name, "title": facts["title"], "paper": facts["paper"], "__doc__": facts["about"]}
    lists = {key: tuple(facts.get(key, ())) for key in ("headline", "tests", "slices", "notes", "parts")}
    options = [
        ("accuracy", Mode, facts.get("accuracy", BenchmarkSuite.accuracy)),
        ("correct", Correct, facts.get("correct", BenchmarkSuite.correct)),
    ]
    titles = {metric: tuple(names) for metric, names in facts.get("titles", {}).items()}
    lists["readers"] = (facts.get("reader", name),)
    namespace = {**texts, **lists, "titles": titles, "plain": facts.get("plain", False), "__module__": __name__}
    return make_dataclass(facts["class"], options, bases=(BenchmarkSuite,), namespace=namespace, frozen=True)


globals().update({facts["class"]: _suite(name) for name, facts in _all_facts().items()})
