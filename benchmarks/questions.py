"""Generated questions for benchmarks: templates filled with words, drawn by number."""

from __future__ import annotations

from random import Random

NOUNS = (
    *("dog", "cat", "bus", "train", "boy", "girl", "plate", "cup", "tree", "car", "bird", "boat", "lamp"),
    *("chair", "woman", "man", "person", "child", "kid", "plane", "couch", "phone", "refrigerator", "bicycle"),
    *("baby", "rug", "store", "bathtub", "purse", "tie", "curtain", "bucket", "building", "horse", "zebra"),
    *("pizza", "cake", "sign", "window", "door", "umbrella", "laptop", "table", "bed", "bench", "clock"),
    *("shirt", "hat", "wall", "street", "road", "picture", "photo", "image"),
)
LIKE = (
    *("open", "closed", "wet", "dry", "clean", "dirty", "tall", "short", "big", "small", "old", "young", "new"),
    *("empty", "full", "red", "blue", "wooden", "striped"),
)
PLACES = (
    *("table", "field", "street", "beach", "wall", "bench", "shelf", "floor", "roof", "bed", "grass", "water"),
    *("kitchen", "window"),
)
FORMS = (
    "What color is the {n}?",
    "What color is the {n} on the {p}?",
    "Is the {n} {l}?",
    "Are the {n}s {l}?",
    "Is this a {l} {n}?",
    "How many {n}s are there?",
    "How many {n}s are in the picture?",
    "How many {n}s are next to the {m}?",
    "What kind of {n} is this?",
    "What is the {n} on top of the {p}?",
    "Is there a {l} {n} near the {m} on the {p}?",
    "What is the {l} {n} doing?",
    "Where is the {n}?",
    "Does the {n} look {l}?",
    "What is behind the {l} {n} and the {m}?",
    "Who is holding the {n}?",
    "Why is the {n} by the {p}?",
    "What number is on the {l} {n}?",
    "Is the {l} {n} in front of the {m}?",
    "Is the {n} or the {l} {m} closer to the {p}?",
    "What is between the {l} {n} and the {m}?",
    "What is the {n} with the {m} doing on the {p}?",
    "How many {l} {n}s are beside the {m} by the {p}?",
)


def text(number: int) -> str:
    """The question with this number; two numbers can have the same question."""
    rng = Random(f"bench:{number}")
    form, nouns = rng.choice(FORMS), (rng.choice(NOUNS), rng.choice(NOUNS))
    return form.format(n=nouns[0], m=nouns[1], l=rng.choice(LIKE), p=rng.choice(PLACES))
