"""How far does a model get without the image? (Li et al. 2021, "Adversarial VQA", Table 4a)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

from askew.data.jsonl import Jsonl
from askew.data.write_questions import write_jsonl
from askew.engine.components import as_data
from askew.engine.result import Result
from askew.experiments import ExperimentFinding, ExperimentPlan, PaperCell, paper_table
from askew.experiments.claims import FAR, Claim, Measured, SeedDifference, mean_of
from askew.experiments.jobs import Job, Test, build_test, cache_features, measured, model_folder, numbers, run_jobs
from askew.metrics.accuracy import accuracy
from askew.types import Question, Table

NETS = {"full": "butd:hidden=128", "language-only": "language:hidden=128"}
LESSONS = {"world": "the world", "hard": "hard questions", "all": "all"}
"""The kinds of training data."""
ROUNDS = (1, 2, 3)
AGREED = 6
"""A hard question counts if at least this many of the ten people gave the same answer (the paper: people verify it)."""
PUBLISHED: Mapping[str, tuple[float, ...]] = {
    "round 1": (17.91, 25.66, 24.93, 17.82, 20.37, 19.75),
    "round 2": (18.55, 24.91, 23.92, 17.03, 21.49, 20.75),
    "round 3": (20.20, 25.06, 23.02, 21.19, 22.92, 22.31),
    "plain": (72.70, 59.99, 72.66, 45.81, 38.21, 46.23),
}
"""UNITER-B trained on VQA v2 and Visual Genome, on adversarial questions alone, on all: full, then language-only."""

Runs = Mapping[tuple[str, str], Sequence[Mapping[str, Result]]]
"""For each network and lesson, for each seed, a result for each test."""


@dataclass(frozen=True)
class Round:
    """Questions that the best network so far answers incorrectly: some for training, others for testing."""

    lessons: Path
    test: Test


def run(plan: ExperimentPlan) -> ExperimentFinding:
    """Collect three rounds of hard questions, then train and test both kinds of network on them."""
    worlds = [plan.world(split) for split in ("train", "val", "test")]
    cache_features(plan, *worlds, *(_pool(plan, number, "all") for number in ROUNDS))
    plain = build_test(plan, "accuracy", name="plain")
    rounds: list[Round] = []
    for number in ROUNDS:
        fooled = Job(f"fooled-{number}", NETS["full"], (plain,), seed=plan.seed + 1000, more=_joined(plan, rounds))
        run_jobs(plan, [fooled])
        rounds.append(_collect(plan, number, fooled))
    tests = (*(part.test for part in rounds), plain)
    more = _joined(plan, rounds)
    jobs = {
        (net, lesson): [
            Job(
                f"{net}-{lesson}-{seed}",
                spec,
                tests,
                seed=seed,
                more=None if lesson == "world" else more,
                only_more=lesson == "hard",
            )
            for seed in plan.training_seeds
        ]
        for net, spec in NETS.items()
        for lesson in LESSONS
    }
    done = run_jobs(plan, [job for several in jobs.values() for job in several])
    runs = {key: [done[job.name] for job in several] for key, several in jobs.items()}
    first = next(iter(runs.values()))[0]
    sizes = [str(first[f"round {number}"].score("accuracy.all").n) for number in ROUNDS]
    return ExperimentFinding(
        title="How far does a model get without the image?",
        paper="Paper: Li, Lei, Gan, Liu: Adversarial VQA: A New Benchmark for Evaluating the Robustness of VQA Models. "
        "ICCV 2021, Table 4a.",
        method=_METHOD,
        tables=[_table(runs)],
        claims=list(_claims(runs)),
        notes=[f"Hard questions to test on: {', '.join(sizes)} by round."],
        settings=plan.settings,
    )


def _pool(plan: ExperimentPlan, number: int, split: str) -> str:
    """Where the hard questions of a round come from: a world of its own, half as large."""
    return f"world:{split},scenes={max(1, plan.scenes // 2)},seed={plan.seed + 100 + number},priors=all"


def _collect(plan: ExperimentPlan, number: int, fooled: Job) -> Round:
    """The questions of the round's world that this network answers incorrectly and people agree on."""
    lessons = plan.output / f"hard-{number}.jsonl"
    questions = plan.output / f"hard-{number}-test.jsonl"
    if not (lessons.is_file() and questions.is_file()):
        write_jsonl(_hard(plan, _pool(plan, number, "train"), fooled), str(lessons))
        write_jsonl(_hard(plan, _pool(plan, number, "test"), fooled), str(questions))
    return Round(lessons, build_test(plan, "accuracy", str(questions), f"round {number}"))


def _hard(plan: ExperimentPlan, data: str, fooled: Job) -> Iterator[Question]:
    from askew.train.checkpoint import load_trained

    questions = list(as_data(data).what.questions())
    predictions = load_trained(model_folder(plan, fooled)).answer(questions)
    for question, prediction in zip(questions, predictions, strict=True):
        agreed = max(question.answers.count(answer) for answer in question.answers)
        wrong = prediction.answer is None or accuracy(prediction.answer, question.answers) == 0
        if wrong and agreed >= AGREED:
            yield question


def _joined(plan: ExperimentPlan, rounds: Sequence[Round]) -> Path | None:
    """The hard training questions of these rounds, in one file."""
    if not rounds:
        return None
    path = plan.output / f"hard-up-to-{len(rounds)}.jsonl"
    if not path.is_file():
        write_jsonl((question for part in rounds for question in Jsonl(str(part.lessons)).questions()), str(path))
    return path


def _table(runs: Runs) -> Table:
    rows = {
        test: [
            PaperCell(numbers([results[test] for results in several], "accuracy.all"), paper)
            for several, paper in zip(runs.values(), PUBLISHED[test], strict=True)
        ]
        for test in PUBLISHED
    }
    columns = [f"{net}, {LESSONS[lesson]}" for net, lesson in runs]
    return paper_table("Accuracy by input and training data (Table 4a)", columns, rows)


def _claims(runs: Runs) -> Iterator[Claim]:
    yield Claim(
        f"A model without the image is far worse on plain questions (by more than {FAR:g} points).",
        dict([_difference("", _plain(runs["full", "all"]), _plain(runs["language-only", "all"]))]),
        FAR,
    )
    for lesson in LESSONS:
        yield Claim(
            f"Trained on {LESSONS[lesson]}, full and language-only models are both far below plain accuracy on hard "
            f"questions (by more than {FAR:g} points).",
            dict(_difference(net, _plain(runs[net, lesson]), _hard_mean(runs[net, lesson])) for net in NETS),
            FAR,
        )
    yield Claim(
        "Learning from hard questions helps on them.",
        dict([_difference("", _hard_mean(runs["full", "all"]), _hard_mean(runs["full", "world"]))]),
    )


def _difference(name: str, first: Sequence[Measured], second: Sequence[Measured]) -> tuple[str, SeedDifference]:
    """The first minus the second, and its name."""
    means = (fmean(one.value for one in several) for several in (first, second))
    return f"{name} {' against '.join(f'{mean:.1f}' for mean in means)}".strip(), SeedDifference.of(first, second)


def _plain(several: Sequence[Mapping[str, Result]]) -> list[Measured]:
    return [measured(results["plain"], "accuracy.all") for results in several]


def _hard_mean(several: Sequence[Mapping[str, Result]]) -> list[Measured]:
    """The mean accuracy over the rounds."""
    return [mean_of([measured(results[f"round {number}"], "accuracy.all") for number in ROUNDS]) for results in several]


_METHOD = """\
Hard questions are collected in three rounds as in the paper, but are selected automatically instead of written by
people: from the questions of a new world, those that the best network so far answers with accuracy 0 and on which at
least 6 of 10 people agree. After each round a new network learns from the hard questions too, and is the one to fool
in the next round. The full network is BUTD (the paper: UNITER-B); the language-only network reads only the question.
Networks learn from the world, only from hard questions, or from both. The network to fool and the tested networks have
different seeds."""
