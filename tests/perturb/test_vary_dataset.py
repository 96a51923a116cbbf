"""Each question is varied with a random generator of its own."""

from random import Random

from askew.perturb.vary_dataset import vary_all
from askew.types import Question, Variant


class Drawing:
    def __repr__(self):
        return "drawing"

    def vary(self, question, rng):
        yield Variant(question, "same", "test", str(rng.random()))


def test_draws_depend_on_the_seed_the_perturbation_and_the_question_alone():
    questions = [Question(number, None, "Is it?", ()) for number in range(5)]
    made = {group.id: group.variants[0].made_by for group in vary_all(Drawing(), questions, 5, "suite")}
    assert made == {number: str(Random(f"5:drawing:{number}").random()) for number in range(5)}
    again = {group.id: group.variants[0].made_by for group in vary_all(Drawing(), questions[::-1], 5, "suite", chunk=2)}
    assert again == made
