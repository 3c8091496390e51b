"""Says of a listed memory what became of it: replaced in part, or with something later beside it."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.support.talk import build_block, build_key

from gieok.commands import load_command
from gieok.commands.changes import list_changes
from gieok.commands.command import Style
from gieok.commands.memory.handles import require_memory
from gieok.commands.memory.listing import ListedMemory, render_memory_list
from gieok.commands.memory.origin import find_memory_origin
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory.talk.claims.claim import Claim, ClaimEnd
from gieok.memory.talk.claims.ended_file import write_claim_rows
from gieok.model.memory import REPLACED_BY, Document, Entry, Passage, Scope
from gieok.places.home import later_file, replaced_file
from gieok.text.handles import line_check

_HOME = Scope("agent:main")
_OLD, _NEW = "The kiln is fired on Mondays.", "The kiln is fired on Fridays now."
_DAY = datetime(2020, 1, 5, tzinfo=UTC)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / ".gieok"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_OBSERVE_AGENTS", "none")
    monkeypatch.chdir(tmp_path)
    return tmp_path / ".gieok"


def _observe(text: str, day: int = 0, **metadata: str) -> str:
    moment = _DAY + timedelta(days=day)
    document = Document(
        scope=_HOME,
        key=f"observe:{text}",
        kind="observation",
        text=text,
        content_hash=text,
        created_at=moment,
        updated_at=moment,
        valid_from=moment,
        metadata=metadata,
    )
    open_call({}).home.store.put([Entry(document, (Passage(0, len(text), 1, 1),))])
    return document.key


def _say(session: str, *lines: str, day: int) -> str:
    block = build_block(_HOME, build_key(session), *lines, at=_DAY + timedelta(days=day))
    open_call({}).home.store.put([block])
    return block.document.key


def _claim(key: str, words: str, line: int = 1, start: int = 0) -> Claim:
    return Claim(key=key, line=line, start=start, length=len(words), check=line_check(words), at=0)


def _list(call: Call) -> dict[str, ListedMemory]:
    return {row.text: row for row in load_command("list")(call).memories}


def _later(home: Path, old: Claim, new: Claim, *, is_sure: bool) -> None:
    file = replaced_file(str(home), str(_HOME)) if is_sure else later_file(str(home), str(_HOME))
    at = int((_DAY + timedelta(days=3)).timestamp())
    write_claim_rows(Path(file), [(ClaimEnd(old, new, at), str(_HOME))])


def test_a_listed_memory_names_the_sentence_of_it_that_was_replaced(home: Path) -> None:
    old, new = _observe(f"{_OLD} The shop is shut then."), _observe(_NEW, day=3)
    _later(home, _claim(old, _OLD), _claim(new, _NEW), is_sure=True)
    result = load_command("list")(open_call({}))
    (row,) = [row for row in result.memories if row.text.startswith(_OLD)]
    assert row.status == "stands"
    assert row.ended_parts is not None
    assert row.ended_parts.startswith(f'"{_OLD}" was replaced on 2020-01-08, by ')
    assert row.ended_parts in render_memory_list(result, Style("en", colour=False))


def test_a_record_of_one_replaced_sentence_is_replaced_whatever_its_front_matter_says(
    home: Path,
) -> None:
    head = f"---\ntitle: {_OLD}\ncategory: decision\n---\n"
    old, new = _observe(f"{head}{_OLD}\n"), _observe(_NEW, day=3)
    _later(home, _claim(old, _OLD, line=5), _claim(new, _NEW), is_sure=True)
    statuses = {row.path: row.status for row in load_command("list")(open_call({})).memories}
    assert statuses[old] == "replaced"
    assert statuses[new] == "current"


def test_a_listed_memory_names_what_was_said_later_beside_it(home: Path) -> None:
    old, new = _observe(_OLD), _observe(_NEW, day=3)
    _later(home, _claim(old, _OLD), _claim(new, _NEW), is_sure=False)
    result = load_command("list")(open_call({}))
    rows = {row.text: row for row in result.memories}
    assert rows[_OLD].said_later == rows[_NEW].handle
    assert rows[_NEW].said_later is None
    shown = render_memory_list(result, Style("en", colour=False))
    assert f"perhaps changed by what was said on 2020-01-08: {rows[_NEW].handle}" in shown


def test_a_block_of_one_turn_is_listed_with_the_fate_of_the_turn(home: Path) -> None:
    one = _say("one", "", "", f"User: {_OLD}", day=0)
    two = _say("two", f"User: {_OLD}", "User: and rake the yard", day=1)
    new = _observe(_NEW, day=3)
    file = Path(replaced_file(str(home), str(_HOME)))
    at = int((_DAY + timedelta(days=3)).timestamp())
    by = _claim(new, _NEW)
    rows = [ClaimEnd(_claim(one, _OLD, 3, 6), by, at), ClaimEnd(_claim(two, _OLD, 1, 6), by, at)]
    write_claim_rows(file, [(row, str(_HOME)) for row in rows])
    statuses = {
        row.path: row.status
        for row in load_command("list")(open_call({})).memories
        if row.kind == "turn"
    }
    assert statuses == {one: "replaced", two: "stands"}, "a block of two is named by neither"


def test_a_conversation_is_listed_by_the_first_words_of_the_user_that_say_something() -> None:
    _say("one", "User: thanks!", "Assistant: Let me look.", f"User: {_OLD}", day=0)
    _say("two", "User: ok", "Assistant: Done.", day=1)
    rows = [row.text for row in load_command("list")(open_call({})).memories]
    assert rows == ["User: ok", f"User: {_OLD}"], "where nothing is said, its first line stands"


def test_what_replaced_a_memory_is_quoted_by_its_line_and_not_with_all_that_was_said(
    home: Path,
) -> None:
    new = _say("two", "User: rake the yard", f"User: {_NEW}", day=3)
    old = _observe(_OLD, **{REPLACED_BY: new})
    _later(home, _claim(old, _OLD), _claim(new, _NEW, 2, 6), is_sure=True)
    call = open_call({})
    memory = require_memory(call, _list(call)[_OLD].handle)
    (by,) = find_memory_origin(call, memory).replaced_by
    assert by.text == f"User: {_NEW}"


def test_a_change_is_told_once_where_an_observation_adds_days_to_the_words(home: Path) -> None:
    turn, new = _say("one", f"User: {_OLD}", day=0), _observe(_NEW, day=3)
    observed = _observe(f"{_OLD} (2020-01-06 to 2020-01-09)")
    at = int((_DAY + timedelta(days=3)).timestamp())
    rows = [
        ClaimEnd(_claim(turn, _OLD, 1, 6), _claim(new, _NEW), at),
        ClaimEnd(_claim(observed, _OLD), _claim(new, _NEW), at),
    ]
    write_claim_rows(
        Path(replaced_file(str(home), str(_HOME))), [(row, str(_HOME)) for row in rows]
    )
    changes = list_changes(open_call({}), [_HOME], _DAY, _DAY + timedelta(days=9), 10)
    assert [change.after for change in changes] == [_NEW]
