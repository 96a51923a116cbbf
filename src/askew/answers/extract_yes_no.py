"""Whether a reply to a yes/no question says yes or no.

A reply that begins with neither word is read as one only where its sentence is clear: it names the state that the
question asks about or its opposite, or it repeats the question's words in their order.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from askew.answers.extract_rules import declines, first_sentence, opened, refuses, rules, sentences
from askew.answers.normalise import tokens


def yes_no(question: str, text: str) -> str | None:
    """yes or no, or None if the text says neither.

    >>> yes_no("Is the dog asleep?", "The dog is not asleep."), yes_no("Is the cat black?", "The cat is white.")
    ('no', None)
    >>> yes_no("Is there no one in the room?", "There is no one in the room.")
    'yes'
    """
    known = rules()
    whole, start = first_sentence(text), first_sentence(opened(text))
    if known.undecided.match(start) or declines(text):
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
        return None
    if refuses(text) or known.open & {*words} - {*tokens(question)}:
        return None
    if _denies_first(question, words):
        return "no"
    if (compared := _COMPARED.search(sentence)) is not None:
        return "no" if {*tokens(compared[1])} & {*tokens(question)} - known.little - known.auxiliaries else None
    words = tokens(_CONCEDED.sub("", sentence))
    said = {word for word in tokens(text) if word in ("yes", "no")}
    if (
        len(said) == 1
        and known.deny.isdisjoint(tokens(question))
        and not (said == {"no"} and "yes" not in words and "no" not in words[:3])
    ):
        return said.pop()
    if known.weakened.search(whole) and not known.weakened.search(question):
        return _missing(question, sentence)
    if (found := _stated(question, sentence, words)) is not None:
        return found
    clear = (tokens(one) for one in sentences(text)[1:] if known.open.isdisjoint(tokens(one)))
    later = {_stated(question, " ".join(one), one) for one in clear if "or" not in one} - {None}
    return later.pop() if len(later) == 1 else None


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
    if words[:1] == ("there",) and not known.deny.isdisjoint(words[2:3]):
        return known.deny.isdisjoint(asked)
    return not known.partly.isdisjoint(words[:1]) and not {"all", "both", "every", "each"}.isdisjoint(asked)


def _stated(question: str, sentence: str, words: Sequence[str]) -> str | None:
    """What a sentence says by naming a state or by repeating the question; the reverse if the question denies."""
    known = rules()
    if known.weakened.search(sentence) and not known.weakened.search(question):
        return _missing(question, sentence)
    if _missing(question, sentence) is not None:
        return "no"
    if (not_that := _NOT_THAT.search(sentence)) and not_that[1].lower() in tokens(question):
        return "no"
    denied = next((word for word in tokens(question) if word in known.deny), None)
    if denied is not None:
        question = re.sub(rf"\b{denied}\b(?: one\b)?", "", question, count=1, flags=re.IGNORECASE)
    found = _state(question, words)
    if found is None:
        clauses = [tokens(clause) for clause in re.split(r"[,;] ", sentence)[1:]]
        said_of_it = (clause for clause in clauses if clause[:1] and clause[0] in PRONOUNS)
        found = next(filter(None, (_affirmed(question, clause) for clause in (words, *said_of_it))), None)
    return {"yes": "no", "no": "yes"}.get(found or "") if denied else found or None


def _missing(question: str, sentence: str) -> str | None:
    """no, if a sentence says that what the question asks for is not there: "tracks without a train"."""
    missing = {*_MISSING.findall(sentence)} & {*tokens(question)} - rules().little
    return "no" if missing and _EXISTS_ASKED.match(question) else None


def _state(question: str, words: Sequence[str]) -> str | None:
    """Whether a sentence names the state that the question asks about, or its opposite: "closed" to "Is it open?".

    Empty if it says neither ("not small" of big), None if it names no such state. Nothing else may be said before it:
    "The door is closed" says nothing about a window. The first of several states counts.
    """
    known, asked = rules(), tokens(question)
    small = {*asked, *PRONOUNS} | known.little | known.auxiliaries | known.degrees
    for opposites in (known.states, known.contrasts):
        states = [word for word in reversed(asked) if word in opposites and not _is_place(word, asked)]
        if not states:
            continue
        state = next((word for word in states if not opposites[word].isdisjoint(words)), states[0])
        same = known.same_states.get(state, frozenset()) | {state}
        place = next((place for place, word in enumerate(words) if word in same | opposites[state]), len(words))
        if place == len(words):
            continue
        before, has_opposite = {*words[:place]}, not opposites[state].isdisjoint(words)
        other_things = asked[asked.index(state) + 1 :]
        if other_things[:1] in (("of",), ("the",)) and before & {*other_things} - known.little - known.auxiliaries:
            return ""
        if words[place] == state and not has_opposite:
            return "yes" if {*words} <= small and not any(map(denies, words)) else None
        linked = place + 1 == len(words) or not before.isdisjoint(known.auxiliaries | known.degrees)
        if not linked or not before - known.deny <= small:
            return "" if state in words and has_opposite and "there" not in asked else None
        denied = any(denies(word) for word in before)
        if words[place] in same:
            return "no" if denied else "yes"
        return "no" if not denied else "yes" if opposites is known.states else ""
    return None


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
    wanted = asked[1:] if stands_for_thing and len(asked) > 1 else asked
    said = list(map(stem, words))
    if not wanted or len(words) < (2 if pronoun else 3) or not {*wanted} <= {*said}:
        return "no" if denied and pronoun and len(words) <= 4 else None
    if denied and any(denies(word) and after in wanted for word, after in pairwise(said)):
        return "no"
    before = words[: said.index(wanted[0])]
    other_thing = not known.relations.isdisjoint({*before} - {*tokens(question)})
    past = not _PAST.isdisjoint(words) and _PAST.isdisjoint(tokens(question))
    if _EXISTS_ASKED.match(question) and not denied and not past and words[:1] == ("the",) and "has" in words:
        return "yes"
    if other_thing or past or not _in_order(wanted, said) or not _asked_relations(question, wanted) <= {*words}:
        return None
    return "no" if denied else "yes"


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


def _is_place(word: str, asked: Sequence[str]) -> bool:
    """Whether "on" or "off" begins a place ("on the left") instead of being a state ("Is it on?")."""
    return word in ("on", "off") and asked[-1] != word


def denies(word: str) -> bool:
    """Whether a word denies what a sentence says."""
    return word in rules().deny or word == "cannot" or word.endswith(("n't", "n’t"))


def stem(word: str) -> str:
    """A word without the endings by which a reply's words differ from the question's: "wear" of wearing and wears."""
    word = word[:-3] if len(word) > 5 and word.endswith("ing") else word
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


_ALONE = re.compile(r"^[\w'’]+\s*(?:[,.!;:—–-]|$)\s*")
"""A word alone or before a comma."""
_BUT = re.compile(r"\b(?:but|although|though|however)\b", re.IGNORECASE)
PRONOUNS = frozenset(("it", "he", "she", "they", "there", "this", "that", "these", "those", "it's", "he's", "she's"))
_EXISTS_ASKED = re.compile(r"(?:is|are|was|were) there\b(?! no)|(?:can|do) you see\b", re.IGNORECASE)
_MISSING = re.compile(r"\b(?:no|not an?|without an?|without any) (\w+)", re.IGNORECASE)
_NOT_THAT = re.compile(r", (?:and )?not (?:an? |the )?(\w+)$", re.IGNORECASE)
_PAST = frozenset(("was", "were", "had", "did", "been"))
_COMPARED = re.compile(r"\b(?:more like|more of|rather) [^,;]*\bthan\b(.*)", re.IGNORECASE)
_CONCEDED = re.compile(
    r",? (?:(?:even )?though|although|but (?:i|we|you|one|it['’]s|it is) (?:\w+ )?(?:can|could|hard|difficult))\b.*$",
    re.I,
)
