"""CARETS: six capability tests made from scene graphs (Jimenez, Russakovsky and Narasimhan, ACL 2022).

``generate`` streams the balanced pairs of a data set, ``training`` plain questions to train on, ``evaluate`` answers a
question from its scene without the generator.
"""

from askew.perturb.carets.generator import CaretsGenerator, generate, scenes, training
from askew.perturb.carets.plausibility import Plausibility, fit
from askew.perturb.carets.twins import TESTS

__all__ = ["TESTS", "CaretsGenerator", "Plausibility", "fit", "generate", "scenes", "training"]
