"""Text that people and models wrote: limited in length, stored as it is, and compared in a normalised form."""

from __future__ import annotations

from askew.answers.normalise import clean, normalise, tokens
from askew.collect.refusals import Refused


def checked_text(text: str, most: int, what: str) -> str:
    """The text without surrounding whitespace, if it is acceptable; ``what`` names it in the error ("A question").

    >>> checked_text(" Is it red? ", 120, "A question")
    'Is it red?'
    >>> checked_text("", 120, "A question")
    Traceback (most recent call last):
    askew.collect.refusals.Refused: A question has 1 to 120 characters; this one has 0.
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
