"""What is asked of a metric is declared in verbs.py: nothing is found out by trying names."""

from __future__ import annotations

import ast
from pathlib import Path

import askew

SOURCE = Path(askew.__file__).parent


def test_no_member_of_a_component_is_probed_by_name():
    for folder in ("metrics", "gate", "report"):
        for file in (SOURCE / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("getattr", "hasattr"):
                    assert not isinstance(node.args[1], ast.Constant), f"{file.name}: {ast.unparse(node)}"
