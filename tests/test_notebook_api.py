"""askew in a notebook: names that completion finds, the words of the command line, finished runs, frames and pairs."""

from __future__ import annotations

import argparse
import builtins
import inspect
import pydoc
import re
import subprocess
import sys

import pytest
from PIL import Image

import askew
from askew.api import NOT_IN_PYTHON
from askew.cli import run as run_command
from askew.engine.run_pairs import OUTCOMES
from askew.engine.settings import Keywords, setting_names
from askew.errors import BadOption, DataError, MissingExtra, UsageError
from askew.types import Expect, Group, ImageRef, Prediction, Question, Variant


def test_dir_shows_the_public_names_and_no_others():
    code = "import askew; print([name for name in dir(askew) if name[0] != '_'])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(sorted(askew.__all__))


def test_help_explains_every_public_name():
    text = pydoc.plain(pydoc.render_doc(askew))
    about = inspect.getdoc(askew)
    for name in askew.__all__:
        assert re.search(rf"\b{name}\b", about), f"the docstring of askew does not name {name}"
        assert re.search(rf"^    (class )?{name}\b", text, re.MULTILINE), f"help(askew) does not show {name}"


def test_every_option_of_run_has_the_same_name_in_python():
    parser = argparse.ArgumentParser()
    run_command.add_options(parser)
    options = {action.dest for action in parser._actions} - {"help"}
    ours = inspect.signature(askew.evaluate).parameters.keys() | NOT_IN_PYTHON.keys()
    assert options - ours == set()
    assert Keywords.__annotations__.keys() == {*setting_names(), *run_command.BESIDE}


QUESTIONS = [
    Question(1, None, "What color is the car?", ("red",) * 10),
    Question(2, None, "What color is the dog?", ("blue",) * 10),
]


def test_words_of_the_command_line_are_accepted(capsys, tmp_path):
    result = askew.evaluate(
        model="constant:red", data=GroupsOf(tmp_path), suite="p2", limit=1, quiet=False, metric="worst", seed=3
    )
    assert result.results["config"]["metrics"] == ["worst"]
    assert "Asking" in capsys.readouterr().err
    assert result.score("worst").n == 1


def test_options_of_a_model_are_passed_to_it():
    result = askew.evaluate("constant", QUESTIONS, "accuracy", say="blue")
    assert result.score("accuracy.all").value == 0.5
    with pytest.raises(BadOption, match=r"no setting 'say'"):
        askew.evaluate(lambda image, question: "red", QUESTIONS, "accuracy", say="blue")


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"limits": 3}, "no setting 'limits'. Did you mean 'limit'?"),
        ({"dry_run": True}, "'dry_run' is an option of the command line. Use askew run --dry-run."),
        ({"no_published": True}, "published=False"),
        ({"models": ["constant:yes"]}, "Both model and models are given"),
    ],
)
def test_a_setting_that_does_not_fit_says_what_does(settings, words):
    with pytest.raises(UsageError, match=re.escape(words)):
        askew.evaluate("constant:yes", QUESTIONS, "accuracy", **settings)


def test_no_model_at_all_is_refused():
    with pytest.raises(UsageError, match="There is no model: give one"):
        askew.evaluate(data=QUESTIONS)


def test_prebuilt_groups_bring_their_suite(tmp_path):
    result = askew.evaluate("constant:red", GroupsOf(tmp_path))
    assert [suite["name"] for suite in result.run.suites] == ["p2"]


class GroupsOf:
    """Two groups with an image: a rephrasing that must not change the answer, and a changed image."""

    name = "two"
    skipped = ()

    def __init__(self, folder):
        self.folder = folder
        for name, color in (("a.png", "red"), ("b.png", "blue")):
            Image.new("RGB", (8, 8), color).save(folder / name)

    def __repr__(self):
        return "GroupsOf()"

    def questions(self):
        return (group.original for group in self.groups())

    def groups(self):
        a, b = (ImageRef(name, str(self.folder / name)) for name in ("a.png", "b.png"))
        first = Question("one", a, "What color is the <car>?", ("red",) * 3)
        again = Question("one/1", a, "Which color has the <car>?", ("red",) * 3)
        yield Group("one", "p2", first, (Variant(again, Expect.SAME, "syn", "p2/synonym"),))
        second = Question("two", b, "What color is the sky?", ("blue",) * 3)
        other = Question("two/1", a, "What color is the sky?", ("red",) * 3)
        yield Group("two", "p2", second, (Variant(other, Expect.GIVEN, "para", "p2/paraphrase"),))


class Reader:
    """Answers "red" to "what" and fails for everything else."""

    free_text = False

    def answer(self, questions):
        return [
            Prediction(question.id, "red" if question.text.startswith("What") else "green") for question in questions
        ]


@pytest.fixture
def run(tmp_path):
    (tmp_path / "data").mkdir()
    return askew.evaluate(Reader(), GroupsOf(tmp_path / "data"), output=tmp_path / "runs" / "reader")


def test_pairs_are_filtered_by_outcome_suite_and_test(run):
    by_outcome = {outcome: [pair.group for pair in run.pairs(outcome)] for outcome in (*OUTCOMES, "failed")}
    assert by_outcome == {"broke": ["one"], "fixed": ["two"], "held": [], "stayed": [], "failed": []}
    assert [pair.group for pair in run.pairs(suite="p2", test="para")] == ["two"]
    assert [pair.group for pair in run.pairs(limit=1)] == ["one"]
    (broken,) = run.pairs("broke")
    assert broken.answers == ("red", "green")
    assert broken.expected == ("red", "red")
    assert "Which color has the <car>?" in str(broken)
    assert "✗ wrong" in str(broken)


def test_a_pair_in_a_notebook_shows_texts_answers_and_images(run):
    (broken,), (fixed,) = run.pairs("broke"), run.pairs("fixed")
    page = broken._repr_html_()
    assert "&lt;car&gt;" in page, "texts are escaped"
    assert page.count("<img") == 1
    assert fixed._repr_html_().count("<img") == 2, "a changed image is shown too"
    assert "<u>Which</u>" in page
    assert run.pairs()._repr_html_().count("<img") == 3
    assert "no such pairs" in run.pairs("held")._repr_html_()


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"outcome": "broken"}, "Did you mean 'broke'?"),
        ({"suite": "p3"}, "no suite 'p3' in this run. Did you mean 'p2'?"),
        ({"test": "sny"}, "Did you mean 'syn'?"),
        ({"limit": -1}, "at least 0"),
    ],
)
def test_a_filter_that_matches_nothing_known_is_refused(run, given, words):
    with pytest.raises(UsageError, match=re.escape(words)):
        run.pairs(**given)


def test_a_run_and_a_folder_of_runs_are_loaded(run, tmp_path):
    assert askew.load(run.folder).score("accuracy.all").value == run.score("accuracy.all").value
    askew.evaluate("constant:red", GroupsOf(tmp_path / "data"), output=tmp_path / "runs" / "red", name="red")
    both = askew.load(tmp_path / "runs")
    assert isinstance(both, askew.Comparison)
    assert len(both) == 2
    assert both["red"].folder == tmp_path / "runs" / "red"
    assert [one.folder for one in askew.compare(run, tmp_path / "runs" / "red")] == [run.folder, both["red"].folder]
    assert len(askew.compare(both, run)) == 3
    assert askew.compare(run, both["red"]).differences


def test_what_is_not_a_run_is_refused(run, tmp_path):
    with pytest.raises(DataError, match="askew run --output"):
        askew.load(tmp_path / "nothing")
    with pytest.raises(UsageError, match="Two runs or more"):
        askew.compare(run)
    with pytest.raises(UsageError, match="is not a run"):
        askew.compare(run, 5)


def test_frames_of_scores_samples_and_differences(run):
    scores = run.to_frame()
    assert list(scores["model"].unique()) == ["reader"]
    whole = scores[(scores["metric"] == "accuracy.all") & (scores["part"] == "")]
    assert whole["value"].item() == run.score("accuracy.all").value
    assert len(scores) == len(run.scores)
    samples = run.to_frame("samples")
    assert list(samples["role"]) == ["original", "variant"] * 2
    assert list(samples["answer"]) == ["red", "green", "red", "red"]
    assert list(samples["correct"]) == [True, False, False, True]
    assert list(samples["image"]) == ["a.png", "a.png", "b.png", "a.png"]
    both = askew.compare(run, run)
    assert len(both.to_frame()) == 2 * len(scores)
    assert list(both.to_frame("differences")["difference"].unique()) == [0.0]
    with pytest.raises(BadOption, match="scores, samples"):
        run.to_frame("sample")


def test_without_pandas_a_frame_names_the_remedy(run, monkeypatch):
    real = builtins.__import__

    def refuse(name, *args, **options):
        if name.startswith("pandas"):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *args, **options)

    monkeypatch.setattr("askew.errors.import_module", refuse)
    with pytest.raises(MissingExtra, match=r"pip install 'askew\[notebook\]'"):
        run.to_frame()


def test_a_notebook_shows_the_first_screen_of_the_report(run):
    page = run._repr_html_()
    assert page.startswith("<iframe")
    assert "reader" in page
    assert "<script" not in page
    assert "&lt;table class=&quot;ranking&quot;" in page, "the page of the frame is an escaped attribute"
    assert askew.compare(run, run)._repr_html_().count("<iframe") == 1
