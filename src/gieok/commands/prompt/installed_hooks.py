"""Runs installed hooks as the agent would, for `gieok doctor`."""

import json
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

from gieok.agents import table
from gieok.agents.agent import load_agent
from gieok.agents.install.change import Edit, read_foreign_file
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.commands.prompt.sites import build_own_command, project_site, user_site
from gieok.errors import BadRequest, GieokError, NotIndexed, Phrase
from gieok.home.call import Call
from gieok.home.hook_index import open_hook_index
from gieok.hook import matches, question, window
from gieok.hook.fired import forget_claims
from gieok.hook.stats import PROBE
from gieok.memory import observation
from gieok.places.scope import SESSIONS
from gieok.settings.hook import HookSettings
from gieok.text.turns import is_users

_TIMEOUT_S = 20
_TRIED = 20
_PROMPT = "what do we know about {subject}?"
#: Conversations that are tried, messages of each, and the longest of these.
_MOST_TALKS, _MOST_SAID, _LONGEST_SUBJECT = 5, 3, 100


class TrialSubject(NamedTuple):
    """Subject of the question that tries a hook; '' for none.

    `held`: memory has something here. `is_said`: the subject is a message, not a note's title.
    """

    text: str
    held: bool = False
    is_said: bool = False


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


class Presence(NamedTuple):
    """What is there of an install at a place.

    `is_begun`: a part of it is there, other than the MCP server, which a person may add by hand.
    `lacking` are the files that should hold a part of Gieok's and do not.
    """

    is_begun: bool = False
    lacking: tuple[Path, ...] = ()
    has_program: bool = False

    @property
    def is_whole(self) -> bool:
        """Return whether every part is there, and the program that the hooks call."""
        return self.is_begun and self.has_program and not self.lacking


def find_presence(site: InstallPlace, name: str) -> Presence:
    """Return what is there of Gieok in an agent at a place. Raises BadRequest."""
    agent = load_agent(name)
    edits = agent.list_site_edits(site, OwnCommand(("gieok",), {}))
    rows = [(edit, read_hook_file(edit.path)) for edit in edits if not edit.is_extra]
    held = [edit for edit, text in rows if _has_part(edit, text)]
    lacking = tuple(edit.path for edit, _ in rows if edit not in held)
    command = next(filter(None, (agent.parse_prompt_command(text) for _, text in rows)), "")
    if command:
        return Presence(True, lacking, has_program=_is_program_there(command, site))
    if all(edit.is_server for edit in held):
        return Presence()
    if name in table.HOOKED:
        return Presence(True, lacking or (rows[0][0].path,))
    return Presence(True, lacking, has_program=True)


def _has_part(edit: Edit, text: str) -> bool:
    try:
        return edit.has_part(text)
    except ValueError:  # the command that installs Gieok names the fault
        return False


def _is_program_there(command: str, site: InstallPlace) -> bool:
    """Return whether the program of a hook's command line is there."""
    program = next(word for word in shlex.split(command) if "=" not in word)
    return shutil.which(program, path=site.environment.get("PATH", os.defpath)) is not None


def find_lacking_files(call: Call) -> list[tuple[str, bool, Path]]:
    """Return (agent, whether in the project, file) of each file that leaves an install in part."""
    return [
        (agent, site.is_project, file)
        for site in (user_site(call), project_site(call))
        for agent in table.HOOKED
        for file in find_presence(site, agent).lacking
    ]


def find_shorter_hooks(call: Call) -> list[tuple[str, str]]:
    """Return (agent, native event) of each hook that an earlier release gave less time."""
    return [
        (agent, native)
        for agent, _, edit in _iter_site_edits(call)
        for native in _list_shorter(edit)
    ]


def find_outdated_plugins(call: Call) -> list[tuple[str, bool, Path]]:
    """Return (agent, whether in the project, file) of each plugin that is of another release."""
    return [
        (agent, site.is_project, edit.path)
        for agent, site, edit in _iter_site_edits(call)
        if edit.is_outdated(read_hook_file(edit.path))
    ]


def _iter_site_edits(call: Call) -> Iterator[tuple[str, InstallPlace, Edit]]:
    """Yield what an install writes for each agent, in the user's settings and in the project's."""
    for site in (user_site(call), project_site(call)):
        for agent in table.HOOKED:
            for edit in load_agent(agent).list_site_edits(site, OwnCommand(("gieok",), {})):
                yield agent, site, edit


def _list_shorter(edit: Edit) -> list[str]:
    try:
        return edit.list_shorter_hooks(read_hook_file(edit.path))
    except ValueError:  # the check of the hook itself names the file
        return []


def read_hook_file(file: Path) -> str:
    """Return the text of an agent's file; '' where it cannot be read."""
    try:
        return (read_foreign_file(file) or b"").decode()
    except (BadRequest, UnicodeDecodeError):
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
    subject = _choose_trial_subject(call)
    payload = {
        "session_id": PROBE,
        "cwd": str(call.caller.folder),
        "hook_event_name": table.BY_NAME[agent].events[table.PROMPT],
        "prompt": call.words(_PROMPT, subject=subject.text),
    }
    printed = _run_hook(call, agent, command, json.dumps(payload).encode())
    if not subject.held:
        return f"{agent}: the hook runs; it knows nothing here to show yet, so it says nothing"
    if not printed and (subject.is_said or not subject.text):
        return (
            f"{agent}: the hook runs; memory has something here, but nothing that surely answers a "
            "trial question, so it says nothing"
        )
    if not printed:
        raise GieokError(
            "{agent}: the hook runs, but gives nothing for {prompt!r}",
            agent=agent,
            prompt=payload["prompt"],
            file=call.home.folder / "logs" / "hook.log",
            hint="see {file}",
        )
    return f"{agent}: {payload['prompt']!r} → {_parse_injected_context(printed, agent)}"


def _run_hook(call: Call, agent: str, command: str, payload: bytes) -> bytes:
    """Run the command of a hook as its agent would; return what it printed. Raises GieokError."""
    try:
        process = subprocess.run(  # noqa: S602 - the agent gives it to a shell too
            command,
            shell=True,
            cwd=call.caller.folder,
            env=dict(call.caller.environment),
            input=payload,
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
    return process.stdout


def _build_hook_error(agent: str, what: str) -> GieokError:
    return GieokError(
        "{agent}: {what}", agent=agent, what=Phrase(what), hint="run `gieok install {agent}` again"
    )


def _choose_trial_subject(call: Call) -> TrialSubject:
    """Return what to ask the hook about: something that recall would show for that question.

    The hook must agree with recall. '' where recall would show nothing of what is held.
    """
    try:
        reader, late = open_hook_index(call.home)
    except NotIndexed:
        return TrialSubject("")
    scopes = [str(scope) for scope in call.scopes]
    is_held = False
    titles = (
        (title or key, False)
        for scope in scopes
        for key, title, _, _ in reader.newest(scope, _TRIED)
        if not key.startswith(observation.PREFIX)  # its words are those of messages
    )
    for text, is_said in chain(titles, _iter_told_words(call)):
        is_held = True
        questions = question.build_prompt_questions(call.words(_PROMPT, subject=text))
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
            return TrialSubject(text, held=True, is_said=is_said)
    return TrialSubject("", held=is_held)


def _iter_told_words(call: Call) -> Iterator[tuple[str, bool]]:
    """Yield what users told agents in a few conversations, the newest first, and True."""
    for scope in call.scopes:
        said = [key for key in call.home.store.hashes(scope) if key.startswith(f"{SESSIONS}/")]
        for document in reversed(call.home.store.get(scope, said[-_MOST_TALKS:])):
            lines = [line for line in reversed(document.text.split("\n")) if is_users(line)]
            texts = [line.partition(": ")[2] for line in lines]
            told = [text for text in texts if len(text) <= _LONGEST_SUBJECT and "?" not in text]
            yield from ((text, True) for text in told[:_MOST_SAID])


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
