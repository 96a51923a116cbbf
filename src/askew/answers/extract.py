"""Extract a short VQA answer from a model's free text.

The store keeps the full text and extraction is applied at scoring, so another extraction needs no new requests. It uses
only the question and the text, never people's answers. Its name and version are in results.json.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from askew.answers.choices import RULES, chosen_option, exact_option
from askew.answers.extract_rules import bare, count, declines, first_sentence, marked, opened, refuses, rules, unquoted
from askew.answers.normalise import normalise, tokens, yes_no_other
from askew.errors import BadOption
from askew.types import Prediction, Question

VERSIONS: Mapping[str, int] = {"none": 1, "short": 5, **dict.fromkeys(RULES, 1), "vlmevalkit": 2}
"""The extraction steps. A version is raised whenever a step may extract a different answer from the same text."""
STEPS = tuple(VERSIONS)
REFUSAL, EMPTY = "refusal", "empty answer"


def check_step(step: str) -> None:
    """Unknown steps raise BadOption."""
    if step not in STEPS:
        raise BadOption(f"No extraction is called {step!r}. Known: {', '.join(STEPS)}.")


def signature(step: str) -> str:
    """The step with its version.

    >>> signature("short")
    'short-v5'
    """
    check_step(step)
    return f"{step}-v{VERSIONS[step]}"


def extract(step: str, question: Question, prediction: Prediction) -> Prediction:
    """The prediction with the answer extracted from the model's words, which are kept as ``raw``.

    >>> said = Prediction(1, "Yes, there is a dog.")
    >>> found = extract("short", Question(1, None, "Is there a dog?"), said)
    >>> found.answer, found.raw
    ('yes', 'Yes, there is a dog.')
    >>> extract("short", Question(1, None, "Who is it?"), Prediction(1, "I'm sorry, I can't help with that.")).error
    'refusal'

    The answer to a multiple-choice question is the text of the option that the reply names by letter or text; without
    extraction, the reply must consist of that alone.

    >>> asked = Question(1, None, "What is it?", choices=("a cat", "a dog"))
    >>> extract("none", asked, Prediction(1, "B")).answer, extract("none", asked, Prediction(1, "B, I think")).answer
    ('a dog', 'B, I think')
    """
    if step == "none" and not question.choices:
        return prediction
    check_step(step)
    said = prediction.answer
    if said is None:
        return prediction
    if step == "none":
        option = exact_option(question.choices, said)
        return prediction if option in (None, said) else replace(prediction, answer=option, raw=said)
    if step in RULES:
        _check_form(step, question)
        return replace(prediction, answer=RULES[step](said, question.choices), raw=said)
    answer, error = _option(question.choices, said) if question.choices else short(question.text, said)
    return replace(prediction, answer=answer, error=error, raw=said)


def _check_form(step: str, question: Question) -> None:
    """Refuse other questions for the rules of benchmarks, which are for yes/no and options but would answer any
    question."""
    if not question.choices and question.kind.answer_type != "yes/no" and not asks_yes_no(question.text):
        raise BadOption(
            f"--extract {step} is for yes/no questions and multiple choice, and question {question.id!r} "
            f"({question.text[:60]!r}) is neither. Leave --extract out, or give short."
        )
    if question.choices and step == "pope":
        raise BadOption(
            f"--extract pope is for yes/no questions, and question {question.id!r} has options. Leave --extract out, "
            "or give vlmevalkit."
        )


def _option(choices: Sequence[str], words: str) -> tuple[str | None, str | None]:
    """The option that a reply names, or its kind of non-answer; a reply that names no option is a wrong answer."""
    text = bare(words, speaker=False)
    if not text:
        return None, EMPTY
    option = chosen_option(choices, words)
    if option is None and refuses(text):
        return None, REFUSAL
    return option or text, None


def short(question: str, words: str) -> tuple[str | None, str | None]:
    """A short answer in lower case, or the kind of non-answer that the text is.

    Reasoning and markup are removed; then the answer to a yes/no question is the first word (or what the sentence
    affirms), to a counting question the number, to any other what a sentence says about its subject, otherwise its
    first clause.

    >>> short("How many dogs are there?", "There are **three** dogs.")
    ('3', None)
    >>> short("What color is the cat?", "<think>Fur.</think>The cat is white.")
    ('white', None)
    """
    text = bare(words)
    if not text:
        return None, EMPTY
    form = yes_no if asks_yes_no(question) else count if asks_how_many(question) else None
    if form is not None and (found := form(question, text)) is not None:
        return found, None
    if refuses(text):
        return None, REFUSAL
    found = _settled(question, text)
    return (found, None) if found else (None, EMPTY)


def unparsed(question: Question, said: Prediction, found: Prediction) -> str:
    """Why a reply holds no single answer to the question; empty if it does, or if nothing was extracted from it.

    >>> asked = Question(1, None, "What is it?", choices=("a cat", "a dog"))
    >>> said = Prediction(1, "It is a cat or a dog.")
    >>> unparsed(asked, said, extract("short", asked, said))
    'no option'
    """
    answer = found.answer
    if answer is None:
        return ""
    if found is not said and len(_answers_named(question, said.answer or "")) > 1:
        return "different answers"
    if question.choices:
        return "" if answer in question.choices else "no option"
    if found is said:
        return ""
    references = {yes_no_other(reference) for reference in question.answers[:1]}
    if references and "other" not in references and answer not in ("yes", "no"):
        return "neither yes nor no"
    return "several answers" if "or" in tokens(answer) and not {*question.answers} & {answer} else ""


def _answers_named(question: Question, words: str) -> set[str]:
    """The answers that a reply names after a mark ("Answer: red ... Answer: blue"), of which the last counts."""
    found = (
        chosen_option(question.choices, part) if question.choices else short(question.text, first_sentence(part))[0]
        for part in marked(words)
    )
    return {normalise(answer) for answer in found if answer}


def asks_yes_no(question: str) -> bool:
    """True for a question that begins with an auxiliary (after an opening such as "In the image,"), without "or".

    >>> [asks_yes_no(q) for q in ("Is it red?", "In it, aren’t there dogs?", "Is it red or blue?", "What is it?")]
    [True, True, False, False]
    """
    question = question.replace("’", "'")
    if "or" in tokens(question):
        return False
    first = (tokens(part)[:1] for part in question.split(",")[-2:])
    return any(word in rules().auxiliaries for words in first for word in words)


def asks_how_many(question: str) -> bool:
    """True for a question that asks for a number.

    >>> [asks_how_many(q) for q in ("How many cats?", "What is the number of cats?", "What number is on the bus?")]
    [True, True, False]
    """
    return rules().counting.search(question) is not None


def yes_no(question: str, text: str) -> str | None:
    """yes or no, or None if the text says neither.

    >>> yes_no("Is the dog asleep?", "The dog is not asleep."), yes_no("Is the cat black?", "The cat is white.")
    ('no', None)
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
    if words[:1] and words[0] in known.affirm:
        return "yes"
    if words[:1] and words[0] in known.deny:
        return "no"
    if refuses(text) or known.open & {*words} - {*tokens(question)}:
        return None
    if words[:1] == ("there",) and not known.deny.isdisjoint(words[2:3]):
        return "no"
    if words[:1] and words[0] in known.partly and not {"all", "both", "every"}.isdisjoint(tokens(question)):
        return "no"
    if (compared := _COMPARED.search(sentence)) is not None:
        return "no" if {*tokens(compared[1])} & {*tokens(question)} - known.little - known.auxiliaries else None
    words = tokens(_CONCEDED.sub("", sentence))
    said = {word for word in tokens(text) if word in ("yes", "no")}
    if len(said) == 1 and not (said == {"no"} and "yes" not in words and "no" not in words[:3]):
        return said.pop()
    found = _state(question, words)
    if found is None:
        clauses = [tokens(clause) for clause in re.split(r"[,;] ", sentence)[1:]]
        said_of_it = (clause for clause in clauses if clause[:1] and clause[0] in _PRONOUNS)
        found = next(filter(None, (_affirmed(question, clause) for clause in (words, *said_of_it))), None)
    return found or None


def phrase(question: str, text: str) -> str:
    """What a sentence says about its subject, otherwise its first clause.

    >>> phrase("What is the man holding?", "The man is holding a tennis racket in his hand.")
    'tennis racket'
    >>> phrase("Where is the cat?", "The cat is on the table, next to a cup.")
    'on the table'
    """
    sentence = _CONTRAST.sub("", _unlabelled(question, opened(first_sentence(opened(text)))))
    sentence = _HEDGE.sub("", _said_of_subject(question, sentence))
    clause = sentence
    if len(sentence.split()) > 3 and not _LIST.fullmatch(sentence):
        clause = _CLAUSE.split(sentence, maxsplit=1)[0]
    for tail in _TAILS:
        clause = tail.sub("", clause)
    clause = _ARTICLE.sub("", unquoted(clause)).lower()
    return _colour(question, clause) if _COLOUR_ASKED.search(question) else clause


def _unlabelled(question: str, sentence: str) -> str:
    """The sentence without a leading label made of the question's words: "red" from "Color: red"."""
    label, mark, rest = sentence.partition(":")
    return rest.strip() if mark and rest[:1] == " " and {*tokens(label)} <= {*tokens(question), "the"} else sentence


def _said_of_subject(question: str, sentence: str) -> str:
    """What a sentence says about its subject; the subject itself if the rest only repeats the question."""
    if _NOTHING.search(sentence):
        return "nothing"
    sentence = _TO_BE.sub("it is ", sentence)
    match = _COPULA.match(sentence) or _SHOWS.match(sentence)
    if match is None:
        return _object(question, sentence)
    rest = _without_repeated(question, match["rest"])
    asked, small = {*tokens(question)}, rules().little | rules().auxiliaries | {"being"}
    subject = match.groupdict().get("subject") or ""
    new = {*tokens(subject)} - asked - small - {"which", "what", "one"}
    if new and {*tokens(match["rest"])} - small <= asked and subject.lower() not in _PRONOUNS:
        return subject
    return rest or sentence


def _object(question: str, sentence: str) -> str:
    """What follows a verb of the question: "a surfboard" from "The man holds a surfboard" ("is holding")."""
    small = rules().little | rules().auxiliaries
    asked = {_stem(word) for word in tokens(question) if word not in small}
    words = sentence.split()
    for place, word in enumerate(words[1:6], 1):
        if word.endswith("s") and _stem(word.lower()) in asked and words[place + 1 :]:
            subject = [w.lower() for w in words[:place]]
            if subject[0] in {*_PRONOUNS, "the", "a", "his", "her"}:
                return " ".join(words[place + 1 :])
    return sentence


def _colour(question: str, phrase: str) -> str:
    """Only the colour, if a phrase also names the object: "blue" from "wearing a blue shirt"."""
    words = phrase.split()
    if words[-1:] in (["color"], ["colour"]) and words[-2:-1] and words[-2] in rules().colours:
        words = words[:-1]
    while len(words) > 1 and words[-1] in tokens(question) and words[-2] in rules().colours:
        words = words[:-1]
    known = [place for place, word in enumerate(words) if word in rules().colours]
    if known and _THING.match(phrase):
        words = words[known[0] : known[0] + 1]
    return " ".join(words)


_COPULA = re.compile(
    r"^(?:(?P<subject>it|this|that|there|he|she|they|these|those|you|we|i|what|(?:the|a|an|his|her|its|their|my|your|one"
    r"|both|some|all)\b[^,;:]*?|[\w'’-]+(?: [\w'’-]+){0,3}?)\s+(?:is|are|was|were|(?:would|must|could|might|may) be"
    r"|(?:appears?|seems?)(?: to (?:be|have been))?|looks?(?: like)?)|(?:it|that|there|he|she|they"
    r"|these)['’](?:s|re))\b\s+(?:(?:most )?likely |probably |possibly |clearly |currently |mostly |called |named )*"
    r"(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_SHOWS = re.compile(
    r"^(?:it|the [^,;:]*?)\s+(?:(?:shows|displays|indicates|says|reads):?(?=\s[\"“'‘]|\s\d)"
    r"|(?:has|have) (?=an? [\w-]+(?: [\w-]+){0,2} colou?r$))\s*(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_HEDGE = re.compile(
    r"^(?:(?:most |very |quite )?(?:likely|probably)|possibly|perhaps|maybe|presumably),? (?=\w)", re.IGNORECASE
)
_COMPARED = re.compile(r"\b(?:more like|more of|rather) [^,;]*\bthan\b(.*)", re.IGNORECASE)
_CONCEDED = re.compile(
    r",? (?:(?:even )?though|although|but (?:i|we|you|one|it['’]s|it is) (?:\w+ )?(?:can|could|hard|difficult))\b.*$",
    re.I,
)
_CONTRAST = re.compile(
    r"^.*?\b(?:not|isn['’]t|aren['’]t)\b[^,;]*[,;] (?:but(?: rather)?|rather|instead)?\s*(?=it\b|they\b)"
    r"|(?<=\w), (?:and )?not\b.*$",
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
_COLOUR_ASKED = re.compile(r"\b(?:what|which)(?: \w+)? colou?rs?\b", re.IGNORECASE)
_THING = re.compile(r"(?:\w+ing|\w+s|in|with|painted)\b.* ", re.IGNORECASE)
_CLAUSE = re.compile(
    r",\s+(?!and\b|or\b)|\s+[-–—]+\s+|:\s|\s\(|\s(?:because|which|while|although|though|but|since"
    r"|as (?:it|he|she|they|there)|that (?:is|are|was|were|has|have)"
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
_PRONOUNS = frozenset(("it", "he", "she", "they", "there", "this", "that", "these", "those", "it's", "he's", "she's"))


def _state(question: str, words: Sequence[str]) -> str | None:
    """Whether a sentence names the state that the question asks about, or its opposite: "closed" to "Is it open?".

    Empty if it says neither ("not small" of big), None if it names no such state. Nothing else may be said before it:
    "The door is closed" says nothing about a window.
    """
    known, asked = rules(), tokens(question)
    small = {*asked, *_PRONOUNS} | known.little | known.auxiliaries | known.degrees
    for opposites in (known.states, known.contrasts):
        state = next((word for word in reversed(asked) if word in opposites), None)
        if state is None:
            continue
        if state in words:
            return "yes" if {*words} <= known.degrees | {state} else None
        place = next((place for place, word in enumerate(words) if word in opposites[state]), len(words))
        before = {*words[:place]}
        linked = place + 1 == len(words) or not before.isdisjoint(known.auxiliaries | known.degrees)
        if place < len(words) and linked and before - known.deny <= small:
            denied = any(word in known.deny or word.endswith(("n't", "n’t")) for word in before)
            return "no" if not denied else "yes" if opposites is known.states else ""
    return None


def _affirmed(question: str, words: Sequence[str]) -> str | None:
    """Whether a sentence that repeats the question's words affirms or denies it; "there are no dogs" denies.

    A pronoun stands for the first thing that the question names. Fewer than three words only name something.
    """
    known = rules()
    denied = any(word in known.deny or word.endswith(("n't", "n’t")) for word in words)
    small = {_stem(word) for word in known.little | known.auxiliaries}
    asked = [stem for stem in map(_stem, tokens(question)) if stem not in small]
    pronoun = words[:1] and words[0] in _PRONOUNS
    wanted = asked[1:] if pronoun and len(asked) > 1 and words[0] != "there" else asked
    if not wanted or len(words) < (2 if pronoun else 3) or not {*wanted} <= {_stem(word) for word in words}:
        return "no" if denied and pronoun and len(words) <= 4 else None
    return "no" if denied else "yes"


def _stem(word: str) -> str:
    word = word[:-3] if len(word) > 5 and word.endswith("ing") else word
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _without_repeated(question: str, rest: str) -> str:
    """The text without leading words that the question already contains ("wearing a hat" for "wearing")."""
    if "or" in tokens(question):
        return rest
    asked = set(tokens(question)) - {"in", "on", "at", "under", "near"}
    words = _MADE_OF.sub("made of", rest).split()
    while len(words) > 1 and words[0].lower().strip(",") in asked - {"not", "no"}:
        words = words[1:]
    return " ".join(words)


def _settled(question: str, text: str) -> str:
    """Extract from the result again until it no longer changes, so that extraction is idempotent."""
    for _ in range(8):
        found = phrase(question, text)
        if not found or found == text:
            break
        text = found
    return found or text
