"""The three perturbations of VQA P2 together."""

import pickle
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from askew.errors import BadOption
from askew.language.paraphrases import reviewed
from askew.perturb.lexical import TYPES, P2Perturbation, fit
from askew.perturb.lexical.substitutions import Edit, edited
from askew.perturb.vary_dataset import vary_all
from askew.types import Expect, Group, Question, Refusal, Variant
from askew.verbs import Perturbation, Prepares

YES = ("yes",) * 7 + ("no",) * 2 + ("maybe",)
NO = ("no",) * 7 + ("yes",) * 2 + ("not sure",)


def vary(question, perturbation=None):
    return list((perturbation or P2Perturbation()).vary(question, Random(0)))


def test_one_variant_of_each_type():
    question = Question(7, None, "Is the car on top of the hill clean?", YES, confidences=("yes",) * 9 + ("no",))
    syn, para, ant = vary(question)
    assert (syn.test, syn.expect, syn.question.text) == (
        "syn",
        Expect.SAME,
        "Is the automobile on top of the hill clean?",
    )
    assert (para.test, para.expect, para.question.text) == ("para", Expect.SAME, "Is the car atop the hill clean?")
    assert (ant.test, ant.expect, ant.question.text) == (
        "ant",
        Expect.DIFFERENT,
        "Is the car on top of the hill dirty?",
    )
    assert [v.question.id for v in (syn, para, ant)] == ["7/syn", "7/para", "7/ant"]
    assert (syn.made_by, para.made_by, ant.made_by) == ("syn/car→automobile", "para/on-top-of", "ant/clean→dirty")
    assert syn.note == {"from": "car", "to": "automobile", "confidence": 1.0, "origin": "reviewed"}
    assert ant.note == {"from": "clean", "to": "dirty", "kind": "complementary"}
    assert syn.question.answers == para.question.answers == YES


def test_yes_and_no_are_flipped_and_other_answers_dropped():
    question = Question(1, None, "Is the window open?", NO, confidences=("maybe",) * 9 + ("no",))
    (ant,) = vary(question)
    assert ant.question.answers == ("yes",) * 7 + ("no",) * 2
    assert ant.question.confidences == ("maybe",) * 9


def test_a_no_about_a_contrary_does_not_imply_the_opposite():
    question = Question(1, None, "Is the boy tall?", NO)
    assert vary(question) == [Refusal(1, "ant", "a no does not imply the opposite")]
    (ant,) = vary(question, P2Perturbation(contraries="all"))
    assert ant.question.text == "Is the boy short?"
    assert ant.question.answers.count("yes") == 7
    (ant,) = vary(replace(question, answers=YES))
    assert ant.question.answers.count("no") == 7


def test_a_no_may_be_about_the_noun():
    assert vary(Question(1, None, "Is this a clean kitchen?", NO))[-1].reason == "a no may refer to the noun"
    assert vary(Question(1, None, "Is this a clean kitchen?", YES))[-1].question.text == "Is this a dirty kitchen?"


def test_annotators_who_answer_neither_yes_nor_no_have_no_opposite():
    assert vary(Question(1, None, "Is the window open?", ("red",)))[-1].reason == "most answers are neither yes nor no"
    assert vary(Question(1, None, "Is the window open?")) == []
    few = ("no", *("unknown",) * 9)
    assert vary(Question(1, None, "Is the window open?", few))[-1].reason == "most answers are neither yes nor no"


def test_a_contrary_needs_a_majority_of_yes():
    unsure = ("yes",) * 5 + ("no",) * 2 + ("maybe",) * 3
    assert vary(Question(1, None, "Is the coffee hot?", unsure))[-1].reason == "a no does not imply the opposite"
    assert vary(Question(1, None, "Is the coffee hot?", ("yes", *unsure[1:6], *unsure[:4])))[-1].test == "ant"


def test_a_word_of_the_reference_answers_is_not_replaced():
    """ "Is it a couch or a bed?" with the answer "couch": the variant would not contain its own answer."""
    question = Question(1, None, "Is it a couch or a bed?", ("couch",) * 10)
    assert vary(question) == [Refusal(1, "syn", "the word is also an answer")]
    assert vary(replace(question, answers=("bed",)))[0].question.text == "Is it a sofa or a bed?"


def test_a_lower_confidence_allows_unreviewed_words():
    question = Question(1, None, "Who has the meal?")
    assert vary(question) == []
    (syn,) = vary(question, P2Perturbation(confidence=0.01))
    assert (syn.question.text, syn.note["origin"]) == ("Who has the repast?", "wordnet")


def test_several_substitutions_of_one_type():
    question = Question(1, None, "Is the kid in the car or in the plane?", ("house",))
    made = [variant for variant in vary(question, P2Perturbation(substitutions=3)) if variant.test == "syn"]
    assert made[0].made_by.count("→") == 3
    assert made[0].note["from"] == "kid + car + plane"
    (single,) = vary(question, P2Perturbation(("synonymous",), substitutions=1))
    assert single.made_by.count("→") == 1


def test_no_synonymous_variant_is_also_a_paraphrastic_one():
    """A rule that replaces one word by another is a synonym; no reviewed paraphrase does the same."""
    texts = [rule.good[0] for rule in reviewed()]
    perturbation = P2Perturbation(("synonymous", "paraphrastic"), variants=9)
    perturbation.prepare([Question(number, None, text) for number, text in enumerate(texts)])
    for rule in reviewed():
        (text, becomes), tokens = rule.good, perturbation.tagger.tags([rule.good[0]])[0]
        words = [edit for edit in perturbation.synonymous.propose(text, tokens) if isinstance(edit, Edit)]
        assert becomes not in [edited(text, [edit]) for edit in words], rule.id


def test_a_paraphrase_that_repeats_a_word_of_the_question_is_refused():
    for text in (
        "Where is this location?",
        "What is the lady in pink wearing?",
        "What is lined up in a row?",
        "What is painted on the side of the vase on the left?",
    ):
        (refusal,) = P2Perturbation(("paraphrastic",)).vary(Question(1, None, text), Random(0))
        assert refusal == Refusal(1, "para", "the paraphrase repeats a word of the question"), text


def test_a_type_gives_the_same_variants_alone_and_with_others():
    questions = [Question(i, None, f"Is the car next to the plane {i} by the couch clean?", YES) for i in range(20)]
    questions.append(Question(20, None, "Is this store-bought cake clean?", YES))
    together = list(vary_all(P2Perturbation(), questions, 3, "p2"))
    for name, test in TYPES.items():
        alone = list(vary_all(P2Perturbation((name,)), questions, 3, "p2"))
        assert of_test(alone, test) == of_test(together, test)


def of_test(made, test):
    """The variants and refusals of one test."""
    variants = [v for item in made if isinstance(item, Group) for v in item.variants if v.test == test]
    return variants, [item for item in made if isinstance(item, Refusal) and item.test == test]


def test_variants_depend_on_the_question_alone():
    questions = [
        Question(i, None, text, YES)
        for i, text in enumerate(
            [
                "Is the car in the picture?",
                "What color is the plane?",
                "Is the door open?",
                "Is there a kid next to the tv?",
            ]
            * 5
        )
    ]
    perturbation = fit([*questions, Question(99, None, "automobile image airplane child television closed beside of")])
    whole = {item.id: item for item in vary_all(perturbation, questions, 0, "p2") if isinstance(item, Group)}
    part = {
        item.id: item for item in vary_all(perturbation, questions[::-3], 0, "p2", chunk=2) if isinstance(item, Group)
    }
    assert len(part) == 7
    assert all(whole[key] == group for key, group in part.items())
    again = pickle.loads(pickle.dumps(perturbation))
    assert {item.id: item for item in vary_all(again, questions, 0, "p2") if isinstance(item, Group)} == whole


def test_fits_the_protocols_and_its_repr_is_its_options():
    assert isinstance(P2Perturbation(), Perturbation)
    assert isinstance(P2Perturbation(), Prepares)
    assert repr(P2Perturbation()) == "P2Perturbation(substitutions=2, confidence=0.9, contraries='sure', variants=1)"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"types": ("syn",)}, "no perturbation 'syn'"),
        ({"types": ()}, "no perturbation is given"),
        ({"substitutions": 0}, "substitutions"),
        ({"confidence": 2.0}, "confidence"),
        ({"contraries": "some"}, "contraries"),
        ({"variants": 0}, "variants"),
    ],
)
def test_bad_options_are_refused_at_once(options, says):
    with pytest.raises(BadOption, match=says):
        P2Perturbation(**options)


def test_odd_texts_raise_nothing():
    texts = ["", "?", "   ", "car", "Is the", "is this ?", "ＣＡＲ 🚗?", "Is the \x00 car?", "a" * 2000, "What kind of"]
    for number, text in enumerate(texts):
        for item in vary(Question(number, None, text, YES)):
            assert isinstance(item, (Variant, Refusal))
            if isinstance(item, Variant):
                assert item.question.text != text


def test_coverage_of_real_questions(real_data):
    from askew.data.open_path import open_path

    questions = list(open_path(str(real_data("vqa2_dev"))).questions())[:2000]
    items = list(vary_all(fit(questions), questions, 0, "p2"))
    variants = [v for item in items if isinstance(item, Group) for v in item.variants]
    tests = [variant.test for variant in variants]
    assert tests.count("syn") / len(questions) > 0.25
    assert tests.count("para") / len(questions) > 0.25
    for test in ("syn", "para"):
        rules = Counter(rule for v in variants if v.test == test for rule in v.made_by.split("+"))
        assert max(rules.values()) <= max(0.05 * tests.count(test), 10)
    refused = sum(isinstance(item, Refusal) and item.test == "ant" for item in items)
    assert tests.count("ant") / (tests.count("ant") + refused) > 0.35
    by_id = {question.id: question for question in questions}
    for item in items:
        if isinstance(item, Group):
            assert all(v.question.text != by_id[item.id].text for v in item.variants)
