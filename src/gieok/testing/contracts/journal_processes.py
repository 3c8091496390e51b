"""The contract of a journal under several processes: each line is in it exactly once, also after kills."""

import random
import signal
import sys

import pytest

from gieok.ports.journal import FullJournal
from gieok.testing.contracts.journal import JournalFixtures, held
from gieok.testing.contracts.processes import finish, go, start

_LINES = 300

#: Follows a transcript of numbered lines, a few at a time, as every other process does; says where it is.
_FOLLOWER = """
import sys
from gieok.model.conversation import Cursor
from gieok.testing.samples import HOME, said
print("ready", flush=True)
sys.stdin.readline()
{opening}
step, count = int(sys.argv[1]), int(sys.argv[2])
while True:
    before = next(iter(journal.cursors()), None)
    first = before.offset if before else 0
    if first >= count:
        break
    last = min(first + step, count)
    lines = [said(f"s/{{n}}", f"{{n}} 결제") for n in range(first, last)]
    if journal.append(HOME, lines, Cursor("1:1", "/t/s.jsonl", last), before):
        print(last, flush=True)
journal.close()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL")
class JournalProcessContract(JournalFixtures):
    """A subclass gives `make_journal` and `opening`: statements that open what `journal` has open, and call it `journal`."""

    def test_two_followers_of_one_transcript_add_each_line_once(self, opening: str, journal: FullJournal) -> None:
        followers = [start(_FOLLOWER, opening, step, _LINES) for step in (3, 5)]
        go(*followers)
        steps = [int(said) for follower in followers for said in finish(follower)]
        assert len(steps) == len(set(steps))
        assert max(steps) == _LINES
        assert held(journal) == [f"{n} 결제" for n in range(_LINES)]

    def test_killing_a_follower_at_any_moment_loses_and_doubles_nothing(
        self, opening: str, journal: FullJournal
    ) -> None:
        chance = random.Random(1)  # noqa: S311 - the same every time is the point
        for _ in range(5):
            follower = start(_FOLLOWER, opening, 2, _LINES)
            with follower:
                assert follower.stdout
                go(follower)
                reached = 0
                for _ in range(chance.randrange(1, 20)):
                    reached = int(follower.stdout.readline() or reached)
                follower.send_signal(signal.SIGKILL)
            (cursor,) = journal.cursors()
            assert cursor.offset >= reached
            assert held(journal) == [f"{n} 결제" for n in range(cursor.offset)]
        last = start(_FOLLOWER, opening, 50, _LINES)
        go(last)
        finish(last)
        assert held(journal) == [f"{n} 결제" for n in range(_LINES)]
