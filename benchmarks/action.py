"""Measure what memory says before a file is edited, on sessions that somebody else wrote.

    python benchmarks/action.py SET.jsonl [--only ID ...] [--shown]

Each line of the set is a case: `history`, earlier sessions of Claude Code in a project with what was
said and what its tools did; `moment`, what is about to happen; `expect`, the line of the history
that helps there, or null. Moments that are no edit are left out. Each case is taken in in a home of
its own, and the hook is run as an agent runs it. Prints the share of moments with their
line, the share of silence where there is none, and the CPU of a call where nothing is said.
"""

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gieok.commands.observe.run import observe_transcripts
from gieok.home.calls import open_call
from gieok.hook.window import strip_to_letters

_SESSION = "ac710000-0000-4000-8000-{:012d}"
_MOMENT = "edit"
_FAILED = "Exit code 1\n"


class Outcome(NamedTuple):
    """What the hook said at a moment, whether it is right, and the CPU of the call."""

    case: Mapping[str, Any]
    said: str
    is_right: bool
    cpu_ms: float


def _iter_lines(folder: Path, number: int, session: Mapping[str, Any]) -> Iterator[object]:
    """Yield the lines of a transcript of Claude Code."""
    name = _SESSION.format(number)
    for place, event in enumerate(session["events"]):
        at = f"{session['day']}T10:{place // 60:02}:{place % 60:02}"
        base = {"sessionId": name, "cwd": str(folder)}
        if event["who"] != "tool":
            role = "user" if event["who"] == "user" else "assistant"
            content = event["text"] if role == "user" else [{"type": "text", "text": event["text"]}]
            message = {"role": role, "content": content}
            yield {**base, "type": role, "uuid": f"{name}-{place}", "timestamp": f"{at}Z"} | {
                "message": message
            }
            continue
        call = f"toolu_{number}_{place}"
        use = {"type": "tool_use", "id": call, "name": event["tool"], "input": event["input"]}
        output = (_FAILED if event.get("is_error") else "") + event["output"]
        result = {"type": "tool_result", "tool_use_id": call, "content": output}
        result["is_error"] = bool(event.get("is_error"))
        for kind, role, part in (("call", "assistant", use), ("result", "user", result)):
            yield {
                **base,
                "type": role,
                "uuid": f"{name}-{place}-{kind}",
                "timestamp": f"{at}.{500 if kind == 'result' else 0:03}Z",
                "message": {"role": role, "content": [part]},
            }


def _play_case(case: Mapping[str, Any], folder: Path) -> Outcome:
    user, home = folder / "user", folder / "home"
    root = f"/home/dev/{case['project']}"
    project = user / "dev" / case["project"]
    (project / ".git").mkdir(parents=True)
    case = json.loads(json.dumps(case, ensure_ascii=False).replace(root, str(project)))
    chats = user / ".claude" / "projects" / "p"
    chats.mkdir(parents=True)
    for number, session in enumerate(case["history"]):
        lines = (
            json.dumps(line, ensure_ascii=False) for line in _iter_lines(project, number, session)
        )
        (chats / f"{_SESSION.format(number)}.jsonl").write_text("\n".join(lines) + "\n")
    environment = {"HOME": str(user), "GIEOK_HOME": str(home), "GIEOK_HOOK_ACTION": "on"}
    environment["GIEOK_DAEMON_AUTOSTART"] = "off"
    os.environ.update(environment)
    os.chdir(project)
    call = open_call({})
    try:
        observe_transcripts(call, once=True)
    finally:
        call.home.store.close()
    said, cpu_ms = _run_hook(case["moment"], project)
    expected = case["expect"]
    if expected is None:
        return Outcome(case, said, not said, cpu_ms)
    wanted = [expected["line"], *expected.get("also", ())]
    told = strip_to_letters(said)
    return Outcome(case, said, any(strip_to_letters(line) in told for line in wanted), cpu_ms)


def _run_hook(moment: Mapping[str, Any], project: Path) -> tuple[str, float]:
    """Return what the hook put before the model or the person, and the CPU of its process."""
    payload = {
        "session_id": "ac710000-0000-4000-8000-aaaaaaaaaaaa",
        "cwd": str(project),
        "hook_event_name": "PreToolUse",
        "tool_name": moment["tool"],
        "tool_input": moment["input"],
        "tool_use_id": "toolu_now",
    }
    program = str(Path(sys.executable).with_name("gieok"))
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        (program, "hook", "pre-tool", "--agent", "claude-code"),
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    answer = json.loads(done.stdout or b"{}").get("hookSpecificOutput", {})
    said = answer.get("additionalContext", "") or answer.get("permissionDecisionReason", "")
    return said, spent * 1000


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("set", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--shown", action="store_true", help="print what was said, and what not")
    chosen = parser.parse_args()
    cases = [
        json.loads(line) for line in chosen.set.read_text(encoding="utf-8").splitlines() if line
    ]
    outcomes = []
    for case in cases:
        is_chosen = not chosen.only or case["id"] in chosen.only
        if case["moment"]["kind"] != _MOMENT or not is_chosen:
            continue
        with tempfile.TemporaryDirectory() as folder:
            outcomes.append(_play_case(case, Path(folder)))
            os.chdir("/")
    _print_table(outcomes, is_shown=chosen.shown)


def _print_table(outcomes: list[Outcome], *, is_shown: bool) -> None:
    groups: defaultdict[bool, list[Outcome]] = defaultdict(list)
    for outcome in outcomes:
        has_line = outcome.case["expect"] is not None
        groups[has_line].append(outcome)
        if is_shown and not outcome.is_right:
            moment, expect = outcome.case["moment"], outcome.case["expect"]
            given = json.dumps(moment["input"], ensure_ascii=False)[:200]
            print(f"{outcome.case['id']} {given}")
            print(f"  expected: {expect['line'] if expect else 'nothing'}")
            print(f"  said:     {outcome.said or 'nothing'}")
    for has_line, group in sorted(groups.items()):
        right = sum(one.is_right for one in group)
        what = "right line" if has_line else "silent"
        print(f"{what:<10} {right:3} of {len(group):3}  {right / len(group):.2f}")
    silent = [one.cpu_ms for one in outcomes if not one.said]
    if silent:
        print(f"CPU where nothing is said: median {statistics.median(silent):.1f} ms", end=", ")
        print(f"most {max(silent):.1f} ms")


if __name__ == "__main__":
    main()
