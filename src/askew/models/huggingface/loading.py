"""Weights and processors from a folder, through transformers' Auto classes. No code from the folder is ever run."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from askew.errors import ModelError, need
from askew.models.huggingface.folder import Folder, Task
from askew.models.huggingface.shared_images import PreparedOnce

_OFFLINE = {"local_files_only": True, "trust_remote_code": False}


@dataclass(frozen=True)
class Loaded:
    """A model with what prepares its inputs."""

    folder: Folder
    model: Any
    processor: Any
    """transformers' processor: pictures and texts to tensors. None for models of region features."""
    tokenizer: Any
    device: str

    @property
    def dtype(self) -> Any:
        """The number format of the weights."""
        return self.model.dtype

    @property
    def image_token(self) -> str:
        """What stands for the picture in the text; empty for models whose text has no picture in it."""
        token = getattr(self.processor, "image_token", None)
        return token if isinstance(token, str) else ""

    def special_in(self, text: str) -> str:
        """A special token of the model that a text spells out, or nothing."""
        found = self._special.search(text)
        return found[0] if found else ""

    @cached_property
    def _special(self) -> re.Pattern[str]:
        tokens = {*self.tokenizer.all_special_tokens, self.image_token}
        marked = sorted(token for token in tokens if token.startswith(("<", "[")) or "|" in token)
        return re.compile("|".join(map(re.escape, marked)) or r"(?!)")


def load(folder: Folder, task: Task, device: str, dtype: str) -> Loaded:
    """Read the weights, and set the model to answering."""
    torch, transformers = need("torch", "hf"), need("transformers", "hf")
    place = pick_device(device)
    with _calm(transformers):
        try:
            config = transformers.AutoConfig.from_pretrained(folder.path, **_OFFLINE)
            loader = _loader(transformers, folder, task, config)
            model, report = loader.from_pretrained(
                folder.path, config=config, dtype=getattr(torch, dtype), output_loading_info=True, **_OFFLINE
            )
            processor = None if task == "regions" else _processor(transformers, folder, config)
            tokenizer = getattr(processor, "tokenizer", None)
            if tokenizer is None:
                tokenizer = transformers.AutoTokenizer.from_pretrained(folder.path, **_OFFLINE)
        except ModelError:
            raise
        except Exception as trouble:  # whatever a wrong or half-copied folder leads transformers to
            raise ModelError(
                f"{folder.path}: cannot be loaded as a model that can {task} ({type(trouble).__name__}: "
                f"{_first_line(trouble)}). Check that the folder is whole, or give task=... ."
            ) from trouble
    _all_there(folder, report)
    _can_read(folder, tokenizer)
    if task == "generate" and not hasattr(model, "generate"):
        raise ModelError(f"{folder.path}: {folder.architecture} writes no words; it cannot generate. Leave task out.")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if processor is not None and hasattr(processor, "image_processor"):
        processor.image_processor = PreparedOnce(processor.image_processor)
    return Loaded(folder, model.to(place).eval(), processor, tokenizer, place)


def _loader(transformers: Any, folder: Folder, task: Task, config: Any) -> Any:
    """The Auto class that knows the model, or else the class of transformers that wrote the folder."""
    answers = transformers.AutoModelForVisualQuestionAnswering
    talks = transformers.AutoModelForImageTextToText
    wrote = getattr(transformers, folder.architecture, None)
    if (
        task != "regions"
        and type(config) in answers._model_mapping
        and folder.architecture.endswith("QuestionAnswering")
    ):
        return answers
    if task == "generate" and type(config) in talks._model_mapping:
        return talks
    if folder.architecture.endswith(("QuestionAnswering", "ConditionalGeneration")) and wrote is not None:
        return wrote
    raise ModelError(
        f"{folder.path}: {folder.architecture or folder.model_type or 'the model'} is not one that transformers "
        f"{transformers.__version__} can load to {task}. Give a checkpoint for visual question answering."
    )


def _processor(transformers: Any, folder: Folder, config: Any) -> Any:
    """The processor; without its part for videos when that part needs a package that is not there."""
    try:
        return transformers.AutoProcessor.from_pretrained(folder.path, **_OFFLINE)
    except ImportError as missing:
        kinds = transformers.models.auto.processing_auto.PROCESSOR_MAPPING
        if "Video" not in str(missing) or type(config) not in kinds:
            raise
        return _without_videos(kinds[type(config)]).from_pretrained(folder.path, video_processor=None, **_OFFLINE)


def _without_videos(processor: Any) -> Any:
    """The same kind of processor, for pictures alone."""

    def get_attributes(cls: Any) -> list[str]:
        return [name for name in super(pictures, cls).get_attributes() if name != "video_processor"]

    pictures: Any = type(processor.__name__, (processor,), {"get_attributes": classmethod(get_attributes)})
    return pictures


def _all_there(folder: Folder, report: Any) -> None:
    """Refuse a folder that leaves weights to chance: its answers would mean nothing."""
    missing = sorted(report.get("missing_keys") or ())
    if missing:
        raise ModelError(
            f"{folder.path}: {len(missing)} weights of {folder.architecture or 'the model'} are not in the folder, "
            f"e.g. {missing[0]!r}; they would be random. Give a checkpoint that was trained for this task."
        )


def _can_read(folder: Folder, tokenizer: Any) -> None:
    """Refuse a folder without the tokenizer's words: transformers takes none then, and all questions read alike."""
    names = set(tokenizer.vocab_files_names.values())
    known = names | {"tokenizer.json", "tekken.json"}
    if not any(file.name in known or file.suffix in (".model", ".tiktoken") for file in folder.path.iterdir()):
        raise ModelError(
            f"{folder.path}: the tokenizer's words are not in the folder ({', '.join(sorted(names))}), so every "
            "question would read alike. Copy them there."
        )


def pick_device(device: str) -> str:
    """Where to compute: as asked, or with ``auto`` on a GPU if torch finds one."""
    torch = need("torch", "hf")
    there = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if device == "auto":
        return next(name for name in ("cuda", "mps", "cpu") if there[name])
    if not there[device]:
        raise ModelError(f"There is no device {device!r} for torch {torch.__version__} here. Leave device=auto.")
    return device


@contextmanager
def _calm(transformers: Any) -> Iterator[None]:
    """No progress bars and no hints while loading: what matters is raised."""
    logs = transformers.utils.logging
    level, bars = logs.get_verbosity(), logs.is_progress_bar_enabled()
    logs.set_verbosity_error()
    logs.disable_progress_bar()
    try:
        yield
    finally:
        logs.set_verbosity(level)
        if bars:
            logs.enable_progress_bar()


def _first_line(trouble: Exception) -> str:
    return (str(trouble).strip().splitlines() or [""])[0]
