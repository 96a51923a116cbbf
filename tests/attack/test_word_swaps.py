"""Proposals word by word, on examples worked by hand."""

from __future__ import annotations

import json

import pytest

from askew.attack.constraints import FewLetters
from askew.attack.model_swaps import VectorSwaps
from askew.attack.similarity import edit_distance
from askew.attack.validity import GrammarRules
from askew.attack.word_places import reworded
from askew.attack.word_swaps import SememeSwaps, SynonymSwaps, TypoSwaps, typos
from askew.errors import AskewError, BadOption
from askew.types import Place, Question, Swap

QUESTIONS = [
    Question(number, None, text)
    for number, text in enumerate(
        (
            "Are the cars next to the hot dog stand?",
            "What is the man's T-shirt like?",
            "How do you spell couch?",
            "Is there a bigger couch?",
            "",
            "?",
        )
    )
]


def swaps(proposals, text):
    places = proposals.places([Question(1, None, text)])[0]
    return {place.text: [swap.text for swap in place.swaps] for place in places if place.swaps}


def test_synonyms_match_the_inflection_and_the_sense_of_the_word():
    found = swaps(SynonymSwaps(), "Are the cars near the couch?")
    assert found == {"cars": ["automobiles"], "couch": ["sofa"]}
    assert "machines" in swaps(SynonymSwaps("all"), "Are the cars here?")["cars"]
    assert swaps(SynonymSwaps(), "How do you spell couch?") == {}
    assert swaps(SynonymSwaps(), "Is it a phone booth?") == {}


def test_words_of_the_same_kind_share_a_direct_hypernym():
    found = swaps(SememeSwaps(), "Are the zebras near the pond?")
    assert found["zebras"] == ["horses", "mules"]
    assert "ikon" not in swaps(SememeSwaps(), "Is it in the picture?")["picture"]
    assert "dog" not in swaps(SememeSwaps(), "Is it a hot dog?")
    assert "dog" in swaps(SememeSwaps(compounds=False), "Is it a hot dog?")


def test_every_word_is_a_place_and_every_swap_changes_it():
    for proposals in (
        SynonymSwaps(),
        SynonymSwaps("all"),
        SememeSwaps(),
        SememeSwaps(most=3, compounds=False),
        TypoSwaps(),
    ):
        together = proposals.places(QUESTIONS)
        assert together == [proposals.places([question])[0] for question in QUESTIONS]
        assert [len(places) for places in together] == [9, 7, 5, 5, 0, 0], proposals
        for question, places in zip(QUESTIONS, together, strict=True):
            assert [place.start for place in places] == sorted(place.start for place in places)
            for place in places:
                assert question.text[place.start : place.end] == place.text
                assert place.text.lower() not in [swap.text for swap in place.swaps]
                assert len({swap.text for swap in place.swaps}) == len(place.swaps)


def test_a_users_sememe_table_is_read(tmp_path):
    file = tmp_path / "sememes.json"
    file.write_text(json.dumps({"zebra": {"noun": ["pony", "zebra"]}, "big": {"ADJ": ["large"]}}))
    proposals = SememeSwaps(str(file))
    assert swaps(proposals, "Are the big zebras near a pond?") == {"big": ["large"], "zebras": ["ponies"]}
    assert str(tmp_path) not in repr(proposals)
    before = repr(proposals)
    file.write_text(json.dumps({"zebra": {"noun": ["ass"]}}))
    assert repr(SememeSwaps(str(file))) != before
    assert swaps(SememeSwaps(str(file)), "Is it a zebra?") == {"zebra": ["ass"]}


def test_a_bad_sememe_table_is_refused_in_one_line(tmp_path):
    file = tmp_path / "sememes.json"
    for content in (
        "[]",
        "{",
        "{}",
        '{"a": 1}',
        '{"a": {"noun": "b"}}',
        '{"a": {"noun": [1]}}',
        '{"a": {"xyz": ["b"]}}',
    ):
        file.write_text(content)
        with pytest.raises(AskewError) as caught:
            SememeSwaps(str(file)).places(QUESTIONS)
        message = str(caught.value)
        assert message.startswith(str(file))
        assert "{word: {pos: [candidates]}}" in message
        assert "\n" not in message
    with pytest.raises(AskewError, match="cannot be read"):
        SememeSwaps(str(tmp_path / "none.json")).places(QUESTIONS)


def test_options_are_checked():
    for make in (lambda: SynonymSwaps("some"), lambda: SynonymSwaps(confidence=2.0), lambda: SememeSwaps(most=0)):
        with pytest.raises(BadOption):
            make()


def test_typing_errors_keep_first_and_last_letters_and_never_make_another_word():
    rules = GrammarRules()
    kinds = set()
    for word in ("horse", "frisbee", "Where", "TABLE", "bats"):
        found = typos(word)
        assert found, word
        for new, kind in found:
            kinds.add(kind)
            assert (new[0], new[-1]) == (word[0], word[-1])
            assert edit_distance(word, new) == (2 if kind == "swap" else 1)
            assert not rules.knows(new.lower())
    assert kinds == {"swap", "delete", "insert", "substitute"}
    substituted = [swap.text for swap in typos("horse") if swap.rule == "substitute"]
    assert substituted == ["hirse", "hprse", "hoese", "hotse", "horae"], "horde is a word"
    for short in ("dog", "", "3d", "ab-cd", "naïve"):
        assert typos(short) == ()
    question = Question(1, None, "Is the horse brown?")
    two = reworded(question, {Place(7, 12, "horse"): Swap("hrose"), Place(13, 18, "brown"): Swap("brwn")})
    assert FewLetters().keep(question, [two, reworded(question, {Place(7, 12, "horse"): Swap("hrose")})]) == [
        False,
        True,
    ]


def vectors(tmp_path, text):
    file = tmp_path / "vectors.txt"
    file.write_text(text, encoding="utf-8")
    return str(file)


def test_neighbours_in_a_users_vectors(tmp_path):
    file = vectors(tmp_path, "dogs 1 0\nhounds 0.9 0.1\nhound 0.95 0.05\ncats 0.6 0.8\nred 0 1\ndogs 0 1\n")
    found = swaps(VectorSwaps(file, least=0.7), "Are the dogs here?")
    assert found == {"dogs": ["hounds"]}, "hound is singular, and cats have a cosine of 0.6"
    assert swaps(VectorSwaps(file, compounds=False), "Are the dogs here?") == {"dogs": ["hound", "hounds", "cats"]}
    assert swaps(VectorSwaps(file, compounds=False, most=1), "Are the dogs here?") == {"dogs": ["hound"]}
    assert str(tmp_path) not in repr(VectorSwaps(file))
    assert repr(VectorSwaps(file)) != repr(VectorSwaps(file, compounds=False)), "other swaps, another signature"
    with_header = vectors(tmp_path, "2 2\ndogs 1 0\nhounds 0.9 0.1\n")
    assert swaps(VectorSwaps(with_header), "Are the dogs here?") == {"dogs": ["hounds"]}


def test_a_bad_vector_file_is_refused_in_one_line(tmp_path):
    for content, said in (
        ("", "empty"),
        ("\n\n", "no word"),
        ("dog 1 2\ncat 1\n", "line 2 has 1 numbers, not 2 numbers"),
        ("dog 1 2\ncat 1 x\n", "line 2"),
        ("dog 1 nan\n", "not finite"),
        ("dog\n", "at least two numbers"),
    ):
        file = vectors(tmp_path, content)
        with pytest.raises(AskewError, match=said) as caught:
            VectorSwaps(file).places(QUESTIONS)
        assert str(caught.value).startswith(file)
        assert "\n" not in str(caught.value)
    with pytest.raises(AskewError, match=r"none\.txt"):
        VectorSwaps(str(tmp_path / "none.txt")).places(QUESTIONS)
    binary = tmp_path / "binary.txt"
    binary.write_bytes(b"\xe9t\xe9 1 2\n")
    with pytest.raises(AskewError, match="line 1"):
        VectorSwaps(str(binary)).places(QUESTIONS)
    with pytest.raises(BadOption):
        TypoSwaps(least=2)
    for options in ({"least": 2.0}, {"most": 0}, {"most": 201}):
        with pytest.raises(BadOption):
            VectorSwaps(file, **options)
