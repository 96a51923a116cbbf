"""Hugging Face checkpoints: finding, loading and asking them."""
