"""The paper's whole ranking job, extrapolated from a slice: 244,302 questions against a pool of 186,027, all rankers.

    python benchmarks/bench_ranking_job.py --pool POOL.txt --questions QUESTIONS.txt [--slice 500]

Both files have one question per line. Processor time of one process with one thread: reading the pool (once for each
worker, with its vectors from the cache), each question of the slice from text to ranking, and the vector of one text.
The whole job is extrapolated to two workers, with and without all sentence vectors, for questions that are all distinct
and for the given share of distinct ones; each distinct text is ranked once. Writing the files is not included.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from askew.rank.ranking import BATCH, QuestionPool
from askew.rank.sentence_encoders import _use_vectors as use_vectors
from askew.registry import make
from askew.suites.basic import PAPER_RANKERS

QUESTIONS = 244_302
TOP = 21


def lines(path: str) -> list[str]:
    return Path(path).read_text(encoding="utf-8").splitlines()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pool", required=True)
    parser.add_argument("--questions", required=True)
    parser.add_argument("--slice", type=int, default=512)
    parser.add_argument("--rankers", default=",".join(PAPER_RANKERS))
    parser.add_argument("--distinct", type=int, default=130_000, help="how many of the questions are distinct")
    options = parser.parse_args()
    pool, asked = QuestionPool.of(lines(options.pool)), lines(options.questions)
    warm, asked = asked[-16:], asked[: options.slice]
    print(f"{len(pool):,} questions in the pool, {len(asked):,} ranked", flush=True)
    total_fit = total = 0.0
    for spec in options.rankers.split(","):
        ranker = make("ranker", spec)
        start = time.process_time()
        fitted = ranker.fit(pool.texts)
        fitted.top(warm, TOP)  # compiles
        ready = time.process_time()
        for begin in range(0, len(asked), BATCH):
            fitted.top(asked[begin : begin + BATCH], TOP)
        fit, each = ready - start, (time.process_time() - ready) / len(asked)
        print(f"  {spec}: {fit:.1f} s to read the pool, {each * 1e3:.2f} ms a question", flush=True)
        total_fit, total = total_fit + fit, total + each
        del fitted
    use_vectors(warm)
    start = time.process_time()
    use_vectors(asked)
    vector = (time.process_time() - start) / len(asked)
    print(f"  {vector * 1e3:.2f} ms for a text's vector; {(total + vector) * 1e3:.2f} ms a question with its vector")
    for count, which in ((QUESTIONS, "all distinct"), (options.distinct, f"{options.distinct:,} of them distinct")):
        ranking, vectors = (2 * total_fit + count * total) / 60, (len(pool) + count) * vector / 60
        print(
            f"{QUESTIONS:,} questions, {which}: {ranking:.0f} core-minutes, {ranking / 2:.0f} minutes on 2 cores; "
            f"{(ranking + vectors) / 2:.0f} with the vectors of pool and questions"
        )


if __name__ == "__main__":
    main()
