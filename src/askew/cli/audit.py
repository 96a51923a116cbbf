"""``askew audit``: what the text of questions alone gives away about their answers."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from askew.cli.options import add_shared, data_of, settings_of, settled, write_json

if TYPE_CHECKING:
    from askew.engine.settings import Named

EXAMPLES = """\
examples:
  askew audit bench                                             (a folder written by askew build)
  askew audit v2_OpenEnded_mscoco_val2014_questions.json        (any questions with answers)
  askew audit bench --json audit.json
  askew audit bench --sample 200 --output judge                 (labels for people to judge)
  askew audit bench --judged judge/sample.csv                   (their judgements: how many labels are wrong)

A classifier that sees only words predicts the answers; images are never opened."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    from askew.audit.labelled_texts import MOST_TEXTS

    parser.add_argument("data", metavar="DATA", help="groups, or questions with answers: whatever --data of run takes")
    add_shared(parser, "json")
    parser.add_argument(
        "--most",
        type=int,
        metavar="N",
        help=f"questions of each test that are used; of more, a sample is drawn (default {MOST_TEXTS:,})",
    )
    parser.add_argument(
        "--sample", type=int, metavar="N", help="draw N questions for people to judge, and do nothing else"
    )
    parser.add_argument("--output", metavar="DIR", help="the folder of the sample")
    add_shared(parser, "judged", "images", "skip-bad", "seed", "quiet", "config")


def main(args: argparse.Namespace) -> int:
    """Run the audit and print or write its result, or write a sample, or read judgements."""
    from askew.audit.audit_table import markdown
    from askew.audit.labelled_texts import MOST_TEXTS
    from askew.engine.audit_data import audit_data, write_sample
    from askew.engine.settings import check_whole
    from askew.errors import UsageError

    options = settled(args, {"most": MOST_TEXTS})
    check_whole("most", options.most, least=1)
    settings, data = settings_of(options), data_of(options)
    if options.sample is not None:
        check_whole("sample", options.sample, least=1)
        if not options.output or options.judged or options.json:
            raise UsageError("--sample needs --output DIR, and goes without --judged and --json.")
        print("\n".join(write_sample(data, Path(options.output), options.sample, settings)))
        return 0
    if options.output:
        raise UsageError("--output is for --sample; the result of an audit is written with --json FILE.")
    if options.judged:
        return _judged(options, data)
    audit = audit_data(data, settings, options.most)
    print(markdown(audit))
    write_json(options.json, {"data": data.spec, **audit.record()})
    return 0


def _judged(options: argparse.Namespace, data: Named) -> int:
    from askew.audit.label_sample import label_noise, noise_lines
    from askew.engine.audit_data import members_of

    noise = label_noise(members_of(data), options.judged)
    print("\n".join(noise_lines(noise)))
    write_json(options.json, {"data": data.spec, "label_noise": noise})
    return 0
