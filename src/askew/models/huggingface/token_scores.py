"""Probabilities of the tokens that a model writes.

``Greedy`` and ``Forced`` keep the probabilities of tokens while a model writes its own answer, or a given one that it
is forced to write. Both are logits processors for ``generate``, so prompts, padding, positions and caches are those of
answering, whatever the family. They come last, so probabilities include whatever the generation config does to logits
(a repetition penalty, suppressed tokens).
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from typing import Any

from askew.errors import need

Tokens = Sequence[int]


class Greedy:
    """Keeps the log-probability of the token that greedy decoding takes in each step: the likeliest one."""

    def __init__(self) -> None:
        self._steps: list[Any] = []

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        """The logits, unchanged."""
        logits = scores.float()
        self._steps.append(logits.max(-1).values - logits.logsumexp(-1))
        return scores

    def rows(self) -> list[list[float]]:
        """For each row, the log-probability of its token in each step."""
        return [list(row) for row in zip(*(step.tolist() for step in self._steps), strict=True)]


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
        """The number of tokens of the longest form."""
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
        """For each row, exp of the mean log-probability of its answer's tokens; 0 for an answer without tokens."""
        return [mean_probability(logs[: len(form)]) for logs, form in zip(self.rows(), self._chosen, strict=True)]

    def rows(self) -> list[list[float]]:
        """For each row, the log-probability of its token in each step."""
        return [list(row) for row in zip(*self._steps, strict=True)]


def mean_probability(logs: Sequence[float]) -> float:
    """exp of the mean: the geometric mean of the tokens' probabilities, which does not penalise long answers.

    >>> round(mean_probability([math.log(0.9), math.log(0.4)]), 6), mean_probability([]), mean_probability([-math.inf])
    (0.6, 0.0, 0.0)
    """
    return math.exp(sum(logs) / len(logs)) if logs else 0.0


def answer_probability(
    tokens: Tokens, logs: Sequence[float], special: frozenset[int], thoughts_in: Callable[[Tokens], int]
) -> float | None:
    """``mean_probability`` of an answer's tokens, without special ones and those up to the end of the last thought.

    ``thoughts_in`` counts the ends of thoughts in the text of some tokens. None if no token is left.

    >>> logs = [math.log(p) for p in (0.1, 0.5, 0.9, 0.4, 0.2)]
    >>> round(answer_probability([8, 7, 4, 5, 2], logs, frozenset({2}), lambda tokens: tokens.count(7)), 6)
    0.6
    >>> answer_probability([2], [0.0], frozenset({2}), lambda tokens: 0) is None
    True
    """
    ends = thoughts_in(tokens)
    start = bisect_left(range(len(tokens)), ends, key=lambda n: thoughts_in(tokens[:n])) if ends else 0
    kept = [log for token, log in list(zip(tokens, logs, strict=True))[start:] if token not in special]
    score = mean_probability(kept)
    return score if kept and score == score else None
