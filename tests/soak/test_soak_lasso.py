"""Long runs of the certified LASSO: a certificate for each of 5,000 questions, and scikit-learn's order."""

import numpy as np
import pytest

from askew.rank.lasso import Lasso, nonnegative
from askew.rank.pool_vectors import one_thread

pytestmark = pytest.mark.soak

LAMBDA = 1e-6


@pytest.fixture(scope="module")
def fitted(real_data):
    """5,000 real questions."""
    text = real_data("questions/vqa_v2_train_25k.txt").read_text(encoding="utf-8")
    texts = list(dict.fromkeys(text.splitlines()))
    return Lasso().fit(texts[:5000])


def test_every_question_of_a_real_pool_is_certified(fitted, record_property):
    """Each gap is within the definition of exact, and the first 21 are in their proven order."""
    rows, count = fitted.columns.vectors, len(fitted.columns)
    gaps, supports, worst = np.empty(count), np.empty(count), 0.0
    with one_thread():
        for number, solution in nonnegative.solve(rows, rows, [[number] for number in range(count)], LAMBDA):
            gaps[number], supports[number] = solution.certificate.gap, solution.certificate.support
            assert number not in solution.columns
            if number % 25 == 0:
                c = rows.astype(np.float64) @ solution.residual
                c[number] = -1
                worst = max(worst, c.max() - LAMBDA, np.abs(c[solution.columns] - LAMBDA).max())
    proven = [int(ranked.proof["certified"]) for ranked in fitted.top(fitted.columns.pool.texts, 21)]
    print(
        f"{count} questions: largest gap {gaps.max():.1e}, support {supports.mean():.0f} "
        f"[{supports.min():.0f}, {supports.max():.0f}], optimality conditions off by {worst:.1e} at most; "
        f"all 21 positions proven for {proven.count(21)}, none for {proven.count(0)}"
    )
    assert gaps.max() <= 1e-12
    assert worst < 5e-12
    assert min(proven) > 0
    assert proven.count(21) > 0.99 * count


def test_real_questions_rank_as_with_scikit_learn(fitted):
    from sklearn.linear_model import Lasso as Reference

    rows, design = fitted.columns.vectors, fitted.columns.vectors.astype(float).T.copy(order="F")
    texts = fitted.columns.pool.texts
    for number in range(50):
        ranked = fitted.top([texts[fitted.columns.representative[number]]], 21)[0]
        assert ranked.proof["gap"] <= 1e-12
        own = design[:, number].copy()
        design[:, number] = 0
        model = Reference(alpha=LAMBDA / rows.shape[1], positive=True, fit_intercept=False, tol=1e-13, max_iter=10**6)
        theirs = model.fit(design, own).coef_
        design[:, number] = own
        count = min(21, int((theirs > 1e-9).sum()))
        order = np.argsort(-theirs, kind="stable")[:count]
        assert list(ranked.indices[:count]) == fitted.columns.representative[order].tolist()
