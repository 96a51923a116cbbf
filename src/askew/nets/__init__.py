"""Torch networks that answer questions about regions of an image; shapes stand at the end of each line."""
