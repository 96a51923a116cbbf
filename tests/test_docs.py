"""Every example in the README and in docs/ is run, page by page, from top to bottom, in an empty folder.

Blocks marked ``bash`` are commands, blocks marked ``python`` are programs; a block right after the comment
``<!-- not run: why -->`` is only shown. Blocks with a title, such as ``yaml title="run.yaml"``, are files.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
NEEDS_TORCH = frozenset(
    (
        "collect-with-a-team.md",
        "commands.md",
        "extending.md",
        "huggingface.md",
        "train-a-robust-model.md",
        "training.md",
    ),
)
"""Other pages are run as without PyTorch, which most users have not installed."""
BLOCK = re.compile(
    r"""(<!-- not run: [^\n]+ -->\n+)?^```(\w+)(?: title="(\S+)")?\n(.*?)^```""", re.MULTILINE | re.DOTALL
)
FENCE = re.compile(r"""^ *```(\w+( title="\S+")?)?$""")


def blocks(page: Path) -> list[tuple[str, str, str]]:
    """Language, file name and text of each block that is run or written."""
    found = BLOCK.findall(page.read_text(encoding="utf-8"))
    kept = [(language, name, text) for skipped, language, name, text in found if not skipped]
    return [block for block in kept if block[1] or block[0] in ("bash", "python")]


@pytest.fixture(scope="session")
def page_runners(tmp_path_factory, world_cache):
    """Processes that run pages, with PyTorch and without; each is started when a page needs it."""
    running = {}

    def runner(torch):
        if torch not in running:
            environment = {
                **os.environ,
                "ASKEW_CACHE": str(world_cache),
                "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
            }
            if not torch:
                hidden = tmp_path_factory.mktemp("without-torch")
                (hidden / "torch.py").write_text("raise ModuleNotFoundError('No module named torch', name='torch')\n")
                environment["PYTHONPATH"] = os.pathsep.join(filter(None, (str(hidden), os.environ.get("PYTHONPATH"))))
            command = [sys.executable, str(Path(__file__).with_name("run_page.py"))]
            pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "encoding": "utf-8"}
            running[torch] = subprocess.Popen(command, env=environment, **pipes)
        return running[torch]

    yield runner
    for process in running.values():
        process.communicate(timeout=60)


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page)], ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_of(page, tmp_path, page_runners):
    (tmp_path / "page").mkdir()
    log = tmp_path / "output.txt"
    request = {"folder": str(tmp_path / "page"), "log": str(log), "blocks": blocks(page)}
    runner = page_runners(page.name in NEEDS_TORCH)
    runner.stdin.write(json.dumps(request) + "\n")
    runner.stdin.flush()
    code = runner.stdout.readline().strip()
    assert code == "0", f"{page.name}: exit code {code or 'missing'}\n{log.read_text(encoding='utf-8')}"


def test_blocks_are_found():
    assert any(language == "bash" for language, _, _ in blocks(ROOT / "README.md"))
    assert any(language == "python" for language, _, _ in blocks(ROOT / "README.md"))


def test_every_block_begins_in_a_way_that_the_site_can_show():
    wrong = [
        f"{page.name}:{number} {line}"
        for page in PAGES
        for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1)
        if line.lstrip().startswith("```") and not FENCE.match(line)
    ]
    assert wrong == []


def test_the_site_has_every_page_a_search_index_and_no_broken_block(tmp_path):
    pytest.importorskip("zensical", reason="Zensical needs Python 3.11")
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    build = [str(Path(sys.executable).with_name("zensical")), "build", "--strict"]
    done = subprocess.run(build, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stdout + done.stderr
    pages = sorted((ROOT / "docs").rglob("*.md"))
    for page in pages:
        built = (tmp_path / "site" / page.relative_to(ROOT / "docs")).with_suffix(".html").read_text(encoding="utf-8")
        assert "```" not in built, page.name
    index = json.loads((tmp_path / "site" / "search.json").read_text(encoding="utf-8"))
    found = {entry["location"].split("#")[0] for entry in index["items"]}
    assert {str(page.relative_to(ROOT / "docs").with_suffix(".html")) for page in pages} <= found


def test_every_page_is_in_the_table_of_contents():
    def names(entry):
        if isinstance(entry, str):
            yield entry
        else:
            for part in entry.values() if isinstance(entry, dict) else entry:
                yield from names(part)

    contents = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"]
    there = [str(page.relative_to(ROOT / "docs")) for page in (ROOT / "docs").rglob("*.md")]
    assert sorted(names(contents)) == sorted(there)
