"""What a run says while it works: one stream of events, which tests read like the terminal does."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

import askew
from askew.cli import main
from askew.engine.components import as_data, as_model, as_suite
from askew.engine.events import Advanced, Finished, Note, Started, Warned, finished, with_bars
from askew.engine.run import run_models
from askew.engine.settings import Settings
from askew.errors import DataError
from askew.report.html import page
from askew.report.load import load_run
from askew.types import Prediction
from running import write_questions


def stream(tmp_path, *models, suites=("rad",), **settings):
    write_questions(tmp_path / "q.jsonl", 200)
    named = [as_suite(suite) for suite in suites]
    data = as_data(str(tmp_path / "q.jsonl"))
    return run_models([as_model(model) for model in models], data, named, tmp_path / "o", Settings(**settings))


def test_a_run_is_a_stream_of_stages_that_ends_with_its_results(tmp_path):
    events = list(stream(tmp_path, "constant:yes", "constant:no", limit=100))
    assert [event.stage for event in events if isinstance(event, Started)] == [
        "Making groups",
        "Auditing texts",
        "Asking",
        "Asking",
    ]
    assert [event.sentence for event in events if isinstance(event, Note)] == ["constant:yes", "constant:no"]
    last = events[-1]
    assert isinstance(last, Finished)
    assert [folder.name for folder in last.folders] == ["constant-yes", "constant-no"]
    assert [result["model"]["spec"] for result in last.results] == ["constant:yes", "constant:no"]
    made = [event.done for event in events[: events.index(Started("Auditing texts", "suites", 1))][1:]]
    assert made == [64, 100, 100] or made == [64, 100]
    asked = [event for event in events if isinstance(event, Started)][-1]
    assert [event.done for event in events if isinstance(event, Advanced)][-1] == asked.total


def test_nothing_happens_before_the_first_event_and_a_closed_stream_leaves_no_results(tmp_path):
    events = stream(tmp_path, "constant:yes")
    assert not (tmp_path / "o").exists()
    assert isinstance(next(events), Started)
    events.close()
    assert not (tmp_path / "o" / "results.json").exists()
    assert not list((tmp_path / "o").glob(".*.part"))
    assert finished(stream(tmp_path, "constant:yes")).results[0]["scores"]


def test_sentences_are_left_by_the_bars_and_warnings_are_pythons_in_a_program(capsys):
    said = [Started("Asking", "questions", 2), Advanced(2, 1), Note("n"), Warned("w"), Finished((), (), ())]
    assert list(with_bars(iter(said), progress=True)) == said[2:]
    assert "Asking: 100%" in capsys.readouterr().err
    with pytest.warns(UserWarning, match="w"):
        assert finished(iter(said)) == said[-1]


def test_the_audit_of_texts_can_be_left_out(tmp_path, capsys):
    write_questions(tmp_path / "q.jsonl", 400)
    words = ["--data", str(tmp_path / "q.jsonl"), "--suite", "rad", "--quiet", "--full"]
    alone = {}
    for name, option in (("with", []), ("without", ["--no-audit"])):
        assert main(["run", "--model", "constant:yes", *words, *option, "--output", str(tmp_path / name)]) == 0
        alone[name] = json.loads((tmp_path / name / "results.json").read_text())["suites"][0]["text_alone"]
        assert ("Text alone" in capsys.readouterr().out) == (name == "with")
    assert alone["with"]
    assert alone["without"] == []
    result = askew.evaluate("constant:yes", tmp_path / "q.jsonl", "rad", no_audit=True)
    assert result.results["suites"][0]["text_alone"] == []


class Halving:
    """A model that says of each batch that it was split, as models do that run out of memory."""

    def answer(self, questions):
        first, *rest = [Prediction(question.id, "yes") for question in questions]
        return [replace(first, remark=f"A batch of {len(questions)} questions was asked in 2 parts."), *rest]


def test_a_remark_of_the_model_is_said_once_and_counted_in_the_results(tmp_path):
    events = list(stream(tmp_path, Halving(), batch_size=4, limit=21, max_failures=1))
    said = [event.sentence for event in events if isinstance(event, Note) and "2 parts" in event.sentence]
    assert len(said) == 1
    assert said[0].endswith(": A batch of 4 questions was asked in 2 parts.")
    results = json.loads((tmp_path / "o" / "results.json").read_text())
    count = -(-results["time"]["asked"] // 4)
    assert count > 1
    assert results["remarks"] == {"A batch of 4 questions was asked in 2 parts.": count}, "of other sizes too"
    assert "was asked in 2 parts." in page([load_run(tmp_path / "o")])


def test_questions_in_another_language_and_the_space_for_images_are_announced(tmp_path):
    german = ["Welche Farbe hat das Auto?", "Wie viele Hunde sind da?", "Ist das ein Bus?"]
    lines = [json.dumps({"id": number, "question": text, "answer": "2"}) for number, text in enumerate(german)]
    (tmp_path / "q.jsonl").write_text("\n".join(lines))

    def notes(data, suite):
        run = run_models(
            [as_model("constant:ja")], as_data(data), [as_suite(suite)], tmp_path / suite[:3], Settings(limit=3)
        )
        return [event.sentence for event in run if isinstance(event, Note)]

    assert notes(str(tmp_path / "q.jsonl"), "accuracy") == []
    with pytest.raises(DataError, match=r"do not seem to be English, e\.g\. 'Welche .* rules of rad are for English"):
        notes(str(tmp_path / "q.jsonl"), "rad")
    (space,) = notes("world:val,scenes=20", "corruption:blur,severities=1")
    assert re.search(r"images: about 0\.\d MB for each question, 0\.\d MB for 3\.$", space)
