"""What came out of a search, as a group: the question, and the rewording that was found or the best try."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any

from askew.attack.validity import StrictChecks, Validity
from askew.engine.attack_task import AttackTask
from askew.types import Candidate, Expect, Group, Refusal, Variant

PARTS = {"NN": "noun", "VB": "verb", "JJ": "adjective", "RB": "adverb"}
SEVERAL = "several"
"""Stands for the word, part of speech or rule of a rewording whose changes differ in it."""


def attacked_groups(tasks: Sequence[AttackTask], checks: StrictChecks | None) -> Iterator[Group | Refusal]:
    """The groups of finished tasks, their rewordings checked together."""
    pairs = [(task.question, task.result) for task in tasks if task.result is not None]
    found = iter(checks.check(pairs) if checks is not None else ())
    for task in tasks:
        yield from attacked_group(task, next(found, None) if task.result is not None else None)


def attacked_group(task: AttackTask, validity: Validity | None = None) -> Iterator[Group | Refusal]:
    """The group of a finished task; before it a refusal when the question was skipped or refused."""
    question, name = task.question, task.rules.attack.name
    if task.status in ("skipped", "refused"):
        yield Refusal(question.id, name, task.reason)
    elif task.result is None:
        yield Refusal(question.id, name, "no rewording passed the constraints within the budget")
    variants = () if task.result is None else (_variant(task, task.result, validity),)
    yield Group(question.id, "attack", question, variants)


def _variant(task: AttackTask, result: Candidate, validity: Validity | None) -> Variant:
    name = task.rules.attack.name
    question = replace(task.question, id=f"{task.question.id}/{name}", text=result.text)
    return Variant(question, Expect.SAME, name, f"attack/{name}", {**_note(task, result), **_checked(validity)})


def _note(task: AttackTask, result: Candidate) -> dict[str, Any]:
    """What the search did, in plain JSON; independent of what the store contained before."""
    confirmed = {"confirmed": task.confirmed} if task.rules.confirm else {}
    return {
        "status": task.status,
        "against": task.rules.against if task.status == "found" else "",
        "tries": len(task.texts),
        "fooled_at": task.fooled_at,
        "asked": len(task.requested),
        "dropped": task.dropped,
        "changed": [[change.start, change.old, change.new] for change in result.changes],
        "changed_share": round(_changed_words(result) / max(1, len(task.question.text.split())), 4),
        "best_score": round(1.0 - task.loss(result), 6),
        "scores": task.rules.mode,
        **_broken_by(result),
        **confirmed,
    }


def _checked(validity: Validity | None) -> dict[str, Any]:
    """What the strict checks say, where they were made."""
    if validity is None:
        return {}
    return {
        "valid": validity.valid,
        "faults": list(validity.faults),
        "similarity": round(validity.similarity, 4),
        "grammar": len(validity.grammar),
    }


def _broken_by(result: Candidate) -> Mapping[str, str]:
    """The word, its part of speech and the rule, by which scores are broken down."""
    return {
        "word": _common(change.old.lower() for change in result.changes),
        "part_of_speech": _common(part_of_speech(change.tag) for change in result.changes),
        "rule": _common(change.rule for change in result.changes),
    }


def part_of_speech(tag: str) -> str:
    """The part of speech of a Penn Treebank tag.

    >>> part_of_speech("NNS"), part_of_speech("IN"), part_of_speech("")
    ('noun', 'other', 'other')
    """
    return PARTS.get(tag[:2], "other")


def _common(values: Iterator[str]) -> str:
    found = set(values)
    return found.pop() if len(found) == 1 else SEVERAL


def _changed_words(result: Candidate) -> int:
    """Words of the original that were replaced."""
    return sum(len(change.old.split()) for change in result.changes)


def attack_summary(groups: Iterable[Group]) -> str:
    """What tables of means do not show: how attacks ended, the median of tries, the lowest similarity."""
    notes = [variant.note for group in groups for variant in group.variants]
    found = [note for note in notes if note["status"] == "found"]
    tries, similar = [note["tries"] for note in notes], [note["similarity"] for note in found if "similarity" in note]
    ended = Counter(note["status"] for note in notes)
    sentence = "Attacked: " + (", ".join(f"{count:,} {status}" for status, count in ended.most_common()) or "none")
    if tries:
        sentence += f"; distinct texts asked about a question: median {median(tries):g}, at most {max(tries):,}"
    if similar:
        sentence += f"; similarity of rewordings that were found: at least {min(similar):.2f}"
    faults = Counter(fault for note in found for fault in note.get("faults", ()))
    if faults:
        sentence += f"; faults of these: {', '.join(f'{fault} {count:,}' for fault, count in faults.most_common(5))}"
    return sentence + "."
