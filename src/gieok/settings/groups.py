"""Groups of settings, by which a reader of the documents or of `gieok config show` finds one."""

from collections.abc import Iterable
from typing import NamedTuple

from gieok.text.messages import Words


class SettingGroup(NamedTuple):
    """Group of settings: its heading, what it is about, and what the names of its settings begin
    with.
    """

    heading: Words
    about: Words
    prefixes: tuple[str, ...]


GROUPS = (
    SettingGroup(
        heading=Words("You and this machine"),
        about=Words("Your language, your time zone, and whose memory is used."),
        prefixes=("lang", "scope", "zone", "threads"),
    ),
    SettingGroup(
        heading=Words("What Gieok reads"),
        about=Words("Which agents, folders and notes Gieok reads, and what it leaves out."),
        prefixes=(
            *("observe.agents", "observe.folders", "observe.notes", "index.sessions", "seed"),
            *("exclude", "redact", "watch"),
        ),
    ),
    SettingGroup(
        heading=Words("Search"),
        about=Words("How many hits a search shows, and how long a passage is."),
        prefixes=("search", "index"),
    ),
    SettingGroup(
        heading=Words("What agents are given"),
        about=Words("How much memory an agent gets before it answers, and how sure it must be."),
        prefixes=("hook", "judge"),
    ),
    SettingGroup(
        heading=Words("Active memory"),
        about=Words("The page of what matters now, with which a session begins."),
        prefixes=("active_memory",),
    ),
    SettingGroup(
        heading=Words("Rules for agents"),
        about=Words("What happens where an agent does what you forbade."),
        prefixes=("gates",),
    ),
    SettingGroup(
        heading=Words("What is remembered by itself"),
        about=Words(
            "Which model observes conversations and reflects on them, how often, and at what cost."
        ),
        prefixes=("observe", "reflect"),
    ),
    SettingGroup(
        heading=Words("Where old memories go"),
        about=Words("When a memory moves from hot to warm and cold, and where to."),
        prefixes=("archive",),
    ),
    SettingGroup(
        heading=Words("Finding by meaning"),
        about=Words("Which model makes vectors, and which one ranks hits again."),
        prefixes=("embedder", "reranker"),
    ),
    SettingGroup(
        heading=Words("Databases"),
        about=Words("Where memory and messages are kept, if not in files of SQLite."),
        prefixes=("store", "journal", "hybrid", "database", "redis", "mongo"),
    ),
    SettingGroup(
        heading=Words("Memory at Gemini File Search"),
        about=Words("A copy of your memory at Google's service, its limits and its prices."),
        prefixes=("gemini",),
    ),
    SettingGroup(
        heading=Words("Characters"),
        about=Words("Which model answers for a character, what it remembers, and points."),
        prefixes=("character",),
    ),
    SettingGroup(
        heading=Words("Source code"),
        about=Words("Which models describe code, and how much they may read."),
        prefixes=("code",),
    ),
    SettingGroup(
        heading=Words("Pages and server"),
        about=Words("Where `gieok serve` listens, who may ask it, and how much."),
        prefixes=("serve",),
    ),
    SettingGroup(
        heading=Words("The daemon and its upkeep"),
        about=Words("When the daemon runs, what it deletes, and how long logs are kept."),
        prefixes=("daemon", "doctor", "housekeeping", "logs"),
    ),
    SettingGroup(
        heading=Words("Backups, devices and keys"),
        about=Words("When backups are made, what other devices get, and where keys are kept."),
        prefixes=("backup", "sync", "keys"),
    ),
    SettingGroup(
        heading=Words("Notices"),
        about=Words("How you are told that something waits for you."),
        prefixes=("notify",),
    ),
)


def find_setting_group(name: str) -> SettingGroup | None:
    """Return the group of a setting; None for an unknown name.

    Of several groups whose prefixes fit, the one with the longest prefix holds the setting.
    """
    fitting = [
        (len(prefix), group)
        for group in GROUPS
        for prefix in group.prefixes
        if name == prefix or name.startswith((f"{prefix}.", f"{prefix}_"))
    ]
    return max(fitting, key=lambda pair: pair[0])[1] if fitting else None


def group_settings(names: Iterable[str]) -> list[tuple[SettingGroup | None, list[str]]]:
    """Return the groups in order, each with its settings in the order given; unknown names last."""
    by_group = dict[SettingGroup | None, list[str]]()
    for name in names:
        by_group.setdefault(find_setting_group(name), []).append(name)
    ordered = (*GROUPS, None)
    return [(group, by_group[group]) for group in ordered if group in by_group]
