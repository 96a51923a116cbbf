"""HTML for every page: escaped elements, small images, and the frame around a body (its own style, no network)."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from hashlib import sha256
from html import escape
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from string import Template
from typing import Any

from PIL import Image

from askew.files.images import open_encoded

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


def details(
    summary: str, *children: str | None, opened: bool = False, folded: bool = False, **attributes: str | None
) -> Html:
    """A collapsible element. If it is ``folded`` and closed, ``app.js`` makes its content when it is opened."""
    inner = fold(join(*children)) if folded and not opened else join(*children)
    return el("details", el("summary", summary), inner, open=opened, **attributes)


def fold(inner: Html) -> Html:
    """Content that a browser with scripts keeps as one text, and one without them shows.

    It cannot be nested, so what is folded within it is unfolded.

    >>> fold(el("p", fold(el("b", "<"))))
    '<noscript><p><b>&lt;</b></p></noscript>'
    """
    return el("noscript", Html(inner.replace("<noscript>", "").replace("</noscript>", "")))


def figure(heading: str, note: str, *children: str | None, class_: str | None = None) -> Html:
    """A chart with its heading and what it shows."""
    described = el("figcaption", el("h3", heading)), el("p", note, class_="quiet")
    return el("figure", *described, *children, class_=class_)


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


LONGEST = 224
"""The longer side in pixels."""

QUALITY = 80
"""The JPEG quality."""


@dataclass
class Thumbnails:
    """The images embedded in the page, identified by content or path."""

    budget: int = 6_000_000
    """The limit on the base64 characters of all images together."""
    images: list[str] = field(default_factory=list)
    """JPEG files in base64."""
    sizes: list[tuple[int, int]] = field(default_factory=list)
    """Width and height of each image before scaling."""
    left_out: int = 0
    """The number of images that did not fit."""
    unreadable: int = 0
    """The number of images whose file is missing or damaged."""
    _known: dict[str, int | None] = field(default_factory=dict)

    def add(self, record: dict[str, Any], find: Callable[[str], Path | None]) -> int | None:
        """The index of this question's image; None if there is none to show. ``find`` returns the file of a name."""
        path = record.get("path")
        if not isinstance(path, str) or not path:
            return None
        known = record.get("sha256")
        file = None if known in self._known else find(path)
        key = str(known or file or path)
        if key not in self._known:
            self._known[key] = self._embed(file)
        return self._known[key]

    def _embed(self, file: Path | None) -> int | None:
        small = file and _small(file)
        if not small:
            self.unreadable += 1
            return None
        encoded, size = small
        if len(encoded) > self.budget:
            self.left_out += 1
            return None
        self.budget -= len(encoded)
        self.images.append(encoded)
        self.sizes.append(size)
        return len(self.images) - 1


def _small(file: Path) -> tuple[str, tuple[int, int]] | None:
    try:
        with open_encoded(file) as image:
            size = image.size
            image.draft("RGB", (2 * LONGEST, 2 * LONGEST))
            small = _flat(image)
            small.thumbnail((LONGEST, LONGEST))
            buffer = BytesIO()
            small.save(buffer, "JPEG", quality=QUALITY, optimize=True)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning):
        return None
    return b64encode(buffer.getvalue()).decode("ascii"), size


def _flat(image: Image.Image) -> Image.Image:
    """The image as RGB, with transparent parts on white."""
    if image.mode not in ("RGBA", "LA", "PA") and "transparency" not in image.info:
        return image.convert("RGB")
    above = image.convert("RGBA")
    ground = Image.new("RGBA", above.size, "white")
    ground.alpha_composite(above)
    return ground.convert("RGB")
