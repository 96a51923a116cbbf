"""AMBER's generative part: its evaluator's figures recomputed by hand, with made-up words."""

from __future__ import annotations

import json

import numpy as np
import pytest
from benchmark_samples import Says

import askew
from askew.data.benchmarks.amber_generative import AmberGenerative
from askew.data.match_predictions import match_predictions
from askew.data.open_path import open_path
from askew.errors import BadOption, BadRecord, DataError
from askew.metrics.benchmark_metrics import Description
from askew.types import Group, Outcome, Prediction

RELATION = {
    "sky": [],
    "forest": ["tree"],
    "tree": ["forest"],
    "person": ["man", "woman"],
    "dog": ["puppy"],
    "cat": [],
    "bench": ["chair"],
    "sofa": ["chair"],
    "light": [],
}
ANNOTATIONS = [
    {"id": 1, "type": "generative", "truth": ["sky", "forest", "tree", "person"], "hallu": ["dog", "bench", "sofa"]},
    {"id": 2, "type": "generative", "truth": ["person", "sky"], "hallu": ["cat"]},
    {"id": 3, "type": "discriminative-hallucination", "truth": "yes"},
]
SAID = {
    # tree is forest's word, so the object tree stays unnamed (sic); chair is the bench's; the cat is not there at all;
    # the light never counts as wrong: 7 nouns, of which puppy, chair and cat are wrong; 3 of 4 and 2 of 3 are named
    1: "A woman sits below a tree on a chair. In the sky there is a light, and a puppy looks at a cat.",
    # 2 nouns, none wrong, both objects named
    2: "The man looks at the sky. It can be seen.",
}


def release(folder):
    (folder / "query").mkdir(parents=True)
    queries = [{"id": n, "image": f"AMBER_{n}.jpg", "query": f"Describe image {n}."} for n in SAID]
    (folder / "query" / "query_generative.json").write_text(json.dumps(queries))
    (folder / "annotations.json").write_text(json.dumps(ANNOTATIONS))
    (folder / "relation.json").write_text(json.dumps(RELATION))
    (folder / "safe_words.txt").write_text("orange\nlight")
    return folder


def figures(result):
    return [result.score(name).value for name in ("chair", "cover", "hal", "cog")]


@pytest.mark.parametrize("extract", ["none", "short"])
def test_the_figures_by_hand(tmp_path, extract):
    data = open_path(release(tmp_path), skip_bad=True)
    assert isinstance(data, AmberGenerative)
    model = Says(lambda question: SAID[int(question.text[-2])])
    spec = f"amber-generative:{tmp_path},skip_bad=true"
    result = askew.evaluate(model, spec, "amber-generative", extract=extract)
    assert figures(result) == pytest.approx([3 / 9, 5 / 6, 1 / 2, 2 / 4])


def test_the_reply_file_of_its_repository_is_read(tmp_path):
    (tmp_path / "replies.json").write_text(json.dumps([{"id": n, "response": said} for n, said in SAID.items()]))
    data = open_path(release(tmp_path / "data"), skip_bad=True)
    assert match_predictions(str(tmp_path / "replies.json"), data).answers == SAID


def test_words_with_similar_vectors_are_the_same_object(tmp_path):
    spacy = pytest.importorskip("spacy")
    model = spacy.blank("en")
    vectors = {"cat": (1, 0), "dog": (1, 0.1), "bench": (0, 1), "sofa": (0.1, 1), "chair": (1, -1), "person": (-1, 0)}
    for word, vector in vectors.items():
        model.vocab.set_vector(word, np.array(vector, dtype="float32"))
    model.to_disk(tmp_path / "model")
    data = AmberGenerative(str(release(tmp_path / "data")), skip_bad=True, vectors=str(tmp_path / "model"))
    first, second = (dict(one.tags)["objects"].split("|") for one in data.questions())
    assert {"cat=h0,x", "dog=h0,x", "chair=h1,x", "sofa=h2,h1,x", "tree=t1", "sky=t0"} <= set(first)
    assert {"cat=h0,x", "dog=h0,x", "person=t0", "bench=x"} <= set(second)
    assert not any("similar words" in remark for remark in data.remarks)
    spacy.blank("en").to_disk(tmp_path / "none")
    with pytest.raises(BadOption, match="has no word vectors"):
        list(AmberGenerative(str(tmp_path / "data"), skip_bad=True, vectors=str(tmp_path / "none")).questions())


def test_figures_that_depend_on_vectors_say_so(tmp_path):
    data = AmberGenerative(str(release(tmp_path)), skip_bad=True)
    list(data.questions())
    assert any("vectors=en_core_web_lg" in remark for remark in data.remarks)


def test_a_missing_description_leaves_any_share_open(tmp_path):
    question = next(AmberGenerative(str(release(tmp_path)), skip_bad=True).questions())
    group = Group(1, "amber-generative", question)
    assert Description("chair").measure(Outcome(group, Prediction(1, None))) is None
    assert Description("cover").measure(Outcome(group, Prediction(1, None)), 1.0) == (4.0, 4.0)
    refused = Prediction(1, None, raw="I cannot see a cat.", error="refusal")
    assert Description("chair").measure(Outcome(group, refused)) == (1.0, 1.0)


def test_missing_and_unknown_words_are_refused(tmp_path):
    release(tmp_path / "a")
    (tmp_path / "a" / "safe_words.txt").unlink()
    with pytest.raises(DataError, match=r"relation.json and safe_words.txt"):
        AmberGenerative(str(tmp_path / "a"))
    release(tmp_path / "b")
    (tmp_path / "b" / "relation.json").write_text('{"sky": []}')
    with pytest.raises(BadRecord, match=r"'forest'; it must be an object in relation\.json"):
        list(AmberGenerative(str(tmp_path / "b")).questions())
