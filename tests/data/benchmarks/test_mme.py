"""MME: pairs of questions about an image, and the score of its evaluator recomputed by hand."""

from __future__ import annotations

from base64 import b64encode

import pyarrow
import pytest
from benchmark_samples import Says
from pyarrow import parquet

import askew
from askew.data.benchmarks.mme import Mme
from askew.data.match_predictions import match_predictions
from askew.data.open_path import open_path
from askew.errors import BadRecord
from askew.metrics.benchmark_metrics import MmeScore
from askew.types import Expect, Group, Kind, Outcome, Prediction, Question, Variant

ASKED = {
    place: tuple(
        (f"Is it {name}? Please answer yes or no.", label) for name, label in zip(names, ("Yes", "No"), strict=True)
    )
    for place, names in {
        ("OCR", "a"): ("cat", "dog"),
        ("OCR", "b"): ("bus", "car"),
        ("code_reasoning", "1"): "12",
    }.items()
}


def release(folder):
    """Texts beside the images in one category, in a folder of their own in the other."""
    for (category, name), pair in ASKED.items():
        texts, images = ("questions_answers_YN", "images") if category == "OCR" else ("", "")
        for place in (texts, images):
            (folder / category / place).mkdir(parents=True, exist_ok=True)
        (folder / category / texts / f"{name}.txt").write_text("\n".join("\t".join(row) for row in pair) + "\n")
        (folder / category / images / f"{name}.png").write_bytes(name.encode())
    (folder / "readme.txt").write_text("about")
    return folder


def table(folder):
    rows = ["index\timage\tquestion\tanswer\tcategory"]
    for (category, name), pair in ASKED.items():
        first = len(rows) - 1
        for question, label in pair:
            image = str(first) if len(rows) - 1 > first else b64encode(name.encode() * 100).decode()
            rows.append(f"{len(rows) - 1}\t{image}\t{question}\t{label}\t{category}")
    (folder / "MME.tsv").write_text("\n".join(rows) + "\n")
    return folder / "MME.tsv"


def hub(folder):
    rows = [
        {"question_id": f"{category}/{name}.png", "image": {"bytes": name.encode(), "path": None}, "question": question,
         "answer": label, "category": category}
        for (category, name), pair in ASKED.items() for question, label in pair
    ]  # fmt: skip
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "test-00000-of-00001.parquet")
    return folder


@pytest.mark.parametrize("write", [release, table, hub])
def test_two_questions_about_an_image_are_a_group(tmp_path, write):
    data = open_path(write(tmp_path), skip_bad=True)
    assert isinstance(data, Mme)
    groups = list(data.groups())
    assert [(g.original.answers, g.variants[0].question.answers) for g in groups] == [(("yes",), ("no",))] * 3
    assert [g.original.kind.question_type for g in groups] == ["OCR", "OCR", "code_reasoning"]
    assert all(group.original.image == group.variants[0].question.image for group in groups)
    # "Yes" to all but one question: OCR 100 × (3/4 + 1/2), code 100 × (1/2 + 0)
    result = askew.evaluate(Says(lambda q: "No" if "dog" in q.text else "Yes"), f"mme:{data.path},skip_bad=true", "mme")
    assert (result.score("perception").value, result.score("cognition").value) == (125.0, 50.0)
    assert (result.score("score.OCR").value, result.score("score.code_reasoning").value) == (125.0, 50.0)
    assert result.score("accuracy.members").value == pytest.approx(4 / 6)
    assert result.score("both").value == pytest.approx(1 / 3)


def test_the_sum_over_categories_by_hand():
    def outcome(category, said):
        kind = Kind("yes/no", category)
        first, second = (Question(n, None, "Is it?", (label,), kind) for n, label in enumerate(("yes", "no")))
        group = Group(category, "mme", first, (Variant(second, Expect.GIVEN, "image", "mme"),))
        return Outcome(group, Prediction(0, said[0]), (Prediction(1, said[1]),))

    metric = MmeScore("perception")
    rows = [metric.measure(outcome("OCR", ("yes", "no"))), metric.measure(outcome("OCR", ("no", "no")))]
    rows.append(metric.measure(outcome("color", ("yes", "yes"))))
    assert metric.combine([sum(column) for column in zip(*rows, strict=True)]) == 100 * (3 / 4 + 1 / 2) + 100 * (1 / 2)
    assert metric.measure(outcome("code_reasoning", ("yes", "no"))) is None
    assert metric.measure(outcome("OCR", ("yes", None))) is None


@pytest.mark.parametrize("write", [release, hub])
def test_replies_of_mme_and_of_llava_are_matched_by_image_and_words(tmp_path, write):
    (tmp_path / "data").mkdir()
    data = open_path(write(tmp_path / "data"), skip_bad=True)
    results = tmp_path / "results"
    results.mkdir()
    for (category, name), pair in ASKED.items():
        with (results / f"{category}.txt").open("a") as file:
            for question, label in reversed(pair):
                file.write(f"{name}.png\t{question}\t{label}\t{label}, it is.\n")
    found = match_predictions(str(results), data).answers
    assert len(found) == 6
    for group in data.groups():
        assert (found[group.original.id], found[group.variants[0].question.id]) == ("Yes, it is.", "No, it is.")
    lines = [
        f'{{"question_id": "{category}/{name}.png", "prompt": "{question}", "text": "{label}"}}\n'
        for (category, name), pair in ASKED.items() for question, label in pair
    ]  # fmt: skip
    (tmp_path / "llava.jsonl").write_text("".join(lines))
    assert set(match_predictions(str(tmp_path / "llava.jsonl"), data).answers) == set(found)


def test_a_line_without_a_tab_is_refused(tmp_path):
    (release(tmp_path) / "OCR" / "questions_answers_YN" / "a.txt").write_text("Is it? Yes\n")
    with pytest.raises(BadRecord, match=r"a.txt: row 1: 1 cells instead of 2"):
        list(Mme(str(tmp_path)).groups())
