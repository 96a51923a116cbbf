"""Fixed phrases, which must not be broken."""

import pytest

from askew.language.phrases import Phrases
from askew.language.tagger import Tagger


def fixed(text):
    tokens = Tagger().tags([text])[0]
    return [token.text for place, token in enumerate(tokens) if Phrases().hold(tokens, place)]


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


def test_nothing_in_nothing():
    assert not Phrases().hold((), 0)
