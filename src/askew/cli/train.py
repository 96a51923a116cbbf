"""``askew train``: train a network on questions and groups."""

from __future__ import annotations

import argparse
import sys

from askew.cli.options import Options, add_listed, add_shared, given, settled
from askew.errors import BadOption, plural

EXAMPLES = """\
examples:
  askew train --net xnm --data world:train --val world:val --features grid --output xnm
  askew train --net xnm:steps=3 --loss q3r:weight=1,rate=0.2 --data vqa:train --features regions.tsv --output q3r
  askew train --data vqa:train --data release/train.jsonl --weights 1,2 --features regions.tsv --output with-round-1
  askew train --data vqa:train --features hf:models/dinov2-base,layer=-2 --output dinov2
  askew train --data world:train --loss augment --groups rad --groups attacks/xnm/groups.jsonl --output robust
  askew train --config train.yaml --output run-1 --seed 1

Writes weights.pt (the best epoch by validation), config.json, words.json, answers.json, history.json and report.html.
After a kill, the same command resumes and ends with the same weights. Then: askew run --model trained:DIR ..."""

_NUMBERS: Options = {
    "epochs": (int, "number of passes over the data (default 10)"),
    "batch_size": (int, "questions in a step (default 256)"),
    "rate": (float, "learning rate of Adam (default 0.0008)"),
    "clip": (float, "clip gradients to this norm (default 1; 0: no clipping)"),
    "patience": (int, "stop after this many epochs without a better validation (default 0: never)"),
    "least_words": (int, "how often a word must occur to be known (default 1)"),
    "least_answers": (int, "how often an answer must be given to be learned (default 3)"),
    "most_answers": (int, "maximum number of answers to learn (default 3000)"),
    "threads": (int, "processor threads (default: torch's choice)"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--net", metavar="NET", help="which network: see askew ls net (default xnm)")
    parser.add_argument(
        "--data", metavar="DATA", action="append", help="training questions, see askew ls reader; repeated, they add up"
    )
    parser.add_argument("--weights", metavar="W,W", help="how much the answers of each --data count (default 1 each)")
    add_shared(parser, "images", "skip-bad")
    parser.add_argument("--val", metavar="DATA", help="validation questions (default: a tenth of the images)")
    parser.add_argument(
        "--features",
        metavar="FILE",
        help="region features: .npz, .h5, bottom-up .tsv, hf:FOLDER or onnx:FILE (askew ls backbone), world, or grid",
    )
    parser.add_argument(
        "--loss", metavar="LOSS", action="append", help="added to the answer loss; can be repeated: see askew ls loss"
    )
    parser.add_argument(
        "--groups",
        metavar="GROUPS",
        action="append",
        help="where pairs come from: a suite, groups, an attack, a release (default p2); repeated, they add up",
    )
    parser.add_argument(
        "--exclude",
        metavar="RUN",
        action="append",
        help="refuse to train on images of this run, of these groups or this data; can be repeated",
    )
    parser.add_argument("--output", metavar="DIR", help="the training's folder")
    add_listed(parser, _NUMBERS, metavar="N")
    add_shared(parser, "seed", "overwrite", "quiet", "config")


def main(args: argparse.Namespace) -> int:
    """Train a network and print the accuracy of the best epoch."""
    from askew.errors import need

    need("torch", "train")
    from askew.train.loop import train

    options = settled(args, {"net": "xnm", "groups": ["p2"]}, required=("data", "output"))
    done = train(
        options.net,
        options.data,
        options.val or None,
        options.features,
        options.loss or [],
        output=options.output,
        groups=options.groups,
        weights=_numbers(options.weights),
        exclude=options.exclude or [],
        images=options.images,
        progress=not options.quiet,
        skip_bad=bool(options.skip_bad),
        seed=options.seed,
        overwrite=bool(options.overwrite),
        **given(options, _NUMBERS),
    )
    if skipped := done.config.get("skipped"):
        print(f"Left out: {plural(len(skipped), 'bad record')}, e.g. {skipped[0]}", file=sys.stderr)
    best = max(done.history, key=lambda one: float(one["accuracy"]))
    print(f"Best validation accuracy {100 * best['accuracy']:.1f} % (epoch {best['epoch']} of {len(done.history)})")
    print(f"Report: {options.output}/report.html    Ask it: askew run --model trained:{options.output} ...")
    return 0


def _numbers(text: str | None) -> list[float]:
    """The weights of ``--weights``, separated by commas.

    >>> _numbers("1,0.5"), _numbers(None)
    ([1.0, 0.5], [])
    """
    try:
        return [float(part) for part in str(text or "").split(",") if part.strip()]
    except ValueError:
        raise BadOption(f"--weights {text}: give numbers separated by commas, one for each --data.") from None
