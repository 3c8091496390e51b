"""One synchronisation: take in what other devices sent, then send what this device has.

Killed anywhere, the next run goes on: a segment is counted as taken after all of it is in, and what
was sent is known from the segments themselves.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from gieok.commands.memory.forget_steps import list_record_folders
from gieok.commands.memory.records import RecordShelf, project_shelf, scope_shelf, shelf_at
from gieok.commands.moving import sync_items, sync_sent
from gieok.commands.moving.sync_items import ITEMS, ScopeItems, ScopeNames
from gieok.commands.moving.sync_taken import ScopeTaking, iter_waiting
from gieok.errors import BadRequest, Damaged, WrongKey
from gieok.home.call import Call
from gieok.home.sync import SharedKey, SyncFault, SyncSetup
from gieok.memory.exchange.segments import MOST_ROWS, dump_segment, load_segment
from gieok.memory.exchange.versions import format_time, join_versions, load_version
from gieok.model.memory import Scope
from gieok.ports.sync import SegmentName, SegmentRemote

SEGMENTS, DEVICES, COUNTERS = "sync:segments", "sync:devices", "sync:counters"
WAITING = "sync:waiting"
_NUMBER, _POSITION, _LAST = "number", "position:", "last"
#: Rows that belong to no scope.
_DEVICE, _KEY, _DROPPED = "device", "key", "dropped"
DAMAGED, OTHER_KEY, AFTER_DROP, NEWER = "damaged", "key", "dropped", "newer"


class Device(NamedTuple):
    """Device of the user: its id, name, the public side of its key, and since when it is known.

    `upto` is the number of its last segment that counts, for a device that was dropped; else -1.
    """

    id: str
    name: str
    recipient: str
    since: str
    upto: int = -1

    @property
    def is_dropped(self) -> bool:
        """Say whether the device was dropped."""
        return self.upto >= 0


@dataclass
class ExchangeCounts:
    """Precedence of a synchronisation: counts of items and segments."""

    taken: int = 0
    sent: int = 0
    both_kept: int = 0
    segments_sent: int = 0
    waiting: int = 0
    faults: list[SyncFault] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)


def list_devices(call: Call) -> list[Device]:
    """Return the devices that are known here, sorted."""
    rows = call.home.journal.kept(DEVICES)
    return sorted(Device(name, *json.loads(text)) for name, text in rows.items())


def count_waiting(call: Call) -> int:
    """Return how many items wait until their project is known here."""
    return len(call.home.journal.kept(WAITING))


def mark_time(call: Call) -> None:
    """Note that this device was synchronised now."""
    call.home.journal.keep(COUNTERS, {_LAST: format_time(call.clock.now())})


def read_time(call: Call) -> str:
    """Return when this device was synchronised last, in UTC; '' for never."""
    return call.home.journal.kept(COUNTERS).get(_LAST, "")


def forget_exchange(call: Call) -> None:
    """Forget what was sent and taken, for another remote: everything is sent anew."""
    journal = call.home.journal
    for realm in journal.realms("sync:"):
        if realm != sync_items.PROJECTS:
            journal.keep(realm, {}, list(journal.kept(realm)))


class DeviceExchange:
    """Synchronisation of the home of a call with a remote, under `HomeSync.hold`."""

    def __init__(self, call: Call, setup: SyncSetup) -> None:
        self._call = call
        self._setup = setup
        self._sync = call.home.sync
        self._journal = call.home.journal
        self._remote: SegmentRemote = self._sync.open_remote(setup)
        self.done = ExchangeCounts()

    def run(self) -> ExchangeCounts:
        """Take in, then send. Raises RemoteUnreachable: what is to be sent waits then."""
        self._adopt_outbox()
        self._remote.fetch()
        self.take()
        self.stage()
        self.send()
        return self.done

    def stage_offline(self) -> None:
        """Keep what is to be sent, where the remote cannot be reached."""
        self._adopt_outbox()
        self.stage()

    # In.
    def take(self) -> None:
        """Take in every segment that is not yet; one that cannot be read is named and left."""
        self._names = ScopeNames(self._call, self._setup.device)
        self._shelves = self._find_shelves()
        self._take_waiting()
        faults: dict[str, str] = {}
        own = int(self._journal.kept(COUNTERS).get(_NUMBER, "0"))
        is_new_key = True
        while is_new_key:  # a key that came opens what could not be opened before
            is_new_key, faults = False, {}
            known = self._journal.kept(SEGMENTS)
            for name in self._remote.list_segments():
                is_own = name.device == self._setup.device and name.number <= own
                if name.path in known or is_own:
                    continue
                if self._is_after_drop(name):
                    faults[name.path] = AFTER_DROP
                    continue
                keys = len(self._sync.list_keys())
                fault = self._take_segment(name)
                if fault:
                    faults[name.path] = fault
                is_new_key = is_new_key or len(self._sync.list_keys()) != keys
        self._sync.keep_faults(faults)
        self.done.faults = self._sync.list_faults()
        self.done.waiting = count_waiting(self._call)

    def _is_after_drop(self, name: SegmentName) -> bool:
        dropped = {one.id: one.upto for one in list_devices(self._call) if one.is_dropped}
        return name.number > dropped.get(name.device, name.number)

    def _take_segment(self, name: SegmentName) -> str:
        """Take in a segment; return what is wrong with it, '' for nothing."""
        try:
            rows, _ = load_segment(self._sync.open(self._remote.read(name), name.path), name.path)
        except Damaged:
            return DAMAGED
        except WrongKey:
            return OTHER_KEY
        except BadRequest:
            return NEWER
        waiting = self._take_rows(rows)
        self._journal.keep(WAITING, dict(iter_waiting(waiting)))
        self._journal.keep(SEGMENTS, {name.path: ""})
        return ""

    def _take_rows(self, rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
        """Take in rows; return those for which there is no place yet."""
        self._take_notices(rows)
        waiting: list[Mapping[str, Any]] = []
        of_scopes = [row for row in rows if "item" in row]
        for shared, group in groupby(of_scopes, key=lambda row: str(row["scope"])):
            of_scope = list(group)
            has_records = any(row["is"] == sync_items.RECORD for row in of_scope)
            held = self._open_scope(shared, may_make_shelf=has_records)
            if held is None:
                waiting += of_scope
                continue
            taking = ScopeTaking(self._call, held, self._setup.device)
            taking.take(of_scope)
            waiting += taking.waiting
            self.done.taken += taking.taken
            self.done.both_kept += taking.both_kept
            self.done.rejected += taking.rejected
        return waiting

    def _take_waiting(self) -> None:
        texts = self._journal.kept(WAITING)
        rows = sorted(
            (json.loads(text) for text in texts.values()), key=lambda row: str(row["scope"])
        )
        still = dict(iter_waiting(self._take_rows(rows)))
        self._journal.keep(WAITING, {}, [name for name in texts if name not in still])

    def _open_scope(self, shared: str, *, may_make_shelf: bool) -> ScopeItems | None:
        local = self._names.to_local(shared)
        if not local:
            return None
        scope = Scope(local)
        shelf = self._shelves.get(scope)
        if shelf is None and may_make_shelf:
            shelf = self._make_shelf(scope)
        return ScopeItems(self._call, scope, shared, shelf)

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
            shelf = shelf_at(self._call, base)
            found.setdefault(shelf.scope, shelf)
        return found

    # Devices and keys.
    def _take_notices(self, rows: Iterable[Mapping[str, Any]]) -> None:
        for row in rows:
            match row["is"]:
                case "key":
                    key = SharedKey(str(row["since"]), str(row["by"]), str(row["identity"]))
                    self._sync.add_keys([key])
                case "device":
                    self._keep_device(
                        Device(
                            id=str(row["device"]),
                            name=str(row["name"]),
                            recipient=str(row["recipient"]),
                            since=str(row["since"]),
                        )
                    )
                case "dropped":
                    device = self._find_device(str(row["device"]))
                    self._keep_device(device._replace(upto=int(row["upto"])))

    def _find_device(self, identity: str) -> Device:
        known = {device.id: device for device in list_devices(self._call)}
        return known.get(identity) or Device(identity, "", "", "")

    def _keep_device(self, device: Device) -> None:
        known = self._find_device(device.id)
        upto = max(known.upto, device.upto)
        self._journal.keep(DEVICES, {device.id: json.dumps([*device[1:-1], upto])})

    # Out.
    def stage(self) -> None:
        """Let the changes of this device wait as segments, each durable before it counts."""
        self._names = ScopeNames(self._call, self._setup.device)
        self._shelves = self._find_shelves()
        rows: list[dict[str, Any]] = []
        positions: dict[str, int] = {}
        for row in self._iter_rows(positions):
            rows.append(row)
            if len(rows) >= MOST_ROWS:
                self._write_segment(rows, positions)
                rows = []
        if rows:
            self._write_segment(rows, positions)
        counters = {_POSITION + shared: str(upto) for shared, upto in positions.items()}
        self._journal.keep(COUNTERS, counters)

    def _iter_rows(self, positions: dict[str, int]) -> Iterator[dict[str, Any]]:
        own = self._find_device(self._setup.device)
        recipient = self._sync.make_device_key()
        if (own.name, own.recipient) != (self._setup.name, recipient):
            yield {
                "is": _DEVICE,
                "device": self._setup.device,
                "name": self._setup.name,
                "recipient": recipient,
                "since": format_time(self._call.clock.now()),
            }
        counters = self._journal.kept(COUNTERS)
        for held in self._list_scopes():
            yield from sync_sent.iter_changed_rows(self._call, held, self._setup.device)
            if not self._call.home.settings.flag("sync.turns"):
                continue
            after = int(counters.get(_POSITION + held.shared, "0"))
            for number, row in sync_sent.iter_message_rows(self._call, held, after):
                positions[held.shared] = number
                if row is not None:
                    yield row

    def _list_scopes(self) -> list[ScopeItems]:
        scopes = {
            *self._journal.scopes(),
            *self._journal.made_scopes(),
            *self._shelves,
        }
        scopes |= {
            Scope(local)
            for realm in self._journal.realms(ITEMS)
            if (local := self._names.to_local(realm.removeprefix(ITEMS)))
        }
        shared = {scope: self._names.to_shared(scope.path) for scope in scopes}
        return [
            ScopeItems(self._call, scope, shared[scope], self._shelves.get(scope))
            for scope in sorted(scopes)
        ]

    def _write_segment(
        self,
        rows: Sequence[Mapping[str, Any]],
        positions: Mapping[str, int],
        recipients: Sequence[str] = (),
    ) -> None:
        number = self._find_next_number()
        data = dump_segment(rows, positions)
        self._sync.write_outbox(number, self._sync.seal(data, recipients))
        self._adopt(number, rows, positions)
        self.done.sent += len(rows)

    def _find_next_number(self) -> int:
        """Return a number that no segment of this device has, here or in the remote."""
        own = [
            name.number
            for name in self._remote.list_segments()
            if name.device == self._setup.device
        ]
        counted = int(self._journal.kept(COUNTERS).get(_NUMBER, "0"))
        return max([*own, *self._sync.list_outbox(), counted]) + 1

    def _adopt_outbox(self) -> None:
        """Count what waits as sent, also where a kill came between the segment and its count."""
        counted = int(self._journal.kept(COUNTERS).get(_NUMBER, "0"))
        for number in self._sync.list_outbox():
            if number > counted:
                what = SegmentName(self._setup.device, number).path
                data = self._sync.open(self._sync.read_outbox(number), what)
                self._adopt(number, *load_segment(data, what))

    def _adopt(
        self, number: int, rows: Sequence[Mapping[str, Any]], positions: Mapping[str, int]
    ) -> None:
        self._take_notices(rows)
        of_scopes = [row for row in rows if "item" in row]
        today = self._call.clock.now().date().isoformat()
        for shared, group in groupby(of_scopes, key=lambda row: str(row["scope"])):
            known = self._journal.kept(ITEMS + shared)
            fresh: dict[str, str] = {}
            for row in group:
                item = str(row["item"])
                if "version" in row:
                    text = fresh.get(item) or known.get(item, "")
                    held = load_version(text) if text else None
                    fresh[item] = join_versions(held, load_version(row["version"])).dump()
                elif row["is"] == sync_items.GONE:
                    fresh[item] = sync_items.GONE
                elif row["is"] != sync_items.MESSAGE:
                    fresh[item] = today
            self._journal.keep(ITEMS + shared, fresh)
        counters = {_POSITION + shared: str(upto) for shared, upto in positions.items()}
        self._journal.keep(COUNTERS, {**counters, _NUMBER: str(number)})

    def send(self) -> None:
        """Send the segments that wait, and drop those that are in the remote."""
        there = set(self._remote.list_segments())
        waiting: dict[SegmentName, bytes] = {}
        for number in self._sync.list_outbox():
            name = SegmentName(self._setup.device, number)
            if name not in there:
                waiting[name] = self._renew(number)
            elif not self._is_same(name, number):  # a copy of this home was faster
                fresh = self._find_next_number()
                self._sync.write_outbox(fresh, self._sync.read_outbox(number))
                self._journal.keep(COUNTERS, {_NUMBER: str(fresh)})
                waiting[SegmentName(self._setup.device, fresh)] = self._sync.read_outbox(fresh)
                self._sync.drop_outbox(number)
        if waiting:
            self._remote.publish(waiting)
        there = set(self._remote.list_segments()) | waiting.keys()
        for number in self._sync.list_outbox():
            if SegmentName(self._setup.device, number) in there:
                self._sync.drop_outbox(number)
        self.done.segments_sent = len(waiting)

    def _renew(self, number: int) -> bytes:
        """Return a segment that waits, with the key in use: a dropped device has the one before."""
        data = self._sync.read_outbox(number)
        if self._sync.is_current(data):
            return data
        what = SegmentName(self._setup.device, number).path
        plain = self._sync.open(data, what)
        rows, _ = load_segment(plain, what)
        if any(row["is"] == _KEY for row in rows):
            return data
        data = self._sync.seal(plain)
        self._sync.write_outbox(number, data)
        return data

    def _is_same(self, name: SegmentName, number: int) -> bool:
        there, here = self._remote.read(name), self._sync.read_outbox(number)
        return there == here or self._sync.open(there, name.path) == self._sync.open(
            here, name.path
        )

    def rotate(self, dropped: str = "") -> SharedKey:
        """Give every device that stays a new key; `dropped` is the id of one that leaves."""
        now = format_time(self._call.clock.now())
        key = self._sync.build_key(now, self._setup.device)
        rows: list[dict[str, Any]] = [
            {"is": _KEY, "since": key.since, "by": key.device, "identity": key.identity}
        ]
        if dropped:
            numbers = [
                name.number for name in self._remote.list_segments() if name.device == dropped
            ]
            rows.append({"is": _DROPPED, "device": dropped, "upto": max(numbers, default=0)})
        recipients = {self._sync.make_device_key()} | {
            device.recipient
            for device in list_devices(self._call)
            if device.recipient and not device.is_dropped and device.id != dropped
        }
        self._write_segment(rows, {}, sorted(recipients))
        self.send()
        return key
