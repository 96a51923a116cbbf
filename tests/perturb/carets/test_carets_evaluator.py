"""Grammar laws over every template and a vocabulary of more than 1,500 object and 600 attribute names."""

from __future__ import annotations

from itertools import cycle

import pytest

from askew.perturb.carets.arguments import TYPES, Noun, QuestionArguments, templates
from askew.perturb.carets.attributes import Value, _meanings, categories, words
from askew.perturb.carets.ontology import doubtful, known, lemma, number, wider
from askew.perturb.carets.scene_view import misread
from carets_evaluator import parse
from carets_laws import BEFORE, NAMES, SINGULAR, faults, number_faults


def test_the_vocabulary_is_large_enough():
    assert len(NAMES) >= 1500
    assert len(_meanings()) >= 600


def asked(type_, noun, other, value):
    two = (noun, other) if type_ in ("Q2", "Q3") else (noun,)
    return QuestionArguments(type_, two, "yes", value=value if type_ == "Q4" else None)


@pytest.mark.parametrize("type_", ["Q1", "Q2", "Q3", "Q4"])
def test_verification_is_grammatical_with_every_name_and_attribute(type_):
    attributes, others = cycle(BEFORE), cycle(reversed(NAMES))
    ways, seen = templates(type_), set()
    for place, name in enumerate(NAMES):
        for template in (ways[place % len(ways)], ways[(place * 7 + 3) % len(ways)]):
            value, other = next(attributes), Noun(next(others))
            noun = Noun(name) if misread(value.before, name) else Noun(name, (value,))
            if template.related:
                noun = Noun(noun.name, noun.values, "on", other)
            if {*noun.bare.split()} & {*other.bare.split()} or noun.bare.split()[-1] == value.after.split()[0]:
                continue
            question = asked(type_, noun, other, value)
            for text in (question.write(template), template.deny and question.write(template.negation)):
                if text:
                    assert not [*faults(text), *number_faults(text, noun)], text
            seen.add(template.number)
    assert seen == set(range(1, len(ways) + 1))


@pytest.mark.parametrize("type_", ["Q6", "Q7"])
def test_choices_are_grammatical_with_every_value(type_):
    """Each value of each category is offered, and each template that fits a category is used with it."""
    kind, seen = "attribute" if type_ == "Q6" else "action", set()
    names = cycle(name for name in NAMES[::7] if lemma(name) != "table")
    for category, each in categories().items():
        if each["kind"] != kind:
            continue
        options = [Value(category, word).choice for word in words(category)]
        for to in (None, Noun("table")):
            ways = QuestionArguments(type_, (Noun("cup", (), "near" if to else "", to),), "", category=category).ways()
            for place in range(max(len(options), len(ways))):
                noun = Noun(next(names), (), "near" if to else "", to)
                offered = tuple(dict.fromkeys(options[(place + step) % len(options)] for step in range(2 + place % 2)))
                question = QuestionArguments(type_, (noun,), offered[0], category=category, options=offered)
                text = question.write(ways[place % len(ways)])
                assert not [*faults(text), *number_faults(text, noun)], text
                seen.add(ways[place % len(ways)].number)
    assert seen == set(range(1, len(templates(type_)) + 1))


def test_the_laws_notice_faults():
    """Each law fails on a fault of the released questions, or on an earlier one of ours."""
    for text in (
        "is there a cup?",
        "Is there a cup",
        "Is there {a}?",
        "Is there a a cup?",
        "Is there a hour or a cup?",
    ):
        assert list(faults(text)), text
    assert list(faults("Is there both a cup and a uniform?")) == []
    assert list(faults("Is there both a cup and an uniform?")) == ["an before uniform"]
    shorts = Noun("shorts", (Value("color", "black"),))
    for text in ("Is there any black shorts?", "Are a black shorts visible?", "Do you think the black shorts is wet?"):
        assert list(number_faults(text.replace("the ", ""), shorts)) or list(number_faults(text, shorts)), text


def test_object_choices_are_grammatical_with_every_name():
    ways = templates("Q5")
    countable = [name for name in SINGULAR if number(name) != "many"]
    for place, name in enumerate(countable):
        template = ways[place % len(ways)]
        noun = Noun("animal", (Value("color", "orange"),), *(("on", Noun("rug")) if template.related else ()))
        options = (name, countable[place - 1], countable[place - 2])[: 2 + place % 2]
        text = QuestionArguments("Q5", (noun,), name, category="animal", options=options).write(template)
        assert not list(faults(text)), text


@pytest.mark.parametrize("type_", TYPES)
def test_no_template_is_repeated(type_):
    texts = [template.text for template in templates(type_)] + [t.deny for t in templates(type_) if t.deny]
    assert len(texts) == len(set(texts))


def test_errors_of_the_released_questions_are_not_repeated():
    """The released questions have "a black shorts", "a water" and "an uniform"."""
    assert Noun("shorts", (Value("color", "black"),)).a == "any black shorts"
    assert Noun("water").a == "any water"
    assert Noun("uniform").a == "a uniform"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("hot dog", "animal"),
        ("skateboard", "vehicle"),
        ("teddy bear", "bear"),
        ("crane", "bird"),
        ("mushroom", "vegetable"),
    ],
)
def test_misleading_classes_of_wordnet_are_not_used(name, word):
    assert word not in wider(name)


def test_the_ontology_is_sound():
    for name in SINGULAR:
        assert lemma(name) == name
        assert known(name)
        for word in wider(name):
            assert word != name
            assert not doubtful(name, word)
            assert name not in wider(word), (name, word)


@pytest.mark.parametrize(
    ("text", "name", "options"),
    [
        ("Which best describes the pattern of the pale yellow fur, checkered or striped?", "fur", "checkered striped"),
        ("Which material is the wax paper, lace, hardwood or straw?", "wax paper", "lace hardwood straw"),
        ("What color is the cup, red, blue or green?", "cup", "red blue green"),
        ("Is the orange orange, red or blue?", "orange", "orange red blue"),
    ],
)
def test_a_noun_that_could_be_a_choice_is_read_as_a_noun(text, name, options):
    parsed = parse(text, "Q6")
    assert [phrase.name for phrase in parsed.phrases] == [name]
    assert list(parsed.options) == options.split()


def test_one_thing_without_an_article_is_not_a_choice():
    parsed = parse("What is the drink that is sitting on the lace antler, lemonade or tea?", "Q5")
    assert [phrase.name for phrase in parsed.phrases] == ["drink", "antler"]
    assert parsed.options == ("lemonade", "tea")
