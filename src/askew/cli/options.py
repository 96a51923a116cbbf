"""Options that commands share, and the file they can be read from (``--config run.yaml``)."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from askew.errors import UsageError, did_you_mean
from askew.files.limits import read_yaml
from askew.files.paths import public_text, public_word

if TYPE_CHECKING:
    from askew.engine.settings import Named, Settings

Options: TypeAlias = Mapping[str, tuple[type, str]]
"""Options by name, each with the type of its value and its help text."""
_KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "text"}


SHARED: Mapping[str, dict[str, Any]] = {
    "data": {
        "metavar": "DATA",
        "help": "questions: a folder or file (VQA v2, GQA, JSONL, a benchmark), groups.jsonl, or a reader such as "
        "world:split=val",
    },
    "images": {"metavar": "DIR", "help": "the folder with the images"},
    "judged": {
        "action": "append",
        "metavar": "FILE",
        "help": "labels judged by people (of askew audit --sample; or of askew collect audit --results): shows "
        "the label noise; can be repeated",
    },
    "suite": {
        "action": "append",
        "metavar": "SUITE",
        "help": "what is measured; can be repeated: see askew ls suite (default: the suites of prebuilt groups; "
        "otherwise rad for run, accuracy for score)",
    },
    "skip-bad": {"action": "store_true", "help": "leave out bad records and list them"},
    "metric": {
        "action": "append",
        "metavar": "METRIC",
        "help": "an additional metric: see askew ls metric",
    },
    "limit": {"type": int, "metavar": "N", "help": "at most N groups of each suite"},
    "seed": {"type": int, "metavar": "S", "help": "the seed of all random draws (default 0)"},
    "extract": {
        "metavar": "STEP",
        "help": "how answers are extracted from free text: auto, none, short, or the rule of a benchmark's evaluator: "
        "pope, vlmevalkit, naturalbench, mm-upd, exact (default: auto for run, none for score)",
    },
    "accuracy": {
        "metavar": "MODE",
        "help": "how answers are compared: official, robust, simple, exact, or auto, which is robust for free text, "
        "else the suite's (default auto)",
    },
    "batch-size": {"type": int, "metavar": "N", "help": "questions asked at once (default 64)"},
    "max-failures": {
        "type": float,
        "metavar": "SHARE",
        "help": "tolerated share of failed answers (default 0.05)",
    },
    "store": {"metavar": "FILE", "help": "keep answers in this file, to share them between runs"},
    "executor": {
        "metavar": "SPEC",
        "help": "where the work is done: local:workers=2, or ray:address=auto (default: this process); it changes no "
        "result",
    },
    "workers": {
        "type": int,
        "metavar": "N",
        "help": "processes that work side by side, the same as --executor local:workers=N; they change no result",
    },
    "stop-after": {
        "type": int,
        "metavar": "N",
        "help": "stop after this many equal failures in a row (default 50; 0 never stops)",
    },
    "dry-run": {"action": "store_true", "help": "show how much would be asked, and ask nothing"},
    "no-audit": {
        "action": "store_true",
        "help": "do not find out what the text of questions alone gives away about their answers",
    },
    "full": {"action": "store_true", "help": "print every score, not only the headline of each suite"},
    "json": {"metavar": "FILE", "help": "also write the result to this file, as JSON"},
    "no-published": {"action": "store_true", "help": "leave the papers' own figures out of the tables"},
    "overwrite": {
        "action": "store_true",
        "help": "replace other contents of the output folder: another run, benchmark or world, or files of others",
    },
    "quiet": {"action": "store_true", "help": "no progress bars"},
    "config": {"metavar": "FILE", "help": "a YAML file with the same options; those typed take precedence"},
}
"""Options that mean the same in every command. None has a default, so that ``settled`` can tell what was typed."""
MODEL_OPTIONS: Options = {
    "base_url": (str, "the address of an OpenAI-compatible endpoint"),
    "max_tokens": (int, "stop cleanly after this many tokens"),
    "max_cost": (float, "stop cleanly when this much is spent, according to --prices"),
    "prices": (str, "a YAML file {model: {read: 2.5, written: 10}}: the cost of a million tokens"),
    "device": (str, "where a Hugging Face model runs: auto, cpu, cuda, cuda:1, mps"),
    "dtype": (str, "its number format: auto, float32, float16, bfloat16"),
    "allow_download": (bool, "allow it to be downloaded from a hub"),
}
"""Options of models that can also be given outside the spec."""
ASKING: Mapping[str, tuple[str, ...]] = {
    "asking": ("batch-size", "executor", "workers", "store", "stop-after", "max-failures"),
    "scoring": ("extract", "accuracy", "no-audit"),
    "output": ("full", "json", "no-published", "overwrite", "quiet"),
}
"""The shared options of commands that ask a model, by the heading of their help."""
SHOWING = ("full", "json", "no-published")
"""The shared options of commands that print scores."""
DEFAULTS = {"seed": 0}
"""The defaults of shared options that are the same in every command."""


def add_shared(parser: argparse.ArgumentParser, *names: str, heading: str = "") -> None:
    """Add some of the shared options, in a group of the help if it has a heading."""
    place = parser.add_argument_group(heading) if heading else parser
    for name in names:
        place.add_argument(f"--{name}", default=None, **SHARED[name])
    parser.set_defaults(parser=parser)


def add_asking(parser: argparse.ArgumentParser, models: Options) -> None:
    """Add the options of commands that ask a model, those of some models, and the file of options."""
    for heading, names in ASKING.items():
        add_shared(parser, *names, heading=heading)
    add_listed(parser, models, "options for some models")
    add_shared(parser, "config", heading="a file of options")


def add_listed(parser: argparse.ArgumentParser, options: Options, heading: str = "", metavar: str = "X") -> None:
    """Add the options of a table; none has a default, so that ``settled`` can tell what was typed."""
    place = parser.add_argument_group(heading) if heading else parser
    for name, (kind, text) in options.items():
        how: dict[str, Any] = {"action": "store_true"} if kind is bool else {"type": kind, "metavar": metavar}
        place.add_argument(f"--{name.replace('_', '-')}", default=None, help=text, **how)


def add_runs(parser: argparse.ArgumentParser) -> None:
    """Add the positional argument for folders of finished runs."""
    parser.add_argument("runs", nargs="+", metavar="RUN", help="folders written by askew run or score")


def settled(
    args: argparse.Namespace, defaults: Mapping[str, Any] | None = None, required: tuple[str, ...] = ()
) -> argparse.Namespace:
    """The options from the command line, otherwise from the config file, otherwise the defaults."""
    known = {key for key in vars(args) if key not in ("command", "config", "debug", "parser")}
    config = _read(args.config, known, args.parser) if getattr(args, "config", None) else {}
    typed = {key: value for key, value in vars(args).items() if value is not None}
    merged = argparse.Namespace(**{**dict.fromkeys(known), **DEFAULTS, **(defaults or {}), **config, **typed})
    if "workers" in known and merged.workers is not None:
        if merged.executor:
            raise UsageError("Give --executor or --workers, not both: --workers 2 is --executor local:workers=2.")
        merged.executor = f"local:workers={merged.workers}"
    for name in required:
        if not getattr(merged, name):
            raise UsageError(f"--{name.replace('_', '-')} is needed (on the command line, or in the file of --config).")
    _check_json(vars(merged).get("json"))
    return merged


def _read(path: str, known: set[str], parser: argparse.ArgumentParser) -> dict[str, Any]:
    config = read_yaml(path) or {}
    if not isinstance(config, dict):
        raise UsageError(f"{path}: expected options, one a line, such as 'suite: rad'.")
    options = {str(key).replace("-", "_"): value for key, value in config.items()}
    for key in options:
        if key not in known:
            hint = did_you_mean(key, known)
            raise UsageError(f"{path}: there is no option {key!r}.{hint} Options: {', '.join(sorted(known))}.")
    actions = {action.dest: action for action in parser._actions}
    fitting: dict[str, Any] = {}
    for key, value in options.items():
        if isinstance(actions[key], argparse._AppendAction) and value is not None:
            listed = value if isinstance(value, list) else [value]
            fitting[key] = [_fit(path, actions[key], one) for one in listed]
        elif value is not None:
            fitting[key] = _fit(path, actions[key], value)
    return fitting


def _fit(path: str, action: argparse.Action, value: Any) -> Any:
    """Convert a value of the config file to the type that the option has on the command line, or refuse it."""
    kind: Any = bool if action.nargs == 0 else action.type or str
    fault = f"{path}: {action.dest.replace('_', '-')} is {value!r}; it must be"
    if isinstance(value, bool) != (kind is bool) or not isinstance(value, (bool, int, float, str)):
        raise UsageError(f"{fault} {_KINDS[kind]}.")
    try:
        fitting = value if kind is bool else kind(str(value))
    except ValueError:
        raise UsageError(f"{fault} {_KINDS[kind]}.") from None
    if action.choices and fitting not in action.choices:
        raise UsageError(f"{fault} one of: {', '.join(action.choices)}.")
    return fitting


def _check_json(path: str | None) -> None:
    """Refuse to replace the results of a run, data, or a pipe: what stands there must be a JSON file of the user's."""
    place = Path(path or "")
    is_runs_own = place.name in ("results.json", "differences.json")
    if path and (path == "-" or is_runs_own or (place.exists() and (place.suffix != ".json" or not place.is_file()))):
        raise UsageError(f"--json {path}: name a file whose content may be replaced, such as found.json.")


def write_json(path: str | None, result: Any) -> None:
    """Write the result of a command to the file of ``--json``, without folders of this machine."""
    _check_json(path)
    if path:
        import orjson

        from askew.files.paths import public
        from askew.files.read_write import write_joined

        write_joined(path, [orjson.dumps(public(result), option=orjson.OPT_INDENT_2), b"\n"])


def as_typed() -> str:
    """The running command, for results.json: without folders of this machine, and with non-UTF-8 bytes escaped."""
    words = (os.fsencode(word).decode("utf-8", "replace") for word in sys.argv[1:])
    return shlex.join(["askew", *(public_text(public_word(word)) for word in words)])


def given(options: argparse.Namespace, names: Iterable[str]) -> dict[str, Any]:
    """Those of the options with these names that have a value."""
    return {name: value for name in names if (value := getattr(options, name, None)) is not None}


def settings_of(options: argparse.Namespace) -> Settings:
    """The settings of a run; a command without ``--quiet`` shows no progress."""
    from askew.engine.settings import setting_names, settings_from

    names = (name for name in setting_names() if name not in ("quiet", "workers"))  # settled: workers are an executor
    return settings_from({**given(options, names), "quiet": bool(getattr(options, "quiet", True))})


def data_of(options: argparse.Namespace, spec: str = "") -> Named:
    """The data of ``--data`` or of another spec, with ``--images`` and ``--skip-bad``."""
    from askew.engine.components import as_data

    return as_data(spec or options.data, options.images, bool(options.skip_bad))


def beside(options: argparse.Namespace, names: Iterable[str], kind: str, specs: list[str]) -> dict[str, object]:
    """Options of components that were given outside their specs; BadOption for one that no component takes."""
    from askew.registry import accepted

    found: dict[str, object] = given(options, names)
    for name in found:
        if not any(name in accepted(kind, spec) for spec in specs):
            raise UsageError(f"--{name.replace('_', '-')} is no option of {' or '.join(specs)}.")
    return found
