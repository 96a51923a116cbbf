"""Proposals of a masked language model: a tiny one with known weights, in a local folder."""

from __future__ import annotations

import pytest

from askew.attack.model_swaps import MaskedSwaps
from askew.errors import AskewError, BadOption
from askew.types import Question

torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")
WORDS = [
    "[PAD]",
    "[UNK]",
    "[CLS]",
    "[SEP]",
    "[MASK]",
    "is",
    "the",
    "dog",
    "hound",
    "cat",
    "big",
    "##s",
    "##ish",
    "?",
    "at",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A BERT of random weights whose scores have a known order: the later in the vocabulary, the likelier."""
    path = tmp_path_factory.mktemp("masked")
    (path / "vocab.txt").write_text("\n".join(WORDS))
    tokenizer = transformers.BertTokenizerFast(str(path / "vocab.txt"))
    torch.manual_seed(0)
    config = transformers.BertConfig(
        vocab_size=len(WORDS), hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8
    )
    model = transformers.BertForMaskedLM(config)
    with torch.no_grad():
        model.cls.predictions.bias.copy_(torch.arange(len(WORDS)) * 100.0)
    model.save_pretrained(path)
    tokenizer.save_pretrained(path)
    return path


def swaps(proposals, text):
    places = proposals.places([Question(1, None, text)])[0]
    return {place.text: [swap.text for swap in place.swaps] for place in places if place.swaps}


def test_the_likeliest_whole_words_are_proposed(folder):
    assert swaps(MaskedSwaps(str(folder)), "Is the dog big?") == {
        "dog": ["big", "cat", "hound"],
        "big": ["cat", "hound", "dog"],
    }
    assert swaps(MaskedSwaps(str(folder), most=5), "Is the dog big?") == {"dog": ["big"]}, "at, ?, ##ish, ##s, big"


def test_a_word_of_several_pieces_is_masked_as_a_whole(folder):
    assert swaps(MaskedSwaps(str(folder)), "Is the bigish?")["bigish"] == ["big", "cat", "hound", "dog"]


def test_the_signature_depends_on_content_not_on_path(folder):
    assert str(folder.parent) not in repr(MaskedSwaps(str(folder)))
    assert "content=" in repr(MaskedSwaps(str(folder)))


def test_a_folder_without_a_model_is_refused_in_one_line(folder, tmp_path):
    with pytest.raises(AskewError, match=r"no config\.json"):
        MaskedSwaps(str(tmp_path)).places([Question(1, None, "Is it?")])
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(AskewError, match="cannot be loaded") as caught:
        MaskedSwaps(str(tmp_path)).places([Question(1, None, "Is the dog big?")])
    assert "\n" not in str(caught.value)
    with pytest.raises(BadOption):
        MaskedSwaps(str(folder), most=0)
