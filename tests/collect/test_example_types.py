"""Types A to E against the paper's Fig. 8, the spec's decisions and brute force; splits by image."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import product

from askew.collect.freeze import split_images
from askew.collect.protocol import PRESETS, Verdicts, example_type, largest_group, text_rule_removes

PAPER = PRESETS["paper"]
SHARES = PAPER.shares


def verdicts(answers, confidences=None, author="blue", robot="red", own=None):
    return Verdicts("wrong", robot, author, own, list(answers), list(confidences or ["yes"] * len(answers)))


def test_unjudged_and_failed_attacks():
    kinds = [example_type(Verdicts(verdict, "red"), PAPER) for verdict in (None, "correct", "unsure", "wrong")]
    assert kinds == ["U", "A", "B", "U"]  # the last has no verifiers


def test_c_is_decided_before_e_and_both_before_d():
    different = list("abcdefghi")
    assert example_type(verdicts(different), PAPER) == "D"
    assert example_type(verdicts(["red"] * 4 + different[:5]), PAPER) == "C"
    assert example_type(verdicts(["red"] * 4 + ["x"] * 5), PAPER) == "C"
    assert example_type(verdicts(["red"] * 3 + different[:6]), PAPER) == "E"  # three agree, with the robot too
    assert example_type(verdicts(["x", "x", *different[:7]]), PAPER) == "E"


def test_one_verifier_who_agrees_with_the_author_is_not_enough():
    said = verdicts(["blue", *"abcdefgh"], ["no"] * 9)
    assert example_type(said, PAPER) == "D"
    assert not text_rule_removes(said, PAPER)  # two of the ten agree
    assert example_type(said, replace(PAPER, low_quality_rule="text")) == "E"


def test_the_text_rule_needs_fewer_than_six_of_ten_confident():
    different = list("abcdefghi")
    for sure in range(10):
        said = verdicts(different, ["yes"] * sure + ["maybe"] * (9 - sure))
        assert text_rule_removes(said, PAPER) == (sure + 1 < 6)
        assert text_rule_removes(said, replace(PAPER, author_confidence="exclude")) == (sure < 6)
        asks = replace(PAPER, author_confidence="ask")
        assert text_rule_removes(replace(said, author_confidence="no"), asks) == (sure < 6)
        assert text_rule_removes(replace(said, author_confidence="yes"), asks) == (sure + 1 < 6)


def test_any_number_of_verifiers():
    for count in range(2, 7):
        settings = replace(PAPER, verifiers_per_question=count)
        for answers in product(["red", "x", "y"], repeat=count):
            votes = Counter(answers)
            wanted = "C" if votes["red"] > count / 3 else "E" if max(votes.values()) >= 2 else "D"
            assert example_type(verdicts(answers), settings) == wanted
            removed = text_rule_removes(verdicts(answers, ["no"] * count), settings)
            assert removed == (0.6 * (count + 1) > 1 and largest_group(["blue", *answers]) < 2)


def test_every_image_has_one_split_near_the_shares():
    for seed in range(20):
        examples = {image: (image * 7 + seed) % 4 for image in range(500)}
        found = split_images(examples, SHARES, seed)
        assert found.keys() == examples.keys()
        assert found == split_images(dict(reversed(examples.items())), SHARES, seed)
        total = sum(examples.values())
        for name, share in SHARES.items():
            count = sum(examples[image] for image, split in found.items() if split == name)
            assert abs(count - share * total / 100) <= max(0.005 * total, max(examples.values()))
            empty = sum(examples[image] == 0 and split == name for image, split in found.items())
            assert abs(empty / 125 - share / 100) < 0.2
    assert split_images(examples, SHARES, 0) != split_images(examples, SHARES, 1)


def test_no_images_have_no_splits():
    assert split_images({}, SHARES, 0) == {}
