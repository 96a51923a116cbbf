"""Training steps per second of XNM with and without Q3R, and how they grow with the batch.

    python benchmarks/bench_train.py [regions] [features] [hidden]

Numbers are ratios to the same network without Q3R in the same run. Trainings take turns, a few steps each, so that
other load on the machine affects all of them equally; the processor time of one thread is measured. A step with
the Q3R term is timed separately (r = 1); at r = 0.2 one step in five has it, which gives the cost at that rate
independently of which steps were drawn. Questions, regions and pairs are drawn from a seed.
"""

from __future__ import annotations

import sys
import time
from random import Random

import numpy as np
import torch

from askew.nets.net_config import NetConfig, QuestionWords
from askew.nets.networks import build_net
from askew.train.batches import Answers, Encoding, Pairs, QuestionRows, build_table
from askew.train.features import ImageFeatures
from askew.train.losses import Q3R, AnswerLoss, Loss, Step
from askew.types import Expect, Group, ImageRef, Question, Variant

WORDS = [f"word{number}" for number in range(600)]
ANSWERS = [f"answer{number}" for number in range(300)]
QUESTIONS, IMAGES = 4096, 512
CHUNK, ROUNDS = 10, 6
RATE = 0.2


class Drawn:
    """Random regions."""

    def __init__(self, regions: int, width: int) -> None:
        self.regions, self.width = regions, width

    def get_many(self, images: list[ImageRef]) -> list[ImageFeatures]:
        made = []
        for image in images:
            rng = np.random.default_rng(int(image.id))
            made.append(
                ImageFeatures(
                    rng.standard_normal((self.regions, self.width)).astype(np.float32),
                    rng.random((self.regions, 4)).astype(np.float32) / 2,
                )
            )
        return made


def data(regions: int, width: int) -> tuple[QuestionRows, Pairs, NetConfig]:
    rng = Random(0)
    questions = [
        Question(
            number,
            ImageRef(rng.randrange(IMAGES)),
            " ".join(rng.choices(WORDS, k=rng.randint(4, 12))),
            (rng.choice(ANSWERS),) * 8 + (rng.choice(ANSWERS),) * 2,
        )
        for number in range(QUESTIONS)
    ]
    groups = [
        Group(q.id, "p2", q, (Variant(Question(f"{q.id}v", q.image, q.text, q.answers), Expect.SAME, "syn", "syn"),))
        for q in questions
    ]
    answers, words = Answers.of(questions), QuestionWords.of(q.text for q in questions)
    encoding = Encoding(words, answers, build_table(Drawn(regions, width), (q.image for q in questions)))
    config = NetConfig("xnm", gumbel=True).sized(len(words), len(answers), width)
    return encoding.rows(questions), encoding.pairs(groups), config


class Run:
    """One training, step by step."""

    def __init__(self, rows: QuestionRows, pairs: Pairs, config: NetConfig, batch_size: int, loss: Loss | None) -> None:
        torch.manual_seed(0)
        self.rows, self.pairs, self.loss, self.batch_size = rows, pairs, loss, batch_size
        self.net = build_net(config).train()
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=8e-4)
        self.steps, self.warm, self.seconds = 0, 0, 0.0

    def go(self, steps: int) -> None:
        start = time.process_time()
        for _ in range(steps):
            self.step()
        self.seconds += time.process_time() - start

    def step(self) -> None:
        rng = Random(f"bench:{self.steps}")
        batch = self.rows.batch(torch.tensor(rng.choices(range(len(self.rows)), k=self.batch_size)))
        answer = AnswerLoss()
        self.optimiser.zero_grad(set_to_none=True)
        answer(self.net(batch.tokens, batch.features, batch.boxes, batch.mask).logits, batch.answers).backward()
        if self.loss is not None:
            term = self.loss.term(Step(self.net, batch, rng, answer, self.pairs))
            if term is not None:
                term.backward()
        torch.nn.utils.clip_grad_norm_(self.net.parameters(), 1.0)
        self.optimiser.step()
        self.steps += 1


def main() -> None:
    regions, width, hidden = (int(sys.argv[at]) if len(sys.argv) > at else default for at, default in DEFAULTS)
    torch.set_num_threads(1)
    rows, pairs, config = data(regions, width)
    config = NetConfig(**{**config.record(), "hidden": hidden})
    print(f"XNM, hidden {hidden}, {regions} regions of {width} features, {len(ANSWERS)} answers, one thread")
    for batch_size in (64, 128, 256, 512):
        losses = {"without": None, "q3r": Q3R(rate=1.0), "q3r:ce=false": Q3R(rate=1.0, ce=False)}
        runs = {name: Run(rows, pairs, config, batch_size, loss) for name, loss in losses.items()}
        chunk = max(2, CHUNK * 64 // batch_size)
        for turn in range(ROUNDS + 1):
            for run in runs.values():
                run.go(chunk)
                if not turn:
                    run.seconds, run.warm = 0.0, run.steps
        plain = runs["without"].seconds
        for name, run in runs.items():
            done = run.steps - run.warm
            seconds = plain + RATE * (run.seconds - plain)  # at r = 0.2
            print(
                f"  batch {batch_size:4d}  {name:12s} {done / seconds:6.2f} steps/s "
                f"{done * batch_size / seconds:7,.0f} questions/s  x{seconds / plain:.2f} "
                f"(a step that has the term: x{run.seconds / plain:.2f})"
            )


DEFAULTS = ((1, 36), (2, 256), (3, 256))

if __name__ == "__main__":
    main()
