"""``askew completion``: complete commands, options and names in bash, zsh and fish.

The scripts call ``askew completion SHELL --line TEXT`` at each Tab with the text typed so far, so that components of
other packages are completed too.
"""

from __future__ import annotations

import argparse
import re
import shlex
from collections.abc import Iterator

EXAMPLES = """\
examples:
  eval "$(askew completion bash)"        (in ~/.bashrc, to keep it)
  eval "$(askew completion zsh)"         (in ~/.zshrc, after compinit)
  askew completion fish > ~/.config/fish/completions/askew.fish

Commands, options, their values, and the names of suites, models, readers, metrics, ... are completed; everything else
as a file."""

SCRIPTS = {
    "bash": """\
_askew() {
    local IFS=$'\\n'
    COMPREPLY=($(askew completion bash --line "${COMP_LINE:0:COMP_POINT}" 2>/dev/null))
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[:=] ]] && compopt -o nospace
}
complete -o default -F _askew askew
""",
    "zsh": """\
_askew() {
    local -a found
    found=("${(@f)$(askew completion zsh --line "${(j: :)${(@q)words[1,CURRENT-1]}} $PREFIX" 2>/dev/null)}")
    if [[ -z $found ]]; then _files
    elif [[ $#found -eq 1 && $found != *[:=] ]]; then compadd -- $found
    else compadd -S '' -- $found
    fi
}
compdef _askew askew
""",
    "fish": """\
function __askew
    askew completion fish --line (commandline -c | string collect) 2>/dev/null
end
complete -c askew -a '(__askew)'
""",
}

KINDS = {
    "model": "model",
    "suite": "suite",
    "metric": "metric",
    "attack": "attack",
    "executor": "executor",
    "net": "net",
    "loss": "loss",
    "ranker": "ranker",
    "data": "reader",
}
"""The kind of component that an option's value names."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("shell", choices=tuple(SCRIPTS), help="the shell")
    parser.add_argument("--line", metavar="TEXT", help="print what can follow this text instead; for the script")


def main(args: argparse.Namespace) -> int:
    """Print the script of a shell, or the completions of a line."""
    if args.line is None:
        print(SCRIPTS[args.shell], end="")
        return 0
    for word in completions(args.line):
        print(_after_break(word, args.line) if args.shell == "bash" else word)
    return 0


def completions(line: str) -> list[str]:
    """Completions of the last word of a line; empty if it may be a file name.

    >>> completions("askew gat"), completions("askew run --quie"), completions("askew ls mod")
    (['gate'], ['--quiet'], ['model'])
    >>> completions("askew run --suite corr"), completions("askew run --data ")
    (['corruption'], [])
    """
    words = _words(line)
    typed = words.pop()
    return sorted({word for word in _candidates(words[1:], typed) if word.startswith(typed)})


def _words(line: str) -> list[str]:
    """Split a line into words; the last may be empty, and quotes need not be closed."""
    for end in ("", '"', "'"):
        try:
            words = shlex.split(line + end)
        except ValueError:
            continue
        return words if words and not line[-1:].isspace() else [*words, ""]
    return [*line.split(), ""]


def _candidates(before: list[str], typed: str) -> Iterator[str]:
    from askew.cli import COMMANDS, parser_of

    command = next((word for word in before if not word.startswith("-")), None)
    if command not in COMMANDS:
        yield from ("--help", "--version", "--debug") if typed.startswith("-") else COMMANDS
        return
    parser, rest = _innermost(parser_of(command), before[before.index(command) + 1 :])
    options = {name: action for action in parser._actions for name in action.option_strings}
    name, equals, value = typed.partition("=")
    if equals and name in options:
        yield from (f"{name}={word}" for word in _values(options[name], value))
    elif rest and (action := options.get(rest[-1].replace("_", "-"))) is not None and action.nargs != 0:
        yield from _values(action, typed)
    elif typed.startswith("-"):
        yield from (name for name in options if name.startswith("--"))
    else:
        for action in parser._actions:
            if not action.option_strings and action.choices:
                yield from map(str, action.choices)


def _innermost(parser: argparse.ArgumentParser, words: list[str]) -> tuple[argparse.ArgumentParser, list[str]]:
    """The parser of the actions named in these words (``collect init``), and the words after them."""
    for place, word in enumerate(words):
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction) and word in action.choices:
                return _innermost(action.choices[word], words[place + 1 :])
    return parser, words


def _values(action: argparse.Action, typed: str) -> Iterator[str]:
    """Completions of an option's value; readers only after their first letter, so that files are completed before."""
    if action.choices:
        yield from map(str, action.choices)
    kind = KINDS.get(action.dest)
    if kind == "model" and typed.startswith("bundled:"):
        from askew.models.onnx_model import bundled_names

        yield from (f"bundled:{name}" for name in bundled_names())
    elif kind and (typed or kind != "reader") and ":" not in typed:
        from askew.registry import names

        yield from names(kind)


def _after_break(word: str, line: str) -> str:
    """The part of a completion that bash replaces: what is after the last ``:`` or ``=`` typed.

    >>> _after_break("bundled:xnm", "askew run --model bundled:x"), _after_break("rad", "askew run --suite=ra")
    ('xnm', 'rad')
    """
    typed = _words(line)[-1]
    kept = re.sub(r"[^:=]*$", "", typed)
    return word[len(kept) :] if kept and word.startswith(kept) else word
