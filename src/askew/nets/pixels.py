"""Networks that look at pixels: a small convolutional encoder in front of any network, trained along with it."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from askew.nets.types import Output

PIXELS = 64
"""Width and height of the pictures that are looked at."""
CELLS = 8
"""The encoder gives a grid of so many cells on a side."""
CHANNELS = (16, 32, 64)
"""Each layer halves the picture."""


class PixelNet(nn.Module):
    """Pictures (B, 3, 64, 64) from 0 to 1 to 8 x 8 cells of 64 features, which the network inside then answers from.

    Boxes and mask are its own; what is given for them is not looked at.
    """

    def __init__(self, inside: nn.Module) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for before, after in zip((3, *CHANNELS), CHANNELS, strict=False):
            layers += [nn.Conv2d(before, after, 3, stride=2, padding=1), nn.ReLU(), nn.GroupNorm(4, after)]
        self.see = nn.Sequential(*layers)
        self.inside = inside
        self.grid: Tensor
        self.register_buffer("grid", grid_boxes(CELLS), persistent=False)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """As the network inside says."""
        cells = self.see(features).flatten(2).transpose(1, 2)  # (B, K, D)
        placed = self.grid.unsqueeze(0).expand(cells.shape[0], -1, -1)  # (B, K, 4)
        said: Output = self.inside(tokens, cells, placed, torch.ones_like(placed[:, :, 0], dtype=torch.bool))
        return said

    def choose(self, tokens: Tensor) -> Tensor:
        """The module weights of the network inside."""
        chosen: Tensor = self.inside.choose(tokens)  # type: ignore[operator]
        return chosen


def grid_boxes(cells: int) -> Tensor:
    """The boxes (cells², 4) of a grid, row by row: x, y, width, height as shares of the picture.

    >>> grid_boxes(2).tolist()
    [[0.0, 0.0, 0.5, 0.5], [0.5, 0.0, 0.5, 0.5], [0.0, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]]
    """
    places = torch.arange(cells, dtype=torch.float32) / cells
    y, x = torch.meshgrid(places, places, indexing="ij")
    side = torch.full_like(x, 1 / cells)
    return torch.stack([x, y, side, side], dim=2).reshape(-1, 4)
