"""The embedded world: small generated scenes with images and known answers, so that askew runs before any download.

It stands in for COCO, VQA v2 and GQA, which may not be redistributed; every command works the same on the real data.
"""
