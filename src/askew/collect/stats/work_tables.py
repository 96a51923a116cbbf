"""What people and models did: agreement, the models' errors, failures and latency, and leases that ran out."""

from __future__ import annotations

from collections.abc import Sequence
from math import nan

import numpy as np

from askew.answers.krippendorff import alpha_of
from askew.collect.stats.facts import NONE, equal_answers
from askew.collect.stats.sheets import count, decimal, described, mean, of_sums, percent, share
from askew.collect.stats.tables import Counted, Counting, Part, filled
from askew.types import Score, Table


def models_table(counted: Counted) -> Table:
    """How often each model was drawn, failed and was wrong, and how long it took."""
    columns = (
        count("round", "Round"),
        count("draws", "Draws"),
        count("calls", "Calls"),
        percent("failed", "Failed draws (%)"),
        count("questions", "Judged questions"),
        percent("error_total", "Error rate, total (%)"),
        percent("error_verified", "Error rate, verified (%)"),
        *(decimal(f"p{at}", f"Seconds, p{at}", 3) for at in (50, 95, 99)),
    )
    missing = () if counted.about.source == "study" else ("A release has no data about how long models took.",)
    table = described("models", columns, "model", missing)
    facts = counted.facts
    images, latency = facts.image_of, facts.floats["latency"]
    for name in sorted({one.model for one in counted.drawn} | {name for name in facts.models if name}):
        mine = facts.columns["model"] == facts.models.get(name, NONE)
        for part in counted.parts:
            own = [one for one in counted.drawn if one.model == name and one.round in part.rounds]
            if own:
                here = mine & part.mask
                known = latency[here & ~np.isnan(latency)]
                table.add(
                    name,
                    part.label,
                    sum(one.draws for one in own),
                    sum(one.attempts for one in own),
                    _of_counts([(one.image, one.failed, one.draws) for one in own]),
                    int(here.sum()),
                    share(facts.is_type("CDE"), here, images),
                    share(facts.is_type("E"), here, images),
                    *(np.percentile(known, (50, 95, 99)).tolist() if len(known) else [nan] * 3),
                )
    return table


def leases_table(counted: Counted) -> Table:
    """How many leases expired."""
    columns = (count("kind", "Lease"), count("ended", "Ended"), percent("expired", "Expired (%)"))
    table = described(
        "leases", columns, notes=() if counted.ended is not None else ("A release has no data about leases.",)
    )
    for part in counted.parts:
        for kind in ("writing", "verifying"):
            own = [one for one in counted.ended or () if one.kind == kind and one.round in part.rounds]
            if own:
                rate = _of_counts([(one.image, one.expired, one.ended) for one in own])
                table.add(part.label, kind, sum(one.ended for one in own), rate)
    return table


def agreement_table(counted: Counted) -> Table:
    """How well verifiers agree, and how sure they are."""
    facts = counted.facts
    images, verified, people = facts.image_of, facts.is_type("CDE"), facts.settings.verifiers_per_question + 1
    agree, sure = 10 * facts.largest >= 7 * people, 10 * facts.confident >= 9 * people
    confidence = facts.sure / np.maximum(2 * facts.asked, 1)

    def alpha(part: Part) -> float | None:
        codes = facts.codes[part.mask & verified, 1:]
        same, v = int(equal_answers(codes).sum()), codes.shape[1]
        counts = np.unique(codes, return_counts=True)[1].tolist()
        return alpha_of(counts, (len(codes) * v * v - same) / (v - 1))

    columns: list[Counting] = [
        (count("questions", "Verified questions"), lambda part: int((part.mask & verified).sum())),
        (decimal("alpha", "Alpha", 3), alpha),
        (percent("same_7", "7 of 10 answers the same (%)"), lambda part: share(agree, part.mask & verified, images)),
        (
            decimal("confidence", "Mean confidence", 2),
            lambda part: mean(confidence, part.mask & verified, images, is_share=True),
        ),
        (percent("confident_9", "9 of 10 confident (%)"), lambda part: share(sure, part.mask & verified, images)),
    ]
    return filled("agreement", columns, counted.parts)


def _of_counts(counts: Sequence[tuple[int, int, int]]) -> Score:
    """The share of hits; each entry is (image, hits, total)."""
    _, place = np.unique([one[0] for one in counts], return_inverse=True)
    hits, among = (np.bincount(place, weights=[one[at] for one in counts]).astype(float) for at in (1, 2))
    return of_sums(hits, among, is_share=True)
