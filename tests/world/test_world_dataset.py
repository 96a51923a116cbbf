"""The world as a data set and as a folder: splits, cache, formats, the same bytes again."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path

import pytest
from PIL import Image

from askew.data.benchmarks.gqa import Gqa
from askew.data.benchmarks.vqa import Vqa
from askew.data.jsonl import Jsonl
from askew.engine.executors import LocalExecutor
from askew.errors import BadOption, DataError
from askew.registry import open_data
from askew.world import dataset
from askew.world.ask import questions_of
from askew.world.dataset import VERSION, SceneCache, World
from askew.world.draw import draw
from askew.world.scenes import make_scene
from askew.world.splits import SPLITS, Shift, YesNoBalance, indices, split_of
from askew.world.write_world import write_world

SMALL = 20


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    output = tmp_path_factory.mktemp("world") / "out"
    write_world(output, SMALL, seed=3)
    return output


def content(folder: Path) -> dict[str, str]:
    files = (path for path in sorted(folder.rglob("*")) if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_no_scene_is_in_two_splits_and_none_is_lost() -> None:
    parts = {split: set(indices(4, 1000, split)) for split in SPLITS}
    assert [len(parts[split]) for split in SPLITS] == [700, 150, 150]
    assert set.union(*parts.values()) == set(range(1000))
    images = {split: {q.image.id for q in World(split, SMALL).questions() if q.image} for split in SPLITS}  # type: ignore[arg-type]
    assert not images["train"] & images["val"]
    assert not images["train"] & images["test"]
    assert not images["val"] & images["test"]


def test_a_scene_keeps_its_split_in_a_larger_world() -> None:
    assert set(indices(0, 100, "val")) <= set(indices(0, 500, "val"))


def test_questions_carry_image_scene_and_ten_answers() -> None:
    questions = list(World("val", SMALL).questions())
    assert len({question.image.id for question in questions if question.image}) == 3
    for question in questions:
        assert question.scene is not None
        assert question.image is not None
        assert question.image.path is not None
        assert question.image.sha256 == hashlib.sha256(Path(question.image.path).read_bytes()).hexdigest()
        with Image.open(question.image.path) as image:
            assert image.size == question.image.size == (224, 224)
        assert len(question.answers) == 10


def test_a_second_reading_draws_no_image_and_gives_the_same(cache: Path) -> None:
    world = World("val", SMALL)
    first = list(world.questions())
    times = {path: path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()}
    assert list(world.questions()) == first
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*") if path.is_file()} == times
    assert sum(path.suffix == ".jpg" for path in times) == 3


def test_a_lost_image_is_drawn_again(cache: Path) -> None:
    first = list(World("val", SMALL).questions())
    image = next(cache.rglob("*.jpg"))
    before = image.read_bytes()
    image.unlink()
    assert list(World("val", SMALL).questions()) == first
    assert image.read_bytes() == before


def test_two_processes_on_one_cache_whatever_their_hash_seed(cache: Path) -> None:
    code = (
        "import hashlib; from askew.world.dataset import World; "
        "print(hashlib.sha256(repr(list(World('all', 6).questions())).encode()).hexdigest())"
    )
    both = [
        subprocess.Popen(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, stdout=subprocess.PIPE
        )
        for seed in ("1", "2")
    ]
    said = [process.communicate()[0] for process in both]
    assert said[0] == said[1] != b""
    assert not [path for path in cache.rglob(".*") if path.is_file()]


def test_chance_does_not_come_from_hashes(tmp_path: Path) -> None:
    code = "from askew.world.ask import questions_of; from askew.world.scenes import make_scene; "
    code += "print([questions_of(make_scene(5, i)) for i in range(8)])"
    said = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(said) == 1
    assert len(said.pop()) > 1000


def test_a_damaged_record_is_made_again(cache: Path) -> None:
    first = list(World("val", SMALL).questions())
    next(cache.rglob("*.json")).write_text("{")
    assert list(World("val", SMALL).questions()) == first


def test_a_cache_that_cannot_be_written_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "file"))
    with pytest.raises(DataError, match="ASKEW_CACHE"):
        list(World("val", SMALL).questions())


def test_this_version_has_these_data_files() -> None:
    """When only comments change, update the hash in ``version.json`` and keep ``VERSION``."""
    folder, digest = Path(dataset.__file__).parent, hashlib.sha256()
    for path in sorted(folder.rglob("*.yaml"), key=lambda path: path.relative_to(folder).as_posix()):
        digest.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    expected = json.loads((Path(__file__).parent / "version.json").read_text(encoding="utf-8"))
    changed = "the world's YAML files changed: raise VERSION and update version.json"
    assert (VERSION, digest.hexdigest()[:8]) == (expected["version"], expected["data"]), changed


def test_this_version_makes_these_questions_and_images() -> None:
    """A change here means other questions or images for the same seed: raise ``VERSION``."""
    expected = json.loads((Path(__file__).parent / "version.json").read_text(encoding="utf-8"))
    assert expected["version"] == VERSION
    for index, scene in enumerate(expected["scenes"]):
        made = make_scene(7, index)
        for kind, prior in (("questions", None), ("balanced", YesNoBalance())):
            assert [(q.text, *q.answers) for q in questions_of(made, 7, prior)] == [tuple(part) for part in scene[kind]]
        pixels = draw(made).resize((8, 8), Image.Resampling.BOX)
        drawn = list(pixels.tobytes())
        # Not to the last bit: curves are computed with the sines of the machine's own library.
        assert max(abs(a - b) for a, b in zip(drawn, scene["pixels"], strict=True)) <= 3


def test_the_signature_has_options_that_are_not_defaults_and_the_version() -> None:
    assert repr(World()) == f"World(generator={VERSION!r})"
    assert repr(World("train", seed=2, shifted=True)).startswith("World(split='train', seed=2, shifted=True, gen")
    assert World("train").name == "world/train"
    assert World("train").fingerprint() != World("val").fingerprint()


def test_specs_that_people_type() -> None:
    assert open_data("world") == World()
    assert open_data("world:train") == World("train")
    assert open_data("world:split=test,scenes=500,shifted=true") == World("test", 500, shifted=True)
    with pytest.raises(BadOption, match="val, train, test, all"):
        open_data("world:dev")


@pytest.mark.parametrize("options", [{"scenes": 0}, {"size": 8}, {"size": 9000}, {"split": "dev"}])
def test_invalid_options_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(BadOption):
        World(**options)  # type: ignore[arg-type]


def test_the_folder_is_read_by_all_three_readers_alike(folder: Path) -> None:
    images = str(folder / "images")
    for split in SPLITS:
        ours = list(Jsonl(str(folder / f"{split}.jsonl")).questions())
        vqa = list(Vqa(str(folder / "vqa"), split=f"world_{split}", images=images).questions())
        graphs = str(folder / "gqa" / f"{split}_sceneGraphs.json")
        gqa = list(Gqa(str(folder / "gqa" / f"{split}_questions.json"), scenes=graphs, images=images).questions())
        assert len(ours) == len(vqa) == len(gqa) > 0
        for one, two, three in zip(ours, vqa, gqa, strict=True):
            assert one.text == two.text == three.text
            assert one.answers == two.answers
            assert one.confidences == two.confidences
            assert one.kind == two.kind
            assert three.answers == (Counter(one.answers).most_common(1)[0][0],)
            assert one.image is not None
            assert two.image is not None
            assert three.image is not None
            assert two.image.path == three.image.path == one.image.path
            assert one.scene is not None
            assert three.scene is not None
            assert one.scene.things == three.scene.things
            assert Counter(one.scene.relations) == Counter(three.scene.relations)
            assert three.scene.facts["location"] == one.scene.facts["place"]


def test_folder_and_data_set_have_the_same_questions_and_images(folder: Path) -> None:
    ours = list(Jsonl(str(folder / "val.jsonl")).questions())
    made = list(World("val", SMALL, seed=3).questions())
    assert [(q.id, q.text, q.answers, q.scene) for q in ours] == [(q.id, q.text, q.answers, q.scene) for q in made]
    assert [q.image.sha256 for q in ours if q.image] == [q.image.sha256 for q in made if q.image]


def test_same_bytes_for_any_number_of_workers(folder: Path, tmp_path: Path) -> None:
    with LocalExecutor(2) as workers:
        write_world(tmp_path / "again", SMALL, seed=3, executor=workers)
    assert content(tmp_path / "again") == content(folder)


def test_an_interrupted_write_is_completed(folder: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"

    def break_off(done: int) -> None:
        if len(list((output / "images").glob("*.jpg"))) >= 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_world(output, SMALL, seed=3, progress=break_off)
    times = {path: path.stat().st_mtime_ns for path in (output / "images").glob("*.jpg")}
    assert len(times) == 5
    assert not (output / "datasheet.md").exists()
    steps: list[int] = []
    write_world(output, SMALL, seed=3, progress=steps.append)
    assert sum(steps) == SMALL
    assert {path: path.stat().st_mtime_ns for path in times} == times
    assert content(output) == content(folder)


def test_another_world_in_the_same_folder_leaves_no_old_image(tmp_path: Path) -> None:
    write_world(tmp_path, 4, seed=1)
    write_world(tmp_path, 3, seed=2, overwrite=True)
    write_world(tmp_path, 2, seed=2, overwrite=True)
    assert len(list((tmp_path / "images").glob("*.jpg"))) == 2
    for question in Jsonl(str(tmp_path / f"{split_of(2, 0)}.jsonl")).questions():
        assert question.image is not None
        assert question.image.sha256 == hashlib.sha256(Path(str(question.image.path)).read_bytes()).hexdigest()


def test_the_datasheet_counts_what_is_there(folder: Path) -> None:
    sheet = json.loads((folder / "datasheet.json").read_text())
    lines = {split: (folder / f"{split}.jsonl").read_text().splitlines() for split in SPLITS}
    assert [len(lines[split]) for split in SPLITS] == [sheet["splits"][split]["questions"] for split in SPLITS]
    assert sum(part["scenes"] for part in sheet["splits"].values()) == sheet["world"]["scenes"] == SMALL
    assert sum(sheet["answer types"].values()) == sum(map(len, lines.values())) == sheet["world"]["questions"]
    page = (folder / "datasheet.md").read_text()
    assert f"{SMALL} scenes" in page
    assert "| yes |" in page


def test_shifted_answers_are_frequent_in_train_and_rare_in_test(tmp_path: Path) -> None:
    """Measured by how far the shares of yes differ, kind by kind; unshifted they are close."""

    def distance(shifted: bool) -> float:
        from askew.world.ask import asked
        from askew.world.scenes import make_scene

        yes: dict[tuple[str, bool], list[bool]] = defaultdict(list)
        for index in range(160):
            test = split_of(0, index) == "test" or index % 2 == 0
            for one in asked(make_scene(0, index), 0, Shift("test" if test else "train") if shifted else None):
                if one.answer_type == "yes/no" and one.kind in ("exists", "attribute", "whole", "relation"):
                    yes[one.kind, test].append(one.answer == "yes")
        share = {key: sum(values) / len(values) for key, values in yes.items()}
        kinds = {kind for kind, _ in share}
        return sum(abs(share[kind, True] - share[kind, False]) for kind in kinds) / len(kinds)

    assert distance(shifted=True) > 0.5
    assert distance(shifted=False) < 0.2


def test_shifted_worlds_share_their_images(cache: Path) -> None:
    plain = list(World("val", SMALL).questions())
    shifted = list(World("val", SMALL, shifted=True).questions())
    assert {q.image.sha256 for q in plain if q.image} == {q.image.sha256 for q in shifted if q.image}
    assert [q.text for q in plain] != [q.text for q in shifted]


def test_images_of_another_size_show_the_same_scene() -> None:
    small, large = (next(World("val", SMALL, size=size).questions()) for size in (96, 320))
    assert small.scene is not None
    assert large.scene is not None
    assert small.scene.facts == large.scene.facts
    assert small.image is not None
    assert small.image.size == (96, 96)


def test_images_are_made_only_when_needed(tmp_path: Path) -> None:
    SceneCache(str(tmp_path), 0, 96).entry(7)
    assert [path.name for path in (tmp_path / "images").iterdir()] == [f"COCO_world_{split_of(0, 7)}_000000000007.jpg"]


def test_a_split_without_a_scene_says_how_many_are_needed() -> None:
    with pytest.raises(DataError, match=r"world/val: with scenes=5 no scene is in val\. .* use more scenes"):
        list(World("val", scenes=5).questions())
