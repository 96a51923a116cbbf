"""Questions with their answers as tensors: what a generator should write, and what a classifier should choose.

The inputs are those of asking (:mod:`askew.models.huggingface`); only the answer is added. ``Targets`` is what the
loss needs to know about a model.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

import torch
from torch import Tensor
from torch.nn import functional

from askew.answers.choices import as_asked
from askew.errors import BadOption, ModelError
from askew.models.huggingface.classify import Classifier
from askew.models.huggingface.generate import Generator, family
from askew.models.huggingface.hf_model import HuggingFace
from askew.train.adapters.schedule import answer_to
from askew.train.batches import Answers
from askew.train.losses import AnswerLoss
from askew.types import Question

IGNORED = -100
"""The label of a token that is not part of the answer."""
Part: TypeAlias = dict[str, Any]
"""Questions that share a forward pass: ``inputs`` of the model, ``labels``, and ``rows``, their places (R,)."""
_ELSEWHERE = (
    "Train it with another program (askew export --format llava writes the data), and give the result to askew run."
)
_NEVER_LONGER = ("pixel", "qformer")
"""Beginnings of the names of inputs that an answer does not make longer."""


class Targets(Protocol):
    """How a model's answers are learnt."""

    def parts(self, questions: Sequence[Question]) -> list[Part]:
        """The inputs and labels of these questions, in as few parts as the model can read."""

    def logits(self, model: Any, part: Part) -> Tensor:
        """The scores of all answers (classifiers) or tokens in each place of the answer, (R, T, V)."""

    def wanted(self, part: Part) -> Tensor:
        """The labels of the answers alone, (R, T) tokens, or (R, V) for classifiers."""

    def errors(self, logits: Tensor, wanted: Tensor) -> Tensor:
        """The error of each answer, (R,)."""

    def correct(self, logits: Tensor, wanted: Tensor) -> Tensor:
        """How correct the model's own answer is, from 0 to 1, (R,)."""

    def comparable(self, one: Tensor, other: Tensor) -> Tensor:
        """The places in which the distributions after two prompts can be compared, (T,) bool."""

    def yes_no(self, question: Question) -> tuple[int, int] | None:
        """The numbers of yes and no in the first place; None if they cannot be told apart there."""


def targets_of(model: HuggingFace) -> Targets:
    """The targets of a loaded model."""
    if isinstance(model.runtime, Generator):
        return GeneratorTargets(model)
    if model.task == "regions":
        raise BadOption(
            f"{model.folder.path}: adapters are trained for models that read pixels, and this one reads region "
            "features. Train a network of askew on them instead: askew train --net butd --features FILE"
        )
    return ClassifierTargets(model)


@dataclass
class ClassifierTargets:
    """The VQA accuracy of every answer of the vocabulary, as ViLT was trained."""

    model: HuggingFace
    answers: Answers = field(init=False)
    loss: AnswerLoss = field(default_factory=AnswerLoss)

    def __post_init__(self) -> None:
        self.answers = Answers(tuple(self.model.labels))

    @property
    def _runtime(self) -> Classifier:
        assert isinstance(self.model.runtime, Classifier)
        return self.model.runtime

    def parts(self, questions: Sequence[Question]) -> list[Part]:
        """One part."""
        asked = list(map(as_asked, questions))
        texts = list(map(self.model.fill_prompt, asked))
        seen = [self._runtime.visual_input(one, text) for one, text in zip(asked, texts, strict=True)]
        numbers, values = map(torch.from_numpy, self.answers.encode(questions))
        labels = torch.zeros(len(questions), len(self.answers) + 1).scatter_(1, numbers, values)  # the last: no answer
        inputs = self._runtime.inputs(texts, seen)
        return [{"inputs": inputs, "labels": labels[:, :-1], "rows": torch.arange(len(questions))}]

    def logits(self, model: Any, part: Part) -> Tensor:
        """(R, 1, V)."""
        found: Tensor = model(**part["inputs"])["logits"]
        return found.reshape(len(part["rows"]), 1, -1).float()

    def wanted(self, part: Part) -> Tensor:
        """(R, V)."""
        labels: Tensor = part["labels"]
        return labels

    def errors(self, logits: Tensor, wanted: Tensor) -> Tensor:
        """Binary cross-entropy."""
        return self.loss.errors(logits[:, 0], wanted)

    def correct(self, logits: Tensor, wanted: Tensor) -> Tensor:
        """The accuracy of the answer with the highest score."""
        return wanted.gather(1, logits[:, 0].argmax(dim=1, keepdim=True)).squeeze(1)

    def comparable(self, one: Tensor, other: Tensor) -> Tensor:
        """Always the only place."""
        return torch.ones(1, dtype=torch.bool)

    def yes_no(self, question: Question) -> tuple[int, int] | None:
        """Their places in the vocabulary."""
        yes, no = self.answers.find("yes"), self.answers.find("no")
        return None if yes is None or no is None else (yes, no)


@dataclass
class GeneratorTargets:
    """The tokens of the most frequent answer and the end of the sequence, after the prompt that asks for it.

    Prompts end in the same column, with padding before them; answers begin in the next, with padding after them.
    """

    model: HuggingFace

    @property
    def _runtime(self) -> Generator:
        assert isinstance(self.model.runtime, Generator)
        return self.model.runtime

    def parts(self, questions: Sequence[Question]) -> list[Part]:
        """A part for each batch in which the model would be asked."""
        asked = [as_asked(question) for question in questions]
        prompts, images = self._asked(asked)
        tokens = [
            [*self.answer_tokens(prompt, answer_to(question)), self._runtime.answer_end]
            for prompt, question in zip(prompts, questions, strict=True)
        ]
        longest = max(map(len, tokens))
        answers = torch.tensor([[*found, *[IGNORED] * (longest - len(found))] for found in tokens])
        parts = []
        for rows in self._runtime.alike(prompts):
            inputs = dict(self._runtime.inputs([prompts[row] for row in rows], [images[row] for row in rows]))
            inputs.pop("labels", None)  # PaliGemma's processor makes some
            parts.append(self._with_answers(inputs, answers[rows]) | {"rows": torch.tensor(rows)})
        return parts

    def check(self, questions: Sequence[Question]) -> None:
        """Refuse a model whose answers would be learnt after another input than the one it is asked with.

        The probability of each answer must be the same in the forward pass of training and when the model is asked.
        """
        prompts, images = self._asked([as_asked(question) for question in questions])
        forms = [self.answer_tokens(prompt, answer_to(one)) for prompt, one in zip(prompts, questions, strict=True)]
        folder, model = self.model.folder, self._runtime.loaded.model
        refused = f"{folder.path}: adapters of {folder.architecture or folder.model_type} cannot be trained here"
        tolerance = 0.02 if self._runtime.loaded.dtype == torch.float32 else 0.3
        for part in self.parts(questions):
            rows = part["rows"].tolist()
            asked_of = [prompts[row] for row in rows], [images[row] for row in rows], [[forms[row]] for row in rows]
            try:
                scores = self._runtime.score_tokens(*asked_of)
            except ModelError:
                raise ModelError(f"{refused}: transformers cannot make it write a given answer. {_ELSEWHERE}") from None
            with torch.inference_mode():
                logs = self.logits(model, part).log_softmax(-1)
            for row, found, wanted, score in zip(rows, logs, self.wanted(part), scores, strict=True):
                length, asked = len(forms[row]), math.log(max(score, 1e-30))
                taught = found[:length].gather(1, wanted[:length, None].to(found.device)).mean().item()
                if not abs(taught - asked) < tolerance + 0.001 * abs(taught):
                    raise ModelError(
                        f"{refused}: the answer to question {questions[row].id!r} has a log-probability of "
                        f"{taught:.3f} in training and of {asked:.3f} when it is asked. {_ELSEWHERE}"
                    )

    def answer_tokens(self, prompt: str, answer: str) -> list[int]:
        """The tokens of an answer as it continues the prompt: after a space, unless the prompt ends in one."""
        tokenizer = self._runtime.loaded.tokenizer
        if self._runtime.writes_apart:
            return list(tokenizer(answer, add_special_tokens=False)["input_ids"])
        space = "" if prompt[-1:].isspace() or prompt.endswith(tuple(tokenizer.all_special_tokens)) else " "
        head = list(tokenizer(prompt, add_special_tokens=False)["input_ids"])
        whole = list(tokenizer(f"{prompt}{space}{answer}", add_special_tokens=False)["input_ids"])
        if whole[: len(head)] == head and len(whole) > len(head):
            return whole[len(head) :]
        return list(tokenizer(f"{space}{answer}", add_special_tokens=False)["input_ids"])

    def logits(self, model: Any, part: Part) -> Tensor:
        """(R, T, V): the distributions from which each token of the answer is taken."""
        length = part["labels"].shape[1] - part["before"]
        if self._runtime.answers_questions:  # BLIP, whose forward pass does not return them (sic)
            found: list[Any] = []
            decoder = self._runtime.loaded.model.text_decoder
            hook = decoder.register_forward_hook(lambda module, args, output: found.append(output.logits))
            try:
                model(**part["inputs"])
            finally:
                hook.remove()
            logits = found[0]
        else:
            logits = model(**part["inputs"], **self._options(length)).logits
        return logits[:, -length - 1 : -1].float()  # type: ignore[no-any-return]

    def wanted(self, part: Part) -> Tensor:
        """(R, T)."""
        labels: Tensor = part["labels"][:, part["before"] :]
        return labels

    def errors(self, logits: Tensor, wanted: Tensor) -> Tensor:
        """The mean over tokens of minus their log-probability."""
        errors = functional.cross_entropy(logits.transpose(1, 2), wanted, ignore_index=IGNORED, reduction="none")
        return errors.sum(1) / (wanted != IGNORED).sum(1)

    def correct(self, logits: Tensor, wanted: Tensor) -> Tensor:
        """1 if greedy decoding would write exactly this answer: each of its tokens is the likeliest after the last."""
        return ((logits.argmax(-1) == wanted) | (wanted == IGNORED)).all(1).float()

    def comparable(self, one: Tensor, other: Tensor) -> Tensor:
        """Up to and including the first token in which the two answers differ: until there both wrote the same."""
        before = torch.cat([torch.ones(1, dtype=torch.bool), (one == other)[:-1]])
        return before.cumprod(0).bool() & (one != IGNORED) & (other != IGNORED)

    def yes_no(self, question: Question) -> tuple[int, int] | None:
        """Their first tokens after the prompt of this question."""
        prompts, _ = self._asked([as_asked(question)])
        yes, no = (self.answer_tokens(prompts[0], answer)[0] for answer in ("yes", "no"))
        return None if yes == no else (yes, no)

    def _asked(self, questions: Sequence[Question]) -> tuple[list[str], list[Any]]:
        """Prompts and images, as when the model is asked."""
        runtime = self._runtime
        texts = list(map(self.model.fill_prompt, questions))
        images = [runtime.visual_input(one, text) for one, text in zip(questions, texts, strict=True)]
        prompts, thoughts = runtime.prompts(texts, images)
        if any(thoughts):
            raise BadOption(
                "The prompt ends inside a thought, so the answer would be learnt as a thought. Turn thinking off if "
                "the chat template can: --model 'hf:FOLDER,template={\"enable_thinking\": false}'"
            )
        return prompts, images

    def _with_answers(self, inputs: dict[str, Any], answers: Tensor) -> Part:
        """The inputs with the answers after the prompts, and the labels: -100 everywhere but in the answers."""
        device = self._runtime.loaded.device
        answers = answers.to(device)
        written = torch.where(answers == IGNORED, self._runtime.loaded.tokenizer.pad_token_id, answers)
        if self._runtime.writes_apart:
            start = torch.tensor([self._runtime.beginning] * len(answers), device=device)
            labels = torch.cat([torch.full_like(start, IGNORED), answers], dim=1)
            inputs["decoder_input_ids"] = torch.cat([start, written], dim=1)
            return {"inputs": inputs, "labels": labels, "before": start.shape[1]}
        key = "decoder_input_ids" if "decoder_input_ids" in inputs else "input_ids"
        prompt = inputs[key]
        named = {key: written, "attention_mask": answers != IGNORED}
        if (kind := family(self._runtime.loaded.folder).answer_token_type) is not None:
            named["token_type_ids"] = torch.full_like(answers, kind)
        for name, value in inputs.items():
            if value.shape[:2] == prompt.shape and not name.startswith(_NEVER_LONGER):
                # of what else a token can have, the answer has what the last token of the prompt has
                last = value[:, -1:].expand(-1, answers.shape[1], *[-1] * (value.ndim - 2))
                inputs[name] = torch.cat([value, named.get(name, last).to(value.dtype)], dim=1)
        labels = torch.cat([torch.full_like(prompt, IGNORED), answers], dim=1)
        return {"inputs": inputs, "labels": labels, "before": prompt.shape[1]}

    def _options(self, length: int) -> dict[str, Any]:
        """Only the scores that are needed, and no cache, where the model has these options."""
        wanted = {"use_cache": False, "logits_to_keep": length + 1}
        known = inspect.signature(type(self._runtime.loaded.model).forward).parameters
        return {name: value for name, value in wanted.items() if name in known}
