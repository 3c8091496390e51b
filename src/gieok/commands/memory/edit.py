"""`gieok edit`: correct a memory; a person's text outranks everything."""

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Annotated, NamedTuple

from gieok import fs
from gieok.commands.command import Effect, Parameter, Style, Surface, command
from gieok.commands.editor import edit_in_editor
from gieok.commands.encode import Hidden, Omitted
from gieok.commands.memory import (
    forget_steps,
    forgotten_marks,
    handles,
    leftovers,
    origin,
    untrusted,
)
from gieok.commands.memory.handles import NamedMemory
from gieok.commands.memory.records import RecordShelf, rewrite_active_memory
from gieok.commands.memory.shelf_changes import ShelfChange, follow_left_changes
from gieok.commands.memory.shown_words import CorrectedWords
from gieok.errors import BadRequest, StoreError, find_os_reason
from gieok.flow import distil
from gieok.home.call import Call
from gieok.hook import records
from gieok.hook.window import strip_to_letters
from gieok.memory import corrections, observation, scope_memory
from gieok.memory.corrections import build_agent_field, format_corrected_text, unmarked
from gieok.memory.files import roots
from gieok.memory.talk import turns
from gieok.memory.tiers import sync
from gieok.model.memory import (
    CORRECTED,
    CORRECTED_BY,
    EDITED_AT,
    EDITED_TO,
    RETIRED,
    Document,
    Scope,
)
from gieok.text.handles import build_handle
from gieok.text.markdown import front_matter
from gieok.text.messages import Words
from gieok.text.redact.sense import redact_said

_INSTEAD = 'write it: `gieok edit HANDLE "…"`'
_INSTEAD_OF_OWN = "write in the file itself"


@dataclass(frozen=True, slots=True)
class EditResult:
    """Text of a memory now and before; of a record without its front matter.

    For a turn: `followed` are handles of observations that were corrected with it, `also` of those
    made of other turns too.
    """

    handle: str
    kind: str
    before: str
    text: str
    changed: bool
    path: Omitted[str] = None
    also: tuple[str, ...] = ()
    followed: tuple[str, ...] = ()
    found: Hidden[bool] = True
    #: Whether the message that an observation was made of was corrected with it.
    is_source_corrected: Hidden[bool] = False


def render_edited_memory(result: EditResult, style: Style) -> str:
    """Show the memory's new text."""
    if not result.changed:
        return style.say("it says that already")
    lines = [f"{style.say('corrected')}: {style.bold(style.memory(result.path or result.text))}"]
    if result.before == result.text and not result.path:
        return f"{style.say('important')}: {style.bold(style.memory(result.text))}"
    if result.kind != handles.RECORD and not result.path:
        lines.append(style.dim(f"  {style.say('it said')}: {style.memory(result.before)}"))
    if result.followed:
        more = style.say("corrected with it")
        lines.append(style.dim(f"  {more}: {', '.join(result.followed)}"))
    if result.also:
        more = style.say("observations made of it say what they said")
        lines.append(style.dim(f"  {more}: {', '.join(result.also)}"))
    return "\n".join(lines)


@command(
    "edit",
    Words("Correct a memory by its handle: what you write outranks what was observed or said"),
    present=render_edited_memory,
    examples=("gieok edit 3fa9c01e", 'gieok edit 3fa9c01e "Payments are settled on Wednesdays."'),
    effect=Effect.WRITE,
    takes_in=True,
    person_question=Words("Correct this memory?"),
    agreed_parameter="by_agent",
    surfaces=frozenset((Surface.CLI, Surface.MCP)),
    tool="memory_correct",
    tool_hint="Only when the user says that it is wrong; give the whole new text.",
)
def edit_memory(
    call: Call,
    *,
    handle: Annotated[
        str,
        Parameter(
            Words("the memory's handle, as `list` and `search` show it"),
            positional=True,
            needed='gieok edit 3fa9c01e "…"',
        ),
    ] = "",
    text: Annotated[
        Sequence[str],
        Parameter(
            Words("what it shall say (default: opens $EDITOR)"),
            positional=True,
            tool_doc="what it shall say, whole",
        ),
    ] = (),
    important: Annotated[
        bool,
        Parameter(Words("let an observation count as important, as it is"), cli_only=True),
    ] = False,
    by_agent: Annotated[
        bool,
        Parameter(Words("mark the text as written by an agent for you"), cli_only=True),
    ] = False,
) -> EditResult:
    """Correct the memory that a handle names. Raises BadRequest."""
    follow_left_changes(call)
    memory = handles.require_memory(call, handle)
    if memory.was_replaced:  # or is being put anew at this moment by another edit
        with handles.lock_observations(call, memory.document.scope):
            memory = handles.require_memory(call, handle)
    if memory.was_replaced:
        raise BadRequest(
            "{handle!r} was replaced", handle=handle, hint="`gieok list` shows what stands"
        )
    if memory.away or memory.document.metadata.get(RETIRED):
        raise BadRequest(
            "{handle!r} is put away", handle=handle, hint="`gieok restore {handle}` first"
        )
    known = roots.load_roots(call.home.store, memory.document.scope)
    kind = handles.kind_of(memory.document, known, str(call.home.folder))
    replacement = " ".join(text).strip()
    if important:
        return _mark_observation_important(call, memory, kind)
    if kind == handles.TURN:
        return _purge_corrected_text(
            call, memory, _edit_turn(call, memory, replacement, by_agent=by_agent)
        )
    if kind == handles.OBSERVATION:
        return _purge_corrected_text(
            call, memory, _edit_observation(call, memory, replacement, by_agent=by_agent)
        )
    root = next((root for root in known if root.owns(memory.document.key)), None)
    if root is None:
        raise BadRequest(
            "{handle!r} is a program's own",
            handle=handle,
            hint="change it there; `gieok forget` takes it out",
        )
    # Logs hold what the file said, with its front matter; who asks gets the text alone.
    written = _purge_corrected_text(
        call, memory, _edit_record_file(call, memory, root, kind, replacement, by_agent=by_agent)
    )
    if kind != handles.RECORD:
        return written
    before, now = records.own_text(written.before), records.own_text(written.text)
    return replace(written, before=before, text=now)


def _purge_corrected_text(call: Call, memory: NamedMemory, result: EditResult) -> EditResult:
    """Remove the old text from logs, and mark it in the record of what sessions were shown."""
    if result.changed:
        corrections = [
            CorrectedWords(handle, result.before, result.text)
            for handle in (memory.handle, *([""] if result.is_source_corrected else []))
        ]
        leftovers.clean_corrected(call.home.folder, corrections)
        for line in sync.sweep_cold_tier(
            call.home.tiers
        ):  # what it said may stand in a file of an archive
            call.tell(line)
    return result


def _ask_replacement_text(
    call: Call, given: str, before: str, suffix: str = ".txt", instead: str = _INSTEAD
) -> str:
    """Return a person's new text, from the command line or their editor, without secrets."""
    text = redact_said(given or edit_in_editor(call, before, f"memory{suffix}", instead)).strip()
    if not text:
        raise BadRequest("nothing is left of it", hint="`gieok forget HANDLE` takes a memory out")
    return text


def _mark_observation_important(call: Call, memory: NamedMemory, kind: str) -> EditResult:
    """Mark an observation as important: it is shown first, and never dropped."""
    if kind != handles.OBSERVATION:
        raise BadRequest(
            "{handle} is no observation",
            handle=memory.handle,
            hint="what you keep yourself counts in full as it is",
        )
    now = call.clock.now()
    with handles.lock_observations(call, memory.document.scope):
        document = handles.read_again(call, memory)
        marked = replace(
            document, metadata={**document.metadata, "priority": observation.Priority.HIGH.value}
        )
        new = observation.corrected(marked, document.text, now)
        distil.correct(call.home.journal, call.home.store, document, new, now)
    rewrite_active_memory(call, document.scope)
    return EditResult(memory.handle, kind, document.text, document.text, changed=True)


def _edit_observation(call: Call, memory: NamedMemory, given: str, *, by_agent: bool) -> EditResult:
    now = call.clock.now()
    text = " ".join(_ask_replacement_text(call, given, memory.document.text).split())
    with handles.lock_observations(call, memory.document.scope):
        document = handles.read_again(call, memory)
        if text == document.text:
            return EditResult(
                memory.handle, handles.OBSERVATION, document.text, text, changed=False
            )
        distil.correct(
            call.home.journal,
            call.home.store,
            document,
            observation.corrected(document, text, now, by_agent=by_agent),
            now,
        )
        # Under the lock: another edit takes the document out of the store before it puts its own
        # there.
        (written,) = call.home.store.get(document.scope, [document.key])
    is_source_corrected = corrections.correct_source_message(
        call.home.journal, document, written, _find_local_date(call)
    )
    if is_source_corrected:
        _rederive_turn_documents(call)
    rewrite_active_memory(call, document.scope)
    return EditResult(
        memory.handle,
        handles.OBSERVATION,
        document.text,
        written.text,
        changed=True,
        is_source_corrected=is_source_corrected,
    )


def _rederive_turn_documents(call: Call) -> None:
    for place, why in forget_steps.rederive_turns(call):
        call.tell(f"{place}: {why}")


def _edit_turn(call: Call, memory: NamedMemory, given: str, *, by_agent: bool) -> EditResult:
    """Correct a message: the journal keeps the original, and search finds the correction
    instead.
    """
    if not memory.line:
        raise BadRequest(
            "{handle} is part of a conversation",
            handle=memory.handle,
            hint="name a line of it: `gieok list --kind turn` shows them",
        )
    messages = origin.messages_of(call, memory) if memory.document.kind == turns.KIND else ()
    if not messages:
        raise BadRequest(
            "the journal does not hold {handle}",
            handle=memory.handle,
            hint="`gieok index` brings the turns up to date",
        )
    scope, message = memory.document.scope, messages[0]
    journal = call.home.journal
    current_text = journal.corrections(scope).get(message.id, message.text)
    text = format_corrected_text(
        _ask_replacement_text(call, given, unmarked(current_text)),
        _find_local_date(call),
        by_agent=by_agent,
    )
    with handles.lock_observations(call, scope):
        before = journal.corrections(scope).get(message.id, message.text)
        if not before.strip():
            raise BadRequest(
                "{handle} was put away meanwhile",
                handle=memory.handle,
                hint="`gieok restore {handle}` first",
            )
        journal.correct(scope, message.id, text)
    _rederive_turn_documents(call)
    followed, also = _correct_citing_observations(
        call, scope, message.id, unmarked(before), unmarked(text), by_agent=by_agent
    )
    return EditResult(
        memory.handle, handles.TURN, before, text, changed=True, also=also, followed=followed
    )


def _correct_citing_observations(
    call: Call, scope: Scope, identity: str, before: str, text: str, *, by_agent: bool
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Correct observations made of one message alone whose text is no longer in it.

    Returns their handles, and the handles of observations that cite other messages too. A single
    observation gets the message's new text. Several observations are parts that nobody can tell
    apart: they go to the history.
    """
    now, store, journal = call.clock.now(), call.home.store, call.home.journal
    with handles.lock_observations(call, scope):
        cited = [
            (d, d.message_ids)
            for d in scope_memory.load_scope_memory(store, scope).documents
            if identity in d.message_ids
        ]
        own = [d for d, ids in cited if len(ids) == 1]
        # An observation that a person wrote themselves stays; an observation that followed an
        # earlier correction of the turn follows this one.
        old = [
            d
            for d in own
            if strip_to_letters(d.text) not in strip_to_letters(text)
            and (
                not d.metadata.get(CORRECTED)
                or strip_to_letters(d.text) in strip_to_letters(before)
            )
        ]
        if len(old) == 1:
            new = observation.corrected(old[0], text, now, by_agent=by_agent)
            distil.correct(journal, store, old[0], new, now)
        else:
            distil.replaced(journal, store, old, now)
    if old:
        rewrite_active_memory(call, scope)
        leftovers.clean_corrected(
            call.home.folder,
            [CorrectedWords(NamedMemory(document).handle, document.text, text) for document in old],
        )
    also = [document for document, ids in cited if len(ids) > 1]
    return tuple(NamedMemory(d).handle for d in old), tuple(NamedMemory(d).handle for d in also)


def _find_local_date(call: Call) -> date:
    return call.clock.now().astimezone(call.zone).date()


def _edit_record_file(
    call: Call, memory: NamedMemory, root: roots.Root, kind: str, given: str, *, by_agent: bool
) -> EditResult:
    """Rewrite a record; refuse for a person's own note, which they edit in their editor."""
    file = root.file(memory.document.key.partition("/")[2])
    if roots.is_office_document(file):
        raise BadRequest(
            "{file!r} is a document of a word processor",
            file=file,
            hint="write in it with its own program; `gieok index` then reads it again",
        )
    try:
        before = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BadRequest(
            "{file!r} is not in UTF-8", file=file, hint="save it as UTF-8, or write in it yourself"
        ) from error
    except OSError as error:
        raise BadRequest(
            "cannot read {file!r}: {reason}", file=file, reason=find_os_reason(error)
        ) from error
    if kind != handles.RECORD and given:
        raise BadRequest(
            "{file!r} is your own file",
            file=file,
            hint=_INSTEAD_OF_OWN,
        )
    record_shelf = RecordShelf(root.path.parent, memory.document.scope)
    instead = _INSTEAD if kind == handles.RECORD else _INSTEAD_OF_OWN
    written = ""
    if not given:
        written = _ask_replacement_text(call, "", before, file.suffix, instead) + "\n"
    asked = _AskedEdit(
        memory=memory,
        shelf=record_shelf,
        root=root,
        seen=before,
        written=written,
        text=redact_said(given),  # before the lock: a reader takes its time
        by_agent=by_agent,
    )
    if kind != handles.RECORD:
        with record_shelf.lock(call.home.folder):
            result = _rewrite_note(asked)
        call.tell(call.words("`gieok index` reads it"))
        return result
    with ShelfChange(call, record_shelf) as change:
        with record_shelf.lock(call.home.folder):
            result = _rewrite_record(call, asked)
        change.follow()
    return result


class _AskedEdit(NamedTuple):
    """What a file is to say: the memory, its shelf and root, the file's text that a person saw,
    the file that they `written`, or else the text of the memory, and whether an agent wrote it.
    """

    memory: NamedMemory
    shelf: RecordShelf
    root: roots.Root
    seen: str
    written: str
    text: str
    by_agent: bool

    @property
    def file(self) -> Path:
        """Return the file of the memory."""
        return self.root.file(self.memory.document.key.partition("/")[2])

    def read_present(self) -> str:
        """Return what the file says now. Raises BadRequest where nobody saw that text."""
        now = self.file.read_text(encoding="utf-8") if self.file.exists() else ""
        if not now or (self.written and now != self.seen):
            raise BadRequest(
                "{file!r} was changed meanwhile", file=self.file, hint="read it again, and decide"
            )
        return now

    def build_result(self, kind: str, file: Path, before: str, after: str) -> EditResult:
        """Return what the edit did to a file, which may have another name now."""
        key = self.root.key_of(file)
        is_renamed = file != self.file
        return EditResult(
            handle=build_handle(self.memory.document.scope.path, key)
            if is_renamed
            else self.memory.handle,
            kind=kind,
            before=before,
            text=after,
            changed=after != before,
            path=os.fspath(file),
        )


def _rewrite_note(asked: _AskedEdit) -> EditResult:
    """Write what a person wrote into their own file."""
    before = asked.read_present()
    if asked.written != before:
        fs.replace(asked.file, asked.written)
    return asked.build_result(handles.NOTE, asked.file, before, asked.written)


def _rewrite_record(call: Call, asked: _AskedEdit) -> EditResult:
    """Let a record say something else, in its file and in the history."""
    shelf, file, document = asked.shelf, asked.file, asked.memory.document
    before = asked.read_present()
    after = asked.written or records.with_text(before, asked.text)
    if after == before:
        if shelf.is_project:
            untrusted.grant_record_trust(call.home.folder, shelf.base, file)
        return asked.build_result(handles.RECORD, file, before, after)
    after = records.with_field(
        after, CORRECTED_BY, build_agent_field(after) if asked.by_agent else ""
    )
    is_made = not asked.written and _is_named_by_title(before, file)
    # Another edit may have come between: its wording is what goes to the history.
    replaced = document if before == asked.seen else replace(document, text=redact_said(before))
    fs.replace(file, after)
    edited = _EditedRecord(
        shelf=shelf, root=asked.root, file=file, replaced=replaced, before=before
    )
    file = _place_edited_record(call, edited, is_made=is_made)
    return asked.build_result(handles.RECORD, file, before, after)


class _EditedRecord(NamedTuple):
    """Record whose file says something else now: its shelf, root and file, and what it said."""

    shelf: RecordShelf
    root: roots.Root
    file: Path
    replaced: Document
    before: str


def _place_edited_record(call: Call, edited: _EditedRecord, *, is_made: bool) -> Path:
    """Give an edited record its place and keep its old wording; return its file.

    `is_made`: the file's name is made from the title. The new file is trusted before the journal is
    asked, so that it is never left unseen, and the old one is removed last. Raises StoreError where
    the wording cannot be kept; the record then says again what it said before.
    """
    shelf, file = edited.shelf, edited.file
    target = records.renamed(shelf.base, file) if is_made else file
    if shelf.is_project:
        untrusted.grant_record_trust(call.home.folder, shelf.base, target)
    try:
        _keep_wording(call, edited.replaced, edited.root.key_of(target))
    except StoreError:
        _undo_edit(call, edited, target)
        raise
    if target != file:
        _remove_old_file(call, shelf, file, target)
    return target


def _undo_edit(call: Call, edited: _EditedRecord, target: Path) -> None:
    """Let a record say what it said before an edit."""
    fs.replace(edited.file, edited.before)
    if edited.shelf.is_project:
        untrusted.grant_record_trust(call.home.folder, edited.shelf.base, edited.file)
    if target != edited.file:
        target.unlink()


def _remove_old_file(call: Call, shelf: RecordShelf, file: Path, target: Path) -> None:
    """Remove the file of a record that has the name of its corrected title now."""
    forgotten_marks.mark_removed(call, shelf.scope, [file], renamed=target)
    file.unlink()
    if shelf.is_project:  # a pull could bring the words of before back
        name = file.relative_to(shelf.base).as_posix()
        untrusted.revoke_record_trust(call.home.folder, shelf.base, name)


def _is_named_by_title(text: str, file: Path) -> bool:
    """Say whether a record's file name is made from its title: a person's own name stays."""
    stem = records.slug(front_matter(text).fields.get("title", ""))
    return (
        re.fullmatch(rf"(?:\d{{4}}-\d\d-\d\d-)?{re.escape(stem)}(?:-\d+)?", file.stem) is not None
    )


def _keep_wording(call: Call, document: Document, key: str) -> None:
    """Keep a record's old text in the history, with the key that the record has from now on."""
    now = call.clock.now()
    metadata = {**document.metadata, EDITED_TO: key, EDITED_AT: now.isoformat()}
    distil.replaced(
        call.home.journal,
        call.home.store,
        [replace(document, metadata=metadata)],
        now,
    )
