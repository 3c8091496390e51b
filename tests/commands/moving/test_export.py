"""What goes out comes back: out, into a fresh home, and out again is the same, whatever was
remembered.
"""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gieok.commands.moving.export import export_memory as export
from gieok.commands.moving.import_memory import import_memories as take_in
from gieok.errors import BadRequest
from gieok.flow import distil
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation
from gieok.memory.exchange import json_lines
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.model.conversation import Cursor, Message, Role
from gieok.model.memory import CORRECTED, REPLACED_BY, Entry, Passage, Provenance, Scope

_START = datetime(2026, 1, 1, tzinfo=UTC)
_TEXTS = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=60).filter(
    lambda t: t.strip()
)
_SCOPES = st.sampled_from(["agent:main", "project:shop-0a1b2c3d"])
_TIMES = st.integers(0, 400 * 86_400_000).map(lambda ms: _START + timedelta(milliseconds=ms))


@st.composite
def _memories(draw: st.DrawFn) -> Entry:
    o = Observation(
        " ".join(draw(_TEXTS).split()),
        draw(_TIMES),
        draw(st.sampled_from(Priority)),
        draw(st.sampled_from(Category)),
        draw(st.booleans()),
        tuple(draw(st.lists(st.sampled_from(["m1", "m2#0"]), max_size=2))),
    )
    (made,) = observation.build_observed_entries(Scope(draw(_SCOPES)), Observed((o,)), _START)
    more = draw(
        st.sampled_from([{}, {CORRECTED: "2026-02-01T00:00:00+00:00"}, {REPLACED_BY: "observe:x"}])
    )
    document = replace(
        made.document,
        metadata=made.document.metadata | more,
        title=draw(st.sampled_from(["", "제목"])),
        valid_to=draw(st.sampled_from([None, o.at])),
        provenance=(*made.document.provenance, Provenance("/x/y.md", 1, 2))[
            : draw(st.integers(0, 2))
        ],
    )
    cut = draw(st.integers(0, len(document.text)))
    return Entry(document, (Passage(0, cut, 1, 1, "머리"), Passage(cut, len(document.text), 1, 1)))


_SAID = st.builds(
    Message,
    st.text("abc", min_size=1, max_size=4),
    st.sampled_from(Role),
    _TEXTS,
    _TIMES,
    st.sampled_from(["s1", "s2"]),
    st.just("codex"),
    st.integers(0, 9),
    st.sampled_from(["", "/t.jsonl"]),
    st.integers(0, 9),
)


def _context(folder: Path, home: str, scope: str = "") -> Call:
    environment = {"HOME": str(folder), "GIEOK_HOME": str(folder / home)}
    flags = {"embedder": "none", "observe.agents": "none", **({"scope": scope} if scope else {})}
    return open_call(flags, environment=environment, folder=folder)


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))


def _opened(monkeypatch: pytest.MonkeyPatch, folder: Path, home: str, scope: str = "") -> Call:
    monkeypatch.setenv("GIEOK_HOME", str(folder / home))
    return _context(folder, home, scope)


def _fill(call: Call, memories: list[Entry], said: list[Message], replaced: list[Entry]) -> None:
    journal, store = call.home.journal, call.home.store
    for entry in replaced:
        distil.replaced(journal, store, [entry.document], _START)
    journal.hand_over(put=list({(e.document.scope, e.document.key): e for e in memories}.values()))
    distil.deliver(journal, store)
    ours = list({message.id: message for message in said}.values())
    if ours:
        journal.append(Scope("agent:main"), ours, Cursor("t", "/t.jsonl", 1), None)
        journal.correct(Scope("agent:main"), ours[0].id, "고친 말")
        forgotten = journal.read(Scope("agent:main"), 0, budget_tokens=99)[1:2]
        journal.erase(
            Scope("agent:main"),
            [m.seq for m in forgotten],
            blanks={m.seq: "   " for m in forgotten},
        )
    record = call.home.folder / "memory" / "decision" / "린터.md"
    record.parent.mkdir(parents=True)
    record.write_text("---\ntitle: 린터\ncategory: decision\n---\nruff를 쓴다.\n")


@settings(
    max_examples=6,
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    st.lists(_memories(), max_size=6),
    st.lists(_SAID, max_size=6),
    st.lists(_memories(), max_size=3),
)
def test_out_in_and_out_again_is_the_same(
    monkeypatch: pytest.MonkeyPatch,
    memories: list[Entry],
    said: list[Message],
    replaced: list[Entry],
) -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        _fill(_opened(monkeypatch, folder, "a"), memories, said, replaced)
        export(_opened(monkeypatch, folder, "a"), to="a.jsonl")
        for _ in range(2):  # twice is once
            take_in(_opened(monkeypatch, folder, "b"), what=["a.jsonl"], no_wait=True)
        export(_opened(monkeypatch, folder, "b"), to="b.jsonl")
        assert (folder / "b.jsonl").read_text() == (folder / "a.jsonl").read_text()


@pytest.mark.parametrize("form", ["markdown", "obsidian"])
def test_folders_for_people_come_back_too(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, form: str
) -> None:
    texts = [
        "We use ruff.",
        "결제는 화요일에 정산한다.",
        "a\\b: 'c' # d --> e",
        "* 🔴 (x) [[y]] ---",
    ]
    made = observation.build_observed_entries(
        Scope("agent:main"),
        Observed(tuple(Observation(t, _START, Priority.HIGH, Category.DECISION) for t in texts)),
        _START,
    )
    _fill(_opened(monkeypatch, tmp_path, "a"), made, [], [])
    export(_opened(monkeypatch, tmp_path, "a"), format=form, to="out-a")
    take_in(_opened(monkeypatch, tmp_path, "b"), what=["out-a"], no_wait=True)
    export(_opened(monkeypatch, tmp_path, "b"), format=form, to="out-b")
    out = [
        {f.relative_to(base): f.read_text() for f in base.rglob("*.md")}
        for base in map(tmp_path.joinpath, ("out-a", "out-b"))
    ]
    assert out[0] == out[1]
    assert len(out[0]) == (2 if form == "markdown" else 5)
    note = next(file for file in (tmp_path / "out-a").rglob("*.md") if "ruff." in file.read_text())
    note.write_text(note.read_text().replace("We use ruff.", "We use black."))
    take_in(_opened(monkeypatch, tmp_path, "b"), what=["out-a"], no_wait=True)
    held = {
        e.document.text: e.document
        for e in _context(tmp_path, "b").home.journal.made(Scope("agent:main"))
    }
    assert held["We use black."].metadata[CORRECTED], "what a person wrote there is a correction"
    assert "We use ruff." not in held


def test_lines_that_are_damaged_are_named_and_the_rest_comes_in(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (made,) = observation.build_observed_entries(
        Scope("agent:main"),
        Observed((Observation("x y", _START, Priority.LOW, Category.STATE),)),
        _START,
    )
    _fill(_opened(monkeypatch, tmp_path, "a"), [made], [], [])
    export(_opened(monkeypatch, tmp_path, "a"), to="a.jsonl")
    head, *rows = (tmp_path / "a.jsonl").read_text().splitlines()
    odd = [
        "{",
        "[]",
        '{"is": "memory", "scope": "agent:main"}',
        '{"is": "memory", "scope": "no scope"}',
    ]
    gone = json.dumps(
        {
            "is": "record",
            "scope": "project:x-1",
            "folder": "/nowhere",
            "shelf": "memory",
            "path": "decision/x.md",
            "text": "x",
        }
    )
    leads_out = json.dumps(
        {
            "is": "record",
            "scope": "agent:main",
            "folder": "",
            "shelf": "memory",
            "path": "../x.md",
            "text": "x",
        }
    )
    (tmp_path / "odd.jsonl").write_text("\n".join([head, *odd, gone, leads_out, *rows]))
    done = take_in(_opened(monkeypatch, tmp_path, "b"), what=["odd.jsonl"], no_wait=True).done  # type: ignore[union-attr]
    assert {(one.line, one.reason.split()[0]) for one in done.rejects} >= {
        (2, "no"),
        (3, "no"),
        (4, "no"),
        (5, "no"),
    }
    assert any("/nowhere is not on this machine" in one.reason for one in done.rejects)
    assert not (tmp_path / "b" / "x.md").exists()
    assert done.memories == 2, "the memory and the record"


def test_only_one_scope_and_into_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    made = [
        observation.build_observed_entries(
            Scope(s), Observed((Observation(s, _START, Priority.LOW, Category.STATE),)), _START
        )[0]
        for s in ("agent:main", "agent:work")
    ]
    _fill(_opened(monkeypatch, tmp_path, "a"), made, [], [])
    export(_opened(monkeypatch, tmp_path, "a", "agent:work"), to="work.jsonl")
    take_in(
        _opened(monkeypatch, tmp_path, "b", "agent:play"),
        what=["work.jsonl"],
        no_wait=True,
    )
    (held,) = _context(tmp_path, "b").home.journal.made(Scope("agent:play"))
    assert held.document.text == "agent:work"


def test_nothing_is_overwritten_and_a_newer_format_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "mine.jsonl").write_text("mine")
    with pytest.raises(BadRequest, match="there already"):
        export(_opened(monkeypatch, tmp_path, "a"), to="mine.jsonl")
    (tmp_path / "newer.jsonl").write_text(json.dumps(json_lines.HEADER | {"version": 99}) + "\n")
    with pytest.raises(BadRequest, match="newer Gieok"):
        take_in(_opened(monkeypatch, tmp_path, "a"), what=["newer.jsonl"])
