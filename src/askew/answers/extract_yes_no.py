"""Whether a reply to a yes/no question says yes or no.

Every sentence is a verdict ("Yes, ...", "That is not the case"), a claim, or neither. A claim is compared with what the
question asks: it repeats it, or says the opposite, of the same thing. A verdict counts before a claim and a conclusion
before what it is drawn from; where verdicts or claims contradict each other, the reply says neither.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from askew.answers.extract_clauses import clauses
from askew.answers.extract_frame import is_doing
from askew.answers.extract_reply import declines, first_sentence, opened, refuses, repeats_itself, sentences
from askew.answers.extract_rules import rules
from askew.answers.extract_state import of_another_kind, replaced, state, with_single_words
from askew.answers.extract_words import LINKS, PEOPLE, PRONOUNS, denies, is_of_asked, plain_words, stem, word_set
from askew.answers.normalise import tokens
from askew.language.inflect import number_of

OTHER = {"yes": "no", "no": "yes"}


def yes_no(question: str, text: str) -> str | None:
    """yes or no, or None if the text says neither.

    >>> yes_no("Is the dog asleep?", "The dog is not asleep."), yes_no("Is the cat black?", "The dog is white.")
    ('no', None)
    >>> yes_no("Is there no one in the room?", "There is no one in the room.")
    'yes'
    """
    question, text = _LEADING_NOT.sub(r"\1", plain_words(question)), plain_words(text)
    if repeats_itself(text) or declines(text):
        return None
    said = sentences(text)
    first = verdict(question, said[0]) if said else None
    if first:
        return None if _taken_back(question, text, first) else first
    concluding = [so for one in said if (so := _CONCLUDED.search(one)) is not None]
    if concluding:
        return str(concluding[-1][1]).lower()
    verdicts = {told for one in said[1:] if (told := verdict(question, one))}
    if not _denied(question):
        verdicts |= {one.lower() for one in _VERDICT.findall(text)}
    if len(verdicts) == 1:
        return verdicts.pop()
    if first == "" or verdicts or refuses(text):
        return None
    claims = [*_claims(question, text)]
    last = [claim for claim, concludes in claims if concludes][-1:]
    found = {*last} or {claim for claim, _ in claims}
    return found.pop() if len(found) == 1 else None


def verdict(question: str, sentence: str) -> str | None:
    """Yes or no, if a sentence begins with a word or a phrase for it; empty if it begins with one for neither."""
    known = rules()
    for start in dict.fromkeys((sentence, opened(sentence))):
        if known.undecided.match(start):
            return ""
        if known.says_no.match(start):
            return "no"
        if known.says_yes.match(start):
            return "yes"
    words = tokens(start)
    if not words:
        return None
    is_alone = len(words) == 1 or _ALONE.match(start) is not None
    if words[0] in known.affirm - known.affirm_alone:
        return "yes"
    if words[0] in known.affirm_alone and is_alone and (_denied(question) or not any(map(denies, words[1:]))):
        return "yes"
    if words[0] in known.deny and (is_alone or not _denied(question)):
        if _denied(question) and len(words) > 1 and any(map(denies, tokens(_NOT_RIGHT.sub("", start))[1:])):
            return ""  # "No, there is no milk" to "Is there no milk?"
        return "no"
    return None


def _denied(question: str) -> str:
    """The word by which a question denies what it asks: "no" of "Is there no milk?"."""
    return next((word for word in tokens(question)[1:] if word in rules().deny), "")


def _taken_back(question: str, text: str, found: str) -> bool:
    """Whether what follows a first yes or no says the opposite: "Yes, but actually no", "No, there is a cat".

    >>> [_taken_back("Is there a cat?", said, "yes") for said in ("Yes. No.", "Yes, there is no cat", "Yes, no dog")]
    [True, True, False]
    """
    if re.search(rf"\b{OTHER[found]}(?=[.,!;]|$)", text, re.IGNORECASE):
        return True
    rest = _ALONE.sub("", first_sentence(text), count=1)
    if _denied(question) or _RATHER.search(rest):
        return False
    if found == "yes" and refuses(rest) and re.search(r"\b(?:but|although|though|however)\b", rest, re.I) is None:
        return True
    words = tokens(rest)
    is_denied = found == "no" or any(map(denies, words[:4]))
    return is_denied and not rules().weakened.search(rest) and _repeated(question, words) == OTHER[found]


def _claims(question: str, text: str) -> Iterator[tuple[str, bool]]:
    """What each clause says of what is asked, and whether it concludes. Clauses that leave it open say nothing."""
    known, asked = rules(), {*tokens(question)}
    for sentence in sentences(text):
        if _IF.search(sentence) and not _IF.search(question):
            continue
        parts = clauses(sentence)
        for clause in parts:
            if clause.joint in ("so", "that", "arrow") and (found := _claimed(question, clause.text)):
                yield found, True
        concludes = _OVERALL.match(sentence) is not None
        tried: dict[str, None] = dict.fromkeys((opened(sentence), sentence))
        if (place := _PLACE_FIRST.match(opened(sentence))) is not None:
            tried[f"{place['rest']} {place['place']}"] = None
        tried |= dict.fromkeys(one.text for one in parts) | {sentence.partition(",")[0]: None}
        if (last := sentence.rpartition(", ")[2]) and LINKS.isdisjoint(tokens(last)):
            tried[last] = None  # "It is curled up, sound asleep"
        committed = (
            _OF_ALL.sub("", one)
            for one in tried
            if not known.undecided.match(one) and known.open.isdisjoint({*tokens(one)} - asked)
        )
        found = next(filter(None, (_claimed(question, one) for one in committed)), None)
        if found:
            yield found, concludes


def _claimed(question: str, clause: str) -> str | None:
    """What a clause says of what is asked; the reverse if the question denies it."""
    known = rules()
    if sum(map(denies, tokens(clause))) > 1:
        return None
    if (rather := _RATHER.search(clause)) is not None:
        return "no" if {*tokens(rather[1])} & {*tokens(question)} - known.little - known.auxiliaries else None
    if (word := _denied(question)) != "":
        question = re.sub(rf"\b(?:{word} one|nobody)\b", "anyone", question, count=1, flags=re.I)
        question = re.sub(rf"\b{word}\b", "any" if word in ("no", "none") else "", question, count=1, flags=re.I)
    if {"all", "every", "both"} & {*tokens(question)} and re.match(r"(?:all|every\w*) (?:but|except)\b", clause, re.I):
        return "no"
    if known.weakened.search(clause) and not known.weakened.search(question):
        found = _missing(question, clause) or (state(question, tokens(_FIRST.split(clause)[0])) or None)
        found = found if "but" not in tokens(clause) else None
    else:
        found = _compared(question, clause)
    return OTHER.get(found or "") if word else found


def _compared(question: str, clause: str) -> str | None:
    """Whether a clause affirms or denies the question: by its verb alone, a state, a comparison, or its words."""
    words, asked = tokens(clause), tokens(question)
    if (
        found := _missing(question, clause) or _elliptic(question, clause) or _turned_round(question, clause)
    ) is not None:
        return found
    if (
        {"all", "both", "every", "each"} & {*asked}
        and words[:1] != ()
        and (
            words[0] in rules().partly or words[:2] == ("not", "all") or (number_of(words[0]) and words[1:2] == ("of",))
        )
    ):
        return "no"
    single = with_single_words(question)
    said = tokens(with_single_words(_HAS_ON.sub(r" is wearing \1", clause)))
    if (
        said[-1:] in (("it",), ("them",))
        and said[-2:-1] != ()
        and (said[-2] in (*rules().relations, "of") or stem(said[-2]) in map(stem, asked))
    ):
        said = (*said[:-1], *asked[-1:])  # "There is a lid on it"
    said = tuple(asked[-1] if word == "one" and before in _HOLDS else word for before, word in pairwise(("", *said)))
    if (found := _emptied(asked, said)) is not None:
        return found
    found = state(single, said)
    if found is None:
        found = _repeated(single, said) or replaced(single, said)
    return of_another_kind(question, clause) if found is None else found or None


def _emptied(asked: Sequence[str], words: Sequence[str]) -> str | None:
    """no, if what should hold something is empty, or the reverse: "The glass is empty" to "Is there water in it?"."""
    emptied = {"empty", "deserted", "vacant"}
    about = {*map(stem, words)} & {stem(word) for word in asked[1:] if word not in rules().little}
    if not about or any(map(denies, words)):
        return None
    if asked[-1:] == ("empty",):
        return "no" if _SEEN.match(" ".join(words)) and {"in", "inside", "on"} & {*words} else None
    holds = {"anyone", "anybody", "anything", "any", "there"} & {*asked} and not emptied & {*asked}
    return "no" if holds and emptied & {*words} else None


def _missing(question: str, clause: str) -> str | None:
    """no, if a clause says that what the question asks for is not there: "tracks without a train"."""
    missing = {word for found in _MISSING.findall(clause.lower()) for word in found} & {
        *tokens(question)
    } - rules().little
    is_lacking = "without" in tokens(clause) and "without" not in tokens(question)
    if "not without" in clause:
        return None
    is_held = _EXISTS.match(question) or (_HOLDS & {*tokens(question)} and _SEEN.match(clause))
    return "no" if missing and (is_lacking or is_held) else None


def _elliptic(question: str, clause: str) -> str | None:
    """What a clause says with nothing but its verb: "A boy is", "Only the woman does", "All of them are".

    >>> said = ("A boy is", "Two do not", "The dog is")
    >>> [_elliptic("Is anybody there?", one) for one in said], _elliptic("Is the cat asleep?", "The dog is")
    (['yes', 'no', 'yes'], None)
    """
    asked, said = tokens(question), _VERB_ALONE.match(clause)
    if said is None:
        return None
    subject = tokens(said["subject"])
    if len(subject) > _SUBJECT or not rules().clause.isdisjoint(subject[1:]):
        return None
    is_all = not {"all", "both", "every", "everyone", "each"}.isdisjoint(asked)
    if not {"none", "nobody", "neither", "no"}.isdisjoint(subject) or (
        is_all and {"only", "not", "some", "but"} & {*subject}
    ):
        return "no"
    anybody = {"anyone", "anybody", "someone", "somebody", "any"} & {*asked}
    everybody = subject[:1] in (("all",), ("both",), ("everyone",), ("everybody",), ("each",), ("they",))
    if anybody or everybody or (not is_all and is_of_asked(asked, subject)):
        return "no" if said["not"] else "yes"
    return None


def _turned_round(question: str, clause: str) -> str | None:
    """no, if a comparison is the other way round: "He is taller than the woman" to "Is the woman taller?".

    >>> _turned_round("Is the woman taller than the man?", "The man is taller than the woman")
    'no'
    """
    known = rules()
    if (
        " than " in question
        and {"same", "equal", "equally"} & {*tokens(clause)}
        and not any(map(denies, tokens(clause)))
    ):
        return "no"
    compares = _COMPARES.match(clause)
    if compares is None or " than " not in question or compares[2].lower() not in tokens(question):
        return None
    before, after = ({*tokens(part)} - known.little - known.auxiliaries for part in question.split(" than ", 1))
    subject = {*tokens(compares[1])} - known.little - known.auxiliaries - PRONOUNS
    if any(map(denies, tokens(clause))):
        return None
    return "yes" if subject <= before else "no" if subject <= after else None


def _repeated(question: str, words: Sequence[str]) -> str | None:
    """Whether a sentence that repeats the question's words in their order affirms or denies it; "there are no dogs"
    denies.

    A pronoun stands for the first thing that the question names. Fewer than three words only name something, and what
    is said after another thing ("the woman next to the man wears a hat") may be said of that.
    """
    known = rules()
    denied = any(map(denies, words))

    def content(asked: Sequence[str]) -> list[str]:
        return [stem(word) for word in asked if word not in known.little | known.auxiliaries]

    asked = content(tokens(question))
    exists = _EXISTS.match(question) is not None
    pronoun = words[:1] != () and words[0] in PRONOUNS
    stands_for_thing = pronoun and words[0] != "there" and PRONOUNS.isdisjoint(tokens(question)[1:2])
    wanted = asked[1:] if (stands_for_thing or (pronoun and _THESE.match(question))) and len(asked) > 1 else asked
    said = list(map(stem, words))
    if pronoun and (verb := next((at for at, word in enumerate(tokens(question)) if at > 1 and _does(word)), 0)):
        wanted = content(tokens(question)[verb:]) or wanted
    elif not exists and not {*wanted} <= {*said}:  # "The truck cannot pass", of passing under the bridge
        end = next((at for at, word in enumerate(tokens(question)) if at > 2 and word in known.relations), 0)
        start = content(tokens(question)[:end])
        wanted = start if len(start) > 1 and start[-1:] == said[-1:] else wanted
    if (
        exists
        and words[:1] == ("there",)
        and (words[-1:] in (("one",), ("any",)) or (words[2:3] == ("one",) and words[3] in known.relations))
    ):
        return "no" if denied else "yes"
    if (
        exists
        and words[:1] == ("there",)
        and not denied
        and {"anyone", "anybody"} & {*tokens(question)}
        and _SOMEONE & {*words}
    ):
        return "yes"
    if words[:1] == ("there",) and any(map(denies, words[2:3])) and {*said[3:5]} & {*asked}:
        return "no"
    if not wanted or len(words) < (2 if pronoun else 3) or not {*wanted} <= {*said}:
        return "no" if denied and pronoun and len(words) <= 4 else None
    if denied and any(denies(word) and after in wanted for word, after in pairwise(said)):
        return "no"
    before = words[: said.index(wanted[0])]
    other_thing = not known.relations.isdisjoint({*before} - {*tokens(question)})
    past = not _PAST.isdisjoint(words) and {"has", "have", *_PAST}.isdisjoint(tokens(question))
    if exists and not denied and not past and words[:1] == ("the",) and "has" in words:
        return "yes"
    if "have" in tokens(question) and _SEEN.match(" ".join(words)) and not denied:
        return "yes" if known.relations & {*words} <= {"on", "in", "of", "with"} else None
    if other_thing or past or not _in_order(wanted, said) or not _asked_relations(question, wanted) <= {*words}:
        return None
    return "no" if denied else "yes"


def _does(word: str) -> bool:
    return word in _HOLDS or is_doing(word)


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


_SOMEONE = PEOPLE | {"person", "people", "someone", "somebody"}
_HOLDS = word_set("has have wearing holding carrying wear hold carry contain")
_IF = re.compile(r"\b(?:if|unless|whether)\b", re.IGNORECASE)
_LEADING_NOT = re.compile(r"^(\w+) not\b", re.IGNORECASE)
_NOT_RIGHT = re.compile(r"\bthat is not (?:right|true|correct|the case)\b", re.IGNORECASE)
_ALONE = re.compile(r"^[\w'’]+\s*(?:[,.!;:—–-]|$)\s*")
"""A word alone or before a comma."""
_CONCLUDED = re.compile(r"\b(?:so|answer is|overall|therefore|thus|hence)[,:]? (?:\w+ )?(yes|no)\W*$", re.IGNORECASE)
_VERDICT = re.compile(r"\byes\b|(?<!is )(?<!has )(?<!see )\bno\b(?=\s*(?:[.,;:!)—–]|$))", re.IGNORECASE)
_OVERALL = re.compile(r"(?:so|overall|therefore|thus|hence|in conclusion|in short)\b", re.IGNORECASE)
_FIRST = re.compile(r"[,;:] |\s[-–—]+\s|\s(?:and|but|so) ")
_EXISTS = re.compile(r"(?:is|are|was|were) there\b(?! no)|(?:can|do) you see\b", re.IGNORECASE)
_MISSING = re.compile(r"\b(?:no|not an?|without an?|without any|without|instead of an?) (\w+)(?: or (\w+))?")
_PLACE_FIRST = re.compile(
    r"(?P<place>(?:in|on|at|behind|under|near|next to|beside|above|below|to the) [^,;:]*?),? "
    r"(?P<rest>(?:there (?:is|are|was|were)|(?:i|we|you) (?:can )?see"
    r"|(?:sits?|stands?|lies|lie|is|are) (?:an?|some|\w+)) .*)",
    re.IGNORECASE,
)
_VERB_ALONE = re.compile(
    r"(?P<subject>[\w’' -]*\w) (?:is|are|was|were|does|do|did|has|have|can|could|will|would)(?P<not> not)?$|cannot$",
    re.I,
)
_SEEN = re.compile(r"there (?:is|are)\b|(?:i|we) (?:can )?see\b", re.IGNORECASE)
_COMPARES = re.compile(r"(.*?)\b(?:is|are|looks?|seems?) (?:much |a bit |slightly |clearly )*(\w+er)\b", re.IGNORECASE)
_HAS_ON = re.compile(r"(?:\bhas|has got) ([\w ,-]+?) on$", re.IGNORECASE)
_THESE = re.compile(r"\w+ (?:these|those|this|that) \w+ (?:an?|the|\w+ing)\b", re.IGNORECASE)
_OF_ALL = re.compile(r"^(?:both|all|each) of (?=(?:the|his|her|its|their)\b)", re.IGNORECASE)
_SUBJECT = 6
_PAST = frozenset(("was", "were", "had", "did"))
_RATHER = re.compile(r"\b(?:more like|more of|rather) [^,;]*\bthan\b(.*)", re.IGNORECASE)
