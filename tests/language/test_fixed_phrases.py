"""Fixed phrases, which must not be broken."""

import pytest

from askew.language.paraphrases import breaks_phrase, in_phrase
from askew.language.tagger import Tagger


def fixed(text):
    tokens = Tagger().tags([text])[0]
    return [token.text for place, token in enumerate(tokens) if in_phrase(tokens, place)]


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Is this a hot dog?", ["hot", "dog"]),
        ("What color is the traffic light?", ["traffic", "light"]),
        ("How many fire hydrants are there?", ["fire", "hydrants"]),
        ("Is she taking a picture?", ["taking", "a", "picture"]),
        ("Is he in a rock band?", ["rock", "band"]),
        ("Are they turning right?", ["turning", "right"]),
        ("Is the actor here in person?", ["in", "person"]),
        ("Is the actor in the box?", []),
        ("Is the dog hot?", []),
        ("Is the light by the traffic red?", []),
    ],
)
def test_phrases(text, phrase):
    assert fixed(text) == phrase


def test_an_empty_text_has_no_phrases():
    assert not in_phrase((), 0)


@pytest.mark.parametrize(
    ("text", "part", "does"),
    [
        ("Is the traffic light on the pole?", "light on", True),
        ("Is the light on the pole?", "light on", False),
        ("Is this the living room?", "the living", True),
        ("Is that a hot dog?", "hot dog", False),
        ("Is the man sitting in front of the bus?", "in front of", False),
        ("Is he taking off the coat?", "off the", True),
        ("Did the man fall off the horse?", "off the", True),
        ("What is he looking for in there?", "he looking", True),
    ],
)
def test_a_phrase_that_crosses_the_boundary_of_a_span(text, part, does):
    tokens = Tagger().tags([text])[0]
    words = part.split()
    first = next(at for at in range(len(tokens)) if [t.text for t in tokens[at : at + len(words)]] == words)
    assert breaks_phrase(tokens, first, first + len(words) - 1) is does
