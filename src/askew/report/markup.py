"""HTML written safely: text is escaped unless it was made here."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})
"""Elements that have no end."""


class Html(str):
    """HTML that goes into the page as it is. Only ``el``, ``join`` and the template make it."""

    __slots__ = ()


def el(name: str, /, *children: str | None, **attributes: str | int | float | bool | None) -> Html:
    """An element; children that are not ``Html`` are escaped, attributes always are.

    >>> el("p", "1 < 2", class_="note", data_n=3, hidden=False)
    '<p class="note" data-n="3">1 &lt; 2</p>'
    """
    opening = name + "".join(_attribute(key, value) for key, value in attributes.items())
    return Html(f"<{opening}>") if name in VOID else Html(f"<{opening}>{join(*children)}</{name}>")


def join(*children: str | None) -> Html:
    """Children one after the other; None is nothing."""
    return Html("".join(child if isinstance(child, Html) else escape(child) for child in children if child is not None))


def table(head: Iterable[str], rows: Iterable[Iterable[str]], caption: str, **attributes: str | bool) -> Html:
    """A plain table in a box that scrolls by itself; the first cell of a row is its heading."""
    columns = [el("th", cell, scope="col") for cell in head]
    lines = []
    for row in rows:
        first, *others = row
        lines.append(el("tr", el("th", first, scope="row"), *(el("td", cell) for cell in others)))
    inner = el(
        "table",
        el("caption", caption, class_="hidden"),
        el("thead", el("tr", *columns)),
        el("tbody", *lines),
        **attributes,
    )
    return scroll(inner, caption)


def scroll(inner: Html, label: str) -> Html:
    """A box that scrolls sideways by itself, also by keyboard."""
    return el("div", inner, class_="scroll", tabindex=0, role="region", aria_label=label)


def details(summary: str, *children: str | None, opened: bool = False, class_: str | None = None) -> Html:
    """Something that opens on demand."""
    return el("details", el("summary", summary), *children, open=opened, class_=class_)


def _attribute(key: str, value: str | int | float | bool | None) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'
