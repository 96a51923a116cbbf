"""``askew collect serve`` and ``askew collect demo`` as a user starts them."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random

import httpx
import pytest
import sqlalchemy as sa
from web_study import TellingRobots

from askew.cli import main
from askew.collect.invariants import violations
from askew.collect.schema import gold_result, question, verification
from askew.collect.schema import study as study_table
from askew.collect.simulation.demo_study import Colleagues, end_round, publish
from askew.collect.study import open_study
from askew.collect.web.first_study import NewStudy, open_or_create
from askew.collect.web.login import Platform, accept_invite, create_invite
from askew.collect.web.robot_queue import RobotQueue
from askew.collect.web.security import SecretKeys
from askew.collect.web.serve import check_key
from askew.errors import DataError, UnknownName, UsageError


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[str]]]:
    """A study created by the command, and what it printed."""
    folder = tmp_path_factory.mktemp("serve") / "study"
    command = [sys.executable, "-m", "askew", "collect", "serve", str(folder), "--port", "0", "--scenes", "3"]
    command += ["--model", "constant:yes", "--preset", "small"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    lines = []
    while not lines or not lines[-1].startswith("Serving at"):
        lines.append(process.stdout.readline())
        assert lines[-1], process.stderr.read()
    yield folder, lines
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert "Stopped" in out
    assert process.returncode == 0
    assert re.search(r"/invite/(\S+)", "".join(lines)).group(1) not in err


def test_one_command_makes_a_study_and_a_link_for_its_owner(served: tuple[Path, list[str]]) -> None:
    folder, lines = served
    text = "".join(lines)
    assert "3 images; round 1 is open" in text
    assert "Robots: constant:yes" in text
    link = re.search(r"http://127\.0\.0\.1:\d+/invite/\S+", text).group(0)
    for _ in range(600):
        try:
            page = httpx.get(link)
            break
        except httpx.ConnectError:
            time.sleep(0.1)
    assert page.status_code == 200
    assert "Set up your owner account" in page.text
    assert "server" not in page.headers
    names = {path.name for path in folder.iterdir()}
    assert {"study.json", "study.sqlite", "secret.key", "images", "world.json"} <= names


def test_a_study_that_exists_is_opened_and_options_for_new_ones_are_refused(served: tuple[Path, list[str]]) -> None:
    study = open_or_create(NewStudy(served[0]))
    study.close()
    with pytest.raises(UsageError, match="--model is only for a new one"):
        open_or_create(NewStudy(served[0], models=["constant:no"]))


def test_wrong_models_and_foreign_folders_are_refused_and_leave_nothing(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="constnt"):
        open_or_create(NewStudy(tmp_path / "study", models=["constnt:yes"]))
    assert not (tmp_path / "study").exists()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").touch()
    with pytest.raises(DataError, match="the folder is not empty"):
        open_or_create(NewStudy(tmp_path / "other"))
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["file"]


def test_unsafe_starts_end_with_an_error_and_no_study(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["collect", "serve", str(tmp_path / "study"), "--host", "0.0.0.0"]) == 2
    assert "--trusted-host" in capsys.readouterr().err
    assert main(["collect", "demo", "--output", str(tmp_path / "demo"), "--seconds", "-1"]) == 2
    assert not (tmp_path / "study").exists()


def test_colleagues_verify_what_a_person_wrote_and_the_demo_ends_in_a_release(tmp_path: Path) -> None:
    """Without a server or waiting: each step of a colleague, then the end of the demo."""
    study = open_or_create(
        NewStudy(
            tmp_path / "study",
            models=["constant:yes", "constant:no"],
            preset="small",
            scenes=6,
            changes={"quiz_required": "true", "demonstration": "true"},
            gold=12,
        )
    )
    with study.database.write() as tx:  # which questions are gold depends on it, and by default it is random
        tx.execute(sa.text("DROP TRIGGER study_is_fixed"))
        tx.change(study_table, sa.true(), seed=1)
    robots = RobotQueue(study.database, TellingRobots())
    colleagues = Colleagues(study, robots, rng=Random(3))
    colleagues.join()
    from askew.collect.accounts import add_annotator
    from askew.collect.writing import ask, claim_image, judge

    while colleagues.step():
        pass
    with study.database.write() as tx:
        waiting = tx.value(sa.select(sa.func.count()).select_from(question).where(question.c.state == "VERIFYING"))
        assert waiting == 2, "they leave some of theirs to the person"
        assert tx.value(sa.select(sa.func.count()).select_from(verification)) == 0
        person = add_annotator(tx, "Ada", "owner")
        task = claim_image(tx, person)
        call = ask(tx, person, task.session_id, "What do I see?")
    robots.ask(call)
    with study.database.write() as tx:
        judge(tx, person, call.question_id, "wrong", "a tree")
    state = sa.select(question.c.state).where(question.c.id == call.question_id)
    for _ in range(60):  # how many depends on the gold questions in between
        colleagues.step()
        with study.database.read() as tx:
            if tx.value(state) == "VERIFIED" and tx.value(sa.select(sa.func.count()).select_from(gold_result)):
                break
    with study.database.read() as tx:
        passed = [row.passed for row in tx.rows(sa.select(gold_result.c.passed))]
        assert passed, "gold questions are among theirs, as among a person's"
        assert all(passed)
        assert tx.value(state) == "VERIFIED"
        assert violations(tx) == []
    end_round(study)
    publish(study, tmp_path / "release")
    assert (tmp_path / "release" / "release.json").is_file()
    robots.stop()
    study.close()
    again = open_study(tmp_path / "study")
    with again.database.read() as tx:
        assert violations(tx) == []
    again.close()


def test_a_study_made_by_serve_can_get_more_scenes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its scenes are larger than those of ``images --world``, which was refused with a remedy that failed too."""
    folder = tmp_path / "study"
    open_or_create(NewStudy(folder, models=["constant:yes"], preset="small", scenes=1)).close()
    assert main(["collect", "round", str(folder), "--new"]) == 0
    assert "The new round plays against constant:yes (all of the study; --models chooses)." in capsys.readouterr().out
    assert main(["collect", "images", str(folder), "--world", "2", "--seed", "5"]) == 2
    assert "Omit --seed" in capsys.readouterr().err
    assert main(["collect", "images", str(folder), "--world", "2"]) == 0
    assert "Added 2 images to round 2; left out 0." in capsys.readouterr().out


def test_limits_and_platforms_are_options_and_are_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for option, said in (
        (["--limit", "sign_ins"], "write it as NAME=VALUE"),
        (["--limit", "signs=3"], "There is no limit 'signs'"),
        (["--limit", "sign_ins=0"], "sign_ins is 0"),
        (["--platform", "https://a.org/b"], "is not an origin"),
        (["--platform", "http://a.org"], "is not an origin"),
    ):
        assert main(["collect", "serve", str(tmp_path / "study"), *option]) == 2
        assert said in capsys.readouterr().err
    assert not (tmp_path / "study").exists()


def test_another_key_is_refused_once_people_came_through_a_platform(tmp_path: Path) -> None:
    """Their ids would have other hashes, so everybody could open a second account."""
    study = open_or_create(NewStudy(tmp_path / "study", models=["constant:yes"], preset="small", scenes=1))
    first, second = SecretKeys(b"a" * 32), SecretKeys(b"b" * 32)
    for keys in (first, second, first):
        check_key(study, keys)
    with study.database.write() as tx:
        token = create_invite(tx, platform=Platform("C"))
        accept_invite(tx, token, "", None, {"PROLIFIC_PID": "5f1"}, first.identity("5f1"))
    check_key(study, first)
    with pytest.raises(UsageError, match="The secret key is not the one that this study began with"):
        check_key(study, second)
    study.close()
