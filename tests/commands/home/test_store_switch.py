"""`gieok store switch`: from SQLite to a real PostgreSQL and back, interrupted, refused."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from contexts import using

from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.commands.home.status import StatusResult
from gieok.commands.home.store_switch import SwitchResult
from gieok.commands.memory.search import SearchResult
from gieok.errors import BadRequest, StoreError, StoreUnreachable
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.home.stores import list_store_names
from gieok.settings import user_file
from gieok.testing import HashEmbedder
from gieok.testing.samples import HOME, OTHER, build_entry

_NOWHERE = "postgresql://nobody@127.0.0.1:1/memory"


@pytest.fixture
def url(make_database: Callable[[], str]) -> str:
    return make_database()


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> Path:
    home = tmp_path / "home"
    home.mkdir()
    monkeypatch.setenv("GIEOK_HOME", str(home))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.setenv("GIEOK_DATABASE_URL", url)
    monkeypatch.chdir(tmp_path)
    (home / "config.yaml").write_text("# mine\nlang: en  # always\n")
    return home


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for n in range(30):
        (folder / f"{n}.md").write_text(
            f"# 노트 {n}\n\n결제했다 {n}번, 고양이 cat {n % 3}\n", encoding="utf-8"
        )
    return folder


@pytest.fixture
def contexts() -> Iterator[Callable[[], Call]]:
    """Return a function that opens what a new process would see."""
    opened: list[Call] = []

    def make() -> Call:
        embedder = HashEmbedder()
        opened.append(using(open_call({}), open_embedder=lambda: embedder, embedder_name="hash"))
        return opened[-1]

    yield make
    for call in opened:
        for name in ("sqlite", "postgres"):
            call.home.stores.open(name).close()


def _switch(call: Call, name: str, **switches: bool) -> SwitchResult:
    return load_command("store switch")(call, name=name, **switches)


def _search(call: Call, text: str) -> SearchResult:
    return load_command("search")(call, query=[text], min_score=0.0)


def _status(call: Call) -> StatusResult:
    return load_command("status")(call)


def _index(call: Call, *paths: Path) -> None:
    load_command("index")(call, paths=[str(path) for path in paths])


def test_everything_moves_and_finds_the_same(
    home: Path, notes: Path, contexts: Callable[[], Call]
) -> None:
    _index(contexts(), notes)
    before = encode(_search(contexts(), "고양이 결제"))
    moved = _switch(contexts(), "postgres")
    assert (moved.documents, moved.copied, moved.vectors, moved.done) == (30, 30, 30, True)
    assert (home / "config.yaml").read_text() == "# mine\nlang: en  # always\nstore: postgres\n"
    present, style = load_command("store switch").present, Style("en", colour=False)
    assert "prompt hook" in present(moved, style)
    assert "prompt hook" not in present(replace(moved, is_hook_left=False), style)
    assert not list_store_names()["lancedb"], "whose file the hook reads itself"
    assert "옛 색인은 그대로" in load_command("store switch").present(
        moved, Style("ko", colour=False)
    )
    after = contexts()
    assert after.home.stores.name == "postgres"
    assert encode(_search(after, "고양이 결제")) == before
    assert _status(after).state == "synced"
    assert any("pgvector" in line for line in _status(after).details)
    back = _switch(contexts(), "sqlite")
    assert (back.copied, back.vectors) == (0, 0)
    assert "store: sqlite\n" in (home / "config.yaml").read_text()


def test_a_dry_run_changes_nothing(home: Path, notes: Path, contexts: Callable[[], Call]) -> None:
    _index(contexts(), notes)
    told: list[str] = []
    result = _switch(replace(contexts(), tell=told.append), "postgres", dry_run=True)
    assert not result.done
    assert (
        load_command("store switch").present(result, Style("en", colour=False))
        == "Nothing was changed."
    )
    assert "30 documents" in told[0]
    assert contexts().home.stores.name == "sqlite"
    assert contexts().home.stores.open("postgres").scopes() == []


class _Killed(Exception):
    pass


@pytest.mark.parametrize("moment", ["copied 30", "vectors 30", "choose"])
def test_interrupted_at_any_moment_the_old_store_is_in_use_and_a_second_run_goes_on(
    home: Path,
    notes: Path,
    contexts: Callable[[], Call],
    moment: str,
) -> None:
    _index(contexts(), notes)

    def interrupt(line: str) -> None:
        if line == moment:
            raise _Killed

    def never(*_: object) -> None:
        raise _Killed

    broken = replace(contexts(), say=interrupt)
    with pytest.MonkeyPatch.context() as patch:
        if moment == "choose":
            patch.setattr(user_file, "choose", never)
        with pytest.raises(_Killed):
            _switch(broken, "postgres")
    assert contexts().home.stores.name == "sqlite"
    assert _search(contexts(), "고양이").found
    assert _switch(contexts(), "postgres").documents == 30
    assert _search(contexts(), "고양이").found


def test_what_only_the_new_store_holds_is_not_forgotten_unasked(
    home: Path, notes: Path, contexts: Callable[[], Call]
) -> None:
    _index(contexts(), notes)
    contexts().home.stores.open("postgres").put(
        [build_entry("theirs", "남의 것"), build_entry("other", "x", scope=OTHER)]
    )
    with pytest.raises(BadRequest, match="holds 1 documents in yours, in all projects"):
        _switch(contexts(), "postgres")
    _switch(contexts(), "postgres", replace=True)
    assert len(contexts().home.store.hashes(HOME)) == 30
    assert contexts().home.store.hashes(OTHER).keys() == {"other"}


def test_a_name_that_is_none_or_in_use_is_refused(home: Path, contexts: Callable[[], Call]) -> None:
    for name in ("", "sqlite", "mysql"):
        with pytest.raises(BadRequest, match="no store to switch to"):
            _switch(contexts(), name)


def test_a_store_that_an_environment_variable_decides_is_not_switched(
    home: Path, notes: Path, contexts: Callable[[], Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    _index(contexts(), notes)
    monkeypatch.setenv("GIEOK_STORE", "sqlite")
    with pytest.raises(BadRequest, match="GIEOK_STORE"):
        _switch(contexts(), "postgres")


def test_a_server_that_is_down_leaves_everything_as_it_is(
    home: Path, notes: Path, contexts: Callable[[], Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    _index(contexts(), notes)
    monkeypatch.setenv("GIEOK_DATABASE_URL", _NOWHERE)
    with pytest.raises(StoreUnreachable, match="postgres unreachable"):
        _switch(contexts(), "postgres")
    assert contexts().home.stores.name == "sqlite"


def test_a_store_that_never_becomes_the_same_is_not_switched_to(
    home: Path, notes: Path, contexts: Callable[[], Call]
) -> None:
    _index(contexts(), notes)
    call = contexts()
    numbers = iter(range(100))

    def write_meanwhile(line: str) -> None:
        if line.startswith("vectors"):
            return
        call.home.store.put([build_entry(f"late {next(numbers)}", "늦은 글")])

    call.home.store.put([build_entry("first", "글")])
    busy = replace(call, say=write_meanwhile)
    with pytest.raises(StoreError, match="is not the same"):
        _switch(busy, "postgres")
    assert contexts().home.stores.name == "sqlite"


def test_with_hybrid_a_local_index_answers_while_the_server_does_not(
    home: Path, notes: Path, contexts: Callable[[], Call], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIEOK_STORE", "postgres")
    monkeypatch.setenv("GIEOK_HYBRID", "true")
    _index(contexts(), notes)
    (notes / "31.md").write_text("# 새 노트\n\n환불 규정\n", encoding="utf-8")
    _index(contexts(), notes)
    healthy = _search(contexts(), "환불 규정")
    assert healthy.degraded is None
    assert any(
        line.startswith("beside it: 31 of 31 documents") for line in _status(contexts()).details
    )
    monkeypatch.setenv("GIEOK_DATABASE_URL", _NOWHERE)
    found = _search(contexts(), "환불 규정")
    assert _paths(found) == _paths(healthy)
    assert found.degraded
    assert load_command("get")(contexts(), path="31.md:3").text == "환불 규정"
    assert found.degraded.startswith("postgres unreachable: postgresql://nobody@127.0.0.1:1/memory")
    assert _status(contexts()).unreachable.startswith("postgres unreachable")
    monkeypatch.setenv("GIEOK_HYBRID", "false")
    with pytest.raises(StoreUnreachable):
        _search(contexts(), "환불 규정")


def _paths(found: SearchResult) -> Sequence[str]:
    return tuple(hit.path for hit in found.results)
