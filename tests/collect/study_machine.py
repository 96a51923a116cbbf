"""The protocol as a state machine, next to a model of it in plain dictionaries.

People act in any order, leases run out, models fail, owners exclude and freeze. After each step the database must hold
what the dictionaries hold, and the checker must find nothing.
"""

from __future__ import annotations

import shutil
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from small_study import SmallStudy
from study_model import IMAGES, PEOPLE, SETTINGS
from study_steps import StudySteps

from askew.collect import schema
from askew.collect.database import Database, SetClock, sqlite_url
from askew.collect.freeze import freeze
from askew.collect.invariants import violations
from askew.collect.rounds import change_round
from askew.collect.study import Study

people = st.integers(0, PEOPLE - 1)
answers = st.sampled_from(["no", "blue", "no", "yes"])
confidences = st.sampled_from(["yes", "maybe", "no"])
verdicts = st.sampled_from(["wrong", "correct", "wrong", "unsure"])
texts = st.sampled_from(["Is it red?", "is it RED", "How many?", "What is it?"])
replies = st.sampled_from(["yes", "2", None])
TROUBLE = ("release", "extend", "skip", "flag", "report", "reply", "withdraw", "sweep", "exclude")


class StudyMachine(StudySteps, RuleBasedStateMachine):
    """Subclasses say where the database is: ``fresh()`` gives a study with an open round."""

    def fresh(self) -> SmallStudy:
        raise NotImplementedError

    @initialize()
    def begin(self) -> None:
        self.start(self.fresh())

    # The rules: mostly ordinary work, sometimes trouble.

    @rule(index=people, data=st.data(), verdict=verdicts, answer=answers, text=texts, said=replies)
    def write_on(self, index: int, data: st.DataObject, verdict: str, answer: str, text: str, said: str | None) -> None:
        """A person's next step as a writer."""
        key = self.current(index)
        if key is None:
            self.claim_image(index)
        elif self.waiting(key) is None:
            self.ask(index, text)
        elif self.calls:
            self.reply(data, said)
        else:
            self.judge(index, verdict, answer)

    @rule(index=people, data=st.data(), verdict=verdicts, answer=answers, text=texts)
    def attack(self, index: int, data: st.DataObject, verdict: str, answer: str, text: str) -> None:
        """A whole try."""
        self.claim_image(index)
        self.ask(index, text)
        self.reply(data, "yes")
        self.judge(index, verdict, answer)

    @rule(index=people)
    def take_slot(self, index: int) -> None:
        self.claim_slot(index)

    @rule(data=st.data(), answer=answers, confidence=confidences)
    def answer_slot(self, data: st.DataObject, answer: str, confidence: str) -> None:
        self.verify(data, answer, confidence)

    @rule(data=st.data(), answer=answers, confidence=confidences)
    def all_verify(self, data: st.DataObject, answer: str, confidence: str) -> None:
        """Everybody takes a slot, and two answer."""
        for index in range(PEOPLE):
            self.claim_slot(index)
        self.verify(data, answer, confidence)
        self.verify(data, answer, confidence)

    @rule(minutes=st.sampled_from([1, 9, 15, 30]))
    def time_passes(self, minutes: int) -> None:
        self.wait(minutes)

    @rule(data=st.data(), index=people, kind=st.sampled_from(TROUBLE))
    def trouble(self, data: st.DataObject, index: int, kind: str) -> None:
        if kind in ("release", "extend", "exclude"):
            getattr(self, kind)(index)
        elif kind == "skip":
            self.skip(data, data.draw(st.sampled_from(["cannot see the image", "offensive or private"])))
        elif kind == "flag":
            self.flag(data, index)
        elif kind == "report":
            self.report(index, data.draw(st.integers(1, IMAGES)))
        elif kind == "reply":
            self.reply(data, data.draw(replies))
        elif kind == "withdraw":
            self.withdraw(data)
        else:
            self.sweep()

    @precondition(lambda self: len(self.asked) >= 3)
    @rule()
    def finish(self) -> None:
        """The round is drained, then frozen."""
        if self.round == "OPEN":
            self.drain()
        elif self.round == "DRAINING":
            self.freeze()

    def drain(self) -> None:
        self.study.do(change_round, self.study.round_id, "DRAINING")
        self.round = "DRAINING"

    def freeze(self) -> None:
        frozen = self.study.do(lambda tx: freeze(tx, self.study.round_id, 3, drop_incomplete=True))
        for key, session in self.sessions.items():
            if session.state == "LEASED":
                self.end(key, "EXPIRED")
        for one in self.asked.values():
            one.held.clear()
        self.round = "FROZEN"
        self.types = {question: self.type_of(question) for question in self.asked}
        assert frozen.types == self.types

    def type_of(self, question: int) -> str:
        """Fig. 8 for two verifiers, implemented independently."""
        one = self.asked[question]
        out = one.standing != "OK" or self.image_of(question) in self.hidden
        if out or self.sessions[one.session].person in self.excluded:
            return "U"
        if one.state in ("CORRECT", "UNSURE"):
            return "A" if one.state == "CORRECT" else "B"
        if one.state != "VERIFIED":
            return "U"
        first, second = one.said.values()
        if one.robot in (first, second):  # more than v / 3 = 0.67 of two: one is enough
            return "C"
        return "E" if first == second else "D"

    # What must hold after each step.

    @invariant()
    def the_database_holds_what_the_dictionaries_hold(self) -> None:
        if not hasattr(self, "study"):
            return
        with self.study.study.database.read() as tx:
            assert violations(tx, hashes=self.round == "FROZEN") == []
            sessions = {row.id: row.state for row in tx.rows(sa.select(schema.session))}
            questions = {row.id: (row.state, row.standing, row.done) for row in tx.rows(sa.select(schema.question))}
            places = tx.value(sa.select(sa.func.count(schema.place.c.session_id)))
            slots = Counter(row.state for row in tx.rows(sa.select(schema.slot.c.state)))
            kept = tx.value(sa.select(sa.func.count()).select_from(schema.verification))
        assert sessions == {key: session.state for key, session in self.sessions.items()}
        assert questions == {key: (one.state, one.standing, len(one.said)) for key, one in self.asked.items()}
        assert places == sum(session.holds for session in self.sessions.values())
        assert slots["LEASED"] == sum(len(one.held) for one in self.asked.values())
        assert slots["DONE"] == sum(len(one.said) for one in self.asked.values())
        assert kept == sum(len(one.said) + len(one.uncounted) for one in self.asked.values())

    def teardown(self) -> None:
        if hasattr(self, "study"):
            self.study.close()


class OnSqlite(StudyMachine):
    """Each sequence on a copy of one study's file."""

    template: SmallStudy | None = None

    def fresh(self) -> SmallStudy:
        if OnSqlite.template is None:
            OnSqlite.home = Path(tempfile.mkdtemp(prefix="askew-machine-"))
            OnSqlite.template = template(OnSqlite.home / "template", None)
            OnSqlite.template.close()
        return copied(OnSqlite.template, OnSqlite.home)


def copied(made: SmallStudy, home: Path) -> SmallStudy:
    """A copy of the study in ``home / "template"``, in the place of the copy before."""
    file = home / "study.sqlite"
    for ending in ("", "-wal", "-shm"):
        Path(f"{file}{ending}").unlink(missing_ok=True)
    shutil.copy(home / "template" / "study.sqlite", file)
    clock = SetClock(made.clock.milliseconds)
    return replace(made, study=Study(home, Database(sqlite_url(file), clock, durable=False)), clock=clock)


def template(folder: Path, url: str | None) -> SmallStudy:
    return SmallStudy.make(folder, url, SETTINGS, images=IMAGES, people=PEOPLE)
