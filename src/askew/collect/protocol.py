"""The rules of the protocol, without a database: settings, what a text may be, types of examples, and refusals.

The defaults of the settings are those of Adversarial VQA (Li et al. 2021), each with its place in the paper. Text
that people and models wrote is limited in length, stored as it is, and compared in a normalised form. The type of an
example is A to E as in the paper's Fig. 8, for any number of verifiers; U is for a question that never became an
example.

Each error has a sentence for the person who tried a step:

AskewError
├── NotAllowed    this person may not do this (excluded, not the author, not an owner)
├── Refused       the input cannot be accepted as it is (too long, a duplicate, no answer given)
├── Gone          no longer possible: the lease has expired, the question was judged already, the round is frozen
└── DatabaseBusy  the database stayed locked
"""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from askew.answers.normalise import clean, normalise, tokens
from askew.engine.settings import check_whole
from askew.errors import AskewError, BadOption
from askew.registry import convert


class NotAllowed(AskewError):
    """This person may not do this."""


class Refused(AskewError):
    """The input cannot be accepted as it is."""


class Gone(AskewError):
    """It was possible before, but no longer is."""


class DatabaseBusy(AskewError):
    """The database stayed locked for too long."""


LowQualityRule = Literal["fig8", "text"]
AuthorConfidence = Literal["implicit_yes", "ask", "exclude"]
LEAST_QUIZ_ITEMS, MOST_QUIZ_ITEMS = 8, 40


def whole(default: int, least: int = 1, most: int | None = None) -> Any:
    """A field of whole numbers within bounds, which ``check_fields`` checks."""
    return field(default=default, metadata={"least": least, "most": most})


def check_fields(settings: Any) -> None:
    """Raise BadOption if a field of a dataclass has a value of another type, or out of its bounds."""
    kinds = get_type_hints(type(settings))
    for one in fields(settings):
        value, kind = getattr(settings, one.name), kinds[one.name]
        if kind is int:
            check_whole(one.name, value, one.metadata.get("least", 1))
            most = one.metadata.get("most")
            if most is not None and value > most:
                raise BadOption(f"{one.name} is {value}; it can be at most {most}.")
        elif kind is bool and not isinstance(value, bool):
            raise BadOption(f"{one.name} is {value!r}; it must be true or false.")
        elif get_origin(kind) is Literal and value not in get_args(kind):
            raise BadOption(f"{one.name} is {value!r}; known: {', '.join(get_args(kind))}.")
        elif kind is str and not value:
            raise BadOption(f"{one.name} must not be empty.")


Settings = TypeVar("Settings")


def changed(settings: Settings, changes: Mapping[str, str], noun: str = "setting") -> Settings:
    """The settings with some fields changed, as people typed them; unknown names and wrong values raise BadOption."""
    kinds = get_type_hints(type(settings))
    values: dict[str, Any] = {}
    for name, text in changes.items():
        if name not in kinds:
            raise BadOption(f"There is no {noun} {name!r}. {noun.capitalize()}s: {', '.join(kinds)}.")
        values[name] = convert(name, text, kinds[name])
    replaced: Settings = dataclasses.replace(settings, **values)  # type: ignore[type-var]
    return replaced


@dataclass(frozen=True)
class StudySettings:
    """How a study is run; fixed when its first round opens, and printed in the datasheet."""

    preset: str = "paper"
    """The preset it started from."""
    writers_per_image: int = whole(3)
    """Distinct people whose session on an image counts (section 3.1)."""
    verifiers_per_question: int = whole(9, 2)
    """Other people who answer a successful question (section 3.1)."""
    max_tries: int = whole(5)
    """Questions an annotator may ask about one image (section 3.1, Fig. 1)."""
    stop_at_first_success: bool = True
    """A session ends with the first answer that is judged definitely wrong (section 3.1)."""
    low_quality_rule: LowQualityRule = "fig8"
    """``fig8``: type D is excluded; ``text``: only what section 3.1's text removes, the rest of D counts as E."""
    author_confidence: AuthorConfidence = "implicit_yes"
    """How the author counts among the confident: as confident, as answered, or not at all."""
    train_share: int = whole(60)
    """Per cent of the verified examples, by image (section 3.1); dev and test follow."""
    dev_share: int = whole(10, 0)
    test_share: int = whole(30, 0)
    train_author_percent: int = whole(100, 1, 100)
    """Largest share of a round's train questions by one author, in per cent, if that can be met; 100: no cap."""
    writing_minutes: int = whole(20)
    """How long a person may hold an image without doing anything."""
    verifying_minutes: int = whole(10)
    """How long a person may hold a question to verify."""
    batch_minutes: int = whole(60)
    """How long a person may hold a batch of a survey without saving anything."""
    max_extensions: int = whole(12, 10)
    """How often any lease can be extended (WCAG 2.2.1 requires at least ten)."""
    question_length: int = whole(120)
    """Maximum length of a question, in characters."""
    answer_length: int = whole(60)
    """Maximum length of an answer, in characters."""
    reply_length: int = whole(2000)
    """How many characters of a robot's reply are kept."""
    model_retries: int = whole(2, 0)
    """How often a model that failed is called again before another one is drawn."""
    identity: str = "PROLIFIC_PID"
    """Which of the ids in a platform's link is the person; each has one account, also after its deletion."""
    owners_verify: bool = False
    """Whether owners may verify too; they can look up the answers of others."""
    flags_to_quarantine: int = whole(2)
    """Flags from this many people suspend a question until an owner decides."""
    reports_to_hide: int = whole(2)
    """Reports from this many people hide an image at once."""
    quiz_required: bool = False
    """Annotators get no work before they have passed the quiz."""
    quiz_items: int = whole(8, LEAST_QUIZ_ITEMS, MOST_QUIZ_ITEMS)
    """Judged examples in an attempt at the quiz (at least 8)."""
    quiz_pass_percent: int = whole(75, 1, 100)
    """The share of them that must be judged correctly."""
    quiz_attempts: int = whole(2)
    """How often a person may try."""
    gold_first_percent: int = whole(50, 0, 100)
    """How often a newcomer's next question is a gold one; the rate falls as the person proves accurate."""
    gold_least_percent: int = whole(5, 0, 100)
    """The rate falls no lower than this."""
    gold_good_percent: int = whole(85, 1, 100)
    """A person who answers this share of gold questions correctly is good."""
    gold_bad_percent: int = whole(50, 1, 100)
    """A person who answers only this share correctly is careless."""
    gold_mistake_percent: int = whole(2, 1, 100)
    """At most this share of the good people may ever be excluded by gold questions."""
    demonstration: bool = False
    """Simulated people work beside real ones, and what is released is no data; otherwise they never share a study."""
    gold_excludes: bool = True
    """Whether enough wrong answers to gold questions exclude an annotator at once; if not, owners decide."""

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0 < self.gold_bad_percent < self.gold_good_percent < 100:
            raise BadOption(
                f"gold_bad_percent is {self.gold_bad_percent} and gold_good_percent {self.gold_good_percent}; the "
                "first must be lower than the second, and both between 1 and 99."
            )
        if self.gold_least_percent > self.gold_first_percent:
            raise BadOption("gold_least_percent is larger than gold_first_percent; the rate only falls.")
        if sum(self.shares.values()) != 100:
            raise BadOption(f"train, dev and test have {self.shares} per cent; they must add up to 100.")

    @property
    def shares(self) -> dict[str, int]:
        """Per cent of each split."""
        return {"train": self.train_share, "dev": self.dev_share, "test": self.test_share}

    def dumps(self) -> str:
        """As JSON, for the database."""
        return json.dumps(asdict(self), sort_keys=True)

    @staticmethod
    def loads(text: str) -> StudySettings:
        """The settings in such a text."""
        return StudySettings(**json.loads(text))


NOT_PROTOCOL = ("preset", "identity")
"""Settings that a paper could not have."""
PRESETS: Mapping[str, StudySettings] = {
    "paper": StudySettings(),
    "small": StudySettings("small", writers_per_image=1, verifiers_per_question=2, owners_verify=True),
}
"""``paper``: three writers and nine verifiers; ``small``: one writer and two verifiers, for a team of three."""


def settings_of(preset: str, changes: Mapping[str, str] | None = None) -> StudySettings:
    """A preset with some of its settings changed; unknown names and wrong values raise BadOption.

    >>> settings_of("small", {"max_tries": "3"}).max_tries
    3
    >>> settings_of("small", {"tries": "3"})
    Traceback (most recent call last):
    askew.errors.BadOption: There is no setting 'tries'. Settings: preset, writers_per_image, ...
    """
    if preset not in PRESETS:
        raise BadOption(f"No preset is called {preset!r}. Known: {', '.join(PRESETS)}.")
    return changed(PRESETS[preset], changes or {})


def differences(settings: StudySettings) -> dict[str, tuple[Any, Any]]:
    """The settings that differ from the paper: name to (the paper's, ours).

    The defaults are the paper's; what it does not have, such as a quiz or a cap on an author's share, is off.

    >>> differences(PRESETS["small"])["writers_per_image"]
    (3, 1)
    """
    paper = StudySettings()
    pairs = {one.name: (getattr(paper, one.name), getattr(settings, one.name)) for one in fields(paper)}
    return {name: pair for name, pair in pairs.items() if name not in NOT_PROTOCOL and pair[0] != pair[1]}


def checked_text(text: str, most: int, what: str) -> str:
    """The text without surrounding whitespace, if it is acceptable; ``what`` names it in the error ("A question").

    >>> checked_text(" Is it red? ", 120, "A question")
    'Is it red?'
    >>> checked_text("", 120, "A question")
    Traceback (most recent call last):
    askew.collect.protocol.Refused: A question has 1 to 120 characters; this one has 0.
    """
    text = text.strip()
    if not 1 <= len(text) <= most:
        raise Refused(f"{what} has 1 to {most} characters; this one has {len(text)}.")
    if any(unstorable(char) for char in text):
        raise Refused(f"{what} must be plain text; this one has characters that cannot be shown.")
    return text


def stored_reply(text: str, most: int) -> str:
    """A model's reply as it can be stored: at most ``most`` characters, none that a database refuses.

    >>> stored_reply("red" + chr(0), 2)
    're'
    """
    return "".join("�" if unstorable(char) else char for char in text[:most])


def unstorable(char: str) -> bool:
    """True for NUL and lone surrogates, which a database refuses."""
    return char == "\0" or "\ud800" <= char <= "\udfff"


def same_question(text: str) -> str:
    """A form that is equal for questions that differ only in case, spaces and punctuation; empty if there are no words.

    >>> same_question("Is it  RED?"), same_question("?!")
    ('is it red', '')
    """
    return " ".join(tokens(text))


def same_answer(text: str) -> str:
    """A form that is the same for equal answers: normalised as by the VQA evaluator, or the text if nothing is left.

    >>> same_answer("The two dogs."), same_answer("A")
    ('2 dogs', 'a')
    """
    return normalise(text) or clean(text).lower()


@dataclass(frozen=True)
class Verdicts:
    """The judgement and the normalised answers to one question."""

    verdict: str | None
    """The author's judgement of the robot's answer; None if there is none."""
    robot: str
    """The robot's answer."""
    author: str = ""
    """The author's correct answer, if the robot was wrong."""
    author_confidence: str | None = None
    verifiers: Sequence[str] = ()
    """The verifiers' answers."""
    confidences: Sequence[str] = ()
    """yes, maybe or no for each verifier."""


def example_type(verdicts: Verdicts, settings: StudySettings) -> str:
    """A: the robot was correct; B: the author was not sure; C: verifiers overrule the author; E: two verifiers agree;
    D: no two do; U: no judgement, or verifiers are missing.

    C is decided before E, since those who agree with the robot also agree with each other. Under the rule ``text``
    a D that section 3.1's text would keep is an E.

    >>> nine = PRESETS["paper"]
    >>> example_type(Verdicts("wrong", "red", "blue", None, ["red"] * 4 + list("abcde"), ["yes"] * 9), nine)
    'C'
    >>> example_type(Verdicts("wrong", "red", "blue", None, ["red"] * 3 + list("abcdef"), ["yes"] * 9), nine)
    'E'
    """
    if verdicts.verdict is None:
        return "U"
    if verdicts.verdict != "wrong":
        return "A" if verdicts.verdict == "correct" else "B"
    if len(verdicts.verifiers) != settings.verifiers_per_question:
        return "U"
    if 3 * verdicts.verifiers.count(verdicts.robot) > len(verdicts.verifiers):
        return "C"
    if largest_group(verdicts.verifiers) >= 2:
        return "E"
    if settings.low_quality_rule == "text" and not text_rule_removes(verdicts, settings):
        return "E"
    return "D"


def text_rule_removes(verdicts: Verdicts, settings: StudySettings) -> bool:
    """Section 3.1's text: fewer than 6 of 10 are confident, and no two of the 10 answers agree.

    For v verifiers: fewer than 0.6 (v + 1). The author counts as confident, having called the robot *definitely* wrong,
    unless the study asked (``ask``) or leaves the author out (``exclude``).
    """
    confident = list(verdicts.confidences).count("yes")
    if settings.author_confidence == "implicit_yes" or (
        settings.author_confidence == "ask" and verdicts.author_confidence == "yes"
    ):
        confident += 1
    answers = [verdicts.author, *verdicts.verifiers]
    return 10 * confident < 6 * len(answers) and largest_group(answers) < 2


def largest_group(answers: Sequence[str]) -> int:
    """The size of the largest group of equal answers.

    >>> largest_group(["red", "blue", "red"]), largest_group([])
    (2, 0)
    """
    return max(map(answers.count, answers), default=0)  # for ten answers, faster than a Counter
