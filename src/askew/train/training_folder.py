"""The folder of a training: what it was begun with, and what keeps the same call reproducible."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import orjson
import torch

from askew import __version__
from askew.files.limits import read_object
from askew.files.output_folders import check_output, note_output
from askew.files.read_write import clear_parts, write_joined

CONFIG = "config.json"
"""The file with what determines the weights of a network."""
_DAMAGED = "Give another --output, or delete the folder to train again."


def check_folder(folder: Path, record: Mapping[str, Any], overwrite: bool) -> dict[str, Any]:
    """Refuse a folder that holds another training, or anything else; returns what it is compared by."""
    clear_parts(folder)
    of: dict[str, Any] = {}
    for name, value in record.items():
        of |= {f"{name}.{key}": part for key, part in value.items()} if isinstance(value, Mapping) else {name: value}
    of["threads"] = torch.get_num_threads()
    check_output(folder, "a training", of, overwrite)
    return of


def begin_folder(
    folder: Path, config: str, record: Mapping[str, Any], overwrite: bool, texts: Mapping[str, Any] | None = None
) -> None:
    """Write the record of a training as ``config``, unless it was begun before.

    ``texts`` are written once too, by the names of their files.
    """
    of = check_folder(folder, record, overwrite)
    if not (folder / config).is_file():
        note_output(folder, "a training", of)
        for name, content in (texts or {}).items():
            write_json(folder / name, content)
        versions = {"askew": __version__, "torch": torch.__version__}
        write_json(folder / config, {**record, "threads": of["threads"], "versions": versions})


@contextmanager
def deterministic(threads: int, written: Path, everything: bool = True) -> Iterator[None]:
    """A fixed number of threads, that of an interrupted training, and with ``everything`` only deterministic
    algorithms; restored afterwards."""
    algorithms, earlier = torch.are_deterministic_algorithms_enabled(), torch.get_num_threads()
    before = read_object(written, _DAMAGED).get("threads", 0) if written.is_file() else 0
    torch.use_deterministic_algorithms(everything or algorithms)
    torch.set_num_threads(threads or int(before) or earlier)
    try:
        with torch.random.fork_rng(devices=[]):
            yield
    finally:
        torch.use_deterministic_algorithms(algorithms)
        torch.set_num_threads(earlier)


def write_json(path: Path, content: Any) -> None:
    """Write a JSON file; it appears whole or not at all."""
    write_joined(path, [orjson.dumps(content, option=orjson.OPT_INDENT_2)], end=b"\n")
