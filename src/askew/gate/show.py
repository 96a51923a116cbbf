"""The checks of the gate as text for the terminal, as Markdown and as JUnit XML."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from textwrap import wrap
from xml.etree import ElementTree

from askew.gate.requirements import Check, Status, verdict
from askew.report.table_formats import cut, fit, printable, right

MOST_LINES = 20
"""The most lines in the terminal."""
_SIGNS = {
    Status.PASSED: "✓",
    Status.FAILED: "✗",
    Status.UNDECIDED: "?",
    Status.LOOK: "!",
    Status.SKIPPED: "–",
}
_COLORS = {Status.PASSED: "32", Status.FAILED: "31"}
_WORST_FIRST = (Status.FAILED, Status.UNDECIDED, Status.LOOK, Status.PASSED, Status.SKIPPED)
_WIDTHS = (7, 7, 23, 11)
"""The widths of the cells of a comparison."""
_HEADS = ("now", "before", "loss (95 %)", "detectable")
_LEGEND = "detectable: the smallest loss that 80 % of such comparisons would find."
_COMPARED = ("no-worse", "others")
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>#|~&])")


def terminal(
    checks: Sequence[Check], title: str, width: int = 80, color: bool = False, notes: Sequence[str] = ()
) -> str:
    """The checks as text of at most 20 lines: the verdict first, then what decided it, then what is worth a look."""
    below = [line for note in notes for line in wrap(printable(note), width)]
    ordered = _sorted(checks)
    plain = [_block(check, width) for check in ordered if check.kind not in _COMPARED]
    rows = [_row(check, width) for check in ordered if check.kind == "no-worse" or check in _failed_others(checks)]
    look = [_row(check, width) for check in ordered if check.status is Status.LOOK]
    head = [fit("Compared with the baseline", width - sum(_WIDTHS)) + _cells(_HEADS)] if rows else []
    below = [_LEGEND, *_left_out(ordered, width), *below] if rows else below
    room = MOST_LINES - 2 - len(head) - bool(look) - len(below)
    plain_lines = _first(plain, room - min(len(rows), 4) - min(len(look), 2))
    row_lines = _first(rows, room - len(plain_lines) - min(len(look), 2))
    look_lines = _first(look, room - len(plain_lines) - len(row_lines))
    if look_lines:
        look_lines = ["Worth a look (significantly worse, but not counted):", *look_lines]
    lines = [cut(f"{_verdict(checks)}: {printable(title)}", width), "", *plain_lines, *head, *row_lines, *look_lines]
    return "\n".join(_colored(line) if color else line for line in [*lines, *below])


def _failed_others(checks: Sequence[Check]) -> list[Check]:
    return [check for check in checks if check.kind == "others" and check.status is Status.FAILED]


def _left_out(checks: Sequence[Check], width: int) -> list[str]:
    """The metrics that are not compared, in a line."""
    names = [check.name for check in checks if check.kind == "others" and check.status is Status.SKIPPED]
    return [cut(f"Not compared: {printable(', '.join(names))}; --summary FILE says why.", width)] if names else []


def _sorted(checks: Sequence[Check]) -> list[Check]:
    return sorted(checks, key=lambda check: _WORST_FIRST.index(check.status))


def _first(blocks: Sequence[Sequence[str]], most: int) -> list[str]:
    """The lines of the first blocks, at most so many; the last line counts the blocks that are left out."""
    lines: list[str] = []
    for place, block in enumerate(blocks):
        later = place + 1 < len(blocks)
        if len(lines) + len(block) + later > most:
            return [*lines, f"  … and {len(blocks) - place} more; --summary FILE lists all"]
        lines += block
    return lines


def _block(check: Check, width: int) -> list[str]:
    """A check in a line, and below it the reason if it did not pass."""
    lines = [cut(f"{_SIGNS[check.status]} {printable(check.name)}   {printable(check.found)}", width)]
    if check.status is not Status.PASSED:
        lines += wrap(
            printable(check.why), width, initial_indent="    ", subsequent_indent="    ", max_lines=3, placeholder=" …"
        )
    return lines


def _row(check: Check, width: int) -> list[str]:
    """A comparison in a line, and below it the reason if it is undecided."""
    name, room = f"{_SIGNS[check.status]} {printable(check.name)}", width - sum(_WIDTHS)
    if not check.cells:
        return _block(check, width)
    first = fit(name, room) + _cells(check.cells)
    if check.status is not Status.UNDECIDED:
        return [first]
    return [first, cut("    " + check.why.partition(". ")[0] + ".", width)]


def _cells(texts: Sequence[str]) -> str:
    return "".join(right(text, width) for text, width in zip(texts, _WIDTHS, strict=True))


def _colored(line: str) -> str:
    for status, code in _COLORS.items():
        if line.startswith((_SIGNS[status], status.value.upper())):
            first, _, rest = line.partition(" ")
            return f"\x1b[{code}m{first}\x1b[0m {rest}"
    return line


def markdown(checks: Sequence[Check], title: str, notes: Sequence[str] = ()) -> str:
    """The checks as a section of Markdown, for a pull request or GitHub's step summary."""
    shown = [check for check in _sorted(checks) if check.kind != "others" or check.status is not Status.PASSED]
    rest = [check for check in checks if check not in shown]
    lines = [f"## {_SIGNS[verdict(checks)]} {_verdict(checks)}: {_escaped(title)}", "", *_table(shown)]
    lines += [line for note in notes for line in ("", _escaped(note))]
    if rest:
        summary = f"{len(rest)} other comparison{'' if len(rest) == 1 else 's'}, none significantly worse"
        lines += ["", "<details>", f"<summary>{summary}</summary>", "", *_table(rest), "", "</details>"]
    return "\n".join(lines) + "\n"


def junit(checks: Sequence[Check], title: str) -> bytes:
    """The checks as JUnit XML: one test case for each check; an undecided one is an error."""
    counts = Counter(check.status for check in checks)
    totals = {
        "tests": str(len(checks)),
        "failures": str(counts[Status.FAILED]),
        "errors": str(counts[Status.UNDECIDED]),
        "skipped": str(counts[Status.SKIPPED]),
    }
    root = ElementTree.Element("testsuites", {"name": "askew gate", **totals})
    suite = ElementTree.SubElement(root, "testsuite", {"name": _xml(title), **totals})
    tags = {Status.FAILED: "failure", Status.UNDECIDED: "error"}
    for check in checks:
        case = {"classname": f"askew.gate.{check.kind}", "name": _xml(check.name), "time": "0"}
        element = ElementTree.SubElement(suite, "testcase", case)
        why = _xml(f"{check.found}. {check.why}")
        if check.status in tags:
            ElementTree.SubElement(element, tags[check.status], {"message": why, "type": check.kind}).text = why
        elif check.status is Status.SKIPPED:
            ElementTree.SubElement(element, "skipped", {"message": why})
        else:
            look = "Worth a look. " if check.status is Status.LOOK else ""
            ElementTree.SubElement(element, "system-out").text = look + why
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"


def _verdict(checks: Sequence[Check]) -> str:
    found = verdict(checks)
    counted = [check for check in checks if check.kind != "others" or check.status is Status.FAILED]
    several = sum(check.status is found for check in counted)
    of = f"{several} of {len(counted)} check{'' if len(counted) == 1 else 's'}"
    if found is Status.PASSED:
        skipped = sum(check.status is Status.SKIPPED for check in counted)
        return f"PASSED, {of}" + (f" ({skipped} with nothing to compare)" if skipped else "")
    return f"{found.value.upper()}, {of}" if several else "UNDECIDED, no check could be decided"


def _table(checks: Sequence[Check]) -> Iterator[str]:
    yield "| | check | found | why |"
    yield "| --- | --- | --- | --- |"
    for check in checks:
        yield f"| {_SIGNS[check.status]} | {_escaped(check.name)} | {_escaped(check.found)} | {_escaped(check.why)} |"


def _escaped(text: str) -> str:
    """Markdown that shows as this text.

    >>> _escaped("a|b <i>")
    'a\\\\|b \\\\<i\\\\>'
    """
    return _MARKDOWN.sub(r"\\\1", printable(text))


def _xml(text: str) -> str:
    return _NO_XML.sub("�", text)
