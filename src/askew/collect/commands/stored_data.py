"""``askew collect backup``, ``restore`` and ``delete``: copies of a study, and deletion of text."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.collect.commands.study_setup import opened_study

_BACKUP = """\
examples:
  askew collect backup STUDY backups/monday.tar
  askew collect restore RESTORED backups/monday.tar

The file holds a snapshot of the database, the images, the robots that "round next" trained and the service's
key: keep it as safe as the study itself."""


def _backup_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _BACKUP
    parser.add_argument("file", metavar="FILE", help="the backup, a new tar file")


def _backup(args: argparse.Namespace) -> int:
    """Write the backup."""
    from askew.collect.backup import back_up

    with opened_study(args) as study:
        count = back_up(study, Path(args.file))
    print(f"Backup: {args.file} ({count} images, {Path(args.file).stat().st_size:,} bytes)")
    return 0


_RESTORE = """\
examples:
  askew collect restore RESTORED backups/monday.tar
  askew collect restore RESTORED backups/monday.tar --database postgresql+psycopg://user@host/empty

Every invariant and every image of the restored study is checked."""


def _restore_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _RESTORE
    parser.add_argument("file", metavar="FILE", help="the backup")
    parser.add_argument("--database", metavar="URL", help="an empty database, for a study kept in PostgreSQL")


def _restore(args: argparse.Namespace) -> int:
    """Restore and check."""
    from askew.collect.backup import restore

    restore(Path(args.file), Path(args.study), args.database).close()
    print(f"Study: {args.study} (all invariants hold, all images are there)")
    return 0


_DELETE = """\
examples:
  askew collect delete STUDY --question 7 --reason "its author asked"
  askew collect export STUDY --output patch --version 1.0.1

The question's number is the id in examples.csv and history.jsonl, and on the owner's page of examples. This cannot be
undone: the question, the robot's reply and all answers are blanked; the log keeps the number, the time and the reason.
Earlier releases and backups still have the text."""


def _delete_options(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _DELETE
    parser.add_argument("--question", type=int, required=True, metavar="N", help="the question's number")
    parser.add_argument(
        "--reason", required=True, metavar="WHY", help="why; stored in the log, so leave out private data"
    )


def _delete(args: argparse.Namespace) -> int:
    """Delete the text, and say what is left to do."""
    from askew.collect.moderation import delete_text, released_before, rewrite_file
    from askew.errors import UsageError

    if not args.reason.strip():
        raise UsageError("Give the --reason; it is kept in the log.")
    with opened_study(args) as study:
        with study.database.write() as tx:
            delete_text(tx, None, args.question, args.reason)
            released = released_before(tx, args.question)
        clean = rewrite_file(study.database)
    print(f"Question {args.question}: the question, the robot's reply and all answers to it are deleted.")
    if not clean:
        print("The database was busy: the free space of its file still has the text. Stop the service and run")
        print("sqlite3 STUDY/study.sqlite VACUUM")
    if released:
        print("It was released before. Write a patch: askew collect export STUDY --output DIR --version 1.0.1")
    print("Backups and releases that were made before still have the text: delete them too.")
    return 0


ACTIONS = {
    "backup": (_backup_options, _backup),
    "restore": (_restore_options, _restore),
    "delete": (_delete_options, _delete),
}
"""Action to the function that adds its options, and the function that runs it."""
