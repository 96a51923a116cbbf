"""Checkpoints of a training: weights, optimiser and history, written atomically."""

from __future__ import annotations

import io
from dataclasses import asdict, dataclass, field
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import torch

from askew.errors import DataError
from askew.files.read_write import replaced

STATE, BEST = "state.pt", "weights.pt"
"""The file from which a training resumes, and the weights of the best epoch."""


@dataclass
class TrainProgress:
    """How far a training is."""

    epoch: int = 0
    """Whole epochs done."""
    step: int = 0
    """Steps done in the epoch that runs."""
    sums: dict[str, float] = field(default_factory=dict)
    """Added-up losses of the epoch that runs."""
    best: float = -1.0
    """The best validation accuracy so far."""
    since: int = 0
    """Epochs since then."""
    seconds: float = 0.0
    """Time spent in steps, over all runs."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """One record per epoch."""


def save_weights(path: Path, net: torch.nn.Module) -> None:
    """Write the weights of a network."""
    _write(path, net.state_dict())


def load_weights(path: Path, net: torch.nn.Module) -> None:
    """Put weights that were written into a network of the same shape."""
    content = _read(path)
    try:
        net.load_state_dict(content)
    except (RuntimeError, AttributeError, TypeError) as trouble:
        raise DataError(
            f"{path}: the weights do not fit the network that config.json describes ({str(trouble).splitlines()[0]}). "
            "Train again, or bring back the folder's own files."
        ) from None


def save_state(path: Path, net: torch.nn.Module, optimiser: torch.optim.Optimizer, progress: TrainProgress) -> None:
    """Write everything that a training needs to resume."""
    _write(path, {"net": net.state_dict(), "optimiser": optimiser.state_dict(), "progress": asdict(progress)})


def load_state(path: Path, net: torch.nn.Module, optimiser: torch.optim.Optimizer) -> TrainProgress:
    """Restore network and optimiser; gives the progress."""
    content = _read(path)
    try:
        net.load_state_dict(content["net"])
        optimiser.load_state_dict(content["optimiser"])
        return _renamed(TrainProgress(**content["progress"]))
    except (KeyError, RuntimeError, TypeError, ValueError, AttributeError) as trouble:
        raise DataError(
            f"{path}: not a state of this training ({str(trouble).splitlines()[0]}). Delete it to begin again."
        ) from None


def _renamed(progress: TrainProgress) -> TrainProgress:
    """The same, with the present names of losses."""
    for losses in (progress.sums, *(one["loss"] for one in progress.history)):
        for name in [name for name in losses if name.startswith("randomimage")]:
            losses[name.replace("randomimage", "random-image")] = losses.pop(name)
    return progress


def _write(path: Path, content: Any) -> None:
    memory = io.BytesIO()
    torch.save(content, memory)
    with replaced(path) as file:
        file.write(memory.getvalue())


def _read(path: Path) -> Any:
    """Only tensors and plain values are loaded; no code in the file runs."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. Give the folder of a finished training.") from None
    except (UnpicklingError, RuntimeError, EOFError, OSError) as trouble:
        raise DataError(f"{path}: cannot be read as weights ({str(trouble).splitlines()[0]}). Train again.") from None
