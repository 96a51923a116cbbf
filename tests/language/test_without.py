"""A package is hidden from one thread, for a while; spaCy and lemminflect come without what they need not have."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module

import pytest

from askew.language.without import without

SEEN = """
import sys
import askew.cli
from askew.language.inflect import plural
from askew.language.tagger import Tagger
print(plural("dog"), "spacy" in sys.modules)
print(Tagger().tags(["Is it?"])[0][0].tag, "torch" in sys.modules)
"""


def test_what_was_imported_before_stays():
    with without("json"):
        assert import_module("json") is sys.modules["json"]


def test_other_threads_and_packages_see_all(monkeypatch):
    for name in ("wave", "colorsys"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    with without("wave"), ThreadPoolExecutor(1) as thread:
        with pytest.raises(ModuleNotFoundError):
            import_module("wave")
        assert import_module("colorsys").__name__ == "colorsys"
        assert thread.submit(import_module, "wave").result().__name__ == "wave"


def test_nothing_stays_hidden_after_an_error():
    before = list(sys.meta_path)
    with pytest.raises(ZeroDivisionError), without("wave"):
        raise ZeroDivisionError
    assert sys.meta_path == before


def test_lemminflect_comes_without_spacy_and_on_the_command_line_spacy_without_torch():
    done = subprocess.run([sys.executable, "-c", SEEN], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["dogs", "False", "VBZ", "False"]
