"""Ready-made groups: which options of a suite still apply to them, and which are refused."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import pytest

import askew
from askew.data.groups import write_groups
from askew.engine.components import as_data, as_suite, refuse_build_options
from askew.engine.publish import publish
from askew.engine.settings import Settings
from askew.errors import BadOption, DataError, RunError
from askew.registry import make
from askew.types import Expect, Group, ImageRef, Question, Variant
from askew.verbs import Dataset

ORIGINAL = Question(1, ImageRef("a"), "What color is the cat?", ("white",) * 10)
VARIANT = Question("1/rad", ImageRef("a"), "Is the cat white?", ("yes",) * 10)


@pytest.fixture
def ready(tmp_path: Path) -> str:
    """A file with one group of RAD."""
    group = Group(1, "rad", ORIGINAL, (Variant(VARIANT, Expect.GIVEN, "Y/N←C", "rad/color"),))
    write_groups([group], str(tmp_path / "groups.jsonl"))
    return str(tmp_path / "groups.jsonl")


def refusal(spec: str) -> str:
    """The error for a suite with these options on ready-made groups."""
    try:
        refuse_build_options(make("suite", spec), "bench")
    except BadOption as refused:
        return str(refused)
    return ""


@pytest.mark.parametrize(
    ("spec", "option"),
    [
        ("rad:yes=0", "yes=0.0"),
        ("rad:correct=any,agreement=0.5", "agreement=0.5"),
        ("p2:substitutions=1", "substitutions=1"),
        ("p2:perturbations=ant,least=0", "least=0"),
        ("carets:size=20", "size=20"),
        ("basic:words=9", "words=9"),
        ("basic:ranker=rouge", "ranker='rouge'"),
        ("visual:encoding=png", "encoding='png'"),
        ("backtranslate:filtered=false", "filtered=False"),
    ],
)
def test_options_that_only_make_groups_are_refused(spec: str, option: str) -> None:
    assert f": {option} is for making groups, and those of bench are made already" in refusal(spec)


@pytest.mark.parametrize(
    "spec",
    [
        *("rad", "p2", "carets", "basic", "visual", "corruption", "backtranslate", "accuracy"),
        "accuracy:robust",
        "rad:correct=any,accuracy=robust",
        "rad:originals=all",
        "p2:perturbations=ant",
        "carets:negation",
        "carets:visual=mask",
        "basic:t=0.3,m=0.5",
        "basic:top=9",
        "basic:ranker=rouge+bleu1",
        "corruption:noise,severities=1",
    ],
)
def test_options_that_select_or_measure_are_accepted(spec: str) -> None:
    assert refusal(spec) == ""


def test_results_claim_only_options_that_ready_made_groups_support(ready: str, tmp_path: Path) -> None:
    results = askew.evaluate("constant:yes", ready, "rad:correct=any", seed=4).results
    assert results["suites"][0]["signature"] == "RadSuite(correct='any') on ready-made groups"
    assert results["data"]["ready"] is True
    sheet = publish(as_suite("rad"), as_data(ready), tmp_path / "again", Settings(seed=4), "the command")
    assert "- suite: `RadSuite() on ready-made groups`" in sheet
    assert "seed" not in sheet


def test_an_option_without_effect_stops_the_run(ready: str) -> None:
    with pytest.raises(BadOption, match=r"yes=0\.0 is for making groups"):
        askew.evaluate("constant:yes", ready, "rad:yes=0")


def test_a_suite_without_groups_in_the_file_is_refused_with_those_that_have_some(ready: str) -> None:
    with pytest.raises(DataError, match=r"ready-made, of rad; there is none of accuracy\. Name a suite whose groups"):
        askew.evaluate("constant:yes", ready, "accuracy")


def test_a_suite_whose_tests_are_missing_is_refused(tmp_path: Path) -> None:
    group = Group(1, "p2", ORIGINAL, (Variant(VARIANT, Expect.SAME, "syn", "p2/syn"),))
    write_groups([group], str(tmp_path / "groups.jsonl"))
    with pytest.raises(DataError, match="none of p2 with a test of these: ant"):
        askew.evaluate("constant:yes", tmp_path / "groups.jsonl", "p2:ant")


def test_data_without_a_question_is_reported(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"id": 1, "question": "", "answer": "no"}\n')
    with pytest.raises(DataError, match=r"there is no question in it; 1 bad record left out, e\.g\. .*blank"):
        publish(
            as_suite("accuracy"), as_data(tmp_path / "q.jsonl", skip_bad=True), tmp_path / "out", Settings(), "command"
        )


def test_a_benchmark_without_images_deletes_vqa_files_of_the_one_before(tmp_path: Path) -> None:
    folder, accuracy = tmp_path / "out", as_suite("accuracy")
    publish(accuracy, as_data([ORIGINAL]), folder, Settings(), "command")
    assert len(list(folder.glob("v2_*"))) == 4
    publish(accuracy, as_data([replace(ORIGINAL, image=None)]), folder, Settings(overwrite=True), "command")
    assert sorted(path.name for path in folder.iterdir()) == [
        ".askew-made",
        ".askew.json",
        "datasheet.md",
        "groups.jsonl",
    ]


@dataclass(frozen=True)
class Twice:
    """Every question in two other spellings, and an extra file."""

    accuracy: str = "official"
    correct: str = "modal"
    name = "twice"
    title = "Twice"
    paper = "none"
    tests = ("spelling",)
    headline = ("accuracy.all", "{value}")
    metrics: ClassVar[dict[str, object]] = {}
    tables = ()

    def groups(self, data: Dataset, seed: int) -> Iterator[Group]:
        for question in data.questions():
            question = replace(question, text=question.text or "What is it?")
            changed = [replace(question, id=f"{question.id}/{part}", text=f"Q{part}?") for part in (1, 2)]
            yield Group(
                question.id, self.name, question, tuple(Variant(q, Expect.SAME, "spelling", "") for q in changed)
            )

    def release(self, groups: Iterable[Group], folder: Path) -> list[Path]:
        (folder / "twice.json").write_text("[]")
        return [folder / "twice.json"]


def test_a_benchmark_deletes_files_of_another_suite_and_keeps_files_of_users(tmp_path: Path) -> None:
    publish(as_suite(Twice()), as_data([ORIGINAL]), tmp_path, Settings(), "command")
    (tmp_path / "v2_mscoco_originals_mine.json").touch()
    before = {path.name for path in tmp_path.iterdir()}
    publish(as_suite("accuracy"), as_data([ORIGINAL]), tmp_path, Settings(overwrite=True), "command")
    assert {path.name for path in tmp_path.iterdir()} == before - {"twice.json"}


def test_the_datasheet_says_what_was_counted(tmp_path: Path, ready: str) -> None:
    sheet = publish(as_suite(Twice()), as_data([ORIGINAL]), tmp_path / "a", Settings(), "command")
    assert "1 group with 2 variants, from 1 question" in sheet
    assert "| test | matched | variants made | refused | made of matched | made per question |" in sheet
    assert "| spelling | 2 | 2 | 0 | 100.0% | 2.000 |" in sheet
    assert "from 1 ready-made group" in publish(as_suite("rad"), as_data(ready), tmp_path / "b", Settings(), "command")
    (tmp_path / "scenes.json").write_text('{"a": {"objects": {}}, "b": {"objects": {}}}')
    scenes = as_data(f"scenes:{tmp_path / 'scenes.json'}")
    sheet = publish(as_suite(Twice()), scenes, tmp_path / "c", Settings(), "command")
    assert "from 2 scenes" in sheet
    assert "| made per scene |" in sheet


def test_a_folder_that_is_being_written_to_is_refused(tmp_path: Path, ready: str) -> None:
    out = tmp_path / "out"

    def meanwhile(image: object, question: str) -> str:
        with pytest.raises(RunError, match="another askew is writing to this folder"):
            askew.evaluate("constant:no", [ORIGINAL], "accuracy", output=out)
        with pytest.raises(RunError, match="another askew is writing to this folder"):
            publish(as_suite("rad"), as_data(ready), out, Settings(), "command")
        return "white"

    question = replace(ORIGINAL, image=None)
    assert (
        askew.evaluate(meanwhile, [question], "accuracy", output=out, max_failures=0).score("accuracy.all").value == 1
    )
    other = askew.evaluate("constant:no", [question], "accuracy", output=out, overwrite=True)
    assert other.score("accuracy.all").value == 0


def test_each_of_several_suites_without_groups_is_refused(ready: str) -> None:
    with pytest.raises(DataError, match=r"ready-made, of rad; there is none of accuracy, p2\. Name a suite whose"):
        askew.evaluate("constant:yes", ready, ["rad", "accuracy", "p2"])
