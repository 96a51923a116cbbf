"""Export groups as questions for other harnesses, with a map from the rows of the export to our ids."""

from __future__ import annotations

from askew.data.export.formats import ANSWER_PROMPT, FORMATS, ExportRow, distinct_questions, each_question, export

__all__ = ["ANSWER_PROMPT", "FORMATS", "ExportRow", "distinct_questions", "each_question", "export"]
