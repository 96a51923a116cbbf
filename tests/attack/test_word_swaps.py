"""Proposals word by word, on examples worked by hand."""

from __future__ import annotations

import json

import pytest

from askew.attack.sememe_swaps import SememeSwaps
from askew.attack.synonym_swaps import SynonymSwaps
from askew.errors import AskewError, BadOption
from askew.types import Question

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


def test_synonyms_have_the_inflection_of_the_word_and_its_sense():
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


def test_every_word_is_a_place_and_no_swap_leaves_it_as_it_is():
    for proposals in (SynonymSwaps(), SynonymSwaps("all"), SememeSwaps(), SememeSwaps(most=3, compounds=False)):
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
