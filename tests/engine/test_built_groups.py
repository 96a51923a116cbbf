"""A resumed run reads the groups that are there, and builds them again whenever they could differ."""

from __future__ import annotations

import os

import orjson
from PIL import Image

from askew.engine import built_groups
from askew.engine.components import as_data, as_model, as_suite
from askew.engine.events import Finished, Started
from askew.engine.run import run_models
from askew.engine.settings import Settings
from askew.types import Question

WORLD = "world:val,scenes=20"
QUESTIONS = [Question(1, None, "What color is the car?", ("red",))]
CHANGING = ("askew", "time", "usage", "command")


def run(folder, data=WORLD, suites=("accuracy",), model="constant:yes", **settings):
    """The first stage of a run, and its results without what differs in every run."""
    source = data if not isinstance(data, str) else as_data(data)
    events = list(run_models([as_model(model)], source, list(map(as_suite, suites)), folder, Settings(**settings)))
    stages = [event.stage for event in events if isinstance(event, Started)]
    assert isinstance(events[-1], Finished)
    results = orjson.loads((folder / "results.json").read_bytes())
    return stages[0], {name: value for name, value in results.items() if name not in CHANGING}


def test_groups_that_are_there_give_the_results_of_groups_just_built(tmp_path):
    suites = "rad", "visual:crop"
    stage, built = run(tmp_path, suites=suites)
    again, read = run(tmp_path, suites=suites)
    assert (stage, again) == ("Making groups", "Reading groups")
    assert read == built


def test_groups_are_built_again_if_an_option_the_code_or_the_file_changed(tmp_path, monkeypatch):
    run(tmp_path)
    assert run(tmp_path, model="constant:no", overwrite=True)[0] == "Reading groups", "the model does not matter"
    for changed in (
        {"suites": ["accuracy:accuracy=exact"]},
        {"seed": 1},
        {"limit": 5},
        {"data": "world:val,scenes=21"},
    ):
        assert run(tmp_path, overwrite=True, **changed)[0] == "Making groups", changed
        run(tmp_path, overwrite=True)
    monkeypatch.setattr(built_groups, "package_digest", lambda: "another askew")
    assert run(tmp_path)[0] == "Making groups"
    monkeypatch.undo()
    groups = (tmp_path / "groups.jsonl").read_bytes()
    (tmp_path / "groups.jsonl").write_bytes(groups[: groups.rindex(b"\n", 0, -1) + 1])
    assert run(tmp_path)[0] == "Making groups"
    assert (tmp_path / "groups.jsonl").read_bytes() == groups


def test_groups_are_built_again_if_the_data_or_an_image_changed(tmp_path):
    for name, colour in (("a", "red"), ("b", "blue")):
        Image.new("RGB", (64, 64), colour).save(tmp_path / f"{name}.png")
    questions, data = tmp_path / "q.jsonl", str(tmp_path / "q.jsonl")
    line = '{"image": "%s.png", "question": "What color is the car?", "answer": "red"}\n'
    questions.write_text(line % "a" + line % "b")
    folder = tmp_path / "o"
    assert run(folder, data, ["corruption:severities=1"])[0] == "Making groups"
    assert run(folder, data, ["corruption:severities=1"])[0] == "Reading groups"
    Image.new("RGB", (64, 64), "green").save(tmp_path / "b.png")
    os.utime(tmp_path / "b.png", (1, 1))
    assert run(folder, data, ["corruption:severities=1"])[0] == "Making groups"
    made = next(path for path in (folder / "images").glob("*.*g"))
    made.unlink()
    assert run(folder, data, ["corruption:severities=1"])[0] == "Making groups"
    assert made.exists()
    questions.write_text(line % "a")
    assert run(folder, data, ["corruption:severities=1"], overwrite=True)[0] == "Making groups"


def test_a_question_refused_for_its_image_is_built_again_when_the_image_is_replaced(tmp_path):
    Image.new("RGB", (64, 64), "red").save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"not an image")
    questions = tmp_path / "q.jsonl"
    line = '{"image": "%s.png", "question": "What color is the car?", "answer": "red"}\n'
    questions.write_text(line % "a" + line % "b")
    folder = tmp_path / "o"
    run(folder, str(questions), ["corruption:severities=1"])
    Image.new("RGB", (64, 64), "blue").save(tmp_path / "b.png")
    assert run(folder, str(questions), ["corruption:severities=1"], overwrite=True)[0] == "Making groups"
    assert len((folder / "groups.jsonl").read_bytes().splitlines()) == 2


def test_groups_are_built_again_if_a_file_was_replaced_by_one_of_the_same_size_and_time(tmp_path):
    image, questions = tmp_path / "a.bmp", tmp_path / "q.jsonl"
    Image.new("RGB", (64, 64), "red").save(image)
    os.utime(image, (1, 1))
    questions.write_text('{"image": "a.bmp", "question": "What color is the car?", "answer": "red"}\n')
    run(tmp_path / "o", str(questions))
    Image.new("RGB", (64, 64), "blue").save(image)
    os.utime(image, (1, 1))
    assert run(tmp_path / "o", str(questions), overwrite=True)[0] == "Making groups"
    assert run(tmp_path / "o", str(questions), overwrite=True)[0] == "Reading groups"
    os.utime(questions, (1, 1))
    run(tmp_path / "o", str(questions), overwrite=True)
    questions.write_text(questions.read_text().replace("car", "cat"))
    os.utime(questions, (1, 1))
    assert run(tmp_path / "o", str(questions), overwrite=True)[0] == "Making groups"


def test_data_and_suites_whose_content_is_not_known_have_no_key(tmp_path):
    def key(data, suite="rad"):
        return built_groups.build_key(data, [as_suite(suite)], Settings(), {})

    class Mine(type(as_data(QUESTIONS).what)):
        """A data set of another package."""

    assert key(as_data(WORLD))
    assert key(as_data(QUESTIONS))
    assert key(as_data(Mine(tuple(QUESTIONS)))) is None
    (tmp_path / "pool.txt").write_text("".join(f"Is this thing number {n}?\n" for n in range(40)))
    assert key(as_data(WORLD), f"basic:bleu1,pool={tmp_path / 'pool.txt'}") is None
