"""``report.html`` of a training: learning curves and configuration, in the report's style."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from askew.errors import plural
from askew.files.read_write import replaced
from askew.report.markup import Html, details, el, framed, join, table
from askew.report.svg import axis, charted, curve
from askew.types import NAN, Score

MOST_LABELS = 15
"""With more epochs than this, only the first and the last are labelled below the curve."""
_FOOTER = "Made by askew from the JSON files beside it. A loss is the mean over the steps of an {unit} that had it."
_PAIRS = "Held-out pairs with both answers correct, in per cent"


def write_page(folder: Path, record: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> None:
    """Write ``report.html``; it appears whole or not at all."""
    with replaced(folder / "report.html") as file:
        file.write(page(record, history).encode())


def page(record: Mapping[str, Any], history: Sequence[Mapping[str, Any]]) -> str:
    """The page as HTML."""
    unit = record.get("unit", "epoch")
    best = max(history, key=lambda epoch: epoch["accuracy"] if epoch.get("pairs") is None else epoch["pairs"])
    shares = [("Validation accuracy in per cent", [epoch["accuracy"] for epoch in history])]
    if best.get("pairs") is not None:
        shares.append((_PAIRS, [epoch["pairs"] for epoch in history]))
    losses = list(dict.fromkeys(name for epoch in history for name in epoch["loss"]))
    curves = el(
        "div",
        *(_plot(heading, values, 0, unit, share=True) for heading, values in shares),
        *(_plot(f"Loss: {name}", [epoch["loss"].get(name) for epoch in history], 1, unit) for name in losses),
        class_="panels",
    )
    made = details("Configuration", _settings(record), opened=True)
    body = el(
        "main",
        _section("curves", "Learning curves", curves),
        _section("epochs", f"{unit.capitalize()}s", _table(history, losses, unit)),
        _section("made", "How it was made", made),
    )
    return framed(
        join(body, el("footer", el("p", _FOOTER.format(unit=unit)))),
        title=f"askew: training {record['net']['name']}",
        eyebrow="askew training",
        heading="How the training went",
        subtitle=_subtitle(record, history, best, unit),
        first="curves",
    )


def _section(name: str, heading: str, content: Html) -> Html:
    return el("section", el("h2", heading), content, id=name, class_="part")


def _subtitle(
    record: Mapping[str, Any], history: Sequence[Mapping[str, Any]], best: Mapping[str, Any], unit: str
) -> str:
    return (
        f"{record['net']['name']} · {record['questions']['train']:,} questions · {plural(len(history), unit)} in "
        f"{history[-1]['seconds']:.0f} s · best validation {100 * best['accuracy']:.1f} % ({unit} {best['epoch']})"
    )


def _plot(heading: str, values: Sequence[float | None], run: int, unit: str, share: bool = False) -> Html:
    known = [value for value in values if value is not None]
    steps = axis(min(known), max(known)) if share else _from_zero(max(known))
    scores = [Score(heading, NAN if value is None else value) for value in values]
    description = (
        f"{heading}: from {_show(known[0], share)} to {_show(known[-1], share)} in {plural(len(values), unit)}"
    )
    epochs = [str(number) for number in range(1, len(values) + 1)]
    drawn = charted(
        [curve(run, scores, steps[0], steps[-1])],
        [f"{100 * step:.0f}" if share else f"{step:g}" for step in steps],
        epochs if len(epochs) <= MOST_LABELS else [epochs[0], epochs[-1]],
        description,
    )
    return el("div", el("h3", heading), drawn, el("p", f"{description}.", class_="quiet"), class_="card")


def _from_zero(most: float) -> list[float]:
    """Five round tick values from 0 to at least this.

    >>> _from_zero(7.3), _from_zero(0)
    ([0.0, 2.0, 4.0, 6.0, 8.0], [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    power = 10.0 ** math.floor(math.log10(most)) if most > 0 else 1.0
    top = next((whole for whole in (1, 2, 4, 6, 8) if whole * power >= most), 10)
    return [top * power * k / 4 for k in range(5)]


def _table(history: Sequence[Mapping[str, Any]], losses: Sequence[str], unit: str) -> Html:
    pairs = any(epoch.get("pairs") is not None for epoch in history)
    head = [
        unit.capitalize(),
        "Validation",
        *(["Held-out pairs"] if pairs else []),
        *(f"Loss: {name}" for name in losses),
        "Seconds",
    ]
    rows = [
        [
            str(epoch["epoch"]),
            _show(epoch["accuracy"], True),
            *([_show(epoch.get("pairs"), True)] if pairs else []),
            *(_show(epoch["loss"].get(name), False) for name in losses),
            f"{epoch['seconds']:.1f}",
        ]
        for epoch in history
    ]
    return table(head, rows, f"{unit.capitalize()}s")


def _settings(record: Mapping[str, Any]) -> Html:
    plain = {key: value for key, value in record.items() if key not in ("training", "skipped")}
    if skipped := record.get("skipped"):
        plain["skipped"] = f"{len(skipped):,}, e.g. {skipped[0]} (config.json has the whole list)"
    facts = [(key.replace("_", " "), text) for key, text in _flat({**record["training"], **plain})]
    return el("dl", *(join(el("dt", key), el("dd", text)) for key, text in facts), class_="facts")


def _flat(record: Mapping[str, Any], inside: str = "") -> Iterator[tuple[str, str]]:
    """Settings one by one, as a person reads them.

    >>> list(_flat({"net": {"gumbel": True}, "losses": [], "val": None}))
    [('net: gumbel', 'yes'), ('losses', 'none'), ('val', 'none')]
    """
    for key, value in record.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{inside}{key}: ")
        elif isinstance(value, bool):
            yield f"{inside}{key}", "yes" if value else "no"
        elif isinstance(value, list) and value:
            yield f"{inside}{key}", ", ".join(map(str, value))
        else:
            yield f"{inside}{key}", str(value) if value or value == 0 else "none"


def _show(value: float | None, share: bool) -> str:
    if value is None:
        return "—"
    return f"{100 * value:.1f} %" if share else f"{value:.4g}"
