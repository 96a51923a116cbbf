"""Functions as models: how they are loaded, identified, and how they fail."""

from __future__ import annotations

import sys
from functools import partial

import pytest
from PIL import Image

from askew.errors import ModelError
from askew.models.python_function import CallableModel, python
from askew.registry import make
from askew.types import ImageRef, Question


def asked(text):
    return Question(1, None, text)


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "mymodel.py").write_text(
        "def width(image, question):\n    return str(image.width) if image else question\n"
        "def widths(images, questions):\n    return [str(i.width) for i in images]\n"
        "def short(images, questions):\n    return ['one']\n"
        "def number(image, question):\n    return 3\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mymodel", raising=False)
    Image.new("RGB", (7, 5)).save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"not an image")
    return tmp_path


def test_a_function_by_name_one_at_a_time_or_in_batches(module):
    question = Question(1, ImageRef("a", path=str(module / "a.png")), "How wide?")
    assert make("model", "python:mymodel:width").answer([question])[0].answer == "7"
    assert make("model", "python:mymodel:widths,batch=true").answer([question, question])[1].answer == "7"
    assert make("model", "python:mymodel:width").answer([asked("no image")])[0].answer == "no image"


def test_one_bad_image_costs_a_batch_only_that_answer(module):
    good = Question(1, ImageRef("a", path=str(module / "a.png")), "How wide?")
    bad = Question(2, ImageRef("b", path=str(module / "b.png")), "How wide?")
    for spec in ("python:mymodel:width", "python:mymodel:widths,batch=true"):
        predictions = make("model", spec).answer([good, bad, good])
        assert [prediction.answer for prediction in predictions] == ["7", None, "7"]
        assert "BadImage" in (predictions[1].error or "")


def test_values_that_are_not_strings_are_not_answers(module):
    prediction = python("mymodel:number").answer([asked("How many?")])[0]
    assert prediction.failed
    assert "returned int" in (prediction.error or "")


def test_a_batch_function_must_answer_every_question(module):
    with pytest.raises(ModelError, match="one answer for each question"):
        python("mymodel:short", batch=True).answer([asked("a"), asked("b")])


@pytest.mark.parametrize("spec", ["mymodel", "mymodel:nothing", "no_such_module:f", "mymodel:__name__"])
def test_missing_functions_are_refused_at_once(module, spec):
    with pytest.raises(ModelError):
        python(spec)


def test_an_edited_function_is_another_model(module):
    before = repr(python("mymodel:width"))
    (module / "mymodel.py").write_text((module / "mymodel.py").read_text() + "\n# edited\n")
    assert repr(python("mymodel:width")) != before


def test_a_function_object_is_a_model():
    model = CallableModel.of(lambda image, question: question.upper())
    assert model.answer([asked("why?")])[0].answer == "WHY?"


def test_functions_that_hold_other_values_are_other_models():
    def sayer(word):
        return lambda image, question: word

    assert repr(CallableModel.of(sayer("yes"))) != repr(CallableModel.of(sayer("no")))
    assert repr(CallableModel.of(sayer("yes"))) == repr(CallableModel.of(sayer("yes")))


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(tmp_path))

    def written(name, text):
        monkeypatch.delitem(sys.modules, name, raising=False)
        (tmp_path / f"{name}.py").write_text(text)

    return written


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\nraise ValueError('no weights')\n", "line 2 cannot be imported: ValueError: no weights"),
        ("def f(:\n", "line 1 cannot be imported: SyntaxError"),
        ("import sys\nsys.exit(3)\n", "line 2 cannot be imported: SystemExit: 3"),
        ("import no_such_thing\n", "line 1 cannot be imported: ModuleNotFoundError: No module named 'no_such_thing'"),
        ("import sys\nsys.nothing\n", "line 2 cannot be imported: AttributeError"),
    ],
)
def test_a_module_that_fails_at_import_is_named_with_its_error(write, text, message):
    write("broken_model", text)
    with pytest.raises(ModelError) as caught:
        python("broken_model:f")
    assert f"broken_model.py, {message}" in str(caught.value)


def test_a_missing_module_is_not_called_broken():
    with pytest.raises(ModelError, match="Is the module on the path"):
        python("no_such_module:f")


def test_a_function_in_a_file_is_a_model_wherever_the_file_lies(tmp_path, monkeypatch):
    code = "import word_beside\n\n\ndef answer(image, question):\n    return word_beside.WORD\n"
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(code)
        (tmp_path / folder / "word_beside.py").write_text("WORD = 'red'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    relative, absolute = python("here/mine.py:answer"), python(f"{tmp_path}/there/mine.py:answer")
    assert relative.answer([Question(1, None, "Why?")])[0].answer == "red"
    assert repr(relative) == repr(absolute), "the same content is the same model"
    assert str(tmp_path) not in repr(absolute)
    (tmp_path / "here" / "other.py").write_text(code.replace("WORD", "WORD + 's'"))
    assert repr(python("here/other.py:answer")) != repr(relative)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("nowhere/mine.py:answer", "there is no file nowhere/mine.py"),
        ("mine.py:anwser", "there is no 'anwser' in mine.py. Did you mean 'answer'?"),
        ("mine.py", "write it as python:package.module:function or python:file.py:function"),
        ("mine.py:WORD", "WORD is not a function"),
        ("half.py:answer", "half.py, line 2 cannot be imported: ZeroDivisionError"),
    ],
)
def test_what_is_wrong_with_a_file_is_told(tmp_path, monkeypatch, spec, message):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "mine.py").write_text("WORD = 'red'\n\n\ndef answer(image, question):\n    return WORD\n")
    (tmp_path / "half.py").write_text("\n1 / 0\n")
    with pytest.raises(ModelError) as caught:
        python(spec)
    assert message in str(caught.value)


def test_ctrl_c_at_import_still_stops(write):
    write("stopped_model", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        python("stopped_model:f")


def test_a_named_object_is_identified_by_its_state_and_its_module(write):
    made = "from test_callable_kinds import Say\nmodel = Say({word!r})\n# {note}\n"
    write(
        "test_callable_kinds", "class Say(str):\n    def __call__(self, image, question):\n        return str(self)\n"
    )

    def signature(word, note=""):
        write("made_model", made.format(word=word, note=note))
        return repr(python("made_model:model"))

    first = signature("yes")
    assert signature("yes") == first
    assert signature("nay") != first
    assert signature("yes", "other weights") != first


def test_a_named_object_with_weights_is_identified_by_module_and_version(write):
    write("weights_model", "model = type('M', (), {'__call__': lambda s, i, q: 'x', 'weights': iter('abc')})()\n")
    assert repr(python("weights_model:model")) == repr(python("weights_model:model"))
    assert repr(python("weights_model:model", version="2")) != repr(python("weights_model:model"))


def exits(image, question):
    if question == "exit":
        sys.exit(3)
    return "yes"


def exits_batch(images, questions):
    return [exits(image, question) for image, question in zip(images, questions, strict=True)]


@pytest.mark.parametrize("model", [CallableModel.of(exits), CallableModel.of(exits_batch, batch=True)])
def test_a_function_that_exits_fails_that_question_alone(model):
    predictions = model.answer([Question(1, None, "stay"), Question(2, None, "exit"), Question(3, None, "stay")])
    assert [prediction.answer for prediction in predictions] == ["yes", None, "yes"]
    assert predictions[1].error == "SystemExit: 3"


@pytest.mark.parametrize("batch", [False, True])
def test_ctrl_c_in_a_function_still_stops(batch):
    def stop(image, question):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        CallableModel.of(stop, batch).answer([Question(1, None, "why?")])


def test_a_batch_function_for_single_questions_and_the_other_way_round_are_reported():
    """A string is not a batch of letters, and a list is not an answer."""
    asked = [Question(number, None, "Is it?") for number in range(3)]
    with pytest.raises(ModelError, match="asked 3 questions and gave 1 answers"):
        CallableModel(lambda images, questions: "yes", batch=True).answer(asked)
    (prediction, *_) = CallableModel(lambda images, questions: ["yes"] * 3).answer(asked)
    assert (
        prediction.error
        == "the function returned list, not a string (batch=true is for functions that answer many at once)"
    )


def say(image, question, *, word="yes"):
    return word


def test_the_signature_says_what_the_function_is_and_whether_it_is_blind(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "plain_function.py").write_text("def say(image, question):\n    return 'yes'\n")
    model = python("plain_function:say")
    assert model.name == "plain_function:say"
    assert repr(model) == repr(python("plain_function:say")) != repr(python("plain_function:say", blind=True))
    made = CallableModel(say, name="say", source="0")
    assert repr(made) == "CallableModel(batch=False, name='say', source='0', blind=False, version='')"


def test_a_partial_is_named_as_its_function():
    assert CallableModel.of(partial(say, word="no")).name == "say"
