"""Connections: slow ones and many, and a log that does not repeat itself."""

from __future__ import annotations

import logging
import select
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from browser_site import Site
from small_study import SmallStudy
from web_study import WebStudy

from askew.collect.web.connections import Throttle
from askew.collect.web.security import Limits
from askew.collect.web.serve import Address, listening

LIMITS = Limits(connections=60, connections_of_address=40, header_seconds=1, sign_ins=10**6)


@pytest.fixture
def narrow(tmp_path: Path, template: SmallStudy) -> Iterator[Site]:
    made = Site(WebStudy.copied(template, tmp_path / "study", LIMITS))
    yield made
    made.close()


def connected(site: Site, sent: bytes) -> socket.socket:
    made = socket.create_connection(site.socket.getsockname(), timeout=20)
    made.sendall(sent)
    return made


def is_closed(one: socket.socket) -> bool:
    try:
        return bool(select.select([one], [], [], 0)[0]) and one.recv(100) == b""
    except OSError:
        return True


def wait_until(condition: Callable[[], bool], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


def test_half_open_requests_do_not_stop_the_service(narrow: Site) -> None:
    """A thousand connections without complete headers used up all files, and nobody else got an answer."""
    with ExitStack() as stack:
        halves = [stack.enter_context(connected(narrow, b"GET /healthz HTTP/1.1\r\nHost:")) for _ in range(100)]
        wait_until(lambda: sum(map(is_closed, halves)) >= 60)
        wait_until(lambda: all(map(is_closed, halves)))
        assert httpx.get(f"{narrow.base}/healthz").text == "ok\n"


def test_a_connection_that_starts_a_second_request_slowly_is_closed(narrow: Site) -> None:
    with connected(narrow, b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n") as one:
        wait_until(lambda: bool(select.select([one], [], [], 0)[0]))
        assert one.recv(10_000).startswith(b"HTTP/1.1 200")
        one.sendall(b"GET /healthz HTTP/1.1\r\n")
        wait_until(lambda: is_closed(one))


def test_a_form_that_never_ends_is_refused(narrow: Site) -> None:
    head = b"POST /sign-in HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\nname="
    with connected(narrow, head) as one:
        wait_until(lambda: bool(select.select([one], [], [], 0)[0]))
        assert one.recv(10_000).startswith(b"HTTP/1.1 400")


def test_a_slow_answer_is_not_cut_off(narrow: Site) -> None:
    """The limit is for what browsers send, not for how long a page takes."""
    real = narrow.web.service.database.read

    def slow() -> object:
        time.sleep(2.5)
        return real()

    narrow.web.service.database.read = slow  # type: ignore[method-assign]
    assert httpx.get(f"{narrow.base}/readyz", timeout=30).text == "ok\n"


def test_responses_are_sent_without_delay() -> None:
    """asyncio sets TCP_NODELAY only on sockets that say they are TCP; without it every response took 44 ms."""
    with listening(Address(port=0)) as bound:
        assert bound.proto == socket.IPPROTO_TCP


def test_the_log_does_not_repeat_a_message_without_end() -> None:
    throttle = Throttle(most=3, seconds=0.2)
    logged = [throttle.filter(logging.makeLogRecord({"msg": "full", "name": "x"})) for _ in range(1000)]
    assert sum(logged) == 3
    assert throttle.filter(logging.makeLogRecord({"msg": "another", "name": "x"}))
    time.sleep(0.3)
    record = logging.makeLogRecord({"msg": "full", "name": "x"})
    assert throttle.filter(record)
    assert record.msg.startswith("full (997 more in the last")
