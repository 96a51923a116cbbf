"""The options of ``hf:FOLDER_OR_ID``, checked before any weights are loaded."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Literal

from askew.errors import BadOption, ModelError, need
from askew.models.huggingface.adapter import HuggingFace
from askew.models.huggingface.chat_template import THOUGHT_TOKENS, may_think, template_options
from askew.models.huggingface.folder import Folder, Task, find
from askew.models.huggingface.load_errors import ADAPTER
from askew.models.huggingface.loading import pick_device
from askew.models.huggingface.region_features import Regions

ANSWER_TOKENS = 16
"""Default ``max_new_tokens``."""


def hf(
    path: str,
    task: Literal["auto", "classify", "generate", "regions"] = "auto",
    prompt: str | None = None,
    device: Literal["auto", "cpu", "cuda", "mps"] = "auto",
    dtype: Literal["auto", "float32", "float16", "bfloat16"] = "auto",
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
    if max_new_tokens is None:
        thinks = kind == "generate" and may_think(folder.chat_template, options)
        max_new_tokens = THOUGHT_TOKENS if thinks else ANSWER_TOKENS
    _check_options(path, kind, prompt, max_new_tokens, num_beams, features)
    return HuggingFace(
        folder,
        kind,
        folder.prompt(kind) if prompt is None else prompt.replace("\\n", "\n"),
        _dtype(folder, device) if dtype == "auto" else dtype,
        device,
        max_new_tokens,
        num_beams,
        features,
        () if kind == "generate" else folder.labels(labels),
        options,
        _adapter(folder, adapter),
        _font(folder, font),
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


def _dtype(folder: Folder, device: str) -> str:
    """The number format of ``dtype=auto``: as saved, but float32 on a CPU, where lower precision is seldom faster."""
    if folder.dtype == "float32" or device in ("cuda", "mps"):
        return folder.dtype
    return "float32" if device == "cpu" or pick_device("auto") == "cpu" else folder.dtype


def _adapter(folder: Folder, given: str | None) -> Path | None:
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


def _font(folder: Folder, given: str | None) -> str | None:
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
