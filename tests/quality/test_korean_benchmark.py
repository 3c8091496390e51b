"""The Korean benchmark's data keep the form that its README promises, and its scorer scores so."""

import json
import sys
from collections import Counter
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

_BENCHMARK = Path(__file__).parents[2] / "benchmarks" / "korean"
sys.path.insert(0, str(_BENCHMARK))


import score  # noqa: E402 - the scorer itself
from score import Question  # noqa: E402

_FILES = sorted((_BENCHMARK / "data").glob("*.json"))
_OF_EACH = {
    "asked": 14,
    "unasked": 10,
    "dialect": 6,
    "changed": 9,
    "ended": 8,
    "parallel": 9,
    "absent": 11,
}


def test_six_people_wrote_it() -> None:
    assert len(_FILES) == 6


@pytest.fixture(params=_FILES, ids=lambda file: file.stem)
def written(request: pytest.FixtureRequest) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(request.param.read_text(encoding="utf-8"))
    return data


def test_each_person_has_ten_sessions_and_the_same_number_of_each_kind(
    written: dict[str, Any],
) -> None:
    assert len(written["sessions"]) == 10
    assert Counter(question["kind"] for question in written["questions"]) == _OF_EACH


def test_what_is_wanted_was_said_by_the_user_before_it_is_asked(written: dict[str, Any]) -> None:
    turns = {
        f"{session['id']}/{number}": (session["at"], turn)
        for session in written["sessions"]
        for number, turn in enumerate(session["turns"])
    }
    for question in written["questions"]:
        said = [turns[key] for key in question["said"]]
        texts = [turn["text"].lower() for _, turn in said]
        assert all(turn["role"] == "user" for _, turn in said), question["id"]
        assert all(_moment(at) < _moment(question["at"]) for at, _ in said), question["id"]
        for words in question["want"]:
            assert any(words.lower() in text for text in texts), question["id"]


def test_a_question_does_not_hold_its_answer(written: dict[str, Any]) -> None:
    for question in written["questions"]:
        for words in [*question["want"], *question["not"]]:
            assert words.lower() not in question["ask"].lower(), question["id"]


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _ask(kind: str, want: tuple[str, ...] = (), wrong: tuple[str, ...] = ()) -> Question:
    return Question("q", kind, "언제 하지?", "2026-06-01T09:00:00+09:00", None, want, wrong)


@pytest.mark.parametrize(
    ("question", "text", "right"),
    [
        (_ask("asked", ("화요일",)), "배포는 화요일에 한다", True),
        (_ask("asked", ("화요일",)), "배포는 수요일에 한다", False),
        (_ask("asked", ("16",)), "워커는 160개", False),
        (_ask("changed", ("45",), ("40",)), "45로 올렸다\n40이었다", True),
        (_ask("changed", ("45",), ("40",)), "40이었다\n45로 올렸다", False),
        (_ask("changed", ("45",), ("40",)), "40이었다 (바뀜)\n45로 올렸다", True),
        (_ask("changed", ("45",), ("40",)), "", False),
        (_ask("parallel", ("이모",), ("고모",)), "고모 생신\n이모 생신", False),
        (_ask("ended", ("취소",), ("제주",)), "제주 가기로 했어", False),
        (_ask("ended", ("취소",), ("제주",)), "제주는 취소했어", True),
        (_ask("ended", ("취소",), ("제주",)), "", False),
        (_ask("ended", (), ("제주",)), "", True),
        (_ask("ended", (), ("제주",)), "5월까지 제주에서 지낸다", False),
        (_ask("absent"), "", True),
        (_ask("absent"), "배포는 화요일에 한다", False),
    ],
)
def test_a_text_passes_by_the_kind_of_its_question(
    question: Question, text: str, right: bool
) -> None:
    assert score.passes(question, text) is right


def test_only_the_first_thousand_characters_count() -> None:
    question = _ask("asked", ("화요일",))
    assert not score.passes(question, "가" * 1_000 + "화요일")


def test_a_system_is_any_command_that_takes_a_folder(tmp_path: Path) -> None:
    data = {
        "hand": "one",
        "sessions": [
            {
                "id": "one-s01",
                "at": "2026-03-01T10:00:00+09:00",
                "project": None,
                "turns": [{"role": "user", "text": "배포는 화요일이야"}],
            }
        ],
        "questions": [
            {
                "id": "one-q01",
                "kind": "asked",
                "ask": "언제 내보내지?",
                "at": "2026-06-01T09:00:00+09:00",
                "project": None,
                "want": ["화요일"],
                "not": [],
                "said": ["one-s01/0"],
            },
        ],
    }
    (tmp_path / "one.json").write_text(json.dumps(data), encoding="utf-8")
    systems = _BENCHMARK / "systems.py"
    rows = score.score_system(f"{sys.executable} {systems} newest", score.read_people(tmp_path))
    assert rows["one"]["asked"] == 1.0
