"""No file that a user may publish names a folder of the machine it was made on."""

from __future__ import annotations

import base64
import getpass
import gzip
import json
import os
import re
import shutil
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import askew
from askew.cli import main
from askew.data.groups import read_groups
from askew.engine.components import as_data
from askew.engine.resume import Keys
from askew.engine.store import Store, framed, key_of
from askew.files.paths import ImageFolders, public_text, public_word
from askew.models.baselines import Constant
from askew.report.load import load_run
from askew.types import Prediction

SUITES = {
    "accuracy": "accuracy",
    "rad": "rad",
    "p2": "p2",
    "backtranslate": "backtranslate",
    "carets": "carets:size=4",
    "visual": "visual",
    "prompts": "prompts:marked",
    "hint": "hint",
    "corruption": "corruption:severities=3",
    "basic": "basic:pool={pool},ranker=bleu1,top=3",
}
BINARY = {".sqlite", ".jpg", ".png", ".parquet", ".sqlite-wal", ".sqlite-shm"}


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A home folder with a recognisable name that contains a world, always given by absolute paths."""
    home = tmp_path / "home of jane-doe-4711"
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.chdir(tmp_path)
    assert main(["world", "--scenes", "20", "--size", "64", "--quiet", "--output", str(home / "w")]) == 0
    return home


def columns_of(path: Path) -> str:
    """Everything that a file of NumPy arrays holds."""
    with zipfile.ZipFile(path) as file:
        return "".join(file.read(name).decode("latin-1") for name in file.namelist())


def leaks(folder: Path, home: Path) -> list[str]:
    """Each line of a text file in a folder that names the machine's folders or its user."""
    names = {str(home), "jane-doe-4711", str(home.parent), os.environ["ASKEW_CACHE"]}
    user = getpass.getuser()
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.suffix not in BINARY:
            text = columns_of(path) if path.suffix == ".npz" else path.read_text(encoding="utf-8")
            told = [name for name in names if name in text or name.replace(" ", "%20") in text]
            told += [f"/{user}/"] if f"/{user}/" in text else []
            found += [
                f"{path.relative_to(folder)}: …{text[max(0, text.index(t) - 80) : text.index(t) + 80]}…" for t in told
            ]
    return found


def test_no_output_of_any_suite_names_a_folder_of_this_machine(place, monkeypatch):
    data, images = f"gqa:{place}/w/gqa,split=train,scenes={place}/w/gqa/train_sceneGraphs.json", place / "w" / "images"
    (place / "pool.txt").write_text("\n".join(q.text for q in askew.open_data("world:train,scenes=20").questions()))
    (place / "say.py").write_text("def yes(image, question):\n    return str(image.size)\n")
    monkeypatch.syspath_prepend(str(place))
    for name, spec in SUITES.items():
        suite, out = spec.format(pool=place / "pool.txt"), place / "out" / name
        quick = ["--quiet"]

        def call(*words, suite=suite, name=name):
            monkeypatch.setattr("sys.argv", ["askew", *map(str, words)])
            assert main([str(word) for word in words]) == 0, (name, words)

        call("build", suite, "--data", data, "--images", images, "--quiet", "--limit", "6", "--output", out / "bench")
        groups = out / "bench" / "groups.jsonl"
        common = ("--data", groups, "--store", place / "answers.sqlite", *quick)
        call("run", "--model", "python:say:yes", *common, "--output", out / "says")
        call("run", "--model", "constant:yes", "--model", "constant:no", *common, "--output", out / "both")
        ids = [q["id"] for line in groups.read_text().splitlines() for q in _members(json.loads(line))]
        (place / "answers.json").write_text(json.dumps([{"question_id": one, "answer": "no"} for one in set(ids)]))
        call("score", groups, place / "answers.json", *quick, "--output", out / "scored")
        call("compare", out / "says", out / "scored", "--output", out / "compared")
        call("report", out / "says", out / "scored", "--output", out / "page" / "report.html")
        page = (out / "page" / "report.html").read_text()
        assert bool(_embedded(page)["images"]) == (name != "accuracy"), f"images of the pairs of {name}"
        assert not leaks(out, place)


def _embedded(page):
    """The data of the pair viewer."""
    packed = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', page)[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def _members(record):
    return [record["original"], *record["variants"]]


def test_a_published_benchmark_finds_its_images_elsewhere(place, monkeypatch, capsys):
    data, images = f"vqa:{place}/w/vqa,split=world_val", place / "w" / "images"
    build = ["build", "corruption:severities=3", "--data", data, "--images", str(images)]
    assert main([*build, "--quiet", "--output", "bench"]) == 0
    told = [json.loads(line) for line in Path("bench/groups.jsonl").read_text().splitlines()]
    paths = {record["path"] for line in told for record in _members(line) if "path" in record}
    assert any(path.startswith("COCO_world_val_") for path in paths)
    assert all("/" not in path or path.startswith("images/") for path in paths)
    there = [group.original.image.path for group in read_groups("bench/groups.jsonl")]
    assert all(map(os.path.isfile, there)), "on this machine they are found as they are"
    shutil.move(place / "w", place / "moved")
    monkeypatch.setenv("ASKEW_CACHE", str(place / "of-another-machine"))
    run = ["run", "--model", "python:say:yes", "--data", "bench/groups.jsonl"]
    run += ["--quiet", "--output", "o"]
    Path("say.py").write_text("def yes(image, question):\n    return 'yes'\n")
    monkeypatch.syspath_prepend(str(place.parent))
    assert main(run) in (2, 3)
    assert "--images" in capsys.readouterr().err
    assert main([*run, "--images", str(place / "moved" / "images")]) == 0


def test_groups_of_earlier_versions_with_absolute_paths_still_load(place):
    image = next((place / "w" / "images").glob("*.jpg"))
    record = {
        "group": 1,
        "suite": "accuracy",
        "original": {"id": 1, "image": 1, "path": str(image), "question": "Is it?"},
    }
    (place / "old.jsonl").write_text(json.dumps(record) + "\n")
    assert [group.original.image.path for group in read_groups(str(place / "old.jsonl"))] == [str(image)]


def test_answers_of_an_earlier_version_are_not_asked_again(place):
    """Their keys are the image's content and the model's signature, which have not changed."""
    data, images = f"vqa:{place}/w/vqa,split=world_val", str(place / "w" / "images")
    said = Constant("white")
    with Store(place / "answers.sqlite") as store:
        for question in as_data(data, images).what.questions():
            content = f"id:{question.image.id!r}"  # of a blind model
            store.put([(key_of(framed(repr(said)), content, question.text), Prediction(question.id, "white"))])
    result = askew.evaluate(
        "constant:white", data, "accuracy", images=images, output=place / "o", store=str(place / "answers.sqlite")
    )
    assert result.results["time"]["asked"] == 0


def test_image_keys_depend_on_content_not_on_file_names(place):
    class Looks:
        def __repr__(self):
            return "Looks()"

        def answer(self, questions):
            return [Prediction(q.id, "red") for q in questions]

    data, images = f"vqa:{place}/w/vqa,split=world_val", str(place / "w" / "images")
    keys = Keys(Looks())
    before = [keys.of(question) for question in as_data(data, images).what.questions()]
    askew.evaluate(Looks(), data, "accuracy", images=images, output=place / "o")
    with Store(place / "o" / "answers.sqlite") as store:
        assert store.known(before).keys() == set(before)


def test_samples_written_from_python_have_their_images(place):
    data, images = f"vqa:{place}/w/vqa,split=world_val", str(place / "w" / "images")
    result = askew.evaluate("constant:white", data, "accuracy", images=images, output=place / "o")
    assert all(os.path.isfile(outcome.group.original.image.path) for outcome in result.samples())


def test_folders_with_the_same_name_are_distinguished(tmp_path):
    paths = [tmp_path / part / "images" / "1.jpg" for part in ("a", "b", "home")]
    for path in paths:
        path.parent.mkdir(parents=True)
        path.touch()
    folders = ImageFolders(str(tmp_path / "home"))
    names = [folders.name(str(path)) for path in paths]
    assert len(set(names)) == 3
    assert names[2] == "images/1.jpg"
    assert [folders.find(name) for name in names] == [str(paths[0]), str(paths[1]), None]


def test_text_with_paths_of_this_machine(place, monkeypatch):
    monkeypatch.chdir(place)
    inside = place / "some project" / "data" / "x.jpg"
    assert public_text(f"{place}/secret/x.jpg: not there") == "x.jpg: not there"
    assert "jane" not in public_text(f"{inside}: not there")
    assert public_word(f"jsonl:{inside},images={inside.parent}") == "jsonl:x.jpg,images=data"
    for same in ("a/b/c", "1/2", "yes/no", "http://host/a/b", "~/x/y", "../up/there.json", "and / or", "r/ask"):
        assert public_text(same) == same


def test_images_of_a_run_are_found_by_the_folder_that_its_data_names(place):
    data, images = f"vqa:{place}/w/vqa,split=world_val", place / "w" / "images"
    askew.evaluate("constant:white", data, "accuracy", images=str(images), output=place / "o")
    run = load_run(place / "o")
    assert run.image("COCO_nowhere.jpg") is None
    for file in images.glob("COCO_world_val_*.jpg"):
        assert run.image(file.name) == file
        assert replace(run, images=images).image(file.name) == file
