"""``askew collect backup``: copy a study while the service runs."""

from __future__ import annotations

import argparse
from pathlib import Path

EXAMPLES = """\
examples:
  askew collect backup STUDY backups/monday.tar
  askew collect restore RESTORED backups/monday.tar

The file holds the database as of one moment, the images and the service's key: keep it as safe as the study itself."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of this subcommand."""
    parser.epilog = EXAMPLES
    parser.add_argument("study", metavar="STUDY", help="the study's folder")
    parser.add_argument("file", metavar="FILE", help="the backup, a new tar file")


def main(args: argparse.Namespace) -> int:
    """Write the backup."""
    from askew.collect.backup import back_up
    from askew.collect.study import open_study

    study = open_study(Path(args.study))
    count = back_up(study, Path(args.file))
    study.close()
    print(f"Backup: {args.file} ({count} images, {Path(args.file).stat().st_size:,} bytes)")
    return 0
