"""Columns of many verified questions agree with what the protocol says about single ones."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from askew.collect.examples import Answer, Example
from askew.collect.protocol import PRESETS, largest_group
from askew.collect.stats.facts import CONFIDENCE, Facts


@pytest.mark.parametrize("v", [2, 3, 9])
@pytest.mark.parametrize("author", ["implicit_yes", "ask", "exclude"])
def test_columns_agree_with_single_questions(v, author):
    settings = replace(PRESETS["paper"], verifiers_per_question=v, author_confidence=author)
    rng = Random(f"{v} {author}")
    examples = []
    for key in range(400):
        said = [str(rng.randrange(rng.choice((2, 4, 12, 40)))) for _ in range(v + 1)]
        own = rng.choice([*CONFIDENCE, None])
        answers = [Answer(f"The {one}", one, rng.choice(list(CONFIDENCE))) for one in said[1:]]
        about = (key, 1, key, "", key, 1, "Is it?", "E", False, None, "wrong", 1.0, "m", "x", None, "VERIFIED")
        examples.append(Example(*about, Answer(said[0], said[0], own), answers))
    facts = Facts(examples, settings)
    names = list(facts.answers)
    for at, one in enumerate(examples):
        said = [one.author.normalised, *(given.normalised for given in one.verifiers)]
        assert facts.largest[at] == largest_group(said)
        assert said.count(names[facts.most[at]]) == largest_group(said)
        own = {"implicit_yes": ["yes"], "ask": [one.author.confidence or ""], "exclude": []}[author]
        counted = [*filter(None, own), *(given.confidence for given in one.verifiers)]
        assert (facts.asked[at], facts.confident[at]) == (len(counted), counted.count("yes"))
        assert facts.sure[at] == sum(CONFIDENCE[sure] for sure in counted)
