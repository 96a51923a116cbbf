"""Requests to an endpoint, its replies, and how a run resumes after a kill."""

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
import time
from dataclasses import replace

import pytest
from fault_server import FaultServer, ok, status
from PIL import Image
from plain_image import image_bytes

import askew
from askew import registry
from askew.errors import ModelError
from askew.models.endpoint.openai import PROMPT, OpenAI
from askew.types import ImageRef, Question
from askew.verbs import Model, Streams

pytestmark = pytest.mark.usefixtures("no_key")


def sent(question, **options):
    """The body of the only request that this question makes."""
    with FaultServer(lambda request: ok()) as server:
        prediction = OpenAI("any", base_url=server.url, **options).answer([question])[0]
    assert prediction.answer == "yes", prediction
    return server.requests[0].body


def image_in(body):
    (part,) = (part for part in body["messages"][-1]["content"] if part["type"] == "image_url")
    head, _, data = part["image_url"]["url"].partition(";base64,")
    return head, base64.b64decode(data)


def test_the_request():
    data = image_bytes()
    body = sent(Question(1, ImageRef(1, data=data), "Is it red?"), system="Be brief.", seed=7, max_answer_tokens=32)
    assert image_in(body) == ("data:image/png", data)
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
        Question(1, ImageRef(1, data=image_bytes()), "Is it {context}?", context="It rains."),
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


def test_a_new_line_can_be_typed_into_a_prompt():
    model = registry.make(
        "model", r"openai:any,base_url=http://h/v1,system=Be brief.\nAlways.,prompt=Q: {question}\nA:"
    )
    assert (model.chat.words(Question(1, None, "Why?")), model.chat.system) == ("Q: Why?\nA:", "Be brief.\nAlways.")


def test_a_blind_model_and_a_question_without_an_image_get_text_only():
    words = [{"role": "user", "content": "Is it red?"}]
    assert sent(Question(1, None, "Is it red?"), prompt="{question}")["messages"] == words
    seen = Question(1, ImageRef(1, data=image_bytes()), "Is it red?")
    assert sent(seen, prompt="{question}", blind=True)["messages"] == words


def test_large_and_odd_images_are_converted():
    large = sent(Question(1, ImageRef(1, data=image_bytes(size=(800, 400), kind="JPEG")), "?"), max_side=100)
    kind, data = image_in(large)
    assert kind == "data:image/jpeg"
    assert Image.open(io.BytesIO(data)).size == (100, 50)
    kind, data = image_in(sent(Question(1, ImageRef(1, data=image_bytes(kind="BMP")), "?")))
    assert (kind, Image.open(io.BytesIO(data)).getpixel((0, 0))) == ("data:image/png", (255, 0, 0))
    exif = Image.Exif()
    exif[0x0112] = 6
    turned = Question(1, ImageRef(1, data=image_bytes(kind="JPEG", exif=exif)), "?")
    assert Image.open(io.BytesIO(image_in(sent(turned))[1])).size == (48, 64)


def test_an_image_is_encoded_once_whatever_its_file_is_called(tmp_path):
    file = tmp_path / "a.png"
    file.write_bytes(image_bytes("blue"))
    refs = [ImageRef(n, data=image_bytes("red")) for n in range(20)] + [ImageRef(n, path=str(file)) for n in range(20)]
    with FaultServer(lambda request: ok(delay=0.002)) as server:
        model = OpenAI("any", base_url=server.url)
        asked = [Question(n, ref, f"Is it {n}?") for n, ref in enumerate(refs)]
        model.answer(asked)
        model.answer(asked)
    assert model.images.encoded == 2
    assert len(server.requests) == 80


def test_an_unusable_image_fails_alone_and_is_not_sent(tmp_path):
    refs = [
        ImageRef(1, data=image_bytes()),
        ImageRef(2, data=b"not an image"),
        ImageRef(3),
        ImageRef(4, data=image_bytes()[:60]),
    ]
    with FaultServer(lambda request: ok()) as server:
        found = OpenAI("any", base_url=server.url).answer([Question(ref.id, ref, "Is it?") for ref in refs])
    assert [p.failed for p in found] == [False, True, True, True]
    assert all(p.error.startswith("bad image: ") and p.tries == 0 for p in found[1:])
    assert len(server.requests) == 1


def test_answers_keep_the_order_whatever_the_ids():
    with FaultServer(lambda request: ok(request.text, delay=0.03 if "0" in request.text else 0)) as server:
        model = OpenAI("any", base_url=server.url, prompt="{question}")
        found = model.answer([Question("same", None, f"q{n}") for n in range(12)])
    assert [p.answer for p in found] == [f"q{n}" for n in range(12)]
    assert {p.question_id for p in found} == {"same"}
    assert isinstance(model, Streams)
    assert isinstance(model, Model)


def test_answering_works_inside_a_running_event_loop():
    async def notebook(url):
        return OpenAI("any", base_url=url).answer([Question(1, None, "Is it?")])

    with FaultServer(lambda request: ok()) as server:
        assert asyncio.run(notebook(server.url))[0].answer == "yes"


def test_no_questions_make_no_request():
    assert OpenAI("any", base_url="http://127.0.0.1:9/v1").answer([]) == []


def test_the_signature_has_exactly_the_options_that_change_answers():
    plain = OpenAI("any", base_url="http://h/v1/")
    same = OpenAI("any", base_url="http://h/v1", timeout=1, concurrency=2, retries=0, max_calls=3, give_up=1)
    assert repr(plain) == repr(same)
    others = {"prompt": "{question}", "system": "s", "temperature": 1.0, "seed": 1, "max_answer_tokens": 9}
    others |= {"max_side": 9, "detail": "low", "extra": '{"a": 1}', "blind": True}
    changed = [repr(OpenAI("any", base_url="http://h/v1", **{name: value})) for name, value in others.items()]
    changed += [repr(OpenAI("other", base_url="http://h/v1")), repr(OpenAI("any", base_url="http://g/v1"))]
    assert len({repr(plain), *changed}) == len(changed) + 1


def test_the_model_can_be_pickled():
    model = OpenAI("any", base_url="http://h/v1", max_calls=3)
    assert pickle.loads(pickle.dumps(model)) == model


def test_an_endpoint_that_refuses_nearly_everything_is_stopped_soon(tmp_path):
    asked = [Question(number, None, f"What color is car {number}?", ("red",) * 10) for number in range(1000)]
    answered = {f"What color is car {number}?" for number in range(5)}
    refused = replace(status(400, "the image has 3 pixels"), delay=0.05)
    with FaultServer(lambda request: ok("red") if request.text in answered else refused) as server:
        model = OpenAI("any", base_url=server.url, prompt="{question}", concurrency=8)
        with pytest.raises(ModelError, match="50 questions in a row in the same way; the last: http 400"):
            askew.evaluate(model, asked, "accuracy", output=tmp_path)
    assert sum(server.asked.values()) < 1000
    assert in_store(tmp_path / "answers.sqlite") == 5


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


def test_a_killed_run_resumes_and_does_not_ask_stored_questions_again(tmp_path):
    """Only requests in flight at the kill (at most one per connection) may be sent twice."""
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
    assert results["model"]["extract"] == "short-v8"
    assert results["usage"]["store"] == [100 * count, 3 * count]
    samples = [json.loads(line) for line in (tmp_path / "out" / "samples.jsonl").read_text().splitlines()]
    assert len(samples) == count
    assert {sample["original"]["prediction"]["raw"] for sample in samples} == {"Yes, it is."}
