"""The form of answers: how a run compares them, and how many are correct or wrong by their form alone.

A model that answers in free text says "Yes." where people said "yes". Its answers are extracted and compared after
normalisation; those of classifiers and result files are compared as the suite says, like published figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from typing import Any, cast

from askew.answers.extract import short
from askew.engine.run_metrics import with_mode
from askew.engine.settings import Named, Settings
from askew.errors import BadOption
from askew.metrics.accuracy import check_mode, soft
from askew.types import Mode, Prediction, Question
from askew.verbs import ModelFacts, Suite

NORMALISED: Mode = "robust"
"""The mode in which free text is compared."""
_LONGEST = 60
"""Letters of an example."""
_PLAIN = re.compile(r"[a-z0-9'/-]+(?: [a-z0-9'/-]+)?")
"""An answer in one or two words, in which no extraction finds another."""


def step_for(model: Any, settings: Settings) -> str:
    """The extraction step of a run."""
    if settings.extract != "auto":
        return settings.extract
    return "short" if ModelFacts(model).free_text else "none"


def scored_by(suite: Named, model: Any, settings: Settings) -> Suite:
    """The suite in the mode of accuracy that this model's answers are compared in.

    >>> from askew.suites.rad import RadSuite
    >>> from askew.models.baselines import Constant
    >>> scored_by(Named(RadSuite(), "rad"), print, Settings()).accuracy
    'robust'
    >>> scored_by(Named(RadSuite(), "rad"), Constant(), Settings()).accuracy
    'official'
    """
    what: Suite = suite.what
    if settings.accuracy == "auto":
        return with_mode(what, NORMALISED) if ModelFacts(model).free_text and not _is_chosen(suite) else what
    check_mode(settings.accuracy)
    made = with_mode(what, cast(Mode, settings.accuracy))
    if made.accuracy != settings.accuracy:
        raise BadOption(
            f"The suite {what.name!r} has no option 'accuracy', so it cannot be scored with accuracy "
            f"{settings.accuracy!r}. Leave --accuracy out, or give the suite a field 'accuracy'."
        )
    if made is not what and _is_chosen(suite):
        raise BadOption(f"{suite.spec} and accuracy={settings.accuracy} contradict each other. Leave one of them out.")
    return made


def _is_chosen(suite: Named) -> bool:
    """Whether a person has chosen the suite's mode: in the spec, or as an option that is not the default."""
    mode = suite.what.accuracy
    if re.search(rf"(?:\baccuracy=|^accuracy:){mode}(?:,|$)", suite.spec):
        return True
    options = fields(suite.what) if is_dataclass(suite.what) else ()
    return any(option.name == "accuracy" and option.default not in (mode, MISSING) for option in options)


@dataclass
class AnswerForms:
    """Counts the answers whose correctness hangs on case, punctuation or words around them."""

    modes: Mapping[str, tuple[Mode, Mode]]
    """For each suite the mode that it has by itself, and the one that is used."""
    scored: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each count the first such answer, and what it is compared with."""

    def add(self, suite: str, question: Question, said: Prediction, taken: Prediction) -> None:
        """Count one answer, as it was said and as it is scored."""
        if said.answer is None or not question.answers:
            return
        self.scored += 1
        own, used = self.modes[suite]
        final = _value(question, taken.answer, used)
        plain = _value(question, said.answer, _strict(own) if used == NORMALISED else used)
        if plain == 1.0 == final:
            return
        if kind := _kind(question, said.answer, plain, final, used):
            self.counts[kind] += 1
            compared = taken.answer if kind.endswith("counted") else question.answers[0]
            self.examples.setdefault(kind, (said.answer[:_LONGEST], (compared or "no answer")[:_LONGEST]))

    def record(self) -> dict[str, Any]:
        """For results.json."""
        return {"scored": self.scored, "counts": dict(self.counts), "examples": self.examples}


def _kind(question: Question, said: str, plain: float, final: float, used: Mode) -> str:
    """What decides over this answer, and whether it counts for it; empty when its form does not matter."""
    if final < _value(question, said, used):
        return "lost"
    counted = "counted" if final > plain else "missed"
    if _value(question, said, _lenient(used)) > plain:
        return f"form {counted}"
    if final > plain:
        return "extraction counted"
    if _PLAIN.fullmatch(said):
        return ""
    return "extraction missed" if _value(question, short(question.text, said)[0], _lenient(used)) > plain else ""


def _value(question: Question, answer: str | None, mode: Mode) -> float:
    return soft(question, Prediction(question.id, answer), 0.0, mode) or 0.0


def _strict(mode: Mode) -> Mode:
    return "official" if mode == NORMALISED else mode


def _lenient(mode: Mode) -> Mode:
    return NORMALISED if mode in ("official", "exact") else mode
