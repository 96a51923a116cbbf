"""Does RAD predict how a model does on changes it was not tested with? (Rosenberg et al. 2021, §4, App. E, Table 4)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from askew.experiments.finding import Cell, Claim, Finding, PaperTable
from askew.experiments.jobs import Job, do_all, make_test, numbers
from askew.experiments.plan import Plan
from askew.experiments.sight import look_at
from askew.metrics.regression import Fit, Sides, predicts_generalisation, sides

TYPES = ("what color", "how many", "what kind")
SHARES = (0.10, 0.20, 0.30, 0.40, 0.50, 0.60, 0.70, 0.80, 0.90, 0.92, 0.95, 0.96, 0.97, 0.98, 0.99)
"""How much of a question type is left out of training: 3 × 15 = 45 networks."""

_RAD = ("RAD(D, D′)", "RAD(D′, D)")

PUBLISHED: Mapping[str, tuple[float, float]] = {
    "Accuracy(D), RAD(D, D′), RAD(D′, D)": (0.917, 0.117),
    "Accuracy(D)": (0.829, 0.237),
    "RAD(D, D′)": (0.899, 0.133),
    "RAD(D′, D)": (0.849, 0.213),
}
"""R² and its standard deviation for LMH, as printed."""


def run(plan: Plan) -> Finding:
    """Train the 45 networks, measure them on four augmentations, and predict each from the other three."""
    look_at(plan, plan.world("train"), plan.world("val"), plan.world("test"))
    tests = (make_test(plan, "rad"), make_test(plan, "p2:perturbations=paraphrastic"))
    jobs = [
        Job(f"{words.replace(' ', '-')}-{share:.0%}", "butd:hidden=128", tests, seed=plan.seed, dropped=(words, share))
        for words in TYPES
        for share in SHARES
    ]
    done = do_all(plan, jobs)
    instances: list[dict[str, Sides]] = [
        {test: found for result in done[job.name].values() for test, found in sides(result.samples()).items()}
        for job in jobs
    ]
    fits = predicts_generalisation(instances)
    with_constant = predicts_generalisation(instances, intercept=True)
    accuracies = [numbers([done[job.name]["rad"]], "accuracy.original")[0] for job in jobs]
    return Finding(
        title="Does RAD predict generalisation?",
        paper="After Rosenberg, Gat, Feder, Reichart: Are VQA Systems RAD? Measuring Robustness to Augmented Data with "
        "Focused Interventions. ACL 2021, Table 4.",
        method=_METHOD,
        tables=[
            _table("R² of predicting accuracy on an augmentation left out, over 45 networks (Table 4)", fits),
            _table("The same with a constant term, which the paper's equation has not", with_constant, papers=False),
            _each("R² for each augmentation left out", fits),
        ],
        claims=_claims(fits, with_constant),
        notes=[
            f"Accuracy of the networks on what is to be predicted, and the standard error of one of them: "
            f"{_spread(instances)}. Where the range is little more than the error, there is nothing to predict.",
            f"They answer {min(accuracies):.1f} to {max(accuracies):.1f} % of RAD's original questions rightly.",
            "R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)². Without a constant term it falls below zero where a feature predicts "
            "worse than the mean of the networks does.",
        ],
        settings={"scenes": plan.scenes, "epochs": plan.epochs, "seed": plan.seed},
    )


def _table(title: str, fits: Sequence[Fit], papers: bool = True) -> PaperTable:
    rows = {}
    for fit in fits:
        mean, sd = PUBLISHED[", ".join(fit.features)] if papers else (None, None)
        rows[", ".join(fit.features)] = (Cell((fit.mean,), mean, digits=3), Cell((fit.sd,), sd, digits=3))
    return PaperTable(title, ("R²", "sd over augmentations"), rows)


def _each(title: str, fits: Sequence[Fit]) -> PaperTable:
    tests = tuple(fits[0].r_squared)
    rows = {", ".join(fit.features): tuple(Cell((fit.r_squared[test],), digits=3) for test in tests) for fit in fits}
    return PaperTable(title, tests, rows)


def _claims(fits: Sequence[Fit], constant: Sequence[Fit]) -> list[Claim]:
    everything, accuracy, forward, backward = (fit.mean for fit in fits)
    told = ", ".join(f"{name} {fit.mean:.3f}" for name, fit in zip(("all", "accuracy", *_RAD), constant, strict=True))
    return [
        Claim(
            "RAD beside accuracy predicts better than accuracy alone.",
            f"R² {everything:.3f} against {accuracy:.3f}; with a constant term: {told}.",
            _larger(everything, accuracy),
        ),
        Claim(
            "RAD alone predicts better than accuracy alone.",
            f"{_RAD[0]} {forward:.3f}, {_RAD[1]} {backward:.3f}, accuracy {accuracy:.3f}; with a constant: {told}.",
            _larger(min(forward, backward), accuracy),
        ),
    ]


def _larger(first: float, second: float) -> bool | None:
    """Undecided when neither predicts anything.

    >>> _larger(0.9, 0.8), _larger(0.1, 0.8), _larger(-0.1, -0.7)
    (True, False, None)
    """
    return None if max(first, second) <= 0 else first > second


def _spread(instances: Sequence[Mapping[str, Sides]]) -> str:
    """How much there is to predict: the networks' accuracies on each augmentation, and what chance alone would do."""
    parts = []
    for test in instances[0]:
        found = [one[test].variant_accuracy / one[test].pairs for one in instances]
        pairs = instances[0][test].pairs
        error = (0.25 / pairs) ** 0.5
        parts.append(f"{test} {100 * min(found):.1f} to {100 * max(found):.1f} % ({pairs} pairs, ± {100 * error:.1f})")
    return "; ".join(parts)


_METHOD = """\
45 networks (BUTD; the paper has BUTD and LMH) are trained on the embedded world, each without a share of one question
type: 10 to 99 % of "what color", "how many" or "what kind". Each is tested on four augmentations of questions of the
test split: Y/N←C, Y/N←HM, Y/N←WK, and paraphrases from VQA P2's rules where the paper has the rephrasings that people
wrote. For each augmentation left out, a linear regression over the 45 networks predicts accuracy on it from accuracy
and RAD on the other three. The first regression has more features than the others, so its R² on the same networks can
only be larger or equal; the paper's table has this too."""
