"""Data and groups of a training add up, with weights; images that are measured on are never trained on."""

from __future__ import annotations

import json

import orjson
import pytest
import torch
from tiny import NET, Colored, groups, questions

import askew
from askew.data.groups import write_groups
from askew.errors import BadOption, DataError
from askew.train.loop import train
from askew.train.losses import AnswerLoss, Augment
from askew.train.training_data import read_pairs

SETTINGS = {"epochs": 1, "batch_size": 16, "least_answers": 1}


def trained(folder, data, val=None, **options):
    return train(NET, data, questions(24, 1000) if val is None else val, Colored(), output=folder, **SETTINGS | options)


def weights(folder):
    return torch.load(folder / "weights.pt", weights_only=True)


def test_data_adds_up_and_a_weight_counts_as_often(tmp_path):
    """Weight 1 is as without weights; other weights give another network."""
    first, second = questions(32), questions(32, 100)
    trained(tmp_path / "joined", [*first, *second])
    trained(tmp_path / "apart", [first, second])
    trained(tmp_path / "ones", [first, second], weights=[1, 1])
    trained(tmp_path / "more", [first, second], weights=[1, 3])
    joined, apart, ones, more = (weights(tmp_path / name) for name in ("joined", "apart", "ones", "more"))
    assert all(torch.equal(joined[key], apart[key]) and torch.equal(joined[key], ones[key]) for key in joined)
    assert not all(torch.equal(joined[key], more[key]) for key in joined)
    config = orjson.loads((tmp_path / "more" / "config.json").read_bytes())
    assert [source["weight"] for source in config["data"]] == [1, 3]
    assert config["questions"]["train"] == 64


@pytest.mark.parametrize("kind", ["bce", "ce"])
def test_a_question_of_weight_two_is_two_questions(kind):
    """Errors of three questions a, b, c: (a + 2 b + 0.5 c) / 3."""
    logits, targets = (
        torch.tensor([[1.0, -1.0], [0.5, 2.0], [0.0, 0.0]]),
        torch.tensor([[1.0, 0.0], [0.3, 0.9], [0, 1]]),
    )
    loss = AnswerLoss(kind)
    each = [loss(logits[[row]], targets[[row]]).item() for row in range(3)]
    assert loss(logits, targets).item() == pytest.approx(sum(each) / 3)
    found = loss(logits, targets, torch.tensor([1.0, 2.0, 0.5])).item()
    assert found == pytest.approx((each[0] + 2 * each[1] + 0.5 * each[2]) / 3)


@pytest.mark.parametrize("given", [[1.0], [1, 2, 3], [1, 0], [1, -1], [1, float("nan")], [1, float("inf")]])
def test_weights_that_do_not_fit_are_refused(tmp_path, given):
    with pytest.raises(BadOption, match="weight"):
        trained(tmp_path, [questions(8), questions(8, 100)], weights=given)


def test_images_that_are_validated_or_excluded_are_refused_with_their_number(tmp_path):
    with pytest.raises(DataError, match=r"12 of 96 training images are also in --val"):
        trained(tmp_path / "a", questions(), val=questions(12))
    write_groups(groups(questions(5, 90)), str(tmp_path / "test.jsonl"))
    with pytest.raises(DataError, match=r"5 of 96 training images are also in .*test\.jsonl, e\.g\. 9"):
        trained(tmp_path / "a", questions(), exclude=[tmp_path / "test.jsonl"])
    with pytest.raises(DataError, match=r"1 of 97 training images is also in --val"):
        trained(tmp_path / "a", questions(), losses=[Augment()], groups=groups(questions(1, 1005)))
    trained(tmp_path / "a", questions(90), exclude=[tmp_path / "test.jsonl"])


def test_a_run_is_excluded_by_its_groups(tmp_path):
    asked = [json.dumps({"id": n, "image": n, "question": "Is it?", "answers": ["yes"]}) for n in range(90, 100)]
    (tmp_path / "q.jsonl").write_text("\n".join(asked) + "\n")
    askew.evaluate(["constant:yes", "constant:no"], str(tmp_path / "q.jsonl"), "accuracy", output=tmp_path / "runs")
    for run in (tmp_path / "runs" / "constant-yes", tmp_path / "runs" / "groups.jsonl", tmp_path / "q.jsonl"):
        with pytest.raises(DataError, match="6 of 96 training images are also in"):
            trained(tmp_path / "a", questions(), exclude=[run])


def test_groups_add_up_from_suites_files_and_questions_without_variants(tmp_path):
    """A release's questions have no variants: each is its own."""
    asked = questions(6)
    write_groups(groups(asked[:2]), str(tmp_path / "groups.jsonl"))
    records = [{"id": f"r{n}", "image": n, "question": "How many?", "answers": ["2"]} for n in range(3)]
    (tmp_path / "release.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    sources = [tmp_path / "groups.jsonl", str(tmp_path / "release.jsonl"), *groups(asked[2:3])]
    found = read_pairs(sources, asked, images=None, skip_bad=False, seed=0)
    assert [group.original.id for group in found] == [0, 1, "r0", "r1", "r2", 2]
    assert [len(group.variants) for group in found[2:5]] == [1, 1, 1]
    assert found[2].variants[0].question == found[2].original
    done = trained(tmp_path / "net", asked + questions(40, 50), losses=[Augment(rate=1.0)], groups=sources)
    assert done.config["pairs"] == {
        f"{tmp_path / 'groups.jsonl'}, {tmp_path / 'release.jsonl'}, given": {"syn": 3, "ant": 2, "release.jsonl": 3}
    }


def test_of_a_release_the_train_split_is_trained_on_and_the_dev_split_validates(tmp_path):
    """Its folder stands for its test questions wherever models are measured."""
    release = tmp_path / "release"
    release.mkdir()
    (release / "release.json").write_text("{}")
    for number, name in enumerate(("test", "dev", "train")):
        records = [
            {"id": f"{name}{n}", "image": 100 * number + n, "question": "How many?", "answers": ["2"]} for n in range(9)
        ]
        (release / f"{name}.jsonl").write_text("".join(json.dumps(record) + "\n" for record in records))
    found = read_pairs(release, [], images=None, skip_bad=False, seed=0)
    assert [group.original.id for group in found] == [f"train{n}" for n in range(9)]
    done = trained(tmp_path / "net", [release, questions(32, 1000)], val=str(release), exclude=[release])
    assert done.config["questions"] == {"train": 41, "val": 9}
    assert "train.jsonl" in done.config["data"][0]["signature"]
    assert "dev.jsonl" in done.config["val"]
