"""What a person can type as a network (``xnm:hidden=256,steps=3``): each function gives the configuration of one."""

from __future__ import annotations

from askew.nets.config import Encoder, Graph, NetConfig


def stacknmn(
    hidden: int = 256, steps: int = 3, embedding: int = 128, dropout: float = 0.1, encoder: Encoder = "none"
) -> NetConfig:
    """Stack neural module network: soft choice of modules, products of words and regions (Hu et al. 2018).

    >>> stacknmn(steps=4).steps
    4
    """
    return NetConfig("stacknmn", hidden=hidden, steps=steps, embedding=embedding, dropout=dropout, encoder=encoder)


def xnm(
    hidden: int = 256,
    steps: int = 3,
    embedding: int = 128,
    dropout: float = 0.1,
    gumbel: bool = True,
    temperature: float = 1.0,
    graph: Graph = "full",
    encoder: Encoder = "none",
) -> NetConfig:
    """Explainable neural modules: attention moves along a graph of regions (Shi et al. 2019)."""
    return NetConfig(
        "xnm",
        hidden=hidden,
        steps=steps,
        embedding=embedding,
        dropout=dropout,
        gumbel=gumbel,
        temperature=temperature,
        graph=graph,
        encoder=encoder,
    )


def hybridnet(
    hidden: int = 256,
    steps: int = 4,
    embedding: int = 128,
    dropout: float = 0.1,
    gumbel: bool = True,
    temperature: float = 1.0,
    encoder: Encoder = "none",
) -> NetConfig:
    """XNM with StackNMN's Transform (Whitehead et al. 2020)."""
    return NetConfig(
        "hybridnet",
        hidden=hidden,
        steps=steps,
        embedding=embedding,
        dropout=dropout,
        gumbel=gumbel,
        temperature=temperature,
        encoder=encoder,
    )


def language(hidden: int = 256, embedding: int = 128, dropout: float = 0.1) -> NetConfig:
    """Reads the question and never looks: what a model with eyes must beat."""
    return NetConfig("language", hidden=hidden, embedding=embedding, dropout=dropout)


def lstm_qi(hidden: int = 256, embedding: int = 128, dropout: float = 0.1, encoder: Encoder = "none") -> NetConfig:
    """LSTM Q + norm I: the product of the question and the whole picture (Antol et al. 2015)."""
    return NetConfig("lstm-qi", hidden=hidden, embedding=embedding, dropout=dropout, encoder=encoder)


def cnn_lstm(hidden: int = 256, embedding: int = 128, dropout: float = 0.1, encoder: Encoder = "none") -> NetConfig:
    """CNN+LSTM: the question beside the whole picture, then a perceptron (Johnson et al. 2017)."""
    return NetConfig("cnn-lstm", hidden=hidden, embedding=embedding, dropout=dropout, encoder=encoder)


def butd(hidden: int = 256, embedding: int = 128, dropout: float = 0.1, encoder: Encoder = "none") -> NetConfig:
    """Top-down attention over regions (Anderson et al. 2018)."""
    return NetConfig("butd", hidden=hidden, embedding=embedding, dropout=dropout, encoder=encoder)


def transformer(
    hidden: int = 128,
    layers: int = 2,
    heads: int = 4,
    embedding: int = 128,
    dropout: float = 0.1,
    encoder: Encoder = "none",
) -> NetConfig:
    """A small cross-modal transformer in the manner of LXMERT (Tan and Bansal 2019), without pre-training."""
    return NetConfig(
        "transformer",
        hidden=hidden,
        layers=layers,
        heads=heads,
        embedding=embedding,
        dropout=dropout,
        encoder=encoder,
    )
