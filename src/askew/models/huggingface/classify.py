"""Models with an answer vocabulary: the best-scored answer, with its score. From pixels, or from region features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from askew.errors import DataError, ModelError, need
from askew.models.huggingface.loading import Loaded
from askew.models.huggingface.region_features import Regions
from askew.models.huggingface.shared_images import Decoded
from askew.types import Prediction, Question


@dataclass(frozen=True)
class Classifier:
    """Pictures and questions to the best answer of a vocabulary (ViLT, Kim et al. 2021, and alike)."""

    loaded: Loaded
    labels: Sequence[str]
    pictures: Decoded = field(default_factory=Decoded)
    image_mark: ClassVar[str] = ""

    def begin(self) -> None:
        """A new batch comes."""
        self.pictures.turn()

    def ready(self, question: Question, text: str) -> Any:
        """The picture, decoded; raises what is wrong with the question."""
        check_length(self.loaded, text)
        return self.pictures.of(question)

    def ask(self, questions: Sequence[Question], texts: Sequence[str], pictures: Sequence[Any]) -> list[Prediction]:
        """The best answers, all of one batch."""
        return best(questions, self._logits(texts, pictures), self.labels)

    def score(self, texts: Sequence[str], pictures: Sequence[Any], answers: Sequence[str]) -> list[float]:
        """The probability of each given answer, all of one batch; 0 outside the vocabulary."""
        return given(answers, self._logits(texts, pictures), self.labels)

    def _logits(self, texts: Sequence[str], pictures: Sequence[Any]) -> Any:
        torch, loaded = need("torch", "hf"), self.loaded
        inputs = loaded.processor(images=list(pictures), text=list(texts), padding=True, return_tensors="pt")
        with torch.inference_mode(), torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(0)  # ViLT draws which padding patches it keeps
            return loaded.model(**inputs.to(loaded.device, dtype=loaded.dtype)).logits


@dataclass(frozen=True)
class RegionClassifier:
    """Region features and questions to the best answer: LXMERT (Tan and Bansal 2019), VisualBERT (Li et al. 2019)."""

    loaded: Loaded
    labels: Sequence[str]
    regions: Regions
    image_mark: ClassVar[str] = ""

    def begin(self) -> None:
        """A new batch comes; features are read as they are needed."""

    def ready(self, question: Question, text: str) -> Any:
        """The features and boxes of the question's picture."""
        check_length(self.loaded, text)
        return self.regions.of(question)

    def ask(self, questions: Sequence[Question], texts: Sequence[str], regions: Sequence[Any]) -> list[Prediction]:
        """The best answers, all of one batch."""
        return best(questions, self._logits(texts, regions), self.labels, chances=self._is_visual_bert)

    def score(self, texts: Sequence[str], regions: Sequence[Any], answers: Sequence[str]) -> list[float]:
        """The probability of each given answer, all of one batch; 0 outside the vocabulary."""
        return given(answers, self._logits(texts, regions), self.labels, chances=self._is_visual_bert)

    def _logits(self, texts: Sequence[str], regions: Sequence[Any]) -> Any:
        torch, loaded = need("torch", "hf"), self.loaded
        inputs = {**loaded.tokenizer(list(texts), padding=True, return_tensors="pt"), **self._seen(torch, regions)}
        with torch.inference_mode():
            output = loaded.model(**{key: self._placed(value) for key, value in inputs.items()})
        logits = output.get("question_answering_score", output.get("logits"))
        return logits.reshape(len(texts), -1)

    @property
    def _is_visual_bert(self) -> bool:
        return self.loaded.folder.model_type == "visual_bert"

    def _seen(self, torch: Any, regions: Sequence[Any]) -> Mapping[str, Any]:
        """Features (batch, most regions, d), boxes (batch, most regions, 4), and which of them are real."""
        features = _padded(torch, [features for features, _ in regions])
        real = _padded(torch, [torch.ones(len(features)) for features, _ in regions])
        if self._is_visual_bert:
            kinds = torch.ones(real.shape, dtype=torch.long)
            return {"visual_embeds": features, "visual_attention_mask": real, "visual_token_type_ids": kinds}
        boxes = _padded(torch, [boxes for _, boxes in regions])
        return {"visual_feats": features, "visual_pos": boxes, "visual_attention_mask": real}

    def _placed(self, value: Any) -> Any:
        return value.to(self.loaded.device, self.loaded.dtype if value.is_floating_point() else value.dtype)


def _padded(torch: Any, parts: Sequence[Any]) -> Any:
    return torch.nn.utils.rnn.pad_sequence([torch.as_tensor(part) for part in parts], batch_first=True)


def best(questions: Sequence[Question], logits: Any, labels: Sequence[str], chances: bool = False) -> list[Prediction]:
    """The answer with the highest score for each question; the first of equals.

    The score is a sigmoid, since these models are trained to score each answer by itself (VQA's soft targets), or
    with ``chances`` a softmax.
    """
    numbers, probabilities = _probabilities(logits, labels, chances)
    scores = probabilities.max(-1).values
    places = numbers.argmax(-1)  # of the logits: sigmoids of large ones are all 1.0
    sound = numbers.isfinite().all(-1).tolist()
    return [
        Prediction(question.id, labels[place], score)
        if fine
        else Prediction(question.id, None, error="The model gave scores that are no numbers. Try dtype=float32.")
        for question, place, score, fine in zip(questions, places.tolist(), scores.tolist(), sound, strict=True)
    ]


def given(answers: Sequence[str], logits: Any, labels: Sequence[str], chances: bool = False) -> list[float]:
    """The score of one given answer per row, as ``best`` scores; 0 for one that is not a label."""
    table = _probabilities(logits, labels, chances)[1].tolist()
    places = {label: place for place, label in reversed(list(enumerate(labels)))}  # the first of equal labels
    return [row[places[answer]] if answer in places else 0.0 for row, answer in zip(table, answers, strict=True)]


def _probabilities(logits: Any, labels: Sequence[str], chances: bool) -> tuple[Any, Any]:
    """Logits and scores as float32, (batch, labels)."""
    if logits.shape[-1] != len(labels):
        raise ModelError(
            f"The model scores {logits.shape[-1]} answers, but {len(labels)} are named. Give the right labels=FILE."
        )
    numbers = logits.float()
    return numbers, numbers.softmax(-1) if chances else numbers.sigmoid()


def check_length(loaded: Loaded, text: str) -> None:
    """Refuse a question longer than the model can read: cut off, it would be another question."""
    limit = getattr(loaded.model.config, "max_position_embeddings", None)
    if limit is None or len(text) + 2 <= limit:
        return
    length = len(loaded.tokenizer(text, verbose=False)["input_ids"])
    if length > limit:
        raise DataError(f"The question is {length} tokens long, and the model reads {limit}. Ask it in fewer words.")
