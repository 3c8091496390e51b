"""The rib put together as the product does it: rules, a home folder, a clock that is moved by
hand.
"""

import json
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from contexts import opened_home

from gieok.agents.transcripts.place import TranscriptPlace
from gieok.commands import load_command
from gieok.commands.command import Style
from gieok.commands.encode import encode
from gieok.commands.observe.run import settle_scope
from gieok.commands.observe.show import render_observations
from gieok.errors import BadConfig
from gieok.flow.distil import deliver
from gieok.home.call import Call
from gieok.home.calls import open_call
from gieok.memory import observation, scope_memory
from gieok.memory.observation import Category, Observation, Observed, Priority
from gieok.memory.observer.buffer import READER, Buffer, Step, Thresholds
from gieok.memory.sidecar import Sidecar
from gieok.model.conversation import BufferedSpan, Cursor, Message, Retraction, Role
from gieok.model.memory import REPLACED_BY, Scope, Tier
from gieok.places.project import project_scope
from gieok.surfaces.hook import trail
from gieok.testing.clock import ManualClock

_SCOPE = Scope("agent:main")
_NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)  # a Sunday


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(_NOW)


@pytest.fixture
def call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: ManualClock) -> Iterator[Call]:
    (tmp_path / "t").mkdir()
    with opened_home(
        tmp_path / "home",
        monkeypatch,
        clock,
        OBSERVE_FOLDERS=tmp_path / "t",
        OBSERVE_CHUNK_TOKENS=60,
        OBSERVE_RUN_TOKENS=300,
        OBSERVE_HARD_STOP_TOKENS=360,
    ) as opened:
        yield opened


def _say(file: Path, *texts: str, at: datetime = _NOW, **more: object) -> Path:
    with file.open("a", encoding="utf-8") as out:
        for text in texts:
            row = {"role": "user", "content": text, "timestamp": at.isoformat(), **more}
            out.write(json.dumps(row, ensure_ascii=False) + "\n")
    return file


def _texts(call: Call, scope: Scope = _SCOPE) -> list[str]:
    return [o.text for o in scope_memory.load_scope_memory(call.home.store, scope).observations]


def test_rules_observe_a_conversation_that_rested_for_seconds_and_look_up_what_a_turn_answers(
    call: Call, clock: ManualClock, tmp_path: Path
) -> None:
    sidecar, file = call.home.sidecar, tmp_path / "t" / "a.jsonl"
    for role, text in (("assistant", "회의는 몇 시로 잡을까요?"), ("user", "9시 반")):
        _say(file, text, at=clock.now(), role=role)
        sidecar.capture_all()
        assert settle_scope(call, _SCOPE, flush=False) == [], "it has just been said"
        clock.advance(timedelta(seconds=30))
        assert settle_scope(call, _SCOPE, flush=False) == [Step.OBSERVED]
    assert _texts(call) == ["회의는 몇 시로 잡을까요? – 9시 반"]


def test_the_same_sentence_in_every_session_is_kept_once(
    call: Call, clock: ManualClock, tmp_path: Path
) -> None:
    for day in range(3):
        _say(tmp_path / "t" / f"{day}.jsonl", "출시는 11월 27일로 정했어.", at=clock.now())
        load_command("observe run")(call, once=True)
        clock.advance(timedelta(days=1))
    assert _texts(call) == ["출시는 11월 27일로 정했어."]


def test_who_has_no_vectors_is_told_that_words_alone_judge(call: Call) -> None:
    stats = load_command("observe stats")
    said = stats.present(stats(call), Style("en", colour=False))
    assert "no e5 vectors: judged by words alone" in said


def test_below_the_threshold_messages_wait_and_an_idle_conversation_is_observed_whole(
    call: Call, clock: ManualClock, tmp_path: Path
) -> None:
    sidecar = call.home.sidecar
    _say(tmp_path / "t" / "a.jsonl", "출시는 금요일로 정했어.")
    assert sidecar.capture_all() == 1
    assert sidecar.observe_all(_SCOPE) == []
    assert not sidecar.is_idle(_SCOPE, timedelta(minutes=30))
    clock.advance(timedelta(minutes=31))
    assert sidecar.is_idle(_SCOPE, timedelta(minutes=30))
    assert sidecar.observe_all(_SCOPE, flush=True) == [Step.OBSERVED]
    assert _texts(call) == ["출시는 금요일로 정했어."]


def test_chunks_are_made_ahead_and_activated_at_the_threshold_but_for_the_newest(
    call: Call, tmp_path: Path
) -> None:
    sidecar, steps = call.home.sidecar, list[Step]()
    for number in range(40):
        _say(tmp_path / "t" / "a.jsonl", f"결정 {number}번은 이렇게 하기로 했다.")
        sidecar.capture_all()
        steps += sidecar.observe_all(_SCOPE)
    assert steps.index(Step.ACTIVATED) == 4, (
        "four chunks of 60 and a bit, and the rest of 300 not yet in one"
    )
    observed = len(_texts(call))
    assert 0 < observed < 40
    assert sidecar.backlog_tokens(_SCOPE) >= 60, "a fifth stays for what follows it"
    sidecar.observe_all(_SCOPE, flush=True)
    assert len(_texts(call)) == 40


def test_at_the_hard_stop_everything_is_observed_at_once(call: Call, tmp_path: Path) -> None:
    sidecar = call.home.sidecar
    _say(tmp_path / "t" / "a.jsonl", *(f"결정 {n}번은 이렇게 하기로 했다." for n in range(60)))
    sidecar.capture_all()
    assert sidecar.observe(_SCOPE) is Step.OBSERVED


def test_what_is_taken_back_drops_the_chunks_that_were_made_of_it(call: Call) -> None:
    journal = call.home.journal
    texts = [
        Message(f"s/{n}", Role.USER, f"m{n}", _NOW, "s", "gemini-cli", 10, "f", n)
        for n in range(1, 7)
    ]
    first = Cursor("1", "f", 1)
    journal.append(_SCOPE, texts, first, None)
    seqs = [found.seq for found in journal.read(_SCOPE, 0, budget_tokens=1000)]
    for start, end in ((0, seqs[1]), (seqs[1], seqs[3]), (seqs[3], seqs[5])):
        assert journal.buffer(_SCOPE, READER, BufferedSpan(start, end, 20, "x"))
    assert not journal.buffer(_SCOPE, READER, BufferedSpan(seqs[3], seqs[5], 20, "x")), (
        "chunks follow one another"
    )
    journal.append(_SCOPE, [Retraction("s", "s/4", after=True)], Cursor("1", "f", 2), first)
    assert [chunk.end for chunk in journal.chunks(_SCOPE, READER)] == [seqs[1]]


def test_a_run_that_would_end_inside_a_chunk_is_refused(call: Call) -> None:
    journal = call.home.journal
    turns = [
        Message(f"s/{n}", Role.USER, f"m{n}", _NOW, "s", "plain", 10, "f", n) for n in range(2)
    ]
    journal.append(_SCOPE, turns, Cursor("1", "f", 1), None)

    class Overtaken:
        def observe(self, span: Any) -> Observed:
            more = [
                Message(f"s/{n}", Role.USER, f"m{n}", _NOW, "s", "plain", 10, "f", n)
                for n in range(2, 9)
            ]
            journal.append(_SCOPE, more, Cursor("1", "f", 2), Cursor("1", "f", 1))
            last = journal.read(_SCOPE, 0, budget_tokens=60)[-1].seq
            assert journal.buffer(_SCOPE, READER, BufferedSpan(0, last, 60, "x"))
            return Observed(())

    buffer = Buffer(journal, call.home.store, _SCOPE, ManualClock(), Overtaken())
    assert buffer.step(flush=True) is Step.LOST
    assert journal.position(_SCOPE, READER) == 0


def test_a_spooled_event_is_taken_once_the_journal_holds_it_and_an_end_is_observed(
    call: Call, tmp_path: Path
) -> None:
    transcript = _say(tmp_path / "elsewhere.jsonl", "출시는 금요일로 정했어.")
    row: dict[str, object] = {
        "event": "session-end",
        "agent": "codex",
        "transcript_path": str(transcript),
        "cwd": "/",
    }
    spooled = Path(trail.spool_transcript(str(call.home.folder), row))
    waiting = Path(
        trail.spool_transcript(
            str(call.home.folder), {**row, "transcript_path": "/not/there/yet.jsonl"}
        )
    )
    (spooled.parent / "torn.json").write_text("{")
    done = load_command("observe run")(call, once=True)
    assert done.messages == 1
    assert not spooled.exists()
    assert waiting.exists()
    assert sorted(f.name for f in spooled.parent.glob("*.bad")) == ["torn.bad"]
    assert _texts(call) == ["출시는 금요일로 정했어."]


def test_a_folder_in_which_much_else_changes_is_not_watched(call: Call, tmp_path: Path) -> None:
    sidecar = call.home.sidecar
    crowded = TranscriptPlace(tmp_path, databases="*.db", is_watched=False)
    with_it = sidecar.transcripts._replace(places=[*sidecar.transcripts.places, crowded])
    assert replace(sidecar, transcripts=with_it).watched() == [tmp_path / "t"]


def test_a_coding_agents_transcript_is_for_the_project_that_it_worked_in(
    call: Call, tmp_path: Path
) -> None:
    (tmp_path / "shop" / ".gieok").mkdir(parents=True)
    folder = str(tmp_path / "shop")
    base = {"type": "user", "sessionId": "c", "timestamp": _NOW.isoformat(), "cwd": folder}
    line = {
        **base,
        "uuid": "1",
        "message": {"role": "user", "content": "우리는 Stripe를 쓰기로 했다."},
    }
    head = {"type": "queue-operation", "sessionId": "c"}
    (tmp_path / "t" / "c.jsonl").write_text(
        f"{json.dumps(head)}\n{json.dumps(line)}\n", encoding="utf-8"
    )
    load_command("observe run")(call, once=True)
    project = Scope(project_scope(folder))
    assert _texts(call, project) == ["우리는 Stripe를 쓰기로 했다."]
    assert _texts(call) == []
    (row,) = encode(load_command("observe show")(replace(call, also=(project,))))[
        "observations"
    ]  # beside the scope of the call, as in a folder that Git keeps
    assert (row["scope"], row["text"]) == (project.path, "우리는 Stripe를 쓰기로 했다.")


def test_observations_are_shown_and_searched_like_other_memory(call: Call, tmp_path: Path) -> None:
    _say(tmp_path / "t" / "a.jsonl", "결제 서버 이름은 hermes로 정했다.")
    load_command("observe run")(call, once=True)
    (row,) = encode(load_command("observe show")(call))["observations"]
    assert row["category"] == "decision"
    assert row["messages"]
    found = load_command("search")(call, query=["결제 서버 이름"], min_score=0.0)
    assert "hermes" in found.ranked.hits[0].snippet
    cited = encode(found)["results"][0]["citation"]
    assert load_command("why")(call, id=cited).messages


def test_an_observation_that_was_replaced_is_shown_as_such(call: Call) -> None:
    older, newer = (
        Observation(text, _NOW - timedelta(days=n), Priority.HIGH, Category.DECISION)
        for n, text in ((2, "배포는 화요일에 한다"), (1, "배포는 목요일에 한다"))
    )
    entries = observation.build_observed_entries(_SCOPE, Observed((older, newer)), _NOW)
    ended = replace(
        entries[0].document, valid_to=newer.at, metadata={REPLACED_BY: entries[1].document.key}
    )
    call.home.journal.hand_over([entries[0]._replace(document=ended), entries[1]])
    deliver(call.home.journal, call.home.store)
    shown = load_command("observe show")(call)
    statuses = {row["text"]: row["status"] for row in encode(shown)["observations"]}
    assert statuses == {older.text: "replaced", newer.text: "stands"}
    lines = render_observations(shown, Style("ko", colour=False)).splitlines()
    assert [line.endswith("바뀜") for line in lines if line.startswith("      ")] == [True, False]


def test_what_was_said_follows_a_correction_in_an_archived_file(
    call: Call, clock: ManualClock, tmp_path: Path
) -> None:
    _say(tmp_path / "t" / "a.jsonl", "결제 서버 이름은 hermes로 정했다.", at=clock.now())
    load_command("observe run")(call, once=True)
    clock.advance(timedelta(days=100))
    archived = load_command("archive run")
    assert archived(call).moved == 1
    (day,) = (tmp_path / "home" / "archive").rglob("2026-11-22.md")
    day.write_text(day.read_text(encoding="utf-8").replace("hermes", "athena"), encoding="utf-8")
    assert archived(call).corrected == 1
    found = load_command("search")(call, query=["결제 서버 이름"], min_score=0.0).ranked.hits
    assert {hit.passage.tier for hit in found} == {Tier.HOT, Tier.WARM}
    assert all("athena" in hit.snippet and "hermes" not in hit.snippet for hit in found)


def test_a_folder_of_the_users_never_owns_an_observation(call: Call, tmp_path: Path) -> None:
    _say(tmp_path / "t" / "a.jsonl", "결제 서버 이름은 hermes로 정했다.")
    load_command("observe run")(call, once=True)
    (tmp_path / "observe").mkdir()
    (tmp_path / "observe" / "note.md").write_text("# note\n\ntext", encoding="utf-8")
    load_command("index")(call, paths=[str(tmp_path / "observe")])
    (row,) = encode(load_command("observe show")(call))["observations"]
    assert row["text"] == "결제 서버 이름은 hermes로 정했다."


def _with_observations(call: Call, count: int, **changes: object) -> Sidecar:
    made = [
        Observation(
            f"서버 {n}의 로그를 읽고 상태를 확인했다",
            _NOW - timedelta(days=9, hours=n),
            Priority.LOW,
            Category.STATE,
        )
        for n in range(count)
    ]
    call.home.journal.hand_over(
        observation.build_observed_entries(_SCOPE, Observed(tuple(made)), _NOW)
    )
    deliver(call.home.journal, call.home.store)
    return replace(call.home.sidecar, **changes)  # type: ignore[arg-type]


def test_too_many_observations_are_reflected_upon(call: Call) -> None:
    sidecar = _with_observations(call, 40, thresholds=Thresholds(reflect_tokens=500))
    held = scope_memory.load_scope_memory(call.home.store, _SCOPE)
    assert held.tokens > 500
    assert sidecar.reflect_if_due(_SCOPE)
    assert scope_memory.load_scope_memory(call.home.store, _SCOPE).tokens <= held.tokens / 2
    assert not sidecar.reflect_if_due(_SCOPE)
    gone = encode(load_command("observe show")(call, history=True))["observations"]
    assert gone
    assert {row["status"] for row in gone} == {"replaced"}


def test_once_a_week_half_as_many_are_enough(call: Call, clock: ManualClock) -> None:
    tokens = scope_memory.load_scope_memory(_with_observations(call, 40).store, _SCOPE).tokens
    sidecar = replace(call.home.sidecar, thresholds=Thresholds(reflect_tokens=round(tokens * 1.5)))
    assert sidecar.reflect_if_due(_SCOPE), "Sunday 02:00 is past"
    _with_observations(call, 40)
    assert not sidecar.reflect_if_due(_SCOPE), "done for this week"
    clock.advance(timedelta(days=7))
    assert sidecar.reflect_if_due(_SCOPE)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("OBSERVE_MODEL", "nonsense"),
        ("OBSERVE_MODEL", "openai"),
        ("OBSERVE_AGENTS", "openclaw, emacs"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(
    call: Call, monkeypatch, name: str, value: str
) -> None:
    monkeypatch.setenv(f"GIEOK_{name}", value)
    with pytest.raises(BadConfig, match=value.rpartition(" ")[2]):
        open_call({}).home.sidecar.models.open_observer(_SCOPE)
