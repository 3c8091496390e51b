"""Moves texts of old messages from the database to files that people can read.

The journal reads these texts from the files. A message keeps its row: its number, its id, the hash
of its text, so that no message is taken in twice. Its text is in the file of its month. The table
`talk` lists such messages; the text of any other message is in its row. A place is marked as stale
before its file is written, and every change that gives a row a text again, or forgets the message,
marks the place too (triggers): at the next sweep, texts in a file that `talk` does not list are
removed.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import ClassVar

from gieok import fs
from gieok.errors import ArchiveFailed
from gieok.model.conversation import Journalled, TalkMoved, TalkPlace
from gieok.model.memory import Scope
from gieok.places.home import scope_folder
from gieok.places.scope import is_served
from gieok.storage.index.rows import to_ms, utc
from gieok.storage.journal.sql.messages import SqlMessages
from gieok.storage.journal.sqlite.file import JournalFile
from gieok.zone import day_in

#: Name of the lock under which files of archives are written (`memory.tiers.tiers.LOCK`); backups
#: hold it too.
_LOCK = "archive"
#: Zone offsets, and so the edges of days, are whole quarters of an hour.
_QUARTER_MS = 900_000
#: Number of messages that move in one transaction: other writers wait for it.
_AT_ONCE = 1_000
_OLD = "m.at < ? AND m.text <> '' AND m.retracted < 2"


class SqliteTalk(JournalFile, SqlMessages):
    """`ArchivedTalk` on the journal's file."""

    _places: ClassVar[tuple[str, ...]] = ("stale_places", "talk_places")

    def archive_talk(
        self, before: datetime, is_stopped: Callable[[], bool] = lambda: False
    ) -> TalkMoved:
        """Move the texts of whole months into files."""
        moved = TalkMoved()
        with self._archiving():
            moved += self._sweep()
            for sid, scope, month in self._months(before):
                if is_stopped():
                    break
                try:
                    moved += self._archive_month(sid, scope, month, before)
                except ArchiveFailed as error:
                    moved += TalkMoved(wrong=(error.in_full,))
        return moved

    def sweep_talk(self, *, renew: bool = False) -> TalkMoved:
        """Remove from stale files the texts that do not live there.

        With `renew`, write all files anew.
        """
        if renew:
            with self._writing() as db:
                db.execute("UPDATE talk_places SET stale = stale + 1")
        elif not self._stale():
            return TalkMoved()
        with self._archiving():
            return self._sweep()

    def scrub(self) -> list[str]:
        """Remove erased texts from the files too; return what could not be done, and why."""
        return [*self.sweep_talk().wrong, *super().scrub()]

    def talk_places(self) -> list[TalkPlace]:
        """Return the months that are in files."""
        with self._reading() as db:
            rows = db.execute(
                "SELECT s.path, p.path, count(t.seq) FROM talk_places p JOIN scopes s ON s.id "
                "= p.scope_id "
                "JOIN talk t ON t.place_id = p.id GROUP BY p.id ORDER BY s.path, p.path"
            ).fetchall()
        return [
            TalkPlace(Scope(scope), path.rpartition("/")[2], count, self.talk.bytes_of(path))
            for scope, path, count in rows
        ]

    @contextmanager
    def _archiving(self) -> Iterator[None]:
        with fs.exclusive(self._file.with_name(f"{self._file.name}.{_LOCK}.lock")):
            yield

    def _months(self, before: datetime) -> list[tuple[int, Scope, str]]:
        """Return (scope id, scope, month) with texts in rows, the oldest month first."""
        with self._reading() as db:
            rows = db.execute(
                f"SELECT DISTINCT m.scope_id, s.path, m.at / {_QUARTER_MS} FROM messages m "
                f"JOIN scopes s ON s.id = m.scope_id WHERE {_OLD}",
                (to_ms(before),),
            ).fetchall()
        months = {
            (f"{day_in(utc(quarter * _QUARTER_MS), self.talk.zone):%Y-%m}", path, sid)
            for sid, path, quarter in rows
            if not is_served(path)
        }
        return [(sid, Scope(path), month) for month, path, sid in sorted(months)]

    def _archive_month(self, sid: int, scope: Scope, month: str, before: datetime) -> TalkMoved:
        path = f"{scope_folder(scope.path)}/{month}"
        first = datetime.fromisoformat(f"{month}-01").replace(tzinfo=self.talk.zone)
        after = datetime(
            first.year + first.month // 12, first.month % 12 + 1, 1, tzinfo=self.talk.zone
        )
        with self._writing() as db:
            db.execute(
                "INSERT OR IGNORE INTO talk_places (scope_id, path) VALUES (?, ?)", (sid, path)
            )
            db.execute("UPDATE talk_places SET stale = stale + 1 WHERE path = ?", (path,))
            place, stale = db.execute(
                "SELECT id, stale FROM talk_places WHERE path = ?", (path,)
            ).fetchone()
            rows = db.execute(
                f"SELECT {self._messages} WHERE m.scope_id = ? AND m.at >= ? AND {_OLD}",
                (sid, to_ms(first), to_ms(min(after, before))),
            )
            leaving = self._journalled(sid, rows)
            living = _read_place_messages(db, place)
        there = self.talk.read(path)[0]
        self.talk.write(
            scope.path, path, [*(there[seq] for seq in sorted(living & there.keys())), *leaving]
        )
        moved: list[Journalled] = []
        for start in range(0, len(leaving), _AT_ONCE):
            with self._writing() as db:
                moved += [
                    journalled
                    for journalled in leaving[start : start + _AT_ONCE]
                    if _move_message_to_file(db, journalled, place)
                ]
        if len(moved) == len(leaving):
            with self._writing() as db:
                db.execute(
                    "UPDATE talk_places SET stale = 0 WHERE id = ? AND stale = ?", (place, stale)
                )
        return TalkMoved(
            len(moved),
            sum(len(journalled.message.text.encode("utf-8", "replace")) for journalled in moved),
        )

    def _stale(self) -> list[tuple[int, str, str, int]]:
        with self._reading() as db:
            return db.execute(
                "SELECT p.id, s.path, p.path, p.stale FROM talk_places p JOIN scopes s ON "
                "s.id = p.scope_id "
                "WHERE p.stale > 0 ORDER BY p.path"
            ).fetchall()

    def _sweep(self) -> TalkMoved:
        """Write stale files anew with the messages that live there.

        The caller holds the lock.
        """
        wrong: list[str] = []
        for place, scope, path, stale in self._stale():
            with self._reading() as db:
                living = _read_place_messages(db, place)
            try:
                there = self.talk.read(path)[0]
                self.talk.write(scope, path, [there[seq] for seq in sorted(living & there.keys())])
            except ArchiveFailed as error:
                wrong.append(error.in_full)
                continue
            with self._writing() as db:
                if living:
                    db.execute(
                        "UPDATE talk_places SET stale = 0 WHERE id = ? AND stale = ?",
                        (place, stale),
                    )
                else:
                    db.execute("DELETE FROM talk_places WHERE id = ? AND stale = ?", (place, stale))
        return TalkMoved(wrong=tuple(wrong))


def _read_place_messages(db: sqlite3.Connection, place: int) -> set[int]:
    return {seq for (seq,) in db.execute("SELECT seq FROM talk WHERE place_id = ?", (place,))}


def _move_message_to_file(db: sqlite3.Connection, one: Journalled, place: int) -> bool:
    """Move a message's text to a file, unless the message changed since it was read."""
    same = db.execute(
        "SELECT 1 FROM messages WHERE seq = ? AND text = ? AND retracted < 2",
        (one.seq, one.message.text),
    ).fetchone()
    if same:
        db.execute("INSERT OR REPLACE INTO talk (seq, place_id) VALUES (?, ?)", (one.seq, place))
        db.execute("UPDATE messages SET text = '' WHERE seq = ?", (one.seq,))
    return bool(same)
