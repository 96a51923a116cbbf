"""The short answer in a reply to an open question: what a sentence says about its subject, or its first clause.

In a description of an image, the nouns that it names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence, Set

from askew.answers.extract_reply import first_sentence, opened, unquoted
from askew.answers.extract_rules import rules
from askew.answers.extract_value import TEXT_ASKED, stated_value
from askew.answers.extract_words import PEOPLE, PRONOUNS, is_of_asked, stem
from askew.answers.normalise import tokens
from askew.language.inflect import base
from askew.language.tagger import Tagger


def open_answer(question: str, text: str) -> str:
    """The short answer; extracted again until it no longer changes, so that extraction is idempotent.

    >>> open_answer("What is the man holding?", "The man is holding a tennis racket in his hand.")
    'tennis racket'
    """
    if (value := stated_value(question, text)) is not None:
        return value
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
    text = _IS_DOING.sub(r"\1 is ", _LOOKS.sub("", text))
    sentence = _CONTRAST.sub("", _NOT_BUT.sub(" ", _unlabelled(question, opened(first_sentence(opened(text))))))
    sentence = _HEDGE.sub("", _said_of_subject(question, sentence))
    starts = _LIST_START.match(sentence)
    clause = starts[0] if starts else sentence
    if not starts and len(sentence.split()) > 3 and not _LIST.fullmatch(sentence):
        clause = _CLAUSE.split(sentence, maxsplit=1)[0]
    for tail in _TAILS:
        clause = tail.sub("", clause)
    clause = _PAIR_OF.sub("", clause)
    if _THING_ASKED.match(question):
        clause = _TAKEN_IN.sub("", clause)
    if len(text.split()) > _LEAST + 1:
        clause = _without_place(question, clause)
        clause = _OWN.sub("", clause) if _THING_ASKED.match(question) else clause
    clause = _ARTICLE.sub("", _without_asked_place(question, unquoted(clause))).lower()
    return _colour(question, _MOSTLY.sub("", clause), text.lower()) if COLOUR_ASKED.search(question) else clause


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
    of_whom = _WHO_ASKED.match(question)
    passive = _PASSIVE.match(sentence) if of_whom else None
    if passive and {*tokens(passive["agent"])} <= {*tokens(question)} | rules().little:
        return passive["subject"]
    alone = _VERB_ALONE.match(sentence) if of_whom else None
    if alone and PRONOUNS.isdisjoint(tokens(alone["subject"])):
        return alone["subject"]
    if question.lower().startswith("who") and (by := _BY.search(sentence)) is not None:
        return by["rest"]
    if (measure := _MEASURE.search(sentence)) is not None and measure["kind"].lower() in tokens(question):
        return measure["rest"]
    match = _COPULA.match(sentence) or _SHOWS.match(sentence)
    if (
        match is None
        and (_PLACE_OF_ASKED.match(question) or "have" in tokens(question))
        and (has := _HAS.match(sentence)) is not None
    ):
        return _ON_IT.sub("", has["rest"])
    if match is None:
        is_sentence = len(sentence.split()) > 3 and _SUBJECT.match(sentence) is not None
        place = _PLACE.search(sentence) if is_sentence and _PLACE_ASKED.match(question) else None
        return place[0].strip() if place else _object(question, sentence)
    if _PLACE_OF_ASKED.match(question) and _SOME_DOING.match(sentence):
        return match["subject"]
    rest = _without_repeated(question, match["rest"])
    asked, small = {*tokens(question)}, {*rules().little, *rules().auxiliaries, "being"}
    subject = match.groupdict().get("subject") or ""
    people = PEOPLE if question.lower().startswith(("what", "where")) else frozenset()
    new = {*tokens(subject)} - asked - small - people - {"which", "what", "one"}
    said = tokens(match["rest"])
    end = next((at for at, word in enumerate(said) if at and word in rules().relations), len(said))
    start = {*said[:end]} - small - {"one", "ones"}
    if new and ({*said} - small <= asked or (start and start <= asked)) and subject.lower() not in PRONOUNS:
        return subject
    return rest or sentence


def _object(question: str, sentence: str) -> str:
    """What follows the verb, if the subject is that of the question: "a surfboard" from "The man holds a surfboard"."""
    if len(sentence.split()) < _LEAST:
        return sentence
    small = rules().little | rules().auxiliaries | {*PRONOUNS, "his", "her", "its", "their"}
    asked = {stem(word) for word in tokens(question) if word not in small}
    if _PLACE_ASKED.match(question):
        return sentence
    verbs = {stem(word) for word in tokens(question) if word.endswith("ing")} - {"do", "go"} | (
        {*map(stem, tokens(question)[-1:])} if {"do", "does", "did"} & {*tokens(question)} else set()
    )
    words = sentence.split()
    for place, word in enumerate(words[1:10], 1):
        subject, rest = [one.lower() for one in words[:place]], words[place + 1 :]
        if not rest or {*tokens(" ".join(rest))} <= {*tokens(question)} | small:
            continue
        if stem(word.lower()) in verbs and "not" not in subject and is_of_asked(tokens(question), _subject(subject)):
            return " ".join(rest[1:] if rest[0] in _AFTER_VERB and rest[1:2] and rest[1] in _DETERMINERS else rest)
        if not word.endswith("s") or place > 5 or word.lower() == stem(word.lower()) != "has":
            continue
        if stem(word.lower()) in asked and subject[0] in {*PRONOUNS, "the", "a", "his", "her"}:
            return " ".join(rest)
        is_subject = {*map(stem, subject)} <= asked | {*map(stem, small)}
        if is_subject and rest[0].lower() in _DETERMINERS and not _DOING_ASKED.search(question):
            return " ".join(rest)
    return sentence


def _subject(words: Sequence[str]) -> Sequence[str]:
    """The words before the first verb of a sentence."""
    return words[: next((at for at, word in enumerate(words) if word in rules().auxiliaries), len(words))]


def _without_place(question: str, phrase: str) -> str:
    """A thing or an activity with an object, without where it is: "surfboard" from "a surfboard under his arm".

    >>> _without_place("What has he?", "a cup of tea in his hand"), _without_place("Where?", "a shed in the yard")
    ('a cup of tea', 'a shed in the yard')
    """
    if not _THING_ASKED.match(question) or TEXT_ASKED.search(question):
        return phrase
    if COLOUR_ASKED.search(question):
        before, *after = _WITH.split(phrase, maxsplit=1)
        return phrase if {*tokens("".join(after))} & {*tokens(question)} - rules().little else before
    if not _PLACE_NOUN.search(question):
        phrase = _LEADING_PLACE.sub("", phrase)
    found = None if phrase.startswith("being ") else _PLACED.search(phrase)
    least = 2 if phrase.split(" ", 1)[0].endswith("ing") else 1
    return phrase[: found.start()] if found and len(phrase[: found.start()].split()) >= least else phrase


def _without_asked_place(question: str, phrase: str) -> str:
    """The phrase without what the question names at its end: "oval" from "oval shape".

    >>> _without_asked_place("What is in the sky?", "clouds in the sky"), _without_asked_place("Where?", "in the sky")
    ('clouds', 'in the sky')
    """
    kind = _KIND_ASKED.search(question)
    if kind and phrase.lower().endswith(kind[1].lower()):
        return phrase[: -len(kind[1])]
    made = _MADE_ASKED.search(question)
    if made and phrase.lower().endswith(f" {made[1].lower()}") and len(phrase.split()) == _PAIR:
        return phrase.split()[0]
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
    is_alone = before != "and" or said[found[0] - 2] not in palette
    if len(found) == 1 and before not in rules().colours and is_alone:
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


_VERB_ALONE = re.compile(r"(?P<subject>.*\w) (?:is|are|was|were|does|do|did|has|have)$", re.IGNORECASE)
_AFTER_VERB = ("after", "at", "on", "to", "in")
_WHO_ASKED = re.compile(r"(?:who|which|what)\b", re.IGNORECASE)
_PLACE_OF_ASKED = re.compile(
    r"what(?:['’]s| is| are)?(?: the \w+)? (?:on|in|at|under|behind|next to|beside|near|above|below)\b", re.IGNORECASE
)
_MEASURE = re.compile(r"\ban? (?P<kind>\w+) of (?P<rest>[\"“]?[\d$€£].*)$", re.IGNORECASE)
_PASSIVE = re.compile(r"(?P<subject>[^,;]+?) (?:is|are) being \w+ by (?P<agent>[^,;]+)$", re.IGNORECASE)
_BY = re.compile(r"\b(?:is|are|was|were)(?: being)? \w+ by (?P<rest>.+)$", re.IGNORECASE)
_SOME_DOING = re.compile(r"(?:an?|some|several|two|three|four|many) [\w -]+ (?:is|are) \w+ing$", re.IGNORECASE)
_ON_IT = re.compile(r" (?:on|in|at|to) (?:it|them|him|her)$", re.IGNORECASE)
_HAS = re.compile(
    r"^(?:the |an? |his |her |its |their )?[\w'’ -]*?\b(?:has|have|had)\b (?:got )?(?P<rest>.+)$", re.IGNORECASE
)
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
_LEAST = 3
"""A subject, a verb and an object."""
_THING_ASKED = re.compile(
    r"(?:what|which)\b(?!['’]?s? (?:is |are )?(?:the )?(?:place|location|scene|event))", re.IGNORECASE
)
_LEADING_PLACE = re.compile(
    r"^(?:known as|referred to as|called|named|titled) (?=\w)|^(?!one |some )(?:\w+(?:ed|en|de|ept"
    r"|ilt) )?(?:(?:down|up|out|away) )?(?:on(?:to)?|in(?:to|side)?|at|against|of|from|with|towards?) "
    r"(?=\w)",
    re.IGNORECASE,
)
_PLACE_NOUN = re.compile(
    r"\b(?:side|direction|way|part|place|floor|location|position|time|day|month|year|season|hand|end"
    r"|stage|doing|happening)\b"
    r"|^(?:where|who|how|why|when)\b",
    re.IGNORECASE,
)
_WITH = re.compile(r",? with (?=(?:an?|some|\w+) )", re.IGNORECASE)
_TAKEN_IN = re.compile(r"^(?:taken|located|situated|shot|photographed) (?:in|at|on) (?=\w)", re.IGNORECASE)
_PAIR_OF = re.compile(r"^(?:an?|some) (?:pair|kind|sort|type) of (?=\w)", re.IGNORECASE)
_PLACED = re.compile(
    r"(?:(?<=\w)\s\w+ing)?\s(?:under|on|in|at|near|beside|behind|from|by|down|across|along|through"
    r"|into|onto|over|against|around|next to|above|below|between|inside|outside"
    r"|in front of|while) (?:(?:an?|the|his|her|its|their|some|one) |(?:him|her|it|them)$)",
    re.IGNORECASE,
)
_IS_DOING = re.compile(r"(?<=^the )(\w+)['’]s (?=\w+ing\b)", re.IGNORECASE)
_LOOKS = re.compile(r",? (?:by|from) the looks? of [^.;]*", re.IGNORECASE)
_OWN = re.compile(r"^(?:his|her|its|their|my|your) (?=\w)", re.IGNORECASE)
_MADE_ASKED = re.compile(r"\b(\w+) made (?:out )?(?:of|from)\b", re.IGNORECASE)
_PAIR = 2
_MOSTLY = re.compile(r"^(?:primarily|mainly|mostly|predominantly|largely|entirely|all|completely) (?=\w)")
_MODIFIERS = ("dark", "light", "bright", "pale", "deep")
_JOINING = ("with", "and", "or", "but")
_PREPOSITIONS = ("in", "on", "at", "under", "near")
_ADVERBS = frozenset(("all", "both", "also", "currently", "actually", "just", "still", "each"))
_KIND_ASKED = re.compile(
    r"\b(?:what|which)(?:['’]s| is| are)?(?: the)?( (?:shape|size|style|material|pattern|brand|flavou?r"
    r"|breed))\b",
    re.IGNORECASE,
)
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
    r"^(?:(?P<subject>it|this|that|there|he|she|they|these|those|you|we|i|what|(?:the|a|an|his|her|its"
    r"|their|my|your|one"
    r"|both|some|all)\b[^,;:]*?|[\w'’-]+(?: [\w'’-]+){0,3}?)\s+(?:is|are|was|were"
    r"|(?:would|must|could|might|may)(?: \w+)? be|(?:appears?|seems?)(?: to (?:be|have been))?|looks?(?: like)?"
    r"|resembles?)|(?:it|that|there|he|she|they|these)['’](?:s|re|d be))\b\s+"
    r"(?:(?:most )?likely |probably |possibly |clearly |currently |mostly |called |named )*(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"^(?:it|that|the [^,;:]*?)\s+(?:(?:shows|displays|indicates|says|reads|states|is (?:showing"
    r"|displaying|reading))(?::|(?=\s[\"“'‘]|\s\d))"
    r"|(?:has|have) (?=an? [\w-]+(?: [\w-]+){0,2} (?:colou?r|shape|size|style)$))\s*(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"^(?:what (?:appears|seems|looks) (?:to be|like)|(?:it )?(?:could|might|may|must|would|should)(?: \w+)? be"
    r"|(?:most |very |quite )?(?:likely|probably)|possibly|perhaps|maybe|presumably|(?:sort ?of|sorta"
    r"|kind ?of|kinda)(?: like)?),? (?=\w)",
    re.IGNORECASE,
)
_CONTRAST = re.compile(
    r"^.*?\b(?:not|isn['’]t|aren['’]t)\b[^,;]*(?:,[^,;]*)?[,;:] (?:but(?: rather)?|rather|instead)?\s*"
    r"(?=(?:it|they)(?:['’]s|['’]re| is| are)\b|the \w+ is\b)"
    r"|(?<=\w), (?:and )?not\b.*$",
    re.I,
)
_NOT_BUT = re.compile(
    r"(?:(?:^|\s+)not|n['’]t) (?:an? |the )?[\w-]+(?: [\w-]+){0,2},? (?:but|rather)(?: rather)? ", re.IGNORECASE
)
_NOTHING = re.compile(r"\b(?:is|are|does|do)(?: not|n['’]t) (?:\w+ )?anything$", re.IGNORECASE)
_ITEM = (
    r"(?!(?:with|which|who|where|while|in|on|at|near|next|but|not|so|as|it|he|she|they|there|because"
    r"|although|given|based"
    r"|judging|considering|\w+ing (?:an?|the|his|her|its))\b)[\w'’-]+(?: [\w'’-]+){0,3}"
)
_LIST = re.compile(
    rf"{_ITEM}(?:, {_ITEM})+,? (?:and|or|&) {_ITEM}|[\w'’-]+(?:, [\w'’-]+){{2,}}(?: [\w'’-]+)?", re.IGNORECASE
)
_LIST_START = re.compile(rf"{_ITEM}(?:, {_ITEM})+,? (?:and|&) {_ITEM}(?=$|[,;(])", re.IGNORECASE)
COLOUR_ASKED = re.compile(r"\b(?:what|which)(?: \w+){0,2} colou?rs?\b", re.IGNORECASE)
_THING = re.compile(r"(?:\w+ing|\w+s|in|with|painted)\b.* ", re.IGNORECASE)
_CLAUSE = re.compile(
    r",\s+(?!and\b|or\b|\d{4}\b)|,?\s+and (?=(?:the|its|his|her|an?|one) [\w' ]+ (?:is|are|was|has"
    r"|have|lies|sits|stands|can)\b)|\s+[-–—]+\s+|:\s|\s\("
    r"|\s(?:because|which|while|although|though|but|since|as (?:it|he|she|they|there)|that (?:is|are"
    r"|was|were|has|have|he|she|it|they|the|can)"
    r"|who (?:is|are)|and (?:it|he|she|they|there|is|are))\b",
    re.IGNORECASE,
)
_TAILS = (
    re.compile(r"\s+(?:can be|is|are) (?:seen|visible|shown|found)$", re.I),
    re.compile(r"(?:\s+(?:shown|seen|visible))?\s+in (?:the|this) (?:image|picture|photo|photograph|scene)$", re.I),
    re.compile(r"\s+in (?:his|her|its|their|the) (?:left |right )?hands?$", re.I),
    re.compile(r", (?:probably|i (?:think|guess|believe)|most likely|presumably)$", re.I),
    re.compile(r",? (?:rather than|instead of|as opposed to) .*$|,? i (?:think|believe|guess)$", re.I),
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
