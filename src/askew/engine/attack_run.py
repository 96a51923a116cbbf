"""An attack on a model, from data to files: rewordings are found by search, written as groups, and scored like any run.

A group has the question and the rewording that was found, or the best try. The search keeps its answers in the store of
the run's folder, so scoring makes no new requests, and a killed attack can be resumed: its searches are repeated with
answers from the store and continue from there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

from askew.answers.extract import check_step, extract
from askew.attack.validity import StrictChecks, Validity
from askew.engine.ask import answers_of, chunks, refused
from askew.engine.attack_driver import AttackRequests, AttackWorkers, Driver, RequestCounts, learned_first, proposed
from askew.engine.attack_task import AttackRules, AttackTask, Judge, ScoreMode
from askew.engine.events import Event, Note, Warned
from askew.engine.executors import workers_of
from askew.engine.judge import scored_by, step_for
from askew.engine.resume import Keys
from askew.engine.run import run_models
from askew.engine.settings import Named, Settings, check_whole
from askew.engine.store import Store
from askew.errors import BadImage, BadOption, MissingExtra, UsageError
from askew.metrics.correct import right
from askew.types import Candidate, Expect, Group, Prediction, Question, Refusal, Variant
from askew.verbs import Dataset, HoldsGroups, LearnsSwaps, Model, ModelFacts, Scores

MODES = ("auto", "score", "confidence", "label")
CHECKED = 64
"""The number of rewordings whose validity is checked together."""
ASKED_FIRST = 8
"""The maximum number of questions tried to find out whether a model gives confidences."""


@dataclass(frozen=True)
class AttackSettings:
    """Settings of an attack."""

    budget: int = 100
    """The maximum number of distinct texts for each question, including the original."""
    max_calls: int | None = None
    """The maximum number of requests in total; the attack stops before it would exceed it."""
    scores: str = "auto"
    """What guides the searches: ``score``, ``confidence``, ``label``, or ``auto``, the first that the model gives."""
    confirm: int = 0
    """The number of repeated requests in which a rewording must also fool the model before it counts as found."""

    def __post_init__(self) -> None:
        check_whole("budget", self.budget, least=2)
        check_whole("confirm", self.confirm)
        if self.max_calls is not None:
            check_whole("max_calls", self.max_calls, least=1)
        if self.scores not in MODES:
            raise BadOption(f"scores is {self.scores!r}; it must be one of {', '.join(MODES)}.")


@dataclass
class AttackRun:
    """One attack: model, data, recipe and settings. ``counts`` has the number of requests."""

    model: Named
    data: Named
    attack: Named
    suite: Any
    """The suite that scores attacks; its ``source`` makes the groups."""
    output: Path
    how: AttackSettings
    settings: Settings
    counts: RequestCounts = field(default_factory=RequestCounts)
    _first: dict[bytes, Prediction] = field(default_factory=dict)
    _said: list[Event] = field(default_factory=list)
    """Sentences that were said while groups were made, and not passed on yet."""
    _workers: AttackWorkers | None = None

    def run(self, command: str = "") -> Iterator[Event]:
        """Run the attack, then score its groups and write the results; the last event is ``Finished``."""
        check_attackable(self.model, self.data)
        with workers_of(self.settings.executor) as executor:
            self._workers = AttackWorkers(executor, self.attack.what, self.model) if executor else None
            for event in self._run(command):
                while self._said:
                    yield self._said.pop(0)
                yield event

    def _run(self, command: str) -> Iterator[Event]:
        mode = self._mode()
        suite = replace(
            self.suite,
            attack=repr(self.attack.what),
            scores=mode,
            budget=self.how.budget,
            confirm=self.how.confirm,
            name_of_attack=self.attack.what.name,
            source=lambda data, seed: self._groups(data, seed, mode),
        )
        named = Named(suite, f"attack ({self.attack.spec})")
        return run_models(
            [self.model],
            self.data,
            [named],
            self.output,
            self.settings,
            command,
            executor=self._workers.executor if self._workers else None,
        )

    def _groups(self, data: Dataset, seed: int, mode: ScoreMode) -> Iterator[Group | Refusal]:
        """The group of each question; those not attacked are preceded by a refusal."""
        with Store(self.settings.store_path(self.output)) as store:
            store.put(self._first.items())
            keys = Keys(self.model.what, self.model.signature)
            workers = self._workers
            requests = AttackRequests(
                self.model.what,
                keys,
                store,
                self.settings.batch_size,
                self.how.max_calls,
                stop_after=self.settings.stop_after,
                counts=self.counts,
                asking=workers.asking if workers else None,
            )
            rules = AttackRules(
                self.attack.what, mode, self.how.budget, seed, self.judge(), self.how.confirm, self.model.name
            )
            source: Iterable[Question] = islice(data.questions(), self.settings.limit)
            if isinstance(rules.attack.proposals, LearnsSwaps):
                rules, source, used, sentence = learned_first(rules, list(source), requests)
                self._said.append(Note(sentence))
                yield from used
                if workers:
                    workers.learned(rules.attack)
            finished = Driver(rules, requests, workers.propose if workers else None).run(source)
            checks: StrictChecks | None = StrictChecks(spelling=self.attack.what.spelling)
            for tasks in chunks(finished, CHECKED):
                try:
                    made = list(attacked_groups(tasks, checks))
                except MissingExtra as missing:
                    self._said.append(Warned(f"Validity is not checked, so success alone says little. {missing}"))
                    checks, made = None, list(attacked_groups(tasks, None))
                yield from made

    def judge(self) -> Judge:
        """The function that extracts and judges answers as the run will do."""
        step = step_for(self.model.what, self.settings)
        check_step(step)
        suite = scored_by(Named(self.suite, self.suite.name), self.model.what, self.settings)
        correct, mode = suite.correct, suite.accuracy

        def judged(question: Question, prediction: Prediction) -> tuple[str | None, bool]:
            taken = extract(step, question, prediction)
            return taken.answer, right(question, taken, correct, mode)

        return judged

    def _mode(self) -> ScoreMode:
        """What guides the searches."""
        model = self.model.what
        if self.how.scores == "score" and not isinstance(model, Scores):
            raise BadOption(
                f"scores=score: {self.model.name} cannot say how probable a given answer is. Use confidence or label."
            )
        if self.how.scores != "auto":
            chosen: ScoreMode = self.how.scores  # type: ignore[assignment]  # checked in AttackSettings
            return chosen
        if isinstance(model, Scores):
            return "score"
        said = self._asked_first(model)
        return "confidence" if any(one.score is not None for one in said.values()) else "label"

    def _asked_first(self, model: Model) -> Mapping[bytes, Prediction]:
        """The answers to the first questions, up to the first that is answered; kept for the store."""
        keys, path = Keys(model, self.model.signature), self.settings.store_path(self.output)
        for question in islice(self.data.what.questions(), ASKED_FIRST):
            wanted = {keys.of(question): question}
            found: Mapping[bytes, Prediction] = {}
            if path.is_file():
                with Store(path) as store:
                    found = store.get(dict.fromkeys(wanted, question.id))
            if not found:
                asking = (self._workers and self._workers.asking) or partial(answers_of, model)
                found = {key: said for heard in asking(wanted, 1) for key, said in heard.items()}
                self.counts.asked += 1
                self.counts.calls += 1
            self._first.update(found)
            if not any(said.failed for said in found.values()):
                break
        return self._first


def check_attackable(model: Named, data: Named) -> None:
    """Refuse models that cannot answer new questions, data without plain questions, and missing images."""
    if ModelFacts(model.what).by_id:
        raise UsageError(
            f"{model.spec}: a file of predictions cannot answer new questions, so it cannot be attacked. "
            "Give the model itself."
        )
    if isinstance(data.what, HoldsGroups):
        raise UsageError(
            f"{data.spec}: these are ready-made groups. Give the questions they were made from; to ask a model these "
            "groups, use askew run."
        )
    keys = Keys(model.what, model.signature)
    lacking, count = [], 0
    for question in data.what.questions():
        count += 1
        if keys.lacking(question) is not None:
            lacking.append(question.id)
        if not keys.takes(question):
            raise UsageError(f"{model.spec}: {refused(question).error} (question {question.id!r}). Attack another.")
    if lacking:
        raise BadImage(
            f"{len(lacking):,} of {count:,} questions name an image whose file is not known, e.g. question "
            f"{lacking[0]!r}, and the model looks at images. Give their folder (--images DIR; images=... in Python)."
        )


def expected_calls(run: AttackRun) -> str:
    """A sentence with the maximum number of requests if every question were answered correctly; queries no model."""
    check_attackable(run.model, run.data)
    attack, questions, refused, asked = run.attack.what, 0, 0, 0
    with workers_of(run.settings.executor) as executor:
        propose = AttackWorkers(executor, attack).propose if executor else partial(proposed, attack)
        for chunk in chunks(islice(run.data.what.questions(), run.settings.limit), 512):
            for places, _ in propose(chunk):
                swaps = [len(place.swaps) for place in places if place.swaps]
                questions += 1
                refused += not swaps
                asked += min(run.how.budget, 1 + len(swaps) + sum(swaps))
    return (
        f"{run.model.name}: at most about {asked:,} requests for {questions:,} questions with {attack.name} "
        f"(the original, each word that can be replaced and each single swap; at most {run.how.budget:,} for a "
        f"question; {refused:,} questions have no candidate). Questions that are answered incorrectly are not "
        "attacked, and a search ends when it succeeds, so fewer is usual; searches that combine swaps may need more."
    )


PARTS = {"NN": "noun", "VB": "verb", "JJ": "adjective", "RB": "adverb"}


def attacked_groups(tasks: Sequence[AttackTask], checks: StrictChecks | None) -> Iterator[Group | Refusal]:
    """The groups of finished tasks, each preceded by a refusal if there is no rewording; the validity of rewordings is
    checked together."""
    pairs = [(task.question, task.result) for task in tasks if task.result is not None]
    found = iter(checks.check(pairs) if checks is not None else ())
    for task in tasks:
        question, name, result = task.question, task.rules.attack.name, task.result
        variants: tuple[Variant, ...] = ()
        if result is not None:
            asked = replace(question, id=f"{question.id}/{name}", text=result.text)
            note = {**_note(task, result), **_checked(next(found, None))}
            variants = (Variant(asked, Expect.SAME, name, f"attack/{name}", note),)
        if task.status in ("skipped", "refused"):
            yield Refusal(question.id, name, task.reason)
        elif result is None:
            yield Refusal(question.id, name, "no rewording passed the constraints within the budget")
        yield Group(question.id, "attack", question, variants)


def _note(task: AttackTask, result: Candidate) -> dict[str, Any]:
    """What the search did, in plain JSON; independent of what the store contained before."""
    confirmed = {"confirmed": task.confirmed} if task.rules.confirm else {}
    replaced_words = sum(len(change.old.split()) for change in result.changes)
    return {
        "status": task.status,
        "against": task.rules.against if task.status == "found" else "",
        "tries": len(task.texts),
        "fooled_at": task.fooled_at,
        "asked": len(task.requested),
        "dropped": task.dropped,
        "changed": [[change.start, change.old, change.new] for change in result.changes],
        "changed_share": round(replaced_words / max(1, len(task.question.text.split())), 4),
        "best_score": round(1.0 - task.loss(result), 6),
        "scores": task.rules.mode,
        "word": _common(change.old.lower() for change in result.changes),
        "part_of_speech": _common(part_of_speech(change.tag) for change in result.changes),
        "rule": _common(change.rule for change in result.changes),
        **confirmed,
    }


def _checked(validity: Validity | None) -> dict[str, Any]:
    """The results of the strict checks, if they were made."""
    if validity is None:
        return {}
    return {
        "valid": validity.valid,
        "faults": list(validity.faults),
        "similarity": round(validity.similarity, 4),
        "grammar": len(validity.grammar),
    }


def part_of_speech(tag: str) -> str:
    """The part of speech of a Penn Treebank tag.

    >>> part_of_speech("NNS"), part_of_speech("IN"), part_of_speech("")
    ('noun', 'other', 'other')
    """
    return PARTS.get(tag[:2], "other")


def _common(values: Iterator[str]) -> str:
    """The word, part of speech or rule of a rewording."""
    found = set(values)
    return found.pop() if len(found) == 1 else "several"


def attack_summary(groups: Iterable[Group]) -> str:
    """Summary figures that are not in the tables: how attacks ended, the median of tries, the lowest similarity."""
    notes = [variant.note for group in groups for variant in group.variants]
    found = [note for note in notes if note["status"] == "found"]
    tries, similar = [note["tries"] for note in notes], [note["similarity"] for note in found if "similarity" in note]
    ended = Counter(note["status"] for note in notes)
    sentence = "Attacked: " + (", ".join(f"{count:,} {status}" for status, count in ended.most_common()) or "none")
    if tries:
        sentence += f"; distinct texts asked about a question: median {median(tries):g}, at most {max(tries):,}"
    if similar:
        sentence += f"; similarity of rewordings that were found: at least {min(similar):.2f}"
    faults = Counter(fault for note in found for fault in note.get("faults", ()))
    if faults:
        sentence += f"; faults of these: {', '.join(f'{fault} {count:,}' for fault, count in faults.most_common(5))}"
    return sentence + "."
