"""Training on a tiny world: it learns, can be interrupted, and is reproducible."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import orjson
import pytest
import torch
from tiny import NET, Colored, Stops, groups, questions

from askew.errors import BadImage, BadOption, DataError, RunError, UsageError
from askew.files.read_write import alone_in
from askew.nets.net_config import NetConfig
from askew.train import loop
from askew.train.checkpoint import load_trained
from askew.train.loop import train
from askew.train.losses import Q3R, AnswerLoss, Augment, Consistency, RandomImage
from askew.train.trained_model import TrainedModel
from askew.types import ImageRef, Question
from askew.verbs import Scores


def tiny(output, losses=(), net=NET, **settings):
    asked = questions()
    options = {"epochs": 2, "batch_size": 16, "least_answers": 1, "rate": 0.01, "groups": groups(asked)} | settings
    return train(net, asked, questions(24, 1000), Colored(), losses, output=output, **options)


@pytest.fixture(scope="module")
def learned(tmp_path_factory):
    """A trained network."""
    folder = tmp_path_factory.mktemp("learned")
    return tiny(folder, net=replace(NET, hidden=32, gumbel=False, dropout=0.0), epochs=10, rate=0.02)


def weights(folder, name="weights.pt"):
    return torch.load(folder / name, weights_only=True)


def equal(one, other):
    return one.keys() == other.keys() and all(torch.equal(one[key], other[key]) for key in one)


def test_training_learns_and_writes_its_files(learned):
    history, folder = learned.history, learned.folder
    assert [one["epoch"] for one in history] == list(range(1, 11))
    assert history[-1]["loss"]["answer"] < history[0]["loss"]["answer"] / 2
    assert max(one["accuracy"] for one in history) > 0.75, "of the words alone it would be about a half"
    assert set(history[0]["by_answer_type"]) == {"other", "yes/no"}
    assert {file.name for file in folder.iterdir()} == {
        *(".askew.json", "answers.json", "config.json", "history.json"),
        *("report.html", "state.pt", "weights.pt", "words.json"),
    }
    page = (folder / "report.html").read_text()
    assert "<polyline" in page
    assert "default-src 'none'" in page
    config = orjson.loads((folder / "config.json").read_bytes())
    assert config["net"]["answers"] == len(learned.answers) == 7
    assert config["questions"] == {"train": 96, "val": 24}


def test_questions_of_bad_images_are_left_out_and_listed(tmp_path):
    asked, broken = questions(), [Question(-3, ImageRef(-3), "Is it red?", ("yes",) * 10)]
    given = NET, [*asked, *broken], questions(24, 1000), Colored(), [Augment(rate=1.0)]
    options = {"groups": groups([*asked, *broken]), "epochs": 1, "least_answers": 1}
    with pytest.raises(BadImage, match="image -3"):
        train(*given, output=tmp_path / "stopped", **options)
    done = train(*given, output=tmp_path / "bad", skip_bad=True, **options)
    assert done.config["skipped"] == ["question -3: no features of image -3"]
    assert "1, e.g. question -3: no features" in (tmp_path / "bad" / "report.html").read_text()
    good = train(NET, asked, *given[2:], output=tmp_path / "good", **options | {"groups": groups(asked)})
    assert equal(weights(tmp_path / "bad"), weights(tmp_path / "good"))
    assert "skipped" not in good.config
    with pytest.raises(DataError, match="no features of image -3"):
        train(NET, broken, asked, Colored(), output=tmp_path / "all", skip_bad=True, **options)


def test_a_trained_network_answers_and_explains(learned):
    done = learned
    asked = questions(24, 1000)
    said = done.answer(asked, batch_size=5)
    assert [one.question_id for one in said] == [question.id for question in asked]
    right = sum(one.answer == question.answers[0] for one, question in zip(said, asked, strict=True))
    assert right / 24 == pytest.approx(max(one["accuracy"] for one in done.history))
    assert all(0 <= one.score <= 1 for one in said)
    assert [one.answer for one in said] == [one.answer for one in done.answer(asked, batch_size=24)]
    seen = done.look(asked[:3])
    assert seen.weights.shape == (3, 2, 6)
    assert seen.attention.shape == (3, 2, 2)
    blind, lost, good = done.answer([Question(1, None, "Is it red?"), Question(2, ImageRef(-1), "?"), asked[0]])
    assert "no image" in blind.error
    assert "image -1" in lost.error
    assert good.answer == said[0].answer, "a question that cannot be asked fails alone"
    own = done.scores(asked, [one.answer for one in said], batch_size=7)
    assert own == pytest.approx([one.score for one in said], abs=1e-4)
    alone = [done.scores([question], ["yes"])[0] for question in asked[:8]]
    assert done.scores(asked[:8], ["yes"] * 8) == pytest.approx(alone, abs=1e-4)
    lost, never = done.scores([Question(2, ImageRef(-1), "?"), asked[0]], ["yes", "no such answer"])
    assert math.isnan(lost)
    assert never == 0.0


def test_the_same_seed_gives_the_same_bits_and_another_does_not(tmp_path):
    torch.manual_seed(1)
    tiny(tmp_path / "a", [Q3R()])
    torch.manual_seed(2)  # the earlier state of torch does not matter
    tiny(tmp_path / "b", [Q3R()])
    tiny(tmp_path / "c", [Q3R()], seed=1)
    assert equal(weights(tmp_path / "a"), weights(tmp_path / "b"))
    assert not equal(weights(tmp_path / "a"), weights(tmp_path / "c"))


def test_training_leaves_torch_as_it_was(tmp_path):
    torch.manual_seed(5)
    before, threads = torch.random.get_rng_state(), torch.get_num_threads()
    tiny(tmp_path, epochs=1, threads=1)
    assert torch.equal(before, torch.random.get_rng_state())
    assert torch.get_num_threads() == threads
    assert not torch.are_deterministic_algorithms_enabled()


@pytest.mark.parametrize("steps", [4, 6, 11])
def test_an_interrupted_training_resumes_to_the_same_bits(tmp_path, monkeypatch, steps):
    monkeypatch.setattr(loop, "SAVE_EVERY", -1.0)  # after every step
    tiny(tmp_path / "whole", [Q3R(rate=0.5), Stops([0])])
    with pytest.raises(KeyboardInterrupt):
        tiny(tmp_path / "broken", [Q3R(rate=0.5), Stops([steps])])
    tiny(tmp_path / "broken", [Q3R(rate=0.5), Stops([0])])
    for name in ("weights.pt", "state.pt"):
        one, other = weights(tmp_path / "whole", name), weights(tmp_path / "broken", name)
        assert equal(one.get("net", one), other.get("net", other))
    told = [orjson.loads((tmp_path / name / "history.json").read_bytes()) for name in ("whole", "broken")]
    whole, broken = ([(one["loss"], one["accuracy"]) for one in history] for history in told)
    assert whole == broken


def test_a_truncated_checkpoint_is_written_again(tmp_path, monkeypatch):
    def cut(folder, record, history):
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(loop, "write_page", cut)
        with pytest.raises(KeyboardInterrupt):
            tiny(tmp_path, epochs=1)
    (tmp_path / "history.json").unlink()
    assert len(tiny(tmp_path, epochs=1).history) == 1
    assert (tmp_path / "report.html").is_file()


def test_a_control_trains_without_what_it_leaves_out(tmp_path):
    losses = [Consistency(rate=1.0)]
    control = tiny(tmp_path / "control", losses, epochs=1, control="no-consistency")
    assert control.config["control"] == "no-consistency"
    weightless = tiny(tmp_path / "weightless", [Consistency(weight=0.0, rate=1.0)], epochs=1)
    assert equal(weights(control.folder), weights(weightless.folder))
    plain = tiny(tmp_path / "plain", losses, epochs=1, control="plain")
    assert equal(weights(plain.folder), weights(tiny(tmp_path / "no-loss", epochs=1).folder))
    originals = tiny(tmp_path / "originals", losses, epochs=1, control="originals")
    assert originals.config["pairs"] == control.config["pairs"]
    assert not equal(weights(originals.folder), weights(control.folder))
    with pytest.raises(BadOption, match="also name its loss"):
        tiny(tmp_path / "none", control="originals")


def test_a_finished_training_is_only_loaded(tmp_path):
    tiny(tmp_path)
    before = (tmp_path / "state.pt").stat().st_mtime_ns
    assert len(tiny(tmp_path).history) == 2
    assert (tmp_path / "state.pt").stat().st_mtime_ns == before


def test_a_folder_of_another_training_is_refused(tmp_path):
    tiny(tmp_path, epochs=1)
    with pytest.raises(UsageError, match="training"):
        tiny(tmp_path, epochs=2)


@pytest.mark.parametrize(
    ("losses", "named"),
    [
        ([Q3R(rate=1.0)], {"q3r"}),
        ([Q3R(rate=1.0, distance="kl", reduce="sum", ce=False)], {"q3r"}),
        ([Consistency(rate=1.0)], {"consistency"}),
        ([Augment(rate=1.0), RandomImage()], {"augment", "random-image"}),
        ([AnswerLoss("ce"), Augment(rate=1.0, mixed=False)], {"augment"}),
    ],
)
def test_losses_can_be_combined(tmp_path, losses, named):
    history = tiny(tmp_path, losses, epochs=1).history
    assert set(history[0]["loss"]) == {"answer", *named}


def test_q3r_makes_related_questions_take_the_same_path(tmp_path):
    asked = questions(24, 1000)
    made = groups(asked)

    def difference(done):
        before = done.look([group.original for group in made]).weights
        after = done.look([group.variants[0].question for group in made]).weights
        return (before - after).abs().mean().item()

    plain = tiny(tmp_path / "plain", [Augment(rate=1.0)], epochs=3)
    related = tiny(tmp_path / "q3r", [Q3R(rate=1.0, weight=20)], epochs=3)
    assert difference(related) < difference(plain) / 2


@pytest.mark.parametrize("name", ["ban", "butd", "cnn-lstm", "language", "lstm-qi", "stacknmn", "transformer"])
def test_every_network_can_be_trained(tmp_path, name):
    history = tiny(tmp_path, net=NetConfig(name, hidden=16, embedding=8, steps=2)).history
    assert history[-1]["loss"]["answer"] < history[0]["loss"]["answer"]


def test_patience_ends_a_training_that_does_not_improve(tmp_path):
    done = tiny(tmp_path, epochs=9, patience=1, rate=0.0)
    assert len(done.history) == 2


def test_without_validation_data_some_images_are_kept(tmp_path):
    asked = questions()
    done = train(NET, asked, None, Colored(), output=tmp_path, epochs=1, least_answers=1)
    counts = done.config["questions"]
    assert counts["train"] + counts["val"] == 96
    assert 0 < counts["val"] < 30


def test_q3r_needs_a_network_with_modules(tmp_path):
    with pytest.raises(BadOption, match=r"butd has none.*consistency"):
        tiny(tmp_path, [Q3R()], net=NetConfig("butd"))


def test_data_without_answers_is_refused(tmp_path):
    with pytest.raises(DataError, match="no question has an answer"):
        train(NET, [Question(1, None, "Why?")], None, Colored(), output=tmp_path)


def test_a_loss_that_is_not_a_number_stops_the_training(tmp_path):
    with pytest.raises(RunError, match="learning rate"):
        tiny(tmp_path, rate=1e30, clip=0, decay=False)


def test_a_trained_folder_is_a_model(tmp_path):
    tiny(tmp_path / "one", net=NetConfig("language", hidden=16, embedding=8), epochs=1)
    tiny(tmp_path / "two", net=NetConfig("language", hidden=16, embedding=8), epochs=1, seed=1)
    one, two = TrainedModel(str(tmp_path / "one")), TrainedModel(str(tmp_path / "two"))
    assert repr(one) != repr(two)
    assert str(tmp_path) not in repr(one)
    said = one.answer(questions(3))[0]
    assert said.answer in one.trained.answers.known
    assert isinstance(one, Scores)
    assert one.scores(questions(1), [said.answer]) == pytest.approx([said.score], abs=1e-4)
    with pytest.raises(DataError, match=r"config\.json"):
        TrainedModel(str(tmp_path))


def test_other_features_are_another_model_and_must_have_the_same_width(tmp_path):
    train(NET, questions(24), questions(8, 24), Colored(), output=tmp_path / "net", epochs=1)
    asked, file = questions(2), str(tmp_path / "regions.npz")

    def extracted(width, number):
        parts = {f"{q.image.id}/features": np.full((1, width), number, np.float32) for q in asked}
        np.savez(file, **parts, **{f"{q.image.id}/boxes": np.zeros((1, 4)) for q in asked})
        return TrainedModel(str(tmp_path / "net"), features=file)

    one, two = extracted(6, 0.0), extracted(6, 1.0)
    assert repr(one) != repr(two)
    assert all(said.error is None for said in two.answer(asked))
    with pytest.raises(DataError, match="regions of 6 numbers, but these have 5"):
        extracted(5, 0.0).answer(asked)
    with pytest.raises(DataError, match=r"no such file of region features\. Give an existing one"):
        TrainedModel(str(tmp_path / "net"), features="nowhere.h5").answer(asked)


def test_damaged_files_are_reported(tmp_path):
    tiny(tmp_path, epochs=1)
    (tmp_path / "weights.pt").write_bytes(b"no weights")
    with pytest.raises(DataError, match=r"weights\.pt"):
        load_trained(tmp_path, Colored())
    (tmp_path / "words.json").write_bytes(b"[")
    with pytest.raises(DataError, match=r"words\.json"):
        load_trained(tmp_path, Colored())


def test_two_trainings_in_one_folder_at_a_time_are_refused(tmp_path):
    """The second one wrote its checkpoints over those of the first."""
    with alone_in(tmp_path), pytest.raises(RunError, match="another askew is writing to this folder"):
        tiny(tmp_path)
    assert not (tmp_path / "config.json").exists()


def test_another_training_or_files_of_users_are_replaced_only_with_overwrite(tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(UsageError, match=r"askew did not write \(1, e\.g\. 'notes\.txt'\).*overwrite=True"):
        tiny(tmp_path)
    tiny(tmp_path, overwrite=True, epochs=1)
    with pytest.raises(UsageError, match=r"differs in training\.epochs \(1, now 2\).*overwrite=True"):
        tiny(tmp_path, epochs=2)
    again = tiny(tmp_path, overwrite=True, epochs=2)
    assert len(again.history) == 2
    assert (tmp_path / "notes.txt").read_text() == "mine"
