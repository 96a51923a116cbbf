"""What identifies a function: its source and everything it holds, the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache, partial, wraps

import numpy as np
import pytest

from askew.models.python_function import source_hash


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
