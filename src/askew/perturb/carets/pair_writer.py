"""The questions of one scene: a pool of drafts is drawn for it, and drafts are put into words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from random import Random
from typing import Any, NamedTuple

from askew.errors import BadOption
from askew.perturb.carets.arguments import NO, QuestionArguments
from askew.perturb.carets.ontology import lemma
from askew.perturb.carets.plausibility import Plausibility
from askew.perturb.carets.question_pairs import EXPECT, KINDS, TESTS, VISUAL, PairDraft, make_pair, templates_of
from askew.perturb.carets.scene_view import SceneView
from askew.types import Group, ImageRef, Kind, Question, Refusal, Scene, Variant

OWN, TWIN, CLAIM, WORD_CLAIM = range(4)


class PlanRow(NamedTuple):
    """A question to write about a scene."""

    scene: int
    test: str
    kind: int
    """A draft of this scene (``OWN``), one of a scene with the other answer (``TWIN``), a claim matched by description
    and value (``CLAIM``) or by value alone (``WORD_CLAIM``)."""
    place: int
    """The place of the draft or claim in its scene."""
    source: int
    """The scene of the draft."""
    words: tuple[str, ...]
    """For claims, the values that the question offers; for antonyms, the values of the first and second question."""
    mark: int
    """The same for all questions with the same text."""
    number: int = 0
    """For a row that is written: its place among those of its scene and test; ``scene`` is its place in a chunk."""
    twin: bytes = b""
    """The draft of the other scene, pickled."""


ChangeImage = Callable[[Question, Sequence[Sequence[float]], Random], Iterable[Variant | Refusal]]
"""Changes the image of a question around these boxes (around random boxes if there are none)."""

DRAWS = 12
"""How many pairs of each test are drawn for a scene's pool if no size is given."""


@dataclass(frozen=True)
class CaretsGenerator:
    """Makes the pairs of a scene from fitted distributions (Jimenez, Russakovsky and Narasimhan 2022)."""

    model: Plausibility = field(default_factory=Plausibility)
    tests: tuple[str, ...] = TESTS
    draws: int = DRAWS
    """How many pairs of each test are tried for a scene."""
    change_image: ChangeImage | None = field(default=None, repr=False)
    """Changes images, for VISUAL-INV."""

    def __post_init__(self) -> None:
        wrong = [test for test in self.tests if test not in TESTS]
        if wrong:
            raise BadOption(f"carets: there is no test {wrong[0]!r}. Tests are {', '.join(TESTS)}.")

    def pairs(self, scene: Scene, image: ImageRef | None, seed: int) -> Iterator[Group | Refusal]:
        """All pairs of one scene's pool, unbalanced."""
        for draft in self.pool(scene, seed):
            yield from self.written(draft, scene, image, seed)
        yield from self.refused(scene)

    def pool(self, scene: Scene, seed: int) -> Iterator[PairDraft]:
        """The drafts of a scene, none of them twice; each depends on the scene and the seed alone."""
        view = SceneView(scene)
        for test in self.tests:
            if test == VISUAL and self.change_image is None:
                continue
            rng = Random(f"{seed}:{scene.id}:{test}")
            drafts: dict[tuple[QuestionArguments, QuestionArguments], PairDraft] = {}
            for place in range(self.draws):
                types = KINDS[test]
                true = (place // len(types) + (rng.random() < 0.5)) % 2 == 0
                if pair := make_pair(test, types[place % len(types)], view, self.model, rng, true):
                    drafts.setdefault(pair[:2], PairDraft(test, place, pair, rng.random(), rng.random()))
            yield from drafts.values()

    def written(
        self, draft: PairDraft, scene: Scene, image: ImageRef | None, seed: int, more: Mapping[str, Any] = {}
    ) -> Iterator[Group | Refusal]:
        """The questions of a draft: a group of one pair (for VISUAL-INV, of one question and all its images).

        ``more`` is added to the note.
        """
        name = f"{scene.id}-{draft.test}-{draft.place}"
        wording = templates_of(draft.test, draft.pair, draft.spin)
        if wording is None:
            yield Refusal(name, draft.test, "no other template fits")
            return
        first, second = draft.pair.first, draft.pair.second
        original = question_of(name, image, first.write(wording[0]), first)
        note = {**self._note(draft, scene, (wording[0].number, wording[1].number)), **more}
        if draft.test == VISUAL:
            yield from self._with_images(replace(original, scene=scene), note, Random(f"{seed}:{name}"))
            return
        other = question_of(f"{name}-v", image, second.write(wording[1]), second)
        variant = Variant(other, EXPECT[draft.test], draft.test, f"carets/{first.type}", note)
        yield Group(name, "carets", original, (variant,))

    def refused(self, scene: Scene) -> Iterator[Refusal]:
        """The tests that a scene gives no pair for, with the reason."""
        if VISUAL in self.tests and self.change_image is None:
            yield Refusal(scene.id, VISUAL, "no image changes are available")

    def _note(self, draft: PairDraft, scene: Scene, numbers: tuple[int, int]) -> dict[str, Any]:
        first = draft.pair.first
        boxes = {thing.id: thing.box for thing in scene.things if thing.id in first.things and thing.box}
        note: dict[str, Any] = {
            "template": list(numbers),
            "type": first.type,
            "arguments": first.record(),
            "changed": draft.pair.changed,
            "boxes": [list(boxes[each]) for each in dict.fromkeys(first.things) if each in boxes],
            "format": f"{len(first.options)}-choice" if first.options else "binary",
        }
        if first.answer == NO and first.type in ("Q1", "Q2", "Q3"):
            narrow = draft.pair.second if draft.pair.direction == "hyponym" else first
            note["doubtful"] = self._doubtful(narrow, scene)
        if draft.pair.direction:
            note["direction"] = draft.pair.direction
        if first.options:
            note["options"] = len(first.options)
        if first.type in ("Q2", "Q3"):
            note["logic"] = "conjunction" if first.type == "Q2" else "disjunction"
        return note

    def _doubtful(self, asked: QuestionArguments, scene: Scene) -> bool:
        """True if an absent thing may only have been left out of the graph: no usual companion of it is annotated."""
        lemmas = {lemma(thing.name) for thing in scene.things}
        absent = [noun.name for noun in asked.nouns if lemma(noun.name) not in lemmas]
        doubts = [self.model.doubtful(name, lemmas) for name in absent]
        return all(doubts) if asked.type == "Q2" else any(doubts)

    def _with_images(self, original: Question, note: dict[str, Any], rng: Random) -> Iterator[Group | Refusal]:
        assert self.change_image is not None
        variants = []
        for result in self.change_image(original, note["boxes"], rng):
            if isinstance(result, Refusal):
                yield result
            else:
                question = replace(result.question, scene=None)
                variants.append(replace(result, question=question, test=VISUAL, note={**note, **result.note}))
        if variants:
            yield Group(original.id, "carets", replace(original, scene=None), tuple(variants))


def question_of(name: str, image: ImageRef | None, text: str, asked: QuestionArguments) -> Question:
    """A question with its answer and type."""
    return Question(name, image, text, (asked.answer,), _kind(asked.type, asked.binary))


@lru_cache(maxsize=16)
def _kind(type_: str, binary: bool) -> Kind:
    return Kind("yes/no" if binary else "other", type_)
