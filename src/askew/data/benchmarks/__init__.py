"""Readers of published benchmarks, one file each. A new reader goes here, and its name into ``registry.py``."""
