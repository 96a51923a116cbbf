"""Adapters of tiny random models: the prompt is that of asking, only answers are learnt, and a kill changes nothing."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

torch = pytest.importorskip("torch", reason="the extra peft is not installed")
pytest.importorskip("peft", reason="the extra peft is not installed")

sys.path.append(str(Path(__file__).parents[1] / "models"))
import hf_families  # noqa: E402
from hf_asking import QUESTIONS, folders, image_ref  # noqa: E402
from safetensors.torch import load_file  # noqa: E402

from askew.errors import BadOption, DataError, ModelError, UsageError  # noqa: E402
from askew.models.huggingface.generate import Family  # noqa: E402
from askew.registry import make  # noqa: E402
from askew.train.adapters import answer_targets, trainer  # noqa: E402
from askew.train.adapters.answer_targets import IGNORED, ClassifierTargets, GeneratorTargets, targets_of  # noqa: E402
from askew.train.adapters.batch_loss import as_batch, divergence, loss_terms  # noqa: E402
from askew.train.adapters.lora import Lora, add_lora  # noqa: E402
from askew.train.adapters.schedule import Schedule, TrainingExample, answer_to, pairs_of  # noqa: E402
from askew.train.adapters.train_adapter import train_adapter  # noqa: E402
from askew.train.controls import controlled, controlled_groups  # noqa: E402
from askew.train.losses import Augment, Consistency  # noqa: E402
from askew.types import Expect, Group, Kind, Question, Variant  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation doesn't accept a copy:DeprecationWarning")
"""PaliGemma's processor makes an array of a tensor."""
ANSWERS = ("red", "yes", "two", "left", "no", "a cube", "1", "yes")
ASKED = [replace(question, answers=(answer,) * 10) for question, answer in zip(QUESTIONS, ANSWERS, strict=True)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The folder of a family's tiny model."""
    base = tmp_path_factory.mktemp("adapters")
    of = folders(base)
    made = {}

    def family(name):
        if name in hf_families.FAMILIES and name not in made:
            made[name] = hf_families.FAMILIES[name](base / name)
        return made[name] if name in made else of(name)

    return family


def about(number):
    """A question about one of several images, with a paraphrase and a negation."""
    answer, opposite = ("yes", "no") if number % 2 else ("no", "yes")
    image, kind = image_ref(number, (40, 40)), Kind("yes/no")
    original = Question(f"a{number}", image, "Is it red?", (answer,) * 10, kind)
    same = Question(f"a{number}s", image, "Is the cat red?", (answer,) * 10, kind)
    negated = Question(f"a{number}n", image, "Is it not red?", (opposite,) * 10, kind)
    variants = Variant(same, Expect.SAME, "syn", "p2/syn"), Variant(negated, Expect.DIFFERENT, "ant", "p2/ant")
    return Group(f"a{number}", "p2", original, variants)


GROUPS = [about(number) for number in range(20)]
DATA = [group.original for group in GROUPS]


def train(model, output, losses=("consistency:rate=0.8",), **settings):
    options = {"lora": "r=2", "batch_size": 4, "steps": 4, "evaluate": 2, "rate": 0.01, "groups": GROUPS, "threads": 1}
    return train_adapter(f"hf:{model}", DATA, losses=losses, output=output, **options | settings)


def weights(done):
    return load_file(done.folder / "adapter_model.safetensors")


def close(one, other, tolerance=1e-6):
    return all(torch.allclose(value, other[name], atol=tolerance) for name, value in one.items())


@pytest.mark.parametrize(
    "name",
    ["llava", "qwen3_vl", "smolvlm", "internvl", "paligemma", "blip", "blip2", "instructblip"],
)
def test_answers_are_learnt_after_the_prompt_that_asks_for_them(folder, name):
    model = make("model", f"hf:{folder(name)}")
    targets = targets_of(model)
    targets.check(ASKED[:4])  # the same probabilities in training as when it is asked
    for part in targets.parts(ASKED[:4]):
        inputs, labels, before = part["inputs"], part["labels"], part["before"]
        key = "decoder_input_ids" if "decoder_input_ids" in inputs else "input_ids"
        learnt = labels != IGNORED
        assert not learnt[:, :before].any(), "nothing of the prompt is learnt"
        runtime = model.runtime
        prompts, images = targets._asked([ASKED[row] for row in part["rows"].tolist()])
        asked = runtime.inputs(prompts, images)
        if key == "input_ids":
            assert torch.equal(inputs[key][:, :before], asked[key]), "the prompt is exactly that of asking"
        for row, line in zip(part["rows"].tolist(), labels, strict=True):
            tokens = line[line != IGNORED]
            assert runtime.loaded.tokenizer.decode(tokens[:-1]).strip() == answer_to(ASKED[row])


def test_a_model_that_would_learn_after_another_input_is_refused(folder, monkeypatch):
    model = make("model", f"hf:{folder('paligemma')}")
    monkeypatch.setattr(answer_targets, "family", lambda folder: Family())
    with pytest.raises(ModelError, match=r"cannot be trained here: the answer to question 'q0' has a log-probability"):
        targets_of(model).check(ASKED[:4])


def test_the_distance_of_answers_worked_by_hand():
    before = torch.tensor([[[0.7, 0.2, 0.1], [0.5, 0.25, 0.25]]]).log()
    after = torch.tensor([[[0.2, 0.7, 0.1], [0.25, 0.5, 0.25]]]).log()
    both, first = torch.ones(1, 2, dtype=torch.bool), torch.tensor([[True, False]])
    same, opposite = torch.tensor([[0, 0]]), torch.tensor([[0, 1]])
    kl = 0.5 * torch.log(torch.tensor(3.5)).item()  # 0.7 ln 3.5 + 0.2 ln (2/7) = 0.5 ln 3.5
    second = 0.25 * torch.log(torch.tensor(2.0)).item()  # 0.5 ln 2 + 0.25 ln 0.5
    assert divergence(before, after, both, same, "kl").item() == pytest.approx((kl + second) / 2)
    assert divergence(before, after, first, same, "kl").item() == pytest.approx(kl)
    assert divergence(before, after, first, opposite, "kl").item() == pytest.approx(0, abs=1e-6)
    assert divergence(before, after, first, same, "l1").item() == pytest.approx(1.0)


def test_distributions_are_compared_while_both_wrote_the_same_tokens(folder):
    targets = targets_of(make("model", f"hf:{folder('llava')}"))
    one = torch.tensor([5, 6, 2, IGNORED])
    for other, places in (([5, 6, 2, IGNORED], [0, 1, 2]), ([5, 7, 2, IGNORED], [0, 1]), ([9, 6, 6, 2], [0])):
        assert targets.comparable(one, torch.tensor(other)).nonzero()[:, 0].tolist() == places


def batch_loss(model, targets, pairs, **options):
    """The loss of one question with a pair, or with several."""
    loss = Consistency(**options)
    batch = as_batch(targets, [TrainingExample(DATA[0], 1.0, tuple((loss, pair) for pair in pairs))])
    return loss_terms(model, batch, targets, loss.distance)


@pytest.mark.parametrize("name", ["llava", "vilt"])
def test_what_a_pair_adds_to_the_loss(folder, name):
    model = make("model", f"hf:{folder(name)}")
    targets, loaded = targets_of(model), model.runtime.loaded.model
    same, negated = pairs_of(GROUPS[:1])
    with torch.no_grad():
        plain = batch_loss(loaded, targets, [])
        weightless = batch_loss(loaded, targets, [same], weight=0, ce=False)
        one, two = (batch_loss(loaded, targets, [same], weight=weight) for weight in (1, 2))
        flipped = batch_loss(loaded, targets, [negated])
        unrelated = batch_loss(loaded, targets, [replace(negated, flips=False)])
        heavy = loss_terms(loaded, as_batch(targets, [TrainingExample(DATA[0], 2.0)]), targets, "kl")
    assert heavy["answer"].item() == pytest.approx(2 * plain["answer"].item(), rel=1e-5), "the weight of its source"
    assert plain.keys() == weightless.keys() == unrelated.keys() == {"answer"}
    assert weightless["answer"].item() == pytest.approx(plain["answer"].item(), rel=1e-5), "no weight: plain training"
    assert one["answer"].item() > plain["answer"].item(), "the variant is learnt too"
    assert 0 < one["consistency"].item() == pytest.approx(two["consistency"].item() / 2, rel=1e-5)
    assert flipped["consistency"].item() > 0


def test_the_order_of_examples_depends_on_the_place_alone():
    pairs = pairs_of(GROUPS)
    schedule = Schedule(DATA, [1.0] * 20, [(Augment(rate=0.5), pairs), (Consistency(rate=1.0), pairs)], 3, 60)
    again = Schedule(DATA, [1.0] * 20, [(Augment(rate=0.5), pairs), (Consistency(rate=1.0), pairs)], 3, 60)
    assert [schedule[place] for place in range(60)] == [again[place] for place in reversed(range(60))][::-1]
    assert {schedule[place].question.id for place in range(20)} == {question.id for question in DATA}
    drawn = [len(schedule[place].pairs) for place in range(60)]
    assert set(drawn) == {1, 2}
    with pytest.raises(DataError, match="no pairs of test 'hyp'"):
        Schedule(DATA, [1.0] * 20, [(Consistency(types="hyp"), pairs)], 0, 1)


@pytest.fixture(scope="module")
def better(folder, tmp_path_factory):
    """A trained adapter."""
    return train(folder("llava"), tmp_path_factory.mktemp("better") / "better", steps=12, evaluate=4)


def test_an_adapter_learns_and_is_asked(better, folder):
    history = better.history
    assert [one["step"] for one in history] == [4, 8, 12]
    assert history[-1]["loss"]["answer"] < 0.7 * history[0]["loss"]["answer"]
    assert set(history[0]["loss"]) == {"answer", "consistency"}
    assert {file.name for file in better.folder.iterdir()} == {
        *(".askew.json", "adapter_config.json", "adapter_model.safetensors"),
        *("history.json", "report.html", "training.json"),
    }
    page = (better.folder / "report.html").read_text()
    assert "Held-out pairs with both answers correct" in page
    assert "Evaluations" in page
    model, base = make("model", better.spec), make("model", f"hf:{folder('llava')}")
    assert "adapter trained by askew (Consistency(weight=1.0" in repr(model)
    assert "18 questions, seed=0" in repr(model)
    assert [one.answer for one in model.answer(DATA)] != [one.answer for one in base.answer(DATA)]
    assert better.record["pairs"] == {"train": 36, "val": 4}
    assert json.loads((better.folder / "adapter_config.json").read_bytes())["base_model_name_or_path"] == "llava"


def test_a_killed_training_resumes_to_the_same_weights(better, folder, tmp_path, monkeypatch):
    stop = [9]
    asked = trainer.as_batch

    def killed(targets, examples):
        stop[0] -= 1
        if not stop[0]:
            raise KeyboardInterrupt
        return asked(targets, examples)

    monkeypatch.setattr(trainer, "as_batch", killed)
    arguments = {"steps": 12, "evaluate": 4}
    with pytest.raises(KeyboardInterrupt):
        train(folder("llava"), tmp_path / "x", **arguments)
    checkpoints = tmp_path / "x" / "checkpoints"
    assert [path.name for path in checkpoints.iterdir()] == ["checkpoint-4"]
    (checkpoints / "checkpoint-8").mkdir()  # killed while it was written
    (checkpoints / "checkpoint-8" / "trainer_state.json").write_text('{"log_')
    done = train(folder("llava"), tmp_path / "x", **arguments)
    assert stop[0] <= 9 - 8 - 8, "it went on after the last whole checkpoint"
    assert all(torch.equal(value, weights(better)[name]) for name, value in weights(done).items())
    whole, broken = ([(one["loss"], one["accuracy"], one["pairs"]) for one in one.history] for one in (better, done))
    assert whole == broken
    assert repr(make("model", done.spec)) == repr(make("model", better.spec))
    before = (done.folder / "adapter_model.safetensors").stat().st_mtime_ns
    train(folder("llava"), tmp_path / "x", **arguments)
    assert (done.folder / "adapter_model.safetensors").stat().st_mtime_ns == before, "a finished training is loaded"
    with pytest.raises(UsageError, match=r"differs in training\.seed"):
        train(folder("llava"), tmp_path / "x", seed=1, **arguments)
    same, negated = GROUPS[0].variants
    other = replace(GROUPS[0], variants=(replace(same, expect=Expect.GIVEN), negated))  # the same texts
    with pytest.raises(UsageError, match=r"differs in content"):
        train(folder("llava"), tmp_path / "x", groups=[other, *GROUPS[1:]], **arguments)
    changed = shutil.copytree(folder("llava"), tmp_path / "changed")
    (changed / "added.txt").write_text("other files")
    assert "on other files: 'llava', " in repr(make("model", f"hf:{changed},adapter={done.folder}"))
    assert "other files" not in repr(make("model", done.spec))


def test_accumulated_gradients_are_those_of_a_larger_batch(folder, tmp_path):
    whole = train(folder("llava"), tmp_path / "whole", steps=1, batch_size=4)
    parts = train(folder("llava"), tmp_path / "parts", steps=1, batch_size=2, accumulate=2)
    assert close(weights(whole), weights(parts), 1e-5)


def test_a_control_leaves_out_one_thing(folder):
    targets = targets_of(make("model", f"hf:{folder('vilt')}"))

    def batch(loss, control=""):
        pairs = pairs_of(controlled_groups(GROUPS, control))
        losses = [(one, pairs) for one in controlled([loss], control)]
        schedule = Schedule(DATA, [1.0] * 20, losses, 0, 20)
        found = as_batch(targets, [schedule[place] for place in range(8)])
        return found, found["parts"][0]["inputs"]["input_ids"]

    (whole, _), (variants, words) = batch(Consistency(rate=0.8)), batch(Consistency(rate=0.8), "no-consistency")
    augmented, same = batch(Augment(rate=0.8, mixed=False))
    assert len(whole["pairs"]) > 0 == len(variants["pairs"])
    assert torch.equal(words, same), "the same variants are learnt"
    assert torch.equal(variants["weights"], augmented["weights"])
    originals, others = batch(Consistency(rate=0.8), "originals")
    assert others.shape[0] == words.shape[0], "as many of the original questions"
    assert len({tuple(line.tolist()) for line in others}) == 1, "which all have the same words here"
    assert len(originals["pairs"]) == 0
    assert batch(Consistency(rate=0.8), "plain")[1].shape[0] == 8


def test_a_training_stops_early(folder, tmp_path):
    settings = {"steps": 9, "evaluate": 1, "patience": 2, "rate": 1e-12}
    stopped = train(folder("vilt"), tmp_path / "stopped", control="originals", **settings)
    assert len(stopped.history) == 3, "two evaluations that were not better than the first"
    assert stopped.record["control"] == "originals"
    assert set(stopped.history[0]["loss"]) == {"answer"}


@pytest.mark.parametrize("name", ["qwen2_vl", "blip"])
def test_each_kind_of_generator_is_trained(folder, tmp_path, name):
    done = train(folder(name), tmp_path / name, steps=1, evaluate=1, batch_size=2)
    assert any(value.abs().sum() > 0 for key, value in weights(done).items() if "lora_B" in key)
    assert not [one.error for one in make("model", done.spec).answer(DATA[:2]) if one.failed]


def test_what_cannot_be_trained_is_refused_with_a_remedy(folder, better, tmp_path):
    llava = folder("llava")

    def refused(error, words, model=llava, **settings):
        with pytest.raises(error, match=words):
            train(model, tmp_path / "refused", **settings)

    refused(BadOption, r"no linear layer q_prog.*Did you mean 'q_proj'", lora="target=q_prog")
    refused(BadOption, "lora: r is given twice", lora="r=2,r=4")
    refused(BadOption, "alpha 0 or more", lora="alpha=nan")
    refused(BadOption, "rate is nan; give a number", rate=float("nan"))
    refused(BadOption, "for networks of askew", losses=["q3r"])
    refused(BadOption, "has an adapter already", model=f"{llava},adapter={better.folder}")
    refused(BadOption, "no control 'orignals'.*Did you mean 'originals'", control="orignals")
    refused(BadOption, "region features", model=f"{folder('visual_bert')},features={regions(tmp_path)}")
    refused(DataError, "also in --val", val=DATA[:2])
    several = replace(DATA[0], more_images=(DATA[1].image,))
    with pytest.raises(DataError, match=r"1 of .* about several images, e\.g\. question 'a0'"):
        train_adapter(f"hf:{llava}", [several, *DATA[1:]], output=tmp_path / "several")
    with pytest.raises(BadOption, match="adapters are trained for Hugging Face models"):
        train_adapter("constant:no", DATA, output=tmp_path / "constant")


def regions(place):
    from hf_asking import region_file

    return region_file(place / "regions.npz")


def test_targets_know_their_kind(folder):
    assert isinstance(targets_of(make("model", f"hf:{folder('vilt')}")), ClassifierTargets)
    assert isinstance(targets_of(make("model", f"hf:{folder('blip')}")), GeneratorTargets)
    model = make("model", f"hf:{folder('llava')}").runtime.loaded.model
    adapted = add_lora(model, Lora(r=2), 0, "llava")
    named = [name for name, weight in adapted.named_parameters() if weight.requires_grad]
    assert named
    assert not [name for name in named if "vision_tower" in name or "lm_head" in name]
