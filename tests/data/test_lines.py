"""Text files with one question per line."""

import gzip

import pytest

from askew.data.jsonl import Lines
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError


def test_one_question_per_line_blank_lines_aside(tmp_path):
    path = tmp_path / "pool.txt"
    path.write_bytes("Is it hot?\n\n  What is é?  \r\nWhy?".encode())
    read = Lines(str(path))
    assert [(q.id, q.text) for q in read.questions()] == [(1, "Is it hot?"), (3, "What is é?"), (4, "Why?")]
    assert repr(read) == "Lines(path='pool.txt')"
    assert read.name == "pool"


def test_gzip_is_read_too(tmp_path):
    path = tmp_path / "pool.txt.gz"
    path.write_bytes(gzip.compress(b"Is it hot?\n"))
    assert [q.text for q in Lines(str(path)).questions()] == ["Is it hot?"]


def test_a_line_that_is_not_utf8_is_reported_or_skipped(tmp_path):
    path = tmp_path / "pool.txt"
    path.write_bytes(b"Is it hot?\nCaf\xe9?\nWhy?\n")
    with pytest.raises(BadRecord, match=r"line 2: not UTF-8: byte 0xe9 at column 4"):
        list(Lines(str(path)).questions())
    lenient = Lines(str(path), skip_bad=True)
    assert [q.id for q in lenient.questions()] == [1, 3]
    assert len(lenient.skipped) == 1


def test_a_missing_file_is_reported(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        list(Lines(str(tmp_path / "none.txt")).questions())


def test_a_path_that_ends_in_txt_is_text(tmp_path):
    path = tmp_path / "pool.txt"
    path.write_text("Is it hot?\n")
    assert open_path(path) == Lines(str(path))
