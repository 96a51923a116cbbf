"""The playground's trials: a question about an image, the variants that suites make of it, and all answers."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from askew.answers.choices import as_asked
from askew.answers.extract import extract
from askew.answers.normalise import modal_answer, normalise
from askew.data.jsonl import question_key
from askew.engine.ask import refused
from askew.engine.attack_run import AttackRun, AttackSettings
from askew.engine.components import Questions, as_attack, as_data
from askew.engine.events import finished
from askew.engine.judge import step_for
from askew.engine.settings import Named, Settings
from askew.errors import AskewError, UsageError
from askew.files.images import check_image
from askew.play.occlusion import Occlusion, hide_squares
from askew.play.trial_outcomes import consistency_of, outcome_of
from askew.registry import BUILT_IN, describe, make, names
from askew.types import AttentionStep, Id, ImageRef, Prediction, Question, Refusal, Variant
from askew.verbs import HoldsGroups, ModelFacts, ShowsSteps, Streams, Suite
from askew.world.ask import true_answer
from askew.world.dataset import World

MOST_IMAGES = 60
"""The most images of the data that are offered."""
MOST_READ = 2000
"""The most questions that are read to find these images."""
POOL = 300
"""How many questions of the data a suite sees besides the user's: RAD draws its wrong answers from them."""
ALONE = frozenset(("visual", "corruption", "shift"))
"""Suites that change images; they are given only the user's question."""
MOST_VARIANTS = 12
"""The most variants per suite that models are queried with."""
ATTACKS = ("sears", "typos", "textfooler", "pwws", "pso")
"""The attacks offered."""
BUDGET = 50
"""The most queries that an attack may make for one question."""
SUITES: Mapping[str, str] = {
    "rad": "yes/no questions about the answer",
    "p2": "other words, opposite words",
    "visual": "the background hidden",
    "corruption:severities=3": "blur, noise and other damage to the image",
    "backtranslate": "translated to another language and back",
    "basic": "similar questions appended as noise",
    "carets": "pairs of questions generated from the scene",
    "choices": "options in another order",
}
"""askew's suites that the page offers, each with what it changes."""
CHOSEN = ("rad", "p2", "visual", "corruption:severities=3")
"""The suites that are selected at first."""
FAILURES = frozenset(("broke", "changed", "contradicts"))
"""The outcomes in which a change made a difference that it should not make."""
KEPT = 50
"""How many trials, and how many uploaded images, are kept."""


@cache
def offered_suites() -> Mapping[str, str]:
    """All suites that the page offers, including those registered by other packages."""
    found = dict(SUITES)
    for name in names("suite"):
        if name not in BUILT_IN["suite"]:
            try:
                found[name] = describe("suite", name)[1]
            except AskewError as error:
                found[name] = str(error)
    return found


@dataclass(frozen=True)
class DataImage:
    """An image (or several that belong together), with the data's questions about it."""

    refs: tuple[ImageRef, ...]
    questions: tuple[Question, ...] = ()
    uploaded: bool = False

    @property
    def ref(self) -> ImageRef:
        """The first image."""
        return self.refs[0]


@dataclass(frozen=True)
class TriedVariant:
    """A variant, what each model answered, and whether the answer is the expected one."""

    variant: Variant
    original: Question
    """The question it was made from: the user's, or another one that the suite generated about the same image."""
    answers: tuple[Prediction, ...]
    before: tuple[Prediction, ...]
    """Each model's answer to the original."""
    outcomes: tuple[str, ...]
    """For each model ``held``, ``broke``, ``wrong`` (both times), ``fixed`` or ``failed``.

    If no correct answer is known: ``same`` or ``changed``, ``agrees`` or ``contradicts`` (itself), or ``unknown``."""
    known: bool = True
    """Whether a correct answer to the original is known, and not only what the first model answered."""
    steps: tuple[tuple[AttentionStep, ...], ...] = ()
    """The reasoning steps of each model, where it can show them."""

    @property
    def image_changed(self) -> bool:
        """Whether one of the variant's images differs from its original's."""
        return self.variant.question.images != self.original.images

    @property
    def changed_images(self) -> list[int]:
        """The places of its images that differ from the original's, from 0."""
        before, after = self.original.images, self.variant.question.images
        return [place for place, image in enumerate(after) if image not in before[place : place + 1]]


@dataclass(frozen=True)
class TriedSuite:
    """The variants that a suite made of a question, or the reasons why it made none."""

    spec: str
    title: str
    variants: tuple[TriedVariant, ...] = ()
    reasons: tuple[str, ...] = ()
    left_out: int = 0
    """How many variants beyond ``MOST_VARIANTS`` there are."""


@dataclass(frozen=True)
class Trial:
    """A question that a user asked, with all variants and answers."""

    number: int
    image: str
    """The key of its image."""
    question: Question
    """The question, with the answer that is taken as correct."""
    expected: str
    """The answer that the user typed as correct."""
    source: str
    """Where the correct answer comes from: ``you``, ``data``, ``scene``, or empty if there is none.

    ``model`` if only the first model's answer is known, from which the suites make their variants."""
    answers: tuple[Prediction, ...]
    steps: tuple[tuple[AttentionStep, ...], ...]
    suites: tuple[TriedSuite, ...]
    chosen: tuple[str, ...]
    """The suites that were chosen."""
    looks: tuple[Occlusion, ...] = ()
    """Which parts of the image the answers of some models depend on, if a user asked."""


@dataclass
class Playground:
    """The models, the data with its images, and the trials so far."""

    models: Sequence[Named]
    data: Named
    settings: Settings = field(default_factory=Settings)
    trials: dict[int, Trial] = field(default_factory=dict)
    uploads: dict[str, DataImage] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)
    _count: int = 0

    def __post_init__(self) -> None:
        for model in self.models:
            if ModelFacts(model.what).by_id:
                raise UsageError(
                    f"{model.name} only has stored answers, so it cannot answer new questions. Give a model that can, "
                    "e.g. --model bundled:xnm."
                )

    @cached_property
    def images(self) -> dict[str, DataImage]:
        """The images of the data by key, each with its questions, in the order of the data."""
        found: dict[tuple[Id, ...], list[Question]] = {}
        for question in islice(self._questions(), MOST_READ):
            if question.images and all(image.path or image.data for image in question.images):
                ids = tuple(image.id for image in question.images)
                if ids not in found and len(found) == MOST_IMAGES:
                    break
                found.setdefault(ids, []).append(question)
        return {str(n): DataImage(asked[0].images, tuple(asked)) for n, asked in enumerate(found.values(), 1)}

    def image(self, key: str) -> DataImage | None:
        """An image of the data, or an uploaded one."""
        return self.uploads.get(key) or self.images.get(key)

    def upload(self, content: bytes) -> str:
        """Keep an uploaded image; returns its key. Raises BadImage if it cannot be decoded."""
        number = f"u{len(self.uploads) + 1}"
        ref = ImageRef("uploaded image", data=content)
        size = check_image(ref)
        key = next((key for key, one in self.uploads.items() if one.ref.data == content), number)
        self.uploads[key] = DataImage((replace(ref, id=f"upload-{key}", size=size),), uploaded=True)
        while len(self.uploads) > KEPT:
            del self.uploads[next(iter(self.uploads))]
        return key

    def ask(self, key: str, text: str, expected: str, suites: Sequence[str]) -> Trial:
        """Query every model with the question and with the variants that the suites make of it."""
        shown = self.image(key)
        if shown is None:
            raise UsageError("That image is no longer available. Choose another one.")
        if not text.strip():
            raise UsageError("Type a question first.")
        with self._lock:
            question, source = self._find_question(shown, " ".join(text.split()), " ".join(expected.split()))
            answers = self._answers([question])
            first = tuple(one[0] for one in answers)
            if not question.answers and first[0].answer:
                question, source = replace(question, answers=(first[0].answer,)), "model"
            known = source != "model"
            tried = tuple(self._try_suite(spec, question, first, known) for spec in suites)
            self._count += 1
            trial = Trial(
                number=self._count,
                image=key,
                question=question,
                expected=expected,
                source=source,
                answers=first,
                steps=self._steps(question),
                suites=tried,
                chosen=tuple(suites),
            )
            self.trials[trial.number] = trial
            while len(self.trials) > KEPT:
                del self.trials[next(iter(self.trials))]
        return trial

    def attack(self, number: int, model: str, recipe: str) -> Trial:
        """Reword the question of a trial until a model answers incorrectly; the trial gets one more suite."""
        if recipe not in ATTACKS:
            raise UsageError("Choose an attack from the page.")
        with self._lock:
            trial, place = self._trial_of(number, model)
            tried = self._run_attack(trial, self.models[place], recipe)
            self.trials[number] = replace(trial, suites=(*trial.suites, tried))
        return self.trials[number]

    def look(self, number: int, model: str) -> Trial:
        """Hide each part of a trial's image from a model; the trial gets one more look."""
        with self._lock:
            trial, place = self._trial_of(number, model)
            questions = list(hide_squares(trial.question))
            asked = [replace(as_asked(question), id=at) for at, question in enumerate(questions)]
            hidden = tuple(self._query_model(self.models[place], questions, asked))
            self.trials[number] = replace(trial, looks=(*trial.looks, Occlusion(model, trial.answers[place], hidden)))
        return self.trials[number]

    def _trial_of(self, number: int, model: str) -> tuple[Trial, int]:
        """A trial, and the place of the model with this name."""
        trial, names = self.trials.get(number), [one.name for one in self.models]
        if trial is None:
            raise UsageError("That question is no longer here. Ask it again.")
        if model not in names:
            raise UsageError("Choose a model from the page.")
        return trial, names.index(model)

    def _run_attack(self, trial: Trial, model: Named, recipe: str) -> TriedSuite:
        suite: Suite = make("suite", "attack")
        title = f"Attack by {recipe} on {model.name}"
        data = Named(Questions((trial.question,)), "one question")
        settings = replace(self.settings, stop_after=0, max_failures=1.0)
        with TemporaryDirectory(prefix="askew-") as scratch:
            how = AttackSettings(budget=BUDGET)
            try:
                run = AttackRun(model, data, as_attack(recipe), suite, Path(scratch) / "attack", how, settings)
                results = finished(run.run()).results[0]
                groups = as_data(str(run.output)).what.groups()
                images = trial.question.images  # the variants' own are in a folder that is deleted
                pairs = [
                    (trial.question, replace(variant, question=variant.question.with_images(images)))
                    for group in groups
                    for variant in group.variants
                ]
            except AskewError as error:
                return TriedSuite("attack", title, reasons=(str(error),))
        reasons = [reason for record in results["suites"][0]["coverage"] for reason in record["refused"]]
        known = trial.source != "model"
        return self._try_variants(suite, "attack", title, pairs, reasons, trial.question, trial.answers, known)

    def _questions(self) -> Iterator[Question]:
        data = self.data.what
        return (group.original for group in data.groups()) if isinstance(data, HoldsGroups) else data.questions()

    @cached_property
    def _pool(self) -> tuple[Question, ...]:
        return tuple(islice((question for question in self._questions() if question.answers), POOL))

    def _find_question(self, shown: DataImage, text: str, expected: str) -> tuple[Question, str]:
        """The question (from the data, if it is there) and the source of its correct answer."""
        same = next((one for one in shown.questions if one.text.lower() == text.lower()), None)
        if same is not None and (not expected or normalise(expected) == modal_answer(same.answers, normalise)):
            return same, "data" if same.answers else ""
        names = "+".join(str(ref.id) for ref in shown.refs)
        key = question_key({"image": names, "question": text, "context": expected})
        scene = shown.questions[0].scene if shown.questions else None
        true = true_answer(scene, text) if scene is not None and isinstance(self.data.what, World) else None
        answer, source = (expected, "you") if expected else (true, "scene") if true else ("", "")
        question = Question(key, None, text, (answer,) if answer else (), scene=scene)
        return question.with_images(shown.refs), source

    def _answers(self, questions: Sequence[Question]) -> list[list[Prediction]]:
        """The answers of each model, in order; an exception in a model becomes a failed prediction."""
        asked = [replace(as_asked(question), id=number) for number, question in enumerate(questions)]
        return [self._query_model(model, questions, asked) for model in self.models]

    def _query_model(self, model: Named, questions: Sequence[Question], asked: Sequence[Question]) -> list[Prediction]:
        step, what = step_for(model.what, self.settings), model.what
        found = {one.id: refused(one) for one in asked if not ModelFacts(what).takes(one)}
        try:
            left = [one for one in asked if one.id not in found]
            said = (what.stream if isinstance(what, Streams) else what.answer)(left) if left else ()
            found |= {one.question_id: one for one in said}
        except Exception as error:  # any exception of a model is shown on the page, and the server continues
            return [Prediction(one.id, None, error=f"{type(error).__name__}: {error}") for one in asked]
        missing = Prediction(0, None, error="the model gave no prediction")
        return [extract(step, question, found.get(at, missing)) for at, question in enumerate(questions)]

    def _steps(self, question: Question) -> tuple[tuple[AttentionStep, ...], ...]:
        return tuple(
            tuple(model.what.steps(question))
            if isinstance(model.what, ShowsSteps) and ModelFacts(model.what).takes(question)
            else ()
            for model in self.models
        )

    def _try_suite(self, spec: str, question: Question, first: tuple[Prediction, ...], known: bool) -> TriedSuite:
        try:
            suite: Suite = make("suite", spec)
            pairs, reasons = self._variants_of(suite, question)
        except AskewError as error:
            return TriedSuite(spec, spec, reasons=(str(error),))
        return self._try_variants(suite, spec, suite.title, pairs, reasons, question, first, known)

    def _try_variants(
        self,
        suite: Suite,
        spec: str,
        title: str,
        pairs: Sequence[tuple[Question, Variant]],
        reasons: Sequence[str],
        question: Question,
        first: tuple[Prediction, ...],
        known: bool,
    ) -> TriedSuite:
        """Query every model with the variants and judge its answers; ``first`` are those to the question itself.

        Not ``known``: the question's answer is only the first model's.
        """
        left_out = max(0, len(pairs) - MOST_VARIANTS)
        pairs = pairs[:MOST_VARIANTS]
        if not pairs and not reasons:
            reasons = ["No rule of this suite matches the question."]
        before = self._answers([original for original, _ in pairs]) if any(o != question for o, _ in pairs) else None
        after = self._answers([variant.question for _, variant in pairs]) if pairs else []
        tried = []
        for at, (original, variant) in enumerate(pairs):
            answers = tuple(one[at] for one in after)
            earlier = tuple(one[at] for one in before) if before is not None else first
            judge = outcome_of if known or original != question else consistency_of
            outcomes = tuple(judge(suite, original, variant, *both) for both in zip(earlier, answers, strict=True))
            steps = self._steps(variant.question) if FAILURES.intersection(outcomes) else ()
            tried.append(TriedVariant(variant, original, answers, earlier, outcomes, judge is outcome_of, steps))
        return TriedSuite(spec, title, tuple(tried), tuple(reasons), left_out)

    def _variants_of(self, suite: Suite, question: Question) -> tuple[list[tuple[Question, Variant]], list[str]]:
        """The variants of the question, each with its original, and the reasons why others were not made.

        For a suite that generates its own questions from scenes (CARETS), its pairs about the image.
        """
        others = () if suite.name in ALONE else (one for one in self._pool if one.id != question.id)
        pairs: list[tuple[Question, Variant]] = []
        reasons: dict[str, None] = {}
        known = {one.id for one in self._pool} - {question.id}
        for item in suite.groups(Questions((question, *others)), self.settings.seed):
            if isinstance(item, Refusal):
                if item.question_id == question.id:
                    reasons[f"{item.test}: {item.reason}"] = None
            elif item.original.id in known:
                break  # groups of the pool's questions, which follow the user's
            elif item.original.images == question.images:
                pairs.extend((item.original, variant) for variant in item.variants)
        return pairs, list(reasons)
