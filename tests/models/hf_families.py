"""Every family of tiny random models: its name, and the function that saves one to a folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import hf_chat_families as chat
import hf_plain_families as plain

FAMILIES: dict[str, Callable[[Path], Path]] = {
    family.__name__: family
    for family in (
        chat.qwen2_5_vl,
        chat.qwen3_vl,
        chat.qwen3_vl_thinking,
        chat.qwen3_5,
        chat.llava_next,
        chat.llava_onevision,
        chat.vipllava,
        chat.internvl,
        chat.aya_vision,
        chat.glm4v,
        chat.idefics2,
        chat.gemma3,
        chat.mllama,
        chat.gemma4,
        chat.janus,
        plain.paligemma,
        plain.instructblip,
        plain.pix2struct,
        plain.florence2,
        plain.git,
        plain.donut,
        plain.kosmos2,
    )
}
