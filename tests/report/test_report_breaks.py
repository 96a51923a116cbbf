from __future__ import annotations

from pathlib import Path

import orjson
import pytest
from fake_runs import make_run, save_rows

from askew.report.breaks import examples, find_breaks
from askew.report.load import Run, load_run
from askew.report.pair_table import ABSENT, Trait, read_pairs


def write(folder: Path, records: list[dict], model: str = "m") -> Run:
    folder.mkdir(parents=True, exist_ok=True)
    suite = {"name": "s", "accuracy": "official", "groups": len(records)}
    results = {"format": 2, "model": {"name": model}, "data": {"name": "d"}, "suites": [suite], "scores": []}
    results["failures"] = {}
    (folder / "results.json").write_bytes(orjson.dumps(results))
    (folder / "samples.jsonl").write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in records))
    save_rows(folder, records)
    return load_run(folder)


def pair(
    group: int, question: str, before: bool | None, after: bool | None, rule: str = "r", changed: str = "X?"
) -> dict:
    def answered(right: bool | None) -> dict:
        return {"prediction": {} if right is None else {"answer": str(right)}, "right": right, "accuracy": right}

    original = {"id": group, "question": question, "answers": ["a"], "question_type": question[:3], **answered(before)}
    variant = {
        "id": f"{group}/v",
        "question": changed,
        "expect": "same",
        "test": "t",
        "made_by": rule,
        **answered(after),
    }
    return {"group": group, "suite": "s", "original": original, "variants": [variant]}


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Sixty "How" and sixty "Who": of those answered correctly before, 40 of 50 How and 10 of 50 Who break."""
    records = []
    for i in range(60):
        records.append(pair(i, "How big?", i < 50, i >= 40, "rule-how"))
        records.append(pair(100 + i, "Who came?", i < 50, i >= 10, "rule-who"))
    return write(tmp_path / "run", records)


def test_breaks_are_the_rest_of_what_is_still_correct(run: Run) -> None:
    (found,) = find_breaks([run])
    assert (found.broken.value, found.broken.n) == (0.5, 100)
    assert found.broken.low == pytest.approx(1 - run.still_correct("s").high)
    worst = found.worst
    assert worst is not None
    assert (worst.trait.value, worst.broken.value, worst.broken.n, worst.rest) == ("How", 0.8, 50, 0.2)
    assert worst.broken.low < 0.7 < 0.8 < worst.broken.high
    assert worst.p < 0.001


def test_traits_of_the_same_pairs_are_one_finding(run: Run) -> None:
    (found,) = find_breaks([run])
    assert {trait.value for trait in found.findings[0].also} == {"rule-how", "how", "big"}
    assert [finding.trait.value for finding in found.findings] == ["How", "Who"]


def test_traits_with_equal_counts_but_other_pairs_stay_apart(tmp_path: Path) -> None:
    records = []
    for i in range(120):
        question = "How big?" if i < 40 else "Who came?" if i < 80 else "Why not?"
        records.append(pair(i, question, True, i % 2 == 0))
    (found,) = find_breaks([write(tmp_path / "run", records)])
    assert {f.trait.value for f in found.findings} == {"How", "Who", "Why"}


def test_few_questions_and_chance_differences_are_no_finding(run: Run) -> None:
    assert find_breaks([run], least=51)[0].findings == ()
    assert not [f for f in find_breaks([run])[0].findings if f.hurts and f.trait.value == "Who"]


def test_three_questions_with_seven_noise_levels_are_three_questions_and_no_finding(tmp_path: Path) -> None:
    """21 of 21 pairs broke, and p was 0.002."""
    records = [pair(i, "Who came?", True, i >= 2) for i in range(40)] + [
        pair(i, "How big?", True, False) for i in (97, 98, 99)
    ]
    for record in records:
        record["variants"] = [
            {**record["variants"][0], "id": f"{record['group']}/{n}", "level": n} for n in range(1, 8)
        ]
    (found,) = find_breaks([write(tmp_path / "run", records)])
    assert (found.broken.n, found.broken.value) == (43, pytest.approx(5 / 43))
    assert not [f for f in found.findings if f.trait.value == "How"]


@pytest.mark.parametrize("images", [9, 30])
def test_questions_about_few_images_are_no_finding(tmp_path: Path, images: int) -> None:
    """All thirty questions of nine images, or of thirty."""
    records = [pair(i, "Who came?", True, i >= 10) for i in range(100)]
    for i in range(30):
        record = pair(200 + i, "How big?", True, False)
        record["original"]["image"] = 1000 + i % images
        records.append(record)
    (found,) = find_breaks([write(tmp_path / "run", records)])
    assert bool([f for f in found.findings if f.hurts and f.trait.value == "How"]) == (images == 30)


def test_equal_answers_to_questions_about_one_image_are_one_observation(tmp_path: Path) -> None:
    """All five answers about an image are alike: 8 of 12 images against 4 of 12, where pairs would be 40 against 20."""
    records = []
    for image in range(24):
        for i in range(5):
            kept = (image // 2 % 3 == 0) == (image % 2 == 1)
            record = pair(10 * image + i, "How big?" if image % 2 else "Who came?", True, kept)
            record["original"]["image"] = image
            records.append(record)
    (found,) = find_breaks([write(tmp_path / "run", records)])
    assert not [f for f in found.findings if f.hurts]


def test_a_slightly_higher_rate_is_no_finding(tmp_path: Path) -> None:
    """Of forty How and forty Who, 22 and 18 break: p is far above 0.05."""
    records = [pair(i, "How big?" if i % 2 else "Who came?", True, i >= (44 if i % 2 else 36)) for i in range(80)]
    (found,) = find_breaks([write(tmp_path / "run", records)])
    assert [(f.trait.value, f.broken.value, f.hurts) for f in found.findings] == [
        ("How", 0.55, False),
        ("Who", 0.45, False),
    ]
    assert found.worst is None


def test_pairs_with_missing_answers_are_not_counted(tmp_path: Path) -> None:
    records = [pair(0, "How?", True, None), pair(1, "How?", None, False), pair(2, "How?", True, False)]
    (found,) = find_breaks([write(tmp_path / "run", records)])
    assert (found.broken.value, found.broken.n) == (1.0, 1)


def test_examples_are_breaks_with_that_trait(run: Run) -> None:
    table = read_pairs([run])
    (numbers,) = examples(table, [(0, Trait("s", "question_type", "How"))], 3)
    assert len(numbers) == 3
    records = map(orjson.loads, run.lines_at([int(table.offsets[0][table.group_of[pair]]) for pair in numbers]))
    assert all(r["original"]["right"] and not r["variants"][0]["right"] and r["group"] < 60 for r in records)


def test_runs_with_groups_in_another_order_are_aligned(tmp_path: Path) -> None:
    records = [pair(i, "How?", i % 2 == 0, i % 3 == 0) for i in range(30)]
    a = write(tmp_path / "a", records, "a")
    b = write(tmp_path / "b", [*reversed(records), pair(99, "New?", True, True)], "b")
    table = read_pairs([a, b])
    assert table.pairs == 31
    assert table.codes[0][:30].tolist() == table.codes[1][:30].tolist()
    assert (table.codes[0][30], table.offsets[0][30]) == (ABSENT, -1)


def test_another_variant_under_the_same_id_is_another_group(tmp_path: Path) -> None:
    a = write(tmp_path / "a", [pair(1, "How?", True, True, changed="One?")], "a")
    b = write(tmp_path / "b", [pair(1, "How?", True, True, changed="Two?")], "b")
    assert read_pairs([a, b]).pairs == 2


def test_a_run_without_variants_has_no_breaks(tmp_path: Path) -> None:
    record = pair(1, "How?", True, True) | {"variants": []}
    (found,) = find_breaks([write(tmp_path / "run", [record])])
    assert (found.broken.known, found.findings, found.worst) == (False, (), None)


def test_the_made_up_model_breaks_most_on_how_many(tmp_path: Path) -> None:
    (found,) = find_breaks([load_run(make_run(tmp_path / "a", groups=600, images=False))])
    assert found.worst is not None
    assert found.worst.trait == Trait("rad", "question_type", "how many")
