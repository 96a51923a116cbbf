"""Audit data of any kind, groups or plain questions: what the text gives away, and labels for people to judge."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from askew.audit.label_sample import SampledLabel, csv_lines, sampled_labels, service_record
from askew.audit.labelled_texts import MOST_TEXTS, texts_of_groups, texts_of_questions
from askew.audit.text_audit import TextAudit, audited, tasks_of
from askew.engine.settings import Named, Settings, progress_bar, ticking
from askew.errors import DataError, UsageError, plural
from askew.files.paths import ImageFolders
from askew.files.read_write import write_joined
from askew.files.records import line, stored_image
from askew.types import Group, Question
from askew.verbs import HoldsGroups


def audit_data(data: Named, settings: Settings, most: int = MOST_TEXTS) -> TextAudit:
    """Measure what the text alone gives away, with a progress bar; at most ``most`` questions of each test are used."""
    with progress_bar(settings, desc="Reading questions", unit=" questions") as bar:
        if isinstance(data.what, HoldsGroups):
            tests = texts_of_groups(ticking(bar, data.what.groups()), settings.seed, most)
        else:
            tests = texts_of_questions(ticking(bar, data.what.questions()), settings.seed, most)
    with progress_bar(settings, desc="Learning from text", unit=" tests", total=tasks_of(tests)) as bar:
        return audited(tests, settings.seed, bar.update)


def members_of(data: Named) -> Iterable[Group | Question]:
    """The groups of the data, or its questions."""
    return data.what.groups() if isinstance(data.what, HoldsGroups) else data.what.questions()


def write_sample(data: Named, folder: Path, size: int, settings: Settings) -> list[str]:
    """Write ``sample.csv`` for people, and ``sample.jsonl`` for the collection service; returns what was written."""
    table, for_service = folder / "sample.csv", folder / "sample.jsonl"
    if table.exists():
        raise UsageError(f"{table}: the file already exists. It may hold judgements; give another --output.")
    with progress_bar(settings, desc="Reading questions", unit=" questions") as bar:
        sample = sampled_labels(ticking(bar, members_of(data)), size, settings.seed)
    if not sample:
        raise DataError(f"{data.spec}: there is no question with an answer.")
    folder.mkdir(parents=True, exist_ok=True)
    images = [_image_file(one, folder) for one in sample]
    write_joined(table, csv_lines(sample, images))
    with_image = [(one, image) for one, image in zip(sample, images, strict=True) if image]
    said = [f"{table}: {plural(len(sample), 'question')} to judge: right, wrong or unclear"]
    if with_image:
        write_joined(for_service, (line(service_record(one, image)) for one, image in with_image))
        said.append(f"{for_service}: {len(with_image):,} for askew collect gold STUDY --add")
    if len(with_image) < len(sample):
        said.append(
            f"{plural(len(sample) - len(with_image), 'question has', 'questions have')} no image file, "
            "which the service needs"
        )
    return said


def _image_file(one: SampledLabel, folder: Path) -> str:
    """The path of a question's image relative to the folder; images generated on the fly are written into it."""
    image = one.question.image
    if image is None or one.question.more_images or (image.path is None and image.data is None):
        return ""
    if image.data is not None:
        return stored_image(str(folder), image, ImageFolders(str(folder))).path or ""
    return os.path.relpath(image.path or "", folder)
