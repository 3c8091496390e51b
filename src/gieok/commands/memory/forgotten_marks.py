"""Marks of what was forgotten, or removed by a command, for the user's other devices.

A mark is the checksum of a place or of a text, kept with a time in a realm of the journal: nothing
of what was forgotten can be read in it.
"""

import hashlib
import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from gieok.home.call import Call
from gieok.hook import records
from gieok.memory.exchange.versions import find_next_time, format_time
from gieok.model.memory import Scope

#: Realm, before the scope's name, of checksums of records and memories that were forgotten, with a
#: `ForgottenPlace`. Forgetting wins over older edits of other devices; what was only moved leaves
#: them.
FORGOTTEN = "forgotten:"
#: Realm, before the scope's name, of checksums of forgotten texts, with the time: another device
#: may have moved or copied the text before it hears of it.
FORGOTTEN_TEXTS = "forgotten-texts:"
#: Realm, before the scope's name, of marks of what was told again after it was forgotten: mark →
#: the time of the forgetting that a device knew when it told it.
TOLD_AGAIN = "told-again:"
#: Realm, before the scope's name, of marks of forgetting: mark → when this device heard of it, by
#: its own clock.
HEARD = "forgotten-heard:"
#: Realm, before the scope's name, of checksums of the places from which a command removed a record:
#: mark → the reason, and behind a space the checksum of the place to which the record was renamed.
REMOVED = "removed:"
#: Why something is in its place no more: a person forgot it; it lives on elsewhere as far as this
#: device can tell; or a command put it in another scope, under the name of a corrected title, or
#: away at the end of its grace period; or a later correction on another device took its place.
WAS_FORGOTTEN, WAS_MOVED, WAS_REMOVED = "forgotten", "moved", "removed"
WAS_REPLACED = "replaced"
#: Of a place in which another record was told since: where the one of before is, and no more.
OF_BEFORE = "before"
_HERE, _EARLIER = "here", "earlier"


class ForgottenPlace(NamedTuple):
    """When what was in a place was forgotten, and when the record was made: '' where unknown.

    A record was there only before where the place `is_earlier`: one that was made later is another
    record, which is not forgotten.
    """

    at: str
    made: str = ""
    is_earlier: bool = False

    @property
    def rank(self) -> tuple[str, bool]:
        """Return what puts marks of one place in order: the time, and whether it was in use."""
        return self.at, not self.is_earlier

    def join(self, other: "ForgottenPlace") -> "ForgottenPlace":
        """Return the later of two marks of one place, which holds for what the earlier one does."""
        earlier, later = sorted((self, other), key=lambda place: place.rank)
        if not later.is_earlier:
            return later
        return later._replace(
            made=max(later.made, earlier.made if earlier.is_earlier else earlier.at)
        )

    def is_of_other(self, made: str) -> bool:
        """Say whether a record that was `made` at a time is another one, as far as is known."""
        if not (made and self.made):
            return False
        return made > self.made if self.is_earlier else made != self.made

    def dump(self) -> str:
        """Return the mark's value in the journal."""
        return " ".join((self.at, _EARLIER if self.is_earlier else _HERE, self.made))


def load_forgotten_place(text: str) -> ForgottenPlace:
    """Return a value of the journal as it was before `ForgottenPlace.dump`."""
    at, _, rest = text.partition(" ")
    kind, _, made = rest.partition(" ")
    return ForgottenPlace(at, made, kind == _EARLIER)


def load_forgotten_places(call: Call, scope: Scope) -> dict[str, ForgottenPlace]:
    """Return the marks of the forgotten records and memories of a scope."""
    kept = call.home.journal.kept(FORGOTTEN + scope.path)
    return {mark: load_forgotten_place(text) for mark, text in kept.items()}


def join_places(
    first: Mapping[str, ForgottenPlace], second: Mapping[str, ForgottenPlace]
) -> dict[str, ForgottenPlace]:
    """Return marks of places of two devices."""
    joined = {mark: place.join(first.get(mark, place)) for mark, place in second.items()}
    return {**first, **joined}


def keep_places(call: Call, scope: Scope, places: Mapping[str, ForgottenPlace]) -> None:
    """Keep marks of places, joined with those that are known."""
    joined = join_places(load_forgotten_places(call, scope), places) if places else {}
    fresh = {mark: joined[mark].dump() for mark in places}
    call.home.journal.keep(FORGOTTEN + scope.path, fresh)


def mark_forgotten(
    call: Call,
    scope: Scope,
    places: Iterable[str],
    texts: Iterable[str],
    record: Path | None = None,
) -> None:
    """Note for other devices when memories of a scope were forgotten, by checksums alone.

    `places` are the marks of where they were, `texts` what they said. A `record` is forgotten under
    the names that it had before too: another device may have corrected it under one of them. A
    forgetting is dated behind every earlier one of the same mark, and behind what was told again
    since: a clock of another device that is fast does not undo it.
    """
    if not call.home.sync.find_setup():
        return
    now, journal = format_time(call.clock.now()), call.home.journal
    known, again = load_forgotten_places(call, scope), journal.kept(TOLD_AGAIN + scope.path)
    gone = dict.fromkeys(places, ForgottenPlace(now))
    if record:
        mark, made = build_record_mark(record), read_made(record)
        # What was renamed from there before is another record.
        journal.keep(REMOVED + scope.path, {}, [mark])
        held = list_places(record.parents[2])
        gone |= follow_renamed(call, scope, {mark: ForgottenPlace(now, made)}, held)
    for mark, place in gone.items():
        before = known[mark].at if mark in known else ""
        behind = map(find_next_time, (before, again.get(mark, "")))
        gone[mark] = place._replace(at=max(now, *behind))
    keep_places(call, scope, gone)
    said = [build_memory_mark(text) for text in texts if text]
    texts_before = journal.kept(FORGOTTEN_TEXTS + scope.path)
    dated = {
        mark: max(now, *(find_next_time(times.get(mark, "")) for times in (texts_before, again)))
        for mark in said
    }
    journal.keep(FORGOTTEN_TEXTS + scope.path, dated)
    journal.keep(HEARD + scope.path, dict.fromkeys((*gone, *said), now))


def mark_removed(
    call: Call,
    scope: Scope,
    files: Collection[Path],
    reason: str = WAS_REMOVED,
    renamed: Path | None = None,
) -> None:
    """Note for other devices that a command removes records from their places.

    Before they are removed: of a record that is still there at the next synchronisation, the mark
    is dropped. One that is `renamed` is forgotten where its old place is.
    """
    if not files or not call.home.sync.find_setup():
        return
    for mark in map(build_record_mark, files):
        if renamed:
            keep_renamed(call, scope, mark, build_record_mark(renamed))
        else:
            call.home.journal.keep(REMOVED + scope.path, {mark: reason})


def keep_renamed(
    call: Call, scope: Scope, before: str, after: str, reason: str = WAS_REMOVED
) -> None:
    """Note that a record is in another place now, by the marks of both places."""
    call.home.journal.keep(REMOVED + scope.path, {before: f"{reason} {after}"})


def find_last_place(renamed: Mapping[str, str], mark: str) -> str:
    """Return the mark of the last place of a record that was in a place before."""
    seen = {mark}
    while (there := renamed.get(mark, "")) and there not in seen:
        seen.add(there)
        mark = there
    return mark


def list_places(base: Path) -> dict[str, Path]:
    """Return the records that are on the shelves of a folder, by the marks of their places."""
    return {build_record_mark(file): file for file in records.list_all_records(base)}


def load_renamed(call: Call, scope: Scope) -> dict[str, str]:
    """Return the mark of each place from which a command renamed a record → that of its new one."""
    removed = call.home.journal.kept(REMOVED + scope.path)
    return {mark: value.partition(" ")[2] for mark, value in removed.items() if " " in value}


def follow_renamed(
    call: Call, scope: Scope, places: Mapping[str, ForgottenPlace], held: Mapping[str, Path]
) -> dict[str, ForgottenPlace]:
    """Return marks of places, and with them all others at which their records were.

    Two devices may have given one record two names: both follow from the name before. A place of
    before that is `held` now has another record; elsewhere, only when it was made tells of it. So
    does a place of before from which one record was renamed, and in which another one was forgotten
    since.
    """
    renamed = load_renamed(call, scope) if places else {}
    befores: dict[str, list[str]] = defaultdict(list)
    for before, after in renamed.items():
        if before not in held:
            befores[after].append(before)
    followed = dict(places)
    queue = list(places)
    while queue:
        here = queue.pop()
        found = followed[here]
        reached = {before: found._replace(is_earlier=True) for before in befores[here]}
        last = held.get(find_last_place(renamed, here))
        if here in renamed and not (last and found.is_of_other(read_made(last))):
            reached[renamed[here]] = found
        for there, place in reached.items():
            if there not in followed or followed[there].rank < place.rank:
                followed[there] = place
                queue.append(there)
    return followed


def build_memory_mark(text: str) -> str:
    """Return the checksum of a memory's key or text, by which it is known when it is gone."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def build_record_mark(file: Path) -> str:
    """Return the checksum of a record's place, by which it is known when it is gone."""
    return build_memory_mark(json.dumps(file.parts[-3:]))


def read_made(record: Path) -> str:
    """Return when a record says that it was made; '' where it does not, or is not there."""
    try:
        text = records.read_record_text(record)
    except FileNotFoundError:
        return ""
    return records.read_created(text)[0]


def keep_latest(call: Call, realm: str, marks: Mapping[str, str]) -> None:
    """Keep marks with times; of two times of a mark, the later one."""
    if later := select_later(marks, call.home.journal.kept(realm) if marks else {}):
        call.home.journal.keep(realm, later)


def join_latest(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Return marks with times; of two times of a mark, the later one."""
    return {**first, **select_later(second, first)}


def select_later(marks: Mapping[str, str], known: Mapping[str, str]) -> dict[str, str]:
    """Return the marks that are later than what is known of them."""
    return {mark: at for mark, at in marks.items() if at > known.get(mark, "")}
