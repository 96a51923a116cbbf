"""Pairs of all scenes in which the text gives nothing away (``balance=text``): drawn, matched, and written."""

from __future__ import annotations

import pickle
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain, pairwise
from random import Random
from typing import Any, NamedTuple, TypeAlias

from askew.perturb.carets.arguments import NO, YES, QuestionArguments
from askew.perturb.carets.attributes import Value
from askew.perturb.carets.balance import PairCount
from askew.perturb.carets.matching import Lead, OfferIndex, claim_sets, match_claims, match_leads
from askew.perturb.carets.offers import (
    Offers,
    SceneClaim,
    content_hash,
    has,
    has_one,
    lacks,
    lacks_kind,
    scene_claims,
    scene_keys,
)
from askew.perturb.carets.ontology import lemma
from askew.perturb.carets.pair_writer import OWN, TWIN, WORD_CLAIM, CaretsGenerator, PlanRow
from askew.perturb.carets.question_pairs import (
    ANTONYM,
    KINDS,
    ONTOLOGICAL,
    VISUAL,
    PairDraft,
    antonym_pair,
    make_pair,
    vary,
)
from askew.perturb.carets.scene_view import SceneView
from askew.types import Group, Refusal

MapItems: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]
"""Applies a function to each of many items and yields the results in order: ``map``, or that of an executor."""

CLAIMS = 2_000_000
"""How many claims are kept in memory, of all scenes together; each scene has at least ``FEWEST_CLAIMS``."""
FEWEST_CLAIMS, MOST_CLAIMS = 24, 400
NO_TWIN = "no other scene certainly has the other answer to its text (balance=paper asks it all the same)"
NO_CLAIM = "no other scene has its description with another value (balance=paper asks it all the same)"


class SceneDrafts(NamedTuple):
    """The yes/no drafts and the claims of a scene."""

    drafts: list[PairDraft]
    claims: list[SceneClaim]


class ChunkDrafts(NamedTuple):
    """The data for matching a chunk of scenes, and the drafts and claims themselves."""

    offers: Offers
    leads: dict[str, bytes]
    """For each test, its leads, pickled."""
    hashes: array[int]
    drawn: bytes


@dataclass(frozen=True)
class TextJob:
    """The work on a chunk of scenes."""

    maker: CaretsGenerator
    seed: int
    most_claims: int

    def draw(self, scenes: bytes) -> ChunkDrafts:
        """The offers and leads of pickled scenes."""
        offers, hashes, drawn = Offers(), array("Q"), list[SceneDrafts]()
        leads: dict[str, list[Lead]] = {}
        for place, (scene, _) in enumerate(pickle.loads(scenes)):
            view = SceneView(scene)
            hashes.append(content_hash(scene.id))
            keys = scene_keys(view, self.maker.model, Random(f"{self.seed}:{scene.id}:keys"))
            claims = scene_claims(view, Random(f"{self.seed}:{scene.id}:claims"), self.most_claims)
            offers.add(place, keys, claims)
            drafts = list(self._drafts(view, scene.id))
            for number, draft in enumerate(drafts):
                leads.setdefault(draft.test, []).append(_lead(draft, place, number))
            drawn.append(SceneDrafts(drafts, claims))
        pickled = {test: pickle.dumps(each) for test, each in leads.items()}
        return ChunkDrafts(offers, pickled, hashes, pickle.dumps(drawn))

    def make(self, chunk: tuple[bytes, bytes, list[PlanRow]]) -> list[Group | Refusal]:
        """The groups of a chunk of scenes, by its rows."""
        scenes, drawn, rows = chunk
        groups: list[Group | Refusal] = []
        todo: dict[int, list[PlanRow]] = {}
        for row in rows:
            todo.setdefault(row.scene, []).append(row)
        for place, ((scene, image), own) in enumerate(zip(pickle.loads(scenes), pickle.loads(drawn), strict=True)):
            view = SceneView(scene) if any(row.kind == TWIN for row in todo.get(place, ())) else None
            for row in todo.get(place, ()):
                draft = _draft(row, own, view)
                by = "word" if row.kind == WORD_CLAIM else "text"
                note = {"balanced": by, "balance_set": f"{row.mark:016x}"}
                groups.extend(self.maker.written(draft, scene, image, self.seed, note))
            groups.extend(self.maker.refused(scene))
        return groups

    def _drafts(self, view: SceneView, scene: str) -> Iterator[PairDraft]:
        """The yes/no drafts of a scene that another scene must match: true ones, except disjunctions."""
        for test in self.maker.tests:
            types = [each for each in KINDS[test] if each in ("Q1", "Q2", "Q3")]
            if test == ANTONYM or not types or (test == VISUAL and self.maker.change_image is None):
                continue
            rng = Random(f"{self.seed}:{scene}:{test}:text")
            drafts: dict[QuestionArguments, PairDraft] = {}
            for place in range(self.maker.draws):
                type_ = types[place % len(types)]
                pair = make_pair(test, type_, view, self.maker.model, rng, type_ != "Q3")
                if pair and test == ONTOLOGICAL and rng.random() < 0.5:  # the wider name first
                    changed = f"{pair.second.nouns[0].name} → {pair.first.nouns[0].name}"
                    pair = pair._replace(first=pair.second, second=pair.first, changed=changed, direction="hyponym")
                if pair:
                    drafts.setdefault(pair.first, PairDraft(test, place, pair, rng.random(), rng.random()))
            yield from drafts.values()


def _lead(draft: PairDraft, scene: int, place: int) -> Lead:
    pair = draft.pair
    asked = pair.first
    content = content_hash(f"{draft.test} {pair.direction} {[noun.described for noun in asked.nouns]} {asked.type}")
    return Lead(draft.test, asked.type, pair.category, scene, place, _keys(draft), content, draft.chance)


def _keys(draft: PairDraft) -> tuple[int, ...]:
    """The keys by which the other answer is found: see ``matching.alternatives``."""
    asked, nouns = draft.pair.first, draft.pair.first.nouns
    if draft.test == ONTOLOGICAL:
        narrow, wide = nouns[0].name, draft.pair.second.nouns[0].name
        if draft.pair.direction == "hyponym":
            narrow, wide = wide, narrow
        return lacks(lemma(narrow)), lacks_kind(lemma(wide))
    if asked.type == "Q3":
        return has(nouns[0]), has(nouns[1])
    if asked.type == "Q2":
        return lacks(lemma(nouns[0].name)), lacks(lemma(nouns[1].name)), has(nouns[0]), has(nouns[1])
    other = nouns[0].to
    return (lacks(lemma(nouns[0].name)), *((has_one(other),) if other else ()))


def _draft(row: PlanRow, own: SceneDrafts, view: SceneView | None) -> PairDraft:
    if row.kind == OWN:
        return own.drafts[row.place]._replace(place=row.number)
    if row.kind != TWIN:
        return _claim_draft(row, own.claims[row.place])
    assert view is not None
    draft: PairDraft = pickle.loads(row.twin)
    first, second = (_flipped(each, view) for each in draft.pair[:2])
    return draft._replace(place=row.number, pair=draft.pair._replace(first=first, second=second))


def _flipped(asked: QuestionArguments, view: SceneView) -> QuestionArguments:
    """The same question with the other answer, and the things of the scene that it names."""
    things = []
    for noun in [noun for each in asked.nouns for noun in (each, each.to) if noun is not None]:
        suits = [each.id for each in view.clear if each.name == noun.name and {*noun.values} <= {*each.values}]
        things += sorted(suits)[:1]
    return asked._replace(answer=asked.wrong, things=tuple(things))


def _claim_draft(row: PlanRow, claim: SceneClaim) -> PairDraft:
    """The pair of a claim; chance depends on the set alone, so that all its members have the same text."""
    rng = Random(row.mark)
    if row.test == ANTONYM:
        category = "" if "/" in claim.category else claim.category
        one, other = (Value(category, word) for word in row.words)
        right = QuestionArguments("Q4", (claim.noun,), YES, claim.things, Value(category, claim.value), category)
        wrong = right._replace(answer=NO, value=other if claim.value == one.word else one)
        pair = antonym_pair(*((right, wrong) if claim.value == one.word else (wrong, right)))
    else:
        words = list(row.words)
        rng.shuffle(words)
        options = tuple(words if claim.type == "Q5" else [Value(claim.category, word).choice for word in words])
        answer = claim.value if claim.type == "Q5" else Value(claim.category, claim.value).choice
        asked = QuestionArguments(
            claim.type, (claim.noun,), answer, claim.things, category=claim.category, options=options
        )
        pair = vary(row.test, asked, rng)
    return PairDraft(row.test, row.number, pair, rng.random(), rng.random())


def text_pairs(
    map_items: MapItems, chunks: Sequence[bytes], job: TextJob, sizes: Mapping[str, PairCount]
) -> Iterator[Group | Refusal]:
    """The groups of all scenes, which are given in pickled chunks."""
    pool, drawn = MatchPool(), list[bytes]()
    leads: dict[str, list[bytes]] = {test: [] for test in job.maker.tests}
    for chunk in map_items(job.draw, chunks):
        pool.add(chunk)
        drawn.append(chunk.drawn)
        for test, each in leads.items():
            each.append(chunk.leads.get(test, pickle.dumps([])))
    plan: list[PlanRow] = []
    for test in job.maker.tests:
        if test != VISUAL or job.maker.change_image is not None:
            yield from pool.match(test, leads[test], job, sizes.get(test, PairCount()), plan)
    yield from chain.from_iterable(map_items(job.make, zip(chunks, drawn, _by_chunk(plan, pool, drawn), strict=True)))


class MatchPool:
    """The offers of all scenes, and their matching."""

    def __init__(self) -> None:
        self.offers, self.hashes, self.firsts = Offers(), array("Q"), array("I")

    def add(self, chunk: ChunkDrafts) -> None:
        """Add the offers of a chunk of scenes."""
        self.firsts.append(len(self.hashes))
        self.offers.join(chunk.offers, len(self.hashes))
        self.hashes.extend(chunk.hashes)

    @cached_property
    def index(self) -> OfferIndex:
        """The scenes by their keys, once all are added."""
        return OfferIndex(self.offers, self.hashes)

    def match(
        self, test: str, leads: Sequence[bytes], job: TextJob, size: PairCount, plan: list[PlanRow]
    ) -> Iterator[Refusal]:
        """Add the rows of one test to the plan; yields a refusal for each question that no scene matches."""
        own = [
            lead._replace(scene=lead.scene + first)
            for first, piece in zip(self.firsts, leads, strict=True)
            for lead in pickle.loads(piece)
        ]
        most = 2 * job.maker.draws
        rows, alone = match_leads(own, self.index, size, most)
        plan += rows
        yield from (Refusal(f"{test}-{lead.content:016x}", test, NO_TWIN) for lead in alone)
        types = ("Q4", "Q6", "Q7") if test == ANTONYM else tuple(t for t in KINDS[test] if t in ("Q5", "Q6", "Q7"))
        if types:
            sets, single = claim_sets(test, types, self.offers, self.hashes, job.seed)
            for scene, value in single:
                yield Refusal(f"{test}-{self.hashes[scene]:016x}-{value}", test, NO_CLAIM)
            plan += match_claims(test, sets, size, most)


def _by_chunk(plan: Sequence[PlanRow], pool: MatchPool, drawn: Sequence[bytes]) -> Iterator[list[PlanRow]]:
    """The rows of each chunk of scenes, with the drafts that come from other scenes."""
    twins = _twins(plan, pool.firsts, drawn)
    ordered = sorted(plan, key=lambda row: (row.scene, row.test, row.mark))
    rows: Iterator[PlanRow | None] = chain(ordered, (None,))
    row, number, before = next(rows), 0, (-1, "")
    for low, high in pairwise([*pool.firsts, len(pool.hashes)]):
        chunk_rows = []
        while row is not None and row.scene < high:
            number = number + 1 if (row.scene, row.test) == before else 0
            before = row.scene, row.test
            twin = twins[row.source, row.place] if row.kind == TWIN else b""
            chunk_rows.append(row._replace(scene=row.scene - low, number=number, twin=twin))
            row = next(rows)
        yield chunk_rows


def _twins(plan: Sequence[PlanRow], firsts: Sequence[int], drawn: Sequence[bytes]) -> dict[tuple[int, int], bytes]:
    """The drafts that other scenes need, pickled, by their scene and their place in it."""
    found: dict[tuple[int, int], bytes] = {}
    current, own = -1, list[SceneDrafts]()
    for scene, place in sorted({(row.source, row.place) for row in plan if row.kind == TWIN}):
        chunk = bisect_right(firsts, scene) - 1
        if chunk != current:
            current, own = chunk, pickle.loads(drawn[chunk])
        found[scene, place] = pickle.dumps(own[scene - firsts[chunk]].drafts[place])
    return found


def claims_per_scene(scenes: int) -> int:
    """How many claims of each scene are kept.

    >>> claims_per_scene(100), claims_per_scene(10_000), claims_per_scene(80_000)
    (400, 200, 25)
    """
    return min(MOST_CLAIMS, max(FEWEST_CLAIMS, CLAIMS // max(1, scenes)))
