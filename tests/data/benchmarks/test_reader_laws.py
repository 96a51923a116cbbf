"""Laws for every benchmark reader, on made-up files of the published shape."""

from __future__ import annotations

import gc
import os
import shutil
import subprocess
import sys

import pytest
from benchmark_samples import SAMPLES as BENCHMARK_SAMPLES
from release_samples import RELEASES

from askew.answers.no_option import NO_OPTION
from askew.data.benchmarks.edited_vqa import CvVqa, IvVqa
from askew.data.benchmarks.mme import Mme
from askew.data.benchmarks.sniff import MARKS, sniff
from askew.data.benchmarks.vlmevalkit import VlmEvalKitCircular, VlmEvalKitTable
from askew.data.benchmarks.vqa_lol import VqaLol
from askew.data.benchmarks.vqa_pairs import VqaPairs
from askew.data.groups import unique_by_id
from askew.data.open_path import open_path
from askew.errors import AskewError, DataError
from askew.registry import BUILT_IN, make
from askew.types import Group, Question
from askew.verbs import HoldsGroups

SAMPLES = {**BENCHMARK_SAMPLES, **RELEASES}
PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "benchmarks.md")


def groups_of(data):
    if isinstance(data, HoldsGroups):
        return data.groups()
    return (Group(question.id, data.suites[0], question) for question in data.questions())


def key_of(reader):
    """The name of a reader in ``MARKS``; the two of edited images are distinguished when they are opened."""
    module = reader.__module__.rpartition(".")[2]
    return f"{module}:{module}" if reader in (IvVqa, CvVqa) else f"{module}:{reader.__name__}"


def test_every_reader_has_a_name_and_a_row_in_the_docs():
    assert set(MARKS) == set(map(key_of, SAMPLES)), "add a sample"
    named = {path.rpartition(".")[2]: name for name, path in BUILT_IN["reader"].items()}
    tables = ("vlmevalkit:VlmEvalKitTable", "vlmevalkit:VlmEvalKitCircular")  # one name for both
    named |= dict.fromkeys(tables, named["vlmevalkit:vlmevalkit"]) | {"edited_vqa:edited_vqa": "iv-vqa"}
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    for reader in MARKS:
        assert f"`--data {named[reader]}:" in page, reader


NOT_ALONE = {"query_discriminative.json", "query_generative.json", "relation.json", "hard.json"}
"""Files that are read only with others."""


@pytest.mark.parametrize("reader", SAMPLES, ids=lambda reader: reader.__name__)
def test_every_file_of_a_sample_alone_gives_the_reader_or_says_what_it_is(reader, tmp_path):
    SAMPLES[reader](tmp_path, 12)
    for file in filter(os.path.isfile, map(str, tmp_path.rglob("*"))):
        name = os.path.basename(file)
        if name == "safe_words.txt":
            continue  # any text is read as questions
        if name in NOT_ALONE or (key_of(reader).startswith("amber") and name == "annotations.json"):
            with pytest.raises(DataError, match="askew cannot read this as data"):
                open_path(file)
        elif name.endswith("annotations.json") and key_of(reader) != "pope:PopeV2":
            with pytest.raises(DataError, match="this is a VQA annotations file"):
                open_path(file)
        else:
            is_base = name.startswith("v2_OpenEnded_mscoco_val2014") and "edited" not in file
            assert type(open_path(file)).__name__ == ("Vqa" if is_base else reader.__name__), file


def test_of_several_benchmarks_in_a_folder_the_first_of_the_table_is_read(tmp_path):
    only_as_a_file = {VlmEvalKitCircular, VlmEvalKitTable, Mme, VqaLol, VqaPairs, CvVqa}
    there = {key_of(reader): reader for reader in SAMPLES if reader not in only_as_a_file}
    for key, reader in there.items():
        (tmp_path / key).mkdir()
        SAMPLES[reader](tmp_path / key, 12)
    for key in MARKS:
        if key in there:
            assert sniff(str(tmp_path)) == key
            shutil.rmtree(tmp_path / key)
    assert sniff(str(tmp_path)) == ""


def test_only_the_reader_that_fits_is_imported(tmp_path):
    path = SAMPLES[VqaPairs](tmp_path, 12).parent
    code = (
        "import sys; from askew.data.open_path import open_path; open_path(sys.argv[1]); "
        "print([name for name in sys.modules if name.startswith('askew.data.benchmarks.')])"
    )
    asked = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert asked.stdout.strip() == "['askew.data.benchmarks.sniff', 'askew.data.benchmarks.vqa']"


@pytest.mark.parametrize("reader", SAMPLES, ids=lambda reader: reader.__name__)
def test_every_reader(reader, tmp_path, monkeypatch):
    path = SAMPLES[reader](tmp_path, 240)
    walked = []
    monkeypatch.setattr(os, "walk", lambda *args, walk=os.walk: walked.append(args) or walk(*args))
    data = open_path(path, skip_bad=True)
    assert type(data) is reader
    assert str(tmp_path) not in repr(data)
    walked.clear()
    groups = list(unique_by_id(groups_of(data), "the sample"))
    lists_of_files = len(data.files())
    assert len(walked) <= 1 + 2 * lists_of_files + 4, "image folders are listed once, not for every question"
    assert not data.skipped
    assert data.remarks, "the number of questions is reported"
    assert groups == list(groups_of(open_path(path, skip_bad=True)))
    assert len({(group.suite, group.id) for group in groups}) == len(groups)
    assert data.fingerprint() == open_path(path, skip_bad=True).fingerprint()
    suites = {name: make("suite", name) for name in {group.suite for group in groups}}
    for group in groups:
        for question in (group.original, *(variant.question for variant in group.variants)):
            assert question.text.strip()
            assert question.answers
            assert NO_OPTION in question.answers or set(question.answers) <= set(question.choices or question.answers)
        assert {variant.test for variant in group.variants} <= set(suites[group.suite].tests)
    assert {group.suite for group in groups} == set(data.suites)


@pytest.mark.parametrize(
    "reader",
    [reader for reader in SAMPLES if reader not in (CvVqa, IvVqa, VqaPairs)],  # these hold the original questions
    ids=lambda reader: reader.__name__,
)
def test_questions_are_streamed(reader, tmp_path):
    """Most questions are freed by the time the last ones are read; benchmarks/bench_readers.py measures memory."""
    data = open_path(SAMPLES[reader](tmp_path, 600), skip_bad=True)
    total = sum(1 for _ in groups_of(data))
    gc.freeze()  # objects of other tests are not counted, nor looked at
    try:
        for number, _ in enumerate(groups_of(data)):
            if number == total - 2:
                alive = sum(type(one) is Question for one in gc.get_objects())
                break
    finally:
        gc.unfreeze()
    assert alive < 100


HOSTILE = {
    "truncated": lambda content: content[: len(content) // 2],
    "empty": lambda content: b"",
    "binary": lambda content: b"\xff\xfe\x00\x01" * 50,
    "a number": lambda content: b"17\n",
    "a list of numbers": lambda content: b"[1, 2, 3]\n",
    "another object": lambda content: b'{"a": {"b": 1}}\n',
}


@pytest.mark.parametrize("reader", SAMPLES, ids=lambda reader: reader.__name__)
def test_damaged_and_other_files_are_refused_in_one_sentence(reader, tmp_path):
    """Files with a byte order mark or Windows line ends are read as they are meant."""
    path = SAMPLES[reader](tmp_path, 12)
    whole = list(groups_of(reader(str(path), skip_bad=True)))
    for file in reader(str(path), skip_bad=True).files():
        if file.endswith("safe_words.txt"):
            continue  # any words are safe words
        with open(file, "rb") as opened:
            content = opened.read()
        for damage, damaged in HOSTILE.items():
            with open(file, "wb") as opened:
                opened.write(damaged(content))
            with pytest.raises(AskewError) as refused:
                list(groups_of(reader(str(path))))
            message = str(refused.value)
            assert str(tmp_path) in message, (file, damage, message)
            assert "\n" not in message, (file, damage, message)
        for kept in (b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n")):
            with open(file, "wb") as opened:
                opened.write(kept)
            assert list(groups_of(reader(str(path), skip_bad=True))) == whole, file
        with open(file, "wb") as opened:
            opened.write(content)
