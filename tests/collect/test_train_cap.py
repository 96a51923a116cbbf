"""The cap on an author's share of train: met where possible, reported where not."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import replace
from random import Random

from small_study import SMALL, SmallStudy

from askew.cli import main
from askew.collect.freeze import KEPT_PERCENT, freeze, most_of_one_author, over_cap
from askew.collect.release import release
from askew.collect.rounds import change_round


def test_the_cap_is_met_or_not_applied():
    """One more question of any author would exceed it."""
    rng = Random(1)
    met = 0
    for _ in range(300):
        counts = {author: rng.randrange(1, rng.choice((4, 40))) for author in range(rng.randrange(1, 60))}
        percent = rng.choice((2, 5, 20, 100))
        total, most = sum(counts.values()), most_of_one_author(counts, percent)
        kept = {most: sum(min(count, most or 0) for count in counts.values()) for most in range(1, 42)}
        possible = [n for n in kept if 100 * n <= percent * kept[n] and n <= max(counts.values())]
        if most is None:
            assert not possible or 100 * kept[max(possible)] < KEPT_PERCENT * total
        else:
            met += 1
            assert most == max(possible)
    assert met > 50


def test_verified_errors_of_the_robot_are_kept_before_unverified_ones():
    train = {key: (key % 10, "E") for key in range(100)} | {key: (1, "ACE"[key % 3]) for key in range(100, 130)}
    out = over_cap(train, 10)
    kept = Counter(train[key][0] for key in train if key not in out)
    assert set(kept.values()) == {10}
    assert out == set(range(100, 130))  # the author's ten earlier ones are of type E
    later = dict.fromkeys(range(10), (1, "A")) | {key: (key % 10, "E") for key in range(10, 110)}
    assert over_cap(later, 10) == set(range(10))


def _frozen(tmp_path, url, percent):
    """Three authors of whom the first wrote most, all for training images."""
    settings = replace(SMALL, train_author_percent=percent, train_share=98, dev_share=1, test_share=1)
    study = SmallStudy.make(tmp_path / "study", url, settings, images=12, people=6)
    for number in range(12):
        study.attack(study.people[0 if number < 6 else 1 + number % 2], f"Is it number {number}?")
    study.verify_all()
    study.do(change_round, study.round_id, "DRAINING")
    found = study.do(freeze, study.round_id, 1)
    manifest = release(study.study, tmp_path / "release")
    study.check()
    study.close()
    return found, manifest["rounds"][0], (tmp_path / "release" / "datasheet.md").read_text()


def test_a_release_leaves_out_what_is_over_the_cap_and_counts_it(tmp_path, database_url):
    found, facts, sheet = _frozen(tmp_path, database_url, 40)
    train = [key for key, split in found.splits.items() if split == "train"]
    assert found.over_cap
    assert max(found.over_cap) <= 6  # only the first author's, who wrote questions 1 to 6
    assert facts["train_over_cap"] == len(found.over_cap)
    assert facts["splits"]["train"] == len(train)
    assert facts["train_largest_author_percent"] <= 40
    assert f"{len(found.over_cap)} questions were left out of train by the cap of 40 %" in sheet


def test_a_cap_that_cannot_be_met_is_not_applied_and_the_datasheet_says_so(tmp_path):
    found, facts, sheet = _frozen(tmp_path, None, 5)
    assert not found.over_cap
    assert facts["train_over_cap"] == 0
    assert "The cap is 5 %; too few people wrote to meet it, and it was not applied." in sheet


def test_statistics_know_that_the_cap_leaves_out_verified_examples(tmp_path, capsys):
    found, _, _ = _frozen(tmp_path, None, 34)
    assert {found.types[key] for key in found.over_cap} == {"E"}
    assert main(["collect", "stats", str(tmp_path / "release"), "--output", str(tmp_path / "stats")]) == 0
    assert _asked_twice(tmp_path / "stats") == [0]


def test_statistics_count_the_later_of_equal_questions_in_dev_and_test(tmp_path):
    settings = replace(SMALL, writers_per_image=2, train_share=1, dev_share=49, test_share=50)
    study = SmallStudy.make(tmp_path / "study", None, settings, images=2, people=8)
    for person in study.people[:4]:
        study.attack(person, "Is it red?")
    study.verify_all()
    study.do(change_round, study.round_id, "DRAINING")
    found = study.do(freeze, study.round_id, 1)
    study.close()
    asked_again = [key for key, kind in found.types.items() if kind == "E" and key not in found.splits]
    assert asked_again
    assert main(["collect", "stats", str(tmp_path / "study"), "--output", str(tmp_path / "stats")]) == 0
    assert _asked_twice(tmp_path / "stats") == [len(asked_again)]


def _asked_twice(folder):
    with open(folder / "sessions.csv", encoding="utf-8", newline="") as file:
        return [int(row["same"]) for row in csv.DictReader(file)]
