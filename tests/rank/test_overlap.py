"""Seven text metrics as rankers: by hand, and laws for each."""

from __future__ import annotations

import pickle

import pytest
from overlap_pool import questions

from askew.errors import BadOption, DataError
from askew.rank.overlap import Bleu, Cider, Meteor, Rouge
from askew.rank.overlap.top_k import UNIT
from askew.rank.ranking import QuestionPool

RANKERS = [Bleu(1), Bleu(2), Bleu(3), Bleu(4), Bleu(4, quirks="none"), Rouge(), Cider(), Meteor(), Meteor("words")]
POOL = questions(300)
ASKED = [*questions(12, seed=1), *POOL[:4], "Zebra quagga?", "is the is the is", "§"]
each_ranker = pytest.mark.parametrize("ranker", RANKERS, ids=repr)


def keys(scores):
    return [round(score * UNIT) for score in scores]


@each_ranker
def test_the_few_best_are_the_first_of_the_whole_ranking(ranker):
    """With k as large as the pool nothing can be pruned, so this compares with a full scan."""
    fitted = ranker.fit(POOL)
    whole = fitted.top(ASKED, len(POOL))
    for k in (1, 3, 21):
        for few, every in zip(fitted.top(ASKED, k), whole, strict=True):
            assert few.indices == every.indices[:k]
            assert few.scores == every.scores[:k]
            rounded = keys(every.scores)
            last = rounded[k - 1]
            assert few.proof == {"ties": rounded.count(last), "at_least": sum(key >= last for key in rounded)}


@each_ranker
def test_a_complete_ranking_is_sorted_and_has_every_other_text_once(ranker):
    fitted = ranker.fit(POOL)
    pool = QuestionPool.of(POOL)
    for text, ranked in zip(ASKED, fitted.top(ASKED, 10**6), strict=True):
        assert sorted(ranked.indices) == [i for i in range(len(pool)) if i != pool.find(text)]
        order = [(-key, index) for key, index in zip(keys(ranked.scores), ranked.indices, strict=True)]
        assert order == sorted(order)


@each_ranker
def test_the_same_in_any_batch_and_order_and_after_pickling(ranker):
    fitted = ranker.fit(POOL)
    together = fitted.top(ASKED, 5)
    assert [fitted.top([text], 5)[0] for text in ASKED] == together
    assert fitted.top(ASKED[::-1], 5)[::-1] == together
    assert pickle.loads(pickle.dumps(fitted)).top(ASKED, 5) == together
    assert fitted.top([], 5) == []


@each_ranker
def test_shuffling_ties_keeps_scores_and_group_sizes(ranker):
    from dataclasses import replace

    plain = ranker.fit(POOL).top(ASKED, 7)
    shuffled = replace(ranker, ties="seeded:3").fit(POOL).top(ASKED, 7)
    assert [r.proof for r in plain] == [r.proof for r in shuffled]
    assert [keys(r.scores) for r in plain] == [keys(r.scores) for r in shuffled]
    assert shuffled == replace(ranker, ties="seeded:3").fit(POOL).top(ASKED, 7)
    if not isinstance(ranker, Cider):
        assert [r.indices for r in plain] != [r.indices for r in shuffled]


@each_ranker
def test_the_question_itself_is_never_ranked_in_any_spelling(ranker):
    fitted = ranker.fit(["Is it red?", "is it blue", "where"])
    assert [r.indices[0] for r in fitted.top(["is it  RED", "Is it red?"], 1)] == [1, 1]


@pytest.mark.parametrize("ranker", [Bleu(4), Rouge(), Cider(), pytest.param(Meteor(), marks=pytest.mark.soak)])
def test_texts_of_more_than_255_words(ranker):
    long = " ".join(f"w{i % 150} the" for i in range(300))
    pool = [*POOL[:40], long, long + " end", "start " + long]
    fitted = ranker.fit(pool)
    whole, few = fitted.top([long, "the dog"], 99), fitted.top([long, "the dog"], 2)
    assert [r.indices[:2] for r in whole] == [r.indices for r in few]
    last = len(fitted.index.pool) - 1
    assert set(few[0].indices) == {last - 1, last}
    assert fitted.top(["the " * 600], 2)[0].scores == fitted.top(["the " * 600], 99)[0].scores[:2]


def test_rouge_by_hand():
    """a c e of a b c d e: P = 3/4, R = 3/5, β² = 1.44: 2.44 · 0.45 / (0.6 + 1.08)."""
    (ranked,) = Rouge().fit(["a c x e"]).top(["a b c d e"], 1)
    assert ranked.scores[0] == pytest.approx(2.44 * 0.45 / 1.68, abs=1e-15)


def test_plain_bleu_by_hand():
    """Words 3/4 (the second "the" is one too many), pairs 1/3, one word short: exp(1 - 5/4)."""
    (ranked,) = Bleu(2, quirks="none").fit(["the the red cat"]).top(["the cat is red now"], 1)
    assert ranked.scores[0] == 0.0
    (ranked,) = Bleu(2, quirks="none").fit(["the the red cat"]).top(["the red is cat now"], 1)
    assert ranked.scores[0] == pytest.approx((3 / 4 * 1 / 3) ** 0.5 * 2.718281828459045**-0.25, abs=1e-15)


def test_bleu4_of_a_text_too_short_for_it_beats_a_longer_one_without_a_match_quirks_included():
    """*Sic*: pycocoevalcap divides 10⁻¹⁵ by 10⁻⁹ if there is no 4-gram at all, and by 1 if there is one."""
    pool = ["is it a", "is it a cat"]
    assert Bleu(4).fit(pool).top(["is it a dog"], 2)[0].indices == (0, 1)
    assert Bleu(4, quirks="none").fit(pool).top(["is it a dog"], 2)[0].scores == (0.0, 0.0)


def test_pairs_can_match_as_often_as_single_words():
    """ "a b a" and "b a b" share two words and two pairs, which a bound of words less one would hide."""
    pool = ["b a b", "a x", "x b", "a", "b"]
    few, every = (Bleu(2, quirks="none").fit(pool).top(["a b a"], k)[0] for k in (1, 5))
    assert few.indices == (0,) == every.indices[:1]
    assert few.scores[0] == pytest.approx((2 / 3 * 2 / 2) ** 0.5)


def test_meteor_finds_synonyms_of_words_that_stems_hide():
    pool, asked = ["what picture", "what zebra"], ["what pic"]
    assert len(set(Meteor().fit(pool).top(asked, 2)[0].scores)) == 1
    assert Meteor("words").fit(pool).top(asked, 2)[0].scores[0] > 0.9


def test_ties_and_at_least_by_hand():
    pool = ["is it red", "is it blue", "is it green", "is x y", "u v w"]
    (ranked,) = Rouge().fit(pool).top(["is it pink"], 2)
    assert ranked.indices == (0, 1)
    assert ranked.proof == {"ties": 3, "at_least": 3}
    (ranked,) = Rouge().fit(pool).top(["is it pink"], 4)
    assert ranked.proof == {"ties": 1, "at_least": 4}


@pytest.mark.parametrize(
    "wrong",
    [lambda: Bleu(5), lambda: Bleu(4, "nltk"), lambda: Rouge(ties="x"), lambda: Meteor("lemmas"), lambda: Cider(0)],
)
def test_wrong_options_are_refused(wrong):
    with pytest.raises(BadOption):
        wrong()


def test_an_empty_pool_and_no_questions():
    with pytest.raises(DataError):
        Rouge().fit(["?"])
    with pytest.raises(BadOption):
        Rouge().fit(["is it"]).top(["is it"], 0)
    assert Rouge().fit(["is it"]).top(["is it"], 3)[0].indices == ()
