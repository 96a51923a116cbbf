"""HTML for every page: escaped text and elements, and the frame around a page's body (its own style, no network)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable
from hashlib import sha256
from html import escape
from importlib.resources import files
from string import Template

VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
"""Elements without an end tag."""


class Html(str):
    """HTML that is inserted without escaping. Only ``el``, ``join`` and the template create it."""

    __slots__ = ()


def el(name: str, /, *children: str | None, **attributes: str | int | float | bool | None) -> Html:
    """An element; children that are not ``Html`` are escaped, attributes always are.

    >>> el("p", "1 < 2", class_="note", data_n=3, hidden=False)
    '<p class="note" data-n="3">1 &lt; 2</p>'
    """
    opening = name + "".join(_attribute(key, value) for key, value in attributes.items())
    return Html(f"<{opening}>") if name in VOID else Html(f"<{opening}>{join(*children)}</{name}>")


def join(*children: str | None) -> Html:
    """The children concatenated; None is skipped."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children if child is not None))


def table(head: Iterable[str], rows: Iterable[Iterable[str]], caption: str, class_: str | None = None) -> Html:
    """A plain table in a scrollable box; the first cell of a row is its heading."""
    columns = [el("th", cell, scope="col") for cell in head]
    lines = []
    for row in rows:
        first, *others = row
        lines.append(el("tr", el("th", first, scope="row"), *(el("td", cell) for cell in others)))
    return scrolled_table(columns, [el("tbody", *lines)], caption, class_=class_)


def scrolled_table(
    head: Iterable[Html], bodies: Iterable[Html | None], caption: str, label: str = "", class_: str | None = None
) -> Html:
    """A table in a scrollable box, which ``label``, or else the caption, describes."""
    inner = el("table", el("caption", caption, class_="hidden"), el("thead", el("tr", *head)), *bodies, class_=class_)
    return scroll(inner, label or caption)


def scroll(inner: Html, label: str) -> Html:
    """A box that scrolls horizontally, also by keyboard."""
    return el("div", inner, class_="scroll", tabindex=0, role="region", aria_label=label)


def details(summary: str, *children: str | None, opened: bool = False, class_: str | None = None) -> Html:
    """A collapsible element."""
    return el("details", el("summary", summary), *children, open=opened, class_=class_)


def figure(heading: str, note: str, *children: str | None) -> Html:
    """A chart with its heading and what it shows."""
    return el("figure", el("figcaption", el("h3", heading)), el("p", note, class_="quiet"), *children)


def _attribute(key: str, value: str | int | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


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
    """A whole page around its body; ``first`` is the section that the skip link leads to.

    The content security policy allows the page's own style (with ``more_style``) and ``allowed``, nothing else.
    """
    style = part("colors.css") + part("style.css") + more_style
    policy = ("default-src 'none'", own("style", style), *allowed, "base-uri 'none'", "form-action 'none'")
    return Template(part("frame.html")).substitute(
        policy="; ".join(policy),
        title=join(title),
        style=style,
        first=join(first),
        shapes=part("shapes.svg"),
        eyebrow=join(eyebrow),
        heading=join(heading),
        subtitle=join(subtitle),
        body=body,
    )


def own(kind: str, text: str) -> str:
    """The rule of a content security policy that allows exactly this text as style or script.

    >>> own("script", "")
    "script-src 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
    """
    return f"{kind}-src 'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def part(name: str) -> str:
    """A file of the folder ``page/``."""
    return files("askew.report").joinpath("page", name).read_text(encoding="utf-8")
