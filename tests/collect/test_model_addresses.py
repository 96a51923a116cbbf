"""Where models of a running service may connect to, with a fake DNS and real servers on loopback."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from small_study import SmallStudy

from askew.collect.model_addresses import AddressRule, address_of
from askew.collect.robots import Call, Robots
from askew.collect.rounds import add_model, create_round
from askew.collect.schema import model
from askew.collect.web.serve import Address, make_service
from askew.errors import ModelError, UsageError
from askew.models.endpoint.openai import OpenAI
from askew.types import Question

PUBLIC, PRIVATE = "93.184.216.34", "10.0.0.7"
REFUSED = (
    "127.0.0.1", "10.0.0.7", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0", "169.254.169.254", "224.0.0.1",
    "::1", "::", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:127.0.0.1", "::ffff:10.0.0.7",
    "64:ff9b::a9fe:a9fe", "2002:0a00:0007::1",
)  # fmt: skip
NEVER = ("169.254.169.254", "0.0.0.0", "224.0.0.1", "fe80::1", "64:ff9b::a9fe:a9fe", "::ffff:169.254.169.254")


@dataclass
class FakeDns:
    """Returns these addresses, one list per lookup; the last list from then on."""

    answers: Sequence[Sequence[str]]
    asked: list[str] = field(default_factory=list)

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        self.asked.append(host)
        return self.answers[min(len(self.asked), len(self.answers)) - 1]


class Endpoint:
    """A chat endpoint on loopback that counts its requests, or redirects them."""

    def __init__(self, redirect: str = "") -> None:
        outer, self.requests = self, 0

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                outer.requests += 1
                self.rfile.read(int(self.headers["Content-Length"]))
                message = {"choices": [{"message": {"content": "blue"}, "finish_reason": "stop"}]}
                body = b"" if redirect else json.dumps(message).encode()
                self.send_response(307 if redirect else 200)
                self.send_header("Content-Length", str(len(body)))
                if redirect:
                    self.send_header("Location", redirect)
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


def ask(rule: AddressRule, base_url: str) -> Any:
    made = OpenAI("any", base_url=base_url, blind=True, retries=0, give_up=0).connecting(rule)
    return made.answer([Question(1, None, "What is it?")])[0]


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)


def test_a_name_with_a_private_address_is_refused_however_the_address_is_written() -> None:
    for text in REFUSED:
        found = address_of(text)
        assert found is not None, text
        assert AddressRule("model.example").refusal(found), text
    for text in (PUBLIC, "2606:2800:220:1::1"):
        assert not AddressRule("model.example").refusal(address_of(text)), text


def test_the_owner_can_allow_a_private_network_but_never_link_local_addresses() -> None:
    allowed = AddressRule("gpu.example", private=True)
    for text in ("127.0.0.1", PRIVATE, "100.64.0.1", "fc00::1"):
        assert not allowed.refusal(address_of(text)), text
        assert not AddressRule(text).refusal(address_of(text)), "an address that the owner typed"
    for text in NEVER:
        assert allowed.refusal(address_of(text)), text
        assert AddressRule(text).refusal(address_of(text)), text
    assert not AddressRule("localhost").refusal(address_of("::1"))
    assert AddressRule("localhost").refusal(address_of(PRIVATE)), "localhost is this computer"


def test_a_model_on_this_computer_answers(endpoint: Endpoint) -> None:
    for host in ("127.0.0.1", "localhost"):
        rule = AddressRule(host, look_up=FakeDns([["127.0.0.1"]]))
        assert ask(rule, f"http://{host}:{endpoint.port}/v1").answer == "blue"
    allowed = AddressRule("gpu.example", private=True, look_up=FakeDns([["127.0.0.1"]]))
    assert ask(allowed, f"http://gpu.example:{endpoint.port}/v1").answer == "blue"
    assert endpoint.requests == 3


@pytest.mark.parametrize("answers", [["127.0.0.1"], [PUBLIC, "127.0.0.1"], ["127.0.0.1", PUBLIC], ["::ffff:127.0.0.1"]])
def test_no_request_is_sent_if_any_address_of_the_name_is_private(answers: list[str], endpoint: Endpoint) -> None:
    with pytest.raises(ModelError, match=r"--private-host model\.example"):
        ask(AddressRule("model.example", look_up=FakeDns([answers])), f"http://model.example:{endpoint.port}/v1")
    assert endpoint.requests == 0


def test_a_name_that_resolves_differently_after_the_check_reaches_only_the_checked_address(
    endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DNS rebinding: public when checked, private when connected. The connection goes to the checked address."""
    connected: list[str] = []
    real = asyncio.open_connection

    async def to_the_endpoint(host: str, port: int, **options: Any) -> Any:
        connected.append(host)
        return await real("127.0.0.1", endpoint.port, **options)

    monkeypatch.setattr(asyncio, "open_connection", to_the_endpoint)
    dns = FakeDns([[PUBLIC], ["127.0.0.1"]])
    rule = AddressRule("model.example", look_up=dns)
    url = f"http://model.example:{endpoint.port}/v1"
    assert ask(rule, url).answer == "blue"
    assert connected == [PUBLIC]
    assert dns.asked == ["model.example"], "the name is looked up once for a connection"
    with pytest.raises(ModelError, match="private network"):
        ask(rule, url)  # a new connection: the name is looked up and checked again
    assert connected == [PUBLIC]


def test_redirects_are_not_followed(endpoint: Endpoint) -> None:
    elsewhere = Endpoint(f"http://127.0.0.1:{endpoint.port}/v1/chat/completions")
    with pytest.raises(ModelError, match="the endpoint points elsewhere"):
        ask(AddressRule("127.0.0.1"), f"http://127.0.0.1:{elsewhere.port}/v1")
    assert (elsewhere.requests, endpoint.requests) == (1, 0)
    elsewhere.close()


def test_a_model_connects_to_no_other_host() -> None:
    with pytest.raises(ModelError, match=r"is not the model's host"):
        asyncio.run(AddressRule("model.example", look_up=FakeDns([[PUBLIC]]))("other.example", 80))


def study_with(folder: Path, spec: str, url: str | None) -> SmallStudy:
    """A study whose open round has this one model."""
    small = SmallStudy.make(folder, url, robots=1)
    small.do(lambda tx: tx.change(model, model.c.id == small.models[0], spec=spec))
    return small


def test_the_service_does_not_start_with_a_model_in_a_private_network_unless_allowed(
    tmp_path: Path, database_url: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def resolved(host: str, port: int, *_: Any, **__: Any) -> list[Any]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (PRIVATE, port))]

    small = study_with(tmp_path / "study", "openai:any,base_url=http://gpu.example:8000/v1", database_url)
    monkeypatch.setattr(socket, "getaddrinfo", resolved)
    with pytest.raises(UsageError, match=r"--private-host gpu\.example"):
        make_service(small.study, Address())
    service = make_service(small.study, Address(), ["GPU.example"])
    service.robots.stop()
    small.close()


def test_the_service_refuses_the_address_of_cloud_metadata(tmp_path: Path, database_url: str | None) -> None:
    small = study_with(tmp_path / "study", "openai:any,base_url=http://169.254.169.254/v1", database_url)
    with pytest.raises(UsageError, match="never a model's address"):
        make_service(small.study, Address(), ["169.254.169.254"])
    small.close()


def test_the_models_of_a_service_are_guarded_and_answer_before_people_stop_waiting(
    tmp_path: Path, database_url: str | None, endpoint: Endpoint
) -> None:
    """A question of an annotator reaches the owner's endpoint through the rule, and no other place."""
    spec = f"openai:any,base_url=http://127.0.0.1:{endpoint.port}/v1,blind=true"
    small = study_with(tmp_path / "study", spec, database_url)
    service = make_service(small.study, Address())
    assert endpoint.requests == 0, "an endpoint gets no test question: each may cost something"
    robots = service.robots.robots
    assert isinstance(robots, Robots)
    made = robots.model(small.models[0])
    assert isinstance(made.resolve, AddressRule)
    assert (made.timeout, made.retries) == (8.0, 1)
    said = robots.answer([Call(1, 1, small.models[0], 1, "0" * 64, ".png", "http://169.254.169.254/ What is it?")])[0]
    assert (said.answer, endpoint.requests) == ("blue", 1)
    service.robots.stop()
    small.close()


def test_a_robot_that_cannot_answer_is_reported_at_the_start(tmp_path: Path, capsys: Any) -> None:
    small = SmallStudy.make(tmp_path / "study", opened=False)
    with small.study.database.write() as tx:
        bad = add_model(tx, "gone", "predictions:gone.json")
        create_round(tx, [bad])
    small.open()
    make_service(small.study, Address()).robots.stop()
    assert capsys.readouterr().err == "", "a model of another round is not asked"
    small.do(lambda tx: tx.change(model, model.c.id == small.models[0], spec="predictions:gone.json"))
    make_service(small.study, Address()).robots.stop()
    assert "Warning: the robot robot 0" in capsys.readouterr().err
    small.close()
