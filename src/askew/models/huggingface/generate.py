"""Models that generate text: BLIP, BLIP-2, LLaVA, Qwen-VL, SmolVLM, Idefics and similar models."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

from askew.errors import need
from askew.models.huggingface.loading import Loaded
from askew.models.huggingface.shared_images import Decoded, encoded_once
from askew.models.huggingface.token_scores import Forced, Greedy, answer_probability
from askew.types import Prediction, Question

Item = TypeVar("Item")
_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_END = re.compile(r"</think>", re.IGNORECASE)
_START = re.compile(r"<think>", re.IGNORECASE)


@dataclass(frozen=True)
class Generator:
    """Images and prompts to text. Decoding never samples: it is greedy, or a beam search with ``num_beams``."""

    loaded: Loaded
    max_new_tokens: int
    num_beams: int = 1
    images: Decoded = field(default_factory=Decoded)

    def __post_init__(self) -> None:
        self.loaded.tokenizer.padding_side = "right" if self._reads_first else "left"
        config = self.loaded.model.generation_config
        if config is not None and config.pad_token_id is None:
            config.pad_token_id = self.loaded.tokenizer.pad_token_id

    @property
    def image_mark(self) -> str:
        """The text that replaces ``{image}`` in a prompt; empty where a chat template places the image."""
        return "" if self._template else self.loaded.image_token

    def begin(self) -> None:
        """Start a new batch."""
        self.images.start_batch()

    def visual_input(self, question: Question, text: str) -> Any:
        """The decoded image; raises when it cannot be read."""
        return self.images.of(question)

    def ask(self, questions: Sequence[Question], texts: Sequence[str], images: Sequence[Any]) -> list[Prediction]:
        """The answers of one batch."""
        written = [self.written(text) for text in texts]
        return self._grouped(written, self._ask, questions, written, images)

    def score(self, texts: Sequence[str], images: Sequence[Any], answers: Sequence[str]) -> list[float]:
        """The probability of each given answer for one batch: the model is made to write it."""
        written = [self.written(text) for text in texts]
        forms = [self._forms(answer) for answer in answers]
        return self._grouped(written, self._score, written, images, forms)

    def _grouped(self, written: Sequence[str], ask: Callable[..., list[Item]], *columns: Sequence[Any]) -> list[Item]:
        """What ``ask`` gives for all rows, in order; for BLIP asked in groups that need no padding."""
        if not self._is_answerer:
            return ask(*columns)
        said: dict[int, Item] = {}
        for places in self._equally_long(written):
            part = ask(*([column[place] for place in places] for column in columns))
            said.update(zip(places, part, strict=True))
        return [said[place] for place in range(len(written))]

    def _forms(self, answer: str) -> list[list[int]]:
        """The tokens of an answer as it may be written after the prompt: as it is, or after a space."""
        if not (word := answer.strip()):
            return []
        texts = [word, f" {word}"]
        return list(self.loaded.tokenizer(texts, add_special_tokens=False)["input_ids"])

    def _score(self, texts: Sequence[str], images: Sequence[Any], forms: Sequence[Any]) -> list[float]:
        return self._forced(self._inputs(texts, images), images, forms).probabilities()

    def _forced(self, inputs: Any, images: Sequence[Any], forms: Sequence[Any]) -> Forced:
        """The model made to write one of the forms of each row."""
        forced = Forced(forms, next(iter(self._ends), self.loaded.tokenizer.pad_token_id))
        # two tokens more: a generation config may force the first and the last
        self._generate(inputs, images, forced.longest + 2, 1, [forced])
        return forced

    def written(self, text: str) -> str:
        """The whole text the model reads, with the image token, formatted by its chat template if it has one."""
        token = self.loaded.image_token
        if self._template is None:
            return text if token in text else token + text
        whole = self._rendered([{"type": "image"}, {"type": "text", "text": text}])
        return whole if token in whole else self._rendered(f"{token}\n{text}")

    def _rendered(self, content: Any) -> str:
        said: str = self.loaded.tokenizer.apply_chat_template(
            [{"role": "user", "content": content}],
            chat_template=self._template,
            tokenize=False,
            add_generation_prompt=True,
        )
        return said

    @cached_property
    def _template(self) -> str | None:
        """The chat template of the folder, if it has one."""
        found = getattr(self.loaded.processor, "chat_template", None) or self.loaded.tokenizer.chat_template
        if isinstance(found, Mapping):
            found = found.get("default") or next(iter(found.values()), None)
        return found or None

    def _ask(self, questions: Sequence[Question], texts: Sequence[str], images: Sequence[Any]) -> list[Prediction]:
        torch, loaded = need("torch", "hf"), self.loaded
        inputs = self._inputs(texts, images)
        greedy = Greedy()
        processors = [greedy] if self.num_beams == 1 else []
        sequences = self._generate(inputs, images, self.max_new_tokens, self.num_beams, processors)
        fresh = _without_prompt(torch, sequences, inputs["input_ids"])
        scores = self._scores(inputs, images, fresh.tolist(), greedy.rows())
        words = loaded.tokenizer.batch_decode(fresh, skip_special_tokens=True)
        read = inputs["attention_mask"].sum(-1).tolist()
        wrote = (fresh != loaded.tokenizer.pad_token_id).sum(-1).tolist()
        said = map(spoken, questions, words, zip(read, wrote, strict=True))
        return [
            prediction if prediction.failed else replace(prediction, score=score)
            for prediction, score in zip(said, scores, strict=True)
        ]

    def _scores(
        self, inputs: Any, images: Sequence[Any], rows: list[list[int]], logs: list[list[float]]
    ) -> list[float | None]:
        """The probability of each written answer. What a beam search found is written once more, token by token."""
        special = frozenset({*self.loaded.tokenizer.all_special_ids, *self._ends})
        if self.num_beams > 1:
            rows = [[token for token in row if token not in special] for row in rows]
            forced = self._forced(inputs, images, [[row] for row in rows])
            logs = [found[: len(row)] for row, found in zip(rows, forced.rows(), strict=True)]
        return [
            answer_probability(row[len(row) - len(found) :], found, special, self._thoughts_in)
            for row, found in zip(rows, logs, strict=True)
        ]

    def _thoughts_in(self, tokens: Sequence[int]) -> int:
        return len(_END.findall(self.loaded.tokenizer.decode(tokens)))

    @property
    def _ends(self) -> list[int]:
        """The tokens that end an answer, as the generation config has them."""
        config = self.loaded.model.generation_config
        found = None if config is None else config.eos_token_id
        return list(found) if isinstance(found, (list, tuple)) else [] if found is None else [found]

    def _inputs(self, texts: Sequence[str], images: Sequence[Any]) -> Any:
        loaded = self.loaded
        return loaded.processor(
            images=[[image] for image in images] if loaded.image_token else list(images),
            text=list(texts),
            padding=True,
            return_tensors="pt",
            add_special_tokens=not self._has_beginning(texts[0]),
        ).to(loaded.device, dtype=loaded.dtype)

    def _generate(self, inputs: Any, images: Sequence[Any], most: int, beams: int, processors: Sequence[Any]) -> Any:
        """Token sequences, decoded without sampling."""
        torch, model = need("torch", "hf"), self.loaded.model
        with torch.inference_mode(), encoded_once(model, images, inputs.get("image_grid_thw")):
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

    def _has_beginning(self, text: str) -> bool:
        """Whether a text starts with the tokenizer's first special token, so that it must not be added again."""
        beginning = self.loaded.tokenizer.bos_token
        return bool(beginning) and text.startswith(beginning)

    @property
    def _reads_first(self) -> bool:
        """Whether an encoder reads the text; padding then goes after the text, otherwise before it."""
        config = self.loaded.model.config
        inner = config.get_text_config()
        return self._is_answerer or bool(config.is_encoder_decoder or getattr(inner, "is_encoder_decoder", False))

    @property
    def _is_answerer(self) -> bool:
        """BLIP for question answering: transformers' decoder attends to the padding of the question (sic)."""
        return self.loaded.folder.architecture.endswith("QuestionAnswering")

    def _equally_long(self, texts: Sequence[str]) -> list[list[int]]:
        """Indices of texts with the same number of tokens: batches that need no padding."""
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for place, tokens in enumerate(self.loaded.tokenizer(list(texts))["input_ids"]):
            groups[len(tokens)].append(place)
        return [groups[length] for length in sorted(groups)]


def _without_prompt(torch: Any, sequences: Any, prompt: Any) -> Any:
    """The new tokens: most models repeat the prompt in front of them, encoder-decoders do not."""
    length = prompt.shape[1]
    if sequences.shape[1] >= length and torch.equal(sequences[:, :length], prompt):
        return sequences[:, length:]
    return sequences


def spoken(question: Question, text: str, tokens: tuple[int, int] = (0, 0)) -> Prediction:
    """What was said aloud: without ``<think>`` parts; one that never ends leaves no answer.

    >>> spoken(Question(1, None, "Why?"), "<think>Hm. A cat?</think> a cat").answer
    'a cat'
    >>> spoken(Question(1, None, "Why?"), "so it is.</think>no").answer
    'no'
    >>> spoken(Question(1, None, "Why?"), "<think>Let me see").error
    'The model was still thinking after 0 tokens. Raise max_new_tokens.'
    """
    aloud = _END.split(_THOUGHT.sub("", text))[-1]
    if _START.search(aloud):
        error = f"The model was still thinking after {tokens[1]} tokens. Raise max_new_tokens."
        return Prediction(question.id, None, error=error, raw=text, tokens=tokens)
    aloud = aloud.strip()
    return Prediction(question.id, aloud, raw=None if aloud == text.strip() else text, tokens=tokens)
