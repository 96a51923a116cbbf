"""The basic question suite: options, groups, figures by hand, the paper's tables, and the data set it writes."""

import json
from dataclasses import dataclass, replace

import pytest

import askew
from askew.data.jsonl import Lines
from askew.engine.build import Coverage
from askew.engine.components import Questions
from askew.engine.publish import publish, publish_rankings
from askew.engine.settings import Named, Settings
from askew.errors import BadOption, DataError, MissingExtra, UsageError
from askew.metrics.noise import r_score
from askew.models.python_function import CallableModel
from askew.suites.basic import BasicSuite, training
from askew.suites.rad import RadSuite
from askew.suites.suite_parts import published
from askew.types import Expect, Group, ImageRef, Kind, Outcome, Prediction, Question, Variant
from askew.world.dataset import World
from word_ranker import Words


@dataclass(frozen=True)
class Backwards(Words):
    """The same words, furthest first: another ranker."""

    def __repr__(self):
        return "Backwards()"

    def fit(self, pool):
        return Words().fit(tuple(pool)[::-1])


THINGS = ("car", "cat", "cup", "hat", "dog", "bus")
DATA = Questions(
    tuple(
        Question(number, ImageRef(number), text, (answer,) * 10, Kind(kind))
        for number, (text, answer, kind) in enumerate(
            [
                *((f"Is the {thing} red?", "yes", "yes/no") for thing in THINGS),
                *((f"How many {thing}s are red?", "2", "number") for thing in THINGS),
                *((f"What is on the very red {thing}?", "paint", "other") for thing in THINGS),
                ("Is the car red?", "no", "yes/no"),
            ]
        )
    )
)


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ASKEW_CACHE", str(tmp_path / "cache"))


@pytest.fixture
def rankers(monkeypatch):
    """Two rankers by name, as the registry has them."""
    import askew.suites.basic as module

    made = {"words": Words(), "back": Backwards()}
    monkeypatch.setattr(module, "make", lambda kind, spec: made[spec.partition(":")[0]])


def groups(data=DATA, **options):
    return [item for item in BasicSuite(**{"ranker": Words(), **options}).groups(data, 0) if isinstance(item, Group)]


def test_a_group_has_a_variant_for_each_partition():
    suite = BasicSuite(Words(), top=6)
    made = groups(top=6)
    assert suite.tests == ("partition 1", "partition 2")
    assert [len(group.variants) for group in made] == [2] * 19
    first = made[0]
    # "Is the ... red?" five times with 3 of 5 words in common, then "What is on the very red car?" with 4 of 7
    assert first.variants[0].note["basic"] == [f"Is the {thing} red?" for thing in ("cat", "cup", "hat")]
    assert first.variants[1].note["basic"] == ["Is the dog red?", "Is the bus red?", "What is on the very red car?"]
    assert first.variants[0].question.text == "Is the car red? Is the cat red? Is the cup red? Is the hat red?"
    assert first.variants[0].note["scores"] == [0.6] * 3
    assert made[-1].variants[0].question.text == first.variants[0].question.text, "the same text, ranked once"


def test_a_yes_no_pool_and_a_pool_of_its_own(tmp_path):
    assert {text for group in groups(kind="yesno", top=3) for v in group.variants for text in v.note["basic"]} <= {
        f"Is the {thing} red?" for thing in THINGS
    }
    (tmp_path / "pool.txt").write_text("Is it hot?\nIs it cold?\nWhat is hot?\nIs it warm?\nIs it cool?\n")
    pool = Lines(str(tmp_path / "pool.txt"))
    assert groups(pool=pool, top=3)[0].variants[0].note["basic"] == ["Is it hot?", "Is it cold?", "What is hot?"]
    assert groups(pool=pool, kind="yesno", top=3)[0].variants[0].note["basic"][2] == "Is it warm?"


def test_a_pool_that_is_too_small_is_refused(tmp_path):
    (tmp_path / "pool.txt").write_text("What is hot?\n" * 9)
    with pytest.raises(DataError, match="a pool of 1 questions is too small"):
        groups(pool=Lines(str(tmp_path / "pool.txt")))
    with pytest.raises(DataError, match="a pool of 0 yes/no questions is too small"):
        groups(pool=Lines(str(tmp_path / "pool.txt")), kind="yesno")


def test_the_worlds_training_questions_are_its_pool():
    world = World(scenes=10, seed=3)
    assert training(world) == World("train", scenes=10, seed=3)
    assert training(DATA) is DATA


def test_noise_is_cut_at_the_word_limit():
    made = groups(words=8, top=3)
    assert {len(v.question.text.split()) for group in made for v in group.variants} == {8}
    assert made[0].variants[0].note["truncated"] == 8
    cover = Coverage(suite := BasicSuite(Words(), words=4, top=3))
    for item in suite.groups(DATA, 0):
        cover.count(item)
    assert cover.records()[0]["refused"] == {"the question alone fills the 4 words": 19}


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"kind": "all"}, "general or yesno"),
        ({"top": 20}, "multiple of 3"),
        ({"top": 0}, "multiple of 3"),
        ({"words": 0}, "words"),
        ({"t": 0.3}, "t < m"),
        ({"correct": "often"}, "often"),
    ],
)
def test_bad_options_are_refused_at_once(options, says):
    with pytest.raises(BadOption, match=says):
        BasicSuite(**{"ranker": Words(), **options})


def test_a_file_that_is_not_a_bqd_is_refused_at_once(tmp_path):
    with pytest.raises(DataError, match="no such file"):
        BasicSuite(bqd=str(tmp_path / "none.jsonl"))


def test_ranking_options_are_in_the_signature_and_speed_options_are_not():
    assert repr(BasicSuite(Words(), progress=True)) == repr(BasicSuite(Words()))
    assert repr(BasicSuite(Words(), kind="yesno")) != repr(BasicSuite(Words()))


@pytest.mark.usefixtures("rankers")
def test_several_rankers_have_separate_tests_parts_and_tables():
    suite = BasicSuite("words+back", top=6)
    assert suite.tests == ("words 1", "words 2", "back 1", "back 2")
    result = askew.evaluate("constant:yes", DATA, suite)
    for part in ("made_by=basic/words", "made_by=basic/back"):
        assert result.score("accuracy.noise.2", part).n == 19
        assert result.score("rscore.1", part).value == 1
    assert result.score("accuracy.variant", "test=back 2").n == 19
    ids = [table.id for table in suite.tables]
    assert "basic-by-ranker-rscore.1" in ids
    assert "basic-by-ranker-rscore.1" not in [table.id for table in BasicSuite("words").tables]


@pytest.mark.usefixtures("rankers")
def test_options_of_a_ranker_and_the_same_ranker_twice():
    assert BasicSuite("words:a=1;b=2+words").rankers == ("words:a=1,b=2", "words")
    with pytest.raises(BadOption, match="named twice"):
        BasicSuite("words+words")


def test_scores_by_hand():
    """A model that answers the last question it reads is wrong as soon as the noise asks something else."""

    def last(image, question):
        asked = question.rstrip("?").rpartition("? ")[2]
        return "yes" if asked.startswith("Is") else "2" if asked.startswith("How") else "paint"

    result = askew.evaluate(CallableModel.of(last, blind=True), DATA, BasicSuite(Words(), top=6))
    # Clean: all 18, and the one that says no wrong. Partition 1 has questions of the same kind, all of them right;
    # partition 2 ends in a question of another kind, since there are only five others of the same.
    assert result.score("accuracy.noise.0").value == pytest.approx(18 / 19)
    assert result.score("accuracy.noise.1").value == pytest.approx(18 / 19)
    assert result.score("rscore.1").value == 1
    assert result.score("noise.step.1").value == pytest.approx(0)
    lost = 18 / 19 - result.score("accuracy.noise.2").value
    assert lost > 0.5
    assert result.score("noise.loss.2").value == result.score("noise.step.2").value == pytest.approx(lost)
    assert result.score("rscore.2").value == 0
    assert result.score("noise.falls").value == 0.5
    assert result.score("accuracy.noise.2", "answer_type=number").n == 6
    assert result.score("rscore.1", "answer_type=yes/no").n == 7


def test_consensus_means_the_same_in_every_suite():
    """Two of ten people said dog: accuracy 0.6, so right as Shah et al. (2019) count, though most said cat."""
    asked = Question(1, None, "What?", ("cat",) * 8 + ("dog",) * 2)
    again = Variant(replace(asked, id=2), Expect.NOISE, "partition 1", "basic/words", {"level": 1})
    outcome = Outcome(Group(1, "basic", asked, (again,)), Prediction(1, "dog"), (Prediction(2, "dog"),))
    for suite in (BasicSuite(Words()), RadSuite()):
        assert suite.metrics["cs.2"].measure(outcome) == (1.0, 1.0)


def test_t_and_m_set_the_scale():
    outcome_of = BasicSuite(Words(), t=0.0, m=0.25).metrics["rscore.1"]
    assert float(outcome_of.combine([1.0, 0.9375, 1.0])) == pytest.approx(0.5)


def test_builds_a_data_set_and_uses_it_again(tmp_path):
    suite = BasicSuite(Words(), top=6)
    publish(Named(suite, "basic"), Named(DATA, "questions"), tmp_path / "one", Settings(), "build")
    lines = (tmp_path / "one" / "bqd.jsonl").read_text().splitlines()
    assert len(lines) == 1 + 19
    assert json.loads(lines[0])["pool"] == json.loads(lines[0])["pool"] | {"questions": 18, "name": "questions"}
    assert [len(json.loads(line)["basic"]) for line in lines[1:]] == [6] * 19
    again = BasicSuite(bqd=str(tmp_path / "one" / "bqd.jsonl"), top=6)
    assert again.rankers == ("words",)
    publish(Named(again, "basic"), Named(DATA, "questions"), tmp_path / "two", Settings(), "build")
    assert (tmp_path / "two" / "bqd.jsonl").read_bytes() == (tmp_path / "one" / "bqd.jsonl").read_bytes()
    texts = [[v.question.text for v in group.variants] for group in groups(top=6)]
    assert [[v.question.text for v in group.variants] for group in again.groups(DATA, 0)] == texts


@pytest.mark.usefixtures("rankers")
def test_each_ranker_writes_its_own_file(tmp_path):
    publish(Named(BasicSuite("words+back"), ""), Named(DATA, ""), tmp_path / "out", Settings(), "build")
    names = sorted(path.name for path in (tmp_path / "out").glob("bqd*.jsonl"))
    assert names == ["bqd-back.jsonl", "bqd-words.jsonl"]


def test_a_limit_also_limits_ranking(tmp_path, monkeypatch):
    import askew.suites.basic as module

    monkeypatch.setattr(module, "BATCH", 1)
    log = tmp_path / "log"
    suite = BasicSuite(Words(str(log)), top=3)
    askew.evaluate("constant:yes", DATA, suite, limit=2)
    assert sum(map(int, log.read_text().split())) == 4


@pytest.mark.parametrize("kind", ["general", "yesno"])
def test_published_figures_are_consistent(kind):
    """Diff is the accuracy without noise minus that with it, and R_score follows from the first Diff."""
    figures = published("basic")
    checked = 0
    for model, values in figures[f"{kind}_all"].items():
        losses = figures[f"{kind}_diff"][model]
        for level, lost in enumerate(losses, 1):
            if lost is not None and values[level] is not None and (kind, model) not in SIC:
                assert values[0] - values[level] == pytest.approx(lost, abs=0.011), (model, level)
                checked += 1
        if len(values) == 9 and None not in (values[8], losses[0]):
            assert round(float(r_score(losses[0] / 100)), 2) == values[8]
    assert checked > 30


SIC = {("yesno", "MUTAN"), ("yesno", "MUTAN (test-std)")}


def test_published_answer_types_lie_around_the_whole():
    figures = published("basic")
    for kind in ("general", "yesno"):
        for model, whole in figures[f"{kind}_all"].items():
            parts = [figures[f"{kind}_{name}"][model] for name in ("other", "number", "yesno")]
            for level in range(min(8, len(whole))):
                here = [part[level] for part in parts]
                if None not in (*here, whole[level]):
                    assert min(here) < whole[level] < max(here), (kind, model, level)


def test_published_figures_are_in_the_correct_columns():
    tables = {table.id: table for table in BasicSuite(Words()).tables}
    assert [column.label for column in tables["basic-all"].columns] == [*"01234567", "R_score"]
    assert tables["basic-all"].published["LSTM Q+I"] == (58.02, 44.47, 42.75, 40.97, 40.86, 40.70, 40.19, 39.21, 0.19)
    assert tables["basic-loss"].published["HieCoAtt (VGG19)"][0] == 5.85
    # The heading of Table 2 f and its row "dev: partition 1", then "std: partition 1", where no R_score is printed.
    assert tables["basic-1"].published["LSTM Q+I"] == (29.24, 33.77, 65.14, 44.47, 13.55, 0.19)
    assert tables["basic-1"].published["LSTM Q+I (test-std)"] == (29.68, 33.76, 65.09, 44.70, 13.48, None)
    short = {table.id: table for table in BasicSuite(Words(), top=6).tables}
    assert short["basic-all"].published["LSTM Q+I"] == (58.02, 44.47, 42.75, 0.19)
    other = {table.id: table for table in BasicSuite(Words(), kind="yesno").tables}
    assert other["basic-all"].published["HieCoAtt (ResNet200)"][8] == 0.53


def test_scoring_needs_no_ranker_and_building_reports_what_to_install(monkeypatch):
    import askew.suites.basic as module

    def missing(kind, spec):
        raise MissingExtra("pip install 'askew[rank]'")

    monkeypatch.setattr(module, "make", missing)
    suite = BasicSuite("lasso+bleu4")
    assert "rscore.7" in suite.metrics
    assert suite.tests[7] == "bleu4 1"
    with pytest.raises(MissingExtra, match="rank"):
        list(suite.groups(DATA, 0))


def test_progress_shows_what_is_left(capsys):
    list(BasicSuite(Words(), top=3, progress=True).groups(DATA, 0))
    assert "Ranking (words): 100%" in capsys.readouterr().err


def test_rankings_alone_are_those_of_the_benchmark(rankers, tmp_path):
    suite = Named(BasicSuite("words+back", top=3), "basic")
    publish(suite, Named(DATA, "mine"), tmp_path / "whole", Settings(), "build")
    message = publish_rankings(suite, Named(DATA, "mine"), tmp_path / "alone", Settings(), "build")
    names = ["bqd-back.jsonl", "bqd-words.jsonl"]
    assert sorted(path.name for path in (tmp_path / "alone").glob("*.jsonl")) == names
    for name in names:
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert "19 questions" in message
    publish_rankings(suite, Named(DATA, "mine"), tmp_path / "first", Settings(limit=2), "build")
    few, whole = ((tmp_path / folder / names[1]).read_bytes() for folder in ("first", "alone"))
    assert whole.startswith(few), "the limit does not change the pool"
    assert len(few.splitlines()) == 3
    with pytest.raises(UsageError, match="ranks no questions; basic does"):
        publish_rankings(Named(RadSuite(), "rad"), Named(DATA, "mine"), tmp_path / "rad", Settings(), "build")
    with pytest.raises(DataError, match="no question in it"):
        publish_rankings(suite, Named(Questions(()), "none"), tmp_path / "none", Settings(), "build")


def test_the_papers_rankers_have_one_name():
    eight = ("lasso", "bleu1", "bleu2", "bleu3", "bleu4", "rouge", "cider", "meteor")
    assert BasicSuite("paper").rankers == eight
    assert BasicSuite("paper+lasso:sign=free").rankers == (*eight, "lasso:sign=free")
