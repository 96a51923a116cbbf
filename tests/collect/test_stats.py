"""Statistics of a tiny study, worked by hand, from its database and from its release."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from small_study import SMALL, SmallStudy

from askew.collect.examples import Answer, Example
from askew.collect.freeze import freeze
from askew.collect.moderation import delete_text
from askew.collect.release import release
from askew.collect.rounds import change_round
from askew.collect.stats.facts import CLASSES, Facts, best_accuracy
from askew.collect.stats.figures import agreement_bands, confidence_bins
from askew.collect.stats.page import write_statistics
from askew.collect.stats.sheets import share
from askew.collect.stats.sources import FromRelease, FromStudy
from askew.collect.stats.statistics import opened_source, statistics
from askew.collect.stats.vocabulary import Vocabulary, read_vocabulary
from askew.collect.verifying import claim_slot, skip_slot, verify
from askew.errors import DataError, UsageError
from askew.metrics.accuracy import official_table
from askew.types import Question, Score

HOSTILE = "<script>alert(1)</script> what is it?"


@pytest.fixture
def worked(copy_of):
    return copy_of(work)


def work(folder, url):
    """Four images, one writer each, two verifiers for each success: types A, B, E on the first image, C on the
    second, D on the third, an A on the fourth, whose writer has not finished."""
    study = SmallStudy.make(folder, url, images=4, people=6)
    first, second, third, fourth = study.people[:4]
    study.attack(first, "Is it red?", verdict="correct")
    study.attack(first, "Is it big?", verdict="unsure")
    study.attack(first, HOSTILE)
    study.attack(second, "Is there a dog?")
    study.attack(third, "How many dogs are there?")
    study.attack(fourth, "Is it red?", verdict="correct")
    said = {3: (("no", "yes"), ("No.", "maybe")), 4: (("yes", "yes"), ("no", "no")), 5: (("2", "yes"), ("3", "no"))}
    given = dict.fromkeys(said, 0)
    skipped = False
    progress = True
    while progress:
        progress = False
        for person in study.people[1:]:
            task = study.do(claim_slot, person)
            if task is None:
                continue
            progress = True
            if not skipped:
                study.do(skip_slot, person, task.question_id, "cannot see the image")
                skipped = True
                continue
            answer, confidence = said[task.question_id][given[task.question_id]]
            given[task.question_id] += 1
            study.do(verify, person, task.question_id, answer, confidence)
    assert given == {3: 2, 4: 2, 5: 2}
    return study


def counted(study, vocabulary=None):
    with study.study.database.read() as tx:
        return statistics(FromStudy(tx), vocabulary)


def row(found, name, at=-1):
    sheet = found.sheet(name)
    cells = zip(sheet.columns, sheet.lines[at].cells, strict=True)
    return {column.name: cell.value if isinstance(cell, Score) else cell for column, cell in cells}


def shares(found, name):
    return {line.cells[0]: line.cells[1] for line in found.sheet(name).lines}


def test_tables_by_hand(worked):
    found = counted(worked)
    first = row(found, "table1")
    assert [first[name] for name in ("images", "questions", "verified")] == [4, 6, 3]
    assert first["error_total"] == pytest.approx(3 / 6)
    assert first["error_verified"] == pytest.approx(1 / 6)
    assert (first["tries_mean"], first["tries_median"]) == (3.0, 3.0)
    assert first["seconds_mean"] == 11.0  # three tries of claim, ask, reply and judge; the clock starts at the first
    assert [first[name] for name in ("train", "dev", "test")] == [None] * 3
    sessions = row(found, "sessions")
    assert sessions["sessions"] == 4
    assert sessions["success_per_session"] == pytest.approx(3 / 4)
    assert sessions["e_per_total"] == pytest.approx(1 / 6)
    assert sessions["tries_per_session"] == pytest.approx(6 / 4)
    assert sessions["tries_per_session_median"] == 1.0
    assert (sessions["questions_per_image"], sessions["sessions_per_image"]) == (1.5, 1.0)
    rates = {"tries": 3.0, "error_rate": 1 / 6, "success_per_session": 3 / 4, "human_verified": 1 / 3}
    assert row(found, "table8") == pytest.approx(rates)
    assert shares(found, "figure8") == {"A": 2, "B": 1, "C": 1, "D": 1, "E": 1}
    assert shares(found, "figure6") == {"1": 0, "2": 0, "3": 1, "4": 0, "5": 0}
    assert shares(found, "figure7")["0–20"] == 1
    assert any("OPEN" in note for note in found.sheet("table1").notes)


def test_what_people_and_models_did(worked):
    found = counted(worked)
    lines = {(line.label, line.cells[0]): line.cells for line in found.sheet("models").lines}
    assert sum(cells[1] for cells in lines.values()) == 6
    assert all(cells[3].value == 0 for cells in lines.values())
    leases = {line.cells[0]: line.cells[1:] for line in found.sheet("leases").lines}
    assert leases["writing"][0] == 3  # the fourth writer has not finished
    assert leases["verifying"][0] == 7  # six answers and one skip
    assert leases["verifying"][1].value == 0
    agreement = row(found, "agreement")
    # pairs: no-no, yes-no, 2-3; totals no 3, yes 1, 2 and 3 once: 1 - 5 * 4 / (36 - 9 - 1 - 1 - 1)
    assert agreement["alpha"] == pytest.approx(1 - 5 * 4 / 24)
    # with the author confident: (2+2+1)/6, (2+2+0)/6, (2+2+0)/6
    assert agreement["confidence"] == pytest.approx((5 + 4 + 4) / 18)


def test_answer_classes_are_disjoint_and_oov_comes_first(worked):
    open_ = row(counted(worked), "table9")
    assert open_["OOV"] is None
    assert sum(open_[name] for name in CLASSES if name != "OOV") == pytest.approx(1)
    assert open_["Y/N"] == pytest.approx(1)  # the authors' answer, no, is the first of the most frequent ones
    closed = row(counted(worked, Vocabulary(["yes", "2"])), "table9")
    assert sum(closed[name] for name in CLASSES) == pytest.approx(1)
    assert closed["OOV"] == pytest.approx(1 / 3)  # only no was said to the first
    assert closed["Y/N"] == pytest.approx(2 / 3)


def test_a_release_gives_the_same_statistics(worked, tmp_path):
    worked.do(change_round, worked.round_id, "DRAINING")
    worked.do(freeze, worked.round_id, 5, drop_incomplete=True)
    release(worked.study, tmp_path / "release")
    told = counted(worked)
    with opened_source(tmp_path / "release") as source:
        assert isinstance(source, FromRelease)
        found = statistics(source)
    assert found.sheet("leases").lines == []
    for name in (
        "table1",
        "sessions",
        "table8",
        "table9",
        "table10",
        "agreement",
        *(f"figure{n}" for n in range(4, 11)),
    ):
        assert str(found.sheet(name).lines) == str(told.sheet(name).lines), name
    sizes = row(found, "table1")
    manifest = json.loads((tmp_path / "release" / "release.json").read_bytes())
    assert [sizes[name] for name in ("train", "dev", "test")] == [
        manifest["rounds"][0]["splits"][name] for name in ("train", "dev", "test")
    ]


def test_deleted_questions_are_left_out_everywhere(worked, tmp_path):
    worked.do(change_round, worked.round_id, "DRAINING")
    worked.do(freeze, worked.round_id, 5, drop_incomplete=True)
    worked.do(delete_text, worked.owner, 3, "the author asked")
    manifest = release(worked.study, tmp_path / "release", "1.0.1")
    told, found = counted(worked), statistics(FromRelease(tmp_path / "release"))
    for name in ("table1", "sessions", "figure8"):
        assert str(found.sheet(name).lines) == str(told.sheet(name).lines), name
    assert shares(found, "figure8") == {"A": 2, "B": 1, "C": 1, "D": 1, "E": 0}
    assert manifest["rounds"][0]["types"]["E"] == 0
    sizes = row(found, "table1")
    for split in ("train", "dev", "test"):
        lines = (tmp_path / "release" / f"{split}.jsonl").read_bytes().splitlines()
        assert manifest["rounds"][0]["splits"][split] == len(lines) == (sizes[split] or 0)
    assert any("deleted on request" in note for note in found.sheet("table1").notes)


def test_a_changed_release_is_an_error(worked, tmp_path):
    worked.do(change_round, worked.round_id, "DRAINING")
    worked.do(freeze, worked.round_id, 5, drop_incomplete=True)
    release(worked.study, tmp_path / "release")
    manifest = tmp_path / "release" / "release.json"
    told = json.loads(manifest.read_bytes())
    told["rounds"][0]["types"]["A"] += 1
    manifest.write_text(json.dumps(told))
    with pytest.raises(DataError, match=r"do not add up: round 1 has 2 counted as A, but 3 are stated"):
        statistics(FromRelease(tmp_path / "release"))
    history = tmp_path / "release" / "history.jsonl"
    history.write_bytes(history.read_bytes().replace(b"Is it red?", b"Is it blue"))
    with pytest.raises(DataError, match="has been changed"):
        statistics(FromRelease(tmp_path / "release"))


def test_nothing_to_count_is_reported(tmp_path):
    study = SmallStudy.make(tmp_path / "study")
    with pytest.raises(UsageError, match="nothing to count"):
        counted(study)
    study.close()


def test_a_study_without_verified_questions_has_statistics(tmp_path):
    study = SmallStudy.make(tmp_path / "study")
    study.attack(study.people[0], "Is it red?", verdict="correct")
    study.attack(study.people[0], "Is it round?")
    found = counted(study, Vocabulary(["yes"]))
    assert [row(found, "table1")[name] for name in ("questions", "verified")] == [1, 0]
    write_statistics(found, tmp_path / "stats")
    study.close()


def test_files_are_complete_safe_and_reproducible(worked, tmp_path):
    found = counted(worked)
    for folder in ("one", "two"):
        write_statistics(found, tmp_path / folder)
    names = sorted(path.name for path in (tmp_path / "one").iterdir())
    assert names == sorted(path.name for path in (tmp_path / "two").iterdir())
    for name in names:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()
    page = (tmp_path / "one" / "stats.html").read_text(encoding="utf-8")
    assert "<script" not in page
    assert not re.search(r'(src|href)="(?!#)', page)
    for number in range(4, 11):
        assert f"figure{number}.csv" in names
        drawing = ElementTree.parse(tmp_path / "one" / f"figure{number}.svg").getroot()
        assert drawing.find("{http://www.w3.org/2000/svg}title").text.startswith(f"Figure {number}")
        assert drawing.find("{http://www.w3.org/2000/svg}desc").text
    whole = json.loads((tmp_path / "one" / "stats.json").read_bytes())
    assert whole["tables"]["table1"]["rows"][0]["error_total"]["value"] == 0.5
    assert "Published figures" in page
    assert "R2 row does not add up" in page


def test_upper_bounds_are_those_of_the_official_evaluator():
    """Every candidate is scored by the evaluator; the bound is the best of them, oddities included."""
    vocabulary = ["2", "red", "Yes.", "the dog", "a"]
    cases = [
        ("Two",) * 10,
        ("2",) * 10,
        ("two", *["2"] * 9),
        ("a", "the", *["red"] * 8),
        ("dog", "the dog", "cat", "cat", "cat", "1", "2", "3", "4", "5"),
        ("yes", "Yes.", "no", "no", "no", "no", "no", "no", "no", "no"),
        ("no", "yes"),
    ]
    for answers in cases:
        question = Question(1, None, "?", answers)

        def official(candidate, question=question):
            return official_table([question], {1: candidate}).overall / 100

        assert best_accuracy(answers) == pytest.approx(max(map(official, answers))), answers
        closed = best_accuracy(answers, Vocabulary(vocabulary))
        assert closed == pytest.approx(max(map(official, vocabulary))), answers


def test_intervals_are_clustered_by_image():
    images = np.repeat(np.arange(20), 3)
    hits = images % 2 == 0
    every = np.ones(60, dtype=bool)
    together = share(hits, every, images)
    apart = share(hits, every, np.arange(60))
    assert together.value == apart.value == 0.5
    assert together.high - together.low > 1.5 * (apart.high - apart.low)  # an image is one sample
    assert not share(hits[:27], every[:27], images[:27]).has_interval  # nine images


def test_a_vocabulary_is_read_from_lines_and_json(tmp_path):
    lines, listed, broken = tmp_path / "v.txt", tmp_path / "v.json", tmp_path / "bad.json"
    lines.write_text("two\n\nred\n", encoding="utf-8")
    listed.write_text('["two", "red"]', encoding="utf-8")
    broken.write_text("[1, 2]", encoding="utf-8")
    assert len(read_vocabulary(lines)) == len(read_vocabulary(listed)) == 2
    assert read_vocabulary(lines).has_any(["2"])
    assert not read_vocabulary(lines).has_any(["blue"])
    with pytest.raises(DataError, match="one answer per line"):
        read_vocabulary(broken)


def test_bands_and_bins_of_ten_answers():
    """Seven of ten, three to six, two or fewer; the mean confidence of ten answers falls into tenths."""
    examples = []
    for key, (same, sure) in enumerate(((6, "yes"), (5, "yes"), (3, "no"), (2, "maybe"))):
        said = ["same"] * same + [f"other {n}" for n in range(9 - same)]
        if same == 6:
            said[-1] = "same"
        author, verifiers = Answer("mine", "mine", None), [Answer(one, one, sure) for one in said]
        about = (key, 1, key, "", key, 1, "Is it?", "E", False, None)
        examples.append(Example(*about, "wrong", 1.0, "m", "x", None, "VERIFIED", author, verifiers))
    facts = Facts(examples, replace(SMALL, verifiers_per_question=9))
    assert facts.largest.tolist() == [7, 5, 3, 2]
    assert agreement_bands(facts).tolist() == [0, 1, 1, 2]
    assert confidence_bins(facts).tolist() == [10, 10, 1, 5]


def test_first_words_are_counted_along_the_tree(worked):
    lines = {line.cells[1]: (line.cells[0], line.cells[2]) for line in counted(worked).sheet("figure4").lines}
    assert lines["is"] == (1, 4)
    assert lines["is it"] == (2, 3)
    assert lines["is it red"] == (3, 2)
    assert lines["how many dogs are"] == (4, 1)
    assert lines["script"] == (1, 1)


def test_the_folder_says_what_is_missing(tmp_path):
    with pytest.raises(DataError, match="no study here"), opened_source(Path(tmp_path)):
        pass
