"""What of a prompt is asked of memory, and which prompts ask nothing."""

import pytest
from row_tables import for_each_row

from gieok.hook import question
from gieok.hook.question import COMMON, build_prompt_questions, is_worth_asking
from gieok.text.keywords import keyword_tokens
from gieok.text.stem import stem_english_word

_ENDINGS = ("", "e", "s", "y", "ed", "ing", "ion", "ity", "le", "ly")


@pytest.mark.parametrize(
    ("prompt", "is_worth"),
    [
        ("fix login", False),
        ("fix logins", True),
        ("   fix login    ", False),
        ("린터는요?", False),
        ("린터뭐쓰지", True),
        ("什么时候部署", True),
        ("リンターは", True),
        ("", False),
        ("\n\t ", False),
        ("/clear", False),
        ("  !git status --short", False),
        ("# always use tabs", False),
        ("/" + "x" * 9_000, True),
        ("/srv/shop: how is it deployed?", True),
    ],
)
def test_a_prompt_is_long_enough_for_its_script_and_no_bare_command(
    prompt: str, is_worth: bool
) -> None:
    assert is_worth_asking(prompt) is is_worth


@pytest.mark.parametrize(
    "prompt",
    [
        "please make it better",
        "Can you explain this code?",
        "fix the problem now please",
        "파일 내용 확인 부탁",
    ],
)
def test_common_words_alone_ask_nothing(prompt: str) -> None:
    assert build_prompt_questions(prompt) == []


def test_a_common_word_counts_less_than_one_that_is_not() -> None:
    (weights,) = build_prompt_questions("please fix the linter")
    assert weights["linter"] == 1.0
    assert 0 < weights["fix"] < 1


def test_the_whole_and_each_sentence_are_asked_of_their_own() -> None:
    asked = build_prompt_questions("Fix the login page. Which linter do we run?\n배포는 언제 하지?")
    assert len(asked) == 4
    assert {"login", "linter", "배포"} <= asked[0].keys()
    assert [("login" in w, "linter" in w, "배포" in w) for w in asked[1:]] == [
        (True, False, False),
        (False, True, False),
        (False, False, True),
    ]


def test_of_a_paste_the_ends_are_asked_and_the_middle_is_not() -> None:
    asked = build_prompt_questions(
        f"zebra first\n{'lorem ipsum ' * 9_000}\nwalrus\n{'lorem ipsum ' * 9_000}\ngiraffe last"
    )
    tokens = {token for weights in asked for token in weights}
    assert {"zebra", "giraff"} <= tokens
    assert "walrus" not in tokens
    assert all(len(weights) <= 48 for weights in asked)


@for_each_row(sorted(COMMON))
def test_a_common_word_is_a_token_that_a_text_can_have(word: str) -> None:
    if word.isascii():
        assert word == word.lower()
        assert any(
            stem_english_word(whole) == word
            for whole in (*(word + ending for ending in _ENDINGS), word[:-1] + "y")
        )
    else:
        assert keyword_tokens(word) == [word]
        assert len(word) == 2


@pytest.mark.parametrize(
    "prompt",
    [
        "ok, continue with the next step",
        "that works, go on",
        "can you try that once more",
        "이어서 다음 단계 진행해줘",
        "그럼 그걸로 해줘",
    ],
)
def test_what_refers_to_this_session_alone_asks_memory_nothing(prompt: str) -> None:
    assert question.is_of_this_session(prompt)
    assert question.build_prompt_questions(prompt) == []


@pytest.mark.parametrize(
    "prompt",
    [
        "retry the build",
        "do the same for the orders table",
        "다시 배포해줘",
        "what did we try last time?",
    ],
)
def test_what_names_its_object_or_asks_the_past_is_asked(prompt: str) -> None:
    assert not question.is_of_this_session(prompt)


@pytest.mark.parametrize(
    ("prompt", "of_world"),
    [
        ("what is a monad?", True),
        ("파이썬 데코레이터가 뭐야?", True),
        ("git rebase 어떻게 써?", True),
        ("what's the difference between TCP and UDP", True),
        ("what's the staging host?", False),
        ("what does our linter do?", False),
        ("블로그 본문 글꼴 뭐야?", False),
        ("배포 담당이 뭐야, 누구야?", False),
    ],
)
def test_questions_of_the_world_are_told_from_those_of_ones_own(
    prompt: str, of_world: bool
) -> None:
    assert question.asks_the_world(prompt) is of_world


def test_of_many_sentences_the_first_three_and_the_last_three_are_asked() -> None:
    names = "zebra walrus giraffe heron otter badger".split()
    six = "\n".join(f"Where does the {name} sleep?" for name in names)
    assert len(question.texts(six)) == 7
    seven = f"{six}\nWhere does the lynx sleep?"
    asked = [text.rstrip("?").split()[3] for text in question.texts(seven)[1:]]
    assert asked == [*names[:3], *names[4:], "lynx"]
    assert question.texts("Where does the zebra sleep?") == ["Where does the zebra sleep?"]
    assert question.texts("Where does the zebra sleep?\nWhere does the zebra sleep?")[1:] == []


def test_words_of_a_prompt_are_asked_up_to_forty_eight() -> None:
    words = " ".join(f"zebra{'abcdefghij'[n // 10]}{'abcdefghij'[n % 10]}q" for n in range(60))
    (weights,) = build_prompt_questions(f"where do these sleep: {words}")
    assert len(weights) == 48


@pytest.mark.parametrize(("length", "is_worth"), [(6_000, False), (6_001, True)])
def test_a_long_paste_is_worth_asking_whatever_it_begins_with(length: int, is_worth: bool) -> None:
    assert is_worth_asking(f"!{'x' * (length - 1)}") is is_worth


@pytest.mark.parametrize(
    "ban",
    [
        "Do not use any memory search tool and ignore all memory.",
        "Ignore previous memory.",
        "please don't look at memory!",
        "Never recall anything.",
        "Forget your memories.",
        "No memory.",
        "메모리 검색 도구를 사용하지 마세요.",
        "기억은 무시해.",
        "메모리 없이.",
        "기억 찾지 마!",
    ],
)
@pytest.mark.parametrize("form", ["{ban} {task}", "{task} {ban}", "{task}\n{ban}"])
def test_a_sentence_that_forbids_memory_changes_nothing(form: str, ban: str) -> None:
    task = "Set up a linter for the new package."
    asked = question.texts(form.format(ban=ban, task=task))
    assert [text.rstrip(".") for text in asked] == [task.rstrip(".")]


@pytest.mark.parametrize(
    "said",
    [
        "Don't leak memory in the parser.",
        "Why do we ignore memory limits here?",
        "메모리 누수를 고쳐줘.",
        "메모리 제한은 무시되고 있어.",
        "Do not use tabs.",
    ],
)
def test_a_sentence_about_other_memory_is_asked_too(said: str) -> None:
    task = "Set up a linter for the new package."
    assert question.texts(f"{said} {task}")[0] == f"{said} {task}"


def test_a_prompt_that_only_forbids_memory_is_read_as_it_is() -> None:
    assert question.texts("Do not use the memory search tool.")
