"""Baseline networks: the question alone, question and whole image, attention over regions."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from askew.nets.layers import (
    Output,
    QuestionEncoder,
    Reader,
    RegionProjection,
    answer_head,
    masked_softmax,
    mean_region,
    weighted,
)
from askew.nets.net_config import NetConfig


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
        whole = mean_region(self.regions(features, boxes, mask), mask)  # (B, H)
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
        pooled = [mean_region(x, mask), x.amax(dim=1)]  # (B, H) each
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
