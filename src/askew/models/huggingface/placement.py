"""Where a model's weights go, and in which form: device, several devices, number format, attention, quantisation."""

from __future__ import annotations

import importlib.util
import multiprocessing
import re
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from askew.errors import BadOption, ModelError, need
from askew.models.huggingface.folder import Folder, quantisation

DeviceMap: TypeAlias = Literal["", "auto", "balanced", "balanced_low_0", "sequential"]
Attention: TypeAlias = Literal["", "eager", "sdpa", "flash_attention_2"]
Quantise: TypeAlias = Literal["", "4bit", "8bit"]
_DEVICE = re.compile(r"auto|cpu|mps|cuda(:[0-9]{1,3})?")
_NEEDS = {
    "device_map": {**dict.fromkeys(("auto", "balanced", "balanced_low_0", "sequential"), "accelerate")},
    "attention": {"flash_attention_2": "flash_attn"},
    "quantise": {"4bit": "bitsandbytes", "8bit": "bitsandbytes"},
}
"""The package that a value of an option needs."""


@dataclass(frozen=True)
class Placement:
    """How the weights of a model are loaded.

    >>> Placement("cuda:x")
    Traceback (most recent call last):
    askew.errors.BadOption: hf: device='cuda:x' is not a device. Write auto, cpu, cuda, cuda:1 or mps.
    """

    device: str = "auto"
    dtype: str = "float32"
    device_map: DeviceMap = ""
    """How accelerate spreads the weights over all devices; empty for one device."""
    attention: Attention = ""
    """transformers' implementation of attention; empty for its own choice."""
    quantise: Quantise = ""
    """Quantise the weights while they are loaded, with bitsandbytes."""

    def __post_init__(self) -> None:
        if not _DEVICE.fullmatch(self.device):
            raise BadOption(f"hf: device={self.device!r} is not a device. Write auto, cpu, cuda, cuda:1 or mps.")
        if self.device_map and self.device != "auto":
            raise BadOption("hf: device_map=... spreads the weights over all devices; leave device=... out.")
        for option, packages in _NEEDS.items():
            package = packages.get(value := getattr(self, option))
            if package and importlib.util.find_spec(package) is None:
                name = package.replace("_", "-")
                raise ModelError(
                    f"hf: {option}={value} needs the package {name}, which is not installed: pip install {name}"
                )

    def check(self, folder: Folder) -> None:
        """Refuse to quantise weights that are quantised."""
        if self.quantise and (method := quantisation(folder.config)):
            raise BadOption(
                f"hf: the weights of {folder.path} are quantised already ({method}). Leave quantise=... out."
            )

    def __str__(self) -> str:
        """What may change an answer besides the number format, for signatures."""
        return "".join(f", {name}={getattr(self, name)}" for name in ("attention", "quantise") if getattr(self, name))

    def arguments(self, torch: Any, transformers: Any) -> dict[str, Any]:
        """The arguments of ``from_pretrained``."""
        dtype, device = getattr(torch, self.dtype), pick_device(self.device)
        given: dict[str, Any] = {"dtype": dtype}
        if self.attention:
            given["attn_implementation"] = self.attention
        if self.quantise:
            bits = {"load_in_8bit": True} if self.quantise == "8bit" else {"load_in_4bit": True}
            more = {} if self.quantise == "8bit" else {"bnb_4bit_compute_dtype": dtype}
            given["quantization_config"] = transformers.BitsAndBytesConfig(**bits, **more)
        if self.device_map:
            given["device_map"] = self.device_map
        elif self.quantise:  # such weights cannot be moved later
            given["device_map"] = {"": device}
        return given

    def placed(self, model: Any) -> Any:
        """The loaded model on its device, where it is not yet."""
        return model if self.device_map or self.quantise else model.to(pick_device(self.device))


def usual_dtype(folder: Folder, device: str) -> str:
    """The number format of ``dtype=auto``: as saved, but float32 on a CPU, where lower precision is seldom faster."""
    if folder.dtype == "float32" or device.startswith(("cuda", "mps")):
        return folder.dtype
    return "float32" if device == "cpu" or pick_device("auto") == "cpu" else folder.dtype


def pick_device(device: str) -> str:
    """The device to run on: as requested, or with ``auto`` a GPU if torch finds one.

    Of several GPUs each worker process of this machine uses its own, unless one is named (``cuda:1``).
    """
    torch = need("torch", "hf")
    available = {"cpu": True, "cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if device == "auto":
        device = next(name for name in ("cuda", "mps", "cpu") if available[name])
    kind, _, number = device.partition(":")
    if not available[kind]:
        raise ModelError(f"torch {torch.__version__} finds no device {device!r} here. Leave device=auto.")
    count = torch.cuda.device_count() if kind == "cuda" else 1
    if number and int(number) >= count:
        raise ModelError(f"torch finds {count} GPUs here, up to cuda:{count - 1}, and not {device!r}.")
    if kind == "cuda" and not number and count > 1 and (worker := worker_number()):
        return f"cuda:{(worker - 1) % count}"
    return device


def worker_number() -> int:
    """The number of this worker process, from 1; 0 in the main process. A pool's workers have numbers in a row."""
    identity: tuple[int, ...] = multiprocessing.current_process()._identity  # it has no public name
    return identity[0] if identity else 0
