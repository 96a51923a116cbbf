"""The table of families: equal answers, independence of the batch, and the time that askew takes for a plain loop's.

    python benchmarks/bench_families.py [family ...] [--page]

A tiny model with random weights of each family that the tests build is asked 64 questions about 64 images and 60 about
12 images (five about each, in order), up to 8 new tokens. The peer is a loop over the same prompts in batches of 8:
open the images, call the processor, call ``generate``. Reported are

* equal: how many of the 64 answers of askew, in batches of 8, are those of the plain loop asking one at a time;
* batch: how many answers of the plain loop change when it asks in batches of 8;
* each: askew's processor time for different images by the plain loop's, both at 8; groups: the same with five about
  each image. Median of rounds in turn, one thread.

Goals: all equal; 1.1 at most for different images. With ``--page`` the table replaces the one in docs/measurements.md.
"""

from __future__ import annotations

import argparse
import io
import os
import statistics
import sys
import tempfile
import time
from pathlib import Path

os.environ["HF_HUB_OFFLINE"] = "1"
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "models"))

import hf_folders
import torch
from family_table import TRIED, replace_table
from hf_asking import PIXELS, TEXTS, image_ref
from hf_families import FAMILIES
from PIL import Image
from transformers.utils import logging

from askew.models.huggingface.chat_template import decode
from askew.models.huggingface.visual_inputs import Decoded
from askew.registry import make
from askew.types import Question

BATCH, ROUNDS, TOKENS = 8, 3, 8
PAGE = Path(__file__).parents[1] / "docs" / "measurements.md"
SKIPPED = {"vilt": "a classifier; see `bench_hf_overhead.py`", "pix2struct": "always reads 2,048 patches"}
THINKING = {"qwen3_5", "qwen3_vl_thinking"}


def asked(count: int, per_image: int) -> list[Question]:
    images = [image_ref(number, (640, 480)) for number in range(-(-count // per_image))]
    words = ["car", "dog", "cat", "boat", "tree", "sofa", "round thing"]
    return [
        Question(n, images[n // per_image], f"{TEXTS[n % 8][:-1]} and the {words[n % 7]}?", ()) for n in range(count)
    ]


def plain(model, questions, batch: int) -> list[str]:
    """The answers of a loop over batches, with the prompts of askew."""
    runtime, said = model.runtime, []
    for start in range(0, len(questions), batch):
        part = questions[start : start + batch]
        images = [Image.open(io.BytesIO(question.image.data)).convert("RGB") for question in part]
        prompts = [runtime.prompt(model.fill_prompt(question)) for question in part]
        inputs = runtime.inputs(prompts, images)
        with torch.inference_mode():
            tokens = runtime.loaded.model.generate(**inputs, max_new_tokens=TOKENS, do_sample=False)
        before = inputs.get("decoder_input_ids", inputs.get("input_ids"))
        if before is not None and torch.equal(tokens[:, : before.shape[1]], before):
            tokens = tokens[:, before.shape[1] :]
        said += [decode(runtime.loaded.tokenizer, row).strip() for row in tokens]
    return said


def through_askew(model, questions) -> list[str]:
    said = {}
    model.runtime.images = Decoded()  # no image from the last round
    for batch in model_batches(model, questions):
        said |= {each.question_id: f"({each.error})" if each.failed else each.answer for each in model.answer(batch)}
    return [said[question.id] for question in questions]


def model_batches(model, questions):
    return [[questions[place] for place in places] for places in model.batches(questions, BATCH)]


def ratio(model, questions) -> float:
    rounds = []
    for _ in range(ROUNDS):
        times = []
        for run in (lambda: through_askew(model, questions), lambda: plain(model, questions, BATCH)):
            start = time.process_time()
            run()
            times.append(time.process_time() - start)
        rounds.append(times[0] / times[1])
    return statistics.median(rounds)


def row(name: str, folder: Path) -> str:
    think = ',template={"enable_thinking": false}' if name in THINKING else ""
    model = make("model", f"hf:{folder},device=cpu,max_new_tokens={TOKENS}{think}")
    distinct, groups = asked(64, 1), asked(60, 5)
    single = plain(model, distinct, 1)
    equal = sum(ours == theirs for ours, theirs in zip(through_askew(model, distinct), single, strict=True))
    changed = sum(ours != theirs for ours, theirs in zip(plain(model, distinct, BATCH), single, strict=True))
    each, shared = ratio(model, distinct), ratio(model, groups)
    return f"| `{TRIED[name]}` ({name}) | {equal} of 64 | {changed} of 64 | {each:.2f} | {shared:.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("family", nargs="*")
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    logging.disable_progress_bar()
    logging.set_verbosity_error()
    torch.set_num_threads(1)
    rows = [
        "| family | equal to one at a time | a plain batch changes | time, different images | time, five about each |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    print("\n".join(rows), flush=True)
    for name in options.family or TRIED:
        if name in SKIPPED:
            continue
        with tempfile.TemporaryDirectory() as base:
            build = getattr(hf_folders, name) if name in PIXELS else FAMILIES[name]
            rows.append(row(name, build(Path(base) / name)))
        print(rows[-1], flush=True)
    if options.page:
        replace_table(PAGE, "families, measured", "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
