"""What a freeze decides, as pure functions: the type of each example, the split of each image, and who has too large a
share of train.

Types A to E are those of Adversarial VQA (Li et al. 2021, Fig. 8), for any number of verifiers; U is for what never
became an example. Answers come normalised. Whole images get a split. The cap on an author's share of train keeps one
person from deciding what the next round's models learn: dev and test are not changed, and where few people wrote, or
most was written by a few, it is not applied, and the datasheet says so.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from askew.collect.study_settings import StudySettings


@dataclass(frozen=True)
class Verdicts:
    """What was said about one question, normalised."""

    verdict: str | None
    """The author's judgement of the robot's answer; None when there is none."""
    robot: str
    """The robot's answer."""
    author: str = ""
    """The author's correct answer, when the robot was wrong."""
    author_confidence: str | None = None
    verifiers: Sequence[str] = ()
    """The verifiers' answers."""
    confidences: Sequence[str] = ()
    """yes, maybe or no for each verifier."""


def example_type(said: Verdicts, settings: StudySettings) -> str:
    """A: the robot was right; B: the author was not sure; C: verifiers overrule the author; E: two verifiers agree;
    D: no two do; U: no judgement, or verifiers are missing.

    C is decided before E, since those who agree with the robot also agree with each other. Under the rule ``text``
    a D that section 3.1's text would keep is an E.

    >>> from askew.collect.study_settings import PRESETS
    >>> nine = PRESETS["paper"]
    >>> example_type(Verdicts("wrong", "red", "blue", None, ["red"] * 4 + list("abcde"), ["yes"] * 9), nine)
    'C'
    >>> example_type(Verdicts("wrong", "red", "blue", None, ["red"] * 3 + list("abcdef"), ["yes"] * 9), nine)
    'E'
    """
    if said.verdict is None:
        return "U"
    if said.verdict != "wrong":
        return "A" if said.verdict == "correct" else "B"
    if len(said.verifiers) != settings.verifiers_per_question:
        return "U"
    if 3 * said.verifiers.count(said.robot) > len(said.verifiers):
        return "C"
    if agreement(said.verifiers) >= 2:
        return "E"
    if settings.low_quality_rule == "text" and not text_rule_removes(said, settings):
        return "E"
    return "D"


def text_rule_removes(said: Verdicts, settings: StudySettings) -> bool:
    """Section 3.1's text: fewer than 6 of 10 are confident, and no two of the 10 answers agree.

    For v verifiers: fewer than 0.6 (v + 1). The author counts as confident, having called the robot *definitely* wrong,
    unless the study asked (``ask``) or leaves the author out (``exclude``).
    """
    confident = list(said.confidences).count("yes")
    if settings.author_confidence == "implicit_yes" or (
        settings.author_confidence == "ask" and said.author_confidence == "yes"
    ):
        confident += 1
    answers = [said.author, *said.verifiers]
    return 10 * confident < 6 * len(answers) and agreement(answers) < 2


def agreement(answers: Sequence[str]) -> int:
    """The size of the largest group of equal answers.

    >>> agreement(["red", "blue", "red"]), agreement([])
    (2, 0)
    """
    return max(map(answers.count, answers), default=0)  # of ten answers, faster than a Counter


def split_images(examples: Mapping[int, int], shares: Mapping[str, int], seed: int) -> dict[int, str]:
    """A split for every image, from how many verified (type E) examples each has, so that these come near the shares.

    Images are taken in a random order of the seed, and each goes to the split that lacks the most; an image without a
    verified example is drawn by the shares. The same images and seed give the same splits.

    >>> found = split_images({image: 1 for image in range(10)}, {"train": 60, "dev": 10, "test": 30}, seed=0)
    >>> sorted(found.values())
    ['dev', 'test', 'test', 'test', 'train', 'train', 'train', 'train', 'train', 'train']
    """
    order = sorted(examples)
    Random(f"{seed}:splits").shuffle(order)
    total = 0
    given = dict.fromkeys(shares, 0)
    found = {}
    for image in order:
        count = examples[image]
        if count == 0:
            drawn = Random(f"{seed}:image:{image}").choices(list(shares), weights=list(shares.values()))
            found[image] = drawn[0]
            continue
        total += count
        lack = {name: share * total - 100 * given[name] for name, share in shares.items()}
        found[image] = max(shares, key=lambda name: (lack[name], shares[name]))
        given[found[image]] += count
    return found


KEPT_PERCENT = 50
"""The cap is applied only if so much of train stays."""
_ORDER = "ECA"


def most_of_one_author(counts: Mapping[int, int], percent: int) -> int | None:
    """How many questions each author may have in train; None if the cap cannot be met.

    It is the largest number that is at most ``percent`` of what stays when everybody has no more than that.

    >>> most_of_one_author({author: 10 for author in range(20)} | {99: 30}, percent=5)
    10
    >>> most_of_one_author({1: 10, 2: 10}, percent=5)
    >>> most_of_one_author({1: 10, 2: 10}, percent=100)
    10
    """
    total = sum(counts.values())
    for most in range(max(counts.values(), default=0), 0, -1):
        kept = sum(min(count, most) for count in counts.values())
        if 100 * most <= percent * kept:
            return most if 100 * kept >= KEPT_PERCENT * total else None
    return None


def over_cap(train: Mapping[int, tuple[int, str]], percent: int) -> set[int]:
    """The questions of train to leave out; ``train`` gives the author and the type (A, C or E) of each.

    Of an author who has too many, E stays before C before A, and the earlier before the later.
    """
    most = most_of_one_author(Counter(author for author, _ in train.values()), percent)
    if most is None:
        return set()
    kept: Counter[int] = Counter()
    found = set()
    for key in sorted(train, key=lambda key: (_ORDER.index(train[key][1]), key)):
        author = train[key][0]
        kept[author] += 1
        if kept[author] > most:
            found.add(key)
    return found
