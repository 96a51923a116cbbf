"""Run the examples of one page, given as JSON on stdin, in the current folder: one process instead of one per command.

A block whose lines are plain ``askew`` commands goes to ``askew.cli.main``, a ``python`` block is executed here with
warnings as errors, and any other ``bash`` block (pipes, variables, loops) runs in a shell.
"""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
import warnings

from askew.cli import main

SHELL = re.compile(r"[$`|<>;&*(){}~]|^\w+=", re.MULTILINE)
"""What only a shell understands, outside of quotes."""
QUOTED = re.compile(r"'[^']*'|\"[^\"$`]*\"")


def commands(text):
    """The ``askew`` commands of a block, each as words; None if a shell is needed."""
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.split("#")[0].strip()]
    if SHELL.search(QUOTED.sub("", text)) or not all(line.startswith("askew ") for line in lines):
        return None
    return [shlex.split(line, comments=True)[1:] for line in lines]


def run(language, text):
    """Run a block; returns its exit code."""
    if language == "python":
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            exec(compile(text, "<page>", "exec"), {"__name__": "__main__"})
        return 0
    found = commands(text)
    if found is None:
        return subprocess.run(["bash", "-euc", text]).returncode
    for words in found:
        sys.argv = ["askew", *words]
        if code := main(words):
            return code
    return 0


if __name__ == "__main__":
    for language, name, text in json.load(sys.stdin):
        if name:
            with open(name, "w", encoding="utf-8") as file:
                file.write(text)
        else:
            print(text, flush=True)
            if code := run(language, text):
                sys.exit(code)
