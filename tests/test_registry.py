"""Components by the specs that users type."""

from __future__ import annotations

import pytest

from askew import registry
from askew.errors import AskewError, BadOption, MissingExtra, UnknownName
from askew.models.baselines import Constant


def test_every_built_in_can_be_imported():
    for kind in registry.KINDS:
        for name in registry.names(kind):
            options, summary = registry.describe(kind, name)
            assert summary.endswith((".", ":")), (kind, name, summary)
            assert options


@pytest.mark.parametrize("spec", ["constant:no", "constant:say=no", "constant:say= no".replace(" ", "")])
def test_an_option_may_be_named_or_given_first(spec):
    assert registry.make("model", spec) == Constant("no")


def test_an_option_may_have_the_name_of_a_parameter_of_make():
    """``askew build basic --kind yesno`` once ended in a TypeError."""
    assert registry.make("suite", "basic", kind="yesno") == registry.make("suite", "basic:kind=yesno")


def test_what_looks_like_a_model_is_named_with_its_prefix(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "checkpoint").mkdir()
    for name, hint in {
        "gpt-4o": "openai:gpt-4o ",
        "Qwen/Qwen2-VL": "openai:Qwen/Qwen2-VL (an endpoint) or hf:Qwen/Qwen2-VL ",
        "my_model.py": "python:my_model.py:FUNCTION?",
        "answers.jsonl": "predictions:answers.jsonl?",
        "checkpoint": "hf:checkpoint?",
        "constnat": "'constant'?",
    }.items():
        with pytest.raises(UnknownName) as refused:
            registry.make("model", name)
        assert f"Did you mean {hint}" in str(refused.value)


def test_text_after_a_comma_belongs_to_the_option_before_it():
    assert registry.make("model", "constant:yes, of course") == Constant("yes, of course")


def test_numbers_and_booleans_are_converted(tmp_path):
    suite = registry.make("suite", "rad:yes=0.25")
    assert suite.yes == 0.25


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("rad:yse=0.5", "no option 'yse'. Did you mean 'yes'?"),
        ("rad:yes=often", "'often' is not a number"),
        ("rad:yes=0.5,yes=0.6", "given twice"),
        ("rad:yes=0.5,sede=3", "no option 'sede'"),
        ("accuracy:accuracy=offical", "is not one of official, robust"),
    ],
)
def test_wrong_options_say_what_would_be_accepted(spec, words):
    with pytest.raises(BadOption, match=words.replace("?", r"\?")):
        registry.make("suite", spec)


def test_a_missing_option_is_named():
    with pytest.raises(BadOption, match="'file' is missing"):
        registry.make("model", "predictions")


def test_near_misses_are_suggested():
    with pytest.raises(UnknownName, match="Did you mean 'constant'"):
        registry.make("model", "constnat:yes")


class Outside:
    """A package's entry point."""

    def __init__(self, name, value, made=Constant):
        self.name, self.value, self.made = name, value, made

    def load(self):
        if isinstance(self.made, Exception):
            raise self.made
        return self.made


@pytest.fixture
def joined(monkeypatch):
    """Other packages that are installed."""

    def join(*points):
        monkeypatch.setattr(registry, "entry_points", lambda group: points)
        registry._plugins.cache_clear()

    yield join
    registry._plugins.cache_clear()


def test_other_packages_register_through_entry_points(monkeypatch):
    registry._plugins.cache_clear()
    monkeypatch.setattr(registry, "entry_points", lambda group: [Outside("parrot", "zoo:Parrot")])
    try:
        assert registry.make("model", "parrot:hello") == Constant("hello")
        assert "parrot" in registry.names("model")
    finally:
        registry._plugins.cache_clear()


def test_an_entry_point_may_not_take_the_name_of_a_built_in(monkeypatch):
    registry._plugins.cache_clear()
    monkeypatch.setattr(registry, "entry_points", lambda group: [Outside("constant", "zoo:Constant")])
    try:
        with pytest.raises(AskewError, match="has the name of the built-in model 'constant'"):
            registry.names("model")
    finally:
        registry._plugins.cache_clear()


def test_an_option_may_have_the_name_of_a_python_keyword():
    assert registry.make("ranker", "lasso:lambda=1e-5,sign=free").lambda_ == 1e-5
    with pytest.raises(BadOption, match="there is no option 'class'"):
        registry.make("ranker", "lasso:class=1")
    assert "lambda=1e-06" in registry.describe("ranker", "lasso")[0]


def test_a_component_that_needs_an_extra_names_it(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError("No module named 'torch'", name="torch")

    monkeypatch.setattr(registry, "import_module", missing)
    with pytest.raises(MissingExtra, match=r"A net needs 'torch'.*pip install 'askew\[train\]'"):
        registry.make("net", "xnm")
    options, summary = registry.describe("net", "xnm")
    assert "not known" in options
    assert "pip install" in summary


def test_a_broken_import_of_ours_is_not_taken_for_a_missing_extra(monkeypatch):
    def broken(name):
        raise ModuleNotFoundError("No module named 'askew.nets.gone'", name="askew.nets.gone")

    monkeypatch.setattr(registry, "import_module", broken)
    with pytest.raises(ModuleNotFoundError):
        registry.make("net", "xnm")


@pytest.mark.parametrize(
    "made", [AttributeError("no Parrot"), ModuleNotFoundError("no zoo"), RuntimeError("boom"), 3, registry]
)
def test_a_broken_package_is_named_and_the_list_continues_without_it(joined, made):
    joined(Outside("parrot", "zoo:Parrot", made))
    with pytest.raises(AskewError, match=r"The model 'parrot' .* 'zoo:Parrot', which cannot be used .*uninstall"):
        registry.make("model", "parrot")
    assert "'zoo:Parrot', which cannot be used" in registry.describe("model", "parrot")[1]


def test_a_component_without_its_method_is_refused_before_anything_is_asked(joined):
    joined(Outside("parrot", "zoo:Parrot", Constant))
    with pytest.raises(AskewError, match=r"'parrot' .* is not a reader: Constant has no name, skipped, questions"):
        registry.make("reader", "parrot")


def test_two_packages_may_not_take_the_same_name(joined):
    joined(Outside("parrot", "zoo:Parrot"), Outside("parrot", "farm:Parrot"))
    with pytest.raises(AskewError, match=r"Two packages register a model called 'parrot': 'zoo:Parrot' and 'farm"):
        registry.make("model", "parrot")


@pytest.mark.parametrize("where", [{"spec": "l\udcfc.jsonl"}, {"spec": "world:val", "images": "l\udcfc"}])
def test_a_path_that_results_cannot_record_is_refused_at_once(where):
    with pytest.raises(BadOption, match="is not UTF-8"):
        registry.open_data(**where)
