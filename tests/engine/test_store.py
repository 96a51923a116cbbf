"""The answer store: damaged rows are never read as answers, and intact ones can be recovered."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from random import Random

import pytest

from askew.cli import main as askew_main
from askew.engine.store import Store, framed, key_of
from askew.engine.store_files import intact_rows, recover
from askew.errors import DataError, RunError
from askew.types import Prediction

COUNT = 120


def answers() -> dict[bytes, Prediction]:
    """Short answers, and a few that run over several pages."""
    rng = Random(7)
    said = {}
    for number in range(COUNT):
        text = f"answer {number}" if number % 12 else "".join(rng.choices("abc xyz\u00e9\u2603", k=9000 + number))
        score = (None, 0.5, 1.0, float("nan"), -0.0)[number % 5]
        said[key_of(framed("m"), "i", str(number))] = Prediction(
            number, text, score, None, 1 + number % 3, number / 7, tokens=(number, 2)
        )
    return said


def write_store(path: Path) -> dict[bytes, Prediction]:
    said = answers()
    with Store(path) as store:
        store.put(said.items())
    return said


def read_store(path: Path, said: dict[bytes, Prediction]) -> dict[bytes, Prediction]:
    with Store(path) as store:
        store.known(list(said))
        return store.get({key: one.question_id for key, one in said.items()})


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[bytes, Prediction]]:
    """The bytes of a store, and the answers read from it."""
    path = tmp_path_factory.mktemp("store") / "answers.sqlite"
    said = read_store(path, write_store(path))
    assert len(said) == COUNT
    return path.read_bytes(), said


def damaged(content: bytes, rng: Random) -> bytes:
    """One bit or byte changed, a few bytes of zeros, or the end cut off."""
    place = rng.randrange(len(content))
    kind = rng.randrange(5)
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content[:place] + bytes(min(64, len(content) - place)) + content[place + 64 :]
    byte = content[place] ^ (1 << rng.randrange(8)) if kind < 4 else rng.randrange(256)
    return content[:place] + bytes([byte]) + content[place + 1 :]


def test_damage_is_an_error_or_a_missing_answer_and_never_another_answer(tmp_path, whole):
    content, said = whole
    rng, refused, kept = Random(0), 0, 0
    for number in range(100):
        path = tmp_path / f"{number}.sqlite"
        path.write_bytes(damaged(content, rng))
        trouble = ""
        try:
            assert read_store(path, said).items() <= said.items()
        except RunError as error:
            trouble = str(error)
            refused += 1
        assert not trouble or ("askew recover" in trouble and "\n" not in trouble and len(trouble) < 1000)
        rows = intact_rows(path).rows
        kept += len(rows)
        assert rows.keys() <= said.keys()
        if number % 10 == 0:
            recover(path)
            assert read_store(path, said) == {key: one for key, one in said.items() if key in rows}
    assert refused > 6
    assert kept > 0.8 * 100 * COUNT  # most of it is cut off in one case of ten


def test_one_flipped_bit_in_an_answer_is_found(tmp_path, whole):
    content, said = whole
    path = tmp_path / "answers.sqlite"
    path.write_bytes(content.replace(b"answer 7", b"answer 6", 1))
    with pytest.raises(RunError, match="an answer is not the one that was written"):
        read_store(path, said)
    found, aside = recover(path)
    assert (len(found.rows), len(found.damaged), found.unread) == (COUNT - 1, 1, 0)
    assert aside.name == "answers.sqlite.damaged"


def test_answers_that_are_only_in_the_log_are_recovered(tmp_path):
    path = tmp_path / "answers.sqlite"
    said = answers()
    with Store(path) as store:
        store.put(said.items())
        for end in ("", "-wal"):
            (tmp_path / f"copy{end}").write_bytes((tmp_path / f"answers.sqlite{end}").read_bytes())
    (tmp_path / "copy").write_bytes(b"broken header" + (tmp_path / "copy").read_bytes()[13:])
    assert intact_rows(tmp_path / "copy").rows.keys() == said.keys()
    _, aside = recover(tmp_path / "copy")
    assert Path(f"{aside}-wal").exists()
    assert len(read_store(tmp_path / "copy", said)) == COUNT


def test_a_store_with_other_columns_is_refused(tmp_path):
    path = tmp_path / "answers.sqlite"
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE answers (key BLOB PRIMARY KEY, answer TEXT NOT NULL)")
    db.close()
    with pytest.raises(RunError, match="a database without askew's table 'answers'"):
        Store(path)


def pages(content: bytes) -> list[bytes]:
    return [content[place : place + 4096] for place in range(0, len(content), 4096)]


def test_rows_beside_damaged_pages_are_kept_and_the_others_reported(tmp_path, capsys):
    """Two pages of a store of many rows are damaged, then all after the first quarter: SQLite reads what it reaches."""
    path = tmp_path / "answers.sqlite"
    said = {key_of(framed("m"), "i", str(n)): Prediction(n, f"answer {n}") for n in range(4000)}
    with Store(path) as store:
        store.put(said.items())
    whole = pages(path.read_bytes())
    leaves = [number for number, page in enumerate(whole) if page[0] == 10]
    for number in (leaves[5], leaves[30]):
        whole[number] = bytes(4096)
    path.write_bytes(b"".join(whole))
    assert askew_main(["recover", str(path)]) == 0
    first, second, *_ = capsys.readouterr().out.splitlines()
    kept = int(first.split()[0].replace(",", ""))
    assert 4000 - 2 * 80 < kept < 4000
    assert first.endswith("answers are intact and kept; left out: 0 damaged rows.")
    about = int(second.split("about ")[1].split()[0])
    assert abs(about - (4000 - kept)) < 60
    assert len(read_store(path, said)) == kept
    path.write_bytes(b"".join(whole[: len(whole) // 4]))
    found, _ = recover(path)
    assert found.unread > 0
    assert "page" in found.trouble


def test_a_damaged_first_page_is_replaced(tmp_path, whole):
    path = tmp_path / "answers.sqlite"
    path.write_bytes(bytes(4096) + whole[0][4096:])
    found, _ = recover(path)
    assert (len(found.rows), found.unread) == (COUNT, 0)


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("CREATE TABLE bookmarks (id INTEGER)", "without askew's table 'answers'"),
        ("CREATE TABLE answers (key BLOB PRIMARY KEY, reply TEXT)", "without askew's table 'answers'"),
    ],
)
def test_a_store_of_another_schema_is_refused_and_left_as_it_is(tmp_path, sql, words):
    path = tmp_path / "answers.sqlite"
    with sqlite3.connect(path) as db:
        db.execute(sql)
    db.close()
    with pytest.raises(RunError, match=words):
        Store(path)
    with sqlite3.connect(path) as db:
        assert db.execute("SELECT sql FROM sqlite_master WHERE type = 'table'").fetchall() == [(sql,)]
    db.close()


def test_the_remedy_works(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    lines = [f'{{"id": {n}, "image": "{n}", "question": "Is it {n}?", "answer": "no"}}\n' for n in range(30)]
    Path("q.jsonl").write_text("".join(lines))
    words = ["run", "--model", "constant:no", "--data", "q.jsonl", "--suite", "accuracy", "--output", "run", "--quiet"]
    assert askew_main(words) == 0
    store = Path("run/answers.sqlite")
    store.write_bytes(store.read_bytes().replace(b"no", b"on", 3))
    assert askew_main(words) == 2
    said = capsys.readouterr().err.strip()
    assert said.count("\n") == 0
    assert said.endswith("askew recover run/answers.sqlite")
    assert askew_main(said.rpartition(": askew ")[2].split()) == 0
    assert "left out: 3 damaged rows" in capsys.readouterr().out
    assert askew_main(words) == 0
    with pytest.raises(DataError, match="no such file"):
        recover(tmp_path / "nowhere")


def test_answers_are_looked_up_in_an_earlier_store_that_stays_as_it_is(tmp_path):
    with Store(tmp_path / "earlier.sqlite") as earlier:
        earlier.put([(bytes([n]) * 32, Prediction(n, f"earlier {n}")) for n in (1, 2)])
    keys = {bytes([n]) * 32: n for n in range(4)}
    with Store(tmp_path / "own.sqlite", tmp_path / "earlier.sqlite") as store:
        store.put([(bytes([n]) * 32, Prediction(n, f"own {n}")) for n in (2, 3)])
        assert sorted(said.answer for said in store.get(keys).values()) == ["earlier 1", "own 2", "own 3"]
        assert len(store.known([*keys] * 300)) == 3
        assert len(store) == 2
    with Store(tmp_path / "earlier.sqlite", tmp_path / "earlier.sqlite") as earlier:
        assert len(earlier) == len(earlier.known(list(keys))) == 2
