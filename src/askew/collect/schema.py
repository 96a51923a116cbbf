"""The tables, as queries need them: columns, keys, and the references that joins follow.

Constraints, indexes and triggers stand in ``migrations/versions`` only, whose revisions make the tables. A new column
needs a revision and a word here; ``docs/collect-internals.md`` has the steps.

Times are whole milliseconds since 1970, UTC. Text that people or models wrote is stored unchanged, next to its
normalised form if answers or questions are compared.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Integer, MetaData, String, Table

from askew.collect.form_fields import fields_of

ROUND_STATES = ("DRAFT", "READY", "OPEN", "DRAINING", "FROZEN", "RELEASED")
JUDGED_STATES = ("CORRECT", "UNSURE", "VERIFYING", "VERIFIED")
QUESTION_STATES = ("ASKED", "ANSWERED", "MODEL_FAILED", *JUDGED_STATES, "ABANDONED", "WITHDRAWN")
STANDINGS = ("OK", "QUARANTINED", "REMOVED")
VERDICTS = ("correct", "wrong", "unsure")
SPLITS = ("train", "dev", "test")
ROLES = ("owner", "annotator")
SURVEY_KINDS = ("baseline", "audit")
GOLD_STATES = ("ACTIVE", "RETIRED", "VOID")
"""Shown; no longer shown; a mistake, whose results do not count either."""

metadata = MetaData()


def columns(kind: Any, *names: str, null: bool = False, default: Any = None, key: bool = False) -> list[Column[Any]]:
    """Columns of one kind; ``key``: they are the primary key, or a part of it."""
    return [Column(name, kind, nullable=null, default=default, primary_key=key) for name in names]


def references(*tables: str, null: bool = False, key: bool = False) -> list[Column[Any]]:
    """Columns that refer to a row of another table, such as ``image_id``."""
    return [Column(f"{to}_id", Integer, ForeignKey(f"{to}.id"), nullable=null, primary_key=key) for to in tables]


def table(name: str, *parts: Column[Any]) -> Table:
    """A table; without a key among the parts it has an id that counts up."""
    has_key = any(part.primary_key for part in parts)
    return Table(name, metadata, *([] if has_key else [Column("id", Integer, primary_key=True)]), *parts)


study = table(
    "study",
    *columns(Integer, "id", key=True),
    *columns(String, "name", "settings"),
    *columns(Integer, "writers", "verifiers", "max_tries"),  # the settings that triggers need
    *columns(BigInteger, "seed"),
    *columns(String, "key_check", null=True),  # shows whether a key is the one that the identities are hashed with
    *columns(BigInteger, "created_at"),
)

round_ = table(
    "round",
    *columns(Integer, "number"),
    *columns(String, "state"),
    *columns(BigInteger, "freeze_seed", null=True),
    *columns(BigInteger, "created_at"),
    *columns(BigInteger, "opened_at", "frozen_at", null=True),
    *columns(String, "snapshot", null=True),  # SHA-256 of the hashes of its questions when it was frozen
)

image = table(
    "image",
    *references("round"),
    *columns(String, "sha256", "source_sha256", "suffix"),  # hashes of the stored and of the imported file
    *columns(String, "name"),  # of the imported file
    *columns(String, "domain", default=""),
    *columns(Integer, "width", "height"),
    *columns(String, "split", null=True),
    *columns(BigInteger, "hidden_at", null=True),
)

model = table("model", *columns(String, "name", "spec"), *columns(String, "signature", default=""))

ensemble_member = table(
    "ensemble_member",
    *references("round", "model", key=True),
    *columns(Boolean, "active"),
)

annotator = table(
    "annotator",
    *columns(String, "name", "pseudonym", "role"),  # the pseudonym is what releases call this person
    *columns(String, "password_hash", null=True),
    *columns(String, "platform", default="{}"),  # ids a platform gave, as JSON, as they came
    *columns(String, "identity", null=True),  # keyed hash of the platform's id of the person; never blanked
    *columns(Integer, "invite_id", null=True),  # the platform link that the person used last, at entered_at
    *columns(BigInteger, "entered_at", null=True),
    *columns(Boolean, "simulated", default=False),
    *columns(String, "attack", null=True),  # the automatic attack whose questions it has; such an author is no person
    *columns(String, "consent_version", null=True),
    *columns(BigInteger, "consented_at", null=True),
    *columns(BigInteger, "created_at"),
    *columns(BigInteger, "qualified_at", "excluded_at", null=True),
    *columns(String, "excluded_reason", null=True),
    *columns(BigInteger, "deleted_at", null=True),
)

invite = table(
    "invite",
    *columns(String, "token_hash", "role"),
    *references("annotator", null=True),
    *columns(String, "completion_code", null=True),
    *columns(Integer, "tasks", default=1),  # finished tasks until the code is shown
    *columns(String, "return_url", null=True),  # the address on the platform to go back to
    *columns(BigInteger, "created_at"),
    *columns(BigInteger, "expires_at", "used_at", null=True),
)

login = table(
    "login",
    *columns(String, "token_hash", key=True),
    *references("annotator"),
    *columns(BigInteger, "created_at", "last_seen_at", "expires_at"),
)

api_token = table(
    "api_token",
    *columns(String, "token_hash"),
    *references("annotator"),
    *columns(String, "name"),  # what its owner calls it
    *columns(BigInteger, "created_at", "expires_at"),
)

session = table(
    "session",
    *references("image", "annotator"),
    *columns(String, "state"),
    *columns(Integer, "extensions", default=0),
    *columns(String, "reason", default=""),
    *columns(BigInteger, "started_at", "lease_until"),
    *columns(BigInteger, "ended_at", null=True),
)

place = table(
    "place",
    *references("image", key=True),
    *columns(Integer, "n", key=True),
    *references("session", null=True),
)

question = table(
    "question",
    *references("session", "image", "annotator"),
    *columns(String, "text", "normalised", "state"),
    *columns(String, "standing", default="OK"),
    *columns(Integer, "try_no", null=True),  # given with the prediction
    *columns(Integer, "done", default=0),  # verifications that count
    *columns(Integer, "same_as", null=True),  # an earlier writer's same question on this image
    *columns(BigInteger, "asked_at"),
    *columns(String, "type", null=True),
    *columns(Boolean, "text_rule_removed", null=True),
    *columns(String, "split", null=True),
    *columns(String, "frozen_sha256", null=True),  # of its record when the round was frozen
)

in_rounds = question.join(image).join(round_)
"""Questions with their images and rounds."""

draw = table(
    "draw",
    *references("question", key=True),
    *columns(Integer, "n", key=True),
    *references("model"),
    *columns(BigInteger, "seed"),
    *columns(Integer, "attempts", default=0),
    *columns(String, "outcome", "error", null=True),  # no outcome until the model answered or failed for good
    *columns(BigInteger, "drawn_at"),
    *columns(BigInteger, "ended_at", null=True),
)

prediction = table(
    "prediction",
    *references("question", key=True),
    *columns(Integer, "draw_n"),
    *references("model"),
    *columns(String, "raw", "answer", "normalised"),
    *columns(Float, "score", null=True),
    *columns(Float, "seconds", default=0.0),
    *columns(BigInteger, "at"),
)

judgement = table(
    "judgement",
    *references("question", key=True),
    *columns(Integer, "annotator_id"),  # refers to the question's
    *columns(String, "verdict"),
    *columns(String, "answer", "normalised", null=True),
    *(Column(one.name, String, nullable=one.null) for one in fields_of("judgement")),
    *columns(BigInteger, "at"),
)

slot = table(
    "slot",
    *references("question", key=True),
    *columns(Integer, "n", key=True),
    *columns(String, "state"),
    *references("annotator", null=True),
    *columns(BigInteger, "leased_at", "lease_until", null=True),
    *columns(Integer, "extensions", default=0),
)

lease = table(
    "lease",
    *references("question"),
    *columns(Integer, "slot_n"),
    *references("annotator"),
    *columns(BigInteger, "leased_at"),
    *columns(BigInteger, "ended_at", null=True),
    *columns(String, "outcome", null=True),
    *columns(String, "reason", default=""),
)

verification = table(
    "verification",
    *references("question", "annotator"),
    *columns(Integer, "slot_n", null=True),  # NULL: does not count (late, or its author was excluded)
    *columns(String, "answer", "normalised"),
    *(Column(one.name, String, nullable=one.null) for one in fields_of("verification")),
    *columns(Boolean, "late", "excluded"),
    *columns(BigInteger, "leased_at", "at"),
)

flag = table(
    "flag",
    *references("question", "image", null=True),
    *references("annotator"),
    *columns(String, "reason"),
    *columns(BigInteger, "at"),
    *columns(BigInteger, "resolved_at", null=True),
)

gold_item = table(
    "gold_item",
    *columns(String, "sha256", "suffix", "question"),  # the image is in the study's folder
    *columns(String, "answers"),  # the answers that pass, normalised, as a JSON list
    *references("question", null=True),
    *columns(String, "state"),
    *columns(BigInteger, "created_at"),
)

gold_result = table(
    "gold_result",
    Column("gold_id", Integer, ForeignKey("gold_item.id"), nullable=False),
    *references("annotator"),
    *columns(String, "answer", null=True),  # the first; NULL until answered
    *(Column(one.name, String) for one in fields_of("verification")),
    *columns(Boolean, "passed", null=True),
    *columns(String, "skipped", null=True),  # the reason for skipping it
    *columns(Integer, "extensions", default=0),
    *columns(BigInteger, "shown_at", "lease_until"),
    *columns(BigInteger, "at", null=True),
)

quiz_item = table(
    "quiz_item",
    *columns(String, "sha256", "suffix", "question", "robot_answer"),
    *columns(String, "verdict"),  # the right judgement
    *columns(String, "hint", default=""),
    *columns(Boolean, "active"),
)

qualification = table(
    "qualification",
    *references("annotator"),
    *columns(Integer, "attempt"),
    *columns(String, "answers"),  # quiz item to verdict, as JSON
    *columns(Integer, "correct", "asked"),
    *columns(Boolean, "passed"),
    *columns(BigInteger, "at"),
)

survey = table(
    "survey",
    *columns(String, "kind", "name", "state"),  # what it asks, of which data; OPEN or CLOSED
    *columns(Integer, "people", "batch_size", "gold_size"),  # people per question; questions per batch, gold among them
    *columns(BigInteger, "seed", "created_at"),
    *columns(BigInteger, "closed_at", null=True),
)

survey_group = table(
    "survey_group", *references("survey", key=True), *columns(Integer, "n", key=True), *columns(String, "record")
)

survey_item = table(
    "survey_item",
    *references("survey"),
    *columns(Integer, "position"),  # in the random order in which they are given
    *columns(Integer, "pair"),  # items with the same number are never in one batch
    *columns(String, "sha256", "suffix", "content"),  # the image, and what is shown and asked, as JSON
    *columns(String, "gold", null=True),  # field to the answers that pass, as JSON; NULL for a question of the survey
    *columns(String, "members", default="[]"),  # the questions that it stands for: pairs of group and place in it
    *columns(Integer, "taken", default=0),  # places that are held or used
    *columns(BigInteger, "hidden_at", null=True),
)

batch = table(
    "batch",
    *references("survey", "annotator"),
    *columns(String, "state"),
    *columns(Integer, "extensions", "sent", default=0),  # sent: how often it was sent, until the gold was right
    *columns(String, "reason", default=""),
    *columns(BigInteger, "leased_at", "lease_until"),
    *columns(BigInteger, "ended_at", null=True),
)

batch_answer = table(
    "batch_answer",
    *references("batch", key=True),
    *columns(Integer, "n", key=True),
    Column("item_id", Integer, ForeignKey("survey_item.id"), nullable=False),
    *references("annotator"),
    *columns(Integer, "place", null=True),  # of the item; NULL for gold, and for what does not count
    *columns(String, "first", "last", null=True),  # as JSON; first: when the batch was first sent
    *columns(Boolean, "reported", default=False),
)

form = table(
    "form",
    *columns(String, "form_key", key=True),
    *references("annotator"),
    *columns(String, "kind", "result"),
    *columns(BigInteger, "at"),
)

snapshot = table(
    "snapshot",
    *columns(String, "version", "rounds", "manifest_sha256"),
    *columns(String, "removed", default="[]"),
    *columns(BigInteger, "at"),
)

event = table(
    "event",
    *columns(BigInteger, "at"),
    Column("actor_id", Integer, ForeignKey("annotator.id")),
    *columns(String, "kind", "subject"),
    *columns(String, "data", default="{}"),
)
