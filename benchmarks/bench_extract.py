"""What the extraction step ``short`` does to answers that are already short: those that people gave.

    python benchmarks/bench_extract.py VQA_FOLDER

Every distinct answer that people gave to a question is scored against all of that question's answers, as it is and
after the step, in the mode ``robust``: how many score lower, how many higher, and how long the step takes.
"""

import sys
import time

from askew.answers.extract import short
from askew.metrics.accuracy import accuracy
from askew.registry import open_data


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
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
