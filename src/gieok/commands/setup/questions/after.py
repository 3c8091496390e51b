"""Actions offered once the settings are saved."""

from collections.abc import Sequence

from gieok.commands.setup.dialogue import Pick
from gieok.commands.setup.interview import NO, YES, Given, Interview
from gieok.commands.setup.machine import FoundAgent
from gieok.commands.setup.questions.agents import format_transcript_count
from gieok.commands.setup.questions.question import AnswerKind, SetupQuestion, YesNoQuestion
from gieok.memory.files.roots import SUFFIXES
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
                "{names} gets the matching memories before it answers. `gieok install AGENT "
                "--uninstall` takes Gieok out."
            ),
            names=names,
        )
        return (note,)


class _HistoryQuestion(YesNoQuestion):
    """Whether the transcripts of the ticked agents are read at once."""

    name = "take_in"
    step = 1
    words = Words("Read what was said so far?")

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


class _NotesQuestion(SetupQuestion):
    """Which folder of a person's own notes is searched: a found one, or one that they type.

    Enter takes the first found folder of notes where no agent is here, as notes are then all there
    is.
    """

    name = "notes"
    step = 1
    kind = AnswerKind.ONE
    words = Words("Search your own notes too?")
    free = Words("a folder …")

    def note(self, known: Interview) -> Sequence[str]:
        kinds = ", ".join(SUFFIXES)
        note = known.words("Text files ({kinds}) stay as they are and where they are.", kinds=kinds)
        return (note,)

    def picks(self, known: Interview) -> Sequence[Pick]:
        folders = known.machine.note_folders
        found = [Pick(str(folder), known.shown_path(folder)) for folder in folders]
        return [*found, Pick(NO, known.words("no"))]

    def default(self, known: Interview) -> Given:
        folder = known.machine.default_notes
        has_person = known.call.ask is not None
        return str(folder) if folder and has_person and not known.machine.agents else NO

    def wrong(self, known: Interview, text: str) -> str:
        if not text.strip():
            return known.words("name a folder")
        folder = known.path(text.strip())
        if folder.is_dir():
            return ""
        return known.words("there is no folder {gone}", gone=known.shown_path(folder))


class _NotesUnaskedQuestion(YesNoQuestion):
    """Whether agents get lines of the notes without anybody searching; Enter takes no."""

    name = "notes_unasked"
    step = 1
    words = Words("May agents read these notes unasked?")

    def applies(self, known: Interview) -> bool:
        return bool(find_chosen_notes(known) and known.ticked("agents"))

    def picks(self, known: Interview) -> Sequence[Pick]:
        return [
            Pick(NO, known.words("no, only when you or an agent searches")),
            Pick(YES, known.words("yes, the lines that fit a prompt")),
        ]

    def default(self, known: Interview) -> Given:
        del known
        return NO


def find_chosen_notes(known: Interview) -> str:
    """Return the folder of notes that the person chose, as they typed it; '' for none."""
    answer = known.text("notes").strip()
    return "" if answer == NO else answer


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


class _PagesQuestion(YesNoQuestion):
    """Whether the pages open in the browser; no where nobody sits at a terminal."""

    name = "pages"
    step = 1
    words = Words("Open your memory in the browser?")

    def applies(self, known: Interview) -> bool:
        return known.call.home.daemon is not None

    def default(self, known: Interview) -> Given:
        return NO if known.call.ask is None else YES


AFTER = (
    _InstallQuestion(),
    _HistoryQuestion(),
    _NotesQuestion(),
    _NotesUnaskedQuestion(),
    _StartQuestion(),
    _PagesQuestion(),
)
