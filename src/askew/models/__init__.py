"""Questions in, predictions out: baselines, Python functions, files of predictions."""
