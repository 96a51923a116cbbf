"""VLMEvalKit's tables and MMStar: options, images in cells, rotations, and circular accuracy recomputed by hand."""

from __future__ import annotations

import csv
from base64 import b64encode

import pytest
from benchmark_samples import Says

import askew
from askew.data.benchmarks.mmstar import MmStar
from askew.data.benchmarks.vlmevalkit import VlmEvalKitCircular, VlmEvalKitTable
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError

IMAGE = b64encode(b"\x89PNG" + bytes(200)).decode()
OTHER = b64encode(b"\x89PNG" + bytes(300)).decode()


def table(path, rows, columns=("index", "image", "question", "hint", "A", "B", "C", "D", "answer", "category")):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, columns, delimiter="\t")
        writer.writeheader()
        writer.writerows(rows)
    return path


def rotated(base, options, answer, image):
    """A row with its rotations as VLMEvalKit writes them: the image only in the first."""
    for shift in range(len(options)):
        turned = options[shift:] + options[:shift]
        letters = dict(zip("ABCD", turned, strict=False))
        correct = "ABCD"[turned.index(answer)]
        cell = image if not shift else str(base)
        yield {
            "index": base + shift * 1_000_000,
            "image": cell,
            "question": "What, exactly?",
            **letters,
            "answer": correct,
        }


def circular(folder):
    rows = [*rotated(7, ("a cat", "a dog", "a cow"), "a dog", IMAGE), *rotated(9, ("yes", "no"), "yes", OTHER)]
    rows.sort(key=lambda row: row["index"])  # rotations come after all questions
    return table(folder / "MMBench_DEV_EN.tsv", rows)


def test_rotations_are_groups(tmp_path):
    data = open_path(circular(tmp_path))
    assert isinstance(data, VlmEvalKitCircular)
    first, second = data.groups()
    assert (first.original.id, first.original.choices) == (7, ("a cat", "a dog", "a cow"))
    assert [v.question.choices[0] for v in first.variants] == ["a dog", "a cow"]
    assert {v.question.answers for v in first.variants} == {("a dog",)}
    assert {q.image.data for q in (first.original, *(v.question for v in first.variants))} == {b"\x89PNG" + bytes(200)}
    assert {q.image.id for q in (second.original, second.variants[0].question)} == {"9"}
    assert data.remarks == ["VLMEvalKit: 2 questions.", "VLMEvalKit: 3 rotations."]


def test_circular_accuracy_by_hand(tmp_path):
    rule = Says(lambda q: "A" if q.choices[0] in ("yes", "no") else f"It is {q.answers[0]}.")
    result = askew.evaluate(rule, f"vlmevalkit:{circular(tmp_path)}", "choices")
    # 5 rows: always right about the cow, right about one of the two orders of yes and no
    assert result.score("circular").value == 0.5
    assert result.score("accuracy.all").value == 1.0
    assert result.score("accuracy.variant").value == pytest.approx(2 / 3)


def test_plain_tables(tmp_path):
    rows = [
        {"index": 1, "image": IMAGE, "question": "Is it?", "answer": "Yes", "category": "existence"},
        {"index": 2, "image": "1", "question": "Which?", "A": "x", "B": "y", "answer": "B", "hint": "Look."},
        {"index": 3, "image": "1", "question": "Why?", "answer": "because", "category": "x"},
    ]
    data = open_path(table(tmp_path / "set.tsv", rows))
    assert isinstance(data, VlmEvalKitTable)
    yes_no, choice, plain = data.questions()
    assert (yes_no.answers, yes_no.kind.answer_type, yes_no.kind.question_type) == (("yes",), "yes/no", "existence")
    assert (choice.answers, choice.choices, choice.context) == (("y",), ("x", "y"), "Hint: Look.")
    assert plain.answers == ("because",)
    assert {q.image.id for q in (yes_no, choice, plain)} == {"1"}
    assert type(open_path(circular(tmp_path))) is VlmEvalKitCircular
    forced = askew.open_data(f"vlmevalkit:{circular(tmp_path)},circular=no")
    assert len(list(forced.questions())) == 5


def test_the_accuracy_of_plain_tables_by_hand(tmp_path):
    """VLMEvalKit counts the rows whose extracted letter, or yes or no, is the answer: over all, and by category."""
    rows = [
        {"index": 1, "image": IMAGE, "question": "1?", "A": "a cat", "B": "a dog", "answer": "B", "category": "pets"},
        {"index": 2, "image": "1", "question": "2?", "A": "a cat", "B": "a dog", "answer": "B", "category": "pets"},
        {"index": 3, "image": "1", "question": "3?", "A": "a cat", "B": "a dog", "answer": "A", "category": "pets"},
        {"index": 4, "image": "1", "question": "Is it 4?", "answer": "No", "category": "facts"},
        {"index": 5, "image": "1", "question": "Is it 5?", "answer": "Yes", "category": "facts"},
    ]
    replies = {1: "(B)", 2: "It is a dog", 3: "B or A", 4: "No.", 5: "Yes and no"}  # hits: 1, 2 and 4
    data = f"vlmevalkit:{table(tmp_path / 'set.tsv', rows)}"
    rule = Says(lambda q: replies[q.id])
    result = askew.evaluate(rule, data, "accuracy:accuracy=robust", extract="vlmevalkit")
    assert result.score("accuracy.all").value == 3 / 5
    assert result.score("accuracy.all", "question_type=pets").value == pytest.approx(2 / 3)
    assert result.score("accuracy.all", "question_type=facts").value == 1 / 2


def test_faults(tmp_path):
    good = {"index": 1, "image": IMAGE, "question": "Which?", "A": "x", "B": "y", "answer": "B"}
    cases = (
        ({"index": 1}, "the id 1 occurs twice"),
        ({"index": 2, "answer": "C"}, "the answer 'C' is not in 'choices'"),
        ({"index": 2, "image": "9"}, "neither base64 nor the index of a row"),
        ({"index": 2, "B": "x"}, "two of 'choices' are 'x'"),
    )
    for change, message in cases:
        path = table(tmp_path / "set.tsv", [good, {**good, **change}])
        with pytest.raises(askew.AskewError, match=message):
            list(open_path(path).questions())
        assert len(list(open_path(path, skip_bad=True).questions())) == 1
    wrong = [good, {**good, "index": 1_000_001, "A": "z", "answer": "A"}]
    with pytest.raises(BadRecord, match="not those of row 1 in another order"):
        list(open_path(table(tmp_path / "x_circular.tsv", wrong)).groups())


def test_mmstar(tmp_path):
    question = "What is it?\nOptions: A: a cat, B: a dog., C: a cow, D: a hen"
    rows = [
        {"index": n, "image": IMAGE, "question": question, "answer": "C", "category": "math", "l2_category": "x"}
        for n in (0, 1)
    ]
    columns = ("index", "image", "question", "answer", "category", "l2_category")
    path = table(tmp_path / "MMStar.tsv", rows, columns)
    for spec in (path, tmp_path):
        data = open_path(spec, skip_bad=True)
        assert isinstance(data, MmStar)
        first, _ = data.questions()
        assert (first.text, first.choices, first.answers) == (
            "What is it?",
            ("a cat", "a dog.", "a cow", "a hen"),
            ("a cow",),
        )
    with pytest.raises(DataError, match="2 of 1,500 expected questions"):
        list(open_path(path).questions())
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    records = [{**row, "image": {"bytes": b"abc", "path": None}} for row in rows]
    parquet.write_table(arrow.Table.from_pylist(records), tmp_path / "mmstar.parquet")
    found = list(open_path(tmp_path / "mmstar.parquet", skip_bad=True).questions())
    assert [(q.id, q.image.data, q.answers) for q in found] == [(n, b"abc", ("a cow",)) for n in (0, 1)]
    result = askew.evaluate("constant:C", f"mmstar:{path},skip_bad=true", "choices")
    assert (result.score("accuracy.all").value, result.score("circular").value) == (1.0, 0.0)


def test_rows_may_have_several_images(tmp_path):
    several = f"['{IMAGE}', '{OTHER}']"
    rows = [
        {"index": n, "image": image, "question": "Is it?", "answer": "yes"}
        for n, image in enumerate((several, f"['{IMAGE}']"))
    ]
    path = table(tmp_path / "set.tsv", rows)
    several, single = open_path(path).questions()
    assert [image.id for image in several.images] == ["0", "0/2"]
    assert several.images[0].data != several.images[1].data
    assert (single.image.data, single.more_images) == (b"\x89PNG" + bytes(200), ())
