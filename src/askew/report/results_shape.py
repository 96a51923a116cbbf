"""The shape of ``results.json``, as data: a file with a field of another type is refused before it is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from askew.errors import DataError

FORMAT = 1
"""The format of results.json that this version reads."""


@dataclass(frozen=True)
class Values:
    """An object whose keys are free and whose values have one shape."""

    shape: Shape


Shape: TypeAlias = str | Mapping[str, "Shape"] | tuple["Shape", ...] | list["Shape"] | Values
"""A name of a plain type, an object, a list of a fixed length, a list of one shape, or :class:`Values`."""

_PLAIN: Mapping[str, tuple[type, ...]] = {
    "text": (str,),
    "a whole number": (int,),
    "a number": (int, float),
    "true or false": (bool,),
    "an object": (dict,),
    "text or a whole number": (str, int),
}
TEXT, WHOLE, NUMBER, FLAG, OBJECT, ID = _PLAIN
_COUNTS = Values(WHOLE)
_TABLE: Shape = {
    **dict.fromkeys(("id", "title", "rows"), TEXT),
    "columns": [dict.fromkeys(("label", "metric", "part", "show"), TEXT)],
    "published": Values([NUMBER]),
}
_COVERAGE: Shape = {
    "test": TEXT,
    **dict.fromkeys(("matched", "made", "cut"), WHOLE),
    **dict.fromkeys(("made_by", "refused", "answers", "drawn", "balanced"), _COUNTS),
    "examples": Values(ID),
    "doubtful": [WHOLE],
}
_SHARE: Shape = dict.fromkeys(("value", "low", "high"), NUMBER)
_TEXT_SCORE: Shape = {
    **dict.fromkeys(("task", "suite", "test", "answer_type", "rule"), TEXT),
    **dict.fromkeys(("n", "images", "seen"), WHOLE),
    **dict.fromkeys(("accuracy", "rule_accuracy"), _SHARE),
    **dict.fromkeys(("majority", "chance"), NUMBER),
    "revealing": [OBJECT],
    "far_above_chance": FLAG,
}
_SUITE: Shape = {
    **dict.fromkeys(("name", "title", "paper", "spec", "signature", "accuracy"), TEXT),
    **dict.fromkeys(("groups", "variants", "changed", "images"), WHOLE),
    **{key: [TEXT] for key in ("notes", "tests")},
    "headline": {"metric": TEXT, "sentence": TEXT},
    "metrics": Values({"class": TEXT, "options": OBJECT, "repr": TEXT}),
    "coverage": [_COVERAGE],
    "text_alone": [_TEXT_SCORE],
    "tables": [_TABLE],
}
_SCORE: Shape = {
    **dict.fromkeys(("suite", "metric", "part", "signature"), TEXT),
    **dict.fromkeys(("value", "low", "high", "lowest", "highest"), NUMBER),
    **dict.fromkeys(("n", "failed", "images"), WHOLE),
}
_TOP: Shape = {
    **dict.fromkeys(("askew", "groups", "command"), TEXT),
    "seed": WHOLE,
    "model": {**dict.fromkeys(("name", "spec", "signature", "extract"), TEXT), "blind": FLAG},
    "data": {
        **dict.fromkeys(("name", "spec", "signature", "fingerprint", "counted"), TEXT),
        **dict.fromkeys(("questions", "images"), WHOLE),
        **{key: [TEXT] for key in ("skipped", "remarks")},
        "ready": FLAG,
    },
    "suites": [_SUITE],
    "scores": [_SCORE],
    "answer_forms": {"scored": WHOLE, "counts": _COUNTS, "examples": OBJECT},
    "calibration": Values(OBJECT),
    "failures": {"count": WHOLE, "asked": WHOLE, "limit": NUMBER, "by_error": _COUNTS},
    "usage": {"now": (WHOLE, WHOLE), "store": (WHOLE, WHOLE), "cost": Values(NUMBER)},
    "config": {"metrics": [TEXT], "suite": [TEXT], "model": TEXT, "data": TEXT},
    "versions": Values(TEXT),
    "time": {"started": TEXT, "seconds": NUMBER, "asked": WHOLE, "reused": WHOLE},
}
_NEEDED = ("model", "suites", "scores")
_AGAIN = "Run 'askew run' with this --output again; answers that are stored are not asked twice."


def check_results(path: Path, results: Any) -> None:
    """Refuse a file that is not a results.json, or has fields of the wrong type.

    Null and absent fields are allowed, as older versions wrote fewer, except for the few that every report needs;
    unknown fields are ignored.
    """
    if not isinstance(results, dict) or "format" not in results:
        raise DataError(f"{path}: this is not a results.json of askew (no 'format' in it). {_AGAIN}")
    if results["format"] is True or results["format"] != FORMAT:
        raise DataError(
            f"{path}: format {str(results['format'])[:40]}, but this version of askew reads format {FORMAT}. "
            "Make the report with the version that wrote it, or run 'askew run' again."
        )
    for name in _NEEDED:
        if results.get(name) is None:
            raise DataError(f"{path}: {name!r} is missing. {_AGAIN}")
    if wrong := _wrong(results, _TOP, ""):
        raise DataError(f"{path}: {wrong}. {_AGAIN}")
    if results["model"].get("name") is None:
        raise DataError(f"{path}: the model has no name. {_AGAIN}")
    for part, name in (("suites", "name"), ("scores", "metric")):
        if any(entry is None or entry.get(name) is None for entry in results[part]):
            raise DataError(f"{path}: {part!r} has an entry without {name!r}. {_AGAIN}")


def _wrong(value: Any, shape: Shape, where: str) -> str:
    """What is wrong with the first part of a value that does not have its shape; empty if all parts do.

    >>> _wrong({"n": 3, "parts": [1, "x"]}, {"n": WHOLE, "parts": [WHOLE]}, "")
    "'parts.1' is not a whole number"
    """
    if value is None:
        return ""
    if isinstance(shape, str):
        fits = isinstance(value, _PLAIN[shape]) and isinstance(value, bool) == (shape == FLAG)
        return "" if fits else f"{where!r} is not {shape}"
    inside: list[tuple[Any, Any, Shape]]
    if isinstance(shape, (list, tuple)):
        if not isinstance(value, list) or (isinstance(shape, tuple) and len(value) != len(shape)):
            return f"{where!r} is not a list" + (f" of {len(shape)}" if isinstance(shape, tuple) else "")
        inside = [(n, part, shape[0] if isinstance(shape, list) else shape[n]) for n, part in enumerate(value)]
    elif not isinstance(value, dict):
        return f"{where!r} is not an object"
    elif isinstance(shape, Values):
        inside = [(name, part, shape.shape) for name, part in value.items()]
    else:
        inside = [(name, value.get(name), part) for name, part in shape.items()]
    for name, part, part_shape in inside:
        if wrong := _wrong(part, part_shape, f"{where}.{name}" if where else str(name)):
            return wrong
    return ""
