"""A missing image is refused before anything is asked, unless the model declares itself blind."""

from __future__ import annotations

from functools import partial

import pytest
from plain_image import image_bytes

import askew
from askew.errors import BadImage
from askew.models.endpoint.openai import OpenAI
from askew.models.python_function import CallableModel, python
from askew.types import ImageRef, Question
from running import run_askew, write_questions


def asked_for(image, question, word="red"):
    SEEN.append(image)
    return word


class Blind:
    blind = True

    def __call__(self, image, question):
        return asked_for(image, question)

    def say(self, image, question):
        return asked_for(image, question)


SEEN: list[object] = []
HERE = Question(1, ImageRef("here", data=image_bytes()), "What color is the car?", ("red",))
GONE = Question(2, ImageRef("gone"), "What color is the dog?", ("red",))
BARE = Question(3, None, "What color is the sky?", ("red",))
REFUSED = r"1 of 3 questions name an image whose file is not known, e\.g\. image 'gone' of question 2"


@pytest.fixture(autouse=True)
def forget():
    SEEN.clear()


@pytest.mark.parametrize("model", [asked_for, partial(asked_for, word="blue"), CallableModel.of(asked_for, batch=True)])
def test_a_function_is_not_asked_when_a_named_image_is_missing(model):
    with pytest.raises(BadImage, match=REFUSED):
        askew.evaluate(model, [HERE, GONE, BARE], "accuracy")
    assert SEEN == []


@pytest.mark.parametrize("model", [CallableModel.of(asked_for, blind=True), Blind(), Blind().say, partial(Blind())])
def test_a_function_declared_blind_never_gets_an_image(model):
    result = askew.evaluate(model, [HERE, GONE, BARE], "accuracy")
    assert result.score("accuracy.all").n == 3
    assert SEEN == [None] * 3


def test_outside_a_run_a_missing_image_is_a_failed_answer():
    here, gone, bare = CallableModel.of(asked_for).answer([HERE, GONE, BARE])
    assert (here.answer, bare.answer) == ("red", "red")
    assert gone.answer is None
    assert "BadImage" in gone.error


def test_blind_and_not_blind_are_two_models(tmp_path, monkeypatch):
    (tmp_path / "seeing.py").write_text("def answer(image, question):\n    return 'red'\n")
    (tmp_path / "unseeing.py").write_text("def answer(image, question):\n    return 'red'\nanswer.blind = True\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert repr(python("seeing:answer")) != repr(python("seeing:answer", blind=True))
    assert (python("seeing:answer").blind, python("unseeing:answer").blind) == (False, True)


def test_endpoints_are_refused_before_the_first_request():
    model = OpenAI("any", base_url="http://127.0.0.1:9/v1")
    with pytest.raises(BadImage, match=REFUSED):
        askew.evaluate(model, [HERE, GONE, BARE], "accuracy")


def test_the_remedy_on_the_command_line_works(tmp_path):
    write_questions(tmp_path / "q.jsonl", 4)
    (tmp_path / "mine.py").write_text("def answer(image, question):\n    return 'red'\n")
    command = ["--data", "q.jsonl", "--suite", "accuracy", "--output", "o", "--quiet"]
    refused = run_askew("run", "--model", "python:mine:answer", *command, cwd=tmp_path)
    assert refused.returncode == 2
    assert "4 of 4 questions name an image" in refused.stderr
    assert "blind=true" in refused.stderr
    done = run_askew("run", "--model", "python:mine:answer,blind=true", *command, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
