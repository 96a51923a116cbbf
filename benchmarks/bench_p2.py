"""VQA P2 over as many questions as VQA v2's validation set has: seconds, memory, and ratios against peers.

    python benchmarks/bench_p2.py [COUNT] [--textattack PYTHON] [--questions FILE]

The peer is TextAttack's WordNet augmenter on the same 2,000 questions, all distinct and none seen before, when
``--textattack`` names the Python of an environment that has it (textattack 0.3.11 with "flair>=0.13" "transformers<5",
and NLTK's wordnet, omw-1.4, stopwords and averaged_perceptron_tagger_eng data); else spaCy's whole pipeline, one
question at a time, which any naive implementation would run first. Both are measured in seconds of processor, over all
threads. Like VQA's, the questions of the whole set repeat: about four in ten are distinct. ``--questions`` names a file
of real questions, a line each, to take the 2,000 from.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import time
from collections import Counter
from itertools import count, islice
from pathlib import Path
from random import Random

import spacy

from askew.language.tagger import Tagger
from askew.language.wordnet import WordNet
from askew.perturb.build import vary_all
from askew.perturb.lexical import fit
from askew.types import Group, Question

NOUNS = [
    "dog",
    "cat",
    "bus",
    "train",
    "boy",
    "girl",
    "plate",
    "cup",
    "tree",
    "car",
    "bird",
    "boat",
    "lamp",
    "chair",
    "woman",
    "man",
    "person",
    "child",
    "kid",
    "plane",
    "couch",
    "phone",
    "refrigerator",
    "bicycle",
    "baby",
    "rug",
    "store",
    "bathtub",
    "purse",
    "tie",
    "curtain",
    "bucket",
    "building",
    "horse",
    "zebra",
    "pizza",
    "cake",
    "sign",
    "window",
    "door",
    "umbrella",
    "laptop",
    "table",
    "bed",
    "bench",
    "clock",
    "shirt",
    "hat",
    "wall",
    "street",
    "road",
    "picture",
    "photo",
    "image",
]
LIKE = [
    "open",
    "closed",
    "wet",
    "dry",
    "clean",
    "dirty",
    "tall",
    "short",
    "big",
    "small",
    "old",
    "young",
    "new",
    "empty",
    "full",
    "red",
    "blue",
    "wooden",
    "striped",
]
PLACES = [
    "table",
    "field",
    "street",
    "beach",
    "wall",
    "bench",
    "shelf",
    "floor",
    "roof",
    "bed",
    "grass",
    "water",
    "kitchen",
    "window",
]
FORMS = (
    "What color is the {n}?",
    "What color is the {n} on the {p}?",
    "Is the {n} {l}?",
    "Are the {n}s {l}?",
    "Is this a {l} {n}?",
    "How many {n}s are there?",
    "How many {n}s are in the picture?",
    "How many {n}s are next to the {m}?",
    "What kind of {n} is this?",
    "What is the {n} on top of the {p}?",
    "Is there a {l} {n} near the {m} on the {p}?",
    "What is the {l} {n} doing?",
    "Where is the {n}?",
    "Does the {n} look {l}?",
    "What is behind the {l} {n} and the {m}?",
    "Who is holding the {n}?",
    "Why is the {n} by the {p}?",
    "What number is on the {l} {n}?",
    "Is the {l} {n} in front of the {m}?",
    "Is the {n} or the {l} {m} closer to the {p}?",
    "What is between the {l} {n} and the {m}?",
    "What is the {n} with the {m} doing on the {p}?",
    "How many {l} {n}s are beside the {m} by the {p}?",
)
TEXTATTACK = """
import json, sys, time
from textattack.augmentation import WordNetAugmenter
texts = json.load(sys.stdin)
augmenter = WordNetAugmenter(transformations_per_example=1)
augmenter.augment(texts[0])
start = time.process_time()
for text in texts:
    augmenter.augment(text)
print(time.process_time() - start)
"""
SAMPLE = 2000


def question(number: int, distinct: int) -> Question:
    rng = Random(f"bench:{number % distinct}")
    form = rng.choice(FORMS)
    nouns = rng.choice(NOUNS), rng.choice(NOUNS)
    text = form.format(n=nouns[0], m=nouns[1], l=rng.choice(LIKE), p=rng.choice(PLACES))
    answer = rng.choice(["yes", "no"]) if form.startswith(("Is", "Are", "Does")) else "2"
    return Question(number, None, text, (answer,) * 10)


def new_texts(seen: set[str], file: str | None) -> list[str]:
    """Distinct texts that are not among those seen."""
    lines = (
        Path(file).read_text(encoding="utf-8").splitlines() if file else (question(n, n + 1).text for n in count(10**6))
    )
    return list(islice((text for text in lines if text and not (text in seen or seen.add(text))), SAMPLE))


def memory() -> float:
    """The most that this process has taken, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def textattack_seconds(python: str, texts: list[str]) -> float:
    done = subprocess.run(
        [python, "-c", TEXTATTACK], input=json.dumps(texts), capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"TextAttack did not run:\n{done.stderr[-2000:]}")
    return float(done.stdout.strip().splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", nargs="?", type=int, default=214_354)
    parser.add_argument("--textattack", metavar="PYTHON")
    parser.add_argument("--questions", metavar="FILE")
    options = parser.parse_args()
    distinct = max(1, int(options.count * 0.4))
    questions = [question(number, distinct) for number in range(options.count)]
    print(f"{options.count:,} questions, {len({q.text for q in questions}):,} distinct texts")

    start = time.perf_counter()
    WordNet().senses("car", "n")
    print(f"WordNet loaded in {time.perf_counter() - start:.2f} s")
    Tagger().tags(["Is it?"])
    list(vary_all(fit(questions[:100]), questions[:100], 0, "p2"))

    start, busy, before = time.perf_counter(), time.process_time(), memory()
    perturbation, made, halfway = fit(questions), Counter[str](), 0.0
    for number, item in enumerate(vary_all(perturbation, questions, 0, "p2")):
        if isinstance(item, Group):
            made.update(variant.test for variant in item.variants)
        halfway = memory() if number == options.count // 4 else halfway
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    print(f"all three types in {seconds:.1f} s ({busy:.1f} s of processor), {options.count / seconds:,.0f} questions/s")
    print(f"made {dict(made)}; memory {before:.0f} MB before, {halfway:.0f} MB early on, {memory():.0f} MB at the end")

    texts = new_texts({each.text for each in questions}, options.questions)
    start = time.process_time()
    for _ in vary_all(perturbation, [Question(i, None, text, ("yes",)) for i, text in enumerate(texts)], 0, "p2"):
        pass
    ours = time.process_time() - start
    if options.textattack:
        theirs, peer = textattack_seconds(options.textattack, texts), "TextAttack's WordNet augmenter"
    else:
        whole = spacy.load(Tagger().name)
        start = time.process_time()
        for text in texts:
            whole(text)
        theirs, peer = time.process_time() - start, "spaCy's whole pipeline, one question at a time"
    print(f"{SAMPLE:,} new questions: ours {ours:.2f} s of processor, {peer} {theirs:.2f} s; ratio {theirs / ours:.1f}")
    rate = (theirs / SAMPLE) / (busy / options.count)
    print(f"per question of the whole set, where texts repeat: ratio {rate:.1f}")


if __name__ == "__main__":
    main()
