"""Which benchmark a path holds, recognised by file names, keys of first records and column names.

``MARKS`` says for every reader what identifies its files, so that only the reader that fits is imported.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import NamedTuple

from askew.data.json_stream import glimpse
from askew.data.table_files import column_names, delimiter_of, is_table
from askew.errors import AskewError
from askew.files.read_write import opened

_DATA = re.compile(r"\.(json|jsonl|csv|tsv|parquet|txt)(\.gz)?$", re.IGNORECASE)
_HEAD = 1 << 16
_DEPTH = 4
"""How many levels of sub-folders are searched."""


@dataclass(frozen=True)
class PathContents:
    """What can be seen of a path without reading it: the names of its files, and how a file begins."""

    path: str

    @cached_property
    def files(self) -> tuple[str, ...]:
        """The data files: the file itself, or those of the folder and its sub-folders, sorted."""
        if not os.path.isdir(self.path):
            return (self.path,)
        found = []
        base = self.path.rstrip(os.sep).count(os.sep)
        for place, folders, names in os.walk(self.path):
            if place.count(os.sep) - base >= _DEPTH:
                folders.clear()
            found += [os.path.join(place, name) for name in names if _DATA.search(name)]
        return tuple(sorted(found))

    def named(self, pattern: str) -> list[str]:
        """The data files whose name (without folders) matches the pattern as a whole."""
        return [file for file in self.files if match_name(pattern, file)]

    @cached_property
    def start(self) -> FileStart:
        """How files begin; each is opened once."""
        return FileStart(cache(first_keys), cache(inner_keys), cache(_beginning))

    def of(self, reader: str) -> list[str]:
        """The files that match a reader's marks."""
        return sorted({file for mark in MARKS[reader] for file in mark.files(self)})


class FileStart(NamedTuple):
    """Functions that return what a file begins with."""

    first_keys: Callable[[str], frozenset[str]]
    inner_keys: Callable[[str], frozenset[str]]
    beginning: Callable[[str], bytes]


@dataclass(frozen=True)
class Mark:
    """What identifies a file; all the given conditions must hold.

    Without ``names`` it identifies only a file that is given as the path, not one in a folder.
    """

    names: str = ""
    """Its name (without folders and ``.gz``), as a regular expression."""
    keys: frozenset[str] = frozenset()
    """Keys of the first record of a JSON or JSONL file, or columns of a table."""
    folders: frozenset[str] = frozenset()
    """Possible names of its folder, or of the folder above."""
    without: frozenset[str] = frozenset()
    """Keys that the first record must not have."""
    inner: frozenset[str] = frozenset()
    """Keys of the first record of a JSON file ``{id: record}``."""
    begins: bytes = b""
    """A regular expression that its beginning must match."""
    annotations: bytes = b""
    """A regular expression that must occur in the beginning of the annotations file beside it."""
    beside: str = ""
    """The name of another file that must be there, as a regular expression."""
    alone: bool = False
    """Only if the file is given as the path: a folder that contains it may have another reader."""

    def files(self, contents: PathContents) -> list[str]:
        """The files at a path that it identifies."""
        if os.path.isdir(contents.path) and (self.alone or not self.names):
            return []
        if self.beside and not contents.named(self.beside):
            return []
        named = contents.named(self.names) if self.names else contents.files
        return [file for file in named if self._fits(file, contents.start)]

    def _fits(self, file: str, start: FileStart) -> bool:
        return (
            (not self.keys or start.first_keys(file) >= self.keys)
            and (not self.folders or not self.folders.isdisjoint(file.split(os.sep)[-3:-1]))
            and (not self.without or self.without.isdisjoint(start.first_keys(file)))
            and (not self.inner or start.inner_keys(file) >= self.inner)
            and (not self.begins or bool(re.match(self.begins, start.beginning(file), re.DOTALL)))
            and (not self.annotations or bool(re.search(self.annotations, start.beginning(_annotations(file)))))
        )


def _keys(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TEXT = rb'"(?:[^"\\]|\\.)*"'
_POPE = _keys("question_id image text label")
_POPE_TABLE = _keys("index question answer category image")
MME_CATEGORIES = _keys(
    "existence count position color posters celebrity scene landmark artwork OCR commonsense_reasoning "
    "numerical_calculation text_translation code_reasoning"
)
_NOT_MME = _keys("options choices answers image_source index id")
_MM_UPD = _keys("index question answer type masked_answer")
_POPE_V2 = _keys("image_name target_object query label")
_NATURALBENCH = r"test_set\.json|naturalbench.*\.(?:tsv|parquet|json)|(?:train|test)-\d+-of-\d+\.parquet"
_NATURALBENCH_COLUMNS = _keys("Image_0 Image_1 Question_0 Question_1 Image_0_Question_0")
_NATURALBENCH_TABLE = _keys("index question answer type image")
_FOUR_TEXTS = rb"\s*\[\s*\[\s*" + rb"\s*,\s*".join([_TEXT] * 4) + rb"\s*\]"
_MMVP = frozenset({"Question", "Options", "Correct Answer"})
_EDITED_IMAGE = (
    rb'\s*(?:\[|\{(?:(?!"image_id").)*"questions"\s*:\s*\[)(?:(?!"image_id").)*"image_id"\s*:\s*"\d{12}_\d{12}"'
)
_CARETS = _keys("img_id label question_id sent question_type assignment")
_VIZWIZ = _keys("image question answerable")
_OPEN_ENDED = r"OpenEnded_mscoco_(?:train|val)2014_questions\.json"
_TDIUC_TYPES = (
    rb'"question_type"\s*:\s*"(?:absurd|activity_recognition|attribute|color|counting|object_presence'
    rb"|object_recognition|positional_reasoning|scene_recognition|sentiment_understanding|sport_recognition"
    rb'|utility_affordance)"'
)
_WINOGROUND = _keys("image_0 image_1 caption_0 caption_1")
_BLINK = _keys("sub_task image_1 choices")

MARKS: Mapping[str, tuple[Mark, ...]] = {
    "pope:Pope": (
        Mark(keys=_POPE),
        Mark(r"(?P<source>.+?)_pope(?:_seem)?_(?P<strategy>random|popular|adversarial)\.jsonl?"),
        Mark(r".*pope.*\.tsv", keys=_POPE_TABLE, alone=True),
        Mark(r".*\.parquet", keys=_keys("question_id question answer image_source image category")),
    ),
    "mm_upd:MmUpd": (Mark(r".*\.(?:parquet|tsv)", keys=_MM_UPD),),
    "naturalbench:NaturalBench": (
        Mark(r".*\.parquet", keys=_NATURALBENCH_COLUMNS, alone=True),
        Mark(_NATURALBENCH, keys=_NATURALBENCH_COLUMNS),
        Mark(r".*naturalbench.*\.[ct]sv", keys=_NATURALBENCH_TABLE, alone=True),
        Mark(_NATURALBENCH, keys=_NATURALBENCH_TABLE),
        Mark(r".*\.json", begins=_FOUR_TEXTS, alone=True),
        Mark(_NATURALBENCH, begins=_FOUR_TEXTS),
    ),
    "hallusionbench:HallusionBench": (
        Mark(keys=_keys("visual_input set_id figure_id question_id gt_answer")),
        Mark(r"HallusionBench\.json"),
        Mark(r".*hallusion.*\.tsv", keys=_keys("index question answer category l2-category"), alone=True),
    ),
    "mme:Mme": (
        Mark(r"(?:.*[^a-z])?mme\.tsv", keys=_POPE_TABLE, alone=True),
        Mark(r".*\.parquet", keys=_keys("question_id question answer image category"), without=_NOT_MME),
        Mark(r".+\.txt", folders=MME_CATEGORIES),
    ),
    "mmvp:Mmvp": (Mark(keys=_MMVP), Mark(r"Questions\.csv", keys=_MMVP)),
    "pope:PopeV2": (Mark(keys=_POPE_V2), Mark(r"annotations\.json", keys=_POPE_V2)),
    "vqa_rephrasings:VqaRephrasings": (Mark(r".*valrep2014.*questions\.json"),),
    "vqa_pairs:VqaPairs": (Mark(r".*?(?P<split>(?:train|val)\d{4})_complementary_pairs\.json", alone=True),),
    "amber:Amber": (Mark(r"query_discriminative.*\.json", beside=r"annotations\.json"),),
    "amber_generative:AmberGenerative": (Mark(r"query_generative\.json", beside=r"relation\.json"),),
    "introspect:VqaIntrospect": (
        Mark(inner=_keys("reasoning_question introspect")),
        Mark(r"VQAIntrospect_(?P<split>train|val).*\.json"),
    ),
    "gqa:GqaOod": (Mark(r"ood_(?P<split>testdev|val)_(?P<part>head|tail|all)\.json"),),
    "vqa_ce:VqaCe": (
        Mark(r"counterexamples\.json", beside=r"hard\.json"),
        Mark(r"counterexamples\.json", alone=True),
    ),
    "vqa_cp:VqaCp": (Mark(r"vqacp_(?P<version>v[12])_(?P<split>train|test)_questions\.json"),),
    "vqa_lol:VqaLol": (Mark(keys=_keys("sent img_id q1 op")),),
    "convqa:ConVqa": (
        Mark(r"(?:cleaned_)?Logical_ConVQA_test\.json|CommonSense_ConVQA_consistent\.json"),
        Mark(r"(?!.*(?:inconsistent|\.[ct]sv)).*", begins=rb'\s*\{\s*"http[^"]*COCO_', alone=True),
    ),
    "edited_vqa:edited_vqa": (
        Mark(r".*questions\.json", begins=_EDITED_IMAGE, annotations=rb'"answer"'),
        Mark(r".*questions\.json", begins=_EDITED_IMAGE, beside=r".*annotations\.json"),
    ),
    "mmstar:MmStar": (Mark(r"mmstar.*\.(?:tsv|parquet)", keys=_keys("index question image answer category")),),
    "vlmevalkit:VlmEvalKitCircular": (
        Mark(r".*\.tsv", keys=_keys("index question A g_index"), alone=True),
        Mark(r".*(?:mmbench|ccbench|circular|mmcr).*\.tsv", keys=_keys("index question A"), alone=True),
    ),
    "vlmevalkit:VlmEvalKitTable": (Mark(r".*\.tsv", keys=_keys("index question"), alone=True),),
    "paper_releases:CaretsRelease": (
        Mark(keys=_CARETS),
        Mark(r".+_test\.json|(?:rephrase|order|ontological|visual|negation|antonym)_(?:inv|dir)\.json", keys=_CARETS),
    ),
    "paper_releases:RadRelease": (
        Mark(r"yes-no_from_(?P<source>colors|how-many|what-kind)_(?P<split>train|val)_questions\.json"),
    ),
    "paper_releases:P2Release": (Mark(r"vqap2\.questions\.json|v2_OpenEnded_mscoco_p2_questions\.json"),),
    "avqa:Avqa": (Mark(r"(?:.*[^a-z])?ad?vqa.*questions\.json"),),
    "plain_sets:TextVqa": (Mark(r"TextVQA_.*\.json"),),
    "plain_sets:VizWiz": (Mark(keys=_VIZWIZ), Mark(r"(?:.*vizwiz.*_)?(?:train|val|test)\.json", keys=_VIZWIZ)),
    "plain_sets:Aokvqa": (Mark(keys=_keys("question_id choices direct_answers")), Mark(r"aokvqa_v1p0_.*\.json")),
    "plain_sets:OkVqa": (Mark(_OPEN_ENDED, annotations=rb'"raw_answer"'),),
    "plain_sets:Tdiuc": (Mark(_OPEN_ENDED, annotations=_TDIUC_TYPES),),
    "sugarcrepe:SugarCrepe": (
        Mark(
            r"(?:add_att|add_obj|replace_att|replace_obj|replace_rel|swap_att|swap_obj)\.json",
            inner=_keys("filename caption negative_caption"),
        ),
    ),
    "winoground:Winoground": (Mark(keys=_WINOGROUND), Mark(r"examples\.jsonl", keys=_WINOGROUND)),
    "plain_sets:Blink": (Mark(keys=_BLINK), Mark(r"(?:val|test)-.*\.parquet", keys=_BLINK)),
    "visdial:VisDial": (Mark(r"visdial_1\.0_(?:train|val|test)\.json"),),
}
"""For each reader of a benchmark (module and class), the marks of its files; one is enough. Tried in this order."""


def sniff(path: str) -> str:
    """The reader of the benchmark at a path, as in ``MARKS``; empty if no mark fits."""
    contents = PathContents(path)
    return next((reader for reader in MARKS if contents.of(reader)), "")


def match_name(pattern: str, file: str) -> re.Match[str] | None:
    """How the name of a file (without folders and ``.gz``) matches a pattern as a whole, in any case of its letters."""
    return re.fullmatch(pattern, os.path.basename(file).removesuffix(".gz"), re.IGNORECASE)


def names_of(reader: str) -> str:
    """The regular expression for the names of a reader's files.

    >>> names_of("visdial:VisDial")
    'visdial_1\\\\.0_(?:train|val|test)\\\\.json'
    """
    return next(mark.names for mark in MARKS[reader] if mark.names)


def first_keys(path: str) -> frozenset[str]:
    """The keys of the first record of a JSON or JSONL file, or the columns of a table; empty if it has none."""
    try:
        if is_table(path):
            with opened(path) as file:
                line = file.read(_HEAD).split(b"\n", 1)[0].decode("utf-8-sig", "replace").strip("\r")
            return frozenset(column_names(line, delimiter_of(line)))
        if path.endswith(".parquet"):
            return _columns(path)
        return frozenset(glimpse(path).keys)
    except (AskewError, OSError, UnicodeDecodeError):
        return frozenset()  # the reader of other formats says what is wrong


def inner_keys(path: str) -> frozenset[str]:
    """The keys of the first record of a JSON file ``{id: record}``; empty for other files."""
    if is_table(path) or path.endswith(".parquet"):
        return frozenset()
    try:
        return frozenset(glimpse(path).inner)
    except (AskewError, OSError, UnicodeDecodeError):
        return frozenset()  # the reader of other formats says what is wrong


def _columns(path: str) -> frozenset[str]:
    try:
        from pyarrow import ArrowInvalid, parquet
    except ModuleNotFoundError:
        return frozenset()
    try:
        return frozenset(parquet.read_schema(path).names)
    except ArrowInvalid:
        return frozenset()


def _beginning(path: str) -> bytes:
    try:
        with opened(path) as file:
            return file.read(_HEAD)
    except (AskewError, OSError):
        return b""  # the reader of other formats says what is wrong


def _annotations(questions: str) -> str:
    from askew.data.benchmarks.vqa_records import annotations_of

    return annotations_of(questions) or ""
