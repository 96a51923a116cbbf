"""Seven text metrics as rankers: BLEU-1 to BLEU-4, ROUGE-L, CIDEr and METEOR, exact over the whole pool."""

from __future__ import annotations

from askew.rank.overlap.bleu import Bleu, bleu1, bleu2, bleu3, bleu4
from askew.rank.overlap.cider import Cider
from askew.rank.overlap.meteor import Meteor
from askew.rank.overlap.rouge import Rouge

__all__ = ["Bleu", "Cider", "Meteor", "Rouge", "bleu1", "bleu2", "bleu3", "bleu4"]
