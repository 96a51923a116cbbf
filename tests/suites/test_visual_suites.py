"""The suites visual and corruption, from questions to tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pytest
from PIL import Image

import askew
from askew.data.groups import unique_by_id
from askew.engine.components import Questions
from askew.engine.publish import publish
from askew.engine.settings import Named, Settings
from askew.errors import BadOption
from askew.files.images import encode
from askew.registry import make
from askew.suites.visual import CorruptionSuite, VisualSuite
from askew.types import Group, ImageRef, Prediction, Question, Refusal, Scene, Thing


def photo(seed: int) -> Image.Image:
    coarse = np.random.default_rng(seed).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    return Image.fromarray(coarse).resize((96, 72), Image.Resampling.BICUBIC)


SCENE = Scene("s", (Thing("1", "cat", (), (10, 10, 40, 40)),), size=(96, 72))
QUESTIONS = [
    Question(n, encode(photo(n), "jpeg"), text, (answer,) * 10, scene=SCENE)
    for n, (text, answer) in enumerate(
        [("Is the cat black?", "yes"), ("Is the cat white?", "no"), ("How many cats are there?", "1"), ("Why?", "fun")]
    )
]
BYTES = {question.image.sha256: question.id for question in QUESTIONS}


@dataclass(frozen=True)
class SeesOriginals:
    """Correct about original images, and never about changed ones."""

    def answer(self, questions):
        return [Prediction(q.id, q.answers[0] if q.image.sha256 in BYTES else "hm") for q in questions]


@pytest.mark.parametrize("suite", [VisualSuite(), CorruptionSuite()])
def test_tables_fit_their_columns_and_metrics(suite) -> None:
    for table in suite.tables:
        assert {column.metric for column in table.columns} <= set(suite.metrics)
    assert len({table.id for table in suite.tables}) == len(suite.tables)
    assert suite.headline[0] in suite.metrics
    assert "{value}" in suite.headline[1]


def test_the_datasheet_names_a_question_for_each_reason(tmp_path) -> None:
    bad = [replace(QUESTIONS[0], id=f"bad {n}", image=ImageRef(f"bad {n}", data=b"GIF?")) for n in (1, 2)]
    data = Named(Questions((*QUESTIONS[:1], *bad)), "mine")
    suite = Named(CorruptionSuite("jpeg", "1"), "corruption")
    sheet = publish(suite, data, tmp_path, Settings(), "askew build")
    assert "\n- Refused: the file is not an image (e.g. bad 1): 2\n" in sheet


def test_visual_groups_and_refusals() -> None:
    items = list(VisualSuite("blur-3,crop").groups(Questions(tuple(QUESTIONS)), 0))
    groups = [item for item in items if isinstance(item, Group)]
    assert [(group.id, [v.made_by for v in group.variants]) for group in groups] == [
        (n, ["visual/blur-3", "visual/crop"]) for n in range(3)
    ]
    assert [item.question_id for item in items if isinstance(item, Refusal)] == [3]
    assert {group.suite for group in groups} == {"visual"}


def test_a_run_of_visual() -> None:
    result = askew.evaluate(SeesOriginals(), QUESTIONS, VisualSuite("blur-3,mask"))
    assert result.score("accuracy.original").value == 1
    assert result.score("accuracy.variant").value == 0
    assert result.score("carets.acc").value == 0.5
    assert result.score("carets.cacc").value == result.score("carets.cons").value == 0
    assert result.score("accuracy.variant", "made_by=visual/mask").n == 3


def test_a_run_of_corruption() -> None:
    suite = make("suite", "corruption:noise,jpeg,severities=1,5")
    assert suite == CorruptionSuite("noise,jpeg", "1,5")
    result = askew.evaluate(SeesOriginals(), QUESTIONS, suite)
    assert result.score("accuracy.noise.0").value == 1
    assert result.score("accuracy.noise.5", "test=jpeg").value == 0
    assert result.score("accuracy.gap").value == -1
    group = next(iter(result.samples())).group
    assert [(v.test, v.note["level"]) for v in group.variants] == [("noise", 1), ("noise", 5), ("jpeg", 1), ("jpeg", 5)]


def test_the_limit_does_not_change_variants() -> None:
    suite = CorruptionSuite("noise", "1")
    whole = list(suite.groups(Questions(tuple(QUESTIONS)), 3))
    assert list(suite.groups(Questions(tuple(QUESTIONS[2:])), 3)) == whole[2:]
    assert list(suite.groups(Questions(tuple(QUESTIONS)), 4)) != whole


@pytest.mark.parametrize(
    ("suite", "message"),
    [
        (lambda: CorruptionSuite("rain"), "No corruption is called 'rain'"),
        (lambda: CorruptionSuite(severities="6"), "Give 1 to 5"),
        (lambda: CorruptionSuite(severities="high"), "a severity is 'high'"),
        (lambda: CorruptionSuite(encoding="gif"), "not an image encoding"),
        (lambda: VisualSuite("smear"), "not an image change"),
        (lambda: VisualSuite(unnamed="some"), "Give refuse or random"),
        (lambda: VisualSuite(correct="half"), "is not a rule for correct answers"),
    ],
)
def test_bad_options_are_refused_at_once(suite, message) -> None:
    with pytest.raises(BadOption, match=message):
        suite()


def test_both_suites_can_ask_the_same_questions_in_one_run() -> None:
    data = Questions(tuple(QUESTIONS))
    made = [*VisualSuite("blur-3").groups(data, 0), *CorruptionSuite("blur", "3").groups(data, 0)]
    groups = [item for item in made if isinstance(item, Group)]
    assert list(unique_by_id(groups, "both")) == groups
    assert [v.question.id for v in groups[0].variants + groups[-1].variants] == ["0/blur-3", "3/corruption-blur-3"]
