"""The examples in docstrings.

pytest's own ``--doctest-modules`` would import every module of the package, PyTorch and all, in each worker.
"""

from __future__ import annotations

import doctest
from importlib import import_module
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src"
MODULES = [
    ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")
    for path in sorted(SOURCE.rglob("*.py"))
    if ">>> " in path.read_text(encoding="utf-8")
]
HELPERS = ["carets_evaluator", "independent_answers"]
"""Modules of the tests with examples."""


@pytest.mark.parametrize("name", [*MODULES, *HELPERS])
def test_examples_in_docstrings_of(name):
    found = doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS)
    assert found.attempted
    assert not found.failed
