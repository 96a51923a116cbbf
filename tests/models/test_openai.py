"""What is sent to an endpoint, what is kept secret, and how a run goes on after a kill."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import pickle
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from contextlib import suppress

import pytest
from fault_server import FaultServer, completion, ok, said, status
from PIL import Image

import askew
from askew.errors import BadOption, DataError, ModelError
from askew.models.endpoint.http import proxy_for, urlsplit
from askew.models.openai import PROMPT, OpenAI
from askew.types import ImageRef, Model, Question, Streams

KEY = "sk-test-0123456789abcdefghij"


@pytest.fixture(autouse=True)
def _plain(monkeypatch, tmp_path):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


def picture(color="red", size=(64, 48), kind="PNG", **options):
    out = io.BytesIO()
    Image.new("RGB", size, color).save(out, kind, **options)
    return out.getvalue()


def sent(question, **options):
    """The body of the one request that asking this makes."""
    with FaultServer(lambda request: ok()) as server:
        prediction = OpenAI("any", base_url=server.url, **options).answer([question])[0]
    assert prediction.answer == "yes", prediction
    return server.requests[0].body


def picture_in(body):
    (part,) = (part for part in body["messages"][-1]["content"] if part["type"] == "image_url")
    head, _, data = part["image_url"]["url"].partition(";base64,")
    return head, base64.b64decode(data)


def test_the_request():
    data = picture()
    body = sent(Question(1, ImageRef(1, data=data), "Is it red?"), system="Be brief.", seed=7, max_answer_tokens=32)
    assert picture_in(body) == ("data:image/png", data)
    body["messages"][1]["content"][0]["image_url"]["url"] = "..."
    assert body == {
        "model": "any",
        "temperature": 0.0,
        "seed": 7,
        "max_tokens": 32,
        "messages": [
            {"role": "system", "content": "Be brief."},
            {
                "role": "user",
                "content": [
                    {"type": "image_url", "image_url": {"url": "..."}},
                    {"type": "text", "text": PROMPT.replace("{question}", "Is it red?")},
                ],
            },
        ],
    }


def test_options_of_the_request():
    body = sent(
        Question(1, ImageRef(1, data=picture()), "Is it {context}?", context="It rains."),
        prompt="{context} Q: {question}",
        detail="low",
        temperature=None,
        extra='{"reasoning_effort": "low"}',
        cap_field="max_completion_tokens",
    )
    assert body["messages"][0]["content"][1]["text"] == "It rains. Q: Is it {context}?"
    assert body["messages"][0]["content"][0]["image_url"]["detail"] == "low"
    assert body["reasoning_effort"] == "low"
    assert body["max_completion_tokens"] == 256
    assert "temperature" not in body
    assert "seed" not in body


def test_a_blind_model_and_a_question_without_picture_are_asked_in_words():
    words = [{"role": "user", "content": "Is it red?"}]
    assert sent(Question(1, None, "Is it red?"), prompt="{question}")["messages"] == words
    seen = Question(1, ImageRef(1, data=picture()), "Is it red?")
    assert sent(seen, prompt="{question}", blind=True)["messages"] == words


def test_large_and_odd_pictures_are_made_fit():
    large = sent(Question(1, ImageRef(1, data=picture(size=(800, 400), kind="JPEG")), "?"), max_side=100)
    kind, data = picture_in(large)
    assert kind == "data:image/jpeg"
    assert Image.open(io.BytesIO(data)).size == (100, 50)
    kind, data = picture_in(sent(Question(1, ImageRef(1, data=picture(kind="BMP")), "?")))
    assert (kind, Image.open(io.BytesIO(data)).getpixel((0, 0))) == ("data:image/png", (255, 0, 0))
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = Question(1, ImageRef(1, data=picture(kind="JPEG", exif=exif)), "?")
    assert Image.open(io.BytesIO(picture_in(sent(turned))[1])).size == (48, 64)


def test_a_picture_is_encoded_once_by_content_whatever_it_is_called(tmp_path):
    file = tmp_path / "a.png"
    file.write_bytes(picture("blue"))
    refs = [ImageRef(n, data=picture("red")) for n in range(20)] + [ImageRef(n, path=str(file)) for n in range(20)]
    with FaultServer(lambda request: ok(delay=0.002)) as server:
        model = OpenAI("any", base_url=server.url)
        asked = [Question(n, ref, f"Is it {n}?") for n, ref in enumerate(refs)]
        model.answer(asked)
        model.answer(asked)
    assert model.pictures.encoded == 2
    assert len(server.requests) == 80


def test_a_picture_that_cannot_be_used_fails_alone_and_is_not_sent(tmp_path):
    refs = [ImageRef(1, data=picture()), ImageRef(2, data=b"no picture"), ImageRef(3), ImageRef(4, data=picture()[:60])]
    with FaultServer(lambda request: ok()) as server:
        found = OpenAI("any", base_url=server.url).answer([Question(ref.id, ref, "Is it?") for ref in refs])
    assert [p.failed for p in found] == [False, True, True, True]
    assert all(p.error.startswith("bad picture: ") and p.tries == 0 for p in found[1:])
    assert len(server.requests) == 1


def test_answers_are_in_order_whatever_the_ids():
    with FaultServer(lambda request: ok(request.text, delay=0.03 if "0" in request.text else 0)) as server:
        model = OpenAI("any", base_url=server.url, prompt="{question}")
        found = model.answer([Question("same", None, f"q{n}") for n in range(12)])
    assert [p.answer for p in found] == [f"q{n}" for n in range(12)]
    assert {p.question_id for p in found} == {"same"}
    assert isinstance(model, Streams)
    assert isinstance(model, Model)


def test_it_works_inside_a_running_event_loop():
    async def notebook(url):
        return OpenAI("any", base_url=url).answer([Question(1, None, "Is it?")])

    with FaultServer(lambda request: ok()) as server:
        assert asyncio.run(notebook(server.url))[0].answer == "yes"


def test_nothing_to_ask():
    assert OpenAI("any", base_url="http://127.0.0.1:9/v1").answer([]) == []


def test_the_signature_says_what_changes_answers_and_nothing_else():
    plain = OpenAI("any", base_url="http://h/v1/")
    same = OpenAI("any", base_url="http://h/v1", timeout=1, concurrency=2, retries=0, max_calls=3, give_up=1)
    assert repr(plain) == repr(same)
    others = {"prompt": "{question}", "system": "s", "temperature": 1.0, "seed": 1, "max_answer_tokens": 9}
    others |= {"max_side": 9, "detail": "low", "extra": '{"a": 1}', "blind": True}
    changed = [repr(OpenAI("any", base_url="http://h/v1", **{name: value})) for name, value in others.items()]
    changed += [repr(OpenAI("other", base_url="http://h/v1")), repr(OpenAI("any", base_url="http://g/v1"))]
    assert len({repr(plain), *changed}) == len(changed) + 1


def test_it_can_be_sent_to_another_machine():
    model = OpenAI("any", base_url="http://h/v1", max_calls=3)
    assert pickle.loads(pickle.dumps(model)) == model


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


def write_questions(path, count):
    with path.open("w") as file:
        for number in range(count):
            record = {"id": number, "image": number, "question": f"What is thing {number}?", "answers": ["yes"] * 10}
            file.write(json.dumps(record) + "\n")


def in_store(path):
    """How many answers are committed, as another process sees them."""
    if not path.exists():
        return 0
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as store:
        tables = store.execute("SELECT count(*) FROM sqlite_master WHERE name = 'answers'").fetchone()[0]
        found = store.execute("SELECT count(*) FROM answers").fetchone()[0] if tables else 0
    store.close()
    return found


def test_a_killed_run_goes_on_and_asks_nothing_again_that_is_kept(tmp_path):
    """What was under way at the kill (at most as many as there are connections) may be asked twice, nothing else."""
    count, connections = 400, 8
    write_questions(tmp_path / "data.jsonl", count)
    with FaultServer(lambda request: ok("Yes, it is.", delay=0.03)) as server:
        spec = f"openai:any,base_url={server.url},concurrency={connections},blind=true,prompt={{question}}"
        words = ["run", "--model", spec, "--data", "data.jsonl", "--suite", "accuracy", "--output", "out", "--quiet"]
        command = [sys.executable, "-m", "askew", *words]
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        deadline = time.monotonic() + 60
        while in_store(tmp_path / "out" / "answers.sqlite") < 60 and process.poll() is None:
            assert time.monotonic() < deadline
            time.sleep(0.01)
        assert process.poll() is None, process.stderr.read()
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stderr.close()
        kept = in_store(tmp_path / "out" / "answers.sqlite")
        time.sleep(0.1)
        first = sum(server.asked.values())
        assert 60 <= kept < count
        assert first - kept <= 2 * connections, "answers waited in memory"
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert sum(server.asked.values()) - first == count - kept
        assert max(server.asked.values()) <= 2
        third = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert third.returncode == 0, third.stderr
        assert sum(server.asked.values()) - first == count - kept
    results = json.loads((tmp_path / "out" / "results.json").read_text())
    assert results["model"]["extract"] == "short-v1"
    assert results["usage"]["store"] == [100 * count, 3 * count]
    samples = [json.loads(line) for line in (tmp_path / "out" / "samples.jsonl").read_text().splitlines()]
    assert len(samples) == count
    assert {sample["original"]["prediction"]["raw"] for sample in samples} == {"Yes, it is."}


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
