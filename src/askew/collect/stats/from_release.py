"""A release's folder as a source of statistics: its manifest and ``history.jsonl``, line by line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import Any

import orjson

from askew.collect.stats.example_records import About, Answer, Drawn, Ended, Example, VerifierAnswers
from askew.collect.study_settings import StudySettings
from askew.collect.typed_text import same_answer
from askew.errors import DataError
from askew.files.limits import bounded_lines, read_object
from askew.files.read_write import file_sha256

MANIFEST = "release.json"
HISTORY = "history.jsonl"
_REMEDY = "Download or write the release again."


class FromRelease:
    """The questions of a release; it has no data about leases or about how long models took."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._manifest = read_object(folder / MANIFEST, _REMEDY)
        self._draws: defaultdict[tuple[int, int, str], list[int]] = defaultdict(lambda: [0, 0, 0])

    def about(self) -> About:
        """The study, after a check that the history is the released one; its claims are the manifest's counts."""
        manifest = self._manifest
        path = self._folder / HISTORY
        try:
            stated = manifest["files"][HISTORY]
            settings = StudySettings(**manifest["settings"])
            rounds = {
                one["round"]: {"state": "RELEASED", **{key: one[key] for key in ("images", "seed", "snapshot")}}
                for one in manifest["rounds"]
            }
            claimed = {one["round"]: {**one["types"], **one["splits"]} for one in manifest["rounds"]}
            name = f"{manifest.get('name') or self._folder.name} {manifest['version']}"
        except (KeyError, TypeError, AttributeError) as trouble:
            raise DataError(f"{self._folder / MANIFEST}: not a release's manifest ({trouble!r}). {_REMEDY}") from None
        if not path.is_file():
            raise DataError(f"{path}: the file is missing. {_REMEDY}")
        if file_sha256(str(path)) != stated:
            raise DataError(f"{path}: its hash is not the one in {MANIFEST}: it has been changed. {_REMEDY}")
        return About(name, settings, rounds, "release", claimed)

    def examples(self) -> Generator[Example, None, None]:
        """All questions, in the order they were asked."""
        path = self._folder / HISTORY
        self._draws.clear()
        with open(path, "rb") as file:
            for number, line in enumerate(bounded_lines(file, path), 1):
                try:
                    record = orjson.loads(line)
                    self._count_draws(record)
                    yield _example(record)
                except (ValueError, KeyError, TypeError, AttributeError) as trouble:
                    raise DataError(f"{path}: line {number} is damaged ({trouble!r}). {_REMEDY}") from None

    def drawn(self) -> list[Drawn]:
        """What the models did in the examples read so far."""
        return [Drawn(*key, *counts) for key, counts in sorted(self._draws.items())]

    def ended(self) -> list[Ended] | None:
        """None: a release has no data about leases."""
        return None

    def _count_draws(self, record: Mapping[str, Any]) -> None:
        for one in record["draws"]:
            counts = self._draws[record["round"], record["image"], one["model"]]
            counts[0] += 1
            counts[1] += one["outcome"] == "FAILED"
            counts[2] += one["attempts"]


def _example(record: Mapping[str, Any]) -> Example:
    robot, judged = record["robot"] or {}, record["judgement"] or {}
    author_answer = judged.get("answer")
    counted = sorted((one for one in record["verifications"] if one["slot"] is not None), key=lambda one: one["slot"])
    is_out = record["type"] == "U" or record["question"] is None
    return Example(
        record["id"],
        record["round"],
        record["image"],
        record["domain"],
        record["session"],
        record["try"],
        record["question"] or "",
        record["type"],
        record["split"],
        judged.get("verdict"),
        judged.get("seconds"),
        robot.get("model") or "",
        same_answer(robot.get("answer") or ""),
        None if author_answer is None else Answer(author_answer, same_answer(author_answer), judged["confidence"]),
        VerifierAnswers() if is_out else _answers(counted),
        None,
        record["state"],
    )


def _answers(counted: Sequence[Mapping[str, Any]]) -> VerifierAnswers:
    texts = [one["answer"] for one in counted]
    return VerifierAnswers(texts, list(map(same_answer, texts)), [one["confidence"] for one in counted])
