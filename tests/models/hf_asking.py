"""Questions about three images for the tiny models, and how they are asked."""

from __future__ import annotations

import io

import hf_folders
import numpy as np
from PIL import Image

from askew.types import ImageRef, Question

PIXELS = ("vilt", "blip", "blip2", "llava", "qwen2_vl", "smolvlm", "idefics3")
REGIONS = ("lxmert", "visual_bert")
TEXTS = (
    "What color is the car?",
    "Is there a boat near the tree? yes or no?",
    "How many dogs are there?",
    "Where is it?",
    "Is the cat on the sofa?",
    "Which shape is left of the round thing?",
    "How many?",
    "Is it red?",
)
SIZES = ((80, 60), (64, 64), (50, 90))


def image_ref(number, size):
    noise = np.random.default_rng(number).integers(0, 256, (size[1], size[0], 3), dtype=np.uint8)
    content = io.BytesIO()
    Image.fromarray(noise).save(content, "PNG")
    return ImageRef(number, data=content.getvalue())


IMAGES = [image_ref(number, size) for number, size in enumerate(SIZES)]
QUESTIONS = [Question(f"q{number}", IMAGES[number % 3], text) for number, text in enumerate(TEXTS)]


def folders(base):
    """The folder of a family's tiny model, made when first asked for."""
    made = {}

    def of(name):
        if name not in made:
            made[name] = getattr(hf_folders, name)(base / name)
        return made[name]

    return of


def region_file(path):
    """Region features of the three images: 3, 5 and 4 regions."""
    arrays, rng = {}, np.random.default_rng(7)
    for number, count in enumerate((3, 5, 4)):
        arrays[f"{number}/features"] = rng.normal(size=(count, 12)).astype(np.float32)
        arrays[f"{number}/boxes"] = rng.random((count, 4)).astype(np.float32)
    np.savez(path, **arrays)
    return path


def spec(name, folder, regions, more=""):
    """The model as a person types it; LXMERT's answers are named by a file."""
    if name in REGIONS:
        more += f",features={regions}"
    if name == "lxmert":
        names = regions.with_name("answers.txt")
        names.write_text("\n".join(hf_folders.ANSWERS) + "\n")
        more += f",labels={names}"
    return f"hf:{folder(name)}{more}"


def answers(model, questions=QUESTIONS, size=64):
    """Answers by question id, asked in batches of that size."""
    predictions = [p for start in range(0, len(questions), size) for p in model.answer(questions[start : start + size])]
    assert [p.question_id for p in predictions] == [q.id for q in questions]
    assert not [p.error for p in predictions if p.failed]
    return {p.question_id: p.answer for p in predictions}
