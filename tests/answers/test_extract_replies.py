"""How often ``short`` extracts the answer that a careful reader would, by class, on replies labelled by hand."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from askew.answers.extract import extract, short, unparsed
from askew.answers.normalise import normalise
from askew.types import Prediction, Question

FOLDER = Path(__file__).parent
OURS, INDEPENDENT = (
    yaml.load((FOLDER / name).read_text(encoding="utf-8"), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    for name in ("replies_labelled.yaml", "replies_independent.yaml")
)
LABELLED = {**OURS, **INDEPENDENT}
CLASSES = tuple(dict.fromkeys(name for part in LABELLED.values() for name in part))
DEVELOPMENT = ("development", "development_2", "development_3")
HELD_OUT = ("held_out_11",)
READ_SINCE = ("held_out", *(f"held_out_{lot}" for lot in range(2, 11)))
"""Replies that rules were written for, those that none was, and those that were read after they had been measured."""


def judged(text, reply, label, choices=()):
    """Whether the step gives an answer, and whether that, or giving none, agrees with the label."""
    question = Question(1, None, text, choices=tuple(choices))
    said = Prediction(1, reply)
    found = extract("short", question, said)
    answer = found.answer
    given = answer is not None and unparsed(question, said, found) in ("", "different answers")
    allowed = {None if one == "~" else normalise(one) for one in (label or "~").split("|")}
    if not given:
        return given, None in allowed or (answer is not None and normalise(answer) in allowed)
    return given, normalise(answer or "") in allowed


def by_class(*parts):
    """For each class: replies, right ones, answers given, and wrong ones among them."""
    table = {}
    for name in CLASSES:
        results = [judged(*row) for part in parts for row in LABELLED[part].get(name, ())]
        wrong = sum(given and not right for given, right in results)
        table[name] = (len(results), sum(right for _, right in results), sum(given for given, _ in results), wrong)
    return table


# measured with version 8: 183 of 200 right and 8 of 174 given wrong in the one lot that no rule was written for
@pytest.mark.parametrize(
    ("parts", "least", "most_wrong"),
    [
        (("development",), 1.0, 0.0),
        (("development_2",), 0.988, 0.006),
        (("development_3",), 0.989, 0.004),
        (HELD_OUT, 0.915, 0.046),
        (READ_SINCE, 0.988, 0.002),
        (("held_out",), 0.99, 0.005),
        (("held_out_2",), 1.0, 0.0),
        (("held_out_3", "held_out_4"), 0.99, 0.0),
        (("held_out_5",), 1.0, 0.0),
        (("held_out_6",), 1.0, 0.0),
        (("held_out_7", "held_out_8"), 0.975, 0.004),
        (("held_out_9",), 0.97, 0.006),
        (("held_out_10",), 0.995, 0.0),
    ],
)
def test_the_step_extracts_what_a_reader_would(parts, least, most_wrong):
    table = by_class(*parts)
    replies, right, given, wrong = (sum(column) for column in zip(*table.values(), strict=True))
    assert right >= least * replies, table
    assert wrong <= most_wrong * given, table


def test_the_documentation_has_the_accuracy_of_each_class():
    page = (Path(__file__).parents[2] / "docs" / "measurements.md").read_text(encoding="utf-8")
    development, held_out, since = by_class(*DEVELOPMENT), by_class(*HELD_OUT), by_class(*READ_SINCE)
    for name, (replies, right, _, _) in development.items():
        others, found, _, wrong = held_out[name]
        read, read_right, _, read_wrong = since[name]
        columns = (f"{right} of {replies}", f"{found} of {others}", wrong, f"{read_right} of {read}", read_wrong)
        assert f"| {name} | {' | '.join(map(str, columns))} |" in page


def test_the_labelled_replies_are_many_and_different():
    for labelled, least in ((OURS, 3468), (INDEPENDENT, 1000)):
        rows = [row for classes in labelled.values() for part in classes.values() for row in part]
        assert len({(*row[:2], *map(tuple, row[3:])) for row in rows}) == len(rows) >= least
        assert sum(row[2] is None or row[2].startswith("~") for row in rows) >= 0.1 * least


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("How many people are there?", "There are no people, but two dogs.", "0"),
        ("How many dogs are there?", "There are no people, but two dogs.", "2"),
        ("How many giraffes are there?", "A pair of giraffes.", "2"),
        ("How many cats are there?", "Between 2 and 3 cats", "between 2 and 3 cats"),
        ("How many people are there?", "There are twenty-two people.", "22"),
        ("How many dogs are there?", "I don't know", "i don't know"),
        ("How many dogs are there?", "12345678901234", "12345678901234"),
        ("How many buses are there?", "The bus leaves at 11:35.", "bus leaves at 11:35"),
        ("Is it red?", "red", "yes"),
        ("Is it red?", "Blue.", "no"),
        ("Is the cat black?", "The cat is white.", "no"),
        ("Is the woman taller than the man?", "The man is taller than the woman.", "no"),
        ("Is this a hospital?", "It's a school.", "no"),
        ("Is the bus empty?", "It has 3 passengers, so no.", "no"),
        ("Is there a cat?", "Yes. Hold on, that is a cushion. No cat.", "no"),
        ("How many dogs are there?", "Two. Sorry, I missed one: there are three.", "3"),
        ("How many legs does it have?", "It's a three-legged table.", "3"),
        ("How many dogs are there?", "Auf dem Bild sind drei Hunde.", "3"),
        ("What is it?", "A tram... scratch that, it's a bus.", "bus"),
        ("What is he holding?", "He is holding **a guitar** in front of the door.", "guitar"),
        ("What is he holding?", "A cup of tea in his hand, as always.", "cup of tea"),
        ("Is it a bus or a truck?", "The vehicle is a bus.", "bus"),
        ("What time is it?", "The short hand is at 3 and the long one at 12, so it is 3:00.", "3:00"),
        ("Is it raining?", "Not sure.", "not sure"),
        ("Is it raining?", "Yes and no.", "yes and no"),
        ("What is this?", "Can't tell", "can't tell"),
        ("What color is it?", '{"answer": "dark red"}', "dark red"),
        ("Is the light on?", "The light is off.", "no"),
        ("Is it open?", "closed", "no"),
        ("Is it open?", "It isn't closed.", "yes"),
        ("Is it big?", "It's not small.", "not small"),
        ("Is the window open?", "The door is closed.", "closed"),
        ("Is the man wearing a hat?", "The woman is wearing a hat.", "woman"),
        ("Is there a boy?", "A girl and a boy are playing.", "yes"),
        ("Is there a dog?", "No question about it: yes", "yes"),
        ("Is there a dog?", "是的，有一只狗。", "yes"),
        ("Is there a dog?", "Nein.", "no"),
        ("Is it red?", "**Yes**\n\nThe bus is red.", "yes"),
        ("What color is it?", "### Answer\n\nred", "red"),
    ],
)
def test_replies_that_used_to_be_misread(question, reply, answer):
    assert short(question, reply) == (answer, None)


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Is the man wearing a red shirt?", "The woman next to the man is wearing a red shirt.", None),
        ("Is the laptop open?", "There is an open book next to the laptop.", None),
        ("Is the laptop open?", "The laptop is closed and lies next to an open book.", "no"),
        ("Is there no one in the room?", "There is no one in the room.", "yes"),
        ("Is it dark outside?", "It is bright outside.", "no"),
        ("Is the vase on the table?", "The vase under the table is blue.", None),
        ("Is there a dog?", "None of the images were loaded.", None),
        ("How many chairs are at the table?", "Two people sit at the table.", None),
        ("How many chairs are at the table?", "There are fewer than five chairs.", None),
        ("How many birds are flying?", "In the first row there are 2 birds and in the second row 3.", None),
        ("How many people are sitting?", "There are five people in total; three of them are sitting.", "3"),
        ("How many people voted?", "I have no idea.", None),
        ("What is her name?", "Her name isn't shown anywhere.", None),
        ("What does it say?", "It is too blurry.", None),
        ("What fruit is that?", "An apple? Or maybe a pear.", None),
        ("What vehicle is it?", "It has two wheels and no engine. It must be a bicycle.", "bicycle"),
        ("What color is the ball?", "The ball on the left is red, and the ball on the right is blue.", None),
        ("What color is the sign?", "The sign is a red octagon with white letters.", "red"),
        ("What color is the car?", "The car is next to a red bus.", None),
        ("What color is the car?", "The car's wheels are black.", None),
        ("What color is the car?", "It's not red.", None),
        ("What color is the cat's collar?", "The black cat has no collar.", None),
        ("What color is the cat's collar?", "The cat is black and its collar is red.", "red"),
        ("Is the dog wearing a collar?", "The dog is unlikely to be wearing a collar.", "no"),
        ("Is the dog wearing a collar?", "The dog cannot be wearing a collar.", "no"),
        ("Is there a cat?", "Yes, but actually no.", None),
        ("Is there a cat?", "No, there is a cat.", None),
        ("Is the cup to the left of the plate?", "The plate is to the left of the cup.", None),
        ("How many dogs are there?", "There's a pack of 5 dogs.", "5"),
        ("How many dogs are there?", "One brown dog and one white dog.", None),
        ("How many people are sitting at the table?", "Four people are standing around the table.", None),
        ("What is the man holding?", "The woman is holding a bag.", None),
        ("What is the cat's name?", "There's a name tag, but it's not legible.", None),
        ("Where is the dog?", "The dog is brown.", None),
        ("Who is driving the car?", "The car is parked.", None),
        ("Is the cat black?", "The dog is white.", None),
        ("Is this an animal?", "It's a dog.", None),
        ("Is the shop open?", "The shop is open. The shop is closed.", None),
        ("What color is the bird?", "The bird is red. The bird is blue.", None),
        ("How many boats are there?", "There are 5 boats. There are 8 boats.", None),
        ("What is in the drawer?", "The drawer is closed.", None),
        ("What fruit is it?", "lemon? lime? orange?", None),
    ],
)
def test_a_reply_that_is_not_clear_gives_no_answer_instead_of_a_guess(question, reply, answer):
    asked, said = Question(1, None, question), Prediction(1, reply)
    found = extract("short", asked, said)
    unclear = found.answer is None or unparsed(asked, said, found)
    assert (None if unclear else found.answer) == answer


def test_an_option_that_a_reply_rejects_is_not_chosen():
    fruit = ("apples", "pears", "grapes")
    for reply in ("Option A is wrong.", "(A) is wrong.", "I would exclude option A.", "The apples suggest B."):
        asked, said = Question(1, None, "What is it?", choices=fruit), Prediction(1, reply)
        assert unparsed(asked, said, extract("short", asked, said)) == "no option"


def test_options_that_a_reply_denies_are_not_chosen():
    weather = ("sunny", "raining", "snowing")
    for reply in (
        "The weather is not sunny; it is raining.",
        "It isn't sunny or snowing, so raining.",
        "Second option",
    ):
        assert extract("short", Question(1, None, "?", choices=weather), Prediction(1, reply)).answer == "raining"


@pytest.mark.parametrize(
    ("question", "reply", "answer", "counted"),
    [
        ("What color is it?", "Answer: red. Wait, look again. Answer: blue", "blue", True),
        ("What color is it?", "Answer: red\n\nFinal answer: Red.", "red", False),
        ("What color is it?", "<answer>red</answer> Look again. <answer>It is blue.</answer>", "blue", True),
        ("Is it open?", "Answer: yes. On second thought, the final answer is: no", "no", True),
        ("What color is it?", "The answer is red.", "red", False),
    ],
)
def test_a_reply_that_gives_two_answers_is_counted(question, reply, answer, counted):
    asked, said = Question(1, None, question, (answer,)), Prediction(1, reply)
    found = extract("short", asked, said)
    assert found.answer == answer
    assert unparsed(asked, said, found) == ("different answers" if counted else "")


def test_repeated_parts_of_a_reply_do_not_slow_extraction_down():
    for part in ("not ", "so ", "total ", "a lot of ", "a, b ", "it is not a, ", "1 to ", "and ", "is anything "):
        for question in ("What is it?", "How many?", "Is it a cat?", "What color is it?"):
            answer, error = short(question, part * 100_000)
            assert (answer is None) != (error is None)
