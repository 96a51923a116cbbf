"""The tables of the basic question suite: the paper's, one row per model, and the steps of the noise curve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from askew.suites.suite_parts import PaperRows, published
from askew.types import Column, Table

KINDS = (("Other", "other", "other"), ("Number", "number", "number"), ("Yes/No", "yesno", "yes/no"))
"""Title, name in the published figures, and answer type."""

_STD = "(test-std)"
_HEADLINE = Column("R_score", "rscore.1")
_PAPER = {"general": "Table 2", "yesno": "Table 3"}


def basic_tables(partitions: int, kind: str, rankers: Sequence[str]) -> tuple[Table, ...]:
    """Accuracy over partitions (all, and by answer type), losses, R_score, steps, and columns for each ranker."""
    return (
        *_of_the_paper(partitions, kind if kind in _PAPER else "general"),
        *_of_our_own(partitions),
        *(_by_ranker(rankers) if len(rankers) > 1 else ()),
    )


def _of_the_paper(partitions: int, kind: str) -> tuple[Table, ...]:
    where = _PAPER[kind]
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
            published=_figures(kind, "all", partitions + 1, 1),
        ),
        Table(
            "basic-loss",
            f"Accuracy lost on each partition, in points ({where}, Diff)",
            _over(range(1, partitions + 1), "noise.loss"),
            published=_figures(kind, "diff", partitions),
        ),
        *(
            Table(
                f"basic-{name}",
                f"Accuracy on partitions 0 to {partitions}: {title} ({where})",
                tuple(Column(column.label, column.metric, f"answer_type={part}") for column in curve),
                published=_figures(kind, name, partitions + 1),
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


def _figures(kind: str, name: str, columns: int, more: int = 0) -> PaperRows:
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
