"""Rules that bind, told months ago in a memory of real size: first at a session's start, and before
what they govern.
"""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from gieok.commands.observe.run import observe_transcripts as observe

_RULES = (
    "never run migrations straight against prod",
    "로그에 고객 전화번호 절대 남기지 마",
    "In this repository we only use pnpm.",
    "main에 직접 푸시하지 않기. 대신 PR을 열어줘",
    "Don't touch the billing module without asking me first.",
)
_ONE_OFF = (
    "don't run it yet",
    "이번엔 테스트 돌리지 마",
    "Should we never deploy on Fridays?",
    "He said never trust a cache.",
)
_ASKED = (
    "Can you explain how the {0} works?",
    "{0} 쪽 코드 좀 정리해줘",
    "I think the {0} is slower than last month, I saw it twice.",
    "{0} 화면에서 버튼이 안 눌려. 왜 그런지 봐줘",
    "We decided to move the {0} to the new cluster, it was cheaper.",
)
_THINGS = (
    "cart",
    "search page",
    "coupon list",
    "image loader",
    "report",
    "invoice view",
    "login form",
    "order queue",
    "banner",
)


def _session(name: str, folder: Path, turns: Sequence[str], day: str) -> Iterator[str]:
    for number, text in enumerate(turns):
        for role, content in (
            ("user", text),
            ("assistant", [{"type": "text", "text": "I looked at it, see the diff."}]),
        ):
            line = {
                "type": role,
                "uuid": f"{name}-{number}-{role}",
                "sessionId": name,
                "cwd": str(folder),
                "timestamp": f"{day}T10:{number:02}:00Z",
                "message": {"role": role, "content": content},
            }
            yield json.dumps(line, ensure_ascii=False) + "\n"


def _lay_out(place, sessions: Sequence[tuple[Sequence[str], str]]) -> None:
    from gieok.home.calls import open_call

    chats = place.user / ".claude" / "projects" / "-w"
    chats.mkdir(parents=True, exist_ok=True)
    first = len(list(chats.iterdir()))
    for number, (turns, day) in enumerate(sessions, start=first):
        (chats / f"s{number:03}.jsonl").write_text(
            "".join(_session(f"s{number:03}", place.project, turns, day))
        )
    call = open_call({})
    observe(call, once=True)
    call.home.store.close()


def _noise(sessions: int) -> list[tuple[list[str], str]]:
    """Return sessions of other matters, two days apart, from June on."""
    made = []
    for number in range(sessions):
        thing = f"{_THINGS[number % len(_THINGS)]} {number}"
        turns = [asked.format(thing) for asked in _ASKED[number % 3 :]]
        made.append((turns, f"2026-{7 + number // 40:02}-{1 + number % 28:02}"))
    return made


def _start(place, session: str = "new") -> str:
    payload = {
        "session_id": session,
        "cwd": str(place.project),
        "hook_event_name": "SessionStart",
        "source": "startup",
    }
    return place.hook("session-start", payload).context


_TOLD = [
    *(([rule], f"2026-05-{number + 1:02}") for number, rule in enumerate(_RULES)),
    ([*_ONE_OFF], "2026-05-20"),
]


@pytest.fixture
def bound(place):
    """Return a place where rules were told in May, and a few other matters since."""
    _lay_out(place, [*_TOLD, *_noise(6)])
    return place


def test_rules_told_months_ago_come_first_at_a_start_in_a_memory_of_real_size(place) -> None:
    _lay_out(place, [*_TOLD, *_noise(150)])
    shown = _start(place)
    first = shown.split("## ")[1]
    assert first.startswith("Rules that bind")
    for rule in _RULES:
        assert rule in first
    for other in _ONE_OFF:
        assert other not in first


def test_what_was_forbidden_for_the_moment_or_the_day_is_over_in_later_sessions(place) -> None:
    moment = ["don't run the integration tests right now", "이번 커밋에서는 README 건드리지 마"]
    over = ["do not deploy today", "don't restart the server while I'm debugging"]
    _lay_out(place, [([*moment, *over, _RULES[0]], "2026-05-01"), (["안녕?"], "2026-05-02")])
    _lay_out(place, _noise(2))
    shown = _start(place)
    assert _RULES[0] in shown
    rules, _, rest = shown.partition("## End of the last session")
    for text in (*moment, *over):
        assert text not in rules
        assert text not in rest
    asked = place.hook(
        "prompt", place.payload("run the integration tests please", session_id="p")
    ).context
    assert not asked or "said for that moment, no standing rule" in asked


@pytest.mark.parametrize(
    ("prompt", "rule"),
    [
        ("run the pending migration on production", _RULES[0]),
        ("회원가입 핸들러에 로깅 추가해줘", _RULES[1]),
        ("add the date-fns package", _RULES[2]),
        ("push this to main", "main에 직접 푸시하지 않기"),
        ("결제 모듈 환불 로직 고쳐줘", _RULES[4]),
        ("main에 푸시해도 돼?", "main에 직접 푸시하지 않기"),
    ],
)
def test_a_rule_comes_before_what_it_governs(bound, prompt: str, rule: str) -> None:
    assert rule in bound.hook("prompt", bound.payload(prompt, session_id="p")).context


@pytest.mark.parametrize(
    "prompt",
    [
        "center the title of the about page",
        "변수 이름을 더 짧게 바꿔줘",
        "how do I push a tag in git?",
    ],
)
def test_a_rule_stays_away_from_what_it_does_not_govern(bound, prompt: str) -> None:
    shown = bound.hook("prompt", bound.payload(prompt, session_id="p")).context
    assert all(rule not in shown for rule in _RULES)


def test_a_rule_stands_once_in_a_session(bound) -> None:
    _start(bound, "one")
    again = bound.hook(
        "prompt", bound.payload("run the pending migration on production", session_id="one")
    ).context
    assert _RULES[0] not in again


def test_a_rule_is_gone_when_the_user_lifts_it_or_forgets_it_and_only_then(bound) -> None:
    _lay_out(
        bound,
        [
            (
                ["you can run migrations against prod again", "why did the billing module fail?"],
                "2026-11-20",
            )
        ],
    )
    shown = _start(bound)
    assert _RULES[0] not in shown.split("## ")[1]
    assert _RULES[4] in shown.split("## ")[1]
