"""``askew audit`` on groups and on questions."""

from __future__ import annotations

import json

from askew.cli import main


def test_audits_a_benchmark_and_questions(tmp_path, capsys):
    bench = tmp_path / "bench"
    assert main(["build", "rad", "--data", "world:val,scenes=40", "--output", str(bench), "--quiet"]) == 0
    capsys.readouterr()
    assert main(["audit", str(bench), "--json", str(tmp_path / "audit.json"), "--quiet"]) == 0
    page = capsys.readouterr().out
    assert "rad Y/N←HM" in page
    record = json.loads((tmp_path / "audit.json").read_text())
    assert {score["task"] for score in record["scores"]} == {"question", "pair", "original"}
    assert main(["audit", "world:val,scenes=30", "--most", "0"]) == 2
    assert "at least 1" in capsys.readouterr().err
    assert main(["audit", "world:val,scenes=30", "--most", "50", "--quiet"]) == 0
    assert "| all | yes/no |" in capsys.readouterr().out


def test_datasheet_and_report_show_what_the_text_alone_predicts(tmp_path, capsys):
    """The same figure everywhere; --no-audit leaves it out."""
    data = tmp_path / "mine.jsonl"
    asked = [
        {"id": n, "image": f"{n}.png", "question": f"How many dogs are {'inside' if n % 2 else 'outside'}?",
         "answers": ["1" if n % 2 else "2"] * 3}
        for n in range(240)
    ]  # fmt: skip
    data.write_text("".join(json.dumps(one) + "\n" for one in asked))
    bench = tmp_path / "bench"
    assert main(["build", "rad", "--data", str(data), "--output", str(bench), "--quiet"]) == 0
    said = capsys.readouterr().out
    sheet = (bench / "datasheet.md").read_text(encoding="utf-8")
    assert "## What the text alone gives away" in sheet
    assert "| rad Y/N←HM | yes/no | 240 |" in sheet
    assert "Text alone: " in said
    alone = json.loads(_run(bench, tmp_path / "run"))["suites"][0]["text_alone"]
    printed = capsys.readouterr().out
    page = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    figure = f"Text alone: {100 * alone[0]['accuracy']['value']:.1f} %"
    assert figure in said
    assert figure in printed
    assert figure in page
    again = ["--data", str(data), "--output", str(bench), "--quiet", "--overwrite", "--no-audit"]
    assert main(["build", "rad", *again]) == 0
    assert "Text alone" not in capsys.readouterr().out
    assert "text alone" not in (bench / "datasheet.md").read_text(encoding="utf-8")


def _run(bench, output):
    assert main(["run", "--model", "constant:yes", "--data", str(bench), "--output", str(output), "--quiet"]) == 0
    return (output / "results.json").read_text(encoding="utf-8")
