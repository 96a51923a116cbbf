"""The groups that an earlier, interrupted run built in its folder: a resumed run reads them instead of building them.

What cannot be read from the groups (refusals, and the record of the data) is kept in askew's cache folder, under the
hash of ``groups.jsonl``, with a key of everything that determines the groups. Groups are built again if anything in it
differs: the content of the data, the state of an image file of the questions that were read or of the variants, an
option, askew's code, a package or WordNet. They are always built again for data and suites whose content has no hash.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, is_dataclass
from hashlib import sha256
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from askew.data.groups import read_written
from askew.engine.build import Coverage, Prepared, WatchesGroups
from askew.engine.events import EVERY, Advanced, Stage, Started
from askew.engine.settings import Named, Settings
from askew.errors import AskewError
from askew.files.limits import read_object
from askew.files.paths import ImageFolders, cache_folder, folders_of, root_of
from askew.files.read_write import fingerprint, opened, package_digest, write_joined
from askew.language.wordnet import wordnet_folder
from askew.verbs import Dataset, DatasetFacts, Fingerprints, HoldsGroups

_PLAIN = re.compile(r"[\w+.,-]*")
"""An option that names no file in another folder, such as ``blur-3,crop``."""
_PATH = re.compile(rb'"path":"((?:[^"\\]|\\.)*)"')


def build_key(data: Named, suites: Sequence[Named], settings: Settings, versions: Mapping[str, str]) -> str | None:
    """A hash of everything that determines the groups and their record; None if some of it cannot be known."""
    what = data.what
    if isinstance(what, HoldsGroups) or not isinstance(what, Fingerprints) or not _is_ours(what):
        return None
    try:
        options = [_content(suite.what) for suite in suites]
    except _UnknownContent:
        return None
    root = root_of(what)
    told = [data.spec, data.name, data.signature, what.fingerprint(), root and str(Path(root).absolute()), options]
    asked = [settings.limit, settings.shard, settings.seed]
    return sha256(orjson.dumps([told, asked, package_digest(), dict(versions), _wordnet()])).hexdigest()


def remember_built(prepared: Prepared, data: Dataset, key: str) -> None:
    """Keep what a later run needs besides the groups; if it cannot be kept, they are built again."""
    with suppress(OSError, AskewError):
        kept = {
            "key": key,
            "images": _images(prepared.groups, data, prepared.data["questions"]),
            "data": prepared.data,
            "has_one_image": prepared.has_one_image,
            "refused": [[cover.refused, cover.examples] for cover in prepared.covers],
        }
        write_joined(_memory(prepared.groups), [orjson.dumps(kept)])


def built_before(folder: Path, data: Dataset, key: str) -> dict[str, Any] | None:
    """What was kept for the groups in this folder, if a build with this key would write the same."""
    path = folder / "groups.jsonl"
    with suppress(AskewError):
        if path.is_file() and _memory(path).is_file():
            kept = read_object(_memory(path), "")
            if kept.get("key") == key and kept["images"] == _images(path, data, kept["data"]["questions"]):
                return kept
    return None


def read_built(
    kept: Mapping[str, Any],
    data: Named,
    suites: Sequence[Named],
    folder: Path,
    settings: Settings,
    watchers: Sequence[WatchesGroups],
) -> Stage[Prepared]:
    """What ``build_groups`` would return, from the groups in the folder; every watcher sees each of them."""
    path = folder / "groups.jsonl"
    folders = ImageFolders(str(folder), root_of(data.what), folders_of(str(path)))
    covers = {suite.what.name: Coverage(suite.what, keep_texts=not settings.no_audit) for suite in suites}
    for cover, (refused, examples) in zip(covers.values(), kept["refused"], strict=True):
        cover.refused, cover.examples = {test: Counter(reasons) for test, reasons in refused.items()}, examples
    done = 0
    yield Started("Reading groups", "groups")
    for done, (group, _) in enumerate(read_written(str(path), folders.folders), start=1):
        covers[group.suite].count(group)
        for watcher in watchers:
            watcher.add(group)
        if done % EVERY == 0:
            yield Advanced(done)
    yield Advanced(done)
    for watcher in watchers:
        watcher.check()
    rule = DatasetFacts(data.what).extract
    return Prepared(path, suites, kept["data"], [*covers.values()], kept["has_one_image"], folders, rule=rule)


class _UnknownContent(Exception):
    pass


def _is_ours(component: object) -> bool:
    return type(component).__module__.startswith("askew.")


def _content(component: object) -> list[Any]:
    """The class and the options of a component of askew's own whose options are plain values."""
    if not is_dataclass(component) or not _is_ours(component):
        raise _UnknownContent
    options = {part.name: _option(getattr(component, part.name)) for part in fields(component) if part.compare}
    return [type(component).__qualname__, options]


def _option(value: object) -> Any:
    if isinstance(value, (list, tuple)):
        return [_option(part) for part in value]
    if isinstance(value, str) and not (_PLAIN.fullmatch(value) and not (value and Path(value).exists())):
        raise _UnknownContent
    return value if isinstance(value, (str, int, float, type(None))) else _content(value)


def _wordnet() -> list[Any]:
    """The WordNet database of this machine, which its user may replace."""
    with suppress(AskewError):  # a build that needs it says what is missing
        return [wordnet_folder(), [_state(file) for file in sorted(Path(wordnet_folder()).iterdir())]]
    return []


def _images(path: Path, data: Dataset, read: int) -> str:
    """A hash of the state of each image file that the groups name, and of those of all questions that were read.

    A question that was refused because of its image is not in the groups.
    """
    folders, named = folders_of(str(path)), set[bytes]()
    with opened(str(path)) as lines:
        for line in lines:
            named.update(_PATH.findall(line))
    files = {image.path for question in islice(data.questions(), read) for image in question.images if image.path}
    for name in named:
        folder, _, file = str(orjson.loads(b'"' + name + b'"')).rpartition("/")
        files.add(str(Path(folders.get(folder, path.parent / folder), file)))
    digest = sha256()
    for found in sorted(files):
        digest.update(repr((found, _state(Path(found)))).encode())
    return digest.hexdigest()


def _state(path: Path) -> list[int] | None:
    with suppress(OSError, ValueError):  # a name with a null character
        state = path.stat()
        return [state.st_size, state.st_mtime_ns, state.st_ctime_ns]  # copies keep the first two
    return None


def _memory(path: Path) -> Path:
    return cache_folder() / "built-groups" / f"{fingerprint(str(path))}.json"
