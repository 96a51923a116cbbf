"""The reference models under onnxruntime: questions per second by batch size, and the ratio to torch in the same run.

    python benchmarks/bench_bundled.py [--scenes N] [--batch-sizes 1,8,32,128] [--threads 1]

For the networks, images are encoded before the measurement starts (in a run, too, each image is encoded once for all
questions and all models); the encoder is measured separately. The peer is torch, eager, with networks of the same shape
on the same inputs.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from askew.files.limits import read_object
from askew.models.onnx_model import REFERENCE, Bundled, OnnxEncoder, bundled_names, pixels
from askew.nets.net_config import NetConfig
from askew.nets.networks import build_net
from askew.types import Question
from askew.world.dataset import World

sys.path.insert(0, str(Path(__file__).parents[1] / "tools" / "reference"))

from region_encoder import EncoderConfig, RegionEncoder

ROUNDS = 5


def best(work: Callable[[], object]) -> float:
    """Seconds of the fastest of several rounds."""
    taken = []
    for _ in range(ROUNDS):
        began = time.perf_counter()
        work()
        taken.append(time.perf_counter() - began)
    return min(taken)


def bench_encoder(questions: Sequence[Question], threads: int) -> None:
    """Images per second."""
    encoder = OnnxEncoder(str(REFERENCE), threads)
    images = list({str(q.image.id): q.image for q in questions if q.image is not None}.values())[:32]
    shown = np.stack([pixels(image, encoder.size) for image in images])
    about = read_object(REFERENCE / "encoder.json", "")
    about.pop("vocabulary")
    peer, given = RegionEncoder(EncoderConfig(**about)).eval(), torch.from_numpy(shown)
    decode = best(lambda: [pixels(image, encoder.size) for image in images]) / len(images)
    with torch.inference_mode():
        ours, torchs = best(lambda: encoder.encode_pixels(shown)), best(lambda: peer(given))
    print(f"encoder: {len(shown) / ours:.0f} images/s, {torchs / ours:.2f} x torch; decoding {1 / decode:.0f}/s")


def bench_model(name: str, questions: Sequence[Question], sizes: Sequence[int], threads: int) -> None:
    """Questions per second, for each batch size."""
    for size in sizes:
        model = Bundled(name, size, threads)
        model.answer(questions)
        ours = best(lambda model=model: model.answer(questions))
        peer = build_net(NetConfig(**model.about["net"])).eval()
        torchs = best(lambda model=model, peer=peer, size=size: ask_torch(model, peer, questions, size))
        print(f"{name}, batch {size}: {len(questions) / ours:.0f} questions/s, {torchs / ours:.2f} x torch")


def ask_torch(model: Bundled, peer: torch.nn.Module, questions: Sequence[Question], size: int) -> None:
    """The same work with torch: words to numbers, regions from memory, the network."""
    with torch.inference_mode():
        for start in range(0, len(questions), size):
            part = questions[start : start + size]
            tokens = torch.from_numpy(model.words.encode([question.text for question in part]))
            if model.about["eyes"] == "none":
                peer(tokens, None, None, None)
            else:
                seen = model.encoder.encode([question.image for question in part])
                peer(tokens, *(torch.from_numpy(array) for array in seen))


def main() -> None:
    """Print one line for each model."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenes", type=int, default=400)
    parser.add_argument("--batch-sizes", default="1,8,32,128")
    parser.add_argument("--threads", type=int, default=1)
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    questions = list(World("val", args.scenes).questions())
    bench_encoder(questions, args.threads)
    for name in bundled_names():
        bench_model(name, questions, [int(size) for size in args.batch_sizes.split(",")], args.threads)


if __name__ == "__main__":
    main()
