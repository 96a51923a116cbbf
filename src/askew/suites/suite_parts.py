"""What suites share: options, metrics, and figures published in the papers."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Literal, TypeAlias, get_args

from askew.errors import BadOption, RunError
from askew.files.images import content_hash
from askew.files.read_write import resource
from askew.metrics.accuracy import Accuracy, Gap
from askew.metrics.benchmark_metrics import ClaimRate
from askew.metrics.consistency import ComprehensiveAccuracy, Consensus, PairAccuracy, SelfConsistency
from askew.metrics.correct import Correct
from askew.metrics.noise import NoiseAccuracy, NoiseLoss
from askew.metrics.rad_metrics import Rad
from askew.types import Mode
from askew.verbs import Dataset, Executor, Metric, SeesFiles

Originals: TypeAlias = Literal["covered", "all"]
"""Which questions are asked: those that have a variant, or all of the data."""


def check_originals(suite: str, originals: str) -> None:
    """Refuse other values when a suite is constructed, rather than when it is first used.

    >>> check_originals("rad", "some")
    Traceback (most recent call last):
    askew.errors.BadOption: rad: originals is 'some'. Give covered or all.
    """
    if originals not in get_args(Originals):
        raise BadOption(f"{suite}: originals is {originals!r}. Give covered or all.")


IMAGES_SENT = 4
"""How many questions a worker gets at once if it returns images."""


def check_seen(executor: Executor | None, data: Dataset, suite: str) -> None:
    """Refuse workers on other hosts that do not find the images of the data, for a suite that changes images."""
    if not isinstance(executor, SeesFiles):
        return
    images = (image for question in data.questions() for image in question.images if image.path)
    first = next(images, None)
    if first is not None and not executor.sees(replace(first, sha256=content_hash(first))):
        raise RunError(
            f"{suite}: not all workers find the image {first.path}, and this suite changes images. Put them at the "
            "same path on all hosts, or leave --executor out."
        )


def listed(text: str) -> tuple[str, ...]:
    """The items of a comma-separated list, without duplicates.

    >>> listed("mask, crop,,mask")
    ('mask', 'crop')
    """
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


def before_after(mode: Mode) -> dict[str, Metric]:
    """Accuracy on the originals and on the variants, and their difference.

    >>> list(before_after("robust"))
    ['accuracy.original', 'accuracy.variant', 'accuracy.gap']
    """
    return {
        "accuracy.original": Accuracy("original", mode),
        "accuracy.variant": Accuracy("variant", mode),
        "accuracy.gap": Gap(mode),
    }


def rad_scores(correct: Correct, mode: Mode) -> dict[str, Metric]:
    """RAD both ways (Rosenberg et al. 2021), accuracy on both sides, and how often both are correct.

    >>> list(rad_scores("modal", "official"))[-3:]
    ['rad.forward', 'rad.backward', 'cs.2']
    """
    return {
        "accuracy.all": Accuracy("all", mode),
        **before_after(mode),
        "rad.forward": Rad(False, correct, mode),
        "rad.backward": Rad(True, correct, mode),
        "cs.2": Consensus(2, mode=mode),
    }


def carets_scores(correct: Correct, mode: Mode) -> dict[str, Metric]:
    """ACC, CONS and C-ACC of CARETS (Jimenez et al. 2022, §5.3).

    >>> list(carets_scores("modal", "exact"))
    ['carets.acc', 'carets.cons', 'carets.cacc']
    """
    return {
        "carets.acc": PairAccuracy(correct, mode),
        "carets.cons": SelfConsistency(),
        "carets.cacc": ComprehensiveAccuracy(correct, mode),
    }


def claim_scores(mode: Mode) -> dict[str, Metric]:
    """Accuracy before and after a wrong claim (``level`` 1), and how often the claim is the answer.

    >>> list(claim_scores("robust"))[3:6]
    ['accuracy.noise.1', 'noise.loss.1', 'claim.before']
    """
    return {
        **before_after(mode),
        "accuracy.noise.1": NoiseAccuracy(1, mode),
        "noise.loss.1": NoiseLoss(1, mode=mode),
        "claim.before": ClaimRate("original"),
        "claim.after": ClaimRate("variant"),
        "carets.cons": SelfConsistency(),
    }


PaperRows: TypeAlias = dict[str, tuple[float | None, ...]]
"""Row labels of a paper's table with the values printed there."""


@cache
def published(suite: str) -> dict[str, PaperRows]:
    """The figures in ``SUITE.yaml``: for each table, row label to values as printed there.

    >>> published("rad")["rad"]["BUTD (VQA)"][0]
    67.15
    """
    tables: dict[str, dict[str, Any]] = resource(f"suites/{suite}.yaml")
    return {name: {row: tuple(values) for row, values in rows.items()} for name, rows in tables.items()}
