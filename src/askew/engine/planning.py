"""What must be asked of a model, counted while the groups are built: nothing is read again for it.

A missing image and an id that belongs to two questions must be found before the first answer is paid for, so every
group is seen by a :class:`Planner` for each model before any model is asked.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from askew.answers.choices import as_asked
from askew.engine.ask import chunks, members
from askew.engine.resume import Keys
from askew.engine.settings import Named
from askew.engine.store import PREFIX, Store
from askew.errors import BadImage
from askew.types import Group, Id, Question
from askew.verbs import FindsById, ModelFacts

_LARGEST = (1 << 8 * PREFIX) - 1


@dataclass(frozen=True, slots=True)
class Plan:
    """How much there is to ask."""

    groups: int
    questions: int
    """Originals and variants, repeats included."""
    distinct: int
    known: int
    """Distinct questions whose answer is already in the store."""
    tokens: tuple[int, int] = (0, 0)
    """Tokens read and written for the known answers."""

    @property
    def calls(self) -> int:
        """Distinct questions that the model will be asked."""
        return self.distinct - self.known


class Planner:
    """Sees every group once and counts what must be asked of one model.

    Memory: eight bytes a question, and sixteen more for a model that finds answers by id.
    """

    def __init__(self, model: Named) -> None:
        self.model = model
        self.keys = Keys(model.what, model.signature)
        self._groups = self._missing = 0
        self._example: Question | None = None
        self._trouble: BadImage | None = None
        self._prefixes = array("Q")
        facts = ModelFacts(model.what)
        self._ids = _IdHashes(model.what) if facts.by_id else None
        self._recorded = facts.recorded

    def add(self, group: Group) -> None:
        """Count one group."""
        self._groups += 1
        for question in members(group):
            if self.keys.lacks_image(question):
                self._missing += 1
                self._example = self._example or question
            self._prefixes.append(self._prefix(question))
            if self._ids is not None:
                self._ids.add(question)

    def _prefix(self, question: Question) -> int:
        """The beginning of the key; a recorded answer has no key, and one id asks one thing."""
        if self._recorded:
            return hash((question.id,)) & _LARGEST
        try:
            return int.from_bytes(self.keys.of(question)[:PREFIX], "big")
        except BadImage as trouble:  # raised by check, when all groups are there
            self._trouble = self._trouble or trouble
            return 0

    def check(self) -> None:
        """Refuse images that are named and missing."""
        if self._trouble is not None:
            raise self._trouble
        if self._example is not None and self._example.image is not None:
            raise BadImage(
                f"{self._missing:,} of {len(self._prefixes):,} questions name an image whose file is not known, e.g. "
                f"image {self._example.image.id!r} of question {self._example.id!r}, and the model looks at images. "
                "Give their folder (--images DIR; images=... in Python). A model that never looks must say so "
                "(blind=true)."
            )

    def repeats_ids(self) -> Callable[[Id], Id] | None:
        """How answers are found by id, if one id may belong to two questions; None if no id does."""
        return self._ids.found_by if self._ids is not None and self._ids.may_repeat() else None

    def plan(self, store: Store | None) -> Plan:
        """What is left to ask, given the answers in the store; recorded answers are not in one."""
        self.check()
        distinct = np.unique(np.asarray(self._prefixes, dtype=np.uint64))
        prefixes = () if store is None or self._recorded else map(int, distinct)
        known = store.tokens_of(prefix.to_bytes(PREFIX, "big") for prefix in prefixes) if store is not None else {}
        read, written = (sum(counts) for counts in zip((0, 0), *known.values(), strict=True))
        return Plan(self._groups, len(self._prefixes), len(distinct), len(known), (read, written))


class _IdHashes:
    """Hashes of ids, and of ids with what they ask: more of the latter mean that one id asks two things."""

    def __init__(self, model: object) -> None:
        self.found_by: Callable[[Id], Id] = model.key if isinstance(model, FindsById) else _itself
        self._ids, self._asked = array("q"), array("q")

    def add(self, question: Question) -> None:
        image, key = question.image, self.found_by(question.id)
        shown = (None, None) if image is None else (str(image.id), image.path)
        self._ids.append(hash(key))
        self._asked.append(hash((key, as_asked(question).text, question.context, shown)))

    def may_repeat(self) -> bool:
        return len(np.unique(np.asarray(self._ids))) != len(np.unique(np.asarray(self._asked)))


def _itself(key: Id) -> Id:
    return key


def plan(groups: Iterable[Group], model: Named, store: Store) -> Plan:
    """What must be asked of a model to answer these groups, without asking."""
    planner = Planner(model)
    for group in groups:
        planner.add(group)
    return planner.plan(store)


def unknown(groups: Iterable[Group], keys: Keys, store: Store) -> Iterator[Question]:
    """Each distinct question that has no answer in the store yet, as it will be asked."""
    seen: set[bytes] = set()
    for window in chunks(groups, 512):
        found = {keys.of(question): question for group in window for question in members(group)}
        known = store.known(list(found))
        for key, question in found.items():
            if key not in known and key[:PREFIX] not in seen:
                seen.add(key[:PREFIX])
                yield as_asked(question)
