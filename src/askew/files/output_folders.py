"""Output folders of commands, and checks of what they already contain.

A folder with other contents (the run of another model, another benchmark, files that askew did not write) is refused,
with a remedy. Commands note what they write in ``.askew.json``; for runs, ``results.json`` has this information.
Folders of earlier versions without such a note are recognised by their files.
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
"""The field with the fingerprint of the data, which takes precedence over its name."""
INSTEAD = "Give another folder as --output, or add --overwrite (overwrite=True) to write into this one."
_LONGEST = 40
"""Errors show this many characters of a value."""
MEMBERS = ".askew-runs.json"
"""The file in the folder of a run of several models that lists the names of their subfolders."""
_IDENTIFYING_FILES: Mapping[str, Sequence[str]] = {
    "a benchmark": (".askew-made",),
    "a world": ("images/.drawn",),
    "a training": ("words.json",),
    "batch files": ("keys.txt",),
    "an experiment": ("plan.json",),
    "a run": ("results.json", "answers.sqlite", MEMBERS, "groups.jsonl"),
    "a report": ("differences.json",),
}
"""The files by which folders without a note are recognised, in search order."""
_LITTER = (".DS_Store", "Thumbs.db", "desktop.ini", FOLDER_LOCK)
"""Files that file managers and locks create in any folder."""
_ACCURACY_OPTION = re.compile(r"accuracy='\w+'(, )?")
"""The part of a suite's signature that says how answers are compared; it does not affect the questions."""
_PER_PROCESS = re.compile(r"( at 0x|once-)[0-9a-fA-F]+")
"""The part of a signature that differs in each process."""


def check_output(folder: Path, kind: str, of: Mapping[str, Any], overwrite: bool = False) -> None:
    """Refuse a folder that contains other output than what a command writes there, unless ``overwrite`` is set.

    ``of`` describes what the output is made from, in plain JSON. Even with ``overwrite``, only files that are written
    again are replaced.
    """
    if not overwrite:
        refuse_foreign(folder, kind)
        found_kind, noted = _content(folder)
        if found_kind and noted is None:
            raise UsageError(f"{folder}: this folder holds {kind} of an earlier version of askew. {INSTEAD}")
        _refuse_other(folder, kind, noted or public(of), public(of))


def note_output(folder: Path, kind: str, of: Mapping[str, Any]) -> None:
    """Write the note that says what a folder contains, or will contain."""
    note = {"holds": kind, "of": public(of)}
    write_joined(folder / NOTE, [orjson.dumps(note, option=orjson.OPT_INDENT_2) + b"\n"])


def check_run_output(folder: Path, runs: Sequence[Mapping[str, Any]], overwrite: bool = False) -> None:
    """Refuse a folder with results of other runs, which would be lost; ``runs`` has one entry for each model.

    An interrupted run has no results to lose, and its answers are always kept.
    """
    if not overwrite:
        refuse_foreign(folder, "a run")
        for earlier in _earlier(folder):
            if all(_differences(earlier, run) for run in runs):
                _refuse_other(folder, "a run", earlier, min(runs, key=lambda run: len(_differences(earlier, run))))


def check_page(page: Path, title: str, overwrite: bool = False) -> None:
    """Refuse to overwrite a page that is not a report of these runs, or table files that do not belong to a report."""
    table_files = [path for path in (page.with_name(name) for name in ("tables.md", "tables.tex")) if path.exists()]
    if overwrite or page.is_dir() or not (page.exists() or table_files):
        return
    instead = "Give --output in another folder, or add --overwrite to replace it."
    if not page.exists():
        raise UsageError(
            f"{table_files[0]}: this file does not belong to the report, whose tables would replace it. {instead}"
        )
    start = page.read_bytes()[:8192].decode("utf-8", "replace")
    found_title = re.search("<title>(askew: .*?)</title>", start)
    if not found_title:
        raise UsageError(f"{page}: this file is not an askew report. {instead}")
    if found_title[1] != title:
        raise UsageError(f"{page}: this is a report of other runs ({found_title[1]!r}, now {title!r}). {instead}")


def run_of(results: Mapping[str, Any]) -> Any:
    """What determines a run, from its results.json: model, data, suites, limit and seed."""
    data = results.get("data") or {}
    ready = bool(data.get("ready"))
    of = {
        "model": (results.get("model") or {}).get("signature"),
        "data": data.get("signature"),
        CONTENT: data.get("fingerprint"),
        "suite": [_ACCURACY_OPTION.sub("", str(suite.get("signature"))) for suite in results.get("suites") or ()],
        "limit": (results.get("config") or {}).get("limit"),
        "shard": (results.get("config") or {}).get("shard") or None,
        "seed": None if ready else results.get("seed"),
    }
    return public(of)


def _content(folder: Path) -> tuple[str, Mapping[str, Any] | None]:
    """The kind of output in a folder ("" if unknown), and what it was made from, if noted."""
    if not _entries(folder):
        return "", None
    with suppress(OSError, AskewError, ValueError, KeyError, TypeError):  # a damaged note is treated like a missing one
        note = load_json(bounded_read(folder / NOTE))
        return str(note["holds"]), dict(note["of"])
    for kind, names in _IDENTIFYING_FILES.items():
        if any((folder / name).exists() for name in names):
            return kind, None
    return "", None


def _earlier(folder: Path) -> Iterator[dict[str, Any]]:
    for results in _results(folder):
        with suppress(AttributeError, TypeError):  # the file is damaged
            yield run_of(results)


def _results(folder: Path) -> Iterator[Mapping[str, Any]]:
    """The results in a run's folder: its own, and those in the subfolders of its models."""
    members: Any = []
    with suppress(OSError, AskewError, ValueError):
        members = load_json(bounded_read(folder / MEMBERS))
    names = [name for name in members if isinstance(name, str)] if isinstance(members, list) else []
    for run_folder in (folder, *(folder / Path(name).name for name in names)):
        with suppress(OSError, AskewError, ValueError):  # an unreadable file is not a result that could be lost
            results = load_json(bounded_read(run_folder / "results.json"))
            if isinstance(results, dict) and isinstance(results.get("model"), dict):
                yield results


def refuse_foreign(folder: Path, kind: str, instead: str = INSTEAD) -> None:
    """Refuse a folder that contains output of another kind, or files that askew did not write."""
    held, _ = _content(folder)
    if held == kind:
        return
    if held:
        raise UsageError(f"{folder}: this folder holds {held}, not {kind}. {instead}")
    if foreign := _entries(folder):
        raise UsageError(
            f"{folder}: this folder holds files that askew did not write ({len(foreign):,}, e.g. {foreign[0]!r}). "
            f"{instead} Only files with the same names would be replaced."
        )


def _entries(folder: Path) -> list[str]:
    """The files in a folder, except those of file managers, locks and killed writers."""
    paths = folder.iterdir() if folder.is_dir() else ()
    names = sorted(path.name for path in paths if not (path / ".askew-made").is_file())
    return [name for name in names if name not in (NOTE, *_LITTER) and not name.endswith(".part")]


def _refuse_other(folder: Path, kind: str, earlier: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    if differences := _differences(earlier, now):
        raise UsageError(f"{folder}: this folder holds {kind} that differs in {'; '.join(differences)}. {INSTEAD}")


def _differences(earlier: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    """The fields that differ between two records, with both values; fingerprints are compared if both are known.

    >>> _differences({"seed": 0, "limit": None, "content": None}, {"seed": 1, "limit": None, "content": "a0"})
    ['seed (0, now 1)']
    """
    names = [name for name in dict.fromkeys((*earlier, *now)) if earlier.get(name) != now.get(name)]
    return [
        f"{name} ({', now '.join(_shorten(earlier.get(name), now.get(name)))})"
        for name in names
        if _stable_text(earlier.get(name)) != _stable_text(now.get(name))
        and (name != CONTENT or None not in (earlier.get(name), now.get(name)))
    ]


def _shorten(*values: Any) -> list[str]:
    """Two values as text for an error; long values are cut to the part around the first difference.

    >>> _shorten("a" * 100 + "b" * 100, "a" * 100 + "c")
    ['…aaaaaaaaaabbbbbbbbbbbbbbbbbbbbbbbbbbbbbb…', '…aaaaaaaaaac']
    """
    texts = [", ".join(map(str, value)) if isinstance(value, list) else str(value) for value in values]
    if max(map(len, texts)) <= _LONGEST:
        return texts
    equal_characters = takewhile(lambda characters: len(set(characters)) == 1, zip(*texts, strict=False))
    start = max(0, sum(1 for _ in equal_characters) - 10)
    parts = [text[start : start + _LONGEST] for text in texts]
    return [
        f"{'…' if start else ''}{part}{'…' if len(text) > start + _LONGEST else ''}"
        for part, text in zip(parts, texts, strict=True)
    ]


def _stable_text(value: Any) -> str:
    return _PER_PROCESS.sub(r"\1", orjson.dumps(value).decode())
