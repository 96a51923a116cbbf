"""CARETS over everything: each template with each name, each name with each attribute, each label of many scenes."""

from __future__ import annotations

import pytest

from askew.perturb.carets import CaretsGenerator, fit
from askew.perturb.carets.arguments import Noun, QuestionArguments, templates
from askew.perturb.carets.attributes import Value, categories, words
from askew.perturb.carets.ontology import lemma, number
from askew.perturb.carets.scene_view import doubled, misread
from askew.types import Group
from askew.world.scenes import make_scene
from carets_evaluator import answer
from carets_laws import BEFORE, NAMES, SINGULAR, faults, number_faults

pytestmark = pytest.mark.soak


def wrong(text, noun):
    return [*faults(text), *number_faults(text, noun)]


@pytest.mark.parametrize("type_", ["Q1", "Q2", "Q3", "Q4"])
def test_every_verification_template_is_grammatical_with_every_name(type_):
    for template in templates(type_):
        for place, name in enumerate(NAMES):
            value, other = BEFORE[place * 11 % len(BEFORE)], NAMES[(place * 7 + 5) % len(NAMES)]
            noun = Noun(name) if misread(value.before, name) else Noun(name, (value,))
            if {*noun.bare.split()} & {*other.split()} or noun.bare.split()[-1] == value.after.split()[0]:
                continue
            if template.related:
                noun = noun._replace(relation="on", to=Noun(other))
            nouns = (noun, Noun(other)) if type_ in ("Q2", "Q3") else (noun,)
            asked = QuestionArguments(type_, nouns, "yes", value=value if type_ == "Q4" else None)
            assert not wrong(asked.write(template), noun), asked.write(template)
            if template.deny:
                assert not wrong(asked.write(template.negation), noun), asked.write(template.negation)


def test_every_name_is_grammatical_with_every_attribute():
    """The full product of names and attributes, each in a question and its negation."""
    template = templates("Q1")[4]
    for name in NAMES:
        for value in BEFORE:
            noun = Noun(name, (value,))
            if not misread(value.before, name) and noun.bare.split()[0] != noun.bare.split()[1]:
                text = QuestionArguments("Q1", (noun,), "yes").write(template)
                assert not wrong(text, noun), text


@pytest.mark.parametrize("type_", ["Q6", "Q7"])
def test_every_choice_template_is_grammatical_with_every_value_and_name(type_):
    kind = "attribute" if type_ == "Q6" else "action"
    for category in (name for name, each in categories().items() if each["kind"] == kind):
        options = [Value(category, word).choice for word in words(category)]
        for place, name in enumerate(name for name in NAMES if lemma(name) != "table"):
            offered = tuple(dict.fromkeys(options[(place + step) % len(options)] for step in range(2 + place % 2)))
            if any(doubled(name, option) for option in offered):
                continue  # is the adult adult or baby? never asked
            to = Noun("table") if place % 3 == 0 else None
            noun = Noun(name, (), "near" if to else "", to)
            asked = QuestionArguments(type_, (noun,), offered[0], category=category, options=offered)
            for template in asked.ways():
                assert not wrong(asked.write(template), noun), asked.write(template)


def test_every_object_choice_template_is_grammatical_with_every_name():
    single = [name for name in SINGULAR if number(name) != "many"]
    for template in templates("Q5"):
        for place, name in enumerate(single):
            noun = Noun("animal", (Value("color", "orange"),), *(("on", Noun("rug")) if template.related else ()))
            options = (name, single[place - 1], single[place - 2])[: 2 + place % 2]
            text = QuestionArguments("Q5", (noun,), name, category="animal", options=options).write(template)
            assert not list(faults(text)), text


@pytest.mark.parametrize("seed", [11, 12])
def test_the_evaluator_agrees_with_every_pair_of_300_scenes(seed):
    scenes = [make_scene(seed, index) for index in range(300)]
    maker = CaretsGenerator(fit(scenes))
    for scene in scenes:
        for group in maker.pairs(scene, None, seed):
            if isinstance(group, Group):
                for question in (group.original, group.variants[0].question):
                    found = answer(question.text, question.kind.question_type, scene)
                    assert (found,) == question.answers, (scene.id, question.text)
