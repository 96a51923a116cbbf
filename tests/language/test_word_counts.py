"""The vocabulary of a data set."""

from askew.language.word_counts import WordCounts, words_of


def test_least_counts_occurrences():
    vocabulary = WordCounts.of(["a cat", "the cat", "a dog"], least=2)
    assert vocabulary.holds("cat")
    assert not vocabulary.holds("dog")
    assert not vocabulary.holds("a cat and a dog")
    assert vocabulary.holds("a cat")
    assert vocabulary.holds("Cat")


def test_words_are_told_apart_by_what_people_see():
    assert words_of("Is the T-shirt WHITE/red?") == ("is", "the", "t-shirt", "white", "red")
    assert words_of("") == ()


def test_nothing_read_is_not_everything():
    assert not WordCounts.of([]).holds("cat")
    assert WordCounts.of([]).holds("")
