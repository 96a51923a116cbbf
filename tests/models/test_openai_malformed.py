"""Malformed replies: each is an answer, a failure or a clear error, never a traceback."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from datetime import datetime, timezone
from random import Random

import pytest
from fault_server import Act, FaultServer, completion, http, ok, said

import askew
from askew.errors import ModelError
from askew.files.limits import MOST_TOKENS
from askew.models.endpoint.chat_reply import judge, prediction_from_reply, tokens_of_reply
from askew.models.endpoint.http import Reply, TooLarge, Unusable, read_reply
from askew.models.endpoint.openai import OpenAI
from askew.models.endpoint.retry_policy import YEAR, Completion, Failed, Retry, Stop, retry_after
from askew.types import Question

pytestmark = pytest.mark.usefixtures("no_key")

NOW = datetime(2026, 1, 1, 12, tzinfo=timezone.utc)
QUESTIONS = [Question(number, None, f"What color is car {number}?", ("red",) * 10) for number in range(3)]
DEEP = "[" * 900 + "]" * 900
ODD = [
    *("null", "true", "false", "0", "-1", "1.5", "1e308", "-0.0", str(2**53), str(2**63 - 1), str(2**64), "1e999"),
    *(
        '""',
        '" "',
        '"yes"',
        '"²²²"',
        '"429"',
        '"٤٢٩"',
        '"\\u0000"',
        '"\\u001b[2J"',
        '"\\ud800"',
        '"' + "x" * 30_000 + '"',
    ),
    *("[]", "{}", "[[]]", "[null]", '[{"text": 5}]', '{"text": "yes"}', '{"message": {}}', '{"code": []}', DEEP),
]
LOGPROBS = {"content": [{"token": "yes", "logprob": -0.1}], "tokens": ["yes"], "token_logprobs": [-0.1]}
WHOLE = [
    completion("yes"),
    completion([{"type": "text", "text": "yes"}], refusal=None, tool_calls=[]),
    completion(None, finish="length", refusal="no"),
    completion("", reasoning_content="so") | {"choices": [{"message": {"content": "yes"}, "logprobs": LOGPROBS}]},
    {"error": {"message": "no", "code": 429, "param": "temperature", "type": "x"}},
    {"error": "no", "detail": [{"loc": ["body"], "msg": "bad"}]},
    {"message": "no", "detail": "none", "code": "insufficient_quota"},
]
DATES = [
    *("Thu, 01 Jan 2026 12:00:30 GMT", "Thu, 01 Jan 2026 12:00:30 +9999", "Thu, 01 Jan 2026 12:00:30 -99999999999"),
    *("Mon, 01 Jan 0001 00:00:00 +2359", "Fri, 31 Dec 9999 23:59:59 -2359", "Thu, 01 Jan 99999 12:00:30 GMT"),
    *(
        "Thu, 32 Jan 2026 25:61:61 GMT",
        "1 Jan 26",
        "Thursday",
        "",
        " ",
        "-5",
        "1e9999",
        "nan",
        "²",
        "1e300",
        "٣",
        "0x10",
    ),
    *("9" * 5000, "Thu, 01 Jan 2026 12:00:30 " + "9" * 5000, "\x00", "1_0"),
]


def mutated(node):
    """The JSON of every variation of a reply with one part replaced by an odd value."""
    yield from ODD
    if isinstance(node, dict):
        for key, value in node.items():
            others = "".join(f", {json.dumps(k)}: {json.dumps(v)}" for k, v in node.items() if k != key)
            yield from (f"{{{json.dumps(key)}: {odd}{others}}}" for odd in mutated(value))
    elif isinstance(node, list) and node:
        yield from (f"[{odd}]" for odd in mutated(node[0]))


def test_an_odd_retry_after_is_ignored_or_limited_to_a_year():
    rng = Random(0)
    for date in DATES:
        for _ in range(40):
            letters = list(date)
            for _ in range(rng.randrange(3)):
                letters.insert(rng.randrange(len(letters) + 1), rng.choice("0123456789+-:., GMTe²\x00"))
            for name in ("retry-after", "retry-after-ms"):
                found = retry_after({name: "".join(letters)}, NOW)
                assert found is None or 0 <= found <= YEAR, letters
    assert retry_after({"retry-after": DATES[0]}, NOW) == 30.0


def test_an_error_without_a_code_is_reported_without_a_gap():
    for error in ({"message": "boom"}, "boom"):
        verdict = judge(Reply(200, {}, json.dumps({"error": error}).encode()), False)
        assert isinstance(verdict, Failed)
        assert verdict.reason.startswith("error: boom")


def test_every_malformed_reply_is_handled():
    seen = set()
    for whole in WHOLE:
        for body in mutated(whole):
            streamed = f"data: {body}\n\ndata: [DONE]"
            for status, sent in ((200, body), (200, streamed), (400, body), (500, body)):
                verdict = judge(Reply(status, {}, sent.encode("utf-8", "surrogatepass")))
                seen.add(type(verdict))
                if not isinstance(verdict, Completion):
                    assert verdict.reason.isprintable(), body
                    assert len(verdict.reason) < 500, body
                    continue
                found = prediction_from_reply(1, verdict.reply, 64)
                assert found.question_id == 1
                assert found.score is None or 0 <= found.score <= 1, body
                assert all(0 <= count <= MOST_TOKENS for count in tokens_of_reply(verdict.reply, 5)), body
    assert seen == {Completion, Retry, Failed, Stop}


HEADS = [
    *(
        b"HTTP/1.1 \xb2\xb2\xb2 X",
        b"HTTP/1.1 2000 X",
        b"HTTP/1.1 -20 X",
        b"HTTP/1.1",
        b"HTTP/2 200",
        b"",
        b"\x00",
        b"220 ftp",
    ),
    *(
        b"HTTP/1.1 200 X\r\nContent-Length: " + length
        for length in (b"-5", b"\xb2", b"1_0", b"5, 5", b"", b"0x5", b"9" * 5000)
    ),
    *(
        b"HTTP/1.1 200 X\r\nTransfer-Encoding: chunked\r\n\r\n" + size
        for size in (b"-1", b"0x1", b"", b"z", b"f" * 5000, b"\xb2")
    ),
    *(b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * count for count in (1, 17, 1000)),
    *(b"HTTP/1.1 200 X\r\n" + b"X: " + b"y" * 70_000, b"HTTP/1.1 101 Switching\r\nUpgrade: h2c"),
]


def test_every_malformed_header_is_read_or_refused():
    async def read(raw):
        reader = asyncio.StreamReader(limit=1 << 16)
        reader.feed_data(raw)
        reader.feed_eof()
        return await read_reply(reader, 1000)

    for head in HEADS:
        try:
            reply, _ = asyncio.run(read(head + b"\r\n\r\nbody"))
        except (OSError, EOFError, asyncio.LimitOverrunError, ValueError, TooLarge, Unusable):
            continue
        assert reply.status == 101, head
    early = b"HTTP/1.1 103 Early Hints\r\nLink: <x>\r\n\r\n" * 2 + b"HTTP/1.1 100 Continue\r\n\r\n"
    reply, stays = asyncio.run(read(early + http(200, b"whole")))
    assert (reply.status, reply.body, stays) == (200, b"whole", True)


def test_early_hints_are_not_the_reply():
    early = b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>; rel=preload\r\n\r\n"
    with FaultServer(lambda request: Act(early + ok("red").raw, success=True)) as server:
        assert [p.answer for p in OpenAI("any", base_url=server.url).answer(QUESTIONS)] == ["red"] * 3
    assert sum(server.asked.values()) == 3


@pytest.mark.parametrize("count", [2**63 - 1, -1, 1e300, 1.5, "many", None, True, 10**9 + 1])
def test_a_run_folder_stays_usable_whatever_token_counts_the_server_reports(count, tmp_path):
    reply = completion("red") | {"usage": {"prompt_tokens": count, "completion_tokens": count}}
    with FaultServer(lambda request: said(reply)) as server:
        model = OpenAI("any", base_url=server.url, prompt="{question}")
        for asked in (3, 0):
            result = askew.evaluate(model, QUESTIONS, "accuracy", output=tmp_path)
            assert result.results["time"]["asked"] == asked
            assert result.results["usage"]["store"] == [3 * 13, 3]  # our own estimate: 8 + 20 letters / 4, 3 / 4


def test_a_port_that_accepts_connections_but_never_answers_tls_times_out():
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"https://127.0.0.1:{silent.getsockname()[1]}/v1"
        model = OpenAI("any", base_url=url, connect_timeout=0.2, backoff=0.01)
        started = time.monotonic()
        with pytest.raises(
            ModelError, match=r"no TLS connection could be established within 0\.2 s\. .*check base_url"
        ):
            model.answer(QUESTIONS)
    assert time.monotonic() - started < 10
