"""Run the examples of pages: one process for many commands, which would otherwise each load Python, spaCy and WordNet.

Reads a line of JSON for each page (its folder, its blocks, the file that gets the output) and answers with a line that
has the exit code. A block whose lines are plain ``askew`` commands goes to ``askew.cli.main``, a ``python`` block is
executed here with warnings as errors, and any other ``bash`` block (pipes, variables, loops) runs in a shell.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import traceback
import warnings
from pathlib import Path

from askew.cli import main
from running import working_in

SHELL = re.compile(r"[$`|<>;&*(){}~]|^\w+=", re.MULTILINE)
"""What only a shell understands, outside of quotes."""
QUOTED = re.compile(r"'[^']*'|\"[^\"$`]*\"")


def commands(text):
    """The ``askew`` commands of a block, each as words; None if a shell is needed."""
    lines = [line for line in text.replace("\\\n", " ").splitlines() if line.split("#")[0].strip()]
    if SHELL.search(QUOTED.sub("", text)) or not all(line.startswith("askew ") for line in lines):
        return None
    return [shlex.split(line, comments=True)[1:] for line in lines]


def run_block(language, text):
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
        sys.argv[:] = ["askew", *words]
        if code := main(words):
            return code
    return 0


def run_page(folder, blocks):
    """Run the blocks of a page in its folder, up to the first that fails; returns the exit code."""
    try:
        with working_in(folder):
            for language, name, text in blocks:
                if name:
                    Path(name).write_text(text, encoding="utf-8")
                    continue
                print(text, flush=True)
                if code := run_block(language, text):
                    return code
        return 0
    except BaseException:
        traceback.print_exc()
        return 1


if __name__ == "__main__":
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    for line in sys.stdin:
        page = json.loads(line)
        with open(page["log"], "wb") as log:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
        code = run_page(page["folder"], page["blocks"])
        sys.stdout.flush()
        sys.stderr.flush()
        print(json.dumps(code), file=answers, flush=True)
