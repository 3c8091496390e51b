"""Transcripts as their hosts write them, read from the folders where they write them: who said
what, once, and when.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest
from known_folders import KnownFolders

from gieok.agents.agent import list_readable_agents
from gieok.agents.sources import list_transcript_places, sources
from gieok.memory.capture.capture import Capture
from gieok.model.conversation import Message, Role
from gieok.model.memory import Scope
from gieok.storage.journal.sqlite.journal import SqliteJournal

_MAIN, _SHOP = Scope("agent:main"), Scope("project:shop")
_DAY = "2026-11-20"


class _Machine:
    """A home with transcripts, and what is read of it."""

    def __init__(self, home: Path, journal: SqliteJournal) -> None:
        self.home, self.journal, self.told = home, journal, dict[str, str]()

    def write(self, name: str, *lines: object) -> Path:
        file = self.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        with file.open("a", encoding="utf-8") as out:
            out.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        os.utime(file, (1_795_400_000, 1_795_400_000))
        return file

    def write_whole(self, name: str, whole: object) -> Path:
        file = self.home / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(json.dumps(whole), encoding="utf-8")
        return file

    def read(self) -> None:
        capture = Capture(self.journal, KnownFolders({"/shop": _SHOP}), self._tell)
        for source in sources(
            list_transcript_places(self.home, {}, list_readable_agents(), []), _MAIN
        ):
            capture.file(source.scope, source.path, source.cwd)

    def _tell(self, path: str, why: str) -> None:
        self.told[path] = why

    def messages(self) -> list[Message]:
        found = (j.message for scope in (_SHOP, _MAIN) for j in self._read(scope))
        return [message for message in found if message.role is not Role.TOOL]

    def _read(self, scope: Scope) -> Iterator[object]:
        yield from self.journal.read(scope, 0, budget_tokens=1 << 40, limit=1 << 20)

    def said(self) -> list[str]:
        """Return what stands under the user's name, after reading what is new."""
        self.read()
        return [message.text for message in self.messages() if message.role is Role.USER]

    def heard(self) -> list[str]:
        return [message.text for message in self.messages() if message.role is Role.ASSISTANT]


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[_Machine]:
    journal = SqliteJournal(tmp_path / "journal.sqlite")
    yield _Machine(tmp_path / "home", journal)
    journal.close()


def _claude(
    session: str, kind: str, number: int, content: object = None, **more: object
) -> dict[str, object]:
    line: dict[str, object] = {
        "type": kind,
        "uuid": f"{session}-{number}",
        "sessionId": session,
        "cwd": "/tmp/proj/shop",
        "timestamp": f"{_DAY}T01:{number:02}:00Z",
    }
    if content is not None:
        line["message"] = {"role": kind, "content": content}
    return {**line, **more}


def _reply(session: str, number: int, text: str, **more: object) -> dict[str, object]:
    return _claude(session, "assistant", number, [{"type": "text", "text": text}], **more)


def _queue(
    session: str, number: int, operation: str, content: str = "", reason: str = ""
) -> dict[str, object]:
    line = {"type": "queue-operation", "operation": operation, "sessionId": session}
    at = {"timestamp": f"{_DAY}T01:{number:02}:00Z"}
    return {
        **line,
        **at,
        **({"content": content} if content else {}),
        **({"reason": reason} if reason else {}),
    }


def _attached(
    session: str, number: int, prompt: object, mode: str = "prompt", **more: object
) -> dict[str, object]:
    attachment = {"type": "queued_command", "commandMode": mode, "prompt": prompt, **more}
    return _claude(session, "attachment", number, attachment=attachment)


_CHATS = ".claude/projects/-tmp-proj-shop"
_PICKUP = "The pickup window at the depot is 14:30 to 15:10."
_NOTICE = (
    "<task-notification>\n<task-id>b1</task-id>\n<summary>make test "
    "completed</summary>\n</task-notification>"
)


# What is typed while the agent works


_ENQUEUED = _queue("q", 2, "enqueue", _PICKUP)
_REMOVED = _queue("q", 3, "remove", _PICKUP, "absorbed_mid_turn")


@pytest.mark.parametrize(
    "lines",
    [
        [_attached("q", 3, _PICKUP)],
        [_attached("q", 3, [{"type": "text", "text": _PICKUP}], origin={"kind": "human"})],
        [_ENQUEUED, _attached("q", 3, _PICKUP), _REMOVED],
        [_ENQUEUED, _REMOVED, _attached("q", 3, _PICKUP)],
        [_ENQUEUED, _queue("q", 3, "remove", "", "absorbed_mid_turn")],
        [_ENQUEUED, _queue("q", 3, "remove", _PICKUP)],
        [
            _ENQUEUED,
            _queue("q", 3, "dequeue"),
            _claude("q", "user", 3, _PICKUP, promptSource="queued"),
        ],
        [
            _ENQUEUED,
            _attached("q", 3, _PICKUP),
            _queue("q", 4, "dequeue"),
            _claude("q", "user", 4, _PICKUP),
        ],
        [
            _queue("q", 2, "enqueue", _NOTICE),
            _ENQUEUED,
            _attached("q", 3, _NOTICE, "task-notification"),
            _queue("q", 3, "remove", _NOTICE, "absorbed_mid_turn"),
            _queue("q", 4, "remove", _PICKUP, "absorbed_mid_turn"),
        ],
        [
            _attached("q", 3, _PICKUP),
            _attached("q", 4, "the build is done", origin={"kind": "peer"}),
        ],
    ],
    ids=[
        "attachment",
        "parts",
        "both",
        "both-turned",
        "no-content",
        "no-reason",
        "dequeued",
        "returned",
        "notice",
        "peer",
    ],
)
def test_what_is_typed_while_the_agent_works_is_kept_once(
    machine: _Machine, lines: list[dict[str, object]]
) -> None:
    first, *rest = lines
    file = f"{_CHATS}/q.jsonl"
    machine.write(file, _claude("q", "user", 0, "Tidy the form."), _reply("q", 1, "On it."), first)
    machine.read()  # a line at a time or all at once: the same
    for line in rest:
        machine.write(file, line)
        machine.read()
    machine.write(file, _reply("q", 9, "Done."))
    assert machine.said() == ["Tidy the form.", _PICKUP]
    assert machine.messages()[2].at in (
        datetime(2026, 11, 20, 1, 3, tzinfo=UTC),
        datetime(2026, 11, 20, 1, 4, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("told", "whole"),
    [
        (
            f"{_PICKUP} [Image #1]",
            [{"type": "text", "text": _PICKUP}, {"type": "image", "source": {}}],
        ),
        (
            f"[Image #2] {_PICKUP}",
            [{"type": "image", "source": {}}, {"type": "text", "text": _PICKUP}],
        ),
        (f"{_PICKUP} [Pasted text #1 +12 lines]", f"{_PICKUP} crate 1\ncrate 2\ncrate 3"),
        (f"{_PICKUP} [Image #1] [Image #2]", [{"type": "text", "text": f"{_PICKUP} [Image #1]"}]),
    ],
    ids=["image", "image-first", "pasted", "images"],
)
@pytest.mark.parametrize("is_turned", [False, True])
def test_a_prompt_with_something_pasted_is_kept_once_whichever_way_tells_it(
    machine: _Machine, told: str, whole: object, is_turned: bool
) -> None:
    ways = [
        _attached("q", 3, whole, origin={"kind": "human"}),
        _queue("q", 3, "remove", told, "absorbed_mid_turn"),
    ]
    machine.write(
        f"{_CHATS}/q.jsonl",
        _claude("q", "user", 0, "Tidy the form."),
        _queue("q", 2, "enqueue", told),
        *(reversed(ways) if is_turned else ways),
    )
    assert [_PICKUP in said for said in machine.said()] == [False, True]


def test_two_prompts_with_a_picture_each_are_two_prompts(machine: _Machine) -> None:
    other = "And the window on Mondays is shorter."
    machine.write(
        f"{_CHATS}/q.jsonl",
        _claude("q", "user", 0, "Tidy the form."),
        *(_queue("q", 2, "enqueue", f"{text} [Image #1]") for text in (_PICKUP, other)),
        *(
            _attached("q", 3 + n, [{"type": "text", "text": text}])
            for n, text in enumerate((_PICKUP, other))
        ),
        *(
            _queue("q", 6, "remove", f"{text} [Image #1]", "absorbed_mid_turn")
            for text in (_PICKUP, other)
        ),
    )
    assert machine.said() == ["Tidy the form.", _PICKUP, other]


def test_the_same_word_typed_twice_while_the_agent_works_is_kept_twice(machine: _Machine) -> None:
    lines = [_attached("q", 3, "faster"), _queue("q", 3, "remove", "faster", "absorbed_mid_turn")]
    again = [_attached("q", 5, "faster"), _queue("q", 5, "remove", "faster", "absorbed_mid_turn")]
    machine.write(
        f"{_CHATS}/q.jsonl",
        _claude("q", "user", 0, "Tidy the form."),
        *lines,
        _reply("q", 4, "ok"),
        *again,
    )
    assert machine.said() == ["Tidy the form.", "faster", "faster"]


def test_what_is_taken_back_from_the_queue_was_not_said(machine: _Machine) -> None:
    machine.write(
        f"{_CHATS}/q.jsonl",
        _claude("q", "user", 0, "Tidy the form."),
        _queue("q", 1, "enqueue", "delete all"),
        _queue("q", 1, "popAll"),
        _queue("q", 2, "enqueue", "rename all"),
        _queue("q", 2, "remove", "rename all", "cancelled_by_user"),
    )
    assert machine.said() == ["Tidy the form."]


def test_a_scripts_queue_is_the_scripts(machine: _Machine) -> None:
    machine.write(
        f"{_CHATS}/p.jsonl",
        _queue("p", 0, "enqueue", "Write the nightly report."),
        _queue("p", 0, "dequeue"),
        _claude(
            "p", "user", 1, "Write the nightly report.", entrypoint="sdk-cli", promptSource="sdk"
        ),
        _queue("p", 2, "enqueue", "Also mail it."),
        _queue("p", 2, "remove", "Also mail it.", "absorbed_mid_turn"),
        _reply("p", 3, "The report is written.", entrypoint="sdk-cli"),
    )
    assert machine.said() == []
    assert machine.heard() == ["The report is written."]


# What is typed in other places


def test_the_arguments_of_a_command_are_what_a_person_typed(machine: _Machine) -> None:
    told = "migrate the loyalty points to the ledger named Aster before January"
    command = "<command-message>plan</command-message>\n<command-name>/plan</command-name>\n"
    command += f"<command-args>{told}</command-args>"
    setting = "<command-name>/model</command-name>\n<command-args>opus</command-args>"
    memory = "<user-memory-input>Label crates in ochre.</user-memory-input>"
    compact = (
        "<command-name>/compact</command-name>\n<command-args>keep the names of the "
        "ledgers</command-args>"
    )
    machine.write(
        f"{_CHATS}/k.jsonl",
        _claude("k", "user", 0, command),
        _claude("k", "user", 1, setting),
        _claude("k", "user", 2, memory),
        _claude("k", "user", 3, "# Plan\n\nYou are to plan what follows.", isMeta=True),
        {**_claude("k", "system", 4), "subtype": "local_command", "content": compact},
    )
    assert machine.said() == [told, "Label crates in ochre.", "keep the names of the ledgers"]


def _answered(answers: Mapping[str, str]) -> dict[str, object]:
    told = ", ".join(f'"{question}"="{answer}"' for question, answer in answers.items())
    content = (
        f"User has answered your questions: {told}. You can now continue with these answers in "
        "mind."
    )
    return {"type": "tool_result", "tool_use_id": "tu1", "content": content}


@pytest.mark.parametrize("has_fields", [True, False])
def test_an_answer_to_a_choice_is_said_behind_its_question(
    machine: _Machine, has_fields: bool
) -> None:
    asked = {
        "questions": [{"question": "Which region shall host it?", "options": [{"label": "Busan"}]}]
    }
    call = [{"type": "tool_use", "id": "tu1", "name": "AskUserQuestion", "input": asked}]
    answers = {"Which region shall host it?": "Busan", "How many?": 'two, "at most"'}
    fields = {"toolUseResult": {"answers": answers}} if has_fields else {}
    answers = answers if has_fields else {"Which region shall host it?": "Busan"}
    file = f"{_CHATS}/a.jsonl"
    machine.write(file, _claude("a", "assistant", 1, call))
    machine.read()
    machine.write(file, _claude("a", "user", 2, [_answered(answers)], **fields))
    machine.read()
    spoken = [(str(m.role), m.text) for m in machine.messages()]
    assert spoken[:2] == [("assistant", "Which region shall host it?"), ("user", "Busan")]
    assert spoken[2:] == (
        [("assistant", "How many?"), ("user", 'two, "at most"')] if has_fields else []
    )


def test_a_tool_that_prints_an_answer_is_no_person(machine: _Machine) -> None:
    call = [{"type": "tool_use", "id": "tu1", "name": "Bash", "input": {"command": "cat log"}}]
    machine.write(
        f"{_CHATS}/b.jsonl",
        _claude("b", "assistant", 1, call),
        _claude("b", "user", 2, [_answered({"Q?": "A"})]),
    )
    assert machine.said() == []


_REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if "
    "it was a file edit, the new_string "
    "was NOT written to the file). "
)


def test_why_a_tool_was_refused_is_said_by_who_refused_it(machine: _Machine) -> None:
    reason = "Never touch the billing folder without asking me."
    note = (
        "\n\nNote: The user's next message may contain a correction or preference. Pay close "
        "attention"
    )

    def refused(number: int, text: str, **part: object) -> dict[str, object]:
        result = {
            "type": "tool_result",
            "tool_use_id": f"t{number}",
            "is_error": True,
            "content": text,
            **part,
        }
        return _claude("r", "user", number, [result], toolDenialKind="user-rejected")

    clarify = (
        "The user wants to clarify these questions.\n    This means they may have additional "
        "information."
    )
    machine.write(
        f"{_CHATS}/r.jsonl",
        refused(1, f"{_REFUSED}To tell you how to proceed, the user said:\n{reason}{note}"),
        refused(
            2,
            (
                f"{_REFUSED}STOP what you are doing and wait for the user to tell you how to "
                f"proceed.{note}"
            ),
        ),
        refused(3, f"{_REFUSED}To tell you how to proceed, the user said:\n{clarify}"),
        refused(
            4,
            f"grep: {_REFUSED}To tell you how to proceed, the user said:\nnot now",
            is_error=False,
        ),
    )
    allowed = {"type": "tool_result", "tool_use_id": "t5", "content": "ok"}
    machine.write(
        f"{_CHATS}/r.jsonl", _claude("r", "user", 5, [allowed], userFeedback="And log it.")
    )
    assert machine.said() == [reason, "And log it."]


# Programs


def test_another_memorys_sessions_are_none_of_memorys_business(machine: _Machine) -> None:
    folder = "/home/x/.claude-mem/observer-sessions"
    told = (
        "Hello memory agent, you are continuing to observe the primary Claude "
        "session.\n<user_request>x</user_request>"
    )
    machine.write(
        ".claude/projects/-home-x--claude-mem-observer-sessions/o.jsonl",
        _claude("o", "user", 1, told, cwd=folder),
        _reply("o", 2, "<observation>x</observation>", cwd=folder),
    )
    machine.write(f"{_CHATS}/o2.jsonl", _claude("o2", "user", 1, told), _reply("o2", 2, "noted"))
    machine.write(
        f"{_CHATS}/t.jsonl",
        _claude("t", "user", 1, "Generate a short title for this conversation: hi"),
    )
    machine.write(
        f"{_CHATS}/w.jsonl",
        _claude("w", "user", 1, "hi", cwd=folder),
        _reply("w", 2, "hello", cwd=folder),
    )
    assert machine.said() == []
    assert machine.heard() == []


@pytest.mark.parametrize(
    ("fields", "is_person"),
    [
        ({"entrypoint": "cli"}, True),
        ({"entrypoint": "claude-vscode", "promptSource": "sdk"}, True),
        ({"entrypoint": "claude-desktop", "promptSource": "typed"}, True),
        ({"entrypoint": "sdk-ts", "origin": {"kind": "human"}}, True),
        ({"entrypoint": "cli", "promptSource": "suggestion_accepted"}, True),
        ({"entrypoint": "sdk-cli"}, False),
        ({"entrypoint": "sdk-py", "promptSource": "sdk"}, False),
        ({"promptSource": "sdk"}, False),
        ({"promptSource": "system"}, False),
        ({"turnOrigin": "scheduled"}, False),
        ({"entrypoint": "cli", "origin": {"kind": "task-notification"}}, False),
        ({"entrypoint": "cli", "origin": {"kind": "something-new"}}, False),
        ({"isMeta": True, "promptSource": "typed"}, False),
    ],
)
def test_where_a_prompt_comes_from_tells_whose_it_is(
    machine: _Machine, fields: dict[str, object], is_person
) -> None:
    machine.write(f"{_CHATS}/e.jsonl", _claude("e", "user", 1, "We ship on Mondays.", **fields))
    assert machine.said() == (["We ship on Mondays."] if is_person else [])


def test_many_sessions_with_one_beginning_are_a_programs(machine: _Machine) -> None:
    brief = "Read the support ticket below, tell me in one line what it is about: #"
    for number in range(6):
        day = f"{_DAY}T0{number}:00:00Z"
        machine.write(
            f"{_CHATS}/s{number}.jsonl",
            _claude(f"s{number}", "user", 1, f"{brief}{number}", timestamp=day),
        )
        machine.write(
            f"{_CHATS}/h{number}.jsonl",
            _claude(f"h{number}", "user", 1, f"hi {number}", timestamp=day),
        )
        if number < 3:
            machine.read()
    assert machine.said() == [f"hi {number}" for number in range(6)]


def test_a_session_whose_first_prompt_comes_later_than_its_head_is_compared_too(
    machine: _Machine,
) -> None:
    brief = "Read the support ticket below, tell me in one line what it is about: #"
    for number in range(5):
        file = f"{_ROLLOUTS}/rollout-{number}.jsonl"
        machine.write(file, _meta(f"t{number}"))
        machine.read()
        machine.write(file, _item(f"{brief}{number}", second=10 + number))
        machine.read()
    assert machine.said() == []


def test_a_person_who_begins_three_sessions_alike_is_a_person(machine: _Machine) -> None:
    begin = "Run the whole suite, fix what fails and tell me what you changed in the ledger"
    for number in range(3):
        machine.write(
            f"{_CHATS}/s{number}.jsonl",
            _claude(f"s{number}", "user", 1, begin, timestamp=f"{_DAY}T0{number}:00Z"),
        )
    assert len(machine.said()) == 3


def test_what_the_host_says_was_typed_is_a_persons_however_often(machine: _Machine) -> None:
    begin = "Run the whole suite, fix what fails and tell me what you changed in the ledger"
    for number in range(6):
        line = _claude(
            f"s{number}",
            "user",
            1,
            begin,
            timestamp=f"{_DAY}T0{number}:00:00Z",
            promptSource="typed",
        )
        machine.write(f"{_CHATS}/s{number}.jsonl", line)
    assert len(machine.said()) == 6


# Codex

_ROLLOUTS = ".codex/sessions/2026/11/20"


def _meta(identity: str, **more: object) -> dict[str, object]:
    payload = {"id": identity, "cwd": "/tmp/proj/shop", "source": "cli", **more}
    return {"timestamp": f"{_DAY}T03:00:00Z", "type": "session_meta", "payload": payload}


def _item(text: str, role: str = "user", second: int = 10, **more: object) -> dict[str, object]:
    kind = "input_text" if role == "user" else "output_text"
    payload = {"type": "message", "role": role, "content": [{"type": kind, "text": text}], **more}
    return {"timestamp": f"{_DAY}T03:00:{second:02}Z", "type": "response_item", "payload": payload}


def _trigger(name: str) -> dict[str, object]:
    payload = {"type": "task_started", "turn_attribution": {"turn_trigger": name}}
    return {"timestamp": f"{_DAY}T03:00:30Z", "type": "event_msg", "payload": payload}


def test_codex_exec_is_a_script_and_what_is_typed_in_its_session_later_is_not(
    machine: _Machine,
) -> None:
    machine.write(
        f"{_ROLLOUTS}/rollout-x.jsonl",
        _meta("x", source="exec"),
        _trigger("exec"),
        _item("Grade the essay."),
    )
    machine.write(
        f"{_ROLLOUTS}/rollout-y.jsonl",
        _meta("y", originator="codex_sdk_ts", source="vscode"),
        _item("Grade it."),
    )
    machine.write(f"{_ROLLOUTS}/rollout-x.jsonl", _item("B.", "assistant"))
    assert machine.said() == []
    assert machine.heard() == ["B."]
    machine.write(
        f"{_ROLLOUTS}/rollout-x.jsonl", _trigger("user"), _item("The pass mark is 60.", second=40)
    )
    assert machine.said() == ["The pass mark is 60."]


@pytest.mark.parametrize("order", [1, -1])
@pytest.mark.parametrize("shift", [0, 20])
def test_a_fork_says_what_is_new_in_it(machine: _Machine, order: int, shift: int) -> None:
    rye, fed, changed = "The rye starter is fed at 6 am.", "Noted: 6 am.", "Make it 5:30 instead."
    parent = [_meta("id-1"), _item(rye), _item(fed, "assistant", 11)]
    copied = [_item(rye, second=10 + shift), _item(fed, "assistant", 11 + shift)]
    fork = [_meta("id-2", forked_from_id="id-1"), _meta("id-1"), *copied, _item(changed, second=50)]
    child = [
        _meta("id-3", forked_from_id="id-2"),
        *copied,
        _item(changed, second=50),
        _item("And at 8 on Sundays.", second=55),
    ]
    for name, lines in [("a-1", parent), ("b-2", fork), ("c-3", child)][::order]:
        machine.write(f"{_ROLLOUTS}/rollout-{name}.jsonl", *lines)
        machine.read()
    assert sorted(machine.said()) == sorted([rye, changed, "And at 8 on Sundays."])
    assert machine.heard() == [fed]


def test_a_fork_of_one_prompt_is_known_by_what_its_header_names(machine: _Machine) -> None:
    rye = "The rye starter is fed at 6 am."
    machine.write(f"{_ROLLOUTS}/rollout-a-1.jsonl", _meta("id-1"), _item(rye))
    fork = [
        _meta("id-2", forked_from_id="id-1"),
        _meta("id-1"),
        _item(rye, second=40),
        _item("Make it 5:30.", second=50),
    ]
    machine.write(f"{_ROLLOUTS}/rollout-b-2.jsonl", *fork)
    assert machine.said() == [rye, "Make it 5:30."]


def test_a_fork_that_names_its_history_and_copies_none_says_what_it_says(machine: _Machine) -> None:
    rye = "The rye starter is fed at 6 am."
    machine.write(
        f"{_ROLLOUTS}/rollout-a-1.jsonl",
        _meta("id-1"),
        _item(rye),
        _item("Noted.", "assistant", 11),
        _item("yes"),
    )
    base = {"thread_id": "id-1", "end_ordinal_exclusive": 14}
    machine.write(
        f"{_ROLLOUTS}/rollout-b-2.jsonl",
        _meta("id-2", forked_from_id="id-1", history_base=base),
        _item("yes", second=50),
    )
    assert machine.said() == [rye, "yes", "yes"]


def test_two_people_may_begin_with_the_same_word(machine: _Machine) -> None:
    machine.write(
        f"{_ROLLOUTS}/rollout-a.jsonl",
        _meta("a"),
        _item("hi"),
        _item("Hello! What is it?", "assistant"),
    )
    machine.write(
        f"{_ROLLOUTS}/rollout-b.jsonl",
        _meta("b"),
        _item("hi", second=30),
        _item("Good morning.", "assistant", 31),
    )
    assert machine.said() == ["hi", "hi"]


def test_a_session_that_is_rewritten_with_its_history_under_new_ids_counts_it_once(
    machine: _Machine,
) -> None:
    def turn(round_: int, number: int) -> list[dict[str, object]]:
        question, answer = f"What is {number}?", f"It is {number * 7}."
        uuid = {"uuid": f"{round_}-{number}-u"}
        later = {"timestamp": f"{_DAY}T0{round_}:0{number}:00Z"}
        return [
            _claude("j", "user", 1, question, **uuid, **later),
            _reply("j", 2, answer, uuid=f"{round_}-{number}-a", **later),
        ]

    for round_ in (1, 2, 3):
        machine.write(
            f"{_CHATS}/j.jsonl",
            *(line for number in range(1, round_ + 1) for line in turn(round_, number)),
        )
        machine.read()
    assert machine.said() == ["What is 1?", "What is 2?", "What is 3?"]
    assert machine.heard() == ["It is 7.", "It is 14.", "It is 21."]


def test_a_resumed_session_that_copies_its_history_counts_it_once(machine: _Machine) -> None:
    lines = [_claude("a", "user", 1, "The gate code changes on Mondays."), _reply("a", 2, "Noted.")]
    copies = [{**line, "uuid": f"new-{n}", "sessionId": "b"} for n, line in enumerate(lines)]
    machine.write(f"{_CHATS}/a.jsonl", *lines)
    machine.write(
        f"{_CHATS}/b.jsonl", *copies, _claude("b", "user", 9, "And the bell rings at noon.")
    )
    assert machine.said() == ["The gate code changes on Mondays.", "And the bell rings at noon."]
    assert machine.heard() == ["Noted."]


def test_what_an_editor_puts_before_a_prompt_is_not_the_prompt(machine: _Machine) -> None:
    context = (
        "# Context from my IDE setup:\n\n## Active file: src/oven.ts\n\n## Open tabs:\n- oven.ts: "
        "src/oven.ts\n\n"
    )
    room = "The proofing room must stay at 27 degrees."
    user = {"content_item_metadata": [{"provenance": {"type": "user"}}]}
    machine.write(
        f"{_ROLLOUTS}/rollout-d.jsonl",
        _meta("d"),
        _item(f"{context}## My request for Codex:\n{room}"),
        _item(context, second=12),
        _item(
            f"{context}## My request for Codex:\nKeep it dry.",
            second=13,
            internal_chat_message_metadata_passthrough=user,
        ),
    )
    assert machine.said() == [room, "Keep it dry."]


def test_codexs_choices_are_answered_by_a_person(machine: _Machine) -> None:
    questions = {
        "questions": [{"id": "hours", "header": "Hours", "question": "When does it open?"}]
    }
    call = {
        "type": "function_call",
        "name": "request_user_input",
        "call_id": "c",
        "arguments": json.dumps(questions),
    }
    answer = {
        "type": "function_call_output",
        "call_id": "c",
        "output": '{"answers": {"hours": {"answers": ["At nine"]}}}',
    }
    lines = [
        {"timestamp": f"{_DAY}T03:00:1{n}Z", "type": "response_item", "payload": p}
        for n, p in enumerate((call, answer))
    ]
    machine.write(f"{_ROLLOUTS}/rollout-e.jsonl", _meta("e"), *lines)
    assert machine.said() == ["At nine"]
    assert machine.heard() == ["When does it open?"]


# Older formats, and lines without a time


def _day_of(machine: _Machine, text: str) -> str:
    return next(f"{message.at:%Y-%m-%d}" for message in machine.messages() if message.text == text)


def test_codexs_sessions_of_2025_are_codexs_and_have_a_day(machine: _Machine) -> None:
    context = "<environment_context>\n  <cwd>/tmp/proj/shop</cwd>\n</environment_context>"
    head = {"id": "id-5", "timestamp": "2025-08-20T08:00:00Z", "instructions": None}
    items = [_item(context)["payload"], _item("The old oven is called Bertha.")["payload"]]
    machine.write(
        ".codex/sessions/2025/08/20/rollout-e-5.jsonl", head, {"record_type": "state"}, *items
    )
    whole = {
        "session": {"id": "id-6", "timestamp": "2025-04-21T08:00:00Z"},
        "items": [_item("Bertha burns rye.")["payload"]],
    }
    machine.write_whole(".codex/sessions/rollout-2025-04-21-id-6.json", whole)
    machine.write(
        ".codex/archived_sessions/rollout-2026-11-19T08-00-00-id-7.jsonl",
        _meta("id-7"),
        _item("Archive the labels."),
    )
    assert sorted(machine.said()) == [
        "Archive the labels.",
        "Bertha burns rye.",
        "The old oven is called Bertha.",
    ]
    assert {(m.agent, m.session) for m in machine.messages()} == {
        ("codex", "id-5"),
        ("codex", "id-6"),
        ("codex", "id-7"),
    }
    assert _day_of(machine, "The old oven is called Bertha.") == "2025-08-20"
    assert _day_of(machine, "Bertha burns rye.") == "2025-04-21"
    assert not any(machine.told.values())


def _gemini(identity: str, kind: str, text: str, **more: object) -> dict[str, object]:
    return {
        "id": identity,
        "timestamp": f"{_DAY}T02:00:01Z",
        "type": kind,
        "content": [{"text": text}],
        **more,
    }


def test_gemini_without_a_projects_hash_and_in_one_object_is_read(machine: _Machine) -> None:
    head = {"sessionId": "s2", "startTime": f"{_DAY}T02:00:00Z", "kind": "main"}
    machine.write(
        ".gemini/tmp/bakery/chats/session-2.jsonl",
        head,
        _gemini("1", "user", "The crate label colour is ochre."),
    )
    folder = hashlib.sha256(b"/tmp/proj/shop").hexdigest()
    machine.write_whole(".gemini/projects.json", {"projects": {"/tmp/proj/shop": "shop-1"}})
    turns = [
        {"id": "a", "type": "user", "content": "Crates are stacked by four."},
        _gemini("b", "gemini", "Noted."),
    ]
    whole = {
        "sessionId": "s3",
        "projectHash": folder,
        "startTime": f"{_DAY}T02:00:00Z",
        "messages": turns,
    }
    file = f".gemini/tmp/{folder}/chats/session-2026-11-20T02-00-s3.json"
    machine.write_whole(file, whole)
    assert sorted(machine.said()) == [
        "Crates are stacked by four.",
        "The crate label colour is ochre.",
    ]
    assert _day_of(machine, "Crates are stacked by four.") == _DAY
    in_shop = [j.message.text for j in machine.journal.read(_SHOP, 0, budget_tokens=1 << 30)]
    assert in_shop == ["Crates are stacked by four.", "Noted."]
    machine.write_whole(
        file,
        {**whole, "messages": [*turns, {"id": "c", "type": "user", "content": "By five, sorry."}]},
    )
    assert sorted(machine.said())[:1] == ["By five, sorry."]
    assert len(machine.said()) == 3


@pytest.mark.parametrize(
    ("times", "wanted"),
    [
        ((None, "2026-11-20T05:00:00Z"), "2026-11-20"),
        (("2026-11-18T05:00:00Z", None), "2026-11-18"),
        ((0, "2026-11-20T05:00:00Z"), "2026-11-20"),
        (("never", "1970-01-01T00:00:00Z"), "2026-11-23"),
    ],
)
def test_a_line_without_a_time_is_dated_by_what_is_near(
    machine: _Machine, times: tuple[object, ...], wanted: str
) -> None:
    lines = [
        _claude("n", "user", number, f"say {number}", timestamp=at)
        for number, at in enumerate(times)
    ]
    machine.write(f"{_CHATS}/n.jsonl", *lines)
    machine.read()
    assert {f"{message.at:%Y-%m-%d}" for message in machine.messages()} <= {
        wanted,
        *(str(t)[:10] for t in times),
    }
    assert all(message.at.year == 2026 for message in machine.messages())
    assert len(machine.messages()) == 2


# Cursor


_CURSOR = ".cursor/projects/{}/agent-transcripts/k/k.jsonl"


def _asked(text: str) -> dict[str, object]:
    return {"role": "user", "message": {"content": [{"type": "text", "text": text}]}}


def _told(text: str) -> dict[str, object]:
    return {"role": "assistant", "message": {"content": [{"type": "text", "text": text}]}}


def test_of_cursors_transcripts_what_was_typed_is_a_persons_and_has_its_day(
    machine: _Machine,
) -> None:
    shop = machine.home / "work" / "shop"
    shop.mkdir(parents=True)
    folder = "-".join(shop.parts[1:]).replace("_", "-").replace(".", "-")
    quoted = "<attached_files>\nI like <user_query>blue crates</user_query>\n</attached_files>\n"
    time = "<timestamp>Friday, May 8, 2026, 6:05 PM (UTC+9)</timestamp>\n"
    machine.write(
        _CURSOR.format(folder),
        _asked(
            f"{time}<system_reminder>\nx\n</system_reminder>\n{quoted}<user_query>\n{_PICKUP}"
            "\n</user_query>"
        ),
        _told("Noted."),
        _asked(
            "<user_query>\nAnd nothing on Sundays.\n</user_query>\n<open_tabs>\na.ts\n</open_tabs>"
        ),
        _asked(
            "<user_query>The above subagent result is already visible to the user. Do not "
            "repeat it.</user_query>"
        ),
        _asked(f"{quoted}\nI want red crates."),
    )
    machine.write(
        _CURSOR.format(folder).replace("/k.jsonl", "/subagents/m.jsonl"),
        _asked("<user_query>\nFind it.\n</user_query>"),
    )
    assert machine.said() == [_PICKUP, "And nothing on Sundays."]
    assert {message.at.isoformat() for message in machine.messages()} == {
        "2026-05-08T09:05:00+00:00"
    }
    assert {
        found.path.name
        for found in sources(
            list_transcript_places(machine.home, {}, list_readable_agents(), []), _MAIN
        )
    } == {"k.jsonl"}


def test_a_folder_of_cursor_is_a_project_only_where_one_folder_has_that_name(
    tmp_path: Path,
) -> None:
    for name in ("a-b/c", "d/e"):
        (tmp_path / name).mkdir(parents=True)
    root = "-".join(tmp_path.parts[1:]).replace("_", "-").replace(".", "-")

    def cwd_of(name: str) -> str:
        (place,) = list_transcript_places(tmp_path, {}, ["cursor"], [])
        return place.find_working_folder(
            place.folder / f"{root}-{name}" / "agent-transcripts" / "k" / "k.jsonl"
        )

    assert cwd_of("d-e") == str(tmp_path / "d" / "e")
    assert cwd_of("a-b-c") == str(tmp_path / "a-b" / "c")
    (tmp_path / "d-e").mkdir()
    assert cwd_of("gone") == ""
    (tmp_path / "a" / "b-c").mkdir(parents=True)
    assert cwd_of("a-b-c-d") == ""


# What stands in a person's place


@pytest.mark.parametrize(
    "text",
    [
        (
            "Automation: Tidy up\nAutomation ID: tidy-up\nLast run: never\n\nI care most about "
            "the crates."
        ),
        '<codex_internal_context source="goal">\nI want red crates.\n</codex_internal_context>',
        "<codex_steering_note>\nI want red crates.\n</codex_steering_note>",
    ],
)
def test_what_codex_writes_in_a_persons_place_is_not_theirs(machine: _Machine, text: str) -> None:
    machine.write(
        ".codex/sessions/2026/11/20/rollout-a.jsonl",
        _meta("a"),
        _item(text),
        _item(_PICKUP, second=20),
    )
    assert machine.said() == [_PICKUP]


def test_of_a_command_behind_an_exclamation_mark_what_was_typed_is_a_persons(
    machine: _Machine,
) -> None:
    shell = (
        "<user_shell_command>\n<command>\ngit log --grep crates\n</command>\n<result>\nI like "
        "blue\n</result>\n"
    )
    machine.write(
        ".codex/sessions/2026/11/20/rollout-a.jsonl",
        _meta("a"),
        _item(f"{shell}</user_shell_command>"),
    )
    machine.write(
        f"{_CHATS}/b.jsonl",
        _claude("b", "user", 1, '<bash-input>git commit -m "crates first"</bash-input>'),
        _claude(
            "b", "user", 2, "<bash-stdout>I like blue</bash-stdout><bash-stderr></bash-stderr>"
        ),
    )
    assert sorted(machine.said()) == ['git commit -m "crates first"', "git log --grep crates"]


@pytest.mark.parametrize(
    "texts",
    [
        [
            "\n--- Content from referenced files ---",
            "\nContent from @notes.md:\n",
            "I like blue\n",
            "\n--- End of content ---",
        ],
        [
            "\nContent from @notes.md:\n",
            "I like blue\n",
            "\nContent from @more.md:\n",
            "I like red\n",
        ],
        [
            "\nContent from @a.md:\n",
            "x\n--- End of content ---\nI like blue",
            "\n--- End of content ---",
        ],
        [
            "--- /w/shop/notes.md ---\n\nI like blue\n\n",
            "--- /w/shop/more.md ---\n\nI like red\n\n",
        ],
    ],
)
def test_contents_of_files_that_a_prompt_names_are_not_the_prompt(
    machine: _Machine, texts: list[str]
) -> None:
    asked = "See @notes.md and @more.md first."
    machine.write(
        ".gemini/tmp/shop/chats/session-2026-11-20T01-00-abcdef12.jsonl",
        {"sessionId": "g", "projectHash": "x", "startTime": f"{_DAY}T01:00:00Z", "kind": "main"},
        {**_gemini("1", "user", ""), "content": [{"text": text} for text in (asked, *texts)]},
        _gemini("2", "user", "Content from @notes.md is old, I mean."),
    )
    assert machine.said() == [asked, "Content from @notes.md is old, I mean."]


def test_what_a_person_answers_gemini_is_said_behind_the_question(machine: _Machine) -> None:
    asked = {"questions": [{"question": "Which crates?", "header": "Crates", "type": "text"}]}
    given = {
        "functionResponse": {
            "name": "ask_user",
            "response": {"output": '{"answers":{"0":"the red ones"}}'},
        }
    }
    printed = {
        "functionResponse": {"name": "shell", "response": {"output": '{"answers":{"0":"blue"}}'}}
    }
    machine.write(
        ".gemini/tmp/shop/chats/session-2026-11-20T01-00-abcdef12.jsonl",
        {"sessionId": "g", "projectHash": "x", "startTime": f"{_DAY}T01:00:00Z", "kind": "main"},
        _gemini(
            "1",
            "gemini",
            "Let me ask.",
            toolCalls=[
                {
                    "id": "c",
                    "name": "ask_user",
                    "args": asked,
                    "result": [given],
                    "status": "success",
                },
                {"id": "d", "name": "shell", "args": {}, "result": [printed], "status": "success"},
            ],
        ),
    )
    assert machine.said() == ["the red ones"]
    assert machine.heard() == ["Let me ask.", "Which crates?"]


def test_the_arguments_of_qwens_commands_are_what_a_person_typed(machine: _Machine) -> None:
    def line(number: int, command: str, **more: object) -> dict[str, object]:
        payload = {"phase": "invocation", "rawCommand": command, **more}
        return {
            "uuid": f"q{number}",
            "sessionId": "q",
            "timestamp": f"{_DAY}T01:0{number}:00Z",
            "type": "system",
            "provenance": "system",
            "cwd": "/w/shop",
            "subtype": "slash_command",
            "systemPayload": payload,
        }

    machine.write(
        ".qwen/projects/-w-shop/chats/q.jsonl",
        line(1, f"/remember {_PICKUP}"),
        line(2, "/model qwen3-coder"),
        line(3, "/clear"),
        line(4, "/remember red crates", phase="result"),
    )
    assert machine.said() == [_PICKUP]
