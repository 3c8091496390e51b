"""Measure what a gate costs a tool call: the CPU of the hook beside that of bare Python.

    python benchmarks/gates.py [--calls 40] [--rules 60]

Prints the median of user and system time in milliseconds of `python -c pass`, of the hook in a home
without rules, with rules of which none acts, and with one that acts.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path

from gieok.flow.gate_rules import GateRule, write_gate_rules
from gieok.text.gates.statement import read_action_rules

_WORDS = (
    "never run supabase db reset",
    "main에 바로 푸시하지 마",
    "ask me before you touch the billing folder",
    "배포하기 전에 꼭 물어봐",
    "never force-push",
    "Don't run migrations without asking me",
    "terraform destroy 금지",
    "Never edit .env",
    "Ask before installing new packages",
    "운영 DB에 직접 쿼리 날리지 마",
)


def _build_rules(count: int) -> list[GateRule]:
    said_on = date(2026, 11, 25)
    return [
        GateRule(
            handle=f"{number:08x}",
            scope="agent:main",
            said_at=float(number),
            day=said_on.isoformat(),
            origin="claude-code",
            source="",
            rule=rule,
        )
        for number in range(count)
        for rule in read_action_rules(_WORDS[number % len(_WORDS)], said_on)
    ]


def _measure_ms(
    command: Sequence[str], environment: Mapping[str, str], calls: int, given: str = ""
) -> float:
    spent = []
    for _ in range(calls + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command, env=environment, input=given.encode(), capture_output=True, check=True
        )
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(spent[1:]) * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=40)
    parser.add_argument("--rules", type=int, default=60)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        user, home = Path(folder) / "user", Path(folder) / "home"
        project = user / "shop"
        (project / ".git").mkdir(parents=True)
        home.mkdir()
        environment = {**os.environ, "HOME": str(user), "GIEOK_HOME": str(home)}
        # An installation has its bytecode; a checkout may be told to write none.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        program = str(Path(sys.executable).with_name("gieok"))  # as `gieok install` writes it
        hook = (program, "hook", "pre-tool", "--agent", "claude-code")
        payload = {"session_id": "s", "cwd": str(project), "tool_name": "Bash"}
        harmless = json.dumps({**payload, "tool_input": {"command": "git status && npm test"}})
        forbidden = json.dumps({**payload, "tool_input": {"command": "npx supabase db reset"}})
        bare = _measure_ms((sys.executable, "-c", "pass"), environment, chosen.calls)
        rows = [("bare Python", bare)]
        rows.append(("no rules", _measure_ms(hook, environment, chosen.calls, harmless)))
        write_gate_rules(str(home), _build_rules(chosen.rules))
        named = f"{chosen.rules} rules"
        rows.append((f"{named}, none acts", _measure_ms(hook, environment, chosen.calls, harmless)))
        rows.append((f"{named}, one acts", _measure_ms(hook, environment, chosen.calls, forbidden)))
    for name, spent_ms in rows:
        print(f"{name:<24} {spent_ms:6.1f} ms  {spent_ms - bare:+6.1f}")


if __name__ == "__main__":
    main()
