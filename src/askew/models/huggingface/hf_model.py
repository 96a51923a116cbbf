"""Hugging Face models, ``hf:FOLDER_OR_ID``: one class for every family that transformers' Auto classes know.

``hf`` checks the options before any weights are loaded; ``HuggingFace`` asks the model in batches.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

from askew.errors import AskewError, BadOption, BadRecord, ModelError, first_line, need
from askew.files.limits import read_object
from askew.files.read_write import fingerprint
from askew.models.huggingface.chat_template import (
    THOUGHT_TOKENS,
    TODAY,
    check_options,
    may_think,
    prints_date,
    template_options,
)
from askew.models.huggingface.classify import Classifier
from askew.models.huggingface.folder import ADAPTER, Folder, Task, digest, find
from askew.models.huggingface.generate import Generator, family
from askew.models.huggingface.loading import load, offline
from askew.models.huggingface.placement import Attention, DeviceMap, Placement, Quantise, usual_dtype
from askew.models.huggingface.visual_inputs import Regions
from askew.types import Prediction, Question

TRAINED = "training.json"
"""The file beside an adapter that ``askew train`` wrote, with what determined its weights."""
ANSWER_TOKENS = 16
"""Default ``max_new_tokens``."""
_PLACES = re.compile(r"\{(question|context|image)\}")
_OUT_OF_MEMORY = ("out of memory", "allocate memory", "not enough memory")


def hf(
    path: str,
    task: Literal["auto", "classify", "generate", "regions"] = "auto",
    prompt: str | None = None,
    device: str = "auto",
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto",
    device_map: DeviceMap = "",
    attention: Attention = "",
    quantise: Quantise = "",
    max_new_tokens: int | None = None,
    num_beams: int = 1,
    template: str | None = None,
    adapter: str | None = None,
    font: str | None = None,
    revision: str | None = None,
    allow_download: bool = False,
    features: str | None = None,
    labels: str | None = None,
) -> HuggingFace:
    """A Hugging Face folder, or an id on the hub: ViLT, BLIP, LLaVA, Qwen-VL, SmolVLM, LXMERT, ... (``hf:FOLDER``)."""
    for package in ("torch", "transformers"):
        if importlib.util.find_spec(package) is None:
            need(package, "hf")
    folder = find(path, revision, allow_download)
    kind: Task = folder.task if task == "auto" else task
    options = template_options(template)
    if options and (kind != "generate" or not folder.chat_template):
        raise BadOption(f"hf: {path} has no chat template, so template=... has no effect. Leave it out.")
    if options:
        check_options(folder.chat_template, options)
    if max_new_tokens is None:
        thinks = kind == "generate" and may_think(folder.chat_template, options)
        max_new_tokens = THOUGHT_TOKENS if thinks else ANSWER_TOKENS
    _check_options(path, kind, prompt, max_new_tokens, num_beams, features)
    return HuggingFace(
        folder=folder,
        task=kind,
        prompt=folder.prompt(kind) if prompt is None else prompt.replace("\\n", "\n"),
        dtype=usual_dtype(folder, device) if dtype == "auto" else dtype,
        device=device,
        device_map=device_map,
        attention=attention,
        quantise=quantise,
        max_new_tokens=max_new_tokens,
        num_beams=num_beams,
        features=features,
        labels=() if kind == "generate" else folder.labels(labels),
        template=options,
        adapter=_adapter_folder(folder, adapter),
        font=_font_file(folder, font),
    )


def _check_options(
    path: str, task: Task, prompt: str | None, max_new_tokens: int, num_beams: int, features: str | None
) -> None:
    if prompt is not None and "{question}" not in prompt:
        raise BadOption(f"hf: prompt {prompt!r} has no {{question}} in it. Write {{question}} where the question goes.")
    if max_new_tokens < 1 or num_beams < 1:
        raise BadOption("hf: max_new_tokens and num_beams must be at least 1.")
    if task == "regions" and features is None:
        raise ModelError(f"{path}: the model reads region features, not pixels. Give them with features=FILE.npz.")
    if features is not None:
        if task != "regions":
            raise BadOption(f"hf: {path} reads pixels; features=... is only for LXMERT and VisualBERT. Leave it out.")
        Regions(features)


def _adapter_folder(folder: Folder, given: str | None) -> Path | None:
    """The folder of the adapter: given, or the model's own folder if there is one beside the weights."""
    own = (folder.path / ADAPTER).is_file()
    if given is None and not own:
        return None
    path = folder.path if given is None else Path(given).expanduser()
    if given is not None and own:
        raise BadOption(f"hf: {folder.path} has an adapter of its own. Leave adapter=... out, or merge one of them.")
    if not (path / ADAPTER).is_file():
        raise ModelError(f"{path}: no {ADAPTER}, so this is not an adapter. Give a folder that peft saved.")
    if not any((path / f"adapter_model.{ending}").is_file() for ending in ("safetensors", "bin")):
        raise ModelError(f"{path}: the adapter has no weights (adapter_model.safetensors). Copy them there.")
    if importlib.util.find_spec("peft") is None:
        raise ModelError(
            f"{path}: applying an adapter (LoRA) needs the package peft, which is not installed. Install it: "
            "pip install 'askew[peft]'. Or merge the adapter into the weights with peft (merge_and_unload) and give "
            "the merged folder."
        )
    return path


def _font_file(folder: Folder, given: str | None) -> str | None:
    """A TrueType font for models that read the question as text in the image: given, or the one in the folder."""
    if given is None:
        fonts = sorted(file for file in folder.path.iterdir() if file.suffix.lower() in (".ttf", ".otf"))
        return str(fonts[0]) if fonts and folder.model_type == "pix2struct" else None
    if folder.model_type != "pix2struct":
        raise BadOption(f"hf: font=... is for Pix2Struct, and {folder.path} is {folder.model_type!r}. Leave it out.")
    from PIL import ImageFont

    try:
        ImageFont.truetype(given)
    except OSError as error:
        raise BadOption(f"hf: font={given} cannot be read as a font ({error}). Give a .ttf file.") from None
    return given


@dataclass(frozen=True)
class HuggingFace:
    """A checkpoint folder as a model. Weights are loaded when the first question is asked.

    The signature holds a hash of every file of the folder (or the commit on the hub), the prompt, the number format
    and the decoding options. The device and the batch size are not in it: they should not change an answer.
    """

    folder: Folder
    task: Task
    prompt: str
    dtype: str
    device: str = "auto"
    device_map: DeviceMap = ""
    attention: Attention = ""
    quantise: Quantise = ""
    max_new_tokens: int = ANSWER_TOKENS
    num_beams: int = 1
    features: str | None = None
    labels: tuple[str, ...] = ()
    template: Mapping[str, Any] = field(default_factory=dict)
    """Options for the chat template."""
    adapter: Path | None = None
    """A folder with an adapter (LoRA) for the weights; the model's own folder if the adapter is beside them."""
    font: str | None = None
    content: str = field(init=False, default="")
    regions: str = field(init=False, default="")
    """Fingerprint of the file of region features."""
    room: list[int] = field(init=False, compare=False, default_factory=list)
    """Batch sizes tried after running out of memory; later batches are no larger than the smallest."""

    def __post_init__(self) -> None:
        self.placement.check(self.folder)
        adapter = ""
        if self.adapter is not None and self.adapter != self.folder.path:
            adapter = f"+{digest(self.adapter)}"
        object.__setattr__(self, "content", self.folder.content + adapter)
        object.__setattr__(self, "regions", fingerprint(self.features) if self.features else "")

    @property
    def placement(self) -> Placement:
        """How the weights are loaded."""
        return Placement(self.device, self.dtype, self.device_map, self.attention, self.quantise)

    @property
    def free_text(self) -> bool:
        """Whether the model answers in free text, from which a short answer must be extracted."""
        return self.task == "generate"

    @property
    def several_images(self) -> bool:
        """Whether it can be asked about several images: its chat template places them."""
        return self.task == "generate" and bool(self.folder.chat_template)

    @property
    def opens_images(self) -> bool:
        """Whether every image file must exist; region features are found by the image's id."""
        return self.task != "regions"

    def __repr__(self) -> str:
        form = f"dtype={self.dtype}{self.placement}"
        common = f"{self.folder.name!r}, {self.content}, {self.task}, prompt={self.prompt!r}, {form}"
        if self.task == "generate":
            decoded = f"max_new_tokens={self.max_new_tokens}, num_beams={self.num_beams}, score=exp-mean-logprob"
            rest = {  # what else determines a prompt
                "template": json.dumps(self.template, sort_keys=True) if self.template else "",
                "date": str(TODAY) if prints_date(self.folder.chat_template) else "",
                "font": fingerprint(self.font) if self.font else "",
            }
            shown = "".join(f", {name}={value}" for name, value in rest.items() if value)
            return f"HuggingFace({common}, {decoded}{shown}{self._training})"
        regions = f", features={self.regions}" if self.regions else ""
        labels = hashlib.sha256(chr(0).join(self.labels).encode()).hexdigest()[:12]
        return f"HuggingFace({common}, labels={len(self.labels)}#{labels}{regions}{self._training})"

    @property
    def _training(self) -> str:
        """How the adapter was trained, if askew trained it: the losses, the control, the questions and the seed."""
        if self.adapter is None or not (self.adapter / TRAINED).is_file():
            return ""
        record = read_object(self.adapter / TRAINED, "Train the adapter again.")
        settings, questions = record.get("training") or {}, record.get("questions") or {}
        told = (
            [*record.get("losses", ()), f"control={record['control']}"]
            if record.get("control")
            else record.get("losses", ())
        )
        parts = [*map(str, told), f"{questions.get('train')} questions", f"seed={settings.get('seed')}"]
        base = ", ".join(str(record.get("model")).split(", ")[:2]).partition("(")[2]  # the name and the content
        if not base.endswith(f", {self.folder.content}"):
            parts.insert(0, f"on other files: {base}")
        return f", adapter trained by askew ({', '.join(parts)})"

    def __getstate__(self) -> dict[str, Any]:
        """Pickle everything but the loaded weights."""
        return {part.name: getattr(self, part.name) for part in fields(self)} | {"room": []}

    @cached_property
    def runtime(self) -> Runtime:
        """The loaded model; loads it on first use."""
        loaded = load(self.folder, self.task, self.placement, self.adapter, self.font)
        if "<s_answer>" in self.prompt and "<s_answer>" not in loaded.tokenizer.get_vocab():
            raise ModelError(
                f"{self.folder.path}: the model does not answer questions: its tokenizer has no <s_answer>, unlike "
                "Donut for document questions. If it answers questions in another form, give that with prompt=... ."
            )
        if self.task == "generate":
            return Generator(loaded, self.max_new_tokens, self.num_beams, self.template)
        return Classifier(loaded, self.labels, Regions(self.features or "") if self.task == "regions" else None)

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """One prediction for each question, in order; a question that cannot be asked fails alone."""

        def ask(asks: Sequence[_Ask]) -> list[Prediction]:
            texts, visual_inputs = [ask.text for ask in asks], [ask.visual_input for ask in asks]
            return self.runtime.ask([ask.question for ask in asks], texts, visual_inputs)

        return self._in_batches(questions, ask)

    def scores(self, questions: Sequence[Question], answers: Sequence[str]) -> list[float]:
        """The probability of each given answer; nan if the question cannot be asked.

        Classifiers give their score of that label, 0 if there is none. Generators are forced to write the answer, and
        give exp of the mean log-probability of its tokens, without the end of the sequence.
        """
        if len(answers) != len(questions):
            raise ValueError(f"{len(questions)} questions, but {len(answers)} answers.")

        def ask(asks: Sequence[_Ask]) -> list[Prediction]:
            texts, visual_inputs = [ask.text for ask in asks], [ask.visual_input for ask in asks]
            given = [answers[ask.place] for ask in asks]
            scores = self.runtime.score(texts, visual_inputs, given)
            return [Prediction(a.question.id, word, p) for a, word, p in zip(asks, given, scores, strict=True)]

        predictions = self._in_batches(questions, ask)
        return [float("nan") if prediction.score is None else prediction.score for prediction in predictions]

    def batches(self, questions: Sequence[Question], size: int) -> list[list[int]]:
        """Questions of equal length together, for families that need it; others in order."""
        order = list(range(len(questions)))
        if self.task != "generate" or not family(self.folder).equal_lengths:
            return [order[start : start + size] for start in range(0, len(order), size)]
        assert isinstance(self.runtime, Generator)
        lengths = self.runtime.lengths([self._prompt_or_nothing(question) for question in questions])
        alike: defaultdict[int, list[int]] = defaultdict(list)
        for place, length in enumerate(lengths):
            alike[length].append(place)
        return [
            places[start : start + size] for _, places in sorted(alike.items()) for start in range(0, len(places), size)
        ]

    def _prompt_or_nothing(self, question: Question) -> str:
        """The prompt, empty for a question that cannot be asked; why is said when it is."""
        try:
            return self.fill_prompt(question)
        except BadRecord:
            return ""

    def _in_batches(self, questions: Sequence[Question], ask: _AskBatch) -> list[Prediction]:
        """Predictions in order, from ``ask`` for the questions that can be asked."""
        predictions: dict[int, Prediction] = {}
        asks: list[_Ask] = []
        for place, question in enumerate(questions):
            try:
                text = self.fill_prompt(question)
                asks.append(_Ask(place, question, text, self.runtime.visual_input(question, text)))
            except ModelError:
                raise
            except AskewError as error:
                predictions[place] = Prediction(question.id, None, error=_describe(error))
        for start in range(0, len(asks), room := min(self.room, default=len(asks) or 1)):
            part, failures = asks[start : start + room], list[str]()
            said = self._answers(part, ask, failures)
            if failures:
                parts = f"A batch of {len(part)} questions was asked in {len(failures) + 1} parts"
                said[0] = replace(said[0], remark=f"{parts}, since it failed as a whole ({failures[0]}).")
            predictions.update(zip((each.place for each in part), said, strict=True))
        return [predictions[place] for place in range(len(questions))]

    def preview(self, question: Question) -> str:
        """The exact text that the model reads for a question, and how many tokens of it are the image's."""
        text = self.fill_prompt(question)
        with offline():
            return self.runtime.preview(text, self.runtime.visual_input(question, text))

    def fill_prompt(self, question: Question) -> str:
        """The prompt for a question. Context goes where the prompt has ``{context}``, or else before the question."""
        whole = f"{question.context} {question.text}" if question.context else question.text
        if special := self.runtime.loaded.special_in(whole):
            raise BadRecord(
                f"The question contains {special!r}, which is a special token of the model. Reword the question."
            )
        text = question.text if "{context}" in self.prompt else whole
        words = {"question": text, "context": question.context, "image": self.runtime.image_mark}
        return _PLACES.sub(lambda place: words[place[1]], self.prompt)

    def _answers(self, asks: Sequence[_Ask], ask: _AskBatch, failures: list[str]) -> list[Prediction]:
        """Predictions of a batch; when it fails or memory runs out, it is split in half, down to single questions.

        ``failures`` receives the reason of each split.
        """
        start = time.perf_counter()
        try:
            with offline():
                predictions = ask(asks)
            each = (time.perf_counter() - start) / len(asks)
            return [replace(prediction, seconds=each) for prediction in predictions]
        except AskewError:
            raise
        except Exception as error:
            if len(asks) == 1:
                spent = time.perf_counter() - start
                return [Prediction(asks[0].question.id, None, error=_describe(error), seconds=spent)]
            out_of_memory = isinstance(error, MemoryError) or any(
                words in str(error).lower() for words in _OUT_OF_MEMORY
            )
            failures.append(first_line(_describe(error), 200))
        middle = len(asks) // 2
        if out_of_memory:
            self.room.append(middle)
            need("torch", "hf").cuda.empty_cache()  # no-op without CUDA
        return self._answers(asks[:middle], ask, failures) + self._answers(asks[middle:], ask, failures)


@dataclass(frozen=True)
class _Ask:
    """A question with its prompt and visual input."""

    place: int
    question: Question
    text: str
    visual_input: Any


_AskBatch: TypeAlias = Callable[[Sequence[_Ask]], list[Prediction]]


Runtime: TypeAlias = Generator | Classifier
"""A model loaded into memory; which one depends on the task."""


def _describe(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"
