"""MMVP, NLVR2 and AMBER: pairs of the published shape, and their evaluators' arithmetic recomputed by hand."""

from __future__ import annotations

import json

import pytest
from benchmark_samples import Says, nlvr2

import askew
from askew.cli import main
from askew.data.benchmarks.amber import Amber
from askew.data.benchmarks.mmvp import Mmvp
from askew.data.open_path import open_path
from askew.engine.result import Result
from askew.errors import BadImage, BadRecord, DataError


def mmvp(folder, rows=None, start=1, index="Index"):
    rows = rows or [
        ("(a) Open (b) Closed", "(a)"),
        ("(a) Open (b) Closed", "(b)"),
        ("(a) Yes (b) No", "(b)"),
        ("(a) Yes (b) No", "(a)"),
    ]
    lines = [f"{index},Question,Options,Correct Answer"]
    lines += [f'{start + n},"Are they, or not?",{options},{answer}' for n, (options, answer) in enumerate(rows)]
    (folder / "Questions.csv").write_text("\n".join(lines) + "\n")
    (folder / "MMVP Images").mkdir(exist_ok=True)
    for number in range(start, start + len(rows)):
        (folder / "MMVP Images" / f"{number}.jpg").write_bytes(bytes([number % 256]))
    return folder


def test_rows_of_mmvp_are_pairs(tmp_path):
    data = open_path(mmvp(tmp_path), skip_bad=True)
    assert isinstance(data, Mmvp)
    first, second = data.groups()
    assert (first.original.choices, first.original.answers) == (("Open", "Closed"), ("Open",))
    assert first.variants[0].question.answers == ("Closed",)
    assert first.variants[0].question.image.path == str(tmp_path / "MMVP Images" / "2.jpg")
    assert second.original.answers == ("No",)
    assert data.remarks == ["MMVP: 2 of 150 expected pairs."]
    with pytest.raises(DataError, match="2 of 150 expected pairs"):
        list(Mmvp(str(tmp_path)).groups())


def test_the_index_of_mmvp_may_be_misspelt_as_in_the_published_file(tmp_path):
    data = open_path(mmvp(tmp_path, index="lndex"), skip_bad=True)
    assert isinstance(data, Mmvp)
    assert [group.id for group in data.groups()] == ["1", "3"]


def test_labels_of_mmvp_can_be_corrected(tmp_path):
    folder = mmvp(tmp_path, [("(a) Open (b) Closed", "(a)"), ("(a) Open (b) Closed", "(b)")], start=99)
    for labels, answer in (("published", "Open"), ("corrected", "Closed")):
        data = Mmvp(str(folder), skip_bad=True, labels=labels)
        assert [group.original.answers for group in data.groups()] == [(answer,)]
    assert "99, 100, 279, 280 are swapped" in data.remarks[0]


def test_faults_of_mmvp(tmp_path):
    mmvp(tmp_path, [("(a) Open", "(a)"), ("(a) Open (b) Closed", "(b)")])
    with pytest.raises(BadRecord, match="row 2"):
        list(Mmvp(str(tmp_path)).groups())
    (mmvp(tmp_path) / "MMVP Images" / "3.jpg").unlink()
    with pytest.raises(BadImage, match=r"3\.jpg"):
        list(Mmvp(str(tmp_path)).groups())
    assert len(list(Mmvp(str(tmp_path), skip_bad=True).groups())) == 1


def test_mmvp_by_hand(tmp_path):
    result = askew.evaluate(Says(lambda q: "(a)"), f"mmvp:{mmvp(tmp_path)},skip_bad=true", "mmvp")
    assert (result.score("pair").value, result.score("accuracy.members").value) == (0.0, 0.5)
    result = askew.evaluate(
        Says(lambda q: q.answers[0] if int(q.id) < 4 else "none"), f"mmvp:{tmp_path},skip_bad=true", "mmvp"
    )
    assert (result.score("pair").value, result.score("accuracy.members").value) == (0.5, 0.75)


QUERIES = (
    (1, "discriminative-hallucination", "no", "Is there a dog in this image?"),
    (2, "discriminative-attribute-state", "no", "Is the sky cloudy in this image?"),
    (3, "discriminative-attribute-state", "yes", "Is the sky sunny in this image?"),
    (4, "discriminative-relation", "yes", "Is there direct contact between the hat and head?"),
    (5, "relation", "no", "Is there direct contact between the hat and ball?"),
)


def amber(folder, **changed):
    (folder / "query").mkdir(exist_ok=True)
    annotations = [{"id": key, "type": kind, "truth": truth} for key, kind, truth, _ in QUERIES]
    annotations.append({"id": 6, "type": "generative", "truth": ["dog"], "hallu": []})
    queries = [{"id": key, "image": "AMBER_1.jpg", "query": text} for key, _, _, text in QUERIES]
    for number, change in changed.get("annotations", {}).items():
        annotations[number] |= change
    (folder / "annotations.json").write_text(json.dumps(annotations))
    (folder / "query" / "query_discriminative.json").write_text(json.dumps(queries))
    return folder


def test_opposite_attributes_of_amber_are_pairs(tmp_path):
    data = open_path(amber(tmp_path), skip_bad=True)
    assert isinstance(data, Amber)
    groups = list(data.groups())
    assert [(g.original.id, [v.question.id for v in g.variants]) for g in groups] == [
        (1, []),
        (3, [2]),
        (4, []),
        (5, []),
    ]
    assert [g.original.kind.question_type for g in groups] == ["existence", "attribute", "relation", "relation"]
    assert data.remarks == ["AMBER: 5 of 14,216 expected questions.", "AMBER: 1 of 3,814 expected attribute pairs."]
    with pytest.raises(DataError, match="5 of 14,216"):
        list(Amber(str(tmp_path)).groups())
    with pytest.raises(BadRecord, match="the label is 'relation: perhaps'"):
        list(Amber(str(amber(tmp_path, annotations={4: {"truth": "perhaps"}}))).groups())
    (tmp_path / "annotations.json").unlink()
    with pytest.raises(DataError, match=r"Put annotations\.json"):
        Amber(str(tmp_path))


def test_amber_by_hand(tmp_path):
    """The published evaluator's positive class is no: precision and recall of denials."""
    rule = Says(lambda q: "No" if "dog" in q.text or "hat" in q.text else "Yes")
    result = askew.evaluate(rule, f"amber:{amber(tmp_path)},skip_bad=true", "amber")
    # truth no no yes yes no, said no yes yes no no: 2 denials of 3 found, 2 of 3 denials correct
    assert result.score("accuracy.members").value == 3 / 5
    assert result.score("precision").value == result.score("recall").value == pytest.approx(2 / 3)
    assert result.score("f1").value == pytest.approx(2 / 3)
    assert result.score("accuracy.members", "question_type=relation").value == 0.5
    assert result.score("accuracy.members", "tag.type=attribute-state").value == 0.5
    assert result.score("pair").value == 0.0
    assert result.score("yes").value == 2 / 5


def test_sentences_of_nlvr2_by_hand(tmp_path):
    """Two sentences about four pairs each, and two images for each; one wrong answer spoils one sentence."""
    data = open_path(nlvr2(tmp_path, 8))
    groups = list(data.groups())
    assert [len(group.variants) for group in groups] == [3, 3]
    assert [image.id for image in groups[1].variants[1].question.images] == ["dev-1-2-img0.png", "dev-1-2-img1.png"]
    assert groups[0].original.text == 'Is this sentence true of the two images? "There are dogs"'
    labels = {f"dev-{place}-{pair}-0": str(pair % 2 == 0) for place in (0, 1) for pair in range(4)}
    labels["dev-1-3-0"] = "True"
    predictions = tmp_path / "answers.csv"
    predictions.write_text("identifier,prediction\n" + "".join(f"{key},{said}\n" for key, said in labels.items()))
    out = tmp_path / "out"
    assert main(["score", f"nlvr2:{tmp_path / 'dev.json'}", str(predictions), "--output", str(out), "--quiet"]) == 0
    results = Result(out)
    assert results.score("accuracy.members").value == 7 / 8
    assert results.score("consistency").value == 1 / 2
    for identifier, label, message in (
        ("dev-1-0-0", "maybe", "it must be True or False"),
        ("dev-1", "True", "it must have four parts"),
    ):
        record = {"identifier": identifier, "sentence": "A dog.", "label": label}
        (tmp_path / "dev.json").write_text(json.dumps(record))
        with pytest.raises(DataError, match=message):
            list(data.groups())
