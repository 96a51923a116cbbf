"""Readers of published benchmarks, one file each; ``registry.py`` names them."""
