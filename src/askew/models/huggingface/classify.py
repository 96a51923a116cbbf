"""Models with an answer vocabulary: the highest-scoring answer and its score, from pixels or from region features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from askew.errors import DataError, ModelError, need
from askew.files.images import only_image
from askew.models.huggingface.loading import Loaded
from askew.models.huggingface.visual_inputs import Decoded, Regions
from askew.types import Prediction, Question


@dataclass(frozen=True)
class Classifier:
    """Images and questions to the best answer of a vocabulary: ViLT (Kim et al. 2021) and similar models.

    With ``regions``, region features and questions: LXMERT (Tan and Bansal 2019), VisualBERT (Li et al. 2019).
    """

    loaded: Loaded
    labels: Sequence[str]
    regions: Regions | None = None
    images: Decoded = field(default_factory=Decoded)
    image_mark: ClassVar[str] = ""

    def visual_input(self, question: Question, text: str) -> Any:
        """The decoded image, or its features and boxes; raises when the question cannot be asked."""
        check_length(self.loaded, text)
        return (self.regions or self.images).of(only_image(question))

    def ask(self, questions: Sequence[Question], texts: Sequence[str], seen: Sequence[Any]) -> list[Prediction]:
        """The best answers of one batch."""
        return best(questions, self._logits(texts, seen), self.labels, softmax=self._is_visual_bert)

    def score(self, texts: Sequence[str], seen: Sequence[Any], answers: Sequence[str]) -> list[float]:
        """The probability of each given answer for one batch; 0 outside the vocabulary."""
        return scores_of(answers, self._logits(texts, seen), self.labels, softmax=self._is_visual_bert)

    def preview(self, text: str, seen: Any) -> str:
        """The question, with the number of tokens and of regions; an image is not in the text."""
        tokens = self.loaded.tokenizer(text)["input_ids"]
        regions = f", and {len(seen[0])} regions of the image" if self.regions else ""
        return f"{self.loaded.tokenizer.decode(tokens)}\n({len(tokens)} tokens){regions}"

    def inputs(self, texts: Sequence[str], seen: Sequence[Any]) -> dict[str, Any]:
        """The tensors of one batch."""
        torch, loaded = need("torch", "hf"), self.loaded
        if self.regions:
            words = loaded.tokenizer(list(texts), padding=True, return_tensors="pt")
            inputs = {**words, **self._region_inputs(torch, seen)}
        else:
            inputs = loaded.processor(images=list(seen), text=list(texts), padding=True, return_tensors="pt")
        return {
            key: value.to(loaded.device, loaded.dtype if value.is_floating_point() else value.dtype)
            for key, value in inputs.items()
        }

    def _logits(self, texts: Sequence[str], seen: Sequence[Any]) -> Any:
        torch = need("torch", "hf")
        with torch.inference_mode(), torch.random.fork_rng(devices=[]):
            torch.default_generator.manual_seed(0)  # ViLT chooses at random which padding patches it keeps
            output = self.loaded.model(**self.inputs(texts, seen))
        logits = output.get("question_answering_score", output.get("logits"))
        return logits.reshape(len(texts), -1)

    @property
    def _is_visual_bert(self) -> bool:
        return self.loaded.folder.model_type == "visual_bert"

    def _region_inputs(self, torch: Any, regions: Sequence[Any]) -> Mapping[str, Any]:
        """Features (batch, most regions, d), boxes (batch, most regions, 4), and a mask that is 0 for padding."""
        features = _padded(torch, [features for features, _ in regions])
        real = _padded(torch, [torch.ones(len(features)) for features, _ in regions])
        if self._is_visual_bert:
            kinds = torch.ones(real.shape, dtype=torch.long)
            return {"visual_embeds": features, "visual_attention_mask": real, "visual_token_type_ids": kinds}
        boxes = _padded(torch, [boxes for _, boxes in regions])
        return {"visual_feats": features, "visual_pos": boxes, "visual_attention_mask": real}


def _padded(torch: Any, parts: Sequence[Any]) -> Any:
    return torch.nn.utils.rnn.pad_sequence([torch.as_tensor(part) for part in parts], batch_first=True)


def best(questions: Sequence[Question], logits: Any, labels: Sequence[str], softmax: bool = False) -> list[Prediction]:
    """The highest-scoring answer to each question; ties go to the first.

    The score is a sigmoid, since these models are trained to score each answer on its own (VQA's soft targets), or
    with ``softmax`` a softmax over all answers.
    """
    numbers, probabilities = _probabilities(logits, labels, softmax)
    scores = probabilities.max(-1).values
    places = numbers.argmax(-1)  # of the logits: sigmoids of large ones are all 1.0
    finite = numbers.isfinite().all(-1).tolist()
    return [
        Prediction(question.id, labels[place], score)
        if is_finite
        else Prediction(
            question.id, None, error="The model gave scores that are not finite numbers. Try dtype=float32."
        )
        for question, place, score, is_finite in zip(questions, places.tolist(), scores.tolist(), finite, strict=True)
    ]


def scores_of(answers: Sequence[str], logits: Any, labels: Sequence[str], softmax: bool = False) -> list[float]:
    """The score of one given answer per row, computed as in ``best``; 0 for one that is not a label."""
    table = _probabilities(logits, labels, softmax)[1].tolist()
    places = {label: place for place, label in reversed(list(enumerate(labels)))}  # the first of equal labels
    return [row[places[answer]] if answer in places else 0.0 for row, answer in zip(table, answers, strict=True)]


def _probabilities(logits: Any, labels: Sequence[str], softmax: bool) -> tuple[Any, Any]:
    """Logits and scores as float32, (batch, labels)."""
    if logits.shape[-1] != len(labels):
        raise ModelError(
            f"The model scores {logits.shape[-1]} answers, but there are {len(labels)} labels. "
            "Give the labels=FILE that belongs to this model."
        )
    numbers = logits.float()
    return numbers, numbers.softmax(-1) if softmax else numbers.sigmoid()


def check_length(loaded: Loaded, text: str) -> None:
    """Refuse a question that is too long for the model: truncated, it would be another question."""
    limit = getattr(loaded.model.config, "max_position_embeddings", None)
    if limit is None or len(text) + 2 <= limit:
        return
    length = len(loaded.tokenizer(text, verbose=False)["input_ids"])
    if length > limit:
        raise DataError(f"The question is {length} tokens long, and the model reads at most {limit}. Shorten it.")
