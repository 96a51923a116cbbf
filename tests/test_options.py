"""Options of the command line: shared options are the same in all commands."""

from __future__ import annotations

import argparse
import json
import os
from importlib import import_module

import pytest

from askew.cli import COMMANDS, _subparsers, main, parser_of
from askew.cli.options import DEFAULTS, MODEL_OPTIONS, SHARED, settled
from running import write_questions

OTHERWISE = {
    "output": "what is written differs: a run, a benchmark, a page",
    "model": "several that are asked, or the one that is attacked",
    "max-calls": "the budget of an endpoint, or of an attack on any model",
    "name": "of several models, of one, of a task elsewhere",
    "epochs": "other defaults for one training and for the many of an experiment",
    "scenes": "a number of them, or a file of scene graphs (build)",
    "size": "pixels (world), or pairs of a test (build)",
}
"""Options of several commands that mean something else in each, and what."""
ELSEWHERE = {
    "metric": ("gate", "the only one compared; otherwise measured besides"),
    "max-failures": ("gate", "a gate takes the run's own unless told"),
    "data": ("train", "several, which add up; otherwise one"),
    "batch-size": ("train", "in a step of training; otherwise asked at once"),
}
"""Shared options that mean something else in one command, and what."""


WITHOUT_JSON = {
    "demo": "writes runs, each with its results.json",
    "build": "writes a benchmark, with its groups and a datasheet",
    "play": "a page",
    "world": "writes data",
    "collect": "has exports of its own",
    "export": "writes data",
    "train": "writes a checkpoint with its metrics",
    "experiment": "writes a finding, and its runs",
    "batch": "writes requests, and reads answers",
    "merge": "writes a store",
    "recover": "writes a store",
    "completion": "a script",
}
"""Commands whose result is what they write, not what they print."""


def parsers():
    for command in COMMANDS:
        parser = argparse.ArgumentParser()
        import_module(f"askew.cli.{command}").add_options(parser)
        yield command, parser


def test_every_command_that_prints_a_result_also_writes_it_as_json(tmp_path, capsys):
    with_json = {name for name, parser in parsers() if "--json" in parser._option_string_actions}
    assert with_json == COMMANDS.keys() - WITHOUT_JSON.keys()
    write_questions(tmp_path / "q.jsonl", 4)
    run, file = str(tmp_path / "run"), tmp_path / "found.json"
    data = ("--data", str(tmp_path / "q.jsonl"), "--suite", "accuracy", "--quiet")
    for command, part in (
        (("run", "--model", "constant:yes", *data, "--output", run), "runs"),
        (("report", run), "differences"),
        (("compare", run, run), "runs"),
        (("gate", run, "--require", "accuracy.all>=0"), "checks"),
        (("ls", "suite", "rad"), "suite"),
        (("audit", str(tmp_path / "q.jsonl"), "--quiet"), "data"),
    ):
        main([*command, "--json", str(file)])
        found = json.loads(file.read_bytes())
        assert part in found, command
        assert str(tmp_path) not in file.read_text(), "folders of this machine are not published"
        file.unlink()
    assert main(["run", "--model", "constant:yes", *data, "--dry-run", "--json", str(file)]) == 2
    assert "Leave it out with --dry-run" in capsys.readouterr().err


def test_json_replaces_no_file_of_a_run_and_nothing_that_is_not_a_json_file(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 2)
    data = ("--data", str(tmp_path / "q.jsonl"), "--suite", "accuracy", "--model", "constant:yes", "--quiet")
    assert main(["run", *data, "--output", str(tmp_path / "run")]) == 0
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    run = tmp_path / "run"
    os.mkfifo(tmp_path / "pipe.json")
    for file in map(
        str, (run / "results.json", run / "groups.jsonl", tmp_path / "q.jsonl", tmp_path / "pipe.json", "-")
    ):
        for command in (("gate", str(run)), ("compare", str(run)), ("ls",), ("run", *data, "--output", str(run))):
            assert main([*command, "--json", file]) == 2
            assert "--json" in capsys.readouterr().err
    assert {path: path.read_bytes() for path in kept} == kept
    for _ in range(2):
        assert main(["report", str(run), "--json", str(tmp_path / "found.json")]) == 0


def test_options_that_commands_share_are_the_same_in_all():
    uses: dict[str, dict[str, tuple[object, ...]]] = {}
    for command, parser in parsers():
        for action in parser._actions:
            for name in action.option_strings:
                seen = (type(action), action.default, action.type, action.metavar, action.choices, action.help)
                uses.setdefault(name.lstrip("-"), {})[command] = seen
    several = {
        name: by_command for name, by_command in uses.items() if len(by_command) > 1 and name not in ("h", "help")
    }
    shared = SHARED.keys() | {name.replace("_", "-") for name in MODEL_OPTIONS}
    assert several.keys() <= shared | OTHERWISE.keys()
    assert not shared & OTHERWISE.keys()
    for name in shared:
        command, _ = ELSEWHERE.get(name, ("", ""))
        alike = {str(use) for other, use in uses[name].items() if other != command}
        assert len(alike) == 1, f"--{name}: {uses[name]}"


def test_every_command_with_a_progress_bar_can_be_quiet():
    quiet = {command for command, parser in parsers() if "--quiet" in parser.format_help()}
    assert quiet == {"demo", "world", "build", "run", "attack", "audit", "score", "train", "experiment"}


def test_shared_defaults_are_those_in_the_help():
    for name, value in DEFAULTS.items():
        assert f"(default {value})" in SHARED[name]["help"]
    for command, parser in parsers():
        if "--seed" in parser.format_help():
            needed = [action for action in parser._actions if action.required]
            words = [word for one in needed for word in (*one.option_strings[:1], _value(one))]
            assert settled(parser.parse_args(words)).seed == 0, command


def commands_and_actions():
    """Every command, and every action of a command, with its words and its parser."""
    for command in COMMANDS:
        waiting = [((command,), parser_of(command))]
        for words, parser in waiting:
            waiting.extend(((*words, name), inner) for name, inner in _subparsers(parser).items())
            if not _subparsers(parser):
                yield words, parser


def test_a_repeated_option_adds_up_or_is_refused(capsys):
    """The last --data won without a word: train learned from it alone, run asked its questions alone."""
    for words, parser in commands_and_actions():
        needed = [action for action in parser._actions if action.required]
        for action in (one for one in parser._actions if one.option_strings and one.nargs != 0):
            option, (first, second) = action.option_strings[0], _two_values(action)
            groups = [one._group_actions for one in parser._mutually_exclusive_groups if one.required]
            besides = [*needed, *(group[0] for group in groups if action not in group)]
            others = [word for one in besides if one is not action for word in (*one.option_strings[:1], _value(one))]
            assert parser.parse_args([*others, option, first]) is not None
            found = _parsed(parser, [*others, option, first, option, second])
            if found is None:
                assert f"{option} is given twice" in capsys.readouterr().err, words
            else:
                assert [str(value) for value in getattr(found, action.dest)] == [first, second], (words, option)


def test_an_option_given_twice_in_a_file_is_refused(tmp_path, monkeypatch, capsys):
    """YAML keeps the last of two keys without a word."""
    monkeypatch.chdir(tmp_path)
    write_questions(tmp_path / "q.jsonl", 6)
    (tmp_path / "run.yaml").write_text(
        "model: constant:yes\ndata: other.jsonl\nsuite: accuracy\ndata: q.jsonl\noutput: o\n"
    )
    assert main(["run", "--config", "run.yaml", "--quiet"]) == 2
    assert "line 4: 'data' is given twice" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def _parsed(parser, words):
    """The options; None if they are refused."""
    try:
        return parser.parse_args(words)
    except SystemExit:
        return None


def _two_values(action):
    choices = [str(choice) for choice in action.choices or ()]
    return (choices[0], choices[-1]) if choices else ("1", "2")


def _value(action):
    return str(action.choices[0]) if action.choices else "1"


@pytest.mark.parametrize("quiet", [True, False])
def test_score_prints_nothing_with_quiet(tmp_path, monkeypatch, capsys, quiet):
    monkeypatch.chdir(tmp_path)
    write_questions(tmp_path / "q.jsonl", 6)
    answers = [{"question_id": number, "answer": "white"} for number in range(6)]
    (tmp_path / "a.json").write_text(json.dumps(answers))
    words = ["score", "q.jsonl", "a.json", "--output", "o", "--limit", "5", "--metric", "answer-rate"]
    assert main(words + ["--quiet"] * quiet) == 0
    assert (capsys.readouterr().err == "") is quiet
    results = json.loads((tmp_path / "o" / "results.json").read_text())
    assert results["suites"][0]["groups"] == 5
    assert "answer-rate" in {score["metric"] for score in results["scores"]}
