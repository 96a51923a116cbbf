"""Generated images: the folder holds those of the last build, and everything that askew did not write."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from askew.data.groups import write_groups
from askew.data.write_questions import write_jsonl
from askew.files.output_folders import clear_unnamed, clear_unwritten
from askew.types import Expect, Group, ImageRef, Question, Variant


def group(number: int, *images: bytes) -> Group:
    """A group with a variant for each image."""
    questions = [Question(f"{number}/{place}", ImageRef(place, data=data), "Q?") for place, data in enumerate(images)]
    return Group(number, "s", Question(number, None, "Q?"), tuple(Variant(q, Expect.SAME, "t", "r") for q in questions))


def name(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16] + ".img"


def built(folder: Path, *images: bytes) -> None:
    write_groups([group(1, *images)], str(folder / "groups.jsonl"))
    clear_unnamed(folder)


def seen(folder: Path) -> set[str]:
    return {path.name for path in (folder / "images").iterdir() if path.name != ".askew-made"}


def test_images_of_an_earlier_build_are_deleted(tmp_path: Path) -> None:
    built(tmp_path, b"a", b"b")
    assert seen(tmp_path) == {name(b"a"), name(b"b")}
    built(tmp_path, b"b", b"c")
    assert seen(tmp_path) == {name(b"b"), name(b"c")}
    built(tmp_path, b"a")
    assert seen(tmp_path) == {name(b"a")}


def test_images_of_a_killed_build_are_deleted(tmp_path: Path) -> None:
    built(tmp_path, b"a")
    (tmp_path / "groups.jsonl").replace(tmp_path / "kept")
    write_groups([group(1, b"b")], str(tmp_path / "groups.jsonl"))
    (tmp_path / "kept").replace(tmp_path / "groups.jsonl")
    built(tmp_path, b"c")
    assert seen(tmp_path) == {name(b"c")}


def test_files_that_askew_did_not_write_stay(tmp_path: Path) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    (folder / "mine.jpg").write_bytes(b"mine")
    (folder / name(b"hash")).write_bytes(b"hash")
    built(tmp_path, b"a", b"hash")
    (folder / name(b"a")).write_bytes(b"painted over")
    built(tmp_path, b"b")
    assert seen(tmp_path) == {"mine.jpg", name(b"hash"), name(b"a"), name(b"b")}


def test_images_that_other_files_name_stay(tmp_path: Path) -> None:
    built(tmp_path, b"a", b"b")
    write_jsonl([Question(7, ImageRef("x", data=b"a"), "Q?")], str(tmp_path / "mine.jsonl.gz"))
    built(tmp_path, b"c")
    assert seen(tmp_path) == {name(b"a"), name(b"c")}
    (tmp_path / "mine.jsonl.gz").write_bytes(b"")
    built(tmp_path, b"d")
    assert seen(tmp_path) == {name(b"a"), name(b"c"), name(b"d")}


def test_nothing_is_deleted_while_another_process_writes_or_in_a_shared_folder(tmp_path: Path) -> None:
    one = tmp_path / "one"
    built(one, b"a")
    part = one / f".groups.jsonl.{'0a' * 16}.part"
    part.write_bytes(b"")
    built(one, b"b")
    assert seen(one) == {name(b"a"), name(b"b")}
    part.unlink()
    (tmp_path / "two").mkdir()
    os.symlink(one / "images", tmp_path / "two" / "images")
    built(tmp_path / "two", b"c")
    built(tmp_path / "two", b"d")
    assert seen(one) == {name(b"a"), name(b"b"), name(b"c"), name(b"d")}


def benchmark(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / name).write_text(text)
    clear_unwritten(folder, [folder / name for name in files])


def there(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir() if path.name != ".askew-made"}


def test_files_of_an_earlier_benchmark_are_deleted_and_all_others_stay(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine")
    benchmark(tmp_path, sheet="1", p2="1", changed="1", linked="1")
    (tmp_path / "changed").write_text("by somebody")
    (tmp_path / "linked").replace(tmp_path / "elsewhere")
    os.symlink(tmp_path / "elsewhere", tmp_path / "linked")
    benchmark(tmp_path, sheet="2", carets="2")
    assert there(tmp_path) == {"mine", "sheet", "carets", "changed", "linked", "elsewhere"}
    clear_unwritten(tmp_path, [tmp_path / "sheet"], sources="jsonl:here/carets,skip_bad=true")
    assert "carets" in there(tmp_path)
    benchmark(tmp_path, sheet="3")
    assert there(tmp_path) == {"mine", "sheet", "changed", "linked", "elsewhere"}


def test_a_list_that_names_files_outside_does_not_delete_them(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text("x")
    folder = tmp_path / "bench"
    folder.mkdir()
    digest = hashlib.sha256(b"x").hexdigest()
    (folder / ".askew-made").write_text(f"{digest}  ../outside\n{digest}  {tmp_path / 'outside'}\nnonsense\n\n")
    benchmark(folder, sheet="1")
    assert (tmp_path / "outside").exists()


def test_images_that_only_a_file_of_the_earlier_benchmark_names_are_deleted(tmp_path: Path) -> None:
    write_jsonl([Question(7, ImageRef("x", data=b"a"), "Q?")], str(tmp_path / "questions.jsonl"))
    clear_unwritten(tmp_path, [tmp_path / "questions.jsonl"])
    built(tmp_path, b"b")
    clear_unwritten(tmp_path, [tmp_path / "groups.jsonl"])
    assert seen(tmp_path) == {name(b"b")}
