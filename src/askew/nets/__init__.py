"""Torch networks that answer questions about regions of an image; comments at the end of lines give tensor shapes."""
