"""Freezing a round: types and splits are decided once, and the round does not change afterwards.

Whole images get a split. The cap on an author's share of train keeps one person from deciding what the next round's
models learn; dev and test are not affected. If only a few people wrote, or a few wrote most of train, the cap is not
applied, and the datasheet says so.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from random import Random

import sqlalchemy as sa

from askew.collect.database import AnyRow, Tx, record_event
from askew.collect.examples import examples
from askew.collect.history import digest, history
from askew.collect.leases import end_session, expire, reopen_all
from askew.collect.protocol import Refused
from askew.collect.rounds import blockers, change_round, move_round
from askew.collect.schema import image, judgement, question, round_, session, slot, verification


def split_images(examples: Mapping[int, int], shares: Mapping[str, int], seed: int) -> dict[int, str]:
    """A split for every image, such that the verified (type E) examples, counted in ``examples``, come near the shares.

    Images are taken in a random order that depends on the seed, and each goes to the split that is furthest below its
    share. The split of an image without verified examples is drawn by the shares. The same images and seed give the
    same splits.

    >>> found = split_images({image: 1 for image in range(10)}, {"train": 60, "dev": 10, "test": 30}, seed=0)
    >>> sorted(found.values())
    ['dev', 'test', 'test', 'test', 'train', 'train', 'train', 'train', 'train', 'train']
    """
    order = sorted(examples)
    Random(f"{seed}:splits").shuffle(order)
    total = 0
    assigned = dict.fromkeys(shares, 0)
    found = {}
    for key in order:
        count = examples[key]
        if count == 0:
            drawn = Random(f"{seed}:image:{key}").choices(list(shares), weights=list(shares.values()))
            found[key] = drawn[0]
            continue
        total += count
        lack = {name: share * total - 100 * assigned[name] for name, share in shares.items()}
        found[key] = max(shares, key=lambda name: (lack[name], shares[name]))
        assigned[found[key]] += count
    return found


KEPT_PERCENT = 50
"""The cap is applied only if at least this much of train stays."""
_ORDER = "ECA"


def most_of_one_author(counts: Mapping[int, int], percent: int) -> int | None:
    """How many questions each author may have in train; None if the cap cannot be met.

    It is the largest limit that is at most ``percent`` of the questions left when it is applied to every author.

    >>> most_of_one_author({author: 10 for author in range(20)} | {99: 30}, percent=5)
    10
    >>> most_of_one_author({1: 10, 2: 10}, percent=5)
    >>> most_of_one_author({1: 10, 2: 10}, percent=100)
    10
    """
    total = sum(counts.values())
    for most in range(max(counts.values(), default=0), 0, -1):
        kept = sum(min(count, most) for count in counts.values())
        if 100 * most <= percent * kept:
            return most if 100 * kept >= KEPT_PERCENT * total else None
    return None


def over_cap(train: Mapping[int, tuple[int, str]], percent: int) -> set[int]:
    """The questions of train to leave out; ``train`` gives the author and the type (A, C or E) of each.

    Of an author who has too many, E is kept before C and C before A, and earlier questions before later ones.
    """
    most = most_of_one_author(Counter(author for author, _ in train.values()), percent)
    if most is None:
        return set()
    kept: Counter[int] = Counter()
    found = set()
    for key in sorted(train, key=lambda key: (_ORDER.index(train[key][1]), key)):
        author = train[key][0]
        kept[author] += 1
        if kept[author] > most:
            found.add(key)
    return found


@dataclass(frozen=True)
class Frozen:
    """The types and splits of the questions and images of a round."""

    types: dict[int, str]
    """Question to type."""
    removed: dict[int, bool]
    """Question of type C, D or E to whether section 3.1's text would remove it."""
    image_splits: dict[int, str]
    splits: dict[int, str] = field(default_factory=dict)
    """Question to split, for those that are released."""
    over_cap: set[int] = field(default_factory=set)
    """Questions left out of train because their author has too large a share of it."""

    @property
    def counts(self) -> Counter[str]:
        """Questions by type."""
        return Counter(self.types.values())

    @property
    def error_rates(self) -> tuple[float, float] | None:
        """The models' error rates in per cent: of all, and verified (E); None without questions."""
        total, counts = sum(self.counts[kind] for kind in "ABCDE"), self.counts
        return (100 * sum(counts[kind] for kind in "CDE") / total, 100 * counts["E"] / total) if total else None

    def table(self) -> dict[str, dict[str, int]]:
        """Type to split (or ``-``) to number of questions."""
        pairs = Counter((kind, self.splits.get(key, "-")) for key, kind in self.types.items())
        return {kind: {split: n for (of, split), n in sorted(pairs.items()) if of == kind} for kind in "ABCDEU"}


def preview_freeze(tx: Tx, round_id: int, seed: int) -> Frozen:
    """What freezing with this seed would decide now; unfinished questions are type U."""
    settings = tx.settings
    mine = image.c.round_id == round_id
    asked = sa.select(question).join(image).where(mine)
    rows = tx.rows(asked.order_by(question.c.id))
    types: dict[int, str] = {}
    removed: dict[int, bool] = {}
    for one in examples(tx, round_id):
        types[one.id] = one.type
        if one.type in "CDE":
            removed[one.id] = bool(one.text_rule_removed)
    verified = {row.id: 0 for row in tx.rows(sa.select(image.c.id).where(mine))}
    for row in rows:
        verified[row.image_id] += types[row.id] == "E"
    frozen = Frozen(types, removed, split_images(verified, settings.shares, seed))
    frozen.splits.update(_released(rows, frozen))
    train = {row.id: (row.annotator_id, types[row.id]) for row in rows if frozen.splits.get(row.id) == "train"}
    frozen.over_cap.update(over_cap(train, settings.train_author_percent))
    for key in frozen.over_cap:
        del frozen.splits[key]
    return frozen


def freeze(tx: Tx, round_id: int, seed: int, *, drop_incomplete: bool = False, actor: int | None = None) -> Frozen:
    """Freeze a draining round: decide types and splits, store a hash of everything, and close it permanently.

    Unfinished work blocks it, unless ``drop_incomplete``: then open sessions end and unfinished questions are type U.
    """
    reasons = blockers(tx, round_id, "FROZEN")
    is_unfinished = bool(reasons) and not reasons[0].startswith("it is ")
    if drop_incomplete and is_unfinished:
        active = sa.select(session.c.id).join(image).where(image.c.round_id == round_id, session.c.state == "LEASED")
        for row in tx.rows(active):
            end_session(tx, row.id, "EXPIRED", "the round was frozen")
        reopen_all(tx, slot.c.question_id.in_(_questions(round_id)), "STOPPED")
        reasons = []
    if reasons:
        remedy = " Let people finish, or drop what is unfinished (--drop-incomplete)." if is_unfinished else ""
        raise Refused(f"The round cannot be frozen: {'; '.join(reasons)}.{remedy}")
    frozen = preview_freeze(tx, round_id, seed)
    for key, kind in frozen.types.items():
        values = {"type": kind, "split": frozen.splits.get(key), "text_rule_removed": frozen.removed.get(key)}
        tx.change(question, question.c.id == key, **values)
    for key, split in frozen.image_splits.items():
        tx.change(image, image.c.id == key, split=split)
    hashes = {record["id"]: digest(record) for record in history(tx, [round_id])}
    if hashes:
        stored = sa.update(question).where(question.c.id == sa.bindparam("key"))
        pairs = [{"key": key, "digest": found} for key, found in hashes.items()]
        tx.execute(stored.values(frozen_sha256=sa.bindparam("digest")), pairs)
    snapshot = snapshot_hash(hashes.values())
    frozen_at = max(tx.now, _latest(tx, round_id))
    move_round(tx, round_id, "DRAINING", "FROZEN", actor, frozen_at=frozen_at, freeze_seed=seed, snapshot=snapshot)
    counts = dict(sorted(Counter(frozen.types.values()).items()))
    record_event(tx, "round.frozen", f"round {round_id}", actor, {"seed": seed, "types": counts, "snapshot": snapshot})
    return frozen


def freeze_now(tx: Tx, round_id: int, seed: int, *, drop_incomplete: bool = False, actor: int | None = None) -> Frozen:
    """Freeze a round that may still be open: it is drained first, and leases that are over end."""
    if tx.value(sa.select(round_.c.state).where(round_.c.id == round_id)) == "OPEN":
        change_round(tx, round_id, "DRAINING", actor)
    expire(tx)
    return freeze(tx, round_id, seed, drop_incomplete=drop_incomplete, actor=actor)


def snapshot_hash(hashes: Iterable[str]) -> str:
    """The SHA-256 of a frozen round: of the hashes of its questions, in the order they were asked.

    The hash of each question is stored with it, so the deletion of one text leaves all other questions checked.
    """
    return hashlib.sha256("".join(hashes).encode()).hexdigest()


def _latest(tx: Tx, round_id: int) -> int:
    """The latest time in a round. Simulated people work in simulated time, perhaps later than now."""
    mine, of_image = _questions(round_id), sa.select(image.c.id).where(image.c.round_id == round_id)
    times = [
        sa.select(sa.func.max(session.c.ended_at)).where(session.c.image_id.in_(of_image)),
        sa.select(sa.func.max(verification.c.at)).where(verification.c.question_id.in_(mine)),
        sa.select(sa.func.max(judgement.c.at)).where(judgement.c.question_id.in_(mine)),
    ]
    return max(tx.value(one) or 0 for one in times)


def _questions(round_id: int) -> sa.Select[tuple[int]]:
    return sa.select(question.c.id).join(image).where(image.c.round_id == round_id)


def _released(rows: Iterable[AnyRow], frozen: Frozen) -> dict[int, str]:
    """The split of each question that is released: E by its image, A and C only in train.

    Of equal questions about one image, only the earliest stays in dev or test.
    """
    found: dict[int, str] = {}
    seen: set[tuple[int, str]] = set()
    for row in rows:
        kind, split = frozen.types[row.id], frozen.image_splits[row.image_id]
        if split == "train" and kind in "ACE":
            found[row.id] = split
        elif kind == "E" and split != "train" and (row.image_id, row.normalised) not in seen:
            seen.add((row.image_id, row.normalised))
            found[row.id] = split
    return found
