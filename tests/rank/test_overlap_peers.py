"""The scores of pycocoevalcap and NLTK on every pair."""

from __future__ import annotations

from types import SimpleNamespace

import pytest
from overlap_pool import NOUNS, questions

from askew.answers.normalise import tokens
from askew.language.wordnet import WordNet
from askew.rank.overlap import Bleu, Cider, Meteor, Rouge
from askew.rank.overlap.meteor import stem, synonyms
from askew.rank.ranking import QuestionPool

POOL = [text for text in QuestionPool.of(questions(150)).texts if tokens(text)]
ASKED = [*questions(14, seed=2)[:9], "Zebra quagga dogs?", "the cat the dog the cat"]


def plain(text):
    return " ".join(tokens(text))


def assert_same(ranker, expected):
    """Every score equals the peer's: ``expected(question, pool)`` gives them in the pool's order."""
    for ranked in ranker.fit(POOL).top(ASKED, len(POOL)):
        theirs = [float(score) for score in expected(plain(ranked.text), [plain(text) for text in POOL])]
        assert ranked.scores == pytest.approx([theirs[index] for index in ranked.indices], rel=0, abs=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 4])
def test_bleu_equals_pycocoevalcap(n):
    peer = pytest.importorskip("pycocoevalcap.bleu.bleu")

    def expected(question, pool):
        pairs = dict(enumerate(pool))
        asked = {number: [question] for number in pairs}
        return peer.Bleu(4).compute_score(asked, {i: [text] for i, text in pairs.items()}, verbose=0)[1][n - 1]

    assert_same(Bleu(n), expected)


def test_rouge_equals_pycocoevalcap():
    peer = pytest.importorskip("pycocoevalcap.rouge.rouge")
    assert_same(Rouge(), lambda question, pool: [peer.Rouge().calc_score([text], [question]) for text in pool])


def test_cider_equals_pycocoevalcap():
    peer = pytest.importorskip("pycocoevalcap.cider.cider")

    def expected(question, pool):
        references = {number: [text] for number, text in enumerate(pool)}
        return peer.Cider().compute_score(references, {number: [question] for number in references})[1]

    assert_same(Cider(), expected)


class Meanings:
    """Our WordNet with the interface that NLTK's METEOR needs."""

    def synsets(self, word):
        names = [SimpleNamespace(name=lambda name=name: name) for name in sorted(synonyms(word))]
        return [SimpleNamespace(lemmas=lambda: names)]


def test_meteor_equals_nltk():
    peer = pytest.importorskip("nltk.translate.meteor_score")

    def expected(question, pool):
        score = peer.single_meteor_score
        return [score(question.split(), text.split(), wordnet=Meanings()) for text in pool]

    assert_same(Meteor(), expected)


def test_plain_bleu_equals_nltk_without_smoothing():
    peer = pytest.importorskip("nltk.translate.bleu_score")
    for ranked in Bleu(2, quirks="none").fit(POOL).top(ASKED, 9):
        for index, score in zip(ranked.indices, ranked.scores, strict=True):
            if score > 0:
                theirs = peer.sentence_bleu([tokens(ranked.text)], tokens(POOL[index]), weights=(0.5, 0.5))
                assert score == pytest.approx(theirs, abs=1e-12)


def test_stems_equal_nltk():
    peer = pytest.importorskip("nltk.stem.porter").PorterStemmer()
    known = WordNet()
    words = [
        name for noun in NOUNS for sense in known.senses(noun, "n") for name in (*sense.words, *sense.gloss.split())
    ]
    endings = (
        "",
        "s",
        "ies",
        "ied",
        "eed",
        "ed",
        "ing",
        "y",
        "alli",
        "logi",
        "ational",
        "fulli",
        "ness",
        "ion",
        "ll",
        "e",
    )
    tried = {word + ending for word in words for ending in endings} | {
        "flies",
        "dies",
        "sky",
        "dying",
        "feed",
        "yyy",
        "a",
    }
    assert {word: stem(word) for word in tried} == {word: peer.stem(word) for word in tried}


def test_synonyms_are_those_of_every_form_and_part_of_speech():
    """By hand from WordNet 3.0; NLTK also takes "boss" for a plural of the genus "Bos"."""
    assert {"chief", "foreman", "Bos"} <= synonyms("boss")
    assert {"dog", "hound", "tail"} <= synonyms("dogs")
    assert not any("_" in word for word in synonyms("dogs"))
