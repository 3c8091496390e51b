"""Changes of what is remembered: replaced statements and corrected memories, newest first."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from typing import NamedTuple

from gieok.commands.memory.handles import NamedMemory, strip_speaker_label
from gieok.commands.memory.history import find_correction_way
from gieok.commands.memory.newest import open_standing
from gieok.commands.memory.predecessors import load_documents, load_documents_by_place
from gieok.commands.observe.days import SessionName
from gieok.home.call import Call
from gieok.hook.validity import EndedClaim
from gieok.memory.corrections import is_agents_document, unmarked
from gieok.memory.talk import turns
from gieok.model.memory import CORRECTED, EDITED_AT, EDITED_TO, Document, Scope
from gieok.places.scope import SESSIONS
from gieok.text.gist import as_told
from gieok.text.handles import build_handle

_TEXT_CHARS = 200
#: Corrected memories that are read from the store at once.
_MOST_READ = 200
_WHOLE_HISTORY = 1 << 30


class Change(NamedTuple):
    """Statement that holds no more, since when, and the statement that holds instead.

    `before_handle` names the earlier statement, and is '' where its place is taken by a corrected
    wording. `session` is where the later statement was said, None where it was not said in one.
    `how` the wording was corrected: a key of `history.WAYS`, '' for a statement that replaced
    another.
    """

    at: datetime
    scope: Scope
    before: str
    before_handle: str
    after: str
    handle: str
    session: SessionName | None
    how: str


class _Replacement(NamedTuple):
    """Claim that holds no more, and the line that said it."""

    claim: EndedClaim
    scope: Scope
    key: str
    line: int


def list_changes(
    call: Call, scopes: Sequence[Scope], since: datetime, until: datetime, most: int
) -> tuple[Change, ...]:
    """Return what was replaced or corrected in a time, the newest change first.

    A replacement in the same words is told once, where a message and an observation both have it;
    the days that an observation adds to its words do not count.
    """
    standing = open_standing(call)
    ended = [
        _Replacement(claim, scope, key, line)
        for scope in scopes
        for key, line, claim in standing.every(str(scope))
        if since.timestamp() <= claim.at < until.timestamp()
    ]
    ended.sort(key=lambda row: -row.claim.at)
    replaced: dict[tuple[str, str], Change] = {}
    for start in range(0, len(ended), most):
        for change in _read_replacements(call, ended[start : start + most]):
            replaced.setdefault((as_told(change.before), as_told(change.after)), change)
        if len(replaced) >= most:
            break
    corrections = (
        change
        for scope in scopes
        for change in islice(_iter_corrections(call, scope, since, until), most)
        if (as_told(change.before), as_told(change.after)) not in replaced
    )
    changes = sorted([*replaced.values(), *corrections], key=lambda one: one.at, reverse=True)
    return tuple(changes[:most])


def _read_replacements(call: Call, rows: Sequence[_Replacement]) -> Iterator[Change]:
    """Yield replacements in words, without those of which a statement is not there any more."""
    old_places = ((str(row.scope), row.key) for row in rows)
    new_places = ((row.claim.scope, row.claim.key) for row in rows)
    documents = load_documents_by_place(call, (*old_places, *new_places))
    for row in rows:
        claim, key = row.claim, row.key
        old = documents.get((str(row.scope), key))
        new = documents.get((claim.scope, claim.key))
        before, after = _read_line(old, row.line), _read_line(new, claim.line)
        if new is None or not before or not claim.still_says(after):
            continue
        line = row.line if key.startswith(f"{SESSIONS}/") else 0
        yield Change(
            at=datetime.fromtimestamp(claim.at, UTC),
            scope=row.scope,
            before=_shorten_statement(before),
            before_handle=build_handle(str(row.scope), key, line),
            after=_shorten_statement(after),
            handle=claim.handle,
            session=_find_turn_session(new),
            how="",
        )


class _Correction(NamedTuple):
    """Earlier wording of a memory, the key of the memory now, and its next wording (None: the
    wording that it has now).
    """

    old: Document
    key: str
    new: Document | None

    def find_time(self, new: Document | None) -> datetime | None:
        """Return when a person corrected the wording; None where it went for another reason."""
        corrected = new.metadata.get(CORRECTED, "") if new is not None else ""
        at = self.old.metadata.get(EDITED_AT) or corrected
        return datetime.fromisoformat(at) if at else None


def _iter_corrections(
    call: Call, scope: Scope, since: datetime, until: datetime
) -> Iterator[Change]:
    """Yield the corrections of a scope's memories in a time, the newest first.

    A memory that was forgotten since has no change. The memories are read some at a time: who takes
    a few corrections does not wait for all.
    """
    wordings = _iter_kept_wordings(call, scope, since, until)
    while rows := list(islice(wordings, _MOST_READ)):
        current = {
            document.key: document
            for document in load_documents(call, scope, [row.key for row in rows])
        }
        for row in rows:
            whole = current.get(row.key)
            new = row.new or whole
            at = row.find_time(new)
            if whole is None or new is None or at is None or not since <= at < until:
                continue
            before, after = _shorten_statement(row.old.text), _shorten_statement(new.text)
            if before == after:
                continue
            yield Change(
                at=at,
                scope=scope,
                before=before,
                before_handle="",
                after=after,
                handle=NamedMemory(whole).handle,
                session=None,
                how=find_correction_way(is_agents=is_agents_document(new)),
            )


def _iter_kept_wordings(
    call: Call, scope: Scope, since: datetime, until: datetime
) -> Iterator[_Correction]:
    """Yield the earlier wordings of a scope's memories, the newest first, without those that are
    known to have been corrected at another time.

    What became of a wording is the next one of the same memory; a record goes on under another key.
    """
    has_journal = call.home.stores.has_journal()
    wordings = call.home.journal.history(scope, _WHOLE_HISTORY) if has_journal else []
    later: dict[str, Document] = {}
    keys: dict[str, str] = {}
    for old in wordings:
        if old.kind == turns.KIND:
            continue
        key = old.metadata.get(EDITED_TO, old.key)
        row = _Correction(old, keys.get(key, key), later.get(key))
        later[old.key], keys[old.key] = old, row.key
        at = row.find_time(row.new)
        if since <= at < until if at is not None else row.new is None:
            yield row


def _read_line(document: Document | None, line: int) -> str:
    """Return a line of a document; '' where there is none."""
    lines = NamedMemory(document).text.split("\n") if document else []
    return lines[line - 1] if 0 < line <= len(lines) else ""


def _find_turn_session(document: Document) -> SessionName | None:
    """Return the session that a block of turns is of."""
    if document.kind != turns.KIND:
        return None
    session = document.metadata.get("session", "")
    return SessionName(document.scope, document.metadata.get("agent", ""), session)


def _shorten_statement(text: str) -> str:
    statement = " ".join(unmarked(strip_speaker_label(text)).split())
    return statement if len(statement) <= _TEXT_CHARS else f"{statement[: _TEXT_CHARS - 1]}…"
