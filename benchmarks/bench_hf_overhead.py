"""askew's overhead over the bare model loop, on the same batches of a small ViLT; and what sharing images saves.

The peer is a loop written by hand with transformers: open the images, call the processor, call the model, take
the best label. askew does the same through ``hf:FOLDER``, with content hashes, the answer store and everything else of
a run. Goal: at most 5 % with one question per image. The loops alternate, and the result is the median of the ratios,
in wall-clock time and in processor time, which other programs on the machine affect less.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import time
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"

import numpy as np
import torch
from PIL import Image
from transformers import BertTokenizer, ViltConfig, ViltForQuestionAnswering, ViltImageProcessorPil, ViltProcessor
from transformers.utils import logging

from askew.engine.resume import Planner, ask_unanswered
from askew.engine.settings import Named
from askew.engine.store import Store
from askew.registry import make
from askew.types import Group, ImageRef, Outcome, Question

WORDS = "what color is the how many are there in a on of car dog cat shirt bus plate umbrella horse boat left right ?"
THINGS = ["car", "dog", "cat", "shirt", "bus", "plate", "umbrella", "horse", "boat"]
QUESTIONS, BATCH, ROUNDS = 256, 32, 5


def save_model(folder: Path) -> None:
    folder.mkdir()
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS.split()]
    (folder / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    tokenizer = BertTokenizer(str(folder / "vocab.txt"))
    config = ViltConfig(
        vocab_size=len(vocabulary),
        hidden_size=384,
        num_hidden_layers=6,
        num_attention_heads=6,
        intermediate_size=1536,
        image_size=224,
        patch_size=32,
        max_image_length=-1,
        id2label={place: f"answer {place}" for place in range(3129)},
    )
    torch.manual_seed(0)
    ViltForQuestionAnswering(config).save_pretrained(folder)
    ViltProcessor(ViltImageProcessorPil(size={"shortest_edge": 224}), tokenizer).save_pretrained(folder)


def questions(folder: Path, per_image: int) -> list[Question]:
    made = []
    for number in range(QUESTIONS):
        path = folder / f"{number // per_image}.jpg"
        if not path.exists():
            noise = np.random.default_rng(number).integers(0, 256, (15, 20, 3), dtype=np.uint8)
            Image.fromarray(noise).resize((640, 480), Image.Resampling.BICUBIC).save(path, quality=90)
        text = f"what color is the {THINGS[number % 9]} on the {THINGS[number // 9 % 9]} ?"
        made.append(Question(number, ImageRef(path.name, path=str(path)), text))
    return made


def bare(model: ViltForQuestionAnswering, processor: ViltProcessor, asked: list[Question]) -> list[str]:
    said = []
    for start in range(0, len(asked), BATCH):
        batch = asked[start : start + BATCH]
        images = [Image.open(question.image.path).convert("RGB") for question in batch]
        inputs = processor(images=images, text=[q.text for q in batch], padding=True, return_tensors="pt")
        with torch.inference_mode():
            places = model(**inputs).logits.argmax(-1).tolist()
        said += [model.config.id2label[place] for place in places]
    return said


def through_askew(model, asked: list[Question], store_file: Path) -> list[str]:
    groups = [Group(question.id, "bench", question) for question in asked]
    with Store(store_file) as store:
        planner = Planner(Named(model, "hf"))
        for group in groups:
            planner.add(group)
        planner.plan(store)
        found = ask_unanswered(groups, model, planner.keys, store, BATCH)
        return [outcome.original.answer for outcome in found if isinstance(outcome, Outcome)]


def timed(function, *arguments) -> tuple[float, float, list[str]]:
    """Seconds, seconds of processor time, and what the function gives."""
    start, busy = time.perf_counter(), time.process_time()
    said = function(*arguments)
    return time.perf_counter() - start, time.process_time() - busy, said


def main() -> None:
    logging.disable_progress_bar()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        save_model(root / "vilt")
        peer = ViltForQuestionAnswering.from_pretrained(root / "vilt").eval()
        processor = ViltProcessor.from_pretrained(root / "vilt")
        model = make("model", f"hf:{root / 'vilt'},device=cpu")
        print(f"{QUESTIONS} questions, batches of {BATCH}, one thread; median of {ROUNDS} rounds")
        print(f"{'questions per image':>20} {'bare loop':>10} {'askew':>8} {'askew / bare':>13} {'processor time':>15}")
        for per_image in (1, 4):
            folder = root / f"images{per_image}"
            folder.mkdir()
            asked = questions(folder, per_image)
            bare(peer, processor, asked[:BATCH])
            model.answer(asked[:BATCH])
            rounds = []
            for number in range(ROUNDS):
                ours, busy, answers = timed(through_askew, model, asked, root / f"{per_image}-{number}.sqlite")
                theirs, peers, expected = timed(bare, peer, processor, asked)
                assert answers == expected, "both must say the same"
                rounds.append((theirs, ours, ours / theirs, busy / peers))
            theirs, ours, ratio, processor_ratio = (statistics.median(column) for column in zip(*rounds, strict=True))
            print(f"{per_image:>20} {theirs:>9.2f}s {ours:>7.2f}s {ratio:>12.3f} {processor_ratio:>15.3f}")


if __name__ == "__main__":
    main()
