"""A line is in the journal exactly once, whatever happens to the file and to whoever reads it."""

import json
import os
from pathlib import Path
from random import Random

import pytest
from known_folders import KnownFolders

from gieok.agents.sources import ScopedTranscript
from gieok.errors import MissingExtra
from gieok.memory.capture import tail
from gieok.memory.capture.capture import Capture, capture_database
from gieok.model.conversation import Journalled
from gieok.model.memory import Scope
from gieok.ports.transcripts import StoredSession, TranscriptStore
from gieok.storage.journal.sqlite.journal import SqliteJournal
from gieok.text.echo import MARKER

_SCOPE = Scope("agent:main")


def _plain(text: str, **more: object) -> str:
    return json.dumps({"role": "user", "content": text, **more}, ensure_ascii=False) + "\n"


def _entry(number: int, text: str = "") -> str:
    message = {"role": "user", "content": text or f"메시지 {number}"}
    at = "2026-11-21T20:46:00Z"
    return (
        json.dumps(
            {
                "type": "message",
                "id": f"{number:08x}",
                "parentId": None,
                "timestamp": at,
                "message": message,
            }
        )
        + "\n"
    )


def _held(journal: SqliteJournal) -> list[Journalled]:
    return journal.read(_SCOPE, 0, budget_tokens=1 << 40, limit=1 << 20)


def _texts(journal: SqliteJournal) -> list[str]:
    return [found.message.text for found in _held(journal)]


def _capture(journal: SqliteJournal, *files: Path) -> Capture:
    capture = Capture(journal)
    for file in files:
        capture.file(_SCOPE, file)
    return capture


def test_a_partial_last_line_waits(journal: SqliteJournal, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    whole = (_plain("하나") + _plain("둘")).encode()
    file.write_bytes(whole[:-9])
    capture = _capture(journal, file)
    assert _texts(journal) == ["하나"]
    file.write_bytes(whole)
    capture.file(_SCOPE, file)
    assert _texts(journal) == ["하나", "둘"]
    assert capture.captured.rejects == 0


def test_equal_lines_are_each_kept_and_nothing_is_read_twice(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(_plain("응") * 3)
    _capture(journal, file)
    with file.open("a") as more:
        more.write(_plain("응") * 2)
    _capture(journal, file)
    _capture(journal, file)
    assert _texts(journal) == ["응"] * 5


@pytest.mark.parametrize(
    "make", [_plain, lambda text: _entry(int(text), text)], ids=["plain", "openclaw"]
)
def test_a_renamed_a_copied_and_a_replaced_file_add_nothing_twice(
    journal: SqliteJournal, tmp_path: Path, make
) -> None:
    file, rotated = tmp_path / "a.jsonl", tmp_path / "a.jsonl.reset.2026-11-21T20-45-55.413Z"
    file.write_text("".join(make(str(n)) for n in range(1, 60)))
    _capture(journal, file)
    with file.open("a") as more:
        more.write(make("60"))
    file.rename(rotated)
    _capture(journal, rotated)
    file.write_bytes(rotated.read_bytes() + make("61").encode())
    rotated.unlink()
    _capture(journal, file)
    temporary = tmp_path / "x"
    temporary.write_bytes(file.read_bytes() + make("62").encode())
    temporary.replace(file)
    _capture(journal, file)
    assert _texts(journal) == [str(n) for n in range(1, 63)]


def test_what_was_written_before_a_truncating_rotation_is_read_from_the_copy(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    file, copy = tmp_path / "a.jsonl", tmp_path / "a.jsonl.1"
    file.write_text(_plain("하나") + _plain("둘"))
    _capture(journal, file)
    with file.open("a") as more:
        more.write(_plain("셋"))
    copy.write_bytes(file.read_bytes())
    os.truncate(file, 0)
    with file.open("a") as more:
        more.write(_plain("넷") + _plain("둘"))
    _capture(journal, file, copy)
    _capture(journal, copy, file)
    assert sorted(_texts(journal)) == sorted(["하나", "둘", "넷", "둘", "셋"])


def test_a_rewritten_file_adds_only_what_is_new(journal: SqliteJournal, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(_plain("하나") + _plain("응") + _plain("둘") + _plain("응"))
    _capture(journal, file)
    file.write_text(_plain("하나") + _plain("응") + _plain("새로") + _plain("둘") + _plain("응"))
    _capture(journal, file)
    assert _texts(journal) == ["하나", "응", "둘", "응", "새로"]


def test_a_rewrite_that_is_interrupted_begins_anew(
    journal: SqliteJournal, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(tail, "PORTION_BYTES", 100)
    file = tmp_path / "a.jsonl"
    lines = [_plain("응") for _ in range(20)]
    file.write_text("".join(lines))
    _capture(journal, file)
    lines[3:3] = [_plain("새로")]
    file.write_text("".join(lines))
    real, left = SqliteJournal.append, [2]

    def append(*arguments: object) -> bool:
        left[0] -= 1
        if left[0] < 0:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(SqliteJournal, "append", append)
    with pytest.raises(KeyboardInterrupt):
        _capture(journal, file)
    monkeypatch.setattr(SqliteJournal, "append", real)
    _capture(journal, file)
    assert sorted(_texts(journal)) == ["새로"] + ["응"] * 20


@pytest.mark.parametrize(
    "more", [{}, {"timestamp": 1795293951}], ids=["without times", "with times"]
)
def test_a_backup_of_what_was_rewritten_and_went_on_adds_nothing(
    journal: SqliteJournal, tmp_path: Path, more: dict[str, object]
) -> None:
    file = tmp_path / "a.jsonl"
    lines = [_plain(f"line {n}", **more) for n in range(300)]
    file.write_text("".join(lines[:100]))
    _capture(journal, file)
    (tmp_path / "x").write_text("".join(lines[:200]))
    (tmp_path / "x").replace(file)
    _capture(journal, file)
    with file.open("a") as out:
        out.write("".join(lines[200:]))
    _capture(journal, file)
    (tmp_path / "a.jsonl.bak").write_text("".join(lines[:250]))
    _capture(journal, file, tmp_path / "a.jsonl.bak")
    assert _texts(journal) == [f"line {n}" for n in range(300)]


def test_a_first_line_of_any_size_is_read(journal: SqliteJournal, tmp_path: Path) -> None:
    """A pasted screenshot is a line of megabytes."""
    image = {"type": "image", "source": {"type": "base64", "data": "A" * 3_000_000}}
    said = {"type": "text", "text": "이 화면을 봐 줘"}
    line = {
        "type": "user",
        "uuid": "u",
        "sessionId": "s",
        "message": {"role": "user", "content": [image, said]},
    }
    (tmp_path / "a.jsonl").write_text(json.dumps(line, ensure_ascii=False) + "\n")
    _capture(journal, tmp_path / "a.jsonl")
    (tmp_path / "b.jsonl").write_text(_entry(1, "x" * 2_000_000) + _entry(2))
    _capture(journal, tmp_path / "b.jsonl")
    assert [text[:9] for text in _texts(journal)] == ["이 화면을 봐 줘", "x" * 9, "메시지 2"]


def test_behind_a_first_line_that_is_longer_than_any_may_be_the_rest_is_read_and_that_is_told(
    journal: SqliteJournal, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(tail, "LONGEST_LINE_BYTES", 3000)
    monkeypatch.setattr(tail, "PORTION_BYTES", 1000)
    told: list[tuple[str, str]] = []
    file = tmp_path / "a.jsonl"
    file.write_text(_entry(1, "x" * 5000) + _entry(2))
    Capture(journal, tell=lambda path, why: told.append((path, why))).file(_SCOPE, file)
    assert _texts(journal) == ["메시지 2"]
    assert told == [
        (str(file), ""),
        (f"{file}#1", "this line was not read: longer than 3,000 bytes"),
    ]
    alone = tmp_path / "b.jsonl"
    alone.write_text(_entry(1, "x" * 5000))
    Capture(journal, tell=lambda path, why: told.append((path, why))).file(_SCOPE, alone)
    assert told[-1] == (str(alone), "not in the format of a known transcript")


def test_a_file_that_begins_like_no_transcript_is_told_of_until_it_does(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    told: list[tuple[str, str]] = []
    file = tmp_path / "a.jsonl"
    capture = Capture(journal, tell=lambda path, why: told.append((path, why)))
    title = '{"type":"summary","summary":"Queue","leafUuid":"u"}\n'
    for text in ("", "\n", '{"torn', title):
        file.write_text(text)
        assert capture.file(_SCOPE, file) == 0
    assert told == [], "not yet"
    file.write_text('{"weight": 3}\n')
    capture.file(_SCOPE, file)
    assert told == [(str(file), "not in the format of a known transcript")]
    file.write_text('{"weight": 3}\n' + _entry(1))
    capture.file(_SCOPE, file)
    assert told[-1] == (str(file), "")
    assert _texts(journal) == ["메시지 1"]


def test_words_about_the_run_mark_drop_no_session(journal: SqliteJournal, tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    result = {
        "role": "toolResult",
        "toolName": "read",
        "content": f"{MARKER}\nYou are the memory of an AI agent.",
    }
    page = {"type": "message", "id": "0000000b", "parentId": None, "message": result}
    file.write_text(
        _entry(1, f"what is {MARKER!r}?") + json.dumps(page) + "\n" + _entry(2, "고마워")
    )
    _capture(journal, file)
    assert len(_texts(journal)) == 3


def _gemini(identity: str, text: str, kind: str = "user") -> str:
    row = {
        "id": identity,
        "type": kind,
        "timestamp": "2026-11-21T20:46:00Z",
        "content": [{"text": text}],
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


@pytest.mark.parametrize("is_backwards", [False, True])
def test_two_files_of_one_session_each_keep_what_they_put(
    journal: SqliteJournal, tmp_path: Path, is_backwards: bool
) -> None:
    head = json.dumps({"sessionId": "g", "projectHash": "h", "kind": "main"}) + "\n"
    context = {
        "id": "c",
        "type": "user",
        "content": [{"text": "<session_context>\nToday is Sunday.\n</session_context>"}],
    }
    first, second = tmp_path / "session-1.jsonl", tmp_path / "session-2.jsonl"
    first.write_text(head + "".join(_gemini(str(n), f"말 {n}") for n in range(36)))
    replaced = [json.loads(_gemini("50", "바뀐 말"))]
    second.write_text(
        head
        + json.dumps({"$set": {"messages": [context]}})
        + "\n"
        + _gemini("35", "말 35")
        + _gemini("40", "말 40")
        + json.dumps({"$rewindTo": "40"})
        + "\n"
        + json.dumps({"$rewindTo": "3"})
        + "\n"
        + _gemini("41", "말 41")
        + json.dumps({"$set": {"messages": replaced}})
        + "\n"
        + _gemini("42", "말 42")
    )
    _capture(journal, *((second, first) if is_backwards else (first, second)))
    _capture(journal, first, second)
    assert sorted(_texts(journal)) == sorted([*(f"말 {n}" for n in range(36)), "바뀐 말", "말 42"])


def test_a_result_is_known_for_an_answer_of_gieoks_in_another_process_than_its_call(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    call = {
        "type": "toolCall",
        "id": "c1",
        "name": "exec",
        "arguments": {"command": "gieok search launch"},
    }
    asked = {
        "type": "message",
        "id": "0000000a",
        "parentId": None,
        "message": {"role": "assistant", "content": [call]},
    }
    content = [{"type": "text", "text": "1. launch.md#L3: the launch is on Friday"}]
    result = {"role": "toolResult", "toolCallId": "c1", "toolName": "exec", "content": content}
    answered = {"type": "message", "id": "0000000b", "parentId": None, "message": result}
    file.write_text(_entry(1) + json.dumps(asked) + "\n")
    _capture(journal, file)
    with file.open("a") as out:
        out.write(json.dumps(answered) + "\n" + _entry(2))
    _capture(journal, file)
    assert _texts(journal) == ["메시지 1", "[exec command=gieok search launch]", "메시지 2"]


def test_malformed_lines_are_set_aside_with_their_place(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    good = _entry(1)
    file.write_bytes(
        good.encode()
        + b"\0\0\0\n{torn\n\n[1]\n"
        + b'{"type":"mess'
        + _entry(2).encode()
        + b"\0\0"
        + _entry(3).encode()
    )
    capture = _capture(journal, file)
    assert _texts(journal) == ["메시지 1", "메시지 2", "메시지 3"]
    rejects = journal.rejects(10)[::-1]
    assert [(r.line, r.offset) for r in rejects] == [
        (3, len(good) + 4),
        (5, len(good) + 11),
        (6, len(good) + 15),
    ]
    assert capture.captured.rejects == 3


def test_a_line_that_is_too_long_is_set_aside_and_the_next_is_read(
    journal: SqliteJournal, tmp_path: Path, monkeypatch
) -> None:
    monkeypatch.setattr(tail, "LONGEST_LINE_BYTES", 3000)
    monkeypatch.setattr(tail, "PORTION_BYTES", 1000)
    file = tmp_path / "a.jsonl"
    file.write_text(_entry(1) + _entry(2, "x" * 2000) + _entry(3, "x" * 5000) + _entry(4))
    _capture(journal, file)
    assert [text[:6] for text in _texts(journal)] == ["메시지 1", "xxxxxx", "메시지 4"]
    (reject,) = journal.rejects(10)
    assert reject.line == 3
    assert reject.length > 5000


def test_what_cannot_be_read_is_named_and_read_once_it_can(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.mkdir()
    capture = _capture(journal, file, tmp_path / "gone.jsonl")
    assert list(capture.captured.troubles) == [str(file)]
    file.rmdir()
    file.write_text(_entry(1))
    capture.file(_SCOPE, file)
    assert capture.captured.troubles == {}
    assert _texts(journal) == ["메시지 1"]


def test_a_pipe_in_place_of_a_transcript_does_not_block(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    os.mkfifo(tmp_path / "a.jsonl")
    capture = _capture(journal, tmp_path / "a.jsonl")
    assert list(capture.captured.troubles.values()) == ["not a regular file"]


def test_secrets_are_cut_out_before_anything_is_kept(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(_plain("password = hunter2hunter2 이고 지역은 서울"))
    _capture(journal, file)
    (held,) = _held(journal)
    assert held.message.text == "password = [redacted:password] 이고 지역은 서울"
    assert held.message.tokens > 5
    assert (held.message.source, held.message.line) == (str(file), 1)


def test_a_session_that_gieok_began_itself_is_not_read(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(_entry(1, f"{MARKER}\nWhat follows …") + _entry(2, "* 🔴 (14:30) …"))
    _capture(journal, file)
    assert _texts(journal) == []


def test_a_message_written_again_with_another_text_is_held_once(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    file = tmp_path / "session-1.jsonl"
    head = json.dumps({"sessionId": "g", "projectHash": "h", "kind": "main"}) + "\n"

    def turn(identity: str, text: str) -> str:
        return (
            json.dumps(
                {
                    "id": identity,
                    "type": "user",
                    "timestamp": "2026-11-21T20:46:00Z",
                    "content": text,
                }
            )
            + "\n"
        )

    file.write_text(
        head + turn("1", "하나") + turn("2", "둘") + turn("2", "둘 끝") + turn("3", "셋")
    )
    _capture(journal, file)
    assert _texts(journal) == ["하나", "둘 끝", "셋"]
    with file.open("a") as more:
        more.write(json.dumps({"$rewindTo": "2"}) + "\n" + turn("4", "넷"))
    _capture(journal, file)
    assert _texts(journal) == ["하나", "넷"]
    file.write_text(file.read_text() + "\n")
    _capture(journal, file)
    assert _texts(journal) == ["하나", "넷"]


class _Database:
    """A `TranscriptStore` in memory."""

    def __init__(self, key: str, events: dict[str, list[tuple[int, str]]]) -> None:
        self._key, self._events = key, events

    def sessions(self) -> list[StoredSession]:
        return [StoredSession(s, self._key, e[-1][0] if e else -1) for s, e in self._events.items()]

    def events(self, session: str, after: int, limit: int) -> list[tuple[int, str]]:
        return [event for event in self._events[session] if event[0] > after][:limit]

    def close(self) -> None:
        pass


def _events(count: int) -> list[tuple[int, str]]:
    return [
        (0, '{"type":"session","id":"s"}'),
        *((n, _entry(n)) for n in range(1, count)),
        (count, "{torn"),
    ]


def test_an_agents_database_is_read_by_event(journal: SqliteJournal, tmp_path: Path) -> None:
    path, capture = tmp_path / "a.sqlite", Capture(journal)
    source = ScopedTranscript(path, _SCOPE, "openclaw")

    def captured(by: Capture, database: _Database) -> int:
        return capture_database(by, source, lambda agent, file: database)

    assert captured(capture, _Database("agent:main:main", {"s": _events(3)})) == 2
    assert captured(capture, _Database("agent:main:main", {"s": _events(5)})) == 1
    assert captured(Capture(journal), _Database("agent:main:main", {"s": _events(2)})) == 1
    assert _texts(journal) == ["메시지 1", "메시지 2", "메시지 4"]
    assert captured(capture, _Database("agent:main:cron:1", {"t": _events(9)})) == 0

    def refuse(agent: str, file: Path) -> TranscriptStore:
        raise MissingExtra("no apsw", hint="install it")

    assert capture_database(capture, source, refuse) == 0
    assert "install it" in capture.captured.troubles[str(path)]


def test_where_lines_do_not_say_in_which_folder_a_session_works_what_stands_beside_the_file_does(
    journal: SqliteJournal, tmp_path: Path
) -> None:
    shop, file = Scope("project:shop"), tmp_path / "s.jsonl"
    head = {"sessionId": "s", "projectHash": "h", "kind": "main"}
    said = {
        "id": "1",
        "timestamp": "2026-11-22T15:21:27.884Z",
        "type": "user",
        "content": [{"text": "화요일이야"}],
    }
    file.write_text("".join(f"{json.dumps(line)}\n" for line in (head, said)))
    Capture(journal, KnownFolders({"/shop": shop})).file(_SCOPE, file, "/shop")
    assert journal.scopes() == [shop]


@pytest.mark.parametrize("seed", range(8))
def test_two_readers_and_a_wild_writer_lose_nothing_and_double_nothing(
    journal: SqliteJournal, tmp_path: Path, seed: int, monkeypatch
) -> None:
    monkeypatch.setattr(tail, "PORTION_BYTES", 200)
    random, file = Random(seed), tmp_path / "a.jsonl"
    readers = [Capture(journal), Capture(journal)]
    written, rotations, pending = 0, 0, ""
    for _ in range(200):
        match random.randrange(6):
            case 0 | 1:
                for _ in range(random.randrange(1, 6)):
                    pending += _plain(
                        "같은 말" if random.random() < 0.3 else f"줄 {written}",
                        timestamp=1795293951 + written,
                    )
                    written += 1
                cut = random.randrange(len(pending) + 1)
                with file.open("a") as out:
                    out.write(pending[:cut])
                pending = pending[cut:]
            case 2:
                if not pending and file.exists():
                    rotations += 1
                    file.rename(tmp_path / f"a.jsonl.{rotations}")
            case 3:
                readers[random.randrange(2)] = Capture(journal)
            case _:
                files = sorted(tmp_path.glob("a.jsonl*"))
                random.shuffle(files)
                for found in files:
                    readers[random.randrange(2)].file(_SCOPE, found)
    with file.open("a") as out:
        out.write(pending)
    for found in tmp_path.glob("a.jsonl*"):
        readers[0].file(_SCOPE, found)
    assert len(_texts(journal)) == written
    assert len({held.message.at for held in _held(journal)}) == written


@pytest.mark.parametrize(("size", "is_skipped"), [(1000, False), (1100, True)])
def test_a_short_beginning_makes_no_copy_of_another_file(
    journal: SqliteJournal, tmp_path: Path, size: int, is_skipped: bool
) -> None:
    """Two sessions that begin with the same greeting are two: only a kilobyte that is the same is a
    copy.
    """
    first = tmp_path / "a.jsonl"
    line = _plain("")
    first.write_text(_plain("x" * (size - len(line))))
    _capture(journal, first)
    copy = tmp_path / "a.jsonl.reset.2026-11-21"
    copy.write_bytes(first.read_bytes())
    with copy.open("rb") as opened:
        cursor = tail.find_resume_cursor(opened, copy, journal.cursors(), skips_copies=True)
    assert (cursor.offset > 0) is is_skipped
