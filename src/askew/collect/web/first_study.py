"""Create a study with an open round: images of the embedded world, and askew's reference models as robots."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from askew.collect.protocol import settings_of
from askew.collect.rounds import add_model, create_round, free_name, start_round
from askew.collect.study import FILE, Study, create_study, open_study
from askew.engine.settings import check_whole
from askew.errors import DataError, UsageError, need_extras
from askew.registry import make

ROBOTS = ("bundled:xnm", "bundled:xnm-q3r", "bundled:cnn-lstm")
"""The ensemble of a study for which no models are given: the reference models that use the image."""
SCENES = 60
SIZE = 448
"""Pixels per side, large enough for big screens."""


@dataclass(frozen=True)
class NewStudy:
    """A study's folder, and how to create the study if there is none; None: not given."""

    folder: Path
    database: str | None = None
    models: Sequence[str] | None = None
    preset: str | None = None
    scenes: int | None = None
    identity: str | None = None
    changes: Mapping[str, str] = field(default_factory=dict)
    """Settings that differ from the preset's."""
    gold: int = 0
    """Gold questions of the embedded world."""
    set_up: bool = False
    """Create an empty study, which its owner sets up in the browser; a study that is there is opened."""

    @property
    def exists(self) -> bool:
        """Whether the folder has a study."""
        return (self.folder / FILE).exists()


def open_or_create(new: NewStudy) -> Study:
    """The study in the folder; a new one if there is none."""
    if not new.exists:
        return create(new)
    options: dict[str, object] = {"--database": new.database, "--model": new.models, "--preset": new.preset}
    options |= {"--scenes": new.scenes, "--identity": new.identity}
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise UsageError(
            f"{new.folder}: there is already a study here, and {given[0]} is only for a new one. Omit it, or give "
            "another folder."
        )
    return open_study(new.folder)


def create(new: NewStudy) -> Study:
    """Create a study with an open round; nothing is left behind if that fails."""
    if new.folder.exists() and (not new.folder.is_dir() or any(new.folder.iterdir())):
        raise DataError(f"{new.folder}: the folder is not empty. Give a new one.")
    if new.set_up and (new.models is not None or new.scenes is not None):
        raise UsageError("With --set-up the owner chooses models and images in the browser: omit --model and --scenes.")
    specs = [] if new.set_up else list(new.models or ROBOTS)
    if new.models is None and not new.set_up:
        need_extras("Without --model a study uses askew's reference models, and", "bundled")
    for spec in specs:
        make("model", spec)  # reports a wrong name or option before anything is created
    named = {} if new.identity is None else {"identity": new.identity}
    settings = settings_of(new.preset or "paper", {**new.changes, **named})
    scenes = SCENES if new.scenes is None else new.scenes
    check_whole("scenes", scenes, 1)
    try:
        study = create_study(new.folder, settings, new.folder.name, new.database)
        if not new.set_up:
            _fill(study, specs, scenes, new.gold)
    except BaseException:
        shutil.rmtree(new.folder, ignore_errors=True)
        raise
    return study


def _fill(study: Study, specs: Sequence[str], scenes: int, gold: int) -> None:
    # imported only for a new study: it would slow down every other start
    from askew.collect.simulation.world_content import add_world_gold, add_world_quiz, import_world

    with study.database.write() as tx:
        models = [add_model(tx, free_name(tx, spec), spec) for spec in specs]
        round_id = create_round(tx, models)
    import_world(study, round_id, range(scenes), size=SIZE)
    if study.settings.quiz_required:
        add_world_quiz(study, 2 * study.settings.quiz_items)
    if gold:
        add_world_gold(study, gold)
    with study.database.write() as tx:
        start_round(tx, round_id)
