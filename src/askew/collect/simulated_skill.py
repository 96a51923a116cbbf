"""What simulated people are like; the defaults are calibrated on Adversarial VQA (Li et al. 2021, Table 1)."""

from __future__ import annotations

from dataclasses import dataclass

from askew.engine.settings import check_share


@dataclass(frozen=True)
class Skill:
    """What a simulated person is like; all are shares from 0 to 1."""

    attack: float = 0.44
    """How often a question is one that the robots get wrong."""
    false_claims: float = 0.16
    """How often a right answer of the robot is called wrong, to be done with the image."""
    unsure: float = 0.05
    """How often the judgement is "not sure"."""
    gives_up: float = 0.24
    """How often the image is given back after a try that failed."""
    leaves: float = 0.002
    """How often the person goes away in the middle of something, for longer than a lease."""
    careless: float = 0.05
    """How often an answer to verify is given without looking."""
    unclear: float = 0.1
    """How often a question that is not about yes, no or a number is so unclear that every verifier says something
    else; type D comes from these."""
    verifies: float = 0.85
    """How often verifying is preferred to writing."""

    def __post_init__(self) -> None:
        for name, value in vars(self).items():
            check_share(name, value)
