"""How a run judges answers: the mode of accuracy, the metrics, and each outcome as a line of samples.jsonl.

A model that answers in free text says "Yes." where people said "yes". Its answers are extracted and compared after
normalisation; those of classifiers and result files are compared as the suite says, like published figures.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any, cast

import orjson

from askew.answers.choices import exact_option
from askew.answers.extract import check_step, extract, unparsed
from askew.answers.normalise import normalise
from askew.engine.ask import failure_kind, questions_of
from askew.engine.build import Coverage
from askew.engine.resume import Keys
from askew.engine.run_folder import suite_record
from askew.engine.settings import Named, Settings
from askew.errors import BadOption, DataError, UsageError, first_line
from askew.files.paths import public_text
from askew.files.records import Record, group_from, group_record, with_predictions
from askew.metrics.accuracy import agreement, check_mode, soft
from askew.metrics.bounds import rows_of_fillings
from askew.metrics.calibration import calibration_record
from askew.metrics.correct import judged
from askew.metrics.pairs import Judgement
from askew.metrics.run_table import SLICES, RunTable
from askew.metrics.scorer import scores
from askew.registry import make
from askew.types import Group, Mode, Outcome, Prediction, Question, Score
from askew.verbs import Metric, ModelFacts, Suite, SuiteFacts

OURS = "askew.metrics."
NORMALISED: Mode = "robust"
"""The mode in which free text is compared."""
_LONGEST = 60
"""The maximum number of characters of an example."""
_MOST_REMARKS = 20
"""The maximum number of kinds of remarks that are kept."""
_PLAIN = re.compile(r"[a-z0-9'/-]+(?: [a-z0-9'/-]+)?")
"""An answer in one or two words, in which no extraction finds another."""


def step_for(model: Any, settings: Settings, rule: str = "none") -> str:
    """The extraction step of a run: for free text the ``rule`` of the benchmark, if it has one, else ``short``."""
    if settings.extract != "auto":
        return settings.extract
    if not ModelFacts(model).free_text:
        return "none"
    return "short" if rule == "none" else rule


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
    """Whether the user has chosen the suite's mode: in the spec, or as an option that is not the default."""
    mode = suite.what.accuracy
    if re.search(rf"(?:\baccuracy=|^accuracy:){mode}(?:,|$)", suite.spec):
        return True
    options = fields(suite.what) if is_dataclass(suite.what) else ()
    return any(option.name == "accuracy" and option.default not in (mode, MISSING) for option in options)


def with_mode(suite: Suite, mode: Mode) -> Suite:
    """The suite with another mode of accuracy; one without such an option stays as it is.

    >>> from askew.suites.accuracy_suite import AccuracySuite
    >>> with_mode(AccuracySuite(), "robust")
    AccuracySuite(accuracy='robust')
    """
    made: Suite = _in_mode(suite, "accuracy", mode)
    return made


def measured_by(suite: Suite, mode: Mode, specs: Iterable[str]) -> dict[str, Metric]:
    """The metrics of a run with this suite, scored in this mode, and additional ones, also in this mode unless they
    name another; a name that the suite has already keeps the suite's meaning.

    >>> from askew.suites.accuracy_suite import AccuracySuite
    >>> measured_by(AccuracySuite(), "robust", ["accuracy.all", "mu", "gap:mode=exact"])
    {'accuracy.all': Accuracy(of='all', mode='robust'), 'mu': Mu(mode='robust'), \
'gap:mode=exact': Gap(mode='exact')}
    """
    made = with_mode(suite, mode)
    metrics = dict(made.metrics)
    for spec in specs:
        if spec not in metrics:
            metric = make("metric", spec)
            metrics[spec] = metric if made is suite or "mode=" in spec else _in_mode(metric, "mode", made.accuracy)
    return metrics


def _in_mode(part: Any, name: str, mode: Mode) -> Any:
    """A suite or metric with its option ``name`` set to this mode; the same object if it has no such option."""
    options = {option.name for option in fields(part) if option.init} if is_dataclass(part) else set()
    return replace(part, **{name: mode}) if name in options and getattr(part, name) != mode else part


class MeaningfulMetrics:
    """Refuses data without answers that no metric can measure, and a metric named by the user that applies to no group.

    Whatever a model answers, such a metric is a dash: ``flips`` of RAD's questions, whose answers change by design.
    Only askew's own metrics are checked; on which answers another depends is not known here.
    """

    def __init__(self, specs: Iterable[str], suites: Iterable[Suite]) -> None:
        named, self._suites = list(dict.fromkeys(specs)), list(suites)
        self._metrics = {suite.name: measured_by(suite, suite.accuracy, named) for suite in self._suites}
        self._dashes = [
            spec
            for spec in named
            if not any(spec in suite.metrics for suite in self._suites)
            and all(type(found[spec]).__module__.startswith(OURS) for found in self._metrics.values())
        ]

        self._answered = False
        """Whether something can be measured, or a question has an answer."""
        self._groups = 0

    def add(self, group: Group) -> None:
        """Look at one group."""
        self._groups += 1
        self._answered = self._answered or any(
            question.answers for question in (group.original, *(variant.question for variant in group.variants))
        )
        if not self._dashes and self._answered:
            return
        unanswered = Outcome(
            group,
            Prediction(group.original.id, None),
            tuple(Prediction(variant.question.id, None) for variant in group.variants),
        )
        metrics = self._metrics[group.suite]
        self._answered = self._answered or any(
            not type(metric).__module__.startswith(OURS) or rows_of_fillings(metric, unanswered)
            for metric in metrics.values()
        )
        self._dashes = [spec for spec in self._dashes if not rows_of_fillings(metrics[spec], unanswered)]

    def check(self) -> None:
        """Raise DataError if nothing can be measured, UsageError for a metric that applies to none of the groups."""
        if self._groups and not self._answered:
            raise DataError(
                f"None of the {self._groups:,} questions has an answer to compare with, so there is nothing to score. "
                "Give data with answers (of VQA files: vqa:QUESTIONS,annotations=FILE)."
            )
        if self._dashes:
            names, spec = ", ".join(suite.name for suite in self._suites), self._dashes[0]
            raise UsageError(
                f"The metric {spec} says nothing about {names}, whatever is answered. Leave it out (--metric "
                f"{spec}; metrics=[...] in Python), or add a suite whose changes it measures."
            )


@dataclass
class AnswerForms:
    """Counts answers that their form decides (case, punctuation, other words), and replies without a single one."""

    modes: Mapping[str, tuple[Mode, Mode]]
    """For each suite, its own mode and the one that is used."""
    scored: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    examples: dict[str, tuple[str, str]] = field(default_factory=dict)
    """For each count, the first such answer and what it is compared with."""

    def add(self, suite: str, question: Question, said: Prediction, taken: Prediction, final: float) -> None:
        """Count one answer, given the reply, the answer extracted from it, and the accuracy of that."""
        words = said.answer
        if words is None or not question.answers:
            return
        if question.choices:
            words = exact_option(question.choices, words) or words  # a letter is an answer in any form
        self.scored += 1
        if reason := unparsed(question, said, taken):
            self._count(reason, words, question.answers[0])
        own, used = self.modes[suite]
        mode: Mode = ("official" if own == NORMALISED else own) if used == NORMALISED else used
        plain = final if taken is said and mode == used else _value(question, words, mode)
        if plain == 1.0 == final:
            return
        if kind := _kind(question, words, taken.answer, plain, final, used):
            self._count(kind, words, taken.answer if kind == "extraction counted" else _alike(question, taken.answer))

    def _count(self, kind: str, words: str, compared: str | None) -> None:
        self.counts[kind] += 1
        self.examples.setdefault(kind, (first_line(words, _LONGEST), first_line(compared or "no answer", _LONGEST)))

    def record(self) -> dict[str, Any]:
        """For results.json."""
        return {"scored": self.scored, "counts": dict(self.counts), "examples": self.examples}


def _alike(question: Question, answer: str | None) -> str:
    """The reference that equals an answer but for its form, or else the first."""
    form = normalise(answer or "")
    return next((one for one in question.answers if normalise(one) == form), question.answers[0])


def _kind(question: Question, said: str, taken: str | None, plain: float, final: float, used: Mode) -> str:
    """How the form of this answer affects its score; empty when it does not."""
    if taken != said and final < _value(question, said, used):
        return "lost"
    counted = "counted" if final > plain else "missed"
    if _value(question, said, _lenient(used)) > plain:
        return f"form {counted}"
    if final > plain:
        return "extraction counted"
    if _PLAIN.fullmatch(said):
        return ""
    found = extract("short", question, Prediction(question.id, said)).answer
    return "extraction missed" if _value(question, found, _lenient(used)) > plain else ""


def _value(question: Question, answer: str | None, mode: Mode) -> float:
    return 0.0 if answer is None or not question.answers else agreement(answer, question.answers, mode)


def _lenient(mode: Mode) -> Mode:
    return NORMALISED if mode in ("official", "exact") else mode


@dataclass
class Tally:
    """Counts of a model's requests and failures."""

    asked: int = 0
    tokens: tuple[int, int] = (0, 0)
    """Read and written."""
    failed: int = 0
    """Requests without an answer."""
    non_answers: dict[bytes, str] = field(default_factory=dict)
    """Requests without an answer to score (failed, refused, empty), by key, with the reason."""
    remarks: Counter[str] = field(default_factory=Counter)
    """The remarks of the model on its predictions: the first of each kind, and how many there were."""
    _kinds: dict[str, str] = field(default_factory=dict)
    """The first remark of each kind."""

    def add(self, said: Sequence[Prediction]) -> list[str]:
        """Count a batch that the model has answered; returns its remarks of kinds that are new."""
        self.asked += len(said)
        read, written = (sum(counts) for counts in zip(*(p.tokens for p in said), strict=True))
        self.tokens = (self.tokens[0] + read, self.tokens[1] + written)
        self.failed += sum(prediction.failed for prediction in said)
        known = len(self._kinds)
        for remark in filter(None, (prediction.remark for prediction in said)):
            kind = failure_kind(remark)
            if kind in self._kinds or len(self._kinds) < _MOST_REMARKS:
                self.remarks[self._kinds.setdefault(kind, remark)] += 1
        return list(self._kinds.values())[known:]

    def record(self, asked: int, limit: float) -> dict[str, Any]:
        """The record for results.json; ``asked`` includes requests answered in earlier runs."""
        errors = dict(Counter(self.non_answers.values()).most_common(20))
        return {"count": len(self.non_answers), "asked": asked, "by_error": errors, "limit": limit}


class OutcomeJudge:
    """Extracts, compares and scores one model's answers; every outcome becomes a line of samples.jsonl."""

    def __init__(
        self, model: Named, keys: Keys, suites: Sequence[Named], settings: Settings, rule: str = "none"
    ) -> None:
        own = {suite.what.name: suite.what for suite in suites}
        used = {suite.what.name: scored_by(suite, model.what, settings) for suite in suites}
        self.suites: Mapping[str, Suite] = used
        """Suites by name, each in the mode of accuracy in which this model's answers are compared."""
        self.tables: dict[str, RunTable] = {}
        """What was measured, by suite."""
        for name, suite in own.items():
            slices = SuiteFacts(suite).slices
            metrics = measured_by(suite, used[name].accuracy, settings.metrics)
            robust = measured_by(suite, NORMALISED, settings.metrics)
            self.tables[name] = RunTable(metrics, SLICES if slices is None else slices, robust)
        self.step = step_for(model.what, settings, rule)
        """How answers are extracted."""
        check_step(self.step)
        self.forms = AnswerForms({name: (own[name].accuracy, used[name].accuracy) for name in own})
        self._offset = 0
        self.tally = Tally()
        self._keys = keys

    def line(self, outcome: Outcome, record: Record) -> bytes:
        """Judge an outcome; ``record`` is that of its group in groups.jsonl, and becomes that of the outcome."""
        group = outcome.group
        said = zip(questions_of(group), (outcome.original, *outcome.variants), strict=True)
        taken, judgements = zip(*(self._judged(group.suite, *one) for one in said), strict=True)
        outcome = Outcome(group, taken[0], taken[1:])
        self.tables[group.suite].add(outcome, judgements, self._offset)
        if group.original.tags:  # which may be in another order in the file
            record = group_record(group_from(record))
        line = orjson.dumps(sample_record(record, outcome, judgements)) + b"\n"
        self._offset += len(line)
        return line

    def _judged(self, name: str, question: Question, said: Prediction) -> tuple[Prediction, Judgement]:
        """The prediction with the short answer extracted from the reply, and how that is judged in a suite."""
        taken, suite = extract(self.step, question, said), self.suites[name]
        if taken.answer is None:
            self.tally.non_answers[self._keys.of(question)] = first_line(taken.error or "no answer")
        accuracy = soft(question, taken, None, suite.accuracy)
        value = judged(question, taken, None, suite.correct, suite.accuracy)
        self.forms.add(name, question, said, taken, accuracy or 0.0)
        return taken, Judgement(accuracy, None if value is None else value == 1.0)

    def records(self, suites: Sequence[Named], covers: Sequence[Coverage]) -> list[dict[str, Any]]:
        """The suites as results.json has them, with what each metric says about itself."""
        records = []
        for suite, cover in zip(suites, covers, strict=True):
            name = suite.what.name
            facts = SuiteFacts(suite.what).metric_facts(self.tables[name].metrics)
            record = suite_record(suite, replace(cover, suite=self.suites[name]))
            records.append(record | {"metrics": {metric: asdict(each) for metric, each in facts.items()}})
        return records

    def scores(self) -> list[Score]:
        """All scores."""
        return [score for name, table in self.tables.items() for score in scores(table, name)]

    def calibration(self) -> dict[str, Any]:
        """For each suite, how well the model's scores are calibrated."""
        return {name: calibration_record(table, self.suites[name].accuracy) for name, table in self.tables.items()}


def sample_record(group: Record, outcome: Outcome, judgements: Sequence[Judgement]) -> Record:
    """An outcome as a line of samples.jsonl: with the accuracy of each answer, and whether it is correct.

    ``group`` is the record of its group, which becomes that of the outcome.
    """
    record = with_predictions(group, outcome)
    for part, one in zip((record["original"], *record["variants"]), judgements, strict=True):
        part["accuracy"], part["right"] = one.accuracy, one.right
        if "error" in part["prediction"]:
            part["prediction"]["error"] = public_text(part["prediction"]["error"])
    return record
