"""The certified LASSO against scikit-learn and celer: seconds per question on one core, gaps, growth and memory.

    python benchmarks/bench_lasso.py [--pools 20000] [--questions 256] [--held-out] [--signs free] [--celer PYTHON]

Everything is measured in one run and on one thread; askew from text to ranking, with the pool's vectors encoded before.
The pool is ``--texts FILE`` (one question per line; by default the real questions next to the project, if they exist),
extended by replacing nouns, and encoded with the default encoder. Questions are taken from the pool, each leaving
itself out, or with ``--held-out`` from the file, and are then not in the pool. A second size in ``--pools``, e.g.
20000,186027, shows growth; with ``--encode N`` only N texts are encoded, and further vectors are derived from these
with seeded noise; the output says so. Peers solve some of the same questions: scikit-learn's coordinate
descent (tol 1e-10) and LARS, and celer (tol 1e-12) if ``--celer`` names the Python of an environment that has it:
python -m venv peers && peers/bin/pip install celer.
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

from askew.rank.lasso import FittedLasso, Lasso
from askew.rank.lasso.certificate import duality_gap
from askew.rank.pool_vectors import Columns, one_thread
from askew.rank.ranking import QuestionPool
from askew.rank.sentence_encoders import embedded, encoder_of
from askew.types import Ranked

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
    left_out = [left_out] if left_out >= 0 else []
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


@dataclass(frozen=True)
class Asked:
    """Some of the questions, for peers: vectors, the columns that each may not use, and our first 21 columns."""

    columns: Columns
    targets: Any
    out: list[list[int]]
    ours: list[set[int]]

    @classmethod
    def of(cls, fitted: FittedLasso, ranked: Sequence[Ranked]) -> Asked:
        columns, texts = fitted.columns, [one.text for one in ranked]
        targets = embedded(encoder_of(fitted.lasso.encoder), texts)
        out = [columns.same(text, target) for text, target in zip(texts, targets, strict=True)]
        ours = [set(np.searchsorted(columns.representative, one.indices).tolist()) for one in ranked]
        return cls(columns, targets, out, ours)

    def report(self, name: str, solved: Sequence[tuple[float, Any, Any]], mine: float, signed: bool = False) -> None:
        """Print a peer's mean seconds, largest gap and overlap, from (seconds, columns, coefficients) for each."""
        gaps = [self._gap(number, places, x, signed) for number, (_, places, x) in enumerate(solved)]
        firsts = [{int(place) for place in places[np.argsort(-x)[:21]]} for _, places, x in solved]
        overlap = [len(first & ours) for first, ours in zip(firsts, self.ours, strict=False)]
        seconds = statistics.mean(one[0] for one in solved)
        print(
            f"  {name}: {seconds:.2f} s a question ({len(solved)}), gap {max(gaps):.1e}, "
            f"{statistics.mean(overlap):.0f}/21 in common; ratio {seconds / mine:.0f}"
        )

    def _gap(self, number: int, places: Any, x: Any, signed: bool) -> float:
        """The certified gap of any solver's coefficients, in float64."""
        rows = self.columns.vectors
        residual = self.targets[number] - x @ rows[places].astype(float)
        c = rows.astype(float) @ residual
        allowed = np.delete(c, self.out[number])
        most = np.abs(allowed).max() if signed else allowed.max()
        return duality_gap(LAMBDA, float(residual @ residual), x, c[places], float(most))[0]


def ours(fitted: FittedLasso, asked: Sequence[str]) -> tuple[float, list[Ranked]]:
    fitted.top(asked[-2:], 21)  # compiles
    start = time.process_time()
    ranked = fitted.top(asked, 21)
    seconds = (time.process_time() - start) / len(asked)
    proofs = [one.proof for one in ranked]
    signed = fitted.lasso.sign == "free"
    exact = sum(proof["gap"] <= (1e-6 * proof["objective"] if signed else 1e-12) for proof in proofs)
    print(
        f"  ours {'signed' if signed else 'x >= 0'}: {seconds * 1e3:.2f} ms a question ({len(asked)} together), "
        f"{exact}/{len(asked)} exact, largest gap {max(proof['gap'] for proof in proofs):.1e}, "
        f"support {statistics.mean(proof['support'] for proof in proofs):.0f}, "
        f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    )
    proven = [proof["certified"] for proof in proofs]
    some = [number for number in proven if 0 < number < 21]
    print(
        f"    order of the first 21 proven: all for {proven.count(21)}, some for {len(some)}"
        f"{f' ({statistics.mean(some):.0f} on average)' if some else ''}, none for {proven.count(0)}",
        flush=True,
    )
    return seconds, ranked


def against_sklearn(asked: Asked, mine: float, signed: bool) -> None:
    try:
        from sklearn.linear_model import Lasso as Descent
        from sklearn.linear_model import LassoLars
    except ModuleNotFoundError:
        print("  scikit-learn is not installed: pip install scikit-learn")
        return
    design, solved = np.asfortranarray(asked.columns.vectors.astype(float).T), []
    width = len(design)
    for target, out in zip(asked.targets.astype(float), asked.out, strict=True):
        own = design[:, out].copy()
        design[:, out] = 0
        if signed:
            model = LassoLars(alpha=LAMBDA / width, fit_intercept=False, max_iter=20_000)
        else:
            model = Descent(alpha=LAMBDA / width, fit_intercept=False, positive=True, tol=1e-10, max_iter=1_000_000)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(design, target)
        seconds = time.process_time() - start
        design[:, out] = own
        places = np.flatnonzero(model.coef_)
        solved.append((seconds, places, model.coef_[places]))
    name = "scikit-learn LassoLars" if signed else "scikit-learn Lasso(positive), tol 1e-10"
    asked.report(name, solved, mine, signed)


def against_celer(python: str | None, asked: Asked, mine: float) -> None:
    if python is None:
        print("  celer: not asked for (--celer PYTHON; python -m venv peers && peers/bin/pip install celer)")
        return
    with tempfile.TemporaryDirectory() as folder:
        out = [(columns or [-1])[0] for columns in asked.out]
        np.savez(f"{folder}/data.npz", rows=asked.columns.vectors, targets=asked.targets, out=out)
        one = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [python, "-c", CELER, f"{folder}/data.npz", str(LAMBDA)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=one)
    if done.returncode:
        print(f"  celer did not run: {done.stderr.strip()[-300:]}")
        return
    results = [json.loads(line) for line in done.stdout.splitlines()]
    solved = [(seconds, np.array(places, int), np.array(x)) for seconds, places, x in results]
    asked.report("celer, tol 1e-12", solved, mine)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--pools", default="20000")
    parser.add_argument("--questions", type=int, default=256, help="for sign=free a quarter of them, at least 16")
    parser.add_argument("--held-out", action="store_true", help="ask questions that are not in the pool")
    parser.add_argument("--signs", default="nonneg,free")
    parser.add_argument("--peers", type=int, default=3, help="questions that peers solve; 0 for none")
    parser.add_argument("--texts", default=str(REAL))
    parser.add_argument("--celer", metavar="PYTHON")
    parser.add_argument("--encode", type=int, default=10**9, help="texts that are encoded; other vectors are made up")
    options = parser.parse_args()
    texts = Path(options.texts).read_text(encoding="utf-8").splitlines() if Path(options.texts).is_file() else []
    held: tuple[str, ...] = ()
    if options.held_out:
        distinct = QuestionPool.of(texts).texts
        held = tuple(Random("held out").sample(distinct, options.questions))
        texts = [text for text in distinct if text not in set(held)]
    print(f"{len(texts):,} texts from a file, the rest made by exchanging nouns; {len(held):,} questions held out")
    times: dict[str, list[tuple[int, float]]] = {sign: [] for sign in options.signs.split(",")}
    for size in map(int, options.pools.split(",")):
        start = time.perf_counter()
        columns = Columns.of(pool_of(texts, size), Partly(options.encode))
        print(
            f"{len(columns):,} columns of {columns.vectors.shape[1]}, {columns.vectors.nbytes / 2**20:.0f} MB "
            f"({time.perf_counter() - start:.0f} s to encode; "
            f"peak {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB)",
            flush=True,
        )
        questions = [text for text in held if columns.pool.find(text) is None] or columns.pool.texts[
            : options.questions
        ]
        for sign, measured in times.items():
            fitted = FittedLasso(Lasso(sign, LAMBDA, Partly(options.encode)), columns)
            some = questions if sign == "nonneg" else questions[: max(16, options.questions // 4)]
            with one_thread():
                mine, ranked = ours(fitted, some)
                if options.peers and not measured:
                    asked = Asked.of(fitted, ranked[: options.peers])
                    against_sklearn(asked, mine, sign == "free")
                    if sign == "nonneg":
                        against_celer(options.celer, asked, mine)
            measured.append((len(columns), mine))
    for sign, measured in times.items():
        for (few, fast), (many, slow) in pairwise(measured):
            print(f"{many / few:.1f} times the pool: {slow / fast:.1f} times the time with {sign}")


if __name__ == "__main__":
    main()
