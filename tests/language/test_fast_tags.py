"""The fast way gives what spaCy gives, token by token."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.language import fast_tags, near_ties, tagger
from askew.language.tagger import Tagger, Token

QUESTIONS = Path(__file__).parents[2] / ".." / "shared" / "data" / "vqa2_dev"
PLAIN = [
    "How many dogs are there?",
    "What's on the man's T-shirt, a well-known brand?",
    "Isn't he gonna eat that, or can't he",
    "is the 2nd bus at 10am or 10 am",
    "Dogs?",
]
WORDS = ["the", "a", "man's", "dogs", "is", "isn't", "cannot", "gonna", "10am", "10", "am", "red", "well-known"]
WORDS += ["T-shirt", "what's", "he'll", "U.S", "Dr", "no,", "this?", "8-D"]


@pytest.fixture(scope="module")
def pipeline():
    return tagger._pipeline(Tagger().name)


@pytest.fixture
def fast(pipeline):
    return fast_tags.read(pipeline)


def by_spacy(pipeline, texts):
    return [tuple(Token(token.text, token.tag_, token.idx) for token in document) for document in pipeline.pipe(texts)]


def test_plain_texts_have_the_tags_of_spacy(pipeline, fast):
    assert list(fast.tags(PLAIN)) == by_spacy(pipeline, PLAIN)


def test_alone_or_together_the_tags_are_the_same(fast):
    assert [next(fast.tags([text])) for text in PLAIN] == list(fast.tags(PLAIN))


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_any_order_of_words_has_the_tokens_of_spacy(texts):
    pipeline = tagger._pipeline(Tagger().name)
    for mine, theirs in zip(fast_tags.read(pipeline).tags(texts), by_spacy(pipeline, texts), strict=True):
        assert mine is None or mine == theirs


@pytest.mark.parametrize(
    "text", ["", " ", "Is  it?", " Is it?", "Is it ?", "Is it\nred?", 'Is "it" red?', "é", "a / b :)"]
)
def test_what_is_not_plain_is_left_to_spacy(fast, pipeline, text):
    assert list(fast.tags([text, "Is it?"])) == [None, *by_spacy(pipeline, ["Is it?"])]
    assert Tagger().tags([text]) == by_spacy(pipeline, [text])


def test_nothing_gives_nothing(fast):
    assert list(fast.tags([])) == []


def test_words_are_forgotten_when_there_are_too_many(monkeypatch, fast, pipeline):
    monkeypatch.setattr(fast_tags, "_KNOWN", 3)
    list(fast.tags(PLAIN))
    assert list(fast.tags(["Is it?"])) == by_spacy(pipeline, ["Is it?"])
    assert len(fast.pieces.vectors) == 1 + 3


def test_windows_are_forgotten_when_there_are_too_many(monkeypatch, fast, pipeline):
    monkeypatch.setattr(fast_tags, "_SEEN", 3)
    for text in PLAIN:
        assert list(fast.tags([text])) == by_spacy(pipeline, [text])


def test_many_texts_are_read_in_batches(monkeypatch, fast, pipeline):
    monkeypatch.setattr(fast_tags, "_BATCH", 2)
    assert list(fast.tags(PLAIN)) == by_spacy(pipeline, PLAIN)


def test_a_long_text_is_left_to_spacy(fast, pipeline):
    text = "the dog and " * 90
    assert list(fast.tags(["Is it?", text])) == [*by_spacy(pipeline, ["Is it?"]), None]
    assert Tagger().tags([text]) == by_spacy(pipeline, [text])


def test_threads_do_not_disturb_each_other(monkeypatch, fast, pipeline):
    monkeypatch.setattr(fast_tags, "_BATCH", 1)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: list(fast.tags(PLAIN)), range(8)))
    assert found == [by_spacy(pipeline, PLAIN)] * 8


def test_each_distinct_window_goes_through_a_layer_once():
    seen = []

    def layer(vectors, windows, out):
        seen.append(windows.tolist())
        out[:] = 1

    network = fast_tags.Network((layer,), np.array([[1, 0]], np.float32), np.zeros(2, np.float32), ("X", "Y"))
    assert network.tags(np.zeros((3, 1), np.float32), [0, 1, 2, 0, 1, 2, 0, 2, 0], alone=None) == ["X"] * 5
    assert sorted(seen[0]) == [[0, 1, 2], [0, 2, 0], [1, 2, 0]]


NEAR_TIES = ["Is the comp on?", "What number does the building have on it?", "Is her tie striped?"]


def test_last_bits_do_not_decide_a_tag(monkeypatch, pipeline):
    """In *Is the comp on?* two tags score the same to five digits."""
    exact, found = fast_tags.Layer._block, set()
    for seed in range(12):
        noise = np.random.default_rng(seed)

        def block(self, vectors, windows, best, noise=noise):
            exact(self, vectors, windows, best)
            best += noise.normal(0, 1e-5, best.shape).astype(np.float32)

        monkeypatch.setattr(fast_tags.Layer, "_block", block)
        found.add(tuple(fast_tags.read(pipeline).tags(NEAR_TIES)))
    assert len(found) == 1


def test_near_ties_are_decided_by_nearly_the_same_scores(monkeypatch, fast):
    """What is worked out with care is what the network says, but for an error far below what counts as near."""
    seen, careful = [], near_ties.scores

    def quick(vectors, layers, weights, bias):
        rows = vectors
        for layer in layers:
            out = np.empty((len(rows) - 2, rows.shape[1]), np.float32)
            layer(rows, np.arange(len(rows))[:-2, None] + np.arange(3), out)
            rows = out
        seen.append(np.abs(careful(vectors, layers, weights, bias) - (rows @ weights + bias)[0]).max())
        return careful(vectors, layers, weights, bias)

    monkeypatch.setattr(near_ties, "NEAR", 4.0)
    monkeypatch.setattr(near_ties, "scores", quick)
    list(fast.tags(PLAIN + NEAR_TIES))
    assert len(seen) > 5
    assert max(seen) < 0.01 / 20


def test_texts_that_are_left_to_spacy_are_read_one_by_one(monkeypatch, pipeline):
    monkeypatch.setattr(type(pipeline), "pipe", None)
    assert [text for text, _ in Tagger().read(["Is  it?", "Is\nthis?"])] == ["Is  it?", "Is\nthis?"]


def test_a_layer_worked_by_hand():
    """Two pieces of width two: the first copies the middle, the second the left; then (2, 4) is normalised."""
    weights = np.zeros((6, 4), np.float32)
    weights[2, 0] = weights[3, 1] = weights[0, 2] = weights[1, 3] = 1
    layer = fast_tags.Layer(weights, np.zeros(4, np.float32), np.array([1, 2], "f"), np.array([10, 20], "f"))
    vectors = np.array([[0, 4], [2, 1], [9, 9]], np.float32)
    # left (0, 4), middle (2, 1): the larger of each is (2, 4), normalised (-1, 1), scaled (-1, 2), shifted (9, 22).
    out = np.empty((1, 2), np.float32)
    layer(vectors, np.array([[0, 1, 2]]), out)
    assert out == pytest.approx(np.array([[11, 23]]))


def test_a_model_of_another_make_is_left_to_spacy():
    assert fast_tags.read(SimpleNamespace(pipe_names=["transformer", "tagger"])) is None


def test_real_questions_have_the_tags_of_spacy(pipeline, fast):
    path = QUESTIONS / "v2_OpenEnded_mscoco_train2014_questions.json"
    if not path.is_file():
        pytest.skip("the VQA v2 sample is not there")
    questions = json.loads(path.read_text(encoding="utf-8"))["questions"]
    texts = list(dict.fromkeys(question["question"] for question in questions))[:2000]
    mine = list(fast.tags(texts))
    assert sum(tokens is None for tokens in mine) < 40
    read = [(text, tokens) for text, tokens in zip(texts, mine, strict=True) if tokens is not None]
    assert [tokens for _, tokens in read] == by_spacy(pipeline, [text for text, _ in read])
