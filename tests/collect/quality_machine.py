"""The same state machine in a study with a quiz and gold questions, which look like any other task."""

from __future__ import annotations

import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path

import sqlalchemy as sa
from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from small_study import SmallStudy
from study_machine import StudyMachine, copied, people
from study_model import IMAGES, PEOPLE, SETTINGS

from askew.collect.gold import is_careless
from askew.collect.prepared_items import add_gold
from askew.collect.protocol import Gone, NotAllowed
from askew.collect.quiz import add_quiz_item, qualify, quiz_for, take_quiz
from askew.collect.schema import gold_result
from askew.collect.verify_queue import answer_task, claim_task

GOLD = 6
QUALITY = replace(SETTINGS, quiz_required=True, gold_first_percent=100, gold_least_percent=50, gold_mistake_percent=30)
"""One wrong answer to a gold question is allowed, two are too many."""


class QualityMachine(StudyMachine):
    """Dictionaries also hold which gold questions people hold, saw and answered, and who passed the quiz."""

    def start(self, study: SmallStudy) -> None:
        super().start(study)
        self.unqualified = {PEOPLE - 1}
        self.gold_held: dict[int, int] = {}
        self.gold_said: dict[tuple[int, int], bool | None] = {}
        """Person and gold question to whether the answer passed; None until there is one."""

    def claim_slot(self, index: int) -> None:
        """The next task, which may be a gold question."""
        fits = self.fits(index)
        error = NotAllowed if index in self.excluded or index in self.unqualified else None
        task = self.expects(error, claim_task, self.person(index))
        if error:
            return
        kind, number = task.reference.split() if task else ("q", None)
        if index in self.gold_held:
            assert (kind, int(number)) == ("g", self.gold_held[index])
        elif kind == "g":
            assert fits, "gold without a real question for the person shows itself"
            assert not any(index in one.held for one in self.asked.values())
            assert (index, int(number)) not in self.gold_said, "a gold question came twice"
            self.gold_held[index] = int(number)
            self.gold_said[index, int(number)] = None
        else:
            self.got_slot(index, fits, number and int(number))

    @rule(index=people, rights=st.lists(st.booleans(), min_size=1, max_size=3))
    def answer_tasks(self, index: int, rights: list[bool]) -> None:
        self.answer_tasks_of(next(iter(self.gold_held), index), rights)

    def answer_tasks_of(self, index: int, rights: list[bool]) -> None:
        """Take tasks one after another, and answer those that are gold."""
        for right in rights:
            self.claim_slot(index)
            if index in self.gold_held:
                self.answer_gold(index, right)

    def attack_of(self, index: int, data: st.DataObject) -> None:
        self.claim_image(index)
        self.ask(index, "How many?")
        self.reply(data, "yes")
        self.judge(index, "wrong", "no")

    def answer_gold(self, index: int, right: bool) -> None:
        number = self.gold_held[index]
        error = NotAllowed if index in self.excluded else None if self.works() else Gone
        said = "right" if right else "something else"
        done = self.expects(error, answer_task, self.person(index), f"g {number}", said, "yes")
        if error:
            return
        del self.gold_held[index]
        self.gold_said[index, number] = right
        counts = Counter(passed for (who, _), passed in self.gold_said.items() if who == index)
        out = not right and is_careless(counts[True], counts[False], QUALITY)
        assert done.excluded == out
        if out:
            self.is_excluded(index)

    @rule(index=people, data=st.data(), rights=st.lists(st.booleans(), min_size=1, max_size=4))
    def attack_and_answer(self, index: int, data: st.DataObject, rights: list[bool]) -> None:
        """Create something to verify, so that tasks are given; the next person takes some."""
        self.attack_of(index, data)
        self.answer_tasks_of((index + 1) % PEOPLE, rights)

    @rule(right=st.booleans())
    def try_quiz(self, right: bool) -> None:
        """The newcomer judges eight examples, all correctly or all as unsure."""
        index = PEOPLE - 1
        if index not in self.unqualified or index in self.excluded:
            return
        quiz = self.study.look(lambda tx: quiz_for(tx, self.person(index)))
        if quiz.attempt is None:
            return
        said = {item.id: item.verdict if right else "unsure" for item in quiz.items}
        assert self.study.do(take_quiz, self.person(index), quiz.attempt, said) == right
        if right:
            self.unqualified.clear()

    @invariant()
    def gold_is_what_the_dictionaries_say(self) -> None:
        if not hasattr(self, "gold_said"):
            return
        rows = self.study.look(lambda tx: tx.rows(sa.select(gold_result)))
        found = {(self.study.people.index(row.annotator_id), row.gold_id): row.passed for row in rows}
        assert found == self.gold_said


class QualityOnSqlite(QualityMachine):
    """Each sequence on a copy of one study's file."""

    template: SmallStudy | None = None
    home: Path

    def fresh(self) -> SmallStudy:
        if QualityOnSqlite.template is None:
            QualityOnSqlite.home = Path(tempfile.mkdtemp(prefix="askew-machine-"))
            QualityOnSqlite.template = quality_template(QualityOnSqlite.home / "template", None)
            QualityOnSqlite.template.close()
        return copied(QualityOnSqlite.template, QualityOnSqlite.home)


def quality_template(folder: Path, url: str | None) -> SmallStudy:
    """Everybody but the last person passed the quiz."""
    made = SmallStudy.make(folder, url, QUALITY, images=IMAGES, people=PEOPLE, opened=False)
    with made.study.database.write() as tx:
        for number in range(8):
            add_quiz_item(tx, ("0" * 64, ".png"), f"Is it number {number}?", "yes", "correct", "Look again.")
        for number in range(GOLD):
            add_gold(tx, (f"{number:064x}", ".png"), "What is it?", ["right"])
        for person in made.people[:-1]:
            qualify(tx, person)
    made.open()
    return made
