"""The nouns of askew. Frozen dataclasses; no I/O, no imports of askew. What is done to them: ``verbs.py``.

Everything else makes groups, answers groups, scores groups or shows them:

    data ──Question──▶ perturb ──Group──▶ run ──Outcome──▶ metrics ──Score──▶ report
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Literal, NamedTuple, TypeAlias

Id: TypeAlias = str | int
"""An id finds a thing; it is kept as the file has it (``"01"`` is not ``"1"`` is not ``1``) and never parsed."""

Mode: TypeAlias = Literal["official", "robust", "simple", "exact"]
"""How answers are compared, printed with each number.

``official``: the public VQA evaluator, oddities included: answers are normalised only when people disagreed, and the
accuracy is the mean over the sets that leave one person out of min(1, matches / 3) (Antol et al. 2015).
``robust``: the same, always normalised, so that "Yes." is "yes".
``simple``: normalised, min(1, matches / 3) over all people (Huang et al. 2019, eq. 2); with fewer than three, / n.
``exact``: the most frequent reference answer, character for character (GQA).
"""

Row: TypeAlias = tuple[float, ...]
"""A few numbers a metric takes from one group; a score is a function of their column sums."""


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
    """An image by reference: opened late, known by its content."""

    id: Id
    """The name the data gives it; clusters for intervals are formed by it."""
    path: str | None = None
    """Where its file lies; None when the data came without images."""
    data: bytes | None = field(default=None, repr=False)
    """The encoded file itself, for images made on the fly."""
    sha256: str | None = None
    """Hash of the encoded file, when already known."""
    size: tuple[int, int] | None = None
    """Width and height in pixels, when already known."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One object of a scene: what it is called, what it is like, where it is."""

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
    """What is truly in the image (a GQA scene graph)."""

    id: str
    things: tuple[Thing, ...] = ()
    relations: tuple[Relation, ...] = ()
    size: tuple[int, int] | None = None
    """Width and height in pixels."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """What is true of the whole image: location, weather, ..."""


@dataclass(frozen=True, slots=True)
class Kind:
    """How VQA sorts questions: by the answer (yes/no, number, other) and by the first words ("what color is the")."""

    answer_type: str = ""
    question_type: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """Something one can ask about an image, with what people answered (10 answers in VQA, 1 in GQA)."""

    id: Id
    image: ImageRef | None
    text: str
    answers: tuple[str, ...] = ()
    kind: Kind = Kind()
    scene: Scene | None = None
    context: str = ""
    """What was said before (a dialogue, a caption, basic questions); part of what the model is asked."""
    confidences: tuple[str, ...] = ()
    """yes, maybe or no for each answer, when the people were asked how sure they are."""
    tags: tuple[tuple[str, str], ...] = ()
    """What else the data sorts it by, e.g. the round and domain of a collected benchmark; scores are sliced by it."""
    choices: tuple[str, ...] = ()
    """The options of a multiple-choice question, in the order in which they are lettered; the answers are among them.

    ``text`` does not contain them: they are added when the question is asked.
    """


@dataclass(frozen=True, slots=True)
class Variant:
    """A changed question (text or image), what the change should do to the answer, and what made it."""

    question: Question
    expect: Expect
    test: str
    """The column of the paper's table it counts in, e.g. ``Y/N←C``."""
    made_by: str
    """The rule that made it, e.g. ``rad/color``."""
    note: Mapping[str, Any] = field(default_factory=dict)
    """What the rule did, for people and for tables; plain JSON values."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A question that a rule matched and would not change, and why. Counted in the coverage report."""

    question_id: Id
    test: str
    reason: str


@dataclass(frozen=True, slots=True)
class Group:
    """A question with its variants: the unit every robustness metric counts over."""

    id: Id
    suite: str
    original: Question
    variants: tuple[Variant, ...] = ()


@dataclass(frozen=True, slots=True)
class Prediction:
    """What a model said, or that it failed. A failure is never an answer."""

    question_id: Id
    answer: str | None
    score: float | None = None
    error: str | None = None
    tries: int = 1
    seconds: float = 0.0
    raw: str | None = None
    """The model's own words, where the answer was taken out of them."""
    tokens: tuple[int, int] = (0, 0)
    """Tokens read and written, for models that are paid by them."""

    @property
    def failed(self) -> bool:
        """True when there is no answer to score."""
        return self.answer is None


class TokenEstimate(NamedTuple):
    """What asking will take: calls if none must be repeated, tokens by a rough count."""

    calls: int
    read: int
    written: int
    """At most: every answer as long as it may be."""


@dataclass(frozen=True, slots=True)
class LostWorker:
    """In the place of a result: the process or host that computed it ended. The item may be given to another."""

    reason: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A group with its predictions, one for the original and one for each variant, in order."""

    group: Group
    original: Prediction
    variants: tuple[Prediction, ...] = ()

    def pairs(self) -> Iterator[tuple[Variant, Prediction]]:
        """Each variant with what was answered to it."""
        return zip(self.group.variants, self.variants, strict=True)

    def only(self, keep: Mapping[str, str]) -> Outcome:
        """The same outcome with just the variants whose ``test`` or ``made_by`` is as asked."""
        kept = [(v, p) for v, p in self.pairs() if all(getattr(v, name) == value for name, value in keep.items())]
        group = replace(self.group, variants=tuple(v for v, _ in kept))
        return Outcome(group, self.original, tuple(p for _, p in kept))


@dataclass(frozen=True, slots=True)
class Score:
    """One number, its interval, how many it rests on, and how to get it again."""

    metric: str
    value: float
    """nan when there is nothing to measure; shown as a dash."""
    low: float
    high: float
    n: int
    """Groups that count."""
    failed: int
    """Groups left out because a needed answer is missing; one that lacks only some may count by the others."""
    signature: str
    suite: str = ""
    part: str = ""
    """Which part of the data: ``""`` for all, ``test=Y/N←C``, ``answer_type=number``, ..."""
    lowest: float = float("nan")
    """The lowest value that any answers in the place of missing ones could give."""
    highest: float = float("nan")
    """The highest value that any answers in the place of missing ones could give."""
    images: int = 0
    """Images that count; intervals are over them."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table: which score of a run it shows."""

    label: str
    metric: str
    part: str = ""
    show: str = "value"
    """``value`` (with its interval) or ``n`` (how many)."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table in a paper's shape: one row per model (or per data set), filled from scores."""

    id: str
    title: str
    columns: tuple[Column, ...]
    rows: str = "model"
    """What a row is: ``model`` or ``data``."""
    published: Mapping[str, tuple[float | None, ...]] = field(default_factory=dict)
    """The paper's own figures, row label to values, in per cent (or counts) as printed there."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """The best of a pool for one text, nearest first, with the proof that it is so."""

    text: str
    indices: tuple[int, ...]
    """Into the pool."""
    scores: tuple[float, ...]
    proof: Mapping[str, float] = field(default_factory=dict)
    """Gap, support and certified positions of a LASSO; the size of the tie at the last position of a text metric."""


@dataclass(frozen=True, slots=True)
class AttentionStep:
    """One step of a network that answers in steps: the module it chose, what it read, and where it looked."""

    modules: Mapping[str, float]
    """The weight of each module, from 0 to 1."""
    words: tuple[tuple[str, float], ...]
    """The words of the question, each with the attention it got."""
    regions: tuple[tuple[tuple[float, float, float, float], float], ...]
    """Regions of the image (x, y, width, height as shares of it), each with the attention it has after the step."""


class Swap(NamedTuple):
    """What a part of a question may be replaced by in an attack."""

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
    """As the question has it."""
    tag: str = ""
    """Its Penn Treebank tag, of one word."""
    swaps: tuple[Swap, ...] = ()
    """What it may be replaced by, the best first; none for a word that is only weighed."""


class Change(NamedTuple):
    """One replacement that was made."""

    start: int
    """Offset in the original text."""
    old: str
    new: str
    tag: str = ""
    """The Penn Treebank tag of the old word."""
    rule: str = ""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A rewording of a question that an attack may ask."""

    text: str
    changes: tuple[Change, ...] = ()
    """In the order of the text, all against the original."""
    base: str = ""
    """The text that the last change was made in; the original's for a first change."""
    probe: bool = False
    """True when it is asked only to learn which word matters: no constraint applies, and it is never the result."""


class Value(NamedTuple):
    """What an attack learns about one candidate that was asked."""

    loss: float
    """1 minus the probability of the answer that the original got; 1 when that answer is gone and no more is known."""
    reached: bool
    """True when the goal is reached."""
    similarity: float = 1.0
    """To the original's text, where the attack measures it."""
    rise: float = 0.0
    """Of a probe with another answer: how much that answer's probability rose (where the attack wants to know)."""
