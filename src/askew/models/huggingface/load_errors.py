"""Why transformers cannot load a folder, and what to do about it: one message for each cause."""

from __future__ import annotations

import re
from typing import Any

from askew.errors import ModelError, need
from askew.models.huggingface.folder import Folder, Task
from askew.models.huggingface.folder_checks import quantisation

LOCAL: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}
"""How everything is loaded: nothing is downloaded, and no code of the folder is run."""

_PACKAGE = re.compile(r"requires the ([\w.-]+) library|pip install (?:-U |--upgrade )?[`'\"]?([A-Za-z][\w.-]*)")
_TORCHVISION = re.compile("torchvision|Torchvision")


def explain(folder: Folder, task: Task, error: Exception) -> ModelError:
    """What went wrong, as an error that says what to do."""
    transformers = need("transformers", "hf")
    path, text = folder.path, str(error)
    reason = f"{type(error).__name__}: {first_line(error)}"
    known = folder.model_type in transformers.models.auto.configuration_auto.CONFIG_MAPPING_NAMES
    if not known or "trust_remote_code" in text:
        return _unknown_family(transformers, folder)
    if _TORCHVISION.search(text):
        return needs_torchvision(folder)
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
            f"{path}: the shapes of the weights are not those of config.json. Copy both from the same checkpoint."
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


def needs_torchvision(folder: Folder) -> ModelError:
    """torchvision is missing, or does not fit torch."""
    torch = need("torch", "hf")
    release = torch.__version__.partition("+")[0]
    minor = release.split(".")[1] if release.startswith("2.") else ""
    fitting = f"torchvision==0.{int(minor) + 15}.*" if minor.isdigit() else "torchvision"
    return ModelError(
        f"{folder.path}: transformers prepares images of {folder.model_type!r} with torchvision, which is not "
        f"installed or does not fit torch {torch.__version__}. Install the one that belongs to it, from where torch "
        f"came: pip install '{fitting}'"
    )


def first_line(error: Exception) -> str:
    """The first line of an error message."""
    return (str(error).strip().splitlines() or [""])[0]
