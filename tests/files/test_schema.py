"""The JSON Schema in the package describes the files of a run exactly: no field is missing in it, and none is free."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest
from jsonschema import Draft202012Validator, ValidationError

from askew.cli import main
from running import write_questions

SCHEMA = json.loads((files("askew") / "files" / "schema.json").read_text(encoding="utf-8"))


def validate(kind, value):
    Draft202012Validator({**SCHEMA, "$ref": f"#/$defs/{kind}"}).validate(value)


def lines(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two models on questions of several kinds: with scenes, changed images, options, several images, failures."""
    folder = tmp_path_factory.mktemp("schema")
    suites = ("--suite", "rad", "--suite", "visual:crop", "--suite", "choices", "--quiet", "--max-failures", "1")
    models = ("--model", "constant:yes", "--model", "prior:data=world:train,scenes=20")
    assert main(["run", *models, "--data", "world:val,scenes=60", *suites, "--output", str(folder / "world")]) == 0
    write_questions(folder / "q.jsonl", 3)
    options = '{"id": "c", "question": "Which?", "choices": ["red", "blue"], "answer": "red", "tag.kind": "new"}\n'
    (folder / "q.jsonl").write_text((folder / "q.jsonl").read_text() + options)
    answers = folder / "answers.jsonl"
    answers.write_text('{"id": "c", "answer": "B", "score": 0.5}\n')
    command = ["score", str(folder / "q.jsonl"), str(answers), "--allow-missing", "--output", str(folder / "scored")]
    assert main([*command, "--quiet"]) == 0
    return folder


def test_the_files_of_runs_fit_the_schema(folder):
    Draft202012Validator.check_schema(SCHEMA)
    results = list(folder.rglob("results.json"))
    assert len(results) == 3
    for path in results:
        validate("results", json.loads(path.read_bytes()))
        for sample in lines(path.with_name("samples.jsonl")):
            validate("sample", sample)
    for path in folder.rglob("groups.jsonl"):
        for group in lines(path):
            validate("group", group)
    differences = json.loads((folder / "world" / "differences.json").read_bytes())
    assert differences
    validate("differences", differences)


def test_a_field_that_is_not_described_or_of_another_type_does_not_fit(folder):
    sample = lines(folder / "world" / "constant-yes" / "samples.jsonl")[0]
    for changed in (
        {**sample, "unknown": 1},
        {**sample, "original": {**sample["original"], "accuracy": "1"}},
        {name: value for name, value in sample.items() if name != "group"},
    ):
        with pytest.raises(ValidationError):
            validate("sample", changed)
