"""Before a file is edited memory says what names it, or a symbol in it."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from gieok.commands import load_command
from gieok.commands.observe.run import observe_transcripts
from gieok.flow import action_notes
from gieok.home.calls import open_call
from gieok.memory.action import named
from gieok.places.home import action_file
from gieok.settings.file import FileSettings
from gieok.surfaces.hook import gate
from gieok.text.handles import build_handle
from gieok.text.tokens import estimate_tokens
from gieok.text.turns import USER

_CART = "src/cart.py rounds half up, because the bank does."


def _say(place, session: str, *lines: str, day: str = "2026-11-20") -> Path:
    """Let the user say something in a session of Claude Code, and take it in."""
    chats = place.user / ".claude" / "projects" / "-shop"
    chats.mkdir(parents=True, exist_ok=True)
    file = chats / f"{session}.jsonl"
    rows = [
        {
            "type": "user",
            "uuid": f"{session}-{number}",
            "sessionId": session,
            "cwd": str(place.project),
            "timestamp": f"{day}T10:00:{number:02}Z",
            "message": {"role": "user", "content": line},
        }
        for number, line in enumerate(lines)
    ]
    file.write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n")
    _run(lambda call: observe_transcripts(call, once=True))
    return file


def _run(step: Callable):
    call = open_call({})
    try:
        return step(call)
    finally:
        call.home.store.close()


def _call(command: str, **given: object):
    return _run(lambda call: load_command(command)(call, **given))


def _settle() -> None:
    _run(lambda call: call.home.settle_statements())


def _payload(place, tool: str, session: str = "s", **given: object) -> dict[str, object]:
    return {
        "session_id": session,
        "cwd": str(place.project),
        "hook_event_name": "PreToolUse",
        "tool_name": tool,
        "tool_input": given,
        "tool_use_id": "toolu_1",
    }


def _edit(place, file: str, session: str = "s", old: str = "a") -> dict[str, object]:
    path = str(place.project / file)
    return _payload(place, "Edit", session, file_path=path, old_string=old, new_string="b")


def _ask(place, file: str, **given: str) -> str:
    return place.hook("pre-tool", _edit(place, file, **given)).context


def _list_files(place) -> list[Path]:
    folder = place.home / "action"
    return [file for file in sorted(folder.rglob("*")) if file.is_file()]


def _read_files(place) -> str:
    return "".join(file.read_text() for file in _list_files(place))


@pytest.fixture(autouse=True)
def _says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Switch the notes on: by default nothing is said."""
    monkeypatch.setenv("GIEOK_HOOK_ACTION", "on")


def test_what_was_kept_of_a_file_is_said_before_it_is_edited(place) -> None:
    place.remember(_CART, category="decision")
    said = _ask(place, "src/cart.py")
    assert "rounds half up" in said
    assert "what names src/cart.py" in said
    assert not _ask(place, "src/card.py")
    file = str(place.project / "src" / "cart.py")
    assert not place.hook("pre-tool", _payload(place, "Read", file_path=file)).out


def test_it_decides_nothing(place) -> None:
    place.remember(_CART, category="decision")
    answer = json.loads(place.hook("pre-tool", _edit(place, "src/cart.py")).out)
    assert set(answer["hookSpecificOutput"]) == {"hookEventName", "additionalContext"}


def test_a_symbol_is_known_in_the_file_and_as_the_file(place) -> None:
    place.remember("CartTotal never holds floats, only cents.", category="decision")
    assert "what names CartTotal" in _ask(place, "src/cart_total.py", session="s1")
    assert _ask(place, "src/other.py", session="s2", old="return CartTotal(1)")
    assert not _ask(place, "src/other.py", session="s3", old="return CartTotals(1)")
    path = str(place.project / "src" / "other.py")
    for session, old, said in (("s4", "CartTotal(1)", True), ("s5", "CartTotals(1)", False)):
        edits = [{"old_string": "x", "new_string": "y"}, {"old_string": old}, 3]
        payload = _payload(place, "MultiEdit", session, file_path=path, edits=edits)
        assert bool(place.hook("pre-tool", payload).out) is said


@pytest.mark.parametrize(
    ("statement", "file"),
    [
        ("Never drop rows of the user table.", "web/table.tsx"),
        ("config.yaml is read at start; the server needs it.", "src/start.py"),
        ("All of web/ goes through the Order team.", "src/order.py"),
        ("The upstream client must not retry.", "upstream/client.go"),
        ("We always talk to Session people first.", "src/session.py"),
    ],
)
def test_a_word_that_is_a_file_s_name_too_says_nothing(place, statement: str, file: str) -> None:
    place.remember(statement, category="decision")
    assert not _ask(place, file)


def test_a_command_is_told_nothing_and_no_file_holds_it(place) -> None:
    place.remember("Run the tests with `uv run pytest -n auto`, nothing else.", category="decision")
    assert not [file for file in _list_files(place) if file.suffix == ".json"]
    place.remember(_CART, category="decision")
    for command in ("pytest tests/test_cart.py", "rm src/cart.py", "sed -i s/a/b/ src/cart.py"):
        assert not place.hook("pre-tool", _payload(place, "Bash", command=command)).out


@pytest.mark.parametrize(
    ("said", "asks"),
    [
        ("Can you look at src/cart.py and tell me what it does?", True),
        ("fix the typo in README.md", True),
        ("Why does src/cart.py round? Run the tests in tests/test_cart.py.", True),
        ("src/cart.py 좀 봐줄래?", True),
        ("src/cart.py rounds half up, because the bank does.", False),
        ("Why does it round? src/cart.py must round half up.", False),
        ("Leave src/cart.py alone, the bank reads it.", False),
    ],
)
def test_a_line_that_only_asks_states_nothing(said: str, asks: bool) -> None:
    assert named._only_asks(f"{USER}: {said}") is asks


@pytest.mark.parametrize("text", ["rounds half up, says the bank, ", "반올림은 은행을 따라 한다 "])
def test_a_note_has_its_budget_also_with_one_line(place, text: str) -> None:
    place.remember(f"src/cart.py {text * 30}", category="decision")
    said = _ask(place, "src/cart.py")
    assert "src/cart.py" in said
    assert estimate_tokens(said) <= 150
    assert place.calls()[-1]["tokens"] <= 150


def test_nothing_is_said_twice_in_a_session(place) -> None:
    place.remember(_CART, category="decision")
    assert _ask(place, "src/cart.py", session="5e550001")
    assert not _ask(place, "src/cart.py", session="5e550001")
    assert _ask(place, "src/cart.py", session="5e550002")


def test_what_was_taken_back_is_not_said(place) -> None:
    _say(place, "s1", "src/cart.py must always round half up, because the bank does so.")
    assert _ask(place, "src/cart.py", session="a1")
    _say(place, "s2", "forget that rule about src/cart.py, it no longer holds", day="2026-11-21")
    assert not _ask(place, "src/cart.py", session="a2")


def test_what_changed_is_not_said_as_it_was(place) -> None:
    record = place.remember(_CART, category="decision")
    _run(lambda call: call.home.store.forget(*_find_document(call, "cart")))
    assert not _ask(place, "src/cart.py")
    assert record.exists()


def _find_document(call, word: str):
    for scope in call.home.store.scopes():
        keys = [key for key in call.home.store.hashes(scope) if word in key]
        if keys:
            return scope, keys
    raise AssertionError(word)


def test_off_nothing_is_written_whatever_is_done(place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GIEOK_HOOK_ACTION")
    place.remember(_CART, category="decision")
    _say(place, "s1", "src/cart.py must always round half up, because the bank does so.")
    _settle()
    scope, keys = _run(lambda call: _find_document(call, "cart"))
    handle = build_handle(str(scope), keys[0], 0)
    _call("edit", handle=handle, text=f"{_CART} Always.")
    _call("retire", memories=[handle])
    assert not (place.home / "action").exists()
    assert not _ask(place, "src/cart.py")


def test_what_there_is_goes_at_once_when_it_is_switched_off(
    place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GIEOK_HOOK_ACTION")
    place.remember(_CART, category="decision")
    _call("config set", name="hook.action", value="on")
    assert _ask(place, "src/cart.py", session="s1")
    _call("config set", name="hook.action", value="off")
    assert not _list_files(place)
    assert not _ask(place, "src/cart.py", session="s2")


def test_off_the_hook_loads_no_more_than_without_files(place, monkeypatch, capfd) -> None:
    place.remember(_CART, category="decision")
    monkeypatch.setenv("GIEOK_HOOK_ACTION", "off")
    monkeypatch.setattr(gate, "read_hook_payload", lambda: _edit(place, "src/cart.py"))
    monkeypatch.setattr(action_notes, "load_named_lines", None)
    for name in ("gieok.hook.action", "gieok.surfaces.hook.action"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    assert gate.run_gate([], lambda _home, _file: FileSettings({})) == 0
    assert not capfd.readouterr().out
    assert "gieok.hook.action" not in sys.modules
    assert not place.log()


def test_a_folder_that_is_gone_makes_no_noise(place, monkeypatch, capfd) -> None:
    place.remember(_CART, category="decision")
    payload = _edit(place, "src/cart.py")
    del payload["cwd"]
    gone = place.user / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    monkeypatch.setattr(gate, "read_hook_payload", lambda: payload)
    for setting in ("off", "on"):
        monkeypatch.setenv("GIEOK_HOOK_ACTION", setting)
        assert gate.run_gate([], lambda _home, _file: FileSettings({})) == 0
    for file in _list_files(place):
        file.unlink()
    assert gate.run_gate([], lambda _home, _file: FileSettings({})) == 0
    assert not capfd.readouterr().out
    assert not place.log()


def test_a_pause_and_an_excluded_folder_withhold_it(place) -> None:
    place.remember(_CART, category="decision")
    payload = _edit(place, "src/cart.py")
    assert not place.hook("pre-tool", payload, GIEOK_EXCLUDE_FOLDERS=str(place.project)).out
    assert not place.hook("pre-tool", payload, GIEOK_PRIVATE="1").out
    _call("pause")
    assert not _ask(place, "src/cart.py")


def test_a_folder_that_is_only_asked_is_not_told_from(place) -> None:
    record = place.remember(_CART, category="decision")
    payload = _edit(place, "src/cart.py")
    assert not place.hook("pre-tool", payload, GIEOK_HOOK_ASKED_ONLY=str(record.parent)).out
    assert place.hook("pre-tool", payload).context


def test_a_memory_that_is_not_wanted_for_a_file_stays_away(place) -> None:
    place.remember(_CART, category="decision")
    said = _ask(place, "src/cart.py")
    handle = said.rpartition(", ")[2].partition(")")[0]
    _call("hook refuse", handle=handle, prompt=str(place.project / "src" / "cart.py"))
    assert not _ask(place, "src/cart.py", session="s2")


@pytest.mark.parametrize("sessions", ["true", "false"])
def test_what_is_forgotten_is_in_no_file(place, monkeypatch, sessions: str) -> None:
    chats = _say(place, "s1", "src/cart.py must always round half up, because the bank does so.")
    place.remember("src/basket.py rounds down, always and everywhere.", category="decision")
    assert "cart.py" in _read_files(place)
    monkeypatch.setenv("GIEOK_INDEX_SESSIONS", sessions)
    done = _call("forget", source=str(chats), yes=True).done
    assert [place_of for place_of, _ in done.still_in] == [str(chats)]
    assert "cart.py" not in _read_files(place)
    assert "basket.py" in _read_files(place)
    _call("forget", match="basket", yes=True)
    assert "basket.py" not in _read_files(place)


def test_a_file_that_cannot_be_written_is_removed_and_forgetting_goes_on(
    place, monkeypatch: pytest.MonkeyPatch
) -> None:
    chats = _say(place, "s1", "src/cart.py must always round half up, because the bank does so.")
    place.remember("src/basket.py rounds down, always and everywhere.", category="decision")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(named, "write_action_file", fail)
    done = _call("forget", source=str(chats), yes=True).done
    assert not [reason for reason in done.still_in if "action" in str(reason)]
    assert not _list_files(place)


def test_a_rule_is_said_alone(place) -> None:
    _say(place, "s1", "never edit src/cart.py, the bank owns it")
    place.remember(_CART, category="decision")
    answer = json.loads(place.hook("pre-tool", _edit(place, "src/cart.py")).out)
    assert answer["hookSpecificOutput"]["permissionDecision"] == "ask"
    assert "additionalContext" not in answer["hookSpecificOutput"]


@pytest.mark.parametrize(
    ("agent", "given"),
    [
        ("opencode", {"filePath": "src/cart.py", "oldString": "a", "newString": "b"}),
        ("kilo", {"filePath": "src/cart.py", "oldString": "a", "newString": "b"}),
        ("pi", {"path": "src/cart.py", "edits": [{"oldText": "a", "newText": "b"}]}),
    ],
)
def test_a_plugin_is_given_the_note_for_the_tool_s_result(place, agent: str, given: dict) -> None:
    place.remember(_CART, category="decision")
    answer = json.loads(
        place.hook("pre-tool", _payload(place, "edit", **given), "--agent", agent).out
    )
    assert answer.keys() == {"additional_context"}
    assert "rounds half up" in answer["additional_context"]


def test_what_an_edit_of_pi_replaces_tells_its_symbol(place) -> None:
    place.remember("`round_half` is what the bank asked for.", category="decision")
    (place.project / "src").mkdir(exist_ok=True)
    edits = [{"oldText": "def round_half(x):", "newText": "def round_up(x):"}]
    payload = _payload(place, "edit", path="src/money.py", edits=edits)
    assert "the bank asked" in place.hook("pre-tool", payload, "--agent", "pi").context


def test_an_agent_whose_hook_takes_no_note_gets_none(place) -> None:
    place.remember(_CART, category="decision")
    assert not place.hook("pre-tool", _edit(place, "src/cart.py"), "--agent", "codex").out


def test_why_and_stats_tell_of_it(place) -> None:
    place.remember(_CART, category="decision")
    assert _ask(place, "src/cart.py", session="5e550001")
    last = _call("why", last=True)
    assert (last.event, last.by) == ("pre-tool", "action")
    assert "rounds half up" in last.text
    assert (place.calls()[-1]["event"], place.calls()[-1]["noted"]) == ("pre-tool", True)
    assert _call("hook stats").stats.actions == 1


@pytest.mark.parametrize("text", ["", "{", "[]", '[1, [{"key": 3}]]', "[99, []]"])
def test_a_damaged_file_says_nothing(place, text: str) -> None:
    place.remember(_CART, category="decision")
    for file in _list_files(place):
        file.write_text(text)
    assert not _ask(place, "src/cart.py", session="s1")
    assert not place.log()
    _settle()
    assert _ask(place, "src/cart.py", session="s2")


def test_what_is_not_gieok_s_stays_in_the_folder(place) -> None:
    place.remember(_CART, category="decision")
    folder = place.home / "action"
    (folder / "sub.json").mkdir()
    (folder / "notes.txt").write_text("mine")
    stale = folder / "0123456789abcdef.json"
    stale.write_text("[]")
    _settle()
    assert not stale.exists()
    action_notes.drop_action_files(str(place.home))
    assert {file.name for file in folder.iterdir()} == {"sub.json", "notes.txt"}


def test_dropping_waits_for_whoever_writes(place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.remember(_CART, category="decision")
    locked: list[str] = []

    class _Lock:
        def __init__(self, _home: str, path: str) -> None:
            self._path = path

        def __enter__(self) -> None:
            locked.append(str(Path(self._path).with_suffix("")))

        def __exit__(self, *_: object) -> None:
            pass

    files = _list_files(place)
    monkeypatch.setattr("gieok.fs.lock_resource", _Lock)
    action_notes.drop_action_files(str(place.home))
    assert {str(file.with_suffix("")) for file in files} == {*locked}


def test_a_lone_surrogate_is_written_and_read(place) -> None:
    scope, file = "project:x-00000000", action_file(str(place.home), "project:x-00000000")
    lines = action_notes.NamedLines(
        key="k\udc80",
        first=1,
        last=1,
        check=0,
        at=0.0,
        paths=["a\ud800.py"],
        symbols={},
    )
    action_notes.write_action_file(file, [action_notes.VERSION, [lines.build_row()]])
    (read,) = action_notes.load_named_lines(str(place.home), scope)
    assert (read.key, read.paths) == (lines.key, lines.paths)


class _CountedWords(list):
    """Words that count how often they are read."""

    reads = 0

    def __iter__(self):
        type(self).reads += 1
        return super().__iter__()


def _build_kept(number: int, *, lifts: bool) -> named._KeptLine:
    line = named._KeptLine(
        key="k",
        first=number,
        last=number,
        check=0,
        at=float(number),
        paths=["src/cart.py"],
        symbols={},
        words=[],
        lifts=lifts,
        states=True,
    )
    line.paths = _CountedWords(line.paths)
    return line


def test_what_takes_back_is_found_in_one_pass() -> None:
    _CountedWords.reads = 0
    lines = [_build_kept(number, lifts=number % 2 == 1) for number in range(400)]
    assert named._drop_lifted(lines) == []
    assert _CountedWords.reads < 5 * len(lines)


def test_a_file_with_another_folder_or_a_longer_name_is_not_taken_back() -> None:
    first, second = _build_kept(1, lifts=False), _build_kept(2, lifts=True)
    for other, is_kept in (("a/src/cart.py", False), ("cart.py", False), ("xcart.py", True)):
        second.paths = [other]
        assert (first in named._drop_lifted([first, second])) is is_kept
