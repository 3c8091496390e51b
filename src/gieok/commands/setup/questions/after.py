"""Actions offered once the settings are saved."""

from collections import Counter
from collections.abc import Sequence

from gieok.commands.command import printable
from gieok.commands.setup.dialogue import FREE, Pick
from gieok.commands.setup.interview import NO, YES, Given, Interview
from gieok.commands.setup.machine import FoundAgent
from gieok.commands.setup.note_folder import FoundExport, NoteFolder
from gieok.commands.setup.questions.agents import format_transcript_count
from gieok.commands.setup.questions.question import AnswerKind, SetupQuestion, YesNoQuestion
from gieok.memory.files.roots import SUFFIXES
from gieok.text.amounts import format_size
from gieok.text.messages import Words

#: Answer that takes the notes of a folder and leaves the exports in it.
NOTES_ALONE = "notes"
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
                "An agent gets the matching memories before it answers: {names}. `gieok install "
                "AGENT --uninstall` takes Gieok out."
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

    Where no agent is here, notes are all there is: Enter takes the first found folder of notes, or
    asks for one.
    """

    name = "notes"
    step = 1
    kind = AnswerKind.ONE
    words = Words("Search your own notes too?")
    free = Words("a folder …")

    def note(self, known: Interview) -> Sequence[str]:
        kinds = ", ".join(SUFFIXES)
        return (
            known.words("Notes ({kinds}) stay as they are and where they are.", kinds=kinds),
            known.words(
                "Exports of ChatGPT, Claude and others are found too. You see what is there first."
            ),
        )

    def picks(self, known: Interview) -> Sequence[Pick]:
        folders = known.machine.note_folders
        found = [Pick(str(folder), known.shown_path(folder)) for folder in folders]
        return [*found, Pick(NO, known.words("no"))]

    def default(self, known: Interview) -> Given:
        if known.call.ask is None or known.machine.agents:
            return NO
        folder = known.machine.default_notes
        return str(folder) if folder else FREE

    def wrong(self, known: Interview, text: str) -> str:
        if not text.strip():
            return known.words("type a folder, or drop it here; Shift-Tab goes back")
        folder = known.path(text.strip())
        if folder.is_dir():
            return ""
        return known.words("there is no folder {gone}", gone=known.shown_path(folder))


class _TakeNotesQuestion(SetupQuestion):
    """What of the folder is taken in, after a person saw what is there; without one, the notes."""

    name = "take_notes"
    step = 1
    kind = AnswerKind.ONE
    words = Words("Read this?")

    def applies(self, known: Interview) -> bool:
        return bool(find_typed_notes(known))

    def note(self, known: Interview) -> Sequence[str]:
        found = _survey_typed_notes(known)
        lines = []
        if found.notes:
            count = found.notes.total()
            kinds = _format_kinds(found.notes)
            template = "{count} note: {kinds}"
            plural = "{count:,} notes: {kinds}"
            lines.append(known.words(template, plural=plural, count=count, kinds=kinds))
        lines += [_describe_export(known, found_export) for found_export in found.exports]
        if found.is_empty:
            lines.append(known.words("nothing that Gieok reads"))
        if found.unread:
            kinds = _format_kinds(found.unread)
            lines.append(known.words("not read: {kinds}", kinds=kinds))
        return (known.words("Found there:"), *(f"  {line}" for line in lines))

    def picks(self, known: Interview) -> Sequence[Pick]:
        found = _survey_typed_notes(known)
        picks = [] if found.is_empty else [Pick(YES, known.words("yes"))]
        if found.notes and found.exports:
            picks.append(Pick(NOTES_ALONE, known.words("the notes alone")))
        return [*picks, Pick(NO, known.words("no"))]

    def values(self, known: Interview) -> Sequence[str]:
        """Return each answer: one file of answers is used on folders of all kinds."""
        del known
        return [YES, NOTES_ALONE, NO]

    def default(self, known: Interview) -> Given:
        values = [pick.value for pick in self.picks(known)]
        return NOTES_ALONE if NOTES_ALONE in values else values[0]


def _describe_export(known: Interview, found: FoundExport) -> str:
    """Return what a found export is, whose, and how much is in it."""
    export = found.export
    details = [printable(export.account)] if export.account else []
    if export.has_more:
        template = "more than {count:,} conversations"
        details.append(known.words(template, count=export.conversations))
    elif export.conversations:
        template, plural = "{count} conversation", "{count:,} conversations"
        details.append(known.words(template, plural=plural, count=export.conversations))
    place = printable(known.shown_path(found.file))
    said = f"{export.label.say(known.call.lang)}: {place}"
    return f"{said} ({', '.join(details)})" if details else said


def _survey_typed_notes(known: Interview) -> NoteFolder:
    return known.survey_notes(known.path(find_typed_notes(known)))


def _format_kinds(counts: Counter[str]) -> str:
    ordered = sorted(counts.items(), key=lambda kind: (-kind[1], kind[0]))
    return ", ".join(f"{count:,} {suffix}" for suffix, count in ordered)


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


def find_typed_notes(known: Interview) -> str:
    """Return the folder that the person named, as they typed it; '' for none."""
    answer = known.text("notes").strip()
    return "" if answer in (NO, FREE) else answer


def find_chosen_notes(known: Interview) -> str:
    """Return the folder whose notes are taken in, as it was typed; '' for none."""
    is_taken = known.text("take_notes") != NO and bool(_find_named_folder(known).notes)
    return find_typed_notes(known) if is_taken else ""


def find_chosen_exports(known: Interview) -> tuple[FoundExport, ...]:
    """Return the exports in the folder that are taken in."""
    return _find_named_folder(known).exports if known.text("take_notes") == YES else ()


def _find_named_folder(known: Interview) -> NoteFolder:
    """Return what is in the folder that the person named; nothing where they named none."""
    is_named = bool(find_typed_notes(known))
    return _survey_typed_notes(known) if is_named else NoteFolder(Counter(), (), Counter())


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
        return (
            known.words(
                "It reads changed notes and new talk by itself; nothing leaves this machine."
            ),
        )

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
    _TakeNotesQuestion(),
    _NotesUnaskedQuestion(),
    _StartQuestion(),
    _PagesQuestion(),
)
