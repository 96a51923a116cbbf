"""Components by the specs that users type.

A spec is a name, then the component's main argument, then options::

    rad                          rad:yes=0.5,seed=3
    constant:no                  predictions:answers.json,allow_missing=true
    python:package.module:function,batch=true
    lasso:sign=free,lambda=1e-5  xnm:hidden=128

Built-ins are listed in the table below and imported on demand. Other packages register components through entry points
in the groups ``askew.suite``, ``askew.model`` and so on, one for each kind; they may not use the name of a built-in.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import is_dataclass
from functools import lru_cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from keyword import iskeyword
from typing import Any

from askew.errors import AskewError, BadOption, MissingExtra, UnknownName, did_you_mean
from askew.verbs import Dataset, Encoder, Metric, Model, Ranker, Streams, Suite

KINDS = ("suite", "model", "reader", "metric", "attack", "ranker", "encoder", "net", "loss", "executor")

EXTRAS = {"attack": "language", "ranker": "rank", "encoder": "rank", "net": "train", "loss": "train"}
"""Kinds whose components all need an extra."""

VERBS: Mapping[str, type] = {
    "suite": Suite,
    "model": Model,
    "reader": Dataset,
    "metric": Metric,
    "ranker": Ranker,
    "encoder": Encoder,
}
"""The protocol that components of each kind implement."""

BUILT_IN: Mapping[str, Mapping[str, str]] = {
    "suite": {
        "accuracy": "askew.suites.accuracy_suite:AccuracySuite",
        "attack": "askew.suites.attack_suite:AttackSuite",
        "backtranslate": "askew.suites.backtranslate:BackTranslationSuite",
        "basic": "askew.suites.basic:BasicSuite",
        "carets": "askew.suites.carets:CaretsSuite",
        "choices": "askew.suites.choices_suite:ChoicesSuite",
        "corruption": "askew.suites.visual:CorruptionSuite",
        "amber": "askew.suites.benchmarks:AmberSuite",
        "avqa": "askew.suites.benchmarks:AvqaSuite",
        "hallusionbench": "askew.suites.benchmarks:HallusionBenchSuite",
        "convqa": "askew.suites.benchmarks:ConVqaSuite",
        "gqa-ood": "askew.suites.benchmarks:GqaOodSuite",
        "vqa-ce": "askew.suites.benchmarks:VqaCeSuite",
        "vqa-cp": "askew.suites.benchmarks:VqaCpSuite",
        "vqa-lol": "askew.suites.benchmarks:VqaLolSuite",
        "cv-vqa": "askew.suites.benchmarks:CvVqaSuite",
        "iv-vqa": "askew.suites.benchmarks:IvVqaSuite",
        "introspect": "askew.suites.benchmarks:IntrospectSuite",
        "mmvp": "askew.suites.benchmarks:MmvpSuite",
        "pope-v2": "askew.suites.benchmarks:PopeV2Suite",
        "vqa-pairs": "askew.suites.benchmarks:VqaPairsSuite",
        "vqa-rephrasings": "askew.suites.benchmarks:VqaRephrasingsSuite",
        "naturalbench": "askew.suites.benchmarks:NaturalBenchSuite",
        "p2": "askew.suites.p2:P2Suite",
        "pope": "askew.suites.benchmarks:PopeSuite",
        "rad": "askew.suites.rad:RadSuite",
        "sugarcrepe": "askew.suites.benchmarks:SugarCrepeSuite",
        "visual": "askew.suites.visual:VisualSuite",
        "winoground": "askew.suites.benchmarks:WinogroundSuite",
    },
    "model": {
        "bundled": "askew.models.onnx_model:Bundled",
        "constant": "askew.models.baselines:Constant",
        "prior": "askew.models.baselines:prior",
        "scripted": "askew.models.baselines:scripted",
        "hf": "askew.models.huggingface.hf_model:hf",
        "openai": "askew.models.endpoint.openai:OpenAI",
        "python": "askew.models.python_function:PythonModel",
        "onnx": "askew.models.onnx_model:Onnx",
        "predictions": "askew.models.prediction_file:Predictions",
        "trained": "askew.train.trained_model:TrainedModel",
    },
    "reader": {
        "vqa": "askew.data.benchmarks.vqa:Vqa",
        "pope": "askew.data.benchmarks.pope:Pope",
        "amber": "askew.data.benchmarks.amber:Amber",
        "hallusionbench": "askew.data.benchmarks.hallusionbench:HallusionBench",
        "convqa": "askew.data.benchmarks.convqa:ConVqa",
        "gqa-ood": "askew.data.benchmarks.gqa:GqaOod",
        "vqa-ce": "askew.data.benchmarks.vqa_ce:VqaCe",
        "vqa-cp": "askew.data.benchmarks.vqa_cp:VqaCp",
        "vqa-lol": "askew.data.benchmarks.vqa_lol:VqaLol",
        "cv-vqa": "askew.data.benchmarks.edited_vqa:CvVqa",
        "iv-vqa": "askew.data.benchmarks.edited_vqa:IvVqa",
        "introspect": "askew.data.benchmarks.introspect:VqaIntrospect",
        "mmvp": "askew.data.benchmarks.mmvp:Mmvp",
        "mmstar": "askew.data.benchmarks.mmstar:MmStar",
        "vlmevalkit": "askew.data.benchmarks.vlmevalkit:vlmevalkit",
        "pope-v2": "askew.data.benchmarks.pope:PopeV2",
        "vqa-pairs": "askew.data.benchmarks.vqa_pairs:VqaPairs",
        "vqa-rephrasings": "askew.data.benchmarks.vqa_rephrasings:VqaRephrasings",
        "naturalbench": "askew.data.benchmarks.naturalbench:NaturalBench",
        "carets": "askew.data.benchmarks.paper_releases:CaretsRelease",
        "rad": "askew.data.benchmarks.paper_releases:RadRelease",
        "p2": "askew.data.benchmarks.paper_releases:P2Release",
        "avqa": "askew.data.benchmarks.avqa:Avqa",
        "textvqa": "askew.data.benchmarks.plain_sets:TextVqa",
        "vizwiz": "askew.data.benchmarks.plain_sets:VizWiz",
        "okvqa": "askew.data.benchmarks.plain_sets:OkVqa",
        "aokvqa": "askew.data.benchmarks.plain_sets:Aokvqa",
        "tdiuc": "askew.data.benchmarks.plain_sets:Tdiuc",
        "sugarcrepe": "askew.data.benchmarks.sugarcrepe:SugarCrepe",
        "winoground": "askew.data.benchmarks.winoground:Winoground",
        "visdial": "askew.data.benchmarks.visdial:VisDial",
        "blink": "askew.data.benchmarks.plain_sets:Blink",
        "gqa": "askew.data.benchmarks.gqa:Gqa",
        "jsonl": "askew.data.jsonl:Jsonl",
        "csv": "askew.data.jsonl:QuestionTable",
        "groups": "askew.data.groups:GroupFile",
        "lines": "askew.data.jsonl:Lines",
        "scenes": "askew.data.scene_graphs:SceneFile",
        "world": "askew.world.dataset:World",
    },
    "metric": {
        "accuracy": "askew.metrics.accuracy:Accuracy",
        "all-correct": "askew.metrics.correct:AllCorrect",
        "answer-rate": "askew.metrics.consistency:AnswerRate",
        "attack-accuracy": "askew.metrics.attacks:AttackAccuracy",
        "attack-error-rate": "askew.metrics.attacks:AttackErrorRate",
        "attack-note": "askew.metrics.attacks:AttackNote",
        "attack-tries": "askew.metrics.attacks:AttackTries",
        "average-correct": "askew.metrics.correct:AverageCorrect",
        "calibration-error": "askew.metrics.calibration:CalibrationError",
        "comprehensive-accuracy": "askew.metrics.consistency:ComprehensiveAccuracy",
        "consensus": "askew.metrics.consistency:Consensus",
        "correct-given-parts": "askew.metrics.correct:CorrectGivenParts",
        "failure-kind": "askew.metrics.yes_no:FailureKind",
        "flips": "askew.metrics.consistency:Flips",
        "gap": "askew.metrics.accuracy:Gap",
        "head-tail-gap": "askew.metrics.accuracy:HeadTailGap",
        "introspect": "askew.metrics.rad_metrics:Introspect",
        "mu": "askew.metrics.accuracy:Mu",
        "noise-accuracy": "askew.metrics.noise:NoiseAccuracy",
        "noise-falls": "askew.metrics.noise:NoiseFalls",
        "noise-loss": "askew.metrics.noise:NoiseLoss",
        "option-accuracy": "askew.metrics.option_metrics:OptionAccuracy",
        "pair-accuracy": "askew.metrics.consistency:PairAccuracy",
        "rad": "askew.metrics.rad_metrics:Rad",
        "relevance": "askew.metrics.option_metrics:Relevance",
        "rscore": "askew.metrics.noise:RScore",
        "self-consistency": "askew.metrics.consistency:SelfConsistency",
        "valid-attack-rate": "askew.metrics.attacks:ValidAttackRate",
        "yes-no": "askew.metrics.yes_no:YesNo",
        "worst": "askew.metrics.accuracy:Worst",
        "wrong-option": "askew.metrics.option_metrics:WrongOption",
    },
    "attack": {
        "bert-attack": "askew.attack.recipes:bert_attack",
        "pso": "askew.attack.recipes:pso",
        "pwws": "askew.attack.recipes:pwws",
        "sears": "askew.attack.recipes:sears",
        "textfooler": "askew.attack.recipes:textfooler",
        "typos": "askew.attack.recipes:typos",
    },
    "ranker": {
        "bleu1": "askew.rank.overlap:bleu1",
        "bleu2": "askew.rank.overlap:bleu2",
        "bleu3": "askew.rank.overlap:bleu3",
        "bleu4": "askew.rank.overlap:bleu4",
        "cider": "askew.rank.overlap:Cider",
        "cosine": "askew.rank.pool_vectors:Cosine",
        "lasso": "askew.rank.lasso:Lasso",
        "meteor": "askew.rank.overlap:Meteor",
        "rouge": "askew.rank.overlap:Rouge",
    },
    "encoder": {
        "sentence-transformers": "askew.rank.sentence_encoders:SentenceTransformers",
        "use": "askew.rank.sentence_encoders:Use",
        "vectors": "askew.rank.sentence_encoders:Vectors",
    },
    "net": {
        "butd": "askew.nets.net_config:butd",
        "cnn-lstm": "askew.nets.net_config:cnn_lstm",
        "hybridnet": "askew.nets.net_config:hybridnet",
        "language": "askew.nets.net_config:language",
        "lstm-qi": "askew.nets.net_config:lstm_qi",
        "stacknmn": "askew.nets.net_config:stacknmn",
        "transformer": "askew.nets.net_config:transformer",
        "xnm": "askew.nets.net_config:xnm",
    },
    "loss": {
        "answer": "askew.train.losses:AnswerLoss",
        "augment": "askew.train.losses:Augment",
        "consistency": "askew.train.losses:Consistency",
        "q3r": "askew.train.losses:Q3R",
        "random-image": "askew.train.losses:RandomImage",
    },
    "executor": {
        "local": "askew.engine.executors:LocalExecutor",
        "ray": "askew.engine.ray_cluster:RayExecutor",
    },
}


def names(kind: str) -> list[str]:
    """The names of this kind, sorted."""
    return sorted([*BUILT_IN[kind], *_plugins(kind)])


def factory(kind: str, name: str) -> Callable[..., Any]:
    """The class or function that constructs the component of that name.

    >>> factory("encoder", "us")
    Traceback (most recent call last):
    askew.errors.UnknownName: No encoder is called 'us'. Did you mean 'use'? Known: sentence-transformers, use, vectors.
    """
    if name in BUILT_IN[kind]:
        module, _, attribute = BUILT_IN[kind][name].partition(":")
        component_factory: Callable[..., Any] = getattr(_module(module, kind), attribute)
        return component_factory
    plugins = _plugins(kind)
    if name in plugins:
        return _loaded(kind, plugins[name])
    raise UnknownName(
        f"No {kind} is called {name!r}.{did_you_mean(name, names(kind))} Known: {', '.join(names(kind))}."
    )


def make(kind: str, spec: str, /, **given: Any) -> Any:
    """The component that a spec describes. ``given`` are options that apply where the spec does not set them.

    >>> make("model", "constant:no")
    Constant(say='no')
    >>> make("model", "constant:sya=no")
    Traceback (most recent call last):
    askew.errors.BadOption: constant: there is no option 'sya'. Did you mean 'say'? Options: say=yes.
    """
    name, _, rest = spec.partition(":")
    build = factory(kind, name)
    parameters = inspect.signature(build).parameters
    hints = option_types(build)
    options = _options(name, rest, hints, parameters)
    options = {key: value for key, value in given.items() if key in parameters} | options
    values = {
        key: _convert(f"{name}: {key}", text, hints.get(key, str)) if isinstance(text, str) else text
        for key, text in options.items()
    }
    missing = [key for key, p in parameters.items() if p.default is p.empty and key not in values]
    if missing:
        raise BadOption(
            f"{name}: {missing[0]!r} is missing. Write it as {name}:{missing[0]}=... ({_usage(parameters)})."
        )
    component = build(**values)
    if name not in BUILT_IN[kind]:
        _check_able(kind, name, component)
    return component


def open_data(spec: str, *, images: str | None = None, skip_bad: bool = False) -> Dataset:
    """The data set that a spec names (``world:val``, ``vqa:folder,split=val2014``), or that is at a path.

    A reader's name wins over a folder of that name, which can be written ``./world``.
    """
    name = spec.partition(":")[0]
    for path in (spec, images or ""):
        if not path.isascii() and path != path.encode("utf-8", "replace").decode("utf-8"):
            raise BadOption(f"{path!r} is not UTF-8, and results name it. Rename it, or set PYTHONUTF8=1 if it is.")
    if name in names("reader"):
        if images is not None and "images" not in accepted("reader", spec):
            raise BadOption(f"{name} has images of its own; omit --images.")
        dataset: Dataset = make("reader", spec, images=images, skip_bad=skip_bad)
        return dataset
    from askew.data.open_path import open_path

    return open_path(spec, images=images, skip_bad=skip_bad)


def load_registered(kinds: Sequence[str], module: str) -> None:
    """Import a module if a package registers something of these kinds from it."""
    for kind in kinds:
        for point in _plugins(kind).values():
            if point.value.partition(":")[0].strip() == module:
                _loaded(kind, point)
                return


def accepted(kind: str, spec: str) -> list[str]:
    """The names of the options that the component of this spec takes."""
    return list(inspect.signature(factory(kind, spec.partition(":")[0])).parameters)


def describe(kind: str, name: str) -> tuple[str, str]:
    """The options of a component and the first line of its docstring."""
    try:
        build = factory(kind, name)
    except MissingExtra as missing:
        return "not known until it is installed", str(missing)
    except UnknownName:
        raise
    except AskewError as broken:
        return "not known", str(broken)
    summary = (inspect.getdoc(build) or "").partition("\n")[0]
    return _usage(inspect.signature(build).parameters), summary


def option_types(build: Callable[..., Any]) -> Mapping[str, Any]:
    """The types of the parameters; inherited annotations are resolved in the module of the class that defines them."""
    if not inspect.isclass(build):
        return typing.get_type_hints(build)
    return typing.get_type_hints(build if is_dataclass(build) else build.__init__)


def _module(name: str, kind: str) -> types.ModuleType:
    """Import the module of a built-in; MissingExtra if the extra of its kind is not installed."""
    try:
        return import_module(name)
    except ModuleNotFoundError as missing:
        if kind not in EXTRAS or missing.name is None or missing.name.startswith("askew"):
            raise
        raise MissingExtra(
            f"A {kind} needs {missing.name!r}, which is not installed. Try: pip install 'askew[{EXTRAS[kind]}]'"
        ) from None


@lru_cache
def _plugins(kind: str) -> Mapping[str, EntryPoint]:
    """The entry points of other packages for this kind, by name."""
    found: dict[str, EntryPoint] = {}
    for point in entry_points(group=f"askew.{kind}"):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise AskewError(
                f"Two packages register a {kind} called {point.name!r}: {other.value!r} and {point.value!r}. "
                "Uninstall one of them."
            )
    for name in found:
        if name in BUILT_IN[kind]:
            raise AskewError(
                f"The package behind entry point {found[name].value!r} has the name of the built-in {kind} {name!r}. "
                "Rename it there or uninstall that package."
            )
    return found


def _loaded(kind: str, point: EntryPoint) -> Callable[..., Any]:
    """Load the class or function that another package registers; if that fails, the error names the package."""
    prefix = f"The {kind} {point.name!r} is registered by another package as {point.value!r}, which "
    try:
        loaded: Callable[..., Any] = point.load()
        inspect.signature(loaded)
    except AskewError:
        raise
    except Exception as trouble:
        raise AskewError(
            f"{prefix}cannot be used ({type(trouble).__name__}: {trouble}). Fix or uninstall that package."
        ) from trouble
    return loaded


def _check_able(kind: str, name: str, component: Any) -> None:
    """Check that another package's component implements its protocol, so that a run does not fail halfway."""
    members = [member for member in vars(VERBS[kind]) if not member.startswith("_")] if kind in VERBS else []
    missing = [] if isinstance(component, Streams) else [member for member in members if not hasattr(component, member)]
    if missing:
        raise AskewError(
            f"The {kind} {name!r} of another package is not a {kind}: {type(component).__name__} has no "
            f"{', '.join(missing)}. Add it there; askew.verbs.{VERBS[kind].__name__} says what each is."
        )


def _options(
    name: str, rest: str, hints: Mapping[str, Any], parameters: Mapping[str, inspect.Parameter]
) -> dict[str, str]:
    """Parse the options in the text after the name.

    Text without a known ``key=`` belongs to the first parameter or, after a comma, to the option before it, so that
    file names may contain commas and data may have its own options (``prior:data=world:all,scenes=9``).
    """
    options: dict[str, str] = {}
    current = next(iter(parameters), "")
    for position, part in enumerate(rest.split(",") if rest else []):
        key, equals, value = part.partition("=")
        key = key.strip().replace("-", "_")
        key = f"{key}_" if iskeyword(key) else key
        if equals and key in parameters:
            if key in options:
                raise BadOption(f"{name}: option {key!r} is given twice.")
            options[key], current = value, key
        elif not current or (equals and key.isidentifier() and hints.get(current) is not Dataset):
            key = key.rstrip("_")
            raise BadOption(
                f"{name}: there is no option {key!r}.{did_you_mean(key, parameters)} Options: {_usage(parameters)}."
            )
        else:
            options[current] = part if position == 0 else f"{options[current]},{part}"
    return options


def _convert(where: str, text: str, hint: Any) -> Any:
    """Convert the typed text to the annotated type."""
    if hint is Dataset:
        return open_data(text)
    arguments = typing.get_args(hint)
    if typing.get_origin(hint) is typing.Literal:
        if text not in arguments:
            raise BadOption(f"{where}: {text!r} is not one of {', '.join(map(str, filter(None, arguments)))}.")
        return text
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        if text.lower() == "none" and type(None) in arguments:
            return None
        return _convert(where, text, next(a for a in arguments if a is not type(None)))
    if hint is bool:
        if text.lower() not in _TRUTH:
            raise BadOption(f"{where}: {text!r} is neither true nor false.")
        return _TRUTH[text.lower()]
    if hint in (int, float):
        try:
            return hint(text)
        except ValueError:
            raise BadOption(f"{where}: {text!r} is not {'a whole number' if hint is int else 'a number'}.") from None
    return text


def _usage(parameters: Mapping[str, inspect.Parameter]) -> str:
    return (
        ", ".join(key if p.default is p.empty else f"{key.rstrip('_')}={p.default}" for key, p in parameters.items())
        .replace("=False", "=false")
        .replace("=True", "=true")
        or "none"
    )


_TRUTH = {"true": True, "yes": True, "1": True, "on": True, "false": False, "no": False, "0": False, "off": False}
