"""Writes ``language/everyday_words.yaml``: words that everybody knows, which P2 may put into any question.

    python tools/make_everyday_words.py

Three lists: the words of the embedded world's questions and scenes, WordNet's frequent words (those that WordNet's
authors found often enough in the texts that they tagged), and words for everyday things that these texts, most of them
from the 1960s, lack; the third list is kept from the file as it is and is edited by hand.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from textwrap import wrap

import yaml

from askew.language.wordnet import wordnet_folder

FILE = Path(__file__).parents[1] / "src" / "askew" / "language" / "everyday_words.yaml"
WORLD = FILE.parents[1] / "world"
LEAST = 4
"""How often a word must be in the tagged texts."""
WORD = re.compile(r"[a-z]+")
HEAD = """\
# Words that everybody knows, in their base forms: P2 may put them into a question even if the data do not contain them.
# `world` and `wordnet` are written by tools/make_everyday_words.py; `household` is written by hand.
"""


def frequent() -> Counter[str]:
    """How often each word is in the texts that WordNet's authors tagged: a line has a sense key, a number, a count."""
    counts = Counter[str]()
    for line in Path(wordnet_folder(), "cntlist.rev").read_text(encoding="utf-8").splitlines():
        key, _, count = line.split()
        counts[key.partition("%")[0]] += int(count)
    return counts


def main() -> None:
    """Write the file."""
    household = yaml.safe_load(FILE.read_text(encoding="utf-8"))["household"].split() if FILE.is_file() else []
    world = {word for path in sorted(WORLD.rglob("*.yaml")) for word in WORD.findall(path.read_text("utf-8").lower())}
    common = {word for word, count in frequent().items() if count >= LEAST and WORD.fullmatch(word)}
    lists = {
        "world": sorted(world - common),
        "wordnet": sorted(common),
        "household": sorted({*household} - common - world),
    }
    text = "".join(
        f"{name}: >-\n" + "".join(f"  {line}\n" for line in wrap(" ".join(words), 118)) for name, words in lists.items()
    )
    FILE.write_text(HEAD + text, encoding="utf-8")
    print({name: len(words) for name, words in lists.items()})


if __name__ == "__main__":
    main()
