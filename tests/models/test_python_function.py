"""Functions as models: how they are loaded, identified, and how they fail."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache, partial, wraps

import numpy as np
import pytest

from askew.errors import ModelError
from askew.models.python_function import CallableModel, PythonModel, source_hash
from askew.types import Question


def say(image, question, *, word="yes"):
    return word


class Attributes:
    def __init__(self, word):
        self.word = word

    def __call__(self, image, question):
        return self.word

    def answer(self, image, question):
        return self.word


class Slots:
    __slots__ = ("word",)

    def __init__(self, word):
        self.word = word

    def __call__(self, image, question):
        return self.word


@dataclass(frozen=True, slots=True)
class Fields:
    word: object

    def __call__(self, image, question):
        return self.word


class Words(list):
    def __call__(self, image, question):
        return self[0]


def in_class(word):
    class Local:
        def __call__(self, image, question):
            return word

    return Local()


def in_decorator(word):
    @wraps(say)
    def wrapper(image, question):
        return say(image, question, word=word)

    return wrapper


def in_keyword_default(word):
    def function(image, question, *, kept=word):
        return kept

    return function


def in_attribute(word):
    def function(image, question):
        return function.word

    function.word = word
    return function


MAKERS = [
    lambda word: partial(say, word=word),
    lambda word: partial(partial(lambda word, image, question: word, word)),
    lambda word: Attributes(word),
    lambda word: Attributes(word).answer,
    lambda word: Attributes([{"deep": (word,)}]).answer,
    lambda word: Attributes(Attributes(word)),
    lambda word: Attributes(np.array([1, 2, len(word)])),
    lambda word: Attributes(np.array([word, None], dtype=object)),
    lambda word: Attributes({"a", "b", word}),
    lambda word: Slots(word),
    lambda word: Fields(word),
    lambda word: Words([word]),
    lambda word: lru_cache(partial(say, word=word)),
    in_class,
    in_decorator,
    in_keyword_default,
    in_attribute,
]


@pytest.mark.parametrize("maker", MAKERS)
def test_values_that_a_function_holds_are_part_of_its_identity(maker):
    assert source_hash(maker("yes")) == source_hash(maker("yes"))
    assert source_hash(maker("yes")) != source_hash(maker("no"))
    assert not source_hash(maker("yes")).startswith("once")


def test_two_lambdas_of_one_file_are_two_models():
    assert source_hash(lambda image, question: "yes") != source_hash(lambda image, question: "no")


def test_a_changed_class_attribute_is_another_model(monkeypatch):
    monkeypatch.setattr(Attributes, "extra", 1, raising=False)
    before = source_hash(Attributes("yes"))
    monkeypatch.setattr(Attributes, "extra", 2)
    assert source_hash(Attributes("yes")) != before


def test_content_and_attributes_are_not_mixed_up():
    plain, attributed = Words([1, "word", 2]), Words([1])
    attributed.word = 2
    assert source_hash(plain) != source_hash(attributed)


def circle(word):
    one, other = Attributes(word), Attributes(None)
    one.other, other.other = other, [one, other]
    return one


def test_circular_references_end_and_are_distinguished():
    assert source_hash(circle("yes")) == source_hash(circle("yes")) != source_hash(circle("no"))


def too_deep():
    inner: list = []
    for _ in range(5000):
        inner = [inner]
    return inner


def test_values_without_an_identity_are_never_the_same_twice(tmp_path):
    with (tmp_path / "open").open("w") as file:
        for held in (file, iter("abc"), too_deep()):
            function = Attributes(held)
            assert source_hash(function) != source_hash(function)
            assert source_hash(partial(function.answer, None)).startswith("once-")


def test_networks_are_identified_by_their_version():
    torch = pytest.importorskip("torch")
    model = Attributes(torch.nn.Linear(2, 2))
    assert source_hash(model) != source_hash(model)
    model.version = "1"
    first = source_hash(model.answer)
    assert source_hash(model.answer) == first
    model.version = "2"
    assert source_hash(model.answer) != first
    model.scale = 3
    model.version = "1"
    assert source_hash(model.answer) != first


SCRIPT = """
import enum, functools, pathlib
from dataclasses import dataclass
import numpy as np
from askew.models.python_function import source_hash

class Color(enum.Enum):
    RED = 1

@dataclass
class Model:
    words: object
    def __call__(self, image, question):
        return WORD

WORD = {word!r}
held = [{{"a", "b", "c"}}, Color.RED, pathlib.Path("x"), np.arange(3), frozenset("def"), b"bytes", 1.5, len, str.upper]
print(source_hash(functools.partial(Model(held), words=held)), hash("a"))
"""


def in_another_process(run, seed, word="yes"):
    return run(SCRIPT.format(word=word), seed).split()


@pytest.fixture
def run():
    def piped(script, seed):
        there = {**os.environ, "PYTHONHASHSEED": str(seed)}
        done = subprocess.run([sys.executable, "-"], input=script, capture_output=True, text=True, env=there)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return piped


def test_the_same_content_is_the_same_model_in_another_process(run):
    (first, salt), (second, other_salt) = in_another_process(run, 1), in_another_process(run, 2)
    assert salt != other_salt
    assert first == second
    assert not first.startswith("once")


def test_for_interactive_functions_the_globals_they_use_count(run):
    assert in_another_process(run, 1)[0] != in_another_process(run, 1, "no")[0]


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
        PythonModel("broken_model:f")
    assert f"broken_model.py, {message}" in str(caught.value)


def test_a_missing_module_is_not_called_broken():
    with pytest.raises(ModelError, match="Is the module on the path"):
        PythonModel("no_such_module:f")


def test_a_function_in_a_file_is_a_model_wherever_the_file_lies(tmp_path, monkeypatch):
    code = "import word_beside\n\n\ndef answer(image, question):\n    return word_beside.WORD\n"
    for folder in ("here", "there"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(code)
        (tmp_path / folder / "word_beside.py").write_text("WORD = 'red'\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    relative, absolute = PythonModel("here/mine.py:answer"), PythonModel(f"{tmp_path}/there/mine.py:answer")
    assert relative.answer([Question(1, None, "Why?")])[0].answer == "red"
    assert repr(relative) == repr(absolute), "the same content is the same model"
    assert str(tmp_path) not in repr(absolute)
    (tmp_path / "here" / "other.py").write_text(code.replace("WORD", "WORD + 's'"))
    assert repr(PythonModel("here/other.py:answer")) != repr(relative)


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
        PythonModel(spec)
    assert message in str(caught.value)


def test_ctrl_c_at_import_still_stops(write):
    write("stopped_model", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        PythonModel("stopped_model:f")


def test_a_named_object_is_identified_by_its_state_and_its_module(write):
    made = "from test_callable_kinds import Say\nmodel = Say({word!r})\n# {note}\n"
    write(
        "test_callable_kinds", "class Say(str):\n    def __call__(self, image, question):\n        return str(self)\n"
    )

    def signature(word, note=""):
        write("made_model", made.format(word=word, note=note))
        return repr(PythonModel("made_model:model"))

    first = signature("yes")
    assert signature("yes") == first
    assert signature("nay") != first
    assert signature("yes", "other weights") != first


def test_a_named_object_with_weights_is_identified_by_module_and_version(write):
    write("weights_model", "model = type('M', (), {'__call__': lambda s, i, q: 'x', 'weights': iter('abc')})()\n")
    assert repr(PythonModel("weights_model:model")) == repr(PythonModel("weights_model:model"))
    assert repr(PythonModel("weights_model:model", version="2")) != repr(PythonModel("weights_model:model"))


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


def test_signatures_name_blind_only_where_it_is_true(tmp_path, monkeypatch):
    """Stored answers are found by the signature: those of versions without ``blind`` must not be asked again."""
    monkeypatch.syspath_prepend(tmp_path)
    (tmp_path / "plain_function.py").write_text("def say(image, question):\n    return 'yes'\n")
    model = PythonModel("plain_function:say")
    fields = f"function='plain_function:say', batch=False, version='', source={model.source!r}"
    assert repr(model) == f"PythonModel({fields})"
    assert "blind=True" in repr(PythonModel("plain_function:say", blind=True))
    made = CallableModel(say, name="say", source="0")
    assert repr(made) == "CallableModel(batch=False, name='say', source='0')"
    assert repr(CallableModel(say, name="say", source="0", blind=True)) != repr(made)


def test_a_partial_is_named_as_its_function():
    assert CallableModel.of(partial(say, word="no")).name == "say"
