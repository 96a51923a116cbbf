"""The RAD perturbation as a whole: the paper's examples, the laws, the draw."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.errors import BadOption
from askew.perturb.rad import RadPerturbation, fit
from askew.perturb.rad.balanced_draws import AskedState, balanced_draws
from askew.perturb.rad.yes_no_template import CannotAsk
from askew.perturb.vary_dataset import vary_all
from askew.types import Expect, Group, ImageRef, Kind, Question, Refusal, Variant


def question(text, *answers, number=1):
    return Question(number, ImageRef(number), text, answers if len(answers) > 1 else answers * 10)


DATA = [
    question(text, answer, number=number)
    for number, (text, answer) in enumerate(
        [
            *[("What color is the cat?", color) for color in ["red"] * 3 + ["white"] * 2 + ["blue", "grey", "silver"]],
            *[("How many dogs?", count) for count in ["0", "1", "1", "2", "2", "2", "3", "five", "20"]],
            *[("What kind of animal is this?", kind) for kind in ["cow", "elephant", "dog", "puppy", "animal"]],
            *[("What kind of food is this?", kind) for kind in ["breakfast", "lunch", "sandwich", "pizza"]],
            *[("What kind of building is this?", kind) for kind in ["church", "barn"]],
            *[("What kind of event is this?", kind) for kind in ["skiing", "horse racing"]],
            *[("What kind of floor is this?", kind) for kind in ["wood", "tile"]],
        ]
    )
]
RAD = fit(DATA)
YES = fit(DATA, yes=1.0)
NO = fit(DATA, yes=0.0)
PAPER = fit(DATA, yes=0.0, balance="paper")


def only(perturbation, asked, seed=0):
    (made,) = perturbation.vary(asked, Random(seed))
    return made


# Rosenberg et al. 2021, Table 6: the originals whose augmentation keeps the answer.
TABLE_6 = [
    ("What color is the cat?", "white", "Is the color of the cat white?"),
    ("What color is the court?", "green", "Is the color of the court green?"),
    ("What color is the man's hat?", "red", "Is the color of the man's hat red?"),
    ("What color is the sky?", "blue", "Is the color of the sky blue?"),
    ("How many athletes are on the field?", "5", "Are there five athletes on the field?"),
    ("What kind of food is this?", "breakfast", "Is this food breakfast?"),
    ("What kind of event is this?", "skiing", "Is this a skiing event?"),
    ("What kind of building is this?", "church", "Is this building a church?"),
    ("What kind of floor is this?", "wood", "Is this a wood floor?"),
]
# ... and those whose augmentation draws another answer.
TABLE_6_DRAWN = [
    ("What color is the vase?", "blue", "red", "Is the color of the vase red?"),
    ("How many dogs are in the picture?", "3", "2", "Are there two dogs in the picture?"),
    ("How many giraffes are walking around?", "2", "4", "Are there four giraffes walking around?"),
    ("How many cakes are on the table?", "0", "1", "Is there one cake on the table?"),
    ("How many dogs?", "1", "0", "Are there zero dogs?"),
    ("What kind of animal is this?", "cow", "elephant", "Is this animal an elephant?"),
]


@pytest.mark.parametrize(("text", "answer", "asked"), TABLE_6)
def test_the_papers_examples_answered_yes(text, answer, asked):
    variant = only(YES, question(text, answer))
    assert variant.question.text == asked
    assert variant.question.answers == ("yes",) * 10


@pytest.mark.parametrize(("text", "answer", "drawn", "asked"), TABLE_6_DRAWN)
def test_the_papers_examples_answered_no(text, answer, drawn, asked):
    both = fit([question(text, answer), question(text, drawn, number=2)], yes=0.0)
    variant = only(both, question(text, answer))
    assert variant.question.text == asked
    assert variant.question.answers == ("no",) * 10
    assert variant.note == {"answer": answer, "drawn": drawn, "yes": False}


def chances(perturbation, asked):
    """The answers that a "no" would be drawn from, with their probabilities; empty if the question is refused."""
    template = next(template for template in perturbation.templates if template.matches(asked.text))
    try:
        *_, wrong = perturbation._sides(template, asked)
    except CannotAsk:
        return {}
    return {answer: count / wrong.total for answer, count in wrong.counts}


def test_a_variant_says_what_it_is():
    variant = only(YES, question("How many dogs are there?", "2"))
    assert variant.question.id == "1/rad"
    assert variant.question.kind == Kind("yes/no", "are there")
    assert (variant.expect, variant.test, variant.made_by) == (Expect.GIVEN, "Y/N←HM", "rad/how-many/bare")


def test_the_answer_of_each_annotator_follows_from_the_original():
    said = ("2", "2", "two", "1", "lots", "2 or 3")
    assert only(YES, question("How many dogs?", *said)).question.answers == ("yes", "yes", "yes", "no")
    assert only(NO, question("How many dogs?", *said)).question.answers == ("no",) * 4
    colors = ("red", "red", "white", "pinkish")
    assert only(YES, question("What color is the cat?", *colors)).question.answers == ("yes", "yes", "no")
    kinds = ("cow", "cow", "brown", "dog")  # a cow may be brown
    assert only(YES, question("What kind of animal is this?", *kinds)).question.answers == ("yes", "yes", "no")


def test_a_yes_that_most_annotators_contradict_is_refused():
    asked = question("How many dogs?", "2", "2", "2", "2", "1", "1", "1", "3", "3", "3")
    for seed in range(5):
        assert only(RAD, asked, seed).reason == "fewer than half of the people would say yes"


def test_other_questions_give_no_variant():
    for text in ("Is the cat red?", "What colors are there?", "What is the color of the cat?", "Why?", ""):
        assert list(RAD.vary(question(text, "red"), Random(0))) == []


def test_the_pool_is_the_modal_answers_of_the_template():
    assert RAD.pools["color"].counts == (("red", 3), ("white", 2), ("blue", 1), ("grey", 1), ("silver", 1))
    assert dict(RAD.pools["how-many"].counts) == {"2": 3, "1": 2, "0": 1, "3": 1, "5": 1, "20": 1}


def test_draws_of_the_paper_are_weighted_by_frequency():
    # Given "blue": red 3, white 2, grey 1, silver 1 of 7.
    asked = question("What color is the cat?", "blue")
    assert chances(PAPER, asked) == {"red": 3 / 7, "white": 2 / 7, "grey": 1 / 7, "silver": 1 / 7}
    drawn = Counter(only(PAPER, asked, seed).note["drawn"] for seed in range(1400))
    # Standard deviations are below 19 of 1400 draws.
    assert abs(drawn["red"] - 600) < 75
    assert abs(drawn["white"] - 400) < 75
    assert abs(drawn["grey"] - 200) < 75


def test_about_half_are_yes():
    asked = question("What color is the cat?", "blue")
    yes = sum(only(fit(DATA, balance="paper"), asked, seed).note["yes"] for seed in range(1000))
    assert 420 < yes < 580


def noisy_counts(number):
    """Two is correct in half of the questions, and people who count one or three often say two."""
    rng = Random(5)
    for place in range(number):
        right = rng.choice("22222111133")
        noun = rng.choice(("dogs", "cups"))
        near = tuple("2" if rng.random() < 0.2 else right for _ in range(4))
        yield question(f"How many {noun} are there?", *(right,) * 6, *near, number=place)


def test_each_answer_is_correct_and_wrong_equally_often():
    asked = list(noisy_counts(1500))

    def shares_of_yes(balance):
        counts = Counter()
        for _, (variant,) in made(fit(asked, balance=balance), asked).items():
            counts[variant.note["drawn"], variant.note["yes"]] += 1
        return {value: counts[value, True] / (counts[value, True] + counts[value, False]) for value in "123"}

    assert all(0.43 < share < 0.57 for share in shares_of_yes("text").values())
    paper = shares_of_yes("paper")
    assert paper["2"] > 0.6
    assert paper["3"] < 0.45


def test_an_answer_that_is_never_correct_in_the_data_can_be_drawn():
    asked = question("How many dogs?", "77")
    assert 40 < sum(only(RAD, asked, seed).note["yes"] for seed in range(120)) < 80


def test_exact_numbers_can_be_asked_about():
    exact = fit(DATA, yes=1.0, exactly=True)
    assert only(exact, question("How many dogs are there?", "2")).question.text == "Are there exactly two dogs?"
    assert only(exact, question("How many dogs are there?", "1")).question.text == "Is there exactly one dog?"
    assert only(exact, question("What color is the cat?", "red")).question.text == "Is the color of the cat red?"


def test_never_draws_an_answer_that_anybody_gave():
    asked = question("What color is the cat?", "blue", "blue", "blue", "red and black", "Grey")
    # red is named, grey is given, silver is near grey; white is near grey too.
    assert chances(NO, asked) == {}
    assert only(NO, asked).reason == "no other answer to draw"


def test_five_is_5_and_twenty_is_about_18():
    assert "5" not in chances(NO, question("How many dogs?", "2", "2", "2", "five"))
    assert "20" not in chances(NO, question("How many dogs?", "2", "2", "2", "18"))
    assert "20" in chances(NO, question("How many dogs?", "2", "2", "2", "3"))


def test_hypernyms_of_the_answer_are_never_drawn():
    assert set(chances(NO, question("What kind of animal is this?", "cow"))) == {"elephant", "dog", "puppy"}
    assert set(chances(NO, question("What kind of animal is this?", "puppy"))) == {"cow", "elephant"}


def test_a_kind_without_other_answers_draws_from_its_family_then_from_usual_answers_or_is_refused():
    assert set(chances(NO, question("What kind of creature is this?", "cat"))) == {"cow", "elephant", "dog", "puppy"}
    assert set(chances(NO, question("What kind of pet is this?", "cat"))) == {"dog", "rabbit", "horse", "bird"}
    birds = set(chances(NO, question("What kind of bird is this?", "pigeon")))
    assert birds == {"parrot", "duck", "owl", "seagull", "chicken", "ostrich", "eagle"}
    assert set(chances(NO, question("What kind of water is this?", "sea"))) == {"river"}
    for noun, kind in (("toothpaste", "mint"), ("water", "lake"), ("pizza", "cheese")):
        refusal = only(NO, question(f"What kind of {noun} is this?", kind))
        assert refusal.reason == "no other answer to draw"


@pytest.mark.parametrize(
    ("asked", "reason"),
    [
        (question("What color is the cat?", "red", "red", "blue", "blue"), "two answers are equally frequent"),
        (question("What color is the cat?", "red", "red", *"abcdefgh"), "people do not agree on the answer"),
        (question("What color is the cat?", "red and white"), "the answer is not one colour"),
        (question("What color is the cat?", "plaid"), "the answer is not one colour"),
        (question("How many dogs?", "many"), "the answer is not a number"),
        (question("What kind of animal is this?", "not sure"), "the answer does not name one kind"),
        (Question(1, None, "What color is the cat?"), "no answers"),
    ],
)
def test_refusals_have_reasons(asked, reason):
    refusal = only(RAD, asked)
    assert isinstance(refusal, Refusal)
    assert refusal.question_id == 1
    assert refusal.reason == reason


def test_refusals_do_not_depend_on_chance():
    asked = question("What color is the cat?", "blue", "blue", "blue", "red and black", "Grey")
    assert {only(RAD, asked, seed).reason for seed in range(20)} == {"no other answer to draw"}


def test_agreement_can_be_asked_for():
    asked = question("What color is the cat?", "red", "red", "blue")
    assert isinstance(only(fit(DATA, agreement=0.7), asked), Refusal)
    assert isinstance(only(fit(DATA, agreement=0.6), asked), Variant)


@pytest.mark.parametrize("options", [{"yes": 1.5}, {"yes": -0.1}, {"agreement": 2.0}])
def test_shares_must_be_between_0_and_1(options):
    with pytest.raises(BadOption, match="Give a share between 0 and 1"):
        fit([], **options)
    with pytest.raises(BadOption, match="Give text or paper"):
        fit([], balance="words")


def test_an_unfitted_perturbation_draws_nothing():
    assert only(RadPerturbation(), question("How many dogs?", "2")).reason == "no other answer to draw"


def test_repr_leaves_the_pool_out():
    assert fit(DATA[:3]).pools != RAD.pools
    assert (
        repr(fit(DATA[:3]))
        == repr(RAD)
        == "RadPerturbation(yes=0.5, agreement=0.3, extensions=False, exactly=False, balance='text')"
    )


def made(perturbation, questions, seed=0, **options):
    items = vary_all(perturbation, questions, seed, "rad", **options)
    return {item.id: item.variants for item in items if isinstance(item, Group)}


def test_same_seed_same_variants_in_any_order_subset_and_chunk():
    whole = made(RAD, DATA)
    assert made(RAD, DATA[::-1]) == whole
    assert made(RAD, DATA, chunk=3) == whole
    part = made(RAD, DATA[::2])
    assert part == {number: whole[number] for number in part}
    assert made(RAD, DATA, seed=1) != whole


def test_originals_all_keeps_what_no_template_changes():
    other = question("Is this a cat?", "yes", number=99)
    assert 99 not in made(RAD, [*DATA, other])
    assert made(RAD, [*DATA, other], originals="all")[99] == ()


def test_prepare_changes_nothing_but_speed():
    asked = DATA[8]
    before = only(RAD, asked, 7)
    RAD.prepare(DATA)
    assert only(RAD, asked, 7) == before


@pytest.fixture(scope="module")
def items(real_data):
    from askew.data.benchmarks.vqa import Vqa

    questions = list(Vqa(str(real_data("vqa2_dev"))).questions())
    return list(vary_all(fit(questions), questions, 0, "rad"))


def test_laws_on_real_questions(items):
    groups = [item for item in items if isinstance(item, Group)]
    for group in groups:
        (variant,) = group.variants
        text, note = variant.question.text, variant.note
        assert text != group.original.text
        assert text.endswith("?")
        assert "  " not in text
        yes = variant.question.answers.count("yes")
        assert 2 * yes > len(variant.question.answers) if note["yes"] else yes == 0
        assert note["yes"] == (note["answer"] == note["drawn"])
        if not note["yes"]:
            assert note["drawn"] not in group.original.answers
    assert all(item.reason for item in items if isinstance(item, Refusal))
    yes = sum(group.variants[0].note["yes"] for group in groups)
    assert 0.46 < yes / len(groups) < 0.54


def test_covers_most_of_what_it_matches_on_real_questions(items):
    made = Counter(item.variants[0].test for item in items if isinstance(item, Group))
    refused = Counter(item.test for item in items if isinstance(item, Refusal))
    for test, least in {"Y/N←C": 0.75, "Y/N←HM": 0.65, "Y/N←WK": 0.2}.items():
        assert made[test] / (made[test] + refused[test]) > least


WORDS = [
    "dogs",
    "people",
    "the",
    "of",
    "are",
    "is",
    "that",
    "have",
    "can",
    "you",
    "see",
    "n't",
    "'s",
    ",",
    "?",
    "and",
    "é",
    "😀",
]


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["How many ", "What color is the ", "What kind of ", "What color are the "]),
    st.lists(st.sampled_from(WORDS), max_size=6),
    st.sampled_from(["?", "", " is this?", " are these?"]),
)
def test_any_text_gives_a_question_or_a_reason(start, middle, end):
    asked = question(start + " ".join(middle) + end, "2")
    for item in fit([*DATA, asked], extensions=True).vary(asked, Random(0)):
        if isinstance(item, Variant):
            assert item.question.text != asked.text
            assert item.question.text.count("?") == 1
        else:
            assert item.reason


def test_a_question_with_one_known_answer_has_no_wrong_one_to_balance():
    """All questions about a noun with the same answer once divided by zero."""
    draws = balanced_draws([AskedState("white", ["white"], 5.0)], {"white": 1.0}, 0.5)
    assert not draws.wrong.without("white".__eq__).counts
