"""Write ``locks/``: each package that the Makefile installs, with its version and the SHA-256 of each of its files.

Run by ``make lock``. Versions that are already locked are kept, unless ``--upgrade`` is given or they no longer fit. uv
resolves for all supported versions of Python and all systems at once, and uses its configured index.

PyTorch comes in two builds. The registry's needs gigabytes of CUDA libraries on Linux; the CPU build, which pip finds
where it is told to look (``PIP_FIND_LINKS`` or another index), needs none. So torch has a lock of its own that accepts
both, and the CUDA libraries another one, which is installed only for the build that needs them.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

LOCKS = Path("locks")
GROUPS = ("dev", "docs")
USER = ("language", "translate", "rank", "bundled")
CUDA = re.compile(r"(nvidia-|cuda-|triton)")
CPU_BUILDS = {
    "torch-2.13.0+cpu-cp311-cp311-manylinux_2_28_x86_64.whl": (
        "6746dbcbeb526eb61330b76b41ff1b4eb848951103a892eeb080dfa2b264667b"
    ),
}
"""Files of the CPU build, with their SHA-256. For another Python or system, add the file after checking it."""


def resolved(output: Path, *inputs: str, upgrade: bool) -> str:
    """What uv resolves these inputs to; pins that ``output`` has are kept."""
    options = [
        "--universal",
        "--python-version",
        "3.10",
        "--generate-hashes",
        "--no-annotate",
        "--no-header",
        "--quiet",
    ]
    options += ["--upgrade"] if upgrade else []
    subprocess.run([sys.executable, "-m", "uv", "pip", "compile", *inputs, *options, "-o", str(output)], check=True)
    return output.read_text()


def entries(lock: str) -> list[str]:
    """The packages of a lock, each with its lines of hashes.

    >>> entries("a==1 \\\\\\n    --hash=sha256:0\\nb==2 \\\\\\n    --hash=sha256:1\\n")
    ['a==1 \\\\\\n    --hash=sha256:0\\n', 'b==2 \\\\\\n    --hash=sha256:1\\n']
    """
    return re.findall(r"^\S.*\n(?:[ \t].*\n)*", lock, re.MULTILINE)


def with_cpu_builds(entry: str) -> str:
    """The entry of torch with the hashes of the CPU builds."""
    hashes = [f"    --hash=sha256:{digest}" for digest in CPU_BUILDS.values()]
    return entry.rstrip("\n") + "".join(f" \\\n{line}" for line in hashes if line.strip() not in entry) + "\n"


def main() -> None:
    """Lock everything, then write each part into its file."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that fit")
    upgrade = parser.parse_args().upgrade
    whole = LOCKS / "whole.txt"  # all of the development environment: the other files agree with it
    parts = [LOCKS / name for name in ("dev.txt", "torch.txt", "cuda.txt")]
    whole.write_text("".join(part.read_text() for part in parts if part.is_file()))
    try:
        groups = [part for group in GROUPS for part in ("--group", group)]
        inputs = ("pyproject.toml", "--all-extras", *groups, "locks/build.in")
        found = entries(resolved(whole, *inputs, upgrade=upgrade))
        agree = ("-c", str(whole))
        resolved(LOCKS / "build.txt", "locks/build.in", *agree, upgrade=upgrade)
        extras = [part for extra in USER for part in ("--extra", extra)]
        resolved(LOCKS / "user.txt", "pyproject.toml", *extras, *agree, upgrade=upgrade)
    finally:
        whole.unlink()
    torch = [with_cpu_builds(entry) for entry in found if entry.startswith("torch==")]
    cuda = [entry for entry in found if CUDA.match(entry)]
    rest = [entry for entry in found if not entry.startswith("torch==") and entry not in cuda]
    for part, lines in zip(parts, (rest, torch, cuda), strict=True):
        part.write_text("".join(lines))


if __name__ == "__main__":
    main()
