"""Whether results.json is what a run writes, by the kinds of its parts: a damaged one is refused and not misread."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from askew.errors import DataError

FORMAT = 1
"""The format of results.json that this version understands."""

_Kinds: TypeAlias = Mapping[str, tuple[type, ...]]
_NUMBER = (int, float)
_TOP: _Kinds = {
    "model": (dict,),
    "data": (dict,),
    "suites": (list,),
    "scores": (list,),
    "failures": (dict,),
    "usage": (dict,),
    "config": (dict,),
    "versions": (dict,),
    "time": (dict,),
}
_SUITE: _Kinds = {
    **dict.fromkeys(("name", "title", "paper", "spec", "signature"), (str,)),
    **dict.fromkeys(("notes", "tests", "coverage", "tables"), (list,)),
    **dict.fromkeys(("headline", "metrics"), (dict,)),
    **dict.fromkeys(("groups", "variants"), (int,)),
}
_SCORE: _Kinds = {
    **dict.fromkeys(("suite", "metric", "part", "signature"), (str,)),
    **dict.fromkeys(("value", "low", "high", "lowest", "highest"), _NUMBER),
    **dict.fromkeys(("n", "failed", "images"), (int,)),
}
_FAILURES: _Kinds = {"count": (int,), "asked": (int,), "limit": _NUMBER, "by_error": (dict,)}
_NAMES = {dict: "an object", list: "a list", str: "text", int: "a whole number", float: "a number"}
_AGAIN = "Run 'askew run' with this --output again; answers that are stored are not asked twice."


def check_results(path: Path, results: Any) -> None:
    """Refuse what is not a results.json, or has parts of another kind; a part that is null or absent is none."""
    if not isinstance(results, dict) or "format" not in results:
        raise DataError(f"{path}: this is not a results.json of askew (no 'format' in it).")
    if results["format"] != FORMAT:
        raise DataError(
            f"{path}: format {str(results['format'])[:40]}, but this version of askew reads format {FORMAT}. "
            "Report it with the version that wrote it, or run 'askew run' again."
        )
    _check(path, "", results, _TOP, ("model", "suites", "scores"))
    if not isinstance(results["model"].get("name"), str):
        raise DataError(f"{path}: the model has no name. {_AGAIN}")
    for number, suite in enumerate(results["suites"], 1):
        _check(path, f"suite {number}: ", suite, _SUITE, ("name",))
    for number, score in enumerate(results["scores"], 1):
        _check(path, f"score {number}: ", score, _SCORE, ("metric",))
    _check(path, "data: ", results.get("data") or {}, {"name": (str,)})
    _check(path, "config: ", results.get("config") or {}, {"metrics": (list,)})
    _check(path, "failures: ", results.get("failures") or {}, _FAILURES)


def _check(path: Path, where: str, record: Any, kinds: _Kinds, needed: tuple[str, ...] = ()) -> None:
    if not isinstance(record, dict):
        raise DataError(f"{path}: {where}not an object. {_AGAIN}")
    for name, kind in kinds.items():
        value = record.get(name)
        if value is None and name not in needed:
            continue
        if not isinstance(value, kind) or isinstance(value, bool):
            raise DataError(f"{path}: {where}{name!r} is missing or not {_NAMES[kind[-1]]}. {_AGAIN}")
