"""Whether a reply to a yes/no question says yes or no.

A reply that begins with neither word is read as one only where its sentence is clear: it names the state that the
question asks about or its opposite, or it repeats the question's words in their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from askew.answers.extract_reply import declines, first_sentence, opened, refuses, repeats_itself, sentences
from askew.answers.extract_rules import rules
from askew.answers.extract_state import of_another_kind, replaced, state, with_single_words
from askew.answers.extract_words import PEOPLE, PRONOUNS, denies, is_of_asked, stem
from askew.answers.normalise import tokens


def yes_no(question: str, text: str) -> str | None:
    """yes or no, or None if the text says neither.

    >>> yes_no("Is the dog asleep?", "The dog is not asleep."), yes_no("Is the cat black?", "The dog is white.")
    ('no', None)
    >>> yes_no("Is there no one in the room?", "There is no one in the room.")
    'yes'
    """
    known = rules()
    whole, start = first_sentence(text), first_sentence(opened(text))
    so: re.Match[str] | None = _SO_VERDICT.search(text) if known.deny.isdisjoint(tokens(question)) else None
    if so is not None and "but" in tokens(text):
        return str(so[1]).lower()
    if known.undecided.match(start) or declines(text) or repeats_itself(text):
        return None
    for sentence in dict.fromkeys((whole, start)):
        if known.says_no.match(sentence):
            return "no"
        if known.says_yes.match(sentence):
            return "yes"
    words = tokens(sentence)
    found = _first_word(question, sentence, words)
    if found is not None:
        return None if _taken_back(question, text, found) else found
    if words[:1] == ("no",):  # "No, there is milk" to "Is there no milk?"
        rest = first_sentence(_ALONE.sub("", text, count=1)) if _ALONE.match(text) else "not"
        return None if any(map(denies, tokens(_NOT_RIGHT.sub("", rest)))) or not rest else "no"
    if so is not None:
        return str(so[1]).lower()
    if not refuses(text) and not known.weakened.search(whole) and (found := _concluded(question, text)) is not None:
        return found
    if refuses(text) or known.open & {*words} - {*tokens(question)}:
        return None
    if _denies_first(question, words):
        return "no"
    if (compared := _COMPARED.search(sentence)) is not None:
        return "no" if {*tokens(compared[1])} & {*tokens(question)} - known.little - known.auxiliaries else None
    words = tokens(_CONCEDED.sub("", sentence))
    verdicts: set[str] = {one.lower() for one in _VERDICT.findall(text)}
    if known.deny.isdisjoint(tokens(question)) and len(verdicts) == 1:
        return verdicts.pop()
    if known.weakened.search(whole) and not known.weakened.search(question):
        return _stated(question, whole, tokens(whole))
    if (found := _stated(question, sentence, words)) is not None:
        return found
    clear = (one.split(", which ")[0] for one in sentences(text))
    clear = (one for one in clear if known.open.isdisjoint(tokens(one)) and "or" not in tokens(one))
    later = {_stated(question, one, tokens(one)) for one in clear} - {None}
    return later.pop() if len(later) == 1 else None


def _concluded(question: str, text: str) -> str | None:
    """What a reply concludes in its last clause: "The sign says open, so it is not closed"."""
    *before, last = _SO.split(text)
    last = first_sentence(last)
    return _stated(question, last, tokens(last)) if before and rules().open.isdisjoint(tokens(last)) else None


def _first_word(question: str, sentence: str, words: Sequence[str]) -> str | None:
    """Yes or no, if a sentence begins with a word for it; "definitely" is one only alone or before a comma."""
    known = rules()
    if not words:
        return None
    is_alone = len(words) == 1 or _ALONE.match(sentence) is not None
    if words[0] in known.affirm - known.affirm_alone or (
        words[0] in known.affirm_alone and is_alone and not any(map(denies, words[1:]))
    ):
        return "yes"
    is_denial = words[0] in known.deny and (len(words) == 1 or known.deny.isdisjoint(tokens(question)))
    return "no" if is_denial else None


def _taken_back(question: str, text: str, found: str) -> bool:
    """Whether what follows a first yes or no says the opposite: "Yes, but actually no", "No, there is a cat".

    >>> [_taken_back("Is there a cat?", said, "yes") for said in ("Yes. No.", "Yes, there is no cat", "Yes, no dog")]
    [True, True, False]
    """
    other = {"yes": "no", "no": "yes"}[found]
    if re.search(rf"\b{other}(?=[.,!;]|$)", text, re.IGNORECASE):
        return True
    rest = _ALONE.sub("", first_sentence(text), count=1)
    if not rules().deny.isdisjoint(tokens(question)) or _COMPARED.search(rest):
        return False
    said = tokens(rest)
    repeated = _affirmed(question, said) if not rules().weakened.search(rest) else None
    is_denied = found == "no" or any(map(denies, said[:4]))
    return (repeated == other and is_denied) or (found == "yes" and refuses(rest) and _BUT.search(rest) is None)


def _denies_first(question: str, words: Sequence[str]) -> bool:
    """Whether a sentence begins by denying: "there is no", or "only one" of a question about all."""
    known, asked = rules(), tokens(question)
    if (words[:1] == ("there",) and not known.deny.isdisjoint(words[2:3])) or words[:2] == ("there's", "no"):
        return known.deny.isdisjoint(asked)
    return not known.partly.isdisjoint(words[:1]) and not {"all", "both", "every", "each"}.isdisjoint(asked)


def _stated(question: str, sentence: str, words: Sequence[str]) -> str | None:
    """What a sentence says by naming a state or by repeating the question; the reverse if the question denies."""
    known = rules()
    if known.weakened.search(sentence) and not known.weakened.search(question):
        first = tokens(_CLAUSES.split(sentence)[0])
        is_clear = "but" not in words and not known.weakened.search(" ".join(first))
        return _missing(question, sentence) or ((state(question, first) or None) if is_clear else None)
    if _missing(question, sentence) is not None:
        return "no"
    if (not_that := _NOT_THAT.search(sentence)) and not_that[1].lower() in tokens(question):
        return "no"
    denied = next((word for word in tokens(question) if word in known.deny), None)
    if denied is not None:
        question = re.sub(rf"\b{denied}\b(?: one\b)?", "", question, count=1, flags=re.IGNORECASE)
    clauses = [sentence, *_CLAUSES.split(sentence)[1:]] if len(words) > 2 else [sentence]
    if (place := _PLACE_FIRST.match(sentence)) is not None:
        clauses.append(f"{place['rest']} {place['place']}")
    found = next(filter(None, (_claimed(question, clause) for clause in clauses)), None)
    return {"yes": "no", "no": "yes"}.get(found or "") if denied else found


def _claimed(question: str, clause: str) -> str | None:
    """What one clause says of what the question asks: the verb alone, a state, its words, or another kind."""
    if (found := _verb_alone(question, clause)) is not None or (found := _turned_round(question, clause)) is not None:
        return found
    single, said = (
        with_single_words(question),
        with_single_words(_HAS_ON.sub(" is wearing \\1", _OF_ALL.sub("", clause))),
    )
    words, asked = tokens(said), tokens(question)
    if words[-1:] in (("it",), ("them",)) and words[-2:-1] and words[-2] in (*rules().relations, "of"):
        words = (*words[:-1], *asked[-1:])
    found = state(single, words)
    if (inside := _quoted_state(single, clause)) is not None:
        return inside
    if (
        asked[-1:] == ("empty",)
        and _SEEN.match(" ".join(words))
        and not any(map(denies, words))
        and {"in", "inside"} & {*words}
    ):
        return (
            "no" if {*map(stem, words)} & {stem(word) for word in asked[1:-1] if word not in rules().little} else None
        )
    has_any = {"anyone", "anybody", "anything", "any"} & {*asked} or _EXISTS_ASKED.match(question)
    if (
        has_any
        and {"empty", "deserted", "vacant"} & {*words}
        and state(f"Is the {' '.join(asked[1:])} empty?", words) == "yes"
    ):
        return "no"
    if found is None:
        found = _affirmed(single, words) or replaced(single, words)
    return of_another_kind(question, clause) if found is None else found


def _quoted_state(question: str, clause: str) -> str | None:
    """What a sign says of what is asked: 'A sign reading "CLOSED"' to "Is the shop open?"."""
    quoted = _QUOTED.findall(clause)
    return state(question, tokens(quoted[0])) or None if len(quoted) == 1 else None


def _turned_round(question: str, clause: str) -> str | None:
    """no, if a comparison is the other way round: "He is taller than the woman" to "Is the woman taller?".

    >>> _turned_round("Is the woman taller than the man?", "The man is taller than the woman")
    'no'
    """
    if (plain := _COMPARES.match(clause)) is not None and plain[2].lower() in tokens(question) and " than " in question:
        before, after = ({*tokens(part)} - rules().little for part in question.split(" than ", 1))
        subject = {*tokens(plain[1])} - rules().little
        return "yes" if not subject or subject <= before else "no" if subject <= after else None
    parts = [[{*tokens(part)} for part in text.split(" than ", 1)] for text in (question, clause)]
    if any(len(part) != 2 for part in parts) or any(map(denies, tokens(clause))):
        return None
    (asked, to), (said, of) = parts
    small = rules().little | rules().auxiliaries
    is_same = any(word.endswith("er") or word == "more" for word in asked & said)
    return "no" if is_same and (to - small) & said and (of - small) & asked and not (to - small) & of else None


def _verb_alone(question: str, clause: str) -> str | None:
    """What a clause says with nothing but its verb: "A boy is", "Only the woman does", "All of them are".

    >>> said = ("A boy is", "Two don't", "The dog is")
    >>> [_verb_alone("Is anybody there?", one) for one in said], _verb_alone("Is the cat asleep?", "The dog is")
    (['yes', 'no', 'yes'], None)
    """
    asked = tokens(question)
    if {"all", "every", "both"} & {*asked} and _ALL_BUT.match(clause):
        return "no"
    if _HAS_ONE_ASKED.search(question) and (one := _HAS_ONE.match(clause)) is not None:
        return "no" if one[1] else "yes"
    said = _VERB_ALONE.match(_OF_ALL.sub("", clause))
    if said is None:
        return None
    subject = tokens(said["subject"])
    if len(subject) > _SUBJECT or not rules().clause.isdisjoint(subject[1:]):
        return None
    is_all = not {"all", "both", "every", "everyone", "each"}.isdisjoint(asked)
    if not {"none", "nobody", "neither", "no"}.isdisjoint(subject) or (is_all and {"only", "not", "some"} & {*subject}):
        return "no"
    anybody = {"anyone", "anybody", "someone", "somebody", "any"} & {*asked}
    everybody = subject[:1] in (("all",), ("both",), ("everyone",), ("everybody",), ("each",), ("they",))
    if anybody or everybody or (not is_all and is_of_asked(asked, subject)):
        return "no" if said["not"] else "yes"
    return None


def _missing(question: str, sentence: str) -> str | None:
    """no, if a sentence says that what the question asks for is not there: "tracks without a train"."""
    missing = {*_MISSING.findall(sentence)} & {*tokens(question)} - rules().little
    is_lacking = "without" in tokens(sentence) and "without" not in tokens(question)
    return "no" if missing and (is_lacking or _EXISTS_ASKED.match(question)) else None


def _affirmed(question: str, words: Sequence[str]) -> str | None:
    """Whether a sentence that repeats the question's words in their order affirms or denies it; "there are no dogs"
    denies.

    A pronoun stands for the first thing that the question names. Fewer than three words only name something, and what
    is said after another thing ("the woman next to the man wears a hat") may be said of that.
    """
    known = rules()
    denied = any(map(denies, words))
    small = {stem(word) for word in known.little | known.auxiliaries}
    asked = [stem for stem in map(stem, tokens(question)) if stem not in small]
    pronoun = words[:1] and words[0] in PRONOUNS
    stands_for_thing = pronoun and words[0] != "there" and PRONOUNS.isdisjoint(tokens(question)[1:2])
    stands_for_thing = stands_for_thing or (pronoun and _THESE.match(question) is not None)
    wanted = asked[1:] if stands_for_thing and len(asked) > 1 else asked
    said = list(map(stem, words))
    if pronoun and (predicate := _predicate(question)):
        wanted = [one for one in map(stem, predicate) if one not in small] or wanted
    if doer := next((at for at, word in enumerate(said[:4]) if _is_doer(word, wanted)), None):
        wanted = [word for word in wanted if word not in PEOPLE and not said[doer].startswith(word)]
    if _EXISTS_ASKED.match(question) and _ONE_OF_THEM.match(" ".join(words)):
        return "yes"
    if not wanted or len(words) < (2 if pronoun else 3) or not {*wanted} <= {*said}:
        return "no" if denied and pronoun and len(words) <= 4 else None
    if denied and any(denies(word) and after in wanted for word, after in pairwise(said)):
        return "no"
    before = words[: said.index(wanted[0])]
    other_thing = not known.relations.isdisjoint({*before} - {*tokens(question)})
    past = not _PAST.isdisjoint(words) and {"has", "have", *_PAST}.isdisjoint(tokens(question))
    if _EXISTS_ASKED.match(question) and not denied and not past and words[:1] == ("the",) and "has" in words:
        return "yes"
    if _HAS_ASKED.match(question) and _SEEN.match(" ".join(words)) and not denied and {*wanted} <= {*said}:
        return "yes" if known.relations & {*words} <= {"on", "in", "of", "with"} else None
    if other_thing or past or not _in_order(wanted, said) or not _asked_relations(question, wanted) <= {*words}:
        return None
    return "no" if denied else "yes"


def _predicate(question: str) -> Sequence[str]:
    """What a question asks of a thing that it names with where or how it is; empty if it names it simply.

    >>> _predicate("Is the man in the suit the groom?"), _predicate("Is the cat on the table?")
    (('the', 'groom'), ())
    """
    match = _WITH_PLACE.match(question.rstrip("?"))
    return tokens(match["rest"]) if match else ()


def _is_doer(word: str, wanted: Sequence[str]) -> bool:
    """Whether a word names who does or uses what is asked about: a skateboarder, of a man on a skateboard."""
    return not PEOPLE.isdisjoint(wanted) and any(
        len(one) > _SUBJECT - 2 and word != one and word.startswith(one) and word.endswith(("er", "ist"))
        for one in wanted
    )


def _asked_relations(question: str, wanted: Sequence[str]) -> set[str]:
    """The relations of a question to things that it names: "on" of "on the table", none of "in the picture"."""
    words = tokens(question)
    ends = {place for place, word in enumerate(words) if stem(word) in wanted}
    return {
        word
        for place, word in enumerate(words)
        if word in rules().relations and any(place < end <= place + 2 for end in ends)
    }


def _in_order(wanted: Sequence[str], said: Sequence[str]) -> bool:
    """Whether these words occur in this order, with others between them.

    >>> _in_order(["laptop", "open"], ["laptop", "is", "open"]), _in_order(["laptop", "open"], ["open", "laptop"])
    (True, False)
    """
    rest = iter(said)
    return all(word in rest for word in wanted)


_NOT_RIGHT = re.compile(r"^that(?: is|['’]s) not (?:right|true|correct|the case)\b")
_ALONE = re.compile(r"^[\w'’]+\s*(?:[,.!;:—–-]|$)\s*")
"""A word alone or before a comma."""
_BUT = re.compile(r"\b(?:but|although|though|however)\b", re.IGNORECASE)
_EXISTS_ASKED = re.compile(r"(?:is|are|was|were) there\b(?! no)|(?:can|do) you see\b", re.IGNORECASE)
_MISSING = re.compile(r"\b(?:no|not an?|without an?|without any|instead of an?) (\w+)", re.IGNORECASE)
_NOT_THAT = re.compile(r", (?:and )?not (?:an? |the )?(\w+)$", re.IGNORECASE)
_ONE_OF_THEM = re.compile(
    r"(?:there(?:[’']s| is| are)|i (?:can )?see) (?:one|some|several|two|three|a few|a couple)"
    r"(?: of them)?(?= (?:in|on|at|near|behind|next|under|by|to)\b|$)"
)
"""What is asked about is there: "There's one on the hill"."""
_VERDICT = re.compile(r"\byes\b|(?<!is )(?<!has )(?<!see )\bno\b(?=\s*(?:[.,;:!)—–]|$))", re.IGNORECASE)
_SO_VERDICT = re.compile(r"\b(?:so|answer is),? (yes|no)\W*$", re.IGNORECASE)
_SO = re.compile(
    r"[,;] (?:and )?(?:so|therefore|hence|thus|meaning(?: that)?|which (?:means|implies|indicates"
    r"|suggests)(?: that)?) ",
    re.I,
)
_CLAUSES = re.compile(
    r"[,;:] (?:(?:and|so|but|therefore) )?|\s[-–—]+\s"
    r"|\s(?:and|but|so) (?=(?:it|he|she|they|there|the|its|his|her|is|are)\b)",
    re.IGNORECASE,
)
_PLACE_FIRST = re.compile(
    r"(?P<place>(?:in|on|at|behind|under|near|next to|beside|above|below|to the) [^,;:]*?),? "
    r"(?P<rest>(?:there (?:is|are|was|were)|(?:i|we|you) (?:can )?see|(?:sits?|stands?|lies|lie|is"
    r"|are) (?:an?|some|several|two|three)) .*)",
    re.IGNORECASE,
)
_VERB_ALONE = re.compile(
    r"(?P<subject>[\w’' -]*\w) (?:is|are|was|were|does|do|did|has|have|can|could|will)(?P<not> not"
    r"|n[’']t)?$",
    re.IGNORECASE,
)
_HAS_ASKED = re.compile(r"do(?:es)? .* have\b", re.IGNORECASE)
_SEEN = re.compile(r"there(?:[’']s| is| are)\b|(?:i|we) (?:can )?see\b")
_WITH_PLACE = re.compile(
    r"\w+ (?:the|this|that|these|those|a|an|his|her) \w+ (?:in|on|of|with|at|behind|near|beside|next to|to the) "
    r"(?:(?:the|a|an|his|her|their|its) )?(?:(?:left|right|middle|\w+) )??\w+ (?P<rest>(?:(?:a|an|the"
    r"|\w+ing|\w+ed) .+|\w+ing|\w+ed))$",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“]([^\"“”]+)[\"”]")
_COMPARES = re.compile(
    r"(.*?)(?:\b(?:is|are|looks?|seems?)|['’]s|['’]re) (?:much |a bit |slightly |clearly )*(\w+er)$", re.IGNORECASE
)
_ALL_BUT = re.compile(r"(?:all|every\w*) (?:but|except)\b", re.IGNORECASE)
_OF_ALL = re.compile(r"^(?:both|all|each) of (?=(?:the|his|her|its|their)\b)", re.IGNORECASE)
_HAS_ONE_ASKED = re.compile(r"^do(?:es)? .*\bhave\b|\b(?:wearing|holding|carrying)\b", re.IGNORECASE)
_HAS_ONE = re.compile(
    r"(?:he|she|it|they) (?:(?:does(?: not|n['’]t)|do(?: not|n['’]t)|is(?: not|n['’]t)) (have|wearing"
    r"|holding)|has|have|is (?:wearing|holding|carrying)) (?:one|any|some)\b",
    re.IGNORECASE,
)
_HAS_ON = re.compile(r"(?:\bhas|['’]s got) ([\w ,-]+?) on$", re.IGNORECASE)
_THESE = re.compile(r"\w+ (?:these|those|this|that) \w+ (?:an?|the|\w+ing)\b", re.IGNORECASE)
_SUBJECT = 6
_PAST = frozenset(("was", "were", "had", "did"))
_COMPARED = re.compile(r"\b(?:more like|more of|rather) [^,;]*\bthan\b(.*)", re.IGNORECASE)
_CONCEDED = re.compile(
    r",? (?:(?:even )?though|although|but (?:i|we|you|one|it['’]s|it is) (?:\w+ )?(?:can|could|hard|difficult))\b.*$",
    re.I,
)
