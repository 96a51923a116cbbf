"""Questions as batch files, and their results as answers: many endpoints answer files overnight at half the price.

A line is a request as OpenAI's Batch API and ``vllm run-batch`` read it; its ``custom_id`` is the key of the question
in the answer store, so results can be read from any file and in any order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any
from urllib.parse import quote

import orjson

import askew
from askew.engine.ask import chunks, writable
from askew.engine.build import build_groups
from askew.engine.events import result_of
from askew.engine.executors import workers_of
from askew.engine.resume import Keys, Planner, unknown
from askew.engine.settings import Named, Settings, progress_bar, ticking
from askew.engine.store import Store
from askew.errors import BadImage, DataError, UsageError, first_line
from askew.files.limits import bounded_lines, load_json, read_object
from askew.files.output_folders import check_output, note_output
from askew.files.paths import public
from askew.files.read_write import alone_in, clear_parts, opened, replaced, write_joined
from askew.types import Prediction, Question
from askew.verbs import HidesSecrets, TakesBatches

FORMAT = 2
KIND = "batch files"
PLAN, KEYS = "plan.json", "keys.txt"
URL = "/v1/chat/completions"


@dataclass(frozen=True)
class FileLimits:
    """How large one file may be; the defaults are below those of OpenAI (50,000 requests, 200 MB)."""

    requests: int = 50_000
    megabytes: float = 190.0

    def __post_init__(self) -> None:
        if self.requests < 1 or not 0 < self.megabytes < 1e9:
            raise UsageError("A batch file must have room for at least one request.")


@dataclass
class Written:
    """What :func:`write_batch` wrote."""

    known: int
    """Distinct questions that already have an answer in the store."""
    files: list[dict[str, Any]] = field(default_factory=list)
    """Name, requests and bytes of each file."""
    bad_images: list[str] = field(default_factory=list)
    """Questions left out because their image cannot be read, with the reason."""


def write_batch(
    model: Named,
    data: Named,
    suites: Sequence[Named],
    folder: Path,
    settings: Settings,
    limits: FileLimits,
    image_url: str = "",
    command: str = "",
) -> Written:
    """Write a request for each distinct question without an answer in the store, split into files.

    ``image_url``: images are linked by this URL and their file name rather than included in the request.
    """
    writer = model.what
    if not isinstance(writer, TakesBatches):
        raise UsageError(f"{model.spec}: only endpoints (openai:...) take batch files. Use askew run for this model.")
    of = {"model": model.signature, "data": data.spec, "suites": [suite.spec for suite in suites]}
    with ExitStack() as held:
        held.enter_context(alone_in(folder))
        check_output(folder, KIND, of, settings.overwrite)
        note_output(folder, KIND, of)
        clear_parts(folder)
        scratch = held.enter_context(TemporaryDirectory(prefix="askew-"))
        planner = Planner(model)
        with workers_of(settings.executor) as executor:
            stage = build_groups(data, suites, Path(scratch), settings, [planner], executor=executor)
            prepared = result_of(stage, settings.progress)
        keys = planner.keys
        store = held.enter_context(Store(settings.store_path(folder), prepared.answers))
        todo = planner.plan(store)
        done = Written(todo.known)
        files = read_plan(folder)["files"] if (folder / PLAN).is_file() else ()
        earlier = {Path(str(file["name"])).name for file in files}
        with progress_bar(settings, total=todo.calls, desc="Writing requests", unit=" questions") as bar:
            questions = ticking(bar, unknown(prepared.read(), keys, store))
            _write_files(folder, _lines(questions, keys, writer, image_url, done), limits, done)
        for name in earlier - {file["name"] for file in done.files}:
            (folder / name).unlink(missing_ok=True)
        spec = writer.hide(model.spec) if isinstance(writer, HidesSecrets) else model.spec
        record = {
            "format": FORMAT,
            "askew": askew.__version__,
            "model": spec,
            "signature": model.signature,
            "data": data.spec,
            "suites": of["suites"],
            "store": settings.store or "",
            "files": done.files,
            "command": command,
        }
        write_joined(folder / PLAN, [orjson.dumps(public(record), option=orjson.OPT_INDENT_2)])
    return done


def _lines(
    questions: Iterable[Question], keys: Keys, writer: TakesBatches, image_url: str, done: Written
) -> Iterator[tuple[str, bytes]]:
    """The id and the line of each request."""
    for question in questions:
        try:
            body = writer.request(question, _addresses(question, image_url))
        except BadImage as bad:
            done.bad_images.append(f"question {question.id!r}: {bad}")
            continue
        key = keys.of(question).hex()
        request = {"custom_id": key, "method": "POST", "url": URL, "body": orjson.Fragment(body)}
        yield key, orjson.dumps(request) + b"\n"


def _addresses(question: Question, prefix: str) -> list[str]:
    """The URL of each image of a question; empty without a prefix."""
    paths = [image.path for image in question.images] if prefix else []
    if None in paths:
        raise UsageError(
            f"--image-url {prefix}: an image of question {question.id!r} was made by askew and has no file there. "
            "Leave --image-url out, so that images are part of the requests."
        )
    return [f"{prefix.rstrip('/')}/{quote(Path(path).name)}" for path in paths if path is not None]


def _write_files(folder: Path, lines: Iterable[tuple[str, bytes]], limits: FileLimits, done: Written) -> None:
    """Split the lines into files; ids of earlier files are kept, since their results may still arrive."""
    most, place = int(limits.megabytes * 1e6), 0
    known = read_keys(folder)
    with replaced(folder / KEYS) as ids, ExitStack() as last:
        ids.writelines(f"{key.hex()}\n".encode() for key in sorted(known))
        file: IO[bytes] | None = None
        for key, line in lines:
            if len(line) > most:
                raise UsageError(
                    f"One request has {len(line):,} bytes, more than --max-megabytes {limits.megabytes:g} allows. "
                    "Raise it, or scale images down with max_side=N in the model's options."
                )
            full = place + len(line) > most or (done.files and done.files[-1]["requests"] >= limits.requests)
            if file is None or full:
                last.close()
                name, place = f"{len(done.files) + 1:04}.jsonl", 0
                file = last.enter_context(replaced(folder / name))
                done.files.append({"name": name, "requests": 0, "bytes": 0})
            file.write(line)
            place += len(line)
            done.files[-1]["requests"] += 1
            done.files[-1]["bytes"] = place
            if bytes.fromhex(key) not in known:
                ids.write(f"{key}\n".encode())


def read_plan(folder: Path) -> dict[str, Any]:
    """What ``askew batch write`` noted in its folder."""
    if not (folder / PLAN).is_file():
        raise UsageError(f"{folder}: there is no {PLAN} in it. Give the folder that askew batch write wrote.")
    record = read_object(folder / PLAN, "Write the batch files again: askew batch write.")
    if record.get("format") != FORMAT:
        raise DataError(f"{folder / PLAN}: not a plan of this version. Write the batch files again: askew batch write.")
    return record


def read_keys(folder: Path) -> set[bytes]:
    """The ids of all requests that were ever written to this folder."""
    path = folder / KEYS
    if not path.is_file():
        return set()
    with opened(str(path)) as file:
        return {key for line in file if (key := _key(line.decode("ascii", "replace").strip()))}


def _key(text: Any) -> bytes | None:
    """The key of an id; None for an id that is not one of askew's."""
    if not isinstance(text, str) or len(text) != 64:
        return None
    try:
        return bytes.fromhex(text)
    except ValueError:
        return None


@dataclass
class Results:
    """What result files contained."""

    lines: int = 0
    answered: int = 0
    """Requests whose first answer was found in these files."""
    again: int = 0
    """Answers to requests that had one already; the first is kept."""
    differing: int = 0
    """Those of them that differ from the first."""
    failed: dict[bytes, str] = field(default_factory=dict)
    """Requests without an answer, by key, with the reason."""
    unknown: list[str] = field(default_factory=list)
    """Ids that belong to no request of this folder, and lines without one."""
    unreadable: list[str] = field(default_factory=list)
    """Lines that are not JSON, e.g. the last of a partial download."""
    left: int = 0
    """Requests without an answer after reading."""

    def reasons(self) -> list[tuple[str, int]]:
        """Why requests failed, the most frequent first."""
        return Counter(self.failed.values()).most_common()


def read_batch(folder: Path, files: Sequence[Path], reader: TakesBatches, store: Store, settings: Settings) -> Results:
    """Write the answers in these result files to the store. Files may come in any order, in part, and repeatedly."""
    wanted, found = read_keys(folder), Results()
    with progress_bar(settings, desc="Reading results", unit=" lines") as bar:
        for path in files:
            with opened(str(path)) as file:
                numbered = enumerate(ticking(bar, bounded_lines(file, path)), 1)
                for some in chunks(numbered, 500):
                    _take(path, some, wanted, reader, store, found)
    for window in chunks(sorted(found.failed), 500):
        for key in store.known(window):
            del found.failed[key]
    found.left = len(wanted) - sum(len(store.known(window)) for window in chunks(sorted(wanted), 500))
    return found


def _take(
    path: Path,
    lines: Sequence[tuple[int, bytes]],
    wanted: set[bytes],
    reader: TakesBatches,
    store: Store,
    found: Results,
) -> None:
    said: dict[bytes, list[Prediction]] = {}
    for key, prediction in _predictions(path, lines, wanted, reader, found):
        if prediction.failed:
            found.failed[key] = first_line(prediction.error or "no answer")
        else:
            said.setdefault(key, []).append(writable(prediction))
    known = store.get(dict.fromkeys(said, 0))
    for key, predictions in said.items():
        first, *again = [known[key], *predictions] if key in known else predictions
        found.again += len(again)
        found.differing += sum(first.answer != one.answer for one in again)
    new = {key: predictions[0] for key, predictions in said.items() if key not in known}
    store.put(new.items())
    found.answered += len(new)


def _predictions(
    path: Path, lines: Sequence[tuple[int, bytes]], wanted: set[bytes], reader: TakesBatches, found: Results
) -> Iterator[tuple[bytes, Prediction]]:
    for number, line in lines:
        if not line.strip():
            continue
        found.lines += 1
        try:
            record = load_json(line)
        except ValueError:
            found.unreadable.append(f"{path.name} line {number}")
            continue
        named = record.get("custom_id") if isinstance(record, dict) else None
        key = _key(named)
        if key is None or key not in wanted:
            found.unknown.append(f"{path.name} line {number}: {str(named)[:80]!r}")
        elif isinstance(record, dict) and "method" in record and "response" not in record:
            raise UsageError(f"{path}: these are requests, not results. Give the files that the endpoint wrote.")
        else:
            yield key, _prediction(record, reader)


def _prediction(record: dict[str, Any], reader: TakesBatches) -> Prediction:
    """The reply in a result line, in the formats of OpenAI, of vLLM, and of older versions without a body."""
    response, error = record.get("response"), record.get("error")
    if isinstance(response, dict) and (response.get("status_code", 200) != 200 or not error):
        status = response.get("status_code", 200)
        return reader.from_reply(
            status if isinstance(status, int) else 200, orjson.dumps(response.get("body", response))
        )
    if isinstance(error, dict):  # there was no reply, e.g. batch_expired
        error = ": ".join(str(error[name]) for name in ("code", "message") if error.get(name))
    return Prediction(0, None, error=str(error or "neither a response nor an error"))


def result_files(folder: Path, named: Sequence[str]) -> list[Path]:
    """The result files: those that were named, otherwise every other JSONL file of the folder."""
    if named:
        return [Path(name) for name in named]
    requests = {file["name"] for file in read_plan(folder)["files"]}
    found = sorted(path for path in folder.glob("*.jsonl") if path.name not in requests)
    if not found:
        raise UsageError(
            f"{folder}: no results in it yet. Put the files that the endpoint wrote there (NAME.jsonl), or name them: "
            f"askew batch read {folder} FILE ..."
        )
    return found
