"""Write a suite's groups as a benchmark to publish: groups, VQA v2 files and a datasheet; or questions to train on."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from pathlib import Path

import askew
from askew.answers.normalise import modal_answer
from askew.audit.audit_table import markdown
from askew.audit.text_audit import audited
from askew.data.groups import read_groups
from askew.data.jsonl import Jsonl
from askew.data.write_questions import write_gqa, write_jsonl, write_vqa
from askew.engine.build import Prepared, audit_texts, build_groups, fingerprint_of
from askew.engine.events import result_of
from askew.engine.executors import workers_of
from askew.engine.settings import Named, Settings, progress_bar, ticking
from askew.errors import DataError, UsageError, plural
from askew.files.output_folders import CONTENT, check_output, clear_unwritten, note_output
from askew.files.paths import public_text, root_of, with_images
from askew.files.read_write import alone_in, write_joined
from askew.report import table_formats
from askew.report.caveats import text_alone_sentence
from askew.types import Column, Question, Table
from askew.verbs import BuildsByExecutor, DatasetFacts, MakesRankings, MakesTraining, Releases

SHOWN = 40
"""How many rules of a test are printed; the file lists all."""


def publish(suite: Named, data: Named, folder: Path, settings: Settings, command: str) -> str:
    """Write the benchmark; returns its datasheet, with long lists shortened.

    ``groups.jsonl`` holds everything; ``originals`` and ``variants`` are the same questions as VQA v2 files. A suite
    with a method ``release(groups, folder)`` also writes its paper's own format and returns the paths; its ``notes``
    are in the datasheet. If a question has no image or several, only ``groups.jsonl`` is written, since the other
    formats have one. Files of an earlier benchmark in the folder are deleted. The datasheet ends with what the text
    alone gives away, unless ``settings.no_audit``.
    """
    with _benchmark(folder, suite, data, settings) as written:
        with workers_of(settings.executor) as executor:
            if executor is not None and not isinstance(suite.what, BuildsByExecutor):
                raise UsageError(f"{suite.what.name}: its groups are made in one process; leave --executor out.")
            stage = build_groups(data, [suite], folder, settings, by_id=True, executor=executor)
            prepared = result_of(stage, settings.progress)
        groups, sheet = prepared.groups, folder / "datasheet.md"
        written += (groups, sheet)
        if prepared.has_one_image:
            written += write_vqa(_originals(groups), str(folder), "originals")
            written += write_vqa(_variants(groups), str(folder), "variants")
            if isinstance(suite.what, Releases):
                public = (with_images(group, prepared.folders.public) for group in prepared.read())
                written += suite.what.release(public, folder) or ()
        text_alone = ""
        if not settings.no_audit:
            result_of(audit_texts(prepared), settings.progress)
            found = markdown(audited(prepared.covers[0].texts, open_answers=False))
            text_alone = f"\n## What the text alone gives away\n\n{found}\n"
        write_joined(sheet, [(datasheet(suite, data, prepared, settings.seed, command) + text_alone).encode()])
    said = text_alone_sentence([score.record() for score in prepared.covers[0].text_alone])
    return datasheet(suite, data, prepared, settings.seed, command, SHOWN) + (f"\n{said}\n" if said else "")


@contextmanager
def _benchmark(
    folder: Path, suite: Named, data: Named, settings: Settings, **purpose: str
) -> Iterator[list[str | Path]]:
    """Claim a folder for a benchmark; at the end, files of an earlier one that are not listed here are deleted."""
    made_of = {
        **purpose,
        "suite": repr(suite.what),
        "data": repr(data.what),
        CONTENT: fingerprint_of(data.what),
        "extract": DatasetFacts(data.what).extract,
        "limit": settings.limit,
        "seed": settings.seed,
    }
    with alone_in(folder):
        check_output(folder, "a benchmark", made_of, settings.overwrite)
        note_output(folder, "a benchmark", made_of)
        written: list[str | Path] = []
        yield written
        clear_unwritten(folder, written, f"{suite.spec} {data.spec} {data.what!r}")


def publish_training(suite: Named, data: Named, folder: Path, settings: Settings, command: str) -> str:
    """Write the suite's questions to train on, as VQA v2 and as GQA files; returns a few lines about them.

    The suite's method ``training(data, seed)`` makes them. They must come from training data: a model trained
    on test questions cannot be tested with them.
    """
    name, title = suite.what.name, suite.what.title
    if not isinstance(suite.what, MakesTraining):
        raise UsageError(f"{name} makes no questions to train on; carets does.")
    if settings.executor != Settings.executor:
        raise UsageError(f"{name}: questions to train on are made in one process; leave --executor out.")
    path, gqa, about = (folder / name for name in ("questions.jsonl", "gqa_questions.json", "datasheet.md"))
    with _benchmark(folder, suite, data, settings, **{"for": "training"}) as written:
        with progress_bar(settings, desc="Making questions", unit=" questions") as bar:
            made = islice(suite.what.training(data.what, settings.seed), settings.limit)
            count = write_jsonl(ticking(bar, made), str(path), root_of(data.what))
        if not count:
            raise DataError(f"{data.spec}: not one question could be made for {name}.")
        vqa = write_vqa(Jsonl(str(path)).questions(), str(folder), "training")
        asked = Jsonl(str(path)).questions()  # as GQA has them: ids are text, and there is one answer
        write_gqa((replace(q, id=str(q.id), answers=(modal_answer(q.answers, str),)) for q in asked), str(gqa))
        sheet = (
            f"{plural(count, 'question')} to train on, made from {data.what.name} (seed {settings.seed}): `{command}`\n"
        )
        write_joined(about, [f"# {title}: training\n\n{sheet}".encode()])
        written += (path, gqa, about, *vqa)
    return sheet


def publish_rankings(suite: Named, data: Named, folder: Path, settings: Settings, command: str) -> str:
    """Write the suite's rankings alone, for all questions of the data; returns a few lines about them."""
    title, paper, ranks = suite.what.title, suite.what.paper, suite.what
    if not isinstance(ranks, MakesRankings):
        raise UsageError(f"{suite.what.name} ranks no questions; basic does.")
    about = folder / "datasheet.md"
    with _benchmark(folder, suite, data, settings, **{"for": "ranking"}) as written:
        with workers_of(settings.executor) as executor:
            count, files = ranks.write_rankings(data.what, folder, settings.limit, executor)
        names = ", ".join(f"`{path.name}`" for path in files)
        sheet = f"Rankings for {plural(count, 'question')} of {data.what.name}, in {names}: `{command}`\n"
        lines = [f"- suite: `{public_text(repr(suite.what))}` ({paper})", f"- askew {askew.__version__}"]
        write_joined(about, ["\n".join([f"# {title}: rankings", "", sheet, *lines, ""]).encode()])
        written += (about, *files)
    return sheet


def datasheet(suite: Named, data: Named, prepared: Prepared, seed: int, command: str, most: int | None = None) -> str:
    """What is in the benchmark, how it was made, and what was left out and why, as Markdown."""
    cover, count, counted = prepared.covers[0], prepared.data["questions"], prepared.data["counted"]
    heads = ("matched", "variants made", "refused", "made of matched", f"made per {counted}")
    table, details = Table("coverage", "", tuple(map(Column, heads)), "test"), list[str]()
    for record in cover.records():
        matched, made, examples = record["matched"], record["made"], record["examples"]
        share = f"{made / matched:.1%}" if matched else "—"
        table.add(record["test"], matched, made, matched - made, share, f"{made / count:.3f}")
        refused = {f"{reason} (e.g. {examples[reason]})": n for reason, n in record["refused"].items()}
        details += ["", f"## {record['test']}", ""]
        for title, counts in (
            ("Rules", record["made_by"]),
            ("Refused", refused),
            ("Balanced by", record["balanced"]),
            ("Right answers", record["answers"]),
            ("Drawn", record["drawn"]),
        ):
            if counts:
                details.append(f"- {title}: {_listed(counts, most)}")
        if record["cut"]:
            details.append(f"- Cut to the word limit: {record['cut']:,}")
        if any(record["doubtful"]):
            details.append(f"- {_doubtful(*record['doubtful'])}")
    lines = [
        f"# {suite.what.title}, made from {data.what.name}",
        "",
        f"- {plural(cover.groups, 'group')} with {plural(cover.variants, 'variant')}, from {plural(count, counted)}",
        *([] if prepared.has_one_image else ["- no VQA v2 files, since not every question has just one image"]),
        f"- suite: `{public_text(cover.signature)}` ({suite.what.paper})",
        f"- data: `{public_text(repr(data.what))}`",
        *(f"- {public_text(note)}" for note in (*cover.notes, *prepared.data["remarks"])),
        f"- {'' if cover.ready else f'seed {seed}, '}askew {askew.__version__}, command: `{command}`",
        "",
        table_formats.markdown(table).rstrip(),
    ]
    return "\n".join([*lines, *details]) + "\n"


def _doubtful(doubtful: int, others: int) -> str:
    """How many noes may only be due to an incomplete scene graph.

    >>> _doubtful(3, 9)
    'Doubtful noes: 3 of 12 (25.0%), since no usual companion of the absent thing is annotated (noes=sure omits them)'
    """
    share = f"{doubtful:,} of {doubtful + others:,} ({doubtful / (doubtful + others):.1%})"
    why = ", since no usual companion of the absent thing is annotated (noes=sure omits them)" if doubtful else ""
    return f"Doubtful noes: {share}{why}"


def _listed(counts: dict[str, int], most: int | None = None) -> str:
    """The most frequent items with their counts, and the number of others.

    >>> _listed({"a": 2000, "b": 3, "c": 1}, most=2)
    'a: 2,000; b: 3; and 1 more (1)'
    """
    shown = "; ".join(f"{name}: {count:,}" for name, count in list(counts.items())[:most])
    rest = [] if most is None else list(counts.values())[most:]
    return f"{shown}; and {len(rest):,} more ({sum(rest):,})" if rest else shown


def _originals(groups: Path) -> Iterator[Question]:
    seen: set[object] = set()
    for group in read_groups(str(groups)):
        if group.original.id not in seen:
            seen.add(group.original.id)
            yield group.original


def _variants(groups: Path) -> Iterator[Question]:
    for group in read_groups(str(groups)):
        for variant in group.variants:
            yield variant.question if variant.question.images else variant.question.with_images(group.original.images)
