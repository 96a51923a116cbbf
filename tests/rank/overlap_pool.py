"""Questions made from patterns, with oddities, for the tests of the text metrics."""

from __future__ import annotations

from random import Random

NOUNS = (
    *("dog", "dogs", "cat", "bus", "sofa", "couch", "picture", "pictures", "pic"),
    *("boy", "girl", "t-shirt", "glass", "boss", "car", "automobile", "3.5", "man's"),
)
LIKE = ["red", "big", "large", "wet", "running", "old"]
FORMS = (
    "What color is the {n}?",
    "Is the {n} {l}?",
    "How many {n} are there?",
    "Is there a {l} {n} near the {m} on the {n} of the {m}?",
    "What is the {n} to the left of the {m} to the right of the {n} doing?",
    "Where?",
    "Why {l}?",
    "What {n} is {l}?",
    "the the the {n} the the",
    "{n} {m} {n} {m}",
    "Is it {l} or {l}?",
)
ODD = ("& & &", "Who who who is is it it", "Is it?", "It is?", "Running runs run runner")


def questions(count: int, seed: int = 0) -> list[str]:
    """Questions, as many as asked for; some occur twice."""
    rng = Random(f"overlap:{seed}")
    made = [
        rng.choice(FORMS).format(n=rng.choice(NOUNS), m=rng.choice(NOUNS), l=rng.choice(LIKE)) for _ in range(count)
    ]
    return [*made[: count - len(ODD)], *ODD]
