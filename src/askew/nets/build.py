"""From a configuration to a network."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from torch import nn

from askew.errors import UnknownName
from askew.nets.baselines import Butd, CnnLstm, LanguageOnly, LstmQI
from askew.nets.config import NetConfig
from askew.nets.nmn import ModuleNetwork
from askew.nets.pixels import CHANNELS, PixelNet
from askew.nets.transformer import Transformer

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
