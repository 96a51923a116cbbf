"""Running askew as a user does, on a small file of questions."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

from askew.cli import main
from askew.engine.resume import Planner

LETTERS = "abcdefgh"


def plan(groups, model, store):
    """The requests that these groups need; a run counts them while its groups are built."""
    planner = Planner(model)
    for group in groups:
        planner.add(group)
    planner.check()
    return planner.plan(store)


@contextlib.contextmanager
def working_in(folder):
    """Work in a folder as a process of its own would: afterwards the process has forgotten the folder's modules."""
    before = Path.cwd(), list(sys.argv), list(sys.path), dict(os.environ), set(sys.modules)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before[0])
        sys.argv[:], sys.path[:] = before[1:3]
        os.environ.clear()
        os.environ.update(before[3])
        for name in set(sys.modules) - before[4]:
            if (getattr(sys.modules[name], "__file__", None) or "").startswith(str(folder)):
                del sys.modules[name]


def run_askew(*words, cwd="."):
    """A command, in this process; returns its exit code and what it printed, as ``subprocess.run`` does."""
    out, errors = io.StringIO(), io.StringIO()
    with working_in(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
        sys.argv[:] = ["askew", *words]
        try:
            code = main(words)
        except SystemExit as ended:
            code = ended.code
    return SimpleNamespace(returncode=code, stdout=out.getvalue(), stderr=errors.getvalue())


def write_questions(path: Path, count: int) -> None:
    colors = ["white", "black", "red", "blue", "green"]
    with path.open("w") as file:
        for number in range(count):
            thing = f"{LETTERS[number % 8]}{LETTERS[number // 8 % 8]}{LETTERS[number // 64]} car"
            record = {"id": number, "image": number, "question": f"What color is the {thing}?"}
            file.write(json.dumps({**record, "answers": [colors[number % 5]] * 10}) + "\n")
