"""NaturalBench in its three shapes, and its evaluator's arithmetic recomputed by hand."""

from __future__ import annotations

import json
from base64 import b64encode

import pytest
from benchmark_samples import Says

import askew
from askew.answers.choices import letter_of
from askew.data.benchmarks.naturalbench import NaturalBench
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError

YES_NO = ("Is it wet?", "Is it dry?")
LETTERS = ("Which?", "What?")
GROUPS = ((YES_NO, "yes_no", ("Yes", "No", "No", "Yes")), (LETTERS, "mcq", ("A", "B", "B", "A")))


def rows():
    for number, (questions, kind, answers) in enumerate(GROUPS):
        for place, answer in enumerate(answers):
            text = questions[place // 2]
            if kind == "mcq":
                text += "\nOption: A:a cat; B:a dog; Please output the letter corresponding to the correct option."
            else:
                text += " Please answer Yes or No."
            yield [text, f"{number}_{place % 2}.jpg", answer, kind]


def as_json(folder):
    (folder / "test_set.json").write_text(json.dumps(list(rows())))
    return folder


def as_table(folder):
    lines = ["index\tquestion\tanswer\ttype\timage"]
    for index, (text, image, answer, kind) in enumerate(rows()):
        quoted = '"' + text.replace('"', '""') + '"'
        lines.append(f"{index}\t{quoted}\t{answer}\t{kind}\t{b64encode(image.encode() * 20).decode()}")
    (folder / "NaturalBenchDataset.tsv").write_text("\n".join(lines) + "\n")
    return folder / "NaturalBenchDataset.tsv"


def as_parquet(folder):
    parquet = pytest.importorskip("pyarrow.parquet")
    arrow = pytest.importorskip("pyarrow")
    found = list(rows())
    records = []
    for number in (0, 1):
        four = found[4 * number : 4 * number + 4]
        record = {"Index": number, "Question_0": four[0][0], "Question_1": four[2][0], "Source": "x"}
        record["Question_Type"] = {"mcq": "multiple_choice"}.get(four[0][3], four[0][3])
        for place in (0, 1):
            record[f"Image_{place}"] = {"bytes": four[place][1].encode(), "path": four[place][1]}
            for asked in (0, 1):
                record[f"Image_{place}_Question_{asked}"] = four[2 * asked + place][2]
        records.append(record)
    parquet.write_table(arrow.Table.from_pylist(records), folder / "train-00000-of-00001.parquet")
    return folder


@pytest.mark.parametrize("shape", [as_json, as_table, as_parquet])
def test_four_rows_are_a_group(tmp_path, shape):
    data = open_path(shape(tmp_path), skip_bad=True)
    assert isinstance(data, NaturalBench)
    yes_no, letters = data.groups()
    assert yes_no.original.text == "Is it wet? Please answer Yes or No."
    assert [v.question.answers for v in yes_no.variants] == [("no",), ("no",), ("yes",)]
    assert (letters.original.text, letters.original.choices) == ("Which?", ("a cat", "a dog"))
    assert [v.question.answers[0] for v in letters.variants] == ["a dog", "a dog", "a cat"]
    assert [dict(v.question.tags) for v in letters.variants][1] == {"question": "1", "image": "0"}
    members = [yes_no.original, *(v.question for v in yes_no.variants)]
    contents = [member.image.data or member.image.id for member in members]
    assert contents[0] == contents[2] != contents[1] == contents[3]
    assert data.remarks[-1].startswith("NaturalBench: 2 of ")


def test_faults(tmp_path):
    as_json(tmp_path)
    with pytest.raises(DataError, match="2 of 950 expected groups"):
        list(NaturalBench(str(tmp_path)).groups())
    found = list(rows())
    cases = (
        ([*found[1:], found[0]], "a question has the same answer for both images"),
        ([*found, found[0]], "four consecutive rows"),
        ([[*found[0][:2], "Maybe", "yes_no"], *found[1:]], "'answer' must be Yes or No"),
        ([[*found[0][:3], "open"], *found[1:]], "the type is 'open'"),
    )
    for changed, message in cases:
        (tmp_path / "test_set.json").write_text(json.dumps(changed))
        with pytest.raises(BadRecord, match=message):
            list(NaturalBench(str(tmp_path / "test_set.json")).groups())


def test_the_evaluators_figures_by_hand(tmp_path):
    model = Says(lambda q: "No" if q.id.endswith("/0/q0i0") else letter_of(q.choices, q.answers[0]) or q.answers[0])
    result = askew.evaluate(model, f"naturalbench:{as_json(tmp_path)},skip_bad=true", "naturalbench")
    # 2 groups of 4; one answer is wrong: it spoils one question, one image and one group
    assert result.score("accuracy.members").value == 7 / 8
    assert result.score("q-acc").value == result.score("i-acc").value == 3 / 4
    assert result.score("g-acc").value == 1 / 2
