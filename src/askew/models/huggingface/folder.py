"""A Hugging Face checkpoint before it is loaded: its folder, config, task, default prompt and content hash.

Nothing here imports torch or transformers, so a wrong path or option, and weights that are missing, damaged or in a
format that cannot be loaded, are reported before any weights are read.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

import orjson

from askew.errors import DataError, ModelError, need
from askew.files.limits import bounded_read, load_lines, read_object
from askew.files.paths import cache_folder
from askew.files.read_write import file_sha256, replaced, resource
from askew.models.huggingface.chat_template import default_template

Task: TypeAlias = Literal["classify", "generate", "regions"]
"""``classify``: an answer vocabulary with scores (ViLT). ``generate``: free text, token by token (BLIP, LLaVA, ...).
``regions``: an answer vocabulary, from region features instead of pixels (LXMERT, VisualBERT)."""
ADAPTER = "adapter_config.json"
"""The file that marks a LoRA adapter, in a folder of its own or beside the model's weights."""
_SUFFIXES = {".json", ".safetensors", ".bin", ".model", ".txt", ".jinja", ".tiktoken"}
_SKIPPED_FILES = (
    "optimizer",
    "scheduler",
    "trainer_state",
    "training_args",
    "rng_state",
    "README",
    "history.",
    ".askew",
)
_SKIPPED_FOLDERS = ("checkpoint-", "runs", "onnx", "original", ".")
_LARGE = 32 << 20
_COPY = "Copy the model again."
_DOWNLOAD = ["*.json", "*.txt", "*.model", "*.jinja", "*.tiktoken"]
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


@dataclass(frozen=True)
class Folder:
    """A folder with a model, as written by ``save_pretrained``."""

    path: Path = field(repr=False)
    name: str
    """The name in signatures: the folder's name, or the id on the hub."""
    revision: str | None = None
    """The commit, for a model from the hub."""
    config: Mapping[str, Any] = field(repr=False, compare=False, default_factory=dict)

    @property
    def content(self) -> str:
        """The version of the model: its commit on the hub, or else 16 digits of a hash over all its files."""
        return self.revision or digest(self.path)

    @property
    def model_type(self) -> str:
        """transformers' name of the family."""
        return str(self.config.get("model_type", ""))

    @property
    def architecture(self) -> str:
        """The class that saved the folder."""
        return str((self.config.get("architectures") or [""])[0])

    @property
    def task(self) -> Task:
        """The kind of model, according to its config.

        >>> def kind(**config): return Folder(Path(), "m", config=config).task
        >>> kind(architectures=["ViltForQuestionAnswering"], id2label={"0": "yes"})
        'classify'
        >>> kind(architectures=["BlipForQuestionAnswering"]), kind(visual_feat_dim=2048)
        ('generate', 'regions')
        """
        if "visual_feat_dim" in self.config or "visual_embedding_dim" in self.config:
            return "regions"
        answers = self.architecture.endswith("QuestionAnswering")
        return "classify" if answers and self.config.get("id2label") else "generate"

    @property
    def dtype(self) -> str:
        """The number format the weights were saved in."""
        for part in (self.config, self.config.get("text_config") or {}):
            dtype = part.get("dtype") or part.get("torch_dtype")
            if isinstance(dtype, str):
                return dtype.removeprefix("torch.")
        return "float32"

    @cached_property
    def chat_template(self) -> str:
        """The chat template of the folder; empty if there is none."""
        jinja = self.path / "chat_template.jinja"
        if jinja.is_file():
            return bounded_read(jinja).decode("utf-8", "replace")
        names = ("chat_template.json", "processor_config.json", "tokenizer_config.json")
        files = (self.path / name for name in names if (self.path / name).is_file())
        found = (default_template(read_object(file, _COPY).get("chat_template")) for file in files)
        return next(filter(None, found), "")

    def prompt(self, task: Task) -> str:
        """The default prompt."""
        table = prompts()
        if task != "generate":
            return table["question"]
        if self.chat_template:
            return table["chat"]
        return table.get(self.model_type, table["plain"])

    def labels(self, file: str | None) -> tuple[str, ...]:
        """The answer vocabulary: from the file if one is given, else from the config."""
        if file is not None:
            return read_labels(file)
        table = self.config.get("id2label") or {}
        labels = tuple(str(label) for _, label in sorted(table.items(), key=lambda item: int(item[0])))
        if not labels or all(label == f"LABEL_{place}" for place, label in enumerate(labels)):
            raise ModelError(
                f"{self.path}: config.json does not name the answers (id2label). "
                "Give them with labels=FILE: one answer per line, or a JSON list, in the order of the classes."
            )
        return labels


def find(path: str, revision: str | None = None, allow_download: bool = False) -> Folder:
    """The folder at a path, or of an id on the hub: from the local cache, or downloaded if that is allowed."""
    place = Path(path).expanduser()
    if place.is_dir():
        if revision is not None:
            raise ModelError(f"{path}: a folder has no revision; revision=... is for ids on the hub. Leave it out.")
        return _checked(place, place.resolve().name)
    if place.is_file():
        _refuse_gguf(place)
        raise ModelError(f"{path}: this is a file. Give the folder that it is in.")
    if path.startswith((".", "~", os.sep)) or path.count("/") != 1:
        raise ModelError(
            f"{path}: there is no such folder. Give a folder that save_pretrained wrote, or an id on the hub "
            "such as dandelin/vilt-b32-finetuned-vqa."
        )
    snapshot = _snapshot(path, revision, allow_download)
    return _checked(snapshot, path, snapshot.name)


def _snapshot(name: str, revision: str | None, allow_download: bool) -> Path:
    hub = need("huggingface_hub", "hf")
    try:
        if not allow_download:
            return Path(hub.snapshot_download(name, revision=revision, local_files_only=True))
        found = Path(hub.snapshot_download(name, revision=revision, allow_patterns=[*_DOWNLOAD, "*.safetensors"]))
        if not any(found.glob("*.safetensors")):
            found = Path(hub.snapshot_download(name, revision=revision, allow_patterns=[*_DOWNLOAD, "*.bin"]))
        return found
    except Exception as error:  # errors of the hub: network, names, permissions
        at = f" at revision {revision!r}" if revision else ""
        if not allow_download:
            raise ModelError(
                f"hf:{name}: there is no such folder, and the hub's local cache does not have it{at}. "
                "Give the path of a folder, or pass --allow-download (allow_download=true) to fetch it."
            ) from None
        lines = str(error).strip().splitlines() or [""]
        raise ModelError(
            f"hf:{name}: cannot be downloaded{at} ({type(error).__name__}: {lines[0]}). "
            "Check the name and the network, or give the path of a folder."
        ) from None


def _checked(path: Path, name: str, revision: str | None = None) -> Folder:
    """The folder with its config, after checking that it has a config and whole weights."""
    config = _read_config(path)
    _check_weights(path, config, from_hub=revision is not None)
    return Folder(path, name, revision, config)


def _read_config(folder: Path) -> Mapping[str, Any]:
    """The content of ``config.json``; raises an error that says what the folder is, if it is not a model."""
    if (folder / "config.json").is_file():
        return read_object(folder / "config.json", _COPY)
    if (folder / ADAPTER).is_file():
        raise ModelError(_adapter_alone(folder))
    _refuse_gguf(folder)
    raise ModelError(f"{folder}: no config.json, so this is not a model. Give a folder that save_pretrained wrote.")


def _check_weights(folder: Path, config: Mapping[str, Any], from_hub: bool) -> None:
    """Refuse weights that are missing, damaged, or in a format that cannot be loaded here."""
    files = weight_files(folder)
    weights = [file for file in files if file.suffix in (".safetensors", ".bin")]
    if weights and (folder / ADAPTER).is_file() and all(file.name.startswith("adapter_model") for file in weights):
        raise ModelError(_adapter_alone(folder))
    if not weights:
        _refuse_gguf(folder)
        raise ModelError(
            f"{folder}: there are no weights (*.safetensors). Copy them there"
            + (", or pass --allow-download to fetch them." if from_hub else ".")
        )
    pointers = [file for file in files if file.is_file() and _is_pointer(file)]
    if pointers:
        raise ModelError(
            f"{pointers[0]}: this is a Git LFS pointer, not the file itself (one of {len(pointers)} in the folder). "
            "Fetch them there: git lfs pull."
        )
    _check_index(folder)
    for file in weights:
        if damage := _damage(file):
            raise ModelError(f"{file}: the weights are damaged: {damage}. Copy or download this file again.")
    method = quantisation(config)
    package = _QUANTISERS.get(method)
    if package is not None and importlib.util.find_spec(package) is None:
        raise ModelError(
            f"{folder}: the weights are quantised ({method}), and the package {package!r} that reads them is not "
            "installed. Install it, give the checkpoint with full weights, or serve this one (for example with vLLM, "
            "as openai:MODEL,base_url=...)."
        )


def _adapter_alone(folder: Path) -> str:
    """What to do with a folder that has an adapter and no model."""
    base = read_object(folder / ADAPTER, _COPY).get("base_model_name_or_path") or "BASE"
    return (
        f"{folder}: this folder has an adapter (LoRA) of {base!r}, not a whole model. Give the base model and the "
        f"adapter: hf:{base},adapter={folder}. Or merge them with peft (merge_and_unload) and save the result."
    )


def _refuse_gguf(path: Path) -> None:
    """Refuse GGUF weights, which transformers cannot run for models that read images."""
    files = [path] if path.is_file() else sorted(path.glob("*.gguf"))
    if files and files[0].suffix == ".gguf":
        raise ModelError(
            f"{files[0]}: these are GGUF weights, which llama.cpp runs, not transformers. Serve them "
            "(llama-server -m MODEL.gguf --mmproj MMPROJ.gguf) and name the server: "
            "openai:MODEL,base_url=http://127.0.0.1:8080/v1. Or give the folder of the original weights."
        )


def _is_pointer(file: Path) -> bool:
    """Whether the file is a Git LFS pointer, as in a clone made without LFS."""
    with file.open("rb") as opened:
        return opened.read(len(_POINTER)) == _POINTER


def _check_index(folder: Path) -> None:
    """Refuse a folder that lacks some of the files its index names."""
    for index in sorted(folder.glob("*.index.json")):
        table = read_object(index, _COPY).get("weight_map")
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


def weight_files(folder: Path) -> list[Path]:
    """Weights, configs and vocabularies, sorted; *.bin only without *.safetensors, which take precedence."""
    found = sorted(_files(folder))
    safe = {file.name.startswith("adapter_model") for file in found if file.suffix == ".safetensors"}
    return [file for file in found if file.suffix != ".bin" or file.name.startswith("adapter_model") not in safe]


def _files(folder: Path) -> Iterator[Path]:
    for entry in folder.iterdir():
        if entry.is_dir() and not entry.name.startswith(_SKIPPED_FOLDERS):
            yield from _files(entry)
        elif entry.suffix in _SUFFIXES and not entry.name.startswith(_SKIPPED_FILES):
            yield entry


def digest(folder: Path) -> str:
    """A hash of every byte of weights, configs and vocabularies, as 16 hexadecimal digits.

    Hashes of large files are cached in askew's cache folder until the file's size or modification time changes.
    """
    whole = hashlib.sha256()
    for file in weight_files(folder):
        whole.update(f"{file.relative_to(folder).as_posix()}\0{_file_digest(file)}\n".encode())
    return whole.hexdigest()[:16]


def _file_digest(file: Path) -> str:
    state = file.stat()
    if state.st_size < _LARGE:
        return file_sha256(str(file))
    identity = f"{file.resolve()}\0{state.st_size}\0{state.st_mtime_ns}"
    cached = cache_folder() / "hashes" / hashlib.sha256(identity.encode()).hexdigest()
    if cached.is_file():
        return cached.read_text(encoding="ascii")
    found = file_sha256(str(file))
    try:
        with replaced(cached) as out:
            out.write(found.encode("ascii"))
    except OSError:  # a read-only cache costs time, but must not fail the run
        pass
    return found


def read_labels(file: str) -> tuple[str, ...]:
    """An answer vocabulary from a file: one answer per line, a JSON list, or a JSON object from class to answer."""
    try:
        table = load_lines(file)
        if isinstance(table, dict):
            table = [table[str(place)] for place in range(len(table))]
    except (OSError, ValueError, KeyError) as error:
        raise DataError(f"{file}: cannot be read as a list of answers ({error}). Write one answer per line.") from None
    if not isinstance(table, list) or not table or not all(isinstance(label, str) for label in table):
        raise DataError(f"{file}: expected answers, one per line or as a JSON list.")
    return tuple(table)


@lru_cache
def prompts() -> Mapping[str, str]:
    """The default prompt of each kind and family."""
    table: Mapping[str, str] = resource("models/huggingface/prompts.yaml")
    return table
