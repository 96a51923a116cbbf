"""Chat templates: thoughts are not answers, options reach the template, and the date in a prompt is always the same."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="the extra hf is not installed")

import hf_folders  # noqa: E402
from hf_asking import QUESTIONS  # noqa: E402
from hf_chat_families import qwen3_vl_thinking  # noqa: E402

import askew  # noqa: E402
from askew import registry  # noqa: E402
from askew.errors import BadOption, ModelError  # noqa: E402
from askew.models.huggingface import chat_template  # noqa: E402
from askew.types import Question  # noqa: E402

pytestmark = pytest.mark.usefixtures("offline")


@pytest.fixture(scope="module")
def thinker(tmp_path_factory):
    return qwen3_vl_thinking(tmp_path_factory.mktemp("hf") / "thinker")


def test_a_thought_that_the_prompt_began_and_the_reply_never_ends_is_a_failure(thinker, tmp_path):
    model = registry.make("model", f"hf:{thinker},max_new_tokens=4")
    assert model.runtime.prompt("Why?").endswith("<think>\n")
    predictions = model.answer(QUESTIONS)
    assert {prediction.error for prediction in predictions} == {
        "The model was still thinking after 4 tokens. Raise max_new_tokens, or turn thinking off if its chat template "
        'can (template={"enable_thinking": false}).'
    }
    assert all(prediction.raw and prediction.answer is None for prediction in predictions)
    with pytest.raises(ModelError, match=r"in a row.*still thinking after 4 tokens\. Raise max_new_tokens"):
        askew.evaluate(model, "world:val,scenes=60", "rad", output=tmp_path / "run", stop_after=6)


def test_thinking_is_turned_off_by_an_option_of_the_template(thinker):
    model = registry.make("model", f'hf:{thinker},template={{"enable_thinking": false, "more": 0}},max_new_tokens=4')
    assert model.runtime.prompt("Why?").endswith("<think>\n\n</think>\n\n")
    assert not any(prediction.failed for prediction in model.answer(QUESTIONS))
    assert all(0 < score < 1 for score in model.scores(QUESTIONS[:2], ["yes", "no"]))
    with pytest.raises(ModelError, match="ends inside a thought"):
        registry.make("model", f"hf:{thinker}").scores(QUESTIONS[:2], ["yes", "no"])
    assert 'template={"enable_thinking": false, "more": 0}' in repr(model)
    same = registry.make("model", f"hf:{thinker},max_new_tokens=4", template={"more": 0, "enable_thinking": False})
    assert repr(same) == repr(model)


def test_a_template_that_thinks_gets_more_tokens_unless_max_new_tokens_is_given(thinker, tmp_path):
    def tokens(spec):
        return registry.make("model", spec).max_new_tokens

    assert tokens(f"hf:{thinker}") == 4096
    assert tokens(f"hf:{thinker},max_new_tokens=50") == 50
    assert tokens(f'hf:{thinker},template={{"enable_thinking": false}}') == 16
    assert tokens(f"hf:{hf_folders.llava(tmp_path / 'llava')}") == 16
    for template, thinks in (
        ("{{ messages }}assistant:{# <think> in the history is removed #}", True),
        ("{{ messages }}assistant:<think></think>", False),
        ("{{ messages }}[THINK]", True),
        ("{{ messages }}<|channel>thought\n", True),
        ("{{ raise_exception('no') }}<think>", True),
        ("{{ messages }}", False),
    ):
        assert chat_template.may_think(template, {}) is thinks, template


def test_markers_that_the_tokenizer_calls_special_still_end_a_thought():
    tokenizer = hf_folders.chat_tokenizer("[THINK]", "[/THINK]", "<|channel>", "<channel|>", "<mark>")
    why = Question(1, None, "Why?")
    for text, answer in (
        ("[THINK]red or blue[/THINK]blue</s>", "blue"),
        ("<|channel>thought\nred<channel|><mark>blue</s>", "blue"),
        ("[THINK]red or blue", None),
        ("<|channel>thought\nred</s>", None),
        ("<mark>blue</s>", "blue"),
    ):
        reply = chat_template.decode(tokenizer, tokenizer(text, add_special_tokens=False)["input_ids"])
        assert chat_template.answer_after_thought(why, reply).answer == answer, text


def test_the_date_in_a_prompt_is_fixed_and_in_the_signature(tmp_path, monkeypatch):
    folder = hf_folders.llava(tmp_path / "dated")
    plain = registry.make("model", f"hf:{folder}")
    assert "date=" not in repr(plain)
    template = "Today is {{ strftime_now('%d %B %Y') }} or {{ date_string }}. " + plain.folder.chat_template
    (folder / "chat_template.jinja").write_text(template)
    model = registry.make("model", f"hf:{folder}")
    assert model.runtime.prompt("Why?").startswith("Today is 26 July 2024 or 26 Jul 2024. USER: <image>\nWhy?")
    assert "date=2024-07-26" in repr(model)
    other = registry.make("model", f'hf:{folder},template={{"date_string": "1 May 1900"}}')
    assert "26 July 2024 or 1 May 1900" in other.runtime.prompt("Why?")
    assert repr(other) != repr(model)
    from transformers.utils.chat_template_utils import render_jinja_template

    rendered = render_jinja_template([[{"role": "user", "content": "x"}]], chat_template=template)[0][0]
    assert "26 July 2024" not in rendered, "transformers itself still has today's date"


def test_template_options_that_cannot_work_are_refused(thinker, tmp_path):
    with pytest.raises(BadOption, match="is not JSON"):
        registry.make("model", f"hf:{thinker},template=enable_thinking:false")
    with pytest.raises(BadOption, match="must be a JSON object"):
        registry.make("model", f"hf:{thinker},template=false")
    with pytest.raises(
        BadOption, match=r"no option 'enable_thinkin'\. Did you mean 'enable_thinking'\? It reads: enable_th"
    ):
        registry.make("model", f'hf:{thinker},template={{"enable_thinkin": false}}')
    bare = hf_folders.llava(tmp_path / "bare", chat=False)
    with pytest.raises(BadOption, match="has no chat template"):
        registry.make("model", f'hf:{bare},template={{"enable_thinking": false}}')
    broken = hf_folders.llava(tmp_path / "broken")
    (broken / "chat_template.jinja").write_text("{{ raise_exception('only text') }}")
    with pytest.raises(ModelError, match=r"chat template cannot be used \(TemplateError: only text\)"):
        registry.make("model", f"hf:{broken}").answer(QUESTIONS)
