"""The suite ``avqa-gap``: accuracy on base data minus that on collected questions, with numbers worked by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import askew
from askew.cli import main
from askew.data.jsonl import Jsonl
from askew.errors import BadOption, DataError
from askew.registry import make
from askew.suites.avqa_gap import AvqaGapSuite

BASE, RELEASE = [True] * 15 + [False] * 5, [True] * 3 + [False] * 9
"""Whether "yes" is the answer: 15 of 20 questions about 20 images, and 3 of 12 about 12."""


def write(path: Path, yes: list[bool], each: int = 1) -> Path:
    """Questions about images 0, 1, ..., ``each`` of them about one image, with the same answer."""
    records = [
        {"id": image * each + number, "image": f"{image}.jpg", "question": f"Is it {path.stem} {number}?",
         "answers": ["yes" if is_yes else "no"] * 10, "answer_type": "yes/no", "tags": {"round": str(1 + image % 2)}}
        for image, is_yes in enumerate(yes) for number in range(each)
    ]  # fmt: skip
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


def gap(folder: Path, base: list[bool] = BASE, release: list[bool] = RELEASE, each: int = 1):
    suite = AvqaGapSuite(Jsonl(str(write(folder / "base.jsonl", base))))
    return askew.evaluate("constant:yes", str(write(folder / "test.jsonl", release, each)), suite)


def test_the_gap_and_its_interval_by_hand(tmp_path):
    result = gap(tmp_path)
    values = {name: result.score(name).value for name in ("accuracy.base", "accuracy.release", "gap")}
    assert values == pytest.approx({"accuracy.base": 15 / 20, "accuracy.release": 3 / 12, "gap": 0.5})
    found = result.score("gap")
    assert (found.n, found.images) == (32, 32)  # image 0 of the one is not image 0 of the other
    # Two independent samples: the variances of both accuracies add up, .75 * .25 / 19 + .25 * .75 / 11 = .02691. From
    # -1 to 1, .5 is a share of .75, and so many trials have this variance: .75 * .25 * 4 / .02691 = 27.9. Wilson's
    # interval with q = 2.05: (.75 + 2.10 / 27.9 ± 2.05 * sqrt(.1875 / 27.9 + 1.05 / 27.9²)) / (1 + 4.20 / 27.9)
    assert (found.low, found.high) == pytest.approx((-1 + 2 * 0.5573, -1 + 2 * 0.8773), abs=0.02)
    assert result.score("gap", "answer_type=yes/no").value == pytest.approx(0.5)


def test_questions_about_one_image_are_one_observation(tmp_path):
    once, thrice = gap(tmp_path).score("gap"), gap(tmp_path, each=3).score("gap")
    assert (thrice.value, thrice.n) == (once.value, 20 + 36)
    assert (thrice.low, thrice.high) == pytest.approx((once.low, once.high))


def test_each_part_needs_ten_images(tmp_path):
    assert gap(tmp_path, release=RELEASE[:10]).score("gap").has_interval
    few = gap(tmp_path, release=RELEASE[:9]).score("gap")
    assert few.value == pytest.approx(15 / 20 - 3 / 9)
    assert few.no_interval.endswith("a part has fewer than 10 images")
    # Where all answers agree, ten images leave more room than twenty: 1 - 2 q² / (10 + q²) with q = 2.262
    same = gap(tmp_path, [True] * 20, [False] * 10).score("gap")
    assert (same.value, same.high, same.low) == (1.0, 1.0, pytest.approx(1 - 2 * 5.117 / 15.117, abs=1e-3))


def test_run_score_compare_gate_and_report(tmp_path, capsys):
    data, base = write(tmp_path / "test.jsonl", RELEASE), write(tmp_path / "base.jsonl", BASE)
    suite = f"avqa-gap:base={base}"
    # Yes everywhere but for one base question and one of the release, which are missing
    answers = [(f"base/{number}", "yes") for number in range(19)] + [(number, "yes") for number in range(11)]
    (tmp_path / "said.json").write_text(json.dumps([{"question_id": key, "answer": said} for key, said in answers]))
    no = [(f"base/{number}", "no") for number in range(20)] + [(number, "no") for number in range(12)]
    (tmp_path / "no.json").write_text(json.dumps([{"question_id": key, "answer": said} for key, said in no]))
    scored, ran = tmp_path / "scored", tmp_path / "ran"
    common = ["--suite", suite, "--quiet", "--output"]
    assert main(["score", str(data), str(tmp_path / "said.json"), "--allow-missing", *common, str(scored)]) == 0
    found = json.loads((scored / "results.json").read_text())
    (score,) = (one for one in found["scores"] if one["metric"] == "gap" and not one["part"])
    assert (score["value"], score["failed"]) == (pytest.approx(15 / 19 - 3 / 11), 2)
    assert score["lowest"] == pytest.approx(15 / 20 - 4 / 12)
    assert score["highest"] == pytest.approx(16 / 20 - 3 / 12)
    assert main(["run", "--data", str(data), "--model", "constant:yes", *common, str(ran)]) == 0
    assert main(["score", str(data), str(tmp_path / "no.json"), *common, str(tmp_path / "no")]) == 0
    capsys.readouterr()
    assert main(["gate", str(ran), "--require", "avqa-gap:gap <= 0.4"]) == 1
    assert main(["gate", str(tmp_path / "no"), "--no-worse-than", str(ran)]) == 0  # a gap of -0.5 counts as 0
    capsys.readouterr()
    assert main(["compare", str(ran), str(tmp_path / "no"), "--output", str(tmp_path / "both")]) == 0
    (one,) = (
        item
        for item in json.loads((tmp_path / "both" / "differences.json").read_text())
        if item["metric"] == "gap" and not item["part"]
    )
    assert (one["of_a"], one["of_b"], one["difference"]) == (0.5, -0.5, 1.0)  # .25 - .75: the reverse
    assert one["low"] > 0
    tables = (ran / "tables.md").read_text()
    assert "| Base | Release | Gap |" in tables
    assert "| 72.66 | 24.14 | 48.52 |" in tables
    page = (ran / "report.html").read_text()
    assert "the gap between its accuracy on base data and on questions that people wrote to fool models is 50.0" in page
    assert "its accuracy is unknown" not in page
    about = json.loads((ran / "results.json").read_text())["suites"][0]
    assert f"The base data are base, content {Jsonl(str(base)).fingerprint()}." in about["notes"]


def test_groups_alternate_and_ids_do_not_meet(tmp_path):
    data, base = Jsonl(str(write(tmp_path / "test.jsonl", RELEASE))), write(tmp_path / "base.jsonl", BASE)
    groups = list(make("suite", f"avqa-gap:base=jsonl:{base},skip_bad=true").groups(data, 0))
    assert [group.id for group in groups[:4]] == [0, "base/0", 1, "base/1"]
    assert [dict(group.original.tags)["part"] for group in groups[:2]] == ["release", "base"]
    assert len({group.original.image.id for group in groups}) == len(groups) == 32
    limited = askew.evaluate("constant:yes", data, AvqaGapSuite(Jsonl(str(base))), limit=10)
    assert limited.score("gap").value == pytest.approx(1 - 3 / 5)
    with pytest.raises(DataError, match="name the base data"):
        askew.evaluate("constant:yes", data, "avqa-gap")
    (tmp_path / "none.txt").write_text("\n")
    with pytest.raises(DataError, match="Give other base data"):
        askew.evaluate("constant:yes", data, AvqaGapSuite(make("reader", f"lines:{tmp_path}/none.txt")))
    with pytest.raises(BadOption):
        make("suite", f"avqa-gap:base={base},accuracy=strict")
    ours = AvqaGapSuite().tables[0].published.values()
    assert all(plain - collected == pytest.approx(gap) for plain, collected, gap in ours)  # the paper's own sums
    assert len(ours) == 20
