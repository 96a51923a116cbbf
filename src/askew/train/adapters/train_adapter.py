"""``askew train --model hf:FOLDER``: one function from data to an adapter, which resumes if it was killed."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from askew.engine.components import as_data
from askew.engine.settings import Settings, progress_bar
from askew.errors import BadOption, need
from askew.files.limits import bounded_read, load_json
from askew.files.read_write import alone_in, replaced
from askew.models.huggingface.folder import ADAPTER
from askew.models.huggingface.hf_model import TRAINED, HuggingFace
from askew.models.huggingface.loading import offline
from askew.models.huggingface.placement import pick_device
from askew.registry import make
from askew.train.adapters.adapter_data import AdapterData, AdapterRequest, prepare
from askew.train.adapters.answer_targets import GeneratorTargets, targets_of
from askew.train.adapters.lora import Lora, add_lora
from askew.train.adapters.schedule import PairLoss, Schedule
from askew.train.adapters.trainer import CHECKPOINTS, AdapterConfig, AdapterFit
from askew.train.controls import controlled
from askew.train.losses import Augment, Consistency
from askew.train.training_data import Data, Groups, as_sources, split_of_release
from askew.train.training_folder import begin_folder, check_folder, deterministic, write_json
from askew.train.training_page import write_page
from askew.verbs import Loss

CHECKED = 4
"""Answers that are checked to be learnt after the prompt that asks for them, before the training begins."""
WEIGHTS = "adapter_model.safetensors"


@dataclass(frozen=True)
class TrainedAdapter:
    """The result of training an adapter."""

    base: str
    """The spec of the model it was trained for."""
    folder: Path

    @property
    def spec(self) -> str:
        """The model with its adapter, as for ``askew run --model``."""
        return f"{self.base},adapter={self.folder}"

    @property
    def record(self) -> dict[str, Any]:
        """All of training.json."""
        found: dict[str, Any] = load_json(bounded_read(self.folder / TRAINED))
        return found

    @property
    def history(self) -> list[dict[str, Any]]:
        """One record for each evaluation: losses, accuracies on what was held out, seconds."""
        found: list[dict[str, Any]] = load_json(bounded_read(self.folder / "history.json"))
        return found


def train_adapter(
    model: str,
    data: Data | Sequence[Data] = "world:train",
    val: Data | None = None,
    losses: Iterable[str | Loss] = (),
    *,
    output: str | Path,
    lora: str | Lora = "",
    groups: Groups = "p2",
    control: str = "",
    weights: Sequence[float] = (),
    exclude: Sequence[str | Path] = (),
    images: str | None = None,
    progress: bool = False,
    skip_bad: bool = False,
    overwrite: bool = False,
    **settings: Any,
) -> TrainedAdapter:
    """Train an adapter of a Hugging Face model, and return it with the weights of its best evaluation.

    ``model`` is a spec (``hf:FOLDER,prompt=...``); its prompt is that of the training. ``lora`` has the settings of
    :class:`askew.train.adapters.lora.Lora`, ``settings`` are those of :class:`AdapterConfig`; the other arguments are
    those of :func:`askew.train.loop.train`. Of the losses on groups, ``consistency`` and ``augment`` can be used.

    Everything is written to ``output``. The same call after a kill resumes from the last checkpoint; a finished
    training is only loaded.
    """
    for package in ("peft", "accelerate"):
        need(package, "peft")
    config, adapter = AdapterConfig(**settings), Lora.parse(lora) if isinstance(lora, str) else lora
    base, folder = _base(model), Path(output).absolute()
    sources = as_sources(data, weights, images, skip_bad)
    held = None if val is None else as_data(split_of_release(val, "dev"), images, skip_bad)
    added = _losses(losses, control)
    found = prepare(AdapterRequest(base, sources, held, added, groups, control, exclude, images, skip_bad, config.seed))
    record = {
        "model": repr(base),
        "lora": asdict(adapter),
        "training": asdict(config),
        "losses": [repr(loss) for loss in added],
        **({"control": control} if control else {}),
        "data": [{"signature": repr(source.data.what), "weight": source.weight} for source in sources],
        "val": None if held is None else repr(held.what),
        "questions": {"train": len(found.examples.questions), "val": len(found.held_out.questions)},
        "pairs": {"train": found.pairs, "val": len(found.held_out.pairs)},
        "content": found.content,
        **({"skipped": found.skipped} if found.skipped else {}),
    }
    with alone_in(folder), deterministic(config.threads, folder / TRAINED, base.device == "cpu"):
        if overwrite:
            for name in (WEIGHTS, ADAPTER, TRAINED, "history.json", "report.html"):
                (folder / name).unlink(missing_ok=True)
            shutil.rmtree(folder / CHECKPOINTS, ignore_errors=True)
        check_folder(folder, record, overwrite)
        if not (folder / ADAPTER).is_file():
            fit = _fit(base, adapter, found, config, folder)
            begin_folder(folder, TRAINED, record, overwrite)
            _train(fit, base, record, progress)
    return TrainedAdapter(model, folder)


def _base(spec: str) -> HuggingFace:
    """The model, on a definite device and in a number format that can be trained."""
    model = make("model", spec)
    if not isinstance(model, HuggingFace):
        raise BadOption(f"--model {spec}: adapters are trained for Hugging Face models. Give hf:FOLDER.")
    if model.adapter is not None:
        raise BadOption(
            f"--model {spec}: it has an adapter already. Merge that into its weights with peft (merge_and_unload), "
            "and give the merged folder."
        )
    torch = need("torch", "hf")
    device = pick_device(model.device)
    half = device.startswith("cuda") and torch.cuda.is_bf16_supported() and model.dtype != "float32"
    return replace(model, device=device, dtype="bfloat16" if half else "float32")


def _losses(losses: Iterable[str | Loss], control: str) -> list[PairLoss]:
    made = [make("loss", loss) if isinstance(loss, str) else loss for loss in losses]
    for loss in made:
        if not isinstance(loss, (Consistency, Augment)):
            raise BadOption(
                f"{loss!r} is for networks of askew (--net). Adapters are trained on the answers, with the losses "
                "consistency and augment."
            )
    if sum(isinstance(loss, Consistency) for loss in made) > 1:
        raise BadOption("The loss consistency is named twice; name it once.")
    return controlled(made, control)


def _fit(base: HuggingFace, lora: Lora, data: AdapterData, config: AdapterConfig, folder: Path) -> AdapterFit:
    """The training, with a fresh adapter."""
    examples = data.examples
    length = config.steps_for(len(examples.questions)) * config.batch_size * config.accumulate
    targets = targets_of(base)
    if isinstance(targets, GeneratorTargets):
        targets.check(examples.questions[:CHECKED])
    return AdapterFit(
        model=add_lora(base.runtime.loaded.model, lora, config.seed, base.folder.name),
        targets=targets,
        schedule=Schedule(examples.questions, examples.weights, data.losses, config.seed, length),
        held_out=data.held_out,
        config=config,
        folder=folder,
        device=base.device,
        distance=next((loss.distance for loss, _ in data.losses if isinstance(loss, Consistency)), "kl"),
    )


def _train(fit: AdapterFit, base: HuggingFace, record: dict[str, Any], progress: bool) -> None:
    """Train to the end, and write the adapter of the best evaluation, the history and the page."""
    folder, page = fit.folder, record | {"net": {"name": f"adapter of {base.folder.name}"}, "unit": "evaluation"}
    steps = fit.config.steps_for(len(fit.schedule.questions))

    def show(history: list[dict[str, Any]]) -> None:
        write_json(folder / "history.json", history)
        write_page(folder, page, history)

    with progress_bar(Settings(progress=progress), total=steps, desc="Training", unit=" steps") as bar, offline():
        best = fit.run(on_step=lambda step: bar.update(step - bar.n), on_evaluation=show)
    with replaced(folder / WEIGHTS) as file:
        file.write((best / WEIGHTS).read_bytes())
    found = load_json(bounded_read(best / ADAPTER))  # where the model is, and an order that changes, do not matter
    found |= {"base_model_name_or_path": base.folder.name, "target_modules": sorted(found["target_modules"])}
    write_json(folder / ADAPTER, found)  # last: with it the training is finished
    shutil.rmtree(folder / CHECKPOINTS)
