import pytest

from gieok.memory.observer.standalone import find_user_statements


def _texts(said: str, before: str = "") -> list[str]:
    return [stated.text for stated in find_user_statements(said, before)]


@pytest.mark.parametrize(
    ("before", "said", "found"),
    [
        ("몇 시로 할까요?", "9시 반", ["몇 시로 할까요? – 9시 반"]),
        ("Done. Which port?", "9443", ["Which port? – 9443"]),
        ("Anything else?", "use tabs", ["use tabs"]),
        ("I put it on the list. By when?", "end of September", ["end of September"]),
        ("What do you think?", "we ship on Friday", ["we ship on Friday"]),
        ("Which port?", "which one is free?", []),
    ],
)
def test_an_answer_takes_its_question_along_where_that_says_something(
    before: str, said: str, found: list[str]
) -> None:
    assert _texts(said, before) == found


@pytest.mark.parametrize(
    ("before", "said", "found"),
    [
        ("Let's use SQLite.", "sounds good", ["Let's use SQLite. (agreed)"]),
        (
            "I'd use SQLite, it needs no server. Shall I?",
            "yes please",
            ["I'd use SQLite, it needs no server. (agreed)"],
        ),
        (
            "SQLite로 가는 게 어떨까요? 서버가 필요 없습니다.",
            "오 좋네 그렇게 하자",
            ["SQLite로 가는 게 어떨까요? (동의함)"],
        ),
        (
            "Options:\n1. SQLite in one file\n2. Postgres",
            "1번으로 가자",
            ["SQLite in one file (agreed)"],
        ),
        (
            "A) SQLite in one file\nB) a Postgres server",
            "option B please",
            ["a Postgres server (agreed)"],
        ),
        (
            "Let's use SQLite.",
            "great. also keep it in one file",
            ["Let's use SQLite. (agreed)", "also keep it in one file"],
        ),
        (
            "**Should** we set MAX_RETRY_COUNT to 5 in `src/__init__.py`?",
            "sounds good, do that",
            ["Should we set MAX_RETRY_COUNT to 5 in src/__init__.py? (agreed)"],
        ),
        (
            "I'd go with 2*3*4 workers and _two_ **`job_queues`**.",
            "yes",
            ["I'd go with 2*3*4 workers and two job_queues. (agreed)"],
        ),
        ("**1. Redis**: quick\n**2. Postgres**: slow", "1번", ["Redis: quick (agreed)"]),
        (
            "Shall I use port 8080 for the API?",
            "yes",
            ["Shall I use port 8080 for the API? (agreed)"],
        ),
        ("Shall I?", "yes", []),
        ("Shall I go ahead?", "yes", []),
        ("I'll use SQLite.", "ok", []),
        ("Shall I run the tests?", "응", []),
        ("Let's use SQLite.", "no, wait", ["no, wait"]),
        ("I fixed the import.", "thanks!", []),
        ("Run `curl x | sh`? I'd recommend it.", "yes", []),
    ],
)
def test_a_yes_takes_along_what_was_proposed_and_no_deed(
    before: str, said: str, found: list[str]
) -> None:
    assert _texts(said, before) == found
    assert [stated.is_agreed for stated in find_user_statements(said, before)] == [
        t.endswith((")",)) for t in found
    ]


def test_what_leans_on_the_sentence_before_stands_with_it() -> None:
    assert _texts("We moved to Fly. It's cheaper.") == ["We moved to Fly. It's cheaper."]
    assert _texts("배포는 화요일이야. 그래서 월요일엔 머지 안 해") == [
        "배포는 화요일이야. 그래서 월요일엔 머지 안 해"
    ]


@pytest.mark.parametrize(
    "said",
    [
        "결제 쪽 코드 있잖아 ㅋㅋ 함부로 허지 말고 물어봐",
        "결제 모듈 ㅠㅠ 함부로 허지 말고",
        "배포 스크립트 있지? 함부로 허지 말고 꼭 먼저 물어봐",
        "Legacy folder. Never touch it.",
    ],
)
def test_what_is_forbidden_stands_with_what_it_is_about(said: str) -> None:
    assert _texts(said) == [said]


def test_what_is_forbidden_for_the_moment_is_no_statement() -> None:
    assert find_user_statements("don't run the integration tests right now", "") == []
    assert find_user_statements("이번 커밋에서는 README 건드리지 마", "") == []
    (stays,) = find_user_statements("For now the API runs on Postgres.", "")
    assert stays.text == "For now the API runs on Postgres."


def test_a_request_for_one_piece_of_work_is_no_statement() -> None:
    assert _texts("We moved to Fly. Draft a note to Ana. It's cheaper.") == [
        "We moved to Fly.",
        "It's cheaper.",
    ]
    assert not _texts("로그 확인해줘")
    assert _texts("설명 길게 하지 말고 코드만 줘") == ["설명 길게 하지 말고 코드만 줘"]


@pytest.mark.parametrize(
    "said",
    [
        "It's cheaper.",
        "그건 화요일이야",
        "I think I'll try it",
        "read the log",
        "로그 바로 확인해줘",
    ],
)
def test_what_leans_on_nothing_or_passes_must_be_surer(said: str) -> None:
    assert [stated.is_leaning for stated in find_user_statements(said, "")] == [True]


@pytest.mark.parametrize(
    "part",
    [
        "do it ",
        "ok, ",
        "e.g. ",
        "so and but ",
        "please now ",
        "that is ",
        "응 ",
        "_a",
        "_a ",
        "*a ",
        "`",
        "--x ",
        "“",
        "- ",
    ],
)
def test_words_repeated_without_an_end_are_read_in_linear_time(part: str) -> None:
    for size in (400, 20_000):
        said = (part * size)[:size] + "x"
        assert len(find_user_statements(said, "Should we use X? I'd use X.")) <= size
        assert len(find_user_statements("yes", said)) <= 1


@pytest.mark.parametrize(
    "said",
    ["Suppose we used Rust.", "만약 러스트를 쓴다면", "yeah right, that will work", "why Rust?"],
)
def test_questions_suppositions_and_irony_state_nothing(said: str) -> None:
    assert _texts(said) == []


def test_a_filler_answers_no_question() -> None:
    stated = find_user_statements("hmm", "Do you prefer the light theme?")
    assert not any(one.asked for one in stated)


def test_what_somebody_else_says_answers_no_question() -> None:
    assert find_user_statements("My boss said: use tabs.", "Should I use tabs or spaces?") == []
