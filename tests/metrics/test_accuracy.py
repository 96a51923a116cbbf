from __future__ import annotations

import json
import math

import pytest
from outcomes_by_hand import outcome, total, variant

from askew.errors import BadOption, MissingPredictions
from askew.metrics.accuracy import Accuracy, Gap, Mu, Worst, accuracy, leave_one_out, official_table
from askew.metrics.scorer import signature
from askew.types import Kind, Question


@pytest.mark.parametrize(("matching", "value"), [(0, 0.0), (1, 0.3), (2, 0.6), (3, 0.9), (4, 1.0), (10, 1.0)])
def test_ten_annotators_allow_five_values(matching, value):
    answers = ("red",) * matching + ("blue",) * (9 - matching) + ("green",) * (1 if matching < 10 else 0)
    assert accuracy("red", answers[:10]) == value
    assert accuracy("Red", (*answers[:9], "violet") if matching < 10 else answers, "robust") == value


def test_leave_one_out_is_the_mean_over_the_sets_that_leave_one_out():
    for people in range(4, 13):
        for matching in range(people + 1):
            answers = [True] * matching + [False] * (people - matching)
            sets = [answers[:place] + answers[place + 1 :] for place in range(people)]
            assert leave_one_out(matching, people) == pytest.approx(sum(min(1, sum(s) / 3) for s in sets) / people)


def test_fewer_than_four_annotators_can_give_full_accuracy():
    assert accuracy("red", ("red",)) == 1.0
    assert accuracy("red", ("red", "red")) == 1.0
    assert accuracy("red", ("red", "blue")) == 0.5  # left out: red -> 0 of 1, blue -> 1 of 1
    assert accuracy("red", ("red", "red"), "simple") == 1.0
    assert accuracy("red", ("red", "blue"), "simple") == 0.5


def test_official_normalises_only_when_people_disagree():
    unanimous = ("yes",) * 10
    assert accuracy("Yes.", unanimous) == 0.0  # sic
    assert accuracy("Yes.", unanimous, "robust") == 1.0
    assert accuracy("Yes.", ("yes",) * 9 + ("no",)) == 1.0
    assert accuracy(" yes\n", unanimous) == 1.0  # white space is always stripped
    assert accuracy("yes", ("yes ",) + ("yes",) * 9) == 1.0  # unanimous but for a space
    assert accuracy("Yes", ("yes ",) + ("yes",) * 9) == 0.0
    assert accuracy("yes", ("Yes",) * 10) == 0.0  # the people's answer is not normalised either


def test_simple_mode_counts_all_annotators():
    answers = ("red",) * 2 + ("blue",) * 8
    assert accuracy("red", answers, "simple") == pytest.approx(2 / 3)
    assert accuracy("red", answers) == 0.6
    assert accuracy("Red.", ("red",) * 10, "simple") == 1.0


def test_exact_is_character_for_character():
    assert accuracy("yes", ("yes",), "exact") == 1.0
    assert accuracy("Yes", ("yes",), "exact") == 0.0
    assert accuracy("a cat", ("cat", "a cat", "a cat"), "exact") == 1.0


def test_questions_without_annotators_have_no_accuracy():
    assert math.isnan(accuracy("yes", ()))


OUTCOMES = [
    outcome("red", ("red",) * 3 + ("blue",) * 7, variant("red", "red"), variant("blue", "red"), id=1),  # .9; 1, 0
    outcome("blue", "red", variant("red", ("red",) + ("blue",) * 9), id=2),  # 0; .3
    outcome("red", "red", id=3),  # 1; no variant
    outcome(None, "red", variant("red", "red"), id=4),  # no answer; 1
    outcome("red", "red", variant(None, "red"), variant("red", "red"), id=5),  # 1; none, 1
]


def test_accuracy_of_originals_variants_and_all():
    assert total(Accuracy("original"), OUTCOMES) == pytest.approx((0.9 + 0 + 1) / 3)
    assert total(Accuracy("variant"), OUTCOMES) == pytest.approx((1 + 0 + 0.3 + 1 + 1) / 5)
    assert total(Accuracy("all"), OUTCOMES) == pytest.approx((0.9 + 0 + 1 + 1) / 4)


def test_missing_answers_counted_as_wrong_or_correct():
    assert total(Accuracy("variant"), OUTCOMES, failed=0.0) == pytest.approx(3.3 / 6)
    assert total(Accuracy("variant"), OUTCOMES, failed=1.0) == pytest.approx(4.3 / 6)
    assert total(Accuracy("original"), OUTCOMES, failed=1.0) == pytest.approx(2.9 / 4)
    assert Accuracy("original").measure(OUTCOMES[3]) is None


def test_gap_and_mu_need_both_sides():
    # Groups 1, 2, 5: originals .9 (for two variants), 0, 1; variants 1, 0, .3, 1.
    assert total(Gap(), OUTCOMES) == pytest.approx(2.3 / 4 - 2.8 / 4)
    assert total(Mu(), OUTCOMES) == pytest.approx((2.8 / 4 + 2.3 / 4) / 2)
    assert total(Accuracy("paired"), OUTCOMES) == pytest.approx(2.8 / 4)
    assert Gap().measure(OUTCOMES[2]) is None
    assert Gap().measure(OUTCOMES[3]) is None


def test_the_gap_is_zero_where_nothing_changes():
    same = [
        outcome("red", "red", variant("red", "red"), variant("red", "red")),
        outcome("x", "red", variant("x", "red")),
    ]
    assert total(Gap(), same) == 0.0  # though the original that is right has two variants and the other one
    assert total(Accuracy("paired"), same) == total(Accuracy("variant"), same) == pytest.approx(2 / 3)


def test_signs_and_means_as_vqa_p2_prints_them():
    # BAN on synonymous questions, Table 2: Pert 64.5, Ori 66.3, Δ -1.8.
    sums = (66.3, 100.0, 64.5, 100.0)
    assert float(Gap().combine(sums)) == pytest.approx(-0.018)
    assert float(Mu().combine(sums)) == pytest.approx(0.654)


def test_a_question_without_annotators_is_never_measured_whatever_failed_is():
    unknown = outcome("red", (), variant(None, ()))
    assert Accuracy("all").measure(unknown, 0.0) is None
    assert Accuracy("variant").measure(unknown, 1.0) is None


def test_unknown_modes_and_sides_are_refused():
    with pytest.raises(BadOption, match="Known: official, robust, simple, exact"):
        Accuracy(mode="oficial")
    with pytest.raises(BadOption, match="Known: official"):
        accuracy("two", ("2",), "oficial")
    with pytest.raises(BadOption, match="original, paired, variant, all"):
        Accuracy(of="variants")


def test_few_references_are_scored_by_their_own_rule_which_the_signature_names():
    """The public evaluator always divides by 3, so a single answer gives 0 even if it matches."""
    for mode, divisor in (("official", "min(3, n - 1)"), ("robust", "min(3, n - 1)"), ("simple", "min(3, n)")):
        assert f"; references=matches/{divisor};" in signature(Accuracy(mode=mode))
        assert [accuracy("red", ("red",) * n, mode) for n in (1, 2, 3, 4)] == [1.0] * 4
    assert "references" not in signature(Accuracy(mode="exact"))
    assert [accuracy("red", ("red", "blue", *more), "simple") for more in ((), ("tan",))] == [1 / 2, 1 / 3]
    assert accuracy("red", ("red", "blue")) == 1 / 2
    assert accuracy("red", ("red", "blue", "tan")) == pytest.approx(1 / 3)


def test_the_signature_names_the_mode():
    assert repr(Accuracy("original")) == "Accuracy(of='original', mode='official')"


SOME = ("red",) * 2 + ("blue",) * 8


def test_worst_by_hand():
    groups = [
        outcome("red", "red", variant("red", SOME), variant("red", "red"), id=1),  # .6
        outcome("blue", "red", variant("red", "red"), id=2),  # 1, with the original 0
        outcome("red", "red", id=3),
    ]
    assert total(Worst(), groups) == 0.8
    assert total(Worst(original=True), groups) == 0.3


def test_a_group_with_a_missing_answer_is_left_out():
    unknown = outcome("red", "red", variant(None, "red"), variant("red", SOME))
    assert Worst().measure(unknown) is None
    assert Worst().measure(unknown, 0.0) == (0.0, 1.0)
    assert Worst().measure(unknown, 1.0) == (0.6, 1.0)
    assert Worst().measure(outcome("red", "red", variant(None, "red"), variant("x", "red"))) is None


@pytest.fixture(scope="module")
def annotations(real_data):
    path = real_data("vqa2_dev/v2_mscoco_train2014_annotations.json")
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
def test_gives_the_official_evaluators_figures(name, annotations, questions, real_data):
    official = json.loads(real_data("vqa2_dev/official_accuracy.json").read_text(encoding="utf-8"))[name]
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


def test_missing_predictions_are_named():
    with pytest.raises(MissingPredictions, match=r"2 questions .* e\.g\. 7"):
        official_table([asked(7, ("x",)), asked(8, ("x",)), asked(9, ("x",))], {9: "x"})


def test_no_questions_give_nan():
    assert math.isnan(official_table([], {}).overall)
