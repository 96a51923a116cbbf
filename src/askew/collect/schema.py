"""The tables, as queries need them: columns, keys, and the references to an id, which joins follow.

They are read from the SQL of ``migrations/versions``, whose revisions make the tables: it runs once, in an empty SQLite
database in memory. So a new column is a line of a revision; ``docs/collect-internals.md`` has the steps.

Times are whole milliseconds since 1970, UTC. Text that people or models wrote is stored unchanged, next to its
normalised form if answers or questions are compared.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing

from sqlalchemy import BigInteger, Boolean, Column, Float, ForeignKey, Integer, MetaData, String, Table

from askew.collect.migrations import NUMBERS, table_statements

ROUND_STATES = ("DRAFT", "READY", "OPEN", "DRAINING", "FROZEN", "RELEASED")
JUDGED_STATES = ("CORRECT", "UNSURE", "VERIFYING", "VERIFIED")
QUESTION_STATES = ("ASKED", "ANSWERED", "MODEL_FAILED", *JUDGED_STATES, "ABANDONED", "WITHDRAWN")
STANDINGS = ("OK", "QUARANTINED", "REMOVED")
VERDICTS = ("correct", "wrong", "unsure")
SPLITS = ("train", "dev", "test")
ROLES = ("owner", "annotator")
GOLD_STATES = ("ACTIVE", "RETIRED", "VOID")
"""Shown; no longer shown; a mistake, whose results do not count either."""

_TYPES = {
    "INTEGER": Integer,
    "BIGINT": BigInteger,
    "VARCHAR": String,
    "TEXT": String,
    "BOOLEAN": Boolean,
    "FLOAT": Float,
}


def _read_tables() -> MetaData:
    found = MetaData()
    with closing(sqlite3.connect(":memory:")) as made:
        for number in NUMBERS:
            made.executescript(";\n".join(table_statements(number, "sqlite")))
        for (name,) in made.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            references = made.execute(f"PRAGMA foreign_key_list({name})").fetchall()
            refers_to = {column: f"{table}.id" for _, _, table, column, key, *_ in references if key == "id"}
            columns = [
                Column(
                    column,
                    _TYPES[kind.partition("(")[0]],
                    *([ForeignKey(refers_to[column])] if column in refers_to else []),
                    primary_key=bool(key),
                    nullable=not filled,
                )
                for _, column, kind, filled, _, key in made.execute(f"PRAGMA table_info({name})")
            ]
            Table(name, found, *columns)
    return found


metadata = _read_tables()
study = metadata.tables["study"]
round_ = metadata.tables["round"]
image = metadata.tables["image"]
model = metadata.tables["model"]
ensemble_member = metadata.tables["ensemble_member"]
annotator = metadata.tables["annotator"]
invite = metadata.tables["invite"]
login = metadata.tables["login"]
api_token = metadata.tables["api_token"]
session = metadata.tables["session"]
place = metadata.tables["place"]
question = metadata.tables["question"]
draw = metadata.tables["draw"]
prediction = metadata.tables["prediction"]
judgement = metadata.tables["judgement"]
slot = metadata.tables["slot"]
lease = metadata.tables["lease"]
verification = metadata.tables["verification"]
flag = metadata.tables["flag"]
gold_item = metadata.tables["gold_item"]
gold_result = metadata.tables["gold_result"]
quiz_item = metadata.tables["quiz_item"]
qualification = metadata.tables["qualification"]
survey = metadata.tables["survey"]
survey_group = metadata.tables["survey_group"]
survey_item = metadata.tables["survey_item"]
batch = metadata.tables["batch"]
batch_answer = metadata.tables["batch_answer"]
form = metadata.tables["form"]
snapshot = metadata.tables["snapshot"]
event = metadata.tables["event"]

in_rounds = question.join(image).join(round_)
"""Questions with their images and rounds."""
