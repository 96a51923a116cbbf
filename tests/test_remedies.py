"""What an error tells people to do works: each remedy is taken out of the message and done literally."""

from __future__ import annotations

import re

import pytest

from askew import open_data
from askew.cli import main
from askew.errors import AskewError

QUICK = "--resamples 20 --quiet"


@pytest.fixture(autouse=True)
def _at_home(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    """A folder as ``askew world`` writes it."""
    folder = tmp_path_factory.mktemp("made") / "w"
    assert main(["world", "--scenes", "20", "--size", "64", "--output", str(folder)]) == 0
    return folder


def ask(data, *more, output="o"):
    return main(
        f"run --model constant:yes --data {data} --suite accuracy {QUICK} --output {output}".split() + list(more)
    )


def refused(call, pattern):
    """What the message of an error says at the place in brackets."""
    with pytest.raises(AskewError) as error:
        call()
    found = re.search(pattern, str(error.value))
    assert found, f"{pattern!r} is not in: {error.value}"
    return found[1]


def said(capsys, words, pattern):
    """The same for a command, which must end with code 2."""
    capsys.readouterr()
    assert main(words) == 2
    heard = capsys.readouterr().err
    found = re.search(pattern, heard)
    assert found, f"{pattern!r} is not in: {heard}"
    return found[1]


def test_a_world_on_disk_is_data(world):
    """`askew world --output w` and then `--data w` was refused, and so was the remedy."""
    from_folder = [question.id for question in open_data(str(world)).questions()]
    assert from_folder == [question.id for question in open_data(f"{world}/val.jsonl").questions()]
    texts = [question.text for question in open_data("world:val,scenes=20,size=64").questions()]
    assert texts == [question.text for question in open_data(str(world)).questions()]
    assert ask(world) == 0


def test_a_world_too_small_for_val_names_a_split_that_is_there(tmp_path):
    main(["world", "--scenes", "1", "--size", "64", "--output", "tiny"])
    path = refused(lambda: open_data("tiny"), r"another split: (\S+),")
    assert list(open_data(path).questions())


def test_a_folder_with_two_kinds_of_questions_names_files_that_can_be_given(world, tmp_path):
    for kind in ("vqa", "gqa"):
        (tmp_path / "both" / kind).mkdir(parents=True)
        for file in (world / kind).glob("*"):
            (tmp_path / "both" / kind / file.name).write_bytes(file.read_bytes())
    files = refused(lambda: open_data("both"), r"one of the files, e\.g\. (.+)$").split(" or ")
    assert len(files) == 2
    for number, file in enumerate(files):
        assert ask(file, output=f"o{number}") == 0


def test_a_folder_with_several_splits_names_a_spec_that_can_be_given(world):
    for kind in ("vqa", "gqa"):
        spec = refused(lambda kind=kind: open_data(f"{world}/{kind}"), r"Pick one, e\.g\. (\S+)$")
        assert ask(spec, output=kind) == 0
