"""Images of the embedded world to regions: a small stand-in for bottom-up attention (Anderson et al. 2018).

For each cell of a grid, a convolutional network predicts whether it is the centre of an object (Zhou et al. 2019,
"Objects as Points"), how large the object is and which labels it has. The best cells become regions. The first region
is the whole image: its facts, and how many objects of each kind were found.

B images, S pixels a side, G = S / 8 cells a side, V labels of objects, F facts of the image, K regions.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import torch
from torch import Tensor, nn
from torch.nn import functional as fn

POSITION = 6
"""The number of features for the position of a region."""


@dataclass(frozen=True)
class EncoderConfig:
    """Everything that determines the shape of an encoder."""

    names: int
    """Mutually exclusive labels: what the object is."""
    labels: int
    """All labels of objects; the names come first."""
    facts: int
    """Labels of the whole image."""
    size: int = 144
    """The width and height that images are resized to, in pixels; a multiple of 16."""
    width: int = 96
    """Channels of the grid."""
    regions: int = 14
    """The largest number of regions of an image, besides the whole image."""
    least: float = 0.2
    """The least confidence in an object that makes a region."""

    @property
    def features(self) -> int:
        """Numbers per region: how sure, the labels, the facts, the position.

        >>> EncoderConfig(names=2, labels=5, facts=3).features
        15
        """
        return 1 + self.labels + self.facts + POSITION


class Grid(NamedTuple):
    """What is predicted for each cell, before the cells that become regions are chosen."""

    heat: Tensor
    """(B, G, G) logits: the centre of an object is here."""
    labels: Tensor
    """(B, V, G, G) logits."""
    shape: Tensor
    """(B, 4, G, G): the centre as a share of the cell, then width and height as shares of the image."""
    facts: Tensor
    """(B, F) logits."""


class RegionTensors(NamedTuple):
    """The input of the answering networks."""

    features: Tensor
    """(B, 1 + K, D) float32."""
    boxes: Tensor
    """(B, 1 + K, 4): x, y, width, height as shares of the image."""
    mask: Tensor
    """(B, 1 + K) bool: True where there is a region."""


class Residual(nn.Module):
    """Two convolutions with a skip connection (He et al. 2016)."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.body = nn.Sequential(
            *conv(width, width), nn.Conv2d(width, width, 3, padding=1, bias=False), nn.BatchNorm2d(width)
        )

    def forward(self, x: Tensor) -> Tensor:
        """Same shape."""
        return fn.relu(x + self.body(x))


def conv(inside: int, outside: int, kernel: int = 3, stride: int = 1) -> list[nn.Module]:
    """A convolution, normalised and rectified."""
    return [nn.Conv2d(inside, outside, kernel, stride, kernel // 2, bias=False), nn.BatchNorm2d(outside), nn.ReLU()]


class RegionEncoder(nn.Module):
    """Images to regions."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        w, deep = config.width, config.width * 5 // 3
        self.near = nn.Sequential(
            *conv(3, 16, 5, 2),  # (B, 16, S/2, S/2)
            *conv(16, w // 2, 3, 2),  # (B, w/2, S/4, S/4)
            *conv(w // 2, w // 2),
            *conv(w // 2, w, 3, 2),  # (B, w, G, G)
            Residual(w),
            Residual(w),
        )
        self.far = nn.Sequential(*conv(w, deep, 3, 2), Residual(deep))  # (B, deep, G/2, G/2)
        self.lateral = nn.Conv2d(deep, w, 1)
        self.mixed = nn.Sequential(*conv(w, w * 4 // 3))
        self.heat = nn.Conv2d(w * 4 // 3, 1, 3, padding=1)
        self.labels = nn.Conv2d(w * 4 // 3, config.labels, 1)
        self.shape = nn.Conv2d(w * 4 // 3, 4, 1)
        self.facts = nn.Linear(2 * deep, config.facts)
        nn.init.constant_(self.heat.bias, -4.0)  # type: ignore[arg-type]
        nn.init.constant_(self.labels.bias[config.names :], -3.0)  # type: ignore[index]
        nn.init.constant_(self.facts.bias, -1.0)

    def forward(self, images: Tensor) -> RegionTensors:
        """(B, 3, S, S) bytes to regions."""
        return regions(self.look(images), self.config)

    def look(self, images: Tensor) -> Grid:
        """(B, 3, S, S) bytes to a grid."""
        near = self.near(images.float() / 127.5 - 1)  # (B, w, G, G)
        far = self.far(near)  # (B, deep, G/2, G/2)
        wide = fn.interpolate(self.lateral(far), scale_factor=2.0, mode="nearest")  # (B, w, G, G)
        cells = self.mixed(near + wide)  # (B, 4w/3, G, G)
        whole = torch.cat([far.mean((2, 3)), far.amax((2, 3))], 1)  # (B, 2 deep)
        return Grid(
            self.heat(cells).squeeze(1), self.labels(cells), torch.sigmoid(self.shape(cells)), self.facts(whole)
        )


def regions(grid: Grid, config: EncoderConfig) -> RegionTensors:
    """The most confident local maxima of a grid, preceded by the whole image."""
    heat = torch.sigmoid(grid.heat).unsqueeze(1)  # (B, 1, G, G)
    peaks = heat * (heat >= fn.max_pool2d(heat, 3, 1, 1)).float()  # (B, 1, G, G)
    sure, cells = peaks.flatten(1).topk(config.regions, dim=1)  # (B, K)
    labels = _at(grid.labels, cells)  # (B, K, V)
    names = torch.softmax(labels[..., : config.names], -1)
    known = torch.cat([names, torch.sigmoid(labels[..., config.names :])], -1)  # (B, K, V)
    boxes = _boxes(_at(grid.shape, cells), cells, grid.heat.shape[-1])  # (B, K, 4)
    there = sure > config.least  # (B, K)
    weight = (sure * there).unsqueeze(-1)  # (B, K, 1)
    none = torch.zeros_like(known[..., :1]).expand(-1, -1, config.facts)  # (B, K, F)
    things = torch.cat([weight, known, none, _position(boxes)], -1) * there.unsqueeze(-1)  # (B, K, D)
    seen = torch.cat([torch.ones_like(sure[:, :1]), (known * weight).sum(1), torch.sigmoid(grid.facts)], -1)
    whole = fn.pad(seen, (0, POSITION)).unsqueeze(1)  # (B, 1, D)
    frame = torch.tensor([0.0, 0.0, 1.0, 1.0]).expand(boxes.shape[0], 1, 4)  # (B, 1, 4)
    return RegionTensors(
        torch.cat([whole, things], 1),
        torch.cat([frame, boxes * there.unsqueeze(-1)], 1),
        torch.cat([torch.ones_like(there[:, :1]), there], 1),
    )


def _at(grid: Tensor, cells: Tensor) -> Tensor:
    """(B, C, G, G) at (B, K) cells: (B, K, C)."""
    flat = grid.flatten(2)  # (B, C, G * G)
    return flat.gather(2, cells.unsqueeze(1).expand(-1, flat.shape[1], -1)).transpose(1, 2)


def _boxes(shape: Tensor, cells: Tensor, side: int) -> Tensor:
    """(B, K, 4) shapes in (B, K) cells of a grid to x, y, width, height: (B, K, 4)."""
    corner = torch.stack([cells % side, cells // side], -1).float()  # (B, K, 2)
    middle, half = (corner + shape[..., :2]) / side, shape[..., 2:] / 2
    first, last = (middle - half).clamp(0, 1), (middle + half).clamp(0, 1)  # (B, K, 2): corners within the image
    return torch.cat([first, last - first], -1)


def _position(boxes: Tensor) -> Tensor:
    """(B, K, 4) boxes to position features: (B, K, 6)."""
    middle = boxes[..., :2] + boxes[..., 2:] / 2  # (B, K, 2)
    right = torch.sigmoid(12 * (middle[..., :1] - 0.5))  # (B, K, 1)
    return torch.cat([middle, boxes[..., 2:], right, 1 - right], -1)
