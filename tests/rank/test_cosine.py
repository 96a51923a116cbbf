"""Cosine ranking: by hand, and the same as sorting every cosine."""

import numpy as np
from bag_encoder import Bag, template_pool
from test_lasso import vector_file

from askew.rank.pool_vectors import Cosine


def test_three_directions_by_hand(tmp_path):
    encoder = vector_file(tmp_path, {"east?": (1, 0), "north?": (0, 1), "west?": (-1, 0), "b?": (0.6, 0.8)})
    ranked = Cosine(encoder).fit(["east?", "north?", "west?"]).top(["b?"], 3)[0]
    assert ranked.indices == (1, 0, 2)
    np.testing.assert_allclose(ranked.scores, (0.8, 0.6, -0.6), atol=1e-7)


def test_the_same_as_sorting_every_cosine_and_never_the_text_itself():
    pool = template_pool(900)
    fitted = Cosine(Bag()).fit(pool)
    rows = Bag().encode(pool).astype(float)
    for number, ranked in enumerate(fitted.top(pool[:30], 21)):
        cosines = np.round(rows @ rows[number], 10)
        cosines[number] = -2
        assert list(ranked.indices) == np.lexsort((np.arange(900), -cosines))[:21].tolist()
        assert ranked == fitted.top([pool[number].upper()], 21)[0].__class__(
            pool[number], ranked.indices, ranked.scores, ranked.proof
        )


def test_texts_with_equal_vectors_tie_and_keep_the_order_of_the_pool():
    pool = ["Is the dog wet?", "Why?", "Is, the dog; wet?", "Where is the wet dog?"]
    ranked = Cosine(Bag()).fit(pool).top(["Is the dog very wet?"], 1)[0]
    assert ranked.indices == (0,)
    assert ranked.proof == {"tied": 2}
