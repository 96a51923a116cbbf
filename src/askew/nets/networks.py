"""The networks by name, built from a configuration; ``encoder=conv`` puts a convolutional encoder in front of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import torch
from torch import Tensor, nn

from askew.errors import UnknownName
from askew.nets.baseline_networks import Butd, CnnLstm, LanguageOnly, LstmQI
from askew.nets.layers import Output
from askew.nets.module_network import ModuleNetwork
from askew.nets.net_config import NetConfig
from askew.nets.transformer import Transformer

PIXELS = 64
"""Width and height of the input images."""
CELLS = 8
"""The encoder gives a grid of so many cells on a side."""
CHANNELS = (16, 32, 64)
"""Each layer halves the image."""


class PixelNet(nn.Module):
    """Images (B, 3, 64, 64) from 0 to 1 to 8 x 8 cells of 64 features, from which the inner network answers.

    The boxes and mask that are passed in are ignored: the grid has its own.
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
        """The output of the inner network."""
        cells = self.see(features).flatten(2).transpose(1, 2)  # (B, K, D)
        placed = self.grid.unsqueeze(0).expand(cells.shape[0], -1, -1)  # (B, K, 4)
        said: Output = self.inside(tokens, cells, placed, torch.ones_like(placed[:, :, 0], dtype=torch.bool))
        return said

    def choose(self, tokens: Tensor) -> Tensor:
        """The module weights of the inner network."""
        chosen: Tensor = self.inside.choose(tokens)  # type: ignore[operator]
        return chosen


def grid_boxes(cells: int) -> Tensor:
    """The boxes (cells², 4) of a grid, row by row: x, y, width, height as shares of the image.

    >>> grid_boxes(2).tolist()
    [[0.0, 0.0, 0.5, 0.5], [0.5, 0.0, 0.5, 0.5], [0.0, 0.5, 0.5, 0.5], [0.5, 0.5, 0.5, 0.5]]
    """
    places = torch.arange(cells, dtype=torch.float32) / cells
    y, x = torch.meshgrid(places, places, indexing="ij")
    side = torch.full_like(x, 1 / cells)
    return torch.stack([x, y, side, side], dim=2).reshape(-1, 4)


NETWORKS: Mapping[str, Callable[[NetConfig], nn.Module]] = {
    "stacknmn": ModuleNetwork,
    "xnm": ModuleNetwork,
    "hybridnet": ModuleNetwork,
    "language": LanguageOnly,
    "lstm-qi": LstmQI,
    "cnn-lstm": CnnLstm,
    "butd": Butd,
    "transformer": Transformer,
}


def build_net(config: NetConfig) -> nn.Module:
    """The network that a configuration describes, with fresh weights from torch's generator."""
    if config.name not in NETWORKS:
        raise UnknownName(f"No network is called {config.name!r}. Known: {', '.join(sorted(NETWORKS))}.")
    if config.encoder == "conv":
        return PixelNet(NETWORKS[config.name](replace(config, features=CHANNELS[-1])))
    return NETWORKS[config.name](config)
