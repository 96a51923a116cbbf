"""Fakes of other harnesses: each answers an export and writes the log that the real one writes."""

from __future__ import annotations

import csv
import importlib.util
import json
import re
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from askew.data.export import ANSWER_PROMPT, export
from askew.types import Expect, Group, ImageRef, Kind, Question, Variant

COLORS = ("white", "brown", "red", "blue")


def asked(key: Any, image: ImageRef, text: str, answer: str) -> Question:
    return Question(key, image, text, (answer,) * 10, Kind("other", "what color"))


def eight_groups(folder: Path) -> list[Group]:
    """Eight groups about four images. Ids are numbers and texts, 1 and "1" among them; two variants read alike."""
    found = []
    for number in range(8):
        path = folder / "pictures" / f"{number % 4}.png"
        path.parent.mkdir(exist_ok=True)
        Image.new("RGB", (9 + number % 4, 7), COLORS[number % 4]).save(path)
        image = ImageRef(number % 4, str(path))
        original = asked(number, image, f'What "color" is\tthing {number}, please?', COLORS[number % 4])
        truth = "yes" if number % 3 else "no"
        text = "Is it wet?" if number in (1, 5) else f"Is thing {number} white?"
        variant = Variant(asked(str(number), image, text, truth), Expect.GIVEN, "Y/N←C", "rad/color")
        found.append(Group(number, "rad", original, (variant,)))
    return found


def answer_to(question: str) -> str:
    """The fake model: right about every other original, yes to every variant, and signs that formats stumble over."""
    if question == "Is it wet?":
        return "=1+1"
    number = int(re.search(r"\d", question)[0])
    if question.startswith("Is"):
        return "yes"
    return COLORS[number % 4] if number % 2 == 0 else ('it\'s "red",\tor\nnot', "[7]", "nan", "n/a")[number // 2]


def rows(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "questions.jsonl").read_text(encoding="utf-8").splitlines()]


def task_functions(folder: Path) -> Any:
    """The copied file as lmms-eval imports it: by its path."""
    spec = importlib.util.spec_from_file_location("utils", folder / "utils.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lmms_eval_samples(folder: Path) -> list[dict[str, Any]]:
    """What lmms-eval logs: the doc without images, the answers, and what process_results gives."""
    utils = task_functions(folder)
    samples = []
    for doc_id, doc in enumerate(rows(folder)):
        answer = answer_to(doc["question"])
        samples.append(
            {
                "doc_id": doc_id,
                "doc": doc,
                "target": doc["answer"],
                "resps": [[answer]],
                "filtered_resps": [answer],
                "doc_hash": "0",
                **utils.process_results(doc, [answer]),
            }
        )
    return samples


def as_lines(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), encoding="utf-8")
    return path


def lmms_eval_log(groups, folder: Path) -> Path:
    """As of 0.3: the doc is left out of the file, and answers equal to the filtered ones too."""
    export(groups, folder, "lmms-eval")
    samples = lmms_eval_samples(folder)
    for sample in samples:
        del sample["doc"], sample["resps"]
        sample["input"] = "..."
    return as_lines(folder / "20260101_samples_askew.jsonl", samples)


def older_lmms_eval_log(groups, folder: Path) -> Path:
    export(groups, folder, "lmms-eval")
    logs = lmms_eval_samples(folder)
    for sample in logs:
        del sample["askew"]
    (folder / "askew.json").write_text(json.dumps({"args": {}, "model_configs": {"task": "askew"}, "logs": logs}))
    return folder / "askew.json"


def lm_eval_log(groups, folder: Path) -> Path:
    """Two filters: every doc is there twice, and the first filter counts."""
    export(groups, folder, "lmms-eval")
    samples = lmms_eval_samples(folder)
    for sample in samples:
        del sample["askew"]
        sample |= {"arguments": {"gen_args_0": {"arg_0": "..."}}, "filter": "none", "metrics": ["exact_match"]}
    filtered = [{**sample, "filter": "strict", "filtered_resps": ["[invalid]"]} for sample in samples]
    return as_lines(folder / "samples_askew_2026.jsonl", samples + filtered)


def predicted_rows(folder: Path) -> list[dict[str, str]]:
    """What VLMEvalKit keeps of its table: every column but the image, and the prediction."""
    csv.field_size_limit(1 << 24)
    with (folder / "askew.tsv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file, dialect="excel-tab"))
    for row in table:
        row.pop("image", None)
        row["prediction"] = answer_to(row["question"].removesuffix(ANSWER_PROMPT))
    return table


def vlmevalkit_tsv(groups, folder: Path) -> Path:
    export(groups, folder, "vlmevalkit")
    return _written(predicted_rows(folder), folder / "model_askew.tsv", "\t")


def vlmevalkit_csv(groups, folder: Path) -> Path:
    export(groups, folder, "vlmevalkit", inline=False)
    return _written(predicted_rows(folder), folder / "model_askew.csv", ",")


def _written(table: list[dict[str, str]], path: Path, delimiter: str) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(table[0]), delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    return path


def vlmevalkit_json(groups, folder: Path) -> Path:
    export(groups, folder, "vlmevalkit")
    path = folder / "model_askew.json"
    path.write_text(json.dumps([{**row, "index": int(row["index"])} for row in predicted_rows(folder)], indent=4))
    return path


def vlmevalkit_xlsx(groups, folder: Path) -> Path:
    openpyxl = pytest.importorskip("openpyxl", reason="openpyxl is not installed")
    export(groups, folder, "vlmevalkit")
    table = predicted_rows(folder)
    book = openpyxl.Workbook()
    book.active.append(list(table[0]))
    for row in table:
        book.active.append([int(row["index"]), *list(row.values())[1:]])
    book.save(folder / "model_askew.xlsx")
    return folder / "model_askew.xlsx"


def inspect_samples(groups, folder: Path) -> list[dict[str, Any]]:
    export(groups, folder, "jsonl")
    samples = []
    for line in (folder / "askew.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        answer = answer_to(record["question"])
        message = {
            "role": "assistant",
            "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": answer}],
        }
        output = {"model": "m", "choices": [{"message": message, "stop_reason": "stop"}], "completion": answer}
        if len(samples) % 2:
            del output["completion"]
        samples.append({"id": record["id"], "epoch": 1, "input": record["question"], "target": "", "output": output})
    return samples


def inspect_json(groups, folder: Path) -> Path:
    log = {"version": 2, "status": "success", "eval": {"task": "askew"}, "samples": inspect_samples(groups, folder)}
    (folder / "log.json").write_text(json.dumps(log))
    return folder / "log.json"


def inspect_eval(groups, folder: Path) -> Path:
    with zipfile.ZipFile(folder / "log.eval", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("_journal/start.json", json.dumps({"version": 2, "eval": {}}))
        for number, sample in enumerate(inspect_samples(groups, folder)):
            archive.writestr(f"samples/{number}_epoch_1.json", json.dumps(sample))
        archive.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {}}))
    return folder / "log.eval"


def program_of_ones_own(groups, folder: Path) -> Path:
    export(groups, folder, "jsonl")
    records = [json.loads(line) for line in (folder / "askew.jsonl").read_text().splitlines()]
    return as_lines(folder / "answers.jsonl", [{"id": r["id"], "answer": answer_to(r["question"])} for r in records])


HARNESSES: list[Callable[..., Path]] = [
    lmms_eval_log,
    older_lmms_eval_log,
    lm_eval_log,
    vlmevalkit_tsv,
    vlmevalkit_csv,
    vlmevalkit_json,
    vlmevalkit_xlsx,
    inspect_json,
    inspect_eval,
    program_of_ones_own,
]
