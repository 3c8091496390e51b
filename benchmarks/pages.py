"""Time of each page of the site over a home of many notes and sessions, without a daemon.

    python benchmarks/pages.py [--notes 10000] [--days 365] [--times 10] [--home DIR] [--json]

The home is made of random words, two agents' sessions for each day, and records, half of which were
corrected; with --home it is kept there and used again. Each page is asked for as a browser asks, in
this process. Printed are the median and the 95th percentile in milliseconds, and the median of CPU
milliseconds: other work on the machine makes the first two longer.
"""

import argparse
import json
import os
import random
import re
import tempfile
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from starlette.applications import Starlette
from starlette.testclient import TestClient

from gieok.home.resident import Resident
from gieok.processes.gate import Gate
from gieok.surfaces.python import Memory
from gieok.surfaces.web.routes import routes
from gieok.surfaces.web.site import MemorySite

_WORDS = (
    "payment invoice staging deploy queue tomato bicycle lease landlord port database retry refund "
    "cart price tax branch review otter ferry lamp tower tea letter parcel meeting garden 배포 정산 "
    "회의 여행 독서 운동 환불 결제 보람 태오"
).split()
#: Name of a page → its address.
_PAGES = {
    "home": "/",
    "search": "/?q=staging+database+port",
    "search_nothing": "/?q=xylophone",
    "search_korean": "/?q=%ED%99%98%EB%B6%88%EC%9D%80",
    "memories": "/memories",
    "memories_notes": "/memories?kind=note",
    "memories_words": "/memories?kind=all&words=ferry",
    "timeline": "/timeline",
    "injection": "/injection?prompt=how+often+are+payments+retried",
    "characters": "/characters",
    "code": "/code",
    "status": "/status",
    "first": "/first",
    "trust": "/trust",
}


def main() -> None:
    """Make a home, ask for each page several times, and print the times."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--notes", type=int, default=10_000)
    parser.add_argument("--days", type=int, default=365)
    parser.add_argument("--times", type=int, default=10)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        user = given.home or Path(scratch)
        _use_home(user)
        if not (user / "notes").exists():
            _fill_home(user, given.notes, given.days)
        times = _measure_pages(given.times)
    print(json.dumps(times) if given.json else _render_times(times))


def _use_home(user: Path) -> None:
    (user / "work").mkdir(parents=True, exist_ok=True)
    os.environ |= {
        "HOME": str(user),
        "GIEOK_HOME": str(user / ".gieok"),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": str(user / "talk"),
    }
    os.chdir(user / "work")


def _fill_home(user: Path, notes: int, days: int) -> None:
    chosen, now = random.Random(1), datetime.now(UTC)

    def write_sentence() -> str:
        return " ".join(chosen.choices(_WORDS, k=chosen.randint(6, 16))).capitalize() + "."

    for number in range(notes):
        day = (now - timedelta(days=chosen.randint(0, days))).date()
        folder = user / "notes" / f"{day:%Y-%m}"
        folder.mkdir(parents=True, exist_ok=True)
        text = "\n\n".join(write_sentence() for _ in range(chosen.randint(1, 4)))
        (folder / f"{day} {number}.md").write_text(f"# {chosen.choice(_WORDS)}\n\n{text}\n")
    (user / "talk").mkdir()
    for back in range(days):
        for agent in range(2):
            at = now - timedelta(days=back, hours=agent + 1)
            rows = [
                {"role": role, "text": text, "timestamp": (at + timedelta(minutes=n)).isoformat()}
                for n in range(3)
                for role, text in (
                    ("user", f"We decided: {write_sentence()}"),
                    ("assistant", write_sentence()),
                )
            ]
            lines = "".join(json.dumps(row) + "\n" for row in rows)
            (user / "talk" / f"{back}-{agent}.jsonl").write_text(lines)
    memory = Memory()
    memory.run("index", paths=[str(user / "notes")])
    memory.run("observe run", once=True)
    for number in range(20):
        words = write_sentence()
        memory.run("remember", text=[words])
        if number % 2:
            (row,) = memory.run("list", words=[words], kind="record", limit=1).memories
            memory.run("edit", handle=row.handle, text=[write_sentence()])


def _measure_pages(times: int) -> dict[str, Any]:
    """Return the milliseconds of each page by its address, and of all requests together."""
    gate, shared = Gate(Path(os.environ["GIEOK_HOME"]), time.time), Resident()
    site = MemorySite(lambda scope: Memory(scope=scope, resident=shared), gate)
    pages = dict[str, dict[str, float]]()
    with TestClient(Starlette(routes=routes(site)), base_url="http://localhost") as browser:
        browser.get(f"/open?code={gate.link_code()}", follow_redirects=False)
        every = list[float]()
        found = {f"found_{name}": address for name, address in _list_found_pages(browser)}
        for name, address in {**_PAGES, **found}.items():
            cpu_ms, wall_ms = list[float](), list[float]()
            browser.get(address)
            for _ in range(times):
                began = time.process_time(), time.perf_counter()
                assert browser.get(address).status_code == 200, address
                cpu_ms.append((time.process_time() - began[0]) * 1000)
                wall_ms.append((time.perf_counter() - began[1]) * 1000)
            every += wall_ms
            pages[name] = {**_summarise(wall_ms), "cpu_ms": round(median(cpu_ms), 1)}
    slowest = max(pages.values(), key=lambda page: page["p95_ms"])
    return {"pages": pages, "count": len(pages), "all": _summarise(every), "slowest": slowest}


def _summarise(wall_ms: list[float]) -> dict[str, float]:
    return {"p50_ms": round(median(wall_ms), 1), "p95_ms": round(_find_p95(wall_ms), 1)}


def _render_times(times: Mapping[str, Any]) -> str:
    rows = [
        f"{name:24}p50 {page['p50_ms']:5.0f}  p95 {page['p95_ms']:5.0f}  CPU {page['cpu_ms']:5.0f}"
        for name, page in times["pages"].items()
    ]
    every = times["all"]
    return "\n".join((*rows, f"{'all':24}p50 {every['p50_ms']:5.0f}  p95 {every['p95_ms']:5.0f}"))


def _find_p95(values: list[float]) -> float:
    return quantiles(values, n=20, method="inclusive")[-1]


def _list_found_pages(browser: TestClient) -> Iterator[tuple[str, str]]:
    """Yield a memory, a note, a day, a session and the earlier days of the timeline."""
    for name, page, link in (
        ("memory", "/memories", r'href="(/m/\w+)"'),
        ("note", "/memories?kind=note", r'href="(/m/\w+)"'),
        ("day", "/timeline", r'<h2><a href="(/timeline\?day=[\d-]+)'),
        ("session", "/timeline", r'href="(/timeline/session[^"]+)"'),
        ("earlier_days", "/timeline", r'rel="prev" href="([^"]+)"'),
    ):
        if (found := re.search(link, browser.get(page).text)) is not None:
            yield name, found[1].replace("&amp;", "&")


if __name__ == "__main__":
    main()
