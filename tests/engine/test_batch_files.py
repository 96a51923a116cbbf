"""Batch files: requests out, results in, and a run that asks nothing."""

from __future__ import annotations

import base64
import io
import json

import pytest
from PIL import Image

from askew.cli import main

MODEL = "openai:m,base_url=http://127.0.0.1:9/v1"


@pytest.fixture
def study(tmp_path, monkeypatch):
    """Four questions about two images, and the options that name them."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    (tmp_path / "images").mkdir()
    for name, color in (("a b.png", "red"), ("c.png", "blue")):
        Image.new("RGB", (8, 8), color).save(tmp_path / "images" / name)
    lines = [
        {"id": number, "image": image, "question": f"What color is thing {number}?", "answers": ["red"] * 10}
        for number, image in enumerate(("a b.png", "a b.png", "c.png", "c.png"))
    ]
    (tmp_path / "mine.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return ["--model", MODEL, "--data", "mine.jsonl", "--images", "images", "--suite", "accuracy", "--quiet"]


def requests(folder, *names):
    return [json.loads(line) for name in names for line in (folder / name).read_text().splitlines()]


def result(request, answer="red", **changes):
    body = {"choices": [{"message": {"content": answer}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 9}}
    response = {"status_code": 200, "request_id": "r", "body": body}
    return {"id": "x", "custom_id": request["custom_id"], "response": response, "error": None, **changes}


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))


def test_requests_are_those_of_a_run_split_by_lines_and_bytes(study, tmp_path, capsys):
    assert main(["batch", "write", *study, "--output", "jobs", "--max-requests", "3"]) == 0
    assert "0001.jsonl: 3 requests" in (said := capsys.readouterr().out)
    assert "0002.jsonl: 1 request," in said
    found = requests(tmp_path / "jobs", "0001.jsonl", "0002.jsonl")
    assert {(one["method"], one["url"]) for one in found} == {("POST", "/v1/chat/completions")}
    assert len({one["custom_id"] for one in found}) == 4
    assert all(len(one["custom_id"]) == 64 for one in found)
    image, text = found[0]["body"]["messages"][-1]["content"]
    assert text["text"].startswith("What color is thing 0?")
    assert found[0]["body"]["model"] == "m"
    head, _, data = image["image_url"]["url"].partition(",")
    assert head == "data:image/png;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).getpixel((0, 0)) == (255, 0, 0)
    size = (tmp_path / "jobs" / "0001.jsonl").stat().st_size
    assert main(["batch", "write", *study, "--output", "bytes", "--max-megabytes", str(0.7 * size / 1e6)]) == 0
    assert [len(requests(tmp_path / "bytes", f"000{n}.jsonl")) for n in (1, 2)] == [2, 2]
    assert main(["batch", "write", *study, "--output", "small", "--max-megabytes", "0.0001"]) == 2
    assert "max_side=N" in capsys.readouterr().err


def test_images_can_be_named_by_an_address(study, tmp_path):
    assert main(["batch", "write", *study, "--output", "jobs", "--image-url", "https://example.org/im/"]) == 0
    named = {
        one["body"]["messages"][-1]["content"][0]["image_url"]["url"]
        for one in requests(tmp_path / "jobs", "0001.jsonl")
    }
    assert named == {"https://example.org/im/a%20b.png", "https://example.org/im/c.png"}


def test_partial_repeated_results_in_any_order_are_imported_and_the_run_asks_nothing(study, tmp_path, capsys):
    jobs = tmp_path / "jobs"
    main(["batch", "write", *study, "--output", "jobs"])
    first, second, third, fourth = requests(jobs, "0001.jsonl")
    expired = {"code": "batch_expired", "message": "not in 24 hours"}
    write(jobs / "out.jsonl", [result(third), result(first, "Red."), result({"custom_id": "0" * 64})])
    with (jobs / "out.jsonl").open("a") as file:
        file.write('{"custom_id": "')  # a partial download
    write(jobs / "errors.jsonl", [result(second, response=None, error=expired)])
    assert main(["batch", "read", "jobs", "--quiet"]) == 3
    said = capsys.readouterr().out
    for part in (
        "in 5 lines of 2 files: 2;",
        "Failed: 1 request.",
        "batch_expired: not",
        "Without an answer: 2 requests",
    ):
        assert part in said
    assert "Of no request of this folder: 1 line," in said
    assert "out.jsonl line 4" in said

    assert main(["batch", "write", *study, "--output", "jobs"]) == 0  # what is left
    assert "2 questions are answered already" in capsys.readouterr().out
    assert {one["custom_id"] for one in requests(jobs, "0001.jsonl")} == {second["custom_id"], fourth["custom_id"]}
    (jobs / "errors.jsonl").unlink()
    plain = result(fourth)["response"]["body"]
    late = [result(first, "blue"), result(third), result(second), result(fourth, response=plain)]
    write(tmp_path / "late.jsonl", late)
    assert main(["batch", "read", "jobs", "late.jsonl", "--quiet"]) == 0
    said = capsys.readouterr().out
    assert ": 2;" in said
    assert "Answered again: 2 requests, 1 of them with another answer" in said

    assert main(["run", *study, "--store", "jobs/answers.sqlite", "--output", "run"]) == 0
    found = json.loads((tmp_path / "run" / "results.json").read_text())
    assert found["time"]["asked"] == 0
    assert found["failures"]["count"] == 0
    assert found["scores"][0]["value"] == 1.0
    assert found["usage"]["store"][0] == 36


def test_failures_keep_their_reason_and_are_requested_again(study, tmp_path, capsys):
    jobs = tmp_path / "jobs"
    main(["batch", "write", *study, "--output", "jobs"])
    asked = requests(jobs, "0001.jsonl")
    cut = {"choices": [{"message": {"content": ""}, "finish_reason": "length"}]}
    overloaded = {"status_code": 429, "body": {"error": {"message": "slow down"}}}
    faults = [
        result(asked[0], response={"status_code": 200, "body": cut}),
        result(asked[1], response=overloaded),
        result(asked[2], response={"status_code": 200, "body": {"choices": []}}),
        result(asked[3], response=None),
    ]
    write(jobs / "out.jsonl", faults)
    capsys.readouterr()
    assert main(["batch", "read", "jobs", "--quiet"]) == 3
    said = capsys.readouterr().out
    for part in ("still thinking", "slow down", "no choices", "neither a response nor an error", ": 0;"):
        assert part in said
    write(jobs / "out.jsonl", [result(one) for one in asked])
    assert main(["batch", "read", "jobs", "--quiet"]) == 0


def test_wrong_files_folders_and_models_are_refused_with_a_remedy(study, tmp_path, capsys):
    def error(*words):
        assert main(["batch", *words]) == 2
        return capsys.readouterr().err

    constant = [*study[2:], "--model", "constant:yes", "--output", "other"]
    assert "askew run" in error("write", *constant)
    assert "askew batch write wrote" in error("read", "images")
    main(["batch", "write", *study, "--output", "jobs"])
    assert "no results in it yet" in error("read", "jobs")
    assert "these are requests" in error("read", "jobs", "jobs/0001.jsonl")
    assert "--overwrite" in error("write", *study, "--output", "images")
    secret = MODEL + ',extra={"api_key": "sk-0123456789abcdef"}'
    assert "secret" in error("write", "--model", secret, *study[2:], "--output", "hidden")
    main(["batch", "write", *study, "--output", "shared", "--store", "all.sqlite"])
    assert "--store all.sqlite" in error("read", "shared", "jobs/0001.jsonl")
    (tmp_path / "jobs" / "plan.json").write_text("{}")
    assert "askew batch write" in error("read", "jobs")
    (tmp_path / "images" / "c.png").unlink()
    assert "--images" in error("write", *study, "--output", "missing")
