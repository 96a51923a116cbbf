"""How long a plain page of the collection service takes on one connection that stays open.

    python benchmarks/bench_collect_pages.py

Goal: half of the responses within 3 ms. Without TCP_NODELAY each took 44 ms.
"""

import sys
import tempfile
import time
from pathlib import Path

import httpx

sys.path[:0] = [str(Path(__file__).parents[1] / "tests" / "collect" / part) for part in ("", "web")]

from browser_site import Site  # noqa: E402
from web_study import WebStudy  # noqa: E402

GOAL = 3.0
REQUESTS = 300


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        site = Site(WebStudy.make(Path(name) / "study"))
        try:
            with httpx.Client(base_url=site.base) as client:
                times = sorted(map(milliseconds, [client] * REQUESTS))
        finally:
            site.close()
    middle = times[len(times) // 2]
    print(f"p50 {middle:.2f} ms, p95 {times[int(0.95 * len(times))]:.2f} ms over {REQUESTS} requests")
    print("goal met" if middle <= GOAL else f"goal missed: {GOAL} ms")


def milliseconds(client: httpx.Client) -> float:
    start = time.perf_counter()
    assert client.get("/healthz").status_code == 200
    return (time.perf_counter() - start) * 1000


if __name__ == "__main__":
    main()
