"""Devices of the user and the keys they share: the rows of segments that belong to no scope.

What a row says of devices and keys counts only where the key in use proved its segment: who was
dropped, or has a copy of an old key file, has the keys of before. What such a key proves of memory
counts where a device names the segment, with its checksum, under the key in use: it vouches for it.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from gieok.commands.moving import sync_items
from gieok.errors import BadConfig, BadRequest
from gieok.home.call import Call
from gieok.home.sync import SharedKey, SyncSetup, UnconfirmedDrop
from gieok.memory.exchange.segments import Row
from gieok.memory.exchange.versions import find_next_time, format_time
from gieok.ports.sync import SegmentName

DEVICES = "sync:devices"
#: Realm of the device → the number of the segment before which all of its segments were sent anew:
#: by itself, or by another one that has taken them in.
ANEW = "sync:anew"
#: Realm of the device → the highest number of its segments that came here, and when it came.
SEEN = "sync:seen"
#: Realm of the path of a segment → the public side of the key under which a device vouched for it.
VOUCHED = "sync:vouched"
#: Realm of the device → the public side of the last key in use that proved a segment of it.
UNDER = "sync:under"
#: Realm of the id of a device that was dropped → its name, until all others have the key since, or
#: it is given one again.
DROPPED = "sync:dropped"
#: Realm of the id of a device that this one dropped → its name, until this one drops or changes
#: keys again and gives it one, or it has one that this one made: a person brought it. The key of
#: another device may have held, which the dropped one has.
DROPPED_HERE = "sync:dropped-here"
#: Kinds of rows that belong to no scope.
_DEVICE, _KEY, _STAYING, _ANEW, _VOUCHED = "device", "key", "staying", "anew", "vouched"
#: What a row of another form raises.
_BAD_ROW = (KeyError, TypeError, ValueError, AttributeError, BadConfig, BadRequest)


class Device(NamedTuple):
    """Device of the user: its id, name, the public side of its key, and since when it is known.

    `generation` is that of the key under which it was announced.
    """

    id: str
    name: str
    recipient: str
    since: str
    generation: int = 0


def list_devices(call: Call) -> list[Device]:
    """Return the devices that are known here, sorted."""
    rows = call.home.journal.kept(DEVICES)
    return sorted(Device(name, *json.loads(text)) for name, text in rows.items())


def note_seen(call: Call, device: str, number: int) -> None:
    """Note that a segment of a device came, where it is a later one than those before."""
    before = call.home.journal.kept(SEEN).get(device)
    if before is None or json.loads(before)[0] < number:
        at = format_time(call.clock.now())
        call.home.journal.keep(SEEN, {device: json.dumps([number, at])})


def list_seen(call: Call) -> dict[str, str]:
    """Return device → when something new came from it last, by the clock of this one."""
    return {device: json.loads(text)[1] for device, text in call.home.journal.kept(SEEN).items()}


def note_key(call: Call, device: str, key: SharedKey) -> None:
    """Note that a segment of a device came which the key in use proved."""
    public = call.home.sync.recipient_of(key)
    if call.home.journal.kept(UNDER).get(device) != public:
        call.home.journal.keep(UNDER, {device: public})


def list_lagging(call: Call, setup: SyncSetup) -> list[Device]:
    """Return the other devices of which nothing came under the key in use."""
    public = call.home.sync.recipient_of(call.home.sync.load_current_key())
    under = call.home.journal.kept(UNDER)
    return [
        device
        for device in list_devices(call)
        if device.id != setup.device and under.get(device.id) != public
    ]


def settle_drops(call: Call, setup: SyncSetup) -> None:
    """Keep what is not confirmed of the devices that were dropped.

    They are known no more once all others have a key that they have not. Raises BadConfig.
    """
    journal = call.home.journal
    dropped = journal.kept(DROPPED)
    lagging = list_lagging(call, setup) if dropped else []
    known = {device.id for device in list_devices(call)}
    if not lagging:
        journal.keep(DROPPED, {}, sorted(dropped.keys() - known))
    back = journal.kept(DROPPED_HERE)
    waiting = [name for device, name in sorted(dropped.items()) if lagging and device not in known]
    call.home.sync.keep_unconfirmed_drop(
        UnconfirmedDrop(
            dropped=tuple(waiting),
            lagging=tuple(device.name for device in lagging if waiting),
            back=tuple(name for device, name in sorted(back.items()) if device in known),
        )
    )


def clear_devices(call: Call) -> None:
    """Know no device: those that have the key in use announce themselves under it.

    A device that was dropped under it does not, and is given none of those that follow.
    """
    journal = call.home.journal
    journal.keep(DEVICES, {}, list(journal.kept(DEVICES)))


@dataclass
class DeviceNotices:
    """Takes in and gives the rows of segments that belong to no scope."""

    call: Call
    setup: SyncSetup
    rejected: list[str] = field(default_factory=list)

    def take(
        self, rows: Iterable[Row], proof: SharedKey, *, is_key: bool, is_own: bool = False
    ) -> None:
        """Take the rows of a segment which a key proved; `is_key` where it carries a key.

        It `is_own` where this device wrote it.
        """
        for row in rows:
            try:
                if is_own and is_key:
                    self._note_dropped_here(row)
                self._take_row(row, proof, is_key=is_key)
            except _BAD_ROW as error:
                self._reject(row, error)

    def _reject(self, row: Row, error: Exception) -> None:
        self.rejected.append(sync_items.describe_refusal(row.get("is"), error))

    def _take_row(self, row: Row, proof: SharedKey, *, is_key: bool) -> None:
        if (
            row["is"] not in (_DEVICE, _STAYING, _KEY, _VOUCHED)
            or proof.identity != self.call.home.sync.load_current_key().identity
        ):
            return
        if row["is"] == _DEVICE:
            self._keep_device(
                Device(
                    id=str(row["device"]),
                    name=str(row["name"]),
                    recipient=str(row["recipient"]),
                    since=str(row["since"]),
                    generation=proof.generation,
                )
            )
            if proof.device == self.setup.device:
                # A key of this device was given to none that it dropped: a person brought it.
                self.call.home.journal.keep(DROPPED_HERE, {}, [str(row["device"])])
        elif row["is"] == _STAYING and is_key:
            staying, dropped = self._part_devices(row)
            self.call.home.journal.keep(DROPPED, dropped, sorted(staying))
            self.call.home.journal.keep(DEVICES, {}, sorted(dropped))
        elif row["is"] == _VOUCHED:
            public = self.call.home.sync.recipient_of(proof)
            self.call.home.journal.keep(VOUCHED, dict.fromkeys(map(str, row["paths"]), public))
        elif row["is"] == _KEY and is_key:
            self.call.home.sync.add_keys([self._build_given_key(row, proof)])

    def _note_dropped_here(self, row: Row) -> None:
        if row["is"] != _STAYING:
            return
        staying, dropped = self._part_devices(row)
        self.call.home.journal.keep(DROPPED_HERE, dropped, sorted(staying))

    def _part_devices(self, row: Row) -> tuple[set[str], dict[str, str]]:
        """Return the devices that a row gives a key, and id → name of the others that are known."""
        staying = set(map(str, row["devices"]))
        known = {device.id: device.name for device in list_devices(self.call)}
        return staying, {each: name for each, name in known.items() if each not in staying}

    def _build_given_key(self, row: Row, proof: SharedKey) -> SharedKey:
        """Return the key that a row gives. Raises one of `_BAD_ROW` for one that is refused."""
        key = SharedKey(int(row["generation"]), str(row["by"]), str(row["identity"]))
        if key.generation > proof.next_drop:
            raise BadRequest("it is a key of no generation that can follow")
        self.call.home.sync.recipient_of(key)
        return key

    def list_given_keys(self, rows: Iterable[Row], proof: SharedKey) -> set[str]:
        """Return the secrets of the keys that rows give, but of those that are refused."""
        given = set()
        for row in rows:
            if row["is"] == _KEY:
                with suppress(*_BAD_ROW):
                    given.add(self._build_given_key(row, proof).identity)
        return given

    def take_anew(self, name: SegmentName, rows: Iterable[Row], proof: SharedKey) -> None:
        """Take what a segment says was sent anew.

        A key of before proves it of the segments of the device itself, before this one, alone.
        """
        is_current = proof.identity == self.call.home.sync.load_current_key().identity
        for row in rows:
            if row["is"] != _ANEW:
                continue
            try:
                before = {str(device): int(number) for device, number in row["before"].items()}
            except _BAD_ROW as error:
                self._reject(row, error)
                continue
            if not is_current:
                before = {name.device: min(before.get(name.device, 0), name.number)}
            self._keep_anew(before)

    def _keep_anew(self, before: Mapping[str, int]) -> None:
        known = self.call.home.journal.kept(ANEW)
        later = {
            device: str(number)
            for device, number in before.items()
            if number > int(known.get(device, "0"))
        }
        self.call.home.journal.keep(ANEW, later)

    def _keep_device(self, device: Device) -> None:
        known = {one.id: one for one in list_devices(self.call)}.get(device.id, device)
        later = max(known, device, key=lambda one: one.since)
        later = later._replace(generation=max(known.generation, device.generation))
        self.call.home.journal.keep(DEVICES, {device.id: json.dumps(later[1:])})

    def iter_device_rows(self, *, is_anew: bool) -> Iterator[dict[str, Any]]:
        """Yield the devices that are to be announced: this one where it changed or sent nothing
        under the key in use.

        Where this one made the key, all that were given it are announced under it.
        """
        sync = self.call.home.sync
        key = sync.load_current_key()
        known = {device.id: device for device in list_devices(self.call)}
        own = Device(
            id=self.setup.device,
            name=self.setup.name,
            recipient=sync.make_device_key(),
            since=format_time(self.call.clock.now()),
            generation=key.generation,
        )
        before = known.get(own.id)
        if before is not None:
            is_same = before._replace(since=own.since, generation=key.generation) == own
            since = before.since if is_same else max(own.since, find_next_time(before.since))
            own = own._replace(since=since)
        is_new_key = self.call.home.journal.kept(UNDER).get(own.id) != sync.recipient_of(key)
        given = known if key.device == self.setup.device else {}
        for device in sorted({**given, own.id: own}.values()):
            held = known.get(device.id)
            is_known = held == device and held.generation >= key.generation
            if is_anew or not is_known or (is_new_key and device.id == own.id):
                yield {
                    "is": _DEVICE,
                    "device": device.id,
                    "name": device.name,
                    "recipient": device.recipient,
                    "since": device.since,
                }

    def build_vouching_row(self, paths: Iterable[str]) -> dict[str, Any] | None:
        """Return the row by which this device vouches for segments under the key in use.

        Of those that it knows: for all where it made the key, so that each other device takes what
        was sent before; else for its own. None where others vouch for all.
        """
        key = self.call.home.sync.load_current_key()
        public = self.call.home.sync.recipient_of(key)
        vouched = self.call.home.journal.kept(VOUCHED)
        fresh = [
            path
            for path in sorted(paths)
            if vouched.get(path) != public
            and self.setup.device in (key.device, path.partition("/")[0])
        ]
        return {"is": _VOUCHED, "paths": fresh} if fresh else None

    def build_anew_row(self, before: Mapping[str, int]) -> dict[str, Any]:
        """Return the row that says that segments are sent anew: device → before which number.

        What cannot be read of those, or is there no more, is missed by nobody.
        """
        return {"is": _ANEW, "before": dict(before)}

    def build_key_rows(self, *, dropped: str = "") -> tuple[list[dict[str, Any]], Sequence[str]]:
        """Return rows that give devices a new key, and the public sides of their own keys.

        No other device is known any more, on those that are given it too: one that is `dropped`
        gets none. The devices that stay go first: killed behind that row, both are taken again.
        """
        sync = self.call.home.sync
        staying = [device for device in list_devices(self.call) if device.id != dropped]
        key = sync.build_next_key(self.setup.device, is_drop=bool(dropped))
        row = {
            "is": _KEY,
            "generation": key.generation,
            "by": key.device,
            "identity": key.identity,
        }
        row_of_staying = {"is": _STAYING, "devices": [device.id for device in staying]}
        recipients = {sync.make_device_key(), *(device.recipient for device in staying)}
        return [row_of_staying, row], sorted(filter(None, recipients))
