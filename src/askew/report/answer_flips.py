"""The flip matrix: how often each answer to the original becomes each answer to the variant."""

from __future__ import annotations

from dataclasses import dataclass

from askew.errors import plural
from askew.metrics.pairs import AnswerFlips
from askew.report.markup import Html, details, el, scrolled_table
from askew.report.score_display import count


@dataclass(frozen=True, slots=True)
class Matrix:
    """The most frequent answers before (rows) and after (columns) the change, and how often each pair occurs."""

    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[tuple[int, int], ...], ...]
    """How many pairs, and how many of them wrong after the change."""
    covered: int
    total: int


def matrix(flips: AnswerFlips, most: int = 12) -> Matrix:
    """The flips between the most frequent answers.

    >>> flips = AnswerFlips()
    >>> for before, after, wrong in [("2", "yes", False), ("2", "no", True), ("2", "no", True), ("red", "no", False)]:
    ...     flips.add(before, after, wrong)
    >>> matrix(flips)
    Matrix(rows=('2', 'red'), columns=('no', 'yes'), cells=(((2, 2), (1, 0)), ((1, 0), (0, 0))), covered=4, total=4)
    """
    before: dict[str, int] = {}
    after: dict[str, int] = {}
    for (old, new), (n, _) in flips.counts.items():
        before[old] = before.get(old, 0) + n
        after[new] = after.get(new, 0) + n
    rows, columns = _top(before, most), _top(after, most)
    cells = tuple(tuple(_cell(flips, row, column) for column in columns) for row in rows)
    covered = sum(n for line in cells for n, _ in line)
    return Matrix(rows, columns, cells, covered, flips.dropped + sum(before.values()))


def _top(counts: dict[str, int], most: int) -> tuple[str, ...]:
    return tuple(sorted(counts, key=lambda answer: (-counts[answer], answer))[:most])


def _cell(flips: AnswerFlips, row: str, column: str) -> tuple[int, int]:
    n, wrong = flips.counts.get((row, column), (0, 0))
    return n, wrong


def flip_section(flips: AnswerFlips | None) -> Html | None:
    """The matrix as a collapsible table; None if nothing was counted."""
    if not flips or not flips.counts:
        return None
    shown = matrix(flips)
    text = (
        f"Rows: the model's {len(shown.rows)} most frequent answers to the original; columns: its answers to the "
        "variant. Below each count is the number of these variants that were answered incorrectly. "
        f"{count(shown.covered)} of {plural(shown.total, 'pair')} shown."
    )
    return details("Answers before and after the change", el("p", text, class_="quiet"), _matrix_html(shown))


def _matrix_html(shown: Matrix) -> Html:
    largest = max((n for row in shown.cells for n, _ in row), default=1) or 1
    head = [
        el("th", "answer before ↓ after →", scope="col"),
        *(el("th", answer or "(empty)", scope="col") for answer in shown.columns),
    ]
    rows = []
    for answer, row in zip(shown.rows, shown.cells, strict=True):
        cells = [
            _cell_html(n, wrong, largest, answer == column)
            for column, (n, wrong) in zip(shown.columns, row, strict=True)
        ]
        rows.append(el("tr", el("th", answer or "(empty)", scope="row"), *cells))
    return scrolled_table(head, [el("tbody", *rows)], "Flip matrix", class_="heat flips")


def _cell_html(n: int, wrong: int, largest: int, same: bool) -> Html:
    if not n:
        return el("td", "·", class_="same" if same else None)
    shade = f"heat{min(9, int(9 * (n / largest) ** 0.5))}"
    return el(
        "td",
        count(n),
        el("small", f"{count(wrong)} ✗" if wrong else "all ✓"),
        class_=f"{shade} same" if same else shade,
    )
