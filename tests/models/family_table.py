"""The table of families in docs/huggingface.md. To write it again: ``python tests/models/family_table.py``."""

from __future__ import annotations

import re
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "huggingface.md"
LOCK = Path(__file__).parents[2] / "locks" / "dev.txt"

TRIED = {
    "aya_vision": "aya_vision",
    "blip": "blip",
    "blip2": "blip-2",
    "donut": "vision-encoder-decoder",
    "florence2": "florence2",
    "gemma3": "gemma3",
    "gemma4": "gemma4",
    "git": "git",
    "glm4v": "glm4v",
    "idefics2": "idefics2",
    "idefics3": "idefics3",
    "instructblip": "instructblip",
    "internvl": "internvl",
    "janus": "janus",
    "kosmos2": "kosmos-2",
    "llava": "llava",
    "llava_next": "llava_next",
    "llava_onevision": "llava_onevision",
    "mllama": "mllama",
    "paligemma": "paligemma",
    "pix2struct": "pix2struct",
    "qwen2_5_vl": "qwen2_5_vl",
    "qwen2_vl": "qwen2_vl",
    "qwen3_5": "qwen3_5",
    "qwen3_vl": "qwen3_vl",
    "qwen3_vl_thinking": "qwen3_vl",
    "smolvlm": "smolvlm",
    "vilt": "vilt",
    "vipllava": "vipllava",
}
"""Tiny models that the tests build and ask, with transformers' name of the family."""

NOTES = {
    "florence2": "asked as `<VQA>question`, as it is usually fine-tuned for questions",
    "janus": "has no scores: it ignores logits processors",
    "kosmos-2": "asked in batches of equal length",
    "pix2struct": "needs a font: `font=FILE.ttf`",
    "qwen3_5": "thinks; see [thinking](#models-that-think)",
    "qwen3_vl": "also the versions that think",
    "vision-encoder-decoder": "Donut for document questions; asked in batches of equal length",
    "blip": "for question answering asked in batches of equal length",
    "vilt": "a classifier",
}
OTHERS = {
    "kosmos-2.5": (
        "answers",
        "by hand: alone and in a batch of two; always reads 4,096 patches, too slow for the tests",
    ),
    "lxmert": ("works", "from region features: `features=FILE.npz`"),
    "molmo": ("refused", "needs code from its folder, which is never run"),
    "phi4_multimodal": (
        "refused",
        "transformers has it among text models only, and prepares its images with torchvision",
    ),
    "visual_bert": ("works", "from region features: `features=FILE.npz`"),
}
"""Families whose state is not in transformers' mappings, or was found by hand."""
TORCHVISION = "needs torchvision, and is refused without it"


def locked_version() -> str:
    """The newest version of transformers in the lock: the table is of that version."""
    found = re.findall(r"^transformers==([\d.]+)", LOCK.read_text(), re.MULTILINE)
    return max(found, key=lambda version: [int(part) for part in version.split(".")])


def states() -> dict[str, tuple[str, str]]:
    """The status of each family in transformers' two mappings, with a note."""
    from transformers.models.auto import image_processing_auto, modeling_auto, processing_auto

    families = {
        **modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES,
        **modeling_auto.MODEL_FOR_VISUAL_QUESTION_ANSWERING_MAPPING_NAMES,
    }
    images = image_processing_auto.IMAGE_PROCESSOR_MAPPING_NAMES
    processors = processing_auto.PROCESSOR_MAPPING_NAMES
    found = {}
    for family in sorted(families):
        only_torchvision = family in images and "pil" not in images[family]
        if family in TRIED.values():
            found[family] = ("works", NOTES.get(family, ""))
        elif only_torchvision or processors.get(family) == "PixtralProcessor":
            found[family] = ("refused", TORCHVISION)
        else:
            found[family] = ("not tried", "")
    return dict(sorted((found | OTHERS).items()))


def table() -> str:
    """The table as Markdown, between the two comments that mark it."""
    rows = [f"| `{family}` | {state} | {note} |" for family, (state, note) in states().items()]
    head = f"Of transformers {locked_version()}:\n\n| family | state | |\n| --- | --- | --- |\n"
    return head + "\n".join(rows) + "\n"


def written() -> str:
    """The table that the page has."""
    return PAGE.read_text().partition("<!-- families -->\n")[2].partition("<!-- end of families -->")[0]


def replace_table(page: Path, name: str, text: str) -> None:
    """Put the text between the two comments that mark the table of that name on a page."""
    before, start, rest = page.read_text().partition(f"<!-- {name} -->\n")
    _, end, after = rest.partition(f"<!-- end of {name} -->")
    assert start, f"{page} has no <!-- {name} -->"
    assert end, f"{page} has no <!-- end of {name} -->"
    page.write_text(f"{before}{start}{text}{end}{after}")


if __name__ == "__main__":
    replace_table(PAGE, "families", table())
