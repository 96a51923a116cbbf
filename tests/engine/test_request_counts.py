"""What is counted and refused while groups are built: every group is decoded once for each model, or not at all."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace

import pytest

import askew
import askew.data.groups
from askew.cli import main
from askew.engine.resume import Keys
from askew.engine.settings import Named
from askew.engine.store import Store
from askew.errors import BadImage, BadRecord, DataError, MissingPredictions, RunError
from askew.models.baselines import Constant
from askew.types import Group, ImageRef, Prediction, Question
from running import plan, write_questions
from shout_suite import Shout


@pytest.fixture
def decoded(tmp_path, monkeypatch):
    """The ids of the groups that were decoded from a file, in order; the working folder has ten questions."""
    monkeypatch.chdir(tmp_path)
    write_questions(tmp_path / "q.jsonl", 10)
    ids, plain = [], askew.data.groups.group_from

    def counting(record):
        ids.append(record["group"])
        return plain(record)

    monkeypatch.setattr(askew.data.groups, "group_from", counting)
    return ids


def test_each_group_is_decoded_once_for_each_model(decoded, tmp_path):
    once = list(range(10))
    common = ("--data", "q.jsonl", "--suite", "rad:originals=all", "--quiet")
    assert main(["run", "--model", "constant:yes", *common, "--metric", "worst", "--output", "one"]) == 0
    assert decoded == once
    decoded.clear()
    assert main(["run", "--model", "constant:yes", *common, "--output", "one"]) == 0  # resumed from the store
    assert decoded == once * 2  # the groups in the folder are read instead of built
    decoded.clear()
    assert main(["run", "--model", "constant:yes", "--model", "constant:no", *common, "--output", "two"]) == 0
    assert decoded == once * 2
    decoded.clear()
    predictions = [{"question_id": number, "answer": "red"} for number in once]
    (tmp_path / "p.json").write_text(json.dumps(predictions))
    assert main(["score", "q.jsonl", "p.json", "--output", "score", "--quiet"]) == 0
    assert decoded == once
    assert not (tmp_path / "score" / "answers.sqlite").exists()
    decoded.clear()
    askew.evaluate("constant:yes", "q.jsonl", "accuracy", output=tmp_path / "evaluated")
    assert decoded == once


def test_predictions_that_lack_an_answer_are_reported_after_bad_records_and_groups(decoded, tmp_path):
    (tmp_path / "p.json").write_text('[{"question_id": 0, "answer": "red"}]')
    with pytest.raises(MissingPredictions, match=r"no prediction for 9 of the 10 questions just looked up, e.g. 1 "):
        askew.evaluate("predictions:p.json", "q.jsonl", "accuracy", output=tmp_path / "o")
    assert (tmp_path / "o" / "groups.jsonl").is_file()
    assert not (tmp_path / "o" / "samples.jsonl").exists()
    with pytest.raises(BadRecord, match=r"q.jsonl: group 0, made by suite 'shout': question 0 needs a text"):
        askew.evaluate("predictions:p.json", "q.jsonl", Odd(fault="blank"))
    with (tmp_path / "q.jsonl").open("a") as file:
        file.write('{"id": 10, "image": 1, "question": 7}\n')
    with pytest.raises(BadRecord, match="line 11"):
        askew.evaluate("predictions:p.json", "q.jsonl", "accuracy", output=tmp_path / "o")


@dataclass(frozen=True)
class Odd(Shout):
    """A suite of another package with a fault: blank text, an invalid id, or a repeated group."""

    fault: str = ""

    def groups(self, data, seed):
        for group in super().groups(data, seed):
            if self.fault == "blank":
                group = replace(group, original=replace(group.original, text=" "))
            elif self.fault == "id":
                group = replace(group, original=replace(group.original, id=True))
            yield replace(group, id=7) if self.fault == "repeated" else group


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("blank", "group 0, .*: question 0 needs a text"),
        ("id", "group 0, .*: the ids of question True and of its images must be text or whole numbers"),
        ("repeated", "group 7, .*: an earlier group has the same id"),
    ],
)
def test_faults_in_groups_of_other_packages_are_refused_by_group(decoded, fault, said):
    with pytest.raises(BadRecord, match=f"q.jsonl: {said}"):
        askew.evaluate(Constant(), "q.jsonl", Odd(fault=fault))


@dataclass(frozen=True)
class Asked:
    """Records its questions."""

    name: str
    opens_images: bool = False
    questions: list[Question] = field(default_factory=list, repr=False)

    def answer(self, questions):
        self.questions.extend(questions)
        return [Prediction(question.id, "yes") for question in questions]


def test_what_one_model_lacks_is_reported_before_any_model_is_asked(decoded, tmp_path):
    first, second = Asked("first"), Asked("second", opens_images=True)
    with pytest.raises(BadImage, match="10 of 10 questions name an image whose file is not known"):
        askew.evaluate([first, second], "q.jsonl", "accuracy")
    original = {"id": 1, "answers": ["yes"] * 10}
    records = [{"group": n, "suite": "accuracy", "original": original | {"question": f"Is it {n}?"}} for n in (1, 2)]
    (tmp_path / "groups.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    (tmp_path / "p.json").write_text('[{"question_id": 1, "answer": "yes"}]')
    with pytest.raises(DataError, match="the id 1 belongs to two questions, 'Is it 1"):
        askew.evaluate("predictions:p.json", "groups.jsonl", "accuracy")
    assert not first.questions


def test_stored_answers_are_found_by_key_prefixes(tmp_path):
    groups = [Group(n, "s", Question(n, ImageRef(n), f"q{n % 4}")) for n in range(8)]
    model = Named(Constant(), "")
    with Store(tmp_path / "earlier") as earlier, Store(tmp_path / "own") as own:
        assert plan(groups, model, own).calls == 8
        keys = [Keys(model.what).of(group.original) for group in groups]
        earlier.put((key, Prediction(0, "yes", tokens=(10, 1))) for key in keys[:3])
        own.put((key, Prediction(0, "yes", tokens=(100, 2))) for key in keys[2:5])
    with Store(tmp_path / "own", tmp_path / "earlier") as both:
        found = plan([*groups, *groups], model, both)
        assert (found.groups, found.questions, found.distinct, found.known) == (16, 16, 8, 5)
        assert found.tokens == (320, 8)
        both._db.execute("UPDATE answers SET answer = 'no'")
        with pytest.raises(RunError, match="not the one that was written"):
            plan(groups, model, both)
