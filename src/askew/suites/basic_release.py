"""The data set of basic questions behind a benchmark: JSONL, and Parquet where pyarrow is installed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, suppress
from itertools import chain
from pathlib import Path

from askew.errors import MissingExtra
from askew.rank.bqd import write_bqd, write_parquet
from askew.rank.ranking import RankingStore, ranking_path
from askew.types import Group, Question


def write_release(groups: Iterable[Group], folder: Path) -> list[Path]:
    """Write ``bqd.jsonl`` and ``bqd.parquet``, or with several rankers ``bqd-NAME`` for each; gives their paths."""
    rest = iter(groups)
    first = next((group for group in rest if group.variants), None)
    if first is None:
        return []
    found = {variant.note["ranking"]: variant.made_by.partition("/")[2] for variant in first.variants}
    with ExitStack() as stack:
        targets = {
            str(folder / ("bqd.jsonl" if len(found) == 1 else f"bqd-{_plain(name)}.jsonl")): stack.enter_context(
                closing(RankingStore(ranking_path(key)))
            )
            for key, name in found.items()
        }
        write_bqd(_originals(chain([first], rest)), targets)
    files = [Path(path) for path in targets]
    with suppress(MissingExtra):
        for path in tuple(files):
            write_parquet(str(path), str(path.with_suffix(".parquet")))
            files.append(path.with_suffix(".parquet"))
    return files


def _originals(groups: Iterable[Group]) -> Iterator[Question]:
    return (group.original for group in groups if group.variants)


def _plain(name: str) -> str:
    """A ranker's name as part of a file's name.

    >>> _plain("lasso:sign=free")
    'lasso-sign-free'
    """
    return "".join(sign if sign.isalnum() else "-" for sign in name)
