"""Questions that no longer have an answer: without the correct option, or about an image that shows something else.

Unsolvable problem detection (Miyai et al. 2024) calls them absent answers and incompatible images; irrelevant questions
are from Ray et al. (2016). The original is the answerable twin, scored beside each.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from askew.answers.abstain import TAG, UNANSWERABLE
from askew.answers.extract import asks_how_many, asks_yes_no
from askew.answers.no_option import NO_OPTION, refers_to_options
from askew.answers.normalise import modal_answer, normalise, tokens
from askew.files.read_write import word_sets
from askew.language.inflect import base
from askew.language.tagger import Tagger
from askew.types import Expect, ImageRef, Question, Refusal, Scene, Variant

OPTION, IMAGE = "option removed", "other image"
INSTRUCTION = "If this cannot be answered, say: unanswerable."
_LEAST_OPTIONS = 3
_TRIES = 20
_DEFINITE = re.compile(r"\b(?:the|his|her|their|its)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Unanswerable:
    """One variant without the correct option, or one with another image."""

    shown: Sequence[tuple[ImageRef, frozenset[str]]] = field(repr=False)
    """The images, each with all that it may show."""
    visible: frozenset[str] = field(repr=False)
    """What can be seen in an image at all: a bus, but not an occupation."""
    instruction: bool = False
    """Whether both twins are told to say so if the question cannot be answered."""

    def prepare(self, questions: Sequence[Question]) -> None:
        """Tag the questions together."""
        Tagger().tags([question.text for question in questions])

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """The unanswerable twin of a question, or why there is none."""
        made = self._without_option(question) if question.choices else self._other_image(question, rng)
        test = OPTION if question.choices else IMAGE
        if isinstance(made, str):
            yield Refusal(question.id, test, made)
            return
        asked = told(replace(made, tags=tagged(question, "no"), scene=None, confidences=()), self.instruction)
        yield Variant(asked, Expect.ABSTAIN, test, f"unanswerable/{test.replace(' ', '-')}")

    def _without_option(self, question: Question) -> Question | str:
        options, right = question.choices, modal_answer(question.answers, normalise)
        if len(options) < _LEAST_OPTIONS:
            return f"it has fewer than {_LEAST_OPTIONS} options"
        if any(map(refers_to_options, options)):
            return "an option speaks of other options"
        left = tuple(option for option in options if normalise(option) != right and option not in question.answers)
        if len(left) == len(options):
            return "no option is the correct answer"
        return replace(question, id=f"{question.id}/option-removed", choices=left, answers=(NO_OPTION,))

    def _other_image(self, question: Question, rng: Random) -> Question | str:
        if question.image is None or question.more_images:
            return "it is not about one image"
        if asks_yes_no(question.text) or asks_how_many(question.text):
            return "yes, no or a number may be the answer with any image"
        things = nouns_of([question.text])
        if things.isdisjoint(self.visible) or not _DEFINITE.search(question.text):
            return "it names nothing that another image might lack"
        if any(normalise(answer) in _words("no_answer") for answer in question.answers):
            return "people say that it has no answer"
        for _ in range(_TRIES):
            image, there = self.shown[rng.randrange(len(self.shown))]
            if image.id != question.image.id and things.isdisjoint(there):
                return replace(question, id=f"{question.id}/other-image", image=image, answers=(UNANSWERABLE,))
        return "every other image that was tried may show what it is about"


def tagged(question: Question, answerable: str) -> tuple[tuple[str, str], ...]:
    """The tags of a question, with whether it can be answered."""
    return tuple(sorted({**dict(question.tags), TAG: answerable}.items()))


def told(question: Question, instruction: bool) -> Question:
    """The question, followed by what to do if it cannot be answered."""
    return replace(question, text=f"{question.text} {INSTRUCTION}") if instruction else question


def fit_images(questions: Iterable[Question], instruction: bool = False) -> Unanswerable:
    """Each image with the things that its scene has, or that its questions and their answers speak of.

    What people answer most to some question can be seen, and so can what scenes have.
    """
    images: dict[object, ImageRef] = {}
    texts: defaultdict[object, set[str]] = defaultdict(set)
    visible: set[str] = set()
    for question in questions:
        if question.image is not None and not question.more_images:
            there = list(_scene_words(question.scene))
            images.setdefault(question.image.id, question.image)
            texts[question.image.id].update((question.text, *question.answers, *there))
            visible.update(_plain([*there, modal_answer(question.answers, normalise)]))
    shown = [(image, nouns_of(texts[key]) | _plain(texts[key])) for key, image in images.items()]
    return Unanswerable(shown, frozenset(visible), instruction)


def nouns_of(texts: Iterable[str]) -> frozenset[str]:
    """The things that texts name, in the singular, without those that nearly any image shows."""
    found = {base(token.text, token.tag) for words in Tagger().tags(list(texts)) for token in words if token.is_noun}
    return frozenset(found - _words("anywhere"))


def _plain(texts: Iterable[str]) -> frozenset[str]:
    """All words of texts, also without the ending of plurals: answers are too short for a tagger."""
    words = {word for text in texts for word in tokens(text)}
    return frozenset(words | {word.removesuffix("s") for word in words})


def _scene_words(scene: Scene | None) -> Iterator[str]:
    if scene is not None:
        yield from (" ".join((thing.name, *thing.attributes)) for thing in scene.things)


def _words(name: str) -> frozenset[str]:
    return word_sets("perturb/unanswerable.yaml")[name]
