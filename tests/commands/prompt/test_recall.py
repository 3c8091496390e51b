"""`gieok recall`: what is put before a prompt, from turns and notes, and what is said of each."""

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from gieok.commands.prompt.recall import RecallResult, recall_memories
from gieok.flow.lifecycle import fill_vectors
from gieok.home.calls import open_call
from gieok.hook import choice, tasks
from gieok.hook.inject import InjectedMemory
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.text.handles import build_handle

_KEY = "sessions/codex/s1#0"
_SAID = (
    "User: 우리 결제는 토스페이먼츠로 옮겼어",
    "Assistant: 스탠드업 회의는 몇 시로 할까요?",
    "User: 9시 반",
    "User: every pull request title starts with the ticket number",
)


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("GIEOK_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIEOK_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    _put(_KEY, _SAID, "turn")
    return tmp_path / "home"


def _put(key: str, lines: tuple[str, ...], kind: str, valid_to: datetime | None = None) -> None:
    moment, text, passages, start = datetime(2026, 11, 20, tzinfo=UTC), "\n".join(lines), [], 0
    for number, line in enumerate(lines, 1):
        passages.append(Passage(start, start + len(line), number, number))
        start += len(line) + 1
    document = Document(
        scope=Scope("agent:main"),
        key=key,
        kind=kind,
        text=text,
        content_hash=key,
        created_at=moment,
        updated_at=moment,
        valid_from=moment,
        valid_to=valid_to,
    )
    open_call({}).home.store.put([Entry(document, tuple(passages))])


def _recall(prompt: str, **more: str) -> RecallResult:
    return recall_memories(open_call({}), prompt=[prompt], **more)


def test_a_turn_is_shown_in_its_words_with_day_speaker_and_handle() -> None:
    found = _recall("결제 토스페이먼츠 어디로 옮겼지?")
    handle = build_handle("agent:main", _KEY, 1)
    (memory,) = (m for m in found.memories if m.handle == handle)
    assert (memory.who, memory.day, memory.text) == (
        "user",
        "2026-11-20",
        "우리 결제는 토스페이먼츠로 옮겼어",
    )
    assert f"- 2026-11-20 user: 우리 결제는 토스페이먼츠로 옮겼어 ({handle})" in found.text
    assert found.tokens > 0


def test_a_question_brings_its_answer() -> None:
    said = _recall("스탠드업 회의 몇 시?").text
    assert (
        "몇 시로 할까요? → 9시 반" in said
        or "9시 반 — answering: 스탠드업 회의는 몇 시로 할까요?" in said
    )


def test_what_was_said_in_this_session_is_in_its_context() -> None:
    assert not _recall("결제 토스페이먼츠 어디로 옮겼지?", session="s1").found
    assert _recall("결제 토스페이먼츠 어디로 옮겼지?", session="s2").found


def test_what_holds_no_more_says_so() -> None:
    _put(
        "old",
        ("The staging host was stg.example.test.",),
        "observation",
        datetime(2026, 11, 21, tzinfo=UTC),
    )
    assert (
        "ended on 2026-11-20" in _recall("what was the staging host stg?").text
    )  # nothing took its place


def test_other_scopes_are_read_where_they_are_named_and_no_others() -> None:
    assert not _recall("결제 토스페이먼츠 어디로 옮겼지?", scopes="project:none-1").found
    assert _recall("결제 토스페이먼츠 어디로 옮겼지?", scopes="project:none-1, agent:main").found


def test_without_meanings_there_is_no_hint() -> None:
    assert _recall("지난번에 코끼리 사료를 어떻게 하기로 했지?").text == ""


@pytest.mark.parametrize(
    ("prompt", "word"),
    [
        ("PR 올려줘", "pull request"),
        ("write the release notes for 3.1", "changelog"),
        ("make a chart of sales", "chart"),
        ("커밋해줘", "commit"),
        ("고객 메일 답장 써줘", "메일"),
        ("fix the failing test", ""),
        ("what did we decide about charts?", ""),
        ("이 함수 리팩터링해줘", ""),
    ],
)
def test_a_task_is_asked_about_by_its_kind(prompt: str, word: str) -> None:
    about = tasks.question_of(prompt)
    assert (word in about) if word else about == ""


def test_a_path_that_leads_nowhere_any_more_is_named(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "there.py").touch()
    said: Mapping[str, str] = {
        "src/there.py holds it": "",
        "src/gone.py holds it, since 1.2.3": "src/gone.py is not there any more",
        "other/gone.py holds it": "",
    }
    for text, status in said.items():
        memory = InjectedMemory(title="", citation="", text=text)
        assert choice.mark_missing_paths(memory, str(tmp_path)).status == status


def test_a_file_that_does_not_hold_the_memory_any_more_has_changed(tmp_path: Path) -> None:
    file = tmp_path / "note.md"
    file.write_text("# Deploy\n\nOn **Tuesdays**\nonly.\n")
    assert not choice.has_changed(str(file), "On **Tuesdays**\nonly.")
    assert choice.has_changed(str(file), "On Mondays only.")
    assert not choice.has_changed("journal", "On Mondays only.")


def _with_meanings(models: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (home / "models").symlink_to(models)
    monkeypatch.setenv("GIEOK_EMBEDDER", "e5")
    call = open_call({})
    fill_vectors(call.home.store, call.home.open_embedder())


@pytest.mark.parametrize(
    ("prompt", "is_near"),
    [
        ("which release did we tag on Monday again?", False),
        ("pull request 제목 규칙 뭐라고 했지", True),
    ],
)
def test_something_near_is_told_of_only_where_it_is(
    models: Path, home: Path, monkeypatch: pytest.MonkeyPatch, prompt: str, *, is_near: bool
) -> None:
    _with_meanings(models, home, monkeypatch)
    found = _recall(prompt)
    assert bool(found.text) == is_near


def test_the_half_life_of_the_hook_holds_where_meanings_are_searched_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    _put("memory/2026-11-20.md", ("The ferry berths at quay seven this season",), "note")

    def find_probability(days: str) -> float:
        monkeypatch.setenv("GIEOK_HOOK_HALF_LIFE_DAYS", days)
        found = _recall("which quay does the ferry berth at this season?", explain=True)
        assert found.candidates
        return found.candidates[0].score

    assert find_probability("0.001") < find_probability("0")
