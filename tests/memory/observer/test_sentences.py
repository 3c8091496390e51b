import pytest

from gieok.memory.observer.sentences import is_understood, own_sentences


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


@pytest.mark.parametrize(
    ("items", "chars", "is_typed"), [(8, 0, True), (9, 0, False), (2, 1200, True), (2, 1201, False)]
)
def test_a_list_is_typed_where_it_is_short(items: int, chars: int, *, is_typed: bool) -> None:
    said = "\n".join(f"- use tool number {n}" for n in range(items))
    said += "\n\n" + "We use the tabs. " * 80 if chars else ""
    said = said[: chars - 1] + "." if chars else said
    assert any("tool number" in one for one in own_sentences(said)) is is_typed
