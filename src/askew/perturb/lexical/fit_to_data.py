"""VQA P2's perturbations fitted to data: which words its questions use, and how often each rule matches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from askew.errors import BadOption
from askew.language.senses import WordCounts, everyday_words
from askew.perturb.lexical.p2_perturbation import P2Perturbation
from askew.perturb.lexical.rule_shares import Case, HashSample, limited
from askew.perturb.vary import SENT, chunks_of, opening, question_rng
from askew.types import Question
from askew.verbs import Executor


def fit(
    questions: Iterable[Question],
    perturbation: P2Perturbation | None = None,
    least: int = 1,
    share: float = 0.05,
    everyday: bool = True,
    seed: int = 0,
    executor: Executor | None = None,
) -> P2Perturbation:
    """The perturbation with the vocabulary of this data and the shares of its rules, from one pass over the questions.

    A word may be inserted that occurs ``least`` times in the data (0: any word) or, with ``everyday``, that everybody
    knows. No rule makes more than ``share`` of the variants of its type (1: no limit), and opposites are balanced as
    the perturbation says. Pass the ``seed`` that the questions will be varied with. An ``executor`` shares the work
    between workers.
    """
    if not 0.0 < share <= 1.0:
        raise BadOption(f"p2: share is {share}. Give a share above 0, up to 1 for no limit.")
    draft = perturbation or P2Perturbation()
    counts_rules = share < 1.0 or (draft.balance == "text" and "antonymous" in draft.types)
    sample = HashSample()
    if least > 0:
        known = everyday_words() if everyday else frozenset[str]()
        counts = WordCounts.of((question.text for question in sample.watch(questions)), least)
        draft = replace(draft, vocabulary=replace(counts, everyday=known))
    elif counts_rules:
        for _ in sample.watch(questions):
            pass
    if not counts_rules:
        return draft
    counted, find = sample.questions(), FindCases(draft, opening(draft, seed))
    cases: dict[str, list[Case]] = {name: [] for name in draft.types}
    for found in map(find, [counted]) if executor is None else executor.map(find, chunks_of(counted, SENT)):
        for name, case in found:
            cases[name].append(case)
    return draft.limit(
        {name: limited(some, share, draft.most(name), draft.variants, sample.whole) for name, some in cases.items()}
    )


@dataclass(frozen=True)
class FindCases:
    """The work on a chunk of questions: the substitutions that are possible in each."""

    perturbation: P2Perturbation
    start: str
    """What the seeds of all questions begin with."""

    def __call__(self, questions: Sequence[Question]) -> list[tuple[str, Case]]:
        """The cases by type, in the order of the questions."""
        self.perturbation.prepare(questions)
        return [
            case
            for question in questions
            for case in self.perturbation.cases(question, question_rng(self.start, question))
        ]
