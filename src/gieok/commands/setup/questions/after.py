"""Actions offered once the settings are saved."""

from collections.abc import Sequence

from gieok.commands.setup.interview import (
    ASKED,
    NO,
    YES,
    AnswerKind,
    Interview,
    SetupQuestion,
    yes_no,
)
from gieok.commands.setup.machine import FoundAgent
from gieok.commands.setup.questions.agents import format_transcript_count
from gieok.ports.dialogue import Pick
from gieok.text.amounts import format_size
from gieok.text.messages import Words

AFTER_TITLE = {1: Words("And now")}


def to_install(known: Interview) -> list[FoundAgent]:
    """Return the ticked agents in which Gieok is not installed yet."""
    return [
        agent
        for agent in known.machine.agents
        if agent.name in known.ticked("agents") and not agent.is_installed
    ]


def _select_transcript_agents(known: Interview) -> list[FoundAgent]:
    return [
        agent
        for agent in known.machine.agents
        if agent.name in known.ticked("agents") and agent.transcripts
    ]


def _install_note(known: Interview) -> Sequence[str]:
    names = ", ".join(agent.name for agent in to_install(known))
    note = known.words(
        (
            "{names}: what you told before stands before every prompt. `gieok install AGENT "
            "--uninstall` takes it out."
        ),
        names=names,
    )
    return (note,)


def _history_note(known: Interview) -> Sequence[str]:
    agents = _select_transcript_agents(known)
    count = format_transcript_count(known, sum(agent.transcripts for agent in agents))
    size = format_size(sum(agent.size for agent in agents))
    note = known.words("Ctrl-C stops it; the rest comes later.")
    return (f"{count}, {size}. {note}",)


def _is_daemon_running(known: Interview) -> bool:
    daemon = known.call.home.daemon
    return daemon is not None and daemon.status() is not None


def _suggest_daemon_start(known: Interview) -> str:
    is_off = known.setting("daemon.autostart") == "off" or bool(
        known.call.caller.environment.get("CI")
    )
    return NO if is_off else YES


def _suggest_vault_path(known: Interview) -> str:
    return known.shown_path(known.machine.vaults[0]) if known.machine.vaults else ""


def _vault_picks(known: Interview) -> list[Pick]:
    return [
        Pick(
            ASKED,
            known.words("yes, but agents get nothing of them unasked"),
        ),
        Pick(
            YES,
            known.words("yes, and agents get what bears on a prompt"),
        ),
        Pick(NO, known.words("no")),
    ]


AFTER = (
    SetupQuestion(
        name="install",
        step=1,
        kind=AnswerKind.ONE,
        words=Words("Put Gieok into these agents?"),
        note=_install_note,
        applies=lambda known: bool(to_install(known)),
        picks=yes_no,
        default=lambda known: YES,
    ),
    SetupQuestion(
        name="take_in",
        step=1,
        kind=AnswerKind.ONE,
        words=Words("Take in what was said so far?"),
        note=_history_note,
        applies=lambda known: bool(_select_transcript_agents(known)),
        picks=yes_no,
        default=lambda known: YES,
    ),
    SetupQuestion(
        name="index_vault",
        step=1,
        kind=AnswerKind.ONE,
        words=Words("Search the notes of your vault too?"),
        note=lambda known: (_suggest_vault_path(known),),
        applies=lambda known: bool(known.machine.vaults),
        picks=_vault_picks,
        default=lambda known: NO,
    ),
    SetupQuestion(
        name="start",
        step=1,
        kind=AnswerKind.ONE,
        words=Words("Start the service now?"),
        note=lambda known: (
            (known.words("It reads along as you work; nothing leaves this machine."),)
            if known.text("model") in ("", "rules")
            else ()
        ),
        applies=lambda known: known.call.home.daemon is not None and not _is_daemon_running(known),
        picks=yes_no,
        default=_suggest_daemon_start,
    ),
)
