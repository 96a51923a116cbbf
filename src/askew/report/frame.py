"""What every page has: one file with its own style, no network, and a heading."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from string import Template

from askew.report.markup import join
from askew.report.plots import shapes


def framed(
    body: str,
    *,
    title: str,
    eyebrow: str,
    heading: str,
    subtitle: str,
    first: str,
    allowed: tuple[str, ...] = (),
    more_style: str = "",
) -> str:
    """A whole page around its body; ``first`` is the section to skip to, ``allowed`` what the page needs beyond style.

    Nothing may be fetched, and only our own style (with ``more_style`` of this page) and what is allowed counts.
    """
    style = part("style.css") + more_style
    policy = ("default-src 'none'", own("style", style), *allowed, "base-uri 'none'", "form-action 'none'")
    return Template(part("frame.html")).substitute(
        policy="; ".join(policy),
        title=join(title),
        style=style,
        first=join(first),
        shapes=shapes(),
        eyebrow=join(eyebrow),
        heading=join(heading),
        subtitle=join(subtitle),
        body=body,
    )


def own(kind: str, text: str) -> str:
    """The rule of a page that lets this very text be its style or script.

    >>> own("script", "")
    "script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"{kind}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def part(name: str) -> str:
    """A file that pages are made of."""
    return files("askew.report").joinpath("page", name).read_text(encoding="utf-8")
