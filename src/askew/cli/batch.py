"""``askew batch``: write requests to files that an endpoint answers later, often at half the price."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from askew.cli.options import (
    MODEL_OPTIONS,
    Options,
    add_listed,
    add_shared,
    as_typed,
    beside,
    data_of,
    settings_of,
    settled,
)
from askew.errors import UsageError, plural

if TYPE_CHECKING:
    from askew.engine.batch_files import Results, Written

EXAMPLES = """\
examples:
  askew batch write --model openai:gpt-4o-mini --data mine.jsonl --images images --suite rad --output jobs
  (upload jobs/0001.jsonl ..., or: vllm run-batch -i jobs/0001.jsonl -o jobs/0001.out.jsonl --model ...)
  askew batch read jobs
  askew run --model openai:gpt-4o-mini --data mine.jsonl --images images --suite rad --store jobs/answers.sqlite \\
      --output runs/mini

Results may come in any order, in part, and repeatedly; write again to get requests for what is still open.
Exit codes of read: 0 every request has an answer, 3 some have none yet, 2 wrong command or input."""

BESIDE: Options = {"base_url": MODEL_OPTIONS["base_url"]}
SHOWN = 5
"""The maximum number of reasons and examples that are printed."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    actions = parser.add_subparsers(dest="action", metavar="ACTION", required=True)
    write = actions.add_parser("write", help="write the requests of a run", description="Write the requests of a run.")
    write.add_argument("--model", metavar="MODEL", help="the model, openai:NAME")
    add_shared(write, "data", "images", "skip-bad", "suite", "limit", "seed")
    write.add_argument("--output", metavar="DIR", help="the folder of the batch files")
    write.add_argument("--max-requests", type=int, metavar="N", help="requests in one file (default 50000)")
    write.add_argument("--max-megabytes", type=float, metavar="N", help="size of one file (default 190)")
    write.add_argument(
        "--image-url", metavar="URL", help="name images as URL/FILE NAME instead of including them in the requests"
    )
    add_listed(write, BESIDE, "options for some models")
    add_shared(write, "executor", "workers", "store", "overwrite", "quiet", "config")
    read = actions.add_parser("read", help="read the results", description="Read results into the answer store.")
    read.add_argument("folder", metavar="DIR", help="the folder of the batch files")
    read.add_argument("files", nargs="*", metavar="FILE", help="results (default: all other JSONL files of the folder)")
    add_shared(read, "store", "quiet")


def main(args: argparse.Namespace) -> int:
    """Write requests, or read results."""
    return _write(args) if args.action == "write" else _read(args)


def _write(args: argparse.Namespace) -> int:
    from askew.engine.batch_files import FileLimits, write_batch
    from askew.engine.components import as_model, as_suite, suites_in

    options = settled(args, {"max_requests": 50_000, "max_megabytes": 190.0}, required=("model", "data", "output"))
    settings, data = settings_of(options), data_of(options)
    model = as_model(options.model, None, **beside(options, BESIDE, "model", [options.model]))
    suites = [as_suite(suite, progress=not options.quiet) for suite in options.suite or suites_in(data, "rad")]
    limits = FileLimits(options.max_requests, options.max_megabytes)
    folder = Path(options.output)
    done = write_batch(model, data, suites, folder, settings, limits, options.image_url or "", as_typed())
    print("\n".join(_written(folder, done)))
    return 0


def _written(folder: Path, done: Written) -> Sequence[str]:
    lines = [
        f"{file['name']}: {plural(file['requests'], 'request')}, {file['bytes'] / 1e6:,.1f} MB" for file in done.files
    ]
    if done.known:
        lines.append(f"{plural(done.known, 'question is', 'questions are')} answered already and left out.")
    if bad := done.bad_images:
        lines.append(f"Left out because of their image: {plural(len(bad), 'question')}, e.g. {bad[0]}")
    if done.files:
        lines.append(f"Put the results into {folder}, then: askew batch read {folder}")
    else:
        lines.append("There is nothing to ask. Use askew run with the same options and the same answer store.")
    return lines


def _read(args: argparse.Namespace) -> int:
    from askew.cli import EXIT_FAILURES
    from askew.engine.batch_files import read_batch, read_plan, result_files
    from askew.engine.components import as_model
    from askew.engine.store import Store
    from askew.files.read_write import alone_in

    folder = Path(args.folder)
    plan = read_plan(folder)
    if plan.get("store") and not args.store:
        raise UsageError(
            f"{folder}: it was written with --store {plan['store']}. Give --store to askew batch read too."
        )
    settings = settings_of(args)
    reader = as_model(plan["model"], None).what
    files, path = result_files(folder, args.files), settings.store_path(folder)
    with alone_in(folder), Store(path) as store:
        found = read_batch(folder, files, reader, store, settings)
    print("\n".join(_found(path, len(files), found)))
    return EXIT_FAILURES if found.left else 0


def _found(store: Path, files: int, found: Results) -> Sequence[str]:
    read = f"{plural(found.lines, 'line')} of {plural(files, 'file')}"
    lines = [f"New answers in {read}: {found.answered:,}; they are in {store}."]
    if found.again:
        differ = f", {found.differing:,} of them with another answer" if found.differing else ""
        lines.append(f"Answered again: {plural(found.again, 'request')}{differ}; the first answer is kept.")
    if found.failed:
        lines.append(f"Failed: {plural(len(found.failed), 'request')}.")
        lines += [f"  {count:,} × {reason}" for reason, count in found.reasons()[:SHOWN]]
    for name, some in (("Of no request of this folder", found.unknown), ("Not JSON, or cut short", found.unreadable)):
        if some:
            lines.append(f"{name}: {plural(len(some), 'line')}, e.g. {some[0]}")
    if found.left:
        lines.append(
            f"Without an answer: {plural(found.left, 'request')}. Read further results; when no more will come, the "
            "same askew batch write command writes requests for what is left."
        )
    else:
        lines.append(f"Every request has an answer: askew run with the same options and --store {store} asks nothing.")
    return lines
