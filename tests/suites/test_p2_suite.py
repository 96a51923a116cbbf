"""The P2 suite: options, groups, figures by hand, the paper's tables, and the release's format."""

import json
from pathlib import Path

import pytest

import askew
from askew.data.benchmarks.vqa import Vqa
from askew.engine.components import Questions
from askew.engine.publish import publish
from askew.engine.settings import Named, Settings
from askew.errors import BadOption, DataError
from askew.language.paraphrase_tables import read_ppdb
from askew.suites.p2 import P2Suite, write_release
from askew.types import Group, ImageRef, Outcome, Prediction, Question, Refusal

DATA = Questions(
    tuple(
        Question(number, ImageRef(number), text, (answer,) * 10)
        for number, (text, answer) in enumerate(
            [
                ("Who has the car?", "nobody"),
                ("What is the automobile next to?", "tree"),
                ("What is next to the bed?", "lamp"),
                ("Who is beside?", "nobody"),
                ("Is the window open?", "yes"),
                ("Are the windows closed?", "no"),
                ("Is the boy tall?", "no"),
                ("Is the girl short?", "no"),
                ("What is this?", "a clock"),
            ]
        )
    )
)


def groups(**options):
    return [item for item in P2Suite(**options).groups(DATA, 0) if isinstance(item, Group)]


def test_groups_and_refusals():
    items = list(P2Suite().groups(DATA, 0))
    made = {(g.id, v.test): v.question.text for g in items if isinstance(g, Group) for v in g.variants}
    assert made == {
        (0, "syn"): "Who has the automobile?",
        (1, "syn"): "What is the car next to?",
        (2, "para"): "What is beside the bed?",
        (4, "ant"): "Is the window closed?",
        (5, "syn"): "Are the windows shut?",
        (5, "ant"): "Are the windows open?",
    }
    assert [(i.question_id, i.test, i.reason) for i in items if isinstance(i, Refusal)] == [
        (6, "ant", "a no does not imply the opposite"),
        (7, "ant", "a no does not imply the opposite"),
    ]
    assert list(P2Suite().groups(DATA, 0)) == items


def test_options():
    assert [g.id for g in groups(perturbations="synonymous")] == [0, 1, 5]
    assert [g.id for g in groups(perturbations="synonymous", vocabulary="data")] == [0, 1]
    assert [g.id for g in groups(perturbations="ant,para")] == [2, 4, 5]
    assert [g.id for g in groups(perturbations="ant", contraries="all")] == [4, 5, 6, 7]
    assert len(groups(originals="all")) == 9
    assert P2Suite("antonymous,synonymous").tests == ("syn", "ant")
    unknown = Questions((Question(1, None, "Who is the kid?"),))
    reasons = [i.reason for i in P2Suite(vocabulary="data").groups(unknown, 0)]
    assert reasons == ["the synonym is not in the data's vocabulary"]
    for options in ({"least": 0, "vocabulary": "data"}, {"vocabulary": "everyday"}):
        assert [g.variants[0].question.text for g in P2Suite(**options).groups(unknown, 0)] == ["Who is the child?"]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"perturbations": "typos"}, "no perturbation 'typos'"),
        ({"perturbations": ""}, "no perturbation is given"),
        ({"originals": "some"}, "originals"),
        ({"least": -1}, "least"),
        ({"share": 0.0}, "share"),
        ({"variants": 0}, "variants"),
        ({"vocabulary": "all"}, "vocabulary"),
        ({"ppdb": "no/such/file"}, "no such file"),
        ({"correct": "often"}, "often"),
    ],
)
def test_bad_options_are_refused_at_once(options, says):
    with pytest.raises(BadOption, match=says):
        P2Suite(**options)


def test_an_empty_ppdb_folder_is_refused(tmp_path):
    with pytest.raises(BadOption, match=r"no ppdb-2\.0-\* file"):
        P2Suite(ppdb=str(tmp_path))


def test_scores_by_hand():
    """Five pairs: syn both right, syn only the original; para both; ant none, ant only the variant."""
    right = {0: (True, True), 1: (True, False), 2: (True, True), 4: (False, False), 5: (False, True)}
    outcomes = []
    for group in groups(vocabulary="data"):
        original, variant = right[group.id]
        answer = group.variants[0].question.answers[0] if variant else "perhaps"
        first = group.original.answers[0] if original else "perhaps"
        outcomes.append(
            Outcome(group, Prediction(group.id, first), (Prediction(group.variants[0].question.id, answer),))
        )
    values = {}
    for name, metric in P2Suite().metrics.items():
        rows = [row for row in map(metric.measure, outcomes) if row is not None]
        values[name] = float(metric.combine([sum(column) for column in zip(*rows, strict=True)]))
    assert values["accuracy.original"] == values["accuracy.variant"] == pytest.approx(3 / 5)
    assert values["accuracy.gap"] == pytest.approx(0)
    assert values["mu"] == pytest.approx(3 / 5)
    assert values["cs.2"] == pytest.approx(2 / 5)


def test_several_variants_give_consistency_scores_of_larger_groups():
    """CS(3) of a question and two synonymous variants of it: correct only if all three are."""
    texts = ("Who owns the airplanes?", "Is the child by the car or the couch?", "Who is the tall man?")
    data = Questions(tuple(Question(n, ImageRef(n), text, ("yes",) * 10) for n, text in enumerate(texts)))
    suite = P2Suite("synonymous", variants=3)
    several = [group for group in suite.groups(data, 0) if isinstance(group, Group)]
    assert [len(group.variants) for group in several] == [2, 3, 2]
    for group in several:
        assert len({group.original.text, *(v.question.text for v in group.variants)}) == 1 + len(group.variants)
        assert len({v.question.id for v in group.variants}) == len(group.variants)
    result = askew.evaluate("constant:yes", data, suite, name="yes")
    assert [result.score(f"cs.{k}").n for k in (2, 3, 4)] == [3, 3, 1]
    assert result.score("cs.4").value == result.score("cs.3", "test=syn").value == 1
    assert [column.label for column in suite.tables[-1].columns] == [
        *("CS(2)", "CS(3)", "CS(4)"),
        *("Synonymous CS(2)", "Synonymous CS(3)", "Synonymous CS(4)"),
    ]
    assert "cs.3" not in P2Suite().metrics


def test_an_unchanging_model_is_correct_on_no_antonym():
    outcomes = [
        Outcome(
            g, Prediction(g.id, a := g.original.answers[0]), tuple(Prediction(v.question.id, a) for v in g.variants)
        )
        for g in groups(perturbations="antonymous")
    ]
    metric = P2Suite().metrics["cs.2"]
    assert [metric.measure(outcome) for outcome in outcomes] == [(0.0, 1.0), (0.0, 1.0)]


def test_published_figures_are_the_papers():
    tables = {table.id: table for table in P2Suite(originals="all").tables}
    assert [column.label for column in tables["p2-2"].columns[:4]] == [
        "VQA v2",
        "Synonymous Pert",
        "Synonymous Ori",
        "Synonymous Δ",
    ]
    for row in tables["p2-2"].published.values():
        for start in (1, 4, 7):  # Δ is Pert − Ori as printed
            assert row[start + 2] == pytest.approx(row[start] - row[start + 1], abs=0.11)
    # §5.1: the mean drop is −2.4 for synonymous and −0.9 for paraphrastic perturbations, for antonymous at least −10.1.
    rows = list(tables["p2-2"].published.values())
    assert sum(row[3] for row in rows) / 4 == pytest.approx(-2.4, abs=0.05)
    assert sum(row[6] for row in rows) / 4 == pytest.approx(-0.9, abs=0.05)
    assert max(row[9] for row in rows) == -10.1
    assert tables["p2-3"].published["XNM + Q3R"] == (68.1, 68.9, 74.4, 64.7)
    assert tables["p2-4"].published["HybridNet"] == (62.5, 65.0, 53.3, 55.7, 79.9, 76.4)


def test_the_release_names_the_original_of_each_question(tmp_path):
    asked, answered = write_release(groups(vocabulary="data"), str(tmp_path))
    questions = json.loads(Path(asked).read_text(encoding="utf-8"))["questions"]
    assert questions[0] == {
        "image_id": 0,
        "question_id": "0/syn",
        "original_id": 0,
        "perturbation": "syn",
        "src": "reviewed",
        "question": "Who has the automobile?",
    }
    assert [q["perturbation"] for q in questions] == ["syn", "syn", "para", "ant", "ant"]
    assert {q["src"] for q in questions if q["perturbation"] == "ant"} == {"wordnet"}
    annotations = json.loads(Path(answered).read_text(encoding="utf-8"))["annotations"]
    assert [a["multiple_choice_answer"] for a in annotations] == ["nobody", "tree", "lamp", "no", "yes"]
    read = list(Vqa(asked).questions())
    assert [q.text for q in read] == [q["question"] for q in questions]
    assert read[3].answers == ("no",) * 10


def test_the_release_needs_images(tmp_path):
    bare = Group(1, "p2", Question(1, None, "?"), groups()[0].variants[:0])
    write_release([bare], str(tmp_path))
    with pytest.raises(DataError, match="no image"):
        write_release(P2Suite(least=0).groups(Questions((Question(1, None, "Where is the kid?"),)), 0), str(tmp_path))


def test_a_run_from_data_to_tables():
    result = askew.evaluate("constant:yes", DATA, P2Suite(originals="all"), name="yes")
    assert result.score("accuracy.original", "test=ant").value == pytest.approx(1 / 2)
    assert result.score("accuracy.variant", "test=ant").value == pytest.approx(1 / 2)
    assert result.score("cs.2", "test=ant").value == 0
    assert result.score("accuracy.all").value == pytest.approx(1 / 9)
    assert result.score("accuracy.variant", "made_by=syn/car→automobile").n == 1


def test_the_datasheet_says_which_ppdb_rules_were_kept_and_why_others_were_not(tmp_path):
    end = "||| 0-0 ||| Equivalence\n"
    (tmp_path / "ppdb-2.0-s-all").write_text(
        f"[NN] ||| car ||| automobile ||| PPDB2.0Score=5 {end}"
        f"[IN] ||| in front of ||| before ||| PPDB2.0Score=5 {end}"
        f"[NN] ||| car ||| thing ||| PPDB2.0Score=1 {end}"
        f"[NN] ||| bed ||| thing ||| PPDB2.0Score=1 {end}"
        f"[DT] ||| the ||| a ||| PPDB2.0Score=5 {end}"
    )
    suite = P2Suite(ppdb=str(tmp_path))
    sheet = publish(Named(suite, "p2"), Named(DATA, "data"), tmp_path / "bench", Settings(), "askew build")
    assert "\n- tagger en_core_web_sm" in sheet
    assert ", WordNet 3.0\n" in sheet
    signature = read_ppdb([str(tmp_path / "ppdb-2.0-s-all")]).signature
    assert f"\n- PPDB: 2 rules kept (`{signature}`); left out: score too low: 2; no content word: 1\n" in sheet
    assert "PPDB" not in publish(
        Named(P2Suite(), "p2"), Named(DATA, "d"), tmp_path / "bench", Settings(overwrite=True), "askew build"
    )
