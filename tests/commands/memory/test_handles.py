"""What is remembered can be listed, read, corrected, forgotten and followed back by its handle."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.commands.memory import handles
from gieok.commands.memory.listing import render_memory_list
from gieok.errors import BadRequest
from gieok.flow import distil
from gieok.flow.gate_rules import GateRule, write_gate_rules
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation
from gieok.model.memory import Entry, Scope
from gieok.storage.journal.sqlite.journal_reader import last_session
from gieok.text.gates.statement import read_action_rules
from gieok.text.handles import HANDLE_PATTERN

_USER = Scope("agent:main")
_SAID = [
    ("user", "We decided to call the service Heron.", "2026-11-10T09:00:00Z"),
    ("assistant", "Noted, the service is called Heron.", "2026-11-10T09:01:00Z"),
    ("user", "포트는 8080을 쓰기로 했어.", "2026-11-10T09:02:00Z"),
    ("user", "We decided to use Redis Streams.", "2026-11-12T09:00:00Z"),
]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of a user who talked to an agent, keeps a note, and had a record kept."""
    home = tmp_path / "home"
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(home),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": str(tmp_path / "talk"),
    }.items():
        monkeypatch.setenv(name, value)
    for folder in ("notes", "talk", "elsewhere"):
        (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "notes" / "2026-11-01.md").write_text(
        "# Day\n\nThe boiler was fixed.\n", encoding="utf-8"
    )
    _talk(tmp_path / "talk")
    _run("index", paths=[str(tmp_path / "notes")])
    _run("remember", text=["We lint with ruff."], user=True)
    _run("observe run", once=True)
    return home


def _talk(folder: Path) -> None:
    rows = [{"role": role, "text": text, "timestamp": at} for role, text, at in _SAID]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "a.jsonl").write_text(text, encoding="utf-8")


def _run(name: str, call: Call | None = None, **request: Any) -> Any:
    found = load_command(name)
    return found(call or open_call({}), **request)


def _listed(**request: Any) -> list[Any]:
    return list(_run("list", **request).memories)


def _handle(words: str, kind: str) -> str:
    (row,) = [row for row in _listed(kind=kind) if words in row.text]
    return str(row.handle)


def _texts(**request: Any) -> list[str]:
    return [row.text for row in _listed(**request)]


@pytest.mark.parametrize("kind", ["observation", "record", "turn", "note"])
def test_every_kind_is_listed_with_a_handle_that_get_takes(home: Path, kind: str) -> None:
    rows = _listed(kind=kind)
    assert rows
    for row in rows:
        assert row.kind == kind
        assert re.fullmatch(HANDLE_PATTERN, row.handle)
        assert _run("get", path=row.handle).found
        assert (
            _run("get", path=row.handle[:6] + row.handle[8:]).text
            == _run("get", path=row.handle).text
        )


def test_the_newest_is_listed_first_and_everything_within_the_days(home: Path) -> None:
    days = [row.day for row in _listed()]
    assert days == sorted(days, reverse=True)
    assert {row.kind for row in _listed()} == {"observation", "record", "turn", "note"}
    assert {str(row.day) for row in _listed(since="2026-11-02", until="2026-11-11")} == {
        "2026-11-10"
    }
    assert _texts(kind="note", since="2026-11-01", until="2026-11-01") == [
        "Day: The boiler was fixed."
    ]


def test_a_text_filters_and_the_limit_says_that_there_is_more(home: Path) -> None:
    assert all("heron" in text.lower() for text in _texts(words=["HERON"]))
    assert len(_texts(words=["HERON"])) == 3  # two turns and an observation
    found = _run("list", limit=2)
    assert (len(found.memories), found.more) == (2, True)
    assert not _run("list", limit=0).more
    assert not _run("list", words=["nothing of this"]).found


def test_a_line_of_a_conversation_is_read_alone_and_a_block_whole(home: Path) -> None:
    handle = _handle("8080", "turn")
    assert _run("get", path=handle).text == "User: 포트는 8080을 쓰기로 했어."
    assert "Heron" in _run("get", path=handle.partition(".")[0]).text


def test_a_handle_that_names_nothing_is_refused_and_one_that_names_several_lists_them(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(BadRequest, match="no memory has the handle"):
        _run("edit", handle="0000000f", text=["x"])
    monkeypatch.setattr(
        handles,
        "build_handle",
        lambda scope, key, line=0: "abcdef01" if not line else f"abcdef01.{line}",
    )
    with pytest.raises(BadRequest, match=r"names \d memories") as caught:
        _run("get", path="abcd")
    assert "abcdef01 (" in caught.value.hint


def test_a_memory_of_another_scope_is_not_read_but_its_scope_is_named(home: Path) -> None:
    handle = _handle("Redis", "observation")
    other = open_call({"scope": "agent:other"})
    with pytest.raises(BadRequest, match="no memory has the handle") as caught:
        _run("edit", other, handle=handle, text=["x"])
    assert "agent:main" in caught.value.hint


def test_a_corrected_observation_says_so_and_what_it_said_before(home: Path) -> None:
    handle = _handle("Redis", "observation")
    done = _run("edit", handle=handle, text=["We", "use NATS."])
    assert (done.before, done.text, done.changed) == (
        "We decided to use Redis Streams.",
        "We use NATS.",
        True,
    )
    assert _run("get", path=handle).text == "We use NATS."
    why = _run("why", id=handle)
    assert why.status == "corrected"
    assert [one.text for one in why.replaced] == ["We decided to use Redis Streams."]
    assert [m.text for m in why.messages] == ["We decided to use Redis Streams."]
    assert "NATS" in (home / "active_memory.md").read_text(encoding="utf-8")
    assert not _run("edit", handle=handle, text=["We use NATS."]).changed


def test_what_was_said_says_what_its_observation_was_corrected_to(home: Path) -> None:
    _run("edit", handle=_handle("Redis", "observation"), text=["We use NATS."])
    assert not [row for row in _listed(kind="turn") if "Redis" in row.text]
    assert "We use NATS. (corrected on " in _run("get", path=_handle("NATS", "turn")).text


def test_a_correction_survives_reflection_rebuild_and_being_observed_again(home: Path) -> None:
    handle = _handle("Redis", "observation")
    _run("edit", handle=handle, text=["We use NATS."])
    _run("observe reflect")
    assert _run("get", path=handle).text == "We use NATS."
    call = open_call({})
    journal, store = call.home.journal, call.home.store
    (document,) = [
        d for d in store.get(_USER, sorted(store.hashes(_USER))) if d.text == "We use NATS."
    ]
    again = replace(
        document, text="We decided to use Redis Streams.", content_hash="old", metadata={}
    )
    at = journal.position(_USER, "observe")
    run = distil.Run(_USER, "observe", "observed", call.clock.now(), at, at + 1, 0, 0, 1, 0)
    assert distil.finish_span(journal, store, at, run, put=[Entry(again, ())], forget=[document])
    assert _run("get", path=handle).text == "We use NATS."
    _run("rebuild")
    assert _run("get", path=handle).text == "We use NATS."
    (home / "memory.sqlite").unlink()
    _run("rebuild")
    assert _run("get", path=handle).text == "We use NATS."


def test_a_correction_whose_process_was_killed_before_the_store_heard_of_it_holds(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = _handle("Redis", "observation")

    def killed(*parts: object) -> int:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(distil, "deliver_scope", killed)
        with pytest.raises(KeyboardInterrupt):
            _run("edit", handle=handle, text=["We use NATS."])
    _run("observe run", once=True)
    _run("observe reflect")
    assert _run("get", path=handle).text == "We use NATS."


def test_the_current_task_can_be_corrected_and_goes_on_with_the_next_one(home: Path) -> None:
    call = open_call({})
    now = call.clock.now()
    (task,) = observation.build_observed_entries(
        _USER, observation.Observed((), "Fix the login."), now
    )
    assert (
        "corrected"
        not in observation.corrected(task.document, "Fix the billing page.", now).document.metadata
    )


def test_what_was_observed_in_a_turn_alone_is_corrected_with_it(home: Path) -> None:
    handle = _handle("Redis", "observation")
    done = _run("edit", handle=_handle("Redis", "turn"), text=["We use NATS."])
    assert (done.followed, done.also) == ((handle,), ())
    assert _run("get", path=handle).text == "We use NATS."
    assert _run("why", id=handle).status == "corrected"
    active = (home / "active_memory.md").read_text(encoding="utf-8")
    assert "NATS" in active
    assert "Redis" not in active
    again = _run("edit", handle=_handle("NATS", "turn"), text=["We use NATS.", "For all queues."])
    assert again.followed == ()
    assert _run("edit", handle=_handle("NATS", "turn"), text=["We use Kafka."]).followed == (
        handle,
    )
    assert _run("get", path=handle).text == "We use Kafka."


def test_the_end_of_the_last_session_is_as_it_was_corrected(home: Path) -> None:
    _run("edit", handle=_handle("Redis", "turn"), text=["We use NATS."])
    found = last_session(str(home / "journal.sqlite"), str(_USER), "new")
    assert found is not None
    assert found.turns[-1][1].startswith("We use NATS. (corrected on ")


def test_what_was_said_stays_in_the_journal_and_the_correction_stands_in_its_place(
    home: Path,
) -> None:
    handle = _handle("8080", "turn")
    done = _run("edit", handle=handle, text=["포트는 9090을 쓰기로 했어."])
    assert done.text.startswith("포트는 9090을 쓰기로 했어. (corrected on ")
    (row,) = [row for row in _listed(kind="turn") if row.handle == handle]
    assert row.status == "corrected"
    assert "9090" in row.text
    assert any("9090" in hit.snippet for hit in _run("search", query=["포트"]).results)
    assert not any(
        "8080" in hit.snippet for hit in _run("search", query=["포트"], source="sessions").results
    )
    why = _run("why", id=handle)
    assert [m.text for m in why.messages] == ["포트는 8080을 쓰기로 했어."]
    _run("rebuild")
    assert "9090" in _run("get", path=handle).text
    _run("edit", handle=handle, text=["포트는 9191이다."])
    assert _run("get", path=handle).text.count("corrected on") == 1


@pytest.mark.parametrize("kind", ["observation", "turn"])
def test_what_an_agent_corrected_says_so_until_a_person_corrects_it(home: Path, kind: str) -> None:
    handle = _handle("Redis", kind)

    def ways() -> list[str]:
        return [version.how for version in _run("history", handle=handle).versions]

    _run("edit", handle=handle, text=["We use NATS."], by_agent=True)
    assert ways()[-1] == "corrected_by_agent"
    assert _run("why", id=handle).status == "corrected"
    (turn,) = [row for row in _listed(kind="turn") if "NATS" in row.text]
    assert re.search(r"corrected on [\d-]+ through an agent\)$", turn.text)
    (observed,) = [row for row in _listed(kind="observation") if "NATS" in row.text]
    assert _run("history", handle=observed.handle).versions[-1].how == "corrected_by_agent"
    _run("rebuild")
    assert ways()[-1] == "corrected_by_agent"
    _run("edit", handle=handle, text=["We use Kafka."])
    assert ways()[-1] == "corrected"
    if kind == "observation":
        assert ways()[-2] == "corrected_by_agent"
    assert not any("through an agent" in text for text in _texts(kind="turn"))


@pytest.mark.parametrize("kind", ["observation", "record"])
def test_a_text_that_comes_back_is_a_version_each_time(home: Path, kind: str) -> None:
    handle = _handle("Redis" if kind == "observation" else "ruff", kind)
    (first,) = _run("history", handle=handle).versions
    for text, by_agent in (("We use NATS.", True), (first.text, False)):
        handle = _run("edit", handle=handle, text=[text], by_agent=by_agent).handle
    history = _run("history", handle=handle)
    assert [(version.text, version.how) for version in history.versions] == [
        (first.text, first.how),
        ("We use NATS.", "corrected_by_agent"),
        (first.text, "corrected"),
    ]
    assert history.changes == 2
    ends = [version.until for version in history.versions]
    assert ends == [*(version.since for version in history.versions[1:]), None]


def test_a_memory_marked_as_important_has_no_version_more(home: Path) -> None:
    handle = _handle("Redis", "observation")
    before = _run("history", handle=handle).versions
    _run("edit", handle=handle, important=True)
    after = _run("history", handle=handle).versions
    assert [(one.text, one.since, one.how) for one in after] == [
        (one.text, one.since, one.how) for one in before
    ]


def test_a_record_that_a_person_edits_in_their_editor_is_not_the_agents_any_more(
    home: Path,
) -> None:
    edited = _run("edit", handle=_handle("ruff", "record"), text=["We use pylint."], by_agent=True)
    file = Path(edited.path)
    written = file.read_text(encoding="utf-8")
    assert re.search(r"^corrected_by: agent [0-9a-f]{8}$", written, re.MULTILINE)

    def way() -> str:
        return str(_run("history", handle=_handle("pylint", "record")).versions[-1].how)

    assert way() == "corrected_by_agent"
    file.write_text(written.replace("We use pylint.\n", "We use pylint and ruff.\n"))
    _run("index")
    assert "and ruff" in _run("get", path=_handle("pylint", "record")).text
    assert way() == "corrected"


def test_a_whole_block_of_turns_is_not_corrected_at_once(home: Path) -> None:
    with pytest.raises(BadRequest, match="part of a conversation"):
        _run("edit", handle=_handle("8080", "turn").partition(".")[0], text=["x"])


def test_a_record_is_rewritten_with_its_title_and_stays_recallable(home: Path) -> None:
    handle = _handle("ruff", "record")
    done = _run("edit", handle=handle, text=["We lint with ruff and format with it too."])
    text = Path(done.path).read_text(encoding="utf-8")
    assert "title: We lint with ruff and format with it too." in text
    assert text.endswith("---\nWe lint with ruff and format with it too.\n")
    assert _run("get", path=handle).text == text
    assert "format" in _run("search", query=["lint"]).results[0].snippet


def test_a_note_of_the_users_own_is_theirs_to_write(home: Path, tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match="is your own file"):
        _run("edit", handle=_handle("boiler", "note"), text=["x"])
    assert "boiler" in (tmp_path / "notes" / "2026-11-01.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("kind", ["observation", "record", "turn"])
def test_at_a_terminal_the_editor_opens_with_what_is_there(
    home: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.setenv(
        "VISUAL", "sed -i s/ruff/Ruff/;s/8080/9090/;s/Redis/Kafka/".replace(" s", " -e s", 1)
    )
    handle = _handle({"observation": "Redis", "record": "ruff", "turn": "8080"}[kind], kind)
    call = replace(open_call({}), ask=lambda question: "y")
    _run("edit", call, handle=handle)
    assert any(word in _run("get", path=handle).text for word in ("Kafka", "Ruff", "9090"))


def test_without_a_terminal_the_text_is_asked_for(home: Path) -> None:
    with pytest.raises(BadRequest, match="no terminal"):
        _run("edit", handle=_handle("Redis", "observation"))


def test_a_secret_in_a_correction_is_replaced(home: Path) -> None:
    handle = _handle("Redis", "observation")
    _run("edit", handle=handle, text=["The key is sk-ant-api03-" + "a1B2c3D4" * 12])
    assert "a1B2c3D4" not in _run("get", path=handle).text


_GONE: dict[str, Callable[[], None]] = {
    "observation": lambda: _run("forget", handles=[_handle("Redis", "observation")], yes=True),
    "turn": lambda: _run("forget", handles=[_handle("Redis", "turn")], yes=True),
    "record": lambda: _run("forget", handles=[_handle("ruff", "record")], yes=True),
}


@pytest.mark.parametrize(
    ("kind", "word"), [("observation", "Redis"), ("turn", "Redis"), ("record", "ruff")]
)
def test_what_is_forgotten_by_its_handle_is_gone_and_nothing_else(
    home: Path, kind: str, word: str
) -> None:
    before = len(_texts(limit=0, kind="turn")) + len(_texts(limit=0))
    _GONE[kind]()
    assert not any(word in text for text in (*_texts(limit=0), *_texts(kind="turn")))
    assert len(_texts(limit=0, kind="turn")) + len(_texts(limit=0)) < before
    assert "Heron" in " ".join(_texts(limit=0))
    assert not [
        file for file in home.rglob("*") if file.is_file() and word.encode() in file.read_bytes()
    ]
    _run("rebuild")
    assert not any(word in text for text in (*_texts(limit=0), *_texts(kind="turn")))


def test_a_block_of_turns_is_forgotten_whole(home: Path) -> None:
    _run("forget", handles=[_handle("8080", "turn").partition(".")[0]], yes=True)
    assert [text for text in _texts(kind="turn") if "Redis" not in text] == []


def test_forgetting_a_corrected_turn_takes_the_correction_too(home: Path) -> None:
    handle = _handle("8080", "turn")
    _run("edit", handle=handle, text=["포트는 모과나무다."])
    assert _run("forget", match="모과나무", dry_run=True).found
    _run("forget", handles=[handle], yes=True)
    word = "모과나무".encode()
    assert not [file for file in home.rglob("*") if file.is_file() and word in file.read_bytes()]


def test_why_counts_the_sessions_in_which_it_was_shown(home: Path) -> None:
    handle = _handle("Redis", "turn")
    folder = home / "hook" / "sessions"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.json").write_text(json.dumps({"handles": {handle: True}}))
    (folder / "b.json").write_text(json.dumps({"handles": {"00000000": True}}))
    (folder / "c.json").write_text("torn")
    assert _run("why", id=handle).shown_in == 1
    assert _run("why", id=handle.partition(".")[0]).shown_in == 1


@pytest.mark.parametrize("lang", ["en", "ko"])
def test_what_is_shown_is_in_the_readers_language_and_names_the_handle(
    home: Path, lang: str
) -> None:
    style = Style(lang, colour=False)
    handle = _handle("Redis", "observation")
    shown = load_command("list").present(_run("list"), style)
    assert handle in shown
    assert ("관찰" if lang == "ko" else "observation") in shown
    done = _run("edit", handle=handle, text=["We use NATS."])
    assert ("고침" if lang == "ko" else "corrected") in load_command("edit").present(done, style)
    assert ("고침" if lang == "ko" else "corrected") in load_command("why").present(
        _run("why", id=handle), style
    )
    assert ("없습니다" if lang == "ko" else "Nothing") in load_command("list").present(
        _run("list", words=["zzz"]), style
    )
    assert encode(done)["handle"] == handle  # type: ignore[index]


def test_that_a_line_was_corrected_is_said_in_the_language_of_the_reader(home: Path) -> None:
    _run("edit", handle=_handle("Redis", "observation"), text=["We use NATS."])
    listed = _run("list", kind="turn", limit=0)
    shown = {lang: render_memory_list(listed, Style(lang, colour=False)) for lang in ("en", "ko")}
    assert re.search(r"We use NATS\. \(corrected on \d{4}-\d\d-\d\d\)", shown["en"])
    assert re.search(r"We use NATS\. \(\d{4}-\d\d-\d\d에 고침\)", shown["ko"])
    assert "corrected on" not in shown["ko"]


def test_the_handle_of_a_rule_names_the_memory_with_its_words(home: Path) -> None:
    source = _handle("service Heron", "turn")
    (rule,) = read_action_rules("never push to main", date(2026, 11, 10))
    kept = GateRule(
        handle="00c0ffee",
        scope=str(_USER),
        said_at=0.0,
        day="2026-11-10",
        origin="codex",
        source=source,
        rule=rule,
    )
    write_gate_rules(str(home), [kept])
    assert _run("why", id="00c0ffee").memory.handle == source
    assert _run("forget", handles=["00c0ffee"], dry_run=True).plan.count("messages") == 1
    with pytest.raises(BadRequest):
        _run("why", id="00c0ff")
