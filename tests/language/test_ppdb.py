"""PPDB files that the user has."""

import gzip
from random import Random

import pytest

from askew.errors import BadOption, BadRecord, DataError
from askew.language.ppdb import read_ppdb
from askew.perturb.lexical import fit
from askew.types import Question, Variant

LINES = """\
[NN] ||| bus ||| coach ||| PPDB2.0Score=4.50 PPDB1.0Score=3.1 ||| 0-0 ||| Equivalence
[NN] ||| bus ||| vehicle ||| PPDB2.0Score=5.00 ||| 0-0 ||| ForwardEntailment
[NN] ||| vehicle ||| bus ||| PPDB2.0Score=5.00 ||| 0-0 ||| ReverseEntailment
[NN] ||| bus ||| train ||| PPDB2.0Score=4.00 ||| 0-0 ||| Exclusion
[NN] ||| bus ||| autobus ||| PPDB2.0Score=1.20 ||| 0-0 ||| Equivalence
[VP] ||| performed in [NP,1] ||| carried out within [NP,1] ||| PPDB2.0Score=4.20 ||| 0-0 ||| Equivalence
[VP] ||| [VBG/NP,1] off ||| away [VBG/NP,1] ||| PPDB2.0Score=4.20 ||| 0-0 ||| Equivalence
[IN] ||| on ||| upon ||| PPDB2.0Score=4.20 ||| 0-0 ||| Equivalence
"""


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "ppdb-2.0-s-lexical.gz"
    path.write_bytes(gzip.compress(LINES.encode()))
    return str(path)


def test_keeps_what_is_equivalent_or_entailed_and_sure(path):
    ppdb = read_ppdb([path])
    assert [(rule.target, rule.confidence) for rule in ppdb.of("bus", "NN")] == [("vehicle", 0.833), ("coach", 0.75)]
    assert ppdb.of("bus", "NNS") == ()  # a rule is for the form that it has
    assert [(rule.source, rule.target) for rule in ppdb.paraphrases] == [
        ("performed in [NP]", "carried out within [1]")
    ]
    assert ppdb.left_out == {
        "neither equivalent nor entailed": 2,
        "score too low": 1,
        "a grammar that is not used here": 1,
        "no content word": 1,
    }


def test_rules_reach_the_questions(path):
    questions = [
        Question(1, None, "Is this a coach?"),
        Question(2, None, "Is the bus in the street?"),
        Question(3, None, "Is the show performed in the park?"),
        Question(4, None, "Is it carried out within a day?"),
    ]
    perturbation = fit(questions, ppdb=[path])
    made = {
        (question.id, variant.test): variant.question.text
        for question in questions
        for variant in perturbation.vary(question, Random(0))
        if isinstance(variant, Variant)
    }
    assert made[2, "syn"] == "Is the coach in the street?"  # "vehicle" is not in the data's vocabulary
    assert made[3, "para"] == "Is the show carried out within the park?"


def test_a_file_of_another_kind_is_refused(tmp_path):
    other = tmp_path / "ppdb-1.0"
    other.write_text("[NN] ||| a ||| b\n")
    with pytest.raises(BadRecord, match=r"ppdb-1\.0, line 1: 3 fields"):
        read_ppdb([str(other)])
    with pytest.raises(DataError, match="no such file"):
        read_ppdb([str(tmp_path / "none")])
    with pytest.raises(BadOption, match="score"):
        read_ppdb([], score=-1)
