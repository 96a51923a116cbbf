"""The pace at an endpoint: chance faults do not slow it down, overload does. In simulated time, so nothing waits."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from simulated_endpoint import Bucket, Flaky, Metered, Narrow, Queueing, Server, Sliding, ask

from askew.models.endpoint.http import Reply
from askew.models.endpoint.pacer import Pacer
from askew.models.endpoint.request_limits import WINDOW, Limiter

COUNT = 1000
WITHOUT_FAULTS = 18.0
"""Seconds: 8, 16, 32 and 64 at once in the first rounds, then 64 at once, one second each."""


@dataclass
class Down(Server):
    """Is down for a while."""

    since: float = 5.0
    until: float = 20.0

    def trouble(self, now):
        return Reply(503, {}, b"") if self.since <= now < self.until else None


def answered(predictions, count=COUNT):
    assert sorted(p.question_id for p in predictions) == list(range(len(predictions)))
    assert not any(p.failed for p in predictions)
    return len(predictions) == count


def test_without_faults_full_speed_is_reached_at_once():
    server = Server()
    seconds, predictions = ask(server, COUNT)
    assert answered(predictions)
    assert (round(seconds), server.requests, server.most) == (WITHOUT_FAULTS, COUNT, 64)


@pytest.mark.parametrize("status", [429, 500])
def test_two_percent_of_random_faults_cost_less_than_a_third_more_time(status):
    for seed in range(10):
        server = Flaky(seed=seed, share=0.02, status=status)
        seconds, predictions = ask(server, COUNT)
        assert answered(predictions)
        assert seconds <= 1.3 * WITHOUT_FAULTS, seed
        assert server.most == 64


def test_a_server_with_little_capacity_gets_few_more_requests_than_it_answers():
    for capacity in (1, 4, 16, 40):
        for headers in ({}, {"retry-after": "1"}):
            server = Narrow(capacity=capacity, headers=headers)
            count = COUNT * (2 if headers and capacity > 4 else 1)  # the pace takes some refusals to learn
            seconds, predictions = ask(server, count)
            assert answered(predictions, count)
            assert server.requests <= 1.2 * count, (capacity, headers)
            assert seconds <= 1.25 * count / capacity, (capacity, headers)


LIMITED = {
    "by the second": (Metered(rate=50, latency=0.1), 0.95),
    "by the second, slow answers": (Metered(rate=20, latency=1.0), 0.95),
    "by the second, few": (Metered(rate=5, latency=0.1), 0.95),
    "a bucket": (Bucket(rate=50, latency=0.1, burst=50), 0.95),
    "a bucket, exact waits": (Bucket(rate=50, latency=0.1, burst=50, whole=False), 0.95),
    "a small bucket": (Bucket(rate=50, latency=0.1, burst=5), 0.7),
    "over the last second": (Sliding(rate=50, latency=0.1), 0.88),
}
"""Servers with a rate limit, and the share of their rate that is reached in 2,500 answers. Waits of whole seconds where
a fraction would do cost the rest."""


@pytest.mark.parametrize(("server", "least"), LIMITED.values(), ids=LIMITED)
def test_a_rate_limit_is_reached_with_few_refusals_and_every_wait_is_respected(server, least):
    seconds, predictions = ask(server, 2500)
    assert answered(predictions, 2500)
    assert server.requests <= 1.1 * 2500
    assert 2500 / seconds >= least * server.rate
    if server.waits:
        for since, until in server.waits:
            assert not [then for then in server.times if since < then < until - 1e-6], "asked before it may be"


def test_calm_hours_neither_end_a_run_nor_hide_a_later_limit():
    pacer, now = Pacer(), 4.0
    pacer.refused(pacer.sent(0.0), 1.0, 1.0)
    assert pacer.delay(2.0) == 1.0, "half a request a second"
    while now < 7200.0:  # a request every two seconds, as slow answers allow
        assert pacer.delay(now) == 0.0
        pacer.answered(pacer.sent(now), now + 1.0)
        now += 2.0
    refusals = 0
    while pacer.rate > 1.0:
        now += max(2.0, pacer.delay(now))
        pacer.delay(now)
        pacer.refused(pacer.sent(now), now, 1.0)
        refusals += 1
    assert refusals <= 8


def test_a_queue_that_grows_is_not_flooded():
    server = Queueing()
    seconds, predictions = ask(server, COUNT)
    assert answered(predictions)
    assert server.requests <= 1.05 * COUNT
    assert seconds <= 1.05 * COUNT / server.workers


def test_a_server_that_is_down_gets_few_requests_and_the_rate_recovers():
    server = Down()
    seconds, predictions = ask(server, COUNT)
    assert answered(predictions)
    asked = sum(server.since <= then < server.until for then in server.times)
    assert asked < 600, "it was flooded"
    assert seconds < server.until + 3 * WITHOUT_FAULTS


def test_a_single_fault_slows_down_only_with_rising_latency():
    def limiter():
        made = Limiter(64)
        for _ in range(2 * WINDOW):
            made.answered(0, 1.0)
        return made

    plain, slower = limiter(), limiter()
    plain.failed(0)
    for _ in range(10):
        slower.answered(0, 5.0)
    slower.failed(0)
    assert (plain.limit, slower.limit) == (64, 51.2)


def test_failures_of_requests_in_flight_count_as_one_overload():
    limiter = Limiter(64, 32.0)
    for _ in range(32):
        limiter.failed(0)
    assert (limiter.limit, limiter.round) == (16, 1)


def test_repeated_overload_makes_the_rate_grow_slowly():
    def answers_until(limiter, limit):
        count = 0
        while limiter.limit < limit:
            limiter.answered(limiter.round, 1.0)
            count += 1
        return count

    limiter, counts = Limiter(64), []
    for _ in range(3):
        counts.append(answers_until(limiter, 9.0))
        for _ in range(4):
            limiter.failed(limiter.round)
    assert counts[0] < counts[1] < counts[2]
