"""Where the pairs of a loss come from, and which networks a loss can train."""

from __future__ import annotations

from dataclasses import dataclass
from types import SimpleNamespace

import pytest

from askew.data.groups import write_groups
from askew.errors import AskewError, BadOption, UnknownName
from askew.train.losses import Q3R, Augment, Consistency, RandomImage
from askew.train.prepare import _check
from askew.train.training_data import read_pairs
from askew.types import Group, ImageRef, Question
from askew.verbs import Loss

ASKED = [
    Question(1, ImageRef(1), "What kind of car is next to the tree?", ("red",)),
    Question(2, ImageRef(2), "What type of dog is beside the car?", ("brown",)),
]


def found(named):
    return read_pairs(named, ASKED, images=None, skip_bad=False, seed=0)


def test_a_suite_takes_precedence_over_a_folder_of_the_same_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "p2").mkdir()
    assert {group.suite for group in found("p2")} == {"p2"}


@pytest.mark.parametrize(("named", "said"), [("no/p2", "no such file"), ("g.jsonl", "no such file"), ("p3", "'p2'")])
def test_missing_groups_are_reported(named, said):
    with pytest.raises(AskewError, match=said):
        found(named)


def test_groups_come_from_a_file_or_as_they_are(tmp_path):
    made = [Group(1, "mine", ASKED[0], ())]
    write_groups(made, str(tmp_path / "groups.jsonl"))
    assert [group.suite for group in found(tmp_path / "groups.jsonl")] == ["mine"]
    assert found(made) == made


def test_anything_else_is_refused():
    with pytest.raises(UnknownName, match="Did you mean 'p2'"):
        found("p3")


@dataclass(frozen=True)
class Plain:
    """A loss that is not a subclass of the protocol and has nothing but its method."""

    def term(self, step):
        return None


@dataclass(frozen=True)
class OfModules(Loss):
    """A loss of another package that compares module weights."""

    needs_modules = True

    def term(self, step):
        return None


def checked(loss, net):
    _check(SimpleNamespace(losses=[loss], net=SimpleNamespace(name=net)))


def test_a_loss_that_needs_modules_is_refused_for_other_networks():
    for loss in (Q3R(), OfModules()):
        checked(loss, "xnm")
        with pytest.raises(BadOption, match="butd has none"):
            checked(loss, "butd")
    for loss in (Consistency(), Augment(), RandomImage(), Plain()):
        checked(loss, "butd")
    assert repr(Q3R()).startswith("Q3R(weight=1.0, rate=0.2, distance='l1',"), "the signature holds no needs_modules"
