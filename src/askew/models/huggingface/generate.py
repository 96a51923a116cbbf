"""Models that answer in words of their own: BLIP, BLIP-2, LLaVA, Qwen-VL, SmolVLM, Idefics and alike."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from askew.errors import need
from askew.models.huggingface.loading import Loaded
from askew.models.huggingface.shared_images import Decoded, encoded_once
from askew.types import Prediction, Question

_THOUGHT = re.compile(r"<think>.*?</think>", re.DOTALL | re.IGNORECASE)
_END = re.compile(r"</think>", re.IGNORECASE)
_START = re.compile(r"<think>", re.IGNORECASE)


@dataclass(frozen=True)
class Generator:
    """Pictures and prompts to words. Decoding draws no lots: greedy, or with ``num_beams`` a beam search."""

    loaded: Loaded
    max_new_tokens: int
    num_beams: int = 1
    pictures: Decoded = field(default_factory=Decoded)

    def __post_init__(self) -> None:
        self.loaded.tokenizer.padding_side = "right" if self._reads_first else "left"
        config = self.loaded.model.generation_config
        if config is not None and config.pad_token_id is None:
            config.pad_token_id = self.loaded.tokenizer.pad_token_id

    @property
    def image_mark(self) -> str:
        """What stands for ``{image}`` in a prompt; nothing where a chat template puts the picture in its place."""
        return "" if self._template else self.loaded.image_token

    def begin(self) -> None:
        """A new batch comes."""
        self.pictures.turn()

    def ready(self, question: Question, text: str) -> Any:
        """The picture, decoded; raises what is wrong with it."""
        return self.pictures.of(question)

    def ask(self, questions: Sequence[Question], texts: Sequence[str], pictures: Sequence[Any]) -> list[Prediction]:
        """What the model says, all of one batch."""
        written = [self.written(text) for text in texts]
        if not self._is_answerer:
            return self._ask(questions, written, pictures)
        said: dict[int, Prediction] = {}
        for places in self._equally_long(written):
            part = self._ask(
                [questions[place] for place in places],
                [written[place] for place in places],
                [pictures[place] for place in places],
            )
            said.update(zip(places, part, strict=True))
        return [said[place] for place in range(len(questions))]

    def written(self, text: str) -> str:
        """The whole text the model reads: in the form of its chat template if it has one, the picture's place in it."""
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
        """How the model wants a conversation written, if it says so."""
        found = getattr(self.loaded.processor, "chat_template", None) or self.loaded.tokenizer.chat_template
        if isinstance(found, Mapping):
            found = found.get("default") or next(iter(found.values()), None)
        return found or None

    def _ask(self, questions: Sequence[Question], texts: Sequence[str], pictures: Sequence[Any]) -> list[Prediction]:
        torch, loaded = need("torch", "hf"), self.loaded
        inputs = loaded.processor(
            images=[[picture] for picture in pictures] if loaded.image_token else list(pictures),
            text=list(texts),
            padding=True,
            return_tensors="pt",
            add_special_tokens=not self._has_beginning(texts[0]),
        ).to(loaded.device, dtype=loaded.dtype)
        with torch.inference_mode(), encoded_once(loaded.model, pictures, inputs.get("image_grid_thw")):
            sequences = loaded.model.generate(
                **inputs,
                max_new_tokens=self.max_new_tokens,
                num_beams=self.num_beams,
                do_sample=False,
                temperature=None,
                top_p=None,
                top_k=None,
            )
        fresh = _without_prompt(torch, sequences, inputs["input_ids"])
        words = loaded.tokenizer.batch_decode(fresh, skip_special_tokens=True)
        read = inputs["attention_mask"].sum(-1).tolist()
        wrote = (fresh != loaded.tokenizer.pad_token_id).sum(-1).tolist()
        return [
            spoken(question, text, counts)
            for question, text, counts in zip(questions, words, zip(read, wrote, strict=True), strict=True)
        ]

    def _has_beginning(self, text: str) -> bool:
        """Whether a text brings its own first special token, so that the tokenizer must not add another."""
        beginning = self.loaded.tokenizer.bos_token
        return bool(beginning) and text.startswith(beginning)

    @property
    def _reads_first(self) -> bool:
        """Whether the text is read by an encoder; then padding comes after it, else before it."""
        config = self.loaded.model.config
        inner = config.get_text_config()
        return self._is_answerer or bool(config.is_encoder_decoder or getattr(inner, "is_encoder_decoder", False))

    @property
    def _is_answerer(self) -> bool:
        """BLIP for question answering: transformers' decoder attends to the padding of the question (sic)."""
        return self.loaded.folder.architecture.endswith("QuestionAnswering")

    def _equally_long(self, texts: Sequence[str]) -> list[list[int]]:
        """Places of texts with the same number of tokens: batches that need no padding."""
        groups: defaultdict[int, list[int]] = defaultdict(list)
        for place, tokens in enumerate(self.loaded.tokenizer(list(texts))["input_ids"]):
            groups[len(tokens)].append(place)
        return [groups[length] for length in sorted(groups)]


def _without_prompt(torch: Any, sequences: Any, prompt: Any) -> Any:
    """The new tokens: most models give the prompt back in front of them, encoder-decoders do not."""
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
