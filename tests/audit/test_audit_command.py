"""``askew audit`` on groups and on questions."""

from __future__ import annotations

import json

from askew.cli import main


def test_audits_a_benchmark_and_questions(tmp_path, capsys):
    bench = tmp_path / "bench"
    assert main(["build", "rad", "--data", "world:val,scenes=120", "--output", str(bench), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["audit", str(bench), "--json", str(tmp_path / "audit.json"), "--quiet"]) == 0
    page = capsys.readouterr().out
    assert "rad Y/N←HM" in page
    record = json.loads((tmp_path / "audit.json").read_text())
    assert {score["task"] for score in record["scores"]} == {"question", "pair", "original"}
    assert main(["audit", "world:val,scenes=60", "--most", "0"]) == 2
    assert "at least 1" in capsys.readouterr().err
    assert main(["audit", "world:val,scenes=60", "--most", "150", "--quiet"]) == 0
    assert "| all | yes/no |" in capsys.readouterr().out
