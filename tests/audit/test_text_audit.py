"""Text alone: a planted shortcut is found, balanced text gives nothing away, and images are never split."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from random import Random

import numpy as np
import pytest

from askew.audit.audit_table import markdown, warnings
from askew.audit.labelled_texts import LabelledText, TextSample, texts_of_groups, texts_of_questions
from askew.audit.text_audit import audited
from askew.audit.text_classifier import STRENGTH, features, predicted, sparse
from askew.types import Expect, Group, ImageRef, Kind, Question, Variant

THINGS = ("dog", "cat", "car", "tree", "bench", "kite", "boat", "lamp", "cup", "hat")


def question(number: int, text: str, answer: str, image: int | None = None) -> Question:
    return Question(number, ImageRef(number if image is None else image), text, (answer,) * 3, Kind())


def shortcut(count: int = 400) -> list[Question]:
    """Questions with "any" are answered no nine times of ten, others yes."""
    rng, made = Random(1), []
    for number in range(count):
        word = rng.choice(("any", "a"))
        usual = "no" if word == "any" else "yes"
        answer = usual if rng.random() < 0.9 else {"no": "yes", "yes": "no"}[usual]
        made.append(question(number, f"Is there {word} {rng.choice(THINGS)}?", answer))
    return made


def balanced(count: int = 400) -> list[Question]:
    """Every text is asked about many images, with yes and with no in turn."""
    return [question(n, f"Is there a {THINGS[n // 2 % 10]}?", "yes" if n % 2 else "no") for n in range(count)]


def test_a_shortcut_is_found_with_its_rule_and_its_features():
    audit = audited(texts_of_questions(shortcut()))
    score = audit.scores[0]
    assert (score.task, score.answer_type, score.n, score.images, score.chance) == (
        "question",
        "yes/no",
        400,
        400,
        None,
    )
    assert 0.85 < score.accuracy.low < score.accuracy.value < score.accuracy.high < 0.95
    assert score.rule_accuracy == score.accuracy  # there is nothing else to learn
    assert score.rule in ('contains "any" → no, else yes', 'contains "a" → yes, else no',
                          'contains "there a" → yes, else no', 'contains "there any" → no, else yes')  # fmt: skip
    named = {found.feature for found in score.revealing[:2]}
    assert named <= {"a", "any", "there a", "there any"}
    assert all(found.feature.split()[-1] in found.example for found in score.revealing[:2])
    assert "text alone predicts" in warnings(audit)[0]
    assert "contains" in markdown(audit)


def test_text_that_occurs_as_often_with_yes_as_with_no_gives_nothing_away():
    score = audited(texts_of_questions(balanced())).scores[0]
    assert score.accuracy.value <= 0.55
    assert score.revealing == []
    assert not score.far_above
    assert 0.4 < score.new_texts.value < 0.6


def test_an_image_is_never_in_both_folds():
    """Each image has its own word and its own answer: only a split image would give the answer away."""
    made = [
        question(n, f"Is there a thing{n // 4}?", "yes" if Random(n // 4).random() < 0.5 else "no", image=n // 4)
        for n in range(800)
    ]
    assert audited(texts_of_questions(made)).scores[0].accuracy.value < 0.6
    apart = [question(q.id, q.text, q.answers[0]) for q in made]
    assert audited(texts_of_questions(apart)).scores[0].accuracy.value > 0.9


def test_samples_do_not_depend_on_the_order_and_their_size_is_reported():
    made = shortcut(300)
    shuffled = Random(2).sample(made, len(made))
    assert audited(texts_of_questions(made)) == audited(texts_of_questions(shuffled))
    some, others = (texts_of_questions(order, most=150)["", ""].questions for order in (made, shuffled))
    assert list(some) == list(others)
    assert (len(some), some.seen) == (150, 300)
    score = audited(texts_of_questions(made, most=150)).scores[0]
    assert (score.n, score.seen) == (150, 300)
    assert "150 of about 300" in markdown(audited(texts_of_questions(made, most=150)))
    assert list(texts_of_questions(made, seed=1, most=150)["", ""].questions) != list(some)


def test_an_id_counts_once_in_a_sample():
    sample = TextSample(most=3)
    for number in (1, 2, 1, 2, 1):
        sample.add(number, partial(LabelledText, number, "?", "yes", 0))
    assert (len(sample), sample.seen) == (2, 2)


def pairs(count: int = 300) -> list[Group]:
    """Variants say "at all" when the answer turns from yes to no."""
    rng, made = Random(3), []
    for n in range(count):
        thing, no = rng.choice(THINGS), rng.random() < 0.5
        original = question(n, f"Is there a {thing}?", rng.choice(("yes", "no")))
        changed = f"Is there a {thing} at all?" if no else f"Is a {thing} there?"
        variant = question(f"{n}/v", changed, "no" if no else "yes", n)
        made.append(Group(n, "mine", original, (Variant(variant, Expect.GIVEN, "T", "rule"),)))
    return made


def test_pairs_and_originals():
    audit = audited(texts_of_groups(pairs()))
    scores = {score.task: score for score in audit.scores}
    assert scores["pair"].accuracy.value == 1.0
    assert scores["original"].accuracy.value == 1.0
    assert 0.6 < scores["question"].accuracy.value < 0.9
    assert {score.suite for score in audit.scores} == {"mine"}
    assert scores["original"].revealing[0].label in ("original", "variant")
    assert audit.record()["scores"][0]["accuracy"]["low"] is not None
    counted = [replace(group, original=replace(group.original, answers=("2",))) for group in pairs()]
    assert "number" in {score.answer_type for score in audited(texts_of_groups(counted)).scores}
    short = audited(texts_of_groups(counted), open_answers=False).scores
    assert {score.answer_type for score in short} == {"yes/no", ""}


def test_too_few_questions_or_a_single_answer_are_reported():
    page = markdown(audited(texts_of_questions(shortcut(30))))
    assert "fewer than 100" in page
    assert "one answer" in markdown(audited(texts_of_questions(question(n, "Why?", "yes") for n in range(120))))
    assert "no question with an answer" in markdown(audited(texts_of_questions([Question(1, None, "Why?")])))


@pytest.mark.parametrize("classes", [2, 4])
def test_predicts_as_scikit_learn_does(classes):
    linear = pytest.importorskip("sklearn.linear_model")
    scipy = pytest.importorskip("scipy.sparse")
    rng = Random(4)
    texts = [" ".join(rng.choices(THINGS, k=4)) for _ in range(400)]
    labels = np.array([(THINGS.index(text.split()[0]) + rng.randrange(3)) % classes for text in texts])
    folds = np.arange(400) % 5
    matrix = sparse(map(features, texts))
    table = scipy.csr_matrix((matrix.value, (matrix.row, matrix.column)), shape=(400, len(matrix.names)))
    ours, theirs = predicted(matrix, labels, folds), np.zeros(400)
    for fold in range(5):
        fitted = linear.LogisticRegression(C=STRENGTH, tol=1e-8, max_iter=1000)
        fitted.fit(table[folds != fold], labels[folds != fold])
        theirs[folds == fold] = fitted.predict(table[folds == fold])
    assert (ours == theirs).mean() > 0.99


def choice(number: int, options: tuple[str, ...], correct: str) -> Question:
    return Question(number, ImageRef(number), f"What is {THINGS[number % 10]}?", (correct,), choices=options)


def options_scores(questions: list[Question]) -> dict[str, object]:
    return {score.task: score for score in audited(texts_of_questions(questions)).scores}


def test_an_option_that_its_text_gives_away_is_predicted_against_one_in_n():
    """Correct ones say "of course" three times of four; their places are drawn, so the letters say nothing."""
    made, rng = [], Random(3)
    for number in range(400):
        options = [f"{THINGS[(number + k) % 10]} {k}" for k in (1, 3, 5, 7)]
        place = rng.randrange(4)
        if number % 16 >= 4:
            options[place] += " of course"
        made.append(choice(number, tuple(options), options[place]))
    scores = options_scores(made)
    assert scores["question"].answer_type == scores["letter"].answer_type == "choice"
    assert scores["question"].chance == scores["letter"].chance == 0.25
    assert scores["question"].accuracy.low > 0.6
    assert scores["letter"].accuracy.value < 0.35
    (said,) = warnings(audited(texts_of_questions(made)))
    assert "of the correct options (one in n: 25.0 %)" in said
    assert "| all | choice | 400 |" in markdown(audited(texts_of_questions(made)))


def test_a_letter_that_is_mostly_correct_is_found_and_numbers_of_options_may_differ():
    made, rng = [], Random(2)
    for number in range(300):
        options = tuple(rng.sample(THINGS, 3 if number % 2 else 5))
        made.append(choice(number, options, options[2 if rng.random() < 0.8 else 0]))
    scores = options_scores(made)
    assert scores["letter"].chance == pytest.approx((1 / 3 + 1 / 5) / 2, abs=0.001)
    assert scores["letter"].accuracy.value == pytest.approx(0.8, abs=0.07)
    assert scores["letter"].majority == pytest.approx(0.8, abs=0.07)
    assert scores["question"].accuracy.value < 0.4


def test_yes_and_no_as_options_count_as_yes_and_no_and_wrong_labels_do_not_count():
    made = [choice(n, ("Yes", "No"), "Yes" if n % 2 else "No") for n in range(120)]
    assert {score.answer_type for score in audited(texts_of_questions(made)).scores} == {"yes/no"}
    wrong = [choice(n, ("red", "blue"), "green") for n in range(120)]
    assert {score.n for score in audited(texts_of_questions(wrong)).scores} == {0}


def test_a_changed_image_counts_to_the_image_of_its_original():
    """Twenty variants each with an image of its own and the words of the original: copies fell into both folds."""
    rng, made = Random(5), []
    for n in range(40):
        answer = "yes" if rng.random() < 0.5 else "no"
        original = question(n, f"Is there a thing{n}?", answer)
        variants = tuple(
            Variant(question(f"{n}/{k}", original.text, answer, 1000 * n + k), Expect.SAME, "VISUAL", "rule")
            for k in range(20)
        )
        made.append(Group(n, "visual", original, variants))
    score = next(one for one in audited(texts_of_groups(made)).scores if one.task == "question")
    assert score.images == 40
    assert score.accuracy.value < 0.65  # it was 1.0
    assert not score.far_above


def test_text_is_compared_with_the_majority_and_not_with_half():
    """Nine answers of ten are no, and the words say nothing: 90 % is no shortcut."""
    rng = Random(6)
    made = [question(n, f"Is there a {rng.choice(THINGS)}?", "yes" if rng.random() < 0.1 else "no") for n in range(500)]
    score = audited(texts_of_questions(made)).scores[0]
    assert score.accuracy.low > 0.85
    assert not score.far_above
    assert warnings(audited(texts_of_questions(made))) == []


def test_equal_texts_with_both_answers_are_below_the_majority_and_even_with_new_texts():
    made = []
    for n in range(300):
        text = f"Is the {THINGS[n % 10]} near the {THINGS[n // 10 % 10]} in place {n}?"
        made += [question(2 * n, text, "yes"), question(2 * n + 1, text, "no")]
    audit = audited(texts_of_questions(made))
    score = audit.scores[0]
    assert score.accuracy.value < 0.3
    assert score.far_below
    assert 0.4 < score.new_texts.value < 0.6
    assert 0.4 < score.nearest.value < 0.6
    (said,) = warnings(audit)
    assert "predicts only" in said
    assert "with folds by text" in said


def test_the_nearest_text_gives_away_what_rare_words_do():
    """Each object has an answer of its own, and other words differ: one rare word decides."""
    made, rng = [], Random(7)
    for n in range(240):
        thing = n % 60
        made.append(
            question(n, f"Is the thing{thing} {rng.choice(THINGS)} {rng.choice(THINGS)}?", ("yes", "no")[thing % 2])
        )
    score = audited(texts_of_questions(made)).scores[0]
    assert score.nearest.value > 0.9


def test_pairs_of_opposites_are_balanced_for_words_but_not_for_the_nearest_text():
    """Its opposite about another image: the question itself occurs as often with yes as with no."""
    made = [
        question(4 * place + number, f"Is there {word} thing{place}?", answer, image=2 * place + number % 2)
        for place in range(80)
        for number, (word, answer) in enumerate((("a", "yes"), ("no", "yes"), ("no", "no"), ("a", "no")))
    ]
    audit = audited(texts_of_questions(made))
    assert audit.scores[0].nearest.value > 0.9
    assert ["similar text about another image has the right answer" in line for line in warnings(audit)] == [True]


def test_the_usual_answer_to_other_questions_gives_variants_away():
    """Vases are blue and cars red in four images of five; a variant asks for the other colour as often."""
    rng, made = Random(8), []
    for n in range(400):
        thing, usual, other = ("vase", "blue", "red") if n % 2 else ("car", "red", "blue")
        answer = usual if rng.random() < 0.8 else other
        asked = rng.choice((usual, other))
        original = question(n, f"What color is the {thing}?", answer)
        variant = question(f"{n}/v", f"Is the color of the {thing} {asked}?", "yes" if asked == answer else "no", n)
        made.append(Group(n, "rad", original, (Variant(variant, Expect.GIVEN, "C", "rule"),)))
    audit = audited(texts_of_groups(made))
    (score,) = (one for one in audit.scores if one.task == "prior")
    assert score.n == 400
    assert 0.7 < score.accuracy.value < 0.9
    assert score.far_above
    assert "usual answers to the original questions" in "".join(warnings(audit))
    assert "without its labels" in markdown(audit)


def test_texts_that_say_nothing_are_not_called_far_above():
    """Twenty draws with answers that do not depend on the words: none may be called a shortcut."""
    called = 0
    for seed in range(20):
        rng = Random(seed)
        made = [
            question(n, f"Is the {rng.choice(THINGS)} {rng.choice(THINGS)}?", rng.choice(("yes", "yes", "no")), n // 3)
            for n in range(150)
        ]
        called += audited(texts_of_questions(made)).scores[0].far_above
    assert called == 0
