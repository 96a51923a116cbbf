"""Write ``src/askew/world/data/yes_no_odds.yaml``: the log odds of yes for each part of a yes/no question of the world.

    python tools/make_yes_no_odds.py [--scenes 4000]

A logistic regression on the parts of the questions (``askew.world.splits.parts``) about scenes with a seed that
no split of the default world uses, each asked about eight times. Run it again when the scenes or the grammar of the
world change, and raise ``VERSION`` in ``askew/world/dataset.py``. It takes two minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import ClassVar

import numpy as np

from askew.audit.text_classifier import Floats, minimised, sparse
from askew.world.ask import asked
from askew.world.phrasing import Draft
from askew.world.scenes import make_scene
from askew.world.splits import parts

OUTPUT = Path(__file__).parents[1] / "src" / "askew" / "world" / "data" / "yes_no_odds.yaml"
SEED = 1_000_003
TIMES = 8
"""The number of times that each scene is asked about."""
STRENGTH = 1.0
"""The inverse of the penalty."""
LEAST = 0.05
"""Smaller log odds are left out."""
HEADER = """\
# The log odds of yes for each part of a yes/no question, written by tools/make_yes_no_odds.py from {questions:,}
# questions about {scenes:,} scenes. The odds of a question are the sum over its parts.
"""


class Recorder:
    """Keeps every draft, and remembers the yes/no ones."""

    tries: ClassVar[int] = 1

    def __init__(self) -> None:
        self.drafts: list[Draft] = []

    def keeps(self, kind: str, draft: Draft, chance: float) -> bool:
        """True."""
        if draft.answer in ("yes", "no"):
            self.drafts.append(draft)
        return True


def learned(drafts: list[Draft]) -> dict[str, float]:
    """The log odds of each part."""
    texts = sparse(parts(draft) for draft in drafts)
    sides = np.array([1.0 if draft.answer == "yes" else -1.0 for draft in drafts])

    def loss(odds: Floats) -> tuple[float, Floats]:
        margin = sides * texts.dot(odds)
        slope = -sides * np.exp(-np.logaddexp(0, margin))
        gradient = texts.dot_transposed(slope) + odds / STRENGTH
        return float(np.logaddexp(0, -margin).sum() + np.square(odds).sum() / (2 * STRENGTH)), gradient

    odds = minimised(loss, np.zeros(len(texts.names)), 1e-5 * len(drafts))
    return dict(zip(texts.names, odds.tolist(), strict=True))


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--scenes", type=int, default=4000)
    scenes = parser.parse_args().scenes
    recorder = Recorder()
    for index in range(scenes):
        scene = make_scene(SEED, index)
        for time in range(TIMES):
            asked(scene, SEED + time, recorder)
    odds = {part: round(value, 2) for part, value in sorted(learned(recorder.drafts).items())}
    lines = [f'"{part}": {value:.2f}\n' for part, value in odds.items() if abs(value) >= LEAST]
    header = HEADER.format(questions=len(recorder.drafts), scenes=scenes)
    OUTPUT.write_text(header + "".join(lines), encoding="utf-8")
    print(f"{len(lines):,} parts of {len(recorder.drafts):,} questions")


if __name__ == "__main__":
    main()
