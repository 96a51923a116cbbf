"""Image changes: hide everything that the question is not about (CARETS), or corrupt the whole image."""

from askew.perturb.visual.corruptions import KINDS, Corruption, corrupted
from askew.perturb.visual.hide_background import CHANGES, TEST, Visual, channel_mean

__all__ = ["CHANGES", "KINDS", "TEST", "Corruption", "Visual", "channel_mean", "corrupted"]
