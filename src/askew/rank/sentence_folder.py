"""A sentence-transformers folder as a function from a text to a vector: a transformer, then its pooling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from askew.errors import DataError, need
from askew.limits import bounded_read, load_json

_OFFLINE = {"local_files_only": True, "trust_remote_code": False}
_UNDERSTOOD = ("Transformer", "Pooling", "Normalize")
_FLAGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max"}


@lru_cache(maxsize=2)
def load(folder: str, content: str) -> Callable[[str], Any]:
    """Read the folder; ``content`` tells apart what it held when."""
    torch, transformers = need("torch", "hf"), need("transformers", "hf")
    path, pooling, settings = Path(folder), pooling_of(Path(folder)), _read(Path(folder) / "sentence_bert_config.json")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(path, **_OFFLINE)
        model = transformers.AutoModel.from_pretrained(path, use_safetensors=True, **_OFFLINE).eval()
    except Exception as trouble:  # whatever a wrong or half-copied folder leads transformers to
        raise DataError(
            f"{folder}: cannot be loaded ({type(trouble).__name__}: {str(trouble).partition(chr(10))[0]}). "
            "Check that the folder is whole and has model.safetensors."
        ) from trouble
    longest = settings.get("max_seq_length") or min(tokenizer.model_max_length, 512)

    def encode(text: str) -> Any:
        text = text.strip().lower() if settings.get("do_lower_case") else text.strip()
        inputs = tokenizer(text, truncation=True, max_length=longest, return_tensors="pt")
        with torch.inference_mode(), _one_thread(torch):
            states = model(**inputs).last_hidden_state[0]  # tokens × width
        if pooling == "cls":
            return states[0].float().numpy()
        return (states.mean(0) if pooling == "mean" else states.max(0).values).float().numpy()

    return encode


@contextmanager
def _one_thread(torch: Any) -> Iterator[None]:
    """One thread, as the number of threads decides how sums are split; torch's own state stays as it was."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def pooling_of(path: Path) -> str:
    """How a folder makes one vector of many: mean (also where it does not say), cls or max."""
    modules = _read(path / "modules.json", [])
    kinds = {str(module.get("type", "")).rpartition(".")[2]: str(module.get("path", "")) for module in modules}
    other = [kind for kind in kinds if kind not in _UNDERSTOOD]
    if other:
        raise DataError(
            f"{path}: its modules.json has {', '.join(other)}; only {', '.join(_UNDERSTOOD)} are understood. "
            "Encode with sentence-transformers itself and give the result as vectors:FILE."
        )
    said = _read(path / kinds["Pooling"] / "config.json") if "Pooling" in kinds else {}
    modes = [mode for flag, mode in _FLAGS.items() if said.get(flag)] or [str(said.get("pooling_mode", "mean"))]
    unknown = [flag for flag, on in said.items() if flag.startswith("pooling_mode_") and on and flag not in _FLAGS]
    if len(modes) != 1 or unknown or modes[0] not in _FLAGS.values():
        raise DataError(
            f"{path}: pooling by {' and '.join([*modes, *unknown])} is not understood; mean, cls or max is."
        )
    return modes[0]


def _read(file: Path, otherwise: Any = None) -> Any:
    if not file.is_file():
        return {} if otherwise is None else otherwise
    try:
        read = load_json(bounded_read(file))
    except ValueError as trouble:
        raise DataError(f"{file}: is not JSON ({trouble}). Copy or download the folder again.") from None
    if not isinstance(read, Mapping if otherwise is None else list):
        raise DataError(f"{file}: is not what sentence-transformers writes. Copy or download the folder again.")
    return read
