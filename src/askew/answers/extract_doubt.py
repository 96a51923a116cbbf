"""Answers to open questions that rest on too weak a cue, and are counted as no short answer instead.

A sentence may be about another thing than the question ("The car is next to a red bus"), say of it what was not asked
("The dog is brown" to where it is), or name something whose answer it then leaves open.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

from askew.answers.extract_phrase import COLOUR_ASKED, open_answer
from askew.answers.extract_reply import emphasised, first_sentence, opened, sentences
from askew.answers.extract_rules import rules
from askew.answers.extract_words import LINKS, PEOPLE, PRONOUNS, denies, stem
from askew.answers.normalise import tokens
from askew.language.inflect import number_of


def doubtful(question: str, answer: str, words: str) -> bool:
    """Whether an answer extracted from these words may not answer the question.

    >>> doubtful("What color is the car?", "red", "The car is next to a red bus.")
    True
    >>> said = ("The man is holding a cup.", "The woman is holding a cup.")
    >>> [doubtful("What is the man holding?", "cup", words) for words in said]
    [False, True]
    """
    sentence = first_sentence(opened(words))
    if _LEFT_OPEN.search(opened(words)) or _REASONING.search(sentence):
        return True
    if COLOUR_ASKED.search(question):
        return _of_another_thing(question, answer, tokens(sentence))
    if len(tokens(sentence)) <= _SHORT:
        return False
    if _THING_OF_ASKED.match(question) and (said := _THE_IS.match(sentence)) is not None:
        subject, rest = {*map(stem, tokens(said["subject"]))}, tokens(said["rest"])
        asked = {stem(word) for word in tokens(question)}
        is_noun = rest[0] in _NOUN_MARKS or stem(rest[0]) in asked or rest[0] in ("about", "likely", "probably", "also")
        if subject <= asked | {"content", "thing", "object", "item"} and not is_noun and number_of(rest[0]) is None:
            return True
    return _of_another_person(question, tokens(sentence)) or _of_another_kind(question, answer, sentence)


def is_clear(question: str, answer: str, words: str) -> bool:
    """Whether an answer extracted from these words is one, and short: not the article of a sentence that is cut off."""
    if (answer in _ARTICLES and len(tokens(words)) > 1) or answer.startswith("too "):
        return False
    if _DESCRIBES.match(words) and _DOING_OF.search(question) and _covers_none(question, words):
        return False
    return not doubtful(question, answer, words) and _is_short(question, answer)


@lru_cache(maxsize=1 << 10)
def clearest(question: str, text: str, words: str) -> tuple[str, str]:
    """The answer, and the part of the text it is from: all, unless only another part gives a clear one.

    ``words`` is the reply with its markup; what only is in bold is the answer.

    >>> said = "The short hand is at 3 and the long hand at 12, so it is 3:00."
    >>> clearest("What time is it?", said, said)
    ('3:00', 'it is 3:00')
    """
    first = open_answer(question, text)
    if not first or len(tokens(text)) <= _SHORT:
        return first, text
    if bold := emphasised(words):
        answer = open_answer(question, bold)
        if is_clear(question, answer, bold) and stem(answer) not in {stem(word) for word in tokens(question)}:
            return answer, bold
    units = _units(text)
    clear = is_clear(question, first, text)
    joint = units[1][0] if len(units) > 1 else ""
    value = _relevance(question, units[0], joint) if units else 0
    if _STEPS.match(text) and len(units) > _ABOUT:
        clear, units = False, [units[0], *reversed(units[1:])]
    if clear and value >= _ABOUT:
        return first, text
    best, least = (first, text), value if clear else 0
    if not clear and units and value >= _ABOUT and not _STEPS.match(text) and not _LEFT_OPEN.search(text):
        answer = open_answer(question, units[0][1])
        if answer and is_clear(question, answer, units[0][1]):
            return answer, units[0][1]
    for unit in units[1:]:
        worth = _relevance(question, unit, None)
        if worth > max(least, 0 if _STEPS.match(text) else 1):
            answer = open_answer(question, unit[1])
            if answer and is_clear(question, answer, unit[1]):
                best, least = (answer, unit[1]), worth
                if _STEPS.match(text):
                    break
    return best if least > 0 or not units or len(tokens(units[0][1])) <= _MOST else (first, "")


def _is_fragment(words: Sequence[str]) -> bool:
    """Whether words are no sentence: few, without a verb that is known, and no subject that does something."""
    known = rules()
    does = len(words) > _SHORT + 1 and words[0] in {"the", *PRONOUNS} and known.relations.isdisjoint(words)
    return len(words) <= _MOST and {*words}.isdisjoint(known.auxiliaries | LINKS) and not does


def _units(text: str) -> Sequence[tuple[str, str]]:
    """The clauses of a text, each with what joins it to the one before.

    >>> _units("Two rows of seats; the aisle is empty, so it is a bus.")
    [('', 'Two rows of seats'), ('', 'the aisle is empty'), (', so ', 'it is a bus')]
    """
    units = []
    for sentence in sentences(text):
        parts = _JOINTS.split(sentence)
        units += [("", parts[0]), *zip(parts[1::2], parts[2::2], strict=True)]
    return [(joint, part.strip()) for joint, part in units if part and part.strip()]


def _relevance(question: str, unit: tuple[str, str], next_joint: str | None) -> int:
    """How likely a clause is the one that answers: it says something about what is asked, or concludes.

    ``next_joint``: for the first clause, what joins the next one to it.
    """
    joint, clause = unit
    words, asked = tokens(clause), _asked_words(question)
    said = {*map(stem, words)}
    is_end = joint.startswith(":") and len(words) <= _SHORT
    concludes = _ABOUT if is_end or _CONCLUDES.search(joint) or _CONCLUDES.match(clause) else 0
    if next_joint is not None and _is_fragment(words):
        return 0 if next_joint.startswith(":") else _ABOUT + 1
    if _DESCRIBES.match(clause) and not (asked and asked <= said):
        return 1
    if _OTHER.match(clause):
        return 0
    if asked and asked <= said:
        return 2 * _ABOUT + concludes
    head = _HEAD.search(question)
    if head and stem(head[1].lower()) in [stem(word) for word in words[:_SHORT]]:
        return _ABOUT + concludes
    if _IT_IS.match(clause) or clause.lower().startswith(("there", "he ", "she ", "it ", "they ", "i ", "you")):
        return _ABOUT + concludes
    share = len(asked & said) / max(1, len(asked))
    about = _ABOUT if share >= 1 / 2 and (head is None or stem(head[1].lower()) in said) else 1 if share else 0
    return about + concludes


def _asked_words(question: str) -> set[str]:
    small = rules().little | rules().auxiliaries
    return {stem(word) for word in tokens(question)[1:] if word not in small}


def _covers_none(question: str, text: str) -> bool:
    """Whether a first sentence, no short answer, has none of the question's words or describes the whole image."""
    said = tokens(first_sentence(text))
    if _DESCRIBES.match(text):
        return _asked_words(question).isdisjoint(map(stem, said)) or len(sentences(text)) > 1
    return len(said) > _MOST - 1 and _asked_words(question).isdisjoint(map(stem, said))


def _of_another_thing(question: str, answer: str, said: Sequence[str]) -> bool:
    """Whether a colour is said of something else: "The car's wheels are black" of the car."""
    known = rules()
    colours = [word for word in tokens(answer) if word in known.colours | known.shades]
    if len(said) <= _SHORT and not any(map(denies, said)):
        return False
    if not colours or colours[0] not in said or colours[-1] not in said:
        return True
    first, last = said.index(colours[0]), said.index(colours[-1])
    things = _asked_things(question)
    others = known.colours - {*tokens(question)}
    coloured = [word for word, after in pairwise(said) if word in others and stem(after) in things]
    denied = [after for word, after in pairwise(said) if denies(word) and {word, stem(after)} & things]
    later = {*said[last + 1 :]}
    if (
        len(coloured) == 1
        and coloured == colours[-1:]
        and not denied
        and not {"no", "not"} & {*said[: said.index(coloured[0])]}
    ):
        return False
    if {*coloured} - {*colours} or denied or ("but" in later and later & known.colours):
        return True
    whole = frozenset() if re.search(r"\w['’]s ", question) else _WHOLE
    if not (things | whole).isdisjoint(map(stem, said[last + 1 : last + 3])):
        return _of_another_person(question, said)
    return _said_of_another(said[:first], things | whole)


def _said_of_another(before: Sequence[str], things: set[str]) -> bool:
    """Whether the words before a colour name another thing than these."""
    known = rules()
    small = known.little | known.auxiliaries | PRONOUNS | known.colours | known.shades | _LEADING
    verb = next((place for place in range(len(before) - 1, -1, -1) if before[place] in _COPULAS), None)
    if verb is None:
        denied = any(map(denies, before)) and "but" not in before
        return denied or "has" in before or not {stem(word) for word in before if word not in small} <= things
    between = before[verb + 1 : -1] if before[-1] == "in" else before[verb + 1 :]
    if (any(map(denies, between)) and "but" not in between) or not known.relations.isdisjoint(between):
        return True
    start = next((place + 1 for place in range(verb - 1, -1, -1) if before[place] in _JOINS), 0)
    subject = before[start:verb]
    end = next((place for place, word in enumerate(subject) if place and word in known.relations), len(subject))
    heads = [stem(word) for word in subject[:end] if word not in small]
    return bool(heads) and not any(heads[-1].startswith(thing) for thing in things)


def _asked_things(question: str) -> set[str]:
    """What the colour is asked of: the collar of "What color is the cat's collar?"."""
    asked = re.split(r"\bcolou?rs?\b|\w['’]s\b|s['’] ", question, flags=re.IGNORECASE)[-1]
    words = tokens(asked)
    end = next((place for place, word in enumerate(words) if place > 1 and word in rules().relations), len(words))
    return {stem(word) for word in words[:end]} - rules().little - rules().auxiliaries


def _of_another_person(question: str, said: Sequence[str]) -> bool:
    """Whether a sentence begins with a person that the question, which is about another, does not name."""
    people = [word for word in said[:3] if word in PEOPLE]
    asked = {*tokens(question)}
    return bool(people) and not PEOPLE.isdisjoint(asked) and asked.isdisjoint(people)


def _of_another_kind(question: str, answer: str, sentence: str) -> bool:
    """Whether an answer taken from a sentence is of another kind than asked: no place, no action, no thing."""
    known, words = rules(), tokens(answer)
    if not words or TEXT_ASKED.search(question):
        return '"' in answer
    if len(words) > 1 and words[0] in tokens(question) and sentence.lower().startswith(("the ", "a ")):
        return not {*words[:1]} <= known.little and sentence.lower().split(maxsplit=1)[1].startswith(answer)
    state = len(words) == 1 and words[0] in {*known.states, *known.contrasts, *_STATES} | known.colours
    before = _before(answer, sentence.lower())
    is_said = any(_IS.search(part) for part in before)
    is_a = any(_IS_A.search(part) for part in before)
    if _NAME_ASKED.search(question):
        return (
            (is_a and "brand" not in tokens(question))
            or (is_said and state)
            or words[-1] in {*tokens(question), "logo"}
        )
    if _PLACE_ASKED.match(question) and is_a and known.relations.isdisjoint(words):
        return True
    if _PLACE_ASKED.match(question):
        return is_said and (state or words[0].endswith("ing")) and words[0] not in _PLACES
    if _DOING_ASKED.search(question):
        return not any(word.endswith("ing") for word in words)
    if not _THING_ASKED.match(question):
        return False
    if words[0] in _PREPOSITIONS and _PLACE_NOUN.search(question) is None:
        return True
    if "than" in words or (_COMPARED.search(question) and _COMPARED.fullmatch(answer)):
        return True
    if is_said and ((words[0].endswith("ing") and not words[0].endswith("thing")) or _PARTICIPLE.match(answer)):
        return True
    return is_said and state and _OF_PLACE_OR_PERSON.match(question) is not None


def _before(answer: str, sentence: str) -> Sequence[str]:
    """What stands before each occurrence of an answer as words of a sentence.

    >>> _before("red", "the red one is red, reddish")
    ['the ', 'the red one is ']
    """
    starts, found = 0, []
    while answer and (at := sentence.find(answer, starts)) >= 0:
        starts = at + 1
        if not (answer[-1:].isalnum() and sentence[at + len(answer) : at + len(answer) + 1].isalnum()):
            found.append(sentence[:at])
    return [part for part in found if part.endswith(" ")]


def _is_short(question: str, answer: str) -> bool:
    """Whether an answer is a few words, and no sentence about something else.

    >>> question = "What is on the table?"
    >>> [_is_short(question, said) for said in ("vase and book", "nothing", "it costs 3.50", "let me think", "{vase")]
    [True, True, False, False, False]
    """
    words = tokens(answer)
    known = rules()
    content, asked = {*words} - known.little - known.relations, {*tokens(question)}
    if not {"or", "which"} & asked and (len(content & asked) > 1 or (content and content <= asked)):
        return False
    if TEXT_ASKED.search(question) is not None:
        return True
    if not words or len(words) > _MOST or _CODE.search(answer):
        return False
    said = {*words[:1]} & {"not", "no"} or {
        word for word in words if word in rules().clause or word.endswith(("n't", "n’t"))
    }
    is_participle = words[0].endswith("ing") and words[1:] and not _DOING.search(question)
    if COLOUR_ASKED.search(question) and len(words) > 2 and rules().colours.isdisjoint(words):
        return False
    return len(words) < 2 or not (said or is_participle)


_MOST = 7
_DOING = re.compile(r"\b(?:do|doing|happening|going on|activity|sport|action|hobby)\b", re.IGNORECASE)
_CODE = re.compile(r"[{}<>|\\→=]|https?:")
_ARTICLES = ("a", "an", "the", "of", "is", "to", "something", "someone", "object", "item", "thing", "certainly", "sure")
_DOING_OF = re.compile(
    r"^(?:what|who|which)\b.*\b(?!thing|king|ring|wing)\w+ing\b|^where (?:is|are) the\b|^what(?:['’]s| is"
    r"| are) (?:in|on|behind|under|above|below|inside|next to|near|beside) the\b",
    re.IGNORECASE,
)
_ABOUT = 2
_THING_OF_ASKED = re.compile(
    r"what(?:['’]s| is| are)(?: \w+)? (?:in|on|behind|under|above|below|inside|next to|near|beside|to the)\b"
    r"|what (?:is|are) .*\b(?!do)\w+ing\b",
    re.IGNORECASE,
)
_THE_IS = re.compile(r"(?:the|this|that) (?P<subject>[\w'’ -]+?) (?:is|are|was|were) (?P<rest>\w.*)$", re.IGNORECASE)
_NOUN_MARKS = frozenset(
    ("a", "an", "the", "some", "his", "her", "its", "their", "several", "many", "called", "not", "being")
)
_STEPS = re.compile(r"(?:step (?:1|one)\b|first,|let me\b|let['’]s\b|reasoning:|thinking:)", re.IGNORECASE)
_OTHER = re.compile(r"(?:the )?(?:others?|another|rest)\b", re.IGNORECASE)
_HEAD = re.compile(r"colou?rs? (?:is|are|was|were) (?:the|his|her|its|their) (?:\w+['’]s )?(\w+)", re.IGNORECASE)
_JOINTS = re.compile(
    r"([;:] |\s[-–—]+\s|, (?:and )?(?:so|which means(?: that)?|therefore|hence|thus) |,? (?:and|but|while|whereas) "
    r"(?=(?:the|its|his|her|it|they|he|she)\b))",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"[,:] *(?:and )?(?:so|therefore|hence|thus|which means)\b|(?:so|therefore|thus|hence|overall)\b", re.I
)
_IT_IS = re.compile(
    r"(?:instead,? )?(?:it|they|this|that|these|those)(?:['’]s|['’]re|['’]d be| is| are| looks?| appears?"
    r"| seems?)\b",
    re.IGNORECASE,
)
_DESCRIBES = re.compile(
    r"(?:the|this) (?:\w+ )?(?:image|picture|photo|photograph|scene) "
    r"(?:shows|depicts|captures|features|displays|contains|presents)\b|in (?:the|this) (?:image"
    r"|picture|photo),? there (?:is|are)\b",
    re.IGNORECASE,
)
_IS = re.compile(r"\b(?:is|are|was|were) $")
_IS_A = re.compile(r"\b(?:is|are|like) an? $")
_SHORT = 3
"""A reply of so few words is nothing but the answer."""
_COPULAS = frozenset(("is", "are", "was", "were", "appears", "appear", "seems", "seem", "looks", "look"))
_JOINS = frozenset(("and", "but", "while", "whereas"))
_LEADING = frozenset(
    (
        *("which", "main", "its", "his", "her", "their", "they're", "both", "all", "painted", "dressed", "mostly"),
        *("mainly", "but", "be", "to", "as", "i", "i'd", "describe"),
    )
)
_WHOLE = frozenset(
    ("color", "colour", "body", "exterior", "paint", "finish", "fur", "coat", "feather", "surface", "petal")
)
"""Words for what has a thing's colour."""
_STATES = ("empty", "hidden", "visible", "parked", "located", "closed", "open", "small", "large")
_PLACES = ("outside", "inside", "indoors", "outdoors", "above", "below", "upstairs", "downstairs")
_PREPOSITIONS = ("on", "in", "at", "under", "near", "between", "to", "with", "after", "behind", "beside", "next")
TEXT_ASKED = re.compile(r"^why\b|\b(?:say|says|read|reads|written|text|words|slogan|message)\b", re.IGNORECASE)
"""Questions whose answers may be sentences."""
_PLACE_ASKED = re.compile(r"where (?:is|are|was|were) (?:the|his|her|its|their)\b", re.IGNORECASE)
_DOING_ASKED = re.compile(r"\b(?:doing|happening|going on)\b", re.IGNORECASE)
_THING_ASKED = re.compile(r"(?:what|which|who)\b", re.IGNORECASE)
_NAME_ASKED = re.compile(r"\b(?:brand|name|called)\b", re.IGNORECASE)
_COMPARED = re.compile(r"\b\w{2,}(?<!oth)(?<!wat)(?<!und)er\b", re.IGNORECASE)
_PLACE_NOUN = re.compile(
    r"\b(?:side|direction|way|part|place|room|floor|location|position|time|day|month|year|season|hand|end|stage)\b"
    r"|\b(?:in|on|at|to|from|for|with)\?*$",
    re.IGNORECASE,
)
_PARTICIPLE = re.compile(
    r"(?:(?!made by)(?:\w+ed|made|driven|worn|held|seen)) (?:by|for|from|of|with|to|in|on|at)\b", re.IGNORECASE
)
_OF_PLACE_OR_PERSON = re.compile(
    r"who\b|(?:what|which)(?: is| are|['’]s)? (?:on|in|under|behind|next|beside|near|above|below|the \w+ \w+ing)\b"
    r"|.*\b(?:material|made of)\b",
    re.IGNORECASE,
)
_LEFT_OPEN = re.compile(
    r"\bbut (?:it|its \w+|they|that|this|the \w+|i)(?: is|['’]s| are|['’]re| cannot| can['’]t| do not| don['’]t)"
    r"(?: \w+){0,3} (?:legible|readable|visible|clear|known|seen|shown|read|make (?:it|them|that) out|hidden|blurry)"
    r"(?: here| from here| in (?:the|this) (?:image|picture|photo))?\s*(?:[.!;]|$)"
    r"|\bbut (?:i|we) (?:can(?:not|['’]t)|could(?: not|n['’]t)) (?:\w+ )?(?:read|make out)\b"
    r"|\b(?:no wait|wait, (?:no|it|that)|scratch that|on second thought|correction:)|[.,…] ?no, (?:it|that|an?|the)\b",
    re.IGNORECASE,
)
"""What is named is not the answer, or is taken back: "a tag, but it's not legible", "a lion... no, a tiger"."""
_REASONING = re.compile(
    r"\b(?:which|that) (?:(?:is|are) (?:\w+ )?(?:typical|characteristic|common)|suggests?|indicates?|implies)\b",
    re.IGNORECASE,
)
