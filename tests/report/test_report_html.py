from __future__ import annotations

import base64
import gzip
import json
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import orjson
import pytest
from fake_runs import make_run, save_rows

from askew.errors import BadRecord
from askew.report.html import page, write_report
from askew.report.load import load_run

EVIL = "</script><script>window.evil=1</script><img src=x onerror=window.evil=1>\u2028'\"&"


class Outline(HTMLParser):
    """Start tags with attributes, and whether elements are closed in the correct order."""

    VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.stack: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.stack.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.stack.pop() == tag


def embedded(text: str) -> Any:
    """The data of the pair viewer."""
    data = re.search(r'id="data">([A-Za-z0-9+/=]*)</script>', text)
    assert data
    return json.loads(gzip.decompress(base64.b64decode(data[1])))


@pytest.fixture(scope="module")
def four(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("four")
    suites = ("rad", "carets", "rscore")
    return page([load_run(make_run(folder / m, m, suites, groups=90, skill=s)) for m, s in (("a", 0.4), ("b", 0.8))])


def test_the_page_is_well_formed_and_ids_are_unique(four: str) -> None:
    outline = Outline(four)
    assert outline.stack == []
    ids = [attributes["id"] for _, attributes in outline.tags if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert {"ranking", "suites", "breaks", "pairs", "made", "terms"} <= set(ids)


def test_nothing_is_fetched_and_nothing_inline_runs(four: str) -> None:
    for tag, attributes in Outline(four).tags:
        assert not [name for name in attributes if name.startswith("on") or name == "style"]
        assert attributes.get("href", "#").startswith("#"), (tag, attributes)
        assert attributes.get("src", "data:image/jpeg;").startswith("data:image/jpeg;")
    assert "default-src &#x27;none&#x27;" in four or "default-src 'none'" in four


def test_the_same_runs_give_the_same_page(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=40))
    assert page([run]) == page([run])


def test_markup_in_the_data_is_escaped(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "a", EVIL, groups=30, question=EVIL, data=EVIL, images=False)
    samples = [orjson.loads(line) for line in (folder / "samples.jsonl").read_bytes().splitlines()]
    for record in samples:
        record["variants"][0] |= {"test": EVIL, "made_by": EVIL, "note": {EVIL: EVIL}, "prediction": {"answer": EVIL}}
    (folder / "samples.jsonl").write_bytes(b"".join(orjson.dumps(record) + b"\n" for record in samples))
    save_rows(folder, samples)
    text = page([load_run(folder)])
    scripts = [attributes for tag, attributes in Outline(text).tags if tag == "script"]
    assert scripts == [{"type": "text/plain", "id": "data"}, {}]
    assert not [tag for tag, _ in Outline(text).tags if tag == "img"]
    assert embedded(text)["pairs"][0]["test"] == EVIL


def test_the_verdict_names_what_breaks_it(tmp_path: Path) -> None:
    text = page([load_run(make_run(tmp_path / "a", "prior", groups=600, images=False))])
    assert re.search(
        r"<strong>prior</strong> correctly answers \d+\u00a0% of the \d+ questions it answered, but of those", text
    )
    assert "it breaks most on <em>how many</em>." in text


def test_a_large_run_says_how_many_of_its_pairs_are_shown(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=500, images=False))
    text = page([run], most=400)
    assert "Showing 400 of 500 pairs: a sample, stratified by suite, test, rule and outcome" in text
    assert len(embedded(text)["pairs"]) == 400
    assert len(embedded(page([run]))["pairs"]) == 500
    assert "All 30 pairs." in page([load_run(make_run(tmp_path / "b", groups=30, images=False))])


def test_the_page_and_its_tables_are_written_and_no_partial_file_is_left(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=10))
    write_report([run], tmp_path / "out" / "report.html")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["report.html", "tables.md", "tables.tex"]


def test_a_failed_write_leaves_the_old_page(tmp_path: Path) -> None:
    run = load_run(make_run(tmp_path / "a", groups=10))
    write_report([run], tmp_path / "report.html")
    before = (tmp_path / "report.html").read_bytes()
    run.samples.write_bytes(run.samples.read_bytes()[:-40])
    with pytest.raises(BadRecord, match=r"samples\.jsonl: no group begins at byte .* the file is damaged"):
        write_report([run], tmp_path / "report.html")
    assert (tmp_path / "report.html").read_bytes() == before
    assert not list(tmp_path.glob("*.part"))


def test_an_empty_run_still_has_a_page(tmp_path: Path) -> None:
    folder = tmp_path / "empty"
    folder.mkdir()
    suite = {"name": "rad", "accuracy": "official", "groups": 0}
    results = {"format": 2, "model": {"name": "m"}, "data": {}, "suites": [suite], "scores": [], "failures": {}}
    (folder / "results.json").write_bytes(orjson.dumps(results))
    (folder / "samples.jsonl").write_bytes(b"")
    save_rows(folder, [])
    write_report([load_run(folder)], tmp_path / "report.html")
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "There are no pairs" in text
    assert Outline(text).stack == []


def test_a_suite_without_variants_is_not_listed_among_breaks(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "a", images=False)
    results = orjson.loads((folder / "results.json").read_bytes())
    results["suites"].insert(0, {"name": "accuracy", "accuracy": "official", "variants": 0, "groups": 0})
    (folder / "results.json").write_bytes(orjson.dumps(results))
    text = page([load_run(folder)])
    assert text.count("</strong>: prior breaks on ") == 1
    assert "Asked as yes/no</strong>: prior breaks on " in text


def test_repeated_questions_are_not_counted_as_stored(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "a", images=False)
    results = orjson.loads((folder / "results.json").read_bytes())
    results["time"] |= {"asked": results["failures"]["asked"], "reused": 7}
    (folder / "results.json").write_bytes(orjson.dumps(results))
    assert "0 known from the store; 7 were the same as another question" in page([load_run(folder)])


def test_the_best_is_marked_only_where_it_is_significantly_better(tmp_path: Path) -> None:
    runs = [load_run(make_run(tmp_path / m, m, groups=40, images=False)) for m in ("a", "b")]
    item = {"suite": "rad", "part": "", "metric": "rad.forward", "a": "a", "b": "b", "difference": -0.2}
    item |= {"low": -0.3, "high": -0.1, "p": 0.001, "p_holm": 0.01, "n": 40, "family": "headline", "family_size": 2}
    assert page(runs, [item]).count('class="best"') == 1
    assert "Choose <strong>b</strong>: it is significantly better than a in 1 of 2 columns" in page(runs, [item])
    assert 'class="best"' not in page(runs, [item | {"p_holm": 0.2}])


def test_the_report_does_not_reach_into_other_stages() -> None:
    code = "import askew.report.html, sys; print([m for m in sys.modules if m.startswith('askew.')])"
    loaded = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    stages = ("engine", "models", "perturb", "suites", "world")
    assert not [stage for stage in stages if f"'askew.{stage}" in loaded]


def test_bounds_are_shown_where_some_answers_of_a_group_are_missing(tmp_path: Path) -> None:
    folder = make_run(tmp_path / "a", groups=12, failures=0.0, images=False)
    results = orjson.loads((folder / "results.json").read_bytes())
    results["scores"][0] |= {"failed": 0, "lowest": 0.1234, "highest": 0.9876}
    (folder / "results.json").write_bytes(orjson.dumps(results))
    assert "12.3 to 98.8" in page([load_run(folder)])
