"""CARETS: the released shape and our own, and the paper's three figures recomputed by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import askew
from askew.data.benchmarks.paper_releases import TEST_OF_SUFFIX, CaretsRelease
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError
from askew.suites.carets import SUFFIXES, write_release
from askew.types import Expect, Group, ImageRef, Kind, Prediction, Question, Variant


def record(key, sent, answer, type_="verification", **more):
    image = key.split("-")[0]
    return {"img_id": image, "label": {answer: 1.0}, "question_id": key, "sent": sent, "question_type": type_,
            "assignment": {"obj1": "dog"}, **more}  # fmt: skip


FILES = {
    "obj_verification_rephrase_test.json": [
        record("7-1-3-t", "Does it show a dog?", "yes", new_template_number=4),
        record("7-1-3", "Is there a dog?", "yes"),
        record("8-1-3", "Is there a cat?", "no"),
        record("8-1-3-t", "Does it show a cat?", "no", new_template_number=4),
        record("9-1-3", "Is there a cow?", "no"),
    ],
    "obj_verification_negation_test.json": [
        record("7-1-3", "Is there a dog?", "yes"),
        record("7-1-3-n", "Is there no dog?", "no"),
        record("8-1-3", "Is there a cat?", "no"),
        record("8-1-3-n", "Is there no cat?", "yes"),
    ],
}


def write(folder: Path, name: str = "", change: dict | None = None) -> Path:
    folder.mkdir()
    for file, records in FILES.items():
        changed = [{**one, **(change or {}).get(place, {})} if file == name else one
                   for place, one in enumerate(records)]  # fmt: skip
        (folder / file).write_text(json.dumps(changed))
    return folder


def test_pairs_are_recognised_by_the_suffix_of_the_id(tmp_path):
    data = open_path(write(tmp_path / "carets"))
    assert isinstance(data, CaretsRelease)
    groups = list(data.groups())
    assert [(g.original.text, [(v.question.text, v.expect, v.test) for v in g.variants]) for g in groups] == [
        ("Is there a dog?", [("Is there no dog?", Expect.DIFFERENT, "NEGATION-DIR")]),
        ("Is there a cat?", [("Is there no cat?", Expect.DIFFERENT, "NEGATION-DIR")]),
        ("Is there a dog?", [("Does it show a dog?", Expect.SAME, "REPHRASE-INV")]),
        ("Is there a cat?", [("Does it show a cat?", Expect.SAME, "REPHRASE-INV")]),
    ]
    assert groups[0].original.image == ImageRef("7")
    assert groups[2].variants[0].note == {"arguments": {"obj1": "dog"}, "form": "binary"}
    assert len({g.id for g in groups}) == 4
    assert data.remarks == [
        "CARETS: 2 of 27 expected files.",
        "CARETS: left out because nothing was made from them: 1 questions of obj_verification_rephrase_test.json.",
        "CARETS: 2 pairs of NEGATION-DIR (the paper has 10,000, Table 6).",
        "CARETS: 2 pairs of REPHRASE-INV (the paper has 19,412, Table 6).",
    ]
    (one,) = (path for path in data.files() if "negation" in path)
    assert len(list(open_path(one).groups())) == 2
    assert {test: letter for letter, test in TEST_OF_SUFFIX.items()} == SUFFIXES


def test_what_askew_writes_is_read_again(tmp_path):
    images = [ImageRef("7"), ImageRef("aa11")]
    asked = Question("q", images[0], "Is it red, blue or green?", ("red",), Kind("other", "Q6"))
    note = {"template": [2, 5], "arguments": {"options": ["red", "blue", "green"]}}
    made = [
        Group("1", "carets", asked, (Variant(asked, Expect.SAME, "ORDER-INV", "carets/Q6", note),)),
        Group("2", "carets", asked, (Variant(Question("q/v", images[1], asked.text, ("red",), asked.kind),
                                             Expect.SAME, "VISUAL-INV", "visual/blur-3", note),)),
    ]  # fmt: skip
    write_release(made, tmp_path)
    data = open_path(tmp_path)
    order, visual = data.groups()
    assert order.original.kind == asked.kind
    assert order.variants[0].note == {
        "arguments": note["arguments"], "form": "multi-choice", "choices": "3-choice",
    }  # fmt: skip
    assert (visual.variants[0].made_by, visual.variants[0].question.image.id) == ("visual/blur-3", "aa11")
    assert data.remarks == ["CARETS: 1 pairs of ORDER-INV.", "CARETS: 1 pairs of VISUAL-INV."]


def test_faults_are_named_and_can_be_skipped(tmp_path):
    name = "obj_verification_negation_test.json"
    cases = (
        ({1: {"question_id": "7-1-3"}}, "the id '7-1-3' occurs twice"),
        ({1: {"label": {}}}, "'label' must be an object"),
        ({0: {"question_id": "6-1-3"}}, "the question it was made from is not in the file"),
        ({0: {"sent": ""}}, "'sent' is blank"),
    )
    for number, (change, message) in enumerate(cases):
        folder = write(tmp_path / str(number), name, change)
        with pytest.raises(BadRecord, match=message):
            list(CaretsRelease(str(folder)).groups())
        data = CaretsRelease(str(folder), skip_bad=True)
        assert len(list(data.groups())) == 3
        assert len(data.skipped) == 1
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match="Put the JSON lists of the release"):
        CaretsRelease(str(tmp_path / "empty"))
    with pytest.raises(DataError, match="this is not a file of CARETS"):
        CaretsRelease(__file__)
    folder = write(tmp_path / "images")
    (folder / "7.jpg").touch()
    with pytest.raises(DataError, match=r"image file 8.jpg is neither in"):
        list(CaretsRelease(str(folder)).groups())
    data = CaretsRelease(str(folder), skip_bad=True)
    assert [group.original.image.path for group in data.groups()] == [str(folder / "7.jpg")] * 2


class SeesDogs:
    """Says yes about dogs and no otherwise, so negated questions get the same answer."""

    blind = True

    def answer(self, questions):
        return [Prediction(q.id, "yes" if "dog" in q.text else "no") for q in questions]


def test_the_papers_figures_by_hand(tmp_path):
    result = askew.evaluate(SeesDogs(), f"carets:{write(tmp_path / 'carets')}", "carets")
    by_hand = {
        # test: accuracy over both sides, consistent pairs, pairs correct on both sides
        "REPHRASE-INV": (4 / 4, 2 / 2, 2 / 2),
        "NEGATION-DIR": (2 / 4, 0 / 2, 0 / 2),
    }
    for test, figures in by_hand.items():
        for metric, value in zip(("acc", "cons", "cacc"), figures, strict=True):
            assert result.score(f"carets.{metric}", f"test={test}").value == value, (test, metric)
