"""A suite's groups as a benchmark one can publish: groups, VQA v2 files, and a datasheet."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from tqdm import tqdm

import askew
from askew.build import Coverage, build
from askew.data.groups import read_groups, write_groups
from askew.data.write import write_vqa
from askew.settings import Named
from askew.types import Question


def publish(suite: Named, data: Named, folder: Path, seed: int, limit: int | None, command: str, progress: bool) -> str:
    """Write the benchmark; gives its datasheet.

    ``groups.jsonl`` holds everything; ``originals`` and ``variants`` are the same questions as VQA v2 files.
    """
    folder.mkdir(parents=True, exist_ok=True)
    groups, cover = folder / "groups.jsonl", Coverage(suite.what)
    made = build(suite.what, data.what, seed, cover, limit)
    write_groups(tqdm(made, desc="Making groups", unit=" groups", disable=not progress), str(groups))
    write_vqa(_originals(groups), str(folder), "originals")
    write_vqa(_variants(groups), str(folder), "variants")
    sheet = datasheet(suite, data, cover, seed, command)
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
                counts = "; ".join(f"{name}: {count:,}" for name, count in record[key].items())
                lines.append(f"- {title}: {counts}")
    return "\n".join(lines) + "\n"


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
