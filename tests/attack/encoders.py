"""A sentence encoder for tests: words as directions, so that similarities can be worked out by hand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from askew.language.senses import words_of


@dataclass(frozen=True)
class BagOfWords:
    """Each word is one of 4,096 directions; the cosine is the share of common words."""

    def encode(self, texts):
        rows = np.zeros((len(texts), 4096), np.float32)
        for row, text in zip(rows, texts, strict=True):
            for word in words_of(text):
                row[sum(ord(letter) * 31**place for place, letter in enumerate(word)) % 4096] += 1
        return rows / np.maximum(np.linalg.norm(rows, axis=1), 1e-9)[:, None]
