"""A task for inspect_ai: any model of inspect answers a suite's groups, and ``askew score`` reads the log.

    inspect eval askew/groups -T path=bench/groups.jsonl --model openai/gpt-4o --log-dir logs
    askew score bench/groups.jsonl logs/LOG.eval --output runs/gpt-4o

Each distinct image, context and question is a sample, without tools or a sandbox. Inspect's own score is VQA accuracy
with its standard error, clustered by image; robustness is scored by askew, from the ids in the samples' metadata.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import Score, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from askew.answers.extract import extract
from askew.data.export import ANSWER_PROMPT, IDS, ExportRow, distinct_questions
from askew.data.groups import GroupFile
from askew.errors import UsageError
from askew.metrics.accuracy import soft
from askew.registry import open_data
from askew.types import Prediction


def groups_task(path: str, images: str | None = None, prompt: str = ANSWER_PROMPT) -> Task:
    """The questions of a file of groups, as ``askew build`` and ``askew run`` write it.

    ``images`` is the folder of images, if they have been moved; ``prompt`` follows each question.
    """
    data = open_data(path, images=images)
    if not isinstance(data, GroupFile):
        raise UsageError(
            f"{path}: these are questions, not groups. Make groups of them first: askew build rad --data {path}"
        )
    rows = distinct_questions(data.groups())
    samples = [_sample(number, row, prompt) for number, row in enumerate(rows)]
    return Task(dataset=MemoryDataset(samples, name=data.name), solver=generate(), scorer=_accuracy(rows))


def vqa_accuracy(rows: Sequence[ExportRow]) -> Any:
    """Inspect's scorer: the accuracy of the short answer in each reply, as askew compares free text."""

    async def score(state: TaskState, target: Target) -> Score:
        question = rows[int(state.sample_id)].question
        said = extract("short", question, Prediction(question.id, state.output.completion))
        value = soft(question, said, 0.0, "robust")
        return Score(value=float("nan") if value is None else value, answer=said.answer, explanation=said.error)

    return score


def _sample(number: int, row: ExportRow, prompt: str) -> Sample:
    content = [*(ContentImage(image=path) for path in row.image_files()), ContentText(text=row.prompt + prompt)]
    image = row.question.image
    metadata = {IDS: row.encoded_ids, "category": row.category, "image": "" if image is None else str(image.id)}
    target = list(row.question.answers)
    return Sample(id=number, input=[ChatMessageUser(content=content)], target=target, metadata=metadata)


groups = task(name="groups")(groups_task)
_accuracy = scorer(metrics=[mean(), stderr(cluster="image")], name="vqa_accuracy")(vqa_accuracy)
