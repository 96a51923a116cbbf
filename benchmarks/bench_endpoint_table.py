"""The table of endpoints: servers that behave in their own ways, what a run makes of them, and how long it takes.

    python benchmarks/bench_endpoint_table.py [--page]

Each server answers (or fails) 200 questions over real sockets on this machine, through the options that a user would
give. With ``--page`` the table replaces the one in docs/measurements.md. Rates of requests: ``bench_endpoint.py``.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
import time
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "models"))

from family_table import replace_table
from fault_server import Act, FaultServer, completion, cut, http, ok, raw, status

from askew.errors import ModelError
from askew.models.endpoint.openai import OpenAI
from askew.types import Question

COUNT = 200
PAGE = Path(__file__).parents[1] / "docs" / "measurements.md"
BODY = json.dumps(completion("yes")).encode()
EVENTS = b'data: {"choices": [{"delta": {"content": "yes"}, "finish_reason": "stop"}]}\n\ndata: [DONE]\n\n'
CHANCE = Random(0)


def flaky(request):
    return status(500) if CHANCE.random() < 0.02 else ok(delay=0.01)


SERVERS = {
    "answers after 10 ms": lambda request: ok(delay=0.01),
    "compresses unasked (gzip)": lambda request: Act(http(200, gzip.compress(BODY), {"Content-Encoding": "gzip"})),
    "streams unasked": lambda request: Act(http(200, EVENTS)),
    "only streams": lambda request: (
        Act(http(200, EVENTS)) if request.body.get("stream") else status(400, "stream only")
    ),
    "fails 2 % by chance": flaky,
    "cuts every first connection of a question": lambda request: cut() if request.nth == 1 else ok(),
    "speaks only HTTP/2": lambda request: Act(bytes([0, 0, 18, 4, 0, 0, 0, 0, 0]) + bytes(18), then="cut"),
    "is a web page": lambda request: raw(b"<html>Welcome!</html>"),
    "refuses the key (401)": lambda request: status(401),
    "has no such model (404)": lambda request: status(404),
    "does not offer chats (501)": lambda request: status(501),
}


def row(name: str, *behaviours) -> str:
    questions = [Question(number, None, f"Is there a cat {number}?") for number in range(COUNT)]
    servers = [FaultServer(behave) for behave in behaviours]
    for server in servers:
        server.__enter__()
    model = OpenAI("any", base_url=",".join(server.url for server in servers), backoff=0.05)
    answers, end, start = 0, "all answered", time.perf_counter()
    try:
        for prediction in model.stream(questions):
            answers += not prediction.failed
    except ModelError as stopped:
        end = "stopped: " + str(stopped).partition("completions: ")[2].partition(". ")[0][:70]
    seconds = time.perf_counter() - start
    for server in servers:
        server.__exit__()
    requests = sum(len(server.requests) for server in servers)
    return f"| {name} | {answers} | {requests} | {seconds:.1f} | {end} |"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    rows = ["| the server | answers | requests | seconds | end |", "| --- | ---: | ---: | ---: | --- |"]
    rows += [row(name, behave) for name, behave in SERVERS.items()]
    good = SERVERS["answers after 10 ms"]
    rows.append(row("two servers", good, good))
    rows.append(row("two servers, of which one always fails", good, lambda request: status(500)))
    print("\n".join(rows))
    if options.page:
        replace_table(PAGE, "endpoints, measured", "\n".join(rows) + "\n")


if __name__ == "__main__":
    main()
