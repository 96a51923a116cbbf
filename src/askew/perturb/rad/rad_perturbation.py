"""RAD's three templates together: fit once to the data, then turn questions into yes/no counterfactuals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from random import Random
from typing import Literal, TypeAlias, get_args

from askew.errors import BadOption
from askew.language.tagger import Tagger
from askew.perturb.rad.balanced_draws import AskedState, BalancedDraws, balanced_draws
from askew.perturb.rad.how_many import HowMany
from askew.perturb.rad.what_color import Color
from askew.perturb.rad.what_kind import WhatKind
from askew.perturb.rad.yes_no_template import (
    AnswerPool,
    AnswerPools,
    AnswersGiven,
    CannotAsk,
    QuestionFrame,
    YesNoQuestion,
    YesNoTemplate,
    modal,
    plain,
    pooled,
    tidy,
)
from askew.types import Expect, Kind, Question, Refusal, Variant

_OWN_DRAWS = 20
"""A noun with at least this many questions has draws of its own."""
_OWN_STATES = 300
"""How many sets of answers count in these draws, the most frequent first: nearly all."""
_LEAST_SHARE = 0.001
_GENERAL = 20
"""In these draws, all questions of the template together count as much as this many about the noun."""
Balance: TypeAlias = Literal["text", "paper"]
"""How wrong answers are drawn."""


@dataclass(frozen=True)
class RadPerturbation:
    """Turns a question about a colour, a number or a kind into a yes/no question (Rosenberg et al. 2021).

    With probability ``yes`` the answer is "yes", and the question is about the answer that most people gave. Otherwise
    it is "no", and the question is about another answer of the same template; never an answer that anyone gave to this
    question, nor a similar one (grey and silver, 18 and 20, dog and puppy). For "What kind of S" the answer is drawn
    from questions about the same S or, if none is left, about nouns of the same family.

    Each person's answer to the new question follows from the old one: a person who said "3" says no to "Are there two
    dogs?", and one who said "lots" is left out. Questions without a certain answer are refused: if there is a tie, if
    less than ``agreement`` of the people agree, or if fewer than half would say "yes" about the most frequent answer.
    The paper does not mention this; 0.3, because VQA accuracy counts an answer that 3 of 10 people gave as fully
    correct.
    """

    yes: float = 0.5
    agreement: float = 0.3
    extensions: bool = False
    """Also "What color are the ⟨S⟩?", which the paper leaves out."""
    exactly: bool = False
    """Ask for a number with "exactly"."""
    balance: Balance = "text"
    """``text``: an answer is asked about as often with "no" as with "yes", also about the same noun, so that the text
    does not give the label away. ``paper``: in proportion to its frequency among the template's answers."""
    pools: AnswerPools = field(default_factory=AnswerPools, repr=False, hash=False)
    tagger: Tagger = field(default_factory=Tagger, repr=False)
    _noun_pools: dict[str, AnswerPool] = field(default_factory=dict, init=False, repr=False, compare=False)
    _known_draws: dict[str, BalancedDraws] = field(default_factory=dict, init=False, repr=False, compare=False)
    _known_possible: dict[AnswersGiven, Sequence[str]] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __post_init__(self) -> None:
        for name in ("yes", "agreement"):
            if not 0.0 <= getattr(self, name) <= 1.0:
                raise BadOption(f"rad: {name} is {getattr(self, name)!r}. Give a share between 0 and 1.")
        if self.balance not in get_args(Balance):
            raise BadOption(f"rad: balance is {self.balance!r}. Give text or paper.")

    @cached_property
    def templates(self) -> tuple[YesNoTemplate, ...]:
        """Colour, number and kind; no question matches more than one."""
        return Color(self.extensions), HowMany(self.exactly), WhatKind()

    def prepare(self, questions: Sequence[Question]) -> None:
        """Tag the questions that need it, all at once."""
        matched = ((question.text, self._template(question.text)) for question in questions)
        if texts := [tidy(text) for text, template in matched if template is not None and template.tagged]:
            self.tagger.tags(texts)

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """One yes/no question or a refusal; nothing if no template matches."""
        template = self._template(question.text)
        if template is None:
            return
        try:
            value, frame, right, wrong = self._sides(template, question)
            share = self.yes
            if self._balances(template):
                share = self._draws(template, *template.keys(question.text)).yes(value, wrong)
            drawn = value if rng.random() < share else wrong.draw(rng)
            yield _variant(question, template, right if drawn == value else frame.ask(drawn), value, drawn)
        except CannotAsk as reason:
            yield Refusal(question.id, template.test, str(reason))

    def _sides(
        self, template: YesNoTemplate, question: Question
    ) -> tuple[str, QuestionFrame, YesNoQuestion, AnswerPool]:
        """The correct answer, the parsed question, the question about that answer, and the wrong answers."""
        value = template.value(modal(question.answers, self.agreement, template.value))
        if value is None:
            raise CannotAsk(template.unfit)
        frame = template.read(question.text, self.tagger, self.pools)
        right = frame.ask(value)
        answers = votes(template, value, question.answers)
        yes = 2 * answers.count("yes")
        if yes < len(question.answers) or yes <= len(answers):
            raise CannotAsk("fewer than half of the people would say yes")
        return value, frame, right, self._wrong(template, frame, value, question)

    def _template(self, text: str) -> YesNoTemplate | None:
        return next((template for template in self.templates if template.matches(text)), None)

    def _wrong(self, template: YesNoTemplate, frame: QuestionFrame, value: str, question: Question) -> AnswerPool:
        """The answers that are certainly wrong here, from the best pool that has any."""
        given = {plain(answer) for answer in question.answers} | {value}

        def excluded(drawn: str) -> bool:
            if not template.contrasts(drawn, value) or any(template.clash(drawn, answer) for answer in given):
                return True
            return not frame.can_ask(drawn)

        usual = AnswerPool(tuple((answer, 1) for answer in template.usual(question.text)))
        for pool in (*self._pools(template, question.text), usual):
            if left := pool.without(excluded):
                return left
        raise CannotAsk("no other answer to draw")

    def _pools(self, template: YesNoTemplate, text: str) -> Iterator[AnswerPool]:
        """The pools to draw from, best first."""
        keys = template.keys(text)
        if self._balances(template):
            yield self._draws(template, *keys).wrong
        elif template.mixes:
            yield self.pools[keys[-1]]
        else:
            for key in keys:
                if self.balance == "text" and key not in self._noun_pools:
                    self._noun_pools[key] = self.pools[key].balanced()
                yield self._noun_pools[key] if self.balance == "text" else self.pools[key]

    def _balances(self, template: YesNoTemplate) -> bool:
        return self.balance == "text" and template.mixes and 0 < self.yes < 1

    def _draws(self, template: YesNoTemplate, key: str, general: str) -> BalancedDraws:
        """The balanced draws of a noun, or of all nouns together if there are few questions about it."""
        weights = {general: 1.0}
        if self.pools[key].total >= _OWN_DRAWS:
            weights = {key: 1.0, general: _GENERAL / self.pools[general].total}
        key = next(iter(weights))
        if key not in self._known_draws:
            self._known_draws[key] = self._balanced(template, general, weights)
        return self._known_draws[key]

    def _balanced(self, template: YesNoTemplate, general: str, weights: Mapping[str, float]) -> BalancedDraws:
        """The draws for the questions of these keys, each key with its weight."""
        names = [name for name, _ in self.pools[general].counts]
        shares = dict.fromkeys(names, 0.0)
        states: dict[AnswersGiven, float] = {}
        most = _OWN_STATES if len(weights) > 1 else None
        for key, weight in weights.items():
            given_to_key = sorted(self.pools.given.get(key, {}).items(), key=lambda item: (-item[1], item[0]))
            for given, count in given_to_key[:most]:
                states[given] = states.get(given, 0.0) + weight * count
                shares[given[0]] += weight * count
            for name, count in self.pools[key].counts:
                shares[name] = max(shares[name], _LEAST_SHARE * count)
        total = sum(shares.values())
        asked = [AskedState(given[0], self._possible(template, given, names), count) for given, count in states.items()]
        return balanced_draws(asked, {name: share / total for name, share in shares.items()}, self.yes)

    def _possible(self, template: YesNoTemplate, given: AnswersGiven, names: Sequence[str]) -> Sequence[str]:
        """The answers that may be correct if people gave these."""
        if given not in self._known_possible:
            answers = (given[0], *given[1])
            self._known_possible[given] = [
                name for name in names if any(template.clash(name, answer) for answer in answers)
            ]
        return self._known_possible[given]


def votes(template: YesNoTemplate, asked: str, answers: Sequence[str]) -> tuple[str, ...]:
    """What each person would answer to the question about a value, judging by the answer to the original.

    Answers from which nothing follows are left out: those that the template cannot use ("lots"), that may be true
    together with the value (gray and silver), or that are about something else (a freight train may be red).

    >>> votes(HowMany(), "2", ["2", "two", "3", "lots", "2 or 3"])
    ('yes', 'yes', 'no')
    """
    new_answers = []
    for answer in answers:
        value = template.value(answer)
        if value is not None and template.implies(value, asked):
            new_answers.append("yes")
        elif value is not None and not template.clash(asked, plain(answer)) and template.contrasts(asked, value):
            new_answers.append("no")
    return tuple(new_answers)


def fit(
    questions: Iterable[Question],
    yes: float = 0.5,
    agreement: float = 0.3,
    extensions: bool = False,
    exactly: bool = False,
    balance: Balance = "text",
) -> RadPerturbation:
    """The perturbation with the pools of this data; one pass, without tagging.

    >>> cat = Question(1, None, "What color is the cat?", ("white",))
    >>> fit([cat]).pools["color"].counts
    (('white', 1),)
    """
    unfitted = RadPerturbation(yes, agreement, extensions, exactly, balance)
    counts: dict[str, Counter[str]] = {}
    given: dict[str, Counter[AnswersGiven]] = {}
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
                for key in keys:
                    counts.setdefault(key, Counter())[value] += 1
                if template.mixes:
                    others = {plain(answer) for answer in question.answers if template.value(answer) != value}
                    for key in keys:
                        given.setdefault(key, Counter())[value, tuple(sorted(others))] += 1
            if noun := keys[0].partition(":")[2]:
                compounds.update(plain(answer) for answer in question.answers if plain(answer).endswith(f" {noun}"))
    return replace(unfitted, pools=pooled(counts, compounds, given))


def _variant(question: Question, template: YesNoTemplate, asked: YesNoQuestion, value: str, drawn: str) -> Variant:
    changed = Question(
        id=f"{question.id}/rad",
        image=question.image,
        more_images=question.more_images,
        text=asked.text,
        answers=votes(template, drawn, question.answers),
        kind=Kind("yes/no", asked.question_type),
        scene=question.scene,
        context=question.context,
    )
    note = {"answer": value, "drawn": drawn, "yes": drawn == value}
    return Variant(changed, Expect.GIVEN, template.test, f"rad/{asked.frame}", note)
