"""Image changes: hide what the question is not about (CARETS), corrupt the whole image, or change it slightly."""

from askew.perturb.visual.corruptions import ALL_KINDS, KINDS, Corruption, corrupted
from askew.perturb.visual.hide_background import CHANGES, TEST, Visual, channel_mean
from askew.perturb.visual.shifts import SHIFTS, Shifts

__all__ = [
    "ALL_KINDS",
    "CHANGES",
    "KINDS",
    "SHIFTS",
    "TEST",
    "Corruption",
    "Shifts",
    "Visual",
    "channel_mean",
    "corrupted",
]
