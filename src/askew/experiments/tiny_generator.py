"""A LLaVA of about half a million weights, trained from scratch on the embedded world: what adapters are tried on.

Its image encoder first learns, from the scenes' annotations, which thing each patch shows and what it is like: on the
few thousand images of the world that takes minutes, where learning to see from answers alone would take days. Then
projector and language model learn to answer the training questions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from askew.engine.settings import Settings, progress_bar
from askew.errors import need
from askew.files.images import content_hash, open_image
from askew.files.read_write import replaced
from askew.train.adapters.answer_targets import IGNORED
from askew.train.adapters.schedule import answer_to
from askew.train.batches import order
from askew.types import Question, Scene

PROMPT = "{question} A:"
"""How it is asked, as in its training."""
SIDE, PATCH, WIDTH = 112, 16, 96
"""Pixels of an image and of a patch, and numbers per token."""
PATCHES = (SIDE // PATCH) ** 2
BATCH = 64
RATE = 1e-3
"""The first learning rate of AdamW; it falls to zero along half a cosine."""
EPOCHS = {"seeing": 20, "answering": 8}
"""Passes over the images, and over the questions."""
_SIZE: dict[str, Any] = {
    "hidden_size": WIDTH,
    "intermediate_size": 2 * WIDTH,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
}
_SPECIAL = ("<pad>", "<s>", "</s>", "<image>")

Loss = Callable[[Tensor], Tensor]
"""The loss of some rows, given by their numbers."""


def train_tiny_generator(questions: Sequence[Question], folder: Path, seed: int, progress: bool = False) -> Path:
    """The folder of the finished model. A killed training resumes with the epoch that was not finished."""
    finished = folder / "model"
    if (finished / "processor_config.json").is_file():
        return finished
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        processor = _processor(questions)
        model = _network(processor.tokenizer)
        images = {content_hash(one.image): one for one in questions if one.image is not None}
        pixels = _pixels(processor, list(images.values()))
        vision = model.get_encoder(modality="image")
        see, heads = _seeing(vision, pixels, list(images.values()))
        _learn("seeing", nn.ModuleList([vision, heads]), see, len(pixels), folder, seed, progress)
        patches = _encode(vision, pixels)
        rest = nn.ModuleList([model.model.multi_modal_projector, model.model.language_model, model.lm_head])
        rows = {key: row for row, key in enumerate(images)}
        asked = [question for question in questions if question.image is not None and question.answers]
        seen = torch.tensor([rows[content_hash(question.image)] for question in asked if question.image is not None])
        loss = _answering(model, processor.tokenizer, asked, patches, seen)
        _learn("answering", rest, loss, len(asked), folder, seed, progress)
        model.save_pretrained(finished)
        processor.save_pretrained(finished)  # last: with it the folder is finished
    return finished


def _processor(questions: Sequence[Question]) -> Any:
    """A byte-level vocabulary of the questions' and answers' pieces, and images of one size."""
    tokenizers, transformers = need("tokenizers", "peft"), need("transformers", "peft")
    whole = tokenizers.Tokenizer(tokenizers.models.BPE())
    whole.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    whole.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=900,
        special_tokens=list(_SPECIAL),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    texts = [f"{PROMPT.format(question=one.text)} {answer_to(one)}" for one in questions if one.answers]
    whole.train_from_iterator(texts, trainer)
    whole.post_processor = tokenizers.processors.TemplateProcessing(single="<s> $A", special_tokens=[("<s>", 1)])
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=whole, pad_token="<pad>", bos_token="<s>", eos_token="</s>", extra_special_tokens=["<image>"]
    )
    images = transformers.CLIPImageProcessorPil(size={"shortest_edge": SIDE}, crop_size={"height": SIDE, "width": SIDE})
    return transformers.LlavaProcessor(images, tokenizer, PATCH, "default", None, num_additional_image_tokens=1)


def _network(tokenizer: Any) -> Any:
    transformers = need("transformers", "peft")
    tokens = dict(zip(("pad_token_id", "bos_token_id", "eos_token_id"), range(3), strict=True))
    text = transformers.LlamaConfig(**_SIZE, **tokens, num_key_value_heads=4, vocab_size=len(tokenizer))
    vision = transformers.CLIPVisionConfig(**_SIZE, image_size=SIDE, patch_size=PATCH, projection_dim=WIDTH)
    return transformers.LlavaForConditionalGeneration(
        transformers.LlavaConfig(
            vision_config=vision,
            text_config=text,
            image_token_id=tokenizer.convert_tokens_to_ids("<image>"),
            vision_feature_layer=-1,
        )
    )


def _pixels(processor: Any, questions: Sequence[Question]) -> Tensor:
    """(N, 3, SIDE, SIDE), in half precision."""
    found = []
    for question in questions:
        assert question.image is not None
        prepared = processor.image_processor([open_image(question.image)], return_tensors="pt")
        found.append(prepared["pixel_values"].half())
    return torch.cat(found)


def _seeing(vision: Any, pixels: Tensor, questions: Sequence[Question]) -> tuple[Loss, nn.Module]:
    """For each patch the error of its thing's name and attributes, and the layer that names them, which is not kept."""
    things = [thing for one in questions if one.scene for thing in one.scene.things]
    names = sorted({thing.name for thing in things})
    attributes = sorted({attribute for thing in things for attribute in thing.attributes})
    labels = zip(*(_patch_labels(one.scene, names, attributes) for one in questions), strict=True)
    name_of, has = map(torch.stack, labels)  # (N, P) and (N, P, A)
    heads = nn.Linear(WIDTH, len(names) + 1 + len(attributes))

    def loss(rows: Tensor) -> Tensor:
        hidden = _hidden(vision, pixels[rows].float())
        scores = heads(hidden)
        named, wanted, covered = scores[..., : len(names) + 1], has[rows].float(), name_of[rows] > 0
        errors = functional.binary_cross_entropy_with_logits(scores[..., len(names) + 1 :], wanted, reduction="none")
        return functional.cross_entropy(named.transpose(1, 2), name_of[rows]) + errors[covered].sum(-1).mean()

    return loss, heads


def _patch_labels(scene: Scene | None, names: Sequence[str], attributes: Sequence[str]) -> tuple[Tensor, Tensor]:
    """The name (P,) and attributes (P, A) of the smallest thing whose box covers the middle of each patch; 0: none."""
    across = SIDE // PATCH
    name, has = (
        torch.zeros(across, across, dtype=torch.int64),
        torch.zeros(across, across, len(attributes), dtype=torch.bool),
    )
    if scene is not None and scene.size:
        middle = (torch.arange(across) + 0.5) / across
        for thing in sorted(scene.things, key=lambda one: -one.box[2] * one.box[3] if one.box else 0):
            if thing.box is None:
                continue
            x, y, width, height = (size / scene.size[number % 2] for number, size in enumerate(thing.box))
            rows, columns = (middle >= y) & (middle <= y + height), (middle >= x) & (middle <= x + width)
            inside = rows[:, None] & columns[None]
            name[inside] = names.index(thing.name) + 1
            has[inside] = torch.tensor([attribute in thing.attributes for attribute in attributes])
    return name.flatten(), has.flatten(0, 1)


def _hidden(vision: Any, pixels: Tensor) -> Tensor:
    """What the language model sees of each patch, (N, P, WIDTH)."""
    hidden: Tensor = vision(pixels, output_hidden_states=True).hidden_states[-1][:, 1:]
    return hidden


def _encode(vision: Any, pixels: Tensor) -> Tensor:
    vision.eval()
    with torch.no_grad():
        return torch.cat([_hidden(vision, part.float()) for part in torch.split(pixels, BATCH)])


def _answering(model: Any, tokenizer: Any, questions: Sequence[Question], patches: Tensor, seen: Tensor) -> Loss:
    """The error of the answer's tokens after the image and the question, laid out as LLaVA's processor does."""
    rows = []
    for question in questions:
        prompt = PROMPT.format(question=question.text)
        asked = tokenizer(prompt, add_special_tokens=False)["input_ids"]
        answer = [*tokenizer(f" {answer_to(question)}", add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        rows.append((torch.tensor([*asked, *answer]), torch.tensor([*[IGNORED] * len(asked), *answer])))
    padded = [nn.utils.rnn.pad_sequence([row[at] for row in rows], True, fill) for at, fill in ((0, 0), (1, IGNORED))]
    embed, begin = model.get_input_embeddings(), torch.tensor([[tokenizer.bos_token_id]])

    def loss(chosen: Tensor) -> Tensor:
        tokens, labels = (part[chosen] for part in padded)
        longest = int((tokens != 0).sum(1).max())
        tokens, labels = tokens[:, :longest], labels[:, :longest]
        image = model.model.multi_modal_projector(patches[seen[chosen]])
        first = embed(begin).expand(len(chosen), 1, -1)
        embedded = torch.cat([first, image, embed(tokens)], dim=1)
        hidden = model.model.language_model(inputs_embeds=embedded, use_cache=False).last_hidden_state
        answers = labels != IGNORED
        before = hidden[:, PATCHES : PATCHES + longest][answers]  # each token is written by the state before it
        return functional.cross_entropy(model.lm_head(before), labels[answers])

    return loss


def _learn(name: str, weights: nn.Module, loss: Loss, count: int, folder: Path, seed: int, progress: bool) -> None:
    """Minimise a loss over all its rows for some epochs; the state after each is kept, to resume from."""
    path, epochs = folder / f"{name}.pt", EPOCHS[name]
    steps = math.ceil(count / BATCH)
    optimiser = torch.optim.AdamW(weights.parameters(), lr=RATE, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, epochs * steps)
    parts: dict[str, Any] = {"weights": weights, "optimiser": optimiser, "schedule": schedule}
    done = 0
    if path.is_file():
        state = torch.load(path, weights_only=True)
        for part, one in parts.items():
            one.load_state_dict(state[part])
        done = state["epoch"]
    weights.train()
    with progress_bar(Settings(progress=progress), total=epochs * steps, desc=name.capitalize(), unit=" steps") as bar:
        bar.update(done * steps)
        for epoch in range(done, epochs):
            for rows in torch.split(order(count, seed, epoch), BATCH):
                found = loss(rows)
                optimiser.zero_grad(set_to_none=True)
                found.backward()  # type: ignore[no-untyped-call]
                nn.utils.clip_grad_norm_(weights.parameters(), 1.0)
                optimiser.step()
                schedule.step()
                bar.update()
                bar.set_postfix_str(f"loss {found.item():.2f}", refresh=False)
            with replaced(path) as file:
                torch.save({part: one.state_dict() for part, one in parts.items()} | {"epoch": epoch + 1}, file)
