"""Models that generate text: BLIP, BLIP-2, LLaVA, Qwen-VL, SmolVLM, Idefics and similar models.

Usually the text has a token for the image, the tokenizer adds its special tokens, and shorter texts of a batch are
padded; ``FAMILIES`` lists those that need something else. The tests ask a tiny model of each family singly and in
batches.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from askew.answers.image_places import parts_of, text_end
from askew.errors import BadRecord, ModelError, need
from askew.models.huggingface.chat_template import answer_after_thought, count_thoughts, decode, in_thought, render
from askew.models.huggingface.folder import Folder
from askew.models.huggingface.loading import Loaded
from askew.models.huggingface.token_scores import Forced, Greedy, Tokens, answer_probability
from askew.models.huggingface.visual_inputs import Decoded, encoded_once
from askew.types import Prediction, Question

Item = TypeVar("Item")


@dataclass(frozen=True)
class Family:
    """How prompts and batches of a family are made."""

    adds_image_token: bool = False
    """Its processor puts the image token and special tokens into the text, so the text must not have them."""
    equal_lengths: bool = False
    """Only texts of the same length share a batch: in transformers padding changes its answers (sic)."""
    continues_text: bool = False
    """The answer continues the question, so the end token that its tokenizer adds is left out."""
    decoder_prompt: bool = False
    """The text is the beginning of what the decoder writes."""
    answer_token_type: int | None = None
    """The token type of what it writes, if it is another than that of the prompt."""


FAMILIES = {
    "florence2": Family(adds_image_token=True),
    "git": Family(continues_text=True),
    "kosmos-2": Family(equal_lengths=True),
    "kosmos-2.5": Family(adds_image_token=True, equal_lengths=True),  # marks the image's places from the left
    "paligemma": Family(answer_token_type=1),  # which is causal attention
    "vision-encoder-decoder": Family(decoder_prompt=True, equal_lengths=True),  # Donut
}
"""By transformers' name of the family."""


def family(folder: Folder) -> Family:
    """The family of a model. BLIP for question answering attends to the padding of questions in its decoder (sic)."""
    if folder.architecture.endswith("QuestionAnswering"):
        return Family(equal_lengths=True)
    return FAMILIES.get(folder.model_type, Family())


@dataclass
class Generator:
    """Images and prompts to text. Decoding never samples: it is greedy, or a beam search with ``num_beams``."""

    loaded: Loaded
    max_new_tokens: int
    num_beams: int = 1
    template_options: Mapping[str, Any] = field(default_factory=dict)
    images: Decoded = field(default_factory=Decoded)
    shares_images: bool = True
    """Whether equal images of a batch are encoded once; False after that failed."""

    def __post_init__(self) -> None:
        # padding goes after a text that an encoder reads, otherwise before it
        self.loaded.tokenizer.padding_side = "right" if self._has_text_encoder else "left"
        config = self.loaded.model.generation_config
        if config is not None and config.pad_token_id is None:
            config.pad_token_id = self.loaded.tokenizer.pad_token_id

    @property
    def image_mark(self) -> str:
        """The text that replaces ``{image}`` in a prompt; empty if the template or the processor places the image."""
        return "" if self._template or self._family.adds_image_token else self.loaded.image_token

    def visual_input(self, question: Question, text: str) -> Any:
        """The decoded image, or a tuple of several; raises when one cannot be read or has no place in the prompt."""
        if not question.more_images:
            return self.images.of(question.image)
        token, count = self.loaded.image_token, len(question.images)
        placed = self.prompt(text, count).count(token) if token and self._template else 0
        if placed != count:
            raise BadRecord(f"The question is about {count} images, and the model's prompt has a place for {placed}.")
        return tuple(map(self.images.of, question.images))

    def ask(self, questions: Sequence[Question], texts: Sequence[str], images: Sequence[Any]) -> list[Prediction]:
        """The answers of one batch."""
        prompts, thoughts = self.prompts(texts, images)
        return self._grouped(prompts, self._ask, questions, prompts, images, thoughts)

    def score(self, texts: Sequence[str], images: Sequence[Any], answers: Sequence[str]) -> list[float]:
        """The probability of each given answer for one batch: the model is forced to write it."""
        prompts, thoughts = self.prompts(texts, images)
        if any(thoughts):
            raise ModelError(
                "The prompt ends inside a thought, so a given answer would be scored as a thought. Turn thinking off "
                'if the chat template can (template={"enable_thinking": false}), or attack with --scores confidence.'
            )
        forms = [self._forms(answer) for answer in answers]
        return self._grouped(prompts, self.score_tokens, prompts, images, forms)

    def preview(self, text: str, image: Any) -> str:
        """The tokens that the model reads for one question, as text, and how many of them are the image's."""
        inputs = self.inputs([self.prompt(text, _count(image))], [image])
        tokens = inputs.get("input_ids", inputs.get("decoder_input_ids"))
        if tokens is None:
            return f"{text}\n(drawn into the image, which is {int(inputs['attention_mask'].sum())} patches)"
        text, token = self.loaded.tokenizer.decode(tokens[0]), self.loaded.image_token
        count = text.count(token) if token else 0
        text = _collapsed(text, token) if count else text
        place = f"{count} of them for the image" if count else "the image is not among them"
        return f"{text}\n({tokens.shape[1]} tokens, {place})"

    def prompt(self, text: str, images: int = 1) -> str:
        """The whole text the model reads, with the image tokens, formatted by its chat template if it has one."""
        token = "" if self._family.adds_image_token else self.loaded.image_token
        if not self._template:
            first = self.loaded.tokenizer.cls_token if self._family.continues_text else ""
            return (first or "") + (text if token in text else token + text)
        special = self.loaded.tokenizer.special_tokens_map
        parts = parts_of(text, images)
        content = [{"type": "text", "text": part} if isinstance(part, str) else {"type": "image"} for part in parts]
        whole = render(self._template, content, self.template_options, special)
        if token in whole:
            return whole
        words = "".join(part if isinstance(part, str) else f"{token}\n" for part in parts)
        return render(self._template, words, self.template_options, special)

    def lengths(self, texts: Sequence[str]) -> list[int]:
        """The number of tokens of each question of one image, as far as it decides which questions share a batch."""
        return [len(tokens) for tokens in self.loaded.tokenizer(list(map(self.prompt, texts)))["input_ids"]]

    def prompts(self, texts: Sequence[str], images: Sequence[Any]) -> tuple[list[str], list[bool]]:
        """The whole texts, and whether each ends inside a thought that its template began."""
        counts = list(map(_count, images))
        prompts = [self.prompt(text, count) for text, count in zip(texts, counts, strict=True)]
        ends = [text_end(text, count) for text, count in zip(texts, counts, strict=True)]
        return prompts, [in_thought(prompt.rpartition(end)[2]) for prompt, end in zip(prompts, ends, strict=True)]

    @property
    def _template(self) -> str:
        return self.loaded.folder.chat_template

    @cached_property
    def _family(self) -> Family:
        return family(self.loaded.folder)

    def _grouped(self, prompts: Sequence[str], ask: Callable[..., list[Item]], *columns: Sequence[Any]) -> list[Item]:
        """The results of ``ask`` for all rows, in order; it is called for each batch of :meth:`alike`."""
        alike = self.alike(prompts)
        if len(alike) == 1:
            return ask(*columns)
        results: dict[int, Item] = {}
        for places in alike:
            part = ask(*([column[place] for place in places] for column in columns))
            results.update(zip(places, part, strict=True))
        return [results[place] for place in range(len(prompts))]

    def alike(self, prompts: Sequence[str]) -> list[list[int]]:
        """The places of prompts that can share a batch: with equally many images, and for families that need it
        without padding."""
        token, same = self.loaded.image_token, [0] * len(prompts)
        if self._family.equal_lengths:
            same = [len(tokens) for tokens in self.loaded.tokenizer(list(prompts))["input_ids"]]
        elif self._template and token:
            same = [prompt.count(token) for prompt in prompts]
        alike: defaultdict[int, list[int]] = defaultdict(list)
        for place, number in enumerate(same):
            alike[number].append(place)
        return [places for _, places in sorted(alike.items())]

    def _forms(self, answer: str) -> list[list[int]]:
        """The tokens of an answer as it may be written after the prompt: as it is, or after a space."""
        if not (word := answer.strip()):
            return []
        texts = [word, f" {word}"]
        return list(self.loaded.tokenizer(texts, add_special_tokens=False)["input_ids"])

    def score_tokens(self, prompts: Sequence[str], images: Sequence[Any], forms: Sequence[Any]) -> list[float]:
        """The probability of an answer after each prompt, given as tokens in one form or several."""
        forced = self._forced(self.inputs(prompts, images), images, forms)
        if not forced.rows():
            folder = self.loaded.folder
            raise ModelError(
                f"{folder.path}: {folder.architecture} ignores logits processors in transformers, so it cannot be "
                "forced to write a given answer, and its answers have no score. Attack with --scores label."
            )
        return forced.probabilities()

    def _forced(self, inputs: Any, images: Sequence[Any], forms: Sequence[Any]) -> Forced:
        """The model forced to write one of the forms of each row."""
        forced = Forced(forms, next(iter(self.ends), self.loaded.tokenizer.pad_token_id))
        # two extra tokens: a generation config may force the first and the last
        self._generate(inputs, images, forced.longest + 2, 1, [forced])
        return forced

    def _ask(
        self, questions: Sequence[Question], prompts: Sequence[str], images: Sequence[Any], thoughts: Sequence[bool]
    ) -> list[Prediction]:
        torch, tokenizer = need("torch", "hf"), self.loaded.tokenizer
        inputs = self.inputs(prompts, images)
        greedy = Greedy()
        processors = [greedy] if self.num_beams == 1 else []
        sequences = self._generate(inputs, images, self.max_new_tokens, self.num_beams, processors)
        fresh = _without_prompt(torch, sequences, inputs)
        scores = self._scores(inputs, images, fresh.tolist(), greedy.rows())
        read = _lengths(inputs, len(prompts))
        written = (fresh != tokenizer.pad_token_id).sum(-1).tolist()
        texts = [decode(tokenizer, tokens) for tokens in fresh]
        replies = map(answer_after_thought, questions, texts, zip(read, written, strict=True), thoughts)
        return [
            prediction if prediction.failed else replace(prediction, score=score)
            for prediction, score in zip(replies, scores, strict=True)
        ]

    def _scores(
        self, inputs: Any, images: Sequence[Any], rows: list[list[int]], logs: list[list[float]]
    ) -> list[float | None]:
        """The probability of each written answer. The result of a beam search is written again, token by token.

        None if no step was recorded: some models ignore logits processors (Janus).
        """
        special = frozenset({*self.loaded.tokenizer.all_special_ids, *self.ends})

        def thoughts_in(tokens: Tokens) -> int:
            return count_thoughts(self.loaded.tokenizer.decode(tokens))

        if self.num_beams > 1:
            rows = [[token for token in row if token not in special] for row in rows]
            logs = self._forced(inputs, images, [[row] for row in rows]).rows()
        if not logs:
            return [None] * len(rows)
        if self.num_beams > 1:
            logs = [found[: len(row)] for row, found in zip(rows, logs, strict=True)]
        return [
            answer_probability(row[len(row) - len(found) :], found, special, thoughts_in)
            for row, found in zip(rows, logs, strict=True)
        ]

    @cached_property
    def writes_apart(self) -> bool:
        """Whether the answer is not a continuation of the prompt, but what a decoder begins with tokens of its own."""
        return self._has_text_encoder and not self._family.decoder_prompt

    @property
    def answers_questions(self) -> bool:
        """Whether it is BLIP for question answering, which has a decoder of its own for answers."""
        return self.loaded.folder.architecture.endswith("QuestionAnswering")

    @property
    def _has_text_encoder(self) -> bool:
        whole = self.loaded.model.config
        several = whole.is_encoder_decoder or getattr(whole.get_text_config(), "is_encoder_decoder", False)
        return bool(self.answers_questions or several)

    @cached_property
    def beginning(self) -> list[int]:
        """The tokens with which a decoder that writes apart begins."""
        model, options = self.loaded.model, self.loaded.model.generation_config
        if self.answers_questions:
            return [int(model.config.get_text_config().bos_token_id)]
        configs = [model.config.to_dict(), model.config.get_text_config().to_dict()]
        found = [options.decoder_start_token_id, *(config.get("decoder_start_token_id") for config in configs)]
        start = next((token for token in found if token is not None), self.loaded.tokenizer.bos_token_id)
        return [start] if options.forced_bos_token_id is None else [start, options.forced_bos_token_id]

    @cached_property
    def answer_end(self) -> int:
        """The token that ends an answer."""
        if self.answers_questions:
            return int(self.loaded.model.config.get_text_config().sep_token_id)
        end = next(iter(self.ends), self.loaded.tokenizer.eos_token_id)
        if end is None:
            raise ModelError(f"{self.loaded.folder.path}: the model has no token that ends an answer (eos_token_id).")
        return int(end)

    @property
    def ends(self) -> list[int]:
        """The tokens that end an answer, from the generation config."""
        config = self.loaded.model.generation_config
        found = None if config is None else config.eos_token_id
        return list(found) if isinstance(found, (list, tuple)) else [] if found is None else [found]

    def inputs(self, prompts: Sequence[str], images: Sequence[Any]) -> Any:
        """The tensors of one batch."""
        loaded, family = self.loaded, self._family
        nested = bool(loaded.image_token) and not family.adds_image_token
        has_special = family.adds_image_token or family.continues_text or family.decoder_prompt
        if (beginning := loaded.tokenizer.bos_token) and prompts[0].startswith(beginning):
            has_special = True
        inputs = loaded.processor(
            images=[list(each) if isinstance(each, tuple) else [each] for each in images] if nested else list(images),
            text=list(prompts),
            padding=True,
            return_tensors="pt",
            **({"add_special_tokens": False} if has_special else {}),
        ).to(loaded.device, dtype=loaded.dtype)
        if family.continues_text:
            inputs.pop("token_type_ids", None)  # BERT's tokenizer makes them
        if family.decoder_prompt:
            return {"pixel_values": inputs["pixel_values"], "decoder_input_ids": inputs["input_ids"]}
        return inputs

    def _generate(self, inputs: Any, images: Sequence[Any], most: int, beams: int, processors: Sequence[Any]) -> Any:
        """Token sequences, decoded without sampling."""
        torch, model = need("torch", "hf"), self.loaded.model

        def generate() -> Any:
            return model.generate(
                **inputs,
                max_new_tokens=most,
                num_beams=beams,
                do_sample=False,
                temperature=None,
                top_p=None,
                top_k=None,
                logits_processor=list(processors),
            )

        with torch.inference_mode():
            if not self.shares_images:
                return generate()
            try:
                with encoded_once(model, images, inputs.get("image_grid_thw")) as once:
                    return generate()
            except Exception:  # an encoder whose output is not made of rows for images, for example
                if once is None or not once.active or any(processor.rows() for processor in processors):
                    raise
            sequences = generate()
            self.shares_images = False  # only sharing had failed
            return sequences


def _collapsed(text: str, token: str) -> str:
    """The text with a run of an image token written once, also where the tokenizer puts spaces between tokens.

    >>> _collapsed("<i><i><i><i>Why?", "<i>"), _collapsed("[CLS] <i> <i> <i> <i> <i> why?", "<i>")
    ('<i> × 4 Why?', '[CLS] <i> × 5 why?')
    """
    run = re.compile(f"{re.escape(token)}(?: *{re.escape(token)}){{3,}} ?")
    return run.sub(lambda found: f"{token} × {found[0].count(token)} ", text)


def _count(image: Any) -> int:
    """The number of images in a visual input."""
    return len(image) if isinstance(image, tuple) else 1


def _without_prompt(torch: Any, sequences: Any, inputs: Mapping[str, Any]) -> Any:
    """The new tokens: most models repeat the prompt in front of them, encoder-decoders do not."""
    prompt = inputs.get("decoder_input_ids", inputs.get("input_ids"))
    if prompt is None:
        return sequences
    length = prompt.shape[1]
    if sequences.shape[1] >= length and torch.equal(sequences[:, :length], prompt):
        return sequences[:, length:]
    return sequences


def _lengths(inputs: Mapping[str, Any], count: int) -> list[int]:
    """How many tokens each row reads, without padding."""
    mask = inputs.get("attention_mask")
    if mask is not None:
        return [int(length) for length in mask.sum(-1).tolist()]
    tokens = inputs.get("decoder_input_ids", inputs.get("input_ids"))
    return [0 if tokens is None else int(tokens.shape[1])] * count
