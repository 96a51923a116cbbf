"""Text that people and models wrote: bounded, kept as it came, and compared in a normalised form."""

from __future__ import annotations

from askew.answers.normalise import clean, normalise, tokens
from askew.collect.refusals import Refused


def checked_text(text: str, most: int, what: str) -> str:
    """The text without spaces around it, if it can be taken; ``what`` names it ("A question").

    >>> checked_text(" Is it red? ", 120, "A question")
    'Is it red?'
    >>> checked_text("", 120, "A question")
    Traceback (most recent call last):
    askew.collect.refusals.Refused: A question has 1 to 120 characters; this one has 0.
    """
    text = text.strip()
    if not 1 <= len(text) <= most:
        raise Refused(f"{what} has 1 to {most} characters; this one has {len(text)}.")
    if any(unstorable(sign) for sign in text):
        raise Refused(f"{what} must be plain text; this one has characters that cannot be shown.")
    return text


def stored_reply(text: str, most: int) -> str:
    """A model's words as they can be stored: at most so many characters, none that a database refuses.

    >>> stored_reply("red" + chr(0), 2)
    're'
    """
    return "".join("�" if unstorable(sign) else sign for sign in text[:most])


def unstorable(sign: str) -> bool:
    """True for NUL and halves of characters, which a database refuses."""
    return sign == "\0" or "\ud800" <= sign <= "\udfff"


def same_question(text: str) -> str:
    """What two questions share that differ only in case, spaces and punctuation; empty when there are no words.

    >>> same_question("Is it  RED?"), same_question("?!")
    ('is it red', '')
    """
    return " ".join(tokens(text))


def same_answer(text: str) -> str:
    """What two equal answers share: the public VQA evaluator's normalisation, or the text where nothing would be left.

    >>> same_answer("The two dogs."), same_answer("A")
    ('2 dogs', 'a')
    """
    return normalise(text) or clean(text).lower()
