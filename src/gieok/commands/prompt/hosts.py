"""Table of the agents: what works in each, and which of them are on this machine."""

import os
import shutil
from typing import NamedTuple

from gieok.agents import sources, table
from gieok.agents.agent import Agent, load_agent
from gieok.agents.install.edits import InstallPlace
from gieok.agents.support import HostSupport, describe_host
from gieok.agents.unread_hosts import FoundUnreadHost, find_unread_hosts, name_unread_hosts
from gieok.commands.command import Style, printable
from gieok.commands.prompt.installed_hooks import Presence, find_presence
from gieok.commands.prompt.sites import user_site
from gieok.home.call import Call
from gieok.model.memory import Scope
from gieok.text.columns import count_text_columns, pad_columns
from gieok.text.messages import Words

_AGENT, _HERE = Words("agent"), Words("here")
_HEADS = (
    Words("session start"),
    Words("prompt"),
    Words("conversations"),
    Words("rules"),
    Words("MCP"),
    Words("tried with"),
)
#: Words of the table, by what `agents.support` says.
_CELLS = {
    "yes": Words("yes"),
    "no": Words("no"),
    "some releases": Words("some releases"),
    "asks": Words("asks"),
    "asks where it has a window, not tried": Words("asks where it has a window, not tried"),
    "stops": Words("stops"),
    "": Words("from its documents"),
}


class HostHere(NamedTuple):
    """One agent: what works in it, whether it is on this machine, and whether Gieok is in it."""

    name: str
    is_here: bool
    is_installed: bool
    support: HostSupport
    #: Whether something of an install is missing: a part of it, or the program that hooks call.
    is_in_part: bool = False


def list_hosts(call: Call) -> tuple[HostHere, ...]:
    """Return every agent, by name."""
    return tuple(_find_host(call, name) for name in table.NAMES)


def _find_host(call: Call, name: str) -> HostHere:
    site, agent = user_site(call), load_agent(name)
    places = agent.list_places(call.caller.user, call.caller.environment)
    is_here = is_agent_present(agent, site) or any(
        True for _ in sources.sources(places, Scope("agent:main"))
    )
    presence = find_integration(site, name) if is_here else Presence()
    return HostHere(
        name=name,
        is_here=is_here,
        is_installed=presence.is_whole,
        support=describe_host(name),
        is_in_part=presence.is_begun and not presence.is_whole,
    )


def list_unread_hosts(call: Call) -> tuple[FoundUnreadHost, ...]:
    """Return the hosts whose conversations are on this machine and are not read yet."""
    return find_unread_hosts(call.caller.user, call.caller.environment)


def list_table_heads(lang: str) -> list[str]:
    """Return the heads of the columns that say what works, the agent's name first."""
    return [head.say(lang) for head in (_AGENT, *_HEADS)]


def list_support_cells(support: HostSupport, lang: str) -> list[str]:
    """Return the row of an agent under `list_table_heads`; a release stands as it is."""
    values = (support.start, support.prompt, support.capture, support.gate, support.tools)
    said = [_CELLS[value].say(lang) for value in map(str, values)]
    return [support.name, *said, support.tried_release or _CELLS[""].say(lang)]


def render_hosts(
    hosts: tuple[HostHere, ...], style: Style, unread: tuple[FoundUnreadHost, ...] = ()
) -> str:
    """Show the table, and the command that installs Gieok in an agent that is here without it.

    `unread` are hosts that are here too, and whose conversations are not read yet.
    """
    heads = list_table_heads(style.lang)
    rows = [[heads[0], _HERE.say(style.lang), *heads[1:]]]
    for host in hosts:
        name, *cells = list_support_cells(host.support, style.lang)
        rows.append([name, _name_presence(host).say(style.lang), *cells])
    widths = [max(map(count_text_columns, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(
            pad_columns(cell, width) for cell, width in zip(row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]
    waiting = [host.name for host in hosts if host.is_here and not host.is_installed]
    lines += [f"→ `gieok install {name}`" for name in waiting]
    if unread:
        lines.append(printable(name_unread_hosts(unread).say(style.lang)))
    return "\n".join(lines)


def _name_presence(host: HostHere) -> Words:
    if host.is_installed:
        return Words("installed")
    if host.is_in_part:
        return Words("in part")
    return Words("yes") if host.is_here else Words("no")


def is_agent_present(made: Agent, site: InstallPlace) -> bool:
    """Return whether the agent was ever used here, or its program is installed."""
    if made.find_settings_folder(site).is_dir():
        return True
    program = made.rehearsal.program if made.rehearsal else ""
    return bool(program and shutil.which(program, path=site.environment.get("PATH", os.defpath)))


def find_integration(site: InstallPlace, name: str) -> Presence:
    """Return what is there of Gieok in an agent at a place; nothing where that cannot be told."""
    try:
        return find_presence(site, name)
    # An agent's own files may be malformed; the command that installs Gieok reports the fault.
    except Exception:  # noqa: BLE001
        return Presence()
