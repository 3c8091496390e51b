"""Actions offered once the settings are saved."""

from collections.abc import Sequence

from gieok.commands.setup.dialogue import Pick
from gieok.commands.setup.interview import ASKED, NO, YES, Given, Interview
from gieok.commands.setup.machine import FoundAgent
from gieok.commands.setup.questions.agents import format_transcript_count
from gieok.commands.setup.questions.question import AnswerKind, SetupQuestion, YesNoQuestion
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


class _InstallQuestion(YesNoQuestion):
    """Whether Gieok is installed in the ticked agents that do not have it yet."""

    name = "install"
    step = 1
    words = Words("Put Gieok into these agents?")

    def applies(self, known: Interview) -> bool:
        return bool(to_install(known))

    def note(self, known: Interview) -> Sequence[str]:
        names = ", ".join(agent.name for agent in to_install(known))
        note = known.words(
            (
                "{names}: what you told before stands before every prompt. `gieok install AGENT "
                "--uninstall` takes it out."
            ),
            names=names,
        )
        return (note,)


class _HistoryQuestion(YesNoQuestion):
    """Whether the transcripts of the ticked agents are read at once."""

    name = "take_in"
    step = 1
    words = Words("Take in what was said so far?")

    def applies(self, known: Interview) -> bool:
        return bool(_select_transcript_agents(known))

    def note(self, known: Interview) -> Sequence[str]:
        agents = _select_transcript_agents(known)
        count = format_transcript_count(known, sum(agent.transcripts for agent in agents))
        size = format_size(sum(agent.size for agent in agents))
        note = known.words("Ctrl-C stops it; the rest comes later.")
        return (f"{count}, {size}. {note}",)


def _select_transcript_agents(known: Interview) -> list[FoundAgent]:
    return [
        agent
        for agent in known.machine.agents
        if agent.name in known.ticked("agents") and agent.transcripts
    ]


class _VaultQuestion(SetupQuestion):
    """Whether the notes of the Obsidian vault are searched, and injected too."""

    name = "index_vault"
    step = 1
    kind = AnswerKind.ONE
    words = Words("Search the notes of your vault too?")

    def applies(self, known: Interview) -> bool:
        return bool(known.machine.vaults)

    def note(self, known: Interview) -> Sequence[str]:
        return (known.shown_path(known.machine.vaults[0]),)

    def picks(self, known: Interview) -> Sequence[Pick]:
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

    def default(self, known: Interview) -> Given:
        del known
        return NO


class _StartQuestion(YesNoQuestion):
    """Whether the daemon starts now; Enter takes no where it must not start by itself."""

    name = "start"
    step = 1
    words = Words("Start the service now?")

    def applies(self, known: Interview) -> bool:
        daemon = known.call.home.daemon
        return daemon is not None and daemon.status() is None

    def note(self, known: Interview) -> Sequence[str]:
        if known.text("model") not in ("", "rules"):
            return ()
        return (known.words("It reads along as you work; nothing leaves this machine."),)

    def default(self, known: Interview) -> Given:
        is_off = known.setting("daemon.autostart") == "off" or bool(
            known.call.caller.environment.get("CI")
        )
        return NO if is_off else YES


AFTER = (_InstallQuestion(), _HistoryQuestion(), _VaultQuestion(), _StartQuestion())
