"""Chat templates: the text that a model reads for a question, and thoughts that it writes before its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from typing import Any

import orjson

from askew.errors import BadOption, ModelError, did_you_mean, need
from askew.types import Prediction, Question

TODAY = date(2024, 7, 26)
"""The date in every prompt: a template that prints today's date would ask another question every day."""
THOUGHT_TOKENS = 4096
"""Default ``max_new_tokens`` of a model that thinks before it answers."""
_MARKERS = (
    ("<think>", "</think>"),  # Qwen, GLM, DeepSeek, ...
    ("<thinking>", "</thinking>"),
    ("[THINK]", "[/THINK]"),  # Mistral
    ("<|channel>thought", "<channel|>"),  # Gemma 4
    ("◁think▷", "◁/think▷"),  # Kimi
    ("<seed:think>", "</seed:think>"),
)
_THOUGHT = re.compile("|".join(f"{re.escape(start)}.*?{re.escape(end)}" for start, end in _MARKERS), re.I | re.DOTALL)
_START = re.compile("|".join(re.escape(start) for start, _ in _MARKERS), re.IGNORECASE)
_END = re.compile("|".join(re.escape(end) for _, end in _MARKERS), re.IGNORECASE)


def template_options(given: str | Mapping[str, Any] | None) -> dict[str, Any]:
    """The options for a chat template, from a mapping or from JSON.

    >>> template_options('{"enable_thinking": false}'), template_options(None)
    ({'enable_thinking': False}, {})
    """
    if given is None or isinstance(given, Mapping):
        return dict(given or {})
    try:
        options = orjson.loads(given)
    except orjson.JSONDecodeError as error:
        raise BadOption(
            f'hf: template={given} is not JSON ({error}). Write template={{"enable_thinking": false}}, for example; '
            "in a shell, put the whole model spec in single quotes."
        ) from None
    if not isinstance(options, dict):
        raise BadOption(f'hf: template={given} must be a JSON object, such as {{"enable_thinking": false}}.')
    return options


def check_options(template: str, options: Mapping[str, Any]) -> None:
    """Refuse options that a chat template never reads, such as misspelt ones: they would change nothing."""
    need("transformers", "hf")
    from jinja2 import TemplateError, meta
    from transformers.utils.chat_template_utils import _compile_jinja_template

    try:
        reads = meta.find_undeclared_variables(_compile_jinja_template(template).environment.parse(template))
    except TemplateError:  # rendering it says what is wrong
        return
    own = sorted(reads - {"messages", "add_generation_prompt", "raise_exception", "strftime_now", "range", "namespace"})
    for name in options:
        if name not in reads:
            raise BadOption(
                f"hf: the model's chat template has no option {name!r}.{did_you_mean(name, own)} It reads: "
                f"{', '.join(own) or 'none'}."
            )


def default_template(given: Any) -> str:
    """The chat template; if a folder or a tokenizer has several by name, the one called "default", or the first.

    >>> default_template([{"name": "tools", "template": "T"}, {"name": "default", "template": "D"}])
    'D'
    >>> default_template({"rag": "R"}), default_template("{{ messages }}"), default_template(None)
    ('R', '{{ messages }}', '')
    """
    if isinstance(given, list):
        given = {str(each.get("name")): each.get("template") for each in given if isinstance(each, Mapping)}
    if isinstance(given, Mapping):
        given = given.get("default") or next(iter(given.values()), None)
    return given if isinstance(given, str) else ""


def render(template: str, content: Any, options: Mapping[str, Any], special_tokens: Mapping[str, Any]) -> str:
    """The prompt for one user message. The date is always :data:`TODAY`, unless ``options`` give ``date_string``."""
    need("transformers", "hf")
    from transformers.utils.chat_template_utils import render_jinja_template

    values = {**special_tokens, "date_string": TODAY.strftime("%d %b %Y"), **options}
    try:
        with _fixed_date(template):
            prompts: Any = render_jinja_template(
                [[{"role": "user", "content": content}]], chat_template=template, add_generation_prompt=True, **values
            )
    except Exception as error:  # a template can raise anything
        raise ModelError(
            f"The model's chat template cannot be used ({type(error).__name__}: {error}). "
            "Check the options given with template=..., or the chat template in the folder."
        ) from error
    return str(prompts[0][0])  # (prompts, indices of the assistant's text)


@contextmanager
def _fixed_date(template: str) -> Iterator[None]:
    """Give ``strftime_now`` of this template :data:`TODAY`. It cannot be passed as an option: those are plain data."""
    if "strftime_now" not in template:
        yield
        return
    from transformers.utils.chat_template_utils import _compile_jinja_template

    values = _compile_jinja_template(template).globals
    now = values["strftime_now"]
    values["strftime_now"] = TODAY.strftime
    try:
        yield
    finally:
        values["strftime_now"] = now


def prints_date(template: str) -> bool:
    """Whether a template can print the date."""
    return "strftime_now" in template or "date_string" in template


def may_think(template: str, options: Mapping[str, Any]) -> bool:
    """Whether a model with this template may think before it answers: it has thoughts, and the prompt closes none.

    >>> may_think("{{ messages[0].content }}", {})
    False
    """
    if not _START.search(template):
        return False
    try:
        prompt = render(template, [{"type": "text", "text": "Why?"}], options, {})
    except ModelError:
        return True
    return in_thought(prompt) or not prompt.rstrip().endswith(tuple(end for _, end in _MARKERS))


def in_thought(text: str) -> bool:
    """Whether a text ends inside a thought.

    >>> in_thought("assistant\\n<think>\\n"), in_thought("<think>\\n\\n</think>\\n\\n"), in_thought("ASSISTANT:")
    (True, False, False)
    """
    return bool(_START.search(_END.split(text)[-1]))


def count_thoughts(text: str) -> int:
    """How many thoughts end in a text."""
    return len(_END.findall(text))


def answer_after_thought(
    question: Question, text: str, tokens: tuple[int, int] = (0, 0), started: bool = False
) -> Prediction:
    """The reply without its thought; ``started`` says that the prompt began one. An unfinished thought is a failure.

    >>> why = Question(1, None, "Why?")
    >>> answer_after_thought(why, "<think>Hm. A cat?</think> a cat").answer
    'a cat'
    >>> answer_after_thought(why, "so it is.</think>no", started=True).answer
    'no'
    >>> answer_after_thought(why, "Let me see", (9, 16), started=True).error
    'The model was still thinking after 16 tokens. Raise max_new_tokens, or turn thinking off if its chat template can \
(template={"enable_thinking": false}).'
    """
    answer = _END.split(_THOUGHT.sub("", f"<think>{text}" if started else text))[-1]
    if _START.search(answer):
        error = (
            f"The model was still thinking after {tokens[1]} tokens. Raise max_new_tokens, or turn thinking off if its "
            'chat template can (template={"enable_thinking": false}).'
        )
        return Prediction(question.id, None, error=error, raw=text, tokens=tokens)
    answer = answer.strip()
    return Prediction(question.id, answer, raw=None if answer == text.strip() else text, tokens=tokens)


def decode(tokenizer: Any, tokens: Any) -> str:
    """Generated text without special tokens, but with the markers of thoughts, which some tokenizers call special."""
    text = str(tokenizer.decode(tokens, skip_special_tokens=True))
    whole = str(tokenizer.decode(tokens, skip_special_tokens=False))
    if len(_START.findall(whole)) + len(_END.findall(whole)) == len(_START.findall(text)) + len(_END.findall(text)):
        return text
    special = sorted(tokenizer.all_special_tokens, key=len, reverse=True)
    markers = [(start.lower(), end.lower()) for start, end in _MARKERS]
    words = [t for t in special if not any(t.lower() in (start, end, start[: len(t)]) for start, end in markers)]
    return re.sub("|".join(map(re.escape, words)) or r"(?!)", "", whole)
