"""A project's graph is what the last change of each file says, and only differences are written."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from gieok.model.code import (
    Edge,
    Executed,
    Execution,
    ExecutionCount,
    GraphChange,
    Keeping,
    LinkedFile,
    Links,
    SourceFile,
    Summary,
    Symbol,
    UnresolvedCall,
)
from gieok.storage.index.sqlite import made_documents
from gieok.storage.index.sqlite.graph import ProjectStore

_LANGUAGES = {"py": "python", "js": "javascript"}


def _file(path: str) -> tuple[SourceFile, str]:
    language = _LANGUAGES[path.rpartition(".")[2]]
    return SourceFile(path, language, f"hash of {path}", 7, 8, "parsed"), f"facts of {path}"


def _symbol(path: str, name: str, line: int = 1, code_hash: str = "h") -> Symbol:
    return Symbol(
        key=f"{path}::{name}",
        path=path,
        name=name,
        kind="function",
        start_line=line,
        end_line=line + 1,
        parent="",
        signature=f"def {name}()",
        doc="",
        complexity=1,
        traits="",
        status="",
        code_hash=code_hash,
    )


_SYMBOLS = {
    "a.py": [_symbol("a.py", "one", 3), _symbol("a.py", "two", 6)],
    "b.py": [_symbol("b.py", "three")],
    "c.js": [_symbol("c.js", "four")],
}
_EDGES = [
    Edge("a.py::one", "b.py::three", "calls", 1, "resolved call", 4),
    Edge("a.py::two", "a.py::one", "calls", 1, "resolved call", 7),
    Edge("a.py::two", "a.py::one", "references", 2, "a reference", 7),
    Edge("b.py::three", "a.py::two", "calls", 3, "resolved call", 2),
]
_CALLS = [
    UnresolvedCall("a.py::one", "open", 5),
    UnresolvedCall("a.py::two", "close", 7),
    UnresolvedCall("b.py::three", "open", 2),
]
_OF_SCRIPT = Edge("c.js::four", "c.js::four", "calls", 1, "resolved call", 1)
_OPEN_IN_SCRIPT = UnresolvedCall("c.js::four", "open", 1)


def _links(
    edges: Sequence[Edge],
    calls: Sequence[UnresolvedCall],
    languages: Sequence[str] = ("python",),
    solutions: Mapping[str, bytes] | None = None,
    paths: Sequence[str] | None = None,
) -> Links:
    return Links(
        edges=edges,
        unresolved_calls=calls,
        languages=languages,
        solutions=solutions or {},
        paths=paths,
    )


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ProjectStore]:
    """Return a store with two files of Python and one of JavaScript, all linked."""
    with closing(ProjectStore(tmp_path / "index.sqlite")) as opened:
        opened.replace([*map(_file, _SYMBOLS)], [], GraphChange(_SYMBOLS, {}, None))
        both = {"python": b"solved", "javascript": b"solved too"}
        opened.replace([], [], GraphChange({}, {}, _links(_EDGES, _CALLS, solutions=both)))
        script = _links([_OF_SCRIPT], [_OPEN_IN_SCRIPT], ["javascript"])
        opened.replace([], [], GraphChange({}, {}, script))
        yield opened


def _list_calls(store: ProjectStore) -> list[UnresolvedCall]:
    return store.unresolved_calls(["open", "close", "seek"])


def test_what_was_linked_is_read_back(store: ProjectStore) -> None:
    assert list(store.files()) == ["a.py", "b.py", "c.js"]
    assert store.files()["a.py"] == _file("a.py")[0]
    assert list(store.facts()) == [(path, f"facts of {path}") for path in _SYMBOLS]
    assert list(store.facts(["c.js", "a.py"])) == [(p, f"facts of {p}") for p in ("a.py", "c.js")]
    assert store.fact_paths(["python"]) == ["a.py", "b.py"]
    assert list(store.all_symbols()) == [s for symbols in _SYMBOLS.values() for s in symbols]
    assert list(store.all_edges()) == [*_EDGES, _OF_SCRIPT]
    assert list(store.all_edges("references")) == [_EDGES[2]]
    assert store.edges_into(["a.py::one"]) == _EDGES[1:3]
    assert store.edges_out_of(["a.py::one", "b.py::three"]) == [_EDGES[0], _EDGES[3]]
    assert store.edges_between(["a.py::one", "a.py::two"]) == _EDGES[1:3]
    assert store.edges_between([]) == []
    assert _list_calls(store) == [*_CALLS, _OPEN_IN_SCRIPT]
    assert store.count_unresolved_calls() == 4
    assert store.solved_families() == {"python", "javascript"}
    assert (store.solution("python"), store.solution("go")) == (b"solved", b"")


def test_a_symbol_that_stays_keeps_its_edges_and_one_that_went_takes_them_along(
    store: ProjectStore,
) -> None:
    changed = [_symbol("a.py", "one", 9), _symbol("a.py", "five")]
    store.replace([], [], GraphChange({"a.py": changed}, {}, None))
    assert store.symbols(paths=["a.py"]) == [changed[1], changed[0]]
    assert store.symbols(keys=["a.py::one"], names=["three"]) == [changed[0], *_SYMBOLS["b.py"]]
    assert list(store.all_edges()) == [_EDGES[0], _OF_SCRIPT]
    assert _list_calls(store) == [_CALLS[0], _CALLS[2], _OPEN_IN_SCRIPT]


def test_edges_and_calls_move_with_their_lines(store: ProjectStore) -> None:
    store.replace([], [], GraphChange({}, {"a.py": {0: 0, 4: 5, 5: 14, 7: 4}}, None))
    assert list(store.all_edges()) == [
        _EDGES[0]._replace(line=5),
        _EDGES[1]._replace(line=4),
        _EDGES[2]._replace(line=4),
        _EDGES[3],
        _OF_SCRIPT,
    ]
    assert _list_calls(store) == [
        _CALLS[0]._replace(line=14),
        _CALLS[1]._replace(line=4),
        _CALLS[2],
        _OPEN_IN_SCRIPT,
    ]


_NEW_EDGES = [_EDGES[0]._replace(tier=2), _EDGES[2], _EDGES[3]._replace(line=8)]
_NEW_CALLS = [UnresolvedCall("a.py::one", "seek", 5), _CALLS[2]]


def test_the_links_of_a_language_take_the_place_of_its_former_ones(store: ProjectStore) -> None:
    store.replace([], [], GraphChange({}, {}, None), Keeping(["a.py", "c.js"]))
    new = _links(_NEW_EDGES, _NEW_CALLS, solutions={"python": b""})
    store.replace([], [], GraphChange({}, {}, new))
    assert list(store.all_edges()) == [*_NEW_EDGES, _OF_SCRIPT]
    assert _list_calls(store) == [*_NEW_CALLS, _OPEN_IN_SCRIPT]
    assert store.solved_families() == {"javascript"}
    assert store.linked_paths() == {"c.js": "javascript"}


def test_the_links_of_a_file_take_the_place_of_its_former_ones(store: ProjectStore) -> None:
    edge = Edge("a.py::two", "b.py::three", "calls", 1, "resolved call", 7)
    call = UnresolvedCall("a.py::two", "seek", 8)
    store.replace([], [], GraphChange({}, {}, _links([edge], [call], paths=["a.py"])))
    assert list(store.all_edges()) == [edge, _EDGES[3], _OF_SCRIPT]
    assert _list_calls(store) == [call, _CALLS[2], _OPEN_IN_SCRIPT]
    assert store.solved_families() == {"python", "javascript"}


def test_what_a_file_was_is_kept_once_and_dropped_solutions_go(store: ProjectStore) -> None:
    before = LinkedFile("a.py", "facts of a.py", _EDGES[:3], [_CALLS[1], _CALLS[0]])
    store.replace([], [], GraphChange({}, {}, None), Keeping(["a.py"], ["javascript"]))
    assert store.solved_families() == {"python"}
    assert store.linked_files(["python"]) == [before]
    again = (_file("a.py")[0], "facts that changed")
    store.replace([again], ["b.py"], GraphChange({"a.py": []}, {}, None), Keeping(["a.py"]))
    assert store.linked_files(["python"]) == [before]
    assert store.linked_files(["javascript"]) == []
    assert store.linked_paths() == {"a.py": "python"}
    assert list(store.files()) == ["a.py", "c.js"]


def test_only_what_differs_is_written(store: ProjectStore) -> None:
    with store._writing() as db:
        before = db.total_changes
    store.replace([], [], GraphChange(_SYMBOLS, {}, _links(_EDGES, _CALLS)))
    store.replace([], [], GraphChange({}, {}, _links(_NEW_EDGES, _CALLS[1:])))
    with store._writing() as db:
        # One edge of another certainty and one of another line are deleted and made, one edge and
        # one call are deleted.
        assert db.total_changes - before == 2 + 2 + 1 + 1


@pytest.mark.parametrize("paths", [None, ["a.py"]])
def test_of_two_links_that_differ_in_their_line_alone_one_may_go(
    store: ProjectStore, paths: Sequence[str] | None
) -> None:
    edges, calls = (_EDGES, _CALLS) if paths is None else (_EDGES[:3], _CALLS[:2])
    twice = _links(
        [*edges, _EDGES[0]._replace(line=5)], [*calls, _CALLS[0]._replace(line=9)], paths=paths
    )
    store.replace([], [], GraphChange({}, {}, twice))
    assert len(list(store.all_edges())) == len(_EDGES) + 2
    assert store.count_unresolved_calls() == len(_CALLS) + 2
    moved = {0: 0, 4: 4, 5: 5, 7: 7, 9: 11}
    store.replace([], [], GraphChange({}, {"a.py": moved}, None))
    assert [call.line for call in store.unresolved_calls(["open"])[:2]] == [5, 11]
    store.replace([], [], GraphChange({}, {}, _links(edges, calls, paths=paths)))
    assert list(store.all_edges()) == [*_EDGES, _OF_SCRIPT]
    assert _list_calls(store) == [*_CALLS, _OPEN_IN_SCRIPT]


def test_a_written_summary_is_not_replaced_by_one_that_waits(store: ProjectStore) -> None:
    written, waiting = Summary("h", "what it does", "model"), Summary("h", "", "")
    store.write_summaries([waiting, Summary("i", "", "")])
    store.write_summaries([written])
    store.write_summaries([waiting])
    assert store.summaries() == {"h": written, "i": Summary("i", "", "")}
    assert store.summaries(["h", "x"]) == {"h": written}
    store.write_summaries([], ["h"])
    assert list(store.summaries()) == ["i"]


_RAN = [
    Execution("b.py::three", "a.py::one", "h", "h"),
    Execution("b.py::three", "a.py::two", "h", "former"),
    Execution("c.js::four", "a.py::one", "former", "h"),
    Execution("c.js::four", "gone.py::six", "h", "h"),
]


def test_what_tests_ran_is_known_with_whether_it_is_still_the_same(store: ProjectStore) -> None:
    store.put_executions(_RAN, [], [])
    assert store.executed(["a.py::one", "a.py::two"]) == [
        Executed("b.py::three", "a.py::one", True, True),
        Executed("b.py::three", "a.py::two", True, False),
        Executed("c.js::four", "a.py::one", False, True),
    ]
    assert store.settled(["b.py::three", "c.js::four"]) == set()
    assert store.count_executions() == ExecutionCount(
        pairs=3, tests=2, functions=2, changed=2, gone=1
    )
    store.put_executions([], ["b.py::three"], ["a.py"])
    assert store.executed(["a.py::one", "a.py::two"]) == [
        Executed("c.js::four", "a.py::one", False, True)
    ]
    store.put_executions(_RAN[:1], ["b.py::three"], ["a.py"])
    assert store.settled(["b.py::three"]) == {"b.py::three"}
    store.forget_executions()
    assert store.executed(["a.py::one"]) == []


def test_what_was_made_is_kept_by_name_and_read_back() -> None:
    made = made_documents.Made([Summary("h", "what it does", "model")], sorted(_RAN))
    values = made_documents.dump_made_values(made)
    assert sorted(values) == ["run:b.py::three", "run:c.js::four", "summary:h"]
    read = made_documents.load_made_values(values)
    assert (read.summaries, sorted(read.executions)) == made
    assert made_documents.names_of_runs(values) == {"run:b.py::three", "run:c.js::four"}
    assert made_documents.names_of_summaries(["h"]) == {"summary:h"}
