"""Changes of what is remembered: replaced statements and corrected memories, newest first."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from gieok.commands.memory.handles import NamedMemory
from gieok.commands.memory.history import strip_speaker_label
from gieok.commands.observe.days import SessionName
from gieok.home.call import Call
from gieok.hook.validity import EndedClaim, Standing
from gieok.memory.corrections import unmarked
from gieok.memory.talk import turns
from gieok.model.memory import CORRECTED, EDITED_AT, EDITED_TO, Document, Scope
from gieok.places.scope import SESSIONS
from gieok.ranking.recall import first_answer
from gieok.text.handles import build_handle

_TEXT_CHARS = 200


class Change(NamedTuple):
    """Statement that holds no more, since when, and the statement that holds instead.

    `before_handle` names the earlier statement, and is '' where its place is taken by a corrected
    wording. `session` is where the later statement was said, None where it was not said in one.
    """

    at: datetime
    scope: Scope
    before: str
    before_handle: str
    after: str
    handle: str
    session: SessionName | None
    is_correction: bool


def list_changes(
    call: Call, scopes: Sequence[Scope], since: datetime, until: datetime, most: int
) -> tuple[Change, ...]:
    """Return what was replaced or corrected in a time, the newest change first."""
    standing = Standing(str(call.home.folder), call.clock.now().timestamp())
    ended = [
        (claim, scope, key, line)
        for scope in scopes
        for key, line, claim in standing.every(str(scope))
        if since.timestamp() <= claim.at < until.timestamp()
    ]
    ended.sort(key=lambda row: -row[0].at)
    changes: dict[tuple[str, str], Change] = {}
    for claim, scope, key, line in ended:
        change = _read_change(call, claim, scope, key, line)
        if change is not None:
            changes.setdefault((change.before, change.after), change)
        if len(changes) == most:
            break
    corrections = (
        change
        for scope in scopes
        for change in _iter_corrections(call, scope)
        if since <= change.at < until
    )
    for change in corrections:
        changes.setdefault((change.before, change.after), change)
    return tuple(sorted(changes.values(), key=lambda change: change.at, reverse=True)[:most])


def _read_change(call: Call, claim: EndedClaim, scope: Scope, key: str, line: int) -> Change | None:
    """Return a change in words; None where one of its statements is not there any more."""
    old, new = _get_document(call, scope, key), _get_document(call, Scope(claim.scope), claim.key)
    before, after = _read_line(old, line), _read_line(new, claim.line)
    if old is None or new is None or not before or not claim.holds_instead(after):
        return None
    return Change(
        at=datetime.fromtimestamp(claim.at, UTC),
        scope=scope,
        before=_shorten_statement(before),
        before_handle=build_handle(str(scope), key, line if key.startswith(f"{SESSIONS}/") else 0),
        after=_shorten_statement(after),
        handle=claim.handle,
        session=_find_turn_session(new),
        is_correction=False,
    )


def _iter_corrections(call: Call, scope: Scope) -> Iterator[Change]:
    """Yield the corrections by a person of a scope's memories, the newest first.

    What became of a wording is the next one of the same memory; a record goes on under another key.
    A memory that was forgotten since has no change.
    """
    has_journal = call.home.stores.has_journal()
    wordings = call.home.journal.history(scope, 1 << 30) if has_journal else []
    corrected = [old for old in wordings if old.kind != turns.KIND]
    keys = list(dict.fromkeys(old.metadata.get(EDITED_TO, old.key) for old in corrected))
    documents, _ = first_answer(call.home.stores.all(), lambda store: store.get(scope, keys))
    current = {document.key: document for document in documents}
    later = dict(current)
    for old in corrected:
        key = old.metadata.get(EDITED_TO, old.key)
        new, whole = later.get(key), current.get(key)
        if new is None or whole is None:
            continue
        later[old.key], current[old.key] = old, whole
        at = old.metadata.get(EDITED_AT) or new.metadata.get(CORRECTED, "")
        before, after = _shorten_statement(old.text), _shorten_statement(new.text)
        if not at or before == after:
            continue
        yield Change(
            at=datetime.fromisoformat(at),
            scope=scope,
            before=before,
            before_handle="",
            after=after,
            handle=NamedMemory(whole).handle,
            session=None,
            is_correction=True,
        )


def _get_document(call: Call, scope: Scope, key: str) -> Document | None:
    documents, _ = first_answer(call.home.stores.all(), lambda store: store.get(scope, [key]))
    return documents[0] if documents else None


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
