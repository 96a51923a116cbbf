"""Pairs of CARETS from all scenes of a data set: a pool of drafts is drawn for each, balanced over all, and written."""

from __future__ import annotations

import math
import pickle
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, compress, islice
from random import Random
from typing import Literal, TypeAlias, get_args

from askew.errors import BadOption
from askew.perturb.carets.arguments import listed
from askew.perturb.carets.balance import PAPER, Entry, PairCount, divided, kept
from askew.perturb.carets.pair_writer import DRAWS, CaretsGenerator, ChangeImage, question_of
from askew.perturb.carets.plausibility import Counts, fit
from askew.perturb.carets.question_pairs import TESTS, ask
from askew.perturb.carets.scene_view import SceneView
from askew.perturb.carets.text_balance import MapItems, TextJob, claims_per_scene, text_pairs
from askew.types import Group, ImageRef, Question, Refusal, Scene
from askew.verbs import Dataset, Executor

SPARE = 2.5
"""How much larger than the requested size the pool should be."""
MOST_DRAWS = 120

Balance = Literal["text", "paper"]
Noes = Literal["auto", "sure", "all"]
Wanted: TypeAlias = tuple[bytes, bytes, bytes]
"""Pickled scenes with their images, their pickled drafts, and a one for each draft that is kept."""

TEXT_CHUNK, IMAGE_CHUNK = 64, 2
"""How many scenes are processed at a time; few if the results contain images."""


def scene_chunks(scenes: Iterable[tuple[Scene, ImageRef | None]], images: bool) -> Iterator[bytes]:
    """The scenes with their images in pickled chunks, which take a fifth of the memory."""
    rest = iter(scenes)
    while chunk := list(islice(rest, IMAGE_CHUNK if images else TEXT_CHUNK)):
        yield pickle.dumps(chunk)


def count_chunk(scenes: bytes) -> Counts:
    """The counts of pickled scenes."""
    return Counts.of(scene for scene, _ in pickle.loads(scenes))


@dataclass(frozen=True)
class SceneJob:
    """The work on a chunk of scenes, once the plausibility model is fitted."""

    maker: CaretsGenerator
    seed: int

    def draw(self, scenes: bytes) -> tuple[list[Entry], bytes]:
        """The drafts of pickled scenes: their entries for balancing, and the pickled drafts."""
        drawn = [list(self.maker.pool(scene, self.seed)) for scene, _ in pickle.loads(scenes)]
        return [draft.entry() for drafts in drawn for draft in drafts], pickle.dumps(drawn)

    def make(self, wanted: Wanted) -> list[Group | Refusal]:
        """The groups of the kept drafts of some scenes, and their refusals."""
        scenes, drawn, chosen = wanted
        flags = iter(chosen)
        groups: list[Group | Refusal] = []
        for (scene, image), drafts in zip(pickle.loads(scenes), pickle.loads(drawn), strict=True):
            for draft in compress(drafts, flags):
                groups.extend(self.maker.written(draft, scene, image, self.seed))
            groups.extend(self.maker.refused(scene))
        return groups


@dataclass(frozen=True)
class PairSettings:
    """How the pairs of all scenes are selected."""

    balance: Balance = "text"
    """``text``: every text has each answer equally often, in different scenes; ``paper``: as in the paper."""
    noes: Noes = "auto"
    """``sure``: a thing counts as absent only if a usual companion of it is annotated; ``all``: if it is not."""
    size: int | str = 0
    """Pairs of each test; 0 for as many as the scenes give, ``paper`` for those of Table 6."""

    def __post_init__(self) -> None:
        for name, value, known in (("balance", self.balance, Balance), ("noes", self.noes, Noes)):
            if value not in get_args(known):
                raise BadOption(f"carets: {name} is {value!r}. Give {listed(get_args(known))}.")

    @property
    def sure(self) -> bool:
        """True if doubtful noes are not used."""
        return self.noes == "sure" or (self.noes == "auto" and self.balance == "text")

    def per_test(self, tests: Iterable[str]) -> Mapping[str, PairCount]:
        """The size of each test."""
        if isinstance(self.size, str):
            return PAPER
        return {test: divided(test, self.size) if self.size else PairCount() for test in tests}

    def draws(self, scenes: int) -> int:
        """How many drafts of each test are drawn for a scene."""
        wanted = max(each.total or 0 for each in PAPER.values()) if isinstance(self.size, str) else self.size
        return max(6, min(MOST_DRAWS, math.ceil(SPARE * wanted / scenes) + 2)) if wanted else DRAWS


def generate(
    data: Dataset,
    seed: int,
    tests: tuple[str, ...] = TESTS,
    settings: PairSettings | None = None,
    change_image: ChangeImage | None = None,
    executor: Executor | None = None,
) -> Iterator[Group | Refusal]:
    """The balanced pairs of all scenes, streamed.

    There are three passes over the scenes: for the plausibility model, for the pool, and for the pairs. The data is
    read in the first; scenes and drafts stay in memory, pickled. What is kept of the pool depends on its content,
    so neither reading only some pairs nor the order of the scenes changes a pair. An ``executor`` shares the work
    between workers (``change_image`` is pickled); their number does not change the result either.
    """
    settings = settings or PairSettings()
    map_items: MapItems = executor.map if executor else map
    chunks = list(scene_chunks(scenes(data), images=change_image is not None))
    counts = Counts()
    for some in map_items(count_chunk, chunks):
        counts.join(some)
    if not counts.scenes:
        raise BadOption(f"carets: {data.name} has no scenes. Give data with scene graphs, e.g. gqa:FILE,scenes=FILE.")
    model = replace(counts.fitted(), sure=settings.sure)
    maker = CaretsGenerator(model, tests, settings.draws(model.scenes), change_image)
    if settings.balance == "paper":
        yield from _paper_pairs(map_items, chunks, SceneJob(maker, seed), settings)
    else:
        job = TextJob(maker, seed, claims_per_scene(model.scenes))
        yield from text_pairs(map_items, chunks, job, settings.per_test(tests))


def _paper_pairs(
    map_items: MapItems, chunks: Sequence[bytes], job: SceneJob, settings: PairSettings
) -> Iterator[Group | Refusal]:
    """The pairs selected as in the paper (section 4.1)."""
    pool, lengths, drawn = list[Entry](), list[int](), list[bytes]()
    for entries, drafts in map_items(job.draw, chunks):
        pool += entries
        lengths.append(len(entries))
        drawn.append(drafts)
    flags = iter(kept(pool, PAPER if isinstance(settings.size, str) else settings.size or None))
    chosen = (bytes(islice(flags, length)) for length in lengths)
    yield from chain.from_iterable(map_items(job.make, zip(chunks, drawn, chosen, strict=True)))


def training(data: Dataset, seed: int, size: int | None = None) -> Iterator[Question]:
    """Questions to train on, of all seven types, as many yes as no (CARETS, section 6, R7)."""
    model = fit(scene for scene, _ in scenes(data))
    count = max(1, math.ceil((size or 10 * model.scenes) / max(1, model.scenes) * 1.6))
    types = [f"Q{number}" for number in range(1, 8)]
    written = 0
    for scene, image in scenes(data):
        view, seen = SceneView(scene), set()
        for place in range(count):
            rng = Random(f"{seed}:{scene.id}:training:{place}")
            type_ = types[int(rng.random() * len(types))]
            asked = ask(type_, view, model, rng, (place + (rng.random() < 0.5)) % 2 == 0)
            ways = asked.ways() if asked else ()
            if asked is None or not ways or asked in seen:
                continue
            seen.add(asked)
            yield question_of(f"{scene.id}-training-{place}", image, asked.write(rng.choice(ways)), asked)
            written += 1
            if written == size:
                return


def scenes(data: Dataset) -> Iterator[tuple[Scene, ImageRef | None]]:
    """The scenes of the data, each once, with their images."""
    seen: set[str] = set()
    for question in data.questions():
        if question.scene is not None and question.scene.id not in seen:
            seen.add(question.scene.id)
            yield question.scene, question.image
