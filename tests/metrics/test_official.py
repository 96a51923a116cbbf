from __future__ import annotations

import json
import math
from pathlib import Path

import pytest

from askew.errors import MissingPredictions
from askew.metrics.official import official_table
from askew.types import Kind, Question

VQA2_DEV = Path(__file__).parents[2] / ".." / "shared" / "data" / "vqa2_dev"


@pytest.fixture(scope="module")
def annotations():
    path = VQA2_DEV / "v2_mscoco_train2014_annotations.json"
    if not path.exists():
        pytest.skip(f"{path} is not there: no VQA v2 annotations to compare with the official evaluator on")
    return json.loads(path.read_text(encoding="utf-8"))["annotations"]


@pytest.fixture(scope="module")
def questions(annotations):
    return [
        Question(
            a["question_id"],
            None,
            "",
            tuple(person["answer"] for person in a["answers"]),
            Kind(a["answer_type"], a["question_type"]),
        )
        for a in annotations
    ]


ANSWERS = {
    "valid/all_yes": lambda a: "yes",
    "valid/modal_answer": lambda a: a["multiple_choice_answer"],
    "valid/annotator1": lambda a: a["answers"][0]["answer"],
    "valid/modal_answer_capitalised_with_period": lambda a: a["multiple_choice_answer"].capitalize() + ".",
}


@pytest.mark.parametrize("name", ANSWERS)
def test_gives_the_official_evaluators_figures(name, annotations, questions):
    official = json.loads((VQA2_DEV / "official_accuracy.json").read_text(encoding="utf-8"))[name]
    table = official_table(questions, {a["question_id"]: ANSWERS[name](a) for a in annotations})
    assert table.overall == official["overall"]
    assert dict(table.answer_types) == official["perAnswerType"]
    assert dict(table.question_types) == official["perQuestionType"]
    assert table.questions == len(annotations)


def asked(number, answers, answer_type="other", question_type="what"):
    return Question(number, None, "", answers, Kind(answer_type, question_type))


def test_by_hand_quirks_included():
    questions = [
        asked(1, ("yes",) * 10, "yes/no", "is"),  # "Yes." is wrong: people agree, nothing is normalised
        asked(2, ("yes",) * 9 + ("no",), "yes/no", "is"),  # "Yes." is right
        asked(3, ("2",) * 2 + ("3",) * 8, "number", "how many"),  # "two": .6
        asked(4, ("t-shirt",) * 3 + ("shirt",) * 7),  # "T shirt": .9
        asked(5, ("somebodyd",) + ("x",) * 9),  # "somebody'd": .3
    ]
    table = official_table(questions, {1: "Yes.", 2: "Yes.", 3: "two", 4: "T shirt", 5: "somebody'd"})
    assert table.overall == 56.0  # (0 + 1 + .6 + .9 + .3) / 5
    assert table.answer_types == {"yes/no": 50.0, "number": 60.0, "other": 60.0}
    assert table.question_types == {"is": 50.0, "how many": 60.0, "what": 60.0}


def test_says_which_predictions_are_missing():
    with pytest.raises(MissingPredictions, match=r"2 questions .* e\.g\. 7"):
        official_table([asked(7, ("x",)), asked(8, ("x",)), asked(9, ("x",))], {9: "x"})


def test_nothing_is_nan():
    assert math.isnan(official_table([], {}).overall)
