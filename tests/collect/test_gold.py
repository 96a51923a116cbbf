"""Gold questions: mixed into the queue, indistinguishable, counted nowhere; enough strikes exclude a person."""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from dataclasses import replace

import pytest
import sqlalchemy as sa
from small_study import SMALL, SmallStudy, tiny_images

from askew.audit.label_sample import label_noise
from askew.cli import main
from askew.collect.freeze import freeze, preview_freeze
from askew.collect.gold import answer_gold, gold_count, gold_rate, is_careless, set_gold_state, strikes_allowed
from askew.collect.history import history
from askew.collect.moderation import exclude
from askew.collect.prepared_items import add_gold, add_gold_file, promote_gold
from askew.collect.protocol import Gone, NotAllowed, Refused, StudySettings, settings_of
from askew.collect.rounds import round_counts
from askew.collect.schema import annotator, event, gold_item, gold_result, image, question
from askew.collect.verify_queue import (
    REASONS,
    answer_task,
    claim_task,
    extend_task,
    held_reference,
    open_task,
    skip_task,
)
from askew.collect.verifying import claim_slot
from askew.collect.writing import claim_image
from askew.errors import BadOption, DataError
from askew.types import ImageRef, Question

ALWAYS = replace(SMALL, gold_first_percent=100, gold_least_percent=100)


def opened(tmp_path, url=None, settings=SMALL, **options) -> SmallStudy:
    """A study that is closed when the test ends."""
    OPEN.append(SmallStudy.make(tmp_path / "study", url, settings, **options))
    return OPEN[-1]


def gold_study(tmp_path, url=None, settings=ALWAYS, golds=6, **options) -> SmallStudy:
    """A study with one question to verify and some gold ones, whose answer is "red"."""
    made = opened(tmp_path, url, settings, **options)
    file = tmp_path / "gold.jsonl"
    paths = tiny_images(tmp_path / "gold-files", 50 + golds)[50:]
    lines = [
        {"image": f"gold-files/{path.name}", "question": f"What color is {n}?", "answers": ["Red", "the red one"]}
        for n, path in enumerate(paths)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert add_gold_file(made.study, file).added == golds
    assert add_gold_file(made.study, file).added == 0
    made.attack(made.people[0])
    return made


OPEN: list[SmallStudy] = []


@pytest.fixture(autouse=True)
def _closed():
    yield
    while OPEN:
        OPEN.pop().close()


@pytest.fixture
def golden(tmp_path):
    return gold_study(tmp_path)


def test_gold_is_held_answered_once_and_scored(tmp_path, database_url):
    golden = gold_study(tmp_path, database_url)
    person = golden.people[1]
    task = golden.do(claim_task, person)
    assert task.reference.startswith("g ")
    assert (
        golden.do(claim_task, person).reference == task.reference == golden.look(lambda tx: held_reference(tx, person))
    )
    before = golden.look(lambda tx: open_task(tx, person, task.reference)).lease_until
    assert golden.do(extend_task, person, task.reference) > before
    with pytest.raises(NotAllowed):
        golden.do(answer_task, golden.people[2], task.reference, "red", "yes")
    with pytest.raises(Refused):
        golden.do(answer_task, person, task.reference, "", "yes")
    with pytest.raises(Refused):
        golden.do(answer_task, person, task.reference, "red", "perhaps")
    done = golden.do(answer_task, person, task.reference, "A red one.", "maybe")
    assert (done.late, done.excluded) == (False, False)
    assert golden.look(lambda tx: gold_count(tx, person)).right == 1
    with pytest.raises(Gone, match="already"):
        golden.do(answer_task, person, task.reference, "blue", "yes")
    row = golden.look(lambda tx: tx.first(sa.select(gold_result)))
    assert (row.answer, row.confidence, row.passed) == ("A red one.", "maybe", True)
    golden.check()


def test_four_wrong_answers_and_no_correct_one_exclude(golden):
    """The person's earlier work opens again, and no further task is given."""
    person = golden.people[1]
    slot = golden.do(claim_slot, person)
    golden.do(answer_task, person, f"q {slot.question_id}", "no", "yes")
    golden.attack(golden.people[2], "How many?")
    for strike in range(1, 5):
        task = golden.do(claim_task, person)
        assert task.reference.startswith("g ")
        assert golden.do(answer_task, person, task.reference, "blue", "yes").excluded == (strike == 4)
    with pytest.raises(NotAllowed):
        golden.do(claim_task, person)
    row = golden.look(lambda tx: tx.first(sa.select(annotator).where(annotator.c.id == person)))
    assert row.excluded_reason == "gold questions: 4 of 4 answers wrong"
    assert golden.look(lambda tx: tx.value(sa.select(question.c.done).where(question.c.id == slot.question_id))) == 0
    golden.check()


def test_owners_and_studies_that_say_so_are_not_excluded(tmp_path):
    made = gold_study(tmp_path, settings=replace(ALWAYS, gold_excludes=False))
    for person in (made.owner, made.people[1]):
        for _ in range(6):
            task = made.do(claim_task, person)
            assert not made.do(answer_task, person, task.reference, "blue", "yes").excluded
    made = gold_study(tmp_path / "other")
    for _ in range(6):
        task = made.do(claim_task, made.owner)
        assert not made.do(answer_task, made.owner, task.reference, "blue", "yes").excluded


def test_gold_changes_neither_counts_nor_types(golden):
    """Types, splits, counts and the hash of a round are the same with and without gold answers (invariant 18)."""

    def seen(tx):
        frozen = preview_freeze(tx, golden.round_id, 1)
        return frozen, round_counts(tx, golden.round_id), list(history(tx, [golden.round_id]))

    before = golden.look(seen)
    for person in golden.people[1:]:
        for _ in range(3):
            task = golden.do(claim_task, person)
            assert task.reference.startswith("g ")
            golden.do(answer_task, person, task.reference, "red", "yes")
    assert golden.look(seen) == before
    golden.check()


def test_gold_comes_only_while_there_is_real_work(tmp_path):
    made = gold_study(tmp_path)
    made.verify_all()
    assert made.do(claim_task, made.people[1]) is None


def test_skipping_gold(golden):
    """A skipped gold question does not come back; two flags retire it, as they do with other questions."""
    first = golden.look(lambda tx: tx.value(sa.select(sa.func.min(gold_item.c.id))))
    for n, reason in enumerate(("cannot see the image", "offensive or private", "offensive or private")):
        person = golden.people[1 + n]
        while (task := golden.do(claim_task, person)).reference != f"g {first}":
            golden.do(answer_task, person, task.reference, "red", "yes")
        with pytest.raises(Refused, match="one of these reasons"):
            golden.do(skip_task, person, task.reference, "bored")
        golden.do(skip_task, person, task.reference, reason)
        with pytest.raises(Gone, match="skipped"):
            golden.do(answer_task, person, task.reference, "red", "yes")
    states = golden.look(lambda tx: {row.id: row.state for row in tx.rows(sa.select(gold_item))})
    assert states.pop(first) == "RETIRED"
    assert set(states.values()) == {"ACTIVE"}
    golden.check()


def test_skipping_gold_has_the_same_effects_as_skipping_a_real_question(golden):
    person = golden.people[1]
    slot = golden.do(claim_slot, person)
    golden.do(skip_task, person, f"q {slot.question_id}", REASONS[-1])
    flags = golden.look(lambda tx: tx.rows(sa.text("SELECT image_id, question_id FROM flag")))
    assert [tuple(row) for row in flags] == [(slot.image_id, None)]


def test_a_void_gold_question_does_not_count(golden):
    person = golden.people[1]
    task = golden.do(claim_task, person)
    golden.do(answer_task, person, task.reference, "blue", "yes")
    assert golden.look(lambda tx: gold_count(tx, person)).wrong == 1
    held = golden.do(claim_task, person).reference
    for reference in (task.reference, held):
        golden.do(set_gold_state, int(reference.split()[1]), "VOID")
    assert golden.look(lambda tx: gold_count(tx, person)).answered == 0
    with pytest.raises(Gone):
        golden.do(answer_task, person, held, "red", "yes")
    assert golden.do(claim_task, person).reference not in (held, task.reference)
    with pytest.raises(Refused):
        golden.do(set_gold_state, 999, "VOID")
    golden.check()


def test_promoted_questions(tmp_path, database_url):
    """Only unanimous ones; nobody gets a question that they wrote or verified, or whose image they may write about."""
    made = opened(tmp_path, database_url, replace(ALWAYS, writers_per_image=2), images=4)
    author, *others = made.people
    made.attack(author)
    made.verify_all("no")
    assert made.do(promote_gold).added == 1
    assert made.do(promote_gold).added == 0
    assert made.do(promote_gold, question_ids=[1, 77]).left_out == [
        "question 77: it is not verified, or not everybody agreed",
        "question 1: it is a gold question already",
    ]
    made.attack(author, "How many?")
    kinds = {}
    for person in reversed(made.people):
        task = made.do(claim_task, person)
        kinds[person] = task.reference[0] if task else None
        if task and task.reference.startswith("g"):
            assert (task.text, made.do(answer_task, person, task.reference, "No.", "yes").excluded) == (
                "Is it red?",
                False,
            )
    assert kinds[author] is None
    assert Counter(kinds.values()) == {"g": 3, "q": 2, None: 1}
    seen = made.look(lambda tx: tx.value(sa.select(image.c.id).order_by(image.c.id).limit(1)))
    for person in others:
        assert made.do(claim_image, person).image_id != seen
    made.check()


def test_a_promoted_question_that_opens_again_is_not_shown(tmp_path):
    made = opened(tmp_path, settings=ALWAYS, images=4)
    made.attack(made.people[0])
    made.verify_all("no")
    made.do(promote_gold)
    made.attack(made.people[0], "How many?")
    held = made.do(claim_task, made.people[4])
    assert held.reference == "g 1"
    verifier = made.look(lambda tx: tx.value(sa.text("SELECT MIN(annotator_id) FROM verification")))
    made.do(exclude, verifier, "test")
    assert made.do(claim_task, made.people[4]).reference == "q 2"
    made.check()


def test_bad_files_add_nothing(tmp_path):
    made = opened(tmp_path)
    tiny_images(tmp_path / "files", 1)
    good = '{"image": "files/0.png", "question": "What?", "answers": ["a"]}\n'
    bad = {
        "not json": "not a JSON object",
        "[1]": "not a JSON object",
        '{"question": "What?", "answers": ["a"]}': "'image' must be a text",
        '{"image": "missing.png", "question": "What?", "answers": ["a"]}': "missing.png",
        '{"image": "files/0.png", "question": "What?", "answers": "a"}': "must be a list",
        '{"image": "files/0.png", "question": "What?", "answers": []}': "at least one answer",
        '{"image": "files/0.png", "question": "", "answers": ["a"]}': "'question' must be a text",
        '{"image": "files/0.png", "question": "' + "x" * 200 + '", "answers": ["a"]}': "1 to 120 characters",
    }
    for line, message in bad.items():
        (tmp_path / "gold.jsonl").write_text(good + line + "\n")
        with pytest.raises(DataError, match="line 2") as caught:
            add_gold_file(made.study, tmp_path / "gold.jsonl")
        assert message in str(caught.value)
    assert made.look(lambda tx: tx.first(sa.select(gold_item))) is None


def test_the_rate_falls_to_its_minimum_and_draws_are_reproducible(tmp_path):
    paper = StudySettings()
    rates = [gold_rate(right, 0, paper) for right in range(200)]
    assert rates[0] == 0.5
    assert rates == sorted(rates, reverse=True)
    assert rates[-1] == 0.05
    assert gold_rate(10, 5, paper) == 0.5
    made = gold_study(tmp_path, settings=replace(SMALL, gold_first_percent=50), golds=20)
    kinds = []
    for _ in range(12):
        task = made.do(claim_task, made.people[1])
        kinds.append(task.reference[0])
        if kinds[-1] == "g":
            made.do(answer_task, made.people[1], task.reference, "red", "yes")
        else:
            break
    assert kinds == ["g"] * (len(kinds) - 1) + ["q"]


def test_few_good_people_are_excluded():
    """Exact, over all sequences: of people who are 85 % correct, at most 2 % are excluded in 300 gold questions."""
    paper = StudySettings()
    alive, lost = {(0, 0): 1.0}, 0.0
    for _ in range(300):
        after: dict[tuple[int, int], float] = {}
        for (right, wrong), share in alive.items():
            for key, chance in (((right + 1, wrong), 0.85), ((right, wrong + 1), 0.15)):
                if is_careless(*key, paper):
                    lost += share * chance
                else:
                    after[key] = after.get(key, 0.0) + share * chance
        alive = after
    assert math.isclose(lost + sum(alive.values()), 1.0, rel_tol=1e-9)
    assert 0.005 < lost <= 0.02
    assert strikes_allowed(0, paper) == 3


def people_like(accuracy: float, count: int, items: int, rng: random.Random) -> tuple[int, float]:
    """The number of people excluded within this many items, and the mean number of gold questions they saw."""
    paper = StudySettings()
    excluded = golds = 0
    for _ in range(count):
        right = wrong = 0
        for _ in range(items):
            if rng.random() < gold_rate(right, wrong, paper):
                right, wrong = (right + 1, wrong) if rng.random() < accuracy else (right, wrong + 1)
                if is_careless(right, wrong, paper):
                    excluded += 1
                    break
        golds += right + wrong
    return excluded, golds / count


def test_the_rule_finds_careless_people_within_forty_items():
    rng = random.Random(1)
    for accuracy in (0.0, 0.1, 0.2, 0.3):
        assert people_like(accuracy, 1000, 40, rng)[0] >= 950, accuracy
    assert people_like(0.85, 2000, 40, rng)[0] <= 40


def test_settings_of_gold_are_checked():
    for changes in ({"gold_bad_percent": "90"}, {"gold_first_percent": "101"}, {"gold_least_percent": "60"}):
        with pytest.raises(BadOption):
            settings_of("paper", changes)
    assert settings_of("paper", {"gold_first_percent": "0", "gold_least_percent": "0"}).gold_first_percent == 0


def test_gold_of_a_study_without_a_working_round_cannot_be_answered(tmp_path):
    made = gold_study(tmp_path)
    task = made.do(claim_task, made.people[1])
    made.do(lambda tx: tx.execute(sa.text("UPDATE round SET state = 'DRAINING'")))
    made.do(freeze, made.round_id, 1, drop_incomplete=True)
    with pytest.raises(Gone, match="round is over"):
        made.do(answer_gold, made.people[1], int(task.reference.split()[1]), "red", "yes")
    assert made.look(lambda tx: tx.first(sa.select(event.c.id).where(event.c.kind == "gold.added"))) is not None
    assert made.do(add_gold, ("0" * 64, ".png"), "What?", ["a"]) is not None


def test_results_of_an_audited_sample_become_label_noise(tmp_path, capsys):
    """Two people confirm the label of one question and contradict another's; the third question has no id."""
    made = opened(tmp_path, settings=ALWAYS)
    file, paths = tmp_path / "sample.jsonl", tiny_images(tmp_path / "gold-files", 53)[50:]
    lines = [
        {"image": f"gold-files/{path.name}", "question": f"Is it {n}?", "answers": ["yes"]}
        | ({"id": n} if n < 2 else {})
        for n, path in enumerate(paths)
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert add_gold_file(made.study, file).added == 3
    made.attack(made.people[0])
    for person in made.people[1:3]:
        for _ in lines:
            task = made.do(claim_task, person)
            made.do(answer_task, person, task.reference, "no" if task.text == "Is it 1?" else "yes", "yes")
    results = tmp_path / "judged.csv"
    assert main(["collect", "gold", str(tmp_path / "study"), "--results", str(results)]) == 0
    assert "Results: " in capsys.readouterr().out
    asked = [Question(n, ImageRef(n), f"Is it {n}?", ("yes",)) for n in range(2)]
    (noise,) = label_noise(asked, [results])
    assert (noise.right, noise.wrong, noise.unclear, noise.share.value) == (1, 1, 0, 0.5)
    results.write_text(results.read_text().replace(",2,0", ",two,0"))
    with pytest.raises(DataError, match="must be numbers of people"):
        label_noise(asked, [results])
