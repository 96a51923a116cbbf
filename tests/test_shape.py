"""The shape of the project: public names, documented commands, stages that do not import one another."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest

import askew
from askew.cli import COMMANDS
from running import run_askew

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "askew"
STAGES = (
    "data",
    "world",
    "language",
    "perturb",
    "attack",
    "rank",
    "models",
    "nets",
    "metrics",
    "audit",
    "report",
    "train",
)
MAY_USE = {
    "perturb": {"language"},
    "attack": {"language", "perturb"},
    "rank": {"language"},
    "world": {"data", "language"},
    "models": {"data", "nets"},
    "audit": {"metrics", "report"},
    "report": {"metrics"},
    "train": {"data", "world", "models", "nets", "metrics", "report"},
}
"""What a stage is built on; everything else meets in types."""
CYCLES: set[frozenset[str]] = set()
"""Groups of folders and root modules that still import one another; only to be made smaller."""


@cache
def nodes(file: Path) -> list[ast.AST]:
    """The syntax tree of a file, node by node."""
    return list(ast.walk(ast.parse(file.read_text(encoding="utf-8"))))


@pytest.fixture(scope="module", autouse=True)
def _free_trees() -> Iterator[None]:
    """The trees take 150 MB, which other tests in this process need not have."""
    yield
    nodes.cache_clear()


def imports(file: Path) -> set[str]:
    """Modules of ours that a file imports anywhere."""
    found = set()
    for node in nodes(file):
        if isinstance(node, ast.ImportFrom) and node.module:
            found.add(node.module)
        elif isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
    return {name for name in found if name.startswith("askew.")}


def parts() -> set[str]:
    """The folders and root modules of the package."""
    return {path.stem for path in SOURCE.iterdir() if path.suffix == ".py" or path.is_dir()} - {"__pycache__"}


def import_graph() -> dict[str, set[str]]:
    """For each part of the package the other parts that it imports, wherever in a file.

    The registry names components as strings and imports them when they are asked for by name, so it imports no part.
    """
    graph: dict[str, set[str]] = {part: set() for part in parts()}
    for file in SOURCE.rglob("*.py"):
        part = file.relative_to(SOURCE).parts[0].removesuffix(".py")
        graph[part] |= {name.split(".")[1] for name in imports(file)} & graph.keys() - {part}
    return graph


def reachable(graph: dict[str, set[str]], start: str) -> set[str]:
    """The parts that a part imports, directly or through others."""
    found: set[str] = set()
    waiting = [start]
    while waiting:
        for other in graph[waiting.pop()] - found:
            found.add(other)
            waiting.append(other)
    return found


def cycles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """The largest groups of parts that import one another, directly or through others."""
    reached = {part: reachable(graph, part) for part in graph}
    return {
        frozenset(other for other in graph if other in reached[part] and part in reached[other])
        for part in graph
        if part in reached[part]
    }


@pytest.mark.parametrize("stage", STAGES)
def test_stages_do_not_import_one_another(stage):
    others = [other for other in STAGES if other != stage and other not in MAY_USE.get(stage, set())]
    wrong = [
        f"{file.relative_to(SOURCE)}: {name}"
        for file in (SOURCE / stage).rglob("*.py")
        for name in imports(file)
        if any(name == f"askew.{other}" or name.startswith(f"askew.{other}.") for other in others)
    ]
    assert not wrong


def test_parts_of_the_package_do_not_import_one_another_in_a_cycle():
    assert cycles(import_graph()) == CYCLES


LAYERS = (
    {"types", "errors", "significance"},
    {"verbs"},
    {"files", "answers", "registry", *STAGES} - {"train"},
    {"engine"},
    {"suites", "gate", "train", "collect"},
    {"experiments", "play"},
    {"api", "inspect"},
    {"cli", "__init__"},
    {"__main__"},
)
"""The direction of imports: a part imports parts of its own layer and of those above it in this list."""


def test_imports_point_one_way():
    order = {part: number for number, layer in enumerate(LAYERS) for part in layer}
    graph = import_graph()
    assert order.keys() == graph.keys(), "each folder and root module belongs to a layer"
    wrong = [f"{part} imports {other}" for part in graph for other in graph[part] if order[other] > order[part]]
    assert wrong == []


def test_a_cycle_of_imports_is_found():
    graph = {"data": {"types"}, "models": {"train", "types"}, "train": {"api"}, "api": {"models"}, "types": set()}
    assert cycles(graph) == {frozenset({"api", "models", "train"})}


PROBES = {
    "cli/options.py": {"config", "quiet"},  # argparse
    "engine/components.py": {"questions"},  # whatever a person passes as data
    "files/limits.py": {"problem", "problem_mark", "strerror"},  # exceptions
    "files/read_write.py": {"CSafeLoader", "EDQUOT"},
    "models/python_function.py": {"__file__", "__qualname__", "__self__", "blind"},  # functions of users
    "models/object_hash.py": {"__dict__", "__file__", "__get__", "co_exceptiontable"},  # any value
    "models/huggingface/": {
        "__len__", "generate", "image_processor", "image_token", "is_dummy", "is_encoder_decoder", "is_vqa",
        "max_position_embeddings", "maybe_load_adapters", "shape", "to_tuple", "tokenizer",
    },
    "train/features.py": {"get_many"},  # features of users that have ``get`` alone
    "verbs.py": {
        "blind", "by_id", "counted", "free_text", "images", "notes", "opens_images", "path", "readers", "recorded",
        "remarks", "slices", "suites", "titles",
    },
}  # fmt: skip
"""Attributes that may be looked for by name, mostly of objects of other packages.

Of components askew asks what ``verbs.py`` declares, so that whoever writes one finds it there: a new optional method is
a protocol checked with ``isinstance``, a new fact a field of ``Metric`` or ``Loss``, or a property of ``ModelFacts``,
``SuiteFacts`` or ``DatasetFacts``.
"""


def probes(file: Path) -> set[str]:
    """Names that a file passes as text to ``hasattr``, or to ``getattr`` with or without a default."""
    calls = (node for node in nodes(file) if isinstance(node, ast.Call))
    return {
        call.args[1].value
        for call in calls
        if isinstance(call.func, ast.Name)
        and call.func.id in ("getattr", "hasattr")
        and len(call.args) > 1
        and isinstance(call.args[1], ast.Constant)
    }


def test_components_are_asked_only_what_verbs_declares():
    wrong = {}
    for file in SOURCE.rglob("*.py"):
        path = file.relative_to(SOURCE).as_posix()
        allowed = {name for start, names in PROBES.items() if path.startswith(start) for name in names}
        if found := probes(file) - allowed:
            wrong[path] = found
    assert wrong == {}


def test_a_probe_is_found(tmp_path):
    file = tmp_path / "probing.py"
    file.write_text("a = getattr(model, 'key', None)\nb = hasattr(model, 'price')\nc = getattr(model, name)\n")
    assert probes(file) == {"key", "price"}


NAMED_BY_COMMAND = ("cli/", "collect/commands/", "collect/web/pages/")
"""Folders whose files are named after a command or a page, and may share their name with the file they call."""


def repeated(names: Iterable[tuple[str, Path]]) -> dict[str, list[str]]:
    """The names that more than one file has or defines, each with the files."""
    places: dict[str, list[str]] = {}
    for name, file in names:
        places.setdefault(name, []).append(file.relative_to(SOURCE).as_posix())
    return {name: sorted(files) for name, files in places.items() if len(files) > 1}


def test_no_two_files_of_the_package_have_the_same_name():
    files = [file for file in SOURCE.rglob("*.py") if file.name != "__init__.py"]
    named = [file for file in files if not file.relative_to(SOURCE).as_posix().startswith(NAMED_BY_COMMAND)]
    assert repeated((file.name, file) for file in named) == {}


def test_no_two_classes_of_the_package_have_the_same_name():
    classes = (
        (node.name, file) for file in SOURCE.rglob("*.py") for node in nodes(file) if isinstance(node, ast.ClassDef)
    )
    assert repeated(classes) == {}


def test_a_repeated_name_is_found():
    files = [SOURCE / "metrics" / "rad.py", SOURCE / "suites" / "rad.py", SOURCE / "suites" / "p2.py"]
    assert repeated((file.name, file) for file in files) == {"rad.py": ["metrics/rad.py", "suites/rad.py"]}


FRAGMENT = 60
"""A module with fewer lines and a single reader is a part of that reader."""


def readers(modules: Mapping[str, Path]) -> dict[str, set[str]]:
    """For each module the others that import it, or a name from it."""
    found: dict[str, set[str]] = {name: set() for name in modules}
    for name, file in modules.items():
        for node in nodes(file):
            if isinstance(node, ast.ImportFrom) and node.module:
                imported = {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
                for other in imported & found.keys() - {name}:
                    found[other].add(name)
    return found


def test_modules_that_are_only_read_together_are_one():
    """Commands, pages, readers of benchmarks and migrations have a file each, however short."""
    apart = ("__init__.py", *NAMED_BY_COMMAND, "data/benchmarks/", "collect/migrations/")
    files = {".".join(file.relative_to(SOURCE.parent).with_suffix("").parts): file for file in SOURCE.rglob("*.py")}
    fragments = {
        name: reading
        for name, reading in readers(files).items()
        if len(reading) == 1
        and len(files[name].read_text(encoding="utf-8").splitlines()) < FRAGMENT
        and not any(part in files[name].as_posix() for part in apart)
    }
    assert fragments == {}


def test_a_fragment_is_found(tmp_path):
    (tmp_path / "loop.py").write_text("from pages import page\nfrom pages.page import write\n")
    (tmp_path / "page.py").write_text("def write(): ...\n")
    assert readers({"loop": tmp_path / "loop.py", "pages.page": tmp_path / "page.py"}) == {
        "loop": set(),
        "pages.page": {"loop"},
    }


def test_types_import_nothing_of_ours_and_verbs_only_types():
    assert not imports(SOURCE / "types.py")
    assert imports(SOURCE / "verbs.py") == {"askew.types"}


def test_every_public_name_exists_and_has_a_docstring():
    for name in askew.__all__:
        assert getattr(askew, name).__doc__, name
    assert sorted(askew.__all__) == list(askew.__all__)


def test_benchmarks_and_tools_import_existing_names():
    missing = []
    for file in (*(ROOT / "benchmarks").rglob("*.py"), *(ROOT / "tools").rglob("*.py")):
        for node in nodes(file):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "askew":
                place = SOURCE.joinpath(*(node.module or "").split(".")[1:])
                known = defined(place.with_suffix(".py")) | defined(place / "__init__.py")
                known |= {path.stem for path in place.glob("*") if path.suffix == ".py" or path.is_dir()}
                missing += [
                    f"{file.name}: {node.module}.{alias.name}" for alias in node.names if alias.name not in known
                ]
    assert missing == []


def defined(file: Path) -> set[str]:
    """The names that a module defines or imports; none if there is no such file."""
    if not file.is_file():
        return set()
    named = {node.name for node in nodes(file) if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assigned = {node.id for node in nodes(file) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    imported = {
        alias.asname or alias.name
        for node in nodes(file)
        if isinstance(node, ast.Import | ast.ImportFrom)
        for alias in node.names
    }
    return named | assigned | imported


def test_importing_askew_is_light():
    code = "import sys, askew; print(sorted({'numpy', 'PIL', 'yaml', 'spacy', 'tqdm'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_command_has_a_file_and_is_documented():
    files = {file.stem for file in (SOURCE / "cli").glob("*.py")} - {"__init__", "options", "show"}
    assert files == set(COMMANDS)
    page = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    for command in COMMANDS:
        assert f"## askew {command}" in page, f"docs/commands.md does not describe askew {command}"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_an_example(command):
    done = run_askew(command, "--help")
    assert done.returncode == 0
    assert "examples:" in done.stdout


def test_the_tree_is_documented():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for path in SOURCE.iterdir():
        if path.is_dir() and path.name != "__pycache__":
            assert f"  {path.name}/" in page, f"docs/architecture.md does not name {path.name}/"
        elif path.suffix == ".py" and not path.stem.startswith("__"):
            assert path.name in page, f"docs/architecture.md does not name {path.name}"


def test_the_tour_names_existing_files():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    tour = page[page.index("## A tour") :]
    rows = [row for row in tour.splitlines() if row.startswith("|")]
    stops = [name for row in rows for name in re.findall(r"`([a-z_0-9/]+\.py)`", row)]
    assert [name for name in stops if not (SOURCE / name).is_file()] == []
    assert len(stops) == len(set(stops)) > 20


_COUNTED_NOUN = re.compile(
    r" (?!(?:is|was|has|as|less|does|says|breaks|needs|others|this|its|of)\b)(?:[a-z-]+ )?[a-z-]*[a-rt-z]s\b"
)
CONSTANTS_ABOVE_ONE = {"len(MODELS)", "len(SUITES)", "count(noes)", "count(len(found.findings))"}
"""Counts that are never 1, or that are followed by a plural whatever they are ("none of 1 traits")."""


@pytest.mark.parametrize("folder", ["cli", "report", "play"])
def test_a_count_of_one_is_followed_by_a_singular(folder):
    """ "1 comparisons": counts and their nouns are written by ``plural``."""
    wrong = []
    for file in (SOURCE / folder).rglob("*.py"):
        for node in nodes(file):
            if isinstance(node, ast.JoinedStr):
                for value, after in zip(node.values, node.values[1:], strict=False):
                    if _is_count(value) and isinstance(after, ast.Constant) and _COUNTED_NOUN.match(after.value):
                        wrong.append(f"{file.name}:{node.lineno}: {ast.unparse(value.value)}{after.value[:20]!r}")
    assert [one for one in wrong if not any(name in one for name in CONSTANTS_ABOVE_ONE)] == []


def _is_count(value):
    """Whether a part of an f-string is ``len(...)``, ``count(...)`` or a number with separators of thousands."""
    if not isinstance(value, ast.FormattedValue):
        return False
    called = isinstance(value.value, ast.Call) and isinstance(value.value.func, ast.Name)
    comma = value.format_spec is not None and ast.unparse(value.format_spec).strip("f'\"") == ","
    return comma or (called and value.value.func.id in ("len", "count"))
