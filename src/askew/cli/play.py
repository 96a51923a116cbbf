"""``askew play``: serve a local page to ask a model about an image and see how changed questions affect its answers."""

from __future__ import annotations

import argparse
import webbrowser
from pathlib import Path

from askew.cli.options import MODEL_OPTIONS, add_listed, add_shared, beside, data_of, settings_of, settled

MODELS = ("bundled:xnm", "bundled:cnn-lstm")
DATA = "world:val,scenes=200"
EXAMPLES = """\
examples:
  askew play
  askew play --model openai:my-model --base-url http://localhost:8000/v1
  askew play --model python:my_model.py:answer --data questions.jsonl --images images
  askew run --data play-failures.jsonl --model bundled:xnm --output runs/failures     (what was saved)

The page is for this machine alone (127.0.0.1). Ctrl-C ends it."""


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of this command."""
    parser.add_argument(
        "--model",
        action="append",
        metavar="MODEL",
        help=f"the model; can be repeated to see several side by side (default {' and '.join(MODELS)})",
    )
    parser.add_argument("--name", action="append", metavar="NAME", help="its name on the page (once for each --model)")
    add_shared(parser, "data", "images", "skip-bad", "seed", "extract")
    parser.add_argument(
        "--output",
        metavar="FILE",
        default="play-failures.jsonl",
        help="the file of groups that saved failures are added to (default play-failures.jsonl)",
    )
    parser.add_argument("--port", type=int, metavar="N", default=8765, help="the port (default 8765; 0: any free one)")
    parser.add_argument("--no-browser", action="store_true", help="do not open the page in a browser")
    add_listed(parser, MODEL_OPTIONS, "options for some models")


def main(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    from askew.engine.components import as_models
    from askew.play.play_server import serve
    from askew.play.playground import Playground
    from askew.play.trial_groups import FailuresFile

    options = settled(args, {"model": list(MODELS), "name": [], "data": DATA, "extract": "auto"})
    models = as_models(options.model, options.name, **beside(options, MODEL_OPTIONS, "model", options.model))
    ground = Playground(models, data_of(options), settings_of(options))
    server = serve(ground, FailuresFile(Path(options.output)), options.port)
    print(f"Reading images of {options.data} ...", flush=True)
    count = len(ground.images)
    print(f"{count} images to choose from. Open {server.address} (Ctrl-C ends it).", flush=True)
    if not options.no_browser:
        webbrowser.open(server.address)
    with server:
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print("\nThe page is closed.")
    return 0
