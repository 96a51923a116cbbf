"""Exports networks as ONNX files, which run without torch: ``--model onnx:FOLDER``.

Weights are rounded to half precision and stored that way, which halves the files; everything is computed in single
precision. The output of the exported network is compared with torch's, and an export that differs is refused.
"""

from __future__ import annotations

import argparse
import copy
import io
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import torch
from torch import Tensor, nn

from askew.errors import AskewError, BadOption, RunError, need
from askew.files.read_write import replaced, write_joined
from askew.models.onnx_model import REFERENCE, load_onnx
from askew.nets.layers import Output
from askew.nets.networks import PIXELS
from askew.train.checkpoint import Trained, load_trained

OPSET = 17
LARGE = 256
"""Arrays of more numbers are stored in half precision."""
TOLERANCE = 2e-3
"""How far an output of the exported network may be from torch's, as numbers are added in another order."""


class _Answering(nn.Module):
    """A network with a tuple of tensors as its result, and only the inputs that it uses."""

    def __init__(self, net: nn.Module, inputs: Sequence[str]) -> None:
        super().__init__()
        self.net = net
        self.inputs = inputs

    def forward(self, tokens: Tensor, *image_inputs: Tensor) -> tuple[Tensor, ...]:
        """The parts of the output that are not None."""
        given = dict(zip(self.inputs[1:], image_inputs, strict=True))
        output: Output = self.net(tokens, given.get("features"), given.get("boxes"), given.get("mask"))
        return tuple(part for part in output if part is not None)


def export_trained(trained: Trained, folder: Path, name: str = "model", about: Mapping[str, Any] | None = None) -> None:
    """Write ``NAME.onnx`` and ``NAME.json``: the network, and its words and answers.

    A network on region features needs ``encoder.onnx`` in the same folder, as for the reference models.
    """
    net, image_input = trained.config["net"], input_of(trained.config)
    inputs = {"none": ("tokens",), "pixels": ("tokens", "features"), "encoder": ("tokens", "features", "boxes", "mask")}
    names = inputs[image_input]
    example = _example(net, image_input)
    module = _Answering(copy.deepcopy(trained.net).eval(), names)
    with torch.inference_mode():
        output = trained.net(*(example.get(part) for part in ("tokens", "features", "boxes", "mask")))
    outputs = tuple(part for part in Output._fields if getattr(output, part) is not None)
    example_inputs = tuple(example[part] for part in names)
    export_module(folder / f"{name}.onnx", module, names, example_inputs, outputs)
    record = {
        "net": net,
        "eyes": image_input,
        "words": list(trained.words.known),
        "answers": list(trained.answers.known),
        "training": {key: value for key, value in trained.config.items() if key not in ("net", "versions", "threads")},
        **(about or {}),
    }
    if image_input == "pixels":
        record["size"] = PIXELS
    write_json(folder / f"{name}.json", record)


def input_of(config: Mapping[str, Any]) -> str:
    """The image input of a trained network: ``none``, ``pixels`` or ``encoder``.

    >>> input_of({"net": {"name": "language", "encoder": "none"}})
    'none'
    """
    if config["net"]["name"] == "language":
        return "none"
    if config["net"]["encoder"] == "conv":
        return "pixels"
    if not str(config.get("features")).startswith("WorldFeatures"):
        raise BadOption(
            f"The network was trained on {config.get('features')}, which cannot be computed from images alone. "
            "Train it with --features world, or with encoder=conv."
        )
    return "encoder"


def _example(net: Mapping[str, Any], image_input: str) -> dict[str, Tensor]:
    """Example inputs to trace the network with: two questions of different length."""
    rng = torch.Generator().manual_seed(0)
    tokens = torch.randint(1, net["words"], (2, 9), generator=rng)
    tokens[1, 6:] = 0
    if image_input == "pixels":
        return {"tokens": tokens, "features": torch.rand(2, 3, PIXELS, PIXELS, generator=rng)}
    regions = 1 if image_input == "none" else 5
    mask = torch.ones(2, regions, dtype=torch.bool)
    mask[1, regions // 2 + 1 :] = False
    features = torch.rand(2, regions, net["features"], generator=rng)
    return {
        "tokens": tokens,
        "features": features,
        "boxes": torch.rand(2, regions, 4, generator=rng) / 2,
        "mask": mask,
    }


def export_module(
    path: Path, module: nn.Module, inputs: Sequence[str], example: tuple[Tensor, ...], outputs: Sequence[str]
) -> None:
    """Write the module as ONNX and compare its output with torch's."""
    onnx = need("onnx", "train")
    module.eval()
    for part in (*module.parameters(), *module.buffers()):
        if part.is_floating_point() and part.numel() > LARGE:
            part.data = part.data.half().float()
    lengths = {"tokens": "words"}
    if "mask" in inputs:  # on regions; pixels have a fixed size
        lengths |= {"features": "regions", "boxes": "regions", "mask": "regions"}
    sizes = {name: {0: "batch"} | ({1: lengths[name]} if name in lengths else {}) for name in inputs}
    memory = io.BytesIO()
    with warnings.catch_warnings(), torch.inference_mode():
        warnings.simplefilter("ignore")
        torch.onnx.export(
            module,
            example,
            memory,  # type: ignore[arg-type]
            input_names=list(inputs),
            output_names=list(outputs),
            dynamic_axes=sizes,
            opset_version=OPSET,
            dynamo=False,
        )
        expected_outputs = module(*example)
    model = onnx.load_from_string(memory.getvalue())
    _halve(onnx, model)
    onnx.checker.check_model(model)
    path.parent.mkdir(parents=True, exist_ok=True)
    with replaced(path) as file:
        file.write(model.SerializeToString())
    _compare(path, dict(zip(inputs, example, strict=True)), outputs, expected_outputs)


def _halve(onnx: Any, model: Any) -> None:
    """Store large arrays in half precision, cast to single precision when the file is loaded."""
    graph, casts = model.graph, []
    for array in graph.initializer:
        values = onnx.numpy_helper.to_array(array)
        if values.dtype == np.float32 and values.size > LARGE:
            name = array.name
            array.CopyFrom(onnx.numpy_helper.from_array(values.astype(np.float16), f"{name}.half"))
            casts.append(onnx.helper.make_node("Cast", [f"{name}.half"], [name], to=onnx.TensorProto.FLOAT))
    nodes = [*casts, *graph.node]
    del graph.node[:]
    graph.node.extend(nodes)


def _compare(
    path: Path, example: Mapping[str, Tensor], outputs: Sequence[str], expected_outputs: Sequence[Tensor]
) -> None:
    exported_outputs = load_onnx(path, 1).run(None, {name: value.numpy() for name, value in example.items()})
    for name, exported, expected in zip(outputs, exported_outputs, expected_outputs, strict=True):
        apart = float(np.abs(exported.astype(np.float64) - expected.numpy().astype(np.float64)).max())
        if not apart <= TOLERANCE * max(1.0, float(expected.abs().max() if expected.dtype != torch.bool else 1)):
            raise RunError(f"{path}: {name} differs by {apart:.2g} from torch's output. Report this.")


def write_json(path: Path, content: Any) -> None:
    """Write a value as indented JSON, with sorted keys."""
    write_joined(path, [orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS)], end=b"\n")


def main(argv: Sequence[str] | None = None) -> None:
    """Write a trained network as a folder that needs no torch: ``python -m askew.train.onnx_export TRAINED OUTPUT``."""
    parser = argparse.ArgumentParser(prog="python -m askew.train.onnx_export", description=main.__doc__)
    parser.add_argument("trained", help="a folder that askew train wrote")
    parser.add_argument("output", type=Path, help="the folder to write")
    args = parser.parse_args(argv)
    try:
        trained = load_trained(args.trained)
        export_trained(trained, args.output)
    except AskewError as trouble:
        parser.exit(2, f"{parser.prog}: {trouble}\n")
    if input_of(trained.config) == "encoder":
        for name in ("encoder.onnx", "encoder.json"):
            with replaced(args.output / name) as file:
                file.write((REFERENCE / name).read_bytes())
    print(f"Ask it: askew run --model onnx:{args.output} ...")


if __name__ == "__main__":
    main()
