"""Number words: 5 and ``five``."""

from __future__ import annotations

import re

_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_SMALL = f"zero one two three four five six seven eight nine {_TEENS}".split()
_TENS = ["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_VALUES = {word: value for value, word in enumerate(_SMALL)} | {word: 10 * i for i, word in enumerate(_TENS, start=2)}
_ALIASES = {"none": 0, "no": 0, "nothing": 0, "dozen": 12, "couple": 2, "hundred": 100, "one hundred": 100}
_ARTICLES = re.compile(r"^(?:a|an|the)\s+")


def number_word(number: int) -> str:
    """A whole number as written in text: in words up to one hundred, in digits above.

    >>> [number_word(n) for n in (0, 5, 12, 21, 100, 150)]
    ['zero', 'five', 'twelve', 'twenty-one', 'one hundred', '150']
    """
    if number < 0 or number > 100:
        return str(number)
    if number == 100:
        return "one hundred"
    if number < 20:
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_SMALL[ones]}" if ones else "")


def number_of(text: str) -> int | None:
    """The whole number that an answer gives, or None if it is not a single exact number.

    >>> [number_of(text) for text in ("5", "Five", "twenty-one", "one hundred", "a dozen", "none", "1,000")]
    [5, 5, 21, 100, 12, 0, 1000]
    >>> [number_of(text) for text in ("many", "5+", "2 or 3", "10:30", "", "5 dogs", "3.5")]
    [None, None, None, None, None, None, None]
    """
    words = _ARTICLES.sub("", text.strip().lower().rstrip(".").strip())
    if re.fullmatch(r"[0-9]{1,9}|[0-9]{1,3}(,[0-9]{3}){1,2}", words):
        return int(words.replace(",", ""))
    if words in _VALUES:
        return _VALUES[words]
    if words in _ALIASES:
        return _ALIASES[words]
    tens, _, ones = words.replace(" ", "-").partition("-")
    if tens in _TENS and ones in _SMALL[1:10]:
        return _VALUES[tens] + _VALUES[ones]
    return None
