"""Why a folder cannot be loaded as a model, one message for each cause.

Whatever can be checked without torch and transformers is checked first, before any weights are read; ``explain`` turns
exceptions of transformers into messages of the same kind.
"""

from __future__ import annotations

import importlib.util
import re
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson

from askew.errors import ModelError, need
from askew.files.limits import bounded_read, load_json

if TYPE_CHECKING:
    from askew.models.huggingface.folder import Folder, Task

ADAPTER = "adapter_config.json"
"""The file that marks a LoRA adapter, in a folder of its own or beside the model's weights."""

_POINTER = b"version https://git-lfs.github.com/spec/"
_HEADER_LIMIT = 100 << 20
"""Bytes of a safetensors header at most, as the format says."""
_QUANTISERS = {
    "aqlm": "aqlm",
    "awq": "gptqmodel",
    "bitsandbytes": "bitsandbytes",
    "compressed-tensors": "compressed_tensors",
    "eetq": "eetq",
    "fbgemm_fp8": "fbgemm_gpu",
    "gptq": "gptqmodel",
    "hqq": "hqq",
    "mxfp4": "kernels",
    "quanto": "optimum",
    "quark": "quark",
    "torchao": "torchao",
    "vptq": "vptq",
}
"""The package that each method of quantisation needs (transformers' name of the method first)."""


def check_config(folder: Path) -> Mapping[str, Any]:
    """The content of ``config.json``; raises an error that says what the folder is, if it is not a model."""
    if (folder / "config.json").is_file():
        return read_json(folder / "config.json")
    if (folder / ADAPTER).is_file():
        raise ModelError(adapter_alone(folder))
    refuse_gguf(folder)
    raise ModelError(f"{folder}: no config.json, so this is not a model. Give a folder that save_pretrained wrote.")


def check_weights(folder: Path, files: Sequence[Path], config: Mapping[str, Any], from_hub: bool) -> None:
    """Refuse weights that are missing, damaged, or in a format that cannot be loaded here."""
    weights = [file for file in files if file.suffix in (".safetensors", ".bin")]
    if weights and (folder / ADAPTER).is_file() and all(file.name.startswith("adapter_model") for file in weights):
        raise ModelError(adapter_alone(folder))
    if not weights:
        refuse_gguf(folder)
        raise ModelError(
            f"{folder}: there are no weights (*.safetensors). Copy them there"
            + (", or pass --allow-download to fetch them." if from_hub else ".")
        )
    _check_pointers(files)
    _check_index(folder)
    for file in weights:
        if damage := _damage(file):
            raise ModelError(f"{file}: the weights are damaged: {damage}. Copy or download this file again.")
    _check_quantised(folder, config)


def adapter_alone(folder: Path) -> str:
    """What to do with a folder that has an adapter and no model."""
    base = read_json(folder / ADAPTER).get("base_model_name_or_path") or "BASE"
    return (
        f"{folder}: this folder has an adapter (LoRA) of {base!r}, not a whole model. Give the base model and the "
        f"adapter: hf:{base},adapter={folder}. Or merge them with peft (merge_and_unload) and save the result."
    )


def refuse_gguf(path: Path) -> None:
    """Refuse GGUF weights, which transformers cannot run for models that read images."""
    files = [path] if path.is_file() else sorted(path.glob("*.gguf"))
    if files and files[0].suffix == ".gguf":
        raise ModelError(
            f"{files[0]}: these are GGUF weights, which llama.cpp runs, not transformers. Serve them "
            "(llama-server -m MODEL.gguf --mmproj MMPROJ.gguf) and name the server: "
            "openai:MODEL,base_url=http://127.0.0.1:8080/v1. Or give the folder of the original weights."
        )


def _check_pointers(files: Sequence[Path]) -> None:
    pointers = [file for file in files if _is_pointer(file)]
    if pointers:
        raise ModelError(
            f"{pointers[0]}: this is a Git LFS pointer, not the file itself (one of {len(pointers)} in the folder). "
            "Fetch them there: git lfs pull."
        )


def _is_pointer(file: Path) -> bool:
    """Whether the file is a Git LFS pointer, as in a clone made without LFS."""
    if not file.is_file():
        return False
    with file.open("rb") as opened:
        return opened.read(len(_POINTER)) == _POINTER


def _check_index(folder: Path) -> None:
    """Refuse a folder that lacks some of the files its index names."""
    for index in sorted(folder.glob("*.index.json")):
        table = read_json(index).get("weight_map")
        shards = sorted({str(shard) for shard in table.values()}) if isinstance(table, dict) else []
        missing = [shard for shard in shards if not (folder / shard).is_file()]
        if missing and not (index.name.startswith("pytorch_model") and any(folder.glob("*.safetensors"))):
            raise ModelError(
                f"{folder}: {len(missing)} of the {len(shards)} files of weights that {index.name} names are missing, "
                f"e.g. {missing[0]}. Copy or download them."
            )


def _damage(file: Path) -> str:
    """What is wrong with a file of weights, by its size and its header; empty if nothing is."""
    size = file.stat().st_size
    if file.suffix == ".bin":
        with file.open("rb") as opened:
            is_zip = opened.read(2) == b"PK"
        return "the end of the file is missing" if is_zip and not zipfile.is_zipfile(file) else ""
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        if size < 8 or length > min(size - 8, _HEADER_LIMIT):
            return f"{size:,} bytes are too few for the header" if length <= _HEADER_LIMIT else "the header is damaged"
        try:
            header = orjson.loads(opened.read(length))
            ends = [int(part["data_offsets"][1]) for name, part in header.items() if name != "__metadata__"]
        except (ValueError, KeyError, TypeError, IndexError, AttributeError):
            return "the header is damaged"
    expected = 8 + length + max(ends, default=0)
    return "" if size == expected else f"the file has {size:,} bytes, and its header announces {expected:,}"


def _check_quantised(folder: Path, config: Mapping[str, Any]) -> None:
    method = quantisation(config)
    package = _QUANTISERS.get(method)
    if package is not None and importlib.util.find_spec(package) is None:
        raise ModelError(
            f"{folder}: the weights are quantised ({method}), and the package {package!r} that reads them is not "
            f"installed. Install it, give the checkpoint with full weights, or serve this one ({_SERVE})."
        )


_SERVE = "for example with vLLM, as openai:MODEL,base_url=..."


def quantisation(config: Mapping[str, Any]) -> str:
    """The method that the weights are quantised with; empty for full weights.

    >>> quantisation({"quantization_config": {"quant_method": "awq"}}), quantisation({})
    ('awq', '')
    """
    for part in (config, config.get("text_config") or {}):
        settings = part.get("quantization_config") if isinstance(part, Mapping) else None
        if isinstance(settings, Mapping):
            return str(settings.get("quant_method") or "unknown method")
    return ""


def read_json(file: Path) -> Mapping[str, Any]:
    """A JSON object of a model's folder."""
    try:
        table = load_json(bounded_read(file))
    except (OSError, ValueError) as error:
        raise ModelError(f"{file}: cannot be read as JSON ({error}). Copy the model again.") from None
    return table if isinstance(table, dict) else {}


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


def needs_torchvision(folder: Folder) -> ModelError:
    """torchvision is missing, or does not fit torch."""
    torch = need("torch", "hf")
    release = torch.__version__.partition("+")[0]
    minor = release.split(".")[1] if release.startswith("2.") else ""
    fitting = f"torchvision==0.{int(minor) + 15}.*" if minor.isdigit() else "torchvision"
    return ModelError(
        f"{folder.path}: transformers prepares images of {folder.model_type!r} with torchvision, which is not "
        f"installed or does not fit torch {torch.__version__}. Install the version that belongs to it, from the same "
        f"source as torch: pip install '{fitting}'"
    )


def first_line(error: Exception) -> str:
    """The first line of an error message."""
    return (str(error).strip().splitlines() or [""])[0]
