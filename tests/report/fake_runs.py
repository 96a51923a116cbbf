"""Made-up runs for the report's tests: the files that a run writes, with scores that follow from the samples."""

from __future__ import annotations

from dataclasses import asdict
from math import sqrt
from pathlib import Path
from random import Random

import orjson
from PIL import Image, ImageDraw

from askew.files.records import outcome_from
from askew.metrics.pairs import Judgement
from askew.metrics.run_table import RunTable, save_tables
from askew.registry import make
from askew.verbs import SuiteFacts

COLOURS = {
    "red": "#c0392b",
    "blue": "#2a6fb0",
    "green": "#3c8d40",
    "yellow": "#d9b310",
    "white": "#f4f4f0",
    "black": "#222222",
}
THINGS = ["ball", "box", "cup", "kite", "car", "hat"]
NOISE = [
    "Is it sunny?",
    "What is on the table?",
    "Where is the dog?",
    "Is the man tall?",
    "Who is there?",
    "What is it?",
    "Why?",
]

RAD_TABLE = {
    "id": "rad-2",
    "title": "RAD(D, D′)",
    "rows": "model",
    "columns": [
        {"label": "Y/N←C", "metric": "rad.forward", "part": "test=Y/N←C", "show": "value"},
        {"label": "Y/N←HM", "metric": "rad.forward", "part": "test=Y/N←HM", "show": "value"},
        {"label": "Y/N←WK", "metric": "rad.forward", "part": "test=Y/N←WK", "show": "value"},
        {"label": "All", "metric": "rad.forward", "part": "", "show": "value"},
    ],
    "published": {"BUTD": [67.15, 58.68, 78.59, None], "Made-up model": [74.78, 62.06, 82.91, None]},
}
COUNT_TABLE = {
    "id": "rad-5",
    "title": "Sizes of the augmentations",
    "rows": "data",
    "columns": [
        {"label": t, "metric": "rad.forward", "part": f"test={t}", "show": "n"} for t in ("Y/N←C", "Y/N←HM", "Y/N←WK")
    ],
    "published": {"Made-up data": [12_000, 14_000, 9_000]},
}
FACTS = {
    name: asdict(facts)
    for suite in (make("suite", name) for name in ("rad", "carets", "basic", "iv-vqa"))
    for name, facts in SuiteFacts(suite).metric_facts(suite.metrics).items()
}
"""What metrics say about themselves, as results.json records it."""
CARETS_TESTS = ["Rephrasing", "Symmetry", "Negation", "Antonym", "Visual"]
SUITES = {
    "rad": {
        "name": "rad",
        "title": "Counterfactual yes/no questions (RAD)",
        "paper": "Rosenberg et al. 2021",
        "signature": "Rad(yes=0.5)",
        "tests": ["Y/N←C", "Y/N←HM", "Y/N←WK"],
        "headline": {
            "metric": "rad.forward",
            "sentence": "of those it answers only {value} correctly when asked as yes/no",
        },
        "tables": [RAD_TABLE, COUNT_TABLE],
    },
    "carets": {
        "name": "carets",
        "title": "Consistency and robustness tests (CARETS)",
        "paper": "Jimenez et al. 2022",
        "signature": "Carets()",
        "tests": CARETS_TESTS,
        "headline": {"metric": "carets.cacc", "sentence": "it answers only {value} of the pairs correctly both times"},
        "tables": [
            {
                "id": f"carets-{metric}",
                "title": f"CARETS {name}",
                "rows": "model",
                "columns": [{"label": t, "metric": f"carets.{metric}", "part": f"test={t}"} for t in CARETS_TESTS],
                "published": {"Made-up model": [71.3, 69.0, 52.8, 61.9, 77.3]} if metric == "cacc" else {},
            }
            for metric, name in (("cacc", "C-ACC"), ("cons", "CONS"))
        ],
    },
    "rscore": {
        "name": "rscore",
        "title": "Basic questions as noise (R_score)",
        "paper": "Huang et al. 2019",
        "signature": "BasicQuestions(levels=7)",
        "tests": ["noise"],
        "headline": {"metric": "rscore.1", "sentence": "its R_score is only {value} with the weakest noise"},
        "tables": [],
    },
}


def save_image(path: Path, colour: str, number: int) -> Path:
    """A small image with some discs of one colour."""
    if not path.exists():
        image = Image.new("RGB", (320, 240), "#9fb7c9")
        draw = ImageDraw.Draw(image)
        draw.rectangle((0, 170, 320, 240), fill="#7a8f5a")
        for i in range(number):
            draw.ellipse((20 + 60 * i, 110, 70 + 60 * i, 160), fill=COLOURS[colour], outline="#333333")
        image.save(path, quality=85)
    return path


def make_run(
    folder: Path,
    model: str = "prior",
    suites: tuple[str, ...] = ("rad",),
    groups: int = 120,
    skill: float = 0.7,
    steady: float = 0.6,
    failures: float = 0.01,
    data: str = "world/val",
    question: str | None = None,
    images: bool = True,
) -> Path:
    """Write results.json and samples.jsonl; ``steady`` is the share of correct answers that stay correct."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder.parent / "images").mkdir(exist_ok=True)
    scores, asked, failed = [], 0, 0
    everything = []
    with (folder / "samples.jsonl").open("wb") as file:
        for suite in suites:
            records = []
            for number in range(groups):
                record = _group(suite, number, folder.parent / "images", question, images)
                _answer(record, Random(f"{model}:{suite}:{number}"), skill, steady, failures)
                file.write(orjson.dumps(record) + b"\n")
                records.append(record)
                for part in (record["original"], *record["variants"]):
                    asked += 1
                    failed += part["right"] is None
            scores += _scores(suite, records)
            everything += records
    save_rows(folder, everything)
    results = {
        "format": 2,
        "askew": "0.1.0",
        "model": {"name": model, "spec": model, "signature": f"{model}()"},
        "data": {
            "name": data,
            "spec": "world:split=val",
            "signature": "World(split='val')",
            "questions": groups,
            "images": 36,
            "skipped": [],
        },
        "suites": [
            SUITES[suite]
            | {
                "accuracy": "official",
                "metrics": FACTS,
                "groups": groups,
                "variants": groups,
                "coverage": _coverage(suite, groups),
            }
            for suite in suites
        ],
        "scores": scores,
        "failures": {"count": failed, "asked": asked, "by_error": {"timeout": failed} if failed else {}, "limit": 0.05},
        "seed": 0,
        "config": {"limit": None},
        "command": f"askew run --model {model} --suite {','.join(suites)} --output runs/{folder.name}",
        "versions": {"python": "3.11.7", "numpy": "2.4.6", "platform": "Linux-x86_64"},
        "time": {"started": "2026-01-01T00:00:00+00:00", "seconds": 12.3, "asked": asked, "reused": 0},
    }
    (folder / "results.json").write_bytes(orjson.dumps(results))
    return folder


def save_rows(folder: Path, records: list[dict]) -> None:
    """Write rows.npz: the pairs of these samples, without any metric."""
    tables, offset = {}, 0
    for record in records:
        judged = [Judgement(part["accuracy"], part["right"]) for part in (record["original"], *record["variants"])]
        tables.setdefault(record["suite"], RunTable({})).add(outcome_from(record), judged, offset)
        offset += len(orjson.dumps(record)) + 1
    save_tables(folder / "rows.npz", tables)


def _coverage(suite: str, groups: int) -> list[dict]:
    share = groups // len(SUITES[suite]["tests"])
    return [
        {
            "test": test,
            "matched": share + 20,
            "made": share,
            "refused": {"the answer is not one word": 15, "people disagree": 5},
            "drawn": {"yes": share // 2, "no": share - share // 2},
        }
        for test in SUITES[suite]["tests"]
    ]


def _group(suite: str, number: int, folder: Path, question: str | None, images: bool) -> dict:
    rng = Random(f"{suite}:{number}")
    colour, thing, many = rng.choice(list(COLOURS)), rng.choice(THINGS), rng.randint(1, 5)
    image = {"image": f"{colour}-{many}", "size": [320, 240]}
    if images:
        image["path"] = str(save_image(folder / f"{colour}-{many}.jpg", colour, many))
    kind = number % 3
    text, answer, answer_type, question_type = [
        (f"What color is the {thing}?", colour, "other", "what color is the"),
        (f"How many {thing}s are there?", str(many), "number", "how many"),
        (f"What kind of toy is this {thing}?", thing, "other", "what kind of"),
    ][kind]
    people = [answer] * rng.randint(6, 10)
    people += [rng.choice(["grey", "2", "toy"]) for _ in range(10 - len(people))]
    original = {
        "id": number,
        **image,
        "question": question or text,
        "answers": people,
        "answer_type": answer_type,
        "question_type": question_type,
    }
    make = {"rad": _rad, "carets": _carets, "rscore": _rscore}[suite]
    return {
        "group": number,
        "suite": suite,
        "original": original,
        "variants": make(original, kind, number, thing, answer, rng, folder, images),
    }


def _rad(original, kind, number, thing, answer, rng, folder, images):
    yes = rng.random() < 0.5
    drawn = answer if yes else rng.choice([a for a in ("red", "blue", "3", "4", "hat") if a != answer])
    text = [f"Is the color of the {thing} {drawn}?", f"Are there {drawn} {thing}s?", f"Is this toy {thing} a {drawn}?"][
        kind
    ]
    test, rule = [("Y/N←C", "rad/color"), ("Y/N←HM", "rad/how-many"), ("Y/N←WK", "rad/what-kind")][kind]
    note = {"drawn": drawn, "answer": answer, "yes": yes}
    return [_variant(f"{number}/rad", text, ["yes" if yes else "no"] * 10, "given", test, rule, note)]


def _carets(original, kind, number, thing, answer, rng, folder, images):
    test = CARETS_TESTS[number % 5]
    text = original["question"]
    if test == "Visual":
        made = _variant(
            f"{number}/visual",
            text,
            original["answers"],
            "same",
            test,
            "carets/blur",
            {"boxes": [{"name": thing, "box": [20, 110, 50, 50]}, [80, 110, 50, 50]], "kept": 2},
        )
        del made["same_image"]
        made |= {"image": f"{original['image']}-blurred", "size": [320, 240]}
        if images:
            path = folder / f"{original['image']}-blurred.jpg"
            if not path.exists():
                with Image.open(original["path"]) as whole:
                    whole.resize((20, 15)).resize((320, 240)).save(path)
            made["path"] = str(path)
        return [made]
    if test in ("Negation", "Antonym"):
        return [
            _variant(
                f"{number}/neg",
                f"Is there no {thing} in the picture?",
                ["no"],
                "different",
                test,
                f"carets/{test.lower()}",
                {},
            )
        ]
    said = (
        text.replace("What color is the", "The color of this is what,")
        .replace("How many", "What number of")
        .replace("What kind of toy", "Which toy")
    )
    return [_variant(f"{number}/same", said, original["answers"], "same", test, f"carets/{test.lower()}", {})]


def _rscore(original, kind, number, thing, answer, rng, folder, images):
    return [
        _variant(
            f"{number}/noise{level}",
            original["question"],
            original["answers"],
            "noise",
            "noise",
            f"basic/{level}",
            {"level": level},
        )
        | {"context": " ".join(NOISE[:level])}
        for level in range(1, 8)
    ]


def _variant(name, text, answers, expect, test, rule, note):
    return {
        "id": name,
        "same_image": True,
        "question": text,
        "answers": answers,
        "answer_type": "yes/no" if answers[0] in ("yes", "no") else "other",
        "expect": expect,
        "test": test,
        "made_by": rule,
        "note": note,
    }


def _answer(record, rng, skill, steady, failures):
    original = record["original"]
    right = _say(original, rng.random() < skill, rng, failures)
    for variant in record["variants"]:
        hard = 0.35 if variant["made_by"] == "rad/how-many" or variant["test"] == "Negation" else 0.0
        level = variant["note"].get("level", 0)
        odds = (
            (steady - hard if right else 0.3) if not level else (0.97 - (1 - steady) * 0.12 * level if right else 0.04)
        )
        _say(variant, rng.random() < odds, rng, failures)


def _say(record, right, rng, failures):
    if rng.random() < failures:
        record |= {"prediction": {"error": "timeout after 30 s", "seconds": 30.0}, "accuracy": None, "right": None}
        return False
    answer = record["answers"][0]
    if not right:
        answer = {"yes": "no", "no": "yes"}.get(answer) or rng.choice(
            [a for a in ("2", "red", "white", "a dog") if a != answer]
        )
    record |= {"prediction": {"answer": answer, "seconds": 0.01}, "accuracy": float(right), "right": right}
    return right


def _scores(suite, records):
    parts = {"": lambda r, v: True}
    for test in SUITES[suite]["tests"]:
        parts[f"test={test}"] = lambda r, v, test=test: v["test"] == test
    for kind in ("number", "other"):
        parts[f"answer_type={kind}"] = lambda r, v, kind=kind: r["original"]["answer_type"] == kind
    scores = []
    for part, keep in parts.items():
        pairs = [(r["original"], v) for r in records for v in r["variants"] if keep(r, v)]
        scores += _part_scores(suite, part, pairs)
    return scores


def _part_scores(suite, part, pairs):
    known = [(o, v) for o, v in pairs if o["right"] is not None and v["right"] is not None]
    before, after = [o["right"] for o, _ in known], [v["right"] for _, v in known]
    both = [o["right"] and v["right"] for o, v in known]
    failed = len(pairs) - len(known)
    if suite == "rad" or suite == "carets":
        yield from (
            _score(suite, part, f"accuracy.{name}", hits, failed)
            for name, hits in (("all", before), ("original", before), ("variant", after))
        )
        gap = (sum(after) - sum(before)) / max(1, len(known))
        half = 1.96 * sqrt(0.4 / max(1, len(known)))
        yield _score(suite, part, "accuracy.gap", before, failed) | {
            "value": gap,
            "low": gap - half,
            "high": gap + half,
        }
    if suite == "rad":
        yield _score(suite, part, "rad.forward", [b for a, b in zip(before, after, strict=True) if a], failed)
        yield _score(suite, part, "rad.backward", [a for a, b in zip(before, after, strict=True) if b], failed)
        yield _score(suite, part, "cs.2", both, failed)
    if suite == "carets":
        yield _score(suite, part, "carets.acc", before + after, failed)
        yield _score(suite, part, "carets.cons", [a == b for a, b in zip(before, after, strict=True)], failed)
        yield _score(suite, part, "carets.cacc", both, failed)
    if suite == "rscore":
        yield _score(suite, part, "accuracy.all", before, failed)
        yield _score(suite, part, "accuracy.noise.0", before, failed)
        for level in range(1, 8):
            hits = [v["right"] for _, v in known if v["note"]["level"] == level]
            yield _score(suite, part, f"accuracy.noise.{level}", hits, failed)
            drop = abs(sum(before) / max(1, len(before)) - sum(hits) / max(1, len(hits)))
            value = min(1.0, max(0.0, (sqrt(0.2) - sqrt(drop)) / (sqrt(0.2) - sqrt(5e-4))))
            yield _score(suite, part, f"rscore.{level}", hits, failed) | {
                "value": value,
                "low": max(0.0, value - 0.08),
                "high": min(1.0, value + 0.08),
            }


def _score(suite, part, metric, hits, failed):
    n = len(hits)
    value = sum(hits) / n if n else None
    half = 1.96 * sqrt(value * (1 - value) / n) if n else 0.0
    bounds = {"low": max(0.0, value - half), "high": min(1.0, value + half)} if n else {"low": None, "high": None}
    return {
        "suite": suite, "part": part, "metric": metric, "value": value, **bounds, "n": n, "failed": failed,
        "lowest": value and value * n / (n + failed), "highest": value and (value * n + failed) / (n + failed),
        "signature": f"{metric}(correct=modal)",
    }  # fmt: skip
