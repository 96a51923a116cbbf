"""Word lists, rules and figures that come with the package, as YAML files beside the code that uses them."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The loader in C is ten times as fast, where PyYAML was built with it."""


def resource(name: str) -> Any:
    """The content of a YAML file in the package.

    >>> resource("suites/rad.yaml")["rad"]["BUTD (VQA)"][0]
    67.15
    """
    return yaml.load(files("askew").joinpath(name).read_text(encoding="utf-8"), _LOADER)
