"""How long RAD's generator takes on a data set of the size of VQA v2 val (214,354 questions), against a naive approach.

    python benchmarks/bench_rad.py [number of questions]

The questions are synthesised from a seed, with about the real share of each template, and nearly all distinct. The
naive peer tags every question, one at a time, with spaCy's whole pipeline, on the first 2,000 questions.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from random import Random

import spacy

from askew.language.tagger import Tagger
from askew.perturb.rad import fit
from askew.perturb.vary_dataset import vary_all
from askew.types import Group, Question

SHARES = (("how many", 0.11), ("color", 0.066), ("kind", 0.0075))
NOUNS = ["dog", "cat", "bus", "train", "boy", "girl", "plate", "cup", "tree", "car", "bird", "boat", "lamp", "chair"]
PLACES = ["table", "field", "street", "beach", "wall", "bench", "shelf", "floor", "roof", "left", "right", "bed"]
LIKE = ["small", "large", "wooden", "old", "young", "tall", "striped", "round", "open", "broken", "shiny", "dirty"]
DOING = ["standing", "sitting", "walking", "eating", "sleeping", "running", "waiting", "playing"]
COLORS = ["white", "red", "blue", "black", "brown", "green", "yellow", "gray", "pink", "orange"]
KINDS = {"animal": ["cow", "dog", "elephant", "sheep"], "room": ["kitchen", "bedroom", "bathroom"]}


def question(number: int) -> Question:
    rng = Random(f"bench:{number}")
    chance = rng.random()
    for name, share in SHARES:
        if chance < share:
            return make(number, name, rng)
        chance -= share
    text = f"Is the {rng.choice(LIKE)} {rng.choice(NOUNS)} {rng.choice(DOING)} by {rng.choice(PLACES)} {number}?"
    return Question(number, None, text, (rng.choice(["yes", "no"]),) * 10)


def make(number: int, name: str, rng: Random) -> Question:
    thing, place, like = rng.choice(NOUNS), rng.choice(PLACES), rng.choice(LIKE)
    where = (
        f"{rng.choice(['on', 'near', 'behind', 'beside'])} the {like} {place} {rng.choice(['in', 'of'])} the picture"
    )
    if name == "how many":
        tail = rng.choice([f"are {where}", "are there", f"are {rng.choice(DOING)} {where}", f"can you see {where}"])
        return answered(number, f"How many {thing}s {tail}?", rng.choice("0112233456789"), rng)
    if name == "color":
        return answered(number, f"What color is the {rng.choice(LIKE)} {thing} {where}?", rng.choice(COLORS), rng)
    kind = rng.choice(sorted(KINDS))
    return answered(number, f"What kind of {kind} is this?", rng.choice(KINDS[kind]), rng)


def answered(number: int, text: str, answer: str, rng: Random) -> Question:
    other = rng.choice([answer, "unclear"])
    return Question(number, None, text, (answer,) * 8 + (other,) * 2)


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 214_354
    questions = [question(number) for number in range(count)]
    print(f"{count:,} questions, {len({q.text for q in questions}):,} distinct texts")

    start, busy = time.perf_counter(), time.process_time()
    perturbation = fit(questions)
    fitted = time.perf_counter() - start
    groups = [item for item in vary_all(perturbation, questions, 0, "rad") if isinstance(item, Group)]
    seconds = time.perf_counter() - start
    made = Counter(group.variants[0].test for group in groups)
    busy = time.process_time() - busy
    print(f"fit {fitted:.1f} s, all {seconds:.1f} s ({busy:.1f} s of processor), {count / seconds:,.0f} questions/s")
    print(f"made {dict(made)}")

    sample = questions[:2000]
    whole = spacy.load(Tagger().name)
    start = time.process_time()
    for each in sample:
        whole(each.text)
    naive = (time.process_time() - start) / len(sample) * count
    print(f"naive (whole pipeline, one at a time): {naive:.0f} s of processor for as many; ratio {naive / busy:.1f}")


if __name__ == "__main__":
    main()
