"""The overhead of an executor: processor time of the main process as a share of the work.

    python benchmarks/bench_executor.py [--executors local:workers=2,ray] [--batches 40]

A batch is 32 questions of 20 ms each, as for a model on a GPU: the workers sleep for 640 ms. The overhead is the time
that the main process needs to send, wait and receive. Starting the workers is not counted: a run starts them once.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable
from typing import Any

from askew.registry import make
from askew.types import ImageRef, Prediction, Question

BATCH = 32
SECONDS = 0.020
"""For one question."""


def start() -> Callable[[list[Question]], Any]:
    return answer


def answer(questions: list[Question]) -> list[Prediction]:
    time.sleep(SECONDS * len(questions))
    return [Prediction(question.id, "yes") for question in questions]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--executors", default="local:workers=2,ray:workers=2", help="separated by commas")
    parser.add_argument("--batches", type=int, default=40)
    options = parser.parse_args()
    batches = [
        [Question(f"{number}-{n}", ImageRef(n, f"images/{n}.jpg"), f"Is there a dog {n}?") for n in range(BATCH)]
        for number in range(options.batches)
    ]
    for spec in options.executors.split(","):
        with make("executor", spec) as executor:
            list(executor.each(start, [batches[0][:1]] * 2 * executor.width))  # starts the workers
            before = resource.getrusage(resource.RUSAGE_SELF)
            found = sum(len(said) for _, said in executor.each(start, batches))
            after = resource.getrusage(resource.RUSAGE_SELF)
        assert found == BATCH * options.batches
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        each = spent / options.batches
        print(
            f"{spec}: {each * 1e3:.1f} ms of processor in the main process per batch of "
            f"{BATCH * SECONDS * 1e3:.0f} ms, {each / (BATCH * SECONDS):.2%}",
            flush=True,
        )


if __name__ == "__main__":
    from bench_executor import main as main_of_module  # so that workers find what they are given by its module

    main_of_module()
