"""What an lmms-eval task calls. A copy of this file lies beside the exported task; it needs Pillow alone."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
"""The formats that askew reads; Pillow's other plugins include ones that run programs."""


def doc_to_visual(doc: Mapping[str, Any]) -> list[Any]:
    """The picture of a question."""
    from PIL import Image

    here = os.path.dirname(os.path.abspath(__file__))
    with Image.open(os.path.join(here, doc["picture"]), formats=FORMATS) as picture:
        return [picture.convert("RGB")]


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, str] | None = None) -> str:
    """The question as it is asked, between the prompts of the task."""
    prompts = lmms_eval_specific_kwargs or {}
    return f"{prompts.get('pre_prompt', '')}{doc['question']}{prompts.get('post_prompt', '')}"


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """The answer with the ids it belongs to; it stands so in the log, where askew score finds it."""
    return {"askew": {"ids": doc["askew_ids"], "answer": str(results[0])}}


def answered(records: Sequence[Mapping[str, Any]]) -> float:
    """The share of questions with an answer that is not blank: all that can be said before askew scores them."""
    return sum(bool(record["answer"].strip()) for record in records) / len(records) if records else 0.0
