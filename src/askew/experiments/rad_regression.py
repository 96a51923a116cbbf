"""Does RAD predict how a model does on changes it was not tested with? (Rosenberg et al. 2021, §4, App. E, Table 4)"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

import numpy as np

from askew.errors import UsageError
from askew.experiments import Claim, ExperimentFinding, ExperimentPlan, PaperCell, paper_table
from askew.experiments.jobs import Job, build_test, cache_features, numbers, run_jobs
from askew.metrics.rad_metrics import Fit, Sides, has_rad, predicts_generalisation, sides
from askew.types import Table

TYPES = ("what color", "how many", "what kind")
SHARES = (0.10, 0.20, 0.30, 0.40, 0.50, 0.60, 0.70, 0.80, 0.90, 0.92, 0.95, 0.96, 0.97, 0.98, 0.99)
"""How much of a question type is left out of training: 3 × 15 = 45 networks."""

LEAST = 10
"""The minimum number of networks for a regression with up to three features and a constant."""

RESAMPLES = 1000
"""The number of bootstrap samples of the networks for an interval."""

_RAD = ("RAD(D, D′)", "RAD(D′, D)")

PUBLISHED: Mapping[str, tuple[float, float]] = {
    "Accuracy(D), RAD(D, D′), RAD(D′, D)": (0.917, 0.117),
    "Accuracy(D)": (0.829, 0.237),
    "RAD(D, D′)": (0.899, 0.133),
    "RAD(D′, D)": (0.849, 0.213),
}
"""R² and its standard deviation for LMH, as printed."""


def run(plan: ExperimentPlan) -> ExperimentFinding:
    """Train the 45 networks, measure them on four augmentations, and predict each from the other three."""
    cache_features(plan, plan.world("train"), plan.world("val"), plan.world("test"))
    tests = (build_test(plan, "rad"), build_test(plan, "p2:perturbations=paraphrastic"))
    jobs = [
        Job(f"{words.replace(' ', '-')}-{share:.0%}", "butd:hidden=128", tests, seed=plan.seed, dropped=(words, share))
        for words in TYPES
        for share in SHARES
    ]
    done = run_jobs(plan, jobs)
    found: list[dict[str, Sides]] = [
        {test: found for result in done[job.name].values() for test, found in sides(result.samples()).items()}
        for job in jobs
    ]
    instances = _with_rad(found)
    fits = predicts_generalisation(instances)
    with_constant = predicts_generalisation(instances, intercept=True)
    accuracies = [numbers([done[job.name]["rad"]], "accuracy.original")[0] for job in jobs]
    return ExperimentFinding(
        title="Does RAD predict generalisation?",
        paper="Paper: Rosenberg, Gat, Feder, Reichart: Are VQA Systems RAD? Measuring Robustness to Augmented Data "
        "with Focused Interventions. ACL 2021, Table 4.",
        method=_METHOD,
        tables=[
            _table(
                f"R² of predicting accuracy on an augmentation left out, over {len(instances)} networks (Table 4)", fits
            ),
            _table(
                "The same with a constant term, which the paper's equation does not have", with_constant, papers=False
            ),
            _each("R² for each augmentation left out", fits),
        ],
        claims=_claims(fits, instances),
        notes=[
            f"The accuracies to be predicted, and the standard error of one of them: "
            f"{_spread(instances)}. If the range is hardly larger than the error, there is nothing to predict.",
            f"The networks answer {min(accuracies):.1f} to {max(accuracies):.1f} % of RAD's originals correctly.",
            *_left_out(len(found) - len(instances), len(found)),
            "R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)². Without a constant term it falls below zero if a feature predicts "
            "worse than the mean of the networks does.",
        ],
        settings={"scenes": plan.scenes, "epochs": plan.epochs, "seed": plan.seed},
    )


def _with_rad(found: Sequence[dict[str, Sides]]) -> list[dict[str, Sides]]:
    """The networks for which RAD is defined; UsageError if they are too few for a regression."""
    kept = [one for one in found if has_rad(one)]
    if len(kept) < LEAST:
        raise UsageError(
            f"Only {len(kept)} of {len(found)} networks answer something correctly on both sides; {LEAST} are needed. "
            "They have learned too little: give more --scenes or --epochs, and another --output."
        )
    return kept


def _left_out(count: int, of: int) -> list[str]:
    reason = (
        "answered nothing correctly on one side of the predicting augmentations, so they have no RAD and are left out"
    )
    return [f"{count} of {of} networks {reason}."] if count else []


def _table(title: str, fits: Sequence[Fit], papers: bool = True) -> Table:
    rows = {}
    for fit in fits:
        mean, sd = PUBLISHED[", ".join(fit.features)] if papers else (None, None)
        rows[", ".join(fit.features)] = (PaperCell((fit.mean,), mean, digits=3), PaperCell((fit.sd,), sd, digits=3))
    return paper_table(title, ("R²", "sd over augmentations"), rows)


def _each(title: str, fits: Sequence[Fit]) -> Table:
    tests = tuple(fits[0].r_squared)
    rows = {
        ", ".join(fit.features): tuple(PaperCell((fit.r_squared[test],), digits=3) for test in tests) for fit in fits
    }
    return paper_table(title, tests, rows)


def _claims(fits: Sequence[Fit], instances: Sequence[Mapping[str, Sides]]) -> list[Claim]:
    """Judged with a constant term: without one, R² mainly reflects how far the networks' mean is from that of a
    feature."""
    everything, accuracy, forward, backward = (fit.mean for fit in fits)
    beside = _interval(instances, lambda all_, alone, *rad: all_ - alone)
    instead = _interval(instances, lambda all_, alone, *rad: min(rad) - alone)
    return [
        Claim(
            "RAD together with accuracy predicts better than accuracy alone.",
            f"As the paper fits it, R² {everything:.3f} against {accuracy:.3f}. With a constant term and adjusted for "
            f"the number of features, the difference is {_interval_text(beside)}.",
            _decided(beside),
        ),
        Claim(
            "RAD alone predicts better than accuracy alone.",
            f"As the paper fits it, {_RAD[0]} {forward:.3f}, {_RAD[1]} {backward:.3f}, accuracy {accuracy:.3f}. With a "
            f"constant term, the worse of the two minus accuracy is {_interval_text(instead)}.",
            _decided(instead),
        ),
    ]


def _interval(instances: Sequence[Mapping[str, Sides]], measure: Callable[..., float]) -> tuple[float, float, float]:
    """A difference of adjusted R², with its 95 % bootstrap interval over the networks."""
    rng = Random("rad-regression")
    drawn = [rng.choices(instances, k=len(instances)) for _ in range(RESAMPLES)]
    low, high = np.quantile([measure(*_adjusted(some)) for some in drawn], (0.025, 0.975))
    return measure(*_adjusted(instances)), float(low), float(high)


def _adjusted(instances: Sequence[Mapping[str, Sides]]) -> list[float]:
    """R² of each set of features with a constant term, less what the same number of features would explain of noise."""
    fits, count = predicts_generalisation(instances, intercept=True), len(instances)
    return [1 - (1 - fit.mean) * (count - 1) / (count - 1 - len(fit.features)) for fit in fits]


def _interval_text(interval: tuple[float, float, float]) -> str:
    value, low, high = interval
    return f"{value:+.3f} (95 % of {RESAMPLES} resamples of the networks: {low:+.3f} to {high:+.3f})"


def _decided(interval: tuple[float, float, float]) -> bool | None:
    """None (undecided) if the interval contains zero.

    >>> _decided((0.2, 0.1, 0.3)), _decided((-0.2, -0.3, -0.1)), _decided((0.1, -0.1, 0.3))
    (True, False, None)
    >>> _decided((float("nan"),) * 3)  # some draw has networks that are all alike
    """
    _, low, high = interval
    return True if low > 0 else False if high < 0 else None


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
test split: Y/N←C, Y/N←HM, Y/N←WK, and paraphrases by VQA P2's rules (the paper: rephrasings written by people). Each
augmentation is left out in turn, and a linear regression over the 45 networks predicts the accuracy on it from accuracy
and RAD on the other three. The first regression has more features than the others, so its R² on the same networks
cannot be smaller; this is also true of the paper's table."""
