"""``askew train``: train a network, or an adapter of a Hugging Face model, on questions and groups."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Mapping
from typing import Any

from askew.cli.options import Options, add_listed, add_shared, given, settled
from askew.errors import BadOption, plural
from askew.train.controls import listing

EXAMPLES = """\
examples:
  askew train --net xnm --data world:train --val world:val --features grid --output xnm
  askew train --net xnm:steps=3 --loss q3r:weight=1,rate=0.2 --data vqa:train --features regions.tsv --output q3r
  askew train --data vqa:train --data release/train.jsonl --weights 1,2 --features regions.tsv --output with-round-1
  askew train --data vqa:train --features hf:models/dinov2-base,layer=-2 --output dinov2
  askew train --data world:train --loss augment --groups rad --groups attacks/xnm/groups.jsonl --output robust
  askew train --model hf:llava --lora r=16 --loss consistency --groups rad --groups p2 --data vqa:train --output better
  askew train --model hf:llava --lora r=16 --loss consistency --control originals --data vqa:train --output control
  askew train --config train.yaml --output run-1 --seed 1

A network: writes weights.pt (the best epoch by validation), config.json, words.json, answers.json, history.json and
report.html. Then: askew run --model trained:DIR ...
An adapter (pip install 'askew[peft]'): writes adapter_model.safetensors (the best evaluation on held-out pairs),
adapter_config.json, training.json, history.json and report.html. Then: askew run --model hf:FOLDER,adapter=DIR ...
After a kill, the same command resumes and ends with the same weights."""

_BOTH: Options = {
    "epochs": (int, "number of passes over the data (default 10; adapters: 1)"),
    "batch_size": (int, "questions in a step (default 256; adapters: 8)"),
    "rate": (float, "learning rate of Adam (default 0.0008; adapters: 0.0002)"),
    "clip": (float, "clip gradients to this norm (default 1; 0: no clipping)"),
    "patience": (int, "stop after this many epochs, or evaluations, that were not better (default 0: never)"),
    "threads": (int, "processor threads (default: torch's choice)"),
}
_NETWORK: Options = {
    "least_words": (int, "how often a word must occur to be known (default 1)"),
    "least_answers": (int, "how often an answer must be given to be learned (default 3)"),
    "most_answers": (int, "maximum number of answers to learn (default 3000)"),
}
_ADAPTER: Options = {
    "accumulate": (int, "batches whose gradients are added up before a step (default 1)"),
    "steps": (int, "stop after this many steps (default: whole epochs)"),
    "evaluate": (int, "steps between evaluations and checkpoints (default: a tenth of all steps)"),
}


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument("--net", metavar="NET", help="which network: see askew ls net (default xnm)")
    parser.add_argument("--model", metavar="MODEL", help="train an adapter of this model instead: hf:FOLDER")
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
    parser.add_argument("--control", metavar="CONTROL", help=f"train a control of the same command: {listing()}")
    parser.add_argument(
        "--exclude",
        metavar="RUN",
        action="append",
        help="refuse to train on images of this run, of these groups or this data; can be repeated",
    )
    parser.add_argument("--output", metavar="DIR", help="the training's folder")
    add_listed(parser, _BOTH, metavar="N")
    add_listed(parser, _NETWORK, "only for networks", "N")
    add_listed(parser, _ADAPTER, "only for adapters (--model)", "N")
    parser.add_argument(
        "--lora", metavar="r=N", help="the adapter: r=16,alpha=32,dropout=0,target=q_proj+v_proj,vision=false"
    )
    add_shared(parser, "seed", "overwrite", "quiet", "config")


def main(args: argparse.Namespace) -> int:
    """Train, and print the accuracy of the best epoch or evaluation."""
    options = settled(args, {"groups": ["p2"]}, required=("data", "output"))
    common = {
        "losses": options.loss or [],
        "output": options.output,
        "groups": options.groups,
        "control": options.control or "",
        "weights": _numbers(options.weights),
        "exclude": options.exclude or [],
        "images": options.images,
        "progress": not options.quiet,
        "skip_bad": bool(options.skip_bad),
        "seed": options.seed,
        "overwrite": bool(options.overwrite),
        **given(options, _BOTH),
    }
    return _adapter(options, common) if options.model else _network(options, common)


def _network(options: argparse.Namespace, common: dict[str, Any]) -> int:
    _refuse(options, ("lora", *_ADAPTER), "for adapters; also give --model hf:FOLDER")
    from askew.errors import need

    need("torch", "train")
    from askew.train.loop import train

    done = train(
        options.net or "xnm", options.data, options.val or None, options.features, **common, **given(options, _NETWORK)
    )
    best = max(done.history, key=lambda one: float(one["accuracy"]))
    _report(done.config, f"epoch {best['epoch']} of {len(done.history)}", best, f"trained:{options.output}", options)
    return 0


def _adapter(options: argparse.Namespace, common: dict[str, Any]) -> int:
    _refuse(options, ("net", "features", *_NETWORK), "for networks; --model trains an adapter")
    from askew.errors import need

    for package in ("torch", "peft"):
        need(package, "peft")
    from askew.train.adapters.train_adapter import train_adapter

    done = train_adapter(
        options.model,
        options.data,
        options.val or None,
        lora=options.lora or "",
        **common,
        **given(options, _ADAPTER),
    )
    best = max(done.history, key=lambda one: float(one["accuracy"] if one["pairs"] is None else one["pairs"]))
    where = f"evaluation {best['epoch']} of {len(done.history)}"
    if best["pairs"] is not None:
        where += f"; of held-out pairs {100 * best['pairs']:.1f} % have both answers correct"
    _report(done.record, where, best, f"{options.model},adapter={options.output}", options)
    return 0


def _report(record: Mapping[str, Any], where: str, best: Mapping[str, Any], spec: str, options: Any) -> None:
    if skipped := record.get("skipped"):
        print(f"Left out: {plural(len(skipped), 'bad record')}, e.g. {skipped[0]}", file=sys.stderr)
    print(f"Best validation accuracy {100 * best['accuracy']:.1f} % ({where})")
    print(f"Report: {options.output}/report.html    Ask it: askew run --model {spec} ...")


def _refuse(options: argparse.Namespace, names: Iterable[str], what: str) -> None:
    """Refuse options that would have no effect."""
    for name in names:
        if getattr(options, name) is not None:
            raise BadOption(f"--{name.replace('_', '-')} is only {what}. Leave it out otherwise.")


def _numbers(text: str | None) -> list[float]:
    """The weights of ``--weights``, separated by commas.

    >>> _numbers("1,0.5"), _numbers(None)
    ([1.0, 0.5], [])
    """
    try:
        return [float(part) for part in str(text or "").split(",") if part.strip()]
    except ValueError:
        raise BadOption(f"--weights {text}: give numbers separated by commas, one for each --data.") from None
