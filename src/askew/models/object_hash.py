"""A hash of a Python object's content: the same content has the same hash in every process.

It uses no memory addresses, no ``hash()`` and no order of sets. Content that cannot be read (an open file, a tensor, a
compiled object) raises :class:`UnknownContent`.
"""

from __future__ import annotations

import dis
import functools
import hashlib
import logging
import re
import struct
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

import numpy as np

PLAIN = (type(None), bool, int, float, complex, str, type(Ellipsis), type(NotImplemented), range)
"""Hashed by their ``repr``; exactly these types, since a subclass may hold more."""

NAMED = (
    types.ModuleType,
    types.MemberDescriptorType,
    types.GetSetDescriptorType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    logging.Logger,
    type(threading.Lock()),
    type(threading.RLock()),
)
"""Hashed by their name alone: they hold nothing that changes the result of a function."""

CONTENT: tuple[tuple[Any, Callable[[Any], Any]], ...] = (
    (str, str.__str__),
    (int, int.__int__),
    (float, float.__float__),
    (dict, lambda value: [part for item in dict.items(value) for part in item]),
    ((list, tuple), list),
    ((PurePath, np.dtype), str),
    (re.Pattern, lambda value: (value.pattern, value.flags)),
    (
        (np.ndarray, np.generic),
        lambda value: (value.dtype.str, value.shape, value.tolist() if value.dtype.hasobject else value.tobytes()),
    ),
    (functools.partial, lambda value: (value.func, value.args, *_sorted(value.keywords))),
    (types.MethodType, lambda value: (value.__func__, value.__self__)),
    ((types.BuiltinFunctionType, types.MethodWrapperType), lambda value: (value.__qualname__, value.__self__)),
    (
        types.CodeType,
        lambda value: (
            *(value.co_code, value.co_consts, value.co_names, value.co_varnames, value.co_flags),
            getattr(value, "co_exceptiontable", b""),
        ),
    ),
)
"""Types whose content is not in their attributes, with a function that reads it."""


class UnknownContent(Exception):
    """The content of an object cannot be read."""


@dataclass
class ObjectHash:
    """One walk through an object and everything it refers to. Every object is read once, so cycles end.

    >>> ObjectHash().digest({"a": [1, 2]}) == ObjectHash().digest({"a": [1, 2]}) != ObjectHash().digest({"a": [1, 3]})
    True
    """

    vouched: bool = False
    """A ``version`` says when unknown content changes, so only its type is hashed."""
    seen: dict[int, tuple[Any, bytes]] = field(default_factory=dict)
    """By id: the object, kept alive so that its id stays unique, and its digest (while it is read: its depth)."""
    files: dict[str, bytes | None] = field(default_factory=dict)
    depth: int = 0

    def digest(self, value: Any) -> bytes:
        """The hash of the value's content; raises :class:`UnknownContent` if it cannot be read."""
        kind: type = type(value)
        if isinstance(value, bytes):
            return _joined("bytes", [value])
        if kind in PLAIN:
            return _joined(kind.__qualname__, [repr(value).encode("utf-8", "surrogatepass")])
        if isinstance(value, NAMED):
            names = (getattr(value, key, None) for key in ("__qualname__", "__name__", "name"))
            return _joined(kind.__qualname__, [str(next(filter(None, names), "")).encode()])
        if id(value) in self.seen:
            return self.seen[id(value)][1]
        self.seen[id(value)] = value, b"circle to %d" % self.depth
        version, before = _version(value), self.vouched
        self.vouched, self.depth = before or bool(version), self.depth + 1
        result = _joined(kind.__qualname__, [version.encode(), *self._parts(value)])
        self.vouched, self.depth = before, self.depth - 1
        self.seen[id(value)] = value, result
        return result

    def file(self, path: str | None) -> bytes | None:
        """The hash of a source file; None if there is none (interactive, compiled or generated code)."""
        if path is None or not path.endswith(".py"):
            return None
        if path not in self.files:
            self.files[path] = None
            with suppress(OSError):
                self.files[path] = hashlib.sha256(Path(path).read_bytes()).digest()
        return self.files[path]

    def _parts(self, value: Any) -> Iterator[bytes]:
        if isinstance(value, types.FunctionType):
            yield from map(self.digest, self._function(value))
        elif isinstance(value, type):
            yield from map(self.digest, self._class(value))
        else:
            yield self.digest(type(value))
            yield from self._instance(value)

    def _instance(self, value: Any) -> Iterator[bytes]:
        content = next((content for kinds, content in CONTENT if isinstance(value, kinds)), None)
        if isinstance(value, (set, frozenset)):
            yield _joined("members", sorted(map(self.digest, value)))
        elif content is not None:
            held = content(value)
            yield _joined("content", map(self.digest, held if isinstance(held, (list, tuple)) else [held]))
        elif _hides(type(value)) and "__wrapped__" not in getattr(value, "__dict__", {}) and not self.vouched:
            raise UnknownContent(_name(type(value)))
        yield from map(self.digest, _attributes(value))

    def _function(self, function: types.FunctionType) -> Iterator[Any]:
        yield self.file(function.__code__.co_filename)
        yield from (function.__code__, function.__defaults__, function.__kwdefaults__)
        yield [_contents(cell) for cell in function.__closure__ or ()]
        yield from _sorted(vars(function))
        if self.file(function.__globals__.get("__file__")) is None:  # interactive: no source file defines its globals
            named = {name: function.__globals__.get(name) for name in _global_names(function.__code__)}
            yield list(_sorted(named))

    def _class(self, kind: type) -> Iterator[Any]:
        for base in kind.__mro__:
            yield _name(base)
            if str(base.__module__).partition(".")[0] not in sys.stdlib_module_names:
                yield self.file(getattr(sys.modules.get(base.__module__), "__file__", None))
                yield list(_sorted(dict(_members(base))))


def _joined(name: str, parts: Iterable[bytes]) -> bytes:
    whole = hashlib.sha256(name.encode())
    for part in parts:
        whole.update(struct.pack(">Q", len(part)) + part)
    return whole.digest()


def _sorted(held: Mapping[str, Any]) -> Iterator[Any]:
    for name in sorted(held):
        yield from (name, held[name])


def _name(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _version(value: Any) -> str:
    """The object's attribute ``version``, if it is a string or a number."""
    found = None
    with suppress(Exception):
        found = value.version
    return str(found) if type(found) in (str, int, float) else ""


def _contents(cell: types.CellType) -> Any:
    with suppress(ValueError):  # a name that is not bound yet
        return cell.cell_contents
    return NotImplemented


def _slots(kind: type) -> dict[str, types.MemberDescriptorType]:
    return {
        f"{_name(base)}.{name}": slot
        for base in kind.__mro__
        if "__slots__" in vars(base) and base not in PurePath.__mro__  # a path keeps its hash() there
        for name, slot in vars(base).items()
        if isinstance(slot, types.MemberDescriptorType)
    }


def _attributes(value: Any) -> Iterator[Any]:
    held = dict(getattr(value, "__dict__", {}))
    for name, slot in _slots(type(value)).items():
        with suppress(AttributeError):  # never set
            held[name] = slot.__get__(value)
    return _sorted({str(name): attribute for name, attribute in held.items()})


def _hides(kind: type) -> bool:
    """Whether objects of this type keep data outside their attributes, as compiled types do."""
    words = (kind.__basicsize__ - object.__basicsize__) // struct.calcsize("P")
    known = len(_slots(kind)) + (kind.__dictoffset__ > 0) + (kind.__weakrefoffset__ > 0)
    return bool(kind.__itemsize__) or words > known


def _members(kind: type) -> Iterator[tuple[str, Any]]:
    """The functions of a class, and its attributes that are data."""
    for name, member in vars(kind).items():
        inner = next((found for way in ("__func__", "fget", "func") if (found := getattr(member, way, None))), member)
        if isinstance(inner, types.FunctionType):
            yield name, inner
        elif isinstance(inner, type):
            yield name, inner.__qualname__
        elif not (name == "_abc_impl" or name.startswith("__") or hasattr(type(member), "__get__")):
            yield name, member


def _global_names(code: types.CodeType) -> set[str]:
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return names.union(*(_global_names(part) for part in code.co_consts if isinstance(part, types.CodeType)))
