"""Images changed in known ways: everything but what the question is about hidden (CARETS), or the whole corrupted."""

from askew.perturb.visual.corruptions import KINDS, Corruption, corrupted
from askew.perturb.visual.hide_background import CHANGES, TEST, Visual, channel_mean

__all__ = ["CHANGES", "KINDS", "TEST", "Corruption", "Visual", "channel_mean", "corrupted"]
