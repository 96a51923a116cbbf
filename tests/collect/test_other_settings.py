"""Other settings than the paper's: sessions that continue after a success, authors who state their confidence."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
import sqlalchemy as sa
from small_study import SMALL, SmallStudy, tiny_images

from askew.cli import main
from askew.collect.freeze import freeze
from askew.collect.image_import import import_images
from askew.collect.protocol import PRESETS, Gone, NotAllowed, Refused, differences
from askew.collect.release import release
from askew.collect.robots import record_reply
from askew.collect.rounds import change_round, create_round
from askew.collect.schema import annotator, judgement, session
from askew.collect.verify_queue import claim_task
from askew.collect.verifying import claim_slot, verify
from askew.collect.writing import ask, claim_image, judge
from askew.types import Prediction


def test_a_session_may_continue_after_a_success(tmp_path, database_url):
    """All tries are used, each success is verified, and the session counts as one that succeeded."""
    settings = replace(SMALL, stop_at_first_success=False, max_tries=3)
    study = SmallStudy.make(tmp_path / "study", database_url, settings, images=1)
    author = study.people[0]
    states = [study.attack(author, f"Is it {n}?", verdict=verdict) for n, verdict in enumerate(("wrong", "wrong"))]
    assert [(one.session_state, one.tries_left) for one in states] == [("LEASED", 2), ("LEASED", 1)]
    assert study.attack(author, "Is it big?", verdict="correct").session_state == "SUCCEEDED"
    assert study.do(claim_image, author) is None
    assert study.verify_all() == 2 * SMALL.verifiers_per_question
    study.check()
    study.do(change_round, study.round_id, "DRAINING")
    assert sorted(study.do(freeze, study.round_id, 1).types.values()) == ["A", "E", "E"]
    study.check()
    study.close()


def test_a_session_without_a_success_is_exhausted_when_sessions_continue(tmp_path):
    settings = replace(SMALL, stop_at_first_success=False, max_tries=2)
    study = SmallStudy.make(tmp_path / "study", None, settings, images=1)
    ended = [study.attack(study.people[0], f"Is it {n}?", verdict="correct").session_state for n in range(2)]
    assert ended == ["LEASED", "EXHAUSTED"]
    assert study.look(lambda tx: tx.value(sa.select(session.c.state))) == "EXHAUSTED"
    study.check()
    study.close()


def test_the_default_ends_the_session_with_the_first_success(study):
    assert study.attack(study.people[0]).session_state == "SUCCEEDED"
    held = study.look(lambda tx: tx.value(sa.select(session.c.id)))
    with pytest.raises(Gone):
        study.do(ask, study.people[0], held, "Is it big?")


def test_authors_are_asked_how_sure_they_are(tmp_path, database_url):
    """Without it the judgement is refused and nothing is kept; with it the release has it."""
    settings = replace(SMALL, author_confidence="ask", train_share=98, dev_share=1, test_share=1)
    study = SmallStudy.make(tmp_path / "study", database_url, settings, images=1)
    author = study.people[0]
    task = study.do(claim_image, author)
    call = study.do(ask, author, task.session_id, "Is it red?", seed=1)
    study.do(record_reply, call, Prediction(call.question_id, "yes"))
    for missing in (None, "perhaps"):
        with pytest.raises(Refused, match="yes, maybe or no"):
            study.do(judge, author, call.question_id, "wrong", "no", missing)
    assert study.look(lambda tx: tx.first(sa.select(judgement))) is None
    study.do(judge, author, call.question_id, "wrong", "no", "maybe")
    study.verify_all()
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1)
    release(study.study, tmp_path / "release")
    note = json.loads((tmp_path / "release" / "vqa" / "train_annotations.json").read_bytes())["annotations"][0]
    assert [one["answer_confidence"] for one in note["answers"]] == ["maybe", "yes", "yes"]
    study.check()
    study.close()


def test_authors_who_are_not_asked_have_no_confidence(study):
    study.attack(study.people[0])
    assert study.look(lambda tx: tx.value(sa.select(judgement.c.confidence))) is None


def test_the_terminal_and_the_report_have_rows_for_rounds_and_domains(tmp_path, monkeypatch, capsys):
    """Two rounds of two domains, released together (Tables 2 and 10 of the paper)."""
    monkeypatch.chdir(tmp_path)
    settings = replace(SMALL, train_share=1, dev_share=1, test_share=98)
    study = SmallStudy.make(tmp_path / "study", None, settings, images=3)
    _play(study, "no")
    study.round_id = study.do(create_round, study.models)
    files = tiny_images(tmp_path / "more", 6)[3:]
    import_images(study.study, files, study.round_id, "harbor")
    study.do(change_round, study.round_id, "READY")
    study.do(change_round, study.round_id, "OPEN")
    _play(study, "blue")
    release(study.study, tmp_path / "release")
    study.close()
    run = ["run", "--data", "release", "--model", "constant:no", "--suite", "accuracy", "--output", "runs", "--full"]
    assert main(run) == 0
    said = capsys.readouterr().out
    assert main(["report", "runs", "--output", "page.html"]) == 0
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    rows = {" ".join(line.split()[:2]): line.split()[2:4] for line in said.splitlines() if line.startswith("  ")}
    assert rows == {
        "round 1": ["100.0", "3"],
        "round 2": ["0.0", "3"],
        "domain harbor": ["0.0", "3"],
        "domain toy": ["100.0", "3"],
    }
    table = page.split('<caption class="hidden">Accuracy by round and domain</caption>')[1].split("</table>")[0]
    assert re.findall(r">([^<]+)</button>", table) == [
        *("Model", "All", "Round 1", "Round 2", "Domain harbor", "Domain toy")
    ]
    assert re.findall(r"<td[^>]*>(?:<a[^>]*>)?([\d.]+)", table) == ["50.0", "100.0", "0.0", "0.0", "100.0"]


def _play(study: SmallStudy, answer: str) -> None:
    """Write and verify everything in the open round, and freeze it."""
    for number in range(3):
        study.attack(study.people[0], f"Is it number {number}?", answer=answer)
    study.verify_all(answer)
    study.do(change_round, study.round_id, "DRAINING")
    study.do(freeze, study.round_id, 1)


def test_the_preset_paper_is_the_paper_and_what_it_does_not_have_is_listed(tmp_path):
    """The datasheet compared with our own preset, which had a quiz and a cap that the paper does not have."""
    assert differences(PRESETS["paper"]) == {}
    assert PRESETS["paper"].train_author_percent == 100
    changed = replace(PRESETS["paper"], quiz_required=True, train_author_percent=5, identity="workerId")
    assert differences(changed) == {"quiz_required": (False, True), "train_author_percent": (100, 5)}


def test_owners_do_not_verify_unless_the_study_says_so(tmp_path):
    """They can look up the author's, the robot's and the others' answers."""
    settings = replace(PRESETS["small"], owners_verify=False)
    study = SmallStudy.make(tmp_path / "study", settings=settings)
    study.attack(study.people[0])
    task = study.do(claim_slot, study.people[1])
    assert study.do(claim_slot, study.owner) is None
    assert study.do(claim_task, study.owner) is None
    with study.study.database.write() as tx:
        tx.change(annotator, annotator.c.id == study.people[1], role="owner")
    with pytest.raises(NotAllowed, match="Owners do not verify"):
        study.do(verify, study.people[1], task.question_id, "no", "yes")
    study.close()
