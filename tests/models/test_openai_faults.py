"""A faulty endpoint: nothing is lost, no answered question is asked again, and no failure becomes an answer."""

from __future__ import annotations

import threading
import time
from datetime import datetime, timedelta, timezone
from email.utils import format_datetime

import pytest
from fault_server import (
    Act,
    FaultServer,
    chunked,
    completion,
    cut,
    cut_midway,
    never,
    never_ending,
    ok,
    raw,
    said,
    status,
    until_closed,
)

from askew.errors import BudgetSpent, ModelError
from askew.models.endpoint.openai import OpenAI
from askew.types import Question

pytestmark = pytest.mark.usefixtures("no_key")

QUICK = {"backoff": 0.002, "prompt": "{question}", "timeout": 5.0}


def questions(count):
    return [Question(number, None, f"question {number}") for number in range(count)]


def ask(server, count, **options):
    """Ask, and check what must hold whatever the server does."""
    asked = questions(count)
    predictions = list(OpenAI("any", base_url=server.url, **{**QUICK, **options}).stream(asked))
    assert sorted(p.question_id for p in predictions) == [q.id for q in asked], "one prediction for each question"
    assert not +server.after_answer, "asked again after an answer"
    for prediction in predictions:
        assert (prediction.answer is None) == (prediction.error is not None)
        assert prediction.tries == server.asked[f"question {prediction.question_id}"]
        assert (prediction.answer is not None) <= (server.answered[f"question {prediction.question_id}"] == 1)
    return {p.question_id: p for p in predictions}


def collect(stream, found):
    """Answers received before an error stay in ``found``."""
    for prediction in stream:
        found.append(prediction)


def once(first, then=None):
    return lambda request: first if request.nth == 1 else (then or ok(request.text))


FAULTS = {
    "429": status(429, "slow down"),
    "429 for a moment": status(429, "slow down", {"Retry-After": "0.05"}),
    "408": status(408),
    "500": status(500),
    "502 without JSON": raw(b"<html>Bad gateway</html>", 502),
    "503": status(503, headers={"Retry-After": "0"}),
    "cut": cut(),
    "cut midway": cut_midway(),
    "not JSON": raw(b'{"choices": [{"mess'),
    "not an object": raw(b"[1, 2]"),
    "no body": raw(b""),
    "no choices": raw(b'{"choices": []}'),
    "choices are null": raw(b'{"choices": null}'),
    "no message": raw(b'{"choices": [{"text": "yes"}]}'),
    "error inside a good reply": raw(b'{"error": {"code": 503, "message": "upstream"}}'),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_temporary_fault_costs_a_retry_and_no_answer(fault):
    with FaultServer(once(fault)) as server:
        found = ask(server, 30)
    assert all(p.answer == f"question {i}" and p.tries == 2 for i, p in found.items())


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_a_permanent_fault_is_a_failure_after_all_retries(fault):
    with FaultServer(lambda request: ok() if request.text != "question 3" else fault) as server:
        found = ask(server, 8, retries=3)
    assert found[3].failed
    assert found[3].tries == 4
    assert [i for i, p in found.items() if p.failed] == [3]


def test_failures_are_typed():
    acts = {
        "question 0": status(500, "out of memory"),
        "question 1": cut(),
        "question 2": never(),
        "question 3": never_ending(),
        "question 4": raw(b"{"),
        "question 5": status(400, "context length exceeded"),
        "question 6": status(413),
        "question 7": said(completion("")),
        "question 8": said(completion(None, finish="content_filter")),
        "question 9": said(completion("The answer is surely", finish="length")),
        "question 10": said(completion(None, refusal="I will not look at this.")),
        "question 11": said(completion(None, reasoning_content="Let me think", finish="length")),
        "question 12": raw(b"x" * (9 << 20)),
        "question 13": said(completion("  \n")),
        "question 14": said(completion(None, finish="tool_calls", tool_calls=[{"function": {"name": "zoom"}}])),
        "question 15": raw(b"<html>\n<h1>Welcome!\x1b[2J</h1>"),
        "question 16": raw(b"maximum image size is 20 MB\n", 413),
        "question 17": raw(b"<html>Too large</html>", 413),
    }
    good = {f"question {n}" for n in (7, 8, 9, 10, 11, 13, 14)}
    with FaultServer(lambda request: acts[request.text]) as server:
        found = list(
            OpenAI("any", base_url=server.url, **{**QUICK, "timeout": 0.3}, retries=1, give_up=0).stream(questions(18))
        )
    errors = {p.question_id: p.error for p in found}
    assert all(p.answer is None for p in found)
    assert errors == {
        0: "http 500: out of memory",
        1: "connection: the connection was cut",
        2: "timeout: no answer within 0.3 s",
        3: "timeout: no answer within 0.3 s",
        4: "broken reply: not a JSON object",
        5: "http 400: context length exceeded",
        6: "http 413: no",
        7: "empty answer",
        8: "content filter: the endpoint withheld the answer",
        9: "cut off: the answer is longer than max_answer_tokens",
        10: "refusal",
        11: "still thinking: the reply was cut off at max_answer_tokens=256 before an answer",
        12: "reply too large: more than 8 MB",
        13: "empty answer",
        14: "tool call: the model called a tool instead of answering",
        15: "broken reply: not a JSON object, but '<html> <h1>Welcome!�[2J</h1>' (is base_url correct?)",
        16: "http 413: maximum image size is 20 MB",
        17: "http 413",
    }
    raws = {p.question_id: p.raw for p in found}
    assert (raws[9], raws[10], raws[11]) == ("The answer is surely", "I will not look at this.", None)
    assert not +server.after_answer
    assert all(server.asked[text] == 1 for text in good)


def test_a_question_that_is_refused_fails_alone():
    with FaultServer(lambda r: status(400, "bad image") if r.text == "question 5" else ok(delay=0.01)) as server:
        found = ask(server, 20)
    assert found[5].error == "http 400: bad image"
    assert found[5].tries == 1
    assert sum(p.failed for p in found.values()) == 1


def test_replies_in_every_shape_that_servers_send():
    shapes = [
        said(completion("a cat")),
        said(completion([{"type": "text", "text": "a "}, {"type": "text", "text": "cat"}])),
        said(completion("a cat", usage=False)),
        said(completion("a cat", reasoning_content="It has whiskers.", tool_calls=[])),
        said({"choices": [{"message": {"content": "a cat"}}], "id": 7, "usage": None, "surplus": {"x": [1]}}),
        said({"choices": [{"message": {"content": "a cat"}, "finish_reason": None}], "id": None, "model": "other"}),
        chunked(completion("a cat")),
        until_closed(completion("a cat")),
    ]
    with FaultServer(lambda request: shapes[int(request.text.split()[1])]) as server:
        found = ask(server, len(shapes))
    assert [found[i].answer for i in range(len(shapes))] == ["a cat"] * len(shapes)
    assert found[0].tokens == (100, 3)
    assert found[2].tokens == (11, 2)  # 8 + 10 letters / 4, and 5 letters / 4


def test_a_server_that_answers_twice_does_not_answer_the_next_question():
    def behave(request):
        right, wrong = ok(request.text), ok("an answer to something else")
        return Act(right.raw + wrong.raw, success=True)

    with FaultServer(behave) as server:
        found = ask(server, 40, concurrency=2)
    assert all(p.answer == f"question {i}" for i, p in found.items())


def test_a_huge_answer_is_kept_whole():
    with FaultServer(lambda request: ok("word " * 200_000)) as server:
        assert len(ask(server, 2)[0].answer) == 1_000_000


def test_a_storm_of_429_halves_the_rate_and_loses_nothing():
    """The server handles four requests at once and refuses the rest."""
    inside, lock = [0], threading.Lock()

    def behave(request):
        with lock:
            if server._active > 4:
                inside[0] += 1
                return status(429, "rate limit", {"Retry-After": "0.02"})
        return ok(delay=0.005)

    with FaultServer(behave) as server:
        found = ask(server, 300, retries=60)
    assert not any(p.failed for p in found.values())
    assert inside[0] < 600, "the pace was not found"


def test_retry_after_is_honoured_by_all_connections():
    with FaultServer(once(status(429, headers={"Retry-After": "0.4"}))) as server:
        started = time.monotonic()
        ask(server, 3)
    assert 0.4 < time.monotonic() - started < 3


def test_retry_after_as_a_date():
    soon = format_datetime(datetime.now(timezone.utc) + timedelta(seconds=2), usegmt=True)
    with FaultServer(once(status(503, headers={"Retry-After": soon}))) as server:
        started = time.monotonic()
        ask(server, 1)
    assert 0.5 < time.monotonic() - started < 5


def test_an_endpoint_that_asks_for_a_day_ends_the_run():
    day = status(429, "daily limit", {"Retry-After": "86400"})
    error = pytest.raises(ModelError, match=r"daily limit; the endpoint asks to wait 86,400 s\. .*kept")
    with FaultServer(lambda request: day) as server, error:
        ask(server, 50)
    assert sum(server.asked.values()) <= 8


def test_a_slow_server_is_waited_for():
    with FaultServer(lambda request: ok(delay=0.3)) as server:
        started = time.monotonic()
        ask(server, 16)
        assert time.monotonic() - started < 3
    assert 8 <= server.most <= 16


def test_no_more_requests_at_once_than_allowed():
    with FaultServer(lambda request: ok(delay=0.01)) as server:
        ask(server, 60, concurrency=5)
    assert server.most == 5


def test_a_server_that_dies_and_returns():
    with FaultServer(lambda request: ok(delay=0.02)) as server:

        def die():
            time.sleep(0.15)
            server.down()
            time.sleep(0.4)
            server.up()

        killer = threading.Thread(target=die)
        killer.start()
        found = list(
            OpenAI("any", base_url=server.url, prompt="{question}", backoff=0.1, concurrency=8).stream(questions(200))
        )
        killer.join()
    assert sorted(p.question_id for p in found) == list(range(200))
    assert not any(p.failed for p in found)
    assert max(p.tries for p in found) > 1


@pytest.mark.parametrize("concurrency", [1, 8])
def test_an_unreachable_server_stops_the_run_after_three_connections(concurrency):
    """Eight retries of every question took half a minute, and ended as failed answers."""
    with FaultServer(lambda request: ok()) as server:
        url = server.url
    with pytest.raises(ModelError, match=r"nothing is listening there.*Start the server, or check base_url"):
        list(OpenAI("any", base_url=url, concurrency=concurrency, backoff=0.01).stream(questions(6)))


def test_a_server_that_stays_silent_stops_the_run_soon():
    slow = {**QUICK, "timeout": 0.02}
    with (
        FaultServer(lambda request: never()) as server,
        pytest.raises(ModelError, match="6 requests in a row got no reply"),
    ):
        list(OpenAI("any", base_url=server.url, **slow, retries=2, give_up=5).stream(questions(500)))
    assert sum(server.asked.values()) < 40


def test_one_question_that_is_never_answered_does_not_stop_the_run():
    slow = {**QUICK, "timeout": 0.02}
    with FaultServer(lambda request: never() if request.text == "question 3" else ok()) as server:
        found = list(
            OpenAI("any", base_url=server.url, **slow, retries=3, concurrency=1, give_up=2).stream(questions(8))
        )
    assert [p.question_id for p in found if p.failed] == [3]


def test_a_model_that_refuses_everything_stops_the_run_soon():
    refused = status(400, "this model takes no images")
    with FaultServer(lambda request: refused) as server, pytest.raises(ModelError, match="takes no images"):
        ask(server, 5000)
    assert sum(server.asked.values()) < 100


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (status(401, "Incorrect API key"), "Set OPENAI_API_KEY"),
        (status(403, "not yours"), "use another key"),
        (status(404, "model 'any' not found"), r"model 'any' not found. Check the model's name and base_url"),
        (status(402, "pay"), "Add credit"),
        (status(429, "You exceeded your quota", code="insufficient_quota"), "Add credit"),
        (status(400, "only 1 is supported.", param="temperature"), r"supported\. Leave it out with temperature=none"),
        (status(400, "use max_completion_tokens", param="max_tokens"), "cap_field=max_completion_tokens"),
        (status(307, "", {"Location": "https://elsewhere"}), "Check base_url"),
    ],
)
def test_errors_that_a_person_must_fix_stop_the_run(act, words):
    with FaultServer(lambda request: act) as server, pytest.raises(ModelError, match=words):
        ask(server, 500)
    assert sum(server.asked.values()) <= 8, "it went on asking"


def test_answers_received_before_the_stop_are_returned():
    def behave(request):
        return status(401, "key expired") if request.text == "question 40" else ok(delay=0.01)

    found = []
    with FaultServer(behave) as server, pytest.raises(ModelError, match="key expired"):
        collect(OpenAI("any", base_url=server.url, **QUICK, concurrency=4).stream(questions(500)), found)
    assert {f"question {p.question_id}" for p in found} == set(+server.answered)
    assert len(found) >= 36


def test_max_calls_is_exact_and_loses_nothing():
    found = []
    with FaultServer(lambda request: ok(delay=0.005)) as server, pytest.raises(BudgetSpent, match="budget is spent"):
        collect(OpenAI("any", base_url=server.url, **QUICK, max_calls=70).stream(questions(200)), found)
    assert sum(server.asked.values()) == 70
    assert len(found) == 70
    assert not any(p.failed for p in found)


def test_retries_count_as_calls():
    with FaultServer(lambda request: status(500)) as server, pytest.raises(BudgetSpent, match=r"spent.*10 calls"):
        list(OpenAI("any", base_url=server.url, **QUICK, max_calls=10).stream(questions(50)))
    assert sum(server.asked.values()) == 10


def test_max_tokens_is_respected():
    """103 tokens a call: nine fit into 1000, and 64 more are set aside for the answer of the last."""
    model = {"max_tokens": 1000, "max_answer_tokens": 64}
    found = []
    with FaultServer(lambda request: ok()) as server, pytest.raises(BudgetSpent, match="budget is spent"):
        collect(OpenAI("any", base_url=server.url, **QUICK, **model).stream(questions(50)), found)
    spent = sum(sum(p.tokens) for p in found)
    assert 800 < spent <= 1000
    assert len(found) == sum(server.asked.values())


def test_max_cost_is_respected(tmp_path):
    """100 read at 10 and 3 written at 100 a million: 0.0013 a call."""
    prices = tmp_path / "prices.yaml"
    prices.write_text("any: {read: 10, written: 100}\n")
    limits = {"max_cost": 0.02, "prices": str(prices), "max_answer_tokens": 16}
    found = []
    with FaultServer(lambda request: ok()) as server:
        model = OpenAI("any", base_url=server.url, **QUICK, **limits)
        with pytest.raises(BudgetSpent, match=r"spent.* for 0\.0\d"):
            collect(model.stream(questions(500)), found)
    cost = model.price(sum(p.tokens[0] for p in found), sum(p.tokens[1] for p in found))
    assert 0.015 < cost <= 0.02
    assert len(found) == sum(server.asked.values())


def test_stopping_early_ends_the_thread_and_the_requests():
    with FaultServer(lambda request: ok(delay=0.02)) as server:
        stream = OpenAI("any", base_url=server.url, **QUICK).stream(questions(1000))
        next(stream)
        stream.close()
        time.sleep(0.3)  # what was sent already arrives
        seen = sum(server.asked.values())
        time.sleep(0.3)
        assert sum(server.asked.values()) == seen
        assert seen < 100
    assert not any(thread.name == "askew-endpoint" for thread in threading.enumerate())


def test_a_stream_that_stops_early_releases_its_reserved_budget():
    with FaultServer(lambda request: ok(delay=0.02)) as server:
        model = OpenAI("any", base_url=server.url, **QUICK, concurrency=2, max_calls=40)
        stream = model.stream(questions(30))
        next(stream)
        stream.close()
        assert (model.budget.waiting, model.budget.reserved) == (0, (0, 0))
        assert len(list(model.stream(questions(30)))) == 30
