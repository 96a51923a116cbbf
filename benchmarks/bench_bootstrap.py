"""Intervals for a dozen metrics over everything and the parts of five slices: askew against a plain loop.

    python benchmarks/bench_bootstrap.py [groups] [resamples]

200,000 groups, 2,000 resamplings of the images. The peers draw images anew for each metric in each part: the loop over
groups gathers the rows of the drawn images' groups with numpy and adds them up, the loop over sums does the same with
each image's sums, prepared once. They are timed on a few drawings and scaled up.
"""

import sys
import time

import numpy as np

from askew.metrics.bootstrap import Bootstrap, by_cluster, interval, side_by_side

METRICS = 12
SLICES = {"whole": 1, "test": 3, "made_by": 5, "answer_type": 3, "question_type": 65}
PEER_DRAWINGS = 4


def main() -> None:
    groups = int(sys.argv[1]) if len(sys.argv) > 1 else 200_000
    resamples = int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    print(f"{'':44}{'askew s':>10}{'peer s':>10}{'ratio':>8}")
    for per_image in (5, 1):
        parts, images = made_up(groups, per_image)
        start = time.perf_counter()
        ours = intervals(parts, images, resamples)
        seconds = time.perf_counter() - start
        print(f"{groups:,} groups, {per_image} per image, {len(ours)} intervals")
        for name, peer in (
            ("against a loop over groups", loop_over_groups),
            ("against a loop over sums", loop_over_sums),
        ):
            start = time.perf_counter()
            for cluster, rows in parts:
                peer(cluster, rows, PEER_DRAWINGS)
            took = (time.perf_counter() - start) * resamples / PEER_DRAWINGS
            print(f"{'    ' + name:44}{seconds:>10.1f}{took:>10.0f}{took / seconds:>7.0f}x")


def made_up(groups: int, per_image: int):
    rng = np.random.default_rng(0)
    cluster = np.arange(groups) // per_image
    rows = np.stack([rng.integers(0, 2, (groups, METRICS)).astype(float), np.ones((groups, METRICS))], axis=2)
    parts = []
    for count in SLICES.values():
        code = rng.integers(0, count, groups)
        parts += [(cluster[code == value], rows[code == value]) for value in range(count)]
    return parts, int(cluster[-1]) + 1


def intervals(parts, images, resamples):
    blocks = (side_by_side([by_cluster(cluster, rows[:, m]) for m in range(METRICS)]) for cluster, rows in parts)
    found = []
    for sums in Bootstrap(images, resamples).sums(blocks):
        found += [interval(sums[2 * m] / sums[2 * m + 1]) for m in range(METRICS)]
    return found


def loop_over_groups(cluster, rows, resamples):
    rng = np.random.default_rng(0)
    images, first, count = np.unique(cluster, return_index=True, return_counts=True)
    members = [np.arange(start, start + length) for start, length in zip(first, count, strict=True)]
    for metric in range(METRICS):
        values = []
        for _ in range(resamples):
            drawn = rng.integers(0, len(images), len(images))
            sample = rows[np.concatenate([members[image] for image in drawn]), metric]
            values.append(sample[:, 0].sum() / sample[:, 1].sum())
        np.percentile(values, [2.5, 97.5])


def loop_over_sums(cluster, rows, resamples):
    rng = np.random.default_rng(0)
    _, place = np.unique(cluster, return_inverse=True)
    for metric in range(METRICS):
        sums = np.stack([np.bincount(place, weights=column) for column in rows[:, metric].T], axis=1)
        values = []
        for _ in range(resamples):
            right, count = sums[rng.integers(0, len(sums), len(sums))].sum(axis=0)
            values.append(right / count)
        np.percentile(values, [2.5, 97.5])


if __name__ == "__main__":
    main()
