"""Judge outcomes one by one: extract answers, score them, and write them as lines of samples.jsonl."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import orjson

from askew.answers.extract import check_step, extract
from askew.engine.build import Coverage
from askew.engine.resume import Keys
from askew.engine.run_folder import judgement, sample_record, suite_record
from askew.engine.run_metrics import NORMALISED, AnswerForms, measured_by, metric_records, scored_by, step_for
from askew.engine.settings import Named, Settings
from askew.errors import first_line
from askew.files.records import Record, group_from, group_record
from askew.metrics.calibration import calibration_record
from askew.metrics.run_table import SLICES, RunTable
from askew.metrics.scorer import scores
from askew.types import Outcome, Prediction, Question, Score
from askew.verbs import Suite, SuiteFacts


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

    def add(self, said: Sequence[Prediction]) -> None:
        """Count a batch that the model has answered."""
        self.asked += len(said)
        read, written = (sum(counts) for counts in zip(*(p.tokens for p in said), strict=True))
        self.tokens = (self.tokens[0] + read, self.tokens[1] + written)
        self.failed += sum(prediction.failed for prediction in said)

    def record(self, asked: int, limit: float) -> dict[str, Any]:
        """The record for results.json; ``asked`` includes requests answered in earlier runs."""
        errors = dict(Counter(self.non_answers.values()).most_common(20))
        return {"count": len(self.non_answers), "asked": asked, "by_error": errors, "limit": limit}


class OutcomeJudge:
    """Extracts, compares and scores one model's answers; every outcome becomes a line of samples.jsonl."""

    def __init__(self, model: Named, keys: Keys, suites: Sequence[Named], settings: Settings) -> None:
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
        self.step = step_for(model.what, settings)
        """How answers are extracted."""
        check_step(self.step)
        self.forms = AnswerForms({name: (own[name].accuracy, used[name].accuracy) for name in own})
        self._offset = 0
        self.tally = Tally()
        self._keys = keys

    def line(self, outcome: Outcome, record: Record) -> bytes:
        """Judge an outcome; ``record`` is that of its group in groups.jsonl, and becomes that of the outcome."""
        group, extracted = outcome.group, self._extracted
        first = extracted(group.suite, group.original, outcome.original)
        if outcome.variants:
            rest = [extracted(group.suite, variant.question, said) for variant, said in outcome.pairs()]
            outcome = Outcome(group, first, tuple(rest))
        elif first is not outcome.original:
            outcome = Outcome(group, first)
        suite = self.suites[group.suite]
        judgements = [judgement(group.original, outcome.original, suite)]
        judgements += [judgement(variant.question, said, suite) for variant, said in outcome.pairs()]
        self.tables[group.suite].add(outcome, judgements, self._offset)
        if group.original.tags:  # which may be in another order in the file
            record = group_record(group_from(record))
        line = orjson.dumps(sample_record(record, outcome, judgements)) + b"\n"
        self._offset += len(line)
        return line

    def _extracted(self, suite: str, question: Question, said: Prediction) -> Prediction:
        """The prediction with the short answer extracted from the reply."""
        found = extract(self.step, question, said)
        if found.answer is None:
            self.tally.non_answers[self._keys.of(question)] = first_line(found.error or "no answer")
        self.forms.add(suite, question, said, found)
        return found

    def records(self, suites: Sequence[Named], covers: Sequence[Coverage]) -> list[dict[str, Any]]:
        """The suites as results.json has them."""
        return [
            suite_record(suite, replace(cover, suite=self.suites[suite.what.name]))
            | {"metrics": metric_records(suite.what, self.tables[suite.what.name].metrics)}
            for suite, cover in zip(suites, covers, strict=True)
        ]

    def scores(self) -> list[Score]:
        """All scores."""
        return [score for name, table in self.tables.items() for score in scores(table, name)]

    def calibration(self) -> dict[str, Any]:
        """For each suite, how well the model's scores are calibrated."""
        return {name: calibration_record(table, self.suites[name].accuracy) for name, table in self.tables.items()}
