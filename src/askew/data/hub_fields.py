"""What the columns of a record of a hub say: its usual names, its options, classes and conversation."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from askew.answers.choices import LETTERS
from askew.answers.image_places import number_marks
from askew.data.bad_records import mapping, short
from askew.data.jsonl import check_choices
from askew.errors import BadRecord

IDS = ("question_id", "questionId", "id", "ID", "index", "idx", "pid", "qid", "__key__")
QUESTIONS = ("question", "query", "text", "prompt", "problem")
ANSWERS = (
    "answers",
    "direct_answers",
    "answer",
    "label",
    "gt_answer",
    "correct_answer",
    "ground_truth",
    "multiple_choice_answer",
)
_CHOICES = ("choices", "options", "multiple_choices")
IMAGES = ("image", "img", "decoded_image", "image_path", "imagename")
SEVERAL_IMAGES = ("images", "image_list")
_IMAGE_PAIRS = (("left_image", "right_image"), ("first_image", "second_image"))
_NUMBERED = tuple(f"image_{number}" for number in range(20))
CONTEXTS = ("hint", "context")
_TAGS = (
    "category",
    "sub_category",
    "l2_category",
    "subject",
    "subfield",
    "topic",
    "task",
    "sub_task",
    "image_relation",
    "source",
    "split",
)
SUITES = {
    "cv-bench": {"type", "task", "source", "choices", "answer"},
    "scienceqa": {"choices", "hint", "grade", "subject", "lecture"},
    "vlms-are-biased": {"prompt", "ground_truth", "expected_bias", "topic"},
}
"""The columns of benchmarks that have a suite of their own."""
PEOPLE = ("human", "user")
_NAMED_IMAGE = re.compile(r"<img>(.*?)</img>")
"""An image in a text, as in Qwen-VL's first version."""


def tags_of(fields: Mapping[str, Any]) -> dict[str, str]:
    """The classes of a question that tables show; those of ScienceQA are not columns of it."""
    found = {name: text for name in _TAGS if (text := text_in(fields, name))}
    if "expected_bias" in fields:
        found["expected_bias"] = str(fields["expected_bias"])
    if fields.keys() >= SUITES["scienceqa"]:
        has_text, has_image = bool(text_in(fields, "hint")), bool(fields["image"])
        grade = re.sub(r"\D", "", str(fields["grade"]))
        found |= {"text": _yes(has_text), "image": _yes(has_image), "neither": _yes(not has_text and not has_image)}
        found["grades"] = "1-6" if grade and int(grade) <= 6 else "7-12"
    return found


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def named_value(fields: Mapping[str, Any], column: str | None, usual: Sequence[str], what: str) -> Any:
    """The value in the named column, or in the first column with a usual name."""
    name = column or next((name for name in usual if name in fields), "")
    if name not in fields:
        raise BadRecord(
            f"there is no column for the {what}; its columns are {', '.join(fields)}. Name it: {what}=COLUMN."
        )
    return fields[name]


def text_in(fields: Mapping[str, Any], name: str) -> str:
    """The text of a column; empty if there is none."""
    value = fields.get(name)
    return value.strip() if isinstance(value, str) else ""


def listed(value: object) -> list[Any]:
    """One value or several, as a list, which may be written as text; an empty one for nothing.

    >>> listed("a dog"), listed("['3/7', '0.43']"), listed(None)
    (['a dog'], ['3/7', '0.43'], [])
    """
    if value is None or value == "":
        return []
    if isinstance(value, str) and value.startswith("['") and value.endswith("']"):  # MMMU's open questions
        with suppress(ValueError, SyntaxError):
            return list(ast.literal_eval(value))
    return list(value) if isinstance(value, list) else [value]


def options_of(fields: Mapping[str, Any], asked: str = "") -> tuple[str, ...]:
    """The options of a record: a list, the text of a list, ``{"text": [...]}``, or columns A, B, ...

    The images in them are numbered after those in the question ``asked``.

    >>> options_of({"options": "['a cat', 'a dog']"}), options_of({"A": "x", "B": "y", "C": None}), options_of({})
    (('a cat', 'a dog'), ('x', 'y'), ())
    >>> options_of({"options": ["<image>", "<image>"]}, "Which is older than <image>?")
    ('<image 2>', '<image 3>')
    """
    value = next((fields[name] for name in _CHOICES if fields.get(name)), None)
    if isinstance(value, str):
        try:
            value = ast.literal_eval(value)
        except (ValueError, SyntaxError):
            raise BadRecord(f"the options are {short(value)}, which is not a list. Fix the record.") from None
    if isinstance(value, Mapping):
        value = value.get("text")
    if value is None:
        named = (fields.get(letter, fields.get(f"choice_{letter.lower()}")) for letter in LETTERS)
        value = [option for option in named if option not in (None, "")]
    options = tuple(number_marks([asked, *(str(option).strip() for option in value or ())])[1:])
    return check_choices(options) if options else ()


def image_cells(fields: Mapping[str, Any]) -> list[Any]:
    """The cells with the images of a record, in order: of a column, a list, two columns, or numbered columns.

    >>> image_cells({"image_2": "b", "image_1": "a", "image_3": None}), image_cells({"left_image": 1, "right_image": 2})
    (['a', 'b'], [1, 2])
    """
    first = next(([fields[name]] for name in IMAGES if fields.get(name)), [])
    lists: list[Any] = next((fields[name] for name in SEVERAL_IMAGES if fields.get(name)), [])
    pair = next((pair for pair in _IMAGE_PAIRS if all(map(fields.get, pair))), ())
    found = [fields[name] for name in (*pair, *_NUMBERED) if fields.get(name)]
    cells = [*first, *lists, *found]
    return cells[0] if len(cells) == 1 and isinstance(cells[0], list) else cells


def turns_of(turns: Sequence[object]) -> tuple[list[tuple[str, str]], list[Any]]:
    """Who says what in a conversation, with ``<image>`` for each image, and the images that are named in it.

    >>> turns_of([{"from": "user", "value": "Picture 1: <img>a.jpg</img> What is it?"}])
    ([('user', 'Picture 1: <image> What is it?')], ['a.jpg'])
    """
    said, images = [], []
    for turn in turns:
        fields = mapping(turn)
        role, content = fields.get("from", fields.get("role")), fields.get("value", fields.get("content"))
        parts = [_part(part) for part in (content if isinstance(content, list) else [content])]
        if not isinstance(role, str):
            raise _bad_turn()
        images += [image for _, named in parts for image in named]
        said.append((role, "\n".join(text for text, _ in parts if text)))
    return said, images


def _part(part: object) -> tuple[str, Sequence[Any]]:
    """The text of a turn, or of a part of it, and the images that it names."""
    if isinstance(part, str):
        return _NAMED_IMAGE.sub("<image>", part), _NAMED_IMAGE.findall(part)
    if isinstance(part, Mapping):
        if part.get("image") or part.get("type") == "image":
            return "<image>", [part["image"]] if part.get("image") else []
        if isinstance(part.get("text"), str):
            return part["text"], []
    raise _bad_turn()


def _bad_turn() -> BadRecord:
    return BadRecord(
        "a turn must be {from, value} (LLaVA) or {role, content} (Qwen-VL), and a part of it {type: text, text} or "
        "{type: image, image}. Fix the record."
    )
