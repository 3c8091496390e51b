"""Measure what a gate costs a tool call: the CPU of the hook beside that of bare Python.

    python benchmarks/gates.py [--calls 40] [--rules 60]

Prints the median of user and system time in milliseconds of `python -c pass`, of the hook in a home
without rules, with rules of which none acts, with one that asks (in English, and in Korean), with
one that stops because the agent cannot ask, and with one that reminds: in a new session each time,
where it is said, in a session in which it was said, and with reminders off. What answers in the
place of the daemon is not counted.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import date
from pathlib import Path

from gieok import __version__
from gieok.daemon.server import Server
from gieok.flow.gate_rules import GateRule, write_gate_rules
from gieok.places.project import list_project_scopes
from gieok.processes import wire
from gieok.text.gates.action import REMIND, ActionRule
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


_SAID_ON = date(2026, 11, 25)
_REMINDING = ActionRule(
    "hands off the production cluster", REMIND, [], sense="hands off the production cluster"
)


def _build_rules(count: int, scope: str) -> list[GateRule]:
    """Return so many rules that ask or stop, and one that only reminds."""
    rules = [
        _build_rule(number, scope, rule)
        for number in range(count)
        for rule in read_action_rules(_WORDS[number % len(_WORDS)], _SAID_ON)
    ]
    return [*rules, _build_rule(len(rules), scope, _REMINDING)]


def _build_rule(number: int, scope: str, rule: ActionRule) -> GateRule:
    return GateRule(
        handle=f"{number:08x}",
        scope=scope,
        said_at=float(number),
        day=_SAID_ON.isoformat(),
        origin="claude-code",
        source="",
        rule=rule,
    )


@contextmanager
def _answer_as_daemon(home: Path, handle: str) -> Iterator[None]:
    """Answer in the place of a daemon that a use is near to a rule."""
    listening, address = wire.listen(home, "now", __version__)
    answer = {"data": {"outcome": REMIND, "handle": handle}, "failure": None, "text": ""}

    def serve() -> None:
        with suppress(OSError):
            Server(listening, address.token, lambda _: {}).serve(lambda *_: answer)

    threading.Thread(target=serve, daemon=True).start()
    try:
        yield
    finally:
        listening.close()
        wire.remove_daemon_address(home)


def _measure_ms(
    command: Sequence[str],
    environment: Mapping[str, str],
    calls: int,
    given: Mapping[str, object] | None = None,
) -> float:
    spent = []
    for number in range(calls + 1):
        payload = {"session_id": f"5e55{number}", **(given or {})}
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(
            command,
            env=environment,
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=True,
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
        cannot_ask = (program, "hook", "pre-tool", "--agent", "codex")
        payload: dict[str, object] = {"cwd": str(project), "tool_name": "Bash"}
        harmless = {**payload, "tool_input": {"command": "git status && npm test"}}
        forbidden = {**payload, "tool_input": {"command": "npx supabase db reset"}}
        in_korean = {**payload, "tool_input": {"command": "terraform destroy"}}
        near = {**payload, "tool_input": {"command": "python scripts/cluster.py --name prod"}}
        bare = _measure_ms((sys.executable, "-c", "pass"), environment, chosen.calls)
        rows = [("bare Python", bare)]
        rows.append(("no rules", _measure_ms(hook, environment, chosen.calls, harmless)))
        scope = list_project_scopes(str(project), "")[0]
        rules = _build_rules(chosen.rules, scope)
        write_gate_rules(str(home), rules)
        named = f"{chosen.rules} rules"
        rows += [
            (f"{named}, none acts", _measure_ms(hook, environment, chosen.calls, harmless)),
            (f"{named}, one asks", _measure_ms(hook, environment, chosen.calls, forbidden)),
            (f"{named}, … in Korean", _measure_ms(hook, environment, chosen.calls, in_korean)),
            (f"{named}, one stops", _measure_ms(cannot_ask, environment, chosen.calls, forbidden)),
        ]
        os.environ["HOME"] = str(user)  # a daemon answers the callers that have its own
        with _answer_as_daemon(home, rules[-1].handle):
            said_in = {**near, "session_id": "5e550"}
            off = {**environment, "GIEOK_GATES_REMINDS": "off"}
            rows += [
                (f"{named}, one reminds", _measure_ms(hook, environment, chosen.calls, near)),
                (f"{named}, it did before", _measure_ms(hook, environment, chosen.calls, said_in)),
                (f"{named}, reminders off", _measure_ms(hook, off, chosen.calls, near)),
            ]
    for name, spent_ms in rows:
        print(f"{name:<24} {spent_ms:6.1f} ms  {spent_ms - bare:+6.1f}")


if __name__ == "__main__":
    main()
