"""Ask a model a few questions and show everything: what it reads, what it replies, and the answer in that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from askew.answers.choices import as_asked
from askew.answers.extract import check_step, extract
from askew.answers.extract import signature as extraction
from askew.engine.ask import refused
from askew.engine.judge import step_for
from askew.engine.settings import Named, Settings
from askew.errors import AskewError
from askew.types import Prediction, Question
from askew.verbs import ModelFacts, Previews, Streams


def try_model(model: Named, questions: Sequence[Question], settings: Settings, rule: str = "none") -> Iterator[str]:
    """The lines to print, for each question in turn. Nothing is stored.

    >>> from askew.models.baselines import Constant
    >>> asked = [Question(7, None, "Is it raining?", answers=("no",))]
    >>> for line in try_model(Named(Constant("yes"), "constant:yes", "constant:yes"), asked, Settings()): print(line)
    constant:yes
    <BLANKLINE>
    1. Is it raining?
       question 7, without an image
       answer: yes
       people answered: no
    """
    step = step_for(model.what, settings, rule)
    check_step(step)
    yield safe(model.name)
    for number, question in enumerate(map(as_asked, questions), start=1):
        image = " and ".join(f"image {one.id!r}" for one in question.images) or "without an image"
        yield f"\n{number}. {safe(question.text)}"
        yield f"   question {question.id!r}, {safe(image)}"
        if isinstance(model.what, Previews):
            yield "   the model reads:"
            try:
                preview = model.what.preview(question)
            except AskewError as error:
                preview = f"(cannot be asked: {error})"
            yield from (f"   | {safe(line)}" for line in preview.splitlines())
        if not ModelFacts(model.what).takes(question):
            yield f"   {refused(question).error}"
            continue
        found = model.what.stream([question]) if isinstance(model.what, Streams) else model.what.answer([question])
        reply = next(iter(found), Prediction(question.id, None, error="no prediction"))
        yield from (f"   {line}" for line in _reply(reply, extract(step, question, reply), step))
        if question.answers:
            counts = Counter(question.answers).most_common()
            said = (f"{answer} ({count})" if len(question.answers) > 1 else answer for answer, count in counts)
            yield f"   people answered: {safe(', '.join(said))}"


def _reply(reply: Prediction, found: Prediction, step: str) -> Iterator[str]:
    """What came back, and what is scored of it."""
    if reply.failed:
        yield f"failed: {safe(reply.error or 'no answer')}"
    text = reply.raw if reply.raw is not None else reply.answer
    if text and (step != "none" or reply.raw is not None):
        yield f"reply: {safe(text)}"
    if not reply.failed:
        how = "" if step == "none" else f" (extracted by {extraction(step)})"
        yield (
            f"failed: {safe(found.error or 'no answer')}{how}"
            if found.failed
            else f"answer: {safe(found.answer or '')}{how}"
        )
    figures = [f"{count} {what}" for count, what in zip(reply.tokens, ("tokens read", "written"), strict=True) if count]
    if reply.score is not None:
        figures.append(f"score {reply.score:.3f}")
    if figures:
        yield ", ".join(figures)


def safe(text: str) -> str:
    """A text on one line, with control characters written out.

    >>> safe("a\\x1b[31m\\nb")
    'a\\\\x1b[31m\\\\nb'
    """
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)
