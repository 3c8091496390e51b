"""Runs installed hooks as the agent would, for `gieok doctor`."""

import json
import subprocess
from pathlib import Path

from gieok.agents import table
from gieok.agents.agent import load_agent
from gieok.agents.install.edits import HookEntries, InstallPlace, OwnCommand
from gieok.commands.prompt.sites import build_own_command, project_site, user_site
from gieok.errors import GieokError, NotIndexed, Phrase
from gieok.home.call import Call
from gieok.home.hook_index import open_hook_index
from gieok.hook import matches, question, window
from gieok.hook.fired import forget_claims
from gieok.hook.stats import PROBE
from gieok.settings.hook import HookSettings

_TIMEOUT_S = 20
_TRIED = 20
_PROMPT = "what do we know about {}?"


def find_installed_hooks(call: Call) -> list[tuple[str, str]]:
    """Return (agent, command of its prompt hook) for every installation here.

    Includes installations of the user and of the current project.
    """
    here = (user_site(call), project_site(call))
    rows = ((agent, find_prompt_command(site, agent)) for site in here for agent in table.HOOKED)
    return [(agent, command) for agent, command in rows if command]


def find_prompt_command(site: InstallPlace, name: str) -> str:
    """Return the command of Gieok's prompt hook in an agent's own files; '' where there is none."""
    agent = load_agent(name)
    for edit in agent.list_site_edits(site, OwnCommand(("gieok",), {})):
        if command := agent.parse_prompt_command(read_hook_file(edit.path)):
            return command
    return ""


def find_shorter_hooks(call: Call) -> list[tuple[str, str]]:
    """Return (agent, native event) of each hook that an earlier release gave less time."""
    return [
        (agent, native)
        for site in (user_site(call), project_site(call))
        for agent in table.HOOKED
        for edit in load_agent(agent).list_site_edits(site, OwnCommand(("gieok",), {}))
        if isinstance(edit, HookEntries)
        for native in _list_shorter(edit)
    ]


def _list_shorter(edit: HookEntries) -> list[str]:
    try:
        return edit.list_shorter_hooks(read_hook_file(edit.path))
    except ValueError:  # the check of the hook itself names the file
        return []


def read_hook_file(file: Path) -> str:
    """Return the text of an agent's file; '' where it cannot be read."""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""


def fire_prompt_hook(call: Call, agent: str, command: str) -> str:
    """Run an installed command on a prompt about the newest memory; return its injection.

    Raises GieokError.
    """
    if command != build_own_command(call).line(table.PROMPT, agent):
        # Settings may come with a repository: what stands there is not run because it calls itself
        # gieok.
        raise _build_hook_error(
            agent,
            Phrase(
                "{command!r} calls another gieok than this one; it was not run", command=command
            ),
        )
    title = _title_to_ask(call)
    payload = {
        "session_id": PROBE,
        "cwd": str(call.caller.folder),
        "hook_event_name": table.BY_NAME[agent].events[table.PROMPT],
        "prompt": _PROMPT.format(title),
    }
    try:
        process = subprocess.run(  # noqa: S602 - the agent gives it to a shell too
            command,
            shell=True,
            cwd=call.caller.folder,
            env=dict(call.caller.environment),
            input=json.dumps(payload).encode(),
            capture_output=True,
            timeout=_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _build_hook_error(
            agent,
            Phrase(
                "{command!r} did not end in {timeout_s} s", command=command, timeout_s=_TIMEOUT_S
            ),
        ) from error
    finally:  # nothing is injected twice in a session, and the next time asks again
        Path(window.session_file(str(call.home.folder), agent, PROBE)).unlink(missing_ok=True)
        forget_claims(str(call.home.folder))
    if process.returncode != 0:
        last_lines = process.stderr.decode(errors="replace").strip().splitlines()[-1:] or [
            "nothing was said"
        ]
        raise _build_hook_error(
            agent,
            Phrase(
                "{command!r} ended with {status}: {line}",
                command=command,
                status=process.returncode,
                line=last_lines[0],
            ),
        )
    if not title:
        return f"{agent}: the hook runs; it knows nothing here to show yet, so it says nothing"
    if not process.stdout:
        raise GieokError(
            "{agent}: the hook runs, but injects nothing for {prompt!r}",
            agent=agent,
            prompt=payload["prompt"],
            file=call.home.folder / "logs" / "hook.log",
            hint="see {file}",
        )
    return f"{agent}: {payload['prompt']!r} → {_parse_injected_context(process.stdout, agent)}"


def _build_hook_error(agent: str, what: str) -> GieokError:
    return GieokError(
        "{agent}: {what}", agent=agent, what=Phrase(what), hint="run `gieok install {agent}` again"
    )


def _title_to_ask(call: Call) -> str:
    """Return the title of a memory that recall would show for that title; '' if there is none.

    The hook must agree with recall.
    """
    try:
        reader, late = open_hook_index(call.home)
    except NotIndexed:
        return ""
    scopes = [str(scope) for scope in call.scopes]
    for scope in scopes:
        for key, title, _, _ in reader.newest(scope, _TRIED):
            questions = question.build_prompt_questions(_PROMPT.format(title or key))
            shown = matches.find_matches(
                reader,
                scopes,
                questions,
                HookSettings({}),
                call.clock.now().timestamp(),
                "",
                late,
            ).found
            if questions and shown:
                return title or key
    return ""


def _parse_injected_context(stdout: bytes, agent: str) -> str:
    """Return the injected text on one line."""
    try:
        printed = json.loads(stdout)
        call = (
            printed.get("additional_context")
            or printed.get("additionalContext")
            or printed.get("message")
            or printed["hookSpecificOutput"]["additionalContext"]
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _build_hook_error(
            agent,
            Phrase("the hook printed what the agent does not read: {stdout!r}", stdout=stdout[:80]),
        ) from error
    return " ".join(str(call).split())[:300]
