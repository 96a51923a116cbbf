"""Audits by people: what judges see, gold that is made from the sample, and judgements that reach the report."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from small_study import SmallStudy
from survey_study import rephrased

from askew.audit.label_sample import label_noise, noise_by_suite, noise_lines, sampled_labels
from askew.cli import main
from askew.collect.accounts import add_annotator
from askew.collect.database import Tx
from askew.collect.study import open_study
from askew.collect.surveys.audit_items import audit_drafts
from askew.collect.surveys.items import passes
from askew.collect.surveys.survey_batches import claim_batch, open_batch, send_batch
from askew.data.groups import write_groups
from askew.types import Expect


def test_judges_are_asked_what_applies(copy_of: Callable[..., SmallStudy], tmp_path: Path) -> None:
    small = copy_of(SmallStudy.make)
    groups = rephrased(tmp_path, 3)
    given = replace(groups[0].variants[0], expect=Expect.GIVEN)
    groups[0] = replace(groups[0], variants=(given,))
    drafts = {one.item.key: one.item for one in audit_drafts(small.study, sampled_labels(groups, 9, 0), 0, 0)}
    assert drafts["0/v"].asks == ("grammatical", "label"), "it need not ask the same"
    assert drafts["1/v"].asks == ("grammatical", "meaning", "label")
    assert drafts["2/v"].asks == ("label",), "only its image was changed"
    assert [bool(drafts[key].before) for key in ("0/v", "1/v", "2/v")] == [False, False, True]
    assert (drafts["1/v"].answer, drafts["1/v"].original) == ("yes", groups[1].original.text)
    assert "gold" not in json.dumps(vars(drafts["1/v"]))


def test_gold_is_made_of_the_sample(copy_of: Callable[..., SmallStudy], tmp_path: Path) -> None:
    small = copy_of(SmallStudy.make)
    sample = sampled_labels(rephrased(tmp_path, 12), 12, 0)
    made = [one for one in audit_drafts(small.study, sample, 6, 0) if one.gold is not None]
    assert len(made) == 6
    texts = {one.original.text: one.question.text for one in sample if one.original is not None}
    kinds = set()
    for one in made:
        kind = json.dumps(one.gold)
        kinds.add(kind)
        assert one.item.original in texts
        assert not one.item.key, "gold never gets into the results"
        if kind == '{"meaning": ["yes"]}':
            assert one.item.question == one.item.original
        elif kind == '{"meaning": ["no"]}':
            assert one.item.question in texts
            assert one.item.question != one.item.original
        else:
            plain = lambda text: sorted(text.rstrip("?").lower().split())  # noqa: E731
            assert plain(one.item.question) == plain(texts[one.item.original])
            assert one.item.question != texts[one.item.original]
        always_yes = dict.fromkeys(one.item.asks, "yes")
        assert passes(kind, always_yes) == ("no" not in kind)
    assert len(kinds) == 3
    again = [one.item for one in audit_drafts(small.study, sample, 6, 0) if one.gold is not None]
    assert again == [one.item for one in made]


GOLD: dict[tuple[str, str], dict[str, str]] = {}
"""Text and original of each gold question to what is right."""


def judge(tx: Tx, person: int, number: int, wrong: set[str], place: int) -> None:
    """Everything is fine, but two of three people say that these questions have a wrong label."""
    typed = {}
    for one in open_batch(tx, person, number).items:
        said = dict.fromkeys(one.item.asks, "yes")
        if not one.item.key:
            said = {**said, **GOLD[one.item.question, one.item.original]}
        if one.item.key in wrong and place > 0:
            said["label"] = "no"
        typed[one.n] = said
    assert send_batch(tx, person, number, typed).gold_wrong == 0


def test_judgements_reach_the_audit_and_the_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    groups = rephrased(tmp_path / "files", 12)
    write_groups(groups, "groups.jsonl")
    assert main(["collect", "init", "team", "--preset", "small", "--seed", "1"]) == 0
    audit = ["collect", "audit", "team"]
    sizes = ["--batch", "8", "--gold-per-batch", "2"]
    assert main([*audit, "--groups", "groups.jsonl", "--sample", "12", *sizes]) == 0
    assert "12 variants, each for 3 people" in capsys.readouterr().out
    study = open_study(Path("team"))
    sample = sampled_labels(groups, 12, 0)
    for one in audit_drafts(study, sample, 8, 0):
        if one.gold is not None:
            GOLD[one.item.question, one.item.original] = {name: said[0] for name, said in one.gold.items()}
    with study.database.write() as tx:
        people = [add_annotator(tx, f"Person {n}") for n in range(3)]
    for place, person in enumerate(people):
        while True:
            with study.database.write() as tx:
                number = claim_batch(tx, person)
                if number is None:
                    break
                judge(tx, person, number, {"0/v", "5/v", "7/v"}, place)
    study.close()
    assert main(["collect", "check", "team"]) == 0
    assert main([*audit, "--results", "judged.csv"]) == 0
    said = capsys.readouterr().out
    assert "12 of 12 questions have all 3 answers" in said
    assert "wrong label: 25.0 %" in said
    rows = {row["id"]: row for row in csv.DictReader(Path("judged.csv").read_text(encoding="utf-8").splitlines())}
    assert len(rows) == 12
    assert [rows["5/v"][name] for name in ("right", "wrong", "unclear")] == ["1", "2", "0"]
    assert [rows["2/v"][name] for name in ("grammatical", "same")] == ["0", "0"], "only its image was changed"
    (noise,) = label_noise(groups, ["judged.csv"])
    assert (noise.right, noise.wrong, noise.unclear, noise.share.value) == (9, 3, 0, 0.25)
    # By hand: 36 votes, 30 right and 6 wrong; three questions with 2 * 1 * 2 / 2 = 2 each. alpha = 1 - 35 * 6 / 360.
    assert noise.alpha == pytest.approx(1 - 35 * 6 / (30 * 6 * 2))
    assert noise_lines([noise])[0].endswith("0 unclear; alpha 0.42.")
    assert noise_by_suite(groups, ["judged.csv"])["rad"] == [noise]
    assert main(["audit", "groups.jsonl", "--judged", "judged.csv", "--json", "noise.json"]) == 0
    assert json.loads(Path("noise.json").read_text())["label_noise"][0]["wrong"] == 3
    assert main(["run", "--model", "constant:yes", "--data", "groups.jsonl", "--output", "yes", "--quiet"]) == 0
    capsys.readouterr()
    assert main(["report", "yes", "--judged", "judged.csv", "--output", "noisy/report.html"]) == 0
    assert "Label noise: 25.0 %" in capsys.readouterr().out.replace("\n", " ")
    page = Path("noisy/report.html").read_text(encoding="utf-8")
    assert "so true answers would score about 75.0 %" in page
    assert 'x1="75' in page
    first, _, charts = page.partition("What each model does")
    assert 'class="ceiling"' in first.partition("<tfoot")[0], "RAD, the headline, has the line in its bar"
    assert 'class="ceiling"' in charts
    assert "Dotted:" in page
    assert 'class="ceiling"' not in Path("yes/report.html").read_text(encoding="utf-8")
    Path("other.csv").write_text("id,right,wrong\nelsewhere,1,0\n")
    assert main(["report", "yes", "--judged", "other.csv"]) == 2
    assert "none of the judged questions was asked" in capsys.readouterr().err


def test_an_audit_without_enough_gold_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    write_groups(rephrased(tmp_path / "files", 2), "groups.jsonl")
    assert main(["collect", "init", "team", "--preset", "small"]) == 0
    assert main(["collect", "audit", "team", "--groups", "groups.jsonl"]) == 2
    message = capsys.readouterr().err
    assert "gold questions can be made from the sample" in message
    assert main(["collect", "audit", "team", "--groups", "groups.jsonl", "--gold-per-batch", "0"]) == 0
