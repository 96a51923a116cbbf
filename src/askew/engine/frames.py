"""Scores and samples of runs as pandas DataFrames, for those who have pandas."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from askew.errors import BadOption, need
from askew.report.load import Run, labels

SAMPLE_COLUMNS = (
    *("model", "suite", "group", "role", "id", "test", "rule", "expect", "image", "question", "answers", "answer"),
    *("correct", "accuracy", "score", "error"),
)
"""The columns of a frame of samples; ``role`` is original or variant."""


def frame_of(runs: Sequence[Run], what: str = "scores") -> Any:
    """The ``scores`` or the ``samples`` of runs as one DataFrame."""
    if what not in _ROWS:
        raise BadOption(f"There is no frame of {what!r}. Give one of: {', '.join(_ROWS)}.")
    columns, rows = _ROWS[what]
    return as_frame([row for run, label in zip(runs, labels(runs), strict=True) for row in rows(run, label)], columns)


def as_frame(rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None = None) -> Any:
    """A DataFrame of records; MissingExtra without pandas."""
    return need("pandas", "notebook").DataFrame(list(rows), columns=columns)


def _scores(run: Run, label: str) -> Iterator[dict[str, Any]]:
    for score in run.results["scores"]:
        yield {"model": label, **score}


def _samples(run: Run, label: str) -> Iterator[dict[str, Any]]:
    for _, record in run.outcomes():
        common = {"model": label, "suite": record.get("suite", ""), "group": record["group"]}
        original = record["original"]
        yield {**common, "role": "original", **_sample(original), "image": original.get("image")}
        for variant in record.get("variants") or ():
            image = variant.get("image", original.get("image"))
            yield {**common, "role": "variant", **_sample(variant), "image": image}


def _sample(part: Mapping[str, Any]) -> dict[str, Any]:
    prediction = part.get("prediction") or {}
    return {
        "id": part.get("id"),
        "test": part.get("test", ""),
        "rule": part.get("made_by", ""),
        "expect": part.get("expect", ""),
        "question": part.get("question", ""),
        "answers": part.get("answers") or [],
        "answer": prediction.get("answer"),
        "correct": part.get("right"),
        "accuracy": part.get("accuracy"),
        "score": prediction.get("score"),
        "error": prediction.get("error"),
    }


SCORE_COLUMNS = (
    *("model", "suite", "metric", "part", "value", "low", "high", "n", "images", "failed", "lowest", "highest"),
    "signature",
)
"""The columns of a frame of scores, as fields of :class:`askew.types.Score` are called."""

_ROWS = {"scores": (SCORE_COLUMNS, _scores), "samples": (SAMPLE_COLUMNS, _samples)}
