"""Questions and groups in, a model out: one loop, losses that can be combined, checkpoints that survive a kill."""
