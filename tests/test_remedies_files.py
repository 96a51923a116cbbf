"""Remedies in errors about files work: each is extracted from the message and followed literally."""

from __future__ import annotations

import gzip
import json
import os
import shlex
import sqlite3
import subprocess

import pytest

from askew import open_data
from askew.cli import main
from askew.files.read_write import alone_in
from remedies import refused, said
from running import write_questions


@pytest.fixture(autouse=True)
def _at_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_questions(tmp_path / "q.jsonl", 8)


def run_words(data="q.jsonl", model="constant:red", output="o"):
    return ["run", "--model", model, "--data", data, "--suite", "accuracy", "--quiet", "--output", output]


def test_files_in_other_encodings_are_converted_by_the_named_command(tmp_path, capsys):
    text = (tmp_path / "q.jsonl").read_text()
    (tmp_path / "wide.jsonl").write_text(text, encoding="utf-16")
    command = said(capsys, run_words("wide.jsonl"), r"Convert it: (iconv .+)$")
    done = subprocess.run(shlex.split(command), capture_output=True, check=True)
    (tmp_path / "narrow.jsonl").write_bytes(done.stdout)
    assert main(run_words("narrow.jsonl")) == 0
    (tmp_path / "latin.jsonl").write_text(text.replace("red", "rosé"), encoding="latin-1")
    assert said(capsys, run_words("latin.jsonl", output="p"), r"(Save the file as UTF-8)")
    (tmp_path / "latin.jsonl").write_text(text.replace("red", "rosé"), encoding="utf-8")
    assert main(run_words("latin.jsonl", output="p")) == 0


def test_a_truncated_file_is_checked_by_the_named_command_and_copied_again(tmp_path, capsys):
    whole = gzip.compress((tmp_path / "q.jsonl").read_bytes())
    (tmp_path / "cut.jsonl.gz").write_bytes(whole[:-20])
    command = said(capsys, run_words("cut.jsonl.gz"), r"'(gzip -t)' checks it")
    check = [*command.split(), "cut.jsonl.gz"]
    assert subprocess.run(check, capture_output=True, check=False).returncode
    (tmp_path / "cut.jsonl.gz").write_bytes(whole)
    assert subprocess.run(check, capture_output=True, check=False).returncode == 0
    assert main(run_words("cut.jsonl.gz")) == 0


def test_wrong_paths_are_corrected_as_the_message_says(tmp_path, capsys):
    (tmp_path / "folder").mkdir()
    assert said(capsys, ["score", "q.jsonl", "folder", "--output", "s"], r"(Give the file), or")
    assert said(capsys, run_words("nowhere.jsonl"), r"(give the path where it is)")
    (tmp_path / "empty.jsonl").write_text("")
    assert said(capsys, run_words("empty.jsonl"), r"(Copy or download it again)")
    (tmp_path / "taken").write_text("")
    assert said(capsys, run_words(output="taken/o"), r"taken/o: .*(Give another path)")
    assert main(run_words(output="free/o")) == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_missing_permissions_are_given_as_the_message_says(tmp_path, capsys):
    (tmp_path / "q.jsonl").chmod(0)
    assert said(capsys, run_words(), r"(Check its permissions)")
    (tmp_path / "q.jsonl").chmod(0o600)
    assert main(run_words()) == 0


def test_records_are_fixed_or_left_out_as_each_message_says(tmp_path):
    """Ids that are too large, repeated records, fields of the wrong kind: records fixed as asked are accepted."""
    good = {"id": 1, "image": 1, "question": "Is it?", "answers": ["yes"]}
    first = {**good, "id": 0}
    cases = [
        ({"id": 2**70}, r"Write it (as text, in quotes)", {"id": str(2**70)}),
        ({"question": " "}, r"(Fill it in)", {"question": "Is it?"}),
        ({"answers": "yes"}, r"'answers' must be (a list of texts)", {"answers": ["yes"]}),
        ({"size": 3}, r"'size' must be (\[width, height\])", {"size": [3, 4]}),
        ({"confidences": ["yes", "no"]}, r"Give (one for each answer), or none", {"confidences": ["yes"]}),
        ({"tags": []}, r"'tags' must be (an object of texts)", {"tags": {"a": "b"}}),
    ]
    for wrong, pattern, right in cases:
        file = tmp_path / "one.jsonl"
        file.write_text("".join(json.dumps(one) + "\n" for one in (first, {**good, **wrong})))
        assert refused(lambda file=file: list(open_data(str(file)).questions()), pattern), wrong
        file.write_text("".join(json.dumps(one) + "\n" for one in (first, {**good, **right})))
        assert len(list(open_data(str(file)).questions())) == 2, right


def test_groups_written_by_hand_are_completed_as_the_message_says(tmp_path, capsys):
    question = {"id": 1, "image": 1, "question": "Is it?", "answers": ["yes"]}
    group = {"group": 1, "original": question, "variants": []}
    (tmp_path / "g.jsonl").write_text(json.dumps(group) + "\n")
    words = run_words("g.jsonl")
    words[words.index("accuracy")] = "rad"
    added = said(capsys, words, r'Add it to the line: ("suite": "rad")\.')
    (tmp_path / "g.jsonl").write_text(json.dumps(group)[:-1] + f", {added}}}\n")
    assert main(words) == 0


def test_a_damaged_store_is_recovered_moved_or_replaced_as_the_message_says(tmp_path, capsys):
    assert main(run_words()) == 0
    store = tmp_path / "o" / "answers.sqlite"
    intact = store.read_bytes()
    with sqlite3.connect(store) as database:
        database.execute("UPDATE answers SET answer = 'blue' WHERE key = (SELECT min(key) FROM answers)")
    database.close()
    command = said(capsys, run_words(), r"keep what is intact: askew (recover .+)$")
    assert main(shlex.split(command)) == 0
    assert "7 answers are intact" in capsys.readouterr().out
    assert main(run_words()) == 0
    store.write_bytes(b"this is no database" * 100)
    assert said(capsys, run_words(), r"(Move the file away) to start afresh")
    store.rename(tmp_path / "away.sqlite")
    assert main(run_words()) == 0
    store.write_bytes(b"this is no database" * 100)
    assert said(capsys, run_words(), r"(name another)")
    assert main([*run_words(), "--store", "other.sqlite"]) == 0
    store.write_bytes(intact)
    assert main(run_words()) == 0
    missing = said(capsys, ["recover", "nowhere"], r"Give the answer store, or (the folder of a run)")
    assert missing
    assert main(["recover", "o"]) == 0


def test_a_folder_in_use_is_waited_for_or_another_is_given(tmp_path, capsys):
    with alone_in(tmp_path / "o"):
        assert said(capsys, run_words(), r"(Wait until it is done, or give another)")
        assert main(run_words(output="p")) == 0
    assert main(run_words()) == 0


def test_damaged_files_of_a_run_are_written_again_by_the_same_command(tmp_path, capsys):
    assert main(run_words()) == 0
    for name, damaged, command in (
        ("results.json", b"{", ["report", "o"]),
        ("results.json", b'{"format": 99}', ["report", "o"]),
        ("results.json", b"{}", ["gate", "o", "--require", "accuracy.all>=0"]),
        ("rows.npz", b"half", ["report", "o"]),
        ("rows.npz", b"", ["compare", "o", "o"]),
    ):
        (tmp_path / "o" / name).write_bytes(damaged)
        assert said(capsys, command, r"((?i:run it again)|(?i:run 'askew run'))"), (name, damaged)
        assert main(run_words()) == main(command) == 0, (name, damaged)
