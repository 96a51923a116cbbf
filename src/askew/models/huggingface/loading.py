"""Load weights and processors from a folder with transformers' Auto classes. Code in the folder is never run."""

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
    """A model with its processor and tokenizer."""

    folder: Folder
    model: Any
    processor: Any
    """transformers' processor, which turns images and texts into tensors. None for models that read region features."""
    tokenizer: Any
    device: str

    @property
    def dtype(self) -> Any:
        """The number format of the weights."""
        return self.model.dtype

    @property
    def image_token(self) -> str:
        """The token that marks the image in the text; empty for models without one."""
        token = getattr(self.processor, "image_token", None)
        return token if isinstance(token, str) else ""

    def special_in(self, text: str) -> str:
        """The first special token of the model that occurs in a text, or an empty string."""
        found = self._special.search(text)
        return found[0] if found else ""

    @cached_property
    def _special(self) -> re.Pattern[str]:
        tokens = {*self.tokenizer.all_special_tokens, self.image_token}
        marked = sorted(token for token in tokens if token.startswith(("<", "[")) or "|" in token)
        return re.compile("|".join(map(re.escape, marked)) or r"(?!)")


def load(folder: Folder, task: Task, device: str, dtype: str) -> Loaded:
    """Load the weights and set the model to evaluation mode."""
    torch, transformers = need("torch", "hf"), need("transformers", "hf")
    place = pick_device(device)
    with _quiet(transformers):
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
        except Exception as error:  # transformers raises many types for a wrong or incomplete folder
            raise ModelError(
                f"{folder.path}: cannot be loaded as a model that can {task} ({type(error).__name__}: "
                f"{_first_line(error)}). Check that the folder is complete, or give task=... ."
            ) from error
    _check_weights(folder, report)
    _check_vocabulary(folder, tokenizer)
    if task == "generate" and not hasattr(model, "generate"):
        raise ModelError(f"{folder.path}: {folder.architecture} has no generate method. Leave task out.")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if processor is not None and hasattr(processor, "image_processor"):
        processor.image_processor = PreparedOnce(processor.image_processor)
    return Loaded(folder, model.to(place).eval(), processor, tokenizer, place)


def _loader(transformers: Any, folder: Folder, task: Task, config: Any) -> Any:
    """The Auto class that supports the model, or else the transformers class that saved it."""
    answering = transformers.AutoModelForVisualQuestionAnswering
    generating = transformers.AutoModelForImageTextToText
    saved_by = getattr(transformers, folder.architecture, None)
    if (
        task != "regions"
        and type(config) in answering._model_mapping
        and folder.architecture.endswith("QuestionAnswering")
    ):
        return answering
    if task == "generate" and type(config) in generating._model_mapping:
        return generating
    if folder.architecture.endswith(("QuestionAnswering", "ConditionalGeneration")) and saved_by is not None:
        return saved_by
    raise ModelError(
        f"{folder.path}: {folder.architecture or folder.model_type or 'the model'} cannot be loaded by transformers "
        f"{transformers.__version__} to {task}. Give a checkpoint for visual question answering."
    )


def _processor(transformers: Any, folder: Folder, config: Any) -> Any:
    """The processor; without its video part when that part needs a package that is not installed."""
    try:
        return transformers.AutoProcessor.from_pretrained(folder.path, **_OFFLINE)
    except ImportError as missing:
        kinds = transformers.models.auto.processing_auto.PROCESSOR_MAPPING
        if "Video" not in str(missing) or type(config) not in kinds:
            raise
        return _without_videos(kinds[type(config)]).from_pretrained(folder.path, video_processor=None, **_OFFLINE)


def _without_videos(processor: Any) -> Any:
    """A subclass of the processor that handles images only."""

    def get_attributes(cls: Any) -> list[str]:
        return [name for name in super(images_only, cls).get_attributes() if name != "video_processor"]

    images_only: Any = type(processor.__name__, (processor,), {"get_attributes": classmethod(get_attributes)})
    return images_only


def _check_weights(folder: Folder, report: Any) -> None:
    """Refuse a folder with missing weights: transformers would initialise them at random."""
    missing = sorted(report.get("missing_keys") or ())
    if missing:
        raise ModelError(
            f"{folder.path}: {len(missing)} weights of {folder.architecture or 'the model'} are missing, "
            f"e.g. {missing[0]!r}; they would be random. Give a checkpoint that was trained for this task."
        )


def _check_vocabulary(folder: Folder, tokenizer: Any) -> None:
    """Refuse a folder without the tokenizer's vocabulary: every question would have the same tokens."""
    names = set(tokenizer.vocab_files_names.values())
    known = names | {"tokenizer.json", "tekken.json"}
    if not any(file.name in known or file.suffix in (".model", ".tiktoken") for file in folder.path.iterdir()):
        raise ModelError(
            f"{folder.path}: the tokenizer's vocabulary is missing ({', '.join(sorted(names))}), so every "
            "question would have the same tokens. Copy it into the folder."
        )


def pick_device(device: str) -> str:
    """The device to run on: the given one, or with ``auto`` a GPU if torch finds one."""
    torch = need("torch", "hf")
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if device == "auto":
        return next(name for name in ("cuda", "mps", "cpu") if available[name])
    if not available[device]:
        raise ModelError(f"torch {torch.__version__} finds no device {device!r} here. Leave device=auto.")
    return device


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Hide progress bars and hints while loading; errors are raised anyway."""
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


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]
