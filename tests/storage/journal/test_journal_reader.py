"""The end of the last session, as the hook reads it from the journal's file."""

from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.storage.journal.sqlite.journal_reader import LastSession, last_session
from gieok.testing.samples import AT, HOME, build_message


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a journal of six sessions, an hour apart, of thirteen messages each."""
    file = tmp_path_factory.mktemp("journal") / "journal.sqlite"
    with closing(SqliteJournal(file)) as journal:
        for hour in range(6):
            said = [
                build_message(f"{hour}.{minute}", session=f"s{hour}")._replace(
                    at=AT + timedelta(hours=hour, minutes=minute)
                )
                for minute in range(13)
            ]
            journal.say(HOME, said)
    return file


def _texts(found: LastSession | None) -> list[str]:
    return [text for _, text, _ in found.turns] if found else []


def test_the_last_twelve_turns_of_the_newest_other_session_are_read_in_order(file: Path) -> None:
    assert _texts(last_session(str(file), HOME.path, "s5")) == [f"4.{n}" for n in range(1, 13)]
    assert _texts(last_session(str(file), HOME.path, "new"))[0] == "5.1"


@pytest.mark.parametrize(("wanted", "found"), [("1.", "1.12"), ("0.", None)])
def test_sessions_that_nobody_wants_are_passed_over_five_at_most(
    file: Path, wanted: str, found: str | None
) -> None:
    last = last_session(
        str(file), HOME.path, "new", is_wanted=lambda turns: turns[0][1].startswith(wanted)
    )
    assert (last and last.turns[-1][1]) == found


def test_without_a_file_a_scope_or_time_there_is_no_last_session(file: Path) -> None:
    assert last_session(str(file.with_name("none.sqlite")), HOME.path, "") is None
    assert last_session(str(file), "nobody", "") is None
    assert last_session(str(file), HOME.path, "", deadline=1.0, now=lambda: 1.0) is not None
