"""The nouns of askew. Frozen dataclasses; no I/O, no imports from askew. What is done with them is in ``verbs.py``.

Everything else makes groups, answers groups, scores groups or shows them:

    data ──Question──▶ perturb ──Group──▶ run ──Outcome──▶ metrics ──Score──▶ report
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from enum import Enum
from hashlib import sha256
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

NAN = float("nan")

LEAST_IMAGES = 10
"""With fewer images there are no intervals and no p values, since the sampling error cannot be estimated."""


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
    ABSTAIN = "abstain"
    """The variant has no answer: the reply should say so (its twin, the original, has one)."""


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
    """A question about an image or several, with the answers that people gave (10 in VQA, 1 in GQA)."""

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
    more_images: tuple[ImageRef, ...] = ()
    """The images after the first, in order. ``<image 2>`` in a text or option is the place of the second image; images
    without a place come before the text. The scene is that of the first image."""

    @property
    def images(self) -> tuple[ImageRef, ...]:
        """All its images, in order.

        >>> [image.id for image in Question(1, ImageRef("a"), "Which is older?", more_images=(ImageRef("b"),)).images]
        ['a', 'b']
        """
        return self.more_images if self.image is None else (self.image, *self.more_images)

    def with_images(self, images: Sequence[ImageRef]) -> Question:
        """The same question about these images."""
        return replace(self, image=images[0] if images else None, more_images=tuple(images[1:]))

    @property
    def content(self) -> str:
        """Its images, context and text, by which random draws are seeded: an id may be made up by a reader.

        An image is known by its bytes if the data holds them, otherwise by its name without folders: no file is read.

        >>> Question(1, ImageRef("val/a.jpg"), "Is it?").content == Question("01", ImageRef("a.jpg"), "Is it? ").content
        True
        """
        images = "+".join(map(_name_or_hash, self.images))
        return f"{images}:{self.context.strip()}:{self.text.strip()}"


def _name_or_hash(image: ImageRef) -> str:
    if image.data is not None:
        return sha256(image.data).hexdigest()
    return str(image.id).replace("\\", "/").rpartition("/")[2]


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
    remark: str = ""
    """Something a user should know about how it was obtained, e.g. that its batch was split; not stored."""

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
class MetricFacts:
    """What a metric says about itself: its attributes of these names, which ``verbs.Metric`` explains."""

    title: str = ""
    stands_for: str = ""
    sentence: str = ""
    unit: str = "%"
    digits: int | None = None
    better: int = 1
    zero_is_best: bool = False
    signed: bool = False
    conditional: bool = False
    consistency: bool = False
    detail: bool = False
    limited_by_labels: bool = False
    parts: tuple[str, ...] = ()

    @classmethod
    def of(cls, metric: object) -> MetricFacts:
        """What a metric says about itself; ``{self.level}`` in its texts stands for its option ``level``."""

        def filled(fact: Any) -> Any:
            option = lambda match: str(getattr(metric, match[1]))  # noqa: E731
            return re.sub(r"\{self\.(\w+)\}", option, fact) if isinstance(fact, str) else fact

        return cls(**{fact.name: filled(getattr(metric, fact.name)) for fact in fields(cls)})

    @classmethod
    def from_record(cls, name: str, record: Mapping[str, Any]) -> MetricFacts:
        """The facts of the metric of this name in results.json; the defaults for those that are not there."""
        known = {fact.name: record[fact.name] for fact in fields(cls) if record.get(fact.name) is not None}
        return cls(**{**known, "title": known.get("title") or name, "parts": tuple(known.get("parts", ()))})

    def explanation(self, name: str = "") -> str:
        """What the abbreviation in the title stands for, or else ``name``, and what the metric counts.

        >>> MetricFacts("CS(3)", "consensus score of 3", "sets with all answers correct").explanation()
        'consensus score of 3: sets with all answers correct'
        """
        return ": ".join(filter(None, (self.stands_for or name, self.sentence)))

    def printed(self, value: float) -> float:
        """A value on the scale in which it is printed, comparable with published figures."""
        return 100 * value if self.unit else value

    def show(self, value: float) -> str:
        """A value as text, by default per cent with one decimal, otherwise with two.

        >>> MetricFacts(signed=True).show(-0.1234), MetricFacts(unit="").show(0.48), MetricFacts().show(NAN)
        ('−12.3', '0.48', '—')
        """
        if value != value:
            return "—"
        digits = (1 if self.unit else 2) if self.digits is None else self.digits
        text = f"{self.printed(value):,.{digits}f}"
        if text.startswith("-") and not text.strip("-0."):
            text = text[1:]
        plus = "+" if self.signed and self.unit and value > 0 and text.strip("0.") else ""
        return plus + text.replace("-", "−")


@dataclass(frozen=True, slots=True)
class Score:
    """A value with its 95 % interval, how much it is computed from, and the signature that reproduces it.

    >>> Score("rad.forward", 0.64, 0.61, 0.674, 812).full
    '64.0 (61.0–67.4; n 812)'
    """

    metric: str
    value: float
    """nan when there is nothing to measure; shown as a dash."""
    low: float = NAN
    high: float = NAN
    n: int = 0
    """Groups that count."""
    failed: int = 0
    """Groups left out because a needed answer is missing; groups that lack only some answers may still count."""
    signature: str = ""
    suite: str = ""
    part: str = ""
    """Which part of the data: ``""`` for all, ``test=Y/N←C``, ``answer_type=number``, ..."""
    lowest: float = NAN
    """The lowest value that the score could have if missing answers were filled in."""
    highest: float = NAN
    """The highest value that the score could have if missing answers were filled in."""
    images: int = 0
    """Images that count; intervals are clustered by them."""
    facts: MetricFacts = field(default=MetricFacts(), repr=False, compare=False)
    """How it is shown."""

    @classmethod
    def from_record(cls, record: Mapping[str, Any], facts: MetricFacts = MetricFacts()) -> Score:  # noqa: B008
        """The score of a record in results.json, where null means nan."""
        known = {one.name: record[one.name] for one in fields(cls) if record.get(one.name) is not None}
        return cls(**{"metric": "", "value": NAN, **known, "facts": facts})

    @property
    def known(self) -> bool:
        """Whether there was anything to measure."""
        return self.value == self.value

    @property
    def has_interval(self) -> bool:
        """Whether there is an interval."""
        return self.low == self.low and self.high == self.high

    @property
    def half(self) -> float:
        """Half the width of the interval; nan without one."""
        return (self.high - self.low) / 2

    @property
    def short(self) -> str:
        """The value alone: ``64.0`` per cent, ``0.48`` for R_score, a sign for a gap."""
        return self.facts.show(self.value)

    @property
    def interval(self) -> str:
        """The interval alone, or an empty string."""
        if not self.has_interval:
            return ""
        joint = " to " if self.facts.signed or self.low < 0 else "–"
        return f"{self.facts.show(self.low)}{joint}{self.facts.show(self.high)}"

    @property
    def no_interval(self) -> str:
        """Why a value has no interval; empty if it has one, or if there is no value."""
        if not self.known or self.has_interval:
            return ""
        if not self.images:
            return "number of images unknown"
        few = f"fewer than {LEAST_IMAGES} images"
        return f"all images are alike, or a part has {few}" if self.images >= LEAST_IMAGES else few

    @property
    def full(self) -> str:
        """Value, interval and n on one line: ``64.0 (61.0–67.4; n 812)``."""
        missing = f"no interval: {self.no_interval}" if self.no_interval else ""
        return f"{self.short} ({'; '.join(filter(None, (self.interval or missing, f'n {self.n:,}')))})"


Cell: TypeAlias = Score | int | float | str | None
"""One cell of a table; None for what is not known."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table; in a suite's table, the score of a run that it shows."""

    label: str
    metric: str = ""
    part: str = ""
    show: str = "value"
    """``value`` (with its interval) or ``n`` (how many)."""
    name: str = ""
    """Its name in files."""
    facts: MetricFacts | None = None
    """How its numbers are printed, if not each score as its metric says."""
    says: str = ""
    """What it shows, in words."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """One row of a table: a model, a data set, a round, ..."""

    label: str
    cells: tuple[Cell, ...]
    human: bool = False
    """Whether it has people's answers."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table, laid out as in a paper. A suite says which scores it shows; the report fills in a row for each run."""

    id: str
    """Also the name of its files."""
    title: str
    columns: tuple[Column, ...]
    rows: str = "model"
    """What each row stands for: ``model``, ``data``, ``round``, ..."""
    published: Mapping[str, tuple[float | str | None, ...]] = field(default_factory=dict)
    """The paper's own figures, row label to values, in per cent (or counts) as printed there."""
    about: str = ""
    """The paper that it is from, or what it counts."""
    lines: list[TableRow] = field(default_factory=list)
    notes: Sequence[str] = ()
    counts: bool = True
    """Whether each score is printed with its n."""

    def add(self, label: str, *cells: Cell) -> None:
        """Add a row; its scores are printed as the columns say."""
        shown = [
            replace(cell, facts=column.facts) if isinstance(cell, Score) and column.facts else cell
            for cell, column in zip(cells, self.columns, strict=True)
        ]
        self.lines.append(TableRow(label, tuple(shown)))

    def layout(self) -> dict[str, Any]:
        """What a suite says about it, as results.json records it."""
        columns = [
            {name: getattr(column, name) for name in ("label", "metric", "part", "show")} for column in self.columns
        ]
        return {
            "id": self.id,
            "title": self.title,
            "columns": columns,
            "rows": self.rows,
            "published": dict(self.published),
        }


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
