"""RAD's three templates together: fit once to the data, then turn questions into yes/no counterfactuals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from random import Random

from askew.errors import BadOption
from askew.language.tagger import Tagger
from askew.perturb.rad.how_many import HowMany
from askew.perturb.rad.what_color import Color
from askew.perturb.rad.what_kind import WhatKind
from askew.perturb.rad.yes_no_template import (
    AnswerPool,
    AnswerPools,
    CannotAsk,
    Frame,
    YesNoQuestion,
    YesNoTemplate,
    gather,
    modal,
    plain,
    tidy,
)
from askew.types import Expect, Kind, Question, Refusal, Variant

_ANSWERS = 10
"""How many equal answers a variant gets if its original has none."""


@dataclass(frozen=True)
class RadPerturbation:
    """Asks a question about a colour, a number or a kind again as a yes/no question (Rosenberg et al. 2021).

    With probability ``yes`` the answer is "yes", and the question is about the answer that most people gave. Otherwise
    it is "no", and the question is about another answer of the same template, drawn in proportion to its frequency in
    the data; never an answer that anyone gave to this question, nor a similar one (grey and silver, 18 and 20, dog and
    puppy). For "What kind of S" the answer is drawn from questions about the same S or, if none is left, about nouns
    with the same word order, those of the same family first.

    Questions without a certain answer (a tie, or less than ``agreement`` of the people agreeing) are refused. The paper
    does not mention this; 0.3 is where VQA accuracy counts an answer of ten as fully correct.
    """

    yes: float = 0.5
    agreement: float = 0.3
    extensions: bool = False
    """Also use forms that the paper leaves out: plural colours, "does ⟨X⟩ have", "are these"."""
    pools: AnswerPools = field(default_factory=AnswerPools, repr=False, hash=False)
    tagger: Tagger = field(default_factory=Tagger, repr=False)

    def __post_init__(self) -> None:
        for name in ("yes", "agreement"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise BadOption(f"rad: {name} is {getattr(self, name)!r}. Give a share between 0 and 1.")

    @cached_property
    def templates(self) -> tuple[YesNoTemplate, ...]:
        """Colour, number and kind; no question matches more than one."""
        return Color(self.extensions), HowMany(self.extensions), WhatKind(self.extensions)

    def prepare(self, questions: Sequence[Question]) -> None:
        """Tag the questions that need it, all at once."""
        texts = [tidy(question.text) for question in questions if self._wants_tags(question)]
        if texts:
            self.tagger.tags(texts)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """One yes/no question or a refusal; nothing if no template matches."""
        template = self._template(question.text)
        if template is None:
            return
        try:
            value = self._value(template, question)
            frame = template.read(question.text, self.tagger, self.pools)
            right = frame.ask(value)
            wrong = self._wrong(template, frame, value, question)
            yes = rng.random() < self.yes
            drawn = value if yes else wrong.draw(rng)
            yield _variant(question, template, right if yes else frame.ask(drawn), value, drawn)
        except CannotAsk as reason:
            yield Refusal(question.id, template.test, str(reason))

    def chances(self, question: Question) -> dict[str, float]:
        """The answers that a "no" would be drawn from, with their probabilities; empty if the question is refused."""
        template = self._template(question.text)
        if template is None:
            return {}
        try:
            value = self._value(template, question)
            frame = template.read(question.text, self.tagger, self.pools)
            frame.ask(value)
            return self._wrong(template, frame, value, question).chances()
        except CannotAsk:
            return {}

    def _template(self, text: str) -> YesNoTemplate | None:
        return next((template for template in self.templates if template.matches(text)), None)

    def _wants_tags(self, question: Question) -> bool:
        template = self._template(question.text)
        if template is None or not template.tagged:
            return False
        try:
            return bool(self._value(template, question))
        except CannotAsk:
            return False

    def _value(self, template: YesNoTemplate, question: Question) -> str:
        """The most frequent answer, in the template's form."""
        answer = modal(question.answers, self.agreement, template.value)
        value = template.value(answer)
        if value is None:
            raise CannotAsk(template.unfit)
        return value

    def _wrong(self, template: YesNoTemplate, frame: Frame, value: str, question: Question) -> AnswerPool:
        """The answers that are certainly wrong here, from the best pool that has any."""
        given = {plain(answer) for answer in question.answers} | {value}

        def excluded(drawn: str) -> bool:
            if not template.contrasts(drawn, value) or any(template.clash(drawn, answer) for answer in given):
                return True
            return not _can_ask(frame, drawn)

        for key in frame.keys:
            pool = self.pools[key].without(excluded)
            if pool:
                return pool
        raise CannotAsk("no other answer to draw")


def fit(
    questions: Iterable[Question], yes: float = 0.5, agreement: float = 0.3, extensions: bool = False
) -> RadPerturbation:
    """The perturbation with the pools of this data; one pass, without tagging.

    >>> cat = Question(1, None, "What color is the cat?", ("white",))
    >>> fit([cat]).pools["color"].counts
    (('white', 1),)
    """
    unfitted = RadPerturbation(yes, agreement, extensions)
    answers: list[tuple[str, str]] = []
    compounds: set[str] = set()
    for question in questions:
        for template in unfitted.templates:
            if not template.matches(question.text):
                continue
            keys = template.keys(question.text)
            try:
                value = modal(question.answers, 0.0, template.value)
            except CannotAsk:
                continue
            if template.value(value) is not None:
                answers.extend((key, value) for key in keys)
            compounds.update(_compounds(keys[0], question.answers))
    return RadPerturbation(yes, agreement, extensions, gather(answers, compounds))


def _compounds(key: str, answers: Sequence[str]) -> Iterator[str]:
    noun = key.partition(":")[2]
    return (plain(answer) for answer in answers if noun and plain(answer).endswith(f" {noun}"))


def _can_ask(frame: Frame, value: str) -> bool:
    try:
        frame.ask(value)
    except CannotAsk:
        return False
    return True


def _variant(question: Question, template: YesNoTemplate, asked: YesNoQuestion, value: str, drawn: str) -> Variant:
    yes = drawn == value
    changed = Question(
        id=f"{question.id}/rad",
        image=question.image,
        text=asked.text,
        answers=("yes" if yes else "no",) * (len(question.answers) or _ANSWERS),
        kind=Kind("yes/no", asked.question_type),
        scene=question.scene,
        context=question.context,
    )
    note = {"answer": value, "drawn": drawn, "yes": yes}
    return Variant(changed, Expect.GIVEN, template.test, f"rad/{asked.frame}", note)
