"""Word-sense disambiguation, measured on a labelled set of our own, and the vocabulary of a data set."""

from collections import Counter
from pathlib import Path

import pytest
import yaml

from askew.language.senses import WordCounts, _clue_words, likely_sense, words_of
from askew.language.wordnet import WordNet

LABELLED = yaml.safe_load(Path(__file__).with_name("senses_labelled.yaml").read_text(encoding="utf-8"))


def accuracy(choose):
    wordnet = WordNet()
    right = 0
    for question, word, names in LABELLED:
        assert word in question.lower().replace("drapes", "drape")
        pos = names[0].split(".")[1]
        right += choose(word, pos, words_of(question)) in [wordnet.named(name) for name in names]
    return right / len(LABELLED)


def test_accuracy_on_the_labelled_set():
    """The figure that the documentation gives; the parameters were chosen on this set (by halves: 0.78 and 0.83)."""
    assert len(LABELLED) == 80
    assert accuracy(likely_sense) == pytest.approx(0.84, abs=0.005)


def test_better_than_the_most_frequent_sense():
    assert accuracy(lambda word, pos, _: WordNet().senses(word, pos)[0]) == pytest.approx(0.56, abs=0.005)


def test_context_decides():
    wordnet = WordNet()
    assert likely_sense("trunk", "n", words_of("How thick is the trunk of the tree?")) == wordnet.named("trunk.n.01")
    assert likely_sense("trunk", "n", words_of("Is the elephant's trunk up?")) == wordnet.named("trunk.n.05")


def test_the_word_itself_and_function_words_are_not_context():
    assert _clue_words("bank", "n").isdisjoint({"bank", "the", "is"})


def test_an_unknown_word_has_no_sense():
    assert likely_sense("qxz", "n", ["a"]) is None


def test_a_word_with_one_sense_has_it_in_any_context():
    assert likely_sense("automobile", "n", ["river"]) == WordNet().named("car.n.01")


def test_least_counts_occurrences():
    vocabulary = WordCounts(Counter(words_of("a cat, the cat, a dog")), least=2)
    assert vocabulary.holds("cat")
    assert not vocabulary.holds("dog")
    assert not vocabulary.holds("a cat and a dog")
    assert vocabulary.holds("a cat")
    assert vocabulary.holds("Cat")


def test_a_text_is_split_into_lower_case_words():
    assert words_of("Is the T-shirt WHITE/red?") == ("is", "the", "t-shirt", "white", "red")
    assert words_of("") == ()


def test_an_empty_vocabulary_does_not_contain_every_word():
    assert not WordCounts(Counter(words_of(""))).holds("cat")
    assert WordCounts(Counter(words_of(""))).holds("")
