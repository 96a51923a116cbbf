"""Families of generators that are not asked in the usual way.

Usually the text has a token for the image, the tokenizer adds its special tokens, and shorter texts of a batch are
padded. The tests ask a tiny model of each family singly and in batches.
"""

from __future__ import annotations

from dataclasses import dataclass

from askew.models.huggingface.folder import Folder


@dataclass(frozen=True)
class Family:
    """How prompts and batches of a family are made."""

    adds_image_token: bool = False
    """Its processor puts the image token and special tokens into the text, so the text must not have them."""
    equal_lengths: bool = False
    """Only texts of the same length share a batch: in transformers padding changes its answers (sic)."""
    continues_text: bool = False
    """The answer continues the question, so the end token that its tokenizer adds is left out."""
    decoder_prompt: bool = False
    """The text is the beginning of what the decoder writes."""

    @property
    def adds_special_tokens(self) -> bool:
        """Whether the tokenizer adds its special tokens to the text."""
        return not (self.adds_image_token or self.continues_text or self.decoder_prompt)


FAMILIES = {
    "florence2": Family(adds_image_token=True),
    "git": Family(continues_text=True, equal_lengths=True),
    "kosmos-2": Family(equal_lengths=True),
    "vision-encoder-decoder": Family(decoder_prompt=True, equal_lengths=True),  # Donut
}
"""By transformers' name of the family."""


def family(folder: Folder) -> Family:
    """The family of a model. BLIP for question answering attends to the padding of questions in its decoder (sic)."""
    if folder.architecture.endswith("QuestionAnswering"):
        return Family(equal_lengths=True)
    return FAMILIES.get(folder.model_type, Family())
