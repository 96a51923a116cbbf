"""Counts the files of askew in which at least one function runs during a command, by folder.

    python tools/count_entered_files.py run --suite p2 --model hf:FOLDER --data QUESTIONS.json --output runs/p2

For the tour in ``docs/architecture.md``. Use a new output folder: a resumed run asks nothing.
"""

from __future__ import annotations

import sys
import threading
from collections import Counter
from inspect import CO_OPTIMIZED
from pathlib import Path
from types import FrameType

SOURCE = str(Path(__file__).parents[1] / "src" / "askew") + "/"


def entered_files(words: list[str]) -> set[str]:
    """The files of the package in which a function ran; the bodies of modules and classes do not count."""
    entered: set[str] = set()

    def notice(frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if event == "call" and code.co_flags & CO_OPTIMIZED and code.co_filename.startswith(SOURCE):
            entered.add(code.co_filename.removeprefix(SOURCE))

    threading.setprofile(notice)
    sys.setprofile(notice)
    try:
        from askew.cli import main

        main(words)
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
    return entered


if __name__ == "__main__":
    found = entered_files(sys.argv[1:])
    loaded = [name for name, module in sys.modules.items() if name.split(".")[0] == "askew" and module.__file__]
    print(f"\n{len(found)} files entered of {len(loaded)} imported")
    for folder, count in Counter(str(Path(file).parent) for file in found).most_common():
        print(f"{count:5} {folder}")
