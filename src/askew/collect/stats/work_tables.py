"""What people and models did: agreement, the models' errors, failures and latency, and leases that ran out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from askew.collect.agreement import AlphaSums
from askew.collect.stats.example_columns import NONE
from askew.collect.stats.sheets import Floats, Rate, Sheet, SheetColumn, mean_share, of_sums, share
from askew.collect.stats.tables import Counted


def models_table(counted: Counted) -> Sheet:
    """How often each model was drawn, failed and was wrong, and how long it took."""
    sheet = Sheet(
        "models",
        "Models",
        "Draws that ended without an answer are failures. Error rates are of judged questions that the model "
        "answered; seconds are the model's alone.",
        [
            SheetColumn("round", "Round", "text"),
            SheetColumn("draws", "Draws"),
            SheetColumn("calls", "Calls"),
            SheetColumn("failed", "Failed draws (%)", "percent"),
            SheetColumn("questions", "Judged questions"),
            SheetColumn("error_total", "Error rate, total (%)", "percent"),
            SheetColumn("error_verified", "Error rate, verified (%)", "percent"),
            *(SheetColumn(f"p{at}", f"Seconds, p{at}", "number", 3) for at in (50, 95, 99)),
        ],
        first="model",
        notes=() if counted.about.source == "study" else ("A release has no data about how long models took.",),
    )
    facts = counted.facts
    names = sorted({one.model for one in counted.drawn} | {name for name in facts.models.names if name})
    for name in names:
        mine = facts.column("model") == facts.models.get(name, NONE)
        for part in counted.parts:
            own = [one for one in counted.drawn if one.model == name and one.round in part.rounds]
            if not own:
                continue
            here = mine & part.mask
            sheet.add(
                name,
                part.label,
                sum(one.draws for one in own),
                sum(one.attempts for one in own),
                _of_counts([(one.image, one.failed, one.draws) for one in own]),
                int(here.sum()),
                share(facts.is_type("CDE"), here, facts.image_of),
                share(facts.is_type("E"), here, facts.image_of),
                *_percentiles(facts.floats("latency")[here]),
            )
    return sheet


def leases_table(counted: Counted) -> Sheet:
    """How many leases expired."""
    sheet = Sheet(
        "leases",
        "Leases",
        "Leases that ended, and the share that ran out: somebody took an image or a question and did not come back.",
        [
            SheetColumn("kind", "Lease", "text"),
            SheetColumn("ended", "Ended"),
            SheetColumn("expired", "Expired (%)", "percent"),
        ],
        notes=() if counted.ended is not None else ("A release has no data about leases.",),
    )
    for part in counted.parts:
        for kind in ("writing", "verifying"):
            own = [one for one in counted.ended or () if one.kind == kind and one.round in part.rounds]
            if own:
                rate = _of_counts([(one.image, one.expired, one.ended) for one in own])
                sheet.add(part.label, kind, sum(one.ended for one in own), rate)
    return sheet


def agreement_table(counted: Counted) -> Sheet:
    """How well verifiers agree, and how sure they are."""
    sheet = Sheet(
        "agreement",
        "Agreement",
        "Krippendorff's alpha (nominal) of the verifiers' normalised answers to verified questions (C, D and E): 1 is "
        "full agreement, 0 is chance. Confidence: yes 1, maybe 0.5, no 0.",
        [
            SheetColumn("questions", "Verified questions"),
            SheetColumn("alpha", "Alpha", "number", 3),
            SheetColumn("same_7", "7 of 10 answers the same (%)", "percent"),
            SheetColumn("confidence", "Mean confidence", "number", 2),
            SheetColumn("confident_9", "9 of 10 confident (%)", "percent"),
        ],
    )
    facts = counted.facts
    people = facts.settings.verifiers_per_question + 1
    agree, sure = 10 * facts.column("group") >= 7 * people, 10 * facts.column("confident") >= 9 * people
    confidence = facts.column("sure") / np.maximum(2 * facts.column("asked"), 1)
    for part in counted.parts:
        mine = part.mask & facts.is_type("CDE")
        sheet.add(
            part.label,
            int(mine.sum()),
            AlphaSums.together(facts.alphas[number] for number in part.rounds if number in facts.alphas).alpha,
            share(agree, mine, facts.image_of),
            mean_share(confidence, mine, facts.image_of),
            share(sure, mine, facts.image_of),
        )
    return sheet


def _of_counts(counts: Sequence[tuple[int, int, int]]) -> Rate:
    """The share of hits; each entry is (image, hits, total)."""
    _, place = np.unique([one[0] for one in counts], return_inverse=True)
    hits, among = (np.bincount(place, weights=[one[at] for one in counts]).astype(float) for at in (1, 2))
    return of_sums(hits, among, is_share=True)


def _percentiles(values: Floats) -> list[float]:
    known = values[~np.isnan(values)]
    return [float(np.percentile(known, at)) if len(known) else float("nan") for at in (50, 95, 99)]
