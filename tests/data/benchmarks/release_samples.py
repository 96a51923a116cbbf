"""Made-up files of plain question sets, of captions and of the releases of RAD, VQA P2, CARETS and AVQA.

Like ``benchmark_samples``: ``write(folder, count)`` gives the path to open.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from benchmark_samples import annotation, lines, listed

from askew.data.benchmarks.avqa import Avqa
from askew.data.benchmarks.paper_releases import CaretsRelease, P2Release, RadRelease
from askew.data.benchmarks.plain_sets import Aokvqa, OkVqa, Tdiuc, TextVqa, VizWiz
from askew.data.benchmarks.sugarcrepe import SugarCrepe
from askew.data.benchmarks.visdial import VisDial
from askew.data.benchmarks.winoground import Winoground

PEOPLE = [{"answer": "yes", "answer_confidence": "yes", "raw_answer": "yes", "answer_id": n} for n in range(1, 11)]


def asked(key: int, **more: Any) -> dict[str, Any]:
    """A question of VQA v2's shape."""
    return {"question_id": key, "image_id": key, "question": f"Is it {key}?", **more}


def textvqa(folder: Path, count: int) -> Path:
    answers = [one["answer"] for one in PEOPLE]
    listed(
        folder / "TextVQA_0.5.1_val.json", (asked(n, image_id=f"i{n}", answers=answers) for n in range(count)), "data"
    )
    return folder


def vizwiz(folder: Path, count: int) -> Path:
    def record(n: int) -> dict[str, Any]:
        kind = {"answer_type": "yes/no", "answerable": 1}
        return {"image": f"VizWiz_val_{n}.jpg", "question": f"Is it {n}?", "answers": PEOPLE, **kind}

    listed(folder / "val.json", map(record, range(count)))
    return folder


def aokvqa(folder: Path, count: int) -> Path:
    def record(n: int) -> dict[str, Any]:
        answers = {"choices": ["yes", "no", "x", "y"], "correct_choice_idx": 0, "direct_answers": ["yes"] * 10}
        return asked(n, question_id=f"q{n}", split="val", difficult_direct_answer=False, rationales=[], **answers)

    listed(folder / "aokvqa_v1p0_val.json", map(record, range(count)))
    return folder


def pair(folder: Path, names: tuple[str, str], count: int, record: Callable[[int], Any] = asked, **more: Any) -> Path:
    """A questions and an annotations file of VQA v2's shape."""
    listed(folder / names[0], map(record, range(count)), "questions")
    listed(folder / names[1], (annotation(n, **more) for n in range(count)), "annotations")
    return folder


SHAPED = ("OpenEnded_mscoco_val2014_questions.json", "mscoco_val2014_annotations.json")


def okvqa(folder: Path, count: int) -> Path:
    return pair(folder, SHAPED, count, answers=PEOPLE, question_type="one")


def tdiuc(folder: Path, count: int) -> Path:
    return pair(folder, SHAPED, count, answers=[{"answer": "yes", "answer_id": 1}], question_type="color")


def avqa(folder: Path, count: int) -> Path:
    names = ("avqa_questions.json", "avqa_annotations.json")
    return pair(folder, names, count, lambda n: asked(n, round=1 + n % 3, split="test"))


def vqa_v2(folder: Path, count: int) -> Path:
    return pair(folder, ("v2_OpenEnded_mscoco_val2014_questions.json", "v2_mscoco_val2014_annotations.json"), count)


def rad(folder: Path, count: int) -> Path:
    vqa_v2(folder, count // 2)
    names = ("yes-no_from_colors_val_questions.json", "yes-no_from_colors_val_annotations.json")
    return pair(folder, names, count // 2, lambda n: asked(n, question=f"Is the color {n}?"))


def p2(folder: Path, count: int) -> Path:
    vqa_v2(folder, count // 2)
    records = (
        {**asked(10**6 + n, image_id=n), "original_id": n, "perturbation": "syn", "src": "ppdb"}
        for n in range(count // 2)
    )
    listed(folder / "vqap2.questions.json", records, "questions")
    answered = ({**annotation(10**6 + n), "image_id": n} for n in range(count // 2))
    listed(folder / "vqap2.annotations.json", answered, "annotations")
    return folder


def carets(folder: Path, count: int) -> Path:
    def record(n: int) -> dict[str, Any]:
        key = f"{n // 2}-1-3" + "-t" * (n % 2)
        fields = {"img_id": str(n // 2), "label": {"yes": 1.0}, "question_id": key, "sent": f"Is it {n}?"}
        return {**fields, "question_type": "verification", "assignment": {"obj1": "dog"}}

    listed(folder / "obj_verification_rephrase_test.json", map(record, range(count // 2 * 2)))
    return folder


def sugarcrepe(folder: Path, count: int) -> Path:
    records = (
        f'"{n}": {{"filename": "{n}.jpg", "caption": "a {n}", "negative_caption": "no {n}"}}' for n in range(count)
    )
    (folder / "swap_att.json").write_text("{" + ",".join(records) + "}")
    return folder


def winoground(folder: Path, count: int) -> Path:
    records = (
        {"id": n, "image_0": f"{n}a", "image_1": f"{n}b", "caption_0": f"x {n}", "caption_1": f"y {n}", "tag": "Adj"}
        for n in range(count // 4)
    )
    lines(folder / "examples.jsonl", records)
    return folder


def visdial(folder: Path, count: int) -> Path:
    options = list(range(99, -1, -1))
    rounds = [{"question": n, "answer": 0, "answer_options": options, "gt_index": 99} for n in range(10)]
    dialogs = [{"image_id": n, "caption": f"a cat {n}", "dialog": rounds} for n in range(count // 10)]
    data = {
        "dialogs": dialogs,
        "questions": [f"is it {n}" for n in range(10)],
        "answers": ["yes", *(f"it is {n}" for n in range(99))],
    }
    lines(folder / "visdial_1.0_val.json", [{"split": "val", "version": "1.0", "data": data}])
    return folder


RELEASES: Mapping[type, Callable[[Path, int], Path]] = {
    Aokvqa: aokvqa,
    Avqa: avqa,
    CaretsRelease: carets,
    OkVqa: okvqa,
    P2Release: p2,
    RadRelease: rad,
    SugarCrepe: sugarcrepe,
    Tdiuc: tdiuc,
    TextVqa: textvqa,
    VisDial: visdial,
    VizWiz: vizwiz,
    Winoground: winoground,
}
