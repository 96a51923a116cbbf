"""``askew attack``: reword questions until a model answers them incorrectly, and score the attack."""

from __future__ import annotations

import argparse
from dataclasses import fields
from pathlib import Path

from askew.cli.options import (
    MODEL_OPTIONS,
    add_asking,
    add_shared,
    as_typed,
    beside,
    data_of,
    given,
    settings_of,
    settled,
)
from askew.errors import UsageError, plural

EXAMPLES = """\
examples:
  askew attack --model bundled:xnm --data world:val,scenes=40 --attack textfooler --output attacks/xnm
  askew attack --model hf:FOLDER --data questions.json --images val2014 --attack pso --budget 200 --output attacks/pso
  askew attack --model openai:gpt-4o --data mine.jsonl --attack sears --dry-run --output attacks/gpt
  askew run --model bundled:cnn-lstm --data attacks/xnm --output runs/transfer

The folder has groups.jsonl (each question with the rewording that was found, or the best try), the scores and a report.
Give the folder to askew run as --data to ask other models the same rewordings, and to askew train to learn from them.
Kill it when you like: the same command resumes and asks nothing twice."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--model", metavar="MODEL", help="the model to attack: see askew ls model")
    parser.add_argument("--name", metavar="NAME", help="its name in tables")
    add_shared(parser, "data", "images", "skip-bad")
    parser.add_argument("--attack", metavar="ATTACK", help="the attack: see askew ls attack (default textfooler)")
    parser.add_argument("--output", metavar="DIR", help="the attack's folder")
    parser.add_argument(
        "--budget",
        type=int,
        metavar="N",
        help="distinct texts to try for each question, including itself (default 100)",
    )
    parser.add_argument("--max-calls", type=int, metavar="N", help="stop cleanly after this many requests")
    parser.add_argument(
        "--scores",
        metavar="MODE",
        help="what guides the search: score (the probability of the original's answer), confidence (of the model's own "
        "answer), label (only answers), or auto, the first of these that the model can give (default auto)",
    )
    parser.add_argument(
        "--confirm", type=int, metavar="N", help="ask each rewording found N more times before it counts (default 0)"
    )
    add_shared(parser, "dry-run", "limit", "seed")
    add_asking(parser, MODEL_OPTIONS)


def main(args: argparse.Namespace) -> int:
    """Run the attack and show its scores."""
    from askew.cli.show import heard, show
    from askew.data.groups import read_groups
    from askew.engine.attack_run import AttackRun, AttackSettings, attack_summary, expected_calls
    from askew.engine.components import as_attack, as_model
    from askew.suites.attack_suite import AttackSuite

    options = settled(args, {"attack": "textfooler"}, required=("model", "data", "output"))
    settings = settings_of(options)
    how = AttackSettings(**given(options, (field.name for field in fields(AttackSettings))))
    model = as_model(options.model, options.name, **beside(options, MODEL_OPTIONS, "model", [options.model]))
    output = Path(options.output)
    run = AttackRun(model, data_of(options), as_attack(options.attack), AttackSuite(), output, how, settings)
    if options.dry_run and options.json:
        raise UsageError("--json is for the scores of an attack. Leave it out with --dry-run.")
    if options.dry_run:
        print(expected_calls(run))
        return 0

    runs = None
    for event in heard(run.run(as_typed()), settings.progress):
        published = not options.no_published
        show(event.folders, output / "report.html", bool(options.full), published, json=options.json)
        runs = event
    print(f"\n{attack_summary(read_groups(str(output / 'groups.jsonl')))}")
    made, calls, reused = run.counts.asked, run.counts.calls, run.counts.reused
    print(f"{plural(made, 'request')} reached the model, in {plural(calls, 'call')}; answered before: {reused:,}.")
    print(f"Other models on the same rewordings: askew run --model MODEL --data {output} --output runs/transfer")
    if runs and runs.failures:
        raise runs.failures[0]
    return 0
