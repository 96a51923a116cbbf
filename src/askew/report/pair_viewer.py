"""The pair viewer: all pairs or a stratified sample, with every model's answers, and the filters of the viewer."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import orjson

from askew.errors import plural
from askew.metrics.pairs import BROKE, FAILED, became, changed_words, common_answer, words
from askew.report.glossary import suite_name, test_name
from askew.report.markup import Html, Thumbnails, el, join
from askew.report.overview import OUTCOMES, pairs_overview
from askew.report.pair_table import ABSENT, PairTable
from askew.report.report_data import ReportData
from askew.report.table_formats import count

Record = dict[str, Any]
Ints = np.ndarray[Any, np.dtype[np.int64]]

NOTE_LENGTH = 300
"""The number of characters of a note that are shown."""


@dataclass(frozen=True, slots=True)
class Sample:
    """The keys and values of the sampled pairs, and the number of all pairs."""

    total: int
    album: Thumbnails
    keys: dict[int, str] = field(default_factory=dict)
    """The key of each pair, by its number in the table."""
    values: dict[str, set[str]] = field(default_factory=lambda: {"suite": set(), "test": set(), "made_by": set()})
    """The suites, tests and rules that occur."""

    def watch(self, pairs: Iterable[Record]) -> Iterator[Record]:
        """The same pairs, noting their keys and values; the pairs are not kept, as 20,000 decoded take 100 MB."""
        for pair in pairs:
            self.keys[pair["number"]] = pair["key"]
            for name, found in self.values.items():
                found.add(str(pair[name] or ""))
            yield pair


def choose(table: PairTable, most: int, wanted: Iterable[int] = ()) -> list[int]:
    """The indices of at most ``most`` pairs: first those wanted, then round-robin over suites, within a suite over
    tests, within a test over rules, within a rule over patterns of outcomes (those with a break first).
    """
    chosen = list(dict.fromkeys(wanted))[:most]
    taken = set(chosen)
    for pair in _drawn(table, most):
        if len(chosen) >= most:
            break
        if pair not in taken:
            chosen.append(pair)
    return chosen


def draw_pairs(table: PairTable, numbers: Sequence[int], album: Thumbnails) -> Iterator[Record]:
    """The chosen pairs with their texts, images and answers, read from the samples at the offsets in the table."""
    places = [(int(table.group_of[pair]), int(table.variant_of[pair])) for pair in numbers]
    lines = [_lines(table, run, {group for group, _ in places}) for run in range(len(table.runs))]
    several = len({run.data for run in table.runs}) > 1
    used = set()
    for pair, (group, index) in zip(numbers, places, strict=True):
        found = [orjson.loads(by_group[group]) if group in by_group else None for by_group in lines]
        first = next(number for number, line in enumerate(found) if line is not None)
        record = _pair(found[first] or {}, index, album, table.runs[first].image)
        if several:
            record["data"] = table.runs[first].data
        while record["key"] in used:
            record["key"] += "′"
        used.add(record["key"])
        record["number"] = int(pair)
        record["models"] = [line and _answers(line, index) for line in found]
        yield record


def _drawn(table: PairTable, most: int) -> list[int]:
    """The first ``most`` pairs in the order of sampling; those with the smallest priority first in each leaf."""
    columns = np.column_stack([table.heads, _patterns(table.codes)])
    tree: dict[int, dict[int, dict[int, dict[int, list[int]]]]] = {}
    order = np.argsort(table.priority, kind="stable")
    for start in range(0, len(order), 10_000):  # as lists they take ten times the memory
        pairs = order[start : start + 10_000]
        for pair, (suite, test, rule, pattern) in zip(pairs.tolist(), columns[pairs].tolist(), strict=True):
            leaf = tree.setdefault(suite, {}).setdefault(test, {}).setdefault(rule, {}).setdefault(pattern, [])
            if len(leaf) < most:
                leaf.append(pair)
    return list(islice(_in_turn(tree), most))


def _patterns(all_codes: Sequence[np.ndarray[Any, np.dtype[np.uint8]]]) -> Ints:
    """The set of outcomes of all models, as bits; negative if it contains a break, so that it sorts first."""
    patterns = np.zeros(len(all_codes[0]), np.int64)
    broke = np.zeros(len(patterns), bool)
    for codes in all_codes:
        present = codes != ABSENT
        patterns[present] |= np.left_shift(1, codes[present].astype(np.int64))
        broke |= codes == BROKE
    return np.where(broke, -patterns, patterns)


def _in_turn(tree: Any) -> Iterator[int]:
    """Round-robin over the branches of a tree, recursively.

    >>> list(_in_turn({0: {0: [1, 2, 3], 1: [4]}, 1: [5, 6]}))
    [1, 5, 4, 6, 2, 3]
    """
    if isinstance(tree, list):
        yield from tree
        return
    branches = [_in_turn(tree[key]) for key in sorted(tree)]
    while branches:
        alive = []
        for branch in branches:
            for pair in branch:
                yield pair
                alive.append(branch)
                break
        branches = alive


def _lines(table: PairTable, run: int, wanted: Iterable[int]) -> dict[int, bytes]:
    offsets = table.offsets[run]
    groups = sorted(wanted, key=lambda group: int(offsets[group]))
    groups = [group for group in groups if offsets[group] >= 0]
    return dict(zip(groups, table.runs[run].lines_at([int(offsets[group]) for group in groups]), strict=True))


def _pair(line: Record, index: int, album: Thumbnails, find: Callable[[str], Path | None]) -> Record:
    original, variant, suite = line["original"], line["variants"][index], line.get("suite", "")
    old, new = word_diff(original.get("question", ""), variant.get("question", ""))
    note = variant.get("note") or {}
    shown = list(shown_images(original, variant))
    images = [album.add(image, find) for _, image in shown]
    return {
        "key": f"{suite}:{line.get('group')}" + (f"#{index + 1}" if index else ""),
        "suite": suite,
        "test": variant.get("test", ""),
        "made_by": variant.get("made_by", ""),
        "question_type": original.get("question_type", ""),
        "answer_type": original.get("answer_type", ""),
        "answer": common_answer(original.get("answers") or ()),
        "changed": changed_words(original.get("question", ""), variant.get("question", "")),
        "word": list(dict.fromkeys(words(original.get("question", "")))),
        "expect": variant.get("expect", ""),
        "image": original.get("image"),
        "old": {"text": old, "people": _people(original), "context": original.get("context", "")},
        "new": {"text": new, "people": _people(variant), "context": variant.get("context", "")},
        "images": images,
        "captions": [caption for caption, _ in shown],
        "boxes": list(_boxes(note.get("boxes"), original, images[0], album)),
        "note": [[str(name), _brief(value)] for name, value in note.items() if name != "boxes"],
    }


def shown_images(original: Mapping[str, Any], variant: Mapping[str, Any]) -> Iterator[tuple[str, Record]]:
    """The images of a pair with their captions: those of the original, then those that the variant changes.

    >>> [caption for caption, _ in shown_images({"image": 1, "more_images": [{"image": 2}]}, {"same_image": True})]
    ['Image 1', 'Image 2']
    >>> [caption for caption, _ in shown_images({"image": 1}, {"image": 2})]
    ['Original image', 'Changed image']
    """
    before, after = (
        [{name: part.get(name) for name in ("image", "path", "sha256", "size")}, *part.get("more_images", ())]
        for part in (original, variant)
    )
    changed = [] if variant.get("same_image") else [n for n, one in enumerate(after) if one not in before[n : n + 1]]
    if len(before) == len(after) == 1 or (len(before) == 1 and not changed):
        yield ("Original image" if changed else ""), before[0]
        yield from (("Changed image", after[number]) for number in changed)
        return
    yield from ((f"Image {number}", image) for number, image in enumerate(before, 1))
    yield from ((f"Image {number + 1}, changed", after[number]) for number in changed)


def _answers(line: Record, index: int) -> Record:
    return {"old": _answer(line["original"]), "new": _answer(line["variants"][index])}


def _answer(record: Record) -> Record:
    prediction = record.get("prediction") or {}
    outcome = became(record.get("right"), record.get("accuracy"))
    shown: Record = {"is": outcome, "accuracy": record.get("accuracy")}
    if outcome == FAILED and prediction.get("answer") is None:
        shown["error"] = _brief(prediction.get("error") or "no answer")
    else:
        shown["answer"] = _brief(prediction.get("answer"))
    return shown


def _people(record: Record) -> list[tuple[str, int]]:
    return Counter(str(answer) for answer in record.get("answers") or ()).most_common()


def _brief(value: Any) -> str:
    text = value if isinstance(value, str) else orjson.dumps(value).decode()
    return text if len(text) <= NOTE_LENGTH else text[: NOTE_LENGTH - 1] + "…"


def _boxes(boxes: Any, record: Record, image: int | None, album: Thumbnails) -> Iterator[list[Any]]:
    """Boxes as fractions of the image: x, y, width, height, and a name if there is one."""
    size = record.get("size") or (album.sizes[image] if image is not None else None)
    if not size or not isinstance(boxes, list | tuple | dict):
        return
    named = boxes.items() if isinstance(boxes, dict) else (("", box) for box in boxes)
    for name, box in named:
        if isinstance(box, Mapping):
            name, box = box.get("name", name), box.get("box")
        if isinstance(box, list | tuple) and len(box) == 4 and all(isinstance(side, int | float) for side in box):
            x, y, width, height = box
            yield [x / size[0], y / size[1], width / size[0], height / size[1], str(name)]


Marked = list[tuple[str, bool]]
"""Pieces of a text, each changed or not; concatenated they are the text."""

_TOKEN = re.compile(r"\s*(?:[^\W_]+(?:['’][^\W_]+)*|\S)")


def word_diff(old: str, new: str) -> tuple[Marked, Marked]:
    """Both texts in pieces, with the words marked that are in only one of them; case is ignored.

    >>> word_diff("Is the cat white?", "Is the dog white?")
    ([('Is the', False), (' cat', True), (' white?', False)], [('Is the', False), (' dog', True), (' white?', False)])
    """
    before, after = _TOKEN.findall(old), _TOKEN.findall(new)
    matcher = SequenceMatcher(None, [t.strip().lower() for t in before], [t.strip().lower() for t in after], False)
    left: Marked = []
    right: Marked = []
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        if i2 > i1:
            left.append(("".join(before[i1:i2]), tag != "equal"))
        if j2 > j1:
            right.append(("".join(after[j1:j2]), tag != "equal"))
    return left, right


STRATA = "suite, test, rule and outcome"
"""What the sample is stratified by, as shown on the page."""


def pairs_section(content: ReportData, sample: Sample) -> Html:
    """How many pairs are shown, the filters, and an empty frame for the script to fill."""
    shown = len(sample.keys)
    if not shown:
        return el("p", "There are no pairs to show.")
    caption = (
        f"All {plural(shown, 'pair')}."
        if shown == sample.total
        else (
            f"Showing {count(shown)} of {plural(sample.total, 'pair')}: a sample, stratified by {STRATA}, so counts "
            "here are of the sample, in which rare cases are overrepresented. Tables and rates count every pair."
        )
    )
    return join(
        pairs_overview(content),
        el("p", caption, _missing_images(sample), class_="quiet"),
        el("p", "The viewer needs JavaScript; the rest of this page does not.", class_="without-script"),
        el("div", _filters(content, sample), _frame(), class_="viewer needs-script", id="viewer", aria_busy="true"),
    )


def _missing_images(sample: Sample) -> str | None:
    album = sample.album
    notes = []
    if album.left_out:
        notes.append(f"{plural(album.left_out, 'image is', 'images are')} omitted to keep the page small")
    if album.unreadable:
        notes.append(f"{plural(album.unreadable, 'image is', 'images are')} missing or cannot be read")
    return f" ({'; '.join(notes)}.)" if notes else None


def _filters(content: ReportData, sample: Sample) -> Html:
    suites = {suite["name"]: suite_name(suite) for suite in content.suites}
    outcomes = {"": "any outcome", **OUTCOMES} | ({"disagree": "models disagree"} if len(content.runs) > 1 else {})
    selects = [
        _select("suite", "Suite", {"": "any suite"} | _named(sample, "suite", suites)),
        _select("test", "Test", {"": "any test"} | _named(sample, "test", {})),
        _select("made_by", "Rule", {"": "any rule"} | _values(sample, "made_by")),
        _select("outcome", "Outcome", outcomes),
    ]
    if len(content.runs) > 1:
        models = {"": "any model"} | {str(number): content.labels[number] for number in content.standings.order}
        selects.append(_select("model", "Model", models))
    return el(
        "form",
        _search(),
        el("div", *selects, el("span", id="chip", class_="chip", hidden=True), class_="filters"),
        id="filters",
        role="search",
        aria_label="Filter the pairs",
    )


def _search() -> Html:
    """The row that stays in view: the search field, the position in the list, and the buttons."""
    search = el(
        "input",
        id="search",
        type="search",
        placeholder="Search questions and answers ( / )",
        autocomplete="off",
        aria_label="Search questions and answers",
    )
    return el(
        "div",
        el("label", search, class_="search"),
        el("button", "← Previous", type="button", id="previous"),
        el("span", "Loading …", id="count", role="status", aria_live="polite"),
        el("button", "Next →", type="button", id="next"),
        el("button", "Clear filters", type="button", id="clear"),
        class_="find",
    )


def _values(sample: Sample, name: str) -> dict[str, str]:
    return {value: value for value in sorted(sample.values[name]) if value}


def _named(sample: Sample, name: str, names: Mapping[str, str]) -> dict[str, str]:
    """The values with their readable names, sorted by name."""
    found = {value: names.get(value) or test_name(value) for value in _values(sample, name)}
    return dict(sorted(found.items(), key=lambda item: item[1]))


def _select(name: str, label: str, options: dict[str, str]) -> Html:
    inner = [el("option", text, value=value) for value, text in options.items()]
    return el("label", el("span", label), el("select", *inner, id=f"by-{name}", name=name))


def _frame() -> Html:
    keys = join(
        el("kbd", "←"),
        " ",
        el("kbd", "→"),
        " or ",
        el("kbd", "k"),
        " ",
        el("kbd", "j"),
        " move, ",
        el("kbd", "/"),
        " searches, ",
        el("kbd", "Esc"),
        " clears",
    )
    listed = el("ol", id="list", class_="list", aria_label="Pairs", tabindex=0)
    shown = el("article", id="pair", class_="pair", aria_label="Pair", tabindex=-1)
    return join(el("p", keys, class_="keys quiet"), el("div", listed, shown, class_="split"))
