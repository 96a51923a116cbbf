"""Payments: accepted, rejected and pending work, what it is worth, and cells that stay text."""

from __future__ import annotations

import csv
import io
import os
import stat
from decimal import Decimal

import pytest
from small_study import SmallStudy

from askew.cli import main
from askew.collect.accounts import add_annotator
from askew.collect.freeze import freeze
from askew.collect.gold import answer_gold, give_gold
from askew.collect.moderation import exclude, quarantine, resolve
from askew.collect.payments import Rates, bonus_csv, parse_rates, payments_csv, work_of_all
from askew.collect.prepared_items import add_gold
from askew.collect.rounds import change_round
from askew.collect.verifying import claim_slot, verify
from askew.errors import BadOption, UsageError

RATES = Rates(Decimal("0.50"), Decimal("0.05"), Decimal("0.25"))


def paid(study: SmallStudy) -> dict[str, dict[str, str]]:
    text = study.look(lambda tx: payments_csv(work_of_all(tx), RATES)).decode()
    return {row["pseudonym"]: row for row in csv.DictReader(io.StringIO(text))}


def counts(row: dict[str, str], part: str) -> tuple[int, ...]:
    return tuple(int(row[f"{part}_{state}"]) for state in ("accepted", "rejected", "pending"))


def test_work_from_pending_to_paid(study: SmallStudy):
    author, first, second, third, fourth = study.people[:5]
    study.attack(author)
    task = study.do(claim_slot, first)
    study.do(verify, first, task.question_id, "no", "yes")
    rows = paid(study)
    assert counts(rows["person-0"], "sessions") == (0, 0, 1)
    assert counts(rows["person-1"], "answers") == (0, 0, 1)
    assert (rows["person-1"]["pay"], rows["person-1"]["pay_pending"]) == ("0.00", "0.05")
    task = study.do(claim_slot, second)
    study.do(verify, second, task.question_id, "no", "yes")
    gold = study.do(add_gold, ("0" * 64, ".png"), "What?", ["a"])
    study.do(give_gold, second, gold)
    study.do(answer_gold, second, gold, "b", "yes")
    study.attack(third, "How many?")  # becomes D: its verifiers do not agree
    for person, answer in ((fourth, "1"), (study.people[5], "2")):
        task = study.do(claim_slot, person)
        study.do(verify, person, task.question_id, answer, "no")
    study.attack(first, "What is this?")
    study.do(quarantine, study.owner, 3, "offensive")
    study.do(resolve, study.owner, 3, keep=False)
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1, drop_incomplete=True)
    rows = paid(study)
    assert "owner-0" not in rows, "owners who did nothing are not paid"
    expected = {
        # sessions, answers, type E, pay, bonus, total
        "person-0": ((1, 0, 0), (0, 0, 0), "1", "0.50", "0.25", "0.75"),
        "person-1": ((0, 1, 0), (1, 0, 0), "0", "0.05", "0.00", "0.05"),
        "person-2": ((0, 0, 0), (2, 0, 0), "0", "0.10", "0.00", "0.10"),
        "person-3": ((1, 0, 0), (0, 0, 0), "0", "0.50", "0.00", "0.50"),
    }
    for name, (sessions, answers, good, *amounts) in expected.items():
        row = rows[name]
        assert (counts(row, "sessions"), counts(row, "answers"), row["questions_E"]) == (sessions, answers, good), name
        assert [row[key] for key in ("pay", "bonus", "total")] == amounts, name
    study.check()


def test_excluded_people_are_not_paid(study: SmallStudy):
    author, first = study.people[:2]
    study.attack(author)
    task = study.do(claim_slot, first)
    study.do(verify, first, task.question_id, "no", "yes")
    for person in (author, first):
        study.do(exclude, person, "test")
    rows = paid(study)
    assert (counts(rows["person-0"], "sessions"), counts(rows["person-1"], "answers")) == ((0, 1, 0), (0, 1, 0))
    assert {rows[name]["total"] for name in ("person-0", "person-1")} == {"0.00"}
    assert rows["person-0"]["excluded"] == "yes"


def test_ids_are_written_unchanged_and_never_as_formulas(tmp_path):
    study = SmallStudy.make(tmp_path / "study")
    evil = "=HYPERLINK(1)"
    study.do(add_annotator, evil, platform={"PROLIFIC_PID": "@cmd", "x": "-2+3"}, pseudonym="evil")
    row = paid(study)["evil"]
    assert (row["name"], row["PROLIFIC_PID"], row["x"]) == (f"'{evil}", "'@cmd", "'-2+3")
    assert paid(study)["person-0"]["PROLIFIC_PID"] == ""
    study.close()


def test_bonuses_of_a_platform(tmp_path):
    study = SmallStudy.make(tmp_path / "study", people=4)
    author = study.do(add_annotator, "Ada", platform={"PROLIFIC_PID": "5f1"})
    study.attack(author)
    study.attack(study.people[0], "How many?")
    study.verify_all()
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1)
    works = study.look(work_of_all)
    assert bonus_csv(works, RATES, "PROLIFIC_PID") == (b"5f1,0.25\r\n", 1)
    with pytest.raises(UsageError, match="Ids of this study: PROLIFIC_PID"):
        bonus_csv(works, RATES, "workerId")
    study.close()


def test_rates_are_checked():
    assert parse_rates([]) == Rates()
    for word in ("answer", "answer=", "answer=x", "answer=-1", "answer=nan", "answer=inf", "hour=5", "answer=1e7"):
        with pytest.raises(BadOption, match="NAME=AMOUNT"):
            parse_rates([word])


def test_the_files_with_names_and_ids_are_private(tmp_path):
    """pay.csv has names and platform ids; everybody on the computer could read it."""
    study = SmallStudy.make(tmp_path / "study", people=2)
    study.do(add_annotator, "Ada", platform={"PROLIFIC_PID": "5f1"})
    study.close()
    files = [tmp_path / "pay.csv", tmp_path / "bonuses.csv"]
    command = ["collect", "pay", str(tmp_path / "study"), "--output", str(files[0]), "--bonuses", str(files[1])]
    assert main([*command, "--id", "PROLIFIC_PID"]) == 0
    assert [stat.S_IMODE(os.stat(path).st_mode) for path in files] == [0o600, 0o600]
