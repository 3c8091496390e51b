import pytest

from gieok.text.turns import exchange, find_closing_words, read_spoken_line

_TALK = [
    "User: 회의 잡아줘",
    "Assistant: 네.",
    "Assistant: 몇 시로 할까요?",
    "User: 9시 반",
    "User: " + "긴 말 " * 20,
]


def test_a_turn_of_few_words_is_shown_with_what_it_answers() -> None:
    assert exchange(_TALK, 4) == "Assistant: 몇 시로 할까요?\nUser: 9시 반"
    assert exchange(_TALK, 5) == _TALK[4]
    asked = exchange([f"Assistant: {'word ' * 99}ready?", "User: yes"], 2)
    assert asked.startswith("Assistant: … word")
    assert asked.endswith("ready?\nUser: yes")


@pytest.mark.parametrize(
    ("before", "text", "is_carried"),
    [
        ("Noted.", "The demo is on Thursday", False),
        ("네, 알겠습니다.", "린터는 ruff로 하자", False),
        ("ok", "yes", False),
        ("I set the port to 8080.", "We deploy from the release branch", False),
        ("포트를 8080으로 했습니다.", "배포는 금요일에 해", False),
        ("Which port shall I use?", "We use 9090 everywhere", True),
        ("Tell me the port.", "9090", True),
        ("I would drop the cache and keep the queue.", "the second one", True),
        ("캐시는 빼고 큐만 두는 쪽을 권합니다.", "그렇게 하자", True),
        ("I would keep the queue.", "yes, do that", True),
        ("I would pick Valkey.", "We use it everywhere", True),
        ("I will drop the table.", "Do it after the backup", True),
        ("캐시를 지우겠습니다.", "우리는 그걸 금요일에 해", True),
        ("config.yml을 고치는 쪽이 낫습니다.", "그 파일 말고 다른 파일로 해", True),
        ("Done, it is deployed.", "I think that Thursday suits us", False),
    ],
)
def test_a_turn_carries_the_turn_before_only_where_it_needs_it(
    before: str, text: str, is_carried: bool
) -> None:
    shown = read_spoken_line([f"Assistant: {before}", f"User: {text}"], 2)
    assert shown
    assert shown.answers == (before if is_carried else "")


def test_a_question_is_shown_with_its_answer() -> None:
    assert exchange(_TALK, 3) == "Assistant: 몇 시로 할까요?\nUser: 9시 반"
    shown = read_spoken_line(_TALK, 3)
    assert shown
    assert (shown.who, shown.answers, shown.answer) == ("assistant", "", "9시 반")


def test_a_line_that_is_no_turn_is_not_shown_as_one() -> None:
    assert (
        read_spoken_line(_TALK, 0)
        is read_spoken_line(_TALK, 6)
        is read_spoken_line(["a note: with a colon"], 1)
        is None
    )
    assert exchange(_TALK, 99) == ""


@pytest.mark.parametrize(
    ("closing", "is_found"),
    [
        ("Fernet then", True),
        ("yes", True),
        ("my phone number is 010-1234-5678, call me about the invoices please", False),
    ],
)
def test_only_words_on_a_matter_close_it(closing: str, is_found: bool) -> None:
    lines = [
        "User: How are the secrets stored?",
        "Assistant: Shall we keep the secrets with Fernet or KMS?",
        f"User: {closing}",
    ]
    assert find_closing_words(lines, 1) == (3 if is_found else 0)


def test_what_is_said_much_later_closes_nothing() -> None:
    lines = ["User: How are the secrets stored?", *["Assistant: One moment."] * 9]
    assert find_closing_words([*lines, "User: secrets go to Fernet"], 1) == 0
