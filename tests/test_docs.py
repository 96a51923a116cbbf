"""Every example in the README and in docs/ is run, page by page, from top to bottom, in an empty folder.

Blocks marked ``bash`` are commands, blocks marked ``python`` are programs; a block right after the comment
``<!-- not run: why -->`` is only shown. Blocks marked with a file's name, such as ``yaml run.yaml``, are files.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NEEDS_TORCH = frozenset(("commands.md", "extending.md", "huggingface.md", "training.md"))
"""Other pages are run as without PyTorch, which most users have not installed and which takes seconds to import."""
BLOCK = re.compile(r"(<!-- not run: [^\n]+ -->\n+)?^```(\w+)(?: (\S+))?\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Language, file name and text of each block that is run or written."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [(language, name, text) for skipped, language, name, text in found if not skipped]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of(page, tmp_path, tmp_path_factory, world_cache):
    environment = {
        **os.environ,
        "ASKEW_CACHE": str(world_cache),
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
    }
    if page.name not in NEEDS_TORCH:
        hidden = tmp_path_factory.mktemp("without-torch")
        (hidden / "torch.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')\n")
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(hidden), os.environ.get("PYTHONPATH"))))
    for language, name, text in blocks(page):
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
        elif language in ("bash", "python"):
            command = ["bash", "-euc", text] if language == "bash" else [sys.executable, "-W", "error", "-c", text]
            done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=240)
            assert done.returncode == 0, f"{page.name}:\n{text}\n{done.stdout}\n{done.stderr}"


def test_blocks_are_found():
    assert any(language == "bash" for language, _, _ in blocks(ROOT / "README.md"))
    assert any(language == "python" for language, _, _ in blocks(ROOT / "README.md"))
