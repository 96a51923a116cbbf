"""``askew collect restore``: make a study from a backup."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """\
examples:
  askew collect restore RESTORED backups/monday.tar
  askew collect restore RESTORED backups/monday.tar --database postgresql+psycopg://user@host/empty

Every invariant and every image of the restored study is checked."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this subcommand."""
    parser.epilog = EXAMPLES
    parser.add_argument("study", metavar="STUDY", help="the folder of the restored study; new or empty")
    parser.add_argument("file", metavar="FILE", help="the backup")
    parser.add_argument("--database", metavar="URL", help="an empty database, for a study kept in PostgreSQL")


def main(args: argparse.Namespace) -> int:
    """Restore and check."""
    from askew.collect.backup import restore

    restore(Path(args.file), Path(args.study), args.database).close()
    print(f"Study: {args.study} (all invariants hold, all images are there)")
    return 0
