from random import Random

from hypothesis import given
from hypothesis import strategies as st

from askew.perturb.rad.yes_no_template import AnswerPool, AnswerPools, pooled

COUNTS = st.dictionaries(st.text("abc", min_size=1, max_size=3), st.integers(1, 20), min_size=1)


@given(COUNTS, st.integers())
def test_only_answers_of_the_pool_are_drawn(counts, seed):
    assert AnswerPool.of(counts).draw(Random(seed)) in counts


@given(COUNTS)
def test_order_of_counting_does_not_matter(counts):
    assert AnswerPool.of(counts) == AnswerPool.of(dict(reversed(counts.items())))


def test_draw_by_hand():
    class Fixed(Random):
        def random(self):
            return self.now

    pool, rng = AnswerPool.of({"red": 3, "blue": 1}), Fixed()
    drawn = []
    for rng.now in (0.0, 0.74, 0.75, 0.99):
        drawn.append(pool.draw(rng))
    assert drawn == ["red", "red", "blue", "blue"]


def test_a_pool_of_no_questions_is_empty():
    assert not pooled({})["color"]
    assert AnswerPools() == pooled({})


def test_pools_with_other_counts_or_compounds_differ():
    one = pooled({"color": {"red": 1}})
    assert one != pooled({"color": {"red": 2}})
    assert one != pooled({"color": {"red": 1}}, ["hotel room"])
