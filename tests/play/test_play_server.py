"""The playground's server as other programs see it: hosts, tokens, sizes, uploads, escaped text."""

from __future__ import annotations

import http.client
import io
import re
import signal
import socket
import subprocess
import sys
import threading
from contextlib import contextmanager
from urllib.parse import urlencode
from urllib.request import urlopen

import pytest
from PIL import Image
from test_playground import Literal

from askew.engine.components import as_data, as_model
from askew.errors import UsageError
from askew.play.play_server import MOST_BYTES, PlayServer, serve
from askew.play.playground import Playground
from askew.play.trial_groups import FailuresFile

EVIL = "<img src=x onerror=window.evil=1></script><script>window.evil=1</script>"


@contextmanager
def playing(folder, *models):
    ground = Playground([as_model(model) for model in models], as_data("world:val,scenes=60"))
    server = PlayServer(ground, FailuresFile(folder / "failures.jsonl"))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    with playing(tmp_path_factory.mktemp("play"), Literal()) as running:
        yield running


def send(server, method, path, body=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=60)
    connection.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
    reply = connection.getresponse()
    content = reply.read()
    connection.close()
    return reply, content


def post(server, path, **fields):
    body = urlencode({"token": server.token, **fields}, doseq=True)
    return send(server, "POST", path, body, Content_Type="application/x-www-form-urlencoded")


def upload(server, content, token=None):
    parts = [
        b'--XX\r\nContent-Disposition: form-data; name="token"\r\n\r\n' + (token or server.token).encode(),
        b'--XX\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n' + content,
    ]
    body = b"\r\n".join(parts) + b"\r\n--XX--\r\n"
    return send(server, "POST", "/upload", body, Content_Type="multipart/form-data; boundary=XX")


def test_only_this_machine_by_its_own_name_is_answered(server):
    assert server.server_address[0] == "127.0.0.1"
    for host in ("evil.example", f"evil.example:{server.server_port}", "127.0.0.1"):
        reply, content = send(server, "GET", "/", Host=host)
        assert reply.status == 403
        assert server.token.encode() not in content, "a page under another name must not learn the token"
    assert send(server, "GET", "/", Host=f"localhost:{server.server_port}")[0].status == 200


def test_every_reply_has_a_policy_that_allows_nothing_from_elsewhere(server):
    for path in ("/", "/play.css", "/play.js", "/thumb/1", "/nothing"):
        reply, _ = send(server, "GET", path)
        assert reply.getheader("Content-Security-Policy").startswith("default-src 'none'; img-src 'self'")
        assert reply.getheader("X-Content-Type-Options") == "nosniff"


def test_forms_need_the_token_of_this_process(server):
    before = len(server.ground.trials)
    body = urlencode({"image": "1", "question": "Why?", "token": "guessed"})
    reply, _ = send(server, "POST", "/ask", body, Content_Type="application/x-www-form-urlencoded")
    assert reply.status == 403
    assert len(server.ground.trials) == before
    assert upload(server, b"x", "guessed")[0].status == 403


def test_texts_of_people_and_models_are_escaped(server, tmp_path):
    def echo(image, question):
        return question

    with playing(tmp_path, echo) as running:
        reply, _ = post(running, "/ask", image="1", question=EVIL, expected=EVIL)
        _, content = send(running, "GET", reply.getheader("Location").partition("#")[0])
        assert b"window.evil" in content
        assert b"<script>window" not in content
        assert b"<img src=x" not in content


def test_an_upload_is_shown_as_a_new_jpeg(server):
    content = io.BytesIO()
    Image.new("RGB", (40, 30), "red").save(content, "PNG")
    reply, _ = upload(server, content.getvalue())
    assert reply.status == 303
    key = reply.getheader("Location").rpartition("=")[2]
    shown, image = send(server, "GET", f"/image/{key}")
    assert shown.getheader("Content-Type") == "image/jpeg"
    assert Image.open(io.BytesIO(image)).size == (40, 30)


@pytest.mark.parametrize(
    ("content", "told"), [(b"GIF89a nothing", b"not an image"), (b"%!PS-Adobe", b"not an image"), (b"", b"No file")]
)
def test_what_is_no_image_is_refused_with_the_reason(server, content, told):
    reply, page = upload(server, content)
    assert reply.status == 400
    assert told in page


def test_a_request_that_is_too_long_or_has_no_length_is_not_read(server):
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as raw:
        host = f"Host: 127.0.0.1:{server.server_port}\r\n"
        raw.sendall(f"POST /upload HTTP/1.1\r\n{host}Content-Length: {MOST_BYTES + 1}\r\n\r\n".encode())
        assert b" 413 " in raw.recv(200)
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=60) as raw:
        raw.sendall(f"POST /ask HTTP/1.1\r\n{host}\r\n".encode())
        assert b" 411 " in raw.recv(200)


@pytest.mark.parametrize(
    "path", ["/trial/99", "/trial/x", "/trial/1/99/0", "/trial/1/0/x", "/image/99", "/../etc", "/x"]
)
def test_what_is_not_there_is_404(server, path):
    assert send(server, "GET", path)[0].status == 404


def test_a_port_that_is_taken_is_told(server):
    with pytest.raises(UsageError, match="--port 0 takes any free one"):
        serve(server.ground, server.output, server.server_port)


def test_the_command_serves_the_page_until_it_is_interrupted(tmp_path):
    words = [sys.executable, "-m", "askew", "play", "--model", "constant:yes", "--data", "world:val,scenes=60"]
    with subprocess.Popen(
        [*words, "--port", "0", "--no-browser"], cwd=tmp_path, stdout=subprocess.PIPE, text=True
    ) as process:
        line = next(line for line in process.stdout if "http://" in line)
        address = re.search(r"http://127\.0\.0\.1:\d+/", line)[0]
        with urlopen(address, timeout=60) as page:
            assert b"constant:yes" in page.read()
        process.send_signal(signal.SIGINT)
        assert "The page is closed." in process.stdout.read()
    assert process.returncode == 0
