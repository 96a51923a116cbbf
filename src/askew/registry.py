"""Components by the specs that users type.

A spec is a name, then the component's main argument, then options::

    rad                          rad:yes=0.5,seed=3
    constant:no                  predictions:answers.json,allow_missing=true
    python:package.module:function,batch=true
    lasso:sign=free,lambda=1e-5  xnm:hidden=128

Built-ins are listed in ``components.yaml`` and imported on demand. Other packages register components through entry
points in the groups ``askew.suite``, ``askew.model`` and so on, one for each kind; they may not use the name of a
built-in.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping
from dataclasses import is_dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from keyword import iskeyword
from pathlib import Path
from typing import Any

from askew.errors import AskewError, BadOption, MissingExtra, UnknownName, did_you_mean
from askew.files.read_write import resource
from askew.verbs import Backbone, Dataset, Encoder, Metric, Model, Ranker, Streams, Suite

KINDS = ("suite", "model", "reader", "metric", "attack", "ranker", "encoder", "net", "loss", "backbone", "executor")

EXTRAS = {"attack": "language", "ranker": "rank", "encoder": "rank", "net": "train", "loss": "train"}
"""Kinds whose components all need an extra."""

VERBS: Mapping[str, type] = {
    "suite": Suite,
    "model": Model,
    "reader": Dataset,
    "metric": Metric,
    "ranker": Ranker,
    "encoder": Encoder,
    "backbone": Backbone,
}
"""The protocol that components of each kind implement."""

BUILT_IN: Mapping[str, Mapping[str, str]] = resource("components.yaml")
"""The module and the class or function of each built-in, by kind and name."""


def names(kind: str) -> list[str]:
    """The names of this kind, sorted."""
    return sorted([*BUILT_IN[kind], *_plugins(kind)])


def factory(kind: str, name: str) -> Callable[..., Any]:
    """The class or function that constructs the component of that name.

    >>> factory("encoder", "us")
    Traceback (most recent call last):
    askew.errors.UnknownName: No encoder is called 'us'. Did you mean 'use'? Known: sentence-transformers, use, vectors.
    """
    if name in BUILT_IN[kind]:
        module, _, attribute = BUILT_IN[kind][name].partition(":")
        component_factory: Callable[..., Any] = getattr(_module(module, kind), attribute)
        return component_factory
    plugins = _plugins(kind)
    if name in plugins:
        return _loaded(kind, plugins[name])
    hint = _model_hint(name) if kind == "model" else ""
    raise UnknownName(
        f"No {kind} is called {name!r}.{hint or did_you_mean(name, names(kind))} Known: {', '.join(names(kind))}."
    )


def _model_hint(name: str) -> str:
    """How to name what looks like a model's folder, file or name at an endpoint; empty for other words.

    >>> _model_hint("gpt-4o"), _model_hint("constnt")
    (' Did you mean openai:gpt-4o (an endpoint) or hf:gpt-4o (a folder)?', '')
    """
    if Path(name).is_dir():
        return f" Did you mean hf:{name}?"
    for ending, spec in {".py": "python:{}:FUNCTION", ".onnx": "onnx:{}", ".json": "predictions:{}"}.items():
        if name.endswith((ending, ending + "l")):
            return f" Did you mean {spec.format(name)}?"
    if any(mark in name for mark in "-/.0123456789"):
        return f" Did you mean openai:{name} (an endpoint) or hf:{name} (a folder)?"
    return ""


def make(kind: str, spec: str, /, **given: Any) -> Any:
    """The component that a spec describes. ``given`` are options that apply where the spec does not set them.

    >>> make("model", "constant:no")
    Constant(say='no')
    >>> make("model", "constant:sya=no")
    Traceback (most recent call last):
    askew.errors.BadOption: constant: there is no option 'sya'. Did you mean 'say'? Options: say=yes.
    """
    name, _, rest = spec.partition(":")
    build = factory(kind, name)
    parameters = inspect.signature(build).parameters
    hints = option_types(build)
    options = _options(name, rest, hints, parameters)
    options = {key: value for key, value in given.items() if key in parameters} | options
    values = {
        key: convert(f"{name}: {key}", text, hints.get(key, str)) if isinstance(text, str) else text
        for key, text in options.items()
    }
    missing = [key for key, p in parameters.items() if p.default is p.empty and key not in values]
    if missing:
        raise BadOption(
            f"{name}: {missing[0]!r} is missing. Write it as {name}:{missing[0]}=... ({_usage(parameters)})."
        )
    component = build(**values)
    if name not in BUILT_IN[kind]:
        _check_able(kind, name, component)
    return component


def open_data(spec: str, *, images: str | None = None, skip_bad: bool = False) -> Dataset:
    """The data set that a spec names (``world:val``, ``vqa:folder,split=val2014``), or that is at a path.

    A reader's name wins over a folder of that name, which can be written ``./world``.
    """
    name = spec.partition(":")[0]
    for path in (spec, images or ""):
        if not path.isascii() and path != path.encode("utf-8", "replace").decode("utf-8"):
            raise BadOption(f"{path!r} is not UTF-8, and results name it. Rename it, or set PYTHONUTF8=1 if it is.")
    if name in names("reader"):
        if images is not None and "images" not in accepted("reader", spec):
            raise BadOption(f"{name} has images of its own; omit --images.")
        dataset: Dataset = make("reader", spec, images=images, skip_bad=skip_bad)
        return dataset
    from askew.data.open_path import open_path

    return open_path(spec, images=images, skip_bad=skip_bad)


def accepted(kind: str, spec: str) -> list[str]:
    """The names of the options that the component of this spec takes."""
    return list(inspect.signature(factory(kind, spec.partition(":")[0])).parameters)


def describe(kind: str, name: str) -> tuple[str, str]:
    """The options of a component and the first line of its docstring."""
    try:
        build = factory(kind, name)
    except MissingExtra as missing:
        return "not known until it is installed", str(missing)
    except UnknownName:
        raise
    except AskewError as broken:
        return "not known", str(broken)
    summary = (inspect.getdoc(build) or "").partition("\n")[0]
    return _usage(inspect.signature(build).parameters), summary


def option_types(build: Callable[..., Any]) -> Mapping[str, Any]:
    """The types of the parameters; inherited annotations are resolved in the module of the class that defines them."""
    if not inspect.isclass(build):
        return typing.get_type_hints(build)
    return typing.get_type_hints(build if is_dataclass(build) else build.__init__)


def _module(name: str, kind: str) -> types.ModuleType:
    """Import the module of a built-in; MissingExtra if the extra of its kind is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if kind not in EXTRAS or missing.name is None or missing.name.startswith("askew"):
            raise
        raise MissingExtra(
            f"A {kind} needs {missing.name!r}, which is not installed. Try: pip install 'askew[{EXTRAS[kind]}]'"
        ) from None


@lru_cache
def _plugins(kind: str) -> Mapping[str, EntryPoint]:
    """The entry points of other packages for this kind, by name."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=f"askew.{kind}"):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise AskewError(
                f"Two packages register a {kind} called {point.name!r}: {other.value!r} and {point.value!r}. "
                "Uninstall one of them."
            )
    for name in found:
        if name in BUILT_IN[kind]:
            raise AskewError(
                f"The package behind entry point {found[name].value!r} has the name of the built-in {kind} {name!r}. "
                "Rename it there or uninstall that package."
            )
    return found


def _loaded(kind: str, point: EntryPoint) -> Callable[..., Any]:
    """Load the class or function that another package registers; if that fails, the error names the package."""
    prefix = f"The {kind} {point.name!r} is registered by another package as {point.value!r}, which "
    try:
        loaded: Callable[..., Any] = point.load()
        inspect.signature(loaded)
    except AskewError:
        raise
    except Exception as trouble:
        raise AskewError(
            f"{prefix}cannot be used ({type(trouble).__name__}: {trouble}). Fix or uninstall that package."
        ) from trouble
    return loaded


def _check_able(kind: str, name: str, component: Any) -> None:
    """Check that another package's component implements its protocol, so that a run does not fail halfway."""
    members = [member for member in vars(VERBS[kind]) if not member.startswith("_")] if kind in VERBS else []
    missing = [] if isinstance(component, Streams) else [member for member in members if not hasattr(component, member)]
    if missing:
        raise AskewError(
            f"The {kind} {name!r} of another package is not a {kind}: {type(component).__name__} has no "
            f"{', '.join(missing)}. Add it there; askew.verbs.{VERBS[kind].__name__} says what each is."
        )


def _options(
    name: str, rest: str, hints: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter]
) -> dict[str, str]:
    """Parse the options in the text after the name.

    Text without a known ``key=`` belongs to the first parameter or, after a comma, to the option before it, so that
    file names may contain commas and data may have its own options (``prior:data=world:all,scenes=9``).
    """
    options: dict[str, str] = {}
    current = next(iter(parameters), "")
    for position, part in enumerate(rest.split(",") if rest else []):
        key, equals, value = part.partition("=")
        key = key.strip().replace("-", "_")
        key = f"{key}_" if iskeyword(key) else key
        if equals and key in parameters:
            if key in options:
                raise BadOption(f"{name}: option {key!r} is given twice.")
            options[key], current = value, key
        elif not current or (equals and key.isidentifier() and not _is_data(hints.get(current))):
            key = key.rstrip("_")
            raise BadOption(
                f"{name}: there is no option {key!r}.{did_you_mean(key, parameters)} Options: {_usage(parameters)}."
            )
        else:
            options[current] = part if position == 0 else f"{options[current]},{part}"
    return options


def _is_data(hint: Any) -> bool:
    """Whether an option of this type is a data set, which may have options of its own."""
    return hint is Dataset or Dataset in typing.get_args(hint)


def convert(where: str, text: str, hint: Any) -> Any:
    """Convert the typed text to the annotated type."""
    if hint is Dataset:
        return open_data(text)
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        if text not in arguments:
            raise BadOption(f"{where}: {text!r} is not one of {', '.join(map(str, filter(None, arguments)))}.")
        return text
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        if text.lower() == "none" and type(None) in arguments:
            return None
        return convert(where, text, next(a for a in arguments if a is not type(None)))
    if hint is bool:
        if text.lower() not in _TRUTH:
            raise BadOption(f"{where}: {text!r} is neither true nor false.")
        return _TRUTH[text.lower()]
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            raise BadOption(f"{where}: {text!r} is not {'a whole number' if hint is int else 'a number'}.") from None
    return text


def _usage(parameters: Mapping[str, inspect.Parameter]) -> str:
    return (
        ", ".join(key if p.default is p.empty else f"{key.rstrip('_')}={p.default}" for key, p in parameters.items())
        .replace("=False", "=false")
        .replace("=True", "=true")
        or "none"
    )


_TRUTH = {"true": True, "yes": True, "1": True, "on": True, "false": False, "no": False, "0": False, "off": False}
