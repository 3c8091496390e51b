"""Turns as documents: incremental equals rebuild after anything that a journal can go through, and
nothing is there twice.
"""

import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from gieok.memory.talk import turn_reader, turns
from gieok.model.conversation import Cursor, Message, Retraction, Role, TranscriptEvent
from gieok.model.memory import Document, Scope
from gieok.ports.journal import MessageFilter
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.testing.memory_store import MemoryStore

SHOP = Scope("project:shop-0badf00d")
HOME = Scope("agent:main")
START = datetime(2026, 3, 1, 9, tzinfo=UTC)
_KEY = "sk-" + "ant-" + "a1B2" * 10


def _said(
    number: int,
    text: str = "",
    role: Role = Role.USER,
    session: str = "s",
    minutes: int | None = None,
) -> Message:
    at = START + timedelta(minutes=number if minutes is None else minutes)
    return Message(
        f"{session}/{number}",
        role,
        text or f"word{number}",
        at,
        session,
        "claude-code",
        3,
        f"/t/{session}.jsonl",
    )


def _add(journal: SqliteJournal, *events: TranscriptEvent, scope: Scope = SHOP) -> None:
    known = {cursor.identity: cursor for cursor in journal.cursors()}.get("f")
    assert journal.append(
        scope, events, Cursor("f", "/t", offset=known.offset + 1 if known else 1), known
    )


def _documents(store: MemoryStore, scope: Scope = SHOP) -> list[Document]:
    return store.get(
        scope,
        sorted(
            store.hashes(scope),
            key=lambda key: (key.partition("#")[0], turns._parse_block_number(key)),
        ),
    )


def _texts(store: MemoryStore) -> list[str]:
    return [document.text for document in _documents(store)]


def _fresh(journal: SqliteJournal) -> list[Document]:
    store = MemoryStore()
    turns.update_all(journal, store)
    return _documents(store)


def test_each_line_is_a_turn_or_a_part_of_one_and_a_passage(journal: SqliteJournal) -> None:
    long = "가나다라 " * 300 + "x" * 2000 + f" {_KEY} " + "```\n# no heading\n"
    tool = _said(3, "[Bash ok]", Role.TOOL)
    _add(journal, _said(1, long), _said(2, "Two\n\nlines", Role.ASSISTANT), tool, _said(4, "끝"))
    store = MemoryStore()
    assert turns.update_all(journal, store).put == 1
    (entry,) = store.entries(SHOP, ["sessions/claude-code/s#1"])
    lines = entry.document.text.split("\n")
    assert lines[-2:] == ["Assistant: Two lines", "User: 끝"]
    assert all(len(line) <= len("User: ") + 800 for line in lines)
    whole = "".join(line.removeprefix("User: ") for line in lines[:-2])
    assert whole.replace(" ", "") == long.replace(_KEY, "[redacted:anthropic-key]").replace(
        "\n", ""
    ).replace(" ", "")
    assert [entry.document.text[p.start : p.end] for p in entry.passages] == lines
    assert [p.start_line for p in entry.passages] == [*range(1, len(lines) + 1)]
    found = entry.document
    assert (found.kind, found.valid_from) == ("turn", START + timedelta(minutes=1))
    assert {name: found.metadata[name] for name in ("agent", "session", "project")} == {
        "agent": "claude-code",
        "session": "s",
        "project": "shop",
    }


def test_a_block_ends_with_its_turns_its_characters_or_the_day_and_leads_on_with_the_turn_before(
    journal: SqliteJournal,
) -> None:
    _add(journal, *(_said(n, role=Role.ASSISTANT if n % 2 else Role.USER) for n in range(1, 18)))
    _add(
        journal, _said(18, "다음 날", minutes=60 * 24), _said(19, "a" * 9_000, minutes=60 * 24 + 1)
    )
    store = MemoryStore()
    turns.update_all(journal, store)
    first, second, day, long = _texts(store)
    assert first.count("\n") == 15
    assert second.split("\n") == ["User: word16", "Assistant: word17"]
    assert day.split("\n") == ["Assistant: word17", "User: 다음 날"]
    assert long.startswith("User: 다음 날\nUser: aaa")
    passages = store.entries(SHOP, ["sessions/claude-code/s#2"])[0].passages
    assert [(p.start_line, p.start) for p in passages] == [(2, len("User: word16") + 1)]
    assert (
        turn_reader.read_conversation(store, [SHOP], "sessions/claude-code/s").count("word16") == 1
    )


def test_only_the_last_block_is_made_again_where_a_conversation_goes_on(
    journal: SqliteJournal,
) -> None:
    _add(journal, *map(_said, range(1, 40)))
    store = MemoryStore()
    assert turns.update_all(journal, store) == (3, 0, 0)
    _add(journal, _said(40))
    assert turns.update_all(journal, store) == (1, 0, 0)
    assert turns.update_all(journal, store) == (0, 0, 0)
    assert _documents(store) == _fresh(journal)


def test_what_an_agent_takes_back_or_writes_anew_is_followed(journal: SqliteJournal) -> None:
    _add(journal, *map(_said, range(1, 40)))
    store = MemoryStore()
    turns.update_all(journal, store)
    _add(journal, Retraction("s", "s/20", after=True))
    assert turns.update_all(journal, store) == (1, 1, 0)
    assert "word20" not in "\n".join(_texts(store))
    _add(journal, _said(20, "another way"), _said(3, "word3, as it grew"))
    turns.update_all(journal, store)
    assert _texts(store)[0].split("\n")[1:4] == [
        "User: word2",
        "User: word3, as it grew",
        "User: word4",
    ]
    _add(journal, Retraction("s", after=True))
    turns.update_all(journal, store)
    assert _texts(store) == []
    _add(journal, *map(_said, range(5, 9)))
    turns.update_all(journal, store)
    assert _documents(store) == _fresh(journal) != []


def test_what_is_forgotten_or_redacted_in_the_journal_goes_from_the_documents(
    journal: SqliteJournal,
) -> None:
    _add(journal, *map(_said, range(1, 40)))
    store = MemoryStore()
    turns.update_all(journal, store)
    journal.erase(SHOP, [found.seq for found in journal.find(SHOP, MessageFilter(match="word7"))])
    journal.rewrite(lambda text: text.replace("word8", "[redacted]"))
    turns.update_all(journal, store)
    assert "User: word6\nUser: [redacted]\nUser: word9" in _texts(store)[0]
    assert _documents(store) == _fresh(journal)


def _erase(journal: SqliteJournal, match: str) -> None:
    found = journal.find(SHOP, MessageFilter(match=match))
    journal.erase(
        SHOP,
        [one.seq for one in found],
        blanks={one.seq: turns.blanks(one.message) for one in found},
    )


def test_no_line_is_renumbered_by_what_is_forgotten_or_corrected(journal: SqliteJournal) -> None:
    long = " ".join(["elephant"] * 400)
    _add(journal, *(_said(n, f"turn{n} {long}" if n in (3, 18) else "") for n in range(1, 40)))
    store = MemoryStore()
    turns.update_all(journal, store)
    before = {
        (d.key, n): line for d in _documents(store) for n, line in enumerate(d.text.split("\n"), 1)
    }
    journal.correct(SHOP, "s/18", "short now")
    _erase(journal, "turn3 ")
    _erase(journal, "word16")
    journal.correct(SHOP, "s/5", long)
    turns.update_all(journal, store)
    after = {
        (d.key, n): line for d in _documents(store) for n, line in enumerate(d.text.split("\n"), 1)
    }
    assert before.keys() == after.keys()
    differing = {(before[at], after[at]) for at in before if before[at] != after[at]}
    assert {old for old, _ in differing if "elephant" not in old} == {"User: word5", "User: word16"}
    assert {new for _, new in differing} == {"", "User: short now", f"User: {long}"}
    _erase(journal, "short now")
    turns.update_all(journal, store)
    assert "short" not in "".join(_texts(store))
    assert _documents(store) == _fresh(journal)
    for entry in store.entries(SHOP, sorted(store.hashes(SHOP))):
        lines = entry.document.text.split("\n")
        assert all(
            entry.document.text[p.start : p.end] == lines[p.start_line - 1] != ""
            for p in entry.passages
        )
    _add(journal, _said(40))
    turns.update_all(journal, store)
    assert _documents(store) == _fresh(journal)


def test_blocks_that_are_forgotten_stand_between_others_and_go_at_the_end(
    journal: SqliteJournal,
) -> None:
    _add(
        journal,
        *(_said(n, f"day{n // 20} word{n}", minutes=n // 20 * 1440 + n) for n in range(1, 60)),
    )
    store = MemoryStore()
    turns.update_all(journal, store)
    keys = [d.key for d in _documents(store)]
    _erase(journal, "day1 ")
    turns.update_all(journal, store)
    assert [d.key for d in _documents(store)] == keys
    assert _documents(store) == _fresh(journal)
    _erase(journal, "day2 ")
    turns.update_all(journal, store)
    assert _documents(store) == _fresh(journal)
    assert "day0" in _texts(store)[-1]
    _erase(journal, "day0 ")
    turns.update_all(journal, store)
    assert _texts(store) == []
    _add(journal, _said(70, "again"))
    turns.update_all(journal, store)
    assert _documents(store) == _fresh(journal)
    assert _texts(store)[-1].split("\n")[-1] == "User: again"


def test_any_sequence_gives_what_a_rebuild_gives(journal: SqliteJournal) -> None:
    choice = random.Random(7)
    store = MemoryStore()
    for step in range(150):
        session = choice.choice("ab")
        number = choice.randrange(1, 60)
        match choice.randrange(8):
            case 0:
                _add(
                    journal, Retraction(session, f"{session}/{number}", after=choice.random() < 0.5)
                )
            case 1 if step % 3 == 0:
                found = journal.find(SHOP, MessageFilter(frozenset([f"{session}/{number}"])))
                journal.erase(
                    SHOP,
                    [one.seq for one in found],
                    blanks={one.seq: turns.blanks(one.message) for one in found},
                )
            case 2:
                _add(
                    journal,
                    _said(
                        number, f"version {step}", session=session, minutes=choice.randrange(5_000)
                    ),
                )
            case 3:
                _add(
                    journal,
                    _said(
                        number,
                        '<memory-context source="gieok">\nx\n</memory-context>',
                        session=session,
                    ),
                )
            case _:
                _add(
                    journal,
                    *(_said(number + n, session=session) for n in range(choice.randrange(1, 30))),
                )
        if choice.random() < 0.6:
            turns.update_all(journal, store, most=choice.choice((0, 5, 50)))
    turns.update_all(journal, store)
    assert _documents(store) == _fresh(journal)
    words = "\n".join(line for text in _texts(store) for line in text.split("\n")[1:])
    assert words


def test_our_own_text_is_taken_out_of_a_turn(journal: SqliteJournal) -> None:
    _add(
        journal,
        _said(
            1,
            '<memory-context source="gieok">\na walrus\n</memory-context>\n서랍 열쇠는 민지가 갖고 있어.',
        ),
    )
    store = MemoryStore()
    turns.update_all(journal, store)
    assert _texts(store) == ["User: 서랍 열쇠는 민지가 갖고 있어."]


def test_a_kill_between_documents_and_position_loses_and_doubles_nothing(
    journal: SqliteJournal, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Killed(BaseException):
        """The process ends here."""

    store = MemoryStore()
    _add(journal, *map(_said, range(1, 40)))
    written = store.write_note

    def killed(scope: Scope, name: str, value: str) -> None:
        if "0, 0" not in value:
            raise Killed
        written(scope, name, value)

    monkeypatch.setattr(store, "write_note", killed)
    with pytest.raises(Killed):
        turns.update_all(journal, store)
    monkeypatch.undo()
    _add(journal, Retraction("s", "s/30", after=True))
    turns.update_all(journal, store)
    assert _documents(store) == _fresh(journal)


def test_a_store_of_another_journal_is_derived_anew_and_an_older_releases_talk_goes(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    store = MemoryStore()
    other = SqliteJournal(tmp_path / "other.sqlite")
    _add(other, _said(1, "gone with its journal"), *map(_said, range(2, 40)))
    turns.update_all(other, store)
    other.close()
    old = _documents(store)[:1]
    store.put([store.entries(SHOP, [old[0].key])[0]._replace(document=_renamed(old[0]))])
    _add(journal, *map(_said, range(1, 40)))
    turns.update_all(journal, store)
    assert _documents(store) == _fresh(journal)


def _renamed(document: Document) -> Document:
    from dataclasses import replace

    return replace(document, key="sessions/main/s.jsonl", kind="session")


def test_a_bounded_update_goes_on_where_it_stopped_and_says_what_waits(
    journal: SqliteJournal,
) -> None:
    _add(journal, *map(_said, range(1, 101)))
    _add(journal, _said(1, session="t"), scope=HOME)
    store = MemoryStore()
    waiting: Sequence[int] = [turns.update_all(journal, store, most=40).waiting for _ in range(4)]
    assert (sorted(waiting, reverse=True), waiting[-1]) == (list(waiting), 0)
    assert _documents(store) == _fresh(journal)


def test_a_line_leads_to_the_message_that_said_it(journal: SqliteJournal) -> None:
    _add(journal, *map(_said, range(1, 20)), _said(20, "long " * 400), _said(21))
    store = MemoryStore()
    turns.update_all(journal, store)
    _, second = _documents(store)
    lines = second.text.split("\n")
    for number in range(2, len(lines) + 1):
        found = turn_reader.at_line(journal, second, number)
        assert found is not None
        assert number in found[0]
        assert lines[number - 1].removeprefix("User: ").strip() in " ".join(found[1].text.split())
    # what leads a block is the block's before
    assert turn_reader.at_line(journal, second, 1) is None


def test_what_a_tool_said_holds_no_place_once_it_is_forgotten() -> None:
    assert turns.blanks(Message("t", Role.TOOL, "ran the tests", START)) == ""
