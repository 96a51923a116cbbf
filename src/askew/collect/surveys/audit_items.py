"""Audits by people: sampled variants beside their originals, with made-up ones whose judgement is known as gold.

Judges say whether a changed question is grammatical, whether it asks the same as the original (if the change should
keep the answer), and whether its label is right. Gold is made from the same data: a question with its words in a
random order is not grammatical, one about something else does not ask the same, and an unchanged one does. Nothing
tells it from the others, except that it is as bad, or as good, as it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from askew.answers.normalise import tokens
from askew.audit.label_sample import SampledLabel
from askew.collect.image_import import cleaned_ref, write_image
from askew.collect.study import Study
from askew.collect.surveys.create import ItemDraft
from askew.collect.surveys.items import Item
from askew.collect.surveys.results import SurveyItem
from askew.errors import DataError
from askew.files.images import content_hash, only_image
from askew.files.read_write import csv_line
from askew.types import Expect, ImageRef, Question

LEAST_WORDS = 6
"""Shorter questions may stay grammatical when their words are shuffled."""
COLUMNS = ("id", "test", "question", "answer", "right", "wrong", "unclear")
MORE = ("grammatical", "ungrammatical", "same", "different")


def audit_drafts(study: Study, sample: Iterable[SampledLabel], gold: int, seed: int) -> list[ItemDraft]:
    """The items of an audit, with at most ``gold`` made-up ones; changed images are shown with the original one."""
    drafts = []
    for number, one in enumerate(sample, 1):
        image = _image(one)
        before = None
        source = one.original.image if one.original is not None else None
        if source is not None and content_hash(source) != content_hash(image):
            before = write_image(study, cleaned_ref(source))
        drafts.append(ItemDraft(image, _item(one, before), pair=number))
    return [*drafts, *_controls(drafts, gold, Random(f"{seed}:controls"))]


def _image(one: SampledLabel) -> ImageRef:
    image = only_image(one.question) or (only_image(one.original) if one.original is not None else None)
    if image is None:
        raise DataError(f"Question {one.question.id!r} has no image, so people cannot judge it. Leave it out.")
    return image


def _item(one: SampledLabel, before: tuple[str, str] | None) -> Item:
    """What judges see of a variant; whether it asks the same is asked only if its text and nothing else should."""
    original = one.original.text if one.original is not None else ""
    changed = bool(original) and original.strip() != one.question.text.strip()
    keeps = one.expect in (Expect.SAME, Expect.NOISE)
    asks = (*(("grammatical",) if changed else ()), *(("meaning",) if changed and keeps else ()), "label")
    question: Question = one.question
    shown = (question.text, question.context, tuple(question.choices), asks, original, one.answer)
    return Item(*shown, key=str(question.id), test=one.test, before=before)


def _controls(drafts: Sequence[ItemDraft], wanted: int, rng: Random) -> Iterator[ItemDraft]:
    """Made-up items: one kind after the other, each from an item of its own."""
    usable = [draft for draft in drafts if "grammatical" in draft.item.asks]
    rng.shuffle(usable)
    made = 0
    for place, draft in enumerate(usable):
        if made >= wanted:
            return
        make = (_shuffled, _foreign, _unchanged)[made % 3]
        control = make(draft, usable[place - 1], rng) or _shuffled(draft, draft, rng)
        if control is not None:
            made += 1
            yield control


def _shuffled(draft: ItemDraft, _: ItemDraft, rng: Random) -> ItemDraft | None:
    """The words in a random order: not grammatical."""
    words = draft.item.question.rstrip("?. ").split()
    mixed = sorted(words, key=lambda _: rng.random())
    if len(words) < LEAST_WORDS or sum(one == other for one, other in zip(words, mixed, strict=True)) > len(words) // 3:
        return None
    return _control(draft, " ".join(mixed).capitalize() + "?", {"grammatical": ["no"]})


def _foreign(draft: ItemDraft, other: ItemDraft, _: Random) -> ItemDraft | None:
    """A question about something else: it does not ask the same."""
    mine, others = set(tokens(draft.item.original)), set(tokens(other.item.original))
    if "meaning" not in draft.item.asks or not others or 2 * len(mine & others) > len(others):
        return None
    return _control(draft, other.item.original, {"meaning": ["no"]})


def _unchanged(draft: ItemDraft, _: ItemDraft, __: Random) -> ItemDraft | None:
    """The original itself: it asks the same."""
    return _control(draft, draft.item.original, {"meaning": ["yes"]}) if "meaning" in draft.item.asks else None


def _control(draft: ItemDraft, text: str, gold: dict[str, list[str]]) -> ItemDraft:
    item = Item(**{**vars(draft.item), "question": text, "key": ""})
    return ItemDraft(draft.image, item, gold=gold)


def judged_lines(items: Sequence[SurveyItem]) -> list[bytes]:
    """The file that ``askew audit --judged`` reads: how many people said what about each variant."""
    lines = [csv_line((*COLUMNS, *MORE))]
    for one in items:
        item = Item.loads(one.content)
        if one.hidden or not one.answers:
            continue
        said = {name: one.said(name) if name in item.asks else [] for name in ("label", "grammatical", "meaning")}
        counted = [said["label"].count(value) for value in ("yes", "no", "unclear")]
        counted += [said[name].count(value) for name in ("grammatical", "meaning") for value in ("yes", "no")]
        lines.append(csv_line((item.key, item.test, item.question, item.answer, *counted)))
    return lines
