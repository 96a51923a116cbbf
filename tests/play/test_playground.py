"""The playground without its page: what is asked, what is judged, what is saved."""

from __future__ import annotations

import io
from dataclasses import dataclass
from importlib.metadata import EntryPoint
from pathlib import Path
from zipfile import ZipFile

import pytest
from PIL import Image

import askew
from askew import registry
from askew.engine.components import as_data, as_model
from askew.errors import AskewError, BadImage, UsageError
from askew.files.images import open_image
from askew.models.onnx_model import Bundled
from askew.play.play_page import offered_suites
from askew.play.playground import Playground
from askew.play.trial_groups import FailuresFile, zipped
from askew.play.trial_outcomes import outcome_of
from askew.registry import make
from askew.types import Expect, ImageRef, Prediction, Question, Variant


@dataclass(frozen=True)
class Literal:
    """Says "black" to questions that begin with "What color", and "no" to everything else."""

    free_text = False

    def answer(self, questions):
        return [
            Prediction(question.id, "black" if question.text.startswith("What color") else "no")
            for question in questions
        ]


class Broken:
    """A model that raises."""

    def answer(self, questions):
        raise RuntimeError("no weights")


def png(color="red"):
    content = io.BytesIO()
    Image.new("RGB", (16, 12), color).save(content, "PNG")
    return content.getvalue()


def ground(*models):
    return Playground([as_model(model) for model in models], as_data("world:val,scenes=60"))


@pytest.fixture
def literal():
    return ground(Literal())


def test_images_of_the_data_come_with_their_questions(literal):
    first = literal.images["1"]
    assert len(first.questions) > 2
    assert {question.image.id for question in first.questions} == {first.ref.id}


def test_a_question_of_the_data_has_its_own_answers_and_a_typed_one_those_that_are_typed(literal):
    known = literal.images["1"].questions[0]
    asked = literal.ask("1", known.text, "", [])
    assert (asked.source, asked.question) == ("data", known)
    typed = literal.ask("1", "What color is the sheep?", "black", [])
    assert (typed.source, typed.question.answers) == ("you", ("black",))
    assert typed.question.scene is not None, "the scene of the image is known"
    assumed = literal.ask("1", "What color is the sheep in your opinion?", "", [])
    assert (assumed.source, assumed.question.answers) == ("model", ("black",))


@dataclass(frozen=True)
class Fixed:
    """Says one word to questions that begin with "What", and "no" to everything else."""

    word: str = "white"
    free_text = False

    def answer(self, questions):
        return [Prediction(one.id, self.word if one.text.startswith("What") else "no") for one in questions]


def test_the_scene_of_an_image_of_the_world_knows_the_truth():
    """The sheep is black: "white" stayed ✓, and "black" was ✗."""
    trial = ground(Fixed("white"), Fixed("black")).ask("1", "What color is the sheep?", "", ["visual"])
    assert (trial.source, trial.question.answers) == ("scene", ("black",))
    assert {one.outcomes for one in trial.suites[0].variants} == {("wrong", "held")}


def test_without_a_known_answer_nothing_is_called_correct_or_wrong():
    both = ground(Fixed("white"), Fixed("black"))
    p2, rad, visual = both.ask("1", "What color is the sheep in your opinion?", "", ["p2", "rad", "visual"]).suites
    assert {outcome for one in p2.variants for outcome in one.outcomes} <= {"same", "changed"}
    assert {one.outcomes for one in visual.variants} == {("same", "same")}
    assert {one.outcomes[1] for one in rad.variants} <= {"unknown"}
    assert {one.outcomes[0] for one in rad.variants} <= {"agrees", "contradicts"}
    assert not any(one.known for suite in (p2, rad, visual) for one in suite.variants)
    (visual,) = both.ask("1", "What color is the sheep in your opinion?", "black", ["visual"]).suites
    assert {one.outcomes for one in visual.variants} == {("wrong", "held")}
    assert all(one.known for one in visual.variants)


def test_a_variant_that_changes_the_answer_is_said_to_break_the_model(literal):
    (suite,) = literal.ask("1", "What color is the sheep?", "black", ["p2"]).suites
    tried = {one.variant.question.text: one for one in suite.variants}
    broken = tried["What is the color of the sheep?"]
    assert broken.variant.expect is Expect.SAME
    assert broken.outcomes == ("broke",)
    assert broken.answers[0].answer == "no"


def test_a_suite_says_why_it_makes_no_variant(literal):
    refused, without = literal.ask("1", "Are the trees all one color?", "yes", ["choices", "rad"]).suites
    assert refused.reasons == ("rotation: not a multiple-choice question",)
    assert without.reasons == ("No rule of this suite matches the question.",)
    (bad,) = literal.ask("1", "Why?", "", ["nothing"]).suites
    assert "No suite is called 'nothing'" in bad.reasons[0]


def test_changed_images_are_asked_too(literal):
    (suite,) = literal.ask("1", "What color is the sheep?", "black", ["visual"]).suites
    assert len(suite.variants) == 5
    assert all(one.image_changed and one.outcomes == ("held",) for one in suite.variants)


def test_a_model_that_raises_fails_and_the_others_are_asked():
    trial = ground(Broken(), Literal()).ask("1", "What color is the sheep?", "black", ["visual"])
    assert trial.answers[0].error == "RuntimeError: no weights"
    assert trial.suites[0].variants[0].outcomes == ("failed", "held")


def test_a_module_network_shows_its_steps_and_others_show_none():
    trial = ground("bundled:xnm", "bundled:cnn-lstm").ask("1", "What color is the sheep?", "black", [])
    steps, none = trial.steps
    assert len(steps) == 3
    assert none == ()
    for step in steps:
        assert sum(step.modules.values()) == pytest.approx(1, abs=0.01)
        assert [word for word, _ in step.words] == ["what", "color", "is", "the", "sheep"]
        assert all(wide > 0 and high > 0 for (_, _, wide, high), _ in step.regions)
    assert Bundled("language").steps(trial.question) == ()


def test_an_uploaded_image_is_asked_about_and_what_is_no_image_is_refused(literal):
    key = literal.upload(png())
    assert literal.upload(png()) == key, "the same content is the same image"
    assert literal.upload(png("blue")) != key
    assert literal.ask(key, "What color is it?", "red", []).answers[0].answer == "black"
    with pytest.raises(BadImage):
        literal.upload(b"<svg onload=alert(1)>")


@pytest.mark.parametrize(("key", "text", "told"), [("99", "Why?", "no longer"), ("1", "  ", "Type a question")])
def test_what_cannot_be_asked_is_refused(literal, key, text, told):
    with pytest.raises(UsageError, match=told):
        literal.ask(key, text, "", [])


def test_a_file_of_predictions_cannot_be_played_with(tmp_path):
    (tmp_path / "a.jsonl").write_text('{"id": 1, "answer": "red"}\n')
    with pytest.raises(UsageError, match="only has stored answers"):
        ground(f"predictions:{tmp_path / 'a.jsonl'}")


@pytest.mark.parametrize(
    ("expect", "answers", "said", "outcome"),
    [
        (Expect.SAME, (), ("red", "Red."), "held"),
        (Expect.SAME, (), ("red", "blue"), "broke"),
        (Expect.DIFFERENT, (), ("red", "red"), "broke"),
        (Expect.DIFFERENT, (), ("red", "blue"), "held"),
        (Expect.GIVEN, ("yes",), ("red", "no"), "broke"),
        (Expect.GIVEN, ("yes",), ("blue", "yes"), "fixed"),
        (Expect.GIVEN, ("yes",), ("blue", "no"), "wrong"),
        (Expect.GIVEN, ("yes",), (None, "no"), "failed"),
    ],
)
def test_outcomes_by_hand(expect, answers, said, outcome):
    original = Question(1, None, "What color?", ("red",))
    variant = Variant(Question(2, None, "Which color?", answers), expect, "test", "rule")
    before, after = Prediction(1, said[0]), Prediction(2, said[1])
    assert outcome_of(make("suite", "p2"), original, variant, before, after) == outcome


def test_saved_failures_are_groups_that_a_run_asks_again(literal, tmp_path):
    file = FailuresFile(tmp_path / "found" / "failures.jsonl")
    trial = literal.ask("1", "What color is the sheep?", "black", ["p2", "visual"])
    words, images = trial.suites
    assert file.add(trial, words.spec, words.variants[0]) == 1
    assert file.add(trial, words.spec, words.variants[0]) == 1, "saved once"
    assert file.add(trial, images.spec, images.variants[0]) == 2
    assert file.add(trial, images.spec, images.variants[1]) == 2, "another variant of the same group"
    key = literal.upload(png())
    uploaded = literal.ask(key, "What color is the box?", "black", ["p2"])
    assert file.add(uploaded, "p2", uploaded.suites[0].variants[0]) == 3
    result = askew.evaluate(Literal(), file.path, output=tmp_path / "run")
    assert [suite["name"] for suite in result.run.suites] == ["p2", "visual"]
    assert [pair.outcome for pair in result.pairs(suite="p2")] == ["broke", "broke"]
    assert [pair.outcome for pair in result.pairs(suite="visual")] == ["held", "held"]
    assert all(pair.images[0] is not None and pair.images[0].is_file() for pair in result.pairs())


def test_a_trial_is_shared_with_its_images(literal, tmp_path):
    trial = literal.ask("1", "What color is the sheep?", "black", ["p2", "visual"])
    ZipFile(io.BytesIO(zipped(trial))).extractall(tmp_path)
    groups = list(as_data(str(tmp_path / "groups.jsonl")).what.groups())
    assert [group.suite for group in groups] == ["p2", "visual"]
    assert [len(group.variants) for group in groups] == [len(suite.variants) for suite in trial.suites]
    images = {
        image.path
        for group in groups
        for one in (group.original, *(v.question for v in group.variants))
        for image in one.images
    }
    assert len(images) == 1 + len(trial.suites[1].variants)
    assert all(Path(path).parent == tmp_path / "images" for path in images), "none is on the sender's machine alone"
    with pytest.raises(UsageError, match="Type the answer that you expect"):
        zipped(literal.ask("1", "What color is the sheep in your opinion?", "", ["p2"]))


class Corner:
    """Sees only the middle of the top left square: its answer is that pixel, and it is less sure if another is grey."""

    def answer(self, questions):
        for question in questions:
            image = open_image(question.image)
            wide, high = (side // 8 for side in image.size)
            other = image.getpixel((5 * wide, 5 * high))
            yield Prediction(question.id, str(image.getpixel((wide, high))), 0.9 if other == (255, 0, 0) else 0.4)


def test_the_parts_of_an_image_that_an_answer_needs_are_found_by_hiding_them():
    image = Image.new("RGB", (80, 80), "red")
    image.paste("blue", (60, 60, 80, 80))
    content = io.BytesIO()
    image.save(content, "PNG")
    shown = ground(Corner())
    trial = shown.ask(shown.upload(content.getvalue()), "Which color?", "", [])
    (look,) = shown.look(trial.number, trial_model := shown.models[0].name).looks
    assert (look.model, len(look.hidden)) == (trial_model, 16)
    assert look.effects == [1.0] + 9 * [0.0] + [0.5] + 5 * [0.0]
    for number, model in ((99, trial_model), (trial.number, "nobody")):
        with pytest.raises(UsageError):
            shown.look(number, model)


def test_a_failure_whose_correct_answer_nobody_gave_is_not_saved(literal, tmp_path):
    trial = literal.ask("1", "What color is the sheep in your opinion?", "", ["p2"])
    with pytest.raises(AskewError, match="Type the answer that you expect"):
        FailuresFile(tmp_path / "f.jsonl").add(trial, "p2", trial.suites[0].variants[0])
    assert not (tmp_path / "f.jsonl").exists()


def test_a_question_without_an_image_file_is_no_image_to_choose(tmp_path):
    questions = [Question(1, ImageRef("a"), "Why?"), Question(2, None, "How?")]
    assert Playground([as_model("constant:yes")], as_data(questions)).images == {}


def test_a_question_is_attacked_on_request(literal, tmp_path):
    trial = literal.ask("1", "What color is the sheep?", "black", [])
    trial = literal.attack(trial.number, "literal", "sears")
    (suite,) = trial.suites
    (tried,) = suite.variants
    assert (suite.title, tried.variant.question.text) == (
        "Attack by sears on literal",
        "Which color is the sheep?",
    )
    assert tried.outcomes == ("broke",)
    assert tried.variant.question.image == trial.question.image, "the attack's own folder is gone"
    assert FailuresFile(tmp_path / "f.jsonl").add(trial, suite.spec, tried) == 1
    (pair,) = askew.evaluate(Literal(), tmp_path / "f.jsonl", output=tmp_path / "run").pairs()
    assert pair.outcome == "broke"


def test_an_answer_that_is_wrong_already_is_not_attacked(literal):
    trial = literal.ask("1", "What color is the sheep?", "white", [])
    (suite,) = literal.attack(trial.number, "literal", "sears").suites
    assert suite.variants == ()
    assert suite.reasons == ("the original is answered incorrectly",)
    with pytest.raises(UsageError, match="Choose an attack"):
        literal.attack(trial.number, "literal", "bert-attack")


def test_suites_of_other_packages_are_offered(literal, monkeypatch):
    other = {"louder": EntryPoint("louder", "askew.suites.p2:P2Suite", "askew.suite")}
    monkeypatch.setattr(registry, "_plugins", lambda kind: other if kind == "suite" else {})
    offered_suites.cache_clear()
    try:
        assert offered_suites()["louder"].startswith("Questions with words replaced")
    finally:
        offered_suites.cache_clear()
    (suite,) = literal.ask("1", "What color is the sheep?", "black", ["louder"]).suites
    assert suite.variants
