"""A chat log of SillyTavern becomes messages with their times, once, and memory as if it had been
said here.
"""

import json
from collections.abc import Iterable
from datetime import UTC, datetime
from zoneinfo import ZoneInfo

import pytest
from character_talk import BOND, CharacterTalk

from gieok.character.cards.chat_log import (
    LogFault,
    LogLine,
    LogTaken,
    import_chat_log,
    own_name,
    parse_log_time,
    read_chat_log,
    speakers,
)
from gieok.errors import BadRequest
from gieok.model.conversation import Role

_SEOUL = ZoneInfo("Asia/Seoul")
_BEGIN = datetime(2024, 7, 1, tzinfo=UTC)
_OLD_HEADER = {
    "user_name": "Kim",
    "character_name": "Mina",
    "create_date": "2024-7-12@01h31m03s",
    "chat_metadata": {},
}
_NEW_HEADER = {
    "chat_metadata": {"integrity": "1-2"},
    "user_name": "unused",
    "character_name": "unused",
}


def _row(name: str, text: object, sent: object = None, **more: object) -> dict[str, object]:
    return {
        "name": name,
        "is_user": name == "Kim",
        "is_system": False,
        "mes": text,
        "send_date": sent,
        "extra": {},
    } | more


def _lines(*rows: object) -> list[bytes]:
    return [row if isinstance(row, bytes) else json.dumps(row).encode() + b"\n" for row in rows]


def _read(*rows: object) -> list[LogLine | LogFault]:
    return list(read_chat_log(_lines(*rows), _SEOUL, _BEGIN))


def _take(
    talk: CharacterTalk, lines: Iterable[bytes], own: str = "", *, with_hidden: bool = False
) -> LogTaken:
    return import_chat_log(
        talk.characters, BOND, read_chat_log(lines, _SEOUL, _BEGIN), own, with_hidden=with_hidden
    )


def _said(talk: CharacterTalk) -> list[tuple[Role, str]]:
    read = talk.characters.journal.read(BOND.scope, 0, budget_tokens=1 << 40)
    return [(one.message.role, one.message.text) for one in read]


@pytest.mark.parametrize(
    "sent",
    [
        "2024-07-11T16:31:00.000Z",
        "2024-07-12T01:31:00+09:00",
        "2024-07-12 01:31:00",
        1720715460000,
        "1720715460000",
        1720715460,
        "2024-07-12@01h31m00s",
        "2024-7-12@1h31m",
        "2024-7-12 @01h 31m 00s 000ms",
        "July 12, 2024 1:31am",
        "Jul 12, 2024 1:31 AM",
    ],
)
def test_a_time_is_read_in_every_form(sent: object) -> None:
    assert parse_log_time(sent, _SEOUL) == datetime(2024, 7, 11, 16, 31, tzinfo=UTC)


@pytest.mark.parametrize(
    "sent",
    [
        None,
        "",
        "yesterday",
        "2024-13-40@99h99m",
        True,
        [],
        -1e30,
        "99999999999999",
        "Foo 12, 2024 1:31am",
    ],
)
def test_a_time_that_is_none_follows_the_one_before(sent: object) -> None:
    first, second = _read(_row("Mina", "hi", "July 12, 2024 1:31am"), _row("Kim", "hello", sent))
    assert isinstance(first, LogLine)
    assert isinstance(second, LogLine)
    assert second.at >= first.at or sent is True


@pytest.mark.parametrize("header", [_OLD_HEADER, _NEW_HEADER, None])
def test_a_log_is_read_under_either_header_and_without_one(header: object) -> None:
    rows = [_row("Mina", "Welcome"), _row("Kim", "hi")]
    found = _read(*([header] if header else []), *rows)
    assert [(one.name, one.text) for one in found if isinstance(one, LogLine)] == [
        ("Mina", "Welcome"),
        ("Kim", "hi"),
    ]


def test_memory_is_formed_as_if_it_had_been_said_here_at_its_time(talk: CharacterTalk) -> None:
    rows = [
        _row("Kim", "저는 망원동에 살아요", "2024-07-12@01h31m03s"),
        _row("Mina", "그렇군요", "2024-07-12@01h31m20s", swipes=["응", "그렇군요"], swipe_id=1),
        _row("Kim", "나 이사했어 혜화동으로 어제 짐 다 옮겼어", "2024-09-12@01h31m03s"),
    ]
    taken = _take(talk, _lines(_NEW_HEADER, *rows))
    assert (taken.added, taken.first, taken.last) == (
        3,
        parse_log_time("2024-07-11T16:31:03Z", UTC),
        parse_log_time("2024-09-11T16:31:03Z", UTC),
    )
    now, past = sorted(talk.characters.memories(BOND).facts, key=lambda fact: not fact.is_current)
    assert ("혜화동" in now.object, "망원동" in past.object, past.until) == (True, True, taken.last)


def test_a_log_is_taken_in_once_and_what_it_grew_by_after_that(talk: CharacterTalk) -> None:
    rows = [_row(("Kim", "Mina")[n % 2], f"line {n}", "June 2, 2024 10:04am") for n in range(90)]
    assert _take(talk, _lines(_OLD_HEADER, *rows[:80])).added == 80
    again = _take(talk, _lines(_NEW_HEADER, *rows))
    assert (again.known, again.added) == (80, 10)
    assert [text for _, text in _said(talk)] == [f"line {n}" for n in range(90)]


def test_a_line_that_was_edited_replaces_the_message_and_what_followed_from_it(
    talk: CharacterTalk,
) -> None:
    rows = [
        _row("Kim", "나 새우 알레르기 있어", "June 2, 2024 10:04am"),
        _row("Mina", "조심할게", "June 2, 2024 10:05am"),
    ]
    _take(talk, _lines(*rows))
    edited = _take(
        talk, _lines(_row("Kim", "나 땅콩 알레르기 있어", "June 2, 2024 10:04am"), rows[1])
    )
    assert (edited.changed, edited.known) == (1, 1)
    assert ["땅콩" in fact.object for fact in talk.characters.memories(BOND).facts] == [True]


def test_the_swipe_that_was_chosen_and_what_chub_nests_are_what_was_said(
    talk: CharacterTalk,
) -> None:
    _take(
        talk,
        _lines(
            _row("Mina", "", "June 2, 2024 10:04am", swipes=["a", "b"], swipe_id=1),
            _row("Mina", {"message": "nested"}, "June 2, 2024 10:05am"),
            _row("Mina", None, "June 2, 2024 10:06am", swipes=[{"message": "deep"}], swipe_id=0),
        ),
    )
    assert [text for _, text in _said(talk)] == ["b", "nested", "deep"]


def test_what_is_hidden_from_the_model_is_left_out_unless_asked_for(talk: CharacterTalk) -> None:
    lines = _lines(_row("Kim", "seen"), _row("Kim", "hidden", is_system=True))
    assert (_take(talk, lines).hidden, _said(talk)) == (1, [(Role.USER, "seen")])
    assert _take(talk, lines, with_hidden=True).added == 1


def test_in_a_group_the_others_are_told_by_name(talk: CharacterTalk) -> None:
    lines = _lines(_NEW_HEADER, _row("Mina", "hello"), _row("Bram", "ahoy"), _row("Kim", "hi"))
    names = speakers(read_chat_log(lines, _SEOUL, _BEGIN))
    with pytest.raises(BadRequest, match="several speak in this log: Mina, Bram"):
        own_name(names, ["Someone"])
    _take(talk, lines, own_name(names, ["someone", "mina"]))
    assert _said(talk) == [
        (Role.ASSISTANT, "hello"),
        (Role.ASSISTANT, "Bram: ahoy"),
        (Role.USER, "hi"),
    ]


def test_a_lone_speaker_is_the_character_whatever_their_name() -> None:
    assert own_name({"미나": 3}, ["Mina"]) == "미나"
    assert own_name({}, ["Mina"]) == ""


def test_bad_lines_are_told_and_the_rest_goes_on(talk: CharacterTalk) -> None:
    lines = _lines(
        _NEW_HEADER,
        b"{broken\n",
        b"[]\n",
        b"\n",
        b'{"mes": "\xff"}\n',
        _row("Kim", 5),
        _row("Kim", "x" * 200_001),
        b'{"mes": ' + b"[" * 3_000 + b"}\n",
        _row("Kim", "good \ud83d half"),
    )
    taken = _take(talk, lines)
    assert [one.line for one in taken.faults] == [2, 3, 5, 6, 7, 8]
    assert (taken.refused, taken.added) == (6, 1)
    assert _said(talk) == [(Role.USER, "good \ufffd half")]


@pytest.mark.parametrize("lines", [[], [b"hello\n"], [b"{}\n"], [b"\0" * 100]])
def test_what_is_no_log_is_refused(lines: list[bytes]) -> None:
    with pytest.raises(BadRequest, match="no chat log"):
        speakers(read_chat_log(lines, _SEOUL, _BEGIN))


def test_a_log_that_is_older_than_what_was_said_here_changes_nothing_that_holds(
    talk: CharacterTalk,
) -> None:
    talk.say("나 이사했어 혜화동으로 어제 짐 다 옮겼어")
    _take(talk, _lines(_row("Kim", "저는 망원동에 살아요", "2024-07-12@01h31m03s")))
    assert [(fact.object, fact.is_current) for fact in talk.characters.memories(BOND).facts] == [
        ("망원동", False),
        ("혜화동", True),
    ]
