"""Readers of published benchmarks: one file for each benchmark with its own later versions.

A new reader goes here (``mmvp.py`` is a short one to start from), its name into ``registry.py``, and the marks by which
its files are recognised into ``sniff.py``; ``docs/extending.md`` has the same for a reader in another package.
"""
