"""What tests share."""

from __future__ import annotations

import os
import shutil
import signal
from pathlib import Path

import pytest

os.environ.setdefault("OMP_NUM_THREADS", "1")  # two workers on two cores: more threads would slow them down
if (
    signal.getsignal(signal.SIGINT) is signal.SIG_IGN
):  # a shell's background job; the commands that tests start inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def world_cache(tmp_path_factory):
    """A cache folder of the tests' own; pytest-xdist's workers share it."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "askew-cache"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(autouse=True)
def _cache(world_cache, monkeypatch):
    monkeypatch.setenv("ASKEW_CACHE", str(world_cache))


@pytest.fixture(scope="session")
def real_data():
    """Finds a file or folder of real data in the folder ASKEW_TEST_DATA, or else beside the checkout.

    The data may not be redistributed: without it, the test is skipped.
    """
    folder = Path(os.environ.get("ASKEW_TEST_DATA") or Path(__file__).parents[2] / "shared" / "data")

    def find(name):
        if not (folder / name).exists():
            pytest.skip(f"no {name} in {folder}: set ASKEW_TEST_DATA to the folder of the real data")
        return folder / name

    return find


@pytest.fixture
def no_key(monkeypatch, tmp_path):
    """An environment without endpoint settings, in an empty folder."""
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def offline(monkeypatch):
    """No hub can be reached."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


@pytest.fixture(scope="module")
def browser():
    """Headless Chromium; its loop must end before another module runs one of its own."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    chromium = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if chromium is None:
        pytest.skip("no Chromium is installed to open pages with")
    with playwright.sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()
