"""What a reply to a chat request means: retry, give up, stop the run, or an answer with its score.

No network and no clock here.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from reprlib import repr as repr_of  # replies are short and not deeply nested
from typing import Any

import orjson

from askew.answers.extract_reply import without_thoughts
from askew.files.limits import is_token_count
from askew.models.endpoint.http import Reply
from askew.models.endpoint.retry_policy import (
    STILL_THINKING,
    Completion,
    ErrorReply,
    Retry,
    Verdict,
    judge_error,
    retry_after,
)
from askew.types import Id, Prediction

_REASONING = ("reasoning_content", "reasoning", "thinking")
"""Where servers put thoughts beside the answer: vLLM, SGLang, llama.cpp and DeepSeek; OpenRouter and Ollama."""
_THOUGHTS = ("thinking", "reasoning")
"""The types of parts of a message that are thoughts."""


def judge(reply: Reply, wants_scores: bool = False) -> Verdict:
    """What a reply means; ``wants_scores`` if the request asked for log-probabilities, which some servers refuse.

    >>> judge(Reply(429, {"retry-after": "2"}, b""))
    Retry(reason='http 429', overload=True, after=2.0, silent=False)
    >>> judge(Reply(400, {}, b'{"error": {"message": "image too small"}}'))
    Failed(reason='http 400: image too small')
    >>> judge(Reply(200, {}, b"<html>Welcome!</html>")).reason
    "broken reply: not a JSON object, but '<html>Welcome!</html>' (is base_url correct?)"
    """
    if reply.status == 200:
        return _completion(reply, wants_scores)
    content = _json(reply.body)
    error = _error(content) if content is not None else ErrorReply(_plain(reply.body))
    reason = ": ".join(part for part in (f"http {reply.status}", error.message) if part)
    return judge_error(reply.status, reason, error, retry_after(reply.headers), wants_scores)


def _completion(reply: Reply, wants_scores: bool) -> Verdict:
    content = _json(reply.body)
    if content is None and reply.body.lstrip().startswith((b"data:", b"event:", b":")):
        content = _joined_events(reply.body)
        if content is None:
            return Retry("broken reply: a stream of events that is not whole", overload=False)
    if not isinstance(content, dict):
        return Retry(f"broken reply: not a JSON object{_instead(reply.body)}", overload=False)
    if content.get("error"):
        error = _error(content)
        status = int(error.code) if re.fullmatch("[45][0-9][0-9]", error.code) else 400
        reason = f"error {error.code}: {error.message}" if error.code else f"error: {error.message}"
        return judge_error(status, reason, error, retry_after(reply.headers), wants_scores)
    choices = content.get("choices")
    if not (isinstance(choices, list) and choices and isinstance(choices[0], dict)):
        return Retry("broken reply: no choices in it", overload=False)
    if not isinstance(choices[0].get("message"), dict):
        return Retry("broken reply: no message in it", overload=False)
    return Completion(content)


def _joined_events(body: bytes) -> dict[str, Any] | None:
    """The completion that server-sent events add up to, as some servers stream unasked; None if the end is missing.

    >>> events = [b'data: {"choices": [{"delta": {"content": "%b"}}]}' % word for word in (b"Y", b"es")]
    >>> _joined_events(events[0]), _joined_events(b"\\n\\n".join([*events, b"data: [DONE]"]))["choices"]
    (None, [{'message': {'content': 'Yes'}}])
    """
    whole: dict[str, Any] = {}
    choice: dict[str, Any] = {}
    texts: defaultdict[str, list[str]] = defaultdict(list)
    logs: list[Any] = []
    ended = False
    for line in body.splitlines():
        if not line.startswith(b"data:"):
            continue
        if line[5:].strip() == b"[DONE]":
            ended = True
            continue
        event = _json(line[5:])
        if not isinstance(event, dict):
            return None
        if event.get("error"):
            return event
        whole |= {name: value for name, value in event.items() if value is not None and name != "choices"}
        choices = event.get("choices")
        part = choices[0] if isinstance(choices, list) and choices else None
        if not isinstance(part, dict):
            continue
        delta = part.get("delta", part.get("message"))
        for name, value in (delta if isinstance(delta, dict) else {}).items():
            if isinstance(value, str):
                texts[name].append(value)
            elif name == "content" and isinstance(value, list):
                texts[name].append(_words(value))
            elif value:
                choice.setdefault("message", {})[name] = value
        found = part.get("logprobs")
        if isinstance(found, dict) and isinstance(found.get("content"), list):
            logs += found["content"]
        if part.get("finish_reason"):
            choice["finish_reason"], ended = part["finish_reason"], True
    if not ended or not (texts or choice):
        return None
    choice["message"] = choice.get("message", {}) | {name: "".join(parts) for name, parts in texts.items()}
    if logs:
        choice["logprobs"] = {"content": logs}
    return whole | {"choices": [choice]}


def _json(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        return None


def _error(content: Any) -> ErrorReply:
    """The error in the forms that servers use: OpenAI's object, a plain string, or FastAPI's ``detail``."""
    if not isinstance(content, dict):
        return ErrorReply()
    error = content.get("error") or content
    if not isinstance(error, dict):
        return ErrorReply(_line(error))
    message = error.get("message") or error.get("detail") or ""
    return ErrorReply(_line(message), _line(error.get("code") or ""), _line(error.get("param") or ""))


def _plain(body: bytes) -> str:
    """The text of a reply that is neither JSON nor HTML."""
    text = _line(body[:800].decode("utf-8", "replace"))
    return "" if text.startswith(("<", "{", "[")) else text


def _instead(body: bytes) -> str:
    """The beginning of a reply that is not JSON: HTML, a stream of events, plain text."""
    text = _line(body[:200].decode("utf-8", "replace"))
    return "" if not text or text.startswith(("{", "[")) else f", but {text[:40]!r} (is base_url correct?)"


def _line(text: Any) -> str:
    """One printable line; lists and objects abbreviated."""
    words = text if isinstance(text, str) else str(text) if isinstance(text, (bool, int, float)) else repr_of(text)
    return "".join(sign if sign.isprintable() else "�" for sign in " ".join(words[:10_000].split())[:200])


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
        return f"{STILL_THINKING}: {thought.format('max_answer_tokens' + (f'={most}' if most else ''))}"
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
        shown = [part for part in content if not (isinstance(part, dict) and part.get("type") in _THOUGHTS)]
        parts = (part.get("text") if isinstance(part, dict) else part for part in shown)
        return "".join(part for part in parts if isinstance(part, str))
    return ""


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
    checked = [
        (text, min(0.0, float(log)))
        for text, log in pairs
        if isinstance(text, str) and type(log) in (int, float) and -1e9 < log < 0.01  # 0, up to rounding
    ]
    return checked if len(checked) == len(pairs) else []
