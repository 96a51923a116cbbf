"""CARETS: six capability tests generated from scene graphs (Jimenez, Russakovsky and Narasimhan, ACL 2022).

``generate`` streams the balanced pairs of a data set, and ``training`` questions to train on.
"""

from askew.perturb.carets.generator import PairSettings, generate, scenes, training
from askew.perturb.carets.pair_writer import CaretsGenerator
from askew.perturb.carets.plausibility import Plausibility, fit
from askew.perturb.carets.question_pairs import TESTS

__all__ = [
    "TESTS",
    "CaretsGenerator",
    "PairSettings",
    "Plausibility",
    "fit",
    "generate",
    "scenes",
    "training",
]
