"""How fast the sidecar is, and that it loses nothing while it is killed.

    python benchmarks/sidecar.py                        the table of spec/observe.md
    python benchmarks/sidecar.py idle --seconds 600     a daemon with nothing to do: CPU and memory
    python benchmarks/sidecar.py soak --lines N --files F --kills K
                                                        a writer, and a daemon that is killed

Each takes --json.
"""

import argparse
import json
import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import gieok
from gieok.flow.distil import MessageSpan
from gieok.flow.lifecycle import fill_vectors
from gieok.home.calls import open_call
from gieok.home.resident import Resident
from gieok.memory import active_memory, scope_memory
from gieok.memory.active_memory import Look
from gieok.memory.capture.capture import Capture
from gieok.memory.observation import (
    Category,
    Observation,
    Observed,
    Priority,
    build_observed_entries,
    dump_observed,
)
from gieok.memory.observer.buffer import READER, Buffer, Step
from gieok.model.conversation import BufferedSpan, Cursor, Message, Role
from gieok.model.memory import Scope
from gieok.testing.clock import ManualClock
from gieok.text.tokens import estimate_tokens

_SOURCE = str(Path(gieok.__file__).parents[1])
_SCOPE = Scope("agent:main")
_AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
_SENTENCES = (
    "결제 서버의 재시도 간격을 2초에서 4초로 바꾸기로 했다.",
    "We decided to keep PostgreSQL 17 because the jsonb index is enough.",
    "출시는 금요일 오전 10시이고, 점검 공지는 목요일에 나간다.",
    "The invoice parser fails on page 3 with UnicodeDecodeError.",
    "나는 짧은 답을 더 좋아해. 표는 쓰지 말아 줘.",
    "Please remind me to renew the certificate before Monday.",
)


def _text(number: int) -> str:
    return f"{_SENTENCES[number % len(_SENTENCES)]} #{number}"


def _timed(work: Callable[[], object], times: int = 5) -> float:
    """Return the median of several runs in milliseconds."""
    spent = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        spent.append((time.perf_counter() - began) * 1000)
    return median(spent)


def _cpu(work: Callable[[], object]) -> float:
    """Return what one run costs in seconds of CPU."""
    began = time.process_time()
    work()
    return time.process_time() - began


# The table


def table(home: Path, models: Path | None) -> dict[str, Any]:
    os.environ["GIEOK_HOME"] = str(home)
    if models:
        (home / "models").symlink_to(models.resolve())
    call = open_call({}, resident=Resident())
    rows: dict[str, Any] = {}
    rows |= _lines(call.home.journal, home)
    texts = [_text(n) * 3 for n in range(1000)]
    rows["count_1000_messages_ms"] = _timed(lambda: [estimate_tokens(text) for text in texts])
    rows |= _activation(call)
    rows |= _storing(call)
    rows |= _reading(call, home)
    return {name: round(value, 2) for name, value in rows.items()}


def _lines(journal: Any, home: Path) -> dict[str, float]:
    file, spent = home / "bench.jsonl", []
    capture = Capture(journal)
    for number in range(500):
        with file.open("a", encoding="utf-8") as out:
            out.write(
                json.dumps(
                    {"role": "user", "content": _text(number), "timestamp": 1795293951 + number}
                )
                + "\n"
            )
        began = time.perf_counter()
        capture.file(_SCOPE, file)
        spent.append((time.perf_counter() - began) * 1000)
    bulk = home / "bulk.jsonl"
    with bulk.open("w", encoding="utf-8") as out:
        for number in range(20_000):
            entry = {
                "type": "message",
                "id": f"{number:08x}",
                "parentId": "x",
                "timestamp": "2026-11-21T20:46:00Z",
            }
            content = [{"type": "text", "text": _text(number) * 20}]
            out.write(
                json.dumps(
                    entry | {"message": {"role": "user", "content": content}}, ensure_ascii=False
                )
                + "\n"
            )
    seconds = _cpu(lambda: capture.file(_SCOPE, bulk))
    parsing = _cpu(lambda: [json.loads(line) for line in bulk.open(encoding="utf-8")])
    return {
        "line_to_journal_p50_ms": median(spent),
        "line_to_journal_p95_ms": sorted(spent)[int(0.95 * len(spent))],
        "catch_up_mb_per_s": bulk.stat().st_size / 1e6 / seconds,
        "catch_up_floor_json_mb_per_s": bulk.stat().st_size / 1e6 / parsing,
        "catch_up_over_parsing": seconds / parsing,
        "catch_up_peak_rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def _observations(count: int, first: int = 0) -> list[Observation]:
    return [
        Observation(
            _text(n),
            _AT - timedelta(hours=n % 2000),
            Priority.HIGH,
            Category.DECISION,
            message_ids=(f"m{n}",),
        )
        for n in range(first, first + count)
    ]


class _Refusing:
    """`Observer` that is never to be asked."""

    def observe(self, span: MessageSpan) -> Observed:
        """Fail."""
        raise AssertionError(span)


def _activation(call: Any) -> dict[str, float]:
    spent = []
    for turn in range(5):
        scope, journal = Scope(f"bench:activation-{turn}"), call.home.journal
        messages = [
            Message(f"{turn}/{n}", Role.USER, _text(n), _AT, "s", "plain", 3000, "f", n)
            for n in range(10)
        ]
        journal.append(scope, messages, Cursor(f"{turn}", "f", 1), None)
        found = journal.read(scope, 0, budget_tokens=1 << 30)
        start = 0
        for number in range(4):
            end = found[2 * number + 1].seq
            body = dump_observed(Observed(tuple(_observations(20, 1000 * turn + 20 * number))))
            assert journal.buffer(scope, READER, BufferedSpan(start, end, 6000, body))
            start = end

        buffer = Buffer(journal, call.home.store, scope, ManualClock(), _Refusing())
        began = time.perf_counter()
        assert buffer.step() is Step.ACTIVATED
        spent.append((time.perf_counter() - began) * 1000)
    return {"activation_of_80_observations_ms": median(spent)}


def _storing(call: Any) -> dict[str, float]:
    store, embedder = call.home.store, call.home.open_embedder()
    store.put(build_observed_entries(_SCOPE, Observed(tuple(_observations(1))), _AT))
    fill_vectors(store, embedder)

    def keep(count: int, first: int) -> None:
        store.put(build_observed_entries(_SCOPE, Observed(tuple(_observations(count, first))), _AT))
        fill_vectors(store, embedder)

    numbers = iter(range(10_000, 10_000_000, 1000))
    return {
        "store_1_observation_ms": _timed(lambda: keep(1, next(numbers))),
        "store_100_observations_ms": _timed(lambda: keep(100, next(numbers)), 3),
    }


def _reading(call: Any, home: Path) -> dict[str, float]:
    from gieok.commands.memory.search import search_memory

    store, scope = call.home.store, Scope("bench:active-memory")
    store.put(
        build_observed_entries(
            scope, Observed(tuple(_observations(1000, 100_000)), task="launch"), _AT
        )
    )
    look = Look("en", 2500, "", UTC)
    numbers = iter(range(100))

    def write(known: dict[str, Any] | None) -> float:
        store.put(build_observed_entries(scope, Observed((), task=f"launch {next(numbers)}"), _AT))
        began = time.perf_counter()
        text = active_memory.render_active_memory(
            scope_memory.load_scope_memory(store, scope, known), look, _AT.date()
        )
        active_memory.write_active_file(home / "bench-active.md", text)
        return (time.perf_counter() - began) * 1000

    known: dict[str, Any] = {}
    write(known)
    return {
        "search_10_results_warm_ms": _timed(
            lambda: search_memory(call, query=["결제 재시도 간격"], limit=10), 7
        ),
        "write_active_memory_of_1000_ms": median(write(known) for _ in range(7)),
        "write_active_memory_all_read_ms": median(write(None) for _ in range(7)),
    }


# Idle


def idle(home: Path, seconds: int) -> dict[str, Any]:
    environment = _environment(home)
    folder = home / "t"
    folder.mkdir(parents=True)
    for number in range(50):
        (folder / f"{number}.jsonl").write_text(
            json.dumps({"role": "user", "content": _text(number)}) + "\n"
        )
    daemon = subprocess.Popen(
        [sys.executable, "-m", "gieok.daemon"], env=environment, stdout=subprocess.DEVNULL
    )
    try:
        time.sleep(10)
        before = _cpu_seconds(daemon.pid)
        time.sleep(seconds)
        spent = _cpu_seconds(daemon.pid) - before
        status = Path(f"/proc/{daemon.pid}/status").read_text()
        rss = (
            next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS"))
            / 1024
        )
    finally:
        daemon.terminate()
        began = time.monotonic()
        daemon.wait()
    return {
        "seconds": seconds,
        "cpu_percent": round(100 * spent / seconds, 3),
        "rss_mb": round(rss, 1),
        "stop_s": round(time.monotonic() - began, 2),
    }


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


# Soak


def _environment(home: Path) -> dict[str, str]:
    return os.environ | {
        "GIEOK_HOME": str(home / "gieok"),
        "GIEOK_OBSERVE_FOLDERS": str(home / "t"),
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_EMBEDDER": "none",
        "PYTHONPATH": _SOURCE,
    }


class Writer:
    """Appends numbered lines to transcripts in two formats, tears lines, and rotates files."""

    def __init__(self, folder: Path, files: int, dice: random.Random) -> None:
        self._dice = dice
        self._files = [folder / f"s{number}.jsonl" for number in range(files)]
        self._torn = [""] * files
        self._rotations = 0
        self.written = 0
        for number in range(0, files, 2):
            self._begin(number)

    def _begin(self, number: int) -> None:
        self._append(
            number, json.dumps({"type": "session", "version": 3, "id": f"s{number}"}) + "\n"
        )

    def _append(self, number: int, text: str) -> None:
        with self._files[number].open("a", encoding="utf-8") as out:
            out.write(text)

    def write(self, count: int) -> None:
        while count > 0:
            number, burst = (
                self._dice.randrange(len(self._files)),
                min(self._dice.randrange(1, 40), count),
            )
            text = self._torn[number] + "".join(self._line(number) for _ in range(burst))
            cut = self._dice.randrange(len(text)) if self._dice.random() < 0.3 else len(text)
            self._append(number, text[:cut])
            self._torn[number] = text[cut:]
            if self._dice.random() < 0.02 and not self._torn[number]:
                self._rotate(number)
            count -= burst

    def _line(self, number: int) -> str:
        self.written += 1
        text, at = _text(self.written), "2026-11-21T20:46:00Z"
        if number % 2:
            return (
                json.dumps({"role": "user", "content": text, "timestamp": at}, ensure_ascii=False)
                + "\n"
            )
        entry = {"type": "message", "id": f"{self.written:08x}", "parentId": "x", "timestamp": at}
        return (
            json.dumps(entry | {"message": {"role": "user", "content": text}}, ensure_ascii=False)
            + "\n"
        )

    def _rotate(self, number: int) -> None:
        self._rotations += 1
        file = self._files[number]
        file.rename(file.with_name(f"{file.name}.reset.2026-11-21T20-45-{self._rotations:05d}Z"))
        if number % 2 == 0:
            self._begin(number)

    def finish(self) -> None:
        for number, text in enumerate(self._torn):
            self._append(number, text)


def soak(home: Path, lines: int, files: int, kills: int, seed: int) -> dict[str, Any]:
    dice = random.Random(seed)
    (home / "t").mkdir(parents=True)
    environment = _environment(home) | {
        "GIEOK_OBSERVE_CHUNK_TOKENS": "600",
        "GIEOK_OBSERVE_RUN_TOKENS": "3000",
        "GIEOK_OBSERVE_HARD_STOP_TOKENS": "3600",
    }
    writer, began = Writer(home / "t", files, dice), time.monotonic()
    for kill in range(kills):
        daemon = subprocess.Popen(
            [sys.executable, "-m", "gieok.daemon"], env=environment, stdout=subprocess.DEVNULL
        )
        target, deadline = (
            lines * (kill + 1) // (kills + 1),
            time.monotonic() + dice.uniform(0.2, 2.5),
        )
        while time.monotonic() < deadline:
            writer.write(min(dice.randrange(1, 200), target - writer.written))
            time.sleep(dice.uniform(0, 0.05))
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()
    writer.write(lines - writer.written)
    writer.finish()
    once = [sys.executable, "-m", "gieok", "observe", "run", "--once", "--json"]
    said = json.loads(subprocess.run(once, env=environment, check=True, capture_output=True).stdout)
    return {
        "written": writer.written,
        **_verdict(home / "gieok", said),
        "seconds": round(time.monotonic() - began, 1),
    }


def _verdict(home: Path, said: dict[str, Any]) -> dict[str, Any]:
    """Count what is in the journal, and how often the runs of the observer cover each message."""
    db = sqlite3.connect(home / "journal.sqlite")
    held = db.execute("SELECT seq, text FROM messages WHERE retracted = 0 ORDER BY seq").fetchall()
    runs = db.execute("SELECT start, \"end\" FROM runs WHERE reader = 'observe'").fetchall()
    numbers = Counter(int(text.rpartition("#")[2]) for _, text in held)
    edges = Counter(start for start, _ in runs)
    edges.subtract(end for _, end in runs)
    covered = overlap = depth = 0
    points = sorted(edges)
    seqs, position = [seq for seq, _ in held], 0
    for point, following in zip(points, [*points[1:], 1 << 62], strict=True):
        depth += edges[point]
        while position < len(seqs) and seqs[position] <= point:
            position += 1
        inside = 0
        while position < len(seqs) and seqs[position] <= following:
            position += 1
            inside += 1
        covered += inside if depth else 0
        overlap += inside * max(depth - 1, 0)
    stranded = db.execute("SELECT count(*) FROM chunks").fetchone()[0]
    undelivered = db.execute("SELECT count(*) FROM outbox").fetchone()[0]
    store = sqlite3.connect(home / "memory.sqlite")
    documents = store.execute(
        "SELECT count(*) FROM documents WHERE kind = 'observation'"
    ).fetchone()[0]
    db.close()
    store.close()
    return {
        "journalled": len(held),
        "observed": covered,
        "lost": max(numbers, default=0) - len(numbers),
        "duplicated": sum(numbers.values()) - len(numbers) + overlap,
        "stranded_chunks": stranded,
        "undelivered": undelivered,
        "rejects": said["rejects"],
        "runs": len(runs),
        "observations": documents,
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", nargs="?", default="table", choices=("table", "idle", "soak"))
    parser.add_argument("--lines", type=int, default=5_000)
    parser.add_argument("--files", type=int, default=10)
    parser.add_argument("--kills", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--models", type=Path, help="converted models, which else are made first")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        match options.what:
            case "soak":
                found = soak(home, options.lines, options.files, options.kills, options.seed)
            case "idle":
                found = idle(home, options.seconds)
            case _:
                found = table(home, options.models)
    if options.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:34} {value:>12,}")
    sound = options.what != "soak" or (
        found["written"] == found["journalled"] == found["observed"]
        and not found["lost"]
        + found["duplicated"]
        + found["stranded_chunks"]
        + found["undelivered"]
    )
    return 0 if sound else 1


if __name__ == "__main__":
    sys.exit(main())
