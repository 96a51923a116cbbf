"""Torch networks that answer questions about regions of a picture, one idea per file, shapes on every line."""
