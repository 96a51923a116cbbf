"""Export groups and runs as training data for the trainers people already use.

* ``llava``: LLaVA's JSON (image, conversations of human and gpt).
* ``sharegpt``: the same for LLaMA-Factory, with the ``dataset_info.json`` that it needs.
* ``messages``: JSON lines of chat messages with content parts, as TRL's and axolotl's vision trainers take them.
* ``dpo``: preference pairs in the same form, from a run: people's answer is chosen, the model's wrong one rejected.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import orjson

from askew.answers.choices import LETTERS, as_asked
from askew.answers.image_places import parts_of
from askew.answers.normalise import modal_answer
from askew.data.export import Exported, distinct_questions
from askew.errors import DataError, UsageError
from askew.files.read_write import write_joined
from askew.files.records import line, outcome_from
from askew.types import Group, Question

TrainingFormat: TypeAlias = Literal["llava", "sharegpt", "messages", "dpo"]
TRAINING_FORMATS: tuple[str, ...] = get_args(TrainingFormat)


@dataclass(frozen=True, slots=True)
class TrainingSample:
    """A question with the answer to learn, and for preference pairs the answer to avoid."""

    id: str
    prompt: str
    images: tuple[str, ...]
    """The full paths of its images."""
    answer: str
    rejected: str = ""


def supervised(groups: Iterable[Group]) -> Iterator[TrainingSample]:
    """Each distinct question that people answered, originals and variants, with their most frequent answer."""
    known = {one.id: one for group in groups for one in (group.original, *(v.question for v in group.variants))}
    for row in distinct_questions(Group(question.id, "", question) for question in known.values()):
        if row.question.answers:
            yield _sample(known[row.ids[0]])


def preferences(records: Iterable[Mapping[str, Any]], find: Callable[[str], Path | None]) -> Iterator[TrainingSample]:
    """Each distinct question of a run's samples that the model answered incorrectly; ``find`` finds image files."""
    seen = set()
    for record in records:
        outcome = outcome_from(record)
        questions = (outcome.group.original, *(variant.question for variant in outcome.group.variants))
        replies = (outcome.original, *outcome.variants)
        judged = (record["original"], *record["variants"])
        for question, reply, part in zip(questions, replies, judged, strict=True):
            if question.answers and reply.answer is not None and part.get("right") is False:
                sample = _sample(question, reply.answer, find)
                key = sample.prompt, sample.images, sample.rejected
                if sample.rejected.strip().lower() != sample.answer.strip().lower() and key not in seen:
                    seen.add(key)
                    yield sample


def _sample(question: Question, rejected: str = "", find: Callable[[str], Path | None] = Path) -> TrainingSample:
    asked, answer = as_asked(question), modal_answer(question.answers, str)
    letters = {choice: letter for letter, choice in zip(LETTERS, question.choices, strict=False)}
    files = [find(image.path) if image.path is not None else None for image in question.images]
    if None in files:
        raise DataError(f"question {question.id!r} has no image file. Give the folder of images (--images).")
    return TrainingSample(
        str(question.id),
        "\n".join(part for part in (asked.context, asked.text) if part),
        tuple(os.path.abspath(file) for file in files if file is not None),
        letters.get(answer, answer),
        letters.get(rejected, rejected),
    )


def export_training(
    samples: Iterable[TrainingSample],
    folder: str | Path,
    format: TrainingFormat,  # noqa: A002
    name: str = "askew",
    overwrite: bool = False,
) -> Exported:
    """Write samples for a trainer; other files are only replaced with ``overwrite``."""
    rows, folder = list(samples), Path(folder)
    if not rows:
        what = "question that was answered incorrectly" if format == "dpo" else "question with people's answers"
        raise DataError(f"There is nothing to learn from: not a single {what}.")
    path = folder / (f"{name}.json" if format in ("llava", "sharegpt") else f"{name}.jsonl")
    written = [path, *([folder / "dataset_info.json"] if format == "sharegpt" else [])]
    for file in () if overwrite else written:
        if file.exists():
            raise UsageError(f"{file}: there is such a file. Give another folder as --output, or add --overwrite.")
    make = {"llava": _llava, "sharegpt": _sharegpt, "messages": _messages, "dpo": _dpo}[format]
    if path.suffix == ".json":
        write_joined(path, [b"[\n", b",\n".join(orjson.dumps(make(row)) for row in rows), b"\n]\n"])
    else:
        write_joined(path, (line(make(row)) for row in rows))
    if format == "sharegpt":
        columns = {"messages": "conversations", "images": "images"}
        info = {name: {"file_name": path.name, "formatting": "sharegpt", "columns": columns}}
        write_joined(written[1], [orjson.dumps(info, option=orjson.OPT_INDENT_2), b"\n"])
    return Exported(len(rows), len(rows), tuple(written))


def _llava(sample: TrainingSample) -> dict[str, Any]:
    """A record of LLaVA's instruction data.

    >>> _llava(TrainingSample("7", "Is <image 2> like <image 1>?", ("a.jpg", "b.jpg"), "no"))["conversations"][0]
    {'from': 'human', 'value': 'Is <image> like <image>?'}
    """
    parts = parts_of(sample.prompt, len(sample.images))
    mark = "<image>\n" if isinstance(parts[0], int) else "<image>"
    asked = "".join(part if isinstance(part, str) else mark for part in parts)
    turns = [{"from": "human", "value": asked}, {"from": "gpt", "value": sample.answer}]
    images = _images(sample)
    image = {"image": images[0] if len(images) == 1 else images} if images else {}
    return {"id": sample.id, **image, "conversations": turns}


def _sharegpt(sample: TrainingSample) -> dict[str, Any]:
    return {"conversations": _llava(sample)["conversations"], "images": _images(sample)}


def _messages(sample: TrainingSample) -> dict[str, Any]:
    return {"messages": [*_prompt(sample), _reply(sample.answer)], "images": _images(sample)}


def _dpo(sample: TrainingSample) -> dict[str, Any]:
    answers = {"chosen": [_reply(sample.answer)], "rejected": [_reply(sample.rejected)]}
    return {"prompt": _prompt(sample), **answers, "images": _images(sample)}


def _images(sample: TrainingSample) -> Sequence[str]:
    """The images in the order in which the prompt places them."""
    return [sample.images[part] for part in parts_of(sample.prompt, len(sample.images)) if isinstance(part, int)]


def _prompt(sample: TrainingSample) -> list[dict[str, Any]]:
    """The question as the user's message; every part has the same fields, since a column has one type."""
    parts = parts_of(sample.prompt, len(sample.images))
    content = [{"type": "text" if isinstance(part, str) else "image", "text": _text(part)} for part in parts]
    return [{"role": "user", "content": content}]


def _text(part: str | int) -> str | None:
    return part if isinstance(part, str) else None


def _reply(answer: str) -> dict[str, Any]:
    return {"role": "assistant", "content": [{"type": "text", "text": answer}]}
