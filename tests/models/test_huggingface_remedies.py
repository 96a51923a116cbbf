"""Remedies in errors about Hugging Face models work; a model that fails on everything is stopped."""

from __future__ import annotations

import json
import re
import shutil

import pytest

pytest.importorskip("torch", reason="the extra hf is not installed")

import hf_folders
from hf_asking import IMAGES, folders, region_file

from askew import evaluate
from askew.errors import ModelError
from askew.registry import make
from askew.types import Question
from remedies import refused

pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return folders(tmp_path_factory.mktemp("hf"))


def said_by(model):
    """The answer to a question, or the error."""
    (prediction,) = model.answer([Question(1, IMAGES[0], "Is it red?")])
    return prediction.answer or prediction.error


def test_a_model_that_fails_on_every_question_is_stopped(folder):
    """Each question is longer than the model reads; after the configured number of equal failures the run ends."""
    texts = [f"Is number {number} of the {'very ' * 60}small things red?" for number in range(40)]
    questions = [Question(number, IMAGES[0], text, ("yes",) * 10) for number, text in enumerate(texts)]
    model, answered = f"hf:{folder('vilt')}", Question(99, IMAGES[0], "Is it red?", ("yes",) * 10)
    with pytest.raises(ModelError, match=r"failed on 10 questions in a row in the same way; the last: .*tokens") as end:
        evaluate(model, questions, "accuracy", stop_after=10, batch_size=4)
    never = re.search(r"\(stop_after=N in Python\) stops later, (\d+) never", str(end.value))
    assert never
    result = evaluate(model, [answered, *questions], "accuracy", stop_after=int(never[1]), max_failures=1.0)
    assert result.results["failures"]["count"] == 40


def test_labels_and_regions_can_be_given_as_the_message_says(folder, tmp_path):
    nameless = shutil.copytree(folder("vilt"), tmp_path / "nameless")
    config = json.loads((nameless / "config.json").read_text())
    config["id2label"] = {str(number): f"LABEL_{number}" for number in range(len(hf_folders.ANSWERS))}
    config["label2id"] = {name: int(number) for number, name in config["id2label"].items()}
    (nameless / "config.json").write_text(json.dumps(config))
    option = refused(lambda: said_by(make("model", f"hf:{nameless}")), r"Give them with (labels=)FILE: one answer ")
    names = tmp_path / "answers.txt"
    names.write_text("\n".join(hf_folders.ANSWERS[:-1]))
    assert refused(lambda: said_by(make("model", f"hf:{nameless},{option}{names}")), r"(labels=FILE)")
    names.write_text("\n".join(hf_folders.ANSWERS))
    assert said_by(make("model", f"hf:{nameless},{option}{names}")) in hf_folders.ANSWERS
    names.write_text(json.dumps(hf_folders.ANSWERS))
    assert said_by(make("model", f"hf:{nameless},{option}{names}")) in hf_folders.ANSWERS
    regions = region_file(tmp_path / "regions.npz")
    option = refused(
        lambda: said_by(make("model", f"hf:{folder('visual_bert')}")), r"Give them with (features=)FILE\.npz"
    )
    assert said_by(make("model", f"hf:{folder('visual_bert')},{option}{regions}"))
    assert refused(lambda: make("model", f"hf:{folder('vilt')},{option}{regions}"), r"(Leave it out)")


def test_options_are_written_as_the_message_shows(folder):
    vilt, llava = f"hf:{folder('vilt')}", f"hf:{folder('llava')}"
    place = refused(lambda: make("model", f"{llava},prompt=Say it."), r"Write (\{question\}) where")
    assert said_by(make("model", f"{llava},max_new_tokens=1,prompt=Say it: {place}")) is not None
    least = refused(lambda: make("model", f"{llava},max_new_tokens=0"), r"at least (\d+)\.$")
    assert make("model", f"{llava},max_new_tokens={least}")
    for option in ("task=generate", "revision=main"):
        leave = refused(lambda option=option: said_by(make("model", f"{vilt},{option}")), r"Leave (\S+?) ?(?:out)?\.$")
        assert leave in ("task", "it")
    assert said_by(make("model", f"{vilt},device=auto")) in hf_folders.ANSWERS


def test_a_missing_model_can_be_given_as_a_folder_or_downloaded(folder, tmp_path):
    missing = refused(lambda: said_by(make("model", "hf:nobody/nothing")), r"pass --allow-download \((\w+=true)\)")
    assert refused(lambda: said_by(make("model", f"hf:nobody/nothing,{missing}")), r"(or give the path of a folder)")
    (tmp_path / "empty").mkdir()
    assert refused(
        lambda: said_by(make("model", f"hf:{tmp_path / 'empty'}")), r"(what|a folder that) save_pretrained wrote"
    )
    assert said_by(make("model", f"hf:{folder('vilt')}")) in hf_folders.ANSWERS
