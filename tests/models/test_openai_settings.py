"""Settings of an endpoint: key, address, prices, proxies; and that the key is never shown."""

from __future__ import annotations

import asyncio
import json
import pickle
import subprocess
import threading
import time
from contextlib import suppress
from urllib.parse import quote

import pytest
from fault_server import FaultServer, completion, ok, raw, said, status
from plain_image import image_bytes

import askew
from askew.errors import BadOption, DataError, ModelError
from askew.models.endpoint.http import proxy_for, urlsplit
from askew.models.endpoint.openai import OpenAI
from askew.models.endpoint.secrets import hide_in
from askew.types import ImageRef, Question
from running import run_askew, write_questions

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


def test_the_address_comes_from_the_option_or_the_environment_or_is_the_official_one(tmp_path, monkeypatch):
    assert OpenAI("any").base_url == "https://api.openai.com/v1"
    (tmp_path / ".env").write_text("OPENAI_BASE_URL=http://file/v1\n")
    assert OpenAI("any").base_url == "http://file/v1"
    monkeypatch.setenv("OPENAI_BASE_URL", "http://environment/v1/")
    assert OpenAI("any").base_url == "http://environment/v1"
    assert OpenAI("any", base_url="http://option/v1").base_url == "http://option/v1"


def test_an_address_from_the_file_takes_no_key_from_the_environment(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with FaultServer(lambda request: ok()) as server:
        (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={server.url}\n")
        with pytest.raises(ModelError, match=r"the key would go to whoever wrote that file.*--base-url") as caught:
            OpenAI("any")
        assert KEY not in str(caught.value)
        (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={server.url}\nOPENAI_API_KEY=of-the-file\n")
        OpenAI("any").answer([Question(1, None, "?")])
        assert server.requests[0].headers["authorization"] == "Bearer of-the-file"
        printed = capfd.readouterr().err
        assert f"The file .env in this folder sets the endpoint: {server.url}" in printed
        OpenAI("any", base_url=server.url).answer([Question(1, None, "?")])
        assert server.requests[1].headers["authorization"] == f"Bearer {KEY}"
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        OpenAI("any").answer([Question(1, None, "?")])
        assert server.requests[2].headers["authorization"] == f"Bearer {KEY}"
    assert "sets the endpoint" not in capfd.readouterr().err
    (tmp_path / ".env").write_text("")


def test_an_address_from_the_file_needs_no_key_and_is_announced_once(tmp_path, capfd):
    with FaultServer(lambda request: ok()) as server:
        (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={server.url}\n")
        for _ in range(2):
            OpenAI("any").answer([Question(1, None, "?")])
    assert "authorization" not in server.requests[0].headers
    assert capfd.readouterr().err.count(server.url) == 1


SLASHED = "sk-te/st+0123456789abcdefghij"
ESCAPED = {
    "slash": lambda key: key.replace("/", r"\/"),
    "lower": lambda key: "".join(f"\\u{ord(sign):04x}" for sign in key),
    "upper": lambda key: "".join(f"\\u{ord(sign):04X}" for sign in key),
    "one": lambda key: key.replace("s", r"\u0073"),
    "twice": lambda key: key.replace("s", r"\\u0073").replace("/", r"\\/"),
    "url": lambda key: quote(key, safe="").replace("-", "%2d"),
    "url lower": lambda key: quote(key, safe="").lower(),
    "url twice": lambda key: quote(quote(key, safe=""), safe=""),
    "html": lambda key: "".join(f"&#{ord(sign)};" for sign in key),
    "html hex": lambda key: "".join(f"&#x{ord(sign):X};" for sign in key),
}


@pytest.mark.parametrize("how", ESCAPED)
def test_an_escaped_key_is_never_shown(how, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("OPENAI_API_KEY", SLASHED)
    leak = ESCAPED[how](SLASHED)
    bodies = {
        200: f'{{"choices": [{{"message": {{"content": "It is {leak}."}}, "finish_reason": "stop"}}]}}',
        400: f'{{"error": {{"message": "wrong key {leak}"}}}}',
        413: f"plain {leak}",
        500: f'{{"error": {{"message": "{leak}',
    }
    asked = [Question(code, None, f"What color is car {code}?", ("red",)) for code in bodies]

    def behave(request):
        code = int(request.text.split()[4].rstrip("?"))
        return raw(bodies[code].encode(), code)

    with FaultServer(behave) as server:
        model = OpenAI("any", base_url=server.url, retries=0, give_up=0)
        predictions = model.answer(asked)
        askew.evaluate(model, asked, "accuracy", output=tmp_path / "run", max_failures=1.0)
    assert predictions[0].answer == "It is [key]."
    assert predictions[1].error == "http 400: wrong key [key]"
    assert predictions[2].error == "http 413: plain [key]"
    written = b"".join(path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file())
    shown = str(predictions) + "".join(capfd.readouterr()) + written.decode("utf-8", "replace")
    for shape in (str, *ESCAPED.values()):
        assert shape(SLASHED) not in shown
        assert repr(shape(SLASHED))[1:-1] not in shown


def test_a_key_in_two_parts_of_an_answer_is_hidden(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    parts = [{"type": "text", "text": KEY[:9]}, {"type": "text", "text": KEY[9:]}]
    with FaultServer(lambda request: ok(parts)) as server:
        assert OpenAI("any", base_url=server.url).answer([Question(1, None, "?")])[0].answer == "[key]"


def test_a_long_run_of_escapes_is_scanned_quickly():
    body = b"\\" * 200_000 + b"&#0000" * 100_000 + b"%25" * 100_000
    started = time.process_time()
    assert hide_in(body, [KEY]) == body
    assert time.process_time() - started < 10


def test_secrets_in_extra_are_sent_and_never_shown(tmp_path, monkeypatch):
    secrets = ["open/sesame 'now'", "hf_0123456789abcdefghij", KEY]
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    extra = {"auth": {"key": secrets[0]}, "note": f"use {secrets[1]} or {secrets[2]}", "top_k": 5}
    write_questions(tmp_path / "q.jsonl", 3)
    with FaultServer(lambda request: ok(f"Yes: {json.dumps(request.body)}")) as server:
        spec = f"openai:any,base_url={server.url},blind=true,extra={json.dumps(extra)}"
        words = ["run", "--model", spec, "--model", "constant:yes", "--data", "q.jsonl", "--suite", "accuracy"]
        done = run_askew(*words, "--output", "o", "--quiet", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert server.requests[0].body["auth"] == extra["auth"]
    assert server.requests[0].body["note"] == extra["note"]
    files = [path for path in (tmp_path / "o").rglob("*") if path.is_file()]
    results = json.loads(next((tmp_path / "o").glob("openai*/results.json")).read_text())
    assert '"top_k": 5' in results["model"]["spec"]
    shown = done.stdout + done.stderr + "".join(map(str, files))
    shown += "".join(path.read_bytes().decode("utf-8", "replace") for path in files)
    assert "[key]" in shown
    for secret in ("sesame", *secrets[1:]):
        assert secret not in shown
    one, other = (OpenAI("any", extra=json.dumps({"api_key": key, "top_k": 5})) for key in ("12345678", "abcdefgh"))
    assert repr(one) == repr(other) != repr(OpenAI("any", extra='{"api_key": "12345678", "top_k": 6}'))
    marked = (OpenAI("any", extra=json.dumps({"eos_token": mark})) for mark in ("<|im_end|>", "</answer>"))
    assert len(set(map(repr, marked))) == 2, "what changes answers is no secret"


def test_the_official_endpoint_without_a_key_says_what_to_do():
    with pytest.raises(ModelError, match=r"set OPENAI_API_KEY or put it into a file \.env"):
        OpenAI("any").answer([Question(1, None, "?")])


@pytest.mark.parametrize("act", ["answer", "401", "400", "500", "filter"])
def test_the_key_is_never_shown_even_when_the_server_repeats_it(act, tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    leak = f"Your key is {KEY}"
    acts = {
        "answer": ok(leak),
        "401": status(401, leak),
        "400": status(400, leak),
        "500": status(500, leak),
        "filter": said(completion(leak, finish="content_filter")),
    }
    questions = [
        Question(n, ImageRef(n, data=image_bytes()), f"What color is the car {n}?", ("red",)) for n in range(3)
    ]
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


def test_an_invalid_key_is_not_shown(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret\r\nX: y")
    with pytest.raises(ModelError, match="characters that a key cannot have") as caught:
        OpenAI("any", base_url="http://127.0.0.1:9/v1").answer([Question(1, None, "?")])
    assert "sk-secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"base_url": "localhost:8000"}, "base_url is not an address"),
        ({"base_url": "http://a:8000/v1 http://b:8000/v1"}, "base_url is not an address"),
        ({"base_url": "http://a:8000/v1;http://b:8000/v1"}, "several addresses. Separate them by commas"),
        ({"base_url": "http://a:8000/v1,"}, "base_url is not an address"),
        ({"headers": '["api-key"]'}, "headers must be a JSON object of texts"),
        ({"headers": '{"Host": "a"}'}, "'Host', which is not a header that can be set"),
        ({"headers": '{"X": "a\\r\\nY: b"}'}, "the header X has characters"),
        ({"query": "api-version=1"}, "query is not JSON"),
        ({"base_url": "http://host/v1\r\nX: y"}, "base_url is not an address"),
        ({"base_url": "http://host:99999999/v1"}, "base_url is not an address"),
        ({"base_url": f"http://user:{KEY}@host/v1"}, "put the key into OPENAI_API_KEY"),
        ({"base_url": f"http://host/v1?key={KEY}"}, "put the key into OPENAI_API_KEY"),
        ({"prompt": "Answer!"}, "no {question} in it. Write {question} where"),
        ({"extra": "{"}, "is not JSON"),
        ({"extra": '{"messages": []}'}, "without model, messages"),
        ({"concurrency": 0}, "concurrency=0 is less than 1"),
        ({"max_calls": -1}, "max_calls=-1"),
        ({"max_cost": 1.0}, "max_cost needs prices=FILE"),
    ],
)
def test_invalid_options(options, words):
    with pytest.raises(BadOption, match=words) as caught:
        OpenAI("any", **options)
    assert KEY not in str(caught.value)


@pytest.mark.parametrize("text", ["any: 3", "other: {read: 1, written: 2}", "any: {read: -1, written: 2}", "{", "[]"])
def test_invalid_prices(text, tmp_path):
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
        with pytest.raises(ModelError, match=r"its certificate is not trusted.*SSL_CERT_FILE"):
            OpenAI("any", base_url=server.url, backoff=1e6).answer([Question(1, None, "?")])  # without a pause
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
