"""A suite and a metric as docs/extending.md teaches: objects that no entry point registers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from askew.metrics.accuracy import Accuracy
from askew.metrics.consistency import SelfConsistency
from askew.significance import ratio
from askew.types import Column, Expect, Group, Table, Variant
from askew.verbs import Metric


@dataclass(frozen=True)
class Short(Metric):
    """Share of the answers with at most this many letters."""

    letters: int = 3
    never: tuple[str, ...] = ("ok",)

    def measure(self, outcome, failed=None):
        said = outcome.original.answer
        if said is None:
            return None if failed is None else (failed, 1.0)
        return float(len(said) <= self.letters and said not in self.never), 1.0

    def combine(self, sums):
        return ratio(sums[0], sums[1])


@dataclass(frozen=True)
class Shout:
    """The question in capitals: the answer must stay."""

    marks: int = 1
    accuracy: str = "official"
    correct: str = "modal"
    name = "shout"
    title = "Shouted questions"
    paper = "an example"
    tests = ("capitals",)
    headline = ("cons", "it says the same to {value} of the questions when they are shouted")

    @property
    def metrics(self):
        return {"accuracy.variant": Accuracy("variant"), "cons": SelfConsistency(), "short": Short()}

    @property
    def tables(self):
        return (Table("shout", "Shouting", (Column("Consistency", "cons"),)),)

    def groups(self, data, seed):
        for question in data.questions():
            loud = replace(question, id=f"{question.id}/shout", text=question.text.upper() + "!" * self.marks)
            yield Group(question.id, self.name, question, (Variant(loud, Expect.SAME, "capitals", "shout/upper"),))
