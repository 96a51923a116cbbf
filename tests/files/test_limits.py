"""Hostile files: every reader refuses them in one line, and memory stays flat."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from askew.data import json_stream
from askew.data.json_stream import items
from askew.data.jsonl import Jsonl
from askew.errors import DataError
from askew.files.limits import MAX_DEPTH, MAX_RECORD

pytest.importorskip("resource")


def test_every_reader_refuses_hostile_files_in_one_line_and_with_flat_memory(tmp_path: Path) -> None:
    """200 KB of brackets once took more than 14 GB; a number of 5,000 digits was a SystemError."""
    script = Path(__file__).with_name("hostile_files.py")
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path)],
        capture_output=True,
        text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr[-2000:]
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    wrong = [row for row in rows if row[2] != "read" and not row[2].startswith("error: ")]
    assert not wrong, wrong[:5]
    long = [row for row in rows if "\n" in row[2] or len(row[2]) > 700]
    assert not long, long[:5]
    assert max(used for *_, used in rows) < 400 << 10, "kilobytes"
    refused = {(reader, name): said for reader, name, said, _ in rows if said != "read"}
    for reader in ("vqa", "jsonl", "predictions"):
        assert "nested more than 100 levels deep" in refused[reader, "nested-200k.json"]
    for reader in ("groups", "samples", "ids"):
        assert (reader, "note-200k.jsonl") in refused
        assert "nested more than 100 levels" in refused[reader, "note-300.jsonl"]
    for reader in ("vqa", "groups", "predictions", "lines"):
        assert "is longer than 16 MiB" in refused[reader, "text.jsonl.gz"]
    for reader in ("prices", "options"):
        assert "aliases (*name) are not read" in refused[reader, "laughs.yaml"]


def test_every_valid_record_is_read_wherever_a_chunk_ends(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Brackets and quotes inside strings are ignored."""
    text = "[" * 500 + '\\"' + "\\\\" + "]{" * 50
    records = [{"a": [text, {"b": [[n]]}], text: n} for n in range(50)]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(records))
    for size in (1, 2, 3, 7, 64, 1 << 16):
        monkeypatch.setattr(json_stream, "_CHUNK", size)
        assert [record for _, record in items(str(path), "")] == records


def test_the_deepest_allowed_record_is_read_and_a_deeper_one_refused(tmp_path: Path) -> None:
    for name, start in (("a.json", "[%s]"), ("a.jsonl", "%s\n")):
        for depth, fits in ((MAX_DEPTH - 1, True), (MAX_DEPTH, False)):
            nested = "[" * depth + "]" * depth
            (tmp_path / name).write_text(start % f'{{"image": "x", "question": "What?", "more": {nested}}}')
            reader = Jsonl(str(tmp_path / name))
            if fits:
                assert len(list(reader.questions())) == 1
            else:
                with pytest.raises(DataError, match="nested more than 100 levels deep"):
                    list(reader.questions())


def test_broken_json_is_still_called_broken_where_brackets_are_missing(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text('[{"question": "a"' + ', {"question": "b"' * 300 + "]")
    with pytest.raises(DataError, match="broken JSON near line 1, column 2"):
        list(items(str(tmp_path / "a.json"), "questions"))


def test_a_long_object_of_answers_on_one_line_is_read(tmp_path: Path) -> None:
    """It is longer than a line may be, but its records are short."""
    from askew.data.read_predictions import read_predictions

    answers = {str(n): "a" * 1000 for n in range(MAX_RECORD // 1000 + 1000)}
    (tmp_path / "a.json").write_text(json.dumps(answers))
    assert sum(1 for _ in read_predictions(tmp_path / "a.json")) == len(answers)
