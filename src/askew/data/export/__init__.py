"""Groups as questions that other harnesses can answer: one file per format, and the map from its rows to our ids."""

from __future__ import annotations

from askew.data.export.export_rows import ANSWER_PROMPT, ExportRow, distinct_questions, each_question
from askew.data.export.formats import FORMATS, export

__all__ = ["ANSWER_PROMPT", "FORMATS", "ExportRow", "distinct_questions", "each_question", "export"]
