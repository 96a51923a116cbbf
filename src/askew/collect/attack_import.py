"""Automatic attacks as authors: the rewordings that fooled a model become questions that people verify.

Each attack is an author of its own kind (``annotator.attack``): it cannot sign in, holds no writer's place, and is not
paid. Its questions begin where those of people are once they are judged wrong: the reply is that of the attacked model,
the author's answer is the one that most people gave to the original. Verifiers see no difference, and decide the type:
if more than a third give the model's answer, the attack changed the meaning or found a wrong label (C); E is a success
that survived (Li et al. 2021, Table 8 counts automatic attacks before any person has looked at them).
"""

from __future__ import annotations

import secrets
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import orjson
import sqlalchemy as sa

from askew.answers.normalise import modal_answer, normalise
from askew.collect.database import AnyRow, Tx, record_event
from askew.collect.image_import import Cleaned, add_image, cleaned_ref, write_image
from askew.collect.protocol import Refused, checked_text, same_answer, same_question
from askew.collect.rounds import CLOSED, add_model
from askew.collect.schema import annotator, draw, image, judgement, model, prediction, round_, session
from askew.collect.study import Study
from askew.collect.writing import add_question, open_slots
from askew.data.groups import read_groups
from askew.errors import BadImage, DataError
from askew.files.images import only_image
from askew.files.limits import bounded_lines, load_json, read_object
from askew.files.records import outcome_from
from askew.types import ImageRef

SUITE = "attack"
_REMEDY = "Run askew attack again."


@dataclass(frozen=True)
class Reworded:
    """A rewording that fooled the attacked model."""

    attack: str
    image: ImageRef
    text: str
    answer: str
    """The answer to the original that most people gave."""
    reply: str
    """What the model said to the rewording."""
    score: float | None
    tries: int
    """Texts the attack asked until it succeeded."""


@dataclass
class AttackImport:
    """What was imported."""

    model: str = ""
    attacked: Counter[str] = field(default_factory=Counter)
    """Attack to questions that it attacked."""
    found: Counter[str] = field(default_factory=Counter)
    """Attack to rewordings that fooled the model."""
    added: Counter[str] = field(default_factory=Counter)
    """Attack to questions that people will verify."""
    left_out: list[str] = field(default_factory=list)


def import_attack(study: Study, folder: Path, round_id: int, images: str | None = None) -> AttackImport:
    """Add the successful rewordings of an attack's folder to a round, with their images, which only a draft takes."""
    results = read_object(folder / "results.json", _REMEDY)
    done = AttackImport(str(results["model"]["name"]))
    by_image: dict[str, list[Reworded]] = {}
    files: dict[str, tuple[Cleaned, str]] = {}
    for one in _reworded(folder, images, done):
        try:
            stored = cleaned_ref(one.image)
        except BadImage as trouble:
            done.left_out.append(f"{one.text}: {trouble}")
            continue
        files[stored.sha256] = stored, Path(one.image.path or str(one.image.id)).name
        by_image.setdefault(stored.sha256, []).append(one)
    for stored, _ in files.values():
        write_image(study, stored)
    with study.database.write() as tx:
        if tx.value(sa.select(round_.c.state).where(round_.c.id == round_id)) in CLOSED:
            raise Refused("The round is frozen. Import the attack into another one.")
        model_id = _model(tx, results["model"])
        for sha256, rewordings in by_image.items():
            stored, name = files[sha256]
            image_id = _image(tx, stored, name, round_id)
            if image_id is None:
                done.left_out += [f"{one.text}: its image is in another round" for one in rewordings]
            else:
                _add_questions(tx, image_id, model_id, rewordings, done)
        counts = {"attacked": dict(done.attacked), "found": dict(done.found), "added": dict(done.added)}
        record_event(tx, "attack.imported", f"round {round_id}", None, {"model": done.model, **counts})
    return done


def _reworded(folder: Path, images: str | None, done: AttackImport) -> Iterator[Reworded]:
    """The rewordings that fooled the model; counts what was attacked."""
    samples = folder / "samples.jsonl"
    try:
        groups = read_groups(str(folder / "groups.jsonl"), images)
        with samples.open("rb") as file:
            for group, line in zip(groups, bounded_lines(file, samples), strict=True):
                if group.suite != SUITE:
                    raise DataError(f"{folder}: this is a run of {group.suite}, not of an attack. Give another folder.")
                outcome = outcome_from(load_json(line))
                for shown, (variant, said) in zip(group.variants, outcome.pairs(), strict=True):
                    done.attacked[variant.test] += 1
                    if variant.note.get("status") != "found" or said.answer is None:
                        continue
                    done.found[variant.test] += 1
                    if (where := only_image(shown.question) or only_image(group.original)) is None:
                        done.left_out.append(f"{variant.question.text}: it has no image")
                        continue
                    answer = modal_answer(variant.question.answers, normalise)
                    tries = int(variant.note.get("fooled_at") or variant.note.get("tries") or 1)
                    text = variant.question.text
                    yield Reworded(variant.test, where, text, answer, said.answer, said.score, tries)
    except FileNotFoundError as trouble:
        raise DataError(f"{trouble.filename}: the file is missing. {_REMEDY}") from None
    except (ValueError, KeyError, TypeError, orjson.JSONDecodeError) as trouble:
        raise DataError(f"{samples}: it cannot be read ({trouble!r}). {_REMEDY}") from None


def _model(tx: Tx, about: dict[str, str]) -> int:
    """The attacked model among the study's models; it need not play in any round."""
    name = f"attacked {about['name']}"
    known = tx.value(sa.select(model.c.id).where(model.c.name == name))
    return int(known) if known is not None else add_model(tx, name, about["spec"], about["signature"])


def _image(tx: Tx, stored: Cleaned, name: str, round_id: int) -> int | None:
    """The image in this round, added if it is new; None if another round has it."""
    known = tx.first(sa.select(image.c.id, image.c.round_id).where(image.c.sha256 == stored.sha256))
    if known is None and add_image(tx, stored, name, round_id, ""):
        return None
    if known is None:
        return int(tx.value(sa.select(image.c.id).where(image.c.sha256 == stored.sha256)))
    return int(known.id) if known.round_id == round_id else None


def _author(tx: Tx, attack: str) -> int:
    """The author that stands for an attack."""
    known = tx.value(sa.select(annotator.c.id).where(annotator.c.attack == attack))
    if known is not None:
        return int(known)
    names = {"name": f"attack {attack}", "pseudonym": f"attack-{secrets.token_hex(6)}", "role": "annotator"}
    return tx.insert(annotator, **names, attack=attack, created_at=tx.now)


def _add_questions(tx: Tx, image_id: int, model_id: int, rewordings: list[Reworded], done: AttackImport) -> None:
    """Add one session for each attack on an image, with its questions."""
    for attack in dict.fromkeys(one.attack for one in rewordings):
        author = _author(tx, attack)
        if tx.count(session, session.c.image_id == image_id, session.c.annotator_id == author):
            done.left_out += [f"{one.text}: {attack} has questions about this image already" for one in rewordings]
            continue
        kept = _kept(tx, [one for one in rewordings if one.attack == attack], done)
        if not kept:
            continue
        values = {"image_id": image_id, "annotator_id": author, "started_at": tx.now, "lease_until": tx.now}
        held = tx.row(session, tx.insert(session, **values, state="LEASED"))
        assert held is not None
        for number, one in enumerate(kept, 1):
            _add_question(tx, held, model_id, number, one)
            done.added[attack] += 1
        tx.change(session, session.c.id == held.id, state="SUCCEEDED", ended_at=tx.now)


def _kept(tx: Tx, rewordings: list[Reworded], done: AttackImport) -> list[Reworded]:
    """The rewordings that a person could have written too: short enough, no two alike, no more than the tries."""
    kept: dict[str, Reworded] = {}
    for one in rewordings:
        try:
            checked_text(one.answer, tx.settings.answer_length, "An answer")
            normalised = same_question(checked_text(one.text, tx.settings.question_length, "A question"))
        except Refused as refused:
            done.left_out.append(f"{one.text}: {refused}")
            continue
        if same_answer(one.answer) == same_answer(one.reply):
            done.left_out.append(f"{one.text}: the model gave the answer of most people")
        elif normalised in kept or len(kept) == tx.settings.max_tries:
            done.left_out.append(
                f"{one.text}: a writer may ask {tx.settings.max_tries} different questions about an image"
            )
        else:
            kept[normalised] = one
    return list(kept.values())


def _add_question(tx: Tx, held: AnyRow, model_id: int, number: int, one: Reworded) -> None:
    new = add_question(tx, held, one.text, state="VERIFYING", try_no=number)
    drawn = {"question_id": new, "n": 1, "model_id": model_id, "seed": 0, "attempts": one.tries}
    tx.insert(draw, **drawn, outcome="OK", drawn_at=tx.now, ended_at=tx.now)
    reply = one.reply[: tx.settings.reply_length]
    said = {"raw": reply, "answer": reply, "normalised": same_answer(reply), "score": one.score}
    tx.insert(prediction, question_id=new, draw_n=1, model_id=model_id, at=tx.now, **said)
    judged = {"verdict": "wrong", "answer": one.answer, "normalised": same_answer(one.answer)}
    tx.insert(judgement, question_id=new, annotator_id=held.annotator_id, at=tx.now, **judged)
    open_slots(tx, new)
