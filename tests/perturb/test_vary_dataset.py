"""Each question is varied with a random generator of its own."""

from random import Random

from askew.perturb.vary_dataset import vary_all
from askew.types import ImageRef, Question, Variant


class Drawing:
    def __repr__(self):
        return "drawing"

    def vary(self, question, rng):
        yield Variant(question, "same", "test", str(rng.random()))


def test_draws_depend_on_the_seed_the_perturbation_and_the_content_of_the_question_alone():
    questions = [Question(number, ImageRef(number), "Is it?", ()) for number in range(5)]
    made = {group.id: group.variants[0].made_by for group in vary_all(Drawing(), questions, 5, "suite")}
    assert made == {number: str(Random(f"5:drawing:{number}::Is it?").random()) for number in range(5)}
    again = {group.id: group.variants[0].made_by for group in vary_all(Drawing(), questions[::-1], 5, "suite", chunk=2)}
    assert again == made
    others = [Question(f"row {n}", ImageRef(f"val/{n}"), "Is it?") for n in range(5)]
    assert [group.variants[0].made_by for group in vary_all(Drawing(), others, 5, "suite")] == list(made.values())


def test_an_image_that_is_in_the_data_is_known_by_its_bytes():
    """Tables of base64 images name an image by the row that holds it."""
    one, same, other = (ImageRef(key, data=data) for key, data in ((1, b"a"), (9, b"a"), (1, b"b")))
    asked = [Question(1, image, "Is it?").content for image in (one, same, other)]
    assert asked[0] == asked[1] != asked[2]
