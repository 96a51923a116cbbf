"""What a record of predictions says, for each kind of file: which questions it answers, and the answer.

The text that a harness writes for a failed request is a missing answer, never an answer to score:

* lmms-eval, ``[LMMS_EVAL_REQUEST_FAILED after 5 retries] ...``: ``lmms_eval/models/*/openai.py``, ``async_openai.py``.
* lmms-eval and lm-eval, empty or blank text, also when the budget is spent: ``lmms_eval/models/simple/gemini_api.py``,
  ``claude.py``. An empty answer of a model cannot be distinguished from these, so it is a missing answer too.
* VLMEvalKit, ``Failed to obtain answer via API.`` anywhere: ``vlmeval/api/base.py``, ``vlmeval/inference.py``.
* VLMEvalKit with SKIP_ERR=1, ``Failed to obtain answer: ...``: ``vlmeval/inference.py``.
* inspect_ai, a sample's ``error`` or ``invalidation``: EvalSample in ``inspect_ai/log/_log.py``.
* inspect_ai, ``output.error``, or neither a choice nor text: ``inspect_ai/model/_model_output.py``.
* inspect_ai, the server's text with stop_reason content_filter or model_length: ``inspect_ai/model/_openai.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from askew.data.bad_records import identity, mapping, missing, text, wrong
from askew.errors import BadRecord
from askew.files.limits import load_json
from askew.types import Id

IDS = ("question_id", "questionId", "id")
_REPLIES = ("prediction", "model_prediction", "response", "output")
ANSWERS = (*_REPLIES, "text", "answer")
ASKED = ("prompt", "question", "input")
VLMEVALKIT = frozenset(("index", "question", "prediction"))
"""Columns of a prediction file of VLMEvalKit, which keeps those of its questions."""
_UNSURE = {"0": "no", "1": "yes", "2": "uncertain"}
"""What a number means in HallusionBench's results."""


def _answer_name(fields: Mapping[str, Any]) -> str:
    """The field of the model's answer.

    >>> _answer_name({"answer": "a dog", "prediction": "a cat"}), _answer_name({"text": "Is it?", "answer": "yes"})
    ('prediction', 'answer')
    >>> _answer_name({"prompt": "Is it?", "text": "yes", "answer": "no"})
    'text'
    """
    if found := next((name for name in _REPLIES if name in fields), ""):
        return found
    is_reply = "text" in fields and ("answer" not in fields or any(name in fields for name in ASKED))
    return "text" if is_reply else "answer"


@dataclass(frozen=True)
class ResultRecords:
    """Records of results files: official ones, GQA's, LLaVA's, and our own."""

    def names(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields that may name the question."""
        return record

    def ids(self, record: Mapping[str, Any]) -> Sequence[Id]:
        """The question that this record answers."""
        return (identity(record, next((name for name in IDS if name in record), "question_id")),)

    def answer(self, record: Mapping[str, Any]) -> str | None:
        """The answer, which may be an empty string but must be present: a failure is not an answer.

        >>> ResultRecords().answer({"question_id": 1, "answer": None})
        Traceback (most recent call last):
        askew.errors.BadRecord: 'answer' is null. Fill it in, or leave the record out.
        """
        name = _answer_name(record)
        value = record.get(name)
        if name in record and value is None:
            raise BadRecord(f"{name!r} is null. Fill it in, or leave the record out.")
        if name not in record:
            raise missing(record, name)
        if isinstance(value, dict) and "free_form_answer" in value:  # SugarCrepe: the caption, if the reply names one
            value = value.get("multiple_choice_answer") or value["free_form_answer"]
        if "visual_input" in record:  # HallusionBench: 0, 1, 2, or words
            value = _UNSURE.get(str(value).strip(), value)
        content = text({name: value}, name, "")
        return None if _is_failure(content) else content


Known = Mapping[int, Sequence[Id]]
"""The ids of each row of an export."""


@dataclass(frozen=True)
class Samples:
    """Records of lmms-eval and lm-eval."""

    known: Known

    def names(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields that may name the question: those of the data's own record, and the prompt."""
        doc = record.get("doc")
        return {**(doc if isinstance(doc, dict) else {}), "prompt": record.get("input")}

    def ids(self, record: Mapping[str, Any]) -> Sequence[Id]:
        """The questions that this record answers."""
        ours, doc = record.get("askew"), record.get("doc")
        if isinstance(ours, dict) and "ids" in ours:
            return decoded_ids(ours["ids"])
        return _logged_ids(doc if isinstance(doc, dict) else {}, record.get("doc_id"), self.known, "doc")

    def answer(self, record: Mapping[str, Any]) -> str | None:
        """The answer; None if the request failed, whatever a filter did to the failure text."""
        filtered, raw = (_first_text(record.get(name)) for name in ("filtered_resps", "resps"))
        answer = raw if filtered is None else filtered
        if answer is None:
            raise BadRecord("neither 'filtered_resps' nor 'resps' has text. Log the samples of a task that generates.")
        raw = answer if raw is None else raw
        return answer if raw.strip() and not _is_failure(raw) and not _is_failure(answer) else None


@dataclass(frozen=True)
class Rows:
    """Rows of VLMEvalKit's prediction files."""

    known: Known

    def names(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields that may name the question."""
        return record

    def ids(self, record: Mapping[str, Any]) -> Sequence[Id]:
        """The questions that this row answers."""
        if not self.known and not record.get("askew_ids") and record.keys() >= VLMEVALKIT:
            index = record["index"]
            return (int(index) if re.fullmatch(r"[0-9]{1,18}", str(index)) else identity(record, "index"),)
        return _logged_ids(record, record.get("index"), self.known, "row")

    def answer(self, record: Mapping[str, Any]) -> str | None:
        """The answer; None if VLMEvalKit reports a failure, or if a person left it empty."""
        name = _answer_name(record)
        if record.get(name) is None:
            raise missing(record, name)
        if not isinstance(record[name], str):
            raise wrong(name, "text", record[name])
        content: str = record[name]
        empty = name == "answer" and not content.strip()  # a sheet that people fill in
        return None if empty or _is_failure(content) else content


@dataclass(frozen=True)
class Inspected:
    """Samples of inspect_ai."""

    known: Known

    def names(self, record: Mapping[str, Any]) -> Mapping[str, Any]:
        """The fields that may name the question."""
        metadata = record.get("metadata")
        return metadata if isinstance(metadata, dict) else {}

    def ids(self, record: Mapping[str, Any]) -> Sequence[Id]:
        """The questions that this sample answers."""
        metadata = record.get("metadata")
        if isinstance(metadata, dict) and "askew_ids" in metadata:
            return decoded_ids(metadata["askew_ids"])
        return (identity(record, "id"),)

    def answer(self, record: Mapping[str, Any]) -> str | None:
        """The answer; None if there is no completed output."""
        if _is_failed_sample(record):
            return None
        output = record["output"]
        if isinstance(output.get("completion"), str):
            return str(output["completion"])
        choices = output.get("choices")
        if not isinstance(choices, list) or not choices:
            return None
        content = mapping(mapping(choices[0]).get("message")).get("content")
        if isinstance(content, list):
            texts = (part.get("text") for part in content if isinstance(part, dict) and part.get("type") == "text")
            return "\n".join(text for text in texts if isinstance(text, str))
        return content if isinstance(content, str) else None


def decoded_ids(value: object) -> tuple[Id, ...]:
    """The ids of a row, from their JSON text or as they are.

    >>> decoded_ids('[7,"7/rad"]')
    (7, '7/rad')
    >>> decoded_ids("7")
    Traceback (most recent call last):
    askew.errors.BadRecord: 'askew_ids' must be a list of ids, but is text ('7'). Fix the record.
    """
    ids = value
    if isinstance(value, str):
        try:
            ids = load_json(value)
        except orjson.JSONDecodeError:
            ids = None
    if not isinstance(ids, list) or not ids or not all(type(key) in (int, str) for key in ids):
        raise wrong("askew_ids", "a list of ids", value)
    return tuple(ids)


def _logged_ids(fields: Mapping[str, Any], row: object, known: Known, where: str) -> Sequence[Id]:
    """The ids in a record, or else those of its row."""
    if fields.get("askew_ids"):
        return decoded_ids(fields["askew_ids"])
    for name in IDS:
        if fields.get(name) is not None:
            return (identity(fields, name),)
    place = int(row) if isinstance(row, int | str) and re.fullmatch(r"[0-9]{1,18}", str(row)) else None
    if place is None:
        raise BadRecord(f"its {where} has no 'askew_ids' and no row number. Log the questions that askew exported.")
    if not known:
        raise BadRecord(
            f"its {where} has no 'askew_ids', only the row {place}. Give the ids.jsonl of the export (ids=...)."
        )
    if place not in known:
        raise BadRecord(f"row {place} is not in the ids.jsonl that was given. Was it written by the same export?")
    return known[place]


def _first_text(value: object) -> str | None:
    """The first text in lists of lists.

    >>> _first_text([["yes", "no"]]), _first_text("yes"), _first_text([[]])
    ('yes', 'yes', None)
    """
    while isinstance(value, list):
        value = value[0] if value else None
    return value if isinstance(value, str) else None


_FAILURE_TEXTS = re.compile(
    r"\s*\[LMMS_EVAL_REQUEST_FAILED\b|\s*Failed to obtain answer\b|.*Failed to obtain answer via API",
    re.IGNORECASE | re.DOTALL,  # filters of a task may lowercase everything
)
_FAILED_STOPS = ("content_filter", "model_length")


def _is_failure(text: str) -> bool:
    """Whether a text is what a harness writes instead of an answer when a request failed.

    >>> _is_failure("[LMMS_EVAL_REQUEST_FAILED after 5 retries] Connection error."), _is_failure("failed")
    (True, False)
    """
    return _FAILURE_TEXTS.match(text) is not None


def _is_failed_sample(sample: Mapping[str, Any]) -> bool:
    """Whether a sample of inspect_ai has no completed output.

    >>> _is_failed_sample({"output": {"choices": [], "completion": ""}})
    True
    """
    output = sample.get("output")
    if sample.get("error") or sample.get("invalidation") or not isinstance(output, dict) or output.get("error"):
        return True
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    stopped = first.get("stop_reason") if isinstance(first, dict) else None
    return stopped in _FAILED_STOPS or not (first or output.get("completion"))
