"""Write a bill of materials (CycloneDX 1.6, JSON) of everything that the locks install: ``make sbom``.

    python tools/sbom.py [FILE]

Packages of ``locks/user.txt`` are required, all others optional (extras and development tools). A package has the
SHA-256 of each of its files, and the condition under which it is installed. The same locks give the same bytes.
"""

from __future__ import annotations

import json
import re
import sys
import uuid
from importlib import metadata
from pathlib import Path
from typing import Any

LOCKS = Path("locks")
FILES = ("user.txt", "build.txt", "dev.txt", "torch.txt", "cuda.txt")
"""The locks, those of users first: a package in several is listed once, as in the first."""
_ENTRY = re.compile(
    r"^(?P<name>[\w.-]+)==(?P<version>[^\s;]+)(?: ; (?P<marker>[^\\\n]+?))? \\\n(?P<hashes>(?:    .*\n?)+)",
    re.MULTILINE,
)


def components(locks: Path) -> list[dict[str, Any]]:
    """The packages of all locks, by name and version."""
    found: dict[str, dict[str, Any]] = {}
    for file in FILES:
        for entry in _ENTRY.finditer((locks / file).read_text(encoding="utf-8")):
            name = re.sub(r"[-_.]+", "-", entry["name"]).lower()
            purl = f"pkg:pypi/{name}@{entry['version'].replace('+', '%2B')}"
            if purl not in found:
                found[purl] = _component(name, entry, purl, "required" if file == "user.txt" else "optional")
    return [found[purl] for purl in sorted(found)]


def _component(name: str, entry: re.Match[str], purl: str, scope: str) -> dict[str, Any]:
    hashes = sorted(re.findall(r"sha256:([0-9a-f]{64})", entry["hashes"]))
    made: dict[str, Any] = {
        "type": "library",
        "bom-ref": purl,
        "name": name,
        "version": entry["version"],
        "scope": scope,
        "hashes": [{"alg": "SHA-256", "content": digest} for digest in hashes],
        "purl": purl,
    }
    if entry["marker"]:
        made["properties"] = [{"name": "askew:installed-if", "value": entry["marker"].strip()}]
    return made


def bill(locks: Path, version: str) -> dict[str, Any]:
    """The whole document."""
    parts = components(locks)
    root = f"pkg:pypi/askew@{version}"
    number = uuid.uuid5(uuid.NAMESPACE_URL, root + json.dumps(parts, sort_keys=True))
    return {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{number}",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "bom-ref": root, "name": "askew", "version": version, "purl": root}
        },
        "components": parts,
        "dependencies": [
            {"ref": root, "dependsOn": [part["bom-ref"] for part in parts if part["scope"] == "required"]}
        ],
    }


def main(output: Path) -> None:
    """Write the bill of materials of this checkout."""
    made = bill(LOCKS, metadata.version("askew"))
    output.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(f"{output}: {len(made['components'])} packages")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "sbom.json"))
