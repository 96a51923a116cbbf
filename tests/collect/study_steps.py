"""Steps of the protocol, each done on a study and on a model of it in plain dictionaries."""

from __future__ import annotations

import sqlalchemy as sa
from hypothesis import strategies as st
from study_model import (
    TRIES,
    VERIFIERS,
    VERIFYING,
    WRITING,
    Asked,
    Session,
    StudyModel,
)

from askew.collect import schema
from askew.collect.leases import expire
from askew.collect.moderation import exclude, flag_question, report_image
from askew.collect.protocol import Gone, NotAllowed, Refused
from askew.collect.robots import record_reply
from askew.collect.verifying import claim_slot, skip_slot, verify
from askew.collect.writing import ask, claim_image, extend_writing, judge, release_image, withdraw
from askew.types import Prediction


class StudySteps(StudyModel):
    """Every step, on the study and on the dictionaries: what people do, and what time and the organisers do."""

    def claim_image(self, index: int) -> None:
        self.study.clock.pass_seconds(1)
        held = self.current(index)
        found = self.free_image(index) if held is None and self.round == "OPEN" else None
        self.study.clock.pass_seconds(-1)
        error = NotAllowed if index in self.excluded or index in self.unqualified else None
        task = self.expects(error, claim_image, self.person(index))
        if error:
            return
        if held is not None:
            assert task.session_id == held
            self.sessions[held].until = self.now + WRITING
        elif found is None:
            assert task is None
        else:
            assert task.image_id == found[0]
            if found[1] is not None:
                self.end(found[1], "EXPIRED")
            self.sessions[task.session_id] = Session(task.image_id, index, self.now + WRITING)

    def ask(self, index: int, text: str) -> None:
        key = self.current(index)
        if key is None:
            return
        same = {"Is it red?": "red", "is it RED": "red"}.get(text, text)
        earlier = [q for q, a in self.asked.items() if a.session == key and a.text == same]
        again = bool(earlier) and self.asked[earlier[0]].state == "MODEL_FAILED"
        refused = self.waiting(key) is not None or (bool(earlier) and not again)
        error = NotAllowed if index in self.excluded else Refused if refused else None
        call = self.expects(error, ask, self.person(index), key, text, 7)
        if call is None:
            return
        self.sessions[key].until = self.now + WRITING
        if again:
            assert call.question_id == earlier[0]
            self.asked[earlier[0]].state = "ASKED"
        else:
            self.asked[call.question_id] = Asked(key, same)
        self.calls[call.question_id] = call

    def reply(self, data: st.DataObject, said: str | None) -> None:
        if not self.calls or self.round == "FROZEN":
            return
        question = data.draw(st.sampled_from(sorted(self.calls)))
        one, call = self.asked[question], self.calls[question]
        following = self.study.do(record_reply, call, Prediction(question, said, error=None if said else "broken"))
        asked, given = schema.question, schema.prediction
        found = sa.select(asked.c.state, asked.c.try_no, given.c.answer, given.c.raw)
        found = found.outerjoin(given, given.c.question_id == asked.c.id).where(asked.c.id == question)
        row = tuple(self.study.look(lambda tx: tx.first(found)))
        if following is not None:
            assert one.state == "ASKED"
            assert said is None
            assert following.model_id != call.model_id
            self.calls[question] = following
            return
        del self.calls[question]
        if one.state == "ABANDONED":
            assert row == ("ABANDONED", None, None, None)
        elif said is None:
            assert row == ("MODEL_FAILED", None, None, None)
            one.state = "MODEL_FAILED"
        else:
            assert row == ("ANSWERED", self.tries(one.session) + 1, said, said)
            one.state, one.robot = "ANSWERED", said

    def judge(self, index: int, verdict: str, answer: str) -> None:
        key = self.current(index)
        question = None if key is None else self.waiting(key)
        if question is None:
            return
        one = self.asked[question]
        error = None if one.state == "ANSWERED" else Gone
        judged = self.expects(error, judge, self.person(index), question, verdict, answer)
        if judged is None:
            return
        one.verdict, one.answer = verdict, answer if verdict == "wrong" else ""
        one.state = {"correct": "CORRECT", "unsure": "UNSURE", "wrong": "VERIFYING"}[verdict]
        self.sessions[key].until = self.now + WRITING
        if verdict == "wrong":
            self.end(key, "SUCCEEDED")
        elif self.tries(key) == TRIES:
            self.end(key, "EXHAUSTED")
        assert judged.session_state == self.sessions[key].state

    def release(self, index: int) -> None:
        key = self.current(index)
        if key is not None and self.expects(None, release_image, self.person(index), key) is None:
            self.end(key, "RELEASED")

    def extend(self, index: int) -> None:
        key = self.current(index)
        if key is not None:
            until = self.study.do(extend_writing, self.person(index), key)
            self.sessions[key].until = until / 1000

    def withdraw(self, data: st.DataObject) -> None:
        if not self.asked:
            return
        question = data.draw(st.sampled_from(sorted(self.asked)))
        one = self.asked[question]
        index = self.sessions[one.session].person
        possible = one.state in ("CORRECT", "UNSURE", "VERIFYING") and not one.said and not one.held
        error = NotAllowed if index in self.excluded else None if possible and self.works() else Gone
        self.expects(error, withdraw, self.person(index), question)
        if error is None:
            one.state = "WITHDRAWN"
            session = self.sessions[one.session]
            if session.state != "LEASED":
                session.holds = session.holds and self.counts(one.session)

    def claim_slot(self, index: int) -> None:
        fits = self.fits(index)
        task = self.expects(NotAllowed if index in self.excluded else None, claim_slot, self.person(index))
        if index not in self.excluded:
            self.got_slot(index, fits, task and task.question_id)

    def fits(self, index: int) -> set[int]:
        """The questions of which this person may get a slot a second from now."""
        self.study.clock.pass_seconds(1)
        found = {q for q in self.asked if self.may_verify(index, q) and self.free_slots(q)}
        self.study.clock.pass_seconds(-1)
        return found

    def got_slot(self, index: int, fits: set[int], question: int | None) -> None:
        held = [q for q, a in self.asked.items() if index in a.held]
        if held:
            assert question == held[0]
            self.asked[held[0]].held[index] = self.now + VERIFYING
            return
        if not fits:
            assert question is None
            return
        assert question in fits
        one = self.asked[question]
        if len(one.said) + len(one.held) == VERIFIERS:  # the slot of somebody whose lease has expired
            over = [person for person, until in one.held.items() if until < self.now]
            holders = self.holders(question)
            lost = next(person for person in over if person not in holders)
            del one.held[lost]
        one.held[index] = self.now + VERIFYING
        one.given.add(index)

    def holders(self, question: int) -> set[int]:
        chosen = sa.select(schema.slot.c.annotator_id).where(schema.slot.c.question_id == question)
        leased = self.study.look(lambda tx: tx.rows(chosen.where(schema.slot.c.state == "LEASED")))
        return {self.study.people.index(row.annotator_id) for row in leased}

    def free_slots(self, question: int) -> int:
        one = self.asked[question]
        return VERIFIERS - len(one.said) - sum(until >= self.now for until in one.held.values())

    def may_verify(self, index: int, question: int) -> bool:
        one, image = self.asked[question], self.image_of(question)
        author = self.sessions[one.session].person
        return (
            self.works()
            and one.state == "VERIFYING"
            and one.standing == "OK"
            and image not in self.hidden
            and author not in self.excluded
            and not self.wrote(index, image)
            and index not in one.said
            and index not in one.uncounted
            and index not in one.skipped
        )

    def verify(self, data: st.DataObject, answer: str, confidence: str) -> None:
        given = [q for q, a in sorted(self.asked.items()) if a.given]
        if not given:
            return
        question = data.draw(st.sampled_from([q for q in given if self.asked[q].held] or given))
        one = self.asked[question]
        index = data.draw(st.sampled_from(sorted(one.held) + sorted(one.given)))
        before = one.said.keys() | one.uncounted | one.skipped
        error: type[Exception] | None = NotAllowed if index in self.excluded else None
        error = error or (Gone if index in before or not self.works() else None)
        self.study.clock.pass_seconds(1)
        free = index in one.held or (
            one.state == "VERIFYING" and one.standing == "OK" and self.free_slots(question) > 0
        )
        over = {person for person, until in one.held.items() if until < self.now and person != index}
        self.study.clock.pass_seconds(-1)
        done = self.expects(error, verify, self.person(index), question, answer, confidence)
        if error is not None:
            return
        assert done.late == (not free)
        if not free:
            one.uncounted.add(index)
            return
        if index not in one.held and len(one.said) + len(one.held) == VERIFIERS:
            del one.held[next(person for person in over if person not in self.holders(question))]
        one.held.pop(index, None)
        one.said[index] = answer
        if len(one.said) == VERIFIERS:
            one.state = "VERIFIED"

    def skip(self, data: st.DataObject, reason: str) -> None:
        held = [q for q, a in sorted(self.asked.items()) if a.held]
        if not held:
            return
        question = data.draw(st.sampled_from(held))
        one = self.asked[question]
        index = data.draw(st.sampled_from(sorted(one.held)))
        self.study.do(skip_slot, self.person(index), question, reason)
        del one.held[index]
        one.skipped.add(index)
        if reason == "offensive or private":
            self.flagged(index, question)

    def flag(self, data: st.DataObject, index: int) -> None:
        if not self.asked:
            return
        question = data.draw(st.sampled_from(sorted(self.asked)))
        error = NotAllowed if index in self.excluded else None if self.works() else Gone
        self.expects(error, flag_question, self.person(index), question, "private")
        if error is None:
            self.flagged(index, question)

    def flagged(self, index: int, question: int) -> None:
        one = self.asked[question]
        one.flags.add(index)
        if len(one.flags) >= 2 and one.standing == "OK":
            one.standing = "QUARANTINED"
            one.held.clear()

    def report(self, index: int, image: int) -> None:
        error = NotAllowed if index in self.excluded else None if self.works() else Gone
        self.expects(error, report_image, self.person(index), image, "a face")
        if error is not None:
            return
        self.reports[image].add(index)
        if len(self.reports[image]) >= 2 and image not in self.hidden:
            self.hidden.add(image)
            for key, session in self.sessions.items():
                if session.image == image and session.state == "LEASED":
                    self.end(key, "RELEASED")
            for question, one in self.asked.items():
                if self.image_of(question) == image:
                    one.held.clear()

    def wait(self, minutes: int) -> None:
        self.study.clock.pass_seconds(60 * minutes)

    def sweep(self) -> None:
        self.study.do(expire)
        for key, session in self.sessions.items():
            if session.state == "LEASED" and session.until < self.now:
                self.end(key, "EXPIRED")
        for one in self.asked.values():
            one.held = {person: until for person, until in one.held.items() if until >= self.now}

    def exclude(self, index: int) -> None:
        if index in self.excluded or len(self.excluded) == 2:
            return
        self.study.do(exclude, self.person(index), "careless")
        self.is_excluded(index)

    def is_excluded(self, index: int) -> None:
        self.excluded.add(index)
        if not self.works():
            return
        for key, session in self.sessions.items():
            if session.person == index:
                if session.state == "LEASED":
                    self.end(key, "RELEASED")
                session.holds = False
        for one in self.asked.values():
            one.held.pop(index, None)
            if one.said.pop(index, None) is not None:
                one.uncounted.add(index)
                if one.state == "VERIFIED":
                    one.state = "VERIFYING"
