"""askew from Python: stale answers, wrong arguments, ambiguous scores."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import pytest

import askew
from askew.engine.components import as_data, as_model, as_suite
from askew.errors import ModelError, TooManyFailures, UsageError
from askew.types import Prediction, Question

QUESTIONS = [
    Question(1, None, "What color is the car?", ("red",) * 10),
    Question(2, None, "What color is the dog?", ("blue",) * 10),
]
QUICK = {}


def say(image, question, word):
    return word


class Speaker:
    """A function with state, whose ``repr`` is an address in memory."""

    def __init__(self, word):
        self.word = word

    def say(self, image, question):
        return self.word

    def __call__(self, image, question):
        return self.word


class Answerer:
    """A model without a ``repr`` of its own."""

    def __init__(self, say):
        self.say = say

    def answer(self, questions):
        return self.say(questions)


@dataclass(frozen=True)
class Fixed:
    """A model with an attribute of its own."""

    word: str

    def answer(self, questions):
        return [Prediction(question.id, self.word) for question in questions]


def predicts(word):
    return Answerer(lambda questions: [Prediction(question.id, word) for question in questions])


def answered(model, folder):
    result = askew.evaluate(model, QUESTIONS, "accuracy", output=folder, overwrite=True, **QUICK)
    return result.score("accuracy.all").value, result.results["time"]["asked"]


@pytest.mark.parametrize(
    "maker",
    [lambda word: partial(say, word=word), lambda word: Speaker(word).say, Speaker, predicts],
)
def test_another_state_in_the_same_folder_gets_no_stale_answers(tmp_path, maker):
    assert answered(maker("red"), tmp_path) == (0.5, 2)
    assert answered(maker("green"), tmp_path) == (0.0, 2)
    assert answered(maker("red"), tmp_path) == (0.5, 0)


def test_a_model_without_an_identity_is_asked_again_until_it_has_a_version(tmp_path):
    speaker = Speaker("red")
    speaker.handle = iter("abc")
    with pytest.warns(UserWarning, match="Give it an attribute 'version'"):
        assert answered(speaker, tmp_path) == answered(speaker, tmp_path) == (0.5, 2)
    speaker.version = "1"
    assert answered(speaker, tmp_path) == (0.5, 2)
    assert answered(speaker, tmp_path) == (0.5, 0)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (None, "gave None"),
        ("red", r"gave 'red' \(str\)"),
        (["red", "blue"], r"gave 'red' \(str\) for a question"),
        ([None, None], "gave None for a question"),
        ({1: "red"}, r"\(dict\)"),
    ],
)
def test_the_error_for_a_model_without_predictions_says_what_to_return(said, words):
    with pytest.raises(ModelError, match=words) as caught:
        askew.evaluate(Answerer(lambda questions: said), QUESTIONS, "accuracy", **QUICK)
    assert "Answerer.answer()" in str(caught.value)
    assert "one askew.Prediction(question.id, answer) for each question" in str(caught.value)


def test_the_error_for_a_model_that_streams_something_else_says_what_to_yield():
    class Stream(Answerer):
        def stream(self, questions):
            return (question.text for question in questions)

    with pytest.raises(ModelError, match=r"Stream.stream\(\) gave 'What color"):
        askew.evaluate(Stream(None), QUESTIONS, "accuracy", **QUICK)


def test_a_model_that_only_streams_is_a_model():
    class Streamer:
        blind = True

        def stream(self, questions):
            for question in reversed(questions):
                yield Prediction(question.id, "red" if "car" in question.text else "blue")

    result = askew.evaluate(Streamer(), QUESTIONS, "accuracy", **QUICK)
    assert result.score("accuracy.all").value == 1.0
    assert result.results["time"]["asked"] == 2


def test_a_model_object_is_asked_as_it_is():
    model = Fixed("red")
    given = as_model(model)
    assert given.what is model
    assert given.signature == given.spec == "Fixed(word='red')"


def test_predictions_may_come_from_a_generator_and_options_of_a_model_are_seen():
    class Talker(Answerer):
        free_text = True

    model = Talker(lambda questions: (Prediction(question.id, "red") for question in questions))
    result = askew.evaluate(model, QUESTIONS, "accuracy", **QUICK)
    assert result.score("accuracy.all").value == 0.5
    assert result.results["model"]["extract"] != "none"


@pytest.mark.parametrize("data", [5, None, ["What color is the car?"], {"a": 1}])
def test_objects_that_are_not_data_are_refused_with_what_is_accepted(data):
    with pytest.raises(UsageError, match=r"is not (data|a question): give a path, a spec .*askew.Question objects"):
        askew.evaluate("constant:yes", data, "accuracy")


@pytest.mark.parametrize(
    ("made", "fault"),
    [
        (Question(1, "a.jpg", "Why?"), "The image of .* must be an askew.ImageRef or None"),
        (Question(1.0, None, "Why?"), "The id of .* must be text or a whole number"),
        (Question(True, None, "Why?"), "The id of .* must be text or a whole number"),
        (Question(2**63, None, "Why?"), "The id of .* must be text or a whole number below"),
        (Question(1, None, None), "The text of .* is None: it must be text"),
        (Question(1, None, " "), "must be text, and not blank"),
        (Question(1, None, "Why?", "white"), "The answers of .* must be a tuple of texts"),
        (Question(1, None, "Why?", (3,)), "The answers of .* must be a tuple of texts"),
        (Question(2, None, "Why?"), "The id 2 belongs to two questions"),
    ],
)
def test_an_invalid_generated_question_is_reported(made, fault):
    with pytest.raises(UsageError, match=fault):
        as_data([Question("2", None, "How?"), Question(2, None, "What?", ["a"]), made])


def test_the_error_for_an_incomplete_data_set_names_what_is_missing():
    class Half:
        name = "half"

        def questions(self):
            return iter(QUESTIONS)

    with pytest.raises(UsageError, match=r"is not a data set: it has no .skipped\."):
        as_data(Half())


@pytest.mark.parametrize("suite", [5, [None], {"rad"}])
def test_objects_that_are_not_suites_are_refused_with_what_is_accepted(suite):
    with pytest.raises(UsageError, match=r"is not a suite: it has no .name"):
        askew.evaluate("constant:yes", QUESTIONS, suite)


def test_no_suite_at_all_is_refused():
    with pytest.raises(UsageError, match="at least one"):
        askew.evaluate("constant:yes", QUESTIONS, [])


def test_a_class_in_the_place_of_an_object_is_named():
    with pytest.raises(UsageError, match=r"Answerer is a class: give a model made by it, Answerer\(...\)"):
        as_model(Answerer)
    with pytest.raises(UsageError, match="is a class"):
        as_suite(type(as_suite("rad").what))


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    folder = tmp_path_factory.mktemp("both")
    return askew.evaluate("constant:red", QUESTIONS, ["accuracy", "rad"], output=folder, **QUICK)


def test_a_score_of_two_suites_needs_the_name_of_the_suite(both):
    shared = {s.metric for s in both.scores if s.suite == "rad"} & {s.metric for s in both.scores if s.suite != "rad"}
    metric = min(shared)
    with pytest.raises(UsageError, match=r"several suites: accuracy, rad\. Say which: suite='accuracy'"):
        both.score(metric)
    assert both.score(metric, suite="rad").suite == "rad"
    assert both.score(metric, suite="accuracy").suite == "accuracy"


def test_an_unknown_score_says_what_there_is(both):
    with pytest.raises(UsageError, match=r"'rad.forward' has no part 'test=nothing'\. Parts, .*test=Y/N←C"):
        both.score("rad.forward", "test=nothing")
    with pytest.raises(UsageError, match=r"no score 'rad.forwards'\. Metrics: .*rad.forward"):
        both.score("rad.forwards")
    with pytest.raises(UsageError, match=r"no suite 'p2' in this run\. Suites: accuracy, rad\."):
        both.score("rad.forward", suite="p2")


def test_an_unknown_setting_is_refused_with_the_known_ones():
    with pytest.raises(UsageError, match=r"no setting 'foo'\. Settings: limit, shard, seed, .*quiet, workers\."):
        askew.evaluate("constant:yes", QUESTIONS, "accuracy", foo=3)


def test_several_models_are_run_and_compared(tmp_path):
    comparison = askew.evaluate(
        ["constant:red", Fixed("blue"), say_red], QUESTIONS, "accuracy", output=tmp_path, name=["always red"]
    )
    assert [result.score("accuracy.all").value for result in comparison] == [0.5, 0.5, 0.5]
    assert [result.results["model"]["name"] for result in comparison] == ["always red", "fixed", "say_red"]
    assert {result.folder.parent for result in comparison} == {tmp_path}
    assert len(comparison) == 3
    assert comparison["always red"] is comparison[0]
    pairs = {(one["a"], one["b"]) for one in comparison.differences}
    assert pairs == {("always red", "fixed"), ("always red", "say_red"), ("fixed", "say_red")}
    assert "always red" in str(comparison)
    page = comparison.report(tmp_path / "joint.html")
    assert "fixed" in page.read_text(encoding="utf-8")
    with pytest.raises(UsageError, match=r"There is no model 'green'\. Models: always red, fixed, say_red"):
        comparison["green"]


def say_red(image, question):
    return "red"


def test_a_list_with_one_model_is_compared_with_nothing(tmp_path):
    comparison = askew.evaluate(["constant:red"], QUESTIONS, "accuracy", output=tmp_path)
    assert comparison[0].folder == tmp_path
    assert comparison.differences == []


def test_a_result_keeps_the_temporary_folder_of_its_comparison():
    result = askew.evaluate(["constant:red", "constant:blue"], QUESTIONS, "accuracy")[1]
    assert result.score("accuracy.all").value == 0.5
    folder = result.folder.parent
    assert folder.is_dir()
    del result
    assert not folder.exists()


def test_too_many_failures_of_one_model_do_not_stop_the_others(tmp_path):
    def fails(image, question):
        raise ValueError("no")

    with pytest.raises(TooManyFailures, match="2 of 2 requests failed"):
        askew.evaluate([fails, "constant:red"], QUESTIONS, "accuracy", output=tmp_path)
    assert len(list(tmp_path.glob("*/results.json"))) == 2


@pytest.mark.parametrize(
    ("models", "names", "words"),
    [([], None, "no model in the list"), (["constant:red"], ["a", "b"], r"more names \(2\) than models \(1\)")],
)
def test_lists_of_different_lengths_are_refused(models, names, words):
    with pytest.raises(UsageError, match=words):
        askew.evaluate(models, QUESTIONS, "accuracy", name=names)


def test_a_warning_points_to_the_caller():
    questions = [Question(1, None, "Is it red?", ("yes",) * 10)]
    with pytest.warns(UserWarning, match="made no") as caught:
        askew.evaluate("constant:yes", questions, ["accuracy", "rad"])
    assert {warning.filename for warning in caught} == {__file__}
