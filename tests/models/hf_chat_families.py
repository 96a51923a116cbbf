"""Tiny random models of families with a chat template: each is saved as a folder with its real processor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import transformers
from hf_family_parts import ROPE, THINKING, VISION, llama, save
from hf_folders import CHAT, SIZE, chat_tokenizer


def qwen(folder: Path, name: str, text: dict[str, Any], vision: dict[str, Any], template: str = CHAT) -> Path:
    """One of the Qwen-VL families, saved without a video processor, which needs torchvision."""
    marks = ("<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
    tokenizer = chat_tokenizer(*marks)
    number = tokenizer.convert_tokens_to_ids
    kind = getattr(transformers, f"{name}Config")(
        text_config=llama(tokenizer, rope_parameters=ROPE, **text),
        vision_config={"depth": 2, "hidden_size": 32, "num_heads": 4, "out_hidden_size": 32, "patch_size": 8, **vision},
        image_token_id=number("<|image_pad|>"),
        video_token_id=number("<|video_pad|>"),
        vision_start_token_id=number("<|vision_start|>"),
        vision_end_token_id=number("<|vision_end|>"),
    )
    size = {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}
    images = transformers.Qwen2VLImageProcessorPil(patch_size=8, merge_size=2, temporal_patch_size=2, size=size)
    processor = "Qwen2_5_VLProcessor" if name == "Qwen2_5_VL" else "Qwen3VLProcessor"
    model = getattr(transformers, f"{name}ForConditionalGeneration")(kind)
    template = template.replace("IMAGE_TOKEN", "<|vision_start|><|image_pad|><|vision_end|>")
    return save(folder, model, tokenizer, images, processor, template)


def qwen2_5_vl(folder: Path) -> Path:
    return qwen(folder, "Qwen2_5_VL", {}, {"intermediate_size": 48, "window_size": 32, "fullatt_block_indexes": [1]})


def qwen3_vl(folder: Path, template: str = CHAT) -> Path:
    vision = {"intermediate_size": 48, "num_position_embeddings": 64, "deepstack_visual_indexes": [0]}
    return qwen(folder, "Qwen3VL", {"head_dim": 8}, vision, template)


def qwen3_vl_thinking(folder: Path) -> Path:
    return qwen3_vl(folder, THINKING)


def qwen3_5(folder: Path) -> Path:
    text = {
        "head_dim": 8,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
        "linear_num_key_heads": 2,
        "linear_num_value_heads": 4,
        "layer_types": ["linear_attention", "full_attention"],
    }
    return qwen(folder, "Qwen3_5", text, {"intermediate_size": 48, "num_position_embeddings": 64}, THINKING)


def llava_next(folder: Path) -> Path:
    tokenizer = chat_tokenizer("<image>")
    pinpoints = [[32, 64], [64, 32], [64, 64]]
    config = transformers.LlavaNextConfig(
        vision_config=transformers.CLIPVisionConfig(**VISION),
        text_config=transformers.LlamaConfig(**llama(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_grid_pinpoints=pinpoints,
    )
    images = transformers.LlavaNextImageProcessorPil(
        size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}, image_grid_pinpoints=pinpoints
    )
    options = {"patch_size": 8, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    model = transformers.LlavaNextForConditionalGeneration(config)
    template = CHAT.replace("IMAGE_TOKEN", "<image>")
    return save(folder, model, tokenizer, images, "LlavaNextProcessor", template, **options)


def llava_onevision(folder: Path) -> Path:
    tokenizer = chat_tokenizer("<image>", "<video>")
    number = tokenizer.convert_tokens_to_ids
    pinpoints = [[32, 64], [64, 32], [64, 64]]
    config = transformers.LlavaOnevisionConfig(
        vision_config=transformers.SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=transformers.Qwen2Config(**llama(tokenizer)),
        image_token_index=number("<image>"),
        video_token_index=number("<video>"),
        image_grid_pinpoints=pinpoints,
    )
    images = transformers.LlavaOnevisionImageProcessorPil(
        size={"height": 32, "width": 32}, image_grid_pinpoints=pinpoints
    )
    options = {"num_image_tokens": 16, "vision_feature_select_strategy": "full"}
    model = transformers.LlavaOnevisionForConditionalGeneration(config)
    template = CHAT.replace("IMAGE_TOKEN", "<image>")
    return save(folder, model, tokenizer, images, "LlavaOnevisionProcessor", template, **options)


def vipllava(folder: Path) -> Path:
    tokenizer = chat_tokenizer("<image>")
    config = transformers.VipLlavaConfig(
        vision_config=transformers.CLIPVisionConfig(**VISION),
        text_config=transformers.LlamaConfig(**llama(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        vision_feature_layers=[-1, -2],
    )
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    options = {"patch_size": 8, "vision_feature_select_strategy": "default", "num_additional_image_tokens": 1}
    model = transformers.VipLlavaForConditionalGeneration(config)
    template = CHAT.replace("IMAGE_TOKEN", "<image>")
    return save(folder, model, tokenizer, images, "LlavaProcessor", template, **options)


def internvl(folder: Path) -> Path:
    marks = {"start_image_token": "<img>", "end_image_token": "</img>", "context_image_token": "<IMG_CONTEXT>"}
    tokenizer = chat_tokenizer(*marks.values(), "<video>")
    for name, token in {**marks, "video_token": "<video>"}.items():
        tokenizer._set_model_specific_special_tokens({name: token})
    config = transformers.InternVLConfig(
        vision_config={**SIZE, "image_size": [32, 32], "patch_size": [8, 8]},
        text_config=transformers.Qwen2Config(**llama(tokenizer)),
        image_token_id=tokenizer.convert_tokens_to_ids("<IMG_CONTEXT>"),
        image_seq_length=4,
    )
    images = transformers.GotOcr2ImageProcessorPil(size={"height": 32, "width": 32}, crop_to_patches=False)
    model = transformers.InternVLForConditionalGeneration(config)
    template = CHAT.replace("IMAGE_TOKEN", "<IMG_CONTEXT>{{ '\\n' }}")
    return save(folder, model, tokenizer, images, "InternVLProcessor", template, image_seq_length=4)


def aya_vision(folder: Path) -> Path:
    marks = ("<image>", "<|START_OF_IMG|>", "<|END_OF_IMG|>", "<|IMG_PATCH|>", "<|IMG_LINE_BREAK|>")
    tokenizer = chat_tokenizer(*marks, "TILE", "TILE_GLOBAL")
    config = transformers.AyaVisionConfig(
        vision_config=transformers.SiglipVisionConfig(**VISION, vision_use_head=False),
        text_config=transformers.Cohere2Config(**llama(tokenizer)),
        image_token_index=tokenizer.convert_tokens_to_ids("<|IMG_PATCH|>"),
    )
    images = transformers.GotOcr2ImageProcessorPil(size={"height": 32, "width": 32}, crop_to_patches=False)
    model = transformers.AyaVisionForConditionalGeneration(config)
    options = {"patch_size": 16, "img_size": 32, "downsample_factor": 1}
    template = CHAT.replace("IMAGE_TOKEN", "<image>")
    return save(folder, model, tokenizer, images, "AyaVisionProcessor", template, **options)


def glm4v(folder: Path) -> Path:
    marks = ("<|image|>", "<|video|>", "<|begin_of_image|>", "<|end_of_image|>", "<|begin_of_video|>")
    tokenizer = chat_tokenizer(*marks, "<|end_of_video|>")
    number = tokenizer.convert_tokens_to_ids
    vision = {"depth": 2, "hidden_size": 32, "num_heads": 4, "out_hidden_size": 32, "patch_size": 8, "image_size": 32}
    config = transformers.Glm4vConfig(
        text_config=llama(tokenizer, rope_parameters={**ROPE, "partial_rotary_factor": 1.0}),
        vision_config={**vision, "intermediate_size": 48},
        image_token_id=number("<|image|>"),
        video_token_id=number("<|video|>"),
        image_start_token_id=number("<|begin_of_image|>"),
        image_end_token_id=number("<|end_of_image|>"),
        video_start_token_id=number("<|begin_of_video|>"),
        video_end_token_id=number("<|end_of_video|>"),
    )
    size = {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}
    images = transformers.Glm4vImageProcessorPil(patch_size=8, merge_size=2, temporal_patch_size=2, size=size)
    model = transformers.Glm4vForConditionalGeneration(config)
    template = CHAT.replace("IMAGE_TOKEN", "<|begin_of_image|><|image|><|end_of_image|>")
    return save(folder, model, tokenizer, images, "Glm4vProcessor", template)


def idefics2(folder: Path) -> Path:
    tokenizer = chat_tokenizer("<fake_token_around_image>", "<image>", "<end_of_utterance>")
    perceiver = {
        "hidden_size": 32,
        "resampler_n_latents": 4,
        "resampler_depth": 1,
        "resampler_n_heads": 4,
        "resampler_head_dim": 8,
        "num_key_value_heads": 2,
    }
    config = transformers.Idefics2Config(
        text_config=transformers.MistralConfig(**llama(tokenizer, head_dim=8)),
        vision_config=VISION,
        perceiver_config=perceiver,
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
    )
    images = transformers.Idefics2ImageProcessorPil(
        size={"shortest_edge": 24, "longest_edge": 32}, do_image_splitting=False
    )
    model = transformers.Idefics2ForConditionalGeneration(config)
    return save(
        folder, model, tokenizer, images, "Idefics2Processor", CHAT.replace("IMAGE_TOKEN", "<image>"), image_seq_len=4
    )


def gemma3(folder: Path) -> Path:
    marks = {"image_token": "<image_soft_token>", "boi_token": "<start_of_image>", "eoi_token": "<end_of_image>"}
    tokenizer = chat_tokenizer(*marks.values())
    for name, token in marks.items():
        tokenizer._set_model_specific_special_tokens({name: token})
    number = tokenizer.convert_tokens_to_ids
    config = transformers.Gemma3Config(
        text_config=llama(tokenizer, head_dim=8, query_pre_attn_scalar=8, tie_word_embeddings=False),
        vision_config=VISION,
        mm_tokens_per_image=4,
        boi_token_index=number("<start_of_image>"),
        eoi_token_index=number("<end_of_image>"),
        image_token_index=number("<image_soft_token>"),
        tie_word_embeddings=False,  # a tied tiny model repeats the last word of the prompt
    )
    images = transformers.Gemma3ImageProcessorPil(size={"height": 32, "width": 32})
    model = transformers.Gemma3ForConditionalGeneration(config)
    template = CHAT.replace("IMAGE_TOKEN", "<start_of_image>")
    return save(folder, model, tokenizer, images, "Gemma3Processor", template, image_seq_length=4)


def mllama(folder: Path) -> Path:
    tokenizer = chat_tokenizer("<|image|>")
    vision = {
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_global_layers": 1,
        "attention_heads": 4,
        "intermediate_size": 48,
        "vision_output_dim": 64,
        "image_size": 32,
        "patch_size": 8,
        "max_num_tiles": 2,
        "intermediate_layers_indices": [0],
        "supported_aspect_ratios": [[1, 1], [1, 2], [2, 1]],
    }
    image_token = tokenizer.convert_tokens_to_ids("<|image|>")
    text = llama(tokenizer, cross_attention_layers=[1])
    config = transformers.MllamaConfig(vision_config=vision, text_config=text, image_token_index=image_token)
    images = transformers.MllamaImageProcessorPil(size={"height": 32, "width": 32}, max_image_tiles=2)
    model = transformers.MllamaForConditionalGeneration(config)
    template = CHAT.replace("IMAGE_TOKEN", "<|image|>")
    return save(folder, model, tokenizer, images, "MllamaProcessor", template)


def gemma4(folder: Path) -> Path:
    marks = {
        "image_token": "<|image|>",
        "boi_token": "<|image>",
        "eoi_token": "<image|>",
        "video_token": "<|video|>",
        "audio_token": "<|audio|>",
        "boa_token": "<|audio>",
        "eoa_token": "<audio|>",
    }
    tokenizer = chat_tokenizer(*marks.values(), "<|channel>", "<channel|>")
    for name, token in marks.items():
        tokenizer._set_model_specific_special_tokens({name: token})
    number = tokenizer.convert_tokens_to_ids
    text = llama(
        tokenizer,
        head_dim=8,
        vocab_size_per_layer_input=len(tokenizer),
        hidden_size_per_layer_input=8,
        layer_types=["sliding_attention", "full_attention"],
        global_head_dim=8,
    )
    vision = {
        "hidden_size": 32,
        "intermediate_size": 48,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 4,
        "head_dim": 8,
        "patch_size": 8,
        "pooling_kernel_size": 2,
        "default_output_length": 4,
        "position_embedding_size": 64,
    }
    config = transformers.Gemma4Config(
        text_config=text,
        vision_config=vision,
        image_token_id=number("<|image|>"),
        boi_token_id=number("<|image>"),
        eoi_token_id=number("<image|>"),
        video_token_id=number("<|video|>"),
        audio_token_id=number("<|audio|>"),
    )
    images = transformers.Gemma4ImageProcessorPil(patch_size=8, pooling_kernel_size=2, max_soft_tokens=70)
    sound = transformers.Gemma4AudioFeatureExtractor()
    model = transformers.Gemma4ForConditionalGeneration(config)
    template = CHAT.replace("IMAGE_TOKEN", "<|image|>")
    save(folder, model, tokenizer, images, "Gemma4Processor", template, image_seq_length=70)
    processor = json.loads((folder / "processor_config.json").read_text())
    processor["feature_extractor"] = json.loads(sound.to_json_string())
    (folder / "processor_config.json").write_text(json.dumps(processor))
    return folder


def janus(folder: Path) -> Path:
    marks = {"image_token": "<image_placeholder>", "boi_token": "<begin_of_image>", "eoi_token": "<end_of_image>"}
    tokenizer = chat_tokenizer(*marks.values())
    for name, token in marks.items():
        tokenizer._set_model_specific_special_tokens({name: token})
    vision = {"num_hidden_layers": 2, "hidden_size": 32, "num_attention_heads": 4, "image_size": 32, "patch_size": 8}
    codes = {"embed_dim": 8, "num_embeddings": 16, "latent_channels": 32, "base_channels": 32, "num_res_blocks": 1}
    config = transformers.JanusConfig(
        text_config=transformers.LlamaConfig(**llama(tokenizer)),
        vision_config={**vision, "mlp_ratio": 2.0, "projection_dim": 32, "num_image_tokens": 16},
        vq_config={**codes, "channel_multiplier": [1, 1], "projection_dim": 32, "image_token_embed_dim": 32},
        image_token_id=tokenizer.convert_tokens_to_ids("<image_placeholder>"),
        tie_word_embeddings=False,  # a tied tiny model repeats the last word of the prompt
    )
    images = transformers.JanusImageProcessorPil(size={"height": 32, "width": 32}, min_size=14)
    model = transformers.JanusForConditionalGeneration(config)
    template = CHAT.replace("IMAGE_TOKEN", "<image_placeholder>{{ '\\n' }}")
    return save(folder, model, tokenizer, images, "JanusProcessor", template, num_image_tokens=16)
