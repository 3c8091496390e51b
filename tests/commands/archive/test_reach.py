"""Every operation reaches what is archived, and says where it is; what is forgotten is gone from
files, too.
"""

import gzip
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from gieok.commands import load_command
from gieok.commands.encode import encode
from gieok.flow.distil import deliver
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.tiers import shelf
from gieok.model.memory import Scope, Tier
from gieok.testing.clock import ManualClock
from gieok.text.handles import build_handle

_USER = Scope("agent:main")
_OLD = datetime(2026, 5, 4, 9, 30, tzinfo=UTC)
_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)
_SECRET = "Quixotic marmalade"
_SAID = {
    _SECRET: ("The code name of the launch is Quixotic marmalade", Category.STATE),
    "umbrella": ("The umbrella stands behind the door", Category.STATE),
    "ruff": ("Prefers ruff to any other linter", Category.PREFERENCE),
}


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(_NOW)


@pytest.fixture
def go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock) -> Callable[..., Any]:
    """Return a function that runs an operation in a home whose three memories are in warm."""
    for name, value in {"HOME": str(tmp_path), "GIEOK_HOME": str(tmp_path / "home")}.items():
        monkeypatch.setenv(name, value)
    for name, value in {
        "GIEOK_EMBEDDER": "none",
        "GIEOK_OBSERVE_AGENTS": "none",
        "GIEOK_LANG": "en",
    }.items():
        monkeypatch.setenv(name, value)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    told: list[str] = []

    def run(name: str, **request: Any) -> Any:
        found = load_command(name)
        return found(_context(clock, told), **request)

    call = _context(clock, told)
    made = [Observation(text, _OLD, Priority.MEDIUM, category) for text, category in _SAID.values()]
    call.home.journal.hand_over(
        observation.build_observed_entries(_USER, Observed(tuple(made)), _OLD)
    )
    deliver(call.home.journal, call.home.store)
    assert run("archive run").moved == 3
    return run


def _context(clock: ManualClock, told: list[str]) -> Call:
    return open_call({}, clock=clock, zone=UTC, tell=told.append)


def _handle(word: str) -> str:
    text, category = _SAID[word]
    return build_handle(_USER.path, Observation(text, _OLD, Priority.MEDIUM, category).key)


def _day(tmp_path: Path) -> Path:
    return tmp_path / "home" / "archive" / "warm" / "agent-main" / "2026-05-04.md"


def _holding(folder: Path, word: str) -> list[str]:
    """Return the files that hold a word, as `grep -a` finds it, also in packed ones."""
    files = [file for file in folder.rglob("*") if file.is_file()]
    data = {
        file: gzip.decompress(file.read_bytes()) if file.suffix == ".gz" else file.read_bytes()
        for file in files
    }
    return [
        str(file.relative_to(folder)) for file, content in data.items() if word.encode() in content
    ]


def test_search_list_get_and_why_find_it_and_say_which_tier(go: Callable[..., Any]) -> None:
    found = go("search", query=["code name of the launch"])
    (hit,) = [one for one in encode(found)["results"] if one["handle"] == _handle(_SECRET)]
    assert (hit["tier"], hit["status"]) == ("warm", "stands")
    assert "archived: warm" in load_command("search").present(found, _style())
    listed = go("list")
    assert {row["tier"] for row in encode(listed)["memories"]} == {"warm"}
    assert load_command("list").present(listed, _style()).count("archived: warm") == 3
    got = go("get", path=_handle(_SECRET))
    assert (got.text, encode(got)["tier"]) == (_SAID[_SECRET][0], "warm")
    why = go("why", id=_handle("umbrella"))
    assert (encode(why)["tier"], encode(why)["archived_in"]) == ("warm", "2026-05-04.md")
    assert "archived: warm 2026-05-04.md" in load_command("why").present(why, _style())


def _style() -> Any:
    from gieok.commands.command import Style

    return Style("en", colour=False)


def test_a_corrected_memory_is_hot_again_and_its_file_says_it_no_more(
    go: Callable[..., Any], tmp_path: Path
) -> None:
    go("edit", handle=_handle(_SECRET), text=["The code name is Teapot"])
    assert _holding(tmp_path / "home" / "archive", _SECRET) == []
    assert "umbrella" in _day(tmp_path).read_text()
    got = encode(go("get", path=_handle(_SECRET)))
    assert (got["text"], got["tier"]) == ("The code name is Teapot", "hot")
    assert encode(go("why", id=_handle(_SECRET)))["replaced"][0]["text"] == _SAID[_SECRET][0]


@pytest.mark.parametrize("is_packed", [False, True])
def test_what_is_forgotten_is_in_no_file_any_more(
    go: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_packed: bool
) -> None:
    if is_packed:
        monkeypatch.setattr(shelf, "LARGE_BYTES", 10)
        day = _day(tmp_path)
        day.write_text(day.read_text() + "\nmine\n")
        go("archive run")
        assert day.with_suffix(".md.gz").exists()
    damaged = _day(tmp_path).parent / "damaged"
    damaged.mkdir()
    (damaged / "x.md").write_text(_SECRET)
    done = go("forget", match=_SECRET, yes=True)
    assert done.done.still_in == ()
    assert _holding(tmp_path / "home", _SECRET) == []
    assert go("search", query=["umbrella"]).found
    go("forget", match="umbrella", yes=True)
    go("forget", match="ruff", yes=True)
    assert [row.text for row in go("list").memories] == []
    assert [path.name for path in _day(tmp_path).parent.iterdir()] == (
        ["2026-05-04.md.gz"] if is_packed else []
    )


def test_a_rebuild_takes_archived_memories_from_their_files(
    go: Callable[..., Any], tmp_path: Path
) -> None:
    for file in (tmp_path / "home").glob("memory.sqlite*"):
        file.unlink()
    done = go("rebuild")
    assert (done.documents, done.from_journal, done.failed) == (3, 3, ())
    assert {row.tier for row in go("list").memories} == {Tier.WARM}
    _day(tmp_path).write_bytes(b"\xff torn")
    done = go("rebuild")
    assert "2026-05-04.md" in " ".join(one.reason for one in done.failed)
    assert {row.tier for row in go("list").memories} == {Tier.WARM}, "from the old index"
    assert "missing" in go("archive run").wrong[-1]
    assert "umbrella" in _day(tmp_path).read_text()


def test_redacting_and_restoring_reach_it(
    go: Callable[..., Any], tmp_path: Path, clock: ManualClock
) -> None:
    call = _context(clock, [])
    journal = call.home.journal
    journal.hand_over(journal.made(_USER))
    key = "sk-ant-api03-" + "Zx81kQ" * 16
    made = Observation(f"The key is {key}", _OLD, Priority.MEDIUM, Category.STATE)
    journal.hand_over(observation.build_observed_entries(_USER, Observed((made,)), _OLD))
    deliver(journal, call.home.store)
    go("archive run")
    assert key in _day(tmp_path).read_text()
    assert go("redact", all=True).cleaned.journal == 1
    go("redact", all=True, apply=True)
    assert _holding(tmp_path / "home", key) == []
    assert go("archive restore", day="2026-05-04").moved == 3
    assert {row.tier for row in go("list").memories} == {Tier.HOT}
    assert not _day(tmp_path).exists()
    clock.advance(timedelta(days=31))
    assert go("archive run").moved == 4


def test_what_stands_is_told_at_any_age_and_the_rest_is_not(
    go: Callable[..., Any], clock: ManualClock
) -> None:
    told = go("observe show")
    texts = " ".join(str(part) for part in encode(told).values())
    assert "ruff" in texts
    assert "umbrella" not in texts
    sidecar = _context(clock, []).home.sidecar
    sidecar.write_active_memory(_USER)
    assert "ruff" in sidecar.active_file(_USER).read_text()


def test_the_newest_wins_over_what_is_archived(go: Callable[..., Any], clock: ManualClock) -> None:
    call = _context(clock, [])
    text, category = _SAID["umbrella"]
    old = Observation(text, _OLD, Priority.MEDIUM, category)
    new = Observation(
        "The umbrella is in the car", _NOW, Priority.MEDIUM, Category.STATE, replaces=(old.key,)
    )
    stored = {document.key: document for document in call.home.store.get(_USER, [old.key])}
    made = observation.build_observed_entries(_USER, Observed((new,)), _NOW)
    call.home.journal.hand_over(observation.with_ends(made, Observed((new,)), stored))
    deliver(call.home.journal, call.home.store)
    rows = {row.handle: (row.status, row.tier) for row in go("list", words=["umbrella"]).memories}
    assert rows == {
        _handle("umbrella"): ("replaced", Tier.HOT),
        build_handle(_USER.path, new.key): ("stands", Tier.HOT),
    }
    assert go("archive run").moved == 1
    assert {row.handle: row.status for row in go("list", words=["umbrella"]).memories} == {
        _handle("umbrella"): "replaced",
        build_handle(_USER.path, new.key): "stands",
    }
