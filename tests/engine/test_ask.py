"""Each distinct question is asked once, and every answer is stored as soon as it is given."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest

import askew
from askew.engine.resume import Keys, ask_unanswered
from askew.engine.settings import Named
from askew.engine.store import Store, key_of
from askew.errors import BadImage, ModelError, RunError
from askew.models.baselines import Constant, Scripted
from askew.models.prediction_file import Predictions
from askew.types import Expect, Group, ImageRef, Outcome, Prediction, Question, Variant
from running import plan


class Died(BaseException):
    """The process was killed."""


IMAGE = ImageRef("a", data=b"pixels of a")


@dataclass
class Counting:
    """Answers with the question's own text and remembers what it was asked."""

    asked: list[str] = field(default_factory=list, repr=False)
    fails_on: str | None = field(default=None, repr=False)
    dies_after: int = field(default=10**9, repr=False)

    def answer(self, questions):
        said = []
        for question in questions:
            if len(self.asked) >= self.dies_after:
                raise Died
            self.asked.append(question.text)
            failed = question.text == self.fails_on
            said.append(Prediction(question.id, None if failed else question.text, error="boom" if failed else None))
        return said


def group(number, *texts, image=IMAGE):
    """A group whose variants have these texts."""
    original = Question(number, image, texts[0], ("yes",))
    variants = (Variant(Question(f"{number}/{t}", image, t, ("yes",)), Expect.SAME, "t", "r") for t in texts[1:])
    return Group(number, "s", original, tuple(variants))


def outcomes(groups, model, store, batch_size=4):
    found = ask_unanswered(groups, model, Keys(model), store, batch_size)
    return [outcome for outcome in found if isinstance(outcome, Outcome)]


@pytest.fixture
def store(tmp_path):
    with Store(tmp_path / "answers.sqlite") as opened:
        yield opened


def test_an_original_is_asked_once_however_many_variants_it_has(store):
    model = Counting()
    groups = [group(1, "q", "v1"), group(2, "q", "v2"), group(3, "q", "v3")]
    assert plan(groups, Named(model, ""), store).calls == 4
    found = outcomes(groups, model, store)
    assert model.asked == ["q", "v1", "v2", "v3"]
    assert [(o.original.question_id, o.original.answer, o.variants[0].question_id) for o in found] == [
        (1, "q", "1/v1"),
        (2, "q", "2/v2"),
        (3, "q", "3/v3"),
    ]


def test_the_same_words_about_another_image_are_another_question(store):
    model = Counting()
    outcomes([group(1, "q"), group(2, "q", image=ImageRef("a", data=b"other pixels"))], model, store)
    assert model.asked == ["q", "q"]


def test_images_are_identified_by_content_not_by_name(tmp_path, store):
    model = Counting()
    first, second = tmp_path / "1.png", tmp_path / "2.png"
    first.write_bytes(b"the same")
    second.write_bytes(b"the same")
    outcomes([group(n, "q", image=ImageRef(n, path=str(path))) for n, path in ((1, first), (2, second))], model, store)
    assert model.asked == ["q"]
    first.write_bytes(b"edited since")
    outcomes([group(1, "q", image=ImageRef(1, path=str(first)))], model, store)
    assert model.asked == ["q", "q"]


def test_only_a_model_that_reads_images_needs_them(tmp_path, store):
    gone = ImageRef("a", str(tmp_path / "gone.jpg"))
    groups = [group(1, "q", "v", image=gone)]
    (tmp_path / "p.jsonl").write_text('{"id": 1, "answer": "yes"}\n{"id": "1/v", "answer": "no"}\n')
    for blind in (Predictions(str(tmp_path / "p.jsonl")), Constant(), Scripted({}, "yes")):
        assert plan(groups, Named(blind, ""), store).calls == 2
        assert outcomes(groups, blind, store)[0].original.answer == "yes"
    with pytest.raises(BadImage, match="gone"):
        outcomes(groups, Counting(), store)


def test_a_blind_model_is_still_asked_about_each_image(store):
    keys = Keys(Constant())
    assert keys.of(Question(1, ImageRef("a"), "q")) != keys.of(Question(1, ImageRef("b"), "q"))
    assert keys.of(Question(1, IMAGE, "q")) == keys.of(Question(2, ImageRef("b", data=IMAGE.data), "q"))


def test_a_stopped_run_resumes_and_asks_nothing_twice(tmp_path):
    groups = [group(n, f"q{n}", f"v{n}") for n in range(20)]
    dying = Counting(dies_after=8)
    with Store(tmp_path / "s") as store, pytest.raises(Died):
        outcomes(groups, dying, store)
    again = Counting()
    with Store(tmp_path / "s") as store:
        assert plan(groups, Named(again, ""), store).known == 8
        found = outcomes(groups, again, store)
    assert len(found) == 20
    assert sorted(dying.asked + again.asked) == sorted(f"{letter}{n}" for n in range(20) for letter in "qv")


def test_a_failure_is_not_an_answer_and_is_asked_again_next_time(store):
    groups = [group(1, "q", "bad"), group(2, "q", "bad")]
    model = Counting(fails_on="bad")
    found = outcomes(groups, model, store, batch_size=1)
    assert [o.variants[0].failed for o in found] == [True, True]
    assert model.asked == ["q", "bad"]
    healed = Counting()
    assert [o.variants[0].answer for o in outcomes(groups, healed, store)] == ["bad", "bad"]
    assert healed.asked == ["bad"]


def test_other_models_do_not_share_answers(store):
    outcomes([group(1, "q")], Counting(), store)

    class Other(Counting):
        pass

    other = Other()
    outcomes([group(1, "q")], other, store)
    assert repr(other) != repr(Counting())
    assert other.asked == ["q"]


def test_predictions_out_of_order_are_refused(store):
    class Shuffled(Counting):
        def answer(self, questions):
            return super().answer(questions)[::-1]

    with pytest.raises(ModelError, match="in order"):
        outcomes([group(1, "q", "v")], Shuffled(), store)


def test_keys_do_not_collide():
    assert key_of(b"m", "ab", "c") != key_of(b"m", "a", "bc")
    assert key_of(b"m", "a", "q", "ctx") != key_of(b"m", "a", "qctx")


def test_a_broken_store_says_what_to_do(tmp_path):
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"this is no database" * 100)
    with pytest.raises(RunError, match="Move the file away"):
        Store(path)


def test_a_full_disk_says_what_to_do_and_keeps_what_was_answered(tmp_path):
    with Store(tmp_path / "answers.sqlite") as store:
        outcomes([group(1, "q")], Counting(), store)
        (pages,) = store._db.execute("PRAGMA page_count").fetchone()
        store._db.execute(f"PRAGMA max_page_count = {pages}")
        with pytest.raises(RunError, match=r"answers\.sqlite: answers cannot be kept .*full.* Make room"):
            outcomes([group(number, "q" * 2000 + str(number)) for number in range(9)], Counting(), store)
    with Store(tmp_path / "answers.sqlite") as store:
        assert len(store) == 1


def test_answers_keep_their_exact_text(store):
    texts = ["", " spaced ", 'quo"te', "naïve ☃", "'; DROP TABLE answers; --"]
    outcomes([group(n, text) for n, text in enumerate(texts)], Counting(), store)
    known = outcomes([group(n, text) for n, text in enumerate(texts)], Counting(dies_after=0), store)
    assert [o.original.answer for o in known] == texts


def test_a_lone_surrogate_in_an_answer_does_not_stop_a_run(tmp_path):
    said = {"whole": "caf\u00e9 \U0001f408", "pair": "\ud83d\udc08", "half": "cat \ud83d"}
    with Store(tmp_path / "a.sqlite") as store:
        found = outcomes([group(1, *said)], Scripted(said), store)
        again = outcomes([group(1, *said)], Scripted(said), store)
    (outcome,) = found
    answers = [outcome.original.answer, *(prediction.answer for prediction in outcome.variants)]
    assert answers == ["caf\u00e9 \U0001f408", "\U0001f408", "cat \ufffd"]
    assert [p.answer for p in again[0].variants] == answers[1:]


@dataclass(frozen=True)
class Paid:
    """Every answer uses these numbers of tokens."""

    name: str
    tokens: tuple

    def answer(self, questions):
        return [Prediction(question.id, "red", tokens=self.tokens) for question in questions]

    def price(self, read, written):
        return read + 10.0 * written


def usage(model, folder, count, **settings):
    asked = [Question(number, None, f"What color is car {number}?", ("red",) * 10) for number in range(count)]
    result = askew.evaluate(model, asked, "accuracy", output=folder, **settings)
    return result.results["usage"]


def test_a_shared_store_does_not_price_the_tokens_of_other_runs(tmp_path):
    shared = {"store": str(tmp_path / "shared.sqlite")}
    usage(Paid("other", (1000, 1000)), tmp_path / "other", 5, **shared)
    usage(Paid("mine", (7, 2)), tmp_path / "more questions", 8, **shared)
    again = usage(Paid("mine", (7, 2)), tmp_path / "mine", 3, **shared)
    assert again == {"now": [0, 0], "store": [21, 6], "cost": {"now": 0.0, "store": 81.0}}
    both = usage(Paid("mine", (7, 2)), tmp_path / "nine", 9, **shared)
    assert (both["now"], both["store"]) == ([7, 2], [63, 18])


@pytest.mark.parametrize("tokens", [(2**63 - 1, 2**63 - 1), (2**80, 3), (-5, -1), (float("nan"), 1.5), (None, "7")])
def test_impossible_counts_of_tokens_are_ignored(tmp_path, tokens):
    for _ in range(2):
        found = usage(Paid("odd", tokens), tmp_path / "run", 3)
        assert found["store"] in ([0, 0], [0, 9])


def test_few_groups_are_in_memory_whatever_the_batch_size(store):
    read = []

    def groups():
        for number in range(20_000):
            read.append(number)
            yield group(number, f"q{number % 50}")

    found = ask_unanswered(groups(), Constant(), Keys(Constant()), store, 4096)
    first = next(outcome for outcome in found if isinstance(outcome, Outcome))
    assert (first.group.id, len(read)) == (0, 4096)
