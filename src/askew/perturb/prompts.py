"""The same question under several prompt templates: the answer should stay the same.

Models are evaluated with one template that their authors like, and its choice alone can change accuracy by tens of
points, even where templates differ only in separators and case (Sclar et al., ICLR 2024). A model's own prompt
(``prompt=...``) goes around the template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from random import Random

from askew.errors import BadOption
from askew.files.limits import read_yaml
from askew.files.read_write import resource
from askew.types import Expect, Question, Refusal, Variant

PLACE = "{question}"
_NAME = re.compile(r"[\w-]+")
_SHAPE = 'Give a name and a text for each, e.g. polite: "Please tell me: {question}"'
_INSTRUCTED = re.compile(
    r"\n|^\s*(?:question|q)\s*:|\b(?:answer|respond|reply)\b[^?]{0,40}\b(?:with|using|in (?:one|a|\d+)|yes or no"
    r"|true or false|briefly|only)\b",
    re.IGNORECASE,
)
"""A question that says already how it is to be answered."""


@dataclass(frozen=True)
class Prompts:
    """One variant for each template. Nothing is random."""

    templates: tuple[tuple[str, str], ...]
    """Names and texts, as in ``prompts.yaml``."""

    def vary(self, question: Question, rng: Random) -> Iterator[Variant | Refusal]:
        """The question under each template, or why not."""
        for name, template in self.templates:
            if _INSTRUCTED.search(question.text):
                yield Refusal(question.id, name, "the question has an instruction of its own")
            elif question.choices and not template.endswith(PLACE):
                yield Refusal(question.id, name, "the template goes on after the question, where the options are")
            else:
                text = template.replace(PLACE, question.text)
                changed = replace(question, id=f"{question.id}/prompt-{name}", text=text)
                yield Variant(changed, Expect.SAME, name, f"prompts/{name}")


def templates_of(names: tuple[str, ...], file: str = "") -> tuple[tuple[str, str], ...]:
    """The templates with these names, of the file or else askew's own; all of them if no name is given.

    >>> templates_of(("short", "marked"))
    (('short', '{question} Give a short answer.'), ('marked', 'Question: {question}'))
    """
    known = _checked(file, read_yaml(file)) if file else resource("perturb/prompts.yaml")
    for name in names:
        if name not in known:
            raise BadOption(f"prompts: no template is called {name!r}. Known: {', '.join(known)}.")
    return tuple((name, known[name]) for name in names or known)


def _checked(file: str, found: object) -> Mapping[str, str]:
    """The templates of a user's file; anything else is refused."""
    if not isinstance(found, dict) or not found:
        raise BadOption(f"prompts: {file} has no templates. {_SHAPE}.")
    for name, text in found.items():
        if not isinstance(name, str) or not _NAME.fullmatch(name):
            raise BadOption(f"prompts: {file}: {str(name)[:60]!r} is not a name of letters, digits, - and _. {_SHAPE}.")
        if not isinstance(text, str) or text.count(PLACE) != 1 or text.strip() == PLACE:
            raise BadOption(f"prompts: {file}: {name} needs {PLACE} once, and words around it. {_SHAPE}.")
    return found
