"""How well the extraction step ``short`` reads labelled replies, and what it does to answers that are already short.

    python benchmarks/bench_extract.py [VQA_FOLDER]

For each set of labelled replies in ``tests/answers``: how many are right, and how many of the answers given, with
Wilson's intervals (``held_out_11`` is the one that no rule was written for). With a folder of VQA's files, every
distinct answer that people gave to a question is scored against all of that question's answers, as it is and after the
step, in the mode ``robust``: how many score lower, how many higher, and how long the step takes.
"""

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "answers"))
from test_extract_replies import LABELLED, by_class

from askew.answers.extract import short
from askew.metrics.accuracy import accuracy
from askew.registry import open_data
from askew.significance import wilson


def share(hits: int, n: int) -> str:
    low, high = wilson(hits, n)
    return f"{hits:,} of {n:,} ({hits / n:.1%}, {100 * low:.1f}–{100 * high:.1f})"


def main() -> None:
    for name in LABELLED:
        replies, right, given, wrong = (sum(column) for column in zip(*by_class(name).values(), strict=True))
        print(f"{name}: {share(right, replies)} right; of the answers given {share(given - wrong, given)}")
    if len(sys.argv) != 2:
        return
    pairs = [
        (question, said) for question in open_data(sys.argv[1]).questions() for said in sorted({*question.answers})
    ]
    start = time.process_time()
    taken = [short(question.text, said)[0] for question, said in pairs]
    seconds = time.process_time() - start
    lower = higher = 0
    for (question, said), found in zip(pairs, taken, strict=True):
        before = accuracy(said, question.answers, "robust")
        after = 0.0 if found is None else accuracy(found, question.answers, "robust")
        lower, higher = lower + (after < before), higher + (after > before)
    each = 1e6 * seconds / max(1, len(pairs))
    print(f"{len(pairs):,} answers: {lower:,} score lower after extraction, {higher:,} higher; {each:.0f} µs each")


if __name__ == "__main__":
    main()
