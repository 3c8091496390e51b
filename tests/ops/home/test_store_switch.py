"""`gieok store switch`: from SQLite to a real PostgreSQL and back, interrupted, refused."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from contexts import using

from gieok.app import open_context
from gieok.errors import BadRequest, StoreError, StoreUnreachable
from gieok.ops import operation
from gieok.ops.context import Context
from gieok.ops.encode import encode
from gieok.ops.home.status import StatusRequest, StatusResult
from gieok.ops.home.store_switch import SwitchRequest, SwitchResult
from gieok.ops.memory.get import GetRequest
from gieok.ops.memory.index import IndexRequest
from gieok.ops.memory.search import SearchRequest, SearchResult
from gieok.ops.operation import Style
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
def contexts() -> Iterator[Callable[[], Context]]:
    """Return a function that opens what a new process would see."""
    opened: list[Context] = []

    def make() -> Context:
        embedder = HashEmbedder()
        opened.append(
            using(open_context({}), "memory", embedder=lambda: embedder, embedder_name="hash")
        )
        return opened[-1]

    yield make
    for context in opened:
        for name in ("sqlite", "postgres"):
            context.admin.open_store(name).close()


def _switch(context: Context, name: str, **switches: bool) -> SwitchResult:
    return operation("store switch").handler(context, SwitchRequest(name=name, **switches))


def _search(context: Context, text: str) -> SearchResult:
    return operation("search").handler(context, SearchRequest(query=[text], min_score=0.0))


def _status(context: Context) -> StatusResult:
    return operation("status").handler(context, StatusRequest())


def _index(context: Context, *paths: Path) -> None:
    operation("index").handler(context, IndexRequest(paths=[str(path) for path in paths]))


def test_everything_moves_and_finds_the_same(
    home: Path, notes: Path, contexts: Callable[[], Context]
) -> None:
    _index(contexts(), notes)
    before = encode(_search(contexts(), "고양이 결제"))
    moved = _switch(contexts(), "postgres")
    assert (moved.documents, moved.copied, moved.vectors, moved.done) == (30, 30, 30, True)
    assert (home / "config.yaml").read_text() == "# mine\nlang: en  # always\nstore: postgres\n"
    present, style = operation("store switch").present, Style("en", colour=False)
    assert "prompt hook" in present(moved, style)
    assert "prompt hook" not in present(replace(moved, is_hook_left=False), style)
    assert not contexts().admin.store_names["lancedb"], "whose file the hook reads itself"
    assert "옛 색인은 그대로" in operation("store switch").present(moved, Style("ko", colour=False))
    after = contexts()
    assert after.memory.store_name == "postgres"
    assert encode(_search(after, "고양이 결제")) == before
    assert _status(after).state == "synced"
    assert any("pgvector" in line for line in _status(after).details)
    back = _switch(contexts(), "sqlite")
    assert (back.copied, back.vectors) == (0, 0)
    assert "store: sqlite\n" in (home / "config.yaml").read_text()


def test_a_dry_run_changes_nothing(
    home: Path, notes: Path, contexts: Callable[[], Context]
) -> None:
    _index(contexts(), notes)
    told: list[str] = []
    result = _switch(replace(contexts(), tell=told.append), "postgres", dry_run=True)
    assert not result.done
    assert (
        operation("store switch").present(result, Style("en", colour=False))
        == "Nothing was changed."
    )
    assert "30 documents" in told[0]
    assert contexts().memory.store_name == "sqlite"
    assert contexts().admin.open_store("postgres").scopes() == []


class _Killed(Exception):
    pass


@pytest.mark.parametrize("moment", ["copied 30", "vectors 30", "choose"])
def test_interrupted_at_any_moment_the_old_store_is_in_use_and_a_second_run_goes_on(
    home: Path, notes: Path, contexts: Callable[[], Context], moment: str
) -> None:
    _index(contexts(), notes)

    def interrupt(line: str) -> None:
        if line == moment:
            raise _Killed

    def never(setting: str, name: str) -> None:
        raise _Killed

    broken = replace(contexts(), say=interrupt)
    with pytest.raises(_Killed):
        _switch(using(broken, "admin", choose=never) if moment == "choose" else broken, "postgres")
    assert contexts().memory.store_name == "sqlite"
    assert _search(contexts(), "고양이").found
    assert _switch(contexts(), "postgres").documents == 30
    assert _search(contexts(), "고양이").found


def test_what_only_the_new_store_holds_is_not_forgotten_unasked(
    home: Path, notes: Path, contexts: Callable[[], Context]
) -> None:
    _index(contexts(), notes)
    contexts().admin.open_store("postgres").put(
        [build_entry("theirs", "남의 것"), build_entry("other", "x", scope=OTHER)]
    )
    with pytest.raises(BadRequest, match="holds 1 documents in agent:main"):
        _switch(contexts(), "postgres")
    _switch(contexts(), "postgres", replace=True)
    assert len(contexts().memory.store().hashes(HOME)) == 30
    assert contexts().memory.store().hashes(OTHER).keys() == {"other"}


def test_a_name_that_is_none_or_in_use_is_refused(
    home: Path, contexts: Callable[[], Context]
) -> None:
    for name in ("", "sqlite", "mysql"):
        with pytest.raises(BadRequest, match="no store to switch to"):
            _switch(contexts(), name)


def test_a_store_that_an_environment_variable_decides_is_not_switched(
    home: Path, notes: Path, contexts: Callable[[], Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    _index(contexts(), notes)
    monkeypatch.setenv("GIEOK_STORE", "sqlite")
    with pytest.raises(BadRequest, match="GIEOK_STORE"):
        _switch(contexts(), "postgres")


def test_a_server_that_is_down_leaves_everything_as_it_is(
    home: Path, notes: Path, contexts: Callable[[], Context], monkeypatch: pytest.MonkeyPatch
) -> None:
    _index(contexts(), notes)
    monkeypatch.setenv("GIEOK_DATABASE_URL", _NOWHERE)
    with pytest.raises(StoreUnreachable, match="postgres unreachable"):
        _switch(contexts(), "postgres")
    assert contexts().memory.store_name == "sqlite"


def test_a_store_that_never_becomes_the_same_is_not_switched_to(
    home: Path, notes: Path, contexts: Callable[[], Context]
) -> None:
    _index(contexts(), notes)
    context = contexts()
    numbers = iter(range(100))

    def write_meanwhile(line: str) -> None:
        if line.startswith("vectors"):
            return
        context.memory.store().put([build_entry(f"late {next(numbers)}", "늦은 글")])

    context.memory.store().put([build_entry("first", "글")])
    busy = replace(context, say=write_meanwhile)
    with pytest.raises(StoreError, match="is not the same"):
        _switch(busy, "postgres")
    assert contexts().memory.store_name == "sqlite"


def test_with_hybrid_a_local_index_answers_while_the_server_does_not(
    home: Path, notes: Path, contexts: Callable[[], Context], monkeypatch: pytest.MonkeyPatch
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
    assert operation("get").handler(contexts(), GetRequest(path="31.md:3")).text == "환불 규정"
    assert found.degraded.startswith("postgres unreachable: postgresql://nobody@127.0.0.1:1/memory")
    assert _status(contexts()).unreachable.startswith("postgres unreachable")
    monkeypatch.setenv("GIEOK_HYBRID", "false")
    with pytest.raises(StoreUnreachable):
        _search(contexts(), "환불 규정")


def _paths(found: SearchResult) -> Sequence[str]:
    return tuple(hit.path for hit in found.results)
