"""Does a robot get better by what people fooled it with? (Li et al. 2021, "Adversarial VQA", Tables 1 to 6)"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean

from askew.engine.result import Result
from askew.engine.settings import Settings, progress_bar
from askew.experiments import ExperimentFinding, ExperimentPlan, PaperCell, paper_table
from askew.experiments.claims import FAR, MARGIN, Claim, Measured, SeedDifference, mean_of
from askew.experiments.jobs import Job, Test, build_test, cache_features, measured, model_folder, numbers, run_jobs
from askew.experiments.rounds_of_people import ROUNDS, WORLD, Rounds
from askew.types import Table

ROBOTS = ("butd:hidden=64", "cnn-lstm:hidden=64")
"""The networks that people try to fool; one is drawn for each question."""
TRIED, UNSEEN, BLIND = "butd:hidden=64", "ban:hidden=64", "language:hidden=64"
"""A kind of network that was attacked, one that was not, and one without the image."""
SUITES = {
    "RAD": ("rad", "rad.forward"),
    "P2": ("p2:balance=paper", "cs.2"),
    "CARETS": ("carets:balance=paper", "carets.cacc"),
}
"""Other robustness suites, each with its main metric."""
TESTS = (*(f"round {number}" for number in ROUNDS), "plain")
LESSONS = {
    "base": "the world",
    "1": "+ round 1",
    "2": "+ rounds 1 and 2",
    "all": "+ all rounds",
    "ordinary": "+ as many ordinary questions",
    "verified": "+ all rounds, verified",
    "only": "only the rounds",
}
"""What a network is trained on."""
NETS: Mapping[str, tuple[str, tuple[str, ...], tuple[str, ...]]] = {
    "BUTD": (TRIED, (), tuple(LESSONS)),
    "BAN": (UNSEEN, (), ("base", "all", "ordinary")),
    "language-only": (BLIND, (), ("base", "only", "all")),
    "BUTD, random image": (TRIED, ("random-image",), ("all",)),
    "BUTD, VILLA": (TRIED, ("villa:steps=1",), ("all",)),
}
"""The network, its losses and its lessons."""
BETWEEN = ("base", "all", "ordinary")
"""The lessons after which BUTD is tested on the other suites."""
GAP = "plain − rounds"
"""The column that the paper calls (v2, AVQA)."""
PAPER_2 = {
    ("BUTD", "base"): (19.28, 18.85, 21.31, 67.60, 48.00),
    ("BUTD", "1"): (20.27, 20.14, 21.82, 67.37, 46.79),
    ("BUTD", "2"): (21.82, 21.80, 20.94, 67.44, 45.83),
    ("BUTD", "all"): (22.11, 22.78, 23.70, 67.52, 44.81),
    ("BAN", "base"): (17.91, 18.55, 20.20, 72.70, 54.04),
    ("BAN", "all"): (24.93, 23.92, 23.02, 72.66, 48.52),
}
"""BUTD of Table 11 and UNITER-B of Table 2, on the test splits; there BUTD was the network that was not attacked."""
PAPER_1: Mapping[int, Mapping[str, float]] = {
    number: dict(
        zip(("images", "questions", "verified", "error", "verified error", "tries", "success"), row, strict=True)
    )
    for number, row in enumerate(
        (
            (13700, 93100, 45600, 48.9, 35.2, 1.6, 78),
            (13100, 70400, 37800, 56.1, 49.0, 1.5, 81),
            (11100, 60400, 30000, 49.8, 36.3, 1.6, 79),
        ),
        1,
    )
}
"""As printed, but for the success of sessions, whose number is that of questions divided by that of tries. The verified
error of round 2 contradicts the sizes of the splits, which give 39 %."""
PAPER_4A = {
    "base": (17.82, 17.03, 21.19, 45.81),
    "only": (20.37, 21.49, 22.92, 38.21),
    "all": (19.75, 20.75, 22.31, 46.23),
}
PAPER_3 = {"verified": (25.63, 22.84, 22.36), "all": (26.85, 22.82, 23.70)}

Runs = Mapping[tuple[str, str], Sequence[Mapping[str, Result]]]
"""For each network and lesson, for each seed, a result for each test."""


def run(plan: ExperimentPlan) -> ExperimentFinding:
    """Hold three rounds for every seed, retraining the robots in between; then train and test the other networks."""
    cache_features(plan, *(plan.world(split) for split in ("train", "val", "test")))
    every = [Rounds(plan, seed) for seed in plan.training_seeds]
    plain = build_test(plan, "accuracy", name="plain")
    others = [build_test(plan, suite, name=name) for name, (suite, _) in SUITES.items()]
    runs: dict[tuple[str, str], list[Mapping[str, Result]]] = {}
    bar = progress_bar(Settings(progress=plan.progress), iterable=every, desc="Seeds", unit=" seeds")
    for rounds in bar:  # one after the other, so that a stopped experiment has some seeds complete
        _hold(plan, rounds)
        jobs = {
            (net, lesson): _job(rounds, net, lesson, [*_tests(plan, rounds), plain], others)
            for net, (_, _, lessons) in NETS.items()
            for lesson in lessons
        }
        done = run_jobs(plan, list(jobs.values()))
        for way, job in jobs.items():
            runs.setdefault(way, []).append(done[job.name])
    return ExperimentFinding(
        title="Does a robot get better by what people fooled it with?",
        paper="Paper: Li, Lei, Gan, Liu: Adversarial VQA: A New Benchmark for Evaluating the Robustness of VQA Models. "
        "ICCV 2021, Tables 1 to 6 and 11.",
        method=_METHOD,
        tables=[*_tables(runs, every)],
        claims=[*_claims(runs, every)],
        notes=list(_notes(runs)),
        settings=plan.settings,
    )


def _hold(plan: ExperimentPlan, rounds: Rounds) -> None:
    """The three rounds of a seed; after each, the robots learn from it too, and choose the epoch on its dev split."""
    for number in ROUNDS:
        lesson, seed = ("base", "1", "2")[number - 1], rounds.seed + 1000
        robots = [
            replace(
                _job(rounds, "BUTD", lesson, [], []), name=f"robot-{kind}-{number}-{rounds.seed}", net=net, seed=seed
            )
            for kind, net in enumerate(ROBOTS)
        ]
        run_jobs(plan, robots)
        rounds.hold(number, [model_folder(plan, robot).resolve() for robot in robots])


def _job(rounds: Rounds, net: str, lesson: str, tests: Sequence[Test], others: Sequence[Test]) -> Job:
    spec, losses, _ = NETS[net]
    until = int(lesson) if lesson.isdigit() else ROUNDS[-1]
    return Job(
        f"{net}-{lesson}-{rounds.seed}".replace(", ", "-").replace(" ", "-"),
        spec,
        (*tests, *(others if net == "BUTD" and lesson in BETWEEN else ())),
        losses,
        rounds.seed,
        more=_more(rounds, lesson, until),
        only_more=lesson == "only",
        val=None if lesson == "base" else rounds.lesson(f"dev-{until}", rounds.questions("dev", until)),
    )


def _more(rounds: Rounds, lesson: str, until: int) -> Path | None:
    """What a network learns from besides the world."""
    if lesson == "base":
        return None
    if lesson == "ordinary":
        return rounds.lesson("ordinary", rounds.ordinary(until))
    if lesson == "verified":
        return rounds.lesson("verified", rounds.questions("train", until, types="CE"))
    return rounds.lesson(f"train-{until}", rounds.questions("train", until))


def _tests(plan: ExperimentPlan, rounds: Rounds) -> list[Test]:
    """The test questions of each round."""
    found = []
    for number in ROUNDS:
        name = f"round {number}"
        file = rounds.lesson(f"test-{number}", rounds.questions("test", number, only=True))
        found.append(replace(build_test(plan, "accuracy", str(file), f"{name}, seed {rounds.seed}"), name=name))
    return found


def _tables(runs: Runs, every: Sequence[Rounds]) -> Iterator[Table]:
    digits = dict(zip(PAPER_1[1], (0, 0, 0, 1, 1, 2, 1), strict=True))
    facts = {number: [rounds.facts(number) for rounds in every] for number in ROUNDS}
    yield paper_table(
        "The rounds: questions, robots' error rate and successful sessions in per cent, tries of a session (Table 1)",
        list(digits),
        {
            f"round {number}": [
                PaperCell(tuple(one[name] for one in facts[number]), PAPER_1[number][name], digits[name])
                for name in digits
            ]
            for number in ROUNDS
        },
    )
    ways = [("BUTD", lesson) for lesson in ("base", "1", "2", "all", "ordinary")] + [
        ("BAN", lesson) for lesson in NETS["BAN"][2]
    ]
    yield _accuracies("Accuracy by training data (Tables 2 and 11)", runs, ways, PAPER_2)
    yield _accuracies(
        "Verified and combined data (Table 3)",
        runs,
        [("BUTD", "verified"), ("BUTD", "all")],
        {("BUTD", key): cells for key, cells in PAPER_3.items()},
    )
    blind = {("language-only", lesson): cells for lesson, cells in PAPER_4A.items()}
    blind |= {
        ("BUTD", "base"): (17.91, 18.55, 20.20, 72.70),
        ("BUTD", "only"): (25.66, 24.91, 25.06, 59.99),
        ("BUTD", "all"): (24.93, 23.92, 23.02, 72.66),
    }
    yield _accuracies(
        "With and without the image (Table 4a)",
        runs,
        [(net, lesson) for lesson in ("base", "only", "all") for net in ("BUTD", "language-only")],
        blind,
    )
    whole = {"BUTD": (23.94, 67.52), "BUTD, random image": (21.84, None)}
    yield _whole(
        "Random-image regulariser (Table 4b)",
        runs,
        [("BUTD", "all"), ("BUTD, random image", "all")],
        {(net, "all"): cells for net, cells in whole.items()},
    )
    villa = {
        ("BUTD", "base"): (18.66, 72.70),
        ("BUTD", "all"): (24.14, 72.66),
        ("BUTD, VILLA", "all"): (26.10, 74.28),
    }
    yield _whole("Adversarial training (Table 5)", runs, list(villa), villa)
    yield paper_table(
        "Other robustness suites (the idea of Table 6)",
        list(SUITES),
        {
            _name("BUTD", lesson): [
                PaperCell(numbers([one[name] for one in runs["BUTD", lesson]], metric))
                for name, (_, metric) in SUITES.items()
            ]
            for lesson in BETWEEN
        },
    )


def _name(net: str, lesson: str) -> str:
    return f"{net}, {LESSONS[lesson]}"


def _accuracies(
    title: str, runs: Runs, ways: Sequence[tuple[str, str]], paper: Mapping[tuple[str, str], Sequence[float | None]]
) -> Table:
    rows = {
        _name(*way): [
            PaperCell(values, dict(enumerate(paper.get(way, ()))).get(place))
            for place, values in enumerate(
                (
                    *(numbers([one[test] for one in runs[way]], "accuracy.all") for test in TESTS),
                    tuple(one.value for one in _gap(runs[way])),
                )
            )
        ]
        for way in ways
    }
    return paper_table(title, [*TESTS, GAP], rows)


def _whole(
    title: str, runs: Runs, ways: Sequence[tuple[str, str]], paper: Mapping[tuple[str, str], Sequence[float | None]]
) -> Table:
    rows = {
        _name(*way): [
            PaperCell(tuple(one.value for one in found), cell)
            for found, cell in zip((_hard(runs[way]), _plain(runs[way])), paper[way], strict=True)
        ]
        for way in ways
    }
    return paper_table(title, ["all rounds", "plain"], rows)


def _plain(several: Sequence[Mapping[str, Result]]) -> list[Measured]:
    return [measured(results["plain"], "accuracy.all") for results in several]


def _round(several: Sequence[Mapping[str, Result]], number: int) -> list[Measured]:
    return [measured(results[f"round {number}"], "accuracy.all") for results in several]


def _hard(several: Sequence[Mapping[str, Result]]) -> list[Measured]:
    """The mean accuracy over the rounds, by seed."""
    return [mean_of(each) for each in zip(*(_round(several, number) for number in ROUNDS), strict=True)]


def _gap(several: Sequence[Mapping[str, Result]]) -> list[Measured]:
    return [one - other for one, other in zip(_plain(several), _hard(several), strict=True)]


def _case(name: str, first: Sequence[Measured], second: Sequence[Measured]) -> tuple[str, SeedDifference]:
    """The first minus the second, named with their means."""
    means = " against ".join(f"{fmean(one.value for one in several):.1f}" for several in (first, second))
    return f"{name} {means}".strip(), SeedDifference.of(first, second)


def _claims(runs: Runs, every: Sequence[Rounds]) -> Iterator[Claim]:
    base, everything, ordinary = (runs["BUTD", lesson] for lesson in BETWEEN)
    errors = {number: [Measured(rounds.facts(number)["error"], {}) for rounds in every] for number in ROUNDS}
    yield Claim(
        f"Retrained robots are fooled as often: their error rate does not fall (by {MARGIN:g} point or more).",
        dict(_case(f"round {number}", errors[number], errors[1]) for number in (2, 3)),
        -MARGIN,
    )
    yield Claim(
        "Later rounds are as hard: the network that learned from no round is not better on them "
        f"(by {MARGIN:g} point or more).",
        dict(_case(f"rounds 1 and {number}:", _round(base, 1), _round(base, number)) for number in (2, 3)),
        -MARGIN,
    )
    yield Claim(
        "The questions transfer: a kind of network that was not attacked is far worse on them than on plain ones "
        f"(by more than {FAR:g} points).",
        dict([_case("BAN", _plain(runs["BAN", "base"]), _hard(runs["BAN", "base"]))]),
        FAR,
    )
    yield Claim(
        "Learning from the rounds helps on them.",
        dict(_case(net, _hard(runs[net, "all"]), _hard(runs[net, "base"])) for net in ("BUTD", "BAN")),
    )
    yield Claim(
        "It helps more than learning from as many ordinary questions.",
        dict(_case(net, _hard(runs[net, "all"]), _hard(runs[net, "ordinary"])) for net in ("BUTD", "BAN")),
    )
    yield Claim(
        f"It does not close the gap: plain accuracy stays far above (by more than {FAR:g} points).",
        dict(_case(net, _plain(runs[net, "all"]), _hard(runs[net, "all"])) for net in ("BUTD", "BUTD, VILLA")),
        FAR,
    )
    yield Claim(
        f"Plain accuracy does not fall (by {MARGIN:g} point or more).",
        dict([_case("", _plain(everything), _plain(base))]),
        -MARGIN,
    )
    yield Claim(
        "Questions that the robot answered correctly add little: without them accuracy on the rounds does not fall "
        f"(by {MARGIN:g} point or more).",
        dict([_case("", _hard(runs["BUTD", "verified"]), _hard(everything))]),
        -MARGIN,
    )
    yield Claim(
        f"Without the image a network is far worse on plain questions (by more than {FAR:g} points).",
        dict([_case("", _plain(everything), _plain(runs["language-only", "all"]))]),
        FAR,
    )
    yield Claim(
        "The random-image regulariser hurts on the rounds.",
        dict([_case("", _hard(everything), _hard(runs["BUTD, random image", "all"]))]),
    )
    yield Claim(
        "Adversarial training helps on the rounds.",
        dict([_case("", _hard(runs["BUTD, VILLA", "all"]), _hard(everything))]),
    )
    for against, several in (("", base), (" more than as many ordinary questions do", ordinary)):
        yield Claim(
            f"Learning from the rounds helps on other robustness suites{against}.",
            dict(
                _case(name, *([measured(one[name], metric) for one in way] for way in (everything, several)))
                for name, (_, metric) in SUITES.items()
            ),
        )


def _notes(runs: Runs) -> Iterator[str]:
    first = runs["BUTD", "base"]
    sizes = [fmean(one[test].score("accuracy.all").n for one in first) for test in TESTS]
    yield (
        "Test questions, on average over the seeds: "
        + ", ".join(f"{test} {size:.0f}" for test, size in zip(TESTS, sizes, strict=True))
        + "."
    )
    yield (
        "Other suites: "
        + ", ".join(f"{name} `{metric}` of `{suite}`" for name, (suite, metric) in SUITES.items())
        + "."
    )
    yield (
        "The people of a study are simulated: they know the scene and 80 % of the kinds of questions, and mostly ask "
        "what fooled the robots before; see [collecting questions](../collect.md#simulated-people)."
    )


_METHOD = f"""\
For every seed, simulated people hold a study of three rounds on images of a world of its own (seed + {WORLD}), with the
paper's settings but four verifiers for each question instead of nine. The robots are two networks, BUTD and CNN+LSTM
(the paper: three); after each round both are trained again from scratch on the world and the train splits of all
finished rounds, and choose the epoch on their dev splits. Networks that are tested have other seeds than the robots, so
none was fooled itself. BAN was never attacked (the paper: BUTD, so its rows in brackets are UNITER-B's). Ordinary
questions are the world's own about the same training images. Table 3 joins all rounds; in Table 4a, Table 4b and
Table 5, BUTD is compared with UNITER-B (Table 4b: with BUTD on the dev split)."""
