"""From the replies of models to the answers that are scored."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.answers.extract import check_step, extract, short, signature
from askew.errors import BadOption
from askew.types import Prediction, Question

YES_NO = [
    ("Is there a dog?", "Yes", "yes"),
    ("Is there a dog?", "yes.", "yes"),
    ("Is there a dog?", "Yes, there is a dog.", "yes"),
    ("Is there a dog?", "No, there isn't a dog; only a cat.", "no"),
    ("Is there a dog?", "**No**", "no"),
    ("Is there a dog?", "`yes`", "yes"),
    ("Is there a dog?", "There is a dog in the image.", "yes"),
    ("Is there a dog?", "There is no dog in the image.", "no"),
    ("Are there any dogs?", "There are no dogs in the picture.", "no"),
    ("Is there a dog?", "There isn't.", "no"),
    ("Is the dog asleep?", "The dog is asleep.", "yes"),
    ("Is the dog asleep?", "The dog isn't asleep, it is eating.", "no"),
    ("Is the dog asleep?", "Not really.", "no"),
    ("Is it raining?", "It is not.", "no"),
    ("Is it raining?", "Answer: yes", "yes"),
    ("Is it raining?", "The answer is no.", "no"),
    ("Is it raining?", "Final Answer: **Yes**", "yes"),
    ("Is it raining?", "<think>Maybe no. There are clouds.</think>\nYes", "yes"),
    ("Is it raining?", "Maybe it is wet.</think>No.", "no"),
    ("Is it raining?", "<answer>yes</answer>", "yes"),
    ("Is it raining?", "Based on the image, yes.", "yes"),
    ("Is it raining?", "Sure! Yes, it is raining.", "yes"),
    ("Is it raining?", "I think so, yes.", "yes"),
    ("Does he wear a hat?", "Correct.", "yes"),
    ("Does he wear a hat?", "Nope", "no"),
    ("Can you see the sky?", "Yes, although I cannot tell the time of day.", "yes"),
    ("In the photo, are there people?", "No one is there, so no.", "no"),
    ("Aren't they happy?", "\"Yes\"", "yes"),
    ("Is it raining?", "Sorry, no.", "no"),
    ("Is it raining?", "yes<|im_end|>", "yes"),
]  # fmt: skip
NUMBERS = [
    ("How many dogs are there?", "3", "3"),
    ("How many dogs are there?", "three", "3"),
    ("How many dogs are there?", "Three dogs.", "3"),
    ("How many dogs are there?", "There are three dogs.", "3"),
    ("How many dogs are there?", "There are **3** dogs in the image.", "3"),
    ("How many dogs are there?", "There are twenty-one dogs.", "21"),
    ("How many dogs are there?", "There are twenty one dogs.", "21"),
    ("How many dogs are there?", "There are no dogs in the picture.", "0"),
    ("How many dogs are there?", "None.", "0"),
    ("How many dogs are there?", "There aren't any dogs.", "0"),
    ("How many dogs are there?", "There is a dog.", "1"),
    ("How many dogs are there?", "There is only one dog on the two chairs.", "1"),
    ("How many dogs are there?", "I can see 12 dogs.", "12"),
    ("How many dogs are there?", "About 1,000 dogs.", "1000"),
    ("How many dogs are there?", "A dozen.", "12"),
    ("How many dogs are there?", "There are 2 brown and 3 black ones, so a total of 5.", "5"),
    ("How many dogs are there?", "2 + 3 = 5", "5"),
    ("How many people wear hats?", "Out of five people, two wear hats.", "2"),
    ("What is the number of cats?", "The number of cats is four.", "4"),
    ("How many cats?", "<think>1, 2, 3...</think> There are 2.", "2"),
    ("How many cats?", "\\boxed{7}", "7"),
    ("What color is the cat?", "So the fur is light. $\\boxed{\\text{White}}$", "white"),
    ("What color is the cat?", "```text\nwhite\n```", "white"),
    ("How many cats?", "2 or 3", "2 or 3"),
    ("How many cats?", "many", "many"),
    ("What number is on the bus?", "The number on the bus is 42.", "42"),
]  # fmt: skip
OTHER = [
    ("What color is the cat?", "white", "white"),
    ("What color is the cat?", "White.", "white"),
    ("What color is the cat?", "The cat is white.", "white"),
    ("What color is the cat?", "The cat in the picture is white and black.", "white and black"),
    ("What color is the cat?", "It's white.", "white"),
    ("What color is the cat?", "It’s white.", "white"),
    ("What color is the cat?", "The color of the cat is white.", "white"),
    ("What color is the cat?", "The cat is white in color.", "white"),
    ("What color is the cat?", "**White**", "white"),
    ("What color is the cat?", "Answer: \"white\"", "white"),
    ("What color is the cat?", "The answer is: white.", "white"),
    ("What color is the cat?", "I think it is white.", "white"),
    ("What color is the cat?", "The cat appears white", "white"),
    ("What color is the cat?", "The cat is white. It sits on a sofa.", "white"),
    ("What color is the cat?", "white\n\nThe fur is light.", "white"),
    ("What color is the cat?", "The cat is white, which fits the room.", "white"),
    ("What color is the cat?", "It is red, but I can't tell the shade.", "red"),
    ("What is the man wearing?", "The man is wearing a hat.", "hat"),
    ("What is the man holding?", "He is holding an umbrella in his hand.", "umbrella"),
    ("What animal is this?", "This is a dog.", "dog"),
    ("What animal is this?", "A dog.", "dog"),
    ("What is on the table?", "There is a cup on the table", "cup"),
    ("Where is the cat?", "The cat is on the table.", "on the table"),
    ("Where is the cat?", "On the table", "on the table"),
    ("Is it red or blue?", "It is blue.", "blue"),
    ("Is it red or blue?", "Blue", "blue"),
    ("What does the sign say?", "The sign says \"Stop\".", "stop"),
    ("What does the sign say?", "\"STOP\"", "stop"),
    ("What time is it?", "The time is 10:30.", "10:30"),
    ("What time is it?", "It is 3 p.m. in the picture.", "3 p.m"),
    ("How much is it?", "It costs 3.50.", "it costs 3.50"),
    ("What is this?", "In the image, there is a train.", "train"),
    ("What is this?", "Assistant: a train", "train"),
    ("What is this?", "- a train", "train"),
    ("What is this?", "The image shows a train station.", "train station"),
    ("What sport is this?", "baseball</s>", "baseball"),
    ("What room is this?", "unknown", "unknown"),
    ("Who is this?", "I don't know", "i don't know"),
    ("What is this?", "A", "a"),
    ("What animal is this?", "The animal looks like a horse.", "horse"),
    ("What is the weather?", "The weather seems to be sunny.", "sunny"),
]  # fmt: skip
REFUSALS = [
    ("Who is this?", "I'm sorry, I can't help with identifying people."),
    ("Who is this?", "I’m sorry, but I can’t assist with that request."),
    ("Who is this?", "Sorry, I cannot answer that."),
    ("Who is this?", "As an AI language model, I do not see pictures."),
    ("Who is this?", "I am an AI and can not see."),
    ("Is he happy?", "I'm unable to determine that from the image."),
    ("Is he happy?", "It is not possible to tell from the picture."),
    ("Is there a dog?", "Unfortunately, there is not enough information to say."),
    ("What color is the cat?", "The color cannot be determined."),
    ("What color is the cat?", "Cannot determine."),
    ("What color is the cat?", "Based on the image, I cannot determine the color of the cat."),
    ("How many dogs are there?", "I cannot see any image."),
    ("How many dogs are there?", "I'm sorry, I can't count them."),
    ("What is this?", "Please provide the image."),
    ("What is this?", "No image was provided."),
    ("What is this?", "<think>Who?</think>I won't answer this."),
]
UNSEEN = [
    ("Is there a dog?", "I cannot see any dog", "no"),
    ("Is there a dog?", "I can't see a dog in this picture.", "no"),
    ("Is there a dog?", "I’m sorry, but I can’t see any dogs in the provided image.", "no"),
    ("Is there a dog on the sofa?", "I could not find a dog.", "no"),
    ("Are there any dogs?", "I am unable to see any dogs here.", "no"),
    ("Are there any dogs?", "Looking at the image, I'm not able to spot any.", "no"),
    ("Is there an umbrella?", "No, I cannot see an umbrella.", "no"),
    ("Is anyone in the room?", "I can not see anyone in the room.", "no"),
    ("Is there anything on the table?", "There is nothing on the table.", "no"),
    ("How many people are there?", "I can't see anyone.", "0"),
    ("Is there a picture on the wall?", "I cannot see any picture on the wall.", "no"),
    ("Is there a dog?", "We cannot see any dog, but there is a cat.", "no"),
    ("Is the dog asleep?", "I don't see any dog in the image.", "no"),
    ("How many dogs are there?", "I cannot see any dogs in the image.", "0"),
    ("How many people are there?", "I couldn't detect any people.", "0"),
    ("What animal is on the sofa?", "I cannot see any animal on the sofa.", "no animal"),
    ("What is in his hand?", "I can't see anything in his hand.", "nothing"),
]
CANNOT_LOOK = [
    "I cannot see the image.",
    "I'm unable to view images.",
    "I can't see any image.",
    "I cannot see any attached picture.",
    "I don't see any image attached to your message.",
    "I'm sorry, but I cannot see images.",
    "I can't see anything.",
    "I cannot see anything in the picture.",
    "I am unable to see a photo here.",
    "I cannot see any dog because no image was provided.",
    "I cannot see a dog, since I am unable to view pictures.",
    "I could not find any image in our conversation.",
    "I can't see the dog clearly enough.",
    "I cannot see his face.",
    "I can't see any details.",
    "I cannot identify any people in images.",
]
EMPTY = ["", " \n", ".", "<think>Hmm", "<think>Hmm.</think>", "**", "Answer:", "<|im_end|>", '""']


LOOKING = ("Is there a dog?", "How many dogs are there?", "What color is the dog?")


def test_the_answer_is_taken_out_of_the_reply():
    wrong = [case for case in YES_NO + NUMBERS + OTHER + UNSEEN if short(*case[:2]) != (case[2], None)]
    assert not wrong, [(*case, short(*case[:2])) for case in wrong]


def test_a_refusal_is_not_an_answer():
    """Including replies that say the model cannot see the image."""
    cases = REFUSALS + [(question, words) for question in LOOKING for words in CANNOT_LOOK]
    wrong = [case for case in cases if short(*case) != (None, "refusal")]
    assert not wrong, [(*case, short(*case)) for case in wrong]


def test_an_empty_reply_is_not_an_answer():
    cases = [(question, words) for question in ("What is it?", "Is it?", "How many?") for words in EMPTY]
    wrong = [case for case in cases if short(*case) != (None, "empty answer")]
    assert not wrong, [(*case, short(*case)) for case in wrong]


@pytest.mark.parametrize(("question", "words"), [("Is the cat black?", "The dog is white."), ("Is it a dog?", "Blue.")])
def test_a_sentence_that_says_neither_yes_nor_no_is_not_made_into_one(question, words):
    assert short(question, words)[0] in ("white", "blue")


def test_the_reply_is_kept_beside_the_answer():
    question = Question(7, None, "Is it wet?", ("no",) * 10)
    said = Prediction(7, "Yes, very.", seconds=0.5, tries=2, tokens=(9, 3))
    assert extract("short", question, said) == Prediction(
        7, "yes", seconds=0.5, tries=2, tokens=(9, 3), raw="Yes, very."
    )
    refused = extract("short", question, Prediction(7, "I can't say."))
    assert (refused.answer, refused.error, refused.raw) == (None, "refusal", "I can't say.")


def test_step_none_changes_nothing_and_failures_stay_failures():
    question = Question(7, None, "Is it wet?")
    said, failed = Prediction(7, "Yes, very."), Prediction(7, None, error="timeout", raw="Ye")
    assert extract("none", question, said) is said
    assert extract("short", question, failed) is failed


def test_steps_have_names_and_versions():
    assert (signature("none"), signature("short")) == ("none-v1", "short-v8")
    with pytest.raises(BadOption, match=r"No extraction is called 'long'. Known: none, short."):
        check_step("long")


QUESTIONS = st.sampled_from(["Is it a cat?", "How many cats?", "What is the cat doing?", "Where is it?", "", "?"])


@given(QUESTIONS | st.text(), st.text())
def test_any_reply_gives_an_answer_or_a_typed_non_answer(question, words):
    answer, error = short(question, words)
    assert (answer is None) != (error is None)
    assert answer != ""


PARTS = [
    "<think>",
    "</think>",
    "Answer:",
    "yes",
    "no",
    "3",
    "three",
    "The cat",
    "is",
    "not",
    "I can't",
    "**",
    "\n",
    ". ",
]


@given(QUESTIONS, st.lists(st.sampled_from(PARTS), max_size=12).map(" ".join))
def test_no_reply_breaks_extraction(question, words):
    answer, error = short(question, words)
    assert (answer is None) != (error is None)


@given(QUESTIONS, st.from_regex(r"[a-z0-9]{1,9}( [a-z]{1,9}){0,2}", fullmatch=True))
def test_a_short_answer_is_extracted_unchanged(question, words):
    answer, _ = short(question, words)
    if answer is not None:
        assert short(question, answer) == (answer, None)


def test_long_replies_are_extracted_quickly():
    for part in ("the ", "is ", "a, ", "(", "*", "answer ", "1 ", "\n", "<think>"):
        answer, error = short("What is it?", part * 300_000)
        assert (answer is None) != (error is None)
