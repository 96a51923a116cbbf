"""Searches that run side by side: the same result whatever the batch, the order, or how many run at once."""

from __future__ import annotations

from dataclasses import dataclass, replace
from random import Random

import pytest
from word_sums import SWAPS, Confident, Labels, WordSums, asked_about, listed

from askew.attack.attack_parts import Goal, Listed
from askew.attack.search import EachAlone, GreedySearch, SaliencySearch, SwarmSearch
from askew.engine.attack_driver import AttackRequests, Driver
from askew.engine.attack_run import attacked_groups
from askew.engine.attack_task import AttackRules
from askew.engine.resume import Keys
from askew.engine.store import Store
from askew.errors import BudgetSpent
from askew.metrics.correct import right
from askew.types import Group, Prediction, Question, Refusal
from askew.verbs import Constraint

SEARCHES = (
    *(GreedySearch(), GreedySearch("unknown", released=True), SaliencySearch(), SaliencySearch(released=True)),
    *(EachAlone(), SwarmSearch(8, 4)),
)


def judge(question, said):
    return said.answer, right(question, said)


def attack(
    path, model, questions, search=None, mode="score", budget=100, batch_size=8, confirm=0, max_calls=None, **how
):
    parts = {name: how.pop(name) for name in ("constraints", "goal", "least_words") if name in how}
    with Store(path) as store:
        requests = AttackRequests(model, Keys(model), store, batch_size, max_calls, **how)
        driver = Driver(AttackRules(listed(search, **parts), mode, budget, 0, judge, confirm), requests)
        return list(attacked_groups(list(driver.run(questions)), None))


def by_id(items):
    return {item.id: item for item in items if isinstance(item, Group)}


@pytest.mark.parametrize(("mode", "model"), [("score", WordSums), ("confidence", Confident), ("label", Labels)])
def test_results_do_not_depend_on_batch_size_order_or_number_of_searches(tmp_path, mode, model):
    questions, shuffled = asked_about(40), asked_about(40)
    Random(1).shuffle(shuffled)
    for number, search in enumerate(SEARCHES):
        made = attack(tmp_path / f"{number}", model(), questions, search, mode)
        assert sum(bool(group.variants) for group in by_id(made).values()) == 32
        for batch_size, ahead, order in ((1, 1, questions), (7, 2, shuffled), (256, 9, shuffled)):
            path = tmp_path / f"{number}-{batch_size}"
            again = attack(path, model(), order, search, mode, batch_size=batch_size, ahead=ahead)
            assert by_id(again) == by_id(made), (search, batch_size)


def test_a_second_attack_asks_nothing(tmp_path):
    first, second = WordSums(), WordSums()
    made = attack(tmp_path / "a", first, asked_about(20))
    assert attack(tmp_path / "a", second, asked_about(20)) == made
    assert len(first.asked) == len(set(first.asked)) > 100
    assert second.asked == []


def test_all_batches_but_the_last_are_full(tmp_path):
    model = Labels()
    attack(tmp_path / "a", model, asked_about(200), mode="label", batch_size=16)
    assert sum(size == 16 for size in model.calls) / len(model.calls) > 0.9


def test_no_search_asks_more_than_its_budget_and_larger_budgets_only_add(tmp_path):
    questions = asked_about(30)
    for number, search in enumerate(SEARCHES):
        found = {}
        for budget in (2, 4, 8, 16, 100):
            groups = by_id(attack(tmp_path / f"{number}-{budget}", WordSums(), questions, search, budget=budget))
            notes = {key: group.variants[0].note for key, group in groups.items() if group.variants}
            assert all(note["tries"] <= budget for note in notes.values())
            found[budget] = {key for key, note in notes.items() if note["status"] == "found"}
        whole = {key: note["fooled_at"] for key, note in notes.items() if note["fooled_at"]}
        for budget in (2, 4, 8, 16) if not getattr(search, "released", False) else ():
            assert found[budget] == {key for key, at in whole.items() if at <= budget}, (search, budget)


def test_the_goal_score_goes_on_after_a_wrong_answer_and_reports_the_true_probability(tmp_path):
    """The probability of the original's answer was once not requested for wrong answers, and taken to be zero."""
    model, questions = WordSums(), asked_about(30)
    first_wrong = by_id(attack(tmp_path / "wrong", model, questions))
    lower = 0
    for key, group in by_id(attack(tmp_path / "score", model, questions, goal=Goal("score"))).items():
        for variant in group.variants:
            answer = model.said(group.original).answer
            probability = model.chances(variant.question.text)[answer]
            assert variant.note["best_score"] == pytest.approx(probability, abs=1e-6)
            at_first_wrong = model.chances(first_wrong[key].variants[0].question.text)[answer]
            assert probability <= at_first_wrong + 1e-9
            lower += probability < at_first_wrong - 0.01
    assert lower > 10


def test_incorrectly_answered_questions_are_skipped_and_questions_without_candidates_refused(tmp_path):
    model = Labels()
    short, bare = Question(8, None, "Is it?"), Question(9, None, "Is it the one over there?")
    known = [replace(question, answers=(model.said(question).answer,)) for question in (short, bare)]
    questions = [*asked_about(5), *known]
    made = attack(tmp_path / "a", model, questions, mode="label", least_words=3)
    reasons = {item.question_id: item.reason for item in made if isinstance(item, Refusal)}
    assert reasons[0] == "the original is answered incorrectly"
    assert reasons[8] == "fewer than 3 words"
    assert reasons[9] == "no candidate for any word"
    assert [group.id for group in made if isinstance(group, Group)] == [q.id for q in questions]
    assert all(group.variants == () for key, group in by_id(made).items() if key in reasons)


@dataclass(frozen=True)
class Without(Constraint):
    """Drops rewordings that end like this."""

    ending: str
    by_word: bool = False

    def keep(self, original, candidates):
        assert not any(candidate.probe for candidate in candidates)
        return [not any(change.new.endswith(self.ending) for change in one.changes) for one in candidates]


@pytest.mark.parametrize("by_word", [False, True])
def test_candidates_that_a_constraint_drops_are_never_asked(tmp_path, by_word):
    model = WordSums()
    made = attack(tmp_path / "a", model, asked_about(20), constraints=(Without("oid", by_word),))
    assert not any("oid" in text for text in model.asked)
    assert any(group.variants for group in by_id(made).values())
    only = (Without("", by_word),)
    made = attack(tmp_path / "b", WordSums(), asked_about(5), constraints=only)
    reasons = {item.reason for item in made if isinstance(item, Refusal)} - {"the original is answered incorrectly"}
    assert reasons == {
        "every candidate is ruled out by its word"
        if by_word
        else "no rewording passed the constraints within the budget"
    }


def test_a_failed_request_is_asked_again_once_and_is_never_a_success(tmp_path):
    questions = asked_about(10)
    whole = attack(tmp_path / "a", WordSums(), questions)
    texts = {group.variants[0].question.text for group in by_id(whole).values() if group.variants}
    assert attack(tmp_path / "b", WordSums(fails_once=set(texts)), questions) == whole

    class Dead(WordSums):
        def said(self, question):
            said = super().said(question)
            return said if question in questions else Prediction(question.id, None, error="gone")

    for group in by_id(attack(tmp_path / "c", Dead(), questions)).values():
        assert all(variant.note["status"] != "found" for variant in group.variants)


def test_a_search_that_spent_its_budget_is_repeated_after_a_failure(tmp_path):
    questions = asked_about(10)
    whole = attack(tmp_path / "a", WordSums(), questions, EachAlone(), budget=6)
    texts = {group.variants[0].question.text for group in by_id(whole).values() if group.variants}
    assert attack(tmp_path / "b", WordSums(fails_once=texts), questions, EachAlone(), budget=6) == whole


def test_a_rewording_that_does_not_fool_the_model_again_is_unconfirmed(tmp_path):
    questions = asked_about(10)

    class Moody(WordSums):
        """Answers correctly when it is asked the same text again."""

        def said(self, question):
            again = self.asked.count(question.text) > 1
            return Prediction(question.id, question.answers[0]) if again else super().said(question)

    sure = by_id(attack(tmp_path / "a", WordSums(), questions, confirm=2))
    moody = by_id(attack(tmp_path / "b", Moody(), questions, confirm=2))
    notes = [(group.variants[0].note, moody[key].variants[0].note) for key, group in sure.items() if group.variants]
    found = [(one["status"], one["confirmed"], other["status"]) for one, other in notes if one["status"] != "failed"]
    assert found
    assert set(found) == {("found", 2, "unconfirmed")}


def test_the_total_budget_stops_before_it_is_exceeded_and_the_rest_resumes(tmp_path):
    model = WordSums()
    with pytest.raises(BudgetSpent, match="--max-calls 60"):
        attack(tmp_path / "a", model, asked_about(20), max_calls=60)
    assert 0 < len(model.asked) <= 60
    rest = WordSums()
    made = attack(tmp_path / "a", rest, asked_about(20))
    assert made == attack(tmp_path / "b", WordSums(), asked_about(20))
    assert not set(model.asked) & set(rest.asked)


def test_places_keep_the_words_of_the_question():
    (places,) = Listed(SWAPS).places([Question(1, None, "Is the Dog big?")])
    assert [(place.text, len(place.swaps)) for place in places] == [("Is", 0), ("the", 0), ("Dog", 4), ("big", 4)]
