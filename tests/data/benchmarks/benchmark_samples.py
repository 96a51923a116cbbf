"""Made-up files of the published shape of each benchmark, as many questions as wanted, without images.

``SAMPLES`` has a writer for each reader that recognises its files: ``write(folder, count)`` gives the path to open.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from pathlib import Path
from typing import Any

import orjson

from askew.data.benchmarks.amber import Amber
from askew.data.benchmarks.amber_generative import AmberGenerative
from askew.data.benchmarks.convqa import COMMON_SENSE, ConVqa
from askew.data.benchmarks.edited_vqa import CvVqa, IvVqa
from askew.data.benchmarks.gqa import GqaOod
from askew.data.benchmarks.hallusionbench import HallusionBench
from askew.data.benchmarks.introspect import VqaIntrospect
from askew.data.benchmarks.mm_upd import MmUpd
from askew.data.benchmarks.mme import Mme
from askew.data.benchmarks.mmstar import MmStar
from askew.data.benchmarks.mmvp import Mmvp
from askew.data.benchmarks.naturalbench import NaturalBench
from askew.data.benchmarks.nlvr2 import Nlvr2
from askew.data.benchmarks.pope import Pope, PopeV2
from askew.data.benchmarks.vlmevalkit import VlmEvalKitCircular, VlmEvalKitTable
from askew.data.benchmarks.vqa_ce import VqaCe
from askew.data.benchmarks.vqa_cp import VqaCp
from askew.data.benchmarks.vqa_lol import VqaLol
from askew.data.benchmarks.vqa_pairs import VqaPairs
from askew.data.benchmarks.vqa_rephrasings import VqaRephrasings
from askew.types import Prediction, Question

IMAGE = "QUJD" * 20
"""An image in a cell of a table, as base64."""


class Says:
    """A model that answers each question by a rule."""

    blind = True

    def __init__(self, rule: Callable[[Question], str]) -> None:
        self.rule = rule

    def answer(self, questions: Iterable[Question]) -> list[Prediction]:
        return [Prediction(question.id, self.rule(question)) for question in questions]


def written(path: Path, parts: Iterable[bytes], before: bytes = b"", between: bytes = b"", after: bytes = b"") -> Path:
    """A file written piece by piece, so that a million records take no memory."""
    with path.open("wb") as file:
        file.write(before)
        for place, part in enumerate(parts):
            file.write(between + part if place else part)
        file.write(after)
    return path


def lines(path: Path, records: Iterable[Any]) -> Path:
    return written(path, map(orjson.dumps, records), between=b"\n", after=b"\n")


def listed(path: Path, records: Iterable[Any], key: str = "") -> Path:
    before, after = (b'{"%b": [' % key.encode(), b"]}") if key else (b"[", b"]")
    return written(path, map(orjson.dumps, records), before, b", ", after)


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


def mme(folder: Path, count: int) -> Path:
    rows = (
        f"{n}\t{n - n % 2 if n % 2 else IMAGE}\tIs it {n}?\t{('Yes', 'No')[n % 2]}\tOCR" for n in range(count // 2 * 2)
    )
    return table(folder / "MME.tsv", "index\timage\tquestion\tanswer\tcategory", rows)


def mm_upd(folder: Path, count: int) -> Path:
    rows = (
        f"{n // 2}\t{IMAGE}\tWhat is {n // 2}?\t\tx\ty\t{('B', 'F')[n % 2]}\tz\t{('standard', 'upd')[n % 2]}\tocr"
        for n in range(count // 2 * 2)
    )
    header = "index\timage\tquestion\thint\tA\tB\tanswer\tmasked_answer\ttype\tcategory"
    return table(folder / "mmaad_base.tsv", header, rows)


def mmvp(folder: Path, count: int) -> Path:
    rows = (f"{n + 1},What is {n // 2}?,(a) x (b) y,({'ab'[n % 2]})" for n in range(count // 2 * 2))
    table(folder / "Questions.csv", "Index,Question,Options,Correct Answer", rows)
    return folder


def nlvr2(folder: Path, count: int) -> Path:
    keys = ((n // 4, n % 4) for n in range(count // 4 * 4))
    lines(
        folder / "dev.json",
        (
            {"identifier": f"dev-{place}-{pair}-0", "label": str(pair % 2 == 0),
             "sentence": "There are dogs" + ", or cats" * (place % 3),
             "left_url": "http://a/l.jpg", "right_url": "http://a/r.jpg"}
            for place, pair in keys
        ),
    )  # fmt: skip
    return folder


def amber(folder: Path, count: int) -> Path:
    kind = "discriminative-attribute-state"
    listed(folder / "annotations.json", ({"id": n, "type": kind, "truth": ("yes", "no")[n % 2]} for n in range(count)))
    queries = ({"id": n, "image": f"AMBER_{n // 2}.jpg", "query": f"Is it {n}?"} for n in range(count))
    listed(folder / "query_discriminative.json", queries)
    return folder


def amber_generative(folder: Path, count: int) -> Path:
    truth = {"type": "generative", "truth": ["sky", "car"], "hallu": ["dog"]}
    listed(folder / "annotations.json", ({"id": n, **truth} for n in range(count)))
    written(folder / "relation.json", [b'{"sky": ["cloud"], "car": ["vehicle"], "dog": []}'])
    written(folder / "safe_words.txt", [b"light\nline\n"])
    queries = ({"id": n, "image": f"AMBER_{n}.jpg", "query": "Describe this image."} for n in range(count))
    listed(folder / "query_generative.json", queries)
    return folder


def table(path: Path, header: str, rows: Iterable[str]) -> Path:
    return written(path, map(str.encode, chain([header], rows)), between=b"\n")


def mmstar(folder: Path, count: int) -> Path:
    rows = (f'{n}\t"What {n}?\nOptions: A: x, B: y"\t{IMAGE}\tB\tmath\t' for n in range(count))
    return table(folder / "MMStar.tsv", "index\tquestion\timage\tanswer\tcategory\tl2_category", rows)


def circular(folder: Path, count: int) -> Path:
    half = count // 2
    base = (f"{n}\tWhat {n}?\t{IMAGE}\tx\ty\tA" for n in range(half))
    rotated = (f"{n + 1_000_000}\tWhat {n}?\t{n}\ty\tx\tB" for n in range(half))
    return table(folder / "MMBench_TEST.tsv", "index\tquestion\timage\tA\tB\tanswer", chain(base, rotated))


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


def keyed(path: Path, records: Iterable[tuple[str, Any]]) -> Path:
    parts = (orjson.dumps(key) + b": " + orjson.dumps(record) for key, record in records)
    return written(path, parts, b"{", b", ", b"}")


def introspect(folder: Path, count: int) -> Path:
    asked = {"sub_qa": [{"sub_question": "Is it wet?", "sub_answer": "yes"}], "pred_q_type": "reasoning"}
    main = {"reasoning_question": "Is it?", "reasoning_answer_most_common": "no", "introspect": [asked]}
    keyed(folder / "VQAIntrospect_valv1.0.json", ((str(n), {"image_id": n, **main}) for n in range(count // 2)))
    return folder


def vqa_v2(folder: Path, count: int, split: str = "val2014") -> Path:
    folder.mkdir(exist_ok=True)
    asked = ({"question_id": n, "image_id": n, "question": f"Is it {n}?"} for n in range(count))
    listed(folder / f"v2_OpenEnded_mscoco_{split}_questions.json", asked, "questions")
    listed(folder / f"v2_mscoco_{split}_annotations.json", map(annotation, range(count)), "annotations")
    return folder


def edited(folder: Path, count: int, before: str, after: str) -> Path:
    (folder / "edited").mkdir()
    half = count // 2
    ids = [{"question_id": n, "image_id": f"{n:012d}_{7:012d}"} for n in range(half)]
    annotation = {"answers": [{"answer": after}] * 10, "multiple_choice_answer": before}
    asked = ({**one, "question": f"Is it {n}?"} for n, one in enumerate(ids))
    listed(folder / "edited" / "v2_OpenEnded_mscoco_val2014_questions.json", asked, "questions")
    listed(
        folder / "edited" / "v2_mscoco_val2014_annotations.json", ({**one, **annotation} for one in ids), "annotations"
    )
    vqa_v2(folder / "original", half)
    return folder


def convqa(folder: Path, count: int) -> Path:
    sets = ((f"http://coco/COCO_val2014_{n:012d}.jpg", [["is it", "no"], ["is he", "yes"]]) for n in range(count // 2))
    return keyed(folder / COMMON_SENSE, sets)


def lol(folder: Path, count: int) -> Path:
    parts = {"q1": "Is it?", "q2": "Is he?", "q1_label": "yes", "q2_label": "no"}
    more = {"label": {"no": 1.0}, "op": "Q1_and_Q2", **parts}
    names = (f"COCO_val2014_{n:012d}" for n in range(count // 3))
    return listed(folder / "compose.json", ({"sent": "Is it and is he?", "img_id": name, **more} for name in names))


def gqa_ood(folder: Path, count: int) -> Path:
    for place, part in enumerate(("head", "tail")):
        asked = {"question": f"Is it {place}?", "answer": "no"}
        records = ((f"{part}{n}", {**asked, "imageId": str(n)}) for n in range(count // 2))
        keyed(folder / f"ood_testdev_{part}.json", records)
    return folder


def vqa_ce(folder: Path, count: int) -> Path:
    listed(folder / "counterexamples.json", range(0, count, 3))
    listed(folder / "hard.json", range(1, count, 3))
    return vqa_v2(folder, count)


def vqa_cp(folder: Path, count: int) -> Path:
    asked = ({"question_id": n, "image_id": n, "question": "Is it?", "coco_split": "val2014"} for n in range(count))
    listed(folder / "vqacp_v2_test_annotations.json", map(annotation, range(count)))
    return listed(folder / "vqacp_v2_test_questions.json", asked)


SAMPLES: Mapping[type, Callable[[Path, int], Path]] = {
    Amber: amber,
    AmberGenerative: amber_generative,
    ConVqa: convqa,
    CvVqa: lambda folder, count: edited(folder, count, "3", "2"),
    GqaOod: gqa_ood,
    HallusionBench: hallusionbench,
    IvVqa: lambda folder, count: edited(folder, count, "yes", "yes"),
    MmStar: mmstar,
    MmUpd: mm_upd,
    Mme: mme,
    Mmvp: mmvp,
    NaturalBench: naturalbench,
    Nlvr2: nlvr2,
    Pope: pope,
    PopeV2: pope_v2,
    VlmEvalKitCircular: circular,
    VlmEvalKitTable: plain_table,
    VqaCe: vqa_ce,
    VqaCp: vqa_cp,
    VqaIntrospect: introspect,
    VqaLol: lol,
    VqaPairs: pairs,
    VqaRephrasings: rephrasings,
}
