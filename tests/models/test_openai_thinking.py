"""Endpoints that think before they answer, and endpoints that return log-probabilities."""

from __future__ import annotations

import json
import math

import pytest
from fault_server import FaultServer, completion, ok, said, status

import askew
from askew import registry
from askew.errors import ModelError
from askew.models.endpoint.chat_reply import prediction_from_reply
from askew.models.endpoint.openai import OpenAI
from askew.types import Question

pytestmark = pytest.mark.usefixtures("no_key")
QUICK = {"prompt": "{question}", "backoff": 0.001, "timeout": 5.0}


def questions(count):
    return [Question(number, None, f"question {number}", ("yes",) * 10) for number in range(count)]


def with_logprobs(tokens, words=None, **message):
    """A completion with the probability of each token."""
    reply = completion("".join(tokens) if words is None else words, **message)
    content = [{"token": text, "logprob": math.log(chance), "top_logprobs": []} for text, chance in tokens.items()]
    reply["choices"][0]["logprobs"] = {"content": content}
    return reply


STILL = "still thinking: the reply was cut off at max_answer_tokens=64 before an answer"
ENDED = "still thinking: the reply ended without an answer after its thoughts"
CUT = "cut off: the answer is longer than max_answer_tokens"


def test_a_thought_is_never_an_answer():
    replies = [
        (completion("<think>Is it red? It", finish="length"), STILL),
        (completion("<think>Is it red? It"), ENDED),
        (completion("", reasoning_content="Is it", finish="length"), STILL),
        (completion(None, reasoning="Is it"), ENDED),
        (completion("", thinking="Is it"), ENDED),
        (completion("", finish="length"), STILL),
        (completion([{"type": "thinking", "text": "Is it"}], finish="length"), STILL),
        (completion("<thinking>Is it red?</thinking>", finish="length"), STILL),
        (completion("So let me see", finish="length"), CUT),
        (completion("<think>Red.</think>It is very", finish="length"), CUT),
        (completion("", usage=False), "empty answer"),
    ]
    for reply, error in replies:
        found = prediction_from_reply(1, reply, 64)
        assert (found.answer, found.error) == (None, error), reply
    silent = completion("yes, it")
    silent["choices"][0]["finish_reason"] = None
    assert prediction_from_reply(1, silent, 64).answer == "yes, it"
    silent["usage"]["completion_tokens"] = 64
    assert prediction_from_reply(1, silent, 64).error == CUT, "a server that does not say why it ended"


def test_the_text_after_a_thought_is_the_answer():
    for reply in (
        completion("<think>Is it red?</think>yes"),
        completion("Is it red?</think>yes"),
        completion("yes", reasoning_content="Is it red?"),
        completion([{"type": "thinking", "thinking": "Is it red?"}, {"type": "text", "text": "yes"}]),
    ):
        assert prediction_from_reply(1, reply, 64).answer == "yes"
    assert (
        prediction_from_reply(1, completion("<think>Is it red?</think>yes"), 64).raw == "<think>Is it red?</think>yes"
    )


def test_a_model_that_only_thinks_stops_the_run_and_the_remedy_works(tmp_path):
    """The stub thinks unless the template is told not to, as vLLM, SGLang and llama.cpp are."""

    def behave(request):
        thinks = request.body.get("chat_template_kwargs", {}).get("enable_thinking", True)
        return ok("", reasoning_content="Hm", finish="length") if thinks else ok("yes")

    extra = '{"chat_template_kwargs": {"enable_thinking": false}}'
    with FaultServer(behave) as server:
        spec = f"openai:any,base_url={server.url},prompt={{question}}"
        with pytest.raises(
            ModelError, match=r"5 of 5 replies have no answer; the last: still thinking.*256"
        ) as stopped:
            askew.evaluate(registry.make("model", spec), questions(500), "accuracy", output=tmp_path / "thinks")
        assert sum(server.asked.values()) < 40
        assert f"extra={extra}" in str(stopped.value)
        told = registry.make("model", f"{spec},extra={extra}")
        result = askew.evaluate(told, questions(20), "accuracy", output=tmp_path / "told")
    assert result.score("accuracy.all").value == 1.0
    assert server.requests[-1].body["chat_template_kwargs"] == {"enable_thinking": False}
    assert "enable_thinking" in repr(told)


def test_a_few_long_thoughts_fail_alone():
    def behave(request):
        long = int(request.text.split()[1]) % 3 == 2
        return ok("<think>Hm", finish="length") if long else ok("<think>Hm.</think>yes")

    with FaultServer(behave) as server:
        found = list(OpenAI("any", base_url=server.url, **QUICK, concurrency=1).stream(questions(60)))
    assert sum(p.failed for p in found) == 20
    assert {p.answer for p in found if not p.failed} == {"yes"}


def test_a_score_from_log_probabilities():
    plain = with_logprobs({"no": 0.9, " dog": 0.4})
    thought = with_logprobs(
        {"<think>": 0.1, "dog?": 0.2, "</think>": 0.3, "no": 0.9, " dog": 0.4, "<|im_end|>": 0.5}, "no dog"
    )
    inline = with_logprobs({"<think>": 0.1, "no dog": 0.2, "</think>": 0.3, "no": 0.9, " dog": 0.4})
    flat = completion("no dog")
    flat["choices"][0]["logprobs"] = {"tokens": ["no", " dog"], "token_logprobs": [math.log(0.9), math.log(0.4)]}
    for reply in (plain, thought, inline, flat):
        found = prediction_from_reply(1, reply)
        assert found.answer == "no dog"
        assert found.score == pytest.approx(0.6)  # the square root of 0.9 x 0.4
    odd = with_logprobs({"no": 0.9})
    for wrong in (None, "high", True, 3.0, math.nan, -math.inf, [], {}):
        odd["choices"][0]["logprobs"]["content"][0]["logprob"] = wrong
        assert prediction_from_reply(1, odd).score is None, wrong
    assert prediction_from_reply(1, with_logprobs({"maybe": 0.9}, "no")).score is None


def test_scores_are_requested_stored_and_part_of_the_signature(tmp_path):
    with FaultServer(lambda request: said(with_logprobs({"yes": 0.75}))) as server:
        model = registry.make("model", f"openai:any,base_url={server.url},prompt={{question}},logprobs=true")
        plain = OpenAI("any", base_url=server.url, prompt="{question}")
        for _ in range(2):  # the second time from the store
            askew.evaluate(model, questions(3), "accuracy", output=tmp_path, overwrite=True)
            lines = (tmp_path / "samples.jsonl").read_text().splitlines()
            assert [json.loads(line)["original"]["prediction"]["score"] for line in lines] == [pytest.approx(0.75)] * 3
        assert len(server.requests) == 3
    assert server.requests[0].body["logprobs"] is True
    assert server.requests[0].body["top_logprobs"] == 1
    assert "logprobs=True" in repr(model)
    assert "logprobs" not in repr(plain), "answers that were stored before the option was there are still found"


def test_an_endpoint_without_log_probabilities_says_so():
    refusals = [
        (ok("yes"), "sent none for the answer. Leave out logprobs=true"),
        (status(400, "unknown field", param="logprobs"), "unknown field. Leave out logprobs=true"),
        (status(500, "logprobs is not supported for models created with logits_all=False"), "Leave out logprobs=true"),
        (status(422, "logprobs: extra inputs are not permitted"), "Leave out logprobs=true"),
    ]
    for act, words in refusals:
        with FaultServer(lambda request, act=act: act) as server, pytest.raises(ModelError, match=words):
            OpenAI("any", base_url=server.url, **QUICK, logprobs=True).answer(questions(50))
        assert sum(server.asked.values()) <= 8
