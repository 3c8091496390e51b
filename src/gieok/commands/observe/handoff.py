"""`gieok handoff`: what a session decided, left open, ran and changed, for whoever goes on."""

import os
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok import fs
from gieok.agents.sources import ScopedTranscript
from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Omitted, OrNull
from gieok.commands.scope_names import name_scope
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.memory.capture import spool
from gieok.memory.capture.freshness import Backlog
from gieok.memory.catch_up import BUDGET_TURNS
from gieok.memory.handoff import page
from gieok.memory.handoff.digest import (
    ChangedFile,
    CommandRun,
    Quote,
    SessionDigest,
    digest_session,
)
from gieok.memory.handoff.history import SourceSession, read_session_history
from gieok.memory.handoff.judgements import KeptJudge
from gieok.memory.observer.rules import GivenContext, RulesObserver
from gieok.memory.talk import turns
from gieok.memory.talk.claims.ended_file import ended_lines
from gieok.model.conversation import Journalled, KnownSession
from gieok.model.memory import Scope
from gieok.places.scope import USER_SCOPE
from gieok.text.messages import WordList, Words

_MOST_SESSIONS = 200
#: Statements beside the rules that are judged worth keeping where time is short: more than a
#: context is told.
_NEWEST = 60
_NAMED_SESSIONS = 5


class HandoffQuote(NamedTuple):
    """Words as they were said: by whom, when, and the agent's words that they answer."""

    who: str
    text: str
    at: datetime
    answers: OrNull[str]


@dataclass(frozen=True, slots=True)
class HandoffResult:
    """Page about a session in Markdown, and what it was made of; each part oldest first."""

    agent: str
    session: str
    scope: Scope
    began: datetime
    ended: datetime
    transcript: OrNull[str]
    language: str
    asked: tuple[HandoffQuote, ...]
    rules: tuple[HandoffQuote, ...]
    decided: tuple[HandoffQuote, ...]
    told: tuple[HandoffQuote, ...]
    open: tuple[HandoffQuote, ...]
    commands: tuple[CommandRun, ...]
    files: tuple[ChangedFile, ...]
    #: Whether the session's transcript was read to its end; else what is here may be its first
    #: part alone.
    is_whole: bool
    page: str
    #: File to which the page was written; left out where none was.
    to: Omitted[Path] = None

    @property
    def found(self) -> bool:
        """True: a session without messages is an error."""
        return True


def render_handoff(result: HandoffResult, style: Style) -> str:
    """Show the page, or where it was written."""
    if result.to is not None:
        return f"→ {style.bold(printable(style.path(str(result.to))))}"
    return printable(result.page.rstrip("\n"))


@command(
    "handoff",
    Words("Show what a session decided, left open, ran and changed, for whoever goes on"),
    present=render_handoff,
    effect=Effect.WRITE,
    examples=("gieok handoff", "gieok handoff --session 0ece7224 --to handoff.md"),
)
def hand_session_over(
    call: Call,
    *,
    session: Annotated[
        str, Parameter(Words("the session's id, or its beginning (default: the newest here)"))
    ] = "",
    agent: Annotated[str, Parameter(Words("the agent whose session it is"))] = "",
    budget: Annotated[int, Parameter(Words("tokens that the page may take"))] = 1_200,
    to: Annotated[str, Parameter(Words("new file to write the page to"))] = "",
    transcript: Annotated[
        str, Parameter(Words("the session's transcript: no other is read first"))
    ] = "",
    within_ms: Annotated[
        int, Parameter(Words("stop reading after this, and judge only the newest; 0: never"))
    ] = 0,
) -> HandoffResult:
    """Quote the messages of a session: nothing in the page is written anew.

    Transcripts that wait to be read are read first, and the session's own to its end.
    """
    if budget <= 0:
        raise BadRequest("budget is {budget}", budget=budget, hint="it must be positive")
    file = call.caller.path(to) if to else None
    if file is not None and os.path.lexists(file):
        raise BadRequest("{target!r} is there already", target=file, hint="name another with --to")
    end = time.monotonic() + within_ms / 1000 if within_ms else float("inf")
    known, is_whole = _read_session(call, agent, session, transcript, end)
    found, names = read_session_history(call.home.journal, known, call.scopes)
    digest = digest_session(
        known.scope,
        found,
        _open_observer(call),
        frozenset(identity for name in names for identity in _iter_ended(call, name)),
        _list_gaps(call, names, found),
        _NEWEST if within_ms else 0,
    )
    if within_ms and time.monotonic() < end and not _is_followed(call):
        call.home.sidecar.derive_turns(most=BUDGET_TURNS, wait=False)
    name = page.HandedSession(
        agent=known.agent,
        session=known.session,
        scope=name_scope(known.scope).say(digest.language),
        transcript=_find_transcript(found),
        root=str(call.caller.folder),
        is_whole=is_whole,
    )
    text = page.render_page(name, digest, call.zone, budget, digest.language)
    if file is not None and not fs.create_new_file(file, text):
        raise BadRequest("{target!r} is there already", target=file, hint="name another with --to")
    return _build_handoff_result(name, known, digest, text, file)


def _read_session(
    call: Call, agent: str, session: str, transcript: str, end: float
) -> tuple[SourceSession, bool]:
    """Find a session, and take in its transcript until a moment.

    Return the session, and whether its transcript was read to its end.
    """
    if transcript:
        is_whole = _read_transcript(call, Path(transcript), end)
        scope, known = _find_session(call, agent, session, Backlog())
    else:
        scope, known = _find_session(call, agent, session, _read_waiting(call))
        own = call.home.journal.session_messages(scope, known.agent, known.session)
        is_whole = _read_transcript(call, Path(_find_transcript(own)), end)
    return SourceSession(scope, known.agent, known.session), is_whole


def _build_handoff_result(
    name: page.HandedSession,
    known: SourceSession,
    digest: SessionDigest,
    text: str,
    file: Path | None,
) -> HandoffResult:
    return HandoffResult(
        agent=known.agent,
        session=known.session,
        scope=known.scope,
        began=digest.began,
        ended=digest.ended,
        transcript=name.transcript,
        language=digest.language,
        asked=_encode_quotes(digest.asked),
        rules=_encode_quotes(digest.rules),
        decided=_encode_quotes(digest.decided),
        told=_encode_quotes(digest.told),
        open=_encode_quotes(digest.open),
        commands=digest.commands,
        files=digest.files,
        is_whole=name.is_whole,
        page=text,
        to=file,
    )


def _read_waiting(call: Call) -> Backlog:
    """Take in what agents wrote last, and the transcripts of the hooks' events.

    The events stay where they are: whoever follows them also observes what ended. Return what is
    left unread.
    """
    sidecar = call.home.sidecar
    sidecar.capture_paths(
        [event.transcript for event in spool.events(sidecar.spool, call.clock.now())]
    )
    return call.home.catch_up()


def _read_transcript(call: Call, file: Path, end: float) -> bool:
    """Take in a session's transcript until a moment; return whether it was read to its end."""
    sidecar = call.home.sidecar
    source = sidecar.find_source(file) or ScopedTranscript(file, sidecar.transcripts.default_scope)
    while not sidecar.capture_some(source):
        if time.monotonic() >= end or not file.is_file():
            return False
    return str(file) not in sidecar.capture.captured.troubles


def _is_followed(call: Call) -> bool:
    """Say whether this process makes searchable by itself what it reads."""
    return call.home.resident is not None and call.home.resident.follows


def _list_gaps(
    call: Call, names: Sequence[SourceSession], found: Sequence[Journalled]
) -> list[int]:
    """Return the places behind which something was forgotten or withheld."""
    privacy = call.home.privacy
    gaps = {place for name in names for place in call.home.journal.session_gaps(*name)}
    if privacy.has_spans:
        gaps.update(
            one.place
            for one, after in pairwise(found)
            if any(
                privacy.separates(
                    name.agent,
                    name.session,
                    one.message.at.timestamp(),
                    after.message.at.timestamp(),
                )
                for name in names
            )
        )
    return sorted(gaps)


def _find_session(
    call: Call, agent: str, session: str, backlog: Backlog
) -> tuple[Scope, KnownSession]:
    """Return the session that is meant, with its scope. Raises BadRequest."""
    journal = call.home.journal
    known = [
        (scope, one)
        for scope in call.scopes
        for one in journal.newest_sessions(scope, _MOST_SESSIONS)
        if agent in ("", one.agent)
    ]
    if not known and backlog:
        raise BadRequest(
            "no session of {scopes} was read yet, and transcripts wait to be read",
            scopes=WordList(tuple(map(name_scope, call.scopes))),
            hint="`gieok observe run --once` reads what agents have written",
        )
    if not known:
        raise BadRequest(
            "no session is known in {scopes}",
            scopes=WordList(tuple(map(name_scope, call.scopes))),
            hint="`gieok observe run --once` reads what agents have written",
        )
    if not session:
        return next((pair for pair in known if pair[0].path != USER_SCOPE), known[0])
    meant = [pair for pair in known if pair[1].session == session] or [
        pair for pair in known if pair[1].session.startswith(session)
    ]
    if len({(one.agent, one.session) for _, one in meant}) == 1:
        return meant[0]
    if meant:
        raise BadRequest(
            "{session!r} begins several sessions: {names}",
            session=session,
            names=_name_sessions(meant),
            hint="write more of the id",
        )
    raise BadRequest(
        "no session {session!r} in {scopes}",
        session=session,
        scopes=WordList(tuple(map(name_scope, call.scopes))),
        names=_name_sessions(known),
        hint="the newest here: {names}",
    )


def _name_sessions(found: Sequence[tuple[Scope, KnownSession]]) -> str:
    return ", ".join(one.session for _, one in found[:_NAMED_SESSIONS])


def _open_observer(call: Call) -> RulesObserver:
    now_s = call.clock.now().timestamp()
    judge = KeptJudge(call.home.open_reader, call.home.journal, now_s)
    return RulesObserver(call.zone, judge, GivenContext())


def _iter_ended(call: Call, name: SourceSession) -> Iterator[str]:
    """Yield the ids of a session's messages whose whole line holds no more, as last compared."""
    store, journal = call.home.store, call.home.journal
    ended = ended_lines(store, call.home.folder, name.scope, call.clock.now().timestamp())
    own = f"/{name.session}#"
    lines = [(key, line) for key, line in ended if own in key]
    keys = [key for key, _ in lines]
    blocks = {document.key: document for document in store.get(name.scope, keys)}
    for key, line in lines:
        message = turns.message_of_line(journal, blocks[key], line) if key in blocks else None
        if message is not None:
            yield message.id


def _find_transcript(found: Sequence[Journalled]) -> str:
    """Return the file that the session's last message was read from."""
    return found[-1].message.source


def _encode_quotes(quotes: Sequence[Quote]) -> tuple[HandoffQuote, ...]:
    return tuple(HandoffQuote(*quote) for quote in quotes)
