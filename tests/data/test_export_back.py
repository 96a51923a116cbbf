"""Export and back: answers through any harness get the same scores as answers given directly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from exported_logs import HARNESSES, answer_to, as_lines, eight_groups, inspect_eval, lmms_eval_log, vlmevalkit_tsv

from askew.cli import main as askew_main
from askew.data.groups import write_groups
from askew.data.read_predictions import read_predictions


@pytest.fixture
def groups(tmp_path):
    return eight_groups(tmp_path)


@pytest.fixture
def bench(groups, tmp_path):
    write_groups(groups, str(tmp_path / "bench" / "groups.jsonl"))
    return tmp_path / "bench" / "groups.jsonl"


@pytest.mark.parametrize("harness", HARNESSES, ids=lambda harness: harness.__name__)
def test_every_answer_is_matched_to_its_id(harness, groups, tmp_path):
    (tmp_path / "out").mkdir()
    expected = {q.id: answer_to(q.text) for g in groups for q in (g.original, g.variants[0].question)}
    found = dict(read_predictions(harness(groups, tmp_path / "out")))
    assert found == expected
    assert {type(key) for key in found} == {int, str}


def scores(folder: Path) -> list[dict[str, Any]]:
    return json.loads((folder / "results.json").read_text())["scores"]


@pytest.mark.parametrize("harness", [lmms_eval_log, vlmevalkit_tsv, inspect_eval], ids=lambda harness: harness.__name__)
def test_a_log_gets_the_same_scores_as_its_answers(harness, groups, bench, tmp_path, capsys):
    (tmp_path / "out").mkdir()
    log = harness(groups, tmp_path / "out")
    direct = as_lines(
        tmp_path / "direct.jsonl",
        [
            {"id": q.id, "answer": answer_to(q.text)}
            for group in groups
            for q in (group.original, group.variants[0].question)
        ],
    )
    for name, answers in (("log", log), ("direct", direct)):
        words = ["score", str(bench), str(answers), "--output", str(tmp_path / name)]
        assert askew_main(words) == 0, capsys.readouterr().err
    assert scores(tmp_path / "log") == scores(tmp_path / "direct")
    values = {score["metric"]: score["value"] for score in scores(tmp_path / "log") if score["part"] == ""}
    # Originals 0, 2, 4, 6 are right; "yes" is right for the variants 2, 4 and 7; both sides for 2 and 4.
    assert (values["accuracy.original"], values["accuracy.variant"]) == (0.5, 0.375)
    assert (values["rad.forward"], values["rad.backward"]) == (0.5, pytest.approx(2 / 3))
