"""Questions in, predictions out: baselines, Python functions, prediction files, Hugging Face, ONNX, endpoints."""
