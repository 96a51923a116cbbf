"""Columns of many verified questions agree with the types of single questions."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import numpy as np
import pytest

from askew.collect.protocol import PRESETS, Verdicts, example_type, largest_group, text_rule_removes
from askew.collect.stats.answer_groups import CONFIDENCE, answer_groups


@pytest.mark.parametrize("v", [2, 3, 9])
@pytest.mark.parametrize("rule", ["fig8", "text"])
@pytest.mark.parametrize("author", ["implicit_yes", "ask", "exclude"])
def test_columns_agree_with_single_questions(v, rule, author):
    settings = replace(PRESETS["paper"], verifiers_per_question=v, low_quality_rule=rule, author_confidence=author)
    rng = Random(f"{v} {rule} {author}")
    codes = [[rng.randrange(rng.choice((2, 4, 12, 40))) for _ in range(v + 1)] for _ in range(400)]
    robots = [rng.randrange(4) for _ in codes]
    sure = [[rng.choice(list(CONFIDENCE)) for _ in range(v)] for _ in codes]
    own = [rng.choice([*CONFIDENCE, None]) for _ in codes]
    found = answer_groups(
        np.array(codes),
        np.array(robots),
        np.array([[CONFIDENCE[one] for one in row] for row in sure]),
        np.array([-1 if one is None else CONFIDENCE[one] for one in own]),
        settings,
    )
    kinds = Counter()
    for at, (row, robot, told, mine) in enumerate(zip(codes, robots, sure, own, strict=True)):
        names = [str(code) for code in row]
        said = Verdicts("wrong", str(robot), names[0], mine, names[1:], told)
        assert found.types[at] == example_type(said, settings)
        assert found.removed[at] == text_rule_removes(said, settings)
        assert found.largest[at] == largest_group(names)
        assert row.count(found.most[at]) == largest_group(names)
        counted = [*told, *{"implicit_yes": ["yes"], "ask": [mine] if mine else [], "exclude": []}[author]]
        assert (found.asked[at], found.confident[at]) == (len(counted), counted.count("yes"))
        assert found.sure[at] == sum(CONFIDENCE[one] for one in counted)
        assert found.pairs[at] == sum(a != b for a in names[1:] for b in names[1:])
        kinds[found.types[at]] += 1
    assert set(kinds) == {"C", "D", "E"}
