"""Answers of another program, read from a file: ``predictions:FILE``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

from askew.data.match_predictions import Matched, match_predictions
from askew.data.read_predictions import prediction_files, read_predictions
from askew.errors import MissingPredictions
from askew.files.read_write import fingerprint
from askew.types import Id, Prediction, Question
from askew.verbs import Dataset, DatasetFacts


@dataclass(frozen=True)
class Predictions:
    """A results file as a model: official VQA JSON, GQA's, or JSONL, matched by question id.

    With ``data``, also by the benchmark's own keys, or by the order of the rows; ``askew score`` gives its data here.
    A question without a prediction stops the run, unless ``allow_missing=true`` counts it as failed.
    """

    file: str = field(repr=False)
    allow_missing: bool = False
    ids: str | None = None
    """The ``ids.jsonl`` of an export, for logs that have row numbers instead of ids."""
    data: Dataset | None = field(default=None, repr=False, compare=False)
    """The data that were answered."""
    remark: str = field(init=False, default="", repr=False, compare=False)
    """How the answers were matched, if not by ids."""
    signature: str = field(init=False, default="")
    answers: Mapping[Id, str] = field(init=False, repr=False, compare=False, default_factory=dict)

    free_text: bool = field(init=False, default=False, repr=False, compare=False)
    """Scored as the public evaluator scores such a file, unless the user chooses another way. True for LLaVA's replies
    to data whose evaluator compares whole answers: its scripts ``convert_*_for_submission.py`` normalise them first."""
    by_id: ClassVar[bool] = True
    """Answers are matched by id, not by text: two questions with the same text may have different answers."""
    recorded: ClassVar[bool] = True
    """The answers are in the file, so they are not stored again."""
    blind: ClassVar[bool] = True
    """The answers exist already: no image file needs to exist."""

    def __post_init__(self) -> None:
        if self.data is None:
            kept: dict[str, str] = {}  # equal answers are kept once
            pairs = read_predictions(self.file, self.ids)
            matched = Matched({key: kept.setdefault(answer, answer) for key, answer in pairs})
        else:
            matched = match_predictions(self.file, self.data, self.ids)
            if matched.unprocessed and DatasetFacts(self.data).extract == "none":
                object.__setattr__(self, "free_text", True)
                note = f"{self.file}: replies of LLaVA, compared after normalisation, as its authors submit them."
                matched = replace(matched, remark=f"{matched.remark}\n{note}".strip())
        object.__setattr__(self, "answers", matched.answers)
        object.__setattr__(self, "remark", matched.remark)
        object.__setattr__(self, "signature", f"{Path(self.file).name}#{fingerprint(*prediction_files(self.file))}")

    def answer(self, questions: Sequence[Question]) -> list[Prediction]:
        """The answers in the file."""
        found = [
            Prediction(q.id, answer, error=None if answer is not None else "no prediction in the file")
            for q, answer in ((q, self.answers.get(self.key(q.id))) for q in questions)
        ]
        missing = [prediction.question_id for prediction in found if prediction.failed]
        if missing and not self.allow_missing:
            raise MissingPredictions(
                f"{self.file}: no prediction for {len(missing)} of the {len(questions)} questions just looked up, "
                f"e.g. {missing[0]!r} (a request that failed in another harness is not a "
                "prediction). To score the answered part, give askew score --allow-missing; elsewhere name "
                f"the model as predictions:{self.file},allow_missing=true."
            )
        return found

    def key(self, question_id: Id) -> Id:
        """The id of a question in the file: in an object ``{"1": "yes"}`` every id is a string, even a number."""
        if question_id in self.answers:
            return question_id
        named = str(question_id)
        return named if named in self.answers else question_id
