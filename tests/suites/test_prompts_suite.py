"""The suite ``prompts``: templates around questions, and how much the choice of one matters."""

from __future__ import annotations

import math

import numpy as np
import pytest

import askew
from askew.cli import main
from askew.engine.components import Questions
from askew.errors import BadOption
from askew.metrics.prompt_spread import AnyChange, PromptSpread, WorstForm
from askew.report.load import load_run
from askew.report.suites_section import wording_sentences
from askew.suites.prompts_suite import PromptsSuite
from askew.types import Expect, Group, ImageRef, Outcome, Prediction, Question, Refusal, Variant

ASKED = Question(1, ImageRef("a"), "What color is it?", ("red",))


class Shy:
    """Says "red", but nothing useful to whom asks for a short answer; the third question is too hard for it."""

    free_text, blind = False, True

    def answer(self, questions):
        said = ("blue" if "short" in question.text or "#2" in question.text else "red" for question in questions)
        return [Prediction(question.id, answer) for question, answer in zip(questions, said, strict=True)]


def test_every_template_holds_the_question_and_keeps_everything_else():
    (group,) = PromptsSuite().groups(Questions((ASKED,)), 0)
    assert len(group.variants) == 9 == len({variant.question.text for variant in group.variants})
    for variant in group.variants:
        assert ASKED.text in variant.question.text != ASKED.text
        assert (variant.expect, variant.question.answers, variant.question.image) == (
            Expect.SAME,
            ("red",),
            ASKED.image,
        )
    assert [v.test for v in next(iter(PromptsSuite("short,marked").groups(Questions((ASKED,)), 0))).variants] == [
        "short",
        "marked",
    ]


def test_questions_with_an_instruction_and_text_after_the_question_of_options_are_refused():
    told = Question(2, None, "Is it red? Please answer yes or no.", ("yes",))
    choice = Question(3, None, "Which is it?", ("a cat",), choices=("a cat", "a dog"))
    made = list(PromptsSuite("marked,short").groups(Questions((told, choice)), 0))
    assert [one.reason for one in made if isinstance(one, Refusal)] == [
        *["the question has an instruction of its own"] * 2,
        "the template goes on after the question, where the options are",
    ]
    assert [v.test for group in made if isinstance(group, Group) for v in group.variants] == ["marked"]


def test_templates_of_a_file(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text('polite: "Please: {question} {braces}"\n')
    (group,) = PromptsSuite(file=str(file)).groups(Questions((ASKED,)), 0)
    assert group.variants[0].question.text == "Please: What color is it? {braces}"
    for text, why in (
        ("[a]", "has no templates"),
        ('a: "none"', "needs {question} once"),
        ('"a b": "x {question}"', "name"),
    ):
        file.write_text(text)
        with pytest.raises(BadOption, match=why):
            PromptsSuite(file=str(file))
    with pytest.raises(BadOption, match=r"no template is called 'loud'\. Known: marked,"):
        PromptsSuite("loud")


def test_spread_worst_and_changed_by_hand():
    """Three questions, two right as asked. Under "short" none is: 2/3, 2/3 and 0."""
    data = Questions(tuple(Question(n, ImageRef(n), f"What is #{n}?", ("red",)) for n in range(3)))
    result = askew.evaluate(Shy(), data, "prompts:marked,short", quiet=True)
    assert result.score("accuracy.original").value == result.score("accuracy.variant", "test=marked").value
    assert result.score("prompts.worst").value == 0.0
    assert result.score("prompts.spread").value == pytest.approx(2 / 3)
    assert result.score("prompts.changed").value == pytest.approx(2 / 3)
    assert math.isnan(result.score("prompts.spread").low)  # three images


def test_the_interval_of_a_spread_begins_at_zero_where_chance_explains_it():
    """Two forms of equal accuracy over 200 images differ by chance; a form that is never correct does not."""
    rng = np.random.default_rng(0)
    ones, same = np.ones(200), (rng.random((2, 200)) < 0.7).astype(float)
    chance = np.column_stack([same[0], ones, same[1], ones])
    low, high = PromptSpread("a").interval(chance, 0.05)
    assert low == 0.0
    assert abs(same[0].mean() - same[1].mean()) < high < 0.2
    never = np.column_stack([same[0], ones, 0 * ones, ones])
    low, high = PromptSpread("a").interval(never, 0.05)
    assert 0.5 < low < same[0].mean() < high
    assert WorstForm("a").interval(never, 0.05)[0] == 0.0


def test_a_group_with_a_missing_answer_does_not_say_whether_it_changed():
    other = Variant(ASKED, Expect.SAME, "marked", "prompts/marked")
    group = Group(1, "prompts", ASKED, (other, other))
    outcome = Outcome(group, Prediction(1, "red"), (Prediction(1, "Red."), Prediction(1, None)))
    assert AnyChange().measure(outcome) is None
    assert (AnyChange().measure(outcome, 0.0), AnyChange().measure(outcome, 1.0)) == ((0.0, 1.0), (1.0, 1.0))


def test_the_report_says_whether_prompts_or_questions_matter_more(tmp_path):
    words = ["run", "--data", "world:val,scenes=100", "--model", "constant:yes", "--suite", "prompts:marked,short"]
    words += ["--suite", "carets:rephrase,size=40", "--quiet", "--output", str(tmp_path / "run")]
    assert main(words) == 0
    (sentence,) = wording_sentences(load_run(tmp_path / "run"), "yes")
    assert sentence.startswith(
        "yes: the wording of the prompt cannot be said to matter more or less than that of the question. Of its "
        "correct answers, 0.0 % break under another prompt and 0.0 %"
    )
    assert sentence in (tmp_path / "run" / "report.html").read_text()
