"""The fast tagger gives the tags of spaCy, token by token, or leaves the text to spaCy."""

import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.language import fast_tagger, tag_network, tagger
from askew.language.tagger import Tagger, Token

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
    return fast_tagger.read(pipeline)


def by_spacy(pipeline, texts):
    return [tuple(Token(token.text, token.tag_, token.idx) for token in document) for document in pipeline.pipe(texts)]


def test_plain_texts_have_the_tags_of_spacy(pipeline, fast):
    assert list(fast.tags(PLAIN)) == by_spacy(pipeline, PLAIN)


def test_alone_or_together_the_tags_are_the_same(fast):
    assert [next(fast.tags([text])) for text in PLAIN] == list(fast.tags(PLAIN))


@given(st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_words_in_any_order_have_the_tokens_of_spacy(texts):
    pipeline = tagger._pipeline(Tagger().name)
    for mine, theirs in zip(fast_tagger.read(pipeline).tags(texts), by_spacy(pipeline, texts), strict=True):
        assert mine is None or mine == theirs


@pytest.mark.parametrize(
    "text", ["", " ", "Is  it?", " Is it?", "Is it ?", "Is it\nred?", 'Is "it" red?', "é", "a / b :)"]
)
def test_unusual_texts_are_left_to_spacy(fast, pipeline, text):
    assert list(fast.tags([text, "Is it?"])) == [None, *by_spacy(pipeline, ["Is it?"])]
    assert Tagger().tags([text]) == by_spacy(pipeline, [text])


def test_no_texts_give_no_tags(fast):
    assert list(fast.tags([])) == []


def test_words_are_forgotten_when_there_are_too_many(monkeypatch, fast, pipeline):
    monkeypatch.setattr(fast_tagger, "_KNOWN", 3)
    list(fast.tags(PLAIN))
    assert list(fast.tags(["Is it?"])) == by_spacy(pipeline, ["Is it?"])
    assert len(fast.pieces.vectors) == 1 + 3


def test_windows_are_forgotten_when_there_are_too_many(monkeypatch, fast, pipeline):
    monkeypatch.setattr(tag_network, "_CACHED", 3)
    for text in PLAIN:
        assert list(fast.tags([text])) == by_spacy(pipeline, [text])


def test_many_texts_are_read_in_batches(monkeypatch, fast, pipeline):
    monkeypatch.setattr(fast_tagger, "_BATCH", 2)
    assert list(fast.tags(PLAIN)) == by_spacy(pipeline, PLAIN)


def test_a_long_text_is_left_to_spacy(fast, pipeline):
    text = "the dog and " * 90
    assert list(fast.tags(["Is it?", text])) == [*by_spacy(pipeline, ["Is it?"]), None]
    assert Tagger().tags([text]) == by_spacy(pipeline, [text])


def test_threads_do_not_disturb_each_other(monkeypatch, fast, pipeline):
    monkeypatch.setattr(fast_tagger, "_BATCH", 1)
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: list(fast.tags(PLAIN)), range(8)))
    assert found == [by_spacy(pipeline, PLAIN)] * 8


NEAR_TIES = ["Is the comp on?", "What number does the building have on it?", "Is her tie striped?"]


def test_last_bits_do_not_decide_a_tag(monkeypatch, pipeline):
    """In *Is the comp on?* two tags score the same to five digits."""
    exact, found = tag_network.MaxoutLayer._block, set()
    for seed in range(12):
        noise = np.random.default_rng(seed)

        def block(self, vectors, windows, best, noise=noise):
            exact(self, vectors, windows, best)
            best += noise.normal(0, 1e-5, best.shape).astype(np.float32)

        monkeypatch.setattr(tag_network.MaxoutLayer, "_block", block)
        found.add(tuple(fast_tagger.read(pipeline).tags(NEAR_TIES)))
    assert len(found) == 1


def test_near_ties_are_decided_by_nearly_the_same_scores(monkeypatch, fast):
    """The careful computation agrees with the network, up to an error far below the threshold of a near tie."""
    seen, careful = [], tag_network.exact_scores

    def quick(vectors, layers, weights, bias):
        rows = vectors
        for layer in layers:
            out = np.empty((len(rows) - 2, rows.shape[1]), np.float32)
            layer(rows, np.arange(len(rows))[:-2, None] + np.arange(3), out)
            rows = out
        seen.append(np.abs(careful(vectors, layers, weights, bias) - (rows @ weights + bias)[0]).max())
        return careful(vectors, layers, weights, bias)

    monkeypatch.setattr(tag_network, "NEAR", 4.0)
    monkeypatch.setattr(tag_network, "exact_scores", quick)
    list(fast.tags(PLAIN + NEAR_TIES))
    assert len(seen) > 5
    assert max(seen) < 0.01 / 20


def test_texts_that_are_left_to_spacy_are_read_one_by_one(monkeypatch, pipeline):
    monkeypatch.setattr(type(pipeline), "pipe", None)
    assert [text for text, _ in Tagger().read(["Is  it?", "Is\nthis?"])] == ["Is  it?", "Is\nthis?"]


def test_a_model_built_differently_is_left_to_spacy():
    assert fast_tagger.read(SimpleNamespace(pipe_names=["transformer", "tagger"])) is None


@pytest.fixture
def fresh():
    """Discard the cached fast tagger before and after a test that changes its source."""
    tagger._fast.cache_clear()
    tagger._remembered.cache_clear()
    yield
    tagger._fast.cache_clear()
    tagger._remembered.cache_clear()


def falls_back(pipeline):
    """True if spaCy tags everything, with the same result, and the signature says so."""
    same = Tagger().tags(PLAIN) == [tagger.spacy_tokens(pipeline, text) for text in PLAIN]
    return tagger._fast(Tagger().name) is None and same and "(spaCy " in Tagger().signature


def test_the_signature_names_the_model_alone_when_the_fast_tagger_is_used(fresh):
    assert tagger._fast(Tagger().name) is not None
    assert "(" not in Tagger().signature


@pytest.mark.parametrize("package", ["spacy", "thinc"])
def test_another_version_is_left_to_spacy_and_the_signature_says_so(monkeypatch, fresh, pipeline, package):
    installed = fast_tagger.version
    monkeypatch.setattr(fast_tagger, "version", lambda name: "9.1.0" if name == package else installed(name))
    assert falls_back(pipeline)


@pytest.mark.parametrize("error", [AttributeError, IndexError, KeyError, TypeError, ValueError])
def test_changed_internals_are_left_to_spacy(monkeypatch, fresh, pipeline, error):
    def moved(model):
        raise error("it is not there any more")

    monkeypatch.setattr(fast_tagger, "_leaves", moved)
    assert falls_back(pipeline)


def test_a_network_that_disagrees_with_spacy_is_left_to_spacy(monkeypatch, fresh, pipeline):
    """The parts have the expected names, but the sum of a layer is another: only comparing tags shows it."""
    exact = tag_network.MaxoutLayer._block

    def block(self, vectors, windows, best):
        exact(self, vectors, windows, best)
        best *= -1

    monkeypatch.setattr(tag_network.MaxoutLayer, "_block", block)
    assert falls_back(pipeline)


def test_real_questions_have_the_tags_of_spacy(pipeline, fast, real_data):
    path = real_data("vqa2_dev/v2_OpenEnded_mscoco_train2014_questions.json")
    questions = json.loads(path.read_text(encoding="utf-8"))["questions"]
    texts = list(dict.fromkeys(question["question"] for question in questions))[:2000]
    mine = list(fast.tags(texts))
    assert sum(tokens is None for tokens in mine) < 40
    read = [(text, tokens) for text, tokens in zip(texts, mine, strict=True) if tokens is not None]
    assert [tokens for _, tokens in read] == by_spacy(pipeline, [text for text, _ in read])
