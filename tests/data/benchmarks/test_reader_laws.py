"""Laws for every benchmark reader, on made-up files of the published shape."""

from __future__ import annotations

import gc
import os

import pytest
from benchmark_samples import SAMPLES as BENCHMARK_SAMPLES
from release_samples import RELEASES

from askew.data.benchmarks.blink import Blink
from askew.data.groups import unique_by_id
from askew.data.open_path import READERS, open_path
from askew.errors import AskewError
from askew.registry import BUILT_IN, make
from askew.types import Group, Question
from askew.verbs import HoldsGroups

SAMPLES = {**BENCHMARK_SAMPLES, **RELEASES}
PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "..", "docs", "benchmarks.md")


def groups_of(data):
    if isinstance(data, HoldsGroups):
        return data.groups()
    return (Group(question.id, data.suites[0], question) for question in data.questions())


def test_every_reader_has_a_name_and_a_row_in_the_docs():
    assert set(READERS) - set(SAMPLES) == {Blink}, "add a sample; BLINK, with several images, is refused"
    named = {path.partition(":")[0]: name for name, path in BUILT_IN["reader"].items()}
    with open(PAGE, encoding="utf-8") as file:
        page = file.read()
    for reader in READERS:
        assert f"`--data {named[reader.__module__]}:" in page, reader


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
    assert data.remarks, "the number of questions is told"
    assert groups == list(groups_of(open_path(path, skip_bad=True)))
    assert len({(group.suite, group.id) for group in groups}) == len(groups)
    assert data.fingerprint() == open_path(path, skip_bad=True).fingerprint()
    suites = {name: make("suite", name) for name in {group.suite for group in groups}}
    for group in groups:
        for question in (group.original, *(variant.question for variant in group.variants)):
            assert question.text.strip()
            assert question.answers
            assert set(question.answers) <= set(question.choices or question.answers)
        assert {variant.test for variant in group.variants} <= set(suites[group.suite].tests)
    assert {group.suite for group in groups} == set(data.suites)


@pytest.mark.parametrize("reader", SAMPLES, ids=lambda reader: reader.__name__)
def test_questions_are_streamed(reader, tmp_path):
    """Most questions are freed by the time the last ones are read; benchmarks/bench_readers.py measures memory."""
    data = open_path(SAMPLES[reader](tmp_path, 600), skip_bad=True)
    total = sum(1 for _ in groups_of(data))
    gc.collect()
    before = sum(type(one) is Question for one in gc.get_objects())  # of other tests
    for number, _ in enumerate(groups_of(data)):
        if number == total - 2:
            alive = sum(type(one) is Question for one in gc.get_objects())
            break
    assert alive - before < 100


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
        with open(file, "rb") as opened:
            content = opened.read()
        for damage, damaged in HOSTILE.items():
            with open(file, "wb") as opened:
                opened.write(damaged(content))
            with pytest.raises(AskewError) as refused:
                list(groups_of(reader(str(path))))
            told = str(refused.value)
            assert str(tmp_path) in told, (file, damage, told)
            assert "\n" not in told, (file, damage, told)
        for kept in (b"\xef\xbb\xbf" + content, content.replace(b"\n", b"\r\n")):
            with open(file, "wb") as opened:
                opened.write(kept)
            assert list(groups_of(reader(str(path), skip_bad=True))) == whole, file
        with open(file, "wb") as opened:
            opened.write(content)
