"""Folders that commands write to, and what they already contain.

A folder that holds something else (another model's run, another benchmark, files that are not askew's) is refused, with
what to do instead. What a command writes is noted in ``.askew.json``; of a run, ``results.json`` says what it is of.
Folders of earlier versions, which have no such note, are known by their files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from pathlib import Path
from typing import Any

import orjson

from askew.errors import AskewError, UsageError
from askew.files.limits import bounded_read, load_json
from askew.files.locks import FOLDER_LOCK
from askew.files.paths import public
from askew.files.read_write import write_joined

NOTE = ".askew.json"
CONTENT = "content"
"""The field with the data's fingerprint, which counts more than its name."""
INSTEAD = "Give another folder as --output, or add --overwrite (overwrite=True) to write into this one."
_LONGEST = 40
"""Characters of a value that an error shows."""
MEMBERS = ".askew-runs.json"
"""In the folder of a run of several models: the names of their folders."""
_SIGNS: Mapping[str, Sequence[str]] = {
    "a benchmark": (".askew-made",),
    "a world": ("images/.drawn",),
    "a training": ("words.json",),
    "batch files": ("keys.txt",),
    "an experiment": ("plan.json",),
    "a run": ("results.json", "answers.sqlite", MEMBERS, "groups.jsonl"),
    "a report": ("differences.json",),
}
"""The files that identify each kind of folder without a note, in the order of the search."""
_LITTER = (".DS_Store", "Thumbs.db", "desktop.ini", FOLDER_LOCK)
"""Files that file managers and locks leave in any folder."""
_MEASURED = re.compile(r"accuracy='\w+'(, )?")
"""The part of a suite's signature that says how answers are compared; it does not change what is asked."""
_EACH_TIME = re.compile(r"( at 0x|once-)[0-9a-fA-F]+")
"""The part of a signature that differs in each process."""


def check_output(folder: Path, kind: str, of: Mapping[str, Any], overwrite: bool = False) -> None:
    """Refuse a folder that holds something other than what a command writes there, unless ``overwrite`` is set.

    ``of`` says what it is made of, in plain JSON. Only files that are written anew are replaced in any case.
    """
    if not overwrite:
        refuse_foreign(folder, kind)
        held, noted = _held(folder)
        if held and noted is None:
            raise UsageError(f"{folder}: this folder holds {kind} of an earlier version of askew. {INSTEAD}")
        _refuse_other(folder, kind, noted or public(of), public(of))


def note_output(folder: Path, kind: str, of: Mapping[str, Any]) -> None:
    """Note what a folder holds, or will hold."""
    note = {"holds": kind, "of": public(of)}
    write_joined(folder / NOTE, [orjson.dumps(note, option=orjson.OPT_INDENT_2) + b"\n"])


def check_run_output(folder: Path, runs: Sequence[Mapping[str, Any]], overwrite: bool = False) -> None:
    """The same for runs, one for each model: refuse a folder with results of any other, which would be lost.

    A run that was stopped has no results to lose, and its answers stay in any case.
    """
    if not overwrite:
        refuse_foreign(folder, "a run")
        for earlier in _earlier(folder):
            if all(_differences(earlier, run) for run in runs):
                _refuse_other(folder, "a run", earlier, min(runs, key=lambda run: len(_differences(earlier, run))))


def check_page(page: Path, title: str, overwrite: bool = False) -> None:
    """Refuse to write a report over a page of others or of other runs, or tables over files that are not a report's."""
    beside = [path for path in (page.with_name(name) for name in ("tables.md", "tables.tex")) if path.exists()]
    if overwrite or page.is_dir() or not (page.exists() or beside):
        return
    instead = "Give --output in another folder, or add --overwrite to replace it."
    if not page.exists():
        raise UsageError(f"{beside[0]}: this file is not of this report, whose tables go there. {instead}")
    start = page.read_bytes()[:8192].decode("utf-8", "replace")
    found = re.search("<title>(askew: .*?)</title>", start)
    if not found:
        raise UsageError(f"{page}: this file is not a report of askew. {instead}")
    if found[1] != title:
        raise UsageError(f"{page}: this is a report of other runs ({found[1]!r}, now {title!r}). {instead}")


def run_of(results: Mapping[str, Any]) -> Any:
    """What determines a run, from its results.json: model, data, suites, limit and seed."""
    data = results.get("data") or {}
    ready = bool(data.get("ready"))
    of = {
        "model": (results.get("model") or {}).get("signature"),
        "data": data.get("signature"),
        CONTENT: data.get("fingerprint"),
        "suite": [_MEASURED.sub("", str(suite.get("signature"))) for suite in results.get("suites") or ()],
        "limit": (results.get("config") or {}).get("limit"),
        "shard": (results.get("config") or {}).get("shard") or None,
        "seed": None if ready else results.get("seed"),
    }
    return public(of)


def _held(folder: Path) -> tuple[str, Mapping[str, Any] | None]:
    """What kind of output is in a folder ("" if unknown), and what determines it, where that is noted."""
    if not _entries(folder):
        return "", None
    with suppress(OSError, AskewError, ValueError, KeyError, TypeError):  # a damaged note is treated like a missing one
        note = load_json(bounded_read(folder / NOTE))
        return str(note["holds"]), dict(note["of"])
    for kind, signs in _SIGNS.items():
        if any((folder / sign).exists() for sign in signs):
            return kind, None
    return "", None


def _earlier(folder: Path) -> Iterator[dict[str, Any]]:
    for results in _results(folder):
        with suppress(AttributeError, TypeError):  # as of a damaged file
            yield run_of(results)


def _results(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The results in a run's folder: its own, and those of its members."""
    members: Any = []
    with suppress(OSError, AskewError, ValueError):
        members = load_json(bounded_read(folder / MEMBERS))
    names = [name for name in members if isinstance(name, str)] if isinstance(members, list) else []
    for place in (folder, *(folder / Path(name).name for name in names)):
        with suppress(OSError, AskewError, ValueError):  # an unreadable file is not a result that could be lost
            results = load_json(bounded_read(place / "results.json"))
            if isinstance(results, dict) and isinstance(results.get("model"), dict):
                yield results


def refuse_foreign(folder: Path, kind: str, instead: str = INSTEAD) -> None:
    """Refuse a folder that holds anything but this kind of output: another command's, or files that are not askew's."""
    held, _ = _held(folder)
    if held == kind:
        return
    if held:
        raise UsageError(f"{folder}: this folder holds {held}, not {kind}. {instead}")
    if foreign := _entries(folder):
        raise UsageError(
            f"{folder}: this folder holds files that are not askew's ({len(foreign):,}, e.g. {foreign[0]!r}). "
            f"{instead} Only files of the same names are ever replaced."
        )


def _entries(folder: Path) -> list[str]:
    """The files in a folder, except those of file managers, locks and killed writers."""
    there = folder.iterdir() if folder.is_dir() else ()
    names = sorted(path.name for path in there if not (path / ".askew-made").is_file())
    return [name for name in names if name not in (NOTE, *_LITTER) and not name.endswith(".part")]


def _refuse_other(folder: Path, kind: str, earlier: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if differences := _differences(earlier, now):
        raise UsageError(f"{folder}: this folder holds {kind} that differs in {'; '.join(differences)}. {INSTEAD}")


def _differences(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The fields that differ between two records, with both values; contents are compared where both are known.

    >>> _differences({"seed": 0, "limit": None, "content": None}, {"seed": 1, "limit": None, "content": "a0"})
    ['seed (0, now 1)']
    """
    names = [name for name in dict.fromkeys((*earlier, *now)) if earlier.get(name) != now.get(name)]
    return [
        f"{name} ({', now '.join(_shown(earlier.get(name), now.get(name)))})"
        for name in names
        if _settled(earlier.get(name)) != _settled(now.get(name))
        and (name != CONTENT or None not in (earlier.get(name), now.get(name)))
    ]


def _shown(*values: Any) -> list[str]:
    """Two values as an error shows them: of long ones, the part around the first difference.

    >>> _shown("a" * 100 + "b" * 100, "a" * 100 + "c")
    ['…aaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…', '…aaaaaaaaaac']
    """
    said = [", ".join(map(str, value)) if isinstance(value, list) else str(value) for value in values]
    if max(map(len, said)) <= _LONGEST:
        return said
    alike = takewhile(lambda signs: len(set(signs)) == 1, zip(*said, strict=False))
    start = max(0, sum(1 for _ in alike) - 10)
    cut = [text[start : start + _LONGEST] for text in said]
    return [
        f"{'…' if start else ''}{part}{'…' if len(text) > start + _LONGEST else ''}"
        for part, text in zip(cut, said, strict=True)
    ]


def _settled(value: Any) -> str:
    return _EACH_TIME.sub(r"\1", orjson.dumps(value).decode())
