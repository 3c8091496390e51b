import pytest

from gieok.memory.observer.sentences import (
    is_prose,
    is_understood,
    own_sentences,
    strip_filler,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("We use pnpm. Never npm!", ["We use pnpm.", "Never npm!"]),
        ("ok, we use pnpm", ["we use pnpm"]),
        ("고마워. 앞으로는 존댓말로 답해줘", ["고마워.", "앞으로는 존댓말로 답해줘"]),
        ("저녁 뭐 먹지 참고로 난 고수 못 먹어", ["저녁 뭐 먹지", "참고로 난 고수 못 먹어"]),
        ("ask Dr. Lee, e.g. about the lease.", ["ask Dr. Lee, e.g. about the lease."]),
        ("rules here:\n- use tabs\n- no emojis", ["rules here:", "use tabs", "no emojis"]),
    ],
)
def test_sentences_are_cut_where_people_cut_them(text: str, found: list[str]) -> None:
    assert own_sentences(text) == found


@pytest.mark.parametrize(
    "text",
    [
        "```\nwe use pnpm\n```",
        "~~~\nwe use pnpm, and this fence is never closed",
        "> we use pnpm",
        "| we | use | pnpm |",
        "\tat main (app.js:3)",
        "TypeError: we use pnpm",
        "2026-11-21 10:00:00 we use pnpm",
        "the log says:\nwe use pnpm\nand never npm",
        "# A plan\n\nWe use pnpm.",
        "Summarize this. We use pnpm.",
        "You are the reviewer of this team. We use pnpm.",
        "Usamos siempre pnpm en este proyecto.",
        "我们总是使用 pnpm。",
    ],
)
def test_code_logs_quotations_material_and_other_languages_are_left_out(text: str) -> None:
    assert [s for s in own_sentences(text) if "pnpm" in s] == []


def test_a_list_that_was_typed_is_the_users() -> None:
    said = "My rules:\n- Use pnpm\n- Never commit to main\n- Write tests first\n- No emojis"
    assert own_sentences(said)[1:] == [
        "Use pnpm",
        "Never commit to main",
        "Write tests first",
        "No emojis",
    ]


def test_what_introduces_others_words_is_no_sentence_itself() -> None:
    assert own_sentences("My boss said: use Postgres.") == []
    assert own_sentences("The log shows:\nERROR: disk full") == []
    assert own_sentences("My boss said: use Postgres. We use MySQL.") == ["We use MySQL."]


def test_of_a_pasted_turn_only_the_short_paragraphs_around_it_are_the_users() -> None:
    pasted = "\n\n".join(
        [
            "We use pnpm.",
            *(["This was written by somebody else, at length. " * 8] * 5),
            "Keep it so.",
        ]
    )
    assert own_sentences(pasted) == ["We use pnpm.", "Keep it so."]
    assert own_sentences("\n".join(f"- item number {n} of a plan" for n in range(30))) == []


def test_a_book_in_a_line_takes_no_time() -> None:
    assert own_sentences("<a " * 300_000) == []
    assert own_sentences("(" * 300_000) == []
    assert own_sentences("a. " * 300_000) == []


def test_only_korean_and_english_are_understood() -> None:
    assert all(map(is_understood, ("we use pnpm here", "pnpm 써", "use uv, not pip", "마감은 3일")))
    assert is_understood("kubectl nginx redis"), "too few words to tell"
    assert not any(
        map(
            is_understood,
            (
                "kubectl nginx redis postgres",
                "nous utilisons toujours pnpm",
                "wir nutzen immer pnpm",
                "pnpmを使います",
                "мы живём",
            ),
        )
    )


def _write(chars: int, beginning: str = "We") -> str:
    """Return a paragraph of short sentences, of so many characters."""
    text = f"{beginning} use the tabs. " + "We use the tabs. " * 100
    return f"{text[: chars - 2].rstrip()}{'x' * chars}"[: chars - 1] + "."


@pytest.mark.parametrize(
    ("sizes", "kept"),
    [
        ([300], "A"),
        ([1200], "A"),
        ([1201], ""),
        ([600, 600], "AB"),
        ([601, 600], ""),
        ([300, 900, 1], "AC"),
        ([300, 901, 300], "AC"),
        ([301, 900, 300], "C"),
        ([300, 900, 301], "A"),
        ([1300, 100], "B"),
        ([100, 100, 1300, 100, 100], "AE"),
    ],
)
def test_of_more_than_is_typed_only_short_ends_are_the_users(sizes: list[int], kept: str) -> None:
    names = "ABCDE"[: len(sizes)]
    said = "\n\n".join(
        _write(size, name) for size, name in zip(sizes, names, strict=True) if size > 1
    )
    said += "\n\nC use the tabs." * (1 in sizes)
    found = own_sentences(said)
    assert (
        "".join(name for name in names if any(one.startswith(f"{name} use") for one in found))
        == kept
    )


@pytest.mark.parametrize(
    ("items", "chars", "is_typed"), [(8, 0, True), (9, 0, False), (2, 1200, True), (2, 1201, False)]
)
def test_a_list_is_typed_where_it_is_short(items: int, chars: int, *, is_typed: bool) -> None:
    said = "\n".join(f"- use tool number {n}" for n in range(items))
    said += "\n\n" + "We use the tabs. " * 80 if chars else ""
    said = said[: chars - 1] + "." if chars else said
    assert any("tool number" in one for one in own_sentences(said)) is is_typed


def test_only_the_beginning_of_a_book_is_looked_at() -> None:
    blanks = "\n" * (20_000 - len("We use the tabs."))
    assert own_sentences(f"{blanks}We use the tabs.") == ["We use the tabs."]
    assert own_sentences(f"{blanks}\nWe use the tabs.") == ["We use the tabs"]


@pytest.mark.parametrize(
    ("sentence", "bare"),
    [
        ("ok, we use pnpm", "we use pnpm"),
        ("ok, x", "ok, x"),
        ("ok, xy", "xy"),
        ("x", ""),
        ("xy", "xy"),
        ("x" * 400, "x" * 400),
        ("x" * 401, ""),
        ("oh sure, we use pnpm", ""),
        ('he wrote "we use pnpm"', ""),
        ("*_we use pnpm_*", "we use pnpm"),
    ],
)
def test_a_sentence_is_kept_without_its_filler(sentence: str, bare: str) -> None:
    assert strip_filler(sentence) == bare


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("abc+", True),
        ("abcde+++", False),
        ("1234", False),
        ("we use pnpm", True),
        ("TypeError: we use pnpm", False),
        ("✅ we use pnpm", False),
        ("app.js:30 we use pnpm", False),
        ("Error while we use pnpm {", False),
    ],
)
def test_a_line_of_words_is_prose(line: str, *, is_one: bool) -> None:
    assert is_prose(line) is is_one


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("    we use pnpm\n\twe use tabs\nwe use uv", ["we use uv"]),
        ("    - we use pnpm", ["we use pnpm"]),
        ("always summarize the log first", ["always summarize the log first"]),
        ("the boss wrote:\nwe use pnpm\n\nwe use tabs", ["we use tabs"]),
        ("we use tabs\n\nthe boss wrote:\nwe use pnpm\n\nwe use uv", ["we use tabs", "we use uv"]),
        ("we use uv\nthe boss wrote:\n\nwe use tabs", ["we use uv"]),
        ("the plan is:\nwe use pnpm\nwe use uv\n\nwe use tabs", ["we use tabs"]),
        ("we use tabs\nwe use uv\n\nwe use ink", ["we use tabs", "we use uv", "we use ink"]),
        ("we met Dr.", ["we met Dr."]),
        ("our rules: \n- we use tabs", ["our rules:", "we use tabs"]),
    ],
)
def test_what_others_wrote_ends_with_its_paragraph(text: str, found: list[str]) -> None:
    assert own_sentences(text) == found


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("pnpm 使", True),
        ("pnp 使使", False),
        ("pnpm immer", False),
        ("use immer", True),
        ("pnpm immer 써", True),
        ("pnpm nginx redis", True),
        ("pnpm nginx redis mongo", False),
        ("use the new immer", True),
        ("use immer und nicht", False),
        ("use immer here", True),
    ],
)
def test_few_words_are_understood_unless_they_are_foreign(text: str, *, is_one: bool) -> None:
    assert is_understood(text) is is_one


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (
            "에러 메시지는 번역하지 말고 그대로 둬. 로그에서 찾으니까",
            ["에러 메시지는 번역하지 말고 그대로 둬.", "로그에서 찾으니까"],
        ),
        ("이 글 번역해 줘. 우리는 서울에 산다.", []),
        ("이 글 번역하고 요약해 줘. 우리는 서울에 산다.", []),
    ],
)
def test_a_text_that_is_not_to_be_worked_on_is_no_material(text: str, found: list[str]) -> None:
    assert own_sentences(text) == found


def test_a_sentence_with_names_in_quotation_marks_is_the_users_own() -> None:
    said = 'no "Co-Authored-By" in commit messages. the page says "always deploy at night".'
    assert own_sentences(said) == ['no "Co-Authored-By" in commit messages.']
