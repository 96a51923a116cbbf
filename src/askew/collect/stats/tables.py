"""Tables 1, 8, 9 and 10 of the paper for a study, and the sessions behind them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from askew.collect.rounds import CLOSED
from askew.collect.schema_parts import SPLITS
from askew.collect.stats import published
from askew.collect.stats.example_columns import CLASSES, NONE, Facts
from askew.collect.stats.example_records import About, Drawn, Ended
from askew.collect.stats.sheets import Floats, Ints, Mask, Rate, Sheet, SheetColumn, mean, mean_share, of_sums, share

ALL = "all"


@dataclass(frozen=True)
class Part:
    """A round, or all of them, or a domain."""

    label: str
    mask: Mask
    rounds: tuple[int, ...]


@dataclass
class Counted:
    """Everything that was read from a study."""

    facts: Facts
    about: About
    drawn: Sequence[Drawn] = ()
    ended: Sequence[Ended] | None = None

    @cached_property
    def parts(self) -> list[Part]:
        """Each round, and all together if there are several."""
        numbers = tuple(self.about.rounds)
        found = [Part(f"R{number}", self.facts.round == number, (number,)) for number in numbers]
        whole = Part(ALL, np.ones(len(self.facts.type), dtype=bool), numbers)
        return [*found, whole] if len(found) != 1 else found

    @cached_property
    def sessions(self) -> Sessions:
        """The sessions with at least one question that counts."""
        return Sessions.of(self.facts)


@dataclass(frozen=True)
class Sessions:
    """Columns over sessions."""

    image: Ints
    round: Ints
    domain: Ints
    tries: Floats
    succeeded: Mask

    @staticmethod
    def of(facts: Facts) -> Sessions:
        """Sessions by number; each is on one image."""
        _, first, place = np.unique(facts.column("session"), return_index=True, return_inverse=True)
        tries = np.bincount(place, minlength=len(first)).astype(float)
        succeeded = np.bincount(place, weights=facts.is_type("CDE"), minlength=len(first)) > 0
        domain = facts.column("domain")
        return Sessions(facts.image_of[first], facts.round[first], domain[first], tries, succeeded)

    def among(self, part: Part, domain: int | None = None) -> Mask:
        """Which sessions belong to a part."""
        mine = np.isin(self.round, part.rounds)
        return mine if domain is None else mine & (self.domain == domain)


def table1(counted: Counted) -> Sheet:
    """Table 1: images, questions, error rates, tries, seconds, splits."""
    sheet = Sheet(
        "table1",
        "Table 1: data statistics",
        "Total: questions of types A to E; verified: judged definitely wrong and answered by every verifier (C, D and "
        "E). Error rates: verified / total and E / total. Tries and seconds per verified example (E).",
        [
            SheetColumn("images", "Images"),
            SheetColumn("questions", "Questions"),
            SheetColumn("verified", "Verified"),
            SheetColumn("error_total", "Error rate, total (%)", "percent"),
            SheetColumn("error_verified", "Error rate, verified (%)", "percent"),
            SheetColumn("tries_mean", "Tries, mean", "number", 2),
            SheetColumn("tries_median", "Tries, median", "number", 0),
            SheetColumn("seconds_mean", "Seconds, mean", "number", 1),
            *(SheetColumn(name, name.capitalize()) for name in SPLITS),
        ],
        published=published.TABLE_1,
        notes=(*_unfinished(counted), *published.TABLE_1_NOTES),
    )
    facts = counted.facts
    for part in counted.parts:
        sheet.add(part.label, *_table1_cells(facts, part.mask), *_split_sizes(facts, part.mask))
    return sheet


def _table1_cells(facts: Facts, mine: Mask) -> list[Rate | int | float]:
    images, good = facts.image_of, facts.is_type("E")
    tries = facts.column("tries").astype(float)
    return [
        len(np.unique(images[mine])),
        int(mine.sum()),
        int((mine & facts.is_type("CDE")).sum()),
        share(facts.is_type("CDE"), mine, images),
        share(good, mine, images),
        mean(tries, mine & good, images),
        _median(tries[mine & good]),
        mean(facts.floats("seconds"), mine & good, images),
    ]


def _split_sizes(facts: Facts, mine: Mask) -> list[int | None]:
    split = facts.column("split")
    if not (split[mine] != NONE).any():
        return [None] * len(SPLITS)
    return [int((mine & (split == place)).sum()) for place in range(len(SPLITS))]


def sessions_table(counted: Counted) -> Sheet:
    """What Table 1 does not print: sessions, their success, and what was left out."""
    sheet = Sheet(
        "sessions",
        "Sessions and what was left out",
        "A session is one writer's tries on one image, counted if it has a question of type A to E. Success per "
        "session is the share that ends with a verified question; E / total is the paper's verified error rate.",
        [
            SheetColumn("images_in_round", "Images in the round"),
            SheetColumn("questions_per_image", "Questions per image", "number", 2),
            SheetColumn("sessions", "Sessions"),
            SheetColumn("sessions_per_image", "Sessions per image", "number", 2),
            SheetColumn("success_per_session", "Success per session (%)", "percent"),
            SheetColumn("e_per_total", "E / total (%)", "percent"),
            SheetColumn("tries_per_session", "Tries per session, mean", "number", 2),
            SheetColumn("tries_per_session_median", "Tries per session, median", "number", 0),
            SheetColumn("seconds_median", "Seconds per E, median", "number", 1),
            SheetColumn("left_out", "Left out (U)"),
            SheetColumn("waiting", "Of these, not verified yet"),
            SheetColumn("text_rule", "Removed by the text's rule"),
            SheetColumn("same", "Asked twice, not in dev or test"),
        ],
        published=published.SESSIONS,
        notes=(*_unfinished(counted), *published.SESSIONS_NOTES),
    )
    facts, sessions = counted.facts, counted.sessions
    images, good = facts.image_of, facts.is_type("E")
    for part in counted.parts:
        mine, ours = part.mask, sessions.among(part)
        sheet.add(
            part.label,
            sum(counted.about.rounds[number]["images"] for number in part.rounds),
            _per_image(images[mine]),
            int(ours.sum()),
            _per_image(sessions.image[ours]),
            share(sessions.succeeded, ours, sessions.image),
            share(good, mine, images),
            mean(sessions.tries, ours, sessions.image),
            _median(sessions.tries[ours]),
            _median(facts.floats("seconds")[mine & good]),
            sum(facts.left_out[number] for number in part.rounds),
            sum(facts.waiting[number] for number in part.rounds),
            int(facts.column("removed")[mine].sum()),
            _asked_twice(counted, part),
        )
    return sheet


def _asked_twice(counted: Counted, part: Part) -> int | None:
    """Verified examples (E) left out of dev and test because an earlier question about the image is equal.

    The earlier one is in dev or test, which tells them from examples that the cap on authors leaves out of train.
    """
    facts = counted.facts
    split = facts.column("split")
    if not (split[part.mask] != NONE).any():
        return None
    tested = np.isin(split, [SPLITS.index("dev"), SPLITS.index("test")])
    mine = part.mask & facts.is_type("E") & (split == NONE)
    return int((mine & np.isin(facts.image_of, facts.image_of[tested])).sum())


def table8(counted: Counted) -> Sheet:
    """Table 8's row of people: how many tries an attack takes, and how often it succeeds, in both readings."""
    sheet = Sheet(
        "table8",
        "Table 8: people's attacks",
        "Tries per verified example; how many questions are verified errors (E / total), and how many sessions end "
        "with a success.",
        [
            SheetColumn("tries", "Tries", "number", 2),
            SheetColumn("error_rate", "Error rate, E / total (%)", "percent"),
            SheetColumn("success_per_session", "Success per session (%)", "percent"),
        ],
        first="method",
        published=published.TABLE_8,
        notes=published.TABLE_8_NOTES,
    )
    facts, sessions, part = counted.facts, counted.sessions, counted.parts[-1]
    good = facts.is_type("E")
    sheet.add(
        "People of this study",
        mean(facts.column("tries").astype(float), good, facts.image_of),
        share(good, part.mask, facts.image_of),
        share(sessions.succeeded, sessions.among(part), sessions.image),
    )
    return sheet


def table9(counted: Counted) -> Sheet:
    """Table 9: classes of verified questions, and the best possible accuracy."""
    facts = counted.facts
    closed = facts.vocabulary is not None
    about = (
        "Verified questions (C, D and E) by their most frequent answer; OOV first: no answer is in the vocabulary. "
        "Upper bounds: the best VQA accuracy (official evaluator) that an answer of the vocabulary, or any, can have."
    )
    missing = () if closed else ("No vocabulary was given (--vocabulary FILE): OOV and its bounds are not counted.",)
    sheet = Sheet(
        "table9",
        "Table 9: answer classes and upper bounds",
        about,
        [
            *(SheetColumn(name, f"{name} (%)", "percent", 2) for name in CLASSES),
            SheetColumn("closed_dev", "Bound, vocabulary, dev", "percent", 2),
            SheetColumn("closed_test", "Bound, vocabulary, test", "percent", 2),
            SheetColumn("open_dev", "Bound, open, dev", "percent", 2),
            SheetColumn("open_test", "Bound, open, test", "percent", 2),
        ],
        published=published.TABLE_9,
        notes=(*missing, *published.TABLE_9_NOTES),
    )
    kind, split = facts.column("class"), facts.column("split")
    for part in counted.parts:
        verified = part.mask & facts.is_type("CDE")
        shares: list[Rate | None] = [share(kind == place, verified, facts.image_of) for place in range(len(CLASSES))]
        if not closed:
            shares[CLASSES.index("OOV")] = None
        bounds = [
            mean_share(facts.floats(name), part.mask & (split == SPLITS.index(of)), facts.image_of)
            if closed or name == "open"
            else None
            for name in ("closed", "open")
            for of in ("dev", "test")
        ]
        sheet.add(part.label, *shares, *bounds)
    return sheet


def table10(counted: Counted) -> Sheet:
    """By domain of the images: the columns of Table 1."""
    sheet = Sheet(
        "table10",
        "By domain of the images",
        "Table 1 for each domain. The paper's Table 10 has a model's accuracy by domain: askew run --data RELEASE "
        "gives that, with a row per round and per domain.",
        [
            *table1(counted).columns[:8],
            SheetColumn("success_per_session", "Success per session (%)", "percent"),
            *(SheetColumn(name, name.capitalize()) for name in SPLITS),
        ],
        first="domain",
    )
    facts, sessions = counted.facts, counted.sessions
    domain, whole = facts.column("domain"), counted.parts[-1]
    for name, number in sorted(facts.domains.items()):
        mine = domain == number
        ours = sessions.among(whole, number)
        success = share(sessions.succeeded, ours, sessions.image)
        sheet.add(name or "(none)", *_table1_cells(facts, mine), success, *_split_sizes(facts, mine))
    return sheet


def _per_image(images: Ints) -> Rate:
    """The mean number per image, over images that have any."""
    counts = np.bincount(images)
    return of_sums(counts.astype(float), (counts > 0).astype(float), is_share=False)


def _median(values: Floats) -> float:
    return float(np.median(values)) if len(values) else float("nan")


def _unfinished(counted: Counted) -> list[str]:
    """What is not final yet, and what was deleted."""
    deleted = [
        f"Round {number}: {count:,} questions were deleted on request after it was frozen, and are left out."
        for number, count in sorted(counted.facts.deleted.items())
    ]
    return deleted + [
        f"Round {number} is {about['state']}: its figures will change. {counted.facts.waiting[number]:,} questions "
        "are waiting for verifiers and are not counted; splits are made when it is frozen."
        for number, about in counted.about.rounds.items()
        if about["state"] not in CLOSED
    ]
