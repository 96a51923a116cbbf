"""What an export writes: tasks, tables and lines that other harnesses read, each question once."""

from __future__ import annotations

import base64
import csv
import json
from dataclasses import replace
from pathlib import Path

import pytest
import yaml
from exported_logs import eight_groups, rows, task_functions
from PIL import Image

from askew.cli import main as askew_main
from askew.data.benchmarks.vlmevalkit import VlmEvalKitTable
from askew.data.export import ANSWER_PROMPT, distinct_questions, each_question, export
from askew.data.groups import read_groups, write_groups
from askew.errors import BadImage, DataError, UsageError
from askew.files.images import image_bytes
from askew.types import Group, ImageRef, Question


@pytest.fixture
def groups(tmp_path):
    return eight_groups(tmp_path)


@pytest.fixture
def bench(groups, tmp_path):
    write_groups(groups, str(tmp_path / "bench" / "groups.jsonl"))
    return tmp_path / "bench" / "groups.jsonl"


def test_files_of_questions_and_of_groups_are_distinguished(tmp_path, capsys):
    questions = tmp_path / "mine.jsonl"
    questions.write_text('{"image": "a.jpg", "question": "Why?", "answer": "because"}')
    assert askew_main(["export", str(questions), "--format", "jsonl", "--output", str(tmp_path / "out")]) == 2
    assert "these are questions, not groups. Make groups of them first: askew build" in capsys.readouterr().err


def test_identical_questions_are_asked_once(groups):
    """Sixteen questions; "Is it wet?" about image 1 is asked under the ids "1" and "5"."""
    found = distinct_questions(groups)
    assert len(found) == 15
    assert [one.ids for one in found if len(one.ids) > 1] == [("1", "5")]
    assert len(list(each_question(groups))) == 16


def test_groups_of_two_suites_share_their_originals(groups):
    twice = [*groups, *(replace(group, suite="p2", variants=()) for group in groups)]
    assert distinct_questions(twice) == distinct_questions(groups)


def test_the_same_words_about_an_edited_image_are_another_question(groups, tmp_path):
    Image.new("RGB", (9, 7), "black").save(tmp_path / "edited.png")
    edited = replace(groups[0].original, id="edited", image=ImageRef(0, str(tmp_path / "edited.png")))
    found = distinct_questions([*groups, Group("e", "rad", edited)])
    assert found[-1].ids == ("edited",)


def test_an_id_that_asks_two_things_is_refused(groups):
    other = replace(groups[0].original, text="Why?")
    with pytest.raises(DataError, match="the id 0 belongs to two questions"):
        distinct_questions([*groups, Group("o", "rad", other)])


def test_an_lmms_eval_task_has_the_format_lmms_eval_reads(groups, tmp_path):
    made = export(groups, tmp_path / "ta sk", "lmms-eval", name="askew_rad", prompt='\nSay "yes": or #no')
    assert [path.name for path in made.files] == ["askew_rad.yaml", "utils.py", "questions.jsonl", "ids.jsonl"]

    class Loader(yaml.SafeLoader):
        pass

    Loader.add_constructor("!function", lambda loader, node: f"function {loader.construct_scalar(node)}")
    task = yaml.load((tmp_path / "ta sk" / "askew_rad.yaml").read_text(encoding="utf-8"), Loader)
    assert task["task"] == "askew_rad"
    assert (task["dataset_path"], task["test_split"]) == ("json", "test")
    assert Path(task["dataset_kwargs"]["data_files"]["test"]) == (tmp_path / "ta sk" / "questions.jsonl").resolve()
    assert task["lmms_eval_specific_kwargs"]["default"]["post_prompt"] == '\nSay "yes": or #no'
    utils = task_functions(tmp_path / "ta sk")
    functions = [task[key] for key in ("doc_to_visual", "doc_to_text", "process_results")]
    functions.append(task["metric_list"][0]["aggregation"])
    assert all(hasattr(utils, name.removeprefix("function utils.")) for name in functions)
    doc = rows(tmp_path / "ta sk")[0]
    assert {type(value) for name, value in doc.items() if name != "image_paths"} == {str}, "a column has one type"
    assert task["doc_to_target"] in doc
    (image,) = utils.doc_to_visual(doc)
    assert (image.size, image.mode) == ((9, 7), "RGB")
    prompts = task["lmms_eval_specific_kwargs"]["default"]
    assert utils.doc_to_text(doc, prompts) == groups[0].original.text + '\nSay "yes": or #no'
    assert utils.doc_to_text(doc) == groups[0].original.text
    records = [utils.process_results(doc, [answer])["askew"] for answer in ("yes", " ", "no", "no")]
    assert (utils.answered(records), utils.answered([])) == (0.75, 0.0)


def test_a_vlmevalkit_table_has_each_image_once(groups, tmp_path):
    export(groups, tmp_path, "vlmevalkit", name="askew_rad")
    csv.field_size_limit(1 << 24)
    with (tmp_path / "askew_rad.tsv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file, dialect="excel-tab"))
    assert list(table[0]) == ["index", "askew_ids", "image", "question", "answer", "category"]
    assert [row["index"] for row in table] == [str(number) for number in range(15)]
    inside = {row["index"]: row["image"] for row in table if len(row["image"]) > 64}
    assert len(inside) == 4
    assert all(row["image"] in inside for row in table if row["index"] not in inside)
    assert base64.b64decode(inside["0"]) == Path(groups[0].original.image.path).read_bytes()
    assert table[0]["question"] == groups[0].original.text + ANSWER_PROMPT
    assert (table[1]["category"], table[1]["askew_ids"], table[1]["answer"]) == ("Y/N←C", '["0"]', "no")


def test_questions_about_several_images_are_exported(groups, tmp_path):
    other = Image.new("RGB", (5, 4), "red")
    other.save(tmp_path / "other.png")
    one = groups[0].original
    both = replace(one, id="both", more_images=(ImageRef("other", str(tmp_path / "other.png")),))
    pair = [Group(1, "rad", one), Group(2, "rad", both), Group(3, "rad", replace(both, id="again", text="So?"))]
    export(pair, tmp_path, "lmms-eval")
    visuals = [task_functions(tmp_path).doc_to_visual(doc) for doc in rows(tmp_path)]
    assert [[image.size for image in images] for images in visuals] == [[(9, 7)], [(9, 7), (5, 4)], [(9, 7), (5, 4)]]
    for inline in (True, False):
        export(pair, tmp_path, "vlmevalkit", inline=inline, overwrite=True)
        found = list(VlmEvalKitTable(str(tmp_path / "askew.tsv")).questions())
        contents = [[image_bytes(image) for image in question.images] for question in found]
        assert contents == [[image_bytes(image) for image in group.original.images] for group in pair]
    export(pair, tmp_path, "vlmevalkit", overwrite=True)
    with (tmp_path / "askew.tsv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file, dialect="excel-tab"))
    names = [row["image_path"] for row in table]
    assert names == ["0_1.jpg", '["1_1.jpg","1_2.jpg"]', '["2_1.jpg","2_2.jpg"]'], "VLMEvalKit writes images there"
    assert (table[2]["image"], len(json.loads(table[1]["image"]))) == ("1", 2)


def test_plain_lines_have_ids_as_they_are(groups, tmp_path):
    export(groups, tmp_path, "jsonl", name="mine")
    first, second = [json.loads(line) for line in (tmp_path / "mine.jsonl").read_text().splitlines()[:2]]
    assert first == {"id": 0, "image": groups[0].original.image.path, "question": groups[0].original.text}
    assert second["id"] == "0"
    assert "answer" not in second


def test_questions_without_images_are_plain_lines_only(tmp_path):
    blind = [
        Group(1, "rad", Question(1, ImageRef(42), "Is it?", context="It rains.")),
        Group(2, "rad", Question(2, None, "So?")),
    ]
    export(blind, tmp_path, "jsonl")
    lines = [json.loads(line) for line in (tmp_path / "askew.jsonl").read_text().splitlines()]
    assert lines == [
        {"id": 1, "image": 42, "question": "Is it?", "context": "It rains."},
        {"id": 2, "question": "So?"},
    ]
    for kind in ("lmms-eval", "vlmevalkit"):
        with pytest.raises(DataError, match="has no image"):
            export(blind, tmp_path, kind)
    gone = [Group(1, "rad", Question(1, ImageRef(1, str(tmp_path / "gone.png")), "Is it?"))]
    with pytest.raises(BadImage, match=r"gone\.png"):
        export(gone, tmp_path, "lmms-eval")


def test_context_is_exported_too(groups, tmp_path):
    question = replace(groups[0].original, context="There is a bus.")
    export([Group(1, "rad", question)], tmp_path, "lmms-eval")
    assert rows(tmp_path)[0]["question"] == "There is a bus.\n" + question.text


def test_wrong_exports_are_refused(groups, tmp_path):
    with pytest.raises(UsageError, match="No format is called 'helm'"):
        export(groups, tmp_path, "helm")
    with pytest.raises(UsageError, match="may only have letters"):
        export(groups, tmp_path, "jsonl", name="../out")
    with pytest.raises(UsageError, match="only the questions"):
        export(groups, tmp_path, "jsonl", prompt="Short!")
    with pytest.raises(DataError, match="no groups"):
        export([], tmp_path, "jsonl")
    assert not list(tmp_path.glob("*.jsonl"))


def test_the_same_groups_give_the_same_bytes(groups, bench, tmp_path):
    for kind in ("lmms-eval", "vlmevalkit", "jsonl"):
        export(groups, tmp_path / "a" / kind, kind)
        export(read_groups(str(bench)), tmp_path / "b" / kind, kind)
    for path in (tmp_path / "a").rglob("*.*"):
        twin = tmp_path / "b" / path.relative_to(tmp_path / "a")
        assert path.suffix == ".yaml" or twin.read_bytes() == path.read_bytes(), path


def test_the_command_says_what_it_wrote(bench, tmp_path, capsys):
    words = ["export", str(bench), "--format", "vlmevalkit", "--output", str(tmp_path / "out")]
    assert askew_main([*words, "--image-data", "paths"]) == 0
    out = capsys.readouterr().out
    assert "15 questions (for 16 ids" in out
    assert str(tmp_path / "out" / "askew.tsv") in out
    header = (tmp_path / "out" / "askew.tsv").read_text(encoding="utf-8").splitlines()[0]
    assert header.split("\t")[2] == "image_path"
