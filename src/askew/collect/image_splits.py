"""Which split each image belongs to: whole images, so that no image is in two splits (Li et al. 2021, Fig. 8)."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random


def split_images(examples: Mapping[int, int], shares: Mapping[str, int], seed: int) -> dict[int, str]:
    """A split for every image, from how many verified (type E) examples each has, so that these come near the shares.

    Images are taken in a random order of the seed, and each goes to the split that lacks the most; an image without a
    verified example is drawn by the shares. The same images and seed give the same splits.

    >>> found = split_images({image: 1 for image in range(10)}, {"train": 60, "dev": 10, "test": 30}, seed=0)
    >>> sorted(found.values())
    ['dev', 'test', 'test', 'test', 'train', 'train', 'train', 'train', 'train', 'train']
    """
    order = sorted(examples)
    Random(f"{seed}:splits").shuffle(order)
    total = 0
    given = dict.fromkeys(shares, 0)
    found = {}
    for image in order:
        count = examples[image]
        if count == 0:
            drawn = Random(f"{seed}:image:{image}").choices(list(shares), weights=list(shares.values()))
            found[image] = drawn[0]
            continue
        total += count
        lack = {name: share * total - 100 * given[name] for name, share in shares.items()}
        found[image] = max(shares, key=lambda name: (lack[name], shares[name]))
        given[found[image]] += count
    return found
