"""A question as a chat completion request, and the prediction in its reply. Pure: no network, no clock."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from askew.errors import BadOption
from askew.files.limits import is_token_count
from askew.models.endpoint.pictures import Picture
from askew.types import Id, Prediction, Question

_FIELD = re.compile(r"\{(question|context)\}")
_TILE = 512


@dataclass(frozen=True)
class Chat:
    """How a question is put: everything a request says besides the question and its picture."""

    prompt: str
    """Has ``{question}``, and ``{context}`` where it should stand; else the context goes before it."""
    system: str
    detail: str
    most_written: int
    fields: Mapping[str, Any]
    """The request's other fields: model, temperature, ..."""

    def __post_init__(self) -> None:
        if "{question}" not in self.prompt:
            raise BadOption(f"prompt={self.prompt!r}: there is no {{question}} in it, so nothing would be asked.")

    def body(self, question: Question, picture: Picture | None) -> bytes:
        """The request's JSON."""
        content: Any = [{"type": "text", "text": self.words(question)}]
        if picture is not None:
            image: dict[str, Any] = {"url": orjson.Fragment(picture.url)}
            content.insert(
                0, {"type": "image_url", "image_url": image | ({"detail": self.detail} if self.detail else {})}
            )
        else:
            content = content[0]["text"]
        messages = [{"role": "system", "content": self.system}] if self.system else []
        return orjson.dumps({**self.fields, "messages": [*messages, {"role": "user", "content": content}]})

    def words(self, question: Question) -> str:
        """What the model is told in words.

        >>> chat = Chat("{question} Be brief.", "", "", 64, {})
        >>> chat.words(Question(1, None, "What is {context}?"))
        'What is {context}? Be brief.'
        >>> chat.words(Question(1, None, "Is it wet?", context="It rains."))
        'It rains.\\nIs it wet? Be brief.'
        """
        parts = {"question": question.text, "context": question.context}
        said = _FIELD.sub(lambda match: parts[match[1]], self.prompt)
        apart = question.context and "{context}" not in self.prompt
        said = f"{question.context}\n{said}" if apart else said
        return said.encode("utf-8", "replace").decode("utf-8")

    def tokens(self, question: Question, size: tuple[int, int] | None) -> int:
        """About how many tokens a request has the model read: a quarter of its letters, and 85 + 170 for each tile
        of 512 x 512 pixels for a picture (as OpenAI counts; others differ, so this is no more than a guess).

        >>> Chat("{question}", "", "", 64, {}).tokens(Question(1, None, "What colour is the cat?"), (640, 480))
        439
        """
        letters = len(self.words(question)) + len(self.system)
        return 8 + (letters + 3) // 4 + (0 if size is None else picture_tokens(size, self.detail))


def picture_tokens(size: tuple[int, int], detail: str) -> int:
    """About how many tokens a picture is.

    >>> picture_tokens((640, 480), ""), picture_tokens((640, 480), "low")
    (425, 85)
    """
    if detail == "low":
        return 85
    across, down = (-(-side // _TILE) for side in size)
    return 85 + 170 * across * down


def prediction_from_reply(question_id: Id, reply: Mapping[str, Any]) -> Prediction:
    """What a chat completion says: words, or why there are none.

    >>> said = {"choices": [{"message": {"content": "Yes."}, "finish_reason": "stop"}]}
    >>> prediction_from_reply(7, said).answer
    'Yes.'
    """
    choice = reply["choices"][0]
    message, end = choice["message"], choice.get("finish_reason")
    words = _words(message.get("content"))
    if error := _trouble(message, words, end):
        return Prediction(question_id, None, error=error, raw=words or _words(message.get("refusal")) or None)
    return Prediction(question_id, words)


def tokens_of_reply(reply: Mapping[str, Any], about: int) -> tuple[int, int]:
    """Tokens read and written as the endpoint counts; from one that does not, ``about`` and a quarter of the letters.

    >>> tokens_of_reply({"usage": {"prompt_tokens": 510, "completion_tokens": 2}, "choices": [{"message": {}}]}, 439)
    (510, 2)
    >>> tokens_of_reply({"choices": [{"message": {"content": "Yes."}}]}, 439)
    (439, 1)
    """
    usage = reply.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    read, written = counts.get("prompt_tokens"), counts.get("completion_tokens")
    words = _words(reply["choices"][0]["message"].get("content"))
    return (read if is_token_count(read) else about, written if is_token_count(written) else (len(words) + 3) // 4)


def _trouble(message: Mapping[str, Any], words: str, end: Any) -> str | None:
    if end == "content_filter":
        return "content filter: the endpoint kept the answer back"
    if message.get("refusal"):
        return "refusal"
    if end == "length":
        return "cut off: the answer is longer than max_answer_tokens"
    if words.strip():
        return None
    return "tool call: the model called a tool instead of answering" if message.get("tool_calls") else "empty answer"


def _words(content: Any) -> str:
    """Content is text, or a list of parts of which some are text."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        parts = (part.get("text") if isinstance(part, dict) else part for part in content)
        return "".join(part for part in parts if isinstance(part, str))
    return ""
