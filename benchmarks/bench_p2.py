"""VQA P2 over as many questions as VQA v2's validation set has: seconds, memory, and ratios against peers.

    python benchmarks/bench_p2.py [COUNT] [--textattack PYTHON] [--questions FILE]

The peer is TextAttack's WordNet augmenter on the same 2,000 questions, all distinct and none seen before, when
``--textattack`` names the Python of an environment that has it (textattack 0.3.11 with "flair>=0.13" "transformers<5",
and NLTK's wordnet, omw-1.4, stopwords and averaged_perceptron_tagger_eng data); else spaCy's whole pipeline, one
question at a time, which any naive implementation would run first. Both are measured in seconds of processor, with one
BLAS thread (idle ones spin, which counts as work), and what was loaded before is out of the garbage collector's sight.
When the 2,000 begin, the whole set has been read, so most of their words are known; of the peer, one question has.
Like VQA's, the questions of the whole set repeat: about four in ten are distinct. ``--questions`` names a file of real
questions, a line each, to take in place of made-up ones; its last 2,000 are then the new ones.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import subprocess
import time
from collections import Counter
from collections.abc import Iterable
from itertools import count, islice
from pathlib import Path

import spacy
from questions import text

from askew.language.tagger import Tagger
from askew.language.wordnet import WordNet
from askew.perturb.build import vary_all
from askew.perturb.lexical import fit
from askew.rank.columns import one_thread
from askew.types import Group, Question

TEXTATTACK = """
import gc, json, sys, time
from textattack.augmentation import WordNetAugmenter
texts = json.load(sys.stdin)
augmenter = WordNetAugmenter(transformations_per_example=1)
augmenter.augment(texts[0])
gc.collect()
gc.freeze()
start = time.process_time()
for text in texts:
    augmenter.augment(text)
print(time.process_time() - start)
"""
SAMPLE = 2000


def question(number: int, distinct: int) -> Question:
    words = text(number % distinct)
    answer = ("yes", "no")[number % 2] if words.startswith(("Is", "Are", "Does")) else "2"
    return Question(number, None, words, (answer,) * 10)


def made_up(size: int) -> tuple[list[Question], list[str]]:
    """Questions of which some repeat, and new texts."""
    questions = [question(number, max(1, int(size * 0.4))) for number in range(size)]
    return questions, unseen(map(text, count(10**6)), {each.text for each in questions})


def real(file: str, size: int) -> tuple[list[Question], list[str]]:
    """The questions of a file, and the last of them, which are not among the others."""
    texts = list(dict.fromkeys(filter(None, Path(file).read_text(encoding="utf-8").splitlines())))
    return [Question(n, None, each, ("yes",) * 10) for n, each in enumerate(texts[:-SAMPLE][:size])], texts[-SAMPLE:]


def unseen(texts: Iterable[str], seen: set[str]) -> list[str]:
    return list(islice((text for text in texts if not (text in seen or seen.add(text))), SAMPLE))


def memory() -> float:
    """The most that this process has taken, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def textattack_seconds(python: str, texts: list[str]) -> float:
    done = subprocess.run(
        [python, "-c", TEXTATTACK],
        input=json.dumps(texts),
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"},
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
    questions, texts = real(options.questions, options.count) if options.questions else made_up(options.count)
    print(f"{len(questions):,} questions, {len({q.text for q in questions}):,} distinct texts")

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
        halfway = memory() if number == len(questions) // 4 else halfway
    seconds, busy = time.perf_counter() - start, time.process_time() - busy
    print(
        f"all three types in {seconds:.1f} s ({busy:.1f} s of processor), {len(questions) / seconds:,.0f} questions/s"
    )
    print(f"made {dict(made)}; memory {before:.0f} MB before, {halfway:.0f} MB early on, {memory():.0f} MB at the end")

    new = [Question(number, None, words, ("yes",)) for number, words in enumerate(texts)]
    gc.collect()
    gc.freeze()
    start = time.process_time()
    for _ in vary_all(perturbation, new, 0, "p2"):
        pass
    ours = time.process_time() - start
    if options.textattack:
        theirs, peer = textattack_seconds(options.textattack, texts), "TextAttack's WordNet augmenter"
    else:
        whole = spacy.load(Tagger().name)
        start = time.process_time()
        for words in texts:
            whole(words)
        theirs, peer = time.process_time() - start, "spaCy's whole pipeline, one question at a time"
    print(f"{SAMPLE:,} new questions: ours {ours:.3f} s of processor, {peer} {theirs:.2f} s; ratio {theirs / ours:.1f}")
    rate = (theirs / SAMPLE) / (busy / len(questions))
    print(f"per question of the whole set, where texts repeat: ratio {rate:.1f}")


if __name__ == "__main__":
    with one_thread():
        main()
