"""How soon a report can be used: its elements when it is opened, the seconds that takes, and its printed pages.

    python benchmarks/bench_report_page.py [demo/report.html]

Without a report, it makes the demo first. Needs Chromium and playwright. Seconds of processor are those of the page's
main thread; the others are on its clock.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, sync_playwright

GOALS = {"elements": 5000, "processor": 1.0, "interactive": 1.0, "pages": 8}


def measure(browser: Browser, report: Path, width: int) -> dict[str, Any]:
    """Open the report once at this width."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    page.goto(report.resolve().as_uri())
    spent = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    found = {
        "elements": page.evaluate("document.querySelectorAll('*').length"),
        "processor": spent["TaskDuration"],
        "interactive": page.evaluate("performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd / 1000"),
        "pages": len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4"))),
    }
    page.close()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path, nargs="?")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch, sync_playwright() as driver:
        if options.report is None:
            options.report = Path(scratch, "demo", "report.html")
            made = [sys.executable, "-m", "askew", "demo", "--quiet", "--output", str(options.report.parent)]
            subprocess.run(made, check=True, stdout=subprocess.DEVNULL)
        browser = driver.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for width in (1400, 390):
            found = measure(browser, options.report, width)
            told = ", ".join(f"{name} {value:,.2f}".removesuffix(".00") for name, value in found.items())
            missed = [name for name, goal in GOALS.items() if found[name] > goal]
            print(f"{width} px: {told}" + (f"; goals missed: {', '.join(missed)}" if missed else ""))
        browser.close()


if __name__ == "__main__":
    main()
