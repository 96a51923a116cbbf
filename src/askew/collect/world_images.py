"""Images of the embedded world in a study, and what is true in each: what simulated people know.

``world.json`` in the study's folder says which scene an image shows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from askew.collect.image_import import Imported, import_images
from askew.collect.schema import image
from askew.collect.study import Study
from askew.collect.typed_text import same_question
from askew.errors import UsageError
from askew.files.paths import cache_folder
from askew.files.read_write import write_joined
from askew.world.ask import asked
from askew.world.dataset import SceneCache, generator
from askew.world.phrasing import Asked
from askew.world.scenes import make_scene

FILE = "world.json"
SIZE = 224
DRAFTS = 3
"""How often a scene is questioned, so that there is enough to ask about it."""


@dataclass(frozen=True)
class WorldStudy:
    """Which scene each image of a study shows."""

    seed: int
    scenes: dict[str, int]
    """Name of the imported file to the number of the scene."""
    size: int = SIZE
    """Width and height of the images."""

    def questions(self, name: str) -> list[Asked]:
        """What can be asked about an image, each with its true answer; nothing twice in nearly the same words."""
        scene = make_scene(self.seed, self.scenes[name], (self.size, self.size))
        found = {same_question(one.text): one for draft in range(DRAFTS) for one in asked(scene, self.seed + draft)}
        return list(found.values())


def import_world(
    study: Study,
    round_id: int,
    indices: Sequence[int],
    seed: int = 0,
    progress: Callable[[int], object] = lambda _: None,
    size: int = SIZE,
) -> Imported:
    """Add scenes of the embedded world to a draft round as images; their domain is the setting (indoors, outdoors)."""
    cache = SceneCache(str(cache_folder() / "world" / generator() / f"seed-{seed}-size-{size}"), seed, size)
    known = load_world(study) if (study.folder / FILE).is_file() else WorldStudy(seed, {}, size)
    if (known.seed, known.size) != (seed, size):
        raise UsageError(
            f"The study has scenes of the world with seed {known.seed} and size {known.size}. Use the same ones."
        )
    paths, domains = [], {}
    for index in indices:
        scene, _ = cache.entry(index)
        path = Path(cache.image_path(index))
        paths.append(path)
        domains[path.name] = str(scene.facts.get("setting", "world"))
        known.scenes[path.name] = index
        progress(1)
    about = {"seed": seed, "size": size, "scenes": known.scenes}
    write_joined(study.folder / FILE, [json.dumps(about, sort_keys=True).encode()])
    return import_images(study, paths, round_id, "world", domains)


def load_world(study: Study) -> WorldStudy:
    """Which scenes the study shows."""
    path = study.folder / FILE
    if not path.is_file():
        raise UsageError(
            f"{study.folder}: its images are not scenes of the embedded world, so nobody can be simulated. "
            "Add some: askew collect images STUDY --world 100"
        )
    about = json.loads(path.read_text(encoding="utf-8"))
    return WorldStudy(about["seed"], about["scenes"], about["size"])


def world_images(study: Study, round_id: int) -> dict[int, str]:
    """The images of a round: id to name."""
    with study.database.read() as tx:
        rows = tx.rows(sa.select(image.c.id, image.c.name).where(image.c.round_id == round_id))
    return {row.id: row.name for row in rows}
