"""What tiny random models of all families share: sizes, a chat template that thinks, and how they are saved."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hf_folders import CHAT, SIZE, TOKENS, randomise

THINKING = (
    CHAT.removesuffix("{% if add_generation_prompt %}ASSISTANT:{% endif %}")
    + "{% if add_generation_prompt %}ASSISTANT:{% if enable_thinking is defined and not enable_thinking %}"
    "<think>\n\n</think>\n\n{% else %}<think>\n{% endif %}{% endif %}{% if more %} {% endif %}"
)
"""Has two options; ends the prompt in a thought, as Qwen3.5 and Qwen3-VL-Thinking do."""
VISION = {**SIZE, "image_size": 32, "patch_size": 8}
ROPE = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}


def llama(tokenizer: Any, **more: Any) -> dict[str, Any]:
    """The size of a tiny language model."""
    return {**SIZE, **TOKENS, "num_key_value_heads": 2, "vocab_size": len(tokenizer), **more}


def save(
    folder: Path, model: Any, tokenizer: Any, images: Any, processor: str, template: str = CHAT, **options: Any
) -> Path:
    """Save the parts of a model as a folder."""
    randomise(model).save_pretrained(folder)
    if template:
        tokenizer.chat_template = template
    tokenizer.save_pretrained(folder)
    images.save_pretrained(folder)
    (folder / "processor_config.json").write_text(json.dumps({"processor_class": processor, **options}))
    return folder
