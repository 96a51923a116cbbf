"""The paraphrase rules: each does what its example says and leaves its counter-example alone."""

import pytest

from askew.errors import DataError
from askew.language.paraphrases import Paraphrase, Paraphrases, reviewed
from askew.language.tagger import Tagger
from askew.perturb.lexical.substitutions import Edit, edited

TRIALS = [trial for rule in reviewed() for trial in ((rule, *rule.good), (rule, rule.bad, None))]


def said(rules, question):
    tokens = Tagger().tags([question])[0]
    found = Paraphrases(rules).find(question, tokens)
    return [edited(question, [Edit(tokens[f.first].start, tokens[f.last].end, f.text, f.rule.id)]) for f in found]


def test_there_are_at_least_150_rules_with_unique_ids():
    assert len(reviewed()) >= 150
    assert len({rule.id for rule in reviewed()}) == len(reviewed())


def test_examples():
    assert len(TRIALS) > 400
    found = {(rule.id, question): (said((rule,), question), becomes) for rule, question, becomes in TRIALS}
    wrong = {case: pair for case, pair in found.items() if pair[0] != ([] if pair[1] is None else [pair[1]])}
    assert not wrong


def test_a_noun_phrase_is_matched_as_a_whole():
    rule = Paraphrase("x", "near [NP]", "close to [1]")
    assert said((rule,), "Is he near the old red fire truck?") == ["Is he close to the old red fire truck?"]
    assert said((rule,), "Is he near the man's hat?") == ["Is he close to the man's hat?"]
    assert said((rule,), "Is he near it?") == []


def test_a_noun_phrase_may_have_to_be_singular_or_plural():
    one, many = Paraphrase("x", "near [NP/NN]", "by [1]"), Paraphrase("y", "near [NP/NNS]", "beside [1]")
    assert said((one, many), "Is he near the dogs' bowl?") == ["Is he by the dogs' bowl?"]
    assert said((one, many), "Is he near the man's dogs?") == ["Is he beside the man's dogs?"]


def test_a_rule_is_found_once_however_many_of_its_words_occur():
    rule = Paraphrase("x", "in the [picture|photo]", "on the [1]")
    assert said((rule,), "Is the photo in the picture?") == ["Is the photo on the picture?"]


def test_a_rule_may_match_twice():
    rule = Paraphrase("x", "next to", "beside")
    assert len(said((rule,), "Is the cat next to the dog next to the tree?")) == 2


@pytest.mark.parametrize(
    ("source", "target", "fault"), [("[NP]", "it", "no word"), ("on [NP]", "by [2]", "refers to a slot")]
)
def test_bad_rules_are_refused(source, target, fault):
    with pytest.raises(DataError, match=fault):
        said((Paraphrase("x", source, target),), "Is it?")
