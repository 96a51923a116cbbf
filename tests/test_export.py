"""Export and back: whatever harness answers askew's questions, the scores are those of the answers given directly."""

from __future__ import annotations

import base64
import csv
import importlib.util
import json
import re
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from PIL import Image

from askew.cli import COMMANDS
from askew.cli import main as askew_main
from askew.data.export import ANSWER_PROMPT, distinct_questions, each_question, export
from askew.data.groups import read_groups, write_groups
from askew.data.predictions import read_predictions
from askew.errors import BadImage, DataError, UsageError
from askew.types import Expect, Group, ImageRef, Kind, Question, Variant

COLORS = ("white", "brown", "red", "blue")


def asked(key: Any, image: ImageRef, text: str, answer: str) -> Question:
    return Question(key, image, text, (answer,) * 10, Kind("other", "what color"))


@pytest.fixture
def groups(tmp_path: Path) -> list[Group]:
    """Eight groups about four pictures. Ids are numbers and texts, 1 and "1" among them; two variants read alike."""
    found = []
    for number in range(8):
        path = tmp_path / "pictures" / f"{number % 4}.png"
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (9 + number % 4, 7), COLORS[number % 4]).save(path)
        image = ImageRef(number % 4, str(path))
        original = asked(number, image, f'What "color" is\tthing {number}, please?', COLORS[number % 4])
        truth = "yes" if number % 3 else "no"
        text = "Is it wet?" if number in (1, 5) else f"Is thing {number} white?"
        variant = Variant(asked(str(number), image, text, truth), Expect.GIVEN, "Y/N←C", "rad/color")
        found.append(Group(number, "rad", original, (variant,)))
    return found


@pytest.fixture
def bench(groups: list[Group], tmp_path: Path) -> Path:
    write_groups(groups, str(tmp_path / "bench" / "groups.jsonl"))
    return tmp_path / "bench" / "groups.jsonl"


def answer_to(question: str) -> str:
    """The fake model: right about every other original, yes to every variant, and signs that formats stumble over."""
    if question == "Is it wet?":
        return "=1+1"
    number = int(re.search(r"\d", question)[0])
    if question.startswith("Is"):
        return "yes"
    return COLORS[number % 4] if number % 2 == 0 else ('it\'s "red",\tor\nnot', "[7]", "", "n/a")[number // 2]


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


def task_functions(folder: Path) -> Any:
    """The copied file as lmms-eval imports it: by its path."""
    spec = importlib.util.spec_from_file_location("utils", folder / "utils.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lmms_eval_samples(folder: Path) -> list[dict[str, Any]]:
    """What lmms-eval logs: the doc without pictures, the answers, and what process_results gives."""
    utils = task_functions(folder)
    samples = []
    for doc_id, doc in enumerate(rows(folder)):
        said = answer_to(doc["question"])
        samples.append(
            {
                "doc_id": doc_id,
                "doc": doc,
                "target": doc["answer"],
                "resps": [[said]],
                "filtered_resps": [said],
                "doc_hash": "0",
                **utils.process_results(doc, [said]),
            }
        )
    return samples


def as_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def lmms_eval_log(groups, folder: Path) -> Path:
    """As of 0.3: the doc is left out of the file, and answers equal to the filtered ones too."""
    export(groups, folder, "lmms-eval")
    samples = lmms_eval_samples(folder)
    for sample in samples:
        del sample["doc"], sample["resps"]
        sample["input"] = "..."
    return as_lines(folder / "20260101_samples_askew.jsonl", samples)


def older_lmms_eval_log(groups, folder: Path) -> Path:
    export(groups, folder, "lmms-eval")
    logs = lmms_eval_samples(folder)
    for sample in logs:
        del sample["askew"]
    (folder / "askew.json").write_text(json.dumps({"args": {}, "model_configs": {"task": "askew"}, "logs": logs}))
    return folder / "askew.json"


def lm_eval_log(groups, folder: Path) -> Path:
    """Two filters: every doc is there twice, and the first filter counts."""
    export(groups, folder, "lmms-eval")
    samples = lmms_eval_samples(folder)
    for sample in samples:
        del sample["askew"]
        sample |= {"arguments": {"gen_args_0": {"arg_0": "..."}}, "filter": "none", "metrics": ["exact_match"]}
    filtered = [{**sample, "filter": "strict", "filtered_resps": ["[invalid]"]} for sample in samples]
    return as_lines(folder / "samples_askew_2026.jsonl", samples + filtered)


def predicted_rows(folder: Path) -> list[dict[str, str]]:
    """What VLMEvalKit keeps of its table: every column but the picture, and the prediction."""
    csv.field_size_limit(1 << 24)
    with (folder / "askew.tsv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file, dialect="excel-tab"))
    for row in table:
        row.pop("image", None)
        row["prediction"] = answer_to(row["question"].removesuffix(ANSWER_PROMPT))
    return table


def vlmevalkit_tsv(groups, folder: Path) -> Path:
    export(groups, folder, "vlmevalkit")
    return _written(predicted_rows(folder), folder / "model_askew.tsv", "\t")


def vlmevalkit_csv(groups, folder: Path) -> Path:
    export(groups, folder, "vlmevalkit", inline=False)
    return _written(predicted_rows(folder), folder / "model_askew.csv", ",")


def _written(table: list[dict[str, str]], path: Path, delimiter: str) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    return path


def vlmevalkit_json(groups, folder: Path) -> Path:
    export(groups, folder, "vlmevalkit")
    path = folder / "model_askew.json"
    path.write_text(json.dumps([{**row, "index": int(row["index"])} for row in predicted_rows(folder)], indent=4))
    return path


def vlmevalkit_xlsx(groups, folder: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    export(groups, folder, "vlmevalkit")
    table = predicted_rows(folder)
    book = openpyxl.Workbook()
    book.active.append(list(table[0]))
    for row in table:
        book.active.append([int(row["index"]), *list(row.values())[1:]])
    book.save(folder / "model_askew.xlsx")
    return folder / "model_askew.xlsx"


def inspect_samples(groups, folder: Path) -> list[dict[str, Any]]:
    export(groups, folder, "jsonl")
    samples = []
    for line in (folder / "askew.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        said = answer_to(record["question"])
        message = {
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": said}],
        }
        output = {"model": "m", "choices": [{"message": message, "stop_reason": "stop"}], "completion": said}
        if len(samples) % 2:
            del output["completion"]
        samples.append({"id": record["id"], "epoch": 1, "input": record["question"], "target": "", "output": output})
    return samples


def inspect_json(groups, folder: Path) -> Path:
    log = {"version": 2, "status": "success", "eval": {"task": "askew"}, "samples": inspect_samples(groups, folder)}
    (folder / "log.json").write_text(json.dumps(log))
    return folder / "log.json"


def inspect_eval(groups, folder: Path) -> Path:
    with zipfile.ZipFile(folder / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {}}))
        for number, sample in enumerate(inspect_samples(groups, folder)):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))
    return folder / "log.eval"


def program_of_ones_own(groups, folder: Path) -> Path:
    export(groups, folder, "jsonl")
    records = [json.loads(line) for line in (folder / "askew.jsonl").read_text().splitlines()]
    return as_lines(folder / "answers.jsonl", [{"id": r["id"], "answer": answer_to(r["question"])} for r in records])


HARNESSES: list[Callable[..., Path]] = [
    lmms_eval_log,
    older_lmms_eval_log,
    lm_eval_log,
    vlmevalkit_tsv,
    vlmevalkit_csv,
    vlmevalkit_json,
    vlmevalkit_xlsx,
    inspect_json,
    inspect_eval,
    program_of_ones_own,
]


@pytest.mark.parametrize("harness", HARNESSES, ids=lambda harness: harness.__name__)
def test_every_answer_comes_back_to_its_id(harness, groups, tmp_path):
    (tmp_path / "out").mkdir()
    expected = {q.id: answer_to(q.text) for g in groups for q in (g.original, g.variants[0].question)}
    found = dict(read_predictions(harness(groups, tmp_path / "out")))
    assert found == expected
    assert {type(key) for key in found} == {int, str}


def scores(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "results.json").read_text())["scores"]


@pytest.mark.parametrize("harness", [lmms_eval_log, vlmevalkit_tsv, inspect_eval], ids=lambda harness: harness.__name__)
def test_the_scores_of_a_log_are_those_of_the_answers(harness, groups, bench, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    log = harness(groups, tmp_path / "out")
    direct = as_lines(
        tmp_path / "direct.jsonl",
        [
            {"id": q.id, "answer": answer_to(q.text)}
            for group in groups
            for q in (group.original, group.variants[0].question)
        ],
    )
    for name, answers in (("log", log), ("direct", direct)):
        words = ["score", str(bench), str(answers), "--output", str(tmp_path / name), "--resamples", "100"]
        assert askew_main(words) == 0, capsys.readouterr().err
    assert scores(tmp_path / "log") == scores(tmp_path / "direct")
    values = {score["metric"]: score["value"] for score in scores(tmp_path / "log") if score["part"] == ""}
    # Originals 0, 2, 4, 6 are right; "yes" is right for the variants 2, 4 and 7; both sides for 2 and 4.
    assert (values["accuracy.original"], values["accuracy.variant"]) == (0.5, 0.375)
    assert (values["rad.forward"], values["rad.backward"]) == (0.5, pytest.approx(2 / 3))


def test_what_reads_alike_is_asked_once(groups):
    """Sixteen questions; "Is it wet?" about picture 1 is asked under the ids "1" and "5"."""
    found = distinct_questions(groups)
    assert len(found) == 15
    assert [one.ids for one in found if len(one.ids) > 1] == [("1", "5")]
    assert len(list(each_question(groups))) == 16


def test_groups_of_two_suites_share_their_originals(groups):
    twice = [*groups, *(replace(group, suite="p2", variants=()) for group in groups)]
    assert distinct_questions(twice) == distinct_questions(groups)


def test_the_same_words_about_an_edited_picture_are_another_question(groups, tmp_path):
    Image.new("RGB", (9, 7), "black").save(tmp_path / "edited.png")
    edited = replace(groups[0].original, id="edited", image=ImageRef(0, str(tmp_path / "edited.png")))
    found = distinct_questions([*groups, Group("e", "rad", edited)])
    assert found[-1].ids == ("edited",)


def test_an_id_that_asks_two_things_is_refused(groups):
    other = replace(groups[0].original, text="Why?")
    with pytest.raises(DataError, match="the id 0 asks two things"):
        distinct_questions([*groups, Group("o", "rad", other)])


def test_an_lmms_eval_task_is_what_lmms_eval_reads(groups, tmp_path):
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
    assert all(isinstance(value, str) for value in doc.values()), "a dataset's column has one type"
    assert task["doc_to_target"] in doc
    (picture,) = utils.doc_to_visual(doc)
    assert (picture.size, picture.mode) == ((9, 7), "RGB")
    prompts = task["lmms_eval_specific_kwargs"]["default"]
    assert utils.doc_to_text(doc, prompts) == groups[0].original.text + '\nSay "yes": or #no'
    assert utils.doc_to_text(doc) == groups[0].original.text
    records = [utils.process_results(doc, [said])["askew"] for said in ("yes", " ", "no", "no")]
    assert (utils.answered(records), utils.answered([])) == (0.75, 0.0)


def test_a_vlmevalkit_table_has_each_picture_once(groups, tmp_path):
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


def test_plain_lines_have_ids_as_they_are(groups, tmp_path):
    export(groups, tmp_path, "jsonl", name="mine")
    first, second = [json.loads(line) for line in (tmp_path / "mine.jsonl").read_text().splitlines()[:2]]
    assert first == {"id": 0, "image": groups[0].original.image.path, "question": groups[0].original.text}
    assert second["id"] == "0"
    assert "answer" not in second


def test_questions_without_pictures_are_plain_lines_only(tmp_path):
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
        with pytest.raises(DataError, match="has no picture"):
            export(blind, tmp_path, kind)
    gone = [Group(1, "rad", Question(1, ImageRef(1, str(tmp_path / "gone.png")), "Is it?"))]
    with pytest.raises(BadImage, match=r"gone\.png"):
        export(gone, tmp_path, "lmms-eval")


def test_what_was_said_before_is_asked_too(groups, tmp_path):
    said = replace(groups[0].original, context="There is a bus.")
    export([Group(1, "rad", said)], tmp_path, "lmms-eval")
    assert rows(tmp_path)[0]["question"] == "There is a bus.\n" + said.text


def test_wrong_exports_are_refused(groups, tmp_path):
    with pytest.raises(UsageError, match="No format is called 'helm'"):
        export(groups, tmp_path, "helm")
    with pytest.raises(UsageError, match="must be letters"):
        export(groups, tmp_path, "jsonl", name="../out")
    with pytest.raises(UsageError, match="the questions alone"):
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


def test_the_command_says_what_it_wrote(bench, tmp_path, monkeypatch, capsys):
    monkeypatch.setitem(COMMANDS, "export", "groups for other harnesses")
    words = ["export", str(bench), "--format", "vlmevalkit", "--pictures", "paths", "--output", str(tmp_path / "out")]
    assert askew_main(words) == 0
    out = capsys.readouterr().out
    assert "15 questions (for 16 ids" in out
    assert str(tmp_path / "out" / "askew.tsv") in out
    header = (tmp_path / "out" / "askew.tsv").read_text(encoding="utf-8").splitlines()[0]
    assert header.split("\t")[2] == "image_path"
