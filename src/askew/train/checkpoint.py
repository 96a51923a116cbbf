"""A trained network with everything it needs to answer, and its checkpoints: weights, optimiser and history."""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from pickle import UnpicklingError
from typing import Any

import orjson
import torch
from torch import Tensor, nn

from askew.errors import AskewError, BadImage, DataError
from askew.files.images import content_hash, only_image
from askew.files.limits import bounded_read, load_json
from askew.files.read_write import replaced
from askew.nets.layers import Batch, Output
from askew.nets.net_config import NetConfig, QuestionWords, attention_steps
from askew.nets.networks import PixelNet, build_net
from askew.train.batches import Answers, build_table, unusable
from askew.train.features import BackboneFeatures, FeatureStore, ImageFeatures, as_store
from askew.types import AttentionStep, ImageRef, Prediction, Question

STATE, BEST = "state.pt", "weights.pt"
"""The file from which a training resumes, and the weights of the best epoch."""


@dataclass
class TrainProgress:
    """The progress of a training."""

    epoch: int = 0
    """Whole epochs done."""
    step: int = 0
    """Steps done in the current epoch."""
    sums: dict[str, float] = field(default_factory=dict)
    """Sums of the losses in the current epoch."""
    best: float = -1.0
    """The best validation accuracy so far."""
    since: int = 0
    """Epochs since the best one."""
    seconds: float = 0.0
    """Time spent in steps, over all runs."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """One record per epoch."""


@dataclass(frozen=True)
class Learner:
    """What a training changes."""

    net: nn.Module
    optimiser: torch.optim.Optimizer
    branches: nn.ModuleDict = field(default_factory=nn.ModuleDict)
    """What losses train beside the network, by the number of the loss; not used to answer."""

    def weights(self) -> Iterator[nn.Parameter]:
        """Everything that is trained."""
        yield from self.net.parameters()
        yield from self.branches.parameters()


def save_weights(path: Path, net: torch.nn.Module) -> None:
    """Write the weights of a network."""
    _write_tensors(path, net.state_dict())


def load_weights(path: Path, net: torch.nn.Module) -> None:
    """Load weights into a network of the same shape."""
    content = _read_tensors(path)
    try:
        net.load_state_dict(content)
    except (RuntimeError, AttributeError, TypeError) as trouble:
        raise DataError(
            f"{path}: the weights do not fit the network that config.json describes ({str(trouble).splitlines()[0]}). "
            "Train again, or restore the folder's own files."
        ) from None


def save_state(path: Path, learner: Learner, progress: TrainProgress) -> None:
    """Write everything that a training needs to resume."""
    content = {
        "net": learner.net.state_dict(),
        "branches": learner.branches.state_dict(),
        "optimiser": learner.optimiser.state_dict(),
        "progress": asdict(progress),
    }
    _write_tensors(path, content)


def load_state(path: Path, learner: Learner) -> TrainProgress:
    """Restore network, branches and optimiser; returns the progress."""
    content = _read_tensors(path)
    try:
        learner.net.load_state_dict(content["net"])
        learner.branches.load_state_dict(content.get("branches", {}))
        learner.optimiser.load_state_dict(content["optimiser"])
        return TrainProgress(**content["progress"])
    except (KeyError, RuntimeError, TypeError, ValueError, AttributeError) as trouble:
        raise DataError(
            f"{path}: not a state of this training ({str(trouble).splitlines()[0]}). Delete it to begin again."
        ) from None


def _write_tensors(path: Path, content: Any) -> None:
    memory = io.BytesIO()
    torch.save(content, memory)
    with replaced(path) as file:
        file.write(memory.getvalue())


def _read_tensors(path: Path) -> Any:
    """Only tensors and plain values are loaded; no code in the file runs."""
    try:
        return torch.load(path, map_location="cpu", weights_only=True)
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file. Give the folder of a finished training.") from None
    except (UnpicklingError, RuntimeError, EOFError, OSError) as trouble:
        raise DataError(f"{path}: cannot be read as weights ({str(trouble).splitlines()[0]}). Train again.") from None


REMEMBERED = 1024
"""Images whose features are kept for the next questions."""


@dataclass(frozen=True)
class Trained:
    """The result of training: ``answer`` asks it, ``look`` shows how it arrives at its answers."""

    net: nn.Module
    words: QuestionWords
    answers: Answers
    config: dict[str, Any]
    """All of config.json."""
    folder: Path
    features: CachedFeatures

    @property
    def history(self) -> list[dict[str, Any]]:
        """One record per epoch: losses, validation accuracy, seconds."""
        records: list[dict[str, Any]] = _read(self.folder / "history.json")
        return records

    def answer(self, questions: Sequence[Question], batch_size: int = 256) -> list[Prediction]:
        """One prediction for each question, in order, with its probability. A question without features fails alone."""
        predictions = []
        for question, row in zip(questions, self._rows(questions, batch_size), strict=True):
            if isinstance(row, str):
                predictions.append(Prediction(question.id, None, error=row))
            else:
                score, number = row.max(dim=0)
                predictions.append(Prediction(question.id, self.answers.known[int(number)], score.item()))
        return predictions

    def scores(self, questions: Sequence[Question], answers: Sequence[str], batch_size: int = 256) -> list[float]:
        """The sigmoid of each given answer's logit; 0 outside the vocabulary, nan for a question without features."""
        places = {answer: place for place, answer in enumerate(self.answers.known)}
        return [
            float("nan") if isinstance(row, str) else row[places[answer]].item() if answer in places else 0.0
            for answer, row in zip(answers, self._rows(questions, batch_size), strict=True)
        ]

    def _rows(self, questions: Sequence[Question], batch_size: int) -> Iterator[Tensor | str]:
        """The probability of every answer (A,) for each question, or why it cannot be asked."""
        for start in range(0, len(questions), batch_size):
            batch = questions[start : start + batch_size]
            troubles = self._troubles(batch)
            ready = [question for question, trouble in zip(batch, troubles, strict=True) if trouble is None]
            rows = iter(torch.sigmoid(self.look(ready).logits) if ready else ())
            yield from (next(rows) if trouble is None else trouble for trouble in troubles)

    def look(self, questions: Sequence[Question]) -> Output:
        """The output for these questions, with module weights, attention and words in each step."""
        batch = self.batch(questions)
        self.net.eval()
        with torch.inference_mode():
            output: Output = self.net(batch.tokens, batch.features, batch.boxes, batch.mask)
        return output

    def steps(self, question: Question) -> tuple[AttentionStep, ...]:
        """Modules and attention of each step of a module network; empty for any other network."""
        output = self.look([question])
        if output.weights is None or output.attention is None or output.words is None:
            return ()
        weights, attention, words = (part[0].tolist() for part in (output.weights, output.attention, output.words))
        return attention_steps(question.text, weights, attention, words, self.boxes(question))

    def boxes(self, question: Question) -> list[list[float]]:
        """The boxes of the regions that the network sees; one on pixels has its own grid."""
        boxes = self.net.grid if isinstance(self.net, PixelNet) else self.batch([question]).boxes[0]
        listed: list[list[float]] = boxes.tolist()
        return listed

    def batch(self, questions: Sequence[Question]) -> Batch:
        """These questions as tensors."""
        table = build_table(self.features, (question.image for question in questions))
        if len(table.rows) and table.width != self.config["net"]["features"]:
            raise DataError(
                f"{self.folder}: it was trained on regions of {self.config['net']['features']} numbers, but these have "
                f"{table.width}. Give features of the same kind (trained:FOLDER,features=...)."
            )
        rows = torch.from_numpy(table.find([question.image for question in questions]))
        tokens = torch.from_numpy(self.words.encode([question.text for question in questions]))
        return Batch(tokens, *table.take(rows))

    def _troubles(self, questions: Sequence[Question]) -> list[str | None]:
        """Why each question cannot be asked, or None."""
        if self.config["net"]["name"] == "language":
            return [None] * len(questions)
        bad = unusable(self.features, (question.image for question in questions), AskewError)
        return [_trouble(question, bad) for question in questions]


def _trouble(question: Question, bad: Mapping[ImageRef, str]) -> str | None:
    try:
        image = only_image(question)
    except BadImage as trouble:
        return str(trouble)
    return "the question has no image" if image is None else bad.get(image)


@dataclass(frozen=True)
class CachedFeatures:
    """A store that caches the features of the last images."""

    store: FeatureStore
    kept: dict[str, ImageFeatures] = field(default_factory=dict, repr=False, compare=False)

    @property
    def regions(self) -> int | None:
        """That of the store."""
        return self.store.regions

    def get_many(self, images: Sequence[ImageRef]) -> list[ImageFeatures]:
        """From memory, or from the store."""
        keys = [content_hash(image) for image in images]
        fresh = {key: image for key, image in zip(keys, images, strict=True) if key not in self.kept}
        found = dict(zip(fresh, self.store.get_many(list(fresh.values())), strict=True)) if fresh else {}
        seen = [found[key] if key in found else self.kept[key] for key in keys]
        self.kept.update(found)
        while len(self.kept) > REMEMBERED:
            del self.kept[next(iter(self.kept))]
        return seen


def load_trained(folder: str | Path, features: str | FeatureStore | None = None) -> Trained:
    """The network of a training's folder, with the weights of its best epoch.

    ``features`` replaces the features of the training.
    """
    folder = Path(folder)
    config = _read(folder / "config.json")
    try:
        net = NetConfig(**config["net"])
        words = QuestionWords(tuple(_read(folder / "words.json")))
        answers = Answers(tuple(_read(folder / "answers.json")))
    except (KeyError, TypeError) as trouble:
        raise DataError(
            f"{folder}: config.json is not that of a training ({trouble}). Give a folder that 'askew train --output' "
            "wrote."
        ) from None
    store = as_store(features if features is not None else config.get("features_spec"), net)
    trained_on, given = str(config.get("features")), repr(store)
    if isinstance(store, BackboneFeatures) and trained_on.startswith("BackboneFeatures(") and given != trained_on:
        raise DataError(
            f"{folder}: it was trained on features of another backbone or layer ({trained_on}), and these are {given}. "
            "Give that one (trained:FOLDER,features=...), or train again."
        )
    with torch.random.fork_rng(devices=[]):  # the initial weights are drawn at random, then replaced
        network = build_net(net)
    load_weights(folder / BEST, network)
    return Trained(network.eval(), words, answers, config, folder, CachedFeatures(store))


def _read(path: Path) -> Any:
    try:
        return load_json(bounded_read(path))
    except FileNotFoundError:
        raise DataError(
            f"{path}: there is no such file. Give the folder of a training (askew train --output)."
        ) from None
    except orjson.JSONDecodeError as trouble:
        raise DataError(f"{path}: cannot be read as JSON ({trouble}). Train again.") from None
