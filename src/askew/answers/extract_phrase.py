"""A phrase without what surrounds the short answer in it, by the kind of answer that a question asks for.

In a description of an image, the nouns that it names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from askew.answers.extract_frame import Kind, is_doing
from askew.answers.extract_reply import opened, unquoted
from askew.answers.extract_rules import rules
from askew.answers.extract_words import word_set
from askew.answers.normalise import tokens
from askew.language.inflect import base
from askew.language.tagger import Tagger


def trimmed(question: str, kind: Kind, phrase: str) -> str:
    """The short answer in a phrase; trimmed again until it no longer changes, so that extraction is idempotent.

    >>> trimmed("What has he?", "thing", "a cup of tea in his hand"), trimmed("Where?", "place", "in the yard, I think")
    ('cup of tea', 'in the yard')
    >>> trimmed("What does it say?", "text", 'the word "Stop" in white letters')
    'stop'
    """
    for _ in range(8):
        before, phrase = phrase, _trimmed(question, kind, phrase)
        if phrase == before:
            break
    return phrase.lower()


def _trimmed(question: str, kind: Kind, phrase: str) -> str:
    if (value := of_form(question, phrase)) is not None:
        return value
    if kind == "text" or _NAME_ASKED.search(question):
        quoted = ["".join(found) for found in _QUOTED.findall(phrase)]
        if quoted:
            return quoted[0].strip(" .,!") if len({*quoted}) == 1 else ""
    if kind == "text" and not phrase.lower().startswith(("a ", "an ")):
        return unquoted(ARTICLE.sub("", _IN_LETTERS.sub("", phrase)))
    phrase = _HEDGES.sub("", opened(phrase))
    if kind == "colour":
        return _colour(question, phrase)
    phrase = several[0] if (several := _LIST.match(phrase)) is not None else _ENDS.split(phrase, maxsplit=1)[0]
    phrase = unquoted(_REMARK.sub("", phrase))
    if kind in ("thing", "who", "text"):
        phrase = _without_place(question, _PAIR_OF.sub("", phrase))
    elif kind == "doing":
        phrase = _without_place(question, phrase, 1)
    phrase = ARTICLE.sub("", unquoted(phrase))
    return _without_kind(question, phrase)


def of_form(question: str, phrase: str) -> str | None:
    """The only value of the form that a question asks for: a time, a price, a measure."""
    if question.lower().startswith("what") and (equals := _EQUALS.search(phrase)) is not None:
        return equals[1]
    for asked, value in _TYPED:
        if asked.search(question) and len(values := {*value.findall(phrase)}) == 1:
            return str(values.pop())
    return None


def _without_place(question: str, phrase: str, least: int = 0) -> str:
    """A thing without where it is or what it does: "surfboard" from "a surfboard under his arm"."""
    words = phrase.split()
    least = least or next((at for at, word in enumerate(words) if word.lower() not in _LEADING), 0)
    for at in range(least + 1, len(words)):
        word, after = words[at].lower(), words[at + 1].lower() if at + 1 < len(words) else ""
        does = words[at].islower() and is_doing(word) and words[at - 1].lower() not in _LEADING
        does = does and (after in _FOLLOWS | _PLACES or words[at - 1].endswith("s"))
        is_place = word in _PLACES and not (is_doing(words[at - 1].lower()) and at == 1)
        if (is_place and not _ON_SIDE.match(" ".join(words[at:]))) or does or word in _AFTER:
            return " ".join(words[:at])
    return phrase


def _without_kind(question: str, phrase: str) -> str:
    """The phrase without the kind that a question names: "oval" from "oval shape", "wood" from "wood material"."""
    kind = _KIND_ASKED.search(question)
    if kind and phrase.lower().endswith(f" {kind[1].lower()}"):
        return re.sub(r" in$", "", phrase[: -len(kind[1]) - 1])
    return phrase


def _colour(question: str, phrase: str) -> str:
    """Only the colour, if a phrase also names the object: "blue" from "wearing a blue shirt".

    >>> _colour("What color is it?", "a red octagon with white letters"), _colour("", "a pattern in pink and tan")
    ('red', 'pink and tan')
    """
    words = tokens(_LIKE.sub("", phrase))
    asked = {*tokens(question)}
    runs = _runs(words, rules().colours - asked)
    if len(runs) > 1 and "colors" in asked | {word.replace("colour", "color") for word in asked}:
        return " and ".join(runs)
    if not runs:
        return unquoted(re.sub(r"^(?:an?|the) | colou?r$", "", _ENDS.split(phrase, maxsplit=1)[0])).lower()
    for run in runs:  # beside the thing that is asked about: "a red bus near a blue car"
        last = run.split()[-1]
        for at, word in enumerate(words[:-1]):
            if word == last and words[at + 1] in asked - rules().little - rules().relations - {"color", "colour"}:
                return run
    return runs[0]


def _runs(words: Sequence[str], colours: Set[str]) -> list[str]:
    """The colours named in a row: "pink and green", "red or tan", "dark blue".

    >>> _runs(("a", "dark", "blue", "hat", "in", "red", "and", "tan"), {"blue", "red", "tan"})
    ['dark blue', 'red and tan']
    """
    shades = rules().shades - {"with", "of", "by", "some"}
    runs: list[str] = []
    run: list[str] = []
    for word in (*words, ""):
        is_colour = word in colours or (word.endswith("ish") and word in shades) or word.partition("-")[2] in colours
        if is_colour or (run and word in (*shades, "or")) or word in _MODIFIERS:
            run.append(word)
            continue
        while run and run[-1] in _JOINING:
            run.pop()
        if run:
            runs.append(" ".join(run))
        run = []
    return runs


_MODIFIERS = ("dark", "light", "bright", "pale", "deep")
_JOINING = (*_MODIFIERS, "and", "or", "with", "very", "a", "mostly", "solid", "plain", "shades", "shade", "tones")
_QUOTED = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|(?<![\w])['‘]([^'’\n]+)['’](?!\w)")
_NAME_ASKED = re.compile(r"\b(?:brand|name|called|author|store|website|sign|label|logo|team)\b", re.IGNORECASE)
ARTICLE = re.compile(r"^(?:(?:an?|the)\s+)+(?=\w)", re.IGNORECASE)
_PAIR_OF = re.compile(
    r"^(?:an?|some) (?:pair|kind|sort|type|set) of (?=\w)|^(?:his|her|its|their|my|your|some|being) (?=\w)",
    re.IGNORECASE,
)
_HEDGES = re.compile(
    r"^(?:(?:what (?:appears|seems|looks) (?:to be|like)|(?:most |very |quite )?(?:likely|probably)|possibly"
    r"|perhaps|maybe|"
    r"presumably|definitely|clearly|actually|in fact|like|(?:sort ?of|sorta|kind ?of|kinda)(?: like)?|called"
    r"|named|known as),? )+(?=\w)",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r",? (?:i (?:think|guess|believe|suppose)|probably|most likely|presumably|as well|too|here|nearby|instead"
    r"|to me|by the looks? of it"
    r"|(?:shown |seen |visible )?(?:in|from) (?:the|this) (?:image|picture|photo|photograph|scene)|shown|visible)$",
    re.IGNORECASE,
)
_ITEM = (
    r"(?!(?:with|which|who|where|while|in|on|at|near|next|but|not|so|as|it|he|she|they|there|\w+ing)\b)"
    r"[\w'’-]+(?: [\w'’-]+){0,3}"
)
_LIST = re.compile(
    rf"\w+(?:, \w+){{1,3}}$|{_ITEM}(?:, {_ITEM})+,? (?:and|&) {_ITEM}(?=$|[,;.(])|{_ITEM} (?:and|&) {_ITEM}$",
    re.IGNORECASE,
)
_ENDS = re.compile(
    r",\s+(?!\d{4}\b)|\s\(|\s(?:because|since|while|although|but|which|where|when|so|rather than|instead of"
    r"|according to|based on|due to)\b",
    re.I,
)
_IN_LETTERS = re.compile(r" in (?:\w+ ){0,3}(?:letters|letter|font|type|print|text|capitals)\b.*$", re.IGNORECASE)
_LIKE = re.compile(r"\b(?:like|as|than) (?:an?|the)\b.*", re.IGNORECASE)
_LEADING = word_set("something someone a an the some his her its their in on of at from")
_PLACES = word_set(
    "in on at under behind beside next near above below from with by inside into around across against along "
    "between over through beneath underneath outside onto for to down"
)
_FOLLOWS = word_set("a an the his her its their in on at from next near to with down by up") | {""}
_AFTER = word_set("is are was visible shown nearby here there located placed parked that which who")
_ON_SIDE = re.compile(r"on the (?:far )?(?:left|right)\b")
_KIND_ASKED = re.compile(
    r"\b(?:what|which)(?:['’]s| is| are)?(?: the)?(?: kind of| type of)? (shape|size|style|material|pattern"
    r"|brand|flavou?r|breed)\b",
    re.IGNORECASE,
)
_EQUALS = re.compile(r"=\s*(-?\d+(?:\.\d+)?(?: ?\w{1,4})?)\s*$")
_UNITS = (
    r"(?:km/h|kg|kilos?|kilograms?|g|grams?|lbs?|pounds?|oz|ounces?|cm|centimet(?:er|re)s?|mm|m|met(?:er|re)s?"
    r"|km|kilomet(?:er|re)s?"
    r"|miles?|feet|foot|ft|inch(?:es)?|yards?|mph|kmh|ml|l|lit(?:er|re)s?|gallons?|°\s?[cf]?"
    r"|degrees?(?: celsius| fahrenheit)?"
    r"|%|percent|years?(?: old)?|months?(?: old)?|weeks?|days?|hours?|minutes?|seconds?|dollars?|euros?|cents?"
    r"|watts?|volts?|calories|kcal)"
)
_TYPED = (
    (
        re.compile(
            r"\b(?:weight|height|length|width|speed|temperature|age|size|volume|distance|depth|capacity|weigh)\b"
            r"|^how (?:tall|long|heavy|fast|far|old|high|hot|cold|wide|deep)\b",
            re.I,
        ),
        re.compile(rf"\d+(?:[.,]\d+)?\s?{_UNITS}(?!\w)", re.I),
    ),
    (re.compile(r"\bwhat number\b|\bnumber (?:of the|on)\b", re.I), re.compile(r"(?<![\w.])\d+(?![\w.])")),
    (
        re.compile(r"\b(?:which|what) (?:hand|side|arm|foot|leg|ear|eye)\b", re.I),
        re.compile(r"\b(?:left|right)\b", re.I),
    ),
    (
        re.compile(r"\b(?:what|which) shape|\bshape of\b", re.I),
        re.compile(
            r"\b(?:round|circular|circle|oval|square|rectangular|rectangle|triangular|triangle|octagonal"
            r"|octagon|hexagonal|hexagon"
            r"|cylindrical|spherical|conical|star|heart|diamond)\b",
            re.I,
        ),
    ),
    (re.compile(r"\b(?:what|which) year\b", re.I), re.compile(r"\b(?:1[5-9]|20)\d\d\b")),
    (re.compile(r"\b(?:what|which) season\b", re.I), re.compile(r"\b(?:spring|summer|autumn|fall|winter)\b", re.I)),
    (
        re.compile(r"\bwhat time (?!of)|\bclock (?:say|show|read)", re.I),
        re.compile(r"\b\d{1,2}:\d{2}(?: ?[ap]\.?m\b)?|\b\d{1,2} ?[ap]\.?m\b|\b\w+ o'clock", re.I),
    ),
    (
        re.compile(r"\bwhat time (?!of)|\bclock (?:say|show|read)", re.I),
        re.compile(r"\b(?:quarter|half|ten|twenty|five)(?: minutes)? (?:past|to|after|before) \w+", re.I),
    ),
    (re.compile(r"\bhow much\b.*\b(?:cost|price|for)\b|\bprice\b", re.I), re.compile(r"[$€£]\d+(?:[.,]\d+)?")),
)
"""Questions whose answers have a form of their own, and that form: times and prices."""


def known_nouns(words: str, known: Set[str]) -> Sequence[str]:
    """The known nouns of a description, each as often as it occurs; in the singular, unless they are known as they are.

    A noun with a capital is not found (*sic*), unless it is known so, as TV is.

    >>> known_nouns("Dogs and two cats watch TV. A cat can run.", {"cat", "dog", "TV", "can"})
    ['cat', 'TV', 'cat']
    """
    nouns = [token for token in Tagger().tags([words])[0] if token.is_noun]
    found = (one.text if one.text in known else base(one.text, one.tag) if one.text.islower() else "" for one in nouns)
    return [noun for noun in found if noun in known]
