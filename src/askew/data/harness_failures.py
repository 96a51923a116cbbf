"""What other harnesses write where they got no answer; it is a missing answer, never an answer to score.

* lmms-eval, ``[LMMS_EVAL_REQUEST_FAILED after 5 retries] ...``: ``lmms_eval/models/*/openai.py``, ``async_openai.py``.
* lmms-eval and lm-eval, nothing or blanks, also when the budget is spent: ``lmms_eval/models/simple/gemini_api.py``,
  ``claude.py``. A model that really says nothing cannot be told from these, so it is a missing answer too.
* VLMEvalKit, ``Failed to obtain answer via API.`` anywhere: ``vlmeval/api/base.py``, ``vlmeval/inference.py``.
* VLMEvalKit with SKIP_ERR=1, ``Failed to obtain answer: ...``: ``vlmeval/inference.py``.
* inspect_ai, a sample's ``error`` or ``invalidation``: EvalSample in ``inspect_ai/log/_log.py``.
* inspect_ai, ``output.error``, or neither a choice nor text: ``inspect_ai/model/_model_output.py``.
* inspect_ai, the server's words under the stop_reason content_filter or model_length: ``inspect_ai/model/_openai.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

_TEXTS = re.compile(
    r"\s*\[LMMS_EVAL_REQUEST_FAILED\b|\s*Failed to obtain answer\b|.*Failed to obtain answer via API",
    re.IGNORECASE | re.DOTALL,  # filters of a task may write everything small
)
_STOPPED = ("content_filter", "model_length")


def is_failure(text: str) -> bool:
    """Whether a text is what a harness writes in the place of an answer.

    >>> is_failure("[LMMS_EVAL_REQUEST_FAILED after 5 retries] Connection error."), is_failure("failed")
    (True, False)
    """
    return _TEXTS.match(text) is not None


def is_failed_sample(sample: Mapping[str, Any]) -> bool:
    """Whether a sample of inspect_ai has no completed output.

    >>> is_failed_sample({"output": {"choices": [], "completion": ""}})
    True
    """
    output = sample.get("output")
    if sample.get("error") or sample.get("invalidation") or not isinstance(output, dict) or output.get("error"):
        return True
    choices = output.get("choices")
    first = choices[0] if isinstance(choices, list) and choices else {}
    stopped = first.get("stop_reason") if isinstance(first, dict) else None
    return stopped in _STOPPED or not (first or output.get("completion"))
