"""Do adapters trained on groups make a generator more robust, and is it the variants that do it?

Not a replication: the papers train networks. The same adapter is trained with variants and consistency, and with three
controls (:mod:`askew.train.controls`); the suites that judge it use other templates and words than those of training.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from askew.engine.components import as_data
from askew.engine.result import Result
from askew.engine.settings import Settings, progress_bar
from askew.errors import BadOption
from askew.experiments import ExperimentFinding, ExperimentPlan, PaperCell, paper_table
from askew.experiments.claims import MARGIN, Claim, SeedDifference
from askew.experiments.jobs import Test, build_test, measured, numbers, run_test
from askew.experiments.tiny_generator import PROMPT, train_tiny_generator
from askew.types import Table

ARMS: Mapping[str, str] = {
    "plain data": "plain",
    "originals": "originals",
    "variants": "no-consistency",
    "variants and consistency": "",
}
"""The arms, with the control that each is."""
TRAINED_ON = ("p2", "rad")
"""The suites whose pairs are learnt."""
SUITES = ("accuracy", "rad", "p2", "carets")
MEASURES = {
    "accuracy": ("accuracy", "accuracy.all"),
    "RAD": ("rad", "rad.forward"),
    "CS(2) of VQA P2": ("p2", "cs.2"),
    "CARETS C-ACC": ("carets", "carets.cacc"),
}
"""What is measured: the suite and its metric."""
GROUPS = 1500
"""At most so many groups of a suite are learnt from."""
TESTED = 600
"""At most so many groups of a suite are asked."""
STEPS_AN_EPOCH = 60
"""Steps of an adapter for each epoch of the plan."""
BATCH = 16
LOSS = "consistency:weight=1,rate=0.5"
LORA = "r=16"
RATE = 1e-3

Runs = Mapping[str, Sequence[Mapping[str, Result]]]
"""The results of each arm: by seed, by suite."""


def run(plan: ExperimentPlan) -> ExperimentFinding:
    """Train a tiny generator, and adapters of it in each arm; test all of them."""
    if plan.executor != "local":
        raise BadOption("adapter-controls trains one adapter after the other: leave --workers and --executor out.")
    questions = [one for one in as_data(plan.world("train")).what.questions() if one.answers]
    base = train_tiny_generator(questions, plan.output / "networks" / "before", plan.seed, plan.progress)
    learnt = [
        str(build_test(plan, suite, plan.world("train"), f"train-{suite}", GROUPS).groups) for suite in TRAINED_ON
    ]
    tests = [build_test(plan, suite, limit=TESTED) for suite in SUITES]
    spec = f"hf:{base},prompt={PROMPT}"
    runs: dict[str, list[Mapping[str, Result]]] = {
        "language alone": [_tested(plan, f"prior:data={plan.world('train')}", "language", tests[:1])],
        "before": [_tested(plan, spec, "before", tests)],
        **{arm: [] for arm in ARMS},
    }
    total = len(ARMS) * plan.seeds
    with progress_bar(Settings(progress=plan.progress), total=total, desc="Adapters", unit=" adapters") as bar:
        for seed in plan.training_seeds:  # so that a killed experiment has whole seeds
            for arm, control in ARMS.items():
                trained = _adapter(plan, spec, learnt, control, seed)
                runs[arm].append(_tested(plan, trained, f"{control or 'consistency'}-{seed}", tests))
                bar.update()
    return ExperimentFinding(
        title="Do adapters make a generator more robust?",
        paper="No paper: the loss is that of our networks (Whitehead et al. 2020 compare Q3R with it), here for a "
        "generator by adapter.",
        method=_METHOD,
        tables=[_table(runs)],
        claims=list(_claims(runs)),
        notes=[
            "One generator is trained; the seeds are those of the adapters.",
            f"Pairs of {' and '.join(TRAINED_ON)} are learnt, so RAD and CS are measured with the rules of training on "
            "new images; CARETS has other templates and words.",
        ],
        settings=plan.settings | {"steps of an adapter": STEPS_AN_EPOCH * plan.epochs},
    )


def _adapter(plan: ExperimentPlan, spec: str, groups: Sequence[str], control: str, seed: int) -> str:
    """The spec of the generator with a trained adapter."""
    from askew.train.adapters.train_adapter import train_adapter

    done = train_adapter(
        spec,
        plan.world("train"),
        plan.world("val"),
        [LOSS],
        output=plan.output / "networks" / f"{control or 'consistency'}-{seed}" / "adapter",
        groups=groups,
        control=control,
        lora=LORA,
        steps=STEPS_AN_EPOCH * plan.epochs,
        batch_size=BATCH,
        evaluate=STEPS_AN_EPOCH,
        rate=RATE,
        seed=seed,
        threads=1,
    )
    return done.spec


def _tested(plan: ExperimentPlan, spec: str, name: str, tests: Sequence[Test]) -> dict[str, Result]:
    """The results of one model, read from disk if it was tested before."""
    found = {}
    for test in tests:
        folder = plan.output / "networks" / name / test.name
        if not (folder / "results.json").is_file():
            run_test(plan, spec, name, test, folder)
        found[test.name] = Result(folder)
    return found


def _table(runs: Runs) -> Table:
    rows = {
        arm: [
            PaperCell(numbers([one[suite] for one in several if suite in one], metric))
            for suite, metric in MEASURES.values()
        ]
        for arm, several in runs.items()
    }
    return paper_table("Before and after, in per cent", [*MEASURES], rows)


def _claims(runs: Runs) -> Iterator[Claim]:
    best = "variants and consistency"
    for label in ("CARETS C-ACC", "RAD", "CS(2) of VQA P2"):
        others = ("before", *(arm for arm in ARMS if arm != best))
        cases = dict(_difference(runs, best, other, *MEASURES[label]) for other in others)
        yield Claim(f"{label} is higher with variants and consistency than before and in each control.", cases)
    cases = dict([_difference(runs, best, "before", *MEASURES["accuracy"])])
    yield Claim(f"Accuracy does not fall (by {MARGIN:g} point or more).", cases, -MARGIN)


def _difference(runs: Runs, arm: str, other: str, suite: str, metric: str) -> tuple[str, SeedDifference]:
    """By how much an arm is better than another, and its name."""
    first = [measured(one[suite], metric) for one in runs[arm]]
    second = [measured(one[suite], metric) for one in runs[other]] * (len(first) if other == "before" else 1)
    means = [sum(one.value for one in several) / len(several) for several in (second, first)]
    return f"{other} {means[0]:.1f} → {means[1]:.1f}", SeedDifference.of(first, second)


_METHOD = f"""\
A LLaVA of half a million weights is trained from scratch on the embedded world; its image encoder also learns from the
scenes' annotations. Adapters ({LORA}) are then trained on the same questions in four ways: on plain data; with as many
of the suites' original questions as the others have variants; with variants; and with variants and `{LOSS}`.
All numbers are from the test split, whose scenes no model has seen."""
