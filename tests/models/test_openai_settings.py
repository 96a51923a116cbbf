"""How an endpoint is reached and paid: key, address, prices, proxies; and that the key is shown nowhere."""

from __future__ import annotations

import asyncio
import pickle
import subprocess
import threading
from contextlib import suppress

import pytest
from fault_server import FaultServer, completion, ok, said, status
from plain_picture import picture

import askew
from askew.errors import BadOption, DataError, ModelError
from askew.models.endpoint.http import proxy_for, urlsplit
from askew.models.openai import OpenAI
from askew.types import ImageRef, Question

pytestmark = pytest.mark.usefixtures("no_key")

KEY = "sk-test-0123456789abcdefghij"


def test_the_key_comes_from_the_environment_or_the_file(tmp_path, monkeypatch):
    def authorization():
        with FaultServer(lambda request: ok()) as server:
            OpenAI("any", base_url=server.url).answer([Question(1, None, "?")])
        return server.requests[0].headers.get("authorization")

    assert authorization() is None
    (tmp_path / ".env").write_text(f"# keys\nOTHER=1\nexport OPENAI_API_KEY='{KEY}' # mine\n")
    assert authorization() == f"Bearer {KEY}"
    monkeypatch.setenv("OPENAI_API_KEY", "from-the-environment")
    assert authorization() == "Bearer from-the-environment"


def test_the_address_comes_from_the_option_the_environment_or_is_the_official(tmp_path, monkeypatch):
    assert OpenAI("any").base_url == "https://api.openai.com/v1"
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=http://file/v1\n")
    assert OpenAI("any").base_url == "http://file/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://environment/v1/")
    assert OpenAI("any").base_url == "http://environment/v1"
    assert OpenAI("any", base_url="http://option/v1").base_url == "http://option/v1"


def test_the_official_endpoint_without_a_key_says_what_to_do():
    with pytest.raises(ModelError, match=r"set OPENAI_API_KEY or put it into a file \.env"):
        OpenAI("any").answer([Question(1, None, "?")])


@pytest.mark.parametrize("act", ["answer", "401", "400", "500", "filter"])
def test_the_key_is_shown_nowhere_even_when_the_server_says_it(act, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    leak = f"Your key is {KEY}"
    acts = {
        "answer": ok(leak),
        "401": status(401, leak),
        "400": status(400, leak),
        "500": status(500, leak),
        "filter": said(completion(leak, finish="content_filter")),
    }
    questions = [Question(n, ImageRef(n, data=picture()), f"What color is the car {n}?", ("red",)) for n in range(3)]
    with FaultServer(lambda request: acts[act]) as server:
        model = OpenAI("any", base_url=server.url, retries=1, backoff=0.001)
        try:
            shown = str(model.answer(questions))
        except ModelError as error:
            shown = f"{error!r} {error.__cause__!r} {error.__context__!r}"
        assert "[key]" in shown
        try:
            askew.evaluate(model, questions, "accuracy", output=tmp_path / "run", max_failures=1.0)
        except ModelError as error:
            shown += str(error)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    shown += repr(model) + str(pickle.dumps(model)) + "".join(capfd.readouterr())
    assert KEY not in shown
    written = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    assert written
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


def test_a_key_that_cannot_be_one_is_not_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret\r\nX: y")
    with pytest.raises(ModelError, match="characters that no key has") as caught:
        OpenAI("any", base_url="http://127.0.0.1:9/v1").answer([Question(1, None, "?")])
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"base_url": "localhost:8000"}, "base_url is no address"),
        ({"base_url": "http://host/v1\r\nX: y"}, "base_url is no address"),
        ({"base_url": "http://host:99999999/v1"}, "base_url is no address"),
        ({"base_url": f"http://user:{KEY}@host/v1"}, "the key belongs into OPENAI_API_KEY"),
        ({"base_url": f"http://host/v1?key={KEY}"}, "the key belongs into OPENAI_API_KEY"),
        ({"prompt": "Answer!"}, "there is no {question} in it"),
        ({"extra": "{"}, "is no JSON"),
        ({"extra": '{"messages": []}'}, "without model, messages"),
        ({"concurrency": 0}, "concurrency=0 is less than 1"),
        ({"max_calls": -1}, "max_calls=-1"),
        ({"max_cost": 1.0}, "max_cost needs prices=FILE"),
    ],
)
def test_options_that_cannot_be_right(options, words):
    with pytest.raises(BadOption, match=words) as caught:
        OpenAI("any", **options)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("text", ["any: 3", "other: {read: 1, written: 2}", "any: {read: -1, written: 2}", "{", "[]"])
def test_prices_that_cannot_be_right(text, tmp_path):
    (tmp_path / "prices.yaml").write_text(text)
    with pytest.raises(DataError, match=r"prices\.yaml"):
        OpenAI("any", prices="prices.yaml")


def test_prices_and_estimates(tmp_path):
    """640 x 480 pixels are two tiles: 85 + 2 x 170 = 425; 8 more, and a quarter of 23 letters: 6."""
    (tmp_path / "prices.json").write_text('{"any": {"read": 2.5, "written": 10}}')
    model = OpenAI("any", prices="prices.json", prompt="{question}", max_answer_tokens=100)
    assert model.price(2_000_000, 100_000) == 6.0
    assert OpenAI("any").price(1, 1) is None
    asked = Question(1, ImageRef(1, size=(640, 480)), "What colour is the cat?")
    estimate = model.estimate([asked] * 3)
    assert estimate == (3, 3 * 439, 300)
    assert model.price(estimate.read, estimate.written) == pytest.approx((2.5 * 1317 + 10 * 300) / 1e6)


def test_proxies_of_the_environment(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "http://user:pw@proxy:3128")
    monkeypatch.setenv("NO_PROXY", "inside.example")
    assert proxy_for(urlsplit("https://api.openai.com/v1")).hostname == "proxy"
    assert proxy_for(urlsplit("https://inside.example/v1")) is None
    assert proxy_for(urlsplit("https://127.0.0.1/v1")) is None


def test_tls_and_a_proxy(tmp_path, monkeypatch):
    certificate, key = str(tmp_path / "cert.pem"), str(tmp_path / "key.pem")
    words = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=fault.test"]
    words += ["-addext", "subjectAltName=DNS:fault.test,IP:127.0.0.1", "-keyout", key, "-out", certificate]
    try:
        subprocess.run(words, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("there is no openssl to make a certificate with")
    with FaultServer(lambda request: ok(), certificate=(certificate, key)) as server:
        untrusting = OpenAI("any", base_url=server.url, retries=0)
        assert "its certificate is not trusted" in untrusting.answer([Question(1, None, "?")])[0].error
        monkeypatch.setenv("SSL_CERT_FILE", certificate)
        asked = [Question(n, None, f"q{n}") for n in range(20)]
        assert all(p.answer == "yes" for p in OpenAI("any", base_url=server.url).answer(asked))
        with Proxy(server.port) as proxy:
            monkeypatch.setenv("HTTPS_PROXY", f"http://me:pw@127.0.0.1:{proxy.port}")
            through = OpenAI("any", base_url=f"https://fault.test:{server.port}/v1", concurrency=4)
            assert all(p.answer == "yes" for p in through.answer(asked))
    assert 1 <= len(proxy.heads) <= 4
    assert proxy.heads[0].startswith(f"CONNECT fault.test:{server.port} HTTP/1.1\r\n")
    assert "Proxy-Authorization: Basic bWU6cHc=\r\n" in proxy.heads[0]


class Proxy:
    """Tunnels every CONNECT to one port of this machine."""

    def __init__(self, target):
        self.target, self.heads = target, []

    def __enter__(self):
        ready = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.main(ready)), daemon=True)
        self.thread.start()
        assert ready.wait(10)
        return self

    def __exit__(self, *_):
        self.loop.call_soon_threadsafe(self.done.set)
        self.thread.join(10)

    async def main(self, ready):
        self.loop, self.done = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self.tunnel, "127.0.0.1", 0)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self.done.wait()
        server.close()

    async def tunnel(self, reader, writer):
        self.heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        there_reader, there = await asyncio.open_connection("127.0.0.1", self.target)
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        with suppress(asyncio.CancelledError):
            await asyncio.gather(self.pump(reader, there), self.pump(there_reader, writer))

    async def pump(self, reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
