"""The searches of the papers and of their released code, stepped through by hand."""

from __future__ import annotations

from random import Random

import pytest

from askew.attack.search import EachAlone, GreedySearch, Particle, SaliencySearch, Space, SwarmSearch, move, mutate
from askew.attack.word_places import UNKNOWN
from askew.types import Candidate, CandidateValue, Place, Question, Swap

ASKED = Question(1, None, "Is the big dog near a car?")


def places(**swaps):
    found, start = [], 0
    for word in ("Is", "the", "big", "dog", "near", "a", "car"):
        start = ASKED.text.index(word, start)
        found.append(Place(start, start + len(word), word, "NN", tuple(map(Swap, swaps.get(word, ())))))
        start += len(word)
    return found


def played(search, losses, given, reached=(), rises=None, seed=1):
    """Run a search to its end; returns its result and each list of texts that it asked for."""
    steps, lists = search.run(ASKED, given, Random(seed)), []
    try:
        wanted = next(steps)
        while True:
            lists.append([candidate.text for candidate in wanted])
            wanted = steps.send([_value(one, losses, reached, rises or {}) for one in wanted])
    except StopIteration as end:
        return end.value, lists


def _value(candidate: Candidate, losses, reached, rises):
    text = candidate.text
    hit = not candidate.probe and any(word in text for word in reached)
    loss = 1.0 if hit else max((loss for word, loss in losses.items() if word in text), default=0.0)
    return CandidateValue(loss, hit, rise=rises.get(text, 0.0))


def test_the_most_important_word_is_replaced_first_by_its_best_swap():
    given = places(big=("large", "huge"), dog=("hound", "pup"))
    losses = {"Is the dog near": 0.1, "Is the big near": 0.6, "hound": 0.2, "pup": 0.4}
    found, lists = played(GreedySearch(), losses, given, reached=("large pup",))
    assert lists[1] == ["Is the dog near a car?", "Is the big near a car?"], "only words with swaps are weighed"
    assert lists[2] == ["Is the big hound near a car?", "Is the big pup near a car?"]
    assert lists[3] == ["Is the large pup near a car?", "Is the huge pup near a car?"]
    assert found.text == "Is the large pup near a car?"
    assert [(change.old, change.new) for change in found.changes] == [("big", "large"), ("dog", "pup")]


def test_of_swaps_that_reach_the_goal_the_most_similar_is_taken():
    given = places(dog=("hound", "pup"))
    steps = EachAlone().run(ASKED, given, Random(1))
    next(steps)
    with pytest.raises(StopIteration) as end:
        steps.send([CandidateValue(1.0, True, 0.8), CandidateValue(0.9, True, 0.9)])
    assert end.value.value.text == "Is the big pup near a car?"


def test_textfooler_as_released_weighs_every_word_by_an_unknown_token():
    given = places(dog=("hound",))
    _, lists = played(GreedySearch("unknown", released=True), {}, given)
    assert lists[1][0] == f"{UNKNOWN} the big dog near a car?"
    assert len(lists[1]) == 7
    assert GreedySearch("unknown", released=True).wants_rise
    assert not GreedySearch().wants_rise


def test_textfooler_as_released_adds_the_rise_of_the_new_answer():
    given = places(big=("large",), dog=("hound",))
    losses = {f"the {UNKNOWN} dog": 0.3, f"big {UNKNOWN}": 0.2}
    rises = {f"Is the big {UNKNOWN} near a car?": 0.5}
    _, lists = played(GreedySearch("unknown", released=True), losses, given, rises=rises)
    assert lists[2] == ["Is the big hound near a car?"], "0.2 + 0.5 is more than 0.3"


def test_textfooler_as_released_accepts_a_swap_that_is_worse_than_the_current_text():
    """sic: it compares with the probability of the original, not with that of the text so far."""
    given = places(big=("large",), dog=("hound",))
    losses = {"Is the big near": 0.5, "Is the dog near": 0.4, "large hound": 0.1, "hound": 0.3}
    unknown = {f"big {UNKNOWN}": 0.5, f"the {UNKNOWN} dog": 0.4}

    values = {"Is the large hound near a car?": 0.1, "Is the big hound near a car?": 0.3}

    def run(search):
        steps = search.run(ASKED, given, Random(1))
        wanted = next(steps)
        try:
            while True:
                wanted = steps.send([_exact(one, values, losses | unknown) for one in wanted])
        except StopIteration as end:
            return end.value.text

    assert run(GreedySearch()) == "Is the big hound near a car?"
    assert run(GreedySearch("unknown", released=True)) == "Is the large hound near a car?"


def _exact(candidate, values, losses):
    if candidate.text in values:
        return CandidateValue(values[candidate.text], False)
    return CandidateValue(max((loss for word, loss in losses.items() if word in candidate.text), default=0.0), False)


def test_without_probabilities_pairs_follow_single_swaps():
    given = places(big=("large",), dog=("hound", "pup"))
    found, lists = played(GreedySearch(), {}, given, reached=("large pup",))
    assert lists[-1] == ["Is the large hound near a car?", "Is the large pup near a car?"]
    assert found.text == "Is the large pup near a car?"
    assert played(GreedySearch(pairs=False), {}, given, reached=("large pup",))[0] is None


def test_pwws_orders_words_by_saliency_times_the_best_drop():
    given = places(big=("large",), dog=("hound",), car=("auto",))
    losses = {"large": 0.2, "hound": 0.3, "auto": 0.1, f"a {UNKNOWN}?": 0.9}
    found, lists = played(SaliencySearch(), losses, given, reached=("large hound",))
    assert lists[2:5] == [
        ["Is the large dog near a car?"],
        ["Is the big hound near a car?"],
        ["Is the big dog near an auto?"],
    ]
    assert lists[5:] == [
        ["Is the big hound near a car?"],
        ["Is the big hound near an auto?"],
        ["Is the large hound near an auto?"],
    ], "0.3, then 0.1 · e^0.9, then 0.2"
    assert found.text == "Is the large hound near an auto?"


def test_pwws_as_released_continues_after_a_sufficient_swap():
    given = places(big=("large",), dog=("hound",))
    assert len(played(SaliencySearch(), {}, given, reached=("large",))[1]) == 3
    assert len(played(SaliencySearch(released=True), {}, given, reached=("large",))[1]) > 3


def test_a_particle_takes_the_better_words_with_probability_sigmoid_of_its_velocity():
    """TextAttack starts from the better position and takes the particle's words: the reverse of the paper."""
    moved = []
    for seed in range(300):
        particle = Particle((0,) * 20, [50.0] * 20, (1,) * 20, 0.5)
        move(particle, (1,) * 20, 0.0, Random(seed))
        moved.append(sum(particle.words))
    stayed, went = moved.count(0), moved.count(20)
    assert stayed + went == 300, "a great velocity takes every word or, where no move is drawn, none"
    assert 0.10 < stayed / 300 < 0.23, "no move with probability 0.2 · 0.8"
    slow = Particle((0,) * 20, [-50.0] * 20, (1,) * 20, 0.5)
    move(slow, (1,) * 20, 0.0, Random(1))
    assert slow.words == (0,) * 20


def test_a_velocity_is_pulled_toward_differences_and_never_clipped():
    particle = Particle((0, 0), [3.0, 3.0], (0, 1), 0.5)
    move(particle, (0, 1), 0.5, Random(1))
    assert particle.velocity == pytest.approx([0.5 * 3 - 0.5 * 6, 0.5 * 3 + 0.5 * 6])
    assert max(particle.velocity) > 3.0


def test_a_mutation_asks_the_swaps_of_a_single_place():
    """TextAttack asks those of all places."""
    given = [place for place in places(big=("large", "huge"), dog=("hound", "pup"), car=("auto",)) if place.swaps]
    space = Space(ASKED, given, 7)
    particle = Particle(space.original, [0.0] * 3, space.original, 0.0)
    steps = mutate(particle, space, [2, 2, 1], Random(3))
    wanted = next(steps)
    assert {tuple(change.old for change in one.changes) for one in wanted if one.changes} in (
        {("big",)},
        {("dog",)},
        {("car",)},
    )


def test_best_positions_are_updated_copies_not_aliases():
    """OpenAttack starts bests at -1 for untargeted goals, so that they never change, and aliases them."""
    losses = {"large": 0.2, "huge": 0.1, "hound": 0.3, "pup": 0.25, "large hound": 0.6, "an auto": 0.2}
    given = places(big=("large", "huge"), dog=("hound", "pup"), car=("auto",))
    found, lists = played(SwarmSearch(10, 5), losses, given)
    assert "large hound" in found.text, "the best of the swarm, from two particles' words"
    asked = [text for texts in lists for text in texts]
    assert len(asked) == len(set(asked)), "each text once"


def test_a_swarm_ends_at_the_first_success_and_draws_places_by_their_swaps():
    given = places(big=("large",), dog=tuple(f"hound{n}" for n in range(30)))
    found, _ = played(SwarmSearch(60, 20), {}, given, reached=("large",))
    assert found.text == "Is the large dog near a car?"
    drawn = [played(SwarmSearch(1, 0), {}, given, seed=seed)[1][0][1].count("large") for seed in range(200)]
    assert sum(drawn) / 200 == pytest.approx(1 / 11, abs=0.07), "1 against min(30, 10)"
