"""The shares of rules: no rule makes more than its share of the variants, whatever the order of the questions."""

from collections import Counter
from random import Random

import pytest

from askew.errors import BadOption
from askew.perturb.lexical import P2Perturbation, fit, substitutions
from askew.perturb.lexical.substitutions import FREE, FREE_TRUTHS, Edit, RuleShares, limited, sampled
from askew.perturb.vary_dataset import vary_all
from askew.types import Group, ImageRef, Question

NOUNS = ("car", "couch", "woman", "fridge", "donut", "bucket", "rabbit", "purse", "bicycle", "burger")
OFTEN = [Question(f"o{n}", None, f"Who owns the person at {n}?") for n in range(300)]
OTHERS = [Question(f"c{n}", None, f"Who owns the {NOUNS[n % len(NOUNS)]} at {n}?") for n in range(480)]
MIXED = [*OFTEN, *OTHERS]


def synonyms(questions, fitted, seed=0):
    """The rules of the synonymous variants by question."""
    made = vary_all(fitted, questions, seed, "p2")
    return {g.id: v.made_by for g in made if isinstance(g, Group) for v in g.variants if v.test == "syn"}


def test_a_frequent_rule_is_limited_and_the_others_are_not():
    without = synonyms(MIXED, fit(MIXED, share=1.0))
    assert Counter(without.values())["syn/person→individual"] == 300
    limits = synonyms(MIXED, fit(MIXED, share=0.25))
    counts = Counter(limits.values())
    assert 0.2 * len(limits) < counts["syn/person→individual"] <= 0.25 * len(limits)
    others = {key: rule for key, rule in without.items() if key.startswith("c")}
    assert len(others) > 300
    assert {key: rule for key, rule in limits.items() if key.startswith("c")} == others


def test_limits_do_not_depend_on_the_order_of_the_questions():
    shuffled = list(MIXED)
    Random(1).shuffle(shuffled)
    whole = synonyms(MIXED, fit(MIXED, share=0.1))
    assert synonyms(shuffled, fit(shuffled, share=0.1)) == whole
    part = synonyms(MIXED[::7], fit(shuffled, share=0.1))
    assert part == {key: rule for key, rule in whole.items() if key in {q.id for q in MIXED[::7]}}
    assert synonyms(MIXED, fit(MIXED, share=0.1, seed=5), 5) != whole


def test_rules_that_are_used_a_few_times_are_not_limited():
    few = [Question(n, None, f"Who owns the person at {n}?") for n in range(FREE)]
    assert len(synonyms(few, fit(few))) == FREE


def test_rare_rules_are_preferred_and_variants_are_distinct():
    edits = [Edit(0, 3, "one", "often"), Edit(4, 7, "two", "seldom"), Edit(4, 7, "new", "never"), Edit(5, 9, "x", "y")]
    shares = RuleShares({"often": 1000, "seldom": 10, "never": 10, "y": 10_000})
    firsts = Counter(shares.chosen("big red cat", edits, str(n), 1, 1)[0][0].rule for n in range(200))
    assert firsts["often"] + firsts["y"] < 10
    assert min(firsts["seldom"], firsts["never"]) > 60
    for n in range(20):
        several = shares.chosen("big red cat", edits, str(n), 2, 3)
        assert len({tuple(edit.rule for edit in each) for each in several}) == 3
        assert all(not a.overlaps(b) for each in several for a in each for b in each if a is not b)
        assert all(list(each) == sorted(each, key=lambda edit: edit.start) for each in several)
    assert shares.chosen("big red cat", edits[:1], "0", 2, 3) == [(edits[0],)]
    assert shares.chosen("big red cat", [], "0", 2, 3) == []


def test_large_data_is_counted_by_a_sample(monkeypatch):
    assert sampled(MIXED)[1]
    assert len(sampled(MIXED)[0]) == len(MIXED)
    monkeypatch.setattr(substitutions, "COUNTED", 100)
    sample, whole = sampled(iter(MIXED))
    assert (sample, whole) == sampled(MIXED[::-1])
    assert (len(sample), whole) == (100, False)
    edits = (Edit(0, 3, "x", "often"),)
    cases = [("who", edits, str(n)) for n in range(100)] + [
        ("who", (Edit(0, 3, "y", f"r{n}"),), "s") for n in range(60)
    ]
    (limit,) = limited(cases, 0.1, 1, 1, whole=False).limits.values()
    assert 0 < limit < 1 << 62
    assert limited([], 0.1, 1, 1).limits == {}


def test_shares_are_checked():
    for share in (0.0, -1.0, 1.5):
        with pytest.raises(BadOption, match="share"):
            fit([], P2Perturbation(), share=share)


def test_each_of_two_opposites_is_true_as_often_as_the_other():
    """Most rooms that people ask about are clean, so that "clean" would mean yes."""
    rooms = [
        Question(f"{word}{n}{answer}", ImageRef(f"{n}{answer}"), f"Is the room {word}?", (answer,) * 10)
        for word, answer, size in (("clean", "yes", 60), ("clean", "no", 12), ("dirty", "yes", 8), ("dirty", "no", 30))
        for n in range(size)
    ]
    fitted = fit(rooms, P2Perturbation(("antonymous",)), share=1.0)
    asked = Counter(
        (word, question.answers[0])
        for group in vary_all(fitted, rooms, 0, "p2")
        if isinstance(group, Group)
        for question in (group.original, group.variants[0].question)
        for word in question.text.rstrip("?").split()[-1:]
    )
    assert asked == {("clean", "yes"): 20, ("clean", "no"): 20, ("dirty", "yes"): 20, ("dirty", "no"): 20}
    paper = fit(rooms, P2Perturbation(("antonymous",), balance="paper"), share=1.0)
    assert sum(isinstance(group, Group) for group in vary_all(paper, rooms, 0, "p2")) == len(rooms)


def test_a_word_whose_opposite_is_never_true_is_used_a_few_times():
    happy = [Question(n, ImageRef(n), "Is the woman happy?", ("yes",)) for n in range(40)]
    groups = vary_all(fit(happy, P2Perturbation(("antonymous",)), share=1.0), happy, 0, "p2")
    assert sum(isinstance(group, Group) for group in groups) == FREE_TRUTHS
