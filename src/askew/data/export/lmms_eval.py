"""A task for lmms-eval: its YAML, the functions it calls, and the questions as a local JSON dataset."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any

import orjson

from askew.data.export.export_rows import IDS, ExportRow
from askew.data.write_questions import line
from askew.files.read_write import write_joined

_TASK = """\
# A task for lmms-eval, written by askew. Run it from anywhere:
#   python -m lmms_eval --include_path FOLDER_OF_THIS_FILE --tasks {task} --log_samples --output_path logs --model ...
# then: askew score groups.jsonl logs/.../*_samples_{task}.jsonl --output runs/mine
task: {task}
dataset_path: json
dataset_kwargs:
  data_files:
    test: {questions}
test_split: test
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: answer
generation_kwargs:
  max_new_tokens: 16
  temperature: 0
  do_sample: false
process_results: !function utils.process_results
metric_list:
  - metric: askew
    aggregation: !function utils.answered
    higher_is_better: true
lmms_eval_specific_kwargs:
  default:
    pre_prompt: ""
    post_prompt: {prompt}
metadata:
  - version: 1
"""


def write_lmms_eval(asked: Sequence[ExportRow], folder: Path, name: str, prompt: str) -> list[Path]:
    """Write ``NAME.yaml``, ``utils.py`` and ``questions.jsonl``; gives their paths.

    Every column is text, as a dataset's columns must be of one type.
    """
    questions, task, functions = folder / "questions.jsonl", folder / f"{name}.yaml", folder / "utils.py"
    write_joined(questions, (line(_row(one)) for one in asked))
    text = _TASK.format(task=name, questions=_quoted(str(questions.resolve())), prompt=_quoted(prompt))
    write_joined(task, [text.encode()])
    write_joined(functions, [files("askew.data.export").joinpath("task_functions.py").read_bytes()])
    return [task, functions, questions]


def _quoted(text: str) -> str:
    """A JSON string, which is a YAML string too, whatever is in it."""
    return orjson.dumps(text).decode()


def _row(asked: ExportRow) -> dict[str, Any]:
    return {
        IDS: asked.encoded_ids,
        "question": asked.prompt,
        "answer": asked.answer,
        "category": asked.category,
        "picture": asked.picture(),
    }
