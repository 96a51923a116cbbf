"""Remedies in errors of ``askew train`` work: each is extracted from the message and followed."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the extra train is not installed")

from askew.cli import main
from remedies import said


def test_a_training_runs_with_what_its_errors_ask_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["world", "--scenes", "20", "--size", "64", "--quiet", "--output", "w"]) == 0
    fixed = ["--data", "w/train.jsonl", "--val", "w/val.jsonl", "--epochs", "1", "--quiet"]

    def words(net="butd", output="t", *more):
        return ["train", "--net", net, *fixed, "--output", output, *more]

    option = said(capsys, words(), r"needs region features\. Give them \((--features)\)")
    computed = said(capsys, words(), r"a vision backbone\), or (\w+); or let it learn")
    net = said(capsys, words(), r"learn from pixels: (\S+)\.$")
    assert main(words(net, "pixels")) == 0
    assert said(capsys, words(net, "both", option, computed), r"its input is pixels; (leave the features out)")
    shown = said(capsys, words("butd", "t", option, "grid:cells=x"), r"Write it like (\S+) or")
    for spec in (computed, shown):
        assert main(words("butd", "t", option, spec, "--overwrite")) == 0, spec
    other = said(capsys, words("butd", "t", option, computed), r"(Give another folder as --output, or add --overwrite)")
    assert main(words("butd", f"{other.split()[1]}-t", option, computed)) == 0
    assert said(
        capsys, ["run", "--model", "trained:w", "--data", "w", "--output", "r"], r"'(askew train --output)' wrote"
    )
    assert main(["run", "--model", "trained:t", "--data", "w", "--suite", "accuracy", "--quiet", "--output", "r"]) == 0
