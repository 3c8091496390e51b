"""One synchronisation: take in what other devices sent, then send what this device has.

Killed anywhere, the next run goes on: a segment is counted as taken after all of it is in, and what
was sent is known from the segments themselves.
"""

import json
import secrets
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import Any

from gieok.commands.memory import forgotten_marks
from gieok.commands.memory.forget_steps import list_record_folders
from gieok.commands.memory.records import RecordShelf, project_shelf, scope_shelf, shelf_at
from gieok.commands.moving import sync_devices, sync_items, sync_sent
from gieok.commands.moving.sync_devices import ANEW, DEVICES, VOUCHED, DeviceNotices
from gieok.commands.moving.sync_items import (
    COUNTERS,
    ITEMS,
    SENDING_ANEW,
    ScopeItems,
    ScopeNames,
)
from gieok.commands.moving.sync_taken import ScopeTaking
from gieok.errors import BadRequest, Damaged, GieokError, NotAuthentic, RemoteUnreachable, WrongKey
from gieok.home.call import Call
from gieok.home.sync import SharedKey, SyncFault, SyncSetup
from gieok.memory.exchange.segments import MOST_ROWS, Row, Segment, dump_segment, load_segment
from gieok.memory.exchange.versions import format_time, join_versions, load_version
from gieok.model.memory import Scope
from gieok.places.scope import is_of_account
from gieok.ports.sync import (
    LARGEST_NUMBER,
    SegmentName,
    SegmentRemote,
    build_checksum,
    hide_userinfo,
    parse_segment_path,
)

SEGMENTS = "sync:segments"
#: Realm of what waits: the path of a segment and a scope's shared name → the counts of its rows by
#: the reason. The rows are in the remote alone: so what is forgotten meanwhile stands nowhere here.
WAITING = "sync:waiting"
#: Realm of the device → the number before which all of its segments were taken in, when they are
#: known no more because everything is taken in anew.
HELD = "sync:held"
_NUMBER, _POSITION, _LAST, _GENERATION = "number", "position:", "last", "generation"
#: Counter that is there while segments are half taken in.
_TAKING = "taking"
#: Counter of the id under which this copy of the home counts its changes.
_WRITER = "writer"
#: What is noted of a segment of this device that is in the remote.
_SENT = "sent"
#: Counter of the id under which this home was synchronised.
_DEVICE = "device"
DAMAGED, OTHER_KEY, FORGED, NEWER, STRAY = "damaged", "key", "forged", "newer", "name"
#: Fault of a segment that only a key of before proves, and for which no device vouches.
OLD_KEY = "old"
#: Fault of one of two segments that give two keys in place of the same one.
TWO_KEYS = "two-keys"
#: Fault of a device whose segments were taken in and are in the remote no more.
GONE = "gone"
#: Why rows wait: no project or rule is known for them, the project is excluded, its folder has no
#: repository now that Git reads, or they were not understood. Rows of accounts are never taken.
UNKNOWN, EXCLUDED, UNMOUNTED, REFUSED = "unknown", "excluded", "unmounted", "refused"
#: The folder of the records is a link that leads out of the shelf, or nowhere.
LINKED = "linked"
ACCOUNT = "account"
#: Times that a segment is written under another number because it does not read as it was written.
_MOST_TRIES = 3


@dataclass
class ExchangeCounts:
    """Precedence of a synchronisation: counts of items and segments.

    `renamed_by_hand` counts records that one device renamed so and another one corrected,
    `brought_back` counts records that had vanished here and were taken in again, `vanished` those
    that could not be. `waiting` has the counts by reason, `unmounted` the folders of projects
    whose repository is not there, or not read by Git, `links` the shelves that lead elsewhere;
    `unplaced` counts projects of which nobody knows the folder, and `accounts` the scopes that stay
    on this device.
    """

    taken: int = 0
    sent: int = 0
    both_kept: int = 0
    renamed_by_hand: int = 0
    brought_back: int = 0
    vanished: int = 0
    segments_sent: int = 0
    waiting: dict[str, int] = field(default_factory=dict)
    unmounted: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    unplaced: int = 0
    accounts: int = 0
    faults: list[SyncFault] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)


def count_waiting(call: Call) -> dict[str, int]:
    """Return how many items wait, by the reason.

    Rows of accounts that this device sent itself, as an earlier version, are here.
    """
    counts: Counter[str] = Counter()
    own = read_device(call)
    for place, text in call.home.journal.kept(WAITING).items():
        name = parse_segment_path(place.partition(" ")[0])
        of_place: dict[str, int] = json.loads(text)
        if name and name.device == own:
            of_place.pop(ACCOUNT, None)
        counts.update(of_place)
    return dict(sorted(counts.items()))


def mark_time(call: Call) -> None:
    """Note that this device was synchronised now, and under which key."""
    generation = call.home.sync.load_current_key().generation
    now = format_time(call.clock.now())
    call.home.journal.keep(COUNTERS, {_LAST: now, _GENERATION: str(generation)})


def read_generation(call: Call) -> int:
    """Return the generation of the key in use at the last synchronisation; 0 for none."""
    return int(call.home.journal.kept(COUNTERS).get(_GENERATION, "0"))


def read_time(call: Call) -> str:
    """Return when this device was synchronised last, in UTC; '' for never."""
    return call.home.journal.kept(COUNTERS).get(_LAST, "")


def read_device(call: Call) -> str:
    """Return the id under which this home was synchronised before; '' for never."""
    return call.home.journal.kept(COUNTERS).get(_DEVICE, "")


def note_device(call: Call, setup: SyncSetup) -> None:
    """Note the id under which this home is synchronised: it keeps it."""
    call.home.journal.keep(COUNTERS, {_DEVICE: setup.device})


def has_exchanged(call: Call) -> bool:
    """Say whether this home took in or sent anything before."""
    return any(call.home.journal.kept(realm) for realm in (SEGMENTS, DEVICES))


def send_anew(call: Call, setup: SyncSetup, *, keeps_keys: bool = False) -> None:
    """Let everything that is here be sent anew, and everything there be taken in.

    The versions of all items stay: other devices see that they have them. Safe to kill: what waits
    to be sent is dropped last. A key that waits stays where it `keeps_keys`.
    """
    journal, sync = call.home.journal, call.home.sync
    sync_items.mark_anew(call)
    journal.keep(HELD, {device: str(number) for device, number in _find_held(call).items()})
    for realm in (SEGMENTS, WAITING):
        journal.keep(realm, {}, list(journal.kept(realm)))
    for name in sync.list_outbox(setup.device):
        if not (name.is_key and keeps_keys):
            sync.drop_outbox(name)


def _find_held(call: Call) -> dict[str, int]:
    """Return device → the number before which all of its segments were taken in here, and whole."""
    journal = call.home.journal
    lacking = [place.partition(" ")[0] for place in journal.kept(WAITING)]
    lacking += [fault.path for fault in call.home.sync.list_faults()]
    ends: dict[str, int] = {}
    for name in filter(None, map(parse_segment_path, lacking)):
        ends[name.device] = min(name.number, ends.get(name.device, name.number))
    held = {device: int(number) for device, number in journal.kept(HELD).items()}
    for name in filter(None, map(parse_segment_path, journal.kept(SEGMENTS))):
        number = min(name.number + 1, ends.get(name.device, name.number + 1))
        held[name.device] = max(number, held.get(name.device, 0))
    return held


def load_writer(call: Call, setup: SyncSetup, *, is_new: bool = False) -> str:
    """Return the id under which this copy of the home counts its changes.

    Two copies of one home have one device id; each counts on its own, or the change of one would
    pass for a part of the other's. A copy is known by its files, or because it `is_new`.
    """
    kept = call.home.journal.kept(COUNTERS).get(_WRITER, "")
    writer, _, copy = kept.partition(" ")
    now = str(call.home.sync.identify_copy())
    if not writer or copy != now or is_new:
        writer = secrets.token_hex(4) if writer else setup.device
        call.home.journal.keep(COUNTERS, {_WRITER: f"{writer} {now}"})
    return writer


class DeviceExchange:
    """Synchronisation of the home of a call with a remote, under `HomeSync.hold`."""

    def __init__(self, call: Call, setup: SyncSetup) -> None:
        self._call = call
        self._setup = setup
        self._sync = call.home.sync
        self._journal = call.home.journal
        self._remote: SegmentRemote = self._sync.open_remote(setup)
        self._writer = load_writer(call, setup)
        self._faults: dict[str, str] = {}
        self._loaded: dict[SegmentName, Segment] = {}
        self._proofs: dict[SegmentName, SharedKey] = {}
        #: Shared name of a scope → the records that vanished from it and are not there again.
        self._vanished: dict[str, set[str]] = {}
        #: Folder of the shelf of a project → the files in it that Git tracks; None where Git does
        #: not tell. Asked once a run.
        self._tracked: dict[Path, frozenset[str] | None] = {}
        #: Scope of a project whose repository Git does not read → its folder.
        self._unread: dict[str, Path] = {}
        self.done = ExchangeCounts()
        self._notices = DeviceNotices(call, setup, self.done.rejected)

    def run(self) -> ExchangeCounts:
        """Take in, then send. Raises RemoteUnreachable: what is to be sent waits then."""
        self._sync.load_current_key()
        self._adopt_outbox()
        self._remote.fetch()
        self._look_for_sent()
        self.take()
        self.stage()
        # What is sent anew is no fault any more.
        self._keep_faults()
        if self._is_key_disputed():  # whoever made one of the two may read what goes now
            self.done.sent = 0
        else:
            self.send()
        sync_devices.settle_drops(self._call, self._setup)
        return self.done

    def stage_offline(self) -> None:
        """Keep what is to be sent, where the remote cannot be reached.

        What is half taken in is taken in first.
        """
        self._adopt_outbox()
        if not self._journal.kept(COUNTERS).get(_TAKING):
            self._open_scopes()
            self._vanished = self._find_vanished()
            self.stage()

    def _look_for_sent(self) -> None:
        """Send everything anew where what was sent is not as it was.

        The remote was made anew then, or a file in it is damaged. The damaged one is left, and
        named, where what it holds may have vanished here.
        """
        there = {name.path: name for name in self._remote.list_segments()}
        sent = {path for path, note in self._journal.kept(SEGMENTS).items() if note == _SENT}
        own = [there[path] for path in sorted(sent & there.keys())]
        is_damaged = bool(self._remote.list_damaged(own))
        self._open_scopes()
        if sent - there.keys() or (is_damaged and not self._find_vanished()):
            send_anew(self._call, self._setup, keeps_keys=True)

    def _find_gone_devices(self) -> dict[str, str]:
        """Return the faults of devices whose segments were taken in and are there no more.

        What was sent anew, by it or by another one that has it, is there once more. A device that
        was dropped is missed by nobody.
        """
        there = {name.path for name in self._remote.list_segments()}
        devices = {device.id for device in sync_devices.list_devices(self._call)}
        anew = self._journal.kept(ANEW)
        taken = filter(None, map(parse_segment_path, self._journal.kept(SEGMENTS).keys() - there))
        return {
            name.device: GONE
            for name in taken
            if name.device in devices - {self._setup.device}
            and not name.is_key
            and name.number >= int(anew.get(name.device, "0"))
        }

    # In.
    def take(self) -> None:
        """Take in every segment that is not yet; one that cannot be read is named and left."""
        self._open_scopes()
        known = self._journal.kept(SEGMENTS)
        waiting = self._list_openable_waiting()
        names = [
            name
            for name in self._remote.list_segments()
            if name.path not in known or name.path in waiting
        ]
        self._faults = dict.fromkeys(self._remote.list_strays(), STRAY)
        loaded = self._select_believed(self._load_segments(names))
        for name, segment in loaded.items():
            self.done.rejected += segment.rejected
            self._notices.take_anew(name, segment.rows, self._proofs[name])
        if any(name.device == self._setup.device and name.path not in known for name in loaded):
            # A copy of this home wrote it, or this one before it was restored.
            self._writer = load_writer(self._call, self._setup, is_new=True)
        own = [name.number for name in loaded if name.device == self._setup.device]
        self._note_number(max(own, default=0))
        self._bring_back()
        rows = [
            (name.path, row)
            for name, segment in loaded.items()
            for row in segment.rows
            if "item" in row and row["scope"] in waiting.get(name.path, {row["scope"]})
        ]
        if rows:
            self._journal.keep(COUNTERS, {_TAKING: "1"})
        counts = self._take_rows(rows)
        # What cannot be read now waits on, unless it is in the remote no more.
        unread = {name.path for name in names} - {name.path for name in loaded}
        old = [
            f"{path} {shared}"
            for path, scopes in waiting.items()
            for shared in scopes
            if path not in unread
        ]
        self._journal.keep(WAITING, counts, [place for place in old if place not in counts])
        fresh = {name.path: "" for name in loaded if name.path not in known}
        self._journal.keep(SEGMENTS, fresh)
        key = self._sync.load_current_key()
        for device in {
            name.device
            for name in loaded
            if self._proofs[name] == key and not name.is_key and name.device != self._setup.device
        }:
            sync_devices.note_key(self._call, device, key)
        newest = {name.device: name.number for name in sorted(loaded) if name.path in fresh}
        for device, number in newest.items():
            sync_devices.note_seen(self._call, device, number)
        self._journal.keep(COUNTERS, {}, [_TAKING])
        self._keep_faults()
        self.done.waiting = count_waiting(self._call)
        self.done.links = sorted(map(str, self._links.values()))
        folders = {*self._names.unmounted.values(), *self._unread.values()}
        self.done.unmounted = sorted(map(str, folders))

    @cached_property
    def _names(self) -> ScopeNames:
        """Return the names of scopes, asked of Git once a run."""
        return ScopeNames(self._call, self._setup.device)

    def _open_scopes(self) -> None:
        self._shelves = self._find_shelves()
        self._links = {
            scope: link
            for scope, shelf in self._shelves.items()
            if (link := sync_items.find_outside_link(shelf.base))
        }
        for scope in self._links:
            del self._shelves[scope]
        self._drop_unread_shelves()

    def _drop_unread_shelves(self) -> None:
        """Leave the records of projects of which Git does not tell whether it tracks them."""
        for scope, shelf in list(self._shelves.items()):
            if not shelf.is_project or self._names.is_excluded(scope.path):
                continue
            if shelf.base not in self._tracked:
                self._tracked[shelf.base] = self._sync.list_tracked(shelf.base)
            if self._tracked[shelf.base] is None:
                self._unread[scope.path] = shelf.base.parent
                del self._shelves[scope]

    def _list_openable_waiting(self) -> dict[str, set[str]]:
        """Return segment → shared names of the scopes of which it may be taken in now."""
        found: dict[str, set[str]] = defaultdict(set)
        for place in self._journal.kept(WAITING):
            path, _, shared = place.partition(" ")
            with suppress(BadRequest):  # a name that this release does not give
                local = self._names.to_local(shared)
                if local and not is_of_account(local):
                    found[path].add(shared)
        return found

    def _load_segments(self, names: Sequence[SegmentName]) -> dict[SegmentName, Segment]:
        """Return the segments that can be read, and note what is wrong with others.

        Those of known devices are read first: where one of them changed the key, whoever has the
        old one alone is believed no more. Where two give two keys in place of the key in use,
        neither counts: one of them may be a stranger's, who has it.
        """
        loaded: dict[SegmentName, Segment] = {}
        devices = {device.id for device in sync_devices.list_devices(self._call)}
        of_known = [name for name in names if name.device in devices]
        unread = [*of_known, *(name for name in names if name.device not in devices)]
        is_new_key = True
        while is_new_key:  # a key that came opens what could not be opened before
            count = len(self._sync.list_keys())
            for name in unread:
                segment = self._load_segment(name)
                rivals = of_known if name.device in devices else names
                if segment and self._is_one_of_two_keys(name, rivals):
                    self._faults[name.path] = TWO_KEYS
                elif segment:
                    loaded[name] = segment
                    proof = self._proofs[name]
                    self._notices.take(segment.rows, proof, is_key=name.is_key)
            unread = [name for name in unread if name not in loaded]
            is_new_key = len(self._sync.list_keys()) != count
        return {name: loaded[name] for name in names if name in loaded}

    def _is_one_of_two_keys(self, name: SegmentName, rivals: Sequence[SegmentName]) -> bool:
        """Say whether a segment gives a key in place of the one in use, and a rival another one."""
        key = self._sync.load_current_key()
        if not name.is_key or self._proofs[name] != key:
            return False
        given = {
            identity
            for other in rivals
            if other.is_key
            and (segment := self._load_segment(other))
            and self._proofs[other] == key
            for identity in self._notices.list_given_keys(segment.rows, key)
        }
        return len(given) > 1

    def _is_key_disputed(self) -> bool:
        """Say whether two keys were given in place of the one in use, which a stranger may have."""
        return TWO_KEYS in self._faults.values()

    def _select_believed(self, loaded: Mapping[SegmentName, Segment]) -> dict[SegmentName, Segment]:
        """Return the segments that the key in use proves, that a device vouches for under it, or
        that were taken before; the others are faults.
        """
        known, vouched = self._journal.kept(SEGMENTS), self._journal.kept(VOUCHED)
        key = self._sync.load_current_key()
        public = self._sync.recipient_of(key)
        believed = {
            name: segment
            for name, segment in loaded.items()
            if self._proofs[name] == key or vouched.get(name.path) == public or name.path in known
        }
        # A key that another device made at once is told of by what it sends under it.
        self._faults |= {
            name.path: OLD_KEY for name in loaded.keys() - believed.keys() if not name.is_key
        }
        return believed

    def _load_segment(self, name: SegmentName) -> Segment | None:
        """Return a segment of the remote or of what waits, read once a run; None for a fault.

        What is wrong with it is kept among the faults.
        """
        if name not in self._loaded:
            try:
                opened = self._sync.open(self._read_segment(name), name.path)
                self._loaded[name] = load_segment(opened.data, name.path)
                self._proofs[name] = opened.proof
            except Damaged:
                self._faults[name.path] = DAMAGED
            except WrongKey:
                # A key that is for other devices is no fault: what is sent under it would be.
                if not name.is_key:
                    self._faults[name.path] = OTHER_KEY
            except NotAuthentic:
                self._faults[name.path] = FORGED
            except BadRequest:
                self._faults[name.path] = NEWER
            else:
                self._faults.pop(name.path, None)
        return self._loaded.get(name)

    def _read_segment(self, name: SegmentName) -> bytes:
        if self._sync.is_waiting(name):
            return self._sync.read_outbox(name)
        return self._remote.read(name)

    def _take_rows(self, rows: Sequence[tuple[str, Row]]) -> dict[str, str]:
        """Take in rows with the paths of their segments, each scope once; return what waits."""
        of_scopes: dict[str, list[tuple[str, Row]]] = defaultdict(list)
        for path, row in rows:
            of_scopes[str(row["scope"])].append((path, row))
        waiting: dict[str, Counter[str]] = defaultdict(Counter)
        for shared, of_scope in sorted(of_scopes.items()):
            paths = {id(row): path for path, row in of_scope}
            waiting_rows = self._take_scope_rows(
                shared, [row for _, row in of_scope], vanished=self._vanished.get(shared, ())
            )
            for row, reason in waiting_rows:
                waiting[f"{paths[id(row)]} {shared}"][reason] += 1
        return {place: json.dumps(counts) for place, counts in waiting.items()}

    def _take_scope_rows(
        self, shared: str, rows: Sequence[Row], vanished: Collection[str] = ()
    ) -> list[tuple[Row, str]]:
        """Take in rows of a scope; return those that wait, each with the reason.

        Records that `vanished` count as unknown.
        """
        has_records = any(row["is"] == sync_items.RECORD for row in rows)
        try:
            local = self._names.to_local(shared)
            if is_of_account(local):
                return [(row, ACCOUNT) for row in rows]
            if not local or self._names.is_excluded(local):
                return [(row, EXCLUDED if local else UNKNOWN) for row in rows]
            scope = self._open_scope(local, shared, may_make_shelf=has_records)
        except BadRequest as error:
            self.done.rejected.append(str(error))
            return [(row, REFUSED) for row in rows]
        taking = ScopeTaking(self._call, scope, self._writer, vanished)
        taking.take(rows)
        self.done.taken += taking.taken
        self.done.both_kept += taking.both_kept
        self.done.renamed_by_hand += taking.renamed_by_hand
        self.done.rejected += taking.rejected
        is_away = local in self._names.unmounted or local in self._unread
        reason = UNMOUNTED if is_away else UNKNOWN
        reason = LINKED if scope.scope in self._links else reason
        return [
            *((row, reason) for row in taking.waiting),
            *((row, REFUSED) for row in taking.refused),
        ]

    def _bring_back(self) -> None:
        """Take in again what vanished at once from a shelf: nobody forgot it, a folder was lost.

        What cannot be read stays known, and is looked for the next time; what is in no segment, and
        every one was read, is known no more: where it comes from another device, it is new.
        """
        self._vanished = self._find_vanished()
        if not self._vanished:
            return
        rows = self._find_rows(self._vanished)
        is_everything = not self._select_faults()
        for shared, items in self._vanished.items():
            self._take_scope_rows(shared, rows[shared], vanished=items)
            kept = self._journal.kept(ITEMS + shared)
            local = self._names.to_local(shared)
            there = items & self._open_scope(local, shared, may_make_shelf=True).record_ids
            missing = {item for item in items - there if load_version(kept[item]).digest}
            nowhere = missing - {row["item"] for row in rows[shared]}
            if is_everything:
                self._journal.keep(ITEMS + shared, {}, sorted(nowhere))
            self._vanished[shared] = missing
            self.done.brought_back += len(there)
            self.done.vanished += len(missing)

    def _find_vanished(self) -> dict[str, set[str]]:
        """Return shared name of a scope → the records that vanished from it."""
        found = {
            scope.shared: sync_sent.find_vanished_records(self._call, scope)
            for scope in self._list_travelling(self._find_scopes())
        }
        return {shared: items for shared, items in found.items() if items}

    def _find_rows(self, wanted: Mapping[str, Collection[str]]) -> dict[str, list[Row]]:
        """Return the rows of items, by scope, in all segments of the remote and what waits."""
        found: dict[str, list[Row]] = defaultdict(list)
        waiting = self._sync.list_outbox(self._setup.device)
        loaded = {
            name: segment
            for name in sorted({*self._remote.list_segments(), *waiting})
            if (segment := self._load_segment(name))
        }
        for segment in self._select_believed(loaded).values():
            for row in segment.rows:
                if row.get("item") in wanted.get(str(row.get("scope")), ()):
                    found[str(row["scope"])].append(row)
        return found

    def _keep_faults(self) -> None:
        self._sync.keep_faults(self._select_faults() | self._find_gone_devices())
        self.done.faults = self._sync.list_faults()

    def _select_faults(self) -> dict[str, str]:
        """Return the faults, but of segments that their device sent anew.

        Of two keys that were given in place of one, neither is taken by that.
        """
        anew = {device: int(number) for device, number in self._journal.kept(ANEW).items()}
        renewed = {
            name.path
            for name in self._remote.list_segments()
            if name.number < anew.get(name.device, 0)
        }
        return {
            path: kind
            for path, kind in self._faults.items()
            if path not in renewed or kind == TWO_KEYS
        }

    def _open_scope(self, local: str, shared: str, *, may_make_shelf: bool) -> ScopeItems:
        scope = Scope(local)
        shelf = self._shelves.get(scope)
        if shelf is None and may_make_shelf and scope not in self._links:
            shelf = self._make_shelf(scope)
        return self._build_items(scope, shared, shelf)

    def _build_items(self, scope: Scope, shared: str, shelf: RecordShelf | None) -> ScopeItems:
        tracked = {base: files for base, files in self._tracked.items() if files is not None}
        return ScopeItems(call=self._call, scope=scope, shared=shared, shelf=shelf, tracked=tracked)

    def _make_shelf(self, scope: Scope) -> RecordShelf | None:
        """Return the shelf of a scope that had no records; None for a project without a folder."""
        if scope.path.startswith("project:"):
            return None
        try:
            self._shelves[scope] = scope_shelf(self._call, scope)
        except BadRequest:  # what a character remembers
            return None
        return self._shelves[scope]

    def _find_shelves(self) -> dict[Scope, RecordShelf]:
        """Return the shelves with records that are indexed, and those of known projects."""
        found = {
            Scope(scope): project_shelf(str(folder))
            for scope, folder in self._names.folders.items()
        }
        for base in list_record_folders(self._call):
            if base.parent.is_dir():
                shelf = shelf_at(self._call, base)
                if shelf.scope.path not in self._names.unmounted:
                    found.setdefault(shelf.scope, shelf)
        return found

    # Out.
    def stage(self) -> None:
        """Let the changes of this device wait as segments, each durable before it counts."""
        self._open_scopes()
        is_anew = bool(self._journal.kept(COUNTERS).get(SENDING_ANEW))
        first = self._find_next_number()
        rows: list[dict[str, Any]] = []
        positions: dict[str, int] = {}
        for row in self._iter_rows(positions, is_anew=is_anew):
            rows.append(row)
            if len(rows) >= MOST_ROWS:
                self._write_segment(rows, positions)
                rows = []
        if is_anew:
            before = {**_find_held(self._call), self._setup.device: first}
            rows.append(self._notices.build_anew_row(before))
        if rows:
            self._write_segment(rows, positions)
        counters = {_POSITION + shared: str(upto) for shared, upto in positions.items()}
        self._journal.keep(COUNTERS, counters, [SENDING_ANEW])

    def _iter_rows(self, positions: dict[str, int], *, is_anew: bool) -> Iterator[dict[str, Any]]:
        is_announced = False
        for device_row in self._notices.iter_device_rows(is_anew=is_anew):
            is_announced = is_announced or device_row["device"] == self._setup.device
            yield device_row
        paths = self._journal.kept(SEGMENTS) if is_announced else ()
        if vouching := self._notices.build_vouching_row(paths):
            yield vouching
        counters = self._journal.kept(COUNTERS)
        scopes = self._find_scopes()
        self._count_staying(scopes)
        for scope in self._list_travelling(scopes):
            vanished = self._vanished.get(scope.shared, ())
            yield from sync_sent.iter_changed_rows(
                self._call, scope, self._writer, vanished, is_anew=is_anew
            )
            if not self._call.home.settings.flag("sync.turns"):
                continue
            after = 0 if is_anew else int(counters.get(_POSITION + scope.shared, "0"))
            for number, row in sync_sent.iter_message_rows(
                self._call, scope, after, is_anew=is_anew
            ):
                positions[scope.shared] = number
                if row is not None:
                    yield row

    def _count_staying(self, scopes: Collection[Scope]) -> None:
        """Count what of this device does not travel."""
        heads = {scope.path.partition("/")[0] for scope in scopes}
        self.done.unplaced = sum(map(self._names.is_unplaced, heads))
        self.done.accounts = len(sync_items.list_account_scopes(self._call))

    def _list_travelling(self, scopes: Collection[Scope]) -> list[ScopeItems]:
        """Return the items of the scopes that travel, sorted by scope."""
        return [
            self._build_items(scope, self._names.to_shared(scope.path), self._shelves.get(scope))
            for scope in sorted(scopes)
            if not self._names.is_excluded(scope.path) and not is_of_account(scope.path)
        ]

    def _find_scopes(self) -> set[Scope]:
        """Return the scopes of which something is here, or was exchanged."""
        scopes = {
            *self._journal.scopes(),
            *self._journal.made_scopes(),
            *self._shelves,
        }
        return scopes | {
            Scope(local)
            for realm in self._journal.realms(ITEMS)
            if (local := self._names.to_local(realm.removeprefix(ITEMS)))
        }

    def _write_segment(
        self,
        rows: Sequence[dict[str, Any]],
        positions: Mapping[str, int],
        recipients: Sequence[str] = (),
    ) -> None:
        proof = self._sync.load_current_key()
        data = self._sync.seal(dump_segment(rows, positions), recipients)
        name = self._build_next_name(data, is_key=bool(recipients))
        self._sync.write_outbox(name, data)
        self._adopt(name, Segment(list(rows), dict(positions), []), proof)
        self.done.sent += len(rows)

    def _build_next_name(self, data: bytes, *, is_key: bool) -> SegmentName:
        return SegmentName(
            self._setup.device, self._find_next_number(), build_checksum(data), is_key=is_key
        )

    def _find_next_number(self) -> int:
        """Return a number that no segment of this device has, here or in the remote.

        It follows the number of the last one that this device wrote: a file that somebody else put
        beside those takes one number at most.
        """
        device = self._setup.device
        names = (*self._remote.list_segments(), *self._sync.list_outbox(device))
        taken = {name.number for name in names if name.device == device}
        number = int(self._journal.kept(COUNTERS).get(_NUMBER, "0"))
        number = number + 1 if number < LARGEST_NUMBER else 1
        while number in taken:
            number += 1
        return number

    def _adopt_outbox(self) -> None:
        """Count what waits as sent, also where a kill came between the segment and its count."""
        known = self._journal.kept(SEGMENTS)
        for name in self._sync.list_outbox(self._setup.device):
            if name.path not in known:
                self._open_scopes()
                opened = self._sync.open(self._sync.read_outbox(name), name.path)
                self._adopt(name, load_segment(opened.data, name.path), opened.proof)

    def _adopt(self, name: SegmentName, segment: Segment, proof: SharedKey) -> None:
        self._notices.take(segment.rows, proof, is_key=name.is_key, is_own=True)
        self._notices.take_anew(name, segment.rows, proof)
        if not name.is_key and proof == self._sync.load_current_key():
            sync_devices.note_key(self._call, name.device, proof)
        of_scopes = [row for row in segment.rows if "item" in row]
        today = self._call.clock.now().date().isoformat()
        for shared, group in groupby(of_scopes, key=lambda row: str(row["scope"])):
            known = self._journal.kept(ITEMS + shared)
            fresh: dict[str, str] = {}
            over: dict[str, str] = {}
            for row in group:
                item = str(row["item"])
                over |= row.get("over", {})
                if "version" in row:
                    text = fresh.get(item) or known.get(item, "")
                    before = load_version(text) if text else None
                    fresh[item] = join_versions(before, load_version(row["version"])).dump()
                elif row["is"] == sync_items.GONE:
                    fresh[item] = sync_items.GONE
                elif row["is"] != sync_items.MESSAGE:
                    fresh[item] = today
            if local := self._names.to_local(shared):
                forgotten_marks.keep_latest(self._call, forgotten_marks.TOLD_AGAIN + local, over)
            self._journal.keep(ITEMS + shared, fresh)
        counters = {_POSITION + shared: str(upto) for shared, upto in segment.positions.items()}
        self._count(name)
        self._journal.keep(COUNTERS, counters)

    def _count(self, name: SegmentName) -> None:
        """Note a segment of this device; its number is never given again."""
        self._note_number(name.number)
        self._journal.keep(SEGMENTS, {name.path: ""})

    def _note_number(self, number: int) -> None:
        last = int(self._journal.kept(COUNTERS).get(_NUMBER, "0"))
        self._journal.keep(COUNTERS, {_NUMBER: str(max(last, number))})

    def send(self) -> None:
        """Send the segments that wait, and drop those that are in the remote as they are here."""
        for name in self._sync.list_outbox(self._setup.device):
            self._renew(name)
        for _ in range(_MOST_TRIES):
            names = self._sync.list_outbox(self._setup.device)
            if not names:
                return self._check_sent()
            self._remote.publish({name: self._sync.read_outbox(name) for name in names})
            for name in names:
                self._settle(name)
        raise RemoteUnreachable(
            "what is written to {address!r} does not read as it was written",
            address=hide_userinfo(self._setup.remote),
        )

    def _check_sent(self) -> None:
        """Raise GieokError where rows count as sent and no segment went."""
        if self.done.sent and not self.done.segments_sent:
            raise GieokError(
                "{count} rows count as sent, and no segment of them went to {address!r}",
                count=self.done.sent,
                address=hide_userinfo(self._setup.remote),
                hint="`gieok sync --anew`",
            )

    def _settle(self, name: SegmentName) -> None:
        """Drop a segment that is in the remote; give it another number where another one is."""
        data = self._sync.read_outbox(name)
        try:
            is_there = self._remote.read(name) == data
        except Damaged:
            is_there = False
        if is_there:
            self._journal.keep(SEGMENTS, {name.path: _SENT})
            self.done.segments_sent += 1
        else:
            self._rename(name, data)
        self._sync.drop_outbox(name)

    def _rename(self, name: SegmentName, data: bytes) -> None:
        """Let a segment wait under the next number, with these bytes."""
        fresh = self._build_next_name(data, is_key=name.is_key)
        self._sync.write_outbox(fresh, data)
        self._count(fresh)

    def _renew(self, name: SegmentName) -> None:
        """Encrypt a segment that waits with the key in use, if it waited under the one before."""
        data = self._sync.read_outbox(name)
        if not name.is_key and not self._sync.is_current(data):
            self._rename(name, self._sync.seal(self._sync.open(data, name.path).data))
            self._sync.drop_outbox(name)

    def change_key(self, dropped: str = "") -> None:
        """Give every device that is known a new key, but for one that is `dropped`.

        Raises BadRequest where others gave two: one that was dropped may have made one of them, and
        counts as known here.
        """
        if self._is_key_disputed():
            raise BadRequest(
                "two keys were given in place of the one in use: the key is not changed again",
                hint="bring one of them first: `gieok sync status` says how",
            )
        rows, recipients = self._notices.build_key_rows(dropped=dropped)
        self._write_segment(rows, {}, recipients)
        # The devices are announced under the new key.
        self.stage()
        self.send()
        sync_devices.settle_drops(self._call, self._setup)
