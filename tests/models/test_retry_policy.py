"""The retry policy of endpoints by hand: what is repeated, after which pause, and each rule by which a run stops."""

from __future__ import annotations

from dataclasses import replace

import pytest

from askew.models.endpoint.retry_policy import LONGEST_WAIT, Completion, Failed, Retry, RetryPolicy, Stop
from askew.types import Prediction

BUSY, SILENT = Retry("http 429"), Retry("timeout", silent=True)
THOUGHT = Prediction(1, None, error="still thinking: the reply was cut off")


def policy(**options):
    return RetryPolicy(**{"retries": 2, "backoff": 0.5, "give_up": 3, "timeout": 10.0, **options})


def test_only_retries_are_repeated_and_only_so_often():
    assert [policy().repeats(BUSY, tries) for tries in (1, 2, 3)] == [True, True, False]
    assert not policy().repeats(Failed("too large"), 1)


def test_a_pause_is_at_least_what_the_server_asks_for():
    assert 7.0 <= policy().pause(replace(BUSY, after=7.0), 1) <= 7.5
    assert 0.0 <= policy().pause(BUSY, 3) <= 2.0


@pytest.mark.parametrize(("give_up", "last"), [(3, Stop), (0, Retry)])
def test_an_address_that_is_never_reached_stops_the_run(give_up, last):
    retry = policy(give_up=give_up)
    assert [type(retry.on_unreachable("refused", silent=False)) for _ in range(3)] == [Retry, Retry, last]


def test_silence_stops_the_run_and_concurrent_requests_count_once():
    retry = policy()
    assert [retry.on_verdict(SILENT, (0, 0)) for _ in range(9)] == [None] * 9
    assert [retry.on_verdict(SILENT, (before, 0)) for before in range(1, 5)] == [None] * 4
    assert "6 requests in a row got no reply within 10 s" in (retry.on_verdict(SILENT, (5, 0)) or "")
    assert retry.on_verdict(Completion({}), (6, 0)) is None
    assert retry.silences.count == 0


def test_broken_replies_alone_stop_the_run_before_the_first_answer():
    broken = Retry("broken reply: not a JSON object", overload=False)
    retry = policy()
    assert [retry.on_verdict(broken, (0, 0)) for _ in range(9)] == [None] * 9  # concurrent
    assert [retry.on_verdict(broken, (0, before)) for before in range(1, 7)] == [None] * 6
    assert "8 such replies in a row: check base_url" in (retry.on_verdict(broken, (0, 7)) or "")
    retry.answered = True
    assert retry.on_verdict(broken, (0, 0)) is None


def test_a_very_long_wait_stops_the_run():
    assert policy().on_verdict(replace(BUSY, after=LONGEST_WAIT), (0, 0)) is None
    reason = policy().on_verdict(replace(BUSY, after=7200.0), (0, 0))
    assert (reason or "").startswith("http 429; the endpoint asks to wait 7,200 s.")


def test_questions_in_a_row_without_an_answer_stop_the_run():
    retry = policy()
    assert [retry.on_failure(BUSY, "http 429") for _ in range(2)] == [None, None]
    assert retry.on_completion(Prediction(1, "yes"), False) is None
    assert [retry.on_failure(BUSY, "http 429") for _ in range(2)] == [None, None]
    assert retry.on_failure(Failed("too large"), "too large") is None  # its own fault, as others are answered
    assert "3 questions in a row got no answer; the last: http 429." in (retry.on_failure(BUSY, "http 429") or "")


def test_thoughts_without_answers_stop_the_run():
    retry = policy()
    assert [retry.on_completion(THOUGHT, False) for _ in range(4)] == [None] * 4
    assert "5 of 5 replies have no answer" in (retry.on_completion(THOUGHT, False) or "")


def test_scores_that_were_asked_for_and_not_sent_stop_the_run():
    assert "sent none" in (policy().on_completion(Prediction(1, "yes"), True) or "")
    assert policy().on_completion(Prediction(1, "yes", 0.5), True) is None
