"""Shards: parts of a run that several hosts ask, and the answers merged into one."""

from __future__ import annotations

import json

import pytest

from askew.cli import main

RUN = ["run", "--model", "constant:yes", "--data", "world:scenes=60", "--suite", "rad", "--quiet"]


def asked(folder):
    return json.loads((folder / "results.json").read_text())


def group_ids(folder):
    return [json.loads(line)["group"] for line in (folder / "groups.jsonl").read_text().splitlines()]


def test_shards_do_not_overlap_and_merge_into_the_whole(tmp_path, capsys):
    parts = [tmp_path / str(number) for number in (1, 2, 3)]
    for number, part in enumerate(parts, 1):
        assert main([*RUN, "--shard", f"{number}/3", "--output", str(part)]) == 0
        assert f"scores of shard {number}/3 only" in capsys.readouterr().out
    store, whole, direct = tmp_path / "all.sqlite", tmp_path / "whole", tmp_path / "direct"
    assert main(["merge", *map(str, parts), "--store", str(store)]) == 0
    assert "answers of 3 stores" in capsys.readouterr().out
    assert main([*RUN, "--store", str(store), "--output", str(whole)]) == 0
    assert main([*RUN, "--output", str(direct)]) == 0
    assert asked(whole)["time"]["asked"] == 0
    assert (whole / "samples.jsonl").read_bytes() == (direct / "samples.jsonl").read_bytes()
    assert asked(whole)["scores"] == asked(direct)["scores"]
    found = [group_ids(part) for part in parts]
    assert sorted(one for part in found for one in part) == sorted(group_ids(direct))
    assert all(found)
    assert sum(asked(part)["suites"][0]["groups"] for part in parts) == asked(direct)["suites"][0]["groups"]
    refusals = [sum(sum(test["refused"].values()) for test in asked(run)["suites"][0]["coverage"]) for run in parts]
    whole_refusals = sum(sum(test["refused"].values()) for test in asked(direct)["suites"][0]["coverage"])
    assert sum(refusals) == whole_refusals
    assert asked(parts[0])["data"]["name"].endswith("shard 1/3")

    assert main([*RUN, "--shard", "2/3", "--output", str(parts[0])]) == 2  # another part's folder
    assert "shard" in capsys.readouterr().err


def test_a_limit_counts_groups_of_the_whole_run(tmp_path):
    limited = [*RUN, "--limit", "6", "--output"]
    main([*limited, str(tmp_path / "whole")])
    for number in (1, 2):
        main([*limited, str(tmp_path / str(number)), "--shard", f"{number}/2"])
    found = group_ids(tmp_path / "1") + group_ids(tmp_path / "2")
    assert sorted(found) == sorted(group_ids(tmp_path / "whole"))
    assert len(found) == 6


@pytest.mark.parametrize("shard", ["0/2", "3/2", "1", "a/b", "1/0", "-1/2", "1/2/3", "1/" + "9" * 30])
def test_a_wrong_shard_is_refused(shard, tmp_path, capsys):
    assert main([*RUN, f"--shard={shard}", "--output", str(tmp_path / "run")]) == 2
    assert "3/16" in capsys.readouterr().err


def test_an_empty_shard_is_reported(tmp_path, capsys):
    codes = [main([*RUN, "--limit", "1", "--shard", f"{n}/2", "--output", str(tmp_path / str(n))]) for n in (1, 2)]
    assert sorted(codes) == [0, 2]
    assert "fewer shards" in capsys.readouterr().err


def test_merging_keeps_the_first_of_two_answers_and_counts_differences(tmp_path, capsys):
    from askew.engine.store import Store
    from askew.types import Prediction

    key, other = bytes(32), bytes([1] * 32)
    for name, answers in (("a", {key: "red"}), ("b", {key: "blue", other: "two"})):
        with Store(tmp_path / name / "answers.sqlite") as store:
            store.put((k, Prediction(0, said)) for k, said in answers.items())
    target = tmp_path / "all.sqlite"
    assert main(["merge", str(tmp_path / "a"), str(tmp_path / "b" / "answers.sqlite"), "--store", str(target)]) == 0
    said = capsys.readouterr().out
    assert "2 answers of 2 stores" in said
    assert "1 request has different answers" in said
    with Store(target) as store:
        assert {k: p.answer for k, p in store.get({key: 1, other: 2}).items()} == {key: "red", other: "two"}
    assert main(["merge", str(tmp_path / "c"), "--store", str(target)]) == 2
    assert main(["merge", str(target), "--store", str(target)]) == 2
    assert "new file" in capsys.readouterr().err
