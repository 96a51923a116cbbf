"""Time and memory of CARETS' generator: 190,000 pairs of the five text tests from 10,000 scenes.

    python benchmarks/bench_carets.py [number of scenes] [pairs of each test] [workers]

Scenes are synthesised from a seed in the shape of GQA's scene graphs (about 17 things with names, attributes and boxes,
and 50 relations), and written in GQA's format. The time includes everything that ``generate`` does, reading that file
with the reader of ``scenes:FILE``, and converting each group to JSON. The ratio is to this conversion alone.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from collections import Counter
from itertools import accumulate
from random import Random

import orjson

from askew.data.scene_graphs import SceneFile, write_scenes
from askew.engine.executors import workers_of
from askew.files.records import group_record
from askew.perturb.carets import TESTS, PairSettings, generate
from askew.perturb.carets.attributes import categories, fits, words
from askew.perturb.carets.ontology import members
from askew.types import Group, Relation, Scene, Thing

NAMES = sorted(members())
WEIGHTS = list(accumulate(1 / (1 + place) ** 0.8 for place in range(len(NAMES))))
RELATIONS = ["to the left of", "to the right of", "on", "near", "wearing", "holding", "behind", "in front of", "of"]
CATEGORIES = sorted(set(categories()) - {"sport", "activity", "sex", "maturity"})
Random(0).shuffle(NAMES)


def scene(number: int) -> Scene:
    """One scene, by its number."""
    rng = Random(f"bench:{number}")
    things = tuple(thing(str(place), rng) for place in range(rng.randint(8, 26)))
    pairs = [rng.sample(things, 2) for _ in range(3 * len(things))]
    links = tuple(Relation(one.id, rng.choice(RELATIONS), other.id) for one, other in pairs)
    return Scene(str(number), things, links, (500, 375))


def thing(name: str, rng: Random) -> Thing:
    """One thing with up to three attributes that suit it."""
    called = rng.choices(NAMES, cum_weights=WEIGHTS)[0]
    suit = [category for category in CATEGORIES if fits(category, called)]
    said = [rng.choice(words(category)) for category in rng.sample(suit, rng.randint(0, min(3, len(suit))))]
    box = (rng.randint(0, 300), rng.randint(0, 200), rng.randint(10, 200), rng.randint(10, 170))
    return Thing(name, called, tuple(said), box)


def memory(who: int) -> int:
    """The peak memory of this process (or of the largest of its children), in MB."""
    return resource.getrusage(who).ru_maxrss // 1024


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    size = int(sys.argv[2]) if len(sys.argv) > 2 else 38_000
    workers = int(sys.argv[3]) if len(sys.argv) > 3 else 1
    with tempfile.TemporaryDirectory(prefix="askew-bench-") as folder:
        path = f"{folder}/bench_sceneGraphs.json"
        write_scenes(map(scene, range(count)), path)
        measure(SceneFile(path), count, size, workers)


def measure(data: SceneFile, count: int, size: int, workers: int) -> None:
    """Make the pairs and print what it took."""
    before = memory(resource.RUSAGE_SELF)
    tests = tuple(test for test in TESTS if test != "VISUAL-INV")
    made: Counter[str] = Counter()
    start, cpu, writing = time.perf_counter(), time.process_time(), 0.0
    with workers_of(f"local:workers={workers}") as executor:
        for group in generate(data, 0, tests, PairSettings(size=size), executor=executor):
            if isinstance(group, Group):
                made[group.variants[0].test] += 1
                begun = time.process_time()
                orjson.dumps(group_record(group))
                writing += time.process_time() - begun
    wall, cpu = time.perf_counter() - start, time.process_time() - cpu - writing
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    print(f"{count:,} scenes, {made.total():,} pairs, {workers} workers: {wall:.1f} s of wall-clock time")
    print(f"CPU: {cpu:.1f} s here, {used.ru_utime + used.ru_stime:.1f} s in workers")
    print(f"writing them as JSON: {writing:.1f} s; ratio {(cpu + used.ru_utime + used.ru_stime) / writing:.1f}")
    print(f"memory: {before} MB at the start, {memory(resource.RUSAGE_SELF)} MB at most")
    if workers > 1:
        print(f"memory of the largest worker: {memory(resource.RUSAGE_CHILDREN)} MB at most")
    print(dict(made))


if __name__ == "__main__":
    main()
