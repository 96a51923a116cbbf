"""Pictures changed in known ways: everything but what the question is about hidden (CARETS), or the whole corrupted."""

from askew.perturb.visual.corrupt import KINDS, corrupted
from askew.perturb.visual.corruption import Corruption
from askew.perturb.visual.keep import CHANGES
from askew.perturb.visual.mean import channel_mean
from askew.perturb.visual.visual import TEST, Visual

__all__ = ["CHANGES", "KINDS", "TEST", "Corruption", "Visual", "channel_mean", "corrupted"]
