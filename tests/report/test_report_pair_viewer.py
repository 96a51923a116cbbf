from __future__ import annotations

from collections import Counter
from pathlib import Path

import orjson
import pytest
from fake_runs import make_run, save_rows
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from askew.metrics.pairs import BROKE
from askew.report.load import load_run
from askew.report.markup import LONGEST, Thumbnails
from askew.report.pair_table import read_pairs
from askew.report.pair_viewer import choose, draw_pairs, word_diff


@pytest.fixture
def runs(tmp_path: Path) -> list:
    suites = ("rad", "carets")
    return [load_run(make_run(tmp_path / m, m, suites, groups=150, skill=s)) for m, s in (("a", 0.5), ("b", 0.9))]


def test_the_sample_is_the_same_whatever_the_order_of_the_lines(runs: list) -> None:
    def keys() -> list[str]:
        table = read_pairs(runs)
        return [pair["key"] for pair in draw_pairs(table, choose(table, 60), Thumbnails())]

    first = keys()
    for run in runs:
        lines = run.samples.read_bytes().splitlines(keepends=True)
        run.samples.write_bytes(b"".join(reversed(lines)))
        save_rows(run.folder, [orjson.loads(line) for line in reversed(lines)])
    runs = [load_run(run.folder) for run in runs]
    assert sorted(keys()) == sorted(first)
    assert len(set(first)) == 60


def test_every_suite_test_and_rule_is_in_the_sample(runs: list) -> None:
    table = read_pairs(runs)
    sample = list(draw_pairs(table, choose(table, 60), Thumbnails()))
    counts = Counter(pair["test"] for pair in sample)
    assert set(counts) == {"Y/N←C", "Y/N←HM", "Y/N←WK", "Rephrasing", "Symmetry", "Negation", "Antonym", "Visual"}
    assert counts["Y/N←C"] == counts["Y/N←HM"] == 10
    assert Counter(pair["suite"] for pair in sample) == {"rad": 30, "carets": 30}


def test_wanted_pairs_come_first_and_once(runs: list) -> None:
    table = read_pairs(runs)
    chosen = choose(table, 20, [7, 3, 7])
    assert chosen[:2] == [7, 3]
    assert len(set(chosen)) == 20


def test_a_pattern_with_a_break_comes_first(runs: list) -> None:
    table = read_pairs(runs)
    assert all(any(codes[pair] == BROKE for codes in table.codes) for pair in choose(table, 2))


def test_a_small_run_shows_all_its_pairs(runs: list) -> None:
    table = read_pairs(runs)
    assert sorted(choose(table, 1000)) == list(range(300))


def test_a_pair_has_the_answers_of_all_models(runs: list) -> None:
    table = read_pairs(runs)
    pair = next(p for p in draw_pairs(table, choose(table, 300), Thumbnails()) if p["key"] == "rad:0")
    lines = [next(record for _, record in run.outcomes() if record["group"] == 0) for run in runs]
    assert [m["old"].get("answer") for m in pair["models"]] == [
        r["original"]["prediction"].get("answer") for r in lines
    ]
    assert "".join(text for text, _ in pair["new"]["text"]) == lines[0]["variants"][0]["question"]
    assert sum(n for _, n in pair["old"]["people"]) == 10


def test_boxes_are_fractions_of_the_image(runs: list) -> None:
    table = read_pairs(runs)
    pair = next(p for p in draw_pairs(table, choose(table, 300), Thumbnails()) if p["test"] == "Visual")
    assert pair["boxes"][1] == [80 / 320, 110 / 240, 50 / 320, 50 / 240, ""]
    assert len(pair["images"]) == 2


def test_images_are_small_shared_and_within_the_budget(tmp_path: Path) -> None:
    Image.new("RGBA", (1000, 500), (255, 0, 0, 0)).save(tmp_path / "wide.png")
    album = Thumbnails(budget=3000)
    assert album.add({"path": "wide.png", "sha256": "1"}, tmp_path.joinpath) == 0
    assert album.add({"path": "elsewhere.png", "sha256": "1"}, tmp_path.joinpath) == 0
    assert album.sizes == [(1000, 500)]
    import base64
    import io

    with Image.open(io.BytesIO(base64.b64decode(album.images[0]))) as image:
        assert image.size == (LONGEST, LONGEST // 2)
        assert min(image.getpixel((5, 5))) > 240
    album.budget = 10
    Image.effect_noise((300, 300), 90).save(tmp_path / "noise.png")
    assert album.add({"path": str(tmp_path / "noise.png")}, tmp_path.joinpath) is None
    assert (album.left_out, album.unreadable) == (1, 0)


@pytest.mark.parametrize("content", [b"", b"not an image", b"\xff\xd8\xff\xe0 cut off", None])
def test_a_broken_image_is_left_out(tmp_path: Path, content: bytes | None) -> None:
    if content is not None:
        (tmp_path / "x.jpg").write_bytes(content)
    album = Thumbnails()
    assert album.add({"path": "x.jpg"}, tmp_path.joinpath) is None
    assert album.add({}, tmp_path.joinpath) is None
    assert album.unreadable == 1


@given(st.text(max_size=40), st.text(max_size=40))
def test_the_pieces_of_a_diff_are_the_text(old: str, new: str) -> None:
    left, right = word_diff(old, new)
    assert "".join(text for text, _ in left) == old.rstrip()
    assert "".join(text for text, _ in right) == new.rstrip()


def test_equal_texts_have_no_marks() -> None:
    assert word_diff("Is it red?", "is it red?") == ([("Is it red?", False)], [("is it red?", False)])
