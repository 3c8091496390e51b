"""Questions about a time, over the in-memory store. It is Saturday, 21 November 2026."""

from datetime import UTC, date, datetime, timedelta, timezone

import pytest

from gieok.flow.lifecycle import fill_vectors
from gieok.model.memory import Document, Entry, Passage, Scope
from gieok.model.retrieval import Filter
from gieok.ranking import timeline
from gieok.ranking.profile import Profile
from gieok.ranking.recall import Question, RankedHits, recall
from gieok.testing import HashEmbedder, ManualClock, MemoryStore

_TODAY = date(2026, 11, 21)
_MAIN = Scope("agent:main")
_SEOUL = timezone(timedelta(hours=9))
_PROFILE = Profile(name="test", min_score=0.0, least_best=0.0, limit=6)

_LISTING = [
    ("지난주에 뭐 했지", ""),
    ("지난주에 뭐 했더라?", ""),
    ("what happened in October", ""),
    ("what happened last week?", ""),
    ("what did we do yesterday?", ""),
    ("What have we been working on this week", ""),
    ("9월 25일에 샵에서 얘기한 거 뭐 있었지", "샵에서"),
    ("what changed on the blog in mid September?", "blog"),
    ("what did we decide about refunds last month?", "refunds"),
    ("10월 초에 환불 관련해서 결정한 거 정리해줘", "환불 관련해서"),
    ("어제 무슨 얘기 했어?", ""),
    ("지난달 회고", ""),
    ("recap of last week", ""),
    ("summarize September", ""),
    ("anything new since Tuesday?", ""),
    ("which decisions did we make in Q3", ""),
    ("지난주", ""),
    ("October", ""),
    ("2026-10-14", ""),
    ("9월 말에 바뀐 거 있어?", ""),
    ("8월부터 10월까지 있었던 일", ""),
    ("지난달에 앱에서 뭐가 바뀌었지?", "앱에서"),
    ("9월 정리해줘", ""),
    ("지난주 회의 요약", "회의"),
    ("summary of last week", ""),
    ("what was decided last Tuesday?", ""),
    ("what did they say about the launch yesterday", "launch"),
    ("지난 금요일에 무슨 일 있었어?", ""),
    ("어제 결정한 사항 알려줘", ""),
    ("지난주에 게임 얘기한 거", "게임"),
    ("what I did yesterday", ""),
    ("지난 분기에 바뀐 내용", ""),
    ("what have I been up to lately this month", ""),
    ("지난주에 민지랑 얘기한 내용", "민지랑"),
]


@pytest.mark.parametrize(("question", "words"), _LISTING)
def test_a_question_about_a_time_wants_it_listed(question: str, words: str) -> None:
    found = timeline.find_asked_period(question, _TODAY)
    assert found
    assert found.words == words


@pytest.mark.parametrize(
    "question",
    [
        "what is the refund fee",
        "환불 수수료가 얼마지?",
        "지난달에 정산 주기가 며칠이었지?",
        "who reviewed the parser in October?",
        "the release of September 3 uses which port?",
        "How long did the migration take last week?",
        "version 2024.1.3 what happened",
        "May I see what changed?",
        "what happened to the parser",
        "9월에 산 모니터 모델명",
        "what was the fee in September?",
        "what is the port of the admin page since last week",
        "what did the team pick for the queue in October?",
        "9월에 어떤 DB 쓰기로 했지?",
        "지난주에 뭐 쓰기로 했더라 큐로",
        "list the tests that failed today",
        "add a log line with today's date",
        "write the changelog for September",
        "오늘 배포 스크립트 고쳐줘",
        "내일까지 지난달 매출 보고서 만들어줘",
        "show the diff of yesterday's commit to the parser",
    ],
)
def test_another_question_is_answered_as_ever(question: str) -> None:
    assert timeline.find_asked_period(question, _TODAY) is None


def _turns(number: int, at: datetime, *lines: str) -> Entry:
    text = "\n".join(lines)
    document = Document(
        scope=_MAIN,
        key=f"sessions/codex/s#{number}",
        kind="turn",
        text=text,
        content_hash=text,
        created_at=at,
        updated_at=at + timedelta(hours=1),
        valid_from=at,
    )
    passages, start = [], 0
    for place, line in enumerate(lines, 1):
        passages.append(Passage(start, start + len(line), place, place))
        start += len(line) + 1
    return Entry(document, tuple(passages))


def _note(key: str, text: str, day: date) -> Entry:
    at = datetime(day.year, day.month, day.day, tzinfo=UTC)
    document = Document(
        scope=_MAIN,
        key=key,
        kind="memory",
        text=text,
        content_hash=text,
        created_at=at,
        updated_at=at,
        valid_from=at,
    )
    return Entry(document, (Passage(0, len(text), 1, 1),))


def _store() -> MemoryStore:
    store = MemoryStore()
    store.put(
        [
            _turns(
                1,
                datetime(2026, 11, 11, 3, tzinfo=UTC),
                "User: 테스트 좀 돌려줘",
                "Assistant: All forty tests pass, and nothing else is left to be done here.",
                "User: 앞으로 환불은 사흘 안에 처리하기로 했어",
                "Assistant: 알겠습니다.",
            ),
            _turns(
                2,
                datetime(2026, 11, 12, 3, tzinfo=UTC),
                "User: We decided to move the blog to Astro",
                "User: ok",
            ),
            _turns(
                3, datetime(2026, 11, 18, 3, tzinfo=UTC), "User: 이번 주에는 결제를 바꾸기로 했어"
            ),
            _note("n/2026-10-14.md", "Launch was postponed to December.", date(2026, 10, 14)),
            _note("n/2026-10-20.md", "Lunch with Minji.", date(2026, 10, 20)),
        ]
    )
    return store


def _ask(text: str, profile: Profile = _PROFILE, zone: timezone = UTC) -> RankedHits:
    return recall(
        _store(), None, Question(text=text, scopes=(_MAIN,)), profile, ManualClock(), zone
    )


def _texts(found: RankedHits) -> list[str]:
    return [hit.passage.text for hit in found.hits]


def test_what_a_user_decided_is_listed_before_chat_and_nothing_of_another_time() -> None:
    found = _ask("지난주에 뭐 했지")
    assert found.is_timeline
    assert set(_texts(found)[:2]) == {
        "User: 앞으로 환불은 사흘 안에 처리하기로 했어",
        "User: We decided to move the blog to Astro",
    }
    assert not any("이번 주에는" in text or "Launch" in text for text in _texts(found))


def test_the_other_words_of_the_question_come_first() -> None:
    assert "blog" in _texts(_ask("what changed on the blog last week?"))[0]
    assert "환불" in _texts(_ask("지난주에 환불 얘기한 거 뭐 있었지"))[0]


def test_a_month_of_daily_notes_is_listed_by_what_matters() -> None:
    assert _texts(_ask("what happened in October")) == [
        "Launch was postponed to December.",
        "Lunch with Minji.",
    ]


def test_a_time_of_which_nothing_is_known_gives_nothing() -> None:
    found = _ask("what happened in March")
    assert (found.hits, found.is_timeline) == ((), True)


def test_words_that_no_line_of_the_time_holds_do_not_empty_the_list() -> None:
    assert (
        _texts(_ask("what changed in the warehouse in October?"))[0]
        == "Launch was postponed to December."
    )


def test_an_empty_time_with_words_is_searched_as_ever() -> None:
    found = _ask("what changed about the launch in March?")
    assert not found.is_timeline
    assert _texts(found)[0] == "Launch was postponed to December."


def test_the_days_are_those_of_the_users_zone() -> None:
    store = MemoryStore()
    store.put([_turns(1, datetime(2026, 11, 19, 22, tzinfo=UTC), "User: 새벽에 배포하기로 했어")])
    question = Question(text="어제 뭐 했지", scopes=(_MAIN,))
    clock = ManualClock(datetime(2026, 11, 21, 3, tzinfo=UTC))
    assert recall(store, None, question, _PROFILE, clock, _SEOUL).hits
    assert not recall(store, None, question, _PROFILE, clock, UTC).hits


def test_the_limit_holds_and_one_talk_does_not_fill_it() -> None:
    store = MemoryStore()
    at = datetime(2026, 11, 11, 3, tzinfo=UTC)
    many = [f"User: 앞으로 {n}번 규칙은 늘 지키기로 했어" for n in range(30)]
    store.put(
        [
            _turns(1, at, *many),
            _turns(2, at, "User: 포트는 8080을 쓰자고 한다"),
            _turns(3, at, "User: 우리 팀 이름은 해오름이다"),
        ]
    )
    found = recall(
        store, None, Question(text="지난주에 뭐 했지", scopes=(_MAIN,)), _PROFILE, ManualClock()
    )
    assert len(found.hits) == 6
    asked = Question(text="지난주에 뭐 했지", scopes=(_MAIN,), where=Filter(until=at))
    assert not recall(store, None, asked, _PROFILE, ManualClock()).hits


def test_what_was_said_twice_is_listed_once() -> None:
    store = MemoryStore()
    at = datetime(2026, 11, 11, 3, tzinfo=UTC)
    store.put([_turns(n, at, "User: 포트는 8080을 쓰기로 했어") for n in (1, 2)])
    assert (
        len(
            recall(
                store, None, Question(text="지난주", scopes=(_MAIN,)), _PROFILE, ManualClock()
            ).hits
        )
        == 1
    )


def test_another_models_vectors_leave_the_order_to_the_rules() -> None:
    store, embedder = _store(), HashEmbedder()
    fill_vectors(store, embedder)
    found = recall(
        store, embedder, Question(text="지난주에 뭐 했지", scopes=(_MAIN,)), _PROFILE, ManualClock()
    )
    assert _texts(found)[0] in (
        "User: 앞으로 환불은 사흘 안에 처리하기로 했어",
        "User: We decided to move the blog to Astro",
    )


def test_a_day_alone_that_nothing_happened_on_is_a_word_too() -> None:
    store = _store()
    store.put([_note("n/payments.md", "결제는 매주 화요일에 정산한다.", date(2026, 11, 2))])
    asked = Question(text="화요일", scopes=(_MAIN,))
    found = recall(store, None, asked, _PROFILE, ManualClock(), UTC)
    assert "결제는 매주 화요일에 정산한다." in _texts(found)


def test_a_file_that_was_only_changed_then_comes_behind_what_is_dated() -> None:
    store = _store()
    at = datetime(2026, 11, 19, tzinfo=UTC)
    copied = Document(
        scope=_MAIN,
        key="a/copied.md",
        kind="memory",
        text="We decided to launch: always, from now on.",
        content_hash="c",
        created_at=at,
        updated_at=at,
    )
    store.put([Entry(copied, (Passage(0, len(copied.text), 1, 1),))])
    store.put([_note("n/2026-11-20.md", "Lunch with Minji again.", date(2026, 11, 20))])
    question = Question(text="이번 주에 뭐 했지", scopes=(_MAIN,))
    texts = _texts(recall(store, None, question, _PROFILE, ManualClock(), UTC))
    assert texts[-1] == copied.text
    assert "Lunch with Minji again." in texts
