"""POPE and POPEv2: groups of the published shape, and its evaluator's arithmetic recomputed by hand."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path

import pyarrow
import pytest
from benchmark_samples import Says
from pyarrow import parquet

import askew
from askew.answers.extract import extract
from askew.data.benchmarks.pope import Pope, PopeV2
from askew.data.open_path import open_path
from askew.errors import BadImage, BadOption, BadRecord, DataError
from askew.types import Expect, Prediction, Question

ABSENT = {"random": ("car", "tree"), "popular": ("chair", "table"), "adversarial": ("fork", "table")}


def rows(strategy):
    """Two images with one pair each, as POPE writes them."""
    for place, (present, absent) in enumerate(zip(("dog", "knife"), ABSENT[strategy], strict=True)):
        for offset, (thing, label) in enumerate(((present, "yes"), (absent, "no"))):
            yield {
                "question_id": 2 * place + offset + 1,
                "image": f"COCO_val2014_{place + 1:012d}.jpg",
                "text": f"Is there a {thing} in the image?",
                "label": label,
            }


def write(folder: Path, source: str = "coco_pope", listed: bool = False, **changed) -> Path:
    folder.mkdir(exist_ok=True)
    for strategy in ABSENT:
        records = list(rows(strategy))
        for number, change in changed.get(strategy, {}).items():
            records[number] |= change
        text = json.dumps(records) if listed else "".join(json.dumps(record) + "\n" for record in records)
        (folder / f"{source}_{strategy}.json").write_text(text)
    return folder


def pairs_of(data):
    """The groups of pairs, after those of one question."""
    return [group for group in data.groups() if dict(group.original.tags)["grouping"] == "pair"]


def test_present_objects_are_originals_and_absent_ones_variants(tmp_path):
    for source, listed in (("coco_pope", False), ("aokvqa_pope_seem", True)):
        data = open_path(write(tmp_path / source, source, listed), skip_bad=True)
        assert isinstance(data, Pope)
        first, second = pairs_of(data)
        assert first.original.text == "Is there a dog in the image?"
        assert first.original.image.id == "COCO_val2014_000000000001.jpg"
        assert [(v.test, v.question.text.split()[3]) for v in second.variants] == [
            ("random", "tree"), ("popular", "table"), ("adversarial", "table"),
        ]  # fmt: skip
        assert {(v.expect, v.question.answers) for v in first.variants} == {(Expect.GIVEN, ("no",))}
        ids = [q.id for g in (first, second) for q in (g.original, *(v.question for v in g.variants))]
        assert len(set(ids)) == 8
        size = "3,000 or 2,910" if source == "coco_pope" else "3,000"
        assert data.remarks[0] == f"POPE: 4 of {size} expected questions in {source}_random.json."


def test_every_question_is_a_group_of_each_strategy(tmp_path):
    singles = [g for g in open_path(write(tmp_path / "pope"), skip_bad=True).groups() if g.id.startswith("popular/")]
    assert [(g.original.text.split()[3], g.original.answers, g.variants) for g in singles] == [
        ("dog", ("yes",), ()), ("chair", ("no",), ()), ("knife", ("yes",), ()), ("table", ("no",), ()),
    ]  # fmt: skip
    assert {dict(g.original.tags)["strategy"] for g in singles} == {"popular"}


def test_an_image_with_fewer_absent_objects_keeps_all_its_questions(tmp_path):
    """LLaVA distributes an edition with 1,410 absent objects for 1,500 present ones."""
    folder = write(tmp_path / "pope")
    path = folder / "coco_pope_random.json"
    path.write_text("".join(line for line in path.read_text().splitlines(True) if "Is there a car" not in line))
    data = Pope(str(folder), skip_bad=True)
    assert [[v.test for v in group.variants] for group in pairs_of(data)] == [
        ["random", "popular", "adversarial"], ["popular", "adversarial"],
    ]  # fmt: skip
    result = askew.evaluate(Says(lambda q: "yes"), f"pope:{folder},skip_bad=true", "pope")
    # TP 2, FP 1: F1 counts the question about the dog, although it has no partner
    assert result.score("f1", "tag.strategy=random").value == pytest.approx(2 * 2 / (2 * 2 + 1))
    assert result.score("accuracy", "tag.strategy=random").value == pytest.approx(2 / 3)


def test_the_table_of_vlmevalkit(tmp_path):
    """One row for each question, whose category names its strategies; by the arithmetic of POPE_rating."""
    image, same, other = (b64encode(b"\x89PNG" + bytes(size)).decode() for size in (200, 200, 300))
    cells = [
        (0, image, "Is there a dog in the image?", "Yes", "adversarial,popular,random"),
        (1, same, "Is there a car in the image?", "No", "popular,random"),
        (2, "0", "Is there a fork in the image?", "No", "adversarial"),
        (3, other, "Is there a knife in the image?", "Yes", "adversarial,popular,random"),
        (4, other, "Is there a cup in the image?", "No", "adversarial,popular,random"),
    ]
    path = tmp_path / "POPE.tsv"
    rows = [("index", "image", "question", "answer", "category"), *cells]
    path.write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    data = open_path(path, skip_bad=True)
    assert isinstance(data, Pope)
    first, second = pairs_of(data)
    assert [(v.test, v.question.text.split()[3]) for v in first.variants] == [
        ("random", "car"), ("popular", "car"), ("adversarial", "fork"),
    ]  # fmt: skip
    assert len({v.question.image.id for v in (*first.variants, *second.variants)}) == 2  # equal images are one
    result = askew.evaluate(Says(lambda q: "No" if "car" in q.text else "Yes"), f"pope:{path},skip_bad=true", "pope")
    assert result.score("f1", "tag.strategy=random").value == pytest.approx(2 * 2 / (2 * 2 + 1))
    assert result.score("f1", "tag.strategy=adversarial").value == pytest.approx(2 * 2 / (2 * 2 + 2))
    assert result.score("f1").value == pytest.approx(2 * 6 / (2 * 6 + 4))  # Overall there: each row once per category


def test_the_published_size_is_checked(tmp_path):
    with pytest.raises(DataError, match=r"4 of 3,000 or 2,910 expected questions in coco_pope_random.json.*--skip-bad"):
        list(Pope(str(write(tmp_path / "pope"))).groups())


def test_faults_are_named_and_can_be_skipped(tmp_path):
    cases = (
        ({1: {"label": "maybe"}}, "the label is 'maybe'; it must be yes or no"),
        ({1: {"question_id": 1}}, "the id 1 occurs twice"),
        ({0: {"text": ""}}, "'text' is blank"),
    )
    for number, (change, message) in enumerate(cases):
        folder = write(tmp_path / str(number), popular=change)
        with pytest.raises(BadRecord, match=message):
            list(Pope(str(folder)).groups())
        data = Pope(str(folder), skip_bad=True)
        groups = pairs_of(data)
        assert len(data.skipped) == 1
        assert sum(len(group.variants) for group in groups) == 5  # the other pair of the file is still read
        assert len(groups) == 2


def test_present_objects_may_come_before_absent_ones(tmp_path):
    """An early edition of the random file: ids from 0, three present objects of an image, then three absent ones."""
    things = {"random": "pqrxyz", "popular": "pxqyrz"}  # p, q and r are there; the other file alternates
    for strategy, order in things.items():
        rows = [
            {"question_id": n, "image": f"{n // 6}.jpg", "image_id": n // 6, "text": f"Is there a {thing} in {n // 6}?",
             "label": "yes" if thing in "pqr" else "no"}
            for n, thing in enumerate(order * 2)
        ]  # fmt: skip
        (tmp_path / f"coco_pope_{strategy}.json").write_text("".join(json.dumps(row) + "\n" for row in rows))
    groups = pairs_of(Pope(str(tmp_path), skip_bad=True))
    assert [(g.original.text.split()[3], [v.question.text.split()[3] for v in g.variants]) for g in groups] == [
        ("p", ["x", "x"]), ("q", ["y", "y"]), ("r", ["z", "z"]),
    ] * 2  # fmt: skip
    assert [g.original.image.id for g in groups] == ["0.jpg"] * 3 + ["1.jpg"] * 3


def test_images_are_found_by_name_in_subfolders(tmp_path):
    folder = write(tmp_path / "pope")
    place = tmp_path / "coco" / "val2014"
    place.mkdir(parents=True)
    (place / "COCO_val2014_000000000001.jpg").touch()
    data = Pope(str(folder), images=str(tmp_path / "coco"), skip_bad=True)
    (group,) = pairs_of(data)
    assert group.original.image.path == str(place / "COCO_val2014_000000000001.jpg")
    assert "the image file COCO_val2014_000000000002.jpg is neither in" in data.skipped[0]
    with pytest.raises(BadImage, match=r"--skip-bad.* In all, 6 records are bad; questions about 1 images are left"):
        list(Pope(str(folder), images=str(tmp_path / "coco")).groups())


def test_missing_files_are_named(tmp_path):
    folder = write(tmp_path / "pope")
    (folder / "coco_pope_popular.json").unlink()
    data = open_path(folder, skip_bad=True)
    assert len(pairs_of(data)) == 2
    assert data.remarks[0] == "POPE: there is no file for popular; it belongs beside coco_pope_random.json."
    (tmp_path / "empty").mkdir()
    with pytest.raises(DataError, match=r"Put coco_pope_random.json"):
        Pope(str(tmp_path / "empty"))
    write(folder, "gqa_pope_seem")
    with pytest.raises(DataError, match="source=coco"):
        Pope(str(folder))
    assert len(pairs_of(Pope(str(folder), source="gqa", skip_bad=True))) == 2


def test_the_evaluators_figures_by_hand(tmp_path):
    """The public evaluator counts TP, TN, FP, FN per file of 2 × 2 questions, positive class yes."""
    model = Says(lambda q: "No, there is no table." if "table" in q.text else "Yes.")
    result = askew.evaluate(model, f"pope:{write(tmp_path / 'pope')},skip_bad=true", "pope")
    by_hand = {
        # strategy: TP, FP, TN, FN
        "random": (2, 2, 0, 0),
        "popular": (2, 1, 1, 0),
        "adversarial": (2, 1, 1, 0),
    }
    for strategy, (tp, fp, tn, fn) in by_hand.items():
        precision, recall = tp / (tp + fp), tp / (tp + fn)
        figures = {
            "accuracy": (tp + tn) / 4,
            "precision": precision,
            "recall": recall,
            "f1": 2 * precision * recall / (precision + recall),
            "yes": (tp + fp) / 4,
        }
        for metric, value in figures.items():
            assert result.score(metric, f"tag.strategy={strategy}").value == pytest.approx(value), (strategy, metric)
        assert result.score("pair", f"test={strategy}").value == tn / 2
    assert result.score("group").value == 0.0
    # the three files together: TP 6, FP 4, TN 2, FN 0
    assert result.score("accuracy").value == pytest.approx(8 / 12)
    assert result.score("f1").value == pytest.approx(2 * 6 / (2 * 6 + 4))
    assert result.score("yes").value == pytest.approx(10 / 12)


def test_the_parquet_files_of_lmms_lab(tmp_path):
    """The ids begin again in each category; the files are in a folder data."""
    (tmp_path / "data").mkdir()
    for place, strategy in enumerate(("adversarial", "popular", "random")):
        records = [
            {"id": str(n), "question_id": str(row["question_id"]), "question": row["text"], "answer": row["label"],
             "image_source": row["image"], "image": {"bytes": row["image"].encode(), "path": None},
             "category": strategy}
            for n, row in enumerate(rows(strategy))
        ]  # fmt: skip
        table = pyarrow.Table.from_pylist(records)
        parquet.write_table(table, tmp_path / "data" / f"test-0000{place}-of-00003.parquet")
    data = open_path(tmp_path)
    assert isinstance(data, Pope)
    assert [len(group.variants) for group in pairs_of(data)] == [3, 3]
    assert data.answered({"question_id": "2", "category": "random"}, "a.jsonl") == ("random/2",)
    assert "random/2" in {group.original.id for group in data.groups()}


class Rambles:
    """Never says what POPE's rule reads as a no, except about dogs."""

    blind = True

    def answer(self, questions):
        return [Prediction(q.id, "Not sure. No." if "dog" in q.text else "I cannot tell, no") for q in questions]


def test_the_rule_of_the_evaluator_decides_the_number(tmp_path):
    data = f"pope:{write(tmp_path / 'pope')},skip_bad=true"
    # by hand: "Not sure" has no word no, so it is a yes; all the others are no: 1 of 2 present objects is found
    result = askew.evaluate(Rambles(), data, "pope", extract="pope")
    assert result.run.results["model"]["extract"] == "pope-v1"
    assert result.score("recall", "tag.strategy=random").value == 0.5
    assert result.score("accuracy", "tag.strategy=random").value == 0.75
    with pytest.raises(BadOption, match="for yes/no questions and multiple choice, and question 1 "):
        extract("pope", Question(1, None, "What is it?"), Prediction(1, "a cat"))


def pope_v2(folder):
    def record(name, label, query="Is there a hat in the image?"):
        return {"image_id": 1, "image_name": name, "target_object": "hat", "query": query, "label": label}

    found = [record("/images/1.jpg", "No"), record("/coco/train2017/1.jpg", "Yes")]
    found += [record("/images/2.jpg", "No"), record("/coco/train2017/2.jpg", "Yes")]
    (folder / "annotations.json").write_text(json.dumps(found))
    for name in ("images/1.jpg", "coco/train2017/1.jpg", "images/2.jpg", "coco/train2017/2.jpg"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(name.encode())
    return folder


def test_edited_images_of_pope_v2(tmp_path):
    data = open_path(pope_v2(tmp_path), skip_bad=True)
    assert isinstance(data, PopeV2)
    first, _ = data.groups()
    assert (first.original.answers, first.variants[0].question.answers) == (("yes",), ("no",))
    assert first.original.image.path == str(tmp_path / "coco" / "train2017" / "1.jpg")
    assert data.remarks == ["POPEv2: 2 of 500 expected pairs."]
    result = askew.evaluate(Says(lambda q: "yes"), f"pope-v2:{tmp_path},skip_bad=true", "pope-v2")
    assert (result.score("recall").value, result.score("precision").value) == (1.0, 0.5)
    assert (result.score("pair").value, result.score("yes").value) == (0.0, 1.0)
    (tmp_path / "annotations.json").write_text((tmp_path / "annotations.json").read_text().replace('"No"', '"Yes"'))
    with pytest.raises(BadRecord, match="must be a pair"):
        list(PopeV2(str(tmp_path)).groups())
