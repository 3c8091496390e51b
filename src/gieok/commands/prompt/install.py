"""`gieok install AGENT`: add hooks, tools and a command to an agent, or remove them."""

import difflib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok.agents.agent import load_agent
from gieok.agents.install import change, plugin_package
from gieok.agents.install.change import Edit, InstallChange, InstallRecord
from gieok.agents.install.edits import InstallPlace
from gieok.agents.table import NAMES
from gieok.agents.unread_hosts import FoundUnreadHost
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden, Omitted, mark_encoded_getter
from gieok.commands.prompt.hosts import HostHere, list_hosts, list_unread_hosts, render_hosts
from gieok.commands.prompt.sites import build_own_command, project_site, user_site
from gieok.errors import BadRequest, GieokError, find_os_reason
from gieok.home.call import Call
from gieok.places.home import DAEMON_DOWN
from gieok.text.messages import Words

#: Agents whose command can be the model that observes.
OBSERVERS = ("claude-code", "codex")
_PACKAGE_HINT = "`gieok install plugin --to DIR`"


class FileChange(NamedTuple):
    """Change of a file: created, changed, removed or unchanged."""

    path: Path
    status: str


@dataclass(frozen=True, slots=True)
class InstallResult:
    """Files that changed, or would change."""

    agent: str
    changes: Hidden[tuple[InstallChange, ...]]
    note: Words | None
    dry_run: bool
    uninstalled: Hidden[bool]
    #: Features that the installed release of the agent does not support.
    missing: Omitted[Words] = None
    found: Hidden[bool] = True
    #: Why an agent that a person chose from the table was left as it is.
    refused: Omitted[Words] = None
    #: The table of agents, where no agent was named.
    hosts: Omitted[tuple[HostHere, ...]] = None
    #: Hosts beside the table that are here, and whose conversations are not read yet.
    not_read: Omitted[tuple[FoundUnreadHost, ...]] = None
    #: Installs of the agents that a person chose from the table.
    chosen: Hidden[tuple["InstallResult", ...]] = ()

    @property
    @mark_encoded_getter
    def files(self) -> list[FileChange]:
        """Return the change of each file."""
        return [FileChange(change.path, change.status) for change in self.changes]


def render_install(result: InstallResult, style: Style) -> str:
    """Show a line for each file; for a dry run, the lines that would change."""
    if result.hosts is not None:
        shown = [render_install(each, style) for each in result.chosen]
        note = [f"! {result.note.say(style.lang)}"] if result.note else []
        table_text = render_hosts(result.hosts, style, result.not_read or ())
        return "\n".join([*shown, table_text, *note])
    if result.refused:
        return f"! {result.refused.say(style.lang)}"
    lines = []
    for c in result.changes:
        lines.append(f"{_STATUS[c.status].say(style.lang)}: {printable(str(c.path))}")
        if result.dry_run and c.status != "unchanged":
            lines += [f"  {printable(line)}" for line in _diff_file_change(c)]
    if result.note:
        lines.append(f"→ {result.note.say(style.lang)}")
    if result.missing:
        lines.append(f"! {result.missing.say(style.lang)}")
    if result.agent == plugin_package.NAME:
        return "\n".join(lines)
    if not (result.dry_run or result.uninstalled or result.missing):
        proof = Words("`gieok doctor` runs it and shows what it gives the agent")
        lines.append(proof.say(style.lang))
        daemon = Words(
            "a session start brings up the daemon, which finds memories by meaning "
            "(`daemon.autostart`); `gieok service install` starts it whenever you log in"
        )
        lines.append(daemon.say(style.lang))
        if result.agent in OBSERVERS:
            model = Words.of(
                (
                    "`observe.model: {agent}` in the settings lets its own command choose what "
                    "is kept, without a key"
                ),
                agent=result.agent,
            )
            lines.append(model.say(style.lang))
    return "\n".join(lines)


def _diff_file_change(c: InstallChange) -> list[str]:
    before, after = (
        (data or b"").decode(errors="replace").splitlines() for data in (c.before, c.after)
    )
    return list(difflib.unified_diff(before, after, lineterm="", n=1))[2:]


@command(
    "install",
    Words("Connect an agent, so that it gets the matching memories before it answers"),
    present=render_install,
    examples=(
        "gieok install --list",
        "gieok install claude-code --commands",
        "gieok install codex --dry-run",
        "gieok install cursor --uninstall",
        "gieok install plugin --to ~/gieok-plugin",
    ),
    effect=Effect.WRITE,
)
def install_agent(
    call: Call,
    *,
    agent: Annotated[
        str, Parameter(Words.of("the agent: {names}", names=", ".join(NAMES)), positional=True)
    ] = "",
    user: Annotated[bool, Parameter(Words("for all your projects (the default)"))] = False,
    project: Annotated[bool, Parameter(Words("for the project in this folder only"))] = False,
    commands: Annotated[
        bool,
        Parameter(
            Words(
                "also commands for a project's code: /gieok-index, /gieok-query, /gieok-sync, "
                "/gieok-impact"
            )
        ),
    ] = False,
    dry_run: Annotated[
        bool, Parameter(Words("show what would change, and change nothing"))
    ] = False,
    uninstall: Annotated[bool, Parameter(Words("take it out again"))] = False,
    to: Annotated[
        str, Parameter(Words("the folder of the package that `gieok install plugin` writes"))
    ] = "",
    list_: Annotated[
        bool, Parameter(Words("show every agent, what works in it, and what is here"))
    ] = False,
) -> InstallResult:
    """Plan every file, then write all files.

    A file that cannot be edited stops everything before anything is written. Without a name, the
    agents on this machine are offered, each of which is installed or refused by itself.
    """
    if list_:
        if agent or user or project or commands or dry_run or uninstall or to:
            raise BadRequest("--list shows all agents", hint="leave out everything else")
        return _with_unread_hosts(call, _build_table(list_hosts(call)))
    if not agent:
        if uninstall or project or dry_run or commands or to:
            raise BadRequest("name an agent", hint="one of: {names}", names=", ".join(NAMES))
        return _with_unread_hosts(call, _offer_hosts(call))
    if (agent == plugin_package.NAME) != bool(to):
        raise BadRequest("`gieok install plugin` and --to belong together", hint=_PACKAGE_HINT)
    if agent == plugin_package.NAME:
        if user or project or commands:
            raise BadRequest("a package is for no project and has no commands", hint=_PACKAGE_HINT)
        edits = plugin_package.build_package_edits(call.caller.path(to))
        return _apply_edits(call, agent, edits, dry_run=dry_run, uninstall=uninstall)
    site = _find_install_site(call, agent, user=user, project=project)
    # the folder that was made first is removed last
    edits = [
        *_plan_command_files(
            call, site, agent=agent, commands=commands, dry_run=dry_run, uninstall=uninstall
        ),
        *load_agent(agent).build_edits(site, build_own_command(call)),
    ]
    result = _apply_edits(call, agent, edits, dry_run=dry_run, uninstall=uninstall)
    return result if uninstall else _add_agent_notes(result, agent, site)


def _find_install_site(call: Call, agent: str, *, user: bool, project: bool) -> InstallPlace:
    """Return where an agent is installed. Raises BadRequest."""
    if agent not in NAMES:
        raise BadRequest(
            "{agent!r} is no agent that can be installed",
            agent=agent,
            names=", ".join(NAMES),
            hint="one of: {names}",
        )
    if user and project:
        raise BadRequest("--user and --project exclude each other")
    if project and (why := load_agent(agent).no_project):
        raise BadRequest(why, agent=agent, hint="`gieok install {agent}`")
    return project_site(call) if project else user_site(call)


def _add_agent_notes(result: InstallResult, agent: str, site: InstallPlace) -> InstallResult:
    """Return the result with what a person has to do still, and what this release lacks."""
    loaded_agent = load_agent(agent)
    note, lacks = loaded_agent.note, loaded_agent.find_missing_features(site)
    return replace(
        result,
        note=Words(note) if note else None,
        missing=Words(lacks) if lacks else None,
    )


def _apply_edits(
    call: Call, agent: str, edits: list[Edit], *, dry_run: bool, uninstall: bool
) -> InstallResult:
    """Plan every file, then write all files, unless the changes are only to be shown."""
    ledger = InstallRecord(call.home.folder)
    plan = change.plan_file_removal if uninstall else change.plan_file_change
    if dry_run:
        changes = tuple(plan(edit, ledger) for edit in edits)
    else:
        with ledger.alone(edits):
            changes = tuple(plan(edit, ledger) for edit in edits)
            if uninstall:
                change.uninstall(changes, ledger)
            else:
                change.install_edits(edits, changes, ledger)
                (call.home.folder / DAEMON_DOWN).unlink(missing_ok=True)
    return InstallResult(
        agent=agent, changes=changes, note=None, dry_run=dry_run, uninstalled=uninstall
    )


def _build_table(
    hosts: tuple[HostHere, ...],
    chosen: tuple[InstallResult, ...] = (),
    note: Words | None = None,
) -> InstallResult:
    return InstallResult(
        agent="",
        changes=(),
        note=note,
        dry_run=False,
        uninstalled=False,
        found=note is None and not any(each.refused for each in chosen),
        hosts=hosts,
        chosen=chosen,
    )


def _with_unread_hosts(call: Call, result: InstallResult) -> InstallResult:
    """Return the table with the hosts that it has no row for, and that are here."""
    return replace(result, not_read=list_unread_hosts(call) or None)


def _offer_hosts(call: Call) -> InstallResult:
    """Show a person the agents that are here, and install Gieok in those that they choose."""
    hosts = list_hosts(call)
    here = tuple(host for host in hosts if host.is_here)
    waiting = [host.name for host in here if not host.is_installed]
    if not here:
        return _build_table(hosts, note=Words("nothing was installed: no agent is on this machine"))
    if waiting and call.ask is None:
        note = Words("nothing was installed: name an agent, or answer at a terminal")
        return _build_table(here, note=note)
    if waiting:
        call.tell(render_hosts(here, Style(call.lang, colour=False)))
    chosen = tuple(
        _install_or_refuse(call, name)
        for name in waiting
        if call.agrees([], call.words("install Gieok in {agent}? [y/N] ", agent=name), "")
    )
    if chosen:
        here = tuple(host for host in list_hosts(call) if host.is_here)
    return _build_table(here, chosen)


def _install_or_refuse(call: Call, name: str) -> InstallResult:
    """Install Gieok in an agent, or return why not: what others got is reported all the same."""
    try:
        return install_agent(call, agent=name)
    except (GieokError, OSError) as error:
        why = error.in_full if isinstance(error, GieokError) else find_os_reason(error)
        refused = Words.of("{agent} is left as it is: {why}", agent=name, why=why)
    return replace(_build_table(()), agent=name, hosts=None, refused=refused)


def _plan_command_files(
    call: Call, site: InstallPlace, *, agent: str, commands: bool, dry_run: bool, uninstall: bool
) -> list[Edit]:
    """Return the edits of command files.

    Command files are added where the request or a person wants them, and removed on removal.
    """
    edits = load_agent(agent).build_command_edits(site, build_own_command(call))
    if not edits:
        if commands:
            raise BadRequest(
                "{agent!r} has no command files", agent=agent, hint="leave out --commands"
            )
        return []
    there = [edit for edit in edits if edit.path.exists()]
    if uninstall:
        return there
    if not (commands or dry_run) and len(there) < len(edits) and call.ask:
        names = ", ".join(f"/{edit.path.stem}" for edit in edits)
        shown = call.words("commands for a project's code: {names}", names=names)
        question = call.words("install them too? [y/N] ")
        return edits if call.agrees([shown], question, "") else []
    return edits if commands else []


_STATUS = {
    "created": Words("created"),
    "changed": Words("changed"),
    "removed": Words("removed"),
    "unchanged": Words("unchanged"),
}
