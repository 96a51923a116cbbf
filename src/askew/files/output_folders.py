"""Output folders of commands: what they already hold, and which of their files askew wrote and may delete.

A folder with other contents (the run of another model, another benchmark, files that askew did not write) is refused,
with a remedy. Commands note what they write in ``.askew.json``; what a run was made from is in its ``results.json``.

Files that askew wrote are listed in ``.askew-made``; only what is listed is ever deleted. Generated images are stored
in ``images/`` beside the file that names them, named after a hash of their content, and deleted when no file names
them. Each is listed before it is written, so a killed build leaves no unlisted file. The files of a benchmark are
listed with their SHA-256, as by ``sha256sum``, and deleted when the next one lacks them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import takewhile
from pathlib import Path
from typing import Any

import orjson

from askew.errors import AskewError, DataError, UsageError
from askew.files.images import content_hash, suffix_of
from askew.files.limits import bounded_read, load_json
from askew.files.paths import FOLDER, public
from askew.files.read_write import FOLDER_LOCK, clear_parts, file_sha256, has_parts, opened, replaced, write_joined
from askew.types import ImageRef

NOTE = ".askew.json"
CONTENT = "content"
"""The field with the fingerprint of the data, which takes precedence over its name."""
INSTEAD = "Give another folder as --output, or add --overwrite (overwrite=True) to write into this one."
_LONGEST = 40
"""Errors show this many characters of a value."""
MADE = ".askew-made"
"""The file that lists what askew wrote to its folder."""
_LITTER = (".DS_Store", "Thumbs.db", "desktop.ini", FOLDER_LOCK)
"""Files that file managers and locks create in any folder."""
_ACCURACY_OPTION = re.compile(r"accuracy='\w+'(, )?")
"""The part of a suite's signature that says how answers are compared; it does not affect the questions."""
_PER_PROCESS = re.compile(r"( at 0x|once-)[0-9a-fA-F]+")
"""The part of a signature that differs in each process."""
_IMAGE_NAME = re.compile(rb"images/([0-9a-f]{16}\.[a-z]+)")


def check_output(folder: Path, kind: str, of: Mapping[str, Any], overwrite: bool = False) -> None:
    """Refuse a folder that contains other output than what a command writes there, unless ``overwrite`` is set.

    ``of`` describes what the output is made from, in plain JSON. Even with ``overwrite``, only files that are written
    again are replaced.
    """
    if not overwrite:
        refuse_foreign(folder, kind)
        if _entries(folder):
            _refuse_other(folder, kind, note_of(folder)["of"], public(of))


def refuse_foreign(folder: Path, kind: str, instead: str = INSTEAD) -> None:
    """Refuse a folder that contains output of another kind, or files that askew did not write."""
    foreign, held = _entries(folder), note_of(folder).get("holds")
    if not foreign or held == kind:
        return
    if held:
        raise UsageError(f"{folder}: this folder holds {held}, not {kind}. {instead}")
    raise UsageError(
        f"{folder}: this folder holds files that askew did not write ({len(foreign):,}, e.g. {foreign[0]!r}). "
        f"{instead} Only files with the same names would be replaced."
    )


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


def save_image(folder: str, image: ImageRef) -> ImageRef:
    """Write the image to a file below this folder; returns it with its relative path."""
    content = image.data or b""
    digest = content_hash(image)
    name = digest[:16] + suffix_of(content)
    target = os.path.join(folder, FOLDER, name)
    if not os.path.exists(target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        with open(os.path.join(folder, FOLDER, MADE), "ab") as listed:
            listed.write(name.encode() + b"\n")
        with replaced(target) as file:
            file.write(content)
    return replace(image, path=f"{FOLDER}/{name}", data=None, sha256=digest)


def clear_unwritten(folder: Path, written: Iterable[str | Path], sources: str = "") -> None:
    """List the files of a benchmark written here, and delete those of an earlier one that it does not have.

    Files that changed since askew wrote them are kept, as are files that askew did not write and those in ``sources``.
    """
    listed = folder / MADE
    earlier = listed.read_text(encoding="utf-8", errors="replace").splitlines() if listed.is_file() else []
    now = {Path(path).name: file_sha256(str(path)) for path in written}
    for digest, _, name in (line.partition("  ") for line in earlier):
        path = folder / os.path.basename(name)
        if path.name in now or not _is_plain(path) or file_sha256(str(path)) != digest:
            continue
        if path.name in sources:
            now[path.name] = digest
        else:
            path.unlink()
    write_joined(listed, (f"{digest}  {name}\n".encode() for name, digest in now.items()))
    clear_unnamed(folder)


def clear_unnamed(folder: Path) -> None:
    """Delete the images that askew wrote here and that no JSONL file of the folder names any more.

    Changed images and images that askew did not write are kept; so is everything while another process writes to the
    folder, or if ``images`` is a symbolic link.
    """
    place = folder / FOLDER
    listed = place / MADE
    if place.is_symlink() or not listed.is_file():
        return
    for written_to in (folder, place):
        clear_parts(written_to)
    if has_parts(folder):
        return
    written = {name for name in listed.read_bytes().split() if _IMAGE_NAME.fullmatch(b"images/" + name)}
    try:
        unnamed = written - _images_named_in(folder)
    except DataError:  # a file that cannot be read may name any of them
        return
    for path in (place / os.fsdecode(name) for name in unnamed):
        if _is_plain(path) and file_sha256(str(path))[:16] == path.stem:  # not changed since
            path.unlink()
    remaining = sorted(name for name in written if (place / os.fsdecode(name)).exists())
    write_joined(listed, (name + b"\n" for name in remaining))


def noted_members(folder: Path) -> list[Path]:
    """The folders within the folder of a run of several models, one for each."""
    note = note_of(folder)
    names = note["of"].get("models", ()) if note.get("holds") == "a run" else ()
    return [place for place in folder.iterdir() if place.name in names] if names else []


def note_of(folder: Path) -> Mapping[str, Any]:
    """What a folder holds, as noted in it; empty without a note, or if it is damaged."""
    with suppress(OSError, AskewError, ValueError, KeyError, TypeError):
        note = load_json(bounded_read(folder / NOTE))
        return {"holds": str(note["holds"]), "of": dict(note["of"])}
    return {}


def _earlier(folder: Path) -> Iterator[dict[str, Any]]:
    """The runs in a folder: its own, and those in the subfolders of its models."""
    for run_folder in (folder, *noted_members(folder)):
        # an unreadable file is not a result that could be lost
        with suppress(OSError, AskewError, ValueError, AttributeError, TypeError):
            results = load_json(bounded_read(run_folder / "results.json"))
            if results.get("model"):
                yield run_of(results)


def _entries(folder: Path) -> list[str]:
    """The files in a folder, except those of file managers, locks and killed writers."""
    paths = folder.iterdir() if folder.is_dir() else ()
    names = sorted(path.name for path in paths if not (path / MADE).is_file())
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


def _images_named_in(folder: Path) -> set[bytes]:
    """The names of generated images in the JSONL files of a folder."""
    named: set[bytes] = set()
    for path in (*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")):
        with opened(str(path)) as lines:
            for line in lines:
                named.update(_IMAGE_NAME.findall(line))
    return named


def _is_plain(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()
