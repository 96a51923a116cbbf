"""Remedies in errors about models work: each is extracted from the message and followed literally."""

from __future__ import annotations

import json
import re

import pytest
from fault_server import FaultServer, ok

from askew.cli import main
from askew.registry import make
from askew.types import Question
from remedies import refused, said
from running import write_questions

pytestmark = pytest.mark.usefixtures("no_key")


@pytest.fixture
def server():
    with FaultServer(lambda request: ok()) as running:
        yield running


@pytest.fixture(autouse=True)
def _at_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    write_questions(tmp_path / "q.jsonl", 4)


def run_words(model, *more, output="o"):
    fixed = ["--data", "q.jsonl", "--suite", "accuracy", "--quiet", "--output", output]
    return ["run", "--model", model, *fixed, *more]


def test_the_address_and_key_of_an_endpoint_are_given_as_the_message_says(tmp_path, monkeypatch, server, capsys):
    words = run_words("openai:m,blind=true")
    option = said(capsys, words, r"give (base_url=)http://HOST:PORT/v1")
    assert main(run_words(f"openai:m,blind=true,{option}{server.url}", output="a")) == 0
    name = said(capsys, words, r"set (\w+) or put it into a file \.env here")
    monkeypatch.setattr("askew.models.endpoint.openai.OFFICIAL", server.url)
    (tmp_path / ".env").write_text(f"{name}=sk-filed\n")
    assert main(words) == 0
    assert server.requests[-1].headers["authorization"] == "Bearer sk-filed"
    (tmp_path / ".env").unlink()
    monkeypatch.setenv(name, "sk-environment")
    assert main(run_words("openai:m,blind=true", output="c")) == 0
    assert server.requests[-1].headers["authorization"] == "Bearer sk-environment"


def test_an_address_from_a_file_needs_its_own_key_or_is_given_as_an_option(tmp_path, monkeypatch, server, capsys):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-mine")
    (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={server.url}\n")
    words = run_words("openai:m,blind=true")
    option = said(capsys, words, r"or give (--base-url)\.")
    assert said(capsys, words, r"(put the key into the same file)")
    assert main([*words, option, server.url]) == 0
    (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={server.url}\nOPENAI_API_KEY=sk-filed\n")
    assert main(run_words("openai:m,blind=true", output="p")) == 0
    assert server.requests[-1].headers["authorization"] == "Bearer sk-filed"


def test_options_of_an_endpoint_are_written_as_the_message_shows(tmp_path, server, capsys):
    address = refused(lambda: make("model", "openai:m,base_url=here"), r"Write it as (\S+)\.$")
    assert make("model", f"openai:m,base_url={address.replace('HOST:PORT', 'localhost:80')}")
    secret = "openai:m,base_url=http://me:secret@localhost:80/v1"
    assert refused(lambda: make("model", secret), r"put the key into (OPENAI_API_KEY)")
    base = f"openai:m,blind=true,base_url={server.url}"
    option = refused(lambda: make("model", f"{base},max_cost=1"), r"max_cost needs (prices=)FILE")
    (tmp_path / "prices.yaml").write_text("other: {}\n")
    priced = f"{base},max_cost=1,{option}prices.yaml"
    shape = refused(lambda: make("model", priced), r"Expected (\{.+\})")
    (tmp_path / "prices.yaml").write_text(re.sub(r"^\{[^:]+", "{m", shape))
    assert main(run_words(priced)) == 0
    for name in ("concurrency", "max_side", "max_answer_tokens"):
        least = refused(lambda name=name: make("model", f"{base},{name}=-1"), r"less than (\d+)\.$")
        assert make("model", f"{base},{name}={least}")
    least = refused(lambda: make("model", f"{base},max_calls=-1"), r"a number of at least (\d+)")
    assert make("model", f"{base},max_calls={least}")
    place = refused(lambda: make("model", f"{base},prompt=Say it."), r"(\{question\})")
    assert make("model", f"{base},prompt=Say it: {place}")
    fixed = refused(lambda: make("model", f'{base},extra={{"model": 1}}'), r"a JSON object without (\w+)")
    assert fixed
    assert make("model", f'{base},extra={{"top_p": 1}}')


def test_a_function_is_named_as_the_message_shows(tmp_path, capsys):
    (tmp_path / "talks.py").write_text("def say(image, question):\n    return 'red'\nnothing = 3\n")
    spelled = said(capsys, run_words("python:talks"), r"write it as python:(\S+) or python:")
    assert spelled == "package.module:function"
    spec = "python:" + spelled.replace("package.module", "talks").replace("function", "say")
    assert said(capsys, run_words("python:talks:nothing"), r"(nothing is not a function)")
    assert said(capsys, run_words("python:talks:sya"), r"(Did you mean .say.\? Check the name)")
    assert main(run_words(f"{spec},blind=true")) == 0


def test_the_error_for_an_object_that_is_not_a_model_says_what_a_model_has():
    from askew import evaluate

    kinds = refused(lambda: evaluate(3, "q.jsonl", "accuracy"), r"is not a model: give (.+)\.$")
    assert kinds == "a spec, an object with .answer(questions) or .stream(questions), or a function"
    assert evaluate("constant:red", "q.jsonl", "accuracy")
    assert evaluate(make("model", "constant:red"), "q.jsonl", "accuracy")
    assert refused(lambda: evaluate(type(make("model", "constant:red")), "q.jsonl", "accuracy"), r"made by it, (\w+)\(")


def test_a_batch_function_must_answer_each_question():
    from askew import evaluate

    def one(images, questions):
        return ["red"]

    def each(images, questions):
        return ["red"] * len(questions)

    from askew.models.python_function import CallableModel

    message = refused(
        lambda: evaluate(CallableModel.of(one, batch=True, blind=True), "q.jsonl", "accuracy"),
        "(one answer for each question, in order)",
    )
    assert message
    assert evaluate(CallableModel.of(each, batch=True, blind=True), "q.jsonl", "accuracy").score("accuracy.all").n == 4


def test_a_script_and_prices_of_answers_are_written_in_the_shape_that_is_shown(tmp_path):
    (tmp_path / "script.json").write_text("[]")
    shape = refused(lambda: make("model", "scripted:script.json"), r"one JSON object, (\{.+\})\.$")
    (tmp_path / "script.json").write_text(shape.replace(", ...", ""))
    assert make("model", "scripted:script.json").answer([Question(1, None, "question")])[0].answer == "answer"


def test_a_prior_is_learned_from_data_with_answers(tmp_path, capsys):
    (tmp_path / "bare.jsonl").write_text(json.dumps({"id": 1, "image": 1, "question": "Is it?"}) + "\n")
    assert said(capsys, run_words("prior:bare.jsonl"), r"(Give training data)")
    assert main(run_words("prior:q.jsonl")) == 0
