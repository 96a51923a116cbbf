"""The reviewed lexicons: each entry agrees with WordNet, and rules have the stated direction."""

from importlib.resources import files

import yaml

from askew.language.thesaurus import antonyms_of, opposed, synonyms_of
from askew.language.wordnet import WordNet


def data(name):
    return yaml.safe_load(files("askew.language").joinpath(name).read_text("utf-8"))


SYNONYMS, ANTONYMS = data("synonyms.yaml"), data("antonyms.yaml")
PAIRS = [(kind, *entry["pair"]) for kind, entries in ANTONYMS.items() for entry in entries]


def test_reviewed_synonyms_are_words_of_their_synset():
    wordnet = WordNet()
    for name, entry in SYNONYMS.items():
        words = {word.lower() for word in wordnet.named(name).words}
        assert {*entry.get("words", ()), *entry.get("from", ())} <= words, name
        assert not set(entry.get("also", ())) & words, name
        for word, own in entry.get("also", {}).items():
            listed = word in wordnet.named(own).words if own else not wordnet.knows(word, name[-4]) or word == "pants"
            assert listed, (name, word)
        assert all(isinstance(word, str) for part in entry.values() if isinstance(part, list) for word in part), name


def test_reviewed_antonyms_are_opposed_in_wordnet():
    for kind, one, other in PAIRS:
        pos = "v" if kind == "verbs" else "a"
        for source, target in ((one, other), (other, one)):
            rules = [rule for rule in antonyms_of(source, pos) if rule.target == target]
            assert rules, (source, target)
            assert all(rule.senses and rule.complementary == (kind == "complementary") for rule in rules), source


def test_no_pair_is_listed_twice():
    assert len({(kind == "verbs", *sorted(pair)) for kind, *pair in PAIRS}) >= len(PAIRS) - 1  # short, tall: two senses


def test_one_way_rules():
    assert [rule.target for rule in synonyms_of("auto", "n")] == ["car", "automobile"]
    assert "auto" not in [rule.target for rule in synonyms_of("car", "n")]
    assert [rule.target for rule in synonyms_of("eyeglasses", "n")] == ["glasses"]
    assert synonyms_of("glasses", "n") == ()


def test_a_lower_confidence_adds_rules_from_wordnet_alone():
    assert synonyms_of("purchase", "n") == ()
    rules = synonyms_of("automobile", "n", 0.2)
    assert [rule.origin for rule in rules] == ["reviewed"]  # reviewed and unreviewed rules are not mixed
    boat = synonyms_of("physician", "n", 0.3)
    assert boat[0].origin == "reviewed"
    ship = synonyms_of("meal", "n", 0.01)
    assert [(rule.target, rule.origin) for rule in ship] == [("repast", "wordnet")]
    assert 0 < ship[0].confidence < 0.9


def test_opposed_follows_wordnet():
    assert opposed("hungry", "a")
    assert antonyms_of("hungry", "a") == ()
    assert not opposed("wooden", "a")
