"""transformers' Trainer with our loss: a schedule of examples in order, held-out questions and pairs, checkpoints."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import orjson
import torch
from torch.utils.data import SequentialSampler

from askew.errors import BadOption, RunError, need
from askew.train.adapters.answer_targets import Targets
from askew.train.adapters.batch_loss import Batch, as_batch, loss_terms
from askew.train.adapters.schedule import Pair, Schedule, TrainingExample
from askew.train.losses import Distance
from askew.types import Question

CHECKPOINTS = "checkpoints"
"""The folder of the checkpoints within that of the training; deleted when it is finished."""
_STATE = "trainer_state.json"


@dataclass(frozen=True)
class AdapterConfig:
    """How an adapter is trained."""

    seed: int = 0
    epochs: int = 1
    steps: int = 0
    """Stop after this many steps; 0 stands for whole epochs."""
    batch_size: int = 8
    """Questions that are learnt at once; the rows of their pairs come on top."""
    accumulate: int = 1
    """Batches whose gradients are added up before a step."""
    rate: float = 2e-4
    """Learning rate of AdamW; it falls to zero along half a cosine."""
    clip: float = 1.0
    """The largest norm of the gradient; 0 turns clipping off."""
    evaluate: int = 0
    """Steps between checkpoints, at which held-out questions and pairs are answered; 0 stands for a tenth of all."""
    patience: int = 0
    """Stop after this many evaluations that were not better; 0 never stops."""
    threads: int = 0
    """Processor threads; 0 leaves the choice to torch."""

    def __post_init__(self) -> None:
        for name in ("epochs", "batch_size", "accumulate"):
            if getattr(self, name) < 1:
                raise BadOption(f"{name.replace('_', '-')} is {getattr(self, name)}; at least 1 is needed.")
        for name in ("seed", "steps", "rate", "clip", "evaluate", "patience", "threads"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadOption(f"{name} is {getattr(self, name)}; give a number of at least 0.")

    def steps_for(self, questions: int) -> int:
        """All steps of a training on this many questions."""
        return self.steps or math.ceil(questions * self.epochs / (self.batch_size * self.accumulate))

    def interval(self, questions: int) -> int:
        """Steps between evaluations."""
        return self.evaluate or math.ceil(self.steps_for(questions) / 10)


@dataclass(frozen=True)
class HeldOut:
    """What a training is validated on."""

    questions: Sequence[Question]
    pairs: Sequence[Pair]

    def items(self) -> list[tuple[Question, ...]]:
        """Single questions, then pairs."""
        return [*((question,) for question in self.questions), *((pair.original, pair.variant) for pair in self.pairs)]


@dataclass
class AdapterFit:
    """One training: what is trained, on what, and where its checkpoints are."""

    model: Any
    """The model with a fresh adapter."""
    targets: Targets
    schedule: Schedule
    held_out: HeldOut
    config: AdapterConfig
    folder: Path
    device: str
    distance: Distance = "kl"
    terms: defaultdict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    """The terms of the loss in each batch since the last evaluation."""

    def run(self, on_step: Callable[[int], object], on_evaluation: Callable[[list[dict[str, Any]]], object]) -> Path:
        """Train to the end, from the last checkpoint if there is one; returns the best checkpoint.

        ``on_step`` receives the number of steps done, ``on_evaluation`` the history after each checkpoint.
        """
        last = last_checkpoint(self.folder)
        trainer = _trainer(self, on_step, on_evaluation)
        stopped = last is not None and self.stops(_state(last)["log_history"])
        if not stopped:
            trainer.train(resume_from_checkpoint=None if last is None else str(last))
            last = last_checkpoint(self.folder)
        assert last is not None
        best = _state(last)["best_global_step"]
        return self.folder / CHECKPOINTS / f"checkpoint-{best}"

    def stops(self, logged: Sequence[Mapping[str, Any]]) -> bool:
        """Whether the last evaluations were not better than an earlier one."""
        values = [entry["eval_selected"] for entry in logged if "eval_selected" in entry]
        since = len(values) - 1 - values.index(max(values)) if values else 0
        return bool(self.config.patience) and since >= self.config.patience

    def history(self, logged: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """A record for each evaluation: the loss since the last one, and the accuracies on what was held out."""
        losses = {entry["step"]: entry for entry in logged if "loss" in entry}
        return [
            {
                "epoch": number,
                "step": entry["step"],
                "loss": {
                    name.removeprefix("loss_"): value
                    for name, value in losses[entry["step"]].items()
                    if name.startswith("loss_")
                },
                "accuracy": entry["eval_accuracy"],
                "pairs": entry.get("eval_pairs"),
                "variants": entry.get("eval_variants"),
                "seconds": losses[entry["step"]]["seconds"],
            }
            for number, entry in enumerate((one for one in logged if "eval_selected" in one), 1)
        ]


def last_checkpoint(folder: Path) -> Path | None:
    """The last checkpoint that was written whole: its state is written last."""
    found = sorted((folder / CHECKPOINTS).glob("checkpoint-*"), key=lambda path: int(path.name.rpartition("-")[2]))
    return next((path for path in reversed(found) if _state(path)), None)


def _state(checkpoint: Path) -> dict[str, Any]:
    try:
        state: dict[str, Any] = orjson.loads((checkpoint / _STATE).read_bytes())
    except (OSError, orjson.JSONDecodeError):
        return {}
    return state


def _trainer(
    fit: AdapterFit, on_step: Callable[[int], object], on_evaluation: Callable[[list[dict[str, Any]]], object]
) -> Any:
    """The Trainer of a training. Its classes are made here, since transformers is imported only when needed."""
    transformers = need("transformers", "peft")
    config, questions = fit.config, len(fit.schedule.questions)
    interval, steps = fit.config.interval(questions), fit.config.steps_for(questions)

    class AdapterTrainer(transformers.Trainer):  # type: ignore[misc, name-defined]
        began: float = 0.0

        def compute_loss(
            self, model: Any, inputs: Batch, return_outputs: bool = False, num_items_in_batch: Any = None
        ) -> Any:
            terms = loss_terms(model, inputs, fit.targets, fit.distance)
            for name, term in terms.items():
                fit.terms[name].append(term.item())
            if not all(math.isfinite(found[-1]) for found in fit.terms.values()):
                raise RunError(
                    f"The loss is no longer finite (step {self.state.global_step + 1}). Lower the learning rate."
                )
            return sum(terms.values())

        def prediction_step(self, model: Any, inputs: Any, *rest: Any, **options: Any) -> Any:
            with torch.no_grad():
                values = _correct(model, inputs, fit.targets)
            return None, values, values

        def _get_train_sampler(self, *rest: Any) -> Any:
            return SequentialSampler(self.train_dataset)

        def log(self, logs: dict[str, float], *rest: Any, **options: Any) -> None:
            if "loss" in logs:
                before = [entry["seconds"] for entry in self.state.log_history if "seconds" in entry]
                logs["seconds"] = (before[-1] if before else 0.0) + time.monotonic() - self.began
                logs |= {f"loss_{name}": sum(found) / len(found) for name, found in fit.terms.items()}
                fit.terms.clear()
                self.began = time.monotonic()
            super().log(logs, *rest, **options)

    class TrainingHooks(transformers.TrainerCallback):  # type: ignore[misc, name-defined]
        def on_step_end(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
            on_step(state.global_step)
            if state.global_step == state.max_steps:
                control.should_log = control.should_evaluate = control.should_save = True

        def on_save(self, args: Any, state: Any, control: Any, **rest: Any) -> None:
            on_evaluation(fit.history(state.log_history))
            control.should_training_stop |= fit.stops(state.log_history)

    on_gpu = fit.device == "cuda"
    arguments = transformers.TrainingArguments(
        output_dir=str(fit.folder / CHECKPOINTS),
        max_steps=steps,
        per_device_train_batch_size=config.batch_size,
        per_device_eval_batch_size=config.batch_size,
        gradient_accumulation_steps=config.accumulate,
        learning_rate=config.rate,
        lr_scheduler_type="cosine",
        max_grad_norm=config.clip,
        seed=config.seed,
        bf16=on_gpu and torch.cuda.is_bf16_supported(),
        use_cpu=fit.device == "cpu",
        dataloader_pin_memory=on_gpu,
        **dict.fromkeys(("logging_strategy", "eval_strategy", "save_strategy"), "steps"),
        **dict.fromkeys(("logging_steps", "eval_steps", "save_steps"), interval),
        save_total_limit=2,
        metric_for_best_model="selected",
        greater_is_better=True,
        remove_unused_columns=False,
        report_to=[],
        disable_tqdm=True,
    )
    arguments._n_gpu = min(arguments.n_gpu, 1)  # parts of a batch cannot be divided among devices
    trainer = AdapterTrainer(
        model=fit.model,
        args=arguments,
        train_dataset=fit.schedule,
        eval_dataset=fit.held_out.items(),
        data_collator=partial(_collate, fit.targets),
        compute_metrics=_metrics,
        callbacks=[TrainingHooks()],
    )
    trainer.began = time.monotonic()
    trainer.remove_callback(transformers.PrinterCallback)
    return trainer


def _collate(targets: Targets, items: Sequence[Any]) -> Any:
    """Examples to learn from, or held-out questions and pairs."""
    if isinstance(items[0], TrainingExample):
        return as_batch(targets, items)
    questions = [question for item in items for question in item]
    return {"parts": targets.parts(questions), "sizes": list(map(len, items))}


def _correct(model: Any, batch: Batch, targets: Targets) -> Any:
    """A row for each held-out question or pair, (N, 3): 1 for pairs, how correct the last is, and how correct all."""
    flat = torch.zeros(sum(batch["sizes"]))
    for part in batch["parts"]:
        flat[part["rows"]] = targets.correct(targets.logits(model, part), targets.wanted(part)).cpu()
    found = torch.split(flat, batch["sizes"])
    return torch.stack([torch.stack([torch.tensor(len(each) - 1.0), each[-1], each.min()]) for each in found])


def _metrics(found: Any) -> dict[str, float]:
    """The accuracy on questions; for pairs the share of both correct and of the variant; and what decides."""
    is_pair, last, both = found.predictions.T
    alone = float(last[is_pair == 0].mean())
    if not is_pair.any():
        return {"accuracy": alone, "selected": alone}
    pairs = float(both[is_pair == 1].mean())
    return {"accuracy": alone, "pairs": pairs, "variants": float(last[is_pair == 1].mean()), "selected": pairs}
