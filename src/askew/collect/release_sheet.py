"""The datasheet of a release: what it is, how it was made, what was left out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from askew.collect.study_settings import StudySettings, differences

_TYPES = {
    "A": "the author judged the robot's answer correct; in train only, labelled with that answer, unverified",
    "B": "the author was not sure; left out",
    "C": "verifiers gave the robot's answer and so overruled the author; in train only",
    "D": "no two verifiers agree; left out",
    "E": "the robot was wrong and at least two verifiers agree; in the split of its image",
    "U": "unjudged, withdrawn, unfinished, taken out, or by an excluded author; left out",
}


def datasheet(name: str, version: str, facts: Mapping[str, Any], settings: StudySettings) -> str:
    """The datasheet as Markdown."""
    lines = [
        f"# {name} {version}",
        "",
        "Questions that people wrote to fool models, with the answers of others who verified them, collected by the",
        "protocol of Adversarial VQA (Li et al. 2021) with askew.",
        "",
        f"- {facts['people']} people took part; they are called by pseudonyms.",
        f"- Preset `{settings.preset}`: {settings.writers_per_image} writers per image, "
        f"{settings.verifiers_per_question} verifiers per question, at most {settings.max_tries} tries.",
        "- Models: " + ", ".join("{name} (`{spec}`)".format(**one) for one in facts["models"]) + ".",
        "- `test.jsonl`, `dev.jsonl` and `train.jsonl` are read by askew; `vqa/` has the same as VQA v2 files, where",
        "  `verified` is false for answers that no person verified. `history.jsonl` has everything that happened.",
        "",
        "| round | images | A | B | C | D | E | U | train | dev | test | verified / total | E / total |",
        "| ---: |" + " ---: |" * 12,
    ]
    lines += [_row(one) for one in facts["rounds"]]
    lines += ["", *(_cap_line(one, settings) for one in facts["rounds"])]
    lines += ["", "## Types", ""]
    lines += [f"- {kind}: {said}." for kind, said in _TYPES.items()]
    changed = differences(settings)
    lines += ["", "## Settings that differ from the paper", ""]
    lines += [f"- {key}: {ours} (paper: {theirs})" for key, (theirs, ours) in changed.items()] or ["- none"]
    lines += ["", "## All settings", ""]
    lines += [f"- {key}: {value}" for key, value in asdict(settings).items()]
    return "\n".join(lines) + "\n"


def _cap_line(one: Mapping[str, Any], settings: StudySettings) -> str:
    """What the cap on an author's share of train did in a round."""
    cap, largest = settings.train_author_percent, one["train_largest_author_percent"]
    if largest > cap:
        why = "too few people wrote for it, and it was not applied"
        return f"- Round {one['round']}: one author wrote {largest:.1f} % of train. The cap is {cap} %; {why}."
    out = f"{one['train_over_cap']} questions were left out of train by the cap of {cap} %"
    return f"- Round {one['round']}: no author wrote more than {largest:.1f} % of train; {out}."


def _row(one: Mapping[str, Any]) -> str:
    types, splits = one["types"], one["splits"]
    total = sum(types[kind] for kind in "ABCDE")
    verified = sum(types[kind] for kind in "CDE")
    shares = [f"{100 * count / total:.1f} %" if total else "—" for count in (verified, types["E"])]
    cells = [one["round"], one["images"], *types.values(), *splits.values(), *shares]
    return "| " + " | ".join(map(str, cells)) + " |"
