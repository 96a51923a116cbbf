"""``askew run --try N``: a few questions, with everything a model reads and replies, and nothing stored."""

from __future__ import annotations

from askew import registry
from askew.cli import main
from askew.engine.settings import Named, Settings
from askew.engine.try_model import try_model
from askew.types import Prediction, Question


class Odd:
    """A model that replies with terminal control codes, and fails on the second question."""

    def preview(self, question):
        return f"Prompt\x1b[2J:\n{question.text}"

    def stream(self, questions):
        for question in questions:
            failed = question.id == 2
            yield Prediction(
                question.id, None if failed else "Yes\x1b]0;x\x07, it is.", error="no\nroom" if failed else None
            )


def test_each_model_is_shown_with_its_answers_and_no_folder_is_made(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    command = ["run", "--model", "constant:yes", "--model", "constant:no", "--data", "world:val,scenes=20"]
    assert main([*command, "--try", "2"]) == 0
    shown = capsys.readouterr().out
    assert shown.count("answer: yes") == shown.count("answer: no") == 2
    assert shown.count("people answered: ") == 4
    assert "Questions asked: 2. Nothing was stored." in shown
    assert list(tmp_path.iterdir()) == []
    assert main([*command, "--try", "0"]) == 2
    assert "at least 1" in capsys.readouterr().err
    assert main(command) == 2
    assert "--output is needed" in capsys.readouterr().err


def test_prompts_and_replies_are_shown_escaped_and_failures_as_failures():
    questions = [Question(number, None, "Is it\x1b[1m red?", answers=("yes", "no", "yes")) for number in (1, 2)]
    lines = list(try_model(Named(Odd(), "odd", "odd"), questions, Settings()))
    text = "\n".join(lines)
    assert "\x1b" not in text
    assert "\x07" not in text
    assert lines[1:10] == [
        "\n1. Is it\\x1b[1m red?",
        "   question 1, without an image",
        "   the model reads:",
        "   | Prompt\\x1b[2J:",
        "   | Is it\\x1b[1m red?",
        "   reply: Yes\\x1b]0;x\\x07, it is.",
        "   answer: yes (extracted by short-v8)",
        "   people answered: yes (2), no (1)",
        "\n2. Is it\\x1b[1m red?",
    ]
    assert "   failed: no\\nroom" in lines


def test_the_request_to_an_endpoint_is_shown_without_secrets(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-secret")
    spec = 'openai:m,base_url=http://127.0.0.1:9/v1,system=Be brief.,extra={"api_key": "hidden-hidden"}'
    model = registry.make("model", spec)
    shown = model.preview(Question(1, None, "Is it red?"))
    assert shown.splitlines()[1:] == ["system: Be brief.", f"user: {model.chat.words(Question(1, None, 'Is it red?'))}"]
    assert "hidden-hidden" not in shown
    assert "secret" not in shown
