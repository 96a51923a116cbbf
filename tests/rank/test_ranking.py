"""Ranking many texts: each once, stored immediately, the same for any number of processes."""

import sqlite3
from dataclasses import replace

import pytest

import askew.rank.ranking as ranking_module
from askew.engine.executors import LocalExecutor
from askew.errors import DataError
from askew.rank.ranking import QuestionPool, Ranking, RankingStore, ranking_path
from word_ranker import Words

pytestmark = pytest.mark.usefixtures("_own_cache")

POOL = QuestionPool.of([f"Is the {color} {thing} old?" for color in ("red", "blue") for thing in ("car", "cat", "cup")])
TEXTS = ["Is the red car new?", "Why?", "Is the red car old?", "Is the red car new?"]


@pytest.fixture
def log(tmp_path):
    return tmp_path / "log.txt"


def ranking(log, **options):
    return Ranking("words", Words(str(log)), POOL, "cars", top=3, **options)


def ranked(log):
    return [int(count) for count in log.read_text().split()] if log.exists() else []


def test_each_distinct_text_is_ranked_once_and_found_again(log):
    with ranking(log) as first:
        found = first.nearest(TEXTS)
    assert list(found) == ["Is the red car new?", "Why?", "Is the red car old?"]
    # of 5 words 4 are shared with "Is the red car old?" (6 in all), 3 with the red cat and cup and the blue car (7)
    assert found["Is the red car new?"].questions == POOL.texts[:3]
    assert found["Is the red car new?"].scores == pytest.approx((4 / 6, 3 / 7, 3 / 7))
    assert "Is the red car old?" not in found["Is the red car old?"].questions
    assert ranked(log) == [3]
    with ranking(log) as second:
        assert second.missing(["Why?", "New?"]) == 1
        assert second.nearest([*TEXTS, "New?"])["Why?"] == found["Why?"]
    assert ranked(log) == [3, 1], "only what is new is ranked"


def test_other_pools_rankers_and_numbers_are_kept_apart(log):
    one = ranking(log)
    others = [
        replace(one, pool=QuestionPool.of(POOL.texts[1:])),
        replace(one, ranker=Other()),
        replace(one, top=6),
        replace(one, kind="yesno"),
    ]
    assert len({each.signature for each in (one, *others)}) == 5
    assert replace(one, executor=LocalExecutor(3)).signature == one.signature


def test_processes_give_the_same(log, tmp_path, monkeypatch):
    monkeypatch.setattr(ranking_module, "BATCH", 2)
    texts = [f"Is the {n} car old?" for n in range(9)]
    reported = []
    with ranking(log, on_ranked=reported.append) as alone:
        expected = alone.nearest(texts)
    assert reported == [2, 2, 2, 2, 1]
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "other"))
    with LocalExecutor(2) as two, ranking(log, executor=two) as together:
        found = together.nearest(texts)
    assert list(found.items()) == list(expected.items())
    assert len(ranked(log)) == 10


def test_stored_batches_survive_a_ranker_that_dies(log, monkeypatch):
    monkeypatch.setattr(ranking_module, "BATCH", 2)
    with pytest.raises(RuntimeError), Ranking("dies", Dies(), POOL, top=3) as dying:
        dying.nearest(["a?", "b?", "c?", "poison?"])
    kept = RankingStore(ranking_path(dying.signature))
    assert sorted(kept.nearest(["a?", "b?", "c?", "poison?"])) == ["a?", "b?"]
    assert kept.header["pool"]["questions"] == 6
    kept.close()


def test_a_damaged_file_is_reported_with_the_remedy(log):
    path = ranking_path(ranking(log).signature)
    path.parent.mkdir(parents=True)
    path.write_bytes(b"this is no database, and long enough to be one" * 100)
    with pytest.raises(DataError, match="Delete the file"):
        ranking(log).nearest(["Why?"])
    path.unlink()
    with ranking(log) as fresh:
        fresh.nearest(["Why?"])
    database = sqlite3.connect(path)
    database.execute("UPDATE ranked SET record = '{'")
    database.commit()
    database.close()
    with pytest.raises(DataError, match="Delete the file"), ranking(log) as spoilt:
        spoilt.nearest(["Why?"])


class Other(Words):
    def __repr__(self):
        return "Other()"


class Dies(Words):
    def fit(self, pool):
        fitted = Words().fit(pool)

        class Fitted:
            def top(self, texts, k):
                if "poison?" in texts:
                    raise RuntimeError("power cut")
                return fitted.top(texts, k)

        return Fitted()


@pytest.fixture
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))
