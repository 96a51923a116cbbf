"""The published attacks, one function per paper, each combining proposals, constraints, a search and a goal.

By default an attack must leave the question valid: words that the answer depends on stay, new words agree with the
rest, and the whole question stays similar (``similarity=0`` switches that off). ``faithful=true`` reproduces the
authors' code instead, with its oddities, for comparison with published figures. The default goal is that a correct
answer becomes wrong; with ``goal=changed`` it is enough that the answer changes, as in Table 8 of Li et al. 2021. With
``strict=true`` the model is only queried with rewordings that pass the strict validity checks.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

from askew.attack.attack_parts import Attack, Goal, GoalKind
from askew.attack.constraints import (
    ContentWords,
    FewChanges,
    FewLetters,
    Grammatical,
    HarmlessWords,
    ProtectedWords,
    SamePartOfSpeech,
    SimilarQuestion,
    SimilarWindow,
    StrictlyValid,
)
from askew.attack.learn_rules import LearnedRuleSwaps, RuleLearner
from askew.attack.model_swaps import MaskedSwaps, VectorSwaps
from askew.attack.rewrite_rules import RuleSwaps, reviewed_rules
from askew.attack.search import EachAlone, GreedySearch, SaliencySearch, SwarmSearch
from askew.attack.validity import StrictChecks
from askew.attack.word_swaps import SememeSwaps, SynonymSwaps, TypoSwaps
from askew.errors import BadOption
from askew.verbs import Constraint, Proposals

LEAST = 0.84
"""The similarity that the corrected recipes require: between *dog → hound* (0.85) and *dog → cat* (0.81)."""


def similar(least: float, encoder: str) -> tuple[Constraint, ...]:
    """The constraint on the similarity of the whole question; no constraint when the least similarity is 0."""
    return (SimilarQuestion(least, encoder),) if least > 0 else ()


def valid(similarity: float, encoder: str) -> tuple[Constraint, ...]:
    """The constraints of the corrected recipes that replace words, the cheap ones first."""
    words = (ContentWords(), ProtectedWords(), HarmlessWords(), SamePartOfSpeech(), Grammatical())
    return (*words, *similar(similarity, encoder))


def checked(attack: Attack, strict: bool, encoder: str) -> Attack:
    """The attack; if ``strict``, with the constraint that only strictly valid rewordings are sent to the model."""
    if not strict:
        return attack
    checks = StrictChecks(encoder=encoder, spelling=attack.spelling)
    return replace(attack, constraints=(*attack.constraints, StrictlyValid(checks)))


def sears(
    mode: Literal["reviewed", "learn"] = "reviewed",
    faithful: bool = False,
    rules: int = 10,
    least_fooled: int = 6,
    back_translation: bool = True,
    similarity: float = 0.0,
    encoder: str = "use",
    goal: GoalKind = "wrong",
    strict: bool = False,
) -> Attack:
    """SEARs: rules that rewrite a question, e.g. *What is → What's* (Ribeiro et al. 2018).

    By default, the reviewed rules are applied; ``faithful`` applies only the paper's four rules for VQA, as printed.
    ``mode=learn`` learns at most ``rules`` rules on half of the images, each of which fools the model with at least
    ``least_fooled`` questions, and attacks the other half; ``back_translation=false`` avoids the extra ``translate``.
    """
    if mode not in ("reviewed", "learn"):
        raise BadOption(f"sears: mode is {mode!r}. Give reviewed or learn.")
    if mode == "learn" and faithful:
        raise BadOption("sears: the paper's own rules cannot be learned. Give mode=learn or faithful=true.")
    swaps: Proposals = RuleSwaps(reviewed_rules(published=True) if faithful else ())
    if mode == "learn":
        learner = RuleLearner(rules, least_fooled=least_fooled, back_translation=back_translation, encoder=encoder)
        swaps = LearnedRuleSwaps(learner)
    search, constraints = EachAlone(repair=False), similar(similarity, encoder)
    attack = Attack("sears", swaps, search, constraints, Goal(goal), paper="Ribeiro et al. 2018")
    return checked(attack, strict, encoder)


def textfooler(
    faithful: bool = False,
    vectors: str = "",
    least: float = 0.5,
    similarity: float = LEAST,
    encoder: str = "use",
    goal: GoalKind = "wrong",
    strict: bool = False,
) -> Attack:
    """TextFooler: synonyms for the words that matter most (Jin et al. 2020).

    ``vectors`` is a file of counter-fitted word vectors; neighbours with a cosine of at least ``least`` (0.7 in the
    paper, 0.5 in its code) are then used instead of WordNet's synonyms. Where paper and code disagree, ``faithful``
    follows the code: to weigh a word it is replaced by an unknown token instead of being deleted; a swap is accepted if
    the probability is below the *original's*; a noun may become a verb; and the similarity (of a window, to the text
    before the swap) is not checked below 15 words, that is for nearly every question. By default the whole question is
    compared with the original.
    """
    swaps: Proposals = SynonymSwaps("all" if faithful else "likely")
    if vectors:
        swaps = VectorSwaps(vectors, least, compounds=not faithful)
    search, constraints = GreedySearch(), valid(similarity, encoder)
    if faithful:
        search = GreedySearch("unknown", released=True, pairs=False, repair=False)
        constraints = (ContentWords(), SamePartOfSpeech(window=4), SimilarWindow(encoder=encoder))
    attack = Attack("textfooler", swaps, search, constraints, Goal(goal), paper="Jin et al. 2020")
    return checked(attack, strict, encoder)


def pso(
    faithful: bool = False,
    sememes: str = "",
    similarity: float = LEAST,
    encoder: str = "use",
    particles: int = 60,
    rounds: int = 20,
    least_words: int | None = None,
    goal: GoalKind = "wrong",
    strict: bool = False,
) -> Attack:
    """Sememe+PSO: words of the same kind, combined by a particle swarm (Zang et al. 2020).

    ``sememes`` is a JSON table ``{word: {pos: [candidates]}}``, e.g. from HowNet; without it, words that share a direct
    hypernym in WordNet are used. Such words change the meaning more often than synonyms do: see the share of strictly
    valid successes. Like the authors' code, ``faithful`` has no constraints and attacks only questions of at least 10
    words.
    """
    least = least_words if least_words is not None else 10 if faithful else 0
    swaps = SememeSwaps(sememes, compounds=not faithful)
    constraints = () if faithful else valid(similarity, encoder)
    search = SwarmSearch(particles, rounds, repair=not faithful)
    attack = Attack("pso", swaps, search, constraints, Goal(goal), least, paper="Zang et al. 2020")
    return checked(attack, strict, encoder)


def pwws(
    faithful: bool = False,
    similarity: float = LEAST,
    encoder: str = "use",
    goal: GoalKind = "wrong",
    strict: bool = False,
) -> Attack:
    """PWWS: WordNet synonyms in the order of probability-weighted word saliency (Ren et al. 2019).

    ``faithful``: synonyms of any sense, no constraint except that function words stay, and the search does not stop
    when a single swap reaches the goal.
    """
    swaps, search, constraints = SynonymSwaps(), SaliencySearch(), valid(similarity, encoder)
    if faithful:
        swaps, search, constraints = SynonymSwaps("all"), SaliencySearch(released=True, repair=False), (ContentWords(),)
    attack = Attack("pwws", swaps, search, constraints, Goal(goal), paper="Ren et al. 2019")
    return checked(attack, strict, encoder)


def typos(
    faithful: bool = False,
    letters: int = 4,
    similarity: float = 0.0,
    encoder: str = "use",
    goal: GoalKind = "wrong",
    strict: bool = False,
) -> Attack:
    """Typing errors in the words that matter most (Gao et al. 2018; Li et al. 2019).

    ``letters``: the least length of a word to be changed. At most two letters of a question are changed (30 with
    ``faithful``), and words that the answer depends on stay.
    """
    few = FewLetters(30 if faithful else 2)
    kept: tuple[Constraint, ...] = () if faithful else (ContentWords(), ProtectedWords())
    constraints = (*kept, few, *similar(similarity, encoder))
    search = GreedySearch(pairs=not faithful, repair=False)
    paper = "Gao et al. 2018; Li et al. 2019"
    attack = Attack("typos", TypoSwaps(letters), search, constraints, Goal(goal), spelling=False, paper=paper)
    return checked(attack, strict, encoder)


def bert_attack(
    folder: str,
    most: int = 48,
    similarity: float = LEAST,
    encoder: str = "use",
    goal: GoalKind = "wrong",
    strict: bool = False,
) -> Attack:
    """BERT-Attack: words predicted by a masked language model in a local folder (Li et al. 2020).

    At most 40 % of the words are changed, as in the paper. The paper's similarity threshold of 0.2 lets nearly
    everything pass, so the default is the same as in the other recipes.
    """
    constraints = (*valid(similarity, encoder), FewChanges())
    attack = Attack(
        "bert-attack", MaskedSwaps(folder, most), GreedySearch(), constraints, Goal(goal), paper="Li et al. 2020"
    )
    return checked(attack, strict, encoder)
