"""Ready-made groups: written and read back unchanged, even after the folder is moved."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from askew.data.groups import GroupFile, read_groups, write_groups
from askew.engine.components import as_data, suites_in
from askew.errors import BadImage, DataError
from askew.types import Expect, Group, ImageRef, Kind, Question, Scene, Thing, Variant

ORIGINAL = Question("q1", ImageRef(7), "What colour is it?", ("red",), Kind("other", "what color"), context="A car.")


def group(key: str | int = 1, image: ImageRef | None = None, changed: ImageRef | None = None) -> Group:
    original = replace(ORIGINAL, image=image or ORIGINAL.image)
    scene = Scene("7", (Thing("1", "car", ("red",), (1, 2, 3, 4)),))
    variants = (
        Variant(replace(original, id="q1-a", text="Is it red?", answers=("yes",)), Expect.GIVEN, "Y/N←C", "rad/color"),
        Variant(replace(original, id="q1-b", image=changed, scene=scene), Expect.SAME, "blur", "v", {"sigma": 2.5}),
    )
    return Group(key, "rad", original, variants)


def test_groups_come_back_as_they_were(tmp_path: Path) -> None:
    groups = [group("1"), group(1), replace(group("x"), variants=())]
    path = str(tmp_path / "deep" / "groups.jsonl.gz")
    assert write_groups(iter(groups), path) == 3
    assert list(read_groups(path)) == groups
    data = GroupFile(path)
    assert [q.id for q in data.questions()] == ["q1", "q1", "q1"]
    assert (data.name, repr(data)) == ("groups", "GroupFile(path='groups.jsonl.gz')")


def test_a_folder_with_its_images_can_be_moved(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / "pictures").mkdir(parents=True)
    (home / "pictures" / "7.jpg").touch()
    write_groups([group(image=ImageRef(7, str(home / "pictures" / "7.jpg")))], str(home / "groups.jsonl"))
    assert str(tmp_path) not in (home / "groups.jsonl").read_text()
    shutil.move(home, tmp_path / "elsewhere")
    (moved,) = read_groups(str(tmp_path / "elsewhere" / "groups.jsonl"))
    expected = ImageRef(7, str(tmp_path / "elsewhere" / "pictures" / "7.jpg"))
    assert moved.original.image == moved.variants[0].question.image == expected


def test_images_from_elsewhere_keep_their_whole_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "7.jpg").touch()
    monkeypatch.chdir(tmp_path)
    write_groups([group(image=ImageRef(7, "7.jpg"))], "out/groups.jsonl")
    (back,) = read_groups("out/groups.jsonl")
    assert back.original.image == ImageRef(7, str(tmp_path / "7.jpg"))


def test_images_made_on_the_fly_are_written_next_to_the_groups(tmp_path: Path) -> None:
    content = b"\x89PNG\r\n\x1a\n and so on"
    write_groups([group(changed=ImageRef("7-blur", data=content))], str(tmp_path / "groups.jsonl"))
    (back,) = read_groups(str(tmp_path / "groups.jsonl"))
    image = back.variants[1].question.image
    digest = hashlib.sha256(content).hexdigest()
    assert image == ImageRef("7-blur", str(tmp_path / "images" / f"{digest[:16]}.png"), sha256=digest)
    assert Path(image.path or "").read_bytes() == content


def test_another_folder_of_images_can_be_given(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    path = str(tmp_path / "groups.jsonl")
    write_groups([group(image=ImageRef(7, "/gone/7.jpg"))], path)
    (lenient,) = read_groups(path)
    assert lenient.original.image == ImageRef(7, "/gone/7.jpg")
    with pytest.raises(BadImage, match=r"line 1 \(id 'rad 1'\): the file of image 7 is not at"):
        list(read_groups(path, images=str(tmp_path / "pictures")))
    (tmp_path / "pictures" / "7.jpg").touch()
    (found,) = read_groups(path, images=str(tmp_path / "pictures"))
    assert found.original.image == ImageRef(7, str(tmp_path / "pictures" / "7.jpg"))


GOOD: dict[str, Any] = {"group": 2, "suite": "s", "original": {"id": 1, "question": "Q?"}, "variants": []}
VARIANT = {"id": 2, "question": "R?", "expect": "same"}


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        ("{", "broken JSON"),
        (json.dumps({"original": {}}), "'group' is missing"),
        (json.dumps({"group": 2}), "'original' is missing"),
        (json.dumps({**GOOD, "original": {"id": 1}}), "'question' is missing"),
        (json.dumps({**GOOD, "original": {"question": "Q?"}}), "'id' is missing"),
        (json.dumps({**GOOD, "variants": {}}), "'variants' must be a list"),
        (json.dumps({**GOOD, "variants": ["R?"]}), "must be an object"),
        (json.dumps({**GOOD, "variants": [{**VARIANT, "expect": "maybe"}]}), "same or different or given or noise"),
        (json.dumps({**GOOD, "variants": [{"question": "R?", "expect": "same"}]}), "'id' is missing"),
        (json.dumps({**GOOD, "variants": [{**VARIANT, "note": [1]}]}), "'note' must be an object {...}, but is a list"),
        (json.dumps({**GOOD, "variants": [{**VARIANT, "test": 5}]}), "'test' must be text"),
        (json.dumps({**GOOD, "variants": [{**VARIANT, "path": "a.jpg"}]}), "'image' is missing"),
        (json.dumps({**GOOD, "group": 1}), "the id 's 1' occurs twice"),
    ],
)
def test_a_bad_group_is_reported_with_file_and_line_or_skipped(tmp_path: Path, line: str, fault: str) -> None:
    path = tmp_path / "groups.jsonl"
    path.write_text("\n".join((json.dumps({**GOOD, "group": 1}), line, json.dumps({**GOOD, "group": 3}))))
    with pytest.raises(DataError) as error:
        list(read_groups(str(path)))
    assert str(error.value).startswith(f"{path}: line 2")
    assert fault in str(error.value)
    lenient = GroupFile(str(path), skip_bad=True)
    assert [group.id for group in lenient.groups()] == [1, 3]
    assert len(lenient.skipped) == 1


def test_two_suites_may_ask_the_same_question(tmp_path: Path) -> None:
    groups = [group(1), replace(group(1), suite="accuracy")]
    write_groups(groups, str(tmp_path / "groups.jsonl"))
    assert list(read_groups(str(tmp_path / "groups.jsonl"))) == groups


def test_a_broken_source_leaves_no_half_file(tmp_path: Path) -> None:
    def source():
        yield group()
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        write_groups(source(), str(tmp_path / "groups.jsonl"))
    assert list(tmp_path.iterdir()) == []


def test_groups_without_a_suite_name_are_refused_with_the_remedy(tmp_path: Path) -> None:
    write_groups([replace(group(1), suite="")], str(tmp_path / "groups.jsonl"))
    with pytest.raises(DataError, match=r'groups\.jsonl: a group names no suite\. Add it .*"suite": "rad"'):
        suites_in(as_data(tmp_path / "groups.jsonl"), "rad")


def test_a_variant_without_an_image_has_the_image_of_its_original(tmp_path: Path) -> None:
    path = tmp_path / "groups.jsonl"
    variants = [VARIANT, {**VARIANT, "id": 3, "image": "b"}, {**VARIANT, "id": 4, "same_image": False}]
    original = {"id": 1, "question": "Q?", "image": "a", "scene": {"id": "a", "things": [{"id": "1", "name": "car"}]}}
    path.write_text(json.dumps({"group": 1, "suite": "s", "original": original, "variants": variants}))
    (made,) = read_groups(str(path))
    assert [variant.question.image for variant in made.variants] == [ImageRef("a"), ImageRef("b"), None]
    assert made.variants[0].question.scene == made.original.scene


def test_fields_that_are_not_known_are_named_once(tmp_path: Path) -> None:
    path = tmp_path / "groups.jsonl"
    write_groups([group("1"), group("2")], str(path))
    records = [json.loads(line) for line in path.read_text().splitlines()]
    for record in records:
        record["original"]["hint"] = "look left"
        record["variants"][1]["weight"] = 2
    records[0]["by"] = "me"
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    data = GroupFile(str(path))
    for _ in range(2):  # each reading tells it again, and once
        assert len(list(data.groups())) == 2
        assert data.remarks == [
            f"{path}: unknown fields were not read: 'by' (1 record), 'original.hint' (2 records), "
            "'variants.weight' (2 records)."
        ]
    write_groups([group("1"), group(1)], str(path))
    assert list(data.groups())
    assert data.remarks == []
