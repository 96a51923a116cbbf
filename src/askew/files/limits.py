"""Limits on the size of untrusted files, and functions that read within these limits.

Sizes are checked before anything is parsed, so memory stays bounded; larger files are refused with a one-line error.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from numbers import Integral
from pathlib import Path
from typing import IO, Any, TypeGuard

import orjson

from askew.errors import DataError

MAX_DEPTH = 100
"""The maximum nesting of lists and objects in JSON."""
MAX_RECORD = 16 << 20
"""Bytes of one line, or of one record of a JSON file that is read record by record."""
MAX_WHOLE = 32 << 20
"""Bytes of a JSON file that is read as a whole, such as results.json."""
MAX_YAML = 128 << 10
"""Bytes of a YAML file: options and prices."""
MAX_MEMBER = 256 << 20
"""Unpacked bytes of one file within an XLSX file."""
MOST_TOKENS = 10**9
"""The maximum number of tokens of one answer; a larger count is a server error."""


def bounded_lines(file: IO[bytes], path: object) -> Iterator[bytes]:
    """The lines of an open file; one longer than ``MAX_RECORD`` is refused before it is read."""
    number = 0
    while line := file.readline(MAX_RECORD + 1):
        number += 1
        if len(line) > MAX_RECORD:
            raise DataError(
                f"{path}: line {number} is longer than {_mebibytes(MAX_RECORD)}. "
                "A line holds one record; check the file."
            )
        yield line


def bounded_read(path: str | Path, limit: int = MAX_WHOLE) -> bytes:
    """The content of a small file; DataError if it is larger than the limit. OSError is not caught."""
    with open(path, "rb") as file:
        content = file.read(limit + 1)
    if len(content) > limit:
        raise DataError(f"{path}: larger than {_mebibytes(limit)}, so it is not what it should be. Check the file.")
    return content


def load_json(text: bytes | str) -> Any:
    """Parse JSON; JSONDecodeError if it is malformed or nested deeper than ``MAX_DEPTH``.

    >>> load_json("[" * 100 + "]" * 100)[0] is not None
    True
    >>> load_json("[" * 101 + "]" * 101)
    Traceback (most recent call last):
    orjson.JSONDecodeError: nested more than 100 levels deep: line 1 column 1 (char 0)
    """
    value = orjson.loads(text)
    if _openings(text) > MAX_DEPTH and is_deep(value):
        raise orjson.JSONDecodeError(f"nested more than {MAX_DEPTH} levels deep", "", 0)
    return value


def read_object(path: str | Path, remedy: str, limit: int = MAX_WHOLE) -> dict[str, Any]:
    """Read a file with one JSON object; DataError with the remedy if it is not one."""
    try:
        found = load_json(bounded_read(path, limit))
    except OSError as trouble:
        raise DataError(f"{path}: cannot be read ({trouble.strerror}). {remedy}") from None
    except orjson.JSONDecodeError as trouble:
        raise DataError(f"{path}: not JSON ({trouble}). {remedy}") from None
    if not isinstance(found, dict):
        raise DataError(f"{path}: not a JSON object. {remedy}")
    return found


def load_lines(path: str | Path) -> Any:
    """The lines of a text file, or the value of a JSON file, known by its name or first character.

    ValueError for a malformed ``.json`` file, or if it is not UTF-8.
    """
    text = bounded_read(path).decode("utf-8")
    if str(path).endswith(".json"):
        return load_json(text)
    if text.lstrip()[:1] in ("[", "{"):
        with suppress(orjson.JSONDecodeError):  # a line such as "[unk]" only looks like JSON
            return load_json(text)
    return text.splitlines()


def load_yaml(text: str | bytes) -> Any:
    """Parse YAML; YAMLError if it is malformed, gives a key twice, has aliases or has numbers of more than 63 bits.

    >>> load_yaml("a: [1, 2]")
    {'a': [1, 2]}
    """
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                where = self.peek_event().start_mark  # type: ignore[no-untyped-call]
                raise yaml.composer.ComposerError(
                    None, None, "aliases (*name) are not read; write the value out", where
                )
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
            seen = set()
            for key, _ in node.value:
                if isinstance(key, yaml.ScalarNode) and key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"{key.value!r} is given twice; keep one", key.start_mark
                    )
                seen.add(key.value if isinstance(key, yaml.ScalarNode) else key)
            return super().construct_mapping(node, deep)

        def construct_yaml_int(self, node: Any) -> int:
            try:
                value = super().construct_yaml_int(node)
            except ValueError:
                value = 1 << 63
            if abs(value) >= 1 << 63:
                raise yaml.constructor.ConstructorError(None, None, "the number is too large", node.start_mark)
            return int(value)

    Loader.add_constructor("tag:yaml.org,2002:int", Loader.construct_yaml_int)
    try:
        return yaml.load(text, Loader)
    except RecursionError:
        raise yaml.YAMLError("nested too deeply") from None


def read_yaml(path: str | Path) -> Any:
    """Parse a YAML file with ``load_yaml``; any failure is a one-line DataError."""
    import yaml

    try:
        return load_yaml(bounded_read(path, MAX_YAML))
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as trouble:
        raise DataError(f"{path}: cannot be read as YAML ({_yaml_fault(trouble)}).") from None


def _yaml_fault(trouble: Exception) -> str:
    """The YAML error as one line."""
    mark, problem = getattr(trouble, "problem_mark", None), getattr(trouble, "problem", None)
    if mark is not None and problem:
        return f"line {mark.line + 1}: {problem}"
    return (str(getattr(trouble, "strerror", None) or trouble).splitlines() or [type(trouble).__name__])[0]


def _openings(text: bytes | str) -> int:
    return text.count("[") + text.count("{") if isinstance(text, str) else text.count(b"[") + text.count(b"{")


def is_deep(value: Any) -> bool:
    """Whether lists and objects are nested deeper than ``MAX_DEPTH``."""
    level = [value]
    for _ in range(MAX_DEPTH):
        parts = (part.values() if isinstance(part, dict) else part for part in level)
        level = [child for part in parts for child in part if isinstance(child, (dict, list))]
        if not level:
            return False
    return True


def _mebibytes(count: int) -> str:
    return f"{count >> 20} MiB" if count >> 20 else f"{count >> 10} KiB"


def token_counts(read: Any, written: Any) -> tuple[int, int]:
    """Both token counts, with 0 in place of values that are impossible for one answer.

    >>> token_counts(510, 2), token_counts(2**63 - 1, -1), token_counts(float("nan"), True)
    ((510, 2), (0, 0), (0, 0))
    """
    return int(read) if is_token_count(read) else 0, int(written) if is_token_count(written) else 0


def is_token_count(value: Any) -> TypeGuard[int]:
    """Whether it is a whole number from 0 to :data:`MOST_TOKENS`."""
    return isinstance(value, Integral) and not isinstance(value, bool) and 0 <= int(value) <= MOST_TOKENS
