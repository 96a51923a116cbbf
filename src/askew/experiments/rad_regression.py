"""Does RAD predict how a model does on changes it was not tested with? (Rosenberg et al. 2021, §4, App. E, Table 4)"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import astuple

import numpy as np

from askew.errors import UsageError
from askew.experiments import ExperimentFinding, ExperimentPlan, PaperCell, paper_table
from askew.experiments.claims import Claim, Measured, SeedDifference
from askew.experiments.jobs import Job, build_test, cache_features, numbers, run_jobs
from askew.metrics.rad_metrics import FEATURES, Fit, Sides, has_rad, prediction_errors, predicts_generalisation, sides
from askew.metrics.run_table import image_number
from askew.significance import Floats
from askew.types import Outcome, Table

TYPES = ("what color", "how many", "what kind")
SHARES = (0.10, 0.20, 0.30, 0.40, 0.50, 0.60, 0.70, 0.80, 0.90, 0.92, 0.95, 0.96, 0.97, 0.98, 0.99)
"""How much of a question type is left out of training: 3 × 15 = 45 networks."""

LEAST = 10
"""The minimum number of networks for a regression with up to three features and a constant."""

IMAGE_PARTS = 20
"""The error due to the choice of test images is found by leaving out one part of them at a time."""

PUBLISHED: Mapping[str, float] = {", ".join(FEATURES): 0.995}
"""R² for BUTD; the paper prints only this one."""


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
    found = [_by_image_part(result.samples() for result in done[job.name].values()) for job in jobs]
    kept = _with_rad(found)
    instances = [_all_parts(parts) for parts in kept]
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
                f"R² of predicting accuracy on an augmentation left out, over {len(instances)} networks (Table 4)",
                with_constant,
            ),
            _table("The same without a constant term, as in the paper's equation", fits, PUBLISHED),
            _each("R² for each augmentation left out, with a constant term", with_constant),
        ],
        claims=_claims(kept),
        notes=[
            f"The accuracies to be predicted, and the standard error of one of them: "
            f"{_spread(instances)}. If the range is hardly larger than the error, there is nothing to predict.",
            f"The networks answer {min(accuracies):.1f} to {max(accuracies):.1f} % of RAD's originals correctly.",
            *_left_out(len(found) - len(instances), len(found)),
            "R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)². Without a constant term it is 1 − Σ(y − ŷ)² / Σy², as statistics packages "
            "print it, and near 1 whatever is predicted; the paper does not say which of the two it prints.",
            "The paper's table is of LMH networks on VQA-CP (0.917 with all features, accuracy alone 0.829, RAD alone "
            "0.899 and 0.849), which are not trained here. For BUTD it gives one figure, 0.995 with all features.",
            "The claims compare predictions of networks that the regression was not fitted to (one network left out at "
            "a time), with a constant term: R² = 1 − Σ(y − ŷ)² / Σ(y − ȳ)², its mean over the four augmentations.",
        ],
        settings={"scenes": plan.scenes, "epochs": plan.epochs, "seed": plan.seed},
    )


def _by_image_part(samples: Iterable[Iterable[Outcome]]) -> list[dict[str, Sides]]:
    """The sums of a network for each augmentation, in each part of the test images."""
    parts: list[list[Outcome]] = [[] for _ in range(IMAGE_PARTS)]
    for outcomes in samples:
        for outcome in outcomes:
            parts[image_number(outcome.group) % IMAGE_PARTS].append(outcome)
    return [sides(part) for part in parts]


def _all_parts(parts: Iterable[Mapping[str, Sides]]) -> dict[str, Sides]:
    """The sums over several parts of the test images."""
    total: dict[str, Floats] = {}
    for part in parts:
        for test, one in part.items():
            total[test] = total.get(test, 0.0) + np.array(astuple(one))
    return {test: Sides(int(sums[0]), *sums[1:].tolist()) for test, sums in total.items()}


def _without(parts: Sequence[Mapping[str, Sides]], left_out: int) -> Sequence[Mapping[str, Sides]]:
    return [part for number, part in enumerate(parts) if number != left_out]


def _with_rad(found: Sequence[Sequence[Mapping[str, Sides]]]) -> list[Sequence[Mapping[str, Sides]]]:
    """The networks for which RAD is defined; UsageError if they are too few for a regression."""
    kept = [parts for parts in found if all(has_rad(_all_parts(_without(parts, part))) for part in range(IMAGE_PARTS))]
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


def _table(title: str, fits: Sequence[Fit], paper: Mapping[str, float] | None = None) -> Table:
    rows = {}
    for fit in fits:
        name = ", ".join(fit.features)
        rows[name] = (PaperCell((fit.mean,), (paper or {}).get(name), digits=3), PaperCell((fit.sd,), digits=3))
    return paper_table(title, ("R²", "sd over augmentations"), rows)


def _each(title: str, fits: Sequence[Fit]) -> Table:
    tests = tuple(fits[0].r_squared)
    rows = {
        ", ".join(fit.features): tuple(PaperCell((fit.r_squared[test],), digits=3) for test in tests) for fit in fits
    }
    return paper_table(title, tests, rows)


def _claims(networks: Sequence[Sequence[Mapping[str, Sides]]]) -> list[Claim]:
    """What RAD adds to accuracy, and does instead of it, when the accuracy of a new network is predicted."""
    whole = prediction_errors([_all_parts(parts) for parts in networks])
    without = [prediction_errors([_all_parts(_without(parts, n)) for parts in networks]) for n in range(IMAGE_PARTS)]
    everything, accuracy, *each = range(len(whole))

    def less_error(features: int, name: str) -> tuple[str, SeedDifference]:
        """How much smaller the errors are than with accuracy alone, network by network."""
        gains = whole[accuracy] - whole[features]
        share = (IMAGE_PARTS - 1) / IMAGE_PARTS  # of the jackknife
        moves = np.array([share * (gains - errors[accuracy] + errors[features]) for errors in without])
        r_squared = 1 - whole.mean(axis=1)
        label = f"{name} R² {r_squared[features]:.3f} against {r_squared[accuracy]:.3f}".strip()
        return label, SeedDifference.of(
            [
                Measured(gain, dict(enumerate(of_parts)))
                for gain, of_parts in zip(gains.tolist(), moves.T.tolist(), strict=True)
            ]
        )

    return [
        Claim(
            "RAD together with accuracy predicts better than accuracy alone.",
            dict([less_error(everything, "")]),
            digits=3,
        ),
        Claim(
            "RAD alone predicts better than accuracy alone.",
            dict(less_error(one, FEATURES[number]) for number, one in enumerate(each, 1)),
            digits=3,
        ),
    ]


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
