"""METEOR's table of paraphrases, with a made-up sample."""

import gzip
from random import Random

import pytest

from askew.errors import BadOption, BadRecord
from askew.language.meteor_table import read_meteor
from askew.language.ppdb import merged, read_ppdb
from askew.perturb.lexical import P2Perturbation
from askew.types import Question, Variant

ENTRIES = [
    (0.6, "in front of", "ahead of"),
    (0.9, "in front of", "ahead of"),
    (0.5, "right away", "at once"),
    (0.1, "right away", "immediately"),
    (0.5, "car", "automobile"),
    (0.5, "the left", "the right-hand"),
    (0.5, "of the", "in that"),
    (0.5, "at once", "at once"),
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "paraphrase-en.gz"
    with gzip.open(path, "wt", encoding="utf-8") as file:
        file.writelines(f"{probability}\n{source}\n{target}\n" for probability, source, target in ENTRIES)
    return str(path)


def test_phrases_with_enough_probability_become_rules(table):
    found = read_meteor(table)
    assert [(rule.source, rule.target, rule.confidence) for rule in found.paraphrases] == [
        ("right away", "at once", 0.5)
    ]
    assert found.left_out == {
        "probability too low": 1,
        "not phrases of lower-case words": 2,
        "a loose word at an end": 3,
        "both sides are the same": 1,
    }
    assert len(read_meteor(table, 0.0).paraphrases) == 2


def test_meteor_and_ppdb_rules_are_used_together(table, tmp_path):
    (tmp_path / "ppdb").write_text("[NN] ||| bus ||| coach ||| PPDB2.0Score=5 ||| 0-0 ||| Equivalence\n")
    both = merged([read_meteor(table), read_ppdb([str(tmp_path / "ppdb")])])
    assert both.count == 2
    perturbation = P2Perturbation(("synonymous", "paraphrastic"), ppdb=both)
    question = Question(1, None, "Will the bus stop right away?")
    made = [v for v in perturbation.vary(question, Random(0)) if isinstance(v, Variant)]
    assert [(v.made_by, v.question.text, v.note["origin"]) for v in made] == [
        ("syn/bus→coach", "Will the coach stop right away?", "ppdb"),
        ("para/meteor:right away→at once", "Will the bus stop at once?", "meteor"),
    ]


def test_other_files_and_bad_probabilities_are_refused(tmp_path):
    path = tmp_path / "other"
    for text, says in (
        ("word\nword\nword\n", "line 1: 'word'"),
        ("0.5\nright away\n", "line 1"),
        ("nan\na\nb\n", "nan"),
    ):
        path.write_text(text)
        with pytest.raises(BadRecord, match=f"{says}.*three lines"):
            read_meteor(str(path))
    with pytest.raises(BadOption, match="between 0 and 1"):
        read_meteor(str(path), 2.0)
