"""A plain log under everything that programs do to log files, read by two processes that come and
go at any moment.

Lines say their time, some are written twice. Whatever happens to the files, each line is in the
journal as often as it was written, once all files were looked at.
"""

import json
import os
import shutil
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from gieok.memory.capture import tail
from gieok.memory.capture.capture import Capture
from gieok.model.memory import Scope
from gieok.storage.journal.sqlite.journal import SqliteJournal

_SCOPE = Scope("agent:main")
_NUMBERS = st.integers(0, 9)


class Files(RuleBasedStateMachine):
    """Writer, rotation, backups and readers of `a.jsonl`."""

    def __init__(self) -> None:
        super().__init__()
        self.patch = patch.object(tail, "PORTION_BYTES", 300)
        self.patch.start()
        self.place = TemporaryDirectory()
        self.folder = Path(self.place.name)
        self.journal = SqliteJournal(self.folder / "journal.sqlite")
        self.live = self.folder / "a.jsonl"
        self.readers = [Capture(self.journal), Capture(self.journal)]
        self.written: Counter[str] = Counter()
        self.pending = b""
        self.count = 0

    def teardown(self) -> None:
        self.finish()
        self.look(0, backwards=False)
        assert Counter(self.held()) == self.written
        self.journal.close()
        self.place.cleanup()
        self.patch.stop()

    def held(self) -> list[str]:
        return [
            found.message.text
            for found in self.journal.read(_SCOPE, 0, budget_tokens=1 << 40, limit=1 << 20)
        ]

    def lines(self, number: int, twice: int) -> bytes:
        made = b""
        for n in range(number):
            self.count += 1
            row = {
                "role": "user",
                "content": f"line {self.count}",
                "timestamp": 1795293951 + self.count,
            }
            times = 2 if n == twice else 1
            made += (json.dumps(row) + "\n").encode() * times
            self.written[row["content"]] += times
        return made

    def finish(self) -> None:
        """Write what is left of a line, as every writer does before it turns to something else."""
        with self.live.open("ab") as out:
            out.write(self.pending)
        self.pending = b""

    def free_name(self, kind: str) -> Path:
        self.count += 1
        return self.folder / f"a.jsonl.{kind}{self.count}"

    def look(self, reader: int, *, backwards: bool) -> None:
        for file in sorted(self.folder.glob("a.jsonl*"), reverse=backwards):
            self.readers[reader].file(_SCOPE, file)

    @rule(number=st.integers(1, 6), twice=_NUMBERS, cut=_NUMBERS)
    def append(self, number: int, twice: int, cut: int) -> None:
        data = self.pending + self.lines(number, twice)
        size = len(data) * (10 - cut) // 10
        with self.live.open("ab") as out:
            out.write(data[:size])
        self.pending = data[size:]

    @rule(reader=st.integers(0, 1), backwards=st.booleans())
    def read(self, reader: int, backwards: bool) -> None:
        self.look(reader, backwards=backwards)

    @rule(reader=st.integers(0, 1))
    def begin_a_process(self, reader: int) -> None:
        self.readers[reader] = Capture(self.journal)

    @rule(number=st.integers(0, 6), in_place=st.booleans(), twice=_NUMBERS)
    def rewrite(self, number: int, in_place: bool, twice: int) -> None:
        self.finish()
        data = self.live.read_bytes() + self.lines(number, twice)
        target = self.live if in_place else self.folder / "temporary"
        target.write_bytes(data)
        target.replace(self.live)

    @rule(part=_NUMBERS, reader=st.integers(0, 1))
    def rewrite_slowly(self, part: int, reader: int) -> None:
        self.finish()
        self.look(reader, backwards=False)
        data = self.live.read_bytes()
        size = len(data) * part // 10
        self.live.write_bytes(data[:size])
        self.look(reader, backwards=False)
        with self.live.open("ab") as out:
            out.write(data[size:])

    @rule(part=_NUMBERS)
    def drop_the_beginning(self, part: int) -> None:
        self.finish()
        self.look(0, backwards=False)
        kept = self.live.read_bytes().splitlines(keepends=True)
        temporary = self.folder / "temporary"
        temporary.write_bytes(b"".join(kept[len(kept) * part // 10 :]))
        temporary.replace(self.live)

    @rule(part=_NUMBERS)
    def drop_the_end(self, part: int) -> None:
        self.finish()
        self.look(1, backwards=True)
        kept = self.live.read_bytes().splitlines(keepends=True)
        os.truncate(self.live, sum(map(len, kept[: len(kept) * part // 10])))

    @rule()
    def rotate_by_renaming(self) -> None:
        self.finish()
        self.live.rename(self.free_name(""))

    @rule(is_seen=st.booleans())
    def rotate_by_copying(self, is_seen: bool) -> None:
        self.finish()
        copy = self.free_name("")
        shutil.copyfile(self.live, copy)
        if is_seen:
            self.readers[0].file(_SCOPE, copy)
        os.truncate(self.live, 0)

    @precondition(lambda self: self.live.exists())
    @rule(part=st.integers(1, 10), on=st.integers(0, 10), reader=st.integers(0, 1))
    def back_up_slowly(self, part: int, on: int, reader: int) -> None:
        copy, data = self.free_name("bak"), self.live.read_bytes()
        copy.write_bytes(data[: len(data) * part // 10])
        self.readers[reader].file(_SCOPE, copy)
        copy.write_bytes(data[: len(data) * max(part, on) // 10])

    @precondition(lambda self: self.live.exists())
    @rule()
    def link(self) -> None:
        os.link(self.live, self.free_name("link"))

    @rule()
    def delete_copies(self) -> None:
        self.look(1, backwards=False)  # a number of a deleted file may be used again for the next
        for file in self.folder.glob("a.jsonl.*"):
            file.unlink()

    @invariant()
    def nothing_is_doubled(self) -> None:
        assert Counter(self.held()) <= self.written


Files.TestCase.settings = settings(
    max_examples=25,
    stateful_step_count=20,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
test_whatever_happens_to_the_files_each_line_is_kept_as_often_as_it_was_written = Files.TestCase
