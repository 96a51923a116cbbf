"""The embedded world: small scenes in which everything is known, drawn as pictures, so that askew
runs before any download.

It stands in for COCO, VQA v2 and GQA, which may not be redistributed; every command works the same on the real data.
"""
