"""Count the requests that a model needs while the groups are built, so that they need not be read again.

Missing images and ids that belong to two questions must be found before the first answer is paid for, so a
:class:`Planner` for each model sees every group before any model is run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from askew.answers.choices import as_asked
from askew.engine.ask import chunks, members
from askew.engine.resume import Keys
from askew.engine.settings import Named
from askew.engine.store import PREFIX, Store
from askew.errors import BadImage
from askew.files.temp_blocks import DistinctNumbers
from askew.types import Group, Id, Question
from askew.verbs import FindsById, ModelFacts


@dataclass(frozen=True, slots=True)
class Plan:
    """The number of requests that a run needs."""

    groups: int
    questions: int
    """Originals and variants, including repeats."""
    distinct: int
    known: int
    """Distinct questions whose answer is already in the store."""
    tokens: tuple[int, int] = (0, 0)
    """Tokens read and written for the known answers."""

    @property
    def calls(self) -> int:
        """Distinct questions that will be sent to the model."""
        return self.distinct - self.known


class Planner:
    """Sees every group once and counts the requests for one model.

    Memory stays flat: hashes of questions are in temporary files.
    """

    def __init__(self, model: Named) -> None:
        self.model = model
        self.keys = Keys(model.what, model.signature)
        self._groups = self._questions = self._missing = 0
        self._example: Question | None = None
        self._trouble: BadImage | None = None
        self._prefixes = DistinctNumbers()
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
            self._questions += 1
            self._prefixes.add(self._prefix(question))
            if self._ids is not None:
                self._ids.add(question)

    def _prefix(self, question: Question) -> int:
        """The beginning of the key; a recorded answer has no key, and one id asks one thing."""
        if self._recorded:
            return hash((question.id,))
        try:
            return int.from_bytes(self.keys.of(question)[:PREFIX], "big", signed=True)
        except BadImage as trouble:  # raised by check, after all groups were added
            self._trouble = self._trouble or trouble
            return 0

    def check(self) -> None:
        """Refuse missing image files."""
        if self._trouble is not None:
            raise self._trouble
        if self._example is not None and self._example.image is not None:
            raise BadImage(
                f"{self._missing:,} of {self._questions:,} questions name an image whose file is not known, e.g. "
                f"image {self._example.image.id!r} of question {self._example.id!r}, and the model looks at images. "
                "Give their folder (--images DIR; images=... in Python). A model that never looks must say so "
                "(blind=true)."
            )

    def repeats_ids(self) -> Callable[[Id], Id] | None:
        """How answers are found by id, if one id may belong to two questions; None if no id does."""
        return self._ids.found_by if self._ids is not None and self._ids.may_repeat() else None

    def plan(self, store: Store | None) -> Plan:
        """The plan, given the answers in the store; recorded answers are not in a store."""
        self.check()
        distinct = known = read = written = 0
        for part in self._prefixes.parts():
            distinct += len(part)
            prefixes = () if store is None or self._recorded else part.tolist()
            found = store.tokens_of(prefix.to_bytes(PREFIX, "big", signed=True) for prefix in prefixes) if store else {}
            known += len(found)
            read += sum(tokens[0] for tokens in found.values())
            written += sum(tokens[1] for tokens in found.values())
        return Plan(self._groups, self._questions, distinct, known, (read, written))


class _IdHashes:
    """Hashes of ids, and of ids with what they ask: more of the latter mean that one id asks two things."""

    def __init__(self, model: object) -> None:
        self.found_by: Callable[[Id], Id] = model.key if isinstance(model, FindsById) else _itself
        self._ids, self._asked = DistinctNumbers(), DistinctNumbers()

    def add(self, question: Question) -> None:
        image, key = question.image, self.found_by(question.id)
        shown = (None, None) if image is None else (str(image.id), image.path)
        self._ids.add(hash(key))
        self._asked.add(hash((key, as_asked(question).text, question.context, shown)))

    def may_repeat(self) -> bool:
        return len(self._ids) != len(self._asked)


def _itself(key: Id) -> Id:
    return key


def plan(groups: Iterable[Group], model: Named, store: Store) -> Plan:
    """The plan for these groups; sends no request."""
    planner = Planner(model)
    for group in groups:
        planner.add(group)
    return planner.plan(store)


def unknown(groups: Iterable[Group], keys: Keys, store: Store) -> Iterator[Question]:
    """Each distinct question without an answer in the store, as it will be sent."""
    seen: set[bytes] = set()
    for window in chunks(groups, 512):
        found = {keys.of(question): question for group in window for question in members(group)}
        known = store.known(list(found))
        for key, question in found.items():
            if key not in known and key[:PREFIX] not in seen:
                seen.add(key[:PREFIX])
                yield as_asked(question)
