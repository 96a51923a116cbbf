"""Weights and processors from a folder, through transformers' Auto classes; ``explain`` says why that failed.

No code from the folder is ever run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from askew.errors import AskewError, ModelError, first_line, need
from askew.models.huggingface.folder import Folder, Task, quantisation
from askew.models.huggingface.placement import Placement
from askew.models.huggingface.visual_inputs import PreparedOnce

LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
"""How everything is loaded: nothing is downloaded, and no code of the folder is run."""
_PACKAGE = re.compile(r"requires the ([\w.-]+) library|pip install (?:-U |--upgrade )?[`'\"]?([A-Za-z][\w.-]*)")


@dataclass(frozen=True)
class Loaded:
    """A model with its processor and tokenizer."""

    folder: Folder
    model: Any
    processor: Any
    """transformers' processor: images and texts to tensors. None for models of region features."""
    tokenizer: Any
    device: str

    @property
    def dtype(self) -> Any:
        """The number format of the weights."""
        return self.model.dtype

    @property
    def image_token(self) -> str:
        """The token that stands for the image in the text; empty for models whose text has no image token."""
        token = getattr(self.processor, "image_token", None)
        return token if isinstance(token, str) else ""

    def special_in(self, text: str) -> str:
        """A special token of the model that a text contains; empty if there is none."""
        return next((token for token in self._special if token in text), "")

    @cached_property
    def _special(self) -> list[str]:
        tokens = {*self.tokenizer.all_special_tokens, self.image_token}
        return sorted(token for token in tokens if token.startswith(("<", "[")) or "|" in token)


def load(
    folder: Folder, task: Task, placement: Placement, adapter: Path | None = None, font: str | None = None
) -> Loaded:
    """Load the weights and the processor, and put the model into evaluation mode on its device or devices."""
    torch, transformers = need("torch", "hf"), need("transformers", "hf")
    arguments = placement.arguments(torch, transformers)
    with quiet(transformers), offline():
        try:
            config = transformers.AutoConfig.from_pretrained(folder.path, **LOCAL)
            loader = _loader(transformers, folder, task, config)
            processor = None if task == "regions" else load_processor(transformers, folder, config)
            if font is None and getattr(getattr(processor, "image_processor", None), "is_vqa", False):
                raise ModelError(
                    f"{folder.path}: the model reads the question as text drawn into the image, and there is no font "
                    "in the folder. Give one with font=FILE.ttf: Arial, as in training, or one like it, such as "
                    "Liberation Sans. Answers depend on the font, so it is part of the signature."
                )
            tokenizer = getattr(processor, "tokenizer", None)
            if tokenizer is None:
                tokenizer = transformers.AutoTokenizer.from_pretrained(folder.path, **LOCAL)
            with _base_alone(transformers):
                model, report = loader.from_pretrained(
                    folder.path, config=config, output_loading_info=True, **arguments, **LOCAL
                )
            if missing := sorted(report.get("missing_keys") or ()):  # transformers initialises them at random
                raise ModelError(
                    f"{folder.path}: {len(missing)} weights of {folder.architecture or 'the model'} are missing, "
                    f"e.g. {missing[0]!r}; they would be random. Give a checkpoint that was trained for this task."
                )
            if adapter is not None:
                _apply_adapter(model, adapter)
        except AskewError:
            raise
        except Exception as error:  # anything that transformers raises for a wrong or incomplete folder
            raise explain(folder, task, error) from error
    _check_vocabulary(folder, tokenizer)
    if task == "generate" and not hasattr(model, "generate"):
        raise ModelError(f"{folder.path}: {folder.architecture} has no generate method. Leave task out.")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    if processor is not None:
        processor.image_processor = PreparedOnce(processor.image_processor, Path(font).read_bytes() if font else None)
    model = placement.placed(model).eval()
    return Loaded(folder, model, processor, tokenizer, str(model.device))


def _loader(transformers: Any, folder: Folder, task: Task, config: Any) -> Any:
    """The Auto class that supports the model, or else the transformers class that saved the folder."""
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
        f"{transformers.__version__} to {task}. Give a checkpoint for visual question answering, or serve this one "
        "(openai:MODEL,base_url=...)."
    )


def _apply_adapter(model: Any, adapter: Path) -> None:
    """Apply an adapter (LoRA) to the model, and check that every weight of it was used."""
    try:
        report = model.load_adapter(str(adapter), adapter_kwargs={"local_files_only": True})
    except Exception as error:  # anything that transformers and peft raise for a wrong or damaged adapter
        shapes = "mismatched_sizes" in str(error)
        reason = (
            "the shapes of its weights do not match" if shapes else f"{type(error).__name__}: {first_line(str(error))}"
        )
        raise ModelError(
            f"{adapter}: the adapter cannot be applied to the model ({reason}). Give the base model it was trained on, "
            "or copy the adapter again."
        ) from error
    unused, missing = sorted(report.unexpected_keys), sorted(report.missing_keys)
    if unused or missing:
        raise ModelError(
            f"{adapter}: the adapter does not fit the model: {len(unused)} of its weights are not in the model and "
            f"{len(missing)} are missing, e.g. {(unused or missing)[0]!r}. Give the base model it was trained on."
        )


@contextmanager
def _base_alone(transformers: Any) -> Iterator[None]:
    """Ignore an adapter beside the weights: transformers would apply it, and not report missing base weights."""
    module = transformers.modeling_utils
    original = getattr(module, "maybe_load_adapters", None)
    if original is not None:
        module.maybe_load_adapters = lambda path, *rest, **options: (None, path, {})
    try:
        yield
    finally:
        if original is not None:
            module.maybe_load_adapters = original


def _check_vocabulary(folder: Folder, tokenizer: Any) -> None:
    """Refuse a folder without the tokenizer's vocabulary: every question would have the same tokens."""
    names = set(tokenizer.vocab_files_names.values())
    known = names | {"tokenizer.json", "tekken.json"}
    if not any(file.name in known or file.suffix in (".model", ".tiktoken") for file in folder.path.iterdir()):
        raise ModelError(
            f"{folder.path}: the tokenizer's vocabulary is missing ({', '.join(sorted(names))}), so every "
            "question would have the same tokens. Copy it into the folder."
        )


@contextmanager
def offline() -> Iterator[None]:
    """Prevent requests to the hub within this block, whatever transformers does; changes no environment variable."""
    constants = need("huggingface_hub", "hf").constants
    before = constants.HF_HUB_OFFLINE
    constants.HF_HUB_OFFLINE = True
    try:
        yield
    finally:
        constants.HF_HUB_OFFLINE = before


@contextmanager
def quiet(transformers: Any) -> Iterator[None]:
    """Suppress transformers' progress bars and hints while loading."""
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


def load_processor(transformers: Any, folder: Folder, config: Any) -> Any:
    """The processor of a folder, without its video part if that needs a package that is not installed.

    Images are prepared with Pillow even if torchvision is installed, so that answers do not depend on that; only
    families that transformers has no other code for use torchvision.
    """
    processor = _auto_processor(transformers, folder, config)
    image_processor = getattr(processor, "image_processor", None)
    if image_processor is None:
        if (folder.path / "preprocessor_config.json").is_file():
            transformers.AutoImageProcessor.from_pretrained(folder.path, backend="pil", **LOCAL)  # raises the reason
        raise ModelError(
            f"{folder.path}: {folder.architecture or folder.model_type} has no image processor: it is a text-only "
            "model, or preprocessor_config.json is missing. Give a model that reads images, or copy that file."
        )
    if not type(image_processor).__name__.endswith("Pil"):
        processor.image_processor = transformers.AutoImageProcessor.from_pretrained(folder.path, backend="pil", **LOCAL)
    return processor


def _auto_processor(transformers: Any, folder: Folder, config: Any) -> Any:
    try:
        return transformers.AutoProcessor.from_pretrained(folder.path, **LOCAL)
    except (ImportError, ValueError, TypeError) as error:
        kind = transformers.models.auto.processing_auto.PROCESSOR_MAPPING.get(type(config), None)
        if getattr(kind, "is_dummy", False):
            raise _needs_torchvision(folder) from error
        if kind is None or "video_processor" not in kind.get_attributes():
            raise
        return _images_only(kind).from_pretrained(folder.path, **LOCAL)


def _images_only(processor: Any) -> Any:
    """The same class of processor, with None as its video processor, which needs torchvision."""

    def get_attributes(cls: Any) -> list[str]:
        names: list[str] = super(images_only, cls).get_attributes()
        return names if cls.is_constructing else [name for name in names if name != "video_processor"]

    def from_args_and_dict(cls: Any, /, args: Any, processor_dict: Any, **options: Any) -> Any:
        parts = iter(args)
        names = super(images_only, cls).get_attributes()
        whole = [None if name == "video_processor" else next(parts) for name in names]
        cls.is_constructing = True
        try:
            return super(images_only, cls).from_args_and_dict(whole, processor_dict, **options)
        finally:
            cls.is_constructing = False

    def check_argument_for_proper_class(self: Any, name: str, argument: Any) -> Any:
        return None if argument is None else super(images_only, self).check_argument_for_proper_class(name, argument)

    members = {
        "is_constructing": False,
        "get_attributes": classmethod(get_attributes),
        "from_args_and_dict": classmethod(from_args_and_dict),
        "check_argument_for_proper_class": check_argument_for_proper_class,
    }
    images_only: Any = type(processor.__name__, (processor,), members)
    return images_only


def explain(folder: Folder, task: Task, error: Exception) -> ModelError:
    """What went wrong, as an error that says what to do."""
    transformers = need("transformers", "hf")
    path, text = folder.path, str(error)
    reason = f"{type(error).__name__}: {(text.strip().splitlines() or [''])[0]}"
    known = folder.model_type in transformers.models.auto.configuration_auto.CONFIG_MAPPING_NAMES
    if not known or "trust_remote_code" in text:
        return _unknown_family(transformers, folder)
    if "torchvision" in text.lower():
        return _needs_torchvision(folder)
    if method := quantisation(folder.config):
        return ModelError(
            f"{path}: the weights are quantised ({method}), and transformers cannot load them here ({reason}). Give "
            "the checkpoint with full weights, or serve this one, for example with vLLM (openai:MODEL,base_url=...)."
        )
    if (isinstance(error, ImportError) or "pip install" in text) and (found := _PACKAGE.search(text)):
        package = (found[1] or found[2]).rstrip(".")
        return ModelError(
            f"{path}: {folder.architecture or folder.model_type} needs the package {package}, which is not installed. "
            f"Install it: pip install {package.lower()}"
        )
    if "mismatched_sizes" in text:
        return ModelError(
            f"{path}: the shapes of the weights do not match config.json. Copy both from the same checkpoint."
        )
    if "safetensor" in f"{reason}{type(error).__module__}".lower():
        return ModelError(f"{path}: the weights are damaged ({reason}). Copy or download them again.")
    return ModelError(
        f"{path}: transformers {transformers.__version__} cannot load the folder to {task} ({reason}). "
        "Copy or save the folder again with all its files; task=... chooses another kind of model."
    )


def _unknown_family(transformers: Any, folder: Folder) -> ModelError:
    """A model that transformers has no code for: its code is in the folder, or in another version of transformers."""
    name = folder.architecture or folder.model_type or "the model"
    if "auto_map" in folder.config:
        return ModelError(
            f"{folder.path}: {name} needs Python code from its folder (auto_map in config.json), which askew never "
            "runs. Give a version of the checkpoint that transformers supports itself (often named ...-hf), or serve "
            "this one yourself (openai:MODEL,base_url=...)."
        )
    if not folder.model_type:
        return ModelError(f"{folder.path}: config.json has no model_type. Give a folder that save_pretrained wrote.")
    return ModelError(
        f"{folder.path}: transformers {transformers.__version__} does not know the model type {folder.model_type!r}. "
        "A newer transformers may: pip install -U transformers"
    )


def _needs_torchvision(folder: Folder) -> ModelError:
    """torchvision is missing, or does not fit torch."""
    torch = need("torch", "hf")
    release = torch.__version__.partition("+")[0]
    return ModelError(
        f"{folder.path}: transformers prepares images of {folder.model_type!r} with torchvision, which is not "
        f"installed or does not fit torch {torch.__version__}. Install the version that belongs to it, from the same "
        f"source as torch: pip install torch=={release} torchvision"
    )
