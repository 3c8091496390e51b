"""Proves that memory reaches the model through installed agents (`gieok doctor --agents`).

Each agent's own program answers one prompt in a throwaway home with one memory, against a model
server of Gieok's on loopback: the proof costs nothing, and touches no session, key or setting of
the user. The user's settings are only read as text.
"""

import json
import os
import re
import secrets
import shutil
import signal
import subprocess
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property, partial
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Timer

from gieok.agents import table
from gieok.agents.agent import HOME, URL, Agent, Inventory, Rehearsal, load_agent
from gieok.agents.install.edits import InstallPlace, OwnCommand
from gieok.commands.prompt.installed_hooks import read_hook_file
from gieok.commands.prompt.sites import build_own_command, project_site, user_site
from gieok.errors import GieokError
from gieok.home.call import Call
from gieok.testing.model_server import ModelServer, read_request_text
from gieok.text import jsonc

_TIMEOUT_S = 180
_TITLE = "The lighthouse key of Gieok's doctor"
_PROMPT = f"What do we know about {_TITLE[0].lower()}{_TITLE[1:]}?"
#: Words are enough for this search, and a busy machine is no reason for silence.
_SETTINGS = "embedder: none\nhook:\n  deadline_ms: 20000\n"
_KEPT = ("PATH", "LANG", "LC_ALL", "SYSTEMROOT", "COMSPEC", "PATHEXT")
_VERSION = re.compile(r"\d+\.\d+[\w.-]*")
#: Characters allowed in a program's command line, in JSON, TOML and JavaScript alike.
_OUR_HOOK = re.compile(rf"gieok(?:\.exe)?[\"'\\]*\s+hook\s+{table.PROMPT}\b")
Proof = tuple[str, Callable[[], str]]


def iter_delivery_proofs(call: Call) -> Iterator[Proof]:
    """Yield (claim, function that proves the claim) for every agent.

    The function returns what was seen, or raises GieokError.
    """
    sites_by_name = {name: sites for name in table.NAMES if (sites := _sites_of(call, name))}
    with TemporaryDirectory(prefix="gieok-doctor-") as folder:
        stage = Stage(call, Path(folder).resolve(), tuple(sites_by_name))
        for name in table.NAMES:
            rehearsal = load_agent(name).rehearsal
            if name not in sites_by_name:
                if rehearsal and _find_agent_program(call, rehearsal):
                    yield (
                        f"agent {name}",
                        partial(str, f"is here without Gieok: `gieok install {name}`"),
                    )
                continue
            yield f"hooks of {name}", partial(_check_hook_registration, sites_by_name[name], name)
            if load_agent(name).inventory:
                yield (
                    f"trust of {name}",
                    partial(_check_hook_trust, stage, sites_by_name[name], name),
                )
            yield f"delivery by {name}", partial(_prove_prompt_delivery, stage, name)


def _sites_of(call: Call, name: str) -> list[InstallPlace]:
    """Return the install places in an agent's files: the user's, the project's, both or none."""
    return [
        site
        for site in (user_site(call), project_site(call))
        if _is_agent_installed(load_agent(name), site)
    ]


def _is_agent_installed(agent: Agent, site: InstallPlace) -> bool:
    try:
        edits = agent.list_site_edits(site, OwnCommand(("gieok",), {}))
        texts = [(edit, text) for edit in edits if (text := read_hook_file(edit.path))]
        # a plugin with another path of Gieok's is no text that an install would write now
        return any(
            edit.remove(text) != text or agent.parse_prompt_command(text) for edit, text in texts
        )
    except (GieokError, ValueError):  # no such agent here, or a file that nobody can read
        return False


def _check_hook_registration(sites: list[InstallPlace], name: str) -> str:
    """Count Gieok's prompt hook in every file where the agent looks for hooks.

    Two hooks would inject each memory twice.
    """
    agent = load_agent(name)
    files = agent.hook_files
    if files is None:
        return "its plugin is registered once: by its name"
    texts = {
        file: read_hook_file(file)
        for site in sites
        for each in files.names
        for file in sorted(agent.find_settings_folder(site).glob(each))
    }
    for file, text in texts.items():
        if off := [".".join(path) for path, value in files.switches if _is_set(text, path, value)]:
            raise GieokError(
                "{setting} in {file!r} turns hooks off",
                setting=off[0],
                file=file,
                hint="take that setting out",
            )
    counts = {file: len(_OUR_HOOK.findall(text)) for file, text in texts.items()}
    shown = ", ".join(
        f"{str(file)!r}" + (f" × {count}" if count > 1 else "")
        for file, count in counts.items()
        if count
    )
    if sum(counts.values()) > 1:
        where = (
            "" if any(not site.is_project for site in sites) and len(sites) == 1 else " --project"
        )
        raise GieokError(
            "the hook is registered more than once: {shown}",
            shown=shown,
            name=name,
            where=where,
            hint="take one out: `gieok install {name} --uninstall{where}`, or by hand",
        )
    if not shown:
        raise GieokError(
            "no prompt hook is registered", name=name, hint="run `gieok install {name}` again"
        )
    return f"registered once, in {shown}"


def _is_set(text: str, path: tuple[str, ...], value: object) -> bool:
    """Return whether a setting of a JSON or TOML text has a value, or holds the value in a list."""
    try:
        node: object = jsonc.load_jsonc(text)
    except ValueError:
        try:
            node = tomllib.loads(text)
        except tomllib.TOMLDecodeError:
            return False
    for name in path:
        node = node.get(name) if isinstance(node, dict) else None
    return node == value or (isinstance(node, list) and value in node)


class Stage:
    """Throwaway home with the installed agents, a model server of Gieok's, and one memory."""

    def __init__(self, call: Call, home: Path, agents: tuple[str, ...]) -> None:
        self.call, self.home, self._agents = call, home, agents
        self.code = f"gieok{secrets.token_hex(5)}"
        variables = {
            name: call.caller.environment[name] for name in _KEPT if name in call.caller.environment
        }
        #: Only listed variables of the user's are passed on: a key, a proxy or another home would
        #: lead the agent elsewhere.
        self.environment = {
            **variables,
            "HOME": str(home),
            "USERPROFILE": str(home),
            "TMPDIR": str(home / "tmp"),
            "TERM": "dumb",
            "NO_COLOR": "1",
        }

    @cached_property
    def project(self) -> Path:
        """Return the folder in which the agents work; the first call sets everything up."""
        project = self.home / "project"
        for folder in (project, self.home / "tmp", self.home / ".gieok"):
            folder.mkdir()
        (self.home / ".gieok" / "config.yaml").write_text(_SETTINGS, encoding="utf-8")
        words = (
            *build_own_command(self.call).words,
            "remember",
            f"The key lies below the word {self.code}.",
            "--title",
            _TITLE,
            "--user",
        )
        process = self.run(words, project)
        if process.returncode != 0:
            raise GieokError(
                "the memory to deliver could not be kept: {line}",
                line=_find_last_agent_line(process),
                hint="run `gieok doctor`",
            )
        return project

    def set_up(self, url: str) -> None:
        """Write the settings of all installed agents: some agents read those of others."""
        site = InstallPlace(self.home, False, self.environment)
        loaded = [load_agent(name) for name in self._agents]
        for agent in loaded:
            for name, text in (agent.rehearsal.files if agent.rehearsal else {}).items():
                file = self.home / name
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(self.filled(text, url), encoding="utf-8")
        call = OwnCommand(build_own_command(self.call).words, {})
        for agent in loaded:
            for edit in agent.build_edits(site, call):
                text = edit.add(edit.remove(read_hook_file(edit.path)))
                edit.path.parent.mkdir(parents=True, exist_ok=True)
                edit.path.write_text(text, encoding="utf-8")

    def filled(self, text: str, url: str) -> str:
        """Return a text with the model's address and this home filled in."""
        return text.replace(URL, url).replace(HOME, str(self.home))

    def run(
        self, words: tuple[str, ...], folder: Path, more: Mapping[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """Run a program to its end, and end the processes that it leaves behind.

        Raises GieokError where the program takes too long.
        """
        process = subprocess.Popen(  # noqa: S603 - this Gieok, or an agent that the user installed
            words,
            cwd=folder,
            env={**self.environment, **(more or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=_TIMEOUT_S)
        except subprocess.TimeoutExpired as error:
            raise GieokError(
                "{command} did not end in {timeout_s} s",
                command=words[0],
                timeout_s=_TIMEOUT_S,
                hint="try it by hand",
            ) from error
        finally:
            _kill_process_group(process)
        return subprocess.CompletedProcess(words, process.returncode, out, err)


def _kill_process_group(process: subprocess.Popen[bytes]) -> None:
    """End a process and its children."""
    with suppress(ProcessLookupError, PermissionError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
    process.wait()


def _find_last_agent_line(done: subprocess.CompletedProcess[bytes]) -> str:
    output_lines = (done.stderr + b"\n" + done.stdout).decode(errors="replace").split("\n")
    return next(
        (line.strip()[:200] for line in reversed(output_lines) if line.strip()), "nothing was said"
    )


def _find_agent_program(call: Call, rehearsal: Rehearsal) -> str:
    return shutil.which(rehearsal.program, path=call.caller.environment.get("PATH", "")) or ""


def _prove_prompt_delivery(stage: Stage, name: str) -> str:
    """Let the agent answer one prompt, and look for the memory in its request to the model."""
    rehearsal = load_agent(name).rehearsal
    if rehearsal is None:
        return "cannot be proven: it answers no prompt without its window"
    program = _find_agent_program(stage.call, rehearsal)
    if not program:
        return f"cannot be proven: `{rehearsal.program}` is not on PATH"
    folder = stage.project
    said = stage.run((program, "--version"), folder)
    # pi names its release on its error output
    version = _VERSION.search((said.stdout + b"\n" + said.stderr).decode(errors="replace"))
    whose = f"{name} {version[0] if version else ''}".strip()
    with ModelServer() as server:
        stage.set_up(server.url)
        more = {
            key: stage.filled(value, server.url) for key, value in rehearsal.environment.items()
        }
        process = stage.run((program, *rehearsal.arguments, _PROMPT), folder, more)
        request_texts = [
            text
            for text in (read_request_text(body) for _, body in server.requests)
            if _PROMPT in text
        ]
        server.shutdown()
    if not request_texts:
        raise GieokError(
            "{whose} asked no model: {line}",
            whose=whose,
            line=_find_last_agent_line(process),
            program=rehearsal.program,
            hint="does `{program}` work by hand?",
        )
    most = max(text.count(stage.code) for text in request_texts)
    if most == 1:
        return f"{whose}: the memory stood in the model's request, once"
    if most:
        raise GieokError(
            "{whose}: the memory stood in the model's request {most} times",
            whose=whose,
            most=most,
            hint="report it, with the version",
        )
    log = read_hook_file(stage.home / ".gieok" / "logs" / "hook.log").strip().split("\n")[-1]
    raise GieokError(
        "{whose}: the memory did not reach the model's request: {log}"
        if log
        else "{whose}: the memory did not reach the model's request",
        whose=whose,
        log=log,
        name=name,
        hint=(
            "run `gieok install {name}` again; if that does not help, report it, with the version"
        ),
    )


def _check_hook_trust(stage: Stage, sites: list[InstallPlace], name: str) -> str:
    """Ask the agent's own program which hooks its user has approved.

    The program reads a copy of the file that holds the hooks.
    """
    agent = load_agent(name)
    if agent.inventory is None or agent.rehearsal is None:
        return "it asks nobody to trust hooks"
    program = _find_agent_program(stage.call, agent.rehearsal)
    if not program:
        return f"cannot be proven: `{agent.rehearsal.program}` is not on PATH"
    users_folder = agent.find_settings_folder(user_site(stage.call))
    settings = read_hook_file(users_folder / agent.inventory.settings)
    for site in sites:
        file = agent.find_settings_folder(site) / agent.inventory.hooks
        answer = _ask_hook_inventory(stage, program, agent, agent.inventory, file)
        if waiting := agent.list_untrusted_hooks(answer, file, settings):
            raise GieokError(
                "hooks of {file!r} that {name} passes over: {hooks}",
                file=file,
                name=name,
                hooks=", ".join(waiting),
                hint=agent.note,
            )
    return f"{name} says that its user has trusted every hook of ours"


def _ask_hook_inventory(
    stage: Stage, program: str, agent: Agent, inventory: Inventory, file: Path
) -> Mapping[str, object]:
    """Return the answer of the agent's program about its hooks.

    The program gets the hooks' file in a home of its own, and runs no hook.
    """
    home = stage.home / "inventory"
    copy = agent.find_settings_folder(InstallPlace(home, False, {})) / inventory.hooks
    copy.parent.mkdir(parents=True, exist_ok=True)
    copy.write_text(read_hook_file(file), encoding="utf-8")
    process = subprocess.Popen(  # noqa: S603 - an agent that the user installed
        (program, *inventory.arguments),
        cwd=home,
        env={**stage.environment, "HOME": str(home), "USERPROFILE": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    late = Timer(_TIMEOUT_S, _kill_process_group, (process,))
    late.start()
    try:
        if process.stdin and process.stdout:
            process.stdin.write("".join(f"{line}\n" for line in inventory.lines).encode())
            process.stdin.flush()
            for line in process.stdout:
                with suppress(ValueError):
                    answer = json.loads(line)
                    if isinstance(answer, dict) and answer.get("id") == inventory.answer:
                        return answer
    except BrokenPipeError:
        pass
    finally:
        late.cancel()
        _kill_process_group(process)
        for pipe in (process.stdin, process.stdout):
            with suppress(OSError):
                pipe.close() if pipe else None
    raise GieokError(
        "`{command}` does not tell which hooks are trusted",
        command=" ".join((program, *inventory.arguments)),
        hint="look into it",
    )
