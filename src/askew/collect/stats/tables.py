"""Tables 1, 8, 9 and 10 of the paper for a study, and the sessions behind them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

import numpy as np

from askew.collect.examples import Example
from askew.collect.rounds import CLOSED
from askew.collect.schema import SPLITS
from askew.collect.stats.facts import CLASSES, NONE, Facts
from askew.collect.stats.sheets import Floats, Ints, Mask, count, decimal, described, mean, of_sums, percent, share
from askew.collect.stats.sources import About, Drawn, Ended
from askew.types import Cell, Column, Score, Table

ALL = "all"


@dataclass(frozen=True)
class Part:
    """A round, or all of them, or a domain."""

    label: str
    mask: Mask
    rounds: tuple[int, ...]
    domain: int | None = None


Counting: TypeAlias = tuple[Column, Callable[[Part], Cell]]
"""A column of a table, and what it has for a part of the study."""


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
        _, first, place = np.unique(facts.columns["session"], return_index=True, return_inverse=True)
        tries = np.bincount(place, minlength=len(first)).astype(float)
        succeeded = np.bincount(place, weights=facts.is_type("CDE"), minlength=len(first)) > 0
        domain = facts.columns["domain"]
        return Sessions(facts.image_of[first], facts.round[first], domain[first], tries, succeeded)

    def among(self, part: Part) -> Mask:
        """Which sessions belong to a part."""
        mine = np.isin(self.round, part.rounds)
        return mine if part.domain is None else mine & (self.domain == part.domain)

    def success(self, part: Part) -> Score:
        """The share of a part's sessions that end with a verified question."""
        return share(self.succeeded, self.among(part), self.image)


def filled(
    name: str, columns: Sequence[Counting], parts: Iterable[Part], rows: str = "round", notes: Iterable[str] = ()
) -> Table:
    """A table with a row for each part."""
    table = described(name, (column for column, _ in columns), rows, notes)
    for part in parts:
        table.add(part.label, *(of(part) for _, of in columns))
    return table


def table1(counted: Counted) -> Table:
    """Table 1: images, questions, error rates, tries, seconds, splits."""
    columns = [*_questions(counted.facts), *_splits(counted.facts)]
    return filled("table1", columns, counted.parts, notes=_unfinished(counted))


def _questions(facts: Facts) -> list[Counting]:
    """The columns of Table 1 before those of the splits."""
    images, good, verified = facts.image_of, facts.is_type("E"), facts.is_type("CDE")
    tries, seconds = facts.columns["tries"].astype(float), facts.floats["seconds"]
    return [
        (count("images", "Images"), lambda part: len(np.unique(images[part.mask]))),
        (count("questions", "Questions"), lambda part: int(part.mask.sum())),
        (count("verified", "Verified"), lambda part: int((part.mask & verified).sum())),
        (percent("error_total", "Error rate, total (%)"), lambda part: share(verified, part.mask, images)),
        (percent("error_verified", "Error rate, verified (%)"), lambda part: share(good, part.mask, images)),
        (decimal("tries_mean", "Tries, mean", 2), lambda part: mean(tries, part.mask & good, images)),
        (decimal("tries_median", "Tries, median", 0), lambda part: _median(tries[part.mask & good])),
        (decimal("seconds_mean", "Seconds, mean"), lambda part: mean(seconds, part.mask & good, images)),
    ]


def _splits(facts: Facts) -> list[Counting]:
    """The size of each split; None where nothing is in any."""
    split = facts.columns["split"]

    def size(place: int) -> Callable[[Part], int | None]:
        return lambda part: int((split[part.mask] == place).sum()) if (split[part.mask] != NONE).any() else None

    return [(count(name, name.capitalize()), size(place)) for place, name in enumerate(SPLITS)]


def sessions_table(counted: Counted) -> Table:
    """What Table 1 does not print: sessions, their success, and what was left out."""
    facts, sessions, rounds = counted.facts, counted.sessions, counted.about.rounds
    images, good, seconds = facts.image_of, facts.is_type("E"), facts.floats["seconds"]
    among = sessions.among
    columns: list[Counting] = [
        (count("images_in_round", "Images in the round"), lambda part: sum(rounds[n]["images"] for n in part.rounds)),
        (decimal("questions_per_image", "Questions per image", 2), lambda part: _per_image(images[part.mask])),
        (count("sessions", "Sessions"), lambda part: int(among(part).sum())),
        (decimal("sessions_per_image", "Sessions per image", 2), lambda part: _per_image(sessions.image[among(part)])),
        (percent("success_per_session", "Success per session (%)"), sessions.success),
        (percent("e_per_total", "E / total (%)"), lambda part: share(good, part.mask, images)),
        (
            decimal("tries_per_session", "Tries per session, mean", 2),
            lambda part: mean(sessions.tries, among(part), sessions.image),
        ),
        (
            decimal("tries_per_session_median", "Tries per session, median", 0),
            lambda part: _median(sessions.tries[among(part)]),
        ),
        (decimal("seconds_median", "Seconds per E, median"), lambda part: _median(seconds[part.mask & good])),
        (count("left_out", "Left out (U)"), lambda part: sum(facts.left_out[n] for n in part.rounds)),
        (count("waiting", "Of these, not verified yet"), lambda part: sum(facts.waiting[n] for n in part.rounds)),
        (count("text_rule", "Removed by the text's rule"), lambda part: int(facts.columns["removed"][part.mask].sum())),
        (count("same", "Asked twice, not in dev or test"), lambda part: _asked_twice(facts, part)),
    ]
    return filled("sessions", columns, counted.parts, notes=_unfinished(counted))


def _asked_twice(facts: Facts, part: Part) -> int | None:
    """Verified examples (E) left out of dev and test because an earlier question about the image is equal.

    The earlier one is in dev or test, which tells them from examples that the cap on authors leaves out of train.
    """
    split = facts.columns["split"]
    if not (split[part.mask] != NONE).any():
        return None
    tested = np.isin(split, [SPLITS.index("dev"), SPLITS.index("test")])
    mine = part.mask & facts.is_type("E") & (split == NONE)
    return int((mine & np.isin(facts.image_of, facts.image_of[tested])).sum())


def table8(counted: Counted, attacks: Sequence[Example]) -> Table:
    """Table 8: how many tries an attack takes, how often it succeeds, and how many of its successes people confirm.

    *Human-verified* is E / (C + D + E): of the questions that enough people answered, those on which they agree with
    one another and not with the model. Questions that still wait for verifiers do not count.
    """
    facts, part = counted.facts, counted.parts[-1]
    good, verified = facts.is_type("E"), facts.is_type("CDE")
    columns = (
        decimal("tries", "Tries", 2),
        percent("error_rate", "Error rate, E / total (%)"),
        percent("success_per_session", "Success per session (%)"),
        percent("human_verified", "Human-verified (%)"),
    )
    table = described("table8", columns, "method")
    images, tries = facts.image_of, facts.columns["tries"].astype(float)
    rates = mean(tries, good, images), share(good, part.mask, images), counted.sessions.success(part)
    table.add("People of this study", *rates, share(good, verified, images))
    for name in sorted({one.attack for one in attacks}):
        mine = [one for one in attacks if one.attack == name and one.type in ("C", "D", "E") and one.text]
        if not mine:
            table.add(f"{name} (automatic)", None, None, None, None)
            continue
        numbers = {image: number for number, image in enumerate(sorted({one.image for one in mine}))}
        at = np.array([numbers[one.image] for one in mine], dtype=np.int32)
        confirmed = np.array([one.type == "E" for one in mine])
        asked = np.array([float(one.attack_tries or 1) for one in mine])
        everything = np.ones(len(mine), dtype=bool)
        table.add(f"{name} (automatic)", mean(asked, confirmed, at), None, None, share(confirmed, everything, at))
    return table


def table9(counted: Counted) -> Table:
    """Table 9: classes of verified questions, and the best possible accuracy."""
    facts = counted.facts
    images, verified, closed = facts.image_of, facts.is_type("CDE"), facts.vocabulary is not None
    kind, split = facts.classes(), facts.columns["split"]

    def of_class(place: int) -> Callable[[Part], Score | None]:
        is_known = closed or CLASSES[place] != "OOV"
        return lambda part: share(kind == place, part.mask & verified, images) if is_known else None

    def bound(name: str, of: str) -> Callable[[Part], Score | None]:
        mine = split == SPLITS.index(of)
        is_known = closed or name == "open"
        return lambda part: mean(facts.floats[name], part.mask & mine, images, is_share=True) if is_known else None

    kinds = [(percent(name, f"{name} (%)", 2), of_class(place)) for place, name in enumerate(CLASSES)]
    bounds = [
        (percent(f"{name}_{of}", f"Bound, {label}, {of}", 2), bound(name, of))
        for name, label in (("closed", "vocabulary"), ("open", "open"))
        for of in ("dev", "test")
    ]
    missing = () if closed else ("No vocabulary was given (--vocabulary FILE): OOV and its bounds are not counted.",)
    return filled("table9", [*kinds, *bounds], counted.parts, notes=missing)


def table10(counted: Counted) -> Table:
    """By domain of the images: the columns of Table 1."""
    facts, domain, rounds = counted.facts, counted.facts.columns["domain"], counted.parts[-1].rounds
    success = (percent("success_per_session", "Success per session (%)"), counted.sessions.success)
    columns: list[Counting] = [*_questions(facts), success, *_splits(facts)]
    domains = sorted(facts.domains.items())
    return filled(
        "table10", columns, [Part(name or "(none)", domain == at, rounds, at) for name, at in domains], "domain"
    )


def _per_image(images: Ints) -> Score:
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
