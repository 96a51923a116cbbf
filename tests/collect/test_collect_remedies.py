"""Remedies in the errors of ``askew collect`` work: each is taken out of the message and carried out."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import pytest

pytest.importorskip("sqlalchemy", reason="the extra collect is not installed")

from askew.cli import main
from askew.collect.accounts import person_named
from askew.collect.rounds import round_numbered
from askew.collect.schema import model
from askew.collect.study import open_study
from askew.collect.web.study_files import VARIABLE, read_secret
from askew.collect.writing import claim_image
from remedies import refused, said


@pytest.fixture(autouse=True)
def _at_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def collect(*words):
    return main(["collect", *words])


def command(capsys, words, study="s"):
    """The command that the message names, for this study and a model that needs no extra."""
    found = said(capsys, ["collect", *words], r"askew (collect .+?)\.?$")
    return shlex.split(found.replace("STUDY", study).replace("bundled:xnm", "constant:yes"))


def test_a_study_is_made_step_by_step_as_its_errors_say(tmp_path, capsys):
    """Each step is left out, then done as the error of the next one says, up to the release and a run on it."""
    assert main([*command(capsys, ["check", "s"]), "--preset", "small", "--seed", "1"]) == 0
    assert main(command(capsys, ["round", "s", "--new"])) == 0
    assert main(command(capsys, ["round", "s", "--open", "1"])) == 0
    assert said(capsys, ["collect", "images", "s"], r"Give (--folder) DIR or --world N")
    option = said(capsys, ["collect", "images", "s"], r"--folder DIR or (--world) N")
    (tmp_path / "none").mkdir()
    assert collect("images", "s", "--folder", "none") == 0
    assert collect("images", "s", option, "6") == 0
    assert main(command(capsys, ["models", "s", "--off", "constant:yes"])) == 0
    freeze = command(capsys, ["export", "s", "--output", "early"])
    assert collect("simulate", "s", "--people", "6", "--seed", "1") == 0
    assert main([*freeze, "--drop-incomplete"]) == 0
    assert collect("export", "s", "--output", "release") == 0
    assert said(capsys, ["collect", "export", "s", "--output", "release"], r"(Give a new one)")
    words = ["--model", "constant:yes", "--suite", "accuracy", "--quiet", "--output", "o", "--data"]
    if main(["run", *words, "release"]):
        split = said(capsys, ["run", *words, "release"], r"Give another split: (\S+)$")
        assert main(["run", *words, split]) == 0


@pytest.fixture
def study(tmp_path):
    assert collect("init", "s", "--preset", "small", "--seed", "1") == 0
    assert collect("models", "s", "--add", "constant:yes") == 0
    assert collect("round", "s", "--new") == 0
    assert collect("people", "s", "--add", "Ada") == 0
    return tmp_path / "s"


def test_too_few_simulated_people_are_reported_and_what_they_left_can_be_dropped(study, capsys):
    """A question needs two verifiers besides its author, and there are two people in all."""
    assert collect("images", "s", "--world", "3") == 0
    assert collect("round", "s", "--open", "1") == 0
    assert collect("simulate", "s", "--people", "2", "--seed", "1") == 0
    printed = capsys.readouterr().out
    assert "Too few people: " in printed
    assert "--people" in printed
    assert collect("freeze", "s", "--round", "1") == 2
    assert collect("freeze", "s", "--round", "1", "--drop-incomplete") == 0


def test_settings_names_and_reasons_are_given_as_the_message_shows(study, capsys):
    new = ["collect", "init", "t"]
    spelled = said(capsys, [*new, "--set", "max_tries"], r"e\.g\. --set (\S+)$")
    assert said(capsys, [*new, "--set", "shares=1"], r"Settings: .*(max_tries)")
    preset = said(capsys, [*new, "--preset", "large"], r"Known: .*?(small)\.?$")
    assert main([*new, "--preset", preset, "--set", spelled]) == 0
    assert main([*new[:2], "u", "--preset", preset]) == 0
    assert said(capsys, [*new[:2], "u"], r"(Give a new one)")
    option = said(capsys, ["collect", "people", "s", "--exclude", "Ada"], r"Give the (--reason); it is kept")
    preview = said(capsys, ["collect", "people", "s", "--exclude", "Ada"], r"(--preview) shows what")
    listing = command(capsys, ["people", "s", "--exclude", "Bob", option, "gone"])
    assert main(listing) == 0
    assert "Ada" in capsys.readouterr().out
    assert collect("people", "s", "--exclude", "Ada", preview) == 0
    assert collect("people", "s", "--exclude", "Ada", option, "gone") == 0
    assert said(capsys, ["collect", "people", "s", "--add", "Ada"], r"(Give another name)")
    assert main(command(capsys, ["models", "s", "--off", "unknown"])) == 0
    known = said(capsys, ["collect", "round", "s", "--new", "--models", "x"], r"Known: (.+)\.$")
    assert collect("round", "s", "--new", "--models", known) == 0
    assert collect("models", "s", "--add", "constant:no", "--called", "no, at temperature 0") == 0
    assert collect("round", "s", "--new", "--models", "no, at temperature 0", "--models", known) == 0
    rate = said(capsys, ["collect", "pay", "s", "--output", "p.csv", "--rate", "x"], r"e\.g\. (\S+)$")
    assert collect("pay", "s", "--output", "p.csv", "--rate", rate) == 0


def test_unfinished_work_is_dropped_as_the_message_says(study, capsys):
    assert collect("images", "s", "--world", "1") == collect("round", "s", "--open", "1") == 0
    opened = open_study(study)
    with opened.database.write() as tx:
        claim_image(tx, person_named(tx, "Ada").id)
    opened.close()
    freeze = ["collect", "freeze", "s", "--round", "1"]
    dropped = said(capsys, freeze, r"drop what is unfinished \((--[\w-]+)\)")
    assert main([*freeze, dropped]) == 0
    assert said(capsys, freeze, r"(cannot be frozen: it is FROZEN, and the next state is RELEASED)\.$")


def test_backups_go_to_new_files_and_come_back_into_new_folders(study, tmp_path, capsys):
    assert collect("backup", "s", "b.tar") == 0
    assert said(capsys, ["collect", "backup", "s", "b.tar"], r"(Give a new name)")
    assert said(capsys, ["collect", "restore", "s", "b.tar"], r"(Give a new one)")
    assert collect("restore", "again", "b.tar") == collect("check", "again") == 0
    (tmp_path / "other.tar").write_bytes(b"PK")
    assert said(capsys, ["collect", "restore", "third", "other.tar"], r"(Copy it again, or take an earlier one)")
    assert collect("restore", "third", "b.tar") == 0


def test_a_service_is_started_with_the_options_that_its_errors_name(study, tmp_path, capsys):
    """Each error is about the words alone: with what it names the next one is about something else."""
    serve = ["collect", "serve", "s"]
    address = said(capsys, [*serve, "--host", "here"], r"Give e\.g\. (\S+), or")
    assert address == "127.0.0.1"
    option = said(capsys, [*serve, "--host", "0.0.0.0"], r"e\.g\. (--trusted-host \S+), and")
    trusted = [*serve, "--host", "0.0.0.0", *option.split()]
    root = said(
        capsys, [*trusted, "--root-path", "collect/"], r"must begin with / and not end with one, e\.g\. (\S+)\.$"
    )
    assert root == "/collect"
    assert said(capsys, [*trusted, "--root-path", root, "--port", "70000"], r"ports are (0) to 65535")


def test_a_secret_is_made_and_kept_as_the_message_says(tmp_path, monkeypatch):
    monkeypatch.setenv(VARIABLE, "short")
    made = refused(lambda: read_secret(tmp_path), r"Create one: python (-c .+)$")
    done = subprocess.run([sys.executable, *shlex.split(made)], check=True, capture_output=True, text=True)
    monkeypatch.setenv(VARIABLE, done.stdout.strip())
    assert read_secret(tmp_path) == done.stdout.strip().encode()
    monkeypatch.delenv(VARIABLE)
    assert read_secret(tmp_path)
    if os.name == "posix":
        for file in tmp_path.iterdir():
            file.chmod(0o644)
        changed = refused(lambda: read_secret(tmp_path), r"Run: (chmod .+)$")
        subprocess.run(shlex.split(changed), check=True)
        assert read_secret(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="a pipe that nobody reads")
def test_what_a_command_changes_is_kept_though_nobody_reads_what_it_prints(study):
    """``askew collect round STUDY --new | head -1``, with PYTHONUNBUFFERED set, made no round."""
    for words in (["round", "s", "--new"], ["models", "s", "--add", "constant:no"], ["people", "s", "--add", "Zoe"]):
        unread, end = os.pipe()
        os.close(unread)
        command = [sys.executable, "-u", "-m", "askew", "collect", *words]
        assert subprocess.run(command, stdout=end, stderr=subprocess.DEVNULL).returncode not in (0, 1)
        os.close(end)
    made = open_study(study)
    with made.database.read() as tx:
        assert round_numbered(tx, 2).state == "DRAFT"
        assert tx.count(model, model.c.spec == "constant:no") == 1
        assert person_named(tx, "Zoe").role == "annotator"
    made.close()
