"""Make a survey: a sample of the groups of any suite as a human baseline, with gold from questions all people agree on.

Questions that are the same (image, context, text, options) are asked once, like a run asks them. Questions of one group
form a pair, and so do groups that share a question: nobody gets two of them in one batch.
"""

from __future__ import annotations

import json
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from random import Random

import sqlalchemy as sa
from tqdm import tqdm

from askew.answers.normalise import modal_answer, normalise
from askew.collect.database import Tx, record_event
from askew.collect.image_import import cleaned_ref, write_image
from askew.collect.protocol import Refused, same_answer
from askew.collect.schema import survey, survey_group, survey_item
from askew.collect.study import Study
from askew.collect.surveys.items import Item
from askew.errors import DataError, UsageError
from askew.files.images import content_hash, only_image
from askew.files.records import group_record
from askew.types import Group, ImageRef, Question

LEAST_AGREEING = 3
"""Gold is made of questions to which at least this many people gave the same answer, and nobody another one."""
YES_NO = ("yes", "no")
MOST_IN_BATCH = 40


@dataclass
class ItemDraft:
    """An item before it is stored."""

    image: ImageRef
    item: Item
    pair: int = 0
    gold: dict[str, list[str]] | None = None
    members: list[tuple[int, int]] = field(default_factory=list)


@dataclass(frozen=True)
class SurveyPlan:
    """How many people answer each question, and how many questions are in a batch, gold among them."""

    people: int = 5
    batch: int = 24
    gold: int = 4

    def __post_init__(self) -> None:
        if self.people < 1 or self.gold < 0 or not self.gold < self.batch <= MOST_IN_BATCH:
            raise UsageError(
                f"people {self.people}, batch {self.batch}, gold {self.gold}: a question needs at least one person, "
                f"and a batch more questions than gold, and at most {MOST_IN_BATCH}."
            )


def sampled_groups(groups: Iterable[Group], per_test: int, seed: int) -> list[Group]:
    """Whole groups, drawn at random so that each test has ``per_test`` pairs if the data have as many; in order.

    The draw depends on ids and seed alone, not on the order of the data.
    """
    kept: list[Group] = []
    pools: dict[tuple[str, str], list[int]] = defaultdict(list)
    for group in groups:
        for test in dict.fromkeys(variant.test for variant in group.variants) or [""]:
            pools[group.suite, test].append(len(kept))
        kept.append(group)
    chosen: set[int] = set()
    for (suite, test), places in sorted(pools.items()):
        pairs = 0
        for place in sorted(places, key=lambda place: Random(f"{seed}:{suite}:{kept[place].id}").random()):
            if pairs >= per_test:
                break
            chosen.add(place)
            pairs += max(1, sum(variant.test == test for variant in kept[place].variants))
    return [kept[place] for place in sorted(chosen)]


def baseline_drafts(groups: Sequence[Group]) -> list[ItemDraft]:
    """The distinct questions of groups, with their pairs."""
    drafts: dict[tuple[str, Item], ItemDraft] = {}
    pairs = _LinkedItems()
    for n, group in enumerate(groups):
        asked = (group.original, *(variant.question for variant in group.variants))
        for place, question in enumerate(asked):
            image = only_image(question) or only_image(group.original)
            if image is None:
                raise DataError(f"Question {question.id!r} has no image, so people cannot answer it. Leave it out.")
            item = baseline_item(question)
            key = (content_hash(image), item)
            draft = drafts.setdefault(key, ItemDraft(image, item))
            draft.members.append((n, place))
            pairs.join(("group", n), ("item", key))
    for key, draft in drafts.items():
        draft.pair = pairs.number(("item", key))
    return list(drafts.values())


def baseline_item(question: Question) -> Item:
    """What people answer: by choosing for yes/no questions and those with options, by writing for others."""
    label = modal_answer(question.answers, normalise)
    binary = label in YES_NO or question.kind.answer_type == "yes/no"
    choices = question.choices or (YES_NO if binary else ())
    return Item(question.text, question.context, tuple(choices))


def gold_drafts(questions: Iterable[Question], wanted: int, seed: int) -> list[ItemDraft]:
    """Gold: yes/no and multiple-choice questions to which all people gave the same answer, chosen at random."""
    agreed = []
    for question in questions:
        said = {normalise(answer) for answer in question.answers}
        item = baseline_item(question)
        if question.image is None or not item.choices or len(said) != 1 or len(question.answers) < LEAST_AGREEING:
            continue
        right = [choice for choice in item.choices if normalise(choice) in said]
        if len(right) == 1:
            gold = {"answer": [same_answer(right[0])]}
            agreed.append(
                (Random(f"{seed}:gold:{question.content}").random(), ItemDraft(question.image, item, gold=gold))
            )
    agreed.sort(key=lambda pair: pair[0])
    return [draft for _, draft in agreed[:wanted]]


def gold_needed(drafts: Sequence[ItemDraft], plan: SurveyPlan) -> int:
    """How much gold lets one person answer everything, with no gold question twice.

    The last batches may not be full, since the questions of a pair are in different ones.
    """
    largest = max(Counter(draft.pair for draft in drafts).values(), default=0)
    return (-(-len(drafts) // (plan.batch - plan.gold)) + largest) * plan.gold


def create_survey(
    study: Study,
    kind: str,
    name: str,
    groups: Sequence[Group],
    drafts: Sequence[ItemDraft],
    plan: SurveyPlan,
    seed: int,
) -> int:
    """Store a survey with its images; returns its id. ``drafts`` are its questions and its gold."""
    stored = {}
    for draft in tqdm(drafts, desc="Storing images", disable=not sys.stderr.isatty()):
        if draft.image not in stored:
            stored[draft.image] = write_image(study, cleaned_ref(draft.image))
    with study.database.write() as tx:
        return _insert(tx, kind, name, groups, [(draft, stored[draft.image]) for draft in drafts], plan, seed)


def _insert(
    tx: Tx,
    kind: str,
    name: str,
    groups: Sequence[Group],
    drafts: Sequence[tuple[ItemDraft, tuple[str, str]]],
    plan: SurveyPlan,
    seed: int,
) -> int:
    sizes = {"people": plan.people, "batch_size": plan.batch, "gold_size": plan.gold}
    new = tx.insert(survey, kind=kind, name=name[:200], state="OPEN", seed=seed, created_at=tx.now, **sizes)
    for n, group in enumerate(groups):
        record = json.dumps(group_record(_named(group)), ensure_ascii=False, default=str)
        tx.insert(survey_group, survey_id=new, n=n, record=record)
    shuffled = list(drafts)
    Random(f"{seed}:order").shuffle(shuffled)
    rows = [
        {
            "survey_id": new,
            "position": position,
            "pair": draft.pair if draft.gold is None else -position,
            "sha256": sha256,
            "suffix": suffix,
            "content": draft.item.dumps(),
            "gold": None if draft.gold is None else json.dumps(draft.gold),
            "members": json.dumps(draft.members),
        }
        for position, (draft, (sha256, suffix)) in enumerate(shuffled, 1)
    ]
    if not rows:
        raise Refused("There is nothing to ask.")
    tx.execute(sa.insert(survey_item), rows)
    record_event(tx, "survey.created", f"survey {new}", None, {"kind": kind, "items": len(rows), **sizes})
    return new


def _named(group: Group) -> Group:
    """The group with images by id alone: their files are in the study, by hash."""

    def bare(question: Question) -> Question:
        image = question.image
        return question if image is None else replace(question, image=ImageRef(image.id), scene=None)

    variants = tuple(replace(variant, question=bare(variant.question)) for variant in group.variants)
    return replace(group, original=bare(group.original), variants=variants)


class _LinkedItems:
    """Which items belong together, by the groups that they are in."""

    def __init__(self) -> None:
        self._above: dict[object, object] = {}
        self._numbers: dict[object, int] = {}

    def join(self, one: object, other: object) -> None:
        """Note that two belong together."""
        self._above[self._top(one)] = self._top(other)

    def number(self, one: object) -> int:
        """The number of everything that belongs together with this, from 1."""
        return self._numbers.setdefault(self._top(one), len(self._numbers) + 1)

    def _top(self, one: object) -> object:
        while (above := self._above.get(one, one)) != one:
            self._above[one] = self._above.get(above, above)
            one = above
        return one
