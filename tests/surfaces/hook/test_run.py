"""`gieok hook`, end to end in a process of its own: what it prints, and that it stays silent
whatever is broken.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from gieok.commands.memory import untrusted
from gieok.surfaces.cli import main

_LINTER = "어떤 린터를 쓰기로 했지?"
_EVENTS = ("prompt", "session-start", "stop", "pre-compact", "session-end")
_SPOOLED = ("stop", "pre-compact", "session-end")


@pytest.mark.parametrize(
    ("prompt", "text", "citation"),
    [
        (
            _LINTER,
            "린터는 ruff를 쓰기로 했다. flake8은 느려서 버렸다.",
            ".gieok/memory/decision/린터는",
        ),
        (
            "When do deploys go out?",
            "Deploys go out on Tuesday mornings.",
            ".gieok/memory/constraint/deploy-window.md#L",
        ),
        (
            "Fix the login page.\n\nHow often do we retry webhooks?",
            "Retry webhooks",
            ".gieok/memory/preference/retry-",
        ),
        ("보고서를 존댓말로 쓰던가?", "보고서는 항상 존댓말로", "/home/memory/preference/보고서는"),
        ("어떤 \ud800 린터를 쓰기로 했지?", "린터는 ruff를", ".gieok/memory/decision/"),
    ],
)
def test_a_sure_memory_is_shown_whole_with_its_citation(
    known, prompt: str, text: str, citation: str
) -> None:
    said = known.hook("prompt", known.payload(prompt))
    assert said.context.startswith('<memory-context source="gieok">\n')
    assert text in said.context
    assert citation in said.context.replace(str(known.home.parent), "")
    assert json.loads(said.out)["hookSpecificOutput"]["hookEventName"] == "UserPromptSubmit"
    assert known.log() == []


@pytest.mark.parametrize(
    "prompt",
    [
        "Write a haiku about giraffes in Kenya.",
        "기린에 대한 짧은 시를 써 줘",
        "/clear",
        "ok",
        "",
        "고마워",
    ],
)
def test_a_prompt_that_memory_says_nothing_of_gets_nothing(known, prompt: str) -> None:
    assert known.hook("prompt", known.payload(prompt)).out == b""
    assert known.log() == []


def test_without_meanings_nobody_says_that_nothing_is_known(known) -> None:
    asked = known.payload("지난번에 코끼리 사료를 어떻게 하기로 했지?")
    assert known.hook("prompt", asked).out == b""


def test_a_memory_that_is_not_sure_says_so_unless_all_is_wanted(known) -> None:
    payload = known.payload(_LINTER)
    said = known.hook("prompt", payload, GIEOK_HOOK_FLOOR="0.95")
    assert ", unsure, " in said.context
    full = known.hook(
        "prompt", payload, GIEOK_HOOK_FLOOR="0.95", GIEOK_HOOK_OUTPUT_MODE="full"
    ).context
    assert "flake8" in full
    assert known.hook("prompt", payload, GIEOK_HOOK_LIMIT="0").out == b""


def test_a_long_paste_is_asked_by_its_ends(known) -> None:
    paste = "lorem ipsum dolor sit amet\n" * 200_000
    assert known.hook("prompt", known.payload(paste)).out == b""
    assert "ruff" in known.hook("prompt", known.payload(f"{paste}\n{_LINTER}")).context
    assert known.log() == []


@pytest.mark.parametrize(
    ("payload", "cause"),
    [
        (b"", "JSONDecodeError"),
        (b'{"prompt": "', "JSONDecodeError"),
        (b"\xff\xfe\x00\x81" * 999, "JSONDecodeError"),
        (b"[" * 200_000, "JSONDecodeError"),
        (b'{"prompt": ' + b"9" * 5000 + b"}", "ValueError"),
        (b"[]", "the payload is a list"),
        (b'"prompt"', "the payload is a str"),
        (b"null", "the payload is a NoneType"),
        (b'{"session_id": "s"}', "has no prompt"),
        (b'{"prompt": ["a", "b"]}', "has no prompt"),
        (b'{"prompt": "%s"}' % (b"secretword " * 2_000_000), "JSONDecodeError"),
    ],
    ids=[
        "empty",
        "cut",
        "binary",
        "deep",
        "number",
        "list",
        "text",
        "null",
        "missing",
        "no text",
        "22 MB",
    ],
)
def test_a_bad_payload_is_a_line_in_the_log_and_nothing_else(
    known, payload: bytes, cause: str
) -> None:
    before = known.database.read_bytes()
    assert known.run("prompt", payload) == (0, b"", b"")
    (line,) = known.log()
    assert cause in line
    assert "secretword" not in line
    assert known.database.read_bytes() == before


def _sql(statement: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        db = sqlite3.connect(file, isolation_level=None)
        db.execute(statement)
        db.close()

    return change


_DAMAGES = {
    "garbage": (lambda file: file.write_bytes(b"not a database " * 9999), "file is not a database"),
    "half": (
        lambda file: file.write_bytes(file.read_bytes()[: file.stat().st_size // 2]),
        "malformed",
    ),
    "header": (
        lambda file: file.write_bytes(file.read_bytes()[:100] + b"\7" * 99999),
        "malformed|not a database",
    ),
    "schema": (_sql("PRAGMA user_version = 99"), "schema 99"),
    "keywords": (
        _sql("UPDATE meta SET value = '99' WHERE name = 'keywords_version'"),
        "version 99",
    ),
    "no keywords": (_sql("DELETE FROM meta WHERE name = 'keywords_version'"), "keyword"),
    "no table": (_sql("DROP TABLE documents"), "no such table: documents"),
}


@pytest.mark.parametrize("name", _DAMAGES)
def test_a_damaged_database_is_silence_and_stays_as_it_is(known, name: str) -> None:
    damage, cause = _DAMAGES[name]
    damage(known.database)
    before = known.database.read_bytes()
    assert known.hook("prompt", known.payload(_LINTER)).out == b""
    (line,) = known.log()
    assert any(words in line for words in cause.split("|"))
    assert known.database.read_bytes() == before


@pytest.mark.parametrize("name", ["garbage", "half", "schema"])
def test_a_session_starts_well_on_a_damaged_database_too(known, name: str) -> None:
    damage, cause = _DAMAGES[name]
    damage(known.database)
    before = known.database.read_bytes()
    assert known.hook("session-start", known.payload("")).out == b""
    assert any(words in "".join(known.log()) for words in cause.split("|"))
    assert known.database.read_bytes() == before


@pytest.mark.parametrize("size", [0, 50, None])
def test_where_there_is_no_index_yet_nothing_is_said(known, size: int | None) -> None:
    known.database.unlink() if size is None else known.database.write_bytes(
        known.database.read_bytes()[:size]
    )
    assert known.hook("prompt", known.payload(_LINTER)).out == b""
    assert known.log() == []


_LOCK = """
import sqlite3, sys
db = sqlite3.connect(sys.argv[1], isolation_level=None)
for statement in sys.argv[2:]:
    db.execute(statement).fetchall()
print("locked", flush=True)
sys.stdin.read()
"""


@contextmanager
def _locked(file: Path, *statements: str) -> Iterator[None]:
    command = [sys.executable, "-c", _LOCK, str(file), *statements]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout
    assert process.stdout.readline() == "locked\n"
    yield
    process.communicate()


def test_a_database_that_somebody_writes_is_read_all_the_same(known) -> None:
    with _locked(known.database, "BEGIN EXCLUSIVE", "UPDATE meta SET value = value"):
        assert "ruff" in known.hook("prompt", known.payload(_LINTER)).context


def test_a_database_that_somebody_keeps_for_himself_is_silence(known) -> None:
    with _locked(
        known.database,
        "PRAGMA locking_mode = EXCLUSIVE",
        "PRAGMA journal_mode = DELETE",
        "BEGIN EXCLUSIVE",
    ):
        before = known.database.read_bytes()
        assert known.hook("prompt", known.payload(_LINTER)).out == b""
        assert known.database.read_bytes() == before
    (line,) = known.log()
    assert "locked" in line


@pytest.mark.parametrize("event", _EVENTS)
def test_a_home_that_is_a_file_is_silence(place, event: str) -> None:
    place.home.write_text("kept")
    assert place.hook(event, place.payload(_LINTER, transcript_path="/t.jsonl")).out == b""
    assert place.home.read_text() == "kept"


#: As root nothing is unreadable, so the program becomes somebody else once it is imported.
_AS_NOBODY = """
import os, sys, json, sqlite3, gieok.surfaces.hook.run, gieok.__main__
os.geteuid() or os.seteuid(65534)
sys.argv[:1] = ["gieok", "hook"]
sys.exit(gieok.__main__.main())
"""


@pytest.mark.parametrize(
    ("mode_of_home", "mode_of_file", "lines"), [(0o000, 0o600, 0), (0o755, 0o000, 1)]
)
def test_a_home_that_cannot_be_read_is_silence(
    known, mode_of_home: int, mode_of_file: int, lines: int
) -> None:
    with tempfile.TemporaryDirectory() as open_folder:  # pytest's own is closed to others
        folder = Path(open_folder)
        folder.chmod(0o755)
        home = folder / "home"
        (home / "logs").mkdir(parents=True)
        (home / "logs").chmod(0o777)
        (home / "memory.sqlite").write_bytes(known.database.read_bytes())
        (home / "memory.sqlite").chmod(mode_of_file)
        home.chmod(mode_of_home)
        payload = json.dumps(known.payload(_LINTER)).encode()
        assert known.run("prompt", payload, code=_AS_NOBODY, GIEOK_HOME=str(home)) == (0, b"", b"")
        home.chmod(0o755)
        log = home / "logs" / "hook.log"
        assert len(log.read_text().splitlines() if log.exists() else []) == lines


def test_an_agent_that_does_not_listen_or_a_full_disk_is_no_error(known) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "gieok", "hook", "prompt"],
            input=json.dumps(known.payload(_LINTER)).encode(),
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        )
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("event", ["prompt", "stop"])
def test_a_home_that_the_hook_makes_is_the_owners_alone(place, event: str) -> None:
    place.hook(event, {"transcript_path": "/t.jsonl"})  # a failure to log, or a transcript to keep
    modes = {
        path.name: path.stat().st_mode & 0o777 for path in (place.home, *place.home.rglob("*"))
    }
    assert modes == {name: 0o600 if "." in name else 0o700 for name in modes}
    assert modes["home"] == 0o700


_MODULES = """
import sys
before = set(sys.modules)  # .pth files import what is no doing of ours
from gieok.__main__ import main
sys.argv = ["gieok", "hook", *sys.argv[1:]]
main()
print(*sys.modules.keys() - before, sep="\\n", file=sys.stderr)
"""
_SLOW = {
    "typing",
    "pathlib",
    "dataclasses",
    "argparse",
    "contextlib",
    "inspect",
    "urllib.request",
    "numpy",
    "yaml",
}


@pytest.mark.parametrize("event", _EVENTS)
def test_the_hook_imports_the_standard_library_alone_and_nothing_slow(known, event: str) -> None:
    (known.home / "config.yaml").write_text("hook: {limit: 2}\n")
    assert main(["config", "show"]) == 0
    payload = known.payload(_LINTER, transcript_path="/t.jsonl")
    # Before a compaction the transcript is taken in, which a host waits for: of no session, nothing.
    payload |= {"session_id": ""} if event == "pre-compact" else {}
    in_project = _loaded(known, event, payload)
    elsewhere = _loaded(known, event, payload | {"cwd": "/"})
    roots = {name.partition(".")[0] for name in in_project | elsewhere}
    assert roots - sys.stdlib_module_names == {"gieok"}
    # A session that starts in a project indexes it, which has other limits than a prompt.
    assert _SLOW & (elsewhere if event == "session-start" else in_project | elsewhere) == set()


def _loaded(place, event: str, payload: dict[str, object]) -> set[str]:
    said = place.run(event, json.dumps(payload).encode(), code=_MODULES)
    assert said.status == 0
    assert not (said.out and event in _SPOOLED)
    return set(said.err.decode().split())


def test_turns_of_talk_are_recalled_but_not_listed_and_crowd_no_note_out(
    known, tmp_path: Path
) -> None:
    """Conversations in the user's scope hold the same words, hundreds of times."""
    state = tmp_path / "openclaw"
    folder = state / "agents" / "main" / "sessions"
    folder.mkdir(parents=True)
    for number in range(60):
        turn = {
            "type": "message",
            "id": "e",
            "parentId": None,
            "timestamp": "2026-11-20T10:00:00Z",
            "message": {"role": "user", "content": "보고서는 존댓말로 쓴다 보고서는 존댓말로"},
        }
        lines = [{"type": "session", "id": f"s{number}"}, turn]
        (folder / f"s{number}.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OPENCLAW_STATE_DIR", str(state))
        assert main(["index", "--sessions", "--scope", "agent:main"]) == 0
    said = known.hook("prompt", known.payload("보고서는 어떤 존댓말로 쓰지?")).context
    assert "항상 존댓말로" in said
    assert said.count("보고서는 존댓말로 쓴다") == 1
    listed = known.hook("session-start", known.payload("")).context
    assert "2026-11-20" not in listed


def test_a_session_starts_from_what_is_there_while_a_writer_holds_the_index(known) -> None:
    base = known.project / ".gieok"
    (base / "memory" / "decision" / "new.md").write_text("# New\n\nWe ship on Fridays.\n")
    untrusted.grant_record_trust(
        known.database.parent, base, base / "memory" / "decision" / "new.md"
    )
    command = [sys.executable, "-m", "gieok", "hook", "session-start"]
    environment = os.environ | known.environment | {"PYTHONPATH": os.pathsep.join(sys.path)}
    writer = sqlite3.connect(known.database, isolation_level=None)
    writer.execute("BEGIN IMMEDIATE")
    # a hang, not a limit: the lock is held until the hook has ended, and a writer waits for 30 s
    try:
        done = subprocess.run(
            command,
            input=json.dumps(known.payload("")).encode(),
            capture_output=True,
            check=False,
            cwd=known.user,
            env=environment,
            timeout=20,
        )
    finally:
        writer.execute("ROLLBACK")
        writer.close()
    assert (done.returncode, done.stderr) == (0, b"")
    assert "Deploy window" in json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"]
    assert "New" in known.hook("session-start", known.payload("")).context
