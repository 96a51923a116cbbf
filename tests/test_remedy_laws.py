"""Everything that messages tell people to type exists: commands, options, specs and extras."""

from __future__ import annotations

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.metadata import packages_distributions, requires
from pathlib import Path

import pytest

import askew
from askew.cli import COMMANDS
from askew.errors import SIGN_OF
from askew.registry import BUILT_IN, EXTRAS, accepted

if sys.version_info >= (3, 11):
    import tomllib
else:  # pytest brings it
    import tomli as tomllib

ROOT = Path(askew.__file__).parent
PROJECT = Path(__file__).parents[1] / "pyproject.toml"
OF_OTHERS = {
    "force-reinstall": "pip",
    "head": "ray start",
    "to": "inspect log convert",
    "tasks": "lmms_eval",
    "mmproj": "llama-server",
    "upgrade": "pip",
}
"""Options of other programs that a message names."""


@cache
def trees() -> dict[Path, ast.Module]:
    return {path.relative_to(ROOT): ast.parse(path.read_text()) for path in sorted(ROOT.rglob("*.py"))}


@cache
def sentences() -> list[tuple[str, str]]:
    """Every text of more than one word except docstrings, with its place."""
    return [(where, text) for where, text in texts() if " " in text]


def texts() -> Iterator[tuple[str, str]]:
    """Every text of the package except docstrings; formatted values are shown as {}."""
    for path, tree in trees().items():
        docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        parts = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
        others = docstrings | parts
        for node in ast.walk(tree):
            where = f"{path}:{getattr(node, 'lineno', 0)}"
            if isinstance(node, ast.JoinedStr):
                yield where, "".join(str(p.value) if isinstance(p, ast.Constant) else "{}" for p in node.values)
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in others:
                yield where, node.value


def parsers() -> dict[str, argparse.ArgumentParser]:
    """The parser of every command and subcommand, by its words."""
    found = {}
    for command in COMMANDS:
        parser = argparse.ArgumentParser()
        import_module(f"askew.cli.{command}").add_options(parser)
        found |= _below(command, parser)
    return found


def _below(words: str, parser: argparse.ArgumentParser) -> dict[str, argparse.ArgumentParser]:
    found = {words: parser}
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for name, below in action.choices.items():
                found |= _below(f"{words} {name}", below)
    return found


@pytest.fixture(scope="module")
def known():
    return parsers()


def options(parser: argparse.ArgumentParser) -> set[str]:
    return {option for action in parser._actions for option in action.option_strings}


def test_every_option_in_a_text_belongs_to_a_command(known):
    every = {"--version", "--debug", "--help"}.union(*map(options, known.values()))
    assert len(every) > 80
    seen = 0
    for where, text in sentences():
        for option in re.findall(r"(?<![\w-])--([a-z][a-z-]*[a-z])\b", text):
            seen += 1
            assert f"--{option}" in every or option in OF_OTHERS, f"{where}: --{option} in {text!r}"
    assert seen > 100


def test_every_command_in_a_text_exists_with_its_options(known):
    seen = 0
    for where, text in sentences():
        for first, rest in re.findall(r"(?<![\w./-])askew (?:--debug )?([a-z-]+)([^\n.;'\"]*)", text):
            meant = get_close_matches(first, COMMANDS, cutoff=0.7)
            if not meant or first in ("exported", "training"):
                continue  # "askew reads", "askew never runs": a sentence, no command
            seen += 1
            assert first in COMMANDS, f"{where}: askew {first} in {text!r}"
            words = f"{first} {rest.split()[0].rstrip(',')}" if rest.split() else first
            below = [name for name in known if name.startswith(f"{first} ")]
            if below and re.match(r" [a-z]+\b", rest):
                assert words in known, f"{where}: askew {words} in {text!r}"
            command = known[words] if words in known else known[first]
            for option in re.findall(r"--[a-z][a-z-]+", rest):
                assert option in options(command), f"{where}: askew {words} has no {option}: {text!r}"
    assert seen > 30


def test_every_spec_in_a_text_has_options_that_its_component_takes():
    kinds = ("model", "reader", "suite", "encoder", "backbone")
    seen = 0
    for where, text in sentences():
        for name, rest in re.findall(r"(?<![\w/{}-])([a-z0-9-]+):([^\s;)'\"]*=[^\s;)'\"]*)", text):
            if named := [
                kind for kind in kinds if name in BUILT_IN[kind]
            ]:  # a benchmark's reader and suite share a name, as do a model and a backbone
                seen += 1
                taken = {option for kind in named for option in accepted(kind, name)}
                for option in re.findall(r"(?:^|,)(\w+)=", rest):
                    assert option in taken, f"{where}: {name} takes no {option}: {text!r}"
    assert seen >= 8


def extras() -> dict[str, set[str]]:
    """The packages of every extra, as pyproject.toml names them."""
    project = tomllib.loads(PROJECT.read_text())["project"]
    return {
        name: {plain(package) for package in packages} for name, packages in project["optional-dependencies"].items()
    }


def plain(requirement: str) -> str:
    """A package's name without versions and extras, in the one spelling of indexes."""
    return re.sub(r"[-_.]+", "-", re.split(r"[\s\[<>=!~;(]", requirement, maxsplit=1)[0]).lower()


def needed() -> Iterator[tuple[str, str, str]]:
    """Every package that is imported only with an extra: where, its name, the extra."""
    for path, tree in trees().items():
        for node in ast.walk(tree):
            called = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id
            if called in ("need", "import_alone"):
                values = [one.value for one in node.args[:2] if isinstance(one, ast.Constant)]
                if len(values) == 2:
                    yield f"{path}:{node.lineno}", *values
    yield from (("errors.py", module, extra) for extra, module in SIGN_OF.items())


def test_every_needed_package_is_installed_by_the_named_extra():
    there, installed = extras(), packages_distributions()
    found = list(needed())
    assert len(found) > 30
    for where, module, extra in found:
        assert extra in there, f"{where}: there is no extra {extra!r}"
        for package in installed.get(module.partition(".")[0], ()):  # unknown where it is not installed
            brought = there[extra] | {plain(one) for direct in there[extra] for one in _requires(direct)}
            assert plain(package) in brought, f"{where}: {module} is of {package}, which askew[{extra}] does not bring"
    assert set(EXTRAS.values()) <= there.keys()


def _requires(package: str) -> list[str]:
    try:
        return [one for one in requires(package) or () if "extra ==" not in one]
    except ModuleNotFoundError:
        return []


def test_every_extra_in_a_text_exists():
    seen = [(where, extra) for where, text in sentences() for extra in re.findall(r"askew\[([a-z,]+)\]", text)]
    assert seen
    assert {one for _, named in seen for one in named.split(",")} <= extras().keys()
