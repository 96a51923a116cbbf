"""The networks by name: baselines and a transformer written out here, BAN and module networks in their own files.

The baselines read the question alone, question and whole image, or regions with attention. The transformer is a small
cross-modal one like LXMERT (Tan and Bansal 2019), written so that it can be exported to ONNX. ``encoder=conv`` puts a
convolutional encoder in front of any of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

import torch
from torch import Tensor, nn

from askew.errors import UnknownName
from askew.nets.bilinear import Ban
from askew.nets.layers import (
    Output,
    QuestionEncoder,
    Reader,
    RegionProjection,
    answer_head,
    last_word,
    masked_softmax,
    mean,
    take,
    weighted,
)
from askew.nets.module_network import ModuleNetwork
from askew.nets.net_config import NetConfig, square_grid


class LanguageOnly(nn.Module):
    """Reads the question and ignores the image."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.question = QuestionEncoder(config)
        self.answer = answer_head(config, config.hidden)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Answers (B, A)."""
        _, question, _ = self.question(tokens)  # (B, H)
        return Output(self.answer(question))


class LstmQI(nn.Module):
    """LSTM Q + norm I (Antol et al. 2015): the image's vector, of unit length, times the question's."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.question = Reader(config)
        self.regions = RegionProjection(config)
        self.picture = nn.Linear(config.hidden, config.hidden)
        self.text = nn.Linear(config.hidden, config.hidden)
        self.answer = answer_head(config, config.hidden)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Answers (B, A)."""
        question = torch.tanh(self.text(self.question(tokens)))  # (B, H)
        whole = mean(self.regions(features, boxes, mask), mask)  # (B, H)
        normed = whole / whole.square().sum(dim=1, keepdim=True).clamp(min=1e-12).sqrt()  # (B, H)
        return Output(self.answer(question * torch.tanh(self.picture(normed))))


class CnnLstm(nn.Module):
    """CNN+LSTM (Johnson et al. 2017): the question beside the mean and the maximum of the image's features."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.question = Reader(config)
        self.regions = RegionProjection(config)
        self.answer = answer_head(config, 3 * config.hidden)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Answers (B, A)."""
        x = self.regions(features, boxes, mask)  # (B, K, H), none below 0
        pooled = [mean(x, mask), x.amax(dim=1)]  # (B, H) each
        return Output(self.answer(torch.cat([self.question(tokens), *pooled], dim=1)))


class Butd(nn.Module):
    """Bottom-up regions, top-down attention (Anderson et al. 2018).

    Two changes: ReLU layers replace the paper's gated tanh, and the answer is read from image and question concatenated
    with their product. The product alone is nearly zero at first, so that a small network trained for a few epochs
    would learn the questions and hardly use the image.
    """

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        hidden = config.hidden
        self.question = QuestionEncoder(config)
        self.regions = RegionProjection(config)
        self.asked = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        self.attend = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        self.score = nn.Linear(hidden, 1)
        self.text = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        self.picture = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU())
        self.answer = answer_head(config, 3 * hidden)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Answers (B, A) and attention (B, 1, K)."""
        _, question, _ = self.question(tokens)  # (B, H)
        x = self.regions(features, boxes, mask)  # (B, K, H)
        joint = self.attend(x) * self.asked(question).unsqueeze(1)  # (B, K, H)
        attention = masked_softmax(self.score(joint).squeeze(2), mask)  # (B, K)
        text, seen = self.text(question), self.picture(weighted(attention, x))  # (B, H) each
        fused = torch.cat([seen, text, seen * text], dim=1)  # (B, 3H)
        return Output(self.answer(fused), attention=attention.unsqueeze(1))


PLACES = 64
"""Words beyond this share the last place."""


class Transformer(nn.Module):
    """Words attend to words; then in each layer words attend to regions, regions to words, and each to its own kind."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        hidden = config.hidden
        self.embed = nn.Embedding(config.words, hidden, padding_idx=0)
        self.place = nn.Embedding(PLACES, hidden)
        self.regions = RegionProjection(config)
        self.reading = SelfAttentionLayer(config)
        self.layers = nn.ModuleList(CrossLayer(config) for _ in range(config.layers))
        self.answer = answer_head(config, 3 * hidden)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """Answers (B, A), and the mean attention of the words on regions in each layer (B, layers, K)."""
        real = tokens > 0  # (B, L)
        places = (torch.ones_like(tokens).cumsum(dim=1) - 1).clamp(max=PLACES - 1)  # (B, L)
        words = self.reading(self.embed(tokens) + self.place(places), real)  # (B, L, H)
        regions = self.regions(features, boxes, mask)  # (B, K, H)
        attention = []
        for layer in self.layers:
            words, regions, looked = layer(words, regions, real, mask)
            attention.append(mean(looked, real))  # (B, K)
        ends = [take(words, last_word(real)).squeeze(1), mean(words, real), mean(regions, mask)]  # (B, H) each
        return Output(self.answer(torch.cat(ends, dim=1)), attention=torch.stack(attention, dim=1))


class CrossLayer(nn.Module):
    """One cross-modal layer."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.look, self.listen = Attention(config), Attention(config)
        self.words, self.regions = SelfAttentionLayer(config), SelfAttentionLayer(config)

    def forward(self, words: Tensor, regions: Tensor, real: Tensor, mask: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Words (B, L, H) and regions (B, K, H), changed; and the attention of words on regions (B, L, K)."""
        seen, looked = self.look(words, regions, mask)
        heard, _ = self.listen(regions, words, real)
        return self.words(seen, real), self.regions(heard, mask), looked


class SelfAttentionLayer(nn.Module):
    """Self-attention, then a perceptron, each added to its input and normalised."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        hidden = config.hidden
        self.attend = Attention(config)
        self.think = nn.Sequential(
            nn.Linear(hidden, 2 * hidden), nn.GELU(), nn.Linear(2 * hidden, hidden), nn.Dropout(config.dropout)
        )
        self.norm = nn.LayerNorm(hidden)

    def forward(self, x: Tensor, real: Tensor) -> Tensor:
        """(B, N, H) to (B, N, H)."""
        x, _ = self.attend(x, x, real)
        normed: Tensor = self.norm(x + self.think(x))
        return normed


class Attention(nn.Module):
    """Multi-head attention of x on y, added to x and normalised."""

    def __init__(self, config: NetConfig) -> None:
        super().__init__()
        self.heads = config.heads
        self.ask, self.key, self.value, self.out = (nn.Linear(config.hidden, config.hidden) for _ in range(4))
        self.dropout = nn.Dropout(config.dropout)
        self.norm = nn.LayerNorm(config.hidden)

    def forward(self, x: Tensor, y: Tensor, real: Tensor) -> tuple[Tensor, Tensor]:
        """x (B, N, H) and y (B, M, H) to x (B, N, H) and the attention, a mean over heads, (B, N, M)."""
        ask, key, value = self._split(self.ask(x)), self._split(self.key(y)), self._split(self.value(y))
        scores = torch.matmul(ask, key.transpose(2, 3)) * ask.shape[3] ** -0.5  # (B, heads, N, M)
        weights = masked_softmax(scores, real[:, None, None, :])  # (B, heads, N, M)
        taken = torch.matmul(weights, value).transpose(1, 2).flatten(2)  # (B, N, H)
        return self.norm(x + self.dropout(self.out(taken))), weights.mean(dim=1)

    def _split(self, x: Tensor) -> Tensor:
        """(B, N, H) to (B, heads, N, H / heads)."""
        return x.view(x.shape[0], -1, self.heads, x.shape[2] // self.heads).transpose(1, 2)


PIXELS = 64
"""Width and height of the input images."""
CELLS = 8
"""Cells per side of the encoder's grid."""
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
        self.register_buffer("grid", torch.tensor(square_grid(CELLS * CELLS)), persistent=False)

    def forward(self, tokens: Tensor, features: Tensor, boxes: Tensor, mask: Tensor) -> Output:
        """The output of the inner network."""
        cells = self.see(features).flatten(2).transpose(1, 2)  # (B, K, D)
        placed = self.grid.unsqueeze(0).expand(cells.shape[0], -1, -1)  # (B, K, 4)
        output: Output = self.inside(tokens, cells, placed, torch.ones_like(placed[:, :, 0], dtype=torch.bool))
        return output

    def choose(self, tokens: Tensor) -> Tensor:
        """The module weights of the inner network."""
        chosen: Tensor = self.inside.choose(tokens)  # type: ignore[operator]
        return chosen


NETWORKS: Mapping[str, Callable[[NetConfig], nn.Module]] = {
    "stacknmn": ModuleNetwork,
    "xnm": ModuleNetwork,
    "hybridnet": ModuleNetwork,
    "language": LanguageOnly,
    "lstm-qi": LstmQI,
    "cnn-lstm": CnnLstm,
    "butd": Butd,
    "ban": Ban,
    "transformer": Transformer,
}


def build_net(config: NetConfig) -> nn.Module:
    """The network that a configuration describes, with fresh weights from torch's generator."""
    if config.name not in NETWORKS:
        raise UnknownName(f"No network is called {config.name!r}. Known: {', '.join(sorted(NETWORKS))}.")
    if config.encoder == "conv":
        return PixelNet(NETWORKS[config.name](replace(config, features=CHANNELS[-1])))
    return NETWORKS[config.name](config)
