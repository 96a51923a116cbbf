"""Pairs of CARETS from scenes: a pool of drafts is drawn for each scene, balanced over all, and put into words."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, compress, groupby, islice
from random import Random
from typing import Any, TypeAlias

from askew.errors import BadOption
from askew.perturb.carets.arguments import QuestionArguments
from askew.perturb.carets.balance import PairPool
from askew.perturb.carets.plausibility import Counts, Plausibility, fit
from askew.perturb.carets.process_pool import MapItems, TempFile, packed, process_pool, unpacked, without_gc
from askew.perturb.carets.question_pairs import EXPECT, KINDS, TESTS, VISUAL, PairDraft, ask, make_pair, templates_of
from askew.perturb.carets.scene_view import SceneView
from askew.perturb.carets.templates import Split
from askew.types import Group, ImageRef, Kind, Question, Refusal, Scene, Variant
from askew.verbs import Dataset

ChangeImage = Callable[[Question, Sequence[Sequence[float]], Random], Iterable[Variant | Refusal]]
"""Changes the image of a question around these boxes (around random boxes if there are none)."""

DRAWS = 12
"""How many pairs of each test are drawn for a scene's pool if no size is given."""
SPARE = 2.5
"""How much larger than the requested size the pool should be."""
MOST_DRAWS = 120

Wanted: TypeAlias = tuple[bytes, bytes, bytes]
"""Packed scenes with their images, their packed drafts, and a one for each draft that is kept."""

TEXT_CHUNK, IMAGE_CHUNK = 64, 2
"""How many scenes are processed at a time; few where the results contain images."""


@dataclass(frozen=True)
class CaretsGenerator:
    """Makes the pairs of a scene from fitted distributions (Jimenez, Russakovsky and Narasimhan 2022)."""

    model: Plausibility = field(default_factory=Plausibility)
    tests: tuple[str, ...] = TESTS
    templates: Split = "all"
    """Which templates are used: ``all``, or the ``odd`` or ``even`` ones alone."""
    draws: int = DRAWS
    """How many pairs of each test are tried for a scene."""
    change_image: ChangeImage | None = field(default=None, repr=False)
    """Changes images, for VISUAL-INV."""

    def __post_init__(self) -> None:
        wrong = [test for test in self.tests if test not in TESTS]
        if wrong:
            raise BadOption(f"carets: there is no test {wrong[0]!r}. Tests are {', '.join(TESTS)}.")
        if self.templates not in ("all", "odd", "even"):
            raise BadOption(f"carets: templates is {self.templates!r}. Give all, odd or even.")

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
            found: dict[tuple[QuestionArguments, QuestionArguments], PairDraft] = {}
            for place in range(self.draws):
                if draft := self._draft(view, test, place, rng):
                    found.setdefault(draft.pair[:2], draft)
            yield from found.values()

    def written(self, draft: PairDraft, scene: Scene, image: ImageRef | None, seed: int) -> Iterator[Group | Refusal]:
        """The questions of a draft: a group of one pair (for VISUAL-INV, of one question and all its images)."""
        name = f"{scene.id}-{draft.test}-{draft.place}"
        found = templates_of(draft.test, draft.pair, draft.spin, self.templates)
        if found is None:
            yield Refusal(name, draft.test, "no other template fits")
            return
        first, second = draft.pair.first, draft.pair.second
        original = _question(name, image, first.write(found[0]), first)
        note = self._note(draft, scene, (found[0].number, found[1].number))
        if draft.test == VISUAL:
            yield from self._with_images(replace(original, scene=scene), note, Random(f"{seed}:{name}"))
            return
        other = _question(f"{name}-v", image, second.write(found[1]), second)
        variant = Variant(other, EXPECT[draft.test], draft.test, f"carets/{first.type}", note)
        yield Group(name, "carets", original, (variant,))

    def refused(self, scene: Scene) -> Iterator[Refusal]:
        """The tests that a scene gives no pair for, with the reason."""
        if VISUAL in self.tests and self.change_image is None:
            yield Refusal(scene.id, VISUAL, "no image changes are available")

    def _draft(self, view: SceneView, test: str, place: int, rng: Random) -> PairDraft | None:
        types = KINDS[test]
        true = (place // len(types) + (rng.random() < 0.5)) % 2 == 0
        pair = make_pair(test, types[place % len(types)], view, self.model, rng, true)
        return PairDraft(test, place, pair, rng.random(), rng.random()) if pair else None

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
        if draft.pair.direction:
            note["direction"] = draft.pair.direction
        if first.options:
            note["options"] = len(first.options)
        if first.type in ("Q2", "Q3"):
            note["logic"] = "conjunction" if first.type == "Q2" else "disjunction"
        return note

    def _with_images(self, original: Question, note: dict[str, Any], rng: Random) -> Iterator[Group | Refusal]:
        assert self.change_image is not None
        variants = []
        for made in self.change_image(original, note["boxes"], rng):
            if isinstance(made, Refusal):
                yield made
            else:
                question = replace(made.question, scene=None)
                variants.append(replace(made, question=question, test=VISUAL, note={**note, **made.note}))
        if variants:
            yield Group(original.id, "carets", replace(original, scene=None), tuple(variants))


def scene_chunks(scenes: Iterable[tuple[Scene, ImageRef | None]], images: bool) -> Iterator[bytes]:
    """The scenes with their images in packed chunks."""
    rest = iter(scenes)
    while some := list(islice(rest, IMAGE_CHUNK if images else TEXT_CHUNK)):
        yield packed(some)


def count_chunk(scenes: bytes) -> Counts:
    """The counts of packed scenes."""
    return Counts.of(scene for scene, _ in unpacked(scenes))


@dataclass(frozen=True)
class SceneJob:
    """The work on a chunk of scenes, once the plausibility model is fitted."""

    maker: CaretsGenerator
    seed: int

    def draw(self, scenes: bytes) -> tuple[PairPool, bytes]:
        """The drafts of packed scenes: their entries for balancing, and the packed drafts."""
        drawn = [list(self.maker.pool(scene, self.seed)) for scene, _ in unpacked(scenes)]
        pool = PairPool()
        for drafts in drawn:
            for draft in drafts:
                pool.add(draft.entry())
        return pool, packed(drawn)

    def make(self, wanted: Wanted) -> list[Group | Refusal]:
        """The groups of the kept drafts of some scenes, and their refusals."""
        scenes, drawn, kept = wanted
        flags = iter(kept)
        made: list[Group | Refusal] = []
        for (scene, image), drafts in zip(unpacked(scenes), unpacked(drawn), strict=True):
            for draft in compress(drafts, flags):
                made.extend(self.maker.written(draft, scene, image, self.seed))
            made.extend(self.maker.refused(scene))
        return made


def generate(
    data: Dataset,
    seed: int,
    tests: tuple[str, ...] = TESTS,
    size: int | None = None,
    change_image: ChangeImage | None = None,
    templates: Split = "all",
    workers: int = 1,
) -> Iterator[Group | Refusal]:
    """The balanced pairs of all scenes, streamed; ``size`` of each test, or as many as the scenes give.

    There are three passes over the scenes: for the plausibility model, for the pool, and for the pairs. The data is
    read in the first; scenes and drafts are kept in temporary files. What is kept of the pool depends on its content,
    so neither reading only some pairs nor the order of the scenes changes a pair. ``workers`` above 1 use that many
    processes (``change_image`` is pickled); their number does not change the result either.
    """
    with TempFile() as packed_scenes, TempFile() as packed_drafts, process_pool(workers) as map_items:
        model = _fitted(
            map_items, packed_scenes.write_through(scene_chunks(scenes(data), images=change_image is not None))
        )
        if not model.scenes:
            raise BadOption(
                f"carets: {data.name} has no scenes. Give data with scene graphs, e.g. gqa:FILE,scenes=FILE."
            )
        draws = min(MOST_DRAWS, math.ceil(SPARE * size / model.scenes) + 2) if size else DRAWS
        job = SceneJob(CaretsGenerator(model, tests, templates, max(draws, 6), change_image), seed)
        pool, lengths = PairPool(), []
        for drawn, drafts in map_items(job.draw, packed_scenes):
            pool.join(drawn)
            lengths.append(len(drawn))
            packed_drafts.add(drafts)
        flags = iter(pool.kept(size))
        kept = (bytes(islice(flags, length)) for length in lengths)
        yield from chain.from_iterable(map_items(job.make, zip(packed_scenes, packed_drafts, kept, strict=True)))


def _fitted(map_items: MapItems, packed_scenes: Iterable[bytes]) -> Plausibility:
    counts = Counts()
    for found in map_items(count_chunk, packed_scenes):
        counts.join(found)
    return without_gc(Counts.fitted, counts)


def training(data: Dataset, seed: int, size: int | None = None, templates: Split = "all") -> Iterator[Question]:
    """Questions to train on, of all seven types, as many yes as no (CARETS, section 6, R7).

    ``templates`` reserves half of the templates for testing: train on ``odd``, test on ``even``.
    """
    model = fit(scene for scene, _ in scenes(data))
    count = max(1, math.ceil((size or 10 * model.scenes) / max(1, model.scenes) * 1.6))
    types = [f"Q{number}" for number in range(1, 8)]
    made = 0
    for scene, image in scenes(data):
        view, seen = SceneView(scene), set()
        for place in range(count):
            rng = Random(f"{seed}:{scene.id}:training:{place}")
            type_ = types[int(rng.random() * len(types))]
            asked = ask(type_, view, model, rng, (place + (rng.random() < 0.5)) % 2 == 0)
            ways = asked.ways(templates) if asked else ()
            if asked is None or not ways or asked in seen:
                continue
            seen.add(asked)
            yield _question(f"{scene.id}-training-{place}", image, asked.write(rng.choice(ways)), asked)
            made += 1
            if made == size:
                return


def scenes(data: Dataset) -> Iterator[tuple[Scene, ImageRef | None]]:
    """The scenes of the data, each once, with their images; questions of one scene must be consecutive."""
    seen: set[str] = set()
    having = (question for question in data.questions() if question.scene is not None)
    for _, questions in groupby(having, key=lambda question: question.scene and question.scene.id):
        first = next(questions)
        if first.scene is not None and first.scene.id not in seen:
            seen.add(first.scene.id)
            yield first.scene, first.image


def _question(name: str, image: ImageRef | None, text: str, asked: QuestionArguments) -> Question:
    return Question(name, image, text, (asked.answer,), _kind(asked.type, asked.binary))


@lru_cache(maxsize=16)
def _kind(type_: str, binary: bool) -> Kind:
    return Kind("yes/no" if binary else "other", type_)
