"""What askew may ask of components: facts with defaults, and optional methods as protocols."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from askew import verbs
from askew.data.groups import GroupFile
from askew.models.baselines import Constant
from askew.models.endpoint.openai import OpenAI
from askew.models.prediction_file import Predictions
from askew.suites.carets import CaretsSuite
from askew.suites.p2 import P2Suite
from askew.suites.rad import RadSuite
from askew.world.dataset import World

PAGE = (Path(__file__).parents[1] / "docs" / "extending.md").read_text(encoding="utf-8")
FACTS = (verbs.ModelFacts, verbs.SuiteFacts, verbs.DatasetFacts)
POWERS = [
    found
    for _, found in inspect.getmembers(verbs, inspect.isclass)
    if getattr(found, "_is_runtime_protocol", False) and found.__module__ == "askew.verbs"
]


class Plain:
    """A component with only the required members of its kind."""


def values(facts: object) -> dict[str, object]:
    kinds = (verbs.Fact, property)
    return {name: getattr(facts, name) for name, part in vars(type(facts)).items() if isinstance(part, kinds)}


def test_a_component_without_facts_has_the_defaults():
    assert values(verbs.ModelFacts(Plain())) == {
        "free_text": True,
        "by_id": False,
        "recorded": False,
        "blind": False,
        "text_only": False,
        "opens_images": False,
        "several_images": False,
    }
    assert values(verbs.SuiteFacts(Plain())) == {
        "slices": None,
        "notes": (),
        "titles": {},
        "readers": (),
        "english": False,
    }
    assert values(verbs.DatasetFacts(Plain())) == {
        "counted": "question",
        "extract": "none",
        "images": None,
        "path": None,
        "remarks": (),
        "suites": (),
    }


def test_declared_facts_are_used(tmp_path):
    assert values(verbs.ModelFacts(Constant())) == {
        "free_text": False,
        "by_id": False,
        "recorded": False,
        "blind": True,
        "text_only": True,
        "opens_images": False,
        "several_images": False,
    }
    assert "question_type" in (verbs.SuiteFacts(CaretsSuite()).slices or ())
    assert verbs.DatasetFacts(GroupFile("a/groups.jsonl")).path == "a/groups.jsonl"
    (tmp_path / "answers.json").write_text('[{"question_id": 1, "answer": "yes"}]')
    assert verbs.ModelFacts(Predictions(str(tmp_path / "answers.json"))).by_id
    assert verbs.ModelFacts(Predictions(str(tmp_path / "answers.json"))).recorded


@pytest.mark.parametrize(
    ("component", "power"),
    [
        (GroupFile("groups.jsonl"), verbs.HoldsGroups),
        (GroupFile("groups.jsonl"), verbs.Fingerprints),
        (World(), verbs.Fingerprints),
        (CaretsSuite(), verbs.MakesTraining),
        (CaretsSuite(), verbs.Releases),
        (P2Suite(), verbs.Releases),
    ],
)
def test_built_in_components_have_their_optional_methods(component, power):
    assert isinstance(component, power)


def test_an_endpoint_streams_estimates_prices_and_hides_secrets(no_key):
    model = OpenAI("gpt-x", base_url="http://127.0.0.1:1/v1")
    for power in (verbs.Streams, verbs.Estimates, verbs.Prices, verbs.HidesSecrets, verbs.Connects):
        assert isinstance(model, power)


def test_optional_protocols_are_not_implemented_everywhere():
    assert not isinstance(World(), verbs.HoldsGroups)
    assert not isinstance(RadSuite(), verbs.Releases)
    assert not isinstance(Constant(), (verbs.Streams, verbs.Estimates, verbs.Prices, verbs.HidesSecrets))


def test_every_fact_and_protocol_is_documented():
    for facts in FACTS:
        for name, part in vars(facts).items():
            if isinstance(part, (verbs.Fact, property)):
                assert f"`{name}`" in PAGE, f"docs/extending.md does not describe {facts.__name__}.{name}"
    for power in POWERS:
        assert f"`{power.__name__}`" in PAGE or f"verbs.{power.__name__}`" in PAGE, power.__name__
