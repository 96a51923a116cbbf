"""Tiny random models of families that read plain prompts: each is saved as a folder with its real processor."""

from __future__ import annotations

from pathlib import Path

import transformers
from hf_family_parts import VISION, llama, save
from hf_folders import SENTENCES, SIZE, TOKENS, bert_tokenizer, chat_tokenizer


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
    """The question is drawn into the image, with Pillow's own font."""
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
