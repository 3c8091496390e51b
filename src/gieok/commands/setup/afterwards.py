"""Carries out the chosen actions after the settings are saved.

Each action is a command that can also be called on its own.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

from gieok.commands.command import Style, printable
from gieok.commands.home.daemon import (
    render_daemon_start,
    start_home_daemon,
    stop_home_daemon,
)
from gieok.commands.observe.run import take_in_transcripts
from gieok.commands.setup.interview import YES, Interview
from gieok.commands.setup.questions.after import (
    find_chosen_exports,
    find_chosen_notes,
    to_install,
)
from gieok.errors import GieokError, Phrase, TranscriptUnreadable
from gieok.home.call import Call
from gieok.model.memory import Scope
from gieok.places.scope import USER_SCOPE
from gieok.ranking.likelihood import HIGH

_HITS, _LOW = 3, "low"
#: A person waits no longer than this for earlier conversations to be read.
_PATIENCE_S = 45.0
#: Lines of the report on indexed notes that are shown.
_REPORTED = 4


class Deed(NamedTuple):
    """Action with its outcome, or the reason why it was not done."""

    what: str
    ok: bool
    said: str


class Afterwards:
    """Actions of one setup run, under the settings as they are now."""

    def __init__(self, known: Interview) -> None:
        self._known = known
        self._call: Call = replace(known.call, home=known.call.home.reopen())
        self._style = Style(known.call.lang, colour=False)
        #: Link to the home page that admits a browser once; '' where none was asked for, or where a
        #: browser has used it up.
        self.page = ""

    def restarted(self) -> Iterator[Deed]:
        """Restart a running service, so that it reads the new settings."""
        if self._runs():
            yield self._done("up", self._started)

    def deeds(self) -> Iterator[Deed]:
        """Run the actions one by one; a failed action does not stop the others."""
        known = self._known
        if known.text("install") == YES:
            for agent in to_install(known):
                yield self._done(f"install {agent.name}", partial(self._installed, agent.name))
        if known.text("take_in") == YES:
            yield self._done("observe run", self._taken_in)
        if find_chosen_notes(known):
            yield self._done("index", self._indexed)
        for export in find_chosen_exports(known):
            shown = known.shown_path(export.file)
            yield self._done(f"import {shown}", partial(self._imported, export.file))
        if known.text("start") == YES:
            yield self._done("up", self._started)
        if known.text("pages") == YES:
            yield self._done("open", self._opened)

    def suggestion(self) -> str:
        """Return a question that memory answers; '' where none was found."""
        from gieok.commands.memory.questions import suggest_questions

        return next(iter(suggest_questions(self._everywhere(), most=1)), "")

    def answer(self, text: str) -> list[str]:
        """Return the lines that a search finds in everything imported, with their day and
        handle.
        """
        from gieok.commands.memory.hits import sort_for_reading
        from gieok.commands.memory.search import search_memory

        hits = sort_for_reading(search_memory(self._everywhere(), query=[text], limit=_HITS))
        sure = [hit for hit in hits if hit.level != _LOW] or hits[:1]
        lines = [] if sure else [self._call.words("  nothing was found")]
        for hit in sure:
            unsure = self._call.words(", unsure") if hit.level != HIGH else ""
            day = f"{hit.date} " if hit.date else ""
            file = f"{printable(hit.path)} " if hit.source == "memory" else ""
            lines += ["", f"  {day}{file}({hit.handle}{unsure})"]
            lines += [
                f"    {printable(line.strip())}"
                for line in hit.snippet.splitlines()
                if line.strip()
            ]
        return lines

    def _done(self, what: str, deed: Callable[[], str]) -> Deed:
        try:
            return Deed(what, True, deed())
        except GieokError as error:
            return Deed(what, False, f"{error}" + (f" → {error.hint}" if error.hint else ""))
        except KeyboardInterrupt:
            message = (
                "stopped; nothing is lost, and `gieok observe run --once` or the service goes on"
            )
            return Deed(
                what,
                False,
                self._call.words(message),
            )

    def _installed(self, agent: str) -> str:
        from gieok.commands.prompt.install import install_agent

        result = install_agent(replace(self._call, ask=None), agent=agent)
        count = sum(change.status != "unchanged" for change in result.changes)
        summary = self._call.words("{count} files changed", count=count)
        notes = [note.say(self._call.lang) for note in (result.note, result.missing) if note]
        return "; ".join([summary, *notes])

    def _taken_in(self) -> str:
        result, is_whole = take_in_transcripts(self._call, _PATIENCE_S)
        words = self._call.words
        summary = words("{messages:,} messages, found by search now", messages=result.messages)
        if result.troubles:
            path, why = next(iter(result.troubles.items()))
            raise TranscriptUnreadable(
                "{summary}; {count} not read: {path}: {why}",
                summary=Phrase(summary),
                count=len(result.troubles),
                path=path,
                why=Phrase(why),
                hint="",
            )
        if result.waiting:
            return f"{summary}; {result.waiting}"
        if is_whole:
            return summary
        later = words("the service goes on with what matters in them")
        alone = words("`gieok observe run --once` goes on with what matters")
        return f"{summary}; {later if self._known.text('start') == YES or self._runs() else alone}"

    def _indexed(self) -> str:
        from gieok.commands.memory.index import index_memory, render_index_report

        folder = str(self._known.path(find_chosen_notes(self._known)))
        from gieok.commands.prompt.refuse import keep_folder_back, release_folder

        if self._known.text("notes_unasked") == YES:
            release_folder(self._call, folder)
        else:
            keep_folder_back(self._call, folder)
        # They are the person's own, also where setup runs in a project.
        own = replace(self._call, scope=Scope(USER_SCOPE), also=())
        report = render_index_report(index_memory(own, paths=[folder]), self._style)
        return "\n".join(report.splitlines()[:_REPORTED])

    def _imported(self, file: Path) -> str:
        from gieok.commands.moving.import_memory import import_memories, render_import

        own = replace(self._call, scope=Scope(USER_SCOPE), also=(), tell=_ignore_note)
        # the service makes vectors and observes beside the person's first question
        no_wait = self._known.text("start") == YES or self._runs()
        report = render_import(import_memories(own, what=[str(file)], no_wait=no_wait), self._style)
        return "\n".join(line.strip() for line in report.splitlines()[1:2])

    def _opened(self) -> str:
        from gieok.commands.home.open_pages import open_web_pages

        opened = open_web_pages(self._call)
        if opened.opened:
            return self._call.words("your home page is open in the browser")
        self.page = opened.link
        return self._call.words("its address stands below")

    def _runs(self) -> bool:
        daemon = self._call.home.daemon
        return daemon is not None and daemon.status() is not None

    def _started(self) -> str:
        """Start the daemon, or restart a running daemon so that it reads the new settings."""
        if self._runs():
            stop_home_daemon(self._call)
        return render_daemon_start(start_home_daemon(self._call), self._style)

    def _everywhere(self) -> Call:
        """Return a call that reads every scope: conversations are in the scopes of projects."""
        scopes = dict.fromkeys((*self._call.scopes, *self._call.home.sidecar.scopes()))
        first, *more = scopes
        return replace(self._call, scope=first, also=tuple(more))


def _ignore_note(note: str) -> None:
    del note
