"""Takes in what other devices sent: the same memory once, and of two edits both.

Where two devices changed an item and neither knew the other's change, the later one holds. The
earlier one stays: a memory in the history, a record among the archived records. A record that was
told under the name that another one had before is no change of that one: it stays as it is.
"""

import hashlib
import os
from collections.abc import Collection, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath

from gieok import fs
from gieok.commands.memory import (
    forget_steps,
    forgotten_marks,
    leftovers,
    shown_words,
    untrusted,
)
from gieok.commands.memory.forgotten_marks import ForgottenPlace
from gieok.commands.memory.handles import lock_observations
from gieok.commands.memory.records import follow_soon, rewrite_active_memory
from gieok.commands.moving import sync_items, sync_sent
from gieok.commands.moving.sync_items import (
    ITEMS,
    ForgottenMarks,
    RecordOutline,
    ScopeItems,
    SharedItem,
)
from gieok.errors import BadRequest
from gieok.flow.distil import deliver_scope
from gieok.flow.gate_rules import GateChoices, change_gate_choices
from gieok.home.call import Call
from gieok.hook import records
from gieok.memory import observation, retirement
from gieok.memory.exchange.intake import REALM
from gieok.memory.exchange.json_lines import Carrying, parse_export_message
from gieok.memory.exchange.segments import Row
from gieok.memory.exchange.versions import (
    ItemVersion,
    VersionOrder,
    build_next_version,
    compare_versions,
    format_time,
    join_versions,
    load_version,
    parse_file_time,
)
from gieok.memory.observer import buffer
from gieok.memory.talk import turns
from gieok.memory.tiers.fields import from_fields
from gieok.model.conversation import ForgottenMessage
from gieok.model.memory import Document, Entry, Passage
from gieok.ports.journal import MessageFilter
from gieok.text.redact.sense import redact_document

#: Characters of a checksum in the name of an archived record.
_NAME_CHARS = 8
#: What a row of another form raises.
_BAD_ROW = (KeyError, TypeError, ValueError, AttributeError, BadRequest)


@dataclass
class ScopeTaking:
    """Takes rows of other devices into one scope.

    `device` is the id under which this home counts its changes. What could not be taken yet is in
    `waiting`, what was not understood in `refused`, with the reasons in `rejected`.
    """

    call: Call
    shared_scope: ScopeItems
    device: str
    #: Items that count as unknown, because they vanished here.
    vanished: Collection[str] = ()
    waiting: list[Row] = field(default_factory=list)
    refused: list[Row] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    taken: int = 0
    both_kept: int = 0
    #: Records that were renamed by hand on one device, and corrected under the old name on another.
    renamed_by_hand: int = 0
    _known: dict[str, str] = field(default_factory=dict)
    _items: dict[str, SharedItem] = field(default_factory=dict)
    _fresh: dict[str, str] = field(default_factory=dict)
    _put: list[Entry] = field(default_factory=list)
    _replaced: list[Row] = field(default_factory=list)
    _erased: list[str] = field(default_factory=list)
    #: Forgetting that arrived: marks of places, of texts with the time, and what is over.
    _places: dict[str, ForgottenPlace] = field(default_factory=dict)
    _texts: dict[str, str] = field(default_factory=dict)
    _over: dict[str, str] = field(default_factory=dict)
    #: Marks of places from which another device renamed records.
    _renamed: set[str] = field(default_factory=set)
    #: Mark of such a place → the mark of the new one, and why.
    _new_places: dict[str, tuple[str, str]] = field(default_factory=dict)
    _digests: dict[str, str] = field(default_factory=dict)
    _record_texts: dict[Path, str] = field(default_factory=dict)
    _forgotten_texts: list[str] = field(default_factory=list)
    _has_new_talk: bool = False
    _has_new_records: bool = False

    def take(self, rows: Sequence[Row]) -> None:
        """Take rows in; again is once, in whatever order they come. Raises StoreError."""
        call, scope = self.call, self.shared_scope.scope
        with ExitStack() as stack:
            stack.enter_context(lock_observations(call, scope))
            if self.shared_scope.shelf is not None:
                stack.enter_context(self.shared_scope.shelf.lock(call.home.folder))
            known = call.home.journal.kept(ITEMS + self.shared_scope.shared)
            self._known = {item: text for item, text in known.items() if item not in self.vanished}
            self._items = {item.id: item for item in self.shared_scope.iter_items()}
            self._digests = {name: item.digest for name, item in self._items.items()}
            self.renamed_by_hand += self._count_renamed_by_hand(rows)
            self._take_messages(
                [row for row in rows if row["is"] == sync_items.MESSAGE and not self._is_gone(row)]
            )
            # What only moved is there under its new name before another record is told under the
            # old one, and before it goes from there.
            for row in sorted(rows, key=lambda row: 2 if row.get("gone") else "renamed" in row):
                if row["is"] != sync_items.MESSAGE:
                    self._take_row(row)
            self._settle_renamed()
            self._write_memories()
            self._erase_forgotten()
            call.home.journal.keep(ITEMS + self.shared_scope.shared, self._fresh)
        self._follow()

    def _is_gone(self, row: Row) -> bool:
        return self._known.get(row["item"]) == sync_items.GONE

    def _take_row(self, row: Row) -> None:
        try:
            over = {str(mark): str(at) for mark, at in row.get("over", {}).items()}
            self._over = forgotten_marks.join_latest(self._over, over)
            match row["is"]:
                case sync_items.REPLACED:
                    self._take_history(row)
                case sync_items.GONE:
                    self._take_history_removal(row)
                case sync_items.FORGOTTEN:
                    self._take_forgotten(row)
                case sync_items.ERASED:
                    mark = str(row["mark"])
                    self._texts[mark] = max(self._texts.get(mark, ""), str(row["at"]))
                    self._mark_added(row["item"])
                case _ if row["item"] not in self.shared_scope.tracked_ids:
                    self._take_version(row)
        except _BAD_ROW as error:
            self._refuse(row, error)
        except OSError:  # a file of the place cannot be written now
            self.waiting.append(row)

    def _refuse(self, row: Row, error: Exception) -> None:
        self.rejected.append(sync_items.describe_refusal(row.get("item"), error))
        self.refused.append(row)

    # Items that are added once.
    def _take_messages(self, rows: Sequence[Row]) -> None:
        if not rows:
            return
        journal, scope = self.call.home.journal, self.shared_scope.scope
        messages = []
        for row in rows:
            try:
                messages.append(parse_export_message(row))
            except _BAD_ROW as error:
                self._refuse(row, error)
        if not messages:
            return
        position = journal.position(scope, buffer.READER)
        is_observed = not journal.chunks(scope, buffer.READER) and not journal.read(
            scope, position, budget_tokens=1, limit=1
        )
        journal.keep(sync_sent.TAKEN + self.shared_scope.shared, {row["item"]: "" for row in rows})
        ids = [message.id for message in messages]
        before = sum(journal.occurrences(scope, ids).values())
        journal.say(scope, messages)
        self.taken += sum(journal.occurrences(scope, ids).values()) - before
        self._has_new_talk = True
        if is_observed:  # where they were said, they are observed: what comes of it travels too
            last = journal.messages(scope, [messages[-1].id])
            if last:
                journal.skip(scope, buffer.READER, position, last[-1].seq)

    def _take_history(self, row: Row) -> None:
        if not (self._fresh.get(row["item"]) or self._known.get(row["item"])):
            self._replaced.append(row)
            self._mark_added(row["item"])
            self.taken += 1

    def _take_history_removal(self, row: Row) -> None:
        journal, scope = self.call.home.journal, self.shared_scope.scope
        self._replaced = [one for one in self._replaced if one["item"] != row["item"]]
        if gone := self._find_history({row["item"]}):
            self._forgotten_texts += [document.text for document in gone.values()]
            journal.erase(scope, [], (), list(gone))
        self._fresh[row["item"]] = sync_items.GONE

    def _find_history(self, items: Collection[str]) -> dict[int, Document]:
        """Return the replaced documents of some items, by their numbers in the history."""
        return {
            number: document
            for number, document in self.call.home.journal.replaced(self.shared_scope.scope)
            if sync_items.build_history_item(self.shared_scope.shared, document).id in items
        }

    def _take_forgotten(self, row: Row) -> None:
        """Forget a message as the device on which a person forgot it."""
        journal, scope = self.call.home.journal, self.shared_scope.scope
        mark = ForgottenMessage(parse_export_message(row), str(row["digest"]))
        if self._known.get(row["item"]):
            return
        gone = {known.message.id for known in journal.forgotten_messages(scope)}
        messages = [
            message
            for message in journal.find(scope, MessageFilter(frozenset({mark.message.id})))
            if message.message.id not in gone
        ]
        if messages:
            self._forgotten_texts += [message.message.text for message in messages]
            blanks = {message.seq: turns.blanks(message.message) for message in messages}
            journal.erase(scope, list(blanks), blanks=blanks)
            retirement.drop_turns(journal, scope, [mark.message.id])
        else:
            journal.keep_forgotten(scope, [mark])
        self._has_new_talk = True
        self._mark_added(row["item"])
        self.taken += 1

    def _erase_forgotten(self) -> None:
        """Remove what was forgotten elsewhere and some device had moved, copied or kept beside.

        What was made here after its forgetting was heard of was told again, and stands; what just
        came is judged by the times of the forgetting alone. The marks are kept last: killed before,
        all of it is done again.
        """
        call, scope = self.call, self.shared_scope.scope
        known = sync_items.load_forgotten_marks(call, scope)
        # What was forgotten here, and another device had renamed before it heard of that.
        renamed = known.select_due(known.dates).keys() & self._renamed
        due = forgotten_marks.join_places(
            {mark: known.places[mark] for mark in renamed}, self._places
        )
        shelf = self.shared_scope.shelf
        held = forgotten_marks.list_places(shelf.base) if shelf and due else {}
        followed = forgotten_marks.follow_renamed(call, scope, due, held)
        self._places |= {
            mark: place
            for mark, place in followed.items()
            if mark not in known.places or known.places[mark].rank < place.rank
        }
        over = forgotten_marks.join_latest(known.over, self._over)
        newer = {
            **forgotten_marks.select_later(
                {mark: place.at for mark, place in self._places.items()}, known.dates
            ),
            **forgotten_marks.select_later(self._texts, known.texts),
        }
        arrived = ForgottenMarks(
            places=forgotten_marks.join_places(known.places, self._places),
            texts=forgotten_marks.join_latest(known.texts, self._texts),
            over=over,
            heard={},
        )
        heard = {mark: at for mark, at in known.heard.items() if mark not in newer}
        if arrived.places or arrived.texts:
            self._erase_marked(arrived, arrived._replace(heard=heard))
        now = format_time(call.clock.now())
        call.home.journal.keep(forgotten_marks.HEARD + scope.path, dict.fromkeys(newer, now))
        forgotten_marks.keep_latest(call, forgotten_marks.TOLD_AGAIN + scope.path, self._over)
        forgotten_marks.keep_places(call, scope, self._places)
        forgotten_marks.keep_latest(call, forgotten_marks.FORGOTTEN_TEXTS + scope.path, self._texts)

    def _erase_marked(self, arrived: ForgottenMarks, settled: ForgottenMarks) -> None:
        """Remove items by the marks for what just arrived, and for what stood here before."""
        journal, scope = self.call.home.journal, self.shared_scope.scope
        now_held = replace(self.shared_scope)
        gone = []
        for item in now_held.iter_items():
            is_old = self._digests.get(item.id) == item.digest
            if at := (settled if is_old else arrived).find_end(item):
                gone.append((item, at))
        history = {item.id for item, _ in gone if item.kind == sync_items.REPLACED}
        numbers = list(self._find_history(history))
        keys = []
        for item, at in gone:
            if item.kind == sync_items.RECORD:
                file = self._locate_record(item.fields)
                made = forgotten_marks.read_made(file)
                mark = forgotten_marks.build_record_mark(file)
                # A place of before stays one: another record may be told under its name.
                if mark not in arrived.places or arrived.places[mark].at < at:
                    self._mark_place(mark, ForgottenPlace(at, made))
                self._remove_record(file)
            elif item.kind == sync_items.MEMORY:
                keys.append(str(item.fields["key"]))
                mark = forgotten_marks.build_memory_mark(keys[-1])
                self._mark_place(mark, ForgottenPlace(at))
        if numbers or keys:
            journal.erase(scope, [], keys, numbers)
            deliver_scope(journal, self.call.home.store, scope)
        self._forgotten_texts += [sync_items.read_item_text(item) for item, _ in gone]

    def _mark_place(self, mark: str, place: ForgottenPlace) -> None:
        self._places = forgotten_marks.join_places(self._places, {mark: place})

    def _mark_added(self, item: str) -> None:
        self._fresh[item] = self.call.clock.now().date().isoformat()

    # Items with versions.
    def _take_version(self, row: Row) -> None:
        if row["is"] == sync_items.RECORD and self.shared_scope.shelf is None:
            # What is there is not known: a removal, and what was in its place before, waits too.
            self.waiting.append(row)
            return
        fresh = load_version(row["version"])
        item = row["item"]
        self._take_marks(row)
        text = self._fresh.get(item) or self._known.get(item, "")
        known = load_version(text) if text else None
        mine = self._items.get(item)
        digest = mine.digest if mine else ""
        if digest == fresh.digest:
            self._fresh[item] = join_versions(known, fresh).dump()
            return
        is_unsent = self._is_unsent(item, known, digest)
        at = mine.at if mine else self.shared_scope.find_removal(item)[1]
        own = build_next_version(known, self.device, at, digest) if is_unsent else known
        outcome = _compare_rows(known, own, fresh)
        if outcome is VersionOrder.OLD:
            return
        if not self.can_apply(row):
            self.waiting.append(row)
            return
        joined = join_versions(known if is_unsent else own, fresh)
        if self._is_merged(row, outcome, joined, is_unsent=is_unsent):
            return
        if outcome is not VersionOrder.NEW and self._is_of_two_records(row, mine):
            if mine is None:
                self._take_over(row, fresh, None)
        elif outcome is VersionOrder.EARLIER:
            self._keep_beside(row["is"], row, mine)
        else:
            if mine and (outcome is VersionOrder.LATER or row.get("put_back")):
                self._keep_mine(mine, row)
            is_replaced = row.get("gone") == forgotten_marks.WAS_REPLACED
            self.both_kept += mine is not None and is_replaced and outcome is VersionOrder.NEW
            self._take_over(row, fresh, mine)
        self._fresh[item] = joined.dump()

    def _take_over(self, row: Row, version: ItemVersion, mine: SharedItem | None) -> None:
        """Make an item as a row brings it."""
        item, kind = row["item"], row["is"]
        self._apply(kind, row, version, mine)
        self.taken += 1
        self._items.pop(item, None)
        if not row.get("gone"):
            self._items[item] = _build_taken_item(row, version)
        elif mine and kind == sync_items.RECORD and self._locate_record(mine.fields).exists():
            self._items[item] = mine

    def _is_of_two_records(self, row: Row, mine: SharedItem | None) -> bool:
        """Say whether one device renamed a record away, and the other has another one there.

        The two were made at two times.
        """
        if row["is"] != sync_items.RECORD or bool(row.get("gone")) == (mine is None):
            return False
        renamed = row.get("renamed") if mine else self.shared_scope.find_renamed(row["item"])
        made = self._find_made(str(renamed[1])) if renamed else None
        text = str(mine.fields["text"] if mine else row["text"])
        return made is not None and made != records.read_created(text)[0]

    def _take_marks(self, row: Row) -> None:
        """Note what a row says of what was in the place of its item before."""
        if row.get("mark"):
            place = ForgottenPlace(
                str(row["at"]), str(row.get("made", "")), is_earlier=bool(row.get("earlier"))
            )
            self._mark_place(str(row["mark"]), place)
        if row.get("renamed"):
            before, after = map(str, row["renamed"])
            is_replaced = row.get("gone") == forgotten_marks.WAS_REPLACED
            reason = forgotten_marks.WAS_REPLACED if is_replaced else forgotten_marks.WAS_REMOVED
            if row.get("gone") or not self._is_forgotten_other(before, after):
                self._renamed.add(before)
            self._new_places[before] = (after, reason)

    def _is_forgotten_other(self, before: str, after: str) -> bool:
        """Say whether what was forgotten in a place is another record than the one renamed away.

        The row of a record that was told there since names the older one: what is known to be made
        at another time was not forgotten with it.
        """
        place = self.shared_scope.marks.places.get(before)
        made = self._find_made(after)
        return bool(place and place.made and made and made != place.made)

    def _settle_renamed(self) -> None:
        """Note where records are now; of two corrections of one record, the later one holds.

        Commands gave the two different names. A record that was made at another time, under the
        name of before, is another one.
        """
        call, scope = self.call, self.shared_scope.scope
        known = forgotten_marks.load_renamed(call, scope)
        joined = known | {before: after for before, (after, _) in self._new_places.items()}
        for before, (after, reason) in self._new_places.items():
            mine = forgotten_marks.find_last_place(joined, known.get(before, after))
            theirs = forgotten_marks.find_last_place(joined, after)
            if mine == theirs or not self._is_same_record(mine, theirs):
                forgotten_marks.keep_renamed(call, scope, before, after, reason)
            else:
                self._settle_corrections(before, mine, theirs)

    def _count_renamed_by_hand(self, rows: Sequence[Row]) -> int:
        """Return how many records one device renamed by hand, and another one by a command."""
        return self._count_renamed_by_hand_here(rows) + self._count_renamed_by_hand_elsewhere(rows)

    def _count_renamed_by_hand_here(self, rows: Sequence[Row]) -> int:
        corrected = {row["item"] for row in rows if row.get("renamed")} - self._items.keys()
        outlines = sync_sent.load_outlines(self.call, self.shared_scope.shared) if corrected else {}
        gone = {
            item: outline
            for item, outline in outlines.items()
            if item in corrected & self._known.keys()
            and not self.shared_scope.is_removal_known(item)
        }
        fresh = [
            item.fields
            for item in self._items.values()
            if item.kind == sync_items.RECORD and item.id not in self._known
        ]
        return _count_renamed(gone, fresh)

    def _count_renamed_by_hand_elsewhere(self, rows: Sequence[Row]) -> int:
        gone = {
            row["item"]: RecordOutline(records.MEMORY, "", made)
            for row in rows
            if row.get("gone") == forgotten_marks.WAS_MOVED
            and (renamed := self.shared_scope.find_renamed(row["item"]))
            and (made := self._find_made(renamed[1]))
        }
        fresh = [
            row for row in rows if row["is"] == sync_items.RECORD and row["item"] not in self._known
        ]
        return _count_renamed(gone, fresh)

    def _is_same_record(self, mine: str, theirs: str) -> bool:
        """Say whether the records of two places were made at one time, as far as is known."""
        made = {self._find_made(mark) for mark in (mine, theirs)} - {None}
        return len(made) < 2

    def _find_made(self, mark: str) -> str | None:
        """Return when the record in a place was made, or one that was forgotten there."""
        item = self._items.get(sync_items.build_place_id(self.shared_scope.shared, mark))
        if item:
            return records.read_created(str(item.fields["text"]))[0]
        place = self._places.get(mark) or self.shared_scope.marks.places.get(mark)
        return place.made if place else None

    def _settle_corrections(self, before: str, mine: str, theirs: str) -> None:
        """Let one correction of a record take the place of another: marks of three places."""
        call, scope = self.call, self.shared_scope.scope
        found = {
            mark: item
            for mark in (mine, theirs)
            if (item := self._items.get(sync_items.build_place_id(self.shared_scope.shared, mark)))
        }
        later = max(
            found or [mine], key=lambda mark: (found[mark].at, found[mark].digest) if found else ""
        )
        earlier = theirs if later == mine else mine
        forgotten_marks.keep_renamed(call, scope, before, later)
        forgotten_marks.keep_renamed(call, scope, earlier, later, forgotten_marks.WAS_REPLACED)
        if len(found) > 1:
            item = found[earlier]
            if sync_items.read_item_text(item) != sync_items.read_item_text(found[later]):
                self._archive_record(item.fields, item.at)
                self.both_kept += 1
            self._remove_record(self._locate_record(item.fields))
            del self._items[item.id]

    def _is_unsent(self, item: str, known: ItemVersion | None, digest: str) -> bool:
        """Say whether this device changed an item since it was exchanged."""
        is_archived = known is not None and item in self.shared_scope.archived_ids
        return digest != (known.digest if known else "") and not is_archived

    def _is_merged(
        self, row: Row, outcome: VersionOrder, known: ItemVersion, *, is_unsent: bool
    ) -> bool:
        """Make one of two states that neither knew the other, where that is possible."""
        item, mine = row["item"], self._items.get(row["item"])
        if outcome is VersionOrder.NEW or mine is None or row.get("gone"):
            return False
        version = load_version(row["version"])
        fresh = _build_taken_item(row, version)
        if self.shared_scope.marks.find_end(fresh):  # what this device told again stands alone
            self._fresh[item] = known.dump()
            return True
        merged = self._merge_told(row["is"], mine.fields, row)
        if merged is None:
            return False
        self._fresh[item] = (known if is_unsent else known._replace(digest=merged.digest)).dump()
        self._items[item] = merged
        return True

    def can_apply(self, row: Row) -> bool:
        """Say whether a row can be taken: its rule is known, its record is one that is trusted."""
        if row["is"] == sync_items.RECORD:
            # A file that nobody trusted is neither read nor written over.
            return row["item"] not in self.shared_scope.untrusted_ids
        if row["is"] == sync_items.CHOICE and not row.get("gone"):
            return row["rule"] in sync_items.list_rule_handles(self.call, self.shared_scope.scope)
        return True

    def _keep_mine(self, mine: SharedItem, row: Row) -> None:
        """Keep what this device had and a later change of another one replaces."""
        if row.get("gone") != forgotten_marks.WAS_FORGOTTEN:
            self._keep(mine.kind, mine.at, mine.fields, str(row.get("text", "")))

    def _keep_beside(self, kind: str, row: Row, mine: SharedItem | None) -> None:
        """Keep what another device had and a later change of this one replaces."""
        reason, _ = self.shared_scope.find_removal(row["item"])
        is_forgotten = not mine and reason == forgotten_marks.WAS_FORGOTTEN
        if not row.get("gone") and not is_forgotten:
            at = load_version(row["version"]).at
            self._keep(kind, at, row, str(mine.fields.get("text")) if mine else "")

    def _keep(self, kind: str, at: str, fields: Row, other_text: str) -> None:
        if fields.get("text", "") == other_text:
            return
        if kind == sync_items.RECORD:
            self._archive_record(fields)
        elif kind == sync_items.MEMORY:
            self._replaced.append(fields)
        elif kind == sync_items.CORRECTION and str(fields["text"]).strip():
            self._replaced.append(_build_correction_history(fields, at))
        else:
            return
        self.both_kept += 1

    def _apply(self, kind: str, row: Row, version: ItemVersion, mine: SharedItem | None) -> None:
        journal, scope = self.call.home.journal, self.shared_scope.scope
        is_gone = bool(row.get("gone"))
        named = mine.fields if is_gone and mine else row
        match kind:
            case sync_items.MEMORY if not is_gone:
                document = from_fields({**row, "scope": scope.path}, row["text"])
                if sync_items.is_record_entry(document):  # of an earlier version
                    return
                passages = tuple(Passage(*passage) for passage in row["passages"])
                self._put.append(Entry(document, passages))
                self._erased = [key for key in self._erased if key != document.key]
            case sync_items.MEMORY if mine:
                self._erased.append(str(mine.fields["key"]))
                self._put = [one for one in self._put if one.document.key != self._erased[-1]]
                if row["gone"] == forgotten_marks.WAS_FORGOTTEN:
                    self._forgotten_texts.append(str(mine.fields["text"]))
            case sync_items.RECORD:
                self._write_record(row, version, mine)
            case sync_items.KNOWN if not is_gone:
                journal.keep(REALM + scope.path, {row["name"]: row["value"]})
            case sync_items.KNOWN if mine:
                journal.keep(REALM + scope.path, {}, [mine.fields["name"]])
            case sync_items.CORRECTION if not is_gone or mine:
                identity = str(named["id"])
                retirement.save_turn(journal, scope, identity, str(row.get("away", "")))
                journal.correct(scope, identity, str(row.get("text", "")))
                self._has_new_talk = True
            case sync_items.CHOICE if not is_gone or mine:
                rule = str(named["rule"])
                handles = sync_items.list_rule_handles(self.call, scope).get(rule, [])
                self._choose(handles, is_off=bool(row.get("off")), until=str(row.get("until", "")))

    def _choose(self, handles: Sequence[str], *, is_off: bool, until: str) -> None:
        def choose(choices: GateChoices) -> bool:
            for handle in handles:
                choices.off.discard(handle)
                choices.until.pop(handle, None)
                if is_off:
                    choices.off.add(handle)
                if until:
                    choices.until[handle] = until
            return True

        change_gate_choices(str(self.call.home.folder), choose)

    # Records.
    def _merge_told(self, kind: str, mine: Row, row: Row) -> SharedItem | None:
        """Write a record that both devices were told, with the days and tags of both.

        None where they say different things.
        """
        if kind != sync_items.RECORD or self.shared_scope.shelf is None:
            return None
        texts = sorted((str(mine["text"]), str(row["text"])), key=records.read_created)
        if records.own_text(texts[0]) != records.own_text(texts[1]):
            return None
        file = self._locate_record(row)
        self._replace_record(file, records.merge_told(*texts))
        return sync_items.build_record_item(self.shared_scope.shared, file)

    def _write_record(self, row: Row, version: ItemVersion, mine: SharedItem | None) -> None:
        assert self.shared_scope.shelf is not None
        if row.get("gone"):
            if mine is None:
                return
            file = self._locate_record(mine.fields)
            if row["gone"] == forgotten_marks.WAS_FORGOTTEN:
                self._forgotten_texts.append(records.own_text(str(mine.fields["text"])))
            elif row["gone"] != forgotten_marks.WAS_REMOVED and self._is_only_copy(file):
                # No command removed it: it is put away, and what is put away already stays.
                if mine.fields["shelf"] == records.ARCHIVE:
                    return
                self._archive_record(mine.fields)
            self._remove_record(file)
            return
        file = self._locate_record(row)
        self._replace_record(file, str(row["text"]))
        _date_file(file, version.at)

    def _remove_record(self, file: Path) -> None:
        assert self.shared_scope.shelf is not None
        file.unlink(missing_ok=True)
        self._record_texts.pop(file, None)
        if self.shared_scope.shelf.is_project:
            name = file.relative_to(self.shared_scope.shelf.base).as_posix()
            untrusted.revoke_record_trust(self.call.home.folder, self.shared_scope.shelf.base, name)
        self._has_new_records = True

    def _is_only_copy(self, file: Path) -> bool:
        """Say whether no other record of the shelf says the same."""
        texts = self._load_record_texts()
        own = texts.get(file)
        return own is not None and list(texts.values()).count(own) == 1

    def _load_record_texts(self) -> dict[Path, str]:
        """Return the text of each record of the shelf, read once."""
        assert self.shared_scope.shelf is not None
        if not self._record_texts:
            self._record_texts = {
                file: records.own_text(records.read_record_text(file))
                for file in records.list_all_records(self.shared_scope.shelf.base)
            }
        return self._record_texts

    def _archive_record(self, fields: Row, at: str = "") -> None:
        """Keep a record's text among the archived records, under a name that it decides.

        The file has the time `at`, or that of now.
        """
        text = str(fields["text"])
        path = PurePosixPath(str(fields["path"]))
        checksum = hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()
        name = f"{path.stem}-{checksum[:_NAME_CHARS]}.md"
        file = self._locate_record({"shelf": records.ARCHIVE, "path": str(path.with_name(name))})
        if not file.exists():
            self._replace_record(file, text)
            if at:
                _date_file(file, at)

    def _locate_record(self, fields: Row) -> Path:
        """Return the file of a record. Raises BadRequest where it would lead elsewhere."""
        assert self.shared_scope.shelf is not None
        base, path = self.shared_scope.shelf.base, PurePosixPath(str(fields["path"]))
        file = base / str(fields["shelf"]) / path
        is_safe = (
            fields["shelf"] in records.SHELVES
            and len(path.parts) == 2
            and path.suffix == ".md"
            and ".." not in path.parts
            and records.is_inside(base, file)
        )
        if not is_safe:
            raise BadRequest("it names no place of a record")
        return file

    def _replace_record(self, file: Path, text: str) -> None:
        assert self.shared_scope.shelf is not None
        self._keep_secret(file, text)
        fs.replace_private(file, text.encode("utf-8", "surrogateescape"))
        if self._record_texts:
            self._record_texts[file] = records.own_text(text)
        if self.shared_scope.shelf.is_project:
            untrusted.grant_record_trust(self.call.home.folder, self.shared_scope.shelf.base, file)
        self._has_new_records = True

    def _keep_secret(self, file: Path, text: str) -> None:
        """Keep the user's own text of a record where a secret in it was cut out of what comes."""
        if not file.exists():
            return
        own = records.read_record_text(file)
        if own != text and redact_document(own) != own:
            self._archive_record({"path": f"{file.parent.name}/{file.name}", "text": own})

    # What is written together.
    def _write_memories(self) -> None:
        journal, store, scope = (
            self.call.home.journal,
            self.call.home.store,
            self.shared_scope.scope,
        )
        if self._replaced:
            rows = [{**row, "is": "replaced", "scope": scope.path} for row in self._replaced]
            carrying = Carrying(journal, store, self.call.clock, "sync")
            carrying.take_rows(rows)
            self.rejected += [str(reject.reason) for reject in carrying.done.rejects]
        if self._put:
            journal.hand_over(put=self._put)
        if self._erased:
            journal.erase(scope, [], self._erased)
        deliver_scope(journal, store, scope)

    def _follow(self) -> None:
        """Bring what is derived in line."""
        call, scope = self.call, self.shared_scope.scope
        if self._has_new_records and self.shared_scope.shelf is not None:
            follow_soon(call, self.shared_scope.shelf)
        if self._forgotten_texts:
            needles = leftovers.select_needles(self._forgotten_texts)
            shown_words.clean_shown(call.home.folder, self._forgotten_texts)
            forget_steps.finish_forgetting(call, needles, [scope])
        if self._has_new_talk:
            for place, why in forget_steps.rederive_turns(call):
                call.tell(f"{place}: {why}")
        rewrite_active_memory(call, scope)


def _date_file(file: Path, at: str) -> None:
    changed_ns = parse_file_time(at)
    os.utime(file, ns=(changed_ns, changed_ns))


def _count_renamed(gone: Mapping[str, RecordOutline], fresh: Sequence[Row]) -> int:
    """Return how many records that are gone are in use under a name that was not known."""
    texts = [str(row.get("text", "")) for row in fresh if row.get("shelf") == records.MEMORY]
    elsewhere = [
        RecordOutline(
            records.MEMORY,
            forgotten_marks.build_memory_mark(records.own_text(text)),
            records.read_created(text)[0],
        )
        for text in texts
    ]
    return len(sync_sent.find_renamed(gone, elsewhere))


def _build_taken_item(row: Row, version: ItemVersion) -> SharedItem:
    """Return an item as a row brings it."""
    return SharedItem(
        id=row["item"], kind=row["is"], at=version.at, digest=version.digest, fields=row
    )


def _compare_rows(
    known: ItemVersion | None, own: ItemVersion | None, fresh: ItemVersion
) -> VersionOrder:
    """Return what a version means beside this device's `own`; `known` is what was exchanged.

    A home that knows of no change before counts from one: its count tells nothing, the time does.
    """
    if known is None and own is not None:
        return VersionOrder.LATER if fresh.rank > own.rank else VersionOrder.EARLIER
    return compare_versions(own, fresh)


def _build_correction_history(fields: Row, at: str) -> Row:
    """Return the correction that another one replaced as a document of the history."""
    text = str(fields["text"])
    checksum = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
    return {
        "key": f"{observation.PREFIX}{at[:10]}:{checksum[:12]}",
        "kind": observation.KIND,
        "hash": checksum[:12],
        "created_at": at,
        "updated_at": at,
        "importance": 0.5,
        "text": text,
        "from": [
            {"source": "", "start_line": None, "end_line": None, "message_ids": [fields["id"]]}
        ],
    }
