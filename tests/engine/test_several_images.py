"""Questions about several images through a whole run: files, keys, seeds, refusals, image suites, pages."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from random import Random

import pytest
from PIL import Image

import askew
from askew.cli import main
from askew.data.groups import read_groups, write_groups
from askew.data.open_path import open_path
from askew.data.write_questions import write_gqa, write_vqa
from askew.engine.attack_run import check_attackable
from askew.engine.components import Questions, as_model
from askew.engine.result import Result
from askew.engine.resume import Keys
from askew.engine.settings import Named, Settings
from askew.errors import BadImage, BadOption, DataError, UsageError
from askew.files.images import only_image, open_image
from askew.models.baselines import Constant
from askew.models.python_function import CallableModel
from askew.perturb.visual import Corruption, Visual
from askew.play.playground import Playground
from askew.report.load import load_run
from askew.report.pair_viewer import shown_images
from askew.types import Expect, Group, ImageRef, Prediction, Question, Refusal, Variant

COLORS = ("red", "lime", "blue", "white", "black", "gray", "navy", "olive", "teal", "pink", "gold", "plum")


def picture(color):
    out = io.BytesIO()
    Image.new("RGB", (40, 30), color).save(out, "PNG")
    return ImageRef(color, data=out.getvalue())


RED, LIME, BLUE = map(picture, COLORS[:3])
ONE = Question(1, RED, "Is it dark?", ("no",))
TWO = Question(2, RED, "Is <image 2> darker than <image 1>?", ("yes",), more_images=(BLUE,))
THREE = Question(3, RED, "Which is darkest?", ("c",), choices=("a", "b", "c"), more_images=(LIME, BLUE))


@pytest.fixture
def folder(tmp_path):
    for color in COLORS:
        Image.new("RGB", (40, 30), color).save(tmp_path / f"{color}.png")
    records = [
        {"id": n, "images": [f"{color}.png", "blue.png"], "question": "Is it alike?", "answer": "no"}
        for n, color in enumerate(COLORS)
    ]
    records.append({"id": "one", "image": "red.png", "question": "Is it alike?", "answer": "no"})
    (tmp_path / "q.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    return tmp_path


def test_files_keep_all_images(folder):
    """JSON lines, tables and files of groups; a variant may change one image, and another shares all of them."""
    *several, single = open_path(folder / "q.jsonl").questions()
    assert [image.id for image in several[0].images] == ["red.png", "blue.png"]
    assert all(image.path for image in several[0].images)
    assert single.more_images == ()
    (folder / "q.tsv").write_text("id\timages\tquestion\n1\tred.png|blue.png\tIs it?\n2\tred.png\tIs it?\n")
    assert [len(question.images) for question in open_path(folder / "q.tsv").questions()] == [2, 1]
    asked = several[1]
    changed = replace(asked, id="c", more_images=(BLUE,))
    variants = (Variant(changed, Expect.SAME, "t", "m"), Variant(replace(asked, id="s"), Expect.SAME, "t", "m"))
    write_groups([Group(1, "x", asked, variants), Group(2, "x", single)], str(folder / "groups.jsonl"))
    first, second = read_groups(str(folder / "groups.jsonl"))
    assert [image.id for image in first.original.images] == ["lime.png", "blue.png"]
    assert first.variants[0].question.images[0] == first.original.image
    assert open_image(first.variants[0].question.images[1]).getpixel((0, 0)) == (0, 0, 255)
    assert first.variants[1].question.images == first.original.images
    assert second.original == replace(single, image=second.original.image)
    lines = (folder / "groups.jsonl").read_text().splitlines()
    assert "more_images" not in lines[1], "a question about one image is written as before"


def test_bad_lists_of_images_are_refused(folder):
    for record, message in (
        ({"images": [], "question": "Is it?"}, "images"),
        ({"images": ["red.png"], "image": "red.png", "question": "Is it?"}, "without 'image' beside it"),
        ({"images": ["red.png", ""], "question": "Is it?"}, "image"),
        ({"more_images": [{"image": "red.png"}], "question": "Is it?"}, "a list of the images after the first"),
    ):
        (folder / "bad.jsonl").write_text(json.dumps(record))
        with pytest.raises(DataError, match=message):
            list(open_path(folder / "bad.jsonl").questions())
    with pytest.raises(UsageError, match="more_images of"):
        askew.evaluate("constant:yes", [replace(TWO, image=None)], "accuracy")


def test_keys_and_seeds_know_every_image_in_order():
    keys = Keys(CallableModel(len, several_images=True))
    swapped = TWO.with_images(TWO.images[::-1])
    asked = [TWO, swapped, TWO.with_images([RED]), TWO.with_images([RED, LIME]), TWO.with_images([RED, BLUE, BLUE])]
    assert len({keys.of(question) for question in asked}) == 5
    assert len({question.content for question in asked}) == 5
    assert keys.of(TWO.with_images([RED])) == Keys(CallableModel(len)).of(replace(TWO, more_images=()))
    assert ONE.content == f"{Question(9, RED, '').content.partition(':')[0]}::Is it dark?", "as for one image before"
    blind = Keys(Constant("yes"))
    assert blind.of(Question(1, ImageRef("a"), "?", more_images=(ImageRef("b", "nowhere.png"),))) == blind.of(
        Question(1, ImageRef("a", "nowhere"), "?", more_images=(ImageRef("b"),))
    )


class Remembers:
    """A model of one image that notes what it is asked."""

    opens_images = True

    def __init__(self):
        self.asked = []

    def __repr__(self):
        return "Remembers()"

    def answer(self, questions):
        self.asked += questions
        return [Prediction(question.id, "no") for question in questions]


def test_a_model_of_one_image_is_not_asked_about_several(folder, capsys):
    model = Remembers()
    with pytest.warns(UserWarning, match="takes one image with a question; 2 of 3 questions are about several"):
        result = askew.evaluate(model, [ONE, TWO, THREE], "accuracy", max_failures=1.0)
    assert [question.id for question in model.asked] == [1]
    failures = result.results["failures"]
    assert (failures["count"], failures["asked"]) == (2, 3)
    assert "the question is about 2 images, and the model takes one" in failures["by_error"]
    score = result.score("accuracy.all")
    assert (score.n, score.failed) == (1, 2)
    with pytest.raises(BadImage, match="takes one image with a question, and all 2 questions are about several"):
        askew.evaluate(model, [TWO, THREE], "accuracy")
    assert askew.evaluate("constant:no", [TWO, THREE], "accuracy").score("accuracy.all").failed == 0, "it is blind"
    run = ["run", "--data", str(folder / "q.jsonl"), "--model", "bundled:xnm", "--suite", "accuracy"]
    assert main([*run, "--output", str(folder / "out"), "--dry-run"]) == 0
    assert "1 call for 13 groups" in (said := capsys.readouterr().out)
    assert "12 about several images fail, since the model takes one" in said
    with pytest.raises(UsageError, match="about 2 images, and the model takes one"):
        check_attackable(as_model(model), Named(Questions((ONE, TWO)), "two"))


def test_corruptions_of_all_images_of_each_and_of_one():
    def changed(variant):
        return [new != old for new, old in zip(variant.question.images, THREE.images, strict=True)]

    def made(which):
        return list(Corruption(("noise",), (3,), "png", which).vary(THREE, Random(7)))

    (everything,), each, (second,) = made("all"), made("each"), made("2")
    assert (changed(everything), everything.note) == ([True] * 3, {"level": 3})
    assert [changed(variant) for variant in each] == [[True, False, False], [False, True, False], [False, False, True]]
    assert [variant.question.id for variant in each] == [f"3/image-{n}-corruption-noise-3" for n in (1, 2, 3)]
    assert second == each[1]
    assert second.note == {"level": 3, "image": 2}
    for place, variant in enumerate(each):
        assert variant.question.images[place].sha256 == everything.question.images[place].sha256, "the same noise"
    (refusal,) = made("4")
    assert refusal == Refusal(3, "noise", "it has 3 images, so none with the number 4")
    (single,) = Corruption(("noise",), (3,), "png").vary(ONE, Random(7))
    first = Corruption(("noise",), (3,), "png", "each").vary(ONE, Random(7))
    assert [single] == list(first)
    assert single.question.id == "1/corruption-noise-3"
    assert single.question.image.sha256 == everything.question.image.sha256
    assert repr(Corruption(images="each")) == repr(Corruption()), "it seeds the noise of questions about one image"
    for component in (Corruption, Visual):
        with pytest.raises(BadOption, match="Give all, each"):
            component(images="some")


def test_backgrounds_of_several_images():
    visual = Visual(("mask",), unnamed="random")
    (all_hidden,) = visual.vary(THREE, Random(1))
    assert all(new != old for new, old in zip(all_hidden.question.images, THREE.images, strict=True))
    assert "boxes" in all_hidden.note
    second = next(iter(replace(visual, images="2").vary(THREE, Random(1))))
    assert [new != old for new, old in zip(second.question.images, THREE.images, strict=True)] == [False, True, False]
    assert second.note["image"] == 2
    assert "boxes" not in second.note, "a report draws them on the first image"
    boxes = [(0, 0, 20, 20)]
    (refusal,) = Visual(("mask",)).image_variants(THREE, boxes, Random(1))
    assert refusal.reason == "boxes are only known in the first of its images"
    (named,) = Visual(("mask",), images="1").image_variants(THREE, boxes, Random(1))
    assert named.question.images[1:] == THREE.images[1:]


def test_a_run_and_its_report_show_all_images(folder):
    (folder / "all.py").write_text("def count(images, question):\n    return str(len(images))\n")
    run = ["run", "--data", str(folder / "q.jsonl"), "--suite", "corruption:noise,severities=5,images=each", "--quiet"]
    model = f"python:{folder / 'all.py'}:count,several_images=true"
    assert main([*run, "--model", model, "--output", str(folder / "out")]) == 0
    loaded = load_run(folder / "out")
    answers = [record["original"]["prediction"]["answer"] for _, record in loaded.outcomes()]
    assert answers == ["2"] * 12 + ["1"]
    shown = [len(pair.images) for pair in Result(folder / "out").pairs()]
    assert shown == [3] * 24 + [2], "both images and the changed one; for one image, before and after"
    parts = [(record["original"], variant) for _, record in loaded.outcomes() for variant in record["variants"]]
    captions = [[caption for caption, _ in shown_images(*pair)] for pair in (parts[0], parts[1], parts[-1])]
    assert captions == [
        ["Image 1", "Image 2", "Image 1, changed"],
        ["Image 1", "Image 2", "Image 2, changed"],
        ["Original image", "Changed image"],
    ]


def test_the_playground_asks_about_all_images():
    def count(images, question):
        return str(len(images))

    several = as_model(CallableModel(count, several_images=True))
    ground = Playground([several, as_model("bundled:xnm")], Named(Questions((ONE, TWO, THREE)), "three"), Settings())
    assert [len(shown.refs) for shown in ground.images.values()] == [1, 2, 3]
    trial = ground.ask("2", TWO.text, "", ["corruption:noise,severities=3"])
    assert trial.question == TWO
    assert trial.answers[0].answer == "2"
    assert "2 images" in trial.answers[1].error
    assert trial.suites[0].variants[0].changed_images == [0, 1]
    own = ground.ask("3", "Are they alike?", "no", [])
    assert own.question.images == THREE.images


def test_a_benchmark_about_several_images_has_no_vqa_files(folder):
    words = ["build", "accuracy", "--data", str(folder / "q.jsonl"), "--output", str(folder / "out"), "--quiet"]
    assert main([*words, "--no-audit"]) == 0
    assert sorted(path.name for path in (folder / "out").glob("[!.]*")) == ["datasheet.md", "groups.jsonl"]
    assert "not every question has just one image" in (folder / "out" / "datasheet.md").read_text()
    assert len(next(read_groups(str(folder / "out" / "groups.jsonl"))).original.images) == 2


def test_formats_with_one_image_refuse_several(tmp_path):
    """VQA's and GQA's files, and what people are asked, never have the first image alone."""
    for write in (
        lambda: write_vqa([TWO], "val2014", str(tmp_path)),
        lambda: write_gqa([TWO], str(tmp_path / "q.json")),
    ):
        with pytest.raises(DataError, match="about 2 images, and this format has one"):
            write()
    with pytest.raises(BadImage, match="about 2 images, and one is taken here"):
        only_image(TWO)
