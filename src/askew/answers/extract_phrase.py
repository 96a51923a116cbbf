"""The short answer in a reply to an open question: what a sentence says about its subject, or its first clause.

In a description of an image, the nouns that it names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from askew.answers.extract_rules import first_sentence, opened, rules, unquoted
from askew.answers.extract_yes_no import PRONOUNS, stem
from askew.answers.normalise import tokens
from askew.language.inflect import base
from askew.language.tagger import Tagger


def open_answer(question: str, text: str) -> str:
    """The short answer; extracted again until it no longer changes, so that extraction is idempotent.

    >>> open_answer("What is the man holding?", "The man is holding a tennis racket in his hand.")
    'tennis racket'
    """
    for _ in range(8):
        found = _phrase(question, text)
        if not found or found == text:
            break
        text = found
    return found or text


def _phrase(question: str, text: str) -> str:
    """What a sentence says about its subject, otherwise its first clause.

    >>> _phrase("Where is the cat?", "The cat is on the table, next to a cup.")
    'on the table'
    """
    sentence = _CONTRAST.sub("", _unlabelled(question, opened(first_sentence(opened(text)))))
    sentence = _HEDGE.sub("", _said_of_subject(question, sentence))
    starts = _LIST_START.match(sentence)
    clause = starts[0] if starts else sentence
    if not starts and len(sentence.split()) > 3 and not _LIST.fullmatch(sentence):
        clause = _CLAUSE.split(sentence, maxsplit=1)[0]
    for tail in _TAILS:
        clause = tail.sub("", clause)
    clause = _ARTICLE.sub("", _without_asked_place(question, unquoted(clause))).lower()
    return _colour(question, clause, text.lower()) if COLOUR_ASKED.search(question) else clause


def _unlabelled(question: str, sentence: str) -> str:
    """The sentence without a leading label made of the question's words: "red" from "Color: red"."""
    asked = {*tokens(question)} | rules().little
    for mark in (":", ","):
        label, found, rest = sentence.partition(mark)
        if found and rest[:1] == " " and {*tokens(label)} <= asked and (mark == ":" or _PLACE.match(f" {label}")):
            return rest.strip()
    before = _BEFORE_SUBJECT.match(sentence)
    return sentence[before.end() :] if before and {*tokens(before[0])} <= asked else sentence


def _said_of_subject(question: str, sentence: str) -> str:
    """What a sentence says about its subject; the subject itself if the rest only repeats the question."""
    if _NOTHING.search(sentence):
        return "nothing"
    sentence = _TO_BE.sub("it is ", sentence)
    if _SIDE_ASKED.search(question) and len(sides := {*_SIDE.findall(sentence.lower())}) == 1:
        return str(sides.pop())
    small = {*tokens(question)} | rules().little
    if (stands := _STANDS.match(sentence)) and {*tokens(stands["place"])} <= small:
        return stands["subject"]
    match = _COPULA.match(sentence) or _SHOWS.match(sentence)
    if match is None:
        is_sentence = len(sentence.split()) > 3 and _SUBJECT.match(sentence) is not None
        place = _PLACE.search(sentence) if is_sentence and _PLACE_ASKED.match(question) else None
        return place[0].strip() if place else _object(question, sentence)
    rest = _without_repeated(question, match["rest"])
    asked, small = {*tokens(question)}, {*rules().little, *rules().auxiliaries, "being"}
    subject = match.groupdict().get("subject") or ""
    new = {*tokens(subject)} - asked - small - {"which", "what", "one"}
    if new and {*tokens(match["rest"])} - small <= asked and subject.lower() not in PRONOUNS:
        return subject
    return rest or sentence


def _object(question: str, sentence: str) -> str:
    """What follows the verb, if the subject is that of the question: "a surfboard" from "The man holds a surfboard"."""
    small = rules().little | rules().auxiliaries | {*PRONOUNS, "his", "her", "its", "their"}
    asked = {stem(word) for word in tokens(question) if word not in small}
    words = sentence.split()
    for place, word in enumerate(words[1:6], 1):
        subject, rest = [one.lower() for one in words[:place]], words[place + 1 :]
        if not word.endswith("s") or not rest:
            continue
        if stem(word.lower()) in asked and subject[0] in {*PRONOUNS, "the", "a", "his", "her"}:
            return " ".join(rest)
        is_subject = {*map(stem, subject)} <= asked | {*map(stem, small)}
        if is_subject and rest[0].lower() in _DETERMINERS and not _DOING_ASKED.search(question):
            return " ".join(rest)
    return sentence


def _without_asked_place(question: str, phrase: str) -> str:
    """The phrase without what the question names at its end: "oval" from "oval shape".

    >>> _without_asked_place("What is in the sky?", "clouds in the sky"), _without_asked_place("Where?", "in the sky")
    ('clouds', 'in the sky')
    """
    kind = _KIND_ASKED.search(question)
    if kind and phrase.lower().endswith(f" {kind[1].lower()}"):
        return phrase[: -len(kind[0])]
    *_, last = ("", *tokens(question))
    if last in rules().relations | {"for", "to", "from"} and phrase.lower().startswith(f"{last} "):
        phrase = phrase[len(last) + 1 :]
    found = _AT_END.search(phrase)
    return phrase[: found.start()] if found and {*tokens("".join(found.groups("")))} <= {*tokens(question)} else phrase


def _colour(question: str, phrase: str, sentence: str) -> str:
    """Only the colour, if a phrase also names the object: "blue" from "wearing a blue shirt".

    >>> _colour("What color is it?", "red octagon with white letters", ""), _colour("", "pattern in pink and tan", "")
    ('red', 'pink and tan')
    """
    words, asked = tokens(phrase), {*map(stem, tokens(question))} - rules().little - {"color", "colour"}
    palette, new = rules().colours | rules().shades, rules().colours - {*tokens(question)}
    if new.isdisjoint(words) or "or" in words or {*words} <= palette:
        return _COLOURED.sub("", phrase)
    said = tokens(sentence)
    found = [place for place, word in enumerate(said[1:]) if said[place] in new and stem(word) in asked]
    before = said[found[0] - 1] if found and found[0] else ""
    if len(found) == 1 and before not in rules().colours | {"and"}:
        return f"{before} {said[found[0]]}" if before in _MODIFIERS else said[found[0]]
    runs = _runs(words, new)
    first = runs[0].split()
    followed = words[: len(first)] == (*first,) and words[len(first)] not in _JOINING
    return runs[0] if len(runs) == 1 or followed else phrase


def _runs(words: Sequence[str], colours: Set[str]) -> list[str]:
    """The colours named in a row: "pink and green", "dark blue".

    >>> _runs(("a", "dark", "blue", "hat", "in", "red", "and", "tan"), {"blue", "red", "tan"})
    ['dark blue', 'red and tan']
    """
    shades = rules().shades
    runs: list[str] = []
    run: list[str] = []
    for word in (*words, ""):
        if word in colours or (word in shades and word != "with" and (run or word in _MODIFIERS)):
            run.append(word)
            continue
        while run and run[-1] not in colours:
            run.pop()
        if run:
            runs.append(" ".join(run))
        run = []
    return runs


def _without_repeated(question: str, rest: str) -> str:
    """The text without leading words that the question already contains ("wearing a hat" for "wearing")."""
    if "or" in tokens(question):
        return rest
    asked = set(tokens(question)) - {*_PREPOSITIONS, "what"} | {*tokens(question)[-1:]}
    words = _MADE_OF.sub("made of", rest).split()
    while len(words) > 1 and words[0].lower().strip(",") in asked - {"not", "no"} | _ADVERBS:
        words = words[1:]
    return " ".join(words)


_DETERMINERS = ("a", "an", "the", "some", "his", "her", "its", "their", "two", "three", "several")
_DOING_ASKED = re.compile(r"\b(?:do|doing|happening|going on)\b", re.IGNORECASE)
_BEFORE_SUBJECT = re.compile(
    r"(?:in|on|at|behind|under|near|next to|beside|above|below)\b[^,;:]*? "
    r"(?=(?:there|it|he|she|they|the \w+) (?:is|are|has|have)\b)",
    re.IGNORECASE,
)
_STANDS = re.compile(
    r"(?P<subject>[^,;:]+?) (?:sits?|lies|lie|stands?|hangs?|rests?|(?:is|are) (?:sitting|lying|standing|hanging"
    r"|resting|placed|located|parked))\b (?P<place>[^,;:]+)$",
    re.IGNORECASE,
)
_COLOURED = re.compile(r"^colou?red | colou?r$")
_MODIFIERS = ("dark", "light", "bright", "pale", "deep")
_JOINING = ("with", "and", "or", "but")
_PREPOSITIONS = ("in", "on", "at", "under", "near")
_ADVERBS = frozenset(("all", "both", "also", "currently", "actually", "just", "still", "each"))
_KIND_ASKED = re.compile(r"(?<=what|hich) (shape|size|style|material)\b", re.IGNORECASE)
_SIDE = re.compile(r"\b(left|right)\b")
_SIDE_ASKED = re.compile(r"\bwhich (?:hand|side|arm|foot|leg|ear|eye)\b", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:the|an?|it|you|he|she|they|there|i|we|this|that|his|her|its|their)\b", re.IGNORECASE)
_PLACE_ASKED = re.compile(r"where\b", re.IGNORECASE)
_PLACE = re.compile(
    r" (?:in(?: front of|side)?|on(?: top of)?|at|under(?:neath)?|behind|next to|near|beside|between|above|below|by"
    r"|outside|against|over|around|along|across|to the (?:left|right) of)\b.*",
    re.IGNORECASE,
)
_AT_END = re.compile(
    r"(?<=\w)( \w+ing)? (?:from|in(?: front of)?|on(?: top of)?|at|behind|under|near|next to|beside|inside|above|below)"
    r" (?:the|his|her|its|their)( \w+)$",
    re.IGNORECASE,
)
_COPULA = re.compile(
    r"^(?:(?P<subject>it|this|that|there|he|she|they|these|those|you|we|i|what|(?:the|a|an|his|her|its|their|my|your|one"
    r"|both|some|all)\b[^,;:]*?|[\w'’-]+(?: [\w'’-]+){0,3}?)\s+(?:is|are|was|were"
    r"|(?:would|must|could|might|may)(?: \w+)? be|(?:appears?|seems?)(?: to (?:be|have been))?|looks?(?: like)?"
    r"|resembles?)|(?:it|that|there|he|she|they|these)['’](?:s|re))\b\s+"
    r"(?:(?:most )?likely |probably |possibly |clearly |currently |mostly |called |named )*(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"^(?:it|the [^,;:]*?)\s+(?:(?:shows|displays|indicates|says|reads)(?::|(?=\s[\"“'‘]|\s\d))"
    r"|(?:has|have) (?=an? [\w-]+(?: [\w-]+){0,2} (?:colou?r|shape|size|style)$))\s*(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"^(?:what (?:appears|seems|looks) (?:to be|like)|(?:it )?(?:could|might|may|must|would|should)(?: \w+)? be"
    r"|(?:most |very |quite )?(?:likely|probably)|possibly|perhaps|maybe|presumably),? (?=\w)",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"^.*?\b(?:not|isn['’]t|aren['’]t)\b[^,;]*[,;] (?:but(?: rather)?|rather|instead)?\s*(?=it\b|they\b)"
    r"|(?<=\w), (?:and )?not\b.*$|^not (?:an? |the )?[\w-]+(?: [\w-]+){0,2},? (?:but|rather)(?: rather)? ",
    re.I,
)
_NOTHING = re.compile(r"\b(?:is|are|does|do)(?: not|n['’]t) (?:\w+ )?anything$", re.IGNORECASE)
_ITEM = (
    r"(?!(?:with|which|who|where|while|in|on|at|near|next|but|not|so|as|it|he|she|they|there|because|although)\b)"
    r"[\w'’-]+(?: [\w'’-]+){0,3}"
)
_LIST = re.compile(
    rf"{_ITEM}(?:, {_ITEM})+,? (?:and|or|&) {_ITEM}|[\w'’-]+(?:, [\w'’-]+){{2,}}(?: [\w'’-]+)?", re.IGNORECASE
)
_LIST_START = re.compile(rf"{_ITEM}(?:, {_ITEM})+,? (?:and|&) {_ITEM}(?=$|[,;(])", re.IGNORECASE)
COLOUR_ASKED = re.compile(r"\b(?:what|which)(?: \w+)? colou?rs?\b", re.IGNORECASE)
_THING = re.compile(r"(?:\w+ing|\w+s|in|with|painted)\b.* ", re.IGNORECASE)
_CLAUSE = re.compile(
    r",\s+(?!and\b|or\b)|,\s+and (?=(?:the|its|his|her) [\w' ]+ (?:is|are)\b)|\s+[-–—]+\s+|:\s|\s\("
    r"|\s(?:because|which|while|although|though|but|since|as (?:it|he|she|they|there)|that (?:is|are|was|were|has|have)"
    r"|who (?:is|are)|and (?:it|he|she|they|there|is|are))\b",
    re.IGNORECASE,
)
_TAILS = (
    re.compile(r"(?:\s+(?:shown|seen|visible))?\s+in (?:the|this) (?:image|picture|photo|photograph|scene)$", re.I),
    re.compile(r"\s+in (?:his|her|its|their|the) (?:left |right )?hands?$", re.I),
    re.compile(r"\s+in (?:colou?r|shape|size|style)$|(?<=\w)[- ]colou?red$|\s+to me$", re.I),
)  # fmt: skip
_TO_BE = re.compile(r"^to (?:be|have been) ", re.IGNORECASE)
_MADE_OF = re.compile(r"\bmade (?:out of|from|up of)\b", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:an?|the)\s+(?=\w)", re.IGNORECASE)


def known_nouns(words: str, known: Set[str]) -> Sequence[str]:
    """The known nouns of a description, each as often as it occurs; in the singular, unless they are known as they are.

    A noun with a capital is not found (*sic*), unless it is known so, as TV is.

    >>> known_nouns("Dogs and two cats watch TV. A cat can run.", {"cat", "dog", "TV", "can"})
    ['cat', 'TV', 'cat']
    """
    nouns = [token for token in Tagger().tags([words])[0] if token.is_noun]
    found = (one.text if one.text in known else base(one.text, one.tag) if one.text.islower() else "" for one in nouns)
    return [noun for noun in found if noun in known]
