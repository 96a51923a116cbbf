"""The functions of an lmms-eval task. A copy of this file is written beside the exported task; it only needs Pillow."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

FORMATS = ("BMP", "GIF", "JPEG", "PNG", "PPM", "TIFF", "WEBP")
"""The formats that askew reads; Pillow's other plugins include ones that run programs."""


def doc_to_visual(doc: Mapping[str, Any]) -> list[Any]:
    """The images of a question, in order."""
    from PIL import Image

    here, images = os.path.dirname(os.path.abspath(__file__)), []
    for path in doc["image_paths"]:
        with Image.open(os.path.join(here, path), formats=FORMATS) as image:
            images.append(image.convert("RGB"))
    return images


def doc_to_text(doc: Mapping[str, Any], lmms_eval_specific_kwargs: Mapping[str, str] | None = None) -> str:
    """The question between the prompts of the task."""
    prompts = lmms_eval_specific_kwargs or {}
    return f"{prompts.get('pre_prompt', '')}{doc['question']}{prompts.get('post_prompt', '')}"


def process_results(doc: Mapping[str, Any], results: Sequence[Any]) -> dict[str, Any]:
    """The answer with its ids, as written to the log, from which askew score reads it."""
    return {"askew": {"ids": doc["askew_ids"], "answer": str(results[0])}}


def answered(records: Sequence[Mapping[str, Any]]) -> float:
    """The share of questions with an answer that is not blank; askew computes the scores."""
    return sum(bool(record["answer"].strip()) for record in records) / len(records) if records else 0.0
