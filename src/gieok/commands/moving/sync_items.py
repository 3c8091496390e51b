"""Items that devices exchange: what this home holds, scope by scope, in the fields of an export."""

import hashlib
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple

from gieok.commands.memory import forgotten_marks
from gieok.commands.memory.forget_steps import list_record_folders
from gieok.commands.memory.forgotten_marks import ForgottenPlace
from gieok.commands.memory.records import RecordShelf, follow_soon, shelf_at
from gieok.errors import BadRequest, GieokError, Phrase
from gieok.flow.distil import deliver_scope
from gieok.flow.gate_rules import DAMAGED, GateRule, load_gate_choices, load_gate_rules
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory.exchange import json_lines
from gieok.memory.exchange.intake import REALM
from gieok.memory.exchange.versions import format_file_time, format_time
from gieok.memory.retirement import load_saved_turns
from gieok.model.memory import Document, Scope
from gieok.places.scope import is_of_account
from gieok.settings.grants import TrustJudge
from gieok.text.redact.sense import redact_document

#: Kinds of items that are changed, each with versions.
RECORD, MEMORY, KNOWN, CORRECTION, CHOICE = "record", "memory", "known", "correction", "choice"
#: Kinds of items that are added once, and at most removed.
REPLACED, FORGOTTEN, ERASED, MESSAGE = "replaced", "forgotten", "erased", "message"
#: Row of an item that was added once and then removed.
GONE = "gone"
ITEMS = "sync:items:"
#: Realm, before a scope's shared name, of the ids of records that Git tracks, or did.
TRACKED = "sync:tracked:"
PROJECTS = "sync:projects"
COUNTERS = "sync:counters"
#: Counter that is there until everything is sent anew.
SENDING_ANEW = "anew"
#: End of the name of a record that was kept beside another one.
_ARCHIVED_NAME = re.compile(r"-[0-9a-f]{8}\.md$")
#: Length of a time in ISO form to the second.
_SECOND = 19
_ELSEWHERE = re.compile(r"(project:.+)\.at-([0-9a-f]{8})")


class SharedItem(NamedTuple):
    """Item of a scope: id on every device, time of its change, digest of its content, fields."""

    id: str
    kind: str
    at: str
    digest: str
    fields: Mapping[str, Any]


class RecordOutline(NamedTuple):
    """What a record is known by when its file is there no more.

    The shelf that it stood on, the checksum of what it says, and when it was made ('': unknown).
    """

    shelf: str
    text: str
    created: str


def mark_anew(call: Call) -> None:
    """Let everything that is here be sent anew."""
    call.home.journal.keep(COUNTERS, {SENDING_ANEW: "1"})


def describe_refusal(what: object, error: Exception) -> Phrase:
    """Return why a row was not understood, without a word of what it holds."""
    reason = (
        Phrase(str(error))
        if isinstance(error, GieokError)
        else Phrase("its form is another one than this release knows")
    )
    return Phrase("{what}: {reason}", what=str(what), reason=reason)


def find_outside_link(base: Path) -> Path | None:
    """Return the link in place of a shelf that leads out of its folder, or nowhere; None for none.

    What lies behind it is not read: a disk may not be mounted.
    """
    for folder in (base, *(base / name for name in records.SHELVES)):
        is_away = not folder.exists() or not records.is_inside(base, folder)
        if folder.is_symlink() and is_away:
            return folder
    return None


def list_account_scopes(call: Call) -> list[Scope]:
    """Return the scopes of accounts, also of records alone: they stay on this device."""
    scopes = {*call.home.journal.scopes(), *call.home.journal.made_scopes()}
    scopes |= {shelf_at(call, base).scope for base in list_record_folders(call) if base.is_dir()}
    return sorted(scope for scope in scopes if is_of_account(scope.path))


def build_item_id(kind: str, *names: str) -> str:
    """Return the id of an item, which tells nothing of it but its kind."""
    place = json.dumps([kind, *names])
    return f"{kind}:{hashlib.sha256(place.encode()).hexdigest()[:24]}"


def build_item(kind: str, names: Iterable[str], at: str, fields: Mapping[str, Any]) -> SharedItem:
    """Return an item; its content is all of its fields."""
    content = json.dumps(fields, sort_keys=True)
    digest = hashlib.sha256(content.encode()).hexdigest()[:24]
    return SharedItem(
        id=build_item_id(kind, *names), kind=kind, at=at, digest=digest, fields=fields
    )


class ScopeNames:
    """Names of scopes that are the same on every device.

    A project is known by its repository, in whatever folder it is. The first folder in which a
    repository was seen stands for it, for good: a second clone, and a project that Git cannot tell,
    is its own on every device. Elsewhere its scope ends with the device's id.
    """

    def __init__(self, call: Call, device: str) -> None:
        self._device = device
        journal = call.home.journal
        #: Scope of a known project → whether it lies in an excluded folder.
        self._excluded = {
            scope: _is_any_excluded(call, roots)
            for scope, roots in call.home.sync.list_project_roots().items()
        }
        self._has_exclusions = bool(call.privacy.folders)
        folders = call.home.sync.list_project_folders()
        #: Scope → the folder of its project.
        self.folders = {
            scope: folder for scope, folder in folders.items() if not self._excluded[scope]
        }
        self._identities = dict(journal.kept(PROJECTS))
        bound = set(self._identities.values())
        fresh: dict[str, str] = {}
        for scope, origin in call.home.sync.list_project_origins().items():
            is_new = scope not in self._identities and origin.identity not in bound
            if is_new and not self._excluded[scope]:
                fresh[scope] = origin.identity
                bound.add(origin.identity)
        if fresh:
            journal.keep(PROJECTS, fresh)
        self._identities |= fresh
        self._scopes = {identity: scope for scope, identity in self._identities.items()}
        #: Scope → the folder of a project whose repository is not there, as a bare mount point.
        self.unmounted = {
            scope: folder
            for scope, folder in self.folders.items()
            if scope in self._identities and not call.home.sync.has_repository(folder)
        }
        for scope in self.unmounted:
            del self.folders[scope]

    def to_shared(self, scope: str) -> str:
        """Return the name of a scope on every device."""
        head, _, rest = scope.partition("/")
        if not head.startswith("project:"):
            return scope
        if identity := self._identities.get(head):
            return f"{identity}|{rest}"
        matched = _ELSEWHERE.fullmatch(head)
        of_device, name = (matched[2], matched[1]) if matched else (self._device, head)
        return f"device:{of_device}:{name}|{rest}"

    def to_local(self, shared: str) -> str:
        """Return the scope of a shared name; '' for a project that is not known here.

        Raises BadRequest for a name that no device gives.
        """
        identity, bar, rest = shared.partition("|")
        if not bar and not shared.startswith("project:"):
            return shared
        below = f"/{rest}" if rest else ""
        if identity.startswith("device:"):
            device, _, name = identity.removeprefix("device:").partition(":")
            if not name.startswith("project:"):
                raise BadRequest("bad scope {path!r}", path=shared)
            return name + ("" if device == self._device else f".at-{device}") + below
        if not bar or not identity.startswith("git:"):
            raise BadRequest("bad scope {path!r}", path=shared)
        scope = self._scopes.get(identity, "")
        return scope and scope + below

    def is_excluded(self, scope: str) -> bool:
        """Say whether a scope is that of a project in an excluded folder: nothing travels then."""
        return self._excluded.get(scope.partition("/")[0], False) or self.is_unplaced(scope)

    def is_unplaced(self, scope: str) -> bool:
        """Say whether nobody knows in which folder a project was, where some are excluded."""
        head = scope.partition("/")[0]
        is_here = head.startswith("project:") and not _ELSEWHERE.fullmatch(head)
        return self._has_exclusions and is_here and head not in self._excluded


def _is_any_excluded(call: Call, roots: Sequence[Path]) -> bool:
    """Say whether a project lies in an excluded folder, or lay there where it is nowhere now.

    A folder that is not there may be on a disk that is not mounted; one that was moved is.
    """
    there = [root for root in roots if root.is_dir()]
    return any(call.privacy.excludes_folder(str(root)) for root in there or roots)


@dataclass
class ScopeItems:
    """Items of one scope as they are now; `shelf` is that of its records."""

    call: Call
    scope: Scope
    shared: str
    shelf: RecordShelf | None
    #: Folder of the shelf of a project → the files in it that Git tracks.
    tracked: Mapping[Path, frozenset[str]]

    def iter_items(self) -> Iterator[SharedItem]:
        """Yield every item but messages."""
        yield from self._iter_memories()
        for document in self.history:
            yield build_history_item(self.shared, document)
        journal = self.call.home.journal
        now = format_time(self._now)
        for name, value in journal.kept(REALM + self.scope.path).items():
            fields = {"name": name, "value": value}
            yield build_item(KNOWN, (self.shared, name), now, fields)
        saved = load_saved_turns(journal, self.scope)
        for identity, text in journal.corrections(self.scope).items():
            fields = {"id": identity, "text": text, "away": saved.get(identity, "")}
            yield build_item(CORRECTION, (self.shared, identity), now, fields)
        for mark in journal.forgotten_messages(self.scope):
            fields = json_lines.build_forgotten_fields(mark)
            names = (self.shared, mark.message.id, mark.digest)
            yield build_item(FORGOTTEN, names, now, fields)
        for text, at in journal.kept(forgotten_marks.FORGOTTEN_TEXTS + self.scope.path).items():
            yield build_item(ERASED, (self.shared, text, at), now, {"mark": text, "at": at})
        yield from self._iter_choices(now)
        for file, is_trusted in self._record_files:
            if is_trusted:
                yield build_record_item(self.shared, file)

    @cached_property
    def history(self) -> list[Document]:
        """Return the replaced documents."""
        return self.call.home.journal.history(self.scope, json_lines.EVERYTHING)

    @cached_property
    def archived_ids(self) -> set[str]:
        """Return the ids of archived memories: they are there, even if the store lost a text."""
        archived = self.call.home.journal.archived(self.scope)
        return {build_memory_id(self.shared, memory.key) for memory in archived}

    @cached_property
    def tracked_ids(self) -> set[str]:
        """Return the ids of records that Git tracks: they travel with the repository alone."""
        if self.shelf is None:
            return set()
        return {build_record_id(self.shared, Path(name)) for name in self._list_tracked(self.shelf)}

    def _list_tracked(self, shelf: RecordShelf) -> frozenset[str]:
        """Return the files of a shelf that Git tracks; of the user's own shelf, none count."""
        return self.tracked[shelf.base] if shelf.is_project else frozenset()

    @cached_property
    def once_tracked_ids(self) -> set[str]:
        """Return the ids of records that Git tracks, or did: on another branch they are not there.

        What is found now is noted.
        """
        journal, realm = self.call.home.journal, TRACKED + self.shared
        known = set(journal.kept(realm))
        if fresh := self.tracked_ids - known:
            journal.keep(realm, dict.fromkeys(fresh, ""))
        return known | self.tracked_ids

    @cached_property
    def untrusted_ids(self) -> set[str]:
        """Return the ids of records of a project that nobody trusted here: they do not travel."""
        return {
            build_record_id(self.shared, file)
            for file, is_trusted in self._record_files
            if not is_trusted
        }

    @property
    def record_ids(self) -> set[str]:
        """Return the ids of all records whose files are there."""
        return set(self._records)

    def list_outlines(self, but: Collection[str]) -> list[RecordOutline]:
        """Return the outlines of records, `but` for those with some ids."""
        return [
            build_record_outline(build_record_item(self.shared, file))
            for item, file in self._records.items()
            if item not in but
        ]

    @cached_property
    def _records(self) -> dict[str, Path]:
        """Return the file of each record that is there, by its id."""
        if self.shelf is None:
            return {}
        files = records.list_all_records(self.shelf.base)
        return {build_record_id(self.shared, file): file for file in files}

    @cached_property
    def _record_files(self) -> list[tuple[Path, bool]]:
        """Return the records that Git does not track, each with whether it is trusted."""
        if self.shelf is None:
            return []
        tracked, judge = self._list_tracked(self.shelf), TrustJudge(self.call.home.folder)
        base = self.shelf.base
        return [
            (file, not self.shelf.is_project or judge.admits(file.read_bytes(), file))
            for file in records.list_all_records(base)
            if file.relative_to(base).as_posix() not in tracked
        ]

    @property
    def has_records(self) -> bool:
        """Say whether the folder of the records can be read: only then is one that lacks gone."""
        return self.shelf is not None and (self.shelf.base / records.MEMORY).is_dir()

    def find_removal(self, item: str) -> tuple[str, str]:
        """Return why an item is there no more, and when it went: now, unless it was forgotten."""
        _, forgotten = self._forgotten.get(item, ("", ""))
        if forgotten:
            return forgotten_marks.WAS_FORGOTTEN, format_time(datetime.fromisoformat(forgotten))
        _, reason = self._removed.get(item, ("", forgotten_marks.OF_BEFORE))
        is_unknown = reason == forgotten_marks.OF_BEFORE
        return forgotten_marks.WAS_MOVED if is_unknown else reason, format_time(self._now)

    def build_forgotten_fields(self, item: str) -> dict[str, Any]:
        """Return what a row says of the place of a forgotten item; nothing of another one."""
        mark, _ = self._forgotten.get(item, ("", ""))
        if not mark:
            return {"mark": ""}
        place = self.marks.places[mark]
        fields = {"mark": mark, "made": place.made}
        return {**fields, "earlier": True} if place.is_earlier else fields

    def find_renamed(self, item: str) -> list[str]:
        """Return the mark of the place of a record that a command renamed, and of the last one.

        Nothing where another record was in that place since, and is there no more.
        """
        mark, reason = self._removed.get(item, ("", ""))
        is_gone_too = reason == forgotten_marks.OF_BEFORE and item not in self.record_ids
        if not mark or is_gone_too:
            return []
        renamed = forgotten_marks.load_renamed(self.call, self.scope)
        last = forgotten_marks.find_last_place(renamed, mark)
        return [mark, last] if last != mark else []

    def is_removal_known(self, item: str) -> bool:
        """Say whether a command removed an item from this scope."""
        _, reason = self._removed.get(item, ("", forgotten_marks.OF_BEFORE))
        return item in self._forgotten or reason != forgotten_marks.OF_BEFORE

    def drop_record_entries(self) -> None:
        """Drop memories that are entries of records in the index, which an earlier version took."""
        journal = self.call.home.journal
        made = [entry.document for entry in journal.made(self.scope)]
        if keys := [document.key for document in made if is_record_entry(document)]:
            journal.erase(self.scope, [], keys)
            deliver_scope(journal, self.call.home.store, self.scope)
            if self.shelf is not None:  # those of records that are there come back
                follow_soon(self.call, self.shelf)

    def drop_returned_marks(self) -> None:
        """Drop the marks of removed records that are there again: they may go otherwise then.

        Where another record is there, the mark says where the one of before is, and no more:
        another device may have renamed that one too.
        """
        renamed = forgotten_marks.load_renamed(self.call, self.scope)
        returned: list[str] = []
        for item, (mark, reason) in self._removed.items():
            if item not in self.record_ids:
                continue
            if not self._is_another_there(item, renamed, mark):
                returned.append(mark)
            elif reason != forgotten_marks.OF_BEFORE:
                forgotten_marks.keep_renamed(
                    self.call, self.scope, mark, renamed[mark], forgotten_marks.OF_BEFORE
                )
        if returned:
            realm = forgotten_marks.REMOVED + self.scope.path
            self.call.home.journal.keep(realm, {}, returned)

    def _is_another_there(self, item: str, renamed: Mapping[str, str], mark: str) -> bool:
        """Say whether a record and the one that was renamed from its place are two records.

        They were made at two times. What was renamed back is the record of before.
        """
        last = forgotten_marks.find_last_place(renamed, mark)
        file = self._records.get(build_place_id(self.shared, last))
        if file is None or last in renamed:
            return False
        return forgotten_marks.read_made(file) != forgotten_marks.read_made(self._records[item])

    @cached_property
    def marks(self) -> "ForgottenMarks":
        """Return what was forgotten in this scope, as it is known here."""
        return load_forgotten_marks(self.call, self.scope)

    @cached_property
    def _removed(self) -> dict[str, tuple[str, str]]:
        marks = self.call.home.journal.kept(forgotten_marks.REMOVED + self.scope.path)
        return {
            build_item_id(RECORD, self.shared, mark): (mark, value.partition(" ")[0])
            for mark, value in marks.items()
        }

    @cached_property
    def _forgotten(self) -> dict[str, tuple[str, str]]:
        return {
            build_item_id(kind, self.shared, mark): (mark, at)
            for mark, at in self.marks.select_due(self.marks.dates).items()
            for kind in (RECORD, MEMORY)
        }

    @property
    def _now(self) -> datetime:
        return self.call.clock.now()

    def _iter_memories(self) -> Iterator[SharedItem]:
        journal, store = self.call.home.journal, self.call.home.store
        for entry in json_lines.iter_export_entries(journal, store, self.scope):
            document = entry.document
            if is_record_entry(document):
                continue
            fields = {
                **json_lines.build_export_fields(document),
                "scope": "",
                "passages": [list(passage) for passage in entry.passages],
            }
            at = format_time(document.updated_at)
            item = build_item(MEMORY, (), at, fields)
            yield item._replace(id=build_memory_id(self.shared, document.key))

    def _iter_choices(self, now: str) -> Iterator[SharedItem]:
        rules = list_rule_handles(self.call, self.scope)
        if not rules:
            return
        choices = load_gate_choices(str(self.call.home.folder))
        for text, handles in rules.items():
            ends = sorted(filter(None, (choices.until.get(handle) for handle in handles)))
            is_off = any(handle in choices.off for handle in handles)
            if ends or is_off:
                fields = {"rule": text, "off": is_off, "until": ends[0] if ends else ""}
                yield build_item(CHOICE, (self.shared, text), now, fields)


def is_record_entry(document: Document) -> bool:
    """Say whether a document is what the index has of a record: the record itself travels."""
    shelf, _, path = document.key.partition("/")
    is_named = shelf in records.SHELVES and path.endswith(".md")
    return is_named and document.metadata.get("root") == records.MEMORY


def build_history_item(shared: str, document: Document) -> SharedItem:
    """Return a replaced document as an item: another text or time is another item."""
    fields = {**json_lines.build_export_fields(document), "scope": ""}
    mark = json.dumps(json_lines.build_document_mark(document), default=str)
    return build_item(REPLACED, (shared, mark), format_time(document.updated_at), fields)


def list_rule_handles(call: Call, scope: Scope) -> dict[str, list[str]]:
    """Return the words of each rule about actions of a scope, with its handles here."""
    handles: dict[str, list[str]] = {}
    try:
        rules: list[GateRule] = load_gate_rules(str(call.home.folder))
        load_gate_choices(str(call.home.folder))
    except DAMAGED:
        return {}
    for rule in rules:
        if rule.scope == scope.path:
            handles.setdefault(rule.rule.text, []).append(rule.handle)
    return handles


def build_memory_id(shared: str, key: str) -> str:
    """Return the id of a memory: its key."""
    return build_item_id(MEMORY, shared, forgotten_marks.build_memory_mark(key))


def build_record_id(shared: str, file: Path) -> str:
    """Return the id of a record: its place on its shelf."""
    return build_place_id(shared, forgotten_marks.build_record_mark(file))


def build_place_id(shared: str, mark: str) -> str:
    """Return the id of the record in the place of a mark."""
    return build_item_id(RECORD, shared, mark)


def build_record_item(shared: str, file: Path) -> SharedItem:
    """Return a record as an item, without secrets that stand in it."""
    text = redact_document(records.read_record_text(file))
    name, path = file.parents[1].name, f"{file.parent.name}/{file.name}"
    fields = {"shelf": name, "path": path, "text": text}
    item = build_item(RECORD, (), format_file_time(file.stat().st_mtime_ns), fields)
    return item._replace(id=build_record_id(shared, file))


def build_record_outline(item: SharedItem) -> RecordOutline:
    """Return the outline of a record."""
    created, _ = records.read_created(str(item.fields["text"]))
    mark = forgotten_marks.build_memory_mark(read_item_text(item))
    return RecordOutline(str(item.fields["shelf"]), mark, created)


def read_item_text(item: SharedItem) -> str:
    """Return what a record, a memory or a replaced document says."""
    text = str(item.fields["text"])
    return records.own_text(text) if item.kind == RECORD else text


class ForgottenMarks(NamedTuple):
    """Checksums of places and of texts that were forgotten, each with the time.

    What was told again on a device that knew the forgetting is `over`: mark → the time that it
    knew. `heard` is when this device heard of a forgetting, by its own clock, for what was there
    then. So a clock that is wrong does not decide.
    """

    places: Mapping[str, ForgottenPlace]
    texts: Mapping[str, str]
    over: Mapping[str, str]
    heard: Mapping[str, str]

    @property
    def dates(self) -> dict[str, str]:
        """Return the marks of places, with their times."""
        return {mark: place.at for mark, place in self.places.items()}

    def find_due(self, item: SharedItem) -> dict[str, str]:
        """Return the marks of an item that were not told again since, with their times."""
        if item.kind not in (RECORD, MEMORY, REPLACED):
            return {}
        text = forgotten_marks.build_memory_mark(read_item_text(item))
        due = {mark: self.places[mark].at for mark in _list_places(item) if mark in self.places}
        due |= {text: self.texts[text]} if text in self.texts else {}
        return self.select_due(due)

    def select_due(self, marks: Mapping[str, str]) -> dict[str, str]:
        """Return the marks, with their times, that nobody told again since."""
        return forgotten_marks.select_later(marks, self.over)

    def find_end(self, item: SharedItem) -> str:
        """Return when an item was forgotten that was made before; '' for one that stands.

        A record is the same one on every shelf, and so is what was kept beside it. What was told in
        the same second stands.
        """
        created = ""
        if item.kind == RECORD:
            created, _ = records.read_created(str(item.fields["text"]))
        made = created or item.at
        ends = [
            at
            for mark, at in self.find_due(item).items()
            if (made if mark in self.texts else item.at)[:_SECOND]
            < min(at, self.heard.get(mark, at))[:_SECOND]
            and not self._is_of_other(mark, created)
        ]
        return max(ends, default="")

    def _is_of_other(self, mark: str, created: str) -> bool:
        """Say whether a mark is of a place where only an older record was than one `created`."""
        place = self.places.get(mark)
        return place is not None and place.is_earlier and created[:_SECOND] > place.made[:_SECOND]

    def find_told_again(self, item: SharedItem) -> dict[str, str]:
        """Return the marks over which this device told an item again, with their times."""
        due = self.find_due(item)
        return due if due and not self.find_end(item) else {}


def load_forgotten_marks(call: Call, scope: Scope) -> ForgottenMarks:
    """Return what was forgotten in a scope, as it is known here."""
    journal = call.home.journal
    return ForgottenMarks(
        places=forgotten_marks.load_forgotten_places(call, scope),
        texts=journal.kept(forgotten_marks.FORGOTTEN_TEXTS + scope.path),
        over=journal.kept(forgotten_marks.TOLD_AGAIN + scope.path),
        heard=journal.kept(forgotten_marks.HEARD + scope.path),
    )


def _list_places(item: SharedItem) -> list[str]:
    if item.kind != RECORD:
        return [forgotten_marks.build_memory_mark(str(item.fields["key"]))]
    path = PurePosixPath(str(item.fields["path"]))
    names = {path.name, _ARCHIVED_NAME.sub(".md", path.name)}
    return [
        forgotten_marks.build_record_mark(Path(shelf, path.parent, name))
        for shelf in records.SHELVES
        for name in names
    ]
