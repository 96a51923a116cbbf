"""VQA P2 on as many questions as VQA v2's validation set has: seconds, memory, and ratios against peers.

    python benchmarks/bench_p2.py [COUNT] [--textattack PYTHON] [--questions FILE] [--samples N]

The peer is TextAttack's WordNet augmenter on the same 2,000 questions (generated, all distinct and new) if
``--textattack`` names the Python of an environment that has it (textattack 0.3.11 with "flair>=0.13" "transformers<5",
and NLTK's wordnet, omw-1.4, stopwords and averaged_perceptron_tagger_eng data); otherwise spaCy's whole pipeline, one
question at a time, which any naive implementation would run first. Both are measured in processor time, with one
BLAS thread (idle threads spin, which counts as work), and objects loaded before are frozen for the garbage collector.
A sixth of a second is easily disturbed, so five such samples are taken, alternating between both sides, and the result
is the median ratio. When the samples begin, askew has read the whole set, so it knows most of their words; the peer has
read one question. As in VQA, questions of the whole set repeat, some often: four in ten are distinct. ``--questions``
names a file of real questions, one per line, to use instead of generated ones; the samples are then its last questions,
in their order, and with ``--distinct`` each text is used once, so that none in the samples was seen before.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import resource
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from pathlib import Path
from random import Random
from statistics import median
from subprocess import PIPE, Popen

import spacy
from questions import text

from askew.language.tagger import Tagger
from askew.language.wordnet import WordNet
from askew.perturb.lexical import P2Perturbation, fit
from askew.perturb.vary_dataset import vary_all
from askew.rank.pool_vectors import one_thread
from askew.types import Group, Question

TEXTATTACK = """
import gc, json, sys, time
from textattack.augmentation import WordNetAugmenter
augmenter = WordNetAugmenter(transformations_per_example=1)
augmenter.augment("Is this a dog?")
gc.collect()
gc.freeze()
for line in sys.stdin:
    texts = json.loads(line)
    start = time.process_time()
    for text in texts:
        augmenter.augment(text)
    print("seconds", time.process_time() - start, flush=True)
"""
SAMPLE = 2000
DISTINCT = 0.4
"""The share of questions whose text is new, about as in VQA v2's validation set."""


def question(number: int, words: str) -> Question:
    answer = ("yes", "no")[number % 2] if words.startswith(("Is", "Are", "Does")) else "2"
    return Question(number, None, words, (answer,) * 10)


def made_up(size: int, new: int) -> tuple[list[Question], list[str]]:
    """Questions of which some repeat an earlier one, and new texts."""
    seen: set[str] = set()
    fresh = (each for each in map(text, count()) if not (each in seen or seen.add(each)))
    rng, texts = Random("bench"), list(islice(fresh, 1))
    while len(texts) < size:
        texts.append(next(fresh) if rng.random() < DISTINCT else rng.choice(texts))
    return [question(number, words) for number, words in enumerate(texts)], list(islice(fresh, new))


def real(file: str, size: int, new: int, distinct: bool) -> tuple[list[Question], list[str]]:
    """The questions of a file, and the texts of its last ones."""
    texts = list(filter(None, Path(file).read_text(encoding="utf-8").splitlines()))
    texts = list(dict.fromkeys(texts)) if distinct else texts
    if len(texts) <= new:
        raise SystemExit(f"{file} has {len(texts):,} questions; more than {new:,} are needed.")
    return [Question(n, None, each, ("yes",) * 10) for n, each in enumerate(texts[:-new][:size])], texts[-new:]


def memory() -> float:
    """The peak memory of this process, in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def our_seconds(perturbation: P2Perturbation, texts: list[str]) -> float:
    new = [Question(number, None, words, ("yes",)) for number, words in enumerate(texts)]
    start = time.process_time()
    for _ in vary_all(perturbation, new, 0, "p2"):
        pass
    return time.process_time() - start


@contextmanager
def textattack(python: str) -> Iterator[Callable[[list[str]], float]]:
    """A function that measures TextAttack on a sample, in a separate process."""
    threads = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    command = [python, "-c", TEXTATTACK]
    with Popen(command, stdin=PIPE, stdout=PIPE, text=True, env=os.environ | threads) as process:

        def seconds(texts: list[str]) -> float:
            process.stdin.write(json.dumps(texts) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                if line.startswith("seconds "):
                    return float(line.split()[1])
            raise SystemExit("TextAttack did not run; what it says is above.")

        yield seconds
        process.stdin.close()


@contextmanager
def whole_pipeline() -> Iterator[Callable[[list[str]], float]]:
    """A function that measures spaCy on a sample."""
    pipeline = spacy.load(Tagger().name)

    def seconds(texts: list[str]) -> float:
        start = time.process_time()
        for words in texts:
            pipeline(words)
        return time.process_time() - start

    yield seconds


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("count", nargs="?", type=int, default=214_354)
    parser.add_argument("--textattack", metavar="PYTHON")
    parser.add_argument("--questions", metavar="FILE")
    parser.add_argument("--distinct", action="store_true")
    parser.add_argument("--samples", type=int, default=5)
    options = parser.parse_args()
    new = SAMPLE * options.samples
    if options.questions:
        questions, texts = real(options.questions, options.count, new, options.distinct)
    else:
        questions, texts = made_up(options.count, new)
    known = {question.text for question in questions}
    print(f"{len(questions):,} questions, {len(known):,} distinct texts")
    print(f"{len(texts):,} more to compare on, {len(set(texts) - known):,} texts among them not seen before")

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

    gc.collect()
    gc.freeze()
    peer = "TextAttack's WordNet augmenter" if options.textattack else "spaCy's whole pipeline, one question at a time"
    pairs = []
    with textattack(options.textattack) if options.textattack else whole_pipeline() as peer_seconds:
        for start in range(0, len(texts), SAMPLE):
            sample = texts[start : start + SAMPLE]
            ours, theirs = our_seconds(perturbation, sample), peer_seconds(sample)
            pairs.append((ours, theirs))
            seconds = f"ours {ours:.3f} s of processor, {peer} {theirs:.2f} s"
            print(f"{SAMPLE:,} questions: {seconds}; ratio {theirs / ours:.1f}")
    print(f"median ratio {median(theirs / ours for ours, theirs in pairs):.1f}")
    rate = median(theirs for _, theirs in pairs) / SAMPLE / (busy / len(questions))
    print(f"per question of the whole set, where texts repeat: ratio {rate:.1f}")


if __name__ == "__main__":
    with one_thread():
        main()
