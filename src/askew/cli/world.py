"""``askew world``: write the embedded world."""

from __future__ import annotations

import argparse
from pathlib import Path

from askew.cli.options import add_shared, settings_of, settled

EXAMPLES = """\
examples:
  askew world --scenes 200 --seed 0 --output my-world
  askew world --scenes 5000 --size 384 --workers 2 --output big-world

The folder holds the images, and for each split the questions and answers as VQA v2, as GQA (with scene graphs) and as
JSONL, with a datasheet. --data FOLDER reads its val split, --data FOLDER/train.jsonl another; --data world generates it
on the fly, without a folder."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--scenes", type=int, default=200, metavar="N", help="how many scenes (default 200)")
    add_shared(parser, "seed", "overwrite", "quiet")
    parser.add_argument("--output", metavar="DIR", required=True, help="the world's folder")
    parser.add_argument(
        "--size", type=int, default=224, metavar="PX", help="width and height of the images (default 224)"
    )
    parser.add_argument(
        "--shifted", action="store_true", help="different answer priors in train and test, as in VQA-CP"
    )
    parser.add_argument(
        "--priors",
        choices=("train", "all"),
        default="train",
        help="where the words of yes/no questions predict the answer: in train (default) or in all splits",
    )
    add_shared(parser, "executor", "workers")


def main(args: argparse.Namespace) -> int:
    """Write the world to its folder."""
    from askew.engine.executors import workers_of
    from askew.engine.settings import progress_bar
    from askew.world.write_world import write_world

    args = settled(args)
    settings = settings_of(args)
    with (
        workers_of(settings.executor) as executor,
        progress_bar(settings, total=args.scenes, desc="Drawing", unit=" scenes") as bar,
    ):
        write_world(
            Path(args.output),
            scenes=args.scenes,
            seed=args.seed,
            size=args.size,
            shifted=args.shifted,
            priors=args.priors,
            executor=executor,
            overwrite=bool(args.overwrite),
            progress=bar.update,
        )
    print(f"World: {args.output} (datasheet.md says what is in it)")
    return 0
