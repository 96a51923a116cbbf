"""Colliding ids: data in which answers by id would be mixed up is refused, and nothing else is."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import askew
from askew.data.groups import unique_by_id, write_groups
from askew.engine.components import as_data, as_suite
from askew.engine.publish import publish
from askew.engine.settings import Settings
from askew.errors import DataError
from askew.models.python_function import CallableModel
from askew.types import Expect, Group, ImageRef, Question, Variant

CAT, BUS = "What color is the cat?", "What color is the bus?"


def asked(key: str | int, text: str = CAT, image: str = "a") -> Question:
    return Question(key, ImageRef(image), text, ("white",) * 10)


def group(key: str | int, text: str, variant: str | int) -> Group:
    changed = Variant(asked(variant, f"{text} Say it."), Expect.SAME, "VISUAL-INV", "x")
    return Group(key, "mine", asked(key, text), (changed,))


@pytest.mark.parametrize(
    ("groups", "named"),
    [
        ([group(1, CAT, "1/x"), group("1", BUS, "1/x")], ["'1/x'", CAT, BUS, "group 1)", "group '1')"]),
        ([group(1, CAT, "v"), group(2, BUS, "v")], ["'v'", "group 1)", "group 2)"]),
        ([group(7, CAT, "7/x"), group("7/x", BUS, "z")], ["'7/x'", "group 7)", "group '7/x')"]),
        ([Group(1, "mine", asked(1)), Group(2, "mine", asked(1, image="b"))], ["'1'", "group 1)", "group 2)"]),
    ],
    ids=["number and text", "variant and variant", "variant and original", "another image"],
)
def test_an_id_of_two_questions_is_refused_and_both_are_named(groups, named) -> None:
    with pytest.raises(DataError, match=r"^mine\.jsonl: the id ") as caught:
        list(unique_by_id(groups, "mine.jsonl"))
    assert all(word in str(caught.value) for word in named)


def test_a_repeated_id_with_the_same_question_is_accepted() -> None:
    groups = [group(1, CAT, "1/x"), Group(1, "other", asked(1)), group("01", BUS, "01/x"), group("1", BUS, "y")]
    assert list(unique_by_id(groups, "mine.jsonl")) == groups


@pytest.fixture
def meeting(tmp_path: Path) -> Path:
    """A file of groups in which the variants of 1 and "1" have the same ids."""
    groups = [replace(group(key, text, "1/x"), suite="visual") for key, text in ((1, CAT), ("1", BUS))]
    write_groups(groups, str(tmp_path / "groups.jsonl"))
    return tmp_path / "groups.jsonl"


def test_a_benchmark_with_colliding_ids_is_not_published(meeting: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="the id '1/x' belongs to two questions"):
        publish(as_suite("visual"), as_data(meeting), tmp_path / "out", Settings(), "")
    assert [file.name for file in (tmp_path / "out").iterdir()] == [".askew.json"]


def test_answers_by_id_are_not_used_for_two_questions(meeting: Path, tmp_path: Path) -> None:
    said = [{"question_id": key, "answer": "white"} for key in (1, "1", "1/x")]
    (tmp_path / "answers.json").write_text(json.dumps(said))
    with pytest.raises(DataError, match="the id '1/x' belongs to two questions"):
        askew.evaluate(f"predictions:{tmp_path / 'answers.json'}", meeting, "visual")
    assert askew.evaluate("constant:white", meeting, "visual").score("accuracy.variant").n == 2, "these go by content"


def test_a_question_asked_once_fails_once() -> None:
    def broken(image: object, question: str) -> str:
        raise ValueError("no")

    blind = CallableModel.of(broken, blind=True)
    result = askew.evaluate(blind, [asked(n) for n in range(10)], "accuracy", max_failures=1)
    assert {key: result.results["failures"][key] for key in ("count", "asked")} == {"count": 1, "asked": 1}
    assert result.score("accuracy.all").failed == 10


def test_a_number_and_its_text_do_not_share_an_answer(tmp_path: Path) -> None:
    data, answers = [asked(1), asked("1", BUS), asked("01", BUS)], tmp_path / "answers.json"
    answers.write_text('{"1": "white", "01": "white"}')
    with pytest.raises(DataError, match="the id '1' belongs to two questions"):
        askew.evaluate(f"predictions:{answers}", data, "accuracy")
    assert askew.evaluate(f"predictions:{answers}", [data[0], data[2]], "accuracy").score("accuracy.all").value == 1
    said = [{"question_id": key, "answer": answer} for key, answer in ((1, "white"), ("1", "red"), ("01", "red"))]
    answers.write_text(json.dumps(said))
    assert askew.evaluate(f"predictions:{answers}", data, "accuracy").score("accuracy.all").value == pytest.approx(
        1 / 3
    )
