import pytest

from gieok.memory.observer.standalone import (
    UserStatement,
    find_questions,
    find_user_statements,
    is_mere_reply,
    is_short_reply,
)


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


_TOOLS = "SQLite,Postgres,MySQL,Redis,Mongo".split(",")


@pytest.mark.parametrize(
    ("said", "chosen"),
    [
        ("the first one", 0),
        ("the second one", 1),
        ("third option", 2),
        ("the fourth one", 3),
        ("the last one", 4),
        ("첫 번째 거", 0),
        ("두번째 거로 하자", 1),
        ("세 번째 것", 2),
        ("네 번째 걸로 하자", 3),
        ("마지막 거", 4),
        ("3", 2),
        ("number 2 please", 1),
        ("5번", 4),
        ("9번", None),
    ],
)
def test_an_item_is_chosen_by_its_place_or_its_number(said: str, chosen: int | None) -> None:
    items = "\n".join(f"{n}. {tool} in one place" for n, tool in enumerate(_TOOLS, 1))
    expected = [] if chosen is None else [f"{_TOOLS[chosen]} in one place (agreed)"]
    assert [text for text in _texts(said, items) if "(agreed)" in text] == expected


def test_a_place_that_a_list_has_not_chooses_nothing() -> None:
    assert not any("(agreed)" in text for text in _texts("the third one", "1. SQLite\n2. Redis"))
    assert not any("(agreed)" in text for text in _texts("the last one", "Which one?"))


def test_of_a_list_the_last_twelve_items_count_and_only_near_the_end() -> None:
    items = "\n".join(f"{n % 9 + 1}. item {chr(97 + n)} of it" for n in range(13))
    assert _texts("the first one", items) == ["item b of it (agreed)"]
    item = "1. SQLite in one file"
    rest = "\n" + "x" * (2499 - len(item))
    assert _texts("the first one", item + rest) == ["SQLite in one file (agreed)"]
    assert "SQLite in one file (agreed)" not in _texts("the first one", f"{item}{rest}x")


@pytest.mark.parametrize(("chars", "is_taken"), [(200, True), (201, False)])
def test_a_proposal_longer_than_a_sentence_is_not_taken(chars: int, *, is_taken: bool) -> None:
    before = f"I suggest {'x' * (chars - 11)}."
    assert len(before) == chars
    assert bool(_texts("yes", before)) is is_taken


@pytest.mark.parametrize(
    ("said", "is_short"),
    [
        ("x" * 60, True),
        ("x" * 61, False),
        ("가" * 30, True),
        ("가" * 30 + "x", False),
        ("\u10ff" * 60, True),
        (" yes \n", True),
        ("yes\nno", False),
    ],
)
def test_a_reply_is_a_short_line(said: str, *, is_short: bool) -> None:
    assert is_short_reply(said) is is_short


@pytest.mark.parametrize(("last", "is_agreed"), [("yes", True), ("yeah", False)])
def test_a_yes_is_no_longer_than_a_reply(last: str, *, is_agreed: bool) -> None:
    said = f"{'yes ' * 14}{last}. We moved the shop to Fly in March."
    assert len(said.partition(". ")[0]) == (59 if is_agreed else 60)
    assert any("(agreed)" in text for text in _texts(said, "Let's use SQLite.")) is is_agreed


@pytest.mark.parametrize(("columns", "is_joined"), [(80, True), (81, False)])
def test_an_answer_is_no_longer_than_a_line(columns: int, *, is_joined: bool) -> None:
    answer = f"the {'x' * (columns - 5)}."
    said = f"{answer} The shop moved to Fly in March, and all of us like it."
    (first, *_) = _texts(said, "Which server is it?")
    assert first == (f"Which server is it? – {answer}" if is_joined else answer)


@pytest.mark.parametrize(
    ("answer", "is_joined"),
    [
        ("Frankfurt", True),
        ("wait, let me look", False),
        ("no Frankfurt", False),
        ("is it free?", False),
        ("hmm", False),
    ],
)
def test_what_is_no_answer_takes_no_question_along(answer: str, *, is_joined: bool) -> None:
    stated = find_user_statements(answer, "Which region should the bucket be in?")
    assert any(one.text.startswith("Which region") and not one.is_refused for one in stated) is (
        is_joined
    )


@pytest.mark.parametrize(
    ("before", "is_joined"),
    [
        ("Which port?", True),
        ("Which port? It is for the proxy. Any will do.", True),
        ("Which port? It is for the proxy. Any will do. Take your time.", False),
        ("Which host? Which port?", False),
        ("Which host? A. B. C. D. E. F. Which port?", False),
        ("Which host? One. Two. Six. Ten. Red. Ink. Which port?", False),
        ("Which host? One. Two. Six. Ten. Red. Ink. Owl. Which port?", True),
        ("Which password?", False),
        ("When?", False),
        ("Should I run it on a port?", False),
    ],
)
def test_the_only_question_at_the_end_is_answered(before: str, *, is_joined: bool) -> None:
    stated = find_user_statements("at the harbour gate of Busan", before)
    assert any(" – " in one.text for one in stated) is is_joined


@pytest.mark.parametrize(
    ("before", "agreed"),
    [
        ("Let's use SQLite. It is small.", "Let's use SQLite."),
        ("Let's use SQLite. One. Two. Six.", "Let's use SQLite."),
        ("Let's use SQLite. One. Two. Six. Ten.", ""),
        ("SQLite would fit best. Shall we do that?", "SQLite would fit best."),
        ("SQLite would fit best. It is small.", ""),
        ("SQLite is small. Shall we do that?", ""),
        ("Let's use SQLite. Okay? Shall we do that?", "Let's use SQLite."),
        ("Let's use SQLite. I'll write it.", ""),
        ("SQLite fits. I'd recommend it.", ""),
        ("Let's use it.", ""),
        ("I suggest to ignore the error.", ""),
        ("Shall we use SQLite for the cache?", "Shall we use SQLite for the cache?"),
        ("    Let's use SQLite.", ""),
        ("| Let's use SQLite. |", ""),
        ("# Let's use SQLite.", "Let's use SQLite."),
        ("- Let's use __our own__ SQLite.", "Let's use our own SQLite."),
        ("1. I'll take SQLite\n2. Redis", ""),
    ],
)
def test_the_last_proposal_is_agreed_to(before: str, agreed: str) -> None:
    found = [one.asked for one in find_user_statements("yes", before) if one.is_agreed]
    assert found == ([agreed] if agreed else [])


@pytest.mark.parametrize(
    ("before", "said", "found"),
    [
        ("Should we use the cache?", "no", ["Should we use the cache? – no"]),
        ("Should we use the cache?", "no idea", []),
        (
            "Redis or memory? Which port?",
            "redis 9443",
            ["Redis or memory? Which port? – redis 9443"],
        ),
        ("Redis or memory? Which port?", "redis, on the new host", []),
        ("Redis or memory? Which port?", "redis?", []),
        ("Redis or memory? Shall I run it?", "redis", []),
        ("Redis or memory? When?", "redis", []),
        ("Redis or memory? Which port?", "wait redis", []),
        ("Redis or memory? Which port?", "fix it", []),
        ("It is done.", "no", []),
    ],
)
def test_a_bare_reply_is_joined_with_all_that_was_asked(
    before: str, said: str, found: list[str]
) -> None:
    joined = [one for one in find_user_statements(said, before) if one.asked]
    assert [one.text for one in joined] == found
    assert all(one.is_refused is said.startswith("no") for one in joined)


@pytest.mark.parametrize(
    ("own", "is_answer", "is_choice"),
    [
        ("redis", True, True),
        ("redis for the billing pages", True, False),
        ("9443 8443", True, True),
        ("two ports of hosts", False, False),
        ("hmm", False, False),
        ("fix ports", False, False),
        ("that host", False, False),
        ("redis memory cache", True, True),
        ("redis memory", True, True),
        ("", False, False),
    ],
)
def test_a_choice_names_nothing_but_what_was_asked(
    own: str, *, is_answer: bool, is_choice: bool
) -> None:
    stated = UserStatement("x", asked="Redis or memory cache?", own=own)
    assert (stated.is_answer, stated.is_choice) == (is_answer, is_choice)
    for flags in ({"is_agreed": True}, {"is_refused": True}):
        assert stated._replace(**flags).is_choice
    assert stated._replace(is_refused=True).is_answer


def test_a_plain_statement_has_no_flags() -> None:
    assert not any(UserStatement("x")[1:])


@pytest.mark.parametrize(
    ("said", "before", "is_reply"),
    [
        ("yes", "Let's use SQLite.", True),
        ("yes", "", False),
        ("redis", "Redis or memory?", True),
        ("the harbour gate of Busan town", "Redis or memory?", False),
        ("no", "Should we use the cache?", True),
        ("아니 고쳐줘", "Should we use the cache?", False),
        ("yes, and all that we have said before of it stays as it is", "Let's use SQLite.", False),
    ],
)
def test_a_mere_reply_does_nothing_else(said: str, before: str, *, is_reply: bool) -> None:
    assert is_mere_reply(said, before) is is_reply


@pytest.mark.parametrize(("chars", "parts"), [(319, 1), (320, 2)])
def test_statements_are_joined_up_to_a_length(chars: int, parts: int) -> None:
    second = "It is cheaper."
    first = f"We moved to {'x' * (chars - len(second) - 13)}."
    assert len(first) + len(second) == chars
    assert len(_texts(f"{first} {second}")) == parts


@pytest.mark.parametrize(
    ("said", "is_leaning"),
    [
        ("The parser loop is slow.", True),
        ("The parser is slow.", False),
        ("The parser loop should be slow.", False),
        ("The parser loop is slow since March.", False),
        ("run_all_jobs is slow.", True),
        ("We watch run_all_jobs here.", True),
        ("review the log", True),
        ("review the log every morning", False),
        ("I think I'll try it, always", True),
        ("We moved to Fly.", False),
    ],
)
def test_what_is_of_now_must_be_surer(said: str, *, is_leaning: bool) -> None:
    assert [one.is_leaning for one in find_user_statements(said, "")] == [is_leaning]


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("We moved to Fly. Why is it so?", ["We moved to Fly."]),
        ("Is it so? We moved to Fly. We like it.", ["We moved to Fly.", "We like it."]),
        ("We moved to Fly. ok. We use pnpm.", ["We moved to Fly.", "We use pnpm."]),
        ("Draft a note to Ana every Monday.", ["Draft a note to Ana every Monday."]),
        ("We moved to Fly. It's cheap. It's fast.", ["We moved to Fly. It's cheap. It's fast."]),
    ],
)
def test_statements_stand_each_by_itself(said: str, found: list[str]) -> None:
    assert _texts(said) == found


def test_an_answer_at_the_beginning_of_a_longer_turn_takes_its_question_along() -> None:
    rest = "We moved the shop to Fly in March, and all of us like it there."
    assert _texts(f"Frankfurt. {rest}", "Which region is it in?") == [
        "Which region is it in? – Frankfurt.",
        rest,
    ]
    assert _texts(f"Frankfurt. {rest}") == ["Frankfurt.", rest]
    assert _texts(f"Yes. {rest}", "Let's use SQLite.") == ["Let's use SQLite. (agreed)", rest]
    assert _texts(f"Yes. {rest}") == [rest]
    assert _texts(f"1번. {rest}", "1. SQLite in one file")[0] == "SQLite in one file (agreed)"


def test_questions_are_found_at_the_end() -> None:
    assert find_questions("Which host? One. Two.") == "Which host?"
    assert find_questions("Which host? One. Two. Six.") == ""
    assert find_questions("Which host? Which port?") == "Which host? Which port?"


@pytest.mark.parametrize(
    ("said", "found"),
    [
        ("배포는 화요일에만 해, 금요일은 안 되는 거 알지?", True),
        ("you know we only deploy on Tuesdays, right?", True),
        ("배포 언제 하는지 알지?", False),
        ("do you know when we deploy?", False),
    ],
)
def test_a_reminder_in_the_form_of_a_question_states_something(said: str, found: bool) -> None:
    assert _texts(said) == ([said] if found else [])


def test_a_request_to_remember_leans_on_what_was_said_before_it() -> None:
    assert _texts("create the table first. remember that for all imports") == [
        "create the table first. remember that for all imports"
    ]
    assert _texts("열쇠는 화분 밑에 있어. 꼭 기억해 둬") == ["열쇠는 화분 밑에 있어. 꼭 기억해 둬"]
    assert _texts("we moved. remember that we deploy on Tuesdays") == [
        "we moved.",
        "remember that we deploy on Tuesdays",
    ]
