"""A release: the folder that is published, and its datasheet.

The files that have a line or an entry for each question are written together, one question at a time.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import IO, Any

import orjson
import sqlalchemy as sa

import askew
from askew.answers.normalise import answer_type, modal_answer, normalise
from askew.collect.database import AnyRow, Tx
from askew.collect.form_fields import fields_of
from askew.collect.history import Record, encoded, history, published, withheld_questions
from askew.collect.moderation import deleted_after_release
from askew.collect.protocol import StudySettings, differences
from askew.collect.rounds import CLOSED, move_round
from askew.collect.schema import annotator, image, model, round_, snapshot
from askew.collect.schema import study as study_table
from askew.collect.schema_parts import SPLITS
from askew.collect.schema_quality import gold_result
from askew.collect.study import Study
from askew.data.write_questions import line
from askew.errors import DataError, UsageError
from askew.files.paths import public_word
from askew.files.read_write import alone_in, csv_line, file_sha256, replaced, write_joined
from askew.files.records import question_record
from askew.types import ImageRef, Kind, Question
from askew.world.phrasing import question_type

RELEASE_FORMAT = 2
MANIFEST = "release.json"
COLUMNS = (
    *("id", "round", "image", "domain", "split", "type", "author", "try", "question", "robot_model", "robot_answer"),
    *("verdict", "correct_answer", "seconds", "verifications", "text_rule_removed"),
    *(f"author_{one.name}" for one in fields_of("judgement")),
)
"""The columns of examples.csv."""


def release(study: Study, folder: Path, version: str = "1.0.0") -> dict[str, Any]:
    """Write the release of every frozen round to a new or empty folder; returns its manifest."""
    if folder.exists() and any(folder.iterdir()):
        raise DataError(f"{folder}: the folder is not empty. Give a new one.")
    with alone_in(folder), study.database.read() as tx:
        rounds = tx.rows(sa.select(round_).where(round_.c.state.in_(CLOSED)).order_by(round_.c.number))
        if not rounds:
            raise UsageError("No round is frozen yet. Freeze one: askew collect freeze STUDY --round 1")
        same = tx.first(sa.select(snapshot.c.id).where(snapshot.c.version == version))
        if same is not None and (gone := deleted_after_release(tx, unpatched=True)):
            raise UsageError(
                f"Version {version} was exported with {len(gone)} questions that were deleted since. Give the patch a "
                "new version, e.g. --version 1.0.1"
            )
        manifest = _write_release(tx, study, folder, rounds, version)
    _mark_released(study, rounds, version, folder, manifest["removed"])
    return manifest


def _write_release(tx: Tx, study: Study, folder: Path, rounds: Sequence[AnyRow], version: str) -> dict[str, Any]:
    keys = [row.id for row in rounds]
    rows = {row.id: row for row in tx.rows(sa.select(image).where(image.c.round_id.in_(keys)))}
    settings, counts = tx.settings, ReleaseCounts()
    with release_files(study, folder, settings, rows) as files:
        withheld = withheld_questions(tx, keys)
        for record in history(tx, keys):
            counts.add(record, record["id"] in withheld)
            if (shown := published(record, withheld)) is not None:
                files.add(shown)
    facts = _facts(tx, rounds, counts)
    name = tx.value(sa.select(study_table.c.name))
    sheet = datasheet(name, version, facts, settings)
    write_joined(folder / "datasheet.md", [sheet.encode()])
    manifest = {
        "askew_release": RELEASE_FORMAT,
        "name": name,
        "version": version,
        "askew": askew.__version__,
        **facts,
        "settings": asdict(settings),
        "removed": deleted_after_release(tx),
        "files": _hashes(folder, files.images),
    }
    text = orjson.dumps(manifest, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)
    write_joined(folder / MANIFEST, [text, b"\n"])
    return manifest


def _hashes(folder: Path, images: Mapping[str, str]) -> dict[str, str]:
    """The hash of every file; those of images are known already."""
    names = (path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file())
    return {name: images.get(name) or file_sha256(str(folder / name)) for name in names}


def _mark_released(study: Study, rounds: Sequence[AnyRow], version: str, folder: Path, removed: Sequence[int]) -> None:
    """Mark frozen rounds as released, and store the hash of the manifest."""
    digest = hashlib.sha256((folder / MANIFEST).read_bytes()).hexdigest()
    with study.database.write() as tx:
        for row in rounds:
            if row.state == "FROZEN":
                move_round(tx, row.id, "FROZEN", "RELEASED", None)
        if tx.first(sa.select(snapshot.c.id).where(snapshot.c.version == version)) is None:
            numbers = json.dumps([row.number for row in rounds])
            gone = json.dumps(list(removed))
            tx.insert(snapshot, version=version, rounds=numbers, manifest_sha256=digest, removed=gone, at=tx.now)


def questions_to_ask(folder: Path) -> Path | None:
    """The data for ``askew run``: the release, or a split if it has no test questions; None if it has no questions."""
    filled = [split for split in ("test", "dev", "train") if (folder / f"{split}.jsonl").stat().st_size]
    if not filled:
        return None
    return folder if filled[0] == "test" else folder / f"{filled[0]}.jsonl"


class ReleaseCounts:
    """The counts of each round for the manifest and the datasheet, taken while questions are written."""

    def __init__(self) -> None:
        self.types: Counter[tuple[int, str]] = Counter()
        self.splits: Counter[tuple[int, str]] = Counter()
        self.authors: Counter[tuple[int, str]] = Counter()
        """Train questions by round and author."""
        self.over_cap: Counter[int] = Counter()
        self.withheld: Counter[int] = Counter()
        """Questions that no file contains."""
        self.deleted: Counter[int] = Counter()
        """Of these, questions that were deleted after the freeze."""
        self.people: set[str] = set()

    def add(self, record: Record, withheld: bool) -> None:
        """Count a question; one that is withheld is only a number, of type U."""
        number = record["round"]
        self.authors[number, record["author"]] += record["split"] == "train"
        self.over_cap[number] += _is_over_cap(record)
        self.types[number, "U" if withheld else record["type"]] += 1
        if withheld:
            self.withheld[number] += 1
            self.deleted[number] += record["type"] != "U"
            return
        if record["split"]:
            self.splits[number, record["split"]] += 1
        self.people.add(record["author"])
        self.people.update(one["annotator"] for one in record["verifications"] if not one["excluded"])


def _is_over_cap(record: Record) -> bool:
    """Whether a question was left out of train because its author had too large a share of it."""
    return record["image_split"] == "train" and record["split"] is None and record["type"] in "ACE"


def _facts(tx: Tx, rounds: Sequence[AnyRow], counts: ReleaseCounts) -> dict[str, Any]:
    """Counts and hashes of each round, for the manifest and the datasheet."""
    images = dict(
        tuple(row) for row in tx.rows(sa.select(image.c.round_id, sa.func.count()).group_by(image.c.round_id))
    )
    models = [
        {"name": row.name, "spec": public_word(row.spec)} for row in tx.rows(sa.select(model).order_by(model.c.id))
    ]
    simulated = {row.pseudonym for row in tx.rows(sa.select(annotator.c.pseudonym).where(annotator.c.simulated))}
    return {
        "people": len(counts.people),
        "simulated": len(counts.people & simulated),
        "gold": int(tx.value(sa.select(sa.func.count()).select_from(gold_result))),
        "models": models,
        "rounds": [
            {
                "round": row.number,
                "images": images.get(row.id, 0),
                "seed": row.freeze_seed,
                "snapshot": row.snapshot,
                "types": {kind: counts.types[row.number, kind] for kind in "ABCDEU"},
                "withheld": counts.withheld[row.number],
                "deleted": counts.deleted[row.number],
                "splits": {split: counts.splits[row.number, split] for split in SPLITS},
                "train_over_cap": counts.over_cap[row.number],
                "train_largest_author_percent": _largest_percent(counts.authors, row.number),
            }
            for row in rounds
        ],
    }


def _largest_percent(authors: Counter[tuple[int, str]], number: int) -> float:
    """The largest share of a round's train questions that one author wrote, as of the freeze."""
    counts = [count for (round_number, _), count in authors.items() if round_number == number]
    return round(100 * max(counts, default=0) / (sum(counts) or 1), 3)


@dataclass
class ReleaseFiles:
    """History, examples.csv, and the files of each split; ``images`` has the hashes of copied images."""

    study: Study
    folder: Path
    settings: StudySettings
    rows: Mapping[int, AnyRow]
    """Image id to its row."""
    history: IO[bytes]
    examples: IO[bytes]
    splits: Mapping[str, SplitFiles]
    images: dict[str, str] = field(default_factory=dict)
    """Path in the release to SHA-256."""

    def add(self, record: Record) -> None:
        """Write what happened to one question, and the question itself if it is released."""
        self.history.write(encoded(record))
        self.examples.write(_csv_line(record))
        if record["split"] is not None:
            row = self.rows[record["image"]]
            self._copy_image(row)
            self.splits[record["split"]].add(released_question(record, row, self.settings), record["type"])

    def _copy_image(self, row: AnyRow) -> None:
        place = _image_path(row)
        if place in self.images:
            return
        source = self.study.image_path(row.sha256, row.suffix)
        content = source.read_bytes()
        self.images[place] = hashlib.sha256(content).hexdigest()
        if self.images[place] != row.sha256:
            raise DataError(
                f"{source}: the file of image {row.id} ({row.name!r}) is not the one that people saw: its hash "
                "differs. Restore it from a backup, then export again."
            )
        (self.folder / place).write_bytes(content)


@contextmanager
def release_files(
    study: Study, folder: Path, settings: StudySettings, rows: Mapping[int, AnyRow]
) -> Iterator[ReleaseFiles]:
    """All files, open for writing; they appear when everything has been written."""
    (folder / "images").mkdir(parents=True, exist_ok=True)
    with ExitStack() as stack:
        history, examples = (stack.enter_context(replaced(folder / name)) for name in ("history.jsonl", "examples.csv"))
        splits = {split: stack.enter_context(_split_files(folder, split)) for split in SPLITS}
        examples.write(csv_line(COLUMNS))
        yield ReleaseFiles(study, folder, settings, rows, history, examples, splits)


def _csv_line(record: Record) -> bytes:
    """One line for each question; no cell is run as a formula by a spreadsheet."""
    robot, judged = record["robot"] or {}, record["judgement"] or {}
    answers = "; ".join(
        f"{one['answer']} ({', '.join(str(one[field.name]) for field in fields_of('verification'))})"
        for one in record["verifications"]
        if one["slot"]
    )
    cells = {
        **record,
        "robot_model": robot.get("model"),
        "robot_answer": robot.get("answer"),
        "verdict": judged.get("verdict"),
        "correct_answer": judged.get("answer"),
        "seconds": judged.get("seconds"),
        "verifications": answers,
        **{f"author_{one.name}": judged.get(one.name) for one in fields_of("judgement")},
    }
    return csv_line([cells[name] for name in COLUMNS])


@dataclass
class SplitFiles:
    """The questions of a split: as JSONL, and as the VQA v2 pair of files."""

    lines: IO[bytes]
    questions: IO[bytes]
    annotations: IO[bytes]
    count: int = 0

    def add(self, question: Question, kind: str) -> None:
        """Write a question; its annotation says whether people verified it, and its type.

        Type A was never verified: the VQA files repeat the robot's answer for everybody, JSONL has it once.
        """
        assert question.image is not None
        comma = b"," if self.count else b""
        self.count += 1
        record = question_record(question)
        if kind == "A":
            record |= {"answers": question.answers[:1], "confidences": question.confidences[:1]}
        self.lines.write(line(record))
        asked = {"question_id": question.id, "image_id": question.image.id, "question": question.text}
        self.questions.write(comma + orjson.dumps(asked))
        self.annotations.write(comma + orjson.dumps(_annotation(question, kind)))


@contextmanager
def _split_files(folder: Path, split: str) -> Iterator[SplitFiles]:
    about = {"info": {"description": "collected with askew"}, "data_type": "askew", "data_subtype": split}
    start = orjson.dumps(about)[:-1]
    with ExitStack() as stack:
        lines = stack.enter_context(replaced(folder / f"{split}.jsonl"))
        asked, answered = (
            stack.enter_context(replaced(folder / "vqa" / f"{split}_{name}.json"))
            for name in ("questions", "annotations")
        )
        asked.write(start + b',"questions":[')
        answered.write(start + b',"annotations":[')
        yield SplitFiles(lines, asked, answered)
        asked.write(b"]}\n")
        answered.write(b"]}\n")


def _annotation(question: Question, kind: str) -> dict[str, Any]:
    assert question.image is not None
    pairs = zip(question.answers, question.confidences, strict=True)
    return {
        "question_id": question.id,
        "image_id": question.image.id,
        "question_type": question.kind.question_type,
        "answer_type": question.kind.answer_type,
        "multiple_choice_answer": modal_answer(question.answers, str),
        "answers": [
            {"answer": answer, "answer_confidence": sure, "answer_id": place}
            for place, (answer, sure) in enumerate(pairs, 1)
        ],
        "verified": kind != "A",
        "type": kind,
        **dict(question.tags),
    }


def released_question(record: Record, row: AnyRow, settings: StudySettings) -> Question:
    """A question of a split: its author's and its verifiers' answers, or for type A the robot's.

    Type A was never verified: the robot's answer is given for everybody, with the confidence ``maybe``.
    """
    if record["type"] == "A":
        answers = [record["robot"]["answer"]] * (settings.verifiers_per_question + 1)
        sure = ["maybe"] * len(answers)
    else:
        counted = sorted((one for one in record["verifications"] if one["slot"]), key=lambda one: one["slot"])
        answers = [record["judgement"]["answer"], *(one["answer"] for one in counted)]
        sure = [record["judgement"]["confidence"] or "yes", *(one["confidence"] for one in counted)]
    tags = (("domain", record["domain"]), ("round", str(record["round"])))
    return Question(
        record["id"],
        ImageRef(row.id, _image_path(row), None, row.sha256, (row.width, row.height)),
        record["question"],
        tuple(answers),
        Kind(answer_type(modal_answer(answers, normalise)) or "other", question_type(record["question"])),
        confidences=tuple(sure),
        tags=tuple(pair for pair in tags if pair[1]),
    )


def _image_path(row: AnyRow) -> str:
    return f"images/{row.id}{row.suffix}"


_TYPES = {
    "A": "the author judged the robot's answer correct; in train only, labelled with that answer, unverified",
    "B": "the author was not sure; left out",
    "C": "verifiers gave the robot's answer and so overruled the author; in train only",
    "D": "no two verifiers agree; left out",
    "E": "the robot was wrong and at least two verifiers agree; in the split of its image",
    "U": "unjudged, withdrawn, unfinished, removed, or by an excluded author; left out",
}


_WITHHELD = "They were withdrawn, removed or deleted, or are by excluded people."


def datasheet(name: str, version: str, facts: Mapping[str, Any], settings: StudySettings) -> str:
    """The datasheet as Markdown."""
    lines = [
        f"# {name} {version}",
        "",
        "Questions that people wrote to fool models, with the answers of others who verified them, collected by the",
        "protocol of Adversarial VQA (Li et al. 2021) with askew.",
        "",
        f"- {facts['people'] - facts['simulated']} people took part; they appear under pseudonyms.",
        *(
            [f"- {facts['simulated']} more were simulated by a program, and are not people: `simulated-...`."]
            if facts["simulated"]
            else []
        ),
        f"- Preset `{settings.preset}`: {settings.writers_per_image} writers per image, "
        f"{settings.verifiers_per_question} verifiers per question, at most {settings.max_tries} tries.",
        "- Models: " + ", ".join("{name} (`{spec}`)".format(**one) for one in facts["models"]) + ".",
        "- `test.jsonl`, `dev.jsonl` and `train.jsonl` are read by askew; `vqa/` has the same as VQA v2 files, where",
        "  `verified` is false for answers that no person verified. `history.jsonl` has everything that happened.",
        "",
        "| round | images | A | B | C | D | E | U | train | dev | test | verified / total | E / total |",
        "| ---: |" + " ---: |" * 12,
    ]
    lines += [_round_row(one) for one in facts["rounds"]]
    lines += [""]
    for one in facts["rounds"]:
        lines += [_cap_line(one, settings)] if settings.train_author_percent < 100 else []
        lines += (
            [f"- Round {one['round']}: {one['withheld']} of U are in no file. {_WITHHELD}"] if one["withheld"] else []
        )
    lines += ["", "## Types", ""]
    lines += [f"- {kind}: {meaning}." for kind, meaning in _TYPES.items()]
    changed = [f"- {key}: {ours} (paper: {theirs})" for key, (theirs, ours) in differences(settings).items()]
    if facts["gold"]:
        changed.append(f"- gold questions: {facts['gold']} were shown (paper: none)")
    lines += ["", "## What differs from the paper", "", *(changed or ["- nothing in the settings"])]
    lines += ["", "## All settings", ""]
    lines += [f"- {key}: {value}" for key, value in asdict(settings).items()]
    return "\n".join(lines) + "\n"


def _round_row(one: Mapping[str, Any]) -> str:
    types, splits = one["types"], one["splits"]
    total = sum(types[kind] for kind in "ABCDE")
    verified = sum(types[kind] for kind in "CDE")
    shares = [f"{100 * count / total:.1f} %" if total else "—" for count in (verified, types["E"])]
    cells = [one["round"], one["images"], *types.values(), *splits.values(), *shares]
    return "| " + " | ".join(map(str, cells)) + " |"


def _cap_line(one: Mapping[str, Any], settings: StudySettings) -> str:
    """The effect of the cap on an author's share of train in a round."""
    cap, largest = settings.train_author_percent, one["train_largest_author_percent"]
    if largest > cap:
        why = "too few people wrote to meet it, and it was not applied"
        return f"- Round {one['round']}: one author wrote {largest:.1f} % of train. The cap is {cap} %; {why}."
    out = f"{one['train_over_cap']} questions were left out of train by the cap of {cap} %"
    return f"- Round {one['round']}: no author wrote more than {largest:.1f} % of train; {out}."
