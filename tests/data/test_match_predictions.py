"""Files that other programs and papers write are matched to the questions of a benchmark by its own keys."""

from __future__ import annotations

import csv
import json
from base64 import b64encode
from io import BytesIO

import pytest
from openpyxl import Workbook
from PIL import Image

from askew.cli import main
from askew.data.match_predictions import match_predictions
from askew.data.open_path import open_path
from askew.engine.result import Result
from askew.errors import BadRecord, DataError

SUFFIX = "\nAnswer the question using a single word or phrase."
MISSED = 317
FALSE = {"random": 31, "popular": 59, "adversarial": 117}
"""Absent objects that LLaVA-1.5-13B sees: known for random; for the others, so many that F1 is as published."""


def lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def pope_questions(strategy, images):
    """Three present objects of each image, each followed by an absent one; LLaVA's edition lacks 90 random ones."""
    number = 0
    for image in range(images):
        for thing in range(3):
            for label, name in (("yes", f"thing {thing} of {image}"), ("no", f"{strategy} {thing} of {image}")):
                if strategy == "random" and label == "no" and image < (0, 6, 84)[thing]:
                    continue
                number += 1
                file, text = f"COCO_val2014_{image:012d}.jpg", f"Is there a {name} in the image?"
                yield {"question_id": number, "image": file, "text": text, "label": label}


def write_pope(folder, images=500):
    folder.mkdir()
    return {name: list(pope_questions(name, images)) for name in FALSE}, folder


def replies_to(questions, strategy):
    """Yes or no, with as many errors of both kinds as LLaVA-1.5-13B made."""
    wrong = {"yes": MISSED, "no": FALSE[strategy]}
    for question in questions:
        label = question["label"]
        is_wrong = wrong[label] > 0
        wrong[label] -= is_wrong
        yield ("No" if label == "yes" else "Yes") if is_wrong else label.capitalize()


def score(*arguments):
    output = arguments[0].parent / "run"
    assert main(["score", *map(str, arguments), "--output", str(output), "--quiet", "--no-audit", "--overwrite"]) == 0
    return Result(output)


def test_llava_s_answers_give_its_published_f1_on_pope(tmp_path, capsys):
    """One file for all strategies, with running numbers as ids, in the order adversarial, popular, random."""
    by_strategy, folder = write_pope(tmp_path / "coco")
    answers = []
    for name, questions in by_strategy.items():
        lines(folder / f"coco_pope_{name}.json", questions)
    for name in ("adversarial", "popular", "random"):
        for question, reply in zip(by_strategy[name], replies_to(by_strategy[name], name), strict=True):
            number = len(answers)
            answers.append({"question_id": number, "prompt": question["text"] + SUFFIX, "text": reply, "metadata": {}})
    assert len(answers) == 8910
    result = score(folder, lines(tmp_path / "llava-v1.5-13b.jsonl", answers))
    figures = {name: result.score("f1", f"tag.strategy={name}") for name in FALSE}
    assert {name: int(1000 * f1.value) / 10 for name, f1 in figures.items()} == {
        "random": 87.1, "popular": 86.2, "adversarial": 84.5,
    }  # fmt: skip
    assert [result.score("accuracy", f"tag.strategy={name}").n for name in FALSE] == [2910, 3000, 3000]
    assert (
        "by the order of the 8,910 rows (adversarial, popular, random); all question texts" in capsys.readouterr().err
    )


@pytest.fixture
def pope(tmp_path):
    folder = tmp_path / "coco"
    folder.mkdir()
    for name in FALSE:
        questions = [{**one, "question_id": n} for n, one in enumerate(pope_questions(name, 90), 1)]
        lines(folder / f"coco_pope_{name}.json", questions)
    return open_path(folder, skip_bad=True)


def rows_of(pope, name):
    (path,) = (file for file in pope.files() if name in file)
    with open(path) as file:
        return [json.loads(line) for line in file]


def test_pope_s_own_answer_files(pope, tmp_path):
    """One file for each strategy: the question in another case, and the reply, in the order of the file."""
    folder = tmp_path / "answers"
    folder.mkdir()
    for name in FALSE:
        answers = [{"question": row["text"].lower(), "answer": row["label"]} for row in rows_of(pope, name)]
        lines(folder / f"{name}.json", answers)
    found = match_predictions(str(folder), pope)
    assert len(found.answers) == len(list(pope.groups())) - 270  # the groups of pairs
    assert all((question.answers[0] == found.answers[question.id]) for question in pope.questions())
    alone = match_predictions(str(folder / "popular.json"), pope)
    assert len(alone.answers) == 540


def test_rows_without_texts_are_matched_only_if_they_fit_in_one_way(pope, tmp_path):
    answers = [{"answer": row["label"]} for row in rows_of(pope, "popular")]
    with pytest.raises(BadRecord, match="'question_id' is missing"):
        match_predictions(str(lines(tmp_path / "answers.json", answers)), pope)
    found = match_predictions(str(lines(tmp_path / "popular.json", answers)), pope)
    assert "it has no question texts to check" in found.remark
    assert found.answers["coco_pope_popular/1"] == "yes"


def test_lmms_eval_s_samples_of_pope(pope, tmp_path):
    """The ids begin again in each category, which the record of the data names."""
    samples = []
    for name in FALSE:
        for row in rows_of(pope, name):
            doc = {"question_id": str(row["question_id"]), "question": row["text"], "category": name}
            response = {"filtered_resps": [row["label"]], "resps": [[row["label"]]]}
            samples.append({"doc_id": len(samples), "doc": doc, **response})
    found = match_predictions(str(lines(tmp_path / "20260101_samples_pope.jsonl", samples)), pope)
    assert (found.remark, len(found.answers)) == ("", len(samples))
    for sample in samples:  # a newer log has no record of the data
        sample["input"] = sample.pop("doc")["question"] + SUFFIX
    lines(tmp_path / "20260101_samples_pope.jsonl", samples[::-1])
    assert match_predictions(str(tmp_path / "20260101_samples_pope.jsonl"), pope).answers == found.answers


def test_answers_to_another_edition_are_refused(pope, tmp_path):
    rows = rows_of(pope, "random")
    answers = [{"question_id": row["question_id"] + 1, "prompt": row["text"], "text": "yes"} for row in rows]
    path = lines(tmp_path / "answers.jsonl", answers[:-1])
    data = open_path(next(file for file in pope.files() if "random" in file), skip_bad=True)
    with pytest.raises(DataError, match=r"of 4\d\d predictions are for questions with other texts, e.g. 'coco_pope_"):
        match_predictions(str(path), data)


def test_no_match_names_ids_of_both_sides_and_ends_with_2(pope, tmp_path, capsys):
    questions = lines(tmp_path / "q.jsonl", [{"id": n, "question": "Is it?", "answer": "yes"} for n in (1, 2, 3, 4)])
    answers = lines(tmp_path / "a.jsonl", [{"id": f"x{n}", "answer": "yes"} for n in range(9)])
    command = ["score", str(questions), str(answers), "--output", str(tmp_path / "run"), "--allow-missing"]
    assert main(command) == 2
    message = capsys.readouterr().err
    assert "none of its 9 predictions is for a question of q: the ids there begin with 'x0', 'x1', 'x2'" in message
    assert "those of the data with 1, 2, 3." in message


HALLUSION = [
    {"category": category, "subcategory": "ocr", "visual_input": "1", "set_id": "0", "figure_id": figure,
     "question_id": "0", "question": f"Is it {category} {figure}?", "gt_answer": answer,
     "filename": f"{category}{figure}.png", "gt_answer_details": ""}
    for category, figure, answer in (("VD", "0", "1"), ("VD", "1", "0"), ("VS", "1", "1"))
]  # fmt: skip


def test_hallusionbench_s_results(tmp_path):
    """Five fields name a question; the prediction is a sentence, or 0, 1 or 2."""
    (tmp_path / "HallusionBench.json").write_text(json.dumps(HALLUSION))
    words = ("Yes, it appears to be.", "0", 2)
    results = [{**row, "model_prediction": word} for row, word in zip(HALLUSION, words, strict=True)]
    path = tmp_path / "HallusionBench_result.json"
    path.write_text(json.dumps(results))
    data = open_path(tmp_path / "HallusionBench.json", skip_bad=True)
    assert match_predictions(str(path), data).answers == {
        "VD/ocr/0/0/0": "Yes, it appears to be.", "VD/ocr/0/1/0": "no", "VS/ocr/0/1/0": "uncertain",
    }  # fmt: skip
    result = score(tmp_path / "HallusionBench.json", path, "--skip-bad")
    assert result.run.results["model"]["extract"] == "short-v8"
    assert result.score("a-acc").value == pytest.approx(2 / 3)


IMAGE = b64encode(b"\x89PNG" + bytes(200)).decode()


def hallusion_table(path, **more):
    """VLMEvalKit's table; in its prediction files the images are missing and ``prediction`` is added."""
    rows = [
        {
            "index": "_".join((row["category"], "ocr", "1", "0", row["figure_id"], "0")),
            "question": row["question"],
            "answer": "Yes" if row["gt_answer"] == "1" else "No",
            "category": row["category"],
            "l2-category": "ocr",
            **more,
        }
        for row in HALLUSION
    ]
    if path.suffix == ".xlsx":
        book = Workbook()
        for row in (rows[0], *(row.values() for row in rows)):
            book.active.append(list(row))
        book.save(path)
    else:
        with path.open("w", newline="") as file:
            writer = csv.DictWriter(file, rows[0], delimiter="\t")
            writer.writeheader()
            writer.writerows(rows)
    return path


def test_vlmevalkit_s_predictions_for_hallusionbench(tmp_path):
    """By the arithmetic of Hallusion_rating: VD and VS of one l2-category, set and figure are one figure there."""
    data = hallusion_table(tmp_path / "HallusionBench.tsv", image=IMAGE)
    for name in ("m_HallusionBench.xlsx", "m_HallusionBench.tsv"):
        result = score(data, hallusion_table(tmp_path / name, prediction="Yes."), "--skip-bad")
        assert result.score("a-acc").value == pytest.approx(2 / 3)
        assert result.run.results["model"]["extract"].startswith("vlmevalkit")
        assert (result.score("f-acc").value, result.score("f-acc").n) == (0.5, 2)  # figure 1: VD no, VS yes
        assert result.score("q-acc").value == 0.0  # all three are one question
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "HallusionBench.json").write_text(json.dumps(HALLUSION))
    own = open_path(tmp_path / "own", skip_bad=True)
    assert len(match_predictions(str(tmp_path / "m_HallusionBench.xlsx"), own).answers) == 3


def test_sugarcrepe_s_replies_in_both_orders(tmp_path):
    """The folder names the order; the pair of captions, not the key, names the question."""
    captions = [("a red car", "a blue car"), ("two dogs", "two cats")]
    records = {
        str(n): {"filename": f"{n}.jpg", "caption": right, "negative_caption": wrong}
        for n, (right, wrong) in enumerate(captions)
    }
    (tmp_path / "swap_att.json").write_text(json.dumps(records))
    for order, said in (("positive-first", ("(1)", "a red car")), ("negative-first", ("Neither (1) nor (2)", ""))):
        folder = tmp_path / "gpt-4v-results" / order
        folder.mkdir(parents=True)
        answer = {"free_form_answer": said[0], "multiple_choice_answer": said[1]}
        replies = {key: {**record, "answer": answer, "correct": True} for key, record in records.items()}
        replies["7"] = {**replies["0"], "caption": "was removed from the data"}
        (folder / "gpt4v-swap_att.json").write_text(json.dumps(replies))
    data = open_path(tmp_path / "swap_att.json", skip_bad=True)
    assert match_predictions(str(tmp_path / "gpt-4v-results"), data).answers == {
        "swap_att/0": "a red car", "swap_att/0/swapped": "Neither (1) nor (2)",
        "swap_att/1": "a red car", "swap_att/1/swapped": "Neither (1) nor (2)",
    }  # fmt: skip
    (tmp_path / "here.json").write_text((folder / "gpt4v-swap_att.json").read_text())
    with pytest.raises(BadRecord, match="Put the file into a folder positive-first or negative-first"):
        match_predictions(str(tmp_path / "here.json"), data)


def test_vizwiz_is_matched_by_image(tmp_path):
    records = [{"image": "VizWiz_val_00000001.jpg", "question": "What is it?", "answerable": 1, "answers": []}]
    (tmp_path / "val.json").write_text(json.dumps(records))
    data = open_path(tmp_path / "val.json", skip_bad=True)
    for record in (
        {"image": "VizWiz_val_00000001.jpg", "answer": "a can"},
        {"question_id": "VizWiz_val_00000001", "prompt": "What is it?" + SUFFIX, "text": "a can"},
    ):
        path = lines(tmp_path / "answers.jsonl", [record])
        assert match_predictions(str(path), data).answers == {"VizWiz_val_00000001.jpg": "a can"}


def test_vqa_and_gqa_answers_of_llava(tmp_path):
    """Ids are those of the data: numbers in VQA, texts in GQA."""
    asked = {"questions": [{"question_id": 1, "image_id": 1, "question": "Is it?"}]}
    (tmp_path / "questions.json").write_text(json.dumps(asked))
    said = {"prompt": "Is it?" + SUFFIX, "text": "yes"}
    path = lines(tmp_path / "answers.jsonl", [{"question_id": 1, **said}])
    assert match_predictions(str(path), open_path(tmp_path / "questions.json")).answers == {1: "yes"}
    gqa = {"01": {"question": "Is it?", "imageId": "n1", "answer": "yes", "isBalanced": True}}
    (tmp_path / "gqa_questions.json").write_text(json.dumps(gqa))
    path = lines(tmp_path / "gqa.jsonl", [{"question_id": "01", **said}])
    assert match_predictions(str(path), open_path(tmp_path / "gqa_questions.json")).answers == {"01": "yes"}


def test_replies_of_llava_are_normalised_as_its_authors_do_before_submitting(tmp_path, capsys):
    """The public evaluator compares answers on which all people agree letter by letter: "Yes" is not "yes"."""
    name = "v2_{}mscoco_val2014_{}.json"
    asked = {"questions": [{"question_id": 1, "image_id": 1, "question": "Is it?"}]}
    said = {"question_id": 1, "image_id": 1, "answers": [{"answer": "yes"}] * 10, "answer_type": "yes/no"}
    (tmp_path / name.format("OpenEnded_", "questions")).write_text(json.dumps(asked))
    (tmp_path / name.format("", "annotations")).write_text(json.dumps({"annotations": [said]}))
    data = tmp_path / name.format("OpenEnded_", "questions")
    submitted = lines(tmp_path / "submitted.jsonl", [{"question_id": 1, "answer": "Yes"}])
    replies = lines(tmp_path / "replies.jsonl", [{"question_id": 1, "prompt": "Is it?" + SUFFIX, "text": "Yes"}])
    assert score(data, submitted).score("accuracy.all").value == 0
    assert "LLaVA" not in capsys.readouterr().err
    assert score(data, replies).score("accuracy.all").value == 1
    assert "replies of LLaVA, compared after normalisation" in capsys.readouterr().err


def test_the_index_of_a_table_wins_over_its_ids_where_it_is_the_benchmark_s_own_key(tmp_path):
    """A column ``id`` may count something else, here from the end."""
    words = "What is it?\nOptions: A: a cat, B: a dog"
    buffer = BytesIO()
    Image.new("RGB", (40, 40), "red").save(buffer, "BMP")
    pixel = b64encode(buffer.getvalue())
    rows = [(index, f"{index}: {words}", pixel.decode(), "AB"[index % 2], "logic") for index in range(6)]
    for name in ("MMStar.tsv", "Other.tsv"):
        with open(tmp_path / name, "w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file, delimiter="\t")
            writer.writerows([("index", "question", "image", "answer", "category"), *rows])
        data = open_path(tmp_path / name, skip_bad=True)
        answers = lines(
            tmp_path / "a.jsonl", [{"index": row[0], "id": 5 - row[0], "prediction": row[3]} for row in rows]
        )
        table = tmp_path / "a.csv"
        table.write_text("index,id,prediction\n" + "".join(f"{row[0]},{5 - row[0]},{row[3]}\n" for row in rows))
        for path in (answers, table):
            found = match_predictions(str(path), data).answers
            assert [found[question.id] for question in data.questions()] == [row[3] for row in rows]
