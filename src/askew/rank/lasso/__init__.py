"""LASSO over a pool of sentence vectors, exact, with a certificate for every question."""

from askew.rank.lasso.ranker import FittedLasso, Lasso

__all__ = ["FittedLasso", "Lasso"]
