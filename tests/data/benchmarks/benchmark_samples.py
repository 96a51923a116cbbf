"""Made-up files of the published shape of each benchmark, as many questions as wanted, without images.

``SAMPLES`` has a writer for each reader that recognises its files: ``write(folder, count)`` gives the path to open.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from askew.data.benchmarks.amber import Amber
from askew.data.benchmarks.hallusionbench import HallusionBench
from askew.data.benchmarks.mmstar import MmStar
from askew.data.benchmarks.mmvp import Mmvp
from askew.data.benchmarks.naturalbench import NaturalBench
from askew.data.benchmarks.pope import Pope
from askew.data.benchmarks.pope_v2 import PopeV2
from askew.data.benchmarks.vlmevalkit import VlmEvalKitCircular, VlmEvalKitTable
from askew.data.benchmarks.vqa_pairs import VqaPairs
from askew.data.benchmarks.vqa_rephrasings import VqaRephrasings

IMAGE = "QUJD" * 20
"""An image in a cell of a table, as base64."""


def lines(path: Path, records: Iterable[Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def listed(path: Path, records: Iterable[Any], key: str = "") -> Path:
    found = list(records)
    path.write_text(json.dumps({key: found} if key else found))
    return path


def pope(folder: Path, count: int) -> Path:
    for strategy in ("random", "popular", "adversarial"):
        labels = (("yes", "no")[n % 2] for n in range(count // 3 // 2 * 2))
        records = (
            {"question_id": n, "text": f"Is there a {strategy * (label == 'no')}{n}?", "label": label}
            for n, label in enumerate(labels, 1)
        )
        lines(
            folder / f"coco_pope_{strategy}.json", ({**one, "image": f"{n // 6}.jpg"} for n, one in enumerate(records))
        )
    return folder


def pope_v2(folder: Path, count: int) -> Path:
    def record(n: int) -> dict[str, Any]:
        query = f"Is there a hat {n // 2}?"
        label = ("No", "Yes")[n % 2]
        return {"image_id": n, "image_name": f"/i/{n}.jpg", "target_object": "hat", "query": query, "label": label}

    listed(folder / "annotations.json", map(record, range(count // 2 * 2)))
    return folder


def naturalbench(folder: Path, count: int) -> Path:
    answers = ("Yes", "No", "No", "Yes")
    rows = ([f"Is it {n // 2}?", f"{n // 4}_{n % 2}.jpg", answers[n % 4], "yes_no"] for n in range(count // 4 * 4))
    return listed(folder / "test_set.json", rows)


def hallusionbench(folder: Path, count: int) -> Path:
    def record(n: int) -> dict[str, Any]:
        place = {"category": "VD", "subcategory": "chart", "set_id": str(n // 2), "figure_id": str(n % 2)}
        asked = {"question_id": "0", "question": f"Is it {n}?", "gt_answer": str(n % 2)}
        return {**place, **asked, "visual_input": str(1 + n % 2), "filename": f"{n}.png"}

    return listed(folder / "HallusionBench.json", map(record, range(count // 2 * 2)))


def mmvp(folder: Path, count: int) -> Path:
    rows = (f"{n + 1},What is {n // 2}?,(a) x (b) y,({'ab'[n % 2]})" for n in range(count // 2 * 2))
    (folder / "Questions.csv").write_text("\n".join(["Index,Question,Options,Correct Answer", *rows]))
    return folder


def amber(folder: Path, count: int) -> Path:
    kind = "discriminative-attribute-state"
    listed(folder / "annotations.json", ({"id": n, "type": kind, "truth": ("yes", "no")[n % 2]} for n in range(count)))
    queries = ({"id": n, "image": f"AMBER_{n // 2}.jpg", "query": f"Is it {n}?"} for n in range(count))
    listed(folder / "query_discriminative.json", queries)
    return folder


def table(path: Path, header: str, rows: Iterable[str]) -> Path:
    path.write_text("\n".join([header, *rows]))
    return path


def mmstar(folder: Path, count: int) -> Path:
    rows = (f'{n}\t"What {n}?\nOptions: A: x, B: y"\t{IMAGE}\tB\tmath\t' for n in range(count))
    return table(folder / "MMStar.tsv", "index\tquestion\timage\tanswer\tcategory\tl2_category", rows)


def circular(folder: Path, count: int) -> Path:
    half = count // 2
    rows = [f"{n}\tWhat {n}?\t{IMAGE}\tx\ty\tA" for n in range(half)]
    rows += [f"{n + 1_000_000}\tWhat {n}?\t{n}\ty\tx\tB" for n in range(half)]
    return table(folder / "MMBench_TEST.tsv", "index\tquestion\timage\tA\tB\tanswer", rows)


def plain_table(folder: Path, count: int) -> Path:
    rows = (f"{n}\tWhat {n}?\tx\ty\tA" for n in range(count))
    return table(folder / "set.tsv", "index\tquestion\tA\tB\tanswer", rows)


def annotation(key: int, **more: Any) -> dict[str, Any]:
    answers = [{"answer": "yes", "answer_confidence": "yes", "answer_id": n} for n in range(1, 11)]
    return {
        "question_id": key,
        "image_id": key,
        "answers": answers,
        "answer_type": "yes/no",
        "question_type": "is",
        **more,
    }


def rephrasings(folder: Path, count: int) -> Path:
    ids = [
        (n, {}) if place < 0 else (n * 10 + place, {"rephrasing_of": n})
        for n in range(count // 4)
        for place in range(-1, 3)
    ]
    asked = ({"question_id": key, "image_id": key, "question": f"Is it {key}?", **more} for key, more in ids)
    listed(folder / "v2_OpenEnded_mscoco_valrep2014_humans_og_questions.json", asked, "questions")
    answered = (annotation(key, **more) for key, more in ids)
    listed(folder / "v2_mscoco_valrep2014_humans_og_annotations.json", answered, "annotations")
    return folder


def pairs(folder: Path, count: int) -> Path:
    asked = ({"question_id": n, "image_id": n, "question": f"Is it {n // 2}?"} for n in range(count // 2 * 2))
    listed(folder / "v2_OpenEnded_mscoco_val2014_questions.json", asked, "questions")
    listed(folder / "v2_mscoco_val2014_annotations.json", map(annotation, range(count // 2 * 2)), "annotations")
    found = ([n + 1, n] for n in range(0, count // 2 * 2, 2))
    return listed(folder / "v2_mscoco_val2014_complementary_pairs.json", found)


SAMPLES: Mapping[type, Callable[[Path, int], Path]] = {
    Amber: amber,
    HallusionBench: hallusionbench,
    MmStar: mmstar,
    Mmvp: mmvp,
    NaturalBench: naturalbench,
    Pope: pope,
    PopeV2: pope_v2,
    VlmEvalKitCircular: circular,
    VlmEvalKitTable: plain_table,
    VqaPairs: pairs,
    VqaRephrasings: rephrasings,
}
