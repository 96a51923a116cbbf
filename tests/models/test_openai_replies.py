"""Replies in other forms than requested: compressed, streamed, or in another protocol."""

from __future__ import annotations

import gzip
import json
import zlib

import pytest
from fault_server import Act, FaultServer, completion, http, ok

from askew.errors import ModelError
from askew.models.endpoint.openai import OpenAI
from askew.types import Question

pytestmark = pytest.mark.usefixtures("no_key")

QUESTION = [Question(1, None, "Is it wet?")]
BODY = json.dumps(completion("Yes.")).encode()


def answer(act, **options):
    """The prediction, and how many requests it took."""
    with FaultServer(act if callable(act) else lambda request: act) as server:
        (prediction,) = OpenAI("any", base_url=server.url, **{"backoff": 0.001, **options}).answer(QUESTION)
    return prediction, len(server.requests)


def events(*parts, end=b"data: [DONE]"):
    lines = [b": a comment", *(b"data: " + json.dumps(part).encode() for part in parts), end]
    return b"\r\n\r\n".join(lines) + b"\n\n"


def delta(**fields):
    return {"choices": [{"index": 0, "delta": fields}]}


STREAM = (
    delta(role="assistant", reasoning_content="Rain"),
    delta(reasoning_content="? "),
    delta(content="Y"),
    delta(content="es."),
    {"choices": [{"delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 3}},
)


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_compressed_reply_is_read(coding, pack):
    said, requests = answer(Act(http(200, pack(BODY), {"Content-Encoding": coding})))
    assert (said.answer, said.tokens, requests) == ("Yes.", (100, 3), 1)


def test_a_compressed_reply_is_bounded_and_must_be_whole():
    bomb = gzip.compress(b" " * (9 << 20))
    said, requests = answer(Act(http(200, bomb, {"Content-Encoding": "gzip"})))
    assert said.error.startswith("reply too large")
    assert requests == 1
    cut = Act(http(200, gzip.compress(BODY)[:-9], {"Content-Encoding": "gzip"}))
    said, requests = answer(lambda request: cut if request.nth == 1 else ok("Yes."))
    assert (said.answer, requests) == ("Yes.", 2)


def test_a_stream_of_events_is_joined():
    said, requests = answer(Act(http(200, events(*STREAM))))
    assert (said.answer, said.tokens, requests) == ("Yes.", (100, 3), 1)
    length = {"choices": [{"delta": {"content": "It i"}, "finish_reason": "length"}]}
    assert "cut off" in answer(Act(http(200, events(length))))[0].error


@pytest.mark.parametrize("body", [events(*STREAM[:3], end=b""), events(), events({"choices": 5}), b"data: {\n\n"])
def test_a_stream_without_its_end_is_asked_again(body):
    said, requests = answer(lambda request: Act(http(200, body)) if request.nth == 1 else ok("Yes."))
    assert (said.answer, requests) == ("Yes.", 2)


def test_log_probabilities_of_a_stream_give_a_score():
    parts = [
        {"choices": [{"delta": {"content": word}, "logprobs": {"content": [{"token": word, "logprob": -0.5}]}}]}
        for word in ("Y", "es")
    ]
    said, _ = answer(Act(http(200, events(*parts))), logprobs=True)
    assert said.score == pytest.approx(0.60653, abs=1e-5)  # exp(-0.5)


UNUSABLE = {
    "HTTP/2": (bytes([0, 0, 18, 4, 0, 0, 0, 0, 0]) + bytes(18), "speaks only HTTP/2.*HTTP/1.1"),
    "HTTP/2 in words": (b"HTTP/2 200\r\n\r\n", "answers in 'HTTP/2'"),
    "TLS": (bytes([21, 3, 1, 0, 2, 2, 22]), "expects TLS.*https://"),
    "another service": (b"SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP.*port in base_url"),
    "brotli": (http(200, b"x", {"Content-Encoding": "br"}), "compressed .'br'.*Turn that off"),
}


@pytest.mark.parametrize(("raw", "reason"), UNUSABLE.values(), ids=UNUSABLE)
def test_what_can_never_work_is_named_at_once(raw, reason):
    with FaultServer(lambda request: Act(raw, then="cut")) as server:
        with pytest.raises(ModelError, match=reason):
            OpenAI("any", base_url=server.url, backoff=1e6).answer(QUESTION)
        assert len(server.requests) == 1


def test_after_an_answer_another_protocol_is_a_fault_like_any_other():
    raw = Act(UNUSABLE["another service"][0], then="cut")
    with FaultServer(lambda request: ok() if request.text == "a" or request.nth > 1 else raw) as server:
        model = OpenAI("any", base_url=server.url, backoff=0.001, prompt="{question}", concurrency=1)
        said = model.answer([Question(n, None, text) for n, text in enumerate("ab")])
    assert [prediction.answer for prediction in said] == ["yes", "yes"]
