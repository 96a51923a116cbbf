"""Values that an error lists for an option are accepted: each is extracted from the message and used."""

from __future__ import annotations

import re
from functools import partial
from typing import Literal, get_args, get_origin

from askew.registry import BUILT_IN, factory, make, open_data, option_types
from remedies import refused

CHOICES = [
    ("suite", "carets:tests={}", "foo", r"Give (all), or some of"),
    ("suite", "carets:tests={}", "foo", r"or some of (.+)\.$"),
    ("suite", "carets:size={}", "-1", r"give (\d+) "),
    ("executor", "local:workers={}", "0", r"give (\d+) or more"),
    ("suite", "p2:perturbations={}", "foo", r"Perturbations are (.+)\.$"),
    ("suite", "p2:substitutions={}", "0", r"at least (\d+) is"),
    ("suite", "p2:least={}", "-1", r"give (\d+) or more"),
    ("suite", "p2:confidence={}", "2", r"between (\d) and 1"),
    ("suite", "p2:confidence={}", "2", r"between \d and (\d)"),
    ("suite", "p2:contraries={}", "x", r"(?:Give|not one of) (\w+(?:, | or )\w+)\."),
    ("suite", "rad:yes={}", "2", r"between (\d) and"),
    ("suite", "rad:originals={}", "x", r"(?:Give|not one of) (\w+(?:, | or )\w+)\."),
    ("suite", "rad:correct={}", "x", r"Try '(\w+)', '\w+' or"),
    ("suite", "rad:correct={}", "x", r"or e\.g\. '(\S+)'"),
    ("suite", "rad:accuracy={}", "x", r"(?:Known:|not one of) (.+)\.$"),
    ("suite", "basic:kind={}", "x", r"(?:Give|not one of) (\w+(?:, | or )\w+)\."),
    ("suite", "basic:top={}", "5", r"the paper's is (\d+)"),
    ("suite", "basic:words={}", "0", r"at least (\d+)"),
    ("suite", "corruption:{}", "foo", r"Known: (.+)\.$"),
    ("suite", "corruption:severities={}", "9", r"Give (\d) to"),
    ("suite", "visual:{}", "foo", r"e\.g\. (.+)\.$"),
    ("suite", "visual:unnamed={}", "x", r"(?:Give|not one of) (\w+(?:, | or )\w+)\."),
    ("suite", "visual:encoding={}", "x", r"(?:Known:|not one of) (.+)\.$"),
    ("suite", "backtranslate:translator={}", "x", r"Give (\w+), or"),
    ("metric", "flips:{}", "x", r"(?:Known:|not one of) (.+)\.$"),
    ("metric", "accuracy:{}", "x", r"(?:none of|not one of) (.+)\.$"),
    ("metric", "consensus:k={}", "0", r"needs k = (\d+)"),
    ("ranker", "lasso:sign={}", "x", r"not one of (.+)\.$"),
    ("ranker", "lasso:lambda={}", "5", r"The paper uses (\S+)\.$"),
    ("ranker", "bleu4:quirks={}", "x", r"not one of (.+)\.$"),
    ("ranker", "bleu4:ties={}", "x", r"Give '(\w+)' or"),
    ("ranker", "meteor:synonyms_on={}", "x", r"not one of (.+)\.$"),
    ("reader", "world:{}", "x", r"(?:Splits are|not one of) (.+)\.$"),
    ("reader", "world:scenes={}", "0", r"at least (\d+) is"),
    ("reader", "world:size={}", "1", r"images have (\d+) to"),
    ("reader", "world:size={}", "1", r"to (\d+) pixels"),
    ("net", "transformer:heads=2,hidden={}", "7", r"even multiple of heads=(\d+)"),
    ("net", "xnm:dropout={}", "1", r"from (\d+) to below"),
    ("loss", "q3r:weight={}", "-1", r"give (\d+) or more"),
    ("loss", "random-image:rate={}", "2", r"from (\d+) to"),
]
"""Kind, spec, a wrong value, and where the message has what may be given: one value, or several in a row."""


def made(kind: str, spec: str) -> object:
    return open_data(spec) if kind == "reader" else make(kind, spec)


def test_listed_values_of_an_option_are_accepted():
    for kind, spec, wrong, pattern in CHOICES:
        listed = refused(partial(made, kind, spec.format(wrong)), pattern)
        several = [listed] if re.fullmatch(r"\d+(,\d+)+", listed) else re.split(r", | or | and ", listed)
        for value in several:
            assert made(kind, spec.format(value)) is not None, (spec, value)


def test_every_value_of_a_choice_is_listed_and_accepted():
    """For every registered component and each of its options with a fixed set of values."""
    seen = 0
    for kind in ("suite", "metric", "ranker", "net", "loss"):
        for name in BUILT_IN[kind]:
            build = factory(kind, name)
            hints = option_types(build)
            for option in [key for key, hint in hints.items() if get_origin(hint) is Literal]:
                spec = f"{name}:{option.rstrip('_')}="
                listed = refused(partial(make, kind, f"{spec}zzz"), r"not one of (.+)\.$")
                assert listed == ", ".join(filter(None, get_args(hints[option]))), spec
                for value in listed.split(", "):
                    seen += make(kind, spec + value) is not None
    assert seen > 60


def test_the_message_names_the_type_of_a_number_or_boolean():
    assert refused(lambda: make("suite", "rad:yes=much"), r"is not (a number)\.$")
    assert refused(lambda: make("suite", "p2:least=1.5"), r"is not (a whole number)\.$")
    truth = refused(lambda: make("suite", "rad:extensions=x"), r"neither (\w+) nor \w+\.$")
    assert make("suite", f"rad:extensions={truth}").extensions is True


def test_a_missing_option_is_written_as_the_message_shows(tmp_path):
    (tmp_path / "q.jsonl").write_text('{"id": 1, "image": 1, "question": "Is it?", "answer": "yes"}\n')
    spec = refused(lambda: make("reader", "jsonl"), r"Write it as (\S+=)\.\.\. ")
    assert list(open_data(f"{spec}{tmp_path / 'q.jsonl'}").questions())
