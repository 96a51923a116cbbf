"""What a clause adds to an open question, in the place that the question leaves open."""

from __future__ import annotations

import re
from collections.abc import Sequence

from askew.answers.extract_clauses import SHOWS, Clause
from askew.answers.extract_frame import Frame, is_doing, is_done
from askew.answers.extract_rules import rules
from askew.answers.extract_words import DETERMINERS, LINKS, PREPOSITIONS, PRONOUNS, denies, stem, word_set

ALIGNED, POINTS, LOOSE = 3, 2, 0.5
"""How well a clause fits: it says something of what is asked, of "it" or "there", or of the image as a whole."""
DESCRIBES = re.compile(r"(?:the|this) (?:\w+ )?(?:image|picture|photo|photograph|scene)\b", re.I)
_KINDS_OF_ALL = word_set("animal vehicl person object food drink building structur devic plac thing item piec")
_HAS = word_set("has have holds features contains shows")
_FILLED = tuple(
    f"{be} {done} with " for be in ("is", "are") for done in ("filled", "covered", "decorated", "topped", "lined")
)
_SAYS = word_set("suggest suggests indicate says reads shows displays indicates states gives")
_POSTURES = word_set("sits sit lies lie stands stand hangs hang rests rest")
_SEES = word_set("see notice spot find observe note")
GENERIC = frozenset(
    stem(word)
    for word in word_set(
        "answer one thing item object label part person outline surface body main only same exterior color colour "
        "overall name text writing sign image picture photo"
    )
)
TAIL = word_set("which that who where when whose")


FRAGMENT = 7
"""A reply of so few words, without a verb, is nothing but the answer."""
REFERS = word_set("it he she they his her its their this that")


def value_of(asked: Frame, clause: Clause) -> tuple[str, float]:
    """What a clause adds to the question, and how well it fits.

    >>> from askew.answers.extract_clauses import clauses
    >>> from askew.answers.extract_frame import frame
    >>> said = ("The vase is on the table", "A man is holding the vase", "It is on it")
    >>> [value_of(frame("Who is holding the vase?"), clauses(one)[0])[0] for one in said]
    ['on the table', 'A man', 'on it']
    """
    words, written = clause.words, clause.written
    if asked.kind == "text" and clause.text.count('"') == 2:
        return clause.text, POINTS
    if words[:1] == ("not",):
        rest = " ".join(_without_repeated(asked, written))
        return rest, ALIGNED if rest else 0
    if not words:
        return "", 0
    if asked.kind == "colour" and not any(map(denies, words)):  # "a red bus", of a bus
        colours = rules().colours - asked.asked
        for at, word in enumerate(words[:-1]):
            if word in colours and stem(words[at + 1]) in asked.given - asked.head:
                return clause.text, ALIGNED
    start = _main(clause)
    best: tuple[str, float] = ("", 0)
    for at in range(start, len(words)):
        is_link = (
            (words[at] in LINKS and words[at] != "being")
            or words[at] in _POSTURES
            or (words[at] == "be" and at > start)
        )
        is_link = is_link or (
            asked.kind != "place" and words[at] in _SEES and words[start] in ("i", "you", "we", "one")
        )
        is_verb = stem(words[at]) in asked.verbs or words[at] in SHOWS | _SAYS
        if is_verb and not is_link and words[at + 1 : at + 2] and words[at + 1] in SHOWS | LINKS:
            continue
        if is_verb and not is_link and is_done(words[at]) and not LINKS.isdisjoint(words[at:]):
            continue  # "The sport played here is tennis"
        if not (is_link or is_verb) or (at > start + 1 and not TAIL.isdisjoint(words[max(start + 1, at - 2) : at])):
            continue
        left, right = words[start:at], written[at + 1 :]
        fit = _topic(asked, left, is_link)
        if asked.has_place and fit == LOOSE and (words[at] in _HAS or " ".join(words[at:]).startswith(_FILLED)):
            fit = POINTS
        if left in (("nothing",), ("nobody",), ("no", "one")):
            return " ".join(left), POINTS
        if (
            (is_link or LINKS.isdisjoint(words[at:]))
            and _names_new(asked, left)
            and _is_topic_after(asked, words[at + 1 : _comma(written, at + 1)])
        ):
            while (words[at - 1] == "can" or stem(words[at - 1]) in asked.given | asked.head) and _names_new(
                asked, words[start : at - 1]
            ):
                at -= 1
            return " ".join(written[start:at]), ALIGNED
        if fit and words[at] in _HAS and left[0] in PRONOUNS and not asked.verbs and "have" not in asked.asked:
            fit -= 0.75
        if asked.verbs and fit and not asked.verbs & {*map(stem, words)}:
            fit -= 0.75
        if not fit and words[at] in _SAYS and asked.kind in ("thing", "text"):
            fit = POINTS - 0.5
        if fit and asked.kind == "who" and "by" in words[at:]:
            return " ".join(written[at + words[at:].index("by") + 1 :]), fit
        if right and (fit > best[1] or (fit == best[1] and is_link and asked.kind == "who")):
            is_text = asked.kind == "text" and is_verb
            best = " ".join(right if is_text else _without_repeated(asked, right)), fit
        if fit and "not" in words[at:] and words[-1] == "anything":
            return "nothing", fit
    if not best[0] and asked.kind == "place":
        at = next((at for at, word in enumerate(words) if at > start and word in PREPOSITIONS), 0)
        if at and (words[start] in ("i", "you", "we") or _topic(asked, words[start : at - 1], False) >= POINTS):
            return " ".join(written[at:]), POINTS
    if not best[0] and is_fragment(words[: _comma(written, 0)]):
        return clause.text, {"": ALIGNED, "colon": ALIGNED - 0.5, "arrow": ALIGNED}.get(clause.joint, LOOSE)
    return best


def _comma(written: Sequence[str], start: int) -> int:
    return next((at + 1 for at, word in enumerate(written) if at >= start and word.endswith(",")), len(written))


def _main(clause: Clause) -> int:
    """Where the main part begins, after a first phrase that ends with a comma: "In her hand, there is a cup"."""
    if clause.words[0] not in PREPOSITIONS | {"as", "looking", "based", "considering", "according", "regarding"}:
        return 0
    links = [at for at, word in enumerate(clause.words) if word in LINKS]
    for at, word in enumerate(clause.words[:-1]):
        if at > 1 and word in {"it", "he", "she", "they", "there", "i", "we", "you"}:
            return at
        if word in LINKS:
            break
        if (
            at > 2
            and word in DETERMINERS
            and clause.words[at - 1] not in PREPOSITIONS | DETERMINERS
            and not _HAS.isdisjoint(clause.words[at:])
        ):
            return at
    starts = PRONOUNS | DETERMINERS | {"i", "we", "you", "i'd"}
    ends = [
        at + 1
        for at, word in enumerate(clause.written[:-1])
        if word.endswith(",") and (clause.words[at + 1] in starts or any(link > at for link in links))
    ]
    return ends[-1] if ends else 0


def _topic(asked: Frame, left: Sequence[str], is_link: bool) -> float:
    """How well the words before a verb fit what the question is about."""
    if not left:
        return 0
    if any(map(denies, left)):
        return 0
    if left[0] == "there" and not is_link and asked.main & {*map(stem, left)}:
        return ALIGNED
    if left[0] == "there":
        return POINTS
    if left[0] == "what":
        return ALIGNED if is_link and len(left) > 1 else 0
    if left[0] in ("this", "that", "these", "those") and len(left) == 2:
        return POINTS
    if left[0] in PREPOSITIONS or (len(left) > 1 and left[1] in PREPOSITIONS and is_done(left[0])):
        return POINTS if is_link else 0
    if DESCRIBES.match(" ".join(left)) and not {"imag", "pictur", "photo"} & asked.given:
        return LOOSE / 2 if asked.given - asked.head else POINTS
    if asked.kind == "doing" and not asked.main:
        return POINTS
    known = rules()
    end = _end(left)
    small = known.little | known.auxiliaries | DETERMINERS | known.degrees | PRONOUNS | {"would", "both", "all", "i"}
    heads = [word for word in left[:end] if word not in small]
    if not heads:
        return POINTS + (0.5 if PRONOUNS & {*left} else 0)
    last, stems = stem(heads[-1]), {*map(stem, heads)}
    if asked.has_place and not asked.head:
        return LOOSE if stems & asked.given else 0
    if last in asked.head and not asked.main <= {*map(stem, left)} and REFERS.isdisjoint(left):
        return POINTS
    if asked.kind == "who" and any(last.startswith(verb) for verb in asked.verbs):
        return ALIGNED
    if (
        last in _KINDS_OF_ALL
        and {stem(word) for word in left if word not in small | PREPOSITIONS} - {last} <= asked.given
    ):
        return POINTS
    if last in asked.main | asked.head or (stems & (asked.main | asked.head) and stems <= asked.given | GENERIC):
        return ALIGNED
    if len(last) > 3 and any(main.startswith(last) for main in asked.main):
        return POINTS
    if last in asked.given:
        return POINTS if asked.kind != "colour" and heads[-1] + "'s" in asked.asked else LOOSE
    return POINTS if stems <= GENERIC else 0


def _end(left: Sequence[str]) -> int:
    """Where the name of a thing ends: before where it is, or what it does."""
    ends = (
        at
        for at, word in enumerate(left)
        if word in PREPOSITIONS | TAIL or (at > 1 and (is_done(word) or is_doing(word)))
    )
    return next(filter(None, ends), len(left))


def _names_new(asked: Frame, left: Sequence[str]) -> bool:
    """Whether the words before a verb name something that the question does not."""
    known = rules()
    small = (
        known.little
        | known.auxiliaries
        | DETERMINERS
        | PRONOUNS
        | PREPOSITIONS
        | GENERIC
        | {"i", "what"}
        | known.degrees
    )
    heads = [word for word in left[: _end(left)] if word not in small and not denies(word)]
    return (
        bool(heads)
        and LINKS.isdisjoint(left)
        and left[0] not in PREPOSITIONS
        and not {*map(stem, heads)} <= asked.given | asked.head
    )


def _is_topic_after(asked: Frame, right: Sequence[str]) -> bool:
    """Whether the words after a verb only repeat the question: of "A cat is on the table"."""
    known = rules()
    small = (
        known.little
        | known.auxiliaries
        | DETERMINERS
        | PREPOSITIONS
        | {"located", "standing", "sitting", "lying", "being", "currently", "parked", "placed"}
    )
    right = right[1:] if asked.has_place and right and is_doing(right[0]) else right
    end = next(
        (at for at, word in enumerate(right) if word in PREPOSITIONS and asked.given & {*map(stem, right[:at])}),
        len(right),
    )
    right = right[: right.index("than") if "than" in right[:end] else end]
    return bool(right or asked.has_place or asked.kind == "who") and all(
        stem(word) in asked.given or word in small for word in right
    )


def _without_repeated(asked: Frame, right: Sequence[str]) -> Sequence[str]:
    """The words after a verb without those that the question has as well: "wearing" before "a hat"."""
    known, at = rules(), 0
    plain = [word.strip(".,!?\"'").lower() for word in right]
    keep_place = asked.kind in ("place", "manner")
    if plain[:1] == ["not"]:
        but = next(
            (place + 1 for place, word in enumerate(plain) if word in ("but", "rather") or right[place][-1:] == ","), 0
        )
        return right[but:] if but else ()
    if plain[:1] == ["the"] and len(plain) > 3 and plain[1] in asked.asked and plain[2] in ("of", "from"):
        at = 3  # "the flag of Portugal"
    while at < len(right) - 1:
        word = plain[at]
        repeats = stem(word) in asked.verbs or (
            word in asked.asked and word not in DETERMINERS and not (keep_place and word in PREPOSITIONS)
        )
        participle = (
            at + 1 < len(right) and plain[at + 1] in PREPOSITIONS | {"as"} and (is_done(word) or is_doing(word))
        )
        if (
            repeats
            or (word in known.degrees and asked.kind != "doing")
            or word in ("be", "likely", "also", "most", "some", "kind", "sort", "as", "seen")
        ) or (is_doing(word) and asked.kind == "thing" and (asked.verbs or "have" in asked.asked)):
            at += 1
        elif (word == "to" and plain[at + 1] == "be") or (word == "used" and plain[at + 1] in ("to", "for")):
            at += 2
        elif participle and asked.kind != "doing":
            at += 1 + (not keep_place or (plain[at + 1] in ("up", "down", "out", "off") and plain[at + 2 :] != []))
        elif not keep_place and at and word in PREPOSITIONS and asked.kind != "doing":
            at += 1
        else:
            break
    if asked.ends != "of" and asked.ends in plain[at:-1]:  # "with a set of blocks", of what a child plays with
        at = plain.index(asked.ends, at) + 1
    return right[at:]


def is_fragment(words: Sequence[str]) -> bool:
    """Whether words are no sentence but only name something."""
    known = rules()
    return {*words}.isdisjoint((known.auxiliaries - {"can"}) | LINKS | _SAYS | {"i", "we", "you"}) and (
        words[0] not in PRONOUNS - {"this", "that", "these", "those"} | {"the"}
        or (words[0] == "the" and len(words) <= FRAGMENT)
    )
