"""Tiny models of each family, randomly initialised from a config and saved with real processors and tokenizers."""

from __future__ import annotations

import json
import re
import string
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="the extra hf is not installed")
pytest.importorskip("transformers", reason="the extra hf is not installed")

from tokenizers import (  # noqa: E402
    Tokenizer,
    decoders,
    models,
    pre_tokenizers,
    processors,
    trainers,
)
from transformers import (  # noqa: E402
    BertTokenizer,
    Blip2Config,
    Blip2ForConditionalGeneration,
    Blip2Processor,
    BlipConfig,
    BlipForQuestionAnswering,
    BlipImageProcessorPil,
    BlipProcessor,
    CLIPImageProcessorPil,
    CLIPVisionConfig,
    Idefics3Config,
    Idefics3ForConditionalGeneration,
    Idefics3ImageProcessorPil,
    LlamaConfig,
    LlavaConfig,
    LlavaForConditionalGeneration,
    LlavaProcessor,
    LxmertConfig,
    LxmertForQuestionAnswering,
    OPTConfig,
    PreTrainedTokenizerFast,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen2VLImageProcessorPil,
    SmolVLMConfig,
    SmolVLMForConditionalGeneration,
    SmolVLMImageProcessorPil,
    ViltConfig,
    ViltForQuestionAnswering,
    ViltImageProcessorPil,
    ViltProcessor,
    VisualBertConfig,
    VisualBertForQuestionAnswering,
)

torch.set_num_threads(1)  # tiny models, many processes

SENTENCES = [
    "What color is the car? red blue green yellow black white",
    "How many dogs are there? one two three four 0 1 2 3 4",
    "Is the cat on the sofa? Is there a boat near the tree? yes no",
    "Answer the question with a single word or phrase. Where is it? Which shape is left of the round thing?",
]
ANSWERS = ("yes", "no", "red", "blue", "green", "0", "1", "2", "cube", "left")
CHAT = (
    "{% for message in messages %}{{ message['role'] | upper }}: {% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}IMAGE_TOKEN{% else %}{{ part['text'] }}{% endif %}{% endfor %}"
    "{{ '\n' }}{% endfor %}{% if add_generation_prompt %}ASSISTANT:{% endif %}"
)
SIZE: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "intermediate_size": 48,
}
TOKENS = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
SPREAD = 0.35
"""Standard deviation of the random weights: large, so that different inputs give different answers."""


def bert_tokenizer(folder: Path) -> BertTokenizer:
    """WordPiece, with the words of the sentences and single letters. (A trained one differs from run to run.)"""
    words = sorted({word for sentence in SENTENCES for word in re.findall(r"\w+|\W", sentence.lower()) if word != " "})
    letters = [mark + letter for mark in ("", "##") for letter in string.ascii_lowercase + string.digits]
    pieces = dict.fromkeys(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *letters])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "vocab.txt").write_text("\n".join(pieces) + "\n")
    return BertTokenizer(str(folder / "vocab.txt"))


def chat_tokenizer(*more: str) -> PreTrainedTokenizerFast:
    """Byte-level BPE, trained on the sentences, with a beginning, an end and whatever special tokens are asked for."""
    whole = Tokenizer(models.BPE())
    whole.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    whole.decoder = decoders.ByteLevel()
    special = ["<pad>", "<s>", "</s>", *more]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=500, special_tokens=special, initial_alphabet=alphabet)
    whole.train_from_iterator(SENTENCES, trainer)
    whole.post_processor = processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    return PreTrainedTokenizerFast(
        tokenizer_object=whole, pad_token="<pad>", bos_token="<s>", eos_token="</s>", extra_special_tokens=list(more)
    )


def randomise(model: Any, seed: int = 0) -> Any:
    """Weights from a seed, with a larger variance."""
    generator = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if weight.dim() > 1 or name.endswith("class_embedding"):
                weight.normal_(0.0, SPREAD, generator=generator)
            elif name.endswith("A_log"):  # transformers draws it from the global generator
                weight.copy_(torch.arange(1, len(weight) + 1).log())
    return model


def vilt(folder: Path, seed: int = 0) -> Path:
    tokenizer = bert_tokenizer(folder)
    config = ViltConfig(
        **SIZE,
        vocab_size=len(tokenizer),
        image_size=64,
        patch_size=16,
        max_image_length=-1,
        max_position_embeddings=40,
        id2label=dict(enumerate(ANSWERS)),
    )
    randomise(ViltForQuestionAnswering(config), seed).save_pretrained(folder)
    ViltProcessor(ViltImageProcessorPil(size={"shortest_edge": 64}, size_divisor=16), tokenizer).save_pretrained(folder)
    return folder


def blip(folder: Path, seed: int = 0) -> Path:
    tokenizer = bert_tokenizer(folder)
    tokens = {"bos_token_id": 2, "eos_token_id": 3, "sep_token_id": 3, "pad_token_id": 0}
    text = {**SIZE, **tokens, "vocab_size": len(tokenizer), "encoder_hidden_size": 32, "projection_dim": 32}
    config = BlipConfig(text_config=text, vision_config={**SIZE, "image_size": 32, "patch_size": 16}, projection_dim=32)
    config.decoder_start_token_id = 2
    randomise(BlipForQuestionAnswering(config), seed).save_pretrained(folder)
    BlipProcessor(BlipImageProcessorPil(size={"height": 32, "width": 32}), tokenizer).save_pretrained(folder)
    return folder


def llava(folder: Path, seed: int = 0, chat: bool = True) -> Path:
    tokenizer = chat_tokenizer("<image>")
    text = LlamaConfig(**SIZE, **TOKENS, num_key_value_heads=2, vocab_size=len(tokenizer))
    vision = CLIPVisionConfig(**SIZE, image_size=32, patch_size=16)
    image_token = tokenizer.convert_tokens_to_ids("<image>")
    config = LlavaConfig(vision_config=vision, text_config=text, image_token_id=image_token)
    randomise(LlavaForConditionalGeneration(config), seed).save_pretrained(folder)
    image_processor = CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    template = CHAT.replace("IMAGE_TOKEN", "<image>{{ '\\n' }}") if chat else None
    LlavaProcessor(image_processor, tokenizer, 16, "default", template, num_additional_image_tokens=1).save_pretrained(
        folder
    )
    return folder


def blip2(folder: Path, seed: int = 0) -> Path:
    tokenizer = chat_tokenizer("<image>")
    text = OPTConfig(
        hidden_size=32,
        word_embed_proj_dim=32,
        ffn_dim=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        vocab_size=len(tokenizer),
        **TOKENS,
    )
    vision = {**SIZE, "image_size": 32, "patch_size": 16}
    config = Blip2Config(
        vision_config=vision,
        qformer_config={**SIZE, "encoder_hidden_size": 32},
        text_config=text,
        num_query_tokens=3,
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
    )
    randomise(Blip2ForConditionalGeneration(config), seed).save_pretrained(folder)
    image_processor = BlipImageProcessorPil(size={"height": 32, "width": 32})
    Blip2Processor(image_processor, tokenizer, num_query_tokens=3).save_pretrained(folder)
    return folder


def qwen2_vl(folder: Path, seed: int = 0) -> Path:
    """Saved without a video processor, which cannot be made where torchvision is not installed."""
    marks = ("<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>", "<|video_pad|>")
    tokenizer = chat_tokenizer(*marks)
    number = tokenizer.convert_tokens_to_ids
    rope = {"rope_type": "default", "rope_theta": 10000.0, "mrope_section": [1, 1, 2]}
    config = Qwen2VLConfig(
        text_config={
            **SIZE,
            **TOKENS,
            "num_key_value_heads": 2,
            "vocab_size": len(tokenizer),
            "rope_parameters": rope,
        },
        vision_config={"depth": 2, "embed_dim": 32, "hidden_size": 32, "num_heads": 4, "mlp_ratio": 2, "patch_size": 8},
        image_token_id=number("<|image_pad|>"),
        video_token_id=number("<|video_pad|>"),
        vision_start_token_id=number("<|vision_start|>"),
        vision_end_token_id=number("<|vision_end|>"),
    )
    randomise(Qwen2VLForConditionalGeneration(config), seed).save_pretrained(folder)
    tokenizer.chat_template = CHAT.replace("IMAGE_TOKEN", "<|vision_start|><|image_pad|><|vision_end|>")
    tokenizer.save_pretrained(folder)
    size = {"shortest_edge": 32 * 32, "longest_edge": 64 * 64}
    Qwen2VLImageProcessorPil(patch_size=8, merge_size=2, temporal_patch_size=2, size=size).save_pretrained(folder)
    return folder


def smolvlm(folder: Path, seed: int = 0) -> Path:
    return _idefics(folder, seed, "SmolVLM", SmolVLMConfig, SmolVLMForConditionalGeneration, SmolVLMImageProcessorPil)


def idefics3(folder: Path, seed: int = 0) -> Path:
    return _idefics(
        folder, seed, "Idefics3", Idefics3Config, Idefics3ForConditionalGeneration, Idefics3ImageProcessorPil
    )


def _idefics(folder: Path, seed: int, name: str, config_class: Any, model_class: Any, processor_class: Any) -> Path:
    """Images are cut into tiles of 32 pixels, at most two by two, and a small copy of the whole."""
    tiles = [f"<row_{row}_col_{column}>" for row in (1, 2) for column in (1, 2)]
    tokenizer = chat_tokenizer("<fake_token_around_image>", "<image>", "<end_of_utterance>", "<global-img>", *tiles)
    config = config_class(
        text_config=LlamaConfig(**SIZE, **TOKENS, num_key_value_heads=2, vocab_size=len(tokenizer)),
        vision_config={**SIZE, "image_size": 32, "patch_size": 8},
        image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
        scale_factor=2,
        pad_token_id=0,
    )
    randomise(model_class(config), seed).save_pretrained(folder)
    tokenizer.chat_template = CHAT.replace("IMAGE_TOKEN", "<image>")
    tokenizer.save_pretrained(folder)
    processor_class(size={"longest_edge": 64}, max_image_size={"longest_edge": 32}).save_pretrained(folder)
    said = {"processor_class": f"{name}Processor", "image_seq_len": 4}
    (folder / "processor_config.json").write_text(json.dumps(said))
    return folder


def lxmert(folder: Path, seed: int = 0) -> Path:
    """Its config names no answers, like the published ones."""
    tokenizer = bert_tokenizer(folder)
    config = LxmertConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        num_attention_heads=4,
        intermediate_size=48,
        l_layers=1,
        x_layers=1,
        r_layers=1,
        visual_feat_dim=12,
        num_qa_labels=len(ANSWERS),
    )
    randomise(LxmertForQuestionAnswering(config), seed).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def visual_bert(folder: Path, seed: int = 0) -> Path:
    tokenizer = bert_tokenizer(folder)
    config = VisualBertConfig(
        **SIZE, vocab_size=len(tokenizer), visual_embedding_dim=12, id2label=dict(enumerate(ANSWERS))
    )
    randomise(VisualBertForQuestionAnswering(config), seed).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
