"""A suite's groups as a benchmark one can publish: groups, VQA v2 files, and a datasheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import askew
from askew.build import Coverage, prepare
from askew.data.groups import read_groups
from askew.data.write import write_vqa
from askew.settings import Named, Settings
from askew.types import Question


def publish(suite: Named, data: Named, folder: Path, settings: Settings, command: str) -> str:
    """Write the benchmark; gives its datasheet.

    ``groups.jsonl`` holds everything; ``originals`` and ``variants`` are the same questions as VQA v2 files. A suite
    with a method ``release(groups, folder)`` also writes its paper's own format.
    """
    prepared = prepare(data, [suite], folder, settings)
    groups = prepared.groups
    write_vqa(_originals(groups), str(folder), "originals")
    write_vqa(_variants(groups), str(folder), "variants")
    if hasattr(suite.what, "release"):
        suite.what.release(read_groups(str(groups)), folder)
    sheet = datasheet(suite, data, prepared.covers[0], settings.seed, command)
    (folder / "datasheet.md").write_text(sheet, encoding="utf-8")
    return sheet


def datasheet(suite: Named, data: Named, cover: Coverage, seed: int, command: str) -> str:
    """What is in the benchmark, how it was made, and what was left out and why, as Markdown."""
    lines = [
        f"# {suite.what.title}, made from {data.what.name}",
        "",
        f"- {cover.groups:,} groups with {cover.variants:,} variants",
        f"- suite: `{suite.what!r}` ({suite.what.paper})",
        f"- data: `{data.what!r}`",
        f"- seed {seed}, askew {askew.__version__}, command: `{command}`",
        "",
        "| test | matched | made | refused | share made |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    records = cover.records()
    for record in records:
        matched, made = record["matched"], record["made"]
        share = f"{made / matched:.1%}" if matched else "—"
        lines.append(f"| {record['test']} | {matched:,} | {made:,} | {matched - made:,} | {share} |")
    for record in records:
        lines += ["", f"## {record['test']}", ""]
        for title, key in (
            ("Rules", "made_by"),
            ("Refused", "refused"),
            ("Right answers", "answers"),
            ("Drawn", "drawn"),
        ):
            if record[key]:
                lines.append(f"- {title}: {_listed(record[key])}")
    return "\n".join(lines) + "\n"


def _listed(counts: dict[str, int], most: int = 40) -> str:
    """The most frequent with their counts, and how many others there are.

    >>> _listed({"a": 2000, "b": 3, "c": 1}, most=2)
    'a: 2,000; b: 3; and 1 more (1)'
    """
    told = "; ".join(f"{name}: {count:,}" for name, count in list(counts.items())[:most])
    rest = list(counts.values())[most:]
    return f"{told}; and {len(rest):,} more ({sum(rest):,})" if rest else told


def _originals(groups: Path) -> Iterator[Question]:
    seen: set[object] = set()
    for group in read_groups(str(groups)):
        if group.original.id not in seen:
            seen.add(group.original.id)
            yield group.original


def _variants(groups: Path) -> Iterator[Question]:
    for group in read_groups(str(groups)):
        for variant in group.variants:
            yield replace(variant.question, image=variant.question.image or group.original.image)
