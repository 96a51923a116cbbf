"""VQA P2: robustness to controlled lexical perturbations (Whitehead et al. 2020)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from askew.data.write_questions import annotation, image_id, write_pair
from askew.errors import BadOption
from askew.language.paraphrase_tables import Ppdb, read_ppdb
from askew.language.tagger import Tagger
from askew.language.wordnet import WordNet
from askew.metrics.accuracy import Accuracy, Mu, Worst
from askew.metrics.consistency import Consensus
from askew.metrics.correct import Correct, check_correct
from askew.perturb.lexical import TYPES, P2Perturbation, fit
from askew.perturb.vary_dataset import vary_all
from askew.suites.suite_parts import Originals, before_after, check_originals, listed, published
from askew.types import Column, Group, Mode, Refusal, Table
from askew.verbs import BuildsByExecutor, Dataset, Executor, Metric


@dataclass(frozen=True)
class P2Suite(BuildsByExecutor):
    """Questions with words replaced by synonyms, paraphrases or antonyms."""

    perturbations: str = ",".join(TYPES)
    """Which ones, separated by commas: ``p2:synonymous,antonymous``."""
    substitutions: int = 2
    """The maximal number of substitutions of one type in a question."""
    confidence: float = 0.9
    """The least confidence of a rule: 0.9 allows only reviewed rules, lower values also those from WordNet alone."""
    contraries: Literal["sure", "all"] = "sure"
    """``all`` also turns a "no" to *hot* into a "yes" to *cold*, as the paper does."""
    share: float = 0.05
    """The maximum share of one rule in the variants of its type; 1 for no limit."""
    balance: Literal["text", "paper"] = "text"
    """``text``: each of two opposites is true about as often as the other; ``paper``: as often as in the data."""
    variants: int = 1
    """The maximum number of variants of one type of a question; with several, CS(k) for k > 2 can be measured."""
    vocabulary: Literal["everyday", "data"] = "everyday"
    """Which words may be inserted: everyday words and those of the data, or only those of the data, as in the paper."""
    least: int = 1
    """How often a word that is not an everyday word must occur in the data; 0 allows any word."""
    ppdb: str = ""
    """A folder of PPDB 2.0 files, or files separated by commas, as a further source of rules."""
    score: float = 3.5
    """The least PPDB 2.0 score."""
    originals: Originals = "covered"
    """``all``: also ask the questions that no rule changes, for the accuracy over all of the data (Table 2)."""

    accuracy: Mode = "official"
    """How answers are compared with people's."""
    correct: Correct = "any"
    """When an answer counts as correct in the consensus score; ``any`` as in Shah et al. 2019."""

    name: ClassVar[str] = "p2"
    english: ClassVar[bool] = True
    title: ClassVar[str] = "Synonyms, paraphrases and antonyms (VQA P2)"
    paper: ClassVar[str] = (
        "Whitehead, Wu, Fung, Ji, Feris, Saenko: Learning from Lexical Perturbations for Consistent Visual "
        "Question Answering. 2020"
    )
    headline: ClassVar[tuple[str, str]] = (
        "cs.2",
        "it answers only {value} of the pairs correctly both before and after a word is replaced",
    )

    def __post_init__(self) -> None:
        check_originals(self.name, self.originals)
        if self.least < 0:
            raise BadOption(f"p2: least is {self.least}; give 0 or more.")
        if self.vocabulary not in ("everyday", "data"):
            raise BadOption(f"p2: vocabulary is {self.vocabulary!r}. Give everyday or data.")
        check_correct(self.correct, self.accuracy)
        fit((), self._perturbation, self.least, self.share)
        self._files()

    @property
    def tests(self) -> Sequence[str]:
        """The selected types, in the paper's order."""
        return tuple(test for name, test in TYPES.items() if name in self._types)

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """Ori, Pert, Δ, μ and CS; with several variants of a type also CS(3) and so on."""
        return {
            "accuracy.all": Accuracy("all", self.accuracy),
            **before_after(self.accuracy),
            "accuracy.original": Accuracy("paired", self.accuracy),
            "mu": Mu(self.accuracy),
            "cs.2": Consensus(2, self.correct, self.accuracy, anchored=True),
            **{f"cs.{k}": Consensus(k, self.correct, self.accuracy) for k in self._sizes},
            "worst": Worst(self.accuracy, original=True),
        }

    @property
    def tables(self) -> Sequence[Table]:
        """Tables 2, 3 and 4 of the paper, with its figures if all three types are selected.

        Accuracy on all of the data is a column of the first two if all of it is asked.
        """
        figures = published("p2") if len(self.tests) == len(TYPES) else {"types": {}, "overall": {}, "consensus": {}}
        types, overall = figures["types"], figures["overall"]
        whole: tuple[Column, ...] = (Column("VQA v2", "accuracy.all"),)
        if self.originals != "all":
            whole = ()
            types = {model: row[1:] for model, row in types.items()}
            overall = {model: row[:-1] for model, row in overall.items()}
        pert, ori, gap = ("Pert", "accuracy.variant"), ("Ori", "accuracy.original"), ("Δ", "accuracy.gap")
        return (
            Table("p2-2", "Accuracy (Table 2)", (*whole, *self._each(pert, ori, gap)), published=types),
            Table(
                "p2-3",
                "All perturbations (Table 3)",
                (Column(*pert), Column(*ori), Column("CS", "cs.2"), *whole),
                published=overall,
            ),
            Table(
                "p2-4",
                "μ and CS for each type (Table 4)",
                self._each(("μ", "mu"), ("CS", "cs.2")),
                published=figures["consensus"],
            ),
            *self._larger_groups(),
        )

    def groups_by(self, data: Dataset, seed: int, executor: Executor | None) -> Iterator[Group | Refusal]:
        """One pass over the data for its vocabulary and the shares of the rules, a second for the questions."""
        perturbation = fit(
            data.questions() if self.least or self.share < 1.0 else (),
            replace(self._perturbation, ppdb=self._mined),
            self.least,
            self.share,
            self.vocabulary == "everyday",
            seed,
            executor,
        )
        return vary_all(perturbation, data.questions(), seed, self.name, self.originals, executor=executor)

    @property
    def notes(self) -> Sequence[str]:
        """The versions of tagger and WordNet; how many PPDB rules were kept, and why others were not."""
        versions = f"tagger {Tagger().signature}, WordNet {WordNet().version}"
        mined = self._mined
        if mined is None:
            return (versions,)
        left_out = sorted(mined.left_out.items(), key=lambda item: (-item[1], item[0]))
        reasons = "; ".join(f"{reason}: {count:,}" for reason, count in left_out) or "none"
        return versions, f"PPDB: {mined.count:,} rules kept (`{mined.signature}`); left out: {reasons}"

    def release(self, groups: Iterable[Group], folder: Path) -> tuple[str, str]:
        """Write the variants also in the format of the paper's release; ``askew build`` calls it."""
        return write_release(groups, str(folder))

    @property
    def _types(self) -> tuple[str, ...]:
        full = {short: name for name, short in TYPES.items()}
        names = [full.get(part, part) for part in listed(self.perturbations)]
        return tuple(name for name in TYPES if name in names) if set(names) <= set(TYPES) else tuple(names)

    @property
    def _perturbation(self) -> P2Perturbation:
        return P2Perturbation(
            self._types, self.substitutions, self.confidence, self.contraries, self.variants, self.balance
        )

    @property
    def _sizes(self) -> Sequence[int]:
        """The k above 2 of CS(k): an original and this many variants of one type."""
        return range(3, self.variants + 2)

    def _larger_groups(self) -> tuple[Table, ...]:
        """CS(2), CS(3) and so on for each type, if a question has several variants of one type."""
        if not self._sizes:
            return ()
        columns = [(f"CS({k})", f"cs.{k}") for k in (2, *self._sizes)]
        whole = tuple(Column(label, metric) for label, metric in columns)
        return (Table("p2-k", "Consensus for groups of k questions", (*whole, *self._each(*columns))),)

    @cached_property
    def _mined(self) -> Ppdb | None:
        return read_ppdb(self._files(), self.score) if self.ppdb else None

    def _files(self) -> tuple[str, ...]:
        """The PPDB files that are named."""
        if not self.ppdb:
            return ()
        if os.path.isdir(self.ppdb):
            found = sorted(str(path) for path in Path(self.ppdb).glob("ppdb-2.0-*"))
            if not found:
                raise BadOption(f"p2: there is no ppdb-2.0-* file in {self.ppdb}. Put PPDB 2.0 files there.")
            return tuple(found)
        paths = tuple(part.strip() for part in self.ppdb.split(","))
        missing = [path for path in paths if not os.path.isfile(path)]
        if missing:
            raise BadOption(f"p2: ppdb={missing[0]}: there is no such file. Give a PPDB 2.0 file or a folder of them.")
        return paths

    def _each(self, *measures: tuple[str, str]) -> tuple[Column, ...]:
        return tuple(
            Column(f"{name.capitalize()} {label}", metric, f"test={test}")
            for name, test in TYPES.items()
            if name in self._types
            for label, metric in measures
        )


def write_release(groups: Iterable[Group], folder: str) -> tuple[str, str]:
    """Write the variants as a questions and an annotations file; returns their paths.

    Besides the fields of VQA v2, each question has ``original_id`` (the question it was made from), ``perturbation``
    (``syn``, ``para`` or ``ant``) and ``src`` (where its rule is from: ``reviewed``, ``wordnet``, ``ppdb``).
    """
    asked = os.path.join(folder, "v2_OpenEnded_mscoco_p2_questions.json")
    answered = os.path.join(folder, "v2_mscoco_p2_annotations.json")
    about = {"description": "VQA P2, made by askew"}
    wrapper = {"info": about, "license": {}, "data_type": "mscoco", "data_subtype": "p2"}
    write_pair(asked, answered, wrapper, _release_records(groups))
    return asked, answered


def _release_records(groups: Iterable[Group]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    for group in groups:
        for variant in group.variants:
            question = variant.question
            image = image_id(question if question.image else group.original)
            shared = {
                "image_id": image,
                "question_id": question.id,
                "original_id": group.original.id,
                "perturbation": variant.test,
                "src": variant.note.get("origin", "wordnet"),
            }
            yield {**shared, "question": question.text}, {**shared, **annotation(question, image)}
