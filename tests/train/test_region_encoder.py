"""From a grid to regions, worked by hand."""

from __future__ import annotations

import pytest
import torch
from region_encoder import EncoderConfig, Grid, RegionEncoder, regions

CONFIG = EncoderConfig(names=2, labels=3, facts=1, size=32, width=12, regions=3)
FAR = -20.0


def grid():
    """A likely object in cell (x=1, y=2) of 4 x 4, a less likely one beside it, another one in the corner (3, 0)."""
    heat = torch.full((1, 4, 4), FAR)
    heat[0, 2, 1], heat[0, 2, 2], heat[0, 0, 3] = 20.0, 2.0, 0.0
    labels = torch.zeros(1, 3, 4, 4)
    labels[0, 0, 2, 1], labels[0, 2, 2, 1] = 20.0, 20.0
    shape = torch.full((1, 4, 4, 4), 0.5)
    shape[0, 2:, 2, 1] = 0.25
    return Grid(heat, labels, shape, torch.tensor([[20.0]]))


def test_peaks_become_regions_and_their_neighbours_do_not():
    found = regions(grid(), CONFIG)
    assert found.mask.tolist() == [[True, True, True, False]]
    assert found.features.shape == (1, 4, CONFIG.features)
    assert found.features[0, 1, :4].tolist() == pytest.approx([1.0, 1.0, 0.0, 1.0], abs=1e-4)
    assert found.features[0, 2, :4].tolist() == pytest.approx([0.5, 0.5, 0.5, 0.5], abs=1e-4)
    assert found.features[0, 3].abs().sum() == 0


def test_boxes_are_centred_on_their_cell_and_clipped_to_the_image():
    found = regions(grid(), CONFIG)
    # Middle of cell (1, 2): (1.5 / 4, 2.5 / 4), a quarter wide and high.
    assert found.boxes[0, 1].tolist() == pytest.approx([0.25, 0.5, 0.25, 0.25], abs=1e-6)
    # Middle of cell (3, 0): (0.875, 0.125), half as wide as the image: cut off at its edges.
    assert found.boxes[0, 2].tolist() == pytest.approx([0.625, 0.0, 0.375, 0.375], abs=1e-6)


def test_the_first_region_is_the_whole_image_with_its_facts_and_object_counts():
    whole = regions(grid(), CONFIG).features[0, 0]
    # 1 x sure of the first name and 0.5 x half sure; the third label likewise.
    assert whole[:5].tolist() == pytest.approx([1.0, 1.25, 0.25, 1.25, 1.0], abs=1e-4)


def test_bytes_go_in_and_regions_come_out():
    images = torch.randint(0, 256, (2, 3, 32, 32), dtype=torch.uint8)
    found = RegionEncoder(CONFIG).eval()(images)
    assert [tuple(part.shape) for part in found] == [(2, 4, CONFIG.features), (2, 4, 4), (2, 4)]
