"""Does training to reason alike on related questions make networks consistent? (Whitehead et al. 2020, Tables 2–4)"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import islice
from statistics import fmean

from askew.data.groups import read_groups
from askew.engine.result import Result
from askew.experiments import ExperimentFinding, ExperimentPlan, PaperCell, paper_table
from askew.experiments.claims import MARGIN, Claim, Measured, SeedDifference
from askew.experiments.jobs import (
    Job,
    Test,
    build_test,
    cache_features,
    measured,
    model_folder,
    numbers,
    run_jobs,
    slug,
)
from askew.metrics.run_table import image_number
from askew.suites.suite_parts import published
from askew.types import Table

SUITE = "p2:originals=all,balance=paper"
NETS = {
    "StackNMN": "stacknmn:hidden=128",
    "HybridNet": "hybridnet:hidden=128",
    "XNM": "xnm:hidden=128",
}
BESIDES = {"BUTD": "butd:hidden=128"}
"""A network without modules, for Table 2."""
WAYS: Mapping[str, tuple[str, ...]] = {
    "": (),
    " + augmentation": ("augment:rate=0.2,mixed=false,groups={groups}",),
    " + Q3R": ("q3r:weight=1,rate=0.2,groups={groups}",),
    " + Q3R, weights alone": ("q3r:weight=1,rate=0.2,ce=false,groups={groups}",),
}
"""How the module networks are trained; ``weights alone`` does not learn the answers to the changed questions."""
DELTA = ("Δ", "accuracy.gap")
EXPLAINED = 12
"""The number of pairs whose reasoning is shown."""
TYPES = {"syn": "Syn.", "para": "Par.", "ant": "Ant."}

Runs = Mapping[str, Sequence[Result]]
"""For each row of the tables, a result for each seed."""


def run(plan: ExperimentPlan) -> ExperimentFinding:
    """Train every network in every way with every seed, and test all of them on VQA P2."""
    from askew.train.checkpoint import load_trained
    from askew.train.explain import write_explained

    cache_features(plan, plan.world("train"), plan.world("val"), plan.world("test"))
    test = build_test(plan, SUITE)
    lessons = build_test(plan, "p2:balance=paper", plan.world("train"), "p2-train").groups
    rows = {name: (net, ()) for name, net in BESIDES.items()} | {
        name + way: (net, tuple(loss.format(groups=lessons) for loss in losses))
        for name, net in NETS.items()
        for way, losses in WAYS.items()
    }
    jobs = {
        name: [Job(f"{slug(name)}-{seed}", net, (test,), losses=losses, seed=seed) for seed in plan.training_seeds]
        for name, (net, losses) in rows.items()
    }
    done = run_jobs(plan, [job for several in jobs.values() for job in several])
    runs = {name: [done[job.name]["p2"] for job in several] for name, several in jobs.items()}
    for job in (jobs[name][0] for name in ("XNM", "XNM + Q3R")):  # as the paper's Figure 5 does
        changed = (group for group in read_groups(str(test.groups)) if group.variants)
        trained = load_trained(model_folder(plan, job))
        write_explained(trained, islice(changed, EXPLAINED), plan.output / f"explained-{job.name}.html")
    apart = {
        name: tuple(_difference(plan, job, test) for job in several)
        for name, several in jobs.items()
        if name not in BESIDES
    }
    first = next(iter(runs.values()))[0]
    pairs = {test: first.score("cs.2", f"test={test}").n for test in TYPES}
    return ExperimentFinding(
        title="Does Q3R make networks consistent?",
        paper="Paper: Whitehead, Wu, Fung, Ji, Feris, Saenko: Learning from Lexical Perturbations for Consistent "
        "Visual Question Answering. 2020, Tables 2–4 and §5.3.",
        method=_METHOD,
        tables=[*_tables(runs), _module_table(apart)],
        claims=[*_claims(runs), _weights_claim(apart)],
        notes=[f"Pairs in the test: {', '.join(f'{pairs[test]} {label}' for test, label in TYPES.items())}"],
        settings=plan.settings,
    )


def _tables(runs: Runs) -> Iterator[Table]:
    """The paper's tables of scores: each score with its metric and the part of the test that it is of."""
    types = [(f"{label} ", f"test={test}") for test, label in TYPES.items()]
    everything = ("All", "accuracy.all", "")
    pert, ori, cs = ("Pert", "accuracy.variant"), ("Ori", "accuracy.original"), ("CS", "cs.2")
    of_types = [(label + short, metric, part) for label, part in types for short, metric in (pert, ori, DELTA)]
    consensus = [(label + short, metric, part) for label, part in types for short, metric in (("μ", "mu"), cs)]
    plain, modular = {*BESIDES, *NETS}, runs.keys() - BESIDES.keys()
    for title, shown, key, columns in (
        ("Accuracy (Table 2)", plain, "types", [everything, *of_types]),
        ("All perturbations (Table 3)", modular, "overall", [(*pert, ""), (*ori, ""), (*cs, ""), everything]),
        ("μ and CS for each type (Table 4)", modular, "consensus", consensus),
    ):
        paper = published("p2")[key]
        rows = {
            name: [
                PaperCell(numbers(runs[name], metric, part), paper[name][at] if name in paper else None)
                for at, (_, metric, part) in enumerate(columns)
            ]
            for name in runs
            if name in shown
        }
        yield paper_table(title, [label for label, _, _ in columns], rows)


def _module_table(apart: Mapping[str, Sequence[Measured]]) -> Table:
    paper = {"HybridNet": 7.4, "HybridNet + Q3R": 0.5}
    rows = {
        name: [PaperCell(tuple(one.value for one in several), paper.get(name), digits=2)]
        for name, several in apart.items()
    }
    return paper_table("Mean difference between the module weights of a pair, × 1000 (§5.3)", ["mean difference"], rows)


def _claims(runs: Runs) -> Iterator[Claim]:
    plain = {name: [measured(one, "accuracy.gap") for one in runs[name]] for name in runs if name in {*BESIDES, *NETS}}
    yield Claim(
        "Networks lose accuracy when words are replaced.",
        {name: SeedDifference.of([Measured(0.0, {})] * len(gaps), gaps) for name, gaps in plain.items()},
    )
    for text, metric in (("Q3R raises CS.", "cs.2"), ("Q3R raises accuracy on changed questions.", "accuracy.variant")):
        yield Claim(text, _differences(runs, metric, ""))
    yield Claim(
        "Q3R raises CS more than learning from the same changed questions does.",
        _differences(runs, "cs.2", " + augmentation"),
    )
    yield Claim(
        f"Q3R does not lower accuracy on the unchanged data (by {MARGIN:g} point or more).",
        _differences(runs, "accuracy.all", ""),
        -MARGIN,
    )


def _differences(runs: Runs, metric: str, other: str) -> dict[str, SeedDifference]:
    """What Q3R adds to each module network, or to one that is trained in another way."""
    found = {}
    for name in NETS:
        first, second = ([measured(one, metric) for one in runs[name + way]] for way in (" + Q3R", other))
        label = f"{name} {fmean(one.value for one in second):.1f} → {fmean(one.value for one in first):.1f}"
        found[label] = SeedDifference.of(first, second)
    return found


def _weights_claim(apart: Mapping[str, Sequence[Measured]]) -> Claim:
    pairs = {name: (apart[name], apart[f"{name} + Q3R"]) for name in NETS}
    return Claim(
        "Q3R makes the module weights of a pair more similar (the paper: -93 % for HybridNet).",
        {
            f"{name} {fmean(one.value for one in after) / fmean(one.value for one in before) - 1:+.0%}": (
                SeedDifference.of(before, after)
            )
            for name, (before, after) in pairs.items()
        },
        digits=2,
    )


def _difference(plan: ExperimentPlan, job: Job, test: Test) -> Measured:
    """The mean absolute difference of module weights between the members of the test's pairs, × 1000."""
    import torch

    from askew.train.checkpoint import load_trained

    trained = load_trained(model_folder(plan, job))
    pairs = [
        (image_number(group), group.original.text, variant.question.text)
        for group in read_groups(str(test.groups))
        for variant in group.variants
    ]
    with torch.inference_mode():
        weights = [
            trained.net.choose(torch.from_numpy(trained.words.encode(texts)))  # type: ignore[operator]
            for texts in ([before for _, before, _ in pairs], [after for _, _, after in pairs])
        ]
    apart = 1000 * (weights[0] - weights[1]).abs().flatten(1).mean(dim=1)
    mean, influence = float(apart.mean()), dict[Hashable, float]()
    for (image, _, _), one in zip(pairs, apart.tolist(), strict=True):
        influence[image] = influence.get(image, 0.0) + (one - mean) / len(pairs)
    return Measured(mean, influence)


_METHOD = """\
Networks are trained on the training split of the embedded world, the best epoch is chosen on the validation split,
and all numbers are from the test split, whose scenes no network has seen. Pairs come from askew's rules for VQA P2;
training pairs are made only from training questions. Q3R is applied in a fifth of the steps (r = 0.2, λ = 1, L1, mean
over steps and modules). As in the authors' code, it also learns the answers to the changed questions; "weights alone"
does not. "Augmentation" learns from the same changed questions, equally often, without comparing module weights. Hidden
sizes are 128 (the paper: 512 and 1024), and Gumbel noise is off when networks are tested."""
