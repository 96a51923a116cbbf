"""A Hugging Face checkpoint before it is loaded: its folder, config, task, default prompt and content hash.

Nothing here imports torch or transformers, so a wrong path or option is reported before any weights are read.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal, TypeAlias

from askew.errors import DataError, ModelError, need
from askew.files.limits import bounded_read, load_lines
from askew.files.paths import cache_folder
from askew.files.read_write import file_sha256, replaced
from askew.files.resources import resource
from askew.models.huggingface.load_errors import check_config, check_weights, read_json, refuse_gguf

Task: TypeAlias = Literal["classify", "generate", "regions"]
"""``classify``: an answer vocabulary with scores (ViLT). ``generate``: free text, token by token (BLIP, LLaVA, ...).
``regions``: an answer vocabulary, from region features instead of pixels (LXMERT, VisualBERT)."""

_SUFFIXES = {".json", ".safetensors", ".bin", ".model", ".txt", ".jinja", ".tiktoken"}
_SKIPPED_FILES = ("optimizer", "scheduler", "trainer_state", "training_args", "rng_state", "README")
_SKIPPED_FOLDERS = ("checkpoint-", "runs", "onnx", "original", ".")
_LARGE = 32 << 20
_DOWNLOAD = ["*.json", "*.txt", "*.model", "*.jinja", "*.tiktoken"]


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
        found = (read_json(self.path / name).get("chat_template") for name in names if (self.path / name).is_file())
        return next((template for given in found if (template := default_template(given))), "")

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
        return _checked(Folder(place, place.resolve().name))
    if place.is_file():
        refuse_gguf(place)
        raise ModelError(f"{path}: this is a file. Give the folder that it is in.")
    if path.startswith((".", "~", os.sep)) or path.count("/") != 1:
        raise ModelError(
            f"{path}: there is no such folder. Give a folder that save_pretrained wrote, or an id on the hub "
            "such as dandelin/vilt-b32-finetuned-vqa."
        )
    snapshot = _snapshot(path, revision, allow_download)
    return _checked(Folder(snapshot, path, snapshot.name))


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


def _checked(folder: Folder) -> Folder:
    """The same folder with its config, after checking that it has a config and whole weights."""
    config = check_config(folder.path)
    check_weights(folder.path, weight_files(folder.path), config, folder.revision is not None)
    return Folder(folder.path, folder.name, folder.revision, config)


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


def default_template(given: Any) -> str:
    """The chat template; if a folder or a tokenizer has several by name, the one called "default", or the first.

    >>> default_template([{"name": "tools", "template": "T"}, {"name": "default", "template": "D"}])
    'D'
    >>> default_template({"rag": "R"}), default_template("{{ messages }}"), default_template(None)
    ('R', '{{ messages }}', '')
    """
    if isinstance(given, list):
        given = {str(each.get("name")): each.get("template") for each in given if isinstance(each, Mapping)}
    if isinstance(given, Mapping):
        given = given.get("default") or next(iter(given.values()), None)
    return given if isinstance(given, str) else ""


@lru_cache
def prompts() -> Mapping[str, str]:
    """The default prompt of each kind and family."""
    table: Mapping[str, str] = resource("models/huggingface/prompts.yaml")
    return table
