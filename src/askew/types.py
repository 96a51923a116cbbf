"""The nouns of askew. Frozen dataclasses; no I/O, no imports from askew. What is done with them is in ``verbs.py``.

Everything else makes groups, answers groups, scores groups or shows them:

    data ──Question──▶ perturb ──Group──▶ run ──Outcome──▶ metrics ──Score──▶ report
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal, NamedTuple, TypeAlias

Id: TypeAlias = str | int
"""An id identifies a record; it is kept as it is in the file (``"01"``, ``"1"`` and ``1`` differ) and never parsed."""

Mode: TypeAlias = Literal["official", "robust", "simple", "exact"]
"""How answers are compared; printed with each score.

``official``: the public VQA evaluator, including its quirks: answers are normalised only if people disagreed, and the
accuracy is min(1, matches / 3), averaged over all sets that leave one person out (Antol et al. 2015). ``robust``: the
same, always normalised, so that "Yes." is "yes". ``simple``: normalised, min(1, matches / 3) over all people (Huang et
al. 2019, eq. 2); with n < 3 people, min(1, matches / n). ``exact``: the most frequent reference answer, character for
character (GQA).
"""

Row: TypeAlias = tuple[float, ...]
"""The few numbers that a metric computes for one group; a score is a function of their column sums."""


class Expect(str, Enum):
    """What a change should do to the answer."""

    SAME = "same"
    """Rephrasing, symmetry: the answer stays."""
    DIFFERENT = "different"
    """Negation, antonym: the answer must change."""
    GIVEN = "given"
    """The variant carries its own new answers (RAD counterfactuals)."""
    NOISE = "noise"
    """Same answers, controlled noise (basic questions)."""


@dataclass(frozen=True, slots=True)
class ImageRef:
    """A reference to an image, which is opened only when needed and identified by its content."""

    id: Id
    """Its id in the data; intervals are clustered by it."""
    path: str | None = None
    """The path of its file; None if the data came without images."""
    data: bytes | None = field(default=None, repr=False)
    """The encoded file itself, for images generated on the fly."""
    sha256: str | None = None
    """Hash of the encoded file, if already known."""
    size: tuple[int, int] | None = None
    """Width and height in pixels, if already known."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One object of a scene: its name, attributes and bounding box."""

    id: str
    name: str
    attributes: tuple[str, ...] = ()
    box: tuple[float, float, float, float] | None = None
    """x, y (top left), width, height, in pixels."""


@dataclass(frozen=True, slots=True)
class Relation:
    """``subject name object``, e.g. ``man riding horse``; subject and object are ids of things."""

    subject: str
    name: str
    object: str


@dataclass(frozen=True, slots=True)
class Scene:
    """The true content of an image (a GQA scene graph)."""

    id: str
    things: tuple[Thing, ...] = ()
    relations: tuple[Relation, ...] = ()
    size: tuple[int, int] | None = None
    """Width and height in pixels."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Facts about the whole image: location, weather, ..."""


@dataclass(frozen=True, slots=True)
class Kind:
    """VQA's classes of questions: by answer (yes/no, number, other) and by first words ("what color is the")."""

    answer_type: str = ""
    question_type: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question about an image, with the answers that people gave (10 in VQA, 1 in GQA)."""

    id: Id
    image: ImageRef | None
    text: str
    answers: tuple[str, ...] = ()
    kind: Kind = Kind()
    scene: Scene | None = None
    context: str = ""
    """Text that precedes the question (a dialogue, a caption, basic questions); part of the model's input."""
    confidences: tuple[str, ...] = ()
    """yes, maybe or no for each answer, if people were asked how sure they are."""
    tags: tuple[tuple[str, str], ...] = ()
    """Other classes in the data, e.g. the round and domain of a collected benchmark; scores are sliced by them."""
    choices: tuple[str, ...] = ()
    """The options of a multiple-choice question, in the order in which they are lettered; the answers are among them.

    ``text`` does not contain them: they are added to the model's input.
    """


@dataclass(frozen=True, slots=True)
class Variant:
    """A changed question (text or image), what the change should do to the answer, and the rule that made it."""

    question: Question
    expect: Expect
    test: str
    """The column of the paper's table it counts in, e.g. ``Y/N←C``."""
    made_by: str
    """The rule that made it, e.g. ``rad/color``."""
    note: Mapping[str, Any] = field(default_factory=dict)
    """What the rule did, for readers and for tables; plain JSON values."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A question that a rule matched but did not change, and why. Counted in the coverage report."""

    question_id: Id
    test: str
    reason: str


@dataclass(frozen=True, slots=True)
class Group:
    """A question with its variants: the unit that every robustness metric counts."""

    id: Id
    suite: str
    original: Question
    variants: tuple[Variant, ...] = ()


@dataclass(frozen=True, slots=True)
class Prediction:
    """A model's answer, or its failure. A failure is never an answer."""

    question_id: Id
    answer: str | None
    score: float | None = None
    error: str | None = None
    tries: int = 1
    seconds: float = 0.0
    raw: str | None = None
    """The model's full output, if the answer was extracted from it."""
    tokens: tuple[int, int] = (0, 0)
    """Tokens read and written, for models that are paid per token."""

    @property
    def failed(self) -> bool:
        """Whether there is no answer to score."""
        return self.answer is None


class TokenEstimate(NamedTuple):
    """The estimated cost of a run: calls without retries, and a rough count of tokens."""

    calls: int
    read: int
    written: int
    """An upper bound: every answer has the maximum length."""


@dataclass(frozen=True, slots=True)
class LostWorker:
    """Takes the place of a result if its worker process or host died. The item may be given to another worker."""

    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A group with its predictions, one for the original and one for each variant, in order."""

    group: Group
    original: Prediction
    variants: tuple[Prediction, ...] = ()

    def pairs(self) -> Iterator[tuple[Variant, Prediction]]:
        """Each variant with its prediction."""
        return zip(self.group.variants, self.variants, strict=True)

    def only(self, keep: Mapping[str, str]) -> Outcome:
        """The same outcome with only the variants that have the given value of ``test`` or ``made_by``."""
        kept = [(v, p) for v, p in self.pairs() if all(getattr(v, name) == value for name, value in keep.items())]
        group = replace(self.group, variants=tuple(v for v, _ in kept))
        return Outcome(group, self.original, tuple(p for _, p in kept))


@dataclass(frozen=True, slots=True)
class Score:
    """A metric's value, its interval, how many groups it is computed from, and the signature that reproduces it."""

    metric: str
    value: float
    """nan when there is nothing to measure; shown as a dash."""
    low: float
    high: float
    n: int
    """Groups that count."""
    failed: int
    """Groups left out because a needed answer is missing; groups that lack only some answers may still count."""
    signature: str
    suite: str = ""
    part: str = ""
    """Which part of the data: ``""`` for all, ``test=Y/N←C``, ``answer_type=number``, ..."""
    lowest: float = float("nan")
    """The lowest value that the score could have if missing answers were filled in."""
    highest: float = float("nan")
    """The highest value that the score could have if missing answers were filled in."""
    images: int = 0
    """Images that count; intervals are clustered by them."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: the score of a run that it shows."""

    label: str
    metric: str
    part: str = ""
    show: str = "value"
    """``value`` (with its interval) or ``n`` (how many)."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table laid out as in a paper: one row per model (or per data set), filled from scores."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: str = "model"
    """What each row stands for: ``model`` or ``data``."""
    published: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    """The paper's own figures, row label to values, in per cent (or counts) as printed there."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best texts of a pool for one text, nearest first, with a proof that they are the best."""

    text: str
    indices: tuple[int, ...]
    """Positions in the pool."""
    scores: tuple[float, ...]
    proof: Mapping[str, float] = field(default_factory=dict)
    """Gap, support and certified positions of a LASSO; the size of the tie at the last position of a text metric."""


@dataclass(frozen=True, slots=True)
class AttentionStep:
    """One step of a module network: the modules it chose, and its attention to words and image regions."""

    modules: Mapping[str, float]
    """The weight of each module, from 0 to 1."""
    words: tuple[tuple[str, float], ...]
    """The words of the question, each with its attention."""
    regions: tuple[tuple[tuple[float, float, float, float], float], ...]
    """Regions of the image (x, y, width, height as fractions of its size), each with its attention after the step."""


class Swap(NamedTuple):
    """A possible replacement of a part of a question in an attack."""

    text: str
    rule: str = ""
    """What proposes it, e.g. ``synonym`` or the name of a rewriting rule; attacks are broken down by it."""


@dataclass(frozen=True, slots=True)
class Place:
    """A part of a question's text that an attack may replace: a word, or the words that a rule rewrites."""

    start: int
    """The offset of its first character."""
    end: int
    """The offset just after it."""
    text: str
    """The text as it is in the question."""
    tag: str = ""
    """The Penn Treebank tag, if it is one word."""
    swaps: tuple[Swap, ...] = ()
    """Possible replacements, best first; empty for a word whose importance is only measured."""


class Change(NamedTuple):
    """One replacement made by an attack."""

    start: int
    """Offset in the original text."""
    old: str
    new: str
    tag: str = ""
    """The Penn Treebank tag of the old word."""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rewording of a question that an attack may try."""

    text: str
    changes: tuple[Change, ...] = ()
    """In the order of the text, all relative to the original."""
    base: str = ""
    """The text before the last change; the original text for a first change."""
    probe: bool = False
    """True if it is tried only to learn which word matters: no constraint applies, and it is never the result."""


class CandidateValue(NamedTuple):
    """What an attack learns about one candidate from the model."""

    loss: float
    """1 minus the probability of the original's answer; 1 if the answer changed and its probability is not known."""
    reached: bool
    """Whether the goal is reached."""
    similarity: float = 1.0
    """Similarity to the original text, if the attack measures it."""
    rise: float = 0.0
    """For a probe with a different answer: how much that answer's probability rose (if the search needs it)."""
