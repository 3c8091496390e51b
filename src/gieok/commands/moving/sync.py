"""`gieok sync`: one memory on several devices of one user, over a place of the user's own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, NamedTuple

from gieok.commands.command import Effect, Parameter, Style, command, printable
from gieok.commands.encode import Hidden
from gieok.commands.moving import sync_devices, sync_exchange, sync_items
from gieok.commands.moving.sync_exchange import DeviceExchange, ExchangeCounts
from gieok.errors import BadRequest, RemoteUnreachable
from gieok.home.call import Call
from gieok.home.sync import HomeSync, SharedKey, SyncFault, SyncSetup, UnconfirmedDrop
from gieok.home.withholding import check_session_withheld
from gieok.ports.sync import SegmentRemote, hide_userinfo
from gieok.text.messages import Words

_FAULTS = {
    sync_exchange.DAMAGED: Words(
        "not whole: left for the next time, when its program may have brought the rest. If it "
        "stays so, run `gieok sync` on the device that wrote it"
    ),
    sync_exchange.OTHER_KEY: Words(
        "encrypted with a key that is not here: on the device that wrote it, run `gieok sync key "
        "--to FILE`; here, `gieok sync init REMOTE --key-file FILE`. If you changed no key, it may "
        "be a stranger's, who has an old one: start anew with another remote"
    ),
    sync_exchange.TWO_KEYS: Words(
        "two files give two keys in place of the same one: neither is taken, and nothing is sent "
        "until a key is brought. If you changed keys on two devices at once, run `gieok sync key "
        "--to FILE` on one of them; here, `gieok sync init REMOTE --key-file FILE`. If you did "
        "not, one may be from a stranger or a dropped device, which has an old key: bring the key "
        "only from the device on which you changed it"
    ),
    sync_exchange.FORGED: Words(
        "nothing proves that a device of yours wrote it: left. If it is no stranger's, its key is "
        "not here: `gieok sync key --to FILE` there; here, `gieok sync init REMOTE --key-file FILE`"
    ),
    sync_exchange.OLD_KEY: Words(
        "under a key from before it was changed: nothing of it is taken. It is from a device that "
        "was dropped, or that has not the new key. If it is yours, run `gieok sync` there; if that "
        "does not help, `gieok sync key --to FILE` here, and there `gieok sync init REMOTE "
        "--key-file FILE`"
    ),
    sync_exchange.NEWER: Words("written by a newer Gieok: update this one"),
    sync_exchange.STRAY: Words(
        "a name that no device gives: the program that synchronises the folder renamed it"
    ),
    sync_exchange.GONE: Words(
        "what this device sent is in the remote no more: a device that joins later does not get "
        "it. `gieok sync --anew` sends what is here of it"
    ),
}
_REASONS = {
    sync_exchange.UNKNOWN: Words(
        "{count:,} wait until their project or rule is known here: work in the project once"
    ),
    sync_exchange.EXCLUDED: Words(
        "{count:,} are of projects in excluded folders, or in folders that are not known: they "
        "are not imported"
    ),
    sync_exchange.ACCOUNT: Words(
        "{count:,} are what characters remember, or another user's memory: they are not imported"
    ),
    sync_exchange.UNMOUNTED: Words(
        "{count:,} wait until Git reads the repository of their project again"
    ),
    sync_exchange.LINKED: Words("{count:,} wait until the folder of their records is there again"),
    sync_exchange.REFUSED: Words("{count:,} were not understood: the next time tries again"),
}


@dataclass(frozen=True, slots=True)
class SyncInitResult:
    """Remote and device of this home, and the file of the key."""

    remote: str
    device: str
    name: str
    key_file: str
    is_new_key: bool
    others: int
    #: A key file was brought, and the key in use is not in it.
    is_own_key: bool = False
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class SyncResult:
    """Precedence of a synchronisation, in items and segments."""

    taken: int
    sent: int
    both_kept: int
    #: Records that were renamed by hand on one device, and corrected under the old name on another.
    renamed_by_hand: int
    brought_back: int
    vanished: int
    segments: int
    waiting: int
    #: Reason → how many of those that wait.
    waiting_for: Mapping[str, int]
    #: Folders of projects whose repository is not there, or not read by Git.
    unmounted: tuple[str, ...]
    #: Links in place of shelves, which lead out of their folder or nowhere.
    links: tuple[str, ...]
    #: Projects of which nobody knows the folder, and so whether it is excluded.
    unplaced: int
    #: Scopes of characters and of other users, which stay on this device.
    accounts: int
    drop: UnconfirmedDrop
    faults: tuple[SyncFault, ...]
    rejected: tuple[str, ...]

    @property
    def found(self) -> bool:
        """False where a segment could not be taken in, what vanished not again, or a device that
        was dropped is back.
        """
        return not (self.faults or self.rejected or self.vanished or self.drop.back)


@dataclass(frozen=True, slots=True)
class SyncStatus:
    """State of the synchronisation, as this device knows it without asking the remote."""

    remote: str
    device: str
    name: str
    last: str
    segments_waiting: int
    items_waiting: int
    #: Reason → how many of the items that wait.
    waiting_for: Mapping[str, int]
    #: Scopes of characters and of other users, which stay on this device.
    accounts: int
    drop: UnconfirmedDrop
    faults: tuple[SyncFault, ...]
    found: Hidden[bool] = True


class SyncDevice(NamedTuple):
    """Device of the user: since when it is known, and when something new came from it here last.

    `seen` is '' where nothing came yet, and for this device itself.
    """

    id: str
    name: str
    recipient: str
    since: str
    seen: str


@dataclass(frozen=True, slots=True)
class SyncDevices:
    """Devices that are known here; `device` is this one, `dropped` the one that was dropped."""

    device: str
    devices: tuple[SyncDevice, ...]
    drop: UnconfirmedDrop
    dropped: str = ""
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class SyncKeyChange:
    """Public side of the new key in use."""

    recipient: str
    found: Hidden[bool] = True


@dataclass(frozen=True, slots=True)
class SyncKey:
    """File of the keys, the public side of the key in use, and the copy that was written."""

    key_file: str
    recipient: str
    keys: int
    copy: str
    found: Hidden[bool] = True


def render_sync_init(result: SyncInitResult, style: Style) -> str:
    """Show where the devices meet, and how to bring the key to another one."""
    lines = [
        f"{style.bold(printable(result.remote))}",
        style.say("  this device: {name} ({device})", name=result.name, device=result.device),
        style.say("  key: {file}", file=result.key_file),
    ]
    if result.is_new_key:
        lines.append(
            style.say(
                "without the key nobody reads what is sent. For another device: `gieok sync key "
                "--to FILE`, carry the file there, and `gieok sync init REMOTE --key-file FILE`"
            )
        )
    if result.is_own_key:
        lines.append(
            style.say(
                "the key of this device stays in use: it ranks before those that you brought. "
                "Bring it to the device that you brought them from: `gieok sync key --to FILE` "
                "here; there, `gieok sync init REMOTE --key-file FILE`"
            )
        )
    lines.append(style.say("now run: gieok sync"))
    return "\n".join(lines)


@command(
    "sync init",
    Words("Choose where your devices meet: a Git repository of your own, or a synchronised folder"),
    present=render_sync_init,
    effect=Effect.WRITE,
    examples=(
        "gieok sync init git@example.org:me/memory.git",
        "gieok sync init ~/Dropbox/gieok --key-file ~/gieok-sync.key",
    ),
)
def start_sync(
    call: Call,
    *,
    remote: Annotated[
        str,
        Parameter(
            Words("address or folder of a Git repository, or a folder that another program syncs"),
            positional=True,
            needed="gieok sync init ~/Dropbox/gieok",
        ),
    ] = "",
    key_file: Annotated[
        str, Parameter(Words("the key of your other devices (`gieok sync key --to FILE` there)"))
    ] = "",
    name: Annotated[str, Parameter(Words("how this device is called (default: its host)"))] = "",
) -> SyncInitResult:
    """Make or take over the key, and write where to synchronise; nothing is sent yet.

    Everything is sent anew where the place or the key is another one than before.
    """
    sync = call.home.sync
    with sync.hold():
        folder = call.caller.path(remote, may_be_name=True)
        before = sync.find_setup()
        setup = sync.build_setup(remote, folder, name, sync_exchange.read_device(call))
        known = sync.list_keys()
        there = sync.open_remote(setup)
        there.fetch()
        others = {one.device for one in there.list_segments()} - {setup.device}
        is_new_key = not key_file and not known
        if is_new_key and others:
            raise BadRequest(
                "other devices are in {remote!r}, and their key is not here",
                remote=hide_userinfo(setup.remote),
                hint="on one of them run `gieok sync key --to FILE`; here, add --key-file FILE",
            )
        keys, brought = known, known
        if key_file:
            brought = sync.read_keys(call.caller.path(key_file))
            keys = _join_keys(sync, there, brought, setup)
        elif is_new_key:
            keys = [sync.build_next_key(setup.device, sync_exchange.read_generation(call))]
        sync.make_device_key()
        is_other = before is None or before.remote != setup.remote
        sync_exchange.note_device(call, setup)
        if sync_exchange.has_exchanged(call) and (is_other or keys[:1] != known[:1]):
            sync_exchange.send_anew(call, setup)
        if keys[:1] != known[:1]:
            sync_devices.clear_devices(call)
        # Killed before, the next try finds another key still.
        sync.store_keys(keys)
        sync.store_setup(setup)
    return SyncInitResult(
        remote=hide_userinfo(setup.remote),
        device=setup.device,
        name=setup.name,
        key_file=str(sync.key_file),
        is_new_key=is_new_key,
        others=len(others),
        is_own_key=bool(brought) and keys[0] not in brought,
    )


def _join_keys(
    sync: HomeSync, remote: SegmentRemote, brought: Sequence[SharedKey], setup: SyncSetup
) -> list[SharedKey]:
    """Return the keys of this device with those that were brought, the one in use first.

    The highest one is in use, on every device. A key that is here, opens nothing in the remote,
    where a brought one does, and has no key in common with those, was a wrong one: it is used for
    nothing but what was sent under it. Raises BadRequest for a wrong file.
    """
    others = [name for name in remote.list_segments() if name.device != setup.device]
    # What a device sent last is under the key in use there.
    newest = {name.device: name for name in sorted(others) if not name.is_key}
    is_right = sync.can_open_any(remote, list(newest.values()), brought)
    if is_right is False and sync.can_open_any(remote, others, brought):
        raise BadRequest(
            "the key in the file is older than the one in use in {remote!r}",
            remote=hide_userinfo(setup.remote),
            hint="on a device that is there run `gieok sync key --to FILE` again",
        )
    if is_right is False:
        raise BadRequest(
            "the key in the file opens nothing that other devices sent to {remote!r}",
            remote=hide_userinfo(setup.remote),
            hint="on a device that is there run `gieok sync key --to FILE` again",
        )
    known, there = sync.list_keys(), {key.identity for key in brought}
    strange = [key for key in known if key.identity not in there]
    is_foreign = bool(strange) and len(strange) == len(known)
    if is_right and is_foreign and not sync.can_open_any(remote, others, strange):
        strange = [key._replace(generation=0) for key in strange]
    return sorted({*strange, *brought}, reverse=True)


def render_sync(result: SyncResult, style: Style) -> str:
    """Show what came, what went, and what could not be taken in."""
    lines = [
        style.say(
            "{taken:,} received, {sent:,} sent in {segments:,} segments",
            taken=result.taken,
            sent=result.sent,
            segments=result.segments,
        )
    ]
    if result.both_kept:
        lines.append(
            style.say(
                "  {count:,} changed on two devices: the later one holds, the earlier one is in "
                "the history or among archived records",
                count=result.both_kept,
            )
        )
    if result.renamed_by_hand:
        lines.append(
            style.say(
                "  {count:,} renamed by hand on one device and corrected on another: both are in "
                "use",
                count=result.renamed_by_hand,
            )
        )
    if result.brought_back:
        lines.append(
            style.say(
                "  {count:,} records had vanished here, most of their shelf: they were brought "
                "back. If they are to go, run `gieok forget`",
                count=result.brought_back,
            )
        )
    if result.vanished:
        lines.append(
            style.say(
                "  ✗ {count:,} records have vanished here, most of their shelf, and could not be "
                "brought back: on a device that has them, run `gieok sync --anew`",
                count=result.vanished,
            )
        )
    lines += [
        style.say(
            "  {folder}: no repository is there now that Git reads; its records neither go nor "
            "come",
            folder=folder,
        )
        for folder in map(printable, result.unmounted)
    ]
    lines += [
        style.say(
            "  {link}: a link that leads out of its folder, or nowhere: its records neither go nor "
            "come",
            link=link,
        )
        for link in map(printable, result.links)
    ]
    if result.unplaced:
        lines.append(
            style.say(
                "  {count:,} projects are not sent: nobody knows their folders, which may be "
                "excluded",
                count=result.unplaced,
            )
        )
    lines += _render_waiting(result.waiting_for, style)
    lines += _render_accounts(result.accounts, style)
    lines += _render_drop(result.drop, style)
    lines += _render_faults(result.faults, style)
    lines += [style.say("  ✗ not understood: {row}", row=row) for row in result.rejected]
    return "\n".join(lines)


def _render_waiting(counts: Mapping[str, int], style: Style) -> list[str]:
    return [
        f"  {style.say(_REASONS[reason].template, count=count)}" for reason, count in counts.items()
    ]


def _render_accounts(count: int, style: Style) -> list[str]:
    if not count:
        return []
    text = style.say(
        "  {count:,} scopes of characters and of other users stay on this device", count=count
    )
    return [text]


def _render_drop(drop: UnconfirmedDrop, style: Style) -> list[str]:
    lines = []
    if drop.dropped:
        lines.append(
            style.say(
                "  {dropped}: dropped, but not yet on {lagging}: what those send before they have "
                "the new key, a dropped device can read. Run `gieok sync` there, and then here",
                dropped=printable(", ".join(drop.dropped)),
                lagging=printable(", ".join(drop.lagging)),
            )
        )
    lines += [
        style.say(
            "  ✗ {name}: was dropped, and has the key in use. Drop it again: `gieok sync devices "
            "--drop`, or let it stay: `gieok sync rotate`",
            name=printable(name),
        )
        for name in drop.back
    ]
    return lines


def _render_faults(faults: tuple[SyncFault, ...], style: Style) -> list[str]:
    return [f"  ✗ {printable(path)}: {_FAULTS[kind].say(style.lang)}" for path, kind in faults]


@command(
    "sync run",
    Words("Read what your other devices remember, and send them what this one does"),
    present=render_sync,
    effect=Effect.WRITE,
    examples=("gieok sync", "gieok sync --anew"),
)
def synchronise_home(
    call: Call,
    *,
    anew: Annotated[
        bool, Parameter(Words("send everything that is here once more, also what others told"))
    ] = False,
) -> SyncResult:
    """Take in and send. Where the remote cannot be reached, everything goes the next time.

    Raises RemoteUnreachable, and Withheld while memory is paused.
    """
    check_session_withheld(call)
    with call.home.sync.hold():
        setup = _require_setup(call)
        if anew:
            sync_exchange.send_anew(call, setup, keeps_keys=True)
        exchange = DeviceExchange(call, setup)
        try:
            done = exchange.run()
        except RemoteUnreachable:
            exchange.stage_offline()
            raise
        sync_exchange.mark_time(call)
    return _build_sync_result(done, call.home.sync.load_unconfirmed_drop())


def _build_sync_result(done: ExchangeCounts, drop: UnconfirmedDrop) -> SyncResult:
    return SyncResult(
        taken=done.taken,
        sent=done.sent,
        both_kept=done.both_kept,
        renamed_by_hand=done.renamed_by_hand,
        brought_back=done.brought_back,
        vanished=done.vanished,
        segments=done.segments_sent,
        waiting=sum(done.waiting.values()),
        waiting_for=done.waiting,
        unmounted=tuple(done.unmounted),
        links=tuple(done.links),
        unplaced=done.unplaced,
        accounts=done.accounts,
        drop=drop,
        faults=tuple(done.faults),
        rejected=tuple(done.rejected),
    )


def _require_setup(call: Call) -> SyncSetup:
    setup = call.home.sync.find_setup()
    if setup is None:
        raise BadRequest("no place to synchronise is chosen", hint="`gieok sync init REMOTE`")
    return setup


def render_sync_status(result: SyncStatus, style: Style) -> str:
    """Show where devices meet, and what waits."""
    if not result.remote:
        return style.say("no place to synchronise is chosen: `gieok sync init REMOTE`")
    last = result.last[:16].replace("T", " ") or style.say("never")
    lines = [
        style.bold(printable(result.remote)),
        style.say("  this device: {name} ({device})", name=result.name, device=result.device),
        style.say("  last synchronised (UTC): {last}", last=last),
    ]
    if result.segments_waiting:
        lines.append(
            style.say("  {count:,} segments wait to be sent", count=result.segments_waiting)
        )
    lines += _render_waiting(result.waiting_for, style)
    lines += _render_accounts(result.accounts, style)
    lines += _render_drop(result.drop, style)
    return "\n".join([*lines, *_render_faults(result.faults, style)])


@command(
    "sync status",
    Words("Say where your devices meet, when this one was there last, and what waits"),
    present=render_sync_status,
    examples=("gieok sync status",),
)
def read_sync_status(call: Call) -> SyncStatus:
    """Return what this device knows; the remote is not asked."""
    setup = call.home.sync.find_setup()
    if setup is None:
        return SyncStatus(
            remote="",
            device="",
            name="",
            last="",
            segments_waiting=0,
            items_waiting=0,
            waiting_for={},
            accounts=0,
            drop=UnconfirmedDrop(),
            faults=(),
        )
    waiting = sync_exchange.count_waiting(call)
    return SyncStatus(
        remote=hide_userinfo(setup.remote),
        device=setup.device,
        name=setup.name,
        last=sync_exchange.read_time(call),
        segments_waiting=call.home.sync.count_outbox(),
        items_waiting=sum(waiting.values()),
        waiting_for=waiting,
        accounts=len(sync_items.list_account_scopes(call)),
        drop=call.home.sync.load_unconfirmed_drop(),
        faults=tuple(call.home.sync.list_faults()),
    )


def render_sync_devices(result: SyncDevices, style: Style) -> str:
    """Show a device a line."""
    lines = []
    if result.dropped:
        lines.append(
            style.say(
                "{device} is dropped: no key that it has opens what this device sends from now on, "
                "and the others once they have synchronised. Take away its access to the remote "
                "too",
                device=result.dropped,
            )
        )
    lines += _render_drop(result.drop, style)
    for device in result.devices:
        more = style.say("last heard of on {day}", day=device.seen[:10]) if device.seen else ""
        more = style.say("this one") if device.id == result.device else more
        line = f"{device.id}  {printable(device.name)}  {device.since[:10]}  {style.dim(more)}"
        lines.append(line.rstrip())
    return "\n".join(lines) or style.say("no device has synchronised yet: `gieok sync`")


@command(
    "sync devices",
    Words("List your devices, as far as this one has heard of them, or drop one that was lost"),
    present=render_sync_devices,
    effect=Effect.WRITE,
    examples=("gieok sync devices", "gieok sync devices --drop old-laptop"),
)
def list_sync_devices(
    call: Call,
    *,
    drop: Annotated[
        str,
        Parameter(Words("id or name of a device that gets nothing any more: the key is changed")),
    ] = "",
) -> SyncDevices:
    """Return the devices.

    A device is dropped on one of the others: it is synchronised, and those that stay are given a
    new key. Raises BadRequest, RemoteUnreachable.
    """
    dropped = _drop_device(call, drop) if drop else ""
    setup = call.home.sync.find_setup()
    own = setup.device if setup else ""
    seen = sync_devices.list_seen(call)
    devices = tuple(
        SyncDevice(
            id=device.id,
            name=device.name,
            recipient=device.recipient,
            since=device.since,
            seen="" if device.id == own else seen.get(device.id, ""),
        )
        for device in sync_devices.list_devices(call)
    )
    return SyncDevices(own, devices, call.home.sync.load_unconfirmed_drop(), dropped=dropped)


def _drop_device(call: Call, text: str) -> str:
    """Drop the device with an id or a name; return its id."""
    check_session_withheld(call)
    with call.home.sync.hold():
        setup = _require_setup(call)
        device = _find_other_device(call, setup, text)
        exchange = DeviceExchange(call, setup)
        exchange.run()
        # Another device may have dropped it meanwhile.
        exchange.change_key(dropped=_find_other_device(call, setup, device))
        sync_exchange.mark_time(call)
    return device


def _find_other_device(call: Call, setup: SyncSetup, text: str) -> str:
    """Return the id of the device with an id or a name. Raises BadRequest."""
    devices = sync_devices.list_devices(call)
    found = [device.id for device in devices if text == device.id]
    found = found or [device.id for device in devices if text == device.name]
    if found == [setup.device] or text == setup.device:
        raise BadRequest("this is the device itself", hint="drop it on another one")
    if len(found) > 1:
        raise BadRequest(
            "{count} devices are called {name!r}",
            count=len(found),
            name=text,
            ids=", ".join(found),
            hint="name one by its id: {ids}",
        )
    if not found:
        raise BadRequest("no device {device!r} is known", device=text, hint="`gieok sync devices`")
    return found[0]


def render_key_change(result: SyncKeyChange, style: Style) -> str:
    """Show the new key."""
    return style.say("new key: {recipient}", recipient=result.recipient)


@command(
    "sync rotate",
    Words("Give every device a new key"),
    present=render_key_change,
    effect=Effect.WRITE,
    examples=("gieok sync rotate",),
)
def rotate_sync_key(call: Call) -> SyncKeyChange:
    """Synchronise, then change the key; what was sent before stays readable with the old one."""
    check_session_withheld(call)
    with call.home.sync.hold():
        exchange = DeviceExchange(call, _require_setup(call))
        exchange.run()
        exchange.change_key()
        sync_exchange.mark_time(call)
    return SyncKeyChange(call.home.sync.recipient_of(call.home.sync.load_current_key()))


def render_sync_key(result: SyncKey, style: Style) -> str:
    """Show where the key is, never the key."""
    lines = [
        style.say("key: {file}", file=result.key_file),
        style.say("  public side: {recipient}", recipient=result.recipient),
    ]
    if result.copy:
        lines.append(style.say("  copy: {file}", file=result.copy))
        lines.append(
            style.say(
                "carry it to the other device by hand (a USB stick, `scp`), run `gieok sync init "
                "REMOTE --key-file FILE` there, then delete the copy"
            )
        )
    else:
        lines.append(style.say("for another device: `gieok sync key --to FILE`"))
    return "\n".join(lines)


@command(
    "sync key",
    Words("Say where the key of your devices is, or copy it to a file for another device"),
    present=render_sync_key,
    effect=Effect.WRITE,
    examples=("gieok sync key", "gieok sync key --to /media/usb/gieok-sync.key"),
)
def show_sync_key(
    call: Call,
    *,
    to: Annotated[str, Parameter(Words("a new file for the copy"))] = "",
) -> SyncKey:
    """Return where the key is; the secret itself is shown nowhere. Raises BadRequest."""
    sync = call.home.sync
    _require_setup(call)
    key = sync.load_current_key()
    copy = call.caller.path(to) if to else None
    if copy:
        sync.export_keys(copy)
    return SyncKey(
        key_file=str(sync.key_file),
        recipient=sync.recipient_of(key),
        keys=len(sync.list_keys()),
        copy=str(copy) if copy else "",
    )
