"""SugarCrepe and Winoground as two-choice questions in both orders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import askew
from askew.data.benchmarks.sugarcrepe import SIZES, SugarCrepe
from askew.data.benchmarks.winoground import Winoground
from askew.data.open_path import open_path
from askew.errors import BadRecord, DataError
from askew.types import Expect, Prediction

CREPE = {
    "swap_att": {"0": ("a red cat and a white dog", "a white cat and a red dog"), "4": ("a tall man", "a short man")},
    "add_obj": {"0": ("a cat", "a cat and a mouse")},
}
WINO = [
    {"id": 0, "image_0": "ex_0_img_0", "image_1": "ex_0_img_1", "caption_0": "some plants surrounding a lightbulb",
     "caption_1": "a lightbulb surrounding some plants", "tag": "Adj", "collapsed_tag": "Object", "num_main_preds": 1},
    {"id": 1, "image_0": "ex_1_img_0", "image_1": "ex_1_img_1", "caption_0": "an old person kisses a young person",
     "caption_1": "a young person kisses an old person", "tag": "Adj", "collapsed_tag": "Relation"},
]  # fmt: skip


def write_crepe(folder: Path, **change) -> Path:
    folder.mkdir()
    for stem, items in CREPE.items():
        records = {key: {"filename": f"00000000000{key}.jpg", "caption": right, "negative_caption": wrong}
                   for key, (right, wrong) in items.items()}  # fmt: skip
        records["0"] |= change if stem == "swap_att" else {}
        (folder / f"{stem}.json").write_text(json.dumps(records))
    return folder


def write_wino(folder: Path, **change) -> Path:
    folder.mkdir()
    (folder / "examples.jsonl").write_text(json.dumps(WINO[0]) + "\n" + json.dumps(WINO[1] | change) + "\n")
    return folder


def test_sugarcrepe_asks_in_both_orders(tmp_path):
    data = open_path(write_crepe(tmp_path / "crepe"), skip_bad=True)
    assert isinstance(data, SugarCrepe)
    groups = list(data.groups())
    assert [(g.id, g.variants[0].test, g.variants[0].expect) for g in groups] == [
        ("add_obj/0", "add_obj", Expect.SAME), ("swap_att/0", "swap_att", Expect.SAME),
        ("swap_att/4", "swap_att", Expect.SAME),
    ]  # fmt: skip
    first, second = groups[2].original, groups[2].variants[0].question
    assert first.choices == second.choices[::-1] == CREPE["swap_att"]["4"]
    assert first.answers == second.answers == ("a tall man",)
    assert data.remarks == [
        "SugarCrepe: these files are not here: add_att.json, replace_att.json, replace_obj.json, replace_rel.json, "
        "swap_obj.json.",
        "SugarCrepe: 1 of 2,062 expected captions in add_obj.json.",
        "SugarCrepe: 2 of 666 expected captions in swap_att.json.",
    ]
    sizes = [size if isinstance(size, tuple) else (size, size) for size in SIZES.values()]
    assert [sum(edition) for edition in zip(*sizes, strict=True)] == [7511, 7512]
    (tmp_path / "swap_obj.json").write_text(
        json.dumps({"0": {"filename": "0.jpg", "caption": "a b", "negative_caption": "b a"}})
    )
    with pytest.raises(DataError, match=r"1 of 245 or 246 expected captions in swap_obj\.json"):
        list(SugarCrepe(str(tmp_path / "swap_obj.json")).groups())
    assert len(list(open_path(tmp_path / "crepe" / "swap_att.json", skip_bad=True).groups())) == 2


def test_winoground_asks_about_both_images(tmp_path):
    data = open_path(write_wino(tmp_path / "wino"), skip_bad=True)
    assert isinstance(data, Winoground)
    group, _ = data.groups()
    members = [group.original, *(v.question for v in group.variants)]
    assert [(q.image.id[-1], q.answers[0][:4], q.choices[0][:4]) for q in members] == [
        ("0", "some", "some"), ("0", "some", "a li"), ("1", "a li", "some"), ("1", "a li", "a li"),
    ]  # fmt: skip
    assert data.remarks == ["Winoground: 2 of 400 expected examples."]
    group, _ = Winoground(str(tmp_path / "wino"), skip_bad=True, form="yes-no").groups()
    members = [group.original, *(v.question for v in group.variants)]
    assert [(q.image.id[-1], q.answers[0]) for q in members] == [("0", "yes"), ("0", "no"), ("1", "no"), ("1", "yes")]
    assert members[1].text == 'Does this caption fit the image: "a lightbulb surrounding some plants"?'


def test_faults_are_named_and_can_be_skipped(tmp_path):
    folder = str(write_crepe(tmp_path / "crepe", negative_caption="a red cat and a white dog"))
    with pytest.raises(BadRecord, match="two of 'choices' are 'a red cat and a white dog'"):
        list(SugarCrepe(folder).groups())
    assert len(list(SugarCrepe(folder, skip_bad=True).groups())) == 2
    with pytest.raises(DataError, match=r"1 of 2,062 expected captions in add_obj.json"):
        list(SugarCrepe(str(tmp_path / "crepe" / "add_obj.json")).groups())
    folder = str(write_wino(tmp_path / "wino", id=0))
    with pytest.raises(BadRecord, match="the id 0 occurs twice"):
        list(Winoground(folder).groups())
    assert len(list(Winoground(folder, skip_bad=True).groups())) == 1
    (tmp_path / "wino" / "ex_0_img_0.png").touch()
    with pytest.raises(DataError, match=r"image file ex_0_img_1.png is neither in"):
        list(Winoground(folder).groups())
    (tmp_path / "empty").mkdir()
    for reader, wanted in ((SugarCrepe, "Put add_att.json"), (Winoground, "Put examples.jsonl")):
        with pytest.raises(DataError, match=wanted):
            reader(str(tmp_path / "empty"))
        with pytest.raises(DataError, match="this is not a file of"):
            reader(__file__)


class SaysFirst:
    """Names the first option, except about the lightbulb and the cat, where it reads the captions."""

    blind = True

    def answer(self, questions):
        known = ("some plants surrounding a lightbulb", "a cat")
        return [Prediction(q.id, next((k for k in known if f". {k}\n" in q.text), "A")) for q in questions]


def test_the_figures_by_hand(tmp_path):
    """Both orders, as the repository's runs of GPT-4V ask; all four questions of an example."""
    result = askew.evaluate(SaysFirst(), f"sugarcrepe:{write_crepe(tmp_path / 'crepe')},skip_bad=true", "sugarcrepe")
    # "A" is right in one of the two orders: of 3 pairs only the cat's is right in both
    assert result.score("both").value == pytest.approx(1 / 3)
    assert result.score("both", "test=swap_att").value == 0
    assert result.score("accuracy.members").value == pytest.approx(4 / 6)
    assert (result.score("option.A").value, result.score("option.B").value) == (1, pytest.approx(1 / 3))
    result = askew.evaluate(SaysFirst(), f"winoground:{write_wino(tmp_path / 'wino')},skip_bad=true", "winoground")
    # the first example: always the first caption, right for one image; the second: A, right in half of the questions
    assert result.score("accuracy.members").value == pytest.approx(4 / 8)
    assert result.score("image").value == pytest.approx(1 / 4)
    assert result.score("group").value == 0


def test_the_root_of_the_repository_of_sugarcrepe_is_its_folder_data(tmp_path):
    record = {"filename": "1.jpg", "caption": "a red car", "negative_caption": "a blue car"}
    for folder in ("data_unrefined", "data"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "swap_att.json").write_text(json.dumps({"0": record}))
    data = open_path(tmp_path, skip_bad=True)
    assert data.files() == [str(tmp_path / "data" / "swap_att.json")]
    (tmp_path / "data").rename(tmp_path / "other")
    with pytest.raises(DataError, match=r"are in 2 folders: .*data_unrefined, .*other\. Give one of them"):
        open_path(tmp_path)
