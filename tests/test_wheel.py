"""The wheel as a user gets it: its metadata are valid, and it works in an environment of its own."""

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from packaging.metadata import Metadata

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (made,) = folder.glob("*.whl")
    return made


def test_the_wheel_has_valid_metadata_all_data_and_both_licences(wheel):
    with zipfile.ZipFile(wheel) as packed:
        names = set(packed.namelist())
        (where,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        found = Metadata.from_email(packed.read(where))  # raises ExceptionGroup for an invalid field
    assert found.license_expression == "Apache-2.0"
    for file in found.license_files:
        assert where.replace("METADATA", f"licenses/{file}") in names
    assert found.description_content_type == "text/markdown"
    assert not {"dev", "docs"} & set(found.provides_extra)
    source = (path.relative_to(ROOT / "src").as_posix() for path in ROOT.glob("src/askew/**/*") if path.is_file())
    assert {path for path in source if "__pycache__" not in path} <= names


def test_the_wheel_works_in_an_environment_of_its_own(wheel, tmp_path):
    fresh = tmp_path / "fresh"
    uv = [sys.executable, "-m", "uv"]
    subprocess.run([*uv, "venv", "--quiet", "--offline", "--python", sys.executable, str(fresh)], check=True)
    python = fresh / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [*uv, "pip", "install", "--quiet", "--offline", "--no-deps", "--python", str(python), str(wheel)]
    subprocess.run(install, check=True)
    # Its dependencies are those installed here; an editable askew is not among them, since a .pth file names it.
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    libraries = subprocess.run(
        [str(python), "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    Path(libraries, "dependencies.pth").write_text(sysconfig.get_path("purelib"))
    code = (
        "import askew; from askew.language.wordnet import WordNet;"
        "print(askew.__file__); print(WordNet().senses('car', 'n')[0].words[0]);"
        "print(len(askew.evaluate('constant:yes', 'world:all,scenes=5', 'accuracy').scores))"
    )
    done = subprocess.run([str(python), "-c", code], cwd=tmp_path, env=clean, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    place, word, scores = done.stdout.split("\n")[-4:-1]
    assert Path(place).is_relative_to(libraries)
    assert word == "car"
    assert int(scores) > 0
    said = subprocess.run(
        [str(python.parent / "askew"), "ls", "suite"], cwd=tmp_path, env=clean, capture_output=True, text=True
    )
    assert said.returncode == 0, said.stderr
    assert "rad" in said.stdout
