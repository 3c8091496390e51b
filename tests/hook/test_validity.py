"""Which claims a prompt is told of as ended, and what stands before them."""

import json
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gieok.hook.inject import InjectedMemory
from gieok.hook.matches import Match
from gieok.hook.validity import EndedClaim, Standing, newest_first, say_later
from gieok.places.home import later_file, replaced_file
from gieok.ranking.claim_rows import TextPlace
from gieok.text.handles import build_handle, line_check

_SCOPE, _NOW = "agent:main", 1_795_000_000.0
_OLD, _NEW = "sessions/codex/a#1", "sessions/codex/b#2"
_SAID, _SAYS = "The port is 8080.", "The port is 9090."
_NOON = 1_794_787_200.0 + 12 * 3600  # 16 November


@pytest.fixture(autouse=True)
def in_greenwich(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Days are those of the user."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


class _Lines:
    def __init__(self, **lines: str) -> None:
        self.lines = lines

    def line(self, scope: str, key: str, number: int) -> str:
        return self.lines.get(key.rpartition("/")[2][0] + str(number), "")


def _row(
    *,
    key: str = _OLD,
    line: int = 1,
    start: int = 6,
    words: str = _SAID,
    by_key: str = _NEW,
    by_line: int = 3,
    at: float = _NOON,
) -> list[object]:
    by_check = line_check(_SAYS) if by_key else 0
    return [
        key,
        line,
        start,
        len(words),
        line_check(words),
        _SCOPE,
        by_key,
        by_line,
        6,
        len(_SAYS),
        by_check,
        at,
    ]


def _write(home: Path, *rows: list[object]) -> Standing:
    file = Path(replaced_file(str(home), _SCOPE))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps(rows), encoding="utf-8")
    return Standing(str(home), _NOW)


@pytest.mark.parametrize(
    ("first_line", "text", "is_found"),
    [
        (1, f"User: {_SAID}", True),
        (2, f"User: {_SAID}", False),
        (0, f"\nUser: {_SAID}", True),
        (0, f"User: {_SAID}", False),
        (1, "User: The port is 8081.", False),
        (1, f"User:  {_SAID}", False),
    ],
)
def test_a_claim_has_ended_where_its_line_still_says_it(
    tmp_path: Path, first_line: int, text: str, is_found: bool
) -> None:
    assert bool(_write(tmp_path, _row()).claims(_SCOPE, _OLD, first_line, text)) is is_found
    assert not _write(tmp_path, _row()).claims("agent:other", _OLD, first_line, text)


@pytest.mark.parametrize(
    ("said", "says", "is_kin"),
    [
        (f"User: {_SAID}", f"User: {_SAYS}", True),
        (f"User: {_SAID} Soon.", f"Assistant: Which?\nUser: {_SAYS}", True),
        ("User: The choir meets on Mondays.", f"User: {_SAYS}", False),
        (f"User: {_SAID}", "User: The choir meets on Mondays.", False),
    ],
)
@pytest.mark.parametrize("file", [replaced_file, later_file])
def test_versions_of_a_statement_are_kin_while_both_lines_say_so(
    tmp_path: Path, file: Callable[[str, str], str], said: str, says: str, is_kin: bool
) -> None:
    rows = Path(file(str(tmp_path), _SCOPE))
    rows.parent.mkdir(parents=True, exist_ok=True)
    rows.write_text(json.dumps([_row()]), encoding="utf-8")
    places = {
        1: TextPlace(_SCOPE, _OLD, 1, said),
        2: TextPlace(_SCOPE, _NEW, 4 - len(says.split("\n")), says),
        3: TextPlace("agent:other", _NEW, 3, says),
    }
    kin = Standing(str(tmp_path), _NOW).find_kin(places)
    assert kin.get(1, frozenset()) == (frozenset([2]) if is_kin else frozenset())
    assert not Standing(str(tmp_path), _NOON - 1).find_kin(places)


def test_a_part_of_a_line_is_quoted_and_the_whole_is_not(tmp_path: Path) -> None:
    standing = _write(tmp_path, _row())
    (whole,) = standing.claims(_SCOPE, _OLD, 1, f"User: {_SAID}")
    assert whole.status == f"replaced on 2026-11-16, by {build_handle(_SCOPE, _NEW, 3)}"
    ended = standing.ended(_SCOPE, _OLD, 1, f"User: {_SAID}")
    assert ended is not None
    assert ended.status == whole.status
    more = f"User: {_SAID} The host is kite."
    (part,) = standing.claims(_SCOPE, _OLD, 1, more)
    assert part.status == (
        f'"{_SAID}" was replaced on 2026-11-16, by {build_handle(_SCOPE, _NEW, 3)}'
    )
    assert standing.ended(_SCOPE, _OLD, 1, more) is None


@pytest.mark.parametrize(("length", "shown"), [(80, "x" * 80), (81, "x" * 79 + "…")])
def test_a_long_quote_is_cut(length: int, shown: str) -> None:
    claim = EndedClaim(_SCOPE, _NEW, 1, 0, _NOON)
    claim.words, claim.is_whole = "x" * length, False
    assert claim.status.startswith(f'"{shown}" was replaced on 2026-11-16, by ')


def test_what_ended_by_itself_has_no_handle_and_held_on_its_last_day() -> None:
    midnight = 1_794_787_200.0
    by_itself = EndedClaim(_SCOPE, "", 0, 0, midnight + 1)
    assert (by_itself.name, by_itself.handle, by_itself.status) == (
        "ended",
        "",
        "ended on 2026-11-16",
    )
    assert EndedClaim(_SCOPE, "", 0, 0, midnight).day == "2026-11-15"
    assert EndedClaim(_SCOPE, _NEW, 1, 0, midnight).day == "2026-11-16"
    assert EndedClaim(_SCOPE, "memory/a.md", 7, 0, midnight).handle == build_handle(
        _SCOPE, "memory/a.md", 0
    )


@pytest.mark.parametrize(("later_s", "is_ended"), [(0.0, True), (1.0, False)])
def test_what_ends_later_holds(tmp_path: Path, later_s: float, is_ended: bool) -> None:
    standing = _write(tmp_path, _row(at=_NOW + later_s))
    assert bool(standing.claims(_SCOPE, _OLD, 1, f"User: {_SAID}")) is is_ended
    assert standing.won([], _SCOPE, _NEW, 3) is is_ended


def test_what_took_the_place_of_another_has_won_unless_it_holds_no_more_itself(
    tmp_path: Path,
) -> None:
    assert _write(tmp_path, _row()).won([], _SCOPE, _NEW, 3)
    assert not _write(tmp_path, _row()).won([], _SCOPE, _NEW, 2)
    assert not _write(tmp_path, _row()).won([], _SCOPE, _OLD, 1)
    assert not _write(tmp_path, _row(by_key="")).won([], _SCOPE, "", 3)
    chain = _write(
        tmp_path,
        _row(),
        _row(key=_NEW, line=3, words=_SAYS, by_key="sessions/codex/c#1", by_line=1),
    )
    assert not chain.won([], _SCOPE, _NEW, 3)
    assert chain.won(["agent:other"], _SCOPE, "sessions/codex/c#1", 1)
    assert [(key, line) for key, line, _ in chain.every(_SCOPE)] == [(_OLD, 1), (_NEW, 3)]


@pytest.mark.parametrize("content", ["", "{", "[[1, 2]]", '[["a", 1, 0, 4, 5]]'])
def test_a_file_of_another_form_says_nothing(tmp_path: Path, content: str) -> None:
    standing = _write(tmp_path)
    Path(replaced_file(str(tmp_path), _SCOPE)).write_text(content, encoding="utf-8")
    assert standing.every(_SCOPE) == []


@pytest.mark.parametrize(
    ("line", "holds"),
    [(f"User: {_SAYS}", True), ("User: The port is 9091.", False), (f"Kim: {_SAYS}", False)],
)
def test_what_still_says_is_known_by_its_words_in_their_place(line: str, holds: bool) -> None:
    claim = EndedClaim(_SCOPE, _NEW, 3, line_check(_SAYS), _NOON, 6, len(_SAYS))
    assert claim.still_says(line) is holds
    assert EndedClaim(_SCOPE, _NEW, 3, 0, _NOON).still_says(line)
    assert EndedClaim(_SCOPE, _NEW, 3, line_check(line), _NOON).still_says(line)


def _shown(key: str, line: int, text: str, score: float) -> tuple[Match, InjectedMemory]:
    memory = InjectedMemory(
        title="",
        citation=key,
        text=text,
        scope=_SCOPE,
        handle=build_handle(_SCOPE, key, line),
        score=score,
    )
    return Match(
        level="high",
        probability=score,
        key=key,
        entry=memory,
        text=f"User: {text}",
        first_line=line,
    ), memory


def _ordered(
    home: Path, lines: _Lines, *shown: tuple[Match, InjectedMemory]
) -> list[InjectedMemory]:
    return newest_first(
        [match for match, _ in shown],
        [memory for _, memory in shown],
        Standing(str(home), _NOW),
        lines,
    )


def test_the_new_value_stands_first_with_the_score_of_the_old_one(tmp_path: Path) -> None:
    _write(tmp_path, _row())
    old, new = _shown(_OLD, 1, _SAID, 0.8), _shown(_NEW, 3, _SAYS, 0.3)
    other = _shown("sessions/codex/d#1", 1, "The host is kite.", 0.5)
    made = _ordered(tmp_path, _Lines(), old, other, new)
    assert [memory.text for memory in made] == [_SAYS, _SAID, "The host is kite."]
    assert [memory.score for memory in made] == [0.8, 0.8, 0.5]
    assert made[1].status == f"replaced on 2026-11-16, by {made[0].handle}"
    assert made[0].status == "current"


def test_a_new_value_that_was_not_found_is_looked_up_while_it_says_so(tmp_path: Path) -> None:
    _write(tmp_path, _row())
    new, old = _ordered(tmp_path, _Lines(b3=f"User: {_SAYS}"), _shown(_OLD, 1, _SAID, 0.8))
    assert (new.text, new.who, new.status, new.score, new.day) == (
        _SAYS,
        "user",
        "current",
        0.8,
        "2026-11-16",
    )
    assert old.status.startswith("replaced")
    (alone,) = _ordered(tmp_path, _Lines(b3="User: The lamp is on."), _shown(_OLD, 1, _SAID, 0.8))
    assert alone.text == _SAID


def test_of_what_ended_in_part_the_rest_stands_behind_the_new_value_and_says_so(
    tmp_path: Path,
) -> None:
    _write(tmp_path, _row())
    lines = _Lines(b3=f"User: {_SAYS}")
    (memory,) = _ordered(tmp_path, lines, _shown(_OLD, 1, f"{_SAID} The host is kite.", 0.8))
    assert memory.status.startswith(f'"{_SAID}" was replaced on 2026-11-16'), "a note may hold more"
    match, turn = _shown(_OLD, 1, f"{_SAID} The host is kite.", 0.8)
    turn.who = "user"
    new, old = _ordered(tmp_path, lines, (match, turn))
    assert (new.text, new.status, old.status) == (_SAYS, "current", memory.status)


def _beside(home: Path) -> None:
    file = Path(later_file(str(home), _SCOPE))
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps([_row()]), encoding="utf-8")


def test_what_was_said_later_stands_first_and_neither_is_marked_as_over(tmp_path: Path) -> None:
    _beside(tmp_path)
    old, later = _shown(_OLD, 1, _SAID, 0.8), _shown(_NEW, 3, _SAYS, 0.3)
    other = _shown("sessions/codex/d#1", 1, "The host is kite.", 0.5)
    made = _ordered(tmp_path, _Lines(), old, other, later)
    assert [memory.text for memory in made] == [_SAYS, _SAID, "The host is kite."]
    assert [memory.score for memory in made] == [0.8, 0.8, 0.5]
    assert [memory.status for memory in made] == [
        "said later, perhaps on the same subject",
        f"said earlier; perhaps changed by what was said on 2026-11-16: {made[0].handle}",
        "",
    ]


def test_what_was_said_later_is_looked_up_while_both_lines_say_so(tmp_path: Path) -> None:
    _beside(tmp_path)
    later, old = _ordered(tmp_path, _Lines(b3=f"User: {_SAYS}"), _shown(_OLD, 1, _SAID, 0.8))
    assert (later.text, later.who, later.score, later.day) == (_SAYS, "user", 0.8, "2026-11-16")
    assert old.status.startswith("said earlier")
    (alone,) = _ordered(tmp_path, _Lines(b3="User: The lamp is on."), _shown(_OLD, 1, _SAID, 0.8))
    assert (alone.text, alone.status) == (_SAID, "")
    changed = _shown(_OLD, 1, "The port is 8081.", 0.8)
    assert len(_ordered(tmp_path, _Lines(b3=f"User: {_SAYS}"), changed)) == 1


def test_what_is_replaced_is_not_said_to_be_earlier(tmp_path: Path) -> None:
    _beside(tmp_path)
    _write(tmp_path, _row())
    new, old = _ordered(tmp_path, _Lines(b3=f"User: {_SAYS}"), _shown(_OLD, 1, _SAID, 0.8))
    assert (new.status, old.status.split()[0]) == ("current", "replaced")


@pytest.mark.parametrize(
    ("status", "said"),
    [
        ("", "said later, perhaps on the same subject"),
        ("unsure", "unsure; said later, perhaps on the same subject"),
        ("current", "current"),
        (
            "unsure; said later, perhaps on the same subject",
            "unsure; said later, perhaps on the same subject",
        ),
    ],
)
def test_a_later_statement_says_so_once(status: str, said: str) -> None:
    assert say_later(status) == said
