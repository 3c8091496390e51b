"""What is forgotten is gone from every file of the home, and does not come back."""

import json
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from gieok import fs
from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.commands.memory.forget import render_forgotten
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.hook.inject import InjectedMemory, Injection
from gieok.hook.window import ContextWindow, sessions
from gieok.memory.sidecar import Sidecar
from gieok.model.memory import Scope

_SECRET = "Quixotic marmalade"
_KO = "자줏빛 고슴도치"
_USER = Scope("agent:main")
_OTHER = "The walrus sleeps below the pier."


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the home of a user who told an agent two things, and keeps a note and a record of
    them.
    """
    home = tmp_path / "home"
    for name, value in {
        "HOME": str(tmp_path),
        "GIEOK_HOME": str(home),
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_OBSERVE_FOLDERS": str(tmp_path / "talk"),
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "notes").mkdir()
    (tmp_path / "talk").mkdir()
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    (tmp_path / "notes" / "pay.md").write_text(
        f"# 정산\n\n{_SECRET} is how we settle, {_KO}.\n", encoding="utf-8"
    )
    (tmp_path / "notes" / "other.md").write_text(
        "# Other\n\nThe umbrella stands behind the door.\n", encoding="utf-8"
    )
    _talk(
        tmp_path,
        [f"We decided to call it {_SECRET}, that is {_KO}.", "We decided to use Redis Streams."],
    )
    _run("index", paths=[str(tmp_path / "notes")])
    _run("remember", text=[f"The code name is {_SECRET} ({_KO})."], user=True)
    _run("remember", text=["We lint with ruff."], user=True)
    _run("observe run", once=True)
    return home


def _talk(folder: Path, said: list[str]) -> None:
    rows = [
        {"role": "user", "text": text, "timestamp": f"2026-11-1{n}T09:00:00Z"}
        for n, text in enumerate(said)
    ]
    text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    (folder / "talk" / "a.jsonl").write_text(text, encoding="utf-8")


def _run(name: str, call: Call | None = None, **request: Any) -> Any:
    found = load_command(name)
    return found(call or open_call({}), **request)


def _holding(home: Path, *words: str) -> dict[str, list[str]]:
    """Return which files hold which words, in any form, as `grep -a -i` would find them."""
    forms = {
        word: {word.encode(), word.lower().encode(), json.dumps(word)[1:-1].encode()}
        for word in words
    }
    found: dict[str, list[str]] = {}
    for file in sorted(path for path in home.rglob("*") if path.is_file()):
        data = file.read_bytes()
        hit = [
            word
            for word in words
            if any(form in data or form in data.lower() for form in forms[word])
        ]
        if hit:
            found[str(file.relative_to(home))] = hit
    return found


def _keys() -> set[str]:
    return set(open_call({}).home.store.hashes(_USER))


def test_a_text_is_gone_from_every_file_of_the_home_and_its_words_too(home: Path) -> None:
    words = ("marmalade", "Quixotic", "quixot", "자줏빛", "고슴", "고슴도치")
    before = {name.removesuffix("-wal") for name in _holding(home, *words)}
    assert {"memory.sqlite", "journal.sqlite", "active_memory.md"} <= before
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs" / "hook.log").write_text(
        f"kept\nrecall failed: {_SECRET}\nkept too\n", encoding="utf-8"
    )
    (home / "spool" / "1.json").parent.mkdir(exist_ok=True)
    (home / "spool" / "1.json").write_text(
        json.dumps({"event": "x", "transcript_path": f"/{_SECRET}"})
    )
    (home / "set-aside" / "then").mkdir(parents=True)
    (home / "set-aside" / "then" / "memory.sqlite").write_bytes(b"torn " + _SECRET.encode())
    done = _run("forget", match=_SECRET.upper(), yes=True)
    assert _holding(home, *words) == {}
    assert (home / "logs" / "hook.log").read_text() == "kept\nkept too\n"
    assert encode(done)["observations"] == encode(done)["messages"] == encode(done)["records"] == 1
    assert encode(done)["documents"] == 1
    places = {Path(place).name for place, _ in done.done.still_in}
    assert places == {"pay.md", "a.jsonl"}
    assert any(
        "Redis" in document.text
        for document in open_call({}).home.store.get(_USER, sorted(_keys()))
    )
    assert _run("doctor").checks[1].ok


def test_what_older_deletions_left_in_the_pages_goes_too(home: Path) -> None:
    for name, table in (("memory.sqlite", "documents"), ("journal.sqlite", "messages")):
        with closing(sqlite3.connect(home / name, isolation_level=None)) as db:
            db.execute("PRAGMA secure_delete = OFF")
            db.execute("CREATE TABLE residue (text TEXT)")
            db.executemany(
                "INSERT INTO residue VALUES (?)",
                [(f"{_SECRET} {table} {n}" * 50,) for n in range(20)],
            )
            db.execute("DROP TABLE residue")
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    assert {"memory.sqlite", "journal.sqlite"} <= {
        name.removesuffix("-wal") for name in _holding(home, "marmalade")
    }
    _run("forget", match=_SECRET, yes=True)
    assert _holding(home, "marmalade") == {}


@pytest.mark.parametrize("again", ["index", "force", "observe", "rebuild"])
def test_what_is_forgotten_does_not_come_back_until_its_file_changes(
    home: Path, tmp_path: Path, again: str
) -> None:
    _run("forget", match=_SECRET, yes=True)
    if again == "observe":
        _talk(
            tmp_path,
            [
                f"We decided to call it {_SECRET}, that is {_KO}.",
                "We decided to use Redis Streams.",
            ],
        )
        _run("observe run", once=True)
    elif again == "rebuild":
        _run("rebuild")
    else:
        report = _run("index", force=again == "force").report
        assert report.forgotten == ["notes/pay.md"]
        assert _run("status").stale == 0
    assert _holding(home, "marmalade") == {}
    (tmp_path / "notes" / "pay.md").write_text("# 정산\n\nAnother text.\n", encoding="utf-8")
    assert _run("index").report.added == ["notes/pay.md"]


def _the(home: Path, kind: str) -> str:
    call = open_call({})
    if kind == "message":
        return next(m.message.id for m in call.home.journal.read(_USER, 0, budget_tokens=99999))
    documents = call.home.store.get(_USER, sorted(_keys()))
    is_it: dict[str, Callable[[str], bool]] = {
        "observation": lambda key: key.startswith("observe:"),
        "record": lambda key: key.startswith("memory/"),
        "file": lambda key: key.startswith("notes/"),
    }
    return next(d.key for d in documents if is_it[kind](d.key) and _SECRET in d.text)


@pytest.mark.parametrize("kind", ["message", "observation"])
def test_a_message_and_what_was_distilled_from_it_alone_go_together(home: Path, kind: str) -> None:
    result = encode(_run("forget", handles=[_the(home, kind)], yes=True))
    assert (result["messages"], result["observations"], result["documents"]) == (1, 1, 0)
    call = open_call({})
    assert [m.message.text for m in call.home.journal.read(_USER, 0, budget_tokens=99999)] == [
        "We decided to use Redis Streams."
    ]
    assert _SECRET not in (home / "active_memory.md").read_text(encoding="utf-8")


def test_a_record_is_deleted_with_its_file_and_a_file_of_the_user_is_left_alone(
    home: Path, tmp_path: Path
) -> None:
    record, note = _the(home, "record"), _the(home, "file")
    result = encode(_run("forget", handles=[record, f"{note}#L1-L3"], yes=True))
    assert (result["records"], result["documents"]) == (1, 1)
    assert [Path(path).stem for path in result["deleted"]] == [
        "the-code-name-is-quixotic-marmalade-자줏빛-고슴도치"
    ]
    assert not Path(result["deleted"][0]).exists()
    assert (tmp_path / "notes" / "pay.md").exists()
    assert not {record, note} & _keys()


def test_a_record_is_not_still_in_others_that_have_a_head_like_its_own(home: Path) -> None:
    for text in ("The printer is on floor 4.", "The lease ends on 31 March.", "Tea is at four."):
        _run("remember", text=[text], user=True)
    (printer,) = (row.handle for row in _run("list", words=["printer"], kind="record").memories)
    done = _run("forget", handles=[printer], yes=True)
    assert done.done.still_in == ()


def test_retired_and_archived_records_are_forgotten_too(home: Path) -> None:
    _run("retire", memories=[Path(_the(home, "record")).stem], user=True)
    assert _holding(home / "retired", "marmalade")
    assert encode(_run("forget", match="marmalade", yes=True))["records"] == 1
    assert _holding(home, "marmalade") == {}


def test_everything_of_a_source_or_before_a_day_is_found(home: Path, tmp_path: Path) -> None:
    of_notes = encode(_run("forget", source=str(tmp_path / "notes"), dry_run=True))
    assert (of_notes["documents"], of_notes["messages"], of_notes["done"]) == (2, 0, False)
    of_talk = encode(_run("forget", source=str(tmp_path / "talk"), dry_run=True))
    assert (of_talk["documents"], of_talk["messages"], of_talk["observations"]) == (0, 2, 2)
    early = encode(_run("forget", before="2026-11-11", dry_run=True))
    assert (early["messages"], early["observations"]) == (1, 1)
    assert _run("forget", before="2026-11-11", match="Redis", dry_run=True).found is False


def test_before_anything_is_forgotten_it_is_said_which_files_stay(
    home: Path, tmp_path: Path
) -> None:
    asked = _run("forget", match=_SECRET, dry_run=True)
    own = f"stays {tmp_path / 'notes' / 'pay.md'}: your own file; it is left out of memory"
    talk = ".jsonl: the file that it was read from; it is not read again"
    for shown in (
        render_forgotten(asked, Style("en", colour=False)),
        render_forgotten(_run("forget", match=_SECRET, yes=True), Style("en", colour=False)),
    ):
        assert own.removeprefix("stays") in shown
        assert talk in shown
        assert "nothing was forgotten" not in shown
    assert own in render_forgotten(asked, Style("en", colour=False))


def test_what_a_change_of_store_left_is_cleaned_too(home: Path) -> None:
    with closing(sqlite3.connect(home / "memory.sqlite")) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    (home / "memory.sqlite").replace(home / "lancedb.sqlite")
    for end in ("-wal", "-shm"):
        (home / f"memory.sqlite{end}").unlink(missing_ok=True)
    _run("forget", match=_SECRET, yes=True)
    assert _holding(home, "marmalade") == {}


def test_it_asks_first_and_does_nothing_without_an_answer(home: Path) -> None:
    with pytest.raises(BadRequest, match="nobody can be asked"):
        _run("forget", match=_SECRET)
    asked: list[str] = []

    def no(question: str) -> str:
        asked.append(question)
        return ""

    result = _run("forget", replace(open_call({}), ask=no), match=_SECRET)
    assert asked
    assert result.done is None
    assert _holding(home, "marmalade")
    assert _run("forget", replace(open_call({}), ask=lambda _: "y"), match=_SECRET).done is not None


def test_an_unknown_handle_and_an_empty_request_name_the_next_step(home: Path) -> None:
    with pytest.raises(BadRequest, match="no memory is called 'observe:nothing'"):
        _run("forget", handles=["observe:nothing"], yes=True)
    with pytest.raises(BadRequest, match="what is to be forgotten"):
        _run("forget", yes=True)
    assert _run("forget", match="never said", yes=True).found is False


def test_what_is_forgotten_does_not_come_back_under_another_name(
    home: Path, tmp_path: Path
) -> None:
    _run("forget", match=_SECRET, yes=True)
    (tmp_path / "notes" / "pay.md").rename(tmp_path / "notes" / "paid.md")
    shutil.copy(tmp_path / "notes" / "paid.md", tmp_path / "elsewhere" / "copy.md")
    shutil.copy(tmp_path / "talk" / "a.jsonl", tmp_path / "talk" / "again.jsonl")
    assert (
        _run("index", paths=[str(tmp_path / "notes"), str(tmp_path / "elsewhere")]).report.added
        == []
    )
    _run("observe run", once=True)
    assert _holding(home, "marmalade") == {}


def test_a_store_that_was_deleted_begins_from_the_journal(home: Path, tmp_path: Path) -> None:
    _run("forget", match=_SECRET, yes=True)
    remembered = (home / "active_memory.md").read_bytes()
    fs.remove_database(home / "memory.sqlite")
    _run("observe run", once=True)
    assert (home / "active_memory.md").read_bytes() == remembered
    assert _run("index").report.added == ["notes/other.md", "memory/decision/we-lint-with-ruff.md"]
    assert _holding(home, "marmalade") == {}


def test_only_what_fits_is_touched(home: Path) -> None:
    _run("forget", match=_SECRET, before="2026-11-01", yes=True)
    _run("forget", replace(open_call({"scope": "agent:other"})), match=_SECRET, yes=True)
    (message, *_) = open_call({}).home.journal.read(_USER, 0, budget_tokens=99999)
    assert message.message.text == f"We decided to call it {_SECRET}, that is {_KO}."


def test_a_run_that_was_killed_is_finished_by_the_next(home: Path) -> None:
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs" / "hook.log").write_text(f"{_SECRET.upper()} and МАРМЕЛАД\n", encoding="utf-8")
    call = open_call({})

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Sidecar, "write_active_memory", killed)
        with pytest.raises(KeyboardInterrupt):
            _run("forget", call, match=_SECRET, yes=True)
    assert "active_memory.md" in _holding(home, "marmalade")
    assert _run("forget", match=_SECRET, yes=True).found is False
    assert _holding(home, "marmalade") == {}
    _run("forget", match="мармелад", yes=True)
    (home / "logs" / "hook.log").write_text("МАРМЕЛАД again\n", encoding="utf-8")
    _run("remember", text=["мармелад стоит в шкафу"], user=True)
    _run("forget", match="мармелад", yes=True)
    assert (home / "logs" / "hook.log").read_text() == ""


def test_lines_of_the_users_own_files_below_the_home_stay(home: Path) -> None:
    own = home / "tr" / "mine.jsonl"
    own.parent.mkdir()
    own.write_text(f"{_SECRET}\n", encoding="utf-8")
    done = _run("forget", match=_SECRET, yes=True).done
    assert own.read_text() == f"{_SECRET}\n"
    assert str(own) in {place for place, _ in done.still_in}


def _show(home: Path, session: str, *rows: tuple[str, str]) -> ContextWindow:
    """Keep what a hook showed a session: texts with their handles, cut as a long one is."""
    window = ContextWindow(str(home), "codex", session)
    lines = [f"- 2026-11-10 user: {text[:60]}… ({handle})" for text, handle in rows]
    memories = [
        InjectedMemory(
            text=text,
            citation="",
            handle=handle,
            scope="agent:main",
            title=text[:20],
            who="user",
            day="2026-11-10",
        )
        for text, handle in rows
    ]
    text = "\n".join(('<memory-context source="gieok">', *lines, "</memory-context>"))
    window.keep("prompt", Injection(text, memories, 9), 1.0)
    return window


def test_what_sessions_were_shown_is_taken_out_also_where_it_was_cut(home: Path) -> None:
    said = f"We decided to call it {_SECRET}, that is {_KO}."
    _show(home, "one", (said, "0badf00d.1"), ("We decided to use Redis Streams.", "0badf00d.2"))
    assert _holding(home / "hook", "marmalade", "자줏빛")
    done = _run("forget", match=_SECRET, yes=True)
    assert _holding(home / "hook", "marmalade", "자줏빛", "call it") == {}
    assert not [place for place, _ in done.done.still_in if "hook" in place]
    again = ContextWindow(str(home), "codex", "one")
    (row,) = sessions(str(home))
    assert [memory["handle"] for memory in row["last"]["memories"]] == ["", "0badf00d.2"]
    assert row["last"]["memories"][0]["forgotten"] is True
    assert row["last"]["text"].count("[forgotten since]") == 1
    assert row["handles"] == {"0badf00d.2": True}
    assert "Redis Streams" in row["injected"][0]
    assert "</memory-context>" in row["injected"][0]
    assert again.agent == "codex"


def _git(folder: Path, *words: str) -> None:
    own = ("-c", "user.name=Kim", "-c", "user.email=kim@example.com")
    subprocess.run(["git", *own, *words], cwd=folder, check=True, capture_output=True)


def test_git_is_named_only_where_a_commit_holds_the_record(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = tmp_path / "shop"
    shop.mkdir()
    _git(shop, "init", "-q")
    monkeypatch.chdir(shop)
    reasons: list[list[str]] = []
    for subject, is_committed in (("heliotrope", False), ("marigold", True), ("lavender", True)):
        told = _run("remember", text=[f"The staging gateway is called {subject}."])
        if is_committed:
            _git(shop, "add", "--force", ".gieok")
            _git(shop, "commit", "-q", "-m", "Keep it")
        if subject == "lavender":  # the commit holds it under its former name
            told = _run("edit", handle=told.handle, text=["The staging gateway is called violet."])
        done = _run("forget", handles=[told.handle], yes=True).done
        reasons.append([why for _, why in done.still_in if "git" in why])
    kept = "git keeps what was committed of a deleted record"
    assert reasons == [[], [kept], [kept]]


def _turn_handles() -> dict[str, str]:
    return {row.text: row.handle for row in _run("list", kind="turn", limit=0).memories}


def test_the_next_handle_still_names_the_same_turn_after_one_is_forgotten(
    home: Path, tmp_path: Path
) -> None:
    _talk(
        tmp_path,
        [
            "The first thing is a walrus.",
            "The second thing is a heron.",
            "The third thing is an otter.",
        ],
    )
    _run("observe run", once=True)
    handles = {
        text.split()[-1]: handle for text, handle in _turn_handles().items() if "thing" in text
    }
    _run("forget", handles=[handles["walrus."]], yes=True)
    left = {text.split()[-1]: handle for text, handle in _turn_handles().items() if "thing" in text}
    assert left == {word: handle for word, handle in handles.items() if word != "walrus."}
    for name in ("get", "edit", "forget"):
        field: dict[str, Any] = {
            "get": {"path": handles["walrus."]},
            "edit": {"handle": handles["walrus."], "text": ["x"]},
            "forget": {"handles": [handles["walrus."]], "yes": True},
        }[name]
        with pytest.raises(BadRequest, match="was forgotten"):
            _run(name, **field)
    _run("edit", handle=handles["heron."], text=["The second thing is a crane."])
    done = _run("forget", handles=[handles["heron."]], yes=True)
    assert "crane" in done.plan.texts()[-1]
    assert _holding(home, "heron", "crane", "walrus") == {}
    assert _run("get", path=handles["otter."]).text.endswith("otter.")


def test_what_an_agent_was_told_stays_known_when_the_memory_is_corrected(home: Path) -> None:
    (handle,) = (handle for text, handle in _turn_handles().items() if "Redis" in text)
    _show(home, "one", ("We decided to use Redis Streams.", handle), (_OTHER, "0badf00d.2"))
    (home / "logs").mkdir(exist_ok=True)
    (home / "logs" / "hook.log").write_text(
        "kept\nWe decided to use Redis Streams.\n", encoding="utf-8"
    )
    _run("edit", handle=handle, text=["We use NATS."])
    row = sessions(str(home))[0]
    assert "Redis" not in str(row["injected"])
    assert row["handles"] == {"0badf00d.2": True}  # the corrected words may be shown again
    assert (home / "logs" / "hook.log").read_text() == "kept\n"
    last = _run("why", last=True)
    assert "We decided to use Redis Streams." in last.text
    assert last.corrected_lines == (2,)
    assert [memory.since for memory in last.memories] == ["corrected", None]
    shown = load_command("why").present(last, Style("ko", colour=False))
    assert len([line for line in shown.splitlines() if "그 뒤 고침" in line]) == 2


def test_words_of_before_a_correction_go_with_the_memory_when_it_is_forgotten(home: Path) -> None:
    (handle,) = (handle for text, handle in _turn_handles().items() if "Redis" in text)
    _show(home, "one", ("We decided to use Redis Streams.", handle), (_OTHER, "0badf00d.2"))
    _run("edit", handle=handle, text=["We moved to NATS for everything."])
    _show(home, "two", ("We moved to NATS for everything.", handle))
    _run("edit", handle=handle, text=["It is Kafka now, for everything."])
    _run("forget", handles=[handle], yes=True)
    assert _holding(home / "hook", "Redis Streams", "NATS", "Kafka") == {}
    one, two = _run("why", session="one"), _run("why", session="two")
    assert one.text.count("[forgotten since]") == 1
    assert _OTHER in one.text
    assert [(memory.handle, memory.since) for memory in one.memories] == [
        ("", "forgotten"),
        ("0badf00d.2", None),
    ]
    assert [memory.since for memory in two.memories] == ["forgotten"]
    assert "그 뒤 잊음" in load_command("why").present(two, Style("ko", colour=False))


def test_words_of_a_record_before_it_was_corrected_go_with_the_record(home: Path) -> None:
    told = _run("remember", text=["The staging gateway is called heliotrope."])
    handle = told.handle
    _show(home, "one", ("The staging gateway is called heliotrope.", handle))
    done = _run("edit", handle=handle, text=["The staging gateway is called marigold."])
    assert "heliotrope" in _run("why", last=True).text
    _run("forget", handles=[done.handle], yes=True)
    assert _holding(home, "heliotrope", "marigold") == {}
    assert "[forgotten since]" in _run("why", last=True).text


def test_a_new_rule_of_redaction_reaches_what_sessions_were_shown(home: Path) -> None:
    key = "sk-" + "ant-" + "a1B2" * 10
    _show(home, "one", (f'key "{key}"', "0badf00d.1"))
    assert _run("redact", all=True).cleaned.files == 1
    assert _holding(home / "hook", key) != {}
    _run("redact", all=True, apply=True)
    assert _holding(home / "hook", key) == {}
    assert sessions(str(home))[0]["handles"] == {"0badf00d.1": True}


def test_why_a_text_is_still_in_a_file_is_said_by_what_the_file_is(
    home: Path, tmp_path: Path
) -> None:
    (home / "mine.md").write_text(f"I wrote {_SECRET} here.\n", encoding="utf-8")
    done = _run("forget", match=_SECRET, yes=True)
    assert {Path(place).name: why for place, why in done.done.still_in}["mine.md"] == (
        "something in it that was not forgotten holds the same words"
    )


def test_every_file_of_an_agent_that_still_holds_it_is_named(home: Path, tmp_path: Path) -> None:
    shown = (
        f'<memory-context source="gieok">\n- The code name is {_SECRET} &amp; …\n</memory-context>'
    )
    rows = {
        ".claude/projects/-shop/said.jsonl": {
            "type": "user",
            "text": f"We decided to call it {_SECRET}, that is {_KO}.",
        },
        ".claude/projects/-shop/shown.jsonl": {"type": "attachment", "content": [shown]},
        ".claude/history.jsonl": {"display": f"We decided to call it {_SECRET}, that is {_KO}."},
        ".codex/history.jsonl": {"text": f"The code name is {_SECRET} ({_KO})."},
        ".cursor/projects/shop/agent-transcripts/a.jsonl": {
            "text": f"the CODE name is {_SECRET} ({_KO})."
        },
        ".claude/projects/-shop/other.jsonl": {"type": "user", "text": "We lint with ruff."},
    }
    for n, (name, row) in enumerate(rows.items()):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(
            json.dumps(row, ensure_ascii=n % 2 == 0) + "\n", encoding="utf-8"
        )
    done = _run("forget", match=_SECRET, yes=True).done
    named = {place for place, _ in done.still_in}
    assert {str(tmp_path / name) for name in rows if "other" not in name} <= named
    assert str(tmp_path / ".claude/projects/-shop/other.jsonl") not in named


def test_a_memory_that_is_forgotten_by_its_handle_is_named_where_agents_keep_what_was_put_before_them(
    home: Path, tmp_path: Path
) -> None:
    shown = (
        f'<memory-context source="gieok">\n- decision: The code name is {_SECRET} ({_KO}). '
        "(x.md)\n</memory-context>"
    )
    file = tmp_path / ".claude" / "projects" / "-shop" / "shown.jsonl"
    file.parent.mkdir(parents=True)
    file.write_text(json.dumps({"attachment": {"content": [shown]}}) + "\n")
    done = _run(
        "forget",
        handles=[f"decision/the-code-name-is-quixotic-marmalade-{_KO.replace(' ', '-')}"],
        yes=True,
    ).done
    assert str(file) in {place for place, _ in done.still_in}
