"""Which turns state something lasting: judged once, named without their text, the user's own in
every project.
"""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tests.support.talk import build_block, build_key

from gieok.memory.talk import lasting_turns
from gieok.model.memory import Entry, Scope
from gieok.places.home import lasting_file
from gieok.places.scope import USER_SCOPE
from gieok.ranking.learned import heads
from gieok.testing.memory_store import MemoryStore
from gieok.text.handles import line_check

_SHOP, _USER = Scope("project:shop-1"), Scope(USER_SCOPE)
_AT = datetime(2026, 11, 20, 10, tzinfo=UTC)


def _turns(scope: Scope, session: str, *lines: str, at: datetime = _AT) -> Entry:
    return build_block(scope, build_key(session), *lines, at=at)


def _rows(home: Path, scope: Scope) -> list[list[object]]:
    return json.loads(Path(lasting_file(str(home), str(scope))).read_text())


def test_only_what_users_say_is_listed_statements_before_questions(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put(
        [
            _turns(
                _SHOP,
                "s",
                "User: what is the port?",
                "Assistant: It is 8080.",
                "User: the port is 8080 now",
            )
        ]
    )
    lasting_turns.update_lasting_lines(store, tmp_path, _AT)
    assert [(key, line) for _, _, _, key, line, *_ in _rows(tmp_path, _SHOP)] == [
        ("sessions/codex/s#1", 3),
        ("sessions/codex/s#1", 1),
    ]


def test_how_likely_a_line_states_something_does_not_fall_with_its_length(tmp_path: Path) -> None:
    store = MemoryStore()
    question = "Assistant: Which of the many ports that are free here should the server take?"
    lines = (question, "User: 9090", "Assistant: OK.", "User: the port is 9090 now, right?")
    longer = (question * 3, *lines[1:3], "User: the port of the server is 9090 " * 4)
    asked = (*lines[:3], "User: which port was it?")
    for name, some in (("s", lines), ("t", longer), ("u", asked)):
        store.put([_turns(_SHOP, name, *some)])
    found = {
        (line.key[-3], line.line): line
        for line in lasting_turns.iter_judged_lines(store, _SHOP, tmp_path)
    }
    assert found["s", 2].likely == found["t", 2].likely == 0.6
    assert found["s", 2].value > found["t", 2].value
    assert found["s", 4].likely == found["t", 4].likely > found["u", 4].likely


def test_short_statements_are_worth_more_of_the_room_than_long_ones() -> None:
    assert lasting_turns.valued("the port is 8080", 0.9) > lasting_turns.valued(
        "the port is 8080 " * 20, 0.9
    )
    assert lasting_turns.valued("포트는 몇 번이지?", 0.9) < lasting_turns.valued(
        "포트는 8080이야", 0.9
    )


def test_what_is_about_the_user_is_listed_for_every_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    said = "User: I am left-handed"
    hers = "User: Oda is left-handed, remind me of it"
    store.put([_turns(_SHOP, "s", said, "User: the build runs on Jenkins", hers)])
    store.use_model("m", 2)
    store.put_vectors("m", {passage: b"\0" * 8 for passage, _ in store.missing(10)})
    monkeypatch.setattr(lasting_turns, "judge_turn_worth", lambda text, vector, model: 0.9)
    monkeypatch.setattr(
        lasting_turns, "about_user", lambda text, vector, model: float("left-handed" in text)
    )
    lasting_turns.update_lasting_lines(store, tmp_path, _AT)
    assert [row[2:5] for row in _rows(tmp_path, _USER)] == [[str(_SHOP), "sessions/codex/s#1", 1]]


def test_only_changed_documents_are_judged_again_and_those_that_are_gone_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = MemoryStore()
    store.put(
        [_turns(_SHOP, "a", "User: the port is 8080"), _turns(_SHOP, "b", "User: the port is 9090")]
    )
    lasting_turns.update_lasting_lines(store, tmp_path, _AT)
    judged: list[str] = []
    monkeypatch.setattr(lasting_turns, "valued", lambda text, likely: judged.append(text) or 1.0)
    store.forget(_SHOP, ["sessions/codex/a#1"])
    store.put([_turns(_SHOP, "c", "User: the port is 7070")])
    lasting_turns.update_lasting_lines(store, tmp_path, _AT)
    assert judged == ["the port is 7070"]
    assert {row[3] for row in _rows(tmp_path, _SHOP)} == {
        "sessions/codex/b#1",
        "sessions/codex/c#1",
    }


def test_a_row_has_the_sum_of_its_line(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([_turns(_SHOP, "s", "User: the port is 8080")])
    lasting_turns.update_lasting_lines(store, tmp_path, _AT)
    assert _rows(tmp_path, _SHOP)[0][5] == line_check("User: the port is 8080")


def test_files_are_private_and_hold_no_text(tmp_path: Path) -> None:
    store = MemoryStore()
    store.put([_turns(_SHOP, "s", "User: the code of the door is on the yellow note")])
    lasting_turns.update_lasting_lines(store, tmp_path, _AT)
    files = list((tmp_path / "lasting").iterdir())
    assert files
    assert all(file.stat().st_mode & 0o077 == 0 for file in files)
    assert "yellow" not in "".join(file.read_text() for file in files)


def test_the_heads_know_their_model() -> None:
    assert heads.judge_turn_worth("x", b"", "another model") == 0.0
