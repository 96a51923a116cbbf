"""Against a real server: transformers' own ``serve`` command with a tiny, randomly initialised LLaVA."""

from __future__ import annotations

import io
import os
import socket
import subprocess
import sys
import time
import urllib.request

import pytest
from PIL import Image

for package in ("accelerate", "fastapi", "openai", "uvicorn"):
    pytest.importorskip(package, reason="transformers[serving] is not installed")
hf_folders = pytest.importorskip("hf_folders", reason="the extra hf is not installed")

from askew.models.endpoint.openai import OpenAI  # noqa: E402
from askew.types import ImageRef, Question  # noqa: E402


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The folder and the address of the served model."""
    place = tmp_path_factory.mktemp("served")
    folder, port = hf_folders.llava(place / "llava"), free_port()
    words = ["-m", "transformers.cli.transformers", "serve", str(folder), "--host", "127.0.0.1", "--port", str(port)]
    environment = {**os.environ, "HF_HUB_OFFLINE": "1"}
    with (place / "log").open("wb") as log:
        server = subprocess.Popen([sys.executable, *words, "--device", "cpu"], stdout=log, stderr=log, env=environment)
        try:
            wait_for(f"http://127.0.0.1:{port}/health", server, place / "log")
            yield str(folder), f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            server.wait(20)


def wait_for(url, server, log, seconds=60):
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline and server.poll() is None:
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except OSError:
            time.sleep(0.2)
    pytest.skip(f"transformers serve does not run here: {log.read_text(errors='replace')[-300:]}")


def test_a_real_server_reads_images_and_counts_tokens(served, monkeypatch):
    """Random weights ramble, so most answers are cut off; what matters is that they came, whole and counted."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    model, url = served
    out = io.BytesIO()
    Image.new("RGB", (64, 48), "red").save(out, "PNG")
    asked = [Question(n, ImageRef(1, data=out.getvalue()), f"Is it red {n}?") for n in range(6)]
    options = {"base_url": url, "max_answer_tokens": 4, "retries": 1}
    seen, blind = OpenAI(model, **options).answer(asked), OpenAI(model, **options, blind=True).answer(asked)
    for prediction in (*seen, *blind):
        assert prediction.error is None or prediction.error.startswith(("cut off", "empty answer")), prediction
        assert prediction.answer or prediction.raw or prediction.error == "empty answer"
        assert 1 <= prediction.tokens[1] <= 4
        assert prediction.tries == 1
    assert all(with_.tokens[0] > without.tokens[0] for with_, without in zip(seen, blind, strict=True))
