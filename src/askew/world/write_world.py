"""The world as a folder of files: images, and each split as VQA v2, as GQA with scene graphs, and as our JSONL."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from askew.data.scene_graphs import write_scenes
from askew.data.write_questions import write_gqa, write_jsonl, write_vqa
from askew.files.locks import alone_in
from askew.files.output_folders import check_output, note_output
from askew.files.read_write import replaced
from askew.types import Kind, Question, Scene
from askew.world.dataset import World
from askew.world.datasheet import Tally, markdown
from askew.world.scene_cache import CachedQuestion, SceneCache, generator
from askew.world.splits import SPLITS, indices

Progress = Callable[[int], Any]


def write_world(
    output: Path,
    scenes: int = 200,
    seed: int = 0,
    size: int = 224,
    *,
    shifted: bool = False,
    workers: int = 1,
    overwrite: bool = False,
    progress: Progress | None = None,
) -> dict[str, Any]:
    """Write a world; gives its datasheet, which is also there as ``datasheet.md`` and ``datasheet.json``.

    An interrupted run continues where it stopped: images that exist are not drawn again. ``progress`` is called with
    1 for each scene. The files are the same for any number of workers. A folder that holds another world, or anything
    else, is refused unless to ``overwrite`` it.
    """
    World("all", scenes, seed, size, shifted)
    with alone_in(output):
        of = {"scenes": scenes, "seed": seed, "size": size, "shifted": shifted}
        check_output(output, "a world", of, overwrite)
        note_output(output, "a world", of)
        return _write(output, scenes, seed, size, shifted, workers, progress)


def _write(
    output: Path, scenes: int, seed: int, size: int, shifted: bool, workers: int, progress: Progress | None
) -> dict[str, Any]:
    cache = SceneCache(str(output), seed, size, shifted, records=f".records-{generator()}-{seed}-{size}")
    _delete_other_images(output, cache, scenes)
    for _ in _made(cache, range(scenes), workers):
        if progress:
            progress(1)
    tally = Tally(scenes=scenes, seed=seed, size=size, shifted=shifted, generator=generator())
    for split in SPLITS:
        _write_split(output, cache, split, list(indices(seed, scenes, split)), tally)
    sheet = tally.sheet()
    _write_text(output / "datasheet.json", json.dumps(sheet, indent=2) + "\n")
    _write_text(output / "datasheet.md", markdown(sheet))
    for records in output.glob(".records-*"):
        shutil.rmtree(records)
    return sheet


def _made(cache: SceneCache, wanted: Iterable[int], workers: int) -> Iterator[int]:
    """The scenes as they are made, in order."""
    if workers <= 1:
        yield from map(cache.make, wanted)
        return
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        yield from pool.map(cache.make, wanted, chunksize=8)


def _delete_other_images(output: Path, cache: SceneCache, scenes: int) -> None:
    """Delete images in the folder that are not of this world."""
    stamp = output / "images" / ".drawn"
    drawn = f"generator {generator()}, seed {cache.seed}, size {cache.size}\n"
    same = stamp.is_file() and stamp.read_text(encoding="utf-8") == drawn
    wanted = {os.path.basename(cache.image_path(index)) for index in range(scenes)} if same else set()
    for picture in (output / "images").glob("COCO_world_*.jpg"):
        if picture.name not in wanted:
            picture.unlink()
    if not same:
        _write_text(stamp, drawn)


def _write_split(output: Path, cache: SceneCache, split: str, wanted: list[int], tally: Tally) -> None:
    def kept() -> Iterator[tuple[int, int, CachedQuestion]]:
        for index in wanted:
            for number, one in enumerate(cache.take(index)):
                yield index, number, one

    def scenes() -> Iterator[Scene]:
        for index in wanted:
            scene, questions = cache.entry(index)
            tally.add(split, scene, questions)
            yield _gqa_scene(scene, cache.image_path(index))

    write_scenes(scenes(), str(output / "gqa" / f"{split}_sceneGraphs.json"))
    write_gqa(
        (_gqa(one, cache.image_path(index)) for index, _, one in kept()),
        str(output / "gqa" / f"{split}_questions.json"),
    )
    write_vqa((_vqa(index, number, one) for index, number, one in kept()), str(output / "vqa"), f"world_{split}")
    write_jsonl((one.question for _, _, one in kept()), str(output / f"{split}.jsonl"))


def _vqa(index: int, number: int, kept: CachedQuestion) -> Question:
    """The question with ids as VQA has them: whole numbers."""
    assert kept.question.image is not None
    return replace(kept.question, id=100 * index + number, image=replace(kept.question.image, id=index), scene=None)


def _gqa(kept: CachedQuestion, picture: str) -> Question:
    """The question as GQA has it: one answer, GQA's types, and the image known by its file's name."""
    question = kept.question
    assert question.image is not None
    image = replace(question.image, id=_stem(picture))
    return replace(question, image=image, answers=(kept.answer,), kind=Kind("", kept.gqa), confidences=())


def _gqa_scene(scene: Scene, picture: str) -> Scene:
    facts = {"location" if name == "place" else name: value for name, value in scene.facts.items()}
    return replace(scene, id=_stem(picture), facts=facts)


def _stem(path: str) -> str:
    return os.path.splitext(os.path.basename(path))[0]


def _write_text(path: Path, text: str) -> None:
    with replaced(str(path)) as file:
        file.write(text.encode())
