"""Attempts of a scope: the commands that agents ran and the files that they edited, in order.

They are read from the tool messages of the journal, and kept in a file up to a limit, so that only
new messages are read. Where a message was forgotten, taken back or changed, all of them are read
again: the file holds nothing that the journal does not hold.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gieok import fs
from gieok.agents.transcripts.own_talk import is_own_call
from gieok.agents.transcripts.tool_lines import ToolLine, read_tool_line
from gieok.model.conversation import Heard, Message, Role
from gieok.model.memory import Scope
from gieok.places.home import action_file
from gieok.ports.journal import FullJournal
from gieok.text.attempts.error_lines import list_error_lines, read_exit_code

#: To be raised whenever the same messages would give other attempts.
_VERSION = 1
_MOST_ATTEMPTS = 4_000
_AT_ONCE = 5_000
_ALL_TOKENS = 1 << 60
_SAID_CHARS = 200
FAILED, WORKED = "failed", "ok"


class CommandAttempt(NamedTuple):
    """Command that was run, or edit of files, with its outcome (`ok`, `failed`, '' for unknown).

    `errors` are lines of the output of a failure, each as it is shown and in its form. `is_cut`:
    the journal holds the beginning of the command alone. `at` is in Unix seconds; `said` is what
    was said last before, since the attempt before.
    """

    session: str
    agent: str
    at: float
    command: str
    is_cut: bool
    paths: tuple[str, ...]
    outcome: str
    errors: tuple[tuple[str, str], ...] = ()
    said: str = ""


class KeptAttempts(NamedTuple):
    """Attempts of a scope, oldest first, the position up to which they were read, and whether any
    is new.

    `waiting` are calls without a result yet, by session.
    """

    heard: Heard
    attempts: list[CommandAttempt]
    waiting: dict[str, list[CommandAttempt]]
    is_changed: bool


def read_attempts(journal: FullJournal, home: Path, scope: Scope) -> KeptAttempts:
    """Return the attempts of a scope with those in the journal's newest messages.

    Nothing is written: `write_attempts` does, behind what is made of them. Raises StoreError.
    """
    kept = _load_attempts(_find_attempts_file(home, scope), journal.identity())
    heard = _find_newest(journal, scope, kept.heard)
    if heard.change != kept.heard.change:
        kept = KeptAttempts(Heard(), [], {}, is_changed=True)
        heard = _find_newest(journal, scope, kept.heard)
    if heard == kept.heard:
        return kept
    reader = _AttemptReader(kept.attempts, kept.waiting)
    for message in _iter_messages(journal, scope, kept.heard.seq):
        reader.take(message)
    return KeptAttempts(heard, reader.attempts[-_MOST_ATTEMPTS:], reader.waiting, is_changed=True)


def write_attempts(home: Path, scope: Scope, identity: str, kept: KeptAttempts) -> None:
    """Keep the attempts with the position up to which they were read."""
    row = [_VERSION, identity, kept.heard, kept.attempts, kept.waiting]
    text = json.dumps(row, ensure_ascii=False)
    fs.make_private(_find_attempts_file(home, scope).parent)
    fs.replace_private(_find_attempts_file(home, scope), text.encode("utf-8", "surrogatepass"))


def _find_attempts_file(home: Path, scope: Scope) -> Path:
    return Path(action_file(str(home), str(scope))).with_suffix(".attempts")


def _load_attempts(file: Path, identity: str) -> KeptAttempts:
    """Return what is kept; nothing of another version or of another journal."""
    try:
        version, journal, heard, rows, waiting = json.loads(file.read_text(encoding="utf-8"))
        if (version, journal) == (_VERSION, identity):
            return KeptAttempts(
                Heard(*heard),
                [_read_attempt(row) for row in rows],
                {
                    session: [_read_attempt(row) for row in calls]
                    for session, calls in waiting.items()
                },
                is_changed=False,
            )
    except (OSError, ValueError, TypeError, AttributeError):
        pass
    return KeptAttempts(Heard(), [], {}, is_changed=False)


def _read_attempt(row: Sequence[object]) -> CommandAttempt:
    attempt = CommandAttempt(*row)  # type: ignore[arg-type]
    return attempt._replace(
        paths=tuple(attempt.paths), errors=tuple((shown, form) for shown, form in attempt.errors)
    )


def _find_newest(journal: FullJournal, scope: Scope, after: Heard) -> Heard:
    """Return the position behind all messages and changes."""
    while True:
        heard, _ = journal.conversations(scope, after, _AT_ONCE)
        if heard == after:
            return heard
        after = heard


def _iter_messages(journal: FullJournal, scope: Scope, after: int) -> Iterator[Message]:
    while rows := journal.read(scope, after, budget_tokens=_ALL_TOKENS, limit=_AT_ONCE):
        yield from (row.message for row in rows)
        after = rows[-1].seq


class _AttemptReader:
    """Joins calls and results, which stand in different messages, by their order in a session."""

    def __init__(
        self, attempts: Iterable[CommandAttempt], waiting: dict[str, list[CommandAttempt]]
    ) -> None:
        self.attempts = list(attempts)
        self.waiting = {session: list(calls) for session, calls in waiting.items()}
        self._answered: set[str] = set()
        self._said: dict[str, str] = {}

    def take(self, message: Message) -> None:
        """Add what a message of a tool says, and keep what others say for the next one."""
        session = f"{message.agent}/{message.session}"
        if message.role is not Role.TOOL:
            self._said[session] = " ".join(message.text.split())[:_SAID_CHARS]
            return
        line = read_tool_line(message.text)
        if line.is_call:
            if session in self._answered:  # a call whose result is missing gets no other's
                self.waiting.pop(session, None)
                self._answered.discard(session)
            if line.command and is_own_call("", {"command": line.command}):
                return
            attempt = _build_attempt(message, line)._replace(said=self._said.pop(session, ""))
            self.waiting.setdefault(session, []).append(attempt)
        if line.outcome and self.waiting.get(session):
            call = self.waiting[session].pop(0)
            if not self.waiting[session]:
                del self.waiting[session]
            else:
                self._answered.add(session)
            if call.command or call.paths:
                self.attempts.append(_end_attempt(call, line))


def _build_attempt(message: Message, line: ToolLine) -> CommandAttempt:
    return CommandAttempt(
        session=message.session,
        agent=message.agent,
        at=message.at.timestamp(),
        command=line.command,
        is_cut=line.is_cut,
        paths=line.paths,
        outcome="",
    )


def _end_attempt(call: CommandAttempt, line: ToolLine) -> CommandAttempt:
    has_failed = line.outcome == FAILED or bool(read_exit_code(line.result))
    errors = list_error_lines(line.result) if has_failed else []
    return call._replace(outcome=FAILED if has_failed else WORKED, errors=tuple(errors))
