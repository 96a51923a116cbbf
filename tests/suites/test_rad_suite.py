"""The RAD suite: registered, measured, and with the paper's tables."""

import pytest

from askew.engine.components import Questions
from askew.errors import BadOption
from askew.registry import make
from askew.suites.rad import RadSuite
from askew.types import Group, Outcome, Prediction, Question, Refusal
from askew.verbs import Suite

DATA = Questions(
    tuple(
        Question(number, None, text, (answer,) * 10)
        for number, (text, answer) in enumerate(
            [
                ("What color is the cat?", "red"),
                ("What color is the dog?", "black"),
                ("How many dogs are there?", "2"),
                ("How many people are there?", "1"),
                ("How many red cars are there?", "3"),
                ("Is this a cat?", "yes"),
            ]
        )
    )
)


def answered(group, original, variant):
    predictions = tuple(
        Prediction(v.question.id, v.question.answers[0] if variant else "maybe") for v in group.variants
    )
    first = group.original.answers[0] if original else "nothing"
    return Outcome(group, Prediction(group.original.id, first), predictions)


def test_specs_that_people_type():
    suite: Suite = make("suite", "rad:yes=0.25,originals=all,extensions=true")
    assert suite == RadSuite(yes=0.25, originals="all", extensions=True)
    assert (
        repr(suite)
        == "RadSuite(yes=0.25, agreement=0.3, extensions=True, exactly=False, balance='text', originals='all', "
        "accuracy='official', correct='modal')"
    )


@pytest.mark.parametrize("options", [{"yes": 2.0}, {"originals": "some"}, {"agreement": -1.0}, {"balance": "no"}])
def test_bad_options_are_refused_at_once(options):
    with pytest.raises(BadOption, match=next(iter(options))):
        RadSuite(**options)


def test_groups_and_refusals():
    items = list(RadSuite().groups(DATA, 0))
    assert [item.id for item in items if isinstance(item, Group)] == [0, 1, 2, 3]
    assert [(item.question_id, item.reason) for item in items if isinstance(item, Refusal)] == [
        (4, 'the word after "How many" is not a noun')
    ]
    assert {item.suite for item in items if isinstance(item, Group)} == {"rad"}
    assert list(RadSuite().groups(DATA, 0)) == items


def test_originals_all():
    groups = [item for item in RadSuite(originals="all").groups(DATA, 0) if isinstance(item, Group)]
    assert [(group.id, len(group.variants)) for group in groups] == [(0, 1), (1, 1), (2, 1), (3, 1), (4, 0), (5, 0)]


def test_scores_by_hand():
    groups = [item for item in RadSuite(originals="all").groups(DATA, 0) if isinstance(item, Group)]
    right = [(True, True), (True, False), (True, True), (False, True), (True, True), (False, True)]
    outcomes = [answered(group, *sides) for group, sides in zip(groups, right, strict=True)]
    values = {}
    for name, metric in RadSuite().metrics.items():
        rows = [row for row in (metric.measure(outcome) for outcome in outcomes) if row is not None]
        values[name] = float(metric.combine([sum(column) for column in zip(*rows, strict=True)]))
    # Six originals, four right; of the four with variants three are right, two of these with their variant.
    assert values["accuracy.all"] == pytest.approx(4 / 6)
    assert values["accuracy.original"] == values["accuracy.variant"] == pytest.approx(3 / 4)
    assert values["rad.forward"] == values["rad.backward"] == pytest.approx(2 / 3)
    assert values["cs.2"] == pytest.approx(1 / 2)
    assert values["accuracy.gap"] == pytest.approx(0)


def test_published_figures_are_the_papers():
    tables = {table.id: table for table in RadSuite(originals="all").tables}
    assert tables["rad-2"].published["VisualBERT (VQA)"] == (79.99, 68.29, 85.98, 65.62)
    assert tables["rad-2"].published["FGA (VisDial)"] == (31.36, 57.69, None, 53.07)
    assert tables["rad-3"].published["CSS (VQA-CP)"] == (72.87, 63.16, 51.83)
    counts = tables["rad-5"].published["VQA"]
    assert counts == (12835, 10233, 1654, 214354)
    # "Overall, our templates cover 11% of the VQA examples" (§2.2): 24,722 of 214,354 is 11.5 %.
    assert sum(counts[:3]) / counts[3] == pytest.approx(0.115, abs=0.0005)
