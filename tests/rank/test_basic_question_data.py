"""Files of basic questions: written, read, and used again without a ranker."""

import json
import sys

import pytest

from askew.errors import BadRecord, DataError, MissingExtra
from askew.rank.basic_question_data import BqdFile, read_bqd, read_header, write_bqd, write_parquet
from askew.rank.ranking import QuestionPool, Ranking, RankingStore, ranking_path
from askew.types import ImageRef, Question
from word_ranker import Words

POOL = QuestionPool.of([f"Is the {thing} {state}?" for thing in ("car", "cat") for state in ("old", "big", "red")])


@pytest.fixture
def made(tmp_path, monkeypatch):
    """A file with four questions (two of one text, ids 7 and "7") and the ranking it was made from."""
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))
    questions = [
        Question(7, ImageRef(1), "Is the car old?"),
        Question("7", ImageRef("01"), "Is the cat small?"),
        Question(8, None, "Is the car old?"),
        Question(9, ImageRef(2), "Never ranked"),
    ]
    with Ranking("words", Words(), POOL, "things", top=3) as ranking:
        ranking.nearest([question.text for question in questions[:3]])
    kept = RankingStore(ranking_path(ranking.signature))
    path = tmp_path / "bqd.jsonl"
    assert write_bqd(questions, {str(path): kept}) == 3
    kept.close()
    return path


def test_a_line_is_image_main_question_and_its_basic_questions(made):
    header, *lines = map(json.loads, made.read_text().splitlines())
    assert header == {
        "format": "askew-bqd-1",
        "name": "words",
        "ranker": "Words()",
        "pool": {"name": "things", "kind": "general", "questions": 6, "sha256": header["pool"]["sha256"]},
        "top": 3,
        "askew": header["askew"],
    }
    assert lines[0] == {
        "image": 1,
        "question_id": 7,
        "question": "Is the car old?",
        "basic": [["Is the car big?", 0.6], ["Is the car red?", 0.6], ["Is the cat old?", 0.6]],
        "proof": {"ties": 3.0},
    }
    assert [(line["image"], line["question_id"]) for line in lines] == [(1, 7), ("01", "7"), (None, 8)]
    assert lines[2]["basic"] == lines[0]["basic"]


def test_a_file_is_used_again_without_ranking(made, tmp_path, monkeypatch):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "another"))
    file = BqdFile(str(made))
    found = file.nearest(["Is the cat small?", "Never ranked"])
    assert list(found) == ["Is the cat small?"]
    assert found["Is the cat small?"].questions == ("Is the cat old?", "Is the cat big?", "Is the cat red?")
    assert file.name == "words"


def test_a_changed_file_is_read_again(made):
    BqdFile(str(made)).nearest(["Is the car old?"])
    made.write_text(made.read_text().replace("Is the car big?", "Is the car huge?"))
    after = BqdFile(str(made)).nearest(["Is the car old?"])
    assert after["Is the car old?"].questions[0] == "Is the car huge?"


def test_parquet_has_the_same_records(made, tmp_path):
    pytest.importorskip("pyarrow")
    target = tmp_path / "bqd.parquet"
    assert write_parquet(str(made), str(target)) == 3
    assert read_header(str(target)) == read_header(str(made))
    assert list(read_bqd(str(target))) == list(read_bqd(str(made)))
    assert len(BqdFile(str(target)).nearest(["Is the cat small?"])) == 1
    written = target.read_bytes()
    write_parquet(str(made), str(target))
    assert target.read_bytes() == written


def test_whole_numbers_stay_numbers_in_parquet(made, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    kept = [line for line in made.read_text().splitlines() if '"01"' not in line and "null" not in line]
    made.write_text("\n".join(kept) + "\n")
    write_parquet(str(made), str(tmp_path / "n.parquet"))
    table = parquet.read_table(tmp_path / "n.parquet")
    assert table.column("question_id").to_pylist() == [7]
    assert table.schema.names == ["image", "question_id", "question", "basic", "proof"]


def test_parquet_without_pyarrow_says_what_to_install(made, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra, match=r"pip install 'askew\[parquet\]'"):
        write_parquet(str(made), str(tmp_path / "x.parquet"))


@pytest.mark.parametrize("content", ['{"a": 1}\n', "What is this?\n", "[]\n", '{"format": "askew-bqd-0"}\n'])
def test_other_files_are_refused(tmp_path, content):
    path = tmp_path / "other.jsonl"
    path.write_text(content)
    with pytest.raises(DataError, match="not a file of basic questions"):
        read_header(str(path))


def test_a_bad_line_is_named(made):
    made.write_text(made.read_text() + '{"question": "Is it?", "basic": [["Why?"]]}\n')
    with pytest.raises(BadRecord, match="record 5: this is not a record of basic questions"):
        list(read_bqd(str(made)))


def test_a_truncated_file_is_named(made):
    made.write_bytes(made.read_bytes()[:-20])
    with pytest.raises(BadRecord, match="record 4: invalid JSON"):
        list(read_bqd(str(made)))


def test_a_missing_parquet_file_is_reported(tmp_path):
    pytest.importorskip("pyarrow")
    with pytest.raises(DataError, match="no such file"):
        read_header(str(tmp_path / "none.parquet"))
    (tmp_path / "bad.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(DataError, match="cannot be read as Parquet"):
        read_header(str(tmp_path / "bad.parquet"))
