"""A lazily seeded generator draws the same numbers as ``Random``."""

from random import Random

import pytest

from askew.perturb.vary_dataset import LazyRandom, vary_all
from askew.types import Question, Variant


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng: [rng.random() for _ in range(3)],
        lambda rng: [rng.gauss(0, 1) for _ in range(3)],
        lambda rng: [rng.getrandbits(40), rng.random()],
        lambda rng: [rng.randbytes(5), rng.choice("abc"), rng.randint(1, 6)],
        lambda rng: rng.sample(range(100), 7),
        lambda rng: rng.getstate(),
        lambda rng: (rng.seed(4), rng.random()),
    ],
)
def test_draws_what_random_draws(draw):
    assert draw(LazyRandom("0:p2:17")) == draw(Random("0:p2:17"))


def test_is_seeded_only_when_something_is_drawn(monkeypatch):
    seeds = []
    seed = LazyRandom.seed
    monkeypatch.setattr(LazyRandom, "seed", lambda self, *args: (seeds.append(args[0]), seed(self, *args)))

    class Sometimes:
        def __repr__(self):
            return "sometimes"

        def vary(self, question, rng):
            if question.id == 2:
                yield Variant(question, "same", "test", str(rng.random()))

    made = list(vary_all(Sometimes(), [Question(number, None, "Is it?", ()) for number in range(4)], 5, "suite"))
    assert seeds == ["5:sometimes:2"]
    assert [group.variants[0].made_by for group in made] == [str(Random("5:sometimes:2").random())]
