"""Rewrite rules: each reviewed one with its example and counterexample, and how patterns match."""

from __future__ import annotations

from askew.attack.rewrite_rules import RewriteRule, RuleSwaps, reviewed_rules, rule_of
from askew.attack.word_places import alone
from askew.files.read_write import resource
from askew.language.tagger import Tagger
from askew.types import Question


def rewritten(rules, text):
    """The rewrites of a question, by rule."""
    question = Question(1, None, text)
    candidates = alone(question, RuleSwaps(tuple(rules)).places([question])[0])
    return {candidate.changes[0].rule: candidate.text for candidate in candidates}


def test_every_reviewed_rule_changes_its_example_and_not_its_counterexample():
    entries = resource("attack/rewrite_rules.yaml")["reviewed"]
    assert len({entry["id"] for entry in entries}) == len(entries)
    for entry in entries:
        rule = rule_of(entry)
        assert rewritten([rule], entry["good"]) == {rule.id: entry["becomes"]}, rule
        assert rewritten([rule], entry["bad"]) == {}, rule


def test_the_published_rules_and_the_mistake_of_the_first_one():
    rules = reviewed_rules(published=True)
    assert rewritten(rules, "What is in it?") == {"wp-vbz": "What's in it?"}
    assert rewritten(rules, "Where is the color?") == {
        "adv-is": "Where's the color?",
        "color-colour": "Where is the colour?",
    }
    assert rewritten(rules, "What color is it?") == {
        "what-which": "Which color is it?",
        "color-colour": "What colour is it?",
    }
    assert rewritten(rules, "Who wears a hat?") == {"wp-vbz": "Who's a hat?"}, "sic"


def test_only_the_first_match_is_rewritten():
    rule = RewriteRule("x", ("the",), ("a",))
    assert rewritten([rule], "Is the dog near the cat?") == {"x": "Is a dog near the cat?"}


def test_start_and_end_are_tokens():
    start = RewriteRule("start", ("^", "is"), ("was",))
    end = RewriteRule("end", ("NN", "$"), ("thing",))
    assert rewritten([start], "Is it what is left?") == {"start": "Was it what is left?"}
    assert rewritten([start], "What is it?") == {}
    assert rewritten([end], "Is the dog near the cat?") == {"end": "Is the dog near the thing?"}
    assert rewritten([end], "Is the cat red?") == {}


def test_tags_and_choices_in_a_replacement_take_the_matched_tokens_in_order():
    rule = RewriteRule("x", ("NN", "and", "NN"), ("NN", "plus", "NN"))
    assert rewritten([rule], "Is it a man and woman?") == {"x": "Is it a man plus woman?"}
    choice = RewriteRule("y", ("the|a", "big"), ("the|a", "large"))
    assert rewritten([choice], "Is it a big dog?") == {"y": "Is it a large dog?"}
    assert rewritten([RewriteRule("z", ("is", "PRP"), ("PRP", "is"))], "Where is it?") == {"z": "Where it is?"}


def test_apostrophes_are_attached():
    rule = RewriteRule("x", ("is", "not"), ("is", "n't"))
    assert rewritten([rule], "Why is not it red?") == {"x": "Why isn't it red?"}
    possessive = RewriteRule("y", ("NN", "'s"), ("woman", "'s"))
    assert rewritten([possessive], "Is the man's hat red?") == {"y": "Is the woman's hat red?"}


def test_an_empty_question_is_not_rewritten():
    questions = [Question(1, None, text) for text in ("", "?", "Colour?")]
    assert RuleSwaps().places(questions) == [(), (), ()]
    assert Tagger().tags([""]) == [()]
