"""How often does the audit of texts call words a shortcut that say nothing?

    python benchmarks/bench_audit.py [draws, by default 200]

Answers are drawn independently of the words: as often yes as no, or no in nine of ten questions; three questions about
each image, of few or of many different words; 150 or 600 of them. Shown is how often text is called far above, or
far below, a guess without text.
Goal: at most 5 % of the draws each, give or take two standard errors.
"""

import sys
from itertools import product
from math import sqrt
from random import Random

from askew.audit.labelled_texts import texts_of_questions
from askew.audit.text_audit import audited
from askew.types import ImageRef, Question

GOAL = 0.05


def main() -> None:
    draws = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    worst = 0.0
    for yes, words, count in product((0.5, 0.1), (10, 200), (150, 600)):
        found = [audited(texts_of_questions(null(yes, words, count, seed))).scores[0] for seed in range(draws)]
        above, below = (sum(getattr(one, name) for one in found) / draws for name in ("far_above", "far_below"))
        print(
            f"{yes:.0%} yes, {words:3} words, {count} texts: far above {above:.1%}, far below {below:.1%}", flush=True
        )
        worst = max(worst, above, below)
    assert worst <= GOAL + 2 * sqrt(GOAL * (1 - GOAL) / draws), worst


def null(yes, words, count, seed):
    rng = Random(f"{yes} {words} {count} {seed}")
    for number in range(count):
        text = f"Is the thing{rng.randrange(words)} near the thing{rng.randrange(words)}?"
        yield Question(number, ImageRef(number // 3), text, ("yes" if rng.random() < yes else "no",))


if __name__ == "__main__":
    main()
