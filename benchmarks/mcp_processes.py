"""What `gieok mcp` weighs: five sessions of one person, with a daemon up, and how soon each
answers.

    python benchmarks/mcp_processes.py [--sessions 5] [--json]

A home of its own with some memories; each session is started, asked for its tools at once (as
agents do), searches, and stays. RSS counts pages that processes share in each of them; PSS splits
them; both are of /proc (Linux), in MB, after a search. CPU is of the process from its start until
the tools are listed, in seconds; wall time is from its start to the first answer.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

_TICK = os.sysconf("SC_CLK_TCK")
_FIRST = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18"},
}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}
_SEARCH = {"jsonrpc": "2.0", "id": 3, "method": "tools/call"}


def cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICK


def memory_mb(pid: int) -> dict[str, float]:
    rows = Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="utf-8").splitlines()
    found = {
        row.split(":")[0]: int(row.split()[1]) / 1000
        for row in rows
        if row.startswith(("Rss", "Pss:"))
    }
    return {"rss": round(found["Rss"], 1), "pss": round(found["Pss"], 1)}


class Session:
    """A `gieok mcp` that was asked for its tools before it was up."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        begun = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-m", "gieok", "mcp"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=folder,
            env=environment,
        )
        self.send(_FIRST)
        self.send(_LIST)
        self.receive()
        self.first_s = time.perf_counter() - begun
        self.tools = len(self.receive()["result"]["tools"])
        self.cpu_s = cpu_s(self.process.pid)

    def send(self, row: dict[str, object]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(row).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self) -> dict[str, dict[str, list[object]]]:
        assert self.process.stdout
        found: dict[str, dict[str, list[object]]] = json.loads(self.process.stdout.readline())
        return found

    def search(self) -> None:
        arguments = {"name": "memory_search", "arguments": {"query": "배포는 언제?"}}
        self.send({**_SEARCH, "params": arguments})
        assert "error" not in self.receive()

    def end(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait()


def measure(count: int, folder: Path) -> dict[str, object]:
    home = folder / "home"
    environment = os.environ | {
        "HOME": str(folder),
        "GIEOK_HOME": str(home),
        "GIEOK_OBSERVE_AGENTS": "none",
    }
    run = [sys.executable, "-P", "-m", "gieok"]
    for n in range(20):
        text = f"Deploys of service {n} go out on Tuesday mornings. 배포는 화요일 아침."
        subprocess.run(
            [*run, "remember", text], cwd=folder, env=environment, check=True, capture_output=True
        )
    subprocess.run([*run, "up"], cwd=folder, env=environment, check=True, capture_output=True)
    sessions = [Session(folder, environment) for _ in range(count)]
    try:
        for session in sessions:
            session.search()
        held = [memory_mb(session.process.pid) for session in sessions]
        return {
            "tools": min(session.tools for session in sessions),
            "rss_mb": [row["rss"] for row in held],
            "pss_mb": [row["pss"] for row in held],
            "cpu_s": [session.cpu_s for session in sessions],
            "first_answer_s": round(statistics.median(session.first_s for session in sessions), 3),
            "daemon_mb": memory_mb(
                json.loads((home / "daemon.json").read_text(encoding="utf-8"))["pid"]
            ),
        }
    finally:
        for session in sessions:
            session.end()
        subprocess.run(
            [*run, "down"], cwd=folder, env=environment, check=False, capture_output=True
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sessions", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        found = measure(given.sessions, Path(folder))
    if given.json:
        print(json.dumps(found))
    else:
        for name, value in found.items():
            print(f"{name:16} {value}")
    held, spent = found["rss_mb"], found["cpu_s"]
    assert isinstance(held, list)
    assert isinstance(spent, list)
    return 0 if max(held) < 60 and max(spent) <= 0.3 else 1


if __name__ == "__main__":
    sys.exit(main())
