"""LASSO with coefficients of either sign: by hand, against linear programming, and by the optimality conditions."""

import numpy as np
import pytest
import scipy
from bag_encoder import Bag, template_pool
from scipy.optimize import nnls
from test_lasso import vector_file

from askew.rank.lasso import Lasso
from askew.rank.lasso.signed import SignedPool, Vertex

LAMBDA = 1e-6


def unit_rows(count, width, seed=0):
    rows = np.random.default_rng(seed).standard_normal((count, width))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def true_gap(rows, target, out, solution):
    """Primal minus dual, from the coefficients alone."""
    x = np.zeros(len(rows))
    x[solution.columns] = solution.x
    residual = target - x @ rows
    c = np.delete(np.abs(rows @ residual), out)
    dual = residual * min(1.0, LAMBDA / c.max())
    primal = 0.5 * residual @ residual + LAMBDA * np.abs(x).sum()
    return primal - (0.5 * target @ target - 0.5 * (target - dual) @ (target - dual)), primal


def test_two_axes_by_hand(tmp_path):
    encoder = vector_file(tmp_path, {"east?": (1, 0), "north?": (0, 1), "between?": (0.6, 0.8), "b?": (0.8, -0.6)})
    ranked = Lasso(sign="free", lambda_=0.1, encoder=encoder).fit(["north?", "between?", "east?"]).top(["b?"], 3)[0]
    assert ranked.indices == (2, 1, 0)  # a share of 0.7, none, and minus 0.5
    assert ranked.scores == pytest.approx((0.7, 0.0, -0.5), abs=1e-7)
    assert ranked.proof["certified"] == 3


def least_objective(rows, target):
    """The minimum by way of the dual alone: the point of |aⱼ·θ| ≤ λ nearest to the target, by Lawson and Hanson's LDP.

    u = θ − b of least length with −A u ≥ A b − λ and A u ≥ −A b − λ is read off a least-squares problem without signs.
    """
    c = rows @ target
    design = np.vstack([np.hstack([-rows.T, rows.T]), np.concatenate([c - LAMBDA, -c - LAMBDA])])
    aim = np.append(np.zeros(len(target)), 1.0)
    rest = design @ nnls(design, aim, maxiter=20_000)[0] - aim
    theta = target - rest[:-1] / rest[-1]
    if np.abs(rows @ theta).max() > LAMBDA * (1 + 1e-6):
        pytest.skip(f"SciPy {scipy.__version__}'s nnls does not solve the reference problem")
    return target @ theta - 0.5 * theta @ theta


def test_the_objective_agrees_with_a_reference_that_solves_the_dual():
    rows = Bag(width=32).encode(template_pool(5000))
    for number, solution in SignedPool.of(rows).solve(rows[:10], [[n] for n in range(10)], LAMBDA):
        proof = solution.certificate
        assert proof.gap <= 1e-6 * proof.objective
        assert proof.support <= 32
        reference = least_objective(np.delete(rows, number, axis=0).astype(float), rows[number].astype(float))
        assert proof.objective == pytest.approx(reference, abs=proof.gap + 1e-14)


def test_every_question_is_certified_and_its_gap_is_correct():
    pool = template_pool(1500)
    fitted = Lasso(sign="free", encoder=Bag()).fit(pool)
    rows = fitted.columns.vectors.astype(float)
    for number, solution in SignedPool.of(fitted.columns.vectors).solve(
        fitted.columns.vectors[:40], [[n] for n in range(40)], LAMBDA
    ):
        gap, primal = true_gap(rows, rows[number], number, solution)
        assert solution.certificate.gap <= 1e-6 * solution.certificate.objective
        assert gap <= 1e-6 * primal + 1e-15
        assert number not in solution.columns


def test_ranking_is_by_sign_certified_and_the_same_in_any_batch():
    pool = template_pool(1500)
    fitted = Lasso(sign="free", encoder=Bag()).fit(pool)
    together = fitted.top(pool[:20], 21)
    assert together == [fitted.top([text], 21)[0] for text in pool[:20]]
    assert all(list(ranked.scores) == sorted(ranked.scores, reverse=True) for ranked in together)
    assert sum(ranked.proof["certified"] == 21 for ranked in together) >= 18


def test_the_pool_is_prepared_once(monkeypatch):
    fitted = Lasso(sign="free", encoder=Bag()).fit(template_pool(100))
    first = fitted.top(["Why is the dog purple?"], 5)
    monkeypatch.setattr(SignedPool, "of", None)
    assert fitted.top(["Why is the dog purple?"], 5) == first


def test_fewer_questions_than_dimensions():
    pool = template_pool(30)
    fitted = Lasso(sign="free", encoder=Bag()).fit(pool)
    rows = fitted.columns.vectors.astype(float)
    ranked = fitted.top(["Why is the dog purple?"], 30)[0]
    assert len(ranked.indices) == 30
    x = np.zeros(30)
    x[list(ranked.indices)] = ranked.scores
    c = rows @ (Bag().encode(["Why is the dog purple?"])[0].astype(float) - x @ rows)
    assert np.abs(c).max() <= LAMBDA + 1e-9
    assert np.abs(c[x != 0] - LAMBDA * np.sign(x[x != 0])).max() < 1e-9


def test_pivots_lead_from_a_wrong_support_to_the_correct_one():
    rows = unit_rows(200, 12)
    right = next(SignedPool.of(rows).solve(rows[:1], [[0]], LAMBDA))[1]
    wrong = np.arange(1, 9)
    vertex = Vertex.at(rows, rows[0].astype(float), LAMBDA, wrong, np.ones(8))
    vertex = vertex.improved(np.arange(1, 200))
    assert vertex.columns.tolist() == right.columns.tolist()
    assert vertex.x == pytest.approx(right.x, abs=1e-9)


@pytest.mark.parametrize("penalty", [1e-7, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1])
def test_every_penalty_is_solved(penalty):
    rows = Bag(width=48).encode(template_pool(2000))
    for number, solution in SignedPool.of(rows).solve(rows[:4], [[n] for n in range(4)], penalty):
        residual = rows[number] - solution.x @ rows[solution.columns].astype(float)
        c = np.delete(rows.astype(float) @ residual, number)
        assert np.abs(c).max() <= penalty * (1 + 1e-6)
        own = rows[solution.columns].astype(float) @ residual
        assert own == pytest.approx(penalty * np.sign(solution.x), rel=1e-6)


def test_a_question_without_a_vector_has_no_weights():
    rows = unit_rows(100, 8)
    solution = next(SignedPool.of(rows).solve(np.zeros((1, 8), np.float32), [[]], LAMBDA))[1]
    assert len(solution.columns) == 0
    assert solution.certificate.gap == 0


def test_columns_that_span_less_without_the_excluded_one():
    rows = np.eye(3, dtype=np.float32)
    solution = next(SignedPool.of(rows).solve(rows[:1] * 0.8 + rows[1:2] * 0.6, [[0]], LAMBDA))[1]
    assert solution.columns.tolist() == [1]
    assert solution.x == pytest.approx([0.6 - LAMBDA], abs=1e-7)
    assert solution.certificate.gap <= 1e-12
