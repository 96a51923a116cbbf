"""PPDB files provided by the user: made-up samples."""

from __future__ import annotations

import gzip
from random import Random

import pytest

from askew.errors import BadOption, BadRecord, DataError
from askew.language.paraphrase_tables import Ppdb, read_ppdb
from askew.perturb.lexical import P2Perturbation, fit
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


def test_equivalent_and_entailed_rules_with_high_scores_are_kept(path):
    ppdb = read_ppdb([path])
    assert [(rule.target, rule.confidence) for rule in ppdb.of("bus", "NN")] == [("vehicle", 0.833), ("coach", 0.75)]
    assert ppdb.of("bus", "NNS") == ()  # a rule applies to exactly its own word form
    assert [(rule.source, rule.target) for rule in ppdb.paraphrases] == [
        ("performed in [NP]", "carried out within [1]")
    ]
    assert ppdb.left_out == {
        "neither equivalent nor entailed": 2,
        "score too low": 1,
        "unsupported grammar": 1,
        "no content word": 1,
    }


def test_rules_change_questions(path):
    questions = [
        Question(1, None, "Is this a coach?"),
        Question(2, None, "Is the bus in the street?"),
        Question(3, None, "Is the show performed in the park?"),
        Question(4, None, "Is it carried out within a day?"),
    ]
    perturbation = fit(questions, P2Perturbation(ppdb=read_ppdb([path])), everyday=False)
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


def file_of(folder, *rules, name="ppdb", relation="Equivalence"):
    """A file of rules like ``[NN] bus -> coach 4.5``."""
    lines = []
    for rule in rules:
        label, rest = rule.split(" ", 1)
        sides, score = rest.rsplit(" ", 1)
        source, target = sides.split(" -> ")
        lines.append(f"{label} ||| {source} ||| {target} ||| PPDB2.0Score={score} ||| 0-0 ||| {relation}\n")
    path = folder / name
    path.write_text("".join(lines), encoding="utf-8")
    return str(path)


def variants(path, *texts, score=3.5):
    """The variants that the rules give, whatever the data's vocabulary."""
    questions = [Question(number, None, text) for number, text in enumerate(texts)]
    perturbation = P2Perturbation(("synonymous", "paraphrastic"), ppdb=read_ppdb([path], score))
    made = [variant for question in questions for variant in perturbation.vary(question, Random(0))]
    return [variant for variant in made if isinstance(variant, Variant) and variant.note["origin"] == "ppdb"]


def test_one_word_is_not_replaced_by_several_where_its_part_of_speech_differs(tmp_path):
    path = file_of(
        tmp_path,
        "[VBD] left -> went away 5",
        "[VB] park -> leave the car in 5",
        "[NN] dog -> canine companion 5",
        "[VP] left [NP,1] -> went away from [NP,1] 5",
    )
    assert read_ppdb([path]).left_out == {"a single word of unknown part of speech": 4}
    assert variants(path, "Is the left side clean?", "Is the park green?", "Is the hot dog warm?") == []


@pytest.mark.parametrize(
    ("rule", "fits"),
    [
        ("[PP/NP] in front of -> before 5", True),
        ("[IN] in front of -> before 5", True),
        ("[X] in front of -> before 5", True),
        ("[NP/NN] some of the -> part of the 5", True),
        ("[VP] take part in [NP,1] -> join in [NP,1] 5", True),
        ("[VBD] went away -> departed 5", False),
        ("[NN] hot dog -> warm dog 5", False),
        ("[MD] have to -> must 5", False),
        ("[NP] some of the -> part of the 5", False),
        ("[VP] look around -> see the 5", False),
    ],
)
def test_a_label_must_fit_several_words(tmp_path, rule, fits):
    ppdb = read_ppdb([file_of(tmp_path, rule)])
    assert len(ppdb.paraphrases) == fits
    assert ppdb.left_out == ({} if fits else {"a label that does not fit the words": 1})


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("[NP] us $ -> us dollars 5", "Does he owe us?"),
        ("[NP] ^ is it -> is this 5", "Is it red?"),
        ("[NP] is [red|blue] now -> is coloured now 5", "Is it what is red now?"),
        ("[NP] is [NP] now -> was it now 5", "Is the dog now here?"),
        ("[NP] the tail of the horse -> the horse 's tail 5", "Is the tail of the horse long?"),
        ("[VP] is it not -> is n't it 5", "Is it not red?"),
        ("[NP] the big dog -> -lrb- the dog -rrb- 5", "Is the big dog red?"),
        ("[NP] N here now -> it here now 5", "Is the dog here now?"),
        ("[NP] big red dog -> 1 dog 5", "Is it a big red dog?"),
        ("[NN] bus -> coach- 5", "Is the bus red?"),
        ("[NP] the big dog ->  5", "Is the big dog red?"),
    ],
)
def test_only_alphabetic_words_are_accepted(tmp_path, rule, text):
    path = file_of(tmp_path, rule)
    assert read_ppdb([path]).left_out == {"characters other than letters": 1}
    assert variants(path, text) == []


def test_words_may_have_hyphens_inside(tmp_path):
    ppdb = read_ppdb([file_of(tmp_path, "[JJ] inaugural -> first-ever 5", "[PP] by the side -> side-by-side 5")])
    assert [rule.target for rule in ppdb.of("inaugural", "JJ")] == ["first-ever"]
    assert [rule.target for rule in ppdb.paraphrases] == ["side-by-side"]


def test_a_rule_that_changes_nothing_is_left_out(tmp_path):
    path = file_of(tmp_path, "[PP] next to it -> next to it 5", "[NN] bus -> bus 5")
    assert read_ppdb([path]).left_out == {"both sides are the same": 2}


@pytest.mark.parametrize(("score", "low"), [("5.3E-5", True), ("0.42e1", False), ("+4", False), (".5", True)])
def test_scores_are_read_with_all_digits(tmp_path, score, low):
    ppdb = read_ppdb([file_of(tmp_path, f"[NN] bus -> coach {score}")])
    assert ppdb.left_out == ({"score too low": 1} if low else {})
    assert len(ppdb.of("bus", "NN")) == (not low)


@pytest.mark.parametrize("score", ["4.2.1", ".", "nan", "inf", "4,2", ""])
def test_a_score_that_is_not_a_number_is_reported_with_file_and_line(tmp_path, score):
    path = file_of(tmp_path, "[NN] car -> auto 4", f"[NN] bus -> coach {score}")
    with pytest.raises(BadRecord, match=r"ppdb, line 2: PPDB2\.0Score is '.*', not a number\. .*delete the line"):
        read_ppdb([path])


@pytest.mark.parametrize("score", [float("nan"), float("inf"), -0.1])
def test_the_least_score_must_be_a_number(score):
    with pytest.raises(BadOption, match=r"the lowest score is .*Give a number"):
        read_ppdb([], score)


def test_blank_lines_are_skipped_and_counted_in_line_numbers(tmp_path):
    path = tmp_path / "ppdb"
    path.write_text("\n" + LINES.splitlines()[0] + "\n  \r\n\n", encoding="utf-8")
    ppdb = read_ppdb([str(path)])
    assert [rule.target for rule in ppdb.of("bus", "NN")] == ["coach"]
    assert ppdb.left_out == {}
    path.write_text("\n\n[NN] ||| bus\n", encoding="utf-8")
    with pytest.raises(BadRecord, match="line 3: 2 fields"):
        read_ppdb([str(path)])


def test_rule_ids_name_source_and_target(tmp_path):
    path = file_of(
        tmp_path, "[PP/NP] in front of -> before 5", "[VP] performed in [NP,1] -> carried out within [NP,1] 5"
    )
    ids = [rule.id for rule in read_ppdb([path]).paraphrases]
    assert ids == ["ppdb:in front of→before", "ppdb:performed in [NP]→carried out within [1]"]
    assert [variant.made_by for variant in variants(path, "Who performed in the garden?")] == [f"para/{ids[1]}"]


def test_a_rule_in_two_files_counts_once_with_its_higher_score(tmp_path):
    rules = ("[PP/NP] in front of -> before {}", "[NN] bus -> coach {}", "[NNS] bus -> coach {}")
    first = file_of(tmp_path, *(rule.format(score) for rule, score in zip(rules, "456", strict=True)), name="first")
    second = file_of(tmp_path, *(rule.format(score) for rule, score in zip(rules, "645", strict=True)), name="second")
    ppdb = read_ppdb([first, second])
    assert [(rule.source, rule.confidence) for rule in ppdb.paraphrases] == [("in front of", 1.0)]
    assert [rule.confidence for rule in ppdb.of("bus", "NN")] == [0.833]  # 5 of 6
    assert [rule.confidence for rule in ppdb.of("bus", "NNS")] == [1.0]  # another tag, another rule
    assert ppdb.left_out == {"the same rule again": 3}


def test_the_signature_depends_on_the_rules_not_on_the_files(tmp_path):
    phrases = file_of(tmp_path, "[PP/NP] in front of -> before 5", "[PP/NP] close to -> near 4", name="phrases")
    words = file_of(tmp_path, "[NN] bus -> coach 5", "[NN] dog -> hound 3", name="words")
    both, turned = read_ppdb([phrases, words]), read_ppdb([words, phrases, words])
    assert (both.paraphrases, both.lexical) == (turned.paraphrases, turned.lexical)
    assert both.signature == turned.signature
    assert len(both.signature) == 12
    assert int(both.signature, 16) >= 0
    others = [
        Ppdb(),
        read_ppdb([phrases]),
        read_ppdb([words]),
        read_ppdb([phrases, words], 2),
        read_ppdb([phrases, file_of(tmp_path, "[NN] bus -> coach 5.5", name="surer")]),
        read_ppdb([phrases, file_of(tmp_path, "[NNS] bus -> coach 5", name="tag")]),
    ]
    assert len({both.signature, *(other.signature for other in others)}) == 7


def test_every_line_is_kept_or_counted(path):
    ppdb = read_ppdb([path, path])
    rules = sum(len(found) for found in ppdb.lexical.values()) + len(ppdb.paraphrases)
    assert rules + sum(ppdb.left_out.values()) == 2 * len(LINES.splitlines())


def test_a_mined_rule_breaks_no_larger_phrase(tmp_path):
    path = file_of(tmp_path, "[X] light on -> lamp on 5", "[X] a hot -> a warm 5")
    texts = ("Is the night light on the pole?", "Is the light on the pole?", "Is that a hot dog?")
    assert [variant.question.text for variant in variants(path, *texts)] == ["Is the lamp on the pole?"]
    perturbation = P2Perturbation(("paraphrastic",), ppdb=read_ppdb([path]))
    (refusal,) = perturbation.vary(Question(1, None, texts[0]), Random(0))
    assert refusal.reason == "inside a fixed phrase"
