"""Removes repeated history and program-made openings: what was said once is kept once.

A fork, a resumed session and some hosts' rewriting of a session copy earlier messages, under new
ids and sometimes with new times. A copy is recognised by its order: the same words of the same
speakers in sequence, starting at the beginning of a known history. A prompt that many sessions
begin with comes from a program, or is one that a person keeps for all their sessions: it is no
memory.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from gieok.agents.formats import Transcript
from gieok.agents.transcripts.session import Session
from gieok.model.conversation import Message, Retraction, Role, TranscriptEvent, Turn
from gieok.model.memory import Scope
from gieok.ports.journal import Conversations, Journal, KeptValues, MadeDocuments

#: Realms of the journal: sessions by their beginning, and the copied history of sessions that begin
#: with a copy.
OPENINGS, FORKS = "openings:", "forks:"
#: Length of the beginnings that are compared, and how many sessions with one beginning make it a
#: program's.
_OPENING_CHARS = 60
_MANY_SESSIONS = 4
#: Sessions kept for each beginning: the first ones, and the newest.
_MOST_KEPT = 24
#: Forks of forks that are followed.
MOST_FORK_DEPTH = 24
_HEX = 16
_SPEAKERS = (Role.USER, Role.ASSISTANT)


class CopiesJournal(Journal, Conversations, KeptValues, MadeDocuments, Protocol):
    """Methods that this module needs of a journal."""


class ForkedFrom(NamedTuple):
    """What a session copied at its beginning: `length` turns of its parent's history from `start`.

    The history of the parent begins with what the parent copied itself.
    """

    scope: Scope
    parent: str
    start: int
    length: int


def read_fork(journal: KeptValues, agent: str, session: str) -> ForkedFrom | None:
    """Return what a session copied; None where it copied nothing."""
    value = journal.kept(f"{FORKS}{agent}").get(session)
    if not value:
        return None
    scope, parent, start, length = json.loads(value)
    return ForkedFrom(Scope(scope), parent, start, length)


class Opened(NamedTuple):
    """Session that is known by its first prompt.

    `is_taken`: the prompt was taken back out of the journal. `is_typed`: a person surely typed the
    prompt.
    """

    scope: str
    session: str
    message: str
    is_taken: bool = False
    is_typed: bool = False


class _Spoken(NamedTuple):
    """Message in the form in which it is compared.

    `text` is None for a forgotten message, which may have said anything.
    """

    role: Role
    text: str | None
    at: str
    id: str


@dataclass(slots=True)
class _Copying:
    """History that a transcript is repeating, and the position that the repetition has reached."""

    history: Sequence[_Spoken]
    position: int


@dataclass(slots=True)
class Copies:
    """Filter that removes from new events the messages that were said before."""

    journal: CopiesJournal
    #: By session: a copy that goes on in the next portion.
    _copying: dict[tuple[str, str], _Copying] = field(default_factory=dict)

    def without_copies(
        self, scope: Scope, transcript: Transcript, events: list[TranscriptEvent], *, is_first: bool
    ) -> list[TranscriptEvent]:
        """Return the events of a portion that are no copies.

        `is_first`: no part of the file was read before.
        """
        session = transcript.session
        name = (session.agent, session.id)
        originals: list[TranscriptEvent] = []
        copying = self._copying.pop(name, None)
        position = self._pass_copy(name, events, copying) if copying else 0
        is_opening = is_first
        while position < len(events):
            event = events[position]
            if isinstance(event, Retraction):  # what comes again behind it is what holds
                return [*originals, *events[position:]]
            if event.role in _SPEAKERS and (is_opening or event.text == transcript.opening):
                is_user = event.role is Role.USER
                if is_user or session.copied_from:
                    after = self._open(scope, transcript, events[position:], originals)
                    is_opening = is_opening and not is_user
                    if after:
                        position += after
                        continue
            originals.append(event)
            position += 1
        return originals

    def _open(
        self,
        scope: Scope,
        transcript: Transcript,
        events: Sequence[TranscriptEvent],
        before: Sequence[TranscriptEvent],
    ) -> int:
        """Return how many events to leave out, from a first prompt on.

        0 if the prompt was said in this session.
        """
        session, message = transcript.session, events[0]
        own = [*self._own(scope, session.agent, session.id), *_list_spoken_messages(before)]
        if own and (
            not transcript.format.has_ids or any(spoken.id == message.id for spoken in own)
        ):
            return 0  # the same line, read again; or lines are counted
        if own:
            run = _align_with_history(events, own)
            return (
                self._end(session, events, run)
                if run and (run.position == len(own) or run.is_dated)
                else 0
            )
        if not isinstance(message, Message):
            return 0
        for parent_scope, parent in self._candidates(scope, session, message):
            is_named = parent == session.copied_from
            run = _align_with_history(
                events, self._history(parent_scope, session.agent, parent), is_anywhere=is_named
            )
            if run and ((is_named and not run.start) or run.is_answered or run.is_dated):
                self._keep_fork(session, parent_scope, parent, run)
                return self._end(session, events, run)
        return int(message.role is Role.USER and self._keep_opening(scope, transcript, message))

    def _end(self, session: Session, events: Sequence[TranscriptEvent], run: "_RepeatedRun") -> int:
        """Return how many events a copy has.

        If the copy fills the rest of the portion, it may go on in the next portion.
        """
        if run.end == len(events):
            self._copying[session.agent, session.id] = _Copying(run.history, run.position)
        return run.end

    def _pass_copy(
        self, name: tuple[str, str], events: Sequence[TranscriptEvent], copying: _Copying
    ) -> int:
        """Return where a copy ends that began in the portion before."""
        run = _follow_history(events, copying.history, copying.position)
        if run.end == len(events):
            self._copying[name] = _Copying(copying.history, run.position)
        return run.end

    # What is known

    def _own(self, scope: Scope, agent: str, session: str) -> list[_Spoken]:
        return [_of_turn(turn) for turn in self.journal.turns(scope, agent, session)]

    def _history(self, scope: Scope, agent: str, session: str, depth: int = 0) -> list[_Spoken]:
        """Return the messages of a session, including those that the session itself copied."""
        own = self._own(scope, agent, session)
        forked = read_fork(self.journal, agent, session)
        if forked is None or depth > MOST_FORK_DEPTH:
            return own
        history = self._history(forked.scope, agent, forked.parent, depth + 1)
        return [*history[forked.start : forked.start + forked.length], *own]

    def _candidates(
        self, scope: Scope, session: Session, message: Message
    ) -> Iterator[tuple[Scope, str]]:
        """Yield the sessions that may have been copied.

        They are the session that the header names, and sessions that begin alike.
        """
        if session.copied_from:
            known = [
                candidate
                for candidate in (scope, *self.journal.scopes())
                if self._own(candidate, session.agent, session.copied_from)
            ]
            yield (known or [scope])[0], session.copied_from
        for opened in self._opened(session.agent, message.text):
            if opened.session not in (session.id, session.copied_from):
                yield Scope(opened.scope), opened.session

    # How sessions begin

    def _opened(self, agent: str, text: str) -> list[Opened]:
        realm, name = _place_of(agent, text)
        return _parse_session_openings(self.journal.kept(realm).get(name, ""))

    def _keep_opening(self, scope: Scope, transcript: Transcript, message: Message) -> bool:
        """Record how a session begins; return whether its beginning is a program's.

        It is when many sessions begin alike. The first prompts of earlier such sessions, which
        could not be recognised yet, are taken back.
        """
        session = transcript.session
        realm, name = _place_of(session.agent, message.text)
        is_typed = message.id in transcript.typed  # which the host says itself
        own = Opened(str(scope), session.id, message.id, is_typed=is_typed)
        alike = [
            opening
            for opening in self._opened(session.agent, message.text)
            if opening.session != session.id
        ]
        count = 1 + sum(not opening.is_typed for opening in alike)
        is_many = (
            len(_normalise_spoken_text(message.text)) >= _OPENING_CHARS
            and not is_typed
            and count >= _MANY_SESSIONS
        )
        if is_many:
            self._take_back(
                [opening for opening in alike if not (opening.is_taken or opening.is_typed)]
            )
            alike = [opening._replace(is_taken=True) for opening in alike]
            own = own._replace(is_taken=True)
        openings = [*alike, own]
        openings = (
            openings
            if len(openings) <= _MOST_KEPT
            else [*openings[:_MANY_SESSIONS], *openings[_MANY_SESSIONS - _MOST_KEPT :]]
        )
        self.journal.keep(realm, {name: json.dumps(openings)})
        return is_many

    def _take_back(self, openings: Sequence[Opened]) -> None:
        """Remove first prompts, and the observations made of them alone."""
        for scope in {opening.scope for opening in openings}:
            own = [opening for opening in openings if opening.scope == scope]
            self.journal.say(
                Scope(scope), [Retraction(opening.session, opening.message) for opening in own]
            )
            taken = {opening.message for opening in own}
            documents = (entry.document for entry in self.journal.made(Scope(scope)))
            sources = (
                (document, {i for o in document.provenance for i in o.message_ids})
                for document in documents
            )
            gone = [
                (document.scope, document.key) for document, ids in sources if ids and ids <= taken
            ]
            if gone:
                self.journal.hand_over(forget=gone)

    def _keep_fork(self, session: Session, scope: Scope, parent: str, run: "_RepeatedRun") -> None:
        forked = ForkedFrom(scope, parent, run.start, run.position - run.start)
        value = json.dumps([str(scope), *forked[1:]])
        self.journal.keep(f"{FORKS}{session.agent}", {session.id: value})


class _RepeatedRun(NamedTuple):
    """Run of events that repeat a history: its length, and its range in the history.

    An agent's answer in the same words, or even equal times, make sure that the run is a copy.
    """

    end: int
    start: int
    position: int
    history: Sequence[_Spoken]
    is_answered: bool
    is_dated: bool


def _align_with_history(
    events: Sequence[TranscriptEvent], history: Sequence[_Spoken], *, is_anywhere: bool = False
) -> _RepeatedRun | None:
    """Return the longest run of events that repeats a history.

    The run starts at the history's beginning, or with `is_anywhere` at any place.
    """
    starts = range(len(history)) if is_anywhere else range(min(1, len(history)))
    runs = [
        _follow_history(events, history, start)
        for start in starts
        if _is_spoken_message(events[0], history[start])
    ]
    return max(runs, key=lambda run: run.end, default=None)


def _follow_history(
    events: Sequence[TranscriptEvent], history: Sequence[_Spoken], start: int
) -> _RepeatedRun:
    """Return how far events repeat a history from `start`.

    Tool calls belong to the message before them.
    """
    at, end, is_answered, is_dated = start, 0, False, False
    for number, event in enumerate(events):
        if not isinstance(event, Message):
            break
        if event.role in _SPEAKERS:
            if at == len(history) or not _is_spoken_message(event, history[at]):
                break
            is_answered = is_answered or (
                event.role is Role.ASSISTANT and at > start and history[at].text is not None
            )
            is_dated = is_dated or history[at].at == event.at.isoformat()
            at += 1
        end = number + 1
    return _RepeatedRun(
        end=end,
        start=start,
        position=at,
        history=history,
        is_answered=is_answered,
        is_dated=is_dated,
    )


def _is_spoken_message(message: TranscriptEvent, spoken: _Spoken) -> bool:
    return (
        isinstance(message, Message)
        and message.role is spoken.role
        and spoken.text in (None, _normalise_spoken_text(message.text))
    )


def _normalise_spoken_text(text: str) -> str:
    return " ".join(text.split())


def _of_turn(turn: Turn) -> _Spoken:
    message = turn.message
    text = None if turn.is_forgotten else _normalise_spoken_text(turn.said or message.text)
    return _Spoken(message.role, text, message.at.isoformat(), message.id)


def _list_spoken_messages(events: Sequence[TranscriptEvent]) -> list[_Spoken]:
    messages = (event for event in events if isinstance(event, Message) and event.role in _SPEAKERS)
    return [
        _Spoken(
            message.role, _normalise_spoken_text(message.text), message.at.isoformat(), message.id
        )
        for message in messages
    ]


def _place_of(agent: str, text: str) -> tuple[str, str]:
    """Return the realm and name under which sessions with this beginning are kept.

    The name holds no words, only their hash.
    """
    name = hashlib.sha256(
        _normalise_spoken_text(text)[:_OPENING_CHARS].encode("utf-8", "replace")
    ).hexdigest()[:_HEX]
    return f"{OPENINGS}{agent}:{name[:2]}", name


def _parse_session_openings(value: str) -> list[Opened]:
    try:
        return [Opened(*row) for row in json.loads(value)] if value else []
    except (ValueError, TypeError):
        return []
