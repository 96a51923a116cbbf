"""``askew audit``: what the text of questions alone gives away about their answers."""

from __future__ import annotations

import argparse

from askew.cli.options import add_shared, settled

EXAMPLES = """\
examples:
  askew audit bench                                             (a folder written by askew build)
  askew audit v2_OpenEnded_mscoco_val2014_questions.json        (any questions with answers)
  askew audit bench --json audit.json

A classifier that sees only words predicts the answers; images are never opened."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this command."""
    from askew.audit.labelled_texts import MOST_TEXTS

    parser.epilog = EXAMPLES
    parser.add_argument("data", metavar="DATA", help="groups, or questions with answers: whatever --data of run takes")
    parser.add_argument("--json", metavar="FILE", help="also write the result to this file, as JSON")
    parser.add_argument(
        "--most",
        type=int,
        metavar="N",
        help=f"questions of each test that are used; of more, a sample is drawn (default {MOST_TEXTS:,})",
    )
    add_shared(parser, "skip-bad", "seed", "quiet", "config")


def main(args: argparse.Namespace) -> int:
    """Audit, print, and write."""
    import orjson

    from askew.audit.audit_table import markdown
    from askew.audit.labelled_texts import MOST_TEXTS
    from askew.engine.audit_data import audit_data
    from askew.engine.components import as_data
    from askew.engine.settings import Settings, check_whole
    from askew.files.paths import public_text
    from askew.files.read_write import write_joined

    options = settled(args, {"most": MOST_TEXTS})
    check_whole("most", options.most, least=1)
    settings = Settings(seed=options.seed, progress=not options.quiet)
    data = as_data(options.data, skip_bad=bool(options.skip_bad))
    audit = audit_data(data, settings, options.most)
    print(markdown(audit))
    if options.json:
        record = {"data": public_text(data.spec), **audit.record()}
        write_joined(options.json, [orjson.dumps(record, option=orjson.OPT_INDENT_2), b"\n"])
    return 0
