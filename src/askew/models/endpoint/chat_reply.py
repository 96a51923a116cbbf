"""What a chat completion says: the answer, its score, or why there is none. No network and no clock."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from askew.answers.extract_rules import without_thoughts
from askew.files.limits import is_token_count
from askew.types import Id, Prediction

_STILL_THINKING = "still thinking"
"""How errors of this kind begin: there are thoughts, but no answer after them."""
_SEVERAL = 5
"""A run stops after this many replies that are thoughts without an answer, if they are at least half of all."""
_REMEDY = (
    "Raise max_answer_tokens (thinking takes 1,000 tokens and more), or switch thinking off: with "
    'extra={"chat_template_kwargs": {"enable_thinking": false}} (vLLM, SGLang, llama.cpp) or '
    'extra={"reasoning_effort": "low"} (OpenAI).'
)
_REASONING = ("reasoning_content", "reasoning", "thinking")
"""Where servers put thoughts beside the answer: vLLM, SGLang, llama.cpp and DeepSeek; OpenRouter and Ollama."""


@dataclass
class Replies:
    """What the completions of one round say about the endpoint."""

    count: int = 0
    thoughts: int = 0
    """Completions that are thoughts without an answer."""
    scored: bool = False
    """Whether any answer had a score."""

    def trouble(self, prediction: Prediction, wants_scores: bool, gives_up: bool) -> str | None:
        """Why the run must stop after this prediction and what to do; None if it can continue."""
        thinking = (prediction.error or "").startswith(_STILL_THINKING)
        self.count += 1
        self.thoughts += thinking
        self.scored = self.scored or prediction.score is not None
        if gives_up and thinking and self.thoughts >= max(_SEVERAL, self.count / 2):
            return (
                f"{self.thoughts} of {self.count} replies have no answer; the last: {prediction.error}. {_REMEDY} "
                "Answers are kept (give_up=0 never stops)."
            )
        if wants_scores and not prediction.failed and not self.scored:
            return (
                "the endpoint was asked for log-probabilities (logprobs=true) and sent none for the answer. Leave out "
                "logprobs=true: answers then have no score."
            )
        return None


def prediction_from_reply(question_id: Id, reply: Mapping[str, Any], most: int | None = None) -> Prediction:
    """The answer of a chat completion without its thoughts, or why there is none. ``most``: its token limit.

    >>> reply = {"choices": [{"message": {"content": "<think>Wet?</think>Yes."}, "finish_reason": "stop"}]}
    >>> prediction_from_reply(7, reply).answer
    'Yes.'
    >>> cut = {"choices": [{"message": {"content": "", "reasoning": "Wet?"}, "finish_reason": "length"}]}
    >>> prediction_from_reply(7, cut, 256).error
    'still thinking: the reply was cut off at max_answer_tokens=256 before an answer'
    """
    choice = reply["choices"][0]
    message, words = choice["message"], _words(choice["message"].get("content"))
    answer = without_thoughts(words)
    if error := _why_no_answer(message, words, answer, _end(choice, reply, most), most):
        return Prediction(question_id, None, error=error, raw=words or _words(message.get("refusal")) or None)
    score = _score(choice, answer)
    return Prediction(question_id, answer, score, raw=None if answer == words else words)


def tokens_of_reply(reply: Mapping[str, Any], about: int) -> tuple[int, int]:
    """Tokens read and written as the endpoint counts; if it does not, ``about`` and a quarter of the characters.

    >>> tokens_of_reply({"usage": {"prompt_tokens": 510, "completion_tokens": 2}, "choices": [{"message": {}}]}, 439)
    (510, 2)
    >>> tokens_of_reply({"choices": [{"message": {"content": "Yes."}}]}, 439)
    (439, 1)
    """
    usage = reply.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
    message = reply["choices"][0]["message"]
    letters = sum(len(_words(message.get(name))) for name in ("content", *_REASONING))
    return (read if is_token_count(read) else about, written if is_token_count(written) else (letters + 3) // 4)


def _end(choice: Mapping[str, Any], reply: Mapping[str, Any], most: int | None) -> Any:
    """Why the reply ended; if the server does not say, judged by its count of tokens."""
    end, usage = choice.get("finish_reason"), reply.get("usage")
    written = usage.get("completion_tokens") if isinstance(usage, dict) else None
    if end is None and most is not None and is_token_count(written) and written >= most:
        return "length"
    return end


def _why_no_answer(message: Mapping[str, Any], words: str, answer: str, end: Any, most: int | None) -> str | None:
    if end == "content_filter":
        return "content filter: the endpoint withheld the answer"
    if message.get("refusal"):
        return "refusal"
    if not answer.strip() and (thought := _thought(message, words, end)):
        return f"{_STILL_THINKING}: {thought.format('max_answer_tokens' + (f'={most}' if most else ''))}"
    if end == "length":
        return "cut off: the answer is longer than max_answer_tokens"
    if answer.strip():
        return None
    return "tool call: the model called a tool instead of answering" if message.get("tool_calls") else "empty answer"


def _thought(message: Mapping[str, Any], words: str, end: Any) -> str | None:
    """How a reply without an answer ended, if it was a thought. A reply that was cut off before its first visible word
    counts as one, since some servers do not show thoughts.
    """
    if end == "length":
        return "the reply was cut off at {} before an answer"
    if message.get("tool_calls"):
        return None
    if words.strip() or any(_words(message.get(name)).strip() for name in _REASONING):
        return "the reply ended without an answer after its thoughts"
    return None


def _words(content: Any) -> str:
    """The text of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (_text(part) if isinstance(part, dict) else part for part in content)
        return "".join(part for part in parts if isinstance(part, str))
    return ""


def _text(part: Mapping[str, Any]) -> Any:
    return None if part.get("type") in ("thinking", "reasoning") else part.get("text")


def _score(choice: Mapping[str, Any], answer: str) -> float | None:
    """exp of the mean log-probability of the answer's tokens; None if the server sent none that match the answer."""
    tokens = _tokens(choice.get("logprobs"))
    words = answer.strip()
    start = "".join(text for text, _ in tokens).rfind(words) if words else -1
    if start < 0:
        return None
    end, place, logs = start + len(words), 0, []
    for text, log in tokens:
        if place < end and place + len(text) > start:
            logs.append(log)
        place += len(text)
    return math.exp(sum(logs) / len(logs)) if logs else None


def _tokens(found: Any) -> list[tuple[str, float]]:
    """Tokens with their log-probabilities, in either of the shapes that servers send: OpenAI's for chats, or the one
    for completions; empty if any value is not a log-probability.
    """
    if not isinstance(found, dict):
        return []
    if isinstance(content := found.get("content"), list):
        pairs: list[tuple[Any, Any]] = [
            (item.get("token"), item.get("logprob")) if isinstance(item, dict) else (None, None) for item in content
        ]
    elif isinstance(found.get("tokens"), list) and isinstance(found.get("token_logprobs"), list):
        pairs = list(zip(found["tokens"], found["token_logprobs"], strict=False))
    else:
        return []
    checked = [(text, min(0.0, float(log))) for text, log in pairs if isinstance(text, str) and _is_log(log)]
    return checked if len(checked) == len(pairs) else []


def _is_log(value: Any) -> bool:
    """Whether a value is the logarithm of a probability, up to rounding."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and -1e9 < value < 0.01
