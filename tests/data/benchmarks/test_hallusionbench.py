"""HallusionBench: five groupings of the same questions, and the evaluator's arithmetic recomputed by hand."""

from __future__ import annotations

import json

import pytest

import askew
from askew.data.benchmarks.hallusionbench import HallusionBench
from askew.data.open_path import open_path
from askew.errors import BadImage, BadRecord, DataError
from askew.types import Prediction


def record(category, figure, question, answer, visual):
    name = None if category == "VS" and figure == "0" else f"hallusion_bench/{category}/chart/0_{figure}.png"
    return {
        "category": category, "subcategory": "chart", "visual_input": visual, "set_id": "0", "figure_id": figure,
        "sample_note": "x", "question_id": question, "question": f"Is it {question}?", "gt_answer": answer,
        "gt_answer_details": "", "filename": name,
    }  # fmt: skip


RECORDS = [
    record("VD", "1", "0", "0", "2"),
    record("VD", "0", "0", "1", "1"),
    record("VD", "0", "1", "1", "1"),
    record("VD", "1", "1", "0", "2"),
    record("VS", "0", "0", "1", "0"),
    record("VS", "1", "0", "0", "1"),
]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "HallusionBench.json").write_text(json.dumps(RECORDS))
    for category in ("VD", "VS"):
        place = tmp_path / "hallusion_bench" / category / "chart"
        place.mkdir(parents=True)
        for figure in ("0", "1"):
            (place / f"0_{figure}.png").write_bytes(f"{category}{figure}".encode())
    return tmp_path


def test_questions_are_grouped_five_ways(folder):
    data = open_path(folder, skip_bad=True)
    assert isinstance(data, HallusionBench)
    groups = list(data.groups())
    by = {
        name: [g for g in groups if dict(g.original.tags)["grouping"] == name]
        for name in ("single", "question", "figure", "easy", "hard")
    }
    assert [len(found) for found in by.values()] == [6, 3, 3, 3, 2]
    assert [len(g.variants) for g in by["easy"]] == [0, 0, 1]  # VS: without a figure, and about one that is unchanged
    first = by["question"][0]
    assert first.original.id == "VD/chart/0/0/0"  # the unchanged figure, though it comes second in the file
    assert [v.question.answers for v in first.variants] == [("no",)]
    assert {len(g.variants) for g in by["figure"]} == {1, 0}
    assert by["question"][2].original.image is None
    image = first.variants[0].question.image
    assert image.path.endswith("VD/chart/0_1.png")  # found below another folder of the same file name
    assert "HallusionBench: 6 of 1,129 expected questions." in data.remarks
    assert "HallusionBench: 1 of 178 expected questions without an image." in data.remarks


def test_faults(folder):
    with pytest.raises(DataError, match="6 of 1,129 expected questions"):
        list(HallusionBench(str(folder)).groups())
    cases = (
        ({"gt_answer": "2"}, "the label is '2'"),
        ({"filename": "x/9.png"}, "the image file 9.png"),
        ({"set_id": None}, "'set_id'"),
    )
    for change, message in cases:
        (folder / "mine.json").write_text(json.dumps([{**RECORDS[0], **change}, *RECORDS[1:]]))
        with pytest.raises((BadRecord, BadImage), match=message):
            list(HallusionBench(str(folder / "mine.json")).groups())
        data = HallusionBench(str(folder / "mine.json"), skip_bad=True)
        list(data.groups())
        assert len(data.skipped) == 1  # reported once, though the file is read five times
    (folder / "mine.json").write_text(json.dumps([*RECORDS, RECORDS[0]]))
    with pytest.raises(BadRecord, match="occurs twice"):
        list(HallusionBench(str(folder / "mine.json")).groups())


class Says:
    """Says the same to every question, and counts them."""

    blind = True

    def __init__(self, words):
        self.asked, self.words = 0, words

    def answer(self, questions):
        self.asked += len(questions)
        return [Prediction(q.id, self.words) for q in questions]


def test_the_evaluators_figures_by_hand(folder):
    model = Says("Yes.")
    result = askew.evaluate(model, f"hallusionbench:{folder},skip_bad=true", "hallusionbench")
    assert model.asked == 6  # each question once, though it is in three groups
    assert result.score("a-acc").value == 3 / 6
    assert result.score("q-acc").value == 0.0  # no question has yes for every figure
    assert result.score("f-acc").value == pytest.approx(
        1 / 3
    )  # both questions about VD figure 0; VS figure 0 does not count
    # of three questions two are correct on all unchanged figures; by question it would be 3 of 4
    assert result.score("easy").value == pytest.approx(2 / 3)
    assert result.score("hard").value == 0.0
    # wrong: VD question 0 and 1 repeat a correct answer on the changed figure; VS fails on an unchanged figure
    assert [result.score(kind).value for kind in ("language", "vision", "mixed")] == pytest.approx([0, 1 / 3, 2 / 3])


@pytest.mark.parametrize("words", ["I'm not sure.", "unclear"])
def test_unsure_without_an_image_counts_as_the_authors_count(folder, words):
    """VS figure 0 has no image: of six questions one is correct, and no group with a figure is."""
    data = f"hallusionbench:{folder},skip_bad=true"
    result = askew.evaluate(Says(words), data, "hallusionbench:correct=modal-or-unsure")
    assert result.score("a-acc").value == pytest.approx(1 / 6)
    assert [result.score(name).value for name in ("q-acc", "f-acc", "hard")] == [0.0, 0.0, 0.0]
    assert "modal-or-unsure" in result.score("a-acc").signature
    assert askew.evaluate(Says(words), data, "hallusionbench").score("a-acc").value == 0.0
