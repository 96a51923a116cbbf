"""``askew collect import``: an attack's rewordings wait for verifiers, and are counted apart."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
import sqlalchemy as sa
from PIL import Image
from small_study import SmallStudy

from askew.cli import main
from askew.collect.attack_import import import_attack
from askew.collect.freeze import freeze_now
from askew.collect.invariants import violations
from askew.collect.payments import work_of_all
from askew.collect.protocol import Refused
from askew.collect.release import release
from askew.collect.rounds import create_round
from askew.collect.schema import annotator, question
from askew.collect.stats.page import write_statistics
from askew.collect.stats.sources import FromRelease, FromStudy
from askew.collect.stats.statistics import statistics
from askew.collect.verifying import claim_slot, verify
from askew.collect.web.login import create_invite
from askew.data.groups import write_groups
from askew.errors import DataError
from askew.files.records import group_record, with_predictions
from askew.types import Expect, Group, ImageRef, Kind, Outcome, Prediction, Question, Variant


def attack_folder(folder: Path, count: int = 3, suite: str = "attack") -> Path:
    """An attack on a model that says blue to rewordings: one a found success for each image, and one that failed."""
    folder.mkdir()
    groups, said = [], []
    for n in range(count):
        path = folder.parent / f"attacked-{n}.png"
        Image.new("RGB", (10, 10), (200, n, 3)).save(path)
        image = ImageRef(n, str(path))
        original = Question(f"q{n}", image, f"What color is thing {n}?", ("red", "red", "pink"), Kind("other"))
        found = Question(f"q{n}/found", image, f"What colour is thing {n}?", original.answers)
        failed = Question(f"q{n}/failed", image, f"Which color is thing {n}?", original.answers)
        variants = (
            Variant(found, Expect.SAME, "sears", "attack/sears", {"status": "found", "fooled_at": n + 2}),
            Variant(failed, Expect.SAME, "sears", "attack/sears", {"status": "failed", "tries": 9}),
        )
        groups.append(Group(f"q{n}", suite, original, variants))
        said.append([Prediction(one.id, "blue" if one is found else "red") for one in (original, found, failed)])
    write_groups(groups, str(folder / "groups.jsonl"))
    lines = [
        json.dumps(with_predictions(group_record(group), Outcome(group, one[0], tuple(one[1:]))), default=str)
        for group, one in zip(groups, said, strict=True)
    ]
    (folder / "samples.jsonl").write_text("".join(f"{line}\n" for line in lines))
    about = {"name": "robot", "spec": "constant:blue", "signature": "x"}
    (folder / "results.json").write_text(json.dumps({"model": about}))
    return folder


@pytest.fixture
def small(copy_of: Callable[..., SmallStudy]) -> SmallStudy:
    """A study whose second round is a draft: round 1 is open."""
    made = copy_of(SmallStudy.make)
    made.do(create_round, [made.models[0]])
    return made


def in_draft(copy_of: Callable[..., SmallStudy], folder: Path) -> SmallStudy:
    made = copy_of(draft)
    done = import_attack(made.study, attack_folder(folder), made.round_id)
    assert (dict(done.attacked), dict(done.found), dict(done.added)) == ({"sears": 6}, {"sears": 3}, {"sears": 3})
    made.open()
    return made


def draft(folder: Path, url: str | None) -> SmallStudy:
    return SmallStudy.make(folder, url, opened=False)


def answer(small: SmallStudy, says: dict[int, str], people: int = 6) -> None:
    """Everybody verifies; the answer depends on the number of the thing in the question."""
    for person in small.people[:people] * 9:
        task = small.do(claim_slot, person)
        if task is not None:
            small.do(verify, person, task.question_id, says[int(task.text.split()[-1][:-1])], "yes")


def test_people_verify_what_an_attack_found(copy_of: Callable[..., SmallStudy], tmp_path: Path) -> None:
    """Two verifiers: two rewordings are confirmed, one is overruled."""
    small = in_draft(copy_of, tmp_path / "attack")
    small.check()
    small.attack(small.people[5], "Is it thing 3?")
    answer(small, {0: "red", 1: "blue", 2: "red", 3: "no"}, people=2)
    small.check()
    found = small.look(lambda tx: statistics(FromStudy(tx)))
    rows = {line.label: line.cells for line in found.sheet("table8").lines}
    people, attack = rows["People of this study"], rows["sears (automatic)"]
    assert (people[3].value, people[3].n) == (1.0, 1)
    assert (round(attack[3].value, 4), attack[3].n) == (round(2 / 3, 4), 3), "things 0 and 2 are confirmed, 1 is type C"
    assert attack[0].value == pytest.approx((2 + 4) / 2), "texts asked for the confirmed ones"
    assert attack[1] is None
    total = found.sheet("table1").lines[-1].cells
    assert small.look(lambda tx: tx.count(question)) == 4
    assert [cell.n for cell in total if getattr(cell, "n", 0) > 1] == [], "only the person's question is counted"


def test_an_attack_takes_no_place_is_not_paid_and_cannot_sign_in(
    copy_of: Callable[..., SmallStudy], tmp_path: Path
) -> None:
    small = in_draft(copy_of, tmp_path / "attack")
    author = small.look(lambda tx: tx.first(sa.select(annotator).where(annotator.c.attack == "sears")))
    with pytest.raises(Refused, match="automatic attack"):
        small.do(create_invite, annotator_id=author.id)
    for n in range(1, 4):
        small.attack(small.people[0], f"Is it thing {6 + n}?")
    answer(small, dict.fromkeys(range(10), "red"))
    small.check()
    assert author.id not in {one.id for one in small.look(work_of_all)}


def test_a_release_names_the_attack_and_its_statistics_are_the_same(
    copy_of: Callable[..., SmallStudy], tmp_path: Path
) -> None:
    small = in_draft(copy_of, tmp_path / "attack")
    small.attack(small.people[5], "Is it thing 3?")
    answer(small, {0: "red", 1: "blue", 2: "red", 3: "no"})
    small.do(freeze_now, small.round_id, 1)
    small.check()
    release(small.study, tmp_path / "release")
    records = [json.loads(line) for line in (tmp_path / "release/history.jsonl").read_text().splitlines()]
    assert [record.get("attack") for record in records] == ["sears"] * 3 + [None]
    tagged = [
        json.loads(line)["tags"]
        for name in ("train", "dev", "test")
        if (path := tmp_path / f"release/{name}.jsonl").exists()
        for line in path.read_text().splitlines()
    ]
    assert {tags.get("attack") for tags in tagged} >= {"sears"}
    of_study = small.look(lambda tx: statistics(FromStudy(tx)))
    of_release = statistics(FromRelease(tmp_path / "release"))
    for name in ("table1", "table8"):
        assert repr(of_study.sheet(name).lines) == repr(of_release.sheet(name).lines), name


def test_a_study_of_attacks_alone_has_statistics(copy_of: Callable[..., SmallStudy], tmp_path: Path) -> None:
    small = in_draft(copy_of, tmp_path / "attack")
    answer(small, dict.fromkeys(range(3), "red"))
    found = small.look(lambda tx: statistics(FromStudy(tx)))
    assert found.figures == []
    assert found.sheet("table8").lines[-1].cells[3].value == 1.0
    write_statistics(found, tmp_path / "stats")
    assert "sears (automatic)" in (tmp_path / "stats/stats.html").read_text(encoding="utf-8")


def test_what_cannot_be_imported_is_said(small: SmallStudy, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = attack_folder(tmp_path / "attack")
    first = import_attack(small.study, folder, 2)
    again = import_attack(small.study, folder, 2)
    assert (sum(first.added.values()), sum(again.added.values())) == (3, 0)
    assert "has questions about this image already" in again.left_out[0]
    with pytest.raises(Refused, match="images are added to a draft"):
        import_attack(small.study, attack_folder(tmp_path / "other", 5), small.round_id)
    with pytest.raises(DataError, match="not of an attack"):
        import_attack(small.study, attack_folder(tmp_path / "rad", suite="rad"), 2)
    assert main(["collect", "import", str(small.study.folder), str(tmp_path / "nothing")]) == 2
    assert "results.json" in capsys.readouterr().err
    assert small.look(violations) == []
