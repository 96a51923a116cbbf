"""Endpoints of other kinds: several servers, only streams, headers and parameters of their own, limits of images."""

from __future__ import annotations

import base64
import io
import json
import pickle
from contextlib import nullcontext

import pytest
from fault_server import Act, FaultServer, completion, cut, http, ok, said, status
from PIL import Image

import askew
from askew.errors import BadOption, ModelError
from askew.models.endpoint.openai import OpenAI
from askew.types import ImageRef, Question

pytestmark = pytest.mark.usefixtures("no_key")

SECRET = "azure-0123456789abcdefghij"
ONE = [Question(1, None, "Is it wet?")]
MANY = [Question(number, None, f"Is there a cat {number}?") for number in range(60)]


def model(*servers, **options):
    address = ",".join(server.url for server in servers)
    return OpenAI("any", base_url=address, **{"backoff": 0.001, "prompt": "{question}", **options})


def test_several_servers_share_the_work():
    with FaultServer(lambda request: ok(delay=0.02)) as one, FaultServer(lambda request: ok(delay=0.02)) as other:
        both = model(one, other, concurrency=4)
        assert [said.answer for said in both.answer(MANY)] == ["yes"] * 60
        assert repr(both) == repr(model(one, concurrency=4)), "one more server does not make another model"
    assert min(len(one.requests), len(other.requests)) >= 20
    assert len(one.requests) + len(other.requests) == 60


def test_servers_that_name_different_models_are_pointed_out():
    def named(name):
        return FaultServer(lambda request: said({**completion(), "model": name}, delay=0.01))

    for names, remarks in ((("qwen", "qwen"), 0), (("qwen", "lla\x1bva"), 1)):
        with named(names[0]) as one, named(names[1]) as other:
            found = model(one, other, concurrency=2).answer(MANY)
        shown = {prediction.remark for prediction in found} - {""}
        assert len(shown) == remarks
        assert all("'qwen'" in remark and r"'lla\x1bva'" in remark for remark in shown)


FAILING = {"refuses": status(401), "fails": status(500), "cuts": cut(), "speaks something else": Act(b"SSH-2.0-x\r\n")}


@pytest.mark.parametrize("act", FAILING.values(), ids=FAILING)
def test_one_failing_server_loses_no_answer(act, capfd):
    with FaultServer(lambda request: ok(delay=0.01)) as good, FaultServer(lambda request: act) as bad:
        said = model(bad, good, concurrency=2, give_up=5).answer(MANY)
        assert [prediction.answer for prediction in said] == ["yes"] * 60
    (remark,) = {prediction.remark for prediction in said} - {""}
    assert remark.startswith(f"{bad.url}/chat/completions is asked no more, and the other servers take its questions")
    assert len(bad.requests) <= 8


def test_a_server_that_is_down_is_left_out_and_the_last_one_stops_the_run():
    with FaultServer(lambda request: ok()) as gone:
        pass
    with FaultServer(lambda request: ok()) as good:
        assert {said.answer for said in model(gone, good).answer(MANY)} == {"yes"}
    refusing = FaultServer(lambda request: status(401)), FaultServer(lambda request: status(404))
    with refusing[0] as one, refusing[1] as other, pytest.raises(ModelError, match=r"http 40[14]"):
        model(one, other).answer(MANY)


def streaming_only(request, refuse_options=False):
    if not request.body.get("stream"):
        return status(400, "Stream must be set to true")
    if refuse_options and "stream_options" in request.body:
        return status(400, "Unknown field: stream_options")
    parts = [{"choices": [{"delta": {"content": word}}]} for word in ("y", "es")]
    parts.append({"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 2}})
    lines = [b"data: " + json.dumps(part).encode() for part in parts]
    return Act(http(200, b"\n\n".join([*lines, b"data: [DONE]", b""])))


def test_a_server_that_only_streams_is_asked_so():
    with FaultServer(streaming_only) as server:
        said = model(server, concurrency=1).answer(MANY[:5])
        assert [(one.answer, one.tokens) for one in said] == [("yes", (7, 2))] * 5
    assert len(server.requests) == 6  # the first one twice
    assert server.requests[1].body["stream_options"] == {"include_usage": True}
    with FaultServer(lambda request: streaming_only(request, refuse_options=True)) as server:
        assert {one.answer for one in model(server, concurrency=1).answer(MANY[:5])} == {"yes"}
    assert len(server.requests) == 7
    events = [{"choices": [{"delta": {"content": [{"type": "text", "text": word}]}}]} for word in ("y", "es")]
    lines = [*(b"data: " + json.dumps(event).encode() for event in events), b"data: [DONE]", b""]
    with FaultServer(lambda request: Act(http(200, b"\n\n".join(lines)))) as server:
        assert model(server).answer(ONE)[0].answer == "yes", "the parts of a message add up too"


def test_a_server_that_wants_a_stream_whatever_is_sent_is_not_asked_for_ever():
    with FaultServer(lambda request: status(400, "stream is required")) as server:
        (said,) = model(server).answer(ONE)
    assert said.error == "http 400: stream is required"
    assert len(server.requests) == 2


def test_headers_and_parameters_are_sent_and_their_secrets_never_shown(tmp_path, monkeypatch, capfd):
    monkeypatch.setenv("AZURE_KEY", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-another-service-0123456789")
    options = {
        "headers": '{"api-key": "$AZURE_KEY"}',
        "query": '{"api-version": "2024-10-21", "key": "literal/sesame-0123456"}',
    }
    lines, asked = [], [Question(number, None, f"Is it wet {number}?", ("yes",)) for number in range(3)]

    def behave(request):
        lines.append(request.headers)
        return ok(f"It is {SECRET} literal/sesame-0123456.")

    with FaultServer(behave) as server:
        azure = model(server, **options)
        result = askew.evaluate(azure, asked, "accuracy", output=tmp_path / "run", max_failures=1.0)
    assert lines[0]["api-key"] == SECRET
    assert "authorization" not in lines[0], "the key of another service stays here"
    assert server.paths == {"/v1/chat/completions?api-version=2024-10-21&key=literal%2Fsesame-0123456"}
    assert "$AZURE_KEY" in repr(azure)
    assert "2024-10-21" in repr(azure)
    files = [path for path in (tmp_path / "run").rglob("*") if path.is_file()]
    shown = repr(azure) + str(result) + "".join(capfd.readouterr()) + azure.preview(ONE[0])
    shown += "".join(path.read_bytes().decode("utf-8", "replace") for path in files)
    assert SECRET not in shown
    assert "sesame" not in shown
    assert SECRET.encode() not in pickle.dumps(azure)


def test_a_variable_that_is_not_set_is_named_before_anything_is_sent(tmp_path, monkeypatch):
    headers = '{"Authorization": "Token ${GATEWAY}"}'
    with FaultServer(lambda request: ok()) as server:
        with pytest.raises(ModelError, match=r"\$GATEWAY, which is not set in the environment or \.env"):
            model(server, headers=headers).answer(ONE)
        assert not server.requests
        (tmp_path / ".env").write_text(f"GATEWAY={SECRET}\n")
        model(server, headers=headers).answer(ONE)
        assert server.requests[0].headers["authorization"] == f"Token {SECRET}"
        monkeypatch.setenv("OTHER", SECRET)
        (tmp_path / ".env").write_text(f"OPENAI_BASE_URL={server.url}\n")
        with pytest.raises(ModelError, match=r"not set in the file \.env, where the address is from"):
            OpenAI("any", headers='{"api-key": "$OTHER"}').answer(ONE)


def side(request):
    content = request.body["messages"][-1]["content"]
    url = next(part["image_url"]["url"] for part in content if part["type"] == "image_url")
    return max(Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).size)


def photograph(width, height):
    out = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(out, "PNG")
    return ImageRef(1, data=out.getvalue())


@pytest.mark.parametrize("code", [400, 413])
def test_an_image_that_is_too_large_for_the_server_is_sent_once_more_at_half_its_size(code):
    words = "At least one of the image dimensions exceed max allowed size: 300 pixels"
    with FaultServer(lambda request: ok() if side(request) <= 300 else status(code, words)) as server:
        (said,) = model(server).answer([Question(1, photograph(600, 200), "Is it red?")])
        assert said.answer == "yes"
        assert "refused an image with a side of 600 pixels" in said.remark
        assert "max_side=300" in said.remark
        (said,) = model(server).answer([Question(1, photograph(900, 200), "Is it red?")])
    assert said.error.startswith(f"http {code}: At least one")
    assert said.error.endswith("Sent again with sides of at most 450 pixels; max_side=... sends smaller images")
    assert len(server.requests) == 4


@pytest.mark.parametrize("code", [400, 401, 403, 404, 405, 410, 415, 422, 501, 505])
def test_permanent_errors_are_not_repeated(code):
    with FaultServer(lambda request: status(code)) as server:
        stops = pytest.raises(ModelError, match=str(code)) if code not in (400, 415, 422) else nullcontext()
        with stops:
            assert model(server).answer(ONE)[0].failed
    assert len(server.requests) == 1


def test_a_service_asks_one_host():
    with pytest.raises(BadOption, match="several hosts"):
        OpenAI("any", base_url="http://a/v1,http://b/v1").connecting(None)
