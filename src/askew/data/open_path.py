"""Choose the reader for a path by its content."""

from __future__ import annotations

import os
import re

from askew.data.benchmarks.amber import Amber
from askew.data.benchmarks.aokvqa import Aokvqa
from askew.data.benchmarks.avqa import Avqa
from askew.data.benchmarks.blink import Blink
from askew.data.benchmarks.carets_release import CaretsRelease
from askew.data.benchmarks.convqa import ConVqa
from askew.data.benchmarks.edited_vqa import CvVqa, IvVqa
from askew.data.benchmarks.gqa import Gqa
from askew.data.benchmarks.gqa_ood import GqaOod
from askew.data.benchmarks.hallusionbench import HallusionBench
from askew.data.benchmarks.introspect import VqaIntrospect
from askew.data.benchmarks.mmstar import MmStar
from askew.data.benchmarks.mmvp import Mmvp
from askew.data.benchmarks.naturalbench import NaturalBench
from askew.data.benchmarks.p2_release import P2Release
from askew.data.benchmarks.pope import Pope
from askew.data.benchmarks.pope_v2 import PopeV2
from askew.data.benchmarks.rad_release import RadRelease
from askew.data.benchmarks.sniff import PathContents
from askew.data.benchmarks.sugarcrepe import SugarCrepe
from askew.data.benchmarks.textvqa import TextVqa
from askew.data.benchmarks.visdial import VisDial
from askew.data.benchmarks.vizwiz import VizWiz
from askew.data.benchmarks.vlmevalkit import VlmEvalKitCircular, VlmEvalKitTable
from askew.data.benchmarks.vqa import Vqa
from askew.data.benchmarks.vqa_ce import VqaCe
from askew.data.benchmarks.vqa_cp import VqaCp
from askew.data.benchmarks.vqa_lol import VqaLol
from askew.data.benchmarks.vqa_pairs import VqaPairs
from askew.data.benchmarks.vqa_rephrasings import VqaRephrasings
from askew.data.benchmarks.vqa_shaped import OkVqa, Tdiuc
from askew.data.benchmarks.winoground import Winoground
from askew.data.groups import GroupFile
from askew.data.json_stream import format_of
from askew.data.jsonl import Jsonl, Lines
from askew.errors import DataError
from askew.verbs import Dataset

READERS = (
    Pope,
    NaturalBench,
    HallusionBench,
    Mmvp,
    PopeV2,
    VqaRephrasings,
    VqaPairs,
    Amber,
    VqaIntrospect,
    GqaOod,
    VqaCe,
    VqaCp,
    VqaLol,
    ConVqa,
    IvVqa,
    CvVqa,
    MmStar,
    VlmEvalKitCircular,
    VlmEvalKitTable,
    CaretsRelease,
    RadRelease,
    P2Release,
    Avqa,
    TextVqa,
    VizWiz,
    Aokvqa,
    OkVqa,
    Tdiuc,
    SugarCrepe,
    Winoground,
    Blink,
    VisDial,
)
"""Readers of benchmarks that recognise their files, in the order in which they are tried."""
RELEASE = "release.json"
"""The manifest in a folder written by ``askew collect export``."""
GROUPS = "groups.jsonl"
"""A file in every folder written by ``askew build``."""
_TEXT = (".txt", ".txt.gz")
_WORLD = os.path.join("images", ".drawn")
"""A file in every folder written by ``askew world``."""
_QUESTIONS_FILE = re.compile(r"questions(_\d+)?\.json(\.gz)?$")
_KNOWN = (
    "Known are: a VQA v2 questions file or folder, a GQA questions file or folder, files of published benchmarks "
    "(askew ls reader lists them), and JSONL with "
    '{"image": ..., "question": ..., "answer": ...} or groups, and .txt with one question a line'
)
_ADVICE = {
    "annotations": "this is a VQA annotations file. Give the questions file, and this one as annotations=...",
    "scenes": "this is a GQA scene graph file. Give the questions file, and this one as scenes=...",
    "results": "this is a file of predictions (nothing in it is called 'question'). Give the questions as data, and "
    "this one as the model: predictions:...",
}


def open_path(path: str | os.PathLike[str], *, images: str | None = None, skip_bad: bool = False) -> Dataset:
    """The data set at a path: a benchmark, VQA v2, GQA, our own JSONL or JSON, ready-made groups, or text (``.txt``).

    For a folder written by ``askew world``, ``askew build`` or ``askew collect export``: the questions of a split, or
    the groups.
    """
    path = os.fspath(path)
    if not os.path.exists(path):
        raise DataError(f"{path}: there is no such file or folder. Put the data there, or give the path where it is.")
    if path.endswith(_TEXT):
        return Lines(path, skip_bad=skip_bad)
    if os.path.isfile(os.path.join(path, RELEASE)):
        return Jsonl(_release_split(path), images=images, skip_bad=skip_bad)
    if os.path.isfile(os.path.join(path, _WORLD)):
        return Jsonl(_world_split(path), images=images, skip_bad=skip_bad)
    if os.path.isfile(groups := os.path.join(path, GROUPS)):
        return GroupFile(groups, images=images, skip_bad=skip_bad)
    contents = PathContents(path)
    for reader in READERS:
        if reader.sniff(contents):
            return reader(path, images=images, skip_bad=skip_bad)
    kind = _format_in(path) if os.path.isdir(path) else format_of(path)
    if kind == "vqa":
        return Vqa(path, images=images, skip_bad=skip_bad)
    if kind == "gqa":
        return Gqa(path, images=images, skip_bad=skip_bad)
    if kind == "groups":
        return GroupFile(path, images=images, skip_bad=skip_bad)
    if kind == "jsonl":
        return Jsonl(path, images=images, skip_bad=skip_bad)
    raise DataError(f"{path}: {_ADVICE.get(kind, f'no data that askew knows. {_KNOWN}')}.")


def _release_split(folder: str) -> str:
    """The test questions of a folder written by ``askew collect export``."""
    path = os.path.join(folder, "test.jsonl")
    if os.path.isfile(path) and not os.path.getsize(path):
        raise DataError(
            f"{path}: no question of this release is in test. Give another split: {os.path.join(folder, 'train.jsonl')}"
        )
    return path


def _world_split(folder: str) -> str:
    """The questions of a folder written by ``askew world``: the default split of ``world``."""
    path = os.path.join(folder, "val.jsonl")
    if os.path.isfile(path) and not os.path.getsize(path):
        raise DataError(
            f"{path}: this world has too few scenes for a val split. Give another split: "
            f"{os.path.join(folder, 'train.jsonl')}, or write a world of 20 scenes or more."
        )
    return path


def _format_in(folder: str) -> str:
    """``vqa`` or ``gqa`` if all questions files of a folder are of that kind."""
    inside = sorted(os.path.join(place, name) for place, _, names in os.walk(folder) for name in names)
    found: dict[str, str] = {}
    for file in filter(_QUESTIONS_FILE.search, inside):
        found.setdefault(format_of(file), file)
    kinds = sorted(found.keys() & {"vqa", "gqa"}, reverse=True)
    if len(kinds) > 1:
        files = " or ".join(found[kind] for kind in kinds)
        raise DataError(f"{folder}: VQA and GQA questions are in this folder. Give one of the files, e.g. {files}")
    return kinds[0] if kinds else ""
