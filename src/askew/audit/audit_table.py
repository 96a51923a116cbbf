"""Formats an audit as text for the terminal and for Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from askew.audit.labelled_texts import CHOICE, YES_NO
from askew.audit.text_audit import FAR, LEAST_TEXTS, METHOD, TextAudit, TextScore
from askew.errors import first_line
from askew.report import table_formats
from askew.types import Column, Score, Table

_LONGEST = 160
"""Examples are cut off after this many characters."""
_TASKS = {
    "question": "the answer from the question (of multiple choice: the option from its text)",
    "letter": "the letter of the correct option from the question",
    "pair": "the answer from the variant and its original",
    "original": "which of the two is the original",
    "prior": "the variant's answer from the usual answers to such originals about other images, without its labels",
}


_FURTHER = {
    "majority": "majority",
    "chance": "one in n",
    "new_texts": "new texts",
    "nearest": "nearest text",
    "rule_accuracy": "best rule",
}
"""The further columns of the tables, each shown where a score has it."""


def markdown(audit: TextAudit) -> str:
    """One table for each task, the best rules, and the most revealing features.

    >>> print(markdown(TextAudit(())))
    Text alone (logistic regression on words and pairs of neighbouring words, cross-validated with folds by image): \
there is no question with an answer.
    """
    if not audit.scores:
        return f"Text alone ({METHOD}): there is no question with an answer."
    lines = [f"Text alone: {METHOD}.", ""]
    for task, title in _TASKS.items():
        scores = [score for score in audit.scores if score.task == task]
        if scores:
            lines += [table_formats.markdown(_table(title, scores)), *_rules(scores), ""]
    return "\n".join([*lines, *sampled(audit), *(f"Warning: {line}" for line in warnings(audit))]).rstrip()


def _table(title: str, scores: Sequence[TextScore]) -> Table:
    further = [name for name in _FURTHER if any(getattr(score, name) is not None for score in scores)]
    heads = ("answers", "n", "text alone", *(_FURTHER[name] for name in further))
    table = Table("", f"Predicted: {title}", tuple(map(Column, heads)), "test")
    for score in scores:
        shares = [getattr(score, name) for name in further]
        cells = [_percent(share.value if isinstance(share, Score) else share) for share in shares]
        found, interval = score.accuracy, score.accuracy.interval
        alone = f"{found.short} %" + (f" ({interval})" if interval else "")
        if score.too_few:
            alone = f"— (fewer than {LEAST_TEXTS})" if score.n < LEAST_TEXTS else "— (one answer)"
        table.add(place(score), score.answer_type or "all", score.n, alone, *cells)
    return table


def _rules(scores: Sequence[TextScore]) -> Iterator[str]:
    """The best rule and the most revealing features of each score."""
    for score in scores:
        if score.rule or score.revealing:
            rule = f"the best rule: {_line(score.rule)}" if score.rule else "what reveals a variant"
            yield f"- {place(score)}{', ' if score.answer_type else ''}{score.answer_type}: {rule}"
        for found in score.revealing:
            yield (
                f"  - `{_line(found.feature)}` → {found.label}: {found.hits:,} of {found.count:,} "
                f"({_percent(found.share)}), e.g. {_line(found.example)}"
            )


def place(score: TextScore) -> str:
    """The name of a score's test, preceded by its suite."""
    return _line(" ".join(filter(None, (score.suite, score.test)))) or "all"


def _line(text: str) -> str:
    """Text from the data, cleaned of control characters and shortened to fit into one line of a table.

    >>> _line("a\\n| b\\x1b")
    'a / b�'
    """
    said = "".join(c if c.isprintable() else "�" for c in " ".join(text.split())).replace("|", "/").replace("`", "'")
    return first_line(said, _LONGEST)


def _percent(value: float | None) -> str:
    return "—" if value is None else f"{100 * value:.1f} %"


def sampled(audit: TextAudit) -> list[str]:
    """One line that says how many texts were sampled, if some were left out."""
    cut = [score for score in audit.scores if score.seen > score.n]
    if not cut:
        return []
    most = max(cut, key=lambda score: score.seen - score.n)
    return [f"Of the largest part {most.n:,} of about {most.seen:,} texts were drawn (seed {audit.seed})."]


def warnings(audit: TextAudit) -> list[str]:
    """A sentence for each test whose yes/no answers or options text alone predicts far better or worse than a guess."""
    return [warning for score in audit.scores if (warning := _warning(score))]


def _warning(score: TextScore) -> str:
    guess = f"one in n: {_percent(score.chance)}" if score.chance else f"majority {_percent(score.majority)}"
    answers = "yes/no answers"
    if score.answer_type == CHOICE:
        answers = "correct options' letters" if score.task == "letter" else "correct options"
    share = f"{_percent(score.accuracy.value)} of the {answers} ({guess})"
    if score.task == "letter" and score.chance is not None and score.majority > score.chance + FAR:
        return f"{place(score)}: the most frequent letter is correct for {_percent(score.majority)} ({guess})."
    if score.far_above and score.task == "prior":
        return (
            f"{place(score)}: the usual answers to the original questions about other images predict {share}, so the "
            "wrong answers are not as usual as the correct ones."
        )
    if score.task not in ("question", "letter"):
        return ""
    if score.far_above:
        return (
            f"{place(score)}: text alone predicts {share}, so that part of any model's score may come from the words "
            "of the questions."
        )
    if score.nearest is not None and score.nearest.low > score.majority + FAR:
        return (
            f"{place(score)}: the most similar text about another image has the right answer for "
            f"{_percent(score.nearest.value)} ({guess}), so a model that learned these labels need not look."
        )
    if score.far_below and score.answer_type == YES_NO:
        new = f"; with folds by text {_percent(score.new_texts.value)}" if score.new_texts else ""
        return (
            f"{place(score)}: text alone predicts only {share}{new}. Words occur about as often with yes as with "
            "no, so what is learned from some images is wrong for others."
        )
    return ""
