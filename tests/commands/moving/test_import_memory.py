"""What another program remembered is found by questions in other words, once, and stays as a person
leaves it.
"""

import contextlib
import json
import os
import shutil
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from gieok.commands.command import Style
from gieok.commands.memory.edit import edit_memory as edit
from gieok.commands.memory.forget import forget_memories as forget
from gieok.commands.memory.search import search_memory as search
from gieok.commands.moving import import_memory
from gieok.commands.moving.import_memory import (
    ImportResult,
    import_memories,
    recognise_export,
    render_import,
)
from gieok.errors import BadRequest
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.model.conversation import Message, Role
from gieok.model.memory import Scope
from gieok.text.handles import build_handle

DATA = Path(__file__).parents[2] / "machine" / "imports" / "data"
MAIN = Scope("agent:main")


def _context(home: Path, *, embedder: str = "none", scope: str = "") -> Call:
    environment = {"HOME": str(home.parent), "GIEOK_HOME": str(home), "PATH": os.environ["PATH"]}
    flags = {"embedder": embedder, **({"scope": scope} if scope else {})}
    return open_call(flags, environment=environment | {"GIEOK_HOME": str(home)}, folder=home.parent)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path / "home"


def _copy(name: str, folder: Path) -> Path:
    source, target = DATA / name, folder / name
    shutil.copytree(source, target) if source.is_dir() else shutil.copyfile(source, target)
    return target


def _take(home: Path, *what: object, **more: object) -> ImportResult:
    done = import_memories(_context(home, **more), what=[str(one) for one in what])  # type: ignore[arg-type]
    assert isinstance(done, ImportResult)
    return done


def _texts(home: Path) -> dict[str, str]:
    return {
        entry.document.key: entry.document.text for entry in _context(home).home.journal.made(MAIN)
    }


#: What each program held, a question in other words, and a part of the answer.
_ASKED = [
    ("chatgpt", "아이는 몇 살이야?", "일곱 살"),
    ("chatgpt", "what is their job?", "nurse"),
    ("chatgpt", "where did they move to?", "Busan"),
    ("claude", "when do they get married?", "14 June"),
    ("claude", "늦은 오후에 커피를 마시나?", "카페인"),
    ("claude", "where is the pottery workshop?", "Icheon"),
    ("claude-mem.db", "which algorithm protects passwords?", "Argon2"),
    ("claude-mem.db", "재고가 왜 늦게 맞춰지지?", "소비자"),
    ("mem0", "what should they not eat because of nuts?", "호두"),
    ("mem0", "스테이징 클러스터 이름이 뭐야?", "bluefin"),
    ("basic-memory", "배포는 무슨 요일에 하지?", "목요일"),
    ("basic-memory", "what does Alice expect before lunch?", "noon"),
]


@pytest.fixture(scope="module")
def everything(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Return a home that took in all of it."""
    home = tmp_path_factory.mktemp("all") / "home"
    home.mkdir()
    (home / "models").symlink_to(models)
    before = {name: os.environ.get(name) for name in ("HOME", "GIEOK_HOME")}
    os.environ |= {"HOME": str(home.parent), "GIEOK_HOME": str(home)}
    for name in dict.fromkeys(name for name, *_ in _ASKED):
        assert _take(home, _copy(name, home.parent), embedder="e5").program == name.removesuffix(
            ".db"
        )
    yield home
    for name, value in before.items():
        os.environ.pop(name) if value is None else os.environ.update({name: value})


@pytest.mark.parametrize(("program", "question", "answer"), _ASKED)
def test_a_question_in_other_words_finds_what_it_held(
    everything: Path, program: str, question: str, answer: str
) -> None:
    found = search(_context(everything, embedder="e5"), query=[question], limit=5)
    texts = [row.snippet for row in found.results]
    assert any(answer in text for text in texts), (program, texts)


@pytest.mark.parametrize("name", dict.fromkeys(name for name, *_ in _ASKED))
def test_twice_is_once(home: Path, tmp_path: Path, name: str) -> None:
    place = _copy(name, tmp_path)
    first, before = _take(home, place), _texts(home)
    messages = _context(home).home.journal.stats().messages
    again = _take(home, place)
    (place / "touched" if place.is_dir() else place.with_suffix(".x")).touch()
    once_more = _take(home, place)  # what changed is read again
    assert first.done.messages + first.done.memories
    for later in (again, once_more):
        assert (later.done.messages, later.done.memories, later.done.replaced) == (0, 0, 0)
        assert later.done.known
    assert _texts(home) == before
    assert _context(home).home.journal.stats().messages == messages


def test_a_branch_that_was_given_up_is_left_out_and_what_was_noted_is_kept(home: Path) -> None:
    done = _take(home, DATA / "chatgpt")
    said = " ".join(
        m.message.text for m in _context(home).home.journal.read(MAIN, 0, budget_tokens=10**6)
    )
    assert "과학관" in said
    assert "수영장" not in said
    assert "print(1)" not in said
    assert "Zebra" not in said, "secrets are redacted as everywhere"
    assert {
        "I work as a nurse on night shifts at a children's hospital.",
        "Always answer in metric units.",
    } <= {*_texts(home).values()}
    assert (done.done.conversations, done.done.messages) == (2, 7)


def test_what_mem0_replaced_is_marked_and_what_it_deleted_is_gone(home: Path) -> None:
    _take(home, DATA / "mem0")
    found = {e.document.text: e.document for e in _context(home).home.journal.made(MAIN)}
    assert found["Prefers tabs over spaces."].valid_to is not None
    assert (
        found["Prefers tabs over spaces."].metadata["replaced_by"]
        == found["Prefers spaces over tabs."].key
    )
    assert "Temporary note to be deleted." not in found


def test_what_a_person_forgot_or_corrected_does_not_come_back(home: Path, tmp_path: Path) -> None:
    place = _copy("basic-memory", tmp_path)
    _take(home, place)
    held = {text: key for key, text in _texts(home).items()}
    gone, kept = (
        next(text for text in held if part in text) for part in ("Chae Yoon", "fourth floor")
    )
    forget(_context(home), handles=[build_handle("agent:main", held[gone])], yes=True)
    edit(
        _context(home),
        handle=build_handle("agent:main", held[kept]),
        text=["Alice sits on the fifth floor."],
    )
    (place / "new.md").write_text(
        "---\ntitle: New\npermalink: new\n---\n- [fact] The lift is out of order\n"
    )
    _take(home, place)
    texts = {*_texts(home).values()}
    assert gone not in texts
    assert kept not in texts
    assert {"Alice sits on the fifth floor.", "New: The lift is out of order"} <= texts


def test_a_fact_that_its_program_changed_replaces_what_it_said(home: Path, tmp_path: Path) -> None:
    place = tmp_path / "memories.json"
    row = {
        "id": "a",
        "memory": "The office is in Mapo.",
        "created_at": "2026-01-01T00:00:00Z",
        "user_id": "kim",
    }
    place.write_text(json.dumps({"results": [row]}))
    _take(home, place)
    place.write_text(
        json.dumps(
            {"results": [row | {"memory": "The office is in Jongno.", "updated_at": "2026-02-01"}]}
        )
    )
    _take(home, place)
    ends = {e.document.text: e.document.valid_to for e in _context(home).home.journal.made(MAIN)}
    assert ends["The office is in Jongno."] is None
    assert str(ends["The office is in Mapo."]).startswith("2026-02-01")


def test_a_kill_in_the_middle_and_then_again_is_once(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gieok.memory.exchange import intake

    monkeypatch.setattr(intake, "_MESSAGES", 1)
    monkeypatch.setattr(intake, "_FACTS", 1)
    whole = home.with_name("whole")
    _take(whole, DATA / "claude")
    for step in range(1, 12):
        left = [step]

        def killed(*_: object, left: list[int] = left) -> None:
            left[0] -= 1
            if not left[0]:
                raise KeyboardInterrupt

        with monkeypatch.context() as once, contextlib.suppress(KeyboardInterrupt):
            once.setattr(Call, "progress", lambda *_, killed=killed: killed)
            _take(home, DATA / "claude")
    _take(home, DATA / "claude")
    assert _texts(home) == _texts(whole)
    count = [_context(one).home.journal.stats().messages for one in (home, whole)]
    assert count[0] == count[1] == 5


def _archive(place: Path, **members: str) -> Path:
    with zipfile.ZipFile(place, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(f"{name}.json", text)
    return place


def test_a_zip_that_was_cut_off_gives_what_is_left_of_it(home: Path, tmp_path: Path) -> None:
    rows = json.loads((DATA / "chatgpt" / "conversations.json").read_text())
    filler = [
        {**rows[1], "id": f"f{n}", "conversation_id": f"f{n}", "title": os.urandom(9000).hex()}
        for n in range(20)
    ]
    whole = _archive(tmp_path / "x.zip", user="{}", conversations=json.dumps([rows[0], *filler]))
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    done = _take(home, cut)
    assert done.program == "chatgpt"
    assert 1 < done.done.conversations < 21
    assert done.done.rejects


def test_what_is_damaged_is_named_with_its_place_and_the_rest_goes_on(
    home: Path, tmp_path: Path
) -> None:
    rows = json.loads((DATA / "chatgpt" / "conversations.json").read_text())
    bad = '{"mapping": {"a": nonsense}, "title": "]"}'
    text = f"[{json.dumps(rows[0])}, {bad}, 17, {{}}, {json.dumps(rows[1])}]"
    place = tmp_path / "conversations.json"
    place.write_text(text, encoding="utf-8")
    done = _take(home, place)
    assert done.done.conversations == 2
    assert [(one.line, one.reason[:7]) for one in done.done.rejects] == [
        (2, "no JSON"),
        (3, "no conv"),
    ]
    assert text[done.done.rejects[0].offset :].startswith(bad)


def test_a_bomb_is_refused_and_what_is_nothing_is_said(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from gieok.machine.imports import opened

    monkeypatch.setattr(opened, "_BOMB_BYTES", 1 << 20)
    bomb = _archive(tmp_path / "bomb.zip", conversations="[" + " " * (8 << 20) + "]")
    with pytest.raises(BadRequest, match="nothing at"):
        _take(home, bomb)
    (tmp_path / "photo.jpg").write_bytes(os.urandom(5000))
    with pytest.raises(BadRequest, match="known to Gieok") as error:
        _take(home, tmp_path / "photo.jpg")
    assert "chatgpt" in error.value.hint
    with pytest.raises(BadRequest, match="no memory of mem0"):
        _take(home, "mem0", DATA / "claude")


def test_prompts_are_not_doubled_where_the_agent_itself_told_them(home: Path) -> None:
    journal = _context(home).home.journal
    at = _context(home).clock.now()
    from gieok.model.conversation import Cursor

    own = Message(
        "u1",
        Role.USER,
        "비밀번호 해시를 바꿔 줘",
        at,
        "5a1c0e52-0000-4000-8000-000000000001",
        "claude-code",
    )
    journal.append(MAIN, [own], Cursor("t", "t", 1), None)
    assert _take(home, DATA / "claude-mem.db").done.messages == 0


@pytest.mark.parametrize("name", ["chatgpt", "claude"])
def test_an_export_is_told_with_its_account_and_its_conversations(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder = _copy(name, tmp_path)
    archive = Path(shutil.make_archive(str(tmp_path / "export"), "zip", folder))
    bare = tmp_path / "bare" / "conversations.json"
    bare.parent.mkdir()
    shutil.copyfile(folder / "conversations.json", bare)
    call = _context(home)
    count = len(json.loads(bare.read_text(encoding="utf-8")))
    for file, account in (
        (folder / "conversations.json", "kim@example.com"),
        (archive, "kim@example.com"),
        (bare, ""),
    ):
        found = recognise_export(call, file)
        assert found is not None
        assert (found.account, found.has_more) == (account, False)
        assert 0 < found.conversations <= count
    monkeypatch.setattr(import_memory, "_MOST_COUNTED", 1)
    found = recognise_export(call, bare)
    assert found is not None
    assert (found.conversations, found.has_more) == (1, True)


def test_one_conversation_is_told_as_one(home: Path, tmp_path: Path) -> None:
    file = _copy("claude", tmp_path) / "conversations.json"
    talks = json.loads(file.read_text(encoding="utf-8"))
    for file_talks, told in ((talks[:1], " of 1 conversation, "), (talks, " conversations, ")):
        file.write_text(json.dumps(file_talks), encoding="utf-8")
        result = import_memories(_context(home), what=[str(file)], dry_run=True)
        assert isinstance(result, ImportResult)
        assert told in render_import(result, Style("en", colour=False))


def test_a_dry_run_changes_nothing_and_a_scope_can_be_named(home: Path) -> None:
    call = _context(home, scope="agent:work")
    done = import_memories(call, what=[str(DATA / "claude")], dry_run=True)
    assert isinstance(done, ImportResult)
    assert (done.done.messages, done.done.memories) == (5, 6)
    assert call.home.journal.stats().messages == 0
    _take(home, DATA / "claude", scope="agent:work")
    assert _context(home).home.journal.made_scopes() == [Scope("agent:work")]


def test_a_pickle_of_qdrant_runs_nothing(tmp_path: Path) -> None:
    import pickle

    from gieok.machine.imports.mem0 import _Inert

    class Harm:
        def __reduce__(self) -> tuple[object, ...]:
            return os.system, (f"touch {tmp_path}/harm",)

    _Inert.load(pickle.dumps(Harm()))
    assert not (tmp_path / "harm").exists()
