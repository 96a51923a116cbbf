"""The certified LASSO against scikit-learn and celer: seconds per question on one core, gaps, growth and memory.

    python benchmarks/bench_lasso.py [--pools 20000] [--questions 256] [--celer PYTHON]

Everything is measured in one run and on one core. The pool is ``--texts FILE`` (one question per line; by default the
real questions next to the project, if they exist), extended by replacing nouns, and encoded with the default encoder. A
second size in ``--pools``, e.g. 20000,186027, shows growth; with ``--encode N`` only N texts are encoded, and further
vectors are derived from these with seeded noise, which the output says. Peers solve some of the same questions:
scikit-learn's coordinate descent (tol 1e-10) and LARS, and celer (tol 1e-12) if ``--celer`` names the Python of an
environment that has it: python -m venv peers && peers/bin/pip install celer.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import tempfile
import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
from questions import NOUNS, text

from askew.rank.lasso import FittedLasso, Lasso, nonnegative
from askew.rank.lasso.certificate import duality_gap
from askew.rank.lasso.signed import SignedPool
from askew.rank.pool_vectors import Columns, one_thread
from askew.rank.question_pool import QuestionPool
from askew.rank.sentence_encoders import encoder_of

REAL = Path(__file__).parents[1] / ".." / "shared" / "data" / "questions" / "vqa_v2_train_25k.txt"
LAMBDA = 1e-6
NOISE = 0.4
"""Length of the noise added to a vector to derive a new one; the cosine of the two is then about 0.93."""
CELER = """
import json, sys, time, warnings
import numpy as np
from celer import Lasso
warnings.simplefilter("ignore")
data = np.load(sys.argv[1])
design, targets, out = np.asfortranarray(data["rows"].astype(float).T), data["targets"].astype(float), data["out"]
for number, (target, left_out) in enumerate(zip(targets, out)):
    own = design[:, left_out].copy()
    design[:, left_out] = 0
    model = Lasso(alpha=float(sys.argv[2]) / len(target), fit_intercept=False, positive=True, tol=1e-12, max_iter=500)
    model.fit(design, target) if number == 0 else None
    start = time.process_time()
    model.fit(design, target)
    seconds = time.process_time() - start
    design[:, left_out] = own
    print(json.dumps([seconds, np.flatnonzero(model.coef_).tolist(), model.coef_[model.coef_ != 0].tolist()]))
"""


def questions(texts: list[str]) -> Iterator[str]:
    """The texts, then generated ones, then all of these with other nouns, without end."""
    some = [*texts, *map(text, range(40_000))]
    yield from some
    rng = Random("slots")
    while True:
        words = rng.choice(some).rstrip("?").split()
        places = [place for place, word in enumerate(words) if word.lower() in NOUNS] or [len(words) - 1]
        for place in places:
            words[place] = rng.choice(NOUNS)
        yield " ".join([*words, "with the", rng.choice(NOUNS)] if rng.random() < 0.5 else words) + "?"


def pool_of(texts: list[str], size: int) -> QuestionPool:
    stream, some = questions(texts), []
    while True:
        some += [next(stream) for _ in range(size)]
        pool = QuestionPool.of(some)
        if len(pool) >= size:
            return QuestionPool.of(pool.texts[:size])


@dataclass(frozen=True)
class Partly:
    """The default encoder's vectors for the first texts; each other text gets one of these plus seeded noise."""

    most: int

    def encode(self, texts: Sequence[str]) -> Any:
        known = encoder_of("use").encode(texts[: self.most])
        missing = len(texts) - len(known)
        if missing == 0:
            return known
        rng = np.random.default_rng(0)
        rows = np.empty((len(texts), known.shape[1]), np.float32)
        rows[: len(known)] = known
        for start in range(len(known), len(texts), 4096):
            part = rows[start : start + 4096]
            noise = rng.standard_normal(part.shape, np.float32) * np.float32(NOISE / np.sqrt(part.shape[1]))
            part[:] = known[rng.integers(len(known), size=len(part))] + noise
            part /= np.linalg.norm(part, axis=1, keepdims=True)
        print(f"NOTE: {missing:,} of {len(texts):,} vectors are made up: encoded ones moved by noise of length {NOISE}")
        return rows


def gap_of(rows: Any, target: Any, out: int, places: Any, x: Any, signed: bool) -> float:
    """The certified gap of any solver's coefficients, in float64."""
    residual = target - x @ rows[places].astype(float)
    c = rows.astype(float) @ residual
    allowed = np.delete(c, out)
    most = np.abs(allowed).max() if signed else allowed.max()
    return duality_gap(LAMBDA, float(residual @ residual), x, c[places], float(most))[0]


def ours(columns: Columns, signed: bool, count: int) -> tuple[float, dict[int, Any]]:
    rows = columns.vectors
    out = [[number] for number in range(count)]
    ready = SignedPool.of(rows) if signed else None

    def run(first: int) -> Any:
        if ready is not None:
            return ready.solve(rows[:first], out[:first], LAMBDA)
        return nonnegative.solve(rows, rows[:first], out[:first], LAMBDA)

    dict(run(2))
    start = time.process_time()
    found = dict(run(count))
    seconds = (time.process_time() - start) / count
    proofs = [solution.certificate for solution in found.values()]
    fitted = FittedLasso(Lasso("free" if signed else "nonneg", LAMBDA), columns)
    proven = [fitted.ranked("", found[number], [number], 21).proof["certified"] for number in range(count)]
    exact = sum(p.gap <= (1e-6 * p.objective if signed else 1e-12) for p in proofs)
    print(
        f"  ours {'signed' if signed else 'x >= 0'}: {seconds * 1e3:.2f} ms a question ({count} together), "
        f"{exact}/{count} certified, largest gap {max(p.gap for p in proofs):.1e}, "
        f"support {statistics.mean(p.support for p in proofs):.0f}, "
        f"rounds {statistics.mean(p.rounds for p in proofs):.1f}, "
        f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    )
    some = [number for number in proven if 0 < number < 21]
    print(
        f"    order of the first 21 proven: all for {proven.count(21)}, some for {len(some)}"
        f"{f' ({statistics.mean(some):.0f} on average)' if some else ''}, none for {proven.count(0)}"
    )
    return seconds, found


def peer(name: str, seconds: list[float], gaps: list[float], overlap: list[int], mine: float) -> None:
    print(
        f"  {name}: {statistics.mean(seconds):.2f} s a question ({len(seconds)}), gap {max(gaps):.1e}, "
        f"{statistics.mean(overlap):.0f}/21 in common; ratio {statistics.mean(seconds) / mine:.0f}"
    )


def best(places: Any, x: Any) -> set[int]:
    return {int(place) for place in places[np.argsort(-x)[:21]]}


def against_sklearn(columns: Columns, found: dict[int, Any], mine: float, signed: bool, count: int) -> None:
    try:
        from sklearn.linear_model import Lasso as Descent
        from sklearn.linear_model import LassoLars
    except ModuleNotFoundError:
        print("  scikit-learn is not installed: pip install scikit-learn")
        return
    rows = columns.vectors
    design = np.asfortranarray(rows.astype(float).T)
    width, seconds, gaps, overlap = rows.shape[1], [], [], []
    for number in range(count):
        own = design[:, number].copy()
        design[:, number] = 0
        if signed:
            model = LassoLars(alpha=LAMBDA / width, fit_intercept=False, max_iter=20_000)
        else:
            model = Descent(alpha=LAMBDA / width, fit_intercept=False, positive=True, tol=1e-10, max_iter=1_000_000)
        target = rows[number].astype(float)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(design, target)
        seconds.append(time.process_time() - start)
        design[:, number] = own
        places = np.flatnonzero(model.coef_)
        gaps.append(gap_of(rows, target, number, places, model.coef_[places], signed))
        overlap.append(len(best(places, model.coef_[places]) & best(found[number].columns, found[number].x)))
    name = "scikit-learn LassoLars" if signed else "scikit-learn Lasso(positive), tol 1e-10"
    peer(name, seconds, gaps, overlap, mine)


def against_celer(python: str | None, columns: Columns, found: dict[int, Any], mine: float, count: int) -> None:
    if python is None:
        print("  celer: not asked for (--celer PYTHON; python -m venv peers && peers/bin/pip install celer)")
        return
    rows = columns.vectors
    with tempfile.TemporaryDirectory() as folder:
        np.savez(f"{folder}/data.npz", rows=rows, targets=rows[:count], out=np.arange(count))
        one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [python, "-c", CELER, f"{folder}/data.npz", str(LAMBDA)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=one)
    if done.returncode:
        print(f"  celer did not run: {done.stderr.strip()[-300:]}")
        return
    results = [json.loads(line) for line in done.stdout.splitlines()]
    solved = [(np.array(places, int), np.array(x)) for _, places, x in results]
    gaps = [gap_of(rows, rows[n].astype(float), n, places, x, False) for n, (places, x) in enumerate(solved)]
    overlap = [len(best(*one) & best(found[n].columns, found[n].x)) for n, one in enumerate(solved)]
    peer("celer, tol 1e-12", [seconds for seconds, _, _ in results], gaps, overlap, mine)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pools", default="20000")
    parser.add_argument("--questions", type=int, default=256)
    parser.add_argument("--peers", type=int, default=3, help="questions that peers solve; 0 for none")
    parser.add_argument("--texts", default=str(REAL))
    parser.add_argument("--celer", metavar="PYTHON")
    parser.add_argument("--encode", type=int, default=10**9, help="texts that are encoded; other vectors are made up")
    options = parser.parse_args()
    texts = Path(options.texts).read_text(encoding="utf-8").splitlines() if Path(options.texts).is_file() else []
    print(f"{len(texts):,} texts from a file, the rest made by exchanging nouns")
    times: list[tuple[int, float, float]] = []
    for size in map(int, options.pools.split(",")):
        start = time.perf_counter()
        columns = Columns.of(pool_of(texts, size), Partly(options.encode))
        print(
            f"{len(columns):,} columns of {columns.vectors.shape[1]}, {columns.vectors.nbytes / 2**20:.0f} MB "
            f"({time.perf_counter() - start:.0f} s to encode; "
            f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB)"
        )
        with one_thread():
            mine, found = ours(columns, False, options.questions)
            if options.peers and not times:
                against_sklearn(columns, found, mine, False, options.peers)
                against_celer(options.celer, columns, found, mine, options.peers)
            mine_signed, found = ours(columns, True, max(16, options.questions // 4))
            if options.peers and not times:
                against_sklearn(columns, found, mine_signed, True, options.peers)
        times.append((len(columns), mine, mine_signed))
    for (few, fast, fast_signed), (many, slow, slow_signed) in pairwise(times):
        print(
            f"{many / few:.1f} times the pool: {slow / fast:.1f} times the time, signed {slow_signed / fast_signed:.1f}"
        )


if __name__ == "__main__":
    main()
