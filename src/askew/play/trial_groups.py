"""Trials as files of groups, which ``askew run --data FILE`` evaluates: failures found by hand, or all of a trial."""

from __future__ import annotations

import io
import threading
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile

from askew.data.groups import read_groups, write_groups
from askew.errors import UsageError
from askew.files.images import image_bytes
from askew.files.paths import with_images
from askew.play.playground import Trial, TriedVariant
from askew.types import Group, Id, ImageRef


@dataclass
class FailuresFile:
    """The file that failures are saved to. It is read again before each change and rewritten whole. Images that have no
    file of their own are saved next to it.
    """

    path: Path
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def add(self, trial: Trial, spec: str, tried: TriedVariant) -> int:
        """Add a variant to the group of its question; returns how many groups the file has.

        A failure is refused if its expected answer is only the model's own: nobody has confirmed that it is correct.
        """
        _check_known(trial)
        suite = spec.partition(":")[0]
        with self._lock:
            groups = list(read_groups(str(self.path))) if self.path.is_file() else []
            made = Group(tried.original.id, suite, tried.original, (tried.variant,))
            for at, group in enumerate(groups):
                if (group.id, group.suite) == (made.id, made.suite):
                    kept = [one for one in group.variants if one.question.id != tried.variant.question.id]
                    groups[at] = replace(group, variants=(*kept, tried.variant))
                    break
            else:
                groups.append(made)
            self.path.parent.mkdir(parents=True, exist_ok=True)
            write_groups(groups, str(self.path))
        return len(groups)


def zipped(trial: Trial) -> bytes:
    """A question with all its variants: a ZIP file of ``groups.jsonl`` and the images, for use on any machine."""
    _check_known(trial)
    found: dict[tuple[Id, str], Group] = {}
    for suite in trial.suites:
        name = suite.spec.partition(":")[0]
        for tried in suite.variants:
            key = tried.original.id, name
            group = found.get(key) or Group(*key, tried.original, ())
            found[key] = replace(group, variants=(*group.variants, tried.variant))
    content = io.BytesIO()
    with TemporaryDirectory(prefix="askew-") as scratch, ZipFile(content, "w", ZIP_DEFLATED) as archive:
        folder = Path(scratch)
        write_groups([with_images(group, _copied) for group in found.values()], str(folder / "groups.jsonl"))
        for file in sorted(one for one in folder.rglob("*") if one.is_file()):
            archive.write(file, file.relative_to(folder))
    return content.getvalue()


def _copied(image: ImageRef) -> ImageRef:
    """The image with its content in place of its path, so that it is written beside the groups."""
    return replace(image, path=None, data=image_bytes(image))


def _check_known(trial: Trial) -> None:
    if trial.source == "model":
        raise UsageError("Type the answer that you expect and ask again: what is saved must say what is correct.")
