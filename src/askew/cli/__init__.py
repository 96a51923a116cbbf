"""The command line: one short file per command, which only parses and prints.

Heavy modules are imported only by the commands that need them, so that ``askew --help`` is quick.
"""

from __future__ import annotations

import argparse
import codecs
import errno
import io
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from askew import __version__
from askew.errors import AskewError, BudgetSpent, TooManyFailures, did_you_mean

COMMANDS = {
    "demo": "run everything on the embedded world, and write a report",
    "play": "ask a model by hand on a local page, and see what changed questions do to its answers",
    "world": "write the embedded world: scenes, images, questions, answers",
    "build": "build a suite's groups from data: a benchmark to publish, with a datasheet",
    "audit": "measure what the text of questions alone gives away about their answers",
    "run": "ask a model and score its answers; can be resumed",
    "attack": "reword questions until a model answers them incorrectly; writes groups, can be resumed",
    "score": "score a file of predictions without running a model",
    "compare": "show runs side by side, with significance",
    "gate": "pass or fail a run: requirements, and no worse than an earlier run",
    "report": "rewrite the report of one or more runs",
    "collect": "collect questions that fool a model: people write, judge and verify; freeze and release",
    "export": "write groups as questions that other harnesses can answer",
    "train": "train a network on questions and groups; can be resumed",
    "experiment": "replicate a paper's table with newly trained networks",
    "batch": "write requests as batch files for an endpoint, and read the results",
    "merge": "join the answers of several runs or stores in one store",
    "recover": "recover the intact rows of a damaged answer store",
    "ls": "list what is registered: suites, models, readers, ..., each with its options",
    "completion": "print a script that completes commands, options and names in your shell",
}

EXIT_USAGE, EXIT_FAILURES, EXIT_BUDGET, EXIT_STOPPED, EXIT_UNREAD = 2, 3, 4, 130, 141
_CODES = {BudgetSpent: EXIT_BUDGET, TooManyFailures: EXIT_FAILURES}


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code: 0 done, 2 wrong command or input, 3 too many failures, 4 budget spent."""
    _make_printing_safe()
    typed = [word.partition("=") for word in (sys.argv[1:] if argv is None else argv)]
    words = [(n.replace("_", "-") if n.startswith("--") else n) + equals + value for n, equals, value in typed]
    chosen = next((word for word in words if word in COMMANDS), None)
    args = None
    try:
        args = _parse(words, chosen)
        code: int = import_module(f"askew.cli.{args.command}").main(args)
        return code
    except KeyboardInterrupt:
        kept = "Answers given so far are kept; the same command resumes from here."
        print(f"\nStopped. {kept if args else 'Nothing was begun.'}", file=sys.stderr)
        return EXIT_STOPPED
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_UNREAD  # not 1, which means that a gate failed
    except (AskewError, OSError) as error:
        if args is None or args.debug:
            raise
        print(f"askew {chosen}: {_describe_os_error(error) if isinstance(error, OSError) else error}", file=sys.stderr)
        return next((code for kind, code in _CODES.items() if isinstance(error, kind)), EXIT_USAGE)


class _OneValue(argparse._StoreAction):
    """An option with one value: given twice, it is refused, since one of the two would be dropped."""

    _seen: argparse.Namespace | None = None

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        if option_string and self._seen is namespace:
            advice = "Give all its values after one" if self.nargs else "Give only one"
            parser.error(f"{option_string} is given twice. {advice}.")
        self._seen = namespace
        setattr(namespace, self.dest, values)


class CommandParser(argparse.ArgumentParser):
    """A parser, also of the command's own actions, whose options add up or are refused when they are repeated."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        for name in (None, "store"):
            self.register("action", name, _OneValue)


def _parse(words: Sequence[str], chosen: str | None) -> argparse.Namespace:
    """Parse the command line; for an unknown command or option, the error names the closest one."""
    parser = _parser(chosen)
    first = next((word for word in words if not word.startswith("-")), None)
    if first is not None and first not in COMMANDS:
        hint = did_you_mean(first, COMMANDS)
        parser.error(f"there is no command {first!r}.{hint} Commands: {', '.join(COMMANDS)}.")
    args, unknown = parser.parse_known_args(words)
    if unknown:
        command = _command(parser, args)
        named = next((word for word in unknown if word.startswith("-")), None)
        if named is None:
            command.error(f"there is nothing that {unknown[0]!r} could mean here. Options begin with --.")
        name = named.partition("=")[0]
        known = [option for action in command._actions for option in action.option_strings if option.startswith("--")]
        command.error(f"there is no option {name}.{did_you_mean(name, known)} See: {command.prog} --help")
    return args


def _parser(chosen: str | None) -> argparse.ArgumentParser:
    """The parser of the whole command line; options are added only for the chosen command."""
    parser = CommandParser(
        prog="askew",
        description="Ask a VQA model askew: change questions in known ways, and see whether the answers follow.",
        epilog="Start with:         askew demo --output demo\nHelp on a command:  askew run --help",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"askew {__version__}")
    parser.add_argument("--debug", action="store_true", help="show a traceback when something goes wrong")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(
            name,
            help=summary,
            description=f"{summary[0].upper()}{summary[1:]}.",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == chosen:
            chosen_module = import_module(f"askew.cli.{name}")
            command.epilog = chosen_module.EXAMPLES
            chosen_module.add_options(command)
    return parser


def parser_of(command: str) -> argparse.ArgumentParser:
    """The parser of one command, with its options."""
    return _subparsers(_parser(command))[command]


def _command(parser: argparse.ArgumentParser, args: argparse.Namespace) -> argparse.ArgumentParser:
    """The parser of the command, or of its action, that the user typed."""
    for name in vars(args).values():
        if isinstance(name, str) and name in _subparsers(parser):
            return _command(_subparsers(parser)[name], args)
    return parser


def _subparsers(parser: argparse.ArgumentParser) -> Mapping[str, argparse.ArgumentParser]:
    found = (action.choices for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    return next(found, {})


def _make_printing_safe() -> None:
    """Make printing never fail: output to a closed stream is dropped, and unsupported characters are replaced."""
    codecs.register_error("askew.plain", _plain)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115, it stays open until the process ends
        elif isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="askew.plain")


_PLAIN = str.maketrans("±─▲▼✓✗–—…←→", "~-^v+x--.<>")
"""ASCII replacements for characters used in askew's tables."""


def _plain(trouble: UnicodeError) -> tuple[str, int]:
    """The replacement for characters that an encoding does not have.

    >>> codecs.register_error("askew.plain", _plain)
    >>> "▲ 23.2 ± 1.4 猫".encode("latin-1", "askew.plain").decode("latin-1")
    '^ 23.2 ± 1.4 ?'
    """
    if not isinstance(trouble, UnicodeEncodeError):
        raise trouble
    said = trouble.object[trouble.start : trouble.end].translate(_PLAIN)
    return said.encode("ascii", "replace").decode("ascii"), trouble.end


def _describe_os_error(error: OSError) -> str:
    """A system error as one sentence, with the path that the user gave rather than that of a temporary file.

    >>> _describe_os_error(FileExistsError(17, "File exists", "runs"))
    'runs: a file is where a folder is needed. Give another path.'
    >>> _describe_os_error(PermissionError(13, "Permission denied", "runs/.gate.xml.0a1b.part"))
    'runs: Permission denied. Check the path and its permissions, or give another.'
    """
    from askew.files.read_write import FULL

    path = error.filename2 or error.filename
    if path is None:
        full = f"the disk is full ({error.strerror}). Make room and give the same command again."
        return full if error.errno in FULL else str(error)
    place = Path(os.fsdecode(path)) if isinstance(path, (str, bytes)) else path
    if isinstance(place, Path) and place.suffix == ".part":
        place = place.parent
    if isinstance(error, (FileExistsError, NotADirectoryError)):
        return f"{place}: a file is where a folder is needed. Give another path."
    if isinstance(error, IsADirectoryError):
        return f"{place}: a folder is where a file is needed. Give another path."
    if error.errno in FULL:
        return f"{place}: {error.strerror}. Make room there and give the same command again, or give another path."
    if error.errno == errno.EFBIG:
        return f"{place}: {error.strerror}. Raise the limit of file sizes (ulimit -f) or give another path."
    return f"{place}: {error.strerror}. Check the path and its permissions, or give another."
