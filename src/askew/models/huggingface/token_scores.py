"""Probabilities of tokens while a model writes: of a given answer that it is made to write.

Both are logits processors for ``generate``, so prompts, padding, positions and caches are those of answering, whatever
the family. They come last, so probabilities are after whatever the generation config does to logits (a repetition
penalty, suppressed tokens).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from askew.errors import need

Tokens = Sequence[int]


class Forced:
    """Makes each row of a batch write its given answer, and keeps the log-probability of each of its tokens.

    An answer may be given in several forms (with and without a space before it): the one whose first token is
    likelier is written.
    """

    def __init__(self, forms: Sequence[Sequence[Tokens]], end: int) -> None:
        self._forms = forms
        """For each row its forms."""
        self._end = end
        self._chosen: list[Tokens] = []
        self._steps: list[list[float]] = []
        """For each step the log-probability of each row's token."""

    @property
    def longest(self) -> int:
        """Tokens that the longest form has."""
        return max((len(form) for forms in self._forms for form in forms), default=0)

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """Logits that leave each row one token: the next of its answer, or the end."""
        torch = need("torch", "hf")
        if bool((scores.isfinite().sum(-1) == 1).all()):  # the generation config forces a first token of its own
            return scores
        logs = torch.log_softmax(scores.float(), -1)
        if not self._steps:
            self._chosen = [self._likeliest(forms, row) for forms, row in zip(self._forms, logs, strict=True)]
        step = len(self._steps)
        tokens = [form[step] if step < len(form) else self._end for form in self._chosen]
        places = torch.tensor(tokens, device=scores.device)[:, None]
        self._steps.append(logs.gather(1, places)[:, 0].tolist())
        return torch.full_like(scores, -math.inf).scatter_(1, places, 0.0)

    def _likeliest(self, forms: Sequence[Tokens], row: Any) -> Tokens:
        written = [form for form in forms if form]
        return max(written, key=lambda form: float(row[form[0]]), default=())

    def probabilities(self) -> list[float]:
        """For each row exp of the mean log-probability of its answer's tokens; 0 for an answer of no tokens."""
        columns = [[step[row] for step in self._steps] for row in range(len(self._forms))]
        return [mean_probability(logs[: len(form)]) for logs, form in zip(columns, self._chosen, strict=True)]


def mean_probability(logs: Sequence[float]) -> float:
    """exp of the mean: the geometric mean of the tokens' probabilities, which does not punish long answers.

    >>> round(mean_probability([math.log(0.9), math.log(0.4)]), 6), mean_probability([]), mean_probability([-math.inf])
    (0.6, 0.0, 0.0)
    """
    return math.exp(sum(logs) / len(logs)) if logs else 0.0
