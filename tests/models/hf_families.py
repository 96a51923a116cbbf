"""More families of tiny random models: each is saved as a folder that transformers loads, with its real processor."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import transformers
from hf_folders import CHAT, SENTENCES, SIZE, TOKENS, bert_tokenizer, chat_tokenizer, randomise

THINKING = (
    CHAT.removesuffix("{% if add_generation_prompt %}ASSISTANT:{% endif %}")
    + "{% if add_generation_prompt %}ASSISTANT:{% if enable_thinking is defined and not enable_thinking %}"
    "<think>\n\n</think>\n\n{% else %}<think>\n{% endif %}{% endif %}"
)
"""Ends the prompt in a thought, as Qwen3.5 and Qwen3-VL-Thinking do."""
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


def paligemma(folder: Path) -> Path:
    tokenizer = chat_tokenizer("<image>")
    number = tokenizer.convert_tokens_to_ids
    config = transformers.PaliGemmaConfig(
        text_config={**llama(tokenizer, head_dim=8), "model_type": "gemma"},
        vision_config={**VISION, "model_type": "siglip_vision_model", "projection_dim": 32, "vision_use_head": False},
        image_token_index=number("<image>"),
        projection_dim=32,
        hidden_size=32,
    )
    images = transformers.SiglipImageProcessorPil(size={"height": 32, "width": 32})
    images.image_seq_length = 16
    return save(
        folder, transformers.PaliGemmaForConditionalGeneration(config), tokenizer, images, "PaliGemmaProcessor", ""
    )


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


def instructblip(folder: Path) -> Path:
    tokenizer = chat_tokenizer("<image>")
    qformer = bert_tokenizer(folder / "qformer_tokenizer")
    text = {**SIZE, **TOKENS, "word_embed_proj_dim": 32, "ffn_dim": 48, "vocab_size": len(tokenizer)}
    del text["intermediate_size"]
    config = transformers.InstructBlipConfig(
        vision_config=VISION,
        qformer_config={**SIZE, "encoder_hidden_size": 32, "vocab_size": len(qformer)},
        text_config={**text, "model_type": "opt"},
        num_query_tokens=3,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    images = transformers.BlipImageProcessorPil(size={"height": 32, "width": 32})
    model = transformers.InstructBlipForConditionalGeneration(config)
    save(folder, model, tokenizer, images, "InstructBlipProcessor", "", num_query_tokens=3)
    qformer.save_pretrained(folder / "qformer_tokenizer")
    return folder


def pix2struct(folder: Path) -> Path:
    """For questions: they are drawn into the image, with the font that Pillow has."""
    from PIL import ImageFont

    tokenizer = chat_tokenizer()
    size = {"hidden_size": 32, "d_kv": 8, "d_ff": 48}
    config = transformers.Pix2StructConfig(
        text_config={**size, "num_layers": 2, "num_heads": 4, "vocab_size": len(tokenizer), "eos_token_id": 2},
        vision_config={
            **size,
            "num_hidden_layers": 1,
            "num_attention_heads": 4,
            "seq_len": 64,
            "patch_embed_hidden_size": 768,
        },
        is_vqa=True,
    )
    images = transformers.Pix2StructImageProcessorPil(is_vqa=True, max_patches=48)
    model = transformers.Pix2StructForConditionalGeneration(config)
    save(folder, model, tokenizer, images, "Pix2StructProcessor", "")
    (folder / "font.ttf").write_bytes(ImageFont.load_default(20).path.getvalue())
    return folder


def florence2(folder: Path) -> Path:
    tokenizer = chat_tokenizer("<image>")
    tokenizer._set_model_specific_special_tokens({"image_token": "<image>"})
    text = {
        "vocab_size": len(tokenizer),
        "d_model": 32,
        "encoder_layers": 2,
        "decoder_layers": 2,
        "encoder_ffn_dim": 48,
        "decoder_ffn_dim": 48,
        "encoder_attention_heads": 4,
        "decoder_attention_heads": 4,
        **TOKENS,
        "decoder_start_token_id": 2,
        "forced_eos_token_id": 2,
        "model_type": "bart",
    }
    vision = {
        "depths": [1, 1],
        "patch_size": [7, 3],
        "patch_stride": [4, 2],
        "patch_padding": [3, 1],
        "patch_prenorm": [False, True],
        "embed_dim": [16, 32],
        "num_heads": [2, 4],
        "num_groups": [2, 4],
        "window_size": 4,
        "projection_dim": 32,
        "drop_path_rate": 0.0,
    }
    config = transformers.Florence2Config(
        text_config=text, vision_config=vision, image_token_id=tokenizer.convert_tokens_to_ids("<image>")
    )
    images = transformers.CLIPImageProcessorPil(size={"height": 32, "width": 32}, do_center_crop=False)
    images.image_seq_length = 17
    model = transformers.Florence2ForConditionalGeneration(config)
    return save(folder, model, tokenizer, images, "Florence2Processor", "")


def git(folder: Path) -> Path:
    tokenizer = bert_tokenizer(folder)
    tokenizer.model_input_names = ["input_ids", "attention_mask"]
    config = transformers.GitConfig(
        **SIZE,
        vision_config=VISION,
        vocab_size=len(tokenizer),
        bos_token_id=tokenizer.cls_token_id,
        eos_token_id=tokenizer.sep_token_id,
    )
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    return save(folder, transformers.GitForCausalLM(config), tokenizer, images, "GitProcessor", "")


def donut(folder: Path) -> Path:
    marks = ("<s_docvqa>", "<s_question>", "</s_question>", "<s_answer>", "</s_answer>")
    tokenizer = chat_tokenizer(*marks)
    encoder = transformers.DonutSwinConfig(
        image_size=[32, 32],
        patch_size=4,
        embed_dim=16,
        depths=[1, 1],
        num_heads=[2, 4],
        window_size=4,
        drop_path_rate=0.0,
    )
    decoder = transformers.MBartConfig(
        vocab_size=len(tokenizer),
        d_model=32,
        decoder_layers=2,
        decoder_ffn_dim=48,
        decoder_attention_heads=4,
        is_decoder=True,
        add_cross_attention=True,
        max_position_embeddings=128,
        **TOKENS,
    )
    config = transformers.VisionEncoderDecoderConfig.from_encoder_decoder_configs(encoder, decoder)
    config.decoder_start_token_id, config.pad_token_id = tokenizer.convert_tokens_to_ids("<s_docvqa>"), 0
    images = transformers.DonutImageProcessorPil(size={"height": 32, "width": 32})
    model = transformers.VisionEncoderDecoderModel(config)
    model.generation_config.decoder_start_token_id = config.decoder_start_token_id
    model.generation_config.eos_token_id, model.generation_config.pad_token_id = 2, 0
    return save(folder, model, tokenizer, images, "DonutProcessor", "")


def kosmos2(folder: Path) -> Path:
    from tokenizers import Tokenizer, models, pre_tokenizers

    places = [f"<patch_index_{n:04d}>" for n in range(4)]
    marks = ["<grounding>", "</phrase>", "<phrase>", "</object>", "<object>", "</delimiter_of_multi_objects/>"]
    marks += ["<image>", "</image>", *places]
    words = sorted({*" ".join(SENTENCES).split(), "▁", "Question:", "Short", "answer:", "yes", "no?"})
    pieces = ["<s>", "<pad>", "</s>", "<unk>", *(f"image{n}" for n in range(4)), *marks, *words]
    whole = Tokenizer(models.WordLevel({piece: n for n, piece in enumerate(dict.fromkeys(pieces))}, unk_token="<unk>"))
    whole.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=whole,
        bos_token="<s>",
        eos_token="</s>",
        unk_token="<unk>",
        pad_token="<pad>",
        extra_special_tokens=marks,
    )
    text = {
        "vocab_size": len(tokenizer),
        "embed_dim": 32,
        "layers": 2,
        "ffn_dim": 48,
        "attention_heads": 4,
        "max_position_embeddings": 128,
    }
    config = transformers.Kosmos2Config(text_config=text, vision_config=VISION, latent_query_num=64)
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    model = transformers.Kosmos2ForConditionalGeneration(config)
    return save(folder, model, tokenizer, images, "Kosmos2Processor", "", num_patch_index_tokens=4)


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
