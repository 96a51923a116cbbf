"""A stack of attention maps that can be pushed and popped by halves, so that it can be learned (Hu et al. 2018)."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor


class Stack(NamedTuple):
    """Maps over K regions at S places, and how much the pointer is at each place.

    The lowest map looks at everything, so that what takes a map has one in the first step too. A push beyond the last
    place overwrites it, a pop at the lowest leaves it.
    """

    maps: Tensor
    """(B, S, K)."""
    pointer: Tensor
    """(B, S), summing to 1."""

    @classmethod
    def empty(cls, mask: Tensor, places: int) -> Stack:
        """Only the lowest map, with the pointer at it; ``mask`` (B, K) says which regions there are."""
        everything = mask.to(torch.float32).unsqueeze(1)  # (B, 1, K)
        maps = torch.cat([everything, *[torch.zeros_like(everything)] * (places - 1)], dim=1)  # (B, S, K)
        at_start = torch.ones_like(everything[:, :, 0])  # (B, 1)
        pointer = torch.cat([at_start, *[torch.zeros_like(at_start)] * (places - 1)], dim=1)  # (B, S)
        return cls(maps, pointer)

    def top(self) -> Tensor:
        """The map under the pointer, (B, K)."""
        return torch.bmm(self.pointer.unsqueeze(1), self.maps).squeeze(1)

    def pushed(self, attention: Tensor) -> Stack:
        """With a map (B, K) on top."""
        first, last = self.pointer[:, :-1], self.pointer[:, -1:]
        pointer = torch.cat([torch.zeros_like(last), first[:, :-1], first[:, -1:] + last], dim=1)  # (B, S)
        there = pointer.unsqueeze(2)  # (B, S, 1)
        return Stack(self.maps * (1 - there) + attention.unsqueeze(1) * there, pointer)

    def popped(self) -> Stack:
        """Without the map on top; the map stays in its place until something is pushed there."""
        first, second, rest = self.pointer[:, :1], self.pointer[:, 1:2], self.pointer[:, 2:]
        pointer = torch.cat([first + second, rest, torch.zeros_like(first)], dim=1)  # (B, S)
        return Stack(self.maps, pointer)


def blend(weights: Tensor, stacks: list[Stack]) -> Stack:
    """The stack that results when each of N stacks counts by its weight (B, N)."""
    maps = torch.stack([stack.maps for stack in stacks], dim=1)  # (B, N, S, K)
    pointers = torch.stack([stack.pointer for stack in stacks], dim=1)  # (B, N, S)
    mixed = torch.bmm(weights.unsqueeze(1), maps.flatten(2)).view_as(maps[:, 0])  # (B, S, K)
    return Stack(mixed, torch.bmm(weights.unsqueeze(1), pointers).squeeze(1))
