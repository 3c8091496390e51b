"""Fires what `gieok install` put into agents' settings, as the agent would: what `gieok doctor` tells of hooks."""

import json
import os
import subprocess
from pathlib import Path

from gieok import places
from gieok.capabilities.prompt import agents
from gieok.capabilities.prompt.install import targets
from gieok.capabilities.prompt.install.targets import Place
from gieok.errors import GieokError
from gieok.ops.context import Context

_TIMEOUT_S = 20


def found() -> list[tuple[str, str]]:
    """Return (agent, the command of its prompt hook) for every installation of the user and of the project here."""
    here = [targets.user_place()]
    root = places.project_root(str(Path.cwd()))
    here += [Place(Path(root), True, os.environ)] if root else []
    rows = ((agent, targets.prompt_command(place, agent)) for place in here for agent in targets.TARGETS)
    return [(agent, command) for agent, command in rows if command]


def fire(context: Context, agent: str, command: str) -> str:
    """Run an installed command on a prompt about the newest memory here; return what it would inject. Raises GieokError."""
    title = _newest_title(context)
    payload = {
        "session_id": "gieok-doctor",
        "cwd": str(Path.cwd()),
        "hook_event_name": agents.NATIVE[agent][agents.PROMPT],
        "prompt": f"what do we know about {title}?",
    }
    try:
        done = subprocess.run(  # noqa: S602 - the agent gives it to a shell too
            command,
            shell=True,
            input=json.dumps(payload).encode(),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise GieokError(f"{agent}: {command!r} did not end in {_TIMEOUT_S} s") from error
    if done.returncode != 0:
        said = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["nothing was said"]
        raise GieokError(
            f"{agent}: {command!r} ended with {done.returncode}: {said[0]}", hint=f"run `gieok install {agent}` again"
        )
    if not title:
        return f"{agent}: the hook runs; nothing is remembered here yet, so it says nothing"
    if not done.stdout:
        raise GieokError(
            f"{agent}: the hook runs, but injects nothing for {payload['prompt']!r}",
            hint=f"see {context.home / 'logs' / 'hook.log'}",
        )
    return f"{agent}: {payload['prompt']!r} → {_injected(done.stdout, agent)}"


def _newest_title(context: Context) -> str:
    documents = [
        document
        for scope in context.scopes
        for document in context.store().get(scope, list(context.store().hashes(scope)))
    ]
    newest = max(documents, key=lambda document: document.updated_at, default=None)
    return (newest.title or newest.key) if newest else ""


def _injected(stdout: bytes, agent: str) -> str:
    """Return what was injected, on one line."""
    try:
        printed = json.loads(stdout)
        context = (
            printed["additional_context"]
            if agent == agents.CURSOR
            else printed["hookSpecificOutput"]["additionalContext"]
        )
    except (ValueError, KeyError, TypeError) as error:
        raise GieokError(f"{agent}: the hook printed what the agent does not read: {stdout[:80]!r}") from error
    return " ".join(str(context).split())[:300]
