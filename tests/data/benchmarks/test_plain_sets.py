"""Plain question sets of the published shapes, as base data for suites and attacks."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from benchmark_samples import Says
from PIL import Image

import askew
from askew.data.benchmarks.avqa import Avqa
from askew.data.benchmarks.plain_sets import Aokvqa, OkVqa, Tdiuc, TextVqa, VizWiz
from askew.data.benchmarks.vqa import Vqa
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError
from askew.files.images import encode
from askew.suites.p2 import P2Suite
from askew.suites.rad import RadSuite
from askew.suites.visual import CorruptionSuite
from askew.types import Group

ROWS = (
    # id, image, question, answer
    (11, 1, "What color is the dog?", "black"),
    (12, 2, "What color is the kid's hat?", "white"),
    (13, 3, "How many cups are there?", "2"),
)


PHOTO = encode(Image.new("RGB", (16, 16), (90, 30, 30)), "jpeg").data
CELL = b64encode(PHOTO).decode()


def people(answer: str, others: int = 1) -> list[dict[str, Any]]:
    """Ten answers, some of them "other"."""
    answers = [answer] * (10 - others) + ["other"] * others
    return [
        {"answer": one, "raw_answer": one, "answer_confidence": "yes", "answer_id": n}
        for n, one in enumerate(answers, 1)
    ]


def textvqa(rows) -> dict[str, Any]:
    data = [
        {
            "question_id": key,
            "image_id": f"im{image}",
            "question": text,
            "answers": [a["answer"] for a in people(answer)],
            "flickr_original_url": "",
        }
        for key, image, text, answer in rows
    ]
    return {"TextVQA_0.5.1_val.json": {"dataset_type": "val", "dataset_name": "textvqa", "data": data}}


def vizwiz(rows) -> dict[str, Any]:
    return {
        "val.json": [
            {
                "image": f"VizWiz_val_{key}.jpg",
                "question": text,
                "answers": people(answer),
                "answerable": 1,
                "answer_type": "other",
            }
            for key, _, text, answer in rows
        ]
    }


def aokvqa(rows) -> dict[str, Any]:
    return {
        "aokvqa_v1p0_val.json": [
            {
                "split": "val",
                "image_id": image,
                "question_id": f"q{key}",
                "question": text,
                "choices": ["red", answer, "x", "y"],
                "correct_choice_idx": 1,
                "direct_answers": [a["answer"] for a in people(answer)],
                "difficult_direct_answer": key == 13,
                "rationales": [],
            }
            for key, image, text, answer in rows
        ]
    }


def shaped(rows, annotation) -> dict[str, Any]:
    asked = [{"question_id": key, "image_id": image, "question": text} for key, image, text, _ in rows]
    answered = [{"question_id": r[0], "image_id": r[1], "answer_type": "other", **annotation(r[3])} for r in rows]
    return {
        "OpenEnded_mscoco_val2014_questions.json": {"info": {}, "questions": asked},
        "mscoco_val2014_annotations.json": {"info": {}, "annotations": answered},
    }


def okvqa(rows) -> dict[str, Any]:
    return shaped(rows, lambda answer: {"question_type": "one", "answers": people(answer)})


def tdiuc(rows) -> dict[str, Any]:
    return shaped(rows, lambda answer: {"question_type": "color", "answers": [{"answer": answer, "answer_id": 1}]})


def advqa(rows) -> dict[str, Any]:
    files = shaped(rows, lambda answer: {"answers": people(answer)})
    names = ("v1_OpenEnded_mscoco_val2017_advqa_questions.json", "v1_mscoco_val2017_advqa_annotations.json")
    return dict(zip(names, files.values(), strict=True))


def gqa_ood(rows) -> dict[str, Any]:
    records = {
        str(key): {"question": text, "imageId": str(image), "answer": answer} for key, image, text, answer in rows
    }
    rare = {"99": {"question": "Is it?", "imageId": str(rows[0][1]), "answer": "no"}}
    return {"ood_testdev_head.json": records, "ood_testdev_tail.json": rare}


def renamed(*names: str) -> Callable[[Any], dict[str, Any]]:
    def files(rows) -> dict[str, Any]:
        found = shaped(rows, lambda answer: {"answers": people(answer), "answer_type": "other"})
        return dict(zip(names, found.values(), strict=True))

    return files


v2 = renamed("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json")
vqa_cp = renamed("vqacp_v2_test_questions.json", "vqacp_v2_test_annotations.json")


def vqa_ce(rows) -> dict[str, Any]:
    return {**v2(rows), "counterexamples.json": [rows[0][0]], "hard.json": [rows[1][0]]}


def visdial(rows) -> dict[str, Any]:
    dialogs = [
        {
            "image_id": image,
            "caption": "a photo",
            "dialog": [{"question": n, "answer": n, "answer_options": [n, 0], "gt_index": 0}],
        }
        for n, (_, image, *_) in enumerate(rows)
    ]
    texts = {"questions": [row[2] for row in rows], "answers": [row[3] for row in rows]}
    return {"visdial_1.0_val.json": {"split": "val", "data": {"dialogs": dialogs, **texts}}}


def mmstar(rows) -> dict[str, Any]:
    lines = ["index\tquestion\timage\tanswer\tcategory"]
    lines += [f'{key}\t"{text}\nOptions: A: {answer}, B: none"\t{CELL}\tA\tx' for key, _, text, answer in rows]
    return {"MMStar.tsv": "\n".join(lines)}


def plain_table(rows) -> dict[str, Any]:
    lines = ["index\tquestion\timage\tanswer"]
    return {"set.tsv": "\n".join([*lines, *(f"{key}\t{text}\t{CELL}\t{answer}" for key, _, text, answer in rows)])}


SETS = {
    # name of the reader: class, what writes its files, the name of an image's file by (id of the question, image)
    "textvqa": (TextVqa, textvqa, lambda key, image: f"im{image}.jpg"),
    "vizwiz": (VizWiz, vizwiz, lambda key, image: f"VizWiz_val_{key}.jpg"),
    "okvqa": (OkVqa, okvqa, lambda key, image: f"COCO_val2014_{image:012d}.jpg"),
    "aokvqa": (Aokvqa, aokvqa, lambda key, image: f"{image:012d}.jpg"),
    "tdiuc": (Tdiuc, tdiuc, lambda key, image: f"COCO_val2014_{image:012d}.jpg"),
    "avqa": (Avqa, advqa, lambda key, image: f"{image:012d}.jpg"),
}


OTHERS = {
    # sets with tests of their own elsewhere, which are base data for suites too
    "gqa-ood": (gqa_ood, lambda key, image: f"{image}.jpg"),
    "vqa-ce": (vqa_ce, lambda key, image: f"COCO_val2014_{image:012d}.jpg"),
    "vqa-cp": (vqa_cp, lambda key, image: f"COCO_val2014_{image:012d}.jpg"),
    "visdial": (visdial, lambda key, image: f"VisualDialog_val2018_{image:012d}.jpg"),
    "mmstar": (mmstar, None),
    "vlmevalkit": (plain_table, None),
}


def write(folder: Path, name: str, rows=ROWS) -> Path:
    files, *_ = SETS[name][1:] if name in SETS else OTHERS[name]
    folder.mkdir(parents=True, exist_ok=True)
    for file, content in files(rows).items():
        (folder / file).write_text(content if isinstance(content, str) else json.dumps(content))
    return folder


def test_every_set_is_recognised_and_read(tmp_path):
    for name, (reader, *_) in SETS.items():
        data = open_path(write(tmp_path / name, name), skip_bad=True)
        assert type(data) is reader
        questions = list(data.questions())
        expected = ROWS[:2] if name == "aokvqa" else ROWS  # the last is marked as difficult there
        assert [(q.text, q.answers[0]) for q in questions] == [(row[2], row[3]) for row in expected], name
        assert len(questions[0].answers) == (1 if name == "tdiuc" else 10)
        assert data.name == ("AdVQA" if name == "avqa" else reader.title)
    assert "TextVQA: 3 of 5,000 expected questions." in remarks(tmp_path, "textvqa")
    assert "VizWiz: 3 of 4,319 expected questions." in remarks(tmp_path, "vizwiz")
    assert "OK-VQA: 3 of 5,046 expected questions." in remarks(tmp_path, "okvqa")
    assert "A-OKVQA: 3 of 1,145 expected questions." in remarks(tmp_path, "aokvqa")
    assert "left out because they are difficult to answer directly: 1 questions" in remarks(tmp_path, "aokvqa")
    (tmp_path / "v1").mkdir()
    for file, content in shaped(
        ROWS, lambda answer: {"question_type": "what", "answers": [{"answer": answer}]}
    ).items():
        (tmp_path / "v1" / file).write_text(json.dumps(content))
    assert type(open_path(tmp_path / "v1")) is Vqa  # VQA v1 has files of the same names
    choice = list(Aokvqa(str(tmp_path / "aokvqa"), task="choice", skip_bad=True).questions())
    assert [(q.choices[1], q.answers) for q in choice] == [(row[3], (row[3],)) for row in ROWS]
    assert dict(next(iter(VizWiz(str(tmp_path / "vizwiz")).questions())).tags) == {"answerable": "yes"}


def remarks(folder: Path, name: str) -> str:
    data = SETS[name][0](str(folder / name), skip_bad=True)
    list(data.questions())
    return " ".join(data.remarks)


def test_faults_are_named_and_can_be_skipped(tmp_path):
    again = (*ROWS, (12, 2, "Where is it?", "park"))
    blank = ((10, 9, " ", "red"), *ROWS)
    for name, (reader, *_) in SETS.items():
        for place, (rows, message) in enumerate(((again, "occurs twice"), (blank, "'question' is blank"))):
            folder = str(write(tmp_path / name / str(place), name, rows))
            with pytest.raises(BadRecord, match=message):
                list(reader(folder).questions())
            data = reader(folder, skip_bad=True)
            assert len(list(data.questions())) == (2 if name == "aokvqa" else 3)
            assert data.skipped
        (tmp_path / name / "empty").mkdir()
        with pytest.raises(DataError, match=r"is here. Put \S+"):
            reader(str(tmp_path / name / "empty"))
        if name != "tdiuc":
            with pytest.raises(DataError, match=r"3 of [\d,]+ expected questions.*--skip-bad"):
                list(reader(str(write(tmp_path / name / "small", name))).questions())
    folder = write(tmp_path / "two", "textvqa")
    (folder / "TextVQA_0.5.1_train.json").write_text("{}")
    with pytest.raises(DataError, match=r"2 files of TextVQA are here: .*split=val"):
        open_path(folder)
    assert TextVqa(str(folder), split="val").files() == [str(folder / "TextVQA_0.5.1_val.json")]
    (folder / "im1.jpg").touch()
    data = TextVqa(str(folder), split="val", skip_bad=True)
    assert [q.image.path for q in data.questions()] == [str(folder / "im1.jpg")]
    assert "image file im2.jpg is neither in" in data.skipped[0]
    wrong = aokvqa(ROWS)["aokvqa_v1p0_val.json"]
    wrong[0]["correct_choice_idx"] = 4
    (tmp_path / "wrong").mkdir()
    (tmp_path / "wrong" / "some.json").write_text(json.dumps(wrong))
    with pytest.raises(BadRecord, match="'correct_choice_idx' must be a number from 0 to 3"):
        list(Aokvqa(str(tmp_path / "wrong" / "some.json"), task="choice").questions())


def test_the_evaluators_figures_by_hand(tmp_path):
    """Ten people: VQA's leave-one-out mean of min(1, n/3); A-OKVQA's evaluator: min(1, n/3) over all ten."""
    data = f"aokvqa:{write(tmp_path / 'aokvqa', 'aokvqa')},skip_bad=true"
    model = Says(lambda q: "other")  # said by one of ten to each of the two questions that are not difficult
    result = askew.evaluate(model, data, "accuracy:accuracy=simple")
    assert result.score("accuracy.all").value == pytest.approx(1 / 3)
    for name, figure in (("textvqa", 0.3), ("vizwiz", 0.3), ("okvqa", 0.3), ("tdiuc", 0.0)):
        result = askew.evaluate(model, f"{name}:{write(tmp_path / name, name)},skip_bad=true", "accuracy")
        # leaving out each of ten people once: nine times 1/3, once 0
        assert result.score("accuracy.all").value == pytest.approx(figure), name
    choices = askew.evaluate(Says(lambda q: "B"), f"{data},task=choice", "accuracy:accuracy=robust")
    assert choices.score("accuracy.all").value == 1


def test_suites_and_attacks_run_on_every_set(tmp_path):
    suites = (RadSuite(), P2Suite(least=0), CorruptionSuite("noise", "1"))
    for name in (*SETS, *OTHERS):
        image_name = SETS[name][2] if name in SETS else OTHERS[name][1]
        path = write(tmp_path / name, name)
        for key, image, *_ in ROWS if image_name else ():
            (path / image_name(key, image)).write_bytes(PHOTO)
        if name == "vlmevalkit":
            path /= "set.tsv"
        spec = f"{name}:{path},skip_bad=true" + ",options=false" * (name == "visdial")
        for suite, least in zip(suites, (2, 1, 2), strict=True):
            groups = [one for one in suite.groups(askew.open_data(spec), 0) if isinstance(one, Group) and one.variants]
            assert len(groups) >= least, (name, suite.name)
            variants = [variant.question for group in groups for variant in group.variants]
            assert all(question.image for question in variants)
            assert all(set(question.answers) <= set(question.choices or question.answers) for question in variants)
        # by hand: "black" is correct for the dog alone, and no typo changes what this model says
        attacked = askew.attack_model(Says(lambda q: "black"), spec, "typos", budget=3)
        assert attacked.score("attack.success").value == 0, name
